/* double-field.h
 * Adding FT_DOUBLE fields without overrunning Wireshark's columns
 *
 * Wireshark 4.0 and 4.4 write FT_DOUBLE fields into a custom column ("Apply as Column") that shows every occurrence
 * without looking at the room left: some hundred in one packet, and they crash. 4.6 warns for each.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_DOUBLE_FIELD_H
#define PERFLIB_BASE_DOUBLE_FIELD_H

#include "compat.h"

/*
 * Whether one more item of this FT_DOUBLE field may be added to the packet's tree: false where a column shows all of
 * them and has no room left. To be asked before each item. Columns are filled only where packets are listed, so that
 * the tree of a packet looked at in the GUI is always whole.
 */
bool double_field_fits(const packet_info *pinfo, const proto_tree *tree, int hf);

/* Adds a generated item of this field and value, without bytes of its own; NULL where it does not fit. */
proto_item *double_field_add(const packet_info *pinfo, proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length,
    double value);

#endif /* PERFLIB_BASE_DOUBLE_FIELD_H */
