/* csv.h
 * Texts and numbers in files for spreadsheets, data frames and Microsoft's log tools
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_CSV_H
#define PERFLIB_STATS_CSV_H

#include "compat.h"

#include <glib.h>
#include <wsutil/nstime.h>

/*
 * Appends a text in double quotes, with unprintable characters escaped as in C (base/text.h). A text that a
 * spreadsheet would take for a formula (it starts with = + - or @) gets a leading apostrophe; a leading tab or line
 * end is escaped by a backslash for the same reason.
 */
void csv_append_text(GString *line, const char *text);

/* Appends a whole number with all its digits. */
void csv_append_whole(GString *line, uint64_t magnitude, bool is_negative);
/*
 * Appends a double with the fewest digits that read back as the same value. The decimal separator is a point in all
 * locales.
 */
void csv_append_real(GString *line, double value);

/*
 * Returns a time as "2026-11-21T12:00:00.1234567Z", allocated in `scope`, or "" if its year does not have four
 * digits.
 */
const char *csv_time(wmem_allocator_t *scope, const nstime_t *time);

/* Appends a text as a JSON string in double quotes, with "<" as "\u003c": it may stand in a page of HTML. */
void csv_append_json_text(GString *line, const char *text);

#endif /* PERFLIB_STATS_CSV_H */
