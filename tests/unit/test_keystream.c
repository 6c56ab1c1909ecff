/* test_keystream.c
 * Key stream drawn from another dissector: where it stands, what is kept of it, what frames and conversations keep
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#include "fake-ntlm.h"

#define AT_ONCE 65536u

static packet_info pinfo;
static tvbuff_t *tvb;
static const struct ntlm_login *login;
static struct keystream keys;

static void
anew(void)
{
    ntlm_begin(login == NULL ? 8 : 0, login != NULL);
    keystream_init(&keys, ntlm.verifier, login);
    pinfo.srcport = NTLM_CLIENT_PORT;
    pinfo.destport = NTLM_SERVER_PORT;
}

/* Whether key stream from there is what the cipher gives. */
static bool
is_key(uint64_t position, unsigned length)
{
    const bool is_servers = pinfo.srcport == NTLM_SERVER_PORT;
    uint8_t *sealed = (uint8_t *)wmem_alloc(scope, length + 1);
    uint8_t *plain = (uint8_t *)wmem_alloc0(scope, length + 1);

    memset(sealed, 0x5a, length + 1);
    plain[length] = 7;
    keystream_apply(&keys, position, sealed, length, plain);
    for (unsigned i = 0; i < length; i++) {
        if (plain[i] != (0x5a ^ ntlm_key(is_servers, position + i))) {
            return false;
        }
    }
    return plain[length] == 7;
}

static bool
is_frame_empty(void)
{
    return frame.kept[0] == NULL && frame.kept[1] == NULL;
}

static void
check_wireshark_without_ntlmssp_is_no_key_stream(void)
{
    struct fake_decrypted kept = { .length = 3 };
    int another;

    anew();
    frame.kept[0] = &another;
    frame.kept[1] = &kept;
    CHECK(ntlm_is_known(&pinfo, NULL, tvb), "the doors are there");
    CHECK(frame.kept[0] == &another, "was done harm");
    CHECK(frame.kept[1] == &kept, "was done harm");
    CHECK(conversation_keeps == &ntlm, "was done harm");
    CHECK_EQUAL(ntlm.at[0], 0, "was done harm");
    CHECK(!kept.has_payload, "was done harm");

    CHECK(ntlm_context(NULL) == &ntlm, "the conversation's");
    ntlm_set_context(NULL, NULL);
    CHECK(conversation_keeps == NULL, "none");
    CHECK(ntlm_context(NULL) == NULL, "none");
    ntlm_set_context(NULL, NULL);
    ntlm_set_context(NULL, &another);
    CHECK(ntlm_context(NULL) == &another, "another");
    ntlm_set_context(NULL, &ntlm);
    CHECK(ntlm_context(NULL) == &ntlm, "the first again");

    {
        struct ntlm_frame taken = ntlm_take_frame(&pinfo);

        CHECK(taken.context == &another, "taken");
        CHECK(taken.decrypted == &kept, "taken");
        CHECK(is_frame_empty(), "taken");
        taken.context = NULL;
        ntlm_put_frame(&pinfo, taken);
        CHECK(frame.kept[0] == NULL, "what is NULL is left out");
        CHECK(frame.kept[1] == &kept, "what is NULL is left out");
    }
    frame.kept[1] = NULL;
    ntlm_put_frame(&pinfo, (struct ntlm_frame){ &another, NULL });
    CHECK(frame.kept[0] == &another, "what is NULL is left out");
    CHECK(frame.kept[1] == NULL, "what is NULL is left out");
}

static void
check_login_is_replayed_in_its_direction(void)
{
    uint8_t message[100];
    struct ntlm_login *made;

    memset(message, 0xee, sizeof message);
    CHECK(ntlm_login_new(message, 63, 1) == NULL, "shorter than its fixed part");
    for (unsigned size = 64; size <= 100; size += 36) {
        made = ntlm_login_new(message, size, 135);
        /* [MS-NLMP] 2.2.1.3: Len, MaxLen, BufferOffset of EncryptedRandomSessionKey stand at 52. */
        const uint8_t fields[] = { 16, 0, 16, 0, (uint8_t)size, 0, 0, 0 };

        CHECK(made != NULL && made->size == size + 16 && made->server_port == 135, "of %u", size);
        CHECK(memcmp(made->message, message, 52) == 0 && memcmp(made->message + 52, fields, 8) == 0 &&
                memcmp(made->message + 60, message, size - 60) == 0,
            "of %u", size);
    }
}

static void
check_key_stream_is_drawn_once(void)
{
    anew();
    CHECK(keystream_draw(&keys, 0, &pinfo, tvb), "nothing");
    CHECK_EQUAL(ntlm.at[0], 0, "nothing");
    CHECK(keystream_draw(&keys, 100, &pinfo, tvb), "100 bytes");
    CHECK_EQUAL(keys.made, 100, "100 bytes");
    CHECK_EQUAL(keys.cipher, 100, "100 bytes");
    CHECK_EQUAL(ntlm.at[0], 100, "100 bytes");
    CHECK_EQUAL(keys.kept_from, 0, "100 bytes");
    CHECK(is_key(0, 100), "100 bytes");
    CHECK(keystream_draw(&keys, 60, &pinfo, tvb), "are there");
    CHECK_EQUAL(ntlm.at[0], 100, "are there");
    CHECK(keystream_draw(&keys, 3 * AT_ONCE + 5, &pinfo, tvb), "in several turns");
    CHECK_EQUAL(keys.made, 3 * AT_ONCE + 5, "in several turns");
    CHECK(is_key(0, 3 * AT_ONCE + 5), "in several turns");
    CHECK(is_frame_empty(), "the frame keeps it");

    /* Let go of: half must go before bytes are moved. */
    anew();
    keystream_draw(&keys, 1000, &pinfo, tvb);
    keystream_forget(&keys, 499);
    CHECK_EQUAL(keys.kept_from, 0, "less than half");
    CHECK(is_key(0, 1000), "less than half");
    keystream_forget(&keys, 500);
    CHECK(keys.kept_from == 500 && is_key(500, 500), "half of it: from %u", (unsigned)keys.kept_from);
    keystream_forget(&keys, 400);
    CHECK_EQUAL(keys.kept_from, 500, "it is gone");
    keystream_forget(&keys, 740);
    CHECK_EQUAL(keys.kept_from, 500, "less than half of the rest");
    keystream_forget(&keys, 2000);
    CHECK_EQUAL(keys.kept_from, 1000, "all that was made, and no more");
    CHECK_EQUAL(keys.made, 1000, "all that was made, and no more");
    CHECK(keystream_draw(&keys, 1200, &pinfo, tvb), "goes on");
    CHECK(is_key(1000, 200), "goes on");

    /* The server's is another. */
    anew();
    pinfo.srcport = NTLM_SERVER_PORT;
    pinfo.destport = NTLM_CLIENT_PORT;
    CHECK(keystream_draw(&keys, 300, &pinfo, tvb), "the server's");
    CHECK(is_key(0, 300), "the server's");
    CHECK_EQUAL(ntlm.at[1], 300, "the server's");
    CHECK_EQUAL(ntlm.at[0], 0, "the server's");

    anew();
    ntlm.has_key = false;
    CHECK(!keystream_draw(&keys, 10, &pinfo, tvb), "without a key");
    CHECK_EQUAL(keys.made, 0, "without a key");
    CHECK(is_frame_empty(), "without a key");
}

/* Somebody sets the cipher back. */
static void
check_cipher_that_was_set_back_is_noticed(void)
{
    anew();
    keystream_draw(&keys, 2 * AT_ONCE + 7, &pinfo, tvb);
    CHECK_EQUAL(keystream_behind(&keys), 0, "where it should be");
    ntlm.at[0] = 0;
    keys.cipher = 0;
    CHECK_EQUAL(keystream_behind(&keys), 2 * AT_ONCE + 7, "all of it");
    CHECK(keystream_draw(&keys, 2 * AT_ONCE + 8, &pinfo, tvb) && ntlm.at[0] == 2 * AT_ONCE + 8 &&
            keys.cipher == keys.made && is_key(0, 2 * AT_ONCE + 8) && is_frame_empty(),
        "the cipher stands at %u", (unsigned)ntlm.at[0]);
    ntlm.at[0] = 0;
    keys.cipher = 0;
    ntlm.has_key = false;
    CHECK(!keystream_draw(&keys, 2 * AT_ONCE + 9, &pinfo, tvb), "and the key is gone");
    CHECK(is_frame_empty(), "and the key is gone");
}

/* Decrypts what the peer would send from there; whether the frame then keeps it, and the cipher took the verifier. */
static bool
decrypts(uint64_t position, unsigned length, bool has_verifier)
{
    const bool is_servers = pinfo.srcport == NTLM_SERVER_PORT;
    uint8_t *sealed = (uint8_t *)wmem_alloc0(scope, length + 1);
    uint8_t *plain = (uint8_t *)wmem_alloc0(scope, length + 1);
    uint8_t verifier[16] = { 1 };
    const struct fake_decrypted *kept;

    memset(&frame, 0, sizeof frame);
    for (unsigned i = 0; i < length; i++) {
        sealed[i] = (uint8_t)(i * 3) ^ ntlm_key(is_servers, position + i);
    }
    for (unsigned i = 0; i < 8; i++) {
        verifier[4 + i] = (uint8_t)(0xc0 + i) ^ ntlm_key(is_servers, position + length + i);
    }
    kept = (const struct fake_decrypted *)keystream_decrypt(&keys, position, sealed, length,
        has_verifier ? verifier : NULL, &pinfo, tvb, plain);
    if (kept == NULL) {
        CHECK(is_frame_empty(), "the frame keeps something else");
        return false;
    }
    for (unsigned i = 0; i < length; i++) {
        if (plain[i] != (uint8_t)(i * 3) || kept->payload[i] != plain[i]) {
            return false;
        }
    }
    return is_frame_empty() && kept->has_verifier && (length == 0 || kept->length == length);
}

static void
check_stub_and_verifier_are_decrypted_at_any_place(void)
{
    for (unsigned has_verifier = 0; has_verifier < 2; has_verifier++) {
        anew();
        CHECK(decrypts(0, 50, has_verifier), "in turn");
        CHECK_EQUAL(keys.made, 58, "in turn");
        CHECK_EQUAL(ntlm.at[0], 58, "in turn");
        CHECK_EQUAL(keys.kept_from, 58, "in turn");
        CHECK(decrypts(58, 0, has_verifier), "a verifier alone");
        CHECK_EQUAL(keys.made, 66, "a verifier alone");
        CHECK_EQUAL(ntlm.at[0], 66, "a verifier alone");
        /* Ahead of the cipher: what is taken meanwhile is key stream for later. */
        CHECK(decrypts(166, 30, has_verifier), "ahead");
        CHECK_EQUAL(keys.kept_from, 66, "ahead");
        CHECK_EQUAL(keys.made, ntlm.at[0], "ahead");
        CHECK(keys.made >= 196, "ahead");
        CHECK(is_key(66, (unsigned)(keys.made - 66)), "what was drawn ahead, also for the verifier");
        CHECK(decrypts(66, 20, has_verifier), "behind");
        CHECK(is_key(66, (unsigned)(keys.made - 66)), "behind");
        CHECK(!decrypts(58, 4, has_verifier), "what was let go of");
        CHECK(decrypts(keys.made, 4, has_verifier), "in turn again");
        ntlm.at[0] = 0;
        keys.cipher = 0;
        CHECK(decrypts(keys.made, 4, has_verifier), "after it was set back");
        CHECK_EQUAL(ntlm.at[0], keys.made, "after it was set back");
    }
    anew();
    ntlm.has_key = false;
    CHECK(!decrypts(0, 50, true), "without a key");
    CHECK(!decrypts(40, 50, true), "without a key, ahead");
}

/* What was decrypted elsewhere gets its place in the frame, or nothing does. */
static void
check_foreign_plaintext_gets_its_place(void)
{
    static const uint8_t plain[4] = { 5, 6, 7, 8 };
    const struct fake_decrypted *kept;

    anew();
    kept = (const struct fake_decrypted *)keystream_record(&keys, plain, 4, NULL, &pinfo, tvb);
    CHECK(kept != NULL, "placed");
    if (kept != NULL) {
        CHECK_EQUAL(kept->length, 4, "placed");
        CHECK_EQUAL(memcmp(kept->payload, plain, 4), 0, "placed");
        CHECK(is_frame_empty(), "placed");
        CHECK_EQUAL(keys.made, 12, "placed");
        CHECK(is_key(0, 12), "placed");
    }
    /* Wireshark shows other memory than it keeps: the frame cannot be given what it should keep. */
    ntlm.shows_copies = true;
    CHECK(keystream_record(&keys, plain, 4, NULL, &pinfo, tvb) == NULL, "a copy");
    CHECK(is_frame_empty(), "a copy");
    CHECK_EQUAL(keys.made, 24, "the key stream goes on");
    CHECK_EQUAL(ntlm.at[0], 24, "the key stream goes on");
    CHECK(is_key(0, 24), "the key stream goes on");
    ntlm.has_key = false;
    CHECK(keystream_record(&keys, plain, 4, NULL, &pinfo, tvb) == NULL, "no key");
    CHECK(is_frame_empty(), "no key");
    keys.cipher = 0;
    CHECK(keystream_record(&keys, plain, 0, NULL, &pinfo, tvb) == NULL, "no key, and set back");
    CHECK(is_frame_empty(), "no key, and set back");
}

/* Without key exchange: each time some is drawn both ciphers begin anew, and a verifier takes none. */
static void
check_without_key_exchange_ciphers_begin_anew(void)
{
    static const uint8_t message[64] = { 0 };

    login = ntlm_login_new(message, sizeof message, NTLM_SERVER_PORT);
    for (unsigned servers = 0; servers < 2; servers++) {
        anew();
        if (servers) {
            pinfo.srcport = NTLM_SERVER_PORT;
            pinfo.destport = NTLM_CLIENT_PORT;
        }
        set_address(servers ? &pinfo.dst : &pinfo.src, AT_STRINGZ, 7, ntlm_client = "client");
        set_address(servers ? &pinfo.src : &pinfo.dst, AT_STRINGZ, 7, ntlm_server = "server");
        CHECK_EQUAL(keystream_behind(&keys), 0, "the first");
        CHECK(decrypts(0, 50, true), "the first");
        CHECK(keys.made == 2048 && keys.kept_from == 0 && ntlm.logins == 1 && ntlm.wrong_way == 0, "made %u, %u logins",
            (unsigned)keys.made, ntlm.logins);
        CHECK(pinfo.srcport == (servers ? NTLM_SERVER_PORT : NTLM_CLIENT_PORT), "the packet is turned round");
        CHECK(pinfo.destport != pinfo.srcport, "the packet is turned round");
        CHECK(pinfo.src.data == (servers ? ntlm_server : ntlm_client), "the packet is turned round");
        CHECK(pinfo.dst.data != pinfo.src.data, "the packet is turned round");
        CHECK(decrypts(50, 1998, true), "all that was drawn");
        CHECK_EQUAL(keys.made, 2048, "all that was drawn");
        CHECK_EQUAL(ntlm.logins, 1, "all that was drawn");
        /* Where the cipher was set back it is not moved on: it begins anew each time. */
        keys.cipher = 0;
        ntlm.at[servers] = 0;
        CHECK(decrypts(50, 10, true) && ntlm.at[servers] == 10, "the cipher stands at %u", (unsigned)ntlm.at[servers]);
        CHECK(decrypts(2048, 10, true), "twice as much, and more");
        CHECK_EQUAL(keys.made, 2 * 2048 + 2048, "twice as much, and more");
        CHECK_EQUAL(ntlm.logins, 2, "twice as much, and more");
        CHECK(is_key(0, 6144), "all of it");
        CHECK_EQUAL(keystream_behind(&keys), 0, "all of it");
        CHECK(keystream_draw(&keys, 100000, &pinfo, tvb), "more than twice as much");
        CHECK_EQUAL(keys.made, 100000, "more than twice as much");
        CHECK_EQUAL(ntlm.logins, 3, "more than twice as much");
        CHECK(is_key(0, 100000), "more than twice as much");
    }
}

int
main(void)
{
    static const uint8_t anything[4];

    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    pinfo.pool = scope;
    tvb = tvb_new_real_data(anything, sizeof anything, sizeof anything);
    CHECK(!ntlm_is_known(&pinfo, NULL, tvb), "nothing was looked for yet");
    for (ntlm_lacks = 1; ntlm_lacks <= NTLM_LACKS_PROTO; ntlm_lacks *= 2) {
        anew();
        ntlm_init();
        CHECK(!ntlm_is_known(&pinfo, NULL, tvb), "%u is missing", ntlm_lacks);
    }
    ntlm_lacks = 0;
    ntlm_init();
    check_wireshark_without_ntlmssp_is_no_key_stream();
    check_login_is_replayed_in_its_direction();
    check_key_stream_is_drawn_once();
    check_cipher_that_was_set_back_is_noticed();
    check_stub_and_verifier_are_decrypted_at_any_place();
    check_foreign_plaintext_gets_its_place();
    check_without_key_exchange_ciphers_begin_anew();
    wmem_destroy_allocator(scope);
    return check_result();
}
