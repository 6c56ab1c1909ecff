/* systemtime.h
 * SYSTEMTIME, [MS-DTYP] 2.3.13
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_SYSTEMTIME_H
#define PERFLIB_BASE_SYSTEMTIME_H

#include "compat.h"

/* Index of wDayOfWeek among the eight numbers */
#define SYSTEMTIME_WEEKDAY 2

/*
 * Converts the eight numbers of a SYSTEMTIME (year, month, weekday, day, hour, minute, second, milliseconds; UTC).
 * Returns false, with *out zero, if they are no valid time.
 */
bool systemtime_to_nstime(const uint16_t t[8], nstime_t *out);
/* Converts units of 100 ns since 1601 (UTC), as PerfTime100NSec has. Returns false after the year 9999. */
bool time_100ns_to_nstime(uint64_t time, nstime_t *out);
/* Fields of a SYSTEMTIME's eight numbers, in order, below the field of the time */
struct systemtime_fields {
    int hf[8];
    int ett;
};
/* Names of wDayOfWeek's values. */
extern const value_string systemtime_weekday_vals[];

/* Adds the eight numbers, which are at offset, below item. item may be NULL. */
void systemtime_tree_add(const struct systemtime_fields *fields, proto_item *item, tvbuff_t *tvb, unsigned offset,
    unsigned encoding);
/* Returns the eight numbers as text, for an invalid time. In scope. */
const char *systemtime_text(wmem_allocator_t *scope, const uint16_t t[8]);

#endif /* PERFLIB_BASE_SYSTEMTIME_H */
