/* queries.h
 * Query handles (RPC_HQUERY): their life, the identifiers added to them, and the identifier of each block in a poll
 *
 * [MS-PCQ] 2.2.1, 3.1.1 and 3.1.4.1.4 to 3.1.4.1.8. Learned in the first pass, in the order of the capture, and read
 * in all passes. Independent of trees.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_QUERIES_H
#define PERFLIB_PERFLIBV2_QUERIES_H

#include "compat.h"

#include "base/rpc-call.h"
#include "counters/catalog.h"
#include "counters/series.h"
#include "perflibv2/lpdata.h"
#include "session/session-pdu.h"

/*
 * Connections: how calls are protected, and which calls are missing from the capture
 *
 * packet-dcerpc does not report how a call was protected (rules of [MS-PCQ] 2.1 and 2.2). So this is read from the
 * header of the first PDU in each direction, which is never encrypted.
 */

/* Protection and transport of a connection, from one PDU */
struct connection_view {
    /* true if the PDU is the first of the connection in its direction: only then the other members are set */
    bool is_first;
    bool is_named_pipe, is_ndr64;
    uint8_t auth_type, auth_level; /* [MS-RPCE] 2.2.1.1.7, 2.2.1.1.8 */
};

/* Key of a connection: conversation and, with SMB, pipe */
struct connection_key {
    const void *conversation;
    uint64_t salt;
};

/* A connection; with SMB, a pipe on it. File scope. Only connections.c changes members other than .link and .newest. */
struct connection {
    struct connection_key key;
    struct server_link link; /* machine of the connection, for server_asked() and server_answered() */
    struct query *newest;    /* query created last on this connection, at its opening or first use; NULL: none */
    struct ends *ends;       /* client and server; NULL: no request was seen */
    bool request_seen, response_seen; /* the protection of that direction was already read from a PDU */
    bool is_unnumbered;               /* missing calls cannot be detected */
    uint32_t first_call_id, last_call_id;
    time_t last_call_at;              /* capture time of the latest request in seconds */
    unsigned lost;                    /* number of missing calls up to the latest request, as session/ counted them */
    unsigned under_way;               /* number of unanswered calls */
    bool several_under_way;           /* a call was sent while another was unanswered */
    int opens;                        /* number of unanswered calls that open a handle */
    unsigned gaps;                    /* number of times that calls were missing */
    uint32_t first_frame, last_frame; /* frames of the first and the latest request; 0: none */
    /* first frame whose lists of counters are used: earlier ones are too old, or from an earlier connection */
    uint32_t lists_since;
    uint32_t next_since; /* value of .lists_since after its next advance, if the connection is not idle; 0: none yet */
    time_t next_at;      /* capture time in seconds when .next_since was set */
};

/* ---- connections.c ---- */

/* Forgets the connections. Called at the end of a capture. */
void connections_end_file(void);
/* Returns the connection of a call, created on first use. Any pass. */
struct connection *connections_of(const dcerpc_info *di);

/* State of a connection when a request was sent */
struct connection_state {
    struct connection *connection;
    unsigned gaps; /* number of gaps, each with one or more missing calls, on this connection */
    /*
     * first frame whose lists of counters are used: earlier ones are too old, or from an earlier connection; 0: unknown
     */
    uint32_t lists_since;
    struct rpc_position position; /* position of the request among the connection's calls */
    /* number of gaps on all connections of the client to the server; a first call id other than 1 counts as a gap */
    unsigned all_gaps;
    /* missing calls cannot be detected: the client used a call id several times, or session/ has no record */
    bool is_unnumbered;
    time_t sent_at; /* capture time in seconds */
    /* on any connection of the client to the server, an OpenQueryHandle call is, or may be, unanswered */
    bool any_lacks_open;
    /* certainly no call on the connection is missing up to this request, and no OpenQueryHandle call is unanswered */
    bool is_whole;
    bool is_only; /* the client has no other connection to the server, on which it may use its handles, too */
};

/*
 * Notes a request, and any gap in the call ids before it, where calls are missing. Returns the state of the connection.
 * First pass only, like the functions below.
 */
struct connection_state connections_request(struct connection *connection, const dcerpc_info *di,
    const packet_info *pinfo, const struct session_pdu *session);
/* Notes a call whose request cannot be read. connection: NULL if no request was read on it. */
void connections_lack_request(struct connection *connection, bool is_response, const packet_info *pinfo);
/* Notes an answer on the connection. */
void connections_answered(struct connection *connection);
/* Returns how often calls were missing on a connection; all: on all of the client's connections to the server. */
unsigned connections_gaps(const struct connection *connection, bool all);
/*
 * Returns whether a call that opens a handle is unanswered on a connection. all: on any of the client's connections to
 * the server; then also true if missing calls cannot be detected on one of these.
 */
bool connections_lacks_open(const struct connection *connection, bool all);
/* Returns true if this is the client's only connection to the server, so that no other can share its handles. */
bool connections_is_only(const struct connection *connection);
/* Returns the current state of a connection. */
struct connection_state connections_now(struct connection *connection);
/* Returns whether two connections have the same client address: a client may share handles among its connections. */
bool connections_share_client(const struct connection *a, const struct connection *b);
/*
 * Adds `opens` to the number of unanswered OpenQueryHandle calls: 1 for a request, -1 for a readable answer or a fault.
 */
void connections_opens(struct connection *connection, int opens);
/* Reads the protection of a connection from a PDU, if it is the first in its direction. First pass only. */
void connections_look(struct connection_view *view, struct connection *connection, const dcerpc_info *di,
    const struct session_pdu *pdu, bool is_response);
/*
 * Takes the protection of a connection's answers from a request that was refused by a fault, if no answer was read on
 * the connection before. First pass only.
 */
void connections_look_at_refused(struct connection_view *view, struct connection *connection,
    const struct rpc_call *call);

/*
 * Identifier of a block: from an index map (QueryCounterInfo answer), or inferred if there is none
 *
 * [MS-PCQ] 2.2.4.6 and 2.2.4.8. Independent of handles and trees.
 */

/* Counterset, instance and counter of an identifier (2.2.4.6) */
struct query_identifier {
    e_guid_t set;
    uint32_t counter_id;
    struct series_row instance; /* id and name as sent */
    bool is_as_added;           /* in a QueryCounterInfo answer: the client certainly added exactly this identifier */
    /* in a QueryCounterInfo answer: the client certainly added no identifier that may request the same values */
    bool is_not_added;
};

/* ---- inference.c ---- */

/* Hash and compare identifiers by counterset, counter, instance id and name, for GHashTable. */
guint query_identifier_hash(const void *identifier);
gboolean query_identifier_equal(const void *a, const void *b);

/* Returns id and name of an instance in a buffer. The name is not copied. */
struct series_row inference_row(tvbuff_t *tvb, uint32_t id, unsigned name_offset, struct utf16_text name);
/* Returns a copy of an instance's id and name, with the name in file scope. */
struct series_row inference_keep_row(const struct series_row *row);

/* How the identifier of a block is known */
enum link_kind {
    LINK_NONE,     /* the identifier is unknown; enum link_cause has the reasons */
    LINK_MAPPED,   /* known from Index in an answer to QueryCounterInfo (3.1.4.1.5) */
    LINK_INFERRED, /* inferred from the identifiers added and the block's contents */
};

/* X(cause, text): reasons why the identifier of a block is unknown */
/* clang-format off */
#define LINK_CAUSES(X) \
    X(LINK_AMBIGUOUS, "unknown: no QueryCounterInfo answer, and several identifiers are possible") \
    X(LINK_NOT_MAPPED, "unknown: the QueryCounterInfo answer has no identifier with this Index, or several") \
    X(LINK_OTHER_NUMBER, "unknown: the QueryCounterInfo answer has another number of identifiers") \
    X(LINK_CONTRADICTED, \
        "unknown: the block does not match the identifier with this Index in the QueryCounterInfo answer") \
    X(LINK_NOT_ADDED, "unknown: the identifier with this Index in the QueryCounterInfo answer was not added") \
    X(LINK_NOT_OPENED, "unknown: no QueryCounterInfo answer, and the handle was opened before the capture") \
    X(LINK_CALLS_MISSING, "unknown: no QueryCounterInfo answer, and calls are missing") \
    X(LINK_CHANGE_UNKNOWN, "unknown: no QueryCounterInfo answer, and the result of a change is missing") \
    X(LINK_CHANGE_UNDER_WAY, "unknown: the query was changed between request and answer")
/* clang-format on */

#define LINK_CAUSE(cause, text) cause,
enum link_cause { LINK_CAUSES(LINK_CAUSE) };
#undef LINK_CAUSE

/* Link from a block to its identifier, as far as known */
struct query_link {
    enum link_kind kind;
    enum link_cause cause; /* reason if .kind is LINK_NONE */
    /*
     * LINK_CONTRADICTED: the identifier mapped to another block fits this block, but not the other one: likely a swap
     */
    bool is_exchanged;
    /* calls are missing between the QueryCounterInfo answer and the poll, so the link may be outdated */
    bool calls_missing;
    bool is_unnumbered; /* missing calls cannot be detected, so the link may be outdated */
    uint32_t frame;     /* LINK_MAPPED: frame of the QueryCounterInfo answer */
    e_guid_t set;
    bool counter_known; /* true if counter_id is known; for blocks that contain no counter ids */
    uint32_t counter_id;
    bool instance_known; /* true if .instance is known; for blocks that contain no instances */
    struct series_row instance;
};

/* Returns a link to an identifier, for the block that answers it. */
struct query_link inference_link_to(const struct query_identifier *id, enum link_kind kind, uint32_t frame);
/* Returns text about how the block's identifier is known, or why not. */
const char *inference_link_text(const struct query_link *link);
/* Returns whether the identifier of a block is unknown because calls are missing from the capture or out of order. */
bool inference_is_not_captured(const struct query_link *link);
/* Returns whether the counter and instance of each value are known: from the link, or from the block, by its type. */
bool inference_names_values(const struct query_link *link, uint32_t type);
/* Returns whether an identifier has no instance name, or a pattern as its name. */
bool inference_takes_names(const struct query_identifier *id);
/* Returns whether an identifier may match several instances: by a pattern, or by any id (2.2.4.6). */
bool inference_takes_instances(const struct query_identifier *id);
/*
 * Returns an instance with its name in lower case, in scope, to compare names without case. Letters beyond ASCII become
 * 0, so that they are all equal.
 */
struct series_row inference_folded_name(const struct series_row *row, wmem_allocator_t *scope);
/*
 * Returns whether an instance certainly does not match an identifier. Compares the names up to a wildcard and, if the
 * identifier has an exact name, the ids.
 */
bool inference_is_other_instance(const struct query_identifier *id, const struct series_row *instance);
/* Returns whether a block of this type, with these instances, cannot answer an identifier. */
bool inference_contradicts(const struct server *server, uint32_t type, const struct series_row *rows, unsigned num_rows,
    const struct query_identifier *id);
/*
 * Returns whether the type that an identifier's counter has in `frame` allows values of width bytes (0: no number).
 * *taught_in receives the frame of the answer that listed the type; 0: none.
 */
bool inference_fits_width(const struct server *server, const struct query_identifier *id, uint8_t width, uint32_t frame,
    uint32_t *taught_in);
/* Returns whether a counterset lacks one of these counters. True only if all counters of the set are known. */
bool inference_lacks_counters(const struct server *server, const e_guid_t *set, const uint32_t *counters,
    unsigned num_counters);

/* Properties of a query's identifiers, cached until the identifiers change. Freed with inference_free(). */
struct inference;

/*
 * Returns a new inference, or NULL if there are too many identifiers. identifiers: set of struct query_identifier,
 * which must outlive the inference unchanged.
 */
struct inference *inference_new(const struct server *server, GHashTable *identifiers);
void inference_free(struct inference *inference);

/*
 * Returns the inferred identifier of each block of a poll, in file scope; the previous array if no link differs. All
 * identifiers of the query must be known, with one block for each. If several fit a block, its link has what they
 * share, or is LINK_NONE if their countersets differ. The order of blocks is no evidence: servers differ in it.
 */
const struct query_link *inference_links(struct inference *inference, const struct lpdata *data,
    wmem_allocator_t *scratch);
/* Returns whether the catalog has changed since the last inference_links(), so that its links may be outdated. */
bool inference_is_stale(const struct inference *inference);

/*
 * Cached text for the Info column of a poll: its first counterset and the number of countersets. Valid for polls that
 * agree in the members before .first.
 */
struct poll_sets {
    /* memcmp() compares the members before .first, so they must have no padding */
    const struct query_epoch *epoch;
    const struct query_link *inferred;
    const struct series_layout *layout;
    uint64_t names;    /* version of the names (catalog_version_in()) */
    const char *first; /* name of the first counterset; NULL: none is known */
    unsigned count;    /* number of different names */
};

/* One life of a handle: a handle opened again after it was closed is a new query. File scope. */
struct query {
    e_guid_t handle;
    struct server *server;
    uint32_t opened_in;              /* frame of the answer that opened the handle; 0: not captured */
    uint32_t closed_in;              /* frame of the request that closed the handle; 0: not closed */
    struct connection *connection;   /* connection on which the handle was opened or first used */
    bool may_be_closed;              /* CloseQueryHandle was called, and not refused so far */
    uint32_t given_again_in;         /* frame in which the handle was given to another client while open; 0: none */
    struct connection_state closing; /* state of the connection when the handle was closed */
    uint32_t number;                 /* number in the order seen, from 1 */
    unsigned changes_sent;           /* number of ValidateCounters requests */
    /*
     * number of ValidateCounters answers with a known result; if below .changes_sent, the query's identifiers are
     * unknown
     */
    unsigned changes_known;
    /* number of ValidateCounters requests and of their answers, whatever the result */
    unsigned changes_begun, changes_answered;
    unsigned changes_given_up; /* number of ValidateCounters requests whose answer counts as lost */
    time_t change_sent_at;     /* time of the latest ValidateCounters request */
    unsigned gaps_opened;      /* how often calls had been missing on the connection when the handle was opened */
    unsigned gaps;             /* how often calls had been missing on the connection at the query's latest call */
    /* the handle is used on several connections: calls missing on any of the client's connections count */
    bool is_shared;
    unsigned all_gaps_opened; /* like .gaps_opened, for all the client's connections to the server */
    bool calls_missing;       /* calls are missing since the handle was opened; one may have been a change */
    /* calls are missing on connections where calls overlap, so the order of changes is unknown */
    bool is_overlapped;
    bool is_unnumbered;        /* missing calls cannot be detected */
    struct query_epoch *epoch; /* the current epoch, which began when identifiers last changed */
    uint32_t num_epochs;
    /* cached inference for polls without a QueryCounterInfo answer; NULL: not needed since identifiers last changed */
    struct inference *inference;
    /* since the last poll, an answer showed that a call not captured changed the identifiers */
    bool is_changed_unseen;
    bool is_polled;      /* a poll followed the changes in .removed and .restarted: the next change clears these */
    GHashTable *removed; /* number of identifiers removed since the last poll, by key as in .keys; NULL: none */
    /* identifiers removed, or added again, since the last poll, whose values are not compared with it; NULL: none */
    GHashTable *restarted;
    GHashTable *identifiers; /* the query's identifiers: set of struct query_identifier; NULL: none */
    /* counterset, with or without counter and instance (KEY_SET etc.) -> number of identifiers; NULL: not made yet */
    GHashTable *keys;
    struct series_store *history; /* NULL before the first poll */
    struct query_poll *last;
    struct lpdata_known *known; /* layout that polls repeat, to read further polls faster; NULL: none */
    /* latest layout that a second poll repeated, described by .known unless lpdata_known_new() failed; NULL: none */
    const struct series_layout *known_from;
    /* the query was closed or replaced: data that only further polls and changes need was freed */
    bool is_released;
    struct poll_sets sets;                   /* countersets of the poll that was shown last */
    struct perflibv2_poll_stats *poll_stats; /* state of efficiency.c; NULL: none yet */
};

/* A successful QueryCounterData. File scope. */
struct query_poll {
    struct query *query;
    struct query_epoch *epoch;
    struct query_poll *previous; /* previous poll of the query by frame; NULL: this is the first */
    const struct series_poll *values;
    /* inferred identifier of each block; NULL: an earlier index map identifies the blocks, or inference failed */
    const struct query_link *inferred;
    unsigned num_blocks;
    unsigned num_announced; /* number of blocks, including those that the snap length cut off */
    uint32_t num_values;
    enum link_cause cause;          /* reason if the identifier of a block is unknown */
    bool is_doubtful;               /* calls are missing between the QueryCounterInfo answer and this poll */
    unsigned gaps, changes_unknown; /* values of .query at this poll: .gaps, and .changes_sent minus .changes_known */
};

/* ---- queries.c ---- */

/* Initialises the queries. Call it once, at start. */
void queries_init(void);

/*
 * Returns the query of the handle that a request uses: the connection's own, else the latest with the handle, since a
 * client's connections may share handles. Creates a query with opened_in 0 if none fits: the opening was not captured,
 * or a missing call may have opened the handle anew.
 */
struct query *queries_use(struct server *server, const e_guid_t *handle, const struct connection_state *state,
    uint32_t frame);
/* Returns the latest query of a handle, or NULL. */
struct query *queries_find(struct server *server, const e_guid_t *handle);
/* Returns the latest query that any server opened with the handle of `query` (whose opened_in is 0), or NULL. */
const struct query *queries_opened_elsewhere(const struct query *query);
/* Returns whether any server has given out the handle so far. */
bool queries_is_opened(const e_guid_t *handle);
/* Number of queries so far; only queries.c changes it. */
extern uint32_t queries_count;
/* Notes a handle opened by the answer in frame. begun: queries_count at its request, UINT32_MAX if not captured. */
struct query *queries_open(struct server *server, const e_guid_t *handle, const struct connection_state *state,
    uint32_t begun, uint32_t frame);
/* Notes a handle closed by the request in frame. */
void queries_close(struct query *query, const struct connection_state *state, uint32_t frame);
/*
 * Notes at a call or answer whether calls of the query are missing: then its identifiers may be outdated. is_open: the
 * call opened the handle.
 */
void queries_called(struct query *query, bool is_open, const struct connection *connection);
/*
 * Returns a number that changes with each ValidateCounters request and answer, and is odd while one is unanswered.
 * Store it at a request, and pass it in with the answer: if it is odd or has changed since, the answer may describe the
 * query before or after a change of its identifiers.
 */
uint32_t queries_moment(const struct query *query);
/* Notes a ValidateCounters request. */
void queries_change_sent(struct query *query, const struct connection_state *sent);
/*
 * Notes a ValidateCounters answer: identifiers with status 0 were added or removed. A cut buffer makes the query's
 * identifiers unknown.
 */
void queries_changed(struct query *query, const struct lpdata *identifiers, bool add, wmem_allocator_t *scratch);
/* Notes a ValidateCounters answer that does not show what changed: the query's identifiers are unknown from now on. */
void queries_changed_somehow(struct query *query);
/* Notes a ValidateCounters answer or fault that changed nothing. */
void queries_unchanged(struct query *query);
/*
 * Returns whether the query's calls are in their real order. On one connection, TCP's sequence numbers prove the order.
 * If several connections share the handle, nothing proves the order.
 */
bool queries_is_in_order(const struct query *query);
/*
 * Returns whether the query's identifiers before a ValidateCounters call are certain, when its answer is read: no call
 * is missing, and the results of all earlier ones are known. moment, sent: queries_moment() and the connection at the
 * call's request.
 */
bool queries_is_only_change(const struct query *query, uint32_t moment, const struct connection_state *sent);
/*
 * Returns the index (from 1) of the first identifier in a buffer that was already added to the query or, with is_added
 * false, that matches no added one; 0: none. accepted_only: skip identifiers with an error status. Call it before the
 * buffer's identifiers are added or removed.
 */
unsigned queries_first_identifier(struct query *query, const struct lpdata *identifiers, bool is_added,
    bool accepted_only, wmem_allocator_t *scratch);

/* ---- query-epochs.c ---- */

/*
 * Notes a QueryCounterInfo answer, the index map: it assigns each identifier to a block. moment: queries_moment() of
 * the request. sent: the connection at the request; calls missing since then may have changed the query.
 */
void queries_mapped(struct query *query, const struct lpdata *identifiers, uint32_t moment,
    const struct connection_state *sent, uint32_t frame, wmem_allocator_t *scratch);
/*
 * Notes a QueryCounterData answer. Returns its poll. moment, sent: queries_moment() and the connection at the request.
 */
struct query_poll *queries_polled(struct query *query, const struct lpdata *data, uint32_t moment,
    const struct connection_state *sent, uint32_t frame, wmem_allocator_t *scratch);

/*
 * Returns whether a poll is the first since its query changed: then an instance that it lacks was not necessarily
 * deleted.
 */
bool queries_begins_epoch(const struct query_poll *poll);
/*
 * Returns the number of identifiers in the index map (QueryCounterInfo answer) of a poll's query; 0: there is no map,
 * or the order of the query's calls is unknown.
 */
unsigned queries_num_mapped(const struct query_poll *poll);
/* Returns the number of identifiers of a query when a request was sent; -1 if that is not certain. */
int queries_num_identifiers(const struct query *query, uint32_t moment, const struct connection_state *sent);

/*
 * Returns the identifier of a block by the index map (QueryCounterInfo answer). NULL: no map, calls may be missing
 * since that answer, or the poll has more or fewer blocks than the map has identifiers.
 */
const struct query_identifier *queries_identifier(const struct query_poll *poll, unsigned block);
/* Returns the identifier of a poll's block as known so far. */
struct query_link queries_link(const struct query_poll *poll, unsigned block);
/*
 * Returns a placeholder GUID, unique by query, epoch and block, for the counterset of a block whose identifier is
 * unknown. No real GUID has its version digits (RFC 4122).
 */
e_guid_t queries_unknown_set(const struct query *query, const struct query_epoch *epoch, unsigned block);
/* Block that a placeholder GUID of queries_unknown_set() denotes */
struct unknown_block {
    uint32_t epoch; /* .number of the block's struct query_epoch */
    uint32_t block;
};
struct unknown_block queries_unknown_block(const e_guid_t *set);
/* Returns the name of an instance in paths, without a number; newly allocated in scope. */
char *queries_instance_text(wmem_allocator_t *scope, const struct series_row *row);

#endif /* PERFLIB_PERFLIBV2_QUERIES_H */
