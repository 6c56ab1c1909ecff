/* csv.h
 * Texts and numbers in files that spreadsheets, data frames and Microsoft's log tools read
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_CSV_H
#define PERFLIB_STATS_CSV_H

#include "compat.h"

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>
#include <wsutil/nstime.h>
#include <wsutil/wmem/wmem.h>

/*
 * A text in quotes: on one line, what does not print as in C (base/text.h). A quotation mark (') goes before what a
 * spreadsheet would take for a formula: what begins with = + - or @. A tab or line end it would take for one, too,
 * begins with a backslash.
 */
void csv_append_text(GString *line, const char *text);

/* Appends a whole number with all its digits. */
void csv_append_whole(GString *line, uint64_t magnitude, bool is_negative);
/* The fewest digits from which the same double is read back, with a decimal point in all languages. */
void csv_append_real(GString *line, double value);

/* "2026-11-21T12:00:00.1234567Z", in scope; "" for a time that no calendar of four digits has. */
const char *csv_time(wmem_allocator_t *scope, const nstime_t *time);

/* A text as JSON has it, in quotes. */
void csv_append_json_text(GString *line, const char *text);

#endif /* PERFLIB_STATS_CSV_H */
