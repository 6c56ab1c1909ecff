/* call.h
 * A call: what is kept of it, whether it succeeded, and what it teaches
 *
 * The first pass learns, in the order of the capture; all passes read.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_CALL_H
#define PERFLIB_PERFLIBV2_CALL_H

#include "base/answer-place.h"
#include "counters/catalog.h"
#include "perflibv2/lpdata.h"
#include "perflibv2/queries.h"
#include "perflibv2/rules/checks.h"

/* Opnums, [MS-PCQ] 3.1.4.1 */
enum perflibv2_opnum {
    OP_ENUMERATE_COUNTER_SET,
    OP_QUERY_REGISTRATION_INFO,
    OP_ENUMERATE_INSTANCES,
    OP_OPEN_QUERY_HANDLE,
    OP_CLOSE_QUERY_HANDLE,
    OP_QUERY_COUNTER_INFO,
    OP_QUERY_COUNTER_DATA,
    OP_VALIDATE_COUNTERS,
    NUM_OPS
};

/* What the return code says. It stands at the stub's end, so a snap length may have cut it off. */
enum call_outcome {
    CALL_OUTCOME_UNKNOWN,
    CALL_SUCCEEDED,
    CALL_FAILED,
};

/* Captures hold many: the order of members leaves no gaps. */
struct call {
    e_guid_t counterset;
    struct catalog_server *server;
    struct query *query;        /* the handle's, NULL for operations without one */
    const struct query_poll *poll;
    struct rules_call rules;
    uint32_t request_code, request_lcid;
    uint32_t in_size;
    uint32_t request_frame;
    uint32_t moment;            /* of the request, as queries.h counts */
    struct answer_place place;
    bool asked, answered;       /* request, answer have taught what they can, even if a snap length cut them short */
    bool has_request;           /* the request was dissected to its end, so what follows is known */
    bool add;
};

/*
 * What a request teaches of the query it uses. handle is not NULL (2.2.1).
 */
void call_learn_handle(struct call *call, unsigned opnum, const e_guid_t *handle);
/* What an answer to OpenQueryHandle teaches, unless it failed. */
void call_learn_opened(struct call *call, const e_guid_t *handle, uint32_t frame);
/*
 * What an answer's lpData teaches, unless it failed: what a cut or malformed buffer lacks is not taught; what it has is. scratch: packet
 * scope.
 */
void call_learn_buffer(struct call *call, unsigned opnum, const struct lpdata *lp, uint32_t frame, wmem_allocator_t *scratch);
/* What the end of an answer teaches: has_lpdata tells whether call_learn_buffer() was asked, or would have been of an answer that failed. */
void call_learn_end(struct call *call, unsigned opnum, enum call_outcome outcome, bool has_lpdata);

#endif /* PERFLIB_PERFLIBV2_CALL_H */
