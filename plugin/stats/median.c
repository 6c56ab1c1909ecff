/* median.c
 * The median of numbers that come one by one
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/median.h"

static double *
number_at(const GArray *heap, unsigned index)
{
    return &g_array_index(heap, double, index);
}

static void
exchange(const GArray *heap, unsigned one, unsigned other)
{
    const double number = *number_at(heap, one);

    *number_at(heap, one) = *number_at(heap, other);
    *number_at(heap, other) = number;
}

static void
push(GArray *heap, double number)
{
    g_array_append_val(heap, number);
    for (unsigned i = heap->len - 1; i > 0 && number < *number_at(heap, (i - 1) / 2); i = (i - 1) / 2) {
        exchange(heap, i, (i - 1) / 2);
    }
}

static double
pop(GArray *heap)
{
    const double least = *number_at(heap, 0);

    g_array_remove_index_fast(heap, 0);
    for (unsigned i = 0, child = 1; child < heap->len; child = 2 * i + 1) {
        child += child + 1 < heap->len && *number_at(heap, child + 1) < *number_at(heap, child);
        if (*number_at(heap, i) <= *number_at(heap, child)) {
            break;
        }
        exchange(heap, i, child);
        i = child;
    }
    return least;
}

double
median_add(struct median *median, double number)
{
    GArray *smaller, *larger;

    for (unsigned i = 0; i < 2 && median->halves[1] == NULL; i++) {
        median->halves[i] = g_array_new(FALSE, FALSE, sizeof(double));
    }
    smaller = median->halves[0];
    larger = median->halves[1];
    /* The smaller half has as many, or one more. */
    push(larger, number);
    push(smaller, -pop(larger));
    if (smaller->len > larger->len + 1) {
        push(larger, -pop(smaller));
    }
    return smaller->len > larger->len ? -*number_at(smaller, 0) : (*number_at(larger, 0) - *number_at(smaller, 0)) / 2;
}

void
median_free(struct median *median)
{
    for (unsigned i = 0; i < 2 && median->halves[i] != NULL; i++) {
        g_array_free(median->halves[i], TRUE);
    }
}
