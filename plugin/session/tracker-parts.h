/* tracker-parts.h
 * What tracker-transports.c and tracker-rpc.c share of struct tracker
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_TRACKER_PARTS_H
#define PERFLIB_SESSION_TRACKER_PARTS_H

#include "session/tracker.h"

enum { PORT_MAPPER = 135, PORT_NETBIOS = 139, PORT_SMB = 445 };

/* A request before any pipe or interface was named: which, and whether it was answered. */
struct gate {
    enum step awaits; /* STEP_NONE: nothing */
    uint32_t frame;
    nstime_t time;
    unsigned number;         /* counts them */
    struct attempt *overdue; /* made of it when no answer had come for long; NULL: none was */
};

/* What one end of a connection sent. */
struct sent {
    bool is_known;
    uint32_t next; /* sequence number after it, as far as it was captured or acknowledged */
    bool has_hole; /* what stands between these two was not captured yet: it may come late */
    uint32_t hole, hole_end;
    bool is_lossy; /* something else was not captured, and does not come any more */
};

/* A TCP connection. */
struct tcp_connection {
    const char *client, *server;
    uint16_t port;        /* of the server */
    enum carrier carrier; /* as far as it is known */
    unsigned wants;       /* WANTS_: of this port, as the endpoint mapper or an activation said */
    bool is_open;         /* the server accepted */
    bool is_over;
    bool is_refused; /* the server reset it before it was open */
    struct sent sent[NUM_ENDS];
    struct losses losses;
    unsigned syns;
    struct gate gate;
    struct occurrence slow;   /* gates that opened late: of the next attempt, */
    uint32_t slow_since;      /* ... which began in this frame */
    const char *user;         /* who logs on to SMB; NULL: not known */
    bool is_logged_on;        /* a user of SMB2, */
    unsigned silent;          /* ... and so often the ends sent in turns what cannot be read */
    bool is_silent_client;    /* the latest was the client's */
    struct attempt *opening;  /* the latest that asked for its pipe and was not answered; NULL: none */
    wmem_map_t *requests;     /* MessageId or MID to struct smb_request */
    wmem_map_t *associations; /* struct association by the file of SMB2 or the FID of SMB1; NULL: TCP's own */
    wmem_list_t *opened;      /* struct association: pipes of interest */
};

/* What carries PDUs: a pipe, or the connection itself. */
struct association {
    struct tcp_connection *connection;
    const char *pipe;           /* NULL: none, or not known */
    struct attempt *attempt;    /* NULL: of no interest so far */
    struct attempt *asks;       /* the latest for an endpoint or an object, which each are attempts of their own */
    const char *authentication; /* as it is shown; NULL: not known */
    const char *user;           /* NULL: not known */
    uint8_t auth_type, auth_level;
    wmem_map_t *bindings;           /* p_cont_id to struct binding */
    unsigned *offered, num_offered; /* WANTS_ of each context of the latest bind */
    bool has_ntlm, has_kerberos;    /* tokens held a message of NTLM, or a ticket */
    uint32_t overflowed;            /* SMB told the client in this frame to read on, and it has not; 0: no */
    wmem_map_t *calls;              /* call_id to struct pending_call */
};

struct tracker {
    struct attempts *attempts;
    wmem_allocator_t *scope; /* attempts_scope() of these */
    wmem_map_t *connections; /* stream to struct tcp_connection */
    wmem_map_t *endpoints;   /* "address port" to what is there: WANTS_ as a pointer */
    wmem_list_t *gates;      /* struct waiting, in order of time */
    wmem_map_t *reached;     /* "client server" of those whose connections were accepted */
    wmem_map_t *cut_streams; /* stream of a connection that is not known yet to its latest frame cut short */
    struct capture_cuts cuts;
    unsigned half_open;              /* connections that a SYN began, and nobody accepted yet; */
    unsigned unfollowed;             /* ... those that were too many */
    uint32_t segment_frame;          /* of the latest segment; 0: none */
    const struct tcpheader *segment; /* only while that frame is told */
    uint32_t pdu_frame;              /* of the latest PDU; 0: none */
    struct association *association;
    struct pending_call *call; /* it belongs to, or answers; NULL: not known */
};

/* ---- tracker-transports.c ---- */

/* The connection of the packet; made where it is not known. NULL: it has none. */
struct tcp_connection *tracker_connection(struct tracker *tracker, const packet_info *pinfo, bool is_clients);
/* The association of a PDU; made where it is not known. NULL: it has no connection. */
struct association *tracker_association(struct tracker *tracker, const packet_info *pinfo,
    const struct session_tap *told);
/* An attempt on a connection; pipe may be NULL. */
struct attempt *tracker_new_attempt(struct tracker *tracker, struct tcp_connection *connection, const char *pipe,
    unsigned wants, uint32_t frame);

/* Something is asked for on a connection before any pipe or interface was named, and waits for its answer. */
void tracker_gate_closes(struct tracker *tracker, struct tcp_connection *connection, enum step step,
    const packet_info *pinfo);
/* It was answered in this packet (is_answer), or must have been before it. */
void tracker_gate_opens(struct tracker *tracker, struct tcp_connection *connection, bool is_answer,
    const packet_info *pinfo);

/* ---- tracker-rpc.c ---- */

/* The answers to calls that wait on the pipe will not come: what says why, beside the operation. */
void tracker_pipe_ends(struct tracker *tracker, struct association *association, struct outcome what,
    const packet_info *pinfo);

/* ---- tracker-transports.c ---- */

/* Makes ready what each of the two keeps. */
void tracker_transports_begin(struct tracker *tracker);

#endif /* PERFLIB_SESSION_TRACKER_PARTS_H */
