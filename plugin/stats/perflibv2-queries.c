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

/* Columns. Only the last ones may have empty cells, as windows require. */
/* clang-format off */
#define QUERIES_COLUMNS(X) \
    X(COLUMN_FRAME, STAT_COUNT("first_frame", "First frame")) \
    X(COLUMN_CLIENT, STAT_TEXT("client", "Client")) \
    X(COLUMN_SERVER, STAT_TEXT("server", "Server")) \
    X(COLUMN_HANDLE, STAT_TEXT("handle", "Handle")) \
    X(COLUMN_POLLS, STAT_COUNT("polls", "Polls")) \
    X(COLUMN_BYTES, STAT_BYTES("bytes", "Bytes")) \
    X(COLUMN_STATE, STAT_TEXT("state", "State")) \
    X(COLUMN_OPENED, STAT_COUNT("opened_frame", "Opened in frame")) \
    X(COLUMN_CLOSED, STAT_COUNT("closed_frame", "Closed in frame")) \
    X(COLUMN_ADDED, STAT_COUNT("added", "Added")) \
    X(COLUMN_REFUSED, STAT_COUNT("refused", "Refused")) \
    X(COLUMN_REMOVED, STAT_COUNT("removed", "Removed")) \
    X(COLUMN_FAULTS, STAT_COUNT("faults", "Faults")) \
    X(COLUMN_PROBES, STAT_COUNT("size_probes", "Size probes")) \
    REQUESTS_COUNTS(X) \
    X(COLUMN_OTHER, STAT_COUNT("other_host", "Other host")) \
    REQUESTS_REALS(X) \
    X(COLUMN_STATE_CODE, STAT_DATA_TEXT("state_code"))
/* clang-format on */

enum { QUERIES_COLUMNS(STAT_COLUMN_NUMBER) NUM_COLUMNS };
static const struct stat_column queries_columns[NUM_COLUMNS] = { QUERIES_COLUMNS(STAT_COLUMN) };

#define WASTE_COLUMNS STAT_BITS(COLUMN_PROBES, COLUMN_OTHER)

static const struct stat_view queries_views[] = {
    {
        .columns = (STAT_BITS(COLUMN_FRAME, COLUMN_STATE) & ~STAT_BIT(COLUMN_HANDLE)) |
            STAT_BITS(COLUMN_REALS, COLUMN_STATE_CODE - 1),
    },
    {
        .title = "Handles",
        .columns = STAT_BIT(COLUMN_FRAME) | STAT_BIT(COLUMN_HANDLE) | STAT_BITS(COLUMN_OPENED, COLUMN_FAULTS),
        .needs = STAT_BIT(COLUMN_HANDLE), /* hides rows of calls that were not decrypted: they have no handle */
    },
    {
        .title = "Possible savings",
        .columns = STAT_BIT(COLUMN_FRAME) | WASTE_COLUMNS,
        .needs = WASTE_COLUMNS,
    },
};

/* State that belongs to a row of the queries table. */
struct perflibv2_queries_row_state {
    struct stat_requests requests; /* must be the first member */
    bool was_answered;             /* true if an answer other than a fault was received */
    /* number of calls not decrypted; if not 0, the row is about an operation, not a query */
    unsigned unread;
    const struct queries_connection *connection; /* connection of the latest call; NULL if unknown */
};

/* Connection, by its number (tcp.stream). */
struct queries_connection {
    bool has_ended;
    wmem_list_t *rows; /* rows of the queries that had calls on this connection before it ended, by row number */
};

struct queries_table {
    struct stat_rows rows;   /* must be the first member */
    wmem_map_t *connections; /* tcp.stream to struct queries_connection */
    uint32_t frame;          /* frame of the latest TCP segment; 0 if none */
    uint32_t connection;     /* tcp.stream of the latest TCP segment */
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
    [QUERY_SEALED] = { "sealed", NULL /* perflibv2_queries_count_unread() makes the text */ },
};

static void
set_code(const struct stat_rows *rows, stat_tap_table_item_type *cells, enum query_state state)
{
    if (!rows->is_text) {
        stat_cell_set_text(&cells[COLUMN_STATE_CODE], query_states[state].code);
    }
}

/*
 * Sets the state of a query. A handle that was not closed is leaked if its connection ended, and open if only the
 * capture ended.
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
        (struct queries_connection *)wmem_map_lookup(table->connections, GUINT_TO_POINTER(number));

    if (connection == NULL) {
        connection = wmem_new(table->rows.scope, struct queries_connection);
        *connection = (struct queries_connection){ false, wmem_list_new(table->rows.scope) };
        wmem_map_insert(table->connections, GUINT_TO_POINTER(number), connection);
    }
    return connection;
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
        wmem_list_frame_t *link = connection->has_ended ? NULL : wmem_list_head(connection->rows);

        connection->has_ended = true;
        for (; link != NULL; link = wmem_list_frame_next(link)) {
            show_state(&table->rows, GPOINTER_TO_UINT(wmem_list_frame_data(link)));
        }
    }
    return TAP_PACKET_DONT_REDRAW;
}

/* Prepares the emptied table. At its first use, adds the listener to TCP. */
static void
queries_begin(struct stat_rows *rows)
{
    struct queries_table *table = (struct queries_table *)rows;

    table->frame = 0;
    if (table->connections == NULL) {
        helper_listen("tcp", table, NULL, queries_segment, NULL);
    }
    table->connections = wmem_map_new(rows->scope, g_direct_hash, g_direct_equal);
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
            wmem_list_append(connection->rows, GUINT_TO_POINTER(row));
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
    request_cells_count(rows->scope, &cells[COLUMN_BYTES], &cells[COLUMN_COUNTS], &cells[COLUMN_REALS],
        &state->requests,
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
    /* The server's name may have been unknown at earlier calls. */
    stat_cell_set_short(rows, &cells[COLUMN_SERVER], call->query.host, WINDOW_NAME_MAX);
    cells[COLUMN_OPENED].value.uint_value = call->query.opened_in;
    cells[COLUMN_CLOSED].value.uint_value = call->query.closed_in;
    show_state(rows, row);
    cells[COLUMN_PROBES].value.uint_value += call->is_size_probe;
    cells[COLUMN_FAULTS].value.uint_value += call->is_fault;
    request_cells_count(rows->scope, &cells[COLUMN_BYTES], &cells[COLUMN_COUNTS], &cells[COLUMN_REALS],
        &state->requests,
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
};
