/* tracker.h
 * Tracks clients' attempts by packets of TCP, SMB and DCE/RPC
 *
 * The functions must be called in the order of the capture, between tracker_frame_begins() and tracker_frame_ends().
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_TRACKER_H
#define PERFLIB_SESSION_TRACKER_H

#include "session/record.h"
#include "session/attempts.h"

enum { PORT_MAPPER = 135, PORT_NETBIOS = 139, PORT_SMB = 445 };

struct association;

/* State of tracking a capture. */
struct tracker {
    struct attempts *attempts;
    wmem_allocator_t *scope; /* allocator of the maps below: that of `attempts` */
    wmem_map_t *connections; /* TCP stream number to struct tcp_connection */
    wmem_map_t *endpoints;   /* "address port" to WANTS_ bits, stored as a pointer */
    wmem_map_t *objects;     /* "client address port" to the struct attempt of the activation whose answer named it */
    wmem_list_t *gates;      /* struct gate_entry of requests whose answers may be awaited, in order of time */
    wmem_map_t *reached;     /* keys "client server" of accepted connections */
    wmem_map_t *begun;       /* numbers of the TCP streams whose SYN was captured */
    wmem_map_t *cut_streams; /* TCP stream number to its latest truncated frame, before the connection is known */
    struct capture_cuts cuts;
    unsigned half_open;  /* number of connections with a SYN that are not accepted yet */
    unsigned unfollowed; /* number of connections not tracked because half_open was at its limit */
    /* The members below are about the frame being processed, and NULL if not applicable. */
    const packet_info *pinfo;
    const struct tcpheader *segment;
    struct association *association; /* pipe or connection of the frame's latest PDU */
    struct pending_request *request; /* request of the frame's latest PDU; NULL if unknown */
};

/* ---- tracker-rpc.c ---- */

struct tracker *tracker_new(attempt_show show, void *data);
void tracker_clear(struct tracker *tracker);

/* ---- tracker-transports.c ---- */

/* Processes a segment of the tap "tcp". Must run before the other functions for the same frame. */
void tracker_segment(struct tracker *tracker, const void *tapped);
/* Records an encrypted message of the tap "perflib_session_encrypted". */
void tracker_encrypted(struct tracker *tracker, const void *tapped);

/* ---- tracker-smb.c ---- */

/* Process a message of the taps "smb2" and "smb". */
void tracker_smb2(struct tracker *tracker, const void *tapped);
void tracker_smb(struct tracker *tracker, const void *tapped);

/* ---- tracker-rpc.c ---- */

/*
 * Processes a PDU of the tap "perflib_session" (struct session_tap). Must run before the functions below for the
 * same PDU.
 */
void tracker_pdu(struct tracker *tracker, const void *tapped);
/*
 * Records that the PDU belongs to a call of an interface with these WANTS_ bits. Returns the attempt that counts the
 * call, or NULL if the PDU was not tracked.
 */
struct attempt *tracker_call(struct tracker *tracker, unsigned wants);
void tracker_user(struct tracker *tracker, const char *domain, const char *user);
/* Records a request for an object of a class, or an answer that names the object's address. */
void tracker_object(struct tracker *tracker, const char *class_name);
void tracker_object_at(struct tracker *tracker, const char *server, uint16_t port);
/* Records the answer to the request for an object. why: the reason for a refusal, or NULL if the object was given. */
void tracker_object_answer(struct tracker *tracker, const struct outcome *why);

/* ---- tracker-transports.c ---- */

/* Returns true if a server accepted a connection of this client to a port that can carry performance data. */
bool tracker_has_reached(const struct tracker *tracker, const char *client, const char *server);

/* Begin and end the processing of a frame. tracker_frame_ends() shows the attempts that changed. */
void tracker_frame_begins(struct tracker *tracker, const packet_info *pinfo);
void tracker_frame_ends(struct tracker *tracker);

/* ---- stopped.c ---- */

/* Registers the field perflib_session.stopped. session: the protocol perflib_session. */
void stopped_register(int session);
/*
 * Sets a function that is called at the beginning of each capture, except in tshark. It must start the statistic that
 * calls stopped_note().
 */
void stopped_follow(void (*follow)(void));
/*
 * Records that an attempt stopped in a frame. outcome: constant name of its outcome; NULL if it did not stop after all.
 */
void stopped_note(uint32_t frame, const char *outcome);

#endif /* PERFLIB_SESSION_TRACKER_H */
