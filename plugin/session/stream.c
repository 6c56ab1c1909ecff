/* stream.c
 * One direction of a sealed NTLM context: finds the key stream of each PDU
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#include "base/bytes.h"

/* Distance between tried key stream positions: stubs are padded to at least this multiple, [MS-RPCE] 2.2.2.11. */
#define PLACE_STEP      4u
/*
 * Maximum number of bytes of key stream that tokens, or the status of a fault, may have used before the first PDU. They
 * should not use any.
 */
#define OTHERS_MAY_TAKE 64u
/* Assumed maximum fragment length until longer ones are seen; client and server usually agree on less. */
#define USUAL_FRAGMENT  5840u
/*
 * Number of bits of a decrypted stub that must be as expected to prove the position in the key stream, in addition to
 * log2 of the number of positions tried
 */
#define PROOF_BITS      20
/* Maximum number of missing PDUs. A sequence number further ahead is treated as invalid. */
#define MOST_MISSING    65536u
/* Maximum bytes of a gap's key stream to keep for PDUs received late. */
#define MOST_KEPT       262144u

/*
 * Limit on key stream drawn for missing PDUs, since it costs time and memory and a forged capture could claim any
 * number of them: initial bytes per capture, and additional bytes per byte of sealed PDUs.
 */
#define BUDGET_AT_FIRST (4u << 20)
#define BUDGET_A_BYTE   8u

static uint64_t budget;

void
stream_reset_budget(void)
{
    budget = BUDGET_AT_FIRST;
}

struct stream *
stream_new(unsigned verifier, const struct ntlm_login *login)
{
    struct stream *stream = wmem_new0(wmem_file_scope(), struct stream);

    keystream_init(&stream->keys, verifier, login);
    stream->longest = USUAL_FRAGMENT;
    stream->pdus = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    return stream;
}

void
stream_note_signature(struct stream *stream, uint32_t number)
{
    if (!stream->has_begun) {
        stream->next_number = number + 1;
    }
}

/* Context of decrypting a PDU. */
struct opening {
    struct stream *stream;
    const struct rpc_pdu *pdu;
    tvbuff_t *tvb;
    packet_info *pinfo;
    struct stub_sample sample;
    stub_check check;
    uint8_t *sealed, *plain; /* encrypted and decrypted stub, stub_length bytes each */
    const uint8_t *verifier; /* verifier of the PDU; NULL if not captured */
    uint32_t number;
    struct stream_pdu *result;
};

/* Returns the result of o->check() for the stub decrypted with the key stream at `position`. o->check: not NULL. */
static int
sense_at(struct opening *o, uint64_t position)
{
    const unsigned tail_at = o->sample.length - o->sample.tail_length;
    uint8_t head[STUB_CHECK_HEAD], tail[STUB_CHECK_TAIL];

    keystream_apply(&o->stream->keys, position, o->sealed, o->sample.head_length, head);
    keystream_apply(&o->stream->keys, position + tail_at, o->sealed + tail_at, o->sample.tail_length, tail);
    o->sample.head = head;
    o->sample.tail = tail;
    return o->check(&o->sample);
}

/* Returns the result of o->check() for the decrypted stub, or 0 if o->check is NULL. */
static int
sense_of_plain(struct opening *o)
{
    if (o->check == NULL) {
        return 0;
    }
    o->sample.head = o->plain;
    o->sample.tail = o->plain + o->sample.length - o->sample.tail_length;
    return o->check(&o->sample);
}

/* Returns the number of bytes of key stream that the PDU uses. */
static unsigned
stream_extent(const struct opening *o)
{
    return o->pdu->stub_length + o->stream->keys.verifier;
}

static int
bits_of(uint64_t number)
{
    int bits = 0;

    while (number != 0) {
        number >>= 1;
        bits++;
    }
    return bits;
}

static bool
spend(uint64_t bytes)
{
    if (bytes > budget) {
        return false;
    }
    budget -= bytes;
    return true;
}

static bool
decrypt_at(struct opening *o, uint64_t position)
{
    o->result->decrypted = keystream_decrypt(&o->stream->keys, position, o->sealed, o->pdu->stub_length, o->verifier,
        o->pinfo, o->tvb, o->plain);
    return o->result->decrypted != NULL;
}

/* Sets the stream's position to `place`. The PDU decrypts to a valid stub there, which proves the position. */
static void
set_right(struct opening *o, uint64_t place)
{
    struct stream *stream = o->stream;

    o->result->missing = stream->missing;
    o->result->skipped = (uint32_t)(place - stream->at);
    stream->window = 0;
    stream->missing = 0;
    stream->is_proven = true;
    stream->is_doubtful = false;
    stream->made_no_sense = false;
    stream->at = place;
}

/* Searches the window for the position that decrypts to a valid stub. */
static bool
find_place(struct opening *o, uint64_t *place)
{
    struct stream *stream = o->stream;
    /*
     * Each missing PDU used at least the key stream of its verifier. Before the first decrypted PDU this is not
     * certain, since the missing PDUs may have been unsealed.
     */
    const uint64_t least = stream->last_frame == 0 ? 0 : (uint64_t)stream->missing * stream->keys.verifier;
    const uint64_t places = stream->window / PLACE_STEP + 1;
    const int enough = PROOF_BITS + bits_of(places);
    const uint64_t end = stream->at + stream->window + stream_extent(o);
    const uint64_t needed = end > stream->keys.made ? end - stream->keys.made : 0;

    /* Trying a position costs about as much as drawing a byte, so both count alike. */
    if (o->check == NULL || !spend(needed + places) || !keystream_draw(&stream->keys, end, o->pinfo, o->tvb)) {
        return false;
    }
    for (uint64_t skip = least; skip <= stream->window; skip += PLACE_STEP) {
        if (sense_at(o, stream->at + skip) >= enough) {
            *place = stream->at + skip;
            return true;
        }
    }
    return false;
}

/* Keeps the key stream of missing PDUs, from gap->from to position `to`, in case they are received late. */
static void
keep_gap(struct opening *o, uint64_t to)
{
    struct stream_gap *gap = &o->stream->gap;
    const uint64_t length = to - gap->from;

    gap->to = to;
    /* If a PDU between the missing ones could not be decrypted, their positions are unknown, and nothing is kept. */
    if (gap->count != 0 && gap->from == o->stream->at && length <= MOST_KEPT &&
        gap->from >= o->stream->keys.kept_from && to <= o->stream->keys.made) {
        uint8_t *zeros = (uint8_t *)wmem_alloc0(o->pinfo->pool, (size_t)length + 1);

        gap->kept = (uint8_t *)wmem_alloc(wmem_file_scope(), (size_t)length + 1);
        keystream_apply(&o->stream->keys, gap->from, zeros, (unsigned)length, gap->kept);
    }
}

/* Widens the window by the length of the longest PDU for each PDU missing before this one. */
static void
stream_open_window(struct opening *o, uint32_t missing)
{
    struct stream *stream = o->stream;
    const uint64_t most = (uint64_t)missing * stream->longest;

    stream->gap = (struct stream_gap){ .from = stream->at };
    if (stream->window == 0) {
        stream->gap.first = stream->next_number;
        stream->gap.count = missing;
    }
    stream->window += most;
    stream->missing += missing;
    stream->is_proven = false;
}

/* Decrypts a PDU whose position is known exactly. */
static enum stream_state
open_in_step(struct opening *o)
{
    struct stream *stream = o->stream;
    const uint64_t at = stream->at;
    int sense;

    if (!decrypt_at(o, at)) {
        return STREAM_NO_KEY;
    }
    stream->at = at + stream_extent(o);
    /*
     * After a valid stub the position is certain: sequence numbers show that no PDU is missing. So an invalid stub is
     * what was sent, not a wrong decryption.
     */
    if (stream->is_proven) {
        return STREAM_OPENED;
    }
    sense = sense_of_plain(o);
    if (sense == STUB_NONSENSE || (stream->made_no_sense && sense < PROOF_BITS)) {
        /* Later fragments of this stub cannot be checked, so they are treated as nonsense, too. */
        stream->made_no_sense = true;
        o->result->decrypted = NULL;
        if (stream->last_frame == 0 || stream->is_doubtful) {
            stream->window = OTHERS_MAY_TAKE;
        }
        return STREAM_NONSENSE;
    }
    stream->is_proven = sense >= PROOF_BITS;
    stream->is_doubtful = stream->is_doubtful && !stream->is_proven;
    stream->made_no_sense = false;
    return STREAM_OPENED;
}

/* Decrypts a PDU whose position in the key stream is uncertain, usually since PDUs before it are missing. */
static enum stream_state
open_behind_gap(struct opening *o)
{
    struct stream *stream = o->stream;
    uint64_t place;

    if (!find_place(o, &place)) {
        o->result->missing = stream->missing;
        stream->at += stream_extent(o);
        return stream->missing == 0 ? STREAM_NONSENSE : STREAM_LOST;
    }
    keep_gap(o, place);
    set_right(o, place);
    if (!decrypt_at(o, place)) {
        return STREAM_NO_KEY;
    }
    stream->at = place + stream_extent(o);
    return STREAM_OPENED;
}

/*
 * Returns the kept key stream of a missing PDU that is received late, or NULL if it was freed or its position is
 * unknown.
 */
static const uint8_t *
late_key(const struct opening *o, unsigned nth)
{
    const struct stream_gap *gap = &o->stream->gap;
    const unsigned length = stream_extent(o);

    if (gap->kept == NULL || nth >= gap->count || length > gap->to - gap->from) {
        return NULL;
    }
    /* Only the first and the last PDU of the gap have known positions. */
    if (nth == 0) {
        return gap->kept;
    }
    return nth + 1 == gap->count ? gap->kept + (gap->to - gap->from - length) : NULL;
}

/* Decrypts a missing PDU that is received late, after the gap's length was found. */
static enum stream_state
open_late(struct opening *o)
{
    struct stream *stream = o->stream;
    struct stream_gap *gap = &stream->gap;
    const uint32_t nth = o->number - gap->first;
    const unsigned length = stream_extent(o);
    const uint8_t *key = late_key(o, nth);

    if (key == NULL) {
        return STREAM_LATE;
    }
    for (unsigned i = 0; i < o->pdu->stub_length; i++) {
        o->plain[i] = o->sealed[i] ^ key[i];
    }
    if (sense_of_plain(o) != STUB_NONSENSE) {
        o->result->decrypted =
            keystream_record(&stream->keys, o->plain, o->pdu->stub_length, o->verifier, o->pinfo, o->tvb);
    }
    if (o->result->decrypted == NULL) {
        return STREAM_LATE;
    }
    if (nth == 0) {
        gap->first++;
        gap->from += length;
        gap->kept += length;
    } else {
        gap->to -= length;
    }
    gap->count--;
    return STREAM_OPENED;
}

/*
 * Decrypts the first PDU of a gap if it is received late, while the key stream position after the gap is uncertain. The
 * late PDU's key stream starts at gap->from.
 */
static enum stream_state
open_into_window(struct opening *o)
{
    struct stream *stream = o->stream;
    struct stream_gap *gap = &stream->gap;
    const unsigned length = stream_extent(o);

    if (gap->count == 0 || o->number != gap->first || gap->from < stream->keys.kept_from ||
        !keystream_draw(&stream->keys, gap->from + length, o->pinfo, o->tvb) || !decrypt_at(o, gap->from)) {
        return STREAM_LATE;
    }
    if (sense_of_plain(o) == STUB_NONSENSE) {
        o->result->decrypted = NULL;
        return STREAM_LATE;
    }
    gap->first++;
    gap->count--;
    gap->from += length;
    stream->missing--;
    stream->at += length;
    stream->window -= MIN(stream->window, stream->longest);
    if (stream->missing == 0) {
        stream->window = 0;
    }
    return STREAM_OPENED;
}

/* Reads the sequence number, which follows version and checksum in the verifier: [MS-NLMP] 2.2.2.9.2. */
static bool
stream_read_number(const struct opening *o, uint32_t *number)
{
    *number = o->verifier == NULL ? 0 : bytes_uint32(o->verifier + 12, false);
    return o->verifier != NULL && bytes_uint32(o->verifier, false) == 1;
}

static uint32_t
read_checksum(const struct opening *o)
{
    return o->verifier == NULL ? 0 : bytes_uint32(o->verifier + 4, false);
}

/* Returns the stored PDU if this one is a retransmission, or a part of one after reassembly; else NULL. */
static struct stream_pdu *
stream_find_earlier(const struct opening *o)
{
    struct stream_pdu *earlier = (struct stream_pdu *)wmem_map_lookup(o->stream->pdus, GUINT_TO_POINTER(o->number));

    /* The length is compared, too: the stored decrypted stub fits only a stub of the same length. */
    return earlier != NULL && earlier->checksum == read_checksum(o) && earlier->length == o->pdu->stub_length ? earlier
                                                                                                              : NULL;
}

/* Reads the stub. Bytes that were not captured are zero. */
static void
fetch(struct opening *o)
{
    const unsigned length = o->pdu->stub_length;
    const int there = tvb_captured_length_remaining(o->tvb, (int)o->pdu->stub_at);
    const unsigned captured = length == 0 || there <= 0 ? 0 : MIN((unsigned)there, length);

    o->sealed = (uint8_t *)wmem_alloc0(o->pinfo->pool, length + 1);
    o->plain = (uint8_t *)wmem_alloc0(o->pinfo->pool, length + 1);
    if (captured != 0) {
        tvb_memcpy(o->tvb, o->sealed, (int)o->pdu->stub_at, captured);
    }
    if (o->pdu->has_trailer && o->pdu->auth_length == NTLM_VERIFIER_SIZE) {
        o->verifier = tvb_get_ptr(o->tvb, (int)o->pdu->auth_at, NTLM_VERIFIER_SIZE);
    }
    o->sample.length = rpc_pdu_stub_size(o->pdu);
    o->sample.head_length = MIN(o->sample.length, STUB_CHECK_HEAD);
    o->sample.tail_length = MIN(o->sample.length, STUB_CHECK_TAIL);
    if (!o->pdu->is_whole || length == 0) {
        o->check = NULL;
    }
}

struct stream_pdu *
stream_open(struct stream *stream, const struct rpc_pdu *pdu, tvbuff_t *tvb, packet_info *pinfo,
    const struct stub_sample *sample, stub_check check)
{
    struct opening o = { .stream = stream, .pdu = pdu, .tvb = tvb, .pinfo = pinfo, .sample = *sample, .check = check };
    struct stream_pdu *result;

    fetch(&o);
    if (!stream_read_number(&o, &o.number)) {
        o.number = stream->next_number;
    } else if (!stream->has_begun && o.number < stream->next_number) {
        stream->next_number = o.number; /* the sender restarted its sequence numbers */
    } else if ((result = stream_find_earlier(&o)) != NULL) {
        return result;
    }
    stream->has_begun = true;
    result = o.result = wmem_new0(wmem_file_scope(), struct stream_pdu);
    result->last_frame = stream->last_frame;
    result->length = pdu->stub_length;
    result->checksum = read_checksum(&o);
    if (!spend(keystream_behind(&stream->keys))) {
        result->state = STREAM_LOST;
        return result;
    }
    if ((int32_t)(o.number - stream->next_number) < 0) {
        result->state = stream->window == 0 ? open_late(&o) : open_into_window(&o);
    } else if (o.number - stream->next_number > MOST_MISSING) {
        result->state = STREAM_LOST;
        return result;
    } else {
        budget += (uint64_t)BUDGET_A_BYTE * pdu->length;
        if (o.number != stream->next_number) {
            stream_open_window(&o, o.number - stream->next_number);
        }
        stream->longest = MAX(stream->longest, pdu->length);
        stream->next_number = o.number + 1;
        result->state = stream->window == 0 ? open_in_step(&o) : open_behind_gap(&o);
        if (o.verifier == NULL || (pdu->type != PDU_REQ && pdu->type != PDU_RESP)) {
            /* The sequence number was not captured, or it is unknown how much of the PDU was sealed. */
            stream->is_proven = false;
            stream->is_doubtful = true;
        }
        /* The key stream of a short gap is kept, since its PDUs may be received late. */
        keystream_forget(&stream->keys,
            stream->window != 0 && stream->gap.count != 0 && stream->at - stream->gap.from <= MOST_KEPT
                ? stream->gap.from
                : stream->at);
    }
    wmem_map_insert(stream->pdus, GUINT_TO_POINTER(o.number), result);
    if (result->state == STREAM_OPENED) {
        stream->last_frame = pinfo->num;
        if (!pdu->is_whole) {
            result->state = STREAM_CUT;
        }
    }
    return result;
}
