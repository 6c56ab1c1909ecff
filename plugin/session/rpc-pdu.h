/* rpc-pdu.h
 * One connection-oriented PDU of DCE/RPC as it stands on the wire: [C706] 12.6, [MS-RPCE] 2.2.2
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_RPC_PDU_H
#define PERFLIB_SESSION_RPC_PDU_H

#include "compat.h"

#define RPC_HEADER_SIZE 16u    /* what every PDU begins with */
#define RPC_TRAILER_SIZE 8u    /* sec_trailer without auth_value, [MS-RPCE] 2.2.2.11 */
#define NTLM_VERIFIER_SIZE 16u /* NTLMSSP_MESSAGE_SIGNATURE, [MS-NLMP] 2.2.2.9 */

/* PTYPE, [C706] 12.6.3 */
enum rpc_type {
    RPC_REQUEST = 0,
    RPC_RESPONSE = 2,
    RPC_FAULT = 3,
    RPC_BIND = 11,
    RPC_BIND_ACK = 12,
    RPC_BIND_NAK = 13,
    RPC_ALTER = 14,
    RPC_ALTER_ACK = 15,
    RPC_AUTH3 = 16,
    RPC_CANCEL = 18,
    RPC_ORPHANED = 19,
};

/* [MS-RPCE] 2.2.1.1.7 and 2.2.1.1.8 */
enum { RPC_AUTH_SPNEGO = 9, RPC_AUTH_NTLM = 10, RPC_AUTH_KERBEROS = 16 };
enum { RPC_LEVEL_NONE = 1, RPC_LEVEL_PRIVACY = 6 };

/* Offsets count from the PDU's beginning. */
struct rpc_pdu {
    uint8_t type;  /* enum rpc_type */
    uint8_t flags; /* pfc_flags */
    bool is_little_endian;
    bool is_whole;                /* captured to its end */
    bool has_trailer;             /* has auth_value, and all of it was captured */
    unsigned length, auth_length; /* frag_length, auth_length */
    uint32_t call_id;
    uint16_t context;              /* p_cont_id of requests and responses */
    uint16_t opnum;                /* of requests */
    uint32_t alloc_hint;           /* of requests, responses and faults */
    unsigned stub_at, stub_length; /* with its padding; length 0 where the type has none */
    uint8_t auth_type, auth_level, auth_pad;
    uint32_t auth_context;
    unsigned auth_at; /* auth_value */
};

/* Reads the PDU that begins at offset. false: there is none, or less than its common header was captured. */
bool rpc_pdu_read(tvbuff_t *tvb, unsigned offset, struct rpc_pdu *pdu);

/* Whether a client sends such PDUs. */
bool rpc_pdu_is_clients(const struct rpc_pdu *pdu);

/* Whether such PDUs bind, alter or authenticate, so that their auth_value is a token and no verifier. */
bool rpc_pdu_is_binding(const struct rpc_pdu *pdu);

/* A presentation context that a bind or alter_context offers: p_cont_elem_t, [C706] 12.6.3.1. */
struct rpc_context {
    uint16_t id;             /* p_cont_id */
    e_guid_t uuid;           /* of the interface */
    uint16_t version;        /* its major version */
    bool has_syntax;         /* a transfer syntax is offered: */
    e_guid_t syntax;         /* the last one, which counts for packet-dcerpc */
};

/* A walk over them. */
struct rpc_contexts {
    tvbuff_t *tvb;
    unsigned at, end, left, encoding;
};
/* Begins at the first; offset: of the PDU. */
struct rpc_contexts rpc_contexts_begin(tvbuff_t *tvb, unsigned offset, const struct rpc_pdu *pdu);
/* Takes the next; false: there is none, or not all of it was captured. */
bool rpc_contexts_next(struct rpc_contexts *contexts, struct rpc_context *context);

#endif /* PERFLIB_SESSION_RPC_PDU_H */
