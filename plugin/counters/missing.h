/* missing.h
 * What a client asked for and did not receive, collected from one PDU for statistics
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_MISSING_H
#define PERFLIB_COUNTERS_MISSING_H

#include "counters/record.h"

/* What an answer says nothing of: the server, the client or the capture may have lost it. */
#define MISSING_NOT_CAPTURED "not captured: its answer"

/* The things of one PDU; packet scope. */
struct missing;

/* NULL where nobody listens to the tap; all else then does nothing. */
struct missing *missing_new(int tap, packet_info *pinfo);
/* Something was asked for, and the answer is not there yet. */
void missing_asked(struct missing *missing, const char *what);
/* ... is to come: a counter was added to a query. */
void missing_accepted(struct missing *missing, const char *what);
/* ... was received, or, where why is not NULL, not. pdh: of cook/cooking.h, 0: none. Texts are packet scope. */
void missing_answered(struct missing *missing, const char *what, const char *why, uint32_t pdh);
/* A PDU could not be read for want of a key, which needed says (file scope); NULL: that is not why. */
void missing_tell_needed(int tap, packet_info *pinfo, const char *needed);
/* Hands all on to the tap. host: of the paths; file scope. values: of a poll, in packet scope; NULL: it has none. */
void missing_tell(struct missing *missing, const char *host, const struct perf_tap_poll *values);

#endif /* PERFLIB_COUNTERS_MISSING_H */
