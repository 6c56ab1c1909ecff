/* line.h
 * A line of a tree in the making: on the stack, as a packet may have hundreds of thousands of them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_LINE_H
#define PERFLIB_BASE_LINE_H

#include <string.h>

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

#endif /* PERFLIB_BASE_LINE_H */
