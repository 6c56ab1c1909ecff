/* text.h
 * Text syntaxes inside [MS-PLA] strings: alert thresholds, file-name patterns, and the parts of XML that a summary
 * needs. Counter paths are in counters/path.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_TEXT_H
#define PERFLIB_PLA_TEXT_H

#include "compat.h"

/* Alert threshold, [MS-PLA] 2.2.10: a counter path, '<' or '>', and a number. */
struct pla_threshold {
    const char *path; /* allocated in `scope` */
    char relation;
    const char *value_text; /* allocated in `scope` */
    double value;
    bool is_number;
};

/*
 * Splits a threshold at the last '<' or '>', since a counter's name may contain these, too. Returns false if there is
 * none.
 */
bool pla_threshold_split(wmem_allocator_t *scope, const char *text, struct pla_threshold *threshold);

/*
 * Returns a file-name pattern of [MS-PLA] 2.2.3.1 in words: for "yyyyMMdd\-NN" "year, month with 2 digits, day with
 * 2 digits, "-", serial number with 2 digits". Allocated in `scope`.
 */
const char *pla_pattern_text(wmem_allocator_t *scope, const char *pattern);

/*
 * Returns `text` shortened to `max` bytes by "..." in the middle, since both ends of an object's label matter. The text
 * must be printable (base/text.h).
 */
const char *pla_middle_text(wmem_allocator_t *scope, const char *text, size_t max);

/*
 * Returns `xml`, which was converted from UTF-16 to UTF-8, with UTF-8 in its declaration: Wireshark's XML dissector
 * obeys the declaration from 4.6 on. Returns `xml` itself if it declares no encoding, else a copy in `scope`.
 */
const char *pla_xml_in_utf8(wmem_allocator_t *scope, const char *xml);

/*
 * Sets *root to the name of the root element and *name to the text of the first <Name>, or to "". Allocated in
 * `scope`.
 */
void pla_xml_summary(wmem_allocator_t *scope, const char *xml, const char **root, const char **name);

#endif /* PERFLIB_PLA_TEXT_H */
