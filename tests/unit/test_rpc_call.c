/* test_rpc_call.c
 * What dissectors note of the calls of a PDU, and how long an answer took
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

#include "compat.h"

#include <epan/guid-utils.h>

#include "check.h"

/* Only their addresses matter. */
static const struct rpc_listener listeners[2];
static int states[2];

static void
note(uint32_t call_id, uint16_t opnum, const e_guid_t *uuid, unsigned whose)
{
    dcerpc_call_value call = { .opnum = opnum, .uuid = *uuid };
    dcerpc_info di = { .call_id = call_id, .call_data = &call };

    rpc_call_note(&di, &listeners[whose], &states[whose]);
}

static bool
is_note(unsigned number, uint32_t call_id, uint16_t opnum, const e_guid_t *uuid, unsigned whose)
{
    const struct rpc_note *found = rpc_notes_get(number);

    return found != NULL && found->call_id == call_id && found->opnum == opnum && guid_cmp(&found->uuid, uuid) == 0 &&
        found->listener == &listeners[whose] && found->state == &states[whose];
}

static void
check_notes_are_kept_in_their_order(void)
{
    static const e_guid_t one = { 1, 2, 3, { 4 } }, two = { 5, 6, 7, { 8 } };

    note(1, 2, &one, 0);
    CHECK(rpc_notes_get(0) == NULL, "nobody asked for notes yet");
    rpc_notes_begin();
    CHECK(rpc_notes_get(0) == NULL, "none yet");
    note(3, 4, &one, 0);
    note(5, 6, &two, 1);
    CHECK(is_note(0, 3, 4, &one, 0) && is_note(1, 5, 6, &two, 1), "in their order");
    CHECK(rpc_notes_get(2) == NULL, "there are two");
    rpc_notes_begin();
    CHECK(rpc_notes_get(0) == NULL, "of PDUs before");
    note(7, 8, &two, 1);
    CHECK(is_note(0, 7, 8, &two, 1) && rpc_notes_get(1) == NULL, "of this one alone");
    rpc_notes_end();
    note(9, 10, &one, 0);
    CHECK(rpc_notes_get(1) == NULL, "nobody takes notes of later passes");
}

static void
check_response_time(void)
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

int
main(void)
{
    check_notes_are_kept_in_their_order();
    check_response_time();
    return check_result();
}
