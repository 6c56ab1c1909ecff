/* pla-sets.c
 * -z pla,sets: data collector sets
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include <string.h>

#include <epan/to_str.h>

#include "base/win32-names.h"
#include "pla/record.h"

enum sets_column { COLUMN_NAME, COLUMN_SERVER, COLUMN_CALLS, COLUMN_FAILED, COLUMN_STATUS, COLUMN_ERROR, NUM_COLUMNS };

static const struct stat_column sets_columns[NUM_COLUMNS] = {
    [COLUMN_NAME] = STAT_TEXT("set", "Data collector set"),
    [COLUMN_SERVER] = STAT_TEXT("server", "Server"),
    [COLUMN_CALLS] = STAT_COUNT("calls", "Calls"),
    [COLUMN_FAILED] = STAT_COUNT("failed", "Failed"),
    [COLUMN_STATUS] = STAT_TEXT("last_status", "Last status"),
    [COLUMN_ERROR] = STAT_TEXT("last_error", "Last error"),
};

#define UNNAMED "(name not in the capture)"

/*
 * Returns the row of a set, found by its name or, while that is unknown, by its object. A failed Query or Commit is
 * about the set that it names, and not about the one in the object.
 */
static unsigned
pla_sets_find_row(struct stat_rows *rows, const struct pla_tap *call, wmem_allocator_t *scope)
{
    const char *by_object = wmem_strdup_printf(scope, "%p", call->set);
    const char *name = call->asked_name != NULL ? call->asked_name : call->set_name;
    char *folded = name == NULL ? NULL : g_utf8_casefold(name, -1);
    const char *by_name = name == NULL ? NULL : wmem_strdup_printf(scope, "%s %s", call->server, folded);
    stat_tap_table_item_type *cells;
    unsigned row;

    g_free(folded);
    if (by_name != NULL && stat_rows_find(rows, by_name, &row)) {
        return row;
    }
    if (call->asked_name == NULL && stat_rows_find(rows, by_object, &row)) {
        if (by_name != NULL) {
            stat_cell_set_text(&stat_rows_cells(rows, row)[COLUMN_NAME], call->set_name);
            stat_rows_add_key(rows, by_name, row);
            stat_rows_remove_key(rows, by_object);
        }
        return row;
    }
    row = stat_rows_add(rows, NULL, by_name != NULL ? by_name : by_object);
    cells = stat_rows_cells(rows, row);
    stat_cell_set_text(&cells[COLUMN_NAME], name != NULL ? name : UNNAMED);
    stat_cell_set_text(&cells[COLUMN_SERVER], call->server);
    return row;
}

const char *
pla_sets_error_text(wmem_allocator_t *scope, const struct pla_set_error *error)
{
    const char *name = hresult_name(scope, error->hresult);

    return wmem_strdup_printf(scope, "%s (%s, frame %u)",
        name != NULL ? name : wmem_strdup_printf(scope, "0x%08x", error->hresult), error->method_name, error->frame);
}

/* Counts a call that returned an error to a client. Returns the entry. */
static const struct pla_set_error *
count_error(struct stat_rows *rows, unsigned row, const struct pla_tap *call, const char *client, uint32_t frame)
{
    struct pla_set_error *errors = (struct pla_set_error *)stat_rows_state(rows, row);
    unsigned i = 0;

    while (i < MOST_SET_ERRORS && errors[i].count != 0 &&
        (errors[i].hresult != call->hresult || strcmp(errors[i].client, client) != 0)) {
        i++;
    }
    if (errors[i].count++ == 0 && i < MOST_SET_ERRORS) {
        errors[i].client = wmem_strdup(rows->scope, client);
    }
    errors[i].hresult = call->hresult;
    errors[i].method_name = call->method_name;
    errors[i].frame = frame;
    return &errors[i];
}

static bool
sets_count(struct stat_rows *rows, const packet_info *pinfo, const void *tapped)
{
    const struct pla_tap *call = (const struct pla_tap *)tapped;
    stat_tap_table_item_type *cells;
    unsigned row;

    if (stat_rows_end_with(rows, call->needed)) {
        return true;
    }
    /* Only the response shows the outcome, and a name that the call returned. */
    if (!call->is_response || call->set == NULL) {
        return false;
    }
    row = pla_sets_find_row(rows, call, pinfo->pool);
    cells = stat_rows_cells(rows, row);
    cells[COLUMN_CALLS].value.uint_value++;
    if (call->status != NULL) {
        stat_cell_set_text(&cells[COLUMN_STATUS], call->status);
    }
    if (call->is_fault || (call->has_hresult && (call->hresult & 0x80000000) != 0)) {
        const char *client = address_to_str(pinfo->pool, &pinfo->dst);

        cells[COLUMN_FAILED].value.uint_value++;
        stat_cell_set_text(&cells[COLUMN_ERROR],
            call->is_fault
                ? wmem_strdup_printf(pinfo->pool, "%s (%s, frame %u)", call->fault_text, call->method_name, pinfo->num)
                : pla_sets_error_text(pinfo->pool, count_error(rows, row, call, client, pinfo->num)));
    }
    return true;
}

const struct pla_set_error *
pla_sets_errors(const struct stat_rows *rows, unsigned row)
{
    return (const struct pla_set_error *)stat_rows_state(rows, row);
}

const struct stat_kind pla_sets_table = {
    .name = "sets",
    .title = "Data Collector Sets",
    .columns = sets_columns,
    .num_columns = NUM_COLUMNS,
    .count = sets_count,
    .state_size = (MOST_SET_ERRORS + 1) * sizeof(struct pla_set_error),
};
