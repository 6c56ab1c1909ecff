/* systemtime.c
 * SYSTEMTIME, [MS-DTYP] 2.3.13
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/systemtime.h"

bool
systemtime_to_nstime(const uint16_t t[8], nstime_t *out)
{
    GDateTime *date = t[7] > 999 ? NULL : g_date_time_new_utc(t[0], t[1], t[3], t[4], t[5], t[6]);

    nstime_set_zero(out);
    if (date == NULL) {
        return false;
    }
    out->secs = (time_t)g_date_time_to_unix(date);
    out->nsecs = t[7] * 1000000;
    g_date_time_unref(date);
    return true;
}

const char *
systemtime_text(wmem_allocator_t *scope, const uint16_t t[8])
{
    return wmem_strdup_printf(scope, "%u-%u-%u %u:%u:%u.%u, weekday %u", t[0], t[1], t[3], t[4], t[5], t[6], t[7],
        t[2]);
}
