/* tree-codes.c
 * Return codes as nodes of a tree of calls (epan/stats_tree.h)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tree-codes.h"

#include <stdio.h>

#include "base/rpc-fault.h"
#include "stats/needed.h"

#define MAX_NUMBERS 500

struct tree {
    GHashTable *numbers; /* the codes without a name that it has nodes of */
    struct needed needed;
};

static GHashTable *trees; /* stats_tree -> struct tree */

static void
free_tree(void *data)
{
    struct tree *tree = (struct tree *)data;

    g_hash_table_destroy(tree->numbers);
    needed_clear(&tree->needed);
    g_free(tree);
}

static struct tree *
find_tree(const stats_tree *tree)
{
    return (struct tree *)g_hash_table_lookup(trees, tree);
}

int
tree_codes_begin(stats_tree *tree, const char *root)
{
    struct tree *begun = g_new0(struct tree, 1);

    if (trees == NULL) {
        trees = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, free_tree);
    }
    begun->numbers = g_hash_table_new(g_direct_hash, g_direct_equal);
    g_hash_table_replace(trees, tree, begun);
    return stats_tree_create_node(tree, root, 0, STAT_DT_INT, true);
}

void
tree_codes_end(stats_tree *tree)
{
    g_hash_table_remove(trees, tree);
}

/* Whether a code has a node, or may have one. */
static bool
is_shown(const stats_tree *tree, uint32_t code)
{
    GHashTable *numbers = find_tree(tree)->numbers;

    if (g_hash_table_size(numbers) >= MAX_NUMBERS) {
        return g_hash_table_contains(numbers, GUINT_TO_POINTER(code));
    }
    g_hash_table_add(numbers, GUINT_TO_POINTER(code));
    return true;
}

/* A result, or the number of a code that has no name. */
static void
count_result(stats_tree *tree, int parent, uint32_t code, const char *name)
{
    char number[sizeof "0x12345678"];

    if (name == NULL && is_shown(tree, code)) {
        snprintf(number, sizeof number, "0x%08x", code);
        name = number;
    }
    tick_stat_node(tree, name != NULL ? name : "other codes without a name", parent, false);
}

static void
count_fault(stats_tree *tree, int parent, uint32_t status)
{
    const char *name = try_val_to_str_ext(status, &rpc_fault_vals_ext);
    char text[128] = "other faults without a name";

    if (name != NULL) {
        snprintf(text, sizeof text, "fault %s", name);
    } else if (is_shown(tree, status)) {
        snprintf(text, sizeof text, "fault 0x%08x", status);
    }
    tick_stat_node(tree, text, parent, false);
}

void
tree_codes_count_call(stats_tree *tree, int parent, const struct counted_call *call)
{
    if (call->is_fault) {
        count_fault(tree, parent, call->code);
    } else {
        count_result(tree, parent, call->code, call->result);
    }
}

void
tree_codes_needed(stats_tree *tree, const char *needed)
{
    struct needed *known = &find_tree(tree)->needed;

    if (needed != NULL) {
        /* Not at the top: of a name there Wireshark shows what is behind the last slash. */
        const int sealed = tick_stat_node(tree, "Sealed, not read", 0, true);

        needed_add(known, needed);
        tick_stat_node(tree, needed_has(known, needed) ? needed : "Sealed, and no key of other users", sealed, false);
    }
}
