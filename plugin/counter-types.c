/* counter-types.c
 * The counter types of performance data
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counter-types.h"

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
