/* text.h
 * Text from the wire: UTF-16 with and without terminator, and printable text for the Info column, trees and tables
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_TEXT_H
#define PERFLIB_BASE_TEXT_H

#include "compat.h"

#include <string.h>

struct utf16_text {
    unsigned size;   /* bytes of the text without terminator */
    bool terminated; /* true if a terminator of 2 bytes follows */
};

/* Measures the text in the first `room` bytes. An odd last byte is ignored. */
struct utf16_text utf16_measure_bytes(const uint8_t *bytes, unsigned room);
/* Measures the text in `room` bytes of a tvb, from offset on. Throws if the tvb is shorter. */
struct utf16_text utf16_measure(tvbuff_t *tvb, unsigned offset, unsigned room);

/*
 * Returns the text as UTF-8, in scope. A surrogate pair becomes one character; an unpaired surrogate, U+FFFE and U+FFFF
 * become U+FFFD. encoding: ENC_LITTLE_ENDIAN or ENC_BIG_ENDIAN.
 */
const char *utf16_get(wmem_allocator_t *scope, tvbuff_t *tvb, unsigned offset, struct utf16_text text,
    unsigned encoding);
/* Returns `size` bytes of UTF-16 as UTF-8, in scope. bytes may be NULL if size is 0. */
char *utf16_from_bytes(wmem_allocator_t *scope, const uint8_t *bytes, unsigned size, unsigned encoding);

/*
 * Returns the text in printable form (see line_text()), cut to LINE_TEXT_MAX bytes, in scope. Only the part that fits
 * is converted.
 */
const char *utf16_line(wmem_allocator_t *scope, tvbuff_t *tvb, unsigned offset, struct utf16_text text,
    unsigned encoding);

/*
 * Printable text. All text from the wire must pass through these functions before it is used in labels, columns, tables
 * or files. Fields get the original text. Non-printing characters (line breaks, a terminal's escape sequences) are
 * escaped as in C, as Wireshark does for values of fields. The length is limited, since one text of a packet may be
 * shown a thousand times; cut text ends in "...", never within a character. Applying a function twice changes nothing.
 */
#define LINE_TEXT_MAX   1024u /* in bytes; more than a label or a column shows */
#define NAME_TEXT_MAX   256u  /* in bytes; limit for names that are kept and shown in paths */
/* Number of bytes or UTF-16 units of a name to convert: the printable text of a longer name is cut to NAME_TEXT_MAX */
#define NAME_TEXT_UNITS (NAME_TEXT_MAX + 2)

/* Returns the text itself if it is printable and short enough, else a copy in scope. */
const char *line_text(wmem_allocator_t *scope, const char *text);
/*
 * Returns printable text of at most `max` bytes, including the ellipsis. max must be at least 3. In scope, or `text`
 * itself.
 */
const char *line_text_max(wmem_allocator_t *scope, const char *text, size_t max);
/* Like line_text_max(), but always returns a copy, for text that is kept longer than the original. */
char *line_text_copy(wmem_allocator_t *scope, const char *text, size_t max);
void line_text_append(wmem_strbuf_t *out, const char *text, size_t max);
/* Replaces all occurrences of `from` by `to`. text must be allocated in scope; afterwards use only the returned one. */
char *text_replace(wmem_allocator_t *scope, char *text, const char *from, const char *to);

/*
 * Returns a character in lower case, one for one as Windows compares names: no letter becomes two. A non-ASCII letter
 * never becomes an ASCII letter, and characters beyond UTF-16's single units have no case.
 */
gunichar text_fold(gunichar c);

/* Returns "1 block" or "11 blocks". In scope. */
const char *count_text(wmem_allocator_t *scope, unsigned count, const char *noun);
/*
 * Formats a number by a printf format with one e, f or g conversion. The decimal separator is always a point. In scope.
 */
const char *number_text(wmem_allocator_t *scope, const char *format, double number);

/* Text of a tree line under construction, on the stack: allocating hundreds of thousands of lines would be slow */

/* Longer than a label (ITEM_LABEL_LENGTH), so that Wireshark itself truncates the label and marks it as truncated */
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

/* Appends as much of text as fits. */
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
