/* rules.h
 * The report of one PDU as people see it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_RULES_RULES_H
#define PERFLIB_PERFLIBV2_RULES_RULES_H

#include "compat.h"

#include <epan/expert.h>

#include "perflibv2/rules-report.h"

/* Sorts the findings by where they are, which is the order in which trees show them. */
void rules_order(struct rules_report *report);

/*
 * Adds the expert items of findings *next and following that begin before offset end, under tree, and
 * advances *next. With tree NULL they still reach the expert statistics.
 */
void rules_show(const struct rules_report *report, unsigned *next, unsigned end, packet_info *pinfo, proto_tree *tree,
    tvbuff_t *tvb);

/* Registers the expert items. */
void rules_register(expert_module_t *expert);

#endif /* PERFLIB_PERFLIBV2_RULES_RULES_H */
