/* path.h
 * Counter paths, [MS-PLA] 2.2.10: \\Computer\Object(Parent/Instance#Index)\Counter. No other file makes or splits
 * paths, limits their names, or numbers instances of the same name
 *
 * Text is UTF-8. Paths made here are printable, and no part is longer than NAME_TEXT_MAX bytes (base/text.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_PATH_H
#define PERFLIB_COUNTERS_PATH_H

#include "compat.h"

/* Parts of a path; an absent part is NULL. */
struct counter_path {
    const char *computer;
    const char *object;
    const char *parent;
    const char *instance;
    const char *index; /* decimal digits after '#' */
    const char *counter;
};

/*
 * Splits text into parts, allocated in scope and not changed. Returns false, with nothing set, if text is no counter
 * path.
 */
bool counter_path_split(wmem_allocator_t *scope, const char *text, struct counter_path *path);

/*
 * Returns an instance's name before numbering: "name", or "parent/name" if parent is not NULL. In scope, or name
 * itself.
 */
const char *counter_path_instance(wmem_allocator_t *scope, const char *parent, const char *name);

/*
 * Returns a path. computer: "" if unknown. instance: from counter_path_instance() or counter_path_numbered(), "" or
 * NULL for none. number: from counter_path_number(), 0 if the name already contains it. In scope.
 */
char *counter_path_make(wmem_allocator_t *scope, const char *computer, const char *object, const char *instance,
    unsigned number, const char *counter);

/* Hash and compare paths and names regardless of case, as Windows does (PDH). */
guint counter_path_hash(const void *path);
gboolean counter_path_equal(const void *a, const void *b);

/* Set of names that are already used; in scope */
struct counter_path_names;
struct counter_path_names *counter_path_names_new(wmem_allocator_t *scope);

/* One used name */
struct counter_path_used {
    const void *server;
    e_guid_t set;
    unsigned next; /* number to try for the next instance with this name */
    /* object for which counter_path_claim() created the entry; NULL: counter_path_number() did */
    void *owner;
    const char *name; /* the used name in lower case */
};

/*
 * Returns the number for another instance of this name (from counter_path_instance()): 0 for the first. server, set:
 * counterset of the instance; NULL if `names` has only one. Paths are unique: "x", "x" and an instance really called
 * "x#1" become x, x#1 and x#1#1, or x, x#1 and x#2 if the second "x" is last. The cost is constant per instance.
 */
unsigned counter_path_number(struct counter_path_names *names, const void *server, const e_guid_t *set,
    const char *instance);
/* Returns the entry of a name. A new entry belongs to owner. */
struct counter_path_used *counter_path_claim(struct counter_path_names *names, const void *server, const e_guid_t *set,
    const char *name, void *owner);

/* Returns the name with its number, as in a path. In scope, or instance itself. */
const char *counter_path_numbered(wmem_allocator_t *scope, const char *instance, unsigned number);

#endif /* PERFLIB_COUNTERS_PATH_H */
