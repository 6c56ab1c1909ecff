/* tables.h
 * All statistics of the plugin. "-z PROTOCOL,TABLE" is in PROTOCOL-TABLE.c, what several protocols have in TABLE.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_TABLES_H
#define PERFLIB_STATS_TABLES_H

/* Each makes its tables known to Wireshark, over the tap its protocol's record.h tells of. To be called once. */
void perflibv2_calls_register(void);
void perflibv2_queries_register(void);
void perflibv2_catalog_register(void);
void perflibv2_rules_register(void);
void perfdata_queries_register(void);
void pla_calls_register(void);
void pla_sets_register(void);

/* "-z PROTOCOL,sessions", over many taps; of perflibv2 it is about all protocols. */
void sessions_register(const char *protocol);

/*
 * "-z PROTOCOL,watch", "-z PROTOCOL,counters", "-z PROTOCOL,usage", "-z PROTOCOL,pdh-csv,FILE",
 * "-z PROTOCOL,samples,FILE", over a tap of struct perf_tap_poll (counters/record.h).
 * title: what the window's begins with. The names are copied.
 */
void watch_table_register(const char *protocol, const char *tap_name, const char *title);
void counters_table_register(const char *protocol, const char *tap_name, const char *title);
void missing_register(const char *protocol, const char *tap_name, const char *title);
void usage_register(const char *protocol, const char *tap_name, const char *title);
void pdh_csv_register(const char *protocol, const char *tap_name);
void samples_register(const char *protocol, const char *tap_name);

#endif /* PERFLIB_STATS_TABLES_H */
