/* cooked-digits.c
 * Digits of a cooked value, as trees and tables show them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "cook/cooking.h"

#include <inttypes.h>
#include <stdio.h>

#include <glib.h>

void
cook_digits(const struct cook_result *cooked, char digits[COOK_DIGITS_SIZE])
{
    const double magnitude = cooked->value < 0 ? -cooked->value : cooked->value;

    /* If Attrib asks for hexadecimal and real (not allowed, [MS-PCQ] 2.2.4.2), whole numbers are hexadecimal. */
    if (cooked->is_whole && cooked->is_hex) {
        snprintf(digits, COOK_DIGITS_SIZE, "0x%" PRIx64, cooked->whole);
    } else if (cooked->is_whole && !cooked->is_real) {
        digits_signed(digits, cooked->whole, cooked->value < 0);
    } else if (magnitude != 0 && (magnitude < 0.001 || magnitude >= 1e15)) {
        g_ascii_formatd(digits, COOK_DIGITS_SIZE, "%.6g", cooked->value);
    } else {
        digits_thousandths(digits, cooked->value);
    }
}
