/* test_text.c
 * Text from the wire as it may stand in a line: escaped and bounded
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <locale.h>
#include <string.h>

#include "base/text.h"
#include "check.h"

static void
check_line(const char *text, size_t max, const char *expected)
{
    const char *line = line_text_max(NULL, text, max);
    const char *again = line_text_max(NULL, line, max);

    CHECK(strcmp(line, expected) == 0, "%s instead of %s", line, expected);
    CHECK(strlen(line) <= max, "%zu bytes of %zu", strlen(line), max);
    CHECK(strcmp(again, line) == 0, "%s becomes %s", line, again);
    if (again != line) {
        wmem_free(NULL, (char *)again);
    }
    if (line != text) {
        wmem_free(NULL, (char *)line);
    }
}

/* Where the system has no such locale there is nothing to go wrong. */
static void
check_numbers(void)
{
    static const struct {
        const char *format;
        double number;
        const char *expected;
    } numbers[] = {
        { "%.3f", 12.3, "12.300" },
        { "%.6g", 1e-9, "1e-09" },
        { "%.17g", 0.1, "0.10000000000000001" },
        { "%.0f", -1e22, "-10000000000000000000000" },
    };
    static const char *const locales[] = { "C", "de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8" };

    for (size_t l = 0; l < array_length(locales); l++) {
        setlocale(LC_NUMERIC, locales[l]);
        for (size_t i = 0; i < array_length(numbers); i++) {
            char *text = (char *)number_text(NULL, numbers[i].format, numbers[i].number);

            CHECK(strcmp(text, numbers[i].expected) == 0, "%s: %s", locales[l], text);
            wmem_free(NULL, text);
        }
    }
    setlocale(LC_NUMERIC, "C");
}

static void
check_no_characters(void)
{
    static const uint8_t bytes[] = { 'a', 0, 0xFF, 0xFF, 0xFE, 0xFF, 0xFD, 0xFF, 0x00, 0xDC, 'b', 0 };
    char *text = utf16_from_bytes(NULL, bytes, sizeof bytes, ENC_LITTLE_ENDIAN);

    CHECK(strcmp(text, "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD" "b") == 0, "%s", text);
    wmem_free(NULL, text);
}

int
main(void)
{
    static const char plain[] = "plain";
    wmem_strbuf_t *out;

    CHECK(line_text(NULL, plain) == plain, "what prints is not copied");
    CHECK(name_text(NULL, plain) == plain, "what prints is not copied");
    check_line("", 10, "");
    check_line("ten bytes.", 10, "ten bytes.");
    check_line("eleven bytes", 10, "eleven ...");
    check_line("a\tb\nc\x1b[m", 20, "a\\tb\\nc\\033[m");
    /* Characters stay whole: a-umlaut takes two bytes, the euro three. */
    check_line("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 10, "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4");
    check_line("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 10, "\xc3\xa4\xc3\xa4\xc3\xa4...");
    check_line("\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", 9, "\xe2\x82\xac\xe2\x82\xac...");
    /* Text that runs the other way, and other controls, are no characters of a line. */
    check_line("a\xe2\x80\xae" "b", 20, "a\\u202Eb");
    /* What escapes make longer is bounded, too. */
    check_line("\x01\x01\x01\x01\x01\x01\x01\x01", 15, "\\001\\001\\001...");
    check_line("\x01\x01\x01\x01", 15, "\\001\\001\\001...");
    check_line("\x01\x01\x01", 12, "\\001\\001\\001");
    check_line("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", 12, "...");

    check_numbers();
    check_no_characters();
    out = wmem_strbuf_new(NULL, "<");
    line_text_append(out, "a\nb", 20);
    line_text_append(out, plain, 4);
    CHECK(strcmp(wmem_strbuf_get_str(out), "<a\\nbp...") == 0, "%s", wmem_strbuf_get_str(out));
    wmem_strbuf_destroy(out);
    return check_result();
}
