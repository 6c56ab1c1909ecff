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
    guint preference;           /* "max_items" */
    guint limit;                /* a larger preference counts as this */
};

/* Adds the preference to those of proto; budget has to live as long as the process. */
void item_budget_register(struct item_budget *budget, int proto, module_t *module);

/* Takes items from what the packet may still hold; false where that is not enough, and nothing is taken then. */
bool item_budget_take(const struct item_budget *budget, packet_info *pinfo, unsigned items);
/* The same for items that hold text of so many bytes as sent. */
bool item_budget_take_text(const struct item_budget *budget, packet_info *pinfo, unsigned items, size_t bytes);

/* The sentence that tells that count of what ("values") are not shown, and what to do about it. Packet scope. */
const char *item_budget_left_out_text(const struct item_budget *budget, packet_info *pinfo, unsigned count,
    const char *what);

#endif /* PERFLIB_BASE_ITEM_BUDGET_H */
