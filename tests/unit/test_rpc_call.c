/* test_rpc_call.c
 * What dissectors note of the calls of a PDU, and how long an answer took
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

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
check_notes(void)
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
}

static void
check_response_time(void)
{
    const packet_info pinfo = { .abs_ts = { 12, 250000000 } };
    const struct rpc_call asked = { .request_frame = 1, .request_time = { 10, 750000000 } },
                          unasked = { .request_frame = 0, .request_time = { 10, 750000000 } };
    nstime_t time = { 99, 99 };

    CHECK(rpc_call_response_time(&asked, &pinfo, &time) && time.secs == 1 && time.nsecs == 500000000, "%g s",
        nstime_to_sec(&time));
    time.secs = time.nsecs = 99;
    CHECK(!rpc_call_response_time(&unasked, &pinfo, &time) && time.secs == 0 && time.nsecs == 0,
        "its request was not seen");
}

int
main(void)
{
    check_notes();
    check_response_time();
    return check_result();
}
