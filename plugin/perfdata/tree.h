/* tree.h
 * What a person sees of HKEY_PERFORMANCE_DATA: the trees of blocks and of name lists
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_TREE_H
#define PERFLIB_PERFDATA_TREE_H

#include <epan/prefs.h>

#include "perfdata/polls.h"

/* Registers fields, subtrees, expert items and preferences. */
void perfdata_tree_register(int proto, module_t *module);

/* The tree of a block, below tree. Shows nothing a NULL tree would lose but the expert items. */
void perfdata_tree_block(packet_info *pinfo, proto_tree *tree, struct perfdata_poll *poll);

/* The tree of a list of names. */
void perfdata_tree_names(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, enum perfdata_asked asked);

/* Objects asked for that the block has not, in words; NULL: none. */
void perfdata_tree_not_answered(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const char *objects);
/* The words of a value name, with the names of title indexes. server: whose they are, or NULL. */
void perfdata_tree_requested(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const struct server *server,
    const char *value_name);

/* Bytes that are neither: what a failed answer carries, a value of another kind. */
void perfdata_tree_bytes(proto_tree *tree, tvbuff_t *tvb, const char *what);

#endif /* PERFLIB_PERFDATA_TREE_H */
