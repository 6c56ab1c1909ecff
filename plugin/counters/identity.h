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

#include "counters/server.h"

/* An instance as it is sent: the name is opaque bytes (UTF-16, or UTF-8), compared as they are. */
struct series_row {
    uint32_t id;
    const uint8_t *name;
    unsigned name_size;
};

/* Whether two rows are the same instance. */
bool series_row_equal(const struct series_row *a, const struct series_row *b);

/* An instance of a counterset of a machine, in whatever query and handle. File scope. */
struct instance {
    const struct server *server;
    e_guid_t set;
    struct series_row row;
    unsigned occurrence; /* equal rows that stand before it in its block: 0 nearly always */
    unsigned number;     /* the #index that tells it from others of its name; 0: none */
    struct instance *is; /* this is another one, of which only the name was known or is; NULL: itself */
    unsigned stamp, repeats;
};

/*
 * What a row is called in paths before it is numbered, as counter_path_instance() has it, newly allocated in scope.
 */
typedef char *(*instance_text_cb)(wmem_allocator_t *scope, const struct series_row *row);

/* A label of an identity; file scope. Names may change, so one may have had several. */
struct identity_label {
    const char *path;
    void *watched; /* what the watch list makes of it, and when */
    unsigned watched_version;
};

/* A counter of the capture. File scope. */
struct identity {
    const struct server *server;
    e_guid_t set;
    uint32_t counter;
    unsigned twin;                   /* counters of this id that stand before it in the counterset: 0 nearly always */
    const struct instance *instance; /* NULL: of the counterset as a whole */
    struct identity_label *label;    /* by the names of a version; NULL: none was made yet */
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
 * so that what is there twice is two; 0: no matter. text NULL: the name has its number.
 */
struct instance *identity_instance(const struct server *server, const e_guid_t *set, const struct series_row *row,
    struct instance *likely, unsigned stamp, instance_text_cb text);
/* The same instance by what is known of machines by now; any pass. */
const struct instance *identity_instance_now(const struct instance *instance, instance_text_cb text);

/* The counter of a machine's counterset; made on first use. */
struct identity *identity_of(const struct server *server, const e_guid_t *set, uint32_t counter, unsigned twin,
    const struct instance *instance);

/* Names as they are known by now; what is long or does not print is seen to. */
struct identity_names {
    const char *set, *set_id; /* set_id: in text */
    const char *instance;     /* without number; NULL: none */
    const char *counter;
};

/*
 * A counterset's name as it stands in paths: the first of a name on its machine goes by it, another by its id, too, in
 * scope.
 */
const char *identity_set_text(const struct server *server, const e_guid_t *set, const char *name, const char *id,
    wmem_allocator_t *scope);
/* The label by these names, "\\HOST\Counterset(Instance)\Counter" ([MS-PLA] 2.2.10). version: rises with every name. */
struct identity_label *identity_name(struct identity *identity, const struct identity_names *names, uint64_t version);

#endif /* PERFLIB_COUNTERS_IDENTITY_H */
