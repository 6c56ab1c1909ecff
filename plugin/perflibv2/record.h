/* record.h
 * What the PerflibV2 dissector hands to statistics: one record a PDU
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_RECORD_H
#define PERFLIB_PERFLIBV2_RECORD_H

#include "compat.h"

#include "base/asking.h"
#include "base/key-needed.h"
#include "perflibv2/rules/list.h"

/* A handle from its opening to its closing, as it is known by the time of the call. */
struct perflibv2_tap_query {
    const void *id; /* the same for all calls of one life; file scope. NULL: the call is on no handle */
    e_guid_t handle;
    const char *host;   /* file scope */
    uint32_t opened_in; /* frame; 0: not opened in the capture */
    uint32_t closed_in; /* 0: not closed */
};

/* How often each rule was checked and broken in a part of the PDU. NULL: never. */
struct perflibv2_tap_rules {
    const uint32_t *checked, *broken;
};

#define PERFLIBV2_TAP_PARTS 2 /* the stub, and lpData */

/* Queued to the tap "perflibv2"; packet scope. */
struct perflibv2_tap {
    const char *operation;
    bool is_response;
    /*
     * Why the PDU could not be read: then only the query's host, size (of the fragment's stub) and of a response
     * is_poll (any QueryCounterData) and response_time (zero where the request is missing) are set below. Else NULL.
     */
    const char *unread;
    const struct key_needed *needed; /* ... for want of a key: a sentence that says which; file scope. Else NULL */
    bool is_last;                    /* ... and is the last of its fragments */
    /* A response that is a fault: then query, is_change and add are set below. */
    bool is_fault;
    uint32_t fault; /* the status, 0: not captured */
    struct perflibv2_tap_query query;
    bool is_open;         /* OpenQueryHandle: without a handle there is nothing to ask */
    bool is_change;       /* ValidateCounters */
    bool add;             /* ... that adds, not removes */
    uint32_t identifiers; /* in lpData */
    struct perflibv2_tap_rules rules[PERFLIBV2_TAP_PARTS];
    const struct asking_finding *asking; /* what is to be said of the call so far; NULL: nothing */
    uint32_t bytes;                      /* of the stub; of an answer with that of its request */
    /* Of responses: */
    bool has_return_code; /* a snap length may have cut it off */
    uint32_t return_code;
    uint32_t refused;   /* identifiers with an error status */
    uint32_t size;      /* bytes of lpData; of a PDU that could not be read, of its stub */
    bool is_size_probe; /* asked with no room at all, to learn the size */
    bool too_small;     /* the client's room was */
    nstime_t response_time;
    bool asks_values; /* an answer of QueryCounterData */
    unsigned num_values;
    bool is_poll;      /* a successful QueryCounterData */
    bool has_interval; /* ... that is not the handle's first, nor of an earlier time */
    double interval;   /* seconds since the one before */
};

#endif /* PERFLIB_PERFLIBV2_RECORD_H */
