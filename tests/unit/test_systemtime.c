/* test_systemtime.c
 * SYSTEMTIME, and units of 100 ns: which numbers are a point in time, and which one
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "base/systemtime.h"
#include "check.h"

/* year, month, day of week, day, hour, minute, second, milliseconds */
struct expected {
    uint16_t time[8];
    bool is_valid;
    int64_t secs; /* since 1970, by date(1) */
};

static const struct expected times[] = {
    { { 1970, 1, 4, 1, 0, 0, 0, 0 }, true, 0 },
    { { 2024, 2, 4, 29, 12, 34, 56, 999 }, true, 1709210096 },
    { { 2023, 11, 2, 14, 22, 13, 20, 1 }, true, 1700000000 },
    { { 1969, 12, 3, 31, 23, 59, 59, 500 }, true, -1 },
    { { 1601, 1, 1, 1, 0, 0, 0, 0 }, true, INT64_C(-11644473600) },
    /* The day of the week is none that a point in time depends on. */
    { { 1970, 1, 6, 1, 0, 0, 0, 0 }, true, 0 },
    { { 2024, 2, 4, 29, 12, 34, 56, 1000 }, false, 0 },
    { { 2024, 2, 4, 29, 12, 34, 60, 0 }, false, 0 },
    { { 2024, 2, 4, 29, 12, 60, 0, 0 }, false, 0 },
    { { 2024, 2, 4, 29, 24, 0, 0, 0 }, false, 0 },
    { { 2024, 2, 4, 30, 0, 0, 0, 0 }, false, 0 },
    { { 2023, 2, 4, 29, 0, 0, 0, 0 }, false, 0 },
    { { 2023, 13, 4, 1, 0, 0, 0, 0 }, false, 0 },
    { { 2023, 0, 4, 1, 0, 0, 0, 0 }, false, 0 },
    { { 2023, 1, 4, 0, 0, 0, 0, 0 }, false, 0 },
    { { 0, 0, 0, 0, 0, 0, 0, 0 }, false, 0 },
};

/* Units of 100 ns since 1601: its seconds and those to 1970 (date -u -d ... +%s), times ten million. */
static const struct {
    uint64_t units;
    bool is_valid;
    int64_t secs;
    int nsecs;
} units[] = {
    { UINT64_C(116444736000000000), true, 0, 0 },
    { UINT64_C(133444735999999999), true, 1699999999, 999999900 },
    { UINT64_C(2650467743999999999), true, INT64_C(253402300799), 999999900 }, /* 9999-12-31 23:59:59.9999999 */
    { UINT64_C(2650467744000000000), false, 0, 0 },
    { UINT64_MAX, false, 0, 0 },
};

static void
check_units_of_100_ns_are_a_time(void)
{
    for (size_t i = 0; i < array_length(units); i++) {
        nstime_t time = { 1, 1 };
        const bool is_valid = time_100ns_to_nstime(units[i].units, &time);

        CHECK(is_valid == units[i].is_valid, "units %zu", i);
        CHECK((int64_t)time.secs == units[i].secs, "units %zu: %" PRId64, i, (int64_t)time.secs);
        CHECK(time.nsecs == units[i].nsecs, "units %zu: %d ns", i, time.nsecs);
    }
}

int
main(void)
{
    const char *text = systemtime_text(NULL, times[1].time);

    for (size_t i = 0; i < array_length(times); i++) {
        const struct expected *expected = &times[i];
        nstime_t time = { 1, 1 };
        const bool is_valid = systemtime_to_nstime(expected->time, &time);

        CHECK(is_valid == expected->is_valid, "time %zu", i);
        CHECK((int64_t)time.secs == expected->secs, "time %zu: %" PRId64, i, (int64_t)time.secs);
        CHECK(time.nsecs == (expected->is_valid ? expected->time[7] * 1000000 : 0), "time %zu: %d ns", i, time.nsecs);
    }
    check_units_of_100_ns_are_a_time();
    CHECK(strcmp(text, "2024-2-29 12:34:56.999, weekday 4") == 0, "%s", text);
    wmem_free(NULL, (char *)text);
    return check_result();
}
