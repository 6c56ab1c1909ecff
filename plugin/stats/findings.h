/* findings.h
 * What a capture comes to: what works, what does not, and what to do about it, the worst first
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_FINDINGS_H
#define PERFLIB_STATS_FINDINGS_H

#include "session/attempts.h"
#include "stats/model.h"
#include "stats/remedies.h"

enum tone { TONE_BAD, TONE_WARN, TONE_HINT, TONE_GOOD };
/* "error", "warning", "note" or "good": the severity of a finding. */
const char *tone_text(enum tone tone);

/* Texts live as long as the scope they were made in. */
struct report_finding {
    enum tone tone;
    enum finding_code code;
    const char *what;
    const char *remedy;          /* "": nothing to do */
    const char *whom;            /* NULL: nobody in particular */
    const char *client, *server; /* addresses, or the server's name; NULL: none in particular */
    unsigned frame;              /* where to begin to look; 0: nowhere in particular */
    const char *filter;          /* a display filter; NULL: that frame */
    const char *pdh;             /* PDH's code; NULL: none */
    unsigned order;              /* in which it was found */
};

/* struct report_finding, the worst first */
GArray *findings_of(const struct model *model, wmem_allocator_t *scope);
/* All of it in one line; sets *tone. */
const char *findings_verdict(const struct model *model, const GArray *findings, wmem_allocator_t *scope,
    enum tone *tone);

/* How an attempt ended. */
enum tone findings_tone(const struct attempt *attempt);
/* A text of a remedy about a client and a server, as they are shown. */
const char *findings_fill(wmem_allocator_t *scope, const char *text, const char *client, const char *server);
/* PDH's code that its user saw, as "0xC0000BDB PDH_ACCESS_DENIED"; NULL: none that is known for sure. */
const char *findings_pdh(wmem_allocator_t *scope, const struct attempt *attempt, const struct remedy *remedy);

#endif /* PERFLIB_STATS_FINDINGS_H */
