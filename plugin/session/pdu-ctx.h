/* pdu-ctx.h
 * Dissection of a single PDU: its context, decryption and stored result
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_PDU_CTX_H
#define PERFLIB_SESSION_PDU_CTX_H

#include "session/pipes.h"

/* Security context of a pipe, named by its auth_context_id. */
struct security_context {
    struct login *login;
    bool is_ntlm;          /* true if a token contained an NTLM message; otherwise the members below are unused */
    void *ntlm;            /* context of the NTLMSSP dissector; NULL if there is none yet */
    uint8_t level;         /* authentication level requested in the bind */
    unsigned authenticate; /* hash of the AUTHENTICATE_MESSAGE that started the streams */
    struct stream *streams[NUM_SIDES];
};

/* Result of a PDU's first dissection, used by later passes. */
struct session_seen {
    struct ntlm_frame frame;
    const struct stream_pdu *sealed; /* result of decryption; NULL for a token, or if not decrypted by the plugin */
    bool is_unread;                  /* true if the PDU is sealed and was not decrypted */
    /* true if the PDU is sealed, was not decrypted, and may contain performance data */
    bool pdu_may_be_ours;
    const char *closed; /* reason why no key would decrypt the PDU, constant; else NULL */
    /* key that would decrypt the PDU; NULL if none would */
    const struct key_needed *needed;
    bool warns;                    /* true for the first PDU of its pipe and interface that needs a key */
    bool is_second;                /* true if NTLMSSP already cached another PDU's plaintext for this frame */
    const char *refused;           /* reason why the PDU is not passed to packet-dcerpc, constant; else NULL */
    const struct binding *binding; /* binding of the PDU's context to a known interface; NULL if none */
    const struct pipe_call *of;    /* call of the PDU; NULL if unknown */
    bool lacks_beginning;          /* true if the PDU ends a stub whose first fragment was not captured whole */
};

/* Context of dissecting a single PDU. */
struct pdu_ctx {
    const struct transport *transport;
    struct pipe *pipe;
    conversation_t *conversation;
    packet_info *pinfo;
    tvbuff_t *tvb; /* buffer that begins with the PDU */
    proto_tree *tree;
    void *data;
    struct rpc_pdu pdu;
    bool is_managed;                  /* result of decryption_keeps_in_step() */
    struct security_context *context; /* NTLM context of the PDU; NULL if none */
    struct pipe_call *call;           /* call of the PDU, on the first pass; NULL if unknown */
    /* number of the packet's data sources before the PDU is passed to packet-dcerpc */
    unsigned num_sources;
    struct session_seen *seen;
    const uint8_t *token; /* NTLM message in the token of a binding PDU, or NULL */
    unsigned token_size;
    bool is_repeated; /* true for a repeated token: it is hidden from NTLMSSP, which would restart ciphers in use */
    /* NTLMSSP data of the frame and the conversation before this PDU; restored after it */
    struct ntlm_frame others_frame;
    void *others_context;
    bool accepted; /* true if packet-dcerpc accepted the PDU, or the plugin refused to pass it on */
};

/* Returns true for PDU types with a stub of an interface. */
static inline bool
pdu_has_stub(const struct rpc_pdu *pdu)
{
    return pdu->type == PDU_REQ || pdu->type == PDU_RESP;
}

/* Returns the sender of a PDU: FROM_CLIENT or FROM_SERVER. */
static inline unsigned
pdu_side(const struct rpc_pdu *pdu)
{
    return rpc_pdu_is_clients(pdu) ? FROM_CLIENT : FROM_SERVER;
}

/* ---- seen.c ---- */

/* Forgets all results. Called at the beginning of a capture. */
void seen_reset(void);
/* Returns the stored result of a PDU, or NULL if there is none. makes: create it in the first pass. */
struct session_seen *seen_find(tvbuff_t *tvb, const struct rpc_pdu *pdu, const packet_info *pinfo, bool makes);
/* Like seen_find() with makes. All passes then look up results of unencrypted PDUs, too. First pass only. */
struct session_seen *seen_keep(tvbuff_t *tvb, const struct rpc_pdu *pdu, const packet_info *pinfo);
/*
 * Stores that the PDU must not be passed to packet-dcerpc, in any pass. Returns `reason`, which must be constant. First
 * pass only.
 */
const char *seen_refuse(tvbuff_t *tvb, const struct rpc_pdu *pdu, const packet_info *pinfo, const char *reason);
/* Returns the reason why the PDU is not passed to packet-dcerpc, or NULL if it is. */
const char *seen_refusal(tvbuff_t *tvb, const struct rpc_pdu *pdu, const packet_info *pinfo);
/* Returns true if a PDU of this buffer has a result, and seen_keep() was called. Then dissect the PDUs one by one. */
bool seen_any_of(tvbuff_t *tvb, const struct rpc_pdus *all, const packet_info *pinfo);
/*
 * Returns a new result of session_pdu_of() for the PDU. Its binding and call are kept for later passes only if the
 * context was recognised without a bind: for all PDUs they would take as much memory as all polls.
 */
struct session_pdu *seen_new_record(struct pdu_ctx *p);

/* ---- decryption.c ---- */

void decryption_register(module_t *module);
/* Makes decryption_keeps_in_step() check Wireshark's NTLMSSP data again. Called at the beginning of a capture. */
void decryption_reset(void);
/*
 * Returns true if the plugin decrypts NTLM PDU by PDU: the preference is set, and ntlm_is_known() was true. Otherwise
 * NTLM is left to Wireshark.
 */
bool decryption_keeps_in_step(packet_info *pinfo, conversation_t *conversation, tvbuff_t *tvb);
/* Returns the security context of a PDU's auth_context_id, created on first use. */
struct security_context *decryption_context(struct pipe *pipe, const struct rpc_pdu *pdu);
/* Learns the user's logon from a PDU with a token, which is at the start of tvb. First pass only. */
void decryption_learn_login(struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdu *pdu, uint32_t frame);
/* Returns the logon of which a PDU's token is part, or NULL if the PDU has no token. Works in any pass. */
const struct login *decryption_login_at(const struct pipe *pipe, const struct rpc_pdu *pdu, uint32_t frame);
/*
 * Returns true if the PDU is sealed or has an NTLM token, and the plugin decrypts its context. Sets p->context and
 * p->token.
 */
bool decryption_concerns(struct pdu_ctx *p);
/*
 * Returns true if the PDU must be hidden from NTLMSSP, because the user switched off decryption PDU by PDU: NTLMSSP
 * caches one plaintext per frame and would show it for the frame's next PDU, too, whatever its length.
 */
bool decryption_hides_pdu(struct pdu_ctx *p);
/* Puts the context and the decrypted data of this PDU where the NTLMSSP dissector looks for them. */
void decryption_begin(struct pdu_ctx *p);
/* Undoes decryption_begin() after the PDU was dissected, and keeps the data that the NTLMSSP dissector stored. */
void decryption_end(struct pdu_ctx *p);

/* ---- pdu-outcome.c ---- */

/* Registers the fields perflib_session.sealed and perflib_session.response_ms, and the expert items of PDUs. */
void pdu_outcome_register(int proto);
/* Returns the expert item of connections that are not decrypted. */
expert_field *pdu_outcome_no_key(void);
/*
 * Records whether the PDU was decrypted, and the call of a PDU that was not. First pass only, after the PDU was passed
 * to packet-dcerpc.
 */
void pdu_outcome_learn(struct pdu_ctx *p);
/* Adds the expert items about decryption of the PDU. */
void pdu_outcome_show(const struct pdu_ctx *p);
/* Adds an expert item that shows how a PDU without a bind was recognised. */
void pdu_outcome_show_recognised(const struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdu *pdu, packet_info *pinfo,
    proto_tree *tree);
/* Adds an expert item for a PDU that is not passed to packet-dcerpc. */
void pdu_outcome_show_refused(const struct pdu_ctx *p, const char *reason);
/* Adds an expert item for a PDU of `length` bytes that was captured in an earlier frame, too. */
void pdu_outcome_show_copy(tvbuff_t *tvb, unsigned at, unsigned length, uint32_t frame, packet_info *pinfo,
    proto_tree *tree);

#endif /* PERFLIB_SESSION_PDU_CTX_H */
