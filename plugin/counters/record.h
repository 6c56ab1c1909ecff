/* record.h
 * What the dissectors hand to statistics: one record a poll, the same for PerflibV2
 * and for the older API, so that one set of tables serves both
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_RECORD_H
#define PERFLIB_COUNTERS_RECORD_H

#include "compat.h"

#include <stdio.h>

#include <epan/packet.h>

#include "base/key-needed.h"
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
    bool has_counter_id;
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
    void *source;    /* for .tell alone */
    nstime_t time;   /* PerfTime100NSec, UTC */
    uint32_t bytes;  /* of the stubs of request and answer; of the buffer, where it is one of several in an answer */
    uint32_t wasted; /* bytes of the calls before it whose buffer was too small */
    double seconds;  /* the answer took; 0: not known, or of several answers in one */
    const struct key_needed
        *needed; /* no poll but a sealed PDU without a key: which one is needed; file scope. Else NULL */
    unsigned num_samples;
    const struct perf_tap_sample *samples; /* packet scope */
};

/* Something a client asked for. Texts are packet scope or live longer. */
enum perf_tap_asked_kind { ASKED_COUNTER, ASKED_OBJECT, ASKED_CALL, ASKED_BLOCKS, NUM_ASKED_KINDS };
struct perf_tap_asked {
    enum perf_tap_asked_kind kind;
    const char *text; /* a counter path, or a call; the same for all that is the same */
    /* Of counters and objects, as struct perf_tap_origin has them; NULL: all of them, or not known. */
    const char *set, *set_id, *instance, *counter;
    bool has_counter_id;
    uint32_t counter_id;
};

/* Why something was not received. */
enum perf_tap_why_code {
    WHY_RECEIVED, /* it was */
    WHY_NO_VALUE, /* it has no cooked value: .status is an enum cook_reason */
    WHY_ERROR,    /* the call, or the identifier, was answered with an error: .status is of Win32 */
    WHY_BLOCK_ERROR,
    WHY_FAULT,              /* .status is the fault's, */
    WHY_FAULT_NOT_CAPTURED, /* ... which was not captured */
    WHY_NO_ANSWER,          /* no answer is there: the server, the client or the capture may have lost it */
    WHY_RETURN_CODE_NOT_CAPTURED,
    WHY_NO_RETURN_CODE,
    WHY_BLOCKS_NOT_CAPTURED, /* .have of .expected */
    WHY_FEWER_BLOCKS,        /* .have blocks for .expected identifiers */
    WHY_NO_OBJECT,           /* the answer does not have it */
    WHY_NO_INSTANCES,        /* the answer has it, with no instance */
    WHY_REFUSED_BY_PDH,      /* other polls have a value; .status is an enum cook_reason */
    NUM_WHY_CODES
};
struct perf_tap_why {
    enum perf_tap_why_code code;
    uint32_t status;
    unsigned have, expected;
};

/* ---- missing.c ---- */

/* A reason in words. In scope, or constant. */
const char *perf_tap_why_text(wmem_allocator_t *scope, const struct perf_tap_why *why);
/* What a reason is called in files, "no_answer": a promise to programs. Constant. */
const char *perf_tap_why_name(const struct perf_tap_why *why);

/* What became of something a client asked for. */
enum perf_tap_missing_kind {
    MISSING_ASKED,    /* a request; where no answer follows, .why */
    MISSING_ACCEPTED, /* what the request asked for is to come */
    MISSING_RECEIVED,
    MISSING_REFUSED /* an answer without it */
};
struct perf_tap_missing_item {
    enum perf_tap_missing_kind kind;
    struct perf_tap_asked what;
    struct perf_tap_why why;
    uint32_t pdh; /* PDH's code for it; 0: none */
};
/* Queued to the taps "perflibv2_missing" and "perfdata_missing", one a PDU. */
struct perf_tap_missing {
    const char *host; /* the server */
    const struct key_needed
        *needed; /* of a sealed PDU without a key: which one is needed; nothing else is set. Else NULL */
    unsigned num_items;
    const struct perf_tap_missing_item *items;
    const struct perf_tap_poll *values; /* each was received, or has a reason; NULL: it brought none */
};

/* ---- path.c ---- */

/* A text in which two that differ in case alone are one. To be freed with g_free(). */
char *counter_path_fold(const char *text);

/* An entry of the user's watch list. */
struct perf_watch {
    const char *name, *pattern;
    bool is_in_use; /* false: an earlier entry has the name */
};

/* ---- watch.c ---- */

/* How many entries there are, and the index-th of them; texts stay until the list changes. */
unsigned perf_watch_count(void);
struct perf_watch perf_watch_entry(unsigned index);
/*
 * Puts an entry on the list, for good. NULL: it is there, or was already; else why it can't be, to be freed with
 * g_free().
 */
char *perf_watch_add(const char *name, const char *pattern);
/*
 * What matches a folded path, where it is that of a counter asked for: "*" and "?" stand for any letters, what begins
 * with one backslash is a counter of any machine. To be freed with g_pattern_spec_free().
 */
GPatternSpec *perf_pattern_new(const char *pattern);
/* Whether an entry in use matches a counter path. */
bool perf_watch_matches(unsigned index, const char *path);

/* ---- catalog-write.c ---- */

/*
 * Writes what the capture taught to file, a record per counterset and counter in the format of the user's
 * table (catalog-table.c). Whether it could be written the file's error indicator tells.
 */
void catalog_write(FILE *file);

#endif /* PERFLIB_COUNTERS_RECORD_H */
