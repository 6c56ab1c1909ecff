/* record.h
 * Records that the dissectors queue to statistics: one per poll, the same for PerflibV2 and the older API, so that
 * the same tables show both
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_RECORD_H
#define PERFLIB_COUNTERS_RECORD_H

#include "compat.h"

#include "base/key-needed.h"
#include "cook/cooking.h"

/* One value of a poll. Made only if a tap has listeners. */
struct perf_tap_value {
    const void *identity; /* key of the counter, the same for all its values in the capture; file scope */
    const char *path;     /* counter path; file scope */
    /* length of the path's beginning "\\\\HOST\\Counterset", whose names may contain separators */
    size_t set_length;
    const char *text; /* text of a text counter in packet scope, else NULL */
    uint64_t raw;
    bool is_other;             /* not a number of 4 or 8 bytes: .raw is unused */
    struct cook_result cooked; /* .reason is COOK_OK if there is a value */
    /* number of instances combined into the value (.raw is then unused); 0: a value as sent */
    unsigned num_aggregated;
    /* [0]: the value's block. [1]: its index in the block or, if instances are combined, that of its column */
    uint32_t place[3];
};

/* Details about a value's counter and how it was cooked. Texts are packet scope. */
struct perf_tap_origin {
    const char *set;      /* counterset or object */
    const char *set_id;   /* GUID or title index of the counterset */
    const char *instance; /* instance as in the path, with parent and number; NULL: none */
    bool has_instance_id;
    uint32_t instance_id;
    const char *counter;
    bool has_counter_id;
    uint32_t counter_id;  /* id or title index of the counter */
    const char *known_by; /* source of the names of counterset and counter as one word; constant */
    bool has_type;
    uint32_t type;
    bool has_base;
    uint64_t base;           /* raw value of the base counter in the same poll */
    uint32_t previous_frame; /* frame of the previous poll; 0: none */
    double interval;         /* seconds since the previous poll */
};

struct perf_tap_poll {
    const char *host;  /* HOST of the paths; file scope */
    bool is_passed_on; /* the server passes on data of another machine, .host, so it has another name */
    /* series that the poll belongs to: number of the query, or name of the registry value; packet scope */
    const char *query;
    /* Looks up details about a value; a callback, since few listeners need them. */
    void (*tell)(const struct perf_tap_poll *poll, const struct perf_tap_value *value, struct perf_tap_origin *origin);
    void *source;  /* argument for .tell */
    nstime_t time; /* PerfTime100NSec, UTC */
    /* size of the stubs of request and answer; if an answer holds several polls, size of this poll's block */
    uint32_t bytes;
    uint32_t wasted; /* bytes of earlier calls whose buffer was too small */
    double seconds;  /* response time; 0: unknown, or the answer holds several polls */
    /* for a PDU that was not decrypted, so is no poll: the key needed, in file scope; else NULL */
    const struct key_needed *needed;
    unsigned num_values;
    const struct perf_tap_value *values; /* packet scope */
    const bool *wrong_blocks; /* for each block in the poll's order, whether it violates a rule; NULL: none does */
};

/* A counter, an object, a call, or the blocks of a query that a client asked for. Texts are packet scope or longer. */
enum perf_tap_asked_kind { ASKED_COUNTER, ASKED_OBJECT, ASKED_CALL, ASKED_BLOCKS, NUM_ASKED_KINDS };
struct perf_tap_asked {
    enum perf_tap_asked_kind kind;
    const char *text; /* counter path, or the call; equal for equal requests */
    /* Parts of counters and objects, as in struct perf_tap_origin; NULL: all of them, or not known */
    const char *set, *set_id, *instance, *counter;
    bool has_counter_id;
    uint32_t counter_id;
};

/*
 * X(code, name in files, text): why something was not received. The text is NULL if it is made of .status or of counts.
 */
/* clang-format off */
#define WHY_CODES(X) \
    X(WHY_RECEIVED, "", "") /* received, so nothing is missing */ \
    X(WHY_NO_VALUE, "no_value", NULL) /* no cooked value: .status is an enum cook_reason */ \
    X(WHY_ERROR, "error", NULL) /* error for the call or the identifier: .status is a Win32 code */ \
    X(WHY_BLOCK_ERROR, "block_error", NULL) \
    X(WHY_FAULT, "fault", NULL) /* RPC fault: .status is its status */ \
    X(WHY_FAULT_NOT_CAPTURED, "fault_not_captured", "fault not captured") /* RPC fault without its status */ \
    X(WHY_NO_ANSWER, "no_answer", "no complete answer in the capture") /* not sent, or not captured */ \
    X(WHY_OPEN, "open", "no complete answer yet") /* the capture ends soon after the request */ \
    X(WHY_REST_NOT_READ, "rest_not_read", "the client did not read the rest of the answer") \
    X(WHY_FRAGMENTED, "fragmented", "answered in fragments, which are not read: dcerpc.reassemble_dcerpc is off") \
    X(WHY_RETURN_CODE_NOT_CAPTURED, "return_code_not_captured", "return code not captured") \
    X(WHY_NO_RETURN_CODE, "no_return_code", "answer without a return code") \
    X(WHY_BLOCKS_NOT_CAPTURED, "blocks_not_captured", NULL) /* .have of .expected blocks were captured */ \
    X(WHY_FEWER_BLOCKS, "fewer_blocks", NULL) /* .have blocks for .expected identifiers */ \
    X(WHY_NAMES_DAMAGED, "names_damaged", "the list of names has an empty or missing index") \
    X(WHY_NO_OBJECT, "no_object", "no such object in the answer") \
    X(WHY_NO_INSTANCES, "no_instances", "no instance in the answer") \
    X(WHY_REFUSED_BY_PDH, "refused_by_pdh", NULL) /* received, but PDH rejects it; .status is an enum cook_reason */
/* clang-format on */

#define WHY_CODE(code, ...) code,
enum perf_tap_why_code { WHY_CODES(WHY_CODE) NUM_WHY_CODES };
#undef WHY_CODE

struct perf_tap_why {
    enum perf_tap_why_code code;
    uint32_t status;
    unsigned have, expected;
    bool has_finding; /* true if the reason follows from a violated rule, which has its own finding */
};

/* ---- missing.c ---- */

/* Returns the reason why something was not received, as text; in scope or constant. */
const char *perf_tap_why_text(wmem_allocator_t *scope, const struct perf_tap_why *why);
/* Returns the name of a reason in files, for example "no_answer". Programs rely on it. Constant. */
const char *perf_tap_why_name(const struct perf_tap_why *why);

/* Stages of something that a client asked for */
enum perf_tap_missing_kind {
    MISSING_ASKED,    /* requested; .why is the reason if no answer follows */
    MISSING_ACCEPTED, /* the server added it to a query, so polls should contain it */
    MISSING_RECEIVED,
    MISSING_REFUSED /* refused, or missing from an answer */
};
struct perf_tap_missing_item {
    enum perf_tap_missing_kind kind;
    struct perf_tap_asked what;
    struct perf_tap_why why;
    uint32_t pdh; /* PDH's error code for .why; 0: none */
};
/* Record of one PDU for the taps "perflibv2_missing" and "perfdata_missing" */
struct perf_tap_missing {
    const char *host; /* HOST of the server */
    /* for a PDU that is not decrypted: key needed, in file scope; all other members are then zero. Else NULL */
    const struct key_needed *needed;
    unsigned num_items;
    const struct perf_tap_missing_item *items;
    const struct perf_tap_poll *values; /* the poll's counters: each value, or why it is missing; NULL: none */
};

/* ---- server.c ---- */

/*
 * Returns the present HOST of the server that a record calls `host` (not NULL). Until a call uses the server's name,
 * records contain its address instead. The result is host or in file scope.
 */
const char *perf_tap_host_now(const char *host);
/*
 * Returns a text that is equal for all records of a server, whether HOST is its name or address. File scope, or host.
 */
const char *perf_tap_host_key(const char *host);

/* ---- path.c ---- */

/* Returns a text in lower case, for comparisons regardless of case. Free it with g_free(). */
char *counter_path_fold(const char *text);

/* An entry of the user's watch list */
struct perf_watch {
    const char *name, *pattern;
    bool is_in_use; /* false: an earlier entry has the same name */
};

/* ---- watch.c ---- */

/* Number of entries, and the entry with an index. Texts are valid until the list changes. */
extern guint perf_watch_count;
struct perf_watch perf_watch_entry(unsigned index);
/*
 * Adds an entry to the user's list and saves the list. Returns NULL on success or if the entry exists already, else an
 * error text to free with g_free(); if only saving failed, the entry is used until Wireshark ends.
 */
char *perf_watch_add(const char *name, const char *pattern);
/*
 * Returns a pattern for folded counter paths: "*" and "?" are wildcards, and a pattern that starts with a single
 * backslash matches any machine. Free it with g_pattern_spec_free().
 */
GPatternSpec *perf_pattern_new(const char *pattern);
/* Returns whether an entry in use matches a counter path. */
bool perf_watch_matches(unsigned index, const char *path);

/* ---- catalog-write.c ---- */

/*
 * Writes the catalogs of all machines to file, one record per counterset and counter, in the format of the user's table
 * (catalog-table.c). On failure the file's error indicator is set.
 */
void catalog_write(FILE *file);

#endif /* PERFLIB_COUNTERS_RECORD_H */
