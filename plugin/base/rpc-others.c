/* rpc-others.c
 * Which numbers of a connection's calls other interfaces took
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-others.h"

#include <epan/guid-utils.h>

/* So many calls are remembered: a client that makes more between two of one interface's is taken to have lost some. */
#define MOST_CALLS 64u

struct rpc_others {
    unsigned count; /* of all that were noted */
    struct {
        uint32_t call_id;
        e_guid_t uuid;
    } calls[MOST_CALLS]; /* the latest, in turn */
};

static const struct rpc_others *current;

struct rpc_others *
rpc_others_new(void)
{
    return wmem_new0(wmem_file_scope(), struct rpc_others);
}

void
rpc_others_note(struct rpc_others *others, uint32_t call_id, const e_guid_t *uuid)
{
    const unsigned at = others->count++ % MOST_CALLS;

    others->calls[at].call_id = call_id;
    others->calls[at].uuid = *uuid;
}

void
rpc_others_begin(const struct rpc_others *others)
{
    current = others;
}

/* The latest call of a number may be another's. */
static bool
is_others(uint32_t call_id, const e_guid_t *own)
{
    for (unsigned i = current->count; i > 0 && current->count - i < MOST_CALLS; i--) {
        const unsigned at = (i - 1) % MOST_CALLS;

        if (current->calls[at].call_id == call_id) {
            return guid_cmp(&current->calls[at].uuid, own) != 0;
        }
    }
    return false;
}

bool
rpc_others_took(uint32_t first, uint32_t last, const e_guid_t *own)
{
    if (current == NULL || last - first >= MOST_CALLS) {
        return false;
    }
    for (uint32_t call_id = first; call_id != last + 1; call_id++) {
        if (!is_others(call_id, own)) {
            return false;
        }
    }
    return true;
}
