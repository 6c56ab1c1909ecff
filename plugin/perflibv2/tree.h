/* tree.h
 * Functions shared by the files that show lpData: tree.c, tree-counters.c and tree-data.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_TREE_H
#define PERFLIB_PERFLIBV2_TREE_H

#include "perflibv2/pdu.h"

/* ---- tree.c ---- */

/*
 * Returns whether there is room for a structure or value with this many items. If not, counts `left` values as left
 * out.
 */
bool tree_has_room(struct lpdata_view *view, unsigned items, unsigned left);
/*
 * Returns whether Wireshark needs a buffer's items: for the tree, or for expert items, which include the number of
 * left-out values. Call it before showing structures.
 */
bool tree_is_looked_at(struct lpdata_view *view, proto_tree *tree);
/* Budget for items of lpData */
extern struct item_budget tree_budget;
/*
 * Adds fields that a filter finds even in structures that are left out of the tree. fields ends with NULL. Call it
 * once, at start.
 */
void tree_ask_too(int *const *fields);
/* Adds the item of a (little-endian) member of lpData. */
proto_item *tree_add(proto_tree *tree, int hf, const struct lpdata *lp, unsigned offset, int length);
/* Adds captured bytes as padding if is_understood, else as unknown. */
void tree_add_rest(proto_tree *tree, bool is_understood, const struct lpdata *lp, unsigned from, unsigned to);
/* Adds expert items for the findings that begin before end and were not shown yet. */
void tree_show_findings(struct lpdata_view *view, proto_tree *tree, unsigned end);
/* Shows header, name and padding of an instance. Returns the tree for its values. */
proto_tree *tree_show_instance(struct lpdata_view *view, proto_tree *tree, const struct lp_instance *instance);

/* ---- tree-counters.c ---- */

void tree_counters_register(int proto);
/* Shows a counterset and its counters, or one counter. */
void tree_counters(struct lpdata_view *view, proto_tree *tree);

/* ---- tree-data.c ---- */

void tree_data_register(int proto, expert_module_t *expert);

#endif /* PERFLIB_PERFLIBV2_TREE_H */
