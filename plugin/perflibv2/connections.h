/* connections.h
 * The connections that calls are made on: how they are protected, and which calls the capture lacks
 *
 * packet-dcerpc does not hand down how a call was protected. Its PDU stands in the packet, in clear but for the stub,
 * so that is where it is read ([MS-PCQ] 2.1, 2.2). Once a connection is enough.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_CONNECTIONS_H
#define PERFLIB_PERFLIBV2_CONNECTIONS_H

#include "compat.h"

#include <epan/dissectors/packet-dcerpc.h>

#include "base/rpc-call.h"
#include "counters/server.h"

/* How a PDU shows its connection to be. */
struct connection_view {
    bool is_first; /* the PDU is the first of its connection, and of its direction, that shows it */
    bool is_named_pipe, is_ndr64;
    uint8_t auth_type, auth_level; /* [MS-RPCE] 2.2.1.1.7, 2.2.1.1.8 */
};

/* A connection, and on SMB a pipe. File scope. */
struct connection;
/* That of a call; made on first use. In any pass. */
struct connection *connections_of(const dcerpc_info *di);

/* What the capture tells of a connection by the time a request was sent. */
struct connection_state {
    struct connection *connection; /* for what is here alone */
    unsigned gaps;                 /* how often calls were missing by then */
    unsigned all_gaps;             /* the same of all connections of its client to its server, and of how they begin */
    bool is_unnumbered;            /* its client gave several calls the same number: none can be seen to be missing */
    time_t sent_at;                /* when, in seconds of the capture's clock */
    bool several_under_way;        /* a call was sent while another lacked its answer */
    bool lacks_open;               /* a call that opens something lacks its answer */
    bool any_lacks_open;           /* ... on any of those connections */
    bool is_whole;                 /* it is known that no call was missing, from its first on */
    bool is_only;                  /* no other of its client to its server was seen, which may share its handles */
};

/*
 * A request was sent. Clients number their calls, so one that is not there leaves a gap. First pass only; so are those
 * below.
 */
struct connection_state connections_request(struct connection *connection, const dcerpc_info *di,
    const packet_info *pinfo);
/* An answer came to a call of that number, whose request is not in the capture. */
void connections_lack_request(struct connection *connection, uint32_t call_id);
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
    const packet_info *pinfo, bool is_response);
/* Looks at a call that was refused by a fault, where no answer was seen. First pass only. */
void connections_look_at_refused(struct connection_view *view, struct connection *connection,
    const struct rpc_call *call);

#endif /* PERFLIB_PERFLIBV2_CONNECTIONS_H */
