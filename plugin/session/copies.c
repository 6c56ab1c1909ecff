/* copies.c
 * PDUs that a capture holds twice
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/hash.h"

/*
 * Numbers come round, and ports are used again: of a PDU at a place that is known the ends are compared, too. All of it
 * would take as long as reading it.
 */
#define HEAD_COMPARED 32u
#define TAIL_COMPARED 16u

struct read_pdu {
    uint64_t number; /* its place, */
    uint32_t offset; /* in its direction */
    uint32_t frame;
    uint32_t length, captured;
    uint32_t head, tail; /* sums of its ends */
};

/* What one sender sent on a connection. */
struct direction {
    struct pdu_place place;  /* of any PDU: what stands before its number is the map's key */
    wmem_array_t *in_order;  /* struct read_pdu, each behind the one before: nearly all */
    wmem_map_t *late_comers; /* struct read_pdu (by its place) -> itself */
};

static wmem_map_t *directions;      /* struct direction -> itself */
static struct direction *latest[2]; /* those that PDUs came in last, NULL: none. The next ones nearly always do, too. */
static bool any_copies;

HASH_BYTES(direction, offsetof(struct pdu_place, number))
HASH_BYTES(read_place, offsetof(struct read_pdu, frame))

void
copies_reset(void)
{
    directions = wmem_map_new(wmem_file_scope(), direction_hash, direction_equal);
    latest[0] = latest[1] = NULL;
    any_copies = false;
}

/* A sum is enough: it is no key, but tells a PDU from the one other that was read at the same place. */
static uint32_t
sum_of(const uint8_t *bytes, unsigned length)
{
    uint32_t sum = 0;
    unsigned i = 0;

    for (; i + 4 <= length; i += 4) {
        sum = sum * 31 + bytes_uint32(bytes + i, false);
    }
    for (; i < length; i++) {
        sum = sum * 31 + bytes[i];
    }
    return sum;
}

/* Whether a PDU is the one that was read at its place, or that one's beginning: a snap length may cut one of two. */
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
compare_places(const void *a, const void *b)
{
    const struct read_pdu *x = (const struct read_pdu *)a;
    const struct read_pdu *y = (const struct read_pdu *)b;

    if (x->number != y->number) {
        return x->number < y->number ? -1 : 1;
    }
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static struct direction *
direction_of(const struct pdu_place *place)
{
    const size_t key_size = offsetof(struct pdu_place, number);

    for (unsigned i = 0; i < array_length(latest); i++) {
        if (latest[i] != NULL && direction_equal(latest[i], place)) {
            return latest[i];
        }
    }
    latest[1] = latest[0];
    latest[0] = (struct direction *)hash_entry(directions, place, key_size, sizeof **latest);
    return latest[0];
}

/* What was read at the place of a PDU before; NULL: nothing, and then the PDU is, if it is to be kept. */
static struct read_pdu *
find_known(const struct pdu_place *place, const struct read_pdu *pdu, bool is_kept)
{
    struct direction *direction = direction_of(place);
    struct read_pdu *first, *known;
    unsigned count;

    if (direction->in_order == NULL) {
        direction->in_order = wmem_array_sized_new(wmem_file_scope(), sizeof *pdu, 4);
        direction->late_comers = wmem_map_new(wmem_file_scope(), read_place_hash, read_place_equal);
    }
    first = (struct read_pdu *)wmem_array_get_raw(direction->in_order);
    count = wmem_array_get_count(direction->in_order);
    if (count == 0 || compare_places(&first[count - 1], pdu) < 0) {
        if (is_kept) {
            wmem_array_append(direction->in_order, pdu, 1);
        }
        return NULL;
    }
    known = (struct read_pdu *)bsearch(pdu, first, count, sizeof *pdu, compare_places);
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
copies_note(const struct pdu_place *place, tvbuff_t *tvb, unsigned offset, unsigned length, const packet_info *pinfo)
{
    struct read_pdu *known, pdu = { place->number, place->offset, .frame = pinfo->num, .length = length };
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
    known = find_known(place, &pdu, is_first_pass);
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
