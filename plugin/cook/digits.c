/* digits.c
 * Numbers in decimal digits
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "cook/cooking.h"

#include <math.h>
#include <string.h>

size_t
digits_whole(char out[DIGITS_MAX], uint64_t number)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354"
        "555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
    char digits[DIGITS_MAX];
    size_t at = DIGITS_MAX, length;

    while (number >= 10) {
        at -= 2;
        memcpy(&digits[at], &pairs[number % 100 * 2], 2);
        number /= 100;
    }
    if (number > 0 || at == DIGITS_MAX) {
        digits[--at] = (char)('0' + number);
    }
    length = DIGITS_MAX - at;
    memcpy(out, &digits[at], length);
    out[length] = '\0';
    return length;
}

size_t
digits_signed(char out[DIGITS_MAX], uint64_t magnitude, bool is_negative)
{
    out[0] = '-';
    return is_negative + digits_whole(&out[is_negative], magnitude);
}

/* Bits of precision of a double */
#define MANTISSA_BITS 53

/*
 * Returns magnitude times 1000, rounded to an integer. The mantissa has 53 bits and 1000 has 10, so the product of the
 * two fits into 64 bits and is exact before rounding.
 */
static uint64_t
thousandths(double magnitude)
{
    int exponent;
    const double fraction = frexp(magnitude, &exponent);
    const uint64_t scaled = (uint64_t)ldexp(fraction, MANTISSA_BITS) * 1000;
    const unsigned shift = (unsigned)(MANTISSA_BITS - exponent); /* at least 3, as magnitude < 1e15 < 2^50 */
    uint64_t whole, half, rest;

    if (shift > 63) {
        return 0;
    }
    whole = scaled >> shift;
    half = UINT64_C(1) << (shift - 1);
    rest = scaled & (2 * half - 1);
    return whole + (rest > half || (rest == half && (whole & 1) != 0));
}

size_t
digits_thousandths(char out[DIGITS_MAX], double number)
{
    const uint64_t count = thousandths(fabs(number));
    const unsigned behind = (unsigned)(count % 1000);
    size_t length = 0;

    if (signbit(number)) {
        out[length++] = '-';
    }
    length += digits_whole(&out[length], count / 1000);
    out[length++] = '.';
    out[length++] = (char)('0' + behind / 100);
    out[length++] = (char)('0' + behind / 10 % 10);
    out[length++] = (char)('0' + behind % 10);
    out[length] = '\0';
    return length;
}

/* From 0.0001 up to this number, "%.15g" writes no exponent and at most MAX_DECIMALS decimals. */
#define EXACT_DIGITS_END 1e15
#define MAX_DECIMALS     18u

/*
 * `power` and every integer below EXACT_DIGITS_END are exact doubles, so `count` / `power` is rounded only once, as
 * when digits are parsed. If the quotient equals `magnitude`, `count` differs by less than 1/4 from the exact product
 * of `magnitude` and `power`, so "%.15g" writes the digits of `count`.
 */
size_t
digits_exact(char out[DIGITS_MAX], double number)
{
    const double magnitude = fabs(number);
    double power = 1;
    unsigned decimals = 0;
    uint64_t count;
    char digits[DIGITS_MAX];
    size_t length = 0, given, before;

    if (!(magnitude == 0 || (magnitude >= 0.0001 && magnitude < EXACT_DIGITS_END))) {
        return 0;
    }
    while (decimals < MAX_DECIMALS && magnitude * power * 10 < EXACT_DIGITS_END) {
        power *= 10;
        decimals++;
    }
    count = (uint64_t)(magnitude * power + 0.5);
    if ((double)count >= EXACT_DIGITS_END || (double)count / power != magnitude) {
        return 0;
    }
    while (decimals > 0 && count % 10 == 0) {
        count /= 10;
        decimals--;
    }
    given = digits_whole(digits, count);
    before = given > decimals ? given - decimals : 0;
    if (signbit(number)) {
        out[length++] = '-';
    }
    if (before == 0) {
        out[length++] = '0';
    }
    memcpy(&out[length], digits, before);
    length += before;
    if (decimals > 0) {
        out[length++] = '.';
        memset(&out[length], '0', decimals - (given - before));
        length += decimals - (given - before);
        memcpy(&out[length], &digits[before], given - before);
        length += given - before;
    }
    out[length] = '\0';
    return length;
}
