/* copies.c
 * Duplicate PDUs in a capture
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/hash.h"

/*
 * Different PDUs can have the same TCP sequence number, since the numbers wrap around and ports are reused. So the
 * first and last bytes are compared, too. Comparing all bytes would take as long as dissecting them.
 */
#define HEAD_COMPARED 32u
#define TAIL_COMPARED 16u

struct read_pdu {
    uint64_t number; /* TCP sequence number or SMB2 MessageId, from struct pdu_start */
    uint32_t offset; /* offset in the data of the SMB2 message, from struct pdu_start */
    uint32_t frame;
    uint32_t length, captured;
    uint32_t head, tail; /* checksums of the first and the last bytes */
};

/* PDUs of one sender on a connection. */
struct direction {
    struct pdu_start start;  /* only the members before .number are set: the key in `directions` */
    wmem_array_t *in_order;  /* struct read_pdu, sorted by number and offset: all PDUs except .late_comers */
    wmem_map_t *late_comers; /* set of struct read_pdu by number and offset: PDUs captured out of order */
};

static wmem_map_t *directions;      /* set of struct direction, unique by connection and sender */
static struct direction *latest[2]; /* directions of the latest PDUs, to avoid most look-ups; NULL if none */
static bool any_copies;

HASH_BYTES(direction, offsetof(struct pdu_start, number))
HASH_BYTES(read_pdu, offsetof(struct read_pdu, frame))

void
copies_reset(void)
{
    directions = wmem_map_new(wmem_file_scope(), direction_hash, direction_equal);
    latest[0] = latest[1] = NULL;
    any_copies = false;
}

/* Returns a checksum. Collisions do no harm: checksums are only compared for PDUs at the same stream position. */
static uint32_t
sum_of(const uint8_t *bytes, unsigned length)
{
    uint64_t sum = 0;
    unsigned i = 0;

    for (; i + 8 <= length; i += 8) {
        sum = sum * 31 + bytes_uint64(bytes + i, false);
    }
    for (; i < length; i++) {
        sum = sum * 31 + bytes[i];
    }
    return (uint32_t)(sum ^ sum >> 32);
}

/* Returns true if `pdu` equals `known`, or is a truncated copy of it. Both are at the same stream position. */
static bool
is_copy(const struct read_pdu *known, const struct read_pdu *pdu)
{
    return known->length == pdu->length && known->head == pdu->head && pdu->captured <= known->captured &&
        (pdu->captured < known->captured || pdu->tail == known->tail);
}

bool
copies_are_known(void)
{
    return any_copies;
}

static int
compare_starts(const void *a, const void *b)
{
    const struct read_pdu *x = (const struct read_pdu *)a;
    const struct read_pdu *y = (const struct read_pdu *)b;

    if (x->number != y->number) {
        return x->number < y->number ? -1 : 1;
    }
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static struct direction *
direction_of(const struct pdu_start *start)
{
    const size_t key_size = offsetof(struct pdu_start, number);

    for (unsigned i = 0; i < array_length(latest); i++) {
        if (latest[i] != NULL && direction_equal(latest[i], start)) {
            return latest[i];
        }
    }
    latest[1] = latest[0];
    latest[0] = (struct direction *)hash_entry(directions, start, key_size, sizeof **latest);
    return latest[0];
}

/* Returns the earlier PDU at this stream position, or NULL if there is none. is_kept: add `pdu` in that case. */
static struct read_pdu *
find_known(const struct pdu_start *start, const struct read_pdu *pdu, bool is_kept)
{
    struct direction *direction = direction_of(start);
    struct read_pdu *first, *known;
    unsigned count;

    if (direction->in_order == NULL) {
        direction->in_order = wmem_array_sized_new(wmem_file_scope(), sizeof *pdu, 4);
        direction->late_comers = wmem_map_new(wmem_file_scope(), read_pdu_hash, read_pdu_equal);
    }
    first = (struct read_pdu *)wmem_array_get_raw(direction->in_order);
    count = wmem_array_get_count(direction->in_order);
    if (count == 0 || compare_starts(&first[count - 1], pdu) < 0) {
        if (is_kept) {
            wmem_array_append(direction->in_order, pdu, 1);
        }
        return NULL;
    }
    known = (struct read_pdu *)bsearch(pdu, first, count, sizeof *pdu, compare_starts);
    if (known == NULL) {
        known = (struct read_pdu *)wmem_map_lookup(direction->late_comers, pdu);
    }
    if (known == NULL && is_kept) {
        known = (struct read_pdu *)wmem_memdup(wmem_file_scope(), pdu, sizeof *pdu);
        wmem_map_insert(direction->late_comers, known, known);
        return NULL;
    }
    return known;
}

uint32_t
copies_note(const struct pdu_start *start, tvbuff_t *tvb, unsigned offset, unsigned length, const packet_info *pinfo)
{
    struct read_pdu *known, pdu = { start->number, start->offset, .frame = pinfo->num, .length = length };
    const bool is_first_pass = !pinfo->fd->visited;
    const uint8_t *bytes;
    unsigned tail;

    if (!is_first_pass && !any_copies) {
        return 0;
    }
    pdu.captured = MIN(length, tvb_captured_length(tvb) - offset);
    bytes = tvb_get_ptr(tvb, (int)offset, (int)pdu.captured);
    tail = MIN(pdu.captured, TAIL_COMPARED);
    pdu.head = sum_of(bytes, MIN(pdu.captured, HEAD_COMPARED));
    pdu.tail = sum_of(bytes + pdu.captured - tail, tail);
    known = find_known(start, &pdu, is_first_pass);
    if (known == NULL || known->frame == pinfo->num) {
        return 0;
    }
    if (is_copy(known, &pdu)) {
        any_copies = true;
        return known->frame;
    }
    if (is_first_pass) {
        *known = pdu;
    }
    return 0;
}
