/* fields.h
 * Fields and items: our own, and those of other protocols
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_FIELDS_H
#define PERFLIB_BASE_FIELDS_H

#include "compat.h"

#include <epan/expert.h>
#include <epan/prefs.h>

/* Cuts a place to what was captured: over other bytes Wireshark would throw, and what comes next would not be shown. */
static inline void
captured_place(const tvbuff_t *tvb, unsigned *offset, unsigned *size)
{
    const unsigned captured = tvb_captured_length(tvb);

    *offset = MIN(*offset, captured);
    *size = MIN(*size, captured - *offset);
}

/* ---- foreign-field.c ---- */

/*
 * Whether somebody looks at expert items of a tree, or where there is none: Expert Information and "-z expert", which
 * have no trees, or a filter on Wireshark's _ws.expert. Expert items are told then, whatever else is left out.
 */
bool expert_items_are_asked(proto_tree *tree);

/* Fields of Wireshark's own protocols, found by name: so that their filters find our items, too */

struct foreign_field {
    int *hf; /* receives the field; -1 where Wireshark has none of this name and type */
    const char *name;
    enum ftenum type; /* what our items are added as: of another type Wireshark would not take them */
};

/* A field of this name and type, or -1. At handoff, when all protocols have registered theirs. */
int foreign_field_find(const char *name, enum ftenum type);
/* The same for a table of them, once, at handoff. Returns the name of one that is missing, or NULL. */
const char *foreign_fields_find(const struct foreign_field *fields, size_t count);
/*
 * What Wireshark calls a value of such a field, NULL where it has no name for it: its tables of NTSTATUS, of faults and
 * the like are its own. Constant.
 */
const char *foreign_field_value_name(const char *name, uint32_t value);

/*
 * Adding FT_DOUBLE fields without overrunning Wireshark's columns
 *
 * Wireshark 4.0 and 4.4 write FT_DOUBLE fields into a custom column ("Apply as Column") that shows every occurrence
 * without looking at the room left: some hundred in one packet, and they crash. 4.6 warns for each.
 */

/* ---- double-field.c ---- */

/*
 * Whether one more item of this FT_DOUBLE field may be added to the packet's tree: false where a column shows all of
 * them and has no room left. To be asked before each item. Columns are filled only where packets are listed, so that
 * the tree of a packet looked at in the GUI is always whole.
 */
bool double_field_fits(const packet_info *pinfo, const proto_tree *tree, int hf);

/* Adds a generated item of this field and value, without bytes of its own; NULL where it does not fit. */
proto_item *double_field_add(const packet_info *pinfo, proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length,
    double value);

/* Labels of items: with names from the wire, and ready ones by the hundred thousand */

/* ---- item-label.c ---- */

/*
 * Appends text to an item's label. Wireshark 4.0 cuts what is appended to a full label, and that within a character:
 * then the packet's PDML is none. item: NULL, or of a tree that nobody sees, is fine.
 */
void item_label_append(wmem_allocator_t *scope, proto_item *item, const char *text);

/*
 * As proto_tree_add_string_format(), proto_tree_add_string_format_value() and proto_tree_add_double_format_value() do
 * with "%s" and text, at a third of the cost: with those the labels of values take longer than all else of their items.
 * text may stand in a line as it is (base/text.h). Of a tree that nobody sees it may be NULL. Such a label can be
 * appended to, but must never be freed, as it is cut from a sheet of many: proto_item_set_text() is not for it.
 */
proto_item *item_label_add_string(proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length, const char *value,
    const char *text);
proto_item *item_label_add_string_value(proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length,
    const char *value, const char *text);
proto_item *item_label_add_double_value(proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length, double value,
    const char *text);

/*
 * How many items of a packet may still be shown, and how much text in them
 *
 * Wireshark gives up on a packet of more than a million items and then loses what comes after, the return code too.
 * So the items of a packet are counted, over all its PDUs and protocols, and beyond a number the user may set values
 * are left out. Text counts as well: what the packet says once may be said again by a thousand items. Wireshark 4.6
 * also gives up on 50,000 items in a row that get no further in the packet: items that don't are to be counted as so
 * many more.
 */

/*
 * What one protocol may take a packet's items up to, whoever took those before. Initialise preference and limit; the
 * limits of all protocols leave room below a million for what is not counted.
 */
struct item_budget {
    guint preference; /* "max_items" */
    guint limit;      /* a larger preference counts as this */
};

/* ---- item-budget.c ---- */

/* Adds the preference to those of proto; budget has to live as long as the process. */
void item_budget_register(struct item_budget *budget, int proto, module_t *module);

/* Takes items from what the packet may still hold; false where that is not enough, and nothing is taken then. */
bool item_budget_reserve(const struct item_budget *budget, packet_info *pinfo, unsigned items);
/* As many as so many items that hold text of so many bytes as sent. */
unsigned item_budget_text_items(const struct item_budget *budget, unsigned items, size_t bytes);

/*
 * What does not fit into one tree; zero at first. Beyond the preference nothing more is shown, but a filter or a
 * column that asks for a field by name gets it all the same, in hidden items up to the limit: what is shown has an
 * end, what is found has not.
 */
struct item_rest {
    bool is_full;      /* the preference is reached: whatever is added is hidden, */
    bool is_asked;     /* it is added because somebody asks for it */
    unsigned left_out; /* things not shown */
    unsigned missed;   /* of these: not added either, though asked for */
};

/*
 * Takes items for one thing of a tree: false where it is to be left out, see item_rest_leave(). fields: those that the
 * tree may hold, NULL at the end. After rest->is_full has become true, the thing's item goes to item_rest_hide().
 */
bool item_budget_room(const struct item_budget *budget, packet_info *pinfo, int *const *fields, struct item_rest *rest,
    unsigned items);
/* Hides the item of a thing, and what will be below it, where the tree is full. NULL: there is no item. */
void item_rest_hide(struct item_rest *rest, proto_item *item);
/* So many things are not added. */
void item_rest_leave(struct item_rest *rest, unsigned count);

/* The sentence that tells that count of what ("values") are not shown, and what to do about it. Packet scope. */
const char *item_budget_left_out_text(const struct item_budget *budget, packet_info *pinfo, unsigned count,
    const char *what);

/* The sentence that tells that filters miss some. Packet scope. */
const char *item_budget_missed_text(const struct item_budget *budget, packet_info *pinfo, const struct item_rest *rest,
    const char *what);

#endif /* PERFLIB_BASE_FIELDS_H */
