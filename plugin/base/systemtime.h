/* systemtime.h
 * SYSTEMTIME, [MS-DTYP] 2.3.13
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_SYSTEMTIME_H
#define PERFLIB_BASE_SYSTEMTIME_H

#include "compat.h"

/*
 * The time of a SYSTEMTIME's eight numbers: year, month, weekday, day, hour, minute, second, milliseconds, UTC.
 * False where they are no time; *out then is zero.
 */
bool systemtime_to_nstime(const uint16_t t[8], nstime_t *out);
/* The same of units of 100 ns since 1601, UTC, which PerfTime100NSec has; a year has four digits in both. */
bool time_100ns_to_nstime(uint64_t time, nstime_t *out);
/* The fields of its eight numbers in their order, below the field of the time. */
struct systemtime_fields {
    int hf[8];
    int ett;
};
/* Names of wDayOfWeek's values. */
extern const value_string systemtime_weekday_vals[];

/* The numbers below item, which may be NULL; they stand at offset. */
void systemtime_tree_add(const struct systemtime_fields *fields, proto_item *item, tvbuff_t *tvb, unsigned offset,
    unsigned encoding);
/* The eight numbers as text, for what is no time. In scope. */
const char *systemtime_text(wmem_allocator_t *scope, const uint16_t t[8]);

#endif /* PERFLIB_BASE_SYSTEMTIME_H */
