/* text.c
 * Text from the wire: UTF-16 of NDR strings and buffers, and printable text
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/text.h"

#if WIRESHARK_VERSION_MAJOR == 4 && WIRESHARK_VERSION_MINOR == 0
#include <epan/strutil.h>
#else
#include <wsutil/str_util.h>
#endif

#define REPLACEMENT_CHARACTER 0xFFFD

struct utf16_text
utf16_measure_bytes(const uint8_t *bytes, unsigned room)
{
    const unsigned size = room & ~1u;

    for (unsigned i = 0; i < size; i += 2) {
        if (bytes[i] == 0 && bytes[i + 1] == 0) {
            return (struct utf16_text){ i, true };
        }
    }
    return (struct utf16_text){ size, false };
}

struct utf16_text
utf16_measure(tvbuff_t *tvb, unsigned offset, unsigned room)
{
    return room < 2 ? (struct utf16_text){ 0, false }
                    : utf16_measure_bytes(tvb_get_ptr(tvb, (int)offset, (int)(room & ~1u)), room);
}

/*
 * Does not use Wireshark's conversion: 4.0 loses the character after an unpaired high surrogate, and names must be
 * equal in all versions.
 */
char *
utf16_from_bytes(wmem_allocator_t *scope, const uint8_t *bytes, unsigned size, unsigned encoding)
{
    const unsigned low = encoding & ENC_LITTLE_ENDIAN ? 0 : 1;
    wmem_strbuf_t *utf8 = wmem_strbuf_new(scope, NULL);
    gunichar high = 0;

    for (unsigned i = 0; i + 1 < size; i += 2) {
        const gunichar unit = (gunichar)(bytes[i + low] | bytes[i + 1 - low] << 8);
        const bool is_low = (unit & 0xFC00) == 0xDC00;

        if (high != 0) {
            wmem_strbuf_append_unichar(utf8,
                is_low ? 0x10000 + ((high & 0x3FF) << 10 | (unit & 0x3FF)) : REPLACEMENT_CHARACTER);
            high = 0;
            if (is_low) {
                continue;
            }
        }
        if ((unit & 0xFC00) == 0xD800) {
            high = unit;
        } else {
            /* U+FFFE and U+FFFF are not allowed in XML: PDML would be malformed. */
            wmem_strbuf_append_unichar(utf8, is_low || unit >= 0xFFFE ? REPLACEMENT_CHARACTER : unit);
        }
    }
    if (high != 0) {
        wmem_strbuf_append_unichar(utf8, REPLACEMENT_CHARACTER);
    }
    return wmem_strbuf_finalize(utf8);
}

const char *
utf16_get(wmem_allocator_t *scope, tvbuff_t *tvb, unsigned offset, struct utf16_text text, unsigned encoding)
{
    return utf16_from_bytes(scope, text.size > 0 ? tvb_get_ptr(tvb, (int)offset, (int)text.size) : NULL, text.size,
        encoding);
}

/* Returns the length of the longest beginning of text that has at most max bytes and only complete characters. */
static size_t
whole_characters(const char *text, size_t max)
{
    const char *last = g_utf8_find_prev_char(text, text + max + 1);

    return last == NULL ? 0 : (size_t)(last - text);
}

/*
 * Returns the number of leading bytes that need no escape. If text[result] is NUL, the whole text is printable. Reads
 * at most max + 1 bytes.
 */
static size_t
plain_length(const char *text, size_t max)
{
    size_t length = 0;

    while (length <= max && g_ascii_isprint(text[length])) {
        length++;
    }
    return length;
}

char *
text_replace(wmem_allocator_t *scope, char *text, const char *from, const char *to)
{
    char **parts, *joined, *replaced;

    if (strstr(text, from) == NULL) {
        return text;
    }
    parts = g_strsplit(text, from, -1);
    joined = g_strjoinv(to, parts);
    replaced = wmem_strdup(scope, joined);
    g_free(joined);
    g_strfreev(parts);
    wmem_free(scope, text);
    return replaced;
}

/*
 * Returns the first length bytes, escaped. Wireshark considers U+2028 and U+2029 printable, but line-oriented programs
 * treat them as line ends.
 */
static char *
escape(wmem_allocator_t *scope, const char *text, size_t length)
{
    /* The cast to void * fits all versions: the parameter became signed after 4.0. */
    char *escaped = format_text(scope, (const void *)text, length);

    escaped = text_replace(scope, escaped, "\xe2\x80\xa8", "\\u2028");
    return text_replace(scope, escaped, "\xe2\x80\xa9", "\\u2029");
}

#define ELLIPSIS     "..."
/* Maximum growth of one byte: an invalid byte becomes "\377" or U+FFFD, a character of two bytes "\u0085". */
#define ESCAPED_BYTE 4

const char *
line_text_max(wmem_allocator_t *scope, const char *text, size_t max)
{
    const size_t plain = plain_length(text, max), room = max - strlen(ELLIPSIS);
    size_t length;
    char *escaped;

    if (plain <= max && text[plain] == '\0') {
        return text;
    }
    for (length = plain; length <= max && text[length] != '\0';) {
        length++;
    }
    if (length <= max) {
        escaped = escape(scope, text, length);
        if (strlen(escaped) <= max) {
            return escaped;
        }
        wmem_free(scope, escaped);
    }
    escaped = escape(scope, text, whole_characters(text, MIN(room, length)));
    if (strlen(escaped) > room) {
        wmem_free(scope, escaped);
        escaped = escape(scope, text, whole_characters(text, MIN(room / ESCAPED_BYTE, length)));
    }
    text = wmem_strdup_printf(scope, "%s%s", escaped, ELLIPSIS);
    wmem_free(scope, escaped);
    return text;
}

char *
line_text_copy(wmem_allocator_t *scope, const char *text, size_t max)
{
    const char *line = line_text_max(scope, text, max);

    return line != text ? (char *)line : wmem_strdup(scope, text);
}

const char *
line_text(wmem_allocator_t *scope, const char *text)
{
    return line_text_max(scope, text, LINE_TEXT_MAX);
}

const char *
utf16_line(wmem_allocator_t *scope, tvbuff_t *tvb, unsigned offset, struct utf16_text text, unsigned encoding)
{
    text.size = MIN(text.size, 2 * (LINE_TEXT_MAX + 2));
    return line_text(scope, utf16_get(scope, tvb, offset, text, encoding));
}

void
line_text_append(wmem_strbuf_t *out, const char *text, size_t max)
{
    const char *line = line_text_max(NULL, text, max);

    wmem_strbuf_append(out, line);
    if (line != text) {
        wmem_free(NULL, (char *)line);
    }
}

/* Size of a number's text: "%f" of the largest double has 309 digits before the point */
#define NUMBER_SIZE 400

const char *
number_text(wmem_allocator_t *scope, const char *format, double number)
{
    char buffer[NUMBER_SIZE];

    return wmem_strdup(scope, g_ascii_formatd(buffer, sizeof buffer, format, number));
}

gunichar
text_fold(gunichar c)
{
    const gunichar lower = c < 0x80 ? (guchar)g_ascii_tolower((gchar)c) : c > UINT16_MAX ? c : g_unichar_tolower(c);

    return c >= 0x80 && (lower < 0x80 || lower > UINT16_MAX) ? c : lower;
}

const char *
count_text(wmem_allocator_t *scope, unsigned count, const char *noun)
{
    return wmem_strdup_printf(scope, "%u %s%s", count, noun, count == 1 ? "" : "s");
}
