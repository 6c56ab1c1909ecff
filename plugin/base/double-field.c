/* double-field.c
 * FT_DOUBLE items that fit Wireshark's columns
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/fields.h"

#include <limits.h>
#include <string.h>

#include <epan/column-info.h>
#include <epan/column-utils.h>
#include <epan/column.h>

#include "base/text.h"

/* Maximum length of one value: 15 digits, sign, point, exponent and comma; rounded up */
#define MAX_OCCURRENCE  32
#define MAX_OCCURRENCES (COL_MAX_LEN / MAX_OCCURRENCE - 1)

/* Returns the id of a field that a custom column lists; 0: an expression (possible since Wireshark 4.4). */
static int
listed_field(const GSList *link)
{
#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
    return ((const col_custom_t *)link->data)->field_id;
#else
    return *(const int *)link->data;
#endif
}

/*
 * Returns how many values of a field fit into a column. UINT_MAX: no limit, since the column does not show the field or
 * shows only one of its values.
 */
static unsigned
column_room(const col_item_t *column, int hf)
{
    if (column->col_fmt != COL_CUSTOM || column->col_custom_occurrence != 0) {
        return UINT_MAX;
    }
    for (const GSList *link = column->col_custom_fields_ids; link != NULL; link = link->next) {
        const int field = listed_field(link);

        if (field > 0 && strcmp(proto_registrar_get_abbrev(field), proto_registrar_get_abbrev(hf)) == 0) {
            /* Values of the column's first field may have filled it, so assume no room for other fields. */
            return link == column->col_custom_fields_ids ? MAX_OCCURRENCES : 0;
        }
    }
    return UINT_MAX;
}

bool
double_field_fits(const packet_info *pinfo, const proto_tree *tree, int hf)
{
    const column_info *cinfo = pinfo->cinfo;
    unsigned room = UINT_MAX;

    for (int i = 0; tree != NULL && cinfo != NULL && i < cinfo->num_cols; i++) {
        room = MIN(room, column_room(&cinfo->columns[i], hf));
    }
    return room == UINT_MAX || perflib_count_items(tree, hf) < room;
}

proto_item *
double_field_add(const packet_info *pinfo, proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length,
    double value)
{
    proto_item *item;

    if (!double_field_fits(pinfo, tree, hf)) {
        return NULL;
    }
    /* Always a decimal point: Wireshark's own label of a double uses the locale's separator. */
    item = perflib_tree_is_seen(tree) ? proto_tree_add_double_format_value(tree, hf, tvb, offset, length, value, "%s",
                                            number_text(pinfo->pool, "%.15g", value))
                                      : proto_tree_add_double(tree, hf, tvb, offset, length, value);
    proto_item_set_generated(item);
    return item;
}
