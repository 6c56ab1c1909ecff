/* line-text.h
 * Text from the wire as it may stand in a line: of the Info column, of a tree, of a table
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_LINE_TEXT_H
#define PERFLIB_LINE_TEXT_H

#include <wsutil/wmem/wmem.h>

/*
 * The text itself, or a copy in scope in which what does not print (line breaks, escape sequences of a terminal) is
 * written as in C, as Wireshark does with the values of fields. A field itself is to hold the text as it is.
 */
const char *line_text(wmem_allocator_t *scope, const char *text);

#endif /* PERFLIB_LINE_TEXT_H */
