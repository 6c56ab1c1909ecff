/* value-tree.c
 * What both performance APIs show alike
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/value-tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/double-field.h"
#include "base/item-label.h"
#include "cook/cooked-digits.h"
#include "cook/digits.h"
#include "cook/pdh.h"

const value_string perf_detail_level_vals[] = {
    { 100, "Novice" },
    { 200, "Advanced" },
    { 300, "Expert" },
    { 400, "Wizard" },
    { 0, NULL },
};

void
value_tree_register(struct value_tree_fields *f, int proto, const struct value_tree_names *names)
{
#define FIELD(field, title, type, blurb) \
    { \
        &f->field, \
        { \
            title, names->field, type, BASE_NONE, NULL, 0, blurb, HFILL \
        } \
    }
#define NAMED(name, value) { value, #name },
    static const value_string pdh_vals[] = { PDH_CODES(NAMED){ 0, NULL } };
#undef NAMED
    const hf_register_info hf[] = {
        FIELD(path, "Path", FT_STRING, "Counter path, [MS-PLA] 2.2.10"),
        FIELD(cooked, "Cooked value", FT_DOUBLE, "What Performance Monitor would show"),
        FIELD(formula, "Formula", FT_STRING,
            "N value, T PerfTimeStamp (PerfTime), F PerfFreq, X PerfTime100NSec, O and FO time and frequency counter "
            "(clock of the object), B base, M multi; 1 now, 0 before"),
        FIELD(reason, "No value", FT_STRING, "Why there is no cooked value"),
        { &f->pdh,
            { "PDH's code", names->pdh, FT_UINT32, BASE_HEX, VALS(pdh_vals), 0,
                "What tools that are built on PDH show for the value or the refusal", HFILL } },
        FIELD(previous_frame, "Previous poll in frame", FT_FRAMENUM, "The poll this one's values are compared with"),
        FIELD(next_frame, "Next poll in frame", FT_FRAMENUM, "The poll that is compared with this one"),
        FIELD(interval, "Seconds since previous poll", FT_DOUBLE, "By the 100 ns time of both"),
        FIELD(learned_in, "Learned in frame", FT_FRAMENUM, "The frame that taught this name"),
        FIELD(table, "Table", FT_NONE, "The values of a block, one instance per line"),
        FIELD(table_row, "Row", FT_NONE, "Names of counters, or an instance and its values"),
    };
#undef FIELD
    int *ett[] = { &f->ett_value, &f->ett_name, &f->ett_table };
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

struct value_tree_wants
value_tree_wants(const struct value_tree_fields *f, proto_tree *tree)
{
    return (struct value_tree_wants){
        .is_seen = perflib_tree_is_seen(tree),
        .path = proto_field_is_referenced(tree, f->path),
        .cooked = proto_field_is_referenced(tree, f->cooked),
        .formula = proto_field_is_referenced(tree, f->formula),
        .reason = proto_field_is_referenced(tree, f->reason),
        .pdh = proto_field_is_referenced(tree, f->pdh),
    };
}

bool
value_tree_any_wanted(const struct value_tree_wants *wants)
{
    return wants->path || wants->cooked || wants->formula || wants->reason || wants->pdh;
}

void
value_tree_add_cooked_text(struct line *line, const struct cook_result *cooked)
{
    const char *unit = cook_unit_text(cooked->unit);
    char digits[COOK_DIGITS_SIZE];

    cook_digits(cooked, digits);
    line_add(line, digits);
    if (unit[0] != '\0') {
        line_add(line, " ");
        line_add(line, unit);
    }
}

const char *
value_tree_cooked_text(wmem_allocator_t *scope, const struct cook_result *cooked)
{
    struct line line;

    line_begin(&line);
    value_tree_add_cooked_text(&line, cooked);
    return wmem_strdup(scope, line.text);
}

void
value_tree_make_line(struct line *line, const char *path, const struct cook_result *cooked, const char *text,
    const uint64_t *raw)
{
    char digits[DIGITS_MAX];

    line_begin(line);
    line_add(line, path);
    if (cooked == NULL) {
        return;
    }
    if (cooked->reason == COOK_OK) {
        line_add(line, " = ");
        line_add(line, text);
    } else if (cooked->reason == COOK_TEXT) {
        line_add(line, " = \"");
        line_add(line, text);
        line_add(line, "\"");
    } else {
        line_add(line, ": no value, ");
        line_add(line, cook_reason_text(cooked->reason));
    }
    if (cooked->reason == COOK_TYPE_UNKNOWN && raw != NULL) {
        digits_whole(digits, *raw);
        line_add(line, ", raw ");
        line_add(line, digits);
    }
}

proto_tree *
value_tree_add_path(const struct value_tree_fields *f, proto_tree *tree, tvbuff_t *tvb, int offset, int length,
    const char *path, const char *line)
{
    proto_item *item = line == NULL ? proto_tree_add_string(tree, f->path, tvb, offset, length, path)
                                    : item_label_add_string(tree, f->path, tvb, offset, length, path, line);

    proto_item_set_generated(item);
    return proto_item_add_subtree(item, f->ett_value);
}

/* A formula, and what is said beside it. */
static void
make_formula_line(struct line *line, const struct cook_result *cooked, const char *numbers,
    const struct series_poll *poll, const struct series_poll *before)
{
    char frame[DIGITS_MAX];

    line_begin(line);
    line_add(line, cooked->formula);
    if (numbers[0] != '\0') {
        line_add(line, "; here ");
        line_add(line, numbers);
    }
    /* Of formulas that look back. */
    if (before != NULL && before != poll->previous && strstr(cooked->formula, "N0") != NULL) {
        digits_whole(frame, before->frame);
        line_add(line, " (previous value in frame ");
        line_add(line, frame);
        line_add(line, ")");
    }
}

void
value_tree_add_cooked(const struct value_tree_fields *f, packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb,
    const struct value_tree_wants *wants, const struct cook_result *cooked, const struct value_tree_texts *texts,
    const struct series_poll *poll, const struct series_poll *before)
{
    struct line line;
    proto_item *item;

    if (wants->pdh) {
        value_tree_add_pdh(f, tree, tvb, pdh_of_value(cooked));
    }
    if (cooked->reason != COOK_OK) {
        if (wants->reason) {
            item = proto_tree_add_string(tree, f->reason, tvb, 0, 0, cook_reason_text(cooked->reason));
            proto_item_set_generated(item);
        }
        return;
    }
    if (wants->cooked && double_field_fits(pinfo, tree, f->cooked)) {
        item = texts == NULL ? proto_tree_add_double(tree, f->cooked, tvb, 0, 0, cooked->value)
                             : item_label_add_double_value(tree, f->cooked, tvb, 0, 0, cooked->value, texts->cooked);
        proto_item_set_generated(item);
    }
    if (wants->formula && texts == NULL) {
        proto_item_set_generated(proto_tree_add_string(tree, f->formula, tvb, 0, 0, cooked->formula));
    } else if (wants->formula) {
        make_formula_line(&line, cooked, texts->numbers, poll, before);
        item = item_label_add_string_value(tree, f->formula, tvb, 0, 0, cooked->formula, line.text);
        proto_item_set_generated(item);
    }
}

void
value_tree_add_pdh(const struct value_tree_fields *f, proto_tree *tree, tvbuff_t *tvb, uint32_t code)
{
    if (code != 0) {
        proto_item_set_generated(proto_tree_add_uint(tree, f->pdh, tvb, 0, 0, code));
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
