/* query.c
 * Rules of [MS-PCQ] about identifiers, index maps and counter data (2.2.4.6 to 2.2.4.11, 3.1.4.1.5 to 3.1.4.1.7)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/rules/checks.h"

#include "base/hash.h"
#include "base/systemtime.h"
#include "base/win32-names.h"
#include "counters/catalog-table.h"

/* Status of identifiers, 3.1.4.1.7 */
enum {
    STATUS_PATH_NOT_FOUND       = 0x0003,
    STATUS_OUTOFMEMORY          = 0x000E,
    STATUS_INVALID_PARAMETER    = 0x0057,
    STATUS_ALREADY_EXISTS       = 0x00B7,
    STATUS_WMI_GUID_NOT_FOUND   = 0x1068,
    STATUS_WMI_ITEMID_NOT_FOUND = 0x106A,
};

static unsigned
end_of_text(unsigned offset, struct utf16_text text)
{
    return offset + text.size + (text.terminated ? 2 : 0);
}

bool
rules_is_zero(tvbuff_t *tvb, unsigned offset, unsigned length)
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

void
rules_check_identifiers_sent(const struct rules_buffer *buffer)
{
    const struct lpdata *lp = buffer->lp;
    const unsigned count = lpdata_count(lp->identifiers);

    for (unsigned i = 0; i < count; i++) {
        const struct lp_identifier *id = lpdata_identifier(lp, i);

        rules_check(lp->report, RULE_IDENTIFIER_RESERVED, id->reserved == 0, id->offset + 36, 4,
                    "Reserved of identifier %u is 0x%x, expected 0", i, id->reserved);
        if (rules_counterset_has_instances(buffer->server, &id->guid)) {
            rules_check(lp->report, RULE_IDENTIFIER_NAME, id->end > id->name_offset, id->offset + 20, 4,
                        "Size of identifier %u is %u, but its counterset has several instances: a name was expected", i,
                        id->size);
        }
    }
}

static bool
is_listed_status(uint32_t status)
{
    switch (status) {
    case 0:
    case STATUS_PATH_NOT_FOUND:
    case STATUS_OUTOFMEMORY:
    case STATUS_INVALID_PARAMETER:
    case STATUS_ALREADY_EXISTS:
    case STATUS_WMI_GUID_NOT_FOUND:
    case STATUS_WMI_ITEMID_NOT_FOUND:
        return true;
    default:
        return false;
    }
}

void
rules_check_identifiers_returned(const struct rules_buffer *buffer, wmem_allocator_t *scratch _U_)
{
    const struct lpdata *lp = buffer->lp;
    const struct call *call = buffer->call;
    const unsigned count = lpdata_count(lp->identifiers);

    if (call->identifiers != NULL) {
        rules_check(lp->report, RULE_IDENTIFIER_ECHO, count == call->num_identifiers, 0, 0,
                    "lpData holds %u identifiers, but %u were sent", count, call->num_identifiers);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct lp_identifier *id = lpdata_identifier(lp, i);
        const char *name = try_val_to_str_ext(id->status, &win32_error_vals_ext);

        if (call->identifiers != NULL && i < call->num_identifiers) {
            rules_check(lp->report, RULE_IDENTIFIER_ECHO, call_identifier_hash(lp, id) == call->identifiers[i],
                        id->offset, LP_IDENTIFIER_SIZE, "Identifier %u is not the one that was sent", i);
        }
        rules_check(lp->report, RULE_VALIDATE_STATUS, is_listed_status(id->status), id->offset + 16, 4,
                    "Status of identifier %u is %s (0x%x), which is not listed: only a provider may return it", i,
                    name == NULL ? "unknown" : name, id->status);
    }
}

void
rules_check_index_map(const struct rules_buffer *buffer, wmem_allocator_t *scratch _U_)
{
    const struct lpdata *lp = buffer->lp;
    const struct call *call = buffer->call;
    const unsigned count = lpdata_count(lp->identifiers);
    GHashTable *seen;

    if (call->expected_identifiers >= 0) {
        rules_check(lp->report, RULE_INFO_IDENTIFIERS, count == (unsigned)call->expected_identifiers, 0, 0,
                    "lpData holds %u identifiers, but the query has %d", count, call->expected_identifiers);
    }
    seen = g_hash_table_new(hash_pointer, g_direct_equal);
    for (unsigned i = 0; i < count; i++) {
        const struct lp_identifier *id = lpdata_identifier(lp, i);
        const unsigned name_end = end_of_text(id->name_offset, id->name);

        rules_check(lp->report, RULE_INDEX_RANGE, id->index < count, id->offset + 32, 4,
                    "Index of identifier %u is %u, expected less than %u", i, id->index, count);
        rules_check(lp->report, RULE_INDEX_UNIQUE, g_hash_table_add(seen, GUINT_TO_POINTER(id->index)), id->offset + 32,
                    4, "Index %u of identifier %u is another's already", id->index, i);
        if (id->end > name_end) {
            rules_check(lp->report, RULE_INFO_PADDING, rules_is_zero(lp->tvb, name_end, id->end - name_end), name_end,
                        id->end - name_end, "Padding behind the instance name of identifier %u is not 0", i);
        }
    }
    g_hash_table_destroy(seen);
}

/* The counters of a block, as far as they are known. */
struct block_counters {
    unsigned count;                     /* values of an instance */
    const struct catalog_counter *known;    /* NULL: nothing is known */
};

/* Whether a value of this size can be of a counter type (2.2.4.2 and its size bits). */
static bool
size_fits(uint32_t type, uint32_t size)
{
    /* The text says 32 bits, the type's own bits say 64. */
    if (type == PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE) {
        return size == 4 || size == 8;
    }
    switch (type & PERF_TYPE_SIZE_MASK) {
    case 0x000: return size == 4;
    case 0x100: return size == 8;
    case 0x200: return size == 0;
    default:    return true;
    }
}

static void
check_values(const struct lpdata *lp, const struct lp_block *block, const struct block_counters *counters)
{
    const unsigned rows = counters->known == NULL ? 0 : block->num_values / counters->count;

    for (unsigned c = 0; rows > 0 && c < counters->count; c++) {
        const uint32_t type = counters->known[c].type;
        const char *name = perf_counter_type_name(type);

        if (!counters->known[c].type_known) {
            continue;
        }
        for (unsigned r = 0; r < rows; r++) {
            const struct lp_value *value = lpdata_value(lp, block->first_value + r * counters->count + c);

            rules_check(lp->report, RULE_VALUE_DATA_SIZE, size_fits(type, value->data_size), value->offset, 4,
                        "dwDataSize is %u, not the size of a %s", value->data_size,
                        name == NULL ? "value of this type" : name);
            if (type == PERF_SAMPLE_BASE) {
                rules_check(lp->report, RULE_SAMPLE_BASE, value->value > 0, value->offset + LP_COUNTER_DATA_SIZE, 4,
                            "The value of this PERF_SAMPLE_BASE is 0, expected more");
            }
        }
    }
}

/* What the identifier a block answers to says of its counters. */
static struct block_counters
find_counters(const struct rules_buffer *buffer, const struct lp_block *block, const struct query_link *link,
              wmem_allocator_t *scratch)
{
    const struct lpdata *lp = buffer->lp;
    const bool has_ids = lpdata_type_has_ids(block->type);
    const bool is_complete = catalog_counterset_is_complete(buffer->server, &link->set);
    struct block_counters counters = { .count = has_ids ? block->num_ids : 1 };
    struct catalog_counter *known;

    if (link->kind == LINK_NONE || counters.count == 0 || (!has_ids && !link->counter_known)) {
        return counters;
    }
    known = wmem_alloc0_array(scratch, struct catalog_counter, counters.count);
    for (unsigned i = 0; i < counters.count; i++) {
        const bool found = catalog_counter(buffer->server, &link->set,
                                           has_ids ? lpdata_block_id(lp, block, i) : link->counter_id, &known[i]);

        if (has_ids && is_complete) {
            rules_check(lp->report, RULE_BLOCK_COUNTER_IDS, found && known[i].type_known,
                        block->counters_offset + LP_MULTI_COUNTERS_SIZE + 4 * i, 4,
                        "Counter id %u is none of the counterset's", lpdata_block_id(lp, block, i));
        }
        /* Whose type that is can't be told. */
        known[i].type_known = known[i].type_known && !known[i].has_twin;
    }
    counters.known = known;
    return counters;
}

static void
check_instance_padding(const struct lpdata *lp, const struct lp_block *block)
{
    for (unsigned i = 0; i < block->num_instances; i++) {
        const struct lp_instance *instance = lpdata_instance(lp, block->first_instance + i);
        const unsigned name_end = end_of_text(instance->name_offset, instance->name);
        const unsigned end = instance->num_values > 0 ? lpdata_value(lp, instance->first_value)->offset : name_end;

        if (end > name_end) {
            rules_check(lp->report, RULE_INSTANCE_PADDING, rules_is_zero(lp->tvb, name_end, end - name_end), name_end,
                        end - name_end, "Padding behind the instance name is not 0");
        }
    }
}

static void
check_block(const struct rules_buffer *buffer, unsigned index, wmem_allocator_t *scratch)
{
    const struct lpdata *lp = buffer->lp;
    const struct lp_block *block = lpdata_block(lp, index);
    struct query_link link = { .kind = LINK_NONE };
    struct block_counters counters;

    rules_check(lp->report, RULE_BLOCK_RESERVED, block->reserved == 0, block->offset + 12, 4,
                "Reserved of block %u is 0x%x, expected 0", index, block->reserved);
    if (!lpdata_type_is_known(block->type)) {
        return;
    }
    if (block->type == PERF_ERROR_RETURN) {
        rules_check(lp->report, RULE_BLOCK_ERROR_STATUS, block->status != 0, block->offset, 4,
                    "dwStatus of block %u is 0, expected an error: its type is PERF_ERROR_RETURN", index);
        return;
    }
    if (buffer->poll != NULL && index < buffer->poll->num_blocks) {
        link = queries_link(buffer->poll, index);
    }
    if (link.kind == LINK_MAPPED) {
        const bool has_ids = lpdata_type_has_ids(block->type);

        rules_check(lp->report, RULE_BLOCK_IDENTIFIER, has_ids != link.counter_known, block->offset + 4, 4,
                    "Block %u has %s, but the identifier with this Index, in frame %u, asks for %s", index,
                    has_ids ? "several counters" : "one counter", link.frame, link.counter_known ? "one" : "all");
        if (has_ids == link.counter_known) {
            return;
        }
    }
    counters = find_counters(buffer, block, &link, scratch);
    check_values(lp, block, &counters);
    check_instance_padding(lp, block);
}

static void
check_header(const struct lpdata *lp)
{
    nstime_t time;

    /* Beyond that a FILETIME has no SYSTEMTIME. */
    rules_check(lp->report, RULE_DATA_TIME, lp->perf_time_100ns < UINT64_C(1) << 63, 16, 8,
                "PerfTime100NSec is 0x%" PRIx64 ", which is no point in time", lp->perf_time_100ns);
    rules_check(lp->report, RULE_DATA_TIME, systemtime_to_nstime(lp->system_time, &time), 32, 16,
                "SystemTime is %s, which is no point in time", systemtime_text(lp->report->scope, lp->system_time));
    rules_check(lp->report, RULE_PERF_FREQ, lp->perf_freq > 0, 24, 8, "PerfFreq is 0, so PerfTimeStamp has no unit");
}

void
rules_check_data(const struct rules_buffer *buffer, wmem_allocator_t *scratch)
{
    const struct lpdata *lp = buffer->lp;
    const unsigned count = lpdata_count(lp->blocks);
    const unsigned mapped = buffer->poll == NULL ? 0 : queries_num_mapped(buffer->poll);

    if (lp->has_data_header) {
        check_header(lp);
    }
    if (mapped > 0) {
        rules_check(lp->report, RULE_POLL_BLOCKS, count == mapped, 4, 4,
                    "There are %u blocks, but the index map of the query has %u identifiers", count, mapped);
    }
    for (unsigned i = 0; i < count; i++) {
        check_block(buffer, i, scratch);
    }
}

void
rules_check_buffer(const struct rules_buffer *buffer, wmem_allocator_t *scratch)
{
    const struct operation *op = buffer->stub->op;

    if (!buffer->lp->is_cut) {
        if (buffer->stub->is_response && op->judge_returned != NULL) {
            op->judge_returned(buffer, scratch);
        } else if (!buffer->stub->is_response && op->judge_sent != NULL) {
            op->judge_sent(buffer);
        }
    }
    rules_order(buffer->lp->report);
}
