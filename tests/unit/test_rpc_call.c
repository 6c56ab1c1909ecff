/* test_rpc_call.c
 * How long an answer took, and which calls were never on a network
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

#include "compat.h"

#include <string.h>

#include "check.h"
#include "fake-columns.h"

static int some_bytes;
static field_info info;
static proto_item item = { .finfo = &info };
static struct {
    unsigned count;
    int hf;
    double value;
} added;

/* In place of Wireshark's. */
proto_item *
proto_tree_add_double(proto_tree *tree, int hf, tvbuff_t *tvb, int start, int length, double value)
{
    CHECK(tree != NULL, "items cost even without a tree");
    CHECK(tvb == (tvbuff_t *)&some_bytes && start == 0 && length == 0, "it is of no bytes: %d at %d", length, start);
    added.count++;
    added.hf = hf;
    added.value = value;
    info.flags = 0;
    return &item;
}

static void
check_response_time_is_from_request_to_answer(void)
{
    static const struct {
        uint32_t frame;
        nstime_t asked, answered, time;
    } cases[] = {
        { 1, { 10, 750000000 }, { 12, 250000000 }, { 1, 500000000 } },
        { 1, { 10, 5 }, { 10, 6 }, { 0, 1 } },
        { 0, { 10, 750000000 }, { 12, 250000000 }, { 0, 0 } }, /* no request */
        { 1, { 10, 6 }, { 10, 5 }, { 0, 0 } },                 /* time that went back */
        { 1, { 10, 0 }, { 9, 999999999 }, { 0, 0 } },
        { 1, { 10, 5 }, { 10, 5 }, { 0, 0 } },
        { UINT32_MAX, { 10, 5 }, { 11, 5 }, { 1, 0 } },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        const packet_info pinfo = { .abs_ts = cases[i].answered };
        const nstime_t time = rpc_response_time(cases[i].frame, &cases[i].asked, &pinfo);

        CHECK(nstime_cmp(&time, &cases[i].time) == 0, "%zu: %g s", i, nstime_to_sec(&time));
    }
}

static void
check_milliseconds_have_three_digits(void)
{
    static const struct {
        double milliseconds;
        const char *text;
    } cases[] = { { 0.5, "0.500" }, { 1.017, "1.017" }, { 2, "2.000" }, { 61000.25, "61000.250" } };

    for (size_t i = 0; i < array_length(cases); i++) {
        char text[ITEM_LABEL_LENGTH];

        rpc_response_digits(text, cases[i].milliseconds);
        CHECK(strcmp(text, cases[i].text) == 0, "%s, not %s", text, cases[i].text);
    }
}

/* In milliseconds, rounded to a microsecond. */
static void
check_response_is_shown_in_milliseconds(void)
{
    static const struct {
        nstime_t time;
        double milliseconds; /* -1: nothing is shown */
    } cases[] = {
        { { 0, 0 }, -1 },
        { { 0, 1 }, 0 },
        { { 0, 499 }, 0 },
        { { 0, 500 }, 0.001 },
        { { 0, 1499 }, 0.001 },
        { { 0, 1500 }, 0.002 },
        { { 0, 999999499 }, 999.999 },
        { { 0, 999999500 }, 1000 },
        { { 1, 0 }, 1000 },
        { { 61, 250001000 }, 61250.001 },
        { { 100000, 999999000 }, 100000999.999 },
    };
    /* A column that other values may have filled, one of another field, and none */
    static const struct fake_column columns[] = {
        { COL_CUSTOM, 0, 2, { ANOTHER, ALONE } },
        { COL_CUSTOM, 0, 1, { ANOTHER } },
    };
    static proto_tree tree;

    for (size_t i = 0; i < array_length(cases); i++) {
        for (unsigned c = 0; c <= array_length(columns); c++) {
            const packet_info pinfo = { .cinfo = c < array_length(columns) ? columns_of(&columns[c], 1) : NULL };
            const bool is_shown = cases[i].milliseconds >= 0 && c > 0;

            memset(&added, 0, sizeof added);
            rpc_response_show(cases[i].time, ALONE, &pinfo, NULL, (tvbuff_t *)&some_bytes);
            CHECK_EQUAL(added.count, 0, "there is no tree");
            rpc_response_show(cases[i].time, ALONE, &pinfo, &tree, (tvbuff_t *)&some_bytes);
            CHECK_EQUAL(added.count, is_shown ? 1 : 0, "case %zu, column %u", i, c);
            if (is_shown) {
                CHECK_EQUAL(added.hf, ALONE, "case %zu", i);
                CHECK(!(added.value < cases[i].milliseconds) && !(added.value > cases[i].milliseconds), "%.17g, not %g",
                    added.value, cases[i].milliseconds);
                CHECK(proto_item_is_generated(&item), "it was not sent");
            }
        }
    }
}

/* captures/make/buffer.py: 6d0bbd9c-5f1e-4c0b-9c43-b0ffe25c0de5 */
static void
check_only_one_object_marks_calls_that_were_made_up(void)
{
    static const e_guid_t mark = { 0x6d0bbd9c, 0x5f1e, 0x4c0b, { 0x9c, 0x43, 0xb0, 0xff, 0xe2, 0x5c, 0x0d, 0xe5 } };
    dcerpc_call_value call = { .object_uuid = mark, .uuid = { .data1 = 1 } };
    const dcerpc_info of_call = { .call_data = &call }, of_none = { .call_data = NULL };

    CHECK(rpc_call_is_made_up(&of_call), "the object is the mark");
    CHECK(!rpc_call_is_made_up(&of_none), "no call is known");
    for (size_t byte = 0; byte < sizeof mark; byte++) {
        call.object_uuid = mark;
        ((uint8_t *)&call.object_uuid)[byte]++;
        CHECK(!rpc_call_is_made_up(&of_call), "another object, in byte %zu", byte);
        ((uint8_t *)&call.object_uuid)[byte] -= 2;
        CHECK(!rpc_call_is_made_up(&of_call), "another object, in byte %zu", byte);
    }
    call = (dcerpc_call_value){ .uuid = mark };
    CHECK(!rpc_call_is_made_up(&of_call), "the interface is no mark");
}

int
main(void)
{
    check_response_is_shown_in_milliseconds();
    check_only_one_object_marks_calls_that_were_made_up();
    check_response_time_is_from_request_to_answer();
    check_milliseconds_have_three_digits();
    return check_result();
}
