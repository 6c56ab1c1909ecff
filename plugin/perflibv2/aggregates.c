/* aggregates.c
 * Aggregates: the single value that a client computes for a counter of an aggregating counterset
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/values.h"

#include "base/hash.h"

/* AggregateFunc, 2.2.4.2 */
enum { AGGREGATE_TOTAL = 1, AGGREGATE_AVERAGE, AGGREGATE_MINIMUM, AGGREGATE_MAXIMUM };

/* State while the aggregates of a poll are computed */
struct aggregation {
    wmem_allocator_t *scope;
    wmem_array_t *all;   /* elements: struct aggregate */
    wmem_map_t *indexes; /* struct perf_counter -> index of its aggregate + 1 */
    wmem_map_t *seen;    /* series of this poll that were already added */
};

/* Adds an aggregate for each aggregated counter of a block, even if the block no longer has instances. */
static void
add_counters(struct aggregation *work, struct poll *poll, unsigned b)
{
    struct poll_block *block = &poll->blocks[b];

    for (unsigned c = 0; c < block->num_columns; c++) {
        const struct perf_counter *counter = poll_counter(poll, &block->columns[c]);
        struct aggregate one = { .function = block->columns[c].aggregate, .block = b, .at = c };

        if (one.function >= AGGREGATE_TOTAL && one.function <= AGGREGATE_MAXIMUM &&
            !wmem_map_contains(work->indexes, counter)) {
            one.identity = identity_of(poll_counter(poll, &block->columns[c]), NULL);
            one.path = identity_path(one.identity, poll->frame, poll->names);
            wmem_array_append_one(work->all, one);
            wmem_map_insert(work->indexes, counter, GUINT_TO_POINTER(wmem_array_get_count(work->all)));
        }
    }
}

/* Adds integers exactly if they fit, since a sum of doubles loses digits. */
static void
aggregate_add_whole(struct cook_result *sum, const struct cook_result *one)
{
    const bool is_negative = sum->value < 0;
    uint64_t whole = sum->whole + one->whole;

    if (is_negative != (one->value < 0)) {
        const bool is_larger = sum->whole > one->whole;

        whole = is_larger ? sum->whole - one->whole : one->whole - sum->whole;
        sum->value = (is_larger ? sum : one)->value < 0 && whole > 0 ? -(double)whole : (double)whole;
    } else {
        sum->is_whole = whole >= one->whole;
        sum->value = !sum->is_whole ? sum->value + one->value : is_negative ? -(double)whole : (double)whole;
    }
    sum->whole = whole;
}

/* Adds the value of one instance. */
static void
add_value(struct aggregate *all, const struct cook_result *one)
{
    struct cook_result *sum = &all->cooked;

    all->num_instances++;
    if (all->num_instances == 1 || (all->function == AGGREGATE_MINIMUM && one->value < sum->value) ||
        (all->function == AGGREGATE_MAXIMUM && one->value > sum->value)) {
        *sum = *one;
    } else if (all->function == AGGREGATE_TOTAL || all->function == AGGREGATE_AVERAGE) {
        if (sum->is_whole && one->is_whole) {
            aggregate_add_whole(sum, one);
        } else {
            sum->is_whole = false;
            sum->value += one->value;
        }
    }
}

/*
 * Adds the values of a block to the aggregates, each once, even if two identifiers of the query name its counter.
 * is_gone: the block is one of the previous poll (values_previous(), InstanceType 0xC): add only the last values of
 * instances deleted since.
 */
static void
add_block(struct aggregation *work, struct poll *poll, unsigned b, bool is_gone)
{
    struct poll_block *block = &poll->blocks[b];
    struct series *const *series = series_shape(poll->sample, b)->series;

    for (unsigned at = 0; block->is_named && at < block->num_instances * block->num_columns; at++) {
        const unsigned index = GPOINTER_TO_UINT(
            wmem_map_lookup(work->indexes, poll_counter(poll, &block->columns[at % block->num_columns])));
        struct aggregate *one;
        const struct cook_result *cooked;

        if (index == 0 || wmem_map_insert(work->seen, series[at], block) != NULL) {
            continue;
        }
        one = (struct aggregate *)wmem_array_index(work->all, index - 1);
        cooked = poll_cooked(poll, b, at);
        if (is_gone ? cooked->reason != COOK_OK : cooked->reason == COOK_NOT_DISPLAYED) {
            continue;
        }
        one->is_nameless |= !is_gone && block->instances[at / block->num_columns].text == NULL;
        one->is_own = !is_gone && one->num_returned == 0 && one->is_nameless;
        one->num_gone += is_gone;
        one->num_returned++;
        if (cooked->reason == COOK_OK) {
            add_value(one, cooked);
        }
    }
}

/* Removes aggregates without any value, and divides the sums of averages by their number of values. */
static struct aggregates *
finish(const struct aggregation *work)
{
    const unsigned count = wmem_array_get_count(work->all);
    struct aggregate *finished = wmem_alloc_array(work->scope, struct aggregate, count);
    struct aggregates *aggregates = wmem_new0(work->scope, struct aggregates);

    aggregates->all = finished;
    for (unsigned i = 0; i < count; i++) {
        struct aggregate one = *(const struct aggregate *)wmem_array_index(work->all, i);

        if (one.num_instances == 0) {
            continue;
        }
        if (one.function == AGGREGATE_AVERAGE && one.num_instances > 1) {
            one.cooked.value /= one.num_instances;
            one.cooked.is_whole = false;
        }
        finished[aggregates->count++] = one;
    }
    return aggregates->count == 0 ? NULL : aggregates;
}

struct aggregates *
aggregates_make(struct values *values)
{
    wmem_allocator_t *scope = values->base.scope;
    struct aggregation work = { .scope = scope };

    for (unsigned b = 0; b < values->base.num_blocks; b++) {
        const struct value_block *block = values_block(values, b);
        const struct counterset *set;

        if (block->bytes->type == PERF_ERROR_RETURN) {
            continue;
        }
        if (!values->base.blocks[b].is_named) {
            /* It is unknown which counter or instance these values belong to, so no aggregate is certain. */
            return NULL;
        }
        set = catalog_counterset(values->server, &block->link.set);
        if (set == NULL ||
            (set->instance_type != GLOBAL_AGGREGATE && set->instance_type != MULTIPLE_AGGREGATE &&
                set->instance_type != GLOBAL_AGGREGATE_HISTORY)) {
            continue;
        }
        if (work.all == NULL) {
            work.all = wmem_array_new(scope, sizeof(struct aggregate));
            work.indexes = wmem_map_new(scope, hash_pointer, g_direct_equal);
            work.seen = wmem_map_new(scope, hash_pointer, g_direct_equal);
        }
        add_counters(&work, &values->base, b);
        add_block(&work, &values->base, b, false);
    }
    if (work.all == NULL) {
        return NULL;
    }
    if (!queries_begins_epoch(values->poll)) {
        struct poll *previous = values_previous(values);

        for (unsigned b = 0; b < previous->num_blocks; b++) {
            add_block(&work, previous, b, true);
        }
    }
    return finish(&work);
}
