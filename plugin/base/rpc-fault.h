/* rpc-fault.h
 * The status of a fault PDU: its names, what it says of the server, and how it is shown
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_RPC_FAULT_H
#define PERFLIB_BASE_RPC_FAULT_H

#include <epan/expert.h>

#include "base/rpc-call.h"

/* Called once, after win32_names_init() and before fields are registered. */
void rpc_fault_init(void);

/* The name, or the number where it has none; in scope. */
const char *rpc_fault_text(wmem_allocator_t *scope, uint32_t status);
/* The name or number of a fault's status, or that it was cut off. */
const char *rpc_fault_text_of(wmem_allocator_t *scope, const struct rpc_fault *fault);

/* The fields and the expert item by which a protocol shows a fault. */
struct rpc_fault_items {
    int hf_fault; /* status */
    int hf_request_in;
    expert_field ei_fault;
};
/* Registers them as PROTOCOL.fault, PROTOCOL.fault.request_in and PROTOCOL.faulted. */
void rpc_fault_register(struct rpc_fault_items *items, int proto);

/* Items of a fault that answered an operation, below the protocol's. */
void rpc_fault_show(const struct rpc_fault *fault, struct rpc_fault_items *items, const char *operation,
    packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb);

/* Whether a server refuses the caller by it, or the way it calls: access, authentication service or level. */
bool rpc_fault_is_refusal(uint32_t status);

#endif /* PERFLIB_BASE_RPC_FAULT_H */
