/* walk.h
 * The walkers of lpData by number: what the fuzz target and the unit test share
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_WALK_H
#define PERFLIB_TESTS_WALK_H

#include "perflibv2/lpdata.h"
#include "perflibv2/rules-report.h"

/* How often each rule of a walker was broken, and what was said last. */
struct walk_findings {
    unsigned broken[NUM_RULES];
    char text[256];
};

static inline struct walk_findings
walk_findings_of(const struct rules_report *report)
{
    struct walk_findings findings = { .text = "" };

    for (unsigned rule = 0; report->broken != NULL && rule < NUM_RULES; rule++) {
        findings.broken[rule] = report->broken[rule];
    }
    if (report->findings != NULL) {
        const struct finding *last =
            (const struct finding *)wmem_array_index(report->findings, wmem_array_get_count(report->findings) - 1);

        g_strlcpy(findings.text, last->text, sizeof findings.text);
    }
    return findings;
}

/* 0 to 10: opnum 1, by request code. tests/fuzz/seeds.py knows these numbers, too. */
enum { WALK_INSTANCES = 11, WALK_IDENTIFIERS, WALK_DATA, NUM_WALKS };

static inline void
walk(struct lpdata *lp, unsigned which)
{
    switch (which) {
    case WALK_INSTANCES: lpdata_parse_instances(lp); break;
    case WALK_IDENTIFIERS: lpdata_parse_identifiers(lp); break;
    case WALK_DATA: lpdata_parse_data(lp); break;
    default:
        lp->request_code = which;
        lpdata_parse_registration(lp);
        break;
    }
}

#endif /* PERFLIB_TESTS_WALK_H */
