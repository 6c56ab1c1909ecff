/* test_pla_text.c
 * Texts that [MS-PLA] gives a form: thresholds (2.2.10.2), file name patterns (2.2.3.1), XML; and texts too long to show
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "check.h"
#include "pla/text.h"

static wmem_allocator_t *scope;

static void
check_threshold(const char *text, const char *path, char relation, const char *value_text, bool is_number, double value)
{
    struct pla_threshold found;

    CHECK(pla_threshold_split(scope, text, &found), "%s", text);
    CHECK(strcmp(found.path, path) == 0 && found.relation == relation && strcmp(found.value_text, value_text) == 0,
        "%s: %s %c %s", text, found.path, found.relation, found.value_text);
    CHECK(found.is_number == is_number && (!is_number || found.value == value), "%s: %g", text, found.value);
}

static void
test_threshold_is_split_into_its_parts(void)
{
    struct pla_threshold found;

    check_threshold("\\Processor(_Total)\\% Processor Time>50", "\\Processor(_Total)\\% Processor Time", '>', "50",
        true, 50);
    check_threshold("\\Memory\\Available < -1.5e3 ", "\\Memory\\Available", '<', "-1.5e3", true, -1500);
    /* A name may hold either sign: the last one counts. */
    check_threshold("\\O(<a>)\\c>3", "\\O(<a>)\\c", '>', "3", true, 3);
    check_threshold("\\O\\c<>3", "\\O\\c<", '>', "3", true, 3);
    check_threshold("\\O\\c>", "\\O\\c", '>', "", false, 0);
    check_threshold("\\O\\c>12x", "\\O\\c", '>', "12x", false, 0);
    check_threshold("\\O\\c>x", "\\O\\c", '>', "x", false, 0);
    CHECK(!pla_threshold_split(scope, "\\O\\c=3", &found), "none");
    CHECK(!pla_threshold_split(scope, "", &found), "none");
}

static void
check_pattern(const char *pattern, const char *expected)
{
    const char *text = pla_pattern_text(scope, pattern);

    CHECK(strcmp(text, expected) == 0, "%s: %s", pattern, text);
}

static void
test_pattern_is_said_in_words(void)
{
    check_pattern("yyyyMMdd\\-NNNNNN",
        "year, month with 2 digits, day with 2 digits, \"-\", serial number with 6 digits");
    check_pattern("N", "serial number");
    check_pattern("DDD", "day of the year with 3 digits");
    check_pattern("D", "day of the year");
    check_pattern("DD", "DD (not a pattern)");
    check_pattern("MMMM", "month name");
    check_pattern("HHmmss", "hour with 2 digits, minute with 2 digits, second with 2 digits");
    check_pattern("hht", "hour (12-hour clock) with 2 digits, A or P");
    check_pattern("\\Web\\\\ d", "\"W\", e (not a pattern), b (not a pattern), \"\\ \", day");
    check_pattern("d\\", "day, \"\\\"");
    check_pattern("N\\-", "serial number, \"-\"");
    check_pattern("", "");
}

/* [MS-PLA] 2.2.3.1: each pattern, and the same letter once more than any has. */
static void
test_each_pattern_has_its_words(void)
{
    static const char *const patterns[][2] = {
        { "D", "day of the year" },
        { "DDD", "day of the year with 3 digits" },
        { "DDDD", "DDDD (not a pattern)" },
        { "d", "day" },
        { "dd", "day with 2 digits" },
        { "ddd", "short weekday" },
        { "dddd", "weekday" },
        { "ddddd", "ddddd (not a pattern)" },
        { "M", "month" },
        { "MM", "month with 2 digits" },
        { "MMM", "short month name" },
        { "MMMM", "month name" },
        { "MMMMM", "MMMMM (not a pattern)" },
        { "y", "year without century" },
        { "yy", "year without century with 2 digits" },
        { "yyy", "yyy (not a pattern)" },
        { "yyyy", "year" },
        { "yyyyy", "yyyyy (not a pattern)" },
        { "h", "hour (12-hour clock)" },
        { "hh", "hour (12-hour clock) with 2 digits" },
        { "hhh", "hhh (not a pattern)" },
        { "H", "hour" },
        { "HH", "hour with 2 digits" },
        { "HHH", "HHH (not a pattern)" },
        { "m", "minute" },
        { "mm", "minute with 2 digits" },
        { "mmm", "mmm (not a pattern)" },
        { "s", "second" },
        { "ss", "second with 2 digits" },
        { "sss", "sss (not a pattern)" },
        { "t", "A or P" },
        { "tt", "AM or PM" },
        { "ttt", "ttt (not a pattern)" },
        { "z", "time zone offset" },
        { "zz", "time zone offset with 2 digits" },
        { "zzz", "zzz (not a pattern)" },
        { "N", "serial number" },
        { "NN", "serial number with 2 digits" },
        { "NNN", "serial number with 3 digits" },
        { "Y", "Y (not a pattern)" },
        { "n", "n (not a pattern)" },
    };

    for (size_t i = 0; i < array_length(patterns); i++) {
        check_pattern(patterns[i][0], patterns[i][1]);
    }
}

static void
check_xml_is_recognised(const char *xml, const char *in_utf8, const char *root, const char *name)
{
    const char *found_root, *found_name, *text = pla_xml_in_utf8(scope, xml);

    CHECK(strcmp(text, in_utf8 == NULL ? xml : in_utf8) == 0, "%s: %s", xml, text);
    pla_xml_summary(scope, xml, &found_root, &found_name);
    CHECK(strcmp(found_root, root) == 0 && strcmp(found_name, name) == 0, "%s: %s %s", xml, found_root, found_name);
}

static void
test_xml_is_recognised(void)
{
    check_xml_is_recognised("<?xml version=\"1.0\" encoding=\"UTF-16\"?>\r\n<Set>\n<Name>Web</Name></Set>",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<Set>\n<Name>Web</Name></Set>", "Set", "Web");
    check_xml_is_recognised("<?xml encoding = 'utf-16' ?><A b='c'/>", "<?xml encoding = 'UTF-8' ?><A b='c'/>", "A", "");
    check_xml_is_recognised("<?xml encoding=''?><A/>", "<?xml encoding='UTF-8'?><A/>", "A", "");
    check_xml_is_recognised("<?xml version=\"1.0\"?><A>encoding=\"x\"</A>", NULL, "A", "");
    check_xml_is_recognised("<?xml encoding=utf-16?><A/>", NULL, "A", "");
    check_xml_is_recognised("<?xml version=\"1.0\"?><A/>", NULL, "A", "");
    check_xml_is_recognised("<?xml encoding=\"utf-16?><A/>", NULL, "A", "");
    check_xml_is_recognised("<A>encoding=\"x\"?></A>", NULL, "A", "");
    check_xml_is_recognised("<?xml encoding=\"utf-16?><A b=\"c\"/>", NULL, "A", "");
    check_xml_is_recognised("<!-- <No> --><!DOCTYPE x><Root\t/>", NULL, "Root", "");
    check_xml_is_recognised("<A><Name>x", NULL, "A", "x");
    check_xml_is_recognised("no XML", NULL, "", "");
    check_xml_is_recognised("", NULL, "", "");
    check_xml_is_recognised("<?xml encoding=\"a\"", NULL, "", "");
}

static void
check_long_text_is_cut_in_the_middle(const char *text, size_t max, const char *expected)
{
    const char *shown = pla_middle_text(scope, text, max);

    CHECK(strcmp(shown, expected) == 0 && strlen(shown) <= max, "%s: %s", text, shown);
}

static void
test_long_text_is_cut_in_the_middle(void)
{
    check_long_text_is_cut_in_the_middle("abcdefghijk", 11, "abcdefghijk");
    check_long_text_is_cut_in_the_middle("abcdefghijkl", 11, "abcd...ijkl");
    /* Characters of two bytes stay whole. */
    check_long_text_is_cut_in_the_middle("abc\xc3\xa4"
                                         "efgh\xc3\xa4"
                                         "kl",
        11, "abc...\xc3\xa4kl");
    check_long_text_is_cut_in_the_middle("abcdefgh\xc3\xa4"
                                         "klm",
        11, "abcd...klm");
    check_long_text_is_cut_in_the_middle("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 11,
        "\xc3\xa4\xc3\xa4...\xc3\xa4\xc3\xa4");
    /* One byte of each end has no room for any. */
    check_long_text_is_cut_in_the_middle("\xc3\xa4\xc3\xa4\xc3\xa4", 5, "...");
    check_long_text_is_cut_in_the_middle("a\nb", 11, "a\\nb");
}

int
main(void)
{
    wmem_init();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    test_threshold_is_split_into_its_parts();
    test_pattern_is_said_in_words();
    test_each_pattern_has_its_words();
    test_xml_is_recognised();
    test_long_text_is_cut_in_the_middle();
    wmem_destroy_allocator(scope);
    wmem_cleanup();
    return check_result();
}
