/* test_rows.c
 * The rows of statistics tables, through what Wireshark does with a window: opened, filtered anew, closed, opened again
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/rows.h"

#include <string.h>

#include <epan/tap.h>

#include "check.h"

enum { COLUMN_NAME, COLUMN_TIMES, COLUMN_MEAN, NUM_COLUMNS };

static stat_tap_table_item columns[NUM_COLUMNS] = {
    [COLUMN_NAME] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Name", "%s" },
    [COLUMN_TIMES] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Times", "%u" },
    [COLUMN_MEAN] = { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Mean", "%f" },
};

/* What the tap brings. */
struct tapped {
    const char *name;
    double value;
};

static unsigned begun;

static void
count_begins(struct stat_rows *rows)
{
    CHECK(rows->table->num_elements == 0, "%u rows", rows->table->num_elements);
    begun++;
}

static bool
count(struct stat_rows *rows, const packet_info *pinfo _U_, const void *data)
{
    const struct tapped *tapped = (const struct tapped *)data;
    stat_tap_table_item_type cells[NUM_COLUMNS];
    unsigned row;

    if (!stat_rows_find(rows, tapped->name, &row)) {
        stat_cells_init(rows, cells);
        stat_cell_set_text(&cells[COLUMN_NAME], tapped->name);
        row = stat_rows_add(rows, g_strdup(tapped->name), cells);
    }
    stat_rows_cells(rows, row)[COLUMN_TIMES].value.uint_value++;
    stat_cell_add_to_mean(rows, stat_rows_cells(rows, row), COLUMN_MEAN, (struct stat_mean *)stat_rows_state(rows, row),
        tapped->value);
    return true;
}

static struct stat_rows rows = {
    .ui = { .title = "Test", .tap_name = "test", .cli_string = "test,rows", .nfields = NUM_COLUMNS, .fields = columns },
    .count = count,
    .begin = count_begins,
    .owned = 1u << COLUMN_NAME,
    .state_size = sizeof(struct stat_mean),
    .hash = wmem_str_hash,
    .equal = g_str_equal,
    .free_key = g_free,
};

/* A second table, so that what Wireshark hands out as a table has to be told from another. */
static struct stat_rows others = {
    .ui = { .title = "Other",
        .tap_name = "test",
        .cli_string = "test,others",
        .nfields = NUM_COLUMNS,
        .fields = columns },
    .count = count,
    .owned = 1u << COLUMN_NAME,
    .state_size = sizeof(struct stat_mean),
    .hash = wmem_str_hash,
    .equal = g_str_equal,
    .free_key = g_free,
};

static tap_packet_status
bring(struct stat_rows *to, stat_data_t *listener, const char *name, double value)
{
    const struct tapped tapped = { name, value };

    listener->stat_tap_data = &to->ui;
    return to->ui.packet_func(listener, NULL, NULL, &tapped, 0);
}

static void
check_row(const struct stat_rows *in, unsigned row, const char *name, unsigned times, double mean)
{
    const stat_tap_table_item_type *cells = stat_rows_cells(in, row);

    CHECK(strcmp(cells[COLUMN_NAME].value.string_value, name) == 0, "%s", cells[COLUMN_NAME].value.string_value);
    CHECK(cells[COLUMN_TIMES].value.uint_value == times, "%s: %u", name, cells[COLUMN_TIMES].value.uint_value);
    /* Without windows it is a text, with the decimal point of all languages. */
    CHECK(cells[COLUMN_MEAN].type == TABLE_ITEM_STRING &&
            g_ascii_strtod(cells[COLUMN_MEAN].value.string_value, NULL) == mean,
        "%s: %s", name, cells[COLUMN_MEAN].value.string_value);
}

/* Means of 1 and 3, and of 5. */
static void
check_counting(struct stat_rows *in, stat_data_t *listener)
{
    CHECK(bring(in, listener, "one", 1) == TAP_PACKET_REDRAW, "not drawn");
    bring(in, listener, "two", 5);
    bring(in, listener, "one", 3);
    CHECK(in->table->num_elements == 2, "%u rows", in->table->num_elements);
    check_row(in, 0, "one", 2, 2.0);
    check_row(in, 1, "two", 1, 5.0);
}

/* Apply, three times: the window shows the rows it has until it is drawn anew. */
static void
check_applied(stat_data_t *listener)
{
    for (unsigned i = 0; i < 3; i++) {
        const stat_tap_table_item_type *shown = stat_rows_cells(&rows, 0);

        reset_stat_table(&rows.ui);
        CHECK(rows.table->num_elements == 0, "%u rows", rows.table->num_elements);
        CHECK(strcmp(shown[COLUMN_NAME].value.string_value, "one") == 0, "what is shown is gone");
        reset_stat_table(&rows.ui);
        CHECK(strcmp(shown[COLUMN_NAME].value.string_value, "one") == 0, "what is shown is gone");
        check_counting(&rows, listener);
    }
}

/* A -z or a window of the same table beside the first counts nothing twice; it does once the first is gone. */
static void
check_second_listener(stat_data_t *first, stat_data_t *second)
{
    CHECK(bring(&rows, second, "one", 9) == TAP_PACKET_DONT_REDRAW, "drawn");
    check_row(&rows, 0, "one", 2, 2.0);
    rows.ui.stat_tap_init_cb(&rows.ui);
    check_counting(&rows, second);
    CHECK(bring(&rows, first, "one", 9) == TAP_PACKET_DONT_REDRAW, "drawn");
}

static void
check_keys(void)
{
    unsigned row = 99;

    stat_rows_add_key(&rows, g_strdup("another name"), 1);
    CHECK(stat_rows_find(&rows, "another name", &row) && row == 1, "row %u", row);
    stat_rows_remove_key(&rows, "two");
    CHECK(!stat_rows_find(&rows, "two", &row), "found");
    CHECK(stat_rows_find(&rows, "another name", &row) && row == 1, "row %u", row);
}

static void
check_texts(void)
{
    stat_tap_table_item_type cells[NUM_COLUMNS];
    char *name = g_strnfill(100000, 'x');

    stat_cells_init(&rows, cells);
    CHECK(strcmp(cells[COLUMN_NAME].value.string_value, "") == 0, "%s", cells[COLUMN_NAME].value.string_value);
    CHECK(cells[COLUMN_TIMES].type == TABLE_ITEM_UINT && cells[COLUMN_TIMES].value.uint_value == 0, "no zero");
    CHECK(cells[COLUMN_MEAN].type == TABLE_ITEM_NONE, "a mean of nothing");
    stat_cell_set_text(&cells[COLUMN_NAME], "a\nb\033[31m\tc");
    CHECK(strcmp(cells[COLUMN_NAME].value.string_value, "a\\nb\\033[31m\\tc") == 0, "%s",
        cells[COLUMN_NAME].value.string_value);
    stat_cell_set_text(&cells[COLUMN_NAME], name);
    CHECK(strlen(cells[COLUMN_NAME].value.string_value) < 2000, "%zu bytes",
        strlen(cells[COLUMN_NAME].value.string_value));
    stat_cell_set_text(&cells[COLUMN_NAME], "short");
    CHECK(strcmp(cells[COLUMN_NAME].value.string_value, "short") == 0, "%s", cells[COLUMN_NAME].value.string_value);
    g_free((char *)cells[COLUMN_NAME].value.string_value);
    g_free(name);
}

/* Sentences stay below the rows, those that come later, too; each stands there once. */
static void
check_end(void)
{
    stat_tap_table_item_type cells[NUM_COLUMNS];
    const unsigned before = stat_rows_count(&rows);
    unsigned row;

    CHECK(!stat_rows_end_with(&rows, NULL) && rows.table->num_elements == before, "no sentence");
    for (unsigned i = 0; i < 2; i++) {
        CHECK(stat_rows_end_with(&rows, "no key"), "none");
        CHECK(stat_rows_end_with(&rows, "no other key"), "none");
    }
    CHECK(stat_rows_count(&rows) == before && rows.table->num_elements == before + 2, "%u", rows.table->num_elements);
    stat_cells_init(&rows, cells);
    stat_cell_set_text(&cells[COLUMN_NAME], "late");
    row = stat_rows_add(&rows, g_strdup("late"), cells);
    CHECK(row == before && stat_rows_count(&rows) == before + 1, "row %u", row);
    CHECK(strcmp(stat_rows_cells(&rows, row)[0].value.string_value, "late") == 0, "moved");
    CHECK(strcmp(rows.table->elements[row + 1][0].value.string_value, "no key") == 0, "not behind it");
    CHECK(strcmp(rows.table->elements[row + 2][0].value.string_value, "no other key") == 0, "not behind it");
    CHECK(rows.table->elements[row + 1][COLUMN_TIMES].type == TABLE_ITEM_NONE, "more than a sentence");
    for (unsigned i = 0; i < 20; i++) {
        char *text = g_strdup_printf("key %u", i);

        stat_rows_end_with(&rows, text);
        g_free(text);
    }
    CHECK(rows.table->num_elements == before + 1 + NEEDED_MAX, "%u", rows.table->num_elements);
    reset_stat_table(&rows.ui);
    CHECK(stat_rows_count(&rows) == 0 && rows.table->num_elements == 0, "not empty");
}

/* The last row takes the place of the one that is taken out, with what is kept beside it; sentences stay below. */
static void
check_removed(struct stat_rows *in)
{
    const stat_tap_table_item_type *shown = stat_rows_cells(in, 0);

    stat_rows_end_with(in, "no key");
    stat_rows_remove(in, 0);
    CHECK(stat_rows_count(in) == 1 && in->table->num_elements == 2, "%u rows", in->table->num_elements);
    check_row(in, 0, "two", 1, 5.0);
    CHECK(((const struct stat_mean *)stat_rows_state(in, 0))->sum == 5, "not its state");
    CHECK(strcmp(in->table->elements[1][COLUMN_NAME].value.string_value, "no key") == 0, "not behind it");
    CHECK(strcmp(shown[COLUMN_NAME].value.string_value, "one") == 0, "what is shown is gone");
    stat_rows_remove(in, 0);
    CHECK(stat_rows_count(in) == 0 && in->table->num_elements == 1, "%u rows", in->table->num_elements);
}

static struct stat_rows grouped = {
    .ui = { .title = "Grouped",
        .tap_name = "test",
        .cli_string = "test,grouped",
        .nfields = NUM_COLUMNS,
        .fields = columns },
    .owned = 1u << COLUMN_NAME,
    .has_groups = true,
};

/* The titles of all tables and the names in them, as they are printed. */
static char *
printed(void)
{
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; i < grouped.ui.tables->len; i++) {
        const stat_tap_table *table = g_array_index(grouped.ui.tables, const stat_tap_table *, i);

        g_string_append_printf(text, "%s:", table->title);
        for (unsigned element = 0; element < table->num_elements; element++) {
            g_string_append_printf(text, " %s", table->elements[element][COLUMN_NAME].value.string_value);
        }
        g_string_append_c(text, '|');
    }
    return g_string_free(text, FALSE);
}

static void
check_printed(const char *expected)
{
    char *text = printed();

    CHECK(strcmp(text, expected) == 0, "%s", text);
    g_free(text);
}

static void
add_to(const char *group, const char *name)
{
    stat_tap_table_item_type cells[NUM_COLUMNS];

    stat_cells_init(&grouped, cells);
    stat_cell_set_text(&cells[COLUMN_NAME], name);
    stat_rows_add_to(&grouped, group, NULL, cells);
}

/* Rows of groups: in the order in which they come, whatever group they are in; sentences behind all of them. */
static void
check_groups(void)
{
    grouped.ui.stat_tap_init_cb(&grouped.ui);
    stat_rows_end_with(&grouped, "end");
    add_to("A", "a");
    add_to("B", "b");
    add_to("A", "c");
    check_printed("Grouped:|A: a c|B: b|: end|");
    CHECK(strcmp(stat_rows_cells(&grouped, 2)[COLUMN_NAME].value.string_value, "c") == 0, "not the third");
    stat_rows_regroup(&grouped, 0, "A");
    check_printed("Grouped:|A: a c|B: b|: end|");
    /* A group without rows is gone, and the last one stands in its place. */
    stat_rows_regroup(&grouped, 0, "C");
    stat_rows_regroup(&grouped, 2, "C");
    check_printed("Grouped:|C: a c|B: b|: end|");
    stat_rows_regroup(&grouped, 1, "C");
    check_printed("Grouped:|C: a c b|: end|");
    add_to("B", "d");
    stat_rows_regroup(&grouped, 0, "B");
    check_printed("Grouped:|C: b c|B: d a|: end|");
    for (unsigned row = 0; row < 4; row++) {
        CHECK(stat_rows_cells(&grouped, row)[COLUMN_NAME].value.string_value[0] == "abcd"[row], "row %u", row);
    }
    reset_stat_table(&grouped.ui);
    check_printed("Grouped:|:|");
    add_to("B", "e");
    check_printed("Grouped:|B: e|:|");
    free_stat_tables(&grouped.ui);
}

int
main(void)
{
    stat_data_t first = { NULL, NULL }, second = { NULL, NULL };

    wmem_init_scopes();
    stat_rows_register(&rows);
    stat_rows_register(&others);
    stat_rows_register(&grouped);
    for (unsigned i = 0; i < 2; i++) {
        rows.ui.stat_tap_init_cb(&rows.ui);
        others.ui.stat_tap_init_cb(&others.ui);
        CHECK(rows.ui.tables->len == 1 && rows.table->num_elements == 0, "no empty table");
        check_counting(&rows, &first);
        check_counting(&others, &second);
        check_applied(&first);
        check_second_listener(&first, &second);
        check_keys();
        check_texts();
        check_end();
        check_row(&others, 0, "one", 2, 2.0);
        check_removed(&others);
        /* Of two tables the one that is meant. */
        reset_stat_table(&others.ui);
        CHECK(others.table->num_elements == 0, "%u rows", others.table->num_elements);
        free_stat_tables(&rows.ui);
        free_stat_tables(&others.ui);
        check_groups();
    }
    CHECK(begun == 2 * (1 + 3 * 2 + 1 + 1), "begun %u times", begun);
    return check_result();
}
