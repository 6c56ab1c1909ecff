/* rows-data.c
 * Rows of tables as CSV and JSON
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/rows.h"

#include <string.h>

/* 2^53: whole numbers up to it are exact as doubles, and JavaScript has no other numbers. */
#define EXACT_MAX G_GUINT64_CONSTANT(9007199254740992)

/* Returns true for a whole number that a double may not represent exactly. */
static bool
is_beyond_doubles(const char *digits)
{
    const char *first = digits[0] == '-' ? digits + 1 : digits;

    return strspn(first, "0123456789") == strlen(first) && g_ascii_strtoull(first, NULL, 10) > EXACT_MAX;
}

/* Returns the value of a cell of any type. */
static struct csv_cell
cell_value(const struct stat_rows *rows, const stat_tap_table_item_type *cell, unsigned column, bool is_json)
{
    struct csv_cell value = { .kind = CSV_NOTHING };

    switch (cell->type) {
    case TABLE_ITEM_STRING:
        value = csv_text(cell->value.string_value);
        if (value.kind == CSV_TEXT && (rows->kind->digits & STAT_BIT(column)) != 0 &&
            !(is_json && is_beyond_doubles(value.text))) {
            value.kind = CSV_DIGITS;
        }
        return value;
    case TABLE_ITEM_UINT:
        return csv_whole(cell->value.uint_value != 0 || (rows->kind->frames & STAT_BIT(column)) == 0,
            cell->value.uint_value);
    case TABLE_ITEM_FLOAT: return csv_real(true, cell->value.float_value);
    default: return value;
    }
}

void
stat_rows_append(const struct stat_rows *rows, unsigned row, enum csv_form form, GString *line)
{
    const stat_tap_table_item_type *cells = form == CSV_KEYS ? NULL : stat_rows_cells(rows, row);
    const char *before = "";

    for (unsigned column = 0; column < rows->kind->num_columns; column++) {
        const char *key = rows->kind->columns[column].key;
        const struct csv_cell value =
            cells == NULL || key == NULL ? csv_text(NULL) : cell_value(rows, &cells[column], column, form == CSV_JSON);

        if (key != NULL) {
            csv_append_cell(line, &before, key, &value, form);
        }
    }
}
