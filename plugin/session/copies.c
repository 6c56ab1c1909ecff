/* copies.c
 * PDUs that a capture holds twice
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/copies.h"

#include <string.h>

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
    uint32_t length;
    uint32_t sum; /* of its ends */
};

static wmem_map_t *all_read; /* struct pdu_place to struct read_pdu */
static bool any_copies;

HASH_BYTES(pdu_place, sizeof(struct pdu_place))

void
copies_reset(void)
{
    all_read = wmem_map_new(wmem_file_scope(), pdu_place_hash, pdu_place_equal);
    any_copies = false;
}

/* A sum is enough: it is no key, but tells a PDU from the one other that was read at the same place. */
static uint32_t
sum_of_ends(tvbuff_t *tvb, unsigned offset, unsigned length)
{
    const unsigned there = MIN(length, tvb_captured_length(tvb) - offset);
    const unsigned head = MIN(there, HEAD_COMPARED), tail = MIN(there, TAIL_COMPARED);
    const uint8_t *bytes = tvb_get_ptr(tvb, (int)offset, (int)there);
    uint32_t sum = 0;

    for (unsigned i = 0; i < head; i++) {
        sum = sum * 31 + bytes[i];
    }
    for (unsigned i = there - tail; i < there; i++) {
        sum = sum * 31 + bytes[i];
    }
    return sum;
}

uint32_t
copies_note(const struct pdu_place *place, tvbuff_t *tvb, unsigned offset, unsigned length, const packet_info *pinfo)
{
    struct read_pdu *known;
    uint32_t sum;

    if (pinfo->fd->visited && !any_copies) {
        return 0;
    }
    known = (struct read_pdu *)wmem_map_lookup(all_read, place);
    if (known != NULL && known->frame == pinfo->num) {
        return 0;
    }
    sum = sum_of_ends(tvb, offset, length);
    if (known != NULL && known->length == length && known->sum == sum) {
        any_copies = true;
        return known->frame;
    }
    if (!pinfo->fd->visited) {
        if (known == NULL) {
            known = wmem_new(wmem_file_scope(), struct read_pdu);
            known->place = *place;
            wmem_map_insert(all_read, &known->place, known);
        }
        known->frame = pinfo->num;
        known->length = length;
        known->sum = sum;
    }
    return 0;
}
