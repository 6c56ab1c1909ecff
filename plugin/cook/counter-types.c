/* counter-types.c
 * The counter types of performance data
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "cook/counter-types.h"

#include <stddef.h>

const char *
perf_counter_type_name(uint32_t type)
{
#define TYPE_CASE(name, value) case value: return #name;
    switch (type) {
    PERF_COUNTER_TYPES(TYPE_CASE)
    default: return NULL;
    }
#undef TYPE_CASE
}

bool
perf_counter_type_is_base(uint32_t type)
{
    switch (type) {
    case PERF_COUNTER_NODATA:
    case PERF_SAMPLE_BASE:
    case PERF_AVERAGE_BASE:
    case PERF_RAW_BASE:
    case PERF_LARGE_RAW_BASE:
    case PERF_COUNTER_MULTI_BASE:
        return true;
    default:
        return false;
    }
}

bool
perf_counter_type_is_operand(uint32_t type)
{
    switch (type) {
    case PERF_COUNTER_RAWCOUNT:
    case PERF_COUNTER_LARGE_RAWCOUNT:
    case PERF_COUNTER_RAWCOUNT_HEX:
    case PERF_COUNTER_LARGE_RAWCOUNT_HEX:
        return true;
    default:
        return type != PERF_COUNTER_NODATA && perf_counter_type_is_base(type);
    }
}
