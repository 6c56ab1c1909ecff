/* cooked-digits.h
 * The digits of a cooked value, as trees and tables show them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COOK_COOKED_DIGITS_H
#define PERFLIB_COOK_COOKED_DIGITS_H

#include "cook/cooking.h"

/* Room for any of them, and the end of the text. */
#define COOK_DIGITS_SIZE 32

/*
 * The digits of a value whose reason is COOK_OK, without its unit: whole numbers and hexadecimal ones exactly, others
 * with three decimals, very small and very large ones with six digits and an exponent. Whatever the locale.
 */
void cook_digits(const struct cook_result *cooked, char digits[COOK_DIGITS_SIZE]);

#endif /* PERFLIB_COOK_COOKED_DIGITS_H */
