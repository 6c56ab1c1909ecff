/* build.h
 * Makes buffers of lpData, [MS-PCQ] 2.2.4, for unit tests
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_BUILD_H
#define PERFLIB_TESTS_UNIT_BUILD_H

#include <stdint.h>
#include <string.h>

/* A buffer under construction. */
static struct {
    uint8_t bytes[4096];
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

#endif /* PERFLIB_TESTS_UNIT_BUILD_H */
