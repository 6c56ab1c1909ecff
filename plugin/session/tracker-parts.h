/* tracker-parts.h
 * Structures and functions shared by tracker-transports.c, tracker-smb.c and tracker-rpc.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_TRACKER_PARTS_H
#define PERFLIB_SESSION_TRACKER_PARTS_H

#include "session/tracker.h"

/* Request of a connection whose purpose is not known yet: SYN, SMB logon or tree, or bind to the endpoint mapper. */
struct gate {
    enum step awaits; /* STEP_NONE if no answer is awaited */
    uint32_t frame;
    nstime_t time;
    unsigned number;         /* number of this request among those of its connection, see struct gate_entry */
    struct attempt *overdue; /* attempt added because this request had no answer for long; NULL: none */
};

/* Data that one end of a connection sent */
struct sent_data {
    bool is_known;
    uint32_t next; /* next sequence number, from captured segments and acknowledgements */
    bool has_hole; /* true if the data from .hole to .hole_end are missing so far; they may follow */
    uint32_t hole, hole_end;
    bool is_lossy; /* true if a segment is missing for good */
};

/* TCP connection. */
struct tcp_connection {
    const char *client, *server;
    uint16_t port;                  /* TCP port of the server */
    enum session_transport carrier; /* transport, as far as known */
    unsigned wants;                 /* WANTS_ bits known for .port from the endpoint mapper or an activation */
    struct attempt *activation;     /* activation that named the server's address and .port; NULL if none is known */
    bool is_open;                   /* true once the server accepted the connection */
    bool is_over;
    bool has_asked,        /* true if a client message was captured */
        has_only_answered; /* true if only server messages were captured */
    bool is_refused;       /* true if the server reset the connection before it was open */
    struct sent_data sent[NUM_ENDS];
    struct losses losses;
    unsigned syns;
    struct gate gate;
    struct occurrence slow;  /* late answers to requests of .gate; moved to the next attempt on this connection */
    uint32_t slow_since;     /* frame of the first request answered late */
    wmem_map_t *users;       /* SessionId of SMB2 or UID of SMB1 to the user who logged on; see tracker_smb_user() */
    uint64_t session;        /* SessionId or UID of the latest SMB message; 0 if none */
    bool is_logged_on;       /* true from a successful SMB logon to the next SMB message that can be read */
    unsigned silent;         /* number of unreadable messages since the logon; consecutive ones of one end count once */
    bool is_silent_client;   /* true if the client sent the latest of the messages that .silent counts */
    bool is_leaving;         /* true if the client's latest SMB request is a Tree Disconnect or a Logoff */
    bool is_encrypted;       /* true once a message that SMB 3 encrypted could not be decrypted */
    struct attempt *unread;  /* attempt added because no message after the logon could be read so far; NULL: none */
    struct attempt *opening; /* latest attempt whose Create request is unanswered; NULL if none */
    wmem_map_t *requests;    /* SMB2 MessageId or SMB1 MID to struct smb_request */
    wmem_map_t *associations; /* struct association by SMB2 file or SMB1 FID; by NULL for PDUs directly over TCP */
    wmem_list_t *opened;      /* struct association of the pipes that attempts use */
};

/* Carrier of PDUs: a pipe, or a TCP connection without SMB. */
struct association {
    struct tcp_connection *connection;
    const char *pipe;           /* name of the pipe; NULL if none or unknown */
    struct attempt *attempt;    /* attempt that counts the calls; NULL until a PDU may concern performance data */
    const char *authentication; /* authentication as shown; NULL if unknown */
    const char *user;           /* user of .login; NULL if unknown */
    uint8_t auth_type, auth_level;
    bool is_closed;   /* true if the client's latest SMB request about the pipe is its Close */
    bool is_altering; /* true if an alter_context, sent at .altered_at, is unanswered */
    nstime_t altered_at;
    unsigned *offered,         /* for each context of the latest bind: the WANTS_ bit of its interface, or 0 */
        num_offered;           /* length of .offered */
    unsigned wants;            /* WANTS_ bits of all contexts of the latest bind */
    const struct login *login; /* logon of the latest token; NULL if none */
    wmem_map_t *calls;         /* call_id to struct pending_request */
};

/* ---- tracker-transports.c ---- */

/*
 * Returns the connection of a message, created on first use; NULL if the packet is not TCP. is_clients: true if the
 * client sent the message.
 */
struct tcp_connection *tracker_connection(struct tracker *tracker, bool is_clients);
/* Returns the association of a PDU, created on first use; NULL if the packet is not TCP. */
struct association *tracker_association(struct tracker *tracker, const struct session_tap *record);
/* Adds an association for a pipe; pipe: its name, not copied, or NULL if it is unknown or PDUs are sent over TCP. */
struct association *tracker_new_association(struct tracker *tracker, struct tcp_connection *connection,
    const char *pipe);
/* Adds an attempt on a connection and returns it. pipe may be NULL. */
struct attempt *tracker_new_attempt(struct tracker *tracker, struct tcp_connection *connection, const char *pipe,
    unsigned wants, uint32_t frame);

/* Stores a request of this step in connection->gate, replacing the previous request. */
void tracker_gate_closes(struct tracker *tracker, struct tcp_connection *connection, enum step step);
/*
 * Ends the wait for the answer to connection->gate. is_answer: true if this packet is the answer; false if the answer
 * must have been sent before, but was not captured.
 */
void tracker_gate_opens(struct tracker *tracker, struct tcp_connection *connection, bool is_answer);
/* Ends the wait for the answer to connection->gate. Adds an attempt stopped by `what`, and returns it. */
struct attempt *tracker_gate_stops(struct tracker *tracker, struct tcp_connection *connection,
    const struct outcome *what, bool is_answer);
/*
 * Ends a pipe's calls if the client goes on, or closes the pipe, without reading the rest of an answer. SMB sent only
 * the beginning, with STATUS_BUFFER_OVERFLOW.
 */
void tracker_leave_rest(struct tracker *tracker, struct association *association);

/* ---- tracker-smb.c ---- */

/* Returns the user of an SMB session of the connection, or NULL if its logon was not captured or names no user. */
const char *tracker_smb_user(const struct tcp_connection *connection, uint64_t session);

/* ---- tracker-rpc.c ---- */

/* Returns the latest activation by a client that named an object at this address and port, or NULL if there is none. */
struct attempt *tracker_activation(const struct tracker *tracker, const char *client, const char *server,
    unsigned port);
/*
 * Ends the unanswered calls of a pipe, since their answers will not be received. what: the reason; the function fills
 * in .operation.
 */
void tracker_pipe_ends(struct tracker *tracker, struct association *association, struct outcome what);

#endif /* PERFLIB_SESSION_TRACKER_PARTS_H */
