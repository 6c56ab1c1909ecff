/* verdict.h
 * What rules found, as a line: for tests of rules
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_VERDICT_H
#define PERFLIB_TESTS_UNIT_VERDICT_H

#include <string.h>

#include "check.h"
#include "fake-file.h"
#include "perflibv2/rules/checks.h"

/* What was judged: "+rule" of what holds, "-rule@offset,length" of what is broken, in the order of the list. */
static inline const char *
verdict(const struct rules_report *report)
{
    wmem_strbuf_t *text = wmem_strbuf_new(scope, "");

    for (unsigned i = 0; i < NUM_RULES; i++) {
        const char *name = perflibv2_rules[i].filter + strlen("perflibv2.rule.");

        CHECK(report->broken[i] <= report->checked[i], "%s", name);
        for (uint32_t n = report->broken[i]; n < report->checked[i]; n++) {
            wmem_strbuf_append_printf(text, " +%s", name);
        }
        for (unsigned f = 0; report->findings != NULL && f < wmem_array_get_count(report->findings); f++) {
            const struct finding *finding = (const struct finding *)wmem_array_index(report->findings, f);

            if (finding->rule == i) {
                wmem_strbuf_append_printf(text, " -%s@%u,%u", name, finding->offset, finding->length);
            }
        }
    }
    return wmem_strbuf_get_str(text)[0] == ' ' ? wmem_strbuf_get_str(text) + 1 : wmem_strbuf_get_str(text);
}

static inline void
check_verdict(const struct rules_report *report, const char *expected, const char *what)
{
    const char *found = verdict(report);

    CHECK(strcmp(found, expected) == 0, "%s: %s, not %s", what, found, expected);
}

/* What rules about its buffer find of a PDU. */
static inline void
judge_buffer(void (*rules)(const struct pdu *pdu), struct pdu *pdu, const char *expected, const char *what)
{
    pdu->lp.report = rules_report_new(scope, true);
    rules(pdu);
    check_verdict(pdu->lp.report, expected, what);
}

#endif /* PERFLIB_TESTS_UNIT_VERDICT_H */
