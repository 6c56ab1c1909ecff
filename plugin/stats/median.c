/* median.c
 * Running median
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/request-cells.h"

static int
compare_numbers(const void *a, const void *b, void *data)
{
    const double one = *(const double *)a, other = *(const double *)b;

    (void)data;
    return (one > other) - (one < other);
}

static double
number_at(GSequence *numbers, int place)
{
    return *(const double *)g_sequence_get(g_sequence_get_iter_at_pos(numbers, place));
}

double
median_add(GSequence **numbers, double number)
{
    double *kept = g_new(double, 1);
    int length;

    if (*numbers == NULL) {
        *numbers = g_sequence_new(g_free);
    }
    *kept = number;
    g_sequence_insert_sorted(*numbers, kept, compare_numbers, NULL);
    length = g_sequence_get_length(*numbers);
    return (number_at(*numbers, (length - 1) / 2) + number_at(*numbers, length / 2)) / 2;
}
