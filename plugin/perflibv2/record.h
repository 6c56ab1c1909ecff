/* record.h
 * Records that the PerflibV2 dissector queues to statistics: one per PDU
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_RECORD_H
#define PERFLIB_PERFLIBV2_RECORD_H

#include "compat.h"

#include "base/request-state.h"
#include "base/key-needed.h"
#include "perflibv2/rules/list.h"

/* A handle from opening to closing, as known at the time of the call */
struct perflibv2_tap_query {
    const void *id; /* key of the query, the same for all its calls; file scope. NULL: the call has no handle */
    e_guid_t handle;
    const char *host;   /* HOST of the paths; file scope */
    uint32_t opened_in; /* frame in which the handle was opened; 0: opening not captured */
    uint32_t closed_in; /* frame in which the handle was closed; 0: not closed */
};

/* Results for one part of a PDU, its stub or its lpData: for each rule the number of checks, and of violations */
struct perflibv2_tap_rules {
    const uint32_t *checked, *broken; /* arrays by rule; NULL: all are 0 */
};

#define PERFLIBV2_TAP_PARTS 2 /* number of reports per PDU: stub, lpData */

/* Record for the tap "perflibv2"; packet scope */
struct perflibv2_tap {
    const char *operation;
    bool is_response;
    /*
     * reason why the PDU could not be read, else NULL. If it is set, only these members below are valid: query.host,
     * size (of the fragment's stub) and, for a response, is_poll (true for any QueryCounterData) and response_time
     * (zero if the request is missing)
     */
    const char *unread;
    const struct key_needed *needed; /* if .unread is set: key needed, in file scope; NULL: another reason */
    bool is_last;                    /* if .unread is set: true for the last fragment */
    /*
     * the response is a fault: of the members below, fault_text, query, is_open, is_change, add, rules and bytes are
     * valid
     */
    bool is_fault;
    const char *fault_text; /* name of the fault's status, or a note that it was not captured; packet scope */
    struct perflibv2_tap_query query;
    bool is_open;         /* the call is OpenQueryHandle */
    bool is_change;       /* the call is ValidateCounters */
    bool add;             /* true for a ValidateCounters call that adds, false for one that removes */
    uint32_t identifiers; /* number of identifiers in lpData */
    struct perflibv2_tap_rules rules[PERFLIBV2_TAP_PARTS];
    const struct request_finding *finding; /* findings about the client's requests; NULL: none */
    uint32_t bytes;                        /* size of the stub; for an answer, of both stubs */
    /* Members of responses */
    bool has_return_code; /* false: the return code was cut off by the snap length */
    uint32_t return_code;
    uint32_t refused;   /* number of identifiers with an error status */
    uint32_t size;      /* size of lpData; for a PDU that could not be read, size of its stub */
    bool is_size_probe; /* dwInSize is 0, so that the client learns the required size */
    bool too_small;     /* the client's buffer was too small */
    nstime_t response_time;
    bool asks_values; /* true for an answer to QueryCounterData */
    unsigned num_values;
    bool is_poll;      /* true for a successful answer to QueryCounterData */
    bool has_interval; /* true for a poll that is neither the handle's first nor out of order */
    double interval;   /* seconds since the previous poll */
};

#endif /* PERFLIB_PERFLIBV2_RECORD_H */
