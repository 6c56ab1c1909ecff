/* session.c
 * Rules of [MS-PCQ] about transport and security (2.1, 2.2, 5.1)
 *
 * packet-dcerpc does not hand down how a call was protected. Its PDU stands in the packet, in clear but for the stub, so
 * that is where it is read. Once a connection is enough.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/pdu-header.h"
#include "base/hash.h"
#include "perflibv2/rules/checks.h"

#include <string.h>

/* Authentication services and levels, [MS-RPCE] 2.2.1.1.7 and 2.2.1.1.8 */
enum { AUTHN_NONE = 0, AUTHN_GSS_NEGOTIATE = 9, AUTHN_WINNT = 10, AUTHN_GSS_KERBEROS = 16 };
enum { LEVEL_NONE = 1, LEVEL_PRIVACY = 6 };

#define ERROR_ACCESS_DENIED 5

static const value_string authn_vals[] = {
    { AUTHN_NONE,          "none" },
    { AUTHN_GSS_NEGOTIATE, "SPNEGO" },
    { AUTHN_WINNT,         "NTLM" },
    { 14,                  "Schannel (TLS)" },
    { AUTHN_GSS_KERBEROS,  "Kerberos" },
    { 68,                  "Netlogon" },
    { 0, NULL }
};

static const value_string level_vals[] = {
    { LEVEL_NONE,    "none" },
    { 2,             "connect" },
    { 3,             "call" },
    { 4,             "packet" },
    { 5,             "packet integrity" },
    { LEVEL_PRIVACY, "packet privacy" },
    { 0, NULL }
};

/* A connection, by conversation and, on SMB, pipe. */
struct session_key {
    const void *conversation;
    uint64_t salt;
};

struct session {
    bool has_request, has_response;     /* one was judged */
    bool has_call;
    uint32_t last_call_id;
    unsigned gaps;              /* how often calls were missing, or of another interface */
};

static wmem_map_t *sessions;        /* struct session_key -> struct session; file scope */

static guint
session_hash(const void *key)
{
    const struct session_key *k = (const struct session_key *)key;

    return hash_join(g_direct_hash(k->conversation), wmem_int64_hash(&k->salt));
}

static gboolean
session_equal(const void *a, const void *b)
{
    const struct session_key *x = (const struct session_key *)a;
    const struct session_key *y = (const struct session_key *)b;

    return x->conversation == y->conversation && x->salt == y->salt;
}

static struct session *
session_of(const dcerpc_info *di)
{
    const struct session_key key = { di->conv, di->transport_salt };
    struct session *session = (struct session *)wmem_map_lookup(sessions, &key);

    if (session == NULL) {
        session = wmem_new0(wmem_file_scope(), struct session);
        wmem_map_insert(sessions, wmem_memdup(wmem_file_scope(), &key, sizeof key), session);
    }
    return session;
}

static bool
answers(const struct rules_stub *stub)
{
    return (stub->have & STUB_RETURN_CODE) && stub->return_code.value == 0;
}

static bool
denies(const struct rules_stub *stub)
{
    return (stub->have & STUB_RETURN_CODE) && stub->return_code.value == ERROR_ACCESS_DENIED;
}

/* First pass: is this the PDU its connection is judged by? */
static void
judge(struct session *session, struct rules_call *call, const dcerpc_info *di, const packet_info *pinfo, const struct rules_stub *stub)
{
    bool *judged = stub->is_response ? &session->has_response : &session->has_request;
    struct pdu_header header;

    /* A server may refuse a call for other reasons: that tells nothing. */
    if (*judged || (stub->is_response && !answers(stub) && !denies(stub)) ||
        !pdu_header_find(pinfo, di, &header)) {
        return;
    }
    call->auth_type = header.auth_type;
    call->auth_level = header.auth_level;
    *judged = true;
    *(stub->is_response ? &call->session_response : &call->session_request) = true;
    call->is_named_pipe = proto_is_frame_protocol(pinfo->layers, "smb2") || proto_is_frame_protocol(pinfo->layers, "smb");
    call->is_ndr64 = (di->call_data->flags & DCERPC_IS_NDR64) != 0;
}

/* First pass: clients number their calls, so one that is not in the capture leaves a gap. */
static void
look_for_gap(struct session *session, struct rules_call *call, const dcerpc_info *di)
{
    if (session->has_call && di->call_id != session->last_call_id && di->call_id != session->last_call_id + 1) {
        session->gaps++;
    }
    session->has_call = true;
    session->last_call_id = di->call_id;
    call->gaps = session->gaps;
}

void
rules_check_session(struct rules_report *report, struct rules_call *call, const dcerpc_info *di, packet_info *pinfo,
                    const struct rules_stub *stub, bool is_first_pass)
{
    const char *level, *service;

    if (is_first_pass) {
        struct session *session = session_of(di);

        if (!stub->is_response) {
            look_for_gap(session, call, di);
        }
        judge(session, call, di, pinfo, stub);
    }
    if (!(stub->is_response ? call->session_response : call->session_request)) {
        return;
    }
    level = val_to_str_const(call->auth_level, level_vals, "unknown");
    service = val_to_str_const(call->auth_type, authn_vals, "another");
    if (stub->is_response) {
        rules_check(report, RULE_PRIVACY_REQUIRED, call->auth_level >= LEVEL_PRIVACY || denies(stub), 0, 0,
                    "The server answers although the authentication level is %s (%u): expected ERROR_ACCESS_DENIED below packet privacy (6)",
                    level, call->auth_level);
        return;
    }
    rules_check(report, RULE_AUTH_LEVEL, call->auth_level >= LEVEL_PRIVACY, 0, 0,
                "The authentication level is %s (%u), expected packet privacy (6); said once a connection", level, call->auth_level);
    if (call->auth_type != AUTHN_NONE) {
        rules_check(report, RULE_AUTH_SERVICE, call->auth_type == AUTHN_GSS_NEGOTIATE || call->auth_type == AUTHN_WINNT, 0, 0,
                    "The authentication service is %s (%u), expected SPNEGO (9) or NTLM (10); said once a connection", service,
                    call->auth_type);
    }
    rules_check(report, RULE_TRANSPORT, call->is_named_pipe, 0, 0,
                "The calls do not come over SMB: expected ncacn_np, \\PIPE\\winreg; said once a connection");
    rules_check(report, RULE_TRANSFER_SYNTAX, !call->is_ndr64, 0, 0,
                "The transfer syntax is NDR64, expected NDR; said once a connection");
}

void
rules_checks_init(void)
{
    sessions = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), session_hash, session_equal);
    rules_registration_init();
}
