/* report.c
 * -z perflib,report,FILE.html: report on a capture, one HTML page
 *
 * The page shows numbers from the plugin's own tables, so that each number is counted once, in one way.
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
    struct command command; /* must be the first member */
    char *filter;
    struct model *model;
};

static void
report_begin_model(struct model *model)
{
    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        model->curves[api] = curves_of(model->tables[MODEL_COUNTERS + api]);
    }
}

static void
report_reset(void *data)
{
    model_reset(((struct report *)data)->model);
}

static tap_packet_status
report_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped _U_, tap_flags_t flags _U_)
{
    model_packet(((struct report *)data)->model, pinfo);
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
    page = g_string_new(NULL);
    sections_write(report->model, report->filter, page);
    fwrite(page->str, 1, page->len, file);
    g_string_free(page, TRUE);
    output_file_end(report->command.output);
}

static void
report_finish(void *data)
{
    struct report *report = (struct report *)data;

    model_close(report->model);
    g_free(report->filter);
}

static bool
report_begin(void *data, const char *filter)
{
    struct report *report = (struct report *)data;

    report->filter = g_strdup(filter);
    report->model = model_open(report_begin_model);
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

/* Writes the report on the capture that Wireshark shows, and opens it in a browser. */
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
    remove_tap_listener(report);
    ops->browser_open_data_file(answers[0]);
}

/* Asks the user for the report's file name. The default is next to the capture. */
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
