/* call.c
 * A call: its kept state, outcome, and what is learned from it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/pdu.h"

#include "base/hash.h"

/* Returns which kind of text an answer to a request code contains. */
static enum catalog_text_kind
text_kind(uint32_t request_code)
{
    switch (request_code) {
    case PERF_REG_COUNTERSET_HELP_STRING:
    case PERF_REG_COUNTER_HELP_STRINGS: return CATALOG_DESCRIPTION;
    case PERF_REG_COUNTERSET_ENGLISH_NAME:
    case PERF_REG_COUNTER_ENGLISH_NAMES: return CATALOG_ENGLISH_NAME;
    default: return CATALOG_NAME;
    }
}

/* Returns the number of earlier counters with this id in the same buffer. seen: id -> number of counters so far. */
static unsigned
next_nth(wmem_map_t *seen, uint32_t id)
{
    const unsigned nth = GPOINTER_TO_UINT(wmem_map_lookup(seen, GUINT_TO_POINTER(id)));

    wmem_map_insert(seen, GUINT_TO_POINTER(id), GUINT_TO_POINTER(nth + 1));
    return nth;
}

/*
 * Learns the counters in an answer. Returns false if one of them refers to a counter (BaseCounterId, PerfTimeId,
 * PerfFreqId or MultiId) that the answer does not contain.
 */
static bool
learn_counters(const struct pdu *pdu)
{
    const struct lpdata *lp = &pdu->lp;
    const unsigned count = lpdata_count(lp->counters);
    wmem_map_t *seen = wmem_map_new(lp->scope, g_direct_hash, g_direct_equal);

    for (unsigned i = 0; i < count; i++) {
        const struct lp_counter_reg *c = lpdata_counter(lp, i);
        const struct catalog_counter info = {
            .type = c->type,
            .base_id = c->base_id,
            .perf_time_id = c->perf_time_id,
            .perf_freq_id = c->perf_freq_id,
            .multi_id = c->multi_id,
            .aggregate = c->aggregate,
            .attrib = c->attrib,
        };

        catalog_learn_counter(pdu->call->server, &pdu->call->counterset, c->id, next_nth(seen, c->id), &info,
            pdu->n.pinfo->num);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct lp_counter_reg *c = lpdata_counter(lp, i);
        const uint32_t related[] = { c->base_id, c->perf_time_id, c->perf_freq_id, c->multi_id };

        for (unsigned r = 0; r < array_length(related); r++) {
            if (related[r] != PERF_ID_NONE && related[r] != 0 &&
                !wmem_map_contains(seen, GUINT_TO_POINTER(related[r]))) {
                return false;
            }
        }
    }
    return true;
}

/* Returns a name in printable form, in which the catalog stores names. */
static const char *
perflibv2_call_text_at(const struct lpdata *lp, unsigned offset, struct utf16_text text)
{
    return utf16_line(lp->scope, lp->tvb, offset, text, ENC_LITTLE_ENDIAN);
}

/* Learns from an answer to QueryCounterSetRegistrationInfo. */
void
call_learn_registration(const struct pdu *pdu)
{
    struct perflibv2_call *call = pdu->call;
    const struct lpdata *lp = &pdu->lp;
    const uint32_t frame = pdu->n.pinfo->num;
    struct server *server = call->server;
    const e_guid_t *counterset = &call->counterset;
    const uint32_t request_code = call->request_code, lcid = call->request_lcid;
    const enum catalog_text_kind kind = text_kind(request_code);
    const unsigned num_strings = lpdata_count(lp->strings);
    wmem_map_t *seen;
    bool has_related;
    const char *text = lp->string.size == 0 ? NULL : perflibv2_call_text_at(lp, 0, lp->string);

    if (!call->has_request) {
        return;
    }
    switch (request_code) {
    case PERF_REG_COUNTERSET_STRUCT:
        if (lp->has_counterset) {
            const struct counterset info = {
                .instance_type = lp->counterset.instance_type,
                .num_counters = lp->counterset.num_counters,
            };

            catalog_learn_counterset(server, counterset, &info);
        }
        has_related = learn_counters(pdu);
        if (lp->has_counterset && lpdata_count(lp->counters) == lp->counterset.num_counters) {
            catalog_learn_listed(server, counterset, frame);
        }
        if (!has_related) {
            /*
             * A listed counter refers to one that is not listed, so the list is incomplete. Count a request that gets
             * no answer: then catalog_counterset_is_settled() stays false, and no rule relies on the list.
             */
            catalog_learn_asked(server, counterset, false);
        }
        break;
    case PERF_REG_COUNTER_STRUCT: learn_counters(pdu); break;
    case PERF_REG_COUNTERSET_NAME_STRING:
    case PERF_REG_COUNTERSET_HELP_STRING:
    case PERF_REG_COUNTERSET_ENGLISH_NAME:
        if (text != NULL && !lp->is_cut) {
            catalog_learn_counterset_text(server, counterset, kind, lcid, text, frame);
        }
        break;
    case PERF_REG_COUNTER_NAME_STRINGS:
    case PERF_REG_COUNTER_HELP_STRINGS:
    case PERF_REG_COUNTER_ENGLISH_NAMES:
        call->is_first_from_start =
            lp->offset_base_is_known && !lp->offset_from_headers && catalog_learn_from_start(server);
        seen = wmem_map_new(lp->scope, g_direct_hash, g_direct_equal);
        for (unsigned i = 0; i < num_strings; i++) {
            const struct lp_counter_string *s = lpdata_counter_string(lp, i);
            const unsigned nth = next_nth(seen, s->id);

            if (s->present && s->text.terminated) {
                catalog_learn_counter_text(server, counterset, s->id, nth, kind, lcid,
                    perflibv2_call_text_at(lp, s->text_offset, s->text), frame);
            }
        }
        break;
    case PERF_REG_PROVIDER_NAME:
        if (text != NULL && !lp->is_cut) {
            catalog_learn_provider(server, counterset, text, NULL, frame);
        }
        break;
    case PERF_REG_PROVIDER_GUID:
        if (lp->has_provider) {
            catalog_learn_provider(server, counterset, NULL, &lp->provider, frame);
        }
        break;
    }
}

/* Learns the instances in an answer to EnumerateCounterSetInstances. */
void
call_learn_instances(const struct pdu *pdu)
{
    const struct perflibv2_call *call = pdu->call;
    const struct lpdata *lp = &pdu->lp;
    const unsigned count = call->has_request ? lp->num_instances : 0;

    for (unsigned i = 0; i < count; i++) {
        const struct lp_instance *instance = &lp->instances[i];

        if (instance->name.size > 0 && instance->name.terminated) {
            catalog_learn_instance(call->server, &call->counterset, instance->id,
                perflibv2_call_text_at(lp, instance->name_offset, instance->name), pdu->n.pinfo->num);
        }
    }
}

/* Learns the instances named by identifiers of QueryCounterInfo. Patterns and "any instance" name none. */
static void
learn_identifiers(const struct pdu *pdu)
{
    const struct lpdata *lp = &pdu->lp;
    const unsigned count = lpdata_count(lp->identifiers);

    for (unsigned i = 0; i < count; i++) {
        const struct lp_identifier *id = lpdata_identifier(lp, i);
        const char *name = perflibv2_call_text_at(lp, id->name_offset, id->name);

        if (id->name.terminated && name[0] != '\0' && strpbrk(name, "*?") == NULL && id->instance_id != PERF_ID_NONE) {
            catalog_learn_instance(pdu->call->server, &id->guid, id->instance_id, name, pdu->n.pinfo->num);
        }
    }
}

struct perflibv2_call *
call_of(const dcerpc_info *di)
{
    struct perflibv2_call *call = (struct perflibv2_call *)di->call_data->se_data;

    if (call == NULL) {
        call = wmem_new0(wmem_file_scope(), struct perflibv2_call);
        call->expected_identifiers = -1;
        di->call_data->se_data = call;
    }
    return call;
}

uint32_t
call_identifier_hash(const struct lpdata *lp, const struct lp_identifier *id)
{
    const uint32_t numbers[] = { id->size, id->counter_id, id->instance_id };
    const uint8_t *name = id->name.size == 0 ? NULL : tvb_get_ptr(lp->tvb, (int)id->name_offset, (int)id->name.size);

    return hash_join(guid_map_hash(&id->guid),
        hash_join(wmem_strong_hash((const uint8_t *)numbers, sizeof numbers), wmem_strong_hash(name, id->name.size)));
}

void
call_begin(const struct pdu *pdu)
{
    struct perflibv2_call *call = pdu->call;

    if (call->connection.connection == NULL) {
        call->connection.connection = connections_of(pdu->n.di);
    }
    if (call->server == NULL) {
        call->server =
            server_asked(&call->connection.connection->link, server_address_of(pdu->n.pinfo, pdu->is_response), NULL);
    }
}

const char *
call_learn_machine(const struct pdu *pdu, const char *machine)
{
    const struct server_address at = server_address_of(pdu->n.pinfo, false);
    struct perflibv2_call *call = pdu->call;

    call->machine = line_text_copy(wmem_file_scope(), machine, 256);
    call->server = server_asked(&call->connection.connection->link, at, call->machine);
    return server_complaint(at.addr, call->machine, pdu->n.pinfo->pool);
}

void
call_learn_begin(const struct pdu *pdu)
{
    struct perflibv2_call *call = pdu->call;
    struct connection *connection = call->connection.connection;

    /* The call was not refused, so the machine has the name in szMachine. */
    if (pdu->is_response && pdu->outcome != CALL_FAILED && call->machine != NULL) {
        call->server = server_answered(&connection->link, server_address_of(pdu->n.pinfo, true), call->machine,
            call->request_frame);
        wmem_free(wmem_file_scope(), call->machine);
        call->machine = NULL;
    }
    if (!pdu->is_response) {
        call->connection = connections_request(connection, pdu->n.di, pdu->n.pinfo, pdu->session);
    } else if (!call->asked) {
        call->connection = connections_now(connection);
    } else {
        connections_answered(connection);
    }
}

void
call_learn_handle(const struct pdu *pdu, const e_guid_t *handle)
{
    struct perflibv2_call *call = pdu->call;

    call->query = queries_use(call->server, handle, &call->connection, pdu->n.pinfo->num);
    call->moment = queries_moment(call->query);
    /*
     * A request may be recognised late. A close in a later frame does not count: the handle was still open. Nor does a
     * close on another connection: captures reorder frames of different connections.
     */
    call->closed_in =
        call->query->closed_in < pdu->n.pinfo->num && call->query->closing.connection == call->connection.connection
        ? call->query->closed_in
        : 0;
    call->server = call->query->server;
    /*
     * Several servers may give out equal handles ([MS-PCQ] 3.2). Only if no call of this client is missing, it is
     * certain that the handle is not from this server.
     */
    if (call->query->opened_in == 0 && call->connection.is_whole && call->connection.is_only) {
        const struct query *elsewhere = queries_opened_elsewhere(call->query);

        if (elsewhere != NULL && !server_may_be(elsewhere->server, call->server)) {
            call->opened_on = server_host(elsewhere->server);
        }
    }
    if (pdu->op->effect == CHANGES_QUERY) {
        queries_change_sent(call->query, &call->connection);
    } else if (pdu->op->effect == CLOSES_QUERY) {
        call->query->may_be_closed = true;
    }
}

void
call_learn_opened(const struct pdu *pdu, const e_guid_t *handle)
{
    struct perflibv2_call *call = pdu->call;
    const uint32_t frame = pdu->n.pinfo->num;
    struct query *before = queries_find(call->server, handle);
    const struct connection_state now = connections_now(call->connection.connection);

    /*
     * The server gives out a handle again. The first one was certainly still open only if this connection had opened
     * it, and no call that may have closed it is missing. If another client had opened it, that client may have
     * disconnected: wait until it uses the handle again.
     */
    if (before != NULL && before->opened_in != 0 && before->closed_in == 0 && !before->may_be_closed &&
        call->has_request) {
        if (before->connection != call->connection.connection) {
            const bool is_same = connections_share_client(before->connection, call->connection.connection);

            before->given_again_in = is_same || before->given_again_in != 0 ? before->given_again_in : frame;
        } else if (before->all_gaps_opened == now.all_gaps && !now.is_unnumbered && queries_is_in_order(before)) {
            call->opened_in = before->opened_in;
        }
    }
    call->query = queries_open(call->server, handle, &now, call->has_request ? call->moment : UINT32_MAX, frame);
}

void
call_learn_sent(const struct pdu *pdu)
{
    struct perflibv2_call *call = pdu->call;
    const struct lpdata *lp = &pdu->lp;
    const unsigned count = lpdata_count(lp->identifiers);

    if (lp->is_cut) {
        return;
    }
    call->num_identifiers = count;
    call->identifiers = wmem_alloc_array(wmem_file_scope(), uint32_t, MAX(count, 1));
    for (unsigned i = 0; i < count; i++) {
        const struct lp_identifier *id = lpdata_identifier(lp, i);

        call->identifiers[i] = call_identifier_hash(lp, id);
        if (id->size < LP_IDENTIFIER_SIZE) {
            call->short_identifier = i + 1;
        }
    }
}

void
call_learn_map(const struct pdu *pdu)
{
    struct perflibv2_call *call = pdu->call;
    const struct lpdata *lp = &pdu->lp;

    learn_identifiers(pdu);
    if (call->query == NULL) {
        return;
    }
    call->expected_identifiers = queries_num_identifiers(call->query, call->moment, &call->connection);
    /* Skip an answer that the snap length cut: it would look as if identifiers had been removed. */
    if (!lp->is_cut) {
        if (call->expected_identifiers == (int)lpdata_count(lp->identifiers)) {
            call->odd_identifier = queries_first_identifier(call->query, lp, false, false, lp->scope);
        }
        queries_mapped(call->query, lp, call->moment, &call->connection, pdu->n.pinfo->num, lp->scope);
    }
}

void
call_learn_poll(const struct pdu *pdu)
{
    struct perflibv2_call *call = pdu->call;
    const struct lpdata *lp = &pdu->lp;

    if (call->query != NULL && lp->has_data_header) {
        call->expected_identifiers = queries_num_identifiers(call->query, call->moment, &call->connection);
        call->poll = queries_polled(call->query, lp, call->moment, &call->connection, pdu->n.pinfo->num, lp->scope);
    }
}

/*
 * Returns whether a ValidateCounters answer repeats the identifiers of its request; true if the snap length cut one of
 * the two. False also if a sent identifier was shorter than its structure: the rest of the list is then unreadable.
 */
static bool
returns_identifiers(const struct perflibv2_call *call, const struct lpdata *lp)
{
    const unsigned count = lpdata_count(lp->identifiers);

    if (lp->is_cut || call->identifiers == NULL) {
        return true;
    }
    if (call->short_identifier != 0 || count != call->num_identifiers) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        const struct lp_identifier *id = lpdata_identifier(lp, i);

        if (id->size > id->end - id->offset || call_identifier_hash(lp, id) != call->identifiers[i]) {
            return false;
        }
    }
    return true;
}

void
call_learn_change(const struct pdu *pdu)
{
    struct perflibv2_call *call = pdu->call;
    const struct lpdata *lp = &pdu->lp;

    if (call->query != NULL && call->has_request && (call->add_is_undefined || !returns_identifiers(call, lp))) {
        queries_changed_somehow(call->query);
    } else if (call->query != NULL && call->has_request) {
        if (!lp->is_cut && queries_is_only_change(call->query, call->moment, &call->connection)) {
            call->added_is_known = true;
            call->odd_identifier = queries_first_identifier(call->query, lp, call->add, true, lp->scope);
        }
        queries_changed(call->query, lp, call->add, lp->scope);
    }
}

/* Returns whether a call requests a counterset's list of counters. */
static bool
asks_for_counterset(const struct pdu *pdu)
{
    return pdu->op->learn == call_learn_registration && pdu->call->request_code == PERF_REG_COUNTERSET_STRUCT &&
        pdu->call->has_request;
}

/*
 * Returns whether a query's handle has certainly not been closed since it was opened: no call that may have closed or
 * reopened it is missing on any of the client's connections.
 */
static bool
is_surely_open(const struct query *query)
{
    const struct connection_state now = connections_now(query->connection);

    return now.all_gaps == query->all_gaps_opened && !now.any_lacks_open && !query->is_unnumbered;
}

void
call_learn_result(const struct pdu *pdu)
{
    struct perflibv2_call *call = pdu->call;
    struct query *query = call->query;
    const enum operation_effect effect = pdu->op->effect;
    const bool has_failed = pdu->outcome == CALL_FAILED, has_succeeded = pdu->outcome == CALL_SUCCEEDED;

    if (asks_for_counterset(pdu)) {
        catalog_learn_asked(call->asked_of, &call->counterset, true);
        if (pdu->said.return_code.value == WIN32_WMI_GUID_NOT_FOUND) {
            catalog_learn_lacking(call->asked_of, &call->counterset, pdu->n.pinfo->num);
        }
    }
    if (query == NULL) {
        return;
    }
    if (query->given_again_in != 0 && has_succeeded && effect != CLOSES_QUERY && call->has_request &&
        !query->may_be_closed && is_surely_open(query)) {
        call->given_again_in = query->given_again_in;
        query->given_again_in = 0;
    }
    if (effect == CLOSES_QUERY && has_succeeded) {
        queries_close(query, &call->connection, call->request_frame);
    } else if (effect == CHANGES_QUERY && has_succeeded && !pdu->has_lpdata && call->num_identifiers > 0) {
        queries_changed_somehow(query);
    } else if (effect == CHANGES_QUERY && (has_failed || !pdu->has_lpdata)) {
        queries_unchanged(query);
    } else if (effect == CLOSES_QUERY && has_failed) {
        query->may_be_closed = false;
    }
}

void
call_learn_unread(const struct pdu *pdu)
{
    if (pdu->op->effect != NO_EFFECT) {
        connections_lack_request(pdu->call->connection.connection, false, pdu->n.pinfo);
    }
}

void
call_learn_end(const struct pdu *pdu)
{
    struct perflibv2_call *call = pdu->call;
    const bool is_open = pdu->op->effect == OPENS_QUERY;
    const uint32_t code = pdu->said.return_code.value;

    if (!pdu->is_response && asks_for_counterset(pdu)) {
        call->asked_of = call->server;
        catalog_learn_asked(call->asked_of, &call->counterset, false);
    }
    if (!pdu->is_response && (pdu->op->request & P_HANDLE) && !(pdu->said.have & P_HANDLE)) {
        call_learn_unread(pdu);
    }
    if (is_open && (!pdu->is_response || (call->asked && (pdu->outcome == CALL_FAILED || call->query != NULL)))) {
        connections_opens(call->connection.connection, pdu->is_response ? -1 : 1);
        call->moment = queries_count;
    }
    /* Only success and ERROR_ACCESS_DENIED show whether the server accepts the connection's protection. */
    if (!pdu->is_response || (pdu_has_return_code(pdu) && (code == WIN32_SUCCESS || code == WIN32_ACCESS_DENIED))) {
        connections_look(&call->views[pdu->is_response], call->connection.connection, pdu->n.di, pdu->session,
            pdu->is_response);
    }
    /* Notes in the query how many calls are missing: one of them may have changed the query's identifiers. */
    if (call->query != NULL) {
        queries_called(call->query, is_open, call->connection.connection);
    }
}

void
call_learn_fault(const struct pdu *pdu, const struct rpc_fault *fault)
{
    struct perflibv2_call *call = pdu->call;
    struct connection *connection = call->connection.connection;

    call->answered = true;
    if (asks_for_counterset(pdu)) {
        catalog_learn_asked(call->asked_of, &call->counterset, true);
    }
    if (call->query != NULL && pdu->op->effect == CHANGES_QUERY) {
        queries_unchanged(call->query);
    }
    if (!call->asked) {
        return;
    }
    connections_answered(connection);
    if (pdu->op->effect == OPENS_QUERY) {
        connections_opens(connection, -1);
    }
    if (fault->has_status && rpc_fault_is_refusal(fault->status)) {
        connections_look_at_refused(&call->views[1], connection, fault->call);
    }
}
