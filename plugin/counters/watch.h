/* watch.h
 * The user's watch list: counters that get a field of their own, perflibv2.watch.NAME
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_WATCH_H
#define PERFLIB_COUNTERS_WATCH_H

#include <epan/prefs.h>

#include "compat.h"

/* Adds the table "PerflibV2 watch list" to the protocol's preferences; its fields belong to the protocol. */
void watch_register(int proto, module_t *module);

/* Whether the list has entries that this tree's user looks at: else no path need be compared. */
bool watch_is_wanted(proto_tree *tree);

/*
 * Whether an entry's pattern matches path: else its value need not be known. cache and cache_version belong to what has
 * the path and spare comparing it again; the cache is file scope, and to be set to NULL where the path changes.
 */
bool watch_matches(const char *path, void **cache, unsigned *cache_version);

/*
 * Where watch_is_wanted(): adds the fields of all entries whose pattern matches path, with the cooked value, under
 * tree, for the bytes offset and length say. cache and cache_version belong to what has the path and spare comparing it
 * again; the cache is file scope.
 */
void watch_add(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, int offset, int length, const char *path,
               void **cache, unsigned *cache_version, double value);

#endif /* PERFLIB_COUNTERS_WATCH_H */
