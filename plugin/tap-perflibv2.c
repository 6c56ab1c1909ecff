/* tap-perflibv2.c
 * PerflibV2's own statistics: calls, query handles, catalog
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "tap-perflibv2.h"

#include "compat.h"

#include <epan/stat_tap_ui.h>
#include <epan/stats_tree.h>
#include <epan/tap.h>
#include <epan/to_str.h>
#include <wsutil/report_message.h>

#include "perflibv2-tap.h"
#include "stat-args.h"
#include "stat-rows.h"
#include "win32-names.h"

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

static tap_param filter_parameter[] = {
    { PARAM_FILTER, "filter", "Filter", NULL, true },
};

/* What a row's means are made of. */
struct queries_row {
    double intervals, responses;
    unsigned num_intervals, num_responses;
};

static struct {
    stat_tap_table *table;
    const void *listener;       /* whose calls are counted: a second -z must not count them twice */
    GHashTable *rows;           /* struct query -> row + 1 */
    GArray *sums;               /* struct queries_row */
} queries_table;

static struct stat_rows queries_rows = { .owned = 1u << COLUMN_HANDLE | 1u << COLUMN_SERVER };

static void
queries_forget(void)
{
    queries_table.listener = NULL;
    if (queries_table.rows == NULL) {
        queries_table.rows = g_hash_table_new(g_direct_hash, g_direct_equal);
        queries_table.sums = g_array_new(FALSE, TRUE, sizeof(struct queries_row));
    }
    g_hash_table_remove_all(queries_table.rows);
    g_array_set_size(queries_table.sums, 0);
}

static void
queries_reset(stat_tap_table *table)
{
    stat_rows_retire(&queries_rows, table);
    queries_forget();
}

static void
queries_table_init(stat_tap_table_ui *ui)
{
    if (ui->tables != NULL && ui->tables->len > 0) {
        queries_reset(queries_table.table);
        return;
    }
    queries_forget();
    stat_rows_release(&queries_rows);
    queries_table.table = stat_tap_init_table(ui->title, NUM_COLUMNS, 0, NULL);
    stat_tap_add_table(ui, queries_table.table);
}

static void
queries_free_item(stat_tap_table *table _U_, unsigned row _U_, unsigned column, stat_tap_table_item_type *item)
{
    stat_rows_free_item(&queries_rows, column, item);
}

static unsigned
queries_row(const struct query *query)
{
    unsigned row = GPOINTER_TO_UINT(g_hash_table_lookup(queries_table.rows, query));

    if (row == 0) {
        stat_tap_table_item_type cells[NUM_COLUMNS];
        char *handle = guid_to_str(NULL, &query->handle);

        memset(cells, 0, sizeof cells);
        row = queries_table.table->num_elements + 1;
        for (unsigned c = 0; c < NUM_COLUMNS; c++) {
            cells[c].type = TABLE_ITEM_UINT;
        }
        cells[COLUMN_HANDLE] = (stat_tap_table_item_type){ .type = TABLE_ITEM_STRING, .value.string_value = g_strdup(handle) };
        cells[COLUMN_SERVER].type = TABLE_ITEM_STRING;
        cells[COLUMN_INTERVAL].type = TABLE_ITEM_NONE;
        cells[COLUMN_RESPONSE].type = TABLE_ITEM_NONE;
        cells[COLUMN_STATE].type = TABLE_ITEM_STRING;
        stat_tap_init_table_row(queries_table.table, row - 1, NUM_COLUMNS, cells);
        g_hash_table_insert(queries_table.rows, (void *)query, GUINT_TO_POINTER(row));
        g_array_set_size(queries_table.sums, row);
        wmem_free(NULL, handle);
    }
    return row - 1;
}

static void
set_mean(stat_tap_table_item_type *cell, double sum, unsigned count)
{
    if (count > 0) {
        cell->type = TABLE_ITEM_FLOAT;
        cell->value.float_value = sum / count;
    }
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
queries_packet(void *data, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    const struct perflibv2_tap *call = (const struct perflibv2_tap *)tapped;
    stat_tap_table_item_type *cells;
    struct queries_row *sums;
    unsigned row;

    if (queries_table.listener == NULL) {
        queries_table.listener = data;
    }
    if (queries_table.listener != data || !call->is_response || call->query == NULL) {
        return TAP_PACKET_DONT_REDRAW;
    }
    row = queries_row(call->query);
    cells = stat_tap_get_field_data(queries_table.table, row, 0);
    sums = &g_array_index(queries_table.sums, struct queries_row, row);
    /* The server's name, too, may become known later. */
    g_free((char *)cells[COLUMN_SERVER].value.string_value);
    cells[COLUMN_SERVER].value.string_value = g_strdup(catalog_host(call->query->server));
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
            sums->intervals += queries_interval(call->poll);
            sums->num_intervals++;
        }
        sums->responses += nstime_to_msec(&call->response_time);
        sums->num_responses++;
    }
    set_mean(&cells[COLUMN_INTERVAL], sums->intervals, sums->num_intervals);
    set_mean(&cells[COLUMN_RESPONSE], sums->responses, sums->num_responses);
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
tap_perflibv2_register(void)
{
    static stat_tap_table_ui queries_ui = {
        .group = REGISTER_PACKET_STAT_GROUP_UNSORTED,
        .title = "PerflibV2 Queries",
        .tap_name = "perflibv2",
        .cli_string = "perflibv2,queries",
        .stat_tap_init_cb = queries_table_init,
        .packet_func = queries_packet,
        .stat_tap_reset_table_cb = queries_reset,
        .stat_tap_free_table_item_cb = queries_free_item,
        .nfields = NUM_COLUMNS,
        .fields = queries_columns,
        .nparams = array_length(filter_parameter),
        .params = filter_parameter,
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
