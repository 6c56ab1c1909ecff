/* request-cells.h
 * Cells of the tables perflibv2,queries and perfdata,queries: bytes and time that a client's calls take and waste
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_REQUEST_CELLS_H
#define PERFLIB_STATS_REQUEST_CELLS_H

#include "compat.h"

#include "base/request-state.h"
#include "stats/rows.h"

/*
 * Columns about waste: indexes of the counts in the cells from COLUMN_COUNTS on, and of the real numbers in those from
 * COLUMN_REALS on, which are the last columns of the tables of queries.
 */
enum { REQUESTS_TOO_SMALL, REQUESTS_WASTED, REQUESTS_LATE, REQUESTS_OVERLAP, REQUESTS_TWICE, NUM_REQUEST_COUNTS };
enum { REQUESTS_RESPONSE, REQUESTS_MEDIAN, REQUESTS_LONGEST, NUM_REQUEST_REALS };

/* Running median; initialised to zero. */
struct median {
    GSequence *numbers;    /* the numbers added so far, in ascending order; NULL: none */
    GSequenceIter *middle; /* the median, or the smaller of two numbers in the middle */
    bool is_odd;           /* true if the count of numbers is odd */
};

/* State of a row for the columns about waste; initialised to zero. */
struct stat_requests {
    uint64_t bytes, wasted; /* bytes of all calls, and those of calls whose buffer was too small */
    struct stat_mean response;
    struct median intervals; /* intervals between polls */
    double median;           /* median interval between polls, in seconds; 0: none */
    double longest;
    double quickest;     /* shortest response time of a poll, in seconds, except the query's first poll; 0: none */
    double slowest;      /* longest response time of a poll, in seconds, except the query's first poll */
    uint32_t slowest_in; /* frame of the slowest answer; 0 if none */
    /* first frame counted in each count column; for REQUESTS_TOO_SMALL the second, as the first is normal; 0: none */
    uint32_t first_in[NUM_REQUEST_COUNTS];
};

/* Columns about waste of both tables of queries, in the order of the enumerations above */
/* clang-format off */
#define REQUESTS_COUNTS(X) \
    X(COLUMN_COUNTS, STAT_COUNT("too_small", "Too small")) \
    X(COLUMN_WASTED, STAT_COUNT("wasted_percent", "Wasted bytes %")) \
    X(COLUMN_LATE, STAT_COUNT("late", "Late")) \
    X(COLUMN_OVERLAP, STAT_COUNT("overlap", "Overlap")) \
    X(COLUMN_TWICE, STAT_COUNT("twice", "Twice"))
#define REQUESTS_REALS(X) \
    X(COLUMN_REALS, STAT_REAL("response_ms", "Response ms", 3)) \
    X(COLUMN_MEDIAN, STAT_REAL("median_s", "Median s", 3)) \
    X(COLUMN_LONGEST, STAT_REAL("longest_s", "Longest s", 3))
/* clang-format on */

/* Cost of a call, or of one PDU of a sealed call, from its tap record */
struct call_cost {
    uint32_t frame;
    uint32_t bytes; /* stub bytes of request and answer; for a PDU of a sealed call: its own */
    bool too_small; /* true if the client's buffer was too small */
    bool is_probe;  /* true if the request was a size probe */
    const struct request_finding *finding;
    const nstime_t *response_time; /* time from request to answer; NULL or zero if unknown */
    bool has_interval;
    double interval; /* if .has_interval: seconds since the query's previous poll */
};

/*
 * Counts a call (cost) in its row's state (sum) and cells. scope: the table's allocator. bytes, counts, reals: the
 * row's cells from COLUMN_BYTES, COLUMN_COUNTS and COLUMN_REALS on.
 */
void request_cells_count(wmem_allocator_t *scope, stat_tap_table_item_type *bytes, stat_tap_table_item_type *counts,
    stat_tap_table_item_type *reals, struct stat_requests *sum, const struct call_cost *cost);

/* ---- median.c ---- */

/* Adds a number (stored in `scope`) and returns the median of all numbers so far. Takes logarithmic time. */
double median_add(wmem_allocator_t *scope, struct median *median, double number);

#endif /* PERFLIB_STATS_REQUEST_CELLS_H */
