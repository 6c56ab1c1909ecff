/* efficiency.h
 * What a client could do with less: buffers that grow, polls that overlap or come late, counters polled twice
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_EFFICIENCY_H
#define PERFLIB_PERFLIBV2_EFFICIENCY_H

#include "base/asking.h"
#include "perflibv2/queries.h"

struct pdu;

/* What is to be said of a call; each part is zero where it says nothing. File scope. */
struct efficiency {
    struct asking_finding asking;
    /* A poll of counters that another query of the client polls, too: */
    unsigned shared; /* so many */
    const struct query *with;
    uint32_t with_frame;       /* its latest poll */
    const char *other_machine; /* a request whose szMachine names another server: why; else NULL */
};

/* Called once, at registration. expert: the protocol's. */
void efficiency_init(expert_module_t *expert);

/*
 * A request or an answer, read to its end; first pass only. The call's efficiency stays NULL while nothing is to be
 * said of it.
 */
void efficiency_learn_request(const struct pdu *pdu);
void efficiency_learn_answer(const struct pdu *pdu);

/* Items of what is to be said of the request or the answer of a call. */
void efficiency_show(const struct efficiency *efficiency, bool is_answer, packet_info *pinfo, proto_tree *tree,
    tvbuff_t *tvb);

#endif /* PERFLIB_PERFLIBV2_EFFICIENCY_H */
