/* rpc-pdu.h
 * One connection-oriented DCE/RPC PDU on the wire: [C706] 12.6, [MS-RPCE] 2.2.2
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_RPC_PDU_H
#define PERFLIB_BASE_RPC_PDU_H

#include "compat.h"

#include <epan/dissectors/packet-dcerpc.h>

/*
 * Wireshark defines PDU_* (PTYPE, [C706] 12.6.3), DCE_C_RPC_AUTHN_PROTOCOL_* and DCE_C_AUTHN_LEVEL_* ([MS-RPCE]
 * 2.2.1.1.7, 2.2.1.1.8).
 */

#define RPC_VERSION        5u
#define RPC_HEADER_SIZE    16u /* common header of every PDU */
#define RPC_TRAILER_SIZE   8u  /* sec_trailer without auth_value, [MS-RPCE] 2.2.2.11 */
#define NTLM_VERIFIER_SIZE 16u /* NTLMSSP_MESSAGE_SIGNATURE, [MS-NLMP] 2.2.2.9 */

/* pfc_flags, [C706] 12.6.3.1 */
#define PDU_FLAG_FIRST_FRAG      0x01
#define PDU_FLAG_LAST_FRAG       0x02
#define PDU_FLAG_DID_NOT_EXECUTE 0x20 /* in faults only */
#define PDU_FLAG_OBJECT_UUID     0x80

/* Offset of a fault's status, [C706] 12.6.4.7 */
#define PDU_FAULT_STATUS_AT 24

/* A parsed PDU. Offsets count from its beginning, except .at. */
struct rpc_pdu {
    unsigned at;   /* offset of the PDU in the tvb */
    uint8_t type;  /* PDU_* */
    uint8_t flags; /* PDU_FLAG_* */
    bool is_little_endian;
    bool is_whole;                /* true if the PDU was captured completely */
    bool has_trailer;             /* true if auth_value is present and was captured completely */
    unsigned length, auth_length; /* frag_length and auth_length */
    uint32_t call_id;
    uint16_t context; /* p_cont_id of a request or response */
    uint16_t opnum;   /* operation number; in requests only */
    bool has_status;  /* true for a fault whose status was captured */
    uint32_t status;
    uint16_t reject_reason;        /* bind_nak only; 0: not captured */
    unsigned stub_at, stub_length; /* stub with its padding; length 0 for types without a stub */
    uint8_t auth_type, auth_level; /* DCE_C_*; without a trailer the constants for "none" */
    uint8_t auth_pad;              /* bytes of padding at the stub's end */
    uint32_t auth_context;
    unsigned auth_at; /* offset of auth_value */
};

/* Parses the PDU at offset. Returns false if there is none, or its common header was not captured. */
bool rpc_pdu_read(tvbuff_t *tvb, unsigned offset, struct rpc_pdu *pdu);

/* A sequence of PDUs */
struct rpc_pdus {
    unsigned count;
    struct rpc_pdu *pdus;
    struct rpc_pdu first; /* storage if there is only one PDU, as in most packets */
};

/* Parses the PDUs of a tvb until rpc_pdu_read() fails. Allocates in scope if there are several. */
void rpc_pdus_read(wmem_allocator_t *scope, tvbuff_t *tvb, struct rpc_pdus *all);

/* Returns the number of captured bytes of a PDU of this tvb. */
unsigned rpc_pdu_captured(tvbuff_t *tvb, const struct rpc_pdu *pdu);

/* Returns the size of the stub without its padding, in bytes. */
unsigned rpc_pdu_stub_size(const struct rpc_pdu *pdu);

/* Returns the captured part of the stub without its padding, or NULL if it is sealed or nothing of it was captured. */
const uint8_t *rpc_pdu_clear_stub(tvbuff_t *tvb, const struct rpc_pdu *pdu, unsigned *length);

/* Messages of NTLM, [MS-NLMP] 2.2.1 */
#define NTLM_SIGNATURE "NTLMSSP"
#define NTLM_TYPE_AT   8u
/*
 * Returns the NTLM message in a binding PDU's token, alone or inside SPNEGO, or NULL. *left receives the number of
 * bytes from the start of the message to the end of the token.
 */
const uint8_t *rpc_token_ntlm(const uint8_t *token, unsigned size, unsigned *left);

/* Returns whether this is a type of PDU that clients send. */
bool rpc_pdu_is_clients(const struct rpc_pdu *pdu);

/*
 * Returns whether this is a bind, alter_context or auth3 PDU, or an answer to one. Its auth_value is a token, not a
 * verifier.
 */
bool rpc_pdu_is_binding(const struct rpc_pdu *pdu);

/*
 * Returns the name of an authentication, for example "SPNEGO with NTLM", from its type ([MS-RPCE] 2.2.1.1.7) and its
 * tokens' contents. NULL if the type has no name.
 */
const char *rpc_auth_name(uint8_t auth_type, bool has_ntlm, bool has_kerberos);

/* A presentation context in a bind or alter_context: p_cont_elem_t, [C706] 12.6.3.1 */
struct rpc_context {
    uint16_t id;      /* p_cont_id */
    e_guid_t uuid;    /* UUID of the interface */
    uint16_t version; /* major version of the interface */
    bool has_syntax;  /* true if a transfer syntax is offered */
    e_guid_t syntax;  /* last transfer syntax offered, which is the one that packet-dcerpc uses */
};

/* Iterator over the contexts of a PDU */
struct rpc_contexts {
    tvbuff_t *tvb;
    unsigned at, end, left, encoding;
};
/* Returns an iterator at the first context. tvb begins with the PDU. */
struct rpc_contexts rpc_contexts_begin(tvbuff_t *tvb, const struct rpc_pdu *pdu);
/* Reads the next context. Returns false at the end, or if the context was not captured completely. */
bool rpc_contexts_next(struct rpc_contexts *contexts, struct rpc_context *context);

/* Result for one context, in the order of the offers: p_result_t of bind_ack and alter_context_resp, [C706] 12.6.3.1 */
enum { RPC_RESULT_ACCEPTANCE = 0, RPC_RESULT_NEGOTIATE_ACK = 3 }; /* NEGOTIATE_ACK: [MS-RPCE] 2.2.2.4 */
struct rpc_result {
    uint16_t result, reason;
    e_guid_t syntax; /* accepted transfer syntax */
};
struct rpc_contexts rpc_results_begin(tvbuff_t *tvb, const struct rpc_pdu *pdu);
bool rpc_results_next(struct rpc_contexts *results, struct rpc_result *result);

/* Returns a pipe's name without leading backslashes and "PIPE\\". */
const char *rpc_pipe_base_name(const char *name);
/* Returns whether this is the remote registry's pipe; name may be NULL. */
bool rpc_pipe_is_registry(const char *name);

/*
 * Stubs of the endpoint mapper's ept_map, which looks up the port of an interface
 *
 * [C706] appendix O (towers: appendices I and L), [MS-RPCE] 2.2.1.2
 */

extern const e_guid_t endpoint_map_uuid; /* UUID of the endpoint mapper's own interface */
#define ENDPOINT_MAP_OPNUM 3u            /* ept_map */

/* Contents of a tower */
struct endpoint_tower {
    e_guid_t uuid;    /* UUID of the interface */
    uint16_t version; /* major version of the interface */
    uint16_t port;    /* TCP port; 0: none */
};

/* ---- endpoint-map.c ---- */

/* Reads the tower of a request (NDR, not sealed). Returns false if there is none, or it was not captured. */
bool endpoint_map_read_request(const uint8_t *stub, unsigned length, bool is_little_endian,
    struct endpoint_tower *tower);
/*
 * Reads the answer. *status receives the return code, *tower the first tower with a TCP port, else one with port 0.
 * Returns false if the answer was not captured completely.
 */
bool endpoint_map_read_response(const uint8_t *stub, unsigned length, bool is_little_endian,
    struct endpoint_tower *tower, uint32_t *status);

#endif /* PERFLIB_BASE_RPC_PDU_H */
