/* path-index.h
 * Numbers counters of the capture in the order in which statistics meet them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_PATH_INDEX_H
#define PERFLIB_STATS_PATH_INDEX_H

struct path_index;

struct path_index *path_index_new(void);
void path_index_free(struct path_index *index);
/* Forgets all. To be called before the identities given to path_index_add() go away. */
void path_index_clear(struct path_index *index);

/*
 * The number of a counter of the capture: 0 for the first, and the same for the same identity. path: its label, of
 * which the latest is kept; NULL where nobody asks for it.
 */
unsigned path_index_add(struct path_index *index, const void *identity, const char *path);
/* The number of a text, in an index that holds texts alone. */
unsigned path_index_add_text(struct path_index *index, const char *text);
/* How many paths there are; a number just added is one less. */
unsigned path_index_size(const struct path_index *index);
/* The text of a number, owned by the index. */
const char *path_index_text(const struct path_index *index, unsigned number);

#endif /* PERFLIB_STATS_PATH_INDEX_H */
