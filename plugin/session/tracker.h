/* tracker.h
 * Tracks clients' attempts by packets of TCP, SMB and DCE/RPC
 *
 * The functions must be called in the order of the capture; each frame ends with tracker_frame().
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_TRACKER_H
#define PERFLIB_SESSION_TRACKER_H

#include "compat.h"

#include "session/record.h"
#include "session/attempts.h"

struct tracker;

/* ---- tracker-rpc.c ---- */

struct tracker *tracker_new(attempt_show show, void *data);
void tracker_clear(struct tracker *tracker);

/* ---- tracker-transports.c ---- */

/* Processes a segment of the tap "tcp". Must run before the other functions for the same frame. */
void tracker_segment(struct tracker *tracker, const packet_info *pinfo, const void *tapped);
/* Process a message of the taps "smb2" and "smb". */
void tracker_smb2(struct tracker *tracker, const packet_info *pinfo, const void *tapped);
void tracker_smb(struct tracker *tracker, const packet_info *pinfo, const void *tapped);

/* ---- tracker-rpc.c ---- */

/*
 * Processes a PDU of the tap "perflib_session" (struct session_tap). Must run before the functions below for the
 * same PDU.
 */
void tracker_pdu(struct tracker *tracker, const packet_info *pinfo, const void *tapped);
/* Records that the PDU belongs to a call of an interface with these WANTS_ bits. */
void tracker_call(struct tracker *tracker, const packet_info *pinfo, unsigned wants);
/* Records that the PDU cannot be decrypted. needed: the missing key, file scope. */
void tracker_sealed(struct tracker *tracker, const packet_info *pinfo, const struct key_needed *needed);
/*
 * Records that the server refused the call; if the call opens a key or handle, that ends the attempt. Strings in
 * `what` are constant.
 */
void tracker_refused(struct tracker *tracker, const packet_info *pinfo, const struct outcome *what);
/*
 * Records the number of values in the PDU, an answer to a request for values. what: the reason if there are none, or
 * NULL; its strings are constant.
 */
void tracker_values(struct tracker *tracker, const packet_info *pinfo, unsigned values, const struct outcome *what);
/* Records that the PDU opens a key of the registry without performance data. */
void tracker_opens_other_key(struct tracker *tracker, const packet_info *pinfo);
/* Records the user of an NTLM logon. */
void tracker_user(struct tracker *tracker, const packet_info *pinfo, const char *domain, const char *user);
/* Records a request for an object of a class, or an answer that names the object's address. */
void tracker_object(struct tracker *tracker, const packet_info *pinfo, const char *class_name);
void tracker_object_at(struct tracker *tracker, const packet_info *pinfo, const char *server, uint16_t port);
/* Records the answer to the request for an object. why: the reason for a refusal, or NULL if the object was given. */
void tracker_object_answer(struct tracker *tracker, const packet_info *pinfo, const struct outcome *why);

/* ---- tracker-transports.c ---- */

/* Returns the number of half-open connections that were not tracked because there were too many. */
unsigned tracker_unfollowed(const struct tracker *tracker);

/* See attempts_unread(). */
enum outcome_code tracker_unread(const struct tracker *tracker, uint32_t frame);

/* Returns true if a server accepted a connection of this client to a port that can carry performance data. */
bool tracker_has_reached(const struct tracker *tracker, const char *client, const char *server);

/* Returns true for a port of NetBIOS, which clients try in parallel with SMB's port. */
bool tracker_is_netbios(uint16_t port);

/* Parts of the capture that are missing. */
struct capture_cuts {
    unsigned frames;       /* number of truncated frames */
    uint32_t first, last;  /* frame numbers of these; 0 if none */
    unsigned answers_only; /* number of connections of which no request was captured, only answers */
};
const struct capture_cuts *tracker_cuts(const struct tracker *tracker);

/* Ends the processing of a frame: shows the attempts that changed. */
void tracker_frame(struct tracker *tracker, const packet_info *pinfo);

/* ---- stopped.c ---- */

/* Registers the field perflib_session.stopped. session: the protocol perflib_session. */
void stopped_register(int session);
/* Sets the function that starts to follow the sessions of a capture, with stopped_note(). */
void stopped_follow(void (*follow)(void));
/* Notes that an attempt stopped in a frame, by the constant name of its outcome; NULL: that it did not after all. */
void stopped_note(uint32_t frame, const char *outcome);

#endif /* PERFLIB_SESSION_TRACKER_H */
