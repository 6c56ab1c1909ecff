/* packet.h
 * A call to an object of [MS-PLA], whichever interface it came under
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_PACKET_H
#define PERFLIB_PLA_PACKET_H

#include "pla/call.h"

/*
 * Dissects a request or response of iface. first: nothing of it was learned yet. Returns the offset after what was
 * read, like what packet-dcerpc calls.
 */
int pla_dissect(const struct ndr *stub, const struct pla_interface *iface, struct pla_call *call, bool response,
    bool first);

/*
 * Adds a tree of [MS-PLA]'s own to the packet, beside that of the interface the call came under, with the operation
 * (-1: not known), and returns it. NULL where there is no tree.
 */
proto_tree *pla_add_tree(tvbuff_t *tvb, proto_tree *tree, const struct pla_interface *iface, int opnum,
    const char *label);

/* Whether [MS-PLA] is to be dissected: a user may have switched it off. */
bool pla_is_enabled(void);

#endif /* PERFLIB_PLA_PACKET_H */
