/* build.h
 * Makes buffers of lpData, [MS-PCQ] 2.2.4, for unit tests
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_BUILD_H
#define PERFLIB_TESTS_UNIT_BUILD_H

#include <stdint.h>
#include <string.h>

#ifndef BUILD_SIZE
#define BUILD_SIZE 4096
#endif

/* A buffer under construction. */
static struct {
    uint8_t bytes[BUILD_SIZE];
    unsigned size;
} out;

static inline void
add(uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        out.bytes[out.size++] = (uint8_t)(i < 8 ? value >> 8 * i : 0);
    }
}

static inline void
add_u32s(const uint32_t *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        add(values[i], 4);
    }
}
#define ADD(...) add_u32s((const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

/* A string with its terminator, then zeros up to a multiple of boundary. */
static inline void
add_text(const char *text, unsigned boundary)
{
    for (const char *c = text; *c != '\0'; c++) {
        add((uint8_t)*c, 2);
    }
    add(0, 2);
    while (out.size % boundary != 0) {
        add(0, 2);
    }
}

static inline void
begin(void)
{
    memset(&out, 0, sizeof out);
}

/* 2.2.4.5; "a" leaves 4 bytes of padding, "abc" none. */
static inline void
add_instance(const char *name, uint32_t id)
{
    const unsigned size = 8 + ((unsigned)strlen(name) + 1) * 2;

    ADD((size + 7) & ~7u, id);
    add_text(name, 8);
}

/* 2.2.4.9: data of 4 bytes takes 16 with its padding. */
static inline void
add_value(uint64_t value, unsigned size)
{
    ADD(size, 16);
    add(value, size);
    add(0, 8 - size);
}

static inline unsigned
begin_block(uint32_t type, uint32_t status)
{
    const unsigned at = out.size;

    ADD(status, type, 0, 0);
    return at;
}

static inline void
end_block(unsigned at)
{
    const unsigned size = out.size - at;

    out.bytes[at + 8] = (uint8_t)size;
    out.bytes[at + 9] = (uint8_t)(size >> 8);
}

/* 2.2.4.7; end_data() fills in its size. */
static inline void
begin_data(unsigned num_blocks, uint64_t perf_time, uint64_t time_100ns)
{
    begin();
    ADD(0, num_blocks);
    add(perf_time, 8);
    add(time_100ns, 8);
    add(10000000, 8);
    add(0, 16);
}

static inline void
end_data(void)
{
    out.bytes[0] = (uint8_t)out.size;
    out.bytes[1] = (uint8_t)(out.size >> 8);
}

/*
 * 2.2.4.8, of the type that what it holds has: ids NULL: one counter; names NULL: one instance, else theirs, with their
 * first letters as ids. values: instance by instance, of so many bytes.
 */
static inline void
add_block(unsigned num_ids, const uint32_t *ids, unsigned num_names, const char *const *names, const uint64_t *values,
    unsigned size)
{
    /* PERF_MULTIPLE_COUNTERS and PERF_MULTIPLE_INSTANCES act as bits, PERF_SINGLE_COUNTER is neither. */
    const uint32_t type = (ids != NULL ? 2u : 0) | (names != NULL ? 4u : 0);
    const unsigned at = begin_block(type == 0 ? 1 : type, 0);
    const unsigned columns = ids != NULL ? num_ids : 1, rows = names != NULL ? num_names : 1;
    unsigned instances;

    if (ids != NULL) {
        ADD((8 + 4 * num_ids + 7) & ~7u, num_ids);
        add_u32s(ids, num_ids);
        add(0, num_ids % 2 * 4);
    }
    instances = out.size;
    if (names != NULL) {
        ADD(0, num_names);
    }
    for (unsigned row = 0; row < rows; row++) {
        if (names != NULL) {
            add_instance(names[row], (uint8_t)names[row][0]);
        }
        for (unsigned column = 0; column < columns; column++) {
            add_value(*values++, size);
        }
    }
    if (names != NULL) {
        out.bytes[instances] = (uint8_t)(out.size - instances);
        out.bytes[instances + 1] = (uint8_t)((out.size - instances) >> 8);
    }
    end_block(at);
}

/* 2.2.4.6, of a counterset whose GUID is a number; without a name where that is empty. */
static inline void
add_counter_identifier(uint32_t set, uint32_t counter, uint32_t instance, const char *name, uint32_t status,
    uint32_t index)
{
    const unsigned size = name[0] == '\0' ? 40 : (40 + ((unsigned)strlen(name) + 1) * 2 + 7) & ~7u;

    ADD(set, 0, 0, 0, status, size, counter, instance, index, 0);
    if (name[0] != '\0') {
        add_text(name, 8);
    }
}

#endif /* PERFLIB_TESTS_UNIT_BUILD_H */
