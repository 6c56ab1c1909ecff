/* csv.h
 * Texts and numbers in files for spreadsheets, data frames and Microsoft's log tools
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_CSV_H
#define PERFLIB_STATS_CSV_H

#include "compat.h"

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

/* Appends a text as a JSON string in double quotes, with "<" as "\u003c" so that the string is safe in HTML. */
void csv_append_json_text(GString *line, const char *text);

/* Kinds of a cell's value. CSV_DIGITS: a number that is already text */
enum csv_kind { CSV_NOTHING, CSV_TEXT, CSV_DIGITS, CSV_WHOLE, CSV_REAL };
struct csv_cell {
    enum csv_kind kind;
    const char *text; /* text of a CSV_TEXT; number of a CSV_DIGITS, written as it is */
    uint64_t whole;   /* absolute value; see is_negative */
    bool is_negative;
    double real;
};

/* Return a cell with a value; an empty cell if the text is NULL or "", or is_there is false. */
static inline struct csv_cell
csv_text(const char *text)
{
    return (struct csv_cell){ .kind = text != NULL && text[0] != '\0' ? CSV_TEXT : CSV_NOTHING, .text = text };
}

static inline struct csv_cell
csv_whole(bool is_there, uint64_t whole)
{
    return (struct csv_cell){ .kind = is_there ? CSV_WHOLE : CSV_NOTHING, .whole = whole };
}

static inline struct csv_cell
csv_real(bool is_there, double real)
{
    return (struct csv_cell){ .kind = is_there ? CSV_REAL : CSV_NOTHING, .real = real };
}

/*
 * Forms of a row: CSV keys, CSV values, or members of a JSON object. CSV_JSON writes empty cells as null,
 * CSV_JSON_SHORT leaves them out.
 */
enum csv_form { CSV_KEYS, CSV_VALUES, CSV_JSON, CSV_JSON_SHORT };

/* Appends *before (at first "") and a cell. Sets *before to "," for the next cell. */
void csv_append_cell(GString *line, const char **before, const char *key, const struct csv_cell *cell,
    enum csv_form form);
/* Appends a row of cells with these keys. */
void csv_append_row(GString *line, const char *const *keys, const struct csv_cell *cells, size_t count,
    enum csv_form form);

#endif /* PERFLIB_STATS_CSV_H */
