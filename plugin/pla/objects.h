/* objects.h
 * What the capture has taught about the objects behind the calls: which interface an
 * IPID is, what it is called, and to which data collector set it belongs
 *
 * Objects live as long as the capture file. They are learned on the first pass only. A name counts from the frame that
 * taught it on, and the first one also before it, which a later pass shows.
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
    const struct pla_interface *iface; /* NULL: none of [MS-PLA]'s was seen */
    uint32_t frame;                    /* that taught it: an answer, or the first call */
    const char *role;                  /* how it was got: "DataCollectors", "[2]"; NULL for activated ones */
    wmem_array_t *names;               /* struct pla_name, by frame; NULL until one is learned */
    const char *server;                /* its address as text */
    struct pla_object *parent;         /* that returned it; where there is a role, there is a parent */
    struct pla_object *set;            /* data collector set it is, or belongs to, or NULL */
    uint64_t oid;                      /* where it has one */
    bool has_oid;
    bool validation; /* a value map of HRESULTs, or an item of one */
};

/* Called once at start. */
void pla_objects_init(void);

/* First pass: the object a call is made to. Never NULL; learned now where it was not known. */
struct pla_object *pla_object_called(packet_info *pinfo, const e_guid_t *ipid, const struct pla_interface *iface);
/* First pass: the same, NULL where it is not known to be one of [MS-PLA]'s. */
struct pla_object *pla_object_known(packet_info *pinfo, const e_guid_t *ipid);

/*
 * First pass: an object that the answer to a call on parent (not NULL) returned, role saying how; iface is the one it
 * is known to have (NULL: the reference's own). Returns NULL where the reference has no IPID.
 */
struct pla_object *pla_object_returned(packet_info *pinfo, const struct orpc_objref *ref, struct pla_object *parent,
    const char *role, const struct pla_interface *iface);
/*
 * First pass: an answer gave another IPID, and the OID, of the object whose IPID was asked, [MS-DCOM] 3.1.1.5.6.1.1; of
 * one that was just made both IPIDs are the same. iface: the interface got, NULL for one that is not [MS-PLA]'s. An
 * object that was not known becomes so where there is one. iid: what the other IPID stands for.
 */
void pla_object_queried(packet_info *pinfo, const e_guid_t *asked, const struct pla_interface *iface, uint64_t oid,
    const e_guid_t *ipid, const e_guid_t *iid);

/* First pass: the interface of [MS-PLA] that an IPID, to which a call is made, is known to stand for, or NULL. */
const struct pla_interface *pla_object_interface(packet_info *pinfo, const e_guid_t *ipid);

/* An object that some earlier answer from either side of the packet returned, or NULL. */
struct pla_object *pla_object_find(packet_info *pinfo, const e_guid_t *ipid);

/* First pass: what a call answered in this frame taught the object's name to be, as line_text_copy() bounds it. */
void pla_object_set_name(struct pla_object *object, uint32_t frame, const char *name);
/* Its name in a frame: the one last taught until then, else the first that was; NULL where none was. File scope. */
const char *pla_object_name(const struct pla_object *object, uint32_t frame);

/*
 * What to call it in a frame: "Set1" for a set, "Set1.DataCollectors[0]" for what belongs to it, the name in quotes
 * behind where it has one of its own. "" where nothing is known. Of bounded length, in scope.
 */
const char *pla_object_label(wmem_allocator_t *scope, const struct pla_object *object, uint32_t frame);

/*
 * First pass: names of IDispatch members by DISPID and what they are members of: an interface, or an object (without
 * one). The name is copied.
 */
void pla_dispid_learn(const struct pla_interface *iface, const struct pla_object *object, int32_t dispid,
    const char *name);
/* Learned, or fixed by the IDL; else NULL. */
const char *pla_dispid_name(const struct pla_interface *iface, const struct pla_object *object, int32_t dispid);

#endif /* PERFLIB_PLA_OBJECTS_H */
