/* perfdata-build.h
 * Makes blocks of performance data, winperf.h, for unit tests
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_PERFDATA_BUILD_H
#define PERFLIB_TESTS_UNIT_PERFDATA_BUILD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cook/counter-types.h"

/* A block under construction. */
static struct {
    uint8_t bytes[16384];
    unsigned size;
    bool big_endian;
} out;

static inline void
put(unsigned offset, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        out.bytes[offset + (out.big_endian ? size - 1 - i : i)] = (uint8_t)(value >> 8 * i);
    }
}

static inline void
add(uint64_t value, unsigned size)
{
    put(out.size, value, size);
    out.size += size;
}

/* Header and "PC"; the lengths are filled in by finish(). */
static inline void
begin(bool big_endian, uint32_t num_objects)
{
    memset(&out, 0, sizeof out);
    out.big_endian = big_endian;
    for (unsigned i = 0; i < 4; i++) {
        add((uint64_t) "PERF"[i], 2);
    }
    add(!big_endian, 4); /* LittleEndian */
    add(1, 4);           /* Version */
    add(1, 4);           /* Revision */
    add(0, 4);           /* TotalByteLength */
    add(96, 4);          /* HeaderLength */
    add(num_objects, 4);
    add(UINT32_MAX, 4); /* DefaultObject: none */
    for (unsigned i = 0; i < 8; i++) {
        add(2020 + i, 2); /* SystemTime */
    }
    add(0xEEEEEEEE, 4);         /* padding */
    add(0x1111111122222222, 8); /* PerfTime */
    add(10000000, 8);           /* PerfFreq */
    add(0x3333333344444444, 8); /* PerfTime100nSec */
    add(6, 4);                  /* SystemNameLength */
    add(88, 4);                 /* SystemNameOffset */
    add('P', 2);
    add('C', 2);
    add(0, 4); /* terminator and padding */
}

/* An object without its counters and instances; end_object() knows its length. */
static inline unsigned
begin_object(uint32_t index, uint32_t num_counters, int32_t num_instances)
{
    const unsigned start = out.size;

    add(0, 4);                      /* TotalByteLength */
    add(64 + 40 * num_counters, 4); /* DefinitionLength */
    add(64, 4);                     /* HeaderLength */
    add(index, 4);
    add(0, 4);
    add(index + 1, 4);
    add(0, 4);
    add(100, 4); /* DetailLevel */
    add(num_counters, 4);
    add(UINT32_MAX, 4); /* DefaultCounter */
    add((uint32_t)num_instances, 4);
    add(0, 4);   /* CodePage */
    add(555, 8); /* PerfTime */
    add(777, 8); /* PerfFreq */
    return start;
}

static inline void
end_object(unsigned start)
{
    put(start, out.size - start, 4);
}

static inline void
add_counter(uint32_t index, uint32_t type, uint32_t size, uint32_t offset)
{
    add(40, 4);
    add(index, 4);
    add(0, 4);
    add(index + 1, 4);
    add(0, 4);
    add((uint32_t)-2, 4); /* DefaultScale */
    add(200, 4);
    add(type, 4);
    add(size, 4);
    add(offset, 4);
}

static inline void
add_instance(char letter, uint32_t parent, uint32_t parent_instance)
{
    add(32, 4);
    add(parent, 4);
    add(parent_instance, 4);
    add(UINT32_MAX, 4); /* UniqueID: none */
    add(24, 4);
    add(4, 4);
    add((uint64_t)letter, 2);
    add(0, 6);
}

#endif /* PERFLIB_TESTS_UNIT_PERFDATA_BUILD_H */
