/* tables.c
 * All statistics of the plugin
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "plugin.h"
#include "session/tracker.h"
#include "stats/model.h"

const struct stat_table stat_tables[NUM_STAT_TABLES] = {
    { &findings_table, "perflib", "frame", "Performance Monitoring", MODEL_FINDINGS },
    { &sessions_table, "perflibv2", "frame", "Performance Monitoring", MODEL_SESSIONS },
    { &counters_table, "perflibv2", "perflibv2_poll", "PerflibV2", MODEL_COUNTERS + MODEL_PERFLIBV2 },
    { &watch_table, "perflibv2", "perflibv2_poll", "PerflibV2", MODEL_WATCH + MODEL_PERFLIBV2 },
    { &perflibv2_queries_table, "perflibv2", "perflibv2", "PerflibV2", MODEL_QUERIES + MODEL_PERFLIBV2 },
    { &perflibv2_calls_table, "perflibv2", "perflibv2", "PerflibV2", MODEL_CALLS },
    { &usage_table, "perflibv2", "perflibv2_poll", "PerflibV2", MODEL_USAGE + MODEL_PERFLIBV2 },
    { &missing_table, "perflibv2", "perflibv2_missing", "PerflibV2", MODEL_MISSING + MODEL_PERFLIBV2 },
    { &perflibv2_rules_table, "perflibv2", "perflibv2", "PerflibV2", MODEL_RULES },
    { &counters_table, "perfdata", "perfdata_poll", "PerfData", MODEL_COUNTERS + MODEL_PERFDATA },
    { &watch_table, "perfdata", "perfdata_poll", "PerfData", MODEL_WATCH + MODEL_PERFDATA },
    { &perfdata_queries_table, "perfdata", "perfdata", "PerfData", MODEL_QUERIES + MODEL_PERFDATA },
    { &usage_table, "perfdata", "perfdata_poll", "PerfData", MODEL_USAGE + MODEL_PERFDATA },
    { &missing_table, "perfdata", "perfdata_missing", "PerfData", MODEL_MISSING + MODEL_PERFDATA },
    { &sessions_table, "perfdata", "frame", "PerfData", NUM_MODEL_TABLES },
    { &pla_calls_table, "pla", "pla", "PLA", MODEL_PLA_CALLS },
    { &pla_sets_table, "pla", "pla", "PLA", MODEL_SETS },
    { &sessions_table, "pla", "frame", "PLA", NUM_MODEL_TABLES },
};

/* Commands, which write a file and have no window. */
static const struct command_option files[] = {
    { &perflibv2_catalog_command, "perflibv2,catalog", "perflibv2" },
    { &pdh_csv_command, "perflibv2,pdh-csv", "perflibv2_poll" },
    { &samples_command, "perflibv2,samples", "perflibv2_poll" },
    { &pdh_csv_command, "perfdata,pdh-csv", "perfdata_poll" },
    { &samples_command, "perfdata,samples", "perfdata_poll" },
    { &every_table_command, "perflib,ndjson", "frame" },
    { &every_table_command, "perflib,csv", "frame" },
};

void
register_perflib_tables(void)
{
    for (unsigned i = 0; i < NUM_STAT_TABLES; i++) {
        const struct stat_table *table = &stat_tables[i];

        stat_rows_register(stat_rows_new(table->kind, table->protocol, table->tap_name, table->title));
    }
    for (size_t i = 0; i < array_length(files); i++) {
        command_register(&files[i]);
    }
    tools_menu_add("Watch a counter...", watch_dialog_open);
    tools_menu_add("Password or keytab...", key_dialog_open);
    stopped_follow(unread_follow);
}

void
handoff_perflib_tables(void)
{
    stat_rows_make_menu();
}
