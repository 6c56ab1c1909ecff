/* asking-cells.h
 * The cells in which both tables of queries tell how a client asks, and what that costs
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_ASKING_CELLS_H
#define PERFLIB_STATS_ASKING_CELLS_H

#include "base/asking.h"
#include "stats/median.h"
#include "stats/rows.h"

/* What is kept beside a row; zero at first. */
struct stat_asking {
    uint64_t bytes, wasted; /* of its calls, and of those whose buffer was too small */
    struct stat_mean response;
    struct median interval;
    double longest;
};

/* The columns of a table for it: the first three of counts, the others of real numbers. */
struct asking_columns {
    unsigned bytes, wasted, late, overlap; /* wasted: hundredths of the bytes; late, overlap: calls */
    unsigned response, median, longest;
};

/* An answer, with what its record says of it. */
struct asking_call {
    uint32_t bytes; /* of the stubs of request and answer */
    bool too_small; /* the client's buffer was */
    const struct asking_finding *finding;
    const nstime_t *response_time; /* zero: not known */
    bool has_interval;
    double interval; /* seconds since the poll before */
};

/* Counts a call. */
void asking_cells_count(stat_tap_table_item_type *cells, const struct asking_columns *columns, struct stat_asking *sum,
    const struct asking_call *call);
/* Frees what is kept in a struct stat_asking. */
void asking_free_state(void *asking);

#endif /* PERFLIB_STATS_ASKING_CELLS_H */
