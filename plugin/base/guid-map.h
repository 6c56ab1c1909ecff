/* guid-map.h
 * Maps keyed by GUID: hash and equality of an e_guid_t, for wmem's and glib's maps
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_GUID_MAP_H
#define PERFLIB_BASE_GUID_MAP_H

#include "compat.h"

/* Seeded, as GUIDs come from the wire. */
guint guid_map_hash(const void *guid);
gboolean guid_map_equal(const void *a, const void *b);

#endif /* PERFLIB_BASE_GUID_MAP_H */
