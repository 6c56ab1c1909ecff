/* tree.h
 * What a person sees of a call: fields with what they mean, and the words of the Info column
 *
 * While a stub is read without a tree (struct pla_pdu, reading) only the Info column's words are made, else only items.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_TREE_H
#define PERFLIB_PLA_TREE_H

#include <epan/prefs.h>

#include "pla/call.h"
#include "pla/oaut.h"

/* Adds " name=value", or name="text" with what does not print escaped and the end cut off, to the Info column. */
void pla_info(struct pla_pdu *pdu, const char *name, const char *value);
void pla_info_text(struct pla_pdu *pdu, const char *name, const char *text);

/* The field's own type decides: some hold a long here and an unsigned long there. */
proto_item *pla_show_plain_number(struct pla_pdu *pdu, proto_tree *tree, const struct pla_field *field, int offset,
    int size, int64_t value);
/* With unit, what 0 means, the name of an enumeration's value and its bits. */
void pla_show_number(struct pla_pdu *pdu, const struct pla_field *field, int offset, int size, int64_t value);
/* Whether an enumeration was sent in 16 or 32 bits. */
void pla_show_width(struct pla_pdu *pdu, int offset, unsigned bits);

/* A BSTR parameter; out: in the response. ok: it could be read to its end. */
void pla_show_bstr(struct pla_pdu *pdu, const struct pla_field *field, bool out, const struct oaut_bstr *bstr);
/* Below each element of an array: the parts of a counter path, of an alert threshold. For struct oaut_array. */
void pla_show_path(struct orpc *o, proto_item *item, const struct oaut_bstr *bstr);
void pla_show_threshold(struct orpc *o, proto_item *item, const struct oaut_bstr *bstr);
/* What was read of an array, after its elements. item may be NULL. */
void pla_show_array(struct pla_pdu *pdu, proto_item *item, const struct pla_field *field,
    const struct oaut_array *array);
/* A VARIANT's value as the field, from start to where the stub is read. */
void pla_show_variant(struct pla_pdu *pdu, proto_tree *tree, const struct pla_field *field, unsigned start,
    const struct oaut_variant *variant);
/* The member that a DISPID is, or the DISPID. item may be NULL. */
void pla_show_member(struct pla_pdu *pdu, proto_item *item, int32_t dispid);
/* What an interface pointer refers to. Called for each in order. item may be NULL. */
void pla_show_reference(struct pla_pdu *pdu, proto_item *item, const struct orpc_objref *ref);
/* The method's HRESULT in the 4 bytes at offset; found: not where it was expected, but at the stub's end. */
void pla_show_hresult(struct pla_pdu *pdu, int offset, bool found);

/* Interface, and the object the call is made to. */
void pla_show_call(struct pla_pdu *pdu);
/* Shows the object of a call that has no stub; object may be NULL. */
void pla_show_object(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, const struct pla_interface *iface,
    const struct pla_object *object);
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

#endif /* PERFLIB_PLA_TREE_H */
