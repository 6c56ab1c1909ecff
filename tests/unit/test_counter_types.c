/* test_counter_types.c
 * Names, numbers and bit fields of counter types, [MS-PCQ] 2.2.4.2 and winperf.h
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdbool.h>
#include <string.h>

#include "check.h"
#include "cook/counter-types.h"

/* The bits of winperf.h, retyped: each type's number must be the sum of what it is made of. */
enum {
    DWORD = 0x000,
    LARGE = 0x100,
    ZERO = 0x200,
    VARIABLE = 0x300,
    NUMBER = 0x000,
    COUNTER = 0x400,
    TEXT = 0x800,
    HEX = 0x00000,
    DECIMAL = 0x10000,
    VALUE = 0x00000,
    RATE = 0x10000,
    FRACTION = 0x20000,
    BASE = 0x30000,
    ELAPSED = 0x40000,
    QUEUELEN = 0x50000,
    PRECISION = 0x70000,
    TICK = 0x000000,
    TIMER_100NS = 0x100000,
    OBJECT = 0x200000,
    DELTA = 0x400000,
    DELTA_BASE = 0x800000,
    INVERSE = 0x1000000,
    MULTI = 0x2000000,
    NO_SUFFIX = 0x00000000,
    PER_SEC = 0x10000000,
    PERCENT = 0x20000000,
    SECONDS = 0x30000000,
    NOSHOW = 0x40000000
};

static const struct {
    const char *name;
    uint32_t type;
    bool is_base;
} types[] = {
    { "PERF_COUNTER_RAWCOUNT_HEX", DWORD | NUMBER | HEX | NO_SUFFIX, false },
    { "PERF_COUNTER_LARGE_RAWCOUNT_HEX", LARGE | NUMBER | HEX | NO_SUFFIX, false },
    { "PERF_COUNTER_TEXT", VARIABLE | TEXT | NO_SUFFIX, false },
    { "PERF_COUNTER_RAWCOUNT", DWORD | NUMBER | DECIMAL | NO_SUFFIX, false },
    { "PERF_COUNTER_LARGE_RAWCOUNT", LARGE | NUMBER | DECIMAL | NO_SUFFIX, false },
    { "PERF_COUNTER_DELTA", DWORD | COUNTER | VALUE | DELTA | NO_SUFFIX, false },
    { "PERF_COUNTER_LARGE_DELTA", LARGE | COUNTER | VALUE | DELTA | NO_SUFFIX, false },
    { "PERF_SAMPLE_COUNTER", DWORD | COUNTER | RATE | TICK | DELTA | NO_SUFFIX, false },
    { "PERF_COUNTER_QUEUELEN_TYPE", DWORD | COUNTER | QUEUELEN | TICK | DELTA | NO_SUFFIX, false },
    { "PERF_COUNTER_LARGE_QUEUELEN_TYPE", LARGE | COUNTER | QUEUELEN | TICK | DELTA | NO_SUFFIX, false },
    { "PERF_COUNTER_100NS_QUEUELEN_TYPE", LARGE | COUNTER | QUEUELEN | TIMER_100NS | DELTA | NO_SUFFIX, false },
    { "PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE", LARGE | COUNTER | QUEUELEN | OBJECT | DELTA | NO_SUFFIX, false },
    { "PERF_COUNTER_COUNTER", DWORD | COUNTER | RATE | TICK | DELTA | PER_SEC, false },
    { "PERF_COUNTER_BULK_COUNT", LARGE | COUNTER | RATE | TICK | DELTA | PER_SEC, false },
    { "PERF_RAW_FRACTION", DWORD | COUNTER | FRACTION | PERCENT, false },
    { "PERF_LARGE_RAW_FRACTION", LARGE | COUNTER | FRACTION | PERCENT, false },
    { "PERF_COUNTER_TIMER", LARGE | COUNTER | RATE | TICK | DELTA | PERCENT, false },
    { "PERF_PRECISION_SYSTEM_TIMER", LARGE | COUNTER | PRECISION | TICK | DELTA | PERCENT, false },
    { "PERF_100NSEC_TIMER", LARGE | COUNTER | RATE | TIMER_100NS | DELTA | PERCENT, false },
    { "PERF_PRECISION_100NS_TIMER", LARGE | COUNTER | PRECISION | TIMER_100NS | DELTA | PERCENT, false },
    { "PERF_OBJ_TIME_TIMER", LARGE | COUNTER | RATE | OBJECT | DELTA | PERCENT, false },
    { "PERF_PRECISION_OBJECT_TIMER", LARGE | COUNTER | PRECISION | OBJECT | DELTA | PERCENT, false },
    { "PERF_SAMPLE_FRACTION", DWORD | COUNTER | FRACTION | DELTA | DELTA_BASE | PERCENT, false },
    { "PERF_COUNTER_TIMER_INV", LARGE | COUNTER | RATE | TICK | DELTA | INVERSE | PERCENT, false },
    { "PERF_100NSEC_TIMER_INV", LARGE | COUNTER | RATE | TIMER_100NS | DELTA | INVERSE | PERCENT, false },
    { "PERF_COUNTER_MULTI_TIMER", LARGE | COUNTER | RATE | TICK | DELTA | MULTI | PERCENT, false },
    { "PERF_100NSEC_MULTI_TIMER", LARGE | COUNTER | RATE | TIMER_100NS | DELTA | MULTI | PERCENT, false },
    { "PERF_COUNTER_MULTI_TIMER_INV", LARGE | COUNTER | RATE | TICK | DELTA | MULTI | INVERSE | PERCENT, false },
    { "PERF_100NSEC_MULTI_TIMER_INV", LARGE | COUNTER | RATE | TIMER_100NS | DELTA | MULTI | INVERSE | PERCENT, false },
    { "PERF_AVERAGE_TIMER", DWORD | COUNTER | FRACTION | SECONDS, false },
    { "PERF_ELAPSED_TIME", LARGE | COUNTER | ELAPSED | OBJECT | SECONDS, false },
    { "PERF_COUNTER_NODATA", ZERO | NOSHOW, true },
    { "PERF_AVERAGE_BULK", LARGE | COUNTER | FRACTION | NOSHOW, false },
    { "PERF_SAMPLE_BASE", DWORD | COUNTER | BASE | NOSHOW | 1, true },
    { "PERF_AVERAGE_BASE", DWORD | COUNTER | BASE | NOSHOW | 2, true },
    { "PERF_RAW_BASE", DWORD | COUNTER | BASE | NOSHOW | 3, true },
    { "PERF_LARGE_RAW_BASE", LARGE | COUNTER | BASE | NOSHOW, true },
    { "PERF_COUNTER_MULTI_BASE", LARGE | COUNTER | BASE | MULTI | NOSHOW, true },
    { "PERF_COUNTER_HISTOGRAM_TYPE", UINT32_C(0x80000000), false },
};

#define COUNT_ONE(name, value) +1

int
main(void)
{
    const size_t num_types = sizeof types / sizeof types[0];

    CHECK(num_types == 0 PERF_COUNTER_TYPES(COUNT_ONE), "%zu types here", num_types);
    for (size_t i = 0; i < num_types; i++) {
        const char *name = perf_counter_type_name(types[i].type);

        CHECK(name && strcmp(name, types[i].name) == 0, "0x%08x is %s, not %s", (unsigned)types[i].type, types[i].name,
            name ? name : "nameless");
        CHECK(perf_counter_type_is_base(types[i].type) == types[i].is_base, "%s", types[i].name);
    }

    /* Numbers next to those of the table have no name and are no base. */
    CHECK(!perf_counter_type_name(0x40030400), "a base without its low bits");
    CHECK(!perf_counter_type_name(0x40030404), "a base with others");
    CHECK(!perf_counter_type_name(UINT32_MAX), "all bits");
    CHECK(!perf_counter_type_is_base(0x40030404), "an unknown base");
    CHECK(!perf_counter_type_is_base(UINT32_MAX), "all bits");

    /* Numbers as they are, timestamps and bases among them, but nothing that is no number. */
    CHECK(perf_counter_type_is_operand(PERF_COUNTER_RAWCOUNT), "counts");
    CHECK(perf_counter_type_is_operand(PERF_COUNTER_LARGE_RAWCOUNT), "counts");
    CHECK(perf_counter_type_is_operand(PERF_COUNTER_RAWCOUNT_HEX), "counts");
    CHECK(perf_counter_type_is_operand(PERF_COUNTER_LARGE_RAWCOUNT_HEX), "counts");
    CHECK(perf_counter_type_is_operand(PERF_SAMPLE_BASE), "bases");
    CHECK(perf_counter_type_is_operand(PERF_COUNTER_MULTI_BASE), "bases");
    CHECK(!perf_counter_type_is_operand(PERF_COUNTER_NODATA), "what is computed, and what is nothing");
    CHECK(!perf_counter_type_is_operand(PERF_COUNTER_COUNTER), "what is computed, and what is nothing");
    CHECK(!perf_counter_type_is_operand(UINT32_MAX), "what is computed, and what is nothing");

    /* The size of a value, by its type's own bits; one type has either by the text. */
    for (uint32_t size = 0; size <= 16; size++) {
        const bool is_four = size == 4, is_eight = size == 8;

        CHECK(perf_counter_type_has_size(PERF_COUNTER_RAWCOUNT, size) == is_four, "32 bits in %u bytes",
            (unsigned)size);
        CHECK(perf_counter_type_has_size(PERF_COUNTER_LARGE_RAWCOUNT, size) == is_eight, "64 bits in %u bytes",
            (unsigned)size);
        CHECK(perf_counter_type_has_size(PERF_COUNTER_NODATA, size) == (size == 0), "nothing in %u bytes",
            (unsigned)size);
        CHECK(perf_counter_type_has_size(PERF_COUNTER_TEXT, size), "a text of %u bytes", (unsigned)size);
        CHECK(perf_counter_type_has_size(PERF_COUNTER_HISTOGRAM_TYPE, size), "a histogram of %u bytes", (unsigned)size);
        CHECK(perf_counter_type_has_size(0x12345678, size), "%u bytes of who knows what", (unsigned)size);
        CHECK(perf_counter_type_has_size(PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE, size) == (is_four || is_eight),
            "a time in %u bytes", (unsigned)size);
    }

    /* The masks cut a type into its fields and leave none over. */
    CHECK_EQUAL((PERF_TYPE_SIZE_MASK ^ PERF_TYPE_KIND_MASK ^ PERF_TYPE_SUBTYPE_MASK ^ PERF_TYPE_TIMER_MASK ^
                    PERF_TYPE_DELTA_COUNTER ^ PERF_TYPE_DELTA_BASE ^ PERF_TYPE_INVERSE_COUNTER ^
                    PERF_TYPE_MULTI_COUNTER ^ PERF_TYPE_DISPLAY_MASK),
        UINT32_C(0x73F70F00), "masks overlap or miss a bit");
    return check_result();
}
