/* packet.h
 * Objects of [MS-PLA], state of a call, state of reading a PDU, and display
 *
 * A PDU is first read without a tree: for the Info column, for statistics, and on the first pass to learn from it. The
 * tree then shows only facts known at that time. That first reading decides whether the call succeeded; nothing is
 * learned from a failed call.
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
#include "pla/record.h"

/*
 * Objects of [MS-PLA] seen in the capture: their interfaces by IPID, names, and data collector sets
 * Objects live as long as the capture file. They are learned on the first pass only. A name is valid from the frame
 * that contains it; later passes also use an object's first name for the frames before.
 */

/* Maximum bytes kept of a name, so that memory stays bounded for any capture. */
#define PLA_MAX_NAME 80

/* Names in the course of a capture. Zero-initialised. */
struct pla_names {
    wmem_tree_t *by_frame; /* maps a frame to the name that it contains; NULL if none */
    uint32_t first_frame;
};

struct pla_object {
    const struct pla_interface *iface; /* NULL if no interface of [MS-PLA] was seen */
    uint32_t frame;                    /* frame in which the object was learned: an answer, or the first call */
    const char *role; /* member or index that returned it: "DataCollectors", "[2]"; NULL if activated */
    struct pla_names names;
    const char *server;        /* address at which the object is called, or else of the server that returned it */
    struct pla_object *parent; /* object that returned it; never NULL if `role` is set */
    struct pla_object *set;    /* data collector set that the object is, or is a part of; NULL if unknown */
    uint64_t oid;              /* OID of the object; valid if has_oid */
    unsigned num_ipids;        /* number of IPIDs that clients may hold references to */
    uint64_t next;             /* for an enumerator: index from 0 of the next element */
    bool knows_next;           /* true if `next` is known */
    bool has_oid;
    bool is_called;
    bool validation;  /* true for a value map of HRESULTs or an item of one */
    bool is_keywords; /* true for a value map of keywords */
};

/* ---- objects.c ---- */

/* Returns the object that a call is made to, adding it if it is unknown; never NULL. First pass only. */
struct pla_object *pla_object_called(packet_info *pinfo, const e_guid_t *ipid, const struct pla_interface *iface);
/* Returns the object that a call is made to, or NULL if it is not known as one of [MS-PLA]. First pass only. */
struct pla_object *pla_object_known(packet_info *pinfo, const e_guid_t *ipid);

/*
 * Records an object returned by a call on `parent` (not NULL). role: member or index that returned it; iface: its
 * interface, NULL for that of the reference. Returns NULL if the reference has no IPID. First pass only.
 */
struct pla_object *pla_object_returned(packet_info *pinfo, const struct orpc_objref *ref, struct pla_object *parent,
    const char *role, const struct pla_interface *iface);
/*
 * Records that an answer contained a further IPID, and the OID, of the object with the IPID `asked` ([MS-DCOM]
 * 3.1.1.5.6.1.1). For a new object both IPIDs are equal. iface: an interface of the object, or NULL if it is not one of
 * [MS-PLA]. If iface is given, an unknown object is added. First pass only.
 */
void pla_object_queried(packet_info *pinfo, const e_guid_t *asked, const struct pla_interface *iface,
    const struct orpc_objref *got);
/*
 * Records that the server granted public references to an IPID, or released them (count < 0). After the last is
 * released, the IPID refers to no object until it is granted again. First pass only.
 */
void pla_object_add_references(packet_info *pinfo, const e_guid_t *ipid, int64_t count);

/* Records the bindings of an object exporter, where its objects are called, too. First pass only. */
void pla_object_resolved(uint64_t oxid, const struct orpc_binding *bindings, unsigned count);

/* Returns the interface of [MS-PLA] with this IPID on the called server, or NULL if it is unknown. First pass only. */
const struct pla_interface *pla_object_interface(packet_info *pinfo, const e_guid_t *ipid);

/* Returns the object with this IPID on either host of the packet, or NULL if it is unknown. */
struct pla_object *pla_object_find(packet_info *pinfo, const e_guid_t *ipid);

/* Records a name that `frame` contains, which is copied; ignored if empty or known already. First pass only. */
void pla_name_add(struct pla_names *names, uint32_t frame, const char *name);
/* Returns the latest name up to `frame`, else the first name, or NULL if there is none. File scope. */
const char *pla_name_in(const struct pla_names *names, uint32_t frame);

/*
 * Returns a label for the object in `frame`: "Set1" for a set, "Set1.DataCollectors[0]" for a part of it, followed
 * by its own name in quotes. Returns "" if nothing is known. Of bounded length, allocated in `scope`.
 */
const char *pla_object_label(wmem_allocator_t *scope, const struct pla_object *object, uint32_t frame);

/*
 * Names by DISPID: of members (with PLA_NO_MEMBER), or of a member's arguments. They are kept per server and per
 * interface, or per object if no interface of the object is known.
 */
#define PLA_NO_MEMBER INT64_MAX

/* Records the name of a DISPID from an answer. The name is copied. First pass only. */
void pla_dispid_learn(packet_info *pinfo, const struct pla_interface *iface, const struct pla_object *object,
    int64_t member, int32_t dispid, const char *name);
/*
 * Returns the name of a DISPID: from the latest answer of the called server, else from the IDL, or NULL. First pass
 * only.
 */
const char *pla_dispid_name(packet_info *pinfo, const struct pla_interface *iface, const struct pla_object *object,
    int64_t member, int32_t dispid);

/* Facts about a call, for its response and for later passes. File scope. */
struct pla_call {
    struct pla_object *object; /* object that is called; NULL without an IPID */
    const char *name;          /* name that the request gives the object if the call succeeds */
    const char *role;          /* role of the returned object: "[2]"; NULL: the parameter's name */
    const char *member;        /* Invoke: name of the DISPID; GetIDsOfNames: the member's name */
    int32_t dispid;            /* DISPID in an Invoke request */
    unsigned num_arguments;    /* GetIDsOfNames: number of arguments named */
    const char **arguments;    /* GetIDsOfNames: names of the arguments; "" for a null pointer */
    uint64_t next;             /* IEnumVARIANT: index of the element at which the call starts */
    bool knows_next;           /* IEnumVARIANT: true if `next` is known */
    uint64_t moves;            /* Skip: number of elements skipped on success */
    /* struct pla_object * of each interface pointer, in order, NULL if unknown; or NULL. */
    wmem_array_t *request_objects;
    wmem_array_t *response_objects;
    const struct pla_interface *iface; /* interface of the call */
    const char *activation; /* name of the operation that activates an object of iface, constant; else NULL */
    const char *class_name; /* class of the activated object; constant */
    bool asynchronous;      /* true for a Start or Stop that does not wait */
    bool answered;
};

/* Interface pointer that was read. */
struct pla_found {
    struct orpc_objref ref;
    const char *role; /* role of the object in the call that returned it; NULL if it was not returned */
    const struct pla_interface *iface; /* interface of the object, or NULL */
    bool is_element;  /* true if returned by an enumerator: the object is an element of its collection */
    bool validation;  /* true for a value map of HRESULTs or an item of one */
    bool is_keywords; /* true for a value map of keywords */
};

/* Request or response being read: first quietly, to learn and record; then to show it. Packet scope. */
struct pla_pdu {
    struct orpc o; /* must be the first member: callbacks cast a struct orpc * to a struct pla_pdu * */
    const struct pla_interface *iface;
    const struct pla_method *method;
    struct pla_call *call;
    bool response;
    bool learning;        /* true on the first pass while reading quietly: facts are kept for the response */
    unsigned num_objects; /* number of interface pointers shown */
    wmem_array_t *found;  /* struct pla_found of the quiet reading */
    wmem_strbuf_t *info;  /* text for the Info column, from the quiet reading */
    struct pla_tap record;
    const char *named;    /* name of the object found in this PDU */
    unsigned num_dispids; /* answer of GetIDsOfNames: number of DISPIDs */
    uint32_t dispids[DISPATCH_MAX_NAMES];
    struct dispatch_arguments *arguments; /* arguments of Invoke; else NULL */
    uint64_t num_elements;                /* number of elements returned by Next */
    bool has_text;                        /* true if a string parameter so far was not empty */
    tvbuff_t *xml;                        /* XML in UTF-8, dissected last */
    proto_tree *xml_tree;
};

/* ---- call.c ---- */

/* Returns new state for a call whose request is there. object: NULL without an IPID. First pass only. */
struct pla_call *pla_call_new(struct pla_object *object);

/* Stores the facts learned from a request or response after reading it. First pass only. */
void pla_call_learn(struct pla_pdu *pdu);

/* Fills the tap record of a request or response, with the data collector set. */
void pla_call_record(struct pla_pdu *pdu);

/* Fills an empty tap record for a call that was answered by a fault in `frame`. */
void pla_call_record_fault(const struct pla_call *call, unsigned opnum, uint32_t frame, struct pla_tap *record);

/* Returns the object of interface pointer `number`, as found on the first pass, or NULL if it is unknown. */
const struct pla_object *pla_call_referred(const struct pla_pdu *pdu, unsigned number);

/* ---- packet-pla.c ---- */

/*
 * Dissects a request or response of iface. first: true the first time the PDU is dissected. Returns the end offset,
 * as the functions that packet-dcerpc calls do.
 */
int pla_dissect(const struct ndr *stub, const struct pla_interface *iface, struct pla_call *call, bool response,
    bool first);

/*
 * Adds and returns a tree of [MS-PLA] with the operation (-1 if unknown), beside the tree of the interface that was
 * called. Returns NULL without a tree.
 */
proto_tree *pla_add_tree(tvbuff_t *tvb, proto_tree *tree, const struct pla_interface *iface, int opnum,
    const char *label);

/* Returns false if the user has disabled the protocol [MS-PLA]. */
bool pla_is_enabled(void);

/* ---- params.c ---- */

void pla_read_param(struct pla_pdu *pdu, const struct pla_param *param);

/*
 * Listener for faults and for PDUs that cannot be read, to be attached to each request with its struct pla_call (see
 * session_pdu_note()).
 */
extern const struct rpc_listener pla_listener;

/* ---- faults.c ---- */

/* Registers fields and expert items for the protocol, and sets the tap "pla". Called once. */
void pla_faults_register(int proto, int tap);
/* Adds the response time of an answer to its tree. */
void pla_show_response_time(const struct ndr *n);

/*
 * Calls to DCOM's own interfaces that concern objects of [MS-PLA]. Scripts call members by IDispatch;
 * RemQueryInterface returns further IPIDs of an object; activation returns the first one. Wireshark dissects all
 * three: its operation tables are replaced by copies that call the plugin first.
 */

/* ---- hooks.c ---- */

/* Register the protocol's fields at start, and replace Wireshark's operation tables at handoff. Each is called once. */
void pla_hooks_register(void);
void pla_hooks_init(void);
/* Returns a class of [MS-PLA] whose CLSID is in these bytes, or NULL. */
const struct pla_class *pla_hooks_find_class(const uint8_t *bytes, unsigned length);

/* ---- recognise.c ---- */

/* Recognises calls to known objects and requests for such objects. A stub_recogniser. */
bool pla_recognise(const struct stub_sample *sample, packet_info *pinfo, struct stub_recognised *found);
/* Judges an answer of a context that was recognised as one of [MS-PLA] or DCOM. A stub_fit_check. */
enum stub_fit pla_fit(const struct stub_kind *kind, const struct stub_sample *sample, packet_info *pinfo);

/*
 * Display of a call: fields with the meaning of their values, and the text for the Info column
 * A stub is read twice: quietly, which makes the text for the Info column, and then with a tree, which adds items.
 */

/* ---- tree.c ---- */

/* Adds " name=value", or name="text" with unprintable characters escaped and shortened, to the Info column. */
void pla_info(struct pla_pdu *pdu, const char *name, const char *value);
void pla_info_text(struct pla_pdu *pdu, const char *name, const char *text);

/*
 * Adds an integer as the field's own type, since some fields are a long in one method and an unsigned long in
 * another.
 */
proto_item *pla_show_plain_number(struct pla_pdu *pdu, const struct pla_field *field, int offset, int size,
    int64_t value);
/* Adds an integer with its unit, its meaning if it is 0, the enumeration's name and the flags. */
void pla_show_number(struct pla_pdu *pdu, const struct pla_field *field, int offset, int size, int64_t value);
/* Adds an item that shows whether an enumeration was sent in 16 or 32 bits. */
void pla_show_width(struct pla_pdu *pdu, int offset, unsigned bits);

/* Adds a BSTR parameter. out: true in the response. */
void pla_show_bstr(struct pla_pdu *pdu, const struct pla_field *field, bool out, const struct oaut_bstr *bstr);
/*
 * Adds the parts of a counter path or an alert threshold below an array element. For the callback of struct
 * oaut_array.
 */
void pla_show_path(struct orpc *o, proto_item *item, const char *text);
void pla_show_threshold(struct orpc *o, proto_item *item, const char *text);
/* Adds a summary of an array, after its elements. item may be NULL. */
void pla_show_array(struct pla_pdu *pdu, proto_item *item, const struct pla_field *field,
    const struct oaut_array *array);
/* Adds a VARIANT's value as the field, over the bytes from `start` to the current offset. */
void pla_show_variant(struct pla_pdu *pdu, const struct pla_field *field, unsigned start,
    const struct oaut_variant *variant);
/* Adds the name of a DISPID, or its number, to the label. item may be NULL. */
void pla_show_member(struct pla_pdu *pdu, proto_item *item, int32_t dispid);
/* Adds the object of an interface pointer. Must be called for all interface pointers, in order. item may be NULL. */
void pla_show_reference(struct pla_pdu *pdu, proto_item *item, const struct orpc_objref *ref);
/*
 * Adds the method's HRESULT from the 4 bytes at offset. found: true if it was found at the stub's end, not at its
 * expected place.
 */
void pla_show_hresult(struct pla_pdu *pdu, int offset, bool found);

/* Adds the interface and the called object as far as they are known. ipid and object may be NULL. */
void pla_show_object(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, const struct pla_interface *iface,
    const e_guid_t *ipid, const struct pla_object *object);
/* Adds the object to the Info column if it is known. object may be NULL. */
void pla_say_object(packet_info *pinfo, const struct pla_object *object);
/* Completes the text of the Info column: parameters, object, outcome. */
void pla_finish_info(struct pla_pdu *pdu);
/* Adds the tree of the XML. Called last, since an exception in Wireshark's XML dissector ends the dissection. */
void pla_show_xml(struct pla_pdu *pdu);

/* Preference of the user: passwords may be shown */
extern perflib_bool pla_shows_passwords;

/* Registers fields, expert items, subtrees and preferences. Called once. */
void pla_tree_register(int proto, module_t *module);
/* Looks up Wireshark's fields and dissectors. Called once, at handoff. */
void pla_tree_init(void);

/* Plausibility of decrypted bytes as a DCOM stub */

/* ---- sense.c ---- */

/*
 * Checks decrypted bytes for being a DCOM stub ([MS-DCOM] 2.2.13) of any object, since other calls share the
 * connections of [MS-PLA]. A stub_check.
 */
int pla_sense(const struct stub_sample *sample);

/* Registers pla_sense() for all interfaces that clients of [MS-PLA] call, and the listener for those of [MS-PLA]. */
void pla_sense_register(const struct rpc_listener *listener);

#endif /* PERFLIB_PLA_PACKET_H */
