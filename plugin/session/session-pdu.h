/* session-pdu.h
 * The record of the DCE/RPC PDU being dissected: its binding, call and authentication, and what is missing of it
 *
 * packet-dcerpc hands down little of a PDU. session/ sees each before, and keeps its record for later passes. There is
 * none where a PDU came by a way that session/ does not know, as HTTP, or the protocol perflib_session is disabled.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_SESSION_PDU_H
#define PERFLIB_SESSION_SESSION_PDU_H

#include "base/rpc-call.h"
#include "base/rpc-pdu.h"
#include "base/stub-check.h"

/* What carries PDUs. */
enum session_transport { SESSION_TCP, SESSION_SMB2, SESSION_SMB };

/* What answers say of a context that was recognised without a bind. */
struct recognition {
    bool is_confirmed;       /* an answer fits: from then on the context is learned from, counted and judged */
    bool is_proven;          /* an answer is like no other interface's: nothing takes the context away any more */
    wmem_array_t *dissected; /* dcerpc_call_value *: its calls that a dissector read; NULL: none so far */
};

/* What a client bound a presentation context to. File scope. */
struct binding {
    e_guid_t uuid;
    uint16_t version;
    const struct stub_kind *kind; /* NULL: nobody knows the interface */
    bool is_ndr64;
    const char *by;                  /* recognised without a bind: what told, constant; NULL: it was bound */
    bool by_response;                /* recognised in a response, else in a request, */
    uint32_t by_frame;               /* of this frame */
    const char *name;                /* of the interface, if it was recognised; constant */
    struct recognition *recognition; /* NULL: it was bound */
};

struct calls;

struct session_pdu {
    enum session_transport transport;
    struct rpc_pdu header;
    const struct binding *binding; /* NULL: no bind was seen, or the PDU has no context */
    const struct rpc_call *call;   /* NULL: its request was not seen, or it belongs to none */
    bool lacks_beginning;          /* its stub is but the end of one: an earlier fragment was not captured whole */
    struct calls *calls;           /* of its connection or pipe, on the first pass; for session/ */
};

/* The record of the PDU being dissected, NULL: none. Packet scope. */
const struct session_pdu *session_pdu_of(packet_info *pinfo);
/*
 * Whether that PDU's interface is an assumption: its context was recognised without a bind, and no answer has fitted so
 * far. Such a PDU is shown, but not counted and judged.
 */
bool session_pdu_is_assumed(packet_info *pinfo);
/* Whether that PDU's stub is but the end of one. Wireshark hands over what is left as if it were whole. */
bool session_pdu_lacks_beginning(packet_info *pinfo);
/*
 * Whether all these numbers of calls, the last included, were calls of the same connection to other interfaces than
 * one's own. Clients number calls one by one, whatever interfaces they bound ([C706] 12.6.3.1). First pass only.
 */
bool session_pdu_others_took(packet_info *pinfo, uint32_t first, uint32_t last, const e_guid_t *own);
/*
 * Called by the dissector of a request, in any pass: faults that answer the call, and PDUs of it that are not read, are
 * the listener's, with that state (file scope).
 */
void session_pdu_note(packet_info *pinfo, const dcerpc_info *di, const struct rpc_listener *listener, void *state);

/* For session/: whose records are kept beside packets. At start. */
void session_pdu_init(int proto);
/* Makes it the record of the PDU being dissected. Returns the one before, which is to be put back in the end. */
const struct session_pdu *session_pdu_begin(packet_info *pinfo, const struct session_pdu *pdu);

#endif /* PERFLIB_SESSION_SESSION_PDU_H */
