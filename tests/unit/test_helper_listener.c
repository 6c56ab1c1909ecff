/* test_helper_listener.c
 * A tap listener that helps others: it hears its tap, and alone it makes no packet be dissected
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/rows.h"

#include <epan/tap.h>

#include "check.h"
#include "heap.h"

static unsigned resets, draws;

static void
count_reset(void *data)
{
    CHECK(data == &resets, "another listener's data");
    resets++;
}

static void
count_draw(void *data)
{
    CHECK(data == &resets, "another listener's data");
    draws++;
}

static tap_packet_status
take_packet(void *data _U_, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *tapped _U_,
    tap_flags_t flags _U_)
{
    return TAP_PACKET_REDRAW;
}

static void
test_helper_hears_its_tap_and_needs_no_dissection(void)
{
    const int tap = register_tap("heard"), other = register_tap("other");

    helper_listen("heard", &resets, count_reset, take_packet, count_draw);
    CHECK(have_tap_listener(tap), "it does not listen");
    CHECK(!have_tap_listener(other), "it listens to another tap");
    CHECK(!tap_listeners_require_dissection(), "it alone needs packets");
    reset_tap_listeners();
    CHECK(resets == 1 && draws == 0, "%u resets, %u draws", resets, draws);
    draw_tap_listeners(true);
    CHECK(resets == 1 && draws == 1, "%u resets, %u draws", resets, draws);
    remove_tap_listener(&resets);
    CHECK(!have_tap_listener(tap), "it still listens");

    /* Without what it may leave out. */
    helper_listen("other", &draws, NULL, take_packet, NULL);
    CHECK(have_tap_listener(other), "it does not listen");
    reset_tap_listeners();
    draw_tap_listeners(true);
    CHECK(resets == 1 && draws == 1, "%u resets, %u draws", resets, draws);
    remove_tap_listener(&draws);
}

static void
test_tap_that_is_not_there_is_no_fault(void)
{
    helper_listen("no such tap", &resets, count_reset, take_packet, count_draw);
    reset_tap_listeners();
    draw_tap_listeners(true);
    CHECK(resets == 1 && draws == 1, "%u resets, %u draws", resets, draws);
    CHECK_HEAP(helper_listen("no such tap", &resets, count_reset, take_packet, count_draw), "an error is kept");
}

int
main(void)
{
    test_helper_hears_its_tap_and_needs_no_dissection();
    test_tap_that_is_not_there_is_no_fault();
    return check_result();
}
