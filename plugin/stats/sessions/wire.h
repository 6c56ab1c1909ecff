/* wire.h
 * What the packets say of attempts: TCP connections, SMB on them, and DCE/RPC on either
 *
 * Everything is told in the order of the capture, and each frame ends with wire_frame().
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_SESSIONS_WIRE_H
#define PERFLIB_STATS_SESSIONS_WIRE_H

#include "compat.h"

#include "session/record.h"
#include "stats/sessions/attempts.h"

struct wire;

struct wire *wire_new(attempt_show show, void *data);
void wire_clear(struct wire *wire);

/* What taps bring: "tcp" a segment, before all that is in it; */
void wire_segment(struct wire *wire, const packet_info *pinfo, const void *tapped);
/* "smb2" and "smb" a message; */
void wire_smb2(struct wire *wire, const packet_info *pinfo, const void *tapped);
void wire_smb(struct wire *wire, const packet_info *pinfo, const void *tapped);
/* "perflib_session" a PDU of DCE/RPC (struct session_tap), before what its dissector tells of it: */
void wire_pdu(struct wire *wire, const packet_info *pinfo, const void *tapped);
/* that it belongs to a call of such an interface; */
void wire_call(struct wire *wire, const packet_info *pinfo, unsigned wants);
/* that it is sealed, and there is no key (needed: which one; file scope); */
void wire_sealed(struct wire *wire, const packet_info *pinfo, const struct key_needed *needed);
/* that a call was refused (text is copied), which for one that opens is the end; */
void wire_refused(struct wire *wire, const packet_info *pinfo, const char *text);
/* who logs on, with NTLM; */
void wire_user(struct wire *wire, const packet_info *pinfo, const char *domain, const char *user);
/* that an object is asked for; that it was given, or not (why: copied). */
void wire_object(struct wire *wire, const packet_info *pinfo, const char *class_name);
void wire_object_answer(struct wire *wire, const packet_info *pinfo, const char *why, unsigned port);

/* Half-open connections that were not followed any more, as there were too many. */
unsigned wire_unfollowed(const struct wire *wire);

void wire_frame(struct wire *wire, const packet_info *pinfo);

#endif /* PERFLIB_STATS_SESSIONS_WIRE_H */
