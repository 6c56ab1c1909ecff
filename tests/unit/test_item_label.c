/* test_item_label.c
 * Labels of items: as Wireshark would make them, long ones by Wireshark, and what is appended within their room
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/fields.h"

#include <stdarg.h>
#include <string.h>

#include "check.h"

#define HF    5
#define TEXTS 200u

static wmem_allocator_t *pool, *other_pool;
static int a_tree;
#define TREE ((proto_tree *)&a_tree)

static bool is_seen;
static wmem_allocator_t *tree_pool;
static proto_item the_item;

/* What was added: its value, and its label where Wireshark made it. */
static char value_added[300], label_made[300];
static unsigned num_added;

/* The item's label as the plugin made it. */
static item_label_t *label_set;
static size_t name_length_set;

/* In place of compat.c and of Wireshark's trees. */
bool
perflib_tree_is_seen(const proto_tree *tree)
{
    return tree != NULL && is_seen;
}

wmem_allocator_t *
perflib_tree_pool(const proto_tree *tree)
{
    CHECK(tree == &the_item, "another item");
    return tree_pool;
}

const char *
perflib_item_label(const proto_item *item)
{
    return item == NULL || label_set == NULL ? NULL : label_set->representation;
}

void
perflib_item_set_label(proto_item *item, item_label_t *label, size_t name_length)
{
    CHECK(item == &the_item, "another item");
    label_set = label;
    name_length_set = name_length;
}

static proto_item *
note(proto_tree *tree, int hf, int start, int length, const char *value)
{
    CHECK(tree == TREE && hf == HF && start == 11 && length == 22, "%d, %d, %d", hf, start, length);
    num_added++;
    g_strlcpy(value_added, value, sizeof value_added);
    return &the_item;
}

proto_item *
proto_tree_add_string(proto_tree *tree, int hf, tvbuff_t *tvb _U_, int start, int length, const char *value)
{
    return note(tree, hf, start, length, value);
}

proto_item *
proto_tree_add_double(proto_tree *tree, int hf, tvbuff_t *tvb _U_, int start, int length, double value)
{
    return note(tree, hf, start, length, value == 1.5 ? "1.5" : "another");
}

static void
make(const char *before, const char *format, va_list arguments)
{
    char text[300];

    vsnprintf(text, sizeof text, format, arguments);
    snprintf(label_made, sizeof label_made, "%s%s", before, text);
}

proto_item *
proto_tree_add_string_format(proto_tree *tree, int hf, tvbuff_t *tvb _U_, int start, int length, const char *value,
    const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    make("", format, arguments);
    va_end(arguments);
    return note(tree, hf, start, length, value);
}

proto_item *
proto_tree_add_string_format_value(proto_tree *tree, int hf, tvbuff_t *tvb _U_, int start, int length,
    const char *value, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    make("Name: ", format, arguments);
    va_end(arguments);
    return note(tree, hf, start, length, value);
}

proto_item *
proto_tree_add_double_format_value(proto_tree *tree, int hf, tvbuff_t *tvb _U_, int start, int length, double value,
    const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    make("Name: ", format, arguments);
    va_end(arguments);
    return note(tree, hf, start, length, value == 1.5 ? "1.5" : "another");
}

const char *
proto_registrar_get_name(const int n)
{
    return n == HF ? "Name" : "another";
}

void
proto_item_append_text(proto_item *item, const char *format, ...)
{
    va_list arguments;

    CHECK(item == &the_item, "another item");
    va_start(arguments, format);
    make("", format, arguments);
    va_end(arguments);
}

/* Adds an item of each kind: 0: the text is all, 1 and 2: behind the name. Returns whether it was added with its value. */
static bool
add(unsigned kind, const char *text)
{
    const char *value = kind == 2 ? "1.5" : "value";
    proto_item *item;

    label_set = NULL;
    label_made[0] = '\0';
    num_added = 0;
    item = kind == 0 ? item_label_add_string(TREE, HF, NULL, 11, 22, value, text)
        : kind == 1  ? item_label_add_string_value(TREE, HF, NULL, 11, 22, value, text)
                     : item_label_add_double_value(TREE, HF, NULL, 11, 22, 1.5, text);
    return item == &the_item && num_added == 1 && strcmp(value_added, value) == 0;
}

static void
check_added(void)
{
    static const size_t name_length[] = { 0, 6, 6 };
    char text[ITEM_LABEL_LENGTH + 2], expected[ITEM_LABEL_LENGTH + 8];

    for (unsigned kind = 0; kind < 3; kind++) {
        is_seen = false;
        CHECK(add(kind, NULL) && label_set == NULL && label_made[0] == '\0', "nobody looks: it needs no label");
        is_seen = true;
        for (size_t length = 0; length < sizeof text; length++) {
            memset(text, 'x', length);
            text[length] = '\0';
            snprintf(expected, sizeof expected, "%s%s", kind == 0 ? "" : "Name: ", text);
            CHECK(add(kind, text), "the item of its value");
            if (name_length[kind] + length < ITEM_LABEL_LENGTH) {
                CHECK(label_set != NULL && strcmp(label_set->representation, expected) == 0 && label_made[0] == '\0',
                    "%u, %zu: %s", kind, length, label_set == NULL ? label_made : label_set->representation);
                CHECK(name_length_set == name_length[kind], "%zu", name_length_set);
            } else {
                CHECK(label_set == NULL && strcmp(label_made, expected) == 0, "%u, %zu: Wireshark cuts it", kind,
                    length);
            }
        }
    }
}

/* Each has its own, in the memory of its tree. */
static void
check_sheets(void)
{
    static item_label_t *labels[TEXTS];
    static char others[64 * sizeof(item_label_t)];
    char text[8], *memory[8];

    is_seen = true;
    for (unsigned i = 0; i < TEXTS; i++) {
        snprintf(text, sizeof text, "%u", i);
        CHECK(add(0, text), "%u", i);
        labels[i] = label_set;
    }
    for (unsigned i = 0; i < TEXTS; i++) {
        snprintf(text, sizeof text, "%u", i);
        CHECK(strcmp(labels[i]->representation, text) == 0, "%u became %s", i, labels[i]->representation);
    }
    /* The next tree's are not cut from what the memory of this one was freed with. */
    wmem_free_all(pool);
    tree_pool = other_pool;
    CHECK(add(0, "first of the next"), "first");
    labels[0] = label_set;
    tree_pool = pool;
    for (unsigned i = 1; i < TEXTS; i++) {
        CHECK(add(0, "of another"), "%u", i);
        CHECK(label_set != labels[0], "%u takes another tree's", i);
    }
    CHECK(strcmp(labels[0]->representation, "first of the next") == 0, "%s", labels[0]->representation);
    wmem_free_all(pool);
    memset(others, 0xEE, sizeof others);
    for (unsigned i = 0; i < array_length(memory); i++) {
        memory[i] = (char *)wmem_memdup(pool, others, sizeof others);
    }
    for (unsigned i = 0; i < 32; i++) {
        CHECK(add(0, "in memory that was freed"), "%u", i);
    }
    for (unsigned i = 0; i < array_length(memory); i++) {
        CHECK(memcmp(memory[i], others, sizeof others) == 0, "%u is another's now", i);
    }
}

static void
check_appended(void)
{
    item_label_t label;
    char text[300];

    memset(text, 'y', sizeof text);
    text[299] = '\0';
    for (size_t used = 0; used < ITEM_LABEL_LENGTH; used++) {
        memset(label.representation, 'x', used);
        label.representation[used] = '\0';
        label_set = &label;
        label_made[0] = '\0';
        item_label_append(pool, &the_item, text);
        /* 239 bytes a label has: what is cut ends in three points, before which there has to be something. */
        if (used < 236) {
            CHECK(strlen(label_made) == 239 - used && strcmp(label_made + strlen(label_made) - 3, "...") == 0,
                "%zu: %s", used, label_made);
        } else {
            CHECK(label_made[0] == '\0', "%zu: %s", used, label_made);
        }
        item_label_append(pool, &the_item, "z");
        CHECK(strcmp(label_made, used < 236 ? "z" : "") == 0, "%zu: %s", used, label_made);
    }
    /* Where Wireshark makes the label later, 40 bytes are left for it. */
    label_set = NULL;
    item_label_append(pool, &the_item, text);
    CHECK(strlen(label_made) == 199, "%zu", strlen(label_made));
}

int
main(void)
{
    wmem_init();
    pool = tree_pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    other_pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    check_added();
    check_sheets();
    check_appended();
    wmem_destroy_allocator(pool);
    wmem_destroy_allocator(other_pool);
    wmem_cleanup();
    return check_result();
}
