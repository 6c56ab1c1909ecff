/* objects.h
 * What the capture has taught about the objects behind the calls: which interface an
 * IPID is, what it is called, and to which data collector set it belongs
 *
 * Objects live as long as the capture file. They are learned on the first pass only;
 * a call keeps what was known when it was made, so that later passes say the same.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_OBJECTS_H
#define PERFLIB_PLA_OBJECTS_H

#include "pla/methods.h"
#include "pla/orpc.h"

/* Bytes of a name that are kept; what names take stays bounded, whatever a capture says. */
#define PLA_MAX_NAME 80

struct pla_object {
    const struct pla_interface *interface;  /* NULL: none of [MS-PLA]'s */
    uint32_t frame;                 /* that taught it: an answer, or the first call */
    const char *role;               /* how it was got: "DataCollectors", "[2]"; NULL for activated ones */
    const char *name;               /* NULL until learned */
    const char *server;             /* its address as text */
    struct pla_object *parent;      /* that returned it; where there is a role, there is a parent */
    struct pla_object *set;         /* data collector set it is, or belongs to, or NULL */
    bool validation;                /* a value map of HRESULTs, or an item of one */
    const char *label;              /* cached, see pla_object_label() */
    unsigned label_generation;
};

/* Called once at start. */
void pla_objects_init(void);

/* First pass: the object a call is made to. Never NULL; learned now where it was not known. */
struct pla_object *pla_object_called(packet_info *pinfo, const e_guid_t *ipid, const struct pla_interface *interface);

/*
 * First pass: an object that the answer to a call on parent (not NULL) returned, role saying how. Returns NULL
 * where the reference has no IPID.
 */
struct pla_object *pla_object_returned(packet_info *pinfo, const struct orpc_objref *ref, struct pla_object *parent,
                                       const char *role);

/* An object that some earlier answer from either side of the packet returned, or NULL. */
struct pla_object *pla_object_find(packet_info *pinfo, const e_guid_t *ipid);

/* First pass: what a call taught the object's name to be. */
void pla_object_set_name(struct pla_object *object, const char *name);

/*
 * What to call it: "Set1" for a set, "Set1.DataCollectors[0]" for what belongs to it, the name in quotes behind where it
 * has one of its own. "" where nothing is known. File scope, of bounded length.
 */
const char *pla_object_label(struct pla_object *object);

/* First pass: names of IDispatch members by interface and DISPID. The name is copied. */
void pla_dispid_learn(const struct pla_interface *interface, int32_t dispid, const char *name);
/* Learned, or fixed by the IDL; else NULL. */
const char *pla_dispid_name(const struct pla_interface *interface, int32_t dispid);

#endif /* PERFLIB_PLA_OBJECTS_H */
