/* decryption.c
 * Decrypts NTLM PDU by PDU, each with its own context and key stream
 *
 * Wireshark decrypts NTLM in the order of the capture, and keeps one context per conversation and one decrypted
 * payload per frame. So it uses the wrong key stream with NTLM inside SPNEGO (it skips no key stream for verifiers),
 * with several PDUs in a frame, with several contexts on a connection, and after missing PDUs. This file sets context
 * and decrypted payload for each PDU, so that packet-dcerpc finds it decrypted.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/pdu-ctx.h"

#include <epan/prefs.h>

static perflib_bool keep_in_step = true;
static bool is_known, was_tried; /* result of ntlm_is_known(), and whether it was called */

/* Size of the encrypted checksum in a verifier, [MS-NLMP] 3.4.4.2 */
#define CHECKSUM_SIZE 8u

/* Returns true for authentication by NTLM, raw or in SPNEGO. */
static bool
may_be_ntlm(const struct rpc_pdu *pdu)
{
    return pdu->auth_type == DCE_C_RPC_AUTHN_PROTOCOL_NTLMSSP || pdu->auth_type == DCE_C_RPC_AUTHN_PROTOCOL_SPNEGO;
}

static bool
is_managed(const struct security_context *context)
{
    /* Without extended session security the sequence numbers are encrypted, so NTLMSSP decrypts without the plugin. */
    return !context->login->has_challenge || (context->login->flags & NTLM_EXTENDED_SESSION_SECURITY);
}

/* Creates the streams of both directions if the token is an AUTHENTICATE_MESSAGE. First pass only. */
static void
learn_token(struct security_context *context, const uint8_t *message, unsigned size, uint32_t server_port)
{
    const bool has_key_exchange = !context->login->has_flags || (context->login->flags & NTLM_KEY_EXCHANGE);

    if (message[NTLM_TYPE_AT] == NTLM_AUTHENTICATE) {
        /* Without key exchange, checksums are not encrypted, and NTLMSSP makes ciphers only if a dummy key is added. */
        const struct ntlm_login *login = has_key_exchange ? NULL : ntlm_login_new(message, size, server_port);

        context->authenticate = wmem_strong_hash(message, size);
        for (unsigned side = 0; side < NUM_SIDES; side++) {
            context->streams[side] = stream_new(has_key_exchange ? CHECKSUM_SIZE : 0, login);
        }
    }
}

/*
 * Learns the sequence number used by the signature of SPNEGO's mechanism list: [RFC4178] 4.2.2, [MS-SPNG] 3.3.5.1. If
 * present, the signature is an OCTET STRING at the end of the token.
 */
static void
learn_list_signature(struct security_context *context, tvbuff_t *tvb, const struct rpc_pdu *pdu, unsigned side)
{
    static const uint8_t begin[] = { 0x04, NTLM_VERIFIER_SIZE, 1, 0, 0, 0 };
    const unsigned size = NTLM_VERIFIER_SIZE + 2;

    if (pdu->has_trailer && pdu->auth_type == DCE_C_RPC_AUTHN_PROTOCOL_SPNEGO && pdu->auth_length > size &&
        context->streams[side] != NULL &&
        tvb_memeql(tvb, (int)(pdu->auth_at + pdu->auth_length - size), begin, sizeof begin) == 0) {
        stream_note_signature(context->streams[side], tvb_get_letohl(tvb, (int)(pdu->auth_at + pdu->auth_length - 4)));
    }
}

/* Returns a new logon of the context, which begins in this frame. */
static struct login *
login_new(const struct security_context *context, uint32_t frame)
{
    struct login *login = wmem_new0(wmem_file_scope(), struct login);

    login->history = context->login == NULL ? wmem_tree_new(wmem_file_scope()) : context->login->history;
    wmem_tree_insert32(login->history, frame, login);
    return login;
}

struct security_context *
decryption_context(struct pipe *pipe, const struct rpc_pdu *pdu)
{
    const void *id = GUINT_TO_POINTER(pdu->auth_context);
    struct security_context *context = (struct security_context *)wmem_map_lookup(pipe->contexts, id);

    if (context == NULL) {
        context = wmem_new0(wmem_file_scope(), struct security_context);
        context->login = login_new(context, 0);
        context->login->auth_type = pdu->auth_type;
        wmem_map_insert(pipe->contexts, id, context);
    }
    return context;
}

/* Returns the context with which NTLM signs or seals the PDU, or NULL if unknown. */
static struct security_context *
context_of(struct pdu_ctx *p)
{
    struct pipe *pipe = p->pipe;
    const unsigned side = pdu_side(&p->pdu);
    struct security_context *context;

    if (!p->pdu.has_trailer) {
        /* The verifier was not captured. Most likely its context is that of the previous sealed PDU. */
        return p->pdu.auth_length == 0 ? NULL : pipe->latest[side];
    }
    if (!may_be_ntlm(&p->pdu)) {
        return NULL;
    }
    context = decryption_context(p->pipe, &p->pdu);
    if (!context->is_ntlm) {
        if (p->token == NULL) {
            return NULL;
        }
        context->is_ntlm = true;
        context->level = p->pdu.auth_level;
    }
    pipe->latest[side] = context;
    return context;
}

static bool
is_sealed(const struct pdu_ctx *p)
{
    return !rpc_pdu_is_binding(&p->pdu) && p->pdu.auth_length == NTLM_VERIFIER_SIZE &&
        (p->pdu.has_trailer ? p->pdu.auth_level : p->context->level) == DCE_C_AUTHN_LEVEL_PKT_PRIVACY;
}

void
decryption_begin(struct pdu_ctx *p)
{
    const bool is_first_pass = !p->pinfo->fd->visited;

    /* A repeated AUTHENTICATE_MESSAGE must not restart the streams. */
    p->is_repeated = is_first_pass && p->token != NULL && p->context->streams[FROM_CLIENT] != NULL &&
        p->context->authenticate == wmem_strong_hash(p->token, p->token_size);
    ntlm_set_context(p->conversation, p->is_repeated ? NULL : p->context->ntlm);
    if (is_first_pass && p->token != NULL && !p->is_repeated) {
        learn_token(p->context, p->token, p->token_size, p->pinfo->destport);
        learn_list_signature(p->context, p->tvb, &p->pdu, pdu_side(&p->pdu));
    }
    if (is_sealed(p) && is_managed(p->context) && p->context->streams[0] != NULL) {
        if (p->seen != NULL && p->seen->sealed == NULL && is_first_pass) {
            const struct stub_sample sample = calls_stub_sample(&p->pdu, p->call);

            p->seen->sealed = stream_open(p->context->streams[pdu_side(&p->pdu)], &p->pdu, p->tvb, p->pinfo, &sample,
                calls_stub_check(&p->pdu, p->call));
            p->seen->frame.decrypted = p->seen->sealed->decrypted;
        }
        if (p->seen == NULL || p->seen->sealed == NULL || p->seen->sealed->decrypted == NULL) {
            ntlm_set_context(p->conversation, NULL);
        }
    }
    if (p->seen != NULL) {
        ntlm_put_frame(p->pinfo, p->seen->frame);
    }
}

void
decryption_end(struct pdu_ctx *p)
{
    const struct ntlm_frame frame = ntlm_take_frame(p->pinfo);

    if (p->token != NULL && !p->is_repeated) {
        p->context->ntlm = ntlm_context(p->conversation);
        /* After an AUTHENTICATE_MESSAGE the NTLMSSP dissector has made new ciphers, which are at position 0. */
        for (unsigned side = 0; side < NUM_SIDES && p->token[NTLM_TYPE_AT] == NTLM_AUTHENTICATE; side++) {
            if (p->context->streams[side] != NULL) {
                p->context->streams[side]->keys.cipher = 0;
            }
        }
    }
    if (p->seen != NULL && p->seen->sealed == NULL && !p->pinfo->fd->visited) {
        p->seen->frame = frame;
    }
    ntlm_set_context(p->conversation, p->others_context);
    ntlm_put_frame(p->pinfo, p->others_frame);
}

void
decryption_learn_login(struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdu *pdu, uint32_t frame)
{
    struct security_context *context = decryption_context(pipe, pdu);

    if (pdu->type == PDU_BIND) {
        /* A new association on reused ports: forget the logon of the previous one. */
        context->login = login_new(context, frame);
        if (wmem_map_size(pipe->warned) != 0) {
            pipe->warned = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
        }
    }
    login_learn(context->login, pdu->type, pdu->auth_type, tvb_get_ptr(tvb, (int)pdu->auth_at, (int)pdu->auth_length),
        pdu->auth_length);
}

const struct login *
decryption_login_at(const struct pipe *pipe, const struct rpc_pdu *pdu, uint32_t frame)
{
    const struct security_context *context = rpc_pdu_is_binding(pdu) && pdu->has_trailer
        ? (const struct security_context *)wmem_map_lookup(pipe->contexts, GUINT_TO_POINTER(pdu->auth_context))
        : NULL;

    return context == NULL ? NULL : (const struct login *)wmem_tree_lookup32_le(context->login->history, frame);
}

bool
decryption_concerns(struct pdu_ctx *p)
{
    if (!p->is_managed) {
        return false;
    }
    p->token = rpc_pdu_is_binding(&p->pdu) && may_be_ntlm(&p->pdu)
        ? rpc_token_ntlm(tvb_get_ptr(p->tvb, (int)p->pdu.auth_at, (int)p->pdu.auth_length), p->pdu.auth_length,
              &p->token_size)
        : NULL;
    p->context = context_of(p);
    if (p->context != NULL && p->token == NULL && rpc_pdu_is_binding(&p->pdu) && !p->pinfo->fd->visited) {
        learn_list_signature(p->context, p->tvb, &p->pdu, pdu_side(&p->pdu));
    }
    return p->context != NULL && (is_sealed(p) || p->token != NULL);
}

bool
decryption_hides_pdu(struct pdu_ctx *p)
{
    if (keep_in_step || rpc_pdu_is_binding(&p->pdu) || p->pdu.stub_length == 0 || p->pdu.auth_length == 0) {
        return false;
    }
    p->seen = seen_find(p->tvb, &p->pdu, p->pinfo, true);
    if (p->seen != NULL && !p->pinfo->fd->visited) {
        const struct ntlm_frame frame = ntlm_take_frame(p->pinfo);

        p->seen->is_second = p->seen->is_second || frame.decrypted != NULL;
        ntlm_put_frame(p->pinfo, frame);
    }
    return p->seen == NULL || p->seen->is_second;
}

bool
decryption_keeps_in_step(packet_info *pinfo, conversation_t *conversation, tvbuff_t *tvb)
{
    if (!was_tried && keep_in_step) {
        was_tried = true;
        is_known = ntlm_is_known(pinfo, conversation, tvb);
    }
    return keep_in_step && is_known;
}

void
decryption_reset(void)
{
    was_tried = false;
}

void
decryption_register(module_t *module)
{
    prefs_register_bool_preference(module, "keep_in_step", "Decrypt sealed DCE/RPC (NTLM) PDU by PDU",
        "Decrypt each sealed PDU of any DCE/RPC interface separately. Wireshark's own decryption fails with NTLM "
        "inside SPNEGO, several PDUs per frame, several security contexts, or lost packets",
        &keep_in_step);
}
