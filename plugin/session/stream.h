/* stream.h
 * One direction of a sealed NTLM context: which key stream belongs to which PDU, also where PDUs are missing
 *
 * The cipher takes as many bytes of key stream for a PDU as its stub has, and some for its verifier
 * ([MS-NLMP] 3.4.3, 3.4.4). A PDU that is not in the capture takes them, too. How many PDUs are missing is known from
 * the sequence number, which is in clear; how long they were is not, but a stub that makes sense tells: of all places
 * at which it can stand, at one only its operation's fixed values come out.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_STREAM_H
#define PERFLIB_SESSION_STREAM_H

#include "base/rpc-pdu.h"
#include "base/stub-check.h"
#include "session/keystream.h"

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

#endif /* PERFLIB_SESSION_STREAM_H */
