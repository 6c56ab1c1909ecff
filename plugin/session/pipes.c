/* pipes.c
 * Named pipes and TCP connections that carry DCE/RPC
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/pipes.h"

#include "base/hash.h"

struct pipe_key {
    const conversation_t *conversation;
    const void *file; /* file of SMB2, or the Create request for it; opaque */
    uint64_t salt;    /* over SMB1: packet-dcerpc's transport salt, which is the FID; else 0 */
};

static conversation_t
    *latest_conversation; /* conversation of an earlier frame, to avoid looking it up again; NULL if none */
static wmem_map_t *pipes; /* struct pipe_key to struct pipe */
static bool keeps_pipes;

/* Hashes pointers, or SMB1's FID of 16 bits. A sender cannot choose these so that all hashes collide. */
static guint
pipe_key_hash(const void *key)
{
    const struct pipe_key *k = (const struct pipe_key *)key;

    return hash_join(hash_join(g_direct_hash(k->conversation), g_direct_hash(k->file)), (guint)k->salt);
}

EQUAL_BYTES(pipe_key, sizeof(struct pipe_key))

/* Maximum number of related requests followed in an SMB2 message. */
#define MOST_RELATED 16u

const smb2_fid_info_t *
pipes_file_of(const smb2_info_t *smb2, const smb2_saved_info_t **first)
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

uint64_t
pipes_salt(const struct transport *transport, tvbuff_t *tvb, packet_info *pinfo, void *data)
{
    transport->inner->dissector(tvb_new_subset_length(tvb, 0, 0), pinfo, NULL, data);
    return dcerpc_get_transport_salt(pinfo);
}

static struct pipe *
pipe_find(const struct pipe_key *key)
{
    struct pipe *pipe = (struct pipe *)wmem_map_lookup(pipes, key);

    if (pipe == NULL) {
        pipe = wmem_new0(wmem_file_scope(), struct pipe);
        pipe->contexts = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
        pipe->warned = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
        calls_init(&pipe->calls);
        wmem_map_insert(pipes, wmem_memdup(wmem_file_scope(), key, sizeof *key), pipe);
    }
    return pipe;
}

/* Offsets in SMB2 requests on a pipe, [MS-SMB2] 2.2.1.2, 2.2.21 and 2.2.31. */
#define COMMAND_AT       12
#define MESSAGE_ID_AT    24
#define FILE_IN_IOCTL_AT 72
#define FILE_IN_WRITE_AT 80
/* The pipe's data begin at an offset in this range. */
#define LEAST_DATA_AT    112
#define MOST_DATA_AT     256

/*
 * Enters the file of a request into packet-smb2's table, as packet-smb2 does at a Create. Otherwise all pipes whose
 * Create was not captured would be the same pipe to Wireshark. Does nothing for a related request, which uses the
 * previous request's file, or if the header is not in the same buffer as the data.
 *
 * What would break this: a packet-smb2 that keeps files by another key, or that looks for them before it hands on the
 * data of the first request. Tried: Wireshark 4.0.17, 4.4.19, 4.6.9.
 */
static void
enter_file(tvbuff_t *tvb, const packet_info *pinfo, smb2_info_t *smb2)
{
    static const uint8_t protocol[] = { 0xfe, 'S', 'M', 'B' };
    tvbuff_t *message = tvb_get_ds_tvb(tvb);
    const int end = (int)tvb_raw_offset(tvb);

    if ((smb2->flags & SMB2_FLAGS_RESPONSE) || smb2->saved == NULL || smb2->session == NULL) {
        return;
    }
    for (int at = end - LEAST_DATA_AT; at >= 0 && end - at <= MOST_DATA_AT; at--) {
        if (tvb_memeql(message, at, protocol, sizeof protocol) == 0 &&
            tvb_get_letohs(message, at + COMMAND_AT) == smb2->opcode &&
            tvb_get_letoh64(message, at + MESSAGE_ID_AT) == smb2->msg_id) {
            const int file_at = at + (smb2->opcode == SMB2_COM_WRITE ? FILE_IN_WRITE_AT : FILE_IN_IOCTL_AT);
            const uint64_t persistent = tvb_get_letoh64(message, file_at);

            if (persistent != UINT64_MAX) {
                smb2_fid_info_t *file = wmem_new0(wmem_file_scope(), smb2_fid_info_t);

                file->fid_persistent = persistent;
                file->fid_volatile = tvb_get_letoh64(message, file_at + 8);
                file->sesid = smb2->sesid;
                file->tid = smb2->tid;
                file->frame_beg = pinfo->num;
                file->frame_end = UINT32_MAX;
                wmem_map_insert(smb2->session->fids, file, file);
                smb2->file = smb2->saved->file = file;
            }
            return;
        }
    }
}

/*
 * Returns the pipe of an SMB2 message. A related request uses the previous request's file, for which Wireshark gives
 * packet-dcerpc no transport salt: this function sets one.
 */
static struct pipe *
pipe_of_smb2(struct pipe_key *key, const struct transport *transport, tvbuff_t *tvb, packet_info *pinfo,
    smb2_info_t *smb2)
{
    const bool has_own = smb2->file != NULL || (smb2->saved != NULL && smb2->saved->file != NULL);
    const smb2_saved_info_t *first;
    struct pipe *pipe;

    if (!has_own && !pinfo->fd->visited) {
        enter_file(tvb, pinfo, smb2);
    }
    key->file = pipes_file_of(smb2, &first);
    if (key->file == NULL && first == NULL) {
        return pipe_find(key);
    }
    if (key->file == NULL) {
        /* The same compound message opens the file. Until its answer is seen, the Create request is the key. */
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
        pipe->salt = has_own ? pipes_salt(transport, tvb, pinfo, smb2) : (uint64_t)(uintptr_t)pipe;
    }
    keeps_pipes = keeps_pipes || !has_own;
    dcerpc_set_transport_salt(pipe->salt, pinfo);
    return pipe;
}

struct pipe *
pipes_get(const struct transport *transport, const conversation_t *conversation, tvbuff_t *tvb, packet_info *pinfo,
    void *data)
{
    struct pipe_key key;

    memset(&key, 0, sizeof key);
    key.conversation = conversation;
    if (transport->kind == SESSION_SMB2 && data != NULL) {
        return pipe_of_smb2(&key, transport, tvb, pinfo, (smb2_info_t *)data);
    }
    if (transport->kind != SESSION_TCP) {
        key.salt = pipes_salt(transport, tvb, pinfo, data);
    }
    return pipe_find(&key);
}

bool
pipes_is_registry(const struct transport *transport, void *data)
{
    const smb2_saved_info_t *first;
    const smb2_fid_info_t *file =
        transport->kind == SESSION_SMB2 && data != NULL ? pipes_file_of((const smb2_info_t *)data, &first) : NULL;

    return file != NULL && rpc_pipe_is_registry(file->name);
}

bool
pipes_lacks_message(const struct transport *transport, const void *data, uint64_t since)
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

static bool
is_between(const conversation_t *conversation, const address *from, uint32_t from_port, const address *to,
    uint32_t to_port)
{
    const conversation_element_t *key = conversation->key_ptr;

    return conversation_key_port1(key) == from_port && conversation_key_port2(key) == to_port &&
        addresses_equal(conversation_key_addr1(key), from) && addresses_equal(conversation_key_addr2(key), to);
}

conversation_t *
pipes_conversation(packet_info *pinfo)
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

bool
pipes_needs_conversation(const packet_info *pinfo)
{
    return !pinfo->fd->visited || keeps_pipes || copies_are_known();
}

bool
pipes_has_connection(const conversation_t *conversation)
{
    struct pipe_key key;

    memset(&key, 0, sizeof key);
    key.conversation = conversation;
    return wmem_map_contains(pipes, &key);
}

bool
pipes_are_kept(void)
{
    return keeps_pipes;
}

void
pipes_keep(void)
{
    keeps_pipes = true;
}

void
pipes_reset(void)
{
    keeps_pipes = false;
    latest_conversation = NULL;
    pipes = wmem_map_new(wmem_file_scope(), pipe_key_hash, pipe_key_equal);
}
