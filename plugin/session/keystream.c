/* keystream.c
 * RC4 key stream of one direction of an NTLM context, drawn from Wireshark's NTLMSSP dissector
 *
 * All code that swaps data of that dissector is here.
 *
 * Why: the dissector keeps one context per conversation and one decrypted payload per frame, and skips no key stream
 * for missing PDUs.
 *
 * What would break this: other keys for its data of a frame, or another place of its data of the conversation.
 * ntlm_is_known() detects both, and nothing is swapped then.
 *
 * Read and tried: Wireshark 4.0.17, 4.4.18, 4.6.9.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#include <epan/exceptions.h>
#include <epan/proto_data.h>

#include "base/bytes.h"

/* p_get_proto_data() keys of the NTLMSSP dissector's records in a frame */
enum { FRAME_CONTEXT = 0, FRAME_DECRYPTED = 1 };

#define DRAW_AT_ONCE  65536u
/* Minimum number of bytes by which keystream_draw() extends the key stream of a logon without key exchange */
#define DRAW_AT_LEAST 2048u

/*
 * AUTHENTICATE_MESSAGE, [MS-NLMP] 2.2.1.3: offset of EncryptedRandomSessionKeyFields, and minimum size before the
 * payload.
 */
#define SESSION_KEY_FIELDS_AT 52u
#define AUTHENTICATE_SIZE     64u
#define SESSION_KEY_SIZE      16u

static int proto_ntlmssp;
static dissector_handle_t message_handle; /* dissector of NTLM messages */
static dissector_handle_t data_handle;    /* dissector that decrypts the whole buffer passed to it */
static dissector_handle_t payload_handle; /* dissector that decrypts a verifier and the bytes after it */

void
ntlm_init(void)
{
    proto_ntlmssp = proto_get_id_by_filter_name("ntlmssp");
    message_handle = find_dissector("ntlmssp");
    data_handle = find_dissector("ntlmssp_data_only");
    payload_handle = find_dissector("ntlmssp_payload");
}

void *
ntlm_context(const conversation_t *conversation)
{
    return conversation_get_proto_data(conversation, proto_ntlmssp);
}

void
ntlm_set_context(conversation_t *conversation, void *context)
{
    if (ntlm_context(conversation) == context) {
        return;
    }
    conversation_delete_proto_data(conversation, proto_ntlmssp);
    if (context != NULL) {
        conversation_add_proto_data(conversation, proto_ntlmssp, context);
    }
}

static void *
keystream_take(packet_info *pinfo, unsigned key)
{
    void *data = p_get_proto_data(wmem_file_scope(), pinfo, proto_ntlmssp, key);

    if (data != NULL) {
        p_remove_proto_data(wmem_file_scope(), pinfo, proto_ntlmssp, key);
    }
    return data;
}

struct ntlm_frame
ntlm_take_frame(packet_info *pinfo)
{
    return (struct ntlm_frame){ keystream_take(pinfo, FRAME_CONTEXT), keystream_take(pinfo, FRAME_DECRYPTED) };
}

void
ntlm_put_frame(packet_info *pinfo, struct ntlm_frame frame)
{
    if (frame.context != NULL) {
        p_add_proto_data(wmem_file_scope(), pinfo, proto_ntlmssp, FRAME_CONTEXT, frame.context);
    }
    if (frame.decrypted != NULL) {
        p_add_proto_data(wmem_file_scope(), pinfo, proto_ntlmssp, FRAME_DECRYPTED, frame.decrypted);
    }
}

/* Calls a dissector without showing its items or columns. result: its `data`. shown: see perflib_call_unseen(). */
static void
call_unseen(dissector_handle_t handle, const uint8_t *bytes, unsigned length, packet_info *pinfo, tvbuff_t *tvb,
    tvbuff_t **result, uint8_t *shown, unsigned size)
{
    perflib_call_unseen(handle, tvb_new_child_real_data(tvb, bytes, length, (int)length), pinfo, result, shown, size);
}

/*
 * Decrypts with the next bytes of key stream. Adds the NTLMSSP record of the decrypted data to the frame, which must
 * have none yet. Returns NULL if there is no key.
 */
static tvbuff_t *
decrypt_next(const uint8_t *bytes, unsigned length, packet_info *pinfo, tvbuff_t *tvb)
{
    tvbuff_t *plain = NULL;

    call_unseen(data_handle, bytes, length, pinfo, tvb, &plain, NULL, 0);
    return plain != NULL && tvb_captured_length(plain) == length ? plain : NULL;
}

bool
ntlm_is_known(packet_info *pinfo, conversation_t *conversation, tvbuff_t *tvb)
{
    static const uint8_t anything[1];
    struct ntlm_frame frame;
    void *context;
    bool is_known;

    if (proto_ntlmssp <= 0 || message_handle == NULL || data_handle == NULL || payload_handle == NULL) {
        return false;
    }
    /*
     * Without a context the NTLMSSP dissector decrypts nothing, but still adds its record to the frame. If that is
     * found, Wireshark keeps the records where the plugin expects them.
     */
    frame = ntlm_take_frame(pinfo);
    context = ntlm_context(conversation);
    ntlm_set_context(conversation, NULL);
    decrypt_next(anything, sizeof anything, pinfo, tvb);
    is_known = ntlm_take_frame(pinfo).decrypted != NULL;
    ntlm_set_context(conversation, context);
    ntlm_put_frame(pinfo, frame);
    return is_known;
}

struct ntlm_login *
ntlm_login_new(const uint8_t *message, unsigned size, uint32_t server_port)
{
    struct ntlm_login *login;

    if (size < AUTHENTICATE_SIZE) {
        return NULL;
    }
    login = wmem_new(wmem_file_scope(), struct ntlm_login);
    login->size = size + SESSION_KEY_SIZE;
    login->server_port = server_port;
    login->message = (uint8_t *)wmem_alloc0(wmem_file_scope(), login->size);
    memcpy(login->message, message, size);
    bytes_put(login->message + SESSION_KEY_FIELDS_AT, SESSION_KEY_SIZE << 16 | SESSION_KEY_SIZE, 4);
    bytes_put(login->message + SESSION_KEY_FIELDS_AT + 4, size, 4);
    return login;
}

void
keystream_init(struct keystream *stream, unsigned verifier, const struct ntlm_login *login)
{
    *stream = (struct keystream){ .verifier = verifier, .login = login };
}

/* Swaps the packet's source and destination. A second call restores them. */
static void
turn_round(packet_info *pinfo)
{
    const address from = pinfo->src;
    const uint32_t port = pinfo->srcport;

    pinfo->src = pinfo->dst;
    pinfo->srcport = pinfo->destport;
    pinfo->dst = from;
    pinfo->destport = port;
}

/*
 * Makes the NTLMSSP dissector restart both ciphers. NTLMSSP takes the packet's receiver for the server, so the
 * addresses of a packet from the server are swapped meanwhile.
 */
static void
log_in(struct keystream *stream, packet_info *pinfo, tvbuff_t *tvb)
{
    const bool is_servers = pinfo->destport != stream->login->server_port;

    if (is_servers) {
        turn_round(pinfo);
    }
    TRY
    {
        call_unseen(message_handle, stream->login->message, stream->login->size, pinfo, tvb, NULL, NULL, 0);
    }
    FINALLY
    {
        if (is_servers) {
            turn_round(pinfo);
        }
    }
    ENDTRY;
    ntlm_take_frame(pinfo);
    stream->cipher = 0;
}

static unsigned
kept(const struct keystream *stream)
{
    return (unsigned)(stream->made - stream->kept_from);
}

/* Appends the next bytes of key stream, just taken from the cipher, to stream->kept. */
static void
keystream_keep(struct keystream *stream, const uint8_t *bytes, unsigned length)
{
    const unsigned have = kept(stream);

    if (have + length > stream->room) {
        stream->room = MAX(have + length, stream->room * 2);
        stream->kept = (uint8_t *)wmem_realloc(wmem_file_scope(), stream->kept, stream->room);
    }
    memcpy(stream->kept + have, bytes, length);
    stream->made += length;
    stream->cipher += length;
}

/* Draws key stream by decrypting zeros. Returns NULL if there is no key. */
static tvbuff_t *
next_key_stream(unsigned length, packet_info *pinfo, tvbuff_t *tvb)
{
    return decrypt_next((const uint8_t *)wmem_alloc0(pinfo->pool, length), length, pinfo, tvb);
}

uint64_t
keystream_behind(const struct keystream *stream)
{
    return stream->login != NULL ? 0 : stream->made - stream->cipher;
}

/*
 * If the cipher was reset, advances it to the end of the drawn key stream. Wireshark resets ciphers when it dissects an
 * AUTHENTICATE_MESSAGE again. Returns false if there is no key.
 */
static bool
catch_up(struct keystream *stream, packet_info *pinfo, tvbuff_t *tvb)
{
    while (stream->cipher < stream->made) {
        const unsigned length = (unsigned)MIN(stream->made - stream->cipher, DRAW_AT_ONCE);
        const bool is_drawn = next_key_stream(length, pinfo, tvb) != NULL;

        ntlm_take_frame(pinfo);
        if (!is_drawn) {
            return false;
        }
        stream->cipher += length;
    }
    return true;
}

bool
keystream_draw(struct keystream *stream, uint64_t position, packet_info *pinfo, tvbuff_t *tvb)
{
    if (stream->login != NULL) {
        if (position <= stream->made) {
            return true;
        }
        /* log_in() restarts the cipher, so that all key stream is made again. Doubling its length makes this rare. */
        position = MAX(position, stream->made * 2 + DRAW_AT_LEAST);
        log_in(stream, pinfo, tvb);
    }
    if (!catch_up(stream, pinfo, tvb)) {
        return false;
    }
    while (stream->made < position) {
        const unsigned length = (unsigned)MIN(position - stream->made, DRAW_AT_ONCE);
        tvbuff_t *drawn = next_key_stream(length, pinfo, tvb);

        ntlm_take_frame(pinfo);
        if (drawn == NULL) {
            return false;
        }
        keystream_keep(stream, tvb_get_ptr(drawn, 0, (int)length), length);
    }
    return true;
}

void
keystream_apply(const struct keystream *stream, uint64_t position, const uint8_t *sealed, unsigned length,
    uint8_t *plain)
{
    const uint8_t *key = stream->kept + (position - stream->kept_from);

    for (unsigned i = 0; i < length; i++) {
        plain[i] = sealed[i] ^ key[i];
    }
}

void
keystream_forget(struct keystream *stream, uint64_t position)
{
    const uint64_t to = MIN(position, stream->made);

    if (to > stream->kept_from) {
        const unsigned left = (unsigned)(stream->made - to);

        /* Moving the key stream only when half of the bytes are free moves each byte about once. */
        if (to - stream->kept_from >= left) {
            if (left != 0) {
                memmove(stream->kept, stream->kept + (to - stream->kept_from), left);
            }
            stream->kept_from = to;
        }
    }
}

/* Advances the cipher over the verifier. keeping: keep the verifier's key stream. */
static void
take_verifier(struct keystream *stream, const uint8_t *verifier, bool keeping, packet_info *pinfo, tvbuff_t *tvb)
{
    static const uint8_t version[NTLM_VERIFIER_SIZE] = { 1 };
    const uint8_t *sealed = verifier == NULL ? version : verifier;
    uint8_t plain[NTLM_VERIFIER_SIZE] = { 0 };

    call_unseen(payload_handle, sealed, NTLM_VERIFIER_SIZE, pinfo, tvb, NULL, plain, NTLM_VERIFIER_SIZE);
    if (keeping) {
        /* The encrypted part follows the verifier's version. */
        for (unsigned i = 0; i < stream->verifier; i++) {
            plain[i] ^= sealed[4 + i];
        }
        keystream_keep(stream, plain, stream->verifier);
    } else {
        stream->made += stream->verifier;
        stream->cipher += stream->verifier;
        stream->kept_from = stream->made;
    }
}

/*
 * Replaces the decrypted data in the frame's NTLMSSP record by `plain`. answer: the buffer that the NTLMSSP dissector
 * returned, which has the same memory as the record. Returns false if the record did not change.
 */
static bool
put_plain(tvbuff_t *answer, const uint8_t *plain, unsigned length, packet_info *pinfo, tvbuff_t *tvb)
{
    tvbuff_t *again;

    memcpy((uint8_t *)tvb_get_ptr(answer, 0, (int)length), plain, length);
    again = decrypt_next(plain, length, pinfo, tvb);
    return again != NULL && tvb_memeql(again, 0, plain, length) == 0;
}

/* Lets the NTLMSSP dissector decrypt a PDU that is at the cipher's position. */
static void *
decrypt_in_turn(struct keystream *stream, const uint8_t *sealed, unsigned length, const uint8_t *verifier,
    packet_info *pinfo, tvbuff_t *tvb, uint8_t *plain)
{
    if (length != 0) {
        tvbuff_t *answer = decrypt_next(sealed, length, pinfo, tvb);

        if (answer == NULL) {
            ntlm_take_frame(pinfo);
            return NULL;
        }
        tvb_memcpy(answer, plain, 0, length);
        stream->made += length;
        stream->cipher += length;
    }
    take_verifier(stream, verifier, false, pinfo, tvb);
    return ntlm_take_frame(pinfo).decrypted;
}

void *
keystream_record(struct keystream *stream, const uint8_t *plain, unsigned length, const uint8_t *verifier,
    packet_info *pinfo, tvbuff_t *tvb)
{
    bool is_done = true;
    void *decrypted;

    if (stream->login == NULL && !catch_up(stream, pinfo, tvb)) {
        return NULL;
    }
    if (length != 0) {
        /* NTLMSSP makes a record only when it decrypts. From zeros it makes the next key stream, which is kept. */
        tvbuff_t *answer = next_key_stream(length, pinfo, tvb);

        if (answer == NULL) {
            ntlm_take_frame(pinfo);
            return NULL;
        }
        if (stream->login == NULL) {
            keystream_keep(stream, tvb_get_ptr(answer, 0, (int)length), length);
        }
        is_done = put_plain(answer, plain, length, pinfo, tvb);
    }
    take_verifier(stream, verifier, true, pinfo, tvb);
    decrypted = ntlm_take_frame(pinfo).decrypted;
    return is_done ? decrypted : NULL;
}

void *
keystream_decrypt(struct keystream *stream, uint64_t position, const uint8_t *sealed, unsigned length,
    const uint8_t *verifier, packet_info *pinfo, tvbuff_t *tvb, uint8_t *plain)
{
    if (stream->login != NULL) {
        if (!keystream_draw(stream, position + length, pinfo, tvb)) {
            return NULL;
        }
    } else if (!catch_up(stream, pinfo, tvb)) {
        return NULL;
    } else if (position == stream->made) {
        return decrypt_in_turn(stream, sealed, length, verifier, pinfo, tvb, plain);
    } else if (position < stream->kept_from || !keystream_draw(stream, position + length, pinfo, tvb)) {
        return NULL;
    }
    keystream_apply(stream, position, sealed, length, plain);
    return keystream_record(stream, plain, length, verifier, pinfo, tvb);
}
