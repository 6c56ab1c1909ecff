/* text.h
 * Text from the wire: UTF-16 with and without terminator, as NDR strings and buffers hold it, and text as it may
 * stand in a line of the Info column, of a tree, of a table
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_TEXT_H
#define PERFLIB_BASE_TEXT_H

#include "compat.h"

#include <string.h>

struct utf16_text {
    unsigned size;   /* bytes of the text, without terminator */
    bool terminated; /* a terminator follows within the room; it takes 2 further bytes */
};

/* Measures the text in room bytes (an odd last byte is left out). */
struct utf16_text utf16_measure_bytes(const uint8_t *bytes, unsigned room);
/*
 * The same of a tvb, from offset on.
 * Throws where the room reaches beyond the bytes the tvb has.
 */
struct utf16_text utf16_measure(tvbuff_t *tvb, unsigned offset, unsigned room);

/*
 * The text as UTF-8, in scope. Surrogate pairs become one character, an unpaired
 * surrogate, U+FFFE and U+FFFF become U+FFFD. encoding is ENC_LITTLE_ENDIAN or ENC_BIG_ENDIAN.
 */
const char *utf16_get(wmem_allocator_t *scope, tvbuff_t *tvb, unsigned offset, struct utf16_text text,
    unsigned encoding);
/* The same for size bytes that are no longer in a tvb; bytes may be NULL where size is 0. */
char *utf16_from_bytes(wmem_allocator_t *scope, const uint8_t *bytes, unsigned size, unsigned encoding);

/* The same as it may stand in a line (below), shortened to LINE_TEXT_MAX. Costs no more for a long text. */
const char *utf16_line(wmem_allocator_t *scope, tvbuff_t *tvb, unsigned offset, struct utf16_text text,
    unsigned encoding);

/*
 * All text from the wire goes out through these: labels, columns, tables and files get it so that what does not print
 * (line breaks, escape sequences of a terminal) is written as in C, as Wireshark does with the values of fields, and
 * bounded, for what one packet said may be shown a thousand times. What is cut ends in "...", never within a
 * character. A field itself is to hold the text as it is. Text that came out of them comes out of them again as it
 * is.
 */
#define LINE_TEXT_MAX   1024u /* bytes: more than a label or a column shows */
#define NAME_TEXT_MAX   256u  /* of a name: what is kept of it and stands in paths */
/* Units (bytes, or UTF-16's two) of a long name that are enough to know it by: reading more of it is in vain. */
#define NAME_TEXT_UNITS (NAME_TEXT_MAX + 2)

/* The text itself, or a copy in scope. */
const char *line_text(wmem_allocator_t *scope, const char *text);
const char *name_text(wmem_allocator_t *scope, const char *text);
/* The text, or a copy in scope, of at most max bytes, the ellipsis included; max is at least 3. */
const char *line_text_max(wmem_allocator_t *scope, const char *text, size_t max);
/* The same, but always a copy: for what is kept longer than text. */
char *line_text_copy(wmem_allocator_t *scope, const char *text, size_t max);
void line_text_append(wmem_strbuf_t *out, const char *text, size_t max);
/* Text, which belongs to scope and is given away, with one text in the place of another. */
char *text_replace(wmem_allocator_t *scope, char *text, const char *from, const char *to);

/* "1 block", "11 blocks". In scope. */
const char *count_text(wmem_allocator_t *scope, unsigned count, const char *noun);
/* A number by a format of printf with one conversion, e, f or g, and a point whatever the locale. In scope. */
const char *number_text(wmem_allocator_t *scope, const char *format, double number);

/* A line of a tree in the making: on the stack, as a packet may have hundreds of thousands of them */

/* More than a label shows (ITEM_LABEL_LENGTH): Wireshark cuts what does not fit, and says so. */
#define LINE_SIZE 512

struct line {
    size_t length;
    char text[LINE_SIZE];
};

static inline void
line_begin(struct line *line)
{
    line->length = 0;
    line->text[0] = '\0';
}

/* Appends what there is room for. */
static inline void
line_add(struct line *line, const char *text)
{
    const size_t length = strlen(text), room = LINE_SIZE - 1 - line->length;
    const size_t taken = length < room ? length : room;

    memcpy(&line->text[line->length], text, taken);
    line->length += taken;
    line->text[line->length] = '\0';
}

#endif /* PERFLIB_BASE_TEXT_H */
