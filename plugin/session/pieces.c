/* pieces.c
 * PDUs split over several messages of a pipe, and whether their pieces belong together
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

/* Minimum number of bytes that identify a header: from the version to the data representation */
#define LEAST_OF_HEADER 8u

/*
 * Returns true if another PDU begins in the buffer after the first piece. It may be an answer joined to a request, or
 * vice versa: if client and server have the same address, Wireshark cannot distinguish their messages.
 */
static bool
has_header_within(tvbuff_t *tvb, unsigned from, const struct rpc_pdu *pdu)
{
    /* Data representation, [C706] 14.1: integers, floating point, and two zero bytes. */
    const uint8_t drep[4] = { pdu->is_little_endian ? 0x10 : 0 };
    const uint8_t *bytes = tvb_get_ptr(tvb, 0, (int)pdu->length);

    for (unsigned at = from; at + LEAST_OF_HEADER <= pdu->length; at++) {
        const uint8_t *found = (const uint8_t *)memchr(bytes + at, RPC_VERSION, pdu->length - LEAST_OF_HEADER + 1 - at);
        struct rpc_pdu within;
        bool is_known;

        if (found == NULL) {
            break;
        }
        at = (unsigned)(found - bytes);
        is_known = at + RPC_HEADER_SIZE <= pdu->length && rpc_pdu_read(tvb, at, &within);
        if (memcmp(found + 4, drep, sizeof drep) == 0 && found[1] == 0 &&
            (found[2] == PDU_REQ || found[2] == PDU_RESP) &&
            (is_known ? (found[3] & PDU_FLAG_FIRST_FRAG) || within.call_id == pdu->call_id
                      : at + RPC_HEADER_SIZE > pdu->length && (found[3] & PDU_FLAG_FIRST_FRAG))) {
            return true;
        }
    }
    return false;
}

enum pieces_outcome
pieces_take(struct pieces *own, const struct pieces *others, tvbuff_t *tvb, unsigned offset, const struct rpc_pdu *pdu,
    bool may_go_on)
{
    const bool is_rest = own->is_waiting && offset == 0 && tvb_memeql(tvb, 0, own->head, RPC_HEADER_SIZE) == 0;

    own->is_waiting = false;
    if (pdu->is_whole && is_rest) {
        return own->others != others->begun || has_header_within(tvb, own->length, pdu) ? PIECES_TORN : PIECES_TOGETHER;
    }
    own->begun++;
    if (pdu->is_whole || !may_go_on) {
        return PIECES_ONE;
    }
    own->is_waiting = true;
    tvb_memcpy(tvb, own->head, (int)offset, RPC_HEADER_SIZE);
    own->length = tvb_captured_length(tvb) - offset;
    own->others = others->begun;
    return PIECES_WAITING;
}
