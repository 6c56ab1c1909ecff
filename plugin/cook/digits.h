/* digits.h
 * Numbers in decimal digits, for what is written by the million: printf() reads its format anew each time, and asks
 * for the locale
 *
 * Plain C: nothing of Wireshark is needed here.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COOK_DIGITS_H
#define PERFLIB_COOK_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for each, terminator included. */
#define DIGITS_MAX 24

/* Writes "18446744073709551615", as "%" PRIu64 does. Returns its length. */
size_t digits_whole(char out[DIGITS_MAX], uint64_t number);

/* The same of a number with a sign, of which magnitude is the rest. */
size_t digits_signed(char out[DIGITS_MAX], uint64_t magnitude, bool is_negative);

/*
 * Writes "-12.346", as "%.3f" does: the double's exact value, rounded to the nearest, ties to even. Its magnitude is
 * below 1e15. Returns its length.
 */
size_t digits_thousandths(char out[DIGITS_MAX], double number);

/*
 * Writes "-0.0125", as "%.15g" does, where that needs no exponent and reads back as the same double. Returns its
 * length, or 0 where it would not.
 */
size_t digits_exact(char out[DIGITS_MAX], double number);

#endif /* PERFLIB_COOK_DIGITS_H */
