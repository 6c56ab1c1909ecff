/* test_csv.c
 * Texts and numbers in files: quotes, formulas, as many digits as it takes, whatever the user's language
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/csv.h"

#include <float.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "heap.h"

static GString *line;

static void
check_line(const char *what, const char *expected)
{
    CHECK(strcmp(line->str, expected) == 0, "%s: %s", what, line->str);
    g_string_truncate(line, 0);
}

static void
check_text(const char *text, const char *csv, const char *json)
{
    csv_append_text(line, text);
    check_line(text, csv);
    csv_append_json_text(line, text);
    check_line(text, json);
}

static void
check_real(double value, const char *expected)
{
    csv_append_real(line, value);
    CHECK(g_ascii_strtod(line->str, NULL) == value, "%s is another number", line->str);
    check_line("a number", expected);
}

/* How a cell of each kind is written in each form, behind another cell. */
static void
test_cells_of_each_kind_have_their_forms(void)
{
    static const struct {
        struct csv_cell cell;
        const char *forms[4]; /* by enum csv_form */
    } cases[] = {
        { { .kind = CSV_NOTHING }, { ",a key", ",", ",\"a key\":null", "" } },
        { { .kind = CSV_TEXT, .text = "a \"b\" \\ <c" },
            { ",a key", ",\"a \"\"b\"\" \\ <c\"", ",\"a key\":\"a \\\"b\\\" \\\\ \\u003cc\"",
                ",\"a key\":\"a \\\"b\\\" \\\\ \\u003cc\"" } },
        { { .kind = CSV_TEXT, .text = "=1" }, { ",a key", ",\"'=1\"", ",\"a key\":\"=1\"", ",\"a key\":\"=1\"" } },
        { { .kind = CSV_DIGITS, .text = "-1.50" }, { ",a key", ",-1.50", ",\"a key\":-1.50", ",\"a key\":-1.50" } },
        { { .kind = CSV_WHOLE, .whole = 7, .text = "no", .real = 1.5 },
            { ",a key", ",7", ",\"a key\":7", ",\"a key\":7" } },
        { { .kind = CSV_WHOLE, .whole = 7, .is_negative = true },
            { ",a key", ",-7", ",\"a key\":-7", ",\"a key\":-7" } },
        { { .kind = CSV_WHOLE }, { ",a key", ",0", ",\"a key\":0", ",\"a key\":0" } },
        { { .kind = CSV_REAL, .real = 2.5, .whole = 7 }, { ",a key", ",2.5", ",\"a key\":2.5", ",\"a key\":2.5" } },
        { { .kind = CSV_REAL }, { ",a key", ",0", ",\"a key\":0", ",\"a key\":0" } },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        for (unsigned form = 0; form < 4; form++) {
            const char *first = "", *before = ",";
            const bool is_there = cases[i].forms[form][0] != '\0';

            csv_append_cell(line, &first, "a key", &cases[i].cell, (enum csv_form)form);
            CHECK_STRING(line->str, cases[i].forms[form] + is_there, "case %zu, form %u", i, form);
            CHECK_STRING(first, is_there ? "," : "", "case %zu, form %u", i, form);
            g_string_truncate(line, 0);
            csv_append_cell(line, &before, "a key", &cases[i].cell, (enum csv_form)form);
            CHECK_STRING(line->str, cases[i].forms[form], "case %zu, form %u", i, form);
            CHECK_STRING(before, ",", "case %zu, form %u", i, form);
            g_string_truncate(line, 0);
        }
    }
}

static void
test_rows_are_cells_with_commas_between(void)
{
    static const char *const keys[] = { "a", "b", "c", "d" };
    const struct csv_cell cells[] = { csv_text(NULL), csv_whole(true, 5), csv_text(""), csv_real(true, 0.5) };
    static const char *const rows[4][5] = {
        { "", "a", "a,b", "a,b,c", "a,b,c,d" },
        { "", "", ",5", ",5,", ",5,,0.5" },
        { "", "\"a\":null", "\"a\":null,\"b\":5", "\"a\":null,\"b\":5,\"c\":null",
            "\"a\":null,\"b\":5,\"c\":null,\"d\":0.5" },
        { "", "", "\"b\":5", "\"b\":5", "\"b\":5,\"d\":0.5" },
    };

    for (unsigned form = 0; form < 4; form++) {
        for (size_t count = 0; count <= 4; count++) {
            csv_append_row(line, keys, form == CSV_KEYS ? NULL : cells, count, (enum csv_form)form);
            CHECK_STRING(line->str, rows[form][count], "form %u, %zu cells", form, count);
            g_string_truncate(line, 0);
        }
    }
    CHECK_EQUAL(csv_whole(false, 5).kind, CSV_NOTHING, "no number");
    CHECK_EQUAL(csv_real(false, 5).kind, CSV_NOTHING, "no number");
}

/* In parts of 100 ns, as Windows has them. */
static void
test_times_have_seven_digits_and_four_of_the_year(void)
{
    static const struct {
        nstime_t time;
        const char *text;
    } cases[] = {
        { { 0, 0 }, "1970-01-01T00:00:00.0000000Z" },
        { { 0, 99 }, "1970-01-01T00:00:00.0000000Z" },
        { { 0, 100 }, "1970-01-01T00:00:00.0000001Z" },
        { { 0, 10000 }, "1970-01-01T00:00:00.0000100Z" },
        { { 0, 999999999 }, "1970-01-01T00:00:00.9999999Z" },
        { { 1, 0 }, "1970-01-01T00:00:01.0000000Z" },
        { { -1, 500000000 }, "1969-12-31T23:59:59.5000000Z" },
        { { 951827696, 123456789 }, "2000-02-29T12:34:56.1234567Z" }, /* 11016 days, 12:34:56 */
        { { 951782400 + 86399, 0 }, "2000-02-29T23:59:59.0000000Z" },
        { { 951782400 + 86400, 0 }, "2000-03-01T00:00:00.0000000Z" },
        { { 253402300799, 0 }, "9999-12-31T23:59:59.0000000Z" },
        { { 253402300800, 0 }, "" },
        { { 0, -1 }, "" },
        { { 951827696, -1000 }, "" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        char *text = (char *)csv_time(NULL, &cases[i].time);

        CHECK_STRING(text, cases[i].text, "case %zu", i);
        if (text != NULL && text[0] != '\0') {
            wmem_free(NULL, text);
        }
    }
}

int
main(void)
{
    GString *long_text;

    line = g_string_new(NULL);
    /* It comes with the test (LOCPATH); by hand the system may have none. */
    CHECK(setlocale(LC_ALL, "de_DE.UTF-8") != NULL || getenv("LOCPATH") == NULL, "no German");

    check_text("", "\"\"", "\"\"");
    check_text("a \"b\"\\c", "\"a \"\"b\"\"\\c\"", "\"a \\\"b\\\"\\\\c\"");
    check_text("=1", "\"'=1\"", "\"=1\"");
    check_text("'=1", "\"''=1\"", "\"'=1\"");
    check_text("'a=", "\"'a=\"", "\"'a=\"");
    check_text("'", "\"'\"", "\"'\"");
    check_text("+1", "\"'+1\"", "\"+1\"");
    check_text("-1", "\"'-1\"", "\"-1\"");
    check_text("@1", "\"'@1\"", "\"@1\"");
    check_text("1=+-@", "\"1=+-@\"", "\"1=+-@\"");
    check_text("\t=\r\n\x07", "\"\\t=\\r\\n\\a\"", "\"\\\\t=\\\\r\\\\n\\\\a\"");
    check_text("Größe", "\"Größe\"", "\"Größe\"");
    /* A script of an HTML page ends at "</script>", even in a string: JSON has '<' by its number. */
    check_text("a<b</script>", "\"a<b</script>\"", "\"a\\u003cb\\u003c/script>\"");

    /* PDH_MAX_COUNTER_PATH is 2048. */
    long_text = g_string_new(NULL);
    for (unsigned i = 0; i < 2048; i++) {
        g_string_append_c(long_text, 'x');
    }
    csv_append_text(line, long_text->str);
    CHECK(line->len == 2048 + 2 && strspn(line->str + 1, "x") == 2048, "%u characters", (unsigned)line->len);
    g_string_truncate(line, 0);
    g_string_append_c(long_text, 'x');
    csv_append_text(line, long_text->str);
    CHECK(strspn(line->str + 1, "x") < 2049, "%u characters", (unsigned)line->len);
    g_string_truncate(line, 0);
    CHECK_HEAP((g_string_truncate(line, 0), csv_append_text(line, long_text->str)), "a shortened text is kept");
    CHECK_HEAP(wmem_free(NULL, (char *)csv_time(NULL, &(const nstime_t){ 951827696, 0 })), "a date is kept");
    g_string_truncate(line, 0);
    g_string_free(long_text, TRUE);

    csv_append_whole(line, 0, false);
    g_string_append_c(line, ' ');
    csv_append_whole(line, UINT64_MAX, false);
    g_string_append_c(line, ' ');
    csv_append_whole(line, UINT64_C(9223372036854775808), true);
    check_line("wholes", "0 18446744073709551615 -9223372036854775808");

    check_real(12.5, "12.5");
    check_real(0.1, "0.1");
    check_real(1.0 / 3, "0.3333333333333333");
    check_real(0.1 + 0.2, "0.30000000000000004");
    check_real(100, "100");
    check_real(-175, "-175");
    check_real(0, "0");
    check_real(1, "1");
    check_real(999999999999999, "999999999999999");
    check_real(1e15, "1e+15");
    check_real(123456789012345.5, "123456789012345.5");
    check_real(0.5, "0.5");
    check_real(1.5, "1.5");
    check_real(6.11e-05, "6.11e-05");
    check_real(-8.03, "-8.03");
    /* The smallest number: 4.940656458412465e-324 is it as well, but longer than it takes. */
    check_real(4.94065645841247e-324, "4.94065645841247e-324");
    check_real(DBL_MAX, "1.7976931348623157e+308");
    csv_append_real(line, -0.0);
    check_line("no number of letters", "-0");

    test_cells_of_each_kind_have_their_forms();
    test_rows_are_cells_with_commas_between();
    test_times_have_seven_digits_and_four_of_the_year();
    g_string_free(line, TRUE);
    return check_result();
}
