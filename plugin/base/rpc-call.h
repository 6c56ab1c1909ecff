/* rpc-call.h
 * Calls as their PDUs show them, whether or not anybody reads their stubs
 *
 * A fault has no stub, and a sealed stub without a key no reader: packet-dcerpc hands neither to the dissector of the
 * interface. session/ sees each PDU, and tells the listener whose call it is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_RPC_CALL_H
#define PERFLIB_BASE_RPC_CALL_H

#include "compat.h"

#include <epan/dissectors/packet-dcerpc.h>
#include <epan/expert.h>

#include "base/key-needed.h"
#include "base/ndr.h"

struct rpc_listener;

/* File scope. */
struct rpc_call {
    e_guid_t uuid;                       /* of the interface */
    const struct rpc_listener *listener; /* NULL: nobody wants to know */
    bool has_opnum;                      /* else the beginning of its request was not seen */
    uint16_t opnum;
    uint8_t auth_type, auth_level; /* of the request: [MS-RPCE] 2.2.1.1.7, 2.2.1.1.8; 0 and 1 without any */
    uint32_t request_frame;        /* with its last fragment; 0: not in the capture */
    nstime_t request_time;
    void *state; /* what the listener keeps of the call; NULL: it did not read the request */
};

/* A fault PDU that answers a call, [C706] 12.6.4.7. */
struct rpc_fault {
    const struct rpc_call *call;
    bool has_status; /* else it was not captured */
    uint32_t status;
    bool not_executed; /* the server says that it has not begun to execute the call */
};

/* A sealed PDU, request or response, that was not read. */
struct rpc_unread {
    const struct rpc_call *call;
    bool is_response;
    bool is_last;                    /* fragment */
    unsigned size;                   /* bytes of this fragment's stub */
    const char *reason;              /* a few words; constant */
    const struct key_needed *needed; /* without a key: a sentence that says which; file scope. NULL: there is a key */
};

/*
 * A call whose request is sealed or cut, or not in the capture. Where its bind is not, either, it may be of any
 * interface.
 */
struct rpc_lack {
    uint32_t call_id;
    bool is_response; /* its answer shows it, else the request does */
    bool has_opnum;
    uint16_t opnum;
};

/* Who is told, in every pass but where it says otherwise. tvb begins with the PDU; tree may be NULL. */
struct rpc_listener {
    void (*fault)(const struct rpc_fault *fault, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);
    void (*unread)(const struct rpc_unread *unread, packet_info *pinfo);
    /*
     * First pass: a call was made whose request nobody reads. NULL: nobody wants to know. state: what the listener
     * keeps of the latest call of the connection whose request it read; NULL: it read none.
     */
    void (*lacks_request)(void *state, const struct rpc_lack *lack, const packet_info *pinfo);
};

/*
 * The time from a request, in a frame (0: there is none), to this packet, which holds its answer. Zero: not known, also
 * where the capture's time went back.
 */
nstime_t rpc_response_time(uint32_t request_frame, const nstime_t *request_time, const packet_info *pinfo);

/* The status of a fault PDU: its names, what it says of the server, and how it is shown */

/* ---- rpc-fault.c ---- */

/* Called once, after win32_names_init() and before fields are registered. */
void rpc_fault_init(void);

/* The name, or the number where it has none; in scope. */
const char *rpc_fault_text(wmem_allocator_t *scope, uint32_t status);
/* The name or number of a fault's status, or that it was cut off. */
const char *rpc_fault_text_of(wmem_allocator_t *scope, const struct rpc_fault *fault);

/* The fields and the expert item by which a protocol shows a fault. */
struct rpc_fault_items {
    const int *hf_fault; /* status: PROTOCOL.fault */
    const int *hf_request_in;
    expert_field *ei_fault;
};
/* Names of the statuses of faults; complete after rpc_fault_init(). */
extern value_string_ext rpc_fault_vals_ext;

/* Items of a fault that answered an operation, below the protocol's. */
void rpc_fault_show(const struct rpc_fault *fault, const struct rpc_fault_items *items, const char *operation,
    packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb);

/* Whether a server refuses the caller by it, or the way it calls: access, authentication service or level. */
bool rpc_fault_is_refusal(uint32_t status);

/* Our functions among those of an interface that Wireshark dissects itself */

/* Reads a stub from where it begins; returns the offset behind what was read. */
typedef int (*rpc_stub_reader)(struct ndr *stub);

/* Our functions for one operation; NULL: Wireshark's own stays. */
struct rpc_hook {
    const e_guid_t *uuid; /* of the interface */
    uint16_t version, opnum;
    rpc_stub_reader request, response;
};

/* ---- rpc-hook.c ---- */

/*
 * At handoff: gives the interfaces copies of their operation tables with our functions in them; Wireshark's own are
 * never written. The hooks of one interface stand together, and last. An operation of which Wireshark
 * dissects one side only stays as it is.
 */
void rpc_hook(const struct rpc_hook *hooks, size_t count);

/* Wireshark's own dissection of a stub whose operation was hooked, from its offset on: of some it shows the bytes. */
int rpc_hook_ask_wireshark(const struct ndr *stub, bool is_response);

/* What Wireshark calls an operation: "QueryValue"; constant. NULL: it knows none of that number. */
const char *rpc_operation_name(const e_guid_t *uuid, uint16_t version, unsigned opnum);

/*
 * Which of several answers to one call is the call's own
 *
 * A call has one answer, the first that is seen. Damaged captures hold others, in the same frame even: they are shown,
 * and are otherwise nobody's. A packet may be dissected many times, in any order.
 */

/* Where a call was answered. It lives as long as the capture, and is all zero before the first answer. */
struct answer_place {
    uint32_t frame;    /* of the answer, the first there; 0: none was seen yet */
    unsigned asked_in; /* which dissection of a packet was asked about last */
};

/* ---- answer-place.c ---- */

/* Called once for each answer a packet holds, in their order: whether it is the call's own. proto: whose call it is. */
bool answer_place_is_own(struct answer_place *answer, packet_info *pinfo, int proto);

/* The columns of a frame whose last PDU is the end of what earlier ones began */

/* ---- fragment-text.c ---- */

/*
 * To be called when Wireshark hands over a stub, before anything is said of it. Where it was put together, and the
 * frame holds fragments of it beside the last one, the columns tell of the first of those and are closed; what they
 * hold is then no news. Names the protocol, and leaves the operation in the Info column. Where the frame began with
 * something else nothing is changed.
 */
void fragment_text_drop(tvbuff_t *stub, packet_info *pinfo, const dcerpc_info *di, const char *protocol);

#endif /* PERFLIB_BASE_RPC_CALL_H */
