/* session-pdu.h
 * Record of the DCE/RPC PDU being dissected: its binding, call and authentication, and any missing part
 *
 * packet-dcerpc passes little about a PDU to dissectors. So session/ processes each PDU first, and makes its record.
 * There is no record if the protocol perflib_session is disabled, or for a transport that session/ does not know, such
 * as HTTP.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_SESSION_PDU_H
#define PERFLIB_SESSION_SESSION_PDU_H

#include "base/rpc-call.h"
#include "base/rpc-pdu.h"
#include "base/rpc-position.h"
#include "base/stub-check.h"

/* Transport of a DCE/RPC PDU. */
enum session_transport { SESSION_TCP, SESSION_SMB2, SESSION_SMB };

/* Evidence from answers about a presentation context that was recognised without a bind. */
struct recognition {
    /* true once an answer fitted: then the context's calls are used for learning, counts and rules */
    bool is_confirmed;
    bool is_withdrawn;       /* true once an answer showed that the recognised interface is wrong */
    bool is_proven;          /* true once an answer fitted only this interface: the context is never withdrawn */
    wmem_array_t *dissected; /* dcerpc_call_value * of the dissected calls; NULL if none so far */
};

/* Binding of a presentation context to an interface. File scope. */
struct binding {
    e_guid_t uuid;
    uint16_t version;
    const struct stub_kind *kind; /* NULL if the interface is not one of the plugin's */
    bool is_ndr64;
    const char *by;    /* how the interface was recognised, as shown; constant. NULL if the context was bound */
    bool by_response;  /* true if recognised in a response, false if in a request */
    uint32_t by_frame; /* frame in which the context was recognised */
    const char *name;  /* name of a recognised interface; constant */
    struct recognition *recognition; /* NULL if the context was bound */
    bool is_withdrawn;               /* true if an answer showed that the recognised interface is wrong */
    wmem_tree_t *history;            /* frame to the struct binding made there: this one and those it replaced */
};

struct pipe_calls;

struct session_pdu {
    enum session_transport transport;
    struct rpc_pdu header;
    /* In later passes .binding and .call may be NULL, unless the context was recognised without a bind. */
    const struct binding *binding; /* NULL if no bind was seen or the PDU has no context */
    const struct rpc_call *call;   /* NULL if the request was not seen or the PDU belongs to no call */
    bool lacks_beginning;          /* true if only the end of the stub was captured */
    struct pipe_calls *calls;      /* calls of the PDU's connection or pipe; first pass only, for session/ */
};

/* Returns false if the user disabled the protocol perflib_session. Then there are no records. */
bool session_is_enabled(void);
/* Returns the record of the PDU being dissected, or NULL if there is none. Packet scope. */
const struct session_pdu *session_pdu_of(packet_info *pinfo);
/*
 * Returns true if the interface of the PDU being dissected is an assumption: its context was recognised without a
 * bind, and no answer has fitted so far. Such a PDU is shown, but neither counted nor checked against rules.
 */
bool session_pdu_is_assumed(const struct session_pdu *pdu);
/* Returns true if the PDU contains the whole stub. */
bool session_pdu_is_alone(const struct session_pdu *pdu);
/*
 * Returns true if only the end of the PDU's stub was captured. Wireshark passes such a rest to the dissector as if it
 * were a whole stub.
 */
bool session_pdu_lacks_beginning(const struct session_pdu *pdu);
/*
 * Returns true if the PDU contains only the first fragment of its stub and the user switched off reassembly. Wireshark
 * passes such a fragment to the dissector as if it were a whole stub.
 */
bool session_pdu_lacks_end(const struct session_pdu *pdu);
/* Returns the position of the request being dissected among the calls of its connection or pipe. First pass only. */
struct rpc_position session_pdu_position(const struct session_pdu *pdu);
/*
 * Attaches a listener and its state (file scope) to the call of the request being dissected, in any pass. The listener
 * is then called for the call's faults and for its PDUs that are not dissected.
 */
void session_pdu_note(const struct session_pdu *pdu, const packet_info *pinfo, const dcerpc_info *di,
    const struct rpc_listener *listener, void *state);

/* Sets the protocol under which records are stored in packets. Called once at start, by session/ only. */
void session_pdu_init(int proto);
/* A packet that is being dissected */
struct session_packet {
    /* record of the PDU being dissected; a function that sets it must restore the previous one */
    const struct session_pdu *pdu;
    unsigned dissection; /* number of this dissection, unique among all dissections of all packets; never 0 */
};

/* Returns the state of the packet (packet scope), even if the protocol is disabled. */
struct session_packet *session_packet_of(packet_info *pinfo);

/* ---- login.c ---- */

/* Returns false if the user switched off the reassembly of PDU fragments. */
bool session_reassembles(void);

#endif /* PERFLIB_SESSION_SESSION_PDU_H */
