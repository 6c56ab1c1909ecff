/* html.h
 * Text on a page of HTML
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_REPORT_HTML_H
#define PERFLIB_STATS_REPORT_HTML_H

#include <glib.h>

/*
 * All text that is not a constant of ours goes onto the page through this one, between tags and between the quotes of
 * attributes alike. What does not print, or changes how its neighbours are read (bidirectional controls, line
 * separators), is written as in C. The format knows %u, %s and %% alone.
 */
void html_printf(GString *page, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif /* PERFLIB_STATS_REPORT_HTML_H */
