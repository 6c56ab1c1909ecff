/* queries.c
 * Query handles: their life, what was added to them, their polls
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/queries.h"

#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/text.h"
#include "counters/path.h"

struct mapped {
    uint32_t index;
    struct query_identifier identifier;
};

/* The identifiers of a query do not change within an epoch, so an index map holds for all its polls. */
struct query_epoch {
    uint32_t number;    /* in the query */
    uint32_t mapped_in; /* frame of the index map; 0: none yet */
    unsigned num_mapped;
    struct mapped *mapped;    /* by index */
    unsigned gaps;            /* what was missing when its identifiers were last taken to be these: calls, */
    unsigned changes_unknown; /* answers to ValidateCounters */
    bool is_doubtful;         /* something was missing since its map; no block has contradicted the map yet */
    unsigned map_gaps, map_changes_unknown; /* what was missing by the time of its map */
    const struct series_poll *first;        /* its first poll; NULL: none yet */
    unsigned num_polled;                    /* blocks of its latest */
};

struct query_key {
    const void *whose; /* of a connection; or of a machine, whatever the connection is */
    e_guid_t handle;
};

static uint32_t num_queries;
static unsigned version;

HASH_BYTES(query_key, sizeof(struct query_key))
/* struct query_key -> struct query, the latest life of each handle */
FILE_MAP(all_queries, query_key_hash, query_key_equal)
/* handle -> struct query, the latest opened on whatever server */
FILE_MAP(all_opened, guid_map_hash, guid_map_equal)

static void
drop_inference(struct query *query)
{
    inference_free(query->inference);
    query->inference = NULL;
}

static void
drop_state(struct query *query)
{
    drop_inference(query);
    if (query->identifiers != NULL) {
        g_hash_table_destroy(query->identifiers);
        query->identifiers = NULL;
    }
    if (query->keys != NULL) {
        g_hash_table_destroy(query->keys);
        query->keys = NULL;
    }
    if (query->history != NULL) {
        series_store_close(query->history);
    }
}

static void
drop_query(void *key _U_, void *value, void *user_data _U_)
{
    drop_state((struct query *)value);
}

static void
queries_begin_file(void)
{
    num_queries = 0;
}

static void
end_file(void)
{
    wmem_map_foreach(all_queries(), drop_query, NULL);
}

void
queries_init(void)
{
    register_init_routine(queries_begin_file);
    register_cleanup_routine(end_file);
}

/* What is missing of the capture by now changed nothing. */
static void
confirm_epoch(struct query *query)
{
    query->epoch->gaps = query->gaps;
    query->epoch->changes_unknown = query->changes_sent - query->changes_known;
}

static struct query_epoch *
new_epoch(struct query *query)
{
    struct query_epoch *epoch = wmem_new0(wmem_file_scope(), struct query_epoch);

    epoch->number = query->num_epochs++;
    return epoch;
}

/* Identifiers were added or removed: a new epoch, without an index map. */
static void
begin_epoch(struct query *query)
{
    drop_inference(query);
    query->epoch = new_epoch(query);
    confirm_epoch(query);
}

/* Nobody asks for old any more, unless it is still open on another connection than the one that took its place. */
static void
queries_replace(const void *whose, struct query *query)
{
    const struct query_key key = { whose, query->handle };
    struct query *old =
        (struct query *)wmem_map_insert(all_queries(), wmem_memdup(wmem_file_scope(), &key, sizeof key), query);

    if (old != NULL && (old->closed_in != 0 || old->connection == query->connection)) {
        drop_state(old);
    }
}

/* Whose handles are numbered together: a machine's; of those that are not named, all of a place. */
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
    query->number = ++num_queries;
    begin_epoch(query);
    queries_replace(handles_of(server), query);
    queries_replace(state->connection, query);
    return query;
}

/*
 * Whether the capture would hold the call that gave out again a handle that was closed: on the connection it was closed
 * on if nothing was lost since, on another if nothing was lost at all; the client's other connections count, too.
 */
static bool
is_still_closed(const struct query *query, const struct connection_state *state)
{
    if (state->connection == query->closing.connection) {
        return state->all_gaps == query->closing.all_gaps && !state->any_lacks_open && !state->is_unnumbered;
    }
    return state->is_whole && state->all_gaps == 0 && !state->any_lacks_open;
}

struct query *
queries_use(struct server *server, const e_guid_t *handle, const struct connection_state *state)
{
    const struct query_key key = { state->connection, *handle };
    struct query *query = (struct query *)wmem_map_lookup(all_queries(), &key);

    /* One that nobody opened so far may have been used before the answer that opened it. */
    if (query == NULL || query->closed_in != 0 || query->opened_in == 0) {
        struct query *latest = queries_find(server, handle);

        if (latest != NULL &&
            (query == NULL || query->closed_in != 0 ||
                connections_share_client(latest->connection, state->connection))) {
            query = latest;
        }
    }
    if (query == NULL || (query->closed_in != 0 && !is_still_closed(query, state)) ||
        (!state->is_whole && !connections_share_client(query->connection, state->connection))) {
        return new_query(server, handle, state, 0);
    }
    return query;
}

struct query *
queries_find(struct server *server, const e_guid_t *handle)
{
    struct query_key key = { handles_of(server), *handle };
    struct query *query = (struct query *)wmem_map_lookup(all_queries(), &key);

    if (query == NULL) {
        key.whose = server_unnamed(server);
        query = (struct query *)wmem_map_lookup(all_queries(), &key);
    }
    return query;
}

const struct query *
queries_opened_elsewhere(const struct query *query)
{
    return (const struct query *)wmem_map_lookup(all_opened(), &query->handle);
}

bool
queries_is_opened(const e_guid_t *handle)
{
    return wmem_map_contains(all_opened(), handle);
}

uint32_t
queries_begun(void)
{
    return num_queries;
}

struct query *
queries_open(struct server *server, const e_guid_t *handle, const struct connection_state *state, uint32_t begun,
    uint32_t frame)
{
    struct query *query = queries_find(server, handle);

    if (query != NULL && query->number > begun && query->opened_in == 0 && query->connection == state->connection) {
        /* Where frames changed places the handle was used before the answer that gave it. */
        query->opened_in = frame;
    } else {
        query = new_query(server, handle, state, frame);
    }
    wmem_map_insert(all_opened(), &query->handle, query);
    return query;
}

void
queries_close(struct query *query, const struct connection_state *state, uint32_t frame)
{
    /* A call that is recognised late is learned behind those that followed it: it closed what had the handle before. */
    if (query->closed_in == 0 && frame > query->opened_in) {
        query->closed_in = frame;
        query->closing = *state;
        drop_state(query);
    }
}

/* How often calls that may have changed a query had been missing by then. */
static unsigned
gaps_of(const struct query *query, const struct connection_state *state)
{
    return query->is_shared ? state->all_gaps : state->gaps;
}

/* Whether some are missing since a request was sent. */
static bool
is_gap_since(const struct query *query, const struct connection_state *sent)
{
    const struct connection_state now = connections_now(sent->connection);

    return gaps_of(query, sent) != gaps_of(query, &now);
}

void
queries_called(struct query *query, bool is_open, struct connection *connection)
{
    const struct connection_state state = connections_now(connection);

    if (!query->is_shared && connection != query->connection) {
        query->is_shared = true;
        query->gaps_opened = query->all_gaps_opened;
        query->epoch->gaps = query->all_gaps_opened;
    }
    if (is_open) {
        query->gaps_opened = state.gaps;
        query->epoch->gaps = state.gaps;
    }
    query->gaps = gaps_of(query, &state);
    query->calls_missing = query->calls_missing || query->gaps_opened != query->gaps;
    query->is_overlapped = query->is_overlapped || (query->calls_missing && query->is_shared) ||
        (state.gaps != 0 && state.several_under_way);
    /* An answer that is missing may have given out the handle again, after another connection closed it. */
    query->is_unnumbered = query->is_unnumbered || state.is_unnumbered ||
        (!is_open && (query->is_shared ? state.any_lacks_open : state.lacks_open));
}

/* Changes that are under way: sent, not answered, and not taken for lost. */
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

static bool
changed_since(const struct query *query, uint32_t moment)
{
    return (moment & 1) != 0 || moment != queries_moment(query);
}

/* A client may have several calls under way: only after so many seconds an answer is taken for lost. */
#define LOST_AFTER 60

static void
give_up_changes(struct query *query, uint32_t moment, const struct connection_state *sent)
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

static struct query_identifier
identifier_of(tvbuff_t *tvb, const struct lp_identifier *id)
{
    return (struct query_identifier){
        id->guid,
        id->counter_id,
        inference_row(tvb, id->instance_id, id->name_offset, id->name),
        false,
        false,
    };
}

/* An entry of a query's table: one block of memory, name included. */
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

/* What is looked for of an identifier: its counterset, its counter of it, and its instance, whatever the id. */
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

/* Counts an identifier in or out, by all that may be looked for of it. */
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

/* The identifiers of a query by these keys: made when they are first asked for, and kept. */
static GHashTable *
keys_of_query(struct query *query)
{
    if (query->keys == NULL) {
        GHashTableIter iter;
        void *id;

        query->keys = g_hash_table_new_full(query_identifier_hash, query_identifier_equal, g_free, g_free);
        if (query->identifiers != NULL) {
            g_hash_table_iter_init(&iter, query->identifiers);
            while (g_hash_table_iter_next(&iter, &id, NULL)) {
                count_keys(query->keys, (const struct query_identifier *)id, true);
            }
        }
    }
    return query->keys;
}

void
queries_changed(struct query *query, const struct lpdata *identifiers, bool add)
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
    if (query->identifiers == NULL) {
        query->identifiers = g_hash_table_new_full(query_identifier_hash, query_identifier_equal, g_free, NULL);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct lp_identifier *lp = lpdata_identifier(identifiers, i);
        const struct query_identifier id = identifier_of(identifiers->tvb, lp);

        if (lp->status != 0) {
            continue;
        }
        is_changed = true;
        /*
         * What a server removes for an identifier that was never added so, or adds for one that is there already, can't
         * be told: of one in the same call nothing says that it is refused.
         */
        if (add ? !g_hash_table_add(query->identifiers, new_identifier(&id))
                : !g_hash_table_remove(query->identifiers, &id)) {
            query->changes_known = 0;
            query->changes_sent++;
        } else if (query->keys != NULL) {
            count_keys(query->keys, &id, add);
        }
    }
    /*
     * What was refused changes nothing: an index map holds on. A new epoch has no inference of identifiers that are no
     * longer there.
     */
    if (is_changed) {
        begin_epoch(query);
    }
}

bool
queries_is_in_order(const struct query *query)
{
    return !query->is_shared && connections_now(query->connection).is_only;
}

bool
queries_is_only_change(const struct query *query, uint32_t moment, const struct connection_state *sent)
{
    return queries_is_in_order(query) && query->opened_in != 0 && query->closed_in == 0 && !query->calls_missing &&
        !query->is_overlapped && !is_gap_since(query, sent) && !query->is_unnumbered &&
        query->changes_sent == query->changes_known + 1 && (moment & 1) == 0 &&
        query->changes_begun + query->changes_answered == (moment >> 1) + 1;
}

unsigned
queries_first_added(const struct query *query, const struct lpdata *identifiers)
{
    const unsigned count = query->identifiers == NULL ? 0 : lpdata_count(identifiers->identifiers);

    for (unsigned i = 0; i < count; i++) {
        const struct lp_identifier *lp = lpdata_identifier(identifiers, i);
        const struct query_identifier id = identifier_of(identifiers->tvb, lp);

        if (lp->status == 0 && g_hash_table_contains(query->identifiers, &id)) {
            return i + 1;
        }
    }
    return 0;
}

/* Whether an identifier may mean what one of a query's means. */
static bool
may_be_added(GHashTable *keys, const struct query_identifier *id, wmem_allocator_t *scratch)
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

unsigned
queries_first_not_added(struct query *query, const struct lpdata *identifiers, bool accepted_only,
    wmem_allocator_t *scratch)
{
    const unsigned count = lpdata_count(identifiers->identifiers);
    unsigned found = 0;

    for (unsigned i = 0; i < count && found == 0; i++) {
        const struct lp_identifier *lp = lpdata_identifier(identifiers, i);
        const struct query_identifier id = identifier_of(identifiers->tvb, lp);

        if ((accepted_only && lp->status != 0) ||
            (query->identifiers != NULL && g_hash_table_contains(query->identifiers, &id))) {
            continue;
        }
        found = may_be_added(keys_of_query(query), &id, scratch) ? 0 : i + 1;
    }
    return found;
}

static int
compare_mapped(const void *a, const void *b)
{
    const uint32_t x = ((const struct mapped *)a)->index;
    const uint32_t y = ((const struct mapped *)b)->index;

    return x < y ? -1 : x > y;
}

/* The identifier mapped to a block; NULL where none is, or several are. */
static const struct query_identifier *
mapped_to(const struct query_epoch *epoch, unsigned block)
{
    const struct mapped key = { .index = block };
    const struct mapped *found;

    if (epoch->num_mapped == 0) {
        return NULL;
    }
    found = (const struct mapped *)bsearch(&key, epoch->mapped, epoch->num_mapped, sizeof key, compare_mapped);
    if (found == NULL || (found > epoch->mapped && found[-1].index == block) ||
        (found + 1 < epoch->mapped + epoch->num_mapped && found[1].index == block)) {
        return NULL;
    }
    return &found->identifier;
}

/*
 * A block no identifier is known of: its values are told apart by its place, as long as the query does not change. The
 * GUID stands for that place and is nobody's: its version digits are none RFC 4122 knows.
 */
static e_guid_t
unknown_set(const struct query_epoch *epoch, unsigned block)
{
    e_guid_t set = { epoch->number, 0xffff, 0xffff, { 'u', 'n', 'k', 'n', 0, 0, 0, 0 } };

    memcpy(&set.data4[4], &block, 4);
    return set;
}

/* Whether a block can't be what its epoch says of it. */
static bool
contradicts_epoch(const struct query *query, const struct series_block_in *block, unsigned index)
{
    const struct query_identifier *id = mapped_to(query->epoch, index);

    if (query->epoch->num_mapped != 0) {
        return id != NULL &&
            (inference_contradicts(block->kind, block->rows, block->num_rows, id) ||
                (lpdata_type_has_ids(block->kind) &&
                    inference_lacks_counters(query->server, &id->set, block->counters, block->num_counters)));
    }
    if (query->last != NULL && query->last->epoch == query->epoch) {
        const uint32_t before = series_shape(query->last->values, index)->kind;

        return before != block->kind && before != PERF_ERROR_RETURN && block->kind != PERF_ERROR_RETURN;
    }
    return false;
}

/*
 * Calls that the capture lacks may have changed the query. Where it has another number of blocks than before, or of
 * identifiers in an index map, or blocks that can't be what they were, they did. Else they may have been other calls,
 * or of another interface. blocks: num_given of a poll; a map has none.
 */
static void
check_epoch(struct query *query, unsigned num_blocks, const struct series_block_in *blocks, unsigned num_given)
{
    struct query_epoch *epoch = query->epoch;
    unsigned before = num_blocks;
    bool is_other;

    if (!query->is_unnumbered && !query->is_overlapped && epoch->gaps == query->gaps &&
        epoch->changes_unknown == query->changes_sent - query->changes_known) {
        return;
    }
    if (epoch->num_mapped != 0) {
        before = epoch->num_mapped;
    } else if (epoch->first != NULL) {
        before = epoch->num_polled;
    }
    is_other = num_blocks != before;
    for (unsigned b = 0; !is_other && b < num_given; b++) {
        is_other = contradicts_epoch(query, &blocks[b], b);
    }
    if (is_other) {
        begin_epoch(query);
    } else {
        epoch->is_doubtful = true;
        confirm_epoch(query);
    }
}

/*
 * Whether something is missing between a poll and its index map, so that the map may be of other identifiers: since the
 * map, or of a poll that came before it, up to it.
 */
static bool
is_doubtful(const struct query_poll *poll)
{
    const struct query_epoch *epoch = poll->epoch;

    return poll->is_doubtful ||
        (poll->values != NULL && poll->values->frame < epoch->mapped_in &&
            (poll->gaps != epoch->map_gaps || poll->changes_unknown != epoch->map_changes_unknown ||
                poll->query->is_unnumbered));
}

/* What the index map says of a block, one of num_blocks; LINK_NONE where it can't be so. */
static struct query_link
mapped_link(const struct query_epoch *epoch, unsigned index, unsigned num_blocks, uint32_t kind,
    const struct series_row *rows, unsigned num_rows)
{
    const struct query_identifier *id = mapped_to(epoch, index);

    if (num_blocks != epoch->num_mapped) {
        return (struct query_link){ .cause = LINK_OTHER_NUMBER };
    }
    if (id == NULL) {
        return (struct query_link){ .cause = LINK_NOT_MAPPED };
    }
    if (id->is_not_added) {
        return (struct query_link){ .cause = LINK_NOT_ADDED };
    }
    if (inference_contradicts(kind, rows, num_rows, id)) {
        return (struct query_link){ .cause = LINK_CONTRADICTED };
    }
    return inference_link_to(id, LINK_MAPPED, epoch->mapped_in);
}

static struct query_link
link_block(const struct query_poll *poll, unsigned index, uint32_t kind, const struct series_row *rows,
    unsigned num_rows)
{
    /* Of a poll that came before its map only the blocks that are there were remembered. */
    const bool is_before = poll->values != NULL && poll->values->frame < poll->epoch->mapped_in;
    struct query_link link = { .kind = LINK_NONE, .cause = poll->cause };

    if (poll->epoch->num_mapped != 0) {
        link =
            mapped_link(poll->epoch, index, is_before ? poll->num_blocks : poll->num_announced, kind, rows, num_rows);
        link.calls_missing = is_doubtful(poll);
    } else if (poll->inferred != NULL) {
        link = poll->inferred[index];
    }
    link.is_unnumbered = poll->query->is_unnumbered;
    /* One value of a counterset with several instances: whose it is, is not said. */
    if (link.kind != LINK_NONE && link.instance.name_size == 0 && !lpdata_type_has_instances(kind) &&
        catalog_counterset_has_instances(poll->query->server, &link.set)) {
        link.instance_known = false;
    }
    return link;
}

struct query_link
queries_link(const struct query_poll *poll, unsigned block)
{
    const struct series_shape *shape = series_shape(poll->values, block);

    return link_block(poll, block, shape->kind, shape->rows, shape->num_rows);
}

const struct query_identifier *
queries_identifier(const struct query_poll *poll, unsigned block)
{
    return is_doubtful(poll) || poll->query->is_unnumbered || poll->num_announced != poll->epoch->num_mapped
        ? NULL
        : mapped_to(poll->epoch, block);
}

bool
queries_begins_epoch(const struct query_poll *poll)
{
    return poll->values->previous == NULL || poll->epoch->first == poll->values;
}

unsigned
queries_num_mapped(const struct query_poll *poll)
{
    return queries_is_in_order(poll->query) ? poll->epoch->num_mapped : 0;
}

/* Why what was added to a query is not known; LINK_AMBIGUOUS where it is. */
static enum link_cause
cause_of_ignorance(const struct query *query)
{
    if (query->opened_in == 0) {
        return LINK_NOT_OPENED;
    }
    if (query->calls_missing || query->is_overlapped) {
        return LINK_CALLS_MISSING;
    }
    return query->changes_sent != query->changes_known ? LINK_CHANGE_UNKNOWN : LINK_AMBIGUOUS;
}

int
queries_num_identifiers(const struct query *query, uint32_t moment, const struct connection_state *sent)
{
    if (!queries_is_in_order(query) || query->closed_in != 0 || query->is_unnumbered ||
        cause_of_ignorance(query) != LINK_AMBIGUOUS || changed_since(query, moment) || is_gap_since(query, sent)) {
        return -1;
    }
    return query->identifiers == NULL ? 0 : (int)g_hash_table_size(query->identifiers);
}

/* Gives the blocks of polls that came before their index map the identity it gives them. */
static void
identify_polls(struct query *query)
{
    GPtrArray *layouts = g_ptr_array_new();

    for (const struct series_poll *poll = query->last->values; poll != NULL; poll = poll->previous) {
        if (poll->starts_layout || poll == query->epoch->first) {
            g_ptr_array_add(layouts, (void *)poll);
        }
        if (poll == query->epoch->first) {
            break;
        }
    }
    for (unsigned i = layouts->len; i-- > 0;) {
        const struct series_poll *poll = (const struct series_poll *)g_ptr_array_index(layouts, i);

        for (unsigned b = 0; b < poll->num_blocks; b++) {
            const struct series_shape *shape = series_shape(poll, b);
            const struct query_link link =
                mapped_link(query->epoch, b, poll->num_blocks, shape->kind, shape->rows, shape->num_rows);
            const e_guid_t unknown = unknown_set(query->epoch, b);

            if (guid_map_equal(&shape->set, &unknown) && inference_names_values(&link, shape->kind)) {
                series_identify(query->history, poll, b, &link.set,
                    lpdata_type_has_ids(shape->kind) ? NULL : &link.counter_id,
                    lpdata_type_has_instances(shape->kind) ? NULL : &link.instance);
            }
        }
    }
    g_ptr_array_free(layouts, TRUE);
}

/* Whether an answer says what the index map of the epoch does. */
static bool
map_is_known(const struct query_epoch *epoch, const struct lpdata *identifiers)
{
    const unsigned count = lpdata_count(identifiers->identifiers);

    if (count != epoch->num_mapped) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        const struct lp_identifier *lp = lpdata_identifier(identifiers, i);
        const struct query_identifier id = identifier_of(identifiers->tvb, lp), *known = mapped_to(epoch, lp->index);

        if (known == NULL || !query_identifier_equal(known, &id)) {
            return false;
        }
    }
    return true;
}

void
queries_mapped(struct query *query, const struct lpdata *identifiers, uint32_t moment,
    const struct connection_state *sent, uint32_t frame, wmem_allocator_t *scratch)
{
    const unsigned count = lpdata_count(identifiers->identifiers);
    const bool is_known =
        query->identifiers != NULL && !query->is_unnumbered && cause_of_ignorance(query) == LINK_AMBIGUOUS;
    struct query_epoch *epoch;
    GHashTable *keys;

    if (count == 0 || changed_since(query, moment) || is_gap_since(query, sent)) {
        return;
    }
    check_epoch(query, count, NULL, 0);
    query->epoch->is_doubtful = query->is_overlapped;
    if (query->epoch->num_mapped != 0) {
        if (map_is_known(query->epoch, identifiers)) {
            return;
        }
        /* The query was changed by a call that was not seen. */
        begin_epoch(query);
    }
    epoch = query->epoch;
    epoch->mapped = wmem_alloc_array(wmem_file_scope(), struct mapped, count);
    epoch->num_mapped = count;
    epoch->mapped_in = frame;
    epoch->map_gaps = query->gaps;
    epoch->map_changes_unknown = query->changes_sent - query->changes_known;
    keys = is_known ? keys_of_query(query) : NULL;
    for (unsigned i = 0; i < count; i++) {
        const struct lp_identifier *lp = lpdata_identifier(identifiers, i);
        struct query_identifier *id = &epoch->mapped[i].identifier;

        epoch->mapped[i].index = lp->index;
        *id = identifier_of(identifiers->tvb, lp);
        id->is_as_added = is_known && g_hash_table_contains(query->identifiers, id);
        id->is_not_added = is_known && !id->is_as_added && !may_be_added(keys, id, scratch);
        id->instance = inference_keep_row(&id->instance);
    }
    qsort(epoch->mapped, count, sizeof *epoch->mapped, compare_mapped);
    version++;

    /* Polls of this epoch that came before their map. */
    if (epoch->first != NULL) {
        identify_polls(query);
    }
}

/* Rows, counters and values of a block for its history, as far as it says so itself. Arrays are scratch, or data's. */
static struct series_block_in
block_for_history(const struct lpdata *data, unsigned index, wmem_allocator_t *scratch)
{
    const struct lp_block *block = lpdata_block(data, index);
    struct series_block_in in = { .kind = block->type };
    const uint8_t *bytes;
    uint32_t *counters;
    struct series_row *rows;

    if (!block->is_complete) {
        return in;
    }
    bytes = tvb_get_ptr(data->tvb, 0, -1);
    in.num_counters = lpdata_type_has_ids(block->type) ? block->num_ids : 1;
    in.num_rows = lpdata_type_has_instances(block->type) ? block->num_instances : 1;
    counters = wmem_alloc_array(scratch, uint32_t, MAX(in.num_counters, 1));
    rows = wmem_alloc_array(scratch, struct series_row, MAX(in.num_rows, 1));
    /* Of a block that does not say them. */
    counters[0] = 0;
    rows[0] = (struct series_row){ 0 };
    for (unsigned c = 0; lpdata_type_has_ids(block->type) && c < in.num_counters; c++) {
        counters[c] = bytes_uint32(bytes + lpdata_block_id_at(block, c), false);
    }
    for (unsigned r = 0; lpdata_type_has_instances(block->type) && r < in.num_rows; r++) {
        const struct lp_instance *instance = lpdata_instance(data, block->first_instance + r);

        rows[r] = (struct series_row){ instance->id, instance->name.size == 0 ? NULL : bytes + instance->name_offset,
            instance->name.size };
    }
    in.counters = counters;
    in.rows = rows;
    if (block->num_values > 0) {
        in.widths = data->widths + block->first_value;
        in.values = data->numbers + block->first_value;
    }
    return in;
}

/* What the block does not say itself: its counterset, and with one counter or instance which that is. In scratch. */
static void
identify_block(const struct query_poll *poll, unsigned index, struct series_block_in *block, wmem_allocator_t *scratch)
{
    const struct query_link link = link_block(poll, index, block->kind, block->rows, block->num_rows);

    block->is_named = inference_names_values(&link, block->kind);
    block->set = block->is_named ? link.set : unknown_set(poll->epoch, index);
    if (!lpdata_type_has_ids(block->kind)) {
        block->counters = (const uint32_t *)wmem_memdup(scratch, &link.counter_id, sizeof link.counter_id);
    }
    if (!lpdata_type_has_instances(block->kind)) {
        block->rows = (const struct series_row *)wmem_memdup(scratch, &link.instance, sizeof link.instance);
    }
}

/*
 * Whether the blocks of a poll are those of the one before, as far as an inference looks at them: types, counter ids,
 * instances.
 */
static bool
has_same_blocks(const struct query_poll *before, const struct series_block_in *blocks, const struct lpdata *data)
{
    const unsigned count = lpdata_count(data->blocks);

    if (before->num_blocks != count) {
        return false;
    }
    for (unsigned b = 0; b < count; b++) {
        const struct series_block_in *block = &blocks[b];
        const struct series_shape *shape = series_shape(before->values, b);
        const bool has_ids = lpdata_type_has_ids(block->kind), has_instances = lpdata_type_has_instances(block->kind);

        if (!lpdata_block(data, b)->is_complete || shape->kind != block->kind ||
            (has_ids && shape->num_counters != block->num_counters) ||
            (has_instances && shape->num_rows != block->num_rows)) {
            return false;
        }
        for (unsigned i = 0; has_ids && i < block->num_counters; i++) {
            if (shape->counters[i] != block->counters[i]) {
                return false;
            }
        }
        for (unsigned i = 0; has_instances && i < block->num_rows; i++) {
            if (!series_row_equal(&shape->rows[i], &block->rows[i])) {
                return false;
            }
        }
    }
    return true;
}

/* What the blocks of a poll are, without an index map. Polls that repeat the one before share its links. */
static const struct query_link *
infer_links(struct query *query, const struct lpdata *data, const struct series_block_in *blocks,
    wmem_allocator_t *scratch)
{
    /* As many answers as questions, or else some question is not known. */
    if (cause_of_ignorance(query) != LINK_AMBIGUOUS || query->identifiers == NULL ||
        lpdata_count(data->blocks) != g_hash_table_size(query->identifiers)) {
        return NULL;
    }
    if (query->inference == NULL) {
        query->inference = inference_new(query->server, query->identifiers);
    } else if (query->last != NULL && query->last->epoch == query->epoch && query->last->inferred != NULL &&
        !inference_is_stale(query->inference) && has_same_blocks(query->last, blocks, data)) {
        return query->last->inferred;
    }
    return query->inference == NULL ? NULL : inference_links(query->inference, data, scratch);
}

/*
 * A poll whose request was sent, or answered, while the query was being changed: it can't be told which state its
 * blocks are of.
 */
static void
place_poll(struct query *query, struct query_poll *poll, const struct lpdata *data,
    const struct series_block_in *blocks, uint32_t moment, const struct connection_state *sent,
    wmem_allocator_t *scratch)
{
    if (is_gap_since(query, sent)) {
        poll->epoch = new_epoch(query);
        poll->cause = LINK_CALLS_MISSING;
        return;
    }
    if (changed_since(query, moment)) {
        poll->epoch = new_epoch(query);
        poll->cause = LINK_CHANGE_UNDER_WAY;
        give_up_changes(query, moment, sent);
        return;
    }
    check_epoch(query, poll->num_announced, blocks, poll->num_blocks);
    poll->epoch = query->epoch;
    poll->is_doubtful = query->epoch->is_doubtful;
    poll->gaps = query->gaps;
    poll->changes_unknown = query->changes_sent - query->changes_known;
    poll->cause = cause_of_ignorance(query);
    if (query->epoch->num_mapped == 0) {
        poll->inferred = infer_links(query, data, blocks, scratch);
    }
}

char *
queries_instance_text(wmem_allocator_t *scope, const struct series_row *row)
{
    char *name = utf16_from_bytes(scope, row->name, MIN(row->name_size, NAME_TEXT_UNITS * 2), ENC_LITTLE_ENDIAN);
    const char *text = counter_path_instance(scope, NULL, name);

    if (text != name) {
        wmem_free(scope, name);
    }
    return (char *)text;
}

struct query_poll *
queries_polled(struct query *query, const struct lpdata *data, uint32_t moment, const struct connection_state *sent,
    uint32_t frame, wmem_allocator_t *scratch)
{
    const struct cook_clocks clocks = { data->perf_time_stamp, data->perf_time_100ns, data->perf_freq };
    struct query_poll *poll = wmem_new0(wmem_file_scope(), struct query_poll);
    struct series_block_in *blocks;

    poll->query = query;
    poll->num_blocks = lpdata_count(data->blocks);
    /* Of a poll that is cut its header tells how many blocks there were. */
    poll->num_announced = data->is_cut ? data->num_counters : poll->num_blocks;
    poll->num_values = data->num_values;
    blocks = wmem_alloc_array(scratch, struct series_block_in, poll->num_blocks);
    for (unsigned b = 0; b < poll->num_blocks; b++) {
        blocks[b] = block_for_history(data, b, scratch);
    }
    place_poll(query, poll, data, blocks, moment, sent, scratch);
    for (unsigned b = 0; b < poll->num_blocks; b++) {
        identify_block(poll, b, &blocks[b], scratch);
    }
    if (query->history == NULL) {
        query->history = series_store_new(query->server, queries_instance_text);
    }
    poll->values = series_store_add(query->history, frame, &clocks, blocks, poll->num_blocks);
    if (poll->epoch->first == NULL) {
        poll->epoch->first = poll->values;
    }
    poll->epoch->num_polled = poll->num_blocks;
    query->last = poll;
    return poll;
}

unsigned
queries_version(void)
{
    return version;
}
