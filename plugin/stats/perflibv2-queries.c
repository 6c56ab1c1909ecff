/* perflibv2-queries.c
 * -z perflibv2,queries: the life of each query handle
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "compat.h"

#include <epan/to_str.h>
#include <wsutil/str_util.h>

#include "perflibv2/record.h"
#include "stats/asking-cells.h"
#include "stats/connections.h"
#include "stats/rows.h"

/* Where there is no mean tshark ends the line: so these are the last. */
enum queries_column {
    COLUMN_FRAME,
    COLUMN_HANDLE,
    COLUMN_SERVER,
    COLUMN_OPENED,
    COLUMN_CLOSED,
    COLUMN_ADDED,
    COLUMN_REFUSED,
    COLUMN_REMOVED,
    COLUMN_POLLS,
    COLUMN_BYTES,
    COLUMN_PROBES,
    COLUMN_FAULTS,
    COLUMN_STATE,
    COLUMN_TOO_SMALL,
    COLUMN_WASTED,
    COLUMN_LATE,
    COLUMN_OVERLAP,
    COLUMN_TWICE,
    COLUMN_OTHER,
    COLUMN_RESPONSE,
    COLUMN_INTERVAL,
    NUM_COLUMNS
};

static stat_tap_table_item queries_columns[NUM_COLUMNS] = {
    [COLUMN_FRAME] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "First frame", "%11u" },
    [COLUMN_HANDLE] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Handle", "%-36s" },
    [COLUMN_SERVER] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Server", "%-16s" },
    [COLUMN_OPENED] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Opened", "%6u" },
    [COLUMN_CLOSED] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Closed", "%6u" },
    [COLUMN_ADDED] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Added", "%5u" },
    [COLUMN_REFUSED] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Refused", "%7u" },
    [COLUMN_REMOVED] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Removed", "%7u" },
    [COLUMN_POLLS] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Polls", "%5u" },
    [COLUMN_BYTES] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Bytes", "%10u" },
    [COLUMN_PROBES] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Size probes", "%11u" },
    [COLUMN_FAULTS] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Faults", "%6u" },
    [COLUMN_STATE] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "State", "%-48s" },
    [COLUMN_TOO_SMALL] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Too small", "%9u" },
    [COLUMN_WASTED] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Wasted %", "%8u" },
    [COLUMN_LATE] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Late", "%4u" },
    [COLUMN_OVERLAP] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Overlap", "%7u" },
    [COLUMN_TWICE] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Twice", "%5u" },
    [COLUMN_OTHER] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Other host", "%10u" },
    [COLUMN_RESPONSE] = { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Response ms", "%11.3f" },
    [COLUMN_INTERVAL] = { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Interval s", "%10.3f" },
};

/* Kept beside a row. */
struct perflibv2_queries_row_state {
    struct stat_mean interval, response;
    struct stat_asking asking;
    struct perflibv2_tap_query query; /* as it was known last */
    bool was_answered;                /* by anything but a fault */
    unsigned unread;                  /* calls that were not read: then it is a row of an operation */
    bool has_connection;
    uint32_t connection; /* its latest call's */
};

struct queries_table {
    struct stat_rows rows; /* first */
    struct connections *connections;
    GHashTable *rows_of_connections; /* connection -> GArray of rows, until it ends */
    GHashTable *rows_of_operations;  /* of calls that were not read: "operation server" -> row + 1 */
};

static struct perflibv2_queries_row_state *
perflibv2_queries_row_state(const struct stat_rows *rows, unsigned row)
{
    return (struct perflibv2_queries_row_state *)stat_rows_state(rows, row);
}

/* A handle is leaked where its connection ended before it was closed; where the capture ended, nobody knows. */
static void
show_state(const struct queries_table *table, unsigned row)
{
    const struct stat_rows *rows = &table->rows;
    const struct perflibv2_queries_row_state *state = perflibv2_queries_row_state(rows, row);
    const bool is_opened = state->query.opened_in != 0;
    const char *text;

    if (!state->was_answered) {
        text = "answered by faults only";
    } else if (state->query.closed_in != 0) {
        text = is_opened ? "closed" : "closed, not opened in the capture";
    } else if (state->has_connection && connections_has_ended(table->connections, state->connection)) {
        text = is_opened ? "leaked: its connection ended" : "leaked, not opened in the capture";
    } else {
        text = is_opened ? "still open at the end" : "not opened in the capture, still open at the end";
    }
    stat_cell_set_text(&stat_rows_cells(rows, row)[COLUMN_STATE], text);
}

static void
perflibv2_queries_connection_ended(uint32_t connection, void *data)
{
    const struct queries_table *table = (const struct queries_table *)data;
    const GArray *list = (const GArray *)g_hash_table_lookup(table->rows_of_connections, GUINT_TO_POINTER(connection));

    for (unsigned i = 0; list != NULL && i < list->len; i++) {
        show_state(table, g_array_index(list, unsigned, i));
    }
    g_hash_table_remove(table->rows_of_connections, GUINT_TO_POINTER(connection));
}

static void
free_list(void *list)
{
    g_array_free((GArray *)list, TRUE);
}

/* Only who looks at the table watches TCP. */
static void
queries_begin(struct stat_rows *rows)
{
    struct queries_table *table = (struct queries_table *)rows;

    if (table->rows_of_connections == NULL) {
        table->rows_of_connections = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, free_list);
        table->rows_of_operations = g_hash_table_new_full(wmem_str_hash, g_str_equal, g_free, NULL);
        table->connections = connections_new(perflibv2_queries_connection_ended, table);
    }
    g_hash_table_remove_all(table->rows_of_operations);
    if (table->connections != NULL) {
        connections_clear(table->connections);
    }
    g_hash_table_remove_all(table->rows_of_connections);
}

/* Notes the connection of a query's latest call. */
static void
note_connection(const struct queries_table *table, unsigned row, const packet_info *pinfo)
{
    struct perflibv2_queries_row_state *state = perflibv2_queries_row_state(&table->rows, row);
    uint32_t connection;
    GArray *list;

    if (table->connections == NULL || !connections_find(table->connections, pinfo, &connection) ||
        (state->has_connection && state->connection == connection)) {
        return;
    }
    state->has_connection = true;
    state->connection = connection;
    if (connections_has_ended(table->connections, connection)) {
        return;
    }
    list = (GArray *)g_hash_table_lookup(table->rows_of_connections, GUINT_TO_POINTER(connection));
    if (list == NULL) {
        list = g_array_new(FALSE, FALSE, sizeof row);
        g_hash_table_insert(table->rows_of_connections, GUINT_TO_POINTER(connection), list);
    }
    g_array_append_val(list, row);
}

static unsigned
perflibv2_queries_find_row(struct stat_rows *rows, const struct perflibv2_tap_query *query, const packet_info *pinfo)
{
    stat_tap_table_item_type cells[NUM_COLUMNS];
    unsigned row;

    if (stat_rows_find(rows, query->id, &row)) {
        return row;
    }
    stat_cells_init(rows, cells);
    cells[COLUMN_FRAME].value.uint_value = query->opened_in != 0 ? query->opened_in : pinfo->num;
    stat_cell_set_text(&cells[COLUMN_HANDLE], guid_to_str(pinfo->pool, &query->handle));
    return stat_rows_add(rows, (void *)query->id, cells);
}

/* Calls that were not read are on handles that nobody knows: a row for each operation of a server. */
static unsigned
find_unread_row(struct queries_table *table, const struct perflibv2_tap *call, wmem_allocator_t *scope)
{
    struct stat_rows *rows = &table->rows;
    char *key = g_strdup_printf("%s %s", call->operation, call->query.host);
    const unsigned known = GPOINTER_TO_UINT(g_hash_table_lookup(table->rows_of_operations, key));
    stat_tap_table_item_type cells[NUM_COLUMNS];
    unsigned row;

    if (known != 0) {
        g_free(key);
        return known - 1;
    }
    stat_cells_init(rows, cells);
    stat_cell_set_text(&cells[COLUMN_HANDLE], wmem_strdup_printf(scope, "sealed: %s", call->operation));
    stat_cell_set_text(&cells[COLUMN_SERVER], call->query.host);
    /* Keys of rows are pointers; this one is no query's. */
    row = stat_rows_add(rows, key, cells);
    g_hash_table_insert(table->rows_of_operations, key, GUINT_TO_POINTER(row + 1));
    return row;
}

static bool
perflibv2_queries_count_unread(struct stat_rows *rows, const struct perflibv2_tap *call, wmem_allocator_t *scope)
{
    stat_tap_table_item_type *cells;
    struct perflibv2_queries_row_state *state;
    unsigned row;

    stat_rows_end_with(rows, call->needed);
    if (!call->is_response) {
        return call->needed != NULL;
    }
    row = find_unread_row((struct queries_table *)rows, call, scope);
    cells = stat_rows_cells(rows, row);
    state = perflibv2_queries_row_state(rows, row);
    cells[COLUMN_BYTES].value.uint_value += call->size;
    if (call->is_last) {
        state->unread++;
        cells[COLUMN_POLLS].value.uint_value += call->is_poll;
        stat_cell_set_text(&cells[COLUMN_STATE],
            wmem_strdup_printf(scope, "%u call%s sealed and not read", state->unread,
                plurality(state->unread, "", "s")));
        if (!nstime_is_zero(&call->response_time)) {
            stat_cell_add_to_mean(rows, cells, COLUMN_RESPONSE, &state->response, nstime_to_msec(&call->response_time));
        }
    }
    return true;
}

static bool
perflibv2_queries_queries_count(struct stat_rows *rows, const packet_info *pinfo, const void *tapped)
{
    const struct queries_table *table = (const struct queries_table *)rows;
    const struct perflibv2_tap *call = (const struct perflibv2_tap *)tapped;
    stat_tap_table_item_type *cells;
    struct perflibv2_queries_row_state *state;
    unsigned row;

    if (call->unread != NULL) {
        return perflibv2_queries_count_unread(rows, call, pinfo->pool);
    }
    if (!call->is_response || call->query.id == NULL) {
        return false;
    }
    row = perflibv2_queries_find_row(rows, &call->query, pinfo);
    cells = stat_rows_cells(rows, row);
    state = perflibv2_queries_row_state(rows, row);
    state->query = call->query;
    state->was_answered = state->was_answered || !call->is_fault;
    note_connection(table, row, pinfo);
    /* The server's name, too, may become known later. */
    stat_cell_set_text(&cells[COLUMN_SERVER], call->query.host);
    cells[COLUMN_OPENED].value.uint_value = call->query.opened_in;
    cells[COLUMN_CLOSED].value.uint_value = call->query.closed_in;
    show_state(table, row);
    cells[COLUMN_PROBES].value.uint_value += call->is_size_probe;
    cells[COLUMN_FAULTS].value.uint_value += call->is_fault;
    cells[COLUMN_TOO_SMALL].value.uint_value += call->too_small && !call->is_size_probe;
    asking_cells_count(&(struct asking_cells){ &cells[COLUMN_WASTED], &cells[COLUMN_LATE], &cells[COLUMN_OVERLAP] },
        &state->asking, call->bytes, call->too_small, call->asking);
    cells[COLUMN_TWICE].value.uint_value += call->shared;
    cells[COLUMN_OTHER].value.uint_value += call->names_other;
    if (call->is_change) {
        cells[COLUMN_REFUSED].value.uint_value += call->refused;
        cells[call->add ? COLUMN_ADDED : COLUMN_REMOVED].value.uint_value += call->identifiers - call->refused;
    }
    if (call->is_poll) {
        cells[COLUMN_POLLS].value.uint_value++;
        cells[COLUMN_BYTES].value.uint_value += call->size;
        if (call->has_interval) {
            stat_cell_add_to_mean(rows, cells, COLUMN_INTERVAL, &state->interval, call->interval);
        }
        stat_cell_add_to_mean(rows, cells, COLUMN_RESPONSE, &state->response, nstime_to_msec(&call->response_time));
    }
    return true;
}

struct stat_rows *
perflibv2_queries_new(void)
{
    struct queries_table *table = wmem_new(wmem_epan_scope(), struct queries_table);

    *table = (struct queries_table){
        .rows = {
            .ui = {
                .title = "PerflibV2 Queries",
                .tap_name = "perflibv2",
                .cli_string = "perflibv2,queries",
                .nfields = NUM_COLUMNS,
                .fields = queries_columns,
            },
            .count = perflibv2_queries_queries_count,
            .begin = queries_begin,
            .owned = 1u << COLUMN_HANDLE | 1u << COLUMN_SERVER | 1u << COLUMN_STATE,
            .state_size = sizeof(struct perflibv2_queries_row_state),
            .hash = g_direct_hash, /* keys are queries */
        },
    };
    return &table->rows;
}
