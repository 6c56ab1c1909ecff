/* missing.c
 * Counters and objects that a client asked for but did not receive, collected per PDU for statistics
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/missing.h"

#include <epan/tap.h>

#include "base/rpc-call.h"
#include "base/win32-names.h"

struct missing {
    int tap;
    packet_info *pinfo;
    wmem_array_t *items; /* elements: struct perf_tap_missing_item */
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

/* Returns PDH's code for an error or a missing object; 0: none. For values use pdh_of_value(). */
static uint32_t
why_pdh(const struct perf_tap_why *why)
{
    switch (why->code) {
    case WHY_ERROR:
    case WHY_BLOCK_ERROR:
    case WHY_FAULT: return pdh_of_error(why->status);
    case WHY_NO_OBJECT: return pdh_of_error(WIN32_WMI_GUID_NOT_FOUND);
    default: return 0;
    }
}

static void
missing_add(struct missing *missing, enum perf_tap_missing_kind kind, const struct perf_tap_asked *what,
    struct perf_tap_why why)
{
    const struct perf_tap_missing_item item = { kind, *what, why, why_pdh(&why) };

    if (missing != NULL) {
        wmem_array_append_one(missing->items, item);
    }
}

void
missing_asked(struct missing *missing, const struct perf_tap_asked *what, bool is_accepted)
{
    missing_add(missing, is_accepted ? MISSING_ACCEPTED : MISSING_ASKED, what,
        (struct perf_tap_why){ .code = is_accepted ? WHY_RECEIVED : WHY_NO_ANSWER });
}

void
missing_answered(struct missing *missing, const struct perf_tap_asked *what, struct perf_tap_why why)
{
    missing_add(missing, why.code == WHY_RECEIVED ? MISSING_RECEIVED : MISSING_REFUSED, what, why);
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
perf_tap_needed(int tap_missing, int tap_poll, packet_info *pinfo, const struct key_needed *needed)
{
    if (needed != NULL && (have_tap_listener(tap_missing) || have_tap_listener(tap_poll))) {
        struct perf_tap_missing *missing = wmem_new0(pinfo->pool, struct perf_tap_missing);
        struct perf_tap_poll *poll = wmem_new0(pinfo->pool, struct perf_tap_poll);

        missing->needed = poll->needed = needed;
        tap_queue_packet(tap_missing, pinfo, missing);
        tap_queue_packet(tap_poll, pinfo, poll);
    }
}

/* clang-format off */
#define REASON_ROW(code, ...) [code] = { __VA_ARGS__ },
/* clang-format on */
static const struct {
    const char *name, *text;
} reasons[NUM_WHY_CODES] = { WHY_CODES(REASON_ROW) };

const char *
perf_tap_why_text(wmem_allocator_t *scope, const struct perf_tap_why *why)
{
    switch (why->code) {
    case WHY_NO_VALUE: return cook_reason_text((enum cook_reason)why->status);
    case WHY_REFUSED_BY_PDH:
        return why->status == COOK_OK ? "negative percentage" : cook_reason_text((enum cook_reason)why->status);
    case WHY_ERROR: return win32_error_name(scope, why->status);
    case WHY_BLOCK_ERROR:
        return wmem_strdup_printf(scope, "block without values: %s", win32_error_name(scope, why->status));
    case WHY_FAULT: return wmem_strdup_printf(scope, "fault %s", rpc_fault_text(scope, why->status));
    case WHY_BLOCKS_NOT_CAPTURED: return wmem_strdup_printf(scope, "not captured: %u of %u", why->have, why->expected);
    case WHY_FEWER_BLOCKS:
        return wmem_strdup_printf(scope, "%u block%s for %u identifiers", why->have, why->have == 1 ? "" : "s",
            why->expected);
    default: return reasons[why->code].text;
    }
}

const char *
perf_tap_why_name(const struct perf_tap_why *why)
{
    return why->code == WHY_NO_VALUE ? cook_reason_name((enum cook_reason)why->status) : reasons[why->code].name;
}
