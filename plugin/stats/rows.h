/* rows.h
 * Statistics tables that grow while packets are read
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_ROWS_H
#define PERFLIB_STATS_ROWS_H

#include "compat.h"

#include <epan/stat_tap_ui.h>

#include "stats/csv.h"
#include "stats/needed.h"

/* Column of a table. */
struct stat_column {
    stat_tap_table_item item; /* title and type as shown; column_name is NULL for a column only in files */
    /* name in files, snake_case; programs rely on it: do not change it. NULL for a column not in files */
    const char *key;
};

/* For lists of a table's columns, X(number, column): the enumeration of numbers, and the array of columns. */
#define STAT_COLUMN_NUMBER(number, ...) number,
#define STAT_COLUMN(number, ...)        [number] = __VA_ARGS__,

#define STAT_ITEM(key, name, type, align, format) \
    { \
        { type, align, name, format }, key \
    }
/* Text column. The width matters in windows only; a terminal fits each column to its contents. */
#define STAT_TEXT(key, name)         STAT_ITEM(key, name, TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "%s")
#define STAT_COUNT(key, name)        STAT_ITEM(key, name, TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "%u")
#define STAT_NUMBER(key, name)       STAT_ITEM(key, name, TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "%.15g")
#define STAT_REAL(key, name, digits) STAT_ITEM(key, name, TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "%." #digits "f")
/* Whole numbers of up to 53 bits, which the type of counts has no room for. */
#define STAT_BYTES(key, name)        STAT_REAL(key, name, 0)
/* Column that exists only in files. */
#define STAT_DATA_TEXT(key)          STAT_TEXT(key, NULL)
#define STAT_DATA_COUNT(key)         STAT_COUNT(key, NULL)

struct stat_rows;

/* Bit of column c in a set of columns, and the bits of a range of columns */
#define STAT_BIT(c)            (UINT64_C(1) << (c))
#define STAT_BITS(first, last) (STAT_BIT((last) + 1) - STAT_BIT(first))

/* Layout of rows in a terminal: the columns that fit on a line. The other columns are shown in windows only. */
struct stat_view {
    const char *title; /* heading of the view; NULL if only the table has one */
    /* bits: columns side by side, in the table's order; a text that is too wide gets its own line below */
    uint64_t columns;
    uint64_t below;          /* bits: columns that always get their own line below, unless empty */
    const char *below_label; /* label before the lines below; NULL: the titles of their columns */
    uint64_t optional;       /* bits: columns of .columns that are left out if there is no room */
    uint64_t needs;          /* bits: hide rows in which all of these columns are empty or 0; 0: show all rows */
};

/* Rows under a common heading. */
struct stat_group {
    char *title;           /* heading; NULL if none */
    stat_tap_table *table; /* table with these rows in Wireshark's form */
    GArray *rows;          /* row numbers in struct stat_rows */
    unsigned number;       /* index of this group */
};

/* Position of a row: its group, and its index there. */
struct stat_position {
    unsigned group, element;
};

/*
 * Description of a table for one or several protocols: "-z PROTOCOL,NAME[,filter]" and a window of the Statistics
 * menu. Windows sort by the first column. An empty cell is a text without letters; only in the last columns may its
 * type be TABLE_ITEM_NONE, since Wireshark would move later cells to its place.
 */
struct stat_kind {
    const char *name, *title;
    const struct stat_column *columns;
    unsigned num_columns;
    unsigned num_windowless; /* number of columns before those of files that no window shows */
    /* Counts a tap record. Returns true if the table changed. */
    bool (*count)(struct stat_rows *rows, const packet_info *pinfo, const void *tapped);
    void (*begin)(struct stat_rows *rows); /* called when the table is empty, before packets; may be NULL */
    void (*fill)(struct stat_rows *rows);  /* updates the rows before they are shown; NULL if count() does that */
    /*
     * Sets the cells of a row of a table that stat_rows_resize() has given its rows. Only windows keep such rows;
     * terminals and files have room for one at a time. NULL for other tables.
     */
    void (*show)(const struct stat_rows *rows, unsigned row, stat_tap_table_item_type *cells);
    const struct stat_view *views; /* NULL: show all columns side by side in a terminal */
    unsigned num_views;
    /* sentence of a table without rows if there were packets to count; NULL: the usual sentence */
    const char *good_news;
    bool fills_late; /* true if fill() is too slow for each packet: windows call it when drawn */
    bool has_groups; /* true if count() adds rows with headings; a window keeps the heading that it draws first */
    /* Appends text that a terminal shows between rows and sentences; may be NULL. */
    void (*append_text)(const struct stat_rows *rows, GString *out);
    bool renames_servers; /* true if names of its column "server" may be learned after their rows */
    uint64_t frames;      /* bits: columns with frame numbers; 0: none */
    uint64_t digits;      /* bits: columns with real numbers as texts, which have all digits */
    size_t size;          /* size of the table's structure, which begins with struct stat_rows; 0: just that */
    size_t state_size;    /* bytes of state per row, zeroed when the row is made; 0 if none */
};

/*
 * Table of one protocol. It lives as long as the process, since Wireshark keeps one table for all windows and -z
 * options.
 */
struct stat_rows {
    stat_tap_table_ui ui; /* must be the first member: Wireshark returns pointers to it */
    const struct stat_kind *kind;
    const char *file_name; /* name of its file in a folder with all tables: "perflibv2-counters" */
    bool is_text;          /* true in a terminal: Wireshark gets only finished lines */
    unsigned num_titled;   /* number of columns before those that only files have */
    unsigned num_cells;    /* number of cells of a row: num_titled in a terminal, else the number of all columns */
    bool has_windows;      /* true if Wireshark shows the table in windows */
    bool is_data;          /* true if the table is only written to files */
    bool has_counted;      /* true if a tap record was counted since the table was emptied */
    GPtrArray *groups;     /* struct stat_group; at least one */
    bool is_hidden;        /* true if Wireshark does not have the first group's table yet */
    GPtrArray *cells;      /* stat_tap_table_item_type array of each row; NULL for a row that is not kept */
    stat_tap_table_item_type *made; /* cells of the latest row that was shown and is not kept; NULL if none */
    unsigned made_row;              /* number of the row whose cells are in .made */
    GArray *positions;              /* struct stat_position of each row */
    GArray *states;
    /* memory of what is kept until the table is emptied, also of the members after this structure and of states */
    wmem_allocator_t *scope;
    wmem_map_t *by_title; /* maps a heading to its struct stat_group */
    /* struct stat_group without rows, whose headings are the sentences; NULL if the table has none */
    GPtrArray *sentences;
    struct needed needed; /* sentences about missing keys, shown last */
    /* listener whose packets are counted: a second -z of the same table must not count them again */
    const void *listener;
    wmem_map_t *by_key;        /* maps a key to its row number */
    GPtrArray *retired;        /* rows removed by the latest reset */
    bool is_registered;        /* true if made known to Wireshark by stat_rows_register() */
    bool is_own;               /* true if made ready by stat_rows_use() */
    GString *text;             /* lines last shown in a terminal */
    stat_tap_table_item heads; /* heading above .text */
};

/*
 * Makes a table over a tap, to be registered or to be opened for the caller alone. It lives as long as the process.
 * title: title of the protocol, which window titles begin with. Texts are copied.
 */
struct stat_rows *stat_rows_new(const struct stat_kind *kind, const char *protocol, const char *tap_name,
    const char *title);
/* Registers the table for -z and the Statistics menu. Called once, while protocols are registered. */
void stat_rows_register(struct stat_rows *rows);

/* Makes an unregistered table ready: the caller passes tap records to kind->count() itself. */
void stat_rows_use(struct stat_rows *rows);
/* Makes the table have `count` rows and calls kind->show() for those that are kept. Rows must have no keys. */
void stat_rows_resize(struct stat_rows *rows, unsigned count);
/* Returns true if the table is visible while packets are read. Terminals and reports are shown at the end only. */
bool stat_rows_is_live(const struct stat_rows *rows);
/* Returns true if Wireshark still has a table of these rows: it frees the rows of a closed window. */
bool stat_rows_has_table(const struct stat_rows *rows);
/* Empties the table, before packets are read again. */
void stat_rows_clear(struct stat_rows *rows);
/* Updates the rows with all that was counted. */
void stat_rows_fill(struct stat_rows *rows);

/*
 * Makes a submenu of the Statistics menu with all tables, in order of registration. Called once, after all protocols
 * have registered.
 */
void stat_rows_make_menu(void);

/* Sets *row to the row with this key, which may be any text. Returns false if there is none. */
bool stat_rows_find(const struct stat_rows *rows, const char *key, unsigned *row);
/*
 * Adds a row and returns its number. Its cells are zero; cells of means are TABLE_ITEM_NONE, and texts are empty.
 * key: a key that no row has yet (copied), or NULL. group: heading of the row's group, which is made if new, or
 * NULL; windows show a group as a tree, terminals below its heading. Groups whose headings begin with the same
 * "\\MACHINE\" are shown together.
 */
unsigned stat_rows_add(struct stat_rows *rows, const char *group, const char *key);
/* Sets *row to the row with this key, adding one without a group if there is none. Returns true if it is new. */
bool stat_rows_find_or_add(struct stat_rows *rows, const char *key, unsigned *row);
/* Moves a row to the end of another group. */
void stat_rows_regroup(struct stat_rows *rows, unsigned row, const char *group);
/* Adds an empty sentence below all rows. Returns its number. */
unsigned stat_rows_add_sentence(struct stat_rows *rows);
/* Sets the text of a sentence (copied); "" hides it. */
void stat_rows_set_sentence(struct stat_rows *rows, unsigned sentence, const char *text);
const char *stat_rows_sentence(const struct stat_rows *rows, unsigned sentence);
/* Adds another key for a row, or moves the key to it from another row. */
void stat_rows_add_key(struct stat_rows *rows, const char *key, unsigned row);
/* Removes a row. The last row, with its state, gets its number. Only for tables whose rows have no keys. */
void stat_rows_remove(struct stat_rows *rows, unsigned row);
unsigned stat_rows_count(const struct stat_rows *rows);
/*
 * Adds a sentence about a missing key below the table. Returns false if needed is NULL, in which case the caller
 * must count the record.
 */
bool stat_rows_end_with(struct stat_rows *rows, const struct key_needed *needed);
/* Returns the number of a row's group, less than rows->groups->len. */
unsigned stat_rows_group(const struct stat_rows *rows, unsigned row);
/* Removes a key; its row stays. */
void stat_rows_remove_key(struct stat_rows *rows, const char *key);
/* Returns the number of the column with this key, or num_columns if there is none. */
unsigned stat_rows_column(const struct stat_rows *rows, const char *key);
/*
 * Return the cells of a row, and its state. Valid until a row is added, and the cells of a row that is not kept until
 * another row is asked for. A terminal's rows have no cells for the columns that only files have.
 */
stat_tap_table_item_type *stat_rows_cells(const struct stat_rows *rows, unsigned row);
void *stat_rows_state(const struct stat_rows *rows, unsigned row);

/*
 * Sets the text of a cell: a copy with line ends and the like escaped (base/text.h), or no text for NULL. Texts of
 * cells must be set by this function only.
 */
void stat_cell_set_text(stat_tap_table_item_type *cell, const char *text);

/* Maximum characters of a name, and of a path, in a window, where a longer one would move other columns out of sight */
#define WINDOW_NAME_MAX 60
#define WINDOW_PATH_MAX 120

/* Sets the text of a cell as stat_cell_set_text() does. A window shows at most max characters, with an ellipsis. */
void stat_cell_set_short(const struct stat_rows *rows, stat_tap_table_item_type *cell, const char *text, long max);

/* Appends a text, with an ellipsis in its middle if it has more than max characters. */
void stat_append_short(GString *out, const char *text, long max);

/* Sets a cell of a TABLE_ITEM_FLOAT column. */
void stat_cell_set_real(stat_tap_table_item_type *cell, double value);

/* Running mean; initialised to zero. */
struct stat_mean {
    double sum;
    unsigned count;
};

/* Empties cells whose values are unknown. Windows show 0, since only their last cells can be empty. */
void stat_cells_set_unknown(const struct stat_rows *rows, stat_tap_table_item_type *cells, unsigned count);
/* Adds a value to a mean and sets the cell to it. Until the first value the cell must be TABLE_ITEM_NONE. */
void stat_cell_add_to_mean(stat_tap_table_item_type *cell, struct stat_mean *mean, double value);

/* ---- helper-listener.c ---- */

/*
 * Adds a tap listener that by itself does not cause packets to be dissected. data: identifies the listener; reset:
 * called before each capture, also when no table is open any more, or NULL; draw: called before tables are drawn, or
 * NULL.
 */
void helper_listen(const char *tap, void *data, tap_reset_cb reset, tap_packet_cb packet, tap_draw_cb draw);

/* ---- rows-data.c ---- */

/* Appends a row in this form; CSV_KEYS appends the column keys instead. JSON: integers above 2^53 become strings. */
void stat_rows_append(const struct stat_rows *rows, unsigned row, enum csv_form form, GString *line);

/* ---- rows-text.c ---- */

/* Returns the text shown for a cell: its own, or made in `number`. */
const char *stat_cell_text(const struct stat_rows *rows, const stat_tap_table_item_type *cell, unsigned column,
    char number[G_ASCII_DTOSTR_BUF_SIZE]);
/*
 * Appends words, and a line end, in lines of at most `columns` cells of a terminal. The first line continues after
 * `used` cells; later lines are indented.
 */
void stat_append_words(GString *out, const char *words, unsigned columns, unsigned used, const char *indent);
/* Makes the lines that a terminal shows for the table, and sets rows->heads to the heading above them. */
void stat_rows_write_text(struct stat_rows *rows);

#endif /* PERFLIB_STATS_ROWS_H */
