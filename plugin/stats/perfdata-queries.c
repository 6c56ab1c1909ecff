/* perfdata-queries.c
 * -z perfdata,queries: what was asked of the older API
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "compat.h"

#include <epan/to_str.h>

#include "perfdata/record.h"
#include "stats/asking-cells.h"
#include "stats/rows.h"

/* A row for each value asked of each handle. Where there is no interval tshark ends the line: so that is the last. */
enum queries_column {
    COLUMN_FRAME,
    COLUMN_HANDLE,
    COLUMN_SERVER,
    COLUMN_VALUE,
    COLUMN_OPENED,
    COLUMN_CLOSED,
    COLUMN_ANSWERS,
    COLUMN_TOO_SMALL,
    COLUMN_FAILED,
    COLUMN_BYTES,
    COLUMN_LARGEST,
    COLUMN_WASTED,
    COLUMN_LATE,
    COLUMN_OVERLAP,
    COLUMN_TWICE,
    COLUMN_RESPONSE,
    COLUMN_INTERVAL,
    NUM_COLUMNS
};

static stat_tap_table_item queries_columns[NUM_COLUMNS] = {
    [COLUMN_FRAME] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "First frame", "%11u" },
    [COLUMN_HANDLE] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Handle", "%-40s" },
    [COLUMN_SERVER] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Server", "%-16s" },
    [COLUMN_VALUE] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Value", "%-20s" },
    [COLUMN_OPENED] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Opened", "%6u" },
    [COLUMN_CLOSED] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Closed", "%6u" },
    [COLUMN_ANSWERS] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Answers", "%7u" },
    [COLUMN_TOO_SMALL] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Too small", "%9u" },
    [COLUMN_FAILED] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Failed", "%6u" },
    [COLUMN_BYTES] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Bytes", "%10u" },
    [COLUMN_LARGEST] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Largest", "%10u" },
    [COLUMN_WASTED] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Wasted %", "%8u" },
    [COLUMN_LATE] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Late", "%4u" },
    [COLUMN_OVERLAP] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Overlap", "%7u" },
    [COLUMN_TWICE] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Twice", "%5u" },
    [COLUMN_RESPONSE] = { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Response ms", "%11.3f" },
    [COLUMN_INTERVAL] = { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Interval s", "%10.3f" },
};

/* What tells a row from the others. Without a value name: the last row of a handle. */
struct row_id {
    const void *key; /* NULL: of no handle, but of an operation and a server, which the value name says */
    const char *value_name;
    char *made; /* the same where it is ours to free; else NULL */
};

/* Kept beside a row. */
struct perfdata_queries_row_state {
    struct stat_mean interval, response;
    struct stat_asking asking;
    bool has_older;
    unsigned older;  /* the row of the same handle made before */
    uint32_t unread; /* bytes of an answer that was not read, so far */
};

static guint
row_id_hash(const void *p)
{
    const struct row_id *id = (const struct row_id *)p;

    return g_direct_hash(id->key) ^ (id->value_name == NULL ? 0 : wmem_str_hash(id->value_name));
}

static gboolean
row_id_equal(const void *a, const void *b)
{
    const struct row_id *x = (const struct row_id *)a;
    const struct row_id *y = (const struct row_id *)b;

    return x->key == y->key && g_strcmp0(x->value_name, y->value_name) == 0;
}

static struct perfdata_queries_row_state *
perfdata_queries_row_state(const struct stat_rows *rows, unsigned row)
{
    return (struct perfdata_queries_row_state *)stat_rows_state(rows, row);
}

static struct row_id *
new_row_id(const void *key, const char *value_name)
{
    struct row_id *id = g_new(struct row_id, 1);

    *id = (struct row_id){ key, value_name, NULL };
    return id;
}

static void
free_row_id(void *p)
{
    struct row_id *id = (struct row_id *)p;

    g_free(id->made);
    g_free(id);
}

static unsigned
perfdata_queries_find_row(struct stat_rows *rows, const struct perfdata_tap *call, const packet_info *pinfo)
{
    const char *value_name = call->value_name != NULL ? call->value_name : "";
    const struct row_id id = { call->key, value_name, NULL }, last = { call->key, NULL, NULL };
    stat_tap_table_item_type cells[NUM_COLUMNS];
    unsigned row, older = 0;
    bool has_older;

    if (stat_rows_find(rows, &id, &row)) {
        return row;
    }
    stat_cells_init(rows, cells);
    cells[COLUMN_FRAME].value.uint_value = pinfo->num;
    stat_cell_set_text(&cells[COLUMN_HANDLE], bytes_to_str(pinfo->pool, call->handle, POLICY_HANDLE_SIZE));
    stat_cell_set_text(&cells[COLUMN_VALUE], value_name);
    has_older = stat_rows_find(rows, &last, &older);
    row = stat_rows_add(rows, new_row_id(call->key, value_name), cells);
    perfdata_queries_row_state(rows, row)->has_older = has_older;
    perfdata_queries_row_state(rows, row)->older = older;
    stat_rows_add_key(rows, new_row_id(call->key, NULL), row);
    return row;
}

/* Finds the row of calls on no handle that is known: those that were to open one and failed, and those not read. */
static unsigned
find_operation_row(struct stat_rows *rows, const struct perfdata_tap *call, const char *handle,
    const packet_info *pinfo)
{
    const struct row_id id = {
        NULL,
        wmem_strdup_printf(pinfo->pool, "%s %s %s", handle, call->operation, call->host),
        NULL,
    };
    stat_tap_table_item_type cells[NUM_COLUMNS];
    struct row_id *kept;
    unsigned row;

    if (stat_rows_find(rows, &id, &row)) {
        return row;
    }
    stat_cells_init(rows, cells);
    cells[COLUMN_FRAME].value.uint_value = pinfo->num;
    stat_cell_set_text(&cells[COLUMN_HANDLE], handle);
    stat_cell_set_text(&cells[COLUMN_VALUE], call->operation);
    kept = new_row_id(NULL, NULL);
    kept->value_name = kept->made = g_strdup(id.value_name);
    return stat_rows_add(rows, kept, cells);
}

/* Such may be about performance data, or not: the registry has one interface for all. */
static bool
perfdata_queries_count_unread(struct stat_rows *rows, const struct perfdata_tap *call, const packet_info *pinfo)
{
    stat_tap_table_item_type *cells;
    struct perfdata_queries_row_state *state;
    unsigned row;

    stat_rows_end_with(rows, call->needed);
    if (!call->is_response) {
        return call->needed != NULL;
    }
    row = find_operation_row(rows, call, "registry calls, sealed", pinfo);
    cells = stat_rows_cells(rows, row);
    state = perfdata_queries_row_state(rows, row);
    stat_cell_set_text(&cells[COLUMN_SERVER], call->host);
    cells[COLUMN_BYTES].value.uint_value += call->size;
    state->unread += call->size;
    if (call->is_last) {
        cells[COLUMN_ANSWERS].value.uint_value++;
        cells[COLUMN_LARGEST].value.uint_value = MAX(cells[COLUMN_LARGEST].value.uint_value, state->unread);
        state->unread = 0;
        if (!nstime_is_zero(&call->response_time)) {
            stat_cell_add_to_mean(rows, cells, COLUMN_RESPONSE, &state->response, nstime_to_msec(&call->response_time));
        }
    }
    return true;
}

/* What may become known, or change, after a row was made. */
static void
update_row(stat_tap_table_item_type *cells, const struct perfdata_tap *call)
{
    cells[COLUMN_OPENED].value.uint_value = call->opened_in;
    cells[COLUMN_CLOSED].value.uint_value = call->closed_in;
    stat_cell_set_text(&cells[COLUMN_SERVER], call->host);
}

static void
update_rows(struct stat_rows *rows, const struct perfdata_tap *call)
{
    const struct row_id last = { call->key, NULL, NULL };
    const struct perfdata_queries_row_state *state;
    unsigned row;

    for (bool found = stat_rows_find(rows, &last, &row); found; found = state->has_older, row = state->older) {
        state = perfdata_queries_row_state(rows, row);
        update_row(stat_rows_cells(rows, row), call);
    }
}

static bool
perfdata_queries_queries_count(struct stat_rows *rows, const packet_info *pinfo, const void *tapped)
{
    const struct perfdata_tap *call = (const struct perfdata_tap *)tapped;
    stat_tap_table_item_type *cells;
    struct perfdata_queries_row_state *state;
    unsigned row;

    if (call->unread != NULL) {
        return perfdata_queries_count_unread(rows, call, pinfo);
    }
    if (call->is_close) {
        update_rows(rows, call);
        return true;
    }
    row = call->key == NULL ? find_operation_row(rows, call, "not opened", pinfo)
                            : perfdata_queries_find_row(rows, call, pinfo);
    cells = stat_rows_cells(rows, row);
    state = perfdata_queries_row_state(rows, row);
    update_row(cells, call);
    if (call->failed) {
        cells[call->too_small ? COLUMN_TOO_SMALL : COLUMN_FAILED].value.uint_value++;
    } else {
        cells[COLUMN_ANSWERS].value.uint_value++;
        cells[COLUMN_BYTES].value.uint_value += call->size;
        cells[COLUMN_LARGEST].value.uint_value = MAX(cells[COLUMN_LARGEST].value.uint_value, call->size);
        if (call->has_interval) {
            stat_cell_add_to_mean(rows, cells, COLUMN_INTERVAL, &state->interval, call->interval);
        }
    }
    asking_cells_count(&(struct asking_cells){ &cells[COLUMN_WASTED], &cells[COLUMN_LATE], &cells[COLUMN_OVERLAP] },
        &state->asking, call->bytes, call->too_small, call->asking);
    cells[COLUMN_TWICE].value.uint_value += call->is_twice;
    stat_cell_add_to_mean(rows, cells, COLUMN_RESPONSE, &state->response, nstime_to_msec(&call->response_time));
    return true;
}

struct stat_rows *
perfdata_queries_new(void)
{
    struct stat_rows *rows = wmem_new(wmem_epan_scope(), struct stat_rows);

    *rows = (struct stat_rows){
        .ui = {
            .title = "PerfData Queries",
            .tap_name = "perfdata",
            .cli_string = "perfdata,queries",
            .nfields = NUM_COLUMNS,
            .fields = queries_columns,
        },
        .count = perfdata_queries_queries_count,
        .owned = 1u << COLUMN_HANDLE | 1u << COLUMN_SERVER | 1u << COLUMN_VALUE,
        .state_size = sizeof(struct perfdata_queries_row_state),
        .hash = row_id_hash,
        .equal = row_id_equal,
        .free_key = free_row_id,
    };
    return rows;
}
