/* test_pieces.c
 * Whether the pieces of a PDU that came in several messages belong together: what stands between them, and within
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#include <string.h>

#include "check.h"

#define PDU_SIZE   100u
#define FIRST_PART 40u
#define CALL       0x01020304u
#define OTHER_CALL 0x01020305u

static uint8_t bytes[2 * PDU_SIZE];

/* A header, [C706] 12.6.3.1, of as many bytes as there is room for. */
static void
put_header(unsigned at, uint8_t type, uint8_t flags, uint16_t length, uint32_t call, bool is_big)
{
    const uint8_t header[16] = {
        5,
        0,
        type,
        flags,
        is_big ? 0 : 0x10,
        [8] = (uint8_t)(is_big ? length >> 8 : length),
        [9] = (uint8_t)(is_big ? length : length >> 8),
        [12] = (uint8_t)(is_big ? call >> 24 : call),
        [13] = (uint8_t)(is_big ? call >> 16 : call >> 8),
        [14] = (uint8_t)(is_big ? call >> 8 : call >> 16),
        [15] = (uint8_t)(is_big ? call : call >> 24),
    };

    memcpy(bytes + at, header, MIN(sizeof header, sizeof bytes - at));
}

static void
begin(bool is_big)
{
    memset(bytes, 0xaa, sizeof bytes);
    put_header(0, PDU_RESP, PDU_FLAG_FIRST_FRAG | PDU_FLAG_LAST_FRAG, PDU_SIZE, CALL, is_big);
}

/* What is made of the PDU at an offset if so many bytes came. */
static enum pieces_outcome
take(struct pieces *own, const struct pieces *others, unsigned at, unsigned captured, bool may_go_on)
{
    tvbuff_t *tvb = tvb_new_real_data(bytes, captured, (int)captured);
    struct rpc_pdu pdu;
    enum pieces_outcome outcome;

    CHECK(rpc_pdu_read(tvb, at, &pdu), "no PDU");
    outcome = pieces_take(own, others, tvb, at, &pdu, may_go_on);
    tvb_free(tvb);
    return outcome;
}

static void
test_pieces_are_joined_in_order(void)
{
    struct pieces own = { 0 }, others = { 0 };

    begin(false);
    CHECK_EQUAL(take(&own, &others, 0, PDU_SIZE, true), PIECES_ONE, "whole");
    CHECK_EQUAL(own.begun, 1, "whole");
    CHECK_EQUAL(take(&own, &others, 0, FIRST_PART, false), PIECES_ONE, "nothing goes on");
    CHECK_EQUAL(own.begun, 2, "nothing goes on");
    CHECK_EQUAL(take(&own, &others, 0, PDU_SIZE, true), PIECES_ONE, "nothing waited");
    CHECK_EQUAL(own.begun, 3, "nothing waited");
    CHECK_EQUAL(take(&own, &others, 0, FIRST_PART, true), PIECES_WAITING, "begun");
    CHECK_EQUAL(own.begun, 4, "begun");
    CHECK_EQUAL(own.length, FIRST_PART, "begun");
    CHECK_EQUAL(take(&own, &others, 0, FIRST_PART + 1, true), PIECES_WAITING, "begun anew");
    CHECK_EQUAL(own.begun, 5, "begun anew");
    CHECK_EQUAL(take(&own, &others, 0, PDU_SIZE, true), PIECES_TOGETHER, "together");
    CHECK_EQUAL(own.begun, 5, "together");
    CHECK_EQUAL(take(&own, &others, 0, PDU_SIZE, true), PIECES_ONE, "nothing waits any more");
    CHECK_EQUAL(own.begun, 6, "nothing waits any more");

    /* Something of the other direction came between. */
    others.begun = 7;
    CHECK_EQUAL(take(&own, &others, 0, FIRST_PART, true), PIECES_WAITING, "begun");
    others.begun = 8;
    CHECK_EQUAL(take(&own, &others, 0, PDU_SIZE, true), PIECES_TORN, "not torn");
    CHECK_EQUAL(own.begun, 7, "not torn");
    CHECK_EQUAL(take(&own, &others, 0, FIRST_PART, true), PIECES_WAITING, "begun");
    CHECK_EQUAL(take(&own, &others, 0, PDU_SIZE, true), PIECES_TOGETHER, "not after it");

    /* Another PDU than the one that waits, by any byte of its header. */
    for (unsigned i = 8; i < RPC_HEADER_SIZE; i++) {
        begin(false);
        CHECK_EQUAL(take(&own, &others, 0, FIRST_PART, true), PIECES_WAITING, "begun");
        bytes[i] = i == 8 ? PDU_SIZE - 1 : i == 9 ? 0 : 0x33;
        if (i == 9 || i == 10 || i == 11) {
            continue; /* as long, and without a verifier: there is no other */
        }
        CHECK(take(&own, &others, 0, PDU_SIZE, true) == PIECES_ONE, "byte %u", i);
    }
}

static void
test_piece_behind_others_is_put_together(void)
{
    struct pieces own = { 0 };
    const struct pieces others = { 0 };

    /* The first piece stands behind another PDU; the whole stands alone. */
    begin(false);
    memmove(bytes + 5, bytes, 60);
    CHECK(take(&own, &others, 5, 5 + FIRST_PART, true) == PIECES_WAITING && own.length == FIRST_PART, "%u", own.length);
    begin(false);
    CHECK_EQUAL(take(&own, &others, 0, PDU_SIZE, true), PIECES_TOGETHER, "behind another");
    CHECK_EQUAL(take(&own, &others, 0, FIRST_PART, true), PIECES_WAITING, "begun");
    memcpy(bytes + PDU_SIZE, bytes, PDU_SIZE);
    CHECK_EQUAL(take(&own, &others, PDU_SIZE, 2 * PDU_SIZE, true), PIECES_ONE,
        "what was put together stands at the beginning");
}

/* Whether a header within the PDU, with so many bytes behind it, shows that it was torn. */
static bool
is_torn(bool is_big, unsigned behind, unsigned at, uint8_t type, uint8_t flags, uint16_t length, uint32_t call,
    unsigned odd)
{
    struct pieces own = { 0 };
    const struct pieces others = { 0 };
    enum pieces_outcome outcome;

    begin(is_big);
    CHECK_EQUAL(take(&own, &others, 0, FIRST_PART, true), PIECES_WAITING, "begun");
    put_header(at, type, flags, length, call, is_big);
    if (odd != 0) {
        bytes[at + odd] ^= 1;
    }
    outcome = take(&own, &others, 0, PDU_SIZE + behind, true);
    CHECK(outcome == PIECES_TORN || outcome == PIECES_TOGETHER, "%d", outcome);
    return outcome == PIECES_TORN;
}

static void
test_header_of_another_pdu_ends_the_piece(void)
{
    static const struct {
        const char *what;
        unsigned at;
        uint8_t type, flags;
        uint16_t length;
        uint32_t call;
        unsigned odd; /* a byte that is not as it is in a header */
        bool is_torn;
    } cases[] = {
        { "a response begins right behind the first piece", FIRST_PART, PDU_RESP, 3, 60, OTHER_CALL, 0, true },
        { "one within the first piece", FIRST_PART - 1, PDU_RESP, 3, 60, OTHER_CALL, 0, false },
        { "a request", 50, PDU_REQ, 3, 50, OTHER_CALL, 0, true },
        { "a first fragment", 50, PDU_RESP, 1, 50, OTHER_CALL, 0, true },
        { "a later one of the same call", 50, PDU_RESP, 2, 50, CALL, 0, true },
        { "a later one of another call", 50, PDU_RESP, 2, 50, OTHER_CALL, 0, false },
        { "a fault", 50, PDU_FAULT, 3, 50, OTHER_CALL, 0, false },
        { "another minor version", 50, PDU_RESP, 3, 50, OTHER_CALL, 1, false },
        { "other integers", 50, PDU_RESP, 3, 50, OTHER_CALL, 4, false },
        { "other floating point", 50, PDU_RESP, 3, 50, OTHER_CALL, 5, false },
        { "not zero", 50, PDU_RESP, 3, 50, OTHER_CALL, 6, false },
        { "not zero either", 50, PDU_RESP, 3, 50, OTHER_CALL, 7, false },
        { "too short for a response", 50, PDU_RESP, 3, 23, CALL, 0, false },
        { "as short as a response can be", 50, PDU_RESP, 3, 24, CALL, 0, true },
        { "a header at the end, of the same call", PDU_SIZE - 16, PDU_RESP, 2, 50, CALL, 0, true },
        { "of another", PDU_SIZE - 16, PDU_RESP, 2, 50, OTHER_CALL, 0, false },
        { "too short at the end", PDU_SIZE - 16, PDU_RESP, 3, 23, CALL, 0, false },
        { "of which the last byte is missing", PDU_SIZE - 15, PDU_RESP, 1, 50, OTHER_CALL, 0, true },
        { "that is not a first", PDU_SIZE - 15, PDU_RESP, 2, 50, CALL, 0, false },
        { "as much as tells one", PDU_SIZE - 8, PDU_RESP, 1, 50, OTHER_CALL, 0, true },
        { "one byte less", PDU_SIZE - 7, PDU_RESP, 1, 50, OTHER_CALL, 0, false },
    };

    for (unsigned big = 0; big < 2; big++) {
        for (size_t i = 0; i < array_length(cases); i++) {
            for (unsigned behind = 0; behind <= 20; behind += 20) {
                CHECK(is_torn(big, behind, cases[i].at, cases[i].type, cases[i].flags, cases[i].length, cases[i].call,
                          cases[i].odd) == cases[i].is_torn,
                    "%s%s, %u bytes behind", cases[i].what, big ? ", big-endian" : "", behind);
            }
        }
    }
}

/* What looks like the beginning of a header hides none that comes after it. */
static void
test_false_beginning_hides_no_header(void)
{
    struct pieces own = { 0 };
    const struct pieces others = { 0 };

    begin(false);
    take(&own, &others, 0, FIRST_PART, true);
    memset(bytes + FIRST_PART, 5, PDU_SIZE - FIRST_PART);
    CHECK_EQUAL(take(&own, &others, 0, PDU_SIZE, true), PIECES_TOGETHER, "versions alone");
    for (unsigned left = 8; left <= 20; left += 12) {
        begin(false);
        take(&own, &others, 0, FIRST_PART, true);
        memset(bytes + FIRST_PART, 5, PDU_SIZE - FIRST_PART);
        put_header(PDU_SIZE - left, PDU_REQ, PDU_FLAG_FIRST_FRAG, 40, OTHER_CALL, false);
        CHECK(take(&own, &others, 0, PDU_SIZE, true) == PIECES_TORN, "a header behind versions, %u bytes left", left);
    }
}

int
main(void)
{
    wmem_init_scopes();
    test_pieces_are_joined_in_order();
    test_piece_behind_others_is_put_together();
    test_header_of_another_pdu_ends_the_piece();
    test_false_beginning_hides_no_header();
    return check_result();
}
