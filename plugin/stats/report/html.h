/* html.h
 * Text on a page of HTML
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_REPORT_HTML_H
#define PERFLIB_STATS_REPORT_HTML_H

#include <glib.h>

/*
 * Appends formatted text to the page. All text that is not constant must pass through this function, in attributes
 * (in quotes), too: it escapes HTML. Characters that are unprintable or change how their neighbours are read
 * (bidirectional controls, line separators) are escaped as in C. The format supports only %u, %s and %%.
 */
void html_printf(GString *page, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif /* PERFLIB_STATS_REPORT_HTML_H */
