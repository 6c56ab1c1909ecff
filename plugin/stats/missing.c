/* missing.c
 * -z PROTOCOL,missing: what a client asked for and never received, and why
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "compat.h"

#include <epan/to_str.h>

#include "cook/cooking.h"
#include "counters/record.h"
#include "stats/rows.h"

enum missing_column {
    COLUMN_FRAME,
    COLUMN_CLIENT,
    COLUMN_SERVER,
    COLUMN_WHAT,
    COLUMN_WHY,
    COLUMN_PDH,
    COLUMN_TIMES,
    NUM_COLUMNS
};

static const struct stat_column missing_columns[NUM_COLUMNS] = {
    [COLUMN_FRAME] = STAT_COUNT("first_frame", "First frame"),
    [COLUMN_CLIENT] = STAT_TEXT("client", "Client"),
    [COLUMN_SERVER] = STAT_TEXT("server", "Server"),
    [COLUMN_WHAT] = STAT_TEXT("asked_for", "Asked for"),
    [COLUMN_WHY] = STAT_TEXT("reason", "Why not received"),
    [COLUMN_PDH] = STAT_TEXT("pdh", "PDH's code"),
    [COLUMN_TIMES] = STAT_COUNT("times", "Times"),
};

#define NO_ROW UINT_MAX

/* Something a client asked a server for. */
struct thing {
    struct missing_thing told; /* first */
    unsigned row;              /* NO_ROW: there is nothing to say */
    bool was_received;         /* ... for good */
    bool is_asked;             /* the answer is still to come */
    GSList *with;              /* struct thing: of a call, what its request asked for, too */
};

/* The table of one protocol. */
struct missing_table {
    struct stat_rows rows; /* first */
    GHashTable *things;    /* addresses of client and server, and what -> struct thing */
    GHashTable *came;      /* both addresses -> GHashTable: paths (file scope) that need not be looked at any more */
    GString *key;
};

static void
free_thing(void *thing)
{
    g_slist_free(((struct thing *)thing)->with);
    g_free(thing);
}

static void
free_came(void *came)
{
    g_hash_table_destroy((GHashTable *)came);
}

static void
missing_begin(struct stat_rows *rows)
{
    struct missing_table *table = (struct missing_table *)rows;

    if (table->things == NULL) {
        table->things = g_hash_table_new_full(wmem_str_hash, g_str_equal, g_free, free_thing);
        table->came = g_hash_table_new_full(wmem_str_hash, g_str_equal, g_free, free_came);
        table->key = g_string_new(NULL);
    }
    g_hash_table_remove_all(table->things);
    g_hash_table_remove_all(table->came);
}

static struct thing *
find_thing(struct missing_table *table, const char *client, const char *server, const char *what)
{
    struct thing *thing;

    g_string_printf(table->key, "%s\n%s\n%s", client, server, what);
    thing = (struct thing *)g_hash_table_lookup(table->things, table->key->str);
    if (thing == NULL) {
        thing = g_new0(struct thing, 1);
        thing->row = NO_ROW;
        g_hash_table_insert(table->things, g_strdup(table->key->str), thing);
    }
    return thing;
}

/* There is nothing more to say of it, for now. */
static void
settle(struct missing_table *table, struct thing *thing)
{
    thing->is_asked = false;
    if (thing->row != NO_ROW) {
        stat_rows_remove(&table->rows, thing->row);
        if (thing->row < stat_rows_count(&table->rows)) {
            (*(struct thing **)stat_rows_state(&table->rows, thing->row))->row = thing->row;
        }
        thing->row = NO_ROW;
    }
}

static void
add_thing_row(struct missing_table *table, struct thing *thing, uint32_t frame, const char *client,
    const struct perf_tap_asked *what)
{
    stat_tap_table_item_type *cells;

    thing->row = stat_rows_add(&table->rows, NULL, NULL);
    cells = stat_rows_cells(&table->rows, thing->row);
    cells[COLUMN_FRAME].value.uint_value = frame;
    stat_cell_set_text(&cells[COLUMN_CLIENT], client);
    stat_cell_set_text(&cells[COLUMN_WHAT], what->text);
    thing->told.kind = what->kind;
    *(struct thing **)stat_rows_state(&table->rows, thing->row) = thing;
}

static void
count_missing(struct missing_table *table, struct thing *thing, const struct perf_tap_missing_item *item,
    wmem_allocator_t *scope)
{
    stat_tap_table_item_type *cells = stat_rows_cells(&table->rows, thing->row);

    /* The answer to what was counted already. */
    if (item->kind == MISSING_ASKED || !thing->is_asked) {
        cells[COLUMN_TIMES].value.uint_value++;
    }
    thing->is_asked = item->kind == MISSING_ASKED;
    thing->told.why = item->why;
    stat_cell_set_text(&cells[COLUMN_WHY], perf_tap_why_text(scope, &item->why));
    stat_cell_set_text(&cells[COLUMN_PDH],
        item->pdh == 0 ? "" : wmem_strdup_printf(scope, "0x%08X %s", item->pdh, pdh_name(item->pdh)));
}

/* What a PDU says of one thing. Returns whether it was received for good. */
static bool
count_thing(struct missing_table *table, const packet_info *pinfo, const struct perf_tap_missing *record,
    const char *client, const char *server, const struct perf_tap_missing_item *item)
{
    struct thing *thing = find_thing(table, client, server, item->what.text);

    if (thing->was_received) {
        return true;
    }
    if (item->kind == MISSING_RECEIVED || item->kind == MISSING_ACCEPTED) {
        thing->was_received = item->kind == MISSING_RECEIVED;
        settle(table, thing);
        return thing->was_received;
    }
    if (thing->row == NO_ROW) {
        add_thing_row(table, thing, pinfo->num, client, &item->what);
    }
    /* What the server is called may become known later. */
    stat_cell_set_text(&stat_rows_cells(&table->rows, thing->row)[COLUMN_SERVER], record->host);
    count_missing(table, thing, item, pinfo->pool);
    return false;
}

/* A call that failed brings nothing of what its request asked for. The first item of a PDU is the call. */
static void
count_call(struct missing_table *table, const packet_info *pinfo, const struct perf_tap_missing *record,
    const char *client, const char *server)
{
    const struct perf_tap_missing_item *items = record->items;
    struct thing *call;

    if (record->num_items == 0) {
        return;
    }
    call = find_thing(table, client, server, items[0].what.text);
    if (items[0].kind == MISSING_ASKED) {
        for (unsigned i = 1; i < record->num_items; i++) {
            call->with = g_slist_prepend(call->with, find_thing(table, client, server, items[i].what.text));
        }
        return;
    }
    for (GSList *link = items[0].kind == MISSING_REFUSED ? call->with : NULL; link != NULL; link = link->next) {
        struct thing *thing = (struct thing *)link->data;

        if (thing->is_asked) {
            count_missing(table, thing, &items[0], pinfo->pool);
        }
    }
    g_slist_free(call->with);
    call->with = NULL;
}

/* The values of a poll, which are many: those received before cost one look. */
static void
count_values(struct missing_table *table, const packet_info *pinfo, const struct perf_tap_missing *record,
    const char *client, const char *server)
{
    const struct perf_tap_poll *poll = record->values;
    GHashTable *came;

    g_string_printf(table->key, "%s\n%s", client, server);
    came = (GHashTable *)g_hash_table_lookup(table->came, table->key->str);
    if (came == NULL) {
        came = g_hash_table_new(g_direct_hash, g_direct_equal);
        g_hash_table_insert(table->came, g_strdup(table->key->str), came);
    }
    for (unsigned i = 0; i < poll->num_samples; i++) {
        const struct perf_tap_sample *sample = &poll->samples[i];
        const enum cook_reason reason = sample->cooked.reason;
        const bool is_there = reason == COOK_OK || reason == COOK_TEXT;

        /* What is not displayed nobody asked for. */
        if (sample->path != NULL && reason != COOK_NOT_DISPLAYED && !g_hash_table_contains(came, sample->path) &&
            count_thing(table, pinfo, record, client, server,
                &(struct perf_tap_missing_item){ is_there ? MISSING_RECEIVED : MISSING_REFUSED,
                    { ASKED_COUNTER, .text = sample->path },
                    { is_there ? WHY_RECEIVED : WHY_NO_VALUE, .status = reason }, pdh_of_value(&sample->cooked) })) {
            g_hash_table_add(came, (void *)sample->path);
        }
    }
}

static bool
missing_count(struct stat_rows *rows, const packet_info *pinfo, const void *tapped)
{
    struct missing_table *table = (struct missing_table *)rows;
    const struct perf_tap_missing *record = (const struct perf_tap_missing *)tapped;
    const char *client, *server;
    bool is_asked;

    stat_rows_end_with(rows, record->needed);
    /* A request holds nothing but what is asked for, an answer nothing of it. */
    is_asked = record->num_items > 0 && record->items[0].kind == MISSING_ASKED;
    client = address_to_str(pinfo->pool, is_asked ? &pinfo->src : &pinfo->dst);
    server = address_to_str(pinfo->pool, is_asked ? &pinfo->dst : &pinfo->src);
    for (unsigned i = 0; i < record->num_items; i++) {
        count_thing(table, pinfo, record, client, server, &record->items[i]);
    }
    count_call(table, pinfo, record, client, server);
    if (record->values != NULL) {
        count_values(table, pinfo, record, client, server);
    }
    return true;
}

static const struct stat_view missing_view = {
    .columns = ~STAT_BIT(COLUMN_WHAT),
    .below = STAT_BIT(COLUMN_WHAT),
};

const struct missing_thing *
missing_thing_at(const struct stat_rows *rows, unsigned row)
{
    return &(*(const struct thing *const *)stat_rows_state(rows, row))->told;
}

const struct stat_kind missing_table = {
    .name = "missing",
    .title = "Missing",
    .columns = missing_columns,
    .num_columns = NUM_COLUMNS,
    .count = missing_count,
    .begin = missing_begin,
    .views = &missing_view,
    .num_views = 1,
    .frames = STAT_BIT(COLUMN_FRAME),
    .size = sizeof(struct missing_table),
    .state_size = sizeof(struct thing *), /* a row's */
};
