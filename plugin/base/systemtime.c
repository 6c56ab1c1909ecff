/* systemtime.c
 * SYSTEMTIME, [MS-DTYP] 2.3.13
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/systemtime.h"

/* Start of the year 10000, in 100 ns since 1601. From then on Wireshark's "-T ek" writes garbage. */
#define YEAR_10000 UINT64_C(2650467744000000000)

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

bool
time_100ns_to_nstime(uint64_t time, nstime_t *out)
{
    if (time >= YEAR_10000 || !filetime_to_nstime(out, time)) {
        nstime_set_zero(out);
        return false;
    }
    return true;
}

const char *
systemtime_text(wmem_allocator_t *scope, const uint16_t t[8])
{
    return wmem_strdup_printf(scope, "%u-%u-%u %u:%u:%u.%u, weekday %u", t[0], t[1], t[3], t[4], t[5], t[6], t[7],
        t[2]);
}

const value_string systemtime_weekday_vals[] = {
    { 0, "Sunday" },
    { 1, "Monday" },
    { 2, "Tuesday" },
    { 3, "Wednesday" },
    { 4, "Thursday" },
    { 5, "Friday" },
    { 6, "Saturday" },
    { 0, NULL },
};

void
systemtime_tree_add(const struct systemtime_fields *fields, proto_item *item, tvbuff_t *tvb, unsigned offset,
    unsigned encoding)
{
    proto_tree *tree = item == NULL ? NULL : proto_item_add_subtree(item, fields->ett);

    for (unsigned i = 0; tree != NULL && i < array_length(fields->hf); i++) {
        proto_tree_add_item(tree, fields->hf[i], tvb, (int)(offset + 2 * i), 2, encoding);
    }
}
