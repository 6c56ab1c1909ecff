/* remedies.h
 * What to do about what stopped a client
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_REPORT_REMEDIES_H
#define PERFLIB_STATS_REPORT_REMEDIES_H

#include <stdint.h>

enum remedy_whom { WHOM_CLIENT, WHOM_SERVER, WHOM_NETWORK, WHOM_ACCOUNTS, WHOM_OWNER, WHOM_CAPTURE };

/* In all texts {S} is the server, {C} the client. */
struct remedy {
    const char *sign;      /* what the outcome of an attempt holds (stats/sessions/attempts.h) */
    const char *says;      /* what that means, to go behind the server's name */
    const char *remedy;    /* a sentence or two */
    enum remedy_whom whom; /* can do that */
    uint32_t pdh;          /* what the user of a tool that is built on PDH saw; 0: nothing that is known for sure */
};

/* What an outcome calls for; always something. Names from the wire stand behind the sign, and so never decide. */
const struct remedy *remedy_for(const char *outcome);
/* What to do about a thing that never came, by why (the table of missing things). */
const struct remedy *remedy_for_missing(const char *why);
/* What to do about sealed calls, by what is needed to read them (stats/needed.h). */
const struct remedy *remedy_for_sealed(const char *needed);
/* What to do about a data collector set, by the last error of a call on it. */
const struct remedy *remedy_for_set(const char *error);
/* "whoever runs {C}" */
const char *remedy_whom_text(enum remedy_whom whom);

#endif /* PERFLIB_STATS_REPORT_REMEDIES_H */
