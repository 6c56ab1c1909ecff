/* latest-calls.c
 * Latest calls of a connection by call_id: shows whether missing numbers were calls to other interfaces
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#include <epan/guid-utils.h>

/*
 * Number of latest calls kept. If a client makes more between two calls of an interface, the calls between count as
 * lost.
 */
#define MOST_CALLS 64u

struct latest_calls {
    unsigned count;                       /* number of calls added so far */
    struct latest_call calls[MOST_CALLS]; /* ring buffer of the latest calls */
};

struct latest_calls *
latest_calls_new(void)
{
    return wmem_new0(wmem_file_scope(), struct latest_calls);
}

void
latest_calls_note(struct latest_calls *latest, struct latest_call call)
{
    latest->calls[latest->count++ % MOST_CALLS] = call;
}

const struct latest_call *
latest_calls_find(const struct latest_calls *latest, uint32_t call_id)
{
    for (unsigned i = latest == NULL ? 0 : latest->count; i > 0 && latest->count - i < MOST_CALLS; i--) {
        const struct latest_call *call = &latest->calls[(i - 1) % MOST_CALLS];

        if (call->call_id == call_id) {
            return call;
        }
    }
    return NULL;
}

bool
latest_calls_took_others(const struct latest_calls *latest, uint32_t first, uint32_t last, const e_guid_t *own)
{
    if (last - first >= MOST_CALLS) {
        return false;
    }
    for (uint32_t call_id = first; call_id != last + 1; call_id++) {
        const struct latest_call *call = latest_calls_find(latest, call_id);

        if (call == NULL || guid_cmp(&call->uuid, own) == 0) {
            return false;
        }
    }
    return true;
}
