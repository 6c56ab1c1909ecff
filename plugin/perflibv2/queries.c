/* queries.c
 * Query handles: their life, and the identifiers added to them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/query-epochs.h"

#include <string.h>

#include "base/hash.h"

struct query_key {
    /* connection or server: each query has an entry for both, as a client may use a handle on several connections */
    const void *whose;
    e_guid_t handle;
};

uint32_t queries_count;

HASH_BYTES(query_key, sizeof(struct query_key))
/* struct query_key -> struct query: the latest query with the handle */
static struct file_map all_queries = { query_key_hash, query_key_equal, NULL };
/* handle -> struct query: the latest query that any server opened with the handle */
static struct file_map all_opened = { guid_map_hash, guid_map_equal, NULL };

/* Clears the notes about removed and restarted identifiers, which are needed only for the poll after the change. */
static void
forget_changes(struct query *query)
{
    g_clear_pointer(&query->removed, g_hash_table_destroy);
    g_clear_pointer(&query->restarted, g_hash_table_destroy);
    query->is_polled = false;
}

static void
drop_state(struct query *query)
{
    inference_free(query->inference);
    query->inference = NULL;
    g_clear_pointer(&query->identifiers, g_hash_table_destroy);
    g_clear_pointer(&query->keys, g_hash_table_destroy);
    forget_changes(query);
    if (query->history != NULL) {
        series_store_close(query->history);
    }
    lpdata_known_free(query->known);
    query->known = NULL;
    query->is_released = true;
}

static void
drop_query(void *key _U_, void *value, void *user_data _U_)
{
    drop_state((struct query *)value);
}

static void
end_file(void)
{
    wmem_map_foreach(file_map(&all_queries), drop_query, NULL);
    connections_end_file();
    queries_count = 0;
}

void
queries_init(void)
{
    register_cleanup_routine(end_file);
}

/*
 * Stores a query for an owner, `whose`. Frees the state of the query that it replaces, unless that one is still open on
 * another connection.
 */
static void
queries_replace(const void *whose, struct query *query)
{
    const struct query_key key = { whose, query->handle };
    struct query *old = (struct query *)wmem_map_insert(file_map(&all_queries),
        wmem_memdup(wmem_file_scope(), &key, sizeof key), query);

    if (old != NULL && (old->closed_in != 0 || old->connection == query->connection)) {
        drop_state(old);
    }
}

/*
 * Returns the server under which a handle is stored: the named machine, or one for all unnamed machines at an address
 * and port.
 */
static const struct server *
handles_of(const struct server *server)
{
    const struct server *machine = server_known(server);

    return server_is_named(machine) ? machine : server_unnamed(machine);
}

static struct query *
new_query(struct server *server, const e_guid_t *handle, const struct connection_state *state, uint32_t opened_in)
{
    struct query *query = wmem_new0(wmem_file_scope(), struct query);

    query->handle = *handle;
    query->server = server;
    query->connection = state->connection;
    query->opened_in = opened_in;
    query->all_gaps_opened = state->all_gaps;
    query->number = ++queries_count;
    query_epoch_begin(query);
    queries_replace(handles_of(server), query);
    queries_replace(state->connection, query);
    state->connection->newest = query;
    return query;
}

/*
 * Returns whether a closed handle was certainly not given out again: no call is missing that may have opened it. On the
 * connection that closed the handle, only calls since the close count.
 */
static bool
is_still_closed(const struct query *query, const struct connection_state *state)
{
    if (state->connection == query->closing.connection) {
        return state->all_gaps == query->closing.all_gaps && !state->any_lacks_open && !state->is_unnumbered;
    }
    return state->is_whole && state->all_gaps == 0 && !state->any_lacks_open;
}

/*
 * Returns whether a query was closed before this frame, whose request may be recognised late, after the close was read.
 */
static bool
is_closed_by(const struct query *query, uint32_t frame)
{
    return query->closed_in != 0 && query->closed_in < frame;
}

struct query *
queries_use(struct server *server, const e_guid_t *handle, const struct connection_state *state, uint32_t frame)
{
    const struct query_key key = { state->connection, *handle };
    struct query *query = state->connection->newest;

    if (query == NULL || !guid_map_equal(&query->handle, handle)) {
        query = (struct query *)wmem_map_lookup(file_map(&all_queries), &key);
    }
    /*
     * The handle may have been opened on another connection, perhaps after its first use here: frames may be reordered.
     */
    if (query == NULL || is_closed_by(query, frame) || query->opened_in == 0) {
        struct query *latest = queries_find(server, handle);

        if (latest != NULL &&
            (query == NULL || is_closed_by(query, frame) ||
                connections_share_client(latest->connection, state->connection))) {
            query = latest;
        }
    }
    if (query == NULL || query->opened_in > frame || (is_closed_by(query, frame) && !is_still_closed(query, state)) ||
        (!state->is_whole && !connections_share_client(query->connection, state->connection))) {
        return new_query(server, handle, state, 0);
    }
    return query;
}

struct query *
queries_find(struct server *server, const e_guid_t *handle)
{
    struct query_key key = { handles_of(server), *handle };
    struct query *query = (struct query *)wmem_map_lookup(file_map(&all_queries), &key);

    if (query == NULL) {
        key.whose = server_unnamed(server);
        query = (struct query *)wmem_map_lookup(file_map(&all_queries), &key);
    }
    return query;
}

const struct query *
queries_opened_elsewhere(const struct query *query)
{
    return (const struct query *)wmem_map_lookup(file_map(&all_opened), &query->handle);
}

bool
queries_is_opened(const e_guid_t *handle)
{
    return wmem_map_contains(file_map(&all_opened), handle);
}

struct query *
queries_open(struct server *server, const e_guid_t *handle, const struct connection_state *state, uint32_t begun,
    uint32_t frame)
{
    struct query *query = queries_find(server, handle);

    if (query != NULL && query->number > begun && query->opened_in == 0 && query->connection == state->connection) {
        /* Frames may be reordered: the handle was used before the answer that opened it. */
        query->opened_in = frame;
    } else {
        query = new_query(server, handle, state, frame);
    }
    wmem_map_insert(file_map(&all_opened), &query->handle, query);
    return query;
}

void
queries_close(struct query *query, const struct connection_state *state, uint32_t frame)
{
    /* A close may be recognised late. If it precedes the opening of this query, it closed an earlier query. */
    if (query->closed_in == 0 && frame > query->opened_in) {
        query->closed_in = frame;
        query->closing = *state;
        drop_state(query);
    }
}

bool
queries_is_gap_since(const struct query *query, const struct connection_state *sent)
{
    return (query->is_shared ? sent->all_gaps : sent->gaps) != connections_gaps(sent->connection, query->is_shared);
}

void
queries_called(struct query *query, bool is_open, const struct connection *connection)
{
    if (!query->is_shared && connection != query->connection) {
        query->is_shared = true;
        query->gaps_opened = query->all_gaps_opened;
        query->epoch->gaps = query->all_gaps_opened;
    }
    if (is_open) {
        query->gaps_opened = connection->gaps;
        query->epoch->gaps = connection->gaps;
    }
    query->gaps = connections_gaps(connection, query->is_shared);
    query->calls_missing = query->calls_missing || query->gaps_opened != query->gaps;
    query->is_overlapped = query->is_overlapped || (query->calls_missing && query->is_shared) ||
        (connection->gaps != 0 && connection->several_under_way);
    /*
     * An OpenQueryHandle call without a captured answer may have opened this handle anew, after a close on another
     * connection.
     */
    query->is_unnumbered = query->is_unnumbered || connection->is_unnumbered ||
        (!is_open && connections_lacks_open(connection, query->is_shared));
}

/* Returns the number of ValidateCounters calls that are neither answered nor counted as lost. */
static unsigned
changes_open(const struct query *query)
{
    const unsigned closed = query->changes_answered + query->changes_given_up;

    return query->changes_begun > closed ? query->changes_begun - closed : 0;
}

uint32_t
queries_moment(const struct query *query)
{
    return (query->changes_begun + query->changes_answered) << 1 | (changes_open(query) > 0);
}

bool
queries_changed_since(const struct query *query, uint32_t moment)
{
    return (moment & 1) != 0 || moment != queries_moment(query);
}

/*
 * Seconds after which the answer to a ValidateCounters call counts as lost. A later call's answer does not prove the
 * loss, since calls may overlap.
 */
#define LOST_AFTER 60

void
queries_give_up_changes(struct query *query, uint32_t moment, const struct connection_state *sent)
{
    if (moment == queries_moment(query) && sent->sent_at - query->change_sent_at > LOST_AFTER) {
        query->changes_given_up += changes_open(query);
    }
}

void
queries_change_sent(struct query *query, const struct connection_state *sent)
{
    query->change_sent_at = sent->sent_at;
    query->changes_sent++;
    query->changes_begun++;
}

static void
change_answered(struct query *query)
{
    query->changes_answered++;
    if (query->changes_given_up > 0) {
        query->changes_given_up--;
    }
}

void
queries_unchanged(struct query *query)
{
    query->changes_known++;
    change_answered(query);
}

struct query_identifier
queries_read_identifier(tvbuff_t *tvb, const struct lp_identifier *id)
{
    return (struct query_identifier){
        id->guid,
        id->counter_id,
        inference_row(tvb, id->instance_id, id->name_offset, id->name),
        false,
        false,
    };
}

/* Returns a new entry for a query's table: one allocation with the name. */
static struct query_identifier *
new_identifier(const struct query_identifier *id)
{
    struct query_identifier *kept = (struct query_identifier *)g_malloc(sizeof *kept + id->instance.name_size);
    uint8_t *name = (uint8_t *)(kept + 1);

    *kept = *id;
    if (id->instance.name_size > 0) {
        memcpy(name, id->instance.name, id->instance.name_size);
    }
    kept->instance.name = name;
    return kept;
}

/* Kinds of keys for may_overlap(): counterset; counterset and counter; counterset, counter and instance name. */
enum { KEY_SET, KEY_COUNTER, KEY_INSTANCE };

static struct query_identifier
identifier_key(const struct query_identifier *id, uint32_t counter_id, unsigned kind, wmem_allocator_t *scratch)
{
    struct query_identifier key = { .set = id->set, .instance = { 0, NULL, 0 } };

    if (kind != KEY_SET) {
        key.counter_id = counter_id;
    }
    if (kind == KEY_INSTANCE && !inference_takes_names(id)) {
        key.instance = inference_folded_name(&id->instance, scratch);
    }
    key.instance.id = kind;
    return key;
}

static bool
has_key(GHashTable *keys, const struct query_identifier *id, uint32_t counter_id, unsigned kind,
    wmem_allocator_t *scratch)
{
    const struct query_identifier key = identifier_key(id, counter_id, kind, scratch);

    return g_hash_table_contains(keys, &key);
}

/* Counts an identifier under each of its keys (KEY_SET etc.), or subtracts it if `in` is false. */
static void
count_keys(GHashTable *keys, const struct query_identifier *id, bool in)
{
    for (unsigned kind = 0; kind <= KEY_INSTANCE; kind++) {
        const struct query_identifier key = identifier_key(id, id->counter_id, kind, NULL);
        unsigned *count = (unsigned *)g_hash_table_lookup(keys, &key);

        if (count == NULL && in) {
            count = g_new0(unsigned, 1);
            g_hash_table_insert(keys, new_identifier(&key), count);
        }
        if (count != NULL) {
            *count += in ? 1 : UINT_MAX;
            if (*count == 0) {
                g_hash_table_remove(keys, &key);
            }
        }
        wmem_free(NULL, (void *)key.instance.name);
    }
}

static GHashTable *
new_keys(void)
{
    return g_hash_table_new_full(query_identifier_hash, query_identifier_equal, g_free, g_free);
}

/* Returns query->keys: how many identifiers of the query have each key (KEY_SET etc.). Created on first use. */
static GHashTable *
keys_of_query(struct query *query)
{
    if (query->keys == NULL) {
        GHashTableIter iter;
        void *id;

        query->keys = new_keys();
        if (query->identifiers != NULL) {
            g_hash_table_iter_init(&iter, query->identifiers);
            while (g_hash_table_iter_next(&iter, &id, NULL)) {
                count_keys(query->keys, (const struct query_identifier *)id, true);
            }
        }
    }
    return query->keys;
}

/* Returns whether an identifier may request values that one of the identifiers counted in `keys` requests, too. */
static bool
may_overlap(GHashTable *keys, const struct query_identifier *id, wmem_allocator_t *scratch)
{
    const struct query_identifier any = { .set = id->set };
    const unsigned kind = inference_takes_names(id) ? KEY_COUNTER : KEY_INSTANCE;

    if (id->counter_id == PERF_WILDCARD_COUNTER) {
        return has_key(keys, &any, 0, KEY_SET, scratch);
    }
    return has_key(keys, id, id->counter_id, kind, scratch) ||
        has_key(keys, id, PERF_WILDCARD_COUNTER, kind, scratch) ||
        has_key(keys, &any, id->counter_id, KEY_INSTANCE, scratch) ||
        has_key(keys, &any, PERF_WILDCARD_COUNTER, KEY_INSTANCE, scratch);
}

/*
 * Notes that the next values of an identifier must not be compared with the last poll: the client removes it, or adds
 * it after it removed an identifier that may request the same values.
 */
static void
note_change(struct query *query, const struct query_identifier *id, bool add, wmem_allocator_t *scratch)
{
    if (query->last == NULL || (add && (query->removed == NULL || !may_overlap(query->removed, id, scratch)))) {
        return;
    }
    if (query->restarted == NULL) {
        query->removed = new_keys();
        query->restarted = g_hash_table_new_full(query_identifier_hash, query_identifier_equal, g_free, NULL);
    }
    if (!add) {
        count_keys(query->removed, id, true);
    }
    g_hash_table_add(query->restarted, new_identifier(id));
}

bool
queries_is_restarted(const struct query *query, const struct query_identifier *id, wmem_allocator_t *scratch)
{
    return query->restarted != NULL &&
        (g_hash_table_contains(query->restarted, id) ||
            (!g_hash_table_contains(query->identifiers, id) && may_overlap(query->removed, id, scratch)));
}

void
queries_changed(struct query *query, const struct lpdata *identifiers, bool add, wmem_allocator_t *scratch)
{
    const unsigned count = lpdata_count(identifiers->identifiers);
    bool is_changed = identifiers->is_cut;

    change_answered(query);
    if (!identifiers->is_cut) {
        query->changes_known++;
    }
    if (query->closed_in != 0) {
        return;
    }
    if (query->is_polled) {
        forget_changes(query);
    }
    if (query->identifiers == NULL) {
        query->identifiers = g_hash_table_new_full(query_identifier_hash, query_identifier_equal, g_free, NULL);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct lp_identifier *lp = lpdata_identifier(identifiers, i);
        const struct query_identifier id = queries_read_identifier(identifiers->tvb, lp);

        if (lp->status != 0) {
            continue;
        }
        is_changed = true;
        /*
         * The server accepted an identifier that was already added, or the removal of one that was not. No effect is
         * defined for that, so the identifiers of the query are unknown from now on.
         */
        if (add ? !g_hash_table_add(query->identifiers, new_identifier(&id))
                : !g_hash_table_remove(query->identifiers, &id)) {
            query->changes_known = 0;
            query->changes_sent++;
        } else if (query->keys != NULL) {
            count_keys(query->keys, &id, add);
        }
        note_change(query, &id, add, scratch);
    }
    /*
     * The index map and the inferred identifiers are valid only until identifiers change, so begin a new epoch. If the
     * server refused all identifiers of this call, nothing changed.
     */
    if (is_changed) {
        query_epoch_begin(query);
    }
}

void
queries_changed_somehow(struct query *query)
{
    change_answered(query);
    if (query->closed_in == 0) {
        query_epoch_begin(query);
    }
}

bool
queries_is_in_order(const struct query *query)
{
    return !query->is_shared && connections_is_only(query->connection);
}

bool
queries_is_only_change(const struct query *query, uint32_t moment, const struct connection_state *sent)
{
    return queries_is_in_order(query) && query->opened_in != 0 && query->closed_in == 0 && !query->calls_missing &&
        !query->is_overlapped && !queries_is_gap_since(query, sent) && !query->is_unnumbered &&
        query->changes_sent == query->changes_known + 1 && (moment & 1) == 0 &&
        query->changes_begun + query->changes_answered == (moment >> 1) + 1;
}

bool
queries_may_be_added(struct query *query, const struct query_identifier *id, wmem_allocator_t *scratch)
{
    return may_overlap(keys_of_query(query), id, scratch);
}

unsigned
queries_first_identifier(struct query *query, const struct lpdata *identifiers, bool is_added, bool accepted_only,
    wmem_allocator_t *scratch)
{
    const unsigned count = lpdata_count(identifiers->identifiers);

    for (unsigned i = 0; i < count; i++) {
        const struct lp_identifier *lp = lpdata_identifier(identifiers, i);
        const struct query_identifier id = queries_read_identifier(identifiers->tvb, lp);
        const bool has = query->identifiers != NULL && g_hash_table_contains(query->identifiers, &id);

        if ((!accepted_only || lp->status == 0) &&
            (is_added ? has : !has && !queries_may_be_added(query, &id, scratch))) {
            return i + 1;
        }
    }
    return 0;
}
