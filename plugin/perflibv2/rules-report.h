/* rules-report.h
 * Report of one PDU: the rules of [MS-PCQ] (rules/list.h) that were checked and broken in it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_RULES_REPORT_H
#define PERFLIB_PERFLIBV2_RULES_REPORT_H

#include "compat.h"

#include <stdarg.h>

#include <epan/expert.h>

#include "perflibv2/rules/list.h"

/* A violation: its position, and text with the actual and the expected value */
struct finding {
    enum perflibv2_rule rule;
    unsigned offset; /* offset in the tvb of the report */
    unsigned length;
    const char *text; /* actual and expected value as text; packet scope */
    unsigned number;  /* number within the report, to keep findings at one offset in order: qsort is not stable */
};

/*
 * Results for one buffer or stub. Counts are complete, but only the first RULE_MAX_FINDINGS findings per rule are kept,
 * so that hostile input does not create a million expert items.
 */
#define RULE_MAX_FINDINGS 10
struct rules_report {
    wmem_allocator_t *scope;
    uint32_t *checked;      /* number of checks per rule; NULL: not counted */
    uint32_t *broken;       /* number of violations per rule; NULL: none, or not counted */
    unsigned num_faults;    /* number of violations more severe than PI_NOTE */
    wmem_array_t *findings; /* elements: struct finding, in the order found; NULL: none */
    bool is_shown;          /* true if findings are kept, with their texts */
};

/* Like rules_report_new(), but in the caller's memory. Returns `report`. */
struct rules_report *rules_report_init(struct rules_report *report, wmem_allocator_t *scope, bool is_counted,
    bool is_shown);
/*
 * Returns an empty report; texts are allocated in scope. is_counted: count checks per rule. Otherwise only findings are
 * kept, so that a report without findings costs almost nothing. is_shown: keep findings, for trees and Expert
 * Information.
 */
struct rules_report *rules_report_new(wmem_allocator_t *scope, bool is_counted, bool is_shown);

/* Counts n checks that succeeded. Like the functions below, does nothing if report is NULL. */
static inline void
rules_held(struct rules_report *report, enum perflibv2_rule rule, uint32_t n)
{
    if (report != NULL && report->checked != NULL) {
        report->checked[rule] += n;
    }
}
/* Counts a check that failed, and keeps the finding. */
void rules_broken(struct rules_report *report, enum perflibv2_rule rule, unsigned offset, unsigned length,
    const char *format, ...) G_GNUC_PRINTF(5, 6);
/* Counts a check. If holds is false, keeps the finding that the other arguments describe. */
void rules_check(struct rules_report *report, enum perflibv2_rule rule, bool holds, unsigned offset, unsigned length,
    const char *format, ...) G_GNUC_PRINTF(6, 7);
/* Like rules_broken(), with a va_list. */
void rules_vbroken(struct rules_report *report, enum perflibv2_rule rule, unsigned offset, unsigned length,
    const char *format, va_list args) G_GNUC_PRINTF(5, 0);

/* ---- rules/rules.c ---- */

/* Sorts the findings by position, the order in which trees show them. */
void rules_order(struct rules_report *report);

/*
 * Adds expert items for the findings from *next on that begin before offset end, and advances *next. tree may be NULL:
 * Expert Information still gets them.
 */
void rules_show(const struct rules_report *report, unsigned *next, unsigned end, packet_info *pinfo, proto_tree *tree,
    tvbuff_t *tvb);

/* Registers the expert items and the field for broken rules. */
void rules_register(int proto, expert_module_t *expert);

#endif /* PERFLIB_PERFLIBV2_RULES_REPORT_H */
