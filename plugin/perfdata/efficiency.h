/* efficiency.h
 * What a client could do with less: buffers that grow, polls that overlap or come late, values polled twice
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_EFFICIENCY_H
#define PERFLIB_PERFDATA_EFFICIENCY_H

#include "base/asking.h"
#include "perfdata/answer.h"
#include "perfdata/call.h"

/* What is to be said of a call; each part is zero where it says nothing. File scope. */
struct perfdata_efficiency {
    struct asking_finding asking;
    uint32_t other_frame; /* a poll of the same by another handle of the client, since this one's poll before */
};

/* Called once, at registration. */
void perfdata_efficiency_init(expert_module_t *expert);

/* First pass only; of QueryValue calls whose key is known. bytes: of the stub. */
void perfdata_efficiency_request(struct perfdata_call *call, const packet_info *pinfo, const dcerpc_info *di,
    uint32_t bytes);
/* The same when all that the answer brings was read. */
void perfdata_efficiency_answer(struct perfdata_call *call, const packet_info *pinfo, const dcerpc_info *di,
    const struct perfdata_answer *answer);

/* Items of what is to be said of the request or the answer of a call. */
void perfdata_efficiency_show(const struct perfdata_call *call, bool is_answer, packet_info *pinfo, proto_tree *tree,
    tvbuff_t *tvb);

#endif /* PERFLIB_PERFDATA_EFFICIENCY_H */
