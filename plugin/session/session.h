/* session.h
 * Interfaces between the files of session/
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_SESSION_H
#define PERFLIB_SESSION_SESSION_H

#include "compat.h"

#include <epan/conversation.h>

#include "base/rpc-call.h"
#include "base/rpc-pdu.h"
#include "base/stub-check.h"
#include "session/session-pdu.h"

/*
 * Calls of a pipe: interface and operation of each, and the state that the request's dissector attached
 * Responses and faults name neither interface nor operation, so both are looked up in the request. Learned on the first
 * pass.
 */

/* Transfer syntaxes NDR and NDR64. */
extern const e_guid_t transfer_ndr, transfer_ndr64;

/* Call on a pipe. File scope. */
struct pipe_call {
    struct rpc_call rpc;           /* description of the call that is passed to listeners */
    const struct binding *binding; /* NULL if the bind was not seen */
    bool is_lack;                  /* true if listeners were informed that the request was not dissected */
    bool has_auth;         /* true if the request's auth trailer was captured: auth_context and rpc.auth_* are valid */
    uint32_t auth_context; /* auth_context_id of the request, if it is authenticated */
};

/* Calls and presentation contexts of one pipe. */
struct pipe_calls {
    wmem_map_t *bindings;         /* p_cont_id to struct binding */
    const struct binding *latest; /* latest binding made, to avoid most look-ups; NULL if none */
    uint16_t latest_context;      /* p_cont_id of .latest */
    struct offer *offers;         /* contexts offered in the latest bind or alter_context, in order */
    unsigned num_offers;
    uint32_t offered_in;  /* call_id of the bind or alter_context with the offers */
    wmem_map_t *by_id;    /* call_id to the latest struct pipe_call */
    wmem_map_t *begun[2]; /* call_ids of stubs whose last fragment is awaited: [0] of requests, [1] of answers */
    const struct pipe_call *noted; /* latest call with state stored by session_pdu_note(); NULL if none */
    wmem_map_t *unexplained;       /* call_id to opnum + 1 of the latest request on a context without a bind */
    bool is_recognised;            /* true if a context was recognised without a bind */
    uint32_t latest_id;            /* highest call_id since a bind last restarted the numbers */
    struct rpc_position position;  /* position of the latest request among the calls */
};

/* ---- calls.c ---- */

void calls_init(struct pipe_calls *calls);

/* Learns the contexts offered in a bind or alter_context, which is at the start of tvb. */
void calls_learn_bindings(struct pipe_calls *calls, tvbuff_t *tvb, const struct rpc_pdu *pdu, uint32_t frame);

/* Records the call_id of a request or a bind, and counts the numbers that are missing. */
void calls_note_number(struct pipe_calls *calls, const struct rpc_pdu *pdu);

/*
 * Learns the nth result of a bind_ack or alter_context_resp. If the server chose NDR instead of the assumed NDR64 or
 * vice versa, or rejected a context that was bound before the offer, returns the corrected binding, and its p_cont_id
 * in *id; else returns NULL.
 */
const struct binding *calls_learn_result(struct pipe_calls *calls, const struct rpc_result *result, unsigned nth,
    uint32_t frame, uint16_t *id);

/* Returns the binding of a presentation context, or NULL if no bind was captured. */
const struct binding *calls_binding_of(const struct pipe_calls *calls, uint16_t context);
/*
 * Returns the binding of a presentation context at a packet, in any pass, or NULL if none is known. A recognised
 * binding is returned only once an answer confirmed it; in later passes, also for packets before that answer. If an
 * answer withdrew it, the returned binding has no interface.
 */
const struct binding *calls_binding_at(const struct pipe_calls *calls, uint16_t context, const packet_info *pinfo);

/* Binds the presentation context of a PDU to the interface recognised in this frame. */
void calls_bind_recognised(struct pipe_calls *calls, const struct rpc_pdu *pdu, const struct stub_recognised *found,
    bool is_ndr64, uint32_t frame);

/*
 * Changes a recognised binding and its calls so far from NDR to NDR64 or back. Recognition may choose the wrong one,
 * since some requests, such as a handle and a size, are equal in both.
 */
void calls_change_recognised_syntax(struct pipe_calls *calls, uint16_t context);
/* Withdraws a recognised binding that was wrong. The context and its calls so far then have no interface. */
void calls_withdraw_recognised(struct pipe_calls *calls, uint16_t context, uint32_t frame);

/*
 * Returns the call that a request starts or continues, or NULL if its first fragment was not seen or its interface
 * is unknown.
 */
struct pipe_call *calls_request(struct pipe_calls *calls, const struct rpc_pdu *pdu, const packet_info *pinfo);

/*
 * Informs the listener of the bound interface (all listeners if it is unknown) of a request that was not dissected.
 * First pass only. Call it after a request, and before an answer, is passed to packet-dcerpc.
 */
void calls_tell_lack(struct pipe_calls *calls, const struct rpc_pdu *pdu, const packet_info *pinfo);

/*
 * Returns true if the PDU ends a stub whose first fragment was not captured. Call it for every completely captured PDU,
 * on the first pass.
 */
bool calls_lacks_beginning(struct pipe_calls *calls, const struct rpc_pdu *pdu);

/* Returns the latest call with the call_id of the PDU, or NULL if it is unknown. */
struct pipe_call *calls_find(const struct pipe_calls *calls, const struct rpc_pdu *pdu);
/*
 * Returns the latest call with the call_id of the PDU. If its request was not captured, returns a new call, with the
 * context's interface if that is known.
 */
struct pipe_call *calls_find_or_guess(const struct pipe_calls *calls, const struct rpc_pdu *pdu);

/*
 * Returns true if the PDU was signed or sealed by another security context than its call's request. Returns false if
 * that is not certain: below packet integrity, or if an auth trailer was not captured.
 */
bool calls_is_anothers(const struct pipe_call *call, const struct rpc_pdu *pdu);

/* Returns a struct stub_sample with the members known before the stub is decrypted. call: NULL if unknown. */
struct stub_sample calls_stub_sample(const struct rpc_pdu *pdu, const struct pipe_call *call);
/*
 * Returns the sample of a stub that is not sealed. Its head has all captured bytes; NULL if the stub is sealed or none
 * of it was captured. call: NULL if unknown.
 */
struct stub_sample calls_clear_sample(tvbuff_t *tvb, const struct rpc_pdu *pdu, const struct pipe_call *call);
/* Returns the function that checks decrypted stubs of the PDU's interface, or NULL if there is none. */
stub_check calls_stub_check(const struct rpc_pdu *pdu, const struct pipe_call *call);

/* Stores the state that a dissector attached to a request by session_pdu_note(). */
void calls_note(struct pipe_calls *calls, const dcerpc_info *di, const struct rpc_listener *listener, void *state,
    const packet_info *pinfo);

/*
 * Duplicate PDUs: captures of both directions of a mirrored port, of every network component of a host, and TCP
 * retransmissions
 * Two PDUs are the same if they have the same start: TCP sequence number, or SMB2 MessageId and offset. Learned on
 * the first pass.
 */

/*
 * Position of a PDU in its stream: the key for finding duplicates. Zero the structure before filling it, since keys are
 * compared byte by byte.
 */
struct pdu_start {
    const void *connection;
    uint32_t sender; /* TCP port of the sender; for SMB2 0 in requests, 1 in answers */
    bool is_message; /* true if the PDU is in an SMB2 message */
    uint64_t number; /* TCP sequence number of the first byte, or SMB2 MessageId */
    uint32_t offset; /* offset of the PDU in the data of the SMB2 message */
};

/* Forgets everything. Called at the beginning of a capture. */
void copies_reset(void);

/* ---- copies.c ---- */

/* Returns true if the capture has duplicate PDUs. If not, later passes need not search for them. */
bool copies_are_known(void);

/* Records the PDU at `offset` of tvb. Returns the frame with the first copy of the PDU if it is a duplicate, else 0. */
uint32_t copies_note(const struct pdu_start *start, tvbuff_t *tvb, unsigned offset, unsigned length,
    const packet_info *pinfo);

/*
 * PDUs split over several messages of a pipe, and whether their pieces belong together
 * If an answer is longer than the client's first buffer, the client reads it in parts ([MS-SMB2] 3.3.5.15, 3.3.5.12).
 * Wireshark joins whatever data follow on the pipe until it has enough bytes; if a part was not captured, Wireshark
 * joins the next answer instead. Learned on the first pass.
 */

/* Reassembly state of one direction of a pipe. File scope, zeroed before its first PDU. */
struct pieces {
    unsigned begun;  /* number of PDUs whose first byte was seen */
    bool is_waiting; /* true if the latest PDU is incomplete; only then are the next three members valid */
    uint8_t head[RPC_HEADER_SIZE]; /* header of the incomplete PDU */
    unsigned length;               /* number of bytes of the incomplete PDU received so far */
    unsigned others;               /* number of PDUs begun in the other direction before the incomplete PDU */
};

/* Completeness of a PDU on a pipe. */
enum pieces_outcome {
    PIECES_ONE,      /* whole PDU in a single message */
    PIECES_WAITING,  /* incomplete PDU: the next message should continue it */
    PIECES_TOGETHER, /* complete PDU of several messages, with no sign that one of them is missing */
    PIECES_TORN,     /* pieces of different PDUs, joined because a message was not captured */
};

/* ---- pieces.c ---- */

/*
 * Processes the PDU at `offset` of a pipe's data. own, others: state of the PDU's direction, and of the opposite one.
 * may_go_on: true if later messages may contain the rest of an incomplete PDU.
 */
enum pieces_outcome pieces_take(struct pieces *own, const struct pieces *others, tvbuff_t *tvb, unsigned offset,
    const struct rpc_pdu *pdu, bool may_go_on);

/*
 * Logons of a connection's users, and the key needed to decrypt their calls
 * Learned from the tokens of bind, alter_context and AUTH3, which are in clear: NTLM messages ([MS-NLMP] 2.2.1) and
 * the Kerberos AP-REQ ([RFC4120] 5.5.1), raw or in SPNEGO.
 */

/* NTLM messages, [MS-NLMP] 2.2.1 (signature and offset of MessageType: see base/rpc-pdu.h) */
enum { NTLM_CHALLENGE = 2, NTLM_AUTHENTICATE = 3 }; /* values of MessageType */
/* NegotiateFlags, [MS-NLMP] 2.2.2.5 */
#define NTLM_EXTENDED_SESSION_SECURITY 0x00080000u
#define NTLM_KEY_EXCHANGE              0x40000000u

/* Logon of one security context. File scope, zeroed before its first token. */
struct login {
    uint8_t auth_type;  /* security provider of the context, [MS-RPCE] 2.2.1.1.7 */
    bool has_begun;     /* true if the first token, in a bind, was seen */
    bool has_answer;    /* true if the server's first token was seen */
    bool has_opened;    /* true if a sealed PDU was decrypted: Wireshark has a key */
    bool has_challenge; /* true if NTLM's CHALLENGE_MESSAGE was seen */
    bool has_flags;     /* true if the NegotiateFlags of the CHALLENGE_MESSAGE were seen */
    uint32_t flags;     /* NegotiateFlags (NTLM_*); the usual ones if they were not captured */
    const char *user;   /* user in NTLM's AUTHENTICATE_MESSAGE, "" if anonymous; NULL if not seen */
    const char *domain; /* domain in NTLM's AUTHENTICATE_MESSAGE, "" if it names none */
    const char *workstation;
    bool has_ntlm, has_kerberos; /* true if a token contained an NTLM message, or a Kerberos message */
    const char *service;         /* service of the Kerberos ticket, "host/server.example"; NULL if no ticket was seen */
    const char *realm;
    const struct key_needed *needed; /* result of login_needed(); NULL before its first call */
    wmem_tree_t *history; /* frame to the logon that began there: this one and those of earlier users of the ports */
};

/* ---- login.c ---- */

/* Learns from a token in a PDU of type pdu_type (bind, bind_ack, alter_context, alter_context_resp or AUTH3). */
void login_learn(struct login *login, uint8_t pdu_type, uint8_t auth_type, const uint8_t *token, unsigned size);

/*
 * Returns the key needed to decrypt the logon's calls, with a sentence that names the preference or keytab. File scope.
 */
const struct key_needed *login_needed(struct login *login);
/*
 * Like login_needed(), for an SMB session encrypted by SMB 3. The sentence depends on the keys set in Wireshark's
 * preferences. id: the session's ID. is_again: true in later passes. Allocated in `scope`.
 */
const struct key_needed *login_needed_by_smb3(wmem_allocator_t *scope, const struct login *login, const char *id,
    bool is_again);

/*
 * RC4 key stream of one direction of an NTLM context, drawn from Wireshark's NTLMSSP dissector
 * That dissector decrypts sealed bytes with the next bytes of key stream, in the order of the capture. It keeps one
 * context (the cipher) per conversation and one record (the decrypted payload) per frame. So this file exchanges these
 * two, as needed, and calls the dissector's two decrypting functions. The plugin never reads these data: it only moves
 * pointers to them.
 */

/* ---- keystream.c ---- */

/*
 * Looks up the NTLMSSP dissector's protocol number and decrypting dissectors. Called once, after all protocols have
 * registered.
 */
void ntlm_init(void);

/*
 * Returns true if this version of Wireshark keeps the NTLMSSP data where the plugin expects them. No side effects. The
 * result does not change.
 */
bool ntlm_is_known(packet_info *pinfo, conversation_t *conversation, tvbuff_t *tvb);

/* Returns the NTLMSSP context of a conversation, or NULL if there is none. Opaque. */
void *ntlm_context(const conversation_t *conversation);
void ntlm_set_context(conversation_t *conversation, void *context);

/* NTLMSSP records of a frame: the context of an AUTHENTICATE_MESSAGE, and the decrypted payload. Opaque. */
struct ntlm_frame {
    void *context;
    void *decrypted;
};
/*
 * ntlm_take_frame() removes the NTLMSSP records from the frame; ntlm_put_frame() adds them (NULL members are
 * skipped).
 */
struct ntlm_frame ntlm_take_frame(packet_info *pinfo);
void ntlm_put_frame(packet_info *pinfo, struct ntlm_frame frame);

/*
 * AUTHENTICATE_MESSAGE that makes the NTLMSSP dissector start with new ciphers. The dissector makes ciphers only if the
 * message has a session key, which logons without key exchange lack. So a dummy key is added; its value has no effect.
 */
struct ntlm_login {
    uint8_t *message;
    unsigned size;
    uint32_t server_port;
};

/* Copies a message without a session key and adds a dummy key. Returns NULL if the message is too short. File scope. */
struct ntlm_login *ntlm_login_new(const uint8_t *message, unsigned size, uint32_t server_port);

/* Key stream of one direction. Positions count bytes from its beginning. File scope. */
struct keystream {
    uint64_t made;      /* end of the key stream drawn from the cipher so far */
    uint64_t kept_from; /* start of the key stream in `kept`, which ends at `made` */
    uint8_t *kept;
    unsigned room;     /* allocated size of `kept` in bytes */
    uint64_t cipher;   /* position of the cipher: equal to `made`, unless a new logon reset the cipher */
    unsigned verifier; /* bytes of key stream that a verifier takes */
    /*
     * Set for logons without key exchange. For these the NTLMSSP dissector advances both directions' ciphers at each
     * use, so each draw restarts them at position 0. To limit the cost, each draw at least doubles .made.
     */
    const struct ntlm_login *login; /* NULL for logons with key exchange */
};

void keystream_init(struct keystream *stream, unsigned verifier, const struct ntlm_login *login);

/* Returns the number of bytes that must be drawn again because the cipher was reset. */
uint64_t keystream_behind(const struct keystream *stream);

/*
 * Draws key stream up to `position`. Returns false if Wireshark has no key. The conversation must have this stream's
 * NTLMSSP context while this and the following functions run. tvb: any buffer of this packet; buffers made here are
 * freed with it.
 */
bool keystream_draw(struct keystream *stream, uint64_t position, packet_info *pinfo, tvbuff_t *tvb);

/* Decrypts `length` bytes with the key stream at `position`, which must have been drawn and not freed. */
void keystream_apply(const struct keystream *stream, uint64_t position, const uint8_t *sealed, unsigned length,
    uint8_t *plain);

/* Frees the key stream before `position`. */
void keystream_forget(struct keystream *stream, uint64_t position);

/*
 * Decrypts the stub and the verifier of a PDU at `position` of the stream, and draws key stream as needed. Writes the
 * stub to plain. Returns the NTLMSSP dissector's record of the decrypted payload (struct ntlm_frame), or NULL if there
 * is no key or the key stream was freed. sealed: the stub, with zeros for bytes that were not captured. verifier: NULL
 * if not captured.
 */
void *keystream_decrypt(struct keystream *stream, uint64_t position, const uint8_t *sealed, unsigned length,
    const uint8_t *verifier, packet_info *pinfo, tvbuff_t *tvb, uint8_t *plain);

/* Returns the record that keystream_decrypt() would return. For stubs already decrypted with kept key stream. */
void *keystream_record(struct keystream *stream, const uint8_t *plain, unsigned length, const uint8_t *verifier,
    packet_info *pinfo, tvbuff_t *tvb);

/*
 * One direction of a sealed NTLM context: finds the key stream of each PDU, even if PDUs are missing
 * A PDU uses one byte of key stream per byte of its stub, and some for its verifier ([MS-NLMP] 3.4.3, 3.4.4). PDUs
 * missing from the capture used key stream, too. The sequence number, which is in clear, shows how many PDUs are
 * missing, but not their lengths. So the plugin tries each possible position: only at the right one does the stub
 * decrypt to the fixed values of its operation.
 */

/* Result of decrypting a sealed PDU. */
enum stream_state {
    STREAM_OPENED, /* decrypted, at the right position as far as is known */
    STREAM_NO_KEY, /* not decrypted: Wireshark has no key */
    STREAM_LOST,   /* not decrypted: earlier PDUs are missing, and no position could be proven */
    STREAM_LATE,   /* not decrypted: received out of order, when its key stream was already freed */
    /* decrypted to nonsense, like every stub of this context, although no PDU is known to be missing */
    STREAM_NONSENSE,
    STREAM_CUT, /* not decrypted: the PDU was not captured whole */
};

/* Sealed PDU that was seen, kept for later passes. */
struct stream_pdu {
    enum stream_state state;
    void *decrypted;     /* NTLMSSP record of the payload (struct ntlm_frame); only for STREAM_OPENED */
    uint32_t missing;    /* number of PDUs missing since last_frame; 0 if none */
    uint32_t skipped;    /* number of bytes of key stream that the missing PDUs used, found by trial at this PDU */
    uint32_t last_frame; /* latest frame with a PDU decrypted before this one; 0 if none */
    uint32_t length;     /* length of the decrypted stub */
    uint32_t checksum;   /* part of the verifier, to find a retransmission */
};

struct stream_gap {
    uint32_t first, count; /* sequence number of the first missing PDU; number of missing PDUs */
    uint64_t from, to;     /* positions of the key stream of the missing PDUs; `to` is 0 while unknown */
    uint8_t *kept;         /* copy of the missing PDUs' key stream; NULL if too long to keep */
};

struct stream {
    struct keystream keys;
    bool has_begun;     /* true if a sealed PDU was seen */
    bool is_proven;     /* true if a stub was valid and no PDU was lost since */
    bool is_doubtful;   /* true after a PDU without verifier, or a fault, until a stub is proven valid */
    bool made_no_sense; /* true if a stub was invalid and none was valid since */
    uint32_t next_number;
    uint64_t at;     /* lowest possible position of the next PDU in the key stream */
    uint64_t window; /* number of bytes by which the next PDU's position may be above .at */
    /* number of missing PDUs because of which the next PDU's key stream position is uncertain (see .window) */
    uint32_t missing;
    uint32_t last_frame;
    unsigned longest; /* length of the longest PDU so far, at least USUAL_FRAGMENT */
    struct stream_gap gap;
    wmem_map_t *pdus; /* sequence number to struct stream_pdu, to find retransmissions */
};

/* ---- stream.c ---- */

/*
 * Makes the stream of one direction. verifier: bytes of key stream per verifier. login: see struct keystream. File
 * scope.
 */
struct stream *stream_new(unsigned verifier, const struct ntlm_login *login);

/* Records the sequence number of the signature of SPNEGO's mechanism list. Ignored once a sealed PDU was seen. */
void stream_note_signature(struct stream *stream, uint32_t number);

/*
 * Processes the next sealed PDU, which is at the start of tvb, and decrypts it if possible. sample: from
 * calls_stub_sample(). check: NULL if the interface is unknown. The conversation must have this stream's NTLMSSP
 * context. First pass only.
 */
struct stream_pdu *stream_open(struct stream *stream, const struct rpc_pdu *pdu, tvbuff_t *tvb, packet_info *pinfo,
    const struct stub_sample *sample, stub_check check);

/* Resets the limit on trial decryption. Called at the beginning of a capture. */
void stream_reset_budget(void);

/*
 * Calls on presentation contexts whose bind was not captured: recognises the interface by the stub
 * packet-dcerpc dissects only calls on bound contexts. So, once a stub proves the interface, the plugin passes a
 * synthetic bind to packet-dcerpc.
 */

/* ---- recognise.c ---- */

/*
 * Binds the context of a request or response in tvb, if the bind is missing and the stub proves the interface. Returns
 * a synthetic bind for packet-dcerpc (packet scope), or NULL if the context is not bound. First pass only.
 */
tvbuff_t *recognise_context(struct pipe_calls *calls, tvbuff_t *tvb, const struct rpc_pdu *pdu, packet_info *pinfo,
    bool is_registry_pipe);
/*
 * Checks a recognised context by an answer. If the answer does not fit, withdraws the context and returns a synthetic
 * bind that does so in packet-dcerpc (packet scope); else returns NULL. First pass only.
 */
tvbuff_t *recognise_judge(struct pipe_calls *calls, tvbuff_t *tvb, const struct rpc_pdu *pdu, packet_info *pinfo);

/* ---- synthetic-bind.c ---- */

/* Synthetic binds for packet-dcerpc: for contexts whose bind was not captured, or not accepted as it was offered */

/* Returns a little-endian bind of a presentation context to an interface. Packet scope. */
tvbuff_t *synthetic_bind_make(tvbuff_t *tvb, const struct rpc_pdu *pdu, packet_info *pinfo, uint16_t context,
    const struct binding *bound);
/*
 * Passes a synthetic bind to packet-dcerpc without showing it. dcerpc: packet-dcerpc's heuristic dissector of the
 * transport. data: the argument for that dissector.
 */
void synthetic_bind_hand_on(const heur_dtbl_entry_t *dcerpc, tvbuff_t *bind, packet_info *pinfo, void *data);

/* ---- decode-as.c ---- */

/* "Decode As" of TCP ports */

/* Sets the dissector that replaces packet-dcerpc on the ports chosen by "Decode As". Called at handoff. */
void decode_as_init(dissector_t dissector, int proto);
/* Replaces packet-dcerpc on the ports for which the user chose packet-dcerpc. Called at the beginning of a capture. */
void decode_as_take(void);
/* Calls packet-dcerpc as "Decode As" would have. */
int decode_as_call_inner(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data);

/*
 * Connections that SMB 3 encrypts: whether Wireshark decrypts them, and the missing key
 * Without the key Wireshark passes nothing of the connection to other parts of the plugin, so only smb3.c can show why
 * calls are missing.
 */

/* ---- smb3.c ---- */

/*
 * Registers the expert item for connections that are not decrypted. Called once, after all protocols have
 * registered.
 */
void smb3_handoff(expert_field *item);

#endif /* PERFLIB_SESSION_SESSION_H */
