/* perflibv2-queries.c
 * -z perflibv2,queries: the life of each query handle
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "compat.h"

#include <epan/to_str.h>

#include "perflibv2/record.h"
#include "stats/rows.h"

/* Where there is no mean tshark ends the line: so these are the last. */
enum queries_column {
    COLUMN_HANDLE, COLUMN_SERVER, COLUMN_OPENED, COLUMN_CLOSED, COLUMN_ADDED, COLUMN_REFUSED, COLUMN_REMOVED,
    COLUMN_POLLS, COLUMN_BYTES, COLUMN_PROBES, COLUMN_STATE, COLUMN_RESPONSE, COLUMN_INTERVAL,
    NUM_COLUMNS
};

static stat_tap_table_item queries_columns[NUM_COLUMNS] = {
    [COLUMN_HANDLE] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Handle                              ", "%-36s" },
    [COLUMN_SERVER] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Server          ", "%-16s" },
    [COLUMN_OPENED] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Opened", "%6u" },
    [COLUMN_CLOSED] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Closed", "%6u" },
    [COLUMN_ADDED] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Added", "%5u" },
    [COLUMN_REFUSED] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Refused", "%7u" },
    [COLUMN_REMOVED] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Removed", "%7u" },
    [COLUMN_POLLS] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Polls", "%5u" },
    [COLUMN_BYTES] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "     Bytes", "%10u" },
    [COLUMN_PROBES] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Size probes", "%11u" },
    [COLUMN_STATE] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "State                                           ", "%-48s" },
    [COLUMN_RESPONSE] = { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Response ms", "%11.3f" },
    [COLUMN_INTERVAL] = { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Interval s", "%10.3f" },
};

/* Kept beside a row. */
struct queries_means {
    struct stat_mean interval, response;
};

static const char *
query_state(const struct perflibv2_tap_query *query)
{
    if (query->closed_in != 0) {
        return query->opened_in != 0 ? "closed" : "closed, not opened in the capture";
    }
    return query->opened_in != 0 ? "leaked: still open at the end" : "not opened in the capture, still open at the end";
}

static unsigned
find_row(struct stat_rows *rows, const struct perflibv2_tap_query *query, wmem_allocator_t *scope)
{
    stat_tap_table_item_type cells[NUM_COLUMNS];
    unsigned row;

    if (stat_rows_find(rows, query->id, &row)) {
        return row;
    }
    stat_cells_init(rows, cells);
    stat_cell_set_text(&cells[COLUMN_HANDLE], guid_to_str(scope, &query->handle));
    return stat_rows_add(rows, (void *)query->id, cells);
}

static bool
queries_count(struct stat_rows *rows, const packet_info *pinfo, const void *tapped)
{
    const struct perflibv2_tap *call = (const struct perflibv2_tap *)tapped;
    stat_tap_table_item_type *cells;
    struct queries_means *means;
    unsigned row;

    if (!call->is_response || call->query.id == NULL) {
        return false;
    }
    row = find_row(rows, &call->query, pinfo->pool);
    cells = stat_rows_cells(rows, row);
    means = (struct queries_means *)stat_rows_state(rows, row);
    /* The server's name, too, may become known later. */
    stat_cell_set_text(&cells[COLUMN_SERVER], call->query.host);
    cells[COLUMN_OPENED].value.uint_value = call->query.opened_in;
    cells[COLUMN_CLOSED].value.uint_value = call->query.closed_in;
    cells[COLUMN_STATE].value.string_value = query_state(&call->query);
    cells[COLUMN_PROBES].value.uint_value += call->is_size_probe;
    if (call->is_change) {
        cells[COLUMN_REFUSED].value.uint_value += call->refused;
        cells[call->add ? COLUMN_ADDED : COLUMN_REMOVED].value.uint_value += call->identifiers - call->refused;
    }
    if (call->is_poll) {
        cells[COLUMN_POLLS].value.uint_value++;
        cells[COLUMN_BYTES].value.uint_value += call->size;
        if (call->has_interval) {
            stat_cell_add_to_mean(&cells[COLUMN_INTERVAL], &means->interval, call->interval);
        }
        stat_cell_add_to_mean(&cells[COLUMN_RESPONSE], &means->response, nstime_to_msec(&call->response_time));
    }
    return true;
}

void
perflibv2_queries_register(void)
{
    static struct stat_rows rows = {
        .ui = {
            .title = "PerflibV2 Queries",
            .tap_name = "perflibv2",
            .cli_string = "perflibv2,queries",
            .nfields = NUM_COLUMNS,
            .fields = queries_columns,
        },
        .count = queries_count,
        .owned = 1u << COLUMN_HANDLE | 1u << COLUMN_SERVER,
        .state_size = sizeof(struct queries_means),
        .hash = g_direct_hash,      /* keys are queries */
    };

    stat_rows_register(&rows);
}
