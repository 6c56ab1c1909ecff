/* type-tree.c
 * A counter type and the bit fields it is made of, as a tree under any protocol's names
 *
 * winperf.h; its names of the bit fields.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/poll.h"

#include "base/fields.h"

/* clang-format off */
#define COUNTER_TYPE_VALUE_STRING(name, value) { value, #name },
/* clang-format on */
static const value_string counter_type_vals[] = { PERF_COUNTER_TYPES(COUNTER_TYPE_VALUE_STRING){ 0, NULL } };
value_string_ext counter_type_vals_ext = VALUE_STRING_EXT_INIT(counter_type_vals);

static const value_string size_vals[] = {
    { 0, "PERF_SIZE_DWORD" },
    { 1, "PERF_SIZE_LARGE" },
    { 2, "PERF_SIZE_ZERO" },
    { 3, "PERF_SIZE_VARIABLE_LEN" },
    { 0, NULL },
};

enum { KIND_NUMBER, KIND_COUNTER, KIND_TEXT, KIND_ZERO };
static const value_string kind_vals[] = {
    { KIND_NUMBER, "PERF_TYPE_NUMBER" },
    { KIND_COUNTER, "PERF_TYPE_COUNTER" },
    { KIND_TEXT, "PERF_TYPE_TEXT" },
    { KIND_ZERO, "PERF_TYPE_ZERO" },
    { 0, NULL },
};

static const value_string number_vals[] = {
    { 0, "PERF_NUMBER_HEX" },
    { 1, "PERF_NUMBER_DECIMAL" },
    { 2, "PERF_NUMBER_DEC_1000" },
    { 0, NULL },
};

static const value_string counter_vals[] = {
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

static const value_string text_vals[] = {
    { 0, "PERF_TEXT_UNICODE" },
    { 1, "PERF_TEXT_ASCII" },
    { 0, NULL },
};

static const value_string timer_vals[] = {
    { 0, "PERF_TIMER_TICK" },
    { 1, "PERF_TIMER_100NS" },
    { 2, "PERF_OBJECT_TIMER" },
    { 0, NULL },
};

static const value_string display_vals[] = {
    { 0, "PERF_DISPLAY_NO_SUFFIX" },
    { 1, "PERF_DISPLAY_PER_SEC" },
    { 2, "PERF_DISPLAY_PERCENT" },
    { 3, "PERF_DISPLAY_SECONDS" },
    { 4, "PERF_DISPLAY_NOSHOW" },
    { 0, NULL },
};

void
type_tree_register(struct counter_type_fields *f, int proto, const char *type)
{
/* clang-format off */
#define NUMBER(field, title, name, vals, mask) FIELD_ROW(&f->field, title, name, FT_UINT32, BASE_DEC, vals, mask, NULL)
#define MODIFIER(field, title, mask, blurb) \
    FIELD_ROW(&f->field, title, ".modifiers." #field, FT_BOOLEAN, 32, NULL, mask, blurb)
    const hf_register_info hf[] = {
        FIELD_ROW(&f->type, "Counter type", "", FT_UINT32, BASE_HEX | BASE_EXT_STRING, &counter_type_vals_ext, 0,
            "Type, CounterType: how a value is computed")
        NUMBER(size, "Size", ".size", VALS(size_vals), PERF_TYPE_SIZE_MASK)
        NUMBER(kind, "Type", ".kind", VALS(kind_vals), PERF_TYPE_KIND_MASK)
        NUMBER(number, "Subtype", ".subtype", VALS(number_vals), PERF_TYPE_SUBTYPE_MASK)
        NUMBER(counter, "Subtype", ".subtype", VALS(counter_vals), PERF_TYPE_SUBTYPE_MASK)
        NUMBER(text, "Subtype", ".subtype", VALS(text_vals), PERF_TYPE_SUBTYPE_MASK)
        NUMBER(zero, "Subtype", ".subtype", NULL, PERF_TYPE_SUBTYPE_MASK)
        NUMBER(timer, "Timer", ".timer", VALS(timer_vals), PERF_TYPE_TIMER_MASK)
        NUMBER(display, "Display", ".display", VALS(display_vals), PERF_TYPE_DISPLAY_MASK)
        MODIFIER(delta, "PERF_DELTA_COUNTER", PERF_TYPE_DELTA_COUNTER, "Difference of two samples")
        MODIFIER(delta_base, "PERF_DELTA_BASE", PERF_TYPE_DELTA_BASE, "Difference of two samples of the base")
        MODIFIER(inverse, "PERF_INVERSE_COUNTER", PERF_TYPE_INVERSE_COUNTER, "Shown as the difference to 1")
        MODIFIER(multi, "PERF_MULTI_COUNTER", PERF_TYPE_MULTI_COUNTER, "Sum over several instances")
    };
#undef NUMBER
#undef MODIFIER
    /* clang-format on */
    int *ett[] = { &f->ett };

    f->ett = -1;
    field_family_register(proto, type, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
}

proto_item *
type_tree_add(proto_tree *tree, tvbuff_t *tvb, unsigned offset, const struct counter_type_fields *f, unsigned encoding,
    uint32_t type)
{
    static const size_t subtypes[] = {
        [KIND_NUMBER] = offsetof(struct counter_type_fields, number),
        [KIND_COUNTER] = offsetof(struct counter_type_fields, counter),
        [KIND_TEXT] = offsetof(struct counter_type_fields, text),
        [KIND_ZERO] = offsetof(struct counter_type_fields, zero),
    };
    const size_t subtype_at = subtypes[(type & PERF_TYPE_KIND_MASK) >> 10];
    const int *const subtype = (const int *)(const void *)((const char *)f + subtype_at);
    const int *const fields[] = {
        &f->display,
        &f->multi,
        &f->inverse,
        &f->delta_base,
        &f->delta,
        &f->timer,
        subtype,
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
