/* test_rows.c
 * The rows of statistics tables, through what Wireshark does with a window: opened, filtered anew, closed, opened again
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/rows.h"

#include <string.h>

#include <epan/plugin_if.h>
#include <epan/tap.h>

#include "check.h"

enum { COLUMN_NAME, COLUMN_TIMES, COLUMN_MEAN, NUM_COLUMNS };

static struct stat_column columns[NUM_COLUMNS] = {
    [COLUMN_NAME] = { { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Name", "%s" }, "key" },
    [COLUMN_TIMES] = { { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Times", "%u" }, "key" },
    [COLUMN_MEAN] = { { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Mean", "%f" }, "key" },
};

static bool shows_windows;

/* In the place of Wireshark's own, which asks a window. */
void
plugin_if_get_ws_info(ws_info_t **info)
{
    static ws_info_t answer;

    answer.ws_info_supported = shows_windows;
    *info = &answer;
}

/* What the tap brings. */
struct tapped {
    const char *name;
    double value;
};

static unsigned begun;
/* The second is there so that what Wireshark hands out as a table has to be told from another. */
static struct stat_rows *rows, *others;

static void
count_begins(struct stat_rows *begins)
{
    CHECK(stat_rows_count(begins) == 0, "%u rows", stat_rows_count(begins));
    begun += begins == rows;
}

static bool
count(struct stat_rows *in, const packet_info *pinfo _U_, const void *data)
{
    const struct tapped *tapped = (const struct tapped *)data;
    unsigned row;

    if (stat_rows_find_or_add(in, tapped->name, &row)) {
        stat_cell_set_text(&stat_rows_cells(in, row)[COLUMN_NAME], tapped->name);
    }
    stat_rows_cells(in, row)[COLUMN_TIMES].value.uint_value++;
    stat_cell_add_to_mean(&stat_rows_cells(in, row)[COLUMN_MEAN], (struct stat_mean *)stat_rows_state(in, row),
        tapped->value);
    return true;
}

static const struct stat_view views[] = {
    { .columns = 1u << COLUMN_NAME | 1u << COLUMN_TIMES },
    { .title = "Means", .columns = 1u << COLUMN_NAME, .below = 1u << COLUMN_MEAN },
};

static const struct stat_kind kind = {
    .name = "rows",
    .title = "Rows",
    .columns = columns,
    .num_columns = NUM_COLUMNS,
    .count = count,
    .begin = count_begins,
    .views = views,
    .num_views = 2,
    .state_size = sizeof(struct stat_mean),
};

/* The table of all rows that are in no group. */
static stat_tap_table *
table_of(const struct stat_rows *of)
{
    return g_array_index(of->ui.tables, stat_tap_table *, 0);
}

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
    CHECK(cells[COLUMN_MEAN].type == TABLE_ITEM_FLOAT && cells[COLUMN_MEAN].value.float_value == mean, "%s: %f", name,
        cells[COLUMN_MEAN].value.float_value);
}

/* Means of 1 and 3, and of 5. */
static void
check_rows_count_times_and_means(struct stat_rows *in, stat_data_t *listener)
{
    CHECK_EQUAL(bring(in, listener, "one", 1), TAP_PACKET_REDRAW, "not drawn");
    bring(in, listener, "two", 5);
    bring(in, listener, "one", 3);
    CHECK(table_of(in)->num_elements == 2, "%u rows", table_of(in)->num_elements);
    check_row(in, 0, "one", 2, 2.0);
    check_row(in, 1, "two", 1, 5.0);
}

/* Apply, three times: the window shows the rows it has until it is drawn anew. */
static void
check_window_shows_its_rows_until_drawn_anew(stat_data_t *listener)
{
    for (unsigned i = 0; i < 3; i++) {
        const stat_tap_table_item_type *shown = stat_rows_cells(rows, 0);

        reset_stat_table(&rows->ui);
        CHECK(table_of(rows)->num_elements == 0, "%u rows", table_of(rows)->num_elements);
        CHECK_STRING(shown[COLUMN_NAME].value.string_value, "one", "what is shown is gone");
        reset_stat_table(&rows->ui);
        CHECK_STRING(shown[COLUMN_NAME].value.string_value, "one", "what is shown is gone");
        check_rows_count_times_and_means(rows, listener);
    }
}

/* Rows that were shown are kept until they can't be any more: with one window from one reset to the next. */
static void
check_rows_shown_are_kept_until_the_next_reset(stat_data_t *listener)
{
    static const struct {
        int windows;
        unsigned kept; /* of two rows a reset */
    } resets[] = { { 0, 2 }, { 1, 2 }, { 1, 2 }, { 2, 4 }, { 2, 6 }, { 1, 2 } };

    for (size_t i = 0; i < sizeof resets / sizeof resets[0]; i++) {
        rows->ui.refcount = resets[i].windows;
        /* A group without rows beside theirs. */
        stat_rows_end_with(rows, &(struct key_needed){ KEY_KEYTAB, "no key" });
        reset_stat_table(&rows->ui);
        CHECK(rows->retired->len == resets[i].kept, "%zu: %u rows", i, rows->retired->len);
        /* Without rows nothing was drawn since. */
        reset_stat_table(&rows->ui);
        CHECK(rows->retired->len == resets[i].kept, "%zu: %u rows", i, rows->retired->len);
        check_rows_count_times_and_means(rows, listener);
    }
    /* A single row was drawn, too. */
    reset_stat_table(&rows->ui);
    bring(rows, listener, "one", 1);
    reset_stat_table(&rows->ui);
    CHECK(rows->retired->len == 1, "%u rows", rows->retired->len);
    check_rows_count_times_and_means(rows, listener);
    rows->ui.refcount = 0;
}

/* A -z or a window of the same table beside the first counts nothing twice; it does once the first is gone. */
static void
check_second_listener_counts_nothing_twice(stat_data_t *first, stat_data_t *second)
{
    CHECK_EQUAL(bring(rows, second, "one", 9), TAP_PACKET_DONT_REDRAW, "drawn");
    check_row(rows, 0, "one", 2, 2.0);
    rows->ui.stat_tap_init_cb(&rows->ui);
    check_rows_count_times_and_means(rows, second);
    CHECK_EQUAL(bring(rows, first, "one", 9), TAP_PACKET_DONT_REDRAW, "drawn");
}

static void
check_row_is_found_by_its_key(void)
{
    unsigned row = 99;

    stat_rows_add_key(rows, "another name", 1);
    CHECK(stat_rows_find(rows, "another name", &row) && row == 1, "row %u", row);
    stat_rows_remove_key(rows, "two");
    CHECK(!stat_rows_find(rows, "two", &row), "found");
    CHECK(stat_rows_find(rows, "another name", &row) && row == 1, "row %u", row);
}

static void
check_cells_show_numbers_with_units(void)
{
    const unsigned row = stat_rows_add(rows, NULL, NULL);
    stat_tap_table_item_type *cells = stat_rows_cells(rows, row);
    char *name = g_strnfill(100000, 'x');

    CHECK(strcmp(cells[COLUMN_NAME].value.string_value, "") == 0, "%s", cells[COLUMN_NAME].value.string_value);
    CHECK_EQUAL(cells[COLUMN_TIMES].type, TABLE_ITEM_UINT, "no zero");
    CHECK_EQUAL(cells[COLUMN_TIMES].value.uint_value, 0, "no zero");
    CHECK_EQUAL(cells[COLUMN_MEAN].type, TABLE_ITEM_NONE, "a mean of nothing");
    stat_cell_set_text(&cells[COLUMN_NAME], "a\nb\033[31m\tc");
    CHECK(strcmp(cells[COLUMN_NAME].value.string_value, "a\\nb\\033[31m\\tc") == 0, "%s",
        cells[COLUMN_NAME].value.string_value);
    stat_cell_set_text(&cells[COLUMN_NAME], name);
    CHECK(strlen(cells[COLUMN_NAME].value.string_value) < 2000, "%zu bytes",
        strlen(cells[COLUMN_NAME].value.string_value));
    stat_cell_set_text(&cells[COLUMN_NAME], "short");
    CHECK(strcmp(cells[COLUMN_NAME].value.string_value, "short") == 0, "%s", cells[COLUMN_NAME].value.string_value);
    stat_rows_remove(rows, row);
    g_free(name);
}

static const char *
title_of(const struct stat_rows *in, unsigned table)
{
    return g_array_index(in->ui.tables, stat_tap_table *, table)->title;
}

/* Sentences are titles of groups without rows; each stands there once. */
static void
check_sentences_stand_at_the_end(void)
{
    const unsigned before = stat_rows_count(rows);

    CHECK(!stat_rows_end_with(rows, NULL), "no sentence");
    CHECK_EQUAL(rows->ui.tables->len, 1, "no sentence");
    for (unsigned i = 0; i < 2; i++) {
        CHECK(stat_rows_end_with(rows, &(struct key_needed){ KEY_KEYTAB, "no key" }), "none");
        CHECK(stat_rows_end_with(rows, &(struct key_needed){ KEY_KEYTAB, "no other key" }), "none");
    }
    CHECK(stat_rows_count(rows) == before && table_of(rows)->num_elements == before && rows->ui.tables->len == 3, "%u",
        rows->ui.tables->len);
    CHECK(strcmp(title_of(rows, 1), "no key") == 0 && strcmp(title_of(rows, 2), "no other key") == 0, "%s",
        title_of(rows, 1));
    CHECK_EQUAL(stat_rows_add(rows, NULL, "late"), before, "not in its place");
    CHECK_EQUAL(table_of(rows)->num_elements, before + 1, "not in its place");
    for (unsigned i = 0; i < 20; i++) {
        char *text = g_strdup_printf("key %u", i);

        stat_rows_end_with(rows, &(struct key_needed){ KEY_KEYTAB, text });
        g_free(text);
    }
    CHECK(rows->ui.tables->len == 1 + NEEDED_MAX, "%u", rows->ui.tables->len);
    reset_stat_table(&rows->ui);
    CHECK_EQUAL(stat_rows_count(rows), 0, "not empty");
    CHECK_EQUAL(table_of(rows)->num_elements, 0, "not empty");
    CHECK_EQUAL(rows->ui.tables->len, 1, "not empty");
}

/* A table's own sentences say something, something else, nothing, and something again. */
static void
check_sentence_is_replaced_or_taken_back(void)
{
    CHECK_EQUAL(stat_rows_add_sentence(rows), 0, "not numbered");
    CHECK_EQUAL(stat_rows_add_sentence(rows), 1, "not numbered");
    CHECK_STRING(stat_rows_sentence(rows, 0), "", "said something");
    CHECK_EQUAL(rows->ui.tables->len, 1, "said something");
    stat_rows_set_sentence(rows, 1, "second");
    stat_rows_set_sentence(rows, 0, "a\nb");
    CHECK(strcmp(title_of(rows, 1), "second") == 0 && strcmp(title_of(rows, 2), "a\\nb") == 0, "%s", title_of(rows, 2));
    stat_rows_set_sentence(rows, 1, "other");
    CHECK(strcmp(stat_rows_sentence(rows, 1), "other") == 0 && rows->ui.tables->len == 3, "%s",
        stat_rows_sentence(rows, 1));
    stat_rows_set_sentence(rows, 1, "");
    CHECK(strcmp(stat_rows_sentence(rows, 1), "") == 0 && rows->ui.tables->len == 2, "%u", rows->ui.tables->len);
    CHECK(strcmp(stat_rows_sentence(rows, 0), "a\\nb") == 0, "%s", stat_rows_sentence(rows, 0));
    stat_rows_set_sentence(rows, 1, "again");
    CHECK(strcmp(title_of(rows, 2), "again") == 0 && stat_rows_count(rows) == 0, "%s", title_of(rows, 2));
    reset_stat_table(&rows->ui);
    CHECK(rows->ui.tables->len == 1, "%u", rows->ui.tables->len);
}

/* The last row takes the place of the one that is taken out, with what is kept beside it. */
static void
check_last_row_takes_the_place_of_the_removed(struct stat_rows *in)
{
    const stat_tap_table_item_type *shown = stat_rows_cells(in, 0);

    stat_rows_end_with(in, &(struct key_needed){ KEY_KEYTAB, "no key" });
    stat_rows_remove(in, 0);
    CHECK(stat_rows_count(in) == 1 && table_of(in)->num_elements == 1, "%u rows", table_of(in)->num_elements);
    check_row(in, 0, "two", 1, 5.0);
    CHECK(((const struct stat_mean *)stat_rows_state(in, 0))->sum == 5, "not its state");
    CHECK_STRING(shown[COLUMN_NAME].value.string_value, "one", "what is shown is gone");
    stat_rows_remove(in, 0);
    CHECK(stat_rows_count(in) == 0 && table_of(in)->num_elements == 0, "%u rows", table_of(in)->num_elements);
}

static struct stat_rows *grouped;

/* The titles of all tables and the names in them. */
static char *
printed(void)
{
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; i < grouped->ui.tables->len; i++) {
        const stat_tap_table *table = g_array_index(grouped->ui.tables, const stat_tap_table *, i);

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
    const unsigned row = stat_rows_add(grouped, group, name);

    stat_cell_set_text(&stat_rows_cells(grouped, row)[COLUMN_NAME], name);
}

/* Rows of groups: in the order in which they come, whatever group they are in; sentences stand where they were made. */
static void
check_rows_stand_in_their_groups(void)
{
    char *others_texts[20];

    grouped->ui.stat_tap_init_cb(&grouped->ui);
    stat_rows_end_with(grouped, &(struct key_needed){ KEY_KEYTAB, "end" });
    add_to("A", "a");
    add_to("B", "b");
    add_to("A", "c");
    check_printed("Grouped Rows:|end:|A: a c|B: b|");
    CHECK_STRING(stat_rows_cells(grouped, 2)[COLUMN_NAME].value.string_value, "c", "not the third");
    stat_rows_regroup(grouped, 0, "A");
    check_printed("Grouped Rows:|end:|A: a c|B: b|");
    /* A group without rows is gone, and the last one stands in its place. */
    stat_rows_regroup(grouped, 0, "C");
    stat_rows_regroup(grouped, 2, "C");
    check_printed("Grouped Rows:|end:|C: a c|B: b|");
    stat_rows_regroup(grouped, 1, "C");
    check_printed("Grouped Rows:|end:|C: a c b|");
    add_to("B", "d");
    stat_rows_regroup(grouped, 0, "B");
    check_printed("Grouped Rows:|end:|C: b c|B: d a|");
    for (unsigned row = 0; row < 4; row++) {
        CHECK(stat_rows_cells(grouped, row)[COLUMN_NAME].value.string_value[0] == "abcd"[row], "row %u", row);
    }
    reset_stat_table(&grouped->ui);
    check_printed("Grouped Rows:|");
    add_to("B", "e");
    check_printed("Grouped Rows:|B: e|");
    reset_stat_table(&grouped->ui);
    /* The table of rows in no group stays when the last one leaves it. */
    add_to(NULL, "a");
    check_printed("Grouped Rows: a|");
    stat_rows_regroup(grouped, 0, "A");
    check_printed("Grouped Rows:|A: a|");
    reset_stat_table(&grouped->ui);
    /* The last row, which is the first of its group, is taken out; later its group takes another one's place. */
    add_to("B", "a");
    add_to("A", "b");
    add_to("A", "c");
    add_to("A", "d");
    stat_rows_regroup(grouped, 1, "C");
    stat_rows_regroup(grouped, 1, "A");
    check_printed("Grouped Rows:|B: a|A: d c b|");
    stat_rows_remove(grouped, 3);
    check_printed("Grouped Rows:|B: a|A: b c|");
    stat_rows_regroup(grouped, 0, "A");
    check_printed("Grouped Rows:|A: b c a|");
    stat_rows_regroup(grouped, 1, "D");
    check_printed("Grouped Rows:|A: a c|D: b|");
    reset_stat_table(&grouped->ui);
    /* The place of one that is taken out is the last one's, in a group of its own. */
    add_to("A", "a");
    add_to("A", "b");
    add_to("B", "c");
    stat_rows_remove(grouped, 0);
    stat_rows_regroup(grouped, 0, "A");
    check_printed("Grouped Rows:|A: b c|");
    add_to("B", "d");
    stat_rows_regroup(grouped, 2, "A");
    check_printed("Grouped Rows:|A: b c d|");
    reset_stat_table(&grouped->ui);
    /* Where the title of a group stood that is gone, another text may stand that is the same. */
    add_to("A", "a");
    add_to("B", "b");
    add_to("B", "c");
    stat_rows_regroup(grouped, 0, "B");
    for (unsigned i = 0; i < array_length(others_texts); i++) {
        others_texts[i] = g_strdup("A");
    }
    stat_rows_regroup(grouped, 1, "A");
    check_printed("Grouped Rows:|B: a c|A: b|");
    for (unsigned i = 0; i < array_length(others_texts); i++) {
        g_free(others_texts[i]);
    }
    free_stat_tables(&grouped->ui);
}

/* A window shows a title for each group, if there are several: none is without rows. */
static void
check_groups_of_windows(void)
{
    grouped->ui.stat_tap_init_cb(&grouped->ui);
    grouped->has_windows = true;
    add_to("A", "a");
    check_printed("A: a|");
    stat_rows_regroup(grouped, 0, "B");
    check_printed("B: a|");
    add_to("C", "b");
    check_printed("B: a|C: b|");
    stat_rows_regroup(grouped, 0, "C");
    check_printed("C: b a|");
    stat_rows_end_with(grouped, &(struct key_needed){ KEY_KEYTAB, "end" });
    add_to("D", "c");
    check_printed("C: b a|end:|D: c|");
    /* One that is gone comes again. */
    add_to("B", "d");
    check_printed("C: b a|end:|D: c|B: d|");
    reset_stat_table(&grouped->ui);
    /* A window that is drawn now keeps no heading but those of rows. */
    check_printed("");
    stat_rows_end_with(grouped, &(struct key_needed){ KEY_KEYTAB, "end" });
    add_to("C", "a");
    check_printed("C: a|end:|");
    /* One whose rows were taken out keeps its title. */
    stat_rows_remove(grouped, 0);
    add_to("D", "b");
    check_printed("C:|end:|D: b|");
    add_to("C", "c");
    check_printed("C: c|end:|D: b|");
    /* A row that is in no group. */
    reset_stat_table(&grouped->ui);
    add_to(NULL, "a");
    add_to("A", "b");
    check_printed("Grouped Rows: a|A: b|");
    grouped->has_windows = false;
    free_stat_tables(&grouped->ui);
}

static const struct stat_kind text_kind = {
    .name = "text",
    .title = "Text",
    .columns = columns,
    .num_columns = NUM_COLUMNS,
    .views = views,
    .num_views = 2,
    .frames = 1u << COLUMN_TIMES,
};

/* What a terminal shows: columns as wide as their texts in cells, not in bytes; below a machine its groups. */
static void
check_terminal_columns_are_as_wide_as_their_cells(void)
{
    static const struct {
        const char *group, *name;
        unsigned times;
        double mean;
    } told[] = {
        { "\\\\PC\\One", "Z\303\274rich", 0, 0 },
        { "\\\\OTHER\\One", "\346\235\261\344\272\254", 12345678, 0 },
        { "\\\\PC\\Two", "x", 3, 1.5 },
    };
    struct stat_rows *text = stat_rows_new(&text_kind, "text", "test", "In");

    text->is_text = true;
    text->ui.stat_tap_init_cb(&text->ui);
    for (unsigned i = 0; i < 3; i++) {
        stat_tap_table_item_type *cells = stat_rows_cells(text, stat_rows_add(text, told[i].group, NULL));

        stat_cell_set_text(&cells[COLUMN_NAME], told[i].name);
        cells[COLUMN_TIMES].value.uint_value = told[i].times;
        if (told[i].mean != 0) {
            stat_cell_set_real(&cells[COLUMN_MEAN], told[i].mean);
        }
    }
    stat_rows_end_with(text, &(struct key_needed){ KEY_KEYTAB, "That is all." });
    stat_rows_write_text(text);
    CHECK(strcmp(text->heads.column_name, "Name   |   Times") == 0, "%s", text->heads.column_name);
    CHECK(strcmp(g_array_index(text->ui.tables, stat_tap_table *, 0)->title,
              "\\\\PC\nOne\nZ\303\274rich |         |\nTwo\nx      |       3 |\n"
              "\\\\OTHER\nOne\n\346\235\261\344\272\254   |12345678 |\n"
              "Means:\nName   |\n\\\\PC\nOne\nZ\303\274rich |\nTwo\nx      |\n    Mean: 1.500000\n"
              "\\\\OTHER\nOne\n\346\235\261\344\272\254   |\nThat is all.") == 0,
        "%s", g_array_index(text->ui.tables, stat_tap_table *, 0)->title);
}

/* In place of Wireshark's menus and of its "-z": what stands in ours, and what was opened. */
static char shown_menu[200], opened[100];
static int protocol = -1;
static bool is_taken;
static unsigned started;
static ext_menubar_action_cb act;
static void *acts_on;

int
proto_get_id_by_filter_name(const char *name)
{
    CHECK(strcmp(name, "perflibv2") == 0, "%s", name);
    return protocol;
}

static void
add_to_menu(const char *text)
{
    g_strlcat(shown_menu, text, sizeof shown_menu);
}

ext_menu_t *
ext_menubar_register_menu(int proto, const char *label, perflib_bool is_plugin)
{
    CHECK(proto == protocol && is_plugin, "%d", proto);
    add_to_menu(label);
    return (ext_menu_t *)shown_menu;
}

ext_menu_t *
ext_menubar_set_parentmenu(ext_menu_t *menu, const char *parent)
{
    add_to_menu(" in ");
    add_to_menu(parent);
    return menu;
}

void
ext_menubar_add_entry(ext_menu_t *menu, const char *label, const char *tip _U_, ext_menubar_action_cb callback,
    void *data)
{
    CHECK(menu == (ext_menu_t *)shown_menu, "another menu");
    add_to_menu("|");
    add_to_menu(label);
    if (data == rows) {
        act = callback;
        acts_on = data;
    }
}

void
ext_menubar_add_separator(ext_menu_t *menu)
{
    CHECK(menu == (ext_menu_t *)shown_menu, "another menu");
    add_to_menu("|--");
}

perflib_bool
process_stat_cmd_arg(const char *argument)
{
    g_strlcpy(opened, argument, sizeof opened);
    return is_taken;
}

#if PERFLIB_WIRESHARK_AT_LEAST(4, 5)
bool
#else
void
#endif
start_requested_stats(void)
{
    started++;
#if PERFLIB_WIRESHARK_AT_LEAST(4, 5)
    return true;
#endif
}

/* A line between the tables of two protocols, of which one may be called as another begins; each opens as "-z" does. */
static void
check_menu_parts_the_protocols(void)
{
    static struct stat_kind more;

    more = kind;
    more.name = "more";
    stat_rows_register(stat_rows_new(&more, "grouped", "test", "Grouped"));
    stat_rows_register(stat_rows_new(&more, "group", "test", "Group"));
    stat_rows_register(stat_rows_new(&more, "groups", "test", "Groups"));
    stat_rows_make_menu();
    CHECK(shown_menu[0] == '\0', "%s", shown_menu);
    protocol = 7;
    stat_rows_make_menu();
    CHECK(strcmp(shown_menu,
              "Performance Counters in Statistics|Test Rows|--|Other Rows|--|Grouped Rows|Grouped Rows|--|Group Rows"
              "|--|Groups Rows") == 0,
        "%s", shown_menu);
    for (unsigned i = 0; i < 2; i++) {
        is_taken = i == 1;
        act(EXT_MENUBAR_QT_GUI, NULL, acts_on);
        CHECK(strcmp(opened, "test,rows") == 0 && started == i, "%s: %u", opened, started);
    }
}

int
main(void)
{
    stat_data_t first = { NULL, NULL }, second = { NULL, NULL };

    wmem_init_scopes();
    rows = stat_rows_new(&kind, "test", "test", "Test");
    others = stat_rows_new(&kind, "other", "test", "Other");
    grouped = stat_rows_new(&kind, "grouped", "test", "Grouped");
    stat_rows_register(rows);
    stat_rows_register(others);
    stat_rows_register(grouped);
    check_terminal_columns_are_as_wide_as_their_cells();
    /* Of tables that nobody has opened yet, too, the one that is meant. */
    check_rows_stand_in_their_groups();
    for (unsigned i = 0; i < 2; i++) {
        rows->ui.stat_tap_init_cb(&rows->ui);
        others->ui.stat_tap_init_cb(&others->ui);
        CHECK_EQUAL(rows->ui.tables->len, 1, "no empty table");
        CHECK_EQUAL(table_of(rows)->num_elements, 0, "no empty table");
        check_rows_count_times_and_means(rows, &first);
        check_rows_count_times_and_means(others, &second);
        check_window_shows_its_rows_until_drawn_anew(&first);
        check_rows_shown_are_kept_until_the_next_reset(&first);
        check_second_listener_counts_nothing_twice(&first, &second);
        check_row_is_found_by_its_key();
        check_cells_show_numbers_with_units();
        check_sentences_stand_at_the_end();
        check_sentence_is_replaced_or_taken_back();
        check_row(others, 0, "one", 2, 2.0);
        check_last_row_takes_the_place_of_the_removed(others);
        /* Of two tables the one that is meant. */
        reset_stat_table(&others->ui);
        CHECK(table_of(others)->num_elements == 0, "%u rows", table_of(others)->num_elements);
        free_stat_tables(&rows->ui);
        free_stat_tables(&others->ui);
        check_rows_stand_in_their_groups();
        check_groups_of_windows();
    }
    check_menu_parts_the_protocols();
    CHECK(begun == 2 * (1 + 3 * 2 + 6 * 2 + 2 + 1 + 1 + 1), "begun %u times", begun);
    return check_result();
}
