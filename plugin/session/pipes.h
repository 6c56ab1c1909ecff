/* pipes.h
 * Named pipes and TCP connections that carry DCE/RPC, and what is known of each
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
    uint64_t salt;        /* for SMB2: transport salt of packet-dcerpc */
    wmem_map_t *contexts; /* auth_context_id to struct security_context */
    struct security_context *latest[NUM_SIDES];
    struct pipe_calls calls;
    struct pieces pieces[NUM_SIDES];
    uint64_t begun_in[NUM_SIDES]; /* SMB2 MessageId in which the latest incomplete PDU began, by direction */
    wmem_map_t *warned;           /* listeners that have shown a missing key */
};

/* Forgets everything. Called at the beginning of a capture. */
void pipes_reset(void);
/* Returns true if later passes need the pipes, too: a context or a file was recognised. */
bool pipes_are_kept(void);
/* Makes pipes_are_kept() true. */
void pipes_keep(void);

/*
 * Returns the file of a message. Sets *first to the first request of the compound message with that file, also for
 * answers.
 */
const smb2_fid_info_t *pipes_file_of(const smb2_info_t *smb2, const smb2_saved_info_t **first);
/*
 * Returns packet-dcerpc's transport salt. It is set only after packet-dcerpc's heuristic dissector has run, so this
 * calls it with an empty buffer, which has no other effect.
 */
uint64_t pipes_salt(const struct transport *transport, tvbuff_t *tvb, packet_info *pinfo, void *data);
/* Returns the pipe of a message, or the TCP connection, making it if it is new. data: as for transport->inner. */
struct pipe *pipes_get(const struct transport *transport, const conversation_t *conversation, tvbuff_t *tvb,
    packet_info *pinfo, void *data);
/* Returns true if the pipe is known to be the remote registry's. */
bool pipes_is_registry(const struct transport *transport, void *data);
/* Returns true if a message between the two MessageIds should have carried data of the pipe but was not captured. */
bool pipes_lacks_message(const struct transport *transport, const void *data, uint64_t since);

/*
 * Returns what find_or_create_conversation() would, which takes a thousand instructions. TCP's dissector has called
 * it already, and pinfo or the latest frame often shows the result.
 */
conversation_t *pipes_conversation(packet_info *pinfo);
/* Returns true if a PDU needs its conversation, which takes long to look up. */
bool pipes_needs_conversation(const packet_info *pinfo);
/* Returns true if PDUs were seen on a TCP connection. */
bool pipes_has_connection(const conversation_t *conversation);

#endif /* PERFLIB_SESSION_PIPES_H */
