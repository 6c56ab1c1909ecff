/* field-family.h
 * Fields that several protocols have, each under its own name; fields and expert items in tables
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_FIELD_FAMILY_H
#define PERFLIB_BASE_FIELD_FAMILY_H

#include "compat.h"

#include <epan/expert.h>

/*
 * Registers fields of proto, whose names begin with prefix: "perflibv2" makes "perflibv2.path" of ".path". What p_id
 * points to has to live as long as the process, and so do titles and texts; nothing else.
 */
void field_family_register(int proto, const char *prefix, const hf_register_info *fields, size_t count);

/*
 * Fields as a table, a macro that has X(variable, title, filter, type, base, strings, mask, what it is) for each: their
 * variables, and what is registered. The same of expert items: X(variable, filter, group, severity, what it says),
 * and of subtrees: X(variable).
 */
/* clang-format off */
#define FIELD_ROW(id, title, filter, type, base, strings, mask, text) \
    { id, { title, filter, type, base, strings, mask, text, HFILL } },
#define FIELD_VARIABLE(variable, ...) static int hf_##variable = -1;
#define FIELD_REGISTERED(variable, ...) FIELD_ROW(&hf_##variable, __VA_ARGS__)
#define EXPERT_VARIABLE(variable, ...) static expert_field ei_##variable = EI_INIT;
#define EXPERT_REGISTERED(variable, filter, group, severity, text) \
    { &ei_##variable, { filter, group, severity, text, EXPFILL } },
#define SUBTREE_VARIABLE(variable) static int ett_##variable = -1;
#define SUBTREE_REGISTERED(variable) &ett_##variable,
/* clang-format on */

#endif /* PERFLIB_BASE_FIELD_FAMILY_H */
