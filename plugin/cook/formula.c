/* formula.c
 * A formula with its numbers
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "cook/formula.h"

#include <stddef.h>
#include <string.h>

#include "cook/digits.h"

/* Letters and where the numbers are that they stand for; legends in cooking.c. */
static const struct operand {
    const char *name;
    size_t length;
    size_t place;
} operands[] = {
/* clang-format off */
#define OPERAND(name, member) { name, sizeof name - 1, offsetof(struct cook_input, member) }
    /* clang-format on */
    OPERAND("N1", value.now),
    OPERAND("N0", value.before),
    OPERAND("T1", now.perf_time),
    OPERAND("T0", before.perf_time),
    OPERAND("X1", now.time_100ns),
    OPERAND("X0", before.time_100ns),
    OPERAND("B1", base.now),
    OPERAND("B0", base.before),
    OPERAND("O1", time.now),
    OPERAND("O0", time.before),
    OPERAND("FO1", freq.now),
    OPERAND("M1", multi.now),
    OPERAND("F", now.perf_freq),
#undef OPERAND
};

/* The operand a formula goes on with; NULL: it goes on with something else. */
static const struct operand *
formula_find_operand(const char *formula)
{
    if (*formula < 'A' || *formula > 'Z') {
        return NULL;
    }
    for (size_t i = 0; i < sizeof operands / sizeof operands[0]; i++) {
        if (operands[i].name[0] == *formula && strncmp(formula, operands[i].name, operands[i].length) == 0) {
            return &operands[i];
        }
    }
    return NULL;
}

void
cook_formula_numbers(const struct cook_input *in, const char *formula, char *numbers, size_t size)
{
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
            uint64_t number;

            memcpy(&number, (const char *)in + operand->place, sizeof number);
            length += digits_whole(&numbers[length], number);
            formula += operand->length;
        }
    }
    numbers[length + DIGITS_MAX < size ? length : 0] = '\0';
}
