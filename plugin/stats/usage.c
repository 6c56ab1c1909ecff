/* usage.c
 * -z PROTOCOL,usage: who queries which countersets of whom, and the cost
 *
 * An answer has values of several countersets (or objects): its bytes, its response time and the bytes of earlier calls
 * whose buffer was too small are split among them by number of values. Shares are of the server's time for all polls of
 * all clients.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include <epan/to_str.h>

#include "stats/key-index.h"
#include "stats/request-cells.h"

/* clang-format off */
#define USAGE_COLUMNS(X) \
    X(COLUMN_CLIENT, STAT_TEXT("client", "Client")) \
    X(COLUMN_SERVER, STAT_TEXT("server", "Server")) \
    X(COLUMN_SET, STAT_TEXT("counterset", "Counterset")) \
    X(COLUMN_POLLS, STAT_COUNT("polls", "Polls")) \
    X(COLUMN_VALUES, STAT_COUNT("values", "Values")) \
    X(COLUMN_BYTES, STAT_BYTES("bytes", "Bytes")) \
    X(COLUMN_TIME, STAT_REAL("server_ms", "Total ms", 3)) \
    X(COLUMN_SHARE, STAT_REAL("share_percent", "Share %", 1)) \
    X(COLUMN_COUNTERS, STAT_COUNT("counters", "Counters")) \
    X(COLUMN_INSTANCES, STAT_COUNT("instances", "Instances")) \
    X(COLUMN_WASTED, STAT_COUNT("wasted_percent", "Wasted bytes %")) \
    X(COLUMN_INTERVAL, STAT_REAL("interval_s", "Interval s", 3)) /* the last column in windows: may be empty */ \
    X(COLUMN_SET_ID, STAT_DATA_TEXT("counterset_id"))
/* clang-format on */

enum { USAGE_COLUMNS(STAT_COLUMN_NUMBER) NUM_COLUMNS };
static const struct stat_column usage_columns[NUM_COLUMNS] = { USAGE_COLUMNS(STAT_COLUMN) };

/*
 * The column "Share %" is updated when a server's total time has grown by this part: updating it at each poll would be
 * too slow.
 */
#define SHARE_STEP 0.0005

struct usage_server {
    double seconds;     /* total response time of all rows in seconds */
    double shown;       /* .seconds when the shares of rows were last updated */
    wmem_array_t *rows; /* array of row numbers, unsigned */
};

/* State that belongs to a row of the usage table. */
struct usage_row_state {
    double bytes, seconds, wasted;
    /* identities of the values counted so far: a new one may have a new counter or instance */
    struct key_index *identities;
    wmem_map_t *counters, *instances; /* sets of counter ids and of instance names */
    /* maps a query to the time of its latest poll with values of the row (double, in seconds) */
    wmem_map_t *polled;
    struct median intervals; /* intervals between polls */
    struct usage_server *server;
    unsigned values; /* values in the poll being counted */
};

/* Usage table of one protocol. */
struct usage {
    struct stat_rows rows;     /* must be the first member */
    struct key_index *servers; /* struct usage_server by perf_tap_host_key() of a server */
};

static void
usage_begin(struct stat_rows *rows)
{
    ((struct usage *)rows)->servers = key_index_new(rows->scope);
}

static struct usage_row_state *
usage_row_state(const struct stat_rows *rows, unsigned row)
{
    return (struct usage_row_state *)stat_rows_state(rows, row);
}

static unsigned
usage_find_row(struct usage *usage, const char *client, const char *host, const struct perf_tap_origin *origin)
{
    const char *place = perf_tap_host_key(host);
    char *key = g_strjoin("\n", client, place, origin->set_id == NULL ? origin->set : origin->set_id, NULL);
    unsigned row;
    const bool is_new = stat_rows_find_or_add(&usage->rows, key, &row);
    stat_tap_table_item_type *cells = stat_rows_cells(&usage->rows, row);

    /* The counterset's name may have been unknown when the row was added. */
    stat_cell_set_short(&usage->rows, &cells[COLUMN_SET], origin->set, WINDOW_NAME_MAX);
    if (is_new) {
        wmem_allocator_t *scope = usage->rows.scope;
        struct usage_server *server = (struct usage_server *)key_index_gather(usage->servers, place, sizeof *server);

        stat_cell_set_text(&cells[COLUMN_CLIENT], client);
        stat_cell_set_short(&usage->rows, &cells[COLUMN_SERVER], host, WINDOW_NAME_MAX);
        if (usage->rows.is_data) {
            stat_cell_set_text(&cells[COLUMN_SET_ID], origin->set_id);
        }
        *usage_row_state(&usage->rows, row) = (struct usage_row_state){
            .server = server,
            .identities = key_index_new(scope),
            .counters = wmem_map_new(scope, g_direct_hash, g_direct_equal),
            .instances = wmem_map_new(scope, wmem_str_hash, g_str_equal),
            .polled = wmem_map_new(scope, wmem_str_hash, g_str_equal),
        };
        server->rows = server->rows == NULL ? wmem_array_new(scope, sizeof row) : server->rows;
        wmem_array_append_one(server->rows, row);
    }
    g_free(key);
    return row;
}

static void
show_share(const struct stat_rows *rows, unsigned row)
{
    const struct usage_row_state *state = usage_row_state(rows, row);

    stat_cell_set_real(&stat_rows_cells(rows, row)[COLUMN_SHARE],
        state->server->seconds > 0 ? 100 * state->seconds / state->server->seconds : 0);
}

/* Adds response time to a server. */
static void
usage_add_time(const struct stat_rows *rows, struct usage_server *server, double seconds)
{
    server->seconds += seconds;
    if (server->seconds > server->shown * (1 + SHARE_STEP)) {
        server->shown = server->seconds;
        for (unsigned i = 0; i < wmem_array_get_count(server->rows); i++) {
            show_share(rows, *(unsigned *)wmem_array_index(server->rows, i));
        }
    }
}

/* Counts the counter and the instance of a value with a new identity, unless they were counted before. */
static void
count_identity(const struct stat_rows *rows, unsigned row, const struct perf_tap_poll *poll,
    const struct perf_tap_value *value)
{
    struct usage_row_state *state = usage_row_state(rows, row);
    stat_tap_table_item_type *cells = stat_rows_cells(rows, row);
    struct perf_tap_origin origin;

    poll->tell(poll, value, &origin);
    wmem_map_insert(state->counters, GUINT_TO_POINTER(origin.counter_id), NULL);
    cells[COLUMN_COUNTERS].value.uint_value = wmem_map_size(state->counters);
    if (origin.instance != NULL && !wmem_map_contains(state->instances, origin.instance)) {
        wmem_map_insert(state->instances, wmem_strdup(rows->scope, origin.instance), NULL);
        cells[COLUMN_INSTANCES].value.uint_value++;
    }
}

/* Adds the interval since the query's previous poll with values of the counterset. */
static void
count_interval(wmem_allocator_t *scope, struct usage_row_state *state, stat_tap_table_item_type *cell,
    const struct perf_tap_poll *poll, double now)
{
    double *before = (double *)wmem_map_lookup(state->polled, poll->query);

    if (before == NULL) {
        before = wmem_new(scope, double);
        wmem_map_insert(state->polled, wmem_strdup(scope, poll->query), before);
    } else if (now >= *before) {
        stat_cell_set_real(cell, median_add(scope, &state->intervals, now - *before));
    }
    *before = now;
}

/* Counts the values of a counterset in a poll. The poll's cost is shared by number of values. */
static void
count_set(struct usage *usage, unsigned row, const struct perf_tap_poll *poll, unsigned all, double now)
{
    stat_tap_table_item_type *cells = stat_rows_cells(&usage->rows, row);
    struct usage_row_state *state = usage_row_state(&usage->rows, row);
    const double part = (double)state->values / all;

    state->bytes += part * poll->bytes;
    state->wasted += part * poll->wasted;
    count_interval(usage->rows.scope, state, &cells[COLUMN_INTERVAL], poll, now);
    cells[COLUMN_WASTED].value.uint_value =
        request_state_percent((uint64_t)state->wasted, (uint64_t)(state->bytes + state->wasted));
    state->seconds += part * poll->seconds;
    cells[COLUMN_POLLS].value.uint_value++;
    cells[COLUMN_VALUES].value.uint_value += state->values;
    state->values = 0;
    stat_cell_set_real(&cells[COLUMN_BYTES], (double)(uint64_t)(state->bytes + 0.5));
    stat_cell_set_real(&cells[COLUMN_TIME], state->seconds * 1000);
    show_share(&usage->rows, row);
}

static bool
usage_count(struct stat_rows *rows, const packet_info *pinfo, const void *tapped)
{
    struct usage *usage = (struct usage *)rows;
    const struct perf_tap_poll *poll = (const struct perf_tap_poll *)tapped;
    const struct perf_tap_value *before = NULL;
    struct usage_row_state *state = NULL;
    const char *client;
    unsigned row = 0, all = 0;
    wmem_array_t *polled; /* rows of the countersets in the poll */

    if (stat_rows_end_with(rows, poll->needed)) {
        return true;
    }
    client = address_to_str(pinfo->pool, &pinfo->dst);
    polled = wmem_array_new(pinfo->pool, sizeof row);
    for (unsigned i = 0; i < poll->num_values; i++) {
        const struct perf_tap_value *value = &poll->values[i];
        struct perf_tap_origin origin;
        unsigned known;

        if (value->num_aggregated > 0) {
            continue;
        }
        if (before == NULL || value->place[0] != before->place[0]) {
            poll->tell(poll, value, &origin);
            row = usage_find_row(usage, client, poll->host, &origin);
            state = usage_row_state(rows, row);
            if (state->values == 0) {
                wmem_array_append_one(polled, row);
            }
        }
        before = value;
        known = key_index_size(state->identities);
        if (key_index_add(state->identities, value->identity) == known) {
            count_identity(rows, row, poll, value);
        }
        state->values++;
        all++;
    }
    for (unsigned i = 0; i < wmem_array_get_count(polled); i++) {
        count_set(usage, *(const unsigned *)wmem_array_index(polled, i), poll, all, nstime_to_sec(&pinfo->abs_ts));
    }
    if (all > 0) {
        usage_add_time(rows, state->server, poll->seconds);
    }
    return all > 0;
}

/* Terminal layout. If there is no room, the last columns are dropped first. */
static const struct stat_view usage_view = {
    .columns = STAT_BITS(COLUMN_CLIENT, COLUMN_INTERVAL),
    .optional = STAT_BITS(COLUMN_COUNTERS, COLUMN_INTERVAL),
};

const struct stat_kind usage_table = {
    .name = "usage",
    .title = "Usage",
    .columns = usage_columns,
    .num_columns = NUM_COLUMNS,
    .count = usage_count,
    .begin = usage_begin,
    .views = &usage_view,
    .num_views = 1,
    .renames_servers = true,
    .size = sizeof(struct usage),
    .state_size = sizeof(struct usage_row_state),
};
