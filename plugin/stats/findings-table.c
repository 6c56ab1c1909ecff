/* findings-table.c
 * -z perflib,findings: problems, who can act, and remedies
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "stats/findings.h"

/* clang-format off */
#define FINDINGS_TABLE_COLUMNS(X) \
    X(COLUMN_SEVERITY, STAT_TEXT("severity", "Severity")) \
    X(COLUMN_CODE, STAT_TEXT("code", "Code")) \
    X(COLUMN_MACHINE, STAT_TEXT("machine", "Machine")) \
    X(COLUMN_CLIENT, STAT_TEXT("client", "Client")) \
    X(COLUMN_FRAME, STAT_COUNT("frame", "Frame")) \
    X(COLUMN_WHAT, STAT_TEXT("what", "What happened")) \
    X(COLUMN_DETAIL, STAT_TEXT("detail", "Details")) \
    X(COLUMN_REMEDY, STAT_TEXT("remedy", "What to do")) \
    X(COLUMN_WHO, STAT_TEXT("who", "Who acts")) \
    X(COLUMN_FILTER, STAT_TEXT("filter", "Display filter")) \
    X(COLUMN_PDH, STAT_TEXT("pdh", "PDH's code")) \
    X(COLUMN_WHO_CODE, STAT_DATA_TEXT("who_code")) \
    X(COLUMN_ADDRESS, STAT_DATA_TEXT("server"))
/* clang-format on */

enum { FINDINGS_TABLE_COLUMNS(STAT_COLUMN_NUMBER) NUM_COLUMNS };
static const struct stat_column findings_columns[NUM_COLUMNS] = { FINDINGS_TABLE_COLUMNS(STAT_COLUMN) };

/* Findings table. .model: the model that it is filled from; NULL if the table itself is part of a model (.is_own). */
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
        /* Part of a model: findings_table_fill() is called with that model. */
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
    stat_cell_set_text(&cells[COLUMN_CLIENT], finding->client);
    cells[COLUMN_FRAME].value.uint_value = finding->frame;
    stat_cell_set_text(&cells[COLUMN_WHAT], finding->what);
    stat_cell_set_text(&cells[COLUMN_DETAIL], finding->detail);
    stat_cell_set_text(&cells[COLUMN_REMEDY], finding->remedy);
    stat_cell_set_text(&cells[COLUMN_WHO], finding->whom);
    stat_cell_set_text(&cells[COLUMN_FILTER], finding->filter);
    stat_cell_set_text(&cells[COLUMN_PDH], finding->pdh);
    if (rows->is_data) {
        stat_cell_set_text(&cells[COLUMN_WHO_CODE],
            finding->whom == NULL ? "" : remedy_persons[remedies[finding->code].whom].code);
        stat_cell_set_text(&cells[COLUMN_ADDRESS], server);
    }
}

const struct key_index *
findings_table_fill(struct stat_rows *rows, struct model *model, wmem_allocator_t *scope)
{
    const struct needed *needed = &model->tables[MODEL_SESSIONS]->needed;
    const struct key_index *groups;
    wmem_array_t *findings;

    model_fill(model, scope);
    findings = findings_of(model, scope);
    groups = findings_groups(model, findings, scope);
    stat_rows_resize(rows, wmem_array_get_count(findings));
    for (unsigned i = 0; i < wmem_array_get_count(findings); i++) {
        show_finding(rows, stat_rows_cells(rows, i), model, finding_at(findings, i));
    }
    stat_rows_set_sentence(rows, 0, findings_verdict(model, findings, groups, scope));
    for (unsigned i = 0; i < needed->count; i++) {
        needed_add(&rows->needed, &needed->items[i]);
    }
    return groups;
}

static void
findings_fill_own(struct stat_rows *rows)
{
    if (!rows->is_own) {
        wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);

        findings_table_fill(rows, ((struct findings_table *)rows)->model, scope);
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
