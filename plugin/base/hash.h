/* hash.h
 * Hashes of keys from the wire, seeded so that a sender cannot choose keys that collide
 *
 * For a single key use Wireshark's own: wmem_strong_hash() for bytes, wmem_str_hash() for strings. wmem_map seeds the
 * hashes of its keys, so g_direct_hash() of a number is safe in a wmem_map, but not in a GHashTable.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_HASH_H
#define PERFLIB_BASE_HASH_H

#include "compat.h"

#include <string.h>

#include <epan/guid-utils.h>

/* Combines two hashes whose bits are well distributed. */
static inline guint
hash_join(guint first, guint second)
{
    return first * 31 + second;
}

/* Hashes a pointer, or a number made a pointer by GUINT_TO_POINTER(). */
static inline guint
hash_pointer(const void *key)
{
    return wmem_strong_hash((const guint8 *)&key, sizeof key);
}

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

/*
 * Defines NAME_equal(), which compares the first SIZE bytes of two keys or entries. These bytes must not include
 * padding.
 */
/* clang-format off */
#define EQUAL_BYTES(name, size) \
    static gboolean name##_equal(const void *a, const void *b) \
    { \
        return memcmp(a, b, size) == 0; \
    }
/* Defines NAME_equal() and NAME_hash(). */
#define HASH_BYTES(name, size) \
    static guint name##_hash(const void *key) \
    { \
        return wmem_strong_hash((const guint8 *)key, size); \
    } \
    EQUAL_BYTES(name, size)
/* clang-format on */

/* A map that is emptied for each new capture file. Its entries are in file scope. */
struct file_map {
    GHashFunc hash;
    GEqualFunc equal;
    wmem_map_t *map; /* NULL until file_map() creates it */
};

static inline wmem_map_t *
file_map(struct file_map *of)
{
    if (of->map == NULL) {
        of->map = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), of->hash, of->equal);
    }
    return of->map;
}

/*
 * Returns the entry with this key, made if needed. The key is the entry's first member. A new entry is `size` bytes,
 * zero after the key. Pointers in the key must stay valid until the file is closed.
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
