/* utf16.c
 * UTF-16 text with and without terminator
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "utf16.h"

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
