/* test_values.c
 * The values of a poll: what each is called, what it is computed with, what it comes to, and what tables get
 *
 * [MS-PCQ] 2.2.4.2
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/values.h"

#include "counters/path.h"
#include "counters/poll.h"
#include "query-calls.h"

#define NONE PERF_ID_NONE

/* In place of the catalog, of aggregates.c, of the watch list and of Wireshark's preferences. */
struct catalog_text
catalog_counterset_name(const struct server *server _U_, const e_guid_t *guid, uint32_t frame _U_)
{
    static const char *const names[] = { NULL, "Set", "Two", "Three" };

    return (struct catalog_text){ guid->data1 < array_length(names) ? names[guid->data1] : NULL, 0 };
}

bool
catalog_counter_alike(const struct catalog_counter *a, const struct catalog_counter *b)
{
    return a->type == b->type;
}

uint64_t
catalog_version_in(const struct server *server _U_, uint32_t frame _U_)
{
    return lessons;
}

static struct aggregates *aggregates;

struct aggregates *
aggregates_make(struct values *values _U_, unsigned num_blocks _U_, wmem_allocator_t *into _U_)
{
    return aggregates;
}

bool
watch_matches(const char *folded _U_)
{
    return false;
}

unsigned
watch_version(void)
{
    return 1;
}

void
watch_add(packet_info *pinfo _U_, proto_tree *tree _U_, tvbuff_t *tvb _U_, int offset _U_, int length _U_,
    const char *path _U_, const struct cook_result *cooked _U_)
{
}

static perflib_bool *leaves_out;

void
prefs_register_bool_preference(module_t *module _U_, const char *name, const char *title _U_,
    const char *description _U_, perflib_bool *var)
{
    CHECK(strcmp(name, "leave_out_no_display") == 0, "%s", name);
    leaves_out = var;
}

/* The poll of the buffer that was made since begin_data(), and what is read of it. */
static struct lpdata data;
static const struct query_poll *polled;

static struct values *
take(struct query *query, uint32_t frame)
{
    struct values *values;

    end_data();
    data = parsed(lpdata_parse_data);
    polled = queries_polled(query, &data, queries_moment(query), &states[0], frame, scope);
    values = values_new(&data, polled, scope);
    poll_claim_names(&values->base);
    return values;
}

/* What tables get: "path = value" of each, or "path: why not". */
static const char *
table(struct values *values)
{
    const struct perf_tap_poll *record = values_record(values);
    wmem_strbuf_t *text = wmem_strbuf_new(scope, "");

    for (unsigned i = 0; i < record->num_samples; i++) {
        const struct perf_tap_sample *sample = &record->samples[i];

        wmem_strbuf_append_printf(text, "%s%s", i == 0 ? "" : "; ", sample->path);
        if (sample->cooked.reason == COOK_OK) {
            wmem_strbuf_append_printf(text, " = %g", sample->cooked.value);
        } else {
            wmem_strbuf_append_printf(text, ": %s", cook_reason_text(sample->cooked.reason));
        }
    }
    return wmem_strbuf_get_str(text);
}

static void
check_table(struct values *values, const char *expected, const char *what)
{
    CHECK(strcmp(table(values), expected) == 0, "%s:\n%s\nnot\n%s", what, table(values), expected);
}

/* A query of so many counters of counterset 1, one after another in this order; "": without an instance. */
static struct query *
query_of(unsigned count, const uint32_t *ids, const char *instance)
{
    static uint32_t handle = 100;
    struct query *query = open_query(handle++, 1);

    begin();
    for (unsigned i = 0; i < count; i++) {
        add_counter_identifier(1, ids[i], 0, instance, 0, i);
    }
    change_query(query, true);
    map_query(query, 5);
    return query;
}

#define QUERY(...) query_of(sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4, (const uint32_t[]){ __VA_ARGS__ }, "")

/* Polls single values, or several. 10 ticks of the performance clock a 100 ns. */
static struct values *
poll_of(struct query *query, uint32_t frame, uint64_t time, unsigned count, const uint64_t *values)
{
    begin_data(count, time * 10, time);
    for (unsigned i = 0; i < count; i++) {
        add_block(0, NULL, 0, NULL, &values[i], 8);
    }
    return take(query, frame);
}

#define POLL(query, frame, time, ...) \
    poll_of(query, frame, time, sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8, (const uint64_t[]){ __VA_ARGS__ })

/* The counters that another is computed with, by each of the four ids: in other blocks, or not in the poll. */
static void
check_operands(void)
{
    static const struct {
        struct taught counter, operand;
        uint64_t first[2], second[2];
        const char *in_first, *in_second, *alone;
    } cases[] = {
        /* 100*N/B */
        { { 1, 1, "C", PERF_LARGE_RAW_FRACTION, 2, NONE, NONE, NONE, 0, 0, false },
            { 1, 2, "O", PERF_LARGE_RAW_BASE, NONE, NONE, NONE, NONE, 0, 0, false }, { 1, 4 }, { 3, 4 },
            "\\\\HOST\\Set\\C = 25; \\\\HOST\\Set\\O: not displayed",
            "\\\\HOST\\Set\\C = 75; \\\\HOST\\Set\\O: not displayed", "\\\\HOST\\Set\\C: base not in query" },
        /* 100*(N1-N0)/(O1-O0) */
        { { 1, 1, "C", PERF_OBJ_TIME_TIMER, NONE, 2, NONE, NONE, 0, 0, false },
            { 1, 2, "O", PERF_COUNTER_LARGE_RAWCOUNT, NONE, NONE, NONE, NONE, 0, 0, false }, { 10, 100 }, { 11, 104 },
            "\\\\HOST\\Set\\C: first sample; \\\\HOST\\Set\\O = 100", "\\\\HOST\\Set\\C = 25; \\\\HOST\\Set\\O = 104",
            "\\\\HOST\\Set\\C: base not in query (time counter)" },
        /* 100*((N1-N0)/(D1-D0))/B1: 20 of 100 time units, in 5 */
        { { 1, 1, "C", PERF_100NSEC_MULTI_TIMER, NONE, NONE, NONE, 2, 0, 0, false },
            { 1, 2, "O", PERF_COUNTER_LARGE_RAWCOUNT, NONE, NONE, NONE, NONE, 0, 0, false }, { 10, 5 }, { 30, 5 },
            "\\\\HOST\\Set\\C: first sample; \\\\HOST\\Set\\O = 5", "\\\\HOST\\Set\\C = 4; \\\\HOST\\Set\\O = 5",
            "\\\\HOST\\Set\\C: base not in query (multi counter)" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct query *query;

        new_capture();
        teach(cases[i].counter);
        teach(cases[i].operand);
        query = QUERY(1, 2);
        check_table(poll_of(query, 10, 1000, 2, cases[i].first), cases[i].in_first, "the first poll");
        check_table(poll_of(query, 20, 1100, 2, cases[i].second), cases[i].in_second, "the second");
        query = QUERY(1);
        poll_of(query, 10, 1000, 1, cases[i].first);
        check_table(poll_of(query, 20, 1100, 1, cases[i].second), cases[i].alone, "it is not in the poll");
    }
    /* (D0-N0)/F */
    new_capture();
    teach((struct taught){ 1, 1, "C", PERF_ELAPSED_TIME, NONE, 2, 3, NONE, 0, 0, false });
    teach((struct taught){ 1, 2, "T", PERF_COUNTER_LARGE_RAWCOUNT, NONE, NONE, NONE, NONE, 0, 0, false });
    teach((struct taught){ 1, 3, "F", PERF_COUNTER_LARGE_RAWCOUNT, NONE, NONE, NONE, NONE, 0, 0, false });
    check_table(POLL(QUERY(1, 2, 3), 10, 1000, 40, 100, 5),
        "\\\\HOST\\Set\\C = 12; \\\\HOST\\Set\\T = 100; \\\\HOST\\Set\\F = 5", "elapsed time");
    check_table(POLL(QUERY(1, 2), 10, 1000, 40, 100),
        "\\\\HOST\\Set\\C: base not in query (frequency counter); \\\\HOST\\Set\\T = 100", "without a frequency");
}

/* "None" is 0xFFFFFFFF; 0 names a counter only where counter 0 is of a type that can be it. */
static void
check_zeroth(void)
{
    static const struct {
        uint32_t type;
        bool is_time, is_operand;
    } cases[] = {
        { PERF_LARGE_RAW_BASE, false, true },
        { PERF_COUNTER_LARGE_RAWCOUNT, false, false },
        { PERF_COUNTER_LARGE_RAWCOUNT, true, true },
        { PERF_COUNTER_BULK_COUNT, true, false },
        { 0, false, false },
        { 0, true, false },
    };

    /* Of counter 7: there is none, a base, one of which but the name is known, and one that is no base. */
    static const uint32_t types[] = { 0, PERF_LARGE_RAW_BASE, 0, PERF_COUNTER_RAWCOUNT };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct query *query;
        const char *found;

        new_capture();
        teach((struct taught){ 1, 1, "C", cases[i].is_time ? PERF_OBJ_TIME_TIMER : PERF_LARGE_RAW_FRACTION, 0, 0, NONE,
            NONE, 0, 0, false });
        teach((struct taught){ 1, 0, "O", cases[i].type, NONE, NONE, NONE, NONE, 0, 0, false });
        query = QUERY(1, 0);
        POLL(query, 10, 1000, 10, 100);
        found = table(POLL(query, 20, 1100, 11, 110));
        CHECK((strstr(found, "C = 10;") != NULL) == cases[i].is_operand &&
                (strstr(found, "C: base not in query") != NULL) == !cases[i].is_operand,
            "%zu: %s", i, found);
    }
    /* A precision timer is computed with a base that the counterset has, or else by the time. */
    for (unsigned i = 0; i < array_length(types); i++) {
        struct query *query;
        const char *found;

        new_capture();
        teach((struct taught){ 1, 1, "C", PERF_PRECISION_OBJECT_TIMER, 7, 2, NONE, NONE, 0, 0, false });
        teach((struct taught){ 1, 2, "T", PERF_COUNTER_LARGE_RAWCOUNT, NONE, NONE, NONE, NONE, 0, 0, false });
        if (i > 0) {
            teach((struct taught){ 1, 7, "B", types[i], NONE, NONE, NONE, NONE, 0, 0, false });
        }
        query = QUERY(1, 2);
        POLL(query, 10, 1000, 10, 100);
        found = table(POLL(query, 20, 1100, 11, 120));
        CHECK((strstr(found, i == 1 || i == 2 ? "C: base not in query" : "C = 5;")) != NULL, "%u: %s", i, found);
    }
}

/* Instances by counters; what was not in the poll before is new, and so is all of a counterset that was not. */
static void
check_instances(void)
{
    static const uint32_t ids[] = { 1, 2 };
    static const char *const ab[] = { "a", "b" }, *const ba[] = { "b", "a", "c" }, *const x[] = { "x" };
    struct query *query;

    new_capture();
    teach((struct taught){ 1, 1, "C", PERF_LARGE_RAW_FRACTION, 2, NONE, NONE, NONE, 0, 0, false });
    teach(
        (struct taught){ 1, 2, "O", PERF_LARGE_RAW_BASE, NONE, NONE, NONE, NONE, COUNTER_ATTRIB_NO_DISPLAY, 0, false });
    teach((struct taught){ 2, 1, "D", PERF_COUNTER_LARGE_DELTA, NONE, NONE, NONE, NONE, 0, 0, false });
    query = open_query(50, 1);
    begin();
    add_counter_identifier(1, PERF_WILDCARD_COUNTER, NONE, "*", 0, 0);
    add_counter_identifier(2, 1, NONE, "*", 0, 1);
    change_query(query, true);
    map_query(query, 5);
    begin_data(2, 0, 1000);
    add_block(2, ids, 2, ab, (const uint64_t[]){ 1, 4, 2, 4 }, 8);
    add_block(0, NULL, 2, ab, (const uint64_t[]){ 10, 20 }, 8);
    *leaves_out = true;
    check_table(take(query, 10),
        "\\\\HOST\\Set(a)\\C = 25; \\\\HOST\\Set(b)\\C = 50; \\\\HOST\\Two(a)\\D: first sample; "
        "\\\\HOST\\Two(b)\\D: first sample",
        "the first poll");
    begin_data(2, 0, 1100);
    add_block(2, ids, 1, x, (const uint64_t[]){ 3, 4 }, 8);
    add_block(0, NULL, 3, ba, (const uint64_t[]){ 21, 12, 30 }, 8);
    check_table(take(query, 20),
        "\\\\HOST\\Set(x)\\C = 75; \\\\HOST\\Two(b)\\D = 1; \\\\HOST\\Two(a)\\D = 2; \\\\HOST\\Two(c)\\D: instance new",
        "the second");
    *leaves_out = false;
    begin_data(2, 0, 1200);
    add_block(2, ids, 1, x, (const uint64_t[]){ 3, 4 }, 8);
    add_block(0, NULL, 1, ab, (const uint64_t[]){ 13 }, 8);
    check_table(take(query, 30),
        "\\\\HOST\\Set(x)\\C = 75; \\\\HOST\\Set(x)\\O: not displayed; \\\\HOST\\Two(a)\\D = 1", "with all counters");
    /* The same blocks at other places: the counterset was polled before all the same. */
    begin();
    add_counter_identifier(1, PERF_WILDCARD_COUNTER, NONE, "*", 0, 1);
    change_query(query, false);
    begin();
    add_counter_identifier(2, 1, NONE, "*", 0, 0);
    map_query(query, 35);
    begin_data(1, 0, 1300);
    add_block(0, NULL, 3, ba, (const uint64_t[]){ 22, 15, 31 }, 8);
    check_table(take(query, 40), "\\\\HOST\\Two(b)\\D = 1; \\\\HOST\\Two(a)\\D = 2; \\\\HOST\\Two(c)\\D = 1",
        "at another place");
    begin_data(1, 0, 1400);
    add_block(0, NULL, 1, x, (const uint64_t[]){ 22 }, 8);
    check_table(take(query, 50), "\\\\HOST\\Two(x)\\D: instance new", "at the same");
}

/* A counterset that the poll before had in another block, or had not. */
static void
check_polled_before(void)
{
    static const char *const a[] = { "a" }, *const b[] = { "b" };
    struct query *query;

    for (unsigned i = 0; i < 2; i++) {
        new_capture();
        teach((struct taught){ 1, 1, "C", PERF_COUNTER_LARGE_DELTA, NONE, NONE, NONE, NONE, 0, 0, false });
        teach((struct taught){ 2, 1, "D", PERF_COUNTER_LARGE_DELTA, NONE, NONE, NONE, NONE, 0, 0, false });
        query = open_query(60 + i, 1);
        begin();
        add_counter_identifier(1, 1, NONE, "*", 0, 0);
        add_counter_identifier(i == 0 ? 2 : 1, i == 0 ? 1 : 2, NONE, "*", 0, 1);
        change_query(query, true);
        map_query(query, 5);
        begin_data(2, 0, 1000);
        add_block(0, NULL, 1, a, (const uint64_t[]){ 1 }, 8);
        add_block(0, NULL, 1, a, (const uint64_t[]){ 2 }, 8);
        take(query, 10);
        begin();
        add_counter_identifier(3, 1, NONE, "*", 0, 2);
        change_query(query, true);
        begin();
        add_counter_identifier(3, 1, NONE, "*", 0, 0);
        add_counter_identifier(1, 1, NONE, "*", 0, 1);
        add_counter_identifier(i == 0 ? 2 : 1, i == 0 ? 1 : 2, NONE, "*", 0, 2);
        map_query(query, 15);
        teach((struct taught){ 3, 1, "E", PERF_COUNTER_LARGE_DELTA, NONE, NONE, NONE, NONE, 0, 0, false });
        begin_data(3, 0, 1100);
        add_block(0, NULL, 1, b, (const uint64_t[]){ 1 }, 8);
        add_block(0, NULL, 1, b, (const uint64_t[]){ 2 }, 8);
        add_block(0, NULL, 1, a, (const uint64_t[]){ 9 }, 8);
        check_table(take(query, 20),
            i == 0 ? "\\\\HOST\\Three(b)\\E: first sample; \\\\HOST\\Set(b)\\C: instance new; \\\\HOST\\Two(a)\\D = 7"
                   : "\\\\HOST\\Three(b)\\E: first sample; \\\\HOST\\Set(b)\\C: instance new; "
                     "\\\\HOST\\Set(a)\\counter 2: type unknown",
            "other blocks");
    }
}

/* One value of a counterset is none of its instances. */
static void
check_other_kind(void)
{
    static const char *const a[] = { "a" };
    struct query *query;

    new_capture();
    teach((struct taught){ 1, 1, "C", PERF_COUNTER_LARGE_DELTA, NONE, NONE, NONE, NONE, 0, 0, false });
    query = query_of(1, (const uint32_t[]){ 1 }, "x");
    check_table(POLL(query, 10, 1000, 1), "\\\\HOST\\Set(x)\\C: first sample", "one value");
    begin();
    add_counter_identifier(1, 1, 0, "*", 0, 0);
    map_query(query, 15);
    begin_data(1, 0, 1100);
    add_block(0, NULL, 1, a, (const uint64_t[]){ 1 }, 8);
    check_table(take(query, 20), "\\\\HOST\\Set(a)\\C: first sample", "its instances");

    /* Nor is a counter that comes into the query beside another of its counterset a new instance. */
    new_capture();
    teach((struct taught){ 1, 1, "C", PERF_COUNTER_LARGE_DELTA, NONE, NONE, NONE, NONE, 0, 0, false });
    teach((struct taught){ 1, 2, "D", PERF_COUNTER_LARGE_DELTA, NONE, NONE, NONE, NONE, 0, 0, false });
    query = QUERY(1);
    POLL(query, 10, 1000, 5);
    begin();
    add_counter_identifier(1, 2, 0, "", 0, 1);
    change_query(query, true);
    begin();
    add_counter_identifier(1, 1, 0, "", 0, 0);
    add_counter_identifier(1, 2, 0, "", 0, 1);
    map_query(query, 15);
    check_table(POLL(query, 20, 1100, 9, 3), "\\\\HOST\\Set\\C = 4; \\\\HOST\\Set\\D: first sample", "another counter");
}

/* Two counters of one id: by their places where all stand in the block, else by the size of the value, else what all have
 * in common. */
static void
check_twins(void)
{
    static const struct taught four = { 1, 5, "Four", PERF_COUNTER_RAWCOUNT, NONE, NONE, NONE, NONE, 0, 0, false },
                               eight = { 1, 5, "Eight", PERF_COUNTER_LARGE_RAWCOUNT, NONE, NONE, NONE, NONE, 0, 0,
                                   false },
                               other = { 1, 5, "Other", PERF_COUNTER_LARGE_RAWCOUNT, NONE, NONE, NONE, NONE, 0, 0,
                                   false },
                               unlike = { 1, 5, "Unlike", PERF_COUNTER_LARGE_DELTA, NONE, NONE, NONE, NONE, 0, 0,
                                   false },
                               same = { 1, 5, "Four", PERF_COUNTER_RAWCOUNT, NONE, NONE, NONE, NONE, 0, 0, false },
                               any = { 1, 5, "Any", 0, NONE, NONE, NONE, NONE, 0, 0, false },
                               nameless = { 1, 5, NULL, PERF_COUNTER_RAWCOUNT, NONE, NONE, NONE, NONE, 0, 0, false };
    static const struct {
        const struct taught *first, *second;
        const char *of_both, *of_four, *of_eight;
    } cases[] = {
        { &four, &eight, "\\\\HOST\\Set\\Four = 1; \\\\HOST\\Set\\Eight = 2", "\\\\HOST\\Set\\Four = 3",
            "\\\\HOST\\Set\\Eight = 3" },
        { &eight, &other, "\\\\HOST\\Set\\Eight = 1; \\\\HOST\\Set\\Other = 2",
            "\\\\HOST\\Set\\counter 5 (one of 2 of this id) = 3",
            "\\\\HOST\\Set\\counter 5 (one of 2 of this id) = 3" },
        { &eight, &unlike, "\\\\HOST\\Set\\Eight = 1; \\\\HOST\\Set\\Unlike: first sample",
            "\\\\HOST\\Set\\counter 5 (one of 2 of this id): type unknown",
            "\\\\HOST\\Set\\counter 5 (one of 2 of this id): type unknown" },
        { &four, &same, "\\\\HOST\\Set\\Four = 1; \\\\HOST\\Set\\Four (no. 2 of id 5) = 2",
            "\\\\HOST\\Set\\counter 5 (one of 2 of this id) = 3",
            "\\\\HOST\\Set\\counter 5 (one of 2 of this id) = 3" },
        { &any, &four, "\\\\HOST\\Set\\Any: type unknown; \\\\HOST\\Set\\Four = 2",
            "\\\\HOST\\Set\\counter 5 (one of 2 of this id): type unknown", "\\\\HOST\\Set\\Any: type unknown" },
        { &four, &nameless, "\\\\HOST\\Set\\Four = 1; \\\\HOST\\Set\\counter 5 (no. 2 of this id) = 2", NULL, NULL },
        { &nameless, &four, "\\\\HOST\\Set\\counter 5 = 1; \\\\HOST\\Set\\Four (no. 2 of id 5) = 2", NULL, NULL },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        const struct perf_tap_poll *record;
        struct perf_tap_origin origin;
        struct values *both;
        struct query *query;

        new_capture();
        teach(*cases[i].first);
        teach(*cases[i].second);
        query = QUERY(PERF_WILDCARD_COUNTER);
        begin_data(1, 0, 1000);
        add_block(2, (const uint32_t[]){ 5, 5 }, 0, NULL, (const uint64_t[]){ 1, 2 }, 4);
        both = take(query, 10);
        check_table(both, cases[i].of_both, "both");
        CHECK(!both->base.api->shape(&both->base, 0).is_table, "one instance is no table");
        /* Columns of a table are called the same, and what tables name on its own. */
        CHECK(strstr(cases[i].of_both,
                  wmem_strdup_printf(scope, "; \\\\HOST\\Set\\%s", poll_column_text(&both->base, 0, 1))) != NULL,
            "%s", poll_column_text(&both->base, 0, 1));
        record = values_record(both);
        record->tell(record, &record->samples[1], &origin);
        CHECK(strcmp(origin.counter, poll_column_text(&both->base, 0, 1)) == 0, "%s", origin.counter);
        for (unsigned size = 4; cases[i].of_four != NULL && size <= 8; size += 4) {
            query = QUERY(5);
            begin_data(1, 0, 1000);
            add_block(0, NULL, 0, NULL, (const uint64_t[]){ 3 }, size);
            check_table(take(query, 10), size == 4 ? cases[i].of_four : cases[i].of_eight, "one");
        }
    }
}

/* What reads the values one by one is told. */
static void
check_block(void)
{
    static const char *const names[] = { "a", "" };
    static const uint64_t values[] = { 0x0a0b0c0d, 4 };
    struct values *of;
    struct value_block *block;
    const struct poll_api *api;
    struct poll_shape shape;
    struct poll_bytes bytes;
    struct cook_result cooked = { .reason = COOK_OK };
    struct aggregates none = { .count = 0 };
    struct query *query;

    new_capture();
    teach((struct taught){ 1, 1, "C", PERF_COUNTER_RAWCOUNT, NONE, NONE, NONE, NONE, COUNTER_ATTRIB_NO_DISPLAY, 0,
        false });
    teach((struct taught){ 1, 2, "B", PERF_RAW_BASE, NONE, NONE, NONE, NONE, 0, 0, false });
    teach((struct taught){ 1, 3, "D", PERF_COUNTER_RAWCOUNT, NONE, NONE, NONE, NONE, 0, 0, false });
    query = query_of(2, (const uint32_t[]){ 1, PERF_WILDCARD_COUNTER }, "*");
    begin_data(2, 0, 1000);
    add_block(0, NULL, 2, names, values, 4);
    add_block(3, (const uint32_t[]){ 1, 2, 3 }, 1, names, (const uint64_t[]){ 1, 2, 3 }, 8);
    of = take(query, 10);
    api = of->base.api;
    block = values_block(of, 0);
    CHECK(block->is_named && block->index == 0 && values_block(of, 0) == block && values_block(of, 1)->index == 1,
        "blocks");
    shape = api->shape(&of->base, 0);
    CHECK(shape.is_named && !shape.is_table && shape.num_rows == 2 && shape.num_columns == 1, "%u rows",
        shape.num_rows);
    shape = api->shape(&of->base, 1);
    /* 2.2.4.7, 2.2.4.8, 48 of instances, and the next header with the ids in 24. */
    CHECK(shape.is_table && shape.num_rows == 1 && shape.num_columns == 3 &&
            shape.offset == values_block(of, 1)->bytes->instances_offset,
        "%u columns", shape.num_columns);
    bytes = api->bytes(&of->base, 0, 0);
    /* Behind the headers of data (48), block (16), instances (8), instance (16, name included) and value (8). */
    CHECK(bytes.offset == 96 && bytes.length == 4 && bytes.is_number && bytes.number == 0x0a0b0c0d, "%u", bytes.offset);
    bytes = api->bytes(&of->base, 1, 2);
    CHECK(bytes.length == 8 && bytes.is_number && bytes.number == 3, "%u bytes", bytes.length);
    CHECK(strcmp(api->row_text(&of->base, 0, 0), "a") == 0 && strcmp(api->row_text(&of->base, 0, 1), "id 0") == 0, "%s",
        api->row_text(&of->base, 0, 1));
    CHECK(!api->is_shown(&of->base, 1, 0) && !api->is_shown(&of->base, 1, 1) && api->is_shown(&of->base, 1, 2),
        "counters shown");
    CHECK(strcmp(api->note(&of->base, 0, 0, &cooked), " (not for display)") == 0 &&
            api->note(&of->base, 1, 2, &cooked) == NULL,
        "notes");
    cooked.reason = COOK_FIRST_SAMPLE;
    CHECK(api->note(&of->base, 0, 0, &cooked) == NULL, "of no value");
    CHECK(values_counter_id(block, 1) == 1 && values_counter_id(values_block(of, 1), 2) == 3, "ids");
    CHECK(values_row(block, 1)->id == 0 && values_row(block, 0)->id == 'a' && values_row(block, 0)->name_size == 2,
        "rows");
    CHECK(values_identity_of_all(of, values_block(of, 1), 1)->instance == NULL &&
            values_identity_of_all(of, values_block(of, 1), 1)->counter->id == 2,
        "of all instances");

    /* Of a poll that was not learned, or is of other blocks, nothing is named. */
    aggregates = &none;
    of = values_new(&data, NULL, scope);
    CHECK(!of->base.api->shape(&of->base, 0).is_named && values_aggregates(of) == NULL && of->base.sample == NULL,
        "not learned");
    aggregates = NULL;
    ((struct query_poll *)polled)->num_blocks = 1;
    of = values_new(&data, polled, scope);
    CHECK(!of->base.api->shape(&of->base, 0).is_named, "of another number of blocks");
}

/* Values of a block that is not whole, or of another answer than was learned, have no names. */
static void
check_unlike(void)
{
    static const char *const names[] = { "a", "b" };
    const struct query_poll *before;
    struct values *of;
    struct query *query;
    uint64_t version;

    new_capture();
    query = query_of(1, (const uint32_t[]){ 1 }, "*");
    begin_data(1, 0, 1000);
    add_block(0, NULL, 1, names, (const uint64_t[]){ 1 }, 4);
    of = take(query, 10);
    CHECK(of->base.api->shape(&of->base, 0).is_named && of->base.frame == 10, "it is whole");
    version = of->base.names;
    lessons++;
    CHECK(values_new(&data, polled, scope)->base.names != version, "something was learned");
    version = values_new(&data, polled, scope)->base.names;
    begin();
    add_counter_identifier(1, 2, 0, "*", 0, 0);
    map_query(query, 12);
    CHECK(values_new(&data, polled, scope)->base.names != version, "another map");
    before = polled;
    begin_data(1, 0, 1000);
    add_block(0, NULL, 2, names, (const uint64_t[]){ 1, 2 }, 4);
    take(query, 20);
    of = values_new(&data, before, scope);
    CHECK(!of->base.api->shape(&of->base, 0).is_named, "of another answer");
    /* Instances that are not there, in a block that is known all the same. */
    query = query_of(1, (const uint32_t[]){ 1 }, "*");
    for (uint8_t lacking = 0; lacking < 2; lacking++) {
        begin_data(1, 0, 1000);
        add_block(0, NULL, 0, names, NULL, 4);
        out.bytes[out.size - 4] = lacking;
        of = take(query, 30 + lacking);
        CHECK(of->base.api->shape(&of->base, 0).is_named == (lacking == 0), "%u lacking", lacking);
    }
    begin_data(1, 0, 1000);
    add_block(0, NULL, 2, names, (const uint64_t[]){ 1, 2 }, 4);
    out.bytes[48 + 16 + 4] = 3; /* one more than there are */
    take(query, 40);
    CHECK(series_shape(polled->values, 0)->num_rows == 0, "of what is not whole nothing is kept");
}

/* A text has no size that is a number's. */
static void
check_text(void)
{
    const struct perf_tap_poll *record;
    struct values *of;
    struct query *query;
    unsigned at;

    new_capture();
    query = QUERY(1);
    teach((struct taught){ 1, 1, "C", PERF_COUNTER_TEXT, NONE, NONE, NONE, NONE, 0, 0, false });
    begin_data(1, 0, 1000);
    at = begin_block(PERF_SINGLE_COUNTER, 0);
    ADD(6, 16);
    add_text("hi", 2);
    add(0, 2);
    end_block(at);
    of = take(query, 10);
    record = values_record(of);
    CHECK(record->num_samples == 1 && record->samples[0].is_other && strcmp(record->samples[0].text, "hi") == 0, "%u",
        record->num_samples);
    CHECK(strcmp(record->host, "HOST") == 0 && atoi(record->query) == (int)polled->query->number, "%s", record->query);
}

static void
check_origin(void)
{
    static const struct {
        struct taught counter;
        bool is_added; /* without an index map */
        const char *known_by, *called;
    } cases[] = {
        { { 1, 1, "C", PERF_LARGE_RAW_FRACTION, 2, NONE, NONE, NONE, 0, 7, false }, false, "map", "C" },
        { { 1, 1, "C", PERF_LARGE_RAW_FRACTION, 2, NONE, NONE, NONE, 0, 0, false }, false, "table", "C" },
        { { 1, 1, "C", PERF_LARGE_RAW_FRACTION, 2, NONE, NONE, NONE, 0, 0, true }, false, "built-in", "C" },
        { { 1, 1, NULL, PERF_LARGE_RAW_FRACTION, 2, NONE, NONE, NONE, 0, 0, false }, false, "id", "counter 1" },
        { { 1, 1, "C", PERF_LARGE_RAW_FRACTION, 2, NONE, NONE, NONE, 0, 7, false }, true, "inferred", "C" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        const struct perf_tap_poll *record;
        struct perf_tap_origin origin;
        struct perf_tap_sample sample;
        struct query *query;
        struct values *of;

        new_capture();
        query = open_query(1, 1);
        teach(cases[i].counter);
        teach((struct taught){ 1, 2, "B", PERF_LARGE_RAW_BASE, NONE, NONE, NONE, NONE, 0, 0, false });
        begin();
        add_counter_identifier(1, PERF_WILDCARD_COUNTER, 3, "x", 0, 0);
        change_query(query, true);
        if (!cases[i].is_added) {
            map_query(query, 5);
        }
        for (uint32_t n = 1; n <= 2; n++) {
            begin_data(1, 0, n * 10000000);
            add_block(2, (const uint32_t[]){ 1, 2 }, 0, NULL, (const uint64_t[]){ n, 4 }, 8);
            of = take(query, 10 * n);
        }
        record = values_record(of);
        sample = record->samples[0];
        record->tell(record, &sample, &origin);
        CHECK(strcmp(origin.known_by, cases[i].known_by) == 0, "%zu: %s", i, origin.known_by);
        CHECK(strcmp(origin.counter, cases[i].called) == 0 && origin.counter_id == 1, "%zu: %s", i, origin.counter);
        CHECK(strcmp(origin.set_id, "00000001-0000-0000-0000-000000000000") == 0 && strcmp(origin.set, "Set") == 0,
            "%s", origin.set_id);
        CHECK(origin.has_type && origin.type == PERF_LARGE_RAW_FRACTION && origin.has_base && origin.base == 4, "%zu",
            i);
        CHECK(origin.has_instance_id && origin.instance_id == 3 && strcmp(origin.instance, "x") == 0, "%zu", i);
        CHECK(origin.previous_frame == 10 && origin.interval == 1, "%u", origin.previous_frame);
        sample = record->samples[1];
        record->tell(record, &sample, &origin);
        CHECK(!origin.has_base && origin.counter_id == 2, "a base has none");
        sample.num_aggregated = 2;
        record->tell(record, &sample, &origin);
        CHECK(!origin.has_instance_id && !origin.has_base && origin.previous_frame == 10, "of several instances");
        CHECK(values_cook_earlier(of, polled->values->previous, 0, 0).value == 25, "of the poll before");
        polled->query->is_unnumbered = true;
        of = values_new(&data, polled, scope);
        record = values_record(of);
        record->tell(record, &record->samples[0], &origin);
        CHECK(strcmp(origin.known_by, cases[i].is_added ? "doubtful" : cases[i].known_by) == 0, "%s", origin.known_by);
        /* Of several instances each has an id, 2.2.4.5, also one without a name. */
        new_capture();
        teach(cases[i].counter);
        query = open_query(1, 1);
        begin();
        add_counter_identifier(1, 1, NONE, "*", 0, 0);
        change_query(query, true);
        map_query(query, 5);
        begin_data(1, 0, 10000000);
        add_block(0, NULL, 2, (const char *const[]){ "a", "" }, (const uint64_t[]){ 1, 2 }, 8);
        record = values_record(take(query, 10));
        for (unsigned n = 0; n < 2; n++) {
            record->tell(record, &record->samples[n], &origin);
            CHECK(origin.has_instance_id && origin.instance_id == (n == 0 ? 'a' : 0), "%u: %u", n, origin.instance_id);
        }
    }
}

/* What a client makes of all instances stands behind them, and in place of those without a name. */
static void
check_aggregates(void)
{
    static const char *const names[] = { "a", "", "b" };
    static const struct {
        bool is_nameless, is_own, is_left_out, is_cut;
        const char *expected;
    } cases[] = {
        { false, false, false, false,
            "\\\\HOST\\Set(a)\\C = 1; \\\\HOST\\Set\\C = 2; \\\\HOST\\Set(b)\\C = 3; ALL = 6" },
        { true, false, false, false, "\\\\HOST\\Set(a)\\C = 1; \\\\HOST\\Set(b)\\C = 3; ALL = 6" },
        { true, true, false, false, "\\\\HOST\\Set(a)\\C = 1; \\\\HOST\\Set\\C = 2; \\\\HOST\\Set(b)\\C = 3" },
        { false, false, true, false, "" },
        { false, false, false, true, "\\\\HOST\\Set(a)\\C = 1; \\\\HOST\\Set\\C = 2; \\\\HOST\\Set(b)\\C = 3" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct aggregate all = { .path = "ALL",
            .cooked = { .value = 6 },
            .num_instances = 3,
            .at = 1,
            .is_nameless = cases[i].is_nameless,
            .is_own = cases[i].is_own };
        struct aggregates some = { 1, &all };
        const struct perf_tap_poll *record;
        struct query *query;
        struct values *of;

        new_capture();
        query = query_of(1, (const uint32_t[]){ 1 }, "*");
        teach((struct taught){ 1, 1, "C", PERF_COUNTER_RAWCOUNT, NONE, NONE, NONE, NONE,
            cases[i].is_left_out ? COUNTER_ATTRIB_NO_DISPLAY : 0, 0, false });
        begin_data(1, 0, 1000);
        add_block(0, NULL, 3, names, (const uint64_t[]){ 1, 2, 3 }, 4);
        of = take(query, 10);
        all.identity = values_identity_of_all(of, values_block(of, 0), 0);
        aggregates = &some;
        *leaves_out = cases[i].is_left_out;
        data.is_cut = cases[i].is_cut;
        check_table(of, cases[i].expected, "with an aggregate");
        record = values_record(of);
        if (i == 0) {
            const struct perf_tap_sample *last = &record->samples[3];

            CHECK(record->num_samples == 4 && last->is_other && last->num_aggregated == 3 && last->place[0] == 0 &&
                    last->place[1] == 1 && last->identity == all.identity,
                "%u samples", record->num_samples);
        }
        aggregates = NULL;
        *leaves_out = false;
    }
}

/* A counterset without a name goes by its GUID; one of several instances has one without a name. */
static void
check_words(void)
{
    struct query *query;

    new_capture();
    query = open_query(1, 1);
    begin();
    add_counter_identifier(0xabc, 4, 0, "", 0, 0);
    add_counter_identifier(1, 4, 0, "i", 0, 1);
    change_query(query, true);
    map_query(query, 5);
    check_table(POLL(query, 10, 1000, 1, 2),
        "\\\\HOST\\{00000abc-0000-0000-0000-000000000000}\\counter 4: type unknown; "
        "\\\\HOST\\Set(i)\\counter 4: type unknown",
        "without a name");
}

int
main(void)
{
    wmem_init_scopes();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    identity_init();
    queries_init();
    values_register(NULL);
    check_operands();
    check_zeroth();
    check_instances();
    check_polled_before();
    check_other_kind();
    check_twins();
    check_block();
    check_unlike();
    check_text();
    check_origin();
    check_aggregates();
    check_words();
    wmem_destroy_allocator(scope);
    return check_result();
}
