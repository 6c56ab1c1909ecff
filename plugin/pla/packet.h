/* packet.h
 * The objects behind calls, the state of a call, a request or response being read, what a call teaches, and what a
 * person sees of it
 *
 * A request or response is read without a tree first: for the Info column, for statistics, and on the first pass to
 * learn. Only what is known by then is shown. Whether a call succeeded is decided when its answer was read so, and of
 * one that failed nothing is learned.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_PACKET_H
#define PERFLIB_PLA_PACKET_H

#include "compat.h"

#include <epan/prefs.h>

#include "base/rpc-call.h"
#include "base/stub-check.h"
#include "pla/methods.h"
#include "pla/oaut.h"
#include "pla/orpc.h"
#include "pla/record.h"

/*
 * What the capture has taught about the objects behind the calls: which interface an IPID is, what it is called, and to
 * which data collector set it belongs
 *
 * Objects live as long as the capture file. They are learned on the first pass only. A name counts from the frame that
 * taught it on, and the first one also before it, which a later pass shows.
 */

/* Bytes of a name that are kept; what names take stays bounded, whatever a capture says. */
#define PLA_MAX_NAME 80

struct pla_object {
    const struct pla_interface *iface; /* NULL: none of [MS-PLA]'s was seen */
    uint32_t frame;                    /* that taught it: an answer, or the first call */
    const char *role;                  /* how it was got: "DataCollectors", "[2]"; NULL for activated ones */
    wmem_array_t *names;               /* struct pla_name, by frame; NULL until one is learned */
    const char *server;                /* address as text: where it is called, else where it was given */
    struct pla_object *parent;         /* that returned it; where there is a role, there is a parent */
    struct pla_object *set;            /* data collector set it is, or belongs to, or NULL */
    uint64_t oid;                      /* where it has one */
    unsigned num_ipids;                /* that clients hold or may hold references to */
    uint64_t next;                     /* an enumerator's next element, counted from 0 */
    bool knows_next;                   /* ... where it is known */
    bool has_oid;
    bool is_called;
    bool validation; /* a value map of HRESULTs, or an item of one */
};

/* ---- objects.c ---- */

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
 * one that was just made both IPIDs are the same. iface: an interface that the object has, NULL for one that is not
 * [MS-PLA]'s. An object that was not known becomes so where there is one.
 */
void pla_object_queried(packet_info *pinfo, const e_guid_t *asked, const struct pla_interface *iface,
    const struct orpc_objref *got);
/*
 * First pass: the server that answers has added public references to an IPID, or taken them back (count < 0). Once it
 * has taken back all that it gave, the IPID is nobody's until it is given again.
 */
void pla_object_add_references(packet_info *pinfo, const e_guid_t *ipid, int64_t count);

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
 * Names by DISPID: of members (member: PLA_NO_MEMBER), or of a member's arguments. They belong to the server, and to an
 * interface, or to the object if none of its interfaces is known.
 */
#define PLA_NO_MEMBER INT64_MAX

/* First pass: an answer gave it. The name is copied. */
void pla_dispid_learn(packet_info *pinfo, const struct pla_interface *iface, const struct pla_object *object,
    int64_t member, int32_t dispid, const char *name);
/* First pass: what the server that is called last said it is, else what the IDL says; NULL: nothing. */
const char *pla_dispid_name(packet_info *pinfo, const struct pla_interface *iface, const struct pla_object *object,
    int64_t member, int32_t dispid);

/* What a call taught, for its response and for later passes. File scope. */
struct pla_call {
    struct pla_object *object; /* the call is made to; NULL without IPID */
    const char *name;          /* the request gives the object, if the call succeeds */
    const char *role;          /* of what the call returns: "[2]"; NULL: the parameter's name */
    const char *member;        /* Invoke: name of the DISPID; GetIDsOfNames: the first name */
    int32_t dispid;            /* Invoke */
    unsigned num_arguments;    /* GetIDsOfNames: names of the member's arguments, */
    const char **arguments;    /* ... each "" where it was not sent */
    uint64_t next;             /* IEnumVARIANT: the element at which the call begins, */
    bool knows_next;           /* ... where it is known, */
    uint64_t moves;            /* ... and by how many a success moves on: Skip */
    /* struct pla_object * (or NULL) that interface pointers refer to, in order; or NULL. */
    wmem_array_t *request_objects;
    wmem_array_t *response_objects;
    const struct pla_interface *iface; /* the call came under */
    const char *activation;            /* the operation that was to make an object of iface; else NULL. Constant */
    const char *class_name;            /* ... of what class; constant */
    bool asynchronous;                 /* Start or Stop that does not wait */
    bool answered;
};

/* An interface pointer that was read. */
struct pla_found {
    struct orpc_objref ref;
    const char *role;                  /* how the call returned it; NULL: it did not */
    const struct pla_interface *iface; /* that it is known to have, or NULL */
    bool is_element;                   /* of the collection that the enumerator called is of */
    bool validation;                   /* a value map of HRESULTs, or an item of one */
};

/* A request or response being read: first quietly, to learn, count and say; then to be shown. Packet scope. */
struct pla_pdu {
    struct orpc o; /* first, so that what is called back with it knows the rest */
    const struct pla_interface *iface;
    const struct pla_method *method;
    struct pla_call *call;
    bool response;
    bool learning;        /* first pass, while quiet: what the call is about is kept for its response */
    unsigned num_objects; /* interface pointers shown */
    wmem_array_t *found;  /* struct pla_found, while quiet */
    wmem_strbuf_t *info;  /* what the Info column says, while quiet */
    struct pla_tap record;
    const char *named;    /* name the object was found to have */
    unsigned num_dispids; /* GetIDsOfNames answered: of the member and its arguments */
    uint32_t dispids[DISPATCH_MAX_NAMES];
    struct dispatch_arguments *arguments; /* of Invoke; else NULL */
    uint64_t num_elements;                /* that Next returned */
    bool has_text;                        /* some string parameter so far is not empty */
    tvbuff_t *xml;                        /* text in UTF-8, dissected at the end */
    proto_tree *xml_tree;
};

/* ---- call.c ---- */

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

/* ---- packet-pla.c ---- */

/*
 * Dissects a request or response of iface. first: nothing of it was learned yet. Returns the offset after what was
 * read, like what packet-dcerpc calls.
 */
int pla_dissect(const struct ndr *stub, const struct pla_interface *iface, struct pla_call *call, bool response,
    bool first);

/*
 * Adds a tree of [MS-PLA]'s own to the packet, beside that of the interface the call came under, with the operation
 * (-1: not known), and returns it. NULL where there is no tree.
 */
proto_tree *pla_add_tree(tvbuff_t *tvb, proto_tree *tree, const struct pla_interface *iface, int opnum,
    const char *label);

/* Whether [MS-PLA] is to be dissected: a user may have switched it off. */
bool pla_is_enabled(void);

/* ---- params.c ---- */

/* Reads one parameter. */
void pla_read_param(struct pla_pdu *pdu, const struct pla_param *param);

/* Faults that answer calls, and PDUs that could not be read: to be noted with a struct pla_call of each request. */
extern const struct rpc_listener pla_listener;

/* ---- faults.c ---- */

/* Fields and expert items; called once, with the protocol that owns them and the tap "pla". */
void pla_faults_register(int proto, int tap);

/*
 * DCOM's own interfaces, as far as calls to them are about objects of [MS-PLA]. Scripts call an object's members under
 * IDispatch; RemQueryInterface tells the object's other IPIDs; activation tells the first one. Wireshark dissects all
 * three: it gets copies of its operation tables that ask us first.
 */

/* ---- hooks.c ---- */

/* Called once at start, and at handoff, when Wireshark's own interfaces are there. */
void pla_hooks_register(void);
void pla_hooks_init(void);
/* A class of [MS-PLA] that is named anywhere in these bytes, or NULL. */
const struct pla_class *pla_hooks_find_class(const uint8_t *bytes, unsigned length);

/* ---- recognise.c ---- */

/* See stub_recogniser: calls to objects that are known, requests for such objects. */
bool pla_recognise(const struct stub_sample *sample, packet_info *pinfo, struct stub_recognised *found);

/*
 * What a person sees of a call: fields with what they mean, and the words of the Info column
 *
 * While a stub is read without a tree (struct orpc, quiet) only the Info column's words are made, else only items.
 */

/* ---- tree.c ---- */

/* Adds " name=value", or name="text" with what does not print escaped and the end cut off, to the Info column. */
void pla_info(struct pla_pdu *pdu, const char *name, const char *value);
void pla_info_text(struct pla_pdu *pdu, const char *name, const char *text);

/* The field's own type decides: some hold a long here and an unsigned long there. */
proto_item *pla_show_plain_number(struct pla_pdu *pdu, const struct pla_field *field, int offset, int size,
    int64_t value);
/* With unit, what 0 means, the name of an enumeration's value and its bits. */
void pla_show_number(struct pla_pdu *pdu, const struct pla_field *field, int offset, int size, int64_t value);
/* Whether an enumeration was sent in 16 or 32 bits. */
void pla_show_width(struct pla_pdu *pdu, int offset, unsigned bits);

/* A BSTR parameter; out: in the response. */
void pla_show_bstr(struct pla_pdu *pdu, const struct pla_field *field, bool out, const struct oaut_bstr *bstr);
/* Below each element of an array: the parts of a counter path, of an alert threshold. For struct oaut_array. */
void pla_show_path(struct orpc *o, proto_item *item, const char *text);
void pla_show_threshold(struct orpc *o, proto_item *item, const char *text);
/* What was read of an array, after its elements. item may be NULL. */
void pla_show_array(struct pla_pdu *pdu, proto_item *item, const struct pla_field *field,
    const struct oaut_array *array);
/* A VARIANT's value as the field, from start to where the stub is read. */
void pla_show_variant(struct pla_pdu *pdu, const struct pla_field *field, unsigned start,
    const struct oaut_variant *variant);
/* The member that a DISPID is, or the DISPID. item may be NULL. */
void pla_show_member(struct pla_pdu *pdu, proto_item *item, int32_t dispid);
/* What an interface pointer refers to. Called for each in order. item may be NULL. */
void pla_show_reference(struct pla_pdu *pdu, proto_item *item, const struct orpc_objref *ref);
/* The method's HRESULT in the 4 bytes at offset; found: not where it was expected, but at the stub's end. */
void pla_show_hresult(struct pla_pdu *pdu, int offset, bool found);

/* Interface, and the object the call is made to, where they are known; ipid and object may be NULL. */
void pla_show_object(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, const struct pla_interface *iface,
    const e_guid_t *ipid, const struct pla_object *object);
/* The object in the Info column, where it is known; it may be NULL. */
void pla_say_object(packet_info *pinfo, const struct pla_object *object);
/* Ends the Info column's text: parameters, object, outcome. */
void pla_finish_info(struct pla_pdu *pdu);
/* XML in a tree of its own, last, so that nothing it meets can lose what is before it. */
void pla_show_xml(struct pla_pdu *pdu);

/* Whether passwords are to be shown. */
bool pla_shows_passwords(void);

/* Fields, expert items, subtrees and preferences; called once. */
void pla_tree_register(int proto, module_t *module);
/* Finds Wireshark's fields and dissectors; called once, at handoff. */
void pla_tree_init(void);

/* Whether decrypted bytes can be a stub of DCOM */

/* ---- sense.c ---- */

/* See stub_check; [MS-DCOM] 2.2.13. Calls of any object: those of [MS-PLA] go over the same connections. */
int pla_sense(const struct stub_sample *sample);

/* Registers it for every interface that is met where [MS-PLA] is spoken; the listener is of those of [MS-PLA]. */
void pla_sense_register(const struct rpc_listener *listener);

#endif /* PERFLIB_PLA_PACKET_H */
