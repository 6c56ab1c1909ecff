/* tables.h
 * All statistics of the plugin. "-z PROTOCOL,TABLE" is in PROTOCOL-TABLE.c, or in TABLE.c if several protocols have it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_TABLES_H
#define PERFLIB_STATS_TABLES_H

#include "compat.h"

#include <epan/funnel.h>

#include "counters/record.h"
#include "perflibv2/record.h"
#include "session/outcomes.h"
#include "stats/command.h"
#include "stats/rows.h"

/* Table that Wireshark's menu shows in a window. */
struct stat_table {
    const struct stat_kind *kind;
    const char *protocol, *tap_name, *title;
    /* enum model_table: index in struct model.tables; NUM_MODEL_TABLES: models do not have this table */
    unsigned place;
};

#define NUM_STAT_TABLES 18

/* ---- tables.c ---- */

/* All tables in the order of the menu: those about all protocols, then those of each protocol. */
extern const struct stat_table stat_tables[NUM_STAT_TABLES];

/* Tables over a tap of struct perf_tap_poll: */
extern const struct stat_kind counters_table, usage_table, watch_table;

/* ---- missing.c ---- */

/* Table over a tap of struct perf_tap_missing: */
extern const struct stat_kind missing_table;
/* Item that a client asked for and did not get. .set to .counter are NULL if all were asked for, or if unknown. */
struct missing_thing {
    enum perf_tap_asked_kind kind;
    struct perf_tap_why why;
    uint32_t pdh; /* PDH error code; 0 if none */
    uint32_t frame;
    unsigned times;
    const char *text, *client, *server, *set, *set_id, *instance, *counter;
    const char *address; /* address of the server */
    bool has_counter_id;
    uint32_t counter_id;
    bool is_size_error; /* true if the answer said that the client's buffer is too small */
    bool is_under_way;  /* true if the client may still react to the answer */
};

/* Returns all struct missing_thing, as of the latest stat_rows_fill(). */
const GPtrArray *missing_things(const struct stat_rows *rows);

/* Tables over the taps of the protocols' record.h: */
extern const struct stat_kind perflibv2_calls_table, perflibv2_queries_table, perflibv2_rules_table;
extern const struct stat_kind perfdata_queries_table, pla_calls_table, pla_sets_table;

/* ---- perflibv2-rules.c ---- */

/*
 * Returns a text about the violation if the verdict on a row's rule is "broken", else NULL. *who: set to who violated
 * the rule: client, server or both.
 */
const char *rules_fault(const struct stat_rows *rows, unsigned row, enum rule_who *who);

/* ---- perfdata-queries.c ---- */

/* Returns the number of answered polls of a row; 0 for a row of calls that cannot be polls. */
unsigned perfdata_queries_polls(const struct stat_rows *rows, unsigned row);

/* ---- pla-sets.c ---- */

/* Maximum number of different errors (an HRESULT to a client) that are counted for a set */
#define MOST_SET_ERRORS 8u

/* Calls of one client on a data collector set that returned one HRESULT. .hresult to .frame are of the last call. */
struct pla_set_error {
    const char *client; /* address; NULL in the last entry of a list */
    unsigned count;     /* 0: unused entry */
    uint32_t hresult;
    const char *method_name;
    uint32_t frame;
};

/* Returns the last error of an entry: name, method and frame. Allocated in `scope`. */
const char *pla_sets_error_text(wmem_allocator_t *scope, const struct pla_set_error *error);
/*
 * Returns the errors of a data collector set, without faults: MOST_SET_ERRORS entries, then one that counts all errors
 * without an entry of their own.
 */
const struct pla_set_error *pla_sets_errors(const struct stat_rows *rows, unsigned row);

/* ---- findings-table.c ---- */

/* Table of findings. Listens to several taps and to the tap "frame". */
extern const struct stat_kind findings_table;
struct key_index;
struct model;

/*
 * Fills a model, and a findings table from it. Returns the groups of findings (findings_groups()). scope: allocator for
 * groups, texts and model->attempts.
 */
const struct key_index *findings_table_fill(struct stat_rows *rows, struct model *model, wmem_allocator_t *scope);

/* ---- sessions.c ---- */

/* Table of the sessions of all protocols, under PerflibV2's name. Listens to several taps and to the tap "frame". */
extern const struct stat_kind sessions_table;
/*
 * Returns the first attempt without a row, which shows no relation to performance data; NULL if none, or if it got a
 * row later.
 */
const struct attempt *sessions_first_aside(const struct stat_rows *rows);
/* Returns the parts of the capture that are missing. */
const struct capture_cuts *sessions_cuts(const struct stat_rows *rows);
/* Updates the rows and returns the struct attempt * of each (session/attempts.h). scope: for temporary texts. */
const GPtrArray *sessions_attempts(struct stat_rows *rows, wmem_allocator_t *scope);

/*
 * Starts the hidden sessions table of all frames, from the next packet on: for unread_why(), unread_awaited() and the
 * field perflib_session.stopped. May be called repeatedly.
 */
void unread_follow(void);
/* Returns the sessions table of the whole capture. It has its own listener: callers do not pass frames to it. */
struct stat_rows *sessions_of_all_frames(void);
/* Returns why the answer to the request in this frame was not read completely; OUTCOME_NONE if it was. */
enum outcome_code unread_why(uint32_t frame);
/*
 * Returns a new map from frame to enum outcome_code: requests that may still be answered or whose answer was not read
 * to its end, and answers to which the client may still react.
 */
GHashTable *unread_awaited(void);

/* Callbacks of a counters table; NULL if not wanted */
struct counters_observer {
    void (*begin)(void *data); /* called when the table has been emptied */
    void (*poll)(void *data, const packet_info *pinfo, const struct perf_tap_poll *poll);
    void (*value)(void *data, unsigned row, const struct perf_tap_value *value); /* called for each counted value */
    void *data;
};

/* ---- counters-table.c ---- */

/* Sets the observer of a counters table, replacing the previous one. */
void counters_table_observe(struct stat_rows *counters, const struct counters_observer *observer);

/*
 * Commands that write files: "-z PROTOCOL,pdh-csv,FILE" and "samples" over a tap of struct perf_tap_poll, and
 * "catalog"
 */
extern const struct command_kind pdh_csv_command, samples_command, perflibv2_catalog_command;

/* Command that writes all tables: "-z perflib,ndjson,FOLDER|-" and "-z perflib,csv,FOLDER" */
extern const struct command_kind every_table_command;

/* Maximum bytes of a table's rows on the report page: of a counters table, and of any other table */
struct page_limits {
    size_t counters, others;
};

/* ---- every-table.c ---- */

/*
 * Appends all tables of a filled model as "-z perflib,ndjson,-" does. Rows beyond the limits are left out: a line of
 * the table "left_out" has their number. filter: the user's. written: set to the number of rows written of each table.
 */
void every_table_append_json(struct model *model, const char *filter, const struct page_limits *limits,
    unsigned *written, GString *out);

/* ---- watch-dialog.c ---- */

/* Handles Tools > Performance Counters > Watch a counter...: lets the user choose one of the capture's counters. */
void watch_dialog_open(const funnel_ops_t *ops);

/* ---- key-dialog.c ---- */

/* Handles Tools > Performance Counters > Password or keytab... */
void key_dialog_open(const funnel_ops_t *ops);

/* ---- tools-menu.c ---- */

/*
 * Adds Tools > Performance Counters > `name`. Must be called before windows are made. `chosen` may ask the user by
 * tools_menu_ask().
 */
void tools_menu_add(const char *name, void (*chosen)(const funnel_ops_t *ops));

/* Passes all records of two taps in the capture to a callback. */
void tools_menu_collect(const funnel_ops_t *ops, const char *const taps[2], tap_packet_cb packet, void *data);

/* Asks for values as ops->new_dialog() does, but without crashing Wireshark with Qt 6. */
void tools_menu_ask(const funnel_ops_t *ops, const char *title, const char **names, const char **values,
    funnel_dlg_cb_t answered, void *data, funnel_dlg_cb_data_free_t free_data);

/* Returns the absolute path of the capture that Wireshark shows, or NULL if there is none. Free it with g_free(). */
char *tools_menu_capture(void);
/* Returns the absolute path of a file, or NULL. A relative name is in the capture's folder. Free it with g_free(). */
char *tools_menu_path(const char *name);

#endif /* PERFLIB_STATS_TABLES_H */
