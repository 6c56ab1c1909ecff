/* rpc-call.c
 * Calls as their PDUs show them, whether or not anybody reads their stubs
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

#include <wsutil/nstime.h>

static GArray *notes; /* struct rpc_note */
static bool is_noting;

void
rpc_notes_begin(void)
{
    if (notes == NULL) {
        notes = g_array_new(FALSE, FALSE, sizeof(struct rpc_note));
    }
    g_array_set_size(notes, 0);
    is_noting = true;
}

void
rpc_notes_end(void)
{
    is_noting = false;
}

void
rpc_call_note(const dcerpc_info *di, const struct rpc_listener *listener, void *state)
{
    const struct rpc_note note = {
        .call_id = di->call_id,
        .opnum = di->call_data->opnum,
        .uuid = di->call_data->uuid,
        .listener = listener,
        .state = state,
    };

    if (is_noting) {
        g_array_append_val(notes, note);
    }
}

const struct rpc_note *
rpc_notes_get(unsigned number)
{
    return notes == NULL || number >= notes->len ? NULL : &g_array_index(notes, struct rpc_note, number);
}

nstime_t
rpc_response_time(uint32_t request_frame, const nstime_t *request_time, const packet_info *pinfo)
{
    nstime_t time = NSTIME_INIT_ZERO;

    if (request_frame != 0 && nstime_cmp(request_time, &pinfo->abs_ts) < 0) {
        nstime_delta(&time, &pinfo->abs_ts, request_time);
    }
    return time;
}
