/* findings-table.c
 * -z perflib,findings: problems, who can act, and remedies
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "stats/findings.h"
#include "stats/model.h"

enum findings_column {
    COLUMN_SEVERITY,
    COLUMN_CODE,
    COLUMN_MACHINE,
    COLUMN_CLIENT,
    COLUMN_FRAME,
    COLUMN_WHAT,
    COLUMN_DETAIL,
    COLUMN_REMEDY,
    COLUMN_WHO,
    COLUMN_FILTER,
    COLUMN_PDH,
    COLUMN_WHO_CODE,
    COLUMN_ADDRESS,
    NUM_COLUMNS
};

static const struct stat_column findings_columns[NUM_COLUMNS] = {
    [COLUMN_SEVERITY] = STAT_TEXT("severity", "Severity"),
    [COLUMN_CODE] = STAT_TEXT("code", "Code"),
    [COLUMN_MACHINE] = STAT_TEXT("machine", "Machine"),
    [COLUMN_CLIENT] = STAT_TEXT("client", "Client"),
    [COLUMN_FRAME] = STAT_COUNT("frame", "Frame"),
    [COLUMN_WHAT] = STAT_TEXT("what", "What happened"),
    [COLUMN_DETAIL] = STAT_TEXT("detail", "Details"),
    [COLUMN_REMEDY] = STAT_TEXT("remedy", "What to do"),
    [COLUMN_WHO] = STAT_TEXT("who", "Who acts"),
    [COLUMN_FILTER] = STAT_TEXT("filter", "Display filter"),
    [COLUMN_PDH] = STAT_TEXT("pdh", "PDH's code"),
    [COLUMN_WHO_CODE] = STAT_DATA_TEXT("who_code"),
    [COLUMN_ADDRESS] = STAT_DATA_TEXT("server"),
};

/* Findings table, with its own model. */
struct findings_table {
    struct stat_rows rows; /* must be the first member */
    struct model *model;
};

static void
findings_begin(struct stat_rows *rows)
{
    struct findings_table *table = (struct findings_table *)rows;

    stat_rows_add_sentence(rows);
    if (rows->is_own) {
        /* The user of the model fills this table. */
        return;
    }
    if (table->model == NULL) {
        table->model = model_open(NULL, true);
    } else {
        model_reset(table->model);
    }
}

static bool
findings_count(struct stat_rows *rows, const packet_info *pinfo, const void *tapped _U_)
{
    model_packet(((struct findings_table *)rows)->model, pinfo);
    return true;
}

static void
show_finding(const struct stat_rows *rows, stat_tap_table_item_type *cells, const struct model *model,
    const struct report_finding *finding)
{
    const char *server = finding->server == NULL ? "" : finding->server;

    stat_cell_set_text(&cells[COLUMN_SEVERITY], tone_texts[finding->tone]);
    stat_cell_set_text(&cells[COLUMN_CODE], remedies[finding->code].name);
    stat_cell_set_short(rows, &cells[COLUMN_MACHINE], model_host(model, server), WINDOW_NAME_MAX);
    stat_cell_set_text(&cells[COLUMN_CLIENT], finding->client == NULL ? "" : finding->client);
    cells[COLUMN_FRAME].value.uint_value = finding->frame;
    stat_cell_set_text(&cells[COLUMN_WHAT], finding->what);
    stat_cell_set_text(&cells[COLUMN_DETAIL], finding->detail == NULL ? "" : finding->detail);
    stat_cell_set_text(&cells[COLUMN_REMEDY], finding->remedy);
    stat_cell_set_text(&cells[COLUMN_WHO], finding->whom == NULL ? "" : finding->whom);
    stat_cell_set_text(&cells[COLUMN_FILTER], finding->filter == NULL ? "" : finding->filter);
    stat_cell_set_text(&cells[COLUMN_PDH], finding->pdh == NULL ? "" : finding->pdh);
    if (rows->is_data) {
        stat_cell_set_text(&cells[COLUMN_WHO_CODE],
            finding->whom == NULL ? "" : remedy_persons[remedies[finding->code].whom].code);
        stat_cell_set_text(&cells[COLUMN_ADDRESS], server);
    }
}

GArray *
findings_table_fill(struct stat_rows *rows, struct model *model, wmem_allocator_t *scope, struct gathered *groups)
{
    const struct needed *needed = &model->tables[MODEL_SESSIONS]->needed;
    GArray *findings;

    model_fill(model, scope);
    findings = findings_of(model, scope);
    *groups = findings_groups(model, findings, scope);
    stat_rows_resize(rows, findings->len);
    for (unsigned i = 0; i < findings->len; i++) {
        show_finding(rows, stat_rows_cells(rows, i), model, &g_array_index(findings, struct report_finding, i));
    }
    stat_rows_set_sentence(rows, 0, findings_verdict(model, findings, groups, scope));
    for (unsigned i = 0; i < needed->count; i++) {
        needed_add(&rows->needed, &needed->items[i]);
    }
    return findings;
}

static void
findings_fill_own(struct stat_rows *rows)
{
    if (!rows->is_own) {
        wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
        struct gathered groups;

        g_array_free(findings_table_fill(rows, ((struct findings_table *)rows)->model, scope, &groups), TRUE);
        wmem_destroy_allocator(scope);
    }
}

static const struct stat_view findings_view = {
    .columns = STAT_BITS(COLUMN_SEVERITY, COLUMN_FRAME),
    .below = STAT_BITS(COLUMN_WHAT, COLUMN_PDH),
};

const struct stat_kind findings_table = {
    .name = "findings",
    .title = "Findings",
    .columns = findings_columns,
    .num_columns = NUM_COLUMNS,
    .count = findings_count,
    .begin = findings_begin,
    .fill = findings_fill_own,
    .fills_late = true,
    .views = &findings_view,
    .num_views = 1,
    .frames = STAT_BIT(COLUMN_FRAME),
    .size = sizeof(struct findings_table),
};
