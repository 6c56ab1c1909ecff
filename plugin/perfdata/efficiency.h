/* efficiency.h
 * What a client could do with less: buffers that grow, polls that overlap or come late, values polled twice
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_EFFICIENCY_H
#define PERFLIB_PERFDATA_EFFICIENCY_H

#include "perfdata/answer.h"

/* First pass only; of QueryValue calls whose key is known. bytes: of the stub. What is to be said goes to the call. */
void perfdata_efficiency_request(struct perfdata_call *call, const packet_info *pinfo, const dcerpc_info *di,
    uint32_t bytes);
/* The same when all that the answer brings was read. */
void perfdata_efficiency_answer(struct perfdata_call *call, const packet_info *pinfo, const dcerpc_info *di,
    const struct perfdata_answer *answer);

#endif /* PERFLIB_PERFDATA_EFFICIENCY_H */
