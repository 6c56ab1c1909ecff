/* test_request_cells.c
 * What clients waste, in the cells of both tables of queries: counts, hundredths, times, and the frames that show them first
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/request-cells.h"

#include <math.h>

#include "check.h"

static wmem_allocator_t *scope;
static struct stat_requests sum;
static stat_tap_table_item_type bytes, counts[NUM_REQUEST_COUNTS], reals[NUM_REQUEST_REALS];

static void
anew(void)
{
    sum = (struct stat_requests){ .bytes = 0 };
    bytes = (stat_tap_table_item_type){ .type = TABLE_ITEM_UINT };
    for (unsigned i = 0; i < NUM_REQUEST_COUNTS; i++) {
        counts[i] = bytes;
    }
    for (unsigned i = 0; i < NUM_REQUEST_REALS; i++) {
        reals[i] = (stat_tap_table_item_type){ .type = TABLE_ITEM_NONE };
    }
}

static void
count(struct call_cost call)
{
    request_cells_count(scope, &bytes, counts, reals, &sum, &call);
}
#define COUNT(...) count((struct call_cost){ __VA_ARGS__ })

static void
check_first_poll_is_no_repetition(const char *what, unsigned too_small, unsigned wasted, unsigned late,
    unsigned overlap, unsigned twice)
{
    const unsigned expected[NUM_REQUEST_COUNTS] = { too_small, wasted, late, overlap, twice };

    for (unsigned i = 0; i < NUM_REQUEST_COUNTS; i++) {
        CHECK(counts[i].value.uint_value == expected[i], "%s: count %u is %u", what, i, counts[i].value.uint_value);
    }
}

static void
check_real(unsigned which, double value)
{
    CHECK(reals[which].type == TABLE_ITEM_FLOAT && fabs(reals[which].value.float_value - value) < 1e-9, "%u: %g", which,
        reals[which].value.float_value);
}

static void
test_first_poll_is_no_repetition(void)
{
    const struct request_finding late = { .usual = 1, .late_in = 77 }, overlap = { .asked_again_in = 5 };
    const struct request_finding twice = { .num_twice = 3 }, nothing = { .trips = 9, .interval = 2 };

    anew();
    COUNT(.frame = 10, .bytes = 600, .finding = &nothing);
    check_first_poll_is_no_repetition("a call", 0, 0, 0, 0, 0);
    CHECK(bytes.value.float_value == 600 && sum.first_in[REQUESTS_TOO_SMALL] == 0 && sum.first_in[REQUESTS_LATE] == 0,
        "%g", bytes.value.float_value);
    /* To ask for the size costs, and is no fault. One buffer a query may be too small. */
    COUNT(.frame = 11, .bytes = 200, .too_small = true, .is_probe = true);
    check_first_poll_is_no_repetition("a probe", 0, 25, 0, 0, 0);
    COUNT(.frame = 12, .bytes = 200, .too_small = true);
    check_first_poll_is_no_repetition("too small", 1, 40, 0, 0, 0);
    CHECK_EQUAL(sum.first_in[REQUESTS_TOO_SMALL], 0, "the first is none to tell of");
    COUNT(.frame = 13, .bytes = 0, .too_small = true);
    COUNT(.frame = 14, .bytes = 0, .too_small = true);
    check_first_poll_is_no_repetition("too small", 3, 40, 0, 0, 0);
    CHECK(sum.first_in[REQUESTS_TOO_SMALL] == 13, "%u", sum.first_in[REQUESTS_TOO_SMALL]);

    COUNT(.frame = 20, .finding = &late);
    COUNT(.frame = 21, .finding = &late);
    CHECK(sum.first_in[REQUESTS_LATE] == 77, "the frame of the request: %u", sum.first_in[REQUESTS_LATE]);
    COUNT(.frame = 22, .finding = &overlap);
    COUNT(.frame = 23, .finding = &overlap);
    COUNT(.frame = 24, .finding = &overlap);
    CHECK(sum.first_in[REQUESTS_OVERLAP] == 22, "%u", sum.first_in[REQUESTS_OVERLAP]);
    COUNT(.frame = 25, .finding = &twice);
    COUNT(.frame = 26, .finding = &twice);
    CHECK(sum.first_in[REQUESTS_TWICE] == 25, "%u", sum.first_in[REQUESTS_TWICE]);
    check_first_poll_is_no_repetition("all", 3, 40, 2, 3, 6);

    COUNT(.frame = 30, .bytes = UINT32_MAX - 1001);
    CHECK(bytes.value.float_value == UINT32_MAX - 1, "%g", bytes.value.float_value);
    COUNT(.frame = 31, .bytes = UINT32_MAX);
    CHECK(bytes.value.float_value == 8589934589.0, "more than 2^32: %g", bytes.value.float_value);
}

static void
test_unknown_times_stay_empty(void)
{
    const nstime_t first = { 0, 2000000 }, second = { 1, 0 }, none = { 0, 0 };

    anew();
    COUNT(.frame = 1, .interval = 9);
    COUNT(.frame = 1, .response_time = &none);
    CHECK_EQUAL(reals[REQUESTS_RESPONSE].type, TABLE_ITEM_NONE, "nothing is known");
    CHECK_EQUAL(reals[REQUESTS_MEDIAN].type, TABLE_ITEM_NONE, "nothing is known");
    CHECK_EQUAL(reals[REQUESTS_LONGEST].type, TABLE_ITEM_NONE, "nothing is known");
    COUNT(.frame = 2, .response_time = &first);
    check_real(REQUESTS_RESPONSE, 2);
    COUNT(.frame = 3, .response_time = &second);
    check_real(REQUESTS_RESPONSE, 501);
    COUNT(.frame = 4, .has_interval = true, .interval = 5);
    check_real(REQUESTS_MEDIAN, 5);
    check_real(REQUESTS_LONGEST, 5);
    COUNT(.frame = 5, .has_interval = true, .interval = 1);
    COUNT(.frame = 6, .has_interval = true, .interval = 2);
    check_real(REQUESTS_MEDIAN, 2);
    check_real(REQUESTS_LONGEST, 5);
    COUNT(.frame = 7, .has_interval = true, .interval = 8);
    check_real(REQUESTS_MEDIAN, 3.5);
    check_real(REQUESTS_LONGEST, 8);
}

static void
test_the_first_of_the_slowest_polls_is_kept(void)
{
    static const struct {
        bool has_interval;
        unsigned milliseconds; /* from request to answer; 0: unknown */
        double quickest, slowest;
        uint32_t slowest_in;
    } calls[] = {
        { false, 900, 0, 0, 0 }, /* a query's first poll is no measure */
        { true, 0, 0, 0, 0 },
        { true, 250, 0.25, 0.25, 3 },
        { true, 500, 0.25, 0.5, 4 },
        { true, 500, 0.25, 0.5, 4 }, /* as slow as the one before */
        { true, 250, 0.25, 0.5, 4 },
        { true, 125, 0.125, 0.5, 4 },
        { false, 1, 0.125, 0.5, 4 },
        { true, 501, 0.125, 0.501, 9 },
    };

    anew();
    for (unsigned i = 0; i < array_length(calls); i++) {
        const nstime_t time = { 0, (int)calls[i].milliseconds * 1000000 };

        COUNT(.frame = i + 1, .response_time = &time, .has_interval = calls[i].has_interval, .interval = 1);
        CHECK(fabs(sum.quickest - calls[i].quickest) < 1e-9 && fabs(sum.slowest - calls[i].slowest) < 1e-9,
            "%u: from %g to %g s, not from %g to %g", i, sum.quickest, sum.slowest, calls[i].quickest,
            calls[i].slowest);
        CHECK_EQUAL(sum.slowest_in, calls[i].slowest_in, "the first frame with the longest time");
    }
}

int
main(void)
{
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    test_first_poll_is_no_repetition();
    test_unknown_times_stay_empty();
    test_the_first_of_the_slowest_polls_is_kept();
    wmem_destroy_allocator(scope);
    return check_result();
}
