/* hash.h
 * Hashes of what comes from the wire: seeded, so that nobody can send a thousand keys that fall into one place
 *
 * Where one key is all, Wireshark's own do: wmem_strong_hash() of bytes, wmem_str_hash() of a string. Wireshark's
 * wmem_map seeds what it is given, so g_direct_hash() is fine there for numbers; glib's GHashTable does not.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_HASH_H
#define PERFLIB_BASE_HASH_H

#include "compat.h"

#include <string.h>

#include <epan/guid-utils.h>
#include <epan/wmem_scopes.h>
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

/* Of an e_guid_t. */
static inline guint
guid_map_hash(const void *guid)
{
    return wmem_strong_hash((const guint8 *)guid, sizeof(e_guid_t));
}

static inline gboolean
guid_map_equal(const void *a, const void *b)
{
    return guid_cmp((const e_guid_t *)a, (const e_guid_t *)b) == 0;
}

/* Makes NAME_equal() of keys of so many bytes, which the entries of a map may begin with. None is padding. */
/* clang-format off */
#define EQUAL_BYTES(name, size) \
    static gboolean name##_equal(const void *a, const void *b) \
    { \
        return memcmp(a, b, size) == 0; \
    }
/* The same, and NAME_hash(). */
#define HASH_BYTES(name, size) \
    static guint name##_hash(const void *key) \
    { \
        return wmem_strong_hash((const guint8 *)key, size); \
    } \
    EQUAL_BYTES(name, size)
/* clang-format on */

/*
 * Makes NAME(), a map that begins empty with each newly opened file; what is in it is in file scope.
 */
/* clang-format off */
#define FILE_MAP(name, hash, equal) \
    static wmem_map_t *name(void) \
    { \
        static wmem_map_t *map; \
        if (map == NULL) { \
            map = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), hash, equal); \
        } \
        return map; \
    }
/* clang-format on */

/*
 * The entry of a map in file scope for a key, which its first key_size bytes are. Where there was none it is made, the
 * other bytes up to size all zero; what the key points to has to last.
 */
static inline void *
hash_entry(wmem_map_t *map, const void *key, size_t key_size, size_t size)
{
    void *entry = wmem_map_lookup(map, key);

    if (entry == NULL) {
        entry = wmem_alloc0(wmem_file_scope(), size);
        memcpy(entry, key, key_size);
        wmem_map_insert(map, entry, entry);
    }
    return entry;
}

#endif /* PERFLIB_BASE_HASH_H */
