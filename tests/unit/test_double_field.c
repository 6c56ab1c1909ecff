/* test_double_field.c
 * How many numbers of one field a packet may have, so that a user's columns have room for them
 *
 * A column's text has 2048 bytes (COL_MAX_LEN), and Wireshark 4.0 writes behind its end. A number takes 32 at most.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/fields.h"

#include <string.h>

#include "check.h"
#include "fake-columns.h"

/* Values of a column that is shared by none: one less than fit, since more may stand before them. */
#define ROOM (COL_MAX_LEN / 32 - 1)
#define ALL  100000

static int some_bytes;
static field_info value_info;
static proto_item value_item = { .finfo = &value_info };
static struct {
    unsigned count;
    int hf, offset, length;
    double value;
    char label[80];
} added;

static proto_item *
note(int hf, int offset, int length, double value)
{
    added.count++;
    added.hf = hf;
    added.offset = offset;
    added.length = length;
    added.value = value;
    added.label[0] = '\0';
    value_info.flags = 0;
    return &value_item;
}

/* In place of Wireshark's. */
proto_item *
proto_tree_add_double(proto_tree *tree _U_, int hf, tvbuff_t *tvb, int start, int length, double value)
{
    CHECK(tvb == (tvbuff_t *)&some_bytes, "other bytes");
    return note(hf, start, length, value);
}

proto_item *
proto_tree_add_double_format_value(proto_tree *tree _U_, int hf, tvbuff_t *tvb, int start, int length, double value,
    const char *format, ...)
{
    va_list arguments;

    CHECK(tvb == (tvbuff_t *)&some_bytes, "other bytes");
    note(hf, start, length, value);
    va_start(arguments, format);
    vsnprintf(added.label, sizeof added.label, format, arguments);
    va_end(arguments);
    return &value_item;
}

static tree_data_t data;
static proto_tree tree = { .tree_data = &data };

/* Whether one more value of a field fits, if its packet already has so many of each field. */
static bool
fits(const struct fake_column *columns, unsigned count, int hf, unsigned items)
{
    const packet_info pinfo = { .cinfo = columns_of(columns, count) };

    for (int i = 0; i < NUM_COLUMN_FIELDS; i++) {
        column_items[i] = i == hf ? items : 0;
    }
    return double_field_fits(&pinfo, &tree, hf);
}

/* The number of values of a field that fit. */
static unsigned
room_of(const struct fake_column *columns, unsigned count, int hf)
{
    unsigned items = 0;

    while (items < 1000 && fits(columns, count, hf, items)) {
        items++;
    }
    return items == 1000 && fits(columns, count, hf, ALL) ? ALL : items;
}

static void
check_only_columns_of_all_values_limit_them(void)
{
    static const struct {
        unsigned count;
        struct fake_column columns[4];
        unsigned alone, twin, other_twin, another;
    } cases[] = {
        { 0, { { 0 } }, ALL, ALL, ALL, ALL },
        { 1, { { COL_CUSTOM, 0, 1, { ALONE } } }, ROOM, ALL, ALL, ALL },
        /* It shows one of the values: the first, the second or the last. */
        { 1, { { COL_CUSTOM, 1, 1, { ALONE } } }, ALL, ALL, ALL, ALL },
        { 1, { { COL_CUSTOM, 2, 1, { ALONE } } }, ALL, ALL, ALL, ALL },
        { 1, { { COL_CUSTOM, -1, 1, { ALONE } } }, ALL, ALL, ALL, ALL },
        /* A column of Wireshark's own */
        { 1, { { COL_INFO, 0, 1, { ALONE } } }, ALL, ALL, ALL, ALL },
        { 1, { { COL_CUSTOM, 0, 0, { 0 } } }, ALL, ALL, ALL, ALL },
        /* A name is that of both of its fields. */
        { 1, { { COL_CUSTOM, 0, 1, { TWIN } } }, ALL, ROOM, ROOM, ALL },
        { 1, { { COL_CUSTOM, 0, 1, { OTHER_TWIN } } }, ALL, ROOM, ROOM, ALL },
        /* Behind others, which may have filled the column, there is no room. */
        { 1, { { COL_CUSTOM, 0, 3, { ALONE, TWIN, ANOTHER } } }, ROOM, 0, 0, 0 },
        { 1, { { COL_CUSTOM, 0, 2, { ALONE, ALONE } } }, ROOM, ALL, ALL, ALL },
        { 1, { { COL_CUSTOM, 0, 3, { EXPRESSION, ALONE, ANOTHER } } }, 0, ALL, ALL, 0 },
        { 1, { { COL_CUSTOM, 0, 1, { EXPRESSION } } }, ALL, ALL, ALL, ALL },
        /* The narrowest of several columns, wherever it stands */
        { 3, { { COL_INFO, 0, 0, { 0 } }, { COL_CUSTOM, 0, 1, { ALONE } }, { COL_CUSTOM, 0, 1, { ANOTHER } } }, ROOM,
            ALL, ALL, ROOM },
        { 2, { { COL_CUSTOM, 0, 1, { ALONE } }, { COL_CUSTOM, 0, 2, { ANOTHER, ALONE } } }, 0, ALL, ALL, ROOM },
        { 2, { { COL_CUSTOM, 0, 2, { ANOTHER, ALONE } }, { COL_CUSTOM, 0, 1, { ALONE } } }, 0, ALL, ALL, ROOM },
        { 2, { { COL_CUSTOM, 1, 1, { ALONE } }, { COL_CUSTOM, 0, 1, { ALONE } } }, ROOM, ALL, ALL, ALL },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        CHECK_EQUAL(room_of(cases[i].columns, cases[i].count, ALONE), cases[i].alone, "case %zu", i);
        CHECK_EQUAL(room_of(cases[i].columns, cases[i].count, TWIN), cases[i].twin, "case %zu", i);
        CHECK_EQUAL(room_of(cases[i].columns, cases[i].count, OTHER_TWIN), cases[i].other_twin, "case %zu", i);
        CHECK_EQUAL(room_of(cases[i].columns, cases[i].count, ANOTHER), cases[i].another, "case %zu", i);
    }
}

static void
check_items_of_both_twins_count(void)
{
    static const struct fake_column column = { COL_CUSTOM, 0, 1, { TWIN } };
    const packet_info pinfo = { .cinfo = columns_of(&column, 1) };

    column_items[OTHER_TWIN] = 10;
    for (unsigned twins = ROOM - 12; twins < ROOM - 8; twins++) {
        column_items[TWIN] = twins;
        CHECK_EQUAL(double_field_fits(&pinfo, &tree, TWIN), twins + 10 < ROOM, "%u and 10", twins);
        CHECK_EQUAL(double_field_fits(&pinfo, &tree, OTHER_TWIN), twins + 10 < ROOM, "%u and 10", twins);
    }
}

static void
check_all_fit_without_columns_or_tree(void)
{
    static const struct fake_column column = { COL_CUSTOM, 0, 2, { ANOTHER, ALONE } };
    const packet_info with = { .cinfo = columns_of(&column, 1) }, without = { .cinfo = NULL };

    CHECK(!double_field_fits(&with, &tree, ALONE), "a column without room");
    CHECK(double_field_fits(&with, NULL, ALONE), "no tree, so no items");
    CHECK(double_field_fits(&without, &tree, ALONE), "no columns");
    CHECK(double_field_fits(&without, NULL, ALONE), "neither");
}

/* A point, whatever the locale; 15 digits are what a double holds. Nobody reads labels of a tree that is not shown. */
static void
check_value_is_added_with_its_digits(void)
{
    static const struct fake_column full = { COL_CUSTOM, 0, 2, { ANOTHER, ALONE } };
    static const struct {
        double value;
        const char *label;
    } values[] = {
        { 0.1, "0.1" },
        { -2.5, "-2.5" },
        { 123456789012345, "123456789012345" },
        { 1234567890123456, "1.23456789012346e+15" },
        { 1.0 / 3, "0.333333333333333" },
    };
    packet_info pinfo = { .cinfo = NULL, .pool = NULL };

    for (size_t i = 0; i < array_length(values); i++) {
        for (int seen = 0; seen < 2; seen++) {
            memset(&added, 0, sizeof added);
            data.visible = seen == 1;
            pinfo.pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
            CHECK(double_field_add(&pinfo, &tree, ALONE, (tvbuff_t *)&some_bytes, 7, 3, values[i].value) == &value_item,
                "another item");
            CHECK(proto_item_is_generated(&value_item), "Wireshark shows it in brackets: the value was not sent");
            CHECK_EQUAL(added.count, 1, "%s", values[i].label);
            CHECK_EQUAL(added.hf, ALONE, "%s", values[i].label);
            CHECK_EQUAL(added.offset, 7, "%s", values[i].label);
            CHECK_EQUAL(added.length, 3, "%s", values[i].label);
            CHECK(!(added.value < values[i].value) && !(added.value > values[i].value), "%.17g", added.value);
            CHECK_STRING(added.label, seen == 1 ? values[i].label : "", "its label");
            wmem_destroy_allocator(pinfo.pool);
        }
    }
    memset(&added, 0, sizeof added);
    pinfo.cinfo = columns_of(&full, 1);
    CHECK(double_field_add(&pinfo, &tree, ALONE, (tvbuff_t *)&some_bytes, 7, 3, 1) == NULL, "no room");
    CHECK_EQUAL(added.count, 0, "no room");
}

int
main(void)
{
    wmem_init();
    check_only_columns_of_all_values_limit_them();
    check_items_of_both_twins_count();
    check_all_fit_without_columns_or_tree();
    check_value_is_added_with_its_digits();
    wmem_cleanup();
    return check_result();
}
