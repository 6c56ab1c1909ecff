/* missing.h
 * What a value name asked for and no answer held
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_MISSING_H
#define PERFLIB_PERFDATA_MISSING_H

#include "counters/record.h"
#include "perfdata/answer.h"

/* Registers the tap; called once, at registration. */
void perfdata_missing_init(void);
/* A value was asked for. */
void perfdata_missing_request(packet_info *pinfo, const struct perfdata_call *call);
/* Its answer. values: those of the sample, NULL: it is none. */
void perfdata_missing_answer(packet_info *pinfo, const struct perfdata_call *call, const struct perfdata_answer *answer,
    const struct perf_tap_poll *values);
/* A fault in its place. */
void perfdata_missing_fault(packet_info *pinfo, const struct perfdata_call *call, const char *text, uint32_t status);
/* A PDU that could not be read for want of a key. */
void perfdata_missing_needed(packet_info *pinfo, const char *needed);
/* Whether somebody listens. */
bool perfdata_missing_is_wanted(void);

/* The objects that the value name asks for and a whole block has not, in words; packet scope. NULL: none. */
const char *perfdata_missing_objects(packet_info *pinfo, const struct perfdata_call *call,
    const struct perfdata_answer *answer);

#endif /* PERFLIB_PERFDATA_MISSING_H */
