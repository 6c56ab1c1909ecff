/* query-epochs.h
 * The epochs of a query, and what the two files of queries.h need of each other: queries.c keeps handles and the
 * identifiers added to them, query-epochs.c keeps index maps and polls
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_QUERY_EPOCHS_H
#define PERFLIB_PERFLIBV2_QUERY_EPOCHS_H

#include "compat.h"

#include "perflibv2/queries.h"

/* An identifier of an index map, and the block that the map gives it. */
struct mapped {
    uint32_t index;
    struct query_identifier identifier;
};

/* The identifiers of a query do not change within an epoch, so an index map holds for all its polls. */
struct query_epoch {
    uint32_t number;                 /* in the query */
    uint32_t mapped_in;              /* frame of the index map; 0: none yet */
    unsigned num_mapped;             /* length of mapped */
    struct mapped *mapped;           /* sorted by index */
    unsigned gaps;                   /* missing calls when its identifiers were last taken to be these */
    unsigned changes_unknown;        /* missing answers to ValidateCounters at that time */
    bool is_doubtful;                /* calls are missing since its map, but no block has contradicted the map yet */
    unsigned map_gaps;               /* missing calls by the time of its map */
    unsigned map_changes_unknown;    /* missing answers to ValidateCounters by the time of its map */
    const struct series_poll *first; /* its first poll; NULL: none yet */
    unsigned num_polled;             /* blocks of its latest poll */
    bool has_widths;                 /* the catalog was told how wide the values of its mapped blocks are */
};

/* Begins a new epoch, without an index map: identifiers were added or removed. */
void query_epoch_begin(struct query *query);
/* Forgets what was inferred of the blocks of this epoch. */
void query_epoch_drop_inference(struct query *query);

/* Forgets what changed since the last poll. */
void queries_forget_changes(struct query *query);

/* ---- queries.c ---- */

/* Whether calls that may have changed the query are missing since a request was sent. */
bool queries_is_gap_since(const struct query *query, const struct connection_state *sent);
/* Whether the query was being changed at a moment (queries_moment()), or has changed since. */
bool queries_changed_since(const struct query *query, uint32_t moment);
/* Takes answers to changes for lost that are under way for too long when a request of that moment is answered. */
void queries_give_up_changes(struct query *query, uint32_t moment, const struct connection_state *sent);
/* An identifier of a buffer. Its name stays in tvb. */
struct query_identifier queries_read_identifier(tvbuff_t *tvb, const struct lp_identifier *id);
/* Whether an identifier may mean the same as one of the query's. */
bool queries_may_be_added(struct query *query, const struct query_identifier *id, wmem_allocator_t *scratch);

#endif /* PERFLIB_PERFLIBV2_QUERY_EPOCHS_H */
