/* rpc-pdu.h
 * One connection-oriented PDU of DCE/RPC as it stands on the wire: [C706] 12.6, [MS-RPCE] 2.2.2
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_RPC_PDU_H
#define PERFLIB_BASE_RPC_PDU_H

#include "compat.h"

#include <epan/dissectors/packet-dcerpc.h>

/* PDU_* (PTYPE, [C706] 12.6.3), DCE_C_RPC_AUTHN_PROTOCOL_* and DCE_C_AUTHN_LEVEL_* ([MS-RPCE] 2.2.1.1.7, 2.2.1.1.8) */

#define RPC_VERSION        5u
#define RPC_HEADER_SIZE    16u /* what every PDU begins with */
#define RPC_TRAILER_SIZE   8u  /* sec_trailer without auth_value, [MS-RPCE] 2.2.2.11 */
#define NTLM_VERIFIER_SIZE 16u /* NTLMSSP_MESSAGE_SIGNATURE, [MS-NLMP] 2.2.2.9 */

/* pfc_flags, [C706] 12.6.3.1 */
#define PDU_FLAG_FIRST_FRAG      0x01
#define PDU_FLAG_LAST_FRAG       0x02
#define PDU_FLAG_DID_NOT_EXECUTE 0x20 /* of a fault */
#define PDU_FLAG_OBJECT_UUID     0x80

/* status of a fault, [C706] 12.6.4.7 */
#define PDU_FAULT_STATUS_AT 24

/* Offsets count from the PDU's beginning, but that of itself. */
struct rpc_pdu {
    unsigned at;   /* where it begins in the bytes it was read from */
    uint8_t type;  /* PDU_* */
    uint8_t flags; /* PDU_FLAG_* */
    bool is_little_endian;
    bool is_whole;                /* captured to its end */
    bool has_trailer;             /* has auth_value, and all of it was captured */
    unsigned length, auth_length; /* frag_length, auth_length */
    uint32_t call_id;
    uint16_t context; /* p_cont_id of requests and responses */
    uint16_t opnum;   /* of requests */
    bool has_status;  /* of a fault; else it was not captured, or it is none */
    uint32_t status;
    uint16_t reject_reason;        /* of a bind_nak; 0: not captured */
    unsigned stub_at, stub_length; /* with its padding; length 0 where the type has none */
    uint8_t auth_type, auth_level; /* DCE_C_*; none without a trailer */
    uint8_t auth_pad;              /* bytes of padding at the stub's end */
    uint32_t auth_context;
    unsigned auth_at; /* auth_value */
};

/* Reads the PDU that begins at offset. false: there is none, or less than its common header was captured. */
bool rpc_pdu_read(tvbuff_t *tvb, unsigned offset, struct rpc_pdu *pdu);

/* PDUs that follow each other. */
struct rpc_pdus {
    unsigned count;
    struct rpc_pdu *pdus;
};

/* All PDUs from the beginning of a tvb, as far as rpc_pdu_read() reads them, in scope. */
struct rpc_pdus rpc_pdus_read(wmem_allocator_t *scope, tvbuff_t *tvb);

/* Bytes of the PDU that were captured; tvb: what it was read from. */
unsigned rpc_pdu_captured(tvbuff_t *tvb, const struct rpc_pdu *pdu);

/* Bytes of the stub without its padding. */
unsigned rpc_pdu_stub_size(const struct rpc_pdu *pdu);

/* The stub without its padding, as far as it was captured. NULL: it is sealed, or nothing of it is there. */
const uint8_t *rpc_pdu_clear_stub(tvbuff_t *tvb, const struct rpc_pdu *pdu, unsigned *length);

/* Messages of NTLM, [MS-NLMP] 2.2.1 */
#define NTLM_SIGNATURE "NTLMSSP"
#define NTLM_TYPE_AT   8u
/* The one in a binding PDU's token, alone or inside SPNEGO; NULL: none. *left: bytes of the token from there on. */
const uint8_t *rpc_token_ntlm(const uint8_t *token, unsigned size, unsigned *left);

/* Whether a client sends such PDUs. */
bool rpc_pdu_is_clients(const struct rpc_pdu *pdu);

/* Whether such PDUs bind, alter or authenticate, so that their auth_value is a token and no verifier. */
bool rpc_pdu_is_binding(const struct rpc_pdu *pdu);

/*
 * How a client authenticates, [MS-RPCE] 2.2.1.1.7, and what its tokens held: "SPNEGO with NTLM". NULL: it has no
 * name.
 */
const char *rpc_auth_name(uint8_t auth_type, bool has_ntlm, bool has_kerberos);

/* A presentation context that a bind or alter_context offers: p_cont_elem_t, [C706] 12.6.3.1. */
struct rpc_context {
    uint16_t id;      /* p_cont_id */
    e_guid_t uuid;    /* of the interface */
    uint16_t version; /* its major version */
    bool has_syntax;  /* a transfer syntax is offered: */
    e_guid_t syntax;  /* the last one, which counts for packet-dcerpc */
};

/* A walk over them. */
struct rpc_contexts {
    tvbuff_t *tvb;
    unsigned at, end, left, encoding;
};
/* Begins at the first; tvb begins with the PDU. */
struct rpc_contexts rpc_contexts_begin(tvbuff_t *tvb, const struct rpc_pdu *pdu);
/* Takes the next; false: there is none, or not all of it was captured. */
bool rpc_contexts_next(struct rpc_contexts *contexts, struct rpc_context *context);

/* What became of one of them: p_result_t of a bind_ack or its like, in the order of the offers, [C706] 12.6.3.1. */
enum { RPC_RESULT_ACCEPTANCE = 0, RPC_RESULT_NEGOTIATE_ACK = 3 }; /* the latter: [MS-RPCE] 2.2.2.4 */
struct rpc_result {
    uint16_t result, reason;
    e_guid_t syntax; /* the one that was taken */
};
struct rpc_contexts rpc_results_begin(tvbuff_t *tvb, const struct rpc_pdu *pdu);
bool rpc_results_next(struct rpc_contexts *results, struct rpc_result *result);

/* A pipe's name without what clients write before it: backslashes, "PIPE\\". */
const char *rpc_pipe_base_name(const char *name);
/* Whether that is the remote registry's pipe; name may be NULL. */
bool rpc_pipe_is_registry(const char *name);

/*
 * Stubs of the endpoint mapper's ept_map: which interface is sought, and where it is
 *
 * [C706] appendix O, its towers appendices I and L; [MS-RPCE] 2.2.1.2.
 */

extern const e_guid_t endpoint_map_uuid; /* of the endpoint mapper's own interface */
#define ENDPOINT_MAP_OPNUM 3u            /* ept_map */

/* What a tower says. */
struct endpoint_tower {
    e_guid_t uuid;    /* of the interface */
    uint16_t version; /* its major version */
    uint16_t port;    /* TCP's; 0: none */
};

/* ---- endpoint-map.c ---- */

/* The tower a request (NDR, in clear) asks for. False: there is none, or it was not captured. */
bool endpoint_map_read_request(const uint8_t *stub, unsigned length, bool is_little_endian,
    struct endpoint_tower *tower);
/*
 * The answer to it: *status is its return code, *tower the first one with a TCP port, or else with port 0. False: it
 * was not captured whole.
 */
bool endpoint_map_read_response(const uint8_t *stub, unsigned length, bool is_little_endian,
    struct endpoint_tower *tower, uint32_t *status);

#endif /* PERFLIB_BASE_RPC_PDU_H */
