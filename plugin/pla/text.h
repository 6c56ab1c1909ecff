/* text.h
 * The text syntaxes inside [MS-PLA] strings: alert thresholds, file-name patterns, and the little
 * of XML that a summary line needs. Counter paths: counters/path.h
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_TEXT_H
#define PERFLIB_PLA_TEXT_H

#include "compat.h"

/* An alert threshold, [MS-PLA] 2.2.10: a path, '<' or '>', a number. */
struct pla_threshold {
    const char *path; /* in scope */
    char relation;
    const char *value_text; /* in scope */
    double value;
    bool is_number;
};

/* Splits at the last '<' or '>', for a counter's name may hold others. Returns false where there is none. */
bool pla_threshold_split(wmem_allocator_t *scope, const char *text, struct pla_threshold *threshold);

/*
 * What a file-name pattern of [MS-PLA] 2.2.3.1 stands for, e.g. "yyyyMMdd\-NN" as
 * "year, month with 2 digits, day with 2 digits, "-", serial number with 2 digits". In scope.
 */
const char *pla_pattern_text(wmem_allocator_t *scope, const char *pattern);

/*
 * The same with "..." in the middle: of what an object is called both ends tell something. Of text that is a line's
 * already.
 */
const char *pla_middle_text(wmem_allocator_t *scope, const char *text, size_t max);

/*
 * XML that came as UTF-16 and is UTF-8 now, with a declaration that says so: from 4.6 on Wireshark's XML dissector
 * believes it. xml itself where it declares no encoding; else in scope.
 */
const char *pla_xml_in_utf8(wmem_allocator_t *scope, const char *xml);

/* Name of the root element and text of the first <Name>; "" where there is none. In scope. */
void pla_xml_summary(wmem_allocator_t *scope, const char *xml, const char **root, const char **name);

#endif /* PERFLIB_PLA_TEXT_H */
