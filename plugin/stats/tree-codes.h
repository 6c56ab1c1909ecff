/* tree-codes.h
 * Return codes as nodes of a tree of calls (epan/stats_tree.h)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_TREE_CODES_H
#define PERFLIB_STATS_TREE_CODES_H

#include "compat.h"

#include <epan/stats_tree.h>

#include "stats/calls-table.h"

/* To be called in the tree's init and cleanup callbacks. Makes the node above all, and returns its number. */
int tree_codes_begin(stats_tree *tree, const char *root);
void tree_codes_end(stats_tree *tree);

/*
 * Counts what came of a call below the node parent, as the table of calls does: its result, or a fault's status.
 * Of codes without a name a tree shows some hundred, and counts the rest together: Wireshark walks all of a node's
 * children to add one.
 */
void tree_codes_count_call(stats_tree *tree, int parent, const struct counted_call *call);

/* Counts a PDU that could not be read for want of a key, below a node that says which; needed NULL: nothing. */
void tree_codes_needed(stats_tree *tree, const char *needed);

#endif /* PERFLIB_STATS_TREE_CODES_H */
