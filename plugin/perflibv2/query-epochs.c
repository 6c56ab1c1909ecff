/* query-epochs.c
 * Epochs of a query, during which its identifiers do not change: index maps and polls
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/query-epochs.h"

#include <string.h>

#include "base/hash.h"
#include "counters/path.h"

/* Notes that the calls missing so far seem not to have changed the query's identifiers. */
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

void
query_epoch_begin(struct query *query)
{
    inference_free(query->inference);
    query->inference = NULL;
    query->epoch = new_epoch(query);
    confirm_epoch(query);
}

static int
compare_mapped(const void *a, const void *b)
{
    const uint32_t x = ((const struct mapped_identifier *)a)->index;
    const uint32_t y = ((const struct mapped_identifier *)b)->index;

    return x < y ? -1 : x > y;
}

/* Returns the identifier that the index map (QueryCounterInfo answer) assigns to a block. NULL: none, or several. */
static const struct query_identifier *
mapped_to(const struct query_epoch *epoch, unsigned block)
{
    const struct mapped_identifier key = { .index = block };
    const struct mapped_identifier *found;

    if (epoch->num_mapped == 0) {
        return NULL;
    }
    found =
        (const struct mapped_identifier *)bsearch(&key, epoch->mapped, epoch->num_mapped, sizeof key, compare_mapped);
    if (found == NULL || (found > epoch->mapped && found[-1].index == block) ||
        (found + 1 < epoch->mapped + epoch->num_mapped && found[1].index == block)) {
        return NULL;
    }
    return &found->identifier;
}

e_guid_t
queries_unknown_set(const struct query *query, const struct query_epoch *epoch, unsigned block)
{
    e_guid_t set = { query->number, 0xffff, 0xffff, { 0 } };

    memcpy(&set.data4[0], &epoch->number, 4);
    memcpy(&set.data4[4], &block, 4);
    return set;
}

struct unknown_block
queries_unknown_block(const e_guid_t *set)
{
    struct unknown_block unknown;

    memcpy(&unknown.epoch, &set->data4[0], 4);
    memcpy(&unknown.block, &set->data4[4], 4);
    return unknown;
}

/*
 * Returns whether a block contradicts its identifier in the index map, or without a map, has another type than in the
 * epoch's previous poll.
 */
static bool
contradicts_epoch(const struct query *query, const struct series_block_in *block, unsigned index)
{
    const struct query_identifier *id = mapped_to(query->epoch, index);

    if (query->epoch->num_mapped != 0) {
        return id != NULL &&
            (inference_contradicts(query->server, block->kind, block->rows, block->num_rows, id) ||
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
 * Begins a new epoch if a missing call seems to have changed the query's identifiers: the number of blocks, or of
 * identifiers in a QueryCounterInfo answer, differs from the epoch's, or a block contradicts its identifier.
 * blocks: the num_given blocks of a poll; none for a QueryCounterInfo answer.
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
        query->is_changed_unseen = true;
        query_epoch_begin(query);
    } else {
        epoch->is_doubtful = true;
        confirm_epoch(query);
    }
}

/*
 * Returns whether calls are missing between a poll and the QueryCounterInfo answer before or after it, so that the
 * identifiers in that answer may not be the poll's.
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

/* Maximum number of identifiers of an index map that are compared with a block */
#define MAX_COMPARED 64u

/* Blocks of a poll as sent, for comparison with an index map */
struct sent_blocks {
    const struct series_block_in *read; /* blocks just read; NULL: blocks of the stored poll .kept */
    const struct series_poll *kept;
    unsigned count;
    uint32_t frame; /* frame of the poll */
};

struct sent_block {
    uint32_t kind;
    const struct series_row *rows;
    unsigned num_rows;
    uint8_t width; /* size of the block's first value; 0: none, or no number */
};

static struct sent_blocks
blocks_kept(const struct series_poll *poll)
{
    return (struct sent_blocks){ NULL, poll, poll->num_blocks, poll->frame };
}

static struct sent_block
sent_block(const struct sent_blocks *blocks, unsigned index)
{
    const struct series_block_in *read = blocks->read == NULL ? NULL : &blocks->read[index];
    const struct series_shape *kept = read != NULL ? NULL : series_shape(blocks->kept, index);
    const unsigned num_rows = read != NULL ? read->num_rows : kept->num_rows;
    const unsigned num_counters = read != NULL ? read->num_counters : kept->num_counters;
    const uint8_t *widths = read != NULL ? read->widths : kept->widths;

    return (struct sent_block){ read != NULL ? read->kind : kept->kind, read != NULL ? read->rows : kept->rows,
        num_rows, num_rows > 0 && num_counters > 0 && widths != NULL ? widths[0] : 0 };
}

/*
 * Returns whether a block of one counter cannot contain an identifier's counter: its values have a size that the
 * counter's type does not allow. *taught_in: as in inference_fits_width().
 */
static bool
differs_in_width(const struct query *query, const struct sent_blocks *blocks, unsigned index,
    const struct query_identifier *id, uint32_t *taught_in)
{
    const struct sent_block block = sent_block(blocks, index);

    return !lpdata_type_has_ids(block.kind) && id->counter_id != PERF_WILDCARD_COUNTER &&
        !inference_fits_width(query->server, id, block.width, blocks->frame, taught_in);
}

/*
 * Returns whether the index map assigns a wrong identifier to a block of one counter: the counter's type contradicts
 * the size of the values, and another identifier of the map fits. If the type may be outdated (not listed on this
 * connection before the poll), both blocks must contradict their identifiers, and fit if swapped.
 */
static bool
width_contradicts(const struct query *query, const struct query_epoch *epoch, const struct sent_blocks *blocks,
    unsigned index, const struct query_identifier *id)
{
    const uint32_t connected_in = query->connection->first_frame;
    uint32_t taught_in = 0, any;
    bool is_old;

    if (!differs_in_width(query, blocks, index, id, &taught_in)) {
        return false;
    }
    is_old = (taught_in < connected_in || taught_in > blocks->frame) &&
        !catalog_counterset_is_listed_in(query->server, &id->set, connected_in, blocks->frame);
    for (unsigned i = 0; i < MIN(epoch->num_mapped, MAX_COMPARED); i++) {
        const struct mapped_identifier *other = &epoch->mapped[i];

        if (other->identifier.counter_id != PERF_WILDCARD_COUNTER &&
            !differs_in_width(query, blocks, index, &other->identifier, &any) &&
            (!is_old ||
                (other->index < blocks->count &&
                    differs_in_width(query, blocks, other->index, &other->identifier, &any) &&
                    !differs_in_width(query, blocks, other->index, id, &any)))) {
            return true;
        }
    }
    return false;
}

/* Returns whether a block may be the answer to an identifier. */
static bool
may_answer(const struct query *query, const struct sent_blocks *blocks, unsigned index,
    const struct query_identifier *id)
{
    const struct sent_block block = sent_block(blocks, index);
    uint32_t any;

    return !inference_contradicts(query->server, block.kind, block.rows, block.num_rows, id) &&
        !differs_in_width(query, blocks, index, id, &any);
}

/* Returns whether an identifier that the index map assigns to another block fits this block, but not the other one. */
static bool
is_exchanged(const struct query *query, const struct query_epoch *epoch, const struct sent_blocks *blocks,
    unsigned index)
{
    for (unsigned i = 0; i < MIN(epoch->num_mapped, MAX_COMPARED); i++) {
        const struct mapped_identifier *other = &epoch->mapped[i];

        if (other->index < blocks->count && may_answer(query, blocks, index, &other->identifier) &&
            !may_answer(query, blocks, other->index, &other->identifier)) {
            return true;
        }
    }
    return false;
}

/*
 * Returns the link of a block to its identifier in the index map (QueryCounterInfo answer); LINK_NONE if the map does
 * not fit the poll or the block. num_blocks: number of blocks in the poll.
 */
static struct query_link
mapped_link(const struct query *query, const struct query_epoch *epoch, unsigned index, unsigned num_blocks,
    const struct sent_blocks *blocks)
{
    const struct sent_block block = sent_block(blocks, index);
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
    if (inference_contradicts(query->server, block.kind, block.rows, block.num_rows, id) ||
        width_contradicts(query, epoch, blocks, index, id)) {
        return (
            struct query_link){ .cause = LINK_CONTRADICTED, .is_exchanged = is_exchanged(query, epoch, blocks, index) };
    }
    return inference_link_to(id, LINK_MAPPED, epoch->mapped_in);
}

static struct query_link
link_block(const struct query_poll *poll, unsigned index, const struct sent_blocks *blocks)
{
    /* A poll before the index map: like identify_polls(), compare the number of its captured blocks with the map. */
    const bool is_before = poll->values != NULL && poll->values->frame < poll->epoch->mapped_in;
    struct query_link link = { .kind = LINK_NONE, .cause = poll->cause };

    if (poll->epoch->num_mapped != 0) {
        link = mapped_link(poll->query, poll->epoch, index, is_before ? poll->num_blocks : poll->num_announced, blocks);
        link.calls_missing = is_doubtful(poll);
    } else if (poll->inferred != NULL) {
        link = poll->inferred[index];
    }
    link.is_unnumbered = poll->query->is_unnumbered;
    /* The instance of a single value is unknown if the identifier names none and the counterset has several. */
    if (link.kind != LINK_NONE && link.instance.name_size == 0 &&
        !lpdata_type_has_instances(sent_block(blocks, index).kind) &&
        catalog_counterset_has_instances(poll->query->server, &link.set)) {
        link.instance_known = false;
    }
    return link;
}

struct query_link
queries_link(const struct query_poll *poll, unsigned block)
{
    const struct sent_blocks blocks = blocks_kept(poll->values);

    return link_block(poll, block, &blocks);
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

/*
 * Returns why not all identifiers of a query are known. If they are, returns LINK_AMBIGUOUS, the only reason left for a
 * block without an identifier.
 */
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
        cause_of_ignorance(query) != LINK_AMBIGUOUS || queries_changed_since(query, moment) ||
        queries_is_gap_since(query, sent)) {
        return -1;
    }
    return query->identifiers == NULL ? 0 : (int)g_hash_table_size(query->identifiers);
}

/* Identifies the blocks of the epoch's earlier polls by a QueryCounterInfo answer that follows them. */
static void
identify_polls(struct query *query, wmem_allocator_t *scratch)
{
    const struct query_epoch *epoch = query->epoch;
    GPtrArray *layouts = g_ptr_array_new();

    for (const struct series_poll *poll = query->last->values; poll != NULL; poll = poll->previous) {
        if (poll->starts_layout || poll == epoch->first) {
            g_ptr_array_add(layouts, (void *)poll);
        }
        if (poll == epoch->first) {
            break;
        }
    }
    for (unsigned i = layouts->len; i-- > 0;) {
        const struct series_poll *poll = (const struct series_poll *)g_ptr_array_index(layouts, i);
        const struct sent_blocks blocks = blocks_kept(poll);
        bool *is_late = wmem_alloc0_array(scratch, bool, MAX(poll->num_blocks, 1));

        for (unsigned b = 0; b < poll->num_blocks; b++) {
            const struct series_shape *shape = series_shape(poll, b);
            const struct query_link link = mapped_link(query, epoch, b, poll->num_blocks, &blocks);
            const e_guid_t unknown = queries_unknown_set(query, epoch, b);

            if (guid_map_equal(&shape->set, &unknown) && inference_names_values(&link, shape->kind)) {
                series_identify(query->history, poll, b, &link.set,
                    lpdata_type_has_ids(shape->kind) ? NULL : &link.counter_id,
                    lpdata_type_has_instances(shape->kind) ? NULL : &link.instance);
                is_late[b] = poll != epoch->first ||
                    (!epoch->is_changed_unseen && !queries_is_restarted(query, mapped_to(epoch, b), scratch));
            }
        }
        series_rejoin(query->history, poll, is_late);
    }
    g_ptr_array_free(layouts, TRUE);
}

/* Returns whether a QueryCounterInfo answer maps the same identifiers to the same blocks as the epoch's earlier one. */
static bool
map_is_known(const struct query_epoch *epoch, const struct lpdata *identifiers)
{
    const unsigned count = lpdata_count(identifiers->identifiers);

    if (count != epoch->num_mapped) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        const struct lp_identifier *lp = lpdata_identifier(identifiers, i);
        const struct query_identifier id = queries_read_identifier(identifiers->tvb, lp),
                                      *known = mapped_to(epoch, lp->index);

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

    if (count == 0 || queries_changed_since(query, moment) || queries_is_gap_since(query, sent)) {
        return;
    }
    check_epoch(query, count, NULL, 0);
    query->epoch->is_doubtful = query->is_overlapped;
    if (query->epoch->num_mapped != 0) {
        if (map_is_known(query->epoch, identifiers)) {
            return;
        }
        /* A call that was not captured changed the query. */
        query->is_changed_unseen = true;
        query_epoch_begin(query);
    }
    epoch = query->epoch;
    epoch->mapped = wmem_alloc_array(wmem_file_scope(), struct mapped_identifier, count);
    epoch->num_mapped = count;
    epoch->mapped_in = frame;
    epoch->map_gaps = query->gaps;
    epoch->map_changes_unknown = query->changes_sent - query->changes_known;
    for (unsigned i = 0; i < count; i++) {
        const struct lp_identifier *lp = lpdata_identifier(identifiers, i);
        struct query_identifier *id = &epoch->mapped[i].identifier;

        epoch->mapped[i].index = lp->index;
        *id = queries_read_identifier(identifiers->tvb, lp);
        id->is_as_added = is_known && g_hash_table_contains(query->identifiers, id);
        id->is_not_added = is_known && !id->is_as_added && !queries_may_be_added(query, id, scratch);
        id->instance = inference_keep_row(&id->instance);
    }
    qsort(epoch->mapped, count, sizeof *epoch->mapped, compare_mapped);
    catalog_version++;

    /* Polls since identifiers last changed, but before this answer, can be identified only now. */
    if (epoch->first != NULL) {
        identify_polls(query, scratch);
    }
}

/*
 * Returns the rows, counters and values that a block contains, for its series; identify_block() sets the rest. like:
 * the query's last poll if it has the same layout, else NULL. The arrays are those of data or like, or new ones in
 * scratch.
 */
static struct series_block_in
block_for_history(const struct lpdata *data, unsigned index, const struct series_poll *like, wmem_allocator_t *scratch)
{
    const struct lp_block *block = lpdata_block(data, index);
    struct series_block_in in = { .kind = block->type };
    const uint8_t *bytes;
    uint32_t *counters;
    struct series_row *rows;

    if (!block->is_complete) {
        return in;
    }
    if (like != NULL) {
        const struct series_shape *shape = series_shape(like, index);

        return (struct series_block_in){ .kind = block->type,
            .num_counters = shape->num_counters,
            .num_rows = shape->num_rows,
            .counters = shape->counters,
            .rows = shape->rows,
            .widths = shape->widths,
            .values = data->numbers + block->first_value };
    }
    bytes = tvb_get_ptr(data->tvb, 0, -1);
    in.num_counters = lpdata_type_has_ids(block->type) ? block->num_ids : 1;
    in.num_rows = lpdata_type_has_instances(block->type) ? block->num_instances : 1;
    counters = wmem_alloc_array(scratch, uint32_t, MAX(in.num_counters, 1));
    rows = wmem_alloc_array(scratch, struct series_row, MAX(in.num_rows, 1));
    /* A block without counter ids or instances gets counter id 0 or an empty row until identify_block(). */
    counters[0] = 0;
    rows[0] = (struct series_row){ 0 };
    for (unsigned c = 0; lpdata_type_has_ids(block->type) && c < in.num_counters; c++) {
        counters[c] = bytes_uint32(bytes + lpdata_block_id_at(block, c), false);
    }
    for (unsigned r = 0; lpdata_type_has_instances(block->type) && r < in.num_rows; r++) {
        const struct lp_instance *instance = &data->instances[block->first_instance + r];

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

/* Sets the counterset of a block, and its counter or instance if the block does not contain these. In scratch. */
static void
identify_block(const struct query_poll *poll, unsigned index, const struct sent_blocks *blocks,
    struct series_block_in *block, wmem_allocator_t *scratch)
{
    const struct query_link link = link_block(poll, index, blocks);

    block->is_named = inference_names_values(&link, block->kind);
    block->set = block->is_named ? link.set : queries_unknown_set(poll->query, poll->epoch, index);
    if (!lpdata_type_has_ids(block->kind)) {
        block->counters = (const uint32_t *)wmem_memdup(scratch, &link.counter_id, sizeof link.counter_id);
    }
    if (!lpdata_type_has_instances(block->kind)) {
        block->rows = (const struct series_row *)wmem_memdup(scratch, &link.instance, sizeof link.instance);
    }
    if (link.kind != LINK_NONE && block->is_named && !poll->epoch->has_widths &&
        (poll->inferred == NULL || poll->previous == NULL || poll->inferred != poll->previous->inferred)) {
        /*
         * Later polls have the same sizes of values: learn them from the first with this index map or these inferred
         * identifiers.
         */
        for (unsigned c = 0; block->num_rows > 0 && c < block->num_counters; c++) {
            catalog_learn_width(poll->query->server, &block->set, block->counters[c], block->widths[c]);
        }
    }
}

/*
 * Returns whether a poll's blocks have the same types, counter ids and instances as those of another poll, so that
 * inference has the same result.
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
        for (unsigned i = 0; has_ids && shape->counters != block->counters && i < block->num_counters; i++) {
            if (shape->counters[i] != block->counters[i]) {
                return false;
            }
        }
        for (unsigned i = 0; has_instances && shape->rows != block->rows && i < block->num_rows; i++) {
            if (!series_row_equal(&shape->rows[i], &block->rows[i])) {
                return false;
            }
        }
    }
    return true;
}

/*
 * Returns the inferred identifier of each block of a poll without an index map, or NULL if none can be inferred. A poll
 * with the same blocks as the previous one gets that poll's array.
 */
static const struct query_link *
infer_links(struct query *query, const struct lpdata *data, const struct series_block_in *blocks,
    wmem_allocator_t *scratch)
{
    /* The number of blocks must equal that of identifiers; otherwise some identifier is unknown. */
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
 * Assigns a poll to the query's epoch. If calls are missing between the poll's request and answer, or the query was
 * changed meanwhile, the poll gets an epoch of its own: its identifiers are unknown.
 */
static void
place_poll(struct query *query, struct query_poll *poll, const struct lpdata *data,
    const struct series_block_in *blocks, uint32_t moment, const struct connection_state *sent,
    wmem_allocator_t *scratch)
{
    if (queries_is_gap_since(query, sent)) {
        poll->epoch = new_epoch(query);
        poll->cause = LINK_CALLS_MISSING;
        return;
    }
    if (queries_changed_since(query, moment)) {
        poll->epoch = new_epoch(query);
        poll->cause = LINK_CHANGE_UNDER_WAY;
        queries_give_up_changes(query, moment, sent);
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

/*
 * Inserts a poll that was recognised only after polls of later frames; returns false for any other poll. It belongs to
 * the epoch of both its neighbours, or before all other polls to the query's first epoch. If there is no such epoch, it
 * gets one of its own: its identifiers are unknown.
 */
static bool
place_late_poll(struct query *query, struct query_poll *poll, uint32_t frame, const struct lpdata *data,
    const struct series_block_in *blocks)
{
    struct query_poll *after = query->last;

    if (after == NULL || after->values->frame <= frame) {
        return false;
    }
    while (after->previous != NULL && after->previous->values->frame > frame) {
        after = after->previous;
    }
    poll->previous = after->previous;
    after->previous = poll;
    if (poll->previous == NULL ? after->epoch->number != 0 : poll->previous->epoch != after->epoch) {
        poll->epoch = new_epoch(query);
        poll->cause = LINK_CHANGE_UNKNOWN;
        return true;
    }
    poll->epoch = after->epoch;
    poll->is_doubtful = after->is_doubtful;
    poll->gaps = after->gaps;
    poll->changes_unknown = after->changes_unknown;
    poll->cause = after->cause;
    if (after->inferred != NULL && has_same_blocks(after, blocks, data)) {
        poll->inferred = after->inferred;
    }
    return true;
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

/* Maximum number of restarted identifiers (removed and added again) compared with a block of several instances */
#define MAX_RESTARTED 64

/* Returns whether the identifier of a block was, or may have been, removed and added again since the last poll. */
static bool
is_begun_anew(const struct query_poll *poll, unsigned index, const struct series_block_in *block,
    wmem_allocator_t *scratch)
{
    const struct query_identifier *mapped = mapped_to(poll->epoch, index);
    struct query_identifier id = { .set = block->set, .counter_id = PERF_WILDCARD_COUNTER };
    GHashTableIter iter;
    void *key;

    if (poll->query->is_changed_unseen || poll->query->restarted == NULL || !block->is_named ||
        poll->query->is_polled) {
        return poll->query->is_changed_unseen;
    }
    if (mapped != NULL) {
        return queries_is_restarted(poll->query, mapped, scratch);
    }
    if (!lpdata_type_has_ids(block->kind)) {
        id.counter_id = block->counters[0];
    }
    if (!lpdata_type_has_instances(block->kind)) {
        id.instance = block->rows[0];
        return queries_is_restarted(poll->query, &id, scratch);
    }
    g_hash_table_iter_init(&iter, poll->query->restarted);
    for (unsigned i = 0; i < MAX_RESTARTED && g_hash_table_iter_next(&iter, &key, NULL); i++) {
        const struct query_identifier *one = (const struct query_identifier *)key;

        if (guid_map_equal(&one->set, &id.set) && one->counter_id == id.counter_id && inference_takes_instances(one)) {
            return true;
        }
    }
    return false;
}

struct query_poll *
queries_polled(struct query *query, const struct lpdata *data, uint32_t moment, const struct connection_state *sent,
    uint32_t frame, wmem_allocator_t *scratch)
{
    const struct cook_clocks clocks = { data->header.perf_time_stamp, data->header.perf_time_100ns,
        data->header.perf_freq };
    const bool is_like_last =
        data->known != NULL && query->last != NULL && query->last->values->layout == query->known_from;
    struct query_poll *poll = wmem_new0(wmem_file_scope(), struct query_poll);
    struct series_block_in *blocks;
    bool is_late;

    poll->query = query;
    poll->num_blocks = lpdata_count(data->blocks);
    /* The header of a cut poll contains the number of blocks. */
    poll->num_announced = data->is_cut ? data->header.num_counters : poll->num_blocks;
    poll->num_values = data->num_values;
    blocks = wmem_alloc_array(scratch, struct series_block_in, poll->num_blocks);
    for (unsigned b = 0; b < poll->num_blocks; b++) {
        blocks[b] = block_for_history(data, b, is_like_last ? query->last->values : NULL, scratch);
    }
    is_late = place_late_poll(query, poll, frame, data, blocks);
    if (!is_late) {
        place_poll(query, poll, data, blocks, moment, sent, scratch);
        poll->previous = query->last;
        query->last = poll;
    }
    for (unsigned b = 0; b < poll->num_blocks; b++) {
        identify_block(poll, b, &(struct sent_blocks){ blocks, NULL, poll->num_blocks, frame }, &blocks[b], scratch);
        blocks[b].is_new = !is_late && is_begun_anew(poll, b, &blocks[b], scratch);
    }
    if (!is_late) {
        if (poll->epoch->first == NULL) {
            poll->epoch->is_changed_unseen = query->is_changed_unseen;
        }
        query->is_changed_unseen = false;
        query->is_polled = true;
    }
    if (query->history == NULL) {
        query->history = series_store_new(query->server, queries_instance_text);
    }
    poll->values = series_store_add(query->history, frame, &sent->position, &clocks, blocks, poll->num_blocks);
    if (poll->epoch->first == NULL || poll->epoch->first->frame > frame) {
        poll->epoch->first = poll->values;
    }
    if (!is_late) {
        poll->epoch->num_polled = poll->num_blocks;
        poll->epoch->has_widths = poll->epoch->mapped_in != 0;
    }
    /* A second poll has this layout. Keep it, so that further polls can be compared with it instead of parsed. */
    if (!poll->values->starts_layout && poll->values->layout != query->known_from && !query->is_released) {
        query->known_from = poll->values->layout;
        if (data->known == NULL) {
            lpdata_known_free(query->known);
            query->known = lpdata_known_new(data->tvb);
        }
    }
    return poll;
}
