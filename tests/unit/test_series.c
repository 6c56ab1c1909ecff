/* test_series.c
 * Values of polls: which was before which, which instance is which, and what instances of one name are told apart by
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "counters/series.h"
#include "machines.h"

/* clang-format off */
#define SET(number) { .data1 = (number) }
/* clang-format on */

static const e_guid_t unknown = SET(100), other_unknown = SET(101), known = SET(1);
static const e_guid_t nearly_known = { .data1 = 1, .data4 = { 0, 0, 0, 0, 0, 0, 0, 1 } };
static uint32_t last_frame;

/* Names here are ASCII, a byte a character. */
static char *
row_text(wmem_allocator_t *into, const struct series_row *row)
{
    return wmem_strndup(into, (const char *)row->name, row->name_size);
}

/* Of a machine of its own: another's instances have no part in its numbers. */
static struct series_store *
new_store(void)
{
    static unsigned count;
    char name[16];

    snprintf(name, sizeof name, "HOST%u", count++);
    return series_store_new(machine(name), row_text);
}

/* Whether it is known what the blocks of a set are of. */
static bool
is_known(const e_guid_t *set)
{
    return set != &unknown && set != &other_unknown;
}

/* A block of one counter: instances as "name id value", NULL at the end. */
struct sent {
    const char *name;
    uint32_t id;
    uint64_t value;
};

#define MAX_INSTANCES 8

static uint64_t now_100ns;

static const struct series_poll *
add_poll(struct series_store *store, const e_guid_t *const *sets, const uint32_t *counters,
    const struct sent (*blocks)[MAX_INSTANCES], unsigned num_blocks)
{
    static const uint8_t widths[MAX_INSTANCES] = { 8, 8, 8, 8, 8, 8, 8, 8 };
    const struct cook_clocks clocks = { 0, now_100ns, 0 };
    struct series_row rows[4][MAX_INSTANCES];
    uint64_t values[4][MAX_INSTANCES];
    struct series_block_in in[4];

    for (unsigned b = 0; b < num_blocks; b++) {
        unsigned n = 0;

        for (; n < MAX_INSTANCES && blocks[b][n].name != NULL; n++) {
            rows[b][n] = (struct series_row){ blocks[b][n].id, (const uint8_t *)blocks[b][n].name,
                (unsigned)strlen(blocks[b][n].name) };
            values[b][n] = blocks[b][n].value;
        }
        in[b] = (struct series_block_in){ .set = *sets[b],
            .is_named = is_known(sets[b]),
            .kind = 4,
            .num_counters = 1,
            .num_rows = n,
            .counters = &counters[b],
            .rows = rows[b],
            .widths = widths,
            .values = values[b] };
    }
    return series_store_add(store, ++last_frame, &(struct rpc_position){ .calls = NULL }, &clocks, in, num_blocks);
}

/* A poll of one block with these instances: counter 7 of the known set. */
#define ADD_ROWS(store, ...) \
    add_poll(store, &(const e_guid_t *const){ &known }, &(const uint32_t){ 7 }, \
        (const struct sent[][MAX_INSTANCES]){ { __VA_ARGS__ } }, 1)

static const struct series *
series_at(const struct series_poll *poll, unsigned block, unsigned at)
{
    series_prepare(poll);
    return series_shape(poll, block)->series[at];
}

/* The #index of an instance. */
static unsigned
number_at(const struct series_poll *poll, unsigned block, unsigned at)
{
    const struct series_shape *shape = series_shape(poll, block);
    const struct instance *instance = shape->instances[at / shape->num_counters];
    const char *number = instance->text + instance->row.name_size;

    return number[0] == '#' ? (unsigned)strtoul(number + 1, NULL, 10) : 0;
}

static void
check_value(const struct series_poll *poll, unsigned at, uint64_t now, bool have_previous, uint64_t before)
{
    const struct cook_value value = series_value(poll, 0, at);

    CHECK(value.now == now && value.have_previous == have_previous && (!have_previous || value.before == before),
        "frame %u, value %u: %" PRIu64 " after %" PRIu64, poll->frame, at, value.now, value.before);
}

/* An instance that was not in the poll before has nothing to be compared with. */
static void
test_new_instance_has_no_previous_value(void)
{
    struct series_store *store = new_store();
    const struct series_poll *polls[3];

    polls[0] = ADD_ROWS(store, { "a", 1, 10 }, { "b", 2, 20 });
    polls[1] = ADD_ROWS(store, { "b", 2, 21 });
    polls[2] = ADD_ROWS(store, { "b", 2, 22 }, { "a", 1, 12 }, { "a", 3, 32 });
    check_value(polls[0], 0, 10, false, 0);
    check_value(polls[1], 0, 21, true, 20);
    check_value(polls[2], 0, 22, true, 21);
    check_value(polls[2], 1, 12, false, 0);
    check_value(polls[2], 2, 32, false, 0);
    CHECK(series_at(polls[0], 0, 0) == series_at(polls[2], 0, 1), "the same instance");
    CHECK_EQUAL(number_at(polls[2], 0, 1), 0, "another id, another instance");
    CHECK_EQUAL(number_at(polls[2], 0, 2), 1, "another id, another instance");
    series_store_close(store);
    check_value(polls[2], 1, 12, false, 0);
}

/* What is polled of a handle that was closed finds what was before. */
static void
test_closed_handle_keeps_its_values(void)
{
    struct series_store *store = new_store();
    const struct series_poll *later;

    ADD_ROWS(store, { "a", 1, 10 });
    series_store_close(store);
    later = ADD_ROWS(store, { "a", 1, 11 }, { "b", 2, 20 });
    check_value(later, 0, 11, true, 10);
    check_value(later, 1, 20, false, 0);
    series_store_close(store);
}

/* Blocks of two layouts, told only then to be of one set: one instance has one number, two have two. */
static void
test_one_set_numbers_its_instances_once(void)
{
    static const e_guid_t *const sets[] = { &unknown, &other_unknown };
    static const e_guid_t *const later_sets[] = { &known, &known };
    static const uint32_t counters[] = { 7, 8 };
    static const struct sent first[][MAX_INSTANCES] = { { { "x", 1, 10 } }, { { "x", 1, 11 } } };
    static const struct sent second[][MAX_INSTANCES] = { { { "x", 2, 20 }, { "y", 9, 90 } },
        { { "x", 3, 31 }, { "x", 2, 21 } } };
    static const struct sent third[][MAX_INSTANCES] = { { { "x", 4, 40 }, { "x", 1, 12 } }, { { "x", 3, 32 } } };
    struct series_store *store = new_store();
    const struct series_poll *polls[3];

    polls[0] = add_poll(store, sets, counters, first, 2);
    polls[1] = add_poll(store, sets, counters, second, 2);
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned b = 0; b < 2; b++) {
            series_identify(store, polls[i], b, &known, NULL, NULL);
        }
    }
    polls[2] = add_poll(store, later_sets, counters, third, 2);
    CHECK_EQUAL(number_at(polls[0], 0, 0), 0, "x 1");
    CHECK_EQUAL(number_at(polls[0], 1, 0), 0, "x 1");
    CHECK_EQUAL(number_at(polls[1], 0, 0), number_at(polls[1], 1, 1), "x 2 by both counters");
    CHECK_EQUAL(number_at(polls[1], 0, 0), 1, "x 2, x 3");
    CHECK_EQUAL(number_at(polls[1], 1, 0), 2, "x 2, x 3");
    CHECK_EQUAL(number_at(polls[1], 0, 1), 0, "y");
    CHECK(number_at(polls[2], 0, 0) == 3, "x 4 is %u", number_at(polls[2], 0, 0));
    CHECK(series_at(polls[2], 0, 1) == series_at(polls[0], 0, 0), "x 1 again");
    check_value(polls[2], 1, 12, false, 0);
    series_store_close(store);
}

/* Twice the same in a block: the second is another, and stays so in whatever layout. */
static void
test_second_equal_row_is_another_instance(void)
{
    struct series_store *store = new_store();
    const struct series_poll *later;

    ADD_ROWS(store, { "x", 1, 10 }, { "x", 1, 20 });
    later = ADD_ROWS(store, { "a", 2, 0 }, { "x", 1, 11 }, { "x", 1, 21 });
    check_value(later, 1, 11, true, 10);
    check_value(later, 2, 21, true, 20);
    CHECK_EQUAL(number_at(later, 0, 1), 0, "x, x#1");
    CHECK_EQUAL(number_at(later, 0, 2), 1, "x, x#1");
    series_store_close(store);
}

/* A block of any kind: rows x counters values, row by row. Widths of 8 where none are given. */
struct block {
    uint32_t kind;
    const e_guid_t *set;
    unsigned num_counters;
    uint32_t counters[4];
    struct sent rows[4]; /* up to one without a name; their value is not used */
    uint64_t values[16];
    uint8_t widths[16]; /* 0: 8; 1: no number */
};

static const struct series_poll *
add_blocks(struct series_store *store, const struct block *blocks, unsigned num_blocks)
{
    const struct cook_clocks clocks = { 0, now_100ns, 0 };
    struct series_row rows[4][4];
    uint8_t widths[4][16];
    struct series_block_in in[4];

    for (unsigned b = 0; b < num_blocks; b++) {
        const struct block *block = &blocks[b];
        unsigned n = 0;

        for (; n < 4 && block->rows[n].name != NULL; n++) {
            rows[b][n] = (struct series_row){ block->rows[n].id, (const uint8_t *)block->rows[n].name,
                (unsigned)strlen(block->rows[n].name) };
        }
        for (unsigned i = 0; i < 16; i++) {
            widths[b][i] = block->widths[i] == 0 ? 8 : block->widths[i] == 1 ? 0 : block->widths[i];
        }
        in[b] = (struct series_block_in){ .set = *block->set,
            .is_named = is_known(block->set),
            .kind = block->kind,
            .num_counters = block->num_counters,
            .num_rows = n,
            .counters = block->counters,
            .rows = rows[b],
            .widths = widths[b],
            .values = block->values };
    }
    return series_store_add(store, ++last_frame, &(struct rpc_position){ .calls = NULL }, &clocks, in, num_blocks);
}

/* One block with one counter of instance "a". */
static const struct series_poll *
add_one(struct series_store *store, uint32_t kind, const e_guid_t *set, uint32_t counter, uint8_t width, uint64_t value)
{
    const struct block block = { kind, set, 1, { counter }, { { "a", 1, 0 } }, { value }, { width } };

    return add_blocks(store, &block, 1);
}

static void
check_at(const struct series_poll *poll, unsigned block, unsigned at, uint64_t before)
{
    const struct cook_value value = series_value(poll, block, at);

    CHECK(value.have_previous == (before != 0) && (before == 0 || value.before == before),
        "frame %u, block %u, value %u: after %" PRIu64 ", not %" PRIu64, poll->frame, block, at,
        value.have_previous ? value.before : 0, before);
}

static void
test_clocks_of_both_polls_are_kept(void)
{
    struct series_store *store = new_store();
    const struct series_poll *polls[3];

    now_100ns = 50000000;
    polls[0] = add_one(store, 4, &known, 7, 8, 1);
    now_100ns += 25000000;
    polls[1] = add_one(store, 4, &known, 7, 8, 2);
    now_100ns -= 5000000;
    polls[2] = add_one(store, 4, &known, 7, 8, 3);
    CHECK(series_interval(polls[0]) == 0 && series_interval(polls[1]) == 2.5 && series_interval(polls[2]) == -0.5,
        "%g, %g", series_interval(polls[1]), series_interval(polls[2]));
    CHECK_EQUAL(polls[0]->next_frame, polls[1]->frame, "the next ones");
    CHECK_EQUAL(polls[1]->next_frame, polls[2]->frame, "the next ones");
    CHECK_EQUAL(polls[2]->next_frame, 0, "the next ones");
    check_at(polls[2], 0, 0, 2);
    check_at(polls[0], 0, 0, 0);
    series_store_close(store);
}

/* Whatever the values are, near to each other or far, they come back as they were. */
static void
test_numbers_near_or_far_come_back_as_they_were(void)
{
    static const uint64_t values[][2] = {
        { 1000, 1 },
        { UINT64_C(1000) + INT32_MAX, 2 },
        { UINT64_C(1001) + INT32_MAX, 3 },
        { 1001, 4 },
        { 1000, 5 },
        { 0, UINT64_MAX },
        { UINT64_MAX, 7 },
        { 5, UINT64_MAX },
        { UINT64_C(1) << 63, 9 },
        { (UINT64_C(1) << 63) - (UINT64_C(1) << 31), 10 },
        { (UINT64_C(1) << 63) - (UINT64_C(1) << 31) - 1, 11 },
        { 6, 12 },
    };
    struct series_store *store = new_store();
    const struct series_poll *polls[array_length(values)];

    for (size_t i = 0; i < array_length(values); i++) {
        const struct block block = { 6, &known, 2, { 7, 8 }, { { "a", 1, 0 } }, { values[i][0], values[i][1] }, { 0 } };

        polls[i] = add_blocks(store, &block, 1);
    }
    for (size_t i = 0; i < array_length(values); i++) {
        for (unsigned at = 0; at < 2; at++) {
            const struct cook_value value = series_value(polls[i], 0, at);

            CHECK(value.now == values[i][at], "poll %zu: %" PRIu64, i, value.now);
            CHECK(value.have_previous == (i > 0) && (i == 0 || value.before == values[i - 1][at]),
                "poll %zu: after %" PRIu64, i, value.before);
        }
    }
    series_store_close(store);
}

/* Whatever differs makes another series, or another shape. */
static void
test_any_difference_makes_another_shape(void)
{
    struct series_store *store = new_store();
    const struct series_poll *poll;

    add_one(store, 4, &known, 7, 8, 10);
    add_one(store, 4, &known, 7, 8, 11);
    check_at(add_one(store, 4, &nearly_known, 7, 8, 12), 0, 0, 0);
    check_at(add_one(store, 4, &unknown, 7, 8, 12), 0, 0, 0);
    check_at(add_one(store, 4, &unknown, 8, 8, 13), 0, 0, 0);
    /* Another instance beside it makes another layout. The polls between held other counters. */
    poll = ADD_ROWS(store, { "a", 1, 14 }, { "b", 2, 99 });
    check_at(poll, 0, 0, 0);
    check_at(add_one(store, 4, &known, 7, 8, 14), 0, 0, 14);
    poll = add_one(store, 6, &known, 7, 8, 15);
    CHECK(series_shape(poll, 0)->kind == 6, "kind %u", series_shape(poll, 0)->kind);
    check_at(poll, 0, 0, 14);
    poll = add_one(store, 6, &known, 7, 4, 16);
    CHECK(series_value(poll, 0, 0).width == 4, "width %u", series_value(poll, 0, 0).width);
    check_at(poll, 0, 0, 15);
    /* What is no number can't be a previous value; what was before it is out of date. */
    poll = add_one(store, 6, &known, 7, 1, 17);
    CHECK(series_value(poll, 0, 0).width == 0, "width %u", series_value(poll, 0, 0).width);
    check_at(poll, 0, 0, 16);
    check_at(add_one(store, 6, &known, 7, 4, 18), 0, 0, 0);
    check_at(add_one(store, 6, &known, 7, 4, 19), 0, 0, 18);
    series_store_close(store);
}

/* Counters of one id in one block: which is which. */
static void
test_counters_of_one_id_are_told_apart(void)
{
    struct series_store *store = new_store();
    static const unsigned nths[] = { 0, 0, 1, 2 };
    static const uint64_t before[] = { 10, 50, 20, 30 };
    const struct series_poll *poll;

    add_blocks(store,
        &(const struct block){ 6, &known, 4, { 7, 5, 7, 7 }, { { "a", 1, 0 } }, { 10, 50, 20, 30 }, { 0 } }, 1);
    poll = add_blocks(store,
        &(const struct block){ 6, &known, 4, { 7, 5, 7, 7 }, { { "b", 2, 0 }, { "a", 1, 0 } },
            { 1, 1, 1, 1, 11, 51, 21, 31 }, { 0 } },
        1);
    for (unsigned i = 0; i < 4; i++) {
        check_at(poll, 0, i, 0);
        check_at(poll, 0, 4 + i, before[i]);
        /* Of the instance that is new, and of the one that was there. */
        CHECK(series_at(poll, 0, i)->nth == nths[i], "nth %u", series_at(poll, 0, i)->nth);
        CHECK(series_at(poll, 0, 4 + i)->nth == nths[i], "nth %u", series_at(poll, 0, 4 + i)->nth);
    }
    series_store_close(store);
}

/* Rows that are the same three times; one of them gone, nobody knows which; the same in another block; rows without a name. */
static void
test_rows_of_one_name_are_told_apart_by_place(void)
{
    struct series_store *store = new_store();
    const struct series_poll *poll;

    ADD_ROWS(store, { "x", 1, 10 }, { "b", 2, 5 }, { "x", 1, 20 }, { "x", 1, 30 });
    poll = ADD_ROWS(store, { "x", 1, 11 }, { "x", 1, 21 }, { "x", 1, 31 });
    for (unsigned i = 0; i < 3; i++) {
        check_at(poll, 0, i, 10 * (i + 1));
        CHECK(number_at(poll, 0, i) == i, "x %u is %u", i, number_at(poll, 0, i));
    }
    ADD_ROWS(store, { "x", 1, 12 }, { "b", 2, 6 }, { "x", 1, 22 });
    poll = ADD_ROWS(store, { "b", 2, 7 }, { "x", 1, 13 });
    check_at(poll, 0, 0, 6);
    check_at(poll, 0, 1, 0);
    poll = ADD_ROWS(store, { "x", 1, 14 });
    check_at(poll, 0, 0, 13);
    series_store_close(store);

    /* One that comes beside the first: which of the two was there? */
    store = new_store();
    add_one(store, 4, &known, 7, 8, 10);
    poll = ADD_ROWS(store, { "a", 1, 11 }, { "a", 1, 20 });
    check_at(poll, 0, 0, 0);
    check_at(poll, 0, 1, 0);
    poll = ADD_ROWS(store, { "a", 1, 12 }, { "a", 1, 21 }, { "a", 1, 30 });
    for (unsigned i = 0; i < 3; i++) {
        check_at(poll, 0, i, 0);
    }
    series_store_close(store);

    store = new_store();
    add_blocks(store,
        (const struct block[]){ { 4, &known, 1, { 7 }, { { "x", 1, 0 } }, { 10 }, { 0 } },
            { 4, &known, 1, { 7 }, { { "x", 1, 0 } }, { 10 }, { 0 } } },
        2);
    poll = add_blocks(store,
        (const struct block[]){ { 4, &known, 1, { 7 }, { { "x", 1, 0 }, { "y", 2, 0 } }, { 11, 5 }, { 0 } },
            { 4, &known, 1, { 7 }, { { "x", 1, 0 } }, { 11 }, { 0 } } },
        2);
    check_at(poll, 0, 0, 10);
    check_at(poll, 1, 0, 10);
    CHECK(series_at(poll, 0, 0) == series_at(poll, 1, 0), "two identifiers ask for the same");
    series_store_close(store);

    store = new_store();
    poll = ADD_ROWS(store, { "", 1, 10 }, { "", 2, 20 }, { "x", 3, 30 });
    CHECK_STRING(series_shape(poll, 0)->instances[0]->text, "", "two ids are two instances, without a name, too");
    CHECK_STRING(series_shape(poll, 0)->instances[1]->text, "id 2", "two ids are two instances, without a name, too");
    CHECK_EQUAL(number_at(poll, 0, 2), 0, "two ids are two instances, without a name, too");
    series_store_close(store);
}

/* Two instances "x" and one that is really called "x#1": no two of the three have one name in paths. */
static void
test_numbered_names_do_not_collide(void)
{
    struct series_store *store = new_store();
    const struct series_poll *poll = ADD_ROWS(store, { "x#1", 1, 10 }, { "x", 2, 20 }, { "x", 3, 30 });

    CHECK(number_at(poll, 0, 0) == 0 && number_at(poll, 0, 1) == 0 && number_at(poll, 0, 2) == 2, "x is %u",
        number_at(poll, 0, 2));
    poll = ADD_ROWS(store, { "x#2", 9, 10 }, { "x", 4, 20 });
    CHECK(number_at(poll, 0, 0) == 1 && number_at(poll, 0, 1) == 3, "x#2 is x#2#%u, x is %u", number_at(poll, 0, 0),
        number_at(poll, 0, 1));
    series_store_close(store);
}

static void
check_found(const struct series_poll *poll, unsigned block, unsigned at, uint32_t counter, int found_block,
    unsigned found_at)
{
    unsigned b = 99, i = 99;
    const bool found = series_find(poll, block, at, counter, &b, &i);

    CHECK(found == (found_block >= 0) && (!found || ((int)b == found_block && i == found_at)),
        "counter %u for block %u, value %u: %s block %u, value %u", counter, block, at, found ? "found" : "not found,",
        b, i);
}

/* Companions of a value: in its row, or in another block for the same instance. */
static void
test_companion_is_found_in_its_row(void)
{
    struct series_store *store = new_store();
    const struct series_poll *poll = add_blocks(store,
        (const struct block[]){
            { 6, &known, 3, { 9, 7, 8 }, { { "a", 1, 0 }, { "b", 2, 0 } }, { 0 }, { 0 } },
            { 4, &known, 1, { 3 }, { { "b", 2, 0 }, { "a", 1, 0 } }, { 0 }, { 0 } },
            { 4, &unknown, 1, { 4 }, { { "a", 1, 0 } }, { 0 }, { 0 } },
            { 6, &known, 2, { 5, 5 }, { { "b", 2, 0 } }, { 0 }, { 0 } },
        },
        4);

    check_found(poll, 0, 0, 8, 0, 2);
    check_found(poll, 0, 4, 9, 0, 3);
    check_found(poll, 0, 5, 3, 1, 0);
    check_found(poll, 0, 2, 3, 1, 1);
    check_found(poll, 1, 0, 7, 0, 4);
    check_found(poll, 1, 0, 3, 1, 0);
    check_found(poll, 1, 1, 3, 1, 1);
    /* The second of an id takes the first of another. */
    check_found(poll, 3, 1, 3, 1, 0);
    check_found(poll, 1, 0, 5, 3, 0);
    /* Neither below, between nor above the ids that there are; of another set, of another instance. */
    check_found(poll, 0, 0, 6, -1, 0);
    check_found(poll, 0, 0, 1, -1, 0);
    check_found(poll, 0, 0, 10, -1, 0);
    check_found(poll, 0, 0, 4, -1, 0);
    check_found(poll, 0, 0, 5, -1, 0);
    series_store_close(store);
}

/* An identifier may name an instance by its name alone, and its base by name and id: a name tells where it is one's only. */
static void
test_find_by_name(void)
{
    const uint32_t any = UINT32_MAX;
    struct series_store *store = new_store();
    const struct series_poll *poll = add_blocks(store,
        (const struct block[]){
            { 4, &known, 1, { 7 }, { { "a", any, 0 }, { "b", 3, 0 }, { "c", any, 0 } }, { 0 }, { 0 } },
            { 4, &known, 1, { 8 }, { { "a", 3, 0 }, { "b", 4, 0 }, { "c", 5, 0 }, { "c", 6, 0 } }, { 0 }, { 0 } },
        },
        2);

    check_found(poll, 0, 0, 8, 1, 0);
    check_found(poll, 1, 0, 7, 0, 0);
    check_found(poll, 0, 1, 8, -1, 0);
    check_found(poll, 0, 2, 8, -1, 0);
    check_found(poll, 1, 2, 7, -1, 0);
    series_store_close(store);
}

/* What a late index map tells: before anybody looked at the values, after, and after the query was closed. */
static void
test_late_index_map_names_earlier_values(void)
{
    const struct block blocks[] = {
        { 1, &unknown, 1, { 0 }, { { "", 0, 0 } }, { 10 }, { 0 } },
        { 1, &other_unknown, 1, { 0 }, { { "", 0, 0 } }, { 20 }, { 0 } },
    };
    const struct block known_blocks[] = {
        { 1, &known, 1, { 7 }, { { "a", 1, 0 } }, { 11 }, { 0 } },
        { 1, &known, 1, { 8 }, { { "a", 1, 0 } }, { 21 }, { 0 } },
    };
    const uint32_t counters[] = { 7, 8 };
    const struct series_row row = { 1, (const uint8_t *)"a", 1 };

    for (unsigned looked = 0; looked < 2; looked++) {
        struct series_store *store = new_store();
        const struct series_poll *poll = add_blocks(store, blocks, 2), *later;

        if (looked) {
            check_found(poll, 0, 0, 8, -1, 0);
        }
        for (unsigned b = 0; b < 2; b++) {
            series_identify(store, poll, b, &known, &counters[b], &row);
            CHECK(series_shape(poll, b)->counters[0] == counters[b], "counter %u", series_shape(poll, b)->counters[0]);
        }
        check_found(poll, 0, 0, 8, 1, 0);
        later = add_blocks(store, known_blocks, 2);
        check_at(later, 0, 0, 10);
        check_at(later, 1, 0, 20);
        CHECK(series_at(poll, 1, 0) == series_at(later, 1, 0), "the same counter");
        CHECK_EQUAL(series_at(later, 1, 0)->counter, 8, "the same counter");
        CHECK_EQUAL(series_at(later, 1, 0)->row.id, 1, "the same counter");
        series_store_close(store);
    }
}

/* A poll of another layout was looked at before an index map names the blocks that both layouts share. */
static void
test_late_index_map_names_blocks_that_layouts_share(void)
{
    static const e_guid_t third_set = { 3, 3, 3, { 3 } };
    struct block blocks[] = {
        { 4, &unknown, 1, { 7 }, { { "a", 1, 0 }, { "b", 2, 0 } }, { 10, 11 }, { 0 } },
        { 4, &other_unknown, 1, { 8 }, { { "a", 1, 0 }, { "b", 2, 0 } }, { 20, 21 }, { 0 } },
        { 4, &third_set, 1, { 1 }, { { "c", 3, 0 } }, { 30 }, { 0 } },
    };
    struct series_store *store = new_store();
    const struct series_poll *first = add_blocks(store, blocks, 3), *second;

    blocks[2].rows[0] = (struct sent){ "d", 4, 0 };
    second = add_blocks(store, blocks, 3);
    check_found(second, 2, 0, 2, -1, 0);
    for (unsigned b = 0; b < 2; b++) {
        series_identify(store, first, b, &known, NULL, NULL);
    }
    check_found(first, 0, 1, 8, 1, 1);
    check_found(second, 0, 1, 8, 1, 1);
    check_found(second, 1, 0, 7, 0, 0);
    series_store_close(store);
}

static void
test_identified_too_late(void)
{
    const uint32_t counter = 7;
    struct series_store *store = new_store();
    const struct series_poll *poll = add_one(store, 4, &unknown, 5, 8, 10);

    series_at(poll, 0, 0);
    series_store_close(store);
    series_identify(store, poll, 0, &known, &counter, NULL);
    CHECK_EQUAL(series_shape(poll, 0)->set.data1, unknown.data1, "a query that was closed");
    CHECK_EQUAL(series_shape(poll, 0)->counters[0], 5, "a query that was closed");
    CHECK_EQUAL(series_at(poll, 0, 0)->counter, 5, "its series");
}

int
main(void)
{
    wmem_init();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    file_begin();
    identity_begin();
    test_new_instance_has_no_previous_value();
    test_closed_handle_keeps_its_values();
    test_one_set_numbers_its_instances_once();
    test_second_equal_row_is_another_instance();
    test_clocks_of_both_polls_are_kept();
    test_numbers_near_or_far_come_back_as_they_were();
    test_any_difference_makes_another_shape();
    test_counters_of_one_id_are_told_apart();
    test_rows_of_one_name_are_told_apart_by_place();
    test_numbered_names_do_not_collide();
    test_companion_is_found_in_its_row();
    test_find_by_name();
    test_late_index_map_names_earlier_values();
    test_late_index_map_names_blocks_that_layouts_share();
    test_identified_too_late();
    wmem_destroy_allocator(scope);
    return check_result();
}
