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
    bool is_reported;   /* true once a finding reported that the client polls the value with another handle, too */
};

/* text of client, server and value name, or of handle and value name -> struct perfdata_poll_stats */
static struct file_map all_poll_stats = { wmem_str_hash, g_str_equal, NULL };

/* Returns the request history of a handle or, if of_client, of all handles of the client that receives the answer. */
static struct perfdata_poll_stats *
find_poll_stats(const struct perfdata_call *call, const packet_info *pinfo, bool of_client)
{
    const char *ask = of_client
        ? wmem_strdup_printf(pinfo->pool, "client %p %s %s", (const void *)call->key->server,
              address_to_str(pinfo->pool, &pinfo->dst), call->value_name)
        : wmem_strdup_printf(pinfo->pool, "handle %p %s", (const void *)call->key, call->value_name);
    struct perfdata_poll_stats *poll_stats =
        (struct perfdata_poll_stats *)wmem_map_lookup(file_map(&all_poll_stats), ask);

    if (poll_stats == NULL) {
        poll_stats = wmem_new0(wmem_file_scope(), struct perfdata_poll_stats);
        wmem_map_insert(file_map(&all_poll_stats), wmem_strdup(wmem_file_scope(), ask), poll_stats);
    }
    return poll_stats;
}

void
perfdata_efficiency_request(struct perfdata_call *call, packet_info *pinfo, const dcerpc_info *di, uint32_t bytes)
{
    call->request_frame = pinfo->num;
    call->request_bytes = bytes;
    if (call->value_name != NULL && !rpc_call_is_made_up(di) && !session_pdu_is_assumed(session_pdu_of(pinfo))) {
        request_state_sent(&find_poll_stats(call, pinfo, false)->polls, pinfo, di->call_id, &call->finding);
    }
}

/* Notes, once per handle, that the client polled the same value with another handle since the previous sample. */
static void
learn_sample(struct perfdata_call *call, const packet_info *pinfo, struct perfdata_poll_stats *own)
{
    struct perfdata_poll_stats *all = find_poll_stats(call, pinfo, true);

    if (!own->is_reported && own->polled_in != 0 && all->polled_in > own->polled_in) {
        struct request_finding *found = request_state_finding(&call->finding);

        own->is_reported = true;
        found->num_twice = 1;
        found->twice = wmem_strdup_printf(wmem_file_scope(),
            "The client also polls this value with another handle, last in frame %u", all->polled_in);
    }
    own->polled_in = all->polled_in = pinfo->num;
}

void
perfdata_efficiency_answer(struct perfdata_call *call, const packet_info *pinfo, const dcerpc_info *di,
    const struct perfdata_answer *answer)
{
    const nstime_t *sent = &di->call_data->req_time;
    const uint32_t bytes = call->request_bytes + answer->bytes;
    struct perfdata_poll_stats *poll_stats;

    if (call->value_name == NULL || call->request_frame == 0 || !answer->has_error || rpc_call_is_made_up(di)) {
        return;
    }
    poll_stats = find_poll_stats(call, pinfo, false);
    if (answer->error == WIN32_MORE_DATA) {
        request_state_too_small(&poll_stats->polls, pinfo, sent, bytes);
    } else if (!answer->failed) {
        request_state_fitted(&poll_stats->polls, pinfo, sent, bytes, &call->finding);
    }
    request_state_answered(&poll_stats->polls, call->request_frame, &call->finding);
    if (answer->poll != NULL && answer->poll->base.sample != NULL) {
        learn_sample(call, pinfo, poll_stats);
    }
}
