/* test_series_columns.c
 * Columns of a block, found by the ids of their counters, which may repeat
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/series.h"

#include <limits.h>
#include <string.h>

#include <epan/wmem_scopes.h>

#include "check.h"
#include "file-scope.h"

#define MOST 9

static const struct {
    unsigned count;
    uint32_t counters[MOST];
    bool repeats;
    unsigned nths[MOST]; /* how many columns of the same counter stand before each */
} shapes[] = {
    { 0, { 0 }, false, { 0 } },
    { 1, { 0 }, false, { 0 } },
    { 1, { 7 }, false, { 0 } },
    { 2, { 1, 2 }, false, { 0 } },
    { 2, { 2, 1 }, false, { 0 } },
    { 2, { 5, 5 }, true, { 0, 1 } },
    { 3, { 5, 0, 5 }, true, { 0, 0, 1 } },
    { 3, { 5, 0, 6 }, false, { 0 } },
    { 3, { 5, 6, 5 }, true, { 0, 0, 1 } },
    { 4, { 0, 0, 0, 0 }, true, { 0, 1, 2, 3 } },
    { 5, { 9, 7, 5, 3, 1 }, false, { 0 } },
    { 7, { 4, 2, 4, 2, 9, 4, 2 }, true, { 0, 0, 1, 1, 0, 2, 2 } },
    { 9, { 8, 1, 7, 2, 6, 3, 5, 4, 4 }, true, { 0, 0, 0, 0, 0, 0, 0, 0, 1 } },
    { 4, { UINT32_MAX, 0, UINT32_MAX, 0x80000000 }, true, { 0, 0, 1, 0 } },
    { 3, { 0x80000000, 0x7fffffff, UINT32_MAX - 1 }, false, { 0 } },
};

static const uint32_t asked[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0x7fffffff, 0x80000000, 0x80000001, UINT32_MAX - 1,
    UINT32_MAX };

static void
check_columns(const struct series_shape *shape, size_t i)
{
    for (size_t a = 0; a < array_length(asked); a++) {
        unsigned count = 0, first = UINT_MAX;

        for (unsigned c = 0; c < shapes[i].count; c++) {
            if (shapes[i].counters[c] == asked[a]) {
                first = count++ == 0 ? c : first;
            }
        }
        CHECK_EQUAL(series_column(shape, asked[a]), first, "shape %zu, counter %u", i, asked[a]);
        CHECK_EQUAL(series_shape_count(shape, asked[a]), count, "shape %zu, counter %u", i, asked[a]);
    }
    CHECK_EQUAL(shape->nths != NULL, shapes[i].repeats, "shape %zu", i);
    for (unsigned c = 0; shape->nths != NULL && c < shapes[i].count; c++) {
        CHECK_EQUAL(shape->nths[c], shapes[i].nths[c], "shape %zu, column %u", i, c);
    }
}

static struct series_shape
shape_of(size_t i)
{
    return (struct series_shape){
        .num_counters = shapes[i].count,
        .num_rows = 1,
        .counters = (uint32_t *)wmem_memdup(wmem_epan_scope(), shapes[i].counters, sizeof shapes[i].counters),
    };
}

/* The same, whatever the shape before it was like. */
static void
check_columns_are_found_by_their_counters(void)
{
    for (size_t i = 0; i < array_length(shapes); i++) {
        struct series_shape alone = shape_of(i);

        series_order_columns(&alone, NULL);
        check_columns(&alone, i);
        for (size_t k = 0; k < array_length(shapes); k++) {
            struct series_shape before = shape_of(k), after = shape_of(i);

            series_order_columns(&before, NULL);
            series_order_columns(&after, &before);
            check_columns(&after, i);
        }
    }
}

/* Thousands of shapes of the same counters take the memory of one. */
static void
check_shapes_of_the_same_counters_share_their_order(void)
{
    for (size_t i = 0; i < array_length(shapes); i++) {
        for (size_t k = 0; k < array_length(shapes); k++) {
            struct series_shape before = shape_of(k), after = shape_of(i);

            before.num_rows = 2;
            series_order_columns(&before, NULL);
            series_order_columns(&after, &before);
            CHECK_EQUAL(after.columns != NULL && after.columns == before.columns, i == k && shapes[i].count > 1,
                "shapes %zu and %zu", k, i);
        }
    }
}

int
main(void)
{
    wmem_init_scopes();
    check_columns_are_found_by_their_counters();
    check_shapes_of_the_same_counters_share_their_order();
    return check_result();
}
