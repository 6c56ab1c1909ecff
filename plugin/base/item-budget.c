/* item-budget.c
 * How many items of a packet a protocol may still show
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/item-budget.h"

#include <epan/proto_data.h>

#define PREFERENCE_TITLE "Most items shown of a packet"

static unsigned
most_items(const struct item_budget *budget)
{
    return MIN(budget->preference, budget->limit);
}

void
item_budget_register(struct item_budget *budget, int proto, module_t *module)
{
    budget->proto = proto;
    prefs_register_uint_preference(module, "max_items", PREFERENCE_TITLE,
        wmem_strdup_printf(wmem_epan_scope(), "Values beyond are left out of the tree, not out of statistics. Wireshark itself gives up at "
            "1,000,000; more than %u counts as %u.", budget->limit, budget->limit),
        10, &budget->preference);
}

bool
item_budget_take(const struct item_budget *budget, packet_info *pinfo, unsigned items)
{
    guint *used = (guint *)p_get_proto_data(pinfo->pool, pinfo, budget->proto, 0);

    if (used == NULL) {
        used = wmem_new0(pinfo->pool, guint);
        p_add_proto_data(pinfo->pool, pinfo, budget->proto, 0, used);
    }
    if (items > most_items(budget) - *used) {
        return false;
    }
    *used += items;
    return true;
}

const char *
item_budget_left_out_text(const struct item_budget *budget, packet_info *pinfo, unsigned count, const char *what)
{
    return wmem_strdup_printf(pinfo->pool, "%u %s are not shown: a packet shows at most %u items (preference \"%s\")", count, what,
        most_items(budget), PREFERENCE_TITLE);
}
