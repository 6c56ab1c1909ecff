/* digits.c
 * Numbers in decimal digits
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "cook/digits.h"

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

/* A double's bits of precision. */
#define MANTISSA_BITS 53

/* magnitude times 1000 as a whole number: exact up to the rounding, as 1000 mantissas have no more than 63 bits. */
static uint64_t
thousandths(double magnitude)
{
    int exponent;
    const double fraction = frexp(magnitude, &exponent);
    const uint64_t scaled = (uint64_t)ldexp(fraction, MANTISSA_BITS) * 1000;
    const unsigned shift = (unsigned)(MANTISSA_BITS - exponent);    /* at least 3 */
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
