/* perfdata.c
 * The older API's own statistics: what was asked
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/perfdata.h"

#include "compat.h"

#include <epan/stat_tap_ui.h>
#include <epan/tap.h>
#include <epan/to_str.h>

#include "counters/catalog.h"
#include "perfdata/record.h"
#include "stats/rows.h"

#define ERROR_MORE_DATA 234

/* A row for each value asked of each handle. Where there is no interval tshark ends the line: so that is the last. */
enum queries_column {
    COLUMN_HANDLE, COLUMN_SERVER, COLUMN_VALUE, COLUMN_OPENED, COLUMN_CLOSED, COLUMN_ANSWERS, COLUMN_TOO_SMALL, COLUMN_FAILED,
    COLUMN_BYTES, COLUMN_LARGEST, COLUMN_RESPONSE, COLUMN_INTERVAL,
    NUM_COLUMNS
};

static stat_tap_table_item queries_columns[NUM_COLUMNS] = {
    [COLUMN_HANDLE] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Handle                                  ", "%-40s" },
    [COLUMN_SERVER] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Server          ", "%-16s" },
    [COLUMN_VALUE] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Value               ", "%-20s" },
    [COLUMN_OPENED] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Opened", "%6u" },
    [COLUMN_CLOSED] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Closed", "%6u" },
    [COLUMN_ANSWERS] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Answers", "%7u" },
    [COLUMN_TOO_SMALL] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Too small", "%9u" },
    [COLUMN_FAILED] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Failed", "%6u" },
    [COLUMN_BYTES] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "     Bytes", "%10u" },
    [COLUMN_LARGEST] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "   Largest", "%10u" },
    [COLUMN_RESPONSE] = { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Response ms", "%11.3f" },
    [COLUMN_INTERVAL] = { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Interval s", "%10.3f" },
};

/* What tells a row from the others. Without a value name: the last row of a handle. */
struct row_id {
    const struct perfdata_key *key;
    const char *value_name;
};

/* Kept beside a row. */
struct row_state {
    struct stat_mean interval, response;
    bool has_older;
    unsigned older;             /* the row of the same handle made before */
};

static guint
row_id_hash(const void *p)
{
    const struct row_id *id = (const struct row_id *)p;

    return g_direct_hash(id->key) ^ (id->value_name == NULL ? 0 : g_str_hash(id->value_name));
}

static gboolean
row_id_equal(const void *a, const void *b)
{
    const struct row_id *x = (const struct row_id *)a;
    const struct row_id *y = (const struct row_id *)b;

    return x->key == y->key && g_strcmp0(x->value_name, y->value_name) == 0;
}

static struct stat_rows queries_rows = {
    .owned = 1u << COLUMN_HANDLE | 1u << COLUMN_SERVER | 1u << COLUMN_VALUE,
    .state_size = sizeof(struct row_state),
    .hash = row_id_hash,
    .equal = row_id_equal,
    .free_key = g_free,
};

static void
queries_init(stat_tap_table_ui *ui)
{
    stat_rows_init(&queries_rows, ui);
}

static void
queries_reset(stat_tap_table *table _U_)
{
    stat_rows_reset(&queries_rows);
}

static void
queries_free_item(stat_tap_table *table _U_, unsigned row _U_, unsigned column, stat_tap_table_item_type *item)
{
    stat_rows_free_item(&queries_rows, column, item);
}

static struct row_state *
row_state(unsigned row)
{
    return (struct row_state *)stat_rows_state(&queries_rows, row);
}

static struct row_id *
new_row_id(const struct perfdata_key *key, const char *value_name)
{
    struct row_id *id = g_new(struct row_id, 1);

    *id = (struct row_id){ key, value_name };
    return id;
}

static unsigned
find_row(const struct perfdata_key *key, const char *value_name, wmem_allocator_t *scope)
{
    const struct row_id id = { key, value_name }, last = { key, NULL };
    stat_tap_table_item_type cells[NUM_COLUMNS];
    unsigned row, older = 0;
    bool has_older;

    if (stat_rows_find(&queries_rows, &id, &row)) {
        return row;
    }
    stat_cells_init(cells, queries_columns, NUM_COLUMNS);
    cells[COLUMN_HANDLE] = stat_cell_text(bytes_to_str(scope, key->handle, POLICY_HANDLE_SIZE));
    cells[COLUMN_SERVER] = stat_cell_text("");
    cells[COLUMN_VALUE] = stat_cell_text(value_name);
    has_older = stat_rows_find(&queries_rows, &last, &older);
    row = stat_rows_add(&queries_rows, new_row_id(key, value_name), cells);
    row_state(row)->has_older = has_older;
    row_state(row)->older = older;
    stat_rows_add_key(&queries_rows, new_row_id(key, NULL), row);
    return row;
}

/* What may become known, or change, after a row was made. */
static void
update_key(stat_tap_table_item_type *cells, const struct perfdata_key *key)
{
    cells[COLUMN_OPENED].value.uint_value = key->opened_in;
    cells[COLUMN_CLOSED].value.uint_value = key->closed_in;
    stat_cell_set_text(&cells[COLUMN_SERVER], catalog_host(key->server));
}

static void
update_rows(const struct perfdata_key *key)
{
    const struct row_id last = { key, NULL };
    unsigned row;

    for (bool found = stat_rows_find(&queries_rows, &last, &row); found; found = row_state(row)->has_older, row = row_state(row)->older) {
        update_key(stat_rows_cells(&queries_rows, row), key);
    }
}

static tap_packet_status
queries_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    const struct perfdata_tap *call = (const struct perfdata_tap *)tapped;
    stat_tap_table_item_type *cells;
    struct row_state *state;
    unsigned row;

    if (!stat_rows_count_for(&queries_rows, data)) {
        return TAP_PACKET_DONT_REDRAW;
    }
    if (call->is_close) {
        update_rows(call->key);
        return TAP_PACKET_REDRAW;
    }
    row = find_row(call->key, call->value_name != NULL ? call->value_name : "", pinfo->pool);
    cells = stat_rows_cells(&queries_rows, row);
    state = row_state(row);
    update_key(cells, call->key);
    if (call->error == 0) {
        cells[COLUMN_ANSWERS].value.uint_value++;
        cells[COLUMN_BYTES].value.uint_value += call->size;
        cells[COLUMN_LARGEST].value.uint_value = MAX(cells[COLUMN_LARGEST].value.uint_value, call->size);
        if (call->has_interval) {
            stat_cell_add_to_mean(&cells[COLUMN_INTERVAL], &state->interval, call->interval);
        }
    } else {
        cells[call->error == ERROR_MORE_DATA ? COLUMN_TOO_SMALL : COLUMN_FAILED].value.uint_value++;
    }
    stat_cell_add_to_mean(&cells[COLUMN_RESPONSE], &state->response, nstime_to_msec(&call->response_time));
    return TAP_PACKET_REDRAW;
}

void
stats_perfdata_register(void)
{
    static stat_tap_table_ui queries_ui = {
        .group = REGISTER_PACKET_STAT_GROUP_UNSORTED,
        .title = "Windows Performance Data Queries",
        .tap_name = "perfdata",
        .cli_string = "perfdata,queries",
        .stat_tap_init_cb = queries_init,
        .packet_func = queries_packet,
        .stat_tap_reset_table_cb = queries_reset,
        .stat_tap_free_table_item_cb = queries_free_item,
        .nfields = NUM_COLUMNS,
        .fields = queries_columns,
        .nparams = array_length(stat_rows_parameters),
        .params = stat_rows_parameters,
    };

    register_stat_tap_table_ui(&queries_ui);
}
