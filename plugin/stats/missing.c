/* missing.c
 * -z PROTOCOL,missing: data that a client requested and did not receive, and why
 *
 * Terminals and windows have one row for all counters of a counterset that a machine did not send for the same reason;
 * files have one row per counter. Items received later are not missing, except values that PDH rejects, and blocks with
 * an error: these are listed even if other polls had a value.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include <limits.h>
#include <string.h>

#include <epan/to_str.h>

#include "base/win32-names.h"
#include "stats/key-index.h"
#include "stats/remedies.h"

/* clang-format off */
#define MISSING_COLUMNS(X) \
    X(COLUMN_FRAME, STAT_COUNT("first_frame", "First frame")) \
    X(COLUMN_CLIENT, STAT_TEXT("client", "Client")) \
    X(COLUMN_SERVER, STAT_TEXT("server", "Server")) \
    X(COLUMN_WHAT, STAT_TEXT("asked_for", "Asked for")) \
    X(COLUMN_WHY, STAT_TEXT("reason", "Why not received")) \
    X(COLUMN_PDH, STAT_TEXT("pdh", "PDH's code")) \
    X(COLUMN_COUNTERS, STAT_COUNT(NULL, "Counters")) \
    X(COLUMN_INSTANCES, STAT_COUNT(NULL, "Instances")) \
    X(COLUMN_TIMES, STAT_COUNT("times", "Times")) \
    X(COLUMN_KIND, STAT_DATA_TEXT("kind")) /* first of the columns that only files have */ \
    X(COLUMN_CODE, STAT_DATA_TEXT("reason_code")) \
    X(COLUMN_STATUS, STAT_DATA_COUNT("status")) \
    X(COLUMN_PDH_CODE, STAT_DATA_COUNT("pdh_code")) \
    X(COLUMN_SET, STAT_DATA_TEXT("counterset")) \
    X(COLUMN_SET_ID, STAT_DATA_TEXT("counterset_id")) \
    X(COLUMN_INSTANCE, STAT_DATA_TEXT("instance")) \
    X(COLUMN_COUNTER, STAT_DATA_TEXT("counter")) \
    X(COLUMN_COUNTER_ID, STAT_DATA_COUNT("counter_id")) \
    X(COLUMN_GROUP, STAT_DATA_COUNT("group"))
/* clang-format on */

enum { MISSING_COLUMNS(STAT_COLUMN_NUMBER) NUM_COLUMNS };
static const struct stat_column missing_columns[NUM_COLUMNS] = { MISSING_COLUMNS(STAT_COLUMN) };

/* Maximum number of counters named in a group's row. */
#define MOST_NAMED 3u

/* A client and its server, by address. */
struct missing_peers {
    const char *client, *server; /* addresses of client and server; NULL in a new entry */
    /* paths of polled counters (file scope); .data is not NULL once a value was received: later ones are not checked */
    struct key_index *paths;
};

/* Something that a client requested from a server: a counter, or another item such as a name or an object. */
struct thing {
    struct missing_thing entry; /* must be the first member; .client and .text are set from the beginning */
    const struct missing_peers *peers;
    /* WHY_REFUSED_BY_PDH or WHY_BLOCK_ERROR: stays missing even if other polls have a value; else 0 */
    unsigned aside;
    uint32_t asked_in; /* frame of the latest request for this item, or of a later answer about it */
    wmem_list_t *with; /* for a call: the items (struct thing) that its request asked for */
    bool is_missing;
    bool was_received; /* true once received: later PDUs do not make it missing again */
    bool is_asked;     /* true while the answer to the request is outstanding */
    bool is_listed;    /* true if in missing_table.listed */
};

/* Table of missing data of one protocol. */
struct missing_table {
    struct stat_rows rows;   /* must be the first member */
    struct key_index *peers; /* struct missing_peers by the addresses of client and server */
    wmem_map_t *things;      /* set of struct thing, unique by peers, text and .aside */
    wmem_map_t *texts;       /* texts of items, each stored once */
    wmem_list_t *listed;     /* struct thing that were missing at some time, in order */
    /* Allocator of .groups and .positions, emptied at each missing_fill() */
    wmem_allocator_t *filled;
    GPtrArray *missing;       /* struct missing_thing that are still missing, in the order of .listed */
    struct key_index *groups; /* struct missing_group of the items in .missing, in the order of rows */
    wmem_array_t *positions;  /* for files: struct stat_position (group and index) of each row */
    GString *key;
};

/*
 * Row of the table: missing counters of one counterset and machine with the same reason, or a single item of another
 * kind.
 */
struct missing_group {
    wmem_array_t *things; /* struct missing_thing *: counters, or one item such as a call; NULL in a new group */
    unsigned number;      /* serial number of the group, in order of the groups' first items */
    bool is_first_sample; /* true if only a second poll is needed */
};

static unsigned
thing_hash(const void *data)
{
    const struct thing *thing = (const struct thing *)data;

    return wmem_str_hash(thing->entry.text) + thing->aside + g_direct_hash(thing->peers);
}

static int
is_same_thing(const void *a, const void *b)
{
    const struct thing *one = (const struct thing *)a, *other = (const struct thing *)b;

    return one->peers == other->peers && one->aside == other->aside && strcmp(one->entry.text, other->entry.text) == 0;
}

static void
missing_begin(struct stat_rows *rows)
{
    struct missing_table *table = (struct missing_table *)rows;

    if (table->filled == NULL) {
        table->filled = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK_FAST);
        table->missing = g_ptr_array_new();
        table->key = g_string_new(NULL);
    }
    table->peers = key_index_new(rows->scope);
    table->things = wmem_map_new(rows->scope, thing_hash, is_same_thing);
    table->texts = wmem_map_new(rows->scope, wmem_str_hash, g_str_equal);
    table->listed = wmem_list_new(rows->scope);
    unread_follow();
}

/* Returns the table's copy of a text, which all its items share; NULL for NULL. */
static const char *
share_text(struct missing_table *table, const char *text)
{
    char *shared = text == NULL ? NULL : (char *)wmem_map_lookup(table->texts, text);

    if (text != NULL && shared == NULL) {
        shared = wmem_strdup(table->rows.scope, text);
        wmem_map_insert(table->texts, shared, shared);
    }
    return shared;
}

static struct missing_peers *
find_peers(struct missing_table *table, const packet_info *pinfo, bool is_request)
{
    const char *client = address_to_str(pinfo->pool, is_request ? &pinfo->src : &pinfo->dst);
    const char *server = address_to_str(pinfo->pool, is_request ? &pinfo->dst : &pinfo->src);
    struct missing_peers *peers;

    g_string_assign(table->key, client);
    g_string_append_c(table->key, '\n');
    g_string_append(table->key, server);
    peers = (struct missing_peers *)key_index_gather(table->peers, table->key->str, sizeof *peers);
    if (peers->paths == NULL) {
        wmem_allocator_t *scope = table->rows.scope;

        *peers = (struct missing_peers){ wmem_strdup(scope, client), wmem_strdup(scope, server), key_index_new(scope) };
    }
    return peers;
}

/* Returns the item with this text (what), adding it if it is new. aside: as in struct thing. */
static struct thing *
find_thing(struct missing_table *table, const struct missing_peers *peers, const char *what, unsigned aside)
{
    const struct thing like = { .entry = { .text = what }, .peers = peers, .aside = aside };
    struct thing *thing = (struct thing *)wmem_map_lookup(table->things, &like);

    if (thing == NULL) {
        thing = (struct thing *)wmem_memdup(table->rows.scope, &like, sizeof like);
        thing->entry.text = wmem_strdup(table->rows.scope, what);
        thing->entry.client = peers->client;
        thing->entry.address = peers->server;
        wmem_map_insert(table->things, thing, thing);
    }
    return thing;
}

/* Stores the description of an item that is missing for the first time. */
static void
list_thing(struct missing_table *table, struct thing *thing, uint32_t frame, const struct perf_tap_asked *what)
{
    struct missing_thing *entry = &thing->entry;

    thing->is_missing = true;
    entry->times = 0;
    entry->frame = frame;
    if (thing->is_listed) {
        return;
    }
    thing->is_listed = true;
    wmem_list_append(table->listed, thing);
    entry->kind = what->kind;
    entry->set = share_text(table, what->set);
    entry->set_id = share_text(table, what->set_id);
    entry->instance = share_text(table, what->instance);
    entry->counter = share_text(table, what->counter);
    entry->has_counter_id = what->has_counter_id;
    entry->counter_id = what->counter_id;
}

static void
count_missing(struct thing *thing, const packet_info *pinfo, const struct perf_tap_missing_item *item)
{
    /* .times counts requests. An answer counts only if its request was not captured. */
    if (item->kind == MISSING_ASKED || !thing->is_asked) {
        thing->entry.times++;
    }
    thing->is_asked = item->kind == MISSING_ASKED;
    thing->asked_in = pinfo->num;
    thing->entry.why = item->why;
    thing->entry.pdh = item->pdh;
    if (item->why.code == WHY_NAMES_DAMAGED) {
        /* Show the frame of the answer, which contains the damaged names, not that of the request. */
        thing->entry.frame = pinfo->num;
    }
}

/*
 * Updates an item of a machine (host) from a PDU. Returns true once the item was received: later PDUs do not make it
 * missing again.
 */
static bool
count_thing(struct missing_table *table, const packet_info *pinfo, const char *host, const struct missing_peers *peers,
    const struct perf_tap_missing_item *item)
{
    const unsigned aside =
        item->why.code == WHY_REFUSED_BY_PDH || item->why.code == WHY_BLOCK_ERROR ? item->why.code : 0;
    struct thing *thing = find_thing(table, peers, item->what.text, aside);

    if (thing->was_received) {
        return true;
    }
    if (item->kind == MISSING_RECEIVED || item->kind == MISSING_ACCEPTED) {
        thing->was_received = item->kind == MISSING_RECEIVED;
        thing->is_asked = thing->is_missing = false;
        return thing->was_received;
    }
    if (!thing->is_missing) {
        list_thing(table, thing, pinfo->num, &item->what);
    }
    if (g_strcmp0(thing->entry.server, host) != 0) {
        thing->entry.server = share_text(table, host);
    }
    count_missing(thing, pinfo, item);
    return false;
}

/*
 * Remembers with a call (the PDU's first item) the items that its request asks for. If the call fails, they get its
 * reason.
 */
static void
count_call(struct missing_table *table, const packet_info *pinfo, const struct perf_tap_missing *record,
    const struct missing_peers *peers)
{
    const struct perf_tap_missing_item *items = record->items;
    struct thing *call;

    if (record->num_items == 0 || (record->num_items == 1 && items[0].kind == MISSING_ASKED)) {
        return;
    }
    call = find_thing(table, peers, items[0].what.text, 0);
    if (items[0].kind == MISSING_ASKED) {
        call->with = call->with == NULL ? wmem_list_new(table->rows.scope) : call->with;
        for (unsigned i = 1; i < record->num_items; i++) {
            wmem_list_prepend(call->with, find_thing(table, peers, items[i].what.text, 0));
        }
        return;
    }
    if (call->with == NULL) {
        return;
    }
    for (wmem_list_frame_t *link = wmem_list_head(call->with); link != NULL; link = wmem_list_frame_next(link)) {
        struct thing *thing = (struct thing *)wmem_list_frame_data(link);

        if (thing->is_asked && items[0].kind == MISSING_REFUSED) {
            count_missing(thing, pinfo, &items[0]);
        } else if (thing->is_asked) {
            thing->entry.why.has_finding = items[0].why.has_finding;
        }
    }
    wmem_destroy_list(call->with);
    call->with = NULL;
}

/* Returns true if a value was received, but PDH rejects it for a negative value, time base or denominator. */
static bool
is_refused_by_pdh(const struct cook_result *cooked)
{
    const uint32_t pdh = cooked->reason == COOK_OK && cooked->value >= 0 ? 0 : pdh_of_value(cooked);

    return pdh >= 0x800007D6u && pdh <= 0x800007D8u; /* PDH_CALC_NEGATIVE_* */
}

/* Updates a counter from its value in a poll. Returns true if the counter needs no further check. */
static bool
count_missing_value(struct missing_table *table, const packet_info *pinfo, const struct perf_tap_missing *record,
    const struct missing_peers *peers, const struct perf_tap_value *value)
{
    const enum cook_reason reason = value->cooked.reason;
    const uint32_t pdh = pdh_of_value(&value->cooked);
    const bool is_refused = is_refused_by_pdh(&value->cooked);
    const bool is_there = reason == COOK_OK || reason == COOK_TEXT;
    struct perf_tap_missing_item item = { is_there ? MISSING_RECEIVED : MISSING_REFUSED,
        { .kind = ASKED_COUNTER, .text = value->path },
        { is_there ? WHY_RECEIVED : WHY_NO_VALUE, .status = reason,
            .has_finding = record->values->wrong_blocks != NULL && record->values->wrong_blocks[value->place[0]] },
        pdh };
    struct perf_tap_origin origin;

    if (!is_there || is_refused) {
        record->values->tell(record->values, value, &origin);
        item.what.set = origin.set;
        item.what.set_id = origin.set_id;
        item.what.instance = origin.instance;
        item.what.counter = origin.counter;
        item.what.has_counter_id = true;
        item.what.counter_id = origin.counter_id;
    }
    if (is_refused) {
        item.kind = MISSING_REFUSED;
        item.why.code = WHY_REFUSED_BY_PDH;
        /* A value was received, so the counter's item with .aside 0 is not missing any more. */
        find_thing(table, peers, value->path, 0)->is_missing = false;
        count_thing(table, pinfo, record->values->host, peers, &item);
        return false;
    }
    /* A server may pass on the values of another machine: the record of the values names the one that has them. */
    return count_thing(table, pinfo, record->values->host, peers, &item);
}

/* Processes the values of a poll. For a counter that had a value before, this costs only one look-up. */
static void
count_values(struct missing_table *table, const packet_info *pinfo, const struct perf_tap_missing *record,
    struct missing_peers *peers)
{
    const struct perf_tap_poll *poll = record->values;

    for (unsigned i = 0; i < poll->num_values; i++) {
        const struct perf_tap_value *value = &poll->values[i];
        struct key_entry *path;

        /* Windows never displays some types, such as bases: they are not missing. */
        if (value->path == NULL || value->cooked.reason == COOK_NOT_DISPLAYED) {
            continue;
        }
        path = key_index_entry(peers->paths, key_index_add(peers->paths, value->path));
        if ((path->data == NULL || is_refused_by_pdh(&value->cooked)) &&
            count_missing_value(table, pinfo, record, peers, value)) {
            path->data = peers;
        }
    }
}

static bool
missing_count(struct stat_rows *rows, const packet_info *pinfo, const void *tapped)
{
    struct missing_table *table = (struct missing_table *)rows;
    const struct perf_tap_missing *record = (const struct perf_tap_missing *)tapped;
    struct missing_peers *peers;

    stat_rows_end_with(rows, record->needed);
    /* The record is that of a request if its first item is MISSING_ASKED, else that of an answer. */
    peers = find_peers(table, pinfo, record->num_items > 0 && record->items[0].kind == MISSING_ASKED);
    for (unsigned i = 0; i < record->num_items; i++) {
        count_thing(table, pinfo, record->host, peers, &record->items[i]);
    }
    count_call(table, pinfo, record, peers);
    if (record->values != NULL) {
        count_values(table, pinfo, record, peers);
    }
    return true;
}

/*
 * Adds an item to its group, made on first use. Only counters of one counterset that are missing for the same reason
 * share a group.
 */
static void
add_to_group(struct key_index *groups, const struct missing_thing *thing, GString *key)
{
    const unsigned number = key_index_size(groups);
    struct missing_group *group;

    if (thing->kind == ASKED_COUNTER) {
        g_string_printf(key, "%s\n%s\n%u\n%u\n%08x\n%s", thing->client, thing->server, thing->why.code,
            thing->why.status, thing->pdh, thing->set == NULL ? "" : thing->set);
    } else {
        g_string_printf(key, "%u", number);
    }
    group = (struct missing_group *)key_index_gather(groups, key->str, sizeof *group);
    if (group->things == NULL) {
        *group = (struct missing_group){
            .things = wmem_array_new(groups->scope, sizeof thing),
            .number = number,
            .is_first_sample = thing->why.code == WHY_NO_VALUE && thing->why.status == COOK_FIRST_SAMPLE,
        };
    }
    wmem_array_append_one(group->things, thing);
}

static const struct missing_thing *
group_thing(const struct missing_group *group, unsigned i)
{
    return *(const struct missing_thing *const *)wmem_array_index(group->things, i);
}

static unsigned
group_size(const struct missing_group *group)
{
    return wmem_array_get_count(group->things);
}

/* Returns "\\\\HOST\\Set(a)\\b, \\\\HOST\\Set(b)\\b and 7 more". Free it with g_free(). */
static char *
group_text(const struct stat_rows *rows, const struct missing_group *group)
{
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; i < MIN(group_size(group), MOST_NAMED); i++) {
        g_string_append(text, i > 0 ? ", " : "");
        stat_append_short(text, group_thing(group, i)->text, rows->has_windows ? WINDOW_PATH_MAX : LONG_MAX);
    }
    if (group_size(group) > MOST_NAMED) {
        g_string_append_printf(text, " and %u more", group_size(group) - MOST_NAMED);
    }
    return g_string_free(text, FALSE);
}

/* Sets the cells that two kinds of rows share: rows of groups (in windows and terminals), rows of items (in files). */
static void
show_thing(stat_tap_table_item_type *cells, const struct missing_thing *thing, wmem_allocator_t *scope)
{
    cells[COLUMN_FRAME].value.uint_value = thing->frame;
    stat_cell_set_text(&cells[COLUMN_CLIENT], thing->client);
    stat_cell_set_text(&cells[COLUMN_SERVER], thing->server);
    stat_cell_set_text(&cells[COLUMN_WHAT], thing->text);
    stat_cell_set_text(&cells[COLUMN_WHY], perf_tap_why_text(scope, &thing->why));
    stat_cell_set_text(&cells[COLUMN_PDH], remedy_pdh_text(scope, thing->pdh));
    cells[COLUMN_TIMES].value.uint_value = thing->times;
}

static void
show_group(const struct stat_rows *rows, stat_tap_table_item_type *cells, const struct missing_group *group,
    wmem_allocator_t *scope)
{
    GHashTable *counters = g_hash_table_new(wmem_str_hash, g_str_equal);
    GHashTable *instances = g_hash_table_new(wmem_str_hash, g_str_equal);
    const struct missing_thing *first = group_thing(group, 0);
    char *text = group_text(rows, group);
    unsigned times = 0, frame = first->frame;

    show_thing(cells, first, scope);
    for (unsigned i = 0; i < group_size(group); i++) {
        const struct missing_thing *thing = group_thing(group, i);

        times += thing->times;
        frame = MIN(frame, thing->frame);
        if (thing->kind == ASKED_COUNTER) {
            g_hash_table_add(counters, thing->counter == NULL ? (void *)"*" : (void *)thing->counter);
        }
        if (thing->instance != NULL) {
            g_hash_table_add(instances, (void *)thing->instance);
        }
    }
    cells[COLUMN_FRAME].value.uint_value = frame;
    stat_cell_set_short(rows, &cells[COLUMN_SERVER], first->server, WINDOW_NAME_MAX);
    stat_cell_set_text(&cells[COLUMN_WHAT], text);
    cells[COLUMN_COUNTERS].value.uint_value = g_hash_table_size(counters);
    cells[COLUMN_INSTANCES].value.uint_value = g_hash_table_size(instances);
    cells[COLUMN_TIMES].value.uint_value = times;
    g_hash_table_destroy(counters);
    g_hash_table_destroy(instances);
    g_free(text);
}

static void
set_number(stat_tap_table_item_type *cell, bool is_there, unsigned number)
{
    cell->type = is_there ? TABLE_ITEM_UINT : TABLE_ITEM_NONE;
    cell->value.uint_value = number;
}

/* Sets the cells of an item's row in a file. */
static void
show_data(stat_tap_table_item_type *cells, const struct missing_thing *thing, unsigned group, wmem_allocator_t *scope)
{
    static const char *const kinds[NUM_ASKED_KINDS] = { "counter", "object", "call", "blocks" };
    const struct perf_tap_why *why = &thing->why;

    show_thing(cells, thing, scope);
    stat_cell_set_text(&cells[COLUMN_KIND], kinds[thing->kind]);
    stat_cell_set_text(&cells[COLUMN_CODE], perf_tap_why_name(why));
    set_number(&cells[COLUMN_STATUS], why->code == WHY_ERROR || why->code == WHY_BLOCK_ERROR || why->code == WHY_FAULT,
        why->status);
    set_number(&cells[COLUMN_PDH_CODE], thing->pdh != 0, thing->pdh);
    stat_cell_set_text(&cells[COLUMN_SET], thing->set);
    stat_cell_set_text(&cells[COLUMN_SET_ID], thing->set_id);
    stat_cell_set_text(&cells[COLUMN_INSTANCE], thing->instance);
    stat_cell_set_text(&cells[COLUMN_COUNTER], thing->counter);
    set_number(&cells[COLUMN_COUNTER_ID], thing->has_counter_id, thing->counter_id);
    cells[COLUMN_GROUP].value.uint_value = group;
}

/* Compares two groups for sorting: groups that only need a second sample are last. */
static int
compare_groups(const void *a, const void *b)
{
    const struct missing_group *one = (const struct missing_group *)((const struct key_entry *)a)->data;
    const struct missing_group *other = (const struct missing_group *)((const struct key_entry *)b)->data;

    return one->is_first_sample != other->is_first_sample ? one->is_first_sample - other->is_first_sample
        : one->number < other->number                     ? -1
                                                          : 1;
}

static void
missing_show(const struct stat_rows *rows, unsigned row, stat_tap_table_item_type *cells)
{
    const struct missing_table *table = (const struct missing_table *)rows;
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);

    if (rows->is_data) {
        const struct stat_position *position = (const struct stat_position *)wmem_array_index(table->positions, row);
        const struct missing_group *group =
            (const struct missing_group *)key_index_data(table->groups, position->group);

        show_data(cells, group_thing(group, position->element), position->group + 1, scope);
    } else {
        show_group(rows, cells, (const struct missing_group *)key_index_data(table->groups, row), scope);
    }
    wmem_destroy_allocator(scope);
}

/* Returns why a request has no answer. awaited: see attempt_add_awaited(). */
static enum perf_tap_why_code
unanswered_why(uint32_t frame, GHashTable *awaited)
{
    const unsigned waits = GPOINTER_TO_UINT(g_hash_table_lookup(awaited, GUINT_TO_POINTER(frame)));
    const unsigned ended = unread_why(frame);

    switch (ended != OUTCOME_NONE ? ended : waits) {
    case OUTCOME_REST_NOT_READ: return WHY_REST_NOT_READ;
    case OUTCOME_FRAGMENTED: return WHY_FRAGMENTED;
    case OUTCOME_OPEN: return WHY_OPEN;
    default: return WHY_NO_ANSWER;
    }
}

static void
missing_fill(struct stat_rows *rows)
{
    struct missing_table *table = (struct missing_table *)rows;
    GHashTable *awaited = unread_awaited();

    g_ptr_array_set_size(table->missing, 0);
    wmem_free_all(table->filled);
    table->groups = key_index_new(table->filled);
    table->positions = wmem_array_new(table->filled, sizeof(struct stat_position));
    for (wmem_list_frame_t *link = wmem_list_head(table->listed); link != NULL; link = wmem_list_frame_next(link)) {
        struct thing *thing = (struct thing *)wmem_list_frame_data(link);

        if (thing->entry.why.code == WHY_NO_ANSWER || thing->entry.why.code == WHY_OPEN) {
            thing->entry.why.code = unanswered_why(thing->asked_in, awaited);
        }
        thing->entry.is_size_error = thing->entry.why.code == WHY_ERROR && win32_is_size_error(thing->entry.why.status);
        thing->entry.is_under_way = g_hash_table_contains(awaited, GUINT_TO_POINTER(thing->asked_in));
        if (thing->is_missing) {
            thing->entry.server = share_text(table, perf_tap_host_now(thing->entry.server));
            g_ptr_array_add(table->missing, &thing->entry);
            add_to_group(table->groups, &thing->entry, table->key);
        }
    }
    g_hash_table_destroy(awaited);
    if (key_index_size(table->groups) > 0) {
        qsort(table->groups->entries, key_index_size(table->groups), sizeof(struct key_entry), compare_groups);
    }
    for (unsigned i = 0; rows->is_data && i < key_index_size(table->groups); i++) {
        const unsigned size = group_size((const struct missing_group *)key_index_data(table->groups, i));

        for (struct stat_position position = { i, 0 }; position.element < size; position.element++) {
            wmem_array_append_one(table->positions, position);
        }
    }
    stat_rows_resize(rows, rows->is_data ? wmem_array_get_count(table->positions) : key_index_size(table->groups));
}

const GPtrArray *
missing_things(const struct stat_rows *rows)
{
    return ((const struct missing_table *)rows)->missing;
}

static const struct stat_view missing_view = {
    .columns = STAT_BITS(COLUMN_FRAME, COLUMN_TIMES) & ~STAT_BIT(COLUMN_WHAT),
    .below = STAT_BIT(COLUMN_WHAT),
};

const struct stat_kind missing_table = {
    .name = "missing",
    .title = "Missing",
    .columns = missing_columns,
    .num_columns = NUM_COLUMNS,
    .count = missing_count,
    .begin = missing_begin,
    .fill = missing_fill,
    .show = missing_show,
    .fills_late = true,
    .good_news = "All values were received.",
    .views = &missing_view,
    .num_views = 1,
    .frames = STAT_BIT(COLUMN_FRAME),
    .size = sizeof(struct missing_table),
};
