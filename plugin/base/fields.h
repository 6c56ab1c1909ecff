/* fields.h
 * Fields and items: the plugin's own and those of other protocols
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_FIELDS_H
#define PERFLIB_BASE_FIELDS_H

#include "compat.h"

#include <epan/expert.h>
#include <epan/prefs.h>

/* Limits a range to the captured bytes. Otherwise Wireshark throws, and the rest of the packet is not shown. */
static inline void
limit_to_captured(const tvbuff_t *tvb, unsigned *offset, unsigned *size)
{
    const unsigned captured = tvb_captured_length(tvb);

    *offset = MIN(*offset, captured);
    *size = MIN(*size, captured - *offset);
}

/* ---- foreign-field.c ---- */

/*
 * Returns whether expert items of this tree are looked at. Without a tree: whether Expert Information, "-z expert" or a
 * filter on _ws.expert needs them. Then they are added even if all other items are left out.
 */
bool expert_items_are_asked(proto_tree *tree);
/*
 * Notes for expert_items_are_asked() whether all listeners to expert items are the plugin's own statistics. These need
 * no items about values that a tree leaves out, which take as long to find as the tree.
 */
void expert_items_are_ours(bool is_ours);

/* Fields of Wireshark's own protocols, found by name. Our items use them so that users' filters match. */

struct foreign_field {
    int *hf; /* receives the field; -1 if Wireshark has none of this name and type */
    const char *name;
    enum ftenum type; /* type of the items we add: Wireshark rejects items of another type */
};

/*
 * Returns the field of this name and type, or -1. Call it at handoff, when all protocols have registered their fields.
 */
int foreign_field_find(const char *name, enum ftenum type);
/* Looks up a table of fields, once, at handoff. Returns the name of one that is missing, or NULL. */
const char *foreign_fields_find(const struct foreign_field *fields, size_t count);
/*
 * Returns Wireshark's name for a value of a foreign field (NTSTATUS, faults and others, whose tables are not exported),
 * or NULL. Constant.
 */
const char *foreign_field_value_name(const char *name, uint32_t value);

/*
 * FT_DOUBLE items that fit Wireshark's columns
 *
 * Wireshark 4.0 and 4.4 write FT_DOUBLE values into a custom column ("Apply as Column") without checking its size:
 * about a hundred values in one packet crash them. 4.6 warns for each.
 */

/* ---- double-field.c ---- */

/*
 * Returns whether one more item of this FT_DOUBLE field may be added: false if a column shows the field and is full.
 * Call it before each item. Columns exist only while packets are listed, so the packet details in the GUI are always
 * complete.
 */
bool double_field_fits(const packet_info *pinfo, const proto_tree *tree, int hf);

/* Adds a generated item of this field and value, without bytes of its own. Returns NULL if it does not fit. */
proto_item *double_field_add(const packet_info *pinfo, proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length,
    double value);

/* Labels of items: appended names from the wire, and a fast way to set hundreds of thousands */

/* ---- item-label.c ---- */

/*
 * Appends text to an item's label. Wireshark 4.0 would cut a full label within a character, which makes the packet's
 * PDML invalid. item may be NULL or of an invisible tree.
 */
void item_label_append(wmem_allocator_t *scope, proto_item *item, const char *text);

/*
 * These work like proto_tree_add_string_format_value() (without has_name: proto_tree_add_string_format()) and
 * proto_tree_add_double_format_value() with "%s" and text, at a third of the cost: labels would take longer than the
 * rest of their items. text must be printable (base/text.h); NULL: Wireshark's own label. Text can be appended
 * to such a label, but proto_item_set_text() must not be called: it would free memory that many labels share.
 */
proto_item *item_label_add_string(proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length, const char *value,
    bool has_name, const char *text);
proto_item *item_label_add_double(proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length, double value,
    const char *text);

/*
 * Limits the number of items per packet
 *
 * Wireshark stops dissecting a packet at one million items, and the rest of it, including the return code, is lost. So
 * items are counted over all PDUs and protocols of a packet, and values are left out once a preference is reached. Text
 * is counted too, since one text of the packet may be repeated by a thousand items. Wireshark 4.6 also stops at 50,000
 * items in a row that do not advance in the packet: count such items as several.
 */

/*
 * Limit on the items of a packet, up to which one protocol adds its own, whichever protocol added the others.
 * Initialise preference and limit. The limits of all protocols together stay below a million, for items that are not
 * counted.
 */
struct item_budget {
    guint preference; /* value of the preference "max_items" */
    guint limit;      /* upper bound of the preference */
};

/* ---- item-budget.c ---- */

/* Adds the preference to those of proto. The budget must live as long as the process. */
void item_budget_register(struct item_budget *budget, int proto, module_t *module);

/* Reserves items of the packet. Returns false, and reserves nothing, if fewer are left. */
bool item_budget_reserve(const struct item_budget *budget, packet_info *pinfo, unsigned items);
/* Returns the budget cost of items that each show the same text of this size in bytes. */
unsigned item_budget_text_items(const struct item_budget *budget, unsigned items, size_t bytes);

/*
 * Items that do not fit into one tree. Zero-initialised. Above the preference no more items are shown, but a filter or
 * a column that names a field still gets hidden items, up to the limit.
 */
struct item_rest {
    bool is_full;      /* the preference is reached: further items are hidden */
    bool is_asked;     /* further items are added, since a filter or a column names their field */
    unsigned left_out; /* number of values not shown */
    unsigned missed;   /* number of values not added at all, although a filter or a column names their field */
};

/*
 * Reserves items for one value of a tree. Returns false if the value must be left out, and with it `values` values.
 * fields: the fields that the value may add, NULL at the end. Once rest->is_full is true, pass the value's item to
 * item_rest_hide().
 */
bool item_budget_room(const struct item_budget *budget, packet_info *pinfo, int *const *fields, struct item_rest *rest,
    unsigned items, unsigned values);
/* Hides an item and its subtree if the tree is full. item may be NULL. */
void item_rest_hide(struct item_rest *rest, proto_item *item);

/* Returns the sentence "N values are not shown ..." with advice; what: "values". Packet scope. */
const char *item_budget_left_out_text(const struct item_budget *budget, packet_info *pinfo, unsigned count,
    const char *what);

/* Returns the sentence that warns of filters that miss values. Packet scope. */
const char *item_budget_missed_text(const struct item_budget *budget, packet_info *pinfo, const struct item_rest *rest,
    const char *what);

#endif /* PERFLIB_BASE_FIELDS_H */
