/* missing.h
 * Counters and objects that a client asked for but did not receive, collected per PDU for statistics
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_MISSING_H
#define PERFLIB_COUNTERS_MISSING_H

#include "compat.h"

#include "counters/record.h"

/* Counters and objects that one PDU asks for or answers, collected for statistics; packet scope. */
struct missing;

/* Returns NULL if the tap has no listener; functions that get NULL as `missing` do nothing. */
struct missing *missing_new(int tap, packet_info *pinfo);
/* Notes a request that is not answered yet. is_accepted: a counter was added to a query, so values are expected. */
void missing_asked(struct missing *missing, const struct perf_tap_asked *what, bool is_accepted);
/* Notes that a requested item was received, or why not. */
void missing_answered(struct missing *missing, const struct perf_tap_asked *what, struct perf_tap_why why);
/* Reports, to the taps of missing data and of polls, which key a PDU needs. needed: file scope; NULL does nothing. */
void perf_tap_needed(int tap_missing, int tap_poll, packet_info *pinfo, const struct key_needed *needed);
/*
 * Queues all entries to the tap. host: HOST of the paths; file scope. values: record of the poll in packet scope, or
 * NULL.
 */
void missing_tell(struct missing *missing, const char *host, const struct perf_tap_poll *values);

#endif /* PERFLIB_COUNTERS_MISSING_H */
