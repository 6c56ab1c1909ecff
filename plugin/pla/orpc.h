/* orpc.h
 * Object RPC, [MS-DCOM] 2.2: what comes before and after the parameters of a DCOM call,
 * and the references to objects inside it
 *
 * Wireshark's own DCOM helpers follow counts from the wire into its "dissector bug"
 * checks and cannot say what was wrong, so the marshalling is read here; the items are
 * Wireshark's own dcom.* fields, so that its filters find these calls too.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_ORPC_H
#define PERFLIB_PLA_ORPC_H

#include "compat.h"

#include <epan/expert.h>

#include "base/ndr.h"

/* A stub being read. */
struct orpc {
    struct ndr ndr;    /* with the tree that items go to; NULL: what is read is not shown */
    proto_tree *top;   /* of the call: there is said what is wrong with what is not shown */
    bool failed;       /* a length lies, or what follows cannot be found, and that was said: nothing more is read */
    unsigned depth;    /* VARIANTs we are inside of */
    unsigned elements; /* array elements shown so far: their number is bounded, see orpc_may_show() */
    const char *error_text; /* what the answer's error information says, packet scope; else NULL */
    bool quiet;             /* read to learn, with no tree: it is read once more to be shown, and judged then */
};

/* A part of the stub, whose items are in a tree of their own. */
struct orpc_part {
    proto_item *item; /* of the part; NULL where there is none */
    proto_tree *parent;
};

/* The most bindings of an OBJREF that are kept; Windows sends one for each of its addresses. */
#define ORPC_MAX_BINDINGS 8

/* Where an object is called over TCP, as a string binding says it, [MS-DCOM] 2.2.19.3. */
struct orpc_binding {
    uint8_t address[16];
    uint8_t size;  /* of the address; 0: it is a name */
    uint16_t port; /* 0: none, or that of activations */
};

/* OBJREF, [MS-DCOM] 2.2.18, with where it stands. */
struct orpc_objref {
    bool null;      /* no interface pointer was sent; nothing below is set */
    bool standard;  /* has a STDOBJREF: oid and ipid are set */
    uint32_t flags; /* OBJREF_STANDARD 1, HANDLER 2, CUSTOM 4, EXTENDED 8 */
    e_guid_t iid;
    uint64_t oid;
    e_guid_t ipid;
    uint32_t public_refs; /* that it gives */
    unsigned num_bindings;
    struct orpc_binding bindings[ORPC_MAX_BINDINGS];
    unsigned offset; /* of the OBJREF in the stub */
    unsigned size;   /* its bytes */
};

/* Expert items and subtrees; called once, with the protocol that owns them. */
void orpc_register(int proto);
/* Finds Wireshark's dcom.* fields; called once, at handoff. */
void orpc_init(void);

/* Adds an item, unless Wireshark has no such field; little-endian. */
proto_item *orpc_item(const struct orpc *o, int hf, unsigned offset, unsigned size);
/* The same where the user asked for referents and counts (preference of Wireshark's DCOM protocol). */
void orpc_detail(const struct orpc *o, int hf, unsigned offset, unsigned size);

/* A part that begins here, under plain text. */
struct orpc_part orpc_enter(struct orpc *o, const char *label);
/* The same of an array's element, which is not shown once there were too many. */
struct orpc_part orpc_enter_element(struct orpc *o, const char *label);
/* A part that has an item; NULL: it is not shown. */
struct orpc_part orpc_enter_item(struct orpc *o, proto_item *item);
/* The part ends here. */
void orpc_leave(struct orpc *o, struct orpc_part part);

/* An expert item at item; text (NULL: the expert field's own) is said. Nothing where the stub is read quietly. */
void orpc_expert(const struct orpc *o, proto_item *item, expert_field *ei, const char *text);
/* The same as an item of its own, over size bytes, as far as they were captured. */
void orpc_expert_at(const struct orpc *o, expert_field *ei, unsigned offset, unsigned size, const char *text);

/* True if size bytes are left from here; else an expert item names what was cut, and the stub has failed. */
bool orpc_room(struct orpc *o, uint64_t size, const char *what);
/* The stub has failed: an expert item says that a structure makes no sense, over size bytes. */
void orpc_malformed(struct orpc *o, unsigned offset, unsigned size, const char *what);
/* Says that a value breaks its rule though it could be read. */
void orpc_odd(struct orpc *o, proto_item *item, const char *what);
void orpc_odd_format(struct orpc *o, unsigned offset, unsigned size, const char *format, ...) G_GNUC_PRINTF(4, 5);
/* False once a call has shown so many array elements that the tree is full; says so once. */
bool orpc_may_show(struct orpc *o);

/* By the call's byte order, aligned to their size; of a stub that has failed all is 0. */
uint16_t orpc_uint16(struct orpc *o, int hf, const char *what);
uint32_t orpc_uint32(struct orpc *o, int hf, const char *what);
e_guid_t orpc_guid(struct orpc *o, int hf, const char *what);
/* A referent of a unique pointer, [C706] 14.3.10; shown among the details. */
uint32_t orpc_referent(struct orpc *o, const char *what);

/* ORPCTHIS and ORPCTHAT with their extents, [MS-DCOM] 2.2.13.3 and .4. */
void orpc_this(struct orpc *o);
void orpc_that(struct orpc *o);

/*
 * PMInterfacePointer, [MS-DCOM] 2.2.14: referent, then MInterfacePointer. Makes no items,
 * orpc_show_objref() does. ref is set in full, also where the stub fails.
 */
void orpc_interface_pointer(struct orpc *o, struct orpc_objref *ref);
/* The same without referent, as array elements follow theirs. */
void orpc_minterface_pointer(struct orpc *o, struct orpc_objref *ref);
/* What an OBJREF of size bytes says, which ref is to be empty for; false: it is none. */
bool orpc_read_objref(tvbuff_t *tvb, unsigned offset, unsigned size, struct orpc_objref *ref);
/* The bindings with a port anywhere in these bytes, at most ORPC_MAX_BINDINGS; returns their number. */
unsigned orpc_find_bindings(tvbuff_t *tvb, struct orpc_binding *bindings);
void orpc_show_objref(const struct orpc *o, const struct orpc_objref *ref);

#endif /* PERFLIB_PLA_ORPC_H */
