/* type-tree.c
 * Items of a counter type and its bit fields, for any protocol
 *
 * Names of the bit fields: winperf.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/poll.h"

/* clang-format off */
#define COUNTER_TYPE_VALUE_STRING(name, value) { value, #name },
/* clang-format on */
static const value_string counter_type_vals[] = { PERF_COUNTER_TYPES(COUNTER_TYPE_VALUE_STRING){ 0, NULL } };
value_string_ext counter_type_vals_ext = VALUE_STRING_EXT_INIT(counter_type_vals);

const value_string counter_type_size_vals[] = {
    { 0, "PERF_SIZE_DWORD" },
    { 1, "PERF_SIZE_LARGE" },
    { 2, "PERF_SIZE_ZERO" },
    { 3, "PERF_SIZE_VARIABLE_LEN" },
    { 0, NULL },
};

const value_string counter_type_kind_vals[] = {
    { 0, "PERF_TYPE_NUMBER" },
    { 1, "PERF_TYPE_COUNTER" },
    { 2, "PERF_TYPE_TEXT" },
    { 3, "PERF_TYPE_ZERO" },
    { 0, NULL },
};

const value_string counter_type_number_vals[] = {
    { 0, "PERF_NUMBER_HEX" },
    { 1, "PERF_NUMBER_DECIMAL" },
    { 2, "PERF_NUMBER_DEC_1000" },
    { 0, NULL },
};

const value_string counter_type_counter_vals[] = {
    { 0, "PERF_COUNTER_VALUE" },
    { 1, "PERF_COUNTER_RATE" },
    { 2, "PERF_COUNTER_FRACTION" },
    { 3, "PERF_COUNTER_BASE" },
    { 4, "PERF_COUNTER_ELAPSED" },
    { 5, "PERF_COUNTER_QUEUELEN" },
    { 6, "PERF_COUNTER_HISTOGRAM" },
    { 7, "PERF_COUNTER_PRECISION" },
    { 0, NULL },
};

const value_string counter_type_text_vals[] = {
    { 0, "PERF_TEXT_UNICODE" },
    { 1, "PERF_TEXT_ASCII" },
    { 0, NULL },
};

const value_string counter_type_timer_vals[] = {
    { 0, "PERF_TIMER_TICK" },
    { 1, "PERF_TIMER_100NS" },
    { 2, "PERF_OBJECT_TIMER" },
    { 0, NULL },
};

const value_string counter_type_display_vals[] = {
    { 0, "PERF_DISPLAY_NO_SUFFIX" },
    { 1, "PERF_DISPLAY_PER_SEC" },
    { 2, "PERF_DISPLAY_PERCENT" },
    { 3, "PERF_DISPLAY_SECONDS" },
    { 4, "PERF_DISPLAY_NOSHOW" },
    { 0, NULL },
};

proto_item *
type_tree_add(proto_tree *tree, tvbuff_t *tvb, unsigned offset, const struct counter_type_fields *f, unsigned encoding,
    uint32_t type)
{
    const int *const fields[] = {
        &f->display,
        &f->multi,
        &f->inverse,
        &f->delta_base,
        &f->delta,
        &f->timer,
        &f->subtype[(type & PERF_TYPE_KIND_MASK) >> 10],
        &f->kind,
        &f->size,
    };
    proto_item *item = proto_tree_add_item(tree, f->type, tvb, (int)offset, 4, encoding);
    proto_tree *sub = proto_item_add_subtree(item, f->ett);

    for (size_t i = 0; i < array_length(fields); i++) {
        proto_tree_add_item(sub, *fields[i], tvb, (int)offset, 4, encoding);
    }
    return item;
}
