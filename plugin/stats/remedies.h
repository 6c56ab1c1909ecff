/* remedies.h
 * Finding codes, with a remedy for each
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_REMEDIES_H
#define PERFLIB_STATS_REMEDIES_H

#include "compat.h"

#include "counters/record.h"
#include "session/attempts.h"

/*
 * X(code, name in files, meaning, remedy, person who can apply the remedy, PDH code), as in struct remedy. Programs
 * rely on the names: do not change them.
 */
/* clang-format off */
#define FINDINGS(X) \
    /* Outcomes of attempts and calls. The meaning continues "SERVER": "SERVER does not answer" */ \
    X(FINDING_CONNECTION_REFUSED, "connection_refused", "refuses the TCP connection", \
        "No program listens on that port. Start the service on {S} (for SMB: Server, LanmanServer), or open the port " \
        "in its firewall.", \
        WHOM_SERVER, NO_MACHINE) \
    X(FINDING_OBJECT_PORT_SILENT, "object_port_silent", \
        "answers on port 135, but not on the dynamic port of the object", \
        "Open the dynamic ports in the firewall of {S}. In Windows Firewall, enable the inbound rules of the group " \
        "Performance Logs and Alerts.", \
        WHOM_SERVER, NO_MACHINE) \
    X(FINDING_UNREACHABLE, "unreachable", "does not answer", \
        "Check the address, whether {S} is running, and whether a firewall between {C} and {S} drops the packets.", \
        WHOM_NETWORK, NO_MACHINE) \
    X(FINDING_LOGON_FAILED, "logon_failed", "refuses the logon: unknown user or wrong password", \
        "Correct the user name or the password on {C}.", WHOM_CLIENT, 0) \
    X(FINDING_ACCOUNT_LOCKED, "account_locked", "refuses the logon: the account is locked", \
        "Unlock the account, and find the program that still uses its old password.", WHOM_ACCOUNTS, 0) \
    X(FINDING_ACCOUNT_DISABLED, "account_disabled", "refuses the logon: the account is disabled", \
        "Enable the account, or use another one.", WHOM_ACCOUNTS, 0) \
    X(FINDING_ACCOUNT_EXPIRED, "account_expired", "refuses the logon: the account has expired", \
        "Extend the account, or use another one.", WHOM_ACCOUNTS, 0) \
    X(FINDING_PASSWORD_EXPIRED, "password_expired", "refuses the logon: the password has expired", \
        "Set a new password, also on {C}.", WHOM_ACCOUNTS, 0) \
    X(FINDING_PASSWORD_MUST_CHANGE, "password_must_change", "refuses the logon: the password must be changed first", \
        "Set a new password, also on {C}.", WHOM_ACCOUNTS, 0) \
    X(FINDING_ACCOUNT_RESTRICTED, "account_restricted", "refuses the logon: the account may not log on this way", \
        "Accounts without a password, and those restricted to some hours or machines, cannot log on over the " \
        "network.", \
        WHOM_ACCOUNTS, 0) \
    X(FINDING_LOGON_TYPE_DENIED, "logon_type_denied", "refuses the logon: the account may not use the network", \
        "Give the account the right \"Access this computer from the network\" on {S}.", WHOM_SERVER, 0) \
    X(FINDING_NO_LOGON_SERVER, "no_logon_server", "cannot check the logon: it does not reach a domain controller", \
        "Check that {S} reaches its domain controller.", WHOM_SERVER, 0) \
    X(FINDING_DOMAIN_TRUST_LOST, "domain_trust_lost", \
        "cannot check the logon: its trust relationship with the domain is broken", \
        "Join {S} to its domain again (Test-ComputerSecureChannel -Repair).", WHOM_SERVER, 0) \
    X(FINDING_SMB_ENCRYPTED, "smb_encrypted", "uses SMB 3 encryption, so its pipes and calls cannot be seen", \
        "This is not an error. To see the calls, open the capture with the session keys, or capture without SMB " \
        "encryption.", \
        WHOM_CAPTURE, 0) \
    X(FINDING_LOGON_REFUSED, "logon_refused", "refuses the logon", \
        "Check the account on {C}, and whether {S} requires signing or encryption that {C} does not offer.", \
        WHOM_CLIENT, NO_MACHINE) \
    X(FINDING_SHARE_DENIED, "share_denied", "refuses access to its share IPC$", \
        "Many servers refuse guests, anonymous users, or SMB without encryption. Log on with an account of {S} or of " \
        "its domain, and check Get-SmbServerConfiguration on {S}.", \
        WHOM_SERVER, NO_MACHINE) \
    X(FINDING_NO_SHARE, "no_share", "does not know the share IPC$", "Start the Server service on {S}.", WHOM_SERVER, \
        NO_MACHINE) \
    X(FINDING_NO_PIPE, "no_pipe", "has no pipe winreg: Remote Registry is not running", \
        "Remote Registry is often disabled. In a command prompt on {S}: sc config RemoteRegistry start= auto, then " \
        "sc start RemoteRegistry.", \
        WHOM_SERVER, NO_MACHINE) \
    X(FINDING_PIPE_BUSY, "pipe_busy", "has no free instance of the pipe winreg", "Restart Remote Registry on {S}.", \
        WHOM_SERVER, NO_MACHINE) \
    X(FINDING_PIPE_DENIED, "pipe_denied", "denies access to its pipe winreg", \
        "Add the account to the group Performance Monitor Users on {S}. The registry key SecurePipeServers\\winreg " \
        "on {S} lists all accounts that may connect.", \
        WHOM_SERVER, NO_MACHINE) \
    X(FINDING_NO_INTERFACE, "no_interface", "does not offer this interface", \
        "{S} is older than Windows Vista, or another program answers there. Use the older API, or ask another " \
        "server.", \
        WHOM_CLIENT, 0) \
    X(FINDING_AUTHENTICATION_UNKNOWN, "authentication_unknown", "does not support the authentication method of {C}", \
        "Change {C} to authenticate with NTLM or Kerberos.", WHOM_CLIENT, 0) \
    X(FINDING_BIND_REFUSED, "bind_refused", "refuses the RPC connection", \
        "Compare the bind of {C} with a bind that works.", WHOM_CLIENT, 0) \
    X(FINDING_CONTEXT_REFUSED, "context_refused", "refuses the interface", \
        "Compare the bind of {C} with a bind that works.", WHOM_CLIENT, 0) \
    X(FINDING_NOT_REGISTERED, "not_registered", "has nothing registered for this interface", \
        "Start the service on {S} (Remote Registry, or Performance Logs and Alerts).", WHOM_SERVER, 0) \
    X(FINDING_NO_ENDPOINT, "no_endpoint", "has no port for this interface", \
        "Start the service on {S} (Remote Registry, or Performance Logs and Alerts).", WHOM_SERVER, 0) \
    X(FINDING_ACTIVATION_DENIED, "activation_denied", "refuses to create the object", \
        "Add the account to the group Performance Log Users on {S}, and give it the right of remote activation " \
        "(dcomcnfg).", \
        WHOM_SERVER, 0) \
    X(FINDING_ACTIVATION_FAILED, "activation_failed", "cannot create the object", \
        "Look up the code and check the event log on {S}.", WHOM_SERVER, 0) \
    X(FINDING_SET_DENIED, "set_denied", "denies access to a data collector set", \
        "Add the account to the group Performance Log Users on {S}, and use packet privacy on {C}. Only " \
        "administrators may use some sets.", \
        WHOM_SERVER, 0) \
    X(FINDING_CALL_DENIED, "call_denied", "denies access to the call", \
        "Add the account to the group Performance Monitor Users on {S} (for data collector sets: Performance Log " \
        "Users). For PerflibV2, {C} must also authenticate with privacy.", \
        WHOM_SERVER, ACCESS_DENIED) \
    X(FINDING_COUNTERS_DENIED, "counters_denied", "denies access to the counters", \
        "Add the account to the group Performance Monitor Users on {S}, and use packet privacy on {C}: a server must " \
        "refuse calls without it.", \
        WHOM_SERVER, ACCESS_DENIED) \
    X(FINDING_REGISTRY_DENIED, "registry_denied", "denies access to the counters", \
        "Add the account to the group Performance Monitor Users on {S}. The registry key SecurePipeServers\\winreg " \
        "on {S} lists all accounts that may connect.", \
        WHOM_SERVER, ACCESS_DENIED) \
    X(FINDING_DENIED_AT_TIMES, "denied_at_times", "denies access to a call", \
        "Other calls of {C} are answered, so the account is in the right group. See what this call asks for: it may " \
        "need more rights.", \
        WHOM_CLIENT, ACCESS_DENIED) \
    X(FINDING_MORE_DATA, "more_data", "has more data than the buffer of {C} can hold", \
        "For performance data, the size in that answer is undefined. {C} must enlarge its buffer step by step until " \
        "the answer fits.", \
        WHOM_AUTHOR, 0) \
    X(FINDING_REST_NOT_READ, "rest_not_read", "sent an answer that {C} did not read to its end", \
        "After STATUS_BUFFER_OVERFLOW a client must read on until it has the whole answer. {C} does not.", \
        WHOM_AUTHOR, 0) \
    X(FINDING_SLOW, "slow", "answers slowly", \
        "Check the load of {S}, and ask for single objects or countersets instead of all (Global).", WHOM_SERVER, 0) \
    X(FINDING_NO_VALUE_CAME, "no_value_came", "sent none of the requested values", \
        "The tables of missing data give the reasons: -z perflibv2,missing and -z perfdata,missing.", WHOM_CLIENT, 0) \
    X(FINDING_FRAMES_CUT, "frames_cut", "was captured only in part", \
        "Capture whole packets (-s 0, pktmon --pkt-size 0).", WHOM_CAPTURE, 0) \
    X(FINDING_SERVER_BUSY, "server_busy", "is too busy to take the call", \
        "Check the load of {S}, and poll less often.", WHOM_SERVER, 0) \
    X(FINDING_CALL_MALFORMED, "call_malformed", "rejects the call as malformed", \
        "Either {C} encrypted the call with a wrong password, or it sent a damaged call. Check both.", WHOM_CLIENT, 0) \
    X(FINDING_SEAL_REJECTED, "seal_rejected", "does not accept the encryption of the call", \
        "Check the password of the account on {C}, and the clocks of both computers.", WHOM_CLIENT, 0) \
    X(FINDING_HANDLE_UNKNOWN, "handle_unknown", "does not know the handle that {C} uses", \
        "{C} uses a closed handle or the handle of another connection, or the service was restarted. {C} must open a " \
        "new handle.", \
        WHOM_CLIENT, 0) \
    X(FINDING_OBJECT_LOST, "object_lost", "has lost the object or handle that {C} uses", \
        "The service was restarted, or {C} waited too long. {C} must open it again.", WHOM_CLIENT, 0) \
    X(FINDING_SEGMENTS_MISSING, "segments_missing", "was captured with gaps", \
        "Capture closer to {C} or {S}, and without losses. The answer may exist, but was not captured.", WHOM_CAPTURE, \
        0) \
    X(FINDING_ONE_DIRECTION, "one_direction", "", \
        "Capture both directions: with a mirrored port, also the other one.", WHOM_CAPTURE, 0) \
    X(FINDING_NO_ANSWER, "no_answer", "did not answer", \
        "A counter provider on {S} may hang: look for Perflib in the event log. Or the capture ended too early.", \
        WHOM_SERVER, 0) \
    X(FINDING_LEFT_BEFORE_ANSWER, "left_before_answer", "did not answer before {C} gave up", \
        "Check the time-outs of {C}, and how long {S} takes.", WHOM_CLIENT, 0) \
    X(FINDING_SERVER_CLOSED, "server_closed", "closed the connection on its own", \
        "The service, or {S}, may have been stopped or restarted. Check the event log on {S}.", WHOM_SERVER, 0) \
    X(FINDING_NOT_BOUND, "not_bound", "was already connected when the capture started", \
        "Start the capture before {C} connects: restart the program on {C}, or wait until it connects again.", \
        WHOM_CAPTURE, 0) \
    X(FINDING_NOTHING_FOLLOWED, "nothing_followed", "received a connection, but no request", \
        "Check the program on {C}: it stopped on its own.", WHOM_CLIENT, 0) \
    X(FINDING_KEY_MISSING, "key_missing", "does not have a registry key that {C} opens", \
        "This is not an error if {C} goes on without the key. Servers other than Windows do not have all of them.", \
        WHOM_CLIENT, 0) \
    X(FINDING_FAULT, "fault", "answered with a fault", \
        "Look up the code, if the capture holds it, and check the event log on {S}.", WHOM_SERVER, 0) \
    X(FINDING_ACCESS_DENIED, "access_denied", "denies access", "Check the rights of the account on {S}.", \
        WHOM_SERVER, 0) \
    X(FINDING_ERROR, "error", "answered with an error", "Look up the code and check the event log on {S}.", \
        WHOM_SERVER, 0) \
    /* Missing data. The meaning continues "SERVER": "SERVER sent no data" */ \
    X(FINDING_FIRST_SAMPLE, "first_sample", "has only one sample in the capture, but a value needs two", \
        "Capture for longer than the interval between two polls.", WHOM_CAPTURE, 0) \
    X(FINDING_INSTANCE_NEW, "instance_new", "has the instance in only one captured poll", \
        "Capture for longer: two consecutive polls must contain it.", WHOM_CAPTURE, 0) \
    X(FINDING_OTHER_PROCESS, "other_process", "gives the name to another process in each poll", \
        "Several processes use this name in turn. Find out what starts them on {S}.", WHOM_CLIENT, 0) \
    X(FINDING_ZERO_BASE, "zero_base", "sent a denominator of zero", \
        "This is not an error: between two polls, nothing happened that this counter counts. Capture for longer.", \
        WHOM_CAPTURE, 0) \
    X(FINDING_NOT_CAPTURED, "not_captured", "may have answered, but the answer was not captured", \
        "Capture whole packets, closer to the client, and without losses.", WHOM_CAPTURE, 0) \
    X(FINDING_NO_COUNTERSET, "no_counterset", "does not have the counterset", \
        "The program that provides this counterset is not installed or not running on {S}. Compare with typeperf -q " \
        "-s {H}.", \
        WHOM_SERVER, 0) \
    X(FINDING_NO_OBJECT, "no_object", "does not have the object", \
        "The program that provides this object is not installed on {S}, or its counters are disabled: " \
        "lodctr /q lists what is enabled.", \
        WHOM_SERVER, 0) \
    X(FINDING_NO_COUNTER, "no_counter", "does not have the counter in that counterset", \
        "{S} may run another version of Windows than {C} expects. Compare with typeperf -q -s {H}.", WHOM_CLIENT, 0) \
    X(FINDING_NO_INSTANCE, "no_instance", "does not have the instance", \
        "The process, disk or adapter did not exist at that time. Ask for all instances (*) instead.", WHOM_CLIENT, 0) \
    X(FINDING_NO_DATA, "no_data", "sent no data", \
        "The provider has no values for it. Check on {S} whether the program, device or instance exists and is " \
        "running.", \
        WHOM_SERVER, 0) \
    X(FINDING_VALUE_DENIED, "value_denied", "denies access to the values", \
        "Add the account to the group Performance Monitor Users on {S}, and use packet privacy on {C}.", WHOM_SERVER, \
        0) \
    X(FINDING_NO_FORMULA, "no_formula", "uses a type without a documented formula", \
        "Remove it from the list of counters on {C}.", WHOM_CLIENT, 0) \
    X(FINDING_TYPE_UNKNOWN, "type_unknown", "sent values, but their types were not captured", \
        "The capture does not contain the names and types. Start the capture before {C} connects, and capture " \
        "without losses.", \
        WHOM_CAPTURE, 0) \
    X(FINDING_COUNTER_UNKNOWN, "counter_unknown", "sent values, but which counters they belong to is unknown", \
        "{C} did not ask which value belongs to which counter (QueryCounterInfo), the call failed, or its answer " \
        "contradicts the values.", \
        WHOM_AUTHOR, 0) \
    X(FINDING_TIME_WENT_BACK, "time_went_back", "has a clock that was set back", \
        "The clock of {S} was set back between two polls. Check its synchronization (w32tm /query /status).", \
        WHOM_SERVER, 0) \
    X(FINDING_NO_CLOCK, "no_clock", "sends no clock with the object", \
        "{S} sends zero as PerfTime and PerfFreq of this object, so times cannot be computed. This is a limit of " \
        "{S}.", \
        WHOM_AUTHOR, 0) \
    X(FINDING_DECREASED, "decreased", "sent a smaller value than before", \
        "The counter was reset between two polls, for example because its program was restarted.", WHOM_SERVER, 0) \
    X(FINDING_NO_BASE, "no_base", "was not asked for the base counter", \
        "Ask for the base counter as well, or for the whole counterset.", WHOM_CLIENT, 0) \
    X(FINDING_BASE_UNKNOWN, "base_unknown", "sent values, but their base counter is not known", \
        "Start the capture before {C} connects, and capture whole packets. If the base is still unknown, {S} sends " \
        "none.", \
        WHOM_CAPTURE, 0) \
    X(FINDING_INVALID_PARAMETER, "invalid_parameter", "rejects a parameter of the request", \
        "Check the request that {C} sends.", WHOM_CLIENT, 0) \
    X(FINDING_REFUSED_BY_PDH, "refused_by_pdh", "sent values that Windows tools refuse", \
        "A counter or a clock went backwards, or the result is below zero. Check its provider on {S}, and whether it " \
        "was restarted.", \
        WHOM_SERVER, 0) \
    X(FINDING_NO_INSTANCES, "no_instances", "had no instances", \
        "No instance existed at that time. Check on {S} whether the program or device is running.", WHOM_SERVER, 0) \
    X(FINDING_NAMES_DAMAGED, "names_damaged", "sent an empty or missing index", \
        "Rebuild the list on {S}: run lodctr /R as an administrator. Windows tools report that an invalid index was " \
        "read from the registry.", \
        WHOM_SERVER, 0) \
    X(FINDING_NO_VALUE, "no_value", "sent an error or nothing that gives a value", \
        "Look up the code, if there is one, and check the event log on {S}.", WHOM_SERVER, 0) \
    /* Data collector sets. The meaning is a clause: "the set is in use" */ \
    X(FINDING_SET_NOT_FOUND, "set_not_found", "the set does not exist", \
        "Compare the name with the sets on {S}: logman query -s {H}.", WHOM_CLIENT, 0) \
    X(FINDING_SET_IN_USE, "set_in_use", "the set is in use", "Stop the set first, or wait until it has ended.", \
        WHOM_CLIENT, 0) \
    X(FINDING_SET_EXISTS, "set_exists", "the set already exists", "Open the set instead, or choose another name.", \
        WHOM_CLIENT, 0) \
    X(FINDING_SET_NOT_RUNNING, "set_not_running", "the set is not running", \
        "Start the set first. It may have ended on its own.", WHOM_CLIENT, 0) \
    X(FINDING_SET_CALL_DENIED, "set_call_denied", "access is denied", \
        "If it is the only call that is denied, only administrators may use it. Otherwise add the account to the " \
        "group Performance Log Users on {S}.", \
        WHOM_SERVER, 0) \
    X(FINDING_SET_CALL_FAILED, "set_call_failed", "another error", \
        "Look up the code in [MS-PLA] and check the event log on {S}.", WHOM_SERVER, 0) \
    /* Sealed calls. The meaning completes "the answers are encrypted, and ..." */ \
    X(FINDING_SEALED_LOGON_NOT_CAPTURED, "sealed_logon_not_captured", \
        "no key helps, because the logon was not captured", \
        "Start the capture before the client connects: restart the monitoring program.", WHOM_CAPTURE, 0) \
    X(FINDING_SEALED_BY_SMB3, "sealed_by_smb3", "you need a key to read them", \
        "Enter the key in Wireshark (Preferences, Protocols, SMB2) or tshark (-o uat:smb2_seskey_list:...), and make " \
        "this page again. Or capture without SMB encryption.", \
        WHOM_CAPTURE, 0) \
    X(FINDING_SEALED_FOR_GOOD, "sealed_for_good", "Wireshark cannot decrypt them", \
        "Capture again, with an account or an authentication method that Wireshark can decrypt.", WHOM_CLIENT, 0) \
    X(FINDING_SEALED_ANONYMOUS, "sealed_anonymous", "no key helps, because the user is anonymous", \
        "Log on as a user who has a password.", WHOM_CLIENT, 0) \
    X(FINDING_SEALED, "sealed", "you need a key to read them", \
        "Enter the key in Wireshark (Preferences, Protocols, NTLMSSP or KRB5) or tshark (-o " \
        "ntlmssp.nt_password:PASSWORD, " \
        "or -K KEYTAB), and make this page again.", \
        WHOM_OWNER, 0) \
    /* Others. The meaning, if not "", continues "CLIENT" or "SERVER" (not in the last): "CLIENT sends polls late" */ \
    X(FINDING_WORKS_NOW, "works_now", "works now", "There is nothing to do now.", WHOM_SERVER, 0) \
    X(FINDING_OTHERS_MISSING, "others_missing", "", "The tables of missing data list all of them.", WHOM_CAPTURE, \
        0) \
    X(FINDING_POLLS_LATE, "polls_late", "sends polls late", \
        "Check the load and the power settings of {C} at these times. If one slow server delays the polls of others, " \
        "poll each server on its own.", \
        WHOM_CLIENT, 0) \
    X(FINDING_POLLS_OVERLAP, "polls_overlap", "polls again before the answer arrives", \
        "Set a longer interval on {C}, or poll less at a time: {S} takes longer to answer than the interval.", \
        WHOM_CLIENT, 0) \
    X(FINDING_BUFFER_TOO_SMALL, "buffer_too_small", "offers buffers that are too small", \
        "The client should start with a larger buffer, and keep the size that fitted last.", WHOM_CLIENT, 0) \
    X(FINDING_POLLED_TWICE, "polled_twice", "polls items twice, with two handles", "One query is enough.", \
        WHOM_CLIENT, 0) \
    X(FINDING_OTHER_HOST, "other_host", "calls servers by another machine's name", \
        "Correct the machine name on {C}, or an alias of {S} (hosts, DNS): counter paths show a machine that was not " \
        "asked.", \
        WHOM_CLIENT, 0) \
    X(FINDING_RULE_BROKEN, "rule_broken", "", "Compare the program's messages with the section of the rule.", \
        WHOM_AUTHOR, 0) \
    X(FINDING_EXPERT_ITEMS, "expert_items", "", \
        "See Analyze > Expert Information in Wireshark, or tshark -z expert.", WHOM_AUTHOR, 0) \
    X(FINDING_FRAGMENTED, "fragmented", "", "Switch on the preference dcerpc.reassemble_dcerpc.", WHOM_CAPTURE, 0) \
    X(FINDING_SESSION_DISABLED, "session_disabled", \
        "The protocol perflib_session, which reads binds, is disabled, so that nothing can be judged", \
        "Enable it in Analyze > Enabled Protocols, or leave out --disable-protocol perflib_session.", WHOM_CAPTURE, 0)
/* clang-format on */

#define FINDING_CODE(code, ...) code,
enum finding_code { FINDINGS(FINDING_CODE) NUM_FINDING_CODES };
#undef FINDING_CODE

/* X(code, word for files, text) */
#define REMEDY_PERSONS(X) \
    X(WHOM_CLIENT, "client", "whoever runs {C}") \
    X(WHOM_SERVER, "server", "the administrator of {S}") \
    X(WHOM_NETWORK, "network", "whoever runs the network") \
    X(WHOM_ACCOUNTS, "accounts", "whoever manages the accounts") \
    X(WHOM_OWNER, "owner", "whoever owns the account") \
    X(WHOM_CAPTURE, "capture", "whoever took the capture") \
    X(WHOM_AUTHOR, "author", "the author of that program")

#define REMEDY_WHOM(code, ...) code,
enum remedy_whom { REMEDY_PERSONS(REMEDY_WHOM) NUM_WHOM };
#undef REMEDY_WHOM

/* Texts of a finding code. Placeholders are those of findings_fill(). */
struct remedy {
    const char *name;      /* name of the code in CSV and JSON files. Programs rely on the name: do not change it */
    const char *says;      /* meaning of the code, a text that completes a sentence (see the comments in FINDINGS) */
    const char *remedy;    /* remedy in one or two sentences */
    enum remedy_whom whom; /* person who can apply the remedy */
    uint32_t pdh;          /* PDH error code that PDH tools show in this case; 0 if that is not certain */
};

extern const struct remedy remedies[NUM_FINDING_CODES];
/* Persons by enum remedy_whom: word for files ("client"), and text ("whoever runs {C}") */
extern const struct remedy_person {
    const char *code, *text;
} remedy_persons[NUM_WHOM];

/* Returns a PDH error code as "0xC0000BDB PDH_ACCESS_DENIED", allocated in `scope`, or NULL if it is 0. */
const char *remedy_pdh_text(wmem_allocator_t *scope, uint32_t pdh);
/* Returns true for a code that means missing rights. */
bool remedy_is_denial(enum finding_code code);
/* Returns the finding code for an outcome of an attempt with these WANTS_ bits. */
enum finding_code finding_of_outcome(const struct outcome *outcome, unsigned wants);
/* Returns the finding code for the outcome of an attempt. */
enum finding_code finding_of_attempt(const struct attempt *attempt);
/* Returns the finding code for missing data. */
enum finding_code finding_of_missing(const struct perf_tap_why *why);
/* Returns the finding code for calls that were not decrypted. */
enum finding_code finding_of_key(enum key_needed_code code);
/* Returns the finding code for an HRESULT that a call on a data collector set returned. */
enum finding_code finding_of_set(uint32_t hresult);

#endif /* PERFLIB_STATS_REMEDIES_H */
