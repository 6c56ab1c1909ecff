/* packet-session.c
 * Sees each PDU of DCE/RPC before packet-dcerpc does: keeps Wireshark's NTLM decryption in step, and tells the
 * interfaces that are ours of what packet-dcerpc tells nobody, faults and PDUs it could not open
 *
 * Wireshark decrypts what NTLM sealed in order of coming and keeps one context a conversation and one decrypted payload
 * a frame. So it loses step with NTLM inside SPNEGO (nobody takes a verifier's key stream), with several PDUs in a
 * frame, with several contexts on a connection, and wherever a PDU is missing. Here one PDU at a time is handed on,
 * each with its own context and key stream, so that packet-dcerpc finds it decrypted. In later passes, what neither is
 * authenticated nor a fault is handed on as it came.
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

/* An encrypted checksum: [MS-NLMP] 3.4.4.2 */
#define CHECKSUM_SIZE 8u

/* What carries PDUs, and who of Wireshark dissects them. */
struct way {
    const char *list;         /* heuristic list */
    const char *inner_name;   /* short name of Wireshark's own entry in it */
    const char *name, *title; /* of ours */
    bool is_pipe;
    enum session_transport transport;
    heur_dtbl_entry_t *inner;
};

enum { FROM_SERVER, FROM_CLIENT, NUM_SIDES };

/* A security context: auth_context_id of a pipe. */
struct context {
    struct login login;
    bool is_ntlm;          /* some token held a message of NTLM: */
    void *ntlm;            /* the NTLMSSP dissector's, NULL: none yet */
    uint8_t level;         /* as the bind asked for it */
    unsigned authenticate; /* hash of the AUTHENTICATE_MESSAGE that began the streams */
    struct stream *streams[NUM_SIDES];
};

/* A TCP connection, or a named pipe of one. */
struct pipe {
    bool has_salt;
    uint64_t salt;        /* of SMB2: as what packet-dcerpc knows it */
    wmem_map_t *contexts; /* auth_context_id to struct context */
    struct context *latest[NUM_SIDES];
    struct calls calls;
    struct pieces pieces[NUM_SIDES];
    uint64_t begun_in[NUM_SIDES]; /* the latest PDU that was not whole: SMB2's number of its first message */
    wmem_map_t *warned;           /* listeners that were told of a PDU without a key */
};

struct pipe_key {
    const conversation_t *conversation;
    const void *file; /* SMB2's, or the request that is to open it; opaque */
    uint64_t salt;    /* SMB1's FID */
};

/* A PDU that was dissected once: later passes find here what the first one learned. */
struct session_seen {
    struct ntlm_frame frame;
    const struct stream_pdu *sealed; /* NULL: a token, or none of our business */
    const struct rpc_call *call;     /* of a fault, or of a PDU that was not read; else NULL */
    bool is_unread;                  /* sealed, and not read */
    bool pdu_may_be_ours;            /* the same, and it may hold performance data */
    const char *closed;              /* not read, and no key would open it: why; constant. Else NULL */
    const struct key_needed *needed; /* without a key: what would open it, where that is said first; else NULL */
    bool warns;                      /* it is the first of its pipe */
    bool is_second;                  /* another PDU of its frame was decrypted before, and nobody keeps them apart */
    const char *refused;             /* it is not handed on: why; constant. Else NULL */
    const struct binding *binding;   /* of its context, if somebody knows the interface; NULL: none */
    const struct session_call *of;   /* the call it belongs to; NULL: not known */
    bool lacks_beginning;            /* it ends a stub whose first fragment was not captured whole */
};

struct seen_key {
    uint32_t frame;
    uint32_t offset; /* in its data source */
    uint32_t length; /* of the stub: Wireshark believes that as many bytes were decrypted */
    uint32_t call_id;
    uint32_t mark[2]; /* the verifier's end: frames may have several data sources */
};

static conversation_t *latest_conversation; /* of a frame that came before; NULL: none */
static wmem_map_t *pipes;                   /* struct pipe_key to struct pipe */
static wmem_map_t *all_seen;                /* struct seen_key to struct session_seen */
static bool keeps_pipes;         /* they are asked for in each pass: some context was recognised, or some file */
static bool any_kept;            /* something of these PDUs that later passes need, beside what decrypts them */
static bool is_known, was_tried; /* whether this Wireshark keeps NTLM's data where they were looked for */

/* Of pointers, and of a number that is SMB1's own of 16 bits: nobody chooses them so that they fall into one place. */
static guint
pipe_key_hash(const void *key)
{
    const struct pipe_key *k = (const struct pipe_key *)key;

    return hash_join(hash_join(g_direct_hash(k->conversation), g_direct_hash(k->file)), (guint)k->salt);
}

EQUAL_BYTES(pipe_key, sizeof(struct pipe_key))

HASH_BYTES(seen_key, sizeof(struct seen_key))

/* So many requests in one message of SMB2 are followed. */
#define MOST_RELATED 16u

/* The file of a message; sets *first to the first of the requests in one that it belongs to, or is the answer to. */
static const smb2_fid_info_t *
file_of(const smb2_info_t *smb2, const smb2_saved_info_t **first)
{
    const smb2_saved_info_t *saved = smb2->saved;
    const smb2_fid_info_t *file = smb2->file != NULL ? smb2->file : saved != NULL ? saved->file : NULL;
    smb2_saved_info_t key = { .msg_id = smb2->msg_id };

    /* A related request names no file of its own, it is that of the one before: [MS-SMB2] 3.2.4.1.4, 3.3.5.2.7.2. */
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
 * As what packet-dcerpc knows a pipe: it tells once it has been asked about one; of no bytes it makes nothing else.
 */
static uint64_t
pipe_salt(const struct way *way, tvbuff_t *tvb, packet_info *pinfo, void *data)
{
    way->inner->dissector(tvb_new_subset_length(tvb, 0, 0), pinfo, NULL, data);
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

/* Wireshark gives packet-dcerpc the file of a message, but none where a related request is that of the one before. */
static struct pipe *
pipe_of_smb2(struct pipe_key *key, const struct way *way, tvbuff_t *tvb, packet_info *pinfo, smb2_info_t *smb2)
{
    const bool has_own = smb2->file != NULL || (smb2->saved != NULL && smb2->saved->file != NULL);
    const smb2_saved_info_t *first;
    struct pipe *pipe;

    key->file = file_of(smb2, &first);
    if (key->file == NULL && first == NULL) {
        return pipe_find(key);
    }
    if (key->file == NULL) {
        /* It is opened by the same message. */
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
        pipe->salt = has_own ? pipe_salt(way, tvb, pinfo, smb2) : UINT64_MAX - pinfo->num;
    }
    keeps_pipes = keeps_pipes || !has_own;
    dcerpc_set_transport_salt(pipe->salt, pinfo);
    return pipe;
}

static struct pipe *
pipe_get(const struct way *way, const conversation_t *conversation, tvbuff_t *tvb, packet_info *pinfo, void *data)
{
    struct pipe_key key;

    memset(&key, 0, sizeof key);
    key.conversation = conversation;
    if (way->transport == SESSION_SMB2 && data != NULL) {
        return pipe_of_smb2(&key, way, tvb, pinfo, (smb2_info_t *)data);
    }
    if (way->is_pipe) {
        key.salt = pipe_salt(way, tvb, pinfo, data);
    }
    return pipe_find(&key);
}

/* Whether such PDUs have a stub that an interface knows. */
static bool
has_stub(const struct rpc_pdu *pdu)
{
    return pdu->type == PDU_REQ || pdu->type == PDU_RESP;
}

/* Whether NTLM authenticates it, alone or inside SPNEGO. */
static bool
may_be_ntlm(const struct rpc_pdu *pdu)
{
    return pdu->auth_type == DCE_C_RPC_AUTHN_PROTOCOL_NTLMSSP || pdu->auth_type == DCE_C_RPC_AUTHN_PROTOCOL_SPNEGO;
}

/*
 * The NTLM message in the token of a binding PDU, alone or inside SPNEGO; NULL if there is none. size: what is left of
 * the token there.
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
    /* Of older NTLM, whose sequence numbers are sealed too, Wireshark knows as much as can be known. */
    return !context->login.has_challenge || (context->login.flags & NTLM_EXTENDED_SESSION_SECURITY);
}

/* Whether the token is the AUTHENTICATE_MESSAGE that began the streams. */
static bool
is_known_token(const struct context *context, const uint8_t *message, unsigned size)
{
    return context->streams[FROM_CLIENT] != NULL && context->authenticate == wmem_strong_hash(message, size);
}

/* Learns from a token that is not known, on the first pass. */
static void
learn_token(struct context *context, const uint8_t *message, unsigned size, uint32_t server_port)
{
    const bool has_key_exchange = !context->login.has_flags || (context->login.flags & NTLM_KEY_EXCHANGE);

    if (message[NTLM_TYPE_AT] == NTLM_AUTHENTICATE) {
        /* Without key exchange checksums are not encrypted, and the message has no session key. */
        const struct ntlm_login *login = has_key_exchange ? NULL : ntlm_login_new(message, size, server_port);

        context->authenticate = wmem_strong_hash(message, size);
        for (unsigned side = 0; side < NUM_SIDES; side++) {
            context->streams[side] = stream_new(has_key_exchange ? CHECKSUM_SIZE : 0, login);
        }
    }
}

/*
 * SPNEGO may end with a signature of its list of mechanisms, which counts: [RFC4178] 4.2.2, [MS-SPNG] 3.3.5.1. It is
 * the last member of a token, an OCTET STRING.
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

/* The AUTHENTICATE_MESSAGE was dissected: the NTLMSSP dissector has new ciphers. */
static void
note_ciphers(struct context *context, const uint8_t *message)
{
    if (message[NTLM_TYPE_AT] == NTLM_AUTHENTICATE) {
        for (unsigned side = 0; side < NUM_SIDES && context->streams[side] != NULL; side++) {
            context->streams[side]->keys.cipher = 0;
        }
    }
}

/* One PDU being handed on. */
struct passing {
    const struct way *way;
    struct pipe *pipe;
    conversation_t *conversation;
    packet_info *pinfo;
    tvbuff_t *tvb; /* begins with it */
    proto_tree *tree;
    void *data;
    struct rpc_pdu pdu;
    bool is_managed;           /* decryption is kept in step */
    struct context *context;   /* NULL: none of NTLM's */
    struct session_call *call; /* on the first pass; NULL: not known */
    unsigned num_sources;      /* of the packet, before it is handed on */
    struct session_seen *seen;
    const uint8_t *token; /* NTLM's message of a binding PDU, or NULL */
    unsigned token_size;
    bool is_repeated; /* the token is known: NTLMSSP would begin anew with what is half used */
    struct ntlm_frame others_frame;
    void *others_context;
    bool accepted;
};

static unsigned
side_of(const struct rpc_pdu *pdu)
{
    return rpc_pdu_is_clients(pdu) ? FROM_CLIENT : FROM_SERVER;
}

/* The context that a PDU's verifier names; made where it is not known. */
static struct context *
named_context(const struct passing *p)
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

/* The context that NTLM signs or seals a PDU with; NULL: none is known. */
static struct context *
context_of(struct passing *p)
{
    struct pipe *pipe = p->pipe;
    const unsigned side = side_of(&p->pdu);
    struct context *context;

    if (!p->pdu.has_trailer) {
        /* Cut short: it will be the one that sealed the last PDU. */
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
is_sealed(const struct passing *p)
{
    return !rpc_pdu_is_binding(&p->pdu) && p->pdu.auth_length == NTLM_VERIFIER_SIZE &&
        (p->pdu.has_trailer ? p->pdu.auth_level : p->context->level) == DCE_C_AUTHN_LEVEL_PKT_PRIVACY;
}

/* What is kept of a PDU; NULL: nothing is. makes: on the first pass it is made then. */
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

/* What is known of the stub of a PDU before its bytes are. call: NULL if that is not known. */
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

/* Who knows whether a stub makes sense; NULL: nobody. */
static stub_check
check_of(const struct rpc_pdu *pdu, const struct session_call *call)
{
    const struct binding *binding = call == NULL ? NULL : call->binding;

    return binding != NULL && binding->kind != NULL && has_stub(pdu) ? binding->kind->check : NULL;
}

/* Has the stub decrypted, once. */
static void
open_sealed(struct passing *p)
{
    const struct stub_sample sample = pdu_sample(&p->pdu, p->call);

    p->seen->sealed = stream_open(p->context->streams[side_of(&p->pdu)], &p->pdu, p->tvb, p->pinfo, &sample,
        check_of(&p->pdu, p->call));
    p->seen->frame.decrypted = p->seen->sealed->decrypted;
}

/* Puts the PDU's own context and data where the NTLMSSP dissector looks for them. */
static void
pass_begin(struct passing *p)
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
pass_end(struct passing *p)
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

/* Why a PDU was not read; NULL: it was, or there is no key. */
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

/* The same of a PDU that was handed on. */
static const char *
reason_of(const struct passing *p)
{
    return p->seen == NULL || p->seen->sealed == NULL ? NULL : unread_reason(p->seen->sealed->state);
}

/* On the first pass: how the user logs on. */
static void
learn_login(const struct passing *p)
{
    if (p->pdu.has_trailer) {
        if (p->pdu.type == PDU_BIND) {
            /* Another association, where ports are used again: of the one before nothing holds. */
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
is_told_fault(const struct passing *p)
{
    return p->pdu.type == PDU_FAULT && (p->pdu.flags & PDU_FLAG_LAST_FRAG);
}

/* Why a sealed PDU was not opened, if no key would open it; NULL: one would. call: NULL if its request is not known. */
static const char *
closed_reason(const struct passing *p, const struct session_call *call)
{
    if (call == NULL) {
        return p->pdu.type == PDU_REQ ? "the beginning of its request is missing" : "its request is missing";
    }
    return named_context(p)->login.has_opened ? "Wireshark did not decrypt it" : NULL;
}

/* Whether the stub of a PDU is sealed. */
static bool
has_sealed_stub(const struct passing *p)
{
    return has_stub(&p->pdu) && p->pdu.stub_length != 0 && p->pdu.auth_level == DCE_C_AUTHN_LEVEL_PKT_PRIVACY;
}

/* Whether Wireshark left the stub of a PDU as it is: packet-dcerpc adds a data source of what it opens. */
static bool
pdu_is_closed(const struct passing *p)
{
    return has_sealed_stub(p) && perflib_num_sources(p->pinfo) == p->num_sources;
}

/* Whether the pipe is known to be the remote registry's. */
static bool
is_registry_pipe(const struct way *way, void *data)
{
    const smb2_saved_info_t *first;
    const smb2_fid_info_t *file =
        way->transport == SESSION_SMB2 && data != NULL ? file_of((const smb2_info_t *)data, &first) : NULL;

    return file != NULL && rpc_pipe_is_registry(file->name);
}

/*
 * Whether a sealed PDU may hold performance data: its context is bound to an interface of ours, or, where no bind was
 * captured, the pipe is the remote registry's.
 */
static bool
pdu_may_be_ours(const struct passing *p)
{
    const struct binding *binding = calls_binding_of(&p->pipe->calls, p->pdu.context);

    return binding != NULL ? binding->kind != NULL && binding->kind->listener != NULL
                           : is_registry_pipe(p->way, p->data);
}

/* On the first pass, of a PDU that was handed on: whether it was opened, and else whom it belongs to. */
static void
learn_outcome(struct passing *p)
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

/* Tells the interface of a fault. */
static void
tell_fault(const struct passing *p)
{
    const struct rpc_fault fault = {
        .call = p->seen->call,
        .has_status = p->pdu.has_status,
        .status = p->pdu.status,
        .not_executed = p->pdu.flags & PDU_FLAG_DID_NOT_EXECUTE,
    };

    p->seen->call->listener->fault(&fault, p->tvb, p->pinfo, p->tree);
}

/* Says that a sealed PDU was not read, and tells its interface, if that is known. */
static void
session_tell_unread(const struct passing *p, const char *reason)
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

/* Says what became of the PDU. */
static void
tell_outcome(const struct passing *p)
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

/* Says what a PDU without a bind was recognised by. */
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

/* On the first pass, before the PDU is handed on: what it says of the connection. */
static void
learn_pdu(struct passing *p)
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

/* Whether decryption has to do with the PDU. */
static bool
is_decrypted_here(struct passing *p)
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

/* On the first pass. Returns the reason, which is constant. */
static const char *
refuse(tvbuff_t *tvb, const struct rpc_pdu *pdu, const packet_info *pinfo, const char *reason)
{
    any_kept = true;
    find_seen(tvb, pdu, pinfo, true)->refused = reason;
    return reason;
}

/* Why a PDU is not handed on; NULL: it is. */
static const char *
refusal(tvbuff_t *tvb, const struct rpc_pdu *pdu, const packet_info *pinfo)
{
    const struct session_seen *seen = any_kept ? find_seen(tvb, pdu, pinfo, false) : NULL;

    return seen == NULL ? NULL : seen->refused;
}

/* Whether something is kept of a PDU of these bytes, so that they go one by one in later passes, too. */
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

/* The record of a PDU, which is kept on the first pass where somebody knows its interface. */
static struct session_pdu *
new_record(struct passing *p)
{
    struct session_pdu *record = wmem_new0(p->pinfo->pool, struct session_pdu);
    struct session_seen *seen = p->seen;

    record->transport = p->way->transport;
    record->header = p->pdu;
    if (!p->pinfo->fd->visited) {
        const struct binding *binding = has_stub(&p->pdu) ? calls_binding_of(&p->pipe->calls, p->pdu.context) : NULL;

        record->calls = &p->pipe->calls;
        if (p->call != NULL || (binding != NULL && binding->kind != NULL)) {
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
        record->binding = seen->binding;
        record->call = seen->of == NULL ? NULL : &seen->of->told;
        record->lacks_beginning = seen->lacks_beginning;
    }
    return record;
}

/* Says that a PDU is not handed on. */
static void
tell_refused(const struct passing *p, const char *reason)
{
    proto_tree_add_expert_format(p->tree, p->pinfo, &ei_perflib_session_refused, p->tvb, 0,
        (int)rpc_pdu_captured(p->tvb, &p->pdu), "This PDU is not read: %s", reason);
    col_set_str(p->pinfo->cinfo, COL_PROTOCOL, "DCERPC");
    col_append_sep_fstr(p->pinfo->cinfo, COL_INFO, NULL, "[not read: %s]", reason);
}

/*
 * Whether NTLMSSP must not see the PDU, where decryption is not kept in step: it keeps what it decrypted for a frame,
 * and would show it for the frame's next PDU, however long that is.
 */
static bool
is_hidden_from_ntlm(struct passing *p)
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

/* Hands the PDU to Wireshark. */
static void
hand_on(struct passing *p)
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
        p->accepted = p->way->inner->dissector(p->tvb, p->pinfo, p->tree, p->data);
    }
    FINALLY
    {
        session_pdu_begin(p->pinfo, before);
        /* Of a PDU that is cut short packet-dcerpc says so with an exception. */
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

/* What the PDUs of some bytes have to do with us; quick, as every PDU of every capture comes here. */
struct glance {
    bool is_special; /* any is a fault, or has to do with authentication: they go one by one */
    bool has_copy;   /* any was read in another frame */
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
 * What find_or_create_conversation() says, which takes a thousand instructions. TCP has asked already, and that shows
 * in the conversation it found: where that is the one of the frame before, nobody need look for it.
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

/* Whether some of what comes has to be known by its conversation, which takes long to find. */
static bool
needs_conversation(const packet_info *pinfo)
{
    return !pinfo->fd->visited || keeps_pipes || copies_are_known();
}

/* Where bytes of a carrier stand: *begin is the place of the first one. false: nobody says, or need know. */
static bool
place_of(const struct way *way, const conversation_t *conversation, const packet_info *pinfo, const void *data,
    struct pdu_place *begin)
{
    memset(begin, 0, sizeof *begin);
    if (data == NULL || conversation == NULL) {
        return false;
    }
    if (way->transport == SESSION_SMB2) {
        const smb2_info_t *smb2 = (const smb2_info_t *)data;

        begin->connection = smb2->conv;
        begin->is_message = true;
        begin->number = smb2->msg_id;
        begin->sender = smb2->flags & SMB2_FLAGS_RESPONSE;
    } else if (way->transport == SESSION_TCP) {
        begin->connection = conversation;
        begin->number = ((const struct tcpinfo *)data)->seq;
        begin->sender = pinfo->srcport;
    }
    return begin->connection != NULL;
}

/* The frame in which a PDU was read already; 0: in none. begin: where the tvb stands, NULL: nobody says. */
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

static struct glance
glance(tvbuff_t *tvb, const struct rpc_pdus *all, const packet_info *pinfo, const struct pdu_place *begin)
{
    struct glance seen = { false, false };

    for (unsigned i = 0; i < all->count; i++) {
        const struct rpc_pdu *pdu = &all->pdus[i];

        seen.has_copy = frame_of_copy(begin, tvb, pdu, pinfo) != 0 || seen.has_copy;
        seen.is_special = seen.is_special || pdu->auth_length != 0 || pdu->type == PDU_ALTER || pdu->type == PDU_FAULT;
    }
    return seen;
}

/*
 * The bytes that go to Wireshark at once: one PDU. What follows the last one and is no whole PDU goes with it, as there
 * is no telling what Wireshark makes of it.
 */
static unsigned
piece_length(tvbuff_t *tvb, const packet_info *pinfo, const struct rpc_pdus *all, unsigned i)
{
    const bool is_last =
        i + 1 == all->count || (i + 2 == all->count && !all->pdus[i + 1].is_whole && pinfo->can_desegment != 0);

    return is_last ? tvb_reported_length(tvb) - all->pdus[i].at : all->pdus[i].length;
}

/* Whether decryption is kept in step. */
static bool
keeps_in_step(packet_info *pinfo, conversation_t *conversation, tvbuff_t *tvb)
{
    if (!was_tried && keep_in_step) {
        was_tried = true;
        is_known = ntlm_is_known(pinfo, conversation, tvb);
    }
    return keep_in_step && is_known;
}

/* One PDU at a time. */
static int
hand_on_all(const struct way *way, struct pipe *pipe, conversation_t *conversation, tvbuff_t *tvb,
    const struct rpc_pdus *all, packet_info *pinfo, proto_tree *tree, void *data)
{
    const bool is_kept_in_step = keeps_in_step(pinfo, conversation, tvb);
    unsigned count = 0;
    int accepted = 0;

    for (unsigned i = 0; i < all->count; i++) {
        const unsigned at = all->pdus[i].at, length = piece_length(tvb, pinfo, all, i);
        struct passing p = {
            .way = way,
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
            /* Wireshark will ask for the rest. */
            p.accepted = way->inner->dissector(p.tvb, pinfo, tree, data);
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
    if (way->is_pipe && count > 1 && g_strcmp0(col_get_text(pinfo->cinfo, COL_PROTOCOL), "DCERPC") == 0) {
        /* As packet-dcerpc says it where it gets them all at once; but a call that it hands on names its protocol. */
        col_add_fstr(pinfo->cinfo, COL_PROTOCOL, "%u*DCERPC", count);
    }
    return accepted;
}

/*
 * On the first pass, of a bind_ack or its like: packet-dcerpc takes the last syntax of an offer, and whatever is
 * offered for bound. Where the server decided otherwise it is told.
 */
static void
learn_results(const struct way *way, struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdu *pdu, packet_info *pinfo,
    void *data)
{
    struct rpc_contexts walk = rpc_results_begin(tvb, pdu);
    struct rpc_result result;

    for (unsigned nth = 0; pdu->call_id == pipe->calls.offered_in && rpc_results_next(&walk, &result); nth++) {
        uint16_t id;
        const struct binding *bound = calls_learn_result(&pipe->calls, &result, nth, &id);

        if (bound != NULL) {
            synthetic_bind_hand_on(way->inner, synthetic_bind_make(tvb, pdu, pinfo, id, bound), pinfo, data);
        }
    }
    pipe->calls.num_offers = 0;
}

/*
 * On the first pass, before anything is handed on: what contexts are bound to, as binds say or calls show, and which
 * stubs lack their beginnings.
 */
static void
learn_contexts(const struct way *way, struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdus *all, packet_info *pinfo,
    void *data)
{
    for (unsigned i = 0; i < all->count; i++) {
        const struct rpc_pdu *pdu = &all->pdus[i];
        tvbuff_t *rest, *bind;

        if (!pdu->is_whole && pinfo->can_desegment != 0) {
            /* It comes again. */
            break;
        }
        rest = pdu->at == 0 ? tvb : tvb_new_subset_remaining(tvb, (int)pdu->at);
        if (pdu->type == PDU_BIND || pdu->type == PDU_ALTER) {
            calls_learn_bindings(&pipe->calls, rest, pdu);
        } else if (pdu->type == PDU_BIND_ACK || pdu->type == PDU_ALTER_ACK) {
            learn_results(way, pipe, rest, pdu, pinfo, data);
        }
        bind = NULL;
        if (refusal(tvb, pdu, pinfo) == NULL) {
            bind = recognise_judge(&pipe->calls, tvb, pdu, pinfo);
            bind = bind != NULL ? bind : recognise_context(&pipe->calls, tvb, pdu, pinfo, is_registry_pipe(way, data));
        }
        if (bind != NULL) {
            keeps_pipes = true;
            synthetic_bind_hand_on(way->inner, bind, pinfo, data);
        }
        if (calls_lacks_beginning(&pipe->calls, pdu)) {
            any_kept = true;
            find_seen(tvb, pdu, pinfo, true)->lacks_beginning = true;
        }
    }
}

/* So many PDUs are read now: one that is not whole yet comes again. */
static unsigned
count_read(const struct rpc_pdus *all, const packet_info *pinfo)
{
    unsigned count = 0;

    while (count < all->count && (all->pdus[count].is_whole || pinfo->can_desegment == 0)) {
        count++;
    }
    return count;
}

/* Tells statistics of the PDUs, once each. */
static void
tap_pdus(const struct way *way, const struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdus *all, packet_info *pinfo,
    void *data)
{
    struct session_tap carrier = { .transport = way->transport };
    const unsigned count = count_read(all, pinfo);

    if (count == 0) {
        return;
    }
    if (way->transport == SESSION_SMB2 && data != NULL) {
        const smb2_saved_info_t *first;
        const smb2_fid_info_t *file = file_of((const smb2_info_t *)data, &first);

        carrier.file = file;
        carrier.pipe_name = file == NULL ? NULL : file->name;
    } else if (way->transport == SESSION_SMB) {
        carrier.fid = (uint16_t)pipe_salt(way, tvb, pinfo, data);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct rpc_pdu *pdu = &all->pdus[i];
        const struct binding *binding = pipe == NULL ? NULL : calls_binding_of(&pipe->calls, pdu->context);
        struct session_tap *record;

        if (refusal(tvb, pdu, pinfo) != NULL) {
            continue;
        }
        record = (struct session_tap *)wmem_memdup(pinfo->pool, &carrier, sizeof carrier);
        /* With one pass nobody knows yet whether an answer will confirm it. */
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

/* Whether the stub of a PDU in clear cannot be its operation's. */
static bool
is_nonsense(const struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdu *pdu)
{
    /* A request says itself what it is, and is not noted yet: another may have had its number. */
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

/* Whether a message between the one of that number and this one was to bring something of the pipe, and never did. */
static bool
lacks_message(const struct way *way, const void *data, uint64_t since)
{
    const smb2_info_t *smb2 = way->transport == SESSION_SMB2 ? (const smb2_info_t *)data : NULL;
    smb2_saved_info_t key = { .msg_id = since };

    for (unsigned i = 0; smb2 != NULL && smb2->conv != NULL && ++key.msg_id < smb2->msg_id && i < MOST_RELATED; i++) {
        const smb2_saved_info_t *create = (const smb2_saved_info_t *)g_hash_table_lookup(smb2->conv->unmatched, &key);

        if (create != NULL && create->file != NULL && create->file == smb2->file) {
            return true;
        }
    }
    return false;
}

/* On the first pass, of what a pipe carries: refuses what was put together of pieces that do not belong together. */
static void
judge_pieces(const struct way *way, struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdus *all,
    const packet_info *pinfo, const void *data)
{
    for (unsigned i = 0; i < all->count; i++) {
        const struct rpc_pdu *pdu = &all->pdus[i];
        const unsigned side = side_of(pdu);
        const enum pieces_outcome outcome = pieces_take(&pipe->pieces[side], &pipe->pieces[NUM_SIDES - 1 - side], tvb,
            pdu->at, pdu, pinfo->can_desegment != 0);

        if (outcome == PIECES_WAITING && way->transport == SESSION_SMB2 && data != NULL) {
            pipe->begun_in[side] = ((const smb2_info_t *)data)->msg_id;
        }
        if (outcome == PIECES_TORN ||
            (outcome == PIECES_TOGETHER &&
                (lacks_message(way, data, pipe->begun_in[side]) || is_nonsense(pipe, tvb, pdu)))) {
            refuse(tvb, pdu, pinfo, "a part of it is not in the capture");
        }
    }
}

/* Takes PDUs of which none was read before. conversation: NULL where needs_conversation() says so. */
static int
dissect_new(const struct way *way, conversation_t *conversation, tvbuff_t *tvb, const struct rpc_pdus *all,
    packet_info *pinfo, proto_tree *tree, void *data, const struct glance *seen)
{
    const bool is_first_pass = !pinfo->fd->visited;
    struct pipe *pipe = is_first_pass || keeps_pipes ? pipe_get(way, conversation, tvb, pinfo, data) : NULL;

    if (is_first_pass && way->is_pipe) {
        judge_pieces(way, pipe, tvb, all, pinfo, data);
    }
    if (is_first_pass) {
        learn_contexts(way, pipe, tvb, all, pinfo, data);
    }
    if (have_tap_listener(tap_session)) {
        tap_pdus(way, pipe, tvb, all, pinfo, data);
    }
    if (is_first_pass || seen->is_special || has_kept(tvb, all, pinfo) || (pipe != NULL && pipe->calls.is_recognised)) {
        conversation = conversation != NULL ? conversation : conversation_of(pinfo);
        pipe = pipe != NULL ? pipe : pipe_get(way, conversation, tvb, pinfo, data);
        return hand_on_all(way, pipe, conversation, tvb, all, pinfo, tree, data);
    }
    return way->inner->dissector(tvb, pinfo, tree, data);
}

/* Takes PDUs of which some were read before, and leaves those out. */
static int
dissect_among_copies(const struct way *way, conversation_t *conversation, tvbuff_t *tvb, const struct rpc_pdus *all,
    packet_info *pinfo, proto_tree *tree, void *data, const struct pdu_place *begin)
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
            /* The last one takes with it what follows. */
            tvbuff_t *piece = i + 1 < all->count
                ? tvb_new_subset_length_caplen(tvb, (int)pdu->at, (int)length, (int)pdu->length)
                : tvb_new_subset_remaining(tvb, (int)pdu->at);
            struct rpc_pdu alone = *pdu;
            const struct rpc_pdus one = { .count = 1, .pdus = &alone };
            struct glance seen;

            alone.at = 0;
            seen = glance(piece, &one, pinfo, NULL);
            dissect_new(way, conversation, piece, &one, pinfo, tree, data, &seen);
            if (pinfo->desegment_len != 0) {
                pinfo->desegment_offset += (int)pdu->at;
            }
        }
    }
    return (int)tvb_captured_length(tvb);
}

/* Whether some bytes hold no whole PDU: Wireshark will ask for the rest, and nothing is to be said of them. */
static bool
comes_again(const struct way *way, const struct rpc_pdus *all, const packet_info *pinfo)
{
    return !way->is_pipe && !keeps_pipes && !all->pdus[0].is_whole && pinfo->can_desegment != 0;
}

/* Asks for the next segment where there is less than the header of what may be a PDU. Returns whether there is. */
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
 * Whether such bytes are on a TCP connection on which PDUs were read. A single byte may be one that probes a window. Of
 * more than a header, as nearly all that is not RPC has, the connection need not be found.
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
 * Takes whatever Wireshark's own heuristic takes, also where there is nothing to do: the one that took a packet is
 * asked first for the next one.
 */
static int
dissect_way(const struct way *way, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct rpc_pdus all = rpc_pdus_read(pinfo->pool, tvb);
    conversation_t *conversation;
    struct pdu_place begin;
    struct glance seen;

    if (!proto_is_protocol_enabled(find_protocol_by_id(proto_session))) {
        if (have_tap_listener(tap_session)) {
            tap_pdus(way, NULL, tvb, &all, pinfo, data);
        }
        return way->inner->dissector(tvb, pinfo, tree, data);
    }
    if (all.count == 0 && !way->is_pipe && goes_on(tvb, pinfo) && ask_for_header(tvb, pinfo)) {
        /* Behind a PDU that began in another segment. Wireshark would leave it alone, and lose what it begins. */
        return (int)tvb_captured_length(tvb);
    }
    if (all.count == 0 || comes_again(way, &all, pinfo)) {
        return way->inner->dissector(tvb, pinfo, tree, data);
    }
    conversation = needs_conversation(pinfo) ? conversation_of(pinfo) : NULL;
    seen = glance(tvb, &all, pinfo, place_of(way, conversation, pinfo, data, &begin) ? &begin : NULL);
    return seen.has_copy ? dissect_among_copies(way, conversation, tvb, &all, pinfo, tree, data, &begin)
                         : dissect_new(way, conversation, tvb, &all, pinfo, tree, data, &seen);
}

enum { WAY_TCP, WAY_SMB2, WAY_SMB, NUM_WAYS };

static struct way ways[NUM_WAYS] = {
    [WAY_TCP] = { "tcp", "dcerpc_tcp", "perflib_dcerpc_tcp", "DCE/RPC over TCP, decryption kept in step", false,
        SESSION_TCP, NULL },
    [WAY_SMB2] = { "smb2_pipe_subdissectors", "dcerpc_smb2", "perflib_dcerpc_smb2",
        "DCE/RPC over SMB2, decryption kept in step", true, SESSION_SMB2, NULL },
    [WAY_SMB] = { "smb_transact", "dcerpc_smb_transact", "perflib_dcerpc_smb",
        "DCE/RPC over SMB, decryption kept in step", true, SESSION_SMB, NULL },
};

#define WAY(name, way) \
    static perflib_bool name(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) \
    { \
        return ways[way].inner->enabled && dissect_way(&ways[way], tvb, pinfo, tree, data) != 0; \
    }
WAY(dissect_tcp, WAY_TCP)
WAY(dissect_smb2, WAY_SMB2)
WAY(dissect_smb, WAY_SMB)
#undef WAY

static int
dissect_decode_as(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    struct rpc_pdu pdu;

    if (ask_for_header(tvb, pinfo)) {
        return (int)tvb_captured_length(tvb);
    }
    if (rpc_pdu_read(tvb, 0, &pdu) && dissect_way(&ways[WAY_TCP], tvb, pinfo, tree, data) != 0) {
        return (int)tvb_captured_length(tvb);
    }
    return decode_as_call_inner(tvb, pinfo, tree, data);
}

static void
session_begin_file(void)
{
    if (ways[WAY_TCP].inner != NULL) {
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
    static const heur_dissector_t dissectors[NUM_WAYS] = { dissect_tcp, dissect_smb2, dissect_smb };

    proto_dcerpc = proto_get_id_by_filter_name("dcerpc");
    decode_as_init(dissect_decode_as, proto_dcerpc);
    ntlm_init();
    smb3_handoff(&ei_perflib_session_no_key);
    for (unsigned i = 0; i < NUM_WAYS; i++) {
        ways[i].inner = find_heur_dissector_by_unique_short_name(ways[i].inner_name);
        if (ways[i].inner != NULL) {
            /* In DCE/RPC's name: what a packet is made of looks as ever. */
            heur_dissector_add(ways[i].list, dissectors[i], ways[i].title, ways[i].name, proto_dcerpc,
                HEURISTIC_ENABLE);
        }
    }
}
