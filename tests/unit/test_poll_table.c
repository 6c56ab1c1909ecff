/* test_poll_table.c
 * The values of a block as a table: its columns, its lines, how large it may become, and where there is none
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdarg.h>
#include <string.h>

#include "check.h"
#include "counters/poll.h"

enum { HF_TABLE = 1, HF_ROW, ETT_TABLE };
enum { MOST_LINES = 500, MOST_NAMES = 120 };

static wmem_allocator_t *scope;
static int a_tree, a_subtree;
#define TREE    ((proto_tree *)&a_tree)
#define SUBTREE ((proto_tree *)&a_subtree)

/* What the table is made of. */
static struct poll_shape the_shape;
static const char *rows[MOST_NAMES], *columns[MOST_NAMES];
static bool is_hidden[MOST_NAMES];
static struct poll_meaning meanings[MOST_NAMES * MOST_NAMES];
static const char *cell_texts[MOST_NAMES * MOST_NAMES];

/* What was shown of it. */
static int asked_for;
static unsigned room, taken[4], num_taken;
static char title[100];
static char *lines[MOST_LINES];
static unsigned num_lines;
static field_info line_fields[MOST_LINES + 1];
static proto_item line_items[MOST_LINES + 1];

/* In place of poll.c, poll-tree.c and base/item-budget.c. */
const struct poll_meaning *
poll_meaning(struct poll *poll _U_, unsigned block _U_, unsigned at)
{
    return meanings[at].is_cooked ? &meanings[at] : NULL;
}

const char *
poll_cooked_text(wmem_allocator_t *into _U_, const struct cook_result *cooked)
{
    return cell_texts[(const struct poll_meaning *)(const void *)cooked - meanings];
}

const char *
poll_column_text(struct poll *poll _U_, unsigned block _U_, unsigned column)
{
    return columns[column];
}

bool
item_budget_reserve(const struct item_budget *budget _U_, packet_info *pinfo _U_, unsigned items)
{
    taken[num_taken++ % 4] = items;
    if (items > room) {
        return false;
    }
    room -= items;
    return true;
}

/* In place of Wireshark's. */
perflib_bool
proto_field_is_referenced(proto_tree *tree, int proto_id)
{
    CHECK(tree == TREE, "another tree");
    return proto_id == asked_for;
}

proto_item *
proto_tree_add_none_format(proto_tree *tree, const int hf, tvbuff_t *tvb _U_, const int start, int length,
    const char *format, ...)
{
    char text[600];
    va_list arguments;

    CHECK(start == 40 && length == 0, "%d, %d", start, length);
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (hf == HF_TABLE) {
        CHECK(tree == TREE && num_lines == 0, "the table");
        g_strlcpy(title, text, sizeof title);
    } else {
        CHECK(tree == SUBTREE && hf == HF_ROW && num_lines < MOST_LINES, "a line");
        lines[num_lines++] = wmem_strdup(scope, text);
    }
    line_fields[num_lines].flags = 0;
    line_items[num_lines].finfo = &line_fields[num_lines];
    return &line_items[num_lines];
}

proto_tree *
proto_item_add_subtree(proto_item *item _U_, const int idx)
{
    CHECK(idx == ETT_TABLE, "%d", idx);
    return SUBTREE;
}

static struct poll_shape
shape(const struct poll *poll _U_, unsigned block _U_)
{
    return the_shape;
}

static const char *
text(const struct poll *poll _U_, unsigned block _U_, unsigned at)
{
    return cell_texts[at];
}

static const char *
row_text(const struct poll *poll _U_, unsigned block _U_, unsigned row)
{
    return rows[row];
}

static bool
is_shown(const struct poll *poll _U_, unsigned block _U_, unsigned column)
{
    CHECK(column < the_shape.num_columns, "column %u", column);
    return !is_hidden[column];
}

static const struct poll_api api = { .shape = shape, .text = text, .row_text = row_text, .is_shown = is_shown };

/* A block of so many rows and columns, all called and valued alike. */
static void
fill(unsigned num_rows, unsigned num_columns, const char *row, const char *column, const char *cell)
{
    the_shape = (struct poll_shape){
        .num_rows = num_rows,
        .num_columns = num_columns,
        .is_named = true,
        .is_table = true,
        .offset = 40,
    };
    memset(is_hidden, 0, sizeof is_hidden);
    for (unsigned i = 0; i < MOST_NAMES; i++) {
        rows[i] = row;
        columns[i] = column;
    }
    for (unsigned i = 0; i < num_rows * num_columns; i++) {
        meanings[i] = (struct poll_meaning){ .cooked = { .reason = COOK_OK }, .is_cooked = true };
        cell_texts[i] = cell;
    }
    asked_for = HF_TABLE;
    room = UINT_MAX;
}

/* Shows it. Whether there is a table. */
static bool
show(struct item_rest *rest)
{
    static const struct poll_fields fields = { .table = HF_TABLE, .table_row = HF_ROW, .ett_table = ETT_TABLE };
    struct poll poll = { .api = &api, .scope = scope };
    struct poll_view view = { .fields = &fields, .rest = rest };

    num_lines = num_taken = 0;
    title[0] = '\0';
    poll_add_table(&poll, &view, TREE, 0, NULL);
    for (unsigned i = 0; i <= num_lines && title[0] != '\0'; i++) {
        CHECK(proto_item_is_generated(&line_items[i]), "item %u stands in no bytes", i);
    }
    return title[0] != '\0';
}

static void
check_lines(const char *const *expected, unsigned count, const char *what)
{
    struct item_rest rest = { 0 };

    CHECK(show(&rest) && num_lines == count, "%s: %u lines, not %u", what, num_lines, count);
    for (unsigned i = 0; i < MIN(num_lines, count); i++) {
        CHECK(strcmp(lines[i], expected[i]) == 0, "%s:\n|%s|, not\n|%s|", what, lines[i], expected[i]);
    }
    CHECK(rest.left_out == 0, "nothing is left out");
}

static void
check_cells(void)
{
    static const char *const expected[] = {
        "        % Time  Count",
        "a       12.3 %      -",
        "_Total   5.0 %  text\xE2\x80\xA6",
    };
    static const char *const wide[] = {
        "      \xC3\xA4\xC3\xB6\xC3\xBC  x",
        "row  12.3  1",
        "row  12.3  1",
    };
    static const char *const hidden[] = {
        "   A  C",
        "r  1  1",
        "r  1  1",
    };

    fill(2, 2, "", "", "");
    rows[0] = "a";
    rows[1] = "_Total";
    columns[0] = "% Time";
    columns[1] = "Count";
    cell_texts[0] = "12.3 %";
    cell_texts[2] = "5.0 %";
    cell_texts[3] = "text\xE2\x80\xA6";
    meanings[1].cooked.reason = COOK_NO_BASE;
    meanings[3].cooked.reason = COOK_TEXT;
    check_lines(expected, 3, "names to the left, values to the right");
    CHECK(strcmp(title, "Table of 2 instances, 2 counters") == 0, "%s", title);
    meanings[1].is_cooked = false;
    check_lines(expected, 3, "what can't be cooked");

    fill(2, 2, "row", "x", "1");
    columns[0] = "\xC3\xA4\xC3\xB6\xC3\xBC";
    cell_texts[0] = cell_texts[2] = "12.3";
    check_lines(wide, 3, "characters, not bytes");

    fill(2, 4, "r", "A", "1");
    columns[2] = "C";
    is_hidden[1] = is_hidden[3] = true;
    check_lines(hidden, 3, "what is not displayed");
}

static void
check_long_names(void)
{
    char name[30], filled[40];
    struct item_rest rest = { 0 };

    for (unsigned length = 23; length <= 25; length++) {
        memset(name, 'n', length);
        name[length] = '\0';
        fill(2, 2, name, "x", "1");
        CHECK(show(&rest), "%u", length);
        snprintf(filled, sizeof filled, length <= 24 ? "%s  1  1" : "%.23s\xE2\x80\xA6  1  1", name);
        CHECK(strcmp(lines[1], filled) == 0, "%u: %s", length, lines[1]);
        fill(2, 2, "r", name, "1");
        CHECK(show(&rest), "%u", length);
        snprintf(filled, sizeof filled, length <= 24 ? "   %s" : "   %.23s\xE2\x80\xA6", name);
        CHECK(g_str_has_prefix(lines[0], filled), "%u: %s", length, lines[0]);
    }
    /* Cells that are filled up by more than any name has. */
    fill(2, 2, "r", "x", "1");
    cell_texts[0] = "1234567890123456789012345678901234567890123456789012345678901234567890";
    CHECK(show(&rest) && strlen(lines[2]) == 1 + 2 + 70 + 2 + 1 && lines[2][72] == '1' && lines[2][75] == '1', "%s",
        lines[2]);
    CHECK(strspn(lines[2] + 1, " ") == 71, "%s", lines[2]);
}

/* 220 bytes have room for a name and 18 columns of 10 and the gap of 2 where the name has 4, and for 17 where it has 5. */
static void
check_broken_lines(void)
{
    struct item_rest rest = { 0 };

    for (unsigned name = 4; name <= 5; name++) {
        const unsigned a_line = name == 4 ? 18 : 17;

        for (unsigned count = a_line - 1; count <= 2 * a_line + 1; count++) {
            const unsigned parts = (count + a_line - 1) / a_line;

            fill(2, count, name == 4 ? "four" : "five5", "0123456789", "1");
            CHECK(show(&rest) && num_lines == 3 * parts, "%u columns: %u lines", count, num_lines);
            for (unsigned part = 0; part < parts; part++) {
                const unsigned here = part + 1 < parts ? a_line : count - part * a_line;

                for (unsigned i = 0; i < 3; i++) {
                    CHECK(strlen(lines[3 * part + i]) == name + 12 * here, "%u of %u: %zu", part, count,
                        strlen(lines[3 * part + i]));
                }
            }
        }
    }
    /* A character of two bytes takes two of them. */
    fill(2, 18, "\xC3\xA4our", "0123456789", "1");
    CHECK(show(&rest) && num_lines == 6, "%u lines", num_lines);
    fill(2, 18, "four", "0123456789", "1");
    columns[17] = "012345678\xC3\xA4";
    CHECK(show(&rest) && num_lines == 6, "%u lines", num_lines);
    fill(2, 18, "fou", "0123456789", "1");
    columns[17] = "012345678\xC3\xA4";
    CHECK(show(&rest) && num_lines == 3, "%u lines", num_lines);
}

/* A column that has no room beside the names stands there all the same: 24 characters of 4 bytes, and 46 to fill up. */
static void
check_wide_columns(void)
{
    char name[24 * 4 + 1], number[71];
    struct item_rest rest = { 0 };

    for (unsigned i = 0; i < 24; i++) {
        memcpy(name + 4 * i, "\xF0\x9F\x98\x80", 5);
    }
    memset(number, '1', 70);
    number[70] = '\0';
    fill(2, 2, name, name, number);
    CHECK(show(&rest) && num_lines == 6, "%u lines", num_lines);
}

static void
check_sizes(void)
{
    static const struct {
        unsigned rows, columns, hidden;
        const char *title; /* "": there is no table */
    } cases[] = {
        { 2, 2, 0, "Table of 2 instances, 2 counters" },
        { 1, 2, 0, "" },
        { 2, 1, 0, "" },
        { 2, 3, 1, "Table of 2 instances, 2 counters" },
        { 2, 3, 2, "" },
        { 100, 2, 0, "Table of 100 instances, 2 counters" },
        { 101, 2, 0, "Table of 100 instances, 2 counters (without 1 instances, 0 counters)" },
        { 2, 60, 0, "Table of 2 instances, 60 counters" },
        { 2, 61, 0, "Table of 2 instances, 60 counters (without 0 instances, 1 counters)" },
        { 2, 62, 1, "Table of 2 instances, 60 counters (without 0 instances, 1 counters)" },
        { 2, 61, 1, "Table of 2 instances, 60 counters" },
        { 103, 64, 0, "Table of 100 instances, 60 counters (without 3 instances, 4 counters)" },
    };
    struct item_rest rest = { 0 };

    for (size_t i = 0; i < array_length(cases); i++) {
        fill(cases[i].rows, cases[i].columns, "r", "c", "1");
        for (unsigned h = 0; h < cases[i].hidden; h++) {
            is_hidden[h] = true;
        }
        show(&rest);
        CHECK(strcmp(title, cases[i].title) == 0, "%zu: %s", i, title);
        CHECK((num_lines != 0) == (cases[i].title[0] != '\0'), "%zu: %u lines", i, num_lines);
    }
    fill(2, 2, "r", "c", "1");
    the_shape.is_named = false;
    CHECK(!show(&rest) && num_taken == 0, "nobody knows what it is of");
    fill(2, 2, "r", "c", "1");
    the_shape.is_table = false;
    CHECK(!show(&rest) && num_taken == 0, "rows are no instances");
    fill(2, 2, "r", "c", "1");
    asked_for = 0;
    CHECK(!show(&rest) && num_taken == 0, "nobody looks");
    asked_for = HF_ROW;
    CHECK(show(&rest), "somebody looks at lines alone");
    CHECK(rest.left_out == 0, "%u", rest.left_out);
}

/* Each line takes 24 items, and so does the table; those that are broken off are taken when they are known. */
static void
check_budget(void)
{
    struct item_rest rest = { 0 };

    fill(2, 2, "r", "c", "1");
    room = 4 * 24;
    CHECK(show(&rest) && taken[0] == 96 && taken[1] == 0 && rest.left_out == 0, "%u, %u", taken[0], taken[1]);
    fill(2, 2, "r", "c", "1");
    room = 4 * 24 - 1;
    CHECK(!show(&rest) && rest.left_out == 1, "an item less");
    fill(2, 36, "four", "0123456789", "1");
    room = 7 * 24;
    CHECK(show(&rest) && taken[0] == 96 && taken[1] == 72 && rest.left_out == 1, "%u, %u", taken[0], taken[1]);
    fill(2, 36, "four", "0123456789", "1");
    room = 7 * 24 - 1;
    CHECK(!show(&rest) && num_lines == 0 && rest.left_out == 2, "not half of it");
    /* One counter that is displayed makes no table, so nothing is left out. */
    fill(2, 3, "r", "c", "1");
    is_hidden[0] = is_hidden[2] = true;
    room = 0;
    CHECK(!show(&rest) && num_taken == 0 && rest.left_out == 2, "%u left out", rest.left_out);
    fill(101, 2, "r", "c", "1");
    CHECK(show(&rest) && taken[0] == 102 * 24 && taken[1] == 0, "a hundred lines at most: %u", taken[0]);
}

int
main(void)
{
    wmem_init();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    check_cells();
    check_long_names();
    check_broken_lines();
    check_wide_columns();
    check_sizes();
    check_budget();
    wmem_destroy_allocator(scope);
    wmem_cleanup();
    return check_result();
}
