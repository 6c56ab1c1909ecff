/* utf16.c
 * UTF-16 text with and without terminator
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "utf16.h"

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

const char *
utf16_get(wmem_allocator_t *scope, tvbuff_t *tvb, unsigned offset, struct utf16_text text, unsigned encoding)
{
    return (const char *)tvb_get_string_enc(scope, tvb, (int)offset, (int)text.size, ENC_UTF_16 | encoding);
}
