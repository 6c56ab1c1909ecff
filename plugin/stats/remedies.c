/* remedies.c
 * Finding codes, with a remedy for each
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/remedies.h"

#include "base/win32-names.h"

#define E_ACCESSDENIED_CODE  0x80070005u
#define STATUS_ACCESS_DENIED 0xc0000022u

/*
 * PDH codes for users of PDH tools. NO_MACHINE: no connection, for any reason, including missing rights
 * (PdhConnectMachine, Microsoft Learn). ACCESS_DENIED: a call was refused for missing rights (pdh_of_error()).
 */
#define NO_MACHINE    0x800007D0u /* PDH_CSTATUS_NO_MACHINE */
#define ACCESS_DENIED 0xC0000BDBu /* PDH_ACCESS_DENIED */

const struct remedy remedies[NUM_FINDING_CODES] = {
    /* Outcomes of attempts and calls; .says follows the server's name: */
    [FINDING_CONNECTION_REFUSED] = { "connection_refused", "refuses the TCP connection",
        "No program listens on that port. Start the service on {S} (for SMB: Server, LanmanServer), or open the port "
        "in its firewall.",
        WHOM_SERVER, NO_MACHINE },
    [FINDING_OBJECT_PORT_SILENT] = { "object_port_silent",
        "answers on port 135, but not on the dynamic port of the object",
        "Open the dynamic ports in the firewall of {S}. In Windows Firewall, enable the inbound rules of the group "
        "Performance Logs and Alerts.",
        WHOM_SERVER, NO_MACHINE },
    [FINDING_UNREACHABLE] = { "unreachable", "does not answer",
        "Check the address, whether {S} is running, and whether a firewall between {C} and {S} drops the packets.",
        WHOM_NETWORK, NO_MACHINE },
    [FINDING_LOGON_FAILED] = { "logon_failed", "refuses the logon: unknown user or wrong password",
        "Correct the user name or the password on {C}.", WHOM_CLIENT, 0 },
    [FINDING_ACCOUNT_LOCKED] = { "account_locked", "refuses the logon: the account is locked",
        "Unlock the account, and find the program that still uses its old password.", WHOM_ACCOUNTS, 0 },
    [FINDING_ACCOUNT_DISABLED] = { "account_disabled", "refuses the logon: the account is disabled",
        "Enable the account, or use another one.", WHOM_ACCOUNTS, 0 },
    [FINDING_ACCOUNT_EXPIRED] = { "account_expired", "refuses the logon: the account has expired",
        "Extend the account, or use another one.", WHOM_ACCOUNTS, 0 },
    [FINDING_PASSWORD_EXPIRED] = { "password_expired", "refuses the logon: the password has expired",
        "Set a new password, also on {C}.", WHOM_ACCOUNTS, 0 },
    [FINDING_PASSWORD_MUST_CHANGE] = { "password_must_change", "refuses the logon: the password must be changed first",
        "Set a new password, also on {C}.", WHOM_ACCOUNTS, 0 },
    [FINDING_ACCOUNT_RESTRICTED] = { "account_restricted", "refuses the logon: the account may not log on this way",
        "Accounts without a password, and those restricted to some hours or machines, cannot log on over the network.",
        WHOM_ACCOUNTS, 0 },
    [FINDING_LOGON_TYPE_DENIED] = { "logon_type_denied", "refuses the logon: the account may not use the network",
        "Give the account the right \"Access this computer from the network\" on {S}.", WHOM_SERVER, 0 },
    [FINDING_NO_LOGON_SERVER] = { "no_logon_server", "cannot check the logon: it does not reach a domain controller",
        "Check that {S} reaches its domain controller.", WHOM_SERVER, 0 },
    [FINDING_DOMAIN_TRUST_LOST] = { "domain_trust_lost",
        "cannot check the logon: its trust relationship with the domain is broken",
        "Join {S} to its domain again (Test-ComputerSecureChannel -Repair).", WHOM_SERVER, 0 },
    [FINDING_SMB_ENCRYPTED] = { "smb_encrypted", "uses SMB 3 encryption, so its pipes and calls cannot be seen",
        "This is not an error. To see the calls, open the capture with the session keys, or capture without SMB "
        "encryption.",
        WHOM_CAPTURE, 0 },
    [FINDING_LOGON_REFUSED] = { "logon_refused", "refuses the logon",
        "Check the account on {C}, and whether {S} requires signing or encryption that {C} does not offer.",
        WHOM_CLIENT, NO_MACHINE },
    [FINDING_SHARE_DENIED] = { "share_denied", "refuses access to its share IPC$",
        "Many servers refuse guests, anonymous users, or SMB without encryption. Log on with an account of {S} or of "
        "its domain, and check Get-SmbServerConfiguration on {S}.",
        WHOM_SERVER, NO_MACHINE },
    [FINDING_NO_SHARE] = { "no_share", "does not know the share IPC$", "Start the Server service on {S}.", WHOM_SERVER,
        NO_MACHINE },
    [FINDING_NO_PIPE] = { "no_pipe", "has no pipe winreg: Remote Registry is not running",
        "Remote Registry is often disabled. In a command prompt on {S}: sc config RemoteRegistry start= auto, then sc "
        "start RemoteRegistry.",
        WHOM_SERVER, NO_MACHINE },
    [FINDING_PIPE_BUSY] = { "pipe_busy", "has no free instance of the pipe winreg", "Restart Remote Registry on {S}.",
        WHOM_SERVER, NO_MACHINE },
    [FINDING_PIPE_DENIED] = { "pipe_denied", "denies access to its pipe winreg",
        "Add the account to the group Performance Monitor Users on {S}. The registry key SecurePipeServers\\winreg on "
        "{S} lists all accounts that may connect.",
        WHOM_SERVER, NO_MACHINE },
    [FINDING_NO_INTERFACE] = { "no_interface", "does not offer this interface",
        "{S} is older than Windows Vista, or another program answers there. Use the older API, or ask another server.",
        WHOM_CLIENT, 0 },
    [FINDING_AUTHENTICATION_UNKNOWN] = { "authentication_unknown", "does not support the authentication method of {C}",
        "Change {C} to authenticate with NTLM or Kerberos.", WHOM_CLIENT, 0 },
    [FINDING_BIND_REFUSED] = { "bind_refused", "refuses the RPC connection",
        "Compare the bind of {C} with a bind that works.", WHOM_CLIENT, 0 },
    [FINDING_CONTEXT_REFUSED] = { "context_refused", "refuses the interface",
        "Compare the bind of {C} with a bind that works.", WHOM_CLIENT, 0 },
    [FINDING_NOT_REGISTERED] = { "not_registered", "has nothing registered for this interface",
        "Start the service on {S} (Remote Registry, or Performance Logs and Alerts).", WHOM_SERVER, 0 },
    [FINDING_NO_ENDPOINT] = { "no_endpoint", "has no port for this interface",
        "Start the service on {S} (Remote Registry, or Performance Logs and Alerts).", WHOM_SERVER, 0 },
    [FINDING_ACTIVATION_DENIED] = { "activation_denied", "refuses to create the object",
        "Add the account to the group Performance Log Users on {S}, and give it the right of remote activation "
        "(dcomcnfg).",
        WHOM_SERVER, 0 },
    [FINDING_ACTIVATION_FAILED] = { "activation_failed", "cannot create the object",
        "Look up the code and check the event log on {S}.", WHOM_SERVER, 0 },
    [FINDING_SET_DENIED] = { "set_denied", "denies access to a data collector set",
        "Add the account to the group Performance Log Users on {S}, and use packet privacy on {C}. Only administrators "
        "may use some sets.",
        WHOM_SERVER, 0 },
    [FINDING_CALL_DENIED] = { "call_denied", "denies access to the call",
        "Add the account to the group Performance Monitor Users on {S} (for data collector sets: Performance Log "
        "Users). For PerflibV2, {C} must also authenticate with privacy.",
        WHOM_SERVER, ACCESS_DENIED },
    [FINDING_COUNTERS_DENIED] = { "counters_denied", "denies access to the counters",
        "Add the account to the group Performance Monitor Users on {S}, and use packet privacy on {C}: a server must "
        "refuse calls without it.",
        WHOM_SERVER, ACCESS_DENIED },
    [FINDING_REGISTRY_DENIED] = { "registry_denied", "denies access to the counters",
        "Add the account to the group Performance Monitor Users on {S}. The registry key SecurePipeServers\\winreg on "
        "{S} lists all accounts that may connect.",
        WHOM_SERVER, ACCESS_DENIED },
    [FINDING_DENIED_AT_TIMES] = { "denied_at_times", "denies access to a call",
        "Other calls of {C} are answered, so the account is in the right group. See what this call asks for: it may "
        "need more rights.",
        WHOM_CLIENT, ACCESS_DENIED },
    [FINDING_MORE_DATA] = { "more_data", "has more data than the buffer of {C} can hold",
        "For performance data, the size in that answer is undefined. {C} must enlarge its buffer step by step until "
        "the answer fits.",
        WHOM_AUTHOR, 0 },
    [FINDING_REST_NOT_READ] = { "rest_not_read", "sent an answer that {C} did not read to its end",
        "After STATUS_BUFFER_OVERFLOW a client must read on until it has the whole answer. {C} does not.", WHOM_AUTHOR,
        0 },
    [FINDING_SLOW] = { "slow", "answers slowly",
        "Check the load of {S}, and ask for single objects or countersets instead of all (Global).", WHOM_SERVER, 0 },
    [FINDING_NO_VALUE_CAME] = { "no_value_came", "sent none of the requested values",
        "The tables of missing data give the reasons: -z perflibv2,missing and -z perfdata,missing.", WHOM_CLIENT, 0 },
    [FINDING_FRAMES_CUT] = { "frames_cut", "was captured only in part",
        "Capture whole packets (-s 0, pktmon --pkt-size 0).", WHOM_CAPTURE, 0 },
    [FINDING_SERVER_BUSY] = { "server_busy", "is too busy to take the call",
        "Check the load of {S}, and poll less often.", WHOM_SERVER, 0 },
    [FINDING_CALL_MALFORMED] = { "call_malformed", "rejects the call as malformed",
        "Either {C} encrypted the call with a wrong password, or it sent a damaged call. Check both.", WHOM_CLIENT, 0 },
    [FINDING_SEAL_REJECTED] = { "seal_rejected", "does not accept the encryption of the call",
        "Check the password of the account on {C}, and the clocks of both computers.", WHOM_CLIENT, 0 },
    [FINDING_HANDLE_UNKNOWN] = { "handle_unknown", "does not know the handle that {C} uses",
        "{C} uses a closed handle or the handle of another connection, or the service was restarted. {C} must open a "
        "new handle.",
        WHOM_CLIENT, 0 },
    [FINDING_OBJECT_LOST] = { "object_lost", "has lost the object or handle that {C} uses",
        "The service was restarted, or {C} waited too long. {C} must open it again.", WHOM_CLIENT, 0 },
    [FINDING_SEGMENTS_MISSING] = { "segments_missing", "was captured with gaps",
        "Capture closer to {C} or {S}, and without losses. The answer may exist, but was not captured.", WHOM_CAPTURE,
        0 },
    [FINDING_ONE_DIRECTION] = { "one_direction", "",
        "Capture both directions: with a mirrored port, also the other one.", WHOM_CAPTURE, 0 },
    [FINDING_NO_ANSWER] = { "no_answer", "did not answer",
        "A counter provider on {S} may hang: look for Perflib in the event log. Or the capture ended too early.",
        WHOM_SERVER, 0 },
    [FINDING_LEFT_BEFORE_ANSWER] = { "left_before_answer", "did not answer before {C} gave up",
        "Check the time-outs of {C}, and how long {S} takes.", WHOM_CLIENT, 0 },
    [FINDING_SERVER_CLOSED] = { "server_closed", "closed the connection on its own",
        "The service, or {S}, may have been stopped or restarted. Check the event log on {S}.", WHOM_SERVER, 0 },
    [FINDING_NOT_BOUND] = { "not_bound", "was already connected when the capture started",
        "Start the capture before {C} connects: restart the program on {C}, or wait until it connects again.",
        WHOM_CAPTURE, 0 },
    [FINDING_NOTHING_FOLLOWED] = { "nothing_followed", "received a connection, but no request",
        "Check the program on {C}: it stopped on its own.", WHOM_CLIENT, 0 },
    [FINDING_KEY_MISSING] = { "key_missing", "does not have a registry key that {C} opens",
        "This is not an error if {C} goes on without the key. Servers other than Windows do not have all of them.",
        WHOM_CLIENT, 0 },
    [FINDING_FAULT] = { "fault", "answered with a fault", "Look up the code and check the event log on {S}.",
        WHOM_SERVER, 0 },
    [FINDING_ACCESS_DENIED] = { "access_denied", "denies access", "Check the rights of the account on {S}.",
        WHOM_SERVER, 0 },
    [FINDING_ERROR] = { "error", "answered with an error", "Look up the code and check the event log on {S}.",
        WHOM_SERVER, 0 },
    /* Missing data; .says follows the server's name, too: */
    [FINDING_FIRST_SAMPLE] = { "first_sample", "has only one sample in the capture, but a value needs two",
        "Capture for longer than the interval between two polls.", WHOM_CAPTURE, 0 },
    [FINDING_INSTANCE_NEW] = { "instance_new", "has the instance in only one captured poll",
        "Capture for longer: two consecutive polls must contain it.", WHOM_CAPTURE, 0 },
    [FINDING_OTHER_PROCESS] = { "other_process", "gives the name to another process in each poll",
        "Several processes use this name in turn. Find out what starts them on {S}.", WHOM_CLIENT, 0 },
    [FINDING_ZERO_BASE] = { "zero_base", "sent a denominator of zero",
        "This is not an error: between two polls, nothing happened that this counter counts. Capture for longer.",
        WHOM_CAPTURE, 0 },
    [FINDING_NOT_CAPTURED] = { "not_captured", "may have answered, but the answer was not captured",
        "Capture whole packets, closer to the client, and without losses.", WHOM_CAPTURE, 0 },
    [FINDING_NO_COUNTERSET] = { "no_counterset", "does not have the counterset",
        "The program that provides this counterset is not installed or not running on {S}. Compare with typeperf -q -s "
        "{H}.",
        WHOM_SERVER, 0 },
    [FINDING_NO_OBJECT] = { "no_object", "does not have the object",
        "The program that provides this object is not installed on {S}, or its counters are disabled: "
        "lodctr /q lists what is enabled.",
        WHOM_SERVER, 0 },
    [FINDING_NO_COUNTER] = { "no_counter", "does not have the counter in that counterset",
        "{S} may run another version of Windows than {C} expects. Compare with typeperf -q -s {H}.", WHOM_CLIENT, 0 },
    [FINDING_NO_INSTANCE] = { "no_instance", "does not have the instance",
        "The process, disk or adapter did not exist at that time. Ask for all instances (*) instead.", WHOM_CLIENT, 0 },
    [FINDING_NO_DATA] = { "no_data", "sent no data",
        "The provider has no values for it. Check on {S} whether the program, device or instance exists and is "
        "running.",
        WHOM_SERVER, 0 },
    [FINDING_VALUE_DENIED] = { "value_denied", "denies access to the values",
        "Add the account to the group Performance Monitor Users on {S}, and use packet privacy on {C}.", WHOM_SERVER,
        0 },
    [FINDING_NO_FORMULA] = { "no_formula", "uses a type without a documented formula",
        "Remove it from the list of counters on {C}.", WHOM_CLIENT, 0 },
    [FINDING_TYPE_UNKNOWN] = { "type_unknown", "sent values, but their types were not captured",
        "The capture does not contain the names and types. Start the capture before {C} connects, and capture without "
        "losses.",
        WHOM_CAPTURE, 0 },
    [FINDING_COUNTER_UNKNOWN] = { "counter_unknown", "sent values, but which counters they belong to is unknown",
        "{C} did not ask which value belongs to which counter (QueryCounterInfo), the call failed, or its answer "
        "contradicts the values.",
        WHOM_AUTHOR, 0 },
    [FINDING_TIME_WENT_BACK] = { "time_went_back", "has a clock that was set back",
        "The clock of {S} was set back between two polls. Check its synchronization (w32tm /query /status).",
        WHOM_SERVER, 0 },
    [FINDING_NO_CLOCK] = { "no_clock", "sends no clock with the object",
        "{S} sends zero as PerfTime and PerfFreq of this object, so times cannot be computed. This is a limit of {S}.",
        WHOM_AUTHOR, 0 },
    [FINDING_DECREASED] = { "decreased", "sent a smaller value than before",
        "The counter was reset between two polls, for example because its program was restarted.", WHOM_SERVER, 0 },
    [FINDING_NO_BASE] = { "no_base", "was not asked for the base counter",
        "Ask for the base counter as well, or for the whole counterset.", WHOM_CLIENT, 0 },
    [FINDING_BASE_UNKNOWN] = { "base_unknown", "sent values, but their base counter is not known",
        "Start the capture before {C} connects, and capture whole packets. If the base is still unknown, {S} sends "
        "none.",
        WHOM_CAPTURE, 0 },
    [FINDING_INVALID_PARAMETER] = { "invalid_parameter", "rejects a parameter of the request",
        "Check the request that {C} sends.", WHOM_CLIENT, 0 },
    [FINDING_REFUSED_BY_PDH] = { "refused_by_pdh", "sent values that Windows tools refuse",
        "A counter or a clock went backwards, or the result is below zero. Check its provider on {S}, and whether it "
        "was restarted.",
        WHOM_SERVER, 0 },
    [FINDING_NO_INSTANCES] = { "no_instances", "had no instances",
        "No instance existed at that time. Check on {S} whether the program or device is running.", WHOM_SERVER, 0 },
    [FINDING_NAMES_DAMAGED] = { "names_damaged", "sent an empty or missing index",
        "Rebuild the list on {S}: run lodctr /R as an administrator. Windows tools report that an invalid index was "
        "read from the registry.",
        WHOM_SERVER, 0 },
    [FINDING_NO_VALUE] = { "no_value", "sent an error or nothing that gives a value",
        "Look up the code and check the event log on {S}.", WHOM_SERVER, 0 },
    /* Data collector sets; .says is a clause: */
    [FINDING_SET_NOT_FOUND] = { "set_not_found", "the set does not exist",
        "Compare the name with the sets on {S}: logman query -s {H}.", WHOM_CLIENT, 0 },
    [FINDING_SET_IN_USE] = { "set_in_use", "the set is in use", "Stop the set first, or wait until it has ended.",
        WHOM_CLIENT, 0 },
    [FINDING_SET_EXISTS] = { "set_exists", "the set already exists", "Open the set instead, or choose another name.",
        WHOM_CLIENT, 0 },
    [FINDING_SET_NOT_RUNNING] = { "set_not_running", "the set is not running",
        "Start the set first. It may have ended on its own.", WHOM_CLIENT, 0 },
    [FINDING_SET_CALL_DENIED] = { "set_call_denied", "access is denied",
        "If it is the only call that is denied, only administrators may use it. Otherwise add the account to the group "
        "Performance Log Users on {S}.",
        WHOM_SERVER, 0 },
    [FINDING_SET_CALL_FAILED] = { "set_call_failed", "another error",
        "Look up the code in [MS-PLA] and check the event log on {S}.", WHOM_SERVER, 0 },
    /* Sealed calls; .says completes "they are sealed, and": */
    [FINDING_SEALED_LOGON_NOT_CAPTURED] = { "sealed_logon_not_captured",
        "no key helps, because the logon was not captured",
        "Start the capture before the client connects: restart the monitoring program.", WHOM_CAPTURE, 0 },
    [FINDING_SEALED_BY_SMB3] = { "sealed_by_smb3", "you need a key to read them",
        "Enter the key in Wireshark (Preferences, Protocols, SMB2) or tshark (-o uat:smb2_seskey_list:...), and make "
        "this page again. Or capture without SMB encryption.",
        WHOM_CAPTURE, 0 },
    [FINDING_SEALED_FOR_GOOD] = { "sealed_for_good", "Wireshark cannot decrypt them",
        "Capture again, with an account or an authentication method that Wireshark can decrypt.", WHOM_CLIENT, 0 },
    [FINDING_SEALED_ANONYMOUS] = { "sealed_anonymous", "no key helps, because the user is anonymous",
        "Log on as a user who has a password.", WHOM_CLIENT, 0 },
    [FINDING_SEALED] = { "sealed", "you need a key to read them",
        "Enter the key in Wireshark (Preferences, Protocols, NTLMSSP or KRB5) or tshark (-o "
        "ntlmssp.nt_password:PASSWORD, "
        "or -K KEYTAB), and make this page again.",
        WHOM_OWNER, 0 },
    /* Queries and their clients and servers; .says follows the client's name if the client is to blame: */
    [FINDING_WORKS_NOW] = { "works_now", "works now", "There is nothing to do now.", WHOM_SERVER, 0 },
    [FINDING_OTHERS_MISSING] = { "others_missing", "", "The tables of missing data list all of them.", WHOM_CAPTURE,
        0 },
    [FINDING_POLLS_LATE] = { "polls_late", "sends polls late",
        "Check the load and the power settings of {C} at these times. If one slow server delays the polls of others, "
        "poll each server on its own.",
        WHOM_CLIENT, 0 },
    [FINDING_POLLS_OVERLAP] = { "polls_overlap", "polls again before the answer arrives",
        "Set a longer interval on {C}, or poll less at a time: {S} takes longer to answer than the interval.",
        WHOM_CLIENT, 0 },
    [FINDING_BUFFER_TOO_SMALL] = { "buffer_too_small", "offers buffers that are too small",
        "The client should start with a larger buffer, and keep the size that fitted last.", WHOM_CLIENT, 0 },
    [FINDING_POLLED_TWICE] = { "polled_twice", "polls items twice, with two handles", "One query is enough.",
        WHOM_CLIENT, 0 },
    [FINDING_OTHER_HOST] = { "other_host", "calls servers by another machine's name",
        "Correct the machine name on {C}, or an alias of {S} (hosts, DNS): counter paths show a machine that was not "
        "asked.",
        WHOM_CLIENT, 0 },
    [FINDING_RULE_BROKEN] = { "rule_broken", "", "Compare the program's messages with the section of the rule.",
        WHOM_AUTHOR, 0 },
    [FINDING_EXPERT_ITEMS] = { "expert_items", "",
        "See Analyze > Expert Information in Wireshark, or tshark -z expert.", WHOM_AUTHOR, 0 },
    [FINDING_FRAGMENTED] = { "fragmented", "", "Switch on the preference dcerpc.reassemble_dcerpc.", WHOM_CAPTURE, 0 },
    [FINDING_SESSION_DISABLED] = { "session_disabled",
        "The protocol perflib_session, which reads binds, is disabled, so that nothing can be judged",
        "Enable it in Analyze > Enabled Protocols, or leave out --disable-protocol perflib_session.", WHOM_CAPTURE, 0 },
};

bool
remedy_is_denial(enum finding_code code)
{
    return code == FINDING_CALL_DENIED || code == FINDING_COUNTERS_DENIED || code == FINDING_REGISTRY_DENIED ||
        code == FINDING_SET_DENIED || code == FINDING_ACCESS_DENIED;
}

static enum finding_code
finding_of_fault(uint32_t status)
{
    switch (status) {
    case 0: return FINDING_FRAMES_CUT;              /* the status was not captured */
    case 0x00000005: return FINDING_CALL_DENIED;    /* nca_s_fault_access_denied */
    case 0x1c010014: return FINDING_SERVER_BUSY;    /* nca_s_server_too_busy */
    case 0x1c01000b: return FINDING_CALL_MALFORMED; /* nca_s_proto_error */
    case 0x00000721: return FINDING_SEAL_REJECTED;  /* nca_s_fault_sec_pkg_error */
    case 0x1c00001a: return FINDING_HANDLE_UNKNOWN; /* nca_s_fault_context_mismatch */
    case 0x80010108: return FINDING_OBJECT_LOST;    /* RPC_E_DISCONNECTED */
    case E_ACCESSDENIED_CODE: return FINDING_SET_DENIED;
    default: return FINDING_FAULT;
    }
}

/* Returns the finding for an SMB error at a step. The first matching entry counts; STEP_NONE matches any step. */
static enum finding_code
finding_of_status(enum step step, uint32_t status)
{
    static const struct {
        enum step step;
        uint32_t status; /* NTSTATUS, [MS-ERREF] 2.3 */
        enum finding_code code;
    } codes[] = {
        { STEP_NONE, 0xc000006d, FINDING_LOGON_FAILED },         /* STATUS_LOGON_FAILURE */
        { STEP_NONE, 0xc0000234, FINDING_ACCOUNT_LOCKED },       /* STATUS_ACCOUNT_LOCKED_OUT */
        { STEP_NONE, 0xc0000072, FINDING_ACCOUNT_DISABLED },     /* STATUS_ACCOUNT_DISABLED */
        { STEP_NONE, 0xc0000193, FINDING_ACCOUNT_EXPIRED },      /* STATUS_ACCOUNT_EXPIRED */
        { STEP_NONE, 0xc0000071, FINDING_PASSWORD_EXPIRED },     /* STATUS_PASSWORD_EXPIRED */
        { STEP_NONE, 0xc0000224, FINDING_PASSWORD_MUST_CHANGE }, /* STATUS_PASSWORD_MUST_CHANGE */
        { STEP_NONE, 0xc000006e, FINDING_ACCOUNT_RESTRICTED },   /* STATUS_ACCOUNT_RESTRICTION */
        { STEP_NONE, 0xc000015b, FINDING_LOGON_TYPE_DENIED },    /* STATUS_LOGON_TYPE_NOT_GRANTED */
        { STEP_NONE, 0xc000005e, FINDING_NO_LOGON_SERVER },      /* STATUS_NO_LOGON_SERVERS */
        { STEP_NONE, 0xc000018d, FINDING_DOMAIN_TRUST_LOST },    /* STATUS_TRUSTED_RELATIONSHIP_FAILURE */
        { STEP_LOGON, STATUS_ACCESS_DENIED, FINDING_LOGON_REFUSED },
        { STEP_TREE_CONNECT, STATUS_ACCESS_DENIED, FINDING_SHARE_DENIED },
        { STEP_CREATE, STATUS_ACCESS_DENIED, FINDING_PIPE_DENIED },
        { STEP_NONE, STATUS_ACCESS_DENIED, FINDING_ACCESS_DENIED },
        { STEP_TREE_CONNECT, 0xc00000cc, FINDING_NO_SHARE }, /* STATUS_BAD_NETWORK_NAME */
        { STEP_CREATE, 0xc0000034, FINDING_NO_PIPE },        /* STATUS_OBJECT_NAME_NOT_FOUND */
        { STEP_CREATE, 0xc00000ac, FINDING_PIPE_BUSY },      /* STATUS_PIPE_NOT_AVAILABLE */
    };

    for (size_t i = 0; i < array_length(codes); i++) {
        if (codes[i].status == status && (codes[i].step == step || codes[i].step == STEP_NONE)) {
            return codes[i].code;
        }
    }
    return FINDING_ERROR;
}

/* Returns the finding for a Win32 error of a call. */
static enum finding_code
finding_of_win32(uint32_t error, unsigned wants)
{
    switch (error) {
    case WIN32_ACCESS_DENIED: return wants & WANTS_PERFLIBV2 ? FINDING_COUNTERS_DENIED : FINDING_REGISTRY_DENIED;
    case 0x0002: return FINDING_KEY_MISSING; /* ERROR_FILE_NOT_FOUND */
    case WIN32_MORE_DATA: return FINDING_MORE_DATA;
    default: return FINDING_ERROR;
    }
}

static enum finding_code
finding_of_hresult(enum step step, uint32_t hresult)
{
    if (step == STEP_ACTIVATE) {
        return hresult == E_ACCESSDENIED_CODE ? FINDING_ACTIVATION_DENIED : FINDING_ACTIVATION_FAILED;
    }
    return hresult == E_ACCESSDENIED_CODE ? FINDING_SET_DENIED : FINDING_ERROR;
}

/* Returns the finding for a missing answer. otherwise: the finding if the capture is complete. */
static enum finding_code
finding_of_silence(const struct outcome *outcome, enum finding_code otherwise)
{
    return outcome->doubt == DOUBT_CUT     ? FINDING_FRAMES_CUT
        : outcome->doubt != DOUBT_NONE     ? FINDING_SEGMENTS_MISSING
        : outcome->step == STEP_SYN        ? FINDING_UNREACHABLE
        : outcome->step == STEP_OBJECT_SYN ? FINDING_OBJECT_PORT_SILENT
                                           : otherwise;
}

enum finding_code
finding_of_outcome(const struct outcome *outcome, unsigned wants)
{
    const bool by_server = outcome_by_server(outcome->ending);

    switch (outcome->code) {
    case OUTCOME_REFUSED: return FINDING_CONNECTION_REFUSED;
    case OUTCOME_NO_ANSWER: return finding_of_silence(outcome, FINDING_NO_ANSWER);
    case OUTCOME_LEFT:
    case OUTCOME_GIVEN_UP:
        return finding_of_silence(outcome, by_server ? FINDING_SERVER_CLOSED : FINDING_LEFT_BEFORE_ANSWER);
    case OUTCOME_NOTHING_FOLLOWED:
        return finding_of_silence(outcome, by_server ? FINDING_SERVER_CLOSED : FINDING_NOTHING_FOLLOWED);
    case OUTCOME_CUT: return FINDING_FRAMES_CUT;
    case OUTCOME_OPEN: return FINDING_NO_ANSWER;
    case OUTCOME_SMB_STATUS:
    case OUTCOME_PIPE_STATUS: return finding_of_status(outcome->step, outcome->status);
    case OUTCOME_ENCRYPTED: return FINDING_SMB_ENCRYPTED;
    /* Reasons of rejection: p_provider_reason and that of a bind_nak, [C706] 12.6.3.1, [MS-RPCE] 2.2.2.5. */
    case OUTCOME_CONTEXT_REJECTED:
        return (outcome->status & 0xffff) == 1 ? FINDING_NO_INTERFACE : FINDING_CONTEXT_REFUSED;
    case OUTCOME_BIND_NAK: return outcome->status == 8 ? FINDING_AUTHENTICATION_UNKNOWN : FINDING_BIND_REFUSED;
    case OUTCOME_NO_ENDPOINT:
        return outcome->status == 0x16c9a0d6 /* EPT_S_NOT_REGISTERED */ ? FINDING_NOT_REGISTERED : FINDING_NO_ENDPOINT;
    case OUTCOME_FAULT: return finding_of_fault(outcome->status);
    case OUTCOME_WIN32: return finding_of_win32(outcome->status, wants);
    case OUTCOME_HRESULT: return finding_of_hresult(outcome->step, outcome->status);
    case OUTCOME_REST_NOT_READ: return FINDING_REST_NOT_READ;
    case OUTCOME_SLOW: return FINDING_SLOW;
    case OUTCOME_NO_VALUE: return FINDING_NO_VALUE_CAME;
    case OUTCOME_NOT_BOUND: return finding_of_silence(outcome, FINDING_NOT_BOUND);
    default: return FINDING_ERROR;
    }
}

enum finding_code
finding_of_attempt(const struct attempt *attempt)
{
    const struct outcome reason = attempt_reason(attempt);

    return finding_of_outcome(&reason, attempt->wants);
}

static enum finding_code
finding_of_error(uint32_t error)
{
    switch (error) {
    case WIN32_ACCESS_DENIED: return FINDING_VALUE_DENIED;
    case WIN32_INVALID_PARAMETER: return FINDING_INVALID_PARAMETER;
    case 0x00e8: return FINDING_NO_DATA; /* ERROR_NO_DATA */
    case WIN32_WMI_GUID_NOT_FOUND: return FINDING_NO_COUNTERSET;
    case WIN32_WMI_ITEMID_NOT_FOUND: return FINDING_NO_COUNTER;
    case WIN32_WMI_INSTANCE_NOT_FOUND: return FINDING_NO_INSTANCE;
    default: return FINDING_NO_VALUE;
    }
}

static enum finding_code
finding_of_reason(enum cook_reason reason)
{
    switch (reason) {
    case COOK_TYPE_UNKNOWN:
    case COOK_COUNTER_NOT_CAPTURED: return FINDING_TYPE_UNKNOWN;
    case COOK_NO_FORMULA: return FINDING_NO_FORMULA;
    case COOK_FIRST_SAMPLE: return FINDING_FIRST_SAMPLE;
    case COOK_INSTANCE_NEW: return FINDING_INSTANCE_NEW;
    case COOK_OTHER_PROCESS: return FINDING_OTHER_PROCESS;
    case COOK_NO_BASE:
    case COOK_NO_TIME:
    case COOK_NO_FREQ:
    case COOK_NO_MULTI: return FINDING_NO_BASE;
    case COOK_BASE_UNKNOWN:
    case COOK_NO_PREVIOUS_BASE:
    case COOK_NO_PREVIOUS_TIME: return FINDING_BASE_UNKNOWN;
    case COOK_TIME_WENT_BACK: return FINDING_TIME_WENT_BACK;
    case COOK_COUNTER_DECREASED:
    case COOK_BASE_DECREASED: return FINDING_DECREASED;
    case COOK_ZERO_INTERVAL:
    case COOK_ZERO_BASE:
    case COOK_ZERO_FREQ: return FINDING_ZERO_BASE;
    case COOK_NO_CLOCK: return FINDING_NO_CLOCK;
    case COOK_COUNTER_UNKNOWN: return FINDING_COUNTER_UNKNOWN;
    default: return FINDING_NO_VALUE;
    }
}

enum finding_code
finding_of_missing(const struct perf_tap_why *why)
{
    switch (why->code) {
    case WHY_NO_VALUE: return finding_of_reason((enum cook_reason)why->status);
    case WHY_ERROR:
    case WHY_BLOCK_ERROR: return finding_of_error(why->status);
    case WHY_FAULT: return finding_of_fault(why->status);
    case WHY_FAULT_NOT_CAPTURED: return FINDING_FAULT;
    case WHY_NO_ANSWER:
    case WHY_RETURN_CODE_NOT_CAPTURED:
    case WHY_BLOCKS_NOT_CAPTURED: return FINDING_NOT_CAPTURED;
    case WHY_REST_NOT_READ: return FINDING_REST_NOT_READ;
    case WHY_NAMES_DAMAGED: return FINDING_NAMES_DAMAGED;
    case WHY_NO_OBJECT: return FINDING_NO_OBJECT;
    case WHY_REFUSED_BY_PDH: return FINDING_REFUSED_BY_PDH;
    case WHY_NO_INSTANCES: return FINDING_NO_INSTANCES;
    default: return FINDING_NO_VALUE;
    }
}

enum finding_code
finding_of_key(enum key_needed_code code)
{
    switch (code) {
    case KEY_LOGON_IN_PART:
    case KEY_LOGON:
    case KEY_TICKET: return FINDING_SEALED_LOGON_NOT_CAPTURED;
    case KEY_SMB3: return FINDING_SEALED_BY_SMB3;
    case KEY_SERVICE:
    case KEY_WEAK_NTLM:
    case KEY_USER_LETTERS:
    case KEY_PASSWORD_LETTERS: return FINDING_SEALED_FOR_GOOD;
    case KEY_ANONYMOUS: return FINDING_SEALED_ANONYMOUS;
    default: return FINDING_SEALED;
    }
}

enum finding_code
finding_of_set(uint32_t hresult)
{
    switch (hresult) {
    case 0x80300002: return FINDING_SET_NOT_FOUND;   /* PLA_E_DCS_NOT_FOUND, [MS-PLA] 2.2 */
    case 0x803000aa: return FINDING_SET_IN_USE;      /* PLA_E_DCS_IN_USE */
    case 0x803000b7: return FINDING_SET_EXISTS;      /* PLA_E_DCS_ALREADY_EXISTS */
    case 0x80300104: return FINDING_SET_NOT_RUNNING; /* PLA_E_DCS_NOT_RUNNING */
    case E_ACCESSDENIED_CODE: return FINDING_SET_CALL_DENIED;
    default: return FINDING_SET_CALL_FAILED;
    }
}

const struct remedy_person remedy_persons[NUM_WHOM] = {
    [WHOM_CLIENT] = { "client", "whoever runs {C}" },
    [WHOM_SERVER] = { "server", "the administrator of {S}" },
    [WHOM_NETWORK] = { "network", "whoever runs the network" },
    [WHOM_ACCOUNTS] = { "accounts", "whoever manages the accounts" },
    [WHOM_OWNER] = { "owner", "whoever owns the account" },
    [WHOM_CAPTURE] = { "capture", "whoever took the capture" },
    [WHOM_AUTHOR] = { "author", "the author of that program" },
};
