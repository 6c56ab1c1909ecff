/* report.h
 * What a report is made of, and the parts of its page
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_REPORT_REPORT_H
#define PERFLIB_STATS_REPORT_REPORT_H

#include "compat.h"

#include <glib.h>

#include "stats/findings.h"

/* Values of counters over time, as many as a page has room for, and their drawings */

struct curves;

/* ---- curves.c ---- */

/* The curves of a table of counters (stats/tables.h), which are kept from now on, and forgotten with its rows. */
struct curves *curves_of(struct stat_rows *counters);

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

/* The page of a report, from its headline to how it was made */

/* ---- sections.c ---- */

/* The whole page. */
void sections_write(struct model *model, const char *filter, GString *page);

/* How the page looks, and what it does under a pointer: its style and script */

/* ---- look.c ---- */

/*
 * The head of the page, up to where its body begins, which allows its own style and script by their hashes and nothing
 * else. title: any text.
 */
void look_begin(GString *page, const char *title);
/* Its end, with the script. */
void look_end(GString *page);

#endif /* PERFLIB_STATS_REPORT_REPORT_H */
