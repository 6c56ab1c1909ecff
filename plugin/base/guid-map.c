/* guid-map.c
 * Maps keyed by GUID
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/guid-map.h"

guint
guid_map_hash(const void *guid)
{
    return wmem_strong_hash((const uint8_t *)guid, sizeof(e_guid_t));
}

gboolean
guid_map_equal(const void *a, const void *b)
{
    return guid_cmp((const e_guid_t *)a, (const e_guid_t *)b) == 0;
}
