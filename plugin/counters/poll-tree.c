/* poll-tree.c
 * Items of a poll's values, and others that both performance APIs share
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/poll.h"

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
        .table = proto_field_is_referenced(tree, f->table) || proto_field_is_referenced(tree, f->table_row),
    };
}

bool
poll_wants_any(const struct poll_wants *wants)
{
    return wants->path || wants->cooked || wants->formula || wants->reason || wants->pdh;
}

bool
poll_wants_rows(const struct poll_wants *wants)
{
    return wants->is_seen || wants->table || poll_wants_any(wants);
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
poll_text(const struct poll *poll, unsigned block, unsigned at)
{
    const char *const *texts = poll->blocks[block].texts;

    return texts == NULL || texts[at] == NULL ? "" : line_text(poll->scope, texts[at]);
}

/*
 * Sets the view's text to the cooked value with its unit, or to the text of a text counter; "" if there is no result.
 */
static void
poll_make_text(const struct poll *poll, struct poll_view *view, unsigned block, unsigned at,
    const struct cook_result *cooked)
{
    line_begin(&view->text);
    if (cooked != NULL && cooked->reason == COOK_OK) {
        poll_add_cooked_text(&view->text, cooked);
    } else if (cooked != NULL && cooked->reason == COOK_TEXT) {
        line_add(&view->text, poll_text(poll, block, at));
    }
}

void
poll_make_line(struct poll *poll, struct poll_view *view, unsigned block, unsigned at, struct line *line)
{
    const struct poll_block *of = &poll->blocks[block];
    const struct poll_column *column = &of->columns[at % of->num_columns];
    const struct cook_value *raw = &of->rows[at].value;
    const struct cook_result *cooked = poll_cooked(poll, block, at);
    char digits[DIGITS_MAX];

    poll_make_text(poll, view, block, at, cooked);
    line_begin(line);
    line_add(line, poll_path(poll, block, at));
    if (cooked == NULL) {
        return;
    }
    if (cooked->reason == COOK_OK) {
        line_add(line, " = ");
        line_add(line, view->text.text);
        if (column->note != NULL && (!column->is_note_of_zero || raw->now == 0)) {
            line_add(line, column->note);
        }
    } else if (cooked->reason == COOK_TEXT) {
        line_add(line, " = \"");
        line_add(line, view->text.text);
        line_add(line, "\"");
    } else {
        line_add(line, ": no value, ");
        line_add(line, cook_reason_text(cooked->reason));
    }
    /* Without a type only the raw value can be shown. */
    if (cooked->reason == COOK_TYPE_UNKNOWN && raw->present && raw->width != 0) {
        digits_whole(digits, raw->now);
        line_add(line, ", raw ");
        line_add(line, digits);
    }
}

/* Maximum length of a block's only line in its label: Wireshark cuts labels at 240 bytes, and other text comes first */
#define LABEL_MAX 200

const char *
poll_only_line(struct poll *poll, struct poll_view *view, unsigned block)
{
    const struct poll_block *of = &poll->blocks[block];
    struct line line;

    if (!of->is_named || of->num_instances != 1 || of->num_columns != 1 || poll_path(poll, block, 0) == NULL) {
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
    const struct poll_row *row;
    struct line line;
    proto_item *item;

    if (path == NULL) {
        if (is_seen) {
            poll_make_text(poll, view, block, at, wants_cooked(&view->wants) ? poll_cooked(poll, block, at) : NULL);
        }
        return NULL;
    }
    row = &poll->blocks[block].rows[at];
    if (is_seen) {
        poll_make_line(poll, view, block, at, &line);
    }
    item = item_label_add_string(tree, view->fields->path, poll->tvb, (int)row->offset, (int)row->length, path, false,
        is_seen ? line.text : NULL);
    proto_item_set_generated(item);
    return proto_item_add_subtree(item, view->fields->ett_value);
}

/*
 * Returns a formula, for the older API with that API's names (poll->formula_words). Formulas are constant texts, so
 * each is translated once, and looked up by its pointer.
 */
static const char *
formula_text(const struct poll *poll, const char *formula)
{
    static wmem_map_t *formulas; /* formula -> translated formula; never freed */
    const char *known;

    if (poll->formula_words == NULL) {
        return formula;
    }
    if (formulas == NULL) {
        formulas = wmem_map_new(wmem_epan_scope(), g_direct_hash, g_direct_equal);
    }
    known = (const char *)wmem_map_lookup(formulas, formula);
    if (known == NULL) {
        char *text = wmem_strdup(wmem_epan_scope(), formula);

        for (const struct poll_formula_word *word = poll->formula_words; word->newer != NULL; word++) {
            text = text_replace(wmem_epan_scope(), text, word->newer, word->older);
        }
        wmem_map_insert(formulas, formula, text);
        known = text;
    }
    return known;
}

static void
add_formula(struct poll *poll, struct poll_view *view, proto_tree *tree, unsigned block, unsigned at,
    const char *formula)
{
    const char *text = formula_text(poll, formula);
    char numbers[COOK_NUMBERS_MAX];
    struct cook_input in;
    const bool is_seen = poll_is_seen(view);
    struct line line;
    proto_item *item;

    if (is_seen) {
        poll_input(poll, block, at, &in);
        cook_formula_numbers(&in, formula, numbers, sizeof numbers);
        line_begin(&line);
        line_add(&line, text);
        if (numbers[0] != '\0') {
            line_add(&line, "; here ");
            line_add(&line, numbers);
        }
    }
    item = item_label_add_string(tree, view->fields->formula, poll->tvb, 0, 0, text, true, is_seen ? line.text : NULL);
    proto_item_set_generated(item);
}

void
poll_add_cooked(struct poll *poll, struct poll_view *view, proto_tree *tree, unsigned block, unsigned at)
{
    const struct cook_result *cooked = wants_cooked(&view->wants) ? poll_cooked(poll, block, at) : NULL;
    const struct poll_fields *f = view->fields;
    proto_item *item;

    if (cooked == NULL) {
        return;
    }
    if (view->wants.pdh) {
        poll_add_pdh(f, tree, poll->tvb, pdh_of_value(cooked));
    }
    if (cooked->reason != COOK_OK) {
        if (view->wants.reason) {
            item = proto_tree_add_string(tree, f->reason, poll->tvb, 0, 0, cook_reason_text(cooked->reason));
            proto_item_set_generated(item);
        }
        return;
    }
    if (view->wants.cooked && double_field_fits(view->pinfo, tree, f->cooked)) {
        item = item_label_add_double(tree, f->cooked, poll->tvb, 0, 0, cooked->value,
            poll_is_seen(view) ? view->text.text : NULL);
        proto_item_set_generated(item);
    }
    if (view->wants.formula) {
        add_formula(poll, view, tree, block, at, cooked->formula);
    }
}

void
poll_add_pdh(const struct poll_fields *f, proto_tree *tree, tvbuff_t *tvb, uint32_t code)
{
    if (code != 0) {
        proto_item_set_generated(proto_tree_add_uint(tree, f->pdh, tvb, 0, 0, code));
    }
}

const char *
poll_lost_text(wmem_allocator_t *scope, const struct series_poll *poll)
{
    return wmem_strdup_printf(scope, "%s%s not captured", poll->is_lost_else ? "up to " : "",
        count_text(scope, poll->lost, "poll"));
}

void
poll_add_neighbours(const struct poll_fields *f, packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb,
    const struct series_poll *poll)
{
    proto_item *item;

    if (poll != NULL && poll->previous != NULL) {
        proto_item_set_generated(proto_tree_add_uint(tree, f->previous_frame, tvb, 0, 0, poll->previous->frame));
        item = double_field_add(pinfo, tree, f->interval, tvb, 0, 0, series_interval(poll));
        if (poll->lost > 0) {
            proto_item_append_text(item, " (over %s s, %s)", number_text(pinfo->pool, "%.3f", series_interval(poll)),
                poll_lost_text(pinfo->pool, poll));
        }
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
