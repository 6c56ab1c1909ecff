/* record.h
 * What the performance data dissector hands to statistics: one record an answer
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_RECORD_H
#define PERFLIB_PERFDATA_RECORD_H

#include "compat.h"

#include "base/asking.h"
#include "base/key-needed.h"

#define POLICY_HANDLE_SIZE 20

/* Queued to the tap "perfdata"; packet scope. */
struct perfdata_tap {
    /* The handle, one life of it, as it is known by the time of the call. */
    const void *key;       /* the same for all calls of one life; file scope. NULL: nothing was opened yet */
    const uint8_t *handle; /* POLICY_HANDLE_SIZE bytes; file scope */
    const char *host;      /* file scope */
    uint32_t opened_in;    /* frame; 0: not in the capture, recognised by what was read with it */
    uint32_t closed_in;    /* 0: not closed */
    bool is_close;         /* the handle was closed; all else is of QueryValue answers, or as follows */
    const char *operation; /* of a fault or an unread PDU: what was called; file scope or constant. Else NULL */
    /*
     * Why a PDU of the registry could not be read: which key it is about is not known. Then host, size (of the
     * fragment's stub), is_response, is_last and response_time are set. Else NULL.
     */
    const char *unread;
    const struct key_needed *needed; /* ... for want of a key: a sentence that says which; file scope. Else NULL */
    bool is_response, is_last;
    const char *value_name; /* file scope; NULL: unknown */
    bool failed;
    bool too_small; /* ... because the client had too little room */
    uint32_t size;  /* bytes of data */
    uint32_t bytes; /* of the stubs of a QueryValue; 0: of another call, or the request is not known */
    const struct asking_finding *asking; /* what is to be said of the call; NULL: nothing */
    bool has_interval;                   /* a sample, and not the first */
    double interval;                     /* seconds since the one before */
    nstime_t response_time;
};

/* Queued to the tap "perfdata_return": the return code of an answer about performance data; packet scope. */
struct perfdata_return {
    const char *operation; /* constant */
    bool is_open;          /* of the key: without it there is nothing to read */
    uint32_t error;
    bool asks_values; /* the request was for values, not for names */
    unsigned num_values;
};

#endif /* PERFLIB_PERFDATA_RECORD_H */
