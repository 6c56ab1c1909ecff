/* test_lpdata.c
 * Reading lpData: every structure at the offsets of [MS-PCQ] 2.2.4, and buffers that end at every byte
 *
 * packet-dcerpc hands over no stub whose end was not captured (4.0, 4.4 and 4.6), so what a snap length does to a buffer
 * shows only here.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "build.h"
#include "check.h"
#include "walk.h"

#define PERF_COUNTER_COUNTER 0x10410400u
#define MAX_ELEMENTS         64

static wmem_allocator_t *scope;

static void
add_guid(void)
{
    ADD(0x4d1ea1c2, 0x4c557b3f, 0x1b0a0a9e, 0x5f4e3d2c);
}

/* 2.2.4.2 */
static void
add_counter(uint32_t id)
{
    ADD(id, PERF_COUNTER_COUNTER, 0, 0, 100, 0, PERF_ID_NONE, PERF_ID_NONE, PERF_ID_NONE, PERF_ID_NONE, 0, 0);
}

/* 2.2.4.1 */
static void
build_counterset(void)
{
    begin();
    add_guid();
    ADD(0, 100, 2, 2);
    add_counter(1);
    add_counter(2);
}

static void
build_counter(void)
{
    begin();
    add_counter(7);
}

static void
build_string(void)
{
    begin();
    add_text("Processor", 2);
}

/* 2.2.4.3, 2.2.4.4: headers end at 32; "one" stands at 32, "three" at 40; the second counter has no string. */
static void
build_strings(void)
{
    begin();
    ADD(32 + 8 + 12, 3, 1, 32, 2, PERF_ID_NONE, 3, 40);
    add_text("one", 2);
    add_text("three", 2);
}

static void
build_provider_guid(void)
{
    begin();
    add_guid();
}

static void
build_instances(void)
{
    begin();
    add_instance("a", 0);
    add_instance("abc", 1);
    add_instance("instance 2", 2);
}

/* 2.2.4.6 */
static void
build_identifiers(void)
{
    begin();
    for (uint32_t index = 0; index < 3; index++) {
        const unsigned at = out.size;

        add_guid();
        ADD(0, 0, PERF_ID_NONE, PERF_ID_NONE, index, 0);
        add_text(index == 1 ? "*" : "instance", 8);
        out.bytes[at + 20] = (uint8_t)(out.size - at);
    }
}

/* 2.2.4.7 to 2.2.4.11, figures 5 to 9: a block of every kind. */
static void
build_data(void)
{
    unsigned at;

    begin_data(5, 1000, UINT64_C(0x1db2a3b4c5d6e7f));
    end_block(begin_block(PERF_ERROR_RETURN, 2));
    add_block(0, NULL, 0, NULL, (const uint64_t[]){ 11 }, 8);
    at = begin_block(PERF_MULTIPLE_COUNTERS, 0);
    ADD(16, 2, 1, 2);
    add_value(21, 8);
    add_value(22, 4);
    end_block(at);
    at = begin_block(PERF_MULTIPLE_INSTANCES, 0);
    ADD(8 + 16 + 16 + 16 + 16, 2);
    add_instance("a", 0);
    add_value(31, 8);
    add_instance("abc", 1);
    add_value(32, 8);
    end_block(at);
    at = begin_block(PERF_COUNTERSET, 0);
    ADD(16, 2, 1, 2);
    ADD(8 + 2 * (16 + 32), 2);
    for (uint32_t i = 0; i < 2; i++) {
        add_instance("abc", i);
        add_value(41 + 10 * i, 8);
        add_value(42 + 10 * i, 8);
    }
    end_block(at);
    end_data();
}

/* The same kinds of structures by a sender that pads none: what follows begins off the boundary, and says so by its own size. */
static void
build_identifiers_unpadded(void)
{
    begin();
    for (uint32_t index = 0; index < 2; index++) {
        const unsigned at = out.size;

        add_guid();
        ADD(0, 40 + 6, PERF_ID_NONE, PERF_ID_NONE, index, 0);
        add_text("ab", 2);
        CHECK(out.size == at + 46, "%u bytes", out.size - at);
    }
}

static void
build_data_unpadded(void)
{
    unsigned at;

    begin_data(2, 1000, UINT64_C(0x1db2a3b4c5d6e7f));
    at = begin_block(PERF_COUNTERSET, 0);
    ADD(12, 1, 1);
    ADD(8 + 12 + 12, 1, 12, 0);
    add_text("a", 2);
    ADD(4, 12, 5);
    end_block(at);
    at = begin_block(PERF_SINGLE_COUNTER, 0);
    ADD(4, 12, 6);
    end_block(at);
    end_data();
}

enum lp_structure {
    LP_COUNTERSET_REG,
    LP_COUNTER_REG,
    LP_STRING_BUFFER,
    LP_STRING_COUNTER,
    LP_PROVIDER_GUID,
    LP_INSTANCE,
    LP_IDENTIFIER,
    LP_DATA_HEADER,
    LP_COUNTER_HEADER,
    LP_COUNTER_DATA,
    LP_MULTI_COUNTERS,
    LP_MULTI_INSTANCES,
};

/* Something that was read: what it is, where it begins and ends, and a number out of it. */
struct element {
    enum lp_structure kind;
    unsigned offset, end;
    uint64_t number;
};

struct reading {
    struct lpdata lp;
    struct walk_findings findings;
    struct element elements[MAX_ELEMENTS];
    unsigned num_elements;
};

static void
found(struct reading *r, enum lp_structure kind, unsigned offset, unsigned end, uint64_t number)
{
    CHECK(r->num_elements < MAX_ELEMENTS, "more than %d structures", MAX_ELEMENTS);
    if (r->num_elements < MAX_ELEMENTS) {
        r->elements[r->num_elements++] = (struct element){ kind, offset, end, number };
    }
}

static void
collect(struct reading *r)
{
    const struct lpdata *lp = &r->lp;

    if (lp->has_counterset) {
        found(r, LP_COUNTERSET_REG, lp->counterset.offset, 32, lp->counterset.guid.data1);
    }
    for (unsigned i = 0; i < lpdata_count(lp->counters); i++) {
        const struct lp_counter_reg *counter = lpdata_counter(lp, i);

        found(r, LP_COUNTER_REG, counter->offset, counter->offset + 48, counter->id);
    }
    for (unsigned i = 0; i < lpdata_count(lp->strings); i++) {
        const struct lp_counter_string *string = lpdata_counter_string(lp, i);

        found(r, LP_STRING_COUNTER, string->offset,
            string->present ? string->text_offset + string->text.size + 2 : string->offset + 8, string->id);
    }
    if (lp->string.terminated) {
        found(r, LP_STRING_BUFFER, 0, lp->string.size + 2, lp->string.size);
    }
    if (lp->has_provider) {
        found(r, LP_PROVIDER_GUID, 0, 16, lp->provider.data1);
    }
    for (unsigned i = 0; i < lp->num_instances; i++) {
        const struct lp_instance *instance = &lp->instances[i];

        found(r, LP_INSTANCE, instance->offset, instance->end, (uint64_t)instance->name.size << 32 | instance->id);
    }
    for (unsigned i = 0; i < lpdata_count(lp->identifiers); i++) {
        const struct lp_identifier *identifier = lpdata_identifier(lp, i);

        found(r, LP_IDENTIFIER, identifier->offset, identifier->end,
            (uint64_t)identifier->name.size << 32 | identifier->index);
    }
    if (lp->has_data_header) {
        found(r, LP_DATA_HEADER, 0, 48, lp->header.perf_time_100ns);
    }
    for (unsigned i = 0; i < lpdata_count(lp->blocks); i++) {
        const struct lp_block *block = lpdata_block(lp, i);

        found(r, LP_COUNTER_HEADER, block->offset, block->offset + 16, block->type);
        if (block->counters_offset != 0) {
            found(r, LP_MULTI_COUNTERS, block->counters_offset, block->counters_offset + 8 + 4 * block->num_ids,
                block->num_ids);
        }
        if (block->instances_offset != 0) {
            found(r, LP_MULTI_INSTANCES, block->instances_offset, block->instances_offset + 8, 0);
        }
    }
    for (unsigned i = 0; i < lp->num_values; i++) {
        const struct lp_value *value = &lp->values[i];

        found(r, LP_COUNTER_DATA, value->offset, value->offset + 8 + value->data_size, lp->numbers[i]);
    }
}

/* Reads what was built: sent bytes of it, of which captured are there. */
static struct reading
read_it(unsigned which, unsigned sent, unsigned captured)
{
    struct reading r = { .num_elements = 0 };
    tvbuff_t *tvb = tvb_new_real_data(out.bytes, captured, (int)sent);

    lpdata_init(&r.lp, tvb, scope, rules_report_new(scope, true, true));
    walk(&r.lp, which);
    r.findings = walk_findings_of(r.lp.report);
    collect(&r);
    tvb_free(tvb);
    return r;
}

static struct reading
read_all(unsigned which)
{
    return read_it(which, out.size, out.size);
}

/* What was said of a check that failed, or NULL. */
static const char *
blamed(const struct reading *r)
{
    for (unsigned i = 0; i < NUM_RULES; i++) {
        if (r->findings.broken[i] > 0) {
            return r->findings.text;
        }
    }
    return NULL;
}

static bool
has_element(const struct reading *r, const struct element *wanted)
{
    for (unsigned i = 0; i < r->num_elements; i++) {
        const struct element *e = &r->elements[i];

        if (e->kind == wanted->kind && e->offset == wanted->offset && e->end == wanted->end &&
            e->number == wanted->number) {
            return true;
        }
    }
    return false;
}

/*
 * What ends within the first bytes of a buffer is read whether or not the rest of it is there. Without padding only the
 * structure that follows tells where it begins, and it may be cut off: then nothing is promised but to stay within bounds.
 */
static void
check_cuts(unsigned which, const struct reading *whole, bool is_unpadded)
{
    for (unsigned length = 0; length < out.size; length++) {
        const struct reading snapped = read_it(which, out.size, length), sent = read_it(which, length, length);
        const char *rule = blamed(&snapped);
        unsigned missing = 0;

        for (unsigned i = 0; i < whole->num_elements && !is_unpadded; i++) {
            const struct element *e = &whole->elements[i];

            missing += !has_element(&snapped, e);
            if (e->end > length) {
                continue;
            }
            CHECK(has_element(&snapped, e), "walk %u, %u bytes captured: structure at %u is lost", which, length,
                e->offset);
            CHECK(has_element(&sent, e), "walk %u, %u bytes sent: structure at %u is lost", which, length, e->offset);
        }
        for (unsigned i = 0; i < snapped.num_elements; i++) {
            const struct element *e = &snapped.elements[i];

            CHECK(e->kind != LP_COUNTER_DATA || e->end <= length, "walk %u, %u bytes captured: a value at %u", which,
                length, e->offset);
        }
        CHECK(rule == NULL || is_unpadded, "walk %u, %u bytes captured: the sender is blamed for it, %s", which, length,
            rule);
        CHECK(snapped.lp.is_cut || missing == 0, "walk %u, %u bytes captured: not seen to be cut", which, length);
        CHECK(!sent.lp.is_cut, "walk %u, %u bytes sent: nothing was cut from it", which, length);
        CHECK(snapped.lp.parsed <= out.size && sent.lp.parsed <= length,
            "walk %u, %u bytes: more is understood than there is", which, length);
    }
}

static const struct {
    unsigned which;
    void (*build)(void);
    unsigned num_elements; /* by hand: what build() puts there */
    bool is_unpadded;      /* which breaks rules */
} walks[] = {
    { PERF_REG_COUNTERSET_STRUCT, build_counterset, 3, false },
    { PERF_REG_COUNTER_STRUCT, build_counter, 1, false },
    { PERF_REG_COUNTERSET_NAME_STRING, build_string, 1, false },
    { PERF_REG_COUNTER_NAME_STRINGS, build_strings, 3, false },
    { PERF_REG_PROVIDER_GUID, build_provider_guid, 1, false },
    { WALK_INSTANCES, build_instances, 3, false },
    { WALK_IDENTIFIERS, build_identifiers, 3, false },
    /* A header, five blocks, of which two have ids and two instances, four instances, 1 + 2 + 2 + 4 values. */
    { WALK_DATA, build_data, 1 + 5 + 2 + 2 + 4 + 9, false },
    { WALK_IDENTIFIERS, build_identifiers_unpadded, 2, true },
    /* A header, two blocks, ids, instances, one instance, two values. */
    { WALK_DATA, build_data_unpadded, 1 + 2 + 1 + 1 + 1 + 2, true },
};

/* What build_data() put there, by hand: the reading of a whole buffer is what cut ones are compared with. */
static void
check_whole_buffer_is_read_as_built(void)
{
    static const struct {
        unsigned offset, size;
        uint64_t value;
    } expected[] = {
        /* Behind the header's 48 bytes and an error's 16: 80; ids take 16; an instance takes 16 with its name, then its values. */
        { 80, 8, 11 },
        { 128, 8, 21 },
        { 144, 4, 22 },
        { 200, 8, 31 },
        { 232, 8, 32 },
        { 304, 8, 41 },
        { 320, 8, 42 },
        { 352, 8, 51 },
        { 368, 8, 52 },
    };
    struct reading r;

    build_data();
    r = read_all(WALK_DATA);
    CHECK(r.lp.num_values == array_length(expected), "%u values", r.lp.num_values);
    for (unsigned i = 0; i < MIN(r.lp.num_values, array_length(expected)); i++) {
        const struct lp_value *value = &r.lp.values[i];

        CHECK(value->offset == expected[i].offset && value->data_size == expected[i].size &&
                r.lp.numbers[i] == expected[i].value &&
                r.lp.widths[i] == (expected[i].size == 4 || expected[i].size == 8 ? expected[i].size : 0),
            "value %u: %" PRIu64 " of %u bytes at %u", i, r.lp.numbers[i], value->data_size, value->offset);
    }
    for (unsigned i = 0; i < 4; i++) {
        const struct lp_instance *instance = &r.lp.instances[i];

        CHECK(instance->id == (i & 1) && instance->num_values == (i < 2 ? 1 : 2) &&
                instance->name.size == (i == 0 ? 2 : 6),
            "instance %u", i);
    }
    for (unsigned i = 0; i < 5; i++) {
        static const uint32_t types[] = { PERF_ERROR_RETURN, PERF_SINGLE_COUNTER, PERF_MULTIPLE_COUNTERS,
            PERF_MULTIPLE_INSTANCES, PERF_COUNTERSET };
        static const unsigned counts[] = { 0, 1, 2, 2, 4 };
        const struct lp_block *block = lpdata_block(&r.lp, i);

        CHECK(block->type == types[i] && block->num_values == counts[i] && block->is_complete == (i > 0), "block %u",
            i);
    }
    CHECK_EQUAL(r.lp.header.perf_time_stamp, 1000, "clocks");
    CHECK_EQUAL(r.lp.header.perf_time_100ns, UINT64_C(0x1db2a3b4c5d6e7f), "clocks");
    CHECK_EQUAL(r.lp.header.perf_freq, 10000000, "clocks");
}

/* NumCounters, 2.2.4.1, is how many _PERF_COUNTER_REG_INFO structures follow: two, whatever is said. */
static void
check_counters_are_read_whatever_num_counters_says(void)
{
    for (unsigned said = 0; said <= 3; said++) {
        struct reading r;

        build_counterset();
        out.bytes[24] = (uint8_t)said;
        r = read_all(PERF_REG_COUNTERSET_STRUCT);
        CHECK(r.findings.broken[RULE_REG_NUM_COUNTERS] == (said != 2), "NumCounters %u", said);
        CHECK(r.lp.counterset.num_counters == said && lpdata_count(r.lp.counters) == 2, "NumCounters %u", said);
    }
}

/* Zeros behind a string are its padding only where nothing follows them. */
static void
check_zeros_at_the_end_are_padding(void)
{
    for (unsigned follows = 0; follows < 2; follows++) {
        struct reading r;

        build_string();
        add(0, 2);
        add(follows, 2);
        r = read_all(PERF_REG_COUNTERSET_NAME_STRING);
        CHECK(r.lp.parsed == (follows ? 20 : 24) && r.findings.broken[RULE_TRAILING_BYTES] == follows, "%u of %u",
            r.lp.parsed, out.size);
    }
}

/*
 * 2.2.4.3: the string stands right behind the headers at 24. Counted from there its offset would lead to 48, where a
 * string can begin, too: practice it is. What is before it is the other counter's dwOffset, which is no terminator.
 */
static void
check_string_offsets_have_two_origins(void)
{
    struct reading r;

    begin();
    ADD(24 + 24 + 4, 2, 1, 24, 2, PERF_ID_NONE);
    add_text("eleven char", 2);
    add_text("x", 2);
    r = read_all(PERF_REG_COUNTER_NAME_STRINGS);
    CHECK(!r.lp.offset_from_headers, "from the headers");
    CHECK_EQUAL(lpdata_counter_string(&r.lp, 0)->text_offset, 24, "from the headers");
    /* Counted from the headers it leads behind a terminator; from the start it would lead into them. */
    begin();
    ADD(32 + 12 + 4, 3, 1, 12, 2, PERF_ID_NONE, 3, PERF_ID_NONE);
    add_text("abcde", 2);
    add_text("x", 2);
    r = read_all(PERF_REG_COUNTER_NAME_STRINGS);
    CHECK(r.lp.offset_from_headers, "from the start");
    CHECK_EQUAL(lpdata_counter_string(&r.lp, 0)->text_offset, 44, "from the start");
    /* Into the headers leads neither reading; a string's middle and the buffer's end are no places for one. */
    for (unsigned i = 0; i < 5; i++) {
        const unsigned to = (const unsigned[]){ 8, 38, 53, 48, 49 }[i];

        begin();
        ADD(24 + 24 + 5, 2, 1, 24, 2, to);
        add_text("eleven char", 2);
        add_text("x", 2);
        add(0, 1);
        r = read_all(PERF_REG_COUNTER_NAME_STRINGS);
        CHECK(lpdata_counter_string(&r.lp, 1)->present == (to == 48) &&
                r.findings.broken[RULE_STRINGS_OFFSET] == (to != 48),
            "to %u", to);
    }
}

/* dwCounters, 2.2.4.3: of nine headers three fit, and what stands there is read. */
static void
check_counters_that_fit_are_read(void)
{
    struct reading r;

    begin();
    ADD(8 + 3 * 8, 9, 1, PERF_ID_NONE, 2, PERF_ID_NONE, 3, PERF_ID_NONE);
    r = read_all(PERF_REG_COUNTER_NAME_STRINGS);
    CHECK(r.findings.broken[RULE_STRUCTURE_FITS] == 1 && lpdata_count(r.lp.strings) == 3, "%u headers",
        lpdata_count(r.lp.strings));
}

static void
add_identifier(uint32_t status, uint32_t size, uint32_t counter)
{
    add_guid();
    ADD(status, size, counter, 0, 0, 0);
}

/* Where a structure begins behind one that ends off the boundary: 2.2.4 has them at multiples of 8. */
static void
check_structures_begin_at_multiples_of_8(void)
{
    struct reading r;
    unsigned at;

    /* 40 bytes are an identifier without a name; behind one of less nothing tells where the next is. */
    for (unsigned size = 39; size <= 40; size++) {
        begin();
        add_identifier(0, size, 1);
        add_identifier(0, 40, 2);
        r = read_all(WALK_IDENTIFIERS);
        CHECK(lpdata_count(r.lp.identifiers) == size - 38 && r.findings.broken[RULE_IDENTIFIER_SIZE] == 40 - size,
            "Size %u", size);
    }
    /* On it, where neither place holds one that can be: of the one at 48 Size is too large, of one at 44 it were 5. */
    begin();
    add_identifier(0, 44, 1);
    ADD('a', 0);
    add_identifier(5, 400, 2);
    r = read_all(WALK_IDENTIFIERS);
    CHECK_EQUAL(lpdata_count(r.lp.identifiers), 2, "identifiers");
    CHECK_EQUAL(lpdata_identifier(&r.lp, 1)->offset, 48, "identifiers");
    CHECK_EQUAL(r.findings.broken[RULE_ALIGNMENT], 0, "identifiers");
    /* Off it as the one before, whose Size is a multiple of 8, even if one could be on it: at 96, if its CounterId were Size. */
    begin();
    add_identifier(0, 44, 1);
    ADD('a');
    add_identifier(0, 48, 2);
    ADD('a', 0);
    add_identifier(0, 44, 40);
    ADD('a');
    r = read_all(WALK_IDENTIFIERS);
    CHECK_EQUAL(lpdata_count(r.lp.identifiers), 3, "unpadded");
    CHECK_EQUAL(lpdata_identifier(&r.lp, 1)->offset, 44, "unpadded");
    CHECK_EQUAL(lpdata_identifier(&r.lp, 2)->offset, 92, "unpadded");
    CHECK_EQUAL(r.findings.broken[RULE_ALIGNMENT], 2, "unpadded");
    /* A value at 96, whose dwSize is too large; at 92 it would have no data and 8 bytes more than its header. */
    begin();
    ADD(0, 1);
    add(0, 40);
    at = begin_block(PERF_MULTIPLE_COUNTERS, 0);
    ADD(16, 2, 1, 2, 4, 12, 5, 0, 16, 100, 1, 2, 3, 4);
    end_block(at);
    out.bytes[0] = (uint8_t)out.size;
    r = read_all(WALK_DATA);
    CHECK(r.lp.num_values == 2 && r.lp.values[1].offset == 96 && r.lp.values[1].data_size == 16 &&
            r.findings.broken[RULE_ALIGNMENT] == 0 && r.findings.broken[RULE_STRUCTURE_FITS] == 1,
        "values: %s", r.findings.text);
}

/* A buffer of one block of these words behind its header, or of two of them. */
static struct reading
read_block(uint32_t type, unsigned blocks, unsigned spare, const uint32_t *words, unsigned count)
{
    begin();
    ADD(0, blocks);
    add(0, 40);
    for (unsigned i = 0; i < blocks; i++) {
        const unsigned at = begin_block(type, 0);

        add_u32s(words, count);
        end_block(at);
        out.bytes[at + 8] += (uint8_t)spare;
    }
    out.bytes[0] = (uint8_t)out.size;
    return read_all(WALK_DATA);
}
#define READ_BLOCK(type, blocks, spare, ...) \
    read_block(type, blocks, spare, (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

/* 2.2.4.9: what is behind dwDataSize bytes is padding. */
static void
check_what_follows_the_data_is_padding(void)
{
    static const struct {
        uint32_t words[6];
        unsigned count;
        uint64_t value;
        unsigned broken;
    } values[] = {
        { { 8, 24, 5, 6 }, 6, UINT64_C(0x600000005), 0 },
        { { 4, 16, 5, UINT32_MAX }, 4, 5, 0 },
        { { 3, 16, 5, 0 }, 4, 0, 0 },
        { { 4, 12, 5 }, 3, 5, 1 },
    };

    for (unsigned i = 0; i < array_length(values); i++) {
        const struct reading r = read_block(PERF_SINGLE_COUNTER, 1, 0, values[i].words, values[i].count);

        CHECK(r.lp.num_values == 1 && r.lp.values[0].data_size == values[i].words[0] &&
                r.lp.numbers[0] == values[i].value && r.findings.broken[RULE_VALUE_SIZE] == values[i].broken,
            "value %u", i);
    }
}

/* Sizes and numbers that are not what there is, 2.2.4.7 to 2.2.4.11. */
static void
check_wrong_sizes_of_blocks_are_told(void)
{
    struct reading r = READ_BLOCK(PERF_MULTIPLE_COUNTERS, 1, 0, 16, 9, 1, 2, 3, 4);

    CHECK_EQUAL(r.findings.broken[RULE_STRUCTURE_FITS], 1, "nine ids");
    CHECK_EQUAL(r.findings.broken[RULE_MULTI_COUNTERS_SIZE], 0, "nine ids");
    CHECK_EQUAL(r.lp.num_values, 0, "nine ids");
    r = READ_BLOCK(PERF_MULTIPLE_COUNTERS, 1, 0, 400, 2, 1, 2, 4, 16, 5, 0, 4, 16, 6, 0);
    CHECK_EQUAL(r.findings.broken[RULE_MULTI_COUNTERS_SIZE], 1, "400 bytes");
    CHECK_EQUAL(r.lp.num_values, 2, "400 bytes");
    CHECK_EQUAL(r.lp.numbers[0], 5, "400 bytes");
    r = READ_BLOCK(PERF_MULTIPLE_COUNTERS, 1, 0, 24, 2, 1, 2, 0, 0, 4, 16, 5, 0, 4, 16, 6, 0);
    CHECK(blamed(&r) == NULL, "room behind ids");
    CHECK_EQUAL(r.lp.num_values, 2, "room behind ids");
    CHECK_EQUAL(r.lp.numbers[0], 5, "room behind ids");
    for (unsigned total = 32; total <= 48; total += 8) {
        r = READ_BLOCK(PERF_MULTIPLE_INSTANCES, 1, 0, total, 1, 16, 0, 'a', 0, 4, 16, 5, 0);
        CHECK(r.findings.broken[RULE_MULTI_INSTANCES_SIZE] == (total != 40) && r.lp.num_values == 1 &&
                lpdata_block(&r.lp, 0)->is_complete,
            "%u", total);
    }
    r = READ_BLOCK(PERF_MULTIPLE_INSTANCES, 1, 0, 40, 2, 16, 0, 'a', 0, 4, 16, 5, 0);
    CHECK_EQUAL(r.findings.broken[RULE_STRUCTURE_FITS], 1, "an instance missing");
    CHECK_EQUAL(r.lp.num_values, 1, "an instance missing");
    CHECK(!lpdata_block(&r.lp, 0)->is_complete, "an instance missing");
    r = READ_BLOCK(PERF_ERROR_RETURN, 1, 0, 0, 0);
    CHECK_EQUAL(r.findings.broken[RULE_BLOCK_ERROR_ALONE], 1, "more than an error");
    CHECK_EQUAL(r.findings.broken[RULE_BLOCK_SIZE], 0, "more than an error");
    r = READ_BLOCK(PERF_ERROR_RETURN, 1, 0, 0);
    CHECK_EQUAL(r.findings.broken[RULE_BLOCK_SIZE], 1, "20 bytes");
    /* A size below the header's own: the next block is behind what could be read. */
    r = READ_BLOCK(PERF_SINGLE_COUNTER, 2, (uint8_t)-24, 4, 16, 5, 0);
    /* ... of which nothing says that it is one, as its own size is wrong, too. */
    CHECK_EQUAL(r.findings.broken[RULE_BLOCK_SIZE], 1, "8 bytes");
    CHECK_EQUAL(r.lp.num_values, 2, "8 bytes");
    CHECK_EQUAL(r.lp.values[1].offset, 48 + 32 + 16, "8 bytes");
}

/* dwTotalSize and dwNumCounters of _PERF_DATA_HEADER, 2.2.4.7; dwSize of _STRING_BUFFER_HEADER, 2.2.4.3. */
static void
check_wrong_totals_are_told(void)
{
    for (int more = -1; more <= 1; more++) {
        struct reading r;

        build_data();
        out.bytes[0] = (uint8_t)(out.bytes[0] + more);
        out.bytes[4] = (uint8_t)(5 + MAX(more, 0));
        r = read_all(WALK_DATA);
        CHECK(r.findings.broken[RULE_DATA_TOTAL_SIZE] == (more != 0) &&
                r.findings.broken[RULE_DATA_NUM_COUNTERS] == (more > 0),
            "%d more", more);
        build_strings();
        out.bytes[0] = (uint8_t)(out.bytes[0] + more);
        r = read_all(PERF_REG_COUNTER_NAME_STRINGS);
        CHECK(r.findings.broken[RULE_STRINGS_SIZE] == (more != 0), "%d more", more);
    }
}

int
main(void)
{
    wmem_init();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    check_whole_buffer_is_read_as_built();
    check_what_follows_the_data_is_padding();
    check_wrong_sizes_of_blocks_are_told();
    check_wrong_totals_are_told();
    check_counters_that_fit_are_read();
    check_structures_begin_at_multiples_of_8();
    check_zeros_at_the_end_are_padding();
    check_string_offsets_have_two_origins();
    check_counters_are_read_whatever_num_counters_says();
    for (unsigned i = 0; i < array_length(walks); i++) {
        struct reading whole;

        walks[i].build();
        whole = read_all(walks[i].which);
        CHECK(walks[i].is_unpadded == (whole.findings.broken[RULE_ALIGNMENT] > 0), "walk %u: alignment",
            walks[i].which);
        CHECK(walks[i].is_unpadded || blamed(&whole) == NULL, "walk %u: a good buffer is blamed: %s", walks[i].which,
            blamed(&whole));
        CHECK(!whole.lp.is_cut && whole.lp.parsed == out.size, "walk %u: %u of %u bytes understood", walks[i].which,
            whole.lp.parsed, out.size);
        CHECK(whole.num_elements == walks[i].num_elements, "walk %u: %u structures, not %u", walks[i].which,
            whole.num_elements, walks[i].num_elements);
        check_cuts(walks[i].which, &whole, walks[i].is_unpadded);
        wmem_free_all(scope);
    }
    wmem_destroy_allocator(scope);
    wmem_cleanup();
    return check_result();
}
