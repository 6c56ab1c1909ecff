/* item-budget.h
 * How many items of a packet may still be shown, and how much text in them
 *
 * Wireshark gives up on a packet of more than a million items and then loses what comes after, the return code too.
 * So the items of a packet are counted, over all its PDUs and protocols, and beyond a number the user may set values
 * are left out. Text counts as well: what the packet says once may be said again by a thousand items. Wireshark 4.6
 * also gives up on 50,000 items in a row that get no further in the packet: items that don't are to be counted as so
 * many more.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_ITEM_BUDGET_H
#define PERFLIB_BASE_ITEM_BUDGET_H

#include <epan/prefs.h>

#include "compat.h"

/*
 * What one protocol may take a packet's items up to, whoever took those before. Initialise preference and limit; the
 * limits of all protocols leave room below a million for what is not counted.
 */
struct item_budget {
    guint preference; /* "max_items" */
    guint limit;      /* a larger preference counts as this */
};

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

#endif /* PERFLIB_BASE_ITEM_BUDGET_H */
