/* text.c
 * Text from the wire: UTF-16 as NDR strings and buffers hold it, and text as it may stand in a line
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/text.h"

#include <string.h>

#if WIRESHARK_VERSION_MAJOR == 4 && WIRESHARK_VERSION_MINOR == 0
#include <epan/strutil.h>
#else
#include <wsutil/str_util.h>
#endif

#define REPLACEMENT_CHARACTER 0xFFFD

struct utf16_text
utf16_measure(tvbuff_t *tvb, unsigned offset, unsigned room)
{
    struct utf16_text text = { room & ~1u, false };
    const uint8_t *bytes;

    if (text.size == 0) {
        return text;
    }
    bytes = tvb_get_ptr(tvb, (int)offset, (int)text.size);
    for (unsigned i = 0; i < text.size; i += 2) {
        if (bytes[i] == 0 && bytes[i + 1] == 0) {
            text.size = i;
            text.terminated = true;
            break;
        }
    }
    return text;
}

/*
 * Wireshark's own conversion loses the character after an unpaired high surrogate (4.0), and a name
 * must read the same on all versions.
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
            wmem_strbuf_append_unichar(utf8, is_low ? 0x10000 + ((high & 0x3FF) << 10 | (unit & 0x3FF)) : REPLACEMENT_CHARACTER);
            high = 0;
            if (is_low) {
                continue;
            }
        }
        if ((unit & 0xFC00) == 0xD800) {
            high = unit;
        } else {
            wmem_strbuf_append_unichar(utf8, is_low ? REPLACEMENT_CHARACTER : unit);
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
    return utf16_from_bytes(scope, text.size > 0 ? tvb_get_ptr(tvb, (int)offset, (int)text.size) : NULL, text.size, encoding);
}

const char *
line_text(wmem_allocator_t *scope, const char *text)
{
    const char *c = text;

    while (g_ascii_isprint(*c)) {
        c++;
    }
    if (*c == '\0') {
        return text;
    }
    /* Through void, because its bytes became signed after 4.0. */
    return format_text(scope, (const void *)text, strlen(text));
}
