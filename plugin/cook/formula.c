/* formula.c
 * A formula with its numbers
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "cook/formula.h"

#include <string.h>

#include "cook/digits.h"

/* Letters and what they stand for in a poll of the two; legends in cooking.c. */
struct operand {
    const char *name;
    size_t length;
    uint64_t number;
};

#define OPERAND(name, number) { name, sizeof name - 1, number }

#define NUM_OPERANDS 13

static void
list_operands(const struct cook_input *in, struct operand operands[NUM_OPERANDS])
{
    const struct operand list[NUM_OPERANDS] = {
        OPERAND("N1", in->value.now), OPERAND("N0", in->value.before),
        OPERAND("B1", in->base.now), OPERAND("B0", in->base.before),
        OPERAND("T1", in->now.perf_time), OPERAND("T0", in->before.perf_time),
        OPERAND("X1", in->now.time_100ns), OPERAND("X0", in->before.time_100ns),
        OPERAND("O1", in->time.now), OPERAND("O0", in->time.before),
        OPERAND("FO1", in->freq.now), OPERAND("M1", in->multi.now), OPERAND("F", in->now.perf_freq),
    };

    memcpy(operands, list, sizeof list);
}

/* The operand a formula goes on with; NULL: it goes on with something else. */
static const struct operand *
find_operand(const struct operand operands[NUM_OPERANDS], const char *formula)
{
    for (unsigned i = 0; *formula >= 'A' && *formula <= 'Z' && i < NUM_OPERANDS; i++) {
        if (operands[i].name[0] == *formula && strncmp(formula, operands[i].name, operands[i].length) == 0) {
            return &operands[i];
        }
    }
    return NULL;
}

void
cook_formula_numbers(const struct cook_input *in, const char *formula, char *numbers, size_t size)
{
    struct operand operands[NUM_OPERANDS];
    size_t length = 0;

    numbers[0] = '\0';
    if (strchr("; ", formula[strcspn(formula, "+-*/; ")]) != NULL) {
        return;
    }
    list_operands(in, operands);
    while (*formula != '\0' && *formula != ';' && length + DIGITS_MAX < size) {
        const struct operand *operand = find_operand(operands, formula);

        if (operand == NULL) {
            numbers[length++] = *formula++;
        } else {
            length += digits_whole(&numbers[length], operand->number);
            formula += operand->length;
        }
    }
    numbers[length + DIGITS_MAX < size ? length : 0] = '\0';
}
