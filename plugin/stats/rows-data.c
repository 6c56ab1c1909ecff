/* rows-data.c
 * Rows of tables as CSV and JSON
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/rows.h"

#include <string.h>

#include "stats/csv.h"

/* Largest whole number up to which all are exact as doubles, the only numbers of JavaScript: 2^53. */
#define EXACT_MAX G_GUINT64_CONSTANT(9007199254740992)

/* Returns true if the digits are a whole number that a double may not represent exactly. */
static bool
is_beyond_doubles(const char *digits)
{
    const char *first = digits[0] == '-' ? digits + 1 : digits;

    return strspn(first, "0123456789") == strlen(first) && g_ascii_strtoull(first, NULL, 10) > EXACT_MAX;
}

/* Appends a cell of any type. Returns false if the cell is empty. */
static bool
append_cell(const struct stat_rows *rows, const stat_tap_table_item_type *cell, unsigned column, bool is_json,
    GString *line)
{
    switch (cell->type) {
    case TABLE_ITEM_STRING:
        if (cell->value.string_value[0] == '\0') {
            return false;
        }
        if ((rows->kind->digits & STAT_BIT(column)) != 0 && !(is_json && is_beyond_doubles(cell->value.string_value))) {
            g_string_append(line, cell->value.string_value);
        } else {
            (is_json ? csv_append_json_text : csv_append_text)(line, cell->value.string_value);
        }
        return true;
    case TABLE_ITEM_UINT:
        if (cell->value.uint_value == 0 && (rows->kind->frames & STAT_BIT(column)) != 0) {
            return false;
        }
        csv_append_whole(line, cell->value.uint_value, false);
        return true;
    case TABLE_ITEM_FLOAT: csv_append_real(line, cell->value.float_value); return true;
    default: return false;
    }
}

void
stat_rows_append_csv(const struct stat_rows *rows, unsigned row, GString *line)
{
    const stat_tap_table_item_type *cells = stat_rows_cells(rows, row);
    const char *before = "";

    for (unsigned column = 0; column < rows->kind->num_columns; column++) {
        if (rows->kind->columns[column].key != NULL) {
            g_string_append(line, before);
            append_cell(rows, &cells[column], column, false, line);
            before = ",";
        }
    }
}

void
stat_rows_append_json(const struct stat_rows *rows, unsigned row, GString *line)
{
    const stat_tap_table_item_type *cells = stat_rows_cells(rows, row);
    const char *before = "";

    for (unsigned column = 0; column < rows->kind->num_columns; column++) {
        if (rows->kind->columns[column].key != NULL) {
            g_string_append_printf(line, "%s\"%s\":", before, rows->kind->columns[column].key);
            if (!append_cell(rows, &cells[column], column, true, line)) {
                g_string_append(line, "null");
            }
            before = ",";
        }
    }
}

void
stat_rows_append_keys(const struct stat_rows *rows, GString *line)
{
    const char *before = "";

    for (unsigned column = 0; column < rows->kind->num_columns; column++) {
        if (rows->kind->columns[column].key != NULL) {
            g_string_append_printf(line, "%s%s", before, rows->kind->columns[column].key);
            before = ",";
        }
    }
}
