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
 * Converts the eight numbers of a SYSTEMTIME (year, month, weekday, day, hour, minute, second, milliseconds; UTC). If
 * they are not a valid time, sets *out to zero and returns false.
 */
bool systemtime_to_nstime(const uint16_t t[8], nstime_t *out);
/* Converts a number of 100 ns units since 1601 (UTC), such as PerfTime100NSec. Returns false after the year 9999. */
bool time_100ns_to_nstime(uint64_t time, nstime_t *out);
/* Fields of a SYSTEMTIME's eight numbers, in order, and the ett of the subtree below the time */
struct systemtime_fields {
    int hf[8];
    int ett;
};
/* Names of wDayOfWeek's values. */
extern const value_string systemtime_weekday_vals[];

/* Adds the eight numbers at offset as items below item. item may be NULL. */
void systemtime_tree_add(const struct systemtime_fields *fields, proto_item *item, tvbuff_t *tvb, unsigned offset,
    unsigned encoding);
/* Returns the eight numbers as text, for an invalid time. In scope. */
const char *systemtime_text(wmem_allocator_t *scope, const uint16_t t[8]);

#endif /* PERFLIB_BASE_SYSTEMTIME_H */
