/* calls.h
 * The calls of a pipe: which interface and operation each is of, and what the dissector of its request keeps of it
 *
 * A response or a fault tells neither; its request did. Learned on the first pass.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_CALLS_H
#define PERFLIB_SESSION_CALLS_H

#include "base/rpc-call.h"
#include "base/rpc-latest.h"
#include "base/rpc-pdu.h"
#include "base/stub-check.h"

/* The transfer syntaxes NDR and NDR64. */
extern const e_guid_t transfer_ndr, transfer_ndr64;

/* What a client bound a presentation context to. */
struct binding {
    e_guid_t uuid;
    uint16_t version;
    const struct stub_kind *kind; /* NULL: nobody knows the interface */
    bool is_ndr64;
    const char *by;    /* recognised without a bind: what told, constant; NULL: it was bound */
    bool by_response;  /* ... in a response, else a request, */
    uint32_t by_frame; /* ... in that frame */
    const char *name;  /* ... of the interface; constant */
};

/* File scope. */
struct session_call {
    struct rpc_call told;          /* what listeners are told */
    const struct binding *binding; /* NULL: its bind was not seen */
    bool has_auth;                 /* how its request is authenticated was captured: told.auth_type, .auth_level, */
    uint32_t auth_context;         /* and this, if it is at all */
};

/* Of one pipe. */
struct calls {
    wmem_map_t *bindings; /* p_cont_id to struct binding */
    struct offer *offers; /* of the latest bind or alter_context, in order */
    unsigned num_offers;
    uint32_t offered_in;              /* ... its call_id */
    wmem_map_t *by_id;                /* call_id to struct session_call, the latest */
    const struct stub_kind *kind;     /* of all that was bound */
    bool has_kinds;                   /* not all of it is of one kind: then */
    struct rpc_latest *others;        /* ... whose call has which number; NULL before */
    const struct session_call *noted; /* the latest that a dissector keeps something of; NULL: none */
    struct rpc_latest *unexplained;   /* the latest requests on contexts without a bind; NULL: there was none */
    bool is_recognised;               /* a context was bound without a bind */
};

void calls_init(struct calls *calls);

/* Learns from a bind or alter_context; tvb begins with it. */
void calls_learn_bindings(struct calls *calls, tvbuff_t *tvb, const struct rpc_pdu *pdu);

/*
 * Learns from the answer, which tvb begins with: what became of the offer of that number. Returns the context if it is
 * bound to something else than the offer said last, NULL: it is not. Sets *id to the context's.
 */
const struct binding *calls_learn_result(struct calls *calls, const struct rpc_result *result, unsigned nth,
    uint16_t *id);

/* What a context is bound to; NULL: no bind said so. */
const struct binding *calls_binding_of(const struct calls *calls, uint16_t context);

/* The context of a PDU is bound to what it was recognised as, in that frame. */
void calls_bind_recognised(struct calls *calls, const struct rpc_pdu *pdu, const struct stub_recognised *found,
    bool is_ndr64, uint32_t frame);

/* The call that a request begins or goes on with; NULL: its beginning was not seen, or it is of no known interface. */
struct session_call *calls_request(struct calls *calls, const struct rpc_pdu *pdu, const packet_info *pinfo);

/*
 * On the first pass, of the last fragment of an answer: tells the dissector of the latest call if its request is
 * missing.
 */
void calls_answer(struct calls *calls, const struct rpc_pdu *pdu);

/* The call that a PDU belongs to: the latest of that number; NULL: not known. */
struct session_call *calls_find(const struct calls *calls, const struct rpc_pdu *pdu);
/* The same; where its request is missing one is made up, of the interface if that is known. */
struct session_call *calls_find_or_guess(const struct calls *calls, const struct rpc_pdu *pdu);

/*
 * Whether another context signed or sealed this part of the call than its request's. Parts that are in clear as their
 * request is, and calls whose request is not known, are their own.
 */
bool calls_is_anothers(const struct session_call *call, const struct rpc_pdu *pdu);

/* Takes what dissectors noted of the requests of a packet: rpc_call_note(). */
void calls_take_note(struct calls *calls, const struct rpc_note *note, const packet_info *pinfo);

#endif /* PERFLIB_SESSION_CALLS_H */
