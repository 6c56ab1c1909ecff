/* rows.c
 * Statistics tables whose rows come as the capture tells
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/rows.h"

#include <string.h>

tap_param stat_rows_parameters[1] = {
    { PARAM_FILTER, "filter", "Filter", NULL, true },
};

static void
forget(struct stat_rows *rows)
{
    rows->listener = NULL;
    if (rows->by_key != NULL) {
        g_hash_table_remove_all(rows->by_key);
    } else if (rows->hash != NULL) {
        rows->by_key = g_hash_table_new_full(rows->hash, rows->equal, rows->free_key, NULL);
    }
    if (rows->states != NULL) {
        g_array_set_size(rows->states, 0);
    } else if (rows->state_size > 0) {
        rows->states = g_array_new(FALSE, TRUE, (guint)rows->state_size);
    }
}

void
stat_rows_free_item(const struct stat_rows *rows, unsigned column, stat_tap_table_item_type *item)
{
    if (rows->owned & (UINT64_C(1) << column)) {
        g_free((char *)item->value.string_value);
    }
}

/* Frees what was taken out of tables. */
static void
release(struct stat_rows *rows)
{
    if (rows->retired == NULL) {
        return;
    }
    for (unsigned i = 0; i < rows->retired->len; i++) {
        stat_tap_table_item_type *cells = (stat_tap_table_item_type *)g_ptr_array_index(rows->retired, i);

        for (unsigned column = 0; column < 64 && rows->owned >> column != 0; column++) {
            stat_rows_free_item(rows, column, &cells[column]);
        }
        g_free(cells);
    }
    g_ptr_array_set_size(rows->retired, 0);
}

void
stat_rows_reset(struct stat_rows *rows)
{
    if (rows->retired == NULL) {
        rows->retired = g_ptr_array_new();
    }
    for (unsigned row = 0; row < rows->table->num_elements; row++) {
        g_ptr_array_add(rows->retired, rows->table->elements[row]);
    }
    rows->table->num_elements = 0;
    forget(rows);
}

void
stat_rows_init(struct stat_rows *rows, stat_tap_table_ui *ui)
{
    if (ui->tables != NULL && ui->tables->len > 0) {
        stat_rows_reset(rows);
        return;
    }
    /* Nobody shows an earlier table any more. */
    release(rows);
    forget(rows);
    rows->table = stat_tap_init_table(ui->title, (int)ui->nfields, 0, NULL);
    stat_tap_add_table(ui, rows->table);
}

bool
stat_rows_count_for(struct stat_rows *rows, const void *listener)
{
    if (rows->listener == NULL) {
        rows->listener = listener;
    }
    return rows->listener == listener;
}

bool
stat_rows_find(const struct stat_rows *rows, const void *key, unsigned *row)
{
    void *found;

    if (!g_hash_table_lookup_extended(rows->by_key, key, NULL, &found)) {
        return false;
    }
    *row = GPOINTER_TO_UINT(found);
    return true;
}

void
stat_rows_add_key(struct stat_rows *rows, void *key, unsigned row)
{
    g_hash_table_replace(rows->by_key, key, GUINT_TO_POINTER(row));
}

unsigned
stat_rows_add(struct stat_rows *rows, void *key, const stat_tap_table_item_type *cells)
{
    const unsigned row = rows->table->num_elements;

    stat_tap_init_table_row(rows->table, row, rows->table->num_fields, cells);
    if (rows->by_key != NULL) {
        stat_rows_add_key(rows, key, row);
    }
    if (rows->states != NULL) {
        g_array_set_size(rows->states, row + 1);
    }
    return row;
}

void
stat_rows_remove_key(struct stat_rows *rows, const void *key)
{
    g_hash_table_remove(rows->by_key, key);
}

stat_tap_table_item_type *
stat_rows_cells(const struct stat_rows *rows, unsigned row)
{
    return stat_tap_get_field_data(rows->table, row, 0);
}

void *
stat_rows_state(const struct stat_rows *rows, unsigned row)
{
    return rows->states->data + row * rows->state_size;
}

void
stat_cells_init(stat_tap_table_item_type *cells, const stat_tap_table_item *columns, unsigned num_columns)
{
    memset(cells, 0, num_columns * sizeof *cells);
    for (unsigned column = 0; column < num_columns; column++) {
        cells[column].type = columns[column].type == TABLE_ITEM_FLOAT ? TABLE_ITEM_NONE : columns[column].type;
    }
}

stat_tap_table_item_type
stat_cell_text(const char *text)
{
    return (stat_tap_table_item_type){ .type = TABLE_ITEM_STRING, .value.string_value = g_strdup(text) };
}

void
stat_cell_set_text(stat_tap_table_item_type *cell, const char *text)
{
    if (strcmp(cell->value.string_value, text) != 0) {
        g_free((char *)cell->value.string_value);
        *cell = stat_cell_text(text);
    }
}

void
stat_cell_add_to_mean(stat_tap_table_item_type *cell, struct stat_mean *mean, double value)
{
    mean->sum += value;
    mean->count++;
    cell->type = TABLE_ITEM_FLOAT;
    cell->value.float_value = mean->sum / mean->count;
}
