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
 * Returns whether expert items are needed: for Expert Information or "-z expert" (tap "expert"), or for a tree that is
 * shown or read by a filter on _ws.expert. tree may be NULL. If so, add expert items even if all other items are left
 * out.
 */
bool expert_items_are_asked(proto_tree *tree);
/*
 * Sets whether only the plugin's own statistics listen to the tap "expert". If so, expert_items_are_asked() ignores the
 * tap: without a tree, finding the expert items of values takes as long as building the tree, and statistics do not use
 * them.
 */
void expert_items_are_ours(bool is_ours);

/*
 * Fields of Wireshark's own protocols, found by name. The plugin's items use these fields, so that users' filters
 * match.
 */

struct foreign_field {
    int *hf; /* receives the field; -1 if Wireshark has none of this name and type */
    const char *name;
    enum ftenum type; /* type of the items that the plugin adds; Wireshark rejects items of another type */
};

/*
 * Returns the field of this name and type, or -1. Call it at handoff, when all protocols have registered their fields.
 */
int foreign_field_find(const char *name, enum ftenum type);
/*
 * Sets *hf of each field in a table. Call it once, at handoff. Returns the name of the last field that Wireshark does
 * not have, or NULL.
 */
const char *foreign_fields_find(const struct foreign_field *fields, size_t count);
/*
 * Returns the name that Wireshark shows for a value of the field `name`, for example of "smb2.nt_status"; NULL if there
 * is none. Constant. For fields whose value_string Wireshark does not export.
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
 * Returns false if a column shows this FT_DOUBLE field and has no room for another value. Call it before each item. The
 * GUI's packet details are always complete: they are dissected without columns.
 */
bool double_field_fits(const packet_info *pinfo, const proto_tree *tree, int hf);

/*
 * Adds a generated item of the FT_DOUBLE field hf. Returns NULL if a column has no room for the value. offset, length:
 * the bytes that the item highlights.
 */
proto_item *double_field_add(const packet_info *pinfo, proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length,
    double value);

/* Labels of items: text appended to a label, and a fast way to set hundreds of thousands of labels */

/* ---- item-label.c ---- */

/*
 * Appends text to an item's label, and cuts a full label between two characters. (Wireshark 4.0 cuts within a
 * character, which makes the packet's PDML invalid.) item may be NULL or in an invisible tree.
 */
void item_label_append(wmem_allocator_t *scope, proto_item *item, const char *text);

/*
 * Add an item labelled by text, as proto_tree_add_string_format_value(), proto_tree_add_string_format() (if has_name is
 * false) and proto_tree_add_double_format_value() do with "%s", but three times as fast. text: printable (base/text.h),
 * or NULL for Wireshark's own label. Do not call proto_item_set_text() for such an item: it would free memory that many
 * labels share. Appending text is allowed.
 */
proto_item *item_label_add_string(proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length, const char *value,
    bool has_name, const char *text);
proto_item *item_label_add_double(proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length, double value,
    const char *text);

/*
 * Limits the number of items per packet
 *
 * Wireshark stops dissecting a packet at one million items; the rest of the packet, including the return code, is then
 * not shown. So the plugin counts the items of all PDUs and protocols of a packet, and leaves out values above the
 * limit of a preference. Text counts, too, since a thousand items may repeat one text of the packet. Wireshark 4.6 also
 * stops at 50,000 items in a row that do not advance in the packet: reserve several items for each item of such a row.
 */

/*
 * Limits for the items that one protocol adds to a packet: it stops when the items of all protocols reach the limit.
 * Initialise both members, to values well below a million: some items are not counted.
 */
struct item_budget {
    guint preference; /* value of the preference "max_items" */
    guint limit;      /* maximum number of items, visible or hidden; a larger .preference counts as this number */
};

/* ---- item-budget.c ---- */

/* Registers the preference in the protocol's module. The budget must live as long as the process. */
void item_budget_register(struct item_budget *budget, int proto, module_t *module);

/* Reserves `items` items in the packet. Returns false, and reserves nothing, if fewer are left. */
bool item_budget_reserve(const struct item_budget *budget, packet_info *pinfo, unsigned items);
/* Returns the budget cost of `items` items that each show the same text of `bytes` bytes. */
unsigned item_budget_text_items(const struct item_budget *budget, unsigned items, size_t bytes);

/*
 * State of a tree that may have more items than the preference "max_items" allows. Zero-initialised. Above "max_items",
 * items are added only hidden, only if a filter or a column names a field of the tree, and only until the packet has
 * item_budget.limit items.
 */
struct item_rest {
    bool is_full;      /* true once items did not fit into "max_items": all later items are hidden or left out */
    bool is_asked;     /* true if later items are added hidden, since a filter or a column names a field of the tree */
    unsigned left_out; /* number of values not shown */
    unsigned missed;   /* number of values not added at all, although .is_asked is true */
};

/*
 * Reserves `items` items for a line of a tree. Above "max_items" this succeeds only if a filter or a column names one
 * of `fields` (those that the tree adds, NULL at the end); then pass the line's item to item_rest_hide(). If no items
 * are left, returns false and counts the line's `values` values as left out in `rest`.
 */
bool item_budget_room(const struct item_budget *budget, packet_info *pinfo, int *const *fields, struct item_rest *rest,
    unsigned items, unsigned values);
/* Hides an item and its subtree if rest->is_full, and counts it as left out. item may be NULL. */
void item_rest_hide(struct item_rest *rest, proto_item *item);

/* Returns the sentence "N values are not shown ..." with advice. what: the noun, for example "values". Packet scope. */
const char *item_budget_left_out_text(const struct item_budget *budget, packet_info *pinfo, unsigned count,
    const char *what);

/*
 * Returns the sentence "Filters and columns do not see N values ...", N being rest->missed. what: the noun, for example
 * "values". Packet scope.
 */
const char *item_budget_missed_text(const struct item_budget *budget, packet_info *pinfo, const struct item_rest *rest,
    const char *what);

#endif /* PERFLIB_BASE_FIELDS_H */
