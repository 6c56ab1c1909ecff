/* key-needed.h
 * Key or password needed to decrypt sealed calls, or the reason why no key helps
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_KEY_NEEDED_H
#define PERFLIB_BASE_KEY_NEEDED_H

enum key_needed_code {
    KEY_PASSWORD,          /* NTLM: the user's password, or a keytab with its arcfour-hmac key */
    KEY_OTHER_PASSWORD,    /* NTLM: the password given is not the user's */
    KEY_OTHER_NTLM_KEYTAB, /* NTLM: the keytab given does not contain the user's key */
    KEY_NO_NTLM_KEYTAB,    /* NTLM: keytabs are to be used, but kerberos.file names none */
    KEY_NO_KEYTAB,         /* Kerberos: kerberos.file names no keytab */
    KEY_KEYTAB,            /* Kerberos: a keytab with the service's key */
    KEY_OTHER_KEYTAB,      /* Kerberos: the keytab given does not contain the service's key */
    KEY_SMB3,              /* SMB 3: the session key */
    KEY_LOGON_IN_PART,     /* no key helps: part of the logon was not captured */
    KEY_LOGON,             /* no key helps: the logon was not captured */
    KEY_TICKET,            /* no key helps: the Kerberos ticket was not captured */
    KEY_ANONYMOUS,         /* no key helps: the user has no password */
    KEY_SERVICE,           /* Wireshark does not support the authentication service */
    KEY_WEAK_NTLM,         /* Wireshark does not support NTLM without extended session security */
    KEY_USER_LETTERS,      /* Wireshark does not support a letter of the user's or domain's name */
    KEY_PASSWORD_LETTERS,  /* Wireshark does not support a letter of the password given */
    NUM_KEY_CODES
};

/* Reason why PDUs were not decrypted, as a code and as a sentence without a full stop */
struct key_needed {
    enum key_needed_code code;
    const char *text;
};

#endif /* PERFLIB_BASE_KEY_NEEDED_H */
