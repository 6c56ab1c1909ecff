/* rpc-latest.c
 * The latest calls of a connection by their numbers, and whether others than one interface's took some
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

#include <epan/guid-utils.h>

/* So many calls are remembered: a client that makes more between two of one interface's is taken to have lost some. */
#define MOST_CALLS 64u

struct rpc_latest {
    unsigned count;                           /* of all that were noted */
    struct rpc_latest_call calls[MOST_CALLS]; /* the latest, in turn */
};

static const struct rpc_latest *current;

struct rpc_latest *
rpc_latest_new(void)
{
    return wmem_new0(wmem_file_scope(), struct rpc_latest);
}

void
rpc_latest_note(struct rpc_latest *latest, struct rpc_latest_call call)
{
    latest->calls[latest->count++ % MOST_CALLS] = call;
}

const struct rpc_latest_call *
rpc_latest_find(const struct rpc_latest *latest, uint32_t call_id)
{
    for (unsigned i = latest == NULL ? 0 : latest->count; i > 0 && latest->count - i < MOST_CALLS; i--) {
        const struct rpc_latest_call *call = &latest->calls[(i - 1) % MOST_CALLS];

        if (call->call_id == call_id) {
            return call;
        }
    }
    return NULL;
}

void
rpc_latest_begin(const struct rpc_latest *latest)
{
    current = latest;
}

bool
rpc_latest_took_others(uint32_t first, uint32_t last, const e_guid_t *own)
{
    if (last - first >= MOST_CALLS) {
        return false;
    }
    for (uint32_t call_id = first; call_id != last + 1; call_id++) {
        const struct rpc_latest_call *call = rpc_latest_find(current, call_id);

        if (call == NULL || guid_cmp(&call->uuid, own) == 0) {
            return false;
        }
    }
    return true;
}
