/* rules.c
 * The rules of [MS-PCQ] that can be judged from a capture
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/rules/rules.h"

#include <stdarg.h>

#define RULE_ROW(id, filter, section, who, severity, summary) \
    [RULE_##id] = { filter, section, RULE_WHO_##who, PI_##severity, summary },
const struct rule perflibv2_rules[NUM_RULES] = { PERFLIBV2_RULES(RULE_ROW) };
#undef RULE_ROW

static expert_field ei_rules[NUM_RULES];

struct rules_report *
rules_report_new(wmem_allocator_t *scope, bool is_counted)
{
    struct rules_report *report = wmem_new0(scope, struct rules_report);

    report->scope = scope;
    if (is_counted) {
        report->checked = wmem_alloc0_array(scope, uint32_t, NUM_RULES);
        report->broken = wmem_alloc0_array(scope, uint32_t, NUM_RULES);
    }
    return report;
}

static void G_GNUC_PRINTF(5, 0) add_finding(struct rules_report *report, enum perflibv2_rule rule, unsigned offset,
    unsigned length, const char *format, va_list args)
{
    struct finding finding = { .rule = rule, .offset = offset, .length = length };

    if (report->checked != NULL) {
        report->checked[rule]++;
    }
    if (report->broken == NULL) {
        report->broken = wmem_alloc0_array(report->scope, uint32_t, NUM_RULES);
    }
    if (report->broken[rule]++ >= RULE_MAX_FINDINGS) {
        return;
    }
    finding.text = wmem_strdup_vprintf(report->scope, format, args);
    if (report->findings == NULL) {
        report->findings = wmem_array_new(report->scope, sizeof(struct finding));
    }
    finding.number = wmem_array_get_count(report->findings);
    wmem_array_append(report->findings, &finding, 1);
}

void
rules_broken(struct rules_report *report, enum perflibv2_rule rule, unsigned offset, unsigned length,
    const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_finding(report, rule, offset, length, format, args);
    va_end(args);
}

static const enum perflibv2_rule walker_rules[LP_NUM_CHECKS] = {
    [LP_CHECK_STRUCTURE_FITS] = RULE_STRUCTURE_FITS,
    [LP_CHECK_TRAILING_BYTES] = RULE_TRAILING_BYTES,
    [LP_CHECK_ALIGNMENT] = RULE_ALIGNMENT,
    [LP_CHECK_REG_NUM_COUNTERS] = RULE_REG_NUM_COUNTERS,
    [LP_CHECK_STRING_TERMINATED] = RULE_STRING_TERMINATED,
    [LP_CHECK_STRINGS_SIZE] = RULE_STRINGS_SIZE,
    [LP_CHECK_STRINGS_OFFSET] = RULE_STRINGS_OFFSET,
    [LP_CHECK_INSTANCE_SIZE] = RULE_INSTANCE_SIZE,
    [LP_CHECK_INSTANCE_TERMINATED] = RULE_INSTANCE_TERMINATED,
    [LP_CHECK_IDENTIFIER_SIZE] = RULE_IDENTIFIER_SIZE,
    [LP_CHECK_IDENTIFIER_TERMINATED] = RULE_IDENTIFIER_TERMINATED,
    [LP_CHECK_DATA_TOTAL_SIZE] = RULE_DATA_TOTAL_SIZE,
    [LP_CHECK_DATA_NUM_COUNTERS] = RULE_DATA_NUM_COUNTERS,
    [LP_CHECK_BLOCK_TYPE] = RULE_BLOCK_TYPE,
    [LP_CHECK_BLOCK_SIZE] = RULE_BLOCK_SIZE,
    [LP_CHECK_BLOCK_ERROR_ALONE] = RULE_BLOCK_ERROR_ALONE,
    [LP_CHECK_MULTI_COUNTERS_SIZE] = RULE_MULTI_COUNTERS_SIZE,
    [LP_CHECK_MULTI_INSTANCES_SIZE] = RULE_MULTI_INSTANCES_SIZE,
    [LP_CHECK_VALUE_SIZE] = RULE_VALUE_SIZE,
};

static void
walker_held(void *data, enum lp_check check, uint32_t n)
{
    rules_held((struct rules_report *)data, walker_rules[check], n);
}

static void G_GNUC_PRINTF(5, 0)
    walker_broken(void *data, enum lp_check check, unsigned offset, unsigned length, const char *format, va_list args)
{
    add_finding((struct rules_report *)data, walker_rules[check], offset, length, format, args);
}

const struct lp_observer *
rules_observer(struct rules_report *report)
{
    struct lp_observer *observer = wmem_new(report->scope, struct lp_observer);

    *observer = (struct lp_observer){ report, walker_held, walker_broken };
    return observer;
}

static int
compare_findings(const void *a, const void *b)
{
    const struct finding *x = (const struct finding *)a;
    const struct finding *y = (const struct finding *)b;

    if (x->offset != y->offset) {
        return x->offset < y->offset ? -1 : 1;
    }
    if (x->rule != y->rule) {
        return (int)x->rule - (int)y->rule;
    }
    return x->number < y->number ? -1 : x->number > y->number;
}

void
rules_order(struct rules_report *report)
{
    if (report->findings != NULL) {
        wmem_array_sort(report->findings, compare_findings);
    }
}

void
rules_show(const struct rules_report *report, unsigned *next, unsigned end, packet_info *pinfo, proto_tree *tree,
    tvbuff_t *tvb)
{
    const unsigned count = report->findings == NULL ? 0 : wmem_array_get_count(report->findings);

    for (; *next < count; (*next)++) {
        const struct finding *finding = (const struct finding *)wmem_array_index(report->findings, *next);
        const unsigned captured = tvb_captured_length(tvb);
        unsigned length = finding->length;

        if (finding->offset >= end) {
            break;
        }
        /* The place may lie in what a snap length cut off. */
        if (finding->offset >= captured) {
            length = 0;
        } else if (length > captured - finding->offset) {
            length = captured - finding->offset;
        }
        if (tree == NULL) {
            expert_add_info_format(pinfo, NULL, &ei_rules[finding->rule], "%s", finding->text);
        } else {
            proto_tree_add_expert_format(tree, pinfo, &ei_rules[finding->rule], tvb,
                (int)MIN(finding->offset, captured), (int)length, "%s", finding->text);
        }
    }
}

void
rules_register(expert_module_t *expert)
{
    static ei_register_info ei[NUM_RULES];

    for (unsigned i = 0; i < NUM_RULES; i++) {
        const struct rule *rule = &perflibv2_rules[i];
        /* What can't be read is malformed; the rest says something that it must not. */
        const bool is_malformed = i == RULE_LPDATA_COUNT || i == RULE_STRUCTURE_FITS || i == RULE_STRINGS_OFFSET;
        const int group = is_malformed ? PI_MALFORMED : PI_PROTOCOL;

        /* Findings are grouped under it, so that it has to say what they are: not what holds, but that it does not. */
        const char *summary = wmem_strdup_printf(wmem_epan_scope(), "%s [MS-PCQ] %s: %s",
            rule->severity == PI_NOTE ? "Departs from" : "Violates", rule->section, rule->summary);

        ei_rules[i] = (expert_field)EI_INIT;
        ei[i] = (ei_register_info){ &ei_rules[i], { rule->filter, group, rule->severity, summary, EXPFILL } };
    }
    expert_register_field_array(expert, ei, NUM_RULES);
}
