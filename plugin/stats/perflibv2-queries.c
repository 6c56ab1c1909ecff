/* perflibv2-queries.c
 * -z perflibv2,queries: the life of each query handle
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include <epan/to_str.h>
#include <wsutil/str_util.h>

#include "perflibv2/record.h"
#include "stats/asking-cells.h"
#include "stats/connections.h"
#include "stats/rows.h"

/* Those without a value for some rows are the last. */
enum queries_column {
    COLUMN_FRAME,
    COLUMN_CLIENT,
    COLUMN_SERVER,
    COLUMN_HANDLE,
    COLUMN_POLLS,
    COLUMN_BYTES,
    COLUMN_STATE,
    COLUMN_OPENED,
    COLUMN_CLOSED,
    COLUMN_ADDED,
    COLUMN_REFUSED,
    COLUMN_REMOVED,
    COLUMN_FAULTS,
    COLUMN_PROBES,
    COLUMN_TOO_SMALL,
    COLUMN_WASTED,
    COLUMN_LATE,
    COLUMN_OVERLAP,
    COLUMN_TWICE,
    COLUMN_OTHER,
    COLUMN_RESPONSE,
    COLUMN_MEDIAN,
    COLUMN_LONGEST,
    NUM_COLUMNS
};

static stat_tap_table_item queries_columns[NUM_COLUMNS] = {
    [COLUMN_FRAME] = STAT_COUNT("First frame"),
    [COLUMN_CLIENT] = STAT_TEXT("Client"),
    [COLUMN_SERVER] = STAT_TEXT("Server"),
    [COLUMN_HANDLE] = STAT_TEXT("Handle"),
    [COLUMN_POLLS] = STAT_COUNT("Polls"),
    [COLUMN_BYTES] = STAT_COUNT("Bytes"),
    [COLUMN_STATE] = STAT_TEXT("State"),
    [COLUMN_OPENED] = STAT_COUNT("Opened in frame"),
    [COLUMN_CLOSED] = STAT_COUNT("Closed in frame"),
    [COLUMN_ADDED] = STAT_COUNT("Added"),
    [COLUMN_REFUSED] = STAT_COUNT("Refused"),
    [COLUMN_REMOVED] = STAT_COUNT("Removed"),
    [COLUMN_FAULTS] = STAT_COUNT("Faults"),
    [COLUMN_PROBES] = STAT_COUNT("Size probes"),
    [COLUMN_TOO_SMALL] = STAT_COUNT("Too small"),
    [COLUMN_WASTED] = STAT_COUNT("Wasted %"),
    [COLUMN_LATE] = STAT_COUNT("Late"),
    [COLUMN_OVERLAP] = STAT_COUNT("Overlap"),
    [COLUMN_TWICE] = STAT_COUNT("Twice"),
    [COLUMN_OTHER] = STAT_COUNT("Other host"),
    [COLUMN_RESPONSE] = STAT_REAL("Response ms", 3),
    [COLUMN_MEDIAN] = STAT_REAL("Median s", 3),
    [COLUMN_LONGEST] = STAT_REAL("Longest s", 3),
};

#define WASTE_COLUMNS \
    (STAT_BIT(COLUMN_PROBES) | STAT_BIT(COLUMN_TOO_SMALL) | STAT_BIT(COLUMN_WASTED) | STAT_BIT(COLUMN_LATE) | \
        STAT_BIT(COLUMN_OVERLAP) | STAT_BIT(COLUMN_TWICE) | STAT_BIT(COLUMN_OTHER))

static bool
perflibv2_queries_wastes(const struct stat_rows *rows, unsigned row)
{
    return stat_cells_count(rows, row, WASTE_COLUMNS);
}

/* Not so calls that were not read. */
static bool
has_handle(const struct stat_rows *rows, unsigned row)
{
    return stat_rows_cells(rows, row)[COLUMN_HANDLE].value.string_value[0] != '\0';
}

static const struct stat_view queries_views[] = {
    {
        .columns = STAT_BIT(COLUMN_FRAME) | STAT_BIT(COLUMN_CLIENT) | STAT_BIT(COLUMN_SERVER) | STAT_BIT(COLUMN_POLLS) |
            STAT_BIT(COLUMN_BYTES) | STAT_BIT(COLUMN_STATE) | STAT_BIT(COLUMN_RESPONSE) | STAT_BIT(COLUMN_MEDIAN) |
            STAT_BIT(COLUMN_LONGEST),
    },
    {
        .title = "Handles",
        .shows = has_handle,
        .columns = STAT_BIT(COLUMN_FRAME) | STAT_BIT(COLUMN_HANDLE) | STAT_BIT(COLUMN_OPENED) |
            STAT_BIT(COLUMN_CLOSED) | STAT_BIT(COLUMN_ADDED) | STAT_BIT(COLUMN_REFUSED) | STAT_BIT(COLUMN_REMOVED) |
            STAT_BIT(COLUMN_FAULTS),
    },
    {
        .title = "What a client could spare",
        .columns = STAT_BIT(COLUMN_FRAME) | WASTE_COLUMNS,
        .shows = perflibv2_queries_wastes,
    },
};

static const struct asking_columns asking_columns = {
    COLUMN_BYTES,
    COLUMN_WASTED,
    COLUMN_LATE,
    COLUMN_OVERLAP,
    COLUMN_RESPONSE,
    COLUMN_MEDIAN,
    COLUMN_LONGEST,
};

/* Kept beside a row. */
struct perflibv2_queries_row_state {
    struct stat_asking asking;        /* first: asking_free_state() */
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
    GHashTable *rows_of_operations;  /* of calls that were not read: "operation client server" -> row + 1 */
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
    stat_cell_set_text(&cells[COLUMN_CLIENT], address_to_str(pinfo->pool, &pinfo->dst));
    stat_cell_set_text(&cells[COLUMN_HANDLE], guid_to_str(pinfo->pool, &query->handle));
    return stat_rows_add(rows, (void *)query->id, cells);
}

/* Calls that were not read are on handles that nobody knows: a row for each client, server and operation. */
static unsigned
find_unread_row(struct queries_table *table, const struct perflibv2_tap *call, const packet_info *pinfo)
{
    struct stat_rows *rows = &table->rows;
    const char *client = address_to_str(pinfo->pool, call->is_response ? &pinfo->dst : &pinfo->src);
    char *key = g_strdup_printf("%s %s %s", call->operation, client, call->query.host);
    const unsigned known = GPOINTER_TO_UINT(g_hash_table_lookup(table->rows_of_operations, key));
    stat_tap_table_item_type cells[NUM_COLUMNS];
    unsigned row;

    if (known != 0) {
        g_free(key);
        return known - 1;
    }
    stat_cells_init(rows, cells);
    cells[COLUMN_FRAME].value.uint_value = pinfo->num;
    stat_cell_set_text(&cells[COLUMN_CLIENT], client);
    stat_cell_set_text(&cells[COLUMN_SERVER], call->query.host);
    /* Keys of rows are pointers; this one is no query's. */
    row = stat_rows_add(rows, key, cells);
    g_hash_table_insert(table->rows_of_operations, key, GUINT_TO_POINTER(row + 1));
    return row;
}

static bool
perflibv2_queries_count_unread(struct stat_rows *rows, const struct perflibv2_tap *call, const packet_info *pinfo)
{
    const nstime_t unknown = NSTIME_INIT_ZERO;
    const bool is_answered = call->is_response && call->is_last;
    const unsigned row = find_unread_row((struct queries_table *)rows, call, pinfo);
    stat_tap_table_item_type *cells = stat_rows_cells(rows, row);
    struct perflibv2_queries_row_state *state = perflibv2_queries_row_state(rows, row);

    stat_rows_end_with(rows, call->needed);
    asking_cells_count(cells, &asking_columns, &state->asking,
        &(struct asking_call){
            .bytes = call->size,
            .response_time = is_answered ? &call->response_time : &unknown,
        });
    state->unread += is_answered;
    cells[COLUMN_POLLS].value.uint_value += is_answered && call->is_poll;
    stat_cell_set_text(&cells[COLUMN_STATE],
        wmem_strdup_printf(pinfo->pool, "sealed: %s, %u answer%s not read", call->operation, state->unread,
            plurality(state->unread, "", "s")));
    return true;
}

static bool
perflibv2_queries_queries_count(struct stat_rows *rows, const packet_info *pinfo, const void *tapped)
{
    const struct queries_table *table = (const struct queries_table *)rows;
    const struct perflibv2_tap *call = (const struct perflibv2_tap *)tapped;
    const nstime_t unknown = NSTIME_INIT_ZERO;
    stat_tap_table_item_type *cells;
    struct perflibv2_queries_row_state *state;
    unsigned row;

    if (call->unread != NULL) {
        return perflibv2_queries_count_unread(rows, call, pinfo);
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
    asking_cells_count(cells, &asking_columns, &state->asking,
        &(struct asking_call){
            .bytes = call->bytes,
            .too_small = call->too_small,
            .finding = call->asking,
            .response_time = call->is_fault ? &unknown : &call->response_time,
            .has_interval = call->has_interval,
            .interval = call->interval,
        });
    cells[COLUMN_TWICE].value.uint_value += call->shared;
    cells[COLUMN_OTHER].value.uint_value += call->names_other;
    if (call->is_change) {
        cells[COLUMN_REFUSED].value.uint_value += call->refused;
        cells[call->add ? COLUMN_ADDED : COLUMN_REMOVED].value.uint_value += call->identifiers - call->refused;
    }
    cells[COLUMN_POLLS].value.uint_value += call->is_poll;
    return true;
}

const struct stat_kind perflibv2_queries_table = {
    .name = "queries",
    .title = "Queries",
    .columns = queries_columns,
    .num_columns = NUM_COLUMNS,
    .count = perflibv2_queries_queries_count,
    .begin = queries_begin,
    .views = queries_views,
    .num_views = array_length(queries_views),
    .frames = STAT_BIT(COLUMN_FRAME) | STAT_BIT(COLUMN_OPENED) | STAT_BIT(COLUMN_CLOSED),
    .owned = STAT_BIT(COLUMN_CLIENT) | STAT_BIT(COLUMN_SERVER) | STAT_BIT(COLUMN_HANDLE) | STAT_BIT(COLUMN_STATE),
    .size = sizeof(struct queries_table),
    .state_size = sizeof(struct perflibv2_queries_row_state),
    .free_state = asking_free_state,
    .hash = g_direct_hash, /* keys are queries */
};
