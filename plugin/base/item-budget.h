/* item-budget.h
 * How many items of a packet a protocol may still show
 *
 * Wireshark gives up on a packet of more than a million items and then loses what comes after, the return code too. So the
 * items of a packet are counted, over all its PDUs, and beyond a number the user may set values are left out. Wireshark 4.6 also gives
 * up on 50,000 items in a row that get no further in the packet: items that don't are to be counted as so many more.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_ITEM_BUDGET_H
#define PERFLIB_BASE_ITEM_BUDGET_H

#include <epan/prefs.h>

#include "compat.h"

/* One protocol's. Initialise preference and limit. */
struct item_budget {
    int proto;
    guint preference;           /* "max_items" */
    guint limit;                /* a larger preference counts as this */
};

/* Adds the preference to those of proto; budget has to live as long as the process. */
void item_budget_register(struct item_budget *budget, int proto, module_t *module);

/* Takes items from what the packet may still hold; false where that is not enough, and nothing is taken then. */
bool item_budget_take(const struct item_budget *budget, packet_info *pinfo, unsigned items);

/* The sentence that tells that count of what ("values") are not shown, and what to do about it. Packet scope. */
const char *item_budget_left_out_text(const struct item_budget *budget, packet_info *pinfo, unsigned count, const char *what);

#endif /* PERFLIB_BASE_ITEM_BUDGET_H */
