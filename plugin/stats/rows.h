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

/* A column of a table. */
struct stat_column {
    stat_tap_table_item item; /* as people see it. column_name NULL: files alone have it */
    const char *key;          /* in files, in snake_case: a promise to programs. NULL: no file has it */
};

/* A window knows how wide columns are; a terminal shows each as wide as what stands in it. */
#define STAT_TEXT(key, name) \
    { \
        { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, name, "%s" }, key \
    }
#define STAT_COUNT(key, name) \
    { \
        { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, name, "%u" }, key \
    }
#define STAT_NUMBER(key, name) \
    { \
        { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, name, "%.15g" }, key \
    }
#define STAT_REAL(key, name, digits) \
    { \
        { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, name, "%." #digits "f" }, key \
    }
/* What no person sees: for files */
#define STAT_DATA_TEXT(key)  STAT_TEXT(key, NULL)
#define STAT_DATA_COUNT(key) STAT_COUNT(key, NULL)

struct stat_rows;

/* Column c in a set of columns, and those from first to last */
#define STAT_BIT(c)            (UINT64_C(1) << (c))
#define STAT_BITS(first, last) (STAT_BIT((last) + 1) - STAT_BIT(first))

/* How a terminal shows rows: some of their columns, in lines that fit. What is left out is for windows. */
struct stat_view {
    const char *title; /* stands above it; NULL: there is the table's alone */
    uint64_t columns;  /* bits: side by side, in the table's order; texts without room get a line of their own below, */
    uint64_t below;    /* bits: ... as these always do, where they are not empty */
    const char *below_label; /* stands before these; NULL: the titles of their columns do */
    uint64_t optional;       /* bits, of the first: left out where there is no room */
    uint64_t needs; /* bits: rows in which none of these says anything, as a count of 0, are not shown; 0: all are */
};

/* Rows under one title. */
struct stat_group {
    char *title;           /* NULL: none of its own */
    stat_tap_table *table; /* its rows as Wireshark shows them */
    GArray *rows;          /* numbers of the table's rows */
    unsigned number;       /* among the groups */
};

/* Where a row stands. */
struct stat_place {
    unsigned group, element;
};

/*
 * A table that one or several protocols have, "-z PROTOCOL,NAME[,filter]" and a window of the Statistics menu. Windows
 * are sorted by the first column. A cell without a value is a text without letters, or of type TABLE_ITEM_NONE in the
 * last columns: others would move to its place.
 */
struct stat_kind {
    const char *name, *title;
    const struct stat_column *columns;
    unsigned num_columns, num_hidden; /* the last so many no window shows */
    /* Counts what the tap brought. Returns whether anything changed. */
    bool (*count)(struct stat_rows *rows, const packet_info *pinfo, const void *tapped);
    void (*begin)(struct stat_rows *rows); /* whenever the table is empty, before packets; may be NULL */
    void (*fill)(struct stat_rows *rows);  /* shows in its rows what was counted; NULL: counting did so */
    const struct stat_view *views;         /* NULL: a terminal shows all columns side by side */
    unsigned num_views;
    const char *good_news; /* what a table without rows says where there was something to count; NULL: as elsewhere */
    bool fills_late;       /* fill is too much for each packet: a window is filled when it is drawn */
    /* Appends lines, of any length, that a terminal shows between rows and sentences; may be NULL. */
    void (*append_text)(const struct stat_rows *rows, GString *out);
    uint64_t frames;           /* bits: columns with numbers of frames, of which 0 is none */
    uint64_t digits;           /* bits: real numbers that are texts where no window sorts by them */
    size_t size;               /* of what begins with struct stat_rows; 0: it is that */
    size_t state_size;         /* bytes kept beside each row, zero when it is made; 0: none, */
    GDestroyNotify free_state; /* ... and what is to be done with them in the end; NULL: nothing */
};

/* A table of one protocol. It lives as long as the process: Wireshark keeps one for all windows and -z options. */
struct stat_rows {
    stat_tap_table_ui ui; /* first, as Wireshark hands out pointers to it */
    const struct stat_kind *kind;
    bool is_text;         /* a terminal shows it: Wireshark is told of nothing but finished lines */
    bool has_windows;     /* Wireshark shows it */
    bool is_data;         /* files alone do */
    bool has_counted;     /* taps brought something since it was empty */
    GPtrArray *groups;    /* struct stat_group; there is always one */
    GHashTable *by_title; /* ... by their titles */
    GPtrArray *cells;     /* of each row: stat_tap_table_item_type */
    GArray *places;       /* ... struct stat_place */
    GArray *states;
    GPtrArray *sentences;      /* struct stat_group, without rows, whose titles they are; NULL: nothing is said, */
    struct needed needed;      /* ... and sentences behind those */
    const void *listener;      /* whose packets are counted: a second -z of the same table must not count them twice */
    GHashTable *by_key;        /* key -> row */
    GPtrArray *retired;        /* rows taken out of the table at the latest reset */
    bool is_own;               /* stat_rows_use() made it ready */
    stat_data_t encrypted;     /* the one of what SMB 3 encrypts */
    GString *text;             /* the lines shown last, */
    stat_tap_table_item heads; /* ... and what stands above them */
};

/*
 * A table over a tap, to be registered for -z and the Statistics menu, or opened as the caller's own. It lives as long
 * as the process. title: the protocol's, as windows begin with it. Texts are copied.
 */
struct stat_rows *stat_rows_new(const struct stat_kind *kind, const char *protocol, const char *tap_name,
    const char *title);
/* Makes it known to Wireshark. Called once, while protocols are registered. */
void stat_rows_register(struct stat_rows *rows);

/*
 * Makes a table ready that is not registered, as it is no window's and no -z's: the caller hands kind->count() what
 * taps bring.
 */
void stat_rows_use(struct stat_rows *rows);
/* Makes or removes rows at the end until there are so many: of a table whose rows have no keys and are filled anew. */
void stat_rows_resize(struct stat_rows *rows, unsigned count);
/* Whether somebody may look at it at any time: terminals and reports are shown the whole in the end. */
bool stat_rows_is_live(const struct stat_rows *rows);
/* Empties it, before packets are read again. */
void stat_rows_clear(struct stat_rows *rows);
/* Shows in its rows all that was counted. */
void stat_rows_fill(struct stat_rows *rows);

/*
 * Makes a submenu of the Statistics menu with the windows of all tables, in the order in which they were registered.
 * Called once, when all protocols are registered.
 */
void stat_rows_make_menu(void);

/* Finds the row of a key: any text, of which tables keep copies. False: there is none. */
bool stat_rows_find(const struct stat_rows *rows, const char *key, unsigned *row);
/*
 * Makes a row whose cells are zero: of the types of their columns, but numbers that are means have none yet
 * (TABLE_ITEM_NONE), and texts are empty. key: NULL, or what no row has yet. group: NULL, or the title of the group it
 * stands in, which is made where there is none: a window shows it as a tree, a terminal below its title. What begins
 * with "\\MACHINE\" stands together below its machine.
 */
unsigned stat_rows_add(struct stat_rows *rows, const char *group, const char *key);
/* Finds the row of a key, or makes it, in no group. Returns whether it is new. */
bool stat_rows_find_or_add(struct stat_rows *rows, const char *key, unsigned *row);
/* Lets a row stand in another group, behind those that are there. */
void stat_rows_regroup(struct stat_rows *rows, unsigned row, const char *group);
/* Makes room for a sentence behind all rows. Returns its number. */
unsigned stat_rows_add_sentence(struct stat_rows *rows);
/* What it says; "": nothing. The text is copied. */
void stat_rows_set_sentence(struct stat_rows *rows, unsigned sentence, const char *text);
const char *stat_rows_sentence(const struct stat_rows *rows, unsigned sentence);
/* Makes a further key lead to a row, instead of where it led before. */
void stat_rows_add_key(struct stat_rows *rows, const char *key, unsigned row);
/*
 * Takes out a row of a table whose rows have no keys. The last row takes its place, with what is kept beside it.
 */
void stat_rows_remove(struct stat_rows *rows, unsigned row);
/* How many rows there are. */
unsigned stat_rows_count(const struct stat_rows *rows);
/*
 * Has the table end with a sentence: why calls are missing in it. NULL: none. Returns whether there is one, so that who
 * counts records of a tap need not look at those further.
 */
bool stat_rows_end_with(struct stat_rows *rows, const struct key_needed *needed);
/* Forgets a key; rows stay. */
void stat_rows_remove_key(struct stat_rows *rows, const char *key);
/* The number of the column with that key; num_columns: the table has none. */
unsigned stat_rows_column(const struct stat_rows *rows, const char *key);
/* The cells of a row, and what is kept beside it (valid until a row is added). */
stat_tap_table_item_type *stat_rows_cells(const struct stat_rows *rows, unsigned row);
void *stat_rows_state(const struct stat_rows *rows, unsigned row);

/*
 * Another text in a cell of a column of texts, which nothing else may set: copied, as it may stand in a line
 * (base/text.h).
 */
void stat_cell_set_text(stat_tap_table_item_type *cell, const char *text);

/* A number in a cell of a column of TABLE_ITEM_FLOAT. */
void stat_cell_set_real(stat_tap_table_item_type *cell, double value);

/* A mean in the making; zero at first. */
struct stat_mean {
    double sum;
    unsigned count;
};

/* Adds a value and shows the mean. Before the first the cell is to be of type TABLE_ITEM_NONE: no mean. */
void stat_cell_add_to_mean(stat_tap_table_item_type *cell, struct stat_mean *mean, double value);

/* ---- rows-data.c ---- */

/*
 * A row as a file has it, by the keys of its columns: values with commas between, as CSV (csv.h), or members of a JSON
 * object, absent ones as null. Whole numbers above 2^53 are texts in JSON.
 */
void stat_rows_append_csv(const struct stat_rows *rows, unsigned row, GString *line);
void stat_rows_append_json(const struct stat_rows *rows, unsigned row, GString *line);
/* The keys, as CSV begins. */
void stat_rows_append_keys(const struct stat_rows *rows, GString *line);

/* ---- rows-text.c ---- */

/* The lines of a table as a terminal shows them, and in rows->heads what stands above. */
void stat_rows_write_text(struct stat_rows *rows);

#endif /* PERFLIB_STATS_ROWS_H */
