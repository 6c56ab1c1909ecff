/* efficiency.c
 * What a client could do with less: buffers that grow, polls that overlap or come late, values polled twice
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/efficiency.h"

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

static wmem_map_t *all_habits; /* struct perfdata_ask -> struct perfdata_habits; file scope */

static struct asking_items items = ASKING_ITEMS_INIT;
static expert_field ei_twice = EI_INIT;

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

void
perfdata_efficiency_init(expert_module_t *expert)
{
    static ei_register_info ei[] = {
        { &items.growing, { "perfdata.growing_buffer", PI_SEQUENCE, PI_NOTE, ASKING_GROWING_TEXT, EXPFILL } },
        { &items.overlap, { "perfdata.poll.overlap", PI_SEQUENCE, PI_NOTE, ASKING_OVERLAP_TEXT, EXPFILL } },
        { &items.late, { "perfdata.poll.late", PI_SEQUENCE, PI_NOTE, ASKING_LATE_TEXT, EXPFILL } },
        { &ei_twice,
            { "perfdata.poll.twice", PI_SEQUENCE, PI_NOTE, "The client polls the same value with another handle, too",
                EXPFILL } },
    };

    expert_register_field_array(expert, ei, array_length(ei));
    all_habits = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), perfdata_ask_hash, perfdata_ask_equal);
}

static struct perfdata_habits *
find_habits(const struct perfdata_ask *ask)
{
    struct perfdata_habits *habits = (struct perfdata_habits *)wmem_map_lookup(all_habits, ask);

    if (habits == NULL) {
        struct perfdata_ask *kept = (struct perfdata_ask *)wmem_memdup(wmem_file_scope(), ask, sizeof *ask);

        copy_address_wmem(wmem_file_scope(), &kept->client, &ask->client);
        habits = wmem_new0(wmem_file_scope(), struct perfdata_habits);
        wmem_map_insert(all_habits, kept, habits);
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

static void
perfdata_keep(struct perfdata_call *call, const struct perfdata_efficiency *found)
{
    call->efficiency = (const struct perfdata_efficiency *)wmem_memdup(wmem_file_scope(), found, sizeof *found);
}

void
perfdata_efficiency_request(struct perfdata_call *call, const packet_info *pinfo, const dcerpc_info *di, uint32_t bytes)
{
    struct perfdata_efficiency found = { .other_frame = 0 };

    call->request_frame = pinfo->num;
    call->request_bytes = bytes;
    if (call->value_name != NULL &&
        asking_request(&perfdata_habits_of(call)->polls, pinfo, di->call_id, &found.asking)) {
        perfdata_keep(call, &found);
    }
}

/* A sample: whether the client's other handles polled the same since this one's sample before. Told once a handle. */
static bool
learn_sample(const struct perfdata_call *call, const packet_info *pinfo, struct perfdata_habits *own,
    uint32_t *other_frame)
{
    const struct perfdata_ask ask = { .server = call->key->server,
        .client = pinfo->dst,
        .value_name = call->value_name };
    struct perfdata_habits *all = find_habits(&ask);
    const bool is_found = !own->is_told && own->polled_in != 0 && all->polled_in > own->polled_in;

    if (is_found) {
        own->is_told = true;
        *other_frame = all->polled_in;
    }
    own->polled_in = all->polled_in = pinfo->num;
    return is_found;
}

void
perfdata_efficiency_answer(struct perfdata_call *call, const packet_info *pinfo, const dcerpc_info *di,
    const struct perfdata_answer *answer)
{
    const nstime_t *sent = &di->call_data->req_time;
    struct perfdata_efficiency found = { .other_frame = 0 };
    const uint32_t bytes = call->request_bytes + answer->bytes;
    struct perfdata_habits *habits;
    bool is_found = false;

    if (call->value_name == NULL || call->request_frame == 0 || !answer->has_error) {
        return;
    }
    if (call->efficiency != NULL) {
        found = *call->efficiency;
    }
    habits = perfdata_habits_of(call);
    if (answer->error == WIN32_MORE_DATA) {
        asking_too_small(&habits->polls, pinfo, sent, bytes);
    } else if (!answer->failed) {
        is_found = asking_fitted(&habits->polls, pinfo, sent, bytes, &found.asking);
    }
    is_found |= asking_answer(&habits->polls, call->request_frame, &found.asking);
    if (answer->poll != NULL && answer->poll->base.sample != NULL) {
        is_found |= learn_sample(call, pinfo, habits, &found.other_frame);
    }
    if (is_found) {
        perfdata_keep(call, &found);
    }
}

void
perfdata_efficiency_show(const struct perfdata_call *call, bool is_answer, packet_info *pinfo, proto_tree *tree,
    tvbuff_t *tvb)
{
    const struct perfdata_efficiency *efficiency = call->efficiency;

    if (efficiency == NULL) {
        return;
    }
    asking_show(&efficiency->asking, is_answer, &items, pinfo, tree, tvb);
    if (is_answer && efficiency->other_frame != 0) {
        proto_tree_add_expert_format(tree, pinfo, &ei_twice, tvb, 0, 0,
            "The client polls the same with another handle, too, last in frame %u", efficiency->other_frame);
    }
}
