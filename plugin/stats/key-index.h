/* key-index.h
 * Numbers keys (texts, or identities of counters) in order of first use, and keeps data for each key
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_KEY_INDEX_H
#define PERFLIB_STATS_KEY_INDEX_H

#include "compat.h"

struct key_entry {
    const void *identity;
    char *text; /* copy of the key's text; NULL if it has none */
    void *data; /* set by the user of the index; NULL in a new entry */
};

struct key_index {
    wmem_allocator_t *scope;
    wmem_map_t *by_pointer; /* maps a counter's identity (a pointer) to the number of its entry */
    /* maps a text to the number of its entry; wmem_str_hash is seeded, since texts are from the capture */
    wmem_map_t *by_text;
    struct key_entry *entries;
    unsigned count, room; /* numbers of used and of allocated entries */
    unsigned next;        /* entry that key_index_add() tries first: polls list counters in the same order each time */
};

/*
 * Returns an empty index in `scope`. Do not use it after an identity in it was freed: a new counter may get the same
 * pointer.
 */
struct key_index *key_index_new(wmem_allocator_t *scope);

static inline struct key_entry *
key_index_entry(const struct key_index *index, unsigned number)
{
    return &index->entries[number];
}

/* Returns the number of entries. */
static inline unsigned
key_index_size(const struct key_index *index)
{
    return index->count;
}

/* Slow path of key_index_add(): looks up an identity that is not at index->next, or adds it. */
unsigned key_index_find(struct key_index *index, const void *identity);
/* Returns the number of a counter's identity, adding it if it is new: 0, 1 and so on. */
static inline unsigned
key_index_add(struct key_index *index, const void *identity)
{
    const unsigned next = index->next;
    const bool is_next = next < index->count && index->entries[next].identity == identity;
    const unsigned number = is_next ? next : key_index_find(index, identity);

    index->next = number + 1;
    return number;
}

/* Sets the text of an entry (copied; NULL: none), replacing the earlier one. */
void key_index_set_text(struct key_index *index, unsigned number, const char *path);
/* Returns the number of a text, adding it if it is new. The index must contain texts only. */
unsigned key_index_add_text(struct key_index *index, const char *text);
/* Returns the data of the entry with this text, created with `size` zeroed bytes on first use. */
void *key_index_gather(struct key_index *index, const char *text, size_t size);

static inline void *
key_index_data(const struct key_index *index, unsigned number)
{
    return index->entries[number].data;
}

/* Returns the text of an entry. The index owns it. */
const char *key_index_text(const struct key_index *index, unsigned number);

#endif /* PERFLIB_STATS_KEY_INDEX_H */
