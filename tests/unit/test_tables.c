/* test_tables.c
 * All statistics: each table and each file under the name it has in the manual, over the tap that brings what it counts
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "compat.h"

#include <string.h>

#include "check.h"
#include "plugin.h"
#include "stats/tables.h"

/* In place of all tables: only their addresses count. */
const struct stat_kind counters_table, usage_table, watch_table, missing_table, perflibv2_calls_table,
    perflibv2_queries_table, perflibv2_rules_table, perfdata_queries_table, pla_calls_table, pla_sets_table,
    sessions_table;
const struct command_kind pdh_csv_command, samples_command, perflibv2_catalog_command;

static struct {
    const void *kind;
    const char *protocol, *tap;
} made[30];
static unsigned num_made, num_registered, num_others, num_menus;

static void
make(const void *kind, const char *protocol, const char *tap)
{
    made[num_made].kind = kind;
    made[num_made].protocol = protocol;
    made[num_made++].tap = tap;
}

struct stat_rows *
stat_rows_new(const struct stat_kind *kind, const char *protocol, const char *tap_name, const char *title)
{
    /* The first of the menu is of all protocols. */
    CHECK(strcmp(title,
              kind == &sessions_table && strcmp(protocol, "perflibv2") == 0 ? "Performance Monitoring"
                  : strcmp(protocol, "perflibv2") == 0                      ? "PerflibV2"
                  : strcmp(protocol, "perfdata") == 0                       ? "PerfData"
                                                                            : "PLA") == 0,
        "%s", title);
    make(kind, protocol, tap_name);
    return (struct stat_rows *)&made[num_made - 1];
}

void
stat_rows_register(struct stat_rows *rows)
{
    CHECK(rows == (struct stat_rows *)&made[num_made - 1], "another one");
    num_registered++;
}

void
command_register(const struct command_kind *kind, const char *protocol, const char *tap_name)
{
    make(kind, protocol, tap_name);
}

void
report_register(void)
{
    num_others++;
}

void
watch_dialog_register(void)
{
    num_others += 10;
}

void
stat_rows_make_menu(void)
{
    num_menus++;
}

int
main(void)
{
    static const struct {
        const void *kind;
        const char *tap; /* behind the protocol, or alone */
        const char *const protocols[4];
    } expected[] = {
        { &counters_table, "_poll", { "perflibv2", "perfdata" } },
        { &usage_table, "_poll", { "perflibv2", "perfdata" } },
        { &watch_table, "_poll", { "perflibv2", "perfdata" } },
        { &pdh_csv_command, "_poll", { "perflibv2", "perfdata" } },
        { &samples_command, "_poll", { "perflibv2", "perfdata" } },
        { &missing_table, "_missing", { "perflibv2", "perfdata" } },
        { &sessions_table, "frame", { "perflibv2", "perfdata", "pla" } },
        { &perflibv2_calls_table, "", { "perflibv2" } },
        { &perflibv2_queries_table, "", { "perflibv2" } },
        { &perflibv2_rules_table, "", { "perflibv2" } },
        { &perflibv2_catalog_command, "", { "perflibv2" } },
        { &perfdata_queries_table, "", { "perfdata" } },
        { &pla_calls_table, "", { "pla" } },
        { &pla_sets_table, "", { "pla" } },
    };
    unsigned count = 0;

    register_perflib_tables();
    for (size_t i = 0; i < array_length(expected); i++) {
        for (const char *const *protocol = expected[i].protocols; *protocol != NULL; protocol++, count++) {
            const bool is_of_protocol = strcmp(expected[i].tap, "frame") != 0;
            char *tap = g_strconcat(is_of_protocol ? *protocol : "", expected[i].tap, NULL);
            unsigned found = 0;

            for (unsigned k = 0; k < num_made; k++) {
                found += made[k].kind == expected[i].kind && strcmp(made[k].protocol, *protocol) == 0 &&
                    strcmp(made[k].tap, tap) == 0;
            }
            CHECK(found == 1, "%s, %s: %u", *protocol, tap, found);
            g_free(tap);
        }
    }
    CHECK(num_made == count && num_registered == 17 && num_others == 11 && num_menus == 0, "%u, %u", num_made,
        num_registered);
    handoff_perflib_tables();
    CHECK(num_menus == 1, "%u", num_menus);
    return check_result();
}
