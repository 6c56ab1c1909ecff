/* findings.h
 * Findings about a capture: what works, what does not, and remedies, the most severe first
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_FINDINGS_H
#define PERFLIB_STATS_FINDINGS_H

#include "stats/model.h"
#include "stats/remedies.h"
#include "stats/tables.h"

enum tone { TONE_BAD, TONE_WARN, TONE_HINT, TONE_GOOD };
/* Severities of findings as words: "error", "warning", "note" and "good" */
extern const char *const tone_texts[];

/*
 * Problems: texts of findings (findings_problem()). Findings with the same problem and code form one group, for any
 * number of servers and clients.
 */
enum problem {
    PROBLEM_SINGLE, /* never grouped with other findings */
    PROBLEM_SERVER, /* first of the problems (up to PROBLEM_NOT_ALL_ANSWERED_YET) whose text begins with the server */
    PROBLEM_SOMETIMES,
    PROBLEM_ONCE,
    PROBLEM_NO_ANSWER_YET,
    PROBLEM_NOT_ALL_ANSWERED_YET,
    PROBLEM_CLIENT, /* text begins with the client */
    PROBLEM_NEVER_A_VALUE,
    PROBLEM_SOMETIMES_NO_VALUE,
    PROBLEM_OBJECTS,
    PROBLEM_NAMES,
    PROBLEM_SETS,
    PROBLEM_OTHERS,
    PROBLEM_SEALED,
    PROBLEM_RULES, /* first of three: add the enum rule_who of those that violated the rules */
    NUM_PROBLEMS = PROBLEM_RULES + 3
};

/* Numbers of counters, objects and calls that a finding is about. The verdict contains their sums. */
struct finding_counts {
    unsigned counters, objects, refused, damaged, calls, set_calls;
};

/* Finding about the capture. Its texts live as long as the scope given to findings_of(). */
struct report_finding {
    enum tone tone;
    enum finding_code code;
    const char *what;
    enum problem problem;
    const char *detail;          /* counter paths, error names and identifiers; NULL if none */
    const char *remedy;          /* "" if there is nothing to do */
    const char *whom;            /* person who can apply the remedy; NULL if no particular one */
    const char *client, *server; /* addresses, or the server's name; NULL if no particular ones */
    const char *machine;         /* name of the server in texts; NULL: .server */
    unsigned frame;              /* first frame to look at; 0 if none */
    const char *filter;          /* display filter for the frames; NULL if there are none */
    const char *pdh;             /* PDH error code as text; NULL if none */
    struct finding_counts counts;
    unsigned order; /* serial number, to keep findings of equal severity in order */
};

/* Returns an array of struct report_finding, the most severe first, with its texts in `scope`. */
wmem_array_t *findings_of(const struct model *model, wmem_allocator_t *scope);

static inline const struct report_finding *
finding_at(wmem_array_t *findings, unsigned index)
{
    return (const struct report_finding *)wmem_array_index(findings, index);
}

/* ---- findings-groups.c ---- */

/* Findings of one problem, of one or more servers and clients. */
struct finding_group {
    wmem_array_t *members; /* const struct report_finding *, at least one */
    const char *what;      /* text of the only finding, or of all: "Each of 3 servers does not answer" */
    const char *clause;    /* the same as part of a sentence: "each of 3 servers does not answer" */
    const char *remedy, *whom;
};

/* Returns the findings in groups (struct finding_group), in the order of their first members. */
struct key_index *findings_groups(const struct model *model, wmem_array_t *findings, wmem_allocator_t *scope);
/* Returns a member of a group. */
const struct report_finding *finding_member(const struct finding_group *group, unsigned index);

/* ---- verdict.c ---- */

/* Returns a summary of all findings in one line, allocated in `scope`. groups: the findings by findings_groups(). */
const char *findings_verdict(const struct model *model, wmem_array_t *findings, const struct key_index *groups,
    wmem_allocator_t *scope);

/* ---- findings.c ---- */

/* Returns false if the attempt reads only registry keys without performance data. */
bool findings_is_about(const struct attempt *attempt);
/* Returns true if some calls were not decrypted, and may be about performance data. */
bool findings_is_sealed(const struct model *model);
/* Returns the number of refused or unanswered calls of an attempt. */
unsigned findings_failures(const struct attempt *attempt);
/* Returns the severity of how an attempt ended; TONE_GOOD if it works without failures. */
enum tone findings_tone(const struct attempt *attempt);
/*
 * Returns a text with {C} and {S} replaced by client and server, with "(client)" and "(server)" if both have the same
 * name. Allocated in `scope`.
 */
const char *findings_fill(wmem_allocator_t *scope, const char *text, const char *client, const char *server);
/* Returns the text of a problem, filled as by findings_fill(). */
const char *findings_problem(wmem_allocator_t *scope, enum problem problem, enum finding_code code, const char *client,
    const char *server);
/*
 * Returns the remedy of a code, filled as by findings_fill(). {H}, the host name in commands, becomes `host`, or
 * "SERVER" if that is NULL.
 */
const char *findings_remedy(wmem_allocator_t *scope, enum finding_code code, const char *client, const char *server,
    const char *host);

/*
 * Appends a finding. Sets .whom, and .remedy if it is NULL, by the finding's code. These texts name the finding's
 * client, and its machine or else its server. Allocated in `scope`.
 */
void findings_advise(wmem_array_t *findings, wmem_allocator_t *scope, struct report_finding finding);

/* ---- findings-polls.c ---- */

/* Appends counts of polls and calls that waste time or bytes: "; 2 polls were late". */
void findings_append_waste(const struct model *model, wmem_strbuf_t *text);
/* Adds findings about wasted time and bytes, for each pair of hosts. */
void findings_add_waste(const struct model *model, wmem_array_t *findings, wmem_allocator_t *scope);
/* Adds a finding for polls whose answer took longer than the client's interval. */
void findings_add_slow_polls(const struct model *model, wmem_array_t *findings, wmem_allocator_t *scope);

#endif /* PERFLIB_STATS_FINDINGS_H */
