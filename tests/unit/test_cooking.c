/* test_cooking.c
 * Every counter type with numbers worked out by hand, every reason, wraps and 64-bit extremes
 *
 * The formulas are those of [MS-PCQ] 2.2.4.2 with the decisions listed in cooking.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <math.h>
#include <string.h>

#include "check.h"
#include "cook/cooking.h"
#include "cook/counter-types.h"

/*
 * Two polls two seconds apart by the performance counter (T, 10 MHz: 20,000,000 ticks), 2.000001 seconds
 * by the system time (X, 20,000,010 units of 100 ns) and 8000 units by the object's clock (O, 4 kHz): a
 * formula that takes the wrong clock gets another number. X has more bits than a double holds.
 */
static const struct cook_input two_polls = {
    .type_known = true,
    .polled_before = true,
    .value = { .width = 8, .present = true, .have_previous = true },
    .before = { .perf_time = UINT64_C(1259983709807),
        .time_100ns = UINT64_C(133500123456780001),
        .perf_freq = 10000000 },
    .now = { .perf_time = UINT64_C(1260003709807), .time_100ns = UINT64_C(133500123476780011), .perf_freq = 10000000 },
    .base = { .now = 1300, .before = 1000, .width = 4, .present = true, .have_previous = true },
    .time = { .now = 28000, .before = 20000, .width = 8, .present = true, .have_previous = true },
    .freq = { .now = 4000, .before = 4000, .width = 8, .present = true, .have_previous = true },
    .multi = { .now = 4, .before = 4, .width = 4, .present = true, .have_previous = true },
};

#define PREVIOUS COOK_NEEDS_PREVIOUS
#define BASE     COOK_NEEDS_BASE
#define TIME     COOK_NEEDS_TIME
#define FREQ     COOK_NEEDS_FREQ
#define MULTI    COOK_NEEDS_MULTI

static const struct {
    uint32_t type;
    unsigned needs;
    uint8_t width;
    uint64_t before, now;
    double expected;
    const char *unit;
    const char *formula; /* its beginning */
} by_hand[] = {
    /* The value itself */
    { PERF_COUNTER_RAWCOUNT_HEX, 0, 4, 7, 0xDEADBEEF, 3735928559.0, "", "N1" },
    { PERF_COUNTER_LARGE_RAWCOUNT_HEX, 0, 8, 7, 0x100000000, 4294967296.0, "", "N1" },
    { PERF_COUNTER_RAWCOUNT, 0, 4, 9, 5, 5.0, "", "N1" },
    { PERF_COUNTER_LARGE_RAWCOUNT, 0, 8, 9, 5, 5.0, "", "N1" },

    /* 1500 - 1000 */
    { PERF_COUNTER_DELTA, PREVIOUS, 4, 1000, 1500, 500.0, "", "N1-N0" },
    { PERF_COUNTER_LARGE_DELTA, PREVIOUS, 8, 1000, 1500, 500.0, "", "N1-N0" },

    /* (1527 - 1000) in (20,000,000 / 10,000,000 = 2) seconds */
    { PERF_COUNTER_COUNTER, PREVIOUS, 4, 1000, 1527, 263.5, "/s", "(N1-N0)/((T1-T0)/F); T PerfTimeStamp" },
    { PERF_COUNTER_BULK_COUNT, PREVIOUS, 8, 1000, 1527, 263.5, "/s", "(N1-N0)/((T1-T0)/F); T PerfTimeStamp" },
    { PERF_SAMPLE_COUNTER, PREVIOUS, 4, 1000, 1527, 263.5, "", "(N1-N0)/((T1-T0)/F); T PerfTimeStamp" },

    /* 100 * 5,000,000 / 20,000,000, and what is left of 100 */
    { PERF_COUNTER_TIMER, PREVIOUS, 8, 77, 5000077, 25.0, "%", "100*(N1-N0)/(T1-T0)" },
    { PERF_COUNTER_TIMER_INV, PREVIOUS, 8, 77, 5000077, 75.0, "%", "100*(1-(N1-N0)/(T1-T0))" },
    /* 100 * 4,000,002 / 20,000,010 */
    { PERF_100NSEC_TIMER, PREVIOUS, 8, 77, 4000079, 20.0, "%", "100*(N1-N0)/(X1-X0)" },
    { PERF_100NSEC_TIMER_INV, PREVIOUS, 8, 77, 4000079, 80.0, "%", "100*(1-(N1-N0)/(X1-X0))" },
    /* 100 * 5,000 / 8,000; with the clock's frequency it would be 250,000 */
    { PERF_OBJ_TIME_TIMER, PREVIOUS | TIME, 8, 50, 5050, 62.5, "%", "100*(N1-N0)/(O1-O0); O object time" },
    /* 100 * 225 / (1300 - 1000) */
    { PERF_PRECISION_SYSTEM_TIMER, PREVIOUS | BASE, 8, 50, 275, 75.0, "%", "100*(N1-N0)/(B1-B0)" },
    { PERF_PRECISION_100NS_TIMER, PREVIOUS | BASE, 8, 50, 275, 75.0, "%", "100*(N1-N0)/(B1-B0)" },
    { PERF_PRECISION_OBJECT_TIMER, PREVIOUS | BASE | TIME, 8, 50, 275, 75.0, "%", "100*(N1-N0)/(B1-B0); the base" },

    /* 100 * (35,000,000 / 20,000,000 = 1.75) / 4; 100 * (4 - 1.75) */
    { PERF_COUNTER_MULTI_TIMER, PREVIOUS | MULTI, 8, 3, 35000003, 43.75, "%", "100*((N1-N0)/(T1-T0))/M1" },
    { PERF_COUNTER_MULTI_TIMER_INV, PREVIOUS | MULTI, 8, 3, 35000003, 225.0, "%", "100*(M1-(N1-N0)/(T1-T0))" },
    /* 100 * (50,000,025 / 20,000,010 = 2.5) / 4; 100 * (4 - 2.5) */
    { PERF_100NSEC_MULTI_TIMER, PREVIOUS | MULTI, 8, 3, 50000028, 62.5, "%", "100*((N1-N0)/(X1-X0))/M1" },
    { PERF_100NSEC_MULTI_TIMER_INV, PREVIOUS | MULTI, 8, 3, 50000028, 150.0, "%", "100*(M1-(N1-N0)/(X1-X0))" },

    /* 25,000,000 / 20,000,000; 70,000,035 / 20,000,010; 22,000 / 8,000 */
    { PERF_COUNTER_QUEUELEN_TYPE, PREVIOUS, 4, 77, 25000077, 1.25, "", "(N1-N0)/(T1-T0)" },
    { PERF_COUNTER_LARGE_QUEUELEN_TYPE, PREVIOUS, 8, 77, 25000077, 1.25, "", "(N1-N0)/(T1-T0)" },
    { PERF_COUNTER_100NS_QUEUELEN_TYPE, PREVIOUS, 8, 77, 70000112, 3.5, "", "(N1-N0)/(X1-X0)" },
    { PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE, PREVIOUS | TIME, 8, 4096, 26096, 2.75, "", "(N1-N0)/(O1-O0)" },

    /* (45,000,000 / 10,000,000 = 4.5 seconds) / 300 */
    { PERF_AVERAGE_TIMER, PREVIOUS | BASE, 4, 5, 45000005, 0.015, "s", "((N1-N0)/F)/(B1-B0)" },
    /* 3690 / 300; never times 100 */
    { PERF_AVERAGE_BULK, PREVIOUS | BASE, 8, 10, 3700, 12.3, "", "(N1-N0)/(B1-B0)" },
    /* 100 * 42 / 300 */
    { PERF_SAMPLE_FRACTION, PREVIOUS | BASE, 4, 50, 92, 14.0, "%", "100*(N1-N0)/(B1-B0)" },
    /* 100 * 325 / 1300, from one poll */
    { PERF_RAW_FRACTION, BASE, 4, 999, 325, 25.0, "%", "100*N1/B1" },
    { PERF_LARGE_RAW_FRACTION, BASE, 8, 999, 325, 25.0, "%", "100*N1/B1" },
    /* (28,000 - 18,000) / 4,000, positive, from one poll */
    { PERF_ELAPSED_TIME, TIME | FREQ, 8, 999, 18000, 2.5, "s", "(O1-N1)/FO1" },
};

static struct cook_input
input(uint32_t type, uint8_t width, uint64_t before, uint64_t now)
{
    struct cook_input in = two_polls;

    in.type = type;
    in.value.width = width;
    in.value.before = before;
    in.value.now = now;
    return in;
}

static void
check_value(const struct cook_input in, double expected, const char *what)
{
    struct cook_result r = cook(&in);

    CHECK(r.reason == COOK_OK, "%s: %s", what, cook_reason_text(r.reason));
    CHECK(isfinite(r.value) && fabs(r.value - expected) <= fabs(expected) * 1e-15, "%s: %.17g, expected %.17g", what,
        r.value, expected);
}

static void
check_reason(const struct cook_input in, enum cook_reason expected, const char *what)
{
    struct cook_result r = cook(&in);

    CHECK(r.reason == expected, "%s: \"%s\", expected \"%s\"", what, cook_reason_text(r.reason),
        cook_reason_text(expected));
    CHECK(isfinite(r.value), "%s: %g", what, r.value);
}

static void
test_every_type_by_hand(void)
{
    for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; i++) {
        const char *name = perf_counter_type_name(by_hand[i].type);
        struct cook_input in = input(by_hand[i].type, by_hand[i].width, by_hand[i].before, by_hand[i].now);
        struct cook_result r = cook(&in);

        check_value(in, by_hand[i].expected, name);
        CHECK(strcmp(cook_unit_text(r.unit), by_hand[i].unit) == 0, "%s: %s", name, cook_unit_text(r.unit));
        CHECK(strncmp(r.formula, by_hand[i].formula, strlen(by_hand[i].formula)) == 0, "%s: %s", name, r.formula);
        CHECK(cook_needs(by_hand[i].type) == by_hand[i].needs, "%s: needs 0x%x", name, cook_needs(by_hand[i].type));
        CHECK(!strstr(r.formula, "wrap"), "%s: %s", name, r.formula);
        CHECK(r.is_whole == (strcmp(r.formula, "N1") == 0 || strcmp(r.formula, "N1-N0") == 0), "%s: is_whole", name);
        CHECK(r.is_hex == (strstr(name, "_HEX") != NULL), "%s: is_hex", name);
    }
}

/* Each type of the list has a value by hand above or is none that is shown. */
static void
test_no_type_forgotten(void)
{
#define LIST_TYPE(name, value) value,
    static const uint32_t all[] = { PERF_COUNTER_TYPES(LIST_TYPE) };
#undef LIST_TYPE
    size_t without = 0;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct cook_input in = input(all[i], 8, 1, 2);
        struct cook_result r = cook(&in);

        if (r.reason != COOK_OK) {
            without++;
            CHECK(!r.formula && cook_needs(all[i]) == 0, "%s", perf_counter_type_name(all[i]));
        }
    }
    CHECK(without + sizeof by_hand / sizeof by_hand[0] == sizeof all / sizeof all[0], "%zu types without a value",
        without);
}

static void
test_reasons_of_the_type(void)
{
    static const struct {
        uint32_t type;
        enum cook_reason reason;
    } types[] = {
        { PERF_COUNTER_NODATA, COOK_NOT_DISPLAYED },
        { PERF_SAMPLE_BASE, COOK_NOT_DISPLAYED },
        { PERF_AVERAGE_BASE, COOK_NOT_DISPLAYED },
        { PERF_RAW_BASE, COOK_NOT_DISPLAYED },
        { PERF_LARGE_RAW_BASE, COOK_NOT_DISPLAYED },
        { PERF_COUNTER_MULTI_BASE, COOK_NOT_DISPLAYED },
        { PERF_COUNTER_TEXT, COOK_TEXT },
        { UINT32_C(0x80000000), COOK_NO_FORMULA },   /* PERF_COUNTER_HISTOGRAM_TYPE */
        { UINT32_C(0x10410600), COOK_TYPE_UNKNOWN }, /* PERF_COUNTER_COUNTER with another size */
        { UINT32_MAX, COOK_TYPE_UNKNOWN },
    };

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct cook_input in = input(types[i].type, 8, 1, 2);
        struct cook_result r = cook(&in);
        char what[16];

        snprintf(what, sizeof what, "0x%08x", (unsigned)types[i].type);
        check_reason(in, types[i].reason, what);
        CHECK(!r.formula && r.unit == COOK_UNIT_NONE && cook_needs(types[i].type) == 0, "%s", what);
    }
    {
        struct cook_input in = input(PERF_COUNTER_RAWCOUNT, 4, 1, 2);

        in.type_known = false;
        check_reason(in, COOK_TYPE_UNKNOWN, "a type that was not learned");
        CHECK(!cook(&in).formula, "a type that was not learned");
    }
}

static void
test_reasons_of_the_value(void)
{
    struct cook_input in = input(PERF_COUNTER_RAWCOUNT, 4, 1, 2);

    in.value.width = 2;
    check_reason(in, COOK_WRONG_SIZE, "2 bytes");
    in.value.width = 0;
    check_reason(in, COOK_WRONG_SIZE, "no bytes");
    in.value.width = 4;
    in.value.present = false;
    check_reason(in, COOK_WRONG_SIZE, "no value");

    in = input(PERF_COUNTER_COUNTER, 4, 1, 2);
    in.value.have_previous = false;
    check_reason(in, COOK_INSTANCE_NEW, "not in the previous poll");
    CHECK(cook(&in).formula, "unit and formula stand without a value");
    CHECK_EQUAL(cook(&in).unit, COOK_UNIT_PER_SECOND, "unit and formula stand without a value");
    in.polled_before = false;
    check_reason(in, COOK_FIRST_SAMPLE, "no previous poll");

    /* Of another process: an increase says nothing, nor does a decrease; what there was not is not another's. */
    in = input(PERF_COUNTER_COUNTER, 4, 1, 2);
    in.is_other_process = true;
    check_reason(in, COOK_OTHER_PROCESS, "another process");
    in.value.before = 3;
    check_reason(in, COOK_OTHER_PROCESS, "less than another process");
    in.value.have_previous = false;
    check_reason(in, COOK_INSTANCE_NEW, "a process that is new");
    in = input(PERF_COUNTER_RAWCOUNT, 4, 1, 2);
    in.is_other_process = true;
    check_value(in, 2, "nothing is compared");

    /* One poll is enough for these. */
    in = input(PERF_COUNTER_RAWCOUNT, 4, 0, 5);
    in.polled_before = in.value.have_previous = false;
    check_value(in, 5, "raw count in the first poll");
    in = input(PERF_ELAPSED_TIME, 8, 0, 18000);
    in.polled_before = in.value.have_previous = in.time.have_previous = in.freq.have_previous = false;
    check_value(in, 2.5, "elapsed time in the first poll");
    in = input(PERF_RAW_FRACTION, 4, 0, 325);
    in.polled_before = in.value.have_previous = in.base.have_previous = false;
    check_value(in, 25, "raw fraction in the first poll");
    /* A multi counter is only used as it is now. */
    in = input(PERF_COUNTER_MULTI_TIMER, 8, 3, 35000003);
    in.multi.have_previous = false;
    check_value(in, 43.75, "multi counter new");
}

static void
test_reasons_of_the_operands(void)
{
    struct cook_input in = input(PERF_AVERAGE_BULK, 8, 10, 3700);

    in.base.have_previous = false;
    check_reason(in, COOK_NO_PREVIOUS_BASE, "base new");
    in.base.present = false;
    check_reason(in, COOK_NO_BASE, "no base");
    in.base = (struct cook_value){ .now = 1000, .before = 1000, .width = 8, .present = true, .have_previous = true };
    check_reason(in, COOK_ZERO_BASE, "base stands still");
    in.base.before = 1001;
    check_reason(in, COOK_BASE_DECREASED, "base decreased");

    in = input(PERF_RAW_FRACTION, 4, 0, 325);
    in.base.now = 0;
    check_reason(in, COOK_ZERO_BASE, "zero base");

    in = input(PERF_OBJ_TIME_TIMER, 8, 50, 5050);
    in.time.now = in.time.before;
    check_reason(in, COOK_ZERO_INTERVAL, "object clock stands still");
    in.time.now--;
    check_reason(in, COOK_TIME_WENT_BACK, "object clock went back");
    in.time.have_previous = false;
    check_reason(in, COOK_NO_PREVIOUS_TIME, "object clock new");
    in.time.present = false;
    check_reason(in, COOK_NO_TIME, "no object clock");

    in = input(PERF_ELAPSED_TIME, 8, 0, 28000);
    check_value(in, 0, "started now");
    in.value.now = 28001;
    check_reason(in, COOK_TIME_WENT_BACK, "starts in the future");
    in.value.now = 18000;
    in.freq.now = 0;
    check_reason(in, COOK_ZERO_FREQ, "zero object frequency");
    in.freq.present = false;
    check_reason(in, COOK_NO_FREQ, "no object frequency");

    in = input(PERF_COUNTER_MULTI_TIMER, 8, 3, 35000003);
    in.multi.now = 0;
    check_reason(in, COOK_ZERO_BASE, "no instances to divide by");
    in.multi.present = false;
    check_reason(in, COOK_NO_MULTI, "no multi counter");
    /* Nothing is divided by it here: 100 * (0 - 1.75) */
    in = input(PERF_COUNTER_MULTI_TIMER_INV, 8, 3, 35000003);
    in.multi.now = 0;
    check_value(in, -175, "inverse of no instances");

    in = input(PERF_COUNTER_COUNTER, 4, 1000, 1527);
    in.now.perf_freq = 0;
    check_reason(in, COOK_ZERO_FREQ, "zero frequency");
    in.now.perf_time = in.before.perf_time;
    check_reason(in, COOK_ZERO_INTERVAL, "no tick passed");
    in.now.perf_time--;
    check_reason(in, COOK_TIME_WENT_BACK, "ticks went back");
    in = input(PERF_AVERAGE_TIMER, 4, 5, 45000005);
    in.now.perf_freq = 0;
    check_reason(in, COOK_ZERO_FREQ, "zero frequency");
    /* A percentage needs no frequency. */
    in = input(PERF_COUNTER_TIMER, 8, 77, 5000077);
    in.now.perf_freq = 0;
    check_value(in, 25, "timer without frequency");

    in = input(PERF_100NSEC_TIMER, 8, 77, 4000079);
    in.now.time_100ns = in.before.time_100ns;
    check_reason(in, COOK_ZERO_INTERVAL, "system time stands still");
    in.now.time_100ns--;
    check_reason(in, COOK_TIME_WENT_BACK, "system time went back");

    /* The order of the checks: what is missing before what is wrong. */
    in = input(PERF_AVERAGE_BULK, 8, 11, 10);
    in.base.present = false;
    check_reason(in, COOK_NO_BASE, "no base and decreased");
    /* Polls that came out of order: the clock says so, the counter could have been reset as well. */
    in = input(PERF_COUNTER_COUNTER, 4, 1000, 999);
    in.now.perf_time = in.before.perf_time - 1;
    check_reason(in, COOK_TIME_WENT_BACK, "time and counter went back");
}

/* [MS-PCQ]'s object time only where BaseCounterId names no counter. */
static void
test_precision_object_timer(void)
{
    struct cook_input in = input(PERF_PRECISION_OBJECT_TIMER, 8, 50, 275);

    in.base.present = false;
    in.has_base_id = true;
    check_reason(in, COOK_NO_BASE, "a base is named, but is not there");
    in.has_base_id = false;
    /* 100 * 225 / 8000 */
    check_value(in, 2.8125, "no base");
    CHECK(strncmp(cook(&in).formula, "100*(N1-N0)/(O1-O0)", 19) == 0, "%s", cook(&in).formula);
    in.time.present = false;
    check_reason(in, COOK_NO_TIME, "neither");
    /* 100 * 225 / 300: with a base nobody asks for the time, */
    in.base.present = true;
    check_value(in, 75, "no time");
    in.time.present = true;
    in.time.have_previous = false;
    check_value(in, 75, "no time before");
    /* and without one nobody asks what the base was. */
    in = input(PERF_PRECISION_OBJECT_TIMER, 8, 50, 275);
    in.base.present = in.base.have_previous = false;
    check_value(in, 2.8125, "no base before");
}

static void
test_32_bit_counter_may_wrap_once(void)
{
    struct cook_input in = input(PERF_COUNTER_COUNTER, 4, UINT32_MAX - 41, 178);
    struct cook_result r = cook(&in);

    /* 42 to reach 2^32, then 178: 220 in 2 seconds */
    check_value(in, 110, "32-bit wrap");
    CHECK(strstr(r.formula, "; N wrapped once at 2^32"), "%s", r.formula);

    /* An increase of 2^31 - 1 is still taken for one, 2^31 no more. */
    in = input(PERF_COUNTER_DELTA, 4, UINT32_C(0x80000001), 0);
    check_value(in, 2147483647.0, "longest wrap");
    CHECK(cook(&in).is_whole, "longest wrap");
    CHECK_EQUAL(cook(&in).whole, 2147483647, "longest wrap");
    check_reason(input(PERF_COUNTER_DELTA, 4, UINT32_C(0x80000000), 0), COOK_COUNTER_DECREASED, "too long a wrap");
    in = input(PERF_COUNTER_DELTA, 4, 1000, 999);
    check_reason(in, COOK_COUNTER_DECREASED, "reset");
    CHECK(!strstr(cook(&in).formula, "wrap"), "%s", cook(&in).formula);
    in = input(PERF_COUNTER_DELTA, 4, 1000, 1000);
    check_value(in, 0, "as before");
    CHECK(!strstr(cook(&in).formula, "wrap"), "%s", cook(&in).formula);

    /* The width on the wire counts, not the type: LARGE types sent in 4 bytes wrap, others in 8 do not. */
    check_value(input(PERF_COUNTER_LARGE_DELTA, 4, UINT32_MAX, 1), 2, "LARGE type, 4 bytes");
    check_reason(input(PERF_COUNTER_DELTA, 8, UINT32_MAX, 1), COOK_COUNTER_DECREASED, "DWORD type, 8 bytes");
    /* The counter had 8 bytes in the previous poll and has 4 now. */
    check_reason(input(PERF_COUNTER_DELTA, 4, UINT64_C(0x1FFFFFFFF), 1), COOK_COUNTER_DECREASED,
        "narrower than before");
    in = input(PERF_COUNTER_LARGE_DELTA, 8, UINT64_MAX, 1);
    check_value(in, 2, "1 - (-1): no wrap, as 64 bits are signed");
    CHECK(!strstr(cook(&in).formula, "wrap"), "%s", cook(&in).formula);
    check_reason(input(PERF_COUNTER_LARGE_DELTA, 8, INT64_MAX, 1), COOK_COUNTER_DECREASED, "64 bits do not wrap");

    /* A base wraps as well: 2^32 - 4294967196 = 100, then 200: 300. 3690 / 300 */
    in = input(PERF_AVERAGE_BULK, 8, 10, 3700);
    in.base.before = 4294967196;
    in.base.now = 200;
    check_value(in, 12.3, "base wrapped");
    r = cook(&in);
    CHECK(strstr(r.formula, "; B wrapped once at 2^32"), "%s", r.formula);
    /* 2^32 - 4294965296 = 2000, then 1690 */
    in.value.width = 4;
    in.value.before = 4294965296;
    in.value.now = 1690;
    check_value(in, 12.3, "both wrapped");
    r = cook(&in);
    CHECK(strstr(r.formula, "; N and B wrapped once at 2^32"), "%s", r.formula);
    in.base.width = 8;
    check_reason(in, COOK_BASE_DECREASED, "64-bit base does not wrap");
}

static void
test_values_of_64_bits_keep_all_digits(void)
{
    struct cook_input in = input(PERF_COUNTER_LARGE_RAWCOUNT_HEX, 8, 0, UINT64_MAX);
    struct cook_result r = cook(&in);

    CHECK(r.is_whole && r.is_hex && r.whole == UINT64_MAX, "%llu", (unsigned long long)r.whole);
    check_value(in, 18446744073709551616.0, "as a double it is 2^64");
    /* 2^53 + 1 is the first whole number a double cannot hold. */
    in = input(PERF_COUNTER_LARGE_DELTA, 8, 1, UINT64_C(9007199254740994));
    r = cook(&in);
    CHECK(r.is_whole && r.whole == UINT64_C(9007199254740993), "%llu", (unsigned long long)r.whole);

    /* 2^63 - 1, the largest LONGLONG, is where a difference ends */
    in = input(PERF_COUNTER_LARGE_DELTA, 8, 0, INT64_MAX);
    check_value(in, 9223372036854775808.0, "largest difference");
    in.value.now++;
    check_reason(in, COOK_COUNTER_DECREASED, "2^63 is below zero");

    /* A difference of one between numbers whose doubles are equal: 1 / 2 seconds */
    check_value(input(PERF_COUNTER_BULK_COUNT, 8, UINT64_MAX - 1, UINT64_MAX), 0.5, "difference of the largest");

    /* The largest of all: (2^63 - 1) * (2^64 - 1) a second, about 2^127 */
    in = input(PERF_COUNTER_BULK_COUNT, 8, 0, INT64_MAX);
    in.before.perf_time = 0;
    in.now.perf_time = 1;
    in.before.perf_freq = in.now.perf_freq = UINT64_MAX;
    check_value(in, ldexp(1, 127), "largest rate");
    /* The smallest: 1 / ((2^64 - 1) * (2^63 - 1)) of a second */
    in = input(PERF_AVERAGE_TIMER, 8, 0, 1);
    in.before.perf_freq = in.now.perf_freq = UINT64_MAX;
    in.base = (struct cook_value){ .now = INT64_MAX, .before = 0, .width = 8, .present = true, .have_previous = true };
    check_value(in, ldexp(1, -127), "smallest average");

    /* Nearly idle for an hour: 100 * (1 - 35,999,999,999 / 36,000,000,000) = 1 / 360,000,000 %. Rounding the ratio first would lose 6 digits. */
    in = input(PERF_100NSEC_TIMER_INV, 8, 5, UINT64_C(36000000004));
    in.now.time_100ns = in.before.time_100ns + UINT64_C(36000000000);
    check_value(in, 1 / 360000000.0, "nearly idle");
    /* Idle longer than the interval: 100 * (1 - 20,000,002 / 20,000,000) */
    check_value(input(PERF_COUNTER_TIMER_INV, 8, 0, 20000002), -0.00001, "idle time beyond the interval");
    in = input(PERF_COUNTER_TIMER_INV, 8, 0, 20000000);
    check_value(in, 0, "quite idle");
    CHECK(!signbit(cook(&in).value), "zero has no sign");
    /* 100 * (2^64 - 1 - 0) */
    in = input(PERF_COUNTER_MULTI_TIMER_INV, 8, 1, 1);
    in.multi.now = UINT64_MAX;
    check_value(in, 100 * ldexp(1, 64), "largest inverse");
    in.multi.width = 8;
    check_reason(in, COOK_NEGATIVE_BASE, "-1 instances");
    /* 100 * 50,000,000 / 20,000,000: not capped */
    check_value(input(PERF_COUNTER_TIMER, 8, 0, 50000000), 250, "above 100 percent");
}

/* Raw values of 8 bytes are LONGLONG: 2^64 - n is -n. */
static void
test_values_of_8_bytes_may_be_below_zero(void)
{
    struct cook_input in = input(PERF_COUNTER_LARGE_RAWCOUNT, 8, 0, UINT64_MAX);
    struct cook_result r = cook(&in);

    CHECK(r.is_whole && r.whole == 1 && r.value < 0, "%llu", (unsigned long long)r.whole);
    check_value(in, -1, "-1");
    CHECK(!r.is_real, "whole");
    in.as_real = true;
    CHECK(cook(&in).is_real, "real");
    /* The bits of what is shown in hexadecimal are no sign. */
    in.as_hex = true;
    r = cook(&in);
    CHECK(r.is_hex && r.whole == UINT64_MAX && r.value > 0, "%llu", (unsigned long long)r.whole);
    /* Of 4 bytes neither. */
    check_value(input(PERF_COUNTER_RAWCOUNT, 4, 0, UINT32_MAX), 4294967295.0, "32 bits");
    in = input(PERF_COUNTER_LARGE_RAWCOUNT, 8, 0, UINT64_C(1) << 63);
    r = cook(&in);
    CHECK(r.whole == UINT64_C(1) << 63 && r.value < 0, "%llu", (unsigned long long)r.whole);
    in = input(PERF_COUNTER_LARGE_RAWCOUNT, 8, 0, INT64_MAX);
    r = cook(&in);
    CHECK(r.whole == INT64_MAX && r.value > 0, "%llu", (unsigned long long)r.whole);

    /* 10 - (-1) = 11 in 2 seconds; -1 - 5000 is below zero */
    check_value(input(PERF_COUNTER_BULK_COUNT, 8, UINT64_MAX, 10), 5.5, "from below zero");
    check_reason(input(PERF_COUNTER_BULK_COUNT, 8, 5000, UINT64_MAX), COOK_COUNTER_DECREASED, "to below zero");
    check_reason(input(PERF_COUNTER_LARGE_DELTA, 8, UINT64_MAX, UINT64_MAX - 3), COOK_COUNTER_DECREASED, "-4 - (-1)");

    /* 100 * -5 / 20; a base below zero is none */
    in = input(PERF_LARGE_RAW_FRACTION, 8, 0, UINT64_MAX - 4);
    in.base = (struct cook_value){ .now = 20, .width = 8, .present = true };
    check_value(in, -25, "fraction below zero");
    in.base.now = UINT64_MAX;
    check_reason(in, COOK_NEGATIVE_BASE, "base of -1");
    in.base.now = UINT64_C(1) << 63;
    check_reason(in, COOK_NEGATIVE_BASE, "the least base");
    in.base.now = INT64_MAX;
    check_value(in, -500 / ldexp(1, 63), "the largest base");
    in.base.width = 4;
    in.base.now = UINT32_MAX;
    check_value(in, -500 / 4294967295.0, "32-bit base");
}

/* Ticks of two polls that are not of one length can't be compared; what has its own clock can. */
static void
test_ticks_of_changed_frequency_are_not_compared(void)
{
    static const uint32_t in_ticks[] = { PERF_COUNTER_COUNTER, PERF_COUNTER_BULK_COUNT, PERF_SAMPLE_COUNTER,
        PERF_COUNTER_TIMER, PERF_COUNTER_TIMER_INV, PERF_COUNTER_MULTI_TIMER, PERF_COUNTER_MULTI_TIMER_INV,
        PERF_COUNTER_QUEUELEN_TYPE, PERF_COUNTER_LARGE_QUEUELEN_TYPE, PERF_AVERAGE_TIMER };
    static const uint32_t others[] = { PERF_100NSEC_TIMER, PERF_100NSEC_TIMER_INV, PERF_OBJ_TIME_TIMER,
        PERF_PRECISION_SYSTEM_TIMER, PERF_AVERAGE_BULK, PERF_COUNTER_RAWCOUNT, PERF_COUNTER_DELTA, PERF_ELAPSED_TIME };

    for (size_t i = 0; i < sizeof in_ticks / sizeof in_ticks[0]; i++) {
        struct cook_input in = input(in_ticks[i], 4, 100, 200);

        in.before.perf_freq = 3125000;
        check_reason(in, COOK_FREQ_CHANGED, perf_counter_type_name(in.type));
        in.before.perf_freq = 1;
        check_reason(in, COOK_FREQ_CHANGED, perf_counter_type_name(in.type));
        in.before.perf_freq = 10000000;
        in.now.perf_freq = 1;
        check_reason(in, COOK_FREQ_CHANGED, perf_counter_type_name(in.type));
        /* 0 is none, with which no other is to be compared. */
        in.now.perf_freq = 10000000;
        in.before.perf_freq = 0;
        CHECK(cook(&in).reason == COOK_OK, "%s, no frequency before", perf_counter_type_name(in.type));
        in.before.perf_freq = 10000000;
        in.now.perf_freq = 0;
        CHECK(cook(&in).reason != COOK_FREQ_CHANGED, "%s, no frequency now", perf_counter_type_name(in.type));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        struct cook_input in = input(others[i], 4, 100, 200);

        in.before.perf_freq = 3125000;
        CHECK(cook(&in).reason == COOK_OK, "%s", perf_counter_type_name(in.type));
    }
}

/* 8,800,000 of 20,000,000 idle: 56 % to the last bit. Divided first it is 56.00000000000001. */
static void
test_inverse_is_exact(void)
{
    struct cook_input in = input(PERF_COUNTER_TIMER_INV, 8, 0, 8800000);

    CHECK(cook(&in).value == 56, "%.17g", cook(&in).value);
    /* 100 * (4 - 8,800,000 / 20,000,000) */
    in = input(PERF_COUNTER_MULTI_TIMER_INV, 8, 0, 8800000);
    CHECK(cook(&in).value == 356, "%.17g", cook(&in).value);
    /* 100 * (1 - 31,200,000 / 20,000,000) */
    in = input(PERF_COUNTER_TIMER_INV, 8, 0, 31200000);
    CHECK(cook(&in).value == -56, "%.17g", cook(&in).value);
}

/* % Processor Utility and its base as measured on a real machine: 48,462,010 / 625,966. */
static void
test_measured_pair_gives_the_measured_ratio(void)
{
    struct cook_input in = input(PERF_AVERAGE_BULK, 8, UINT64_C(3257081670366), UINT64_C(3257130132376));
    double value;

    in.base.before = 1446119387;
    in.base.now = 1446745353;
    value = cook(&in).value;
    /* 77.419 * 625,966 = 48,461,661.8 and 77.420 * 625,966 = 48,462,287.7: between the two */
    CHECK(value > 77.419 && value < 77.420, "%.17g", value);
    check_value(in, 48462010.0 / 625966.0, "% Processor Utility");
}

static void
test_formula_and_reason_have_words(void)
{
    CHECK_EQUAL(cook_reason_text(COOK_OK)[0], '\0', "no words for a value");
    for (unsigned i = COOK_OK + 1; i < COOK_NUM_REASONS; i++) {
        CHECK(cook_reason_text((enum cook_reason)i)[0] != '\0', "reason %u has no words", i);
        for (unsigned k = 0; k < i; k++) {
            CHECK(strcmp(cook_reason_text((enum cook_reason)i), cook_reason_text((enum cook_reason)k)) != 0,
                "reasons %u and %u read alike", i, k);
        }
    }
    CHECK_STRING(cook_reason_text(COOK_FIRST_SAMPLE), "first sample", "first sample");
    CHECK_STRING(cook_reason_text(COOK_COUNTER_DECREASED), "counter decreased", "counter decreased");
    CHECK_STRING(cook_reason_text(COOK_TIME_WENT_BACK), "time went back", "time went back");
    CHECK_STRING(cook_reason_text(COOK_ZERO_BASE), "zero base", "zero base");
    CHECK_STRING(cook_reason_text(COOK_BASE_UNKNOWN), "base unknown", "base unknown");
    CHECK_STRING(cook_reason_text(COOK_NO_BASE), "base not in query", "base not in query");
    CHECK_STRING(cook_reason_text(COOK_TYPE_UNKNOWN), "type unknown", "type unknown");
    CHECK_STRING(cook_reason_text(COOK_INSTANCE_NEW), "instance new", "instance new");
    CHECK_EQUAL(cook_reason_text(COOK_NUM_REASONS)[0], '\0', "no such reason");
    CHECK_EQUAL(cook_unit_text((enum cook_unit)99)[0], '\0', "no such unit");
}

int
main(void)
{
    test_every_type_by_hand();
    test_no_type_forgotten();
    test_reasons_of_the_type();
    test_reasons_of_the_value();
    test_reasons_of_the_operands();
    test_precision_object_timer();
    test_32_bit_counter_may_wrap_once();
    test_values_of_64_bits_keep_all_digits();
    test_values_of_8_bytes_may_be_below_zero();
    test_ticks_of_changed_frequency_are_not_compared();
    test_inverse_is_exact();
    test_measured_pair_gives_the_measured_ratio();
    test_formula_and_reason_have_words();
    return check_result();
}
