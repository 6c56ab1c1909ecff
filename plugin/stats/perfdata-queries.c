/* perfdata-queries.c
 * -z perfdata,queries: queries of the older API
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include <epan/to_str.h>

#include "perfdata/record.h"
#include "stats/request-cells.h"

/* Columns: one row per value name queried on each handle. Only the last ones may have empty cells. */
/* clang-format off */
#define QUERIES_COLUMNS(X) \
    X(COLUMN_FRAME, STAT_COUNT("first_frame", "First frame")) \
    X(COLUMN_CLIENT, STAT_TEXT("client", "Client")) \
    X(COLUMN_SERVER, STAT_TEXT("server", "Server")) \
    X(COLUMN_VALUE, STAT_TEXT("value", "Value")) \
    X(COLUMN_ANSWERS, STAT_COUNT("answers", "Answers")) \
    X(COLUMN_BYTES, STAT_BYTES("bytes", "Bytes")) \
    X(COLUMN_LARGEST, STAT_COUNT("largest", "Largest")) \
    X(COLUMN_HANDLE, STAT_TEXT("handle", "Handle")) \
    X(COLUMN_OPENED, STAT_COUNT("opened_frame", "Opened in frame")) \
    X(COLUMN_CLOSED, STAT_COUNT("closed_frame", "Closed in frame")) \
    X(COLUMN_FAILED, STAT_COUNT("failed", "Failed")) \
    REQUESTS_COUNTS(X) \
    REQUESTS_REALS(X)
/* clang-format on */

enum { QUERIES_COLUMNS(STAT_COLUMN_NUMBER) NUM_COLUMNS };
static const struct stat_column queries_columns[NUM_COLUMNS] = { QUERIES_COLUMNS(STAT_COLUMN) };

#define WASTE_COLUMNS STAT_BITS(COLUMN_COUNTS, COLUMN_REALS - 1)

static const struct stat_view queries_views[] = {
    { .columns = STAT_BITS(COLUMN_FRAME, COLUMN_LARGEST) | STAT_BITS(COLUMN_REALS, NUM_COLUMNS - 1) },
    { .title = "Handles", .columns = STAT_BIT(COLUMN_FRAME) | STAT_BITS(COLUMN_HANDLE, COLUMN_FAILED) },
    {
        .title = "Possible savings",
        .columns = STAT_BIT(COLUMN_FRAME) | WASTE_COLUMNS,
        .needs = WASTE_COLUMNS,
    },
};

/* State that belongs to a row of the queries table. */
struct perfdata_queries_row_state {
    struct stat_requests requests; /* must be the first member */
    bool has_older;
    unsigned older;  /* number of the handle's previous row, if .has_older */
    uint32_t unread; /* bytes received so far of a sealed answer in several PDUs */
    bool is_poll;    /* true if the row's answers count as polls; false if they are those of another operation */
};

static struct perfdata_queries_row_state *
perfdata_queries_row_state(const struct stat_rows *rows, unsigned row)
{
    return (struct perfdata_queries_row_state *)stat_rows_state(rows, row);
}

/* Finds the latest row of a handle. Returns false if it has none. */
static bool
find_last_row(const struct stat_rows *rows, const struct perfdata_tap *call, const packet_info *pinfo, unsigned *row)
{
    return stat_rows_find(rows, wmem_strdup_printf(pinfo->pool, "%p", call->key), row);
}

static unsigned
find_value_row(struct stat_rows *rows, const struct perfdata_tap *call, const packet_info *pinfo)
{
    const char *value_name = call->value_name != NULL ? call->value_name : "";
    unsigned row, older = 0;
    const bool has_older = find_last_row(rows, call, pinfo, &older);

    if (stat_rows_find_or_add(rows, wmem_strdup_printf(pinfo->pool, "%p %s", call->key, value_name), &row)) {
        stat_tap_table_item_type *cells = stat_rows_cells(rows, row);

        cells[COLUMN_FRAME].value.uint_value = pinfo->num;
        stat_cell_set_text(&cells[COLUMN_CLIENT], address_to_str(pinfo->pool, &pinfo->dst));
        stat_cell_set_text(&cells[COLUMN_HANDLE], bytes_to_str(pinfo->pool, call->handle, POLICY_HANDLE_SIZE));
        stat_cell_set_short(rows, &cells[COLUMN_VALUE], value_name, WINDOW_NAME_MAX);
        perfdata_queries_row_state(rows, row)->has_older = has_older;
        perfdata_queries_row_state(rows, row)->older = older;
        stat_rows_add_key(rows, wmem_strdup_printf(pinfo->pool, "%p", call->key), row);
    }
    return row;
}

/* Returns the row of an operation, for calls whose handle is unknown: failed open calls, and sealed calls. */
static unsigned
find_operation_row(struct stat_rows *rows, const struct perfdata_tap *call, const char *handle,
    const packet_info *pinfo)
{
    const char *client =
        address_to_str(pinfo->pool, call->unread != NULL && !call->is_response ? &pinfo->src : &pinfo->dst);
    unsigned row;

    if (stat_rows_find_or_add(rows,
            wmem_strdup_printf(pinfo->pool, "%s %s %s %s", handle, call->operation, client, call->host), &row)) {
        stat_tap_table_item_type *cells = stat_rows_cells(rows, row);

        cells[COLUMN_FRAME].value.uint_value = pinfo->num;
        stat_cell_set_text(&cells[COLUMN_CLIENT], client);
        stat_cell_set_text(&cells[COLUMN_HANDLE], handle);
        stat_cell_set_text(&cells[COLUMN_VALUE], call->operation);
    }
    return row;
}

/*
 * Counts a call that was not decrypted. It is unknown whether it concerns performance data: the registry has one
 * interface for all keys.
 */
static bool
perfdata_queries_count_unread(struct stat_rows *rows, const struct perfdata_tap *call, const packet_info *pinfo)
{
    stat_tap_table_item_type *cells;
    struct perfdata_queries_row_state *state;
    unsigned row;

    stat_rows_end_with(rows, call->needed);
    row = find_operation_row(rows, call, "registry calls, sealed", pinfo);
    cells = stat_rows_cells(rows, row);
    state = perfdata_queries_row_state(rows, row);
    stat_cell_set_short(rows, &cells[COLUMN_SERVER], call->host, WINDOW_NAME_MAX);
    stat_cells_set_unknown(rows, &cells[COLUMN_FAILED], COLUMN_REALS - COLUMN_FAILED);
    request_cells_count(rows->scope, &cells[COLUMN_BYTES], &cells[COLUMN_COUNTS], &cells[COLUMN_REALS],
        &state->requests,
        &(struct call_cost){
            .frame = pinfo->num,
            .bytes = call->size,
            .response_time = call->is_response && call->is_last ? &call->response_time : NULL,
        });
    state->is_poll = call->kind == PERFDATA_QUERIES_VALUES;
    state->unread += call->is_response ? call->size : 0;
    if (call->is_response && call->is_last) {
        cells[COLUMN_ANSWERS].value.uint_value++;
        cells[COLUMN_LARGEST].value.uint_value = MAX(cells[COLUMN_LARGEST].value.uint_value, state->unread);
        state->unread = 0;
    }
    return true;
}

/* Updates the frames in which the handle was opened and closed, and the server's name, which may be learned late. */
static void
update_row(const struct stat_rows *rows, unsigned row, const struct perfdata_tap *call)
{
    stat_tap_table_item_type *cells = stat_rows_cells(rows, row);

    cells[COLUMN_OPENED].value.uint_value = call->opened_in;
    cells[COLUMN_CLOSED].value.uint_value = call->closed_in;
    stat_cell_set_short(rows, &cells[COLUMN_SERVER], call->host, WINDOW_NAME_MAX);
}

static void
update_rows(struct stat_rows *rows, const struct perfdata_tap *call, const packet_info *pinfo)
{
    const struct perfdata_queries_row_state *state;
    unsigned row;

    for (bool found = find_last_row(rows, call, pinfo, &row); found; found = state->has_older, row = state->older) {
        state = perfdata_queries_row_state(rows, row);
        update_row(rows, row, call);
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
        update_rows(rows, call, pinfo);
        return true;
    }
    row = call->key == NULL ? find_operation_row(rows, call, "not opened", pinfo) : find_value_row(rows, call, pinfo);
    cells = stat_rows_cells(rows, row);
    state = perfdata_queries_row_state(rows, row);
    state->is_poll = call->key != NULL;
    update_row(rows, row, call);
    cells[COLUMN_FAILED].value.uint_value += call->failed && !call->too_small;
    if (!call->failed) {
        cells[COLUMN_ANSWERS].value.uint_value++;
        cells[COLUMN_LARGEST].value.uint_value = MAX(cells[COLUMN_LARGEST].value.uint_value, call->size);
    }
    request_cells_count(rows->scope, &cells[COLUMN_BYTES], &cells[COLUMN_COUNTS], &cells[COLUMN_REALS],
        &state->requests,
        &(struct call_cost){
            .frame = pinfo->num,
            .bytes = call->bytes != 0 ? call->bytes : call->size,
            .too_small = call->too_small,
            .finding = call->finding,
            .response_time = &call->response_time,
            .has_interval = !call->failed && call->has_interval,
            .interval = call->interval,
        });
    return true;
}

unsigned
perfdata_queries_polls(const struct stat_rows *rows, unsigned row)
{
    const stat_tap_table_item_type *cells = stat_rows_cells(rows, row);

    return perfdata_queries_row_state(rows, row)->is_poll ? cells[COLUMN_ANSWERS].value.uint_value : 0;
}

const struct stat_kind perfdata_queries_table = {
    .name = "queries",
    .title = "Queries",
    .columns = queries_columns,
    .num_columns = NUM_COLUMNS,
    .count = perfdata_queries_queries_count,
    .renames_servers = true,
    .views = queries_views,
    .num_views = array_length(queries_views),
    .frames = STAT_BIT(COLUMN_FRAME) | STAT_BIT(COLUMN_OPENED) | STAT_BIT(COLUMN_CLOSED),
    .state_size = sizeof(struct perfdata_queries_row_state),
};
