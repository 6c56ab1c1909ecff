/* series-columns.c
 * Columns of a block by counter id
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/series.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int
compare_columns(const void *a, const void *b)
{
    const struct series_column *x = (const struct series_column *)a;
    const struct series_column *y = (const struct series_column *)b;

    if (x->counter != y->counter) {
        return x->counter < y->counter ? -1 : 1;
    }
    return x->column < y->column ? -1 : x->column > y->column;
}

void
series_order_columns(struct series_shape *shape, const struct series_shape *like)
{
    if (shape->num_counters < 2) {
        return;
    }
    if (like != NULL && like->num_counters == shape->num_counters &&
        memcmp(like->counters, shape->counters, shape->num_counters * sizeof *shape->counters) == 0) {
        shape->columns = like->columns;
        shape->nths = like->nths;
        return;
    }
    shape->columns = wmem_alloc_array(wmem_file_scope(), struct series_column, shape->num_counters);
    for (unsigned c = 0; c < shape->num_counters; c++) {
        shape->columns[c] = (struct series_column){ shape->counters[c], c };
    }
    qsort(shape->columns, shape->num_counters, sizeof *shape->columns, compare_columns);
    for (unsigned i = 1; i < shape->num_counters; i++) {
        if (shape->columns[i].counter == shape->columns[i - 1].counter) {
            if (shape->nths == NULL) {
                shape->nths = wmem_alloc0_array(wmem_file_scope(), unsigned, shape->num_counters);
            }
            shape->nths[shape->columns[i].column] = shape->nths[shape->columns[i - 1].column] + 1;
        }
    }
}

/* Returns the number of columns of a shape whose id is below counter. The columns are sorted by id; ids may repeat. */
static unsigned
columns_below(const struct series_shape *shape, uint64_t counter)
{
    unsigned low = 0, high = shape->num_counters;

    while (low < high) {
        const unsigned middle = low + (high - low) / 2;

        if (shape->columns[middle].counter < counter) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

unsigned
series_column(const struct series_shape *shape, uint32_t counter)
{
    unsigned first;

    if (shape->num_counters < 2) {
        return shape->num_counters == 1 && shape->counters[0] == counter ? 0 : UINT_MAX;
    }
    first = columns_below(shape, counter);
    return first < shape->num_counters && shape->columns[first].counter == counter ? shape->columns[first].column
                                                                                   : UINT_MAX;
}

unsigned
series_shape_count(const struct series_shape *shape, uint32_t counter)
{
    if (shape->num_counters < 2) {
        return shape->num_counters == 1 && shape->counters[0] == counter;
    }
    return columns_below(shape, (uint64_t)counter + 1) - columns_below(shape, counter);
}
