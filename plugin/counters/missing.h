/* missing.h
 * What a client asked for and did not receive, collected from one PDU for statistics
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_MISSING_H
#define PERFLIB_COUNTERS_MISSING_H

#include "compat.h"

#include "counters/record.h"

/* The things of one PDU; packet scope. */
struct missing;

/* NULL where nobody listens to the tap; all else then does nothing. */
struct missing *missing_new(int tap, packet_info *pinfo);
/* Something was asked for, and the answer is not there yet. */
void missing_asked(struct missing *missing, const struct perf_tap_asked *what);
/* What was asked for is to come: a counter was added to a query. */
void missing_accepted(struct missing *missing, const struct perf_tap_asked *what);
/* What was asked for was received, or was not, as why says. */
void missing_answered(struct missing *missing, const struct perf_tap_asked *what, struct perf_tap_why why);
/* A PDU could not be read for want of a key, which needed says (file scope); NULL: that is not why. */
void missing_tell_needed(int tap, packet_info *pinfo, const struct key_needed *needed);
/* Hands all on to the tap. host: of the paths; file scope. values: of a poll, in packet scope; NULL: it has none. */
void missing_tell(struct missing *missing, const char *host, const struct perf_tap_poll *values);

#endif /* PERFLIB_COUNTERS_MISSING_H */
