/* csv.c
 * Texts and numbers in files for spreadsheets, data frames and Microsoft's log tools
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/csv.h"

#include <string.h>

#include "base/text.h"
#include "cook/cooking.h"

#define MAX_TEXT 2048u /* bytes of a cell: PDH_MAX_COUNTER_PATH */

/*
 * Appends a text in quotes, on one line, in valid UTF-8, with `before` in front of each character of `specials`.
 * is_cell: true for CSV, false for JSON.
 */
static void
append_quoted(GString *line, const char *text, const char *specials, char before, bool is_cell)
{
    const char *shown = line_text_max(NULL, text, MAX_TEXT);
    const size_t own = strspn(shown, "'");

    g_string_append_c(line, '"');
    /*
     * A leading apostrophe keeps spreadsheets from running a text such as =1+1 as a formula. The text '=1+1 gets one,
     * too, so that different texts remain different.
     */
    if (is_cell && shown[own] != '\0' && strchr("=+-@", shown[own]) != NULL) {
        g_string_append_c(line, '\'');
    }
    for (const char *c = shown; *c != '\0'; c++) {
        if (strchr(specials, *c) != NULL) {
            g_string_append_c(line, before);
        }
        /* JSON inside an HTML page must not contain "</script>". */
        if (*c == '<' && !is_cell) {
            g_string_append(line, "\\u003c");
        } else {
            g_string_append_c(line, *c);
        }
    }
    g_string_append_c(line, '"');
    if (shown != text) {
        wmem_free(NULL, (char *)shown);
    }
}

void
csv_append_text(GString *line, const char *text)
{
    append_quoted(line, text, "\"", '"', true);
}

void
csv_append_json_text(GString *line, const char *text)
{
    append_quoted(line, text, "\"\\", '\\', false);
}

void
csv_append_whole(GString *line, uint64_t magnitude, bool is_negative)
{
    char digits[DIGITS_MAX];

    g_string_append_len(line, digits, (gssize)digits_signed(digits, magnitude, is_negative));
}

void
csv_append_real(GString *line, double value)
{
    /* 15 digits are often enough; 17 always are. */
    static const char *const formats[] = { "%.15g", "%.16g", "%.17g" };
    char exact[DIGITS_MAX], digits[G_ASCII_DTOSTR_BUF_SIZE];
    const size_t length = digits_exact(exact, value);
    /* digits_exact() has already tried 15 digits for values in this range. */
    size_t i = value >= 0.0001 && value < 1e15 ? 1 : 0;

    if (length > 0) {
        g_string_append_len(line, exact, (gssize)length);
        return;
    }
    do {
        /* Not printf(), which uses the decimal separator of the user's locale. */
        g_ascii_formatd(digits, sizeof digits, formats[i], value);
    } while (++i < array_length(formats) && g_ascii_strtod(digits, NULL) != value);
    g_string_append(line, digits);
}

void
csv_append_cell(GString *line, const char **before, const char *key, const struct csv_cell *cell, enum csv_form form)
{
    if (form == CSV_JSON_SHORT && cell->kind == CSV_NOTHING) {
        return;
    }
    g_string_append(line, *before);
    *before = ",";
    if (form == CSV_KEYS) {
        g_string_append(line, key);
        return;
    }
    if (form != CSV_VALUES) {
        g_string_append_c(line, '"');
        g_string_append(line, key);
        g_string_append(line, "\":");
    }
    switch (cell->kind) {
    case CSV_TEXT: (form == CSV_VALUES ? csv_append_text : csv_append_json_text)(line, cell->text); break;
    case CSV_DIGITS: g_string_append(line, cell->text); break;
    case CSV_WHOLE: csv_append_whole(line, cell->whole, cell->is_negative); break;
    case CSV_REAL: csv_append_real(line, cell->real); break;
    default: g_string_append(line, form == CSV_JSON ? "null" : "");
    }
}

void
csv_append_row(GString *line, const char *const *keys, const struct csv_cell *cells, size_t count, enum csv_form form)
{
    const char *before = "";

    for (size_t i = 0; i < count; i++) {
        csv_append_cell(line, &before, keys[i], form == CSV_KEYS ? NULL : &cells[i], form);
    }
}

const char *
csv_time(wmem_allocator_t *scope, const nstime_t *time)
{
    GDateTime *date = time->nsecs >= 0 ? g_date_time_new_from_unix_utc((int64_t)time->secs) : NULL;
    const char *text = "";

    if (date != NULL) {
        text = wmem_strdup_printf(scope, "%04d-%02d-%02dT%02d:%02d:%02d.%07dZ", g_date_time_get_year(date),
            g_date_time_get_month(date), g_date_time_get_day_of_month(date), g_date_time_get_hour(date),
            g_date_time_get_minute(date), g_date_time_get_second(date), time->nsecs / 100);
        g_date_time_unref(date);
    }
    return text;
}
