/* report.c
 * -z perflib,report,FILE.html: one page about a capture, for who has to say what is wrong
 *
 * The page shows what the plugin's tables count, from tables of its own: each number is counted once, and the same way.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "compat.h"

#include <errno.h>
#include <string.h>

#include <epan/tap.h>
#include <wsutil/report_message.h>

#include "stats/command.h"
#include "stats/report/report.h"

struct report {
    struct command command; /* first */
    char *filter, *capture;
    struct model *model;
};

/* Reports that are over: their tables live as long as the process, and serve the next one. */
static GSList *spare_models;

static struct model *
report_new_model(void)
{
    static const struct {
        unsigned place;
        const struct stat_kind *kind;
        const char *protocol, *tap_name;
    } tables[] = {
        { MODEL_SESSIONS, &sessions_table, "perflibv2", "frame" },
        { MODEL_RULES, &perflibv2_rules_table, "perflibv2", "perflibv2" },
        { MODEL_SETS, &pla_sets_table, "pla", "pla" },
        { MODEL_QUERIES + MODEL_PERFLIBV2, &perflibv2_queries_table, "perflibv2", "perflibv2" },
        { MODEL_QUERIES + MODEL_PERFDATA, &perfdata_queries_table, "perfdata", "perfdata" },
        { MODEL_USAGE + MODEL_PERFLIBV2, &usage_table, "perflibv2", "perflibv2_poll" },
        { MODEL_USAGE + MODEL_PERFDATA, &usage_table, "perfdata", "perfdata_poll" },
        { MODEL_MISSING + MODEL_PERFLIBV2, &missing_table, "perflibv2", "perflibv2_missing" },
        { MODEL_MISSING + MODEL_PERFDATA, &missing_table, "perfdata", "perfdata_missing" },
        { MODEL_COUNTERS + MODEL_PERFLIBV2, &counters_table, "perflibv2", "perflibv2_poll" },
        { MODEL_COUNTERS + MODEL_PERFDATA, &counters_table, "perfdata", "perfdata_poll" },
    };
    struct model *model;

    if (spare_models != NULL) {
        model = (struct model *)spare_models->data;
        spare_models = g_slist_delete_link(spare_models, spare_models);
        return model;
    }
    model = g_new0(struct model, 1);
    for (size_t i = 0; i < array_length(tables); i++) {
        model->tables[tables[i].place] =
            stat_rows_new(tables[i].kind, tables[i].protocol, tables[i].tap_name, "Report");
    }
    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        model->curves[api] = curves_of(model->tables[MODEL_COUNTERS + api]);
    }
    return model;
}

static void
report_reset(void *data)
{
    struct report *report = (struct report *)data;

    for (unsigned i = 0; i < NUM_MODEL_TABLES; i++) {
        stat_rows_clear(report->model->tables[i]);
    }
    report->model->packets = 0;
    nstime_set_zero(&report->model->first);
    nstime_set_zero(&report->model->last);
}

static tap_packet_status
report_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped _U_, tap_flags_t flags _U_)
{
    struct model *model = ((struct report *)data)->model;

    if (model->packets++ == 0) {
        model->first = model->last = pinfo->abs_ts;
    }
    /* Captures that were put together may go back. */
    if (nstime_cmp(&pinfo->abs_ts, &model->first) < 0) {
        model->first = pinfo->abs_ts;
    }
    if (nstime_cmp(&pinfo->abs_ts, &model->last) > 0) {
        model->last = pinfo->abs_ts;
    }
    return TAP_PACKET_REDRAW;
}

static void
report_draw(void *data)
{
    struct report *report = (struct report *)data;
    FILE *file = output_file_begin(report->command.output);
    GString *page;

    if (file == NULL) {
        return;
    }
    g_free(report->capture);
    report->capture = capture_name();
    report->model->capture = report->capture;
    page = g_string_new(NULL);
    sections_write(report->model, page);
    fwrite(page->str, 1, page->len, file);
    g_string_free(page, TRUE);
    output_file_end(report->command.output);
}

static void
report_finish(void *data)
{
    struct report *report = (struct report *)data;

    /* No listener may be removed here, as Wireshark may be about to free all: those of the tables outlive this one. */
    g_free(report->filter);
    g_free(report->capture);
}

static bool
report_begin(void *data, const char *filter)
{
    struct report *report = (struct report *)data;

    report->filter = g_strdup(filter);
    report->model = report_new_model();
    report->model->filter = report->filter;
    for (unsigned i = 0; i < NUM_MODEL_TABLES; i++) {
        GString *error = stat_rows_open(report->model->tables[i], filter);

        if (error != NULL) {
            /* The last one says so. */
            g_string_free(error, TRUE);
        }
    }
    report_reset(report);
    return true;
}

static const struct command_kind report_command = {
    .name = "report",
    .size = sizeof(struct report),
    .begin = report_begin,
    .reset = report_reset,
    .packet = report_packet,
    .draw = report_draw,
    .finish = report_finish,
};

/* Writes the report of the capture that Wireshark shows, and opens it. */
static void
report_write_shown(char **answers, void *data _U_)
{
    const funnel_ops_t *ops = funnel_get_funnel_ops();
    struct output_file *output = answers[0] == NULL ? NULL : output_file_new(answers[0]);
    struct report *report =
        output == NULL ? NULL : (struct report *)command_open(&report_command, "perflib,report", "frame", output);

    if (report == NULL) {
        return;
    }
    ops->retap_packets(ops->ops_id);
    report_draw(report);
    for (unsigned i = 0; i < NUM_MODEL_TABLES; i++) {
        stat_rows_close(report->model->tables[i]);
    }
    spare_models = g_slist_prepend(spare_models, report->model);
    remove_tap_listener(report);
    ops->browser_open_data_file(answers[0]);
}

/* Asks where to write it: beside the capture, if the user does not say otherwise. */
static void
report_chosen(const funnel_ops_t *ops)
{
    static const char *names[] = { "File", NULL };
    const char *values[] = { NULL, NULL };
    const char *capture = tools_menu_capture();
    char *file, *end;

    if (capture == NULL) {
        report_failure("A report is about a capture: open one first");
        return;
    }
    file = g_strdup(capture);
    end = strrchr(file, '.');
    if (end != NULL && strpbrk(end, G_DIR_SEPARATOR_S "/") == NULL) {
        *end = '\0';
    }
    values[0] = g_strconcat(file, "-report.html", NULL);
    ops->new_dialog(ops->ops_id, "Report", names, values, report_write_shown, NULL, NULL);
    g_free((char *)values[0]);
    g_free(file);
}

void
report_register(void)
{
    command_register(&report_command, "perflib", "frame");
    tools_menu_add("Report...", report_chosen);
}
