/* queries.c
 * Query handles and what their polls' values come to
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/queries.h"

#include <string.h>

#include <epan/to_str.h>

#include "base/guid-map.h"
#include "base/text.h"
#include "counters/path.h"

/* What an identifier names (2.2.4.6). */
struct query_identifier {
    e_guid_t set;
    uint32_t counter_id;
    struct series_row instance;    /* id and name as sent */
};

struct mapped {
    uint32_t index;
    struct query_identifier identifier;
};

/* The identifiers of a query do not change within an epoch, so an index map holds for all its polls. */
struct query_epoch {
    uint32_t number;
    uint32_t mapped_in;             /* frame of the index map; 0: none yet */
    unsigned num_mapped;
    struct mapped *mapped;          /* by index */
    unsigned gaps;                  /* what was missing when its identifiers were last known to be these: calls, */
    unsigned changes_unknown;       /* answers to ValidateCounters */
    const struct series_poll *first;    /* its first poll; NULL: none yet */
};

struct query_key {
    const struct catalog_server *server;
    e_guid_t handle;
};

static wmem_map_t *queries;         /* struct query_key -> struct query, the latest life of each handle; file scope */
static wmem_map_t *opened;          /* handle -> struct query, the latest opened on whatever server; file scope */
static uint32_t num_queries;
static unsigned version;

/* Pairs of block and identifier worth looking at one by one; beyond, only what holds for all is inferred. */
#define MAX_INFERENCE_PAIRS 4096
/* Identifiers an inference looks at at all. */
#define MAX_INFERENCE_IDENTIFIERS 4096
/* Instances and ids of a block that are looked at. */
#define MAX_INFERENCE_INSTANCES 64
#define MAX_INFERENCE_IDS 256

static guint
query_key_hash(const void *key)
{
    const struct query_key *k = (const struct query_key *)key;

    return guid_map_hash(&k->handle) ^ g_direct_hash(k->server);
}

static gboolean
query_key_equal(const void *a, const void *b)
{
    const struct query_key *x = (const struct query_key *)a;
    const struct query_key *y = (const struct query_key *)b;

    return x->server == y->server && guid_map_equal(&x->handle, &y->handle);
}

static guint
identifier_hash(const void *key)
{
    const struct query_identifier *id = (const struct query_identifier *)key;
    guint hash = guid_map_hash(&id->set) ^ (id->counter_id * 2654435761u) ^ (id->instance.id * 40503u);

    for (unsigned i = 0; i < id->instance.name_size; i++) {
        hash = (hash ^ id->instance.name[i]) * 16777619u;
    }
    return hash;
}

static gboolean
identifier_equal(const void *a, const void *b)
{
    const struct query_identifier *x = (const struct query_identifier *)a;
    const struct query_identifier *y = (const struct query_identifier *)b;

    return x->counter_id == y->counter_id && series_row_equal(&x->instance, &y->instance) && guid_map_equal(&x->set, &y->set);
}

static void
drop_state(struct query *query)
{
    if (query->identifiers != NULL) {
        g_hash_table_destroy(query->identifiers);
        query->identifiers = NULL;
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
begin_file(void)
{
    num_queries = 0;
}

static void
end_file(void)
{
    wmem_map_foreach(queries, drop_query, NULL);
}

void
queries_init(void)
{
    series_init();
    queries = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), query_key_hash, query_key_equal);
    opened = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), guid_map_hash, guid_map_equal);
    register_init_routine(begin_file);
    register_cleanup_routine(end_file);
}

/* What is missing of the capture by now changed nothing. */
static void
confirm_epoch(struct query *query)
{
    query->epoch->gaps = query->gaps;
    query->epoch->changes_unknown = query->changes_sent - query->changes_known;
}

/* Identifiers were added or removed: a new epoch, without an index map. */
static void
begin_epoch(struct query *query)
{
    struct query_epoch *epoch = wmem_new0(wmem_file_scope(), struct query_epoch);

    epoch->number = query->epoch == NULL ? 0 : query->epoch->number + 1;
    query->epoch = epoch;
    confirm_epoch(query);
}

/*
 * Calls that the capture lacks may have changed the query. Where it has other blocks than before, or another number of identifiers in
 * an index map, they did. Where it has as many, they were other calls, or of another interface.
 */
static void
check_epoch(struct query *query, unsigned num_blocks)
{
    const struct query_epoch *epoch = query->epoch;
    const bool is_doubtful = epoch->gaps != query->gaps || epoch->changes_unknown != query->changes_sent - query->changes_known;
    unsigned before = num_blocks;

    if (epoch->num_mapped != 0) {
        before = epoch->num_mapped;
    } else if (query->last != NULL && query->last->epoch == epoch) {
        before = query->last->num_blocks;
    }
    if (is_doubtful && num_blocks != before) {
        begin_epoch(query);
    } else {
        confirm_epoch(query);
    }
}

static struct query *
new_query(struct catalog_server *server, const e_guid_t *handle, uint32_t opened_in)
{
    struct query_key *key = wmem_new(wmem_file_scope(), struct query_key);
    struct query *query = wmem_new0(wmem_file_scope(), struct query);
    struct query *old;

    key->server = server;
    key->handle = *handle;
    query->handle = *handle;
    query->server = server;
    query->opened_in = opened_in;
    query->number = ++num_queries;
    begin_epoch(query);
    old = (struct query *)wmem_map_insert(queries, key, query);
    if (old != NULL) {
        drop_state(old);
    }
    return query;
}

struct query *
queries_use(struct catalog_server *server, const e_guid_t *handle)
{
    const struct query_key key = { server, *handle };
    struct query *query = (struct query *)wmem_map_lookup(queries, &key);

    return query != NULL ? query : new_query(server, handle, 0);
}

const struct query *
queries_find(struct catalog_server *server, const e_guid_t *handle)
{
    const struct query_key key = { server, *handle };

    return (const struct query *)wmem_map_lookup(queries, &key);
}

const struct query *
queries_opened_elsewhere(const struct query *query)
{
    return (const struct query *)wmem_map_lookup(opened, &query->handle);
}

struct query *
queries_open(struct catalog_server *server, const e_guid_t *handle, uint32_t frame)
{
    struct query *query = new_query(server, handle, frame);

    wmem_map_insert(opened, &query->handle, query);
    return query;
}

void
queries_close(struct query *query, uint32_t frame)
{
    if (query->closed_in == 0) {
        query->closed_in = frame;
        drop_state(query);
    }
}

void
queries_called(struct query *query, bool is_open, unsigned gaps)
{
    if (is_open) {
        query->gaps_opened = gaps;
        query->epoch->gaps = gaps;
    }
    query->gaps = gaps;
    query->calls_missing = query->calls_missing || query->gaps_opened != gaps;
}

void
queries_change_sent(struct query *query)
{
    query->changes_sent++;
}

void
queries_unchanged(struct query *query)
{
    query->changes_known++;
}

static struct series_row
row_of(tvbuff_t *tvb, uint32_t id, unsigned offset, struct utf16_text name)
{
    return (struct series_row){ id, name.size == 0 ? NULL : tvb_get_ptr(tvb, (int)offset, (int)name.size), name.size };
}

static struct query_identifier
identifier_of(tvbuff_t *tvb, const struct lp_identifier *id)
{
    return (struct query_identifier){ id->guid, id->counter_id, row_of(tvb, id->instance_id, id->name_offset, id->name) };
}

static struct series_row
keep_row(const struct series_row *row)
{
    struct series_row kept = *row;

    kept.name = row->name_size == 0 ? NULL : (const uint8_t *)wmem_memdup(wmem_file_scope(), row->name, row->name_size);
    return kept;
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

void
queries_changed(struct query *query, const struct lpdata *identifiers, bool add)
{
    const unsigned count = lpdata_count(identifiers->identifiers);
    bool is_changed = identifiers->is_cut;

    if (!identifiers->is_cut) {
        query->changes_known++;
    }
    if (query->closed_in != 0) {
        return;
    }
    if (query->identifiers == NULL) {
        query->identifiers = g_hash_table_new_full(identifier_hash, identifier_equal, g_free, NULL);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct lp_identifier *lp = lpdata_identifier(identifiers, i);
        const struct query_identifier id = identifier_of(identifiers->tvb, lp);

        if (lp->status != 0) {
            continue;
        }
        is_changed = true;
        if (add) {
            g_hash_table_add(query->identifiers, new_identifier(&id));
        } else if (!g_hash_table_remove(query->identifiers, &id)) {
            /* What a server removes for an identifier that was never added so can't be told. */
            query->changes_known = 0;
            query->changes_sent++;
        }
    }
    /* What was refused changes nothing: an index map holds on. */
    if (is_changed) {
        begin_epoch(query);
    }
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
    if (found == NULL ||
        (found > epoch->mapped && found[-1].index == block) ||
        (found + 1 < epoch->mapped + epoch->num_mapped && found[1].index == block)) {
        return NULL;
    }
    return &found->identifier;
}

static bool
row_has_wildcard(const struct series_row *row)
{
    for (unsigned i = 0; i + 1 < row->name_size; i += 2) {
        if ((row->name[i] == '*' || row->name[i] == '?') && row->name[i + 1] == 0) {
            return true;
        }
    }
    return false;
}

/* What an identifier says of a block it belongs to. */
static struct query_link
link_to(const struct query_identifier *id, enum link_kind kind, uint32_t frame)
{
    struct query_link link = {
        .kind = kind,
        .frame = frame,
        .set = id->set,
        .counter_known = id->counter_id != PERF_WILDCARD_COUNTER,
        .counter_id = id->counter_id,
        .instance_known = true,
        .instance = id->instance,
    };

    /* A block of one instance for a pattern: the counterset has no named instances. */
    if (row_has_wildcard(&id->instance)) {
        link.instance = (struct series_row){ 0, NULL, 0 };
    }
    return link;
}

/*
 * A block no identifier is known of: its values are told apart by its place, as long as the query does not change. The GUID stands
 * for that place and is nobody's: its version digits are none RFC 4122 knows.
 */
static e_guid_t
unknown_set(const struct query_epoch *epoch, unsigned block)
{
    e_guid_t set = { epoch->number, 0xffff, 0xffff, { 'u', 'n', 'k', 'n', 0, 0, 0, 0 } };

    memcpy(&set.data4[4], &block, 4);
    return set;
}

struct query_link
queries_link(const struct query_poll *poll, unsigned block)
{
    const struct query_identifier *id = mapped_to(poll->epoch, block);

    if (id != NULL) {
        return link_to(id, LINK_MAPPED, poll->epoch->mapped_in);
    }
    if (poll->epoch->num_mapped == 0 && poll->inferred != NULL) {
        return poll->inferred[block];
    }
    return (struct query_link){ .kind = LINK_NONE };
}

unsigned
queries_num_mapped(const struct query_poll *poll)
{
    return poll->epoch->num_mapped;
}

int
queries_num_identifiers(const struct query *query)
{
    if (query->opened_in == 0 || query->closed_in != 0 || query->calls_missing || query->changes_sent != query->changes_known) {
        return -1;
    }
    return query->identifiers == NULL ? 0 : (int)g_hash_table_size(query->identifiers);
}

/* Whether a link tells all that a block of this type does not say itself. */
static bool
link_names_values(const struct query_link *link, uint32_t type)
{
    return link->kind != LINK_NONE && (link->counter_known || lpdata_type_has_ids(type)) &&
        (link->instance_known || lpdata_type_has_instances(type));
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
    for (unsigned i = layouts->len; i-- > 0; ) {
        const struct series_poll *poll = (const struct series_poll *)g_ptr_array_index(layouts, i);

        for (unsigned b = 0; b < poll->num_blocks; b++) {
            const struct series_shape *shape = series_shape(poll, b);
            const struct query_identifier *id = mapped_to(query->epoch, b);
            const struct query_link link = id == NULL ? (struct query_link){ .kind = LINK_NONE } : link_to(id, LINK_MAPPED, 0);
            const e_guid_t unknown = unknown_set(query->epoch, b);

            if (guid_map_equal(&shape->set, &unknown) && link_names_values(&link, shape->kind)) {
                series_identify(query->history, poll, b, &link.set, lpdata_type_has_ids(shape->kind) ? NULL : &link.counter_id,
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

        if (known == NULL || !identifier_equal(known, &id)) {
            return false;
        }
    }
    return true;
}

void
queries_mapped(struct query *query, const struct lpdata *identifiers, uint32_t frame)
{
    const unsigned count = lpdata_count(identifiers->identifiers);
    struct query_epoch *epoch;

    if (count == 0) {
        return;
    }
    check_epoch(query, count);
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
    for (unsigned i = 0; i < count; i++) {
        const struct lp_identifier *lp = lpdata_identifier(identifiers, i);

        epoch->mapped[i].index = lp->index;
        epoch->mapped[i].identifier = identifier_of(identifiers->tvb, lp);
        epoch->mapped[i].identifier.instance = keep_row(&epoch->mapped[i].identifier.instance);
    }
    qsort(epoch->mapped, count, sizeof *epoch->mapped, compare_mapped);
    version++;

    /* Polls of this epoch that came before their map. */
    if (query->last != NULL && query->last->epoch == epoch) {
        identify_polls(query);
    }
}

/* What the identifiers that may belong to a block have in common. */
struct candidates {
    unsigned count;
    const struct query_identifier *only;    /* where count is 1 */
    struct query_link link;
};

static void
add_candidate(struct candidates *found, const struct query_identifier *id)
{
    const struct query_link link = link_to(id, LINK_INFERRED, 0);

    if (found->count++ == 0) {
        found->link = link;
        found->only = id;
        return;
    }
    if (!guid_map_equal(&found->link.set, &link.set)) {
        found->link.kind = LINK_NONE;
    }
    found->link.counter_known = found->link.counter_known && link.counter_known && found->link.counter_id == link.counter_id;
    found->link.instance_known = found->link.instance_known && series_row_equal(&found->link.instance, &link.instance);
}

/* Whether a block of this type (2.2.4.8) can answer an identifier. */
static bool
type_matches(uint32_t block_type, const struct query_identifier *id)
{
    const bool all_counters = id->counter_id == PERF_WILDCARD_COUNTER;

    if (block_type == PERF_ERROR_RETURN) {
        return true;
    }
    if (lpdata_type_has_ids(block_type) != all_counters) {
        return false;
    }
    /* For a pattern a counterset without named instances answers with its one instance. */
    return !lpdata_type_has_instances(block_type) || row_has_wildcard(&id->instance);
}

/* Whether what stands before a pattern's first wildcard is not how the name begins. */
static bool
prefix_contradicts(const struct series_row *pattern, const struct series_row *name)
{
    for (unsigned i = 0; i + 1 < pattern->name_size; i += 2) {
        if ((pattern->name[i] == '*' || pattern->name[i] == '?') && pattern->name[i + 1] == 0) {
            return false;
        }
        if (i + 1 >= name->name_size || memcmp(&pattern->name[i], &name->name[i], 2) != 0) {
            return true;
        }
    }
    return pattern->name_size != name->name_size;
}

/* Whether what a block holds rules an identifier out. */
static bool
block_contradicts(const struct query *query, const struct lpdata *data, const struct lp_block *block,
                  const struct query_identifier *id)
{
    const unsigned checked_instances = MIN(block->num_instances, MAX_INFERENCE_INSTANCES);

    if (lpdata_type_has_ids(block->type) && catalog_counterset_is_complete(query->server, &id->set)) {
        struct catalog_counter counter;

        for (unsigned i = 0; i < MIN(block->num_ids, MAX_INFERENCE_IDS); i++) {
            if (!catalog_counter(query->server, &id->set, lpdata_block_id(data, block, i), &counter) || !counter.type_known) {
                return true;
            }
        }
    }
    for (unsigned i = 0; i < checked_instances; i++) {
        const struct lp_instance *instance = lpdata_instance(data, block->first_instance + i);
        const struct series_row row = row_of(data->tvb, instance->id, instance->name_offset, instance->name);

        if (prefix_contradicts(&id->instance, &row)) {
            return true;
        }
    }
    return false;
}

/*
 * Blocks and identifiers without an index map. The order of blocks proves nothing: programs have seen both the order of
 * addition and its reverse. What does prove is that only one identifier can have asked for such a block, or that all that
 * can agree. That needs every change of the query to be known.
 */
static struct query_link *
infer_links(const struct query *query, const struct lpdata *data, wmem_allocator_t *scratch)
{
    const unsigned num_blocks = lpdata_count(data->blocks);
    struct query_link *links = wmem_alloc0_array(wmem_file_scope(), struct query_link, num_blocks);
    const unsigned num_ids = query->identifiers == NULL ? 0 : g_hash_table_size(query->identifiers);
    const bool one_by_one = (uint64_t)num_ids * num_blocks <= MAX_INFERENCE_PAIRS;
    struct candidates by_type[PERF_COUNTERSET + 1];
    const struct query_identifier **ids;
    GHashTable *taken;              /* struct query_identifier -> block + 1 */
    GHashTableIter iter;
    void *key;
    unsigned n = 0;

    if (query->opened_in == 0 || query->calls_missing || query->changes_sent != query->changes_known || num_ids == 0 || num_ids > MAX_INFERENCE_IDENTIFIERS ||
        num_ids != num_blocks) {
        return links;
    }
    memset(by_type, 0, sizeof by_type);
    taken = g_hash_table_new(g_direct_hash, g_direct_equal);
    ids = wmem_alloc_array(scratch, const struct query_identifier *, num_ids);
    g_hash_table_iter_init(&iter, query->identifiers);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        ids[n++] = (const struct query_identifier *)key;
        for (uint32_t type = 0; type <= PERF_COUNTERSET; type++) {
            if (lpdata_type_is_known(type) && type_matches(type, ids[n - 1])) {
                add_candidate(&by_type[type], ids[n - 1]);
            }
        }
    }
    for (unsigned b = 0; b < num_blocks; b++) {
        const struct lp_block *block = lpdata_block(data, b);
        struct candidates found = { .count = 0 };

        if (!lpdata_type_is_known(block->type)) {
            continue;
        }
        if (one_by_one) {
            for (unsigned i = 0; i < num_ids; i++) {
                if (type_matches(block->type, ids[i]) && !block_contradicts(query, data, block, ids[i])) {
                    add_candidate(&found, ids[i]);
                }
            }
        } else {
            found = by_type[block->type];
        }
        if (found.count == 1 && g_hash_table_lookup(taken, found.only) != NULL) {
            /* Two blocks for one identifier: then neither is proved. */
            links[GPOINTER_TO_UINT(g_hash_table_lookup(taken, found.only)) - 1].kind = LINK_NONE;
        } else if (found.count > 0 && found.link.kind != LINK_NONE) {
            links[b] = found.link;
            links[b].instance = keep_row(&found.link.instance);
            if (found.count == 1) {
                g_hash_table_insert(taken, (void *)found.only, GUINT_TO_POINTER(b + 1));
            }
        }
    }
    g_hash_table_destroy(taken);
    return links;
}

/* Rows, counters and values of a block for its history. Arrays are scratch. */
static struct series_block_in
block_for_history(const struct query_poll *poll, const struct lpdata *data, unsigned index, wmem_allocator_t *scratch)
{
    const struct lp_block *block = lpdata_block(data, index);
    const struct query_link link = queries_link(poll, index);
    struct series_block_in in = { .set = unknown_set(poll->epoch, index), .kind = block->type };
    const unsigned num_values = block->num_values;
    uint32_t *counters;
    struct series_row *rows;
    uint64_t *values;
    uint8_t *widths;

    if (link_names_values(&link, block->type)) {
        in.set = link.set;
    }
    if (!block->is_complete) {
        return in;
    }
    in.num_counters = lpdata_type_has_ids(block->type) ? block->num_ids : 1;
    in.num_rows = lpdata_type_has_instances(block->type) ? block->num_instances : 1;
    counters = wmem_alloc_array(scratch, uint32_t, MAX(in.num_counters, 1));
    rows = wmem_alloc_array(scratch, struct series_row, MAX(in.num_rows, 1));
    widths = wmem_alloc_array(scratch, uint8_t, num_values);
    values = wmem_alloc_array(scratch, uint64_t, num_values);
    counters[0] = link.counter_id;
    for (unsigned c = 0; lpdata_type_has_ids(block->type) && c < in.num_counters; c++) {
        counters[c] = lpdata_block_id(data, block, c);
    }
    rows[0] = link.instance;
    for (unsigned r = 0; lpdata_type_has_instances(block->type) && r < in.num_rows; r++) {
        const struct lp_instance *instance = lpdata_instance(data, block->first_instance + r);

        rows[r] = row_of(data->tvb, instance->id, instance->name_offset, instance->name);
    }
    for (unsigned i = 0; i < num_values; i++) {
        const struct lp_value *value = lpdata_value(data, block->first_value + i);

        values[i] = value->value;
        widths[i] = value->data_size == 4 || value->data_size == 8 ? (uint8_t)value->data_size : 0;
    }
    in.counters = counters;
    in.rows = rows;
    in.widths = widths;
    in.values = values;
    return in;
}

/* A row's name in paths. */
static char *
instance_text(wmem_allocator_t *scope, const struct series_row *row)
{
    char *name = utf16_from_bytes(scope, row->name, MIN(row->name_size, NAME_TEXT_UNITS * 2), ENC_LITTLE_ENDIAN);
    const char *text = counter_path_instance(scope, NULL, name);

    if (text != name) {
        wmem_free(scope, name);
    }
    return (char *)text;
}

struct query_poll *
queries_polled(struct query *query, const struct lpdata *data, uint32_t frame, wmem_allocator_t *scratch)
{
    const struct cook_clocks clocks = { data->perf_time_stamp, data->perf_time_100ns, data->perf_freq };
    struct query_poll *poll = wmem_new0(wmem_file_scope(), struct query_poll);
    struct series_block_in *blocks;

    check_epoch(query, lpdata_count(data->blocks));
    poll->query = query;
    poll->epoch = query->epoch;
    poll->num_blocks = lpdata_count(data->blocks);
    poll->num_values = data->num_values;
    if (query->epoch->num_mapped == 0) {
        poll->inferred = infer_links(query, data, scratch);
    }
    blocks = wmem_alloc_array(scratch, struct series_block_in, poll->num_blocks);
    for (unsigned b = 0; b < poll->num_blocks; b++) {
        blocks[b] = block_for_history(poll, data, b, scratch);
    }
    if (query->history == NULL) {
        query->history = series_store_new(instance_text);
    }
    poll->values = series_store_add(query->history, frame, &clocks, blocks, poll->num_blocks);
    if (query->epoch->first == NULL) {
        query->epoch->first = poll->values;
    }
    query->last = poll;
    return poll;
}

/* Whether the previous poll held instances of the same counterset: one that was not among them is then new. */
static bool
set_polled_before(const struct query_reader *reader)
{
    const struct series_poll *previous = reader->poll->values->previous;
    const unsigned blocks = previous == NULL ? 0 : MIN(previous->num_blocks, MAX_INFERENCE_PAIRS);

    for (unsigned b = 0; lpdata_type_has_instances(reader->shape->kind) && b < blocks; b++) {
        const struct series_shape *shape = series_shape(previous, b);

        if (shape->kind == reader->shape->kind && guid_map_equal(&shape->set, &reader->shape->set)) {
            return true;
        }
    }
    return false;
}

struct query_reader
queries_read(const struct query_poll *poll, unsigned block, wmem_allocator_t *scope)
{
    struct query_reader reader = { .poll = poll, .block = block, .link = queries_link(poll, block) };

    reader.shape = series_shape(poll->values, block);
    reader.is_named = link_names_values(&reader.link, reader.shape->kind);
    if (!reader.is_named) {
        return reader;
    }
    series_prepare(poll->values);
    reader.set_polled_before = set_polled_before(&reader);
    reader.counters = wmem_alloc0_array(scope, struct catalog_counter, reader.shape->num_counters);
    for (unsigned c = 0; c < reader.shape->num_counters; c++) {
        catalog_counter(poll->query->server, &reader.link.set, queries_counter_id(&reader, c), &reader.counters[c]);
    }
    return reader;
}

uint32_t
queries_counter_id(const struct query_reader *reader, unsigned at)
{
    return lpdata_type_has_ids(reader->shape->kind) ? reader->shape->counters[at % reader->shape->num_counters]
                                                    : reader->link.counter_id;
}

/*
 * A counter the formula needs, by id. "None" is 0xFFFFFFFF in practice; by the text there is no such value, and 0 stands in
 * its place, which names a counter only where the counterset has one with that id.
 */
static struct cook_value
companion(const struct query_reader *reader, unsigned at, uint32_t id, const struct series_poll *before)
{
    const struct series_poll *values = reader->poll->values;
    const struct series_poll *companion_before;
    struct cook_value value = { .present = false };
    unsigned block, place;

    if (id == PERF_ID_NONE || !series_find(values, reader->block, at, id, &block, &place)) {
        return value;
    }
    value = series_value(values, block, place, &companion_before);
    value.have_previous = value.have_previous && companion_before == before;
    return value;
}

static bool
names_base(const struct query_reader *reader, uint32_t id)
{
    struct catalog_counter base;

    return id != PERF_ID_NONE && catalog_counter(reader->poll->query->server, &reader->link.set, id, &base) &&
        (!base.type_known || perf_counter_type_is_base(base.type));
}

struct query_value
queries_value(const struct query_reader *reader, unsigned at)
{
    const struct series_poll *values = reader->poll->values;
    const struct catalog_counter *counter = &reader->counters[at % reader->shape->num_counters];
    const unsigned needs = counter->type_known ? cook_needs(counter->type) : 0;
    struct query_value out = { .series = reader->shape->series[at] };
    struct cook_input in = { .type = counter->type, .type_known = counter->type_known, .now = values->clocks };

    in.value = series_value(values, reader->block, at, &out.before);
    in.polled_before = reader->set_polled_before;
    if (out.before != NULL) {
        in.before = out.before->clocks;
    }
    if (needs & COOK_NEEDS_BASE) {
        in.base = companion(reader, at, counter->base_id, out.before);
        in.has_base_id = names_base(reader, counter->base_id);
    }
    if (needs & COOK_NEEDS_TIME) {
        in.time = companion(reader, at, counter->perf_time_id, out.before);
    }
    if (needs & COOK_NEEDS_FREQ) {
        in.freq = companion(reader, at, counter->perf_freq_id, out.before);
    }
    if (needs & COOK_NEEDS_MULTI) {
        in.multi = companion(reader, at, counter->multi_id, out.before);
    }
    out.cooked = cook(&in);
    return out;
}

/* [MS-PLA] 2.2.10: \\Machine\Object(Instance#Index)\Counter. */
static char *
make_path(const struct query_reader *reader, unsigned at)
{
    const struct catalog_server *server = reader->poll->query->server;
    const struct catalog_counter *counter = &reader->counters[at % reader->shape->num_counters];
    const struct series_row *row = lpdata_type_has_instances(reader->shape->kind)
        ? &reader->shape->rows[at / reader->shape->num_counters] : &reader->link.instance;
    const char *set = catalog_counterset_name(server, &reader->link.set).text;
    char *guid = set != NULL ? NULL : guid_to_str(NULL, &reader->link.set);
    char *braced = set != NULL ? NULL : wmem_strdup_printf(NULL, "{%s}", guid);
    char *id = counter->name.text != NULL ? NULL : wmem_strdup_printf(NULL, "counter %u", queries_counter_id(reader, at));
    char *instance = row->name_size == 0 ? NULL : instance_text(NULL, row);
    char *path = counter_path_make(NULL, catalog_host(server), set != NULL ? set : braced, instance,
        reader->shape->series[at]->namesake, counter->name.text != NULL ? counter->name.text : id);

    wmem_free(NULL, guid);
    wmem_free(NULL, braced);
    wmem_free(NULL, id);
    wmem_free(NULL, instance);
    return path;
}

const char *
queries_path(const struct query_reader *reader, unsigned at)
{
    struct series *series = reader->shape->series[at];
    const unsigned names = catalog_version() + version;

    if (series->path == NULL || series->path_version != names) {
        char *path = make_path(reader, at);

        if (series->path == NULL || strcmp(series->path, path) != 0) {
            series->path = wmem_strdup(wmem_file_scope(), path);
        }
        series->path_version = names;
        wmem_free(NULL, path);
    }
    return series->path;
}
