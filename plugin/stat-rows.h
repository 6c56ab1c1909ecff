/* stat-rows.h
 * Statistics tables whose rows come as the capture tells: taking them away again
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STAT_ROWS_H
#define PERFLIB_STAT_ROWS_H

#include "compat.h"

#include <epan/stat_tap_ui.h>

/* Rows taken out of tables. One for each kind of table, for as long as the process lives. */
struct stat_rows {
    uint64_t owned;             /* bit c: the text in column c is the row's own, to be freed with it */
    GPtrArray *retired;         /* NULL: none yet */
};

/*
 * Empties a table: to be called from stat_tap_reset_table_cb. A window that shows the table still points to its rows until
 * it is drawn anew, so they are kept until stat_rows_release().
 */
void stat_rows_retire(struct stat_rows *rows, stat_tap_table *table);
/* Frees what was taken out. To be called where a table is made anew: nobody shows an earlier one then. */
void stat_rows_release(struct stat_rows *rows);
/* Frees the text of one cell: for stat_tap_free_table_item_cb. */
void stat_rows_free_item(const struct stat_rows *rows, unsigned column, stat_tap_table_item_type *item);

#endif /* PERFLIB_STAT_ROWS_H */
