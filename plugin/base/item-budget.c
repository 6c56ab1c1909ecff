/* item-budget.c
 * Limits the number of items per packet
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/fields.h"

#include <epan/proto_data.h>

#define PREFERENCE_TITLE "Maximum number of value items per packet"

/*
 * Bytes of text that take about as much memory as an item: an item takes 170 bytes, and text is stored twice, as value
 * and as label.
 */
#define TEXT_PER_ITEM 64u

/* Protocol under which a packet's number of items is stored: the first one that registers a budget */
static int proto_budget = -1;

static unsigned
most_items(const struct item_budget *budget)
{
    return MIN(budget->preference, budget->limit);
}

void
item_budget_register(struct item_budget *budget, int proto, module_t *module)
{
    if (proto_budget == -1) {
        proto_budget = proto;
    }
    prefs_register_uint_preference(module, "max_items", PREFERENCE_TITLE,
        wmem_strdup_printf(wmem_epan_scope(),
            "The packet tree shows at most this many values. Statistics still see all of them. Wireshark cannot show "
            "more than 1,000,000 items, so values above %u count as %u.",
            budget->limit, budget->limit),
        10, &budget->preference);
}

/* Reserves items unless the packet's count would exceed `most`. Returns whether it succeeded. */
static bool
item_budget_own_take(packet_info *pinfo, unsigned items, unsigned most)
{
    guint *used = (guint *)p_get_proto_data(pinfo->pool, pinfo, proto_budget, 0);

    if (used == NULL) {
        used = wmem_new0(pinfo->pool, guint);
        p_add_proto_data(pinfo->pool, pinfo, proto_budget, 0, used);
    }
    if (*used > most || items > most - *used) {
        return false;
    }
    *used += items;
    return true;
}

bool
item_budget_reserve(const struct item_budget *budget, packet_info *pinfo, unsigned items)
{
    return item_budget_own_take(pinfo, items, most_items(budget));
}

unsigned
item_budget_text_items(const struct item_budget *budget, unsigned items, size_t bytes)
{
    return items + (unsigned)MIN(bytes / TEXT_PER_ITEM, budget->limit);
}

static bool
any_is_asked(int *const *fields)
{
    for (; *fields != NULL; fields++) {
        if (perflib_field_is_asked(**fields)) {
            return true;
        }
    }
    return false;
}

bool
item_budget_room(const struct item_budget *budget, packet_info *pinfo, int *const *fields, struct item_rest *rest,
    unsigned items, unsigned values)
{
    if (!rest->is_full && item_budget_reserve(budget, pinfo, items)) {
        return true;
    }
    if (!rest->is_full) {
        rest->is_full = true;
        rest->is_asked = any_is_asked(fields);
    }
    if (rest->is_asked && item_budget_own_take(pinfo, items, budget->limit)) {
        return true;
    }
    rest->left_out += values;
    rest->missed += rest->is_asked ? values : 0;
    return false;
}

void
item_rest_hide(struct item_rest *rest, proto_item *item)
{
    if (rest->is_full) {
        rest->left_out++;
        proto_item_set_hidden(item);
    }
}

const char *
item_budget_left_out_text(const struct item_budget *budget, packet_info *pinfo, unsigned count, const char *what)
{
    return wmem_strdup_printf(pinfo->pool, "%u %s are not shown: the limit per packet is %u items (preference \"%s\")",
        count, what, most_items(budget), PREFERENCE_TITLE);
}

const char *
item_budget_missed_text(const struct item_budget *budget, packet_info *pinfo, const struct item_rest *rest,
    const char *what)
{
    return wmem_strdup_printf(pinfo->pool,
        "Filters and columns do not see %u %s of this packet, because Wireshark's limit is %u items. Tables see all",
        rest->missed, what, budget->limit);
}
