/* poll-tree.c
 * The items of a poll's values, and what else both performance APIs show alike
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/poll.h"

#include <string.h>

#include "base/fields.h"
#include "base/text.h"
#include "cook/cooking.h"

const value_string perf_detail_level_vals[] = {
    { 100, "Novice" },
    { 200, "Advanced" },
    { 300, "Expert" },
    { 400, "Wizard" },
    { 0, NULL },
};

#define NAMED(name, value) { value, #name },
const value_string pdh_code_vals[] = { PDH_CODES(NAMED){ 0, NULL } };
#undef NAMED

struct poll_wants
poll_wants(const struct poll_fields *f, proto_tree *tree)
{
    return (struct poll_wants){
        .is_seen = perflib_tree_is_seen(tree),
        .path = proto_field_is_referenced(tree, f->path),
        .cooked = proto_field_is_referenced(tree, f->cooked),
        .formula = proto_field_is_referenced(tree, f->formula),
        .reason = proto_field_is_referenced(tree, f->reason),
        .pdh = proto_field_is_referenced(tree, f->pdh),
    };
}

bool
poll_wants_any(const struct poll_wants *wants)
{
    return wants->path || wants->cooked || wants->formula || wants->reason || wants->pdh;
}

static bool
wants_cooked(const struct poll_wants *wants)
{
    return wants->cooked || wants->formula || wants->reason || wants->pdh;
}

static bool
poll_is_seen(const struct poll_view *view)
{
    return view->wants.is_seen && !view->rest->is_full;
}

void
poll_add_cooked_text(struct line *line, const struct cook_result *cooked)
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
poll_cooked_text(wmem_allocator_t *scope, const struct cook_result *cooked)
{
    struct line line;

    line_begin(&line);
    poll_add_cooked_text(&line, cooked);
    return wmem_strdup(scope, line.text);
}

/* What a value comes to, as a person reads it, or the text sent; nothing where there is neither. */
static void
poll_make_text(const struct poll *poll, struct poll_view *view, unsigned block, unsigned at,
    const struct poll_meaning *meaning)
{
    line_begin(&view->text);
    if (meaning != NULL && meaning->cooked.reason == COOK_OK) {
        poll_add_cooked_text(&view->text, &meaning->cooked);
    } else if (meaning != NULL && meaning->cooked.reason == COOK_TEXT) {
        line_add(&view->text, line_text(poll->scope, poll->api->text(poll, block, at)));
    }
}

void
poll_make_line(struct poll *poll, struct poll_view *view, unsigned block, unsigned at, struct line *line)
{
    const struct poll_meaning *meaning = poll_meaning(poll, block, at);
    const struct poll_bytes bytes = poll->api->bytes(poll, block, at);
    char digits[DIGITS_MAX];
    const char *note;

    poll_make_text(poll, view, block, at, meaning);
    line_begin(line);
    line_add(line, poll_path(poll, block, at));
    if (meaning == NULL) {
        return;
    }
    if (meaning->cooked.reason == COOK_OK) {
        line_add(line, " = ");
        line_add(line, view->text.text);
    } else if (meaning->cooked.reason == COOK_TEXT) {
        line_add(line, " = \"");
        line_add(line, view->text.text);
        line_add(line, "\"");
    } else {
        line_add(line, ": no value, ");
        line_add(line, cook_reason_text(meaning->cooked.reason));
    }
    /* All there is to say of it. */
    if (meaning->cooked.reason == COOK_TYPE_UNKNOWN && bytes.is_number) {
        digits_whole(digits, bytes.number);
        line_add(line, ", raw ");
        line_add(line, digits);
    }
    note = poll->api->note(poll, block, at, &meaning->cooked);
    if (note != NULL) {
        line_add(line, note);
    }
}

/* A longer line says less than what it is cut to: Wireshark shows so many bytes. */
#define LABEL_MAX 200

const char *
poll_only_line(struct poll *poll, struct poll_view *view, unsigned block)
{
    const struct poll_shape shape = poll->api->shape(poll, block);
    struct line line;

    if (!shape.is_named || shape.num_rows != 1 || shape.num_columns != 1 || poll_path(poll, block, 0) == NULL) {
        return NULL;
    }
    poll_make_line(poll, view, block, 0, &line);
    return line.length <= LABEL_MAX ? wmem_strdup(poll->scope, line.text) : NULL;
}

proto_tree *
poll_add_value(struct poll *poll, struct poll_view *view, proto_tree *tree, unsigned block, unsigned at)
{
    const char *path = view->wants.path ? poll_path(poll, block, at) : NULL;
    const bool is_seen = poll_is_seen(view);
    struct poll_bytes bytes;
    struct line line;
    proto_item *item;

    if (path == NULL) {
        if (is_seen) {
            poll_make_text(poll, view, block, at, wants_cooked(&view->wants) ? poll_meaning(poll, block, at) : NULL);
        }
        return NULL;
    }
    bytes = poll->api->bytes(poll, block, at);
    if (is_seen) {
        poll_make_line(poll, view, block, at, &line);
        item = item_label_add_string(tree, view->fields->path, poll->tvb, (int)bytes.offset, (int)bytes.length, path,
            line.text);
    } else {
        item = proto_tree_add_string(tree, view->fields->path, poll->tvb, (int)bytes.offset, (int)bytes.length, path);
    }
    proto_item_set_generated(item);
    return proto_item_add_subtree(item, view->fields->ett_value);
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
poll_add_cooked(struct poll *poll, struct poll_view *view, proto_tree *tree, unsigned block, unsigned at)
{
    const struct poll_meaning *meaning = wants_cooked(&view->wants) ? poll_meaning(poll, block, at) : NULL;
    const struct poll_fields *f = view->fields;
    const bool is_seen = poll_is_seen(view);
    char numbers[COOK_NUMBERS_MAX];
    const struct series_poll *before;
    struct cook_result cooked;
    struct cook_input in;
    struct line line;
    proto_item *item;

    if (meaning == NULL) {
        return;
    }
    cooked = meaning->cooked;
    if (view->wants.pdh) {
        poll_add_pdh(f, tree, poll->tvb, pdh_of_value(&cooked));
    }
    if (cooked.reason != COOK_OK) {
        if (view->wants.reason) {
            item = proto_tree_add_string(tree, f->reason, poll->tvb, 0, 0, cook_reason_text(cooked.reason));
            proto_item_set_generated(item);
        }
        return;
    }
    if (view->wants.cooked && double_field_fits(view->pinfo, tree, f->cooked)) {
        item = is_seen ? item_label_add_double_value(tree, f->cooked, poll->tvb, 0, 0, cooked.value, view->text.text)
                       : proto_tree_add_double(tree, f->cooked, poll->tvb, 0, 0, cooked.value);
        proto_item_set_generated(item);
    }
    if (!view->wants.formula) {
        return;
    }
    if (is_seen) {
        poll->api->input(poll, block, at, &in, &before);
        cook_formula_numbers(&in, cooked.formula, numbers, sizeof numbers);
    }
    if (poll->api->formula != NULL) {
        cooked.formula = poll->api->formula(cooked.formula);
    }
    if (is_seen) {
        make_formula_line(&line, &cooked, numbers, poll->sample, meaning->before);
        item = item_label_add_string_value(tree, f->formula, poll->tvb, 0, 0, cooked.formula, line.text);
    } else {
        item = proto_tree_add_string(tree, f->formula, poll->tvb, 0, 0, cooked.formula);
    }
    proto_item_set_generated(item);
}

void
poll_add_pdh(const struct poll_fields *f, proto_tree *tree, tvbuff_t *tvb, uint32_t code)
{
    if (code != 0) {
        proto_item_set_generated(proto_tree_add_uint(tree, f->pdh, tvb, 0, 0, code));
    }
}

void
poll_add_neighbours(const struct poll_fields *f, packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb,
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
poll_add_learned_name(const struct poll_fields *f, proto_tree *tree, int hf, tvbuff_t *tvb, struct catalog_text name)
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
