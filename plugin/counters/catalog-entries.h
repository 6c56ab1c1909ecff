/* catalog-entries.h
 * How a catalog is kept: what the files catalog*.c know of each other
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_CATALOG_ENTRIES_H
#define PERFLIB_COUNTERS_CATALOG_ENTRIES_H

#include "counters/catalog.h"

/* What changes with time: entries of one size, by frame, which each of them begins with. */
struct timeline {
    void *entries;
    unsigned count;
};

struct text_entry {
    uint32_t frame;
    uint32_t taught_in; /* the same, but in a shared catalog, whose entries are numbered in the order of arrival */
    const char *text;
};

struct info_entry {
    uint32_t frame;
    struct catalog_counter info;
};

/*
 * A name in a language, and the next one's: of a counterset, a counter or a title, in the order of their languages. A
 * server may be asked in as many languages as there are numbers; only those that may be shown are kept.
 */
struct name {
    struct name *next;
    enum catalog_text_kind kind;
    uint32_t lcid;
    struct timeline texts; /* of struct text_entry */
};

struct counter_entry {
    uint32_t id;
    struct counter_entry *next_twin; /* of the same id; NULL: none */
    struct name *names;
    struct timeline infos; /* of struct info_entry */
    bool type_changed;
    unsigned listings; /* in a shared catalog: lists of the set that have this id */
};

/* The bytes that a value has in its block. */
enum {
    WIDTH_4 = 1,
    WIDTH_8 = 2,
    WIDTH_OTHER = 4,
};

struct counterset_entry;

/* Whether the values that a machine sent can be those of a set that another machine taught. */
struct fit {
    const struct counterset_entry *lent;
    unsigned lent_version, widths_version;
    bool is_good;
};

struct counterset_entry {
    e_guid_t guid;
    bool is_shared; /* of a shared catalog */
    struct name *names;
    uint32_t listed_in; /* frame of the first answer with all its counters; 0: none */
    uint32_t lacked_in; /* frame of the latest answer that there is no such set; 0: none, or it was listed later */
    unsigned asked, answered; /* how often a client asked for them, and was answered */
    bool is_told, has_changed;
    struct counterset told;
    wmem_map_t *counters;  /* id -> struct counter_entry */
    wmem_map_t *instances; /* id -> struct catalog_text, without text where the id has several names; NULL: none */
    bool has_provider;
    e_guid_t provider;
    struct timeline provider_name; /* of struct text_entry */
    unsigned listings;             /* in a shared catalog: machines that listed the set */
    unsigned version;              /* rises with all that is learned of its names and counters */
    wmem_map_t *widths;            /* counter id -> WIDTH_* of the values that the machine sent; NULL: none */
    unsigned widths_version;
    struct fit fits[2]; /* the latest sets that were compared with its widths */
};

struct title_entry {
    struct name *names, *help;
};

struct catalog {
    wmem_map_t *countersets; /* e_guid_t -> struct counterset_entry */
    /* e_guid_t -> struct counterset_entry, the latest whose provider's name is known, too */
    wmem_map_t *providers;
    wmem_map_t *titles;      /* index -> struct title_entry */
    struct timeline changes; /* frames in which something got another name; of uint32_t */
    bool has_from_start;     /* offsets of its strings count from the start of the buffer */
    bool is_shared;          /* of several machines: what they disagree on has several entries in its timeline */
    bool only_listed;        /* ... and only what was listed is in it */
    uint32_t sequence;       /* ... the number of its latest entry */
};

/* ---- catalog.c ---- */

extern const struct catalog_counter catalog_unknown_counter;

/* The last entry of a timeline up to a frame, else the first; NULL if there is none. size: of an entry. */
const void *timeline_in(const struct timeline *line, size_t size, uint32_t frame);
/* Number of entries up to a frame. */
unsigned timeline_count(const struct timeline *line, size_t size, uint32_t frame);

/*
 * Returns the name to show of several lists of names, in the language that the user prefers; else as perfmon would, in
 * the server's default language, else in the first language asked for, else in English. Entries of lists may be NULL.
 */
struct catalog_text catalog_best_name(const struct name *const *lists, unsigned count, uint32_t frame);
/* The same of titles of the older API, whose clients nearly always ask for the English ones. */
struct catalog_text catalog_best_title(const struct name *const *lists, unsigned count, uint32_t frame);

#endif /* PERFLIB_COUNTERS_CATALOG_ENTRIES_H */
