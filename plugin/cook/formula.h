/* formula.h
 * A formula with its numbers, so that nobody has to collect them from two polls
 *
 * Plain C: nothing of Wireshark is needed here.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COOK_FORMULA_H
#define PERFLIB_COOK_FORMULA_H

#include <stddef.h>

#include "cook/cooking.h"

/* Room for the numbers of any formula. */
#define COOK_NUMBERS_MAX 256

/*
 * Writes a formula of cook() with the numbers it was computed from, "100*(1-(8655835863-8655735863)/(1000-900))",
 * without the legend behind the semicolon, to numbers, which has size bytes. "" where there is nothing to compute (N1),
 * or no room.
 */
void cook_formula_numbers(const struct cook_input *in, const char *formula, char *numbers, size_t size);

#endif /* PERFLIB_COOK_FORMULA_H */
