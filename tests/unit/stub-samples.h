/* stub-samples.h
 * Stubs under construction, and checks of how much sense they make, for unit tests
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_STUB_SAMPLES_H
#define PERFLIB_TESTS_UNIT_STUB_SAMPLES_H

#include <string.h>

#include "check.h"
#include "perflibv2/pdu.h"

/* What a search among some thousand places needs. */
#define ENOUGH 31

/* Before a stub there is something else. */
static uint8_t room[4 + 256];
static uint8_t *const bytes = room + 4;
static struct stub_sample sample;

static inline void
begin(unsigned opnum, bool is_response)
{
    memset(room, 0, sizeof room);
    memset(room, 0xff, 4);
    sample = (struct stub_sample){
        .opnum = opnum,
        .is_response = is_response,
        .is_first = true,
        .is_last = true,
        .is_little_endian = true,
    };
}

static inline void
put_bytes(const void *from, unsigned size)
{
    memcpy(bytes + sample.length, from, size);
    sample.length += size;
}

static inline void
put(uint32_t value)
{
    for (unsigned i = 0; i < 4; i++) {
        bytes[sample.length + (sample.is_little_endian ? i : 3 - i)] = (uint8_t)(value >> 8 * i);
    }
    sample.length += 4;
}

static inline void
put_all(const uint32_t *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        put(values[i]);
    }
}
#define PUT(...) put_all((const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

/* A stub that begins with these numbers. */
#define BEGIN_WITH(opnum, is_response, ...) \
    do { \
        begin(opnum, is_response); \
        PUT(__VA_ARGS__); \
    } while (0)

/* A count of an array: NDR64 has 8 bytes. */
static inline void
put_count(uint32_t value)
{
    if (!sample.is_ndr64) {
        put(value);
        return;
    }
    sample.length = (sample.length + 7) & ~7u;
    put(sample.is_little_endian ? value : 0);
    put(sample.is_little_endian ? 0 : value);
}

static inline void
put_handle(void)
{
    static const uint8_t uuid[16] = { 0xd0, 0x8d, 0x61, 0x5b, 0x5c, 0x02, 0x3f, 0x4f, 0x9b, 0x44, 0x2b, 0x71, 0x9c,
        0x0e, 1, 2 };

    put(0);
    put_bytes(uuid, sizeof uuid);
}

/* The sizes of an answer's lpData of `size` bytes, all of them needed; the client has room for 4096. */
static inline void
put_lpdata_sizes(uint32_t size)
{
    PUT(size, size);
    put_count(4096);
    put_count(0);
    put_count(size);
}

/* A call on a key, up to the header of a name, [MS-RRP] 3.1.5. */
static inline void
begin_on_key(unsigned opnum)
{
    begin(opnum, false);
    put_handle();
    PUT(0x000e000e, 0x00020000);
}

/* A string of length wide characters with its terminator, padded. */
static inline void
put_string(unsigned length)
{
    put_count(length);
    put_count(0);
    put_count(length);
    sample.length += (length * 2 + 3) & ~3u;
}

static inline void
finish(void)
{
    sample.head = bytes;
    sample.head_length = MIN(sample.length, STUB_CHECK_HEAD);
    sample.tail_length = MIN(sample.length, STUB_CHECK_TAIL);
    sample.tail = bytes + sample.length - sample.tail_length;
}

static inline void
check_sense(stub_check check, const char *what, int least)
{
    int sense;

    finish();
    sense = check(&sample);
    CHECK(sense >= least, "%s: %d bits", what, sense);
}

static inline void
check_nonsense(stub_check check, const char *what)
{
    int sense;

    finish();
    sense = check(&sample);
    CHECK(sense == STUB_NONSENSE, "%s: %d bits", what, sense);
}

static inline void
check_bits(stub_check check, int bits, const char *what, unsigned number)
{
    int sense;

    finish();
    sense = check(&sample);
    CHECK(sense == bits, "%s %u: %d bits, not %d", what, number, sense, bits);
}

/* What each operation's stubs hold: [MS-PCQ] 3.1.4.1.1 to 3.1.4.1.8. */
static const struct operation operations[NUM_OPS] = {
    { .request = P_MACHINE | P_IN_SIZE, .response = P_OUT_SIZES | P_VARYING, .element = 16 },
    { .request = P_MACHINE | P_COUNTERSET | P_REQUEST_CODE | P_IN_SIZE,
        .response = P_OUT_SIZES | P_VARYING,
        .element = 1 },
    { .request = P_MACHINE | P_COUNTERSET | P_IN_SIZE, .response = P_OUT_SIZES | P_VARYING, .element = 1 },
    { .request = P_MACHINE, .response = P_HANDLE, .effect = OPENS_QUERY },
    { .request = P_HANDLE, .response = P_HANDLE, .effect = CLOSES_QUERY },
    { .request = P_HANDLE | P_IN_SIZE, .response = P_OUT_SIZES | P_VARYING, .element = 1 },
    { .request = P_HANDLE | P_IN_SIZE, .response = P_OUT_SIZES | P_VARYING, .element = 1 },
    { .request = P_HANDLE | P_IN_SIZE | P_CONFORMANT | P_ADD, .response = P_CONFORMANT, .element = 1 },
};

/* A stub of no operation is nobody's. */
static inline int
sense_of_perflibv2(const struct stub_sample *of)
{
    return of->opnum < NUM_OPS ? perflibv2_sense(of, &operations[of->opnum]) : 0;
}

#endif /* PERFLIB_TESTS_UNIT_STUB_SAMPLES_H */
