/* rpc-hook.h
 * Our functions among those of an interface that Wireshark dissects itself
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_RPC_HOOK_H
#define PERFLIB_BASE_RPC_HOOK_H

#include "base/ndr.h"

/* Reads a stub from where it begins; returns the offset behind what was read. */
typedef int (*rpc_stub_reader)(struct ndr *stub);

/* Our functions for one operation; NULL: Wireshark's own stays. */
struct rpc_hook {
    const e_guid_t *uuid; /* of the interface */
    uint16_t version, opnum;
    rpc_stub_reader request, response;
};

/*
 * At handoff: gives the interfaces copies of their operation tables with our functions in them; Wireshark's own are
 * never written. The hooks of one interface stand together, and last. What Wireshark does not dissect stays so.
 */
void rpc_hook(const struct rpc_hook *hooks, size_t count);

/* Wireshark's own dissection of a stub whose operation was hooked, from its offset on. */
int rpc_hook_ask_wireshark(const struct ndr *stub, bool is_response);

/* What Wireshark calls an operation: "QueryValue"; constant. NULL: it knows none of that number. */
const char *rpc_operation_name(const e_guid_t *uuid, uint16_t version, unsigned opnum);

#endif /* PERFLIB_BASE_RPC_HOOK_H */
