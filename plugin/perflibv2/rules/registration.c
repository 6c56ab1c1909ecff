/* registration.c
 * Rules of [MS-PCQ] about countersets, counters, their strings and their instances (2.2.4.1 to 2.2.4.5, 3.1.4.1.1
 * to 3.1.4.1.3)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/rules/checks.h"

#include <epan/to_str.h>

#include "base/hash.h"

#define AGGREGATE_MAX 4
#define SCALE_MIN     (-10)
#define SCALE_MAX     10

/* Hash and comparison of GUIDs as 16 bytes; their byte order does not matter for that */
HASH_BYTES(raw_guid, LP_GUID_SIZE)

void
rules_check_guids(const struct pdu *pdu)
{
    const struct lpdata *lp = &pdu->lp;
    const unsigned count = tvb_captured_length(lp->tvb) / LP_GUID_SIZE;
    const uint8_t *bytes = count == 0 ? NULL : tvb_get_ptr(lp->tvb, 0, (int)(count * LP_GUID_SIZE));
    GHashTable *seen = g_hash_table_new(raw_guid_hash, raw_guid_equal);

    for (unsigned i = 0; i < count; i++) {
        const uint8_t *guid = bytes + i * LP_GUID_SIZE;

        rules_check(lp->report, RULE_GUID_UNIQUE, g_hash_table_add(seen, (void *)guid), i * LP_GUID_SIZE, LP_GUID_SIZE,
            "GUID %u of %u is already in the list", i + 1, count);
    }
    g_hash_table_destroy(seen);
}

static void
check_counterset(const struct pdu *pdu)
{
    struct rules_report *report = pdu->lp.report;
    const struct lp_counterset_reg *set = &pdu->lp.counterset;

    if (pdu_counterset(pdu) != NULL) {
        rules_check(report, RULE_COUNTERSET_GUID, guid_cmp(&set->guid, pdu_counterset(pdu)) == 0, 0, LP_GUID_SIZE,
            "CounterSetGuid is %s, but %s was asked for", guid_to_str(report->scope, &set->guid),
            guid_to_str(report->scope, pdu_counterset(pdu)));
    }
    rules_check(report, RULE_COUNTERSET_TYPE, set->type == 0, MEMBER(counterset_reg, type),
        "CounterSetType is %u, expected 0", set->type);
    rules_check(report, RULE_INSTANCE_TYPE, try_val_to_str(set->instance_type, lpdata_instance_type_vals) != NULL,
        MEMBER(counterset_reg, instance_type), "InstanceType is 0x%x, expected 0x0, 0x2, 0x4, 0x6, 0xc or 0x16",
        set->instance_type);
}

static void
check_detail_level(struct rules_report *report, uint32_t level, unsigned offset)
{
    /* [MS-PCQ] lists 100 (novice) and 200 (advanced); winperf.h defines two more. */
    const bool listed = level == 100 || level == 200;
    const bool known = try_val_to_str(level, perf_detail_level_vals) != NULL;

    rules_check(report, RULE_DETAIL_LEVEL, known, offset, 4, "DetailLevel is %u, expected 100 or 200", level);
    if (known) {
        rules_check(report, RULE_DETAIL_LEVEL_LISTED, listed, offset, 4,
            "DetailLevel is %u, which is %s in winperf.h, but is not listed", level,
            level == 300 ? "PERF_DETAIL_EXPERT" : "PERF_DETAIL_WIZARD");
    }
}

/* Returns whether winperf.h names a type that 2.2.4.2 does not list. */
static bool
is_unlisted(uint32_t type)
{
    switch (type) {
    case PERF_COUNTER_DELTA:
    case PERF_COUNTER_LARGE_DELTA:
    case PERF_COUNTER_MULTI_BASE:
    case PERF_COUNTER_NODATA:
    case (uint32_t)PERF_COUNTER_HISTOGRAM_TYPE: return true;
    default: return false;
    }
}

static void
check_attrib(struct rules_report *report, const struct lp_counter_reg *c)
{
    const uint64_t a = c->attrib;
    const bool no_display = (a & COUNTER_ATTRIB_NO_DISPLAY) &&
        (a & (COUNTER_ATTRIB_NO_SEPARATOR | COUNTER_ATTRIB_AS_REAL | COUNTER_ATTRIB_AS_HEX));
    const bool as_hex = (a & COUNTER_ATTRIB_AS_HEX) && (a & (COUNTER_ATTRIB_NO_SEPARATOR | COUNTER_ATTRIB_AS_REAL));

    rules_check(report, RULE_ATTRIB, (a & ~(uint64_t)COUNTER_ATTRIB_ALL) == 0, c->offset + MEMBER(counter_reg, attrib),
        "Attrib of counter %u is 0x%" PRIx64 ", expected no bits but 0x1f", c->id, a);
    rules_check(report, RULE_ATTRIB_COMBINATION, !no_display && !as_hex, c->offset + MEMBER(counter_reg, attrib),
        "Attrib of counter %u is 0x%" PRIx64
        ": \"%s\" must not be combined with the other bits (Windows' documentation allows it)",
        c->id, a, no_display ? "no display" : "display as hexadecimal");
}

/* Types of the related counters that a counter type needs (2.2.4.2); 0: none (no related counter has type 0) */
struct related_counters {
    uint32_t base, time, multi;
};

static struct related_counters
needs_of(uint32_t type)
{
    switch (type) {
    case PERF_AVERAGE_TIMER:
    case PERF_AVERAGE_BULK: return (struct related_counters){ .base = PERF_AVERAGE_BASE };
    case PERF_LARGE_RAW_FRACTION:
    case PERF_PRECISION_SYSTEM_TIMER:
    case PERF_PRECISION_100NS_TIMER: return (struct related_counters){ .base = PERF_LARGE_RAW_BASE };
    case PERF_RAW_FRACTION: return (struct related_counters){ .base = PERF_RAW_BASE };
    case PERF_SAMPLE_FRACTION: return (struct related_counters){ .base = PERF_SAMPLE_BASE };
    case PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE:
    case PERF_ELAPSED_TIME:
    case PERF_OBJ_TIME_TIMER:
    case PERF_PRECISION_OBJECT_TIMER: return (struct related_counters){ .time = PERF_COUNTER_LARGE_RAWCOUNT };
    case PERF_COUNTER_MULTI_TIMER:
    case PERF_100NSEC_MULTI_TIMER:
    case PERF_100NSEC_MULTI_TIMER_INV:
    case PERF_COUNTER_MULTI_TIMER_INV: return (struct related_counters){ .multi = PERF_COUNTER_RAWCOUNT };
    default: return (struct related_counters){ 0, 0, 0 };
    }
}

/* Counters of one answer, by id */
struct registration_counters {
    const struct pdu *pdu;
    GHashTable *by_id; /* id -> index + 1 */
    bool is_complete;  /* the answer has all counters of the counterset */
};

enum presence { ABSENT, PRESENT, UNKNOWN };

static enum presence
find_related(const struct registration_counters *counters, uint32_t id, uint32_t *type)
{
    const unsigned at = GPOINTER_TO_UINT(g_hash_table_lookup(counters->by_id, GUINT_TO_POINTER(id)));
    struct catalog_counter known;

    if (id == PERF_ID_NONE) {
        return ABSENT;
    }
    if (at != 0) {
        *type = lpdata_counter(&counters->pdu->lp, at - 1)->type;
        return PRESENT;
    }
    if (counters->is_complete) {
        return ABSENT;
    }
    if (pdu_counterset(counters->pdu) != NULL &&
        catalog_counter_own(counters->pdu->call->server, pdu_counterset(counters->pdu), id, CATALOG_NOW, &known) &&
        known.type_known) {
        *type = known.type;
        return PRESENT;
    }
    return UNKNOWN;
}

struct relation {
    const char *member;
    enum perflibv2_rule id_rule, type_rule;
    unsigned offset; /* offset in _PERF_COUNTER_REG_INFO */
};

static const struct relation base_relation = { "BaseCounterId", RULE_BASE_ID, RULE_BASE_TYPE, AT_counter_reg_base_id };
static const struct relation time_relation = { "PerfTimeId", RULE_PERF_TIME_ID, RULE_PERF_TIME_TYPE,
    AT_counter_reg_perf_time_id };
static const struct relation freq_relation = { "PerfFreqId", RULE_PERF_FREQ_ID, RULE_PERF_FREQ_TYPE,
    AT_counter_reg_perf_freq_id };
static const struct relation multi_relation = { "MultiId", RULE_MULTI_ID, RULE_MULTI_TYPE, AT_counter_reg_multi_id };

/*
 * Checks the counter `id` that c refers to by the member relation->member: it must exist and have the type `expected`.
 * expected 0: c needs no such counter.
 */
static void
check_relation(const struct registration_counters *counters, const struct lp_counter_reg *c,
    const struct relation *relation, uint32_t id, uint32_t expected)
{
    struct rules_report *report = counters->pdu->lp.report;
    uint32_t type = 0;

    if (expected == 0) {
        return;
    }
    switch (find_related(counters, id, &type)) {
    case ABSENT:
        rules_broken(report, relation->id_rule, c->offset + relation->offset, 4,
            "%s of counter %u is 0x%x, which is not a counter of the counterset: %s requires one of type %s",
            relation->member, c->id, id, perf_counter_type_name(c->type), perf_counter_type_name(expected));
        break;
    case PRESENT:
        rules_held(report, relation->id_rule, 1);
        /* [MS-PCQ] and the manifest schema require different types for MultiId: accept both. */
        if (expected == PERF_COUNTER_RAWCOUNT && type == PERF_COUNTER_MULTI_BASE) {
            expected = type;
        }
        rules_check(report, relation->type_rule, type == expected, c->offset + relation->offset, 4,
            "%s of counter %u names counter %u of type 0x%08x (%s), expected %s", relation->member, c->id, id, type,
            perf_counter_type_name(type) == NULL ? "unknown" : perf_counter_type_name(type),
            perf_counter_type_name(expected));
        break;
    default: break;
    }
}

static void
check_relations(const struct registration_counters *counters, const struct lp_counter_reg *c)
{
    const struct related_counters needs = needs_of(c->type);
    uint32_t type;

    check_relation(counters, c, &base_relation, c->base_id, needs.base);
    /*
     * Microsoft's own programs compute PERF_PRECISION_OBJECT_TIMER with a base counter: accept that instead of a time
     * counter.
     */
    if (c->type != PERF_PRECISION_OBJECT_TIMER || find_related(counters, c->perf_time_id, &type) != ABSENT ||
        find_related(counters, c->base_id, &type) == ABSENT) {
        check_relation(counters, c, &time_relation, c->perf_time_id, needs.time);
        check_relation(counters, c, &freq_relation, c->perf_freq_id, needs.time);
    }
    check_relation(counters, c, &multi_relation, c->multi_id, needs.multi);
}

static void
check_counter(const struct registration_counters *counters, const struct lp_counter_reg *c)
{
    struct rules_report *report = counters->pdu->lp.report;
    const char *name = perf_counter_type_name(c->type);

    rules_check(report, RULE_COUNTER_TYPE, name != NULL, c->offset + MEMBER(counter_reg, type),
        "Type of counter %u is 0x%08x, which is not a counter type", c->id, c->type);
    if (name != NULL) {
        rules_check(report, RULE_COUNTER_TYPE_LISTED, !is_unlisted(c->type), c->offset + MEMBER(counter_reg, type),
            "Type of counter %u is %s, which is in winperf.h, but is not listed", c->id, name);
    }
    check_attrib(report, c);
    check_detail_level(report, c->detail_level, c->offset + AT_counter_reg_detail_level);
    rules_check(report, RULE_DEFAULT_SCALE, c->default_scale >= SCALE_MIN && c->default_scale <= SCALE_MAX,
        c->offset + MEMBER(counter_reg, default_scale), "DefaultScale of counter %u is %d, expected -10 to 10", c->id,
        c->default_scale);
    check_relations(counters, c);
    rules_check(report, RULE_AGGREGATE, c->aggregate <= AGGREGATE_MAX, c->offset + MEMBER(counter_reg, aggregate),
        "AggregateFunc of counter %u is %u, expected 0 to 4", c->id, c->aggregate);
    rules_check(report, RULE_COUNTER_RESERVED, c->reserved == 0, c->offset + MEMBER(counter_reg, reserved),
        "Reserved of counter %u is 0x%x, expected 0", c->id, c->reserved);
}

static void
check_counters(const struct pdu *pdu, bool is_complete)
{
    const struct lpdata *lp = &pdu->lp;
    const unsigned count = lpdata_count(lp->counters);
    struct registration_counters counters = { pdu, g_hash_table_new(hash_pointer, g_direct_equal), is_complete };

    for (unsigned i = 0; i < count; i++) {
        const struct lp_counter_reg *c = lpdata_counter(lp, i);
        const unsigned earlier = GPOINTER_TO_UINT(g_hash_table_lookup(counters.by_id, GUINT_TO_POINTER(c->id)));

        rules_check(lp->report, RULE_COUNTER_ID_UNIQUE, earlier == 0, c->offset, 4,
            "CounterId %u is already used by counter %u", c->id, earlier);
        if (earlier == 0) {
            g_hash_table_insert(counters.by_id, GUINT_TO_POINTER(c->id), GUINT_TO_POINTER(i + 1));
        }
    }
    for (unsigned i = 0; i < count; i++) {
        check_counter(&counters, lpdata_counter(lp, i));
    }
    g_hash_table_destroy(counters.by_id);
}

static void
check_strings(const struct pdu *pdu)
{
    const struct lpdata *lp = &pdu->lp;
    const unsigned count = lpdata_count(lp->strings);
    const unsigned size = tvb_reported_length(lp->tvb);
    const struct counterset *facts =
        pdu_counterset(pdu) == NULL ? NULL : catalog_counterset(pdu->call->server, pdu_counterset(pdu));

    if (size < LP_STRING_BUFFER_SIZE) {
        return;
    }
    rules_check(lp->report, RULE_STRINGS_ALIGNED, size % 8 == 0, MEMBER(strings_header, size),
        "The string buffer has %u bytes, not a multiple of 8", size);
    if (lp->offset_from_headers) {
        rules_held(lp->report, RULE_STRINGS_OFFSET_BASE, 1);
    } else if (pdu->call->is_first_from_start) {
        /* Report the deviation once per server. */
        rules_broken(lp->report, RULE_STRINGS_OFFSET_BASE, LP_STRING_BUFFER_SIZE, count * LP_STRING_COUNTER_SIZE,
            "dwOffset counts from the start of the buffer, as Windows does, not from the end of the headers");
    }
    if (facts == NULL ||
        !catalog_counterset_is_listed_in(pdu->call->server, pdu_counterset(pdu), rules_lists_since(pdu),
            pdu->n.pinfo->num) ||
        !catalog_counterset_is_settled(pdu->call->server, pdu_counterset(pdu), pdu->n.pinfo->num)) {
        return;
    }
    rules_check(lp->report, RULE_STRINGS_COUNTERS, lp->strings_header.counters == facts->num_counters,
        MEMBER(strings_header, counters), "dwCounters is %u, but the counterset has %u counters",
        lp->strings_header.counters, facts->num_counters);
    for (unsigned i = 0; i < count; i++) {
        const struct lp_counter_string *s = lpdata_counter_string(lp, i);
        struct catalog_counter known;

        rules_check(lp->report, RULE_STRINGS_COUNTER_ID,
            catalog_counter_own(pdu->call->server, pdu_counterset(pdu), s->id, CATALOG_NOW, &known) && known.type_known,
            s->offset, 4, "dwCounterId is %u, which is not a counter of the counterset", s->id);
    }
}

void
rules_check_registration(const struct pdu *pdu)
{
    const struct lpdata *lp = &pdu->lp;

    if (!pdu->said.has_request) {
        return;
    }
    switch (pdu->said.request_code.value) {
    case PERF_REG_COUNTERSET_STRUCT:
        if (lp->has_counterset) {
            check_counterset(pdu);
            check_detail_level(lp->report, lp->counterset.detail_level, AT_counterset_reg_detail_level);
        }
        check_counters(pdu, lpdata_count(lp->counters) >= lp->counterset.num_counters);
        break;
    case PERF_REG_COUNTER_STRUCT:
        if (lpdata_count(lp->counters) == 1) {
            const struct lp_counter_reg *c = lpdata_counter(lp, 0);

            rules_check(lp->report, RULE_COUNTER_ID, c->id == pdu->said.request_lcid.value, MEMBER(counter_reg, id),
                "CounterId is %u, but %u was asked for", c->id, pdu->said.request_lcid.value);
        }
        check_counters(pdu, false);
        break;
    case PERF_REG_COUNTER_NAME_STRINGS:
    case PERF_REG_COUNTER_HELP_STRINGS:
    case PERF_REG_COUNTER_ENGLISH_NAMES: check_strings(pdu); break;
    }
}

void
rules_check_unique_instances(const struct lpdata *lp, unsigned first, unsigned count)
{
    struct query_identifier *ids;
    GHashTable *seen;
    unsigned ascending = MIN(count, 1);

    while (ascending < count && lp->instances[first + ascending].id > lp->instances[first + ascending - 1].id) {
        ascending++;
    }
    if (ascending == count) {
        rules_held(lp->report, RULE_INSTANCE_UNIQUE, count);
        return;
    }
    ids = wmem_alloc0_array(lp->scope, struct query_identifier, count);
    seen = g_hash_table_new(query_identifier_hash, query_identifier_equal);
    for (unsigned i = 0; i < count; i++) {
        const struct lp_instance *instance = &lp->instances[first + i];

        ids[i].instance = inference_row(lp->tvb, instance->id, instance->name_offset, instance->name);
        rules_check(lp->report, RULE_INSTANCE_UNIQUE, g_hash_table_add(seen, &ids[i]), instance->offset,
            LP_INSTANCE_HEADER_SIZE,
            "Instance %u of %u has the same name and id %u as an earlier one, which Windows permits", i + 1, count,
            instance->id);
    }
    g_hash_table_destroy(seen);
}

void
rules_check_instances(const struct pdu *pdu)
{
    const struct lpdata *lp = &pdu->lp;
    const unsigned count = lp->num_instances;
    const struct counterset *facts;

    rules_check_unique_instances(lp, 0, count);
    facts = pdu_counterset(pdu) == NULL ? NULL : catalog_counterset(pdu->call->server, pdu_counterset(pdu));
    if (facts != NULL && facts->instance_type == SINGLE_INSTANCE) {
        rules_check(lp->report, RULE_INSTANCE_SINGLE, count <= 1, 0, 0, "%u instances of a single-instance counterset",
            count);
    }
}
