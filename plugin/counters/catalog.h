/* catalog.h
 * What is known of countersets and counters: names, descriptions, types and the counters
 * they are computed with
 *
 * The capture teaches them per server, the user's table and a small built-in table of publicly confirmed countersets
 * fill gaps, and so may other machines (enum catalog_source). Knows nothing of packets and trees.
 *
 * What a server says may change: a provider registers anew, lists of names are read again. So who looks something up
 * says for which frame: what counts is what was taught last until then. What was taught for the first time counts for
 * what came before, too. CATALOG_NOW: for what is known by now.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_CATALOG_H
#define PERFLIB_COUNTERS_CATALOG_H

#include "compat.h"

#include <stdio.h>

#include <epan/prefs.h>

#include "cook/counter-types.h"
#include "counters/server.h"

#define CATALOG_NOW UINT32_MAX

/* A text and where it comes from. frame: the frame that taught it, 0 where no frame did. */
struct catalog_text {
    const char *text; /* NULL: not known */
    uint32_t frame;
    enum catalog_source source;
};

/* Beyond, counters of one id in a set are not told apart. */
#define CATALOG_MAX_TWINS 16

/* What is known of one counter. Ids of related counters are PERF_ID_NONE where there is none. */
struct catalog_counter {
    struct catalog_text name;
    bool has_twin;     /* the counterset has another counter of this id, so the type may be the other's */
    bool type_changed; /* several types were taught one after another */
    bool type_known;
    enum catalog_source source; /* of the type, and all below */
    uint32_t taught_in;         /* frame of the answer that taught it; 0: none did */
    uint32_t type;
    uint32_t base_id, perf_time_id, perf_freq_id, multi_id;
    uint32_t aggregate; /* AggregateFunc; 0: undefined */
    uint64_t attrib;
};

/* Whether all that a counter is computed by is the same. */
bool catalog_counter_alike(const struct catalog_counter *a, const struct catalog_counter *b);

/* InstanceType of a counterset */
enum {
    SINGLE_INSTANCE = 0x00,
    MULTIPLE_INSTANCES = 0x02,
    GLOBAL_AGGREGATE = 0x04,
    MULTIPLE_AGGREGATE = 0x06,
    GLOBAL_AGGREGATE_HISTORY = 0x0C,
    INSTANCE_AGGREGATE = 0x16,
};

/* What a server says of a counterset beside names and counters. */
struct counterset {
    uint32_t instance_type;
    uint32_t num_counters;
};

/* The kinds of text request codes 3 to 7, 9 and 10 (3.1.4.1.2) teach. */
enum catalog_text_kind {
    CATALOG_NAME,
    CATALOG_DESCRIPTION,
    CATALOG_ENGLISH_NAME,
};

/* The preference which language names come in; called once, at registration. */
void catalog_register(module_t *module);

/*
 * Teaching, on the first pass only. frame: the answer's. Texts are copied. What was taught later wins over what was
 * taught earlier in the same language, but a name once learned is not forgotten.
 */
/* A client asks which counters the set has; or was answered, anyhow. */
void catalog_learn_asked(struct server *server, const e_guid_t *guid, bool is_answer);
/* The answer in frame listed all counters of the set. */
void catalog_learn_listed(struct server *server, const e_guid_t *guid, uint32_t frame);
/* The answer in frame said that there is no such set. */
void catalog_learn_lacking(struct server *server, const e_guid_t *guid, uint32_t frame);
void catalog_learn_counterset(struct server *server, const e_guid_t *guid, const struct counterset *counterset);
void catalog_learn_counterset_text(struct server *server, const e_guid_t *guid, enum catalog_text_kind kind,
    uint32_t lcid, const char *text, uint32_t frame);
void catalog_learn_provider(struct server *server, const e_guid_t *guid, const char *name, const e_guid_t *provider,
    uint32_t frame);
/*
 * info: type and ids; its name is not used. twin: how many counters of this id stand before it in what names all of the
 * set, 0 nearly always: Windows has countersets with two counters of one id.
 */
void catalog_learn_counter(struct server *server, const e_guid_t *guid, uint32_t id, unsigned twin,
    const struct catalog_counter *info, uint32_t frame);
void catalog_learn_counter_text(struct server *server, const e_guid_t *guid, uint32_t id, unsigned twin,
    enum catalog_text_kind kind, uint32_t lcid, const char *text, uint32_t frame);
/* An instance of the set has this id and name. An id that comes with several names says nothing. */
void catalog_learn_instance(struct server *server, const e_guid_t *guid, uint32_t id, const char *name, uint32_t frame);
/* A title of the older API, by its index: CATALOG_NAME, or CATALOG_DESCRIPTION for its help text. */
void catalog_learn_title(struct server *server, uint32_t index, enum catalog_text_kind kind, uint32_t lcid,
    const char *text, uint32_t frame);
/* Whether this is the server's first buffer of strings with offsets from its start. */
bool catalog_learn_from_start(struct server *server);

/*
 * The machine sent a value of size bytes for this counter. Its width tells whether a type may be borrowed from another
 * machine. First pass only.
 */
void catalog_learn_width(struct server *server, const e_guid_t *guid, uint32_t id, unsigned size);

/* ---- catalog-lookup.c ---- */

/* Looking up; server may be NULL (then only the tables are asked). */
struct catalog_text catalog_counterset_name(const struct server *server, const e_guid_t *guid, uint32_t frame);
/* false where nothing at all is known of the counter; *out is then empty. */
bool catalog_counter(const struct server *server, const e_guid_t *guid, uint32_t id, uint32_t frame,
    struct catalog_counter *out);
/*
 * The same without what other machines lend: for rules and for guesses which block is which, as these must not judge a
 * machine by what another one said.
 */
bool catalog_counter_own(const struct server *server, const e_guid_t *guid, uint32_t id, uint32_t frame,
    struct catalog_counter *out);
/* The same as catalog_counter() as far as its name goes. */
struct catalog_text catalog_counter_name(const struct server *server, const e_guid_t *guid, uint32_t id,
    uint32_t frame);
/* The same for a person: "counter 5" where it has no name; in scope. */
const char *catalog_counter_text(wmem_allocator_t *scope, const struct server *server, const e_guid_t *guid,
    uint32_t id, uint32_t frame);
/*
 * The same of the twin-th counter of the id, where it stands among all of the set. Of one that was not taught nothing
 * is known.
 */
bool catalog_counter_twin(const struct server *server, const e_guid_t *guid, uint32_t id, unsigned twin, uint32_t frame,
    struct catalog_counter *out);
/* A source in a word, for tables and items: "table", "map-other-name". own: the word for the machine itself. */
const char *catalog_source_word(enum catalog_source source, const char *own);
/* How many counters of a set are known to have this id: 1 nearly always, 0 where none is known. */
unsigned catalog_counter_twins(const struct server *server, const e_guid_t *guid, uint32_t id);
/* The name of the instance with this id; not known where ids are not unique. */
struct catalog_text catalog_instance_name(const struct server *server, const e_guid_t *guid, uint32_t id);
/* The name of the provider with this GUID. */
struct catalog_text catalog_provider_name(const struct server *server, const e_guid_t *provider, uint32_t frame);
/* A title of the older API: as its clients read it, in English, where the preference says no other. */
struct catalog_text catalog_title(const struct server *server, uint32_t index, enum catalog_text_kind kind,
    uint32_t frame);
/* NULL where no answer taught it, or answers differ: what held at the time can't be told then. */
const struct counterset *catalog_counterset(const struct server *server, const e_guid_t *guid);
/* Whether the set is known to have several named instances (2 or 6 of 2.2.4.1). */
bool catalog_counterset_has_instances(const struct server *server, const e_guid_t *guid);
/* The frame in which the server last said that there is no such set, before another; 0: none, or it may have one. */
uint32_t catalog_counterset_lacked(const struct server *server, const e_guid_t *guid, uint32_t frame);
/*
 * Whether the capture taught all counters of the set (request code 1), so that an id not among them is not of the
 * set.
 */
bool catalog_counterset_is_complete(const struct server *server, const e_guid_t *guid);
/*
 * Whether the counters that a set had in a frame are known: they were listed before, and no answer is missing that may
 * have said that there are others now.
 */
bool catalog_counterset_is_settled(const struct server *server, const e_guid_t *guid, uint32_t frame);

/* ---- catalog.c ---- */

/* Rises with everything learned: what was made of names earlier may then be out of date. */
unsigned catalog_version(void);

/* ---- catalog-lookup.c ---- */

/* The same as long as all names that a server's values go by in a frame are: for caches of what is made of them. */
uint64_t catalog_version_in(const struct server *server, uint32_t frame);

/* ---- catalog.c ---- */

/* For counters/server.c: makes an empty catalog of one machine, or one that several share; file scope. */
struct catalog *catalog_new(void);
/* only_listed: it takes in nothing of a counterset before a machine has listed all its counters. */
struct catalog *catalog_new_shared(bool only_listed);
/* Adds all that a catalog holds to another one; to a shared one only what machines may borrow. */
void catalog_absorb(struct catalog *catalog, const struct catalog *other);

/* Countersets and counters known without a capture: the user's table and the built-in one */

/* ---- catalog-table.c ---- */

/* Adds the table "PerflibV2 known counters" to the protocol's preferences. */
void catalog_table_register(module_t *module);

/* ---- catalog-table.c ---- */

/* The name of a counterset; without text where neither table has it. The user's table goes first. */
struct catalog_text catalog_table_counterset_name(const e_guid_t *guid);
/* false where neither table has the counter. out->name.frame is 0. */
bool catalog_table_counter(const e_guid_t *guid, uint32_t id, unsigned twin, struct catalog_counter *out);
/* How many counters of a set have this id. The table says so by records of one id that follow each other. */
unsigned catalog_table_twins(const e_guid_t *guid, uint32_t id);

/*
 * Writes one record in the format of the user's table. counter NULL: the counterset alone. Rises with
 * each change of the user's table: catalog_table_version().
 */
void catalog_table_write_record(FILE *file, const e_guid_t *guid, const char *set_name, uint32_t id,
    const struct catalog_counter *counter);
unsigned catalog_table_version(void);

#endif /* PERFLIB_COUNTERS_CATALOG_H */
