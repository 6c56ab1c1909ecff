/* remedies.c
 * What to do about what stopped a client
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/report/remedies.h"

#include <stddef.h>
#include <string.h>

/*
 * What PDH calls it: that no connection came about, whatever was in its way, also missing rights (PdhConnectMachine,
 * Microsoft Learn); or that a call was refused for want of rights (pdh_of_error()).
 */
#define NO_MACHINE    0x800007D0u /* PDH_CSTATUS_NO_MACHINE */
#define ACCESS_DENIED 0xC0000BDBu /* PDH_ACCESS_DENIED */

/* The first that fits counts; the last fits all. */
static const struct remedy remedies[] = {
    { "connection refused", "refuses the TCP connection",
        "Nothing listens on that port. Start the service on {S} (over SMB: Server, LanmanServer) or open the port in "
        "its firewall.",
        WHOM_SERVER, NO_MACHINE },
    { "SYN to the object's port", "gives an object at port 135, but does not answer at the dynamic port of that object",
        "Let the firewall of {S} pass the dynamic ports: for Windows Firewall, enable the inbound rules of the group "
        "Performance Logs and Alerts.",
        WHOM_SERVER, NO_MACHINE },
    { "answer to SYN", "does not answer",
        "Check the address, whether {S} is running, and whether a firewall between {C} and {S} drops the packets.",
        WHOM_NETWORK, NO_MACHINE },
    { "STATUS_LOGON_FAILURE", "refuses the logon: unknown user or wrong password",
        "Correct the user name or the password that {C} logs on with.", WHOM_CLIENT, 0 },
    { "STATUS_ACCOUNT_LOCKED_OUT", "refuses the logon: the account is locked",
        "Unlock the account, and look for whatever still uses its old password.", WHOM_ACCOUNTS, 0 },
    { "STATUS_ACCOUNT_DISABLED", "refuses the logon: the account is disabled", "Enable the account, or use another.",
        WHOM_ACCOUNTS, 0 },
    { "STATUS_ACCOUNT_EXPIRED", "refuses the logon: the account has expired", "Extend the account, or use another.",
        WHOM_ACCOUNTS, 0 },
    { "STATUS_PASSWORD_EXPIRED", "refuses the logon: the password has expired", "Set a new password, also on {C}.",
        WHOM_ACCOUNTS, 0 },
    { "STATUS_PASSWORD_MUST_CHANGE", "refuses the logon: the password must be changed first",
        "Set a new password, also on {C}.", WHOM_ACCOUNTS, 0 },
    { "STATUS_ACCOUNT_RESTRICTION", "refuses the logon: the account may not log on this way",
        "Accounts without a password, and those restricted to some hours or machines, cannot log on over the network.",
        WHOM_ACCOUNTS, 0 },
    { "STATUS_LOGON_TYPE_NOT_GRANTED", "refuses the logon: the account may not use the network",
        "Give the account the right \"Access this computer from the network\" on {S}.", WHOM_SERVER, 0 },
    { "STATUS_NO_LOGON_SERVERS", "cannot check the logon: it finds no domain controller",
        "Check that {S} reaches its domain controller.", WHOM_SERVER, 0 },
    { "STATUS_TRUSTED_RELATIONSHIP_FAILURE", "cannot check the logon: it has lost its trust to the domain",
        "Join {S} to its domain again (Test-ComputerSecureChannel -Repair).", WHOM_SERVER, 0 },
    { "encrypted by SMB 3", "hides its pipes and calls in SMB 3 encryption",
        "This is no fault. To see the calls, open the capture with the session's keys, or capture without SMB "
        "encryption.",
        WHOM_CAPTURE, 0 },
    { "Session Setup: STATUS_ACCESS_DENIED", "refuses the logon",
        "Check the account that {C} logs on with, and whether {S} demands signing or encryption that {C} does not "
        "offer.",
        WHOM_CLIENT, NO_MACHINE },
    { "Tree Connect: STATUS_ACCESS_DENIED", "refuses access to its share IPC$",
        "Guests and anonymous users are often shut out, and so is SMB without encryption where {S} demands it: let "
        "{C} log on with an account that {S} or its domain knows, and see Get-SmbServerConfiguration on {S}.",
        WHOM_SERVER, NO_MACHINE },
    { "STATUS_BAD_NETWORK_NAME", "does not know the share IPC$", "Start the Server service on {S}.", WHOM_SERVER,
        NO_MACHINE },
    { "STATUS_OBJECT_NAME_NOT_FOUND", "has no pipe winreg: Remote Registry is not running",
        "Remote Registry is often disabled. In a command prompt on {S}: sc config RemoteRegistry start= auto, then sc "
        "start RemoteRegistry.",
        WHOM_SERVER, NO_MACHINE },
    { "STATUS_PIPE_NOT_AVAILABLE", "has no instance of the pipe left", "Restart Remote Registry on {S}.", WHOM_SERVER,
        NO_MACHINE },
    { "Create: STATUS_ACCESS_DENIED", "denies access to its pipe winreg",
        "Add the account to the group Performance Monitor Users on {S}; the key SecurePipeServers\\winreg of its "
        "registry lists who else may come in.",
        WHOM_SERVER, NO_MACHINE },
    { "Abstract syntax not supported", "does not offer this interface",
        "{S} is older than Windows Vista, or another program answers there: let {C} use the older API, or ask another "
        "server.",
        WHOM_CLIENT, 0 },
    { "Authentication type not recognized", "does not know the way in which {C} authenticates",
        "Let {C} authenticate with NTLM or Kerberos.", WHOM_CLIENT, 0 },
    { "bind_nak", "refuses the RPC connection", "Compare the bind of {C} with one that works.", WHOM_CLIENT, 0 },
    { "context rejected", "refuses the interface", "Compare the bind of {C} with one that works.", WHOM_CLIENT, 0 },
    { "EPT_S_NOT_REGISTERED", "has nothing registered for this interface",
        "Start the service on {S} (Remote Registry, or Performance Logs and Alerts).", WHOM_SERVER, 0 },
    { "no endpoint for the interface", "has no port for this interface",
        "Start the service on {S} (Remote Registry, or Performance Logs and Alerts).", WHOM_SERVER, 0 },
    { "activation: E_ACCESSDENIED", "refuses to create the object",
        "Add the account to the group Performance Log Users on {S}, and allow it remote activation (dcomcnfg).",
        WHOM_SERVER, 0 },
    { "activation:", "cannot create the object", "Look the code up, and into the event log of {S}.", WHOM_SERVER, 0 },
    { "E_ACCESSDENIED", "denies access to a data collector set",
        "Add the account to the group Performance Log Users on {S}, and let {C} authenticate with privacy; some sets "
        "belong to administrators alone.",
        WHOM_SERVER, 0 },
    { "nca_s_fault_access_denied", "denies access to the call",
        "Add the account to the group Performance Monitor Users on {S} (for data collector sets: Performance Log "
        "Users), and let {C} authenticate with privacy.",
        WHOM_SERVER, ACCESS_DENIED },
    { "ERROR_ACCESS_DENIED", "denies access to the counters",
        "Add the account to the group Performance Monitor Users on {S}, and let {C} authenticate with privacy: with "
        "less, a server must refuse.",
        WHOM_SERVER, ACCESS_DENIED },
    { "nca_s_server_too_busy", "is too busy to take the call", "Look at the load of {S}, and poll less often.",
        WHOM_SERVER, 0 },
    { "nca_s_proto_error", "does not accept the call as {C} sent it",
        "{C} may have sealed it with another password than the one {S} knows, or sent it damaged: check both.",
        WHOM_CLIENT, 0 },
    { "nca_s_fault_sec_pkg_error", "does not accept how the call is sealed",
        "Check the password of the account on {C}, and the clocks of both.", WHOM_CLIENT, 0 },
    { "nca_s_fault_context_mismatch", "does not know the handle that {C} uses",
        "{C} uses a handle after closing it, or another connection's, or the service was restarted: let {C} open it "
        "again.",
        WHOM_CLIENT, 0 },
    { "RPC_E_DISCONNECTED", "has lost the object or handle that {C} uses",
        "Its service was restarted, or {C} waited too long: let {C} open it again.", WHOM_CLIENT, 0 },
    { "segments are not all there", "was not captured whole",
        "Capture nearer to {C} or {S}, and without losses: what seems not to be answered may only be missing.",
        WHOM_CAPTURE, 0 },
    { "no answer to", "did not answer",
        "A counter's provider on {S} may hang: look into its event log for Perflib. The capture may also have ended "
        "too early.",
        WHOM_SERVER, 0 },
    { "before an answer to", "was left before it answered",
        "Look at what {C} does with its time-outs, and at how long {S} takes.", WHOM_CLIENT, 0 },
    { "without a bind", "was talked to before the capture began",
        "Start the capture before {C} connects: restart its program, or wait until it connects again.", WHOM_CAPTURE,
        0 },
    { " followed", "was connected to, and then nothing was asked",
        "Look at the client's program: it stopped by itself.", WHOM_CLIENT, 0 },
    { "ERROR_FILE_NOT_FOUND", "lacks a key that {C} opens",
        "This is no fault where {C} goes on without it: servers other than Windows lack some.", WHOM_CLIENT, 0 },
    { "fault ", "answered with a fault", "Look the code up, and into the event log of {S}.", WHOM_SERVER, 0 },
    { "ACCESS_DENIED", "denies access", "Check the rights of the account on {S}.", WHOM_SERVER, 0 },
    { "", "answered with an error", "Look the code up, and into the event log of {S}.", WHOM_SERVER, 0 },
};

/* Of things that never came; .says goes behind what they are. */
static const struct remedy missing_remedies[] = {
    { "first sample", "has one value, and needs two", "Capture for longer than the client's interval.", WHOM_CAPTURE,
        0 },
    { "instance new", "was there in one poll only", "Capture for longer: two polls in a row must hold it.",
        WHOM_CAPTURE, 0 },
    { "other process", "is another process in each poll",
        "The name is used by one process after another: look at what starts them on {S}.", WHOM_CLIENT, 0 },
    { "zero base", "had nothing to be divided by",
        "This is no fault: what it counts did not happen between two polls. Capture for longer.", WHOM_CAPTURE, 0 },
    { "not captured", "is not in the capture", "Capture nearer to the client, whole packets, and without losses.",
        WHOM_CAPTURE, 0 },
    { "ERROR_WMI_GUID_NOT_FOUND", "does not exist on {S}",
        "The program that brings this counterset is not installed on {S}, or does not run: compare with typeperf -q "
        "-s {S}.",
        WHOM_SERVER, 0 },
    { "no such object", "does not exist on {S}",
        "The program that brings this object is not installed on {S}, or its counters are disabled (lodctr /q).",
        WHOM_SERVER, 0 },
    { "ERROR_WMI_ITEMID_NOT_FOUND", "is not in its counterset",
        "Compare the list of {C} with the version of Windows of {S}: typeperf -q -s {S}.", WHOM_CLIENT, 0 },
    { "ERROR_WMI_INSTANCE_NOT_FOUND", "has no such instance on {S}",
        "The process, disk or adapter was not there at that time: let {C} ask for all instances (*).", WHOM_CLIENT, 0 },
    { "ERROR_NO_DATA", "has no data on {S}",
        "Its provider has no values for it: see on {S} whether the program, device or instance that it counts is "
        "there and runs.",
        WHOM_SERVER, 0 },
    { "ERROR_ACCESS_DENIED", "is denied by {S}",
        "Add the account to the group Performance Monitor Users on {S}, and let {C} authenticate with privacy.",
        WHOM_SERVER, 0 },
    { "no formula", "is of a type that nobody computes", "Let {C} leave it out.", WHOM_CLIENT, 0 },
    { "type unknown", "has no known type",
        "The capture begins after the names and types were asked for, or they are not known at all: capture from "
        "before {C} connects.",
        WHOM_CAPTURE, 0 },
    { "time went back", "has a time that went back",
        "The clock of {S} was set back between two polls: see how it is synchronised (w32tm /query /status).",
        WHOM_SERVER, 0 },
    { "decreased", "went backwards", "The counter was reset between two polls, as when its program was restarted.",
        WHOM_SERVER, 0 },
    { "not in query", "lacks its base", "Let {C} ask for the base counter, too, or for the whole counterset.",
        WHOM_CLIENT, 0 },
    { "ERROR_INVALID_PARAMETER", "was asked for wrongly", "Look at what {C} sends.", WHOM_CLIENT, 0 },
    { "", "did not come", "Look the code up, and into the event log of {S}.", WHOM_SERVER, 0 },
};

/* Of data collector sets. */
static const struct remedy set_remedies[] = {
    { "PLA_E_DCS_NOT_FOUND", "does not exist", "Compare the name with those of {S}: logman query -s {S}.", WHOM_CLIENT,
        0 },
    { "PLA_E_DCS_IN_USE", "is in use", "Stop the set first, or wait until it has ended.", WHOM_CLIENT, 0 },
    { "PLA_E_DCS_ALREADY_EXISTS", "exists already", "Open the set instead, or choose another name.", WHOM_CLIENT, 0 },
    { "PLA_E_DCS_NOT_RUNNING", "does not run", "Start the set first; it may have ended by itself.", WHOM_CLIENT, 0 },
    { "ACCESS", "is denied",
        "Add the account to the group Performance Log Users on {S}; some sets belong to administrators alone.",
        WHOM_SERVER, 0 },
    { "", "failed", "Look the code up in [MS-PLA], and into the event log of {S}.", WHOM_SERVER, 0 },
};

/* Of sealed calls, by what would open them; .says ends "they are sealed, and". */
#define NOT_CAPTURED \
    "no key helps, as the logon was not captured", \
        "Start the capture before the client connects: restart its program.", WHOM_CAPTURE, 0
static const struct remedy sealed_remedies[] = {
    { "is not in the capture", NOT_CAPTURED },
    { "no key: a part", NOT_CAPTURED },
    { "smb2_seskey_list", "a key is needed to read them",
        "Give it to Wireshark (Preferences, Protocols, SMB2) or to tshark (-o uat:smb2_seskey_list:...), and make this "
        "page again; or capture without SMB encryption.",
        WHOM_CAPTURE, 0 },
    { "no key: Wireshark ", "Wireshark cannot open them",
        "Capture again, with an account or a way to log on that Wireshark can open.", WHOM_CLIENT, 0 },
    { "anonymous", "no key helps, as the user is anonymous", "Let the client log on as a user who has a password.",
        WHOM_CLIENT, 0 },
    { "", "a key is needed to read them",
        "Give it to Wireshark (Preferences, Protocols, NTLMSSP or KRB5) or to tshark (-o "
        "ntlmssp.nt_password:PASSWORD, or -K KEYTAB), and make this page again.",
        WHOM_OWNER, 0 },
};
#undef NOT_CAPTURED

/* The first whose sign stands in the first length bytes of the text. */
static const struct remedy *
find_remedy(const struct remedy *remedy, const char *text, size_t length)
{
    for (;; remedy++) {
        const char *at = strstr(text, remedy->sign);

        if (at != NULL && at + strlen(remedy->sign) <= text + length) {
            return remedy;
        }
    }
}

const struct remedy *
remedy_for(const char *outcome)
{
    /* Names of users come from the wire. */
    const char *name = strstr(outcome, ", user ");

    return find_remedy(remedies, outcome, name != NULL ? (size_t)(name - outcome) : strlen(outcome));
}

const struct remedy *
remedy_for_missing(const char *why)
{
    return strncmp(why, "fault ", strlen("fault ")) == 0 ? remedy_for(why)
                                                         : find_remedy(missing_remedies, why, strlen(why));
}

const struct remedy *
remedy_for_sealed(const char *needed)
{
    /* Names of users come from the wire. */
    const char *name = strstr(needed, " of ");

    return find_remedy(sealed_remedies, needed, name != NULL ? (size_t)(name - needed) : strlen(needed));
}

const struct remedy *
remedy_for_set(const char *error)
{
    return find_remedy(set_remedies, error, strlen(error));
}

const char *
remedy_whom_text(enum remedy_whom whom)
{
    static const char *const texts[] = {
        [WHOM_CLIENT] = "whoever runs {C}",
        [WHOM_SERVER] = "the administrator of {S}",
        [WHOM_NETWORK] = "whoever runs the network",
        [WHOM_ACCOUNTS] = "whoever manages the accounts",
        [WHOM_OWNER] = "whoever owns the account",
        [WHOM_CAPTURE] = "whoever took the capture",
    };

    return texts[whom];
}
