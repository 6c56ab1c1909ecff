/* test_pdh.c
 * PDH's codes for reasons and errors, as pdhmsg.h numbers them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "cook/cooking.h"

#include <string.h>

#include "check.h"

static void
check_value(struct cook_result cooked, uint32_t code)
{
    CHECK(pdh_of_value(&cooked) == code, "0x%08x, expected 0x%08x", pdh_of_value(&cooked), code);
}

static void
check_error(uint32_t error, uint32_t code, const char *name)
{
    CHECK(pdh_of_error(error) == code, "0x%08x, expected 0x%08x", pdh_of_error(error), code);
    CHECK(strcmp(pdh_name(code), name) == 0, "%s, expected %s", pdh_name(code), name);
}

int
main(void)
{
    static const struct {
        enum cook_reason reason;
        uint32_t code;
    } reasons[] = {
        { COOK_FIRST_SAMPLE, 0xC0000BBA },
        { COOK_INSTANCE_NEW, 0xC0000BBA },
        { COOK_TIME_WENT_BACK, 0x800007D7 },
        { COOK_COUNTER_DECREASED, 0x800007D8 },
        { COOK_BASE_DECREASED, 0x800007D6 },
        { COOK_NEGATIVE_BASE, 0x800007D6 },
    };
    unsigned with_code = 0;

    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        check_value((struct cook_result){ .reason = reasons[i].reason }, reasons[i].code);
    }
    /* Of no other reason does PDH's documentation speak. */
    for (int reason = COOK_OK; reason < COOK_NUM_REASONS; reason++) {
        with_code += pdh_of_value(&(struct cook_result){ .reason = (enum cook_reason)reason }) != 0;
    }
    CHECK(with_code == sizeof reasons / sizeof reasons[0], "%u", with_code);
    /* Percentages below zero are refused, other numbers may be there. */
    check_value((struct cook_result){ .value = -166.67, .unit = COOK_UNIT_PERCENT }, 0x800007D8);
    check_value((struct cook_result){ .value = 0, .unit = COOK_UNIT_PERCENT }, 0);
    check_value((struct cook_result){ .value = -1, .whole = 1, .is_whole = true }, 0);

    check_error(0, 0, "");
    check_error(5, 0xC0000BDB, "PDH_ACCESS_DENIED");
    check_error(3, 0x800007D1, "PDH_CSTATUS_NO_INSTANCE");
    check_error(0x1069, 0x800007D1, "PDH_CSTATUS_NO_INSTANCE");
    check_error(0x1068, 0xC0000BB8, "PDH_CSTATUS_NO_OBJECT");
    check_error(0x106A, 0xC0000BB9, "PDH_CSTATUS_NO_COUNTER");
    check_error(0x57, 0, "");
    CHECK(strcmp(pdh_name(0xC0000BBA), "PDH_CSTATUS_INVALID_DATA") == 0, "%s", pdh_name(0xC0000BBA));
    return check_result();
}
