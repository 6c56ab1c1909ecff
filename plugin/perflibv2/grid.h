/* grid.h
 * The values of a block of several instances and counters as a table: lines of text, an instance each
 *
 * Knows nothing of trees.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_GRID_H
#define PERFLIB_PERFLIBV2_GRID_H

#include "perflibv2/values.h"

/* Packet scope. */
struct grid {
    unsigned num_instances, num_counters;   /* that stand in it */
    unsigned more_instances, more_counters; /* that would make it too large */
    unsigned num_lines;
    const char *const *lines; /* heads, instances; again where counters need more than a line */
};

/* How many lines the table of a block has at least; 0: it has none. */
unsigned grid_least_lines(const struct value_block *block);
/*
 * The table of a block that is named; NULL where it would have less than two instances or two counters. Counters that
 * are not displayed do not stand in it.
 */
const struct grid *grid_make(struct values *values, struct value_block *block, wmem_allocator_t *scope);

#endif /* PERFLIB_PERFLIBV2_GRID_H */
