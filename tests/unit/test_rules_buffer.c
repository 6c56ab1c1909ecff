/* test_rules_buffer.c
 * Rules about identifiers, index maps and counter data: at each limit, what is checked, what is broken, and where
 *
 * [MS-PCQ] 2.2.4.6 to 2.2.4.8, 3.1.4.1.5 to 3.1.4.1.7
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/rules/checks.h"
#include "verdict.h"

/* In place of what a capture taught. */
static struct {
    bool has_instances, is_complete, is_settled, is_told, has_counter;
    uint32_t lacked_in;
    unsigned num_mapped;
    /* Of the query's polls: */
    struct query_link link;
    const struct query_identifier *identifier;
    bool takes_names, takes_instances;
    uint32_t other_instance;        /* none that is asked for; 0: there is none */
    struct catalog_counter counter; /* of each id but 99; 5 has a type in any case */
    unsigned twins;
    uint32_t ids[3]; /* of a block */
} known;
static struct counterset told = { MULTIPLE_INSTANCES, 2 };

bool
catalog_counterset_has_instances(const struct server *server _U_, const e_guid_t *guid _U_)
{
    return known.has_instances;
}

uint32_t
catalog_counterset_lacked(const struct server *server _U_, const e_guid_t *guid _U_, uint32_t frame)
{
    return frame == 20 ? known.lacked_in : 0;
}

bool
catalog_counterset_is_complete(const struct server *server _U_, const e_guid_t *guid _U_)
{
    return known.is_complete;
}

bool
catalog_counterset_is_settled(const struct server *server _U_, const e_guid_t *guid _U_, uint32_t frame)
{
    return frame == 20 && known.is_settled;
}

const struct counterset *
catalog_counterset(const struct server *server _U_, const e_guid_t *guid _U_)
{
    return known.is_told ? &told : NULL;
}

bool
catalog_counter(const struct server *server _U_, const e_guid_t *guid _U_, uint32_t id, uint32_t frame _U_,
    struct catalog_counter *out)
{
    *out = known.counter;
    out->type_known = known.counter.type_known || id == 5;
    return known.has_counter && id != 99;
}

unsigned
catalog_counter_twins(const struct server *server _U_, const e_guid_t *guid _U_, uint32_t id _U_)
{
    return known.twins;
}

unsigned
queries_num_mapped(const struct query_poll *poll _U_)
{
    return known.num_mapped;
}

struct query_link
queries_link(const struct query_poll *poll _U_, unsigned block _U_)
{
    return known.link;
}

const struct query_identifier *
queries_identifier(const struct query_poll *poll _U_, unsigned block _U_)
{
    return known.identifier;
}

bool
inference_takes_names(const struct query_identifier *id _U_)
{
    return known.takes_names;
}

bool
inference_takes_instances(const struct query_identifier *id _U_)
{
    return known.takes_instances;
}

bool
inference_is_other_instance(const struct query_identifier *id _U_, const struct series_row *instance)
{
    return instance->id == known.other_instance;
}

struct series_row
inference_row(tvbuff_t *tvb _U_, uint32_t id, unsigned offset _U_, struct utf16_text name _U_)
{
    return (struct series_row){ .id = id };
}

uint32_t
lpdata_block_id(const struct lpdata *lp _U_, const struct lp_block *block _U_, unsigned i)
{
    return known.ids[i];
}

static unsigned num_unique;

void
rules_check_unique_instances(const struct lpdata *lp _U_, unsigned first, unsigned count)
{
    CHECK(first == 0, "%u", first);
    num_unique += count;
}

uint32_t
call_identifier_hash(const struct lpdata *lp _U_, const struct lp_identifier *id)
{
    return id->counter_id;
}

static uint8_t bytes[200];
static struct call call;
static struct query_poll poll;

/* A buffer of so many bytes of an answer in frame 20 that was asked for, nothing of which is parsed yet. */
static struct pdu
begin(void)
{
    memset(&known, 0, sizeof known);
    memset(bytes, 0, sizeof bytes);
    call = (struct call){ .expected_identifiers = -1, .request_frame = 20, .add = true };
    return (struct pdu){ .is_response = true,
        .call = &call,
        .said = { .has_request = true },
        .lp = { .scope = scope,
            .tvb = tvb_new_real_data(bytes, sizeof bytes, sizeof bytes),
            .report = rules_report_new(scope, true) } };
}

static struct lp_identifier *
add_identifier(struct pdu *pdu, struct lp_identifier id)
{
    if (pdu->lp.identifiers == NULL) {
        pdu->lp.identifiers = wmem_array_new(scope, sizeof id);
    }
    wmem_array_append_one(pdu->lp.identifiers, id);
    return (struct lp_identifier *)wmem_array_index(pdu->lp.identifiers, lpdata_count(pdu->lp.identifiers) - 1);
}

static void
check_sent(void)
{
    struct pdu pdu = begin();
    struct lp_identifier *id =
        add_identifier(&pdu, (struct lp_identifier){ .offset = 40, .name_offset = 80, .end = 80 });

    pdu.is_response = false;
    judge_buffer(rules_check_identifiers, &pdu, "+identifier_reserved", "nothing is known of the counterset");
    id->reserved = 1;
    judge_buffer(rules_check_identifiers, &pdu, "-identifier_reserved@76,4", "reserved");
    CHECK(strcmp(((const struct finding *)wmem_array_index(pdu.lp.report->findings, 0))->text,
              "Reserved of identifier 0 is 0x1, expected 0") == 0,
        "its words");
    id->reserved = 0;
    known.has_instances = true;
    judge_buffer(rules_check_identifiers, &pdu, "+identifier_reserved -identifier_name@60,4", "no name");
    id->end = 81;
    judge_buffer(rules_check_identifiers, &pdu, "+identifier_reserved +identifier_name", "a name");
}

static void
check_statuses(void)
{
    /* 3.1.4.1.7: those listed, and others */
    static const struct {
        uint32_t status;
        const char *expected;
    } cases[] = {
        { 0, "+identifier_status +validate_status" },
        { 3, "+identifier_status +validate_status" },
        { 14, "+identifier_status +validate_status" },
        { 87, "+identifier_status +validate_status" },
        { 183, "+identifier_status +validate_status" },
        { 4200, "+identifier_status +validate_status" },
        { 4202, "+identifier_status +validate_status" },
        { 4201, "+identifier_status -validate_status@16,4" },
        { 5, "+identifier_status -validate_status@16,4" },
        { 8, "+identifier_status -validate_status@16,4" },
        { 0xFFFF, "+identifier_status -validate_status@16,4" },
        { 0x10000, "-identifier_status@16,4" },
        { 0x80070057, "-identifier_status@16,4" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct pdu pdu = begin();

        add_identifier(&pdu, (struct lp_identifier){ .status = cases[i].status, .counter_id = 5 });
        judge_buffer(rules_check_identifiers, &pdu, cases[i].expected,
            wmem_strdup_printf(scope, "status %u", cases[i].status));
    }
}

#define STATUSES "+identifier_status"
#define LISTED   "+validate_status"

static void
check_accepted(void)
{
    struct pdu pdu = begin();
    struct lp_identifier *id = add_identifier(&pdu, (struct lp_identifier){ .counter_id = 6 });

    known.lacked_in = 9;
    judge_buffer(rules_check_identifiers, &pdu, STATUSES " -added_guid@16,4 " LISTED,
        "of a counterset that is not there");
    id->status = 4200;
    judge_buffer(rules_check_identifiers, &pdu, STATUSES " +added_guid " LISTED, "refused");
    id->status = 0;
    pdu.said.has_request = false;
    judge_buffer(rules_check_identifiers, &pdu, STATUSES " " LISTED, "nobody knows what was asked for");
    pdu.said.has_request = true;
    known.lacked_in = 0;

    known.is_complete = known.is_settled = known.is_told = true;
    judge_buffer(rules_check_identifiers, &pdu, STATUSES " -added_counter@16,4 " LISTED,
        "of a counter that is not there");
    known.has_counter = true;
    judge_buffer(rules_check_identifiers, &pdu, STATUSES " -added_counter@16,4 " LISTED,
        "of a counter that has but a name");
    id->counter_id = 5;
    judge_buffer(rules_check_identifiers, &pdu, STATUSES " +added_counter " LISTED, "of one that is there");
    id->counter_id = 6;
    id->status = 4202;
    judge_buffer(rules_check_identifiers, &pdu, STATUSES " +added_counter " LISTED, "refused");
    id->status = 0;
    id->counter_id = 0xFFFFFFFF;
    judge_buffer(rules_check_identifiers, &pdu, STATUSES " " LISTED, "of all counters");
    id->counter_id = 6;
    known.is_complete = false;
    judge_buffer(rules_check_identifiers, &pdu, STATUSES " " LISTED, "there may be more");
    known.is_complete = true;
    known.is_settled = false;
    judge_buffer(rules_check_identifiers, &pdu, STATUSES " " LISTED, "there may be others");
    known.is_settled = true;
    known.is_told = false;
    judge_buffer(rules_check_identifiers, &pdu, STATUSES " " LISTED, "it changed");

    call.add = false;
    judge_buffer(rules_check_identifiers, &pdu, STATUSES " +already_exists " LISTED, "removed");
    id->status = 183;
    judge_buffer(rules_check_identifiers, &pdu, STATUSES " -already_exists@16,4 " LISTED, "removed, but there already");

    /* One that is shorter than the structure is judged by that alone. */
    id->status = 0;
    call.add = true;
    known.is_told = true;
    call.short_identifier = 1;
    judge_buffer(rules_check_identifiers, &pdu, STATUSES " -short_identifier_refused@16,4 " LISTED, "a short one");
    id->status = 87;
    judge_buffer(rules_check_identifiers, &pdu, STATUSES " +short_identifier_refused " LISTED, "a short one, refused");
    call.short_identifier = 2;
    judge_buffer(rules_check_identifiers, &pdu, STATUSES " +added_counter " LISTED, "another one is short");
}

static void
check_echo(void)
{
    uint32_t sent[] = { 5, 6, 7 };
    struct pdu pdu = begin();
    struct lp_identifier *second;

    add_identifier(&pdu, (struct lp_identifier){ .offset = 0, .counter_id = 5 });
    second = add_identifier(&pdu, (struct lp_identifier){ .offset = 48, .counter_id = 6 });
    call.identifiers = sent;
    call.num_identifiers = 2;
    judge_buffer(rules_check_identifiers, &pdu,
        "+identifier_status +identifier_status +identifier_echo +identifier_echo +identifier_echo +validate_status "
        "+validate_status",
        "as sent");
    second->counter_id = 7;
    judge_buffer(rules_check_identifiers, &pdu,
        "+identifier_status +identifier_status +identifier_echo +identifier_echo -identifier_echo@48,40 "
        "+validate_status +validate_status",
        "the second is another");
    call.num_identifiers = 1;
    judge_buffer(rules_check_identifiers, &pdu,
        "+identifier_status +identifier_status +identifier_echo -identifier_echo@0,0 +validate_status +validate_status",
        "one too many");
    call.num_identifiers = 3;
    second->counter_id = 6;
    judge_buffer(rules_check_identifiers, &pdu,
        "+identifier_status +identifier_status +identifier_echo +identifier_echo -identifier_echo@0,0 +validate_status "
        "+validate_status",
        "one too few");
    call.identifiers = NULL;

    call.added_is_known = true;
    for (unsigned which = 0; which <= 3; which++) {
        static const char *const twice[] = { " +added_twice", " -added_twice@16,4", " -added_twice@64,4", "" };
        static const char *const unknown[] = { " +removed_unknown", " -removed_unknown@16,4", " -removed_unknown@64,4",
            "" };

        call.add = true;
        call.added_twice = which;
        call.never_added = 0;
        judge_buffer(rules_check_identifiers, &pdu,
            wmem_strdup_printf(scope, "+identifier_status +identifier_status%s +validate_status +validate_status",
                twice[which]),
            wmem_strdup_printf(scope, "added twice: %u", which));
        call.add = false;
        call.added_twice = 0;
        call.never_added = which;
        judge_buffer(rules_check_identifiers, &pdu,
            wmem_strdup_printf(scope,
                "+identifier_status +identifier_status%s +already_exists +already_exists +validate_status "
                "+validate_status",
                unknown[which]),
            wmem_strdup_printf(scope, "never added: %u", which));
    }
    call.added_is_known = false;
    call.never_added = 1;
    judge_buffer(rules_check_identifiers, &pdu,
        "+identifier_status +identifier_status +already_exists +already_exists +validate_status +validate_status",
        "what was added is not known");
}

static void
check_index_map(void)
{
    struct pdu pdu = begin();
    struct lp_identifier *first, *second;

    judge_buffer(rules_check_index_map, &pdu, "", "it is empty, and nobody knows better");
    call.expected_identifiers = 0;
    judge_buffer(rules_check_index_map, &pdu, "+info_identifiers", "it is empty");
    add_identifier(&pdu, (struct lp_identifier){ .offset = 0, .size = 48, .name_offset = 40, .end = 48, .index = 1 });
    call.expected_identifiers = 1;
    call.never_added = 1;
    judge_buffer(rules_check_index_map, &pdu,
        "+identifier_size +info_identifiers -info_counters@0,40 -index_range@32,4 +index_unique +info_padding", "one");
    call.expected_identifiers = call.never_added = 0;
    add_identifier(&pdu, (struct lp_identifier){ .offset = 48, .size = 40, .name_offset = 88, .end = 88, .index = 0 });
    first = (struct lp_identifier *)wmem_array_index(pdu.lp.identifiers, 0);
    second = (struct lp_identifier *)wmem_array_index(pdu.lp.identifiers, 1);
#define SIZES   "+identifier_size +identifier_size"
#define INDICES " +index_range +index_range +index_unique +index_unique"
    judge_buffer(rules_check_index_map, &pdu, SIZES " -info_identifiers@0,0" INDICES " +info_padding",
        "none was expected");
    call.expected_identifiers = 2;
    judge_buffer(rules_check_index_map, &pdu, SIZES " +info_identifiers +info_counters" INDICES " +info_padding",
        "both");
    call.never_added = 2;
    judge_buffer(rules_check_index_map, &pdu, SIZES " +info_identifiers -info_counters@48,40" INDICES " +info_padding",
        "another");
    call.never_added = 3;
    judge_buffer(rules_check_index_map, &pdu, SIZES " +info_identifiers" INDICES " +info_padding", "beyond");
    call.never_added = 0;
    call.expected_identifiers = -1;
    second->index = 1;
    judge_buffer(rules_check_index_map, &pdu,
        SIZES " +index_range +index_range +index_unique -index_unique@80,4 +info_padding", "twice");
    second->index = 2;
    judge_buffer(rules_check_index_map, &pdu,
        SIZES " +index_range -index_range@80,4 +index_unique +index_unique +info_padding", "beyond");
    second->index = 0;
    bytes[47] = 1;
    judge_buffer(rules_check_index_map, &pdu, SIZES INDICES " -info_padding@40,8", "the last byte of padding");
    first->name = (struct utf16_text){ .size = 6, .terminated = true };
    judge_buffer(rules_check_index_map, &pdu, SIZES INDICES, "that is the terminator's");
    first->name = (struct utf16_text){ .size = 6, .terminated = false };
    judge_buffer(rules_check_index_map, &pdu, SIZES INDICES " -info_padding@46,2", "it is no terminator");
    bytes[47] = 0;
    bytes[45] = bytes[48] = 1;
    judge_buffer(rules_check_index_map, &pdu, SIZES INDICES " +info_padding", "the name and what comes behind");
    first->size = 47;
    judge_buffer(rules_check_index_map, &pdu, "+identifier_size -identifier_size@20,4" INDICES " +info_padding",
        "of 47");
    first->size = 56;
    judge_buffer(rules_check_index_map, &pdu, "+identifier_size" INDICES " +info_padding",
        "what is too large is judged elsewhere");
    first->size = 39;
    judge_buffer(rules_check_index_map, &pdu, "+identifier_size" INDICES " +info_padding", "what is too small, too");
}

/* 2026-11-23 is a Monday. Its noon is 13,408,372,800 seconds from 1601: 11,644,473,600 to 1970 and 1,795,435,200 since. */
#define NOON_100NS ((UINT64_C(11644473600) + 1795435200) * 10000000)

static void
check_header(void)
{
    static const uint16_t noon[] = { 2026, 11, 1, 23, 12, 0, 0, 0 };
    static const struct {
        uint16_t second, millisecond, day_of_week;
        int64_t since_noon; /* of PerfTime100NSec */
        const char *expected;
    } cases[] = {
        { 0, 0, 1, 0, "+data_time +data_time +system_time +system_time +perf_freq" },
        { 2, 999, 1, 0, "+data_time +data_time +system_time +system_time +perf_freq" },
        { 3, 0, 1, 0, "+data_time +data_time +system_time -system_time@32,16 +perf_freq" },
        { 0, 0, 1, 29999999, "+data_time +data_time +system_time +system_time +perf_freq" },
        { 0, 0, 1, 30000000, "+data_time +data_time +system_time -system_time@32,16 +perf_freq" },
        { 0, 0, 0, 0, "+data_time +data_time +system_time -system_time@36,2 +perf_freq" },
        { 0, 0, 2, 0, "+data_time +data_time +system_time -system_time@36,2 +perf_freq" },
        { 60, 0, 1, 0, "+data_time -data_time@32,16 +perf_freq" },
    };
    /* Days of the week by the calendar: before 1970, its first two days, and a leap year's. */
    static const uint16_t days[][4] = { { 1601, 1, 1, 1 }, { 1969, 12, 3, 31 }, { 1970, 1, 4, 1 }, { 1970, 1, 5, 2 },
        { 1969, 12, 2, 30 }, { 1900, 1, 1, 1 }, { 2000, 2, 2, 29 }, { 2026, 11, 0, 22 }, { 2026, 11, 6, 21 } };
    struct pdu pdu = begin();

    pdu.lp.has_data_header = true;
    for (size_t i = 0; i < array_length(cases); i++) {
        memcpy(pdu.lp.system_time, noon, sizeof noon);
        pdu.lp.system_time[6] = cases[i].second;
        pdu.lp.system_time[7] = cases[i].millisecond;
        pdu.lp.system_time[2] = cases[i].day_of_week;
        pdu.lp.perf_time_100ns = NOON_100NS + (uint64_t)cases[i].since_noon;
        pdu.lp.perf_freq = 1;
        judge_buffer(rules_check_data, &pdu, cases[i].expected, wmem_strdup_printf(scope, "times %zu", i));
    }
    memcpy(pdu.lp.system_time, noon, sizeof noon);
    pdu.lp.perf_freq = 0;
    pdu.lp.perf_time_100ns = NOON_100NS;
    judge_buffer(rules_check_data, &pdu, "+data_time +data_time +system_time +system_time -perf_freq@24,8",
        "no frequency");
    pdu.lp.perf_time_100ns = UINT64_C(1) << 63;
    judge_buffer(rules_check_data, &pdu, "+data_time -data_time@16,8 -perf_freq@24,8", "beyond all times");
    pdu.lp.perf_time_100ns--;
    judge_buffer(rules_check_data, &pdu, "+data_time +data_time +system_time -system_time@32,16 -perf_freq@24,8",
        "the last");
    for (size_t i = 0; i < array_length(days); i++) {
        const uint16_t day[] = { days[i][0], days[i][1], days[i][2], days[i][3], 23, 59, 59, 999 };

        memcpy(pdu.lp.system_time, day, sizeof day);
        judge_buffer(rules_check_data, &pdu, "+data_time +data_time +system_time -system_time@32,16 -perf_freq@24,8",
            wmem_strdup_printf(scope, "day of %u-%u-%u", day[0], day[1], day[3]));
    }
}

static void
check_blocks(void)
{
    static const struct {
        uint32_t type, status, reserved;
        const char *expected;
    } cases[] = {
        { PERF_SINGLE_COUNTER, 0, 0, "+block_status +block_value_status +block_reserved" },
        { PERF_SINGLE_COUNTER, 1, 0, "+block_status -block_value_status@100,4 +block_reserved" },
        { PERF_SINGLE_COUNTER, 0xFFFF, 0, "+block_status -block_value_status@100,4 +block_reserved" },
        { PERF_SINGLE_COUNTER, 0x10000, 0, "-block_status@100,4 +block_reserved" },
        { PERF_SINGLE_COUNTER, 0, 1, "+block_status +block_value_status -block_reserved@112,4" },
        { PERF_ERROR_RETURN, 0, 0, "+block_status +block_reserved -block_error_status@100,4" },
        { PERF_ERROR_RETURN, 1, 0, "+block_status +block_reserved +block_error_status" },
        { PERF_ERROR_RETURN, 0x10000, 0, "-block_status@100,4 +block_reserved +block_error_status" },
        { 77, 0x10000, 0, "+block_reserved" },
    };
    struct lp_block block;
    struct pdu pdu = begin();

    for (size_t i = 0; i < array_length(cases); i++) {
        block = (struct lp_block){ .offset = 100,
            .type = cases[i].type,
            .status = cases[i].status,
            .reserved = cases[i].reserved };
        pdu.lp.blocks = wmem_array_new(scope, sizeof block);
        wmem_array_append_one(pdu.lp.blocks, block);
        judge_buffer(rules_check_data, &pdu, cases[i].expected, wmem_strdup_printf(scope, "block %zu", i));
    }
    /* How many there should be: by the index map, else at least as many as were added. */
    pdu.poll = &poll;
    pdu.lp.num_counters = 1;
    for (unsigned i = 0; i < 4; i++) {
        known.num_mapped = i;
        judge_buffer(rules_check_data, &pdu,
            i == 0       ? "+block_reserved"
                : i == 1 ? "+block_reserved +poll_blocks"
                         : "+block_reserved -poll_blocks@4,4",
            wmem_strdup_printf(scope, "%u mapped", i));
    }
    known.num_mapped = 2;
    pdu.lp.num_counters = 2;
    judge_buffer(rules_check_data, &pdu, "+block_reserved", "the header says another number");
    pdu.lp.num_counters = 1;
    pdu.lp.is_mistrusted = true;
    judge_buffer(rules_check_data, &pdu, "+block_reserved", "where they begin is not known");
    pdu.lp.is_mistrusted = false;
    known.num_mapped = 0;
    pdu.lp.has_data_header = true;
    for (int i = -1; i <= 2; i++) {
        call.expected_identifiers = i;
        judge_buffer(rules_check_data, &pdu,
            wmem_strdup_printf(scope, "+data_time -data_time@32,16 -perf_freq@24,8 +block_reserved%s",
                i < 0        ? ""
                    : i <= 1 ? " +poll_blocks"
                             : " -poll_blocks@4,4"),
            wmem_strdup_printf(scope, "%d added", i));
    }
    pdu.lp.has_data_header = false;
    judge_buffer(rules_check_data, &pdu, "+block_reserved", "without a header");
    ((struct lp_block *)wmem_array_index(pdu.lp.blocks, 0))->is_mistrusted = true;
    judge_buffer(rules_check_data, &pdu, "", "a block that is not what it seems");
}

/* A poll of one block at 100, of so many values with 4 bytes from 200 on, 16 bytes apart. */
static struct pdu
begin_block(uint32_t type, unsigned num_values)
{
    static struct series_poll values = { .frame = 20 };
    static struct lp_value of_block[6];
    static uint64_t numbers[6];
    struct pdu pdu = begin();
    const struct lp_block block = { .offset = 100, .type = type, .num_values = num_values };

    for (unsigned i = 0; i < num_values; i++) {
        of_block[i] = (struct lp_value){ .offset = 200 + 16 * i, .data_size = 4 };
        numbers[i] = 1;
    }
    poll = (struct query_poll){ .num_blocks = 1, .values = &values };
    pdu.poll = &poll;
    pdu.lp.values = of_block;
    pdu.lp.numbers = numbers;
    pdu.lp.num_values = num_values;
    pdu.lp.num_counters = 1;
    pdu.lp.blocks = wmem_array_new(scope, sizeof block);
    wmem_array_append_one(pdu.lp.blocks, block);
    known.link = (struct query_link){ .kind = LINK_MAPPED, .frame = 30, .counter_known = true, .counter_id = 5 };
    known.has_counter = true;
    known.twins = 1;
    known.counter = (struct catalog_counter){ .type_known = true, .type = PERF_COUNTER_RAWCOUNT };
    return pdu;
}

static struct lp_block *
the_block(const struct pdu *pdu)
{
    return (struct lp_block *)wmem_array_index(pdu->lp.blocks, 0);
}

/* What is judged of each block, whatever it holds, stands in between. */
static void
judge_block(struct pdu *pdu, const char *before, const char *after, const char *what)
{
    judge_buffer(rules_check_data, pdu,
        wmem_strdup_printf(scope, "%s%s+block_status +block_value_status +block_reserved%s%s", before,
            before[0] == '\0' ? "" : " ", after[0] == '\0' ? "" : " ", after),
        what);
}

static void
check_values(void)
{
    static const struct {
        uint32_t type;
        uint64_t value;
        uint32_t data_size;
        const char *expected;
    } cases[] = {
        { PERF_COUNTER_RAWCOUNT, 1, 4, "+value_data_size" },
        { PERF_COUNTER_RAWCOUNT, 0, 4, "+value_data_size" },
        { PERF_COUNTER_RAWCOUNT, 1, 5, "-value_data_size@200,4" },
        { PERF_SAMPLE_BASE, 1, 4, "+value_data_size +sample_base" },
        { PERF_SAMPLE_BASE, 0, 4, "+value_data_size -sample_base@208,4" },
    };
    struct pdu pdu;

    for (size_t i = 0; i < array_length(cases); i++) {
        pdu = begin_block(PERF_SINGLE_COUNTER, 1);
        known.counter.type = cases[i].type;
        pdu.lp.numbers[0] = cases[i].value;
        pdu.lp.values[0].data_size = cases[i].data_size;
        judge_block(&pdu, cases[i].expected, "", wmem_strdup_printf(scope, "value %zu", i));
    }
    pdu = begin_block(PERF_SINGLE_COUNTER, 1);
    known.link.kind = LINK_INFERRED;
    judge_block(&pdu, "+value_data_size", "", "inferred");
    known.link.kind = LINK_NONE;
    judge_block(&pdu, "", "", "nobody knows of which counter");
    known.link = (struct query_link){ .kind = LINK_MAPPED };
    judge_block(&pdu, "", "", "nor of which of the counterset");
    known.link.counter_known = true;
    known.link.calls_missing = true;
    judge_block(&pdu, "", "", "it may be another's");
    known.link.calls_missing = false;
    known.link.is_unnumbered = true;
    judge_block(&pdu, "", "", "it may be another's");
    known.link.is_unnumbered = false;
    known.counter.has_twin = true;
    judge_block(&pdu, "", "", "of two counters");
    known.counter.has_twin = false;
    known.counter.type_changed = true;
    judge_block(&pdu, "", "", "of two types");
    known.counter.type_changed = false;
    known.link.counter_id = 6;
    judge_block(&pdu, "+value_data_size", "", "of a type");
    known.counter.type_known = false;
    judge_block(&pdu, "", "", "of no type");
    poll.num_blocks = 0;
    known.counter.type_known = true;
    judge_block(&pdu, "", "", "a block that was not there when it was learned");
}

#define SIZES_OF_2 "+value_data_size +value_data_size"

static void
check_several_counters(void)
{
    struct pdu pdu = begin_block(PERF_MULTIPLE_COUNTERS, 4);
    struct lp_block *block = the_block(&pdu);

    /* Two counters of two instances, the last value of which is too large */
    block->num_ids = 2;
    block->counters_offset = 116;
    known.ids[0] = 5;
    known.ids[1] = 6;
    pdu.lp.values[3].data_size = 9;
    judge_block(&pdu, "+value_data_size +value_data_size +value_data_size -value_data_size@248,4", "", "rows");
    pdu.lp.values[3].data_size = 4;
    block->num_values = 3;
    judge_block(&pdu, SIZES_OF_2, "", "a row that is not whole");
    block->num_values = 2;
    known.is_complete = known.is_settled = known.is_told = true;
#define BOTH "+block_counter_ids +block_counter_ids"
    judge_block(&pdu, SIZES_OF_2, BOTH " +block_all_counters", "both");
    known.link.frame = 10;
    judge_block(&pdu, SIZES_OF_2, "", "the map is older than what is known");
    known.link.kind = LINK_INFERRED;
    judge_block(&pdu, SIZES_OF_2, BOTH " +block_all_counters", "what was inferred is of now");
    known.is_complete = false;
    judge_block(&pdu, SIZES_OF_2, "", "there may be others");
    known.is_complete = true;
    told.num_counters = 3;
    judge_block(&pdu, SIZES_OF_2, BOTH " -block_all_counters@120,4", "one too few");
    told.num_counters = 1;
    judge_block(&pdu, SIZES_OF_2, BOTH " +block_all_counters", "one too many");
    told.num_counters = 2;
    known.is_told = false;
    judge_block(&pdu, SIZES_OF_2, BOTH, "how many there are is not known");
    known.is_told = true;
    known.ids[1] = 5;
    judge_block(&pdu, SIZES_OF_2, BOTH " -block_all_counters@128,4", "one twice");
    known.twins = 2;
    judge_block(&pdu, SIZES_OF_2, BOTH " +block_all_counters", "there are two of it");
    known.ids[2] = 5;
    block->num_ids = 3;
    block->num_values = 0;
    judge_block(&pdu, "", BOTH " +block_counter_ids -block_all_counters@132,4", "but not three");
    known.twins = 0;
    known.ids[1] = 6;
    block->num_ids = 2;
    judge_block(&pdu, "", BOTH " +block_all_counters", "one, where nobody counted");
    known.twins = 1;
    known.ids[1] = 99;
    judge_block(&pdu, "", "+block_counter_ids -block_counter_ids@128,4", "one of no counterset");
    known.ids[1] = 6;
    known.counter.type_known = false;
    judge_block(&pdu, "", "+block_counter_ids -block_counter_ids@128,4", "one that has but a name");
    block->num_ids = 0;
    judge_block(&pdu, "", "-block_all_counters@120,4", "none");
}

static void
check_identified(void)
{
    struct query_identifier identifier = { .counter_id = 5 };
    struct pdu pdu = begin_block(PERF_SINGLE_COUNTER, 1);

    known.identifier = &identifier;
    judge_block(&pdu, "+value_data_size", "+block_identifier", "one was asked for");
    identifier.counter_id = 0xFFFFFFFF;
    judge_block(&pdu, "", "-block_identifier@104,4", "all were asked for");
    identifier.is_not_added = true;
    judge_block(&pdu, "+value_data_size", "", "it was not added");
    pdu = begin_block(PERF_MULTIPLE_COUNTERS, 0);
    identifier.is_not_added = false;
    known.identifier = &identifier;
    judge_block(&pdu, "", "+block_identifier", "all");
    identifier.counter_id = 5;
    judge_block(&pdu, "", "-block_identifier@104,4", "one");

    /* A single instance */
    pdu = begin_block(PERF_SINGLE_COUNTER, 0);
    identifier.is_as_added = true;
    known.identifier = &identifier;
    judge_block(&pdu, "+block_single", "+block_identifier", "by no name");
    identifier.instance.name_size = 2;
    judge_block(&pdu, "+block_single", "+block_identifier", "by a name");
    known.takes_names = true;
    judge_block(&pdu, "+block_single", "+block_identifier", "by a pattern, where there is one instance");
    known.has_instances = true;
    judge_block(&pdu, "-block_single@104,4", "+block_identifier", "by a pattern");
    identifier.instance.name_size = 0;
    judge_block(&pdu, "+block_single", "+block_identifier", "by no name");
}

static void
check_several_instances(void)
{
    struct query_identifier identifier = { .counter_id = 5, .is_as_added = true };
    struct pdu pdu = begin_block(PERF_MULTIPLE_INSTANCES, 2);
    struct lp_instance instances[] = {
        { .offset = 120, .id = 7, .name_offset = 128, .name = { .size = 4, .terminated = true }, .num_values = 1 },
        { .offset = 150, .id = 8, .name_offset = 158, .name = { .size = 6, .terminated = false }, .num_values = 0 },
    };

    the_block(&pdu)->num_instances = 2;
    pdu.lp.values[0].offset = 136;
    num_unique = 0;
    pdu.lp.instances = instances;
    pdu.lp.num_instances += 2;
    judge_buffer(rules_check_data, &pdu,
        "+value_data_size +value_data_size +block_status +block_value_status +block_reserved +instance_padding", "two");
    CHECK(num_unique == 2, "%u", num_unique);
    bytes[135] = 1;
    judge_buffer(rules_check_data, &pdu,
        "+value_data_size +value_data_size +block_status +block_value_status +block_reserved -instance_padding@134,2",
        "the last byte of padding");
    pdu.lp.values[0].offset = 134;
    judge_buffer(rules_check_data, &pdu,
        "+value_data_size +value_data_size +block_status +block_value_status +block_reserved", "no padding");
    pdu.lp.num_values = the_block(&pdu)->num_values = 0;
    known.identifier = &identifier;
    judge_buffer(rules_check_data, &pdu,
        "+block_instances +block_instances +block_status +block_value_status +block_reserved +block_identifier",
        "all, as there is no name");
    known.is_told = true;
    judge_buffer(rules_check_data, &pdu,
        "+block_instances +block_instances +block_status +block_value_status +block_reserved +block_identifier",
        "of several");
    told.instance_type = SINGLE_INSTANCE;
    judge_buffer(rules_check_data, &pdu,
        "-block_instances@104,4 +block_status +block_value_status +block_reserved +block_identifier",
        "of a single one");
    identifier.instance.name_size = 2;
    judge_buffer(rules_check_data, &pdu,
        "-block_instances@104,4 +block_status +block_value_status +block_reserved +block_identifier", "by one name");
    known.takes_instances = true;
    judge_buffer(rules_check_data, &pdu,
        "+block_instances +block_instances +block_status +block_value_status +block_reserved +block_identifier",
        "by a pattern");
    known.other_instance = 8;
    judge_buffer(rules_check_data, &pdu,
        "+block_instances -block_instances@150,14 +block_status +block_value_status +block_reserved +block_identifier",
        "the second is none");
    told.instance_type = MULTIPLE_INSTANCES;
}

static unsigned num_judged;

static void
count_judged(const struct pdu *pdu _U_)
{
    num_judged++;
}

static void
check_buffers(void)
{
    static const struct operation judged = { .judge = count_judged }, unjudged = { .judge = NULL };
    static const struct {
        bool is_cut, is_mistrusted, has_data_header;
        unsigned judged;
    } cases[] = { { false, false, false, 1 }, { true, false, false, 0 }, { true, false, true, 0 },
        { false, true, false, 0 }, { false, true, true, 1 }, { false, false, true, 1 } };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct pdu pdu = begin();

        pdu.op = &judged;
        pdu.lp.is_cut = cases[i].is_cut;
        pdu.lp.is_mistrusted = cases[i].is_mistrusted;
        pdu.lp.has_data_header = cases[i].has_data_header;
        num_judged = 0;
        rules_check_buffer(&pdu);
        CHECK(num_judged == cases[i].judged, "%zu: %u", i, num_judged);
        pdu.op = &unjudged;
        rules_check_buffer(&pdu);
    }
}

int
main(void)
{
    wmem_init_scopes();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    win32_names_init();
    check_sent();
    check_statuses();
    check_accepted();
    check_echo();
    check_index_map();
    check_header();
    check_blocks();
    check_values();
    check_several_counters();
    check_identified();
    check_several_instances();
    check_buffers();
    wmem_destroy_allocator(scope);
    return check_result();
}
