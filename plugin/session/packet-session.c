/* packet-session.c
 * Keeps Wireshark's NTLM decryption of DCE/RPC in step: one PDU at a time is handed on, each with its own context and
 * key stream
 *
 * Wireshark decrypts what NTLM sealed in order of coming and keeps one context a conversation and one decrypted payload
 * a frame. So it loses step with NTLM inside SPNEGO (nobody takes a verifier's key stream), with several PDUs in a
 * frame, with several contexts on a connection, and wherever a PDU is missing. Here DCE/RPC's PDUs pass before
 * packet-dcerpc gets them; it then finds each decrypted. Connections without NTLM are handed on as they came.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "compat.h"

#include <string.h>

#include <epan/conversation.h>
#include <epan/dissectors/packet-dcerpc.h>
#include <epan/dissectors/packet-smb2.h>
#include <epan/exceptions.h>
#include <epan/expert.h>
#include <epan/prefs.h>
#include <wsutil/str_util.h>

#include "base/bytes.h"
#include "base/pdu-header.h"
#include "base/stub-check.h"
#include "plugin.h"
#include "session/keystream.h"
#include "session/rpc-pdu.h"
#include "session/stream.h"
#include "session/tap.h"

static int proto_session = -1;
static int proto_dcerpc = -1;

static expert_field ei_lost = EI_INIT;
static expert_field ei_set_right = EI_INIT;
static expert_field ei_cut = EI_INIT;

static perflib_bool keep_in_step = true;

/* NegotiateFlags, [MS-NLMP] 2.2.2.5 */
#define NTLM_EXTENDED_SESSION_SECURITY 0x00080000u
#define NTLM_KEY_EXCHANGE 0x40000000u
/* An encrypted checksum: [MS-NLMP] 3.4.4.2 */
#define CHECKSUM_SIZE 8u

static const e_guid_t transfer_ndr64 = {
    0x71710533, 0xbeba, 0x4937, { 0x83, 0x19, 0xb5, 0xdb, 0xef, 0x9c, 0xcc, 0x36 }
};

/* What carries PDUs, and who of Wireshark dissects them. */
struct way {
    const char *list;         /* heuristic list */
    const char *inner_name;   /* short name of Wireshark's own entry in it */
    const char *name, *title; /* of ours */
    bool is_pipe;
    enum session_way tapped;
    heur_dtbl_entry_t *inner;
};

/* What a client bound a presentation context to. */
struct binding {
    const struct stub_kind *kind; /* NULL: nobody knows what its stubs look like */
    bool is_ndr64;
};

struct call {
    const struct binding *binding;
    uint16_t opnum;
};

enum { FROM_SERVER, FROM_CLIENT, NUM_SIDES };

/* A security context: auth_context_id of a pipe. */
struct context {
    void *ntlm;     /* the NTLMSSP dissector's, NULL: none yet */
    uint32_t flags; /* of the CHALLENGE_MESSAGE */
    bool has_flags;
    uint8_t level;  /* as the bind asked for it */
    unsigned authenticate; /* hash of the AUTHENTICATE_MESSAGE that began the streams */
    struct stream *streams[NUM_SIDES];
};

/* A TCP connection, or a named pipe of one. */
struct pipe {
    wmem_map_t *contexts; /* auth_context_id to struct context */
    wmem_map_t *bindings; /* p_cont_id to struct binding */
    wmem_map_t *calls;    /* call_id to struct call */
    struct context *latest[NUM_SIDES];
    const struct stub_kind *kind; /* of all that was bound */
    bool has_kinds;               /* not all of it is of one kind */
};

struct pipe_key {
    const conversation_t *conversation;
    const void *file; /* SMB2's, opaque */
    uint64_t salt;    /* SMB1's FID */
};

/* A PDU that was dissected once: later passes find here what the first one learned. */
struct seen {
    struct ntlm_frame frame;
    const struct stream_pdu *sealed; /* NULL: a token, or none of our business */
    const struct stub_kind *kind;    /* of the interface, NULL if that is not known */
    bool has_opnum;
    uint16_t opnum;
};

struct seen_key {
    uint32_t frame;
    uint32_t offset;  /* in its data source */
    uint32_t length;  /* of the stub: Wireshark believes that as many bytes were decrypted */
    uint32_t mark[2]; /* the verifier's end: frames may have several data sources */
};

static wmem_map_t *pipes;        /* struct pipe_key to struct pipe */
static wmem_map_t *all_seen;     /* struct seen_key to struct seen */
static bool is_known, was_tried; /* whether this Wireshark keeps NTLM's data where they were looked for */

#define KEY_MAP(type) \
static guint \
type##_hash(const void *key) \
{ \
    return wmem_strong_hash((const uint8_t *)key, sizeof(struct type)); \
} \
static gboolean \
type##_equal(const void *a, const void *b) \
{ \
    return memcmp(a, b, sizeof(struct type)) == 0; \
}
KEY_MAP(pipe_key)
KEY_MAP(seen_key)
#undef KEY_MAP

static const smb2_fid_info_t *
file_of(const smb2_info_t *smb2)
{
    return smb2->file != NULL ? smb2->file : smb2->saved != NULL ? smb2->saved->file : NULL;
}

/*
 * Wireshark tells SMB's file id once its own dissector knows of a pipe; of no bytes that one makes nothing else.
 */
static uint64_t
smb_salt(const struct way *way, tvbuff_t *tvb, packet_info *pinfo, void *data)
{
    way->inner->dissector(tvb_new_subset_length(tvb, 0, 0), pinfo, NULL, data);
    return dcerpc_get_transport_salt(pinfo);
}

static struct pipe *
pipe_get(conversation_t *conversation, const struct way *way, tvbuff_t *tvb, packet_info *pinfo, void *data)
{
    const smb2_info_t *smb2 = way->tapped == SESSION_SMB2 ? (const smb2_info_t *)data : NULL;
    struct pipe_key key, *kept;
    struct pipe *pipe;

    memset(&key, 0, sizeof key);
    key.conversation = conversation;
    if (smb2 != NULL) {
        key.file = file_of(smb2);
    } else if (way->is_pipe) {
        key.salt = smb_salt(way, tvb, pinfo, data);
    }
    pipe = (struct pipe *)wmem_map_lookup(pipes, &key);
    if (pipe == NULL) {
        pipe = wmem_new0(wmem_file_scope(), struct pipe);
        pipe->contexts = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
        pipe->bindings = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
        pipe->calls = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
        kept = (struct pipe_key *)wmem_memdup(wmem_file_scope(), &key, sizeof key);
        wmem_map_insert(pipes, kept, pipe);
    }
    return pipe;
}

/*
 * The NTLM message in the token of a binding PDU, alone or inside SPNEGO; NULL if there is none. size: what is left of
 * the token there.
 */
static const uint8_t *
find_ntlm_message(tvbuff_t *tvb, const struct rpc_pdu *pdu, unsigned *size)
{
    static const uint8_t signature[8] = "NTLMSSP";
    const uint8_t *bytes;

    if (!pdu->has_trailer || (pdu->auth_type != RPC_AUTH_NTLM && pdu->auth_type != RPC_AUTH_SPNEGO)) {
        return NULL;
    }
    bytes = tvb_get_ptr(tvb, (int)pdu->auth_at, (int)pdu->auth_length);
    for (unsigned at = 0; at + 12 <= pdu->auth_length; at++) {
        if (bytes[at] == signature[0] && memcmp(bytes + at, signature, sizeof signature) == 0) {
            *size = pdu->auth_length - at;
            return bytes + at;
        }
    }
    return NULL;
}

static bool
is_managed(const struct context *context)
{
    /* Of older NTLM, whose sequence numbers are sealed too, Wireshark knows as much as can be known. */
    return !context->has_flags || (context->flags & NTLM_EXTENDED_SESSION_SECURITY);
}

enum { NTLM_CHALLENGE = 2, NTLM_AUTHENTICATE = 3 };    /* MessageType, [MS-NLMP] 2.2.1 */
#define NTLM_TYPE_AT            8
#define NTLM_CHALLENGE_FLAGS_AT 20u

/* Learns from a token, on the first pass. */
static void
learn_token(struct context *context, const uint8_t *message, unsigned size, uint32_t server_port)
{
    const bool has_key_exchange = !context->has_flags || (context->flags & NTLM_KEY_EXCHANGE);
    if (message[NTLM_TYPE_AT] == NTLM_CHALLENGE && size >= NTLM_CHALLENGE_FLAGS_AT + 4) {
        context->flags = bytes_uint32(message + NTLM_CHALLENGE_FLAGS_AT, false);
        context->has_flags = true;
    } else if (message[NTLM_TYPE_AT] == NTLM_AUTHENTICATE) {
        const unsigned hash = wmem_strong_hash(message, size);

        if (context->streams[FROM_CLIENT] == NULL || context->authenticate != hash) {
            /* Without key exchange checksums are not encrypted, and the message has no session key. */
            const struct ntlm_login *login = has_key_exchange ? NULL : ntlm_login_new(message, size, server_port);

            context->authenticate = hash;
            for (unsigned side = 0; side < NUM_SIDES; side++) {
                context->streams[side] = stream_new(has_key_exchange ? CHECKSUM_SIZE : 0, login);
            }
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

    if (pdu->has_trailer && pdu->auth_type == RPC_AUTH_SPNEGO && pdu->auth_length > size &&
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

/*
 * Presentation contexts of a bind or alter_context: [C706] 12.6.4.3. As in packet-dcerpc, the last transfer syntax
 * counts.
 */
static void
learn_bindings(struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdu *pdu)
{
    const unsigned encoding = pdu->is_little_endian ? ENC_LITTLE_ENDIAN : ENC_BIG_ENDIAN;
    const unsigned end = MIN(pdu->length, tvb_captured_length(tvb));
    unsigned count, at = 28;

    if (end < at) {
        return;
    }
    count = perflib_tvb_get_uint8(tvb, 24);
    for (; count != 0 && at + 24 <= end; count--) {
        const unsigned id = perflib_tvb_get_uint16(tvb, (int)at, encoding);
        const unsigned syntaxes = perflib_tvb_get_uint8(tvb, (int)at + 2);
        struct binding *binding = wmem_new0(wmem_file_scope(), struct binding);
        e_guid_t uuid;

        tvb_get_guid(tvb, (int)at + 4, &uuid, encoding);
        binding->kind = stub_kind_find(&uuid);
        pipe->has_kinds = pipe->has_kinds || (wmem_map_size(pipe->bindings) != 0 && pipe->kind != binding->kind);
        pipe->kind = binding->kind;
        at += 24;
        if (at + syntaxes * 20 > end) {
            return;
        }
        if (syntaxes != 0) {
            e_guid_t syntax;

            tvb_get_guid(tvb, (int)(at + (syntaxes - 1) * 20), &syntax, encoding);
            binding->is_ndr64 = guid_cmp(&syntax, &transfer_ndr64) == 0;
        }
        at += syntaxes * 20;
        wmem_map_insert(pipe->bindings, GUINT_TO_POINTER(id), binding);
    }
}

/* The call a request begins or a response belongs to; NULL: not known. First pass only. */
static const struct call *
call_of(struct pipe *pipe, const struct rpc_pdu *pdu)
{
    const void *id = GUINT_TO_POINTER(pdu->call_id);
    struct call *call = (struct call *)wmem_map_lookup(pipe->calls, id);

    if (pdu->type == RPC_REQUEST && (pdu->flags & PDU_FLAG_FIRST_FRAG)) {
        if (call == NULL) {
            call = wmem_new0(wmem_file_scope(), struct call);
            wmem_map_insert(pipe->calls, id, call);
        }
        call->binding =
            (const struct binding *)wmem_map_lookup(pipe->bindings, GUINT_TO_POINTER((unsigned)pdu->context));
        call->opnum = pdu->opnum;
    }
    return call;
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
    struct context *context; /* NULL: none of NTLM's */
    struct seen *seen;
    const uint8_t *token; /* NTLM's message of a binding PDU, or NULL */
    unsigned token_size;
    struct ntlm_frame others_frame;
    void *others_context;
    bool accepted;
};

static unsigned
side_of(const struct rpc_pdu *pdu)
{
    return rpc_pdu_is_clients(pdu) ? FROM_CLIENT : FROM_SERVER;
}

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
    if (p->pdu.auth_type != RPC_AUTH_NTLM && p->pdu.auth_type != RPC_AUTH_SPNEGO) {
        return NULL;
    }
    context = (struct context *)wmem_map_lookup(pipe->contexts, GUINT_TO_POINTER(p->pdu.auth_context));
    if (context == NULL && p->token != NULL) {
        context = wmem_new0(wmem_file_scope(), struct context);
        wmem_map_insert(pipe->contexts, GUINT_TO_POINTER(p->pdu.auth_context), context);
        context->level = p->pdu.auth_level;
    }
    if (context != NULL) {
        pipe->latest[side] = context;
    }
    return context;
}

static bool
is_sealed(const struct passing *p)
{
    return !rpc_pdu_is_binding(&p->pdu) && p->pdu.auth_length == NTLM_VERIFIER_SIZE &&
           (p->pdu.has_trailer ? p->pdu.auth_level : p->context->level) == RPC_LEVEL_PRIVACY;
}

static struct seen *
find_seen(const struct passing *p)
{
    struct seen_key key;
    struct seen *seen;

    memset(&key, 0, sizeof key);
    key.frame = p->pinfo->num;
    key.offset = (uint32_t)tvb_raw_offset(p->tvb);
    key.length = p->pdu.stub_length;
    if (p->pdu.has_trailer && p->pdu.auth_length >= sizeof key.mark) {
        tvb_memcpy(p->tvb, key.mark, (int)(p->pdu.auth_at + p->pdu.auth_length - sizeof key.mark), sizeof key.mark);
    }
    seen = (struct seen *)wmem_map_lookup(all_seen, &key);
    if (seen == NULL && !p->pinfo->fd->visited) {
        seen = wmem_new0(wmem_file_scope(), struct seen);
        wmem_map_insert(all_seen, wmem_memdup(wmem_file_scope(), &key, sizeof key), seen);
    }
    return seen;
}

/* Has the stub decrypted, once. */
static void
open_sealed(struct passing *p)
{
    const struct call *call = call_of(p->pipe, &p->pdu);
    const struct binding *binding = call == NULL ? NULL : call->binding;
    const struct stub_sample sample = {
        .opnum = call == NULL ? 0 : call->opnum,
        .is_response = p->pdu.type == RPC_RESPONSE,
        .is_first = p->pdu.flags & PDU_FLAG_FIRST_FRAG,
        .is_last = p->pdu.flags & PDU_FLAG_LAST_FRAG,
        .is_little_endian = p->pdu.is_little_endian,
        .is_ndr64 = binding != NULL && binding->is_ndr64,
    };
    const bool is_checked =
        binding != NULL && binding->kind != NULL && (p->pdu.type == RPC_REQUEST || p->pdu.type == RPC_RESPONSE);

    p->seen->sealed = stream_open(p->context->streams[side_of(&p->pdu)], &p->pdu, p->tvb, p->pinfo, &sample,
                                  is_checked ? binding->kind->check : NULL);
    p->seen->kind = binding != NULL ? binding->kind : p->pipe->has_kinds ? NULL : p->pipe->kind;
    p->seen->has_opnum = call != NULL;
    p->seen->opnum = call == NULL ? 0 : call->opnum;
    p->seen->frame.decrypted = p->seen->sealed->decrypted;
}

/* Puts the PDU's own context and data where the NTLMSSP dissector looks for them. */
static void
pass_begin(struct passing *p)
{
    const bool is_first_pass = !p->pinfo->fd->visited;

    ntlm_set_context(p->conversation, p->context->ntlm);
    if (is_first_pass && p->token != NULL) {
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

    if (p->token != NULL) {
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
    case STREAM_LOST:
        return "PDUs before it are missing";
    case STREAM_LATE:
        return "it came after its successors";
    case STREAM_NONSENSE:
        return "it makes no sense";
    case STREAM_CUT:
        return "it was not captured whole";
    default:
        return NULL;
    }
}

/* Says what became of a sealed PDU. */
static void
tell_sealed(const struct passing *p)
{
    const struct stream_pdu *sealed = p->seen == NULL ? NULL : p->seen->sealed;
    const char *reason = sealed == NULL ? NULL : unread_reason(sealed->state);
    const int length = (int)MIN(p->pdu.length, tvb_captured_length(p->tvb));

    if (reason != NULL) {
        const struct stub_unread unread = {
            .uuid = p->seen->kind == NULL ? NULL : p->seen->kind->uuid,
            .is_response = p->pdu.type != RPC_REQUEST,
            .is_last = p->pdu.flags & PDU_FLAG_LAST_FRAG,
            .has_opnum = p->seen->has_opnum,
            .opnum = p->seen->opnum,
            .reason = reason,
        };

        proto_tree_add_expert_format(p->tree, p->pinfo, sealed->state == STREAM_CUT ? &ei_cut : &ei_lost, p->tvb, 0,
                                     length, "This sealed PDU is not read: %s (frame %u is the last that was)", reason,
                                     sealed->last_frame);
        if (p->seen->kind != NULL && p->seen->kind->unread != NULL) {
            p->seen->kind->unread(p->pinfo, &unread);
        }
    } else if (sealed != NULL && sealed->state == STREAM_OPENED && sealed->skipped != 0) {
        proto_tree_add_expert_format(p->tree, p->pinfo, &ei_set_right, p->tvb, 0, length,
                                     "Decryption set right: after frame %u, %u sealed PDU%s missing, "
                                     "%u bytes of key stream skipped",
                                     sealed->last_frame, sealed->missing, plurality(sealed->missing, " is", "s are"),
                                     sealed->skipped);
    }
}

/* Hands the PDU to Wireshark. */
static void
hand_on(struct passing *p)
{
    p->token = rpc_pdu_is_binding(&p->pdu) ? find_ntlm_message(p->tvb, &p->pdu, &p->token_size) : NULL;
    if ((p->pdu.type == RPC_BIND || p->pdu.type == RPC_ALTER) && !p->pinfo->fd->visited) {
        learn_bindings(p->pipe, p->tvb, &p->pdu);
    }
    p->context = context_of(p);
    if (p->context != NULL && p->token == NULL && rpc_pdu_is_binding(&p->pdu) && !p->pinfo->fd->visited) {
        learn_list_signature(p->context, p->tvb, &p->pdu, side_of(&p->pdu));
    }
    if (p->context == NULL || (!is_sealed(p) && p->token == NULL)) {
        p->accepted = p->way->inner->dissector(p->tvb, p->pinfo, p->tree, p->data);
        return;
    }
    p->seen = find_seen(p);
    p->others_context = ntlm_context(p->conversation);
    p->others_frame = ntlm_take_frame(p->pinfo);
    TRY {
        pass_begin(p);
        p->accepted = p->way->inner->dissector(p->tvb, p->pinfo, p->tree, p->data);
    }
    FINALLY {
        /* Of a PDU that is cut short packet-dcerpc says so with an exception. */
        pass_end(p);
        tell_sealed(p);
    }
    ENDTRY;
}

/* Whether any PDU here has to do with authentication; quick, as every PDU of every capture comes here. */
static bool
is_authenticated(tvbuff_t *tvb)
{
    struct rpc_pdu pdu;

    for (unsigned at = 0; rpc_pdu_read(tvb, at, &pdu); at += pdu.length) {
        if (pdu.auth_length != 0 || pdu.type == RPC_ALTER) {
            return true;
        }
    }
    return false;
}

/*
 * The bytes that go to Wireshark at once: one PDU. What follows the last one and is no whole PDU goes with it, as there
 * is no telling what Wireshark makes of it.
 */
static unsigned
piece_length(tvbuff_t *tvb, unsigned at, const packet_info *pinfo, const struct rpc_pdu *pdu)
{
    const unsigned left = tvb_reported_length(tvb) - at;
    struct rpc_pdu next;

    if (pdu->length >= left || !rpc_pdu_read(tvb, at + pdu->length, &next) ||
        (!next.is_whole && pinfo->can_desegment != 0)) {
        return left;
    }
    return pdu->length;
}

static int
hand_on_all(const struct way *way, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    conversation_t *conversation = find_or_create_conversation(pinfo);
    struct pipe *pipe;
    unsigned at = 0, count = 0;
    struct rpc_pdu pdu;
    int accepted = 0;

    if (!was_tried) {
        was_tried = true;
        is_known = ntlm_is_known(pinfo, conversation, tvb);
    }
    if (!is_known) {
        return way->inner->dissector(tvb, pinfo, tree, data);
    }
    pipe = pipe_get(conversation, way, tvb, pinfo, data);
    while (rpc_pdu_read(tvb, at, &pdu)) {
        const unsigned length = piece_length(tvb, at, pinfo, &pdu);
        struct passing p = {
            .way = way, .pipe = pipe, .conversation = conversation, .pinfo = pinfo, .tree = tree, .data = data,
            .pdu = pdu,
        };

        p.tvb = at == 0 && length == tvb_reported_length(tvb) ?
                    tvb :
                    tvb_new_subset_length_caplen(tvb, (int)at, (int)MIN(length, tvb_captured_length(tvb) - at),
                                                 (int)length);
        if (!pdu.is_whole && pinfo->can_desegment != 0) {
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
        at += length;
        if (at >= tvb_captured_length(tvb)) {
            break;
        }
    }
    if (way->is_pipe && count > 1) {
        /* As packet-dcerpc says it where it gets them all at once. */
        col_add_fstr(pinfo->cinfo, COL_PROTOCOL, "%u*DCERPC", count);
    }
    return accepted;
}

static bool
is_enabled(void)
{
    return keep_in_step && proto_is_protocol_enabled(find_protocol_by_id(proto_session));
}

/* Tells statistics of the PDUs, once each: what is not whole yet comes again. */
static void
tap_pdus(const struct way *way, tvbuff_t *tvb, packet_info *pinfo, void *data)
{
    struct session_tap carrier = { .way = way->tapped };
    struct rpc_pdu pdu;

    if (!rpc_pdu_read(tvb, 0, &pdu)) {
        return;
    }
    if (way->tapped == SESSION_SMB2 && data != NULL) {
        const smb2_fid_info_t *file = file_of((const smb2_info_t *)data);

        carrier.file = file;
        carrier.pipe_name = file == NULL ? NULL : file->name;
    } else if (way->tapped == SESSION_SMB) {
        carrier.fid = (uint16_t)smb_salt(way, tvb, pinfo, data);
    }
    for (unsigned at = 0; rpc_pdu_read(tvb, at, &pdu); at += pdu.length) {
        if (!pdu.is_whole && pinfo->can_desegment != 0) {
            break;
        }
        session_tap_pdu(pinfo, tvb, at, &pdu, &carrier);
    }
}

/*
 * Takes whatever Wireshark's own heuristic takes, also where there is nothing to do: the one that took a packet is
 * asked first for the next one.
 */
static int
dissect_way(const struct way *way, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    if (session_tap_is_wanted()) {
        tap_pdus(way, tvb, pinfo, data);
    }
    if (!is_enabled() || !is_authenticated(tvb)) {
        return way->inner->dissector(tvb, pinfo, tree, data);
    }
    return hand_on_all(way, tvb, pinfo, tree, data);
}

enum { WAY_TCP, WAY_SMB2, WAY_SMB, NUM_WAYS };

static struct way ways[NUM_WAYS] = {
    [WAY_TCP] = { "tcp", "dcerpc_tcp", "perflib_dcerpc_tcp", "DCE/RPC over TCP, decryption kept in step",
                  false, SESSION_TCP, NULL },
    [WAY_SMB2] = { "smb2_pipe_subdissectors", "dcerpc_smb2", "perflib_dcerpc_smb2",
                   "DCE/RPC over SMB2, decryption kept in step", true, SESSION_SMB2, NULL },
    [WAY_SMB] = { "smb_transact", "dcerpc_smb_transact", "perflib_dcerpc_smb",
                  "DCE/RPC over SMB, decryption kept in step", true, SESSION_SMB, NULL },
};

#define WAY(name, way) \
static perflib_bool \
name(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) \
{ \
    return ways[way].inner->enabled && dissect_way(&ways[way], tvb, pinfo, tree, data) != 0; \
}
WAY(dissect_tcp, WAY_TCP)
WAY(dissect_smb2, WAY_SMB2)
WAY(dissect_smb, WAY_SMB)
#undef WAY

/*
 * "Decode As" calls packet-dcerpc past all heuristics. Its entries are given to this dissector instead, of the same
 * protocol, so that they look the same.
 */
static dissector_handle_t decode_as_handle;
static dissector_handle_t decode_as_inner;

static int
dissect_decode_as(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    struct rpc_pdu pdu;

    if (pinfo->can_desegment != 0 && tvb_captured_length(tvb) < RPC_HEADER_SIZE && perflib_tvb_get_uint8(tvb, 0) == 5) {
        pinfo->desegment_offset = 0;
        pinfo->desegment_len = DESEGMENT_ONE_MORE_SEGMENT;
        return (int)tvb_captured_length(tvb);
    }
    if (rpc_pdu_read(tvb, 0, &pdu) && dissect_way(&ways[WAY_TCP], tvb, pinfo, tree, data) != 0) {
        return (int)tvb_captured_length(tvb);
    }
    return call_dissector_only(decode_as_inner, tvb, pinfo, tree, data);
}

static void
find_decode_as(const char *table _U_, ftenum_t type _U_, void *key, void *value, void *ports)
{
    dissector_handle_t handle = dtbl_entry_get_handle((dtbl_entry_t *)value);

    if (handle != NULL && handle != decode_as_handle && dissector_handle_get_protocol_index(handle) == proto_dcerpc) {
        decode_as_inner = handle;
        wmem_list_append((wmem_list_t *)ports, key);
    }
}

static void
take_decode_as(void)
{
    wmem_list_t *ports;

    if (ways[WAY_TCP].inner == NULL) {
        return;
    }
    ports = wmem_list_new(NULL);
    dissector_table_foreach("tcp.port", find_decode_as, ports);
    for (wmem_list_frame_t *link = wmem_list_head(ports); link != NULL; link = wmem_list_frame_next(link)) {
        dissector_change_uint("tcp.port", GPOINTER_TO_UINT(wmem_list_frame_data(link)), decode_as_handle);
    }
    wmem_destroy_list(ports);
}

static void
begin_file(void)
{
    take_decode_as();
    was_tried = false;
    pipes = wmem_map_new(wmem_file_scope(), pipe_key_hash, pipe_key_equal);
    all_seen = wmem_map_new(wmem_file_scope(), seen_key_hash, seen_key_equal);
    stream_reset_budget();
}

void
proto_register_session(void)
{
    static ei_register_info ei[] = {
        { &ei_lost,
          { "perflib_session.lost_step", PI_DECRYPTION, PI_WARN,
            "Decryption has lost step: this sealed PDU is not read", EXPFILL } },
        { &ei_set_right, { "perflib_session.set_right", PI_DECRYPTION, PI_NOTE, "Decryption set right", EXPFILL } },
        { &ei_cut,
          { "perflib_session.cut", PI_DECRYPTION, PI_NOTE, "This sealed PDU is not read: it was not captured whole",
            EXPFILL } },
    };
    module_t *module;

    proto_session = proto_register_protocol("Sessions of DCE/RPC (perflib)", "RPC sessions", "perflib_session");
    expert_register_field_array(expert_register_protocol(proto_session), ei, array_length(ei));
    module = prefs_register_protocol(proto_session, NULL);
    prefs_register_bool_preference(module, "keep_in_step", "Keep NTLM decryption of DCE/RPC in step",
                                   "Whether sealed DCE/RPC of any interface is decrypted PDU by PDU, so that NTLM "
                                   "inside SPNEGO, several PDUs in a frame, several "
                                   "security contexts and lost packets do not put Wireshark's decryption out of step",
                                   &keep_in_step);
    register_init_routine(begin_file);
    session_tap_register();
}

void
proto_reg_handoff_session(void)
{
    static const heur_dissector_t dissectors[NUM_WAYS] = { dissect_tcp, dissect_smb2, dissect_smb };

    proto_dcerpc = proto_get_id_by_filter_name("dcerpc");
    decode_as_handle = create_dissector_handle(dissect_decode_as, proto_dcerpc);
    ntlm_init();
    for (unsigned i = 0; i < NUM_WAYS; i++) {
        ways[i].inner = find_heur_dissector_by_unique_short_name(ways[i].inner_name);
        if (ways[i].inner != NULL) {
            /* In DCE/RPC's name: what a packet is made of looks as ever. */
            heur_dissector_add(ways[i].list, dissectors[i], ways[i].title, ways[i].name, proto_dcerpc,
                               HEURISTIC_ENABLE);
        }
    }
}
