/* fake-items.h
 * In place of Wireshark's trees: what a reader shows is noted, field by field, and what it finds wrong
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_FAKE_ITEMS_H
#define PERFLIB_TESTS_UNIT_FAKE_ITEMS_H

#include <stdarg.h>
#include <string.h>

#include <epan/expert.h>
#include <epan/packet.h>

#include "base/fields.h"
#include "check.h"

#define MOST_ITEMS   4096
#define MOST_EXPERTS 16
/* Fields that were found by name are numbered from here on. */
#define FIRST_FIELD  1000

static struct {
    int hf;
    int start, length;
} items[MOST_ITEMS];
static unsigned num_items;
/* Items that were asked for without a tree: they cost, and nobody sees them. */
static unsigned num_unseen;

static struct {
    int start, length;
    char text[200];
} experts[MOST_EXPERTS];
static unsigned num_experts;

static const char *field_names[200];
static int num_fields;

/* Readers only hand them on: the tree that they get, and whatever they make below it. */
static int no_tree, no_subtree;
#define ITEMS_TREE ((proto_tree *)&no_tree)

static inline void
items_clear(void)
{
    num_items = 0;
    num_unseen = 0;
    num_experts = 0;
}

/* Whether an item of that field, found by its name, was added over these bytes. */
static inline bool
items_have(const char *name, int start, int length)
{
    for (unsigned i = 0; i < num_items; i++) {
        if (items[i].hf >= FIRST_FIELD && strcmp(field_names[items[i].hf - FIRST_FIELD], name) == 0 &&
            items[i].start == start && items[i].length == length) {
            return true;
        }
    }
    return false;
}

/* Whether all that was found wrong is this, over these bytes. */
static inline bool
items_only_expert(int start, int length, const char *text)
{
    return num_experts == 1 && experts[0].start == start && experts[0].length == length &&
        strcmp(experts[0].text, text) == 0;
}

static inline void
items_note(int hf, int start, int length)
{
    if (num_items < MOST_ITEMS) {
        items[num_items].hf = hf;
        items[num_items].start = start;
        items[num_items++].length = length;
    }
}

static inline void
experts_note(int start, int length, const char *format, va_list arguments)
{
    if (num_experts < MOST_EXPERTS) {
        experts[num_experts].start = start;
        experts[num_experts].length = length;
        vsnprintf(experts[num_experts].text, sizeof experts[0].text, format, arguments);
    }
    num_experts++;
}

/* Wireshark has every field, of every type: the next type is that of the field before of the same name. */
static header_field_info named_field;

header_field_info *
proto_registrar_get_nth(unsigned hf _U_)
{
    if (named_field.type + 1 == FT_NUM_TYPES) {
        named_field.same_name_prev_id = -1;
    }
    named_field.type++;
    return &named_field;
}

header_field_info *
proto_registrar_get_byname(const char *name)
{
    named_field = (header_field_info){ .id = FIRST_FIELD, .type = FT_NONE };
    while (named_field.id < FIRST_FIELD + num_fields && strcmp(field_names[named_field.id - FIRST_FIELD], name) != 0) {
        named_field.id++;
    }
    if (named_field.id == FIRST_FIELD + num_fields) {
        field_names[num_fields++] = g_strdup(name);
    }
    return &named_field;
}

proto_item *
proto_tree_add_item(proto_tree *tree, int hf, tvbuff_t *tvb _U_, const int start, int length,
    const unsigned encoding _U_)
{
    CHECK(length >= -1, "no length: %d", length);
    if (tree != NULL) {
        items_note(hf, start, length);
    } else {
        num_unseen++;
    }
    return NULL;
}

proto_item *
proto_tree_add_boolean(proto_tree *tree, int hf, tvbuff_t *tvb, int start, int length,
#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
    uint64_t value _U_)
#else
    uint32_t value _U_)
#endif
{
    return proto_tree_add_item(tree, hf, tvb, start, length, 0);
}

proto_item *
proto_tree_add_uint(proto_tree *tree, int hf, tvbuff_t *tvb, int start, int length, uint32_t value _U_)
{
    return proto_tree_add_item(tree, hf, tvb, start, length, 0);
}

proto_item *
proto_tree_add_uint_format_value(proto_tree *tree, int hf, tvbuff_t *tvb, int start, int length, uint32_t value _U_,
    const char *format _U_, ...)
{
    return proto_tree_add_item(tree, hf, tvb, start, length, 0);
}

proto_item *
proto_tree_add_string(proto_tree *tree, int hf, tvbuff_t *tvb, int start, int length, const char *value _U_)
{
    return proto_tree_add_item(tree, hf, tvb, start, length, 0);
}

proto_item *
proto_tree_add_item_ret_string(proto_tree *tree, int hf, tvbuff_t *tvb, const int start, int length,
    const unsigned encoding, wmem_allocator_t *scope, const uint8_t **value)
{
    *value = tvb_get_string_enc(scope, tvb, start, length, encoding);
    return proto_tree_add_item(tree, hf, tvb, start, length, encoding);
}

proto_tree *
proto_tree_add_subtree(proto_tree *tree, tvbuff_t *tvb _U_, int start _U_, int length, int idx _U_, proto_item **item,
    const char *text _U_)
{
    CHECK(length >= -1, "no length: %d", length);
    if (item != NULL) {
        *item = NULL;
    }
    return tree != NULL ? (proto_tree *)&no_subtree : NULL;
}

proto_item *
proto_tree_add_expert(proto_tree *tree, packet_info *pinfo, expert_field *ei, tvbuff_t *tvb, int start, int length)
{
    return proto_tree_add_expert_format(tree, pinfo, ei, tvb, start, length, "%s", "");
}

proto_item *
proto_tree_add_expert_format(proto_tree *tree _U_, packet_info *pinfo _U_, expert_field *ei _U_, tvbuff_t *tvb _U_,
    int start, int length, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    experts_note(start, length, format, arguments);
    va_end(arguments);
    return NULL;
}

#endif /* PERFLIB_TESTS_UNIT_FAKE_ITEMS_H */
