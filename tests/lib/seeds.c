/* seeds.c
 * Random numbers that are the same in each run: loaded with LD_PRELOAD, hashes of maps get the same seeds, and what a
 * run costs can be compared with another to a hundredth
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdint.h>

uint32_t g_random_int(void);

uint32_t
g_random_int(void)
{
    static uint64_t state = UINT64_C(0x9E3779B97F4A7C15);

    /* Knuth's MMIX generator */
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 32);
}
