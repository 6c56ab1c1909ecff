/* series.h
 * Values of a query handle's polls, so that each value's previous one is found in any order of dissection
 *
 * Values are stored, not buffers: 4 bytes each if close to those of an earlier poll, else 8. The layout of a poll
 * (the shapes of its blocks, that is, their counters and instances, in order) is stored once while polls repeat it.
 * Independent of packets, names and types.
 *
 * The previous value is that of the same counter and instance (name and id) in the handle's previous poll. A counter
 * that was not in that poll has no previous value.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_SERIES_H
#define PERFLIB_COUNTERS_SERIES_H

#include "compat.h"

#include "base/rpc-position.h"
#include "cook/cooking.h"
#include "counters/identity.h"

/* Polls of one handle or, in the older API, of one value name of a client; file scope. */
struct series_store;

/* Series: one counter of one instance in all polls of a handle; file scope. */
struct series {
    e_guid_t set;
    uint32_t counter;
    struct series_row row;
    unsigned nth;        /* number of earlier counters with the same id in the block, nearly always 0 */
    unsigned occurrence; /* number of earlier instances with the same identity in the block, nearly always 0 */
    /*
     * if .occurrence is 0: number of further series that differ only in .occurrence, in the latest layout with this
     * series, and in the layout before that one; used by series.c
     */
    unsigned duplicates, duplicates_before;
    /* position in the latest layout that contains the series, and that layout; used by series.c */
    const struct series_layout *layout;
    unsigned block, at;
    struct identity *identity; /* identity of the counter and instance, cached by counters/poll.c */
    uint64_t version;          /* version of names for .identity */
};

/* A counter of a block: its id, and its index in the .counters of the block's shape */
struct series_column {
    uint32_t counter;
    unsigned column;
};

/*
 * Shape of a block: its counters and instances. Values are in rows, one per instance. Polls share it while it stays the
 * same. File scope.
 */
struct series_shape {
    e_guid_t set;
    uint32_t kind;
    unsigned num_counters, num_rows;
    uint32_t *counters;
    struct series_row *rows;
    struct instance **instances;   /* instance of each row; NULL: the counterset is unknown */
    const uint8_t *widths;         /* size of each value in bytes: 4, 8, or 0 if it is no number */
    struct series **series;        /* series of each value; valid after series_prepare() */
    struct series_column *columns; /* ordered by id, then column; NULL: fewer than 2; used by series-columns.c */
    /* for each counter, the number of earlier counters with its id; NULL: ids are unique */
    unsigned *nths;
    /* The members below are used by counters/poll.c */
    uint64_t named;               /* version of the names that poll_claim_names() last gave these counters */
    struct poll_watched *watched; /* values that watch list entries match; NULL: not looked up yet */
};

struct series_poll;

/* Position of a value in the previous poll */
struct series_ref {
    uint32_t block, at; /* block and index in it; at is SERIES_NONE if the previous poll does not have the value */
};
#define SERIES_NONE UINT32_MAX

struct series_block {
    const uint64_t *values;          /* values of this poll; of an earlier poll, if .steps is not NULL */
    const int32_t *steps;            /* differences of this poll's values from .values; NULL: none */
    const struct series_ref *before; /* if the poll starts a layout: positions of the previous values; NULL: none */
};

struct series_layout;

struct series_poll {
    uint32_t frame;
    uint32_t next_frame; /* frame of the handle's next poll with this one as .previous; 0: none so far */
    struct cook_clocks clocks;
    /* the handle's previous poll, answered before the request of this one; NULL: none */
    const struct series_poll *previous;
    struct series_layout *layout;
    /* number of calls missing from the capture between the previous poll and this one, as far as known */
    uint16_t lost;
    /* the missing calls may not be polls: other calls were captured between the two polls */
    bool is_lost_else;
    /*
     * True if there is no previous poll, or it had another layout, or a block of this one was .is_new. If false, values
     * have the same positions as in the previous poll.
     */
    bool starts_layout;
    unsigned num_blocks;
    struct series_block blocks[];
};

/* A block just parsed. Arrays may be packet scope: they are copied as needed. */
struct series_block_in {
    e_guid_t set;
    bool is_new;   /* do not compare with the previous poll: the client may have removed and added the counters since */
    bool is_named; /* the counterset is known, so each row becomes an instance of the machine */
    uint32_t kind; /* type of block, for the caller */
    unsigned num_counters, num_rows;
    const uint32_t *counters;
    const struct series_row *rows;
    const uint8_t *widths;  /* sizes of .values in bytes: 4, 8, or 0 if a value is no number */
    const uint64_t *values; /* num_rows x num_counters */
    /* for series.c: values of an earlier poll, from which .values can be stored as differences; NULL: none */
    const uint64_t *base;
};

/* Creates a store for polls of a machine. text: callback that returns the name of a row in paths. */
struct series_store *series_store_new(const struct server *server, instance_text_cb text);
/* Frees the tables for adding and identifying polls, after the handle's last poll. Polls can still be read. */
void series_store_close(struct series_store *history);

/*
 * Adds a poll; call it once for each. A poll read out of order is inserted by its frame. request: position of its
 * request.
 */
const struct series_poll *series_store_add(struct series_store *history, uint32_t frame,
    const struct rpc_position *request, const struct cook_clocks *clocks, struct series_block_in *blocks,
    unsigned num_blocks);

/*
 * Sets the counterset of a block that was unknown when the poll was added, in all polls of the same layout. counter,
 * row (file scope): the block's only counter and its only row, or NULL: unchanged. Call it for the layouts in the order
 * of the capture, in which instances are numbered.
 */
void series_identify(struct series_store *history, const struct series_poll *poll, unsigned block, const e_guid_t *set,
    const uint32_t *counter, const struct series_row *row);

/*
 * Looks up previous values of a layout's first poll again, after series_identify() set its countersets. is_late: for
 * each block, whether to do so; false if the client removed and added the counters between the two polls.
 */
void series_rejoin(struct series_store *history, const struct series_poll *poll, const bool *is_late);

/* Creates the series of a poll's blocks, unless they exist: series_store_add() leaves those of the first layout. */
void series_prepare(const struct series_poll *poll);
/* Returns the seconds since the handle's previous poll, by PerfTime100NSec of both; 0 if there is no previous poll. */
double series_interval(const struct series_poll *poll);

/* Returns the shape of a poll's block: its counters and instances. */
struct series_shape *series_shape(const struct series_poll *poll, unsigned block);
/* Returns the value with index at of a block, as sent. */
static inline uint64_t
series_raw(const struct series_poll *poll, unsigned block, unsigned at)
{
    const struct series_block *kept = &poll->blocks[block];

    return kept->values[at] + (kept->steps == NULL ? 0 : (uint64_t)(int64_t)kept->steps[at]);
}
/* Returns the value with index at of a block, now and in the previous poll. */
struct cook_value series_value(const struct series_poll *poll, unsigned block, unsigned at);
/*
 * Finds another counter of a value's instance in the same poll: first in the same row, then in other blocks, then by
 * the instance's name alone, if one of the two counters was requested without an instance id (0xFFFFFFFF) and the name
 * is unique. Returns false if the poll does not have the counter.
 */
bool series_find(const struct series_poll *poll, unsigned block, unsigned at, uint32_t counter, unsigned *found_block,
    unsigned *found_at);

/* ---- series-columns.c ---- */

/*
 * Orders the counters of a block's new shape by id: fills in .columns and .nths. like: a shape that probably has the
 * same counters, or NULL.
 */
void series_order_columns(struct series_shape *shape, const struct series_shape *like);
/* Returns how many columns of a shape have this counter id. */
unsigned series_shape_count(const struct series_shape *shape, uint32_t counter);
/* Returns the first column of a shape with this counter id, or UINT_MAX. */
unsigned series_column(const struct series_shape *shape, uint32_t counter);

/* ---- series-steps.c ---- */

/* Returns the number of a block's values. */
size_t series_count_of_values(const struct series_block_in *block);
/* Writes a block's values as differences from .base. Returns whether all differences fit 32 bits. */
bool series_write_steps(const struct series_block_in *block, int32_t *steps);
/* Returns how many bytes a block's values take in a stored poll, rounded up to a multiple of 8. */
size_t series_size_of_values(const struct series_block_in *block);

#endif /* PERFLIB_COUNTERS_SERIES_H */
