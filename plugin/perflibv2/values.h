/* values.h
 * The values of a poll as flat rows (counters/poll.h), and what a client aggregates them to
 *
 * Knows nothing of trees.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_VALUES_H
#define PERFLIB_PERFLIBV2_VALUES_H

#include "compat.h"

#include <epan/prefs.h>

#include "cook/cooking.h"
#include "counters/poll.h"
#include "perflibv2/queries.h"

struct aggregates;

/* A block of an answer. */
struct value_block {
    const struct lp_block *bytes;
    struct query_link link; /* LINK_NONE where there is no poll */
};

/* The values of one answer, as often as it is dissected; packet scope. */
struct values {
    struct poll base; /* first: for who makes items of it */
    const struct lpdata *data;
    const struct query_poll *poll; /* what was learned of it; NULL: nothing */
    const struct server *server;   /* whose values these are, by what is known by now */
    /* Of values.c: */
    bool has_columns, has_rows, has_aggregates; /* somebody asked for them */
    struct aggregates *aggregates;
    struct value_block *blocks; /* NULL: nobody asked for them */
};

/* Adds the preference that leaves counters out of tables. */
void values_register(module_t *module);

/*
 * data: the parsed answer, which has to live as long. poll: what the capture taught of it; NULL, or one of other blocks
 * than data's, leaves values without a name. Nothing is looked up yet.
 */
struct values *values_new(const struct lpdata *data, const struct query_poll *poll, wmem_allocator_t *scope);
/* The counters of a new poll claim their names (poll_claim_names()). */
void values_claim_names(struct values *values);

/* The index-th block; index must be below the number of data's blocks. */
const struct value_block *values_block(struct values *values, unsigned index);
/* Fills in the columns of all blocks. */
void values_fill_columns(struct values *values);
/* Fills in columns and rows of all blocks. */
void values_fill_rows(struct values *values);

/* The counter of the capture that a column is of, without an instance. */
struct identity *values_identity_of_all(struct poll *poll, struct poll_column *column);
/* The previous poll, which must be there, with rows for its countersets that keep values of instances that are gone. */
struct poll *values_previous(const struct values *values);
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

/* ---- aggregates.c ---- */

/*
 * What is to be aggregated in a poll; NULL: nothing, or a block may be of the same counterset and it can't be told
 * whether.
 */
struct aggregates *aggregates_make(struct values *values);

#endif /* PERFLIB_PERFLIBV2_VALUES_H */
