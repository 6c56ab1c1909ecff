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
    static const struct {
        const char *protocol, *polls, *missing, *title;
    } * api,
        apis[] = {
            { "perflibv2", "perflibv2_poll", "perflibv2_missing", "PerflibV2" },
            { "perfdata", "perfdata_poll", "perfdata_missing", "PerfData" },
        };

    /* Windows stand in the menu in this order, those of one protocol together. */
    for (api = apis; api < apis + array_length(apis); api++) {
        stat_rows_register(counters_table_new(api->protocol, api->polls, api->title));
        stat_rows_register(watch_table_new(api->protocol, api->polls, api->title));
        stat_rows_register(api == apis ? perflibv2_queries_new() : perfdata_queries_new());
        if (api == apis) {
            stat_rows_register(perflibv2_calls_new());
        }
        stat_rows_register(usage_table_new(api->protocol, api->polls, api->title));
        stat_rows_register(missing_table_new(api->protocol, api->missing, api->title));
        stat_rows_register(sessions_new(api->protocol));
        if (api == apis) {
            stat_rows_register(perflibv2_rules_new());
        }
        pdh_csv_register(api->protocol, api->polls);
        samples_register(api->protocol, api->polls);
    }
    perflibv2_catalog_register();
    stat_rows_register(pla_calls_new());
    stat_rows_register(pla_sets_new());
    stat_rows_register(sessions_new("pla"));
    report_register();
}

void
handoff_perflib_tables(void)
{
    stat_rows_make_menu();
}
