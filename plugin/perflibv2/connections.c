/* connections.c
 * Connections: protection of calls, and calls missing from the capture
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/queries.h"

#include "base/hash.h"

/* A client and a server. File scope. */
struct ends {
    address client, server;
    /*
     * number of connections on which a request was read, plus one for each unread request that may be on another
     * connection. The members below are totals of all these connections.
     */
    unsigned connections;
    unsigned gaps;
    int opens;
    bool is_unnumbered; /* missing calls cannot be detected on at least one of the connections */
};

HASH_BYTES(connection_key, sizeof(struct connection_key))
/* Set of struct connection, unique by .key */
static struct file_map all_connections = { connection_key_hash, connection_key_equal, NULL };

static struct connection *latest; /* connection of the latest call, to avoid most look-ups; NULL if none */

void
connections_end_file(void)
{
    latest = NULL;
}

static guint
ends_hash(const void *ends)
{
    const struct ends *e = (const struct ends *)ends;

    return add_address_to_hash(add_address_to_hash(0, &e->client), &e->server);
}

static gboolean
ends_equal(const void *a, const void *b)
{
    const struct ends *x = (const struct ends *)a;
    const struct ends *y = (const struct ends *)b;

    return addresses_equal(&x->client, &y->client) && addresses_equal(&x->server, &y->server);
}

/* Set of struct ends, unique by addresses */
static struct file_map all_ends = { ends_hash, ends_equal, NULL };

static struct ends *
ends_of(const address *client, const address *server)
{
    const struct ends key = { .client = *client, .server = *server };
    struct ends *ends = (struct ends *)wmem_map_lookup(file_map(&all_ends), &key);

    if (ends == NULL) {
        ends = wmem_new0(wmem_file_scope(), struct ends);
        copy_address_wmem(wmem_file_scope(), &ends->client, client);
        copy_address_wmem(wmem_file_scope(), &ends->server, server);
        wmem_map_insert(file_map(&all_ends), ends, ends);
    }
    return ends;
}

struct connection *
connections_of(const dcerpc_info *di)
{
    const struct connection_key key = { di->conv, di->transport_salt };

    if (latest == NULL || !connection_key_equal(latest, &key)) {
        latest = (struct connection *)hash_entry(file_map(&all_connections), &key, sizeof key, sizeof *latest);
    }
    return latest;
}

/*
 * Only a first call with id 1 proves that no earlier call is missing. If its id is higher, the ids before it may be
 * those of binds, which packet-dcerpc does not report.
 */
#define FIRST_CALL_ID 1

unsigned
connections_gaps(const struct connection *connection, bool all)
{
    return !all ? connection->gaps : connection->ends == NULL ? 0 : connection->ends->gaps;
}

bool
connections_lacks_open(const struct connection *connection, bool all)
{
    return !all ? connection->opens > 0
                : connection->ends != NULL && (connection->ends->opens > 0 || connection->ends->is_unnumbered);
}

bool
connections_is_only(const struct connection *connection)
{
    return connection->ends != NULL && connection->ends->connections == 1;
}

struct connection_state
connections_now(struct connection *connection)
{
    return (struct connection_state){
        .connection = connection,
        .gaps = connection->gaps,
        .lists_since = connection->lists_since,
        .is_unnumbered = connection->is_unnumbered,
        .sent_at = connection->last_call_at,
        .all_gaps = connections_gaps(connection, true),
        .any_lacks_open = connections_lacks_open(connection, true),
        .is_only = connections_is_only(connection),
        .is_whole = connection->first_call_id == FIRST_CALL_ID && connection->gaps == 0 && connection->opens <= 0 &&
            !connection->is_unnumbered,
    };
}

void
connections_lack_request(struct connection *connection, bool is_response, const packet_info *pinfo)
{
    if (connection == NULL || connection->ends == NULL) {
        struct ends *ends = is_response ? ends_of(&pinfo->dst, &pinfo->src) : ends_of(&pinfo->src, &pinfo->dst);

        /* The call may be on a connection that is not counted so far. */
        ends->connections++;
        ends->gaps++;
    } else {
        connection->gaps++;
        connection->ends->gaps++;
    }
}

void
connections_answered(struct connection *connection)
{
    connection->under_way -= connection->under_way > 0;
}

/*
 * Minimum number of seconds between two advances of lists_since. A list of counters is used at most until the second
 * advance after it was received: later, an upgraded provider may have other counters.
 */
#define LISTS_LAST 1800

/* Advances lists_since, the first frame whose lists of counters are recent enough for checks. */
static void
forget_old_lists(struct connection *connection, const packet_info *pinfo)
{
    const time_t now = pinfo->abs_ts.secs;

    if (connection->next_since == 0 || now - connection->next_at > LISTS_LAST) {
        connection->lists_since = connection->next_since == 0 || now - connection->last_call_at > LISTS_LAST
            ? pinfo->num
            : connection->next_since;
        connection->next_since = pinfo->num;
        connection->next_at = now;
    }
}

struct connection_state
connections_request(struct connection *connection, const dcerpc_info *di, const packet_info *pinfo,
    const struct session_pdu *session)
{
    const struct rpc_position position = session_pdu_position(session);
    struct connection_state now;

    /* This request was recognised only by its answer, after later requests were counted: do not count it. */
    if (pinfo->num < connection->last_frame) {
        return connections_now(connection);
    }
    if (connection->ends == NULL) {
        connection->first_call_id = di->call_id;
        connection->first_frame = pinfo->num;
        connection->ends = ends_of(&pinfo->src, &pinfo->dst);
        connection->ends->connections++;
        connection->ends->gaps += di->call_id != FIRST_CALL_ID;
    } else if (di->call_id == connection->last_call_id || position.calls == NULL) {
        /* Missing calls cannot be detected if the client repeats a call id, or session/ has no record of the call. */
        connection->is_unnumbered = connection->ends->is_unnumbered = true;
    } else if (position.lost != connection->lost) {
        connection->gaps++;
        connection->ends->gaps++;
    }
    forget_old_lists(connection, pinfo);
    connection->lost = position.lost;
    connection->last_frame = pinfo->num;
    connection->last_call_id = di->call_id;
    connection->several_under_way = connection->several_under_way || connection->under_way > 0;
    connection->under_way++;
    connection->last_call_at = pinfo->abs_ts.secs;
    now = connections_now(connection);
    now.position = position;
    return now;
}

bool
connections_share_client(const struct connection *a, const struct connection *b)
{
    return a == b || (a->ends != NULL && b->ends != NULL && addresses_equal(&a->ends->client, &b->ends->client));
}

void
connections_opens(struct connection *connection, int opens)
{
    connection->opens += opens;
    if (connection->ends != NULL) {
        connection->ends->opens += opens;
    }
}

void
connections_look_at_refused(struct connection_view *view, struct connection *connection, const struct rpc_call *call)
{
    if (!connection->response_seen) {
        connection->response_seen = true;
        *view = (struct connection_view){
            .is_first = true,
            .auth_type = call->auth_type,
            .auth_level = call->auth_level,
        };
    }
}

void
connections_look(struct connection_view *view, struct connection *connection, const dcerpc_info *di,
    const struct session_pdu *pdu, bool is_response)
{
    bool *seen = is_response ? &connection->response_seen : &connection->request_seen;

    if (*seen || pdu == NULL) {
        return;
    }
    *seen = true;
    *view = (struct connection_view){
        .is_first = true,
        .is_named_pipe = pdu->transport != SESSION_TCP,
        .is_ndr64 = (di->call_data->flags & DCERPC_IS_NDR64) != 0,
        .auth_type = pdu->header.auth_type,
        .auth_level = pdu->header.auth_level,
    };
}
