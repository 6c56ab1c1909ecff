/* median.c
 * The median of numbers that come one by one
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/asking-cells.h"

/* Heaps have their least number first: none is less than the one above it, which has half its place. */
static double *
number_at(GArray *heap, unsigned place)
{
    return &g_array_index(heap, double, place - 1);
}

static void
put_in_heap(GArray *heap, double number)
{
    unsigned place = heap->len + 1;

    g_array_set_size(heap, place);
    for (; place > 1 && *number_at(heap, place / 2) > number; place /= 2) {
        *number_at(heap, place) = *number_at(heap, place / 2);
    }
    *number_at(heap, place) = number;
}

/* Puts a number in the place of the least one, which is returned. */
static double
replace_least(GArray *heap, double number)
{
    const double least = *number_at(heap, 1);
    unsigned place = 1, below;

    while ((below = 2 * place) <= heap->len) {
        if (below < heap->len && *number_at(heap, below + 1) < *number_at(heap, below)) {
            below++;
        }
        if (*number_at(heap, below) >= number) {
            break;
        }
        *number_at(heap, place) = *number_at(heap, below);
        place = below;
    }
    *number_at(heap, place) = number;
    return least;
}

double
median_add(struct median *median, double number)
{
    GArray *smaller, *larger;

    if (median->smaller == NULL) {
        median->smaller = g_array_new(FALSE, FALSE, sizeof(double));
        median->larger = g_array_new(FALSE, FALSE, sizeof(double));
    }
    smaller = median->smaller;
    larger = median->larger;
    /* A half that gets a number passes one on where it would then be larger than the other. */
    if (smaller->len == larger->len) {
        if (larger->len > 0 && number > *number_at(larger, 1)) {
            number = replace_least(larger, number);
        }
        put_in_heap(smaller, -number);
        return -*number_at(smaller, 1);
    }
    if (number < -*number_at(smaller, 1)) {
        number = -replace_least(smaller, -number);
    }
    put_in_heap(larger, number);
    return (*number_at(larger, 1) - *number_at(smaller, 1)) / 2;
}

void
median_clear(struct median *median)
{
    g_clear_pointer(&median->smaller, g_array_unref);
    g_clear_pointer(&median->larger, g_array_unref);
}
