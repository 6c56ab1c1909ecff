/* aggregates.h
 * The one value a client makes of a counter of an aggregating counterset, from those of all returned instances
 *
 * [MS-PCQ] 2.2.4.1 (InstanceType) and 2.2.4.2 (AggregateFunc). Knows nothing of trees.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_AGGREGATES_H
#define PERFLIB_PERFLIBV2_AGGREGATES_H

#include "perflibv2/values.h"

struct aggregate {
    struct identity *identity; /* of the counterset as a whole */
    const char *path;
    uint32_t function;         /* AggregateFunc (2.2.4.2) */
    struct cook_result cooked; /* reason is COOK_OK */
    unsigned num_instances;    /* that have a value; at least 1 */
    unsigned num_gone;         /* ... the last one they had, as they are no longer there (InstanceType 0xC) */
    unsigned num_returned;     /* with those that have none */
    bool is_nameless;          /* of instances without a name, too, whose path is the same */
    bool is_own;               /* ... and of no others than one */
    uint32_t block, at;        /* a value of the counter; at may be beyond the block's values */
};

/* The aggregates of a poll; packet scope. */
struct aggregates {
    unsigned count;
    const struct aggregate *all; /* in the order of the poll */
};

/*
 * What is to be aggregated in a poll; NULL: nothing, or a block may be of the same counterset and it can't be told
 * whether.
 */
struct aggregates *aggregates_make(struct values *values, unsigned num_blocks, wmem_allocator_t *scope);

#endif /* PERFLIB_PERFLIBV2_AGGREGATES_H */
