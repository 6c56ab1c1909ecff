/* login.h
 * How the users of a connection logged on, and what it takes to read what they sealed
 *
 * Learned from the tokens of bind, alter_context and AUTH3, which are in clear: NTLM's messages ([MS-NLMP] 2.2.1) and
 * Kerberos' AP-REQ ([RFC4120] 5.5.1), alone or in SPNEGO.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_LOGIN_H
#define PERFLIB_SESSION_LOGIN_H

#include "compat.h"

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
    const char *needed; /* login_needed(), once it was asked */
};

/* Learns from the token of a binding PDU of that type. */
void login_learn(struct login *login, uint8_t pdu_type, uint8_t auth_type, const uint8_t *token, unsigned size);

/*
 * One sentence without a full stop: how PDUs were sealed, and which preference or keytab with whose password or key
 * would open them. File scope.
 */
const char *login_needed(struct login *login);
/*
 * The same of what SMB 3 encrypted, in a session of that ID, as Wireshark's preferences have it. is_again: in a later
 * pass. In scope.
 */
const char *login_needed_by_smb3(wmem_allocator_t *scope, const struct login *login, const char *id, bool is_again);

#endif /* PERFLIB_SESSION_LOGIN_H */
