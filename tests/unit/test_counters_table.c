/* test_counters_table.c
 * The table of counters: what of their values counts, through what Wireshark does with a window
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "compat.h"

#include "counters/record.h"

#include <string.h>

#include <epan/plugin_if.h>
#include <epan/stat_tap_ui.h>
#include <epan/tap.h>
#include <epan/wmem_scopes.h>

#include "check.h"
#include "stats/rows.h"
#include "stats/tables.h"

enum {
    COLUMN_NAME,
    COLUMN_LAST,
    COLUMN_MAX,
    COLUMN_MEAN,
    COLUMN_MIN,
    COLUMN_SAMPLES,
    COLUMN_MAX_IN,
    COLUMN_MIN_IN,
    COLUMN_UNIT,
    COLUMN_FIRST,
    COLUMN_PATH,
    COLUMN_WHY
};

static stat_tap_table_ui *ui;
static struct stat_rows *filled; /* rows of ui, which get their digits when they are drawn */
static stat_data_t listener;
static bool shows_windows;

/* In the place of Wireshark's own, which asks a window. */
void
plugin_if_get_ws_info(ws_info_t **info)
{
    static ws_info_t answer;

    answer.ws_info_supported = shows_windows;
    *info = &answer;
}

/* Whoever made a path knows how long its beginning is. */
static size_t
set_length(const char *path)
{
    static const char *const groups[] = { "\\\\PC\\Set", "\\\\PC\\A\\B" };

    for (unsigned i = 0; i < array_length(groups); i++) {
        if (path != NULL && g_str_has_prefix(path, groups[i])) {
            return strlen(groups[i]);
        }
    }
    return 0;
}

/* A poll of that frame with that value. */
static void
bring_value(uint32_t number, const struct perf_tap_value *of)
{
    struct perf_tap_value value = *of;
    const struct perf_tap_poll poll = { .host = "PC", .query = "1", .values = &value, .num_values = 1 };
    packet_info pinfo = { .num = number, .pool = wmem_epan_scope() };

    value.set_length = set_length(value.path);
    listener.stat_tap_data = ui;
    CHECK_EQUAL(ui->packet_func(&listener, &pinfo, NULL, &poll, 0), TAP_PACKET_REDRAW, "not drawn");
}

static uint32_t cooked_in = 8; /* the frame of cooked values */

static void
bring_cooked(const char *path, struct cook_result cooked)
{
    bring_value(cooked_in,
        &(const struct perf_tap_value){ .identity = g_intern_string(path), .path = path, .cooked = cooked });
}

static void
bring(const char *path, double cooked, enum cook_reason reason, const char *text)
{
    bring_value(7,
        &(const struct perf_tap_value){ .identity = g_intern_string(path),
            .path = path,
            .text = text,
            .cooked = { .value = cooked, .reason = reason, .unit = COOK_UNIT_PER_SECOND } });
}

/* The table of a group; the last one where there is none. */
static const stat_tap_table *
table(const char *group)
{
    const stat_tap_table *found = NULL;

    for (unsigned i = 1; i < ui->tables->len && (found == NULL || strcmp(found->title, group) != 0); i++) {
        found = g_array_index(ui->tables, const stat_tap_table *, i);
    }
    return found;
}

/* A row: its name, unit, number of samples; and its numbers, of which there are none without a sample. */
static void
check_row(const char *group, unsigned row, const char *name, const char *unit, unsigned samples,
    const char *const numbers[5])
{
    static const unsigned places[5] = { COLUMN_FIRST, COLUMN_LAST, COLUMN_MIN, COLUMN_MEAN, COLUMN_MAX };
    const stat_tap_table *in = table(group);
    const stat_tap_table_item_type *cells;

    stat_rows_fill(filled);
    CHECK(strcmp(in->title, group) == 0 && row < in->num_elements, "%s: %u rows", group, in->num_elements);
    if (row >= in->num_elements) {
        return;
    }
    cells = in->elements[row];
    CHECK(strcmp(cells[COLUMN_NAME].value.string_value, name) == 0 &&
            strcmp(cells[COLUMN_UNIT].value.string_value, unit) == 0,
        "%s, %s", cells[COLUMN_NAME].value.string_value, cells[COLUMN_UNIT].value.string_value);
    CHECK(cells[COLUMN_SAMPLES].value.uint_value == samples, "%s: %u samples", name,
        cells[COLUMN_SAMPLES].value.uint_value);
    for (unsigned i = 0; i < 5; i++) {
        const stat_tap_table_item_type *cell = &cells[places[i]];

        CHECK(cell->type == TABLE_ITEM_STRING && strcmp(cell->value.string_value, samples == 0 ? "" : numbers[i]) == 0,
            "%s, number %u: %s", name, i, cell->value.string_value);
    }
    CHECK(cells[COLUMN_MAX_IN].type == (samples == 0 ? TABLE_ITEM_NONE : TABLE_ITEM_UINT), "%s: frame", name);
    /* It is for windows, which have no group beside it. */
    CHECK(strcmp(cells[COLUMN_PATH].value.string_value, "") == 0, "%s", cells[COLUMN_PATH].value.string_value);
}

/* A row whose numbers are all the same. */
static void
check_same(const char *group, unsigned row, const char *name, const char *unit, unsigned samples, const char *number)
{
    check_row(group, row, name, unit, samples, (const char *const[]){ number, number, number, number, number });
}

static const char group[] = "\\\\PC\\Set", in_group[] = "(x)\\Reads", also_in_group[] = "(x)\\Writes";
static const char reads[] = "\\\\PC\\Set(x)\\Reads", writes[] = "\\\\PC\\Set(x)\\Writes";

static void
count(void)
{
    /* First, last, min, mean, max. */
    static const char *const of_reads[] = { "5.000", "3.000", "2.000", "4.000", "6.000" };
    static const char *const of_writes[] = { "1e+100", "-1e+100", "-1e+100", "0.333", "1e+100" };
    static const char *const small[] = { "1.000", "-1e+16", "-1e+16", "0.333", "1e+16" };
    static const double value[] = { 5, 6, 2, 3, 4 };
    char copy[sizeof reads];

    memcpy(copy, reads, sizeof reads);
    for (unsigned i = 0; i < 4; i++) {
        bring(reads, value[i], COOK_OK, NULL);
    }
    bring(copy, 3 + 1, COOK_FIRST_SAMPLE, NULL);
    bring("base", 3, COOK_NOT_DISPLAYED, NULL);
    bring("text", 3, COOK_OK, "some");
    bring(NULL, 3, COOK_OK, NULL);
    bring("none yet", 3, COOK_FIRST_SAMPLE, NULL);
    bring(writes, 1e100, COOK_OK, NULL);
    bring(writes, 1, COOK_OK, NULL);
    bring(writes, -1e100, COOK_OK, NULL);
    bring("small", 1, COOK_OK, NULL);
    bring("small", 1e16, COOK_OK, NULL);
    bring("small", -1e16, COOK_OK, NULL);
    /* Zero is a value as any other. */
    bring("zero", 0, COOK_OK, NULL);
    check_same("", 2, "zero", "/s", 1, "0.000");
    bring("zero", 0, COOK_OK, NULL);
    check_same("", 2, "zero", "/s", 2, "0.000");
    /* Whole numbers that are the same as doubles are not. */
    for (unsigned i = 0; i < 3; i++) {
        static const uint64_t magnitudes[] = { 9007199254740992, 9007199254740993, 9007199254740992 };

        bring_cooked("up",
            (struct cook_result){ .value = 9007199254740992.0, .whole = magnitudes[i], .is_whole = true });
        bring_cooked("down",
            (struct cook_result){ .value = -9007199254740992.0, .whole = magnitudes[i], .is_whole = true });
    }
    stat_rows_fill(filled);
    check_row("", 3, "up", "", 3,
        (const char *const[]){ "9007199254740992", "9007199254740992", "9007199254740992",
            table("")->elements[3][COLUMN_MEAN].value.string_value, "9007199254740993" });
    check_row("", 4, "down", "", 3,
        (const char *const[]){ "-9007199254740992", "-9007199254740992", "-9007199254740993",
            table("")->elements[4][COLUMN_MEAN].value.string_value, "-9007199254740992" });
    CHECK(table(group)->num_elements == 2 && table("")->num_elements == 5, "%u rows", table("")->num_elements);
    check_row(group, 0, in_group, "/s", 4, of_reads);
    check_row("", 0, "none yet", "first sample", 0, of_reads);
    check_row(group, 1, also_in_group, "/s", 3, of_writes);
    check_row("", 1, "small", "/s", 3, small);
    /* A counterset's name may hold what parts a path. */
    bring("\\\\PC\\A\\B(x)\\Reads", 0, COOK_OK, NULL);
    check_same("\\\\PC\\A\\B", 0, in_group, "/s", 1, "0.000");
}

/* A counter is called what it was called last; the sum of instances says of how many. */
static void
call_anew(void)
{
    static const struct {
        const char *path;
        unsigned num_aggregated;
        const char *group, *name;
    } cases[] = {
        { reads, 0, group, in_group },
        { writes, 0, group, also_in_group },
        { reads, 1, group, "(x)\\Reads (aggregated from 1 instance)" },
        { reads, 2, group, "(x)\\Reads (aggregated from 2 instances)" },
        { reads, 3, group, "(x)\\Reads (aggregated from 3 instances)" },
        { reads, 1, group, "(x)\\Reads (aggregated from 1 instance)" },
        { "\\\\PC\\A\\B(x)\\Reads", 0, "\\\\PC\\A\\B", in_group },
    };

    for (unsigned i = 0; i < array_length(cases); i++) {
        bring_value(1,
            &(const struct perf_tap_value){ .identity = "one",
                .path = cases[i].path,
                .num_aggregated = cases[i].num_aggregated });
        CHECK(table(cases[i].group)->num_elements == 1, "%u: %u rows", i, table(cases[i].group)->num_elements);
        check_same(cases[i].group, 0, cases[i].name, "", i + 1, "0.000");
    }
    CHECK(ui->tables->len == 2, "%u tables", ui->tables->len);
    reset_stat_table(ui);
}

/* The largest value is that of the first frame that has it. */
static void
find_largest(void)
{
    static const struct {
        struct cook_result first, second;
        unsigned frame;
    } cases[] = {
        { { .value = 2.5 }, { .value = 2.5 }, 1 },
        { { .value = 2.5 }, { .value = 2.75 }, 2 },
        { { .value = 2.5 }, { .value = 2.25 }, 1 },
        { { .value = 5, .whole = 5, .is_whole = true }, { .value = 5, .whole = 5, .is_whole = true }, 1 },
        { { .value = 5, .whole = 5, .is_whole = true }, { .value = 5 }, 1 },
        { { .value = 5 }, { .value = 5, .whole = 5, .is_whole = true }, 1 },
        { { .value = 0, .is_whole = true }, { .value = 0, .is_whole = true }, 1 },
        { { .value = -5, .whole = 5, .is_whole = true }, { .value = -5, .whole = 5, .is_whole = true }, 1 },
        { { .value = -5, .whole = 5, .is_whole = true }, { .value = -4, .whole = 4, .is_whole = true }, 2 },
        { { .value = -5, .whole = 5, .is_whole = true }, { .value = -6, .whole = 6, .is_whole = true }, 1 },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        const stat_tap_table_item_type *cell;

        reset_stat_table(ui);
        cooked_in = 1;
        bring_cooked(reads, cases[i].first);
        cooked_in = 2;
        bring_cooked(reads, cases[i].second);
        cell = &table(group)->elements[0][COLUMN_MAX_IN];
        CHECK(cell->value.uint_value == cases[i].frame, "case %zu: in frame %u", i, cell->value.uint_value);
    }
    reset_stat_table(ui);
    cooked_in = 8;
}

/* A window sorts its cells as text: they sort as their numbers do, with all digits, negative ones first, hexadecimal last. */
static void
check_windows_get_numbers_that_sort(void)
{
    static const struct {
        const char *path;
        struct cook_result cooked;
        const char *digits;
    } ascending[] = {
        { "\\\\PC\\Set\\Low", { .value = -9007199254740993.0, .whole = 9007199254740993, .is_whole = true },
            "-9007199254740993" },
        { "\\\\PC\\Set\\Zero", { .value = 0 }, "0.000" },
        { reads, { .value = 9 }, "9.000" },
        { writes, { .value = 12.34567 }, "12.346" },
        { "\\\\PC\\Set\\High", { .value = 9007199254740993.0, .whole = 9007199254740993, .is_whole = true },
            "9007199254740993" },
        { "\\\\PC\\Set\\Flags", { .value = 255, .whole = 255, .is_whole = true, .is_hex = true }, "0xff" },
    };
    const char *before = "";
    stat_tap_table *of_group;

    shows_windows = true;
    filled = stat_rows_new(&counters_table, "window", "window", "Window");
    stat_rows_register(filled);
    ui = stat_tap_by_name("window,counters");
    ui->stat_tap_init_cb(ui);
    /* All but what is for terminals alone, as the kind has them. */
    CHECK(ui->nfields == COLUMN_WHY, "%zu columns", (size_t)ui->nfields);
    for (size_t i = 0; i < array_length(ascending); i++) {
        bring_cooked(ascending[i].path, ascending[i].cooked);
    }
    /* No table without rows stands above it: it would be an empty heading. */
    CHECK(ui->tables->len == 1, "%u tables", ui->tables->len);
    of_group = g_array_index(ui->tables, stat_tap_table *, 0);
    CHECK(strcmp(of_group->title, group) == 0 && of_group->num_elements == array_length(ascending), "%s: %u rows",
        of_group->title, of_group->num_elements);
    stat_rows_fill(filled);
    for (size_t i = 0; i < array_length(ascending); i++) {
        const stat_tap_table_item_type *cells = of_group->elements[i];
        const char *text = cells[COLUMN_LAST].value.string_value;

        CHECK(cells[COLUMN_LAST].type == TABLE_ITEM_STRING && strcmp(text, before) > 0 &&
                strcmp(&text[strspn(text, " ")], ascending[i].digits) == 0 &&
                strcmp(cells[COLUMN_PATH].value.string_value, ascending[i].path) == 0,
            "%s: \"%s\" after \"%s\"", ascending[i].path, text, before);
        before = text;
    }
    reset_stat_table(ui);
    /* A window that is drawn before the first row must have no group, since it keeps a group's first heading. */
    CHECK(ui->tables->len == 0, "%u tables", ui->tables->len);
    bring_cooked(reads, (struct cook_result){ .value = 1 });
    CHECK(ui->tables->len == 1 && strcmp(g_array_index(ui->tables, stat_tap_table *, 0)->title, group) == 0,
        "%u tables", ui->tables->len);
    free_stat_tables(ui);
}

/* What an observer was told: "begin", "poll", and of each value its row. */
static GString *observed;

static void
observe_begin(void *data)
{
    CHECK(data == &observed, "another observer");
    g_string_append(observed, "begin ");
}

static void
observe_poll(void *data, const packet_info *pinfo, const struct perf_tap_poll *poll)
{
    CHECK(data == &observed, "another poll");
    CHECK(pinfo->num != 0, "another poll");
    CHECK_EQUAL(poll->num_values, 1, "another poll");
    g_string_append(observed, "poll ");
}

static void
observe_value(void *data, unsigned row, const struct perf_tap_value *value)
{
    CHECK(data == &observed, "another observer");
    CHECK(value->path != NULL, "another observer");
    g_string_append_printf(observed, "%u ", row);
}

static void
check_observer_is_told_poll_by_poll(void)
{
    const struct counters_observer observer = { observe_begin, observe_poll, observe_value, &observed };
    struct stat_rows *rows = stat_rows_new(&counters_table, "observed", "observed", "Observed");

    observed = g_string_new(NULL);
    counters_table_observe(rows, &observer);
    ui = &rows->ui;
    ui->stat_tap_init_cb(ui);
    bring(reads, 1, COOK_OK, NULL);
    bring(writes, 1, COOK_FIRST_SAMPLE, NULL);
    bring(writes, 1, COOK_NOT_DISPLAYED, NULL);
    bring(writes, 1, COOK_TEXT, "a text");
    bring(reads, 1, COOK_OK, NULL);
    stat_rows_clear(rows);
    bring(writes, 1, COOK_OK, NULL);
    CHECK(strcmp(observed->str, "begin poll 0 poll 1 poll poll poll 0 begin poll 0 ") == 0, "%s", observed->str);
    g_string_free(observed, TRUE);
}

/* A terminal has a line for why there is no value, as long as there is none. */
static void
check_missing_value_has_its_reason(void)
{
    static const struct {
        enum cook_reason reason;
        const char *why;
    } cases[] = {
        { COOK_FIRST_SAMPLE, "first sample" },
        { COOK_ZERO_BASE, "zero base" },
        { COOK_OK, "" },
        { COOK_ZERO_BASE, "" },
    };
    struct stat_rows *rows = stat_rows_new(&counters_table, "text", "text", "Text");

    rows->is_text = true;
    ui = &rows->ui;
    ui->stat_tap_init_cb(ui);
    for (size_t i = 0; i < array_length(cases); i++) {
        const stat_tap_table_item_type *cells;

        bring(reads, 1, cases[i].reason, NULL);
        cells = stat_rows_cells(rows, 0);
        CHECK(strcmp(cells[COLUMN_WHY].value.string_value, cases[i].why) == 0 &&
                strcmp(cells[COLUMN_UNIT].value.string_value, i < 2 ? "" : "/s") == 0,
            "%zu: %s", i, cells[COLUMN_WHY].value.string_value);
    }
}

/* Where nobody looks before the end a row has no digits until then: they would be made anew with each value. */
static void
make_digits_in_the_end(void)
{
    static const unsigned columns[] = { COLUMN_FIRST, COLUMN_LAST, COLUMN_MIN, COLUMN_MEAN, COLUMN_MAX };
    static const char *const digits[][array_length(columns)] = { { "5.000", "3.000", "3.000", "4.500", "5.500" },
        { "", "", "", "", "" }, { "7.000", "7.000", "7.000", "7.000", "7.000" } };
    struct stat_rows *rows = stat_rows_new(&counters_table, "end", "end", "End");

    rows->is_text = true;
    ui = &rows->ui;
    ui->stat_tap_init_cb(ui);
    bring(reads, 5, COOK_OK, NULL);
    bring(reads, 5.5, COOK_OK, NULL);
    bring(reads, 3, COOK_OK, NULL);
    bring(writes, 3, COOK_FIRST_SAMPLE, NULL);
    bring("one", 7, COOK_OK, NULL);
    for (unsigned is_filled = 0; is_filled < 2; is_filled++) {
        for (size_t i = 0; i < array_length(columns); i++) {
            for (unsigned row = 0; row < array_length(digits); row++) {
                const stat_tap_table_item_type *cell = &stat_rows_cells(rows, row)[columns[i]];

                CHECK(cell->type == TABLE_ITEM_STRING &&
                        strcmp(cell->value.string_value, is_filled == 0 ? "" : digits[row][i]) == 0,
                    "%u, row %u, column %zu: %s", is_filled, row, i, cell->value.string_value);
            }
        }
        stat_rows_fill(rows);
    }
}

int
main(void)
{
    wmem_init_scopes();
    filled = stat_rows_new(&counters_table, "test", "test", "Test");
    stat_rows_register(filled);
    ui = stat_tap_by_name("test,counters");
    if (ui == NULL) {
        CHECK(false, "no table");
        return check_result();
    }
    for (unsigned opened = 0; opened < 2; opened++) {
        ui->stat_tap_init_cb(ui);
        for (unsigned filtered = 0; filtered < 3; filtered++) {
            count();
            reset_stat_table(ui);
            /* What comes first now came last before. */
            bring(writes, 1, COOK_OK, NULL);
            bring(reads, 2, COOK_OK, NULL);
            check_same(group, 0, also_in_group, "/s", 1, "1.000");
            check_same(group, 1, in_group, "/s", 1, "2.000");
            /* The same one again, and not the one that came after it. */
            bring(writes, 1, COOK_OK, NULL);
            bring(writes, 1, COOK_OK, NULL);
            check_same(group, 0, also_in_group, "/s", 3, "1.000");
            check_same(group, 1, in_group, "/s", 1, "2.000");
            reset_stat_table(ui);
            CHECK(ui->tables->len == 1, "%u tables", ui->tables->len);
        }
        find_largest();
        call_anew();
        count();
        free_stat_tables(ui);
    }
    check_observer_is_told_poll_by_poll();
    check_missing_value_has_its_reason();
    make_digits_in_the_end();
    check_windows_get_numbers_that_sort();
    return check_result();
}
