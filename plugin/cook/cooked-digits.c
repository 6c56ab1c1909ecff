/* cooked-digits.c
 * The digits of a cooked value, as trees and tables show them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "cook/cooked-digits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cook/digits.h"

/* Six digits and an exponent, with a decimal point, whatever the locale has for it. */
static void
write_exponent(double value, char *digits)
{
    char local[COOK_DIGITS_SIZE];
    bool in_point = false;

    snprintf(local, sizeof local, "%.6g", value);
    for (const char *c = local; *c != '\0'; c++) {
        const bool is_point = strchr("0123456789+-e", *c) == NULL;

        if (!is_point || !in_point) {
            *digits++ = is_point ? '.' : *c;
        }
        in_point = is_point;
    }
    *digits = '\0';
}

void
cook_digits(const struct cook_result *cooked, char digits[COOK_DIGITS_SIZE])
{
    const double magnitude = cooked->value < 0 ? -cooked->value : cooked->value;

    /* By the text hexadecimal excludes real ([MS-PCQ] 2.2.4.2, Attrib). */
    if (cooked->is_whole && cooked->is_hex) {
        snprintf(digits, COOK_DIGITS_SIZE, "0x%" PRIx64, cooked->whole);
    } else if (cooked->is_whole && !cooked->is_real) {
        digits_signed(digits, cooked->whole, cooked->value < 0);
    } else if (magnitude != 0 && (magnitude < 0.001 || magnitude >= 1e15)) {
        write_exponent(cooked->value, digits);
    } else {
        digits_thousandths(digits, cooked->value);
    }
}
