/* tables.h
 * All statistics of the plugin. "-z PROTOCOL,TABLE" is in PROTOCOL-TABLE.c, what several protocols have in TABLE.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_TABLES_H
#define PERFLIB_STATS_TABLES_H

#include "compat.h"

#include <epan/funnel.h>

#include "counters/record.h"
#include "stats/command.h"
#include "stats/rows.h"

/* Over a tap of struct perf_tap_poll, counters/record.h: */
extern const struct stat_kind counters_table, usage_table, watch_table;
/* Over one of struct perf_tap_missing: */
extern const struct stat_kind missing_table;
/* What is missing; texts NULL: as in struct perf_tap_asked. */
struct missing_thing {
    enum perf_tap_asked_kind kind;
    struct perf_tap_why why;
    uint32_t pdh; /* PDH's code; 0: none */
    uint32_t frame;
    unsigned times;
    char *client, *server, *text, *set, *set_id, *instance, *counter;
    bool has_counter_id;
    uint32_t counter_id;
};

/* ---- missing.c ---- */

/* All of them, as they were when the rows were filled in last. */
const GPtrArray *missing_things(const struct stat_rows *rows);

/* Over the tap that the protocol's record.h tells of: */
extern const struct stat_kind perflibv2_calls_table, perflibv2_queries_table, perflibv2_rules_table;
extern const struct stat_kind perfdata_queries_table, pla_calls_table, pla_sets_table;

/* ---- perflibv2-rules.c ---- */

/* Whether the rule of a row was broken, and more than Windows itself breaks it. */
bool rules_is_broken(const struct stat_rows *rows, unsigned row);

/* ---- pla-sets.c ---- */

/* The last error of a data collector set: an HRESULT, or the status of a fault; 0: none, or not captured. */
uint32_t pla_sets_error(const struct stat_rows *rows, unsigned row);
/* Over many taps, and "frame": */
extern const struct stat_kind findings_table;
struct model;

/* ---- findings-table.c ---- */

/* Shows what a model comes to, in a table that is not over a tap of its own. */
void findings_table_fill(struct stat_rows *rows, struct model *model);
/* Over many taps, and "frame": PerflibV2's is of all protocols. */
extern const struct stat_kind sessions_table;
/* Those of an opened table (struct attempt of session/attempts.h), whose rows are filled in only now. */

/* ---- sessions.c ---- */

/* The first attempt without a row, as it said nothing of performance data; NULL: there is none, or it was forgotten. */
const struct attempt *sessions_first_aside(const struct stat_rows *rows);
/* Frames that were captured only in part. */
const struct capture_cuts *sessions_cuts(const struct stat_rows *rows);
const GPtrArray *sessions_attempts(struct stat_rows *rows, wmem_allocator_t *scope);

/* Is told of each value that a table of counters counts, with the number of its row. */
struct counters_observer {
    void (*begin)(void *data); /* the table is empty */
    void (*poll)(void *data, const packet_info *pinfo, const struct perf_tap_poll *poll);
    void (*sample)(void *data, unsigned row, const struct perf_tap_sample *sample);
    void *data;
};

/* ---- counters-table.c ---- */

/* The table's only one, from now on. */
void counters_table_observe(struct stat_rows *counters, const struct counters_observer *observer);

/* Commands of files: "-z PROTOCOL,pdh-csv,FILE" and "samples" over a tap of struct perf_tap_poll, and "catalog" */
extern const struct command_kind pdh_csv_command, samples_command, perflibv2_catalog_command;

/* "-z perflib,ndjson,FOLDER|-" and "-z perflib,csv,FOLDER": all tables */
extern const struct command_kind ndjson_command, csv_command;

/* ---- report.c ---- */

/* "-z perflib,report,FILE.html", of all protocols, and what opens it of the Tools menu */
void report_register(void);

/* ---- watch-dialog.c ---- */

/* Tools, Performance Counters, Watch a counter... */
void watch_dialog_register(void);

/* What the plugin adds to Wireshark's Tools menu */

/* ---- tools-menu.c ---- */

/* Adds "Performance Counters, NAME", before windows are made. What is chosen may ask the user by ops->new_dialog(). */
void tools_menu_add(const char *name, void (*chosen)(const funnel_ops_t *ops));

/* The name of the capture that Wireshark shows; NULL: there is none. */
const char *tools_menu_capture(void);

#endif /* PERFLIB_STATS_TABLES_H */
