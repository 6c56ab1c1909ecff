/* test_login.c
 * What tokens tell of a logon, and what is said of a key that is missing
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include <epan/dissectors/packet-dcerpc.h>
#include <epan/prefs.h>
#include <epan/prefs-int.h>

#include "check.h"
#include "fake-file.h"
#include "session/session.h"

#define NTLM   10 /* RPC_C_AUTHN_WINNT, [MS-RPCE] 2.2.1.1.7 */
#define SPNEGO 9
#define KRB    16

/* In place of Wireshark's: what the user has set. */

static const char *password;
static bool kerberos;
static const char *keytab = "";
static int ntlm_preference, kerberos_preference, keytab_preference;

module_t *
prefs_find_module(const char *name)
{
    if (strcmp(name, "ntlmssp") == 0 && password != NULL) {
        return (module_t *)&ntlm_preference;
    }
    return strcmp(name, "kerberos") == 0 ? (module_t *)&kerberos_preference : NULL;
}

pref_t *
prefs_find_preference(module_t *module, const char *name)
{
    const bool is_ntlm = module == (module_t *)&ntlm_preference;

    if (!is_ntlm && strcmp(name, "file") == 0) {
        return (pref_t *)&keytab_preference;
    }
    CHECK(strcmp(name, is_ntlm ? "nt_password" : "decrypt") == 0, "%s", name);
    return (pref_t *)module;
}

char *
prefs_get_string_value(pref_t *preference, pref_source_t source)
{
    static char value[32];

    if (preference == (pref_t *)&keytab_preference) {
        g_strlcpy(value, keytab, sizeof value);
        return value;
    }
    CHECK(preference == (pref_t *)&ntlm_preference, "of another one");
    CHECK_EQUAL(source, pref_current, "of another one");
    g_strlcpy(value, password, sizeof value);
    return value;
}

perflib_bool
prefs_get_bool_value(pref_t *preference, pref_source_t source)
{
    CHECK(preference == (pref_t *)&kerberos_preference, "of another one");
    CHECK_EQUAL(source, pref_current, "of another one");
    return kerberos;
}

/* [MS-NLMP] 2.2.1 */

static uint8_t token[512];
static unsigned size;

static void
put(unsigned at, uint32_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        token[at + i] = (uint8_t)(number >> 8 * i);
    }
}

/* Fields at a place: Len, MaxLen, BufferOffset; the text goes behind what is there. */
static void
put_text(unsigned at, const char *text, unsigned width)
{
    const unsigned length = (unsigned)strlen(text);

    put(at, length * width, 2);
    put(at + 2, length * width, 2);
    put(at + 4, size, 4);
    for (unsigned i = 0; i < length; i++, size += width) {
        put(size, (uint8_t)text[i], width);
    }
}

static void
make_ntlm(uint32_t type, unsigned fixed)
{
    memset(token, 0, sizeof token);
    memcpy(token, "NTLMSSP", 8);
    put(8, type, 4);
    size = fixed;
}

static void
make_challenge(uint32_t flags)
{
    make_ntlm(2, 32);
    put(20, flags, 4);
}

/* DomainName, UserName and Workstation at 28, 36 and 44, NegotiateFlags at 60. */
static void
make_authenticate(const char *domain, const char *user, const char *workstation, bool is_unicode)
{
    make_ntlm(3, 64);
    put(60, is_unicode, 4);
    put_text(28, domain, is_unicode ? 2 : 1);
    put_text(36, user, is_unicode ? 2 : 1);
    put_text(44, workstation, is_unicode ? 2 : 1);
}

static void
learn(struct login *login, uint8_t pdu_type, uint8_t auth_type)
{
    login_learn(login, pdu_type, auth_type, token, size);
}

/* Text of bytes as the message has it: one beyond ASCII, or that is no character, is replaced. */
static void
check_names_are_shown_as_text(void)
{
    for (unsigned unicode = 0; unicode < 2; unicode++) {
        struct login login = { 0 };

        make_authenticate("DOM", "reader", "PC7", unicode);
        learn(&login, PDU_AUTH3, NTLM);
        CHECK(strcmp(login.domain, "DOM") == 0 && strcmp(login.user, "reader") == 0 &&
                strcmp(login.workstation, "PC7") == 0,
            "%s, %s, %s", login.domain, login.user, login.workstation);
        /* A fixed part that is cut tells nothing, one that is just whole tells of three empty names at least. */
        login = (struct login){ 0 };
        login_learn(&login, PDU_AUTH3, NTLM, token, 63);
        CHECK(login.user == NULL, "%s", login.user);
        login_learn(&login, PDU_AUTH3, NTLM, token, 64);
        CHECK(strcmp(login.user, "") == 0 && strcmp(login.workstation, "") == 0, "%s", login.user);
        /* The workstation is the last: it loses what is not there, and no other does. */
        login_learn(&login, PDU_AUTH3, NTLM, token, size - (unicode ? 2 : 1));
        CHECK(strcmp(login.user, "reader") == 0 && strcmp(login.workstation, "PC") == 0, "%s", login.workstation);
        /* A place beyond the message. */
        put(36 + 4, 0xffffffff, 4);
        learn(&login, PDU_AUTH3, NTLM);
        CHECK(strcmp(login.user, "") == 0 && strcmp(login.domain, "DOM") == 0, "%s", login.user);
    }
    {
        struct login login = { 0 };

        make_authenticate("\x1f\x20", "\x7e\x7f", "\xe4", false);
        learn(&login, PDU_AUTH3, NTLM);
        CHECK(strcmp(login.domain, "\xef\xbf\xbd ") == 0 && strcmp(login.user, "~\xef\xbf\xbd") == 0 &&
                strcmp(login.workstation, "\xef\xbf\xbd") == 0,
            "%s, %s, %s", login.domain, login.user, login.workstation);
    }
}

static void
check_challenge_is_taken_from_the_message(void)
{
    struct login login = { 0 };

    make_challenge(0x12345678);
    learn(&login, PDU_BIND_ACK, NTLM);
    CHECK(login.has_challenge && login.flags == 0x12345678 && login.has_answer && !login.has_begun, "%x", login.flags);
    login_learn(&login, PDU_BIND_ACK, NTLM, token, 24);
    CHECK(login.flags == 0x12345678, "%x", login.flags);
    /* Without its flags it is taken for one of today: extended session security, [MS-NLMP] 2.2.2.5. */
    login_learn(&login, PDU_BIND_ACK, NTLM, token, 23);
    CHECK(login.flags == 0x00080000, "%x", login.flags);
    login = (struct login){ 0 };
    login_learn(&login, PDU_BIND_ACK, NTLM, token, 11);
    CHECK(!login.has_challenge, "its type is cut");
    /* A part of SPNEGO's token. */
    memmove(token + 40, token, 32);
    memset(token, 0x30, 40);
    login_learn(&login, PDU_BIND_ACK, SPNEGO, token, 72);
    CHECK(login.has_challenge, "in the midst");
    CHECK_EQUAL(login.auth_type, SPNEGO, "in the midst");
    make_ntlm(1, 32);
    login = (struct login){ 0 };
    learn(&login, PDU_BIND, NTLM);
    CHECK(login.has_begun, "a NEGOTIATE_MESSAGE");
    CHECK(!login.has_answer, "a NEGOTIATE_MESSAGE");
    CHECK(!login.has_challenge, "a NEGOTIATE_MESSAGE");
    CHECK(login.user == NULL, "a NEGOTIATE_MESSAGE");
    login = (struct login){ 0 };
    learn(&login, PDU_ALTER, NTLM);
    CHECK(login.has_begun, "an alter_context that begins one");
    login = (struct login){ .has_challenge = true };
    learn(&login, PDU_ALTER, NTLM);
    CHECK(!login.has_begun, "one that goes on");
    learn(&login, PDU_ALTER_ACK, NTLM);
    CHECK(login.has_answer, "its answer");
}

/* What login_needed() says after "Encrypted ". */
#define NEEDED(how, words) \
    CHECK(strcmp(login_needed(&login)->text, "Encrypted (" how "). " words) == 0, "%s", login_needed(&login)->text)

static struct login
logged_on(const char *domain, const char *user, const char *workstation, uint8_t auth_type, uint32_t flags)
{
    struct login login = { 0 };

    make_ntlm(1, 32);
    learn(&login, PDU_BIND, auth_type);
    make_challenge(flags);
    learn(&login, PDU_BIND_ACK, auth_type);
    make_authenticate(domain, user, workstation, false);
    learn(&login, PDU_AUTH3, auth_type);
    return login;
}
#define LOGGED_ON() logged_on("DOM", "reader", "PC7", NTLM, 0x00080000)

static void
check_reason_names_the_key_that_is_needed(void)
{
    struct login login = LOGGED_ON();

    NEEDED("NTLM",
        "Set ntlmssp.nt_password to the password of DOM\\reader, logged on from PC7, or kerberos.file to a "
        "keytab with the user's arcfour-hmac key");
    login = logged_on("", "reader", "", SPNEGO, 0x00080000);
    NEEDED("SPNEGO with NTLM",
        "Set ntlmssp.nt_password to the password of reader, or kerberos.file to a keytab with the user's "
        "arcfour-hmac key");
    login = logged_on("DOM", "", "PC7", NTLM, 0x00080000);
    NEEDED("NTLM", "The user is anonymous and has no password");
    login = logged_on("DOM", "reader", "PC7", NTLM, 0xfff7ffff);
    NEEDED("NTLM", "Wireshark does not decrypt NTLM without extended session security");
    for (unsigned place = 0; place < 2; place++) {
        login = logged_on(place == 0 ? "D\xf6M" : "DOM", place == 1 ? "J\xf6rg" : "reader", "PC7", NTLM, 0x00080000);
        CHECK(strstr(login_needed(&login)->text, "does not support these letters in a user or domain") != NULL, "%s",
            login.needed->text);
    }
    login = logged_on("DOM", "reader", "P\xc7", NTLM, 0x00080000);
    CHECK(strstr(login_needed(&login)->text, "to the password of") != NULL, "a workstation may have them: %s",
        login.needed->text);

    password = "secret";
    login = LOGGED_ON();
    NEEDED("NTLM", "ntlmssp.nt_password is not the password of DOM\\reader, logged on from PC7");
    kerberos = true;
    login = LOGGED_ON();
    NEEDED("NTLM", "ntlmssp.nt_password is not the password of DOM\\reader, logged on from PC7");
    for (unsigned missing = 0; missing < 2; missing++) {
        login = LOGGED_ON();
        login.has_begun = missing == 1;
        login.has_answer = missing == 0;
        NEEDED("NTLM",
            "Part of the logon is not in the capture, so the password of DOM\\reader, logged on from PC7 does not "
            "help");
    }
    password = "";
    login = LOGGED_ON();
    NEEDED("NTLM",
        "kerberos.file is not set, and no keytab given with -K contains the key. Set ntlmssp.nt_password "
        "to the password of DOM\\reader, logged on from PC7, or kerberos.file to a keytab with the user's arcfour-hmac "
        "key");
    keytab = "a.keytab";
    login = LOGGED_ON();
    NEEDED("NTLM",
        "The keytab in kerberos.file does not contain the arcfour-hmac key of DOM\\reader, logged on from PC7");
    keytab = "";
    password = "k\xc3\xb6nig";
    login = LOGGED_ON();
    NEEDED("NTLM",
        "Wireshark does not support these letters in a password. Set kerberos.file to a keytab with the arcfour-hmac "
        "key of "
        "DOM\\reader, logged on from PC7");
    password = NULL;
    kerberos = false;

    login = (struct login){ .auth_type = NTLM };
    NEEDED("NTLM", "The logon is not in the capture, so no password helps");
    login = (struct login){ .auth_type = SPNEGO };
    NEEDED("SPNEGO", "The logon is not in the capture, so neither a password nor a keytab helps");
    login = (struct login){ .auth_type = SPNEGO, .has_challenge = true };
    NEEDED("SPNEGO with NTLM", "The logon is not in the capture, so no password helps");
    login = (struct login){ .auth_type = SPNEGO, .user = "reader", .domain = "", .workstation = "" };
    NEEDED("SPNEGO with NTLM", "The logon is not in the capture, so no password helps");
    login = (struct login){ .auth_type = KRB };
    NEEDED("Kerberos", "The ticket is not in the capture, so no keytab helps");
    login = (struct login){ .auth_type = 68 };
    NEEDED("Netlogon", "Wireshark cannot decrypt it");
    login = (struct login){ .auth_type = 99 };
    NEEDED("authentication service 99", "Wireshark cannot decrypt it");
}

/* [RFC4120] 5.5.1: AP-REQ with pvno, msg-type, ap-options and a ticket with tkt-vno, realm and sname (5.3). */

static unsigned
der(unsigned at, uint8_t tag, const uint8_t *bytes, unsigned length, unsigned octets)
{
    uint8_t copy[300];

    memcpy(copy, bytes, length);
    token[at++] = tag;
    if (octets == 0) {
        token[at++] = (uint8_t)length;
    } else {
        token[at++] = (uint8_t)(0x80 | octets);
        for (unsigned i = octets; i > 0; i--) {
            token[at++] = (uint8_t)(length >> 8 * (i - 1));
        }
    }
    memcpy(token + at, copy, length);
    return at + length;
}

/* What make_ap_req() adds: to the name's parts, and elements of tag 0 before the field that holds these. */
static unsigned more_parts, fillers;

/* octets: of the outermost lengths; 0: a byte, as they are short. */
static void
make_ap_req(unsigned octets)
{
    /* pvno and tkt-vno are 5, the msg-type of an AP-REQ is 14: [RFC4120] 5.3, 5.5.1. */
    static const uint8_t number[] = { 0x02, 1, 5 }, type[] = { 0x02, 1, 14 }, kind[] = { 0xa0, 3, 0x02, 1, 2 };
    uint8_t name[100], ticket[200];
    unsigned end;

    memset(token, 0, sizeof token);
    end = der(0, 0x1b, (const uint8_t *)"host", 4, 0);
    end = der(end, 0x1b, (const uint8_t *)"srv.example", 11, 0);
    for (unsigned i = 0; i < more_parts; i++) {
        end = der(end, 0x1b, (const uint8_t *)"p", 1, 0);
    }
    end = der(0, 0x30, token, end, 0);
    end = der(0, 0xa1, token, end, 0);
    memmove(token + sizeof kind + 2 * fillers, token, end);
    memcpy(token, kind, sizeof kind);
    memset(token + sizeof kind, 0, 2 * fillers);
    end = der(0, 0x30, token, end + sizeof kind + 2 * fillers, 0);
    size = der(0, 0xa2, token, end, 0);
    memcpy(name, token, size);
    end = der(0, 0xa0, number, sizeof number, 0);
    end += der(end, 0x1b, (const uint8_t *)"EXAMPLE", 7, 0) - end;
    /* [1] around the realm. */
    end = der(5, 0xa1, token + 5, end - 5, 0);
    memcpy(token + end, name, size);
    end = der(0, 0x30, token, end + size, octets);
    end = der(0, 0x61, token, end, octets);
    size = der(0, 0xa3, token, end, octets);
    memcpy(ticket, token, size);
    end = der(0, 0xa0, number, sizeof number, 0);
    end = der(end, 0xa1, type, sizeof type, 0);
    memcpy(token + end, ticket, size);
    end = der(0, 0x30, token, end + size, octets);
    size = der(0, 0x6e, token, end, octets);
}

static void
check_ticket_names_its_service(void)
{
    for (unsigned octets = 0; octets <= 3; octets++) {
        struct login login = { 0 };

        make_ap_req(octets);
        learn(&login, PDU_BIND, KRB);
        CHECK(login.realm != NULL && strcmp(login.realm, "EXAMPLE") == 0, "%u: %s", octets, login.realm);
        CHECK(login.service != NULL && strcmp(login.service, "host/srv.example") == 0, "%u: %s", octets, login.service);
        for (unsigned cut = 0; cut < size; cut++) {
            struct login less = { 0 };

            login_learn(&less, PDU_BIND, KRB, token, cut);
            CHECK(less.realm == NULL, "of %u bytes", cut);
        }
        NEEDED("Kerberos",
            "Set kerberos.file to a keytab with the key of host/srv.example@EXAMPLE, and kerberos.decrypt "
            "to TRUE");
    }
    {
        struct login login = { 0 };

        make_ap_req(4);
        learn(&login, PDU_BIND, KRB);
        CHECK(login.realm == NULL, "a length of four bytes");
        /* After the ticket comes an authenticator. Nothing is learned from it. */
        make_ap_req(0);
        token[1] += 20;
        token[3] += 20;
        learn(&login, PDU_BIND, KRB);
        CHECK(login.realm != NULL, "cut after the ticket");
        if (login.realm != NULL) {
            CHECK_STRING(login.service, "host/srv.example", "cut after the ticket");
        }
        login.realm = login.service = NULL;
        kerberos = true;
        make_ap_req(1);
        learn(&login, PDU_BIND, KRB);
        NEEDED("Kerberos",
            "Part of the logon is not in the capture, so the key of host/srv.example@EXAMPLE does not help");
        login.needed = NULL;
        login.has_answer = true;
        login.auth_type = SPNEGO;
        NEEDED("SPNEGO with Kerberos",
            "kerberos.file is not set, and no keytab given with -K contains the key of host/srv.example@EXAMPLE");
        keytab = "a.keytab";
        login.needed = NULL;
        NEEDED("SPNEGO with Kerberos",
            "The keytab in kerberos.file does not contain the key of host/srv.example@EXAMPLE");
        login.needed = NULL;
        login.service = NULL;
        NEEDED("SPNEGO with Kerberos", "The keytab in kerberos.file does not contain the key of ?@EXAMPLE");
        kerberos = false;
        keytab = "";
    }
}

/* Of a sequence eight elements are looked at. */
static void
check_eight_elements_are_looked_at(void)
{
    for (more_parts = 5; more_parts <= 7; more_parts++) {
        struct login login = { 0 };

        make_ap_req(1);
        learn(&login, PDU_BIND, KRB);
        CHECK(login.service != NULL &&
                strcmp(login.service,
                    more_parts == 5 ? "host/srv.example/p/p/p/p/p" : "host/srv.example/p/p/p/p/p/p") == 0,
            "%u parts: %s", 2 + more_parts, login.service);
    }
    more_parts = 0;
    for (fillers = 5; fillers <= 7; fillers++) {
        struct login login = { 0 };

        make_ap_req(1);
        learn(&login, PDU_BIND, KRB);
        CHECK(login.realm != NULL && (login.service != NULL) == (fillers < 7), "field %u: %s", 2 + fillers,
            login.service);
    }
    fillers = 0;
    /* Parts that stand in no SEQUENCE, or of which the first is no string, make no name. */
    for (unsigned i = 0; i < 2; i++) {
        struct login login = { 0 };
        unsigned at = 0;

        make_ap_req(1);
        while (memcmp(token + at, "\x1b\x04host", 6) != 0) {
            at++;
        }
        token[i == 0 ? at - 2 : at]++;
        learn(&login, PDU_BIND, KRB);
        CHECK(login.realm != NULL && login.service == NULL, "%u: %s", i, login.service);
    }
}

static void
check_smb3_names_what_opens_it(void)
{
    const struct login nobody = { .domain = "DOM", .workstation = "PC7" },
                       ticket = { .user = "x", .domain = "", .workstation = "", .realm = "R" };
    const struct login whole = LOGGED_ON();
    const char head[] = "Encrypted (SMB 3). Add the key of session 7 to smb2_seskey_list";

    CHECK_STRING(login_needed_by_smb3(scope, &nobody, "7", false)->text, head, "nothing is known of its user");
    CHECK_STRING(login_needed_by_smb3(scope, &ticket, "7", false)->text, head, "no password helps");
    for (unsigned again = 0; again < 2; again++) {
        const char *said = login_needed_by_smb3(scope, &whole, "7", again)->text;

        CHECK(g_str_has_prefix(said, head) &&
                g_str_has_prefix(said + sizeof head - 1, ". Or read without -2. Set ntlmssp."),
            "%s", said);
    }
    password = "secret";
    CHECK(strstr(login_needed_by_smb3(scope, &whole, "7", false)->text,
              "smb2_seskey_list. ntlmssp.nt_password is not") != NULL,
        "one pass");
    CHECK(g_str_has_suffix(login_needed_by_smb3(scope, &whole, "7", true)->text,
              "smb2_seskey_list. With -2, Wireshark does not derive that key from a password: leave out -2"),
        "two");
    password = NULL;
}

int
main(void)
{
    wmem_init();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    check_names_are_shown_as_text();
    check_challenge_is_taken_from_the_message();
    check_reason_names_the_key_that_is_needed();
    check_ticket_names_its_service();
    check_eight_elements_are_looked_at();
    check_smb3_names_what_opens_it();
    wmem_destroy_allocator(scope);
    wmem_cleanup();
    return check_result();
}
