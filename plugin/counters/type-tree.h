/* type-tree.h
 * A counter type and the bit fields it is made of, as a tree under any protocol's names
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_TYPE_TREE_H
#define PERFLIB_COUNTERS_TYPE_TREE_H

#include "compat.h"
#include "cook/counter-types.h"

/* The fields of one protocol. */
struct counter_type_fields {
    int type, size, kind;
    int number, counter, text, zero; /* the subtype, whose meaning depends on the kind */
    int timer, delta, delta_base, inverse, multi, display;
    int ett;
};

/* Registers the fields of proto below the type, "perflibv2.counter.type". They have to live as long as the process. */
void type_tree_register(struct counter_type_fields *fields, int proto, const char *name);
/* Adds a type at offset: COUNTER_TYPE_TREE_ITEMS items. */
#define COUNTER_TYPE_TREE_ITEMS 10u
proto_item *type_tree_add(proto_tree *tree, tvbuff_t *tvb, unsigned offset, const struct counter_type_fields *fields,
    unsigned encoding, uint32_t type);

extern value_string_ext counter_type_vals_ext;

#endif /* PERFLIB_COUNTERS_TYPE_TREE_H */
