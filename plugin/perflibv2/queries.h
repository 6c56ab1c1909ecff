/* queries.h
 * Query handles (RPC_HQUERY): their life, the identifiers added to them, which block of a poll
 * belongs to which identifier, and what the polls' values come to
 *
 * [MS-PCQ] 2.2.1, 3.1.1 and 3.1.4.1.4 to 3.1.4.1.8. Everything is learned on the first pass, in the order of the capture, and
 * read on all. Knows nothing of trees.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_QUERIES_H
#define PERFLIB_PERFLIBV2_QUERIES_H

#include "cook/cooking.h"
#include "counters/catalog.h"
#include "counters/series.h"
#include "perflibv2/lpdata.h"

/* One life of a handle: a handle that is opened again after it was closed is another query. File scope. */
struct query {
    e_guid_t handle;
    struct catalog_server *server;
    uint32_t opened_in;         /* frame of the answer; 0: not opened in this capture */
    uint32_t closed_in;         /* frame of the request that closed it; 0: not closed */
    uint32_t number;            /* in the order seen, from 1 */
    unsigned changes_sent;      /* ValidateCounters requests, and the answers to them: where they differ, */
    unsigned changes_known;     /* some change of the query is not known */
    unsigned gaps_opened;       /* how often calls had been missing on the connection when it was opened, */
    unsigned gaps;              /* and by its latest call */
    bool calls_missing;         /* calls were missing since it was opened: a change may have been among them */
    struct query_epoch *epoch;
    GHashTable *identifiers;    /* struct query_identifier (by what it names) -> itself; NULL where there are none, or closed */
    struct series_store *history;    /* NULL before the first poll */
    const struct query_poll *last;
};

/* What a block of a poll is said to be. */
enum link_kind {
    LINK_NONE,                  /* it can't be told */
    LINK_MAPPED,                /* by Index of QueryCounterInfo (3.1.4.1.5) */
    LINK_INFERRED,              /* by what was added and what the block holds */
};

struct query_link {
    enum link_kind kind;
    uint32_t frame;             /* LINK_MAPPED: of the QueryCounterInfo answer */
    e_guid_t set;
    bool counter_known;         /* for blocks without ids */
    uint32_t counter_id;
    bool instance_known;        /* for blocks without instances */
    struct series_row instance;
};

/* One successful QueryCounterData. File scope. */
struct query_poll {
    struct query *query;
    struct query_epoch *epoch;
    const struct series_poll *values;
    const struct query_link *inferred;  /* one a block; NULL: there was an index map */
    unsigned num_blocks;
    uint32_t num_values;
};

/* Called once, at registration. */
void queries_init(void);

/* The query of a handle a request uses; one never seen opened is made, with opened_in 0. */
struct query *queries_use(struct catalog_server *server, const e_guid_t *handle);
/* The latest query of a handle; NULL where it has not been seen. */
const struct query *queries_find(struct catalog_server *server, const e_guid_t *handle);
/* The query whose handle, the same as this one's, another server opened; NULL: none did. For a query with opened_in 0. */
const struct query *queries_opened_elsewhere(const struct query *query);
/* A handle was opened by the answer in frame. */
struct query *queries_open(struct catalog_server *server, const e_guid_t *handle, uint32_t frame);
/* A handle was closed by the request in frame. */
void queries_close(struct query *query, uint32_t frame);
/*
 * A call was made: by then calls had been missing on its connection that often. is_open: the one that opened the handle. What is
 * known of a query is right as long as none of them was one of its changes.
 */
void queries_called(struct query *query, bool is_open, unsigned gaps);
/* A ValidateCounters request was sent. */
void queries_change_sent(struct query *query);
/* Its answer: identifiers with status 0 are now part of the query, or no longer. A cut buffer leaves the change unknown. */
void queries_changed(struct query *query, const struct lpdata *identifiers, bool add);
/* Its answer said that nothing changed. */
void queries_unchanged(struct query *query);
/* A QueryCounterInfo answer: the index map. */
void queries_mapped(struct query *query, const struct lpdata *identifiers, uint32_t frame);
/* A QueryCounterData answer. */
struct query_poll *queries_polled(struct query *query, const struct lpdata *data, uint32_t frame, wmem_allocator_t *scratch);

/* The number of identifiers in the index map of a poll's query; 0 where there is none. */
unsigned queries_num_mapped(const struct query_poll *poll);
/* The number of identifiers a query has now; -1 where some change of it is not known. */
int queries_num_identifiers(const struct query *query);

/* What a block of a poll is, by what is known by now. */
struct query_link queries_link(const struct query_poll *poll, unsigned block);

/* A value of a poll and what it comes to. */
struct query_value {
    struct series *series;
    struct cook_result cooked;
    const struct series_poll *before;  /* the poll it is compared with; NULL: none */
};

/* Reads the values of one block: what is the same for all of them is looked up once. */
struct query_reader {
    const struct query_poll *poll;
    unsigned block;
    struct query_link link;
    const struct series_shape *shape;
    bool is_named;                      /* counterset, counters and instances are known, so paths are, too */
    bool set_polled_before;             /* the previous poll held instances of the set */
    struct catalog_counter *counters;   /* where is_named: what is known of each counter of the shape */
};

/* scope: for the lookups. The shape of a block that was malformed has no values. */
struct query_reader queries_read(const struct query_poll *poll, unsigned block, wmem_allocator_t *scope);
/* The id of the at-th value's counter; 0xFFFFFFFF where it is not known. */
uint32_t queries_counter_id(const struct query_reader *reader, unsigned at);
/* The at-th value of the block, as series.h counts. Only where is_named. */
struct query_value queries_value(const struct query_reader *reader, unsigned at);
/* "\\HOST\Counterset(Instance)\Counter" of a value, file scope ([MS-PLA] 2.2.10). Only where is_named. */
const char *queries_path(const struct query_reader *reader, unsigned at);

#endif /* PERFLIB_PERFLIBV2_QUERIES_H */
