/* tracker.h
 * What the packets say of attempts: TCP connections, SMB on them, and DCE/RPC on either
 *
 * Everything is told in the order of the capture, and each frame ends with tracker_frame().
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

/* What taps bring: "tcp" a segment, before all that is in it; */
void tracker_segment(struct tracker *tracker, const packet_info *pinfo, const void *tapped);
/* "smb2" and "smb" a message; */
void tracker_smb2(struct tracker *tracker, const packet_info *pinfo, const void *tapped);
void tracker_smb(struct tracker *tracker, const packet_info *pinfo, const void *tapped);

/* ---- tracker-rpc.c ---- */

/* "perflib_session" a PDU of DCE/RPC (struct session_tap), before what its dissector tells of it: */
void tracker_pdu(struct tracker *tracker, const packet_info *pinfo, const void *tapped);
/* that it belongs to a call of such an interface; */
void tracker_call(struct tracker *tracker, const packet_info *pinfo, unsigned wants);
/* that it is sealed, and there is no key (needed: which one; file scope); */
void tracker_sealed(struct tracker *tracker, const packet_info *pinfo, const struct key_needed *needed);
/* that a call was refused, which for one that opens is the end (texts in what are constant); */
void tracker_refused(struct tracker *tracker, const packet_info *pinfo, const struct outcome *what);
/* that it answers a request for values with so many; what: why with none, or NULL (texts in it are constant); */
void tracker_values(struct tracker *tracker, const packet_info *pinfo, unsigned values, const struct outcome *what);
/* who logs on, with NTLM; */
void tracker_user(struct tracker *tracker, const packet_info *pinfo, const char *domain, const char *user);
/* that an object is asked for; where it is said to be (server: address as text; NULL: the same); */
void tracker_object(struct tracker *tracker, const packet_info *pinfo, const char *class_name);
void tracker_object_at(struct tracker *tracker, const packet_info *pinfo, const char *server, uint16_t port);
/* that it was given, or not (why; NULL: it was). */
void tracker_object_answer(struct tracker *tracker, const packet_info *pinfo, const struct outcome *why);

/* ---- tracker-transports.c ---- */

/* Half-open connections that were not followed any more, as there were too many. */
unsigned tracker_unfollowed(const struct tracker *tracker);

/* Whether a server accepted a connection of a client, to a port where performance data may be. */
bool tracker_has_reached(const struct tracker *tracker, const char *client, const char *server);

/* Whether a port is NetBIOS's, which clients try beside SMB's own. */
bool tracker_is_netbios(uint16_t port);

/* Frames that were captured only in part. */
struct capture_cuts {
    unsigned frames;
    uint32_t first, last; /* frames; 0: none */
};
const struct capture_cuts *tracker_cuts(const struct tracker *tracker);

/* The frame has been told. */
void tracker_frame(struct tracker *tracker, const packet_info *pinfo);

#endif /* PERFLIB_SESSION_TRACKER_H */
