/* aggregates.c
 * The one value a client makes of a counter of an aggregating counterset
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/values.h"

#include <string.h>

#include "base/hash.h"

/* AggregateFunc, 2.2.4.2 */
enum { AGGREGATE_TOTAL = 1, AGGREGATE_AVERAGE, AGGREGATE_MINIMUM, AGGREGATE_MAXIMUM };

/* A counter of a counterset: its id, and how many of that id stand before it. */
struct aggregate_key {
    const struct server *server;
    e_guid_t set;
    uint32_t counter, twin;
};

/* What is being put together. */
struct work {
    struct values *values;
    wmem_allocator_t *scope;
    wmem_array_t *all;  /* struct aggregate */
    wmem_map_t *places; /* struct aggregate_key -> its index + 1 */
    wmem_map_t *seen;   /* struct series of this poll */
};

HASH_BYTES(aggregate_key, sizeof(struct aggregate_key))

/* Whether the client aggregates the values of a counterset. */
static bool
is_aggregating(const struct counterset *set)
{
    return set != NULL &&
        (set->instance_type == GLOBAL_AGGREGATE || set->instance_type == MULTIPLE_AGGREGATE ||
            set->instance_type == GLOBAL_AGGREGATE_HISTORY);
}

static bool
is_function(uint32_t function)
{
    return function >= AGGREGATE_TOTAL && function <= AGGREGATE_MAXIMUM;
}

/* Each counter of a block that is aggregated has an aggregate, even where no instance is there any more. */
static void
add_counters(struct work *work, const struct value_block *block)
{
    for (unsigned c = 0; c < block->shape->num_counters; c++) {
        const struct aggregate_key key = {
            values_server(work->values),
            block->link.set,
            values_counter_id(block, c),
            values_twin(block, c),
        };
        struct aggregate one = { .function = values_counter(block, c)->aggregate, .block = block->index, .at = c };

        if (is_function(one.function) && !wmem_map_contains(work->places, &key)) {
            one.identity = values_identity_of_all(work->values, block, c);
            one.path = poll_path_of(&work->values->base, one.identity);
            wmem_array_append_one(work->all, one);
            wmem_map_insert(work->places, wmem_memdup(work->scope, &key, sizeof key),
                GUINT_TO_POINTER(wmem_array_get_count(work->all)));
        }
    }
}

/* The aggregate a value belongs to; NULL: none. */
static struct aggregate *
aggregate_find(const struct work *work, const e_guid_t *set, uint32_t counter, unsigned twin)
{
    const struct aggregate_key key = { values_server(work->values), *set, counter, twin };
    const unsigned place = GPOINTER_TO_UINT(wmem_map_lookup(work->places, &key));

    return place == 0 ? NULL : (struct aggregate *)wmem_array_index(work->all, place - 1);
}

/* Adds whole numbers as such, as far as there is room: a sum of doubles loses digits. */
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

/* One more instance. */
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

/* The values of a block. Two identifiers of a query may name the same counter: it is one value all the same. */
static void
add_block(struct work *work, struct value_block *block)
{
    series_prepare(work->values->poll->values);
    for (unsigned at = 0; at < block->bytes->num_values; at++) {
        struct aggregate *one =
            aggregate_find(work, &block->link.set, values_counter_id(block, at), values_twin(block, at));
        const struct poll_meaning *meaning;

        if (one == NULL || wmem_map_insert(work->seen, block->shape->series[at], block) != NULL) {
            continue;
        }
        meaning = poll_meaning(&work->values->base, block->index, at);
        if (meaning->cooked.reason == COOK_NOT_DISPLAYED) {
            continue;
        }
        one->is_nameless = one->is_nameless || values_row(block, at)->name_size == 0;
        one->is_own = one->num_returned == 0 && one->is_nameless;
        one->num_returned++;
        if (meaning->cooked.reason == COOK_OK) {
            add_value(one, &meaning->cooked);
        }
    }
}

/*
 * Of a history the client may go on with the value that an instance had in the query before the server deleted it
 * (2.2.4.1, InstanceType 0xC).
 */
static void
add_gone(struct work *work, const struct series_poll *previous, unsigned block)
{
    const struct series_shape *shape = series_shape(previous, block);
    const struct counterset *set = catalog_counterset(values_server(work->values), &shape->set);
    const unsigned count = shape->num_counters * shape->num_rows;

    if (set == NULL || set->instance_type != GLOBAL_AGGREGATE_HISTORY || shape->series == NULL) {
        return;
    }
    for (unsigned at = 0; at < count; at++) {
        const struct series *series = shape->series[at];
        struct aggregate *one = aggregate_find(work, &shape->set, series->counter, series->twin);
        struct cook_result cooked;

        if (one == NULL || wmem_map_contains(work->seen, series)) {
            continue;
        }
        wmem_map_insert(work->seen, series, work);
        cooked = values_cook_earlier(work->values, previous, block, at);
        if (cooked.reason == COOK_OK) {
            one->num_gone++;
            one->num_returned++;
            one->is_own = false;
            add_value(one, &cooked);
        }
    }
}

/* Without those of which no instance has a value; averages are divided. */
static struct aggregates *
finish(const struct work *work)
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
aggregates_make(struct values *values, unsigned num_blocks, wmem_allocator_t *scope)
{
    const struct query_poll *poll = values->poll;
    struct work work = { .values = values, .scope = scope };

    for (unsigned b = 0; b < num_blocks; b++) {
        struct value_block *block = values_block(values, b);

        if (block->bytes->type == PERF_ERROR_RETURN) {
            continue;
        }
        if (!block->is_named) {
            /* Who knows whose instances these are. */
            return NULL;
        }
        if (!is_aggregating(catalog_counterset(poll->query->server, &block->link.set))) {
            continue;
        }
        if (work.all == NULL) {
            work.all = wmem_array_new(scope, sizeof(struct aggregate));
            work.places = wmem_map_new(scope, aggregate_key_hash, aggregate_key_equal);
            work.seen = wmem_map_new(scope, hash_pointer, g_direct_equal);
        }
        add_counters(&work, block);
        add_block(&work, block);
    }
    if (work.all == NULL) {
        return NULL;
    }
    if (!queries_begins_epoch(poll)) {
        const struct series_poll *previous = poll->values->previous;

        series_prepare(previous);
        for (unsigned b = 0; b < previous->num_blocks; b++) {
            add_gone(&work, previous, b);
        }
    }
    return finish(&work);
}
