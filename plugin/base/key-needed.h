/* key-needed.h
 * Key or password needed to decrypt sealed calls, or the reason why none helps
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_KEY_NEEDED_H
#define PERFLIB_BASE_KEY_NEEDED_H

enum key_needed_code {
    KEY_PASSWORD,          /* NTLM: the user's password, or a keytab with its arcfour-hmac key */
    KEY_OTHER_PASSWORD,    /* ... a password was given, and is not the user's */
    KEY_OTHER_NTLM_KEYTAB, /* ... a keytab was given, and does not hold the user's key */
    KEY_KEYTAB,            /* Kerberos: a keytab with the service's key */
    KEY_OTHER_KEYTAB,      /* ... one was given, and does not hold that key */
    KEY_SMB3,              /* the key of an SMB 3 session */
    KEY_LOGON_IN_PART,     /* no key helps: a part of the logon was not captured */
    KEY_LOGON,             /* ... nothing of it was */
    KEY_TICKET,            /* ... of Kerberos */
    KEY_ANONYMOUS,         /* no key helps: the user has no password */
    KEY_SERVICE,           /* Wireshark cannot open it: the authentication service, */
    KEY_WEAK_NTLM,         /* ... NTLM without extended session security, */
    KEY_USER_LETTERS,      /* ... letters of the user's or the domain's name, */
    KEY_PASSWORD_LETTERS,  /* ... letters of the password that was given */
    NUM_KEY_CODES
};

/* Why PDUs could not be read, as code and as a sentence without a full stop. */
struct key_needed {
    enum key_needed_code code;
    const char *text;
};

#endif /* PERFLIB_BASE_KEY_NEEDED_H */
