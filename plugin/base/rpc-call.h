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
    bool is_unread; /* the request was sealed, and not read */
    void *state;    /* what the listener keeps of the call; NULL: it did not read the request */
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
    bool is_last;       /* fragment */
    unsigned size;      /* bytes of this fragment's stub */
    const char *reason; /* a few words; constant */
    const char *needed; /* without a key: a sentence that says which; file scope. NULL: there is a key */
};

/* Who is told, in every pass but where it says otherwise. tvb begins with the PDU; tree may be NULL. */
struct rpc_listener {
    void (*fault)(const struct rpc_fault *fault, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);
    void (*unread)(const struct rpc_unread *unread, packet_info *pinfo);
    /*
     * First pass: an answer came whose request is not in the capture. state: what the listener keeps of the latest call
     * of the connection whose request it read. NULL: nobody wants to know.
     */
    void (*lacks_request)(void *state, uint32_t call_id);
};

/*
 * Called by the dissector of a request, in any pass: a fault that answers it is the listener's, with that state (file
 * scope).
 */
void rpc_call_note(const dcerpc_info *di, const struct rpc_listener *listener, void *state);

/* What was noted of the PDUs that packet-dcerpc was given since rpc_notes_begin(). For session/ alone. */
struct rpc_note {
    uint32_t call_id;
    uint16_t opnum;
    e_guid_t uuid;
    const struct rpc_listener *listener;
    void *state;
};
void rpc_notes_begin(void);
/* NULL: there is no such number. */
const struct rpc_note *rpc_notes_get(unsigned number);

/* The time from the request to this packet, which holds its answer; false where there is no request. */
bool rpc_call_response_time(const struct rpc_call *call, const packet_info *pinfo, nstime_t *time);

#endif /* PERFLIB_BASE_RPC_CALL_H */
