/* test_lpdata_known.c
 * Polls that are compared with one whose layout is known: they are read as without it, whichever byte differs
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "build.h"
#include "check.h"
#include "perflibv2/walk.h"

static wmem_allocator_t *scope;

/* Offsets of the values, and which of them has 4 bytes. */
static struct {
    unsigned at, size;
} values[16];
static unsigned num_values;

static void
value(uint64_t number, unsigned size)
{
    values[num_values].at = out.size;
    values[num_values++].size = size;
    add_value(number, size);
}

/* 2.2.4.7 to 2.2.4.11: a block of every kind, the last with two instances of three counters. */
static void
build_poll(void)
{
    unsigned at;

    num_values = 0;
    begin_data(5, 1000, UINT64_C(0x1db2a3b4c5d6e7f));
    end_block(begin_block(PERF_ERROR_RETURN, 2));
    at = begin_block(PERF_SINGLE_COUNTER, 0);
    value(11, 8);
    end_block(at);
    at = begin_block(PERF_MULTIPLE_COUNTERS, 0);
    ADD(16, 2, 1, 2);
    value(UINT64_MAX, 8);
    value(22, 4);
    end_block(at);
    at = begin_block(PERF_MULTIPLE_INSTANCES, 0);
    ADD(8 + 16 + 16 + 16 + 16, 2);
    add_instance("a", 1);
    value(31, 4);
    add_instance("b", 2);
    value(32, 8);
    end_block(at);
    at = begin_block(PERF_COUNTERSET, 0);
    ADD(24, 3, 7, 8, 9, 0);
    ADD(8 + 2 * (16 + 48), 2);
    for (unsigned i = 0; i < 2; i++) {
        add_instance(i == 0 ? "c" : "d", i);
        for (unsigned c = 0; c < 3; c++) {
            value(100 * i + c, c == 1 ? 4 : 8);
        }
    }
    end_block(at);
    end_data();
}

static struct lpdata
parse(const uint8_t *bytes, unsigned size, const struct lpdata_known *known, struct rules_report *report)
{
    struct lpdata lp;

    lpdata_init(&lp, tvb_new_real_data((const uint8_t *)wmem_memdup(scope, bytes, size), size, (int)size), scope,
        rules_report_init(report, scope, false, true));
    lp.known = known;
    lpdata_parse_data(&lp);
    return lp;
}

static bool
same_block(const struct lp_block *a, const struct lp_block *b)
{
    return a->offset == b->offset && a->status == b->status && a->type == b->type && a->size == b->size &&
        a->reserved == b->reserved && a->end == b->end && a->parsed == b->parsed && a->is_complete == b->is_complete &&
        a->is_mistrusted == b->is_mistrusted && a->counters_offset == b->counters_offset && a->num_ids == b->num_ids &&
        a->instances_offset == b->instances_offset && a->first_instance == b->first_instance &&
        a->num_instances == b->num_instances && a->first_value == b->first_value && a->num_values == b->num_values;
}

static bool
same_instance(const struct lp_instance *a, const struct lp_instance *b)
{
    return a->offset == b->offset && a->size == b->size && a->id == b->id && a->name_offset == b->name_offset &&
        a->name.size == b->name.size && a->name.terminated == b->name.terminated && a->end == b->end &&
        a->first_value == b->first_value && a->num_values == b->num_values;
}

static bool
same_poll(const struct lpdata *a, const struct lpdata *b)
{
    bool is_same = a->parsed == b->parsed && a->is_cut == b->is_cut && a->is_mistrusted == b->is_mistrusted &&
        a->has_data_header == b->has_data_header && memcmp(&a->header, &b->header, sizeof a->header) == 0 &&
        a->num_instances == b->num_instances && a->num_values == b->num_values &&
        lpdata_count(a->blocks) == lpdata_count(b->blocks);

    for (unsigned i = 0; is_same && i < lpdata_count(a->blocks); i++) {
        is_same = same_block(lpdata_block(a, i), lpdata_block(b, i));
    }
    for (unsigned i = 0; is_same && i < a->num_instances; i++) {
        is_same = same_instance(&a->instances[i], &b->instances[i]);
    }
    for (unsigned i = 0; is_same && i < a->num_values; i++) {
        is_same = a->values[i].offset == b->values[i].offset && a->values[i].data_size == b->values[i].data_size &&
            a->numbers[i] == b->numbers[i] && a->widths[i] == b->widths[i];
    }
    return is_same;
}

/* Returns whether a byte belongs to a time of _PERF_DATA_HEADER, to the frequency or to a value with its padding. */
static bool
is_free(unsigned at)
{
    bool is_value = false;

    for (unsigned i = 0; i < num_values; i++) {
        is_value = is_value || (at >= values[i].at + 8 && at < values[i].at + 16);
    }
    return is_value || (at >= 8 && at < 48);
}

static unsigned
num_findings(const struct rules_report *report)
{
    return lpdata_count(report->findings);
}

/* Each byte of a poll is changed in turn. */
static void
check_every_byte_counts(const struct lpdata_known *known)
{
    for (unsigned at = 0; at < out.size; at++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            struct rules_report alone, beside;
            struct lpdata expected, got;

            out.bytes[at] ^= (uint8_t)(1 << bit);
            expected = parse(out.bytes, out.size, NULL, &alone);
            got = parse(out.bytes, out.size, known, &beside);
            CHECK(same_poll(&expected, &got), "byte %u, bit %u", at, bit);
            CHECK(num_findings(&alone) == num_findings(&beside), "byte %u, bit %u: findings", at, bit);
            CHECK((got.known != NULL) == is_free(at), "byte %u, bit %u: only compared", at, bit);
            if (num_findings(&alone) > 0) {
                CHECK(lpdata_known_new(got.tvb) == NULL, "byte %u, bit %u: a faulty layout is kept", at, bit);
            }
            out.bytes[at] ^= (uint8_t)(1 << bit);
            wmem_free_all(scope);
        }
    }
}

static void
check_other_sizes_are_read(const struct lpdata_known *known)
{
    for (unsigned size = 0; size < out.size + 8; size++) {
        struct rules_report alone, beside;
        const struct lpdata expected = parse(out.bytes, size, NULL, &alone),
                            got = parse(out.bytes, size, known, &beside);

        CHECK(same_poll(&expected, &got) && num_findings(&alone) == num_findings(&beside), "%u bytes", size);
        CHECK((got.known != NULL) == (size == out.size), "%u bytes: only compared", size);
        wmem_free_all(scope);
    }
}

/* Rules that hold are counted for each poll, whether its layout is known or not. */
static void
check_rules_are_counted(const struct lpdata_known *known)
{
    struct rules_report alone, beside;

    for (unsigned is_known = 0; is_known < 2; is_known++) {
        struct rules_report *report = is_known ? &beside : &alone;
        struct lpdata lp;

        lpdata_init(&lp, tvb_new_real_data(out.bytes, out.size, (int)out.size), scope,
            rules_report_init(report, scope, true, true));
        lp.known = is_known ? known : NULL;
        lpdata_parse_data(&lp);
    }
    CHECK_EQUAL(memcmp(alone.checked, beside.checked, NUM_RULES * sizeof *alone.checked), 0, "a known layout");
    wmem_free_all(scope);
}

int
main(void)
{
    struct lpdata_known *known;

    wmem_init();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    build_poll();
    known = lpdata_known_new(tvb_new_real_data(out.bytes, out.size, (int)out.size));
    CHECK(known != NULL, "a usual layout");
    /* The known poll has bytes of its own. */
    build_poll();
    check_every_byte_counts(known);
    check_other_sizes_are_read(known);
    check_rules_are_counted(known);
    lpdata_known_free(known);
    lpdata_known_free(NULL);
    wmem_destroy_allocator(scope);
    wmem_cleanup();
    return check_result();
}
