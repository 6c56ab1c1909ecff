/* keystream.h
 * The RC4 key stream of one direction of an NTLM context, drawn from Wireshark's NTLMSSP dissector
 *
 * That dissector decrypts whatever comes next with whatever key stream comes next, and keeps one decrypted payload and
 * one context for a frame and a conversation. Here its three doors are opened one at a time: its context of the
 * conversation (the cipher), its record of the frame (what was decrypted), and the two dissectors that decrypt. What
 * its data mean stays its own: pointers are moved about and never followed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_KEYSTREAM_H
#define PERFLIB_SESSION_KEYSTREAM_H

#include "compat.h"

#include <epan/conversation.h>

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

#endif /* PERFLIB_SESSION_KEYSTREAM_H */
