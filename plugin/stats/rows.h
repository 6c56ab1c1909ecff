/* rows.h
 * Statistics tables whose rows come as the capture tells
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_ROWS_H
#define PERFLIB_STATS_ROWS_H

#include "compat.h"

#include <epan/stat_tap_ui.h>

#include "stats/needed.h"

/*
 * One table, "-z PROTOCOL,TABLE[,filter]" and a window of the Statistics menu. It lives as long as the process:
 * Wireshark keeps one for all windows and -z options that show it. What it is, is said once, in its initializer;
 * the rest is zero at first. A column's format has the width that tshark prints it in, and its name none: a window
 * knows how wide its columns are, and saves what it is given. Windows are sorted by the first column. A cell without
 * a value is a text without letters, or of type TABLE_ITEM_NONE in the last columns: others would move to its place.
 * Rows may stand in groups, each a table of Wireshark's with a title. A window compares what one column has in the rows
 * of a group as the type of either: but for TABLE_ITEM_NONE they are to be of one type.
 */
struct stat_rows {
    stat_tap_table_ui ui; /* first, as Wireshark hands out pointers to it */
    /* Counts what the tap brought. Returns whether anything changed. */
    bool (*count)(struct stat_rows *rows, const packet_info *pinfo, const void *tapped);
    void (*begin)(struct stat_rows *rows); /* whenever the table is empty, before packets; may be NULL */
    size_t cli_columns; /* so many of the columns are printed by tshark; the rest is for windows. 0: all */
    uint64_t owned;     /* bit c: the text in column c is the row's own, to be freed with it */
    bool has_groups;
    size_t state_size; /* bytes kept beside each row, zero when it is made; 0: none */
    GHashFunc hash;    /* of the rows' keys, for g_hash_table_new_full(); NULL: rows have no keys */
    GEqualFunc equal;
    GDestroyNotify free_key;

    const stat_tap_table_item *columns; /* as the initializer has them */
    bool is_fitted;                     /* the columns are those of whoever shows them, */
    bool has_windows;                   /* Wireshark shows them, so that all columns are there */
    stat_tap_table *table;              /* of rows without a group; the first */
    stat_tap_table *last;               /* what stands below all rows */
    GHashTable *groups;                 /* title -> place among the tables */
    GArray *placed;                     /* of each row, where it stands */
    const void *listener; /* whose packets are counted: a second -z of the same table must not count them twice */
    GHashTable *by_key;   /* key -> row */
    GArray *states;
    struct needed needed;  /* sentences that stand below all rows */
    GPtrArray *retired;    /* rows taken out of the table at the latest reset */
    stat_data_t opened;    /* the listener of stat_rows_open() */
    stat_data_t encrypted; /* the one of what SMB 3 encrypts */
};

/* Makes the table known to Wireshark. Called once, while protocols are registered. */
void stat_rows_register(struct stat_rows *rows);
/*
 * Names a table that several protocols have, which says of itself the TABLE of "-z PROTOCOL,TABLE" (ui.cli_string) and
 * what the window's title ends with. tap_name: of its records; title: the protocol's, as windows begin with it. The
 * names are copied.
 */
void stat_rows_name(struct stat_rows *rows, const char *protocol, const char *tap_name, const char *title);

/*
 * Counts into a table that is not registered, as it is no window's and no -z's, but the caller's own: a report's.
 * Returns what is wrong with the filter, or NULL.
 */
GString *stat_rows_open(struct stat_rows *rows, const char *filter);
bool stat_rows_is_opened(const struct stat_rows *rows);
/* Empties it, before packets are read again. */
void stat_rows_clear(struct stat_rows *rows);
/* Counts no more, and empties it. It may be opened again. */
void stat_rows_close(struct stat_rows *rows);

/*
 * Makes a submenu of the Statistics menu with the windows of all tables, in the order in which they were registered.
 * Called once, when all protocols are registered.
 */
void stat_rows_make_menu(void);

/* Finds the row of a key. False: there is none. */
bool stat_rows_find(const struct stat_rows *rows, const void *key, unsigned *row);
/*
 * Makes a row of cells, one for each column of the table. Takes the key over, which no row may have yet, and the texts
 * of owned columns.
 */
unsigned stat_rows_add(struct stat_rows *rows, void *key, const stat_tap_table_item_type *cells);
/* The same in the group of that title, which is made if there is none. */
unsigned stat_rows_add_to(struct stat_rows *rows, const char *group, void *key, const stat_tap_table_item_type *cells);
/* Has a row stand in that group, last, unless it stands there already; what its cells own goes with it. */
void stat_rows_regroup(struct stat_rows *rows, unsigned row, const char *group);
/* Makes a row without a key for a sentence of the caller's, who sets it in the first column of texts, an owned one. */
void stat_rows_add_sentence(struct stat_rows *rows);
/* Makes a further key lead to a row, instead of where it led before. Takes the key over. */
void stat_rows_add_key(struct stat_rows *rows, void *key, unsigned row);
/*
 * Takes out a row of a table whose rows have neither keys nor groups. The last row takes its place, with what is kept
 * beside it.
 */
void stat_rows_remove(struct stat_rows *rows, unsigned row);
/* How many rows there are. */
unsigned stat_rows_count(const struct stat_rows *rows);
/*
 * Has the table end with a sentence: why calls are missing in it. NULL: none. Returns whether there is one, so that who
 * counts records of a tap need not look at those further.
 */
bool stat_rows_end_with(struct stat_rows *rows, const char *needed);
/* Forgets a key; rows stay. */
void stat_rows_remove_key(struct stat_rows *rows, const void *key);
/* The cells of a row, and what is kept beside it (valid until a row is added). */
stat_tap_table_item_type *stat_rows_cells(const struct stat_rows *rows, unsigned row);
void *stat_rows_state(const struct stat_rows *rows, unsigned row);

/*
 * The cells of a new row of the table, all zero: of the types of their columns, but numbers that are means have
 * none yet (TABLE_ITEM_FLOAT), and owned texts are empty.
 */
void stat_cells_init(const struct stat_rows *rows, stat_tap_table_item_type *cells);
/*
 * Another text in a cell of a column that owns its texts: copied, as it may stand in a line
 * (base/text.h).
 */
void stat_cell_set_text(stat_tap_table_item_type *cell, const char *text);

/*
 * A number in a cell of a column of TABLE_ITEM_FLOAT. tshark gets it as a text: it would print it with the decimal
 * comma of the user's language.
 */
void stat_cell_set_real(const struct stat_rows *rows, stat_tap_table_item_type *cells, unsigned column, double value);

/* A mean in the making; zero at first. */
struct stat_mean {
    double sum;
    unsigned count;
};

/* Adds a value and shows the mean. Before the first the cell is to be of type TABLE_ITEM_NONE: no mean. */
void stat_cell_add_to_mean(const struct stat_rows *rows, stat_tap_table_item_type *cells, unsigned column,
    struct stat_mean *mean, double value);

#endif /* PERFLIB_STATS_ROWS_H */
