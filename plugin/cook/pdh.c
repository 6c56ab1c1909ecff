/* pdh.c
 * PDH's codes for results and errors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "cook/cooking.h"

/* Codes as constants, like the macros in pdhmsg.h */
#define CODE_OF(name, value) name = (int32_t)(value),
enum pdh_code { PDH_CODES(CODE_OF) PDH_NOTHING = 0 };
#undef CODE_OF

/*
 * Returns PDH's code for a reason why there is no value. Reasons that are not listed here, for example a base that is
 * zero or missing, have no code in PDH's documentation. For a decreased counter the documentation names two codes,
 * PDH_CSTATUS_INVALID_DATA and the more specific PDH_CALC_NEGATIVE_VALUE.
 */
static enum pdh_code
pdh_of_reason(enum cook_reason reason)
{
    switch (reason) {
    case COOK_FIRST_SAMPLE:
    case COOK_INSTANCE_NEW: return PDH_CSTATUS_INVALID_DATA;
    case COOK_TIME_WENT_BACK: return PDH_CALC_NEGATIVE_TIMEBASE;
    case COOK_COUNTER_DECREASED: return PDH_CALC_NEGATIVE_VALUE;
    case COOK_BASE_DECREASED:
    case COOK_NEGATIVE_BASE: return PDH_CALC_NEGATIVE_DENOMINATOR;
    default: return PDH_NOTHING;
    }
}

uint32_t
pdh_of_value(const struct cook_result *cooked)
{
    if (cooked->reason == COOK_OK) {
        return cooked->unit == COOK_UNIT_PERCENT && cooked->value < 0 ? (uint32_t)PDH_CALC_NEGATIVE_VALUE : 0;
    }
    return (uint32_t)pdh_of_reason(cooked->reason);
}

/* Errors: [MS-ERREF] 2.2. Calls that return them: [MS-PCQ] 3.1.4.1.2, 3.1.4.1.3, 3.1.4.1.8. */
uint32_t
pdh_of_error(uint32_t error)
{
    switch (error) {
    case 0x0005: return (uint32_t)PDH_ACCESS_DENIED;       /* ERROR_ACCESS_DENIED */
    case 0x0003:                                           /* ERROR_PATH_NOT_FOUND: no such instance */
    case 0x1069: return (uint32_t)PDH_CSTATUS_NO_INSTANCE; /* ERROR_WMI_INSTANCE_NOT_FOUND */
    case 0x1068: return (uint32_t)PDH_CSTATUS_NO_OBJECT;   /* ERROR_WMI_GUID_NOT_FOUND */
    case 0x106A: return (uint32_t)PDH_CSTATUS_NO_COUNTER;  /* ERROR_WMI_ITEMID_NOT_FOUND */
    default: return 0;
    }
}

const char *
pdh_name(uint32_t code)
{
#define CASE_OF(name, value) \
    case value: return #name;
    switch (code) {
        PDH_CODES(CASE_OF)
    default: return "";
    }
#undef CASE_OF
}
