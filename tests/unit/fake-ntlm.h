/* fake-ntlm.h
 * In place of Wireshark's NTLMSSP dissector: a cipher whose key stream a test knows, and what frames and conversations
 * keep
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_FAKE_NTLM_H
#define PERFLIB_TESTS_UNIT_FAKE_NTLM_H

#include <string.h>

#include <epan/conversation.h>
#include <epan/packet.h>
#include <epan/proto_data.h>

#include "check.h"
#include "compat.h"
#include "fake-file.h"

#define NTLM_PROTO       77
#define NTLM_SERVER_PORT 445u
#define NTLM_CLIENT_PORT 50000u

/* Addresses, where a test gives them. */
static const char *ntlm_client, *ntlm_server;

/* An NTLM context: where the ciphers of both directions stand. */
static struct fake_context {
    uint64_t at[2];     /* the client's, the server's */
    bool has_key;       /* somebody knows the password */
    bool shows_copies;  /* of what it decrypted, in place of its own memory */
    bool moves_both;    /* as without key exchange, where that dissector knows but one key */
    unsigned verifier;  /* bytes of a verifier that are encrypted */
    unsigned logins;    /* since the test began */
    unsigned wrong_way; /* logins that did not go to the server */
} ntlm;

/* What a frame keeps as decrypted. */
struct fake_decrypted {
    bool has_payload, has_verifier;
    uint8_t *payload;
    unsigned length;
    uint8_t verifier[16];
};

static struct {
    void *kept[2]; /* by the key of p_add_proto_data(): the context, what was decrypted */
} frame;

static void *conversation_keeps;
static int ntlm_handles[3]; /* only their addresses count */

static inline uint8_t
ntlm_key(bool is_servers, uint64_t position)
{
    const uint64_t mixed = (position + 1 + (is_servers ? 1u << 20 : 0)) * UINT64_C(0x9e3779b97f4a7c15);

    return (uint8_t)(mixed >> 29 ^ mixed >> 51);
}

/* What Wireshark does not have: bits of the names below, and one more of the protocol. */
#define NTLM_LACKS_PROTO 8u
static unsigned ntlm_lacks;

int
proto_get_id_by_filter_name(const char *name)
{
    return strcmp(name, "ntlmssp") == 0 && (ntlm_lacks & NTLM_LACKS_PROTO) == 0 ? NTLM_PROTO : -1;
}

dissector_handle_t
find_dissector(const char *name)
{
    static const char *const names[] = { "ntlmssp", "ntlmssp_data_only", "ntlmssp_payload" };

    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) == 0 && (ntlm_lacks & 1u << i) == 0) {
            return (dissector_handle_t)&ntlm_handles[i];
        }
    }
    return NULL;
}

void *
conversation_get_proto_data(const conversation_t *conversation _U_, const int proto)
{
    return proto == NTLM_PROTO ? conversation_keeps : NULL;
}

void
conversation_add_proto_data(conversation_t *conversation _U_, const int proto, void *data)
{
    CHECK_EQUAL(proto, NTLM_PROTO, "kept twice, or for another");
    CHECK(conversation_keeps == NULL, "kept twice, or for another");
    CHECK(data != NULL, "kept twice, or for another");
    conversation_keeps = data;
}

void
conversation_delete_proto_data(conversation_t *conversation _U_, const int proto)
{
    CHECK_EQUAL(proto, NTLM_PROTO, "another's");
    conversation_keeps = NULL;
}

void *
p_get_proto_data(wmem_allocator_t *allocator, packet_info *pinfo _U_, int proto, uint32_t key)
{
    return allocator == scope && proto == NTLM_PROTO && key < 2 ? frame.kept[key] : NULL;
}

void
p_add_proto_data(wmem_allocator_t *allocator, packet_info *pinfo _U_, int proto, uint32_t key, void *data)
{
    CHECK(allocator == scope, "kept twice");
    CHECK_EQUAL(proto, NTLM_PROTO, "kept twice");
    CHECK(key < 2, "kept twice");
    CHECK(frame.kept[key & 1] == NULL, "kept twice");
    frame.kept[key & 1] = data;
}

void
p_remove_proto_data(wmem_allocator_t *allocator, packet_info *pinfo _U_, int proto, uint32_t key)
{
    CHECK(allocator == scope, "another's");
    CHECK_EQUAL(proto, NTLM_PROTO, "another's");
    CHECK(key < 2, "another's");
    frame.kept[key & 1] = NULL;
}

static inline void
ntlm_crypt(const packet_info *pinfo, const uint8_t *from, unsigned length, uint8_t *to)
{
    const bool is_servers = pinfo->srcport == NTLM_SERVER_PORT;

    for (unsigned i = 0; i < length; i++) {
        to[i] = from[i] ^ ntlm_key(is_servers, ntlm.at[is_servers] + i);
    }
    ntlm.at[is_servers] += length;
    if (ntlm.moves_both) {
        ntlm.at[!is_servers] += length;
    }
}

/* As the payload and the verifier of a frame are decrypted: shown in a source of the frame's. */
static inline void
ntlm_show(packet_info *pinfo, tvbuff_t *tvb, const uint8_t *bytes, unsigned length)
{
    add_new_data_source(pinfo, tvb_new_child_real_data(tvb, bytes, length, (int)length), "Decrypted");
}

int
call_dissector_only(dissector_handle_t handle, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const unsigned length = tvb_captured_length(tvb);
    struct fake_decrypted *decrypted;
    const bool has_key = conversation_keeps == &ntlm && ntlm.has_key;

    CHECK(tree == NULL, "shown");
    if (handle == (dissector_handle_t)&ntlm_handles[0]) {
        ntlm.logins++;
        ntlm.wrong_way += pinfo->destport != NTLM_SERVER_PORT || pinfo->srcport != NTLM_CLIENT_PORT ||
            pinfo->dst.data != ntlm_server || pinfo->src.data != ntlm_client;
        ntlm.at[0] = ntlm.at[1] = 0;
        frame.kept[0] = &ntlm;
        return (int)length;
    }
    decrypted = (struct fake_decrypted *)frame.kept[1];
    if (decrypted == NULL) {
        frame.kept[1] = decrypted = wmem_new0(scope, struct fake_decrypted);
    }
    if (handle == (dissector_handle_t)&ntlm_handles[1]) {
        if (!decrypted->has_payload && has_key) {
            decrypted->has_payload = true;
            decrypted->length = length;
            decrypted->payload = (uint8_t *)wmem_alloc(scope, length);
            ntlm_crypt(pinfo, tvb_get_ptr(tvb, 0, (int)length), length, decrypted->payload);
        }
        if (decrypted->has_payload) {
            const uint8_t *payload = !ntlm.shows_copies
                ? decrypted->payload
                : (const uint8_t *)wmem_memdup(scope, decrypted->payload, decrypted->length);

            *(tvbuff_t **)data = tvb_new_child_real_data(tvb, payload, decrypted->length, (int)decrypted->length);
        }
    } else if (handle == (dissector_handle_t)&ntlm_handles[2] && has_key) {
        if (!decrypted->has_verifier) {
            decrypted->has_verifier = true;
            ntlm_crypt(pinfo, tvb_get_ptr(tvb, 4, (int)ntlm.verifier), ntlm.verifier, decrypted->verifier);
        }
        ntlm_show(pinfo, tvb, decrypted->verifier, ntlm.verifier);
    }
    return (int)length;
}

/* Another capture, in which somebody knows the password, or nobody does. */
static inline void
ntlm_begin(unsigned verifier, bool moves_both)
{
    ntlm = (struct fake_context){ .has_key = true, .moves_both = moves_both, .verifier = verifier };
    conversation_keeps = &ntlm;
    memset(&frame, 0, sizeof frame);
}

#endif /* PERFLIB_TESTS_UNIT_FAKE_NTLM_H */
