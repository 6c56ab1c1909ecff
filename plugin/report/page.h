/* page.h
 * The page of a report: embedded files, text and curves
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_REPORT_PAGE_H
#define PERFLIB_REPORT_PAGE_H

#include "compat.h"

#include "stats/model.h"

/* Files of the page as texts with a NUL at the end, defined by embed.cmake. */
extern const unsigned char page_html[], page_css[], page_js[], page_dygraphs[];

/* Curves of counter values over time. To save memory, only minimum and maximum of neighbouring values are kept. */

struct curves;

/* ---- curves.c ---- */

/* Starts collecting the curves of a counters table (stats/tables.h). The curves are emptied with the table. */
struct curves *curves_of(struct stat_rows *counters);
/*
 * Appends a line of JSON for each curve that is not constant, with times in milliseconds since `begin`, and a line with
 * the number of curves left out to limit the page's size. counters: name of the counters table. rows: number of the
 * table's rows that the page shows.
 */
void curves_append_json(const struct curves *curves, const char *counters, unsigned rows, const nstime_t *begin,
    GString *out);

/* ---- page.c ---- */

/*
 * Appends the page. model->data: array of struct curves *, indexed by enum model_api. filter: the user's display
 * filter, or NULL.
 */
void page_write(struct model *model, const char *filter, GString *page);

#endif /* PERFLIB_REPORT_PAGE_H */
