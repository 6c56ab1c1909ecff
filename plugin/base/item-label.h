/* item-label.h
 * Labels of items: with names from the wire, and ready ones by the hundred thousand
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_ITEM_LABEL_H
#define PERFLIB_BASE_ITEM_LABEL_H

#include "compat.h"

/*
 * Appends text to an item's label. Wireshark 4.0 cuts what is appended to a full label, and that within a character:
 * then the packet's PDML is none. item: NULL, or of a tree that nobody sees, is fine.
 */
void item_label_append(wmem_allocator_t *scope, proto_item *item, const char *text);

/*
 * As proto_tree_add_string_format(), proto_tree_add_string_format_value() and proto_tree_add_double_format_value() do
 * with "%s" and text, at a third of the cost: with those the labels of values take longer than all else of their items.
 * text may stand in a line as it is (base/text.h). Of a tree that nobody sees it may be NULL. Such a label can be
 * appended to, but must never be freed, as it is cut from a sheet of many: proto_item_set_text() is not for it.
 */
proto_item *item_label_add_string(proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length, const char *value,
    const char *text);
proto_item *item_label_add_string_value(proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length,
    const char *value, const char *text);
proto_item *item_label_add_double_value(proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length, double value,
    const char *text);

#endif /* PERFLIB_BASE_ITEM_LABEL_H */
