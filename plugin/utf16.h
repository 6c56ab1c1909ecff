/* utf16.h
 * UTF-16 text with and without terminator, as NDR strings and lpData buffers hold it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_UTF16_H
#define PERFLIB_UTF16_H

#include "compat.h"

struct utf16_text {
    unsigned size;              /* bytes of the text, without terminator */
    bool terminated;            /* a terminator follows within the room; it takes 2 further bytes */
};

/*
 * Measures the text at offset in at most room bytes (an odd last byte is left out).
 * Throws where the room reaches beyond the bytes the tvb has.
 */
struct utf16_text utf16_measure(tvbuff_t *tvb, unsigned offset, unsigned room);

/*
 * The text as UTF-8, in scope. Surrogate pairs become one character, an unpaired
 * surrogate U+FFFD. encoding is ENC_LITTLE_ENDIAN or ENC_BIG_ENDIAN.
 */
const char *utf16_get(wmem_allocator_t *scope, tvbuff_t *tvb, unsigned offset, struct utf16_text text, unsigned encoding);
/* The same for size bytes that are no longer in a tvb; bytes may be NULL where size is 0. */
char *utf16_from_bytes(wmem_allocator_t *scope, const uint8_t *bytes, unsigned size, unsigned encoding);

#endif /* PERFLIB_UTF16_H */
