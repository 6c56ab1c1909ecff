/* fake-columns.h
 * In place of Wireshark's columns and fields: which fields a user's columns list, and how many items the packet has
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_FAKE_COLUMNS_H
#define PERFLIB_TESTS_UNIT_FAKE_COLUMNS_H

#include "compat.h"

#include <epan/column-info.h>
#include <epan/column-utils.h>
#include <epan/column.h>
#include <epan/proto.h>

#include "check.h"

/* Fields: one of a name of its own, two that share a name, and one more. 0 is an expression in place of a field. */
enum { EXPRESSION, ALONE, TWIN, OTHER_TWIN, ANOTHER, NUM_COLUMN_FIELDS };

static header_field_info column_fields[NUM_COLUMN_FIELDS] = {
    [ALONE] = { .id = ALONE, .abbrev = "x.alone", .name = "Alone", .same_name_prev_id = -1 },
    [TWIN] = { .id = TWIN,
        .abbrev = "x.twin",
        .name = "Twin",
        .same_name_next = &column_fields[OTHER_TWIN],
        .same_name_prev_id = -1 },
    [OTHER_TWIN] = { .id = OTHER_TWIN, .abbrev = "x.twin", .name = "Twin", .same_name_prev_id = TWIN },
    [ANOTHER] = { .id = ANOTHER, .abbrev = "x.another", .name = "Another", .same_name_prev_id = -1 },
};
static unsigned column_items[NUM_COLUMN_FIELDS];

header_field_info *
proto_registrar_get_nth(unsigned hf)
{
    CHECK(hf > 0 && hf < NUM_COLUMN_FIELDS, "no field has the number %u", hf);
    return &column_fields[hf];
}

const char *
proto_registrar_get_abbrev(const int hf)
{
    return proto_registrar_get_nth((unsigned)hf)->abbrev;
}

GPtrArray *
proto_get_finfo_ptr_array(const proto_tree *tree, const int hf)
{
    static GPtrArray items;

    CHECK(tree != NULL, "items of no tree");
    items.len = column_items[hf];
    return items.len == 0 ? NULL : &items;
}

/* A column that lists fields, up to four; fields[0] may be 0 for none. */
struct fake_column {
    int format, occurrence;
    unsigned num_fields;
    int fields[4];
};

/* Columns as Wireshark keeps them, until the next call. Behind the last is one that leaves no room for any field. */
static column_info *
columns_of(const struct fake_column *columns, unsigned count)
{
    static const struct fake_column behind = { COL_CUSTOM, 0, 4, { EXPRESSION, ALONE, TWIN, ANOTHER } };
    static col_item_t made[8];
    static GSList links[8][4];
#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
    static col_custom_t listed[8][4];
#else
    static int listed[8][4];
#endif
    static column_info info;

    memset(made, 0, sizeof made);
    memset(links, 0, sizeof links);
    memset(listed, 0, sizeof listed);
    for (unsigned c = 0; c <= count; c++) {
        const struct fake_column *column = c < count ? &columns[c] : &behind;

        made[c].col_fmt = column->format;
        made[c].col_custom_occurrence = column->occurrence;
        made[c].col_custom_fields_ids = column->num_fields > 0 ? &links[c][0] : NULL;
        for (unsigned f = 0; f < column->num_fields; f++) {
#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
            listed[c][f].field_id = column->fields[f];
#else
            listed[c][f] = column->fields[f];
#endif
            links[c][f].data = &listed[c][f];
            links[c][f].next = f + 1 < column->num_fields ? &links[c][f + 1] : NULL;
        }
    }
    info = (column_info){ .num_cols = (int)count, .columns = made };
    return &info;
}

#endif /* PERFLIB_TESTS_UNIT_FAKE_COLUMNS_H */
