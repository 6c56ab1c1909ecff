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

#include "compat.h"

#include <epan/dissectors/packet-dcerpc.h>

#include "base/rpc-call.h"
#include "counters/catalog.h"
#include "counters/series.h"
#include "counters/server.h"
#include "perflibv2/lpdata.h"

/*
 * The connections that calls are made on: how they are protected, and which calls the capture lacks
 *
 * packet-dcerpc does not hand down how a call was protected. Its PDU stands in the packet, in clear but for the stub,
 * so that is where it is read ([MS-PCQ] 2.1, 2.2). Once a connection is enough.
 */

/* How a PDU shows its connection to be. */
struct connection_view {
    bool is_first; /* the PDU is the first of its connection, and of its direction, that shows it */
    bool is_named_pipe, is_ndr64;
    uint8_t auth_type, auth_level; /* [MS-RPCE] 2.2.1.1.7, 2.2.1.1.8 */
};

/* A connection, and on SMB a pipe. File scope. */
struct connection;

/* ---- connections.c ---- */

/* That of a call; made on first use. In any pass. */
struct connection *connections_of(const dcerpc_info *di);

/* What the capture tells of a connection by the time a request was sent. */
struct connection_state {
    struct connection *connection; /* for what is here alone */
    unsigned gaps;                 /* how often calls were missing by then */
    unsigned lost;                 /* and how many, as far as their numbers tell */
    unsigned all_gaps;             /* the same of all connections of its client to its server, and of how they begin */
    bool is_unnumbered;            /* its client gave several calls the same number: none can be seen to be missing */
    time_t sent_at;                /* when, in seconds of the capture's clock */
    bool several_under_way;        /* a call was sent while another lacked its answer */
    bool lacks_open;               /* a call that opens something lacks its answer */
    bool any_lacks_open;           /* ... on any of those connections, or one of them is unnumbered */
    bool is_whole;                 /* it is known that no call was missing, from its first on */
    bool is_only;                  /* no other of its client to its server was seen, which may share its handles */
};

/*
 * A request was sent. Clients number their calls, so one that is not there leaves a gap. First pass only; so are those
 * below.
 */
struct connection_state connections_request(struct connection *connection, const dcerpc_info *di, packet_info *pinfo);
/* A call was made whose request nobody reads. NULL: nor was any of the connection read. */
void connections_lack_request(struct connection *connection, const struct rpc_lack *lack, const packet_info *pinfo);
/* A call of the connection was answered. */
void connections_answered(struct connection *connection);
/* The same as it is known by now. */
struct connection_state connections_now(struct connection *connection);
/* Whose connection it is. In any pass. */
struct server_link *connections_link(struct connection *connection);
/* Whether the clients of both, as far as seen, have one address: a client may share handles among connections. */
bool connections_share_client(const struct connection *a, const struct connection *b);
/*
 * How many calls that open something have been sent on it (1), or were answered in words that can be read or by a fault
 * (-1).
 */
void connections_opens(struct connection *connection, int opens);
/* Looks at a PDU, where none of its direction was seen. First pass only. */
void connections_look(struct connection_view *view, struct connection *connection, const dcerpc_info *di,
    packet_info *pinfo, bool is_response);
/* Looks at a call that was refused by a fault, where no answer was seen. First pass only. */
void connections_look_at_refused(struct connection_view *view, struct connection *connection,
    const struct rpc_call *call);

/*
 * What a block of a poll is: what the identifier says that an index map gives it, or what can be inferred
 * where there is none
 *
 * [MS-PCQ] 2.2.4.6 and 2.2.4.8. Knows nothing of handles and of trees.
 */

/* What an identifier names (2.2.4.6). */
struct query_identifier {
    e_guid_t set;
    uint32_t counter_id;
    struct series_row instance; /* id and name as sent */
    bool is_as_added;           /* of an index map: the query is known to have it, in these words; */
    bool is_not_added;          /* ... in none that may mean the same */
};

/* ---- inference.c ---- */

/* For glib's hash tables; identifiers are the same where they name the same. */
guint query_identifier_hash(const void *identifier);
gboolean query_identifier_equal(const void *a, const void *b);

/* An instance of a buffer: its name stays where it stands in tvb. */
struct series_row inference_row(tvbuff_t *tvb, uint32_t id, unsigned name_offset, struct utf16_text name);
/* A copy whose name is in file scope. */
struct series_row inference_keep_row(const struct series_row *row);

/* What a block of a poll is said to be. */
enum link_kind {
    LINK_NONE,     /* it can't be told */
    LINK_MAPPED,   /* by Index of QueryCounterInfo (3.1.4.1.5) */
    LINK_INFERRED, /* by what was added and what the block holds */
};

/* Why it can't be told. */
enum link_cause {
    LINK_AMBIGUOUS,        /* more than one identifier may be meant */
    LINK_NOT_MAPPED,       /* there is an index map, but it has no identifier for the block, or several */
    LINK_OTHER_NUMBER,     /* there is an index map, but of another number of blocks */
    LINK_CONTRADICTED,     /* there is an index map, but the block can't answer the identifier */
    LINK_NOT_ADDED,        /* there is an index map, but what it says was not added to the query */
    LINK_NOT_OPENED,       /* the handle was opened before the capture, so what was added to it is not known */
    LINK_CALLS_MISSING,    /* calls that are missing may have changed the query */
    LINK_CHANGE_UNKNOWN,   /* what a change of the query came to is not known */
    LINK_CHANGE_UNDER_WAY, /* the query was being changed between request and answer */
};

struct query_link {
    enum link_kind kind;
    enum link_cause cause; /* LINK_NONE */
    bool calls_missing;    /* LINK_MAPPED: since the map, but the block fits what it says */
    bool is_unnumbered;    /* ... or that can't be told */
    uint32_t frame;        /* LINK_MAPPED: of the QueryCounterInfo answer */
    e_guid_t set;
    bool counter_known; /* for blocks without ids */
    uint32_t counter_id;
    bool instance_known; /* for blocks without instances */
    struct series_row instance;
};

/* What an identifier says of a block it belongs to. */
struct query_link inference_link_to(const struct query_identifier *id, enum link_kind kind, uint32_t frame);
/* How it is known what a block is of, or why it is not known, in words. */
const char *inference_link_text(const struct query_link *link);
/* Whether it can't be told what a block is of because calls are not in the capture, or came out of turn. */
bool inference_is_not_captured(const struct query_link *link);
/* Whether a link tells all that a block of this type does not say itself. */
bool inference_names_values(const struct query_link *link, uint32_t type);
/* Whether an identifier names no instance, or a pattern of names. */
bool inference_takes_names(const struct query_identifier *id);
/* Whether an identifier may mean several instances: by a pattern, or by any id (2.2.4.6). */
bool inference_takes_instances(const struct query_identifier *id);
/*
 * A name without its case, as far as it is ASCII, in scope: Windows tells no case apart. What else it holds is left
 * open.
 */
struct series_row inference_folded_name(const struct series_row *row, wmem_allocator_t *scope);
/*
 * Whether an instance is none that an identifier asks for: by its name, or what stands before a wildcard; by its id
 * only where there is no wildcard.
 */
bool inference_is_other_instance(const struct query_identifier *id, const struct series_row *instance);
/* Whether a block of that type, with these instances, can't be the answer to an identifier. */
bool inference_contradicts(const struct server *server, uint32_t type, const struct series_row *rows, unsigned num_rows,
    const struct query_identifier *id);
/* Whether a value of so many bytes (0: no number) can be of the counter that an identifier names. */
bool inference_fits_width(const struct server *server, const struct query_identifier *id, uint8_t width);
/* Whether a counterset, all of whose counters are known, lacks one of those. */
bool inference_lacks_counters(const struct server *server, const e_guid_t *set, const uint32_t *counters,
    unsigned num_counters);

/* What is known of a query's identifiers while they stay the same: looked up once, for all polls. Not of any scope. */
struct inference;

/*
 * identifiers: struct query_identifier -> itself; it must outlive the inference unchanged. NULL where they are too
 * many.
 */
struct inference *inference_new(const struct server *server, GHashTable *identifiers);
void inference_free(struct inference *inference);

/*
 * A link for each block of a poll, file scope, or NULL where none can be told. The order of blocks proves nothing:
 * programs have seen both the order of addition and its reverse. What does prove is that only one identifier can have
 * asked for such a block, or that all that can agree. To be called with all identifiers of a query known only, and as
 * many blocks. Links that are those of the poll before are shared with it.
 */
const struct query_link *inference_links(struct inference *inference, const struct lpdata *data,
    wmem_allocator_t *scratch);
/* Whether something was learned since the last links, so that they may be out of date. */
bool inference_is_stale(const struct inference *inference);

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
    bool is_changed_unseen;       /* a change that was not captured was noticed since the last poll */
    GHashTable *removed;          /* identifiers removed since the last poll -> themselves; NULL: none */
    GHashTable *added_again;      /* those of them that were added again; NULL: none */
    GHashTable *identifiers;      /* struct query_identifier (by what it names) -> itself; NULL: there are none */
    GHashTable *keys;             /* ... by what may be looked for of them -> how many; NULL: nobody asked yet */
    struct series_store *history; /* NULL before the first poll */
    struct query_poll *last;
    const struct connection *asked_on; /* the connection of its request */
    unsigned lost;                     /* calls of that connection that were missing by then */
    struct perflibv2_habits *habits;   /* of efficiency.c; NULL: nothing was seen so far */
};

/* One successful QueryCounterData. File scope. */
struct query_poll {
    struct query *query;
    struct query_epoch *epoch;
    struct query_poll *previous; /* of the query, in the order of frames; NULL: this is the first */
    const struct series_poll *values;
    const struct query_link *inferred; /* one a block; NULL: there was an index map, or nothing can be inferred */
    unsigned num_blocks;
    unsigned num_announced; /* blocks, with those that a snap length cut off */
    uint32_t num_values;
    enum link_cause cause;          /* why a block without a link has none */
    bool is_doubtful;               /* calls were missing since the index map */
    unsigned gaps, changes_unknown; /* what was missing of the query's calls by then, and of its changes' answers */
};

/* ---- queries.c ---- */

/* Called once, at registration. */
void queries_init(void);

/*
 * The query of a handle that the request in a frame uses: the one of its connection, else the latest, as connections of
 * a client may share handles. One never seen opened is made, with opened_in 0; so is one that was closed, or is another
 * connection's, where the capture may lack that the handle was given out again.
 */
struct query *queries_use(struct server *server, const e_guid_t *handle, const struct connection_state *state,
    uint32_t frame);
/* The latest query of a handle; NULL where it has not been seen. */
struct query *queries_find(struct server *server, const e_guid_t *handle);
/*
 * The query whose handle, the same as this one's, another server opened; NULL: none did. For a query with opened_in 0.
 */
const struct query *queries_opened_elsewhere(const struct query *query);
/* Whether some server gave out the handle. */
bool queries_is_opened(const e_guid_t *handle);
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
/* Its answer does not tell what changed: the identifiers of the query are not known any more. */
void queries_changed_somehow(struct query *query);
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

/* ---- query-epochs.c ---- */

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
/*
 * What stands for the counterset of a block that no identifier is known of: its values are told apart by its place, as
 * long as the query does not change. It is nobody's GUID: its version digits are none RFC 4122 knows.
 */
e_guid_t queries_unknown_set(const struct query_poll *poll, unsigned block);
/* The place that such a GUID stands for. */
struct query_place {
    uint32_t epoch; /* how often the query had changed */
    uint32_t block;
};
struct query_place queries_unknown_place(const e_guid_t *set);
/* What a row with a name is called in paths before it is numbered, newly allocated in scope. */
char *queries_instance_text(wmem_allocator_t *scope, const struct series_row *row);
/* Rises with every index map: what was made of links earlier may then be out of date. */
unsigned queries_version(void);

#endif /* PERFLIB_PERFLIBV2_QUERIES_H */
