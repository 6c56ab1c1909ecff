/* catalog-entries.h
 * Internals of a catalog, shared by catalog*.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_CATALOG_ENTRIES_H
#define PERFLIB_COUNTERS_CATALOG_ENTRIES_H

#include "counters/catalog.h"

/*
 * Values that change during the capture: an array of entries of equal size. Each begins with its .frame, by which the
 * entries are ordered; in a shared catalog this is a sequence number.
 */
struct timeline {
    void *entries;
    unsigned count;
};

struct text_entry {
    uint32_t frame;
    uint32_t taught_in; /* frame of the answer that contained the text, also in a shared catalog */
    const char *text;
    const struct catalog *teacher; /* shared catalog: the only machine that sent this text; NULL: several did */
};

struct info_entry {
    uint32_t frame;
    struct catalog_counter info;
    const struct catalog *teacher; /* shared catalog: the only machine that sent this type; NULL: several did */
};

/*
 * One name of a counterset, counter or title in one language; element of a list. Only languages that may be shown are
 * kept, since requests may contain any of billions of LCIDs.
 */
struct name {
    struct name *next;
    enum catalog_text_kind kind;
    uint32_t lcid;
    struct timeline texts; /* entries: struct text_entry */
};

struct counter_entry {
    uint32_t id;
    struct counter_entry *next_same_id; /* next counter of the same id; NULL: none */
    struct name *names;
    struct timeline infos; /* entries: struct info_entry */
    bool type_changed;
    unsigned listings; /* shared catalog: number of machines that listed this id in the counterset */
};

/* Size of a value in its block, in bytes */
enum {
    WIDTH_4 = 1,
    WIDTH_8 = 2,
    WIDTH_OTHER = 4,
};

struct counterset_entry;

/* Cached result: whether the sizes of a machine's values fit the types in a counterset from another machine */
struct fit {
    const struct counterset_entry *lent;
    unsigned lent_version;
    unsigned num_compared; /* number of elements of .latest_widths that were compared with the types in .lent so far */
    bool is_good;
};

struct counterset_entry {
    e_guid_t guid;
    bool is_shared; /* belongs to a catalog that several machines share */
    struct name *names;
    uint32_t listed_in;      /* frame of the first answer that listed all counters; 0: none */
    uint32_t listed_last_in; /* frame of the latest answer that listed all counters; 0: none */
    /* frame of the latest answer that the counterset does not exist; 0: none, or the set was listed later */
    uint32_t lacked_in;
    unsigned asked, answered; /* number of requests for the list of counters, and of answers to them */
    bool has_info;            /* true if `info` is valid */
    bool has_changed;         /* true if a later answer differed from `info` */
    struct counterset info;   /* type and number of counters by the first answer */
    wmem_map_t *counters;     /* counter id -> struct counter_entry */
    /* instance id -> struct catalog_text, without text if the id has several names; NULL: none */
    wmem_map_t *instances;
    bool has_provider;
    e_guid_t provider;
    struct timeline provider_name; /* entries: struct text_entry */
    unsigned listings;             /* shared catalog: number of machines that listed the counterset */
    unsigned version;              /* incremented when an id, a type or a list is learned */
    wmem_map_t *widths;            /* counter id -> WIDTH_* of the values that the machine sent; NULL: none */
    wmem_array_t *latest_widths;   /* counter ids (uint32_t) in .widths, in the order of learning; NULL: none */
    struct fit fits[SERVER_MAX_LENDERS + 2]; /* latest comparisons with the sets of other machines */
};

struct title_entry {
    struct name *names, *help;
};

struct catalog {
    wmem_map_t *countersets; /* e_guid_t -> struct counterset_entry */
    /* GUID of a provider -> the latest struct counterset_entry that has the provider's name */
    wmem_map_t *providers;
    wmem_map_t *titles;      /* title index -> struct title_entry */
    struct timeline changes; /* frames in which a name changed; entries: uint32_t */
    /* true if string offsets in a list of counter names counted from the start of lpData, not the end of the headers */
    bool has_from_start;
    bool is_shared;     /* true: answers of several machines; where these differ, a timeline has an entry for each */
    bool titles_differ; /* shared catalog: true if machines sent different titles for a title index */
    bool titles_agree;  /* shared catalog: true if several machines sent the same title for a title index */
    /*
     * shared catalog: true if it stores no titles, and a machine's counterset only if that machine listed all its
     * counters
     */
    bool only_listed;
    uint32_t sequence;             /* shared catalog: latest number used as .frame of a timeline's entry */
    const struct catalog *teacher; /* shared catalog: catalog of the machine whose answer is being stored */
};

/* ---- catalog.c ---- */

/* Returns the last entry of a timeline up to a frame, else the first; NULL if it is empty. size: bytes per entry. */
const void *timeline_in(const struct timeline *line, size_t size, uint32_t frame);
/* Returns the number of entries up to and including a frame. */
unsigned timeline_count(const struct timeline *line, size_t size, uint32_t frame);

/*
 * Returns the name to show from several lists of names: in the language of the preference; else, as perfmon does, in
 * the server's default language, in the first language requested, or in English. Lists may be NULL.
 */
struct catalog_text catalog_best_name(const struct name *const *lists, unsigned count, uint32_t frame);
/*
 * Returns the title of the older API to show: in the language of the preference, else in English, for which clients of
 * that API nearly always ask, else in any language.
 */
struct catalog_text catalog_best_title(const struct name *const *lists, unsigned count, uint32_t frame);

#endif /* PERFLIB_COUNTERS_CATALOG_ENTRIES_H */
