/* test_perfdata_block.c
 * Reading PERF_DATA_BLOCK: every structure at the offsets of winperf.h, and what can't be true
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "check.h"
#include "perfdata-block.h"

#define PERF_COUNTER_RAWCOUNT       0x00010000u
#define PERF_COUNTER_LARGE_RAWCOUNT 0x00010100u
#define PERF_RAW_FRACTION           0x20020400u
#define PERF_RAW_BASE               0x40030403u
#define PERF_PRECISION_100NS_TIMER  0x20570500u
#define PERF_COUNTER_MULTI_TIMER    0x22410500u
#define PERF_COUNTER_NODATA         0x40000200u
#define PERF_COUNTER_TEXT           0x00000B00u

/* A block under construction. */
static struct {
    uint8_t bytes[4096];
    unsigned size;
    bool big_endian;
} out;

static wmem_allocator_t *scope;

static void
put(unsigned offset, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        out.bytes[offset + (out.big_endian ? size - 1 - i : i)] = (uint8_t)(value >> 8 * i);
    }
}

static void
add(uint64_t value, unsigned size)
{
    put(out.size, value, size);
    out.size += size;
}

/* Header and "PC"; the lengths are filled in by finish(). */
static void
begin(bool big_endian, uint32_t num_objects)
{
    memset(&out, 0, sizeof out);
    out.big_endian = big_endian;
    for (unsigned i = 0; i < 4; i++) {
        add((uint64_t)"PERF"[i], 2);
    }
    add(!big_endian, 4);                /* LittleEndian */
    add(1, 4);                          /* Version */
    add(1, 4);                          /* Revision */
    add(0, 4);                          /* TotalByteLength */
    add(96, 4);                         /* HeaderLength */
    add(num_objects, 4);
    add(UINT32_MAX, 4);                 /* DefaultObject: none */
    for (unsigned i = 0; i < 8; i++) {
        add(2020 + i, 2);               /* SystemTime */
    }
    add(0xEEEEEEEE, 4);                 /* padding */
    add(0x1111111122222222, 8);         /* PerfTime */
    add(10000000, 8);                   /* PerfFreq */
    add(0x3333333344444444, 8);         /* PerfTime100nSec */
    add(6, 4);                          /* SystemNameLength */
    add(88, 4);                         /* SystemNameOffset */
    add('P', 2);
    add('C', 2);
    add(0, 4);                          /* terminator and padding */
}

/* An object without its counters and instances; end_object() knows its length. */
static unsigned
begin_object(uint32_t index, uint32_t num_counters, int32_t num_instances)
{
    const unsigned start = out.size;

    add(0, 4);                          /* TotalByteLength */
    add(64 + 40 * num_counters, 4);     /* DefinitionLength */
    add(64, 4);                         /* HeaderLength */
    add(index, 4);
    add(0, 4);
    add(index + 1, 4);
    add(0, 4);
    add(100, 4);                        /* DetailLevel */
    add(num_counters, 4);
    add(UINT32_MAX, 4);                 /* DefaultCounter */
    add((uint32_t)num_instances, 4);
    add(0, 4);                          /* CodePage */
    add(555, 8);                        /* PerfTime */
    add(777, 8);                        /* PerfFreq */
    return start;
}

static void
end_object(unsigned start)
{
    put(start, out.size - start, 4);
}

static void
add_counter(uint32_t index, uint32_t type, uint32_t size, uint32_t offset)
{
    add(40, 4);
    add(index, 4);
    add(0, 4);
    add(index + 1, 4);
    add(0, 4);
    add((uint32_t)-2, 4);               /* DefaultScale */
    add(200, 4);
    add(type, 4);
    add(size, 4);
    add(offset, 4);
}

static void
add_instance(char letter, uint32_t parent, uint32_t parent_instance)
{
    add(32, 4);
    add(parent, 4);
    add(parent_instance, 4);
    add(UINT32_MAX, 4);                 /* UniqueID: none */
    add(24, 4);
    add(4, 4);
    add((uint64_t)letter, 2);
    add(0, 6);
}

static const struct perfdata_block *
finish(void)
{
    put(20, out.size, 4);
    return perfdata_block_read(scope, out.bytes, out.size, out.size);
}

static unsigned
count_problems(const struct perfdata_problem *problem, enum perfdata_problem_kind kind)
{
    unsigned count = 0;

    for (; problem != NULL; problem = problem->next) {
        count += problem->kind == kind;
    }
    return count;
}

static void
test_signature(void)
{
    begin(false, 0);
    CHECK(perfdata_has_signature(out.bytes, 8), "little-endian");
    CHECK(!perfdata_has_signature(out.bytes, 7), "seven bytes");
    CHECK(perfdata_block_read(scope, out.bytes, 7, 7) == NULL, "no block");
    begin(true, 0);
    CHECK(perfdata_has_signature(out.bytes, 8), "big-endian");
}

static void
test_header(bool big_endian)
{
    const struct perfdata_block *b;

    begin(big_endian, 0);
    b = finish();
    CHECK(b->big_endian == big_endian && count_problems(b->problems, PERFDATA_BIG_ENDIAN) == big_endian, "byte order");
    CHECK(big_endian || b->problems == NULL, "nothing else to tell");
    CHECK(b->total_byte_length == 96 && b->header_length == 96 && b->end == 96, "lengths");
    CHECK(b->default_object == -1 && b->version == 1 && b->revision == 1, "numbers");
    CHECK(b->system_time[0] == 2020 && b->system_time[7] == 2027, "SystemTime");
    /* 4 bytes of padding stand between SystemTime and PerfTime. */
    CHECK(b->perf_time == 0x1111111122222222 && b->perf_freq == 10000000 && b->perf_time_100ns == 0x3333333344444444, "clocks");
    CHECK(b->name_start == 88 && b->name_size == 4, "system name");
    CHECK(!b->incomplete && b->objects_read == 0, "no objects");
}

static void
test_values(bool big_endian)
{
    const struct perfdata_block *b;
    const struct perfdata_object *o;
    unsigned start;
    uint64_t value = 0;

    begin(big_endian, 1);
    start = begin_object(230, 5, 2);
    add_counter(2, PERF_COUNTER_LARGE_RAWCOUNT, 8, 4);      /* 8 bytes at 4: not aligned */
    add_counter(4, PERF_COUNTER_RAWCOUNT, 4, 12);
    add_counter(6, PERF_COUNTER_RAWCOUNT, 8, 16);           /* as a 64-bit Samba does */
    add_counter(8, PERF_COUNTER_LARGE_RAWCOUNT, 8, 12);     /* shares its bytes with the two before */
    add_counter(10, PERF_COUNTER_NODATA, 0, 0);
    for (unsigned i = 0; i < 2; i++) {
        add_instance((char)('a' + i), 0, 0);
        add(24, 4);                     /* ByteLength */
        add(0x0102030405060708 + i, 8);
        add(9, 4);
        add(0xAAAAAAAA00000007, 8);
    }
    end_object(start);
    b = finish();
    CHECK(big_endian || b->problems == NULL, "nothing to tell");
    CHECK(b->objects_read == 1 && b->end == b->size, "whole block");
    o = &b->objects[0];
    CHECK(o->problems == NULL && o->counters_read == 5 && o->instances_read == 2, "whole object");
    CHECK(o->perf_time == 555 && o->perf_freq == 777, "the object's clock");
    CHECK(o->counters[0].default_scale == -2 && o->counters[0].detail_level == 200, "definition");
    CHECK(perfdata_block_number(b, &o->instances[0], &o->counters[0], &value) && value == 0x0102030405060708, "unaligned");
    CHECK(perfdata_block_number(b, &o->instances[1], &o->counters[0], &value) && value == 0x0102030405060709, "second instance");
    CHECK(perfdata_block_number(b, &o->instances[0], &o->counters[1], &value) && value == 9, "DWORD");
    CHECK(perfdata_block_number(b, &o->instances[0], &o->counters[2], &value) && value == 7, "the low half of 8 bytes");
    CHECK(count_problems(o->counters[2].problems, PERFDATA_WIDE_DWORD) == 1, "that is told");
    CHECK(perfdata_block_number(b, &o->instances[0], &o->counters[3], &value), "shared bytes");
    CHECK(!perfdata_block_number(b, &o->instances[0], &o->counters[4], &value), "no data, no number");
    CHECK(o->instances[1].name_size == 2 && o->instances[1].unique_id == -1, "instance");
}

/* "Has a base" by (type & 0x30000) == 0x30000, as Microsoft's sample tests, holds for precision timers too. */
static void
test_bases(void)
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
    add(99, 8);                         /* the multi counter's second number */
    end_object(start);
    b = finish();
    CHECK(b->objects[0].instances_read == 1, "one block");
    CHECK(perfdata_object_base(&b->objects[0], 0) == 1, "the next counter");
    CHECK(perfdata_object_base(&b->objects[0], 1) == -1, "a base has none");
    CHECK(perfdata_object_base(&b->objects[0], 2) == -1, "a precision timer is none");
    CHECK(perfdata_object_base(&b->objects[0], 4) == -1, "none at the end");
    CHECK(perfdata_block_multi(b, &b->objects[0].instances[0], &b->objects[0].counters[4], &value) && value == 99, "second number");
    CHECK(!perfdata_block_multi(b, &b->objects[0].instances[0], &b->objects[0].counters[3], &value), "not of other types");
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
    CHECK(b->objects_read == 4 && b->problems == NULL && b->end == b->size, "four objects");
    CHECK(b->objects[0].instances_read == 0 && b->objects[1].instances_read == 1, "none now, one block");
    CHECK(b->objects[2].instances_read == 0 && b->objects[3].instances_read == 0, "metadata");
    for (unsigned o = 0; o < 4; o++) {
        CHECK(b->objects[o].problems == NULL && b->objects[o].counters_read == 1, "object %u", o);
    }
}

static void
test_parents(void)
{
    const struct perfdata_object *object = NULL;
    const struct perfdata_block *b;
    unsigned start;

    begin(false, 2);
    /* The children stand first. */
    start = begin_object(232, 0, 3);
    for (unsigned i = 0; i < 3; i++) {
        add_instance('t', i == 2 ? 999 : 230, i == 1 ? 7 : 1);
        add(8, 8);
    }
    end_object(start);
    start = begin_object(230, 0, 2);
    for (unsigned i = 0; i < 2; i++) {
        add_instance((char)('p' + i), 0, 0);
        add(8, 8);
    }
    end_object(start);
    b = finish();
    CHECK(perfdata_block_parent(b, &b->objects[0].instances[0], &object) == &b->objects[1].instances[1] && object == &b->objects[1], "parent");
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
test_lies(void)
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
                continue;               /* the truth */
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

static void
test_lengths_of_the_whole(void)
{
    const struct perfdata_block *b;

    one_instance();
    put(20, out.size - 96, 4);
    b = perfdata_block_read(scope, out.bytes, out.size, out.size);
    CHECK(count_problems(b->problems, PERFDATA_HEADER_LEFT_OUT) == 1 && !b->incomplete, "as Samba counts");

    one_instance();
    put(20, out.size + 8, 4);
    b = perfdata_block_read(scope, out.bytes, out.size, out.size);
    CHECK(count_problems(b->problems, PERFDATA_SHORT_BLOCK) == 1 && b->incomplete, "cut by the server");

    one_instance();
    put(20, out.size, 4);
    b = perfdata_block_read(scope, out.bytes, out.size + 16, out.size + 16);
    CHECK(count_problems(b->problems, PERFDATA_TRAILING_BYTES) == 1 && b->end + 16 == b->size, "bytes behind the block");

    /* The capture has less than there was: nobody is to blame. */
    for (unsigned captured = 8; captured < out.size; captured++) {
        b = perfdata_block_read(scope, out.bytes, captured, out.size);
        CHECK(b->cut_by_capture && b->problems == NULL, "%u bytes captured", captured);
    }
}

int
main(void)
{
    wmem_init();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    test_signature();
    test_header(false);
    test_header(true);
    test_values(false);
    test_values(true);
    test_bases();
    test_no_instances_now();
    test_parents();
    test_lies();
    test_lengths_of_the_whole();
    wmem_destroy_allocator(scope);
    wmem_cleanup();
    return check_result();
}
