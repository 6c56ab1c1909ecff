/* identity.h
 * Identity of a counter: machine, counterset, counter and instance; and its label, the path made of their names
 *
 * Series of values, columns and rows of the whole capture use the identity as key. The label is for people: different
 * counters get different labels. A label may change only when names are learned.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_IDENTITY_H
#define PERFLIB_COUNTERS_IDENTITY_H

#include "compat.h"

#include <string.h>

#include "counters/server.h"

/*
 * An instance in an answer. name: little-endian UTF-16 as sent, in the older API with the parent's name before it, see
 * name_instances(). Names that differ only in case are the same instance, as in Windows (series_row_same()).
 */
struct series_row {
    uint32_t id;
    const uint8_t *name;
    unsigned name_size;
};

/* Returns whether two rows are equal byte by byte. */
static inline bool
series_row_equal(const struct series_row *a, const struct series_row *b)
{
    return a->id == b->id && a->name_size == b->name_size &&
        (a->name == b->name || a->name_size == 0 || memcmp(a->name, b->name, a->name_size) == 0);
}
/* Compare and hash the names of two rows (struct series_row) regardless of case and of ids. */
gboolean series_name_equal(const void *a, const void *b);
guint series_name_hash(const void *row);
/* Returns whether two rows are the same instance: equal ids, and names that differ at most in case. */
static inline bool
series_row_same(const struct series_row *a, const struct series_row *b)
{
    return a->id == b->id && series_name_equal(a, b);
}

/* An instance of a machine's counterset, over all queries and handles. File scope. */
struct instance {
    const struct server *server;
    e_guid_t set;
    struct series_row row;
    unsigned occurrence; /* number of equal rows before this one in its block, nearly always 0 */
    const char *text;    /* name in paths, with #index if other instances have the name */
    /* instance with the same name into which this one was merged, since only one of both had an id; NULL: not merged */
    struct instance *merged_into;
    unsigned stamp;   /* for identity_instance(): number of the latest block that contains this instance */
    unsigned repeats; /* for identity_instance(): number of further equal rows in block .stamp */
};

/* Returns a row's name in paths before numbering, as counter_path_instance() makes it, newly allocated in scope. */
typedef char *(*instance_text_cb)(wmem_allocator_t *scope, const struct series_row *row);

struct perf_counter;

/* Names of a counter and its counterset in a frame; in scope or longer. set_id: id of the counterset as text. */
struct counter_words {
    const char *set, *set_id;
    const char *counter;
    /*
     * name of an unknown counter without its query and block, such as "unknown" or "counter 5", not unique; NULL: the
     * counter is known
     */
    const char *counter_known;
};
typedef struct counter_words (
    *counter_words_cb)(const struct perf_counter *counter, uint32_t frame, wmem_allocator_t *scope);

/* A counter of a machine's counterset. File scope. */
struct perf_counter {
    const struct server *server;
    e_guid_t set;
    uint32_t id;
    unsigned nth; /* number of earlier counters with the same id in the counterset, nearly always 0 */
    counter_words_cb words;
    uint32_t frame; /* frame of the counter's first poll */
    /*
     * Argument for .words if the counter is unknown, else NULL. The text of an unknown counter contains its query and
     * block, so it is unique and not added to the names in use. File scope.
     */
    const void *unknown;
    /* Texts in paths, made of the names as of .version. If another counter has the same text, the id is appended. */
    const char *set_text, *text;
    uint64_t version;
    struct perf_counter *next; /* next counter in the order of their first polls */
    /* .no: appended if another counter has the same text and the same id; .last_no: highest .no with this text */
    unsigned no, last_no;
};

/* A counter of one instance: a value that is polled again and again. File scope. */
struct identity {
    struct perf_counter *counter;
    const struct instance *instance; /* NULL: the counterset has no instances */
    const char *path;                /* path, made of the names as of .version; NULL: not made yet */
    size_t set_length;               /* length of the path's beginning, "\\HOST\Counterset" */
    uint64_t version;
    unsigned no; /* number appended to make .path unique; 0: none */
    /*
     * latest poll record (counted by poll_record()) that got a value of this identity, and that value: it is added once
     */
    unsigned handed_on;
    uint64_t handed_raw;
};

/* Resets all tables. Wireshark calls this at the beginning of each file. */
void identity_begin(void);

/*
 * Returns the instance of a row, created on first use, then also numbered if others have its name: call it in the order
 * of the capture. A row without id (0xFFFFFFFF) is the instance with its name if only one has that name so far. likely:
 * result for an equal row, which saves a look-up, or NULL. stamp: number of the block, in which equal rows are
 * different instances; 0: equal rows are one instance.
 */
struct instance *identity_instance(const struct server *server, const e_guid_t *set, const struct series_row *row,
    struct instance *likely, unsigned stamp, instance_text_cb text);
/*
 * Returns the instance of a row, created on first use with the text `label` in paths, to which the caller has appended
 * a number if necessary. Any pass.
 */
struct instance *identity_labelled(const struct server *server, const e_guid_t *set, const struct series_row *row,
    const char *label);
/* Returns the same instance of the machine that its server is now known to be, see server_known(). Any pass. */
const struct instance *identity_instance_now(const struct instance *instance, instance_text_cb text);

/* Returns the counter with this server, set, id and nth, created from *key on first use. */
struct perf_counter *identity_counter(const struct perf_counter *key);
/*
 * Gives a counter the name that it has in a frame. The first counter with a name keeps the name unchanged; later ones
 * get their id appended. First pass only, in the order of the capture. version: a number that changes whenever names
 * change.
 */
void identity_claim(struct perf_counter *counter, uint32_t frame, uint64_t version);
/*
 * Updates a counter's name when it is shown. If names were learned since the previous call, first names all counters
 * again, oldest first: the first one with a name keeps the name unchanged.
 */
void identity_name(struct perf_counter *counter, uint32_t frame, uint64_t version);

/* Returns the identity of a counter's instance. Created on first use. */
struct identity *identity_of(struct perf_counter *counter, const struct instance *instance);
/* Returns the text of a counterset that shares its name with another one: the name with its id. In scope. */
const char *identity_set_text(wmem_allocator_t *scope, const char *text, const char *set_id);
/*
 * Returns the path, made of the names known in a frame: "\\HOST\Counterset(Instance)\Counter" ([MS-PLA] 2.2.10). File
 * scope. version: a number that changes whenever names change.
 */
const char *identity_path(struct identity *identity, uint32_t frame, uint64_t version);

#endif /* PERFLIB_COUNTERS_IDENTITY_H */
