/* path-index.h
 * Numbers the counters of a capture in order of first use
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_PATH_INDEX_H
#define PERFLIB_STATS_PATH_INDEX_H

#include "compat.h"

#include <glib.h>

struct path_index {
    GHashTable *by_pointer; /* maps an identity to its number */
    /* maps a text to its number. Texts are from the capture, so the hash is seeded; they are owned by `texts` */
    GHashTable *by_text;
    GPtrArray *texts;    /* text of each number, a copy; NULL for a number without a text */
    GPtrArray *pointers; /* identity of each number */
    unsigned next;       /* number expected next, since polls list paths in the same order each time */
};

struct path_index *path_index_new(void);
void path_index_free(struct path_index *index);
/* Removes all entries. Must be called before the identities given to path_index_add() are freed. */
void path_index_clear(struct path_index *index);

/* path_index_add() for a counter that is not the expected one */
unsigned path_index_find(struct path_index *index, const void *identity);
/* Returns the number of a counter: from 0 in order of first use, the same for the same identity. */
static inline unsigned
path_index_add(struct path_index *index, const void *identity)
{
    const unsigned next = index->next;
    const bool is_next = next < index->pointers->len && g_ptr_array_index(index->pointers, next) == identity;
    const unsigned number = is_next ? next : path_index_find(index, identity);

    index->next = number + 1;
    return number;
}

/* Sets the label of a counter, replacing the earlier one. */
void path_index_set_text(struct path_index *index, unsigned number, const char *path);
/* Returns the number of a text. The index must contain texts only. */
unsigned path_index_add_text(struct path_index *index, const char *text);
/* Returns the number of entries. A newly added entry has this number minus 1. */
static inline unsigned
path_index_size(const struct path_index *index)
{
    return index->pointers->len;
}

/* Returns the text of an entry. The index owns it. */
const char *path_index_text(const struct path_index *index, unsigned number);

#endif /* PERFLIB_STATS_PATH_INDEX_H */
