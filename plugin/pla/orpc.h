/* orpc.h
 * Object RPC, [MS-DCOM] 2.2: the headers and trailers around a DCOM call's parameters, and object references
 *
 * Wireshark's own DCOM functions report wrong counts on the wire as "dissector bug", without the cause. So the plugin
 * unmarshals the stubs. It uses Wireshark's dcom.* fields, so that filters on these find the plugin's items, too.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_ORPC_H
#define PERFLIB_PLA_ORPC_H

#include "compat.h"

#include <epan/expert.h>

#include "base/ndr.h"

/* State of reading a stub. */
struct orpc {
    struct ndr ndr;         /* stub, offset and tree; with a NULL tree no items are added */
    proto_tree *top;        /* item of the call, for expert items about values without an item */
    bool failed;            /* true once the stub is malformed or truncated; further reads return 0 */
    unsigned depth;         /* nesting depth of VARIANTs */
    unsigned elements;      /* number of array elements shown so far, limited by orpc_may_show() */
    const char *error_text; /* text of the answer's error information, packet scope; else NULL */
    bool quiet;             /* true while the stub is read without items and expert items */
};

/* Part of the stub with its own subtree. */
struct orpc_part {
    proto_item *item; /* item of the part, or NULL if it is not shown */
    proto_tree *parent;
};

/* Maximum number of bindings kept per OBJREF; Windows sends one per network address. */
#define ORPC_MAX_BINDINGS 8

/* TCP address of an object, from a string binding ([MS-DCOM] 2.2.19.3). */
struct orpc_binding {
    uint8_t address[16];
    uint8_t size;  /* size of the address in bytes; 0 for a host name */
    uint16_t port; /* TCP port; 0 if the binding has none, or only port 135 */
};

/* OBJREF, [MS-DCOM] 2.2.18, and its place in the stub. */
struct orpc_objref {
    bool null;      /* true if no interface pointer was sent; the other members are then unset */
    bool standard;  /* true if it has a STDOBJREF: oxid, oid and ipid are valid */
    uint32_t flags; /* OBJREF_STANDARD 1, HANDLER 2, CUSTOM 4, EXTENDED 8 */
    e_guid_t iid;
    uint64_t oxid; /* OXID: the object exporter of the object */
    uint64_t oid;
    e_guid_t ipid;
    uint32_t public_refs; /* number of public references granted */
    unsigned num_bindings;
    struct orpc_binding bindings[ORPC_MAX_BINDINGS];
    unsigned offset; /* offset of the OBJREF in the stub */
    unsigned size;   /* size of the OBJREF in bytes */
};

/* Registers expert items and subtrees for the protocol. Called once. */
void orpc_register(int proto);
/* Looks up Wireshark's dcom.* fields. Called once, at handoff. */
void orpc_init(void);

/* Adds a little-endian item, or nothing if Wireshark has no such field. */
proto_item *orpc_item(const struct orpc *o, int hf, unsigned offset, unsigned size);
/*
 * Adds an item for a referent ID or count, if the user has set the preference of Wireshark's DCOM protocol for these.
 */
void orpc_detail(const struct orpc *o, int hf, unsigned offset, unsigned size);

/* Begins a part of the stub at the current offset, under a text label. */
struct orpc_part orpc_enter(struct orpc *o, const char *label);
/* Begins a part of the stub for an array element. Not shown once orpc_may_show() returns false. */
struct orpc_part orpc_enter_element(struct orpc *o, const char *label);
/* Begins a part of the stub under `item`. item: NULL if the part is not shown. */
struct orpc_part orpc_enter_item(struct orpc *o, proto_item *item);
/* Ends a part of the stub at the current offset. */
void orpc_leave(struct orpc *o, struct orpc_part part);

/* Adds an expert item at `item`, unless the stub is read quietly. text: NULL for the expert field's own text. */
void orpc_expert(const struct orpc *o, proto_item *item, expert_field *ei, const char *text);
/* Adds an expert item over `size` bytes at offset, or over the captured part of these bytes. */
void orpc_expert_at(const struct orpc *o, expert_field *ei, unsigned offset, unsigned size, const char *text);

/*
 * Returns true if at least `size` bytes are left. Else adds an expert item that names `what` as truncated, and sets
 * o->failed.
 */
bool orpc_room(struct orpc *o, uint64_t size, const char *what);
/* Adds an expert item over `size` bytes for a malformed structure, and sets o->failed. */
void orpc_malformed(struct orpc *o, unsigned offset, unsigned size, const char *what);
/* Adds an expert item for a value that can be read but violates the specification. */
void orpc_odd(struct orpc *o, proto_item *item, const char *what);
void orpc_odd_format(struct orpc *o, unsigned offset, unsigned size, const char *format, ...) G_GNUC_PRINTF(4, 5);
/* Returns false once the call has shown the maximum number of array elements. The first time, adds an expert item. */
bool orpc_may_show(struct orpc *o);

/* Read an aligned integer in the call's byte order. They return 0 if the stub has failed. */
uint16_t orpc_uint16(struct orpc *o, int hf, const char *what);
uint32_t orpc_uint32(struct orpc *o, int hf, const char *what);
e_guid_t orpc_guid(struct orpc *o, int hf, const char *what);
/* Reads the referent ID of a unique pointer, [C706] 14.3.10, and shows it by orpc_detail(). */
uint32_t orpc_referent(struct orpc *o, const char *what);

/* Read ORPCTHIS and ORPCTHAT with their extents, [MS-DCOM] 2.2.13.3 and 2.2.13.4. */
void orpc_this(struct orpc *o);
void orpc_that(struct orpc *o);

/*
 * Reads a PMInterfacePointer, [MS-DCOM] 2.2.14: referent ID, then MInterfacePointer. Adds no items:
 * orpc_show_objref() does. Initialises all of `ref`, even if the stub fails.
 */
void orpc_interface_pointer(struct orpc *o, struct orpc_objref *ref);
/* Reads an MInterfacePointer without a referent ID: in arrays all referent IDs precede the elements. */
void orpc_minterface_pointer(struct orpc *o, struct orpc_objref *ref);
/* Reads an OBJREF of `size` bytes into `ref`, which must be zeroed. Returns false if it is not an OBJREF. */
bool orpc_read_objref(tvbuff_t *tvb, unsigned offset, unsigned size, struct orpc_objref *ref);
/* Finds string bindings with a port anywhere in the buffer. Returns their number, at most ORPC_MAX_BINDINGS. */
unsigned orpc_find_bindings(tvbuff_t *tvb, struct orpc_binding *bindings);
void orpc_show_objref(const struct orpc *o, const struct orpc_objref *ref);

#endif /* PERFLIB_PLA_ORPC_H */
