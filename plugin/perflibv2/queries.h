/* queries.h
 * Query handles (RPC_HQUERY): their life, the identifiers added to them, and which block of a poll belongs to which
 * identifier
 *
 * [MS-PCQ] 2.2.1, 3.1.1 and 3.1.4.1.4 to 3.1.4.1.8. Everything is learned on the first pass, in the order of the
 * capture, and read on all. Knows nothing of trees.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_QUERIES_H
#define PERFLIB_PERFLIBV2_QUERIES_H

#include "counters/catalog.h"
#include "counters/series.h"
#include "perflibv2/connections.h"
#include "perflibv2/inference.h"
#include "perflibv2/lpdata.h"

/* One life of a handle: a handle that is opened again after it was closed is another query. File scope. */
struct query {
    e_guid_t handle;
    struct server *server;
    uint32_t opened_in;            /* frame of the answer; 0: not opened in this capture */
    uint32_t closed_in;            /* frame of the request that closed it; 0: not closed */
    struct connection *connection; /* it was opened on, or first used on */
    bool may_be_closed;            /* somebody asked for it and was not refused */
    uint32_t given_again_in; /* frame that gave it to another client while it was open, as far as known; 0: none */
    struct connection_state closing; /* where it was closed, and when */
    uint32_t number;                 /* in the order seen, from 1 */
    unsigned changes_sent;           /* ValidateCounters requests, and the answers to them: where they differ, */
    unsigned changes_known;          /* some change of the query is not known */
    unsigned changes_begun, changes_answered; /* the same calls, whatever came of them, */
    unsigned changes_given_up;                /* and those whose answer is taken for lost */
    time_t change_sent_at;                    /* the latest */
    unsigned gaps_opened;     /* how often calls had been missing on the connection when it was opened, */
    unsigned gaps;            /* and by its latest call */
    bool is_shared;           /* several connections use it: then those of all its client's are meant; */
    unsigned all_gaps_opened; /* there had been so many by the time of its opening */
    bool calls_missing;       /* calls were missing since it was opened: a change may have been among them */
    bool is_overlapped;       /* calls are missing where several may be under way: nobody can tell when it changed */
    bool is_unnumbered;       /* whether calls were missing can't be told */
    struct query_epoch *epoch;
    uint32_t num_epochs;
    struct inference *inference;  /* of the epoch; NULL until a poll without an index map asks for it */
    GHashTable *identifiers;      /* struct query_identifier (by what it names) -> itself; NULL: there are none */
    GHashTable *keys;             /* ... by what may be looked for of them -> how many; NULL: nobody asked yet */
    struct series_store *history; /* NULL before the first poll */
    const struct query_poll *last;
    struct perflibv2_habits *habits; /* of efficiency.c; NULL: nothing was seen so far */
};

/* One successful QueryCounterData. File scope. */
struct query_poll {
    struct query *query;
    struct query_epoch *epoch;
    const struct series_poll *values;
    const struct query_link *inferred; /* one a block; NULL: there was an index map, or nothing can be inferred */
    unsigned num_blocks;
    unsigned num_announced; /* blocks, with those that a snap length cut off */
    uint32_t num_values;
    enum link_cause cause;          /* why a block without a link has none */
    bool is_doubtful;               /* calls were missing since the index map */
    unsigned gaps, changes_unknown; /* what was missing of the query's calls by then, and of its changes' answers */
};

/* Called once, at registration. */
void queries_init(void);

/*
 * The query of a handle that a request uses: the one of its connection, else the latest, as connections of a client may
 * share handles. One never seen opened is made, with opened_in 0; so is one that was closed, or is another
 * connection's, where the capture may lack that the handle was given out again.
 */
struct query *queries_use(struct server *server, const e_guid_t *handle, const struct connection_state *state);
/* The latest query of a handle; NULL where it has not been seen. */
struct query *queries_find(struct server *server, const e_guid_t *handle);
/*
 * The query whose handle, the same as this one's, another server opened; NULL: none did. For a query with opened_in 0.
 */
const struct query *queries_opened_elsewhere(const struct query *query);
/* How many there have been by now. */
uint32_t queries_begun(void);
/* A handle was opened by the answer in frame. begun: by the time of its request, UINT32_MAX if that was not seen. */
struct query *queries_open(struct server *server, const e_guid_t *handle, const struct connection_state *state,
    uint32_t begun, uint32_t frame);
/* A handle was closed by the request in frame. */
void queries_close(struct query *query, const struct connection_state *state, uint32_t frame);
/*
 * A call was made on a connection, or answered there. is_open: the one that opened the handle. What is known of a query
 * is right as long as no call that is missing by then was one of its changes.
 */
void queries_called(struct query *query, bool is_open, struct connection *connection);
/*
 * When a call was sent, as far as changes of its query go: to be asked when the request is seen and handed in with the
 * answer. An answer speaks of the query as it was at the request, or after a change that was under way: then nobody can
 * tell.
 */
uint32_t queries_moment(const struct query *query);
/* A ValidateCounters request was sent. */
void queries_change_sent(struct query *query, const struct connection_state *sent);
/*
 * Its answer: identifiers with status 0 are now part of the query, or no longer. A cut buffer leaves the change
 * unknown.
 */
void queries_changed(struct query *query, const struct lpdata *identifiers, bool add);
/* Its answer said that nothing changed. */
void queries_unchanged(struct query *query);
/*
 * Whether its calls were made in the order of the capture. TCP's numbers tell that of a connection; of several, which
 * may share the handle, nothing does.
 */
bool queries_is_in_order(const struct query *query);
/* Whether a change sent at that moment is the only one of its query that is not known, and was alone under way. */
bool queries_is_only_change(const struct query *query, uint32_t moment, const struct connection_state *sent);
/* The first identifier with status 0 that the query has already, from 1; 0: none. To be asked before a change. */
unsigned queries_first_added(const struct query *query, const struct lpdata *identifiers);
/*
 * The first identifier, counted from 1, that none of the query's identifiers may mean; 0: none. accepted_only: of those
 * with status 0, to be asked before they are removed.
 */
unsigned queries_first_not_added(struct query *query, const struct lpdata *identifiers, bool accepted_only,
    wmem_allocator_t *scratch);
/*
 * A QueryCounterInfo answer to a request of that moment, sent when its connection was known so far: the index map. What
 * is missing since the request may have changed the query before the answer.
 */
void queries_mapped(struct query *query, const struct lpdata *identifiers, uint32_t moment,
    const struct connection_state *sent, uint32_t frame, wmem_allocator_t *scratch);
/* A QueryCounterData answer to such a request. */
struct query_poll *queries_polled(struct query *query, const struct lpdata *data, uint32_t moment,
    const struct connection_state *sent, uint32_t frame, wmem_allocator_t *scratch);

/* Whether a poll is the first since its query changed, so that nothing it lacks was deleted. */
bool queries_begins_epoch(const struct query_poll *poll);
/* The number of identifiers in the index map of a poll's query; 0: there is none, or it may be of another time. */
unsigned queries_num_mapped(const struct query_poll *poll);
/* The number of identifiers a query had when a request was sent; -1 where some change of it is not known. */
int queries_num_identifiers(const struct query *query, uint32_t moment, const struct connection_state *sent);

/*
 * The identifier that an index map gives to a block; NULL: none, calls are missing since, or it is of another number of
 * blocks.
 */
const struct query_identifier *queries_identifier(const struct query_poll *poll, unsigned block);
/* What a block of a poll is, by what is known by now. */
struct query_link queries_link(const struct query_poll *poll, unsigned block);
/* What a row with a name is called in paths before it is numbered, newly allocated in scope. */
char *queries_instance_text(wmem_allocator_t *scope, const struct series_row *row);
/* Rises with every index map: what was made of links earlier may then be out of date. */
unsigned queries_version(void);

#endif /* PERFLIB_PERFLIBV2_QUERIES_H */
