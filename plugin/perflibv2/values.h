/* values.h
 * Values of a poll as flat rows (counters/poll.h), and the values that a client aggregates from them
 *
 * Independent of trees.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_VALUES_H
#define PERFLIB_PERFLIBV2_VALUES_H

#include "compat.h"

#include "counters/poll.h"
#include "perflibv2/queries.h"

struct aggregates;

/* A block of an answer */
struct value_block {
    const struct lp_block *bytes;
    struct query_link link; /* the block's identifier; LINK_NONE if .poll of struct values is NULL */
};

/* Values of one answer during one dissection; packet scope */
struct values {
    struct poll base; /* must be the first member */
    const struct lpdata *data;
    const struct query_poll *poll; /* facts learned from the poll; NULL: none, for example because of a request */
    const struct server *server;   /* machine of the values, as known so far */
    /* Used by values.c */
    bool has_columns, has_rows, has_aggregates; /* parts that were already filled in */
    struct aggregates *aggregates;
    struct value_block *blocks;   /* NULL: not filled in yet */
    bool *wrong_blocks;           /* true for blocks with a finding, see values_mark_wrong(); NULL: none */
    struct perf_tap_poll *record; /* NULL: not created yet */
};

/* Registers the preference that leaves counters out of tables. */
void values_register(module_t *module);

/*
 * Returns the values of a parsed answer; data must live as long as the result. poll: facts learned from the answer. If
 * poll is NULL, or has another number of blocks than data, values have no names. Names are looked up on demand.
 */
struct values *values_new(const struct lpdata *data, const struct query_poll *poll, wmem_allocator_t *scope);
/*
 * Gives the counters of a new poll their current names (poll_claim_names()). Other counters, if first polled later,
 * cannot get the same names. First pass only.
 */
void values_claim_names(struct values *values);

/* Returns a block; index must be below the number of blocks. */
const struct value_block *values_block(struct values *values, unsigned index);
/* Notes that a finding of a rule is about a block. Call it before values_record(). */
void values_mark_wrong(struct values *values, unsigned index);
/* Fills in the columns of all blocks. */
void values_fill_columns(struct values *values);
/* Fills in columns and rows of all blocks. */
void values_fill_rows(struct values *values);

/*
 * Returns the previous poll, which must exist. Only its blocks of countersets whose aggregates include deleted
 * instances (InstanceType 0xC) are filled in.
 */
struct poll *values_previous(const struct values *values);
/* Returns the values that a client aggregates from instances, computed on first use; NULL if there are none. */
const struct aggregates *values_aggregates(struct values *values);

/*
 * Returns the record for statistics, created on first use, in packet scope: all values with a path, each counter and
 * instance once, and the aggregates. Counters not for display are left out if the preference says so.
 */
struct perf_tap_poll *values_record(struct values *values);

/*
 * Aggregates: the single value that a client computes for a counter of an aggregating counterset from all returned
 * instances
 *
 * [MS-PCQ] 2.2.4.1 (InstanceType) and 2.2.4.2 (AggregateFunc). Independent of trees.
 */

struct aggregate {
    struct identity *identity; /* identity of the aggregated counter, without an instance */
    const char *path;
    uint32_t function;         /* AggregateFunc (2.2.4.2) */
    struct cook_result cooked; /* value of the aggregate; .reason is always COOK_OK */
    unsigned num_instances;    /* number of instances with a value, at least 1 */
    unsigned num_gone;         /* number of deleted instances whose last value is included (InstanceType 0xC) */
    unsigned num_returned;     /* number of instances returned, with or without a value */
    bool is_nameless;          /* an included instance has no name, so its path equals .path of the aggregate */
    bool is_own;               /* the only included instance has no name, so the aggregate is that instance's value */
    /* first block with the counter, and the counter's column in it: the index of its value for the first instance */
    uint32_t block, at;
};

/* Aggregates of a poll; packet scope */
struct aggregates {
    unsigned count;
    const struct aggregate *all; /* array of aggregates in the order of the poll */
};

/* ---- aggregates.c ---- */

/*
 * Returns the aggregates of a poll. NULL: there are none, or a block with an unknown counterset may belong to an
 * aggregate.
 */
struct aggregates *aggregates_make(struct values *values);

#endif /* PERFLIB_PERFLIBV2_VALUES_H */
