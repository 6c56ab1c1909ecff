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

/* In place of Wireshark's: which fields are shown, and of which bytes. */
#define ETT 77

static struct {
    int hf, start, length;
    unsigned encoding;
} items[9];
static unsigned num_items;
static proto_item of_time, subtree;
static proto_tree *subtree_made;
static int some_bytes;

proto_tree *
proto_item_add_subtree(proto_item *item, const int ett)
{
    CHECK(item == &of_time && ett == ETT, "below the time: %d", ett);
    return subtree_made;
}

proto_item *
proto_tree_add_item(proto_tree *tree, int hf, tvbuff_t *tvb, const int start, int length, const unsigned encoding)
{
    CHECK(tree == &subtree && tvb == (tvbuff_t *)&some_bytes, "below the time, of its bytes");
    if (num_items < array_length(items)) {
        items[num_items].hf = hf;
        items[num_items].start = start;
        items[num_items].length = length;
        items[num_items++].encoding = encoding;
    }
    return NULL;
}

/* [MS-DTYP] 2.3.13: eight numbers of 2 bytes, one behind the other */
static void
check_eight_numbers_are_shown_below_a_time(void)
{
    static const struct systemtime_fields fields = { { 11, 12, 13, 14, 15, 16, 17, 18 }, ETT };
    static const unsigned encodings[] = { ENC_LITTLE_ENDIAN, ENC_BIG_ENDIAN };

    for (unsigned i = 0; i < 2; i++) {
        num_items = 0;
        subtree_made = &subtree;
        systemtime_tree_add(&fields, &of_time, (tvbuff_t *)&some_bytes, 1000 + i, encodings[i]);
        CHECK_EQUAL(num_items, 8, "one for each number");
        for (unsigned k = 0; k < num_items; k++) {
            CHECK_EQUAL(items[k].hf, 11 + (int)k, "number %u", k);
            CHECK_EQUAL(items[k].start, 1000 + (int)i + 2 * (int)k, "number %u", k);
            CHECK_EQUAL(items[k].length, 2, "number %u", k);
            CHECK_EQUAL(items[k].encoding, encodings[i], "number %u", k);
        }
    }
    num_items = 0;
    systemtime_tree_add(&fields, NULL, (tvbuff_t *)&some_bytes, 0, ENC_LITTLE_ENDIAN);
    subtree_made = NULL;
    systemtime_tree_add(&fields, &of_time, (tvbuff_t *)&some_bytes, 0, ENC_LITTLE_ENDIAN);
    CHECK_EQUAL(num_items, 0, "there is no tree");
}

static void
check_days_of_the_week_begin_with_sunday(void)
{
    static const char *const days[] = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday" };

    for (unsigned i = 0; i < array_length(days); i++) {
        CHECK_STRING(try_val_to_str(i, systemtime_weekday_vals), days[i], "day %u", i);
    }
    CHECK(try_val_to_str(7, systemtime_weekday_vals) == NULL, "there are seven");
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
    check_eight_numbers_are_shown_below_a_time();
    check_days_of_the_week_begin_with_sunday();
    CHECK(strcmp(text, "2024-2-29 12:34:56.999, weekday 4") == 0, "%s", text);
    wmem_free(NULL, (char *)text);
    return check_result();
}
