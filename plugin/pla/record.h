/* record.h
 * What the [MS-PLA] dissector hands to statistics: one record a request, one a response
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_RECORD_H
#define PERFLIB_PLA_RECORD_H

#include "compat.h"

#include <stdbool.h>
#include <stdint.h>

#include <wsutil/nstime.h>

#include "base/key-needed.h"

/* Queued to the tap "pla"; packet scope. */
struct pla_tap {
    const char *interface_name; /* constant, as that of the method */
    const char *method_name;
    bool is_response;
    /* Sealed, and could not be opened: only these are set. */
    bool is_unread;
    bool is_last;                    /* it is the last of its fragments */
    const struct key_needed *needed; /* for want of a key: a sentence that says which; file scope. Else NULL */
    bool is_fault;                   /* a fault stands in place of the answer */
    const char *fault_text;          /* its status by name, or that it was not captured; packet scope */
    uint32_t fault;                  /* the status, 0: not captured */
    bool has_hresult;
    uint32_t hresult;
    const void *set;         /* which data collector set the call is about; file scope. NULL: none */
    const char *set_name;    /* what it was called then, or NULL; file scope */
    const char *asked_name;  /* what a call that failed would have called it, or NULL; file scope */
    const char *sought_name; /* another set, which Query asked for and did not get, or NULL; file scope */
    const char *server;      /* its address; file scope. NULL without set */
    const char *status;      /* answer of Status (Get), also under IDispatch, or NULL */
};

struct pla_object_place {
    const char *server; /* address as text; NULL: that of the server that answered */
    uint16_t port;
};

/* Queued to the tap "pla_activation": a client asks for one of [MS-PLA]'s classes, and is answered; packet scope. */
struct pla_activation {
    const char *class_name; /* constant */
    bool is_response;
    bool has_hresult; /* of responses */
    uint32_t hresult;
    unsigned num_places;
    const struct pla_object_place *places; /* ... where the object may be called */
};

#endif /* PERFLIB_PLA_RECORD_H */
