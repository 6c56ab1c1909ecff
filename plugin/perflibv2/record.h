/* record.h
 * What the PerflibV2 dissector hands to statistics: one record a PDU
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_RECORD_H
#define PERFLIB_PERFLIBV2_RECORD_H

#include "perflibv2/queries.h"
#include "perflibv2/rules/rules.h"

/* Queued to the tap "perflibv2"; packet scope. */
struct perflibv2_tap {
    uint16_t opnum;
    const char *operation;
    bool is_response;
    const struct query *query;          /* of operations on a handle, else NULL */
    bool is_change;                     /* ValidateCounters */
    bool add;                           /* ... that adds, not removes */
    uint32_t identifiers;               /* in lpData */
    const struct rules_report *stub_report;     /* offsets are the stub's */
    const struct rules_report *report;          /* offsets are lpData's */
    /* Of responses: */
    bool has_return_code;               /* a snap length may have cut it off */
    uint32_t return_code;
    uint32_t refused;                   /* identifiers with an error status */
    uint32_t size;                      /* bytes of lpData */
    bool is_size_probe;                 /* asked with no room at all, to learn the size */
    nstime_t response_time;
    const struct query_poll *poll;      /* of a successful QueryCounterData, else NULL */
};

#endif /* PERFLIB_PERFLIBV2_RECORD_H */
