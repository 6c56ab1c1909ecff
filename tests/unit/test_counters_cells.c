/* test_counters_cells.c
 * Cells of the counters table: names and numbers that windows sort as texts, and all that files have
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/model.h"

#include <string.h>

#include <epan/wmem_scopes.h>

#include "check.h"
#include "stats/tables.h"

#define SET "\\\\PC\\Set"

static struct stat_rows *window, *data;

static void
tell_origin(const struct perf_tap_poll *poll, const struct perf_tap_value *value, struct perf_tap_origin *origin)
{
    CHECK(poll->num_values == 1 && poll->values == value, "another poll");
    *origin = (struct perf_tap_origin){
        .set = "the set",
        .set_id = "its id",
        .instance = "the instance",
        .counter = "the counter",
        .counter_id = 7,
        .known_by = "a list",
    };
}

/* A value of a counter, whose path begins with that of its set. */
static void
bring(struct stat_rows *rows, unsigned frame, const char *path, unsigned num_aggregated, struct cook_result cooked)
{
    const struct perf_tap_value value = {
        .identity = g_intern_string(path),
        .path = g_intern_string(path),
        .set_length = strlen(SET),
        .cooked = cooked,
        .num_aggregated = num_aggregated,
    };
    const struct perf_tap_poll poll = { .host = "PC", .tell = tell_origin, .num_values = 1, .values = &value };
    const packet_info packet = { .num = frame, .pool = wmem_epan_scope() };

    CHECK(counters_table.count(rows, &packet, &poll), "not drawn");
}

static const char *
cell(const struct stat_rows *rows, unsigned row, const char *key)
{
    return row < stat_rows_count(rows) ? model_cell(wmem_epan_scope(), rows, row, key) : "(no row)";
}

/* Names of one group: numbers are as wide as the widest of its numbers; other names stay as they are. */
static void
test_numbers_of_instances_are_padded_in_windows(void)
{
    static const struct {
        const char *paths[4], *names[4];
    } cases[] = {
        { { SET "(0)\\c", SET "(12)\\c" }, { "( 0)\\c", "(12)\\c" } },
        { { SET "(0)\\c", SET "(1)\\c" }, { "(0)\\c", "(1)\\c" } },
        { { SET "(0,3)\\c", SET "(12,10)\\c", SET "(1,123)\\c" }, { "(  0,  3)\\c", "( 12, 10)\\c", "(  1,123)\\c" } },
        { { SET "(0)\\c 5", SET "(12)\\c", SET "(_Total)\\c 5", SET "(7 x)\\c" },
            { "( 0)\\c 5", "(12)\\c", "(_Total)\\c 5", "(7 x)\\c" } },
        { { SET "(0)\\c", SET "(a1234)\\c", SET "\\c 1234" }, { "(0)\\c", "(a1234)\\c", "\\c 1234" } },
        { { SET "(0)\\c", SET "(1:2)\\c", SET "(1#22)\\c" }, { "(0)\\c", "(1:2)\\c", "(1#22)\\c" } },
        /* A third of a name's 60 characters at most. */
        { { SET "(0)\\c", SET "(12345678901234567890)\\c" },
            { "(                   0)\\c", "(12345678901234567890)\\c" } },
        { { SET "(0)\\c", SET "(123456789012345678901)\\c" }, { "(0)\\c", "(123456789012345678901)\\c" } },
    };

    for (unsigned i = 0; i < array_length(cases); i++) {
        stat_rows_clear(window);
        for (unsigned row = 0; row < 4 && cases[i].paths[row] != NULL; row++) {
            bring(window, 1, cases[i].paths[row], 0, (struct cook_result){ .value = 1 });
        }
        /* Drawn twice: what is padded is padded anew. */
        stat_rows_fill(window);
        bring(window, 1, cases[i].paths[0], 0, (struct cook_result){ .value = 1 });
        stat_rows_fill(window);
        for (unsigned row = 0; row < 4 && cases[i].paths[row] != NULL; row++) {
            CHECK_STRING(stat_rows_cells(window, row)[0].value.string_value, cases[i].names[row], "case %u", i);
            CHECK_STRING(cell(window, row, "path"), cases[i].paths[row], "case %u", i);
        }
    }
}

/* Without an exponent below 1e26, with 25 decimals at most. */
static void
test_windows_show_few_exponents(void)
{
    static const struct {
        double value;
        const char *digits;
    } cases[] = {
        { 1, "1.000" },
        { 1e16, "10000000000000000" },
        { -1e16, "-10000000000000000" },
        { 1e25, "10000000000000000905969664" },
        { 1e26, "1e+26" },
        { 1e100, "1e+100" },
        { 1.5e-10, "0.000000000150000" },
        { -1.5e-10, "-0.000000000150000" },
        { 1.5e-19, "0.000000000000000000150000" },
        { 1.5e-20, "0.0000000000000000000150000" },
        { 1.5e-21, "0.0000000000000000000015000" },
        { 1.5e-40, "0.0000000000000000000000000" },
    };

    for (unsigned i = 0; i < array_length(cases); i++) {
        const char *text;

        stat_rows_clear(window);
        bring(window, 1, SET "\\c", 0, (struct cook_result){ .value = cases[i].value });
        stat_rows_fill(window);
        text = cell(window, 0, "last");
        CHECK_STRING(&text[strspn(text, " ")], cases[i].digits, "case %u", i);
        CHECK_EQUAL(strspn(text, " "), cases[i].value < 0 ? strcspn(&text[strspn(text, " ")], ".") : 1, "case %u", i);
    }
}

/* Each number of a row with all its digits, as files have it. */
static void
test_files_have_all_digits_and_the_origin(void)
{
    static const struct {
        struct cook_result cooked;
        const char *digits, *mean;
    } cases[] = {
        { { .value = 0 }, "0", "0" },
        { { .value = 1.0 / 3 }, "0.3333333333333333", "0.3333333333333333" },
        { { .value = -0.5 }, "-0.5", "-0.5" },
        { { .value = 0, .is_whole = true }, "0", "0" },
        { { .value = 7, .whole = 7, .is_whole = true }, "7", "7" },
        { { .value = -7, .whole = 7, .is_whole = true }, "-7", "-7" },
        { { .value = 18446744073709551615.0, .whole = UINT64_MAX, .is_whole = true }, "18446744073709551615",
            "1.8446744073709552e+19" },
        { { .value = 255, .whole = 255, .is_whole = true, .is_hex = true }, "255", "" },
    };
    static const char *const keys[] = { "first", "last", "min", "max" };

    for (unsigned i = 0; i < array_length(cases); i++) {
        stat_rows_clear(data);
        bring(data, 5, SET "(x)\\c", 0, cases[i].cooked);
        stat_rows_fill(data);
        for (unsigned k = 0; k < array_length(keys); k++) {
            CHECK_STRING(cell(data, 0, keys[k]), cases[i].digits, "case %u: %s", i, keys[k]);
        }
        CHECK_STRING(cell(data, 0, "mean"), cases[i].mean, "case %u", i);
        CHECK_STRING(cell(data, 0, "min_frame"), "5", "case %u", i);
        CHECK_STRING(cell(data, 0, "max_frame"), "5", "case %u", i);
        CHECK_STRING(cell(data, 0, "server"), "PC", "case %u", i);
        CHECK_STRING(cell(data, 0, "counterset"), "the set", "case %u", i);
        CHECK_STRING(cell(data, 0, "counterset_id"), "its id", "case %u", i);
        CHECK_STRING(cell(data, 0, "instance"), "the instance", "case %u", i);
        CHECK_STRING(cell(data, 0, "counter"), "the counter", "case %u", i);
        CHECK_STRING(cell(data, 0, "counter_id"), "7", "case %u", i);
        CHECK_STRING(cell(data, 0, "known_by"), "a list", "case %u", i);
        CHECK_STRING(cell(data, 0, "path"), SET "(x)\\c", "case %u", i);
        CHECK_STRING(cell(data, 0, "aggregated_from"), "", "case %u", i);
    }
    for (unsigned instances = 1; instances <= 3; instances++) {
        char number[] = "0";

        number[0] = (char)('0' + instances);
        stat_rows_clear(data);
        bring(data, 5, SET "(x)\\c", instances, (struct cook_result){ .value = 1 });
        CHECK_STRING(cell(data, 0, "aggregated_from"), number, "of %u", instances);
    }
}

/* Why there is no value, as long as there is none; and frames of the extremes. */
static void
test_files_have_the_reason_until_there_is_a_value(void)
{
    static const struct {
        struct cook_result cooked;
        const char *reason, *samples, *max_frame, *min_frame;
    } polls[] = {
        { { .reason = COOK_FIRST_SAMPLE }, "first_sample", "0", "", "" },
        { { .reason = COOK_ZERO_BASE }, "zero_base", "0", "", "" },
        { { .value = 5 }, "", "1", "3", "3" },
        { { .reason = COOK_ZERO_BASE }, "", "1", "3", "3" },
        { { .value = 5 }, "", "2", "3", "3" },
        { { .value = 6 }, "", "3", "6", "3" },
        { { .value = 4 }, "", "4", "6", "7" },
        { { .value = 4 }, "", "5", "6", "7" },
    };

    stat_rows_clear(data);
    for (unsigned i = 0; i < array_length(polls); i++) {
        bring(data, 1 + i, SET "\\c", 0, polls[i].cooked);
        CHECK_STRING(cell(data, 0, "reason_code"), polls[i].reason, "poll %u", i);
        CHECK_STRING(cell(data, 0, "samples"), polls[i].samples, "poll %u", i);
        CHECK_STRING(cell(data, 0, "max_frame"), polls[i].max_frame, "poll %u", i);
        CHECK_STRING(cell(data, 0, "min_frame"), polls[i].min_frame, "poll %u", i);
    }
    CHECK_EQUAL(stat_rows_count(data), 1, "rows");
}

int
main(void)
{
    wmem_init_scopes();
    data = stat_rows_new(&counters_table, "data", "data", "Test");
    data->is_data = true;
    stat_rows_use(data);
    window = stat_rows_new(&counters_table, "window", "window", "Test");
    stat_rows_use(window);
    window->has_windows = true;
    test_numbers_of_instances_are_padded_in_windows();
    test_windows_show_few_exponents();
    test_files_have_all_digits_and_the_origin();
    test_files_have_the_reason_until_there_is_a_value();
    return check_result();
}
