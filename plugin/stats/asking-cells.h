/* asking-cells.h
 * The cells in which tables of queries tell how a client asks: base/asking.h
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_ASKING_CELLS_H
#define PERFLIB_STATS_ASKING_CELLS_H

#include "base/asking.h"
#include "stats/rows.h"

/* Bytes of a row's calls, and of those whose buffer was too small; zero at first. */
struct stat_asking {
    uint64_t bytes, wasted;
};

/* The cells of a row, all of type TABLE_ITEM_UINT. */
struct asking_cells {
    stat_tap_table_item_type *wasted;         /* hundredths of the bytes */
    stat_tap_table_item_type *late, *overlap; /* calls */
};

/*
 * Counts a call: bytes of its stubs (of an answer with those of its request), whether the client's buffer was too
 * small, and what is to be said of it (NULL: nothing).
 */
void asking_cells_count(const struct asking_cells *cells, struct stat_asking *sum, uint32_t bytes, bool too_small,
    const struct asking_finding *finding);

#endif /* PERFLIB_STATS_ASKING_CELLS_H */
