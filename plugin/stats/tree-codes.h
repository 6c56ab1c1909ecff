/* tree-codes.h
 * Return codes as nodes of a tree of calls (epan/stats_tree.h)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_TREE_CODES_H
#define PERFLIB_STATS_TREE_CODES_H

#include "compat.h"

#include <epan/stats_tree.h>

/* To be called in the tree's init and cleanup callbacks. Makes the node above all, and returns its number. */
int tree_codes_begin(stats_tree *tree, const char *root);
void tree_codes_end(stats_tree *tree);

/*
 * Counts a return code below the node parent. name: NULL where it has none, then its number is shown. Of numbers a
 * tree shows some hundred, and counts the rest together: Wireshark walks all of a node's children to add one.
 */
void tree_codes_count(stats_tree *tree, int parent, uint32_t code, const char *name);

/* Counts a fault below the node parent, by its status. */
void tree_codes_count_fault(stats_tree *tree, int parent, uint32_t status);

/* Counts a PDU that could not be read for want of a key, below a node that says which; needed NULL: nothing. */
void tree_codes_needed(stats_tree *tree, const char *needed);

#endif /* PERFLIB_STATS_TREE_CODES_H */
