/* tap-perfdata.c
 * The older API's own statistics: what was asked
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "tap-perfdata.h"

#include "compat.h"

#include <epan/stat_tap_ui.h>
#include <epan/tap.h>
#include <epan/to_str.h>

#include "catalog.h"
#include "perfdata-tap.h"
#include "stat-rows.h"

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

static tap_param filter_parameter[] = {
    { PARAM_FILTER, "filter", "Filter", NULL, true },
};

/* What tells a row from the others. */
struct row_id {
    const struct perfdata_key *key;
    const char *value_name;
};

/* What a row's means are made of. */
struct row_sums {
    double intervals, responses;
    unsigned num_intervals, num_responses;
};

static struct {
    stat_tap_table *table;
    const void *listener;       /* whose calls are counted: a second -z must not count them twice */
    GHashTable *rows;           /* struct row_id -> row + 1 */
    GArray *sums;               /* struct row_sums */
} queries;

static struct stat_rows queries_rows = { .owned = 1u << COLUMN_HANDLE | 1u << COLUMN_SERVER | 1u << COLUMN_VALUE };

static guint
row_id_hash(const void *p)
{
    const struct row_id *id = (const struct row_id *)p;

    return g_direct_hash(id->key) ^ g_str_hash(id->value_name);
}

static gboolean
row_id_equal(const void *a, const void *b)
{
    const struct row_id *x = (const struct row_id *)a;
    const struct row_id *y = (const struct row_id *)b;

    return x->key == y->key && strcmp(x->value_name, y->value_name) == 0;
}

static void
queries_forget(void)
{
    queries.listener = NULL;
    if (queries.rows == NULL) {
        queries.rows = g_hash_table_new_full(row_id_hash, row_id_equal, g_free, NULL);
        queries.sums = g_array_new(FALSE, TRUE, sizeof(struct row_sums));
    }
    g_hash_table_remove_all(queries.rows);
    g_array_set_size(queries.sums, 0);
}

static void
free_item(stat_tap_table *table _U_, unsigned row _U_, unsigned column, stat_tap_table_item_type *item)
{
    stat_rows_free_item(&queries_rows, column, item);
}

static void
queries_reset(stat_tap_table *table)
{
    stat_rows_retire(&queries_rows, table);
    queries_forget();
}

static void
queries_init(stat_tap_table_ui *ui)
{
    if (ui->tables != NULL && ui->tables->len > 0) {
        queries_reset(queries.table);
        return;
    }
    queries_forget();
    stat_rows_release(&queries_rows);
    queries.table = stat_tap_init_table(ui->title, NUM_COLUMNS, 0, NULL);
    stat_tap_add_table(ui, queries.table);
}

static stat_tap_table_item_type
string_cell(char *text)
{
    const stat_tap_table_item_type cell = { .type = TABLE_ITEM_STRING, .value.string_value = text };

    return cell;
}

static unsigned
find_row(const struct perfdata_key *key, const char *value_name)
{
    const struct row_id id = { key, value_name };
    unsigned row = GPOINTER_TO_UINT(g_hash_table_lookup(queries.rows, &id));

    if (row == 0) {
        stat_tap_table_item_type cells[NUM_COLUMNS];
        char *handle = bytes_to_str(NULL, key->handle, POLICY_HANDLE_SIZE);
        struct row_id *kept = g_new(struct row_id, 1);

        memset(cells, 0, sizeof cells);
        for (unsigned column = 0; column < NUM_COLUMNS; column++) {
            cells[column].type = TABLE_ITEM_UINT;
        }
        cells[COLUMN_HANDLE] = string_cell(g_strdup(handle));
        cells[COLUMN_SERVER] = string_cell(g_strdup(catalog_host(key->server)));
        cells[COLUMN_VALUE] = string_cell(g_strdup(value_name));
        cells[COLUMN_INTERVAL].type = TABLE_ITEM_NONE;
        cells[COLUMN_RESPONSE].type = TABLE_ITEM_NONE;
        row = queries.table->num_elements + 1;
        stat_tap_init_table_row(queries.table, row - 1, NUM_COLUMNS, cells);
        *kept = id;
        g_hash_table_insert(queries.rows, kept, GUINT_TO_POINTER(row));
        g_array_set_size(queries.sums, row);
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

/* What may become known only after a row was made. */
static void
update_rows(const struct perfdata_key *key)
{
    GHashTableIter iter;
    void *id, *row;

    g_hash_table_iter_init(&iter, queries.rows);
    while (g_hash_table_iter_next(&iter, &id, &row)) {
        if (((const struct row_id *)id)->key == key) {
            stat_tap_table_item_type *cells = stat_tap_get_field_data(queries.table, GPOINTER_TO_UINT(row) - 1, 0);

            cells[COLUMN_CLOSED].value.uint_value = key->closed_in;
            g_free((char *)cells[COLUMN_SERVER].value.string_value);
            cells[COLUMN_SERVER] = string_cell(g_strdup(catalog_host(key->server)));
        }
    }
}

static tap_packet_status
queries_packet(void *data, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    const struct perfdata_tap *call = (const struct perfdata_tap *)tapped;
    stat_tap_table_item_type *cells;
    struct row_sums *sums;
    unsigned row;

    if (queries.listener == NULL) {
        queries.listener = data;
    }
    if (queries.listener != data) {
        return TAP_PACKET_DONT_REDRAW;
    }
    if (call->is_close) {
        update_rows(call->key);
        return TAP_PACKET_REDRAW;
    }
    row = find_row(call->key, call->value_name != NULL ? call->value_name : "");
    cells = stat_tap_get_field_data(queries.table, row, 0);
    sums = &g_array_index(queries.sums, struct row_sums, row);
    cells[COLUMN_OPENED].value.uint_value = call->key->opened_in;
    cells[COLUMN_CLOSED].value.uint_value = call->key->closed_in;
    if (call->error == 0) {
        cells[COLUMN_ANSWERS].value.uint_value++;
        cells[COLUMN_BYTES].value.uint_value += call->size;
        cells[COLUMN_LARGEST].value.uint_value = MAX(cells[COLUMN_LARGEST].value.uint_value, call->size);
        if (call->has_interval) {
            sums->intervals += call->interval;
            sums->num_intervals++;
        }
    } else {
        cells[call->error == ERROR_MORE_DATA ? COLUMN_TOO_SMALL : COLUMN_FAILED].value.uint_value++;
    }
    sums->responses += nstime_to_msec(&call->response_time);
    sums->num_responses++;
    set_mean(&cells[COLUMN_INTERVAL], sums->intervals, sums->num_intervals);
    set_mean(&cells[COLUMN_RESPONSE], sums->responses, sums->num_responses);
    return TAP_PACKET_REDRAW;
}

void
tap_perfdata_register(void)
{
    static stat_tap_table_ui queries_ui = {
        .group = REGISTER_PACKET_STAT_GROUP_UNSORTED,
        .title = "Windows Performance Data Queries",
        .tap_name = "perfdata",
        .cli_string = "perfdata,queries",
        .stat_tap_init_cb = queries_init,
        .packet_func = queries_packet,
        .stat_tap_reset_table_cb = queries_reset,
        .stat_tap_free_table_item_cb = free_item,
        .nfields = NUM_COLUMNS,
        .fields = queries_columns,
        .nparams = array_length(filter_parameter),
        .params = filter_parameter,
    };

    register_stat_tap_table_ui(&queries_ui);
}
