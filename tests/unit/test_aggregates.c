/* test_aggregates.c
 * What clients make of all instances of a counterset: sums without loss, averages, extremes, and who counts
 *
 * [MS-PCQ] 2.2.4.1, 2.2.4.2
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/values.h"

#include <math.h>
#include <string.h>

#include "check.h"

/* AggregateFunc */
enum { UNDEFINED, TOTAL, AVERAGE, MINIMUM, MAXIMUM, UNLISTED };
enum { MOST_BLOCKS = 4, MOST_ROWS = 4, MOST_COUNTERS = 2, MOST_VALUES = MOST_ROWS * MOST_COUNTERS };

static wmem_allocator_t *scope;

/* A poll: of each block what it is of, and what each value comes to. */
static struct value_block blocks[MOST_BLOCKS];
static struct lp_block bytes[MOST_BLOCKS];
static struct series_shape shapes[MOST_BLOCKS], earlier_shapes[MOST_BLOCKS];
static struct series all_series[2 * MOST_BLOCKS][MOST_VALUES], *series_of[2 * MOST_BLOCKS][MOST_VALUES];
static struct poll_meaning meanings[MOST_BLOCKS][MOST_VALUES];
static struct cook_result earlier[MOST_BLOCKS][MOST_VALUES];
static struct series_row rows[MOST_BLOCKS][MOST_ROWS];
static struct catalog_counter counters[MOST_BLOCKS][MOST_COUNTERS];
static unsigned twins[MOST_BLOCKS][MOST_COUNTERS];
static uint32_t ids[MOST_BLOCKS][MOST_COUNTERS];
static bool is_first;
static struct counterset counterset;

/* In place of values.c, queries.c and of counters/. */
struct value_block *
values_block(struct values *values _U_, unsigned index)
{
    return &blocks[index];
}

const struct server *
values_server(const struct values *values _U_)
{
    return NULL;
}

uint32_t
values_counter_id(const struct value_block *block, unsigned at)
{
    return ids[block->index][at % block->shape->num_counters];
}

unsigned
values_twin(const struct value_block *block, unsigned at)
{
    return twins[block->index][at % block->shape->num_counters];
}

const struct catalog_counter *
values_counter(const struct value_block *block, unsigned at)
{
    return &counters[block->index][at % block->shape->num_counters];
}

const struct series_row *
values_row(const struct value_block *block, unsigned at)
{
    return &rows[block->index][at / block->shape->num_counters];
}

struct identity *
values_identity_of_all(struct values *values _U_, const struct value_block *block, unsigned at)
{
    return (struct identity *)&ids[block->index][at];
}

const char *
poll_path_of(const struct poll *poll _U_, struct identity *identity)
{
    return (const char *)identity;
}

const struct poll_meaning *
poll_meaning(struct poll *poll _U_, unsigned block, unsigned at)
{
    return &meanings[block][at];
}

struct cook_result
values_cook_earlier(const struct values *values _U_, const struct series_poll *poll _U_, unsigned block, unsigned at)
{
    return earlier[block][at];
}

/* Counterset 9 is unknown. */
const struct counterset *
catalog_counterset(const struct server *server _U_, const e_guid_t *guid)
{
    return guid->data1 == 9 ? NULL : &counterset;
}

bool
queries_begins_epoch(const struct query_poll *poll _U_)
{
    return is_first;
}

void
series_prepare(const struct series_poll *poll _U_)
{
}

struct series_shape *
series_shape(const struct series_poll *poll _U_, unsigned block)
{
    return &earlier_shapes[block];
}

static struct cook_result
number(double value)
{
    return (struct cook_result){ .reason = COOK_OK, .value = value };
}

static struct cook_result
whole(bool is_negative, uint64_t magnitude)
{
    return (struct cook_result){ .reason = COOK_OK,
        .is_whole = true,
        .whole = magnitude,
        .value = is_negative ? -(double)magnitude : (double)magnitude };
}

static struct cook_result
without(enum cook_reason reason)
{
    return (struct cook_result){ .reason = reason };
}

/* A block of counterset 1 of so many instances, each with a name, of counters 5, 6, ... of one function. */
static void
fill(unsigned b, unsigned num_rows, unsigned num_counters, uint32_t function)
{
    bytes[b] = (struct lp_block){ .type = PERF_COUNTERSET, .num_values = num_rows * num_counters };
    shapes[b] = (struct series_shape){ .set = { 1, 0, 0, { 0 } },
        .num_counters = num_counters,
        .num_rows = num_rows,
        .series = series_of[b] };
    blocks[b] = (struct value_block){ .bytes = &bytes[b],
        .link = { .kind = LINK_MAPPED, .set = { 1, 0, 0, { 0 } } },
        .is_named = true,
        .index = b,
        .shape = &shapes[b] };
    for (unsigned c = 0; c < MOST_COUNTERS; c++) {
        ids[b][c] = 5 + c;
        twins[b][c] = 0;
        counters[b][c] = (struct catalog_counter){ .aggregate = function };
    }
    for (unsigned r = 0; r < MOST_ROWS; r++) {
        rows[b][r] = (struct series_row){ .name_size = 2 };
    }
    for (unsigned i = 0; i < MOST_VALUES; i++) {
        series_of[b][i] = &all_series[b][i];
        meanings[b][i] = (struct poll_meaning){ .cooked = number(0) };
    }
    is_first = true;
    counterset = (struct counterset){ GLOBAL_AGGREGATE, 2 };
}

static const struct aggregates *
make(unsigned num_blocks, unsigned num_earlier)
{
    static struct query query;
    struct series_poll *previous = (struct series_poll *)wmem_alloc0(scope,
                           sizeof(struct series_poll) + sizeof(struct series_block)),
                       *now = (struct series_poll *)wmem_memdup(scope, previous, sizeof *previous);
    struct query_poll poll = { .query = &query, .values = now };
    struct values values = { .poll = &poll };

    previous->num_blocks = num_earlier;
    now->previous = previous;
    return aggregates_make(&values, num_blocks, scope);
}

static void
check_arithmetic(void)
{
    static const struct {
        uint32_t function;
        unsigned count;
        struct {
            bool is_whole, is_negative;
            double value; /* or, of whole numbers, its magnitude */
        } in[3];
        bool is_whole;
        double value;
        uint64_t whole;
    } cases[] = {
        { TOTAL, 1, { { false, false, 1.5 } }, false, 1.5, 0 },
        { TOTAL, 3, { { false, false, 1.5 }, { false, true, 4 }, { false, false, 0.25 } }, false, 5.75, 0 },
        { TOTAL, 3, { { true, false, 1 }, { true, false, 2 }, { true, false, 4 } }, true, 7, 7 },
        { TOTAL, 2, { { true, true, 1 }, { true, true, 2 } }, true, -3, 3 },
        { TOTAL, 2, { { true, true, 5 }, { true, false, 2 } }, true, -3, 3 },
        { TOTAL, 2, { { true, true, 2 }, { true, false, 5 } }, true, 3, 3 },
        { TOTAL, 2, { { true, false, 5 }, { true, true, 2 } }, true, 3, 3 },
        { TOTAL, 2, { { true, false, 2 }, { true, true, 5 } }, true, -3, 3 },
        { TOTAL, 2, { { true, false, 5 }, { true, true, 6 } }, true, -1, 1 },
        { TOTAL, 2, { { true, false, 5 }, { true, true, 5 } }, true, 0, 0 },
        { TOTAL, 2, { { true, true, 5 }, { true, false, 5 } }, true, 0, 0 },
        { TOTAL, 3, { { true, true, 5 }, { true, false, 5 }, { true, false, 1 } }, true, 1, 1 },
        { TOTAL, 2, { { true, false, 0 }, { true, true, 5 } }, true, -5, 5 },
        { TOTAL, 2, { { true, true, 5 }, { true, false, 0 } }, true, -5, 5 },
        { TOTAL, 2, { { true, false, 0 }, { true, false, 5 } }, true, 5, 5 },
        { TOTAL, 2, { { true, false, 0 }, { true, false, 0 } }, true, 0, 0 },
        { TOTAL, 2, { { true, false, 1 }, { false, false, 0.5 } }, false, 1.5, 0 },
        { TOTAL, 3, { { true, false, 1 }, { false, false, 0.5 }, { true, false, 1 } }, false, 2.5, 0 },
        { TOTAL, 2, { { false, false, 0.5 }, { true, false, 1 } }, false, 1.5, 0 },
        { AVERAGE, 1, { { true, false, 7 } }, true, 7, 7 },
        { AVERAGE, 2, { { true, false, 7 }, { true, false, 8 } }, false, 7.5, 0 },
        { AVERAGE, 3, { { false, false, 1 }, { false, false, 2 }, { false, false, 6 } }, false, 3, 0 },
        { MINIMUM, 3, { { false, false, 2 }, { false, false, 1 }, { false, false, 3 } }, false, 1, 0 },
        { MINIMUM, 3, { { true, false, 2 }, { true, true, 1 }, { true, false, 3 } }, true, -1, 1 },
        { MINIMUM, 2, { { true, false, 2 }, { false, false, 2 } }, true, 2, 2 },
        { MAXIMUM, 3, { { false, false, 2 }, { false, false, 3 }, { false, false, 1 } }, false, 3, 0 },
        { MAXIMUM, 3, { { true, true, 2 }, { true, true, 1 }, { true, true, 3 } }, true, -1, 1 },
        { MAXIMUM, 2, { { true, false, 2 }, { false, false, 2 } }, true, 2, 2 },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        const struct aggregates *found;

        fill(0, cases[i].count, 1, cases[i].function);
        for (unsigned k = 0; k < cases[i].count; k++) {
            const bool is_negative = cases[i].in[k].is_negative;
            const double value = cases[i].in[k].value;

            meanings[0][k].cooked = cases[i].in[k].is_whole ? whole(is_negative, (uint64_t)value) : number(value);
        }
        found = make(1, 0);
        CHECK(found != NULL && found->count == 1, "%zu", i);
        CHECK(found->all[0].cooked.value == cases[i].value && found->all[0].cooked.is_whole == cases[i].is_whole,
            "%zu: %g", i, found->all[0].cooked.value);
        CHECK(!cases[i].is_whole || found->all[0].cooked.whole == cases[i].whole, "%zu", i);
        CHECK(!signbit(found->all[0].cooked.value) || cases[i].value < 0, "%zu: zero has no sign", i);
        CHECK(found->all[0].num_instances == cases[i].count && found->all[0].num_returned == cases[i].count, "%zu", i);
    }

    /* A double has no 2^53 + 1. Whole numbers go up to 2^64 - 1; what is larger is a double. */
    fill(0, 2, 1, TOTAL);
    meanings[0][0].cooked = whole(false, UINT64_C(9007199254740993));
    meanings[0][1].cooked = whole(false, 1);
    CHECK(make(1, 0)->all[0].cooked.whole == UINT64_C(9007199254740994) &&
            make(1, 0)->all[0].cooked.value == 9007199254740994.0,
        "2^53 + 2");
    meanings[0][0].cooked = whole(false, UINT64_MAX - 1);
    CHECK(make(1, 0)->all[0].cooked.whole == UINT64_MAX && make(1, 0)->all[0].cooked.is_whole, "the largest");
    meanings[0][0].cooked = whole(false, UINT64_MAX);
    CHECK(!make(1, 0)->all[0].cooked.is_whole && make(1, 0)->all[0].cooked.value == ldexp(1, 64), "too large");
    meanings[0][0].cooked = whole(true, UINT64_MAX);
    meanings[0][1].cooked = whole(true, UINT64_MAX);
    CHECK(!make(1, 0)->all[0].cooked.is_whole && make(1, 0)->all[0].cooked.value == -ldexp(1, 65), "below zero");
}

static void
check_what_is_aggregated(void)
{
    static const struct {
        uint32_t instance_type;
        bool is_aggregating;
    } types[] = { { 0, false }, { 2, false }, { 4, true }, { 6, true }, { 0xC, true }, { 0x16, false } };
    const struct aggregates *found;

    for (size_t i = 0; i < array_length(types); i++) {
        fill(0, 2, 1, TOTAL);
        counterset.instance_type = types[i].instance_type;
        CHECK((make(1, 0) != NULL) == types[i].is_aggregating, "type %x", types[i].instance_type);
    }
    for (uint32_t function = UNDEFINED; function <= UNLISTED; function++) {
        fill(0, 2, 1, function);
        CHECK((make(1, 0) != NULL) == (function >= TOTAL && function <= MAXIMUM), "function %u", function);
    }
    fill(0, 2, 1, TOTAL);
    blocks[0].link.set.data1 = 9;
    CHECK(make(1, 0) == NULL, "a counterset that is not known");
    CHECK(make(0, 0) == NULL, "no block");

    /* Two counters, one of which has a function. */
    fill(0, 2, 2, TOTAL);
    counters[0][0].aggregate = UNDEFINED;
    meanings[0][1].cooked = number(3);
    meanings[0][3].cooked = number(4);
    meanings[0][0].cooked = meanings[0][2].cooked = number(100);
    found = make(1, 0);
    CHECK(found->count == 1 && found->all[0].cooked.value == 7 && found->all[0].at == 1 && found->all[0].block == 0,
        "%u", found->count);
    CHECK(found->all[0].function == TOTAL && found->all[0].identity == (struct identity *)&ids[0][1] &&
            found->all[0].path == (const char *)&ids[0][1],
        "whose it is");
    /* Two of one id are two. */
    fill(0, 1, 2, TOTAL);
    ids[0][1] = ids[0][0];
    twins[0][1] = 1;
    meanings[0][0].cooked = number(1);
    meanings[0][1].cooked = number(2);
    found = make(1, 0);
    CHECK(found->count == 2 && found->all[0].cooked.value == 1 && found->all[1].cooked.value == 2, "twins");

    /* Blocks of one counter go together, of two countersets do not. */
    fill(0, 1, 1, TOTAL);
    fill(1, 1, 1, TOTAL);
    meanings[0][0].cooked = number(1);
    meanings[1][0].cooked = number(2);
    found = make(2, 0);
    CHECK(found->count == 1 && found->all[0].cooked.value == 3 && found->all[0].block == 0, "one counter");
    blocks[1].link.set.data1 = 2;
    found = make(2, 0);
    CHECK(found->count == 2 && found->all[0].cooked.value == 1 && found->all[1].cooked.value == 2, "two");
    blocks[1].link.set.data1 = 1;
    series_of[1][0] = series_of[0][0];
    found = make(2, 0);
    CHECK(found->count == 1 && found->all[0].cooked.value == 1 && found->all[0].num_returned == 1, "a value twice");
    blocks[1].is_named = false;
    CHECK(make(2, 0) == NULL, "a block of nobody knows what");
    bytes[1].type = PERF_ERROR_RETURN;
    CHECK(make(2, 0) != NULL, "a block without values");
}

static void
check_instances(void)
{
    const struct aggregates *found;

    fill(0, 3, 1, TOTAL);
    meanings[0][0].cooked = number(1);
    meanings[0][1].cooked = without(COOK_FIRST_SAMPLE);
    meanings[0][2].cooked = number(4);
    found = make(1, 0);
    CHECK(found->all[0].cooked.value == 5 && found->all[0].num_instances == 2 && found->all[0].num_returned == 3,
        "%u of %u", found->all[0].num_instances, found->all[0].num_returned);
    CHECK(!found->all[0].is_nameless && !found->all[0].is_own, "all have names");
    meanings[0][1].cooked = without(COOK_NOT_DISPLAYED);
    found = make(1, 0);
    CHECK(found->all[0].num_returned == 2, "what is not displayed is no instance");
    meanings[0][0].cooked = meanings[0][2].cooked = without(COOK_FIRST_SAMPLE);
    CHECK(make(1, 0) == NULL, "none has a value");

    /* An average is of those that have a value: of one it is that value, whole as it is. */
    fill(0, 3, 1, AVERAGE);
    meanings[0][0].cooked = whole(false, UINT64_C(9007199254740993));
    meanings[0][1].cooked = meanings[0][2].cooked = without(COOK_FIRST_SAMPLE);
    found = make(1, 0);
    CHECK(found->all[0].cooked.is_whole && found->all[0].cooked.whole == UINT64_C(9007199254740993) &&
            found->all[0].num_returned == 3,
        "of one of three");
    meanings[0][1].cooked = number(6);
    meanings[0][0].cooked = number(2);
    CHECK(make(1, 0)->all[0].cooked.value == 4, "of two of three");

    fill(0, 2, 1, TOTAL);
    rows[0][1].name_size = 0;
    found = make(1, 0);
    CHECK(found->all[0].is_nameless && !found->all[0].is_own, "one of two has no name");
    rows[0][0].name_size = 0;
    found = make(1, 0);
    CHECK(found->all[0].is_nameless && !found->all[0].is_own, "neither has");
    rows[0][1].name_size = 2;
    found = make(1, 0);
    CHECK(found->all[0].is_nameless && !found->all[0].is_own, "the first has none");
    fill(0, 1, 1, TOTAL);
    rows[0][0].name_size = 0;
    found = make(1, 0);
    CHECK(found->all[0].is_nameless && found->all[0].is_own, "it is the only one");
    rows[0][0].name_size = 2;
    found = make(1, 0);
    CHECK(!found->all[0].is_nameless && !found->all[0].is_own, "the only one has a name, and so another path");
}

/* Instances of a history that are gone count with what they had last. */
static void
check_gone(void)
{
    const struct aggregates *found;

    fill(0, 1, 1, TOTAL);
    counterset.instance_type = GLOBAL_AGGREGATE_HISTORY;
    is_first = false;
    meanings[0][0].cooked = number(1);
    rows[0][0].name_size = 0;
    earlier_shapes[0] = (struct series_shape){ .set = { 1, 0, 0, { 0 } },
        .num_counters = 1,
        .num_rows = 4,
        .series = series_of[MOST_BLOCKS] };
    for (unsigned i = 0; i < MOST_VALUES; i++) {
        all_series[MOST_BLOCKS][i] = (struct series){ .counter = 5 };
        series_of[MOST_BLOCKS][i] = &all_series[MOST_BLOCKS][i];
        earlier[0][i] = earlier[1][i] = number(1000);
    }
    /* The first is still there, the last had no value. */
    series_of[MOST_BLOCKS][0] = series_of[0][0];
    earlier[0][1] = number(10);
    earlier[0][2] = number(20);
    earlier[0][3] = without(COOK_FIRST_SAMPLE);
    found = make(1, 1);
    CHECK(found->all[0].cooked.value == 31 && found->all[0].num_instances == 3 && found->all[0].num_gone == 2 &&
            found->all[0].num_returned == 3,
        "%g of %u", found->all[0].cooked.value, found->all[0].num_instances);
    CHECK(found->all[0].is_nameless && !found->all[0].is_own, "of others, too");

    /* Each once, whatever blocks named it; of another counter or counterset none. */
    earlier_shapes[1] = earlier_shapes[0];
    CHECK(make(1, 2)->all[0].cooked.value == 31, "twice before");
    all_series[MOST_BLOCKS][2].counter = 6;
    CHECK(make(1, 1)->all[0].cooked.value == 11, "another counter");
    all_series[MOST_BLOCKS][2].counter = 5;
    all_series[MOST_BLOCKS][2].twin = 1;
    CHECK(make(1, 1)->all[0].cooked.value == 11, "another of the counter's id");
    earlier_shapes[0].set.data1 = 9;
    CHECK(make(1, 1)->all[0].cooked.value == 1, "another counterset");
    earlier_shapes[0].set.data1 = 1;
    earlier_shapes[0].series = NULL;
    CHECK(make(1, 1)->all[0].cooked.value == 1, "nothing is known of it");
    earlier_shapes[0].series = series_of[MOST_BLOCKS];
    is_first = true;
    CHECK(make(1, 1)->all[0].cooked.value == 1, "the query was another one");
    is_first = false;
    counterset.instance_type = GLOBAL_AGGREGATE;
    CHECK(make(1, 1)->all[0].cooked.value == 1 && make(1, 1)->all[0].is_own, "it has no history");
}

int
main(void)
{
    wmem_init_scopes();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    check_arithmetic();
    check_what_is_aggregated();
    check_instances();
    check_gone();
    wmem_destroy_allocator(scope);
    return check_result();
}
