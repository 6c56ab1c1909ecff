/* double-field.c
 * Adding FT_DOUBLE fields without overrunning Wireshark's columns
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

/* What one occurrence takes at most: 15 digits, sign, point, exponent, comma, and some to spare. */
#define MAX_OCCURRENCE  32
#define MAX_OCCURRENCES (COL_MAX_LEN / MAX_OCCURRENCE - 1)

/* The field a column's list names; 4.4 keeps expressions there, whose id is 0. */
static int
listed_field(const GSList *link)
{
#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
    return ((const col_custom_t *)link->data)->field_id;
#else
    return *(const int *)link->data;
#endif
}

/* How many occurrences of a field a column bears; UINT_MAX: it does not show them, or not all. */
static unsigned
column_room(const col_item_t *column, int hf)
{
    if (column->col_fmt != COL_CUSTOM || column->col_custom_occurrence != 0) {
        return UINT_MAX;
    }
    for (const GSList *link = column->col_custom_fields_ids; link != NULL; link = link->next) {
        const int field = listed_field(link);

        if (field > 0 && strcmp(proto_registrar_get_abbrev(field), proto_registrar_get_abbrev(hf)) == 0) {
            /* What other fields of the column come before may have filled it. */
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
    /* With a point in all languages: the label that Wireshark makes of a double has the language's comma. */
    item = perflib_tree_is_seen(tree) ? proto_tree_add_double_format_value(tree, hf, tvb, offset, length, value, "%s",
                                            number_text(pinfo->pool, "%.15g", value))
                                      : proto_tree_add_double(tree, hf, tvb, offset, length, value);
    proto_item_set_generated(item);
    return item;
}
