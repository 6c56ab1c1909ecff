/* test_poll.c
 * A poll: what nobody asks for is not cooked, and what is asked for twice is cooked once
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>

#include "check.h"
#include "counters/poll.h"
#include "fake-file.h"
#include "fake-server.h"

enum { ROWS = 3, COLUMNS = 2 };

static unsigned num_cooked, num_added, num_asked;
static unsigned watched;      /* the value that an entry of the watch list matches */
static unsigned list_version; /* of the watch list */

void
register_init_routine(void (*func)(void) _U_)
{
}

void
register_cleanup_routine(void (*func)(void) _U_)
{
}

static const char *
path_of(unsigned at)
{
    static char path[64];

    snprintf(path, sizeof path, "\\\\HOST\\Set(Row %u)\\Counter %u", at / COLUMNS, at % COLUMNS);
    return path;
}

bool
watch_matches(const char *folded)
{
    num_asked++;
    return g_ascii_strcasecmp(folded, path_of(watched)) == 0;
}

unsigned
watch_version(void)
{
    return list_version;
}

void
watch_add(packet_info *pinfo _U_, proto_tree *tree _U_, tvbuff_t *tvb _U_, int offset, int length _U_, const char *path,
    const struct cook_result *cooked)
{
    CHECK(strcmp(path, path_of(watched)) == 0 && cooked->value == watched && offset == (int)watched, "%s: %f at %d",
        path, cooked->value, offset);
    num_added++;
}

static bool is_renamed;
static const char *label = "Counter"; /* what counters are called */

static struct poll_shape
shape(const struct poll *poll _U_, unsigned block)
{
    return (struct poll_shape){ .num_rows = ROWS,
        .num_columns = COLUMNS,
        .is_named = block == 0,
        .is_renamed = is_renamed };
}

static struct counter_words
words(const struct perf_counter *counter, uint32_t frame _U_, wmem_allocator_t *into)
{
    return (struct counter_words){ "Set", "id", wmem_strdup_printf(into, "%s %u", label, counter->id) };
}

static bool
counter_at(const struct poll *poll _U_, unsigned block _U_, unsigned column, struct perf_counter *counter)
{
    static const char machine;

    counter->server = (const struct server *)&machine;
    counter->id = column;
    counter->words = words;
    return true;
}

static const struct instance *
instance_at(const struct poll *poll _U_, unsigned block _U_, unsigned row)
{
    static struct instance instances[ROWS] = { { .text = "Row 0" }, { .text = "Row 1" }, { .text = "Row 2" } };

    return &instances[row];
}

static struct poll_bytes
bytes_at(const struct poll *poll _U_, unsigned block _U_, unsigned at)
{
    return (struct poll_bytes){ .offset = at, .length = 8 };
}

/* The last value has nothing to be compared with. */
static bool
input_at(const struct poll *poll _U_, unsigned block _U_, unsigned at, struct cook_input *in,
    const struct series_poll **before)
{
    num_cooked++;
    *before = NULL;
    *in = (struct cook_input){
        .type = PERF_COUNTER_LARGE_RAWCOUNT,
        .type_known = true,
        .value = { .now = at, .width = 8, .present = true },
    };
    return at < ROWS * COLUMNS - 1;
}

static const struct poll_api api = { .shape = shape,
    .counter = counter_at,
    .instance = instance_at,
    .bytes = bytes_at,
    .input = input_at };

/* A sample of a block of values, and one that nothing is known of. */
static const struct series_poll *
sample(struct series_store *store, unsigned num_names)
{
    static const uint32_t counters[COLUMNS] = { 0, 1 };
    struct series_row rows[ROWS] = { { .id = 0 }, { .id = 1 }, { .id = 2 } };
    static const uint8_t widths[ROWS * COLUMNS] = { 8, 8, 8, 8, 8, 8 };
    static const uint64_t values[ROWS * COLUMNS] = { 0, 1, 2, 3, 4, 5 };
    static const struct cook_clocks clocks = { 0, 0, 0 };
    const struct series_block_in in = { .num_counters = COLUMNS,
        .num_rows = ROWS,
        .counters = counters,
        .rows = rows,
        .widths = widths,
        .values = values };
    struct series_block_in both[] = { in, in };

    for (unsigned i = 0; i < num_names; i++) {
        rows[i].name = (const uint8_t *)"name";
        rows[i].name_size = 4;
    }
    return series_store_add(store, 1, &clocks, both, 2);
}

/* asked: paths that are compared with the list. */
static void
check_watched(struct poll *poll, unsigned at, unsigned asked, unsigned cooked, unsigned added)
{
    watched = at;
    num_cooked = num_added = num_asked = 0;
    poll_add_watched(poll, NULL, NULL);
    CHECK(num_asked == asked && num_cooked == cooked && num_added == added, "%u: %u asked, %u cooked, %u added", at,
        num_asked, num_cooked, num_added);
}

int
main(void)
{
    struct poll poll = { .api = &api, .num_blocks = 2, .names = 1 };
    struct series_store *store;

    wmem_init();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    identity_begin();
    poll.scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    store = series_store_new(NULL, NULL);
    poll.sample = sample(store, 0);
    list_version = 1;
    check_watched(&poll, ROWS * COLUMNS, ROWS * COLUMNS, 0, 0);
    list_version = 2;
    check_watched(&poll, 3, ROWS * COLUMNS, 1, 1);
    check_watched(&poll, 3, 0, 0, 1);
    /* A poll that is laid out alike. */
    poll.sample = sample(store, 0);
    poll.meanings = NULL;
    check_watched(&poll, 3, 0, 1, 1);
    /* The names are others, as far as one knows. */
    poll.names = 2;
    check_watched(&poll, 3, ROWS * COLUMNS, 0, 1);
    list_version = 3;
    check_watched(&poll, ROWS * COLUMNS - 1, ROWS * COLUMNS, 1, 0);
    CHECK(poll_meaning(&poll, 0, 3)->cooked.value == 3 && num_cooked == 1, "cooked once");

    /* What rows without a name are called may change: they are looked at each time. */
    for (unsigned names = 0; names <= ROWS; names++) {
        store = series_store_new(NULL, NULL);
        poll.sample = sample(store, names);
        poll.meanings = NULL;
        list_version++;
        is_renamed = true;
        check_watched(&poll, 3, ROWS * COLUMNS, 1, 1);
        check_watched(&poll, 3, names < ROWS ? ROWS * COLUMNS : 0, 0, 1);
        is_renamed = false;
        check_watched(&poll, 3, 0, 0, 1);
    }

    /* A path has the names of its poll. */
    CHECK(strcmp(poll_path(&poll, 0, 3), path_of(3)) == 0, "%s", poll_path(&poll, 0, 3));
    label = "Renamed";
    CHECK(strcmp(poll_path(&poll, 0, 3), path_of(3)) == 0, "%s", poll_path(&poll, 0, 3));
    poll.names++;
    CHECK(strcmp(poll_path(&poll, 0, 3), "\\\\HOST\\Set(Row 1)\\Renamed 1") == 0, "%s", poll_path(&poll, 0, 3));
    series_store_close(store);
    wmem_destroy_allocator(poll.scope);
    wmem_destroy_allocator(scope);
    return check_result();
}
