/* values.h
 * The values of a poll: their bytes, what they are the values of, and what they come to
 *
 * One reader for all who ask (tree, watch list, tables), so that raw and cooked values can't come from different
 * answers, and a value is cooked once a dissection, and only if somebody asks. Knows nothing of trees.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_VALUES_H
#define PERFLIB_PERFLIBV2_VALUES_H

#include <epan/prefs.h>

#include "cook/cooking.h"
#include "counters/poll.h"
#include "perflibv2/queries.h"

struct aggregates;

/* The values of one answer, as often as it is dissected; packet scope. */
struct values {
    struct poll base; /* first: for who makes items of it */
    const struct lpdata *data;
    const struct query_poll *poll; /* what was learned of it; NULL: nothing */
    /* Of values.c: */
    bool has_aggregates; /* somebody asked for them */
    struct aggregates *aggregates;
    struct value_block **blocks; /* those asked for; NULL: none yet */
    wmem_map_t *sets_before;     /* struct series_shape of the previous poll (by set and kind); NULL: not made */
};

/* Adds the preference that leaves counters out of tables. */
void values_register(module_t *module);

/*
 * data: the parsed answer, which has to live as long. poll: what the capture taught of it; NULL, or one of other blocks
 * than data's, leaves values without a name. Nothing is looked up yet.
 */
struct values *values_new(const struct lpdata *data, const struct query_poll *poll, wmem_allocator_t *scope);

/* A block: what is the same for all its values. */
struct value_block {
    const struct lp_block *bytes;
    struct query_link link; /* LINK_NONE where there is no poll */
    bool is_named;          /* counterset, counters and instances are known, so values have paths */
    /* Where is_named: */
    unsigned index;
    const struct series_shape *shape;
    const struct catalog_counter *counters; /* what is known of each counter of the shape */
    unsigned *twins;                        /* which of those with its id each is */
    bool polled_before;                     /* the previous poll held instances of the counterset */
    const struct value_recipe *recipes;     /* of each counter, for values.c; NULL: nothing was cooked yet */
};

/* The index-th block; index must be below the number of data's blocks. */
struct value_block *values_block(struct values *values, unsigned index);

/* The following only where block->is_named. */
/*
 * The counter's id, how many of that id stand before it in its counterset (0 nearly always), and what is known of it.
 */
uint32_t values_counter_id(const struct value_block *block, unsigned at);
unsigned values_twin(const struct value_block *block, unsigned at);
const struct catalog_counter *values_counter(const struct value_block *block, unsigned at);
/* The instance a value is of. */
const struct series_row *values_row(const struct value_block *block, unsigned at);
/* The counter of the capture that a value is of, without its instance. */
struct identity *values_identity_of_all(struct values *values, const struct value_block *block, unsigned at);
/* What a value of an earlier poll of the same query comes to; the poll's series are prepared. */
struct cook_result values_cook_earlier(const struct values *values, const struct series_poll *poll, unsigned block,
    unsigned at);
/* Whose values these are, by what is known by now. */
const struct server *values_server(const struct values *values);
/* What a client makes of the values of instances; made on the first call, NULL where there is nothing of the kind. */
const struct aggregates *values_aggregates(struct values *values);

/*
 * All values with a path for the tables of values, each counter and instance once, and what a client aggregates them
 * to; packet scope. Counters that are not for display are left out where the user wants that.
 */
struct perf_tap_poll *values_record(struct values *values);

/*
 * The one value a client makes of a counter of an aggregating counterset, from those of all returned instances
 *
 * [MS-PCQ] 2.2.4.1 (InstanceType) and 2.2.4.2 (AggregateFunc). Knows nothing of trees.
 */

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

#endif /* PERFLIB_PERFLIBV2_VALUES_H */
