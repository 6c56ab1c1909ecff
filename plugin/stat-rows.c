/* stat-rows.c
 * Statistics tables whose rows come as the capture tells: taking them away again
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stat-rows.h"

void
stat_rows_retire(struct stat_rows *rows, stat_tap_table *table)
{
    if (rows->retired == NULL) {
        rows->retired = g_ptr_array_new();
    }
    for (unsigned row = 0; row < table->num_elements; row++) {
        g_ptr_array_add(rows->retired, table->elements[row]);
    }
    table->num_elements = 0;
}

void
stat_rows_free_item(const struct stat_rows *rows, unsigned column, stat_tap_table_item_type *item)
{
    if (rows->owned & (UINT64_C(1) << column)) {
        g_free((char *)item->value.string_value);
    }
}

void
stat_rows_release(struct stat_rows *rows)
{
    for (unsigned i = 0; rows->retired != NULL && i < rows->retired->len; i++) {
        stat_tap_table_item_type *row = (stat_tap_table_item_type *)g_ptr_array_index(rows->retired, i);

        for (unsigned column = 0; column < 64 && rows->owned >> column != 0; column++) {
            stat_rows_free_item(rows, column, &row[column]);
        }
        g_free(row);
    }
    if (rows->retired != NULL) {
        g_ptr_array_set_size(rows->retired, 0);
    }
}
