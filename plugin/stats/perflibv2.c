/* perflibv2.c
 * PerflibV2's own statistics: calls, query handles, catalog
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/perflibv2.h"

#include "compat.h"

#include <epan/stat_tap_ui.h>
#include <epan/stats_tree.h>
#include <epan/tap.h>
#include <epan/to_str.h>
#include <wsutil/report_message.h>

#include "base/win32-names.h"
#include "perflibv2/record.h"
#include "stats/args.h"
#include "stats/rows.h"

/* -z perflibv2,tree: calls per operation and return code */

static const char *const calls_node = "PerflibV2 calls";
static int calls_id;

static void
calls_init(stats_tree *st)
{
    calls_id = stats_tree_create_node(st, calls_node, 0, STAT_DT_INT, true);
}

static tap_packet_status
calls_packet(stats_tree *st, packet_info *pinfo, epan_dissect_t *edt _U_, const void *data, tap_flags_t flags _U_)
{
    const struct perflibv2_tap *call = (const struct perflibv2_tap *)data;
    const char *code;
    int operation;

    if (!call->is_response) {
        return TAP_PACKET_DONT_REDRAW;
    }
    code = call->has_return_code ? try_val_to_str_ext(call->return_code, &win32_error_vals_ext) : "return code not captured";
    if (code == NULL) {
        code = wmem_strdup_printf(pinfo->pool, "0x%08x", call->return_code);
    }
    tick_stat_node(st, calls_node, 0, true);
    operation = tick_stat_node(st, call->operation, calls_id, true);
    tick_stat_node(st, code, operation, false);
    return TAP_PACKET_REDRAW;
}

/* -z perflibv2,queries: the life of each query handle. Where there is no mean tshark ends the line: so these are the last. */

enum queries_column {
    COLUMN_HANDLE, COLUMN_SERVER, COLUMN_OPENED, COLUMN_CLOSED, COLUMN_ADDED, COLUMN_REFUSED, COLUMN_REMOVED, COLUMN_POLLS,
    COLUMN_BYTES, COLUMN_PROBES, COLUMN_STATE, COLUMN_RESPONSE, COLUMN_INTERVAL,
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

static struct stat_rows queries_rows = {
    .owned = 1u << COLUMN_HANDLE | 1u << COLUMN_SERVER,
    .state_size = sizeof(struct queries_means),
    .hash = g_direct_hash,      /* keys are queries */
};

static void
queries_rows_init(stat_tap_table_ui *ui)
{
    stat_rows_init(&queries_rows, ui);
}

static void
queries_rows_reset(stat_tap_table *table _U_)
{
    stat_rows_reset(&queries_rows);
}

static void
queries_rows_free_item(stat_tap_table *table _U_, unsigned row _U_, unsigned column, stat_tap_table_item_type *item)
{
    stat_rows_free_item(&queries_rows, column, item);
}

static unsigned
queries_row(const struct query *query, wmem_allocator_t *scope)
{
    stat_tap_table_item_type cells[NUM_COLUMNS];
    unsigned row;

    if (stat_rows_find(&queries_rows, query, &row)) {
        return row;
    }
    stat_cells_init(cells, queries_columns, NUM_COLUMNS);
    cells[COLUMN_HANDLE] = stat_cell_text(guid_to_str(scope, &query->handle));
    cells[COLUMN_SERVER] = stat_cell_text("");
    return stat_rows_add(&queries_rows, (void *)query, cells);
}

static const char *
query_state(const struct query *query)
{
    if (query->closed_in != 0) {
        return query->opened_in != 0 ? "closed" : "closed, not opened in the capture";
    }
    return query->opened_in != 0 ? "leaked: still open at the end" : "not opened in the capture, still open at the end";
}

static tap_packet_status
queries_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    const struct perflibv2_tap *call = (const struct perflibv2_tap *)tapped;
    stat_tap_table_item_type *cells;
    struct queries_means *means;
    unsigned row;

    if (!stat_rows_count_for(&queries_rows, data) || !call->is_response || call->query == NULL) {
        return TAP_PACKET_DONT_REDRAW;
    }
    row = queries_row(call->query, pinfo->pool);
    cells = stat_rows_cells(&queries_rows, row);
    means = (struct queries_means *)stat_rows_state(&queries_rows, row);
    /* The server's name, too, may become known later. */
    stat_cell_set_text(&cells[COLUMN_SERVER], catalog_host(call->query->server));
    cells[COLUMN_OPENED].value.uint_value = call->query->opened_in;
    cells[COLUMN_CLOSED].value.uint_value = call->query->closed_in;
    cells[COLUMN_STATE].value.string_value = query_state(call->query);
    cells[COLUMN_PROBES].value.uint_value += call->is_size_probe;
    if (call->is_change) {
        cells[COLUMN_REFUSED].value.uint_value += call->refused;
        cells[call->add ? COLUMN_ADDED : COLUMN_REMOVED].value.uint_value += call->identifiers - call->refused;
    }
    if (call->poll != NULL) {
        cells[COLUMN_POLLS].value.uint_value++;
        cells[COLUMN_BYTES].value.uint_value += call->size;
        if (call->poll->values->previous != NULL) {
            stat_cell_add_to_mean(&cells[COLUMN_INTERVAL], &means->interval, series_interval(call->poll->values));
        }
        stat_cell_add_to_mean(&cells[COLUMN_RESPONSE], &means->response, nstime_to_msec(&call->response_time));
    }
    return TAP_PACKET_REDRAW;
}

/* -z perflibv2,catalog,FILE: what the capture taught, in the format of the user's table */

#define CATALOG_COMMAND "perflibv2,catalog"

static void
catalog_draw(void *data)
{
    const char *filename = (const char *)data;
    FILE *file = stat_args_create(filename);

    if (file != NULL) {
        catalog_write(file);
        stat_args_close(file, filename);
    }
}

static bool
catalog_start(const char *argument, void *user_data _U_)
{
    const char *filter;
    char *filename = stat_args_file(argument, CATALOG_COMMAND, &filter);
    GString *error;

    if (filename == NULL) {
        return false;
    }
    /* Without a packet callback the listener is only asked to draw, at the end. */
    error = register_tap_listener("perflibv2", filename, filter, TL_REQUIRES_NOTHING, NULL, NULL, catalog_draw, g_free);
    if (error != NULL) {
        report_failure("-z %s: %s", argument, error->str);
        g_string_free(error, TRUE);
        g_free(filename);
        return false;
    }
    return true;
}

PERFLIB_STAT_INIT_CB(catalog_init_cb, catalog_start)

void
stats_perflibv2_register(void)
{
    static stat_tap_table_ui queries_ui = {
        .group = REGISTER_PACKET_STAT_GROUP_UNSORTED,
        .title = "PerflibV2 Queries",
        .tap_name = "perflibv2",
        .cli_string = "perflibv2,queries",
        .stat_tap_init_cb = queries_rows_init,
        .packet_func = queries_packet,
        .stat_tap_reset_table_cb = queries_rows_reset,
        .stat_tap_free_table_item_cb = queries_rows_free_item,
        .nfields = NUM_COLUMNS,
        .fields = queries_columns,
        .nparams = array_length(stat_rows_parameters),
        .params = stat_rows_parameters,
    };
    static stat_tap_ui catalog_ui = {
        .group = REGISTER_PACKET_STAT_GROUP_UNSORTED,
        .cli_string = CATALOG_COMMAND,
        .tap_init_cb = catalog_init_cb,
    };

    stats_tree_register_plugin("perflibv2", "perflibv2", "PerflibV2 Calls", 0, calls_packet, calls_init, NULL);
    register_stat_tap_table_ui(&queries_ui);
    register_stat_tap_ui(&catalog_ui, NULL);
}
