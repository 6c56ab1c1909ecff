/* item-label.c
 * Labels of items
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/fields.h"

#include <string.h>

#include "base/text.h"

/* Assumed length of a label that Wireshark has not made yet, with the field's name and value */
#define LABEL_HEAD_MAX 40

void
item_label_append(wmem_allocator_t *scope, proto_item *item, const char *text)
{
    const char *label = perflib_item_label(item);
    const size_t used = label != NULL ? strlen(label) : LABEL_HEAD_MAX;

    if (used + 4 < ITEM_LABEL_LENGTH) {
        proto_item_append_text(item, "%s", line_text_max(scope, text, ITEM_LABEL_LENGTH - 1 - used));
    }
}

#define VALUE_MARK ": "

/* A label under construction: optional field name and text */
struct label {
    const char *name; /* field's name; "": the label is only the text */
    size_t name_length, text_length;
    const char *text; /* NULL: Wireshark's own label */
};

/*
 * Returns a label with the name of the field hf (-1: no name); an empty one if text is NULL or the tree is not visible.
 */
static struct label
make_label(proto_tree *tree, int hf, const char *text)
{
    const char *name;

    if (text == NULL || !perflib_tree_is_seen(tree)) {
        return (struct label){ .text = NULL };
    }
    name = hf == -1 ? "" : proto_registrar_get_name(hf);
    return (struct label){ name, name[0] == '\0' ? 0 : strlen(name) + strlen(VALUE_MARK), strlen(text), text };
}

/*
 * Number of labels in one allocation, so a label cannot be freed alone. If labels lay between the items, walking
 * through a tree would take twice as long.
 */
#define LABELS_A_SHEET 64u

static struct {
    wmem_allocator_t *pool;
    item_label_t *labels;
    unsigned left;
} sheet;

static perflib_bool
forget_sheet(wmem_allocator_t *pool, wmem_cb_event_t event _U_, void *data _U_)
{
    if (sheet.pool == pool) {
        sheet.pool = NULL;
    }
    return false;
}

static item_label_t *
new_label(wmem_allocator_t *pool)
{
    if (sheet.pool != pool) {
        wmem_register_callback(pool, forget_sheet, NULL);
        sheet.pool = pool;
        sheet.left = 0;
    }
    if (sheet.left == 0) {
        sheet.labels = wmem_alloc_array(pool, item_label_t, LABELS_A_SHEET);
        sheet.left = LABELS_A_SHEET;
    }
    return &sheet.labels[--sheet.left];
}

/* Sets the label of a new item, unless label->text is NULL. Returns the item. */
static proto_item *
write_label(proto_item *item, const struct label *label)
{
    item_label_t *rep;
    char *out;

    if (label->text == NULL) {
        return item;
    }
    rep = new_label(perflib_tree_pool(item));
    out = rep->representation;
    if (label->name_length > 0) {
        memcpy(out, label->name, label->name_length - strlen(VALUE_MARK));
        out += label->name_length;
        memcpy(out - strlen(VALUE_MARK), VALUE_MARK, strlen(VALUE_MARK));
    }
    memcpy(out, label->text, label->text_length + 1);
    perflib_item_set_label(item, rep, label->name_length);
    return item;
}

/* Returns whether the label fits into ITEM_LABEL_LENGTH. Longer ones are left to Wireshark, which truncates them. */
static bool
label_fits(const struct label *label)
{
    return label->name_length + label->text_length < ITEM_LABEL_LENGTH;
}

proto_item *
item_label_add_string(proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length, const char *value, bool has_name,
    const char *text)
{
    const struct label label = make_label(tree, has_name ? hf : -1, text);

    if (label_fits(&label)) {
        return write_label(proto_tree_add_string(tree, hf, tvb, offset, length, value), &label);
    }
    return has_name ? proto_tree_add_string_format_value(tree, hf, tvb, offset, length, value, "%s", text)
                    : proto_tree_add_string_format(tree, hf, tvb, offset, length, value, "%s", text);
}

proto_item *
item_label_add_double(proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length, double value, const char *text)
{
    const struct label label = make_label(tree, hf, text);

    return label_fits(&label) ? write_label(proto_tree_add_double(tree, hf, tvb, offset, length, value), &label)
                              : proto_tree_add_double_format_value(tree, hf, tvb, offset, length, value, "%s", text);
}
