/* test_digits.c
 * Numbers in decimal digits: what printf() makes of them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "cook/cooking.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void
check_whole(uint64_t number)
{
    char digits[DIGITS_MAX], expected[DIGITS_MAX];
    const size_t length = digits_whole(digits, number);

    snprintf(expected, sizeof expected, "%" PRIu64, number);
    CHECK(strcmp(digits, expected) == 0 && length == strlen(expected), "%s: %s", expected, digits);
}

static void
check_thousandths(double number)
{
    char digits[DIGITS_MAX], expected[64];
    const size_t length = digits_thousandths(digits, number);

    snprintf(expected, sizeof expected, "%.3f", number);
    CHECK(strcmp(digits, expected) == 0 && length == strlen(expected), "%a: %s, not %s", number, digits, expected);
}

/* What "%.15g" writes, where that is no exponent and all of the number; else nothing. */
static void
check_exact(double number)
{
    char digits[DIGITS_MAX] = "", expected[64];
    size_t length;

    memset(digits, '?', sizeof digits - 1);
    snprintf(expected, sizeof expected, "%.15g", number);
    if (!isfinite(number) || strchr(expected, 'e') != NULL || strtod(expected, NULL) != number) {
        expected[0] = '\0';
    }
    length = digits_exact(digits, number);
    CHECK(length == strlen(expected) && (length == 0 || strcmp(digits, expected) == 0), "%a: %s, not %s", number,
        digits, expected);
}

/* A number with so many digits, behind as many decimals. */
static void
check_decimals(uint64_t digits, int decimals)
{
    const double number = (double)digits / pow(10, decimals);

    check_exact(number);
    check_exact(-number);
    check_exact(nextafter(number, 0));
    check_exact(nextafter(number, 1e300));
}

int
main(void)
{
    const double ties[] = { 0.0625, 0.1875, 0.0005 * 3, 1.0625, 2.5, 4503599627370.4375, 999999999999999.875 };
    const double ends[] = { 0, -0.0, 0.0004999, 0.0005, 0x1p-1074, 0.001, 0.0015, 0.9995, 0.99949999999999994, 1,
        999.9995, 999999999999999.5 };
    const double others[] = { 1e-5, 9.9999999999999991e-5, 1e15, 1e300, HUGE_VAL, -HUGE_VAL, NAN, 0x1p-1074 };
    uint64_t state = 1;

    check_whole(0);
    check_whole(UINT64_MAX);
    for (uint64_t power = 1; power < UINT64_MAX / 10; power *= 10) {
        check_whole(power - 1);
        check_whole(power);
    }
    for (size_t i = 0; i < sizeof ties / sizeof ties[0]; i++) {
        check_thousandths(ties[i]);
        check_thousandths(-ties[i]);
    }
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        check_thousandths(ends[i]);
        check_thousandths(nextafter(ends[i], 1e14));
        check_thousandths(-ends[i]);
        check_exact(ends[i]);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        check_exact(others[i]);
    }
    for (int i = 0; i < 200000; i++) {
        /* A linear congruential generator: the same numbers everywhere. Of all magnitudes alike. */
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        check_thousandths(ldexp((double)(state >> 11), i % 69 - 72));
        check_whole(state >> i % 64);
        if (i % 8 == 0) {
            check_exact(ldexp((double)(state >> 11), i % 69 - 72));
            check_decimals(state % UINT64_C(1000000000000000) >> i / 8 % 50, i / 8 % 20);
        }
    }
    return check_result();
}
