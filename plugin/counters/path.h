/* path.h
 * Counter paths, [MS-PLA] 2.2.10: \\Computer\Object(Parent/Instance#Index)\Counter. The one place that makes them,
 * numbers instances of one name, bounds names and splits what others wrote
 *
 * Text is UTF-8. What is made here may stand in a line as it is: nothing in it controls a terminal, and no part is
 * longer than NAME_TEXT_MAX bytes (base/text.h), whatever came from the wire.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_PATH_H
#define PERFLIB_COUNTERS_PATH_H

#include "compat.h"

/* Parts that are absent are NULL. */
struct counter_path {
    const char *computer;
    const char *object;
    const char *parent;
    const char *instance;
    const char *index; /* decimal digits */
    const char *counter;
};

/*
 * Splits text; the parts are allocated in scope, as they stand there. false, with nothing set, where text is no
 * counter path.
 */
bool counter_path_split(wmem_allocator_t *scope, const char *text, struct counter_path *path);

/*
 * What an instance is called before it is numbered: "name", or "parent/name" where parent is not NULL. In scope, or
 * name itself.
 */
const char *counter_path_instance(wmem_allocator_t *scope, const char *parent, const char *name);

/*
 * instance: of counter_path_instance() or counter_path_numbered(), "" or NULL for none; number: of
 * counter_path_number(), 0 where the name has it already. In scope.
 */
char *counter_path_make(wmem_allocator_t *scope, const char *computer, const char *object, const char *instance,
    unsigned number, const char *counter);

/* Paths and names are compared without regard to case, as Windows does (PDH). */
guint counter_path_hash(const void *path);
gboolean counter_path_equal(const void *a, const void *b);

/* The names in use among instances that have to differ; in scope. */
struct counter_path_names;
struct counter_path_names *counter_path_names_new(wmem_allocator_t *scope);

/* A name in use. */
struct counter_path_used {
    const void *server;
    e_guid_t set;
    unsigned next;    /* the number to try for a further instance of this name */
    void *owner;      /* the caller's: who goes by it without a number; NULL: whose number is part of it */
    const char *name; /* without case */
};

/*
 * A further instance of a machine's set goes by this name (of counter_path_instance()): the number that tells it from
 * those before, 0 for the first. server, set: NULL where all are of one. No two get one path: "x", "x" and an instance
 * really called "x#1" become x, x#1 and x#1#1, or x, x#1 and x#2 where the second "x" comes last. Costs the same for
 * each, however many have one name.
 */
unsigned counter_path_number(struct counter_path_names *names, const void *server, const e_guid_t *set,
    const char *instance);
/* A name, which is the owner's if it was not in use so far. */
struct counter_path_used *counter_path_claim(struct counter_path_names *names, const void *server, const e_guid_t *set,
    const char *name, void *owner);

/* The name with its number, as it stands in a path. In scope, or instance itself. */
const char *counter_path_numbered(wmem_allocator_t *scope, const char *instance, unsigned number);

#endif /* PERFLIB_COUNTERS_PATH_H */
