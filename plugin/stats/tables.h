/* tables.h
 * All statistics of the plugin. "-z PROTOCOL,TABLE" is in PROTOCOL-TABLE.c, what several protocols have in TABLE.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_TABLES_H
#define PERFLIB_STATS_TABLES_H

#include "counters/record.h"

struct stat_rows;

/*
 * A table, over the tap its protocol's record.h tells of: for -z and the Statistics menu (stat_rows_register()), or of
 * the caller's own (stat_rows_open()). Each lives as long as the process.
 */
struct stat_rows *perflibv2_calls_new(void);
struct stat_rows *perflibv2_queries_new(void);
struct stat_rows *perflibv2_rules_new(void);
struct stat_rows *perfdata_queries_new(void);
struct stat_rows *pla_calls_new(void);
struct stat_rows *pla_sets_new(void);

/* "-z PROTOCOL,sessions", over many taps; of perflibv2 it is about all protocols. */
struct stat_rows *sessions_new(const char *protocol);
/* Those of an opened table (struct attempt of sessions/attempts.h), whose rows are filled in only now. */
const GPtrArray *sessions_attempts(struct stat_rows *rows, wmem_allocator_t *scope);

/*
 * Tables over a tap of struct perf_tap_poll, or perf_tap_missing (counters/record.h). title: what the window's begins
 * with. The names are copied.
 */
struct stat_rows *watch_table_new(const char *protocol, const char *tap_name, const char *title);
struct stat_rows *counters_table_new(const char *protocol, const char *tap_name, const char *title);

/* Is told of each value that a table of counters counts, with the number of its row. */
struct counters_observer {
    void (*begin)(void *data); /* the table is empty */
    void (*poll)(void *data, const packet_info *pinfo, const struct perf_tap_poll *poll);
    void (*sample)(void *data, unsigned row, const struct perf_tap_sample *sample);
    void *data;
};
/* The table's only one, from now on. */
void counters_table_observe(struct stat_rows *counters, const struct counters_observer *observer);

struct stat_rows *missing_table_new(const char *protocol, const char *tap_name, const char *title);
struct stat_rows *usage_table_new(const char *protocol, const char *tap_name, const char *title);

/* Commands that write files. Each is made known to Wireshark, once. The names are copied. */
void perflibv2_catalog_register(void);
void pdh_csv_register(const char *protocol, const char *tap_name);
void samples_register(const char *protocol, const char *tap_name);
/* "-z perflib,report,FILE.html", of all protocols */
void report_register(void);

#endif /* PERFLIB_STATS_TABLES_H */
