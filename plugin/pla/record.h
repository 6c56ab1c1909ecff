/* record.h
 * Tap records of [MS-PLA]: one per request and one per response
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_RECORD_H
#define PERFLIB_PLA_RECORD_H

#include "compat.h"

#include "base/key-needed.h"

/* Record of the tap "pla". Packet scope. */
struct pla_tap {
    const char *interface_name; /* name of the interface; constant, as is .method_name */
    const char *method_name;
    bool is_response;
    /* true if the PDU could not be decrypted: then only the members up to `needed` are set */
    bool is_unread;
    bool is_last; /* true for the last fragment */
    /* the missing key, file scope; NULL if a missing key is not the reason */
    const struct key_needed *needed;
    bool is_fault;          /* true if the answer is a fault */
    const char *fault_text; /* name of the fault's status, or a note that it was not captured; packet scope */
    bool has_hresult;
    uint32_t hresult;
    const void *set;        /* identity of the data collector set, file scope; NULL if none */
    const char *set_name;   /* name of the set in this frame, file scope; NULL if unknown */
    const char *asked_name; /* name of the set that a failed Query or Commit asked for, file scope; or NULL */
    const char *server;     /* address of the set's server, file scope; NULL without a set */
    const char *status;     /* status in the answer of Status (Get), also by IDispatch; or NULL */
};

/* Address at which an object can be called. Packet scope. */
struct pla_object_address {
    const char *server; /* address as text; NULL: that of the answering server */
    uint16_t port;
};

/* Record of the tap "pla_activation": a request for an object of an [MS-PLA] class, or its answer. Packet scope. */
struct pla_activation {
    const char *class_name; /* class name; constant */
    bool is_response;
    bool has_hresult; /* true in responses whose HRESULT was captured */
    uint32_t hresult;
    unsigned num_addresses;
    const struct pla_object_address *addresses;
};

#endif /* PERFLIB_PLA_RECORD_H */
