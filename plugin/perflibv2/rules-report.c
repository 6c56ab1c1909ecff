/* rules-report.c
 * Report of one PDU: the rules of [MS-PCQ] that were checked and broken in it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/rules-report.h"

/* clang-format off */
#define RULE_ROW(number, ...) [number] = { __VA_ARGS__ },
/* clang-format on */
const struct rule perflibv2_rules[NUM_RULES] = { PERFLIBV2_RULES(RULE_ROW) };

struct rules_report *
rules_report_init(struct rules_report *report, wmem_allocator_t *scope, bool is_counted, bool is_shown)
{
    *report = (struct rules_report){ .scope = scope, .is_shown = is_shown };
    if (is_counted) {
        report->checked = wmem_alloc0_array(scope, uint32_t, NUM_RULES);
        report->broken = wmem_alloc0_array(scope, uint32_t, NUM_RULES);
    }
    return report;
}

struct rules_report *
rules_report_new(wmem_allocator_t *scope, bool is_counted, bool is_shown)
{
    return rules_report_init(wmem_new(scope, struct rules_report), scope, is_counted, is_shown);
}

void
rules_vbroken(struct rules_report *report, enum perflibv2_rule rule, unsigned offset, unsigned length,
    const char *format, va_list args)
{
    struct finding finding = { .rule = rule, .offset = offset, .length = length };

    if (report == NULL) {
        return;
    }
    report->num_faults += perflibv2_rules[rule].severity > PI_NOTE;
    if (report->checked != NULL) {
        report->checked[rule]++;
    }
    if (report->broken == NULL) {
        report->broken = wmem_alloc0_array(report->scope, uint32_t, NUM_RULES);
    }
    if (report->broken[rule]++ >= RULE_MAX_FINDINGS || !report->is_shown) {
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
    rules_vbroken(report, rule, offset, length, format, args);
    va_end(args);
}

void
rules_check(struct rules_report *report, enum perflibv2_rule rule, bool holds, unsigned offset, unsigned length,
    const char *format, ...)
{
    va_list args;

    if (holds) {
        rules_held(report, rule, 1);
        return;
    }
    va_start(args, format);
    rules_vbroken(report, rule, offset, length, format, args);
    va_end(args);
}
