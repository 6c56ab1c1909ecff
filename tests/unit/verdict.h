/* verdict.h
 * What rules found, as a line: for tests of rules
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_VERDICT_H
#define PERFLIB_TESTS_UNIT_VERDICT_H

#include <string.h>

#include "check.h"
#include "perflibv2/rules-report.h"

/* What was judged: "+rule" of what holds, "-rule@offset,length" of what is broken, in the order of the list. */
static inline const char *
verdict(wmem_allocator_t *scope, const struct rules_report *report)
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

#endif /* PERFLIB_TESTS_UNIT_VERDICT_H */
