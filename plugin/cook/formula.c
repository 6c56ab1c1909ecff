/* formula.c
 * A formula with its numbers
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "cook/formula.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Letters and what they stand for in a poll of the two; legends in cooking.c. */
struct operand {
    const char *name;
    uint64_t number;
};

#define NUM_OPERANDS 13

static void
list_operands(const struct cook_input *in, struct operand operands[NUM_OPERANDS])
{
    const struct operand list[NUM_OPERANDS] = {
        { "N1", in->value.now }, { "N0", in->value.before },
        { "B1", in->base.now }, { "B0", in->base.before },
        { "T1", in->now.perf_time }, { "T0", in->before.perf_time },
        { "X1", in->now.time_100ns }, { "X0", in->before.time_100ns },
        { "O1", in->time.now }, { "O0", in->time.before },
        { "FO1", in->freq.now }, { "M1", in->multi.now }, { "F", in->now.perf_freq },
    };

    memcpy(operands, list, sizeof list);
}

/* The operand a formula goes on with; NULL: it goes on with something else. */
static const struct operand *
find_operand(const struct operand operands[NUM_OPERANDS], const char *formula)
{
    for (unsigned i = 0; *formula >= 'A' && *formula <= 'Z' && i < NUM_OPERANDS; i++) {
        if (strncmp(formula, operands[i].name, strlen(operands[i].name)) == 0) {
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
    while (*formula != '\0' && *formula != ';' && length + 1 < size) {
        const struct operand *operand = find_operand(operands, formula);

        if (operand == NULL) {
            numbers[length++] = *formula++;
            numbers[length] = '\0';
        } else {
            length += (size_t)snprintf(&numbers[length], size - length, "%" PRIu64, operand->number);
            formula += strlen(operand->name);
        }
    }
    if (length + 1 >= size) {
        numbers[0] = '\0';
    }
}
