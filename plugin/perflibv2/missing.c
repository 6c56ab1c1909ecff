/* missing.c
 * Counters that a call requested but did not receive, for statistics
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/pdu.h"

#include <epan/tap.h>
#include <epan/to_str.h>

#include "counters/missing.h"
#include "counters/path.h"

int tap_perflibv2_missing = -1;

/* Returns a requested counter. If counter_id is unknown or 0xFFFFFFFF, its path ends with "*" (all counters). */
static struct perf_tap_asked
asked_counter(const struct pdu *pdu, const e_guid_t *set, const char *instance, bool counter_known, uint32_t counter_id)
{
    wmem_allocator_t *scope = pdu->n.pinfo->pool;
    struct perf_tap_asked asked = {
        .kind = ASKED_COUNTER,
        .set = catalog_counterset_name(pdu->call->server, set, pdu->n.pinfo->num).text,
        .set_id = guid_to_str(scope, set),
        .instance = instance,
        .has_counter_id = counter_known && counter_id != PERF_ID_NONE,
        .counter_id = counter_id,
    };

    if (asked.set == NULL) {
        asked.set = wmem_strdup_printf(scope, "{%s}", asked.set_id);
    }
    if (asked.has_counter_id) {
        asked.counter = catalog_counter_text(scope, pdu->call->server, set, counter_id, pdu->n.pinfo->num);
    }
    asked.text = counter_path_make(scope, server_host(pdu->call->server), asked.set, instance, 0,
        asked.counter == NULL ? "*" : asked.counter);
    return asked;
}

/* Reports the identifiers of a ValidateCounters call; each has its own status. */
static void
tell_identifiers(const struct pdu *pdu, struct missing *missing)
{
    wmem_allocator_t *scope = pdu->n.pinfo->pool;

    for (unsigned i = 0; i < lpdata_count(pdu->lp.identifiers); i++) {
        const struct lp_identifier *id = lpdata_identifier(&pdu->lp, i);
        const char *name = utf16_line(scope, pdu->lp.tvb, id->name_offset, id->name, ENC_LITTLE_ENDIAN);
        const struct perf_tap_asked asked = asked_counter(pdu, &id->guid, name, true, id->counter_id);

        if (!pdu->is_response) {
            missing_asked(missing, &asked, false);
        } else if (id->status != 0 && id->status != WIN32_ALREADY_EXISTS) {
            missing_answered(missing, &asked, (struct perf_tap_why){ .code = WHY_ERROR, .status = id->status });
        } else {
            missing_asked(missing, &asked, true);
        }
    }
}

/* Reports blocks of a poll that hold only an error, and whether the poll has fewer blocks than expected. */
static void
tell_blocks(const struct pdu *pdu, struct missing *missing)
{
    wmem_allocator_t *scope = pdu->n.pinfo->pool;
    const unsigned announced = pdu->poll->num_announced;
    const int expected = pdu->call->expected_identifiers;
    const char *query = wmem_strdup_printf(scope, "query %u", pdu->poll->query->number);
    const struct perf_tap_asked blocks = { ASKED_BLOCKS, .text = wmem_strdup_printf(scope, "blocks of %s", query) };

    for (unsigned i = 0; i < lpdata_count(pdu->lp.blocks); i++) {
        const struct lp_block *block = lpdata_block(&pdu->lp, i);
        const struct query_link *link = &values_block(pdu->values, i)->link;
        struct perf_tap_asked asked = { .kind = ASKED_BLOCKS };

        if (block->type != PERF_ERROR_RETURN) {
            continue;
        }
        if (link->kind == LINK_NONE) {
            asked.text = wmem_strdup_printf(scope, "block %u of %s", i, query);
        } else {
            asked = asked_counter(pdu, &link->set,
                link->instance_known ? queries_instance_text(scope, &link->instance) : NULL, link->counter_known,
                link->counter_id);
        }
        missing_answered(missing, &asked,
            (struct perf_tap_why){ .code = WHY_BLOCK_ERROR,
                .status = block->status,
                .has_finding = block->status == 0 });
    }
    if (pdu->poll->num_blocks < announced) {
        missing_answered(missing, &blocks,
            (struct perf_tap_why){ .code = WHY_BLOCKS_NOT_CAPTURED,
                .have = announced - pdu->poll->num_blocks,
                .expected = announced });
    } else if (expected > 0 && announced < (unsigned)expected) {
        missing_answered(missing, &blocks,
            (struct perf_tap_why){ .code = WHY_FEWER_BLOCKS,
                .have = announced,
                .expected = (unsigned)expected,
                .has_finding = pdu->report->num_faults != 0 });
    }
}

/* Returns the call as text, equal for equal requests. */
static const char *
missing_call(const struct pdu *pdu)
{
    static const e_guid_t none;
    const struct perflibv2_call *call = pdu->call;
    wmem_allocator_t *scope = pdu->n.pinfo->pool;
    const char *set;

    if (call->query != NULL && pdu->op->effect != OPENS_QUERY) {
        return wmem_strdup_printf(scope, "%s, query %u", pdu->op->name, call->query->number);
    }
    if (guid_cmp(&call->counterset, &none) == 0) {
        return pdu->op->name;
    }
    /* Use the GUID: the answer itself may supply the name, and the text must not change. */
    set = guid_to_str(scope, &call->counterset);
    return call->request_code == 0 ? wmem_strdup_printf(scope, "%s, {%s}", pdu->op->name, set)
                                   : wmem_strdup_printf(scope, "%s, {%s}, code %u (%u)", pdu->op->name, set,
                                         call->request_code, call->request_lcid);
}

void
missing_tell_pdu(const struct pdu *pdu, struct perf_tap_why why)
{
    struct missing *missing = pdu->call->server == NULL ? NULL : missing_new(tap_perflibv2_missing, pdu->n.pinfo);
    const struct perf_tap_poll *values = NULL;
    struct perf_tap_asked call = { .kind = ASKED_CALL };

    if (missing == NULL) {
        return;
    }
    call.text = missing_call(pdu);
    if (!pdu->is_response) {
        missing_asked(missing, &call, false);
    } else {
        missing_answered(missing, &call, why);
    }
    if (why.code == WHY_RECEIVED && pdu->op->effect == CHANGES_QUERY && pdu->call->add && pdu->has_lpdata) {
        tell_identifiers(pdu, missing);
    }
    if (pdu->poll != NULL) {
        tell_blocks(pdu, missing);
        values = values_record(pdu->values);
    }
    missing_tell(missing, server_host(pdu->call->server), values);
}
