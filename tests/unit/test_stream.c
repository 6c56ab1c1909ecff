/* test_stream.c
 * Which key stream belongs to which sealed PDU: gaps, late PDUs, what is kept, how far is searched, what is said
 *
 * A PDU takes as many bytes of key stream as its stub has, and 8 for its verifier ([MS-NLMP] 3.4.4.2).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#include "fake-ntlm.h"

#define VERIFIER  8u
#define HEADER    24u
#define USUAL     5840u /* the longest fragment that is believed in unless a longer one was seen */
#define MOST_KEPT 262144u
#define BUDGET    (4u << 20)

static const uint8_t marker[8] = { 0xde, 0xc0, 0xad, 0x0b, 0x11, 0x22, 0x33, 0x44 };

static packet_info pinfo;
static struct stream *stream;
static bool is_servers;
static int bits_right, bits_wrong; /* what the check says of a stub */

/* What the peer has sent. */
static struct peer {
    uint64_t at;
    uint32_t number;
} peer;

/* A PDU on its way. */
struct sent {
    uint32_t number;
    unsigned length;
    uint64_t at;
    uint8_t type;
    bool is_nonsense, is_cut, has_no_verifier, is_other;
};

static int
check_marker(const struct stub_sample *sample)
{
    if (sample->head_length < sizeof marker) {
        return 0;
    }
    CHECK(sample->head_length == MIN(sample->length, STUB_CHECK_HEAD) &&
            sample->tail_length == MIN(sample->length, STUB_CHECK_TAIL),
        "%u, %u of %u", sample->head_length, sample->tail_length, sample->length);
    /* The tail tells, too: its last byte counts how long the stub is. */
    return memcmp(sample->head, marker, sizeof marker) == 0 &&
            sample->tail[sample->tail_length - 1] == (uint8_t)sample->length
        ? bits_right
        : bits_wrong;
}

static struct sent
send(unsigned length)
{
    const struct sent sent = { .number = peer.number++, .length = length, .at = peer.at, .type = PDU_RESP };

    peer.at += length + VERIFIER * (ntlm.verifier != 0);
    return sent;
}

static struct sent
send_nonsense(unsigned length)
{
    struct sent sent = send(length);

    sent.is_nonsense = true;
    return sent;
}

/* So many PDUs that the capture does not hold. */
static void
lose(unsigned count, unsigned length)
{
    for (unsigned i = 0; i < count; i++) {
        send(length);
    }
}

static uint8_t
plain_byte(const struct sent *sent, unsigned i)
{
    if (i == sent->length - 1) {
        return (uint8_t)sent->length;
    }
    return i < sizeof marker && !sent->is_nonsense ? marker[i] : (uint8_t)(sent->number * 31 + i);
}

static struct stream_pdu *
receive(struct sent sent)
{
    const unsigned verifier = sent.has_no_verifier ? 0 : 16;
    const unsigned captured = sent.is_cut ? HEADER + sent.length / 2 : HEADER + sent.length + verifier;
    uint8_t *bytes = (uint8_t *)wmem_alloc0(scope, HEADER + sent.length + 16);
    uint8_t *v = bytes + HEADER + sent.length;
    const struct rpc_pdu pdu = {
        .type = sent.type,
        .is_whole = !sent.is_cut,
        .has_status = sent.is_cut,
        .has_trailer = !sent.is_cut && verifier != 0,
        .length = HEADER + sent.length + verifier,
        .auth_length = verifier,
        .stub_at = HEADER,
        .stub_length = sent.length,
        .auth_at = HEADER + sent.length,
    };
    const struct stub_sample sample = { .is_response = true };
    struct stream_pdu *result;

    for (unsigned i = 0; i < sent.length; i++) {
        bytes[HEADER + i] = plain_byte(&sent, i) ^ ntlm_key(is_servers, sent.at + i);
    }
    v[0] = 1;
    for (unsigned i = 0; i < 8; i++) {
        v[4 + i] = (uint8_t)(sent.number * 7 + i + sent.is_other * 100);
    }
    for (unsigned i = 0; i < 4; i++) {
        v[12 + i] = (uint8_t)(sent.number >> 8 * i);
    }
    memset(&frame, 0, sizeof frame);
    pinfo.num++;
    result =
        stream_open(stream, &pdu, tvb_new_real_data(bytes, captured, (int)pdu.length), &pinfo, &sample, check_marker);
    CHECK(frame.kept[0] == NULL && frame.kept[1] == NULL, "frame %u keeps what was drawn", pinfo.num);
    return result;
}

/* Whether a PDU was opened, and its bytes are what the peer wrote. */
static bool
is_read(const struct stream_pdu *pdu, struct sent sent)
{
    const struct fake_decrypted *decrypted = (const struct fake_decrypted *)pdu->decrypted;

    if (pdu->state != (sent.is_cut ? STREAM_CUT : STREAM_OPENED) || decrypted == NULL || pdu->length != sent.length ||
        (sent.length != 0 && (!decrypted->has_payload || decrypted->length != sent.length))) {
        return false;
    }
    for (unsigned i = 0; i < (sent.is_cut ? sent.length / 2 : sent.length); i++) {
        if (decrypted->payload[i] != plain_byte(&sent, i)) {
            return false;
        }
    }
    return true;
}

static struct ntlm_login *login;

static void
anew(void)
{
    const unsigned verifier = login == NULL ? VERIFIER : 0;

    ntlm_begin(verifier, login != NULL);
    stream_reset_budget();
    stream = stream_new(verifier, login);
    peer = (struct peer){ 0 };
    bits_right = 64;
    bits_wrong = STUB_NONSENSE;
    pinfo.num = 100;
    pinfo.srcport = is_servers ? NTLM_SERVER_PORT : NTLM_CLIENT_PORT;
    pinfo.destport = is_servers ? NTLM_CLIENT_PORT : NTLM_SERVER_PORT;
}

#define CHECK_PDU(pdu, sent, n, bytes, last) \
    do { \
        const struct stream_pdu *p_ = (pdu); \
        CHECK(is_read(p_, sent) && p_->missing == (n) && p_->skipped == (bytes) && p_->last_frame == (last), \
            "state %u, missing %u, skipped %u, last frame %u", p_->state, p_->missing, p_->skipped, p_->last_frame); \
    } while (0)

/* The same for the next PDU, of `length` bytes. */
#define CHECK_NEXT(length, n, bytes, last) \
    do { \
        const struct sent next_ = send(length); \
        CHECK_PDU(receive(next_), next_, n, bytes, last); \
    } while (0)

/* Opens one, so that the stream is proven. */
static void
first(void)
{
    CHECK_NEXT(40, 0, 0, 0);
}

/* A stream of which one was opened. */
static void
begin_proven(void)
{
    anew();
    first();
}

/* One more in its place. */
static void
one_more(unsigned length)
{
    const struct sent sent = send(length);

    CHECK(is_read(receive(sent), sent), "in its place");
}

static void
check_in_order(void)
{
    static const unsigned lengths[] = { 40, 4, 5000, 0, 24, 70000, 16 };
    uint32_t last = 0;

    anew();
    for (size_t i = 0; i < array_length(lengths); i++) {
        const struct sent sent = send(lengths[i]);

        CHECK_PDU(receive(sent), sent, 0, 0, last);
        last = pinfo.num;
    }
    CHECK(ntlm.at[is_servers] >= peer.at, "drew %u of %u", (unsigned)ntlm.at[is_servers], (unsigned)peer.at);
}

static void
check_gap_is_skipped_in_the_key_stream(void)
{
    static const struct {
        unsigned count, length;
    } gaps[] = { { 1, 100 }, { 2, 60 }, { 3, 4 }, { 1, 0 }, { 7, 1000 } };

    for (size_t i = 0; i < array_length(gaps); i++) {
        const unsigned took = gaps[i].count * (gaps[i].length + ntlm.verifier);

        begin_proven();
        lose(gaps[i].count, gaps[i].length);
        CHECK_NEXT(48, gaps[i].count, took, 101);
        /* Nothing of it is said of the next one. */
        CHECK_NEXT(52, 0, 0, 102);
        /* A second gap counts on its own. */
        lose(2, 40);
        CHECK_NEXT(200, 2, 2 * (40 + ntlm.verifier), 103);
    }
}

/* A gap behind which the first stubs do not tell where they stand. */
static void
check_gap_stays(void)
{
    const struct stream_pdu *pdu;
    struct sent sent, late;

    begin_proven();
    late = send(100);
    sent = send_nonsense(64);
    pdu = receive(sent);
    CHECK(pdu->state == STREAM_LOST && pdu->missing == 1 && pdu->skipped == 0 && pdu->last_frame == 101 &&
            pdu->decrypted == NULL && pdu->length == 64,
        "state %u, missing %u", pdu->state, pdu->missing);
    CHECK_NEXT(48, 1, 100 + ntlm.verifier, 101);
    /* Another one stands in the gap: nothing of its key stream was kept. */
    CHECK_EQUAL(receive(late)->state, STREAM_LATE, "it is too late");
    CHECK_NEXT(48, 0, 0, 103);

    /* A second gap before the first is found out about: both are said together, and what comes late has no place. */
    begin_proven();
    late = send(100);
    sent = send_nonsense(64);
    receive(sent);
    lose(2, 30);
    CHECK_NEXT(48, 3, 100 + 60 + 3 * ntlm.verifier, 101);
    CHECK_EQUAL(receive(late)->state, STREAM_LATE, "nobody knows where it stands");
}

static void
check_late_pdu_is_opened_from_the_gap(void)
{
    struct sent sent[6], next;

    /* Of five that are missing, the first and the last have a place, then those beside them. */
    static const unsigned orders[][5] = { { 0, 1, 2, 3, 4 }, { 4, 3, 2, 1, 0 }, { 0, 4, 1, 3, 2 } };
    for (size_t i = 0; i < array_length(orders); i++) {
        begin_proven();
        for (unsigned j = 0; j < 6; j++) {
            sent[j] = send(40 + 12 * j);
        }
        CHECK_PDU(receive(sent[5]), sent[5], 5, 40 + 52 + 64 + 76 + 88 + 5 * ntlm.verifier, 101);
        for (unsigned j = 0; j < 5; j++) {
            CHECK_PDU(receive(sent[orders[i][j]]), sent[orders[i][j]], 0, 0, 102 + j);
        }
        CHECK_NEXT(44, 0, 0, 107);
    }

    /* One alone. */
    begin_proven();
    sent[0] = send(40);
    sent[1] = send(52);
    receive(sent[1]);
    CHECK_PDU(receive(sent[0]), sent[0], 0, 0, 102);

    /* One from the middle has none; nor has one that is longer than what is left; nor does nonsense take a place. */
    begin_proven();
    for (unsigned j = 0; j < 4; j++) {
        sent[j] = send(40);
    }
    receive(sent[3]);
    CHECK_EQUAL(receive(sent[1])->state, STREAM_LATE, "from the middle");
    next = sent[0];
    next.length = 3 * (40 + ntlm.verifier) - ntlm.verifier + 1;
    CHECK_EQUAL(receive(next)->state, STREAM_LATE, "longer than all that is missing");
    next = sent[2];
    next.is_nonsense = true;
    CHECK_EQUAL(receive(next)->state, STREAM_LATE, "nonsense");
    CHECK_PDU(receive(sent[0]), sent[0], 0, 0, 102);
    /* From before the gap, and unknown. */
    next = sent[0];
    next.number = 0;
    next.is_other = true;
    CHECK_EQUAL(receive(next)->state, STREAM_LATE, "before the gap");
}

/* While nobody knows yet how much is missing, the first of the missing tells itself. */
static void
check_late_into_window(void)
{
    struct sent sent[4];
    const struct stream_pdu *pdu;

    begin_proven();
    sent[0] = send(40);
    sent[1] = send(60);
    sent[2] = send_nonsense(80);
    CHECK_EQUAL(receive(sent[2])->state, STREAM_LOST, "nobody knows where it stands");
    /* The second is not the first. */
    CHECK_EQUAL(receive(sent[1])->state, STREAM_LATE, "the second of two");
    CHECK_PDU(receive(sent[0]), sent[0], 0, 0, 101);
    CHECK_NEXT(48, 1, 60 + ntlm.verifier, 104);

    /* Where all came, nothing is missing. */
    begin_proven();
    sent[0] = send(40);
    sent[1] = send(60);
    sent[2] = send_nonsense(80);
    receive(sent[2]);
    CHECK_PDU(receive(sent[0]), sent[0], 0, 0, 101);
    CHECK_PDU(receive(sent[1]), sent[1], 0, 0, 103);
    CHECK_NEXT(48, 0, 0, 104);

    /* One alone is missing. */
    begin_proven();
    sent[0] = send(40);
    sent[1] = send_nonsense(60);
    receive(sent[1]);
    CHECK_PDU(receive(sent[0]), sent[0], 0, 0, 101);

    /* One that makes no sense there changes nothing. */
    begin_proven();
    sent[0] = send_nonsense(40);
    sent[1] = send_nonsense(60);
    receive(sent[1]);
    pdu = receive(sent[0]);
    CHECK(pdu->state == STREAM_LATE && pdu->decrypted == NULL, "state %u", pdu->state);
    CHECK_NEXT(48, 1, 40 + ntlm.verifier, 101);
}

/* How far is searched: as many bytes a PDU as the longest had, in steps of 4. */
static void
check_search_reaches_as_far_as_the_longest_pdu(void)
{
    static const struct {
        unsigned length; /* of key stream that is missing */
        bool is_found;
    } cases[] = { { USUAL, true }, { USUAL + 4, false }, { 42, false }, { 44, true } };
    struct sent sent;

    for (size_t i = 0; i < array_length(cases); i++) {
        const struct stream_pdu *pdu;

        begin_proven();
        lose(1, cases[i].length - ntlm.verifier);
        sent = send(48);
        pdu = receive(sent);
        CHECK(is_read(pdu, sent) == cases[i].is_found, "%u", cases[i].length);
        CHECK(pdu->missing == 1 && pdu->skipped == (cases[i].is_found ? cases[i].length : 0), "%u of %u", pdu->skipped,
            cases[i].length);
    }
    /* A longer one was seen: 6000 bytes with its header and verifier. */
    for (unsigned more = 0; more <= 4; more += 4) {
        anew();
        sent = send(6000 - HEADER - 16);
        receive(sent);
        lose(1, 6000 - ntlm.verifier + more);
        sent = send(48);
        CHECK(is_read(receive(sent), sent) == (more == 0), "6000 and %u", more);
    }
    /* Two may be as long as two. */
    for (unsigned more = 0; more <= 4; more += 4) {
        begin_proven();
        lose(1, 2 * USUAL - 2 * ntlm.verifier - 40 + more);
        lose(1, 40);
        sent = send(48);
        CHECK(is_read(receive(sent), sent) == (more == 0), "two and %u", more);
    }
    /* One that is missing takes a verifier at least: a stub that stands where none can is not believed. */
    if (ntlm.verifier != 0) {
        begin_proven();
        peer.number++;
        sent = send(48);
        CHECK_EQUAL(receive(sent)->state, STREAM_LOST, "the missing one took nothing");
        begin_proven();
        peer.number++;
        peer.at += 4;
        sent = send(48);
        CHECK_EQUAL(receive(sent)->state, STREAM_LOST, "the missing one took 4 bytes");
    }
    /* What was counted before anything was seen need not have been sealed. */
    anew();
    peer.number = 2;
    CHECK_NEXT(48, 2, 0, 0);
}

/* How much must agree: 20 bits beyond those that tell the places from each other. */
static void
check_twenty_bits_must_agree(void)
{
    struct sent sent;

    for (int bits = 30; bits <= 31; bits++) {
        begin_proven();
        lose(1, 100);
        sent = send(48);
        bits_right = bits;
        /* 5840 / 4 + 1 = 1461 places, 11 bits. */
        CHECK(is_read(receive(sent), sent) == (bits == 31), "%d bits", bits);
    }
    for (int bits = 19; bits <= 20; bits++) {
        const struct stream_pdu *pdu;

        /* Once a stub made no sense, one must prove itself. */
        anew();
        sent = send_nonsense(40);
        pdu = receive(sent);
        CHECK(pdu->state == STREAM_NONSENSE && pdu->decrypted == NULL && pdu->missing == 0, "state %u", pdu->state);
        sent = send(40);
        bits_right = bits;
        stream->window = 0; /* it is looked at where it should be */
        pdu = receive(sent);
        CHECK(is_read(pdu, sent) == (bits == 20), "%d bits", bits);
        CHECK(bits == 20 || pdu->state == STREAM_NONSENSE, "state %u", pdu->state);

        /* What follows one that proved itself is believed, even if it makes no sense. */
        anew();
        sent = send(40);
        bits_right = bits;
        CHECK_PDU(receive(sent), sent, 0, 0, 0);
        sent = send_nonsense(44);
        CHECK(is_read(receive(sent), sent) == (bits == 20), "behind %d bits", bits);
    }
}

/* What tokens took before the first PDU, or a fault for its status: 64 bytes at most. */
static void
check_tokens_take_64_bytes_at_most(void)
{
    static const unsigned took[] = { 4, 16, 64, 68 };

    for (size_t i = 0; i < array_length(took); i++) {
        for (unsigned with_fault = 0; with_fault < 2; with_fault++) {
            const struct stream_pdu *pdu;
            struct sent sent;

            anew();
            if (with_fault) {
                first();
                sent = send(40);
                sent.type = PDU_FAULT;
                CHECK(is_read(receive(sent), sent), "a fault");
            }
            peer.at += took[i];
            sent = send(40);
            pdu = receive(sent);
            CHECK(pdu->state == STREAM_NONSENSE && pdu->decrypted == NULL, "%u: state %u", took[i], pdu->state);
            sent = send(44);
            pdu = receive(sent);
            if (took[i] <= 64) {
                CHECK_PDU(pdu, sent, 0, took[i], with_fault ? 102u : 0u);
            } else {
                CHECK(pdu->state == STREAM_NONSENSE && pdu->decrypted == NULL, "%u: state %u", took[i], pdu->state);
            }
        }
    }
    /* Nothing else takes any: in the midst of a stream that was proven once there is no such search. */
    {
        struct sent sent;

        anew();
        bits_right = 19;
        first();
        peer.at += 8;
        sent = send(40);
        CHECK_EQUAL(receive(sent)->state, STREAM_NONSENSE, "made no sense");
        sent = send(40);
        bits_right = 64;
        CHECK_EQUAL(receive(sent)->state, STREAM_NONSENSE, "nor does the next");
    }
}

/* What makes a stream doubtful, what ends that, and that doubt alone looks for what others took. */
static void
check_doubt_looks_for_what_others_took(void)
{
    struct sent sent, late;

    /* A stub behind a fault proves itself; then one is missing, and comes late. */
    begin_proven();
    sent = send(40);
    sent.type = PDU_FAULT;
    receive(sent);
    one_more(40);
    late = send(40);
    sent = send_nonsense(60);
    CHECK_EQUAL(receive(sent)->state, STREAM_LOST, "late");
    CHECK(is_read(receive(late), late), "late");
    peer.at += 8;
    CHECK_EQUAL(receive(send(40))->state, STREAM_NONSENSE, "no doubt left");
    CHECK_EQUAL(receive(send(44))->state, STREAM_NONSENSE, "no doubt left");

    /* One that proves nothing, and one whose number was not captured, leave or bring doubt. */
    for (unsigned way = 0; way < 2; way++) {
        begin_proven();
        sent = send(40);
        sent.type = way == 0 ? PDU_FAULT : PDU_RESP;
        sent.has_no_verifier = way == 1;
        receive(sent);
        bits_right = 19;
        one_more(40);
        bits_right = 64;
        peer.at += 8;
        CHECK(receive(send(40))->state == STREAM_NONSENSE, "way %u", way);
        CHECK_NEXT(44, 0, 8, pinfo.num - 2);
    }

    /* Requests are as good as responses. */
    anew();
    for (unsigned i = 0; i < 2; i++) {
        sent = send(40);
        sent.type = PDU_REQ;
        sent.is_nonsense = i == 1;
        CHECK(is_read(receive(sent), sent), "request %u", i);
    }

    /* Once one made no sense, the next must prove itself, and the one behind that need not. */
    anew();
    bits_right = 19;
    first();
    sent = send_nonsense(40);
    CHECK_EQUAL(receive(sent)->state, STREAM_NONSENSE, "nonsense");
    CHECK_EQUAL(receive(send(40))->state, STREAM_NONSENSE, "19 bits");
    bits_right = 20;
    one_more(40);
    sent = send(40);
    sent.type = PDU_FAULT;
    receive(sent);
    bits_right = 19;
    one_more(44);
}

static void
check_number_tells_the_place(void)
{
    const struct stream_pdu *pdu;
    struct sent sent;

    /* Signatures were sent before anything was sealed. */
    anew();
    stream_note_signature(stream, 4);
    peer.number = 5;
    CHECK_NEXT(40, 0, 0, 0);
    stream_note_signature(stream, 90); /* too late */
    CHECK_NEXT(40, 0, 0, 101);

    /* The peer began to count anew with the first that is sealed. */
    anew();
    stream_note_signature(stream, 4);
    peer.number = 2;
    CHECK_NEXT(40, 0, 0, 0);

    /* No number: it is the next one. */
    begin_proven();
    sent = send(40);
    sent.has_no_verifier = true;
    CHECK_PDU(receive(sent), sent, 0, 0, 101);
    CHECK_NEXT(40, 0, 0, 102);

    /* A number so far ahead that it is rubbish changes nothing; one below that is only too expensive. */
    begin_proven();
    sent = send(40);
    sent.number = 1 + 65537;
    pdu = receive(sent);
    CHECK(pdu->state == STREAM_LOST && pdu->missing == 0 && pdu->decrypted == NULL, "state %u, missing %u", pdu->state,
        pdu->missing);
    sent.number = 1;
    CHECK_PDU(receive(sent), sent, 0, 0, 101);
    /* Nor is it known again where numbers get there. */
    sent.number = 2 + 65537;
    pdu = receive(sent);
    sent.number = 2 + 65536;
    receive(sent);
    CHECK_EQUAL(stream->next_number, 2 + 65537, "one below");
    sent.number = 2 + 65537;
    CHECK(receive(sent) != pdu, "known again");
    begin_proven();
    sent = send(40);
    sent.number = 1 + 65536;
    pdu = receive(sent);
    CHECK(pdu->state == STREAM_LOST && pdu->missing == 65536, "state %u, missing %u", pdu->state, pdu->missing);

    /* Numbers wrap around. */
    anew();
    stream->next_number = peer.number = UINT32_MAX;
    first();
    CHECK_NEXT(40, 0, 0, 101);
}

static void
check_same_segment_twice_is_one(void)
{
    struct stream_pdu *pdu;
    struct sent sent, again;

    begin_proven();
    sent = send(40);
    pdu = receive(sent);
    again = send(44);
    receive(again);
    CHECK(receive(sent) == pdu, "a segment that came twice");
    again = sent;
    again.is_other = true;
    CHECK(receive(again) != pdu, "another one of its number");
    CHECK_EQUAL(receive(again)->state, STREAM_LATE, "another one of its number");
    again = sent;
    again.length = 36;
    CHECK(receive(again) != pdu, "of another length");
    CHECK_NEXT(40, 0, 0, 103);
}

static void
check_cut_pdu_moves_the_key_stream_on(void)
{
    const struct stream_pdu *pdu;
    struct sent sent;

    begin_proven();
    sent = send(100);
    sent.is_cut = true;
    pdu = receive(sent);
    CHECK(pdu->state == STREAM_CUT && is_read(pdu, sent), "state %u", pdu->state);
    CHECK_NEXT(40, 0, 0, 102);
    /* Without its number it is taken for the next one; the one behind it tells better. */
    lose(1, 40);
    sent = send(100);
    sent.is_cut = true;
    receive(sent);
    CHECK_NEXT(40, 1, 40 + ntlm.verifier, 104);
}

static void
check_no_key(void)
{
    struct sent sent;

    anew();
    ntlm.has_key = false;
    sent = send(40);
    CHECK_EQUAL(receive(sent)->state, STREAM_NO_KEY, "no key");
    lose(1, 40);
    sent = send(40);
    CHECK_EQUAL(receive(sent)->state, STREAM_LOST, "no key, and one is missing");
}

/* What comes late is opened only where no more key stream had to be kept for it than 256 KiB. */
static void
check_late_pdu_is_opened_from_what_is_kept(void)
{
    for (unsigned more = 0; more <= 4; more += 4) {
        struct sent late;
        const unsigned each = 4096 - ntlm.verifier;

        begin_proven();
        late = send(each);
        lose(62, each);
        send(each + more);
        CHECK_NEXT(40, 64, MOST_KEPT + more, 101);
        CHECK(is_read(receive(late), late) == (more == 0), "%u bytes more", more);
    }
}

/*
 * The same where what came behind it told nothing: its own place is known. Before it one was there, or so much that it
 * would not be kept, or nothing.
 */
static void
check_kept_meanwhile(void)
{
    static const struct {
        unsigned before, length, count;
    } cases[] = { { 1, 40, 64 }, { 1, 40, 65 }, { 5, 65000, 64 }, { 0, 0, 64 }, { 0, 0, 65 } };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct sent late;

        anew();
        for (unsigned j = 0; j < cases[i].before; j++) {
            one_more(cases[i].length);
        }
        late = send(100);
        for (unsigned j = 0; j < cases[i].count; j++) {
            struct sent sent = send(4096 - ntlm.verifier);

            sent.is_nonsense = true;
            CHECK(receive(sent)->state == STREAM_LOST, "%u", j);
        }
        CHECK(is_read(receive(late), late) == (cases[i].count * 4096 <= MOST_KEPT), "case %zu", i);
    }
}

/* All that is drawn for the missing and tried must fit into what a capture may cost. */
static void
check_search_costs_a_bounded_amount(void)
{
    /*
     * n missing: a window of 5840 n bytes is drawn, the PDU's own 48, and a place each 4 bytes is tried: 7300 n + 49 must
     * not be more than 4 MiB and 8 bytes for each of the two PDUs' own, 4892 and 80. That is
     * 31 bytes more than the last one needs.
     */
    const unsigned most = (BUDGET + 8 * (HEADER + 4852 + 16 + HEADER + 40 + 16) - 41 - VERIFIER) / (USUAL / 4 * 5);

    for (unsigned more = 0; more <= 1; more++) {
        struct sent sent;

        anew();
        one_more(4852);
        lose(most + more, 40);
        sent = send(40);
        CHECK(is_read(receive(sent), sent) == (more == 0), "%u missing", most + more);
    }
}

static void
set_cipher_back(void)
{
    ntlm.at[0] = ntlm.at[1] = 0;
    stream->keys.cipher = 0;
}

/* Wireshark dissects the logon anew and so sets the cipher back. */
static void
check_cipher_set_back_is_followed(void)
{
    struct sent sent;

    begin_proven();
    set_cipher_back();
    CHECK_NEXT(40, 0, 0, 101);
    lose(2, 40);
    set_cipher_back();
    CHECK_NEXT(40, 2, 2 * (40 + ntlm.verifier), 102);

    /* Drawing so much again may cost too much, too. */
    anew();
    for (unsigned i = 0; i < 70; i++) {
        receive(send(65000));
    }
    set_cipher_back();
    stream_reset_budget();
    sent = send(40);
    CHECK_EQUAL(receive(sent)->state, STREAM_LOST, "more than 4 MiB");
}

static void
check_every_outcome_holds_with_this_login(void)
{
    check_in_order();
    check_gap_is_skipped_in_the_key_stream();
    check_gap_stays();
    check_late_pdu_is_opened_from_the_gap();
    check_late_into_window();
    check_search_reaches_as_far_as_the_longest_pdu();
    check_twenty_bits_must_agree();
    check_tokens_take_64_bytes_at_most();
    check_doubt_looks_for_what_others_took();
    check_number_tells_the_place();
    check_same_segment_twice_is_one();
    check_cut_pdu_moves_the_key_stream_on();
    check_no_key();
    check_late_pdu_is_opened_from_what_is_kept();
    check_kept_meanwhile();
}

int
main(void)
{
    static const uint8_t message[64] = { 0 };

    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    pinfo.pool = scope;
    ntlm_init();
    for (unsigned servers = 0; servers <= 1; servers++) {
        is_servers = servers != 0;
        check_every_outcome_holds_with_this_login();
        check_search_costs_a_bounded_amount();
        check_cipher_set_back_is_followed();
    }
    /* Without key exchange verifiers take nothing. */
    login = ntlm_login_new(message, sizeof message, NTLM_SERVER_PORT);
    is_servers = false;
    check_every_outcome_holds_with_this_login();
    CHECK_EQUAL(ntlm.wrong_way, 0, "a login by the server");
    wmem_destroy_allocator(scope);
    return check_result();
}
