/* tables.c
 * All statistics of the plugin
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "plugin.h"
#include "stats/rows.h"

void
register_perflib_tables(void)
{
    /* Windows stand in the menu in this order, those of one protocol together. */
    counters_table_register("perflibv2", "perflibv2_poll", "PerflibV2");
    watch_table_register("perflibv2", "perflibv2_poll", "PerflibV2");
    perflibv2_queries_register();
    perflibv2_calls_register();
    usage_register("perflibv2", "perflibv2_poll", "PerflibV2");
    missing_register("perflibv2", "perflibv2_missing", "PerflibV2");
    sessions_register("perflibv2");
    perflibv2_rules_register();
    perflibv2_catalog_register();
    pdh_csv_register("perflibv2", "perflibv2_poll");
    samples_register("perflibv2", "perflibv2_poll");
    counters_table_register("perfdata", "perfdata_poll", "PerfData");
    watch_table_register("perfdata", "perfdata_poll", "PerfData");
    perfdata_queries_register();
    usage_register("perfdata", "perfdata_poll", "PerfData");
    missing_register("perfdata", "perfdata_missing", "PerfData");
    sessions_register("perfdata");
    pdh_csv_register("perfdata", "perfdata_poll");
    samples_register("perfdata", "perfdata_poll");
    pla_calls_register();
    pla_sets_register();
    sessions_register("pla");
}

void
handoff_perflib_tables(void)
{
    stat_rows_make_menu();
}
