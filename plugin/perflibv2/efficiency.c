/* efficiency.c
 * Wasteful clients: buffers that grow step by step, overlapping or late polls, counters polled twice
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/pdu.h"

#include "base/hash.h"

/* How a client uses a query, to detect waste. File scope. */
struct perflibv2_poll_stats {
    const struct query *query;
    struct request_state polls;
    const void *conversation;                     /* conversation of the query's polls */
    uint32_t polled_in;                           /* frame of the latest poll; 0: none */
    unsigned removed;                             /* number of identifiers removed from this query */
    struct perflibv2_poll_stats *duplicate_query; /* another query with some of the same counters */
    unsigned shared;                              /* number of counters that both queries have */
    /* .removed of the duplicate query when it was found: if that has grown, .shared may be wrong */
    unsigned shared_removed;
    bool is_reported; /* true once a finding names the duplicate query */
};

/* History of requests with the same parameters, other than polls: only after the buffer of one was too small */
struct perflibv2_ask {
    const void *conversation, *query;
    e_guid_t counterset;
    uint32_t opnum, code, lcid; /* the members up to here are the key in perflibv2_asks */
    struct request_state state;
};

/* An identifier added to a query, as a hash */
struct added_identifier {
    uint64_t hash;
    struct perflibv2_poll_stats *owner; /* query to which the identifier was added last; NULL: removed from it */
};

#define ASK_KEY_SIZE (offsetof(struct perflibv2_ask, lcid) + sizeof(uint32_t))
HASH_BYTES(perflibv2_ask, ASK_KEY_SIZE)
/* Set of struct perflibv2_ask, unique by connection and parameters of the request */
static struct file_map perflibv2_asks = { perflibv2_ask_hash, perflibv2_ask_equal, NULL };

HASH_BYTES(added, sizeof(uint64_t))
/* Set of struct added_identifier, unique by .hash */
static struct file_map all_added = { added_hash, added_equal, NULL };

static struct perflibv2_poll_stats *
perflibv2_poll_stats_of(struct query *query)
{
    if (query->poll_stats == NULL) {
        query->poll_stats = wmem_new0(wmem_file_scope(), struct perflibv2_poll_stats);
        query->poll_stats->query = query;
    }
    return query->poll_stats;
}

/* Returns the request history of a query. It begins anew on another connection, which has its own call ids. */
static struct request_state *
polls_of(const struct pdu *pdu)
{
    struct perflibv2_poll_stats *poll_stats = perflibv2_poll_stats_of(pdu->call->query);

    if (poll_stats->conversation != pdu->n.di->conv) {
        poll_stats->conversation = pdu->n.di->conv;
        poll_stats->polls = (struct request_state){ 0 };
    }
    return &poll_stats->polls;
}

static bool
is_poll(const struct pdu *pdu)
{
    return pdu->n.di->call_data->opnum == OP_QUERY_COUNTER_DATA && pdu->call->query != NULL;
}

void
efficiency_learn_request(const struct pdu *pdu)
{
    struct request_finding **finding = &pdu->call->finding;

    if (pdu->other_machine != NULL) {
        request_state_finding(finding)->other_server = pdu->other_machine;
    }
    if (is_poll(pdu)) {
        request_state_sent(polls_of(pdu), pdu->n.pinfo, pdu->n.di->call_id, finding);
    }
}

/* Notes whether the client's buffer was too small for an answer. */
static void
learn_room(const struct pdu *pdu)
{
    const nstime_t *sent = &pdu->n.di->call_data->req_time;
    const struct perflibv2_ask key = {
        .conversation = pdu->n.di->conv,
        .query = pdu->call->query,
        .opnum = pdu->n.di->call_data->opnum,
        .counterset = pdu->call->counterset,
        .code = pdu->call->request_code,
        .lcid = pdu->call->request_lcid,
    };
    struct request_state *state;

    /* Most answers fit the buffer at once, so store nothing until one does not. */
    if (!is_poll(pdu) && !pdu_is_too_small(pdu) && !wmem_map_contains(file_map(&perflibv2_asks), &key)) {
        return;
    }
    state = is_poll(pdu)
        ? polls_of(pdu)
        : &((struct perflibv2_ask *)hash_entry(file_map(&perflibv2_asks), &key, ASK_KEY_SIZE, sizeof key))->state;
    if (pdu_is_too_small(pdu)) {
        request_state_too_small(state, pdu->n.pinfo, sent, pdu_bytes(pdu));
    } else {
        request_state_fitted(state, pdu->n.pinfo, sent, pdu_bytes(pdu), &pdu->call->finding);
    }
}

static struct added_identifier
added_of(const struct pdu *pdu, const struct lp_identifier *id)
{
    const struct series_row row = inference_row(pdu->lp.tvb, id->instance_id, id->name_offset, id->name);
    const struct query_identifier identifier = { .set = id->guid, .counter_id = id->counter_id, .instance = row };
    uint32_t numbers[] = {
        0,
        query_identifier_hash(&identifier),
        add_address_to_hash(0, &pdu->n.pinfo->dst),
        hash_pointer(pdu->call->query->server),
        id->counter_id,
        id->instance_id,
        id->guid.data1,
        row.name_size,
    };
    struct added_identifier added = { .hash = wmem_strong_hash((const uint8_t *)numbers, sizeof numbers) };

    numbers[0] = 1;
    added.hash = added.hash << 32 | wmem_strong_hash((const uint8_t *)numbers, sizeof numbers);
    return added;
}

/* Notes which identifiers a query adds or removes, and how many of the added ones another open query has, too. */
static void
learn_change(const struct pdu *pdu)
{
    struct perflibv2_poll_stats *poll_stats = perflibv2_poll_stats_of(pdu->call->query);

    for (unsigned i = 0; i < lpdata_count(pdu->lp.identifiers); i++) {
        const struct lp_identifier *id = lpdata_identifier(&pdu->lp, i);
        struct added_identifier key, *known;

        if (id->status != 0) {
            continue;
        }
        key = added_of(pdu, id);
        known = (struct added_identifier *)hash_entry(file_map(&all_added), &key, sizeof key.hash, sizeof key);
        if (!pdu->call->add) {
            poll_stats->removed++;
            if (known->owner == poll_stats) {
                known->owner = NULL;
            }
            continue;
        }
        if (known->owner != NULL && known->owner != poll_stats && known->owner->query->closed_in == 0) {
            if (poll_stats->duplicate_query != known->owner) {
                poll_stats->duplicate_query = known->owner;
                poll_stats->shared = 0;
                poll_stats->shared_removed = known->owner->removed;
            }
            poll_stats->shared++;
        }
        known->owner = poll_stats;
    }
}

/* Reports, once, that a query shares counters with another one that was polled since this query's previous poll. */
static void
learn_poll(const struct pdu *pdu)
{
    struct perflibv2_poll_stats *poll_stats = perflibv2_poll_stats_of(pdu->call->query);
    const struct perflibv2_poll_stats *duplicate_query = poll_stats->duplicate_query;
    const uint32_t before = poll_stats->polled_in;

    poll_stats->polled_in = pdu->n.pinfo->num;
    if (duplicate_query != NULL && !poll_stats->is_reported && before != 0 && duplicate_query->polled_in >= before &&
        poll_stats->removed == 0 && duplicate_query->removed == poll_stats->shared_removed) {
        struct request_finding *found = request_state_finding(&pdu->call->finding);

        poll_stats->is_reported = true;
        found->num_twice = poll_stats->shared;
        found->twice = wmem_strdup_printf(wmem_file_scope(),
            "The client also polls %u of these counters with query %u, last in frame %u", poll_stats->shared,
            duplicate_query->query->number, duplicate_query->polled_in);
    }
}

void
efficiency_learn_answer(const struct pdu *pdu)
{
    const bool has_succeeded = pdu->outcome == CALL_SUCCEEDED;

    if ((pdu->op->response & P_OUT_SIZES) && (pdu_is_too_small(pdu) || has_succeeded)) {
        learn_room(pdu);
    }
    if (is_poll(pdu)) {
        request_state_answered(polls_of(pdu), pdu->call->request_frame, &pdu->call->finding);
        if (has_succeeded) {
            learn_poll(pdu);
        }
    } else if (pdu->op->effect == CHANGES_QUERY && has_succeeded && pdu->call->query != NULL && pdu->has_lpdata) {
        learn_change(pdu);
    }
}
