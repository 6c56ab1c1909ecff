/* test_cooked_digits.c
 * The digits of a cooked value
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "cook/cooking.h"

#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void
check_digits(struct cook_result cooked, const char *expected)
{
    char digits[COOK_DIGITS_SIZE];

    cook_digits(&cooked, digits);
    CHECK(strcmp(digits, expected) == 0, "%s instead of %s", digits, expected);
}

int
main(void)
{
    check_digits((struct cook_result){ .value = -1, .whole = 1, .is_whole = true }, "-1");
    check_digits((struct cook_result){ .value = -9223372036854775808.0, .whole = UINT64_C(1) << 63, .is_whole = true },
        "-9223372036854775808");
    check_digits((struct cook_result){ .value = 1.8446744073709552e19, .whole = UINT64_MAX, .is_whole = true },
        "18446744073709551615");
    check_digits((struct cook_result){ .value = 255, .whole = 255, .is_whole = true, .is_hex = true }, "0xff");
    check_digits((struct cook_result){ .value = 255, .whole = 255, .is_whole = true, .is_real = true }, "255.000");
    check_digits((struct cook_result){ .whole = UINT64_MAX, .is_whole = true, .is_hex = true, .is_real = true },
        "0xffffffffffffffff");
    check_digits((struct cook_result){ .value = 0 }, "0.000");
    check_digits((struct cook_result){ .value = 12.3 }, "12.300");
    check_digits((struct cook_result){ .value = -0.25 }, "-0.250");
    check_digits((struct cook_result){ .value = 0.00012345678 }, "0.000123457");
    check_digits((struct cook_result){ .value = 999999999999999.875 }, "999999999999999.875");
    check_digits((struct cook_result){ .value = 1.5e15 }, "1.5e+15");
    check_digits((struct cook_result){ .value = 1.7976931348623157e308 }, "1.79769e+308");
    check_digits((struct cook_result){ .value = -4.9406564584124654e-324 }, "-4.94066e-324");
    check_digits((struct cook_result){ .value = 2.5, .is_hex = true }, "2.500");
    check_digits((struct cook_result){ .value = 1e15 }, "1e+15");
    check_digits((struct cook_result){ .value = -1.5e15 }, "-1.5e+15");
    check_digits((struct cook_result){ .value = 0.001 }, "0.001");
    /* A user whose language writes 1,5. The locale comes with the test (LOCPATH); by hand the system may have none. */
    CHECK(setlocale(LC_NUMERIC, "de_DE.UTF-8") != NULL || getenv("LOCPATH") == NULL, "no German");
    check_digits((struct cook_result){ .value = 1.5e15 }, "1.5e+15");
    return check_result();
}
