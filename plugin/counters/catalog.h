/* catalog.h
 * Catalog: names, descriptions, types and related counters of countersets and counters
 *
 * Per server, learned from the capture. The user's table, a small built-in table and other machines fill gaps (enum
 * catalog_source). Independent of packets and trees.
 *
 * A server's answers may change during the capture: a provider registers anew, or lists of names are read again.
 * Look-ups therefore have a frame. They return what was learned last up to that frame, else what was learned first
 * after it. CATALOG_NOW: the latest.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_CATALOG_H
#define PERFLIB_COUNTERS_CATALOG_H

#include "compat.h"

#include <epan/prefs.h>

#include "cook/counter-types.h"
#include "counters/server.h"

#define CATALOG_NOW UINT32_MAX

/* A text and its origin */
struct catalog_text {
    const char *text; /* NULL: not known */
    uint32_t frame;
    enum catalog_source source;
};

/* Maximum number of counters with the same id in a counterset that are told apart */
#define CATALOG_MAX_SAME_ID 16

/* One counter. Ids of related counters are PERF_ID_NONE if there is none. */
struct catalog_counter {
    struct catalog_text name;
    bool has_same_id;  /* another counter of the set has the same id, so the type may be that counter's */
    bool type_changed; /* the capture has different types for the counter, one after another */
    bool type_known;
    enum catalog_source source; /* source of the type and of all members below */
    uint32_t taught_in;         /* frame of the answer that listed the counter; 0: none */
    uint32_t type;
    uint32_t base_id, perf_time_id, perf_freq_id, multi_id;
    uint32_t aggregate; /* AggregateFunc; 0: undefined */
    uint64_t attrib;
};

/* A counter without a known name or type */
extern const struct catalog_counter catalog_unknown_counter;

/* Returns whether two counters are computed and shown alike: same type, related counters, Attrib and AggregateFunc. */
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

/* InstanceType of a counterset, and number of its counters */
struct counterset {
    uint32_t instance_type;
    uint32_t num_counters;
};

/* Kinds of text in answers to request codes 3 to 7, 9 and 10 ([MS-PCQ] 3.1.4.1.2) */
enum catalog_text_kind {
    CATALOG_NAME,
    CATALOG_DESCRIPTION,
    CATALOG_ENGLISH_NAME,
};

/* Registers the preference for the language of names. Call it once, at start. */
void catalog_register(module_t *module);

/*
 * Store what an answer contains; first pass only. frame: the answer's frame. Texts are copied. A text replaces an
 * earlier one in the same language from its frame on.
 */
/* Counts a request for the list of counters of a counterset or, if is_answer, an answer to such a request. */
void catalog_learn_asked(struct server *server, const e_guid_t *guid, bool is_answer);
/* Notes that the answer in frame listed all counters of the set. */
void catalog_learn_listed(struct server *server, const e_guid_t *guid, uint32_t frame);
/* Notes that, according to the answer in frame, the counterset does not exist. */
void catalog_learn_lacking(struct server *server, const e_guid_t *guid, uint32_t frame);
void catalog_learn_counterset(struct server *server, const e_guid_t *guid, const struct counterset *counterset);
void catalog_learn_counterset_text(struct server *server, const e_guid_t *guid, enum catalog_text_kind kind,
    uint32_t lcid, const char *text, uint32_t frame);
void catalog_learn_provider(struct server *server, const e_guid_t *guid, const char *name, const e_guid_t *provider,
    uint32_t frame);
/*
 * Notes the type and related ids of a counter; info->name is ignored. nth: number of earlier counters with the same id
 * in the set's list, nearly always 0 (some of Windows' countersets have two).
 */
void catalog_learn_counter(struct server *server, const e_guid_t *guid, uint32_t id, unsigned nth,
    const struct catalog_counter *info, uint32_t frame);
void catalog_learn_counter_text(struct server *server, const e_guid_t *guid, uint32_t id, unsigned nth,
    enum catalog_text_kind kind, uint32_t lcid, const char *text, uint32_t frame);
/* Notes the name of an instance. An id with several names counts as unnamed. */
void catalog_learn_instance(struct server *server, const e_guid_t *guid, uint32_t id, const char *name, uint32_t frame);
/* Notes a title of the older API: CATALOG_NAME, or CATALOG_DESCRIPTION for the help text. */
void catalog_learn_title(struct server *server, uint32_t index, enum catalog_text_kind kind, uint32_t lcid,
    const char *text, uint32_t frame);
/*
 * Notes that string offsets in a list of counter names or descriptions count from the start of lpData, not from the end
 * of the headers. Returns whether it is the machine's first such list.
 */
bool catalog_learn_from_start(struct server *server);

/*
 * Notes that the machine sent a value of size bytes for the counter. If the type is unknown, only a type with that size
 * is taken from another machine. First pass only.
 */
void catalog_learn_width(struct server *server, const e_guid_t *guid, uint32_t id, unsigned size);

/* ---- catalog-lookup.c ---- */

/* Look-ups. If server is NULL, only the user's and the built-in table are used. */
struct catalog_text catalog_counterset_name(const struct server *server, const e_guid_t *guid, uint32_t frame);
/*
 * Looks up a counter. nth: number of earlier counters with the same id in the set. Returns false if nothing is known
 * about the counter, or if the capture lists fewer counters with this id.
 */
bool catalog_counter(const struct server *server, const e_guid_t *guid, uint32_t id, unsigned nth, uint32_t frame,
    struct catalog_counter *out);
/*
 * Like catalog_counter(), but ignores other machines' answers. For rules, and to infer which counter a block contains:
 * answers of one machine prove nothing about another.
 */
bool catalog_counter_own(const struct server *server, const e_guid_t *guid, uint32_t id, uint32_t frame,
    struct catalog_counter *out);
/* Looks up the name of a counter, as catalog_counter() does. */
struct catalog_text catalog_counter_name(const struct server *server, const e_guid_t *guid, uint32_t id,
    uint32_t frame);
/* Returns the name of a counter for the user, or "counter 5" if there is none. In scope. */
const char *catalog_counter_text(wmem_allocator_t *scope, const struct server *server, const e_guid_t *guid,
    uint32_t id, uint32_t frame);
/*
 * Returns a word for the source of a name or type, for example "table" for the user's table. own: the word for names
 * and types from the machine itself.
 */
const char *catalog_source_word(enum catalog_source source, const char *own);
/* Returns the number of known counters of a set with this id: nearly always 1; 0 if none is known. */
unsigned catalog_same_id_count(const struct server *server, const e_guid_t *guid, uint32_t id);
/* Returns the name of an instance; without text if the id has several names. */
struct catalog_text catalog_instance_name(const struct server *server, const e_guid_t *guid, uint32_t id);
struct catalog_text catalog_provider_name(const struct server *server, const e_guid_t *provider, uint32_t frame);
/* Returns a title of the older API, in English unless the preference names a language. */
struct catalog_text catalog_title(const struct server *server, uint32_t index, enum catalog_text_kind kind,
    uint32_t frame);
/*
 * Returns the InstanceType and number of counters of a counterset, or NULL if no answer contained them or answers
 * differ.
 */
const struct counterset *catalog_counterset(const struct server *server, const e_guid_t *guid);
/* Returns whether the set is known to have several named instances (InstanceType 2 or 6, [MS-PCQ] 2.2.4.1). */
bool catalog_counterset_has_instances(const struct server *server, const e_guid_t *guid);
/*
 * Returns the frame of the latest answer that the counterset does not exist, if before `frame`; 0 if there is none, if
 * the counterset was listed since, or if the capture lacks an answer to a request for its counters.
 */
uint32_t catalog_counterset_lacked(const struct server *server, const e_guid_t *guid, uint32_t frame);
/*
 * Returns whether the set's counters in a frame are certain: they were listed before, and no answer is missing that
 * might have listed others.
 */
bool catalog_counterset_is_settled(const struct server *server, const e_guid_t *guid, uint32_t frame);
/*
 * Returns whether the first or the latest answer that listed all counters of the set (request code 1) is in frame
 * `from` or later, but before `until`. 1 and CATALOG_NOW: in any frame. If so, other ids do not belong to the set.
 */
bool catalog_counterset_is_listed_in(const struct server *server, const e_guid_t *guid, uint32_t from, uint32_t until);

/* ---- catalog.c ---- */

/*
 * Number that changes whenever names, types or the contents of blocks (QueryCounterInfo) are learned, or servers get
 * names. Invalidates caches.
 */
extern unsigned catalog_version;

/* ---- catalog-lookup.c ---- */

/* Returns a number that is equal for two frames if the server's names are equal in both: a key for caches. */
uint64_t catalog_version_in(const struct server *server, uint32_t frame);

/* ---- catalog.c ---- */

/*
 * Returns an empty catalog, in file scope, of one machine or, if is_shared, of several. only_listed: the catalog
 * ignores countersets of which no machine listed all counters. For counters/server.c.
 */
struct catalog *catalog_new(bool is_shared, bool only_listed);
/*
 * Copies the contents of `other` to `catalog`. A shared catalog gets only names, titles and lists of counters, not what
 * is true for one machine only, such as instances.
 */
void catalog_absorb(struct catalog *catalog, const struct catalog *other);

/* The user's table and the built-in table of countersets and counters */

/* ---- catalog-table.c ---- */

/* Adds the table "PerflibV2 known counters" to the protocol's preferences. */
void catalog_table_register(module_t *module);

/*
 * Returns the name of a counterset from the user's table, else from the built-in one; no text if neither table has one.
 */
struct catalog_text catalog_table_counterset_name(const e_guid_t *guid);
/*
 * Looks up a counter in the user's table, then in the built-in one. Returns false if neither table contains the
 * counter. Sets out->name.frame to 0: no frame.
 */
bool catalog_table_counter(const e_guid_t *guid, uint32_t id, unsigned nth, struct catalog_counter *out);
/* Returns the number of counters of a set with this id. The user's table lists them as adjacent records. */
unsigned catalog_table_same_id_count(const e_guid_t *guid, uint32_t id);

/* Writes one record in the format of the user's table; counter NULL writes the counterset alone. */
void catalog_table_write_record(FILE *file, const e_guid_t *guid, const char *set_name, uint32_t id,
    const struct catalog_counter *counter);

#endif /* PERFLIB_COUNTERS_CATALOG_H */
