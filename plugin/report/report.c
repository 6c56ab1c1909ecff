/* report.c
 * -z perflib,report,FILE.html: report on a capture, one HTML page
 *
 * The page shows the rows of the plugin's own tables, so its numbers are the same as theirs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "report/page.h"

#include <string.h>

#include <wsutil/report_message.h>

#include "plugin.h"
#include "stats/tables.h"

/* Title of the dialog, and item of the Tools menu. */
#define DIALOG_TITLE "Capture report: what works, what does not"

static void
report_begin_model(struct model *model)
{
    struct curves **curves = g_new(struct curves *, NUM_MODEL_APIS);

    model_begin_data(model);
    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        curves[api] = curves_of(model->tables[MODEL_COUNTERS + api]);
    }
    model->data = curves;
}

static void
report_draw(void *data)
{
    struct model_command *report = (struct model_command *)data;
    FILE *file = output_file_begin(report->command.output);

    if (file != NULL) {
        GString *page = g_string_new(NULL);

        page_write(report->model, report->filter, page);
        fwrite(page->str, 1, page->len, file);
        g_string_free(page, TRUE);
        output_file_end(report->command.output);
    }
}

static bool
report_begin(void *data, const char *filter)
{
    model_command_open((struct model_command *)data, filter, report_begin_model);
    return true;
}

static const struct command_kind report_command = {
    .size = sizeof(struct model_command),
    .begin = report_begin,
    .reset = model_command_reset,
    .packet = model_command_packet,
    .draw = report_draw,
    .finish = model_command_finish,
};

static const struct command_option report_option = { &report_command, "perflib,report", "frame" };

/* Writes the report on the capture that Wireshark shows, and opens it in a browser. */
static void
report_write_shown(const funnel_ops_t *ops, const char *name)
{
    struct output_file *output = output_file_new(name);
    void *report = output == NULL ? NULL : command_open(&report_option, output);

    if (report != NULL) {
        ops->retap_packets(ops->ops_id);
        report_draw(report);
        remove_tap_listener(report);
        ops->browser_open_data_file(name);
    }
}

/* Handles a file name from the dialog. replaced: existing file that the dialog asked whether to replace, or NULL. */
static void
report_named(char **answers, void *replaced)
{
    static const char *names[] = { "This file exists: OK replaces it", NULL };
    const funnel_ops_t *ops = funnel_get_funnel_ops();
    /* With the whole path, an error message is clear. */
    char *path = answers[0] != NULL && answers[0][0] != '\0' ? tools_menu_path(answers[0]) : NULL;

    if (path != NULL) {
        const char *values[] = { path, NULL };

        if (g_file_test(path, G_FILE_TEST_IS_REGULAR) && g_strcmp0(path, (const char *)replaced) != 0) {
            tools_menu_ask(ops, DIALOG_TITLE, names, values, report_named, g_strdup(path), g_free);
        } else {
            report_write_shown(ops, path);
        }
    }
    g_free(path);
    g_strfreev(answers);
}

/* Asks the user for the report's file name. The default is next to the capture. */
static void
report_chosen(const funnel_ops_t *ops)
{
    static const char *names[] = { "File", NULL };
    const char *values[] = { NULL, NULL };
    char *file = tools_menu_capture(), *end;

    if (file == NULL) {
        report_failure("Open a capture first");
        return;
    }
    end = strrchr(file, '.');
    if (end != NULL && strpbrk(end, G_DIR_SEPARATOR_S "/") == NULL) {
        *end = '\0';
    }
    values[0] = g_strconcat(file, "-report.html", NULL);
    tools_menu_ask(ops, DIALOG_TITLE, names, values, report_named, NULL, NULL);
    g_free((char *)values[0]);
    g_free(file);
}

void
register_perflib_report(void)
{
    command_register(&report_option);
    tools_menu_add(DIALOG_TITLE "...", report_chosen);
}
