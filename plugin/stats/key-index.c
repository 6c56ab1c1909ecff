/* key-index.c
 * Numbers keys (texts, or identities of counters) in order of first use, and keeps data for each key
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/key-index.h"

struct key_index *
key_index_new(wmem_allocator_t *scope)
{
    struct key_index *index = wmem_new(scope, struct key_index);

    *index = (struct key_index){
        .scope = scope,
        .by_pointer = wmem_map_new(scope, g_direct_hash, g_direct_equal),
        .by_text = wmem_map_new(scope, wmem_str_hash, g_str_equal),
    };
    return index;
}

static unsigned
key_index_append(struct key_index *index, const void *identity, char *text)
{
    if (index->count == index->room) {
        index->room = MAX(16, 2 * index->room);
        index->entries =
            (struct key_entry *)wmem_realloc(index->scope, index->entries, index->room * sizeof *index->entries);
    }
    index->entries[index->count] = (struct key_entry){ identity, text, NULL };
    return index->count++;
}

unsigned
key_index_add_text(struct key_index *index, const char *text)
{
    void *number;

    if (!wmem_map_lookup_extended(index->by_text, text, NULL, &number)) {
        char *copy = wmem_strdup(index->scope, text);

        number = GUINT_TO_POINTER(key_index_append(index, NULL, copy));
        wmem_map_insert(index->by_text, copy, number);
    }
    return GPOINTER_TO_UINT(number);
}

unsigned
key_index_find(struct key_index *index, const void *identity)
{
    void *number;

    if (!wmem_map_lookup_extended(index->by_pointer, identity, NULL, &number)) {
        number = GUINT_TO_POINTER(key_index_append(index, identity, NULL));
        wmem_map_insert(index->by_pointer, identity, number);
    }
    return GPOINTER_TO_UINT(number);
}

void
key_index_set_text(struct key_index *index, unsigned number, const char *path)
{
    char **text = &index->entries[number].text;

    if (g_strcmp0(*text, path) != 0) {
        wmem_free(index->scope, *text);
        *text = path == NULL ? NULL : wmem_strdup(index->scope, path);
    }
}

const char *
key_index_text(const struct key_index *index, unsigned number)
{
    return index->entries[number].text;
}

void *
key_index_gather(struct key_index *index, const char *text, size_t size)
{
    struct key_entry *entry = key_index_entry(index, key_index_add_text(index, text));

    if (entry->data == NULL) {
        entry->data = wmem_alloc0(index->scope, size);
    }
    return entry->data;
}
