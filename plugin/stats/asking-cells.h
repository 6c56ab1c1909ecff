/* asking-cells.h
 * The cells in which both tables of queries tell how a client asks, and what that costs
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_ASKING_CELLS_H
#define PERFLIB_STATS_ASKING_CELLS_H

#include "compat.h"

#include <glib.h>

#include "base/asking.h"
#include "stats/rows.h"

/* The columns of a table for how a client asks: of counts, and of real numbers, which are its last. */
enum { ASKING_TOO_SMALL, ASKING_WASTED, ASKING_LATE, ASKING_OVERLAP, ASKING_TWICE, NUM_ASKING_COUNTS };
enum { ASKING_RESPONSE, ASKING_MEDIAN, ASKING_LONGEST, NUM_ASKING_REALS };

/* What is kept beside a row; zero at first. */
struct stat_asking {
    uint64_t bytes, wasted; /* of its calls, and of those whose buffer was too small */
    struct stat_mean response;
    GSequence *intervals; /* median_add() */
    double longest;
    uint32_t first_in[NUM_ASKING_COUNTS]; /* frames in which calls were counted first; of buffers, beyond one a query */
};

/* Their definitions, in this order. What is wasted are hundredths of the bytes; the other counts are of calls. */
#define ASKING_COUNTS \
    STAT_COUNT("too_small", "Too small"), STAT_COUNT("wasted_percent", "Wasted %"), STAT_COUNT("late", "Late"), \
        STAT_COUNT("overlap", "Overlap"), STAT_COUNT("twice", "Twice")
#define ASKING_REALS \
    STAT_REAL("response_ms", "Response ms", 3), STAT_REAL("median_s", "Median s", 3), \
        STAT_REAL("longest_s", "Longest s", 3)

/* An answer, with what its record says of it. */
struct asking_call {
    uint32_t frame;
    uint32_t bytes; /* of the stubs of request and answer */
    bool too_small; /* the client's buffer was, */
    bool is_probe;  /* ... as it asked for the size alone */
    const struct asking_finding *finding;
    const nstime_t *response_time; /* NULL or zero: not known */
    bool has_interval;
    double interval; /* seconds since the poll before */
};

/* Counts a call in the column of bytes, and in those above from counts and from reals on. */
void asking_cells_count(stat_tap_table_item_type *bytes, stat_tap_table_item_type *counts,
    stat_tap_table_item_type *reals, struct stat_asking *sum, const struct asking_call *call);
/* Frees what is kept in a struct stat_asking. */
void asking_free_state(void *asking);

/* The median of numbers that come one by one */

/* ---- median.c ---- */

/*
 * Adds a number, which costs the logarithm of how many there are. Returns the median of all. *numbers: all so far, in
 * order; NULL at first, to be freed with g_sequence_free().
 */
double median_add(GSequence **numbers, double number);

#endif /* PERFLIB_STATS_ASKING_CELLS_H */
