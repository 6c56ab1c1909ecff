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

    g_string_free(line, TRUE);
    return check_result();
}
