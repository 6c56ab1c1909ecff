/* path-index.h
 * Numbers the counters of a capture in order of first use
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_PATH_INDEX_H
#define PERFLIB_STATS_PATH_INDEX_H

struct path_index;

struct path_index *path_index_new(void);
void path_index_free(struct path_index *index);
/* Removes all entries. Must be called before the identities given to path_index_add() are freed. */
void path_index_clear(struct path_index *index);

/*
 * Returns the number of a counter: from 0 in order of first use, the same for the same identity. path: label of the
 * counter, of which the latest is kept, or NULL if labels are not needed.
 */
unsigned path_index_add(struct path_index *index, const void *identity, const char *path);
/* Returns the number of a text. The index must contain texts only. */
unsigned path_index_add_text(struct path_index *index, const char *text);
/* Returns the number of entries. A newly added entry has this number minus 1. */
unsigned path_index_size(const struct path_index *index);
/* Returns the text of an entry. The index owns it. */
const char *path_index_text(const struct path_index *index, unsigned number);

#endif /* PERFLIB_STATS_PATH_INDEX_H */
