/* watch.h
 * The user's watch list: counters that get a field of their own, perflibv2.watch.NAME
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_WATCH_H
#define PERFLIB_COUNTERS_WATCH_H

#include <epan/expert.h>
#include <epan/prefs.h>

#include "compat.h"
#include "cook/cooking.h"
#include "counters/identity.h"

/* Adds the table "PerflibV2 watch list" to the protocol's preferences; its fields belong to the protocol. */
void watch_register(int proto, expert_module_t *expert, module_t *module);

/*
 * To be called before the values of each poll: whether the list has entries that this tree's user looks at. Else no
 * path need be compared.
 */
bool watch_begin(proto_tree *tree);

/* Whether an entry's pattern matches a path that is without case (counter_path_fold()). */
bool watch_matches(const char *folded);
/* Rises with every change of the list. */
unsigned watch_version(void);

/*
 * Where watch_begin() says so: adds the fields of all entries whose pattern matches a path, with the cooked value,
 * under tree, for the bytes offset and length say. Where a second counter of the poll matches the same entry, that is
 * noted.
 */
void watch_add(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, int offset, int length, const char *path,
    const struct cook_result *cooked);

#endif /* PERFLIB_COUNTERS_WATCH_H */
