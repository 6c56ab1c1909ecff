/* test_item_budget.c
 * How many items a packet may have: what a person set, what Wireshark bears, and what is said of the rest
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/fields.h"

#include <string.h>

#include <epan/wmem_scopes.h>

#include "check.h"

/* In place of Wireshark's: one field that a filter names, and one that none does. */
enum { UNASKED, ASKED, NUM_FIELDS };

static header_field_info fields[NUM_FIELDS] = {
    [UNASKED] = { .ref_type = HF_REF_TYPE_NONE },
    [ASKED] = { .ref_type = HF_REF_TYPE_DIRECT },
};

header_field_info *
proto_registrar_get_nth(unsigned hf)
{
    CHECK(hf < NUM_FIELDS, "no field has the number %u", hf);
    return &fields[hf];
}

static struct {
    char name[40], title[80], description[400];
    unsigned base;
    unsigned *value;
} preference;
static int a_module;

void
prefs_register_uint_preference(module_t *module, const char *name, const char *title, const char *description,
    unsigned base, unsigned *var)
{
    CHECK(module == (module_t *)&a_module, "another protocol's");
    snprintf(preference.name, sizeof preference.name, "%s", name);
    snprintf(preference.title, sizeof preference.title, "%s", title);
    snprintf(preference.description, sizeof preference.description, "%s", description);
    preference.base = base;
    preference.value = var;
}

static packet_info pinfo;

static void
next_packet(void)
{
    if (pinfo.pool != NULL) {
        wmem_destroy_allocator(pinfo.pool);
    }
    pinfo = (packet_info){ .pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE) };
}

static void
check_preference_is_a_decimal_number_of_its_protocol(void)
{
    static struct item_budget budget = { .preference = 123, .limit = 4567 };

    item_budget_register(&budget, 3, (module_t *)&a_module);
    CHECK_STRING(preference.name, "max_items", "its name");
    CHECK_STRING(preference.title, "Maximum number of value items per packet", "its title");
    CHECK(strstr(preference.description, "values above 4567 count as 4567.") != NULL, "%s", preference.description);
    CHECK_EQUAL(preference.base, 10, "its digits");
    CHECK(preference.value == &budget.preference, "what a person sets");
}

/* The smaller of what a person set and what Wireshark bears. Nothing is taken where it does not fit. */
static void
check_packet_has_no_more_items_than_either_limit(void)
{
    static const struct {
        unsigned preference, limit, most;
    } cases[] = { { 10, 100, 10 }, { 100, 10, 10 }, { 10, 10, 10 }, { 0, 10, 0 }, { UINT32_MAX, 3, 3 } };

    for (size_t i = 0; i < array_length(cases); i++) {
        const struct item_budget budget = { .preference = cases[i].preference, .limit = cases[i].limit };
        const unsigned most = cases[i].most;

        for (unsigned first = 0; first <= most; first++) {
            next_packet();
            CHECK(item_budget_reserve(&budget, &pinfo, first), "case %zu: %u of %u", i, first, most);
            CHECK(!item_budget_reserve(&budget, &pinfo, most - first + 1), "case %zu: one too many", i);
            CHECK(!item_budget_reserve(&budget, &pinfo, UINT32_MAX), "case %zu: far too many", i);
            CHECK(item_budget_reserve(&budget, &pinfo, most - first), "case %zu: the rest", i);
            CHECK(!item_budget_reserve(&budget, &pinfo, 1), "case %zu: one more", i);
            CHECK(item_budget_reserve(&budget, &pinfo, 0), "case %zu: none", i);
        }
        next_packet();
        CHECK(!item_budget_reserve(&budget, &pinfo, most + 1), "case %zu: too many at once", i);
    }
}

/* All protocols' items are of one packet. */
static void
check_budgets_of_a_packet_share_their_items(void)
{
    const struct item_budget small = { .preference = 5, .limit = 100 }, large = { .preference = 8, .limit = 100 };

    next_packet();
    CHECK(item_budget_reserve(&large, &pinfo, 4), "4 of 8");
    CHECK(!item_budget_reserve(&small, &pinfo, 2), "2 more than 4 of 5");
    CHECK(item_budget_reserve(&small, &pinfo, 1), "5 of 5");
    CHECK(item_budget_reserve(&large, &pinfo, 2), "7 of 8");
    CHECK(!item_budget_reserve(&small, &pinfo, 0), "there are more than 5");
    CHECK(!item_budget_reserve(&large, &pinfo, 2), "9 of 8");
    CHECK(item_budget_reserve(&large, &pinfo, 1), "8 of 8");
    next_packet();
    CHECK(item_budget_reserve(&small, &pinfo, 5), "another packet");
}

/* An item's memory is that of 64 bytes of text. */
static void
check_text_costs_items_by_its_length(void)
{
    static const struct {
        unsigned items;
        size_t bytes;
        unsigned cost;
    } cases[] = {
        { 0, 0, 0 },
        { 7, 0, 7 },
        { 7, 63, 7 },
        { 7, 64, 8 },
        { 7, 127, 8 },
        { 7, 128, 9 },
        { 1, 6399, 100 },
        { 1, 6400, 101 },
        { 1, 6464, 101 }, /* no more than the limit */
        { 1, SIZE_MAX, 101 },
    };
    const struct item_budget budget = { .preference = 5, .limit = 100 };

    for (size_t i = 0; i < array_length(cases); i++) {
        CHECK_EQUAL(item_budget_text_items(&budget, cases[i].items, cases[i].bytes), cases[i].cost,
            "%u items, %zu bytes", cases[i].items, cases[i].bytes);
    }
}

/* Up to the preference items are shown. Above, they are hidden if a filter asks, up to the limit; else left out. */
static void
check_lines_above_the_preference_are_hidden_or_left_out(void)
{
    static int unasked = UNASKED, asked = ASKED;
    static int *const lists[][3] = {
        { NULL },
        { &unasked, NULL },
        { &unasked, &unasked, NULL },
        { &asked, NULL },
        { &unasked, &asked, NULL },
        { &asked, &unasked, NULL },
    };
    const struct item_budget budget = { .preference = 5, .limit = 9 };

    for (size_t list = 0; list < array_length(lists); list++) {
        const bool is_asked = list >= 3;
        struct item_rest rest = { 0 };

        next_packet();
        CHECK(item_budget_room(&budget, &pinfo, lists[list], &rest, 2, 10), "2 of 5");
        CHECK(item_budget_room(&budget, &pinfo, lists[list], &rest, 2, 10), "4 of 5");
        CHECK(!rest.is_full && !rest.is_asked, "all are shown");
        CHECK_EQUAL(rest.left_out, 0, "all are shown");
        CHECK_EQUAL(rest.missed, 0, "all are shown");
        CHECK_EQUAL(item_budget_room(&budget, &pinfo, lists[list], &rest, 2, 10), is_asked, "6 of 5, list %zu", list);
        CHECK(rest.is_full, "6 of 5");
        CHECK_EQUAL(rest.is_asked, is_asked, "list %zu", list);
        CHECK_EQUAL(rest.left_out, is_asked ? 0 : 10, "list %zu", list);
        CHECK_EQUAL(rest.missed, 0, "list %zu", list);
        /* One would fit, but what stands behind is never shown where something before is not. */
        CHECK_EQUAL(item_budget_room(&budget, &pinfo, lists[list], &rest, 1, 20), is_asked, "1 more, list %zu", list);
        CHECK_EQUAL(rest.left_out, is_asked ? 0 : 30, "list %zu", list);
        CHECK_EQUAL(item_budget_room(&budget, &pinfo, lists[list], &rest, 2, 40), is_asked, "9 of 9, list %zu", list);
        CHECK_EQUAL(rest.left_out, is_asked ? 0 : 70, "list %zu", list);
        CHECK_EQUAL(rest.missed, 0, "list %zu", list);
        CHECK(!item_budget_room(&budget, &pinfo, lists[list], &rest, 1, 80), "10 of 9, list %zu", list);
        CHECK_EQUAL(rest.left_out, is_asked ? 80 : 150, "list %zu", list);
        CHECK_EQUAL(rest.missed, is_asked ? 80 : 0, "list %zu", list);
        /* Only shown and hidden items count: a tree of a filter takes all of the limit, another nothing. */
        CHECK_EQUAL(item_budget_reserve(&(const struct item_budget){ 9, 9 }, &pinfo, 1), !is_asked, "list %zu", list);
    }
}

static void
check_items_are_hidden_once_a_tree_is_full(void)
{
    field_info info = { .flags = 0 };
    proto_item item = { .finfo = &info };
    struct item_rest rest = { .left_out = 3 };

    item_rest_hide(&rest, &item);
    CHECK(!proto_item_is_hidden(&item), "there is room");
    CHECK_EQUAL(rest.left_out, 3, "there is room");
    rest.is_full = true;
    item_rest_hide(&rest, &item);
    CHECK(proto_item_is_hidden(&item), "there is no room");
    CHECK_EQUAL(rest.left_out, 4, "there is no room");
    item_rest_hide(&rest, NULL);
    CHECK_EQUAL(rest.left_out, 5, "it counts without a tree, too");
}

static void
check_sentences_name_what_is_missing_and_the_limit(void)
{
    const struct item_budget by_person = { .preference = 50, .limit = 100 };
    const struct item_budget by_us = { .preference = 500, .limit = 100 };
    const struct item_rest rest = { .left_out = 77, .missed = 12 };

    next_packet();
    CHECK_STRING(item_budget_left_out_text(&by_person, &pinfo, 3, "values"),
        "3 values are not shown: the limit per packet is 50 items (preference \"Maximum number of value items per "
        "packet\")",
        "the preference");
    CHECK_STRING(item_budget_left_out_text(&by_us, &pinfo, 4, "rows"),
        "4 rows are not shown: the limit per packet is 100 items (preference \"Maximum number of value items per "
        "packet\")",
        "the limit");
    CHECK_STRING(item_budget_missed_text(&by_person, &pinfo, &rest, "values"),
        "Filters and columns do not see 12 values of this packet, because Wireshark's limit is 100 items. Tables see "
        "all",
        "the limit");
}

int
main(void)
{
    wmem_init_scopes();
    check_preference_is_a_decimal_number_of_its_protocol();
    check_packet_has_no_more_items_than_either_limit();
    check_budgets_of_a_packet_share_their_items();
    check_text_costs_items_by_its_length();
    check_lines_above_the_preference_are_hidden_or_left_out();
    check_items_are_hidden_once_a_tree_is_full();
    check_sentences_name_what_is_missing_and_the_limit();
    wmem_destroy_allocator(pinfo.pool);
    return check_result();
}
