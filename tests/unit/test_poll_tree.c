/* test_poll_tree.c
 * The items of values: what is added for whom, and the line a person reads
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "base/fields.h"
#include "check.h"
#include "counters/poll.h"

enum { PATH = 1, COOKED, FORMULA, REASON, CODE, PREVIOUS, NEXT, INTERVAL, LEARNED, NAME, ETT_VALUE, ETT_NAME };

static const struct poll_fields fields = { .path = PATH,
    .cooked = COOKED,
    .formula = FORMULA,
    .reason = REASON,
    .pdh = CODE,
    .previous_frame = PREVIOUS,
    .next_frame = NEXT,
    .interval = INTERVAL,
    .learned_in = LEARNED,
    .ett_value = ETT_VALUE,
    .ett_name = ETT_NAME };

static wmem_allocator_t *scope;
static int a_tree, a_subtree;
#define TREE    ((proto_tree *)&a_tree)
#define SUBTREE ((proto_tree *)&a_subtree)

/* What is added: field and text of each item, "~" before one that people see a label of. */
static wmem_strbuf_t *added;
static proto_item items[20];
static field_info item_fields[20];
static unsigned num_items;

static proto_item *
note(int hf, bool has_label, const char *text)
{
    proto_item *item = &items[num_items % array_length(items)];

    item->finfo = &item_fields[num_items++ % array_length(items)];
    item->finfo->flags = 0;
    wmem_strbuf_append_printf(added, "%s%d %s|", has_label ? "~" : "", hf, text);
    return item;
}

/* The field that a filter or a column asks for. */
static int asked_for;

/* In place of Wireshark's, and of base/. */
perflib_bool
proto_field_is_referenced(proto_tree *tree _U_, int hf)
{
    return hf == asked_for;
}

proto_item *
proto_tree_add_string(proto_tree *tree _U_, int hf, tvbuff_t *tvb _U_, int start, int length, const char *value)
{
    CHECK(start == (hf == PATH ? 40 : 0) && length == (hf == PATH ? 8 : 0), "%d, %d", start, length);
    return note(hf, false, value);
}

proto_item *
proto_tree_add_double(proto_tree *tree _U_, int hf, tvbuff_t *tvb _U_, int start, int length, double value)
{
    CHECK(start == 0 && length == 0, "%d, %d", start, length);
    return note(hf, false, wmem_strdup_printf(scope, "%g", value));
}

proto_item *
proto_tree_add_uint(proto_tree *tree, int hf, tvbuff_t *tvb _U_, int start, int length, uint32_t value)
{
    CHECK(start == 0 && length == 0, "%d, %d", start, length);
    CHECK((hf == LEARNED) == (tree == SUBTREE), "%d", hf);
    return note(hf, false, wmem_strdup_printf(scope, "%x", value));
}

proto_tree *
proto_item_add_subtree(proto_item *item, const int idx)
{
    CHECK(item != NULL && (idx == ETT_VALUE || idx == ETT_NAME), "%d", idx);
    return SUBTREE;
}

proto_item *
item_label_add_string(proto_tree *tree _U_, int hf, tvbuff_t *tvb _U_, int offset, int length, const char *value,
    const char *text)
{
    CHECK(offset == 40 && length == 8 && strcmp(value, "PATH") == 0, "%s", value);
    return note(hf, true, text);
}

proto_item *
item_label_add_string_value(proto_tree *tree _U_, int hf, tvbuff_t *tvb _U_, int offset, int length,
    const char *value _U_, const char *text)
{
    CHECK(offset == 0 && length == 0, "%d, %d", offset, length);
    return note(hf, true, text);
}

proto_item *
item_label_add_double_value(proto_tree *tree _U_, int hf, tvbuff_t *tvb _U_, int offset, int length, double value,
    const char *text)
{
    CHECK(offset == 0 && length == 0, "%d, %d", offset, length);
    return note(hf, true, wmem_strdup_printf(scope, "%g as %s", value, text));
}

static bool has_room = true;

bool
double_field_fits(const packet_info *pinfo _U_, const proto_tree *tree _U_, int hf _U_)
{
    return has_room;
}

proto_item *
double_field_add(const packet_info *pinfo _U_, proto_tree *tree _U_, int hf, tvbuff_t *tvb _U_, int offset, int length,
    double value)
{
    CHECK(offset == 0 && length == 0, "%d, %d", offset, length);
    proto_item *item = note(hf, false, wmem_strdup_printf(scope, "%g", value));

    proto_item_set_generated(item);
    return item;
}

void
field_family_register(int proto _U_, const char *prefix _U_, const hf_register_info *all _U_, size_t count _U_)
{
}

double
series_interval(const struct series_poll *poll _U_)
{
    return 1.5;
}

/* In place of poll.c and of a protocol. */
static struct poll_meaning meaning;
static bool can_be_cooked, has_path, is_number;
static const char *the_note;
static struct cook_input input;

const struct poll_meaning *
poll_meaning(struct poll *poll _U_, unsigned block _U_, unsigned at _U_)
{
    return can_be_cooked ? &meaning : NULL;
}

const char *
poll_path(struct poll *poll _U_, unsigned block _U_, unsigned at _U_)
{
    return has_path ? "PATH" : NULL;
}

static struct poll_bytes
bytes_of(const struct poll *poll _U_, unsigned block _U_, unsigned at _U_)
{
    return (struct poll_bytes){ .offset = 40, .length = 8, .is_number = is_number, .number = 77 };
}

static const char *
text_of(const struct poll *poll _U_, unsigned block _U_, unsigned at _U_)
{
    return "a text";
}

static const char *
note_of(const struct poll *poll _U_, unsigned block _U_, unsigned at _U_, const struct cook_result *cooked _U_)
{
    return the_note;
}

static bool
input_of(const struct poll *poll _U_, unsigned block _U_, unsigned at _U_, struct cook_input *in,
    const struct series_poll **before)
{
    *in = input;
    *before = NULL;
    return true;
}

static struct poll_shape the_shape;

static struct poll_shape
shape(const struct poll *poll _U_, unsigned block _U_)
{
    return the_shape;
}

static const struct poll_api api = { .shape = shape,
    .bytes = bytes_of,
    .text = text_of,
    .note = note_of,
    .input = input_of };
static struct series_poll previous = { .frame = 3 }, sample = { .frame = 9, .previous = &previous };
static struct item_rest rest;
static struct poll_view view;
static struct poll poll;

static void
begin(enum cook_reason reason)
{
    meaning = (struct poll_meaning){
        .cooked = { .reason = reason, .value = 12.5, .unit = COOK_UNIT_PERCENT, .formula = "100*N1/B1" }
    };
    input = (struct cook_input){ .value = { .now = 1 }, .base = { .now = 8 } };
    can_be_cooked = has_path = has_room = is_number = true;
    the_note = NULL;
    rest = (struct item_rest){ 0 };
    the_shape = (struct poll_shape){ .num_rows = 1, .num_columns = 1, .is_named = true };
    view = (struct poll_view){ .fields = &fields, .rest = &rest };
    view.wants = (struct poll_wants){ true, true, true, true, true, true };
    poll = (struct poll){ .api = &api, .scope = scope, .sample = &sample };
}

/* The item of a value, and what is below it. */
static void
show(const char *expected, const char *what)
{
    proto_tree *below;

    added = wmem_strbuf_new(scope, "");
    num_items = 0;
    below = poll_add_value(&poll, &view, TREE, 0, 0);
    CHECK((below == SUBTREE) == (view.wants.path && has_path), "%s: the tree below", what);
    poll_add_cooked(&poll, &view, TREE, 0, 0);
    CHECK(strcmp(wmem_strbuf_get_str(added), expected) == 0, "%s:\n%s, not\n%s", what, wmem_strbuf_get_str(added),
        expected);
    for (unsigned i = 0; i < num_items; i++) {
        CHECK(proto_item_is_generated(&items[i]), "%s: item %u stands in no bytes", what, i);
    }
}

static void
check_values(void)
{
    begin(COOK_OK);
    show("~1 PATH = 12.500 %|~2 12.5 as 12.500 %|~3 100*N1/B1; here 100*1/8|", "a value");
    has_path = false;
    show("~2 12.5 as 12.500 %|~3 100*N1/B1; here 100*1/8|", "without a path");
    begin(COOK_OK);
    view.wants.path = false;
    show("~2 12.5 as 12.500 %|~3 100*N1/B1; here 100*1/8|", "whose path nobody asks for");
    begin(COOK_OK);
    the_note = " (a note)";
    has_room = false;
    view.wants.formula = false;
    show("~1 PATH = 12.500 % (a note)|", "without room for numbers");
    begin(COOK_OK);
    view.wants.is_seen = false;
    show("1 PATH|2 12.5|3 100*N1/B1|", "that nobody sees");
    begin(COOK_OK);
    rest.is_full = true;
    show("1 PATH|2 12.5|3 100*N1/B1|", "for which there is no room");
    begin(COOK_OK);
    meaning.cooked.value = -1;
    view.wants = (struct poll_wants){ .pdh = true };
    show("5 800007d8|", "whose code is asked for alone");
    view.wants = (struct poll_wants){ .path = true };
    show("1 PATH|", "whose path is asked for alone");
    view.wants = (struct poll_wants){ .cooked = true };
    show("2 -1|", "which is asked for alone");
    view.wants = (struct poll_wants){ .reason = true };
    show("", "whose reason is asked for");

    begin(COOK_TEXT);
    show("~1 PATH = \"a text\"|4 text|", "a text");
    begin(COOK_NO_BASE);
    the_note = " (a note)";
    show("~1 PATH: no value, base not in query (a note)|4 base not in query|", "a reason");
    view.wants.reason = false;
    show("~1 PATH: no value, base not in query (a note)|", "that nobody asks for");
    view.wants = (struct poll_wants){ .reason = true };
    show("4 base not in query|", "which is asked for alone");
    begin(COOK_OK);
    view.wants = (struct poll_wants){ .formula = true };
    show("3 100*N1/B1|", "a formula that is asked for alone");
    begin(COOK_FIRST_SAMPLE);
    show("~1 PATH: no value, first sample|5 c0000bba|4 first sample|", "a reason with a code");
    begin(COOK_TYPE_UNKNOWN);
    show("~1 PATH: no value, type unknown, raw 77|4 type unknown|", "a number of no type");
    is_number = false;
    show("~1 PATH: no value, type unknown|4 type unknown|", "bytes of no type");
    can_be_cooked = false;
    show("~1 PATH|", "what can't be cooked");
}

static void
check_formulas(void)
{
    static struct series_poll earlier = { .frame = 2 };

    begin(COOK_OK);
    view.wants = (struct poll_wants){ .is_seen = true, .formula = true };
    meaning.cooked.formula = "N1-N0";
    input.value = (struct cook_value){ .now = 5, .before = 3 };
    meaning.before = &previous;
    show("~3 N1-N0; here 5-3|", "the poll before");
    meaning.before = &earlier;
    show("~3 N1-N0; here 5-3 (previous value in frame 2)|", "an earlier one");
    meaning.cooked.formula = "N1";
    show("~3 N1|", "that does not look back");
}

static void
check_only_lines(void)
{
    static const char *const expected = "PATH = 12.500 %";
    char text[201];

    begin(COOK_OK);
    CHECK(g_strcmp0(poll_only_line(&poll, &view, 0), expected) == 0, "one value");
    the_shape.num_rows = 2;
    CHECK(poll_only_line(&poll, &view, 0) == NULL, "two rows");
    the_shape.num_rows = 1;
    the_shape.num_columns = 2;
    CHECK(poll_only_line(&poll, &view, 0) == NULL, "two columns");
    the_shape.num_columns = 1;
    the_shape.is_named = false;
    CHECK(poll_only_line(&poll, &view, 0) == NULL, "of nobody knows what");
    the_shape.is_named = true;
    has_path = false;
    CHECK(poll_only_line(&poll, &view, 0) == NULL, "no path");
    has_path = true;
    /* 15 characters and the note: up to 200 */
    memset(text, 'x', 200);
    text[185] = '\0';
    the_note = text;
    CHECK(poll_only_line(&poll, &view, 0) != NULL, "200 bytes");
    text[185] = 'x';
    text[186] = '\0';
    CHECK(poll_only_line(&poll, &view, 0) == NULL, "201 bytes");
}

static void
check_wants_and_others(void)
{
    static const struct catalog_text taught = { "Name", 0x1f }, tabled = { "Name", 0 }, nothing = { NULL, 5 };
    struct series_poll last = { .frame = 12, .next_frame = 0x20 };

    for (unsigned i = 0; i < 6; i++) {
        const struct poll_wants wants = { .is_seen = true,
            .path = i == 1,
            .cooked = i == 2,
            .formula = i == 3,
            .reason = i == 4,
            .pdh = i == 5 };

        CHECK(poll_wants_any(&wants) == (i > 0), "%u", i);
    }
    added = wmem_strbuf_new(scope, "");
    num_items = 0;
    poll_add_learned_name(&fields, TREE, NAME, NULL, taught);
    poll_add_learned_name(&fields, TREE, NAME, NULL, tabled);
    poll_add_learned_name(&fields, TREE, NAME, NULL, nothing);
    poll_add_learned_name(&fields, NULL, NAME, NULL, taught);
    poll_add_neighbours(&fields, NULL, TREE, NULL, &sample);
    poll_add_neighbours(&fields, NULL, TREE, NULL, &last);
    poll_add_neighbours(&fields, NULL, TREE, NULL, NULL);
    poll_add_pdh(&fields, TREE, NULL, 0);
    CHECK(strcmp(wmem_strbuf_get_str(added), "10 Name|9 1f|10 Name|6 3|8 1.5|7 20|") == 0, "%s",
        wmem_strbuf_get_str(added));
    for (unsigned i = 0; i < num_items; i++) {
        CHECK(proto_item_is_generated(&items[i]), "item %u stands in no bytes", i);
    }
}

/* Each field that is asked for is wanted, and no other. */
static void
check_wants(void)
{
    for (asked_for = PATH; asked_for <= INTERVAL; asked_for++) {
        const struct poll_wants wants = poll_wants(&fields, NULL);

        CHECK(wants.path == (asked_for == PATH) && wants.cooked == (asked_for == COOKED) &&
                wants.formula == (asked_for == FORMULA) && wants.reason == (asked_for == REASON) &&
                wants.pdh == (asked_for == CODE) && !wants.is_seen,
            "field %d", asked_for);
    }
}

int
main(void)
{
    wmem_init_scopes();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    check_values();
    check_formulas();
    check_only_lines();
    check_wants_and_others();
    check_wants();
    wmem_destroy_allocator(scope);
    return check_result();
}
