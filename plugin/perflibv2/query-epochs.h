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
    /* query's .gaps at the start of the epoch, or when check_epoch() last found no change */
    unsigned gaps;
    /*
     * number of unknown ValidateCounters results at the start of the epoch, or when check_epoch() last found no change
     */
    unsigned changes_unknown;
    bool is_doubtful;                /* calls are missing, but nothing shows yet that identifiers changed */
    unsigned map_gaps;               /* .gaps of the query at the QueryCounterInfo answer */
    unsigned map_changes_unknown;    /* number of unknown ValidateCounters results at the QueryCounterInfo answer */
    const struct series_poll *first; /* first poll of the epoch; NULL: none yet */
    unsigned num_polled;             /* number of blocks in the epoch's latest poll */
    /* before the first poll, an answer showed that a call not captured changed the identifiers */
    bool is_changed_unseen;
    bool has_widths; /* the catalog has learned the value sizes of the mapped blocks */
};

/* Begins a new epoch, without an index map: the query's identifiers have changed, or seem to have changed. */
void query_epoch_begin(struct query *query);

/* ---- queries.c ---- */

/* Returns whether calls that may have changed the query are missing since a request was sent. */
bool queries_is_gap_since(const struct query *query, const struct connection_state *sent);
/* Returns whether the query was being changed at a moment (queries_moment()), or has changed since. */
bool queries_changed_since(const struct query *query, uint32_t moment);
/*
 * Counts ValidateCounters calls that wait too long for an answer as lost, when another call is answered. moment, sent:
 * queries_moment() and the connection at the request of that call.
 */
void queries_give_up_changes(struct query *query, uint32_t moment, const struct connection_state *sent);
/* Returns counterset, counter and instance of an identifier in a buffer. The instance name is not copied. */
struct query_identifier queries_read_identifier(tvbuff_t *tvb, const struct lp_identifier *id);
/* Returns whether an identifier may request values that one of the query's identifiers requests, too. */
bool queries_may_be_added(struct query *query, const struct query_identifier *id, wmem_allocator_t *scratch);

/*
 * Returns whether the counters of an identifier were removed since the last poll, so that its values are not compared
 * with that poll.
 */
bool queries_is_restarted(const struct query *query, const struct query_identifier *id, wmem_allocator_t *scratch);

#endif /* PERFLIB_PERFLIBV2_QUERY_EPOCHS_H */
