/* inference.c
 * Infers the identifier of a block from the query's identifiers and the block's contents
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/queries.h"

#include "base/hash.h"

/* Maximum number of identifiers of a query. With more, nothing is inferred. */
#define MAX_IDENTIFIERS 4096
/* Maximum number of block-identifier pairs that are compared. With more, only the types of blocks are compared. */
#define MAX_PAIRS       4096
/* Maximum number of a block's instances that are examined */
#define MAX_INSTANCES   64
/* Maximum number of countersets that counter ids can exclude (bits of a mask). Further ones are never excluded. */
#define MAX_SETS        64
/* Maximum number of counter ids with a mask. Further ids exclude no counterset. */
#define MAX_MASKS       1024

/* An identifier of the query, and its properties that are the same for all blocks */
struct candidate {
    const struct query_identifier *id;
    bool takes_instances; /* several instances may answer the identifier */
    uint64_t set;         /* bit of the identifier's counterset; 0: there are more than MAX_SETS countersets */
    unsigned block;       /* number (from 1) of the block that only this identifier can have asked for; 0: none yet */
};

/* Identifiers that may belong to a block: their number, and in .link the properties that they share */
struct candidates {
    unsigned count;
    struct candidate *only; /* the identifier, if .count is 1 */
    struct query_link link;
};

struct inference {
    const struct server *server;
    unsigned num_candidates;
    struct candidate *candidates;
    struct candidates by_type[PERF_COUNTERSET + 1];
    unsigned num_sets;
    e_guid_t sets[MAX_SETS];
    GHashTable *masks; /* counter id -> uint64_t: countersets that may have the counter */
    unsigned version;  /* catalog_version when .masks and .links were computed; a later change makes them outdated */
    unsigned num_links;
    const struct query_link *links;
};

guint
query_identifier_hash(const void *identifier)
{
    const struct query_identifier *id = (const struct query_identifier *)identifier;
    const uint32_t numbers[] = {
        guid_map_hash(&id->set),
        id->counter_id,
        id->instance.id,
        id->instance.name_size == 0 ? 0 : wmem_strong_hash(id->instance.name, id->instance.name_size),
    };

    return wmem_strong_hash((const uint8_t *)numbers, sizeof numbers);
}

gboolean
query_identifier_equal(const void *a, const void *b)
{
    const struct query_identifier *x = (const struct query_identifier *)a;
    const struct query_identifier *y = (const struct query_identifier *)b;

    return x->counter_id == y->counter_id && series_row_equal(&x->instance, &y->instance) &&
        guid_map_equal(&x->set, &y->set);
}

struct series_row
inference_row(tvbuff_t *tvb, uint32_t id, unsigned name_offset, struct utf16_text name)
{
    const uint8_t *bytes = name.size == 0 ? NULL : tvb_get_ptr(tvb, (int)name_offset, (int)name.size);

    return (struct series_row){ id, bytes, name.size };
}

struct series_row
inference_keep_row(const struct series_row *row)
{
    struct series_row kept = *row;

    kept.name = row->name_size == 0 ? NULL : (const uint8_t *)wmem_memdup(wmem_file_scope(), row->name, row->name_size);
    return kept;
}

/* Returns whether byte i of a UTF-16LE name is at a wildcard. */
static bool
is_wildcard_at(const struct series_row *row, unsigned i)
{
    return (row->name[i] == '*' || row->name[i] == '?') && row->name[i + 1] == 0;
}

static bool
row_has_wildcard(const struct series_row *row)
{
    for (unsigned i = 0; i + 1 < row->name_size; i += 2) {
        if (is_wildcard_at(row, i)) {
            return true;
        }
    }
    return false;
}

struct query_link
inference_link_to(const struct query_identifier *id, enum link_kind kind, uint32_t frame)
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

    /* A pattern is no instance name. If a single value answers a pattern, the counterset has no named instances. */
    if (row_has_wildcard(&id->instance)) {
        link.instance = (struct series_row){ 0, NULL, 0 };
    }
    return link;
}

/* clang-format off */
#define CAUSE_TEXT(cause, text) [cause] = text,
/* clang-format on */
const char *
inference_link_text(const struct query_link *link)
{
    static const char *const causes[] = { LINK_CAUSES(CAUSE_TEXT) };

    switch (link->kind) {
    case LINK_MAPPED:
        return !link->calls_missing ? "by Index of QueryCounterInfo"
            : link->is_unnumbered
            ? "by Index of QueryCounterInfo, if no call in between is missing (this cannot be checked)"
            : "by Index of QueryCounterInfo, but calls in between are missing";
    case LINK_INFERRED:
        return !link->is_unnumbered
            ? "inferred from the added identifiers"
            : "inferred from the added identifiers, if no call is missing (this cannot be checked)";
    case LINK_NONE: break;
    }
    return causes[link->cause];
}

bool
inference_is_not_captured(const struct query_link *link)
{
    return link->kind == LINK_NONE &&
        (link->cause == LINK_NOT_OPENED || link->cause == LINK_CALLS_MISSING || link->cause == LINK_CHANGE_UNKNOWN ||
            link->cause == LINK_CHANGE_UNDER_WAY);
}

bool
inference_names_values(const struct query_link *link, uint32_t type)
{
    return link->kind != LINK_NONE && (link->counter_known || lpdata_type_has_ids(type)) &&
        (link->instance_known || lpdata_type_has_instances(type));
}

bool
inference_takes_names(const struct query_identifier *id)
{
    return id->instance.name_size == 0 || row_has_wildcard(&id->instance);
}

/* PERF_ID_NONE means any id: then even an exact name may match several instances, such as two named "chrome". */
bool
inference_takes_instances(const struct query_identifier *id)
{
    return id->instance.id == PERF_ID_NONE || row_has_wildcard(&id->instance);
}

/*
 * Returns whether several instances may answer an identifier: it asks for all, or has a pattern, or it has no name and
 * its counterset is not known to have a single instance (2.2.4.1).
 */
static bool
may_take_instances(const struct server *server, const struct query_identifier *id)
{
    const struct counterset *facts = id->instance.name_size != 0 ? NULL : catalog_counterset(server, &id->set);

    return inference_takes_instances(id) ||
        (id->instance.name_size == 0 && (facts == NULL || facts->instance_type != SINGLE_INSTANCE));
}

/*
 * Returns whether a block of this type (2.2.4.8) can answer an identifier. A counterset without named instances answers
 * a pattern with its only instance.
 */
static bool
type_matches(uint32_t block_type, const struct query_identifier *id, bool id_takes_instances)
{
    if (block_type == PERF_ERROR_RETURN) {
        return true;
    }
    return lpdata_type_has_ids(block_type) == (id->counter_id == PERF_WILDCARD_COUNTER) &&
        (!lpdata_type_has_instances(block_type) || id_takes_instances);
}

/* Returns a letter in lower case, since Windows ignores case. All letters beyond ASCII become 0, so they are equal. */
static uint16_t
folded(const uint8_t *unit)
{
    const uint16_t c = (uint16_t)(unit[0] | unit[1] << 8);

    return c >= 'A' && c <= 'Z' ? (uint16_t)(c + 'a' - 'A') : c > 0x7F ? 0 : c;
}

struct series_row
inference_folded_name(const struct series_row *row, wmem_allocator_t *scope)
{
    uint8_t *name = (uint8_t *)wmem_alloc0(scope, MAX(row->name_size, 1));

    for (unsigned i = 0; i + 1 < row->name_size; i += 2) {
        name[i] = (uint8_t)folded(&row->name[i]);
    }
    return (struct series_row){ 0, name, row->name_size };
}

/* Returns whether a name certainly does not match a pattern, because the part before the first wildcard differs. */
static bool
prefix_contradicts(const struct series_row *pattern, const struct series_row *name)
{
    for (unsigned i = 0; i + 1 < pattern->name_size; i += 2) {
        if (is_wildcard_at(pattern, i)) {
            return false;
        }
        if (i + 1 >= name->name_size || folded(&pattern->name[i]) != folded(&name->name[i])) {
            return true;
        }
    }
    /* An empty pattern matches any name. */
    return pattern->name_size != 0 && pattern->name_size != name->name_size;
}

bool
inference_is_other_instance(const struct query_identifier *id, const struct series_row *instance)
{
    return (id->instance.id != PERF_ID_NONE && !inference_takes_names(id) && id->instance.id != instance->id) ||
        prefix_contradicts(&id->instance, instance);
}

static bool
instances_contradict(const struct lpdata *data, const struct lp_block *block, const struct query_identifier *id)
{
    const unsigned count = MIN(block->num_instances, MAX_INSTANCES);

    for (unsigned i = 0; i < count; i++) {
        const struct lp_instance *instance = &data->instances[block->first_instance + i];
        const struct series_row row = inference_row(data->tvb, instance->id, instance->name_offset, instance->name);

        if (prefix_contradicts(&id->instance, &row)) {
            return true;
        }
    }
    return false;
}

/*
 * Returns whether a counterset certainly does not have a counter: an answer listed all its counters, without this one.
 */
static bool
counterset_lacks(const struct server *server, const e_guid_t *set, uint32_t counter_id)
{
    struct catalog_counter counter;

    return catalog_counterset_is_listed_in(server, set, 1, CATALOG_NOW) &&
        (!catalog_counter_own(server, set, counter_id, CATALOG_NOW, &counter) || !counter.type_known);
}

bool
inference_contradicts(const struct server *server, uint32_t type, const struct series_row *rows, unsigned num_rows,
    const struct query_identifier *id)
{
    const struct counterset *facts;

    if (!lpdata_type_is_known(type) || type == PERF_ERROR_RETURN) {
        return false;
    }
    if (lpdata_type_has_ids(type) != (id->counter_id == PERF_WILDCARD_COUNTER)) {
        return true;
    }
    if (!lpdata_type_has_instances(type)) {
        return row_has_wildcard(&id->instance) && catalog_counterset_has_instances(server, &id->set);
    }
    facts = num_rows > 1 && id->instance.name_size == 0 ? catalog_counterset(server, &id->set) : NULL;
    if (num_rows > 1 &&
        (id->instance.name_size == 0 ? facts != NULL && facts->instance_type == SINGLE_INSTANCE
                                     : !inference_takes_instances(id))) {
        return true;
    }
    if (id->instance.name_size > 1 && is_wildcard_at(&id->instance, 0)) {
        return false;
    }
    for (unsigned i = 0; i < MIN(num_rows, MAX_INSTANCES); i++) {
        if (prefix_contradicts(&id->instance, &rows[i])) {
            return true;
        }
    }
    return false;
}

bool
inference_fits_width(const struct server *server, const struct query_identifier *id, uint8_t width, uint32_t frame,
    uint32_t *taught_in)
{
    struct catalog_counter counter = { .taught_in = 0 };
    const bool is_known = width != 0 && catalog_counter_own(server, &id->set, id->counter_id, frame, &counter);

    *taught_in = counter.taught_in;
    return !is_known || !counter.type_known || counter.has_same_id || perf_counter_type_has_size(counter.type, width);
}

bool
inference_lacks_counters(const struct server *server, const e_guid_t *set, const uint32_t *counters,
    unsigned num_counters)
{
    for (unsigned i = 0; i < num_counters; i++) {
        if (counterset_lacks(server, set, counters[i])) {
            return true;
        }
    }
    return false;
}

static void
add_candidate(struct candidates *found, struct candidate *candidate)
{
    const struct query_link link = inference_link_to(candidate->id, LINK_INFERRED, 0);

    if (found->count++ == 0) {
        found->link = link;
        found->only = candidate;
        return;
    }
    if (!guid_map_equal(&found->link.set, &link.set)) {
        found->link.kind = LINK_NONE;
    }
    found->link.counter_known &= link.counter_known && found->link.counter_id == link.counter_id;
    found->link.instance_known &= series_row_equal(&found->link.instance, &link.instance);
}

HASH_BYTES(id, sizeof(uint32_t))

/* Returns a counterset's bit in masks. sets: e_guid_t -> bit. */
static uint64_t
set_bit(struct inference *inference, GHashTable *sets, const e_guid_t *set)
{
    const uint64_t *known = (const uint64_t *)g_hash_table_lookup(sets, set);
    uint64_t bit = 0;

    if (known != NULL) {
        return *known;
    }
    if (inference->num_sets < MAX_SETS) {
        bit = UINT64_C(1) << inference->num_sets;
        inference->sets[inference->num_sets++] = *set;
    }
    g_hash_table_insert(sets, (void *)set, wmem_memdup(NULL, &bit, sizeof bit));
    return bit;
}

struct inference *
inference_new(const struct server *server, GHashTable *identifiers)
{
    const unsigned count = identifiers == NULL ? 0 : g_hash_table_size(identifiers);
    struct inference *inference;
    GHashTable *sets;
    GHashTableIter iter;
    void *key;

    if (count == 0 || count > MAX_IDENTIFIERS) {
        return NULL;
    }
    inference = g_new0(struct inference, 1);
    inference->server = server;
    inference->num_candidates = count;
    inference->candidates = g_new0(struct candidate, count);
    inference->masks = g_hash_table_new_full(id_hash, id_equal, g_free, g_free);
    inference->version = catalog_version;
    sets = g_hash_table_new_full(guid_map_hash, guid_map_equal, NULL, g_free);
    g_hash_table_iter_init(&iter, identifiers);
    for (unsigned i = 0; g_hash_table_iter_next(&iter, &key, NULL); i++) {
        struct candidate *candidate = &inference->candidates[i];

        candidate->id = (const struct query_identifier *)key;
        candidate->takes_instances = may_take_instances(server, candidate->id);
        candidate->set = set_bit(inference, sets, &candidate->id->set);
        for (uint32_t type = 0; type <= PERF_COUNTERSET; type++) {
            if (type_matches(type, candidate->id, candidate->takes_instances)) {
                add_candidate(&inference->by_type[type], candidate);
            }
        }
    }
    g_hash_table_destroy(sets);
    return inference;
}

void
inference_free(struct inference *inference)
{
    if (inference != NULL) {
        g_hash_table_destroy(inference->masks);
        g_free(inference->candidates);
        g_free(inference);
    }
}

/* Returns a mask of the countersets (bit i: sets[i]) that are not known to lack this counter. */
static uint64_t
sets_with(struct inference *inference, uint32_t counter_id)
{
    const uint64_t *known = (const uint64_t *)g_hash_table_lookup(inference->masks, &counter_id);
    uint64_t mask = UINT64_MAX;

    if (known != NULL) {
        return *known;
    }
    if (g_hash_table_size(inference->masks) >= MAX_MASKS) {
        return mask;
    }
    for (unsigned i = 0; i < inference->num_sets; i++) {
        if (counterset_lacks(inference->server, &inference->sets[i], counter_id)) {
            mask &= ~(UINT64_C(1) << i);
        }
    }
    g_hash_table_insert(inference->masks, wmem_memdup(NULL, &counter_id, sizeof counter_id),
        wmem_memdup(NULL, &mask, sizeof mask));
    return mask;
}

/* Returns the identifiers that can have asked for a block: their number, and the properties that they share. */
static struct candidates
find_candidates(struct inference *inference, const struct lpdata *data, const struct lp_block *block)
{
    struct candidates found = { .count = 0 };
    uint64_t sets = UINT64_MAX;

    for (unsigned i = 0; lpdata_type_has_ids(block->type) && i < block->num_ids; i++) {
        sets &= sets_with(inference, lpdata_block_id(data, block, i));
    }
    for (unsigned i = 0; i < inference->num_candidates; i++) {
        struct candidate *candidate = &inference->candidates[i];

        if (type_matches(block->type, candidate->id, candidate->takes_instances) &&
            (candidate->set == 0 || (candidate->set & sets) != 0) &&
            !instances_contradict(data, block, candidate->id)) {
            add_candidate(&found, candidate);
        }
    }
    return found;
}

static bool
same_links(const struct query_link *a, const struct query_link *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (a[i].kind != b[i].kind || a[i].counter_known != b[i].counter_known || a[i].counter_id != b[i].counter_id ||
            a[i].instance_known != b[i].instance_known || !series_row_equal(&a[i].instance, &b[i].instance) ||
            !guid_map_equal(&a[i].set, &b[i].set)) {
            return false;
        }
    }
    return true;
}

/* Returns the inferred identifier of each block, in scratch. */
static struct query_link *
find_links(struct inference *inference, const struct lpdata *data, wmem_allocator_t *scratch)
{
    const unsigned num_blocks = lpdata_count(data->blocks);
    struct query_link *links = wmem_alloc0_array(scratch, struct query_link, num_blocks);
    const bool one_by_one = (uint64_t)inference->num_candidates * num_blocks <= MAX_PAIRS;

    for (unsigned i = 0; i < inference->num_candidates; i++) {
        inference->candidates[i].block = 0;
    }
    for (unsigned b = 0; b < num_blocks; b++) {
        const struct lp_block *block = lpdata_block(data, b);
        struct candidates found;

        if (!lpdata_type_is_known(block->type)) {
            continue;
        }
        found = one_by_one ? find_candidates(inference, data, block) : inference->by_type[block->type];
        if (found.count == 1 && found.only->block != 0) {
            /* Two blocks fit only this identifier, so neither link is proven: drop the first one, too. */
            links[found.only->block - 1].kind = LINK_NONE;
        } else if (found.count > 0 && found.link.kind != LINK_NONE) {
            links[b] = found.link;
            if (found.count == 1) {
                found.only->block = b + 1;
            }
        }
    }
    return links;
}

const struct query_link *
inference_links(struct inference *inference, const struct lpdata *data, wmem_allocator_t *scratch)
{
    const unsigned num_blocks = lpdata_count(data->blocks);
    struct query_link *links, *kept;

    if (inference_is_stale(inference)) {
        g_hash_table_remove_all(inference->masks);
        inference->version = catalog_version;
    }
    links = find_links(inference, data, scratch);
    if (inference->links == NULL || inference->num_links != num_blocks ||
        !same_links(inference->links, links, num_blocks)) {
        kept = (struct query_link *)wmem_memdup(wmem_file_scope(), links, num_blocks * sizeof *links);
        for (unsigned b = 0; b < num_blocks; b++) {
            kept[b].instance = inference_keep_row(&links[b].instance);
        }
        inference->links = kept;
        inference->num_links = num_blocks;
    }
    return inference->links;
}

bool
inference_is_stale(const struct inference *inference)
{
    return inference->version != catalog_version;
}
