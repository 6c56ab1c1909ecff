/* test_rpc_call.c
 * How long an answer took
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

#include "compat.h"

#include <string.h>

#include "check.h"

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

int
main(void)
{
    check_response_time_is_from_request_to_answer();
    check_milliseconds_have_three_digits();
    return check_result();
}
