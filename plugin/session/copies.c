/* copies.c
 * PDUs that a capture holds twice
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"

/*
 * Numbers come round, and ports are used again: of a PDU at a place that is known the ends are compared, too. All of it
 * would take as long as reading it.
 */
#define HEAD_COMPARED 32u
#define TAIL_COMPARED 16u

struct read_pdu {
    struct pdu_place place; /* the map's key */
    uint32_t frame;
    uint32_t length, captured;
    uint32_t head, tail; /* sums of its ends */
};

static wmem_map_t *all_read; /* struct pdu_place to struct read_pdu */
static bool any_copies;

/* Every PDU has one: only what its sender may choose is hashed at length. */
static guint
pdu_place_hash(const void *key)
{
    const struct pdu_place *place = (const struct pdu_place *)key;
    const guint chosen = wmem_strong_hash((const guint8 *)&place->number,
        offsetof(struct pdu_place, is_message) - offsetof(struct pdu_place, number));

    return hash_join(chosen, g_direct_hash(place->connection));
}

EQUAL_BYTES(pdu_place, sizeof(struct pdu_place))

void
copies_reset(void)
{
    all_read = wmem_map_new(wmem_file_scope(), pdu_place_hash, pdu_place_equal);
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

/* What was read at the place of a PDU before; NULL: nothing, and then the PDU is, if it is to be kept. */
static struct read_pdu *
find_known(const struct read_pdu *pdu, bool is_kept)
{
    struct read_pdu *kept, *known;

    if (!is_kept) {
        return (struct read_pdu *)wmem_map_lookup(all_read, &pdu->place);
    }
    /* Nearly always there is nothing, so that the map is not searched twice. */
    kept = (struct read_pdu *)wmem_memdup(wmem_file_scope(), pdu, sizeof *pdu);
    known = (struct read_pdu *)wmem_map_insert(all_read, &kept->place, kept);
    if (known != NULL) {
        wmem_map_insert(all_read, &known->place, known);
        wmem_free(wmem_file_scope(), kept);
    }
    return known;
}

uint32_t
copies_note(const struct pdu_place *place, tvbuff_t *tvb, unsigned offset, unsigned length, const packet_info *pinfo)
{
    struct read_pdu *known, pdu = { .place = *place, .frame = pinfo->num, .length = length };
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
    known = find_known(&pdu, is_first_pass);
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
