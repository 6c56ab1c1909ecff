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
number_at(GSequenceIter *place)
{
    return *(const double *)g_sequence_get(place);
}

static perflib_bool
free_numbers(wmem_allocator_t *scope _U_, wmem_cb_event_t event _U_, void *numbers)
{
    g_sequence_free((GSequence *)numbers);
    return false;
}

double
median_add(wmem_allocator_t *scope, struct median *median, double number)
{
    double *kept = g_new(double, 1);
    bool is_before;

    *kept = number;
    if (median->numbers == NULL) {
        median->numbers = g_sequence_new(g_free);
        wmem_register_callback(scope, free_numbers, median->numbers);
        median->middle = g_sequence_append(median->numbers, kept);
        median->is_odd = true;
        return number;
    }
    /* A number equal to the middle one is inserted after it. */
    is_before = number < number_at(median->middle);
    g_sequence_insert_sorted(median->numbers, kept, compare_numbers, NULL);
    if (median->is_odd && is_before) {
        median->middle = g_sequence_iter_prev(median->middle);
    } else if (!median->is_odd && !is_before) {
        median->middle = g_sequence_iter_next(median->middle);
    }
    median->is_odd = !median->is_odd;
    return median->is_odd ? number_at(median->middle)
                          : (number_at(median->middle) + number_at(g_sequence_iter_next(median->middle))) / 2;
}
