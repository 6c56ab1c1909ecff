/* test_perfdata_block.c
 * Reading PERF_DATA_BLOCK: every structure at the offsets of winperf.h, and what can't be true
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "check.h"
#include "perfdata-build.h"
#include "perfdata/blocks.h"

static wmem_allocator_t *scope;

static const struct perfdata_block *
finish(void)
{
    put(20, out.size, 4);
    return perfdata_block_read(scope, out.bytes, out.size, out.size);
}

/* The problem of that kind that is told with these words; NULL: none is. */
static const struct perfdata_problem *
find_problem(const struct perfdata_problem *problem, enum perfdata_problem_kind kind, const char *words)
{
    while (problem != NULL && (problem->kind != kind || strstr(problem->text, words) == NULL)) {
        problem = problem->next;
    }
    return problem;
}

static bool
tells(const struct perfdata_problem *problem, enum perfdata_problem_kind kind, const char *words)
{
    return find_problem(problem, kind, words) != NULL;
}

/* The same of the bytes from offset on. */
static bool
tells_of(const struct perfdata_problem *problem, enum perfdata_problem_kind kind, const char *words, unsigned offset,
    unsigned size)
{
    problem = find_problem(problem, kind, words);
    return problem != NULL && problem->offset == offset && problem->size == size;
}

static void
test_byte_order_is_told_by_the_block(void)
{
    begin(false, 0);
    CHECK(perfdata_has_signature(out.bytes, 8), "little-endian");
    CHECK(!perfdata_has_signature(out.bytes, 7), "seven bytes");
    CHECK(perfdata_block_read(scope, out.bytes, 7, 7) == NULL, "no block");
    begin(true, 0);
    CHECK(perfdata_has_signature(out.bytes, 8), "big-endian");
}

static void
test_header_is_read_in_both_byte_orders(bool big_endian)
{
    const struct perfdata_block *b;

    begin(big_endian, 0);
    b = finish();
    CHECK(b->big_endian == big_endian && tells(b->problems, PERFDATA_BIG_ENDIAN, "") == big_endian, "byte order");
    CHECK(big_endian ? tells_of(b->problems, PERFDATA_BIG_ENDIAN, "", 0, 8) : b->problems == NULL,
        "nothing else to tell");
    CHECK_EQUAL(b->total_byte_length, 96, "lengths");
    CHECK_EQUAL(b->header_length, 96, "lengths");
    CHECK_EQUAL(b->end, 96, "lengths");
    CHECK_EQUAL(b->default_object, -1, "numbers");
    CHECK_EQUAL(b->version, 1, "numbers");
    CHECK_EQUAL(b->revision, 1, "numbers");
    CHECK(b->system_time[0] == 2020 && b->system_time[7] == 2027, "SystemTime");
    /* 4 bytes of padding stand between SystemTime and PerfTime. */
    CHECK_EQUAL(b->perf_time, 0x1111111122222222, "clocks");
    CHECK_EQUAL(b->perf_freq, 10000000, "clocks");
    CHECK_EQUAL(b->perf_time_100ns, 0x3333333344444444, "clocks");
    CHECK(b->name_start == 88 && b->name_size == 4, "system name");
    CHECK(!b->incomplete && b->objects_read == 0, "no objects");
}

static void
test_values_are_read_in_both_byte_orders(bool big_endian)
{
    const struct perfdata_block *b;
    const struct perfdata_object *o;
    unsigned start;
    uint64_t value = 0;

    begin(big_endian, 1);
    start = begin_object(230, 5, 2);
    add_counter(2, PERF_COUNTER_LARGE_RAWCOUNT, 8, 4); /* 8 bytes at 4: not aligned */
    add_counter(4, PERF_COUNTER_RAWCOUNT, 4, 12);
    add_counter(6, PERF_COUNTER_RAWCOUNT, 8, 16);       /* as a 64-bit Samba does */
    add_counter(8, PERF_COUNTER_LARGE_RAWCOUNT, 8, 12); /* shares its bytes with the two before */
    add_counter(10, PERF_COUNTER_NODATA, 0, 0);
    for (unsigned i = 0; i < 2; i++) {
        add_instance((char)('a' + i), 0, 0);
        add(24, 4); /* ByteLength */
        add(0x0102030405060708 + i, 8);
        add(9, 4);
        add(0xAAAAAAAA00000007, 8);
    }
    end_object(start);
    b = finish();
    CHECK(big_endian || b->problems == NULL, "nothing to tell");
    CHECK(b->objects_read == 1 && b->end == b->size, "whole block");
    o = &b->objects[0];
    CHECK(o->problems == NULL, "whole object");
    CHECK_EQUAL(o->counters_read, 5, "whole object");
    CHECK_EQUAL(o->instances_read, 2, "whole object");
    CHECK(o->perf_time == 555 && o->perf_freq == 777, "the object's clock");
    CHECK(o->counters[0].default_scale == -2 && o->counters[0].detail_level == 200, "definition");
    CHECK(perfdata_block_number(b, &o->instances[0], &o->counters[0], &value) && value == 0x0102030405060708,
        "unaligned");
    CHECK(perfdata_block_number(b, &o->instances[1], &o->counters[0], &value) && value == 0x0102030405060709,
        "second instance");
    CHECK(perfdata_block_number(b, &o->instances[0], &o->counters[1], &value) && value == 9, "DWORD");
    CHECK(perfdata_block_number(b, &o->instances[0], &o->counters[2], &value) && value == 7, "the low half of 8 bytes");
    CHECK(tells_of(o->counters[2].problems, PERFDATA_WIDE_DWORD, "CounterSize is 8", start + 64 + 2 * 40 + 32, 4),
        "that is told");
    CHECK(perfdata_block_number(b, &o->instances[0], &o->counters[3], &value), "shared bytes");
    CHECK(!perfdata_block_number(b, &o->instances[0], &o->counters[4], &value), "no data, no number");
    CHECK(o->instances[1].name_size == 2 && o->instances[1].unique_id == -1, "instance");
    CHECK(o->instances[0].problems == NULL, "blocks as long as they are");
    CHECK(o->instances[1].problems == NULL, "blocks as long as they are");
    CHECK_EQUAL(o->instances[1].block_size, 24, "blocks as long as they are");
}

/* "Has a base" by (type & 0x30000) == 0x30000, as Microsoft's sample tests, holds for precision timers too. */
static void
test_base_counter_is_the_next_one(void)
{
    const struct perfdata_block *b;
    unsigned start;
    uint64_t value = 0;

    begin(false, 1);
    start = begin_object(2, 5, PERF_NO_INSTANCES);
    add_counter(2, PERF_RAW_FRACTION, 4, 4);
    add_counter(0, PERF_RAW_BASE, 4, 8);
    add_counter(4, PERF_COUNTER_LARGE_RAWCOUNT, 8, 16);
    add_counter(6, PERF_PRECISION_100NS_TIMER, 8, 16);
    add_counter(8, PERF_COUNTER_MULTI_TIMER, 8, 24);
    add(40, 4);
    add(1, 4);
    add(2, 4);
    add(0, 4);
    add(3, 8);
    add(4, 8);
    add(99, 8); /* the multi counter's second number */
    end_object(start);
    b = finish();
    CHECK_EQUAL(b->objects[0].instances_read, 1, "one block");
    CHECK_EQUAL(perfdata_object_base(&b->objects[0], 0), 1, "the next counter");
    CHECK_EQUAL(perfdata_object_base(&b->objects[0], 1), -1, "a base has none");
    CHECK_EQUAL(perfdata_object_base(&b->objects[0], 2), -1, "a precision timer is none");
    CHECK_EQUAL(perfdata_object_base(&b->objects[0], 4), -1, "none at the end");
    CHECK(perfdata_block_multi(b, &b->objects[0].instances[0], &b->objects[0].counters[4], &value) && value == 99,
        "second number");
    CHECK(!perfdata_block_multi(b, &b->objects[0].instances[0], &b->objects[0].counters[3], &value),
        "not of other types");
}

/* An object without instances now has no counter block: what follows is the next object. */
static void
test_no_instances_now(void)
{
    const struct perfdata_block *b;
    unsigned start;

    begin(false, 4);
    for (int instances = 0; instances >= PERF_METADATA_NO_INSTANCES; instances--) {
        start = begin_object((uint32_t)(2 - 2 * instances), 1, instances);
        add_counter(4, PERF_COUNTER_RAWCOUNT, 4, 4);
        if (instances == PERF_NO_INSTANCES) {
            add(8, 4);
            add(5, 4);
        }
        end_object(start);
    }
    b = finish();
    CHECK_EQUAL(b->objects_read, 4, "four objects");
    CHECK(b->problems == NULL, "four objects");
    CHECK_EQUAL(b->end, b->size, "four objects");
    CHECK(b->objects[0].instances_read == 0 && b->objects[1].instances_read == 1, "none now, one block");
    CHECK(b->objects[2].instances_read == 0 && b->objects[3].instances_read == 0, "metadata");
    for (unsigned o = 0; o < 4; o++) {
        CHECK(b->objects[o].problems == NULL && b->objects[o].counters_read == 1, "object %u", o);
    }
}

static void
test_parent_instance_is_found(void)
{
    const struct perfdata_object *object = NULL;
    const struct perfdata_block *b;
    unsigned start;

    begin(false, 2);
    /* The children come first. 1 is an index like any other; 0 is no parent, even where an object calls itself so. */
    start = begin_object(0, 0, 3);
    for (unsigned i = 0; i < 3; i++) {
        add_instance('t', i == 2 ? 999 : 1, i == 1 ? 7 : 1);
        add(8, 8);
    }
    end_object(start);
    start = begin_object(1, 0, 2);
    for (unsigned i = 0; i < 2; i++) {
        add_instance((char)('p' + i), 0, 0);
        add(8, 8);
    }
    end_object(start);
    b = finish();
    CHECK(perfdata_block_parent(b, &b->objects[0].instances[0], &object) == &b->objects[1].instances[1] &&
            object == &b->objects[1],
        "parent");
    CHECK(perfdata_block_parent(b, &b->objects[0].instances[1], &object) == NULL, "no such instance");
    CHECK(perfdata_block_parent(b, &b->objects[0].instances[2], &object) == NULL, "no such object");
    CHECK(perfdata_block_parent(b, &b->objects[1].instances[0], &object) == NULL, "no parent at all");
}

static unsigned
one_instance(void)
{
    unsigned start;

    begin(false, 1);
    start = begin_object(2, 1, 1);
    add_counter(4, PERF_COUNTER_RAWCOUNT, 4, 4);
    add_instance('a', 0, 0);
    add(8, 4);
    add(5, 4);
    end_object(start);
    return start;
}

/* Every length, count and offset at once too small, too large and negative: the reader ends, and says something. */
static void
test_wrong_number_anywhere_is_told(void)
{
    /* Offsets from the object's start: TotalByteLength to HeaderLength, NumCounters, NumInstances, then the counter's
     * ByteLength, the instance's ByteLength, NameOffset and NameLength, the counter block's ByteLength. */
    static const unsigned places[] = { 0, 4, 8, 32, 40, 64, 104, 120, 124, 136 };
    static const uint32_t numbers[] = { 1, 3, 39, 63, 4000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF0 };

    for (unsigned p = 0; p < G_N_ELEMENTS(places); p++) {
        for (unsigned n = 0; n < G_N_ELEMENTS(numbers); n++) {
            const unsigned start = one_instance();
            const struct perfdata_block *b;
            unsigned told;

            if (places[p] == 32 && numbers[n] == 1) {
                continue; /* the truth */
            }
            put(start + places[p], numbers[n], 4);
            if (places[p] == 40 && numbers[n] == 1) {
                continue;
            }
            b = finish();
            told = b->problems != NULL;
            for (unsigned o = 0; o < b->objects_read; o++) {
                told += b->objects[o].problems != NULL;
                for (unsigned c = 0; c < b->objects[o].counters_read; c++) {
                    told += b->objects[o].counters[c].problems != NULL;
                }
                for (unsigned i = 0; i < b->objects[o].instances_read; i++) {
                    told += b->objects[o].instances[i].problems != NULL;
                }
            }
            /* Shorter names and shorter counter blocks may well be true. */
            CHECK(told > 0 || places[p] == 124 || places[p] == 136, "place %u, number %x", places[p], numbers[n]);
        }
    }
}

/* CounterSize and the bits of CounterType say how the bytes are read. */
static void
test_counter_size_and_type_say_how_bytes_are_read(void)
{
    static const struct {
        uint32_t type, size;
        enum perfdata_form form;
        unsigned width;
    } cases[] = {
        { PERF_COUNTER_RAWCOUNT, 4, PERFDATA_NUMBER, 4 },
        { PERF_COUNTER_RAWCOUNT, 8, PERFDATA_NUMBER, 4 },
        { PERF_COUNTER_LARGE_RAWCOUNT, 8, PERFDATA_NUMBER, 8 },
        { PERF_COUNTER_LARGE_RAWCOUNT, 4, PERFDATA_NUMBER, 4 },
        { PERF_COUNTER_RAWCOUNT, 2, PERFDATA_BYTES, 0 },
        { PERF_COUNTER_RAWCOUNT, 12, PERFDATA_BYTES, 0 },
        { PERF_COUNTER_LARGE_RAWCOUNT, 12, PERFDATA_BYTES, 0 },
        /* 8 bytes and the second number, counted together */
        { PERF_COUNTER_MULTI_TIMER, 12, PERFDATA_NUMBER, 8 },
        { PERF_COUNTER_MULTI_TIMER, 16, PERFDATA_BYTES, 0 },
        { PERF_COUNTER_MULTI_TIMER & ~0x100u, 12, PERFDATA_BYTES, 0 },
        { PERF_COUNTER_TEXT, 12, PERFDATA_TEXT, 0 },
        { PERF_COUNTER_NODATA, 0, PERFDATA_NOTHING, 0 },
    };
    const unsigned count = G_N_ELEMENTS(cases);
    const struct perfdata_block *b;
    unsigned start;

    begin(false, 1);
    start = begin_object(2, count, 0);
    for (unsigned i = 0; i < count; i++) {
        add_counter(2 * i, cases[i].type, cases[i].size, 8);
    }
    end_object(start);
    b = finish();
    for (unsigned i = 0; i < count; i++) {
        const struct perfdata_counter *c = &b->objects[0].counters[i];

        CHECK(c->form == cases[i].form && c->width == cases[i].width, "type %08x of %u bytes", cases[i].type,
            cases[i].size);
    }
}

static void
test_second_number_is_the_other_four_bytes(void)
{
    const struct perfdata_object *o;
    const struct perfdata_block *b;
    unsigned start;
    uint64_t value = 0;

    begin(false, 1);
    start = begin_object(2, 6, PERF_NO_INSTANCES);
    add_counter(2, PERF_COUNTER_MULTI_TIMER, 12, 8);
    add_counter(4, PERF_COUNTER_MULTI_TIMER & ~0x100u, 4, 8); /* of a DWORD */
    add_counter(6, PERF_COUNTER_MULTI_BASE, 8, 8);
    add_counter(8, PERF_COUNTER_MULTI_TIMER, 8, 12); /* its second number lies behind the block */
    add_counter(10, PERF_COUNTER_MULTI_TIMER, 8, 100);
    add_counter(12, PERF_COUNTER_RAWCOUNT, 4, 22); /* the last 2 of its bytes do */
    add(24, 4);
    add(0, 4);
    add(0x1122334455667788, 8);
    add(7, 4);
    add(8, 4);
    end_object(start);
    b = finish();
    o = &b->objects[0];
    CHECK(perfdata_block_number(b, &o->instances[0], &o->counters[0], &value) && value == 0x1122334455667788,
        "8 bytes of 12");
    CHECK(perfdata_block_multi(b, &o->instances[0], &o->counters[0], &value) && value == 7, "the other 4");
    for (unsigned c = 1; c < 6; c++) {
        CHECK(c == 3 || !perfdata_block_multi(b, &o->instances[0], &o->counters[c], &value),
            "counter %u has no second number", c);
    }
    CHECK(perfdata_block_multi(b, &o->instances[0], &o->counters[3], &value) && value == 8, "the block's last bytes");
    put(start + 64 + 3 * 40 + 36, 13, 4);
    b = finish();
    CHECK(!perfdata_block_multi(b, &b->objects[0].instances[0], &b->objects[0].counters[3], &value),
        "one byte behind the block");
    CHECK(!perfdata_block_number(b, &b->objects[0].instances[0], &b->objects[0].counters[5], &value),
        "a value that ends behind it");
    for (unsigned captured = out.size - 16; captured < out.size - 4; captured++) {
        b = perfdata_block_read(scope, out.bytes, captured, out.size);
        CHECK(!perfdata_block_multi(b, &b->objects[0].instances[0], &b->objects[0].counters[0], &value),
            "%u bytes captured", captured);
        CHECK_EQUAL(perfdata_block_number(b, &b->objects[0].instances[0], &b->objects[0].counters[0], &value), false,
            "cut where its number stands");
    }
}

static void
test_definitions_that_lie_are_told(void)
{
    static const struct {
        unsigned place; /* from the object's start */
        uint32_t number;
        unsigned at;       /* the member that is told of */
        unsigned counters; /* that are read all the same */
        bool in_counter;   /* told of the first counter, not of the object */
        const char *words;
    } cases[] = {
        { 8, 63, 8, 2, false, "HeaderLength is 63, outside 64..144" },
        { 8, 145, 8, 2, false, "HeaderLength is 145, outside 64..144" },
        { 8, 144, 32, 0, false, "NumCounters is 2, but the object has only 0 definitions" },
        { 32, 5, 32, 2, false, "NumCounters is 5, but the object has only 2 definitions" },
        { 32, 0xFFFFFFFF, 32, 2, false, "NumCounters is 4294967295, but the object has only 2 definitions" },
        { 4, 143, 4, 2, false, "DefinitionLength is 143, but the counter definitions end at 144" },
        { 4, 63, 4, 2, false, "DefinitionLength is 63, outside 64..144: the rest cannot be found" },
        { 4, 145, 4, 2, false, "DefinitionLength is 145, outside 64..144" },
        { 40, 0xFFFFFFFC, 40, 2, false, "NumInstances is -4" },
        { 64, 39, 64, 1, true, "ByteLength is 39: outside 40..80; later definitions cannot be found" },
        { 64, 81, 64, 1, true, "ByteLength is 81: outside 40..80; later definitions cannot be found" },
        { 100, 3, 100, 2, true, "CounterOffset is 3, which is where the block's ByteLength is" },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        const struct perfdata_object *o;
        unsigned start;

        begin(false, 1);
        start = begin_object(2, 2, 0);
        add_counter(4, PERF_COUNTER_RAWCOUNT, 4, 4);
        add_counter(6, PERF_COUNTER_NODATA, 0, 0);
        end_object(start);
        CHECK(finish()->objects[0].problems == NULL, "nothing wrong");
        put(start + cases[i].place, cases[i].number, 4);
        o = &finish()->objects[0];
        CHECK(o->counters_read == cases[i].counters, "%s: %u counters", cases[i].words, o->counters_read);
        CHECK(tells_of(cases[i].in_counter ? o->counters[0].problems : o->problems, PERFDATA_BAD_LENGTH, cases[i].words,
                  start + cases[i].at, 4),
            "%s", cases[i].words);
    }
    /* Of the last definition nothing follows. */
    one_instance();
    put(96 + 64, 41, 4);
    CHECK_EQUAL(tells(finish()->objects[0].counters[0].problems, PERFDATA_BAD_LENGTH, ""), false,
        "41 bytes are possible");
    put(96 + 64, 7, 4);
    CHECK(tells(finish()->objects[0].counters[0].problems, PERFDATA_BAD_LENGTH, "ByteLength is 7: outside 40..80"),
        "7 are not");
    CHECK(!tells(finish()->objects[0].counters[0].problems, PERFDATA_BAD_LENGTH, "behind it"), "nothing is");
}

/* What is told of the first of two instances, or of their object; offsets are those of one_instance(). */
static void
test_instances_that_lie_are_told(void)
{
    static const struct {
        unsigned place;
        uint32_t number;
        unsigned at, size; /* the bytes that are told of */
        unsigned instances;
        bool in_object;
        const char *words;
    } cases[] = {
        { 40, 3, 40, 4, 2, true, "NumInstances is 3, but the object has only 2" },
        { 104, 23, 104, 4, 1, false, "PERF_INSTANCE_DEFINITION.ByteLength is 23: outside 24..80" },
        { 104, 81, 104, 4, 1, false, "PERF_INSTANCE_DEFINITION.ByteLength is 81: outside 24..80" },
        { 104, 23, 40, 4, 1, true, "only 1 of 2 instances can be found" },
        { 104, 77, 181, 3, 1, false, "no room for PERF_COUNTER_BLOCK" },
        { 104, 80, 184, 0, 1, false, "no room for PERF_COUNTER_BLOCK" },
        { 120, 23, 120, 4, 2, false, "NameOffset is 23: outside 24..32" },
        { 120, 33, 120, 4, 2, false, "NameOffset is 33: outside 24..32" },
        { 124, 9, 124, 4, 2, false, "NameLength is 9: only 8 bytes are left in it" },
        { 136, 3, 136, 4, 1, false, "PERF_COUNTER_BLOCK.ByteLength is 3: outside 4..48" },
        { 136, 49, 136, 4, 1, false, "PERF_COUNTER_BLOCK.ByteLength is 49: outside 4..48" },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        const unsigned start = one_instance();
        const struct perfdata_object *o;

        add_instance('b', 0, 0);
        add(8, 4);
        add(6, 4);
        end_object(start);
        put(start + 40, 2, 4);
        CHECK(finish()->objects[0].problems == NULL && finish()->objects[0].instances_read == 2, "nothing wrong");
        put(start + cases[i].place, cases[i].number, 4);
        o = &finish()->objects[0];
        CHECK(o->instances_read == cases[i].instances, "%s: %u instances", cases[i].words, o->instances_read);
        CHECK(tells_of(cases[i].in_object ? o->problems : o->instances[0].problems, PERFDATA_BAD_LENGTH, cases[i].words,
                  start + cases[i].at, cases[i].size),
            "%s", cases[i].words);
        /* Cut by the capture as well: what does not depend on the missing bytes is still told, nothing is said to be missing. */
        for (unsigned captured = 96 + 104; captured < out.size; captured++) {
            const struct perfdata_block *b = perfdata_block_read(scope, out.bytes, captured, out.size);

            CHECK(!tells(b->objects[0].problems, PERFDATA_BAD_LENGTH, "has only"), "%s: %u bytes captured",
                cases[i].words, captured);
        }
    }
    /* Names of a code page have one byte a character. */
    one_instance();
    put(96 + 44, 1252, 4);
    put(96 + 128, 0x63626100, 4);
    CHECK_EQUAL(finish()->objects[0].instances[0].name_size, 0, "terminated at once");
    put(96 + 128, 0x00636261, 4);
    CHECK_EQUAL(finish()->objects[0].instances[0].name_size, 3, "three letters");
    put(96 + 124, 0, 4);
    CHECK_EQUAL(finish()->objects[0].instances[0].name_start, 0, "no name");
}

/* Time and memory stay linear in the bytes: counters that share theirs can't be multiplied with instances without end. */
static void
test_shared_counters_cost_linear_time(void)
{
    for (unsigned instances = 47; instances <= 60; instances += 13) {
        const struct perfdata_block *b;
        unsigned start, room;

        begin(false, 2);
        start = begin_object(2, 100, (int32_t)instances);
        for (unsigned c = 0; c < 100; c++) {
            add_counter(4, PERF_COUNTER_RAWCOUNT, 4, 4);
        }
        for (unsigned i = 0; i < instances; i++) {
            add(24, 4);
            add(0, 20);
            add(4, 4);
        }
        end_object(start);
        start = begin_object(6, 100, PERF_NO_INSTANCES);
        for (unsigned c = 0; c < 100; c++) {
            add_counter(4, PERF_COUNTER_RAWCOUNT, 4, 4);
        }
        add(4, 4);
        end_object(start);
        b = finish();
        /* Half as many values as bytes. */
        room = out.size / 2 / 100;
        CHECK(b->objects[0].instances_read == MIN(instances, room), "%u of %u instances", b->objects[0].instances_read,
            instances);
        CHECK_EQUAL((instances > room),
            tells_of(b->objects[0].problems, PERFDATA_BAD_LENGTH, "all counters of all instances", 96 + 40, 4),
            "that is told");
        CHECK(b->objects[1].instances_read == 0 &&
                tells(b->objects[1].problems, PERFDATA_BAD_LENGTH, "instance 0 and later ones"),
            "nothing left for the second object");
    }
}

static void
test_header_that_lies_is_told(void)
{
    static const struct {
        unsigned place;
        uint32_t number;
        enum perfdata_problem_kind kind;
        unsigned at, size; /* the members that are told of */
        unsigned name_size;
        const char *words;
    } cases[] = {
        { 8, 0, PERFDATA_BYTE_ORDER, 8, 4, 4, "LittleEndian is 0, but the signature is in little-endian order" },
        { 12, 2, PERFDATA_VERSION, 12, 8, 4, "Version 2, Revision 1" },
        { 16, 0, PERFDATA_VERSION, 12, 8, 4, "Version 1, Revision 0" },
        { 24, 87, PERFDATA_BAD_LENGTH, 24, 4, 4, "HeaderLength is 87, outside 88..240" },
        { 24, 241, PERFDATA_SHORT_BLOCK, 24, 4, 4, "HeaderLength is 241, outside 88..240" },
        { 28, 2, PERFDATA_SHORT_BLOCK, 28, 4, 4, "NumObjectTypes is 2, but the block has only 1 objects" },
        { 80, 153, PERFDATA_BAD_LENGTH, 80, 8, 4,
            "SystemNameOffset 88 and SystemNameLength 153 are outside the value's 240 bytes" },
        { 84, 87, PERFDATA_BAD_LENGTH, 80, 8, 0, "SystemNameOffset 87 and" },
        { 84, 240, PERFDATA_BAD_LENGTH, 80, 8, 0, "SystemNameOffset 240 and" },
        { 84, 241, PERFDATA_BAD_LENGTH, 80, 8, 0, "SystemNameOffset 241 and" },
        { 96, 63, PERFDATA_BAD_LENGTH, 96, 4, 4, "TotalByteLength is 63: less than its 64 bytes" },
    };
    const struct perfdata_block *b;

    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        one_instance();
        put(20, out.size, 4);
        put(cases[i].place, cases[i].number, 4);
        b = perfdata_block_read(scope, out.bytes, out.size, out.size);
        CHECK(b->name_size == cases[i].name_size, "%s: name of %u bytes", cases[i].words, b->name_size);
        CHECK(tells_of(cases[i].place == 96 ? b->objects[0].problems : b->problems, cases[i].kind, cases[i].words,
                  cases[i].at, cases[i].size),
            "%s", cases[i].words);
        CHECK((cases[i].place == 24 || cases[i].place == 28 || cases[i].place == 96) == b->incomplete, "%s: no sample",
            cases[i].words);
    }
    one_instance();
    put(80, 0, 4);
    CHECK(finish()->name_start == 0 && finish()->problems == NULL, "no name is no lie");

    begin(true, 0);
    put(8, 1, 4);
    CHECK(tells(finish()->problems, PERFDATA_BYTE_ORDER, "LittleEndian is 1, but the signature is in big-endian order"),
        "big-endian");

    /* What stands where an object has no room is part of none. */
    begin(false, 0);
    put(28, 1, 4);
    add(0, 8);
    b = finish();
    CHECK(b->incomplete && b->objects_read == 0 && b->end == 96, "they end at %u", b->end);

    one_instance();
    for (unsigned size = 8; size < 88; size++) {
        b = perfdata_block_read(scope, out.bytes, size, size);
        CHECK(b->incomplete && tells_of(b->problems, PERFDATA_SHORT_BLOCK, "less than the 88", 0, size) &&
                b->objects_read == 0,
            "%u bytes", size);
    }
}

/* Two objects, of which the first or the block says how long it is. */
static void
test_objects_that_lie_are_told(void)
{
    const struct perfdata_block *b;
    unsigned first, second;

    for (unsigned lie = 0; lie < 4; lie++) {
        first = one_instance();
        put(28, 2, 4);
        second = begin_object(2, 0, 0); /* the same title index once more */
        end_object(second);
        b = finish();
        CHECK(b->problems == NULL, "nothing wrong");
        CHECK_EQUAL(b->objects_read, 2, "nothing wrong");
        CHECK(b->objects[1].problems == NULL, "nothing wrong");
        switch (lie) {
        case 0:
            put(first, 63, 4);
            b = finish();
            CHECK(b->objects_read == 1 &&
                    tells_of(b->problems, PERFDATA_BAD_LENGTH, "only 1 of 2 objects can be found", 28, 4),
                "too short an object");
            break;
        case 1:
            put(second, 65, 4);
            b = finish();
            CHECK(tells_of(b->objects[1].problems, PERFDATA_SHORT_BLOCK,
                      "TotalByteLength is 65, but the value ends after 64 bytes", second, 4) &&
                    b->incomplete,
                "too long an object");
            break;
        case 2:
            /* The server cut the block and filled it up. */
            memset(out.bytes + second, 0, 64);
            put(20, out.size + 64, 4);
            b = perfdata_block_read(scope, out.bytes, out.size, out.size);
            CHECK(b->incomplete, "zeros are no object");
            CHECK_EQUAL(b->objects_read, 1, "zeros are no object");
            CHECK_EQUAL(b->end, second, "zeros are no object");
            break;
        default:
            for (unsigned total = 0; total <= out.size; total += 8) {
                put(20, total, 4);
                b = perfdata_block_read(scope, out.bytes, out.size, out.size);
                CHECK(tells_of(b->problems, PERFDATA_BAD_LENGTH, "but its objects end at", 20, 4) ==
                        (total < out.size - 96),
                    "total of %u", total);
                b = perfdata_block_read(scope, out.bytes, out.size + 16, out.size + 16);
                /* 16 bytes less than the header is what Samba would make of these. */
                CHECK(tells(b->problems, PERFDATA_BAD_LENGTH, "but its objects end at") == (total < out.size),
                    "total of %u, 16 bytes more", total);
            }
            break;
        }
    }
    /* An object that has no more than its metadata, and one that has a counter block in spite of it. */
    begin(false, 1);
    first = begin_object(2, 1, PERF_METADATA_NO_INSTANCES);
    add_counter(4, PERF_COUNTER_RAWCOUNT, 4, 4);
    add(8, 4);
    add(5, 4);
    end_object(first);
    b = finish();
    CHECK(b->objects[0].instances_read == 1 && b->objects[0].problems == NULL, "a counter block");
}

static void
test_lengths_of_the_whole(void)
{
    const struct perfdata_block *b;

    one_instance();
    put(20, out.size - 96, 4);
    b = perfdata_block_read(scope, out.bytes, out.size, out.size);
    CHECK(tells_of(b->problems, PERFDATA_HEADER_LEFT_OUT, "the header is not counted", 20, 4) && !b->incomplete,
        "as Samba counts");

    one_instance();
    put(20, out.size + 8, 4);
    b = perfdata_block_read(scope, out.bytes, out.size, out.size);
    CHECK(tells_of(b->problems, PERFDATA_SHORT_BLOCK, "the server truncated it", 20, 4) && b->incomplete,
        "cut by the server");

    one_instance();
    put(20, out.size, 4);
    b = perfdata_block_read(scope, out.bytes, out.size + 16, out.size + 16);
    CHECK(tells_of(b->problems, PERFDATA_TRAILING_BYTES, "16 bytes follow", out.size, 16) && b->end == out.size,
        "bytes behind the block");

    /* The capture has less than there was: nobody is to blame. */
    for (unsigned captured = 8; captured < out.size; captured++) {
        b = perfdata_block_read(scope, out.bytes, captured, out.size);
        CHECK(b->cut_by_capture && b->problems == NULL, "%u bytes captured", captured);
    }
}

/* An object of two instances whose counter blocks say so many bytes and hold 24, with these counters. */
static const struct perfdata_object *
two_blocks(uint32_t first_type, uint32_t first_offset, uint32_t second_offset, uint32_t says)
{
    unsigned start;

    begin(false, 1);
    start = begin_object(230, 2, 2);
    add_counter(2, first_type, first_type == PERF_COUNTER_RAWCOUNT ? 4 : 8, first_offset);
    add_counter(4, PERF_COUNTER_RAWCOUNT, 4, second_offset);
    for (unsigned i = 0; i < 2; i++) {
        add_instance((char)('a' + i), 0, 0);
        add(i == 0 ? 24 : says, 4);
        add(1, 4);
        add(2, 8);
        add(3, 8);
    }
    end_object(start);
    return &finish()->objects[0];
}

/* The last counter block may say less than it holds, but no more than there is. */
static void
test_last_block_is_stretched_to_what_there_is(void)
{
    const struct perfdata_object *o = two_blocks(PERF_COUNTER_RAWCOUNT, 4, 20, 8);
    uint64_t value;

    CHECK(o->instances[1].block_size == 24 &&
            tells_of(o->instances[1].problems, PERFDATA_SHORT_COUNTER_BLOCK, "", o->instances[1].block_offset, 4),
        "stretched to %u", o->instances[1].block_size);
    o = two_blocks(PERF_COUNTER_RAWCOUNT, 4, 21, 8);
    CHECK(o->instances[1].block_size == 8 && o->instances[1].problems == NULL, "%u: no room for the other",
        o->instances[1].block_size);
    o = two_blocks(PERF_COUNTER_RAWCOUNT, 4, 1000, 8);
    CHECK(o->instances[1].block_size == 8 && o->instances[1].problems == NULL, "%u: far away",
        o->instances[1].block_size);
    /* The second number of a multi counter belongs to it. */
    o = two_blocks(PERF_COUNTER_MULTI_TIMER, 8, 4, 16);
    CHECK(o->instances[1].block_size == 20, "stretched to %u", o->instances[1].block_size);
    o = two_blocks(PERF_COUNTER_RAWCOUNT, 0, 4, 24);
    CHECK(!perfdata_block_number(perfdata_block_read(scope, out.bytes, out.size, out.size), &o->instances[0],
              &o->counters[0], &value),
        "a value within ByteLength itself");
    o = two_blocks(PERF_COUNTER_RAWCOUNT, 4, 8, 2);
    CHECK(o->instances[1].block_size == 4, "%u: its own ByteLength at least", o->instances[1].block_size);
}

/* A block that another instance follows ends where it says. */
static void
test_block_between_ends_where_it_says(void)
{
    const struct perfdata_object *o;
    unsigned start;

    begin(false, 1);
    start = begin_object(230, 1, 2);
    add_counter(2, PERF_COUNTER_LARGE_RAWCOUNT, 8, 8);
    add_instance('a', 0, 0);
    add(8, 4);
    add(1, 4);
    add_instance('b', 0, 0);
    add(16, 4);
    add(0, 4);
    add(2, 8);
    end_object(start);
    o = &finish()->objects[0];
    CHECK(o->instances_read == 2 && o->instances[0].block_size == 8 && o->instances[0].problems == NULL, "%u bytes",
        o->instances[0].block_size);
}

/* Two objects of one index: parents are the first's. One that says more, or less, than can be takes what is left. */
static void
test_parents_are_of_the_first_object_of_an_index(void)
{
    const struct perfdata_block *b;
    const struct perfdata_object *parent;
    unsigned starts[3];

    begin(false, 3);
    for (unsigned i = 0; i < 3; i++) {
        starts[i] = begin_object(i < 2 ? 230 : 232, 0, i == 0 ? 2 : 1);
        for (unsigned n = 0; n < (i == 0 ? 2u : 1u); n++) {
            add_instance((char)('a' + i), i == 2 ? 230 : 0, 1);
            add(8, 4);
            add(0, 4);
        }
        end_object(starts[i]);
    }
    b = finish();
    CHECK(b->objects_read == 3 && b->problems == NULL, "three objects");
    CHECK(perfdata_block_parent(b, &b->objects[2].instances[0], &parent) == &b->objects[0].instances[1] &&
            parent == &b->objects[0],
        "the first's");
    put(starts[2] + 64 + 8, 2, 4);
    b = finish();
    CHECK(perfdata_block_parent(b, &b->objects[2].instances[0], &parent) == NULL, "there are two, not three");
    put(starts[2], 5000, 4);
    b = finish();
    CHECK(b->objects[2].size == out.size - starts[2] && b->objects[2].instances_read == 1, "%u bytes",
        b->objects[2].size);
    put(starts[2], 63, 4);
    b = finish();
    CHECK(b->objects[2].size == out.size - starts[2] && b->objects[2].instances_read == 1, "%u bytes",
        b->objects[2].size);
}

static bool
has_header(void)
{
    return perfdata_has_header(out.bytes, out.size, out.size);
}

/* What may be taken for a block: numbers that can be true. */
static void
test_block_is_recognised_by_numbers_that_can_be_true(bool big_endian)
{
    static const struct {
        unsigned at, size;
        uint64_t value;
        bool is_header;
    } cases[] = {
        { 12, 4, 0, false }, /* Version */
        { 12, 4, 2, false },
        { 16, 4, 0, false }, /* Revision */
        { 16, 4, 2, false },
        { 24, 4, 87, false }, /* HeaderLength: of all members, of the name behind them, of the value */
        { 24, 4, 93, false },
        { 24, 4, 94, true },
        { 24, 4, 97, false },
        { 80, 4, 8, true }, /* SystemNameLength */
        { 80, 4, 9, false },
        { 84, 4, 87, false }, /* SystemNameOffset */
        { 84, 4, 90, true },
        { 84, 4, 91, false },
        { 84, 4, 97, false },
        { 38, 2, 0, false }, /* SystemTime: month, day, hour */
        { 38, 2, 1, true },
        { 38, 2, 13, false },
        { 42, 2, 0, false },
        { 42, 2, 1, true },
        { 42, 2, 32, false },
        { 44, 2, 0, true },
        { 44, 2, 24, false },
        { 64, 8, 0, false }, /* PerfFreq */
        { 64, 8, 1, true },
    };
    const struct perfdata_block *b;

    begin(big_endian, 0);
    put(20, out.size, 4);
    put(36, 2020, 2);
    put(38, 12, 2);
    put(42, 31, 2);
    put(44, 23, 2);
    CHECK(has_header(), "a block");
    out.bytes[3] ^= 1;
    CHECK(!has_header(), "no signature");
    out.bytes[3] ^= 1;
    put(84, 1000, 4);
    put(80, 0, 4);
    CHECK(has_header(), "no name is nowhere");
    put(24, 87, 4);
    CHECK(!has_header(), "too short for its members");
    put(24, out.size, 4);
    put(80, 6, 4);
    put(84, 88, 4);
    put(8, big_endian, 4);
    CHECK(!has_header(), "LittleEndian, and PERF says otherwise");
    put(8, !big_endian, 4);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t before[8];

        memcpy(before, out.bytes + cases[i].at, sizeof before);
        put(cases[i].at, cases[i].value, cases[i].size);
        CHECK(has_header() == cases[i].is_header, "%u at %u", (unsigned)cases[i].value, cases[i].at);
        memcpy(out.bytes + cases[i].at, before, sizeof before);
    }
    b = perfdata_block_read(scope, out.bytes, out.size, out.size);
    CHECK_EQUAL(perfdata_block_text_size(b, 88, 3, 2), 2, "whole characters up to a terminator");
    CHECK_EQUAL(perfdata_block_text_size(b, 88, 8, 2), 4, "whole characters up to a terminator");
    CHECK_EQUAL(perfdata_block_text_size(b, 88, 3, 1), !big_endian, "whole characters up to a terminator");
}

int
main(void)
{
    wmem_init();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    test_byte_order_is_told_by_the_block();
    test_header_is_read_in_both_byte_orders(false);
    test_header_is_read_in_both_byte_orders(true);
    test_values_are_read_in_both_byte_orders(false);
    test_values_are_read_in_both_byte_orders(true);
    test_base_counter_is_the_next_one();
    test_no_instances_now();
    test_parent_instance_is_found();
    test_wrong_number_anywhere_is_told();
    test_counter_size_and_type_say_how_bytes_are_read();
    test_second_number_is_the_other_four_bytes();
    test_definitions_that_lie_are_told();
    test_instances_that_lie_are_told();
    test_shared_counters_cost_linear_time();
    test_header_that_lies_is_told();
    test_objects_that_lie_are_told();
    test_lengths_of_the_whole();
    test_last_block_is_stretched_to_what_there_is();
    test_block_between_ends_where_it_says();
    test_parents_are_of_the_first_object_of_an_index();
    test_block_is_recognised_by_numbers_that_can_be_true(false);
    test_block_is_recognised_by_numbers_that_can_be_true(true);
    wmem_destroy_allocator(scope);
    wmem_cleanup();
    return check_result();
}
