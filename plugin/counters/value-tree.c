/* value-tree.c
 * What both performance APIs show alike
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/value-tree.h"

#include <string.h>

#include "base/double-field.h"
#include "base/text.h"

const value_string perf_detail_level_vals[] = {
    { 100, "Novice" },
    { 200, "Advanced" },
    { 300, "Expert" },
    { 400, "Wizard" },
    { 0, NULL }
};

void
value_tree_register(struct value_tree_fields *f, int proto, const struct value_tree_names *names)
{
#define FIELD(field, title, type, blurb) \
    { &f->field, { title, names->field, type, BASE_NONE, NULL, 0, blurb, HFILL } }
    const hf_register_info hf[] = {
        FIELD(path, "Path", FT_STRING, "Counter path, [MS-PLA] 2.2.10"),
        FIELD(cooked, "Cooked value", FT_DOUBLE, "What Performance Monitor would show"),
        FIELD(formula, "Formula", FT_STRING,
            "N value, T PerfTimeStamp (PerfTime), F PerfFreq, X PerfTime100NSec, O and FO time and frequency counter "
            "(clock of the object), B base, M multi; 1 now, 0 before"),
        FIELD(reason, "No value", FT_STRING, "Why there is no cooked value"),
        FIELD(previous_frame, "Previous poll in frame", FT_FRAMENUM, "The poll this one's values are compared with"),
        FIELD(next_frame, "Next poll in frame", FT_FRAMENUM, "The poll that is compared with this one"),
        FIELD(interval, "Seconds since previous poll", FT_DOUBLE, "By the 100 ns time of both"),
        FIELD(learned_in, "Learned in frame", FT_FRAMENUM, "The frame that taught this name"),
    };
#undef FIELD
    int *ett[] = { &f->ett_value, &f->ett_name };
    hf_register_info *kept = (hf_register_info *)wmem_memdup(wmem_epan_scope(), hf, sizeof hf);

    for (size_t i = 0; i < array_length(hf); i++) {
        *kept[i].p_id = -1;
    }
    for (size_t i = 0; i < array_length(ett); i++) {
        *ett[i] = -1;
    }
    proto_register_field_array(proto, kept, (int)array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
}

bool
value_tree_is_wanted(const struct value_tree_fields *f, proto_tree *tree)
{
    return proto_field_is_referenced(tree, f->path) || proto_field_is_referenced(tree, f->cooked)
        || proto_field_is_referenced(tree, f->formula) || proto_field_is_referenced(tree, f->reason);
}

const char *
value_tree_cooked_text(wmem_allocator_t *scope, const struct cook_result *cooked)
{
    const char *unit = cook_unit_text(cooked->unit);
    const char *space = unit[0] == '\0' ? "" : " ";
    const double magnitude = cooked->value < 0 ? -cooked->value : cooked->value;

    /* By the text hexadecimal excludes real (2.2.4.2, Attrib). */
    if (cooked->is_whole && (cooked->is_hex || !cooked->is_real)) {
        return wmem_strdup_printf(scope, cooked->is_hex ? "0x%" PRIx64 "%s%s" : "%" PRIu64 "%s%s", cooked->whole,
            space, unit);
    }
    if (magnitude != 0 && (magnitude < 0.001 || magnitude >= 1e15)) {
        return wmem_strdup_printf(scope, "%s%s%s", number_text(scope, "%.6g", cooked->value), space, unit);
    }
    return wmem_strdup_printf(scope, "%s%s%s", number_text(scope, "%.3f", cooked->value), space, unit);
}

const char *
value_tree_line(wmem_allocator_t *scope, const char *path, const struct cook_result *cooked, const char *text,
    const uint64_t *raw)
{
    if (cooked == NULL) {
        return path;
    }
    switch (cooked->reason) {
    case COOK_OK:
        return wmem_strdup_printf(scope, "%s = %s", path, value_tree_cooked_text(scope, cooked));
    case COOK_TEXT:
        return wmem_strdup_printf(scope, "%s = \"%s\"", path, line_text(scope, text));
    case COOK_TYPE_UNKNOWN:
        if (raw != NULL) {
            return wmem_strdup_printf(scope, "%s: no value, %s, raw %" PRIu64, path, cook_reason_text(cooked->reason),
                *raw);
        }
        break;
    default:
        break;
    }
    return wmem_strdup_printf(scope, "%s: no value, %s", path, cook_reason_text(cooked->reason));
}

proto_tree *
value_tree_add_path(const struct value_tree_fields *f, proto_tree *tree, tvbuff_t *tvb, int offset, int length,
    const char *path, const char *line)
{
    proto_item *item = proto_tree_add_string_format(tree, f->path, tvb, offset, length, path, "%s", line);

    proto_item_set_generated(item);
    return proto_item_add_subtree(item, f->ett_value);
}

void
value_tree_add_cooked(const struct value_tree_fields *f, packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb,
    const struct cook_result *cooked, const char *numbers, const struct series_poll *poll,
    const struct series_poll *before)
{
    proto_item *item;

    if (cooked->reason != COOK_OK) {
        item = proto_tree_add_string(tree, f->reason, tvb, 0, 0, cook_reason_text(cooked->reason));
        proto_item_set_generated(item);
        return;
    }
    if (double_field_fits(pinfo, tree, f->cooked)) {
        item = proto_tree_add_double_format_value(tree, f->cooked, tvb, 0, 0, cooked->value, "%s",
                                                  value_tree_cooked_text(pinfo->pool, cooked));
        proto_item_set_generated(item);
    }
    item = proto_tree_add_string(tree, f->formula, tvb, 0, 0, cooked->formula);
    proto_item_set_generated(item);
    if (numbers != NULL && numbers[0] != '\0') {
        proto_item_append_text(item, "; here %s", numbers);
    }
    /* Of formulas that look back. */
    if (before != NULL && before != poll->previous && strstr(cooked->formula, "N0") != NULL) {
        proto_item_append_text(item, " (previous value in frame %u)", before->frame);
    }
}

void
value_tree_add_neighbours(const struct value_tree_fields *f, packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb,
    const struct series_poll *poll)
{
    if (poll != NULL && poll->previous != NULL) {
        proto_item_set_generated(proto_tree_add_uint(tree, f->previous_frame, tvb, 0, 0, poll->previous->frame));
        double_field_add(pinfo, tree, f->interval, tvb, 0, 0, series_interval(poll));
    }
    if (poll != NULL && poll->next_frame != 0) {
        proto_item_set_generated(proto_tree_add_uint(tree, f->next_frame, tvb, 0, 0, poll->next_frame));
    }
}

void
value_tree_add_learned_name(const struct value_tree_fields *f, proto_tree *tree, int hf, tvbuff_t *tvb,
    struct catalog_text name)
{
    proto_item *item;

    if (tree == NULL || name.text == NULL) {
        return;
    }
    item = proto_tree_add_string(tree, hf, tvb, 0, 0, name.text);
    proto_item_set_generated(item);
    if (name.frame != 0) {
        proto_tree *sub = proto_item_add_subtree(item, f->ett_name);

        proto_item_set_generated(proto_tree_add_uint(sub, f->learned_in, tvb, 0, 0, name.frame));
    }
}
