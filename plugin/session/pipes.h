/* pipes.h
 * Named pipes and TCP connections that carry DCE/RPC, and the state of each
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_PIPES_H
#define PERFLIB_SESSION_PIPES_H

#include "session/session.h"

#include <epan/dissectors/packet-smb2.h>

/* Transport of PDUs, and Wireshark's dissector for it. */
struct transport {
    const char *list;         /* name of the heuristic list */
    const char *inner_name;   /* short name of Wireshark's own dissector in the list */
    const char *name, *title; /* name and title of the plugin's entry in that list */
    enum session_transport kind;
    heur_dtbl_entry_t *inner;
};

/* Senders of PDUs. */
enum { FROM_SERVER, FROM_CLIENT, NUM_SIDES };

/* Security context, see decryption.c. */
struct security_context;

/* Named pipe of a TCP connection, or the connection itself. */
struct pipe {
    bool has_salt;
    uint64_t salt;        /* transport salt of packet-dcerpc; valid if has_salt */
    wmem_map_t *contexts; /* auth_context_id to struct security_context */
    struct security_context *latest[NUM_SIDES];
    struct pipe_calls calls;
    struct pieces pieces[NUM_SIDES];
    /* SMB2 MessageId of the message in which the latest incomplete PDU began, by sender */
    uint64_t begun_in[NUM_SIDES];
    wmem_map_t *warned; /* set of the listeners (struct rpc_listener) of interfaces for which a missing key was shown */
};

/* Forgets everything. Called at the beginning of a capture. */
void pipes_reset(void);
/* Returns true if later passes need the pipes, too: after pipes_keep(), or if a request has no SMB2 file of its own. */
bool pipes_are_kept(void);
/* Makes later passes keep track of pipes, too. Called once a context was recognised without a bind. */
void pipes_keep(void);

/*
 * Returns the file of a message; a related request of a compound has the file of an earlier one. *first receives the
 * first request of the compound, also for answers; NULL if the message's own request is the first.
 */
const smb2_fid_info_t *pipes_file_of(const smb2_info_t *smb2, const smb2_saved_info_t **first);
/*
 * Returns packet-dcerpc's transport salt. It is set only after packet-dcerpc's heuristic dissector has run, so
 * pipes_salt() calls that dissector with an empty buffer, which has no other effect.
 */
uint64_t pipes_salt(const struct transport *transport, tvbuff_t *tvb, packet_info *pinfo, void *data);
/* Returns the pipe of a message, or its TCP connection, created on first use. data: as for transport->inner. */
struct pipe *pipes_get(const struct transport *transport, const conversation_t *conversation, tvbuff_t *tvb,
    packet_info *pinfo, void *data);
/* Returns true if the pipe is known to be the remote registry's. */
bool pipes_is_registry(const struct transport *transport, void *data);
/*
 * Returns true if an answer with data of the pipe, after MessageId `since` and before the current one, was not
 * captured.
 */
bool pipes_lacks_message(const struct transport *transport, const void *data, uint64_t since);

/*
 * Returns the same as find_or_create_conversation(), which is slow. TCP's dissector has called it already: its result
 * is often found in pinfo or from the latest frame.
 */
conversation_t *pipes_conversation(packet_info *pinfo);
/* Returns true if a PDU of this packet needs its conversation, which is slow to look up. */
bool pipes_needs_conversation(const packet_info *pinfo);
/* Returns true if PDUs were seen on a TCP connection. */
bool pipes_has_connection(const conversation_t *conversation);

#endif /* PERFLIB_SESSION_PIPES_H */
