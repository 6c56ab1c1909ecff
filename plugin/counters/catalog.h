/* catalog.h
 * What is known of countersets and counters: names, descriptions, types and the counters
 * they are computed with
 *
 * Three sources, the first that knows wins: the capture itself, per server; the user's
 * table; a small built-in table of publicly confirmed countersets. Knows nothing of packets and trees.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_CATALOG_H
#define PERFLIB_COUNTERS_CATALOG_H

#include "compat.h"

#include "cook/counter-types.h"
#include "counters/server.h"

/* A text and where it comes from. frame: the frame that taught it, 0 where no frame did. */
struct catalog_text {
    const char *text; /* NULL: not known */
    uint32_t frame;
};

/* Beyond, counters of one id in a set are not told apart. */
#define CATALOG_MAX_TWINS 16

/* What is known of one counter. Ids of related counters are PERF_ID_NONE where there is none. */
struct catalog_counter {
    struct catalog_text name;
    bool has_twin;     /* the counterset has another counter of this id, so the type may be the other's */
    bool type_changed; /* several types were taught one after another: an earlier value may be of another */
    bool is_built_in;  /* what no frame taught of it stands in the built-in table, not in the user's */
    bool type_known;
    uint32_t type;
    uint32_t type_frame;
    uint32_t base_id, perf_time_id, perf_freq_id, multi_id;
    int32_t default_scale;
    uint32_t aggregate; /* AggregateFunc; 0: undefined */
    uint64_t attrib;
};

/* The kinds of text request codes 3 to 7, 9 and 10 (3.1.4.1.2) teach. */
enum catalog_text_kind {
    CATALOG_NAME,
    CATALOG_DESCRIPTION,
    CATALOG_ENGLISH_NAME,
};

/* A call to the server used this szMachine; the first that is not empty stays. */
void catalog_learn_machine(struct server *server, const char *machine);

/*
 * Teaching, on the first pass only. frame: the answer's. Texts are copied. What was taught later wins over what was
 * taught earlier in the same language, but a name once learned is not forgotten.
 */
/* All counters of the set have been taught. */
void catalog_learn_complete(struct server *server, const e_guid_t *guid);
void catalog_learn_counterset_text(struct server *server, const e_guid_t *guid, enum catalog_text_kind kind,
    uint32_t lcid, const char *text, uint32_t frame);
void catalog_learn_provider(struct server *server, const e_guid_t *guid, const char *name, const e_guid_t *provider,
    uint32_t frame);
/*
 * info: type and ids; its name is not used. twin: the how manieth counter of this id in what names all of the set, 0
 * nearly always: Windows has countersets with two counters of one id.
 */
void catalog_learn_counter(struct server *server, const e_guid_t *guid, uint32_t id, unsigned twin,
    const struct catalog_counter *info, uint32_t frame);
void catalog_learn_counter_text(struct server *server, const e_guid_t *guid, uint32_t id, unsigned twin,
    enum catalog_text_kind kind, uint32_t lcid, const char *text, uint32_t frame);

/* An instance of the set has this id and name. An id that comes with several names says nothing. */
void catalog_learn_instance(struct server *server, const e_guid_t *guid, uint32_t id, const char *name, uint32_t frame);

/* Looking up; server may be NULL (then only the tables are asked). */
struct catalog_text catalog_counterset_name(const struct server *server, const e_guid_t *guid);
/* false where nothing at all is known of the counter; *out is then empty. */
bool catalog_counter(const struct server *server, const e_guid_t *guid, uint32_t id, struct catalog_counter *out);
/*
 * The same of the twin-th counter of the id, where it stands among all of the set. Of one that was not taught nothing
 * is known.
 */
bool catalog_counter_twin(const struct server *server, const e_guid_t *guid, uint32_t id, unsigned twin,
    struct catalog_counter *out);
/* How many counters of a set are known to have this id: 1 nearly always, 0 where none is known. */
unsigned catalog_counter_twins(const struct server *server, const e_guid_t *guid, uint32_t id);
/* The name of the instance with this id; not known where ids are not unique. */
struct catalog_text catalog_instance_name(const struct server *server, const e_guid_t *guid, uint32_t id);
/* The name of the provider with this GUID. */
struct catalog_text catalog_provider_name(const struct server *server, const e_guid_t *provider);
/*
 * Whether the capture taught all counters of the set (request code 1), so that an id not among them is not of the
 * set.
 */
bool catalog_counterset_is_complete(const struct server *server, const e_guid_t *guid);

/* Rises with everything learned: what was made of names earlier may then be out of date. */
unsigned catalog_version(void);

#endif /* PERFLIB_COUNTERS_CATALOG_H */
