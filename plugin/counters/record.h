/* record.h
 * What the dissectors hand to statistics: one record a poll, the same for PerflibV2
 * and for the older API, so that one set of tables serves both
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_RECORD_H
#define PERFLIB_COUNTERS_RECORD_H

#include <stdio.h>

#include <epan/packet.h>

#include "cook/cooking.h"

/* One value of a poll. Made only while some listener is there to read it. */
struct perf_tap_sample {
    const void *identity; /* what it is a value of: the same for all values of one counter of the capture; file scope */
    const char *path;     /* its label, a counter path; file scope */
    size_t set_length;    /* of the path's beginning, "\\\\HOST\\Counterset", which may hold what parts others */
    const char *text;     /* a text counter's text (packet scope), else NULL */
    uint64_t raw;
    bool is_other;             /* the data is no number of 4 or 8 bytes: raw says nothing */
    struct cook_result cooked; /* .reason tells whether there is a value */
    unsigned num_aggregated;   /* instances it was made of, of which .raw says nothing; 0: it is a value as sent */
    uint32_t place[3];         /* for .tell; [0] is the same for values of one counterset that follow each other */
};

/* What a value is the value of, and what it was cooked with. Texts are packet scope. */
struct perf_tap_origin {
    const char *set;      /* counterset or object */
    const char *set_id;   /* its GUID or title index */
    const char *instance; /* as in the path, parent and number included; NULL: none */
    bool has_instance_id;
    uint32_t instance_id;
    const char *counter;
    uint32_t counter_id;  /* or its title index */
    const char *known_by; /* how it is known what the value is of and is called, in a word; constant */
    bool has_type;
    uint32_t type;
    bool has_base;
    uint64_t base;           /* raw value of the base counter in the same poll */
    uint32_t previous_frame; /* of the poll the value is compared with; 0: none */
    double interval;         /* seconds since that one */
};

struct perf_tap_poll {
    const char *host;  /* the HOST of the paths; file scope */
    const char *query; /* which series of polls: the number of the query, or the value's name; packet scope */
    /* Looked up for those who ask, as few do. */
    void (
        *tell)(const struct perf_tap_poll *poll, const struct perf_tap_sample *sample, struct perf_tap_origin *origin);
    void *source;       /* for .tell alone */
    nstime_t time;      /* PerfTime100NSec, UTC */
    uint32_t bytes;     /* of the stubs of request and answer; of the buffer, where it is one of several in an answer */
    double seconds;     /* the answer took; 0: not known, or of several answers in one */
    const char *needed; /* no poll but a sealed PDU without a key: which one is needed; file scope. Else NULL */
    unsigned num_samples;
    const struct perf_tap_sample *samples; /* packet scope */
};

/* What became of something a client asked for. Texts are packet scope or live longer. */
enum perf_tap_missing_kind {
    MISSING_ASKED,    /* a request; where no answer follows, .why */
    MISSING_ACCEPTED, /* what the request asked for is to come; .why NULL */
    MISSING_RECEIVED, /* .why NULL */
    MISSING_REFUSED   /* an answer without it */
};
struct perf_tap_missing_item {
    enum perf_tap_missing_kind kind;
    const char *what; /* a counter path, or a call */
    const char *why;  /* in words */
    uint32_t pdh;     /* PDH's code for it; 0: none */
};
/* Queued to the taps "perflibv2_missing" and "perfdata_missing", one a PDU. */
struct perf_tap_missing {
    const char *host;   /* the server */
    const char *needed; /* of a sealed PDU without a key: which one is needed; nothing else is set. Else NULL */
    unsigned num_items;
    const struct perf_tap_missing_item *items;
    const struct perf_tap_poll *values; /* each was received, or has a reason; NULL: it brought none */
};

/* A text in which two that differ in case alone are one. To be freed with g_free(). */
char *counter_path_fold(const char *text);

/* An entry of the user's watch list. */
struct perf_watch {
    const char *name, *pattern;
    bool is_in_use; /* false: an earlier entry has the name */
};

/* How many entries there are, and the index-th of them; texts stay until the list changes. */
unsigned perf_watch_count(void);
struct perf_watch perf_watch_entry(unsigned index);
/*
 * Puts an entry on the list, for good. NULL: it is there, or was already; else why it can't be, to be freed with
 * g_free().
 */
char *perf_watch_add(const char *name, const char *pattern);
/* Whether an entry in use matches a counter path. */
bool perf_watch_matches(unsigned index, const char *path);

/*
 * Writes what the capture taught to file, a record per counterset and counter in the format of the user's
 * table (catalog-table.c). Whether it could be written the file's error indicator tells.
 */
void catalog_write(FILE *file);

#endif /* PERFLIB_COUNTERS_RECORD_H */
