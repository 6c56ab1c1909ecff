/* test_series.c
 * Values of polls: which was before which, which instance is which, and what instances of one name are told apart by
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include <epan/wmem_scopes.h>

#include "check.h"
#include "counters/series.h"

#define SET(number) { .data1 = (number) }

/* In place of Wireshark's, which takes an open file. */
static wmem_allocator_t *file_scope;

wmem_allocator_t *
wmem_file_scope(void)
{
    return file_scope;
}

static const e_guid_t unknown = SET(100), other_unknown = SET(101), known = SET(1);
static uint32_t last_frame;

/* Names here are ASCII, a byte a character. */
static char *
row_text(wmem_allocator_t *scope, const struct series_row *row)
{
    return wmem_strndup(scope, (const char *)row->name, row->name_size);
}

/* A block of one counter: instances as "name id value", NULL at the end. */
struct instance {
    const char *name;
    uint32_t id;
    uint64_t value;
};

#define MAX_INSTANCES 8

static const struct series_poll *
add_poll(struct series_store *store, const e_guid_t *const *sets, const uint32_t *counters, const struct instance (*blocks)[MAX_INSTANCES],
    unsigned num_blocks)
{
    static const uint8_t widths[MAX_INSTANCES] = { 8, 8, 8, 8, 8, 8, 8, 8 };
    static const struct cook_clocks clocks = { 0, 0, 0 };
    struct series_row rows[4][MAX_INSTANCES];
    uint64_t values[4][MAX_INSTANCES];
    struct series_block_in in[4];

    for (unsigned b = 0; b < num_blocks; b++) {
        unsigned n = 0;

        for (; n < MAX_INSTANCES && blocks[b][n].name != NULL; n++) {
            rows[b][n] = (struct series_row){ blocks[b][n].id, (const uint8_t *)blocks[b][n].name, (unsigned)strlen(blocks[b][n].name) };
            values[b][n] = blocks[b][n].value;
        }
        in[b] = (struct series_block_in){ .set = *sets[b], .kind = 4, .num_counters = 1, .num_rows = n, .counters = &counters[b],
            .rows = rows[b], .widths = widths, .values = values[b] };
    }
    return series_store_add(store, ++last_frame, &clocks, in, num_blocks);
}

static const struct series *
series_at(const struct series_poll *poll, unsigned block, unsigned at)
{
    series_prepare(poll);
    return series_shape(poll, block)->series[at];
}

static void
check_value(const struct series_poll *poll, unsigned at, uint64_t now, bool have_previous, uint64_t before)
{
    const struct cook_value value = series_value(poll, 0, at, NULL);

    CHECK(value.now == now && value.have_previous == have_previous && (!have_previous || value.before == before),
        "frame %u, value %u: %" PRIu64 " after %" PRIu64, poll->frame, at, value.now, value.before);
}

/* An instance that comes back is compared with the last poll that held it. */
static void
test_previous(void)
{
    static const e_guid_t *const sets[] = { &known };
    static const uint32_t counters[] = { 7 };
    static const struct instance first[][MAX_INSTANCES] = { { { "a", 1, 10 }, { "b", 2, 20 } } };
    static const struct instance second[][MAX_INSTANCES] = { { { "b", 2, 21 } } };
    static const struct instance third[][MAX_INSTANCES] = { { { "b", 2, 22 }, { "a", 1, 12 }, { "a", 3, 32 } } };
    struct series_store *store = series_store_new(row_text);
    const struct series_poll *polls[3];

    polls[0] = add_poll(store, sets, counters, first, 1);
    polls[1] = add_poll(store, sets, counters, second, 1);
    polls[2] = add_poll(store, sets, counters, third, 1);
    check_value(polls[0], 0, 10, false, 0);
    check_value(polls[1], 0, 21, true, 20);
    check_value(polls[2], 0, 22, true, 21);
    check_value(polls[2], 1, 12, true, 10);
    check_value(polls[2], 2, 32, false, 0);
    CHECK(series_at(polls[0], 0, 0) == series_at(polls[2], 0, 1), "the same instance");
    CHECK(series_at(polls[2], 0, 1)->namesake == 0 && series_at(polls[2], 0, 2)->namesake == 1, "another id, another instance");
    series_store_close(store);
    check_value(polls[2], 1, 12, true, 10);
}

/* What is polled of a handle that was closed finds what was before. */
static void
test_closed(void)
{
    static const e_guid_t *const sets[] = { &known };
    static const uint32_t counters[] = { 7 };
    static const struct instance first[][MAX_INSTANCES] = { { { "a", 1, 10 } } };
    static const struct instance second[][MAX_INSTANCES] = { { { "a", 1, 11 }, { "b", 2, 20 } } };
    struct series_store *store = series_store_new(row_text);
    const struct series_poll *later;

    add_poll(store, sets, counters, first, 1);
    series_store_close(store);
    later = add_poll(store, sets, counters, second, 1);
    check_value(later, 0, 11, true, 10);
    check_value(later, 1, 20, false, 0);
    series_store_close(store);
}

/* Blocks of two layouts, told only then to be of one set: one instance has one number, two have two. */
static void
test_identify(void)
{
    static const e_guid_t *const sets[] = { &unknown, &other_unknown };
    static const e_guid_t *const later_sets[] = { &known, &known };
    static const uint32_t counters[] = { 7, 8 };
    static const struct instance first[][MAX_INSTANCES] = { { { "x", 1, 10 } }, { { "x", 1, 11 } } };
    static const struct instance second[][MAX_INSTANCES] = { { { "x", 2, 20 }, { "y", 9, 90 } }, { { "x", 3, 31 }, { "x", 2, 21 } } };
    static const struct instance third[][MAX_INSTANCES] = { { { "x", 4, 40 }, { "x", 1, 12 } }, { { "x", 3, 32 } } };
    struct series_store *store = series_store_new(row_text);
    const struct series_poll *polls[3];

    polls[0] = add_poll(store, sets, counters, first, 2);
    polls[1] = add_poll(store, sets, counters, second, 2);
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned b = 0; b < 2; b++) {
            series_identify(store, polls[i], b, &known, NULL, NULL);
        }
    }
    polls[2] = add_poll(store, later_sets, counters, third, 2);
    CHECK(series_at(polls[0], 0, 0)->namesake == 0 && series_at(polls[0], 1, 0)->namesake == 0, "x 1");
    CHECK(series_at(polls[1], 0, 0)->namesake == series_at(polls[1], 1, 1)->namesake, "x 2 by both counters");
    CHECK(series_at(polls[1], 0, 0)->namesake == 1 && series_at(polls[1], 1, 0)->namesake == 2, "x 2, x 3");
    CHECK(series_at(polls[1], 0, 1)->namesake == 0, "y");
    CHECK(series_at(polls[2], 0, 0)->namesake == 3, "x 4 is %u", series_at(polls[2], 0, 0)->namesake);
    CHECK(series_at(polls[2], 0, 1) == series_at(polls[0], 0, 0), "x 1 again");
    check_value(polls[2], 1, 12, true, 10);
    series_store_close(store);
}

/* Twice the same in a block: the second is another, and stays so in whatever layout. */
static void
test_twice(void)
{
    static const e_guid_t *const sets[] = { &known };
    static const uint32_t counters[] = { 7 };
    static const struct instance first[][MAX_INSTANCES] = { { { "x", 1, 10 }, { "x", 1, 20 } } };
    static const struct instance second[][MAX_INSTANCES] = { { { "a", 2, 0 }, { "x", 1, 11 }, { "x", 1, 21 } } };
    struct series_store *store = series_store_new(row_text);
    const struct series_poll *later;

    add_poll(store, sets, counters, first, 1);
    later = add_poll(store, sets, counters, second, 1);
    check_value(later, 1, 11, true, 10);
    check_value(later, 2, 21, true, 20);
    CHECK(series_at(later, 0, 1)->namesake == 0 && series_at(later, 0, 2)->namesake == 1, "x, x#1");
    series_store_close(store);
}

int
main(void)
{
    wmem_init();
    file_scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    series_init();
    test_previous();
    test_closed();
    test_identify();
    test_twice();
    wmem_destroy_allocator(file_scope);
    return check_result();
}
