/* test_rules_registration.c
 * Rules about what countersets, counters, their texts and instances say of themselves: each at its limits
 *
 * [MS-PCQ] 2.2.4.1 to 2.2.4.5
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/rules/checks.h"
#include "verdict.h"

#define NONE 0xFFFFFFFF

/* In place of what a capture taught: counters 50 of a type and 51 with but a name. */
static struct counterset told;
static bool is_told, is_complete;
static uint32_t type_of_50;

const struct counterset *
catalog_counterset(const struct server *server _U_, const e_guid_t *guid _U_)
{
    return is_told ? &told : NULL;
}

bool
catalog_counterset_is_complete(const struct server *server _U_, const e_guid_t *guid _U_)
{
    return is_complete;
}

bool
catalog_counter(const struct server *server _U_, const e_guid_t *guid _U_, uint32_t id, uint32_t frame,
    struct catalog_counter *out)
{
    CHECK(frame == CATALOG_NOW, "%u", frame);
    *out = (struct catalog_counter){ .type_known = id == 50, .type = type_of_50 };
    return id == 50 || id == 51;
}

/* winperf.h's four */
const value_string perf_detail_level_vals[] = { { 100, "" }, { 200, "" }, { 300, "" }, { 400, "" }, { 0, NULL } };

struct series_row
inference_row(tvbuff_t *tvb, uint32_t id, unsigned name_offset, struct utf16_text name)
{
    return (struct series_row){ .id = id, .name_size = name.size, .name = tvb_get_ptr(tvb, (int)name_offset, -1) };
}

guint
series_row_key_hash(const void *row)
{
    return ((const struct series_row *)row)->id;
}

gboolean
series_row_key_equal(const void *a, const void *b)
{
    const struct series_row *x = (const struct series_row *)a, *y = (const struct series_row *)b;

    return x->id == y->id && x->name_size == y->name_size && memcmp(x->name, y->name, x->name_size) == 0;
}

static uint8_t bytes[128];
static struct call call;
static const struct operation op = { .request = P_COUNTERSET };

/* An answer of so many bytes to a request of that code. */
static struct pdu
begin(uint32_t code, unsigned size)
{
    is_told = is_complete = false;
    type_of_50 = 0;
    call = (struct call){ .has_request = true, .counterset = { .data1 = 7 } };
    return (struct pdu){ .op = &op,
        .is_response = true,
        .call = &call,
        .said = { .has_request = true, .request_code = { code, 0 } },
        .lp = { .scope = scope, .tvb = tvb_new_real_data(bytes, size, (int)size) } };
}

static void
check_guids(void)
{
    struct pdu pdu = begin(0, 50);

    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)i;
    }
    judge_buffer(rules_check_guids, &pdu, "+guid_unique +guid_unique +guid_unique", "three, and what is none");
    memcpy(bytes + 32, bytes, 15);
    judge_buffer(rules_check_guids, &pdu, "+guid_unique +guid_unique +guid_unique", "they differ in the last byte");
    bytes[47] = bytes[15];
    judge_buffer(rules_check_guids, &pdu, "+guid_unique +guid_unique -guid_unique@32,16", "the third is the first");
    pdu = begin(0, 15);
    judge_buffer(rules_check_guids, &pdu, "", "none");
}

static void
check_countersets(void)
{
    struct pdu pdu = begin(PERF_REG_COUNTERSET_STRUCT, 32);
    struct lp_counterset_reg *set = &pdu.lp.counterset;

    pdu.lp.has_counterset = true;
    *set = (struct lp_counterset_reg){ .guid = { .data1 = 7 }, .detail_level = 100 };
#define LEVEL "+detail_level +detail_level_listed"
    judge_buffer(rules_check_registration, &pdu, "+counterset_type +instance_type " LEVEL " +counterset_guid",
        "as it should be");
    set->guid.data1 = 8;
    judge_buffer(rules_check_registration, &pdu, "+counterset_type +instance_type " LEVEL " -counterset_guid@0,16",
        "another");
    call.has_request = false;
    judge_buffer(rules_check_registration, &pdu, "+counterset_type +instance_type " LEVEL,
        "which was asked for is not known");
    set->type = 1;
    judge_buffer(rules_check_registration, &pdu, "-counterset_type@16,4 +instance_type " LEVEL, "type 1");
    set->type = 0;
    for (uint32_t type = 0; type <= 0x20; type++) {
        const bool is_listed = type == 0 || type == 2 || type == 4 || type == 6 || type == 0xC || type == 0x16;

        set->instance_type = type;
        judge_buffer(rules_check_registration, &pdu,
            is_listed ? "+counterset_type +instance_type " LEVEL : "+counterset_type -instance_type@28,4 " LEVEL,
            wmem_strdup_printf(scope, "InstanceType %x", type));
    }
    set->instance_type = 0;
    for (uint32_t level = 0; level <= 500; level += 50) {
        set->detail_level = level;
        judge_buffer(rules_check_registration, &pdu,
            level == 100 || level == 200 ? "+counterset_type +instance_type " LEVEL
                : level == 300 || level == 400
                ? "+counterset_type +instance_type +detail_level -detail_level_listed@20,4"
                : "+counterset_type +instance_type -detail_level@20,4",
            wmem_strdup_printf(scope, "DetailLevel %u", level));
    }
    pdu.lp.has_counterset = false;
    judge_buffer(rules_check_registration, &pdu, "", "it is not there");
    pdu.lp.has_counterset = true;
    pdu.said.has_request = false;
    judge_buffer(rules_check_registration, &pdu, "", "what it is is not known");
}

static struct lp_counter_reg
counter(uint32_t id, uint32_t type)
{
    return (struct lp_counter_reg){ .offset = 32,
        .id = id,
        .type = type,
        .detail_level = 200,
        .base_id = NONE,
        .perf_time_id = NONE,
        .perf_freq_id = NONE,
        .multi_id = NONE };
}

/* Counters of a whole counterset, code 1, or one of one, code 2. */
static struct pdu
with_counters(uint32_t code, const struct lp_counter_reg *counters, unsigned count)
{
    struct pdu pdu = begin(code, 32);

    pdu.lp.counters = wmem_array_new(scope, sizeof *counters);
    wmem_array_append(pdu.lp.counters, counters, count);
    return pdu;
}

#define FIRST  "+counter_id_unique "
#define TYPE   "+counter_type +counter_type_listed"
#define ATTRIB " +attrib +attrib_combination"
#define REST   " +default_scale +aggregate +counter_reserved"

static void
check_members(void)
{
    static const struct {
        uint64_t attrib;
        const char *expected;
    } attribs[] = {
        { 0x00, ATTRIB },
        { 0x1F, " +attrib -attrib_combination@40,8" },
        { 0x20, " -attrib@40,8 +attrib_combination" },
        { UINT64_C(1) << 63, " -attrib@40,8 +attrib_combination" },
        { 0x02, ATTRIB },
        { 0x03, ATTRIB },
        { 0x06, " +attrib -attrib_combination@40,8" },
        { 0x0A, " +attrib -attrib_combination@40,8" },
        { 0x12, " +attrib -attrib_combination@40,8" },
        { 0x10, ATTRIB },
        { 0x11, ATTRIB },
        { 0x14, " +attrib -attrib_combination@40,8" },
        { 0x18, " +attrib -attrib_combination@40,8" },
        { 0x0D, ATTRIB },
    };
    static const uint32_t unlisted[] = { PERF_COUNTER_DELTA, PERF_COUNTER_LARGE_DELTA, PERF_COUNTER_MULTI_BASE,
        PERF_COUNTER_NODATA, (uint32_t)PERF_COUNTER_HISTOGRAM_TYPE };
    struct lp_counter_reg c;
    struct pdu pdu;

    for (size_t i = 0; i < array_length(attribs); i++) {
        c = counter(5, PERF_COUNTER_RAWCOUNT);
        c.attrib = attribs[i].attrib;
        pdu = with_counters(1, &c, 1);
        judge_buffer(rules_check_registration, &pdu,
            wmem_strdup_printf(scope, LEVEL " " FIRST TYPE "%s" REST, attribs[i].expected), "Attrib");
    }
    for (int scale = -12; scale <= 12; scale++) {
        c = counter(5, PERF_COUNTER_RAWCOUNT);
        c.default_scale = scale;
        pdu = with_counters(1, &c, 1);
        judge_buffer(rules_check_registration, &pdu,
            wmem_strdup_printf(scope, LEVEL " " FIRST TYPE ATTRIB " %s +aggregate +counter_reserved",
                scale >= -10 && scale <= 10 ? "+default_scale" : "-default_scale@52,4"),
            "DefaultScale");
    }
    for (uint32_t function = 0; function <= 5; function++) {
        c = counter(5, PERF_COUNTER_RAWCOUNT);
        c.aggregate = function;
        pdu = with_counters(1, &c, 1);
        judge_buffer(rules_check_registration, &pdu,
            wmem_strdup_printf(scope, LEVEL " " FIRST TYPE ATTRIB " +default_scale %s +counter_reserved",
                function <= 4 ? "+aggregate" : "-aggregate@72,4"),
            "AggregateFunc");
    }
    c = counter(5, PERF_COUNTER_RAWCOUNT);
    c.reserved = 1;
    c.detail_level = 0;
    pdu = with_counters(1, &c, 1);
    judge_buffer(rules_check_registration, &pdu,
        "-detail_level@48,4 " FIRST TYPE ATTRIB " +default_scale +aggregate -counter_reserved@76,4", "Reserved");
    c = counter(5, 0x12345678);
    pdu = with_counters(1, &c, 1);
    judge_buffer(rules_check_registration, &pdu, LEVEL " " FIRST "-counter_type@36,4" ATTRIB REST, "no type");
    for (size_t i = 0; i < array_length(unlisted); i++) {
        c = counter(5, unlisted[i]);
        pdu = with_counters(1, &c, 1);
        judge_buffer(rules_check_registration, &pdu,
            LEVEL " " FIRST "+counter_type -counter_type_listed@36,4" ATTRIB REST, "a type that is not listed");
    }
}

/* What a type needs: which rule says so, and of which type that counter is. */
static const struct {
    uint32_t type;
    const char *needs;
    uint32_t of_type;
} related[] = {
    { PERF_AVERAGE_TIMER, "base", PERF_AVERAGE_BASE },
    { PERF_AVERAGE_BULK, "base", PERF_AVERAGE_BASE },
    { PERF_LARGE_RAW_FRACTION, "base", PERF_LARGE_RAW_BASE },
    { PERF_PRECISION_SYSTEM_TIMER, "base", PERF_LARGE_RAW_BASE },
    { PERF_PRECISION_100NS_TIMER, "base", PERF_LARGE_RAW_BASE },
    { PERF_RAW_FRACTION, "base", PERF_RAW_BASE },
    { PERF_SAMPLE_FRACTION, "base", PERF_SAMPLE_BASE },
    { PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE, "time", PERF_COUNTER_LARGE_RAWCOUNT },
    { PERF_ELAPSED_TIME, "time", PERF_COUNTER_LARGE_RAWCOUNT },
    { PERF_OBJ_TIME_TIMER, "time", PERF_COUNTER_LARGE_RAWCOUNT },
    { PERF_PRECISION_OBJECT_TIMER, "time", PERF_COUNTER_LARGE_RAWCOUNT },
    { PERF_COUNTER_MULTI_TIMER, "multi", PERF_COUNTER_RAWCOUNT },
    { PERF_COUNTER_MULTI_TIMER_INV, "multi", PERF_COUNTER_RAWCOUNT },
    { PERF_100NSEC_MULTI_TIMER, "multi", PERF_COUNTER_RAWCOUNT },
    { PERF_100NSEC_MULTI_TIMER_INV, "multi", PERF_COUNTER_RAWCOUNT },
};

/* Whether the verdict on counter 5 has these words; its related counter is 50, or what is given. */
static bool
has(struct pdu *pdu, const char *words)
{
    pdu->lp.report = rules_report_new(scope, true);
    rules_check_registration(pdu);
    return strstr(verdict(pdu->lp.report), words) != NULL;
}

static void
relate(struct lp_counter_reg *c, const char *needs, uint32_t id)
{
    *(needs[0] == 'b' ? &c->base_id : needs[0] == 'm' ? &c->multi_id : &c->perf_time_id) = id;
    if (needs[0] == 't') {
        c->perf_freq_id = id;
    }
}

static void
check_relations(void)
{
    for (size_t i = 0; i < array_length(related); i++) {
        const char *needs = related[i].needs;
        const bool is_time = needs[0] == 't';
        const char *name = is_time ? "perf_time" : needs, *at = needs[0] == 'b' ? "56" : is_time ? "60" : "68";
        struct lp_counter_reg both[2] = { counter(5, related[i].type), counter(6, related[i].of_type) };
        struct pdu pdu;

        both[1].offset = 80;
        pdu = with_counters(1, both, 1);
        CHECK(has(&pdu, wmem_strdup_printf(scope, "-%s_id@%s,4", name, at)), "%zu: it has none", i);
        CHECK(!is_time || has(&pdu, "-perf_freq_id@64,4"), "%zu: nor a frequency", i);
        relate(&both[0], needs, 6);
        pdu = with_counters(1, both, 2);
        CHECK(has(&pdu, wmem_strdup_printf(scope, "+%s_id +%s_type", name, name)), "%zu", i);
        CHECK(!is_time || has(&pdu, "+perf_freq_id +perf_freq_type"), "%zu", i);
        both[1].type = PERF_COUNTER_NODATA;
        pdu = with_counters(1, both, 2);
        CHECK(has(&pdu, wmem_strdup_printf(scope, "+%s_id -%s_type@%s,4", name, name, at)), "%zu: of another type", i);
        CHECK(!is_time || has(&pdu, "+perf_freq_id -perf_freq_type@64,4"), "%zu: of another type", i);
        both[1].type = PERF_COUNTER_MULTI_BASE;
        pdu = with_counters(1, both, 2);
        CHECK(has(&pdu, wmem_strdup_printf(scope, "+%s_id %s%s_type", name, needs[0] == 'm' ? "+" : "-", name)),
            "%zu: a multi counter's may be a base", i);

        /* Where but one counter was asked for, the others may have been learned. */
        relate(&both[0], needs, 50);
        pdu = with_counters(1, both, 1);
        CHECK(has(&pdu, wmem_strdup_printf(scope, "-%s_id@", name)), "%zu: the answer has all there are", i);
        pdu = with_counters(2, both, 1);
        type_of_50 = related[i].of_type;
        CHECK(has(&pdu, wmem_strdup_printf(scope, "+%s_id +%s_type", name, name)), "%zu: learned", i);
        type_of_50 = PERF_COUNTER_NODATA;
        CHECK(has(&pdu, wmem_strdup_printf(scope, "+%s_id -%s_type", name, name)), "%zu: learned of another type", i);
        call.has_request = false;
        CHECK(!has(&pdu, name), "%zu: of which counterset is not known", i);
        relate(&both[0], needs, 51);
        pdu = with_counters(2, both, 1);
        CHECK(!has(&pdu, wmem_strdup_printf(scope, "%s_id", name)), "%zu: of no type", i);
        relate(&both[0], needs, 52);
        pdu = with_counters(2, both, 1);
        CHECK(!has(&pdu, wmem_strdup_printf(scope, "%s_id", name)), "%zu: not learned", i);
        relate(&both[0], needs, NONE);
        pdu = with_counters(2, both, 1);
        CHECK(has(&pdu, wmem_strdup_printf(scope, "-%s_id@%s,4", name, at)), "%zu: it has none", i);
    }
    {
        /* Computed with a base, as Microsoft's programs do, it needs no time; with both, the time is judged. */
        struct lp_counter_reg both[2] = { counter(5, PERF_PRECISION_OBJECT_TIMER), counter(6, PERF_LARGE_RAW_BASE) };
        struct pdu pdu;

        both[0].base_id = 6;
        pdu = with_counters(1, both, 2);
        CHECK(!has(&pdu, "perf_time") && !has(&pdu, "perf_freq"), "with a base");
        both[0].perf_time_id = 6;
        pdu = with_counters(1, both, 2);
        CHECK(has(&pdu, "+perf_time_id -perf_time_type@60,4") && has(&pdu, "-perf_freq_id@64,4"), "with both");
        both[0].type = PERF_OBJ_TIME_TIMER;
        both[0].perf_time_id = NONE;
        pdu = with_counters(1, both, 2);
        CHECK(has(&pdu, "-perf_time_id@60,4"), "another type");
    }
}

static void
check_ids(void)
{
    struct lp_counter_reg three[3] = { counter(5, PERF_COUNTER_RAWCOUNT), counter(6, PERF_COUNTER_RAWCOUNT),
        counter(5, PERF_COUNTER_RAWCOUNT) };
    struct pdu pdu;

    three[2].offset = 128;
    pdu = with_counters(1, three, 3);
    CHECK(has(&pdu, "+counter_id_unique +counter_id_unique -counter_id_unique@128,4"), "the third has the first's");
    pdu = with_counters(2, three, 1);
    pdu.said.request_lcid.value = 5;
    CHECK(has(&pdu, " +counter_id") && g_str_has_suffix(verdict(pdu.lp.report), " +counter_id"), "as asked for");
    pdu.said.request_lcid.value = 6;
    CHECK(has(&pdu, "-counter_id@0,4"), "another was asked for");
    pdu = with_counters(2, three, 2);
    pdu.said.request_lcid.value = 7;
    CHECK(!has(&pdu, "-counter_id@"), "more than one");
    pdu = with_counters(1, three, 1);
    pdu.said.request_lcid.value = 7;
    CHECK(!has(&pdu, "-counter_id@"), "of all of the counterset");
}

static void
check_strings(void)
{
    static const struct lp_counter_string strings[] = { { .offset = 8, .id = 50 }, { .offset = 16, .id = 51 } };
    struct pdu pdu = begin(PERF_REG_COUNTER_NAME_STRINGS, 32);

    for (uint32_t code = 3; code <= 11; code++) {
        pdu = begin(code, 32);
        judge_buffer(rules_check_registration, &pdu, code == 5 || code == 6 || code == 10 ? "+strings_aligned" : "",
            wmem_strdup_printf(scope, "code %u", code));
    }
    for (unsigned size = 7; size <= 9; size++) {
        pdu = begin(PERF_REG_COUNTER_NAME_STRINGS, size);
        judge_buffer(rules_check_registration, &pdu,
            size < 8        ? ""
                : size == 8 ? "+strings_aligned"
                            : "-strings_aligned@0,4",
            "its size");
    }
    pdu = begin(PERF_REG_COUNTER_NAME_STRINGS, 32);
    pdu.lp.strings = wmem_array_new(scope, sizeof strings[0]);
    wmem_array_append(pdu.lp.strings, strings, 2);
    call.is_first_from_start = true;
    judge_buffer(rules_check_registration, &pdu, "-strings_offset_base@8,16 +strings_aligned",
        "offsets from the start");
    pdu.lp.offset_from_headers = true;
    judge_buffer(rules_check_registration, &pdu, "+strings_offset_base +strings_aligned", "from the headers' end");
    call.is_first_from_start = false;
    pdu.lp.offset_from_headers = false;
    judge_buffer(rules_check_registration, &pdu, "+strings_aligned", "said before");
    is_told = true;
    told.num_counters = pdu.lp.strings_counters = 2;
    judge_buffer(rules_check_registration, &pdu, "+strings_aligned", "there may be more counters");
    is_complete = true;
    judge_buffer(rules_check_registration, &pdu,
        "+strings_counters +strings_counter_id -strings_counter_id@16,4 +strings_aligned", "one of no counter");
    told.num_counters = 3;
    judge_buffer(rules_check_registration, &pdu,
        "-strings_counters@4,4 +strings_counter_id -strings_counter_id@16,4 +strings_aligned", "one too few");
    is_told = false;
    judge_buffer(rules_check_registration, &pdu, "+strings_aligned", "how many there are is not known");
    is_told = true;
    call.has_request = false;
    judge_buffer(rules_check_registration, &pdu, "+strings_aligned", "whose they are is not known");
}

static void
check_instances(void)
{
    struct lp_instance instances[] = {
        { .offset = 0, .id = 1, .name_offset = 0, .name = { .size = 2 } },
        { .offset = 16, .id = 1, .name_offset = 2, .name = { .size = 2 } },
        { .offset = 32, .id = 2, .name_offset = 0, .name = { .size = 2 } },
        { .offset = 48, .id = 1, .name_offset = 4, .name = { .size = 2 } },
    };
    struct pdu pdu = begin(0, 32);

    memcpy(bytes, "a\0b\0a\0", 6);
    pdu.lp.instances = instances;
    judge_buffer(rules_check_instances, &pdu, "", "none");
    pdu.lp.num_instances += 1;
    is_told = true;
    told.instance_type = SINGLE_INSTANCE;
    judge_buffer(rules_check_instances, &pdu, "+instance_unique +instance_single", "one");
    pdu.lp.num_instances += 1;
    judge_buffer(rules_check_instances, &pdu, "+instance_unique +instance_unique -instance_single@0,0", "two");
    told.instance_type = MULTIPLE_INSTANCES;
    judge_buffer(rules_check_instances, &pdu, "+instance_unique +instance_unique", "of several");
    told.instance_type = SINGLE_INSTANCE;
    call.has_request = false;
    judge_buffer(rules_check_instances, &pdu, "+instance_unique +instance_unique", "whose they are is not known");
    pdu.lp.num_instances += 2;
    judge_buffer(rules_check_instances, &pdu,
        "+instance_unique +instance_unique +instance_unique -instance_unique@48,8", "the same name and id");
    pdu.lp.report = rules_report_new(scope, true);
    rules_check_unique_instances(&pdu.lp, 1, 3);
    CHECK(strcmp(verdict(pdu.lp.report), "+instance_unique +instance_unique +instance_unique") == 0,
        "another block's first");
}

int
main(void)
{
    wmem_init_scopes();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    check_guids();
    check_countersets();
    check_members();
    check_relations();
    check_ids();
    check_strings();
    check_instances();
    wmem_destroy_allocator(scope);
    return check_result();
}
