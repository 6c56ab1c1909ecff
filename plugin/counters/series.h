/* series.h
 * The values of one query handle's polls, remembered: so that each value finds its previous
 * one, whatever poll is looked at and in whatever order
 *
 * Only values are kept, not buffers: 4 bytes each where they are near those of an earlier poll, else 8. What a poll's
 * values are the values of - its layout - is kept once for as long as polls repeat it. Knows nothing of packets, names
 * and types.
 *
 * A value is compared with the same counter's of the same instance (name and id) in the handle's poll before, and with
 * no earlier one: a counter that was not in that poll has a first sample.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_SERIES_H
#define PERFLIB_COUNTERS_SERIES_H

#include "compat.h"
#include "cook/cooking.h"
#include "counters/identity.h"

/* One handle's memory; file scope. */
struct series_store;

/* One counter of one instance over the life of a handle; file scope. */
struct series {
    e_guid_t set;
    uint32_t counter;
    struct series_row row;
    unsigned twin;       /* counters of this id that stand before it in its block: 0 nearly always */
    unsigned occurrence; /* instances of the same identity that stand before it in its block: 0 nearly always */
    /* Where its latest value stands; kept by series.c. */
    unsigned duplicates, duplicates_before; /* of the first: how many more there are, and were in its last layout */
    const struct series_layout *layout;
    unsigned block, at;
    struct identity *identity; /* cache of the reader's: the counter of the capture that it is of, */
    uint64_t version;          /* by the names of then */
};

struct series_column {
    uint32_t counter;
    unsigned column;
};

/* What a block's values are the values of: rows x counters, row by row. File scope. */
struct series_shape {
    e_guid_t set;
    uint32_t kind;
    unsigned num_counters, num_rows;
    uint32_t *counters;
    struct series_row *rows;
    struct instance **instances;   /* of each row; NULL: it is not known what they are of */
    const uint8_t *widths;         /* a value's bytes on the wire: 4, 8, or 0 for what is no number */
    struct series **series;        /* to be read after series_prepare() */
    struct series_column *columns; /* the counters in order of id and place; of series.c */
    /* of each counter, how many of its id stand before it; NULL: none is there twice */
    unsigned *twins;
    /* Of counters/poll.c: */
    uint64_t named;               /* the version of names that its counters have claimed theirs in */
    struct poll_watched *watched; /* its values that the watch list has entries for; NULL: nobody asked */
};

struct series_poll;

/* Where a value stands in the previous poll. */
struct series_ref {
    uint32_t block, at; /* at: SERIES_NONE where that poll does not hold it */
};
#define SERIES_NONE UINT32_MAX

struct series_block {
    const uint64_t *values;          /* its own, or an earlier poll's, */
    const int32_t *steps;            /* which its own are so far from; NULL: they are these */
    const struct series_ref *before; /* of a poll that starts a layout; NULL: no value has a previous one */
};

struct series_layout;

struct series_poll {
    uint32_t frame;
    uint32_t next_frame; /* of the handle's poll after this one; 0: none was seen so far */
    struct cook_clocks clocks;
    const struct series_poll *previous; /* the handle's poll before this one; NULL: this is its first */
    struct series_layout *layout;
    uint16_t lost;      /* calls that were not captured between the previous poll and this one, as far as known */
    bool starts_layout; /* the poll before was laid out otherwise; else values stand where they stood in it */
    unsigned num_blocks;
    struct series_block blocks[];
};

/* A block as just parsed. Arrays may be packet scope: what is kept of them is copied. */
struct series_block_in {
    e_guid_t set;
    bool is_new;   /* its counters begin anew: they are not compared with the previous poll's */
    bool is_named; /* set is what it is called, and rows with names are its instances */
    uint32_t kind; /* the caller's: the type of block */
    unsigned num_counters, num_rows;
    const uint32_t *counters;
    const struct series_row *rows;
    const uint8_t *widths;  /* num_rows x num_counters, as values */
    const uint64_t *values; /* num_rows x num_counters */
    const uint64_t *base;   /* of series.c */
};

/* A handle of a machine without polls. text: of rows of blocks that are known. */
struct series_store *series_store_new(const struct server *server, instance_text_cb text);
/* Forgets what is needed only to add polls. Those added can still be read. */
void series_store_close(struct series_store *history);

/* Remembers a poll; call once for each. One that is read late is put where its frame stands in the capture. */
const struct series_poll *series_store_add(struct series_store *history, uint32_t frame, unsigned lost,
    const struct cook_clocks *clocks, struct series_block_in *blocks, unsigned num_blocks);

/*
 * What a block of a poll, and of those laid out like it, is the block of has become known only now: its counterset,
 * and where not NULL its one counter and its one row (file scope). Where several polls with layouts of their own are
 * told so, the earliest comes first: instances of one name are numbered in the order of the capture.
 */
void series_identify(struct series_store *history, const struct series_poll *poll, unsigned block, const e_guid_t *set,
    const uint32_t *counter, const struct series_row *row);

/* Makes the series of a poll's shapes, where that was put off. */
void series_prepare(const struct series_poll *poll);
/* Seconds between a poll and an earlier one, by the 100 ns time of both. */
double series_seconds(const struct series_poll *poll, const struct series_poll *before);
/* Seconds between a poll and the handle's previous one, by the 100 ns time of both; 0 where there is none. */
double series_interval(const struct series_poll *poll);

/* The shape of a poll's block. */
struct series_shape *series_shape(const struct series_poll *poll, unsigned block);
/* The at-th value of a block, as it was sent. */
static inline uint64_t
series_raw(const struct series_poll *poll, unsigned block, unsigned at)
{
    const struct series_block *kept = &poll->blocks[block];

    return kept->values[at] + (kept->steps == NULL ? 0 : (uint64_t)(int64_t)kept->steps[at]);
}
/* The at-th value of a block, now and in the previous poll. */
struct cook_value series_value(const struct series_poll *poll, unsigned block, unsigned at);
/*
 * Another counter of the same instance in the same poll: of the same block and row, else of any block, else of an
 * instance of the same name where either is known without an id (0xFFFFFFFF) and no other has the name. false where
 * the poll does not hold it.
 */
bool series_find(const struct series_poll *poll, unsigned block, unsigned at, uint32_t counter, unsigned *found_block,
    unsigned *found_at);

/* The counters of a shape by their ids: series-columns.c */

/* ---- series-columns.c ---- */

/* Orders the counters of a new shape. like: a shape that may have the same counters; NULL: none is known. */
void series_order_columns(struct series_shape *shape, const struct series_shape *like);
/* How many counters of a shape have this id. */
unsigned series_shape_count(const struct series_shape *shape, uint32_t counter);
/* The first column of a counter in a shape; UINT_MAX: none. */
unsigned series_column(const struct series_shape *shape, uint32_t counter);

#endif /* PERFLIB_COUNTERS_SERIES_H */
