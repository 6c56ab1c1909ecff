/* tables.c
 * All statistics of the plugin
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "plugin.h"

void
register_perflib_tables(void)
{
    perflibv2_calls_register();
    perflibv2_queries_register();
    perflibv2_catalog_register();
    perflibv2_rules_register();
    counters_table_register("perflibv2", "perflibv2_poll", "PerflibV2");
    usage_register("perflibv2", "perflibv2_poll", "PerflibV2");
    pdh_csv_register("perflibv2", "perflibv2_poll");
    samples_register("perflibv2", "perflibv2_poll");
    openmetrics_register("perflibv2", "perflibv2_poll");
    perfdata_queries_register();
    counters_table_register("perfdata", "perfdata_poll", "Windows Performance Data");
    usage_register("perfdata", "perfdata_poll", "Windows Performance Data");
    pdh_csv_register("perfdata", "perfdata_poll");
    samples_register("perfdata", "perfdata_poll");
    openmetrics_register("perfdata", "perfdata_poll");
    pla_calls_register();
    pla_sets_register();
    sessions_register();
}
