/* rows.h
 * Statistics tables whose rows come as the capture tells
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_ROWS_H
#define PERFLIB_STATS_ROWS_H

#include "compat.h"

#include <epan/stat_tap_ui.h>

/*
 * The rows of one kind of table, for as long as the process lives: Wireshark keeps one table for all windows and -z options
 * that show it. What kind it is is set once; the rest is zero at first.
 */
struct stat_rows {
    uint64_t owned;             /* bit c: the text in column c is the row's own, to be freed with it */
    size_t state_size;          /* bytes kept beside each row, zero when it is made; 0: none */
    GHashFunc hash;             /* of the rows' keys, for g_hash_table_new_full(); NULL: rows have no keys */
    GEqualFunc equal;
    GDestroyNotify free_key;

    stat_tap_table *table;
    const void *listener;       /* whose packets are counted */
    GHashTable *by_key;         /* key -> row */
    GArray *states;
    GPtrArray *retired;         /* rows taken out of the table */
};

/* The parameters of a table that takes a filter: for stat_tap_table_ui.params. */
extern tap_param stat_rows_parameters[1];

/* Makes the table, or empties it where there is one: for stat_tap_init_cb. */
void stat_rows_init(struct stat_rows *rows, stat_tap_table_ui *ui);
/*
 * Empties the table: for stat_tap_reset_table_cb. A window that shows it still points to its rows until it is drawn anew, so
 * they are kept until the table is made anew.
 */
void stat_rows_reset(struct stat_rows *rows);
/* Frees the text of one cell: for stat_tap_free_table_item_cb. */
void stat_rows_free_item(const struct stat_rows *rows, unsigned column, stat_tap_table_item_type *item);

/* Whether this listener's packets count: a second -z of the same table must not count them twice. */
bool stat_rows_count_for(struct stat_rows *rows, const void *listener);

/* Finds the row of a key. False: there is none. */
bool stat_rows_find(const struct stat_rows *rows, const void *key, unsigned *row);
/* Makes a row of cells, one for each column of the table. Takes the key over, which no row may have yet, and the texts of owned columns. */
unsigned stat_rows_add(struct stat_rows *rows, void *key, const stat_tap_table_item_type *cells);
/* Makes a further key lead to a row, instead of where it led before. Takes the key over. */
void stat_rows_add_key(struct stat_rows *rows, void *key, unsigned row);
/* Forgets a key; rows stay. */
void stat_rows_remove_key(struct stat_rows *rows, const void *key);
/* The cells of a row, and what is kept beside it (valid until a row is added). */
stat_tap_table_item_type *stat_rows_cells(const struct stat_rows *rows, unsigned row);
void *stat_rows_state(const struct stat_rows *rows, unsigned row);

/* The cells of a new row, all zero: of the types of their columns, but numbers that are means have none yet (TABLE_ITEM_FLOAT). */
void stat_cells_init(stat_tap_table_item_type *cells, const stat_tap_table_item *columns, unsigned num_columns);
/* A cell's text, copied: of columns that own their texts. */
stat_tap_table_item_type stat_cell_text(const char *text);
/* Another text in such a cell. */
void stat_cell_set_text(stat_tap_table_item_type *cell, const char *text);

/* A mean in the making; zero at first. */
struct stat_mean {
    double sum;
    unsigned count;
};

/* Adds a value and shows the mean. Before the first the cell is to be of type TABLE_ITEM_NONE: no mean. */
void stat_cell_add_to_mean(stat_tap_table_item_type *cell, struct stat_mean *mean, double value);

#endif /* PERFLIB_STATS_ROWS_H */
