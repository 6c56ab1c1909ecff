/* series-steps.c
 * Values of a poll as differences from those of an earlier one
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/series.h"

size_t
series_count_of_values(const struct series_block_in *block)
{
    return (size_t)block->num_counters * block->num_rows;
}

/* Writes values as differences from those in `base`. Returns a value without bits above 31 if all differences fit. */
static inline uint64_t
write_some_steps(const uint64_t *restrict values, const uint64_t *restrict base, int32_t *restrict steps, size_t count)
{
    uint64_t far = 0;

    for (size_t i = 0; i < count; i++) {
        const uint64_t step = values[i] - base[i];

        far |= step + (UINT64_C(1) << 31);
        steps[i] = (int32_t)(int64_t)step;
    }
    return far;
}

/* Number of values that a processor can handle at once */
#define STEPS_AT_ONCE 16

bool
series_write_steps(const struct series_block_in *block, int32_t *steps)
{
    const size_t count = series_count_of_values(block);
    uint64_t far = 0;
    size_t i = 0;

    for (; i + STEPS_AT_ONCE <= count; i += STEPS_AT_ONCE) {
        far |= write_some_steps(block->values + i, block->base + i, steps + i, STEPS_AT_ONCE);
    }
    if (i < count) {
        far |= write_some_steps(block->values + i, block->base + i, steps + i, count - i);
    }
    return far >> 32 == 0;
}

size_t
series_size_of_values(const struct series_block_in *block)
{
    return block->base == NULL ? series_count_of_values(block) * 8 : (series_count_of_values(block) + 1) / 2 * 8;
}
