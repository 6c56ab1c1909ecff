/* model.c
 * What a report is made of: the tables of a capture, as -z shows them, and their curves
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/report/model.h"

#include <inttypes.h>
#include <string.h>

/* The column of that name as the table has it; false: it has none. */
static bool
model_column(const struct stat_rows *rows, const char *name, unsigned *column)
{
    for (*column = 0; *column < rows->kind->num_columns; (*column)++) {
        if (strcmp(rows->kind->columns[*column].column_name, name) == 0) {
            return true;
        }
    }
    return false;
}

const char *
model_cell(wmem_allocator_t *scope, const struct stat_rows *rows, unsigned row, const char *column)
{
    unsigned i;
    const stat_tap_table_item_type *cell;
    char digits[G_ASCII_DTOSTR_BUF_SIZE];

    if (!model_column(rows, column, &i)) {
        return "";
    }
    cell = &stat_rows_cells(rows, row)[i];
    switch (cell->type) {
    case TABLE_ITEM_STRING:
        /* A number for tshark has its column's width. */
        return cell->value.string_value + strspn(cell->value.string_value, " ");
    case TABLE_ITEM_UINT: return wmem_strdup_printf(scope, "%u", cell->value.uint_value);
    case TABLE_ITEM_FLOAT:
        return wmem_strdup(scope,
            g_ascii_formatd(digits, sizeof digits, rows->kind->columns[i].field_format, cell->value.float_value));
    default: return "";
    }
}

unsigned
model_number(const struct stat_rows *rows, unsigned row, const char *column)
{
    unsigned i;
    const stat_tap_table_item_type *cell;

    if (!model_column(rows, column, &i)) {
        return 0;
    }
    cell = &stat_rows_cells(rows, row)[i];
    return cell->type == TABLE_ITEM_UINT ? cell->value.uint_value : 0;
}

uint64_t
model_sum(const struct stat_rows *rows, const char *column)
{
    uint64_t sum = 0;

    for (unsigned row = 0; row < stat_rows_count(rows); row++) {
        sum += model_number(rows, row, column);
    }
    return sum;
}

const char *
model_machine(wmem_allocator_t *scope, const struct model *model, const char *address)
{
    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        const char *host = curves_host(model->curves[api], address);

        if (host != NULL && strcmp(host, address) != 0) {
            return wmem_strdup_printf(scope, "%s (%s)", host, address);
        }
    }
    return address;
}
