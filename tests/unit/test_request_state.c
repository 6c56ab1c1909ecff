/* test_request_state.c
 * How a client asks again and again: what is said of it, and what is not
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/request-state.h"
#include "check.h"

/* In place of Wireshark's: which item is shown, and in which words. */
static expert_field growing, overlap, late, twice;
static const struct request_items items = { &growing, &overlap, &late, &twice };
static wmem_strbuf_t *shown;

proto_item *
proto_tree_add_expert_format(proto_tree *tree _U_, packet_info *pinfo _U_, expert_field *ei, tvbuff_t *tvb _U_,
    int start, int length, const char *format, ...)
{
    va_list arguments;

    CHECK(start == 0 && length == 0, "it stands for all of the packet: %d, %d", start, length);
    wmem_strbuf_append(shown,
        ei == &growing       ? "growing: "
            : ei == &overlap ? "overlap: "
            : ei == &late    ? "late: "
                             : "twice: ");
    va_start(arguments, format);
    wmem_strbuf_append_vprintf(shown, format, arguments);
    va_end(arguments);
    wmem_strbuf_append(shown, "|");
    return NULL;
}

/* A packet at so many milliseconds. */
static packet_info
packet(uint32_t frame, int64_t milliseconds)
{
    return (packet_info){ .num = frame, .abs_ts = { milliseconds / 1000, (int)(milliseconds % 1000) * 1000000 } };
}

static bool
request(struct request_state *state, int64_t milliseconds, uint32_t call_id, struct request_finding *finding)
{
    const packet_info pinfo = packet(state->frame + 2, milliseconds);

    *finding = (struct request_finding){ 0 };
    return request_state_sent(state, &pinfo, call_id, &finding);
}

static bool
is_near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* Requests so many milliseconds apart, each so many calls after the one before: whether the last was late. */
static bool
last_is_late(const int *intervals, unsigned count, uint32_t calls, struct request_finding *finding)
{
    struct request_state state = { 0 };
    int64_t now = 1000000;
    uint32_t call_id = UINT32_MAX - 3; /* numbers begin anew in between */
    bool is_late = request(&state, now, call_id, finding);

    CHECK(!is_late, "of the first nobody knows when it should have come");
    for (unsigned i = 0; i < count; i++) {
        CHECK(!is_late, "before %u", i);
        now += intervals[i];
        call_id += calls;
        is_late = request(&state, now, call_id, finding);
    }
    return is_late;
}
#define LAST_IS_LATE(calls, finding, ...) \
    last_is_late((const int[]){ __VA_ARGS__ }, sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int), calls, finding)

static void
check_poll_after_a_longer_pause_is_late(void)
{
    struct request_finding finding;
    struct request_state state = { 0 };

    CHECK(LAST_IS_LATE(1, &finding, 1000, 1000, 1000, 1000, 2000), "four intervals, then one twice as long");
    CHECK(is_near(finding.interval, 2) && is_near(finding.usual, 1), "%f, %f", finding.interval, finding.usual);
    CHECK(LAST_IS_LATE(3, &finding, 1000, 1000, 1000, 1000, 2000), "with other calls between");
    CHECK(!LAST_IS_LATE(1, &finding, 1000, 1000, 1000, 2000), "three are not enough");
    CHECK(!LAST_IS_LATE(0, &finding, 1000, 1000, 1000, 1000, 2000), "a client that does not number its calls");
    CHECK(!LAST_IS_LATE(1, &finding, 1000, 1000, 1000, 1000, 1500), "no more than half an interval more");
    CHECK(LAST_IS_LATE(1, &finding, 1000, 1000, 1000, 1000, 1510), "more than that");
    CHECK(!LAST_IS_LATE(1, &finding, 90, 90, 90, 90, 2000), "as fast as it goes");
    CHECK(LAST_IS_LATE(1, &finding, 100, 100, 100, 100, 2000), "a tenth of a second is an interval");
    CHECK(!LAST_IS_LATE(1, &finding, 1000, 1000, 1000, 1200, 2000), "which are not equal");
    CHECK(LAST_IS_LATE(1, &finding, 10000, 11000, 9500, 10300, 20000), "a tenth more or less of a long one is");
    /* 10, 10.5, 10.3333, 10.325: the mean of all so far. */
    CHECK(is_near(finding.usual, 10.2), "%f", finding.usual);
    CHECK(!LAST_IS_LATE(1, &finding, 0, 0, 0, 0, 1000), "no time between");
    CHECK(!LAST_IS_LATE(1, &finding, 1000, 1000, -1000, 1000, 1000, 3000), "a clock that was set back");

    /* The first comes after none, though it has number 1 and comes one second after 1970. */
    for (unsigned i = 1; i < 5; i++) {
        CHECK(!request(&state, 1000 * i, i, &finding), "%u", i);
    }
    CHECK(!request(&state, 8000, 5, &finding), "after three intervals");
    state = (struct request_state){ 0 };

    /* Whether a call is missing the numbers tell. */
    for (unsigned i = 0; i < 5; i++) {
        CHECK(!request(&state, 1000 * i, i, &finding), "%u", i);
    }
    CHECK(!request(&state, 6000, 6, &finding), "one call more between");
    for (unsigned i = 0; i < 4; i++) {
        CHECK(!request(&state, 7000 + 1000 * i, 7 + i, &finding), "%u", i);
    }
    CHECK(request(&state, 12000, 11, &finding), "late");
    /* The new pace is one of its own when it was kept for as long. */
    for (unsigned i = 0; i < 3; i++) {
        CHECK(!request(&state, 14000 + 2000 * i, 12 + i, &finding), "%u", i);
    }
    CHECK(!request(&state, 30000, 15, &finding), "after three intervals of it, and what was late is none");
}

/* Requests of a query: seconds after the one before, and calls since then; whether the last is late. */
static const struct {
    const char *what;
    unsigned count;
    struct {
        int seconds;
        uint32_t calls;
    } requests[10];
    bool is_late;
} paces[] = {
    { "four equal intervals", 5, { { 10, 1 }, { 10, 1 }, { 10, 1 }, { 10, 1 }, { 30, 1 } }, true },
    { "the same of two calls each", 5, { { 10, 2 }, { 10, 2 }, { 10, 2 }, { 10, 2 }, { 30, 2 } }, true },
    { "the fourth has a call more", 5, { { 10, 1 }, { 10, 1 }, { 10, 1 }, { 10, 2 }, { 30, 1 } }, false },
    { "the fourth has a call more, as the last", 5, { { 10, 1 }, { 10, 1 }, { 10, 1 }, { 10, 2 }, { 30, 2 } }, false },
    { "the last has a call more", 5, { { 10, 1 }, { 10, 1 }, { 10, 1 }, { 10, 1 }, { 30, 2 } }, false },
    { "four more of two calls", 8,
        { { 10, 1 }, { 10, 1 }, { 10, 1 }, { 10, 2 }, { 10, 2 }, { 10, 2 }, { 10, 2 }, { 30, 2 } }, true },
    { "a number twice", 6, { { 10, 1 }, { 10, 1 }, { 10, 1 }, { 10, 1 }, { 10, 0 }, { 30, 1 } }, false },
    { "three intervals after a number twice", 9,
        { { 10, 1 }, { 10, 1 }, { 10, 1 }, { 10, 1 }, { 10, 0 }, { 10, 1 }, { 10, 1 }, { 10, 1 }, { 30, 1 } }, false },
    { "four intervals after a number twice", 10,
        { { 10, 1 }, { 10, 1 }, { 10, 1 }, { 9, 1 }, { 10, 0 }, { 10, 1 }, { 10, 1 }, { 9, 1 }, { 10, 1 }, { 30, 1 } },
        true },
    /* 15 % more or less than the usual interval are equal, 16 % are not. */
    { "15 % more", 5, { { 100, 1 }, { 100, 1 }, { 100, 1 }, { 115, 1 }, { 300, 1 } }, true },
    { "16 % more", 5, { { 100, 1 }, { 100, 1 }, { 100, 1 }, { 116, 1 }, { 300, 1 } }, false },
    { "15 % less", 5, { { 100, 1 }, { 100, 1 }, { 100, 1 }, { 85, 1 }, { 300, 1 } }, true },
    { "16 % less", 5, { { 100, 1 }, { 100, 1 }, { 100, 1 }, { 84, 1 }, { 300, 1 } }, false },
    /* Late is what takes more than half an interval more. */
    { "half an interval more", 5, { { 100, 1 }, { 100, 1 }, { 100, 1 }, { 100, 1 }, { 150, 1 } }, false },
    { "more than that", 5, { { 100, 1 }, { 100, 1 }, { 100, 1 }, { 100, 1 }, { 151, 1 } }, true },
    { "an interval less", 5, { { 100, 1 }, { 100, 1 }, { 100, 1 }, { 100, 1 }, { 1, 1 } }, false },
};

static void
check_poll_is_late_only_after_four_equal_intervals(void)
{
    for (size_t i = 0; i < array_length(paces); i++) {
        struct request_state state = { .frame = 0, .too_small = 7 };
        struct request_finding finding;
        int64_t now = 5000;
        uint32_t call_id = 40;
        bool is_late = request(&state, now, call_id, &finding);

        for (unsigned k = 0; k < paces[i].count; k++) {
            CHECK(!is_late, "%s: request %u", paces[i].what, k);
            CHECK(finding.late_in == 0, "%s: request %u", paces[i].what, k);
            now += 1000 * (int64_t)paces[i].requests[k].seconds;
            call_id += paces[i].requests[k].calls;
            is_late = request(&state, now, call_id, &finding);
        }
        CHECK_EQUAL(is_late, paces[i].is_late, "%s", paces[i].what);
        CHECK_EQUAL(finding.late_in, is_late ? 2 * (paces[i].count + 1) : 0, "%s", paces[i].what);
        CHECK_EQUAL(state.too_small, 7, "%s: that is another matter", paces[i].what);
    }
}

/* What answers that were too small and their requests took is wasted, up to what 32 bits hold. */
static void
check_wasted_bytes_are_those_before_the_fitting_answer(void)
{
    static const struct {
        unsigned count;
        uint64_t bytes[3];
        uint32_t wasted;
    } cases[] = {
        { 1, { 100 }, 100 },
        { 1, { 1 }, 1 },
        { 2, { 100, 250 }, 350 },
        { 3, { 1, 2, 4 }, 7 },
        { 1, { UINT32_MAX - 1 }, UINT32_MAX - 1 },
        { 1, { UINT32_MAX }, UINT32_MAX },
        { 2, { UINT32_MAX, 1 }, UINT32_MAX },
        { 1, { UINT64_C(1) << 40 }, UINT32_MAX },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct request_state state = { 0 };
        struct request_finding found = { 0 }, *finding = NULL;
        const packet_info answer = packet(9, 1500);

        for (unsigned k = 0; k < cases[i].count; k++) {
            const packet_info sent = packet(1, 1000 + 100 * k), answered = packet(2, 1050 + 100 * k);

            request_state_too_small(&state, &answered, &sent.abs_ts, cases[i].bytes[k]);
        }
        finding = &found;
        CHECK(request_state_fitted(&state, &answer, &answer.abs_ts, 1000, &finding), "case %zu", i);
        CHECK_EQUAL(found.wasted, cases[i].wasted, "case %zu", i);
        CHECK_EQUAL(found.trips, cases[i].count > 1 ? cases[i].count + 1 : 0, "case %zu", i);
        CHECK(is_near(found.seconds, cases[i].count > 1 ? 0.5 : 0), "case %zu: %f", i, found.seconds);
        CHECK(!request_state_fitted(&state, &answer, &answer.abs_ts, 1000, &finding), "case %zu: at once", i);
    }
}

static void
check_unread_answers_count_as_wasted(void)
{
    struct request_state state = { 0 };
    struct request_finding finding = { 0 }, *kept = &finding;

    CHECK(!request_state_answered(&state, 0, &kept), "nothing asked");
    request(&state, 0, 1, &finding);
    CHECK(!request_state_answered(&state, state.frame, &kept), "of the latest");
    CHECK_EQUAL(finding.asked_again_in, 0, "of the latest");
    request(&state, 1, 2, &finding);
    CHECK(request_state_answered(&state, 2, &kept) && finding.asked_again_in == 4, "%u", finding.asked_again_in);
    finding.asked_again_in = 0;
    CHECK(!request_state_answered(&state, 0, &kept), "its request is not in the capture");
    CHECK_EQUAL(finding.asked_again_in, 0, "its request is not in the capture");
}

/* A call that was sent, and answered 100 ms later. */
static void
too_small(struct request_state *state, int64_t milliseconds, uint64_t bytes)
{
    const packet_info sent = packet(1, milliseconds), answered = packet(2, milliseconds + 100);

    request_state_too_small(state, &answered, &sent.abs_ts, bytes);
}

static bool
fitted(struct request_state *state, int64_t milliseconds, uint64_t bytes, struct request_finding *finding)
{
    const packet_info sent = packet(1, milliseconds), answered = packet(2, milliseconds + 100);

    *finding = (struct request_finding){ 0 };
    return request_state_fitted(state, &answered, &sent.abs_ts, bytes, &finding);
}

static void
check_calls_for_a_fitting_buffer_are_told(void)
{
    struct request_state state = { 0 };
    struct request_finding finding;

    CHECK(!fitted(&state, 1000, 100, &finding), "at once");
    too_small(&state, 2000, 100);
    CHECK(fitted(&state, 2200, 100, &finding), "one that asks for the size");
    CHECK_EQUAL(finding.trips, 0, "one that asks for the size");
    CHECK(finding.wasted > 0, "one that asks for the size");
    too_small(&state, 3000, 100);
    too_small(&state, 4000, 200);
    CHECK(fitted(&state, 5000, 500, &finding), "two that were too small");
    CHECK(finding.trips == 3 && is_near(finding.seconds, 2.1) && finding.wasted_percent == 38, "%u, %f, %u",
        finding.trips, finding.seconds, finding.wasted_percent);
    CHECK(!fitted(&state, 5200, 500, &finding), "that is told");
    too_small(&state, 6000, 700);
    too_small(&state, 7000, 100);
    CHECK(fitted(&state, 8000, 200, &finding) && finding.wasted_percent == 80 && is_near(finding.seconds, 2.1),
        "what was wasted before is another matter: %u, %f", finding.wasted_percent, finding.seconds);

    too_small(&state, 10000, 0);
    too_small(&state, 11000, 0);
    CHECK(!fitted(&state, 12000, 0, &finding), "no bytes at all");

    too_small(&state, 20000, 100);
    too_small(&state, 21000, 100);
    CHECK(!fitted(&state, 26200, 100, &finding), "it was given up after 5.1 s");
    too_small(&state, 30000, 100);
    too_small(&state, 31000, 100);
    too_small(&state, 36200, 300);
    finding.trips = 0;
    CHECK(fitted(&state, 37000, 100, &finding), "given up, and begun anew with one that was too small");
    CHECK_EQUAL(finding.trips, 0, "given up, and begun anew with one that was too small");
    too_small(&state, 40000, 100);
    too_small(&state, 45050, 100);
    CHECK(fitted(&state, 50100, 200, &finding) && finding.trips == 3 && finding.wasted_percent == 50 &&
            is_near(finding.seconds, 10.2),
        "4.95 s are patience: %u, %f", finding.trips, finding.seconds);
    too_small(&state, 60000, 100);
    too_small(&state, 65100, 100);
    CHECK(fitted(&state, 70200, 200, &finding) && finding.trips == 3 && is_near(finding.seconds, 10.3),
        "5 s are, too: %u, %f", finding.trips, finding.seconds);
}

#define OF_ANSWER \
    "growing: The client needed 3 round trips and 1.500 s to find the buffer size; 50 % of the bytes were wasted|" \
    "overlap: The client polled again in frame 7, before this answer|twice: by another, too|"
#define OF_REQUEST "late: The poll is late: 8.000 s after the previous one. The client's usual interval is 2.000 s|"

static void
check_each_flaw_has_its_words(void)
{
    static const struct request_finding all = { .trips = 3,
        .wasted_percent = 50,
        .seconds = 1.5,
        .asked_again_in = 7,
        .interval = 8,
        .usual = 2,
        .num_twice = 1,
        .twice = "by another, too" },
                                        nothing;
    const struct {
        const struct request_finding *finding;
        bool is_answer;
        const char *expected;
    } cases[] = {
        { NULL, true, "" },
        { NULL, false, "" },
        { &nothing, true, "" },
        { &nothing, false, "" },
        { &all, true, OF_ANSWER },
        { &all, false, OF_REQUEST },
        { &(const struct request_finding){ .trips = 3 }, true,
            "growing: The client needed 3 round trips and 0.000 s to find the buffer size; 0 % of the bytes were "
            "wasted|" },
        { &(const struct request_finding){ .trips = 3 }, false, "" },
        { &(const struct request_finding){ .asked_again_in = 1 }, true,
            "overlap: The client polled again in frame 1, before this answer|" },
        { &(const struct request_finding){ .asked_again_in = 1 }, false, "" },
        { &(const struct request_finding){ .usual = 0.25, .interval = 0.5 }, true, "" },
        { &(const struct request_finding){ .interval = 0.5 }, false, "" },
        { &(const struct request_finding){ .usual = 0.25, .interval = 0.5 }, false,
            "late: The poll is late: 0.500 s after the previous one. The client's usual interval is 0.250 s|" },
        { &(const struct request_finding){ .twice = "twice" }, true, "twice: twice|" },
        { &(const struct request_finding){ .twice = "twice" }, false, "" },
        /* These are for tables. */
        { &(const struct request_finding){ .wasted = 5, .num_twice = 1, .late_in = 3, .other_server = "x" }, true, "" },
    };
    packet_info pinfo = { .pool = wmem_epan_scope() };

    for (size_t i = 0; i < array_length(cases); i++) {
        shown = wmem_strbuf_new(wmem_epan_scope(), "");
        request_state_show(cases[i].finding, cases[i].is_answer, &items, &pinfo, NULL, NULL);
        CHECK(strcmp(wmem_strbuf_get_str(shown), cases[i].expected) == 0, "%s", wmem_strbuf_get_str(shown));
    }
}

int
main(void)
{
    wmem_init_scopes();
    CHECK_EQUAL(request_state_percent(0, 0), 0, "of nothing");
    CHECK_EQUAL(request_state_percent(1, 1), 100, "of one");
    CHECK_EQUAL(request_state_percent(0, 1), 0, "of one");
    CHECK_EQUAL(request_state_percent(1, 3), 33, "to the nearest");
    CHECK_EQUAL(request_state_percent(2, 3), 67, "to the nearest");
    CHECK_EQUAL(request_state_percent(1, 200), 1, "to the nearest");
    CHECK_EQUAL(request_state_percent(1, 201), 0, "to the nearest");
    CHECK_EQUAL(request_state_percent(199, 201), 99, "to the nearest");
    CHECK_EQUAL(request_state_percent(199, 200), 100, "to the nearest");
    CHECK_EQUAL(request_state_percent(3, 1), 300, "more than all");
    CHECK_EQUAL(request_state_percent(UINT64_MAX, UINT64_MAX), 100, "to the nearest");
    check_poll_after_a_longer_pause_is_late();
    check_poll_is_late_only_after_four_equal_intervals();
    check_wasted_bytes_are_those_before_the_fitting_answer();
    check_unread_answers_count_as_wasted();
    check_calls_for_a_fitting_buffer_are_told();
    check_each_flaw_has_its_words();
    return check_result();
}
