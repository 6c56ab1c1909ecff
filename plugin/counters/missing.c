/* missing.c
 * What a client asked for and did not receive, collected from one PDU for statistics
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/missing.h"

#include <epan/tap.h>

struct missing {
    int tap;
    packet_info *pinfo;
    wmem_array_t *items; /* struct perf_tap_missing_item */
};

struct missing *
missing_new(int tap, packet_info *pinfo)
{
    struct missing *missing;

    if (!have_tap_listener(tap)) {
        return NULL;
    }
    missing = wmem_new(pinfo->pool, struct missing);
    *missing = (struct missing){ tap, pinfo, wmem_array_new(pinfo->pool, sizeof(struct perf_tap_missing_item)) };
    return missing;
}

static void
missing_add(struct missing *missing, enum perf_tap_missing_kind kind, const char *what, const char *why, uint32_t pdh)
{
    const struct perf_tap_missing_item item = { kind, what, why, pdh };

    if (missing != NULL) {
        wmem_array_append_one(missing->items, item);
    }
}

void
missing_asked(struct missing *missing, const char *what)
{
    missing_add(missing, MISSING_ASKED, what, MISSING_NOT_CAPTURED, 0);
}

void
missing_accepted(struct missing *missing, const char *what)
{
    missing_add(missing, MISSING_ACCEPTED, what, NULL, 0);
}

void
missing_answered(struct missing *missing, const char *what, const char *why, uint32_t pdh)
{
    missing_add(missing, why == NULL ? MISSING_RECEIVED : MISSING_REFUSED, what, why, pdh);
}

void
missing_tell(struct missing *missing, const char *host, const struct perf_tap_poll *values)
{
    if (missing != NULL && (wmem_array_get_count(missing->items) > 0 || values != NULL)) {
        struct perf_tap_missing *record = wmem_new0(missing->pinfo->pool, struct perf_tap_missing);

        record->host = host;
        record->values = values;
        record->num_items = wmem_array_get_count(missing->items);
        record->items = (const struct perf_tap_missing_item *)wmem_array_get_raw(missing->items);
        tap_queue_packet(missing->tap, missing->pinfo, record);
    }
}

void
missing_tell_needed(int tap, packet_info *pinfo, const char *needed)
{
    if (needed != NULL && have_tap_listener(tap)) {
        struct perf_tap_missing *record = wmem_new0(pinfo->pool, struct perf_tap_missing);

        record->needed = needed;
        tap_queue_packet(tap, pinfo, record);
    }
}
