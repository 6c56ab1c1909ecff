/* test_type_tree.c
 * A counter type and its bit fields, as a tree shows them
 *
 * Names and values: winperf.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/poll.h"

#include <string.h>

#include "check.h"
#include "cook/counter-types.h"

enum { TYPE = 11, SIZE, KIND, NUMBER, COUNTER, TEXT, ZERO, TIMER, DELTA, DELTA_BASE, INVERSE, MULTI, DISPLAY, ETT };

static const struct counter_type_fields fields = {
    .type = TYPE,
    .size = SIZE,
    .kind = KIND,
    .subtype = { NUMBER, COUNTER, TEXT, ZERO },
    .timer = TIMER,
    .delta = DELTA,
    .delta_base = DELTA_BASE,
    .inverse = INVERSE,
    .multi = MULTI,
    .display = DISPLAY,
    .ett = ETT,
};

/* In place of Wireshark's. */
static struct {
    const proto_tree *tree;
    int hf, start, length;
    unsigned encoding;
} items[16];
static unsigned num_items;
static proto_tree tree, subtree;
static proto_item of_type, of_field;
static int some_bytes;

proto_item *
proto_tree_add_item(proto_tree *to, int hf, tvbuff_t *tvb, const int start, int length, const unsigned encoding)
{
    CHECK(tvb == (tvbuff_t *)&some_bytes, "other bytes");
    if (num_items < array_length(items)) {
        items[num_items].tree = to;
        items[num_items].hf = hf;
        items[num_items].start = start;
        items[num_items].length = length;
        items[num_items++].encoding = encoding;
    }
    return hf == TYPE ? &of_type : &of_field;
}

proto_tree *
proto_item_add_subtree(proto_item *item, const int ett)
{
    CHECK(item == &of_type && ett == ETT, "below the type: %d", ett);
    return &subtree;
}

/* The type, and from its highest bits to the lowest each bit field. Bits 10 and 11 say which subtype it has. */
static void
check_type_is_shown_with_the_subtype_of_its_kind(void)
{
    static const struct {
        uint32_t type;
        int subtype;
    } types[] = {
        { 0x00000000, NUMBER },
        { 0x00010100, NUMBER },
        { 0x00000400, COUNTER },
        { 0x23510500, COUNTER },
        { 0x00000B00, TEXT },
        { 0x00000800, TEXT },
        { 0x40000200, NUMBER },
        { 0x00000C00, ZERO },
        { 0xfffff3ff, NUMBER },
        { 0xfffff7ff, COUNTER },
        { 0xfffffbff, TEXT },
        { 0xffffffff, ZERO },
    };

    for (size_t i = 0; i < array_length(types); i++) {
        const int expected[COUNTER_TYPE_TREE_ITEMS] = { TYPE, DISPLAY, MULTI, INVERSE, DELTA_BASE, DELTA, TIMER,
            types[i].subtype, KIND, SIZE };
        const unsigned encoding = i % 2 == 0 ? ENC_LITTLE_ENDIAN : ENC_BIG_ENDIAN;

        const proto_item *added;

        num_items = 0;
        added = type_tree_add(&tree, (tvbuff_t *)&some_bytes, 40 + (unsigned)i, &fields, encoding, types[i].type);
        CHECK(added == &of_type, "0x%08x", types[i].type);
        CHECK_EQUAL(num_items, array_length(expected), "0x%08x", types[i].type);
        for (unsigned k = 0; k < num_items && k < array_length(expected); k++) {
            CHECK_EQUAL(items[k].hf, expected[k], "0x%08x, item %u", types[i].type, k);
            CHECK(items[k].tree == (k == 0 ? &tree : &subtree), "0x%08x, item %u", types[i].type, k);
            CHECK_EQUAL(items[k].start, 40 + (int)i, "0x%08x, item %u", types[i].type, k);
            CHECK_EQUAL(items[k].length, 4, "0x%08x, item %u", types[i].type, k);
            CHECK_EQUAL(items[k].encoding, encoding, "0x%08x, item %u", types[i].type, k);
        }
    }
}

static void
check_values_of_bit_fields_have_their_names(void)
{
    static const struct {
        const value_string *values;
        const char *names[9];
    } lists[] = {
        { counter_type_size_vals,
            { "PERF_SIZE_DWORD", "PERF_SIZE_LARGE", "PERF_SIZE_ZERO", "PERF_SIZE_VARIABLE_LEN" } },
        { counter_type_kind_vals, { "PERF_TYPE_NUMBER", "PERF_TYPE_COUNTER", "PERF_TYPE_TEXT", "PERF_TYPE_ZERO" } },
        { counter_type_number_vals, { "PERF_NUMBER_HEX", "PERF_NUMBER_DECIMAL", "PERF_NUMBER_DEC_1000" } },
        { counter_type_counter_vals,
            { "PERF_COUNTER_VALUE", "PERF_COUNTER_RATE", "PERF_COUNTER_FRACTION", "PERF_COUNTER_BASE",
                "PERF_COUNTER_ELAPSED", "PERF_COUNTER_QUEUELEN", "PERF_COUNTER_HISTOGRAM", "PERF_COUNTER_PRECISION" } },
        { counter_type_text_vals, { "PERF_TEXT_UNICODE", "PERF_TEXT_ASCII" } },
        { counter_type_timer_vals, { "PERF_TIMER_TICK", "PERF_TIMER_100NS", "PERF_OBJECT_TIMER" } },
        { counter_type_display_vals,
            { "PERF_DISPLAY_NO_SUFFIX", "PERF_DISPLAY_PER_SEC", "PERF_DISPLAY_PERCENT", "PERF_DISPLAY_SECONDS",
                "PERF_DISPLAY_NOSHOW" } },
    };

    for (size_t i = 0; i < array_length(lists); i++) {
        unsigned count = 0;

        for (; lists[i].names[count] != NULL; count++) {
            CHECK_STRING(try_val_to_str(count, lists[i].values), lists[i].names[count], "list %zu, %u", i, count);
        }
        CHECK(lists[i].values[count].strptr == NULL, "list %zu ends", i);
    }
}

int
main(void)
{
    check_type_is_shown_with_the_subtype_of_its_kind();
    check_values_of_bit_fields_have_their_names();
    return check_result();
}
