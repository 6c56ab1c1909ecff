/* packet.h
 * What the files of this room hand each other: calls to objects of [MS-PLA], whichever interface they came under
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_PACKET_H
#define PERFLIB_PLA_PACKET_H

#include "base/rpc-call.h"
#include "base/stub-check.h"
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

/* Reads one parameter; false where it could not be read to its end, which was said. */
bool pla_read_param(struct pla_pdu *pdu, const struct pla_param *param);

/* Faults that answer calls, and PDUs that could not be read: to be noted with a struct pla_call of each request. */
extern const struct rpc_listener pla_listener;
/* Fields and expert items; called once, with the protocol that owns them and the tap "pla". */
void pla_faults_register(int proto, int tap);

/*
 * DCOM's own interfaces, as far as calls to them are about objects of [MS-PLA]. Scripts call an object's members under
 * IDispatch; RemQueryInterface tells the object's other IPIDs; activation tells the first one. Wireshark dissects all
 * three: it gets copies of its operation tables that ask us first.
 */
/* Called once at start, and at handoff, when Wireshark's own interfaces are there. */
void pla_hooks_register(void);
void pla_hooks_init(void);
/* A class of [MS-PLA] that is named anywhere in these bytes, or NULL. */
const struct pla_class *pla_hooks_find_class(const uint8_t *bytes, unsigned length);

/* See stub_recogniser: calls to objects that are known, requests for such objects. */
bool pla_recognise(const struct stub_sample *sample, packet_info *pinfo, struct stub_recognised *found);

#endif /* PERFLIB_PLA_PACKET_H */
