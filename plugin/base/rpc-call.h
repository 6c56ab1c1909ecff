/* rpc-call.h
 * RPC calls, including those whose stubs cannot be read
 *
 * packet-dcerpc does not call an interface's dissector for a fault (no stub) or for a sealed stub without a key.
 * session/ sees every PDU and calls the interface's listener.
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

/* One call. File scope. */
struct rpc_call {
    e_guid_t uuid;                       /* UUID of the interface */
    const struct rpc_listener *listener; /* listener of the interface; NULL: none */
    bool has_opnum;                      /* true if opnum is known: the first fragment of the request was captured */
    uint16_t opnum;
    /* as in the request, [MS-RPCE] 2.2.1.1.7 and 2.2.1.1.8; 0 and 1 if unauthenticated */
    uint8_t auth_type, auth_level;
    uint32_t request_frame; /* frame of the request's last fragment; 0: not captured */
    nstime_t request_time;
    void *state; /* the listener's data about the call; NULL if the listener did not read the request */
};

/* A fault PDU that answers a call, [C706] 12.6.4.7. */
struct rpc_fault {
    const struct rpc_call *call;
    bool has_status; /* true if the status was captured */
    uint32_t status;
    bool not_executed; /* true if the server reports that it did not start the call */
    bool is_assumed;   /* true if the interface is a guess (no bind, and no answer has fitted it yet) */
};

/* A sealed request or response PDU that was not decrypted */
struct rpc_unread {
    const struct rpc_call *call;
    bool is_response;
    bool is_last;                    /* true for the last fragment */
    unsigned size;                   /* size of this fragment's stub in bytes */
    const char *reason;              /* why the PDU was not decrypted, in a few words; constant */
    const struct key_needed *needed; /* key needed, or why no key helps; file scope; NULL: .reason is enough */
};

/*
 * A call whose request is sealed, truncated or missing from the capture. If the bind is missing, too, the interface is
 * unknown.
 */
struct rpc_lack {
    bool is_response; /* true if the listener is called at the response, false if at the request */
    bool has_opnum;
    uint16_t opnum;
};

/* Callbacks of an interface, called in every pass unless noted. tvb begins with the PDU; tree may be NULL. */
struct rpc_listener {
    void (*fault)(const struct rpc_fault *fault, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);
    void (*unread)(const struct rpc_unread *unread, packet_info *pinfo);
    /*
     * Called in the first pass for a call whose request cannot be read; may be NULL. state: the listener's data about
     * the latest readable request on the connection, or NULL.
     */
    void (*lacks_request)(void *state, const struct rpc_lack *lack, const packet_info *pinfo);
};

/*
 * Returns the time from a request to its answer in this packet; zero if request_frame is 0 or the answer's time is
 * earlier.
 */
nstime_t rpc_response_time(uint32_t request_frame, const nstime_t *request_time, const packet_info *pinfo);

/* Formats a field in milliseconds with three digits after the point. For BASE_CUSTOM. */
void rpc_response_digits(char *text, double milliseconds);

/* Adds the response time as an item of the field hf, in milliseconds; nothing if it is zero. */
void rpc_response_show(nstime_t time, int hf, const packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb);

/*
 * Returns whether this call was never on a network: captures/buffer wraps a buffer from a file in a call whose request
 * has a certain object UUID. Of such a call only the buffer is checked, not the stub or times.
 */
bool rpc_call_is_made_up(const dcerpc_info *di);

/* Status of a fault PDU: names, meaning and display */

/* ---- rpc-fault.c ---- */

/* Builds the names of fault statuses. Call it once, after win32_names_init() and before fields are registered. */
void rpc_fault_init(void);

/* Returns the name of a fault status, or its number if it has no name. In scope. */
const char *rpc_fault_text(wmem_allocator_t *scope, uint32_t status);
/* Returns the name of a fault's status, or a note that the status was not captured. */
const char *rpc_fault_text_of(wmem_allocator_t *scope, const struct rpc_fault *fault);

/* Fields and expert item of a protocol that shows faults */
struct rpc_fault_items {
    const int *hf_fault; /* field PROTOCOL.fault */
    const int *hf_request_in;
    const int *hf_response;
    expert_field *ei_fault;
};
/* Names of fault statuses; complete after rpc_fault_init() */
extern value_string_ext rpc_fault_vals_ext;

/* Adds the items of a fault that answered an operation to the protocol's tree. */
void rpc_fault_show(const struct rpc_fault *fault, const struct rpc_fault_items *items, const char *operation,
    packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb);

/* Returns whether the status denies access or demands another authentication service or level. */
bool rpc_fault_is_refusal(uint32_t status);

/* Replaces functions in the operation tables of interfaces that Wireshark dissects itself */

/* Reads a stub from its current offset. Returns the offset after the data it read. */
typedef int (*rpc_stub_reader)(struct ndr *stub);

/* Replacement functions for one operation. NULL keeps Wireshark's own. */
struct rpc_hook {
    const e_guid_t *uuid; /* UUID of the interface */
    uint16_t version, opnum;
    rpc_stub_reader request, response;
};

/* ---- rpc-hook.c ---- */

/*
 * Gives interfaces copies of their operation tables that contain the replacement functions. Wireshark's own tables are
 * not changed. Call it at handoff. Hooks of one interface must be adjacent, and the hooks array must be static. An
 * operation for which Wireshark dissects only requests or only responses is not hooked.
 */
void rpc_hook(const struct rpc_hook *hooks, size_t count);

/*
 * Runs Wireshark's own dissection of a hooked operation from the stub's offset. If Wireshark dissects no parameters of
 * this operation, adds the bytes as dcerpc.stub_data.
 */
int rpc_hook_ask_wireshark(const struct ndr *stub, bool is_response);

/* Returns Wireshark's name of an operation, for example "QueryValue", or NULL. Constant. */
const char *rpc_operation_name(const e_guid_t *uuid, uint16_t version, unsigned opnum);

/*
 * The one valid answer to a call
 *
 * A call's valid answer is the first one in the capture. Damaged captures contain further answers, sometimes in the
 * same frame: these are shown, but otherwise ignored. A packet may be dissected many times, in any order.
 */

/* First answer to a call. File scope, zero-initialised. */
struct first_answer {
    uint32_t frame;    /* frame of the first answer; 0: none yet */
    unsigned asked_in; /* `dissection` passed to the latest call of first_answer_is_this() */
};

/* ---- first-answer.c ---- */

/*
 * Returns whether this is the one valid answer to the call. Call it once for each answer in a packet, in order.
 * dissection: number of this dissection of the packet, never 0.
 */
bool first_answer_is_this(struct first_answer *first, const packet_info *pinfo, unsigned dissection);

/* Columns of a frame that holds the last fragment of a reassembled PDU */

/* ---- fragment-text.c ---- */

/*
 * packet-dcerpc wrote an earlier fragment's text into the columns and locked them; this replaces it by the protocol's
 * name and the operation. Does so only if the frame holds both the last fragment of a reassembled stub and earlier
 * fragments of the same call. Call it before the protocol writes to the columns.
 */
void fragment_text_drop(tvbuff_t *stub, packet_info *pinfo, const dcerpc_info *di, const char *protocol);

#endif /* PERFLIB_BASE_RPC_CALL_H */
