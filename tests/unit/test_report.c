/* test_report.c
 * A report from its beginning to its end: which packets are the first and the last, what the Tools menu asks and opens
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "compat.h"

#include <string.h>

#include <epan/tap.h>
#include <wsutil/report_message.h>

#include "check.h"
#include "stats/report/report.h"
#include "stats/tables.h"

/* In place of all that a report is made of: only their addresses count. */
const struct stat_kind sessions_table, perflibv2_rules_table, pla_sets_table, perflibv2_queries_table,
    perfdata_queries_table, usage_table, missing_table, counters_table;

static struct stat_rows tables[4 * NUM_MODEL_TABLES];
static unsigned num_tables, num_open, num_cleared;
static const char *opened_with;

struct stat_rows *
stat_rows_new(const struct stat_kind *kind, const char *protocol, const char *tap_name, const char *title)
{
    (void)title;
    tables[num_tables].kind = kind;
    tables[num_tables].ui.cli_string = protocol;
    tables[num_tables].ui.tap_name = tap_name;
    return &tables[num_tables++];
}

GString *
stat_rows_open(struct stat_rows *rows, const char *filter)
{
    (void)rows;
    opened_with = filter;
    num_open++;
    return filter != NULL && strcmp(filter, "nonsense") == 0 ? g_string_new("no filter") : NULL;
}

void
stat_rows_clear(struct stat_rows *rows)
{
    (void)rows;
    num_cleared++;
}

void
stat_rows_close(struct stat_rows *rows)
{
    (void)rows;
    num_open--;
}

struct curves *
curves_of(struct stat_rows *rows)
{
    return (struct curves *)rows;
}

static const struct model *shown;

void
sections_write(struct model *model, GString *page)
{
    shown = model;
    g_string_append(page, "a page");
}

char *
capture_name(void)
{
    return g_strdup("a capture");
}

static FILE *file;
static char file_name[100];
static unsigned times_ended;

struct output_file *
output_file_new(const char *name)
{
    snprintf(file_name, sizeof file_name, "%s", name);
    return strcmp(name, "no/where") == 0 ? NULL : (struct output_file *)&file;
}

FILE *
output_file_begin(struct output_file *output)
{
    (void)output;
    return file;
}

void
output_file_end(struct output_file *output)
{
    (void)output;
    times_ended++;
}

static const struct command_kind *kind;

void
command_register(const struct command_kind *registered, const char *protocol, const char *tap_name)
{
    CHECK(strcmp(protocol, "perflib") == 0 && strcmp(tap_name, "frame") == 0, "%s, %s", protocol, tap_name);
    kind = registered;
}

static void *
new_report(const char *filter)
{
    void *report = g_malloc0(kind->size);

    CHECK(kind->begin(report, filter), "not begun");
    return report;
}

void *
command_open(const struct command_kind *opened, const char *name, const char *tap_name, struct output_file *output)
{
    CHECK(opened == kind && strcmp(name, "perflib,report") == 0 && strcmp(tap_name, "frame") == 0 &&
            output == (struct output_file *)&file,
        "%s, %s", name, tap_name);
    return new_report(NULL);
}

static unsigned times_removed;

void
remove_tap_listener(void *data)
{
    times_removed++;
    kind->finish(data);
    g_free(data);
}

static void (*chosen)(const funnel_ops_t *ops);
static const char *capture;
static char told[100];

void
tools_menu_add(const char *name, void (*choose)(const funnel_ops_t *ops))
{
    CHECK(name[0] != '\0', "no name");
    chosen = choose;
}

const char *
tools_menu_capture(void)
{
    return capture;
}

void
report_failure(const char *format, ...)
{
    snprintf(told, sizeof told, "%s", format);
}

/* In place of Wireshark's windows: what is suggested, and what becomes of the answer. */
static char suggested[100], browsed[100];
static funnel_dlg_cb_t answer;
static unsigned times_read;

static void
ask(funnel_ops_id_t *id, const char *title, const char **names, const char **values, funnel_dlg_cb_t callback,
    void *data, funnel_dlg_cb_data_free_t data_free)
{
    (void)id;
    (void)data;
    CHECK(title[0] != '\0' && names[1] == NULL && data_free == NULL, "%s", title);
    snprintf(suggested, sizeof suggested, "%s", values[0]);
    answer = callback;
}

static void
browse(const char *name)
{
    snprintf(browsed, sizeof browsed, "%s", name);
}

static void
read_again(funnel_ops_id_t *id)
{
    (void)id;
    times_read++;
}

static funnel_ops_t ops;

const funnel_ops_t *
funnel_get_funnel_ops(void)
{
    return &ops;
}

static void
test_packets(void)
{
    static const struct {
        time_t time, first, last;
    } packets[] = { { 100, 100, 100 }, { 105, 100, 105 }, { 103, 100, 105 }, { 90, 90, 105 }, { 200, 90, 200 } };
    void *report = new_report("a filter");

    CHECK(num_tables == NUM_MODEL_TABLES && num_open == NUM_MODEL_TABLES && strcmp(opened_with, "a filter") == 0,
        "%u, %u", num_tables, num_open);
    for (unsigned round = 0; round < 2; round++) {
        for (size_t i = 0; i < array_length(packets); i++) {
            packet_info pinfo = { .abs_ts = { packets[i].time, 5 } };

            CHECK(kind->packet(report, &pinfo, NULL, NULL, 0) == TAP_PACKET_REDRAW, "not drawn");
            kind->draw(report);
            CHECK(shown->packets == i + 1 && shown->first.secs == packets[i].first &&
                    shown->last.secs == packets[i].last,
                "%zu: %u packets", i, shown->packets);
        }
        num_cleared = 0;
        kind->reset(report);
        CHECK(num_cleared == NUM_MODEL_TABLES, "%u", num_cleared);
        kind->draw(report);
        CHECK(shown->packets == 0 && nstime_is_zero(&shown->first) && nstime_is_zero(&shown->last), "not empty");
    }
    CHECK(strcmp(shown->capture, "a capture") == 0 && strcmp(shown->filter, "a filter") == 0 && times_ended == 12, "%u",
        times_ended);
    /* Each table where the page looks for it. */
    CHECK(shown->tables[MODEL_SESSIONS]->kind == &sessions_table &&
            shown->tables[MODEL_RULES]->kind == &perflibv2_rules_table &&
            shown->tables[MODEL_SETS]->kind == &pla_sets_table &&
            shown->tables[MODEL_QUERIES + MODEL_PERFLIBV2]->kind == &perflibv2_queries_table &&
            shown->tables[MODEL_QUERIES + MODEL_PERFDATA]->kind == &perfdata_queries_table,
        "tables");
    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        const char *protocol = api == MODEL_PERFLIBV2 ? "perflibv2" : "perfdata";
        const struct stat_rows *of[] = { shown->tables[MODEL_USAGE + api], shown->tables[MODEL_MISSING + api],
            shown->tables[MODEL_COUNTERS + api] };

        CHECK(of[0]->kind == &usage_table && of[1]->kind == &missing_table && of[2]->kind == &counters_table &&
                shown->curves[api] == (const struct curves *)of[2],
            "%s", protocol);
        for (unsigned i = 0; i < 3; i++) {
            CHECK(strcmp(of[i]->ui.cli_string, protocol) == 0 &&
                    strcmp(of[i]->ui.tap_name + strlen(protocol), i == 1 ? "_missing" : "_poll") == 0,
                "%s, %s", of[i]->ui.cli_string, of[i]->ui.tap_name);
        }
    }
    fclose(file);
    file = NULL;
    kind->draw(report);
    CHECK(times_ended == 12, "written nowhere");
    kind->finish(report);
    g_free(report);
    report = new_report("nonsense");
    kind->finish(report);
    g_free(report);
}

static void
test_menu(void)
{
    static const char *const suggestions[][2] = {
        { "/tmp/a.pcapng", "/tmp/a-report.html" },
        { "/tmp/a", "/tmp/a-report.html" },
        { "/tmp.d/a", "/tmp.d/a-report.html" },
        { "a.b.pcap", "a.b-report.html" },
    };
    char name[] = "b.html", nowhere[] = "no/where", *answers[] = { name, NULL };
    const unsigned open_before = num_open, tables_before = num_tables, ended_before = times_ended;

    capture = NULL;
    chosen(&ops);
    CHECK(strstr(told, "open one first") != NULL && answer == NULL, "%s", told);
    for (size_t i = 0; i < array_length(suggestions); i++) {
        capture = suggestions[i][0];
        chosen(&ops);
        CHECK(strcmp(suggested, suggestions[i][1]) == 0, "%s", suggested);
    }
    /* Others are made, and then used again. */
    for (unsigned round = 0; round < 2; round++) {
        shown = NULL;
        file = tmpfile();
        answer(answers, NULL);
        fclose(file);
        CHECK(times_read == round + 1 && shown != NULL && strcmp(browsed, "b.html") == 0 &&
                strcmp(file_name, "b.html") == 0,
            "%s", browsed);
        CHECK(times_removed == round + 1 && times_ended == ended_before + round + 1, "%u removed, %u written",
            times_removed, times_ended);
        CHECK(num_open == open_before && num_tables == tables_before + NUM_MODEL_TABLES, "%u open, %u made", num_open,
            num_tables);
    }
    browsed[0] = '\0';
    answers[0] = nowhere;
    answer(answers, NULL);
    answers[0] = NULL;
    answer(answers, NULL);
    CHECK(browsed[0] == '\0' && times_read == 2, "%s", browsed);
}

int
main(void)
{
    ops = (funnel_ops_t){ .new_dialog = ask, .browser_open_data_file = browse };
    ops.retap_packets = read_again;
    file = tmpfile();
    report_register();
    test_packets();
    test_menu();
    return check_result();
}
