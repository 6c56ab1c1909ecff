/* identity.h
 * What a counter of the capture is: machine, counterset, counter, instance; and its label, the path made of their names
 *
 * Everything that belongs to a counter over the whole capture goes by its identity: series of values, columns, rows.
 * The label is for people. What differs and would read alike gets labels that differ, and keeps them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_IDENTITY_H
#define PERFLIB_COUNTERS_IDENTITY_H

#include "compat.h"

#include <string.h>

#include "counters/server.h"

/*
 * An instance as it is sent: the name is UTF-16, or UTF-8 without case. Instances whose names differ in case only are
 * one, as Windows tells no case apart (series_row_same()).
 */
struct series_row {
    uint32_t id;
    const uint8_t *name;
    unsigned name_size;
};

/* Whether two rows are the same, byte by byte. */
static inline bool
series_row_equal(const struct series_row *a, const struct series_row *b)
{
    return a->id == b->id && a->name_size == b->name_size &&
        (a->name == b->name || a->name_size == 0 || memcmp(a->name, b->name, a->name_size) == 0);
}
/* The same for maps of rows. */
guint series_row_key_hash(const void *row);
gboolean series_row_key_equal(const void *a, const void *b);
/* Whether two names, UTF-16 or anything without case, are the same but for case; and the hash of such a name. */
bool series_name_same(const uint8_t *a, const uint8_t *b, unsigned size);
guint series_name_hash(const uint8_t *name, unsigned size);
/* Whether two rows are the same instance. */
static inline bool
series_row_same(const struct series_row *a, const struct series_row *b)
{
    return a->id == b->id && a->name_size == b->name_size &&
        (a->name == b->name || a->name_size == 0 || series_name_same(a->name, b->name, a->name_size));
}

/* An instance of a counterset of a machine, in whatever query and handle. File scope. */
struct instance {
    const struct server *server;
    e_guid_t set;
    struct series_row row;
    unsigned occurrence; /* equal rows that stand before it in its block: 0 nearly always */
    const char *text;    /* its name, with the #index that tells it from others of its name */
    struct instance *is; /* this is another one, of which only the name was known or is; NULL: itself */
    unsigned stamp, repeats;
};

/*
 * What a row is called in paths before it is numbered, as counter_path_instance() has it, newly allocated in scope.
 */
typedef char *(*instance_text_cb)(wmem_allocator_t *scope, const struct series_row *row);

struct perf_counter;

/* What a counter and its counterset are called in a frame, in scope or there for longer. set_id: its id in text. */
struct counter_words {
    const char *set, *set_id;
    const char *counter;
    const char *counter_known; /* of an unknown counter: what is known of it alone, which others may share */
};
typedef struct counter_words (
    *counter_words_cb)(const struct perf_counter *counter, uint32_t frame, wmem_allocator_t *scope);

/* A counter of a machine's counterset. File scope. */
struct perf_counter {
    const struct server *server;
    e_guid_t set;
    uint32_t id;
    unsigned twin; /* counters of this id that stand before it in the counterset: 0 nearly always */
    counter_words_cb words;
    uint32_t frame; /* it was polled in first */
    /*
     * For words() alone, where nobody knows which counter it is: it claims no name, and its words are like no other's.
     * NULL: it is known. File scope.
     */
    const void *unknown;
    /* As they stand in paths by the names of a version: what reads like another's has its id behind it. */
    const char *set_text, *text;
    uint64_t version;
    struct perf_counter *next; /* that was polled first after it */
    unsigned no, last_no;      /* its number among those that even then read alike, and the latest one given */
};

/* A counter of the capture: a counter of an instance. File scope. */
struct identity {
    struct perf_counter *counter;
    const struct instance *instance; /* NULL: of the counterset as a whole */
    const char *path;                /* its label, by the names of a version; NULL: none was made yet */
    size_t set_length;               /* of the label's beginning, identity_set_path() */
    uint64_t version;
    unsigned no;        /* tells it from others that read alike in all else; 0: it need not */
    unsigned handed_on; /* the record that its value was handed on with last, and that value */
    uint64_t handed_raw;
};

/* Called once, at registration; Wireshark then calls the other for each file. */
void identity_init(void);
void identity_begin(void);

/*
 * The instance that a row is. Made on first use, and numbered then among those of its name of the counterset of the
 * machine: first pass only, in the order of the capture, so that a number stays what it is. A row that is known by its
 * name alone (id 0xFFFFFFFF) is the instance of that name, where there is but one by then. likely: what a row of the
 * same words was before, which spares looking; NULL: not known. stamp: of the block whose rows are asked for in turn,
 * so that what is there twice is two; 0: no matter.
 */
struct instance *identity_instance(const struct server *server, const e_guid_t *set, const struct series_row *row,
    struct instance *likely, unsigned stamp, instance_text_cb text);
/* The same where the caller numbers instances: label is what it is called when it is first asked for. In any pass. */
struct instance *identity_labelled(const struct server *server, const e_guid_t *set, const struct series_row *row,
    const char *label);
/* The same instance by what is known of machines by now; any pass. */
const struct instance *identity_instance_now(const struct instance *instance, instance_text_cb text);

/* The same counter over the whole capture: of one that has all up to its frame. Made on first use. */
struct perf_counter *identity_counter(const struct perf_counter *key);
/*
 * A counter goes by its names of a frame from now on. Who is called so first has the name for itself, another its id
 * behind it, and keeps that: so polls name their counters in the order of the capture, on the first pass. version: the
 * same as long as the names are.
 */
void identity_claim(struct perf_counter *counter, uint32_t frame, uint64_t version);
/* The same when somebody looks: what was named too late for its own polls is named before. */
void identity_name(struct perf_counter *counter, uint32_t frame, uint64_t version);

/* The counter of an instance; made on first use. */
struct identity *identity_of(struct perf_counter *counter, const struct instance *instance);
/* What a counterset is called in paths that shares its name with another one; set_id: its id in text. In scope. */
const char *identity_set_text(wmem_allocator_t *scope, const char *text, const char *set_id);
/* What all paths of its counterset begin with. In scope. */
char *identity_set_path(wmem_allocator_t *scope, const struct perf_counter *counter);
/* Its label by the names of a frame, "\\HOST\Counterset(Instance)\Counter" ([MS-PLA] 2.2.10); file scope. */
const char *identity_path(struct identity *identity, uint32_t frame, uint64_t version);

#endif /* PERFLIB_COUNTERS_IDENTITY_H */
