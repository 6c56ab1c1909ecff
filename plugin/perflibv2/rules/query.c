/* query.c
 * Rules of [MS-PCQ] about identifiers, index maps and counter data (2.2.4.6 to 2.2.4.11, 3.1.4.1.5 to 3.1.4.1.7)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/rules/checks.h"

#include "base/hash.h"
#include "base/systemtime.h"

static unsigned
end_of_text(unsigned offset, struct utf16_text text)
{
    return offset + text.size + (text.terminated ? 2 : 0);
}

/* Returns whether the captured part of length bytes at offset is zero. */
static bool
is_zero(tvbuff_t *tvb, unsigned offset, unsigned length)
{
    const unsigned captured = tvb_captured_length(tvb);
    const unsigned there = offset >= captured ? 0 : MIN(length, captured - offset);
    const uint8_t *bytes = there == 0 ? NULL : tvb_get_ptr(tvb, (int)offset, (int)there);

    for (unsigned i = 0; i < there; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

static void
check_identifiers_sent(const struct pdu *pdu)
{
    const struct lpdata *lp = &pdu->lp;
    const unsigned count = lpdata_count(lp->identifiers);

    for (unsigned i = 0; i < count; i++) {
        const struct lp_identifier *id = lpdata_identifier(lp, i);

        rules_check(lp->report, RULE_IDENTIFIER_RESERVED, id->reserved == 0, id->offset + MEMBER(identifier, reserved),
            "Reserved of identifier %u is 0x%x, expected 0", i, id->reserved);
        if (id->size >= LP_IDENTIFIER_SIZE && catalog_counterset_has_instances(pdu->call->server, &id->guid)) {
            rules_check(lp->report, RULE_IDENTIFIER_NAME, id->end > id->name_offset,
                id->offset + MEMBER(identifier, size),
                "Size of identifier %u is %u, but its counterset has several instances: a name was expected", i,
                id->size);
        }
    }
}

/* Returns whether 3.1.4.1.7 lists a value as Status of an identifier. */
static bool
is_listed_status(uint32_t status)
{
    switch (status) {
    case WIN32_SUCCESS:
    case WIN32_PATH_NOT_FOUND:
    case WIN32_OUTOFMEMORY:
    case WIN32_INVALID_PARAMETER:
    case WIN32_ALREADY_EXISTS:
    case WIN32_WMI_GUID_NOT_FOUND:
    case WIN32_WMI_ITEMID_NOT_FOUND: return true;
    default: return false;
    }
}

uint32_t
rules_lists_since(const struct pdu *pdu)
{
    const uint32_t since = pdu->call->connection.lists_since;

    return since == 0 ? pdu->n.pinfo->num : since;
}

/* Checks the Status of an identifier in a ValidateCounters answer against the server's known counters. */
static void
check_accepted(const struct pdu *pdu, const struct lp_identifier *id, unsigned i)
{
    const struct perflibv2_call *call = pdu->call;
    const uint32_t lacked_in = catalog_counterset_lacked(pdu->call->server, &id->guid, call->request_frame);
    const uint32_t lists_since = rules_lists_since(pdu);
    struct catalog_counter counter;

    /* If dwAdd was neither 0 nor 1, no particular Status is expected. */
    if (!pdu->said.has_request || call->add_is_undefined) {
        return;
    }
    if (!call->add) {
        rules_check(pdu->lp.report, RULE_ALREADY_EXISTS, id->status != WIN32_ALREADY_EXISTS,
            id->offset + MEMBER(identifier, status),
            "Status of identifier %u is ERROR_ALREADY_EXISTS, but it was to be removed", i);
        return;
    }
    if (lacked_in != 0 && lacked_in >= lists_since) {
        rules_check(pdu->lp.report, RULE_ADDED_GUID, id->status != 0, id->offset + MEMBER(identifier, status),
            "Status of identifier %u is 0, expected ERROR_WMI_GUID_NOT_FOUND, as the server said in frame %u", i,
            lacked_in);
    } else if (id->counter_id != PERF_WILDCARD_COUNTER &&
        catalog_counterset_is_settled(pdu->call->server, &id->guid, call->request_frame) &&
        catalog_counterset_is_listed_in(pdu->call->server, &id->guid, lists_since, call->request_frame) &&
        catalog_counterset(pdu->call->server, &id->guid) != NULL) {
        const bool is_there =
            catalog_counter_own(pdu->call->server, &id->guid, id->counter_id, CATALOG_NOW, &counter) &&
            counter.type_known;

        rules_check(pdu->lp.report, RULE_ADDED_COUNTER, is_there || id->status != 0,
            id->offset + MEMBER(identifier, status),
            "Status of identifier %u is 0, expected ERROR_WMI_ITEMID_NOT_FOUND: its counterset has no counter %u", i,
            id->counter_id);
    }
}

static void
check_identifiers_returned(const struct pdu *pdu)
{
    const struct lpdata *lp = &pdu->lp;
    const struct perflibv2_call *call = pdu->call;
    const unsigned count = lpdata_count(lp->identifiers);
    /* Compare only if lpData has the size that it had in the request: the rule lpdata_count reports other sizes. */
    const bool is_echo = call->identifiers != NULL && tvb_reported_length(lp->tvb) == call->in_size;

    if (is_echo) {
        rules_check(lp->report, RULE_IDENTIFIER_ECHO, count == call->num_identifiers, 0, 0,
            "lpData holds %u identifiers, but %u were sent", count, call->num_identifiers);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct lp_identifier *id = lpdata_identifier(lp, i);
        const char *name = try_val_to_str_ext(id->status, &win32_error_vals_ext);

        if (is_echo && i < call->num_identifiers) {
            rules_check(lp->report, RULE_IDENTIFIER_ECHO, call_identifier_hash(lp, id) == call->identifiers[i],
                id->offset, LP_IDENTIFIER_SIZE, "Identifier %u differs from the one in the request", i);
        }
        rules_check(lp->report, RULE_IDENTIFIER_STATUS, id->status <= 0xFFFF, id->offset + MEMBER(identifier, status),
            "Status of identifier %u is 0x%08x, expected a Win32 error code of 16 bits", i, id->status);
        if (id->status <= 0xFFFF) {
            rules_check(lp->report, RULE_VALIDATE_STATUS, is_listed_status(id->status),
                id->offset + MEMBER(identifier, status),
                "Status of identifier %u is %s (0x%x), which is not listed: only a provider may return it", i,
                name == NULL ? "unknown" : name, id->status);
        }
        if (call->short_identifier == i + 1) {
            rules_check(lp->report, RULE_SHORT_IDENTIFIER_REFUSED, id->status != 0,
                id->offset + MEMBER(identifier, status),
                "Status of identifier %u is 0, expected an error: its Size %u is below %u", i, id->size,
                LP_IDENTIFIER_SIZE);
        } else {
            check_accepted(pdu, id, i);
        }
    }
    if (count > 0 && call->added_is_known && call->odd_identifier <= count) {
        const unsigned i = call->odd_identifier - (call->odd_identifier > 0);

        rules_check(lp->report, call->add ? RULE_ADDED_TWICE : RULE_REMOVED_UNKNOWN, call->odd_identifier == 0,
            lpdata_identifier(lp, i)->offset + MEMBER(identifier, status), "Status of identifier %u is 0, expected %s",
            i,
            call->add ? "ERROR_ALREADY_EXISTS: an earlier call added it"
                      : "ERROR_INVALID_PARAMETER: it was not added to the query");
    }
}

void
rules_check_identifiers(const struct pdu *pdu)
{
    (pdu->is_response ? check_identifiers_returned : check_identifiers_sent)(pdu);
}

void
rules_check_index_map(const struct pdu *pdu)
{
    const struct lpdata *lp = &pdu->lp;
    const struct perflibv2_call *call = pdu->call;
    const unsigned count = lpdata_count(lp->identifiers);
    GHashTable *seen;

    if (call->expected_identifiers >= 0) {
        rules_check(lp->report, RULE_INFO_IDENTIFIERS, count == (unsigned)call->expected_identifiers, 0, 0,
            "lpData holds %u identifiers, but the query has %d", count, call->expected_identifiers);
    }
    if (count > 0 && call->expected_identifiers == (int)count && call->odd_identifier <= count) {
        const unsigned i = call->odd_identifier - (call->odd_identifier > 0);

        rules_check(lp->report, RULE_INFO_COUNTERS, call->odd_identifier == 0, lpdata_identifier(lp, i)->offset,
            LP_IDENTIFIER_SIZE, "Identifier %u is for counter %u, which was not added to the query for this instance",
            i, lpdata_identifier(lp, i)->counter_id);
    }
    seen = g_hash_table_new(hash_pointer, g_direct_equal);
    for (unsigned i = 0; i < count; i++) {
        const struct lp_identifier *id = lpdata_identifier(lp, i);
        const unsigned name_end = end_of_text(id->name_offset, id->name);

        /* Check Size here: in requests [MS-PCQ] does not require a multiple of 8, but this index map is an answer. */
        if (id->size >= LP_IDENTIFIER_SIZE && id->size <= id->end - id->offset) {
            rules_check(lp->report, RULE_IDENTIFIER_SIZE, id->size % 8 == 0, id->offset + MEMBER(identifier, size),
                "Size of _PERF_COUNTER_IDENTIFIER is %u, not a multiple of 8", id->size);
        }
        rules_check(lp->report, RULE_INDEX_RANGE, id->index < count, id->offset + MEMBER(identifier, index),
            "Index of identifier %u is %u, expected less than %u", i, id->index, count);
        rules_check(lp->report, RULE_INDEX_UNIQUE, g_hash_table_add(seen, GUINT_TO_POINTER(id->index)),
            id->offset + MEMBER(identifier, index), "Another identifier already has the Index %u of identifier %u",
            id->index, i);
        if (id->end > name_end) {
            rules_check(lp->report, RULE_INFO_PADDING, is_zero(lp->tvb, name_end, id->end - name_end), name_end,
                id->end - name_end, "The padding after the instance name of identifier %u is not 0", i);
        }
    }
    g_hash_table_destroy(seen);
}

/* Counters of a block, as far as known */
struct block_counters {
    unsigned count;                      /* number of values per instance */
    const struct catalog_counter *known; /* NULL: unknown */
    uint32_t lists_since; /* rules_lists_since(): lists of counters from earlier frames may be outdated */
};

static void
check_values(const struct pdu *pdu, const struct lp_block *block, const struct block_counters *counters)
{
    const struct lpdata *lp = &pdu->lp;
    const unsigned rows = counters->known == NULL ? 0 : block->num_values / counters->count;

    for (unsigned c = 0; rows > 0 && c < counters->count; c++) {
        const struct catalog_counter *known = &counters->known[c];
        const uint32_t type = known->type;
        const char *name = perf_counter_type_name(type);
        /*
         * A type that was listed on an earlier connection, or after this poll, may be outdated by an upgrade of the
         * provider: then values of another size are no violation.
         */
        const bool is_stale = known->source != CATALOG_MACHINE || known->taught_in < counters->lists_since ||
            known->taught_in > pdu->n.pinfo->num;
        uint32_t held = 0, fitting = UINT32_MAX;

        if (!known->type_known) {
            continue;
        }
        for (unsigned r = 0; r < rows; r++) {
            const unsigned at = block->first_value + r * counters->count + c;
            const struct lp_value *value = &lp->values[at];

            if (value->data_size == fitting || perf_counter_type_has_size(type, value->data_size)) {
                fitting = value->data_size;
                held++;
            } else if (is_stale) {
                continue;
            } else {
                rules_broken(lp->report, RULE_VALUE_DATA_SIZE, value->offset + MEMBER(counter_data, data_size),
                    "dwDataSize is %u, not the size of a %s", value->data_size,
                    name == NULL ? "value of this type" : name);
                continue;
            }
            if (type == PERF_SAMPLE_BASE) {
                rules_check(lp->report, RULE_SAMPLE_BASE, lp->numbers[at] > 0, value->offset + LP_COUNTER_DATA_SIZE, 4,
                    "The value of this PERF_SAMPLE_BASE is 0, expected more than 0");
            }
        }
        rules_held(lp->report, RULE_VALUE_DATA_SIZE, held);
    }
}

/* Returns whether the counter ids of a block ascend, as servers send them, so that no id is repeated. */
static bool
is_ascending(const struct lpdata *lp, const struct lp_block *block)
{
    for (unsigned i = 1; i < block->num_ids; i++) {
        if (lpdata_block_id(lp, block, i) <= lpdata_block_id(lp, block, i - 1)) {
            return false;
        }
    }
    return true;
}

/* Checks that a block for CounterId 0xFFFFFFFF has all counters of its counterset. */
static void
check_all_counters(const struct pdu *pdu, const struct lp_block *block, const struct query_link *link)
{
    const struct lpdata *lp = &pdu->lp;
    const struct counterset *facts = catalog_counterset(pdu->call->server, &link->set);
    const unsigned num_checked = is_ascending(lp, block) ? 0 : block->num_ids;
    wmem_map_t *seen;

    if (facts == NULL) {
        return;
    }
    seen = wmem_map_new(lp->scope, hash_pointer, g_direct_equal);
    for (unsigned i = 0; i < num_checked; i++) {
        const void *id = GUINT_TO_POINTER(lpdata_block_id(lp, block, i));
        const unsigned num_same_id = MAX(catalog_same_id_count(pdu->call->server, &link->set, GPOINTER_TO_UINT(id)), 1);
        const unsigned before = GPOINTER_TO_UINT(wmem_map_lookup(seen, id));

        if (before == num_same_id) {
            rules_broken(lp->report, RULE_BLOCK_ALL_COUNTERS, block->counters_offset + LP_MULTI_COUNTERS_SIZE + 4 * i,
                4, "The block already has counter id %u", GPOINTER_TO_UINT(id));
            return;
        }
        wmem_map_insert(seen, id, GUINT_TO_POINTER(before + 1));
    }
    rules_check(lp->report, RULE_BLOCK_ALL_COUNTERS, block->num_ids >= facts->num_counters,
        block->counters_offset + MEMBER(multi_counters, counters),
        "The block has %u counters, but its counterset has %u, and all were asked for", block->num_ids,
        facts->num_counters);
}

/* Returns a block's counters as the catalog knows them, and checks that their counterset has them. */
static struct block_counters
find_counters(const struct pdu *pdu, const struct lp_block *block, const struct query_link *link)
{
    const struct lpdata *lp = &pdu->lp;
    const bool has_ids = lpdata_type_has_ids(block->type);
    struct block_counters counters = { .count = has_ids ? block->num_ids : 1 };
    struct catalog_counter *known;
    bool all_found = true, is_complete;
    uint32_t frame;

    if (link->kind == LINK_NONE || (!has_ids && !link->counter_known)) {
        return counters; /* the counters are unknown, as always in an answer without its request */
    }
    counters.lists_since = rules_lists_since(pdu);
    frame = link->kind == LINK_MAPPED ? MIN(link->frame, pdu->poll->values->frame) : pdu->poll->values->frame;
    is_complete = catalog_counterset_is_settled(pdu->call->server, &link->set, frame) &&
        catalog_counterset_is_listed_in(pdu->call->server, &link->set, counters.lists_since, frame);
    known = wmem_alloc0_array(lp->scope, struct catalog_counter, MAX(counters.count, 1));
    for (unsigned i = 0; i < counters.count; i++) {
        const bool found = catalog_counter_own(pdu->call->server, &link->set,
            has_ids ? lpdata_block_id(lp, block, i) : link->counter_id, CATALOG_NOW, &known[i]);

        all_found = all_found && found && known[i].type_known;
        if (has_ids && is_complete) {
            rules_check(lp->report, RULE_BLOCK_COUNTER_IDS, found && known[i].type_known,
                block->counters_offset + LP_MULTI_COUNTERS_SIZE + 4 * i, 4, "The counterset has no counter %u",
                lpdata_block_id(lp, block, i));
        }
        /* The type may not be that of these values if several counters share the id, or if it has changed. */
        known[i].type_known = known[i].type_known && !known[i].has_same_id && !known[i].type_changed;
    }
    if (has_ids && is_complete && all_found) {
        check_all_counters(pdu, block, link);
    }
    counters.known = counters.count == 0 ? NULL : known;
    return counters;
}

static void
check_instance_padding(const struct lpdata *lp, const struct lp_block *block)
{
    for (unsigned i = 0; i < block->num_instances; i++) {
        const struct lp_instance *instance = &lp->instances[block->first_instance + i];
        const unsigned name_end = end_of_text(instance->name_offset, instance->name);
        const unsigned end = instance->num_values > 0 ? lp->values[instance->first_value].offset : name_end;

        if (end > name_end) {
            rules_check(lp->report, RULE_INSTANCE_PADDING, is_zero(lp->tvb, name_end, end - name_end), name_end,
                end - name_end, "The padding after the instance name is not 0");
        }
    }
}

/*
 * Checks that a block holds only requested instances. An identifier without a name counts as a request for all, unless
 * the counterset has a single instance: a missing name is not the server's fault.
 */
static void
check_wanted(const struct pdu *pdu, unsigned index, const struct lp_block *block, const struct query_identifier *id)
{
    const struct lpdata *lp = &pdu->lp;
    const struct counterset *facts = catalog_counterset(pdu->call->server, &id->set);

    if (!lpdata_type_has_instances(block->type)) {
        rules_check(lp->report, RULE_BLOCK_SINGLE,
            id->instance.name_size == 0 || !inference_takes_names(id) ||
                !catalog_counterset_has_instances(pdu->call->server, &id->set),
            block->offset + MEMBER(block, type),
            "Block %u holds a single instance, but the identifier with this Index uses a wildcard, and its counterset "
            "has several",
            index);
        return;
    }
    if (id->instance.name_size == 0 ? facts != NULL && facts->instance_type == SINGLE_INSTANCE
                                    : !inference_takes_instances(id)) {
        rules_broken(lp->report, RULE_BLOCK_INSTANCES, block->offset + MEMBER(block, type),
            "Block %u holds several instances, but the identifier with this Index asks for one", index);
        return;
    }
    for (unsigned i = 0; i < block->num_instances; i++) {
        const struct lp_instance *instance = &lp->instances[block->first_instance + i];
        const struct series_row row = inference_row(lp->tvb, instance->id, instance->name_offset, instance->name);

        rules_check(lp->report, RULE_BLOCK_INSTANCES, !inference_is_other_instance(id, &row), instance->offset,
            LP_INSTANCE_HEADER_SIZE + instance->name.size,
            "Instance %u of block %u (id %u) does not match the identifier with this Index", i, index, instance->id);
    }
}

/* Checks a block with values. */
static void
check_content(const struct pdu *pdu, unsigned index, const struct lp_block *block)
{
    const struct lpdata *lp = &pdu->lp;
    const bool has_ids = lpdata_type_has_ids(block->type);
    const struct query_identifier *id = NULL;
    struct query_link link = { .kind = LINK_NONE };
    struct block_counters counters;

    if (pdu->poll != NULL && index < pdu->poll->num_blocks) {
        link = values_block(pdu->values, index)->link;
        id = queries_identifier(pdu->poll, index);
    }
    if (link.calls_missing || link.is_unnumbered) {
        /* A missing call may have changed the query's identifiers, so the block's identifier is uncertain. */
        link.kind = LINK_NONE;
    }
    if (link.is_exchanged && id != NULL && id->is_as_added) {
        /* Report only the swap: other mismatches of the block follow from it. */
        rules_broken(lp->report, RULE_BLOCK_IDENTIFIER, block->offset + MEMBER(block, type),
            "Block %u answers another identifier than the one with this Index", index);
        id = NULL;
    }
    if (id != NULL && !id->is_not_added) {
        const bool wants_all = id->counter_id == PERF_WILDCARD_COUNTER;

        rules_check(lp->report, RULE_BLOCK_IDENTIFIER, has_ids == wants_all, block->offset + MEMBER(block, type),
            "Block %u has %s, but the identifier with this Index asks for %s", index,
            has_ids ? "several counters" : "one counter", wants_all ? "all" : "one");
        if (has_ids != wants_all) {
            return;
        }
    }
    if (link.kind == LINK_NONE && link.cause == LINK_CONTRADICTED && id != NULL && id->is_as_added) {
        /*
         * The block contradicts its identifier in the index map, so its values get no names. The rules still compare
         * the block with that identifier.
         */
        link = inference_link_to(id, LINK_MAPPED, pdu->poll->values->frame);
    }
    counters = find_counters(pdu, block, &link);
    check_values(pdu, block, &counters);
    if (lpdata_type_has_instances(block->type)) {
        rules_check_unique_instances(lp, block->first_instance, block->num_instances);
        check_instance_padding(lp, block);
    }
    if (id != NULL && id->is_as_added) {
        check_wanted(pdu, index, block, id);
    }
}

static void
check_block(const struct pdu *pdu, unsigned index)
{
    const struct lpdata *lp = &pdu->lp;
    const struct lp_block *block = lpdata_block(lp, index);

    rules_check(lp->report, RULE_BLOCK_RESERVED, block->reserved == 0, block->offset + MEMBER(block, reserved),
        "Reserved of block %u is 0x%x, expected 0", index, block->reserved);
    if (!lpdata_type_is_known(block->type)) {
        return;
    }
    rules_check(lp->report, RULE_BLOCK_STATUS, block->status <= 0xFFFF, block->offset + MEMBER(block, status),
        "dwStatus of block %u is 0x%08x, expected a Win32 error code of 16 bits", index, block->status);
    if (block->type == PERF_ERROR_RETURN) {
        rules_check(lp->report, RULE_BLOCK_ERROR_STATUS, block->status != 0, block->offset + MEMBER(block, status),
            "dwStatus of block %u is 0, expected an error: its type is PERF_ERROR_RETURN", index);
        return;
    }
    if (block->status <= 0xFFFF) {
        rules_check(lp->report, RULE_BLOCK_VALUE_STATUS, block->status == 0, block->offset + MEMBER(block, status),
            "dwStatus of block %u is %s, although it holds values", index,
            val_to_str_ext_const(block->status, &win32_error_vals_ext, "an error"));
    }
    check_content(pdu, index, block);
}

/* Days of the week, and seconds from 1601 to 1970 */
#define DAYS_OF_WEEK    7
#define THURSDAY        4 /* weekday of 1970-01-01 */
#define SECONDS_A_DAY   86400
#define SECONDS_TO_1970 INT64_C(11644473600)
#define FILETIME_UNITS  10000000u

/* Maximum difference in seconds: SystemTime and PerfTime100NSec are read one after the other. */
#define MAX_APART 2

static void
check_times_agree(const struct lpdata *lp, const nstime_t *time)
{
    const int64_t other = (int64_t)(lp->header.perf_time_100ns / FILETIME_UNITS) - SECONDS_TO_1970;
    const int64_t apart = (int64_t)time->secs - other;
    const int64_t days = ((int64_t)time->secs - (time->secs < 0 ? SECONDS_A_DAY - 1 : 0)) / SECONDS_A_DAY;
    const unsigned day = (unsigned)(((days + THURSDAY) % DAYS_OF_WEEK + DAYS_OF_WEEK) % DAYS_OF_WEEK);

    if (apart >= -MAX_APART && apart <= MAX_APART) {
        rules_held(lp->report, RULE_SYSTEM_TIME, 1);
    } else {
        rules_broken(lp->report, RULE_SYSTEM_TIME, MEMBER(data_header, system_time),
            "SystemTime is %s, %" PRId64 " seconds from PerfTime100NSec",
            lp->report->is_shown ? systemtime_text(lp->report->scope, lp->header.system_time) : "", apart);
    }
    rules_check(lp->report, RULE_SYSTEM_TIME, lp->header.system_time[SYSTEMTIME_WEEKDAY] == day,
        AT_data_header_system_time + 2 * SYSTEMTIME_WEEKDAY, 2, "wDayOfWeek is %u, but that day is %u",
        lp->header.system_time[SYSTEMTIME_WEEKDAY], day);
}

static void
check_header(const struct lpdata *lp)
{
    const bool has_100ns = lp->header.perf_time_100ns < UINT64_C(1) << 63;
    nstime_t time;
    const bool has_system_time = systemtime_to_nstime(lp->header.system_time, &time);

    /* A FILETIME above INT64_MAX cannot be converted to a SYSTEMTIME. */
    rules_check(lp->report, RULE_DATA_TIME, has_100ns, MEMBER(data_header, perf_time_100ns),
        "PerfTime100NSec is 0x%" PRIx64 ", which is not a valid time", lp->header.perf_time_100ns);
    if (!has_system_time) {
        rules_broken(lp->report, RULE_DATA_TIME, MEMBER(data_header, system_time),
            "SystemTime is %s, which is not a valid time", systemtime_text(lp->report->scope, lp->header.system_time));
    } else {
        rules_held(lp->report, RULE_DATA_TIME, 1);
        if (has_100ns) {
            check_times_agree(lp, &time);
        }
    }
    rules_check(lp->report, RULE_PERF_FREQ, lp->header.perf_freq > 0, MEMBER(data_header, perf_freq),
        "PerfFreq is 0, so PerfTimeStamp has no unit");
}

/*
 * Returns whether the counter or instance of a block is unknown because the index map violates a rule or does not fit
 * the poll, or because the block's identifier lacks the instance's name.
 */
static bool
is_known_wrong(const struct pdu *pdu, unsigned index)
{
    const struct query_link *link = &values_block(pdu->values, index)->link;

    if (link->kind == LINK_MAPPED && !link->instance_known) {
        return true;
    }
    return link->kind == LINK_NONE && !link->calls_missing && !link->is_unnumbered &&
        queries_num_mapped(pdu->poll) > 0 &&
        (link->cause == LINK_NOT_MAPPED || link->cause == LINK_OTHER_NUMBER || link->cause == LINK_NOT_ADDED);
}

void
rules_check_data(const struct pdu *pdu)
{
    const struct lpdata *lp = &pdu->lp;
    const unsigned count = lpdata_count(lp->blocks);
    const unsigned mapped = pdu->poll == NULL ? 0 : queries_num_mapped(pdu->poll);

    if (lp->has_data_header) {
        check_header(lp);
    }
    if (lp->is_mistrusted || count != lp->header.num_counters) {
        /* The number of blocks is uncertain: a structure is inconsistent, or dwNumCounter is wrong. Do not check it. */
    } else if (mapped > 0 && (pdu->call->expected_identifiers < 0 || (int)mapped == pdu->call->expected_identifiers)) {
        rules_check(lp->report, RULE_POLL_BLOCKS, count == mapped, MEMBER(data_header, num_counters),
            "There are %u blocks, but the index map of the query has %u identifiers", count, mapped);
    } else if (pdu->call->expected_identifiers >= 0 && lp->has_data_header) {
        rules_check(lp->report, RULE_POLL_BLOCKS, count >= (unsigned)pdu->call->expected_identifiers,
            MEMBER(data_header, num_counters), "There are %u blocks, but %d identifiers were added to the query", count,
            pdu->call->expected_identifiers);
    }
    for (unsigned i = 0; i < count; i++) {
        const unsigned faults = lp->report->num_faults;
        const bool is_mistrusted = lpdata_block(lp, i)->is_mistrusted;

        if (!is_mistrusted) {
            check_block(pdu, i);
        }
        if (pdu->poll != NULL && (is_mistrusted || lp->report->num_faults != faults || is_known_wrong(pdu, i))) {
            values_mark_wrong(pdu->values, i);
        }
    }
}

void
rules_check_buffer(const struct pdu *pdu)
{
    /* In a poll, each block is judged separately, so check it even if one of its structures is inconsistent. */
    if (!pdu->lp.is_cut && (!pdu->lp.is_mistrusted || pdu->lp.has_data_header)) {
        pdu->op->judge(pdu);
    }
    rules_order(pdu->lp.report);
}
