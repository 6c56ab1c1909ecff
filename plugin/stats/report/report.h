/* report.h
 * Parts of the report's page: curves, sections, style and script
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_REPORT_REPORT_H
#define PERFLIB_STATS_REPORT_REPORT_H

#include "compat.h"

#include <glib.h>

#include "stats/findings.h"

/* Curves of counter values over time, as many as fit on a page */

struct curves;

/* ---- curves.c ---- */

/*
 * Starts collecting the curves of a counters table (stats/tables.h) and returns them. They are reset with the
 * table's rows.
 */
struct curves *curves_of(struct stat_rows *counters);

/* Numbers of curves on a page. */
struct curves_drawn {
    unsigned drawn, left_out; /* counters with values that are drawn, and not drawn */
    unsigned thinned;         /* drawn curves that were simplified */
    unsigned points;
};

/* Returns the time of the latest poll in seconds since 1970, or 0 if there is none. */
double curves_last(const struct curves *curves);
/*
 * Appends the curves to the page, in one block for each counterset of each machine, or nothing if no counter has
 * values. All curves have the same time axis: `end` seconds from `begin`. scope: for temporary data.
 */
void curves_draw(const struct curves *curves, const nstime_t *begin, double end, wmem_allocator_t *scope, GString *page,
    struct curves_drawn *sum);

/* HTML page of a report, from the headline to the notes on how it was made */

/* ---- sections.c ---- */

/* Appends the whole page. */
void sections_write(struct model *model, const char *filter, GString *page);

/* Style and script of the report page */

/* ---- look.c ---- */

/*
 * Appends the start of the page up to the body. Its content security policy allows only its own style and script, by
 * their hashes. title: plain text, which is escaped.
 */
void look_begin(GString *page, const char *title);
/* Appends the end of the page, with the script. */
void look_end(GString *page);

#endif /* PERFLIB_STATS_REPORT_REPORT_H */
