/* test_digits.c
 * Numbers in decimal digits: what printf() makes of them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "cook/digits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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

int
main(void)
{
    const double ties[] = { 0.0625, 0.1875, 0.0005 * 3, 1.0625, 2.5, 4503599627370.4375, 999999999999999.875 };
    const double ends[] = { 0, -0.0, 0.0004999, 0.0005, 0x1p-1074, 0.001, 0.0015, 0.9995, 0.99949999999999994, 1, 999.9995, 999999999999999.5 };
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
    }
    for (int i = 0; i < 200000; i++) {
        /* A linear congruential generator: the same numbers everywhere. Of all magnitudes alike. */
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        check_thousandths(ldexp((double)(state >> 11), i % 69 - 72));
        check_whole(state >> i % 64);
    }
    return check_result();
}
