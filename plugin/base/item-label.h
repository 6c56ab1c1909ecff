/* item-label.h
 * Labels of items that end in names from the wire
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

#endif /* PERFLIB_BASE_ITEM_LABEL_H */
