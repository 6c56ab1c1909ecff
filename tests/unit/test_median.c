/* test_median.c
 * The median of numbers that come one by one
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/request-cells.h"

#include <stdlib.h>

#include "check.h"

#define MANY 1001

static void
check_medians(const double *numbers, const double *medians, size_t count)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    struct median median = { 0 };

    for (size_t i = 0; i < count; i++) {
        const double found = median_add(scope, &median, numbers[i]);

        CHECK(found == medians[i], "%zu numbers: %f, not %f", i + 1, found, medians[i]);
    }
    wmem_destroy_allocator(scope);
}

static int
compare(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;

    return one < other ? -1 : one > other;
}

/* Against the one in the middle of all that are sorted. */
static void
check_median_is_the_middle_of_all(void)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    struct median median = { 0 };
    double numbers[MANY], sorted[MANY];
    unsigned next = 1;

    for (unsigned i = 0; i < MANY; i++) {
        double found, expected;

        next = next * 1103515245u + 12345u;
        numbers[i] = next >> 16 & 63;
        found = median_add(scope, &median, numbers[i]);
        for (unsigned k = 0; k <= i; k++) {
            sorted[k] = numbers[k];
        }
        qsort(sorted, i + 1, sizeof *sorted, compare);
        expected = i % 2 == 0 ? sorted[i / 2] : (sorted[i / 2] + sorted[i / 2 + 1]) / 2;
        CHECK(found == expected, "%u numbers: %f, not %f", i + 1, found, expected);
    }
    wmem_destroy_allocator(scope);
}

int
main(void)
{
    check_medians((const double[]){ 1, 1, 1, 1, 5, 1, 0 }, (const double[]){ 1, 1, 1, 1, 1, 1, 1 }, 7);
    check_medians((const double[]){ 4, 2, 9, -3 }, (const double[]){ 4, 3, 4, 3 }, 4);
    check_median_is_the_middle_of_all();
    return check_result();
}
