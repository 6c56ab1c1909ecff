/* test_foreign_field.c
 * Fields of other protocols, found by name and type: one that Wireshark does not have is told; who wants expert items
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include <epan/proto.h>
#include <epan/tap.h>

#include "base/fields.h"
#include "check.h"

static const value_string names[] = { { 1, "one" }, { 2, "two" }, { 0, NULL } };
static value_string_ext names_ext = VALUE_STRING_EXT_INIT(names);
static const range_string ranges[] = { { 1, 2, "some" }, { 0, 0, NULL } };

/* In place of Wireshark's. Fields whose strings are no names of numbers would be read as what they are not. */
static header_field_info fields[] = {
    { .abbrev = "x.number", .type = FT_UINT32, .id = 7 },
    { .abbrev = "x.text", .type = FT_STRING, .id = 0 },
    { .abbrev = "x.named_8", .type = FT_UINT8, .display = BASE_DEC, .strings = names },
    { .abbrev = "x.named_16", .type = FT_UINT16, .display = BASE_HEX, .strings = names },
    { .abbrev = "x.named_32", .type = FT_UINT32, .display = BASE_HEX_DEC, .strings = names },
    { .abbrev = "x.ext_8", .type = FT_UINT8, .display = BASE_HEX | BASE_EXT_STRING, .strings = &names_ext },
    { .abbrev = "x.ext_32", .type = FT_UINT32, .display = BASE_DEC | BASE_EXT_STRING, .strings = &names_ext },
    { .abbrev = "x.range", .type = FT_UINT32, .display = BASE_DEC | BASE_RANGE_STRING, .strings = ranges },
    { .abbrev = "x.wide", .type = FT_UINT32, .display = BASE_DEC | BASE_VAL64_STRING, .strings = names },
    { .abbrev = "x.unit", .type = FT_UINT32, .display = BASE_DEC | BASE_UNIT_STRING, .strings = names },
    { .abbrev = "x.custom", .type = FT_UINT32, .display = BASE_CUSTOM, .strings = names },
    { .abbrev = "x.64", .type = FT_UINT64, .display = BASE_DEC, .strings = names },
    { .abbrev = "x.bool", .type = FT_BOOLEAN, .display = 8, .strings = names },
    /* One name for two: the latest is what the name finds. */
    { .abbrev = "x.twice", .type = FT_UINT16, .id = 21, .same_name_prev_id = 20 },
};
static header_field_info earlier = { .abbrev = "x.twice", .type = FT_UINT32, .id = 20, .same_name_prev_id = -1 };

header_field_info *
proto_registrar_get_nth(unsigned hfindex)
{
    CHECK(hfindex == 20, "%u", hfindex);
    return &earlier;
}

header_field_info *
proto_registrar_get_byname(const char *name)
{
    for (size_t i = 0; i < array_length(fields); i++) {
        if (strcmp(name, fields[i].abbrev) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

static void
check_only_value_strings_name_numbers(void)
{
    static const char *const named[] = { "x.named_8", "x.named_16", "x.named_32", "x.ext_8", "x.ext_32" };
    static const char *const unnamed[] = { "x.absent", "x.number", "x.text", "x.range", "x.wide", "x.unit", "x.custom",
        "x.64", "x.bool" };

    for (size_t i = 0; i < array_length(named); i++) {
        const char *name = foreign_field_value_name(named[i], 2);

        CHECK(name != NULL && strcmp(name, "two") == 0, "%s: %s", named[i], name);
        CHECK(foreign_field_value_name(named[i], 3) == NULL, "%s: it has no name", named[i]);
    }
    for (size_t i = 0; i < array_length(unnamed); i++) {
        CHECK(foreign_field_value_name(unnamed[i], 2) == NULL, "%s", unnamed[i]);
    }
}

/* In place of Wireshark's: whether anybody listens to its expert items, or a tree is read for them. */
enum { EXPERT_TAP = 6, EXPERT_PROTOCOL = 8 };

static bool is_heard, is_referenced;
static proto_tree a_tree;
static const proto_tree *referenced_in;

int
find_tap_id(const char *name)
{
    return strcmp(name, "expert") == 0 ? EXPERT_TAP : 0;
}

perflib_bool
have_tap_listener(int tap_id)
{
    CHECK_EQUAL(tap_id, EXPERT_TAP, "another tap");
    return is_heard;
}

int
proto_get_id_by_filter_name(const char *name)
{
    return strcmp(name, "_ws.expert") == 0 ? EXPERT_PROTOCOL : -1;
}

perflib_bool
proto_field_is_referenced(proto_tree *tree, int id)
{
    CHECK_EQUAL(id, EXPERT_PROTOCOL, "another protocol");
    referenced_in = tree;
    return tree != NULL && is_referenced;
}

/* A person's own listener, or a tree that is read for them; the plugin's own tables read none. */
static void
check_expert_items_are_for_listeners_and_readers(void)
{
    for (unsigned i = 0; i < 16; i++) {
        const bool are_ours = (i & 4) != 0, has_tree = (i & 8) != 0;

        is_heard = (i & 1) != 0;
        is_referenced = (i & 2) != 0;
        expert_items_are_ours(are_ours);
        CHECK_EQUAL(expert_items_are_asked(has_tree ? &a_tree : NULL),
            (is_heard && !are_ours) || (has_tree && is_referenced), "%u", i);
    }
    CHECK(referenced_in == &a_tree, "another tree");
    expert_items_are_ours(false);
}

int
main(void)
{
    int number = -2, text = -2, other = -2;
    const struct foreign_field all[] = {
        { .hf = &number, .name = "x.number", .type = FT_UINT32 },
        { .hf = &text, .name = "x.text", .type = FT_STRING },
    };
    const struct foreign_field more[] = {
        { .hf = &other, .name = "x.other", .type = FT_STRING },
        { .hf = &number, .name = "x.number", .type = FT_UINT32 },
    };
    const struct foreign_field changed[] = { { .hf = &text, .name = "x.text", .type = FT_UINT32 } };
    const char *missing;

    for (size_t i = 0; i < array_length(fields); i++) {
        if (fields[i].same_name_prev_id == 0) {
            fields[i].same_name_prev_id = -1;
        }
    }
    missing = foreign_fields_find(all, 2);
    CHECK(missing == NULL && number == 7 && text == 0, "%s, %d, %d", missing, number, text);
    missing = foreign_fields_find(more, 2);
    CHECK(missing != NULL && strcmp(missing, "x.other") == 0 && other == -1 && number == 7, "%s, %d", missing, other);
    missing = foreign_fields_find(changed, 1);
    CHECK(missing != NULL && strcmp(missing, "x.text") == 0 && text == -1, "of another type: %d", text);
    CHECK_EQUAL(foreign_field_find("x.twice", FT_UINT16), 21, "two of one name");
    CHECK_EQUAL(foreign_field_find("x.twice", FT_UINT32), 20, "two of one name");
    CHECK_EQUAL(foreign_field_find("x.twice", FT_UINT8), -1, "two of one name");
    check_only_value_strings_name_numbers();
    check_expert_items_are_for_listeners_and_readers();
    return check_result();
}
