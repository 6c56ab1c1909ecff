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
     * number of connections of this pair on which a request was recognised, plus one for each call with an unreadable
     * request and an unknown connection. The members below are sums (or ORs) over these connections.
     */
    unsigned connections;
    unsigned gaps;
    int opens;
    bool is_unnumbered; /* on one of the connections, missing calls cannot be detected */
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
 * A binding uses a call id, too (with some clients that of the first call), and packet-dcerpc does not report how often
 * a client bound. So calls are certainly complete only if the first one has id 1.
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

        /* The call's connection is unknown, so it may be a new one. */
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
 * Steps of lists_since in seconds: a list of counters is used for one to two steps after it was received. Providers are
 * rarely upgraded under a client.
 */
#define LISTS_LAST 1800

/* Advances lists_since: lists of counters from earlier frames are too old, or belong to an earlier connection. */
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

    /* A request that only its answer identified is read late: later requests were already counted, so skip it. */
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
        /* Missing calls cannot be detected if call ids do not differ, or session/ has no record of the call. */
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
