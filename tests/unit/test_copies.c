/* test_copies.c
 * Whether a PDU was read before: by its place, its length and its ends
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#include <string.h>

#include "check.h"
#include "file-scope.h"

#define PDU_SIZE 100u
#define AT       7u /* where it stands in what carries it */

static uint8_t bytes[AT + PDU_SIZE];
static frame_data frame;
static const struct pdu_start usual = { .connection = bytes,
    .number = 1,
    .offset = 2,
    .sender = 3,
    .is_message = true };

/* The frame in which what stands there was read, if so many bytes of a PDU of that length are captured. */
static uint32_t
note_at(const struct pdu_start *start, unsigned length, unsigned captured, uint32_t number)
{
    const packet_info pinfo = { .num = number, .fd = &frame };
    tvbuff_t *tvb = tvb_new_real_data(bytes, AT + captured, (int)(AT + length));
    const uint32_t found = copies_note(start, tvb, AT, length, &pinfo);

    tvb_free(tvb);
    return found;
}

static uint32_t
note(uint32_t number)
{
    return note_at(&usual, PDU_SIZE, PDU_SIZE, number);
}

static void
begin(void)
{
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i + 1);
    }
    frame.visited = 0;
    copies_reset();
}

static void
test_later_passes_say_what_the_first_said(void)
{
    begin();
    CHECK_EQUAL(note(1), 0, "the first");
    CHECK_EQUAL(note(1), 0, "the same frame, dissected again");
    frame.visited = 1;
    CHECK_EQUAL(note(2), 0, "no copy was met on the first pass, so there is none");
    frame.visited = 0;
    CHECK_EQUAL(note(2), 1, "not a copy");
    CHECK_EQUAL(note(3), 1, "not a copy");
    frame.visited = 1;
    CHECK_EQUAL(note(1), 0, "later passes say something else");
    CHECK_EQUAL(note(2), 1, "later passes say something else");
    CHECK_EQUAL(note(3), 1, "later passes say something else");
    /* What is seen on a later pass alone is not learned. */
    CHECK_EQUAL(note_at(&(struct pdu_start){ .number = 9 }, 50, 50, 9), 0, "learned");
    bytes[AT]++;
    CHECK_EQUAL(note(4), 0, "another");
    bytes[AT]--;
    CHECK_EQUAL(note(5), 1, "another took its place on a later pass");
    frame.visited = 0;
    CHECK_EQUAL(note_at(&(struct pdu_start){ .number = 9 }, 50, 50, 10), 0, "was learned on a later pass");
    copies_reset();
    CHECK_EQUAL(note(11), 0, "what was read in another capture");
    frame.visited = 1;
    CHECK_EQUAL(note(12), 0, "copies of another capture");
}

static void
test_a_pdu_is_known_by_its_place(void)
{
    struct pdu_start other;

    begin();
    note(1);
#define CHECK_OTHER(member, value) \
    other = usual; \
    other.member = (value); \
    CHECK_EQUAL(note_at(&other, PDU_SIZE, PDU_SIZE, 2), 0, "another " #member); \
    CHECK(note_at(&other, PDU_SIZE, PDU_SIZE, 3) == 2, "the same " #member)
    CHECK_OTHER(connection, bytes + 1);
    CHECK_OTHER(number, 1 + (UINT64_C(1) << 32));
    CHECK_OTHER(offset, 3);
    CHECK_OTHER(sender, 2);
    CHECK_OTHER(is_message, false);
    CHECK_EQUAL(note(4), 1, "its own place");
}

/* Places in whatever order they come: each is new once, and then known by the frame that was the first. */
static void
test_places_are_new_once_in_any_order(void)
{
    static const struct {
        uint64_t number;
        uint32_t offset;
    } places[] = { { 5, 5 }, { 5, 6 }, { 6, 0 }, { 9, 9 }, { 7, 1 }, { 9, 8 }, { 5, 4 }, { 4, 7 }, { 9, 10 }, { 8, 20 },
        { 10, 0 } };
    const unsigned count = array_length(places);

    begin();
    for (unsigned i = 0; i < 3 * count; i++) {
        struct pdu_start start = usual;

        start.number = places[i % count].number;
        start.offset = places[i % count].offset;
        frame.visited = i >= 2 * count;
        CHECK(note_at(&start, PDU_SIZE, PDU_SIZE, i + 1) == (i < count ? 0 : i % count + 1), "%u", i);
    }
    /* Behind all others or before them: a later pass learns nothing. */
    for (unsigned i = 0; i < 4; i++) {
        struct pdu_start start = usual;

        start.number = i < 2 ? 11 : 1;
        CHECK(note_at(&start, PDU_SIZE, PDU_SIZE, 100 + i) == 0, "number %u, %u", (unsigned)start.number, i);
    }
}

/* Ends of 32 and 16 bytes tell PDUs from each other; what stands between is not looked at. */
static void
test_both_ends_of_a_pdu_tell_it_from_others(void)
{
    static const struct {
        unsigned at;
        bool is_copy;
    } cases[] = { { 0, false }, { 1, false }, { 31, false }, { 32, true }, { PDU_SIZE - 17, true },
        { PDU_SIZE - 16, false }, { PDU_SIZE - 1, false } };

    for (size_t i = 0; i < array_length(cases); i++) {
        begin();
        note(1);
        bytes[AT + cases[i].at] ^= 0x80;
        CHECK(note(2) == cases[i].is_copy, "byte %u", cases[i].at);
        /* The latest at a place is the one that is known. */
        CHECK(note(3) == (cases[i].is_copy ? 1u : 2u), "byte %u", cases[i].at);
        bytes[AT + cases[i].at] ^= 0x80;
        CHECK(note(4) == cases[i].is_copy, "byte %u, again", cases[i].at);
    }
    for (unsigned at = 0; at < PDU_SIZE - 1; at += PDU_SIZE - 2) {
        begin();
        note(1);
        bytes[AT + at] = (uint8_t)(at + 9);
        bytes[AT + at + 1] = (uint8_t)(at + 8);
        CHECK(note(2) == 0, "bytes %u and %u are the other way round", at, at + 1);
    }
    begin();
    note(1);
    CHECK_EQUAL(note_at(&usual, PDU_SIZE - 1, PDU_SIZE - 1, 2), 0, "another length");
}

/* A snap length may cut one of two. */
static void
test_cut_pdu_may_be_a_copy(void)
{
    static const unsigned sizes[] = { 0, 1, 15, 16, 31, 32, 33, PDU_SIZE - 1 };

    for (size_t i = 0; i < array_length(sizes); i++) {
        begin();
        note(1);
        CHECK(note_at(&usual, PDU_SIZE, sizes[i], 2) == (sizes[i] >= 32), "%u bytes", sizes[i]);
        begin();
        CHECK(note_at(&usual, PDU_SIZE, sizes[i], 1) == 0 && note(2) == 0, "%u bytes, then all", sizes[i]);
        CHECK(note(3) == 2, "%u bytes, then all, and again", sizes[i]);
        begin();
        memset(bytes, 1, sizeof bytes);
        note_at(&usual, PDU_SIZE, sizes[i], 1);
        CHECK(note(2) == 0, "%u bytes, then all, which end alike", sizes[i]);
        begin();
        note_at(&usual, PDU_SIZE, sizes[i], 1);
        CHECK(note_at(&usual, PDU_SIZE, sizes[i], 2) == 1, "%u bytes twice", sizes[i]);
        if (sizes[i] != 0) {
            bytes[AT + sizes[i] - 1]++;
            CHECK(note_at(&usual, PDU_SIZE, sizes[i], 3) == 0, "%u bytes that end otherwise", sizes[i]);
        }
    }
}

int
main(void)
{
    wmem_init_scopes();
    test_later_passes_say_what_the_first_said();
    test_a_pdu_is_known_by_its_place();
    test_places_are_new_once_in_any_order();
    test_both_ends_of_a_pdu_tell_it_from_others();
    test_cut_pdu_may_be_a_copy();
    return check_result();
}
