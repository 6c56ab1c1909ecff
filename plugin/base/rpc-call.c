/* rpc-call.c
 * Calls as their PDUs show them, whether or not anybody reads their stubs
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

#include <wsutil/nstime.h>

static GArray *notes; /* struct rpc_note */

void
rpc_notes_begin(void)
{
    if (notes == NULL) {
        notes = g_array_new(FALSE, FALSE, sizeof(struct rpc_note));
    }
    g_array_set_size(notes, 0);
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

    if (notes != NULL) {
        g_array_append_val(notes, note);
    }
}

const struct rpc_note *
rpc_notes_get(unsigned number)
{
    return notes == NULL || number >= notes->len ? NULL : &g_array_index(notes, struct rpc_note, number);
}

bool
rpc_call_response_time(const struct rpc_call *call, const packet_info *pinfo, nstime_t *time)
{
    nstime_set_zero(time);
    if (call->request_frame == 0) {
        return false;
    }
    nstime_delta(time, &pinfo->abs_ts, &call->request_time);
    return true;
}
