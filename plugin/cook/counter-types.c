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
#define TYPE_CASE(name, value) \
    case value: return #name;
    switch (type) {
        PERF_COUNTER_TYPES(TYPE_CASE)
    default: return NULL;
    }
#undef TYPE_CASE
}

bool
perf_counter_type_has_size(uint32_t type, uint32_t size)
{
    /* [MS-PCQ] says 32 bits, but the type's size bits say 64. */
    if (type == PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE) {
        return size == 4 || size == 8;
    }
    /* Accept any size for types without a defined one: unlisted types, and histograms, which no source describes. */
    if (type == (uint32_t)PERF_COUNTER_HISTOGRAM_TYPE || perf_counter_type_name(type) == NULL) {
        return true;
    }
    switch (type & PERF_TYPE_SIZE_MASK) {
    case 0x000: return size == 4;
    case 0x100: return size == 8;
    case 0x200: return size == 0;
    default: return true;
    }
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
    case PERF_COUNTER_MULTI_BASE: return true;
    default: return false;
    }
}

bool
perf_counter_type_is_operand(uint32_t type)
{
    switch (type) {
    case PERF_COUNTER_RAWCOUNT:
    case PERF_COUNTER_LARGE_RAWCOUNT:
    case PERF_COUNTER_RAWCOUNT_HEX:
    case PERF_COUNTER_LARGE_RAWCOUNT_HEX: return true;
    default: return type != PERF_COUNTER_NODATA && perf_counter_type_is_base(type);
    }
}
