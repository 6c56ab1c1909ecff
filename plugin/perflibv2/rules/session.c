/* session.c
 * Rules of [MS-PCQ] about transport and security (2.1, 2.2, 5.1)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/win32-names.h"
#include "perflibv2/rules/checks.h"

/* Authentication services and levels, [MS-RPCE] 2.2.1.1.7 and 2.2.1.1.8 */
enum { AUTHN_NONE = 0, AUTHN_GSS_NEGOTIATE = 9, AUTHN_WINNT = 10, AUTHN_GSS_KERBEROS = 16 };
enum { LEVEL_NONE = 1, LEVEL_PRIVACY = 6 };

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

static bool
denies(const struct rules_stub *stub)
{
    return stub->is_refused ||
           ((stub->have & STUB_RETURN_CODE) && stub->return_code.value == WIN32_ACCESS_DENIED);
}

void
rules_check_session(struct rules_report *report, const struct call *call, const struct rules_stub *stub)
{
    const struct connection_view *view = &call->views[stub->is_response];
    const char *level = val_to_str_const(view->auth_level, level_vals, "unknown");
    const char *service = val_to_str_const(view->auth_type, authn_vals, "another");

    if (!view->is_first) {
        return;
    }
    if (stub->is_response) {
        rules_check(
            report, RULE_PRIVACY_REQUIRED, view->auth_level >= LEVEL_PRIVACY || denies(stub), 0, 0,
            "The server answers although the authentication level is %s (%u): expected ERROR_ACCESS_DENIED, or a fault "
            "that refuses, below packet privacy (6)",
            level, view->auth_level);
        return;
    }
    rules_check(report, RULE_AUTH_LEVEL, view->auth_level >= LEVEL_PRIVACY, 0, 0,
                "The authentication level is %s (%u), expected packet privacy (6); said once a connection", level,
                view->auth_level);
    if (view->auth_type != AUTHN_NONE) {
        rules_check(report, RULE_AUTH_SERVICE, view->auth_type == AUTHN_GSS_NEGOTIATE || view->auth_type == AUTHN_WINNT,
                    0, 0,
                    "The authentication service is %s (%u), expected SPNEGO (9) or NTLM (10); said once a connection",
                    service, view->auth_type);
    }
    rules_check(report, RULE_TRANSPORT, view->is_named_pipe, 0, 0,
                "The calls do not come over SMB: expected ncacn_np, \\PIPE\\winreg; said once a connection");
    rules_check(report, RULE_TRANSFER_SYNTAX, !view->is_ndr64, 0, 0,
                "The transfer syntax is NDR64, expected NDR; said once a connection");
}
