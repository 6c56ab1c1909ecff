/* query-epochs.h
 * Epochs of a query, and functions shared by queries.c (handles and their identifiers) and query-epochs.c (index maps
 * and polls)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_QUERY_EPOCHS_H
#define PERFLIB_PERFLIBV2_QUERY_EPOCHS_H

#include "perflibv2/queries.h"

/* An identifier in an index map (QueryCounterInfo answer), and the index of its block */
struct mapped_identifier {
    uint32_t index;
    struct query_identifier identifier;
};

/*
 * Epoch: the time between two changes of a query's identifiers. Its index map (QueryCounterInfo answer) is valid for
 * all its polls.
 */
struct query_epoch {
    uint32_t number;                  /* number within the query */
    uint32_t mapped_in;               /* frame of the QueryCounterInfo answer; 0: none yet */
    unsigned num_mapped;              /* number of elements of .mapped */
    struct mapped_identifier *mapped; /* index map: identifiers and the indexes of their blocks, sorted by index */
    unsigned gaps;                    /* .gaps of the query up to which missing calls count as no change */
    unsigned changes_unknown;         /* number of missing ValidateCounters results that count as no change */
    bool is_doubtful;                 /* calls are missing, but nothing shows yet that identifiers changed */
    unsigned map_gaps;                /* .gaps of the query at the QueryCounterInfo answer */
    unsigned map_changes_unknown;     /* number of missing ValidateCounters answers at the QueryCounterInfo answer */
    const struct series_poll *first;  /* first poll of the epoch; NULL: none yet */
    unsigned num_polled;              /* number of blocks in the epoch's latest poll */
    bool is_changed_unseen;           /* an uncaptured change was noticed before the epoch's first poll */
    bool has_widths;                  /* the catalog has learned the value sizes of the mapped blocks */
};

/* Begins a new epoch without an index map, after identifiers were added or removed. */
void query_epoch_begin(struct query *query);

/* ---- queries.c ---- */

/* Returns whether calls that may have changed the query are missing since a request was sent. */
bool queries_is_gap_since(const struct query *query, const struct connection_state *sent);
/* Returns whether the query was being changed at a moment (queries_moment()), or has changed since. */
bool queries_changed_since(const struct query *query, uint32_t moment);
/*
 * Counts ValidateCounters answers that are outstanding too long as lost. moment, sent: from the request that is
 * answered now.
 */
void queries_give_up_changes(struct query *query, uint32_t moment, const struct connection_state *sent);
/* Returns counterset, counter and instance of an identifier in a buffer. The instance name is not copied. */
struct query_identifier queries_read_identifier(tvbuff_t *tvb, const struct lp_identifier *id);
/* Returns whether an identifier may ask for values that one of the query's identifiers asks for, too. */
bool queries_may_be_added(struct query *query, const struct query_identifier *id, wmem_allocator_t *scratch);

/* Returns whether an identifier of a block was added after its counters were removed, both since the last poll. */
bool queries_is_restarted(const struct query *query, const struct query_identifier *id, wmem_allocator_t *scratch);

#endif /* PERFLIB_PERFLIBV2_QUERY_EPOCHS_H */
