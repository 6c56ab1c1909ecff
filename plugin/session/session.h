/* session.h
 * What the files of session/ know of each other
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_SESSION_H
#define PERFLIB_SESSION_SESSION_H

#include "compat.h"

#include <epan/conversation.h>
#include <epan/expert.h>

#include "base/key-needed.h"
#include "base/rpc-call.h"
#include "base/rpc-pdu.h"
#include "base/stub-check.h"
#include "session/session-pdu.h"

/*
 * The calls of a pipe: which interface and operation each is of, and what the dissector of its request keeps of it
 *
 * A response or a fault tells neither; its request did. Learned on the first pass.
 */

/* The transfer syntaxes NDR and NDR64. */
extern const e_guid_t transfer_ndr, transfer_ndr64;

/*
 * The latest calls of a connection by their numbers: whether others than one interface's took some
 */

struct latest_call {
    uint32_t call_id;
    uint16_t opnum;
    e_guid_t uuid; /* of the interface; zero: it is not known */
};

/* File scope. */
struct latest_calls;

/* ---- latest-calls.c ---- */

struct latest_calls *latest_calls_new(void);
void latest_calls_note(struct latest_calls *latest, struct latest_call call);
/* The latest call of that number; NULL: there is none. latest may be NULL. */
const struct latest_call *latest_calls_find(const struct latest_calls *latest, uint32_t call_id);
/* Whether all these numbers, the last included, were of calls to other interfaces than one's own. */
bool latest_calls_took_others(const struct latest_calls *latest, uint32_t first, uint32_t last, const e_guid_t *own);

/* File scope. */
struct session_call {
    struct rpc_call told;          /* what listeners are told */
    const struct binding *binding; /* NULL: its bind was not seen */
    bool is_lack;                  /* listeners were told that nobody reads its request */
    bool has_auth;                 /* how its request is authenticated was captured: told.auth_type, .auth_level, */
    uint32_t auth_context;         /* and this, if it is at all */
};

/* Of one pipe. */
struct calls {
    wmem_map_t *bindings; /* p_cont_id to struct binding */
    struct offer *offers; /* of the latest bind or alter_context, in order */
    unsigned num_offers;
    uint32_t offered_in;              /* ... its call_id */
    wmem_map_t *by_id;                /* call_id to struct session_call, the latest */
    wmem_map_t *begun[2];             /* call_ids of requests, and of answers, that have begun and not ended */
    const struct stub_kind *kind;     /* of all that was bound */
    bool has_kinds;                   /* not all of it is of one kind: then */
    struct latest_calls *others;      /* ... whose call has which number; NULL before */
    const struct session_call *noted; /* the latest that a dissector keeps something of; NULL: none */
    struct latest_calls *unexplained; /* the latest requests on contexts without a bind; NULL: there was none */
    bool is_recognised;               /* a context was bound without a bind */
};

/* ---- calls.c ---- */

void calls_init(struct calls *calls);

/* Learns from a bind or alter_context; tvb begins with it. */
void calls_learn_bindings(struct calls *calls, tvbuff_t *tvb, const struct rpc_pdu *pdu);

/*
 * Learns from the answer, which tvb begins with: what became of the offer of that number. Returns the context if it is
 * bound to something else than the offer said last, NULL: it is not. Sets *id to the context's.
 */
const struct binding *calls_learn_result(struct calls *calls, const struct rpc_result *result, unsigned nth,
    uint16_t *id);

/* What a context is bound to; NULL: no bind said so. */
const struct binding *calls_binding_of(const struct calls *calls, uint16_t context);

/* The context of a PDU is bound to what it was recognised as, in that frame. */
void calls_bind_recognised(struct calls *calls, const struct rpc_pdu *pdu, const struct stub_recognised *found,
    bool is_ndr64, uint32_t frame);

/* A recognised context was another interface's: it is nobody's from now on, and nor are its calls so far. */
void calls_withdraw_recognised(struct calls *calls, uint16_t context);

/* The call that a request begins or goes on with; NULL: its beginning was not seen, or it is of no known interface. */
struct session_call *calls_request(struct calls *calls, const struct rpc_pdu *pdu, const packet_info *pinfo);

/*
 * On the first pass, of a request that was handed on, and of an answer before: tells the dissector of what the context
 * was bound to, or all where that is not known, if nobody read the request.
 */
void calls_tell_lack(struct calls *calls, const struct rpc_pdu *pdu, const packet_info *pinfo);

/* Of each PDU that was captured whole, on the first pass: whether it ends a stub whose first fragment was not. */
bool calls_lacks_beginning(struct calls *calls, const struct rpc_pdu *pdu);

/* The call that a PDU belongs to: the latest of that number; NULL: not known. */
struct session_call *calls_find(const struct calls *calls, const struct rpc_pdu *pdu);
/* The same; where its request is missing one is made up, of the interface if that is known. */
struct session_call *calls_find_or_guess(const struct calls *calls, const struct rpc_pdu *pdu);

/*
 * Whether another context signed or sealed this part of the call than its request's. Parts that are in clear as their
 * request is, and calls whose request is not known, are their own.
 */
bool calls_is_anothers(const struct session_call *call, const struct rpc_pdu *pdu);

/* Takes what a dissector keeps of a request: session_pdu_note(). */
void calls_note(struct calls *calls, const dcerpc_info *di, const struct rpc_listener *listener, void *state,
    const packet_info *pinfo);

/*
 * PDUs that a capture holds twice: of both directions of a mirrored port, of every component of the host, of TCP itself
 *
 * A PDU is the same if it stands at the same place: by TCP's sequence number, or in the SMB2 message of that number.
 * Learned on the first pass.
 */

/* Where a PDU stands. Zeroed before it is filled, as it is compared byte by byte. */
struct pdu_place {
    const void *connection;
    uint32_t sender; /* TCP's port, or what tells SMB2's answers from requests */
    bool is_message; /* it is one of SMB2's */
    uint64_t number; /* TCP's of its first byte, or SMB2's of the message, */
    uint32_t offset; /* and where it stands in what the message carries */
};

/* Forgets everything. At the beginning of a capture. */
void copies_reset(void);

/* ---- copies.c ---- */

/* Whether there are any: else later passes need not look for them. */
bool copies_are_known(void);

/* Notes the PDU at an offset of the tvb. Returns the frame in which it was read, if that is another one; 0: in none. */
uint32_t copies_note(const struct pdu_place *place, tvbuff_t *tvb, unsigned offset, unsigned length,
    const packet_info *pinfo);

/*
 * PDUs that came in several messages of a pipe, and whether their pieces belong together
 *
 * An answer that is longer than its client's first buffer comes in parts: [MS-SMB2] 3.3.5.15, 3.3.5.12. Wireshark puts
 * together whatever comes next on the pipe, until there are bytes enough; where the capture lacks a part it takes the
 * next answer for it. Learned on the first pass.
 */

/* Of one direction of a pipe. File scope, zeroed before its first PDU. */
struct pieces {
    unsigned begun;                /* PDUs that began */
    bool is_waiting;               /* the latest PDU was not whole: */
    uint8_t head[RPC_HEADER_SIZE]; /* its header, */
    unsigned length;               /* as many bytes of it came, */
    unsigned others;               /* and so many PDUs of the other direction had begun */
};

/* What became of a PDU. */
enum pieces_outcome {
    PIECES_ONE,      /* it came at once */
    PIECES_WAITING,  /* it has just begun */
    PIECES_TOGETHER, /* its pieces may belong together */
    PIECES_TORN,     /* they do not: it was not captured whole */
};

/* ---- pieces.c ---- */

/* Takes the PDU at an offset of what a pipe carries. may_go_on: if it is not whole, more of it may come. */
enum pieces_outcome pieces_take(struct pieces *own, const struct pieces *others, tvbuff_t *tvb, unsigned offset,
    const struct rpc_pdu *pdu, bool may_go_on);

/*
 * How the users of a connection logged on, and what it takes to read what they sealed
 *
 * Learned from the tokens of bind, alter_context and AUTH3, which are in clear: NTLM's messages ([MS-NLMP] 2.2.1) and
 * Kerberos' AP-REQ ([RFC4120] 5.5.1), alone or in SPNEGO.
 */

/* Messages of NTLM, [MS-NLMP] 2.2.1 (base/rpc-pdu.h) */
enum { NTLM_CHALLENGE = 2, NTLM_AUTHENTICATE = 3 }; /* MessageType */
/* NegotiateFlags, 2.2.2.5 */
#define NTLM_EXTENDED_SESSION_SECURITY 0x00080000u
#define NTLM_KEY_EXCHANGE              0x40000000u

/* Of one security context. File scope, zeroed before its first token. */
struct login {
    uint8_t auth_type;  /* [MS-RPCE] 2.2.1.1.7 */
    bool has_begun;     /* the first token was seen: a bind's */
    bool has_answer;    /* the server's was */
    bool has_opened;    /* something it sealed was read: there is a key */
    bool has_challenge; /* NTLM's CHALLENGE_MESSAGE was seen */
    bool has_flags;     /* ... and its flags, */
    uint32_t flags;     /* NTLM_*; as usual if they were cut off */
    const char *user;   /* of NTLM's AUTHENTICATE_MESSAGE, "" for an anonymous logon; NULL: not seen */
    const char *domain; /* "" where it names none, as the next one */
    const char *workstation;
    const char *service; /* of Kerberos' ticket, "host/server.example"; NULL: none was seen */
    const char *realm;
    const struct key_needed *needed; /* login_needed(), once it was asked */
};

/* ---- login.c ---- */

/* Learns from the token of a binding PDU of that type. */
void login_learn(struct login *login, uint8_t pdu_type, uint8_t auth_type, const uint8_t *token, unsigned size);

/* How PDUs were sealed, and which preference or keytab with whose password or key would open them. File scope. */
const struct key_needed *login_needed(struct login *login);
/*
 * The same of what SMB 3 encrypted, in a session of that ID, as Wireshark's preferences have it. is_again: in a later
 * pass. In scope.
 */
const struct key_needed *login_needed_by_smb3(wmem_allocator_t *scope, const struct login *login, const char *id,
    bool is_again);

/*
 * The RC4 key stream of one direction of an NTLM context, drawn from Wireshark's NTLMSSP dissector
 *
 * That dissector decrypts whatever comes next with whatever key stream comes next, and keeps one decrypted payload and
 * one context for a frame and a conversation. Here its three doors are opened one at a time: its context of the
 * conversation (the cipher), its record of the frame (what was decrypted), and the two dissectors that decrypt. What
 * its data mean stays its own: pointers are moved about and never followed.
 */

/* ---- keystream.c ---- */

/* Finds the NTLMSSP dissector's doors. At start, after all protocols have registered. */
void ntlm_init(void);

/* Whether this Wireshark keeps its data where they were looked for. Without harm; once is enough. */
bool ntlm_is_known(packet_info *pinfo, conversation_t *conversation, tvbuff_t *tvb);

/* The conversation's context, NULL for none. Opaque. */
void *ntlm_context(const conversation_t *conversation);
void ntlm_set_context(conversation_t *conversation, void *context);

/* What a frame keeps of NTLM: the context an AUTHENTICATE_MESSAGE belongs to, and what was decrypted. Opaque. */
struct ntlm_frame {
    void *context;
    void *decrypted;
};
/* Takes it from the frame / puts it there; what is NULL is left out. */
struct ntlm_frame ntlm_take_frame(packet_info *pinfo);
void ntlm_put_frame(packet_info *pinfo, struct ntlm_frame frame);

/*
 * An AUTHENTICATE_MESSAGE that makes the NTLMSSP dissector begin with new ciphers. It makes none for a login without
 * key exchange, as that has no session key in its message: here stands one, and is not looked at.
 */
struct ntlm_login {
    uint8_t *message;
    unsigned size;
    uint32_t server_port;
};

/* Makes one of a message without a session key; NULL if the message is too short. File scope. */
struct ntlm_login *ntlm_login_new(const uint8_t *message, unsigned size, uint32_t server_port);

/* Positions count bytes from the stream's beginning. File scope. */
struct keystream {
    uint64_t made;      /* so far was drawn from the cipher */
    uint64_t kept_from; /* key stream from here to made is kept, as it was drawn ahead of its use */
    uint8_t *kept;
    unsigned room;     /* bytes kept has room for */
    uint64_t cipher;   /* where the cipher stands: made, unless somebody set it back */
    unsigned verifier; /* bytes of key stream that a verifier takes */
    /*
     * Without key exchange the NTLMSSP dissector moves the ciphers of both directions on, whichever works. So they are
     * begun anew each time some key stream is drawn, and that is drawn long before it is used.
     */
    const struct ntlm_login *login; /* else NULL */
};

void keystream_init(struct keystream *stream, unsigned verifier, const struct ntlm_login *login);

/* How many bytes must be drawn again first, as somebody set the cipher back. */
uint64_t keystream_behind(const struct keystream *stream);

/*
 * Draws key stream up to that position; false if there is no key. The conversation's context must be the stream's, here
 * and below; tvb is any of this packet, which what is made here then ends with.
 */
bool keystream_draw(struct keystream *stream, uint64_t position, packet_info *pinfo, tvbuff_t *tvb);

/* Decrypts length bytes by the key stream at position, which must be kept: see keystream_draw. */
void keystream_apply(const struct keystream *stream, uint64_t position, const uint8_t *sealed, unsigned length,
    uint8_t *plain);

/* Lets go of the key stream before position. */
void keystream_forget(struct keystream *stream, uint64_t position);

/*
 * Decrypts the stub of a PDU that stands at position of the stream, and its verifier, and returns what Wireshark keeps
 * of a frame whose payload it has decrypted; NULL without a key, or where the key stream there was let go. plain gets
 * the stub. What is not made yet is drawn. Bytes of the stub that were not captured are zero in sealed; verifier is
 * NULL where it was not captured.
 */
void *keystream_decrypt(struct keystream *stream, uint64_t position, const uint8_t *sealed, unsigned length,
    const uint8_t *verifier, packet_info *pinfo, tvbuff_t *tvb, uint8_t *plain);

/* The same for a stub that was decrypted already. */
void *keystream_place(struct keystream *stream, const uint8_t *plain, unsigned length, const uint8_t *verifier,
    packet_info *pinfo, tvbuff_t *tvb);

/*
 * One direction of a sealed NTLM context: which key stream belongs to which PDU, also where PDUs are missing
 *
 * The cipher takes as many bytes of key stream for a PDU as its stub has, and some for its verifier
 * ([MS-NLMP] 3.4.3, 3.4.4). A PDU that is not in the capture takes them, too. How many PDUs are missing is known from
 * the sequence number, which is in clear; how long they were is not, but a stub that makes sense tells: of all places
 * at which it can stand, at one only its operation's fixed values come out.
 */

/* What became of a sealed PDU. */
enum stream_state {
    STREAM_OPENED,   /* decrypted, as far as can be known rightly */
    STREAM_NO_KEY,   /* Wireshark has no key */
    STREAM_LOST,     /* PDUs before it are missing, and it could not be proven where it stands */
    STREAM_LATE,     /* it came after its successors, and its key stream is gone */
    STREAM_NONSENSE, /* nothing is known to be missing, but no stub of this context ever made sense */
    STREAM_CUT,      /* not captured whole */
};

/* A PDU that was seen, for all passes. */
struct stream_pdu {
    enum stream_state state;
    void *decrypted;     /* what the frame keeps, STREAM_OPENED only */
    uint32_t missing;    /* PDUs that are missing since last_frame, 0: none */
    uint32_t skipped;    /* bytes of key stream that were theirs: decryption was set right here */
    uint32_t last_frame; /* the last frame that could be decrypted, 0: none */
    uint32_t length;     /* of the stub: as many bytes were decrypted */
    uint32_t checksum;   /* a part of the verifier, to know the PDU again */
};

struct stream_gap {
    uint32_t first, count; /* sequence numbers that are missing */
    uint64_t from, to;     /* the key stream that was theirs; to is 0 while it is not known */
    uint8_t *kept;         /* of it, NULL if it is too long */
};

struct stream {
    struct keystream keys;
    bool has_begun;     /* a sealed PDU was seen */
    bool is_proven;     /* a stub made sense, nothing was lost since */
    bool is_doubtful;   /* a fault or the like was seen, nothing was proven since */
    bool made_no_sense; /* a stub did not, and none did since */
    uint32_t next_number;
    uint64_t at;      /* where the next PDU stands, at least */
    uint64_t window;  /* and at most so many bytes behind it */
    uint32_t missing; /* PDUs that make the window */
    uint32_t last_frame;
    unsigned longest; /* PDU */
    struct stream_gap gap;
    wmem_map_t *pdus; /* sequence number to struct stream_pdu, as segments come twice */
};

/* ---- stream.c ---- */

/* verifier: bytes of key stream that one takes. login: see struct keystream. File scope. */
struct stream *stream_new(unsigned verifier, const struct ntlm_login *login);

/* A signature with that sequence number was sent before anything was sealed; it takes no key stream. */
void stream_note_signature(struct stream *stream, uint32_t number);

/*
 * Takes the next sealed PDU, which begins the tvb, on the first pass: decrypts it where that is possible. sample: what
 * is known of the stub before it is decrypted; check: NULL if nobody knows its interface. The conversation's context
 * must be the stream's.
 */
struct stream_pdu *stream_open(struct stream *stream, const struct rpc_pdu *pdu, tvbuff_t *tvb, packet_info *pinfo,
    const struct stub_sample *sample, stub_check check);

/* Forgets what may still be skipped: at the beginning of a capture. */
void stream_reset_budget(void);

/*
 * Calls on a presentation context that no bind explains, as the capture lacks it: which interface they can only be of
 *
 * packet-dcerpc hands on only what was bound. So, once a stub proves what it is, it is given the bind that is missing.
 */

/* ---- recognise.c ---- */

/*
 * On the first pass, of a request or response that was read from tvb: binds its context where the bind is missing and
 * the stub proves what it is. Returns the bind as it would have been sent (packet scope); NULL: nothing is to be bound.
 */
tvbuff_t *recognise_context(struct calls *calls, tvbuff_t *tvb, const struct rpc_pdu *pdu, packet_info *pinfo,
    bool is_registry_pipe);
/*
 * Judges a recognised context by an answer, on the first pass. Returns the bind that takes the context back, to be
 * handed to Wireshark (packet scope); NULL: the answer fits.
 */
tvbuff_t *recognise_judge(struct calls *calls, tvbuff_t *tvb, const struct rpc_pdu *pdu, packet_info *pinfo);

/* ---- synthetic-bind.c ---- */

/*
 * Binds that packet-dcerpc is given though the capture lacks them, or holds them otherwise
 */

/* A bind of a context to what it is bound to, in little-endian: the byte order of a bind is its own. Packet scope. */
tvbuff_t *synthetic_bind_make(tvbuff_t *tvb, const struct rpc_pdu *pdu, packet_info *pinfo, uint16_t context,
    const struct binding *bound);
/* Has packet-dcerpc learn from it so that nobody sees. dcerpc: its heuristic of the transport, data: what that gets. */
void synthetic_bind_hand_on(const heur_dtbl_entry_t *dcerpc, tvbuff_t *bind, packet_info *pinfo, void *data);

/* ---- decode-as.c ---- */

/*
 * "Decode As" of TCP ports
 */

/* Whose dissector takes what packet-dcerpc is chosen for. At handoff. */
void decode_as_init(dissector_t dissector, int proto);
/* Gives it the ports that the user has chosen packet-dcerpc for. At the beginning of a capture. */
void decode_as_take(void);
/* Calls packet-dcerpc, as it was chosen. */
int decode_as_call_inner(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data);

/*
 * Connections that SMB 3 encrypts: whether they are read, and what it takes
 *
 * Nothing of what they carry comes to this plugin unless Wireshark opened it, so that nothing else tells why it is
 * missing.
 */

/* ---- smb3.c ---- */

/* Called once, when all protocols are registered: whose item says that a connection is not read. */
void smb3_handoff(expert_field *item);
/* Forgets everything. At the beginning of a capture. */
void smb3_reset(void);

#endif /* PERFLIB_SESSION_SESSION_H */
