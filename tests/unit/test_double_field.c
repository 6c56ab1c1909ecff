/* test_double_field.c
 * How many numbers a column bears: 63 where it shows all of one field, none where others come before
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/fields.h"

#include <epan/column-info.h>
#include <epan/column-utils.h>
#include <epan/column.h>

#include "check.h"

/* Two fields of the name that is asked for, as there may be, and one of another. */
#define FIELD  3
#define TWIN   4
#define OTHER  5
#define NUMBER 7.25
#define END    (-2)

static int a_tree;
#define TREE ((proto_tree *)&a_tree)

static unsigned num_items, num_added;
static field_info added_field;
static proto_item added = { .finfo = &added_field };

/* In place of Wireshark's, and of compat.c. */
const char *
proto_registrar_get_abbrev(const int n)
{
    return n == FIELD || n == TWIN ? "x.field" : n > 0 ? "x.other" : NULL;
}

unsigned
perflib_count_items(const proto_tree *tree, int hf)
{
    CHECK(tree == TREE && hf == FIELD, "%d", hf);
    return num_items;
}

proto_item *
proto_tree_add_double(proto_tree *tree, int hf, tvbuff_t *tvb, int start, int length, double value)
{
    CHECK(tree == TREE && hf == FIELD && tvb == NULL && start == 1 && length == 2 && value == NUMBER, "%d, %d, %g",
        start, length, value);
    num_added++;
    return &added;
}

/* A column that shows these fields, up to END. */
static col_item_t
column(int format, int occurrence, const int *fields)
{
    col_item_t column = { .col_fmt = format, .col_custom_occurrence = occurrence };

    for (; *fields != END; fields++) {
#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
        col_custom_t *custom = g_new0(col_custom_t, 1);

        custom->field_id = *fields;
#else
        int *custom = g_new(int, 1);

        *custom = *fields;
#endif
        column.col_custom_fields_ids = g_slist_append(column.col_custom_fields_ids, custom);
    }
    return column;
}

/* How many items may be added; 1000: as many as one likes. */
static unsigned
room(column_info *columns, proto_tree *tree)
{
    packet_info pinfo = { .cinfo = columns };

    for (num_items = 0; num_items < 1000; num_items++) {
        if (!double_field_fits(&pinfo, tree, FIELD)) {
            break;
        }
    }
    return num_items;
}

static void
check_columns(void)
{
    static const int none[] = { END }, field[] = { FIELD, END }, twin[] = { TWIN, END }, other[] = { OTHER, END },
                     after[] = { OTHER, FIELD, END }, before[] = { FIELD, OTHER, END }, unknown[] = { -1, 0, END };
    /* 2048 bytes of 32 each, one kept free. */
    const struct {
        col_item_t first, second;
        unsigned room;
    } cases[] = {
        { column(COL_INFO, 0, none), column(COL_PROTOCOL, 0, none), 1000 },
        { column(COL_CUSTOM, 0, field), column(COL_INFO, 0, none), 63 },
        { column(COL_INFO, 0, none), column(COL_CUSTOM, 0, field), 63 },
        { column(COL_CUSTOM, 0, other), column(COL_CUSTOM, 0, twin), 63 },
        { column(COL_CUSTOM, 0, before), column(COL_CUSTOM, 0, other), 63 },
        { column(COL_CUSTOM, 0, after), column(COL_CUSTOM, 0, other), 0 },
        { column(COL_CUSTOM, 0, field), column(COL_CUSTOM, 0, after), 0 },
        /* One occurrence alone, the first or the last, and what only looks like a column of fields. */
        { column(COL_CUSTOM, 1, field), column(COL_CUSTOM, -1, field), 1000 },
        { column(COL_INFO, 0, field), column(COL_CUSTOM, 0, unknown), 1000 },
        { column(COL_CUSTOM, 0, none), column(COL_CUSTOM, 0, other), 1000 },
        /* The least that any bears. */
        { column(COL_CUSTOM, 0, field), column(COL_CUSTOM, 0, other), 63 },
        { column(COL_CUSTOM, 0, after), column(COL_CUSTOM, 0, field), 0 },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        col_item_t both[] = { cases[i].first, cases[i].second };
        column_info columns = { .num_cols = 2, .columns = both };
        unsigned found = room(&columns, TREE);

        CHECK(found == cases[i].room, "%zu: %u, not %u", i, found, cases[i].room);
        CHECK(room(&columns, NULL) == 1000 && room(NULL, TREE) == 1000, "no tree, no columns");
        columns.num_cols = 0;
        CHECK(room(&columns, TREE) == 1000, "they are not there");
    }
}

static void
check_add(void)
{
    static const int field[] = { FIELD, END };
    col_item_t one = column(COL_CUSTOM, 0, field);
    column_info columns = { .num_cols = 1, .columns = &one };
    packet_info pinfo = { .cinfo = &columns };

    num_items = 62;
    CHECK(double_field_add(&pinfo, TREE, FIELD, NULL, 1, 2, NUMBER) == &added && num_added == 1, "the last that fits");
    CHECK(proto_item_is_generated(&added), "it stands in no bytes");
    num_items = 63;
    CHECK(double_field_add(&pinfo, TREE, FIELD, NULL, 1, 2, NUMBER) == NULL && num_added == 1, "one more");
}

int
main(void)
{
    check_columns();
    check_add();
    return check_result();
}
