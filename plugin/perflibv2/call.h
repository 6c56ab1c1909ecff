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
#include "base/asking.h"
#include "base/rpc-call.h"
#include "counters/catalog.h"
#include "perflibv2/connections.h"
#include "perflibv2/lpdata.h"
#include "perflibv2/operations.h"
#include "perflibv2/queries.h"

struct pdu;

/* What the return code says. It stands at the stub's end, so a snap length may have cut it off. */
enum call_outcome {
    CALL_OUTCOME_UNKNOWN,
    CALL_SUCCEEDED,
    CALL_FAILED,
};

/* Captures hold many: the order of members leaves no gaps. */
struct call {
    e_guid_t counterset;
    struct server *server;   /* that it goes to: by its answer, before that by what was known; see call_begin() */
    struct server *asked_of; /* ... which a client asked for a counterset's counters */
    char *machine;           /* szMachine until the call is answered; else NULL */
    struct query *query;     /* the handle's, NULL for operations without one */
    const struct query_poll *poll;
    const char *opened_on; /* the server that opened a handle this server did not; else NULL */
    uint32_t *identifiers; /* of ValidateCounters: a hash of each sent, which the answer must keep; else NULL */
    unsigned num_identifiers;
    int expected_identifiers; /* the query had when QueryCounterInfo or QueryCounterData was called; -1: not known */
    struct connection_view views[2];     /* of the connection, by request and answer */
    struct connection_state connection;  /* when the request was sent */
    const struct asking_finding *asking; /* what is to be said of how it was made; NULL: nothing */
    uint32_t request_bytes;              /* of its stub */
    uint32_t closed_in;                  /* frame of the call that had closed the handle used; 0: none */
    uint32_t opened_in;      /* frame in which a handle just opened was opened, and is still open; 0: none */
    uint32_t given_again_in; /* frame that gave the handle used to another client, yet it is still open; 0: none */
    uint32_t request_code, request_lcid;
    uint32_t in_size;
    uint32_t request_frame;
    uint32_t moment; /* of the request, as queries.h counts; of one that opens a query: how many there were */
    struct answer_place place;
    bool asked, answered; /* request, answer have taught what they can, even if a snap length cut them short */
    bool has_request;     /* the request was dissected to its end, so what follows is known */
    bool add;
    bool is_first_from_start;  /* its strings are the first of the server whose offsets count from the start */
    bool added_is_known;       /* of an answer to ValidateCounters: what had been added before is known; */
    unsigned added_twice;      /* index of the first identifier that was accepted again, from 1; 0: none was */
    unsigned never_added;      /* index of the first returned or removed that was never added, from 1; 0: none */
    unsigned short_identifier; /* index of the identifier sent that is shorter than the structure, from 1; 0: none */
};

/* The state of a call; made by whichever of its PDUs comes first. File scope. */
struct call *call_of(const dcerpc_info *di);

/* What an answer must not change of an identifier: all that is named, but neither Status nor Index. */
uint32_t call_identifier_hash(const struct lpdata *lp, const struct lp_identifier *id);

/* A PDU begins, in any pass: whose call it is is known from here on. */
void call_begin(const struct pdu *pdu);

/* The following on the first pass only. */

/* What is known of the connection when a PDU begins, and of who answers. */
void call_learn_begin(const struct pdu *pdu);
/* The szMachine of a request. Why that names another server, in file scope; NULL: nothing shows that. */
const char *call_learn_machine(const struct pdu *pdu, const char *machine);
/* What a request teaches of the query it uses. handle is not NULL (2.2.1). */
void call_learn_handle(const struct pdu *pdu, const e_guid_t *handle);
/* What an answer to OpenQueryHandle teaches, unless it failed. */
void call_learn_opened(const struct pdu *pdu, const e_guid_t *handle);
/* What the identifiers of a ValidateCounters request teach. */
void call_learn_sent(const struct pdu *pdu);
/*
 * What lpData of an answer that did not fail teaches, by operation: what a cut or malformed buffer lacks is not taught;
 * what it has is.
 */
void call_learn_registration(const struct pdu *pdu);
void call_learn_instances(const struct pdu *pdu);
void call_learn_map(const struct pdu *pdu);
void call_learn_poll(const struct pdu *pdu);
void call_learn_change(const struct pdu *pdu);
/* What is known when the return code of an answer was read. */
void call_learn_result(const struct pdu *pdu);
/* What is known at the end of a PDU, read as far as it was captured. */
void call_learn_end(const struct pdu *pdu);
/* A fault answered the call: nothing was changed or opened. Whether the handle is still open nobody knows. */
void call_learn_fault(const struct pdu *pdu, const struct rpc_fault *fault);

#endif /* PERFLIB_PERFLIBV2_CALL_H */
