/* login.c
 * Logons of a connection's users, and the key needed to decrypt their calls
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#include <epan/prefs.h>
#include <epan/prefs-int.h>

#include "base/bytes.h"

/* Copies a name, shortened to what can be shown and with line ends and the like escaped. */
static const char *
login_keep_name(const char *name)
{
    return line_text_copy(wmem_file_scope(), name, NAME_TEXT_MAX);
}

/* Returns the text up to the first byte that is not ASCII. */
static const char *
keep_ascii(const uint8_t *bytes, unsigned size)
{
    wmem_strbuf_t *text = wmem_strbuf_new(NULL, NULL);
    const char *kept;

    for (unsigned i = 0; i < MIN(size, NAME_TEXT_UNITS); i++) {
        wmem_strbuf_append_unichar(text, bytes[i] >= 0x20 && bytes[i] < 0x7f ? bytes[i] : 0xfffd);
    }
    kept = login_keep_name(wmem_strbuf_get_str(text));
    wmem_strbuf_destroy(text);
    return kept;
}

/* NTLM, [MS-NLMP] 2.2.1 */

#define DOMAIN_AT         28u /* DomainNameFields of an AUTHENTICATE_MESSAGE */
#define USER_AT           36u /* UserNameFields of an AUTHENTICATE_MESSAGE */
#define WORKSTATION_AT    44u /* WorkstationFields of an AUTHENTICATE_MESSAGE */
#define FLAGS_AT          60u /* NegotiateFlags of an AUTHENTICATE_MESSAGE */
#define AUTHENTICATE_SIZE 64u /* minimum size of an AUTHENTICATE_MESSAGE before its payload */
#define CHALLENGE_FLAGS   20u /* NegotiateFlags of a CHALLENGE_MESSAGE */
#define FLAG_UNICODE      1u

/* Returns a text in an NTLM message. at: where the text's length and offset are, for example USER_AT. */
static const char *
ntlm_text(const uint8_t *message, unsigned size, unsigned at)
{
    const unsigned length = bytes_uint16(message + at, false);
    const uint32_t place = MIN(bytes_uint32(message + at + 4, false), size);
    const unsigned there = MIN(length, size - place);
    const char *text, *kept;

    if (!(bytes_uint32(message + FLAGS_AT, false) & FLAG_UNICODE)) {
        return keep_ascii(message + place, there);
    }
    text = utf16_from_bytes(NULL, message + place, MIN(there / 2, NAME_TEXT_UNITS) * 2, ENC_LITTLE_ENDIAN);
    kept = login_keep_name(text);
    wmem_free(NULL, (char *)text);
    return kept;
}

static void
learn_ntlm(struct login *login, const uint8_t *message, unsigned size)
{
    const uint32_t type = bytes_uint32(message + NTLM_TYPE_AT, false);

    if (type == NTLM_CHALLENGE) {
        login->has_challenge = true;
        login->has_flags = size >= CHALLENGE_FLAGS + 4;
        login->flags =
            login->has_flags ? bytes_uint32(message + CHALLENGE_FLAGS, false) : NTLM_EXTENDED_SESSION_SECURITY;
    } else if (type == NTLM_AUTHENTICATE && size >= AUTHENTICATE_SIZE) {
        login->user = ntlm_text(message, size, USER_AT);
        login->domain = ntlm_text(message, size, DOMAIN_AT);
        login->workstation = ntlm_text(message, size, WORKSTATION_AT);
    }
}

/* Kerberos, [RFC4120] 5.2.2, 5.3 and 5.5.1, in DER */

#define KRB_AP_REQ         14 /* values of msg-type */
#define KRB_AP_REP         15
#define TAG_TICKET         0x61 /* DER tag [APPLICATION 1] of a Ticket */
#define TAG_SEQUENCE       0x30
#define TAG_GENERAL_STRING 0x1b
#define TAG_FIELD(number)  (0xa0 | (number))
/*
 * Maximum number of elements searched in a sequence. No sequence used here has more; a principal's name has two
 * parts, rarely three.
 */
#define MOST_ELEMENTS      8u

struct der {
    const uint8_t *bytes;
    unsigned size;
};

/* Reads the next element and sets *inner to its contents. Returns its tag, or -1 if there is no complete element. */
static int
der_next(struct der *der, struct der *inner)
{
    unsigned head = 2, length;
    int tag;

    if (der->size < 2) {
        return -1;
    }
    tag = der->bytes[0];
    length = der->bytes[1];
    if (length & 0x80) {
        const unsigned octets = length & 0x7f;

        if (octets == 0 || octets > 3 || der->size < head + octets) {
            return -1;
        }
        length = 0;
        for (unsigned i = 0; i < octets; i++) {
            length = length << 8 | der->bytes[head + i];
        }
        head += octets;
    }
    if (length > der->size - head) {
        return -1;
    }
    *inner = (struct der){ der->bytes + head, length };
    *der = (struct der){ der->bytes + head + length, der->size - head - length };
    return tag;
}

/* Replaces *der by the contents of its first element. Returns true if that element has this tag. */
static bool
der_enter(struct der *der, int tag)
{
    struct der outer = *der;

    return der_next(&outer, der) == tag;
}

/* Sets *field to the contents of the field with this number in a SEQUENCE. Returns false if there is none. */
static bool
der_field(struct der der, int number, struct der *field)
{
    for (unsigned i = 0; i < MOST_ELEMENTS; i++) {
        const int tag = der_next(&der, field);

        if (tag == TAG_FIELD(number)) {
            return true;
        }
        if (tag < 0) {
            return false;
        }
    }
    return false;
}

/* Returns the parts of a PrincipalName as "host/server.example", or NULL if there are none. */
static const char *
read_principal(struct der name)
{
    wmem_strbuf_t *text = NULL;
    struct der parts, part;
    const char *kept;

    if (!der_enter(&name, TAG_SEQUENCE) || !der_field(name, 1, &parts) || !der_enter(&parts, TAG_SEQUENCE)) {
        return NULL;
    }
    for (unsigned i = 0; i < MOST_ELEMENTS && der_next(&parts, &part) == TAG_GENERAL_STRING; i++) {
        if (text == NULL) {
            text = wmem_strbuf_new(NULL, NULL);
        } else {
            wmem_strbuf_append_c(text, '/');
        }
        wmem_strbuf_append(text, keep_ascii(part.bytes, part.size));
    }
    if (text == NULL) {
        return NULL;
    }
    kept = login_keep_name(wmem_strbuf_get_str(text));
    wmem_strbuf_destroy(text);
    return kept;
}

/*
 * Returns the part of a token from the first field of an AP-REQ or AP-REP to the end; empty without such a message.
 * Only these messages prove the use of Kerberos: a SPNEGO token lists all mechanisms of the client.
 */
static struct der
find_message(const uint8_t *token, unsigned size, uint8_t msg_type)
{
    /* Both messages begin with pvno and msg-type: [RFC4120] 5.5.1, 5.5.2. */
    const uint8_t start[] = { 0xa0, 0x03, 0x02, 0x01, 0x05, 0xa1, 0x03, 0x02, 0x01, msg_type };
    const uint8_t *found = (const uint8_t *)ws_memmem(token, size, start, sizeof start);

    return found == NULL ? (struct der){ NULL, 0 } : (struct der){ found, size - (unsigned)(found - token) };
}

void
login_learn(struct login *login, uint8_t pdu_type, uint8_t auth_type, const uint8_t *token, unsigned size)
{
    unsigned left;
    const uint8_t *message = rpc_token_ntlm(token, size, &left);
    const struct der ap_req = find_message(token, size, KRB_AP_REQ);
    struct der ticket, realm, name;

    login->auth_type = auth_type;
    login->has_ntlm = login->has_ntlm || message != NULL;
    login->has_kerberos = login->has_kerberos || ap_req.size != 0 || find_message(token, size, KRB_AP_REP).size != 0;
    login->has_begun = login->has_begun || pdu_type == PDU_BIND || (pdu_type == PDU_ALTER && !login->has_challenge);
    login->has_answer = login->has_answer || pdu_type == PDU_BIND_ACK || pdu_type == PDU_ALTER_ACK;
    if (message != NULL) {
        learn_ntlm(login, message, left);
    } else if (der_field(ap_req, 3, &ticket) && der_enter(&ticket, TAG_TICKET) && der_enter(&ticket, TAG_SEQUENCE) &&
        der_field(ticket, 1, &realm) && der_enter(&realm, TAG_GENERAL_STRING) && der_field(ticket, 2, &name)) {
        login->service = read_principal(name);
        login->realm = keep_ascii(realm.bytes, realm.size);
    }
}

static pref_t *
find_preference(const char *protocol, const char *name)
{
    module_t *module = prefs_find_module(protocol);

    return module == NULL ? NULL : prefs_find_preference(module, name);
}

/* Returns the preference's value, or "" if there is no such preference. */
static const char *
text_preference(const char *protocol, const char *name)
{
    pref_t *preference = find_preference(protocol, name);
    const char *value = preference == NULL ? NULL : prefs_get_string_value(preference, pref_current);

    return value == NULL ? "" : value;
}

static const char *
ntlm_password(void)
{
    return text_preference("ntlmssp", "nt_password");
}

static bool
decrypts_kerberos(void)
{
    pref_t *preference = find_preference("kerberos", "decrypt");

    return preference != NULL && prefs_get_bool_value(preference, pref_current);
}

bool
session_reassembles(void)
{
    pref_t *preference = find_preference("dcerpc", "reassemble_dcerpc");

    return preference == NULL || prefs_get_bool_value(preference, pref_current);
}

/* Returns true if kerberos.file names a keytab. It does not name a keytab given by -K. */
static bool
has_keytab_file(void)
{
    return text_preference("kerberos", "file")[0] != '\0';
}

/* Texts by code. %s is the user, key or session concerned. */
static const char *const needed_texts[NUM_KEY_CODES] = {
    [KEY_PASSWORD] = "Set ntlmssp.nt_password to the password of %s, or kerberos.file to a keytab with the "
                     "user's arcfour-hmac key",
    [KEY_OTHER_PASSWORD] = "ntlmssp.nt_password is not the password of %s",
    [KEY_OTHER_NTLM_KEYTAB] = "The keytab in kerberos.file does not contain the arcfour-hmac key of %s",
    [KEY_NO_NTLM_KEYTAB] =
        "kerberos.file is not set, and no keytab given with -K contains the key. Set ntlmssp.nt_password "
        "to the password of %s, or kerberos.file to a keytab with the user's arcfour-hmac key",
    [KEY_NO_KEYTAB] = "kerberos.file is not set, and no keytab given with -K contains the key of %s",
    [KEY_KEYTAB] = "Set kerberos.file to a keytab with the key of %s, and kerberos.decrypt to TRUE",
    [KEY_OTHER_KEYTAB] = "The keytab in kerberos.file does not contain the key of %s",
    [KEY_SMB3] = "Add the key of session %s to smb2_seskey_list",
    [KEY_LOGON_IN_PART] = "Part of the logon is not in the capture, so the %s does not help",
    [KEY_LOGON] = "The logon is not in the capture, so %s",
    [KEY_TICKET] = "The ticket is not in the capture, so no keytab helps",
    [KEY_ANONYMOUS] = "The user is anonymous and has no password",
    [KEY_SERVICE] = "Wireshark cannot decrypt it",
    [KEY_WEAK_NTLM] = "Wireshark does not decrypt NTLM without extended session security",
    [KEY_USER_LETTERS] = "Wireshark does not support these letters in a user or domain, so no key helps: %s",
    [KEY_PASSWORD_LETTERS] = "Wireshark does not support these letters in a password. Set kerberos.file to a keytab "
                             "with the arcfour-hmac key of %s",
};

/* Returns the sentence for a code, allocated in `scope`. about: user, key or session, allocated in `scope`, too. */
static struct key_needed
make_needed(wmem_allocator_t *scope, enum key_needed_code code, const char *about)
{
    const char *format = needed_texts[code], *place = strstr(format, "%s");

    return (struct key_needed){ code,
        place == NULL ? format
                      : wmem_strdup_printf(scope, "%.*s%s%s", (int)(place - format), format, about, place + 2) };
}

static struct key_needed
kerberos_needed(wmem_allocator_t *scope, const struct login *login)
{
    const char *key = wmem_strdup_printf(scope, "%s@%s", login->service == NULL ? "?" : login->service, login->realm);

    if (decrypts_kerberos() && !(login->has_begun && login->has_answer)) {
        return make_needed(scope, KEY_LOGON_IN_PART, wmem_strdup_printf(scope, "key of %s", key));
    }
    return make_needed(scope,
        !decrypts_kerberos()    ? KEY_KEYTAB
            : has_keytab_file() ? KEY_OTHER_KEYTAB
                                : KEY_NO_KEYTAB,
        key);
}

static struct key_needed
ntlm_needed(wmem_allocator_t *scope, const struct login *login)
{
    const char *from = login->workstation[0] == '\0' ? "" : ", logged on from ";
    const char *user = wmem_strdup_printf(wmem_file_scope(), "%s%s%s%s%s", login->domain,
        login->domain[0] == '\0' ? "" : "\\", login->user, from, login->workstation);

    if (!(login->flags & NTLM_EXTENDED_SESSION_SECURITY)) {
        return make_needed(scope, KEY_WEAK_NTLM, NULL);
    }
    if (!g_str_is_ascii(login->user) || !g_str_is_ascii(login->domain)) {
        return make_needed(scope, KEY_USER_LETTERS, user);
    }
    if (!g_str_is_ascii(ntlm_password())) {
        return make_needed(scope, KEY_PASSWORD_LETTERS, user);
    }
    if (!decrypts_kerberos() && ntlm_password()[0] == '\0') {
        return make_needed(scope, KEY_PASSWORD, user);
    }
    if (!(login->has_begun && login->has_answer)) {
        return make_needed(scope, KEY_LOGON_IN_PART, wmem_strdup_printf(scope, "password of %s", user));
    }
    return make_needed(scope,
        ntlm_password()[0] != '\0' ? KEY_OTHER_PASSWORD
            : has_keytab_file()    ? KEY_OTHER_NTLM_KEYTAB
                                   : KEY_NO_NTLM_KEYTAB,
        user);
}

static struct key_needed
what_is_needed(const struct login *login)
{
    wmem_allocator_t *scope = wmem_file_scope();

    if (login->realm != NULL) {
        return kerberos_needed(scope, login);
    }
    if (login->auth_type == DCE_C_RPC_AUTHN_PROTOCOL_GSS_KERBEROS) {
        return make_needed(scope, KEY_TICKET, NULL);
    }
    if (login->auth_type != DCE_C_RPC_AUTHN_PROTOCOL_NTLMSSP && login->auth_type != DCE_C_RPC_AUTHN_PROTOCOL_SPNEGO) {
        return make_needed(scope, KEY_SERVICE, NULL);
    }
    if (login->user == NULL || !login->has_challenge) {
        return make_needed(scope, KEY_LOGON,
            login->auth_type == DCE_C_RPC_AUTHN_PROTOCOL_NTLMSSP || login->user != NULL || login->has_challenge
                ? "no password helps"
                : "neither a password nor a keytab helps");
    }
    return login->user[0] == '\0' ? make_needed(scope, KEY_ANONYMOUS, NULL) : ntlm_needed(scope, login);
}

const struct key_needed *
login_needed(struct login *login)
{
    const char *how =
        rpc_auth_name(login->auth_type, login->has_challenge || login->user != NULL, login->realm != NULL);

    if (login->needed == NULL) {
        struct key_needed *needed = wmem_new(wmem_file_scope(), struct key_needed);

        if (how == NULL) {
            how = wmem_strdup_printf(wmem_file_scope(), "authentication service %u", login->auth_type);
        }
        *needed = what_is_needed(login);
        needed->text = wmem_strdup_printf(wmem_file_scope(), "Encrypted (%s). %s", how, needed->text);
        login->needed = needed;
    }
    return login->needed;
}

/*
 * Wireshark 4.0 to 4.6 takes NTLM's session key from a tap. Taps do not run in the first pass of tshark -2, so with -2
 * a password does not help.
 */
const struct key_needed *
login_needed_by_smb3(wmem_allocator_t *scope, const struct login *login, const char *id, bool is_again)
{
    const bool has_secret = ntlm_password()[0] != '\0' || decrypts_kerberos();
    struct key_needed *needed = wmem_new(scope, struct key_needed);
    const char *more = "";

    if (login->user != NULL && login->realm == NULL) {
        more = is_again && has_secret
            ? ". With -2, Wireshark does not derive that key from a password: leave out -2"
            : wmem_strdup_printf(scope, ". %s%s", has_secret ? "" : "Or read without -2. ", what_is_needed(login).text);
    }
    *needed = make_needed(scope, KEY_SMB3, id);
    needed->text = wmem_strdup_printf(scope, "Encrypted (SMB 3). %s%s", needed->text, more);
    return needed;
}
