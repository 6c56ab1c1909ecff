/* test_item_budget.c
 * How many items of a packet may be shown: no more than the user wants, and no more than Wireshark bears
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <limits.h>
#include <string.h>

#include "base/fields.h"
#include "check.h"

#define ASKED   5
#define UNASKED 6

/* In place of Wireshark's, and of compat.c. */
bool
perflib_field_is_asked(int hf)
{
    return hf == ASKED;
}

static const char *preference_name, *preference_text;
static guint *preference_value;

void
prefs_register_uint_preference(module_t *module _U_, const char *name, const char *title _U_, const char *description,
    guint base, guint *value)
{
    CHECK(base == 10, "people write %u", base);
    preference_name = name;
    preference_text = description;
    preference_value = value;
}

static packet_info
new_packet(wmem_allocator_t *pool)
{
    return (packet_info){ .pool = pool };
}

static const struct item_budget generous = { .preference = UINT_MAX, .limit = 100 },
                                careful = { .preference = 10, .limit = 100 };
static int hf_asked = ASKED, hf_unasked = UNASKED;
static int *const unasked[] = { &hf_unasked, &hf_unasked, NULL }, *const asked[] = { &hf_unasked, &hf_asked, NULL },
                  *const nothing[] = { NULL };

static void
check_registered(void)
{
    static struct item_budget first = { .preference = 10, .limit = 100 }, second = { .preference = 10, .limit = 90 };

    item_budget_register(&second, 3, NULL);
    CHECK(preference_value == &second.preference && strstr(preference_text, "more than 90 counts as 90.") != NULL, "%s",
        preference_text);
    item_budget_register(&first, 2, NULL);
    CHECK(strcmp(preference_name, "max_items") == 0 && preference_value == &first.preference &&
            strstr(preference_text, "more than 100 counts as 100.") != NULL,
        "%s", preference_text);
}

/* Things of four items each: two are shown, and of those that are hidden 22 more where somebody asks for them. */
static void
check_room(wmem_allocator_t *pool)
{
    const struct {
        int *const *fields;
        unsigned added;
    } cases[] = { { unasked, 2 }, { nothing, 2 }, { asked, 25 } };

    for (size_t i = 0; i < array_length(cases); i++) {
        packet_info pinfo = new_packet(pool);
        struct item_rest rest = { 0 };
        unsigned added = 0;
        field_info fi = { .flags = 0 };
        proto_item item = { .finfo = &fi };

        while (added < 100 && item_budget_room(&careful, &pinfo, cases[i].fields, &rest, 4)) {
            CHECK(rest.is_full == (added >= 2), "%zu: full after %u", i, added);
            item_rest_hide(&rest, &item);
            CHECK(proto_item_is_hidden(&item) == (added >= 2), "%zu: %u is seen", i, added);
            added++;
        }
        CHECK(added == cases[i].added, "%zu: %u, not %u", i, added, cases[i].added);
        CHECK(rest.is_full && rest.is_asked == (cases[i].fields == asked), "%zu", i);
        CHECK(rest.left_out == added - 2 && rest.missed == 0, "%zu: %u hidden", i, rest.left_out);
        item_rest_hide(&rest, NULL);
        item_rest_leave(&rest, 7);
        CHECK(rest.left_out == added + 6 && rest.missed == (rest.is_asked ? 7 : 0), "%zu: %u, %u", i, rest.left_out,
            rest.missed);
        /* Once it is full it stays so, even for what would fit. */
        CHECK(item_budget_room(&careful, &pinfo, cases[i].fields, &rest, 0) == rest.is_asked, "%zu: nothing more", i);
    }
}

static void
check_texts(wmem_allocator_t *pool)
{
    packet_info pinfo = new_packet(pool);
    const struct item_rest rest = { .left_out = 12, .missed = 5 };
    const char *careful_text = item_budget_left_out_text(&careful, &pinfo, 12, "values"),
               *generous_text = item_budget_left_out_text(&generous, &pinfo, 3, "names"),
               *missed = item_budget_missed_text(&careful, &pinfo, &rest, "values");

    CHECK(g_str_has_prefix(careful_text, "12 values are not shown") &&
            strstr(careful_text, " at most 10 items") != NULL,
        "%s", careful_text);
    CHECK(g_str_has_prefix(generous_text, "3 names are") && strstr(generous_text, " at most 100 items") != NULL, "%s",
        generous_text);
    CHECK(strstr(missed, " miss 5 values ") != NULL && strstr(missed, " no more than 100 items") != NULL, "%s", missed);
}

int
main(void)
{
    wmem_allocator_t *pool;
    packet_info pinfo;

    wmem_init_scopes();
    pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    check_registered();
    check_room(pool);
    check_texts(pool);
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
    return check_result();
}
