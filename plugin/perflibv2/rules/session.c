/* session.c
 * Rules of [MS-PCQ] about transport and security (2.1, 2.2, 5.1)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/rules/checks.h"

static const value_string authn_vals[] = {
    { DCE_C_RPC_AUTHN_PROTOCOL_NONE, "none" },
    { DCE_C_RPC_AUTHN_PROTOCOL_SPNEGO, "SPNEGO" },
    { DCE_C_RPC_AUTHN_PROTOCOL_NTLMSSP, "NTLM" },
    { DCE_C_RPC_AUTHN_PROTOCOL_GSS_SCHANNEL, "Schannel (TLS)" },
    { DCE_C_RPC_AUTHN_PROTOCOL_GSS_KERBEROS, "Kerberos" },
    { DCE_C_RPC_AUTHN_PROTOCOL_SEC_CHAN, "Netlogon" },
    { 0, NULL },
};

static const value_string level_vals[] = {
    { DCE_C_AUTHN_LEVEL_NONE, "none" },
    { DCE_C_AUTHN_LEVEL_CONNECT, "connect" },
    { DCE_C_AUTHN_LEVEL_CALL, "call" },
    { DCE_C_AUTHN_LEVEL_PKT, "packet" },
    { DCE_C_AUTHN_LEVEL_PKT_INTEGRITY, "packet integrity" },
    { DCE_C_AUTHN_LEVEL_PKT_PRIVACY, "packet privacy" },
    { 0, NULL },
};

void
rules_check_session(struct rules_report *report, const struct perflibv2_call *call, const struct pdu_stub *stub)
{
    const struct connection_view *view = &call->views[stub->is_response];
    const char *level = val_to_str_const(view->auth_level, level_vals, "unknown");
    const char *service = val_to_str_const(view->auth_type, authn_vals, "another");

    if (!view->is_first) {
        return;
    }
    if (stub->is_response) {
        const bool denies =
            stub->is_refused || ((stub->have & P_RETURN_CODE) && stub->return_code.value == WIN32_ACCESS_DENIED);

        rules_check(report, RULE_PRIVACY_REQUIRED, view->auth_level >= DCE_C_AUTHN_LEVEL_PKT_PRIVACY || denies, 0, 0,
            "The server answers although the authentication level is %s (%u): below packet privacy (6), it must refuse "
            "with ERROR_ACCESS_DENIED or a fault",
            level, view->auth_level);
        return;
    }
    rules_check(report, RULE_AUTH_LEVEL, view->auth_level >= DCE_C_AUTHN_LEVEL_PKT_PRIVACY, 0, 0,
        "The authentication level is %s (%u), expected packet privacy (6) (reported once per connection)", level,
        view->auth_level);
    if (view->auth_type != DCE_C_RPC_AUTHN_PROTOCOL_NONE) {
        rules_check(report, RULE_AUTH_SERVICE,
            view->auth_type == DCE_C_RPC_AUTHN_PROTOCOL_SPNEGO || view->auth_type == DCE_C_RPC_AUTHN_PROTOCOL_NTLMSSP,
            0, 0,
            "The authentication service is %s (%u), expected SPNEGO (9) or NTLM (10) (reported once per connection)",
            service, view->auth_type);
    }
    rules_check(report, RULE_TRANSPORT, view->is_named_pipe, 0, 0,
        "The calls are not sent over SMB: expected ncacn_np, \\PIPE\\winreg (reported once per connection)");
    rules_check(report, RULE_TRANSFER_SYNTAX, !view->is_ndr64, 0, 0,
        "The transfer syntax is NDR64, expected NDR (reported once per connection)");
}
