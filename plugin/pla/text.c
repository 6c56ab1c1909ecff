/* text.c
 * Text syntaxes inside [MS-PLA] strings
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/text.h"

#include "base/text.h"

bool
pla_threshold_split(wmem_allocator_t *scope, const char *text, struct pla_threshold *threshold)
{
    const char *at = NULL;
    char *end;

    for (const char *p = strpbrk(text, "<>"); p != NULL; p = strpbrk(p + 1, "<>")) {
        at = p;
    }
    memset(threshold, 0, sizeof *threshold);
    if (at == NULL) {
        return false;
    }
    threshold->path = g_strchomp(wmem_strndup(scope, text, (size_t)(at - text)));
    threshold->relation = *at;
    threshold->value_text = g_strstrip(wmem_strdup(scope, at + 1));
    threshold->value = g_ascii_strtod(threshold->value_text, &end);
    threshold->is_number = end != threshold->value_text && *end == '\0';
    return true;
}

static const struct {
    const char *letters;
    const char *meaning;
} pattern_parts[] = {
    { "D", "day of the year" },
    { "DDD", "day of the year with 3 digits" },
    { "d", "day" },
    { "dd", "day with 2 digits" },
    { "ddd", "short weekday" },
    { "dddd", "weekday" },
    { "M", "month" },
    { "MM", "month with 2 digits" },
    { "MMM", "short month name" },
    { "MMMM", "month name" },
    { "y", "year without century" },
    { "yy", "year without century with 2 digits" },
    { "yyyy", "year" },
    { "h", "hour (12-hour clock)" },
    { "hh", "hour (12-hour clock) with 2 digits" },
    { "H", "hour" },
    { "HH", "hour with 2 digits" },
    { "m", "minute" },
    { "mm", "minute with 2 digits" },
    { "s", "second" },
    { "ss", "second with 2 digits" },
    { "t", "A or P" },
    { "tt", "AM or PM" },
    { "z", "time zone offset" },
    { "zz", "time zone offset with 2 digits" },
};

static void
append_part(wmem_strbuf_t *meaning, const char *letters, size_t length)
{
    if (letters[0] == 'N') {
        wmem_strbuf_append(meaning, "serial number");
        if (length > 1) {
            wmem_strbuf_append_printf(meaning, " with %zu digits", length);
        }
        return;
    }
    for (size_t i = 0; i < array_length(pattern_parts); i++) {
        if (strlen(pattern_parts[i].letters) == length && strncmp(pattern_parts[i].letters, letters, length) == 0) {
            wmem_strbuf_append(meaning, pattern_parts[i].meaning);
            return;
        }
    }
    wmem_strbuf_append_printf(meaning, "%.*s (not a pattern)", (int)length, letters);
}

const char *
pla_pattern_text(wmem_allocator_t *scope, const char *pattern)
{
    wmem_strbuf_t *const meaning = wmem_strbuf_new(scope, NULL);

    while (*pattern != '\0') {
        size_t length = 1;

        if (wmem_strbuf_get_len(meaning) > 0) {
            wmem_strbuf_append(meaning, ", ");
        }
        if (g_ascii_isalpha(*pattern)) {
            while (pattern[length] == pattern[0]) {
                length++;
            }
            append_part(meaning, pattern, length);
        } else {
            /* Literal text: escaped characters, and all characters that are not letters. */
            wmem_strbuf_append_c(meaning, '"');
            length = 0;
            while (pattern[length] != '\0' && !g_ascii_isalpha(pattern[length])) {
                if (pattern[length] == '\\' && pattern[length + 1] != '\0') {
                    length++;
                }
                wmem_strbuf_append_c(meaning, pattern[length]);
                length++;
            }
            wmem_strbuf_append_c(meaning, '"');
        }
        pattern += length;
    }
    return wmem_strbuf_get_str(meaning);
}

const char *
pla_middle_text(wmem_allocator_t *scope, const char *text, size_t max)
{
    const size_t length = strlen(text), half = (max - strlen("...")) / 2;
    size_t head = half, tail;

    if (length <= max) {
        return line_text_max(scope, text, max);
    }
    tail = length - half;
    while (head > 0 && ((uint8_t)text[head] & 0xc0) == 0x80) {
        head--;
    }
    while (text[tail] != '\0' && ((uint8_t)text[tail] & 0xc0) == 0x80) {
        tail++;
    }
    return line_text_max(scope, wmem_strdup_printf(scope, "%.*s...%s", (int)head, text, text + tail), max);
}

const char *
pla_xml_in_utf8(wmem_allocator_t *scope, const char *xml)
{
    const char *const end = g_str_has_prefix(xml, "<?xml") ? strstr(xml, "?>") : NULL;
    const char *name, *value, *close;

    if (end == NULL) {
        return xml;
    }
    name = strstr(xml, "encoding");
    if (name == NULL || name > end) {
        return xml;
    }
    value = name + strlen("encoding");
    value += strspn(value, " \t\r\n=");
    if (*value != '"' && *value != '\'') {
        return xml;
    }
    close = strchr(value + 1, *value);
    if (close == NULL || close > end) {
        return xml;
    }
    return wmem_strdup_printf(scope, "%.*sUTF-8%s", (int)(value + 1 - xml), xml, close);
}

void
pla_xml_summary(wmem_allocator_t *scope, const char *xml, const char **root, const char **name)
{
    const char *p = xml;

    *root = "";
    *name = "";
    /* Skips the declaration, comments and the document type before the root element. */
    while ((p = strchr(p, '<')) != NULL && (p[1] == '?' || p[1] == '!')) {
        const char *const end = g_str_has_prefix(p, "<!--") ? strstr(p, "-->") : NULL;

        p = end != NULL ? end : p + 1;
    }
    if (p == NULL) {
        return;
    }
    *root = wmem_strndup(scope, p + 1, strcspn(p + 1, " \t\r\n/>"));
    p = strstr(p, "<Name>");
    if (p != NULL) {
        p += strlen("<Name>");
        *name = wmem_strndup(scope, p, strcspn(p, "<"));
    }
}
