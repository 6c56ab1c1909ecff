/* efficiency.c
 * What a client could do with less: buffers that grow, polls that overlap or come late, values polled twice
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/answer.h"

#include <string.h>

#include "base/hash.h"
#include "base/win32-names.h"
#include "perfdata/polls.h"

/* A value that is asked of a handle, or, where key is NULL, of a server by a client. */
struct perfdata_ask {
    const struct perfdata_key *key;
    const struct server *server;
    address client;
    const char *value_name;
};

/* What is known of it. File scope. */
struct perfdata_habits {
    struct asking polls;
    uint32_t polled_in; /* frame of the latest sample; 0: none */
    bool is_told;
};

static guint
perfdata_ask_hash(const void *p)
{
    const struct perfdata_ask *ask = (const struct perfdata_ask *)p;
    const uint32_t numbers[] = {
        hash_pointer(ask->key),
        hash_pointer(ask->server),
        add_address_to_hash(0, &ask->client),
        wmem_str_hash(ask->value_name),
    };

    return wmem_strong_hash((const uint8_t *)numbers, sizeof numbers);
}

static gboolean
perfdata_ask_equal(const void *a, const void *b)
{
    const struct perfdata_ask *x = (const struct perfdata_ask *)a;
    const struct perfdata_ask *y = (const struct perfdata_ask *)b;

    return x->key == y->key && x->server == y->server && addresses_equal(&x->client, &y->client) &&
        strcmp(x->value_name, y->value_name) == 0;
}

/* struct perfdata_ask -> struct perfdata_habits */
FILE_MAP(all_habits, perfdata_ask_hash, perfdata_ask_equal)

static struct perfdata_habits *
find_habits(const struct perfdata_ask *ask)
{
    struct perfdata_habits *habits = (struct perfdata_habits *)wmem_map_lookup(all_habits(), ask);

    if (habits == NULL) {
        struct perfdata_ask *kept = (struct perfdata_ask *)wmem_memdup(wmem_file_scope(), ask, sizeof *ask);

        copy_address_wmem(wmem_file_scope(), &kept->client, &ask->client);
        habits = wmem_new0(wmem_file_scope(), struct perfdata_habits);
        wmem_map_insert(all_habits(), kept, habits);
    }
    return habits;
}

/* Of a handle; value names are in file scope. */
static struct perfdata_habits *
perfdata_habits_of(const struct perfdata_call *call)
{
    struct perfdata_ask ask = { .key = call->key, .value_name = call->value_name };

    clear_address(&ask.client);
    return find_habits(&ask);
}

void
perfdata_efficiency_request(struct perfdata_call *call, const packet_info *pinfo, const dcerpc_info *di, uint32_t bytes)
{
    struct asking_finding found = asking_found(NULL);

    call->request_frame = pinfo->num;
    call->request_bytes = bytes;
    if (call->value_name != NULL && asking_request(&perfdata_habits_of(call)->polls, pinfo, di->call_id, &found)) {
        call->asking = asking_keep(&found);
    }
}

/* A sample: whether the client's other handles polled the same since this one's sample before. Told once a handle. */
static bool
learn_sample(const struct perfdata_call *call, const packet_info *pinfo, struct perfdata_habits *own,
    struct asking_finding *found)
{
    const struct perfdata_ask ask = { .server = call->key->server,
        .client = pinfo->dst,
        .value_name = call->value_name };
    struct perfdata_habits *all = find_habits(&ask);
    const bool is_found = !own->is_told && own->polled_in != 0 && all->polled_in > own->polled_in;

    if (is_found) {
        own->is_told = true;
        found->num_twice = 1;
        found->twice = wmem_strdup_printf(wmem_file_scope(),
            "The client polls the same with another handle, too, last in frame %u", all->polled_in);
    }
    own->polled_in = all->polled_in = pinfo->num;
    return is_found;
}

void
perfdata_efficiency_answer(struct perfdata_call *call, const packet_info *pinfo, const dcerpc_info *di,
    const struct perfdata_answer *answer)
{
    const nstime_t *sent = &di->call_data->req_time;
    struct asking_finding found = asking_found(call->asking);
    const uint32_t bytes = call->request_bytes + answer->bytes;
    struct perfdata_habits *habits;
    bool is_found = false;

    if (call->value_name == NULL || call->request_frame == 0 || !answer->has_error) {
        return;
    }
    habits = perfdata_habits_of(call);
    if (answer->error == WIN32_MORE_DATA) {
        asking_too_small(&habits->polls, pinfo, sent, bytes);
    } else if (!answer->failed) {
        is_found = asking_fitted(&habits->polls, pinfo, sent, bytes, &found);
    }
    is_found |= asking_answer(&habits->polls, call->request_frame, &found);
    if (answer->poll != NULL && answer->poll->base.sample != NULL) {
        is_found |= learn_sample(call, pinfo, habits, &found);
    }
    if (is_found) {
        call->asking = asking_keep(&found);
    }
}
