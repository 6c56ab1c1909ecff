/* rules.c
 * Rules of [MS-PCQ]: their expert items and reports
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/rules-report.h"

#include <string.h>

#include "base/fields.h"

static int hf_perflibv2_broken_rule = -1;

static expert_field ei_rules[NUM_RULES];

static int
compare_findings(const void *a, const void *b)
{
    const struct finding *x = (const struct finding *)a;
    const struct finding *y = (const struct finding *)b;
    const int order = (x->offset > y->offset) - (x->offset < y->offset);

    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
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
        unsigned offset = finding->offset, length = finding->length;

        if (offset >= end) {
            break;
        }
        limit_to_captured(tvb, &offset, &length);
        if (tree == NULL) {
            expert_add_info_format(pinfo, NULL, &ei_rules[finding->rule], "%s", finding->text);
        } else {
            const struct rule *rule = &perflibv2_rules[finding->rule];
            proto_item *item = proto_tree_add_expert_format(tree, pinfo, &ei_rules[finding->rule], tvb, (int)offset,
                (int)length, "%s", finding->text);

            if (rule->severity != PI_NOTE) {
                proto_item_set_generated(proto_tree_add_string(proto_item_get_subtree(item), hf_perflibv2_broken_rule,
                    tvb, (int)offset, (int)length, strrchr(rule->filter, '.') + 1));
            }
        }
    }
}

void
rules_register(int proto, expert_module_t *expert)
{
    static hf_register_info hf[] = {
        { &hf_perflibv2_broken_rule,
            { "Broken rule", "perflibv2.broken_rule", FT_STRING, BASE_NONE, NULL, 0,
                "ID of a broken rule of [MS-PCQ], as in RULES.md (warnings and errors only)", HFILL } },
    };
    static ei_register_info ei[NUM_RULES];

    for (unsigned i = 0; i < NUM_RULES; i++) {
        const struct rule *rule = &perflibv2_rules[i];
        /* Violations of these rules make data unreadable (malformed); the others are readable but forbidden. */
        const bool is_malformed = i == RULE_LPDATA_COUNT || i == RULE_STRUCTURE_FITS || i == RULE_STRINGS_OFFSET;
        const int group = is_malformed ? PI_MALFORMED : PI_PROTOCOL;
        /* Expert Information groups the findings by this text. */
        const char *summary = wmem_strdup_printf(wmem_epan_scope(), "%s ([MS-PCQ] %s)", rule->fault, rule->section);

        ei_rules[i] = (expert_field)EI_INIT;
        ei[i] = (ei_register_info){ &ei_rules[i], { rule->filter, group, rule->severity, summary, EXPFILL } };
    }
    expert_register_field_array(expert, ei, NUM_RULES);
    proto_register_field_array(proto, hf, array_length(hf));
}
