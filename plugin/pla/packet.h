/* packet.h
 * Objects of [MS-PLA], state of a call, state of reading a PDU, and display
 *
 * A PDU is read twice. The first reading has no tree. It makes the Info column and the tap record, learns (on the first
 * pass), and decides whether the call succeeded: nothing is learned from a failed call. The second reading adds the
 * tree.
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
 * that contains it; in later passes an object's first name is also used for earlier frames.
 */

/* Maximum bytes kept of a name, to bound memory. */
#define PLA_MAX_NAME 80

/* Names that one object, or one DISPID, has in the course of a capture. Zero-initialised. */
struct pla_names {
    wmem_tree_t *by_frame;            /* maps a frame to the name that it contains; NULL if none */
    uint32_t first_frame, last_frame; /* first and last frame in .by_frame */
};

struct pla_object {
    const struct pla_interface *iface; /* NULL if no interface of [MS-PLA] was seen */
    uint32_t frame;                    /* frame of the answer that returned the object, or of the first call to it */
    const char *role; /* member or index that returned the object: "DataCollectors", "[2]"; NULL if activated */
    struct pla_names names;
    /* address at which the object is called; before its first call, address of the server that returned it */
    const char *server;
    struct pla_object *parent; /* object whose member returned this one; never NULL if `role` is set */
    struct pla_object *set;    /* data collector set that the object is or belongs to; NULL if unknown */
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
 * Records an object returned by a call on `parent` (not NULL). role: member or index that returned the object. iface:
 * the object's interface; NULL: that of the reference. Returns NULL if the reference has no IPID. First pass only.
 */
struct pla_object *pla_object_returned(packet_info *pinfo, const struct orpc_objref *ref, struct pla_object *parent,
    const char *role, const struct pla_interface *iface);
/*
 * Records the IPID and OID in `got`, a reference in an answer, for the object with the IPID `asked` ([MS-DCOM]
 * 3.1.1.5.6.1.1); an activation has one IPID for both. iface: interface of the IPID in `got`; NULL if it is not one of
 * [MS-PLA]: then an unknown object is not added. First pass only.
 */
void pla_object_queried(packet_info *pinfo, const e_guid_t *asked, const struct pla_interface *iface,
    const struct orpc_objref *got);
/*
 * Records that the server granted public references to an IPID, or that the client released them (count < 0). Once all
 * are released, the IPID refers to no object until references are granted again. First pass only.
 */
void pla_object_add_references(packet_info *pinfo, const e_guid_t *ipid, int64_t count);

/* Records the bindings of an object exporter: its objects can be called at these addresses, too. First pass only. */
void pla_object_resolved(uint64_t oxid, const struct orpc_binding *bindings, unsigned count);

/* Returns the interface of [MS-PLA] with this IPID on the called server, or NULL if it is unknown. First pass only. */
const struct pla_interface *pla_object_interface(packet_info *pinfo, const e_guid_t *ipid);

/* Returns the object with this IPID on either host of the packet, or NULL if it is unknown. */
struct pla_object *pla_object_find(packet_info *pinfo, const e_guid_t *ipid);

/*
 * Records a name that `frame` contains. Copies the name. Ignores an empty name, and the current one. First pass only.
 */
void pla_name_add(struct pla_names *names, uint32_t frame, const char *name);
/* Returns the latest name up to `frame`, else the first name, or NULL if there is none. File scope. */
const char *pla_name_in(const struct pla_names *names, uint32_t frame);

/*
 * Returns a label for the object in `frame`: for a set "Set1"; for a part of a set "Set1.DataCollectors[0]" and the
 * part's own name in quotes. Returns "" if nothing is known. The length is limited. Allocated in `scope`.
 */
const char *pla_object_label(wmem_allocator_t *scope, const struct pla_object *object, uint32_t frame);

/*
 * Value of `member` below if `dispid` is a member's DISPID. If `dispid` is an argument's, `member` is the DISPID of the
 * member with the argument. Names are kept per object, and per server and interface if the interface is known.
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
    /* name in the request, which the called object gets if the call succeeds, unless it only validates */
    const char *name;
    bool only_validates; /* true for a Commit that writes nothing (plaValidateOnly) */
    const char *role; /* text by which labels name the returned object: "[2]"; NULL: name of the parameter or member */
    const char *member;     /* Invoke: name of the DISPID; GetIDsOfNames: the member's name */
    int32_t dispid;         /* DISPID in an Invoke request */
    unsigned num_arguments; /* GetIDsOfNames: number of arguments named */
    const char **arguments; /* GetIDsOfNames: names of the arguments; "" for a null pointer */
    uint64_t next;          /* IEnumVARIANT: index of the element at which the call starts */
    bool knows_next;        /* IEnumVARIANT: true if `next` is known */
    uint64_t moves;         /* Skip: number of elements skipped on success */
    /* struct pla_object * of each interface pointer of the request or answer; NULL if unknown. No array: no pointers */
    wmem_array_t *request_objects;
    wmem_array_t *response_objects;
    const struct pla_interface *iface; /* interface of the call */
    const char *activation; /* name of the operation that activates an object of iface, constant; else NULL */
    const char *class_name; /* class of the activated object; constant */
    bool asynchronous;      /* true for a Start or Stop that returns before its work is done */
    bool answered;
};

/* Interface pointer found in a PDU. */
struct pla_found {
    struct orpc_objref ref;
    const char *role; /* member or index that returned the object: "[2]"; NULL if it was not returned */
    const struct pla_interface *iface; /* interface of the object, or NULL */
    bool is_element;  /* true if returned by an enumerator: the object is an element of its collection */
    bool validation;  /* true for a value map of HRESULTs or an item of one */
    bool is_keywords; /* true for a value map of keywords */
};

/* Request or response being read: first without, then with a tree. Packet scope. */
struct pla_pdu {
    struct orpc o; /* must be the first member: callbacks cast a struct orpc * to a struct pla_pdu * */
    const struct pla_interface *iface;
    const struct pla_method *method;
    struct pla_call *call;
    bool response;
    bool learning;        /* true while facts are stored: on the first pass, when the PDU is read without a tree */
    unsigned num_objects; /* number of interface pointers read so far */
    wmem_array_t *found;  /* array of struct pla_found, filled in when the PDU is read without a tree */
    wmem_strbuf_t *info;  /* text for the Info column, made when the PDU is read without a tree */
    struct pla_tap record;
    const char *named;    /* name of the called object, if this PDU contains it */
    unsigned num_dispids; /* answer of GetIDsOfNames: number of DISPIDs */
    uint32_t dispids[DISPATCH_MAX_NAMES];
    struct dispatch_arguments *arguments; /* arguments of Invoke; else NULL */
    uint64_t num_elements;                /* number of elements returned by Next */
    bool has_text;                        /* true if a string parameter was not empty, as the user of SetCredentials */
    tvbuff_t *xml;                        /* XML in UTF-8, dissected last */
    proto_tree *xml_tree;
};

/* ---- call.c ---- */

/* Returns new state for a call whose request was captured. object: NULL without an IPID. First pass only. */
struct pla_call *pla_call_new(struct pla_object *object);

/* Stores the facts learned from a request or response after reading it. First pass only. */
void pla_call_learn(struct pla_pdu *pdu);

/* Fills the tap record of a request or response. */
void pla_call_record(struct pla_pdu *pdu);

/* Fills a zeroed tap record for a call that was answered by a fault in `frame`. */
void pla_call_record_fault(const struct pla_call *call, uint32_t frame, struct pla_tap *record);

/* Returns the object of interface pointer `number`, as found on the first pass, or NULL if it is unknown. */
const struct pla_object *pla_call_referred(const struct pla_pdu *pdu, unsigned number);

/* ---- packet-pla.c ---- */

/*
 * Dissects a request or response of iface. first: true the first time the PDU is dissected. Returns the end offset, as
 * packet-dcerpc's dissect functions do.
 */
int pla_dissect(const struct ndr *stub, const struct pla_interface *iface, struct pla_call *call, bool response,
    bool first);

/*
 * Adds a tree of [MS-PLA] after that of the called interface, and returns it. opnum: -1 if unknown. Returns NULL
 * without a tree.
 */
proto_tree *pla_add_tree(tvbuff_t *tvb, proto_tree *tree, const struct pla_interface *iface, int opnum,
    const char *label);

/* Returns false if the user has disabled the protocol [MS-PLA]. */
bool pla_is_enabled(void);

/* ---- params.c ---- */

void pla_read_param(struct pla_pdu *pdu, const struct pla_param *param);

/*
 * Listener for faults and for PDUs that cannot be read. Call session_pdu_note() with the listener and the call's struct
 * pla_call at each request.
 */
extern const struct rpc_listener pla_listener;

/* ---- faults.c ---- */

/* Registers fields and expert items for the protocol, and sets the tap "pla". Called once. */
void pla_faults_register(int proto, int tap);
/* Adds the response time of an answer to its tree. */
void pla_show_response_time(const struct ndr *n);

/*
 * Calls to DCOM's own interfaces that concern objects of [MS-PLA]: activation returns the first IPID of an object,
 * RemQueryInterface further ones, and scripts call members by IDispatch. Wireshark dissects all three, so the plugin
 * replaces Wireshark's operation tables by copies that call the plugin first.
 */

/* ---- hooks.c ---- */

/* Register the protocol's fields at start, and replace Wireshark's operation tables at handoff. Each is called once. */
void pla_hooks_register(void);
void pla_hooks_init(void);
/* Returns a class of [MS-PLA] whose CLSID is anywhere in these bytes, or NULL. */
const struct pla_class *pla_hooks_find_class(const uint8_t *bytes, unsigned length);

/* ---- recognise.c ---- */

/* Recognises calls to known objects of [MS-PLA], and requests that ask for such an object. A stub_recogniser. */
bool pla_recognise(const struct stub_sample *sample, packet_info *pinfo, struct stub_recognised *found);
/* Returns whether an answer fits a context that was recognised as one of [MS-PLA] or DCOM. A stub_fit_check. */
enum stub_fit pla_fit(const struct stub_kind *kind, const struct stub_sample *sample, packet_info *pinfo);

/* Display of a call: fields with the meaning of their values, and the text for the Info column */

/* ---- tree.c ---- */

/*
 * Add " name=value" to the Info column. pla_info_text() adds quotes, escapes unprintable characters, and shortens the
 * text.
 */
void pla_info(struct pla_pdu *pdu, const char *name, const char *value);
void pla_info_text(struct pla_pdu *pdu, const char *name, const char *text);

/*
 * Adds an integer in the field's own type: some parameters are a long in one method and an unsigned long in another,
 * but share a field.
 */
proto_item *pla_show_plain_number(struct pla_pdu *pdu, const struct pla_field *field, int offset, int size,
    int64_t value);
/* Adds an integer with its unit, the meaning of 0, the name in the enumeration, and the flags. */
void pla_show_number(struct pla_pdu *pdu, const struct pla_field *field, int offset, int size, int64_t value);
/* Adds an item that shows whether an enumeration was sent in 16 or 32 bits. */
void pla_show_width(struct pla_pdu *pdu, int offset, unsigned bits);

/* Adds a BSTR parameter. out: true in the response. */
void pla_show_bstr(struct pla_pdu *pdu, const struct pla_field *field, bool out, const struct oaut_bstr *bstr);
/* Callbacks for struct oaut_array: add the parts of a counter path or an alert threshold below an array element. */
void pla_show_path(struct orpc *o, proto_item *item, const char *text);
void pla_show_threshold(struct orpc *o, proto_item *item, const char *text);
/* Adds a summary of an array, after its elements. item may be NULL. */
void pla_show_array(struct pla_pdu *pdu, proto_item *item, const struct pla_field *field,
    const struct oaut_array *array);
/* Adds a VARIANT's value as an item of the field, from `start` to the current offset. */
void pla_show_variant(struct pla_pdu *pdu, const struct pla_field *field, unsigned start,
    const struct oaut_variant *variant);
/* Adds the name of a DISPID, or its number, to the label. item may be NULL. */
void pla_show_member(struct pla_pdu *pdu, proto_item *item, int32_t dispid);
/* Adds the object of an interface pointer. Call it for all interface pointers, in order. item may be NULL. */
void pla_show_reference(struct pla_pdu *pdu, proto_item *item, const struct orpc_objref *ref);
/*
 * Adds the method's HRESULT from the 4 bytes at offset. found: true if these are just the stub's last bytes, since a
 * parameter before the HRESULT could not be read.
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

/* ---- sense.c ---- */

/*
 * Checks whether decrypted bytes can be a DCOM stub ([MS-DCOM] 2.2.13) of any object: connections of [MS-PLA] carry
 * calls to objects of other protocols, too. A stub_check.
 */
int pla_sense(const struct stub_sample *sample);

/* Registers pla_sense() for all interfaces that clients of [MS-PLA] call, and the listener for those of [MS-PLA]. */
void pla_sense_register(const struct rpc_listener *listener);

#endif /* PERFLIB_PLA_PACKET_H */
