/* curves.h
 * Values of counters over time, as many as a page has room for, and their drawings
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_REPORT_CURVES_H
#define PERFLIB_STATS_REPORT_CURVES_H

#include "compat.h"

#include "counters/record.h"
#include "stats/rows.h"

struct curves;

/* The curves of a table of counters (stats/tables.h), which are kept from now on, and forgotten with its rows. */
struct curves *curves_of(struct stat_rows *counters);

/* What the machine at an address is called in the paths; NULL: not known; "": several machines answer by it. */
const char *curves_host(const struct curves *curves, const char *address);

/* What is drawn, and what is not, of all of a page's curves. */
struct curves_drawn {
    unsigned drawn, left_out; /* counters with values */
    unsigned thinned;         /* of those drawn */
    unsigned points;
};

/* When the latest poll was, in seconds since 1970; 0: there is none. */
double curves_last(const struct curves *curves);
/*
 * Draws them: a block for each counterset of each machine. Nothing where no counter has a value. All are drawn over the
 * same time: end seconds from begin on. scope: of what is needed meanwhile.
 */
void curves_draw(const struct curves *curves, const nstime_t *begin, double end, wmem_allocator_t *scope, GString *page,
    struct curves_drawn *sum);

#endif /* PERFLIB_STATS_REPORT_CURVES_H */
