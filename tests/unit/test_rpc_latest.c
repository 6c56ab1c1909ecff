/* test_rpc_latest.c
 * Which of a connection's latest calls are remembered, and whose the numbers between two of them were
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

#include <epan/guid-utils.h>

#include "check.h"

/* So many are remembered. */
#define REMEMBERED 64u

static wmem_allocator_t *scope;

wmem_allocator_t *
wmem_file_scope(void)
{
    return scope;
}

static const e_guid_t own = { 1, 2, 3, { 4 } }, other = { 1, 2, 3, { 5 } };

/* A connection with calls of these numbers, the last included, each to another interface. */
static struct rpc_latest *
with_calls(uint32_t first, uint32_t last)
{
    struct rpc_latest *latest = rpc_latest_new();

    for (uint32_t call_id = first; call_id != last + 1; call_id++) {
        rpc_latest_note(latest, (struct rpc_latest_call){ call_id, (uint16_t)(call_id + 7), other });
    }
    return latest;
}

static void
check_latest_call_of_a_connection_is_found(void)
{
    struct rpc_latest *latest = with_calls(1, 100);

    CHECK(rpc_latest_find(NULL, 1) == NULL, "no connection");
    CHECK(rpc_latest_find(rpc_latest_new(), 0) == NULL, "no call yet");
    for (uint32_t call_id = 0; call_id <= 101; call_id++) {
        const struct rpc_latest_call *found = rpc_latest_find(latest, call_id);

        CHECK((found != NULL) == (call_id > 100 - REMEMBERED && call_id <= 100), "%u of 1 to 100", call_id);
        CHECK(found == NULL || (found->call_id == call_id && found->opnum == call_id + 7), "another's: %u", call_id);
    }
    /* Numbers may come again: the latest of that number. */
    rpc_latest_note(latest, (struct rpc_latest_call){ 90, 1, own });
    CHECK(rpc_latest_find(latest, 90) != NULL && rpc_latest_find(latest, 90)->opnum == 1, "an earlier one");
}

static void
check_took_others(void)
{
    struct rpc_latest *latest = with_calls(10, 20);

    rpc_latest_begin(latest);
    CHECK(rpc_latest_took_others(10, 20, &own) && rpc_latest_took_others(15, 15, &own), "all of them");
    CHECK(!rpc_latest_took_others(9, 20, &own) && !rpc_latest_took_others(10, 21, &own), "one is missing");
    CHECK(!rpc_latest_took_others(16, 15, &own), "there is none between two that follow each other");
    rpc_latest_note(latest, (struct rpc_latest_call){ 21, 0, own });
    CHECK(!rpc_latest_took_others(10, 21, &own) && rpc_latest_took_others(10, 20, &own), "the last is one's own");
    CHECK(!rpc_latest_took_others(21, 21, &own) && rpc_latest_took_others(21, 21, &other), "it alone");

    rpc_latest_begin(with_calls(1, REMEMBERED + 1));
    CHECK(rpc_latest_took_others(2, REMEMBERED + 1, &own), "as many as are remembered");
    CHECK(!rpc_latest_took_others(1, REMEMBERED + 1, &own), "one more");
    rpc_latest_begin(with_calls(UINT32_MAX, 1));
    CHECK(rpc_latest_took_others(UINT32_MAX, 1, &own), "numbers begin anew in between");
    rpc_latest_begin(NULL);
    CHECK(!rpc_latest_took_others(1, 1, &own), "of a connection that is not known");
}

int
main(void)
{
    wmem_init();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    check_latest_call_of_a_connection_is_found();
    check_took_others();
    wmem_destroy_allocator(scope);
    wmem_cleanup();
    return check_result();
}
