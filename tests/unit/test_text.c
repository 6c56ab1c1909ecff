/* test_text.c
 * Text from the wire as it may stand in a line: escaped and bounded
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "check.h"

static void
check_line(const char *text, size_t max, const char *expected)
{
    const char *line = line_text_max(NULL, text, max);
    const char *again = line_text_max(NULL, line, max);
    char *copy = line_text_copy(NULL, text, max);

    CHECK(strcmp(line, expected) == 0, "%s instead of %s", line, expected);
    CHECK(strlen(line) <= max, "%zu bytes of %zu", strlen(line), max);
    CHECK(strcmp(again, line) == 0, "%s becomes %s", line, again);
    CHECK(copy != text && strcmp(copy, line) == 0, "a copy of %s is %s", line, copy);
    wmem_free(NULL, copy);
    if (again != line) {
        wmem_free(NULL, (char *)again);
    }
    if (line != text) {
        wmem_free(NULL, (char *)line);
    }
}

/* The locales come with the test (LOCPATH); by hand the system may have none. */
static void
check_numbers_are_written_without_the_locale(void)
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
        const bool is_known = setlocale(LC_NUMERIC, locales[l]) != NULL;

        CHECK(is_known || l > 1 || getenv("LOCPATH") == NULL, "no locale %s", locales[l]);
        for (size_t i = 0; i < array_length(numbers); i++) {
            char *text = (char *)number_text(NULL, numbers[i].format, numbers[i].number);

            CHECK(strcmp(text, numbers[i].expected) == 0, "%s: %s", locales[l], text);
            wmem_free(NULL, text);
        }
    }
    setlocale(LC_NUMERIC, "C");
}

static void
check_bytes_that_are_no_characters_are_replaced(void)
{
    static const uint8_t bytes[] = { 'a', 0, 0xFF, 0xFF, 0xFE, 0xFF, 0xFD, 0xFF, 0x00, 0xDC, 'b', 0 };
    char *text = utf16_from_bytes(NULL, bytes, sizeof bytes, ENC_LITTLE_ENDIAN);

    CHECK(strcmp(text,
              "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
              "b") == 0,
        "%s", text);
    wmem_free(NULL, text);
}

static void
check_units(const uint16_t *units, unsigned count, const char *expected)
{
    uint8_t little[32], big[32];
    char *text;

    for (unsigned i = 0; i < count; i++) {
        little[2 * i] = big[2 * i + 1] = (uint8_t)units[i];
        little[2 * i + 1] = big[2 * i] = (uint8_t)(units[i] >> 8);
    }
    text = utf16_from_bytes(NULL, little, 2 * count, ENC_LITTLE_ENDIAN);
    CHECK(strcmp(text, expected) == 0, "%s instead of %s", text, expected);
    wmem_free(NULL, text);
    text = utf16_from_bytes(NULL, big, 2 * count, ENC_BIG_ENDIAN);
    CHECK(strcmp(text, expected) == 0, "%s instead of %s, big-endian", text, expected);
    wmem_free(NULL, text);
    /* Half a unit at the end is none. */
    text = utf16_from_bytes(NULL, little, 2 * count + 1, ENC_LITTLE_ENDIAN);
    CHECK(strcmp(text, expected) == 0, "%s instead of %s, and a byte", text, expected);
    wmem_free(NULL, text);
}
#define CHECK_UNITS(expected, ...) \
    check_units((const uint16_t[]){ __VA_ARGS__ }, sizeof((const uint16_t[]){ __VA_ARGS__ }) / 2, expected)

#define LOST "\xEF\xBF\xBD"
#define FACE "\xF0\x9F\x98\x80" /* U+1F600 is D83D DE00 */

static void
check_lone_surrogates_are_replaced(void)
{
    CHECK_UNITS("\xc3\xa4\xe2\x82\xac", 0xE4, 0x20AC);
    CHECK_UNITS(FACE, 0xD83D, 0xDE00);
    CHECK_UNITS("\xF4\x8F\xBF\xBD", 0xDBFF, 0xDFFD);
    CHECK_UNITS("\xF0\x90\x80\x80", 0xD800, 0xDC00);
    CHECK_UNITS(LOST FACE, 0xD83D, 0xD83D, 0xDE00);
    CHECK_UNITS(LOST "a", 0xD83D, 'a');
    CHECK_UNITS("a" LOST, 'a', 0xD83D);
    CHECK_UNITS(LOST LOST, 0xDE00, 0xD83D);
    CHECK_UNITS(FACE LOST "b", 0xD83D, 0xDE00, 0xDE00, 'b');
}

/* A terminator is a unit of zeros; room: what there is for the text and its terminator. */
static void
check_measure(const char *bytes, unsigned room, unsigned size, bool terminated)
{
    tvbuff_t *tvb = tvb_new_real_data((const uint8_t *)bytes, 16, 16);
    const struct utf16_text text = utf16_measure(tvb, 2, room);

    CHECK(text.size == size && text.terminated == terminated, "%u bytes in %u, %s", text.size, room,
        text.terminated ? "terminated" : "open");
    tvb_free(tvb);
}

static void
check_measures_count_cells_and_bytes(void)
{
    static const char three[] = "..a\0b\0c\0\0\0d\0\0\0\0\0";
    static const char zeros_between[] = "..\1\0\0\1\0\1\1\0\0\0\0\0\0\0";
    char *text;
    tvbuff_t *tvb;

    check_measure(three, 14, 6, true);
    check_measure(three, 8, 6, true);
    check_measure(three, 7, 6, false);
    check_measure(three, 6, 6, false);
    check_measure(three, 5, 4, false);
    check_measure(three, 1, 0, false);
    check_measure(three, 0, 0, false);
    check_measure(zeros_between, 14, 8, true);
    check_measure(".."
                  "\0\0"
                  "a\0\0\0\0\0\0\0\0\0\0\0",
        14, 0, true);

    /* A line of a text that is longer than any line. */
    text = g_strnfill(4 * LINE_TEXT_MAX, 'n');
    for (unsigned i = 1; i < 4 * LINE_TEXT_MAX; i += 2) {
        text[i] = '\0';
    }
    tvb = tvb_new_real_data((const uint8_t *)text, 4 * LINE_TEXT_MAX, 4 * LINE_TEXT_MAX);
    for (unsigned length = LINE_TEXT_MAX - 1; length <= LINE_TEXT_MAX + 1; length++) {
        char *line = (char *)utf16_line(NULL, tvb, 0, (struct utf16_text){ 2 * length, false }, ENC_LITTLE_ENDIAN);

        CHECK(strlen(line) == MIN(length, LINE_TEXT_MAX) &&
                g_str_has_suffix(line, length <= LINE_TEXT_MAX ? "nnn" : "n..."),
            "%zu", strlen(line));
    }
    tvb_free(tvb);
    g_free(text);
}

int
main(void)
{
    static const char plain[] = "plain";
    wmem_strbuf_t *out;

    CHECK(line_text(NULL, plain) == plain, "what prints is not copied");
    CHECK(line_text_max(NULL, plain, NAME_TEXT_MAX) == plain, "what prints is not copied");
    check_line("", 10, "");
    check_line("ten bytes.", 10, "ten bytes.");
    check_line("eleven bytes", 10, "eleven ...");
    check_line("a\tb\nc\x1b[m", 20, "a\\tb\\nc\\033[m");
    /* Characters stay whole: a-umlaut takes two bytes, the euro three. */
    check_line("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 10, "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4");
    check_line("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 10, "\xc3\xa4\xc3\xa4\xc3\xa4...");
    check_line("\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", 9, "\xe2\x82\xac\xe2\x82\xac...");
    /* Text that runs the other way, and other controls, are no characters of a line. */
    check_line("a\xe2\x80\xae"
               "b",
        20, "a\\u202Eb");
    /* Ends of lines that are no controls: line and paragraph separator. */
    check_line("a\xe2\x80\xa8"
               "b\xe2\x80\xa9\xe2\x80\xa8",
        30, "a\\u2028b\\u2029\\u2028");
    /* What escapes make longer is bounded, too. */
    check_line("\x01\x01\x01\x01\x01\x01\x01\x01", 15, "\\001\\001\\001...");
    check_line("\x01\x01\x01\x01", 15, "\\001\\001\\001...");
    check_line("\x01\x01\x01", 12, "\\001\\001\\001");
    check_line("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", 12, "...");

    check_numbers_are_written_without_the_locale();
    check_bytes_that_are_no_characters_are_replaced();
    check_lone_surrogates_are_replaced();
    check_measures_count_cells_and_bytes();
    out = wmem_strbuf_new(NULL, "<");
    line_text_append(out, "a\nb", 20);
    line_text_append(out, plain, 4);
    CHECK(strcmp(wmem_strbuf_get_str(out), "<a\\nbp...") == 0, "%s", wmem_strbuf_get_str(out));
    wmem_strbuf_destroy(out);
    return check_result();
}
