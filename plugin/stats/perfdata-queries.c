/* perfdata-queries.c
 * -z perfdata,queries: what was asked of the older API
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include <epan/to_str.h>

#include "perfdata/record.h"
#include "stats/asking-cells.h"
#include "stats/rows.h"

/* A row for each value asked of each handle. Columns without a value for some rows are the last. */
enum queries_column {
    COLUMN_FRAME,
    COLUMN_CLIENT,
    COLUMN_SERVER,
    COLUMN_VALUE,
    COLUMN_ANSWERS,
    COLUMN_BYTES,
    COLUMN_LARGEST,
    COLUMN_HANDLE,
    COLUMN_OPENED,
    COLUMN_CLOSED,
    COLUMN_FAILED,
    COLUMN_TOO_SMALL,
    COLUMN_WASTED,
    COLUMN_LATE,
    COLUMN_OVERLAP,
    COLUMN_TWICE,
    COLUMN_RESPONSE,
    COLUMN_MEDIAN,
    COLUMN_LONGEST,
    NUM_COLUMNS
};

static stat_tap_table_item queries_columns[NUM_COLUMNS] = {
    [COLUMN_FRAME] = STAT_COUNT("First frame"),
    [COLUMN_CLIENT] = STAT_TEXT("Client"),
    [COLUMN_SERVER] = STAT_TEXT("Server"),
    [COLUMN_VALUE] = STAT_TEXT("Value"),
    [COLUMN_ANSWERS] = STAT_COUNT("Answers"),
    [COLUMN_BYTES] = STAT_COUNT("Bytes"),
    [COLUMN_LARGEST] = STAT_COUNT("Largest"),
    [COLUMN_HANDLE] = STAT_TEXT("Handle"),
    [COLUMN_OPENED] = STAT_COUNT("Opened in frame"),
    [COLUMN_CLOSED] = STAT_COUNT("Closed in frame"),
    [COLUMN_FAILED] = STAT_COUNT("Failed"),
    [COLUMN_TOO_SMALL] = STAT_COUNT("Too small"),
    [COLUMN_WASTED] = STAT_COUNT("Wasted %"),
    [COLUMN_LATE] = STAT_COUNT("Late"),
    [COLUMN_OVERLAP] = STAT_COUNT("Overlap"),
    [COLUMN_TWICE] = STAT_COUNT("Twice"),
    [COLUMN_RESPONSE] = STAT_REAL("Response ms", 3),
    [COLUMN_MEDIAN] = STAT_REAL("Median s", 3),
    [COLUMN_LONGEST] = STAT_REAL("Longest s", 3),
};

#define WASTE_COLUMNS \
    (STAT_BIT(COLUMN_TOO_SMALL) | STAT_BIT(COLUMN_WASTED) | STAT_BIT(COLUMN_LATE) | STAT_BIT(COLUMN_OVERLAP) | \
        STAT_BIT(COLUMN_TWICE))

static bool
perfdata_queries_wastes(const struct stat_rows *rows, unsigned row)
{
    return stat_cells_count(rows, row, WASTE_COLUMNS);
}

static const struct stat_view queries_views[] = {
    {
        .columns = STAT_BIT(COLUMN_FRAME) | STAT_BIT(COLUMN_CLIENT) | STAT_BIT(COLUMN_SERVER) | STAT_BIT(COLUMN_VALUE) |
            STAT_BIT(COLUMN_ANSWERS) | STAT_BIT(COLUMN_BYTES) | STAT_BIT(COLUMN_LARGEST) | STAT_BIT(COLUMN_RESPONSE) |
            STAT_BIT(COLUMN_MEDIAN) | STAT_BIT(COLUMN_LONGEST),
    },
    {
        .title = "Handles",
        .columns = STAT_BIT(COLUMN_FRAME) | STAT_BIT(COLUMN_HANDLE) | STAT_BIT(COLUMN_OPENED) |
            STAT_BIT(COLUMN_CLOSED) | STAT_BIT(COLUMN_FAILED),
    },
    {
        .title = "What a client could spare",
        .columns = STAT_BIT(COLUMN_FRAME) | WASTE_COLUMNS,
        .shows = perfdata_queries_wastes,
    },
};

static const struct asking_columns perfdata_asking_columns = {
    COLUMN_BYTES,
    COLUMN_WASTED,
    COLUMN_LATE,
    COLUMN_OVERLAP,
    COLUMN_RESPONSE,
    COLUMN_MEDIAN,
    COLUMN_LONGEST,
};

/* What tells a row from the others. Without a value name: the last row of a handle. */
struct row_id {
    const void *key; /* NULL: of no handle, but of an operation and a server, which the value name says */
    const char *value_name;
    char *made; /* the same where it is ours to free; else NULL */
};

/* Kept beside a row. */
struct perfdata_queries_row_state {
    struct stat_asking asking; /* first: asking_free_state() */
    bool has_older;
    unsigned older;  /* the row of the same handle made before */
    uint32_t unread; /* bytes of an answer that was not read, so far */
};

static guint
row_id_hash(const void *p)
{
    const struct row_id *id = (const struct row_id *)p;

    return g_direct_hash(id->key) ^ (id->value_name == NULL ? 0 : wmem_str_hash(id->value_name));
}

static gboolean
row_id_equal(const void *a, const void *b)
{
    const struct row_id *x = (const struct row_id *)a;
    const struct row_id *y = (const struct row_id *)b;

    return x->key == y->key && g_strcmp0(x->value_name, y->value_name) == 0;
}

static struct perfdata_queries_row_state *
perfdata_queries_row_state(const struct stat_rows *rows, unsigned row)
{
    return (struct perfdata_queries_row_state *)stat_rows_state(rows, row);
}

static struct row_id *
new_row_id(const void *key, const char *value_name)
{
    struct row_id *id = g_new(struct row_id, 1);

    *id = (struct row_id){ key, value_name, NULL };
    return id;
}

static void
free_row_id(void *p)
{
    struct row_id *id = (struct row_id *)p;

    g_free(id->made);
    g_free(id);
}

static unsigned
perfdata_queries_find_row(struct stat_rows *rows, const struct perfdata_tap *call, const packet_info *pinfo)
{
    const char *value_name = call->value_name != NULL ? call->value_name : "";
    const struct row_id id = { call->key, value_name, NULL }, last = { call->key, NULL, NULL };
    stat_tap_table_item_type cells[NUM_COLUMNS];
    unsigned row, older = 0;
    bool has_older;

    if (stat_rows_find(rows, &id, &row)) {
        return row;
    }
    stat_cells_init(rows, cells);
    cells[COLUMN_FRAME].value.uint_value = pinfo->num;
    stat_cell_set_text(&cells[COLUMN_CLIENT], address_to_str(pinfo->pool, &pinfo->dst));
    stat_cell_set_text(&cells[COLUMN_HANDLE], bytes_to_str(pinfo->pool, call->handle, POLICY_HANDLE_SIZE));
    stat_cell_set_text(&cells[COLUMN_VALUE], value_name);
    has_older = stat_rows_find(rows, &last, &older);
    row = stat_rows_add(rows, new_row_id(call->key, value_name), cells);
    perfdata_queries_row_state(rows, row)->has_older = has_older;
    perfdata_queries_row_state(rows, row)->older = older;
    stat_rows_add_key(rows, new_row_id(call->key, NULL), row);
    return row;
}

/* Finds the row of calls on no handle that is known: those that were to open one and failed, and those not read. */
static unsigned
find_operation_row(struct stat_rows *rows, const struct perfdata_tap *call, const char *handle,
    const packet_info *pinfo)
{
    const char *client =
        address_to_str(pinfo->pool, call->unread != NULL && !call->is_response ? &pinfo->src : &pinfo->dst);
    const struct row_id id = {
        NULL,
        wmem_strdup_printf(pinfo->pool, "%s %s %s %s", handle, call->operation, client, call->host),
        NULL,
    };
    stat_tap_table_item_type cells[NUM_COLUMNS];
    struct row_id *kept;
    unsigned row;

    if (stat_rows_find(rows, &id, &row)) {
        return row;
    }
    stat_cells_init(rows, cells);
    cells[COLUMN_FRAME].value.uint_value = pinfo->num;
    stat_cell_set_text(&cells[COLUMN_CLIENT], client);
    stat_cell_set_text(&cells[COLUMN_HANDLE], handle);
    stat_cell_set_text(&cells[COLUMN_VALUE], call->operation);
    kept = new_row_id(NULL, NULL);
    kept->value_name = kept->made = g_strdup(id.value_name);
    return stat_rows_add(rows, kept, cells);
}

/* Such may be about performance data, or not: the registry has one interface for all. */
static bool
perfdata_queries_count_unread(struct stat_rows *rows, const struct perfdata_tap *call, const packet_info *pinfo)
{
    const nstime_t unknown = NSTIME_INIT_ZERO;
    stat_tap_table_item_type *cells;
    struct perfdata_queries_row_state *state;
    unsigned row;

    stat_rows_end_with(rows, call->needed);
    row = find_operation_row(rows, call, "registry calls, sealed", pinfo);
    cells = stat_rows_cells(rows, row);
    state = perfdata_queries_row_state(rows, row);
    stat_cell_set_text(&cells[COLUMN_SERVER], call->host);
    asking_cells_count(cells, &perfdata_asking_columns, &state->asking,
        &(struct asking_call){
            .bytes = call->size,
            .response_time = call->is_response && call->is_last ? &call->response_time : &unknown,
        });
    state->unread += call->is_response ? call->size : 0;
    if (call->is_response && call->is_last) {
        cells[COLUMN_ANSWERS].value.uint_value++;
        cells[COLUMN_LARGEST].value.uint_value = MAX(cells[COLUMN_LARGEST].value.uint_value, state->unread);
        state->unread = 0;
    }
    return true;
}

/* What may become known, or change, after a row was made. */
static void
update_row(stat_tap_table_item_type *cells, const struct perfdata_tap *call)
{
    cells[COLUMN_OPENED].value.uint_value = call->opened_in;
    cells[COLUMN_CLOSED].value.uint_value = call->closed_in;
    stat_cell_set_text(&cells[COLUMN_SERVER], call->host);
}

static void
update_rows(struct stat_rows *rows, const struct perfdata_tap *call)
{
    const struct row_id last = { call->key, NULL, NULL };
    const struct perfdata_queries_row_state *state;
    unsigned row;

    for (bool found = stat_rows_find(rows, &last, &row); found; found = state->has_older, row = state->older) {
        state = perfdata_queries_row_state(rows, row);
        update_row(stat_rows_cells(rows, row), call);
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
        update_rows(rows, call);
        return true;
    }
    row = call->key == NULL ? find_operation_row(rows, call, "not opened", pinfo)
                            : perfdata_queries_find_row(rows, call, pinfo);
    cells = stat_rows_cells(rows, row);
    state = perfdata_queries_row_state(rows, row);
    update_row(cells, call);
    if (call->failed) {
        cells[call->too_small ? COLUMN_TOO_SMALL : COLUMN_FAILED].value.uint_value++;
    } else {
        cells[COLUMN_ANSWERS].value.uint_value++;
        cells[COLUMN_LARGEST].value.uint_value = MAX(cells[COLUMN_LARGEST].value.uint_value, call->size);
    }
    asking_cells_count(cells, &perfdata_asking_columns, &state->asking,
        &(struct asking_call){
            .bytes = call->bytes != 0 ? call->bytes : call->size,
            .too_small = call->too_small,
            .finding = call->asking,
            .response_time = &call->response_time,
            .has_interval = !call->failed && call->has_interval,
            .interval = call->interval,
        });
    cells[COLUMN_TWICE].value.uint_value += call->is_twice;
    return true;
}

const struct stat_kind perfdata_queries_table = {
    .name = "queries",
    .title = "Queries",
    .columns = queries_columns,
    .num_columns = NUM_COLUMNS,
    .count = perfdata_queries_queries_count,
    .views = queries_views,
    .num_views = array_length(queries_views),
    .frames = STAT_BIT(COLUMN_FRAME) | STAT_BIT(COLUMN_OPENED) | STAT_BIT(COLUMN_CLOSED),
    .owned = STAT_BIT(COLUMN_CLIENT) | STAT_BIT(COLUMN_SERVER) | STAT_BIT(COLUMN_VALUE) | STAT_BIT(COLUMN_HANDLE),
    .state_size = sizeof(struct perfdata_queries_row_state),
    .free_state = asking_free_state,
    .hash = row_id_hash,
    .equal = row_id_equal,
    .free_key = free_row_id,
};
