/* test_rules_report.c
 * The report of one PDU: what is counted, what is kept of each finding, and in which order and where it is shown
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "check.h"
#include "fake-expert.h"
#include "perflibv2/rules-report.h"

static wmem_allocator_t *scope;

/* In place of Wireshark's: what is shown, and the tree that it is shown in; below each item stands another. */
static struct shown {
    const expert_field *field; /* NULL: no tree */
    int start, length;
    char text[100];
    char broken_rule[60]; /* below it; "": none */
} shown[100];
static unsigned num_shown;
static int no_tree, no_item, no_subtree;
#define TREE ((proto_tree *)&no_tree)

static void
take_expert(const char *format, va_list arguments)
{
    shown[num_shown] = (struct shown){ .field = NULL };
    vsnprintf(shown[num_shown++].text, sizeof shown[0].text, format, arguments);
}

proto_item *
proto_tree_add_expert_format(proto_tree *tree, packet_info *pinfo _U_, expert_field *ei, tvbuff_t *tvb _U_, int start,
    int length, const char *format, ...)
{
    va_list arguments;

    CHECK(tree == TREE, "another tree");
    va_start(arguments, format);
    take_expert(format, arguments);
    va_end(arguments);
    shown[num_shown - 1].field = ei;
    shown[num_shown - 1].start = start;
    shown[num_shown - 1].length = length;
    return (proto_item *)&no_item;
}

proto_tree *
proto_item_get_subtree(proto_item *item)
{
    CHECK(item == (proto_item *)&no_item, "another item");
    return (proto_tree *)&no_subtree;
}

proto_item *
proto_tree_add_string(proto_tree *tree, int hf _U_, tvbuff_t *tvb _U_, int start, int length, const char *value)
{
    struct shown *last = &shown[num_shown - 1];

    CHECK(tree == (proto_tree *)&no_subtree, "another subtree");
    CHECK(start == last->start && length == last->length, "%d bytes at %d", length, start);
    g_strlcpy(last->broken_rule, value, sizeof last->broken_rule);
    return NULL;
}

static int
order_of(const struct finding *one, const struct finding *other, int (*compare)(const void *, const void *))
{
    const int order = compare(one, other);

    return (order > 0) - (order < 0);
}

/* In place of Wireshark's, which sorts by qsort(): that of some systems does not leave equals as they stood. */
void
wmem_array_sort(wmem_array_t *array, int (*compare)(const void *, const void *))
{
    struct finding *all = (struct finding *)wmem_array_get_raw(array);
    const unsigned count = wmem_array_get_count(array);

    for (unsigned i = 0; i < count; i++) {
        CHECK_EQUAL(order_of(&all[i], &all[i], compare), 0, "finding %u and itself", i);
        for (unsigned j = i + 1; j < count; j++) {
            struct finding moved = all[j];

            CHECK_EQUAL(order_of(&all[i], &moved, compare), -order_of(&moved, &all[i], compare), "%u and %u", i, j);
            if (order_of(&all[i], &moved, compare) >= 0) {
                all[j] = all[i];
                all[i] = moved;
            }
        }
    }
}

static const ei_register_info *registered;
static int num_registered, num_fields;

void
expert_register_field_array(expert_module_t *module _U_, ei_register_info *ei, const int count)
{
    registered = ei;
    num_registered = count;
}

void
proto_register_field_array(const int proto, hf_register_info *hf, const int count)
{
    CHECK_EQUAL(proto, 7, "another protocol");
    CHECK_STRING(hf->hfinfo.abbrev, "perflibv2.broken_rule", "the only field");
    CHECK_EQUAL(hf->hfinfo.bitmask, 0, "a string");
    num_fields += count;
}

static void
test_every_rule_is_registered_with_its_title(void)
{
    rules_register(7, NULL);
    CHECK_EQUAL(num_registered, NUM_RULES, "rules");
    CHECK_EQUAL(num_fields, 1, "fields");
    for (unsigned rule = 0; rule < NUM_RULES; rule++) {
        const expert_field_info *info = &registered[rule].eiinfo;
        /* What makes the rest unreadable. */
        const bool is_malformed = strcmp(info->name, "perflibv2.rule.lpdata_count") == 0 ||
            strcmp(info->name, "perflibv2.rule.structure_fits") == 0 ||
            strcmp(info->name, "perflibv2.rule.strings_offset") == 0;

        CHECK_STRING(info->name, perflibv2_rules[rule].filter, "rule %u", rule);
        CHECK_EQUAL(info->group, is_malformed ? PI_MALFORMED : PI_PROTOCOL, "%s", info->name);
        CHECK_EQUAL(info->severity, perflibv2_rules[rule].severity, "%s", info->name);
        CHECK_STRING(info->summary,
            wmem_strdup_printf(scope, "%s ([MS-PCQ] %s)", perflibv2_rules[rule].fault, perflibv2_rules[rule].section),
            "%s", info->name);
        /* Wireshark gives it its numbers. */
        CHECK_EQUAL(registered[rule].ids->ei, EI_INIT_EI, "%s", info->name);
        for (unsigned other = 0; other < rule; other++) {
            CHECK(registered[rule].ids != registered[other].ids, "%u and %u", rule, other);
        }
    }
}

/* One rule of each severity. */
static const enum perflibv2_rule of_severity[] = { RULE_STRUCTURE_FITS, RULE_TRAILING_BYTES, RULE_TRANSPORT };
static const int severities[] = { PI_ERROR, PI_WARN, PI_NOTE };

static const struct finding *
finding_of(const struct rules_report *report, unsigned number)
{
    return (const struct finding *)wmem_array_index(report->findings, number);
}

/* So many findings of a rule, after some that another rule has. */
static void
check_findings(enum perflibv2_rule rule, int severity, unsigned count, bool is_counted, bool is_shown)
{
    struct rules_report *report = rules_report_new(scope, is_counted, is_shown);
    const unsigned kept = MIN(count, 10);

    CHECK((report->checked != NULL) == is_counted && (report->broken != NULL) == is_counted, "counted or not");
    CHECK(report->is_shown == is_shown, "shown or not");
    rules_broken(report, RULE_ALIGNMENT, 1, 2, "a %s", "before");
    rules_held(report, RULE_ALIGNMENT, 5);
    rules_check(report, rule, true, 3, 4, "not %s", "broken");
    for (unsigned i = 0; i < count; i++) {
        if (i % 2 == 0) {
            rules_broken(report, rule, 100 + i, 200 + i, "finding %u", i);
        } else {
            rules_check(report, rule, false, 100 + i, 200 + i, "finding %u", i);
        }
    }
    for (unsigned other = 0; other < NUM_RULES; other++) {
        const unsigned broken = other == rule ? count : other == RULE_ALIGNMENT;

        CHECK_EQUAL(report->broken[other], broken, "rule %u", other);
        if (is_counted) {
            CHECK_EQUAL(report->checked[other],
                broken +
                    (other == rule                    ? 1
                            : other == RULE_ALIGNMENT ? 5
                                                      : 0),
                "rule %u", other);
        }
    }
    CHECK_EQUAL(report->num_faults, 1 + (severity == PI_NOTE ? 0 : count), "severity %x", severity);
    if (!is_shown) {
        CHECK(report->findings == NULL, "findings that nobody sees");
        return;
    }
    CHECK_EQUAL(wmem_array_get_count(report->findings), 1 + kept, "of %u", count);
    CHECK_STRING(finding_of(report, 0)->text, "a before", "the first");
    for (unsigned i = 0; i < kept; i++) {
        const struct finding *finding = finding_of(report, 1 + i);

        CHECK_EQUAL(finding->rule, rule, "finding %u", i);
        CHECK_EQUAL(finding->offset, 100 + i, "finding %u", i);
        CHECK_EQUAL(finding->length, 200 + i, "finding %u", i);
        CHECK_EQUAL(finding->number, 1 + i, "finding %u", i);
        CHECK_STRING(finding->text, wmem_strdup_printf(scope, "finding %u", i), "finding %u", i);
    }
}

static void
test_all_is_counted_and_ten_findings_are_kept(void)
{
    for (unsigned i = 0; i < array_length(of_severity); i++) {
        CHECK_EQUAL(perflibv2_rules[of_severity[i]].severity, severities[i], "%u", i);
        for (unsigned count = 0; count <= 12; count++) {
            for (unsigned kind = 0; kind < 4; kind++) {
                check_findings(of_severity[i], severities[i], count, (kind & 1) != 0, (kind & 2) != 0);
            }
        }
    }
}

static void
test_without_a_report_nothing_is_kept(void)
{
    struct rules_report memory = { .num_faults = 9, .is_shown = true };

    rules_held(NULL, RULE_ALIGNMENT, 1);
    rules_broken(NULL, RULE_ALIGNMENT, 0, 0, "nothing");
    rules_check(NULL, RULE_ALIGNMENT, true, 0, 0, "nothing");
    rules_check(NULL, RULE_ALIGNMENT, false, 0, 0, "nothing");
    CHECK(rules_report_init(&memory, scope, false, false) == &memory, "other memory");
    CHECK_EQUAL(memory.num_faults, 0, "of before");
    CHECK(!memory.is_shown && memory.scope == scope, "of before");
    CHECK(memory.checked == NULL && memory.broken == NULL, "of before");
    CHECK(memory.findings == NULL, "of before");
    rules_held(&memory, RULE_ALIGNMENT, 1);
    rules_order(&memory);
    CHECK(memory.checked == NULL && memory.findings == NULL, "not counted");
}

/* Findings of one place stay in the order in which they were found. */
static void
test_findings_are_ordered_by_place(void)
{
    for (unsigned step = 1; step < 11; step++) {
        struct rules_report *report = rules_report_new(scope, false, true);

        for (unsigned i = 0; i < 40; i++) {
            rules_broken(report, (enum perflibv2_rule)(i % NUM_RULES), 20 + i * step % 11, 50 - i, "finding %u", i);
        }
        rules_order(report);
        CHECK_EQUAL(wmem_array_get_count(report->findings), 40, "step %u", step);
        for (unsigned i = 1; i < 40; i++) {
            const struct finding *one = finding_of(report, i - 1), *next = finding_of(report, i);

            CHECK(one->offset < next->offset || (one->offset == next->offset && one->number < next->number),
                "%u, then %u", one->offset, next->offset);
            CHECK_EQUAL(next->offset, 20 + (50 - next->length) * step % 11, "what is found there");
        }
    }
}

/* At 10, 20 and 30 of 32 captured bytes. */
static struct rules_report *
three_findings(void)
{
    struct rules_report *report = rules_report_new(scope, false, true);

    for (unsigned i = 0; i < array_length(of_severity); i++) {
        rules_broken(report, of_severity[i], 10 * (i + 1), 4, "finding %u", i);
    }
    return report;
}

static void
test_findings_are_shown_up_to_a_place(void)
{
    static const uint8_t bytes[32];
    tvbuff_t *tvb = tvb_new_real_data(bytes, sizeof bytes, 1000);

    for (unsigned end = 0; end <= 32; end++) {
        const struct rules_report *report = three_findings();
        const unsigned before = end > 30 ? 3 : end > 20 ? 2 : end > 10 ? 1 : 0;
        unsigned next = 0;

        for (unsigned has_tree = 0; has_tree < 2; has_tree++) {
            num_shown = 0;
            next = 0;
            rules_show(report, &next, end, NULL, has_tree ? TREE : NULL, tvb);
            CHECK_EQUAL(next, before, "up to %u", end);
            CHECK_EQUAL(num_shown, before, "up to %u", end);
            /* The others follow, each once. */
            rules_show(report, &next, UINT32_MAX, NULL, has_tree ? TREE : NULL, tvb);
            CHECK_EQUAL(next, 3, "after %u", end);
            CHECK_EQUAL(num_shown, 3, "after %u", end);
            for (unsigned i = 0; i < 3; i++) {
                CHECK_STRING(shown[i].text, wmem_strdup_printf(scope, "finding %u", i), "up to %u", end);
                CHECK(shown[i].field == (has_tree ? registered[of_severity[i]].ids : NULL), "finding %u", i);
                if (has_tree) {
                    CHECK_EQUAL(shown[i].start, 10 * (i + 1), "finding %u", i);
                    CHECK_EQUAL(shown[i].length, i < 2 ? 4 : 2, "finding %u", i);
                }
                /* A note is no broken rule. */
                CHECK_STRING(shown[i].broken_rule,
                    !has_tree || i == 2 ? ""
                        : i == 0        ? "structure_fits"
                                        : "trailing_bytes",
                    "finding %u", i);
            }
        }
    }
    {
        const struct rules_report *report = rules_report_new(scope, true, true);
        unsigned next = 0;

        num_shown = 0;
        rules_show(report, &next, UINT32_MAX, NULL, TREE, tvb);
        CHECK_EQUAL(next + num_shown, 0, "nothing to show");
    }
}

int
main(void)
{
    wmem_init_scopes();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    test_every_rule_is_registered_with_its_title();
    test_all_is_counted_and_ten_findings_are_kept();
    test_without_a_report_nothing_is_kept();
    test_findings_are_ordered_by_place();
    test_findings_are_shown_up_to_a_place();
    wmem_destroy_allocator(scope);
    return check_result();
}
