/* connections.c
 * The connections that calls are made on
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/connections.h"

#include "base/hash.h"
#include "base/pdu-header.h"

/* By conversation and, on SMB, pipe. */
struct key {
    const void *conversation;
    uint64_t salt;
};

struct connection {
    bool request_seen, response_seen;   /* one was looked at */
    address client;             /* AT_NONE: no request was seen */
    bool has_call, is_unnumbered;
    uint32_t first_call_id, last_call_id;
    int opens;                  /* calls that open something and lack their answer */
    unsigned gaps;              /* how often calls were missing, or of another interface */
};

static wmem_map_t *connections;     /* struct key -> struct connection; file scope */

static guint
key_hash(const void *key)
{
    const struct key *k = (const struct key *)key;

    return hash_join(g_direct_hash(k->conversation), wmem_strong_hash((const uint8_t *)&k->salt, sizeof k->salt));
}

static gboolean
key_equal(const void *a, const void *b)
{
    const struct key *x = (const struct key *)a;
    const struct key *y = (const struct key *)b;

    return x->conversation == y->conversation && x->salt == y->salt;
}

void
connections_init(void)
{
    connections = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), key_hash, key_equal);
}

static struct connection *
connection_of(const dcerpc_info *di)
{
    const struct key key = { di->conv, di->transport_salt };
    struct connection *connection = (struct connection *)wmem_map_lookup(connections, &key);

    if (connection == NULL) {
        connection = wmem_new0(wmem_file_scope(), struct connection);
        wmem_map_insert(connections, wmem_memdup(wmem_file_scope(), &key, sizeof key), connection);
    }
    return connection;
}

/*
 * Binding takes a number, too, with some clients the first call's, and how often it was done isn't handed down: only
 * before a call numbered 1 none can be missing.
 */
#define FIRST_CALL_ID 1

static struct connection_state
state_of(struct connection *connection)
{
    return (struct connection_state){
        .connection = connection,
        .gaps = connection->gaps,
        .is_unnumbered = connection->is_unnumbered,
        .lacks_open = connection->opens > 0,
        .is_whole = connection->first_call_id == FIRST_CALL_ID && connection->gaps == 0 && connection->opens <= 0 &&
            !connection->is_unnumbered,
    };
}

struct connection_state
connections_request(const dcerpc_info *di, const packet_info *pinfo)
{
    struct connection *connection = connection_of(di);

    if (!connection->has_call) {
        connection->first_call_id = di->call_id;
        copy_address_wmem(wmem_file_scope(), &connection->client, &pinfo->src);
    } else if (di->call_id == connection->last_call_id) {
        connection->is_unnumbered = true;
    } else if (di->call_id != connection->last_call_id + 1) {
        connection->gaps++;
    }
    connection->has_call = true;
    connection->last_call_id = di->call_id;
    return state_of(connection);
}

struct connection_state
connections_of_answer(const dcerpc_info *di)
{
    return state_of(connection_of(di));
}

bool
connections_share_client(const struct connection *a, const struct connection *b)
{
    return a == b || (a->has_call && b->has_call && addresses_equal(&a->client, &b->client));
}

void
connections_opens(const dcerpc_info *di, int opens)
{
    connection_of(di)->opens += opens;
}

void
connections_open_failed(struct connection *connection)
{
    connection->opens--;
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
connections_look(struct connection_view *view, const dcerpc_info *di, const packet_info *pinfo, bool is_response)
{
    struct connection *connection = connection_of(di);
    bool *seen = is_response ? &connection->response_seen : &connection->request_seen;
    struct pdu_header header;

    if (*seen || !pdu_header_find(pinfo, di, &header)) {
        return;
    }
    *seen = true;
    *view = (struct connection_view){
        .is_first = true,
        .is_named_pipe =
            proto_is_frame_protocol(pinfo->layers, "smb2") || proto_is_frame_protocol(pinfo->layers, "smb"),
        .is_ndr64 = (di->call_data->flags & DCERPC_IS_NDR64) != 0,
        .auth_type = header.auth_type,
        .auth_level = header.auth_level,
    };
}
