/* formula.c
 * Formulas with their numbers filled in
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "cook/cooking.h"

#include <string.h>

/*
 * Operands of formulas: their names, and offsets of their numbers in struct cook_input. cooking.c explains the letters.
 */
static const struct operand {
    const char *name;
    size_t length;
    size_t place;
    size_t value; /* for a signed raw value: offset of its struct cook_value in struct cook_input; else SIZE_MAX */
} operands[] = {
/* clang-format off */
#define OPERAND(name, member) { name, sizeof name - 1, offsetof(struct cook_input, member), SIZE_MAX }
#define SIGNED(name, value, member) { \
    name, \
    sizeof name - 1, \
    offsetof(struct cook_input, value.member), \
    offsetof(struct cook_input, value) }
    /* clang-format on */
    SIGNED("N1", value, now),
    SIGNED("N0", value, before),
    OPERAND("T1", now.perf_time),
    OPERAND("T0", before.perf_time),
    OPERAND("X1", now.time_100ns),
    OPERAND("X0", before.time_100ns),
    SIGNED("B1", base, now),
    SIGNED("B0", base, before),
    OPERAND("O1", time.now),
    OPERAND("O0", time.before),
    OPERAND("FO1", freq.now),
    OPERAND("M1", multi.now),
    OPERAND("F", now.perf_freq),
#undef OPERAND
#undef SIGNED
};

/* Returns the operand with which the text begins, or NULL. formula: a formula or the rest of one. */
static const struct operand *
formula_find_operand(const char *formula)
{
    for (size_t i = 0; i < sizeof operands / sizeof operands[0]; i++) {
        if (strncmp(formula, operands[i].name, operands[i].length) == 0) {
            return &operands[i];
        }
    }
    return NULL;
}

/*
 * Writes an operand's digits, in brackets if negative. In a difference, 64-bit numbers are unsigned, as sent, if the
 * older one is not larger; else both are signed, like their difference.
 */
static size_t
formula_digits(const struct cook_input *in, const struct operand *operand, bool is_difference, char digits[DIGITS_MAX])
{
    const char *bytes = (const char *)in;
    char own[DIGITS_MAX];
    struct cook_value value;
    uint64_t number;
    size_t length;

    memcpy(&number, bytes + operand->place, sizeof number);
    if (operand->value == SIZE_MAX) {
        return digits_whole(digits, number);
    }
    memcpy(&value, bytes + operand->value, sizeof value);
    if (value.width != 8 || number <= INT64_MAX || (is_difference && value.before <= value.now)) {
        return digits_whole(digits, number);
    }
    length = digits_signed(own, 0 - number, true);
    digits[0] = '(';
    memcpy(&digits[1], own, length);
    digits[1 + length] = ')';
    return length + 2;
}

void
cook_formula_numbers(const struct cook_input *in, const char *formula, char *numbers, size_t size)
{
    const bool is_difference = strstr(formula, "N0") != NULL;
    size_t length = 0;

    numbers[0] = '\0';
    if (strchr("; ", formula[strcspn(formula, "+-*/; ")]) != NULL) {
        return;
    }
    while (*formula != '\0' && *formula != ';' && length + DIGITS_MAX < size) {
        const struct operand *operand = formula_find_operand(formula);

        if (operand == NULL) {
            numbers[length++] = *formula++;
        } else {
            length += formula_digits(in, operand, is_difference, &numbers[length]);
            formula += operand->length;
        }
    }
    numbers[length + DIGITS_MAX < size ? length : 0] = '\0';
}
