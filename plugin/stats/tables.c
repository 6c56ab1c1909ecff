/* tables.c
 * All statistics of the plugin
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "plugin.h"
#include "session/tracker.h"

/* Tables with a window, in the order of the menu: what is about all protocols, then those of each protocol. */
static const struct {
    const struct stat_kind *kind;
    const char *protocol, *tap_name, *title;
} tables[] = {
    { &findings_table, "perflib", "frame", "Performance Monitoring" },
    { &sessions_table, "perflibv2", "frame", "Performance Monitoring" },
    { &counters_table, "perflibv2", "perflibv2_poll", "PerflibV2" },
    { &watch_table, "perflibv2", "perflibv2_poll", "PerflibV2" },
    { &perflibv2_queries_table, "perflibv2", "perflibv2", "PerflibV2" },
    { &perflibv2_calls_table, "perflibv2", "perflibv2", "PerflibV2" },
    { &usage_table, "perflibv2", "perflibv2_poll", "PerflibV2" },
    { &missing_table, "perflibv2", "perflibv2_missing", "PerflibV2" },
    { &perflibv2_rules_table, "perflibv2", "perflibv2", "PerflibV2" },
    { &counters_table, "perfdata", "perfdata_poll", "PerfData" },
    { &watch_table, "perfdata", "perfdata_poll", "PerfData" },
    { &perfdata_queries_table, "perfdata", "perfdata", "PerfData" },
    { &usage_table, "perfdata", "perfdata_poll", "PerfData" },
    { &missing_table, "perfdata", "perfdata_missing", "PerfData" },
    { &sessions_table, "perfdata", "frame", "PerfData" },
    { &pla_calls_table, "pla", "pla", "PLA" },
    { &pla_sets_table, "pla", "pla", "PLA" },
    { &sessions_table, "pla", "frame", "PLA" },
};

/* Commands, which write a file and have no window. */
static const struct {
    const struct command_kind *kind;
    const char *protocol, *tap_name;
} files[] = {
    { &perflibv2_catalog_command, "perflibv2", "perflibv2" },
    { &pdh_csv_command, "perflibv2", "perflibv2_poll" },
    { &samples_command, "perflibv2", "perflibv2_poll" },
    { &pdh_csv_command, "perfdata", "perfdata_poll" },
    { &samples_command, "perfdata", "perfdata_poll" },
    { &ndjson_command, "perflib", "frame" },
    { &csv_command, "perflib", "frame" },
};

void
register_perflib_tables(void)
{
    for (size_t i = 0; i < array_length(tables); i++) {
        stat_rows_register(stat_rows_new(tables[i].kind, tables[i].protocol, tables[i].tap_name, tables[i].title));
    }
    for (size_t i = 0; i < array_length(files); i++) {
        command_register(files[i].kind, files[i].protocol, files[i].tap_name);
    }
    watch_dialog_register();
    key_dialog_register();
    stopped_follow(unread_follow);
}

void
handoff_perflib_tables(void)
{
    stat_rows_make_menu();
}
