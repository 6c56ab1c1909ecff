/* rules-report.h
 * The report of one PDU: which of the rules of [MS-PCQ] (rules/list.h) were checked in it and which were broken
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_RULES_REPORT_H
#define PERFLIB_PERFLIBV2_RULES_REPORT_H

#include "compat.h"

#include <epan/expert.h>

#include "perflibv2/rules/list.h"

/* A broken rule: where, and in words with the offending and the expected value. */
struct finding {
    enum perflibv2_rule rule;
    unsigned offset; /* in the tvb the report is about */
    unsigned length;
    const char *text; /* packet scope */
    unsigned number;  /* of the report's: equals stay in order, which C's qsort does not promise */
};

/*
 * What was checked in one buffer or stub. Counts are complete; of the findings of one rule only the
 * first RULE_MAX_FINDINGS are kept, so that hostile input makes no million expert items.
 */
#define RULE_MAX_FINDINGS 10
struct rules_report {
    wmem_allocator_t *scope;
    uint32_t *checked;      /* by rule; NULL: not counted */
    uint32_t *broken;       /* by rule; NULL: none was, and not counted */
    wmem_array_t *findings; /* struct finding, in the order found; made with the first */
};

/*
 * An empty report whose texts live in scope. is_counted: somebody asks how often each rule was checked. Else only
 * findings are kept, so that a report of what is well costs next to nothing.
 */
struct rules_report *rules_report_new(wmem_allocator_t *scope, bool is_counted);

/* Counts a check that held n times. */
static inline void
rules_held(struct rules_report *report, enum perflibv2_rule rule, uint32_t n)
{
    if (report->checked != NULL) {
        report->checked[rule] += n;
    }
}
/* Counts a check that failed and keeps the finding. */
void rules_broken(struct rules_report *report, enum perflibv2_rule rule, unsigned offset, unsigned length,
    const char *format, ...) G_GNUC_PRINTF(5, 6);
/* Counts a check; where it failed the rest is the finding. */
#define rules_check(report, rule, holds, offset, length, ...) \
    do { \
        if (holds) { \
            rules_held(report, rule, 1); \
        } else { \
            rules_broken(report, rule, offset, length, __VA_ARGS__); \
        } \
    } while (0)

/* rules/rules.c: the report as people see it. */

/* ---- rules/rules.c ---- */

/* Sorts the findings by where they are, which is the order in which trees show them. */
void rules_order(struct rules_report *report);

/*
 * Adds the expert items of findings *next and following that begin before offset end, under tree, and
 * advances *next. With tree NULL they still reach the expert statistics.
 */
void rules_show(const struct rules_report *report, unsigned *next, unsigned end, packet_info *pinfo, proto_tree *tree,
    tvbuff_t *tvb);

/* Registers the expert items, and the field that names what is broken. */
void rules_register(int proto, expert_module_t *expert);

#endif /* PERFLIB_PERFLIBV2_RULES_REPORT_H */
