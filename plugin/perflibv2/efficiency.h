/* efficiency.h
 * What a client could do with less: buffers that grow, polls that overlap or come late, counters polled twice
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_EFFICIENCY_H
#define PERFLIB_PERFLIBV2_EFFICIENCY_H

#include "base/asking.h"
#include "perflibv2/lpdata.h"
#include "perflibv2/operations.h"
#include "perflibv2/queries.h"

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

/* A request or an answer, read to its end; what it is to be told. */
struct efficiency_pdu {
    const packet_info *pinfo;
    const dcerpc_info *di;
    const struct operation *op;
    unsigned opnum;
    const e_guid_t *counterset; /* that is asked for, where no query is */
    uint32_t request_code, request_lcid;
    struct query *query;       /* NULL: none */
    uint32_t bytes;            /* of the stub, of an answer both */
    const char *other_machine; /* of a request: as above */
    /* Of an answer: */
    uint32_t request_frame;
    bool too_small; /* the client's buffer was */
    bool succeeded;
    bool add;                         /* ValidateCounters: adds, not removes */
    const struct lpdata *identifiers; /* ... these; NULL: none */
};

/* First pass only. *efficiency is the call's: NULL while nothing is to be said of it. */
void efficiency_learn_request(const struct efficiency_pdu *pdu, const struct efficiency **efficiency);
void efficiency_learn_answer(const struct efficiency_pdu *pdu, const struct efficiency **efficiency);

/* Items of what is to be said of the request or the answer of a call. */
void efficiency_show(const struct efficiency *efficiency, bool is_answer, packet_info *pinfo, proto_tree *tree,
    tvbuff_t *tvb);

#endif /* PERFLIB_PERFLIBV2_EFFICIENCY_H */
