/* test_item_budget.c
 * How many items of a packet may be shown: no more than the user wants, and no more than Wireshark bears
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <limits.h>

#include "base/item-budget.h"
#include "check.h"

static packet_info
new_packet(wmem_allocator_t *pool)
{
    return (packet_info){ .pool = pool };
}

int
main(void)
{
    static const struct item_budget generous = { .preference = UINT_MAX, .limit = 100 },
                                    careful = { .preference = 10, .limit = 100 };
    wmem_allocator_t *pool;
    packet_info pinfo;

    wmem_init();
    pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    pinfo = new_packet(pool);
    CHECK(item_budget_reserve(&generous, &pinfo, 60) && item_budget_reserve(&generous, &pinfo, 40), "up to the limit");
    CHECK(!item_budget_reserve(&generous, &pinfo, 1), "beyond it, whatever the user wants");
    CHECK(item_budget_reserve(&generous, &pinfo, 0), "nothing is always left");

    pinfo = new_packet(pool);
    CHECK(!item_budget_reserve(&careful, &pinfo, 11) && item_budget_reserve(&careful, &pinfo, 10),
        "as many as the user wants");
    CHECK(!item_budget_reserve(&careful, &pinfo, 1), "no more");
    CHECK(item_budget_reserve(&generous, &pinfo, 90) && !item_budget_reserve(&generous, &pinfo, 1),
        "all take from one packet");
    CHECK(!item_budget_reserve(&careful, &pinfo, 0), "more than the user wants are there already");

    pinfo = new_packet(pool);
    CHECK(!item_budget_reserve(&generous, &pinfo, UINT_MAX) && item_budget_reserve(&generous, &pinfo, 1) &&
            !item_budget_reserve(&generous, &pinfo, UINT_MAX),
        "no sum overflows");

    /* 64 bytes of text count as an item, however long it is. */
    CHECK(item_budget_text_items(&generous, 3, 63) == 3 && item_budget_text_items(&generous, 3, 64) == 4,
        "an item more");
    CHECK(item_budget_text_items(&generous, 3, SIZE_MAX) == 103, "%u", item_budget_text_items(&generous, 3, SIZE_MAX));
    wmem_destroy_allocator(pool);
    wmem_cleanup();
    return check_result();
}
