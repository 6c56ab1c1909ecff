/* path-index.c
 * Numbers the counters of a capture in order of first use
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/path-index.h"

struct path_index *
path_index_new(void)
{
    struct path_index *index = g_new0(struct path_index, 1);

    index->by_pointer = g_hash_table_new(g_direct_hash, g_direct_equal);
    index->by_text = g_hash_table_new(wmem_str_hash, g_str_equal);
    index->texts = g_ptr_array_new_with_free_func(g_free);
    index->pointers = g_ptr_array_new();
    return index;
}

void
path_index_free(struct path_index *index)
{
    g_hash_table_destroy(index->by_pointer);
    g_hash_table_destroy(index->by_text);
    g_ptr_array_free(index->texts, TRUE);
    g_ptr_array_free(index->pointers, TRUE);
    g_free(index);
}

void
path_index_clear(struct path_index *index)
{
    g_hash_table_remove_all(index->by_pointer);
    g_hash_table_remove_all(index->by_text);
    g_ptr_array_set_size(index->texts, 0);
    g_ptr_array_set_size(index->pointers, 0);
}

static unsigned
path_index_append(struct path_index *index, gpointer identity, const char *text)
{
    g_ptr_array_add(index->texts, g_strdup(text));
    g_ptr_array_add(index->pointers, identity);
    return index->texts->len - 1;
}

unsigned
path_index_add_text(struct path_index *index, const char *text)
{
    gpointer number;

    if (!g_hash_table_lookup_extended(index->by_text, text, NULL, &number)) {
        number = GUINT_TO_POINTER(path_index_append(index, NULL, text));
        g_hash_table_insert(index->by_text, g_ptr_array_index(index->texts, GPOINTER_TO_UINT(number)), number);
    }
    return GPOINTER_TO_UINT(number);
}

unsigned
path_index_find(struct path_index *index, const void *identity)
{
    gpointer number;

    if (!g_hash_table_lookup_extended(index->by_pointer, identity, NULL, &number)) {
        number = GUINT_TO_POINTER(path_index_append(index, (gpointer)identity, NULL));
        g_hash_table_insert(index->by_pointer, (gpointer)identity, number);
    }
    return GPOINTER_TO_UINT(number);
}

void
path_index_set_text(struct path_index *index, unsigned number, const char *path)
{
    char **text = (char **)&g_ptr_array_index(index->texts, number);

    if (g_strcmp0(*text, path) != 0) {
        g_free(*text);
        *text = g_strdup(path);
    }
}

const char *
path_index_text(const struct path_index *index, unsigned number)
{
    return (const char *)g_ptr_array_index(index->texts, number);
}
