/* packet-session.c
 * Processes each DCE/RPC PDU before packet-dcerpc: keeps Wireshark's NTLM decryption in step, and informs the plugin's
 * dissectors of faults and sealed PDUs, which packet-dcerpc passes to no dissector
 *
 * Wireshark decrypts NTLM in the order of the capture, and keeps one context per conversation and one decrypted
 * payload per frame. So it loses step with NTLM inside SPNEGO (it skips no key stream for verifiers), with several
 * PDUs in a frame, with several contexts on a connection, and after missing PDUs. This file passes PDUs to Wireshark
 * one by one, each with its own context and key stream, so that packet-dcerpc finds it decrypted. In later passes,
 * buffers whose PDUs have no authentication and no fault are passed on unchanged.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/hash.h"
#include "compat.h"

#include <string.h>

#include <epan/conversation.h>
#include <epan/dissectors/packet-dcerpc.h>
#include <epan/dissectors/packet-smb2.h>
#include <epan/dissectors/packet-tcp.h>
#include <epan/exceptions.h>
#include <epan/expert.h>
#include <epan/prefs.h>
#include <epan/proto_data.h>
#include <epan/tap.h>
#include <wsutil/str_util.h>

#include "base/fields.h"
#include "base/rpc-call.h"
#include "base/rpc-pdu.h"
#include "base/stub-check.h"
#include "plugin.h"
#include "session/record.h"
#include "session/session.h"

static int proto_session = -1;
static int proto_dcerpc = -1;

static int hf_perflib_session_sealed = -1;

static int tap_session = -1;
static int tap_key = -1;

static expert_field ei_perflib_session_lost_step = EI_INIT;
static expert_field ei_perflib_session_set_right = EI_INIT;
static expert_field ei_perflib_session_cut = EI_INIT;
static expert_field ei_perflib_session_no_key = EI_INIT;
static expert_field ei_perflib_session_no_request = EI_INIT;
static expert_field ei_perflib_session_refused = EI_INIT;
static expert_field ei_perflib_session_copy = EI_INIT;
static expert_field ei_perflib_session_recognised = EI_INIT;

static perflib_bool keep_in_step = true;

/* Size of the encrypted checksum in a verifier, [MS-NLMP] 3.4.4.2. */
#define CHECKSUM_SIZE 8u

/* Transport of PDUs, and Wireshark's dissector for it. */
struct transport {
    const char *list;         /* name of the heuristic list */
    const char *inner_name;   /* short name of Wireshark's entry in that list */
    const char *name, *title; /* name and title of the plugin's entry in that list */
    bool is_pipe;
    enum session_transport kind;
    heur_dtbl_entry_t *inner;
};

enum { FROM_SERVER, FROM_CLIENT, NUM_SIDES };

/* Security context of a pipe, named by its auth_context_id. */
struct context {
    struct login login;
    bool is_ntlm;          /* true if a token contained an NTLM message: only then are the following members used */
    void *ntlm;            /* context of the NTLMSSP dissector; NULL if there is none yet */
    uint8_t level;         /* authentication level requested in the bind */
    unsigned authenticate; /* hash of the AUTHENTICATE_MESSAGE that started the streams */
    struct stream *streams[NUM_SIDES];
};

/* Named pipe of a TCP connection, or the connection itself. */
struct pipe {
    bool has_salt;
    uint64_t salt;        /* for SMB2: transport salt of packet-dcerpc */
    wmem_map_t *contexts; /* auth_context_id to struct context */
    struct context *latest[NUM_SIDES];
    struct calls calls;
    struct pieces pieces[NUM_SIDES];
    uint64_t begun_in[NUM_SIDES]; /* SMB2 MessageId in which the latest incomplete PDU began, by direction */
    wmem_map_t *warned;           /* listeners that have shown a missing key */
};

struct pipe_key {
    const conversation_t *conversation;
    const void *file; /* file of SMB2, or the Create request for it; opaque */
    uint64_t salt;    /* FID of SMB1's file */
};

/* Result of a PDU's first dissection, used by later passes. */
struct session_seen {
    struct ntlm_frame frame;
    const struct stream_pdu *sealed; /* result of decryption; NULL for a token, or if not decrypted by the plugin */
    const struct rpc_call *call;     /* call of a fault or of a PDU that was not decrypted; else NULL */
    bool is_unread;                  /* true if sealed and not decrypted */
    bool pdu_may_be_ours;            /* true if sealed, not decrypted, and possibly with performance data */
    const char *closed;              /* reason why no key would decrypt it, constant; else NULL */
    const struct key_needed *needed; /* key that would decrypt it, set where this is first shown; else NULL */
    bool warns;                      /* true for the first such PDU of its pipe */
    bool is_second;                  /* true if NTLMSSP already cached another PDU's plaintext for this frame */
    const char *refused;             /* reason why the PDU is not passed to Wireshark, constant; else NULL */
    const struct binding *binding;   /* binding of its context to a known interface; NULL if none */
    const struct session_call *of;   /* call of the PDU; NULL if unknown */
    bool lacks_beginning;            /* true if it ends a stub whose first fragment was not captured whole */
};

struct seen_key {
    uint32_t frame;
    uint32_t offset; /* offset of the PDU in its data source */
    uint32_t length; /* stub length: Wireshark expects as many decrypted bytes */
    uint32_t call_id;
    uint32_t mark[2]; /* last bytes of the verifier, since a frame may have several data sources */
};

static conversation_t
    *latest_conversation;        /* conversation of an earlier frame, to avoid looking it up again; NULL if none */
static wmem_map_t *pipes;        /* Pipes and connections: struct pipe_key to struct pipe. */
static wmem_map_t *all_seen;     /* struct seen_key to struct session_seen */
static bool keeps_pipes;         /* true if later passes need the pipes too: a context or a file was recognised */
static bool any_kept;            /* true if later passes need some struct session_seen for more than decryption */
static bool is_known, was_tried; /* result of ntlm_is_known(), and whether it was called */

/* Hashes pointers, or SMB1's FID of 16 bits. A capture cannot choose either so that all hashes collide. */
static guint
pipe_key_hash(const void *key)
{
    const struct pipe_key *k = (const struct pipe_key *)key;

    return hash_join(hash_join(g_direct_hash(k->conversation), g_direct_hash(k->file)), (guint)k->salt);
}

EQUAL_BYTES(pipe_key, sizeof(struct pipe_key))

HASH_BYTES(seen_key, sizeof(struct seen_key))

/* Maximum number of related requests followed in an SMB2 message. */
#define MOST_RELATED 16u

/*
 * Returns the file of a message. Sets *first to the first request of the compound message with that file, also for
 * answers.
 */
static const smb2_fid_info_t *
file_of(const smb2_info_t *smb2, const smb2_saved_info_t **first)
{
    const smb2_saved_info_t *saved = smb2->saved;
    const smb2_fid_info_t *file = smb2->file != NULL ? smb2->file : saved != NULL ? saved->file : NULL;
    smb2_saved_info_t key = { .msg_id = smb2->msg_id };

    /* A related request has no file of its own but uses the previous request's: [MS-SMB2] 3.2.4.1.4, 3.3.5.2.7.2. */
    *first = NULL;
    for (unsigned i = 0; saved != NULL && smb2->conv != NULL && i < MOST_RELATED; i++) {
        const smb2_saved_info_t *before;

        key.msg_id--;
        before = (const smb2_saved_info_t *)g_hash_table_lookup(smb2->conv->matched, &key);
        if (before == NULL) {
            before = (const smb2_saved_info_t *)g_hash_table_lookup(smb2->conv->unmatched, &key);
        }
        if (before == NULL || before->frame_req != saved->frame_req) {
            break;
        }
        *first = before;
        file = file != NULL ? file : before->file;
    }
    return file;
}

/*
 * Returns packet-dcerpc's transport salt. It is set only after packet-dcerpc's heuristic dissector has run, so this
 * calls it with an empty buffer, which has no other effect.
 */
static uint64_t
pipe_salt(const struct transport *transport, tvbuff_t *tvb, packet_info *pinfo, void *data)
{
    transport->inner->dissector(tvb_new_subset_length(tvb, 0, 0), pinfo, NULL, data);
    return dcerpc_get_transport_salt(pinfo);
}

static struct pipe *
pipe_new(const struct pipe_key *key)
{
    struct pipe *pipe = wmem_new0(wmem_file_scope(), struct pipe);

    pipe->contexts = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    pipe->warned = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    calls_init(&pipe->calls);
    wmem_map_insert(pipes, wmem_memdup(wmem_file_scope(), key, sizeof *key), pipe);
    return pipe;
}

static struct pipe *
pipe_find(const struct pipe_key *key)
{
    struct pipe *known = (struct pipe *)wmem_map_lookup(pipes, key);

    return known != NULL ? known : pipe_new(key);
}

/* Wireshark gives packet-dcerpc the file of a message, but no file if a related request uses the previous request's. */
static struct pipe *
pipe_of_smb2(struct pipe_key *key, const struct transport *transport, tvbuff_t *tvb, packet_info *pinfo,
    smb2_info_t *smb2)
{
    const bool has_own = smb2->file != NULL || (smb2->saved != NULL && smb2->saved->file != NULL);
    const smb2_saved_info_t *first;
    struct pipe *pipe;

    key->file = file_of(smb2, &first);
    if (key->file == NULL && first == NULL) {
        return pipe_find(key);
    }
    if (key->file == NULL) {
        /* The same compound message opens the file. */
        key->file = first;
        pipe = pipe_find(key);
    } else {
        const struct pipe_key early = { .conversation = key->conversation, .file = first };

        pipe = first == NULL ? NULL : (struct pipe *)wmem_map_lookup(pipes, &early);
        if (pipe != NULL && !wmem_map_contains(pipes, key)) {
            wmem_map_insert(pipes, wmem_memdup(wmem_file_scope(), key, sizeof *key), pipe);
        }
        pipe = pipe_find(key);
    }
    if (!pipe->has_salt) {
        pipe->has_salt = true;
        pipe->salt = has_own ? pipe_salt(transport, tvb, pinfo, smb2) : UINT64_MAX - pinfo->num;
    }
    keeps_pipes = keeps_pipes || !has_own;
    dcerpc_set_transport_salt(pipe->salt, pinfo);
    return pipe;
}

static struct pipe *
pipe_get(const struct transport *transport, const conversation_t *conversation, tvbuff_t *tvb, packet_info *pinfo,
    void *data)
{
    struct pipe_key key;

    memset(&key, 0, sizeof key);
    key.conversation = conversation;
    if (transport->kind == SESSION_SMB2 && data != NULL) {
        return pipe_of_smb2(&key, transport, tvb, pinfo, (smb2_info_t *)data);
    }
    if (transport->is_pipe) {
        key.salt = pipe_salt(transport, tvb, pinfo, data);
    }
    return pipe_find(&key);
}

/* Returns true for PDU types with a stub of an interface. */
static bool
has_stub(const struct rpc_pdu *pdu)
{
    return pdu->type == PDU_REQ || pdu->type == PDU_RESP;
}

/* Returns true for authentication by NTLM, raw or in SPNEGO. */
static bool
may_be_ntlm(const struct rpc_pdu *pdu)
{
    return pdu->auth_type == DCE_C_RPC_AUTHN_PROTOCOL_NTLMSSP || pdu->auth_type == DCE_C_RPC_AUTHN_PROTOCOL_SPNEGO;
}

/*
 * Returns the NTLM message in the token of a binding PDU, raw or in SPNEGO, or NULL if there is none. Sets *size to
 * the remaining bytes of the token.
 */
static const uint8_t *
find_ntlm_message(tvbuff_t *tvb, const struct rpc_pdu *pdu, unsigned *size)
{
    return may_be_ntlm(pdu)
        ? rpc_token_ntlm(tvb_get_ptr(tvb, (int)pdu->auth_at, (int)pdu->auth_length), pdu->auth_length, size)
        : NULL;
}

static bool
is_managed(const struct context *context)
{
    /* With older NTLM the sequence numbers are sealed, too; there the plugin cannot improve on Wireshark. */
    return !context->login.has_challenge || (context->login.flags & NTLM_EXTENDED_SESSION_SECURITY);
}

/* Returns true if the token is the AUTHENTICATE_MESSAGE that started the streams. */
static bool
is_known_token(const struct context *context, const uint8_t *message, unsigned size)
{
    return context->streams[FROM_CLIENT] != NULL && context->authenticate == wmem_strong_hash(message, size);
}

/* Learns from a new token, on the first pass. */
static void
learn_token(struct context *context, const uint8_t *message, unsigned size, uint32_t server_port)
{
    const bool has_key_exchange = !context->login.has_flags || (context->login.flags & NTLM_KEY_EXCHANGE);

    if (message[NTLM_TYPE_AT] == NTLM_AUTHENTICATE) {
        /* Without key exchange, checksums are not encrypted and the message has no session key. */
        const struct ntlm_login *login = has_key_exchange ? NULL : ntlm_login_new(message, size, server_port);

        context->authenticate = wmem_strong_hash(message, size);
        for (unsigned side = 0; side < NUM_SIDES; side++) {
            context->streams[side] = stream_new(has_key_exchange ? CHECKSUM_SIZE : 0, login);
        }
    }
}

/*
 * A token of SPNEGO may end with a signature of its mechanism list, which uses a sequence number: [RFC4178] 4.2.2,
 * [MS-SPNG] 3.3.5.1. The signature is the last member of the token, an OCTET STRING.
 */
static void
learn_list_signature(struct context *context, tvbuff_t *tvb, const struct rpc_pdu *pdu, unsigned side)
{
    static const uint8_t begin[] = { 0x04, NTLM_VERIFIER_SIZE, 1, 0, 0, 0 };
    const unsigned size = NTLM_VERIFIER_SIZE + 2;

    if (pdu->has_trailer && pdu->auth_type == DCE_C_RPC_AUTHN_PROTOCOL_SPNEGO && pdu->auth_length > size &&
        context->streams[side] != NULL &&
        tvb_memeql(tvb, (int)(pdu->auth_at + pdu->auth_length - size), begin, sizeof begin) == 0) {
        stream_note_signature(context->streams[side], tvb_get_letohl(tvb, (int)(pdu->auth_at + pdu->auth_length - 4)));
    }
}

/* Starts new streams after an AUTHENTICATE_MESSAGE, for which the NTLMSSP dissector has made new ciphers. */
static void
note_ciphers(struct context *context, const uint8_t *message)
{
    if (message[NTLM_TYPE_AT] == NTLM_AUTHENTICATE) {
        for (unsigned side = 0; side < NUM_SIDES && context->streams[side] != NULL; side++) {
            context->streams[side]->keys.cipher = 0;
        }
    }
}

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
    bool is_managed;           /* true if the plugin keeps decryption in step */
    struct context *context;   /* NTLM context of the PDU; NULL if none */
    struct session_call *call; /* call of the PDU, on the first pass; NULL if unknown */
    unsigned num_sources;      /* number of the packet's data sources before the PDU is passed to Wireshark */
    struct session_seen *seen;
    const uint8_t *token; /* NTLM message in the token of a binding PDU, or NULL */
    unsigned token_size;
    bool is_repeated; /* true for a known token: NTLMSSP must not see it again, as it would restart ciphers in use */
    struct ntlm_frame others_frame;
    void *others_context;
    bool accepted;
};

static unsigned
side_of(const struct rpc_pdu *pdu)
{
    return rpc_pdu_is_clients(pdu) ? FROM_CLIENT : FROM_SERVER;
}

/* Returns the security context named by the PDU's verifier, making it if it is new. */
static struct context *
named_context(const struct pdu_ctx *p)
{
    const void *id = GUINT_TO_POINTER(p->pdu.auth_context);
    struct context *context = (struct context *)wmem_map_lookup(p->pipe->contexts, id);

    if (context == NULL) {
        context = wmem_new0(wmem_file_scope(), struct context);
        context->login.auth_type = p->pdu.auth_type;
        wmem_map_insert(p->pipe->contexts, id, context);
    }
    return context;
}

/* Returns the context with which NTLM signs or seals the PDU, or NULL if unknown. */
static struct context *
context_of(struct pdu_ctx *p)
{
    struct pipe *pipe = p->pipe;
    const unsigned side = side_of(&p->pdu);
    struct context *context;

    if (!p->pdu.has_trailer) {
        /* The verifier was not captured. Most likely its context is that of the previous sealed PDU. */
        return p->pdu.auth_length == 0 ? NULL : pipe->latest[side];
    }
    if (!may_be_ntlm(&p->pdu)) {
        return NULL;
    }
    context = named_context(p);
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

/* Returns the stored result of a PDU, or NULL if there is none. makes: add one on the first pass. */
static struct session_seen *
find_seen(tvbuff_t *tvb, const struct rpc_pdu *pdu, const packet_info *pinfo, bool makes)
{
    struct session_seen *seen;
    struct seen_key key;

    memset(&key, 0, sizeof key);
    key.frame = pinfo->num;
    key.offset = (uint32_t)tvb_raw_offset(tvb) + pdu->at;
    key.length = pdu->stub_length;
    key.call_id = pdu->call_id;
    if (pdu->has_trailer && pdu->auth_length >= sizeof key.mark) {
        tvb_memcpy(tvb, key.mark, (int)(pdu->at + pdu->auth_at + pdu->auth_length - sizeof key.mark), sizeof key.mark);
    }
    seen = (struct session_seen *)wmem_map_lookup(all_seen, &key);
    if (seen == NULL && makes && !pinfo->fd->visited) {
        seen = wmem_new0(wmem_file_scope(), struct session_seen);
        wmem_map_insert(all_seen, wmem_memdup(wmem_file_scope(), &key, sizeof key), seen);
    }
    return seen;
}

/* Returns the facts about a stub that are known before it is decrypted. call: NULL if unknown. */
static struct stub_sample
pdu_sample(const struct rpc_pdu *pdu, const struct session_call *call)
{
    return (struct stub_sample){
        .opnum = call == NULL ? 0 : call->told.opnum,
        .is_response = pdu->type == PDU_RESP,
        .is_first = pdu->flags & PDU_FLAG_FIRST_FRAG,
        .is_last = pdu->flags & PDU_FLAG_LAST_FRAG,
        .is_little_endian = pdu->is_little_endian,
        .is_ndr64 = call != NULL && call->binding != NULL && call->binding->is_ndr64,
        .length = rpc_pdu_stub_size(pdu),
    };
}

/* Returns the function that checks decrypted stubs of the PDU's interface, or NULL if there is none. */
static stub_check
check_of(const struct rpc_pdu *pdu, const struct session_call *call)
{
    const struct binding *binding = call == NULL ? NULL : call->binding;

    return binding != NULL && binding->kind != NULL && has_stub(pdu) ? binding->kind->check : NULL;
}

/* Decrypts the stub, on the first pass only. */
static void
open_sealed(struct pdu_ctx *p)
{
    const struct stub_sample sample = pdu_sample(&p->pdu, p->call);

    p->seen->sealed = stream_open(p->context->streams[side_of(&p->pdu)], &p->pdu, p->tvb, p->pinfo, &sample,
        check_of(&p->pdu, p->call));
    p->seen->frame.decrypted = p->seen->sealed->decrypted;
}

/* Puts the context and the decrypted data of this PDU where the NTLMSSP dissector looks for them. */
static void
pass_begin(struct pdu_ctx *p)
{
    const bool is_first_pass = !p->pinfo->fd->visited;

    p->is_repeated = is_first_pass && p->token != NULL && is_known_token(p->context, p->token, p->token_size);
    ntlm_set_context(p->conversation, p->is_repeated ? NULL : p->context->ntlm);
    if (is_first_pass && p->token != NULL && !p->is_repeated) {
        learn_token(p->context, p->token, p->token_size, p->pinfo->destport);
        learn_list_signature(p->context, p->tvb, &p->pdu, side_of(&p->pdu));
    }
    if (is_sealed(p) && is_managed(p->context) && p->context->streams[0] != NULL) {
        if (p->seen != NULL && p->seen->sealed == NULL && is_first_pass) {
            open_sealed(p);
        }
        if (p->seen == NULL || p->seen->sealed == NULL || p->seen->sealed->decrypted == NULL) {
            ntlm_set_context(p->conversation, NULL);
        }
    }
    if (p->seen != NULL) {
        ntlm_put_frame(p->pinfo, p->seen->frame);
    }
}

static void
pass_end(struct pdu_ctx *p)
{
    const struct ntlm_frame frame = ntlm_take_frame(p->pinfo);

    if (p->token != NULL && !p->is_repeated) {
        p->context->ntlm = ntlm_context(p->conversation);
        note_ciphers(p->context, p->token);
    }
    if (p->seen != NULL && p->seen->sealed == NULL && !p->pinfo->fd->visited) {
        p->seen->frame = frame;
    }
    ntlm_set_context(p->conversation, p->others_context);
    ntlm_put_frame(p->pinfo, p->others_frame);
}

/* Returns why the PDU was not decrypted, or NULL if it was or if only the key is missing. */
static const char *
unread_reason(enum stream_state state)
{
    switch (state) {
    case STREAM_LOST: return "PDUs before it are missing";
    case STREAM_LATE: return "it came after its successors";
    case STREAM_NONSENSE: return "it makes no sense";
    case STREAM_CUT: return "it was not captured whole";
    default: return NULL;
    }
}

/* Returns why a PDU that was passed to Wireshark was not decrypted, or NULL if it was or if only the key is missing. */
static const char *
reason_of(const struct pdu_ctx *p)
{
    return p->seen == NULL || p->seen->sealed == NULL ? NULL : unread_reason(p->seen->sealed->state);
}

/* Learns the user's logon, on the first pass. */
static void
learn_login(const struct pdu_ctx *p)
{
    if (p->pdu.has_trailer) {
        if (p->pdu.type == PDU_BIND) {
            /* A new association on reused ports: forget the logon of the previous one. */
            named_context(p)->login = (struct login){ .has_begun = true };
            if (wmem_map_size(p->pipe->warned) != 0) {
                p->pipe->warned = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
            }
        }
        login_learn(&named_context(p)->login, p->pdu.type, p->pdu.auth_type,
            tvb_get_ptr(p->tvb, (int)p->pdu.auth_at, (int)p->pdu.auth_length), p->pdu.auth_length);
    }
}

static bool
is_told_fault(const struct pdu_ctx *p)
{
    return p->pdu.type == PDU_FAULT && (p->pdu.flags & PDU_FLAG_LAST_FRAG);
}

/* Returns why no key would decrypt the sealed PDU, or NULL if one would. call: NULL if the request is unknown. */
static const char *
closed_reason(const struct pdu_ctx *p, const struct session_call *call)
{
    if (call == NULL) {
        return p->pdu.type == PDU_REQ ? "the beginning of its request is missing" : "its request is missing";
    }
    return named_context(p)->login.has_opened ? "Wireshark did not decrypt it" : NULL;
}

/* Returns true if the stub of the PDU is sealed. */
static bool
has_sealed_stub(const struct pdu_ctx *p)
{
    return has_stub(&p->pdu) && p->pdu.stub_length != 0 && p->pdu.auth_level == DCE_C_AUTHN_LEVEL_PKT_PRIVACY;
}

/* Returns true if Wireshark did not decrypt the stub: packet-dcerpc adds a data source for each decrypted stub. */
static bool
pdu_is_closed(const struct pdu_ctx *p)
{
    return has_sealed_stub(p) && perflib_num_sources(p->pinfo) == p->num_sources;
}

/* Returns true if the pipe is known to be the remote registry's. */
static bool
is_registry_pipe(const struct transport *transport, void *data)
{
    const smb2_saved_info_t *first;
    const smb2_fid_info_t *file =
        transport->kind == SESSION_SMB2 && data != NULL ? file_of((const smb2_info_t *)data, &first) : NULL;

    return file != NULL && rpc_pipe_is_registry(file->name);
}

/*
 * Returns true if a sealed PDU may contain performance data: its context is bound to an interface of the plugin, or
 * no bind was captured and the pipe is the remote registry's.
 */
static bool
pdu_may_be_ours(const struct pdu_ctx *p)
{
    const struct binding *binding = calls_binding_of(&p->pipe->calls, p->pdu.context);

    return binding != NULL ? binding->kind != NULL && binding->kind->listener != NULL
                           : is_registry_pipe(p->transport, p->data);
}

/*
 * Records whether the PDU was decrypted and, if not, its call. First pass only, after the PDU was passed to
 * Wireshark.
 */
static void
learn_outcome(struct pdu_ctx *p)
{
    const bool is_fault = is_told_fault(p), is_unread = pdu_is_closed(p) || reason_of(p) != NULL;
    struct session_call *call = p->call;

    if (has_sealed_stub(p) &&
        (!pdu_is_closed(p) ||
            (p->seen != NULL && p->seen->sealed != NULL && p->seen->sealed->state == STREAM_OPENED))) {
        named_context(p)->login.has_opened = true;
    }
    if (!is_fault && !is_unread) {
        return;
    }
    if (is_unread && pdu_may_be_ours(p)) {
        p->seen = find_seen(p->tvb, &p->pdu, p->pinfo, true);
        if (p->seen != NULL) {
            p->seen->pdu_may_be_ours = true;
        }
    }
    if (call == NULL) {
        call = calls_find_or_guess(&p->pipe->calls, &p->pdu);
    }
    if (p->seen == NULL && call->told.listener != NULL) {
        p->seen = find_seen(p->tvb, &p->pdu, p->pinfo, true);
    }
    if (p->seen == NULL || call->told.listener == NULL) {
        return;
    }
    p->seen->call = &call->told;
    p->seen->is_unread = is_unread;
    if (is_unread && reason_of(p) == NULL) {
        p->seen->closed = closed_reason(p, p->call);
    }
    if (is_unread && reason_of(p) == NULL && p->seen->closed == NULL) {
        p->seen->needed = login_needed(&named_context(p)->login);
        p->seen->warns = wmem_map_insert(p->pipe->warned, call->told.listener, call) == NULL;
    }
}

/* Informs the listener of the call's interface about a fault. */
static void
tell_fault(const struct pdu_ctx *p)
{
    const struct rpc_fault fault = {
        .call = p->seen->call,
        .has_status = p->pdu.has_status,
        .status = p->pdu.status,
        .not_executed = p->pdu.flags & PDU_FLAG_DID_NOT_EXECUTE,
    };

    p->seen->call->listener->fault(&fault, p->tvb, p->pinfo, p->tree);
}

/* Adds an expert item for a sealed PDU that was not decrypted, and informs the listener of its interface, if known. */
static void
session_tell_unread(const struct pdu_ctx *p, const char *reason)
{
    const int length = (int)rpc_pdu_captured(p->tvb, &p->pdu);
    const struct session_seen *seen = p->seen;
    const struct rpc_unread unread = {
        .call = seen->call,
        .is_response = p->pdu.type != PDU_REQ,
        .is_last = p->pdu.flags & PDU_FLAG_LAST_FRAG,
        .size = rpc_pdu_stub_size(&p->pdu),
        .reason = reason != NULL   ? reason
            : seen->closed != NULL ? seen->closed
                                   : "there is no key",
        .needed = seen->needed,
    };

    if (reason != NULL) {
        proto_tree_add_expert_format(p->tree, p->pinfo,
            seen->sealed->state == STREAM_CUT ? &ei_perflib_session_cut : &ei_perflib_session_lost_step, p->tvb, 0,
            length, "This sealed PDU is not read: %s (frame %u is the last that was)", reason,
            seen->sealed->last_frame);
    } else if (seen->closed != NULL) {
        proto_tree_add_expert_format(p->tree, p->pinfo, &ei_perflib_session_no_request, p->tvb, 0, length,
            "This sealed PDU is not read: %s", seen->closed);
    } else if (seen->warns) {
        proto_tree_add_expert_format(p->tree, p->pinfo, &ei_perflib_session_no_key, p->tvb, 0, length, "%s",
            seen->needed->text);
        tap_queue_packet(tap_key, p->pinfo, seen->needed);
    }
    if (seen->is_unread) {
        seen->call->listener->unread(&unread, p->pinfo);
    }
}

/* Adds the expert items about decryption of the PDU. */
static void
tell_outcome(const struct pdu_ctx *p)
{
    const struct stream_pdu *sealed;

    if (p->seen != NULL && p->seen->pdu_may_be_ours && (pdu_is_closed(p) || reason_of(p) != NULL)) {
        proto_item_set_generated(proto_tree_add_boolean(p->tree, hf_perflib_session_sealed, p->tvb, 0,
            (int)rpc_pdu_captured(p->tvb, &p->pdu), true));
    }
    if (p->seen == NULL) {
        return;
    }
    sealed = p->seen->sealed;
    if (reason_of(p) != NULL || p->seen->is_unread) {
        session_tell_unread(p, reason_of(p));
    } else if (sealed != NULL && sealed->state == STREAM_OPENED && sealed->skipped != 0) {
        proto_tree_add_expert_format(p->tree, p->pinfo, &ei_perflib_session_set_right, p->tvb, 0,
            (int)rpc_pdu_captured(p->tvb, &p->pdu),
            "Decryption set right: after frame %u, %u sealed PDU%s missing, "
            "%u bytes of key stream skipped",
            sealed->last_frame, sealed->missing, plurality(sealed->missing, " is", "s are"), sealed->skipped);
    }
    if (is_told_fault(p) && p->seen->call != NULL) {
        tell_fault(p);
    }
}

/* Adds an expert item that shows how a PDU without a bind was recognised. */
static void
tell_recognised(const struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdu *pdu, packet_info *pinfo, proto_tree *tree)
{
    const struct binding *binding = has_stub(pdu) ? calls_binding_of(&pipe->calls, pdu->context) : NULL;

    if (binding != NULL && binding->by != NULL) {
        proto_tree_add_expert_format(tree, pinfo, &ei_perflib_session_recognised, tvb, (int)pdu->at,
            (int)rpc_pdu_captured(tvb, pdu),
            "The bind is not in the capture: recognised as %s by the %s in frame %u (%s)", binding->name,
            binding->by_response ? "response" : "request", binding->by_frame, binding->by);
    }
}

/* Learns from the PDU about the connection, on the first pass, before the PDU is passed to Wireshark. */
static void
learn_pdu(struct pdu_ctx *p)
{
    if (rpc_pdu_is_binding(&p->pdu)) {
        learn_login(p);
    }
    if (p->pdu.type == PDU_RESP || p->pdu.type == PDU_FAULT) {
        calls_tell_lack(&p->pipe->calls, &p->pdu, p->pinfo);
    }
    p->call = p->pdu.type == PDU_REQ  ? calls_request(&p->pipe->calls, &p->pdu, p->pinfo)
        : rpc_pdu_is_binding(&p->pdu) ? NULL
                                      : calls_find(&p->pipe->calls, &p->pdu);
}

/* Returns true if the PDU matters for decryption. */
static bool
is_decrypted_here(struct pdu_ctx *p)
{
    if (!p->is_managed) {
        return false;
    }
    p->token = rpc_pdu_is_binding(&p->pdu) ? find_ntlm_message(p->tvb, &p->pdu, &p->token_size) : NULL;
    p->context = context_of(p);
    if (p->context != NULL && p->token == NULL && rpc_pdu_is_binding(&p->pdu) && !p->pinfo->fd->visited) {
        learn_list_signature(p->context, p->tvb, &p->pdu, side_of(&p->pdu));
    }
    return p->context != NULL && (is_sealed(p) || p->token != NULL);
}

/* Returns the reason why the PDU is not passed to Wireshark, constant, or NULL. First pass only. */
static const char *
refuse(tvbuff_t *tvb, const struct rpc_pdu *pdu, const packet_info *pinfo, const char *reason)
{
    any_kept = true;
    find_seen(tvb, pdu, pinfo, true)->refused = reason;
    return reason;
}

/* Returns the reason why the PDU is not passed to Wireshark, or NULL if it is. */
static const char *
refusal(tvbuff_t *tvb, const struct rpc_pdu *pdu, const packet_info *pinfo)
{
    const struct session_seen *seen = any_kept ? find_seen(tvb, pdu, pinfo, false) : NULL;

    return seen == NULL ? NULL : seen->refused;
}

/*
 * Returns true if there is a stored result for a PDU in this buffer, so that later passes dissect its PDUs one by
 * one, too.
 */
static bool
has_kept(tvbuff_t *tvb, const struct rpc_pdus *all, const packet_info *pinfo)
{
    for (unsigned i = 0; any_kept && i < all->count; i++) {
        if (find_seen(tvb, &all->pdus[i], pinfo, false) != NULL) {
            return true;
        }
    }
    return false;
}

/*
 * Returns the record of a PDU. Later passes need the binding and call only of contexts that were recognised without a
 * bind; those are kept, as a record of every PDU would take as much memory as the polls.
 */
static struct session_pdu *
new_record(struct pdu_ctx *p)
{
    struct session_pdu *record = wmem_new0(p->pinfo->pool, struct session_pdu);
    struct session_seen *seen = p->seen;

    record->transport = p->transport->kind;
    record->header = p->pdu;
    if (!p->pinfo->fd->visited) {
        const struct binding *binding = has_stub(&p->pdu) ? calls_binding_of(&p->pipe->calls, p->pdu.context) : NULL;

        record->calls = &p->pipe->calls;
        record->call = p->call == NULL ? NULL : &p->call->told;
        if (binding != NULL && binding->recognition != NULL) {
            any_kept = true;
            seen = find_seen(p->tvb, &p->pdu, p->pinfo, true);
            seen->binding = binding;
            seen->of = p->call;
        } else if (any_kept && seen == NULL) {
            seen = find_seen(p->tvb, &p->pdu, p->pinfo, false);
        }
        record->binding = binding;
    }
    if (seen != NULL) {
        record->binding = record->binding != NULL ? record->binding : seen->binding;
        record->call = record->call != NULL || seen->of == NULL ? record->call : &seen->of->told;
        record->lacks_beginning = seen->lacks_beginning;
    }
    return record;
}

/* Adds an expert item for a PDU that is not passed to Wireshark. */
static void
tell_refused(const struct pdu_ctx *p, const char *reason)
{
    proto_tree_add_expert_format(p->tree, p->pinfo, &ei_perflib_session_refused, p->tvb, 0,
        (int)rpc_pdu_captured(p->tvb, &p->pdu), "This PDU is not read: %s", reason);
    col_set_str(p->pinfo->cinfo, COL_PROTOCOL, "DCERPC");
    col_append_sep_fstr(p->pinfo->cinfo, COL_INFO, NULL, "[not read: %s]", reason);
}

/*
 * Returns true if the PDU must be hidden from NTLMSSP because decryption is not kept in step. NTLMSSP caches one
 * plaintext per frame and would show it for the frame's next PDU, whatever its length.
 */
static bool
is_hidden_from_ntlm(struct pdu_ctx *p)
{
    if (keep_in_step || rpc_pdu_is_binding(&p->pdu) || p->pdu.stub_length == 0 || p->pdu.auth_length == 0) {
        return false;
    }
    p->seen = find_seen(p->tvb, &p->pdu, p->pinfo, true);
    if (p->seen != NULL && !p->pinfo->fd->visited) {
        const struct ntlm_frame frame = ntlm_take_frame(p->pinfo);

        p->seen->is_second = p->seen->is_second || frame.decrypted != NULL;
        ntlm_put_frame(p->pinfo, frame);
    }
    return p->seen == NULL || p->seen->is_second;
}

/* Passes the PDU to Wireshark's dissector. */
static void
hand_on(struct pdu_ctx *p)
{
    const bool is_first_pass = !p->pinfo->fd->visited;
    const struct session_pdu *before;
    const char *reason;
    bool is_decrypted, is_hidden;

    reason = refusal(p->tvb, &p->pdu, p->pinfo);
    if (is_first_pass && reason == NULL) {
        learn_pdu(p);
        if (calls_is_anothers(p->call, &p->pdu)) {
            reason = refuse(p->tvb, &p->pdu, p->pinfo, "it is not signed or sealed as its request is");
        }
    }
    if (reason != NULL) {
        tell_refused(p, reason);
        p->accepted = true;
        return;
    }
    is_decrypted = is_decrypted_here(p);
    is_hidden = !is_decrypted && is_hidden_from_ntlm(p);
    if (is_decrypted || (!is_first_pass && !rpc_pdu_is_binding(&p->pdu))) {
        p->seen = find_seen(p->tvb, &p->pdu, p->pinfo, true);
    }
    if (is_decrypted || is_hidden) {
        p->others_context = ntlm_context(p->conversation);
        p->others_frame = ntlm_take_frame(p->pinfo);
    }
    if (is_hidden) {
        ntlm_set_context(p->conversation, NULL);
    }
    before = session_pdu_begin(p->pinfo, new_record(p));
    TRY
    {
        if (is_decrypted) {
            pass_begin(p);
        }
        p->num_sources = perflib_num_sources(p->pinfo);
        p->accepted = p->transport->inner->dissector(p->tvb, p->pinfo, p->tree, p->data);
    }
    FINALLY
    {
        session_pdu_begin(p->pinfo, before);
        /* packet-dcerpc throws an exception for a truncated PDU. */
        if (is_decrypted) {
            pass_end(p);
        } else if (is_hidden) {
            ntlm_take_frame(p->pinfo);
            ntlm_set_context(p->conversation, p->others_context);
            ntlm_put_frame(p->pinfo, p->others_frame);
        }
        if (is_first_pass) {
            if (p->pdu.type == PDU_REQ) {
                calls_tell_lack(&p->pipe->calls, &p->pdu, p->pinfo);
            }
            learn_outcome(p);
        }
        tell_outcome(p);
        tell_recognised(p->pipe, p->tvb, &p->pdu, p->pinfo, p->tree);
    }
    ENDTRY;
}

/* Result of scanning a buffer for PDUs. The scan must be fast, since every PDU of every capture passes through. */
struct pdu_scan {
    bool is_special; /* true if a PDU is a fault or has authentication: dissect PDUs one by one */
    bool has_copy;   /* true if a PDU is a duplicate of one in another frame */
};

static bool
is_between(const conversation_t *conversation, const address *from, uint32_t from_port, const address *to,
    uint32_t to_port)
{
    const conversation_element_t *key = conversation->key_ptr;

    return conversation_key_port1(key) == from_port && conversation_key_port2(key) == to_port &&
        addresses_equal(conversation_key_addr1(key), from) && addresses_equal(conversation_key_addr2(key), to);
}

/*
 * Returns what find_or_create_conversation() would, which takes a thousand instructions. TCP's dissector has called
 * it already, and pinfo or the latest frame often shows the result.
 */
static conversation_t *
conversation_of(packet_info *pinfo)
{
    const conversation_t *latest = latest_conversation;

    if (latest == NULL || latest->last_frame != pinfo->num || pinfo->use_conv_addr_port_endpoints ||
        pinfo->conv_elements != NULL ||
        (!is_between(latest, &pinfo->src, pinfo->srcport, &pinfo->dst, pinfo->destport) &&
            !is_between(latest, &pinfo->dst, pinfo->destport, &pinfo->src, pinfo->srcport))) {
        latest_conversation = find_or_create_conversation(pinfo);
    }
    return latest_conversation;
}

/* Returns true if a PDU needs its conversation, which takes long to look up. */
static bool
needs_conversation(const packet_info *pinfo)
{
    return !pinfo->fd->visited || keeps_pipes || copies_are_known();
}

/* Sets *begin to the place of the first byte of the buffer. Returns false if the place is unknown or not needed. */
static bool
place_of(const struct transport *transport, const conversation_t *conversation, const packet_info *pinfo,
    const void *data, struct pdu_place *begin)
{
    memset(begin, 0, sizeof *begin);
    if (data == NULL || conversation == NULL) {
        return false;
    }
    if (transport->kind == SESSION_SMB2) {
        const smb2_info_t *smb2 = (const smb2_info_t *)data;

        begin->connection = smb2->conv;
        begin->is_message = true;
        begin->number = smb2->msg_id;
        begin->sender = smb2->flags & SMB2_FLAGS_RESPONSE;
    } else if (transport->kind == SESSION_TCP) {
        begin->connection = conversation;
        begin->number = ((const struct tcpinfo *)data)->seq;
        begin->sender = pinfo->srcport;
    }
    return begin->connection != NULL;
}

/*
 * Returns the frame with the first copy of the PDU if it is a duplicate, else 0. begin: place of the buffer, or NULL
 * if unknown.
 */
static uint32_t
frame_of_copy(const struct pdu_place *begin, tvbuff_t *tvb, const struct rpc_pdu *pdu, const packet_info *pinfo)
{
    struct pdu_place place;

    if (begin == NULL || (!pdu->is_whole && pinfo->can_desegment != 0)) {
        return 0;
    }
    place = *begin;
    if (place.is_message) {
        place.offset = pdu->at;
    } else {
        place.number = (uint32_t)(place.number + pdu->at);
    }
    return copies_note(&place, tvb, pdu->at, pdu->length, pinfo);
}

static struct pdu_scan
scan_pdus(tvbuff_t *tvb, const struct rpc_pdus *all, const packet_info *pinfo, const struct pdu_place *begin)
{
    struct pdu_scan seen = { false, false };

    for (unsigned i = 0; i < all->count; i++) {
        const struct rpc_pdu *pdu = &all->pdus[i];

        seen.has_copy = frame_of_copy(begin, tvb, pdu, pinfo) != 0 || seen.has_copy;
        seen.is_special = seen.is_special || pdu->auth_length != 0 || pdu->type == PDU_ALTER || pdu->type == PDU_FAULT;
    }
    return seen;
}

/*
 * Returns the number of bytes to pass to Wireshark together: one PDU, and after the last PDU also the incomplete
 * rest, since only Wireshark knows how to treat that.
 */
static unsigned
piece_length(tvbuff_t *tvb, const packet_info *pinfo, const struct rpc_pdus *all, unsigned i)
{
    const bool is_last =
        i + 1 == all->count || (i + 2 == all->count && !all->pdus[i + 1].is_whole && pinfo->can_desegment != 0);

    return is_last ? tvb_reported_length(tvb) - all->pdus[i].at : all->pdus[i].length;
}

/* Returns true if the plugin keeps decryption in step. */
static bool
keeps_in_step(packet_info *pinfo, conversation_t *conversation, tvbuff_t *tvb)
{
    if (!was_tried && keep_in_step) {
        was_tried = true;
        is_known = ntlm_is_known(pinfo, conversation, tvb);
    }
    return keep_in_step && is_known;
}

/* Dissects PDUs one by one. */
static int
hand_on_all(const struct transport *transport, struct pipe *pipe, conversation_t *conversation, tvbuff_t *tvb,
    const struct rpc_pdus *all, packet_info *pinfo, proto_tree *tree, void *data)
{
    const bool is_kept_in_step = keeps_in_step(pinfo, conversation, tvb);
    unsigned count = 0;
    int accepted = 0;

    for (unsigned i = 0; i < all->count; i++) {
        const unsigned at = all->pdus[i].at, length = piece_length(tvb, pinfo, all, i);
        struct pdu_ctx p = {
            .transport = transport,
            .pipe = pipe,
            .conversation = conversation,
            .pinfo = pinfo,
            .tree = tree,
            .data = data,
            .pdu = all->pdus[i],
            .is_managed = is_kept_in_step,
        };

        p.pdu.at = 0;
        p.tvb = length == tvb_reported_length(tvb)
            ? tvb
            : tvb_new_subset_length_caplen(tvb, (int)at, (int)MIN(length, tvb_captured_length(tvb) - at), (int)length);
        if (!p.pdu.is_whole && pinfo->can_desegment != 0) {
            /* The rest of the PDU is in later segments: Wireshark asks for it. */
            p.accepted = transport->inner->dissector(p.tvb, pinfo, tree, data);
        } else {
            hand_on(&p);
        }
        if (!p.accepted) {
            break;
        }
        accepted = 1;
        count++;
        if (pinfo->desegment_len != 0) {
            pinfo->desegment_offset += (int)at;
            break;
        }
        if (at + length >= tvb_captured_length(tvb)) {
            break;
        }
    }
    if (transport->is_pipe && count > 1 && g_strcmp0(col_get_text(pinfo->cinfo, COL_PROTOCOL), "DCERPC") == 0) {
        /*
         * packet-dcerpc does the same for several PDUs in a buffer, except that a dissected call sets its own
         * protocol name.
         */
        col_add_fstr(pinfo->cinfo, COL_PROTOCOL, "%u*DCERPC", count);
    }
    return accepted;
}

/*
 * Corrects packet-dcerpc after a bind_ack or alter_context_resp, on the first pass: packet-dcerpc assumes the last
 * transfer syntax of an offer, and that every offered context was accepted.
 */
static void
learn_results(const struct transport *transport, struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdu *pdu,
    packet_info *pinfo, void *data)
{
    struct rpc_contexts walk = rpc_results_begin(tvb, pdu);
    struct rpc_result result;

    for (unsigned nth = 0; pdu->call_id == pipe->calls.offered_in && rpc_results_next(&walk, &result); nth++) {
        uint16_t id;
        const struct binding *bound = calls_learn_result(&pipe->calls, &result, nth, &id);

        if (bound != NULL) {
            synthetic_bind_hand_on(transport->inner, synthetic_bind_make(tvb, pdu, pinfo, id, bound), pinfo, data);
        }
    }
    pipe->calls.num_offers = 0;
}

/* Learns bindings from binds or calls, and stubs without a beginning, before any PDU is passed on. First pass only. */
static void
learn_contexts(const struct transport *transport, struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdus *all,
    packet_info *pinfo, void *data)
{
    for (unsigned i = 0; i < all->count; i++) {
        const struct rpc_pdu *pdu = &all->pdus[i];
        tvbuff_t *rest, *bind;

        if (!pdu->is_whole && pinfo->can_desegment != 0) {
            /* The incomplete PDU is dissected again with the next segment. */
            break;
        }
        rest = pdu->at == 0 ? tvb : tvb_new_subset_remaining(tvb, (int)pdu->at);
        if (pdu->type == PDU_BIND || pdu->type == PDU_ALTER) {
            calls_learn_bindings(&pipe->calls, rest, pdu);
        } else if (pdu->type == PDU_BIND_ACK || pdu->type == PDU_ALTER_ACK) {
            learn_results(transport, pipe, rest, pdu, pinfo, data);
        }
        bind = NULL;
        if (refusal(tvb, pdu, pinfo) == NULL) {
            bind = recognise_judge(&pipe->calls, tvb, pdu, pinfo);
            bind = bind != NULL ? bind
                                : recognise_context(&pipe->calls, tvb, pdu, pinfo, is_registry_pipe(transport, data));
        }
        if (bind != NULL) {
            keeps_pipes = true;
            synthetic_bind_hand_on(transport->inner, bind, pinfo, data);
        }
        if (calls_lacks_beginning(&pipe->calls, pdu)) {
            any_kept = true;
            find_seen(tvb, pdu, pinfo, true)->lacks_beginning = true;
        }
    }
}

/* Returns the number of PDUs to process now: an incomplete PDU is dissected again with the next segment. */
static unsigned
count_read(const struct rpc_pdus *all, const packet_info *pinfo)
{
    unsigned count = 0;

    while (count < all->count && (all->pdus[count].is_whole || pinfo->can_desegment == 0)) {
        count++;
    }
    return count;
}

/* Queues a tap record for each PDU, once. */
static void
tap_pdus(const struct transport *transport, const struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdus *all,
    packet_info *pinfo, void *data)
{
    struct session_tap carrier = { .transport = transport->kind };
    const unsigned count = count_read(all, pinfo);

    if (count == 0) {
        return;
    }
    if (transport->kind == SESSION_SMB2 && data != NULL) {
        const smb2_saved_info_t *first;
        const smb2_fid_info_t *file = file_of((const smb2_info_t *)data, &first);

        carrier.file = file;
        carrier.pipe_name = file == NULL ? NULL : file->name;
    } else if (transport->kind == SESSION_SMB) {
        carrier.fid = (uint16_t)pipe_salt(transport, tvb, pinfo, data);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct rpc_pdu *pdu = &all->pdus[i];
        const struct binding *binding = pipe == NULL ? NULL : calls_binding_of(&pipe->calls, pdu->context);
        struct session_tap *record;

        if (refusal(tvb, pdu, pinfo) != NULL) {
            continue;
        }
        record = (struct session_tap *)wmem_memdup(pinfo->pool, &carrier, sizeof carrier);
        /* On a single pass it is unknown whether a later answer confirms the recognised context. */
        if (binding != NULL && binding->recognition != NULL &&
            (binding->recognition->is_confirmed || !pinfo->fd->visited)) {
            record->recognised = &binding->uuid;
            record->recognised_version = binding->version;
        }
        record->tvb = pdu->at == 0 ? tvb : tvb_new_subset_remaining(tvb, (int)pdu->at);
        record->pdu = *pdu;
        record->pdu.at = 0;
        tap_queue_packet(tap_session, pinfo, record);
    }
}

/* Returns true if the stub of a PDU in clear does not fit its operation. */
static bool
is_nonsense(const struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdu *pdu)
{
    /* The call of a request is not recorded yet, and an older call may have the same call_id. */
    const struct session_call asked = { .told.opnum = pdu->opnum,
        .binding = calls_binding_of(&pipe->calls, pdu->context) };
    const struct session_call *call = pdu->type == PDU_REQ ? &asked : calls_find(&pipe->calls, pdu);
    const stub_check check = check_of(pdu, call);
    struct stub_sample sample = pdu_sample(pdu, call);
    unsigned length;

    sample.head = rpc_pdu_clear_stub(tvb, pdu, &length);
    if (check == NULL || length == 0) {
        return false;
    }
    sample.head_length = MIN(length, STUB_CHECK_HEAD);
    sample.tail_length = MIN(length, STUB_CHECK_TAIL);
    sample.tail = sample.head + length - sample.tail_length;
    return check(&sample) == STUB_NONSENSE;
}

/* Returns true if a message between the two MessageIds should have carried data of the pipe but was not captured. */
static bool
lacks_message(const struct transport *transport, const void *data, uint64_t since)
{
    const smb2_info_t *smb2 = transport->kind == SESSION_SMB2 ? (const smb2_info_t *)data : NULL;
    smb2_saved_info_t key = { .msg_id = since };

    for (unsigned i = 0; smb2 != NULL && smb2->conv != NULL && ++key.msg_id < smb2->msg_id && i < MOST_RELATED; i++) {
        const smb2_saved_info_t *create = (const smb2_saved_info_t *)g_hash_table_lookup(smb2->conv->unmatched, &key);

        if (create != NULL && create->file != NULL && create->file == smb2->file) {
            return true;
        }
    }
    return false;
}

/* Refuses a PDU that Wireshark joined from pieces that do not belong together. For pipes, on the first pass only. */
static void
judge_pieces(const struct transport *transport, struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdus *all,
    const packet_info *pinfo, const void *data)
{
    for (unsigned i = 0; i < all->count; i++) {
        const struct rpc_pdu *pdu = &all->pdus[i];
        const unsigned side = side_of(pdu);
        const enum pieces_outcome outcome = pieces_take(&pipe->pieces[side], &pipe->pieces[NUM_SIDES - 1 - side], tvb,
            pdu->at, pdu, pinfo->can_desegment != 0);

        if (outcome == PIECES_WAITING && transport->kind == SESSION_SMB2 && data != NULL) {
            pipe->begun_in[side] = ((const smb2_info_t *)data)->msg_id;
        }
        if (outcome == PIECES_TORN ||
            (outcome == PIECES_TOGETHER &&
                (lacks_message(transport, data, pipe->begun_in[side]) || is_nonsense(pipe, tvb, pdu)))) {
            refuse(tvb, pdu, pinfo, "a part of it is not in the capture");
        }
    }
}

/* Dissects PDUs without duplicates. conversation: NULL unless needs_conversation() is true. */
static int
dissect_new(const struct transport *transport, conversation_t *conversation, tvbuff_t *tvb, const struct rpc_pdus *all,
    packet_info *pinfo, proto_tree *tree, void *data, const struct pdu_scan *seen)
{
    const bool is_first_pass = !pinfo->fd->visited;
    struct pipe *pipe = is_first_pass || keeps_pipes ? pipe_get(transport, conversation, tvb, pinfo, data) : NULL;

    if (is_first_pass && transport->is_pipe) {
        judge_pieces(transport, pipe, tvb, all, pinfo, data);
    }
    if (is_first_pass) {
        learn_contexts(transport, pipe, tvb, all, pinfo, data);
    }
    if (have_tap_listener(tap_session)) {
        tap_pdus(transport, pipe, tvb, all, pinfo, data);
    }
    if (is_first_pass || seen->is_special || has_kept(tvb, all, pinfo) || (pipe != NULL && pipe->calls.is_recognised)) {
        conversation = conversation != NULL ? conversation : conversation_of(pinfo);
        pipe = pipe != NULL ? pipe : pipe_get(transport, conversation, tvb, pinfo, data);
        return hand_on_all(transport, pipe, conversation, tvb, all, pinfo, tree, data);
    }
    return transport->inner->dissector(tvb, pinfo, tree, data);
}

/* Dissects PDUs of which some are duplicates, and skips the duplicates. */
static int
dissect_among_copies(const struct transport *transport, conversation_t *conversation, tvbuff_t *tvb,
    const struct rpc_pdus *all, packet_info *pinfo, proto_tree *tree, void *data, const struct pdu_place *begin)
{
    for (unsigned i = 0; i < all->count && pinfo->desegment_len == 0; i++) {
        const struct rpc_pdu *pdu = &all->pdus[i];
        const uint32_t frame = frame_of_copy(begin, tvb, pdu, pinfo);
        const unsigned length = rpc_pdu_captured(tvb, pdu);

        if (frame != 0) {
            proto_tree_add_expert_format(tree, pinfo, &ei_perflib_session_copy, tvb, (int)pdu->at, (int)length,
                "This PDU was captured twice: it is read in frame %u", frame);
            col_set_str(pinfo->cinfo, COL_PROTOCOL, "DCERPC");
            col_append_sep_fstr(pinfo->cinfo, COL_INFO, NULL, "[captured twice: see frame %u]", frame);
        } else {
            /* The last PDU is passed together with the bytes after it. */
            tvbuff_t *piece = i + 1 < all->count
                ? tvb_new_subset_length_caplen(tvb, (int)pdu->at, (int)length, (int)pdu->length)
                : tvb_new_subset_remaining(tvb, (int)pdu->at);
            struct rpc_pdu alone = *pdu;
            const struct rpc_pdus one = { .count = 1, .pdus = &alone };
            struct pdu_scan seen;

            alone.at = 0;
            seen = scan_pdus(piece, &one, pinfo, NULL);
            dissect_new(transport, conversation, piece, &one, pinfo, tree, data, &seen);
            if (pinfo->desegment_len != 0) {
                pinfo->desegment_offset += (int)pdu->at;
            }
        }
    }
    return (int)tvb_captured_length(tvb);
}

/* Returns true if the buffer has no complete PDU: Wireshark will ask for the rest, and no items are added. */
static bool
awaits_more(const struct transport *transport, const struct rpc_pdus *all, const packet_info *pinfo)
{
    return !transport->is_pipe && !keeps_pipes && !all->pdus[0].is_whole && pinfo->can_desegment != 0;
}

/*
 * Requests the next segment if the buffer may be the start of a PDU but is shorter than a header. Returns true if it
 * does.
 */
static bool
ask_for_header(tvbuff_t *tvb, packet_info *pinfo)
{
    if (pinfo->can_desegment == 0 || tvb_reported_length(tvb) >= RPC_HEADER_SIZE ||
        tvb_captured_length(tvb) < tvb_reported_length(tvb) || perflib_tvb_get_uint8(tvb, 0) != RPC_VERSION) {
        return false;
    }
    pinfo->desegment_offset = 0;
    pinfo->desegment_len = DESEGMENT_ONE_MORE_SEGMENT;
    return true;
}

/*
 * Returns true if a short buffer belongs to a TCP connection on which PDUs were seen. A single byte may be a window
 * probe. Longer buffers, as nearly all other protocols have, are decided without looking up the connection.
 */
static bool
goes_on(tvbuff_t *tvb, packet_info *pinfo)
{
    const unsigned length = tvb_reported_length(tvb);
    struct pipe_key key;

    if (length < 2 || length >= RPC_HEADER_SIZE) {
        return false;
    }
    memset(&key, 0, sizeof key);
    key.conversation = find_conversation_pinfo(pinfo, 0);
    return wmem_map_contains(pipes, &key);
}

/*
 * Accepts whatever Wireshark's own heuristic dissector accepts, even if there is nothing to do: Wireshark asks the
 * dissector that accepted a packet first for the next one.
 */
static int
dissect_transport(const struct transport *transport, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct rpc_pdus all = rpc_pdus_read(pinfo->pool, tvb);
    conversation_t *conversation;
    struct pdu_place begin;
    struct pdu_scan seen;

    if (!proto_is_protocol_enabled(find_protocol_by_id(proto_session))) {
        if (have_tap_listener(tap_session)) {
            tap_pdus(transport, NULL, tvb, &all, pinfo, data);
        }
        return transport->inner->dissector(tvb, pinfo, tree, data);
    }
    if (all.count == 0 && !transport->is_pipe && goes_on(tvb, pinfo) && ask_for_header(tvb, pinfo)) {
        /*
         * These bytes follow a PDU that began in another segment. Wireshark would skip them, and with them the start
         * of the next PDU.
         */
        return (int)tvb_captured_length(tvb);
    }
    if (all.count == 0 || awaits_more(transport, &all, pinfo)) {
        return transport->inner->dissector(tvb, pinfo, tree, data);
    }
    conversation = needs_conversation(pinfo) ? conversation_of(pinfo) : NULL;
    seen = scan_pdus(tvb, &all, pinfo, place_of(transport, conversation, pinfo, data, &begin) ? &begin : NULL);
    return seen.has_copy ? dissect_among_copies(transport, conversation, tvb, &all, pinfo, tree, data, &begin)
                         : dissect_new(transport, conversation, tvb, &all, pinfo, tree, data, &seen);
}

enum { OVER_TCP, OVER_SMB2, OVER_SMB, NUM_TRANSPORTS };

static struct transport transports[NUM_TRANSPORTS] = {
    [OVER_TCP] = { "tcp", "dcerpc_tcp", "perflib_dcerpc_tcp", "DCE/RPC over TCP, decryption kept in step", false,
        SESSION_TCP, NULL },
    [OVER_SMB2] = { "smb2_pipe_subdissectors", "dcerpc_smb2", "perflib_dcerpc_smb2",
        "DCE/RPC over SMB2, decryption kept in step", true, SESSION_SMB2, NULL },
    [OVER_SMB] = { "smb_transact", "dcerpc_smb_transact", "perflib_dcerpc_smb",
        "DCE/RPC over SMB, decryption kept in step", true, SESSION_SMB, NULL },
};

#define TRANSPORT(name, transport) \
    static perflib_bool name(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) \
    { \
        return transports[transport].inner->enabled && \
            dissect_transport(&transports[transport], tvb, pinfo, tree, data) != 0; \
    }
TRANSPORT(dissect_tcp, OVER_TCP)
TRANSPORT(dissect_smb2, OVER_SMB2)
TRANSPORT(dissect_smb, OVER_SMB)
#undef TRANSPORT

static int
dissect_decode_as(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    struct rpc_pdu pdu;

    if (ask_for_header(tvb, pinfo)) {
        return (int)tvb_captured_length(tvb);
    }
    if (rpc_pdu_read(tvb, 0, &pdu) && dissect_transport(&transports[OVER_TCP], tvb, pinfo, tree, data) != 0) {
        return (int)tvb_captured_length(tvb);
    }
    return decode_as_call_inner(tvb, pinfo, tree, data);
}

static void
session_begin_file(void)
{
    if (transports[OVER_TCP].inner != NULL) {
        decode_as_take();
    }
    keeps_pipes = was_tried = any_kept = false;
    latest_conversation = NULL;
    pipes = wmem_map_new(wmem_file_scope(), pipe_key_hash, pipe_key_equal);
    all_seen = wmem_map_new(wmem_file_scope(), seen_key_hash, seen_key_equal);
    stream_reset_budget();
    copies_reset();
    smb3_reset();
}

void
proto_register_session(void)
{
    static hf_register_info hf[] = {
        { &hf_perflib_session_sealed,
            { "Sealed, not opened", "perflib_session.sealed", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "This request or response is encrypted, and was not decrypted", HFILL } },
    };
    static ei_register_info ei[] = {
        { &ei_perflib_session_lost_step,
            { "perflib_session.lost_step", PI_DECRYPTION, PI_WARN,
                "Decryption has lost step: this sealed PDU is not read", EXPFILL } },
        { &ei_perflib_session_set_right,
            { "perflib_session.set_right", PI_DECRYPTION, PI_NOTE, "Decryption set right", EXPFILL } },
        { &ei_perflib_session_cut,
            { "perflib_session.cut", PI_DECRYPTION, PI_NOTE, "This sealed PDU is not read: it was not captured whole",
                EXPFILL } },
        { &ei_perflib_session_no_key,
            { "perflib_session.no_key", PI_DECRYPTION, PI_NOTE,
                "Sealed, and no key: calls of this connection are not read", EXPFILL } },
        { &ei_perflib_session_no_request,
            { "perflib_session.no_request", PI_SEQUENCE, PI_NOTE, "This sealed PDU is not read: its request is missing",
                EXPFILL } },
        { &ei_perflib_session_refused,
            { "perflib_session.refused", PI_SEQUENCE, PI_WARN,
                "This PDU is not read: what stands in it does not belong together", EXPFILL } },
        { &ei_perflib_session_copy,
            { "perflib_session.copy", PI_SEQUENCE, PI_NOTE, "This PDU was captured twice", EXPFILL } },
        { &ei_perflib_session_recognised,
            { "perflib_session.recognised", PI_ASSUMPTION, PI_CHAT,
                "The bind is not in the capture: recognised by what it holds", EXPFILL } },
    };
    module_t *module;

    proto_session = proto_register_protocol("Sessions of DCE/RPC (perflib)", "RPC sessions", "perflib_session");
    proto_register_field_array(proto_session, hf, array_length(hf));
    expert_register_field_array(expert_register_protocol(proto_session), ei, array_length(ei));
    module = prefs_register_protocol(proto_session, NULL);
    prefs_register_bool_preference(module, "keep_in_step", "Keep NTLM decryption of DCE/RPC in step",
        "Whether sealed DCE/RPC of any interface is decrypted PDU by PDU, so that NTLM "
        "inside SPNEGO, several PDUs in a frame, several "
        "security contexts and lost packets do not put Wireshark's decryption out of step",
        &keep_in_step);
    register_init_routine(session_begin_file);
    session_pdu_init(proto_session);
    tap_session = register_tap("perflib_session");
    tap_key = register_tap("perflib_session_key");
}

void
proto_reg_handoff_session(void)
{
    static const heur_dissector_t dissectors[NUM_TRANSPORTS] = { dissect_tcp, dissect_smb2, dissect_smb };

    proto_dcerpc = proto_get_id_by_filter_name("dcerpc");
    decode_as_init(dissect_decode_as, proto_dcerpc);
    ntlm_init();
    smb3_handoff(&ei_perflib_session_no_key);
    for (unsigned i = 0; i < NUM_TRANSPORTS; i++) {
        transports[i].inner = find_heur_dissector_by_unique_short_name(transports[i].inner_name);
        if (transports[i].inner != NULL) {
            /* Registered for the protocol DCE/RPC, so that frame.protocols is the same with and without the plugin. */
            heur_dissector_add(transports[i].list, dissectors[i], transports[i].title, transports[i].name, proto_dcerpc,
                HEURISTIC_ENABLE);
        }
    }
}
