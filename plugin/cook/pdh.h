/* pdh.h
 * The codes in which PDH, which Windows' own tools are built on, says what is said here in words
 *
 * Plain C: nothing of Wireshark is needed here.
 * Names, numbers and meanings: pdhmsg.h; "Performance Data Helper Error Codes" and "Checking Counter Data Status
 * Codes" (Microsoft Learn).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COOK_PDH_H
#define PERFLIB_COOK_PDH_H

#include <stdint.h>

#include "cook/cooking.h"

/* X(name, value); ordered by value */
/* clang-format off */
#define PDH_CODES(X) \
    X(PDH_CSTATUS_NO_MACHINE,        0x800007D0u) \
    X(PDH_CSTATUS_NO_INSTANCE,       0x800007D1u) \
    X(PDH_CALC_NEGATIVE_DENOMINATOR, 0x800007D6u) \
    X(PDH_CALC_NEGATIVE_TIMEBASE,    0x800007D7u) \
    X(PDH_CALC_NEGATIVE_VALUE,       0x800007D8u) \
    X(PDH_CSTATUS_NO_OBJECT,         0xC0000BB8u) \
    X(PDH_CSTATUS_NO_COUNTER,        0xC0000BB9u) \
    X(PDH_CSTATUS_INVALID_DATA,      0xC0000BBAu) \
    X(PDH_ACCESS_DENIED,             0xC0000BDBu)
/* clang-format on */

/* What PDH says of a value; 0: a value, or nothing that is known for sure. Percentages below zero it refuses. */
uint32_t pdh_of_value(const struct cook_result *cooked);
/* What PDH says of what a server refused with a Win32 error; 0: nothing that is known for sure. */
uint32_t pdh_of_error(uint32_t error);
/* The name of a code, "PDH_CSTATUS_NO_OBJECT"; "" for any other number. */
const char *pdh_name(uint32_t code);

#endif /* PERFLIB_COOK_PDH_H */
