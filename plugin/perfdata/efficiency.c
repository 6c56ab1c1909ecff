/* efficiency.c
 * Wasteful clients: buffers that grow step by step, overlapping or late polls, values polled twice
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/answer.h"

#include <epan/to_str.h>

#include "base/hash.h"
#include "base/win32-names.h"
#include "session/session-pdu.h"

/* Request history of a value, for a handle or for a client of a server. File scope. */
struct perfdata_poll_stats {
    struct request_state polls;
    uint32_t polled_in; /* frame of the latest sample; 0: none */
    bool is_reported;   /* true once a finding names the other handle */
};

/* client, server and value as text -> struct perfdata_poll_stats */
static struct file_map all_poll_stats = { wmem_str_hash, g_str_equal, NULL };

static struct perfdata_poll_stats *
find_poll_stats(const char *ask)
{
    struct perfdata_poll_stats *poll_stats =
        (struct perfdata_poll_stats *)wmem_map_lookup(file_map(&all_poll_stats), ask);

    if (poll_stats == NULL) {
        poll_stats = wmem_new0(wmem_file_scope(), struct perfdata_poll_stats);
        wmem_map_insert(file_map(&all_poll_stats), wmem_strdup(wmem_file_scope(), ask), poll_stats);
    }
    return poll_stats;
}

/* Returns the history for a handle. */
static struct perfdata_poll_stats *
perfdata_poll_stats_of(const struct perfdata_call *call, const packet_info *pinfo)
{
    return find_poll_stats(wmem_strdup_printf(pinfo->pool, "handle %p %s", (const void *)call->key, call->value_name));
}

/* Returns the history for the client that an answer goes to, over all its handles. */
static struct perfdata_poll_stats *
perfdata_poll_stats_of_client(const struct perfdata_call *call, const packet_info *pinfo)
{
    return find_poll_stats(wmem_strdup_printf(pinfo->pool, "client %p %s %s", (const void *)call->key->server,
        address_to_str(pinfo->pool, &pinfo->dst), call->value_name));
}

void
perfdata_efficiency_request(struct perfdata_call *call, packet_info *pinfo, const dcerpc_info *di, uint32_t bytes)
{
    struct request_finding found = request_state_found(NULL);

    call->request_frame = pinfo->num;
    call->request_bytes = bytes;
    if (call->value_name != NULL && !rpc_call_is_made_up(di) && !session_pdu_is_assumed(session_pdu_of(pinfo)) &&
        request_state_sent(&perfdata_poll_stats_of(call, pinfo)->polls, pinfo, di->call_id, &found)) {
        call->finding = request_state_keep(&found);
    }
}

/*
 * Returns whether the client polled the same with another handle since this handle's previous sample. Reported once per
 * handle.
 */
static bool
learn_sample(const struct perfdata_call *call, const packet_info *pinfo, struct perfdata_poll_stats *own,
    struct request_finding *found)
{
    struct perfdata_poll_stats *all = perfdata_poll_stats_of_client(call, pinfo);
    const bool is_found = !own->is_reported && own->polled_in != 0 && all->polled_in > own->polled_in;

    if (is_found) {
        own->is_reported = true;
        found->num_twice = 1;
        found->twice = wmem_strdup_printf(wmem_file_scope(),
            "The client also polls this value with another handle, last in frame %u", all->polled_in);
    }
    own->polled_in = all->polled_in = pinfo->num;
    return is_found;
}

void
perfdata_efficiency_answer(struct perfdata_call *call, const packet_info *pinfo, const dcerpc_info *di,
    const struct perfdata_answer *answer)
{
    const nstime_t *sent = &di->call_data->req_time;
    struct request_finding found = request_state_found(call->finding);
    const uint32_t bytes = call->request_bytes + answer->bytes;
    struct perfdata_poll_stats *poll_stats;
    bool is_found = false;

    if (call->value_name == NULL || call->request_frame == 0 || !answer->has_error || rpc_call_is_made_up(di)) {
        return;
    }
    poll_stats = perfdata_poll_stats_of(call, pinfo);
    if (answer->error == WIN32_MORE_DATA) {
        request_state_too_small(&poll_stats->polls, pinfo, sent, bytes);
    } else if (!answer->failed) {
        is_found = request_state_fitted(&poll_stats->polls, pinfo, sent, bytes, &found);
    }
    is_found |= request_state_answered(&poll_stats->polls, call->request_frame, &found);
    if (answer->poll != NULL && answer->poll->base.sample != NULL) {
        is_found |= learn_sample(call, pinfo, poll_stats, &found);
    }
    if (is_found) {
        call->finding = request_state_keep(&found);
    }
}
