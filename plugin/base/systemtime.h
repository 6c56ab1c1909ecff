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
/* The eight numbers as text, for what is no time. In scope. */
const char *systemtime_text(wmem_allocator_t *scope, const uint16_t t[8]);

#endif /* PERFLIB_BASE_SYSTEMTIME_H */
