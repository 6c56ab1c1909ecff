/* path-index.h
 * Numbers counter paths in the order in which statistics meet them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_PATH_INDEX_H
#define PERFLIB_STATS_PATH_INDEX_H

struct path_index;

struct path_index *path_index_new(void);
void path_index_free(struct path_index *index);
/* Forgets all paths. To be called before the strings given to path_index_add() go away. */
void path_index_clear(struct path_index *index);

/*
 * The number of a path: 0 for the first, and the same for the same text. Text is compared only where
 * the pointer is a new one; dissectors pass the same pointer for the same path.
 */
unsigned path_index_add(struct path_index *index, const char *path);
/* The same for texts whose pointers say nothing. */
unsigned path_index_add_text(struct path_index *index, const char *text);
/* How many paths there are; a number just added is one less. */
unsigned path_index_size(const struct path_index *index);
/* The text of a number, owned by the index. */
const char *path_index_text(const struct path_index *index, unsigned number);

#endif /* PERFLIB_STATS_PATH_INDEX_H */
