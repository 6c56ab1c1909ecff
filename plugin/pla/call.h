/* call.h
 * The state of a call, a request or response being read, and what a call teaches
 *
 * A request or response is read without a tree first: for the Info column, for statistics, and on the first pass to
 * learn. Only what is known by then is shown. Whether a call succeeded is decided when its answer was read so, and of
 * one that failed nothing is learned.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_CALL_H
#define PERFLIB_PLA_CALL_H

#include "pla/methods.h"
#include "pla/objects.h"
#include "pla/orpc.h"
#include "pla/record.h"

/* What a call taught, for its response and for later passes. File scope. */
struct pla_call {
    struct pla_object *object; /* the call is made to; NULL without IPID */
    const char *name;          /* the request gives the object, if the call succeeds */
    const char *role;          /* of what the call returns: "[2]"; NULL: the parameter's name */
    const char *member;        /* Invoke: name of the DISPID; GetIDsOfNames: the first name */
    /* struct pla_object * (or NULL) that interface pointers refer to, in order; or NULL. */
    wmem_array_t *request_objects;
    wmem_array_t *response_objects;
    const struct pla_interface *iface; /* the call came under */
    const char *activation;            /* the operation that was to make an object of iface; else NULL. Constant */
    bool asynchronous;                 /* Start or Stop that does not wait */
    bool answered;
};

/* An interface pointer that was read. */
struct pla_found {
    struct orpc_objref ref;
    const char *role;                  /* how the call returned it; NULL: it did not */
    const struct pla_interface *iface; /* that it is known to have, or NULL */
    bool from_collection;              /* it belongs to the collection that the enumerator called is of */
    bool validation;                   /* a value map of HRESULTs, or an item of one */
};

/* A request or response being read. Packet scope. */
struct pla_pdu {
    struct orpc o; /* first, so that what is called back with it knows the rest */
    const struct pla_interface *iface;
    const struct pla_method *method;
    struct pla_call *call;
    bool response;
    bool learning;        /* first pass, while reading: what the call is about is kept for its response */
    bool reading;         /* without a tree: what is learned, counted, said in a line; else to be shown */
    unsigned num_objects; /* interface pointers shown */
    wmem_array_t *found;  /* struct pla_found, while reading */
    wmem_strbuf_t *info;  /* what the Info column says, while reading */
    struct pla_tap record;
    const char *named; /* name the object was found to have */
    bool has_dispid;   /* GetIDsOfNames answered */
    int32_t dispid;
    bool has_text; /* some string parameter so far is not empty */
    tvbuff_t *xml; /* text in UTF-8, dissected at the end */
    proto_tree *xml_tree;
};

/* First pass: the state of a call whose request is there; object NULL without IPID. */
struct pla_call *pla_call_new(struct pla_object *object);

/* First pass, after reading: what the request or response teaches. */
void pla_call_learn(struct pla_pdu *pdu);

/* The record of what was read, with what is known about the data collector set. */
void pla_call_record(struct pla_pdu *pdu);

/* Fills an empty record with what is known of a call that a fault answered in that frame. */
void pla_call_record_fault(const struct pla_call *call, const char *method, uint32_t frame, struct pla_tap *record);

/* The object that interface pointer number refers to, as the first pass found it; NULL where it was not known. */
const struct pla_object *pla_call_referred(const struct pla_pdu *pdu, unsigned number);

#endif /* PERFLIB_PLA_CALL_H */
