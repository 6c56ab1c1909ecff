/* test_series_steps.c
 * A poll's values as differences of 32 bits from those of an earlier one, and the room that they take
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/series.h"

#include <string.h>

#include "check.h"

/* More than the values that are handled at once, several times */
#define MOST 53

/* Of each, the difference fits 32 bits with a sign, or does not. */
static const struct {
    uint64_t now, before;
    int32_t step; /* 0 where it does not fit */
    bool fits;
} differences[] = {
    { 7, 7, 0, true },
    { 8, 7, 1, true },
    { 7, 8, -1, true },
    { 0x7fffffff, 0, INT32_MAX, true },
    { 0x80000000, 0, 0, false },
    { 0x80000001, 0, 0, false },
    { 0, 0x80000000, INT32_MIN, true },
    { 0, 0x80000001, 0, false },
    { 0xffffffff, 0, 0, false },
    { UINT64_C(0x100000000), 0, 0, false },
    { UINT64_C(0x100000000), 1, 0, false },
    { UINT64_C(0x180000000), UINT64_C(0x100000001), INT32_MAX, true },
    { UINT64_MAX, 0, -1, true },
    { 0, UINT64_MAX, 1, true },
    { UINT64_C(1) << 63, 0, 0, false },
    { UINT64_MAX, UINT64_MAX - 0x7fffffff, INT32_MAX, true },
    { UINT64_MAX, UINT64_MAX - 0x80000000, 0, false },
};

static const struct series_block_in *
block_of(unsigned num_rows, unsigned num_counters, const uint64_t *values, const uint64_t *base)
{
    static struct series_block_in block;

    block =
        (struct series_block_in){ .num_rows = num_rows, .num_counters = num_counters, .values = values, .base = base };
    return &block;
}

/* Each value's step is at its place, and no other is written. */
static void
check_each_value_has_its_own_step(void)
{
    for (unsigned count = 0; count <= MOST; count++) {
        uint64_t values[MOST + 1], base[MOST + 1];
        int32_t steps[MOST + 1];
        bool fits;

        for (unsigned i = 0; i <= MOST; i++) {
            base[i] = 1000 * i;
            values[i] = base[i] + 3 * i * i - 50;
            steps[i] = 12345678;
        }
        /* What stands behind the block does not fit, and is nobody's. */
        values[count] = base[count] + (UINT64_C(1) << 40);
        fits = series_write_steps(block_of(count, 1, values, base), steps);
        CHECK(fits, "%u values", count);
        for (unsigned i = 0; i <= MOST; i++) {
            CHECK_EQUAL(steps[i], i < count ? (int32_t)(3 * i * i) - 50 : 12345678, "%u of %u values", i, count);
        }
    }
}

static void
check_step_beyond_32_bits_is_seen_at_each_place(void)
{
    for (unsigned count = 1; count <= MOST; count++) {
        for (unsigned at = 0; at < count; at++) {
            for (size_t k = 0; k < array_length(differences); k++) {
                uint64_t values[MOST] = { 0 }, base[MOST] = { 0 };
                int32_t steps[MOST] = { 0 };

                values[at] = differences[k].now;
                base[at] = differences[k].before;
                CHECK_EQUAL(series_write_steps(block_of(1, count, values, base), steps), differences[k].fits,
                    "difference %zu, value %u of %u", k, at, count);
                if (differences[k].fits) {
                    CHECK_EQUAL(steps[at], differences[k].step, "difference %zu, value %u of %u", k, at, count);
                }
            }
        }
    }
}

/* 8 bytes a value, or 4 where it is a difference; a multiple of 8 in all. */
static void
check_size_is_what_values_take(void)
{
    static const struct {
        unsigned rows, counters;
        size_t count, as_steps;
    } blocks[] = {
        { 0, 0, 0, 0 },
        { 0, 5, 0, 0 },
        { 5, 0, 0, 0 },
        { 1, 1, 1, 8 },
        { 1, 2, 2, 8 },
        { 3, 1, 3, 16 },
        { 2, 2, 4, 16 },
        { 1, 5, 5, 24 },
        { 3, 5, 15, 64 },
        { 4, 4, 16, 64 },
        { 70000, 70000, (size_t)4900000000u, (size_t)19600000000u },
    };
    static const uint64_t value;

    for (size_t i = 0; i < array_length(blocks); i++) {
        const struct series_block_in *block = block_of(blocks[i].rows, blocks[i].counters, &value, NULL);

        CHECK(series_count_of_values(block) == blocks[i].count, "block %zu", i);
        CHECK(series_size_of_values(block) == 8 * blocks[i].count, "block %zu", i);
        block = block_of(blocks[i].rows, blocks[i].counters, &value, &value);
        CHECK(series_size_of_values(block) == blocks[i].as_steps, "block %zu of differences", i);
    }
}

int
main(void)
{
    check_each_value_has_its_own_step();
    check_step_beyond_32_bits_is_seen_at_each_place();
    check_size_is_what_values_take();
    return check_result();
}
