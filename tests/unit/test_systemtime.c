/* test_systemtime.c
 * SYSTEMTIME, and units of 100 ns: which numbers are a point in time, and which one
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "base/systemtime.h"
#include "fake-tree.h"

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
check_units(void)
{
    for (size_t i = 0; i < array_length(units); i++) {
        nstime_t time = { 1, 1 };
        const bool is_valid = time_100ns_to_nstime(units[i].units, &time);

        CHECK(is_valid == units[i].is_valid, "units %zu", i);
        CHECK((int64_t)time.secs == units[i].secs, "units %zu: %" PRId64, i, (int64_t)time.secs);
        CHECK(time.nsecs == units[i].nsecs, "units %zu: %d ns", i, time.nsecs);
    }
}

/* [MS-DTYP] 2.3.13: eight numbers of 16 bits, of which the day of the week has names. */
static void
check_items(void)
{
    static const uint8_t bytes[] = { 0xff, 0xe8, 7, 2, 0, 4, 0, 29, 0, 12, 0, 34, 0, 56, 0, 0xe7, 3, 0xff };
    struct systemtime_fields fields;
    proto_item *item;

    wmem_init_scopes();
    systemtime_tree_register(&fields, 1, "test.time");
    item = fake_add(fake_tree_begin(), fake_field_add("test.time", FT_ABSOLUTE_TIME, NULL), 1, 16);
    systemtime_tree_add(&fields, item, tvb_new_real_data(bytes, sizeof bytes, sizeof bytes), 1, ENC_LITTLE_ENDIAN);
    CHECK_TREE("members", "test.time 1+16", "  test.time.year 1+2: 2024", "  test.time.month 3+2: 2",
        "  test.time.day_of_week 5+2: 4", "  test.time.day 7+2: 29", "  test.time.hour 9+2: 12",
        "  test.time.minute 11+2: 34", "  test.time.second 13+2: 56", "  test.time.milliseconds 15+2: 999");
    for (unsigned i = 0; i < 8; i++) {
        const header_field_info *info = proto_registrar_get_nth((unsigned)fields.hf[i]);

        CHECK((info->strings != NULL) == (i == 2) && info->bitmask == 0, "member %u", i);
    }
    /* Where nothing is shown nothing is read. */
    systemtime_tree_add(&fields, NULL, NULL, 1, ENC_LITTLE_ENDIAN);
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
    check_units();
    check_items();
    CHECK(strcmp(text, "2024-2-29 12:34:56.999, weekday 4") == 0, "%s", text);
    wmem_free(NULL, (char *)text);
    return check_result();
}
