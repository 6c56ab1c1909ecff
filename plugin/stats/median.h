/* median.h
 * The median of numbers that come one by one
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_MEDIAN_H
#define PERFLIB_STATS_MEDIAN_H

#include <glib.h>

/* Zero at first. */
struct median {
    GArray *halves[2]; /* heaps: of the smaller numbers, each negated, and of the others; the least stands first */
};

/* Adds a number, which costs the logarithm of how many there are. Returns the median of all. */
double median_add(struct median *median, double number);
void median_free(struct median *median);

#endif /* PERFLIB_STATS_MEDIAN_H */
