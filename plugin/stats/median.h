/* median.h
 * The median of numbers that come one by one
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_MEDIAN_H
#define PERFLIB_STATS_MEDIAN_H

#include <glib.h>

/*
 * Adds a number, which costs the logarithm of how many there are. Returns the median of all. *numbers: all so far, in
 * order; NULL at first, to be freed with g_sequence_free().
 */
double median_add(GSequence **numbers, double number);

#endif /* PERFLIB_STATS_MEDIAN_H */
