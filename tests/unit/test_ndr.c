/* test_ndr.c
 * Numbers, GUIDs, arrays' counts and strings of NDR and NDR64: where each begins, how long it is, what it says
 *
 * [C706] 14.2, 14.3; [MS-RPCE] 2.2.5
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/ndr.h"

#include <epan/guid-utils.h>

#include "fake-items.h"

#define SIZE 96

static packet_info pinfo;
static dcerpc_call_value call;
static dcerpc_info di = { .call_data = &call };
static uint8_t little[4] = { 0x10 }, big[4] = { 0x00 }, bytes[SIZE];
static e_guid_t guid_said;
static proto_item guid_item;

/* Beside the others in fake-items.h. */
proto_item *
proto_tree_add_guid(proto_tree *tree, int hf, tvbuff_t *tvb, int start, int length, const e_guid_t *value)
{
    guid_said = *value;
    proto_tree_add_item(tree, hf, tvb, start, length, 0);
    return &guid_item;
}

/* A stub of so many bytes, 0x01, 0x02, ..., of which so many were captured. */
static struct ndr
stub(unsigned captured, unsigned size, bool is_64, uint8_t *drep)
{
    items_clear();
    call.flags = is_64 ? DCERPC_IS_NDR64 : 0;
    return (struct ndr){ tvb_new_real_data(bytes, captured, (int)size), 0, &pinfo, ITEMS_TREE, &di, drep };
}

static void
count_up(void)
{
    for (unsigned i = 0; i < SIZE; i++) {
        bytes[i] = (uint8_t)(i + 1);
    }
}

static bool
only_item(int hf, int start, int length)
{
    return num_items == 1 && items[0].hf == hf && items[0].start == start && items[0].length == length;
}

static void
check_alignment_counts_from_the_stub(void)
{
    static const struct {
        int from, to_2, to_4, to_8;
    } cases[] = { { 0, 0, 0, 0 }, { 1, 2, 4, 8 }, { 2, 2, 4, 8 }, { 3, 4, 4, 8 }, { 4, 4, 4, 8 }, { 5, 6, 8, 8 },
        { 7, 8, 8, 8 }, { 8, 8, 8, 8 }, { 9, 10, 12, 16 } };
    struct ndr n = stub(10, SIZE, false, little);

    for (size_t i = 0; i < array_length(cases); i++) {
        const int expected[] = { cases[i].to_2, cases[i].to_4, cases[i].to_8 };

        for (int j = 0; j < 3; j++) {
            n.offset = cases[i].from;
            ndr_align(&n, 2 << j);
            CHECK(n.offset == expected[j], "%d to %d: %d", cases[i].from, 2 << j, n.offset);
        }
    }
    /* Of what was sent, whatever was captured. */
    n.offset = 0;
    CHECK(ndr_remaining(&n) == SIZE, "%u", ndr_remaining(&n));
    n.offset = SIZE - 1;
    CHECK(ndr_remaining(&n) == 1, "%u", ndr_remaining(&n));
    n.offset = SIZE;
    CHECK(ndr_remaining(&n) == 0, "%u", ndr_remaining(&n));
    n.offset = SIZE + 1;
    CHECK(ndr_remaining(&n) == 0, "%u", ndr_remaining(&n));
}

static void
check_transfer_syntax_tells_ndr64(void)
{
    struct ndr n = stub(SIZE, SIZE, false, little);

    CHECK(!ndr_is_64(&n), "NDR, as all send it");
    CHECK_EQUAL(ndr_encoding(&n), ENC_LITTLE_ENDIAN, "NDR, as all send it");
    n = stub(SIZE, SIZE, true, big);
    CHECK(ndr_is_64(&n), "NDR64, as few send it");
    CHECK_EQUAL(ndr_encoding(&n), ENC_BIG_ENDIAN, "NDR64, as few send it");
    call.flags = ~(unsigned)DCERPC_IS_NDR64;
    CHECK(!ndr_is_64(&n), "other flags");
}

static void
check_numbers_are_read_in_the_senders_order(void)
{
    static const struct {
        const char *what;
        bool is_3264, is_64, is_big, has_tree; /* .is_3264: 64 bits where the stub is NDR64 */
        int from, hf;
        uint64_t number;
        int at, size; /* where it is; its item if there is one */
    } cases[] = {
        { "behind padding", false, false, false, true, 1, 5, 0x08070605, 4, 4 },
        { "the other way round", false, false, true, true, 4, 5, 0x05060708, 4, 4 },
        { "without an item", false, false, false, true, 0, -1, 0x04030201, 0, 4 },
        { "without a tree", false, false, false, false, 4, 5, 0x08070605, 4, 4 },
        { "a count of NDR", true, false, false, true, 5, 6, 0x0c0b0a09, 8, 4 },
        { "of NDR64", true, true, false, true, 9, 6, UINT64_C(0x1817161514131211), 16, 8 },
        { "of NDR64, big-endian", true, true, true, true, 0, 6, UINT64_C(0x0102030405060708), 0, 8 },
        { "of NDR64, without an item", true, true, false, true, 0, -1, UINT64_C(0x0807060504030201), 0, 8 },
        { "of NDR64, without a tree", true, true, false, false, 8, 6, UINT64_C(0x100f0e0d0c0b0a09), 8, 8 },
    };

    count_up();
    for (size_t i = 0; i < array_length(cases); i++) {
        struct ndr n = stub(SIZE, SIZE, cases[i].is_64, cases[i].is_big ? big : little);
        uint64_t number;

        n.tree = cases[i].has_tree ? n.tree : NULL;
        n.offset = cases[i].from;
        number = cases[i].is_3264 ? ndr_uint3264(&n, cases[i].hf) : ndr_uint32(&n, cases[i].hf);
        CHECK(number == cases[i].number, "%s: 0x%" PRIx64, cases[i].what, number);
        CHECK_EQUAL(n.offset, cases[i].at + cases[i].size, "%s", cases[i].what);
        CHECK(cases[i].hf == -1 || !cases[i].has_tree ? num_items == 0
                                                      : only_item(cases[i].hf, cases[i].at, cases[i].size),
            "%s: %u items", cases[i].what, num_items);
        CHECK_EQUAL(num_unseen, 0, "%s", cases[i].what);
    }
}

static void
check_guids_are_read_in_the_senders_order(void)
{
    static const e_guid_t as_little = { 0x08070605, 0x0a09, 0x0c0b, { 13, 14, 15, 16, 17, 18, 19, 20 } },
                          as_big = { 0x05060708, 0x090a, 0x0b0c, { 13, 14, 15, 16, 17, 18, 19, 20 } };
    struct ndr n = stub(SIZE, SIZE, true, little);
    proto_item *item = NULL;
    e_guid_t guid;

    n.offset = 3;
    guid = ndr_guid(&n, 7, &item);
    CHECK(guid_cmp(&guid, &as_little) == 0 && n.offset == 20 && item == &guid_item && only_item(7, 4, 16), "%d",
        n.offset);
    CHECK_EQUAL(guid_cmp(&guid_said, &as_little), 0, "in the item");
    n = stub(SIZE, SIZE, false, big);
    n.offset = 4;
    guid = ndr_guid(&n, 7, NULL);
    CHECK_EQUAL(guid_cmp(&guid, &as_big), 0, "the other way round");
    CHECK_EQUAL(n.offset, 20, "the other way round");
    n = stub(SIZE, SIZE, false, little);
    n.tree = NULL;
    n.offset = 4;
    guid = ndr_guid(&n, 7, &item);
    CHECK_EQUAL(guid_cmp(&guid, &as_little), 0, "without a tree");
    CHECK_EQUAL(n.offset, 20, "without a tree");
    CHECK(item == NULL, "without a tree");
    CHECK_EQUAL(num_items, 0, "without a tree");
    CHECK_EQUAL(num_unseen, 0, "without a tree");
}

/* Puts numbers where NDR or NDR64 has them, one after the other. */
static void
put_numbers(bool is_64, const uint8_t *numbers, unsigned count)
{
    memset(bytes, 0, sizeof bytes);
    for (unsigned i = 0; i < count; i++) {
        bytes[i * (is_64 ? 8 : 4)] = numbers[i];
    }
}

static void
check_array_counts_are_read(void)
{
    static const uint8_t numbers[] = { 9, 2, 7 };

    for (unsigned is_64 = 0; is_64 < 2; is_64++) {
        const int size = is_64 != 0 ? 8 : 4;
        struct ndr n;
        struct ndr_counts counts;

        put_numbers(is_64 != 0, numbers, 3);
        n = stub(SIZE, SIZE, is_64 != 0, little);
        counts = ndr_conformant(&n);
        CHECK_EQUAL(counts.max, 9, "all of it is sent");
        CHECK_EQUAL(counts.offset, 0, "all of it is sent");
        CHECK_EQUAL(counts.actual, 9, "all of it is sent");
        CHECK_EQUAL(n.offset, size, "all of it is sent");
        CHECK(num_items == 1 && items_have("dcerpc.array.max_count", 0, size), "%u", num_items);
        n = stub(SIZE, SIZE, is_64 != 0, little);
        counts = ndr_conformant_varying(&n);
        CHECK_EQUAL(counts.max, 9, "a part");
        CHECK_EQUAL(counts.offset, 2, "a part");
        CHECK_EQUAL(counts.actual, 7, "a part");
        CHECK_EQUAL(n.offset, 3 * size, "a part");
        CHECK(num_items == 3 && items_have("dcerpc.array.max_count", 0, size) &&
                items_have("dcerpc.array.offset", size, size) &&
                items_have("dcerpc.array.actual_count", 2 * size, size),
            "%u", num_items);
    }
}

static void
check_strings_are_read_to_their_terminator(void)
{
    /* What the count says, how many bytes the stub has behind it, what is read of them. */
    static const struct {
        uint8_t actual, left;
        const char *text;
        unsigned taken;
        bool terminated, overrun;
    } cases[] = {
        { 0, 8, "", 0, false, false },
        { 2, 8, "AB", 4, false, false },
        { 3, 8, "AB", 6, true, false },
        { 4, 8, "AB", 8, true, false },
        /* One more than there is: all that is there. An odd byte is no character. */
        { 5, 8, "AB", 8, true, true },
        { 4, 9, "AB", 8, true, false },
        { 5, 9, "AB", 8, true, true },
        { 2, 3, "A", 2, false, true },
        { 1, 3, "A", 2, false, false },
        { 200, 0, "", 0, false, true },
    };

    for (unsigned i = 0; i < 4 * array_length(cases); i++) {
        const bool is_64 = i % 2 != 0, is_big = i / 2 % 2 != 0;
        const unsigned at = is_64 ? 24 : 12, c = i / 4;
        const uint8_t numbers[] = { 50, 0, cases[c].actual };
        struct ndr_wstring string;
        struct ndr n;
        const char *text;

        put_numbers(is_64, numbers, 3);
        bytes[at] = 'A';
        bytes[at + 2] = 'B';
        if (is_big) {
            for (unsigned at_number = 0; at_number < at; at_number += at / 3) {
                bytes[at_number + at / 3 - 1] = bytes[at_number];
                bytes[at_number] = 0;
            }
            bytes[at] = bytes[at + 2] = 0;
            bytes[at + 1] = 'A';
            bytes[at + 3] = 'B';
        }
        bytes[at + 6] = bytes[at + 7] = 'C';
        n = stub(at + cases[c].left, at + cases[c].left, is_64, is_big ? big : little);
        text = ndr_wstring(&n, 8, &string);
        CHECK(strcmp(text, cases[c].text) == 0, "%u: %s", c, text);
        CHECK((unsigned)n.offset == at + cases[c].taken, "%u: %d", c, n.offset);
        CHECK(string.overrun == cases[c].overrun && string.text.terminated == cases[c].terminated, "%u", c);
        CHECK(string.text.size == 2 * strlen(text) && string.counts.max == 50 &&
                string.counts.actual == cases[c].actual,
            "%u", c);
        CHECK(num_items == 4 && items[3].hf == 8 && (unsigned)items[3].start == at &&
                (unsigned)items[3].length == cases[c].taken,
            "%u: %u items", c, num_items);
    }
}

int
main(void)
{
    wmem_init_scopes();
    pinfo.pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    ndr_init();
    check_alignment_counts_from_the_stub();
    check_transfer_syntax_tells_ndr64();
    check_numbers_are_read_in_the_senders_order();
    check_guids_are_read_in_the_senders_order();
    check_array_counts_are_read();
    check_strings_are_read_to_their_terminator();
    CHECK_EQUAL(num_experts, 0, "readers find nothing wrong");
    return check_result();
}
