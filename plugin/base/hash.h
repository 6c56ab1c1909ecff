/* hash.h
 * Hashes of what comes from the wire: seeded, so that nobody can send a thousand keys that fall into one place
 *
 * Where one key is all, Wireshark's own do: wmem_strong_hash() of bytes, wmem_str_hash() of a string; guid_map_hash()
 * (guid-map.h) of a GUID. Wireshark's wmem_map seeds what it is given, so g_direct_hash() is fine there for numbers;
 * glib's GHashTable does not.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_HASH_H
#define PERFLIB_BASE_HASH_H

#include <wsutil/wmem/wmem.h>

/* The hash of a key of two parts, each of which is hashed well. */
static inline guint
hash_join(guint first, guint second)
{
    return first * 31 + second;
}

/* Hashes a pointer, or a number that stands for one (GUINT_TO_POINTER()). */
static inline guint
hash_pointer(const void *key)
{
    return wmem_strong_hash((const guint8 *)&key, sizeof key);
}

#endif /* PERFLIB_BASE_HASH_H */
