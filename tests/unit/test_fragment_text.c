/* test_fragment_text.c
 * The columns of a frame with the last fragments of a call: what tells of the fragments goes, all else stays
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

#include <string.h>

#include "check.h"

#define CALL 15

static int info_column;
static column_info *const columns = (column_info *)&info_column;

static struct {
    char info[200], protocol[40];
    bool is_fenced, is_protocol_writable;
} shown;

/* In place of Wireshark's. */
const char *
col_get_text(column_info *cinfo, const int col)
{
    CHECK(cinfo == columns && col == COL_INFO, "%d", col);
    return shown.info;
}

void
col_clear_fence(column_info *cinfo, const int col)
{
    CHECK(cinfo == columns && col == COL_INFO, "%d", col);
    shown.is_fenced = false;
}

void
col_add_str(column_info *cinfo, const int col, const char *str)
{
    CHECK(cinfo == columns, "others");
    /* It is copied there, and must not lie there. */
    CHECK(str < shown.info || str >= shown.info + sizeof shown.info, "what is written over itself");
    if (col == COL_INFO) {
        CHECK(!shown.is_fenced, "a fence is in the way");
        snprintf(shown.info, sizeof shown.info, "%s", str);
    } else if (col == COL_PROTOCOL && shown.is_protocol_writable) {
        snprintf(shown.protocol, sizeof shown.protocol, "%s", str);
    }
}

perflib_bool
col_get_writable(column_info *cinfo _U_, const int col)
{
    return col == COL_PROTOCOL && shown.is_protocol_writable;
}

void
col_set_writable(column_info *cinfo _U_, const int col, const perflib_bool writable)
{
    CHECK(col == COL_PROTOCOL, "%d", col);
    shown.is_protocol_writable = writable;
}

static wmem_allocator_t *pool;

/* A stub that was put together is data of its own; else it stands behind a header. */
static tvbuff_t *together, *behind;

static void
drop(tvbuff_t *stub, const char *info, uint8_t ptype)
{
    packet_info pinfo = { .cinfo = columns, .pool = pool };
    const dcerpc_info di = { .call_id = CALL, .ptype = ptype };

    snprintf(shown.info, sizeof shown.info, "%s", info);
    snprintf(shown.protocol, sizeof shown.protocol, "SMB2");
    shown.is_fenced = true;
    fragment_text_drop(stub, &pinfo, &di, "PERFLIB");
}

#define FIRST "Response: call_id: 15, Fragment: First, Ctx: 0 [Resp: #7]"
#define MID   "Response: call_id: 15, Fragment: Mid, Ctx: 0 [Resp: #7]"

static void
check_own_text_is_dropped_from_fragments(void)
{
    static const struct {
        const char *info, *left;
        uint8_t ptype;
    } cases[] = {
        { FIRST "QueryCounterData response", "QueryCounterData response", PDU_RESP },
        { MID "QueryCounterData response", "QueryCounterData response", PDU_RESP },
        { "Request: call_id: 15, Fragment: First, opnum: 6, Ctx: 0 Open request", "Open request", PDU_REQ },
        /* Operations that Wireshark has no name of are numbers, and some names end in one. */
        { FIRST "Unknown12 response", "Unknown12 response", PDU_RESP },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        for (unsigned writable = 0; writable < 2; writable++) {
            shown.is_protocol_writable = writable == 1;
            drop(together, cases[i].info, cases[i].ptype);
            CHECK(strcmp(shown.info, cases[i].left) == 0 && !shown.is_fenced, "%s", shown.info);
            CHECK(strcmp(shown.protocol, "PERFLIB") == 0, "%s", shown.protocol);
            CHECK(shown.is_protocol_writable == (writable == 1), "it is as it was");
        }
    }
}

static void
check_others_texts_stay(void)
{
    static const struct {
        const char *info;
        uint8_t ptype;
    } cases[] = {
        /* The other direction, another call, and one whose number begins or ends like ours. */
        { FIRST "QueryCounterData response", PDU_REQ },
        { "Response: call_id: 16, Fragment: Mid, Ctx: 0 X response", PDU_RESP },
        { "Response: call_id: 155, Fragment: Mid, Ctx: 0 X response", PDU_RESP },
        { "Response: call_id: 5, Fragment: Mid, Ctx: 0 X response", PDU_RESP },
        /* What is whole, or its last; and what no PDU stands before. */
        { "Response: call_id: 15, Fragment: Single, Ctx: 0 X response", PDU_RESP },
        { "Response: call_id: 15, Fragment: Last, Ctx: 0 X response", PDU_RESP },
        { "Response: call_id: 15, Ctx: 0 X response", PDU_RESP },
        { "Something, Fragment: Mid, X response", PDU_RESP },
        { "QueryCounterData response", PDU_RESP },
        { " response", PDU_RESP },
        { "", PDU_RESP },
        /* Another PDU after the fragment. */
        { MID "Response: call_id: 16, Fragment: Last, Ctx: 0 X response", PDU_RESP },
        /* Not the operation at its end. */
        { FIRST "QueryCounterData response, more", PDU_RESP },
    };
    packet_info pinfo = { .cinfo = NULL, .pool = pool };

    for (size_t i = 0; i < array_length(cases); i++) {
        shown.is_protocol_writable = true;
        drop(together, cases[i].info, cases[i].ptype);
        CHECK(strcmp(shown.info, cases[i].info) == 0 && shown.is_fenced, "%s became %s", cases[i].info, shown.info);
        CHECK(strcmp(shown.protocol, "SMB2") == 0, "%s", cases[i].info);
    }
    fragment_text_drop(together, &pinfo, &(const dcerpc_info){ .call_id = CALL }, "PERFLIB"); /* there are no columns */

    drop(behind, FIRST "QueryCounterData response", PDU_RESP);
    CHECK(strcmp(shown.info, FIRST "QueryCounterData response") == 0 && shown.is_fenced, "%s", shown.info);
}

int
main(void)
{
    static const uint8_t bytes[32];

    wmem_init();
    pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    together = tvb_new_real_data(bytes, sizeof bytes, sizeof bytes);
    behind = tvb_new_subset_remaining(together, 24);
    check_own_text_is_dropped_from_fragments();
    check_others_texts_stay();
    tvb_free_chain(together);
    wmem_destroy_allocator(pool);
    wmem_cleanup();
    return check_result();
}
