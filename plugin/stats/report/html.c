/* html.c
 * Text on a page of HTML
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/report/html.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

/* Returns true if a character is printable and does not change how its neighbours are read. */
static bool
html_is_plain(gunichar character)
{
    switch (g_unichar_type(character)) {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT:
    case G_UNICODE_UNASSIGNED:
    case G_UNICODE_PRIVATE_USE:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR: return false;
    default: return true;
    }
}

static void
html_text(GString *page, const char *text)
{
    while (*text != '\0') {
        const gunichar character = g_utf8_get_char_validated(text, -1);
        const char *next = text + 1;

        if (character == (gunichar)-1 || character == (gunichar)-2) {
            g_string_append_printf(page, "\\x%02x", (unsigned char)*text);
        } else {
            next = g_utf8_next_char(text);
            switch (character) {
            case '&': g_string_append(page, "&amp;"); break;
            case '<': g_string_append(page, "&lt;"); break;
            case '>': g_string_append(page, "&gt;"); break;
            case '"': g_string_append(page, "&quot;"); break;
            case '\'': g_string_append(page, "&#39;"); break;
            default:
                if (html_is_plain(character)) {
                    g_string_append_len(page, text, next - text);
                } else {
                    g_string_append_printf(page, character > 0xFFFF ? "\\U%08x" : "\\u%04x", (unsigned)character);
                }
            }
        }
        text = next;
    }
}

void
html_printf(GString *page, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    for (const char *at = format; *at != '\0'; at++) {
        const char *percent = strchr(at, '%');

        if (percent == NULL) {
            g_string_append(page, at);
            break;
        }
        g_string_append_len(page, at, percent - at);
        at = percent + 1;
        if (*at == 's') {
            html_text(page, va_arg(arguments, const char *));
        } else if (*at == 'u') {
            g_string_append_printf(page, "%u", va_arg(arguments, unsigned));
        } else {
            g_string_append_c(page, '%');
        }
    }
    va_end(arguments);
}
