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

/*
 * Arguments X of a table's list of columns, such as QUERIES_COLUMNS(X): STAT_COLUMN_NUMBER makes its enumeration,
 * STAT_COLUMN its array of struct stat_column.
 */
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
/* Column of whole numbers of up to 53 bits; a STAT_COUNT has 32. */
#define STAT_BYTES(key, name)        STAT_REAL(key, name, 0)
/* Column that exists only in files. */
#define STAT_DATA_TEXT(key)          STAT_TEXT(key, NULL)
#define STAT_DATA_COUNT(key)         STAT_COUNT(key, NULL)

struct stat_rows;

/* Bit of column c in a set of columns, and the bits of a range of columns */
#define STAT_BIT(c)            (UINT64_C(1) << (c))
#define STAT_BITS(first, last) (STAT_BIT((last) + 1) - STAT_BIT(first))

/* Layout of rows in a terminal: the columns that fit on a line. Other columns are shown in windows only. */
struct stat_view {
    const char *title; /* heading of the view; NULL if only the table has one */
    /* bits: columns side by side, in the table's order. A text that is too wide is put on its own line below. */
    uint64_t columns;
    uint64_t below;          /* bits: columns that are always on their own line below, unless empty */
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

/* Position of a row: its group, and its index in the group. */
struct stat_position {
    unsigned group, element;
};

/*
 * Description of a table for one or several protocols: "-z PROTOCOL,NAME[,filter]" and a window of the Statistics menu.
 * Windows sort by the first column. An empty cell is the text ""; only cells of the last columns may have the type
 * TABLE_ITEM_NONE instead, since Wireshark would show the next cells in their place.
 */
struct stat_kind {
    const char *name, *title;
    const struct stat_column *columns;
    unsigned num_columns;
    /* number of columns that terminals and files have, but windows do not; in .columns before those only in files */
    unsigned num_windowless;
    /* Counts a tap record. Returns true if the table changed. */
    bool (*count)(struct stat_rows *rows, const packet_info *pinfo, const void *tapped);
    void (*begin)(struct stat_rows *rows); /* called when the table is empty, before packets; may be NULL */
    void (*fill)(struct stat_rows *rows);  /* updates the rows before they are shown; NULL if count() does that */
    /*
     * Sets the cells of a row; for tables whose rows stat_rows_resize() makes, else NULL. Windows keep the cells of all
     * these rows; terminals and files have only those of the row read last.
     */
    void (*show)(const struct stat_rows *rows, unsigned row, stat_tap_table_item_type *cells);
    const struct stat_view *views; /* NULL: show all columns side by side in a terminal */
    unsigned num_views;
    /* sentence shown if tap records were counted but the table has no rows; NULL: the usual sentence */
    const char *good_news;
    /* true if fill() is too slow to be called for each packet: a window calls it only when it is drawn */
    bool fills_late;
    /*
     * true if count() gives rows headings. Windows then get no group before the first row: drawn headings never change.
     */
    bool has_groups;
    /* Appends lines that only a terminal shows, after the rows and before the table's sentences; may be NULL. */
    void (*append_text)(const struct stat_rows *rows, GString *out);
    bool renames_servers; /* true if names in the column "server" may be learned after the row was added */
    uint64_t frames;      /* bits: columns with frame numbers; 0: none */
    uint64_t digits;      /* bits: columns of real numbers that are texts in cells, so that no digits are lost */
    /* size of the table's structure, which begins with struct stat_rows; 0 if it has no other members */
    size_t size;
    size_t state_size; /* bytes of state per row, zeroed when the row is made; 0 if none */
};

/*
 * Table of one protocol. It lives as long as the process, since Wireshark keeps one table for all windows and -z
 * options.
 */
struct stat_rows {
    stat_tap_table_ui ui; /* must be the first member: Wireshark returns pointers to it */
    const struct stat_kind *kind;
    const char *file_name; /* name of the table's file in a folder with all tables: "perflibv2-counters" */
    bool is_text;          /* true in a terminal: Wireshark gets only finished lines */
    unsigned num_titled;   /* number of leading columns that are not only in files */
    unsigned num_cells;    /* number of cells of a row: .num_titled in a terminal, else one for each column of .kind */
    bool has_windows;      /* true if Wireshark shows the table in windows */
    bool is_data;          /* true if the table is only written to files */
    bool has_counted;      /* true if a tap record was counted since the table was emptied */
    GPtrArray *groups;     /* struct stat_group; at least one */
    bool is_hidden;        /* true while the first group's table is not yet added to .ui */
    GPtrArray *cells;      /* stat_tap_table_item_type array of each row; NULL for a row that is not kept */
    stat_tap_table_item_type *made; /* cells of the latest row made by kind->show() and not kept; NULL if none */
    unsigned made_row;              /* number of the row whose cells are in .made */
    GArray *positions;              /* struct stat_position of each row */
    GArray *states;
    /*
     * allocator of what the states of rows and the members of the kind's own structure point to; emptied with the table
     */
    wmem_allocator_t *scope;
    wmem_map_t *by_title; /* maps a heading to its struct stat_group */
    /* struct stat_group without rows, whose headings are the sentences below the table; NULL if none */
    GPtrArray *sentences;
    struct needed needed; /* sentences about missing keys, shown last */
    /* listener whose packets are counted; others, such as a second -z of the same table, are ignored */
    const void *listener;
    wmem_map_t *by_key;        /* maps a key to its row number */
    GPtrArray *retired;        /* cells of removed rows, which a window may still use; a later reset frees them */
    bool is_registered;        /* true if made known to Wireshark by stat_rows_register() */
    bool is_own;               /* true after stat_rows_use(): its caller passes the tap records, not Wireshark */
    GString *text;             /* lines last shown in a terminal */
    stat_tap_table_item heads; /* heading above .text */
};

/*
 * Makes a table of a tap's records, for stat_rows_register() or stat_rows_use(). It lives as long as the process.
 * title: title of the protocol, with which window titles begin. Texts are copied.
 */
struct stat_rows *stat_rows_new(const struct stat_kind *kind, const char *protocol, const char *tap_name,
    const char *title);
/* Registers the table for -z and the Statistics menu. Called once, while protocols are registered. */
void stat_rows_register(struct stat_rows *rows);

/* Makes an unregistered table ready: the caller passes tap records to kind->count() itself. */
void stat_rows_use(struct stat_rows *rows);
/* Changes the number of rows to `count` and calls kind->show() for those that are kept. Rows must have no keys. */
void stat_rows_resize(struct stat_rows *rows, unsigned count);
/* Returns true if the table is visible while packets are read. Terminals and reports are shown at the end only. */
bool stat_rows_is_live(const struct stat_rows *rows);
/* Returns false if Wireshark has freed the rows, as it does when their window is closed. */
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

/* Sets *row to the number of the row with this key. Returns false if there is none. */
bool stat_rows_find(const struct stat_rows *rows, const char *key, unsigned *row);
/*
 * Adds a row and returns its number. Numbers in its cells are zero, texts empty; cells of TABLE_ITEM_FLOAT columns get
 * TABLE_ITEM_NONE. key: a new key (copied), or NULL. group: heading of the row's group, which is made if new, or NULL.
 * Windows show a group as a tree, terminals below its heading. Groups whose headings begin with the same "\\MACHINE\"
 * are shown together.
 */
unsigned stat_rows_add(struct stat_rows *rows, const char *group, const char *key);
/* Sets *row to the number of the row with this key. If there is none, adds it without a group and returns true. */
bool stat_rows_find_or_add(struct stat_rows *rows, const char *key, unsigned *row);
/* Moves a row to the end of another group. */
void stat_rows_regroup(struct stat_rows *rows, unsigned row, const char *group);
/* Adds an empty sentence below all rows. Returns its number. */
unsigned stat_rows_add_sentence(struct stat_rows *rows);
/* Sets the text of a sentence (copied); "" hides it. */
void stat_rows_set_sentence(struct stat_rows *rows, unsigned sentence, const char *text);
const char *stat_rows_sentence(const struct stat_rows *rows, unsigned sentence);
/* Adds a key for a row. If another row has the key, that row loses it. */
void stat_rows_add_key(struct stat_rows *rows, const char *key, unsigned row);
/* Removes a row. The last row, with its state, gets its number. Only for tables whose rows have no keys. */
void stat_rows_remove(struct stat_rows *rows, unsigned row);
unsigned stat_rows_count(const struct stat_rows *rows);
/*
 * Adds a sentence about a missing key below the table, and returns true. If `needed` is NULL (the record's call was
 * decrypted), returns false: the caller must then count the record.
 */
bool stat_rows_end_with(struct stat_rows *rows, const struct key_needed *needed);
/* Returns the index in rows->groups of a row's group. */
unsigned stat_rows_group(const struct stat_rows *rows, unsigned row);
/* Removes a key; its row stays. */
void stat_rows_remove_key(struct stat_rows *rows, const char *key);
/* Returns the number of the column with this key, or num_columns if there is none. */
unsigned stat_rows_column(const struct stat_rows *rows, const char *key);
/*
 * Return the cells of a row, and its state. Valid until a row is added; cells of a row that is not kept, only until
 * those of another row are fetched. In a terminal, rows have no cells for columns that only files have.
 */
stat_tap_table_item_type *stat_rows_cells(const struct stat_rows *rows, unsigned row);
void *stat_rows_state(const struct stat_rows *rows, unsigned row);

/*
 * Sets the text of a cell to a printable copy (base/text.h); NULL: no text. Set texts of cells by this function only.
 */
void stat_cell_set_text(stat_tap_table_item_type *cell, const char *text);

/* Maximum characters of a name, and of a path, in a window; longer ones would push other columns out of sight */
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

/* Makes cells of unknown values empty. In Wireshark's windows they stay 0: only the last columns can be empty there. */
void stat_cells_set_unknown(const struct stat_rows *rows, stat_tap_table_item_type *cells, unsigned count);
/* Adds a value to a mean and sets the cell to it. Until the first value the cell must be TABLE_ITEM_NONE. */
void stat_cell_add_to_mean(stat_tap_table_item_type *cell, struct stat_mean *mean, double value);

/* ---- helper-listener.c ---- */

/*
 * Adds a tap listener that alone does not make Wireshark dissect packets. data: identifies the listener. reset, draw:
 * called before packets are read, and before tables are drawn; may be NULL.
 */
void helper_listen(const char *tap, void *data, tap_reset_cb reset, tap_packet_cb packet, tap_draw_cb draw);

/* ---- rows-data.c ---- */

/* Appends a row as CSV or JSON (form); with CSV_KEYS, the column keys. JSON: integers above 2^53 become strings. */
void stat_rows_append(const struct stat_rows *rows, unsigned row, enum csv_form form, GString *line);

/* ---- rows-text.c ---- */

/* Returns the text shown for a cell: the cell's own text, or its number formatted in `number`. */
const char *stat_cell_text(const struct stat_rows *rows, const stat_tap_table_item_type *cell, unsigned column,
    char number[G_ASCII_DTOSTR_BUF_SIZE]);
/*
 * Appends words in lines of at most `columns` terminal cells, and a line end. The first line continues after `used`
 * cells; later lines begin with `indent`.
 */
void stat_append_words(GString *out, const char *words, unsigned columns, unsigned used, const char *indent);
/* Makes the lines that a terminal shows for the table, and sets rows->heads to the heading above them. */
void stat_rows_write_text(struct stat_rows *rows);

#endif /* PERFLIB_STATS_ROWS_H */
