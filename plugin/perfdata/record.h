/* record.h
 * Records that the perfdata dissector queues to statistics: one per answer
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_RECORD_H
#define PERFLIB_PERFDATA_RECORD_H

#include "base/request-state.h"
#include "base/key-needed.h"

#define POLICY_HANDLE_SIZE 20

/* Kinds of registry calls that were not decrypted, by their operations */
enum perfdata_operation {
    PERFDATA_OTHER_OPERATION,
    PERFDATA_OPENS_DATA,       /* opens a root key with performance data */
    PERFDATA_OPENS_OTHER_ROOT, /* opens another root key */
    PERFDATA_QUERIES_VALUES,
};

/* Record for the tap "perfdata"; packet scope */
struct perfdata_tap {
    /* key for all calls on one handle from opening to closing; file scope. NULL: nothing was opened yet */
    const void *key;
    const uint8_t *handle; /* handle of POLICY_HANDLE_SIZE bytes; file scope */
    const char *host;      /* HOST of the paths; file scope */
    uint32_t opened_in;    /* frame in which the handle was opened; 0: opening not captured, recognised by its data */
    uint32_t closed_in;    /* frame in which the handle was closed; 0: not closed */
    bool is_close;         /* the handle was closed: no member below is set */
    const char *operation; /* operation of a fault or an unread PDU, in file scope or constant; else NULL */
    /*
     * Reason why a registry PDU was not decrypted, else NULL. If it is set, `key` is NULL, .size is that of the
     * fragment's stub, and members about the value and the answer are not set.
     */
    const char *unread;
    enum perfdata_operation kind;    /* if .unread is set: the operation */
    const struct key_needed *needed; /* if .unread is set: key needed, in file scope; NULL: another reason */
    bool is_response, is_last;
    const char *value_name; /* file scope; NULL: unknown */
    bool failed;
    bool too_small; /* failed because the client's buffer was too small */
    uint32_t size;  /* size of the value's data */
    uint32_t bytes; /* size of the stubs of a QueryValue; 0: another call, or the request is unknown */
    const struct request_finding *finding; /* findings about the client's requests; NULL: none */
    bool has_interval;                     /* false: no sample, or the first, or the clock was set back */
    double interval;                       /* seconds since the previous sample */
    nstime_t response_time;
};

/*
 * Record for the tap "perfdata_return": return code of an answer about performance data, or a request for values;
 * packet scope
 */
struct perfdata_return {
    const char *operation; /* name of the operation; constant. NULL: a request for values; no member is set */
    bool is_open;          /* the call opens the key of performance data */
    uint32_t error;
    bool asks_values; /* the request was for values, not for names */
    unsigned num_values;
};

#endif /* PERFLIB_PERFDATA_RECORD_H */
