/* test_missing.c
 * What was asked for and not received: what a PDU tells of it, and to whom
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/missing.h"

#include <string.h>

#include <epan/tap.h>

#include "check.h"
#include "compat.h"

#define TAP 5
#define PDH 0xC0000BC0

static bool is_heard;
static const struct perf_tap_missing *told;
static unsigned num_told;
static packet_info pinfo;

/* In place of Wireshark's. */
perflib_bool
have_tap_listener(int tap_id)
{
    return tap_id == TAP && is_heard;
}

void
tap_queue_packet(int tap_id, packet_info *packet, const void *record)
{
    CHECK(tap_id == TAP && packet == &pinfo, "%d", tap_id);
    told = (const struct perf_tap_missing *)record;
    num_told++;
}

static void
check_items(void)
{
    static const struct perf_tap_missing_item expected[] = {
        { MISSING_ASKED, "a", "not captured: its answer", 0 },
        { MISSING_ACCEPTED, "b", NULL, 0 },
        { MISSING_RECEIVED, "c", NULL, 0 },
        { MISSING_REFUSED, "d", "why", PDH },
    };
    struct missing *missing = missing_new(TAP, &pinfo);

    missing_asked(missing, "a");
    missing_accepted(missing, "b");
    missing_answered(missing, "c", NULL, 0);
    missing_answered(missing, "d", "why", PDH);
    missing_tell(missing, "HOST", NULL);
    CHECK(num_told == 1 && told->num_items == 4 && told->values == NULL && told->needed == NULL, "%u", told->num_items);
    CHECK(strcmp(told->host, "HOST") == 0, "%s", told->host);
    for (unsigned i = 0; i < 4; i++) {
        const struct perf_tap_missing_item *item = &told->items[i];

        CHECK(item->kind == expected[i].kind && strcmp(item->what, expected[i].what) == 0 &&
                g_strcmp0(item->why, expected[i].why) == 0 && item->pdh == expected[i].pdh,
            "%u: %s", i, item->what);
    }
}

static void
check_nothing(void)
{
    struct missing *missing = missing_new(TAP, &pinfo);
    const struct perf_tap_poll poll = { .host = "HOST" };

    num_told = 0;
    missing_tell(missing, "HOST", NULL);
    CHECK(num_told == 0, "there is nothing to tell");
    missing_tell(missing, "HOST", &poll);
    CHECK(num_told == 1 && told->num_items == 0 && told->values == &poll, "values alone");

    missing = missing_new(TAP, &pinfo);
    missing_accepted(missing, "alone");
    missing_tell(missing, "HOST", NULL);
    CHECK(num_told == 2 && told->num_items == 1 && told->values == NULL, "one item");

    num_told = 0;
    missing_tell_needed(TAP, &pinfo, NULL);
    CHECK(num_told == 0, "that is not why");
    missing_tell_needed(TAP, &pinfo, "a key");
    CHECK(num_told == 1 && strcmp(told->needed, "a key") == 0 && told->num_items == 0 && told->host == NULL, "a key");

    num_told = 0;
    is_heard = false;
    CHECK(missing_new(TAP, &pinfo) == NULL, "nobody listens");
    missing_tell_needed(TAP, &pinfo, "a key");
    missing_asked(NULL, "a");
    missing_accepted(NULL, "b");
    missing_answered(NULL, "c", "why", PDH);
    missing_tell(NULL, "HOST", &poll);
    CHECK(num_told == 0, "nobody is told");
}

int
main(void)
{
    wmem_init();
    pinfo.pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    is_heard = true;
    check_items();
    check_nothing();
    wmem_destroy_allocator(pinfo.pool);
    wmem_cleanup();
    return check_result();
}
