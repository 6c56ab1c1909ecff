/* rules.h
 * The rules of [MS-PCQ] that can be judged from a capture: one table, and the
 * report of one PDU
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_RULES_H
#define PERFLIB_RULES_H

#include "compat.h"

#include <epan/expert.h>

/* X(id, filter, section, who, severity, summary): the expert item is perflibv2.rule.<filter>. */
#define PERFLIBV2_RULES(X) \
    X(LPDATA_COUNT,          "lpdata_count",          "3.1.4.1",   BOTH,   ERROR, "lpData ends where its count and the sizes beside it say") \
    X(STRUCTURE_FITS,        "structure_fits",        "2.2.4",     BOTH,   ERROR, "Every structure lies within its buffer") \
    X(TRAILING_BYTES,        "trailing_bytes",        "2.2.4",     BOTH,   WARN,  "Nothing follows the last structure of a buffer") \
    X(ALIGNMENT,             "alignment",             "2.2.4",     BOTH,   WARN,  "Every structure begins at a multiple of 8 from the start of lpData") \
    X(GUID_COUNT,            "guid_count",            "3.1.4.1.1", SERVER, WARN,  "lpData holds as many GUIDs as pdwOutSize says") \
    X(REG_NUM_COUNTERS,      "reg_num_counters",      "3.1.4.1.2", SERVER, WARN,  "NumCounters equals the number of _PERF_COUNTER_REG_INFO structures") \
    X(STRINGS_SIZE,          "strings_size",          "2.2.4.3",   SERVER, WARN,  "dwSize of _STRING_BUFFER_HEADER equals the size of the data") \
    X(STRINGS_OFFSET,        "strings_offset",        "2.2.4.4",   SERVER, ERROR, "dwOffset points to a string inside the buffer") \
    X(STRINGS_OFFSET_BASE,   "strings_offset_base",   "2.2.4.4",   SERVER, NOTE,  "dwOffset counts from the end of the _STRING_COUNTER_HEADER structures") \
    X(STRING_TERMINATED,     "string_terminated",     "3.1.4.1.2", SERVER, WARN,  "Strings are null-terminated") \
    X(INSTANCE_SIZE,         "instance_size",         "3.1.4.1.3", SERVER, WARN,  "Size of _PERF_INSTANCE_HEADER covers header and name and is a multiple of 8") \
    X(INSTANCE_TERMINATED,   "instance_terminated",   "3.1.4.1.3", SERVER, WARN,  "Instance names are null-terminated") \
    X(IDENTIFIER_SIZE,       "identifier_size",       "2.2.4.6",   BOTH,   WARN,  "Size of _PERF_COUNTER_IDENTIFIER covers structure and name and is a multiple of 8") \
    X(IDENTIFIER_TERMINATED, "identifier_terminated", "3.1.4.1.7", BOTH,   WARN,  "Instance names in identifiers are null-terminated") \
    X(DATA_TOTAL_SIZE,       "data_total_size",       "2.2.4.7",   SERVER, WARN,  "dwTotalSize equals the size of the data") \
    X(DATA_NUM_COUNTERS,     "data_num_counters",     "2.2.4.7",   SERVER, WARN,  "dwNumCounter equals the number of _PERF_COUNTER_HEADER blocks") \
    X(BLOCK_SIZE,            "block_size",            "2.2.4.8",   SERVER, WARN,  "dwSize of _PERF_COUNTER_HEADER covers its block") \
    X(BLOCK_TYPE,            "block_type",            "2.2.4.8",   SERVER, WARN,  "dwType is one of the listed values") \
    X(BLOCK_ERROR_ALONE,     "block_error_alone",     "3.1.4.1.6", SERVER, WARN,  "A PERF_ERROR_RETURN block holds the header only") \
    X(MULTI_COUNTERS_SIZE,   "multi_counters_size",   "2.2.4.11",  SERVER, WARN,  "dwSize of _PERF_MULTI_COUNTERS covers header and ids") \
    X(MULTI_INSTANCES_SIZE,  "multi_instances_size",  "2.2.4.10",  SERVER, WARN,  "dwTotalSize of _PERF_MULTI_INSTANCES covers header and instances") \
    X(VALUE_SIZE,            "value_size",            "2.2.4.9",   SERVER, WARN,  "dwSize of _PERF_COUNTER_DATA covers header and data")

#define RULE_ENUM(id, filter, section, who, severity, summary) RULE_##id,
enum perflibv2_rule { PERFLIBV2_RULES(RULE_ENUM) NUM_RULES };
#undef RULE_ENUM

enum rule_who { RULE_WHO_CLIENT, RULE_WHO_SERVER, RULE_WHO_BOTH };

struct rule {
    const char *filter;         /* "perflibv2.rule.<id>" */
    const char *section;
    enum rule_who who;
    int severity;               /* PI_ERROR, PI_WARN, PI_NOTE, PI_CHAT */
    const char *summary;
};
extern const struct rule perflibv2_rules[NUM_RULES];

/* A broken rule: where, and in words with the offending and the expected value. */
struct finding {
    enum perflibv2_rule rule;
    unsigned offset;            /* in the tvb the report is about */
    unsigned length;
    const char *text;           /* packet scope */
};

/*
 * What was checked in one buffer or stub. Counts are complete; of the findings of one rule only the
 * first RULE_MAX_FINDINGS are kept, so that hostile input makes no million expert items.
 */
#define RULE_MAX_FINDINGS 10
struct rules_report {
    wmem_allocator_t *scope;
    uint32_t checked[NUM_RULES];
    uint32_t broken[NUM_RULES];
    wmem_array_t *findings;     /* struct finding, in the order found; made with the first */
};

/* An empty report whose texts live in scope. */
struct rules_report *rules_report_new(wmem_allocator_t *scope);
/* Counts a check that held n times. */
static inline void
rules_held(struct rules_report *report, enum perflibv2_rule rule, uint32_t n)
{
    report->checked[rule] += n;
}
/* Counts a check that failed and keeps the finding. */
void rules_broken(struct rules_report *report, enum perflibv2_rule rule, unsigned offset, unsigned length,
                  const char *format, ...) G_GNUC_PRINTF(5, 6);
/* Counts a check; where it failed the rest is the finding. */
#define rules_check(report, rule, holds, offset, length, ...) \
    do { \
        if (holds) { \
            rules_held(report, rule, 1); \
        } else { \
            rules_broken(report, rule, offset, length, __VA_ARGS__); \
        } \
    } while (0)

/*
 * Adds the expert items of findings *next and following that begin before offset end, under tree, and
 * advances *next. With tree NULL they still reach the expert statistics.
 */
void rules_show(const struct rules_report *report, unsigned *next, unsigned end,
                packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb);

/* Registers the expert items. */
void rules_register(expert_module_t *expert);

#endif /* PERFLIB_RULES_H */
