/* tree-codes.c
 * Return codes as nodes of a tree of calls (epan/stats_tree.h)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tree-codes.h"

#include <stdio.h>

#define MAX_NUMBERS     500

/* stats_tree -> the codes without a name that it has nodes of */
static GHashTable *numbers_of_trees;

int
tree_codes_begin(stats_tree *tree, const char *root)
{
    if (numbers_of_trees == NULL) {
        numbers_of_trees = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL,
                                                 (GDestroyNotify)g_hash_table_destroy);
    }
    g_hash_table_replace(numbers_of_trees, tree, g_hash_table_new(g_direct_hash, g_direct_equal));
    return stats_tree_create_node(tree, root, 0, STAT_DT_INT, true);
}

void
tree_codes_end(stats_tree *tree)
{
    g_hash_table_remove(numbers_of_trees, tree);
}

/* Whether a code has a node, or may have one. */
static bool
is_shown(const stats_tree *tree, uint32_t code)
{
    GHashTable *numbers = (GHashTable *)g_hash_table_lookup(numbers_of_trees, tree);

    if (g_hash_table_size(numbers) >= MAX_NUMBERS) {
        return g_hash_table_contains(numbers, GUINT_TO_POINTER(code));
    }
    g_hash_table_add(numbers, GUINT_TO_POINTER(code));
    return true;
}

void
tree_codes_count(stats_tree *tree, int parent, uint32_t code, const char *name)
{
    char number[sizeof "0x12345678"];

    if (name == NULL && is_shown(tree, code)) {
        snprintf(number, sizeof number, "0x%08x", code);
        name = number;
    }
    tick_stat_node(tree, name != NULL ? name : "other codes without a name", parent, false);
}
