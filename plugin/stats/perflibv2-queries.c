/* perflibv2-queries.c
 * -z perflibv2,queries: the life of each query handle
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include <epan/dissectors/packet-tcp.h>
#include <epan/to_str.h>
#include <wsutil/str_util.h>

#include "perflibv2/record.h"
#include "stats/request-cells.h"

/* Columns. Those that may be empty are the last. */
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
    COLUMN_COUNTS,
    COLUMN_OTHER = COLUMN_COUNTS + NUM_REQUEST_COUNTS,
    COLUMN_REALS,
    COLUMN_STATE_CODE = COLUMN_REALS + NUM_REQUEST_REALS,
    NUM_COLUMNS
};

static const struct stat_column queries_columns[NUM_COLUMNS] = {
    [COLUMN_FRAME] = STAT_COUNT("first_frame", "First frame"),
    [COLUMN_CLIENT] = STAT_TEXT("client", "Client"),
    [COLUMN_SERVER] = STAT_TEXT("server", "Server"),
    [COLUMN_HANDLE] = STAT_TEXT("handle", "Handle"),
    [COLUMN_POLLS] = STAT_COUNT("polls", "Polls"),
    [COLUMN_BYTES] = STAT_BYTES("bytes", "Bytes"),
    [COLUMN_STATE] = STAT_TEXT("state", "State"),
    [COLUMN_OPENED] = STAT_COUNT("opened_frame", "Opened in frame"),
    [COLUMN_CLOSED] = STAT_COUNT("closed_frame", "Closed in frame"),
    [COLUMN_ADDED] = STAT_COUNT("added", "Added"),
    [COLUMN_REFUSED] = STAT_COUNT("refused", "Refused"),
    [COLUMN_REMOVED] = STAT_COUNT("removed", "Removed"),
    [COLUMN_FAULTS] = STAT_COUNT("faults", "Faults"),
    [COLUMN_PROBES] = STAT_COUNT("size_probes", "Size probes"),
    [COLUMN_COUNTS] = REQUESTS_COUNTS,
    [COLUMN_OTHER] = STAT_COUNT("other_host", "Other host"),
    [COLUMN_REALS] = REQUESTS_REALS,
    [COLUMN_STATE_CODE] = STAT_DATA_TEXT("state_code"),
};

#define WASTE_COLUMNS STAT_BITS(COLUMN_PROBES, COLUMN_OTHER)

static const struct stat_view queries_views[] = {
    {
        .columns = (STAT_BITS(COLUMN_FRAME, COLUMN_STATE) & ~STAT_BIT(COLUMN_HANDLE)) |
            STAT_BITS(COLUMN_REALS, COLUMN_STATE_CODE - 1),
    },
    {
        .title = "Handles",
        .columns = STAT_BIT(COLUMN_FRAME) | STAT_BIT(COLUMN_HANDLE) | STAT_BITS(COLUMN_OPENED, COLUMN_FAULTS),
        .needs = STAT_BIT(COLUMN_HANDLE), /* calls that were not decrypted have no handle */
    },
    {
        .title = "Possible savings",
        .columns = STAT_BIT(COLUMN_FRAME) | WASTE_COLUMNS,
        .needs = WASTE_COLUMNS,
    },
};

/* State that belongs to a row of the queries table. */
struct perflibv2_queries_row_state {
    struct stat_requests requests; /* must be the first member: request_cells_free() frees it */
    bool was_answered;             /* true if an answer other than a fault was received */
    unsigned unread;               /* number of calls not decrypted; if not 0, the row is one of an operation */
    const struct queries_connection *connection; /* connection of the latest call; NULL if unknown */
};

/* Connection, by its number (tcp.stream). */
struct queries_connection {
    bool has_ended;
    GArray *rows; /* rows of the queries whose latest call it carried, until the connection ends */
};

struct queries_table {
    struct stat_rows rows;   /* must be the first member */
    GHashTable *connections; /* tcp.stream to struct queries_connection */
    uint32_t frame;          /* frame of the latest segment; 0 if none */
    uint32_t connection;     /* tcp.stream of the latest segment */
};

static struct perflibv2_queries_row_state *
perflibv2_queries_row_state(const struct stat_rows *rows, unsigned row)
{
    return (struct perflibv2_queries_row_state *)stat_rows_state(rows, row);
}

/* Final state of a query. */
enum query_state {
    QUERY_FAULTS_ONLY,
    QUERY_CLOSED,
    QUERY_CLOSED_NOT_OPENED,
    QUERY_LEAKED,
    QUERY_LEAKED_NOT_OPENED,
    QUERY_OPEN,
    QUERY_OPEN_NOT_OPENED,
    QUERY_SEALED
};

static const struct {
    const char *code, *text;
} query_states[] = {
    [QUERY_FAULTS_ONLY] = { "faults_only", "answered only with faults" },
    [QUERY_CLOSED] = { "closed", "closed" },
    [QUERY_CLOSED_NOT_OPENED] = { "closed_not_opened", "closed, not opened in the capture" },
    [QUERY_LEAKED] = { "leaked", "leaked: its connection ended" },
    [QUERY_LEAKED_NOT_OPENED] = { "leaked_not_opened", "leaked, not opened in the capture" },
    [QUERY_OPEN] = { "open", "still open at the end" },
    [QUERY_OPEN_NOT_OPENED] = { "open_not_opened", "not opened in the capture, still open at the end" },
    [QUERY_SEALED] = { "sealed", NULL /* completed by counts */ },
};

static void
set_code(const struct stat_rows *rows, stat_tap_table_item_type *cells, enum query_state state)
{
    if (!rows->is_text) {
        stat_cell_set_text(&cells[COLUMN_STATE_CODE], query_states[state].code);
    }
}

/*
 * Returns the state of a query that was not closed. Its handle is leaked if its connection ended; if only the
 * capture ended, that is unknown.
 */
static void
show_state(const struct stat_rows *rows, unsigned row)
{
    const struct perflibv2_queries_row_state *state = perflibv2_queries_row_state(rows, row);
    stat_tap_table_item_type *cells = stat_rows_cells(rows, row);
    const bool is_opened = cells[COLUMN_OPENED].value.uint_value != 0;
    enum query_state shown;

    if (!state->was_answered) {
        shown = QUERY_FAULTS_ONLY;
    } else if (cells[COLUMN_CLOSED].value.uint_value != 0) {
        shown = is_opened ? QUERY_CLOSED : QUERY_CLOSED_NOT_OPENED;
    } else if (state->connection != NULL && state->connection->has_ended) {
        shown = is_opened ? QUERY_LEAKED : QUERY_LEAKED_NOT_OPENED;
    } else {
        shown = is_opened ? QUERY_OPEN : QUERY_OPEN_NOT_OPENED;
    }
    stat_cell_set_text(&cells[COLUMN_STATE], query_states[shown].text);
    set_code(rows, cells, shown);
}

static struct queries_connection *
find_connection(const struct queries_table *table, uint32_t number)
{
    struct queries_connection *connection =
        (struct queries_connection *)g_hash_table_lookup(table->connections, GUINT_TO_POINTER(number));

    if (connection == NULL) {
        connection = g_new(struct queries_connection, 1);
        *connection = (struct queries_connection){ false, g_array_new(FALSE, FALSE, sizeof(unsigned)) };
        g_hash_table_insert(table->connections, GUINT_TO_POINTER(number), connection);
    }
    return connection;
}

static void
free_connection(void *connection)
{
    g_array_free(((struct queries_connection *)connection)->rows, TRUE);
    g_free(connection);
}

static tap_packet_status
queries_segment(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    struct queries_table *table = (struct queries_table *)data;
    const tcp_info_t *segment = (const tcp_info_t *)tapped;

    table->frame = pinfo->num;
    table->connection = segment->th_stream;
    if ((segment->th_flags & (TH_FIN | TH_RST)) != 0 && stat_rows_has_table(&table->rows)) {
        struct queries_connection *connection = find_connection(table, segment->th_stream);

        connection->has_ended = true;
        for (unsigned i = 0; i < connection->rows->len; i++) {
            show_state(&table->rows, g_array_index(connection->rows, unsigned, i));
        }
        g_array_set_size(connection->rows, 0);
    }
    return TAP_PACKET_DONT_REDRAW;
}

/* Listens to TCP only once the table is used. */
static void
queries_begin(struct stat_rows *rows)
{
    struct queries_table *table = (struct queries_table *)rows;

    table->frame = 0;
    if (table->connections == NULL) {
        helper_listen("tcp", table, NULL, queries_segment, NULL);
        table->connections = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, free_connection);
    }
    g_hash_table_remove_all(table->connections);
}

/* Records the connection of a query's latest call. */
static void
note_connection(const struct queries_table *table, unsigned row, const packet_info *pinfo)
{
    struct perflibv2_queries_row_state *state = perflibv2_queries_row_state(&table->rows, row);
    struct queries_connection *connection =
        table->frame == pinfo->num ? find_connection(table, table->connection) : NULL;

    if (connection != NULL && state->connection != connection) {
        state->connection = connection;
        if (!connection->has_ended) {
            g_array_append_val(connection->rows, row);
        }
    }
}

static unsigned
find_query_row(struct stat_rows *rows, const struct perflibv2_tap_query *query, const packet_info *pinfo)
{
    unsigned row;

    if (stat_rows_find_or_add(rows, wmem_strdup_printf(pinfo->pool, "%p", query->id), &row)) {
        stat_tap_table_item_type *cells = stat_rows_cells(rows, row);

        cells[COLUMN_FRAME].value.uint_value = query->opened_in != 0 ? query->opened_in : pinfo->num;
        stat_cell_set_text(&cells[COLUMN_CLIENT], address_to_str(pinfo->pool, &pinfo->dst));
        stat_cell_set_text(&cells[COLUMN_HANDLE], guid_to_str(pinfo->pool, &query->handle));
    }
    return row;
}

/*
 * Returns the row for calls that were not decrypted. Their handles are unknown, so there is a row per client, server
 * and operation.
 */
static unsigned
find_unread_row(struct stat_rows *rows, const struct perflibv2_tap *call, const packet_info *pinfo)
{
    const char *client = address_to_str(pinfo->pool, call->is_response ? &pinfo->dst : &pinfo->src);
    unsigned row;

    if (stat_rows_find_or_add(rows,
            wmem_strdup_printf(pinfo->pool, "%s %s %s", call->operation, client, call->query.host), &row)) {
        stat_tap_table_item_type *cells = stat_rows_cells(rows, row);

        cells[COLUMN_FRAME].value.uint_value = pinfo->num;
        stat_cell_set_text(&cells[COLUMN_CLIENT], client);
        stat_cell_set_short(rows, &cells[COLUMN_SERVER], call->query.host, WINDOW_NAME_MAX);
        stat_cells_set_unknown(rows, &cells[COLUMN_ADDED], COLUMN_REALS - COLUMN_ADDED);
    }
    return row;
}

static bool
perflibv2_queries_count_unread(struct stat_rows *rows, const struct perflibv2_tap *call, const packet_info *pinfo)
{
    const bool is_answered = call->is_response && call->is_last;
    const unsigned row = find_unread_row(rows, call, pinfo);
    stat_tap_table_item_type *cells = stat_rows_cells(rows, row);
    struct perflibv2_queries_row_state *state = perflibv2_queries_row_state(rows, row);

    stat_rows_end_with(rows, call->needed);
    request_cells_count(&cells[COLUMN_BYTES], &cells[COLUMN_COUNTS], &cells[COLUMN_REALS], &state->requests,
        &(struct call_cost){
            .frame = pinfo->num,
            .bytes = call->size,
            .response_time = is_answered ? &call->response_time : NULL,
        });
    state->unread += is_answered;
    cells[COLUMN_POLLS].value.uint_value += is_answered && call->is_poll;
    stat_cell_set_text(&cells[COLUMN_STATE],
        wmem_strdup_printf(pinfo->pool, "sealed: %s, %u answer%s not read", call->operation, state->unread,
            plurality(state->unread, "", "s")));
    set_code(rows, cells, QUERY_SEALED);
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
        return perflibv2_queries_count_unread(rows, call, pinfo);
    }
    if (!call->is_response || call->query.id == NULL) {
        return false;
    }
    row = find_query_row(rows, &call->query, pinfo);
    cells = stat_rows_cells(rows, row);
    state = perflibv2_queries_row_state(rows, row);
    state->was_answered = state->was_answered || !call->is_fault;
    note_connection(table, row, pinfo);
    /* The server's name may be learned later. */
    stat_cell_set_short(rows, &cells[COLUMN_SERVER], call->query.host, WINDOW_NAME_MAX);
    cells[COLUMN_OPENED].value.uint_value = call->query.opened_in;
    cells[COLUMN_CLOSED].value.uint_value = call->query.closed_in;
    show_state(rows, row);
    cells[COLUMN_PROBES].value.uint_value += call->is_size_probe;
    cells[COLUMN_FAULTS].value.uint_value += call->is_fault;
    request_cells_count(&cells[COLUMN_BYTES], &cells[COLUMN_COUNTS], &cells[COLUMN_REALS], &state->requests,
        &(struct call_cost){
            .frame = pinfo->num,
            .bytes = call->bytes,
            .too_small = call->too_small,
            .is_probe = call->is_size_probe,
            .finding = call->finding,
            .response_time = call->is_fault ? NULL : &call->response_time,
            .has_interval = call->has_interval,
            .interval = call->interval,
        });
    cells[COLUMN_OTHER].value.uint_value += call->finding != NULL && call->finding->other_server != NULL;
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
    .renames_servers = true,
    .views = queries_views,
    .num_views = array_length(queries_views),
    .frames = STAT_BIT(COLUMN_FRAME) | STAT_BIT(COLUMN_OPENED) | STAT_BIT(COLUMN_CLOSED),
    .size = sizeof(struct queries_table),
    .state_size = sizeof(struct perflibv2_queries_row_state),
    .free_state = request_cells_free,
};
