/* remedies.h
 * Finding codes, with a remedy for each
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_REMEDIES_H
#define PERFLIB_STATS_REMEDIES_H

#include "compat.h"

#include "base/key-needed.h"
#include "counters/record.h"
#include "session/attempts.h"

enum finding_code {
    FINDING_CONNECTION_REFUSED,
    FINDING_OBJECT_PORT_SILENT,
    FINDING_UNREACHABLE,
    FINDING_LOGON_FAILED,
    FINDING_ACCOUNT_LOCKED,
    FINDING_ACCOUNT_DISABLED,
    FINDING_ACCOUNT_EXPIRED,
    FINDING_PASSWORD_EXPIRED,
    FINDING_PASSWORD_MUST_CHANGE,
    FINDING_ACCOUNT_RESTRICTED,
    FINDING_LOGON_TYPE_DENIED,
    FINDING_NO_LOGON_SERVER,
    FINDING_DOMAIN_TRUST_LOST,
    FINDING_SMB_ENCRYPTED,
    FINDING_LOGON_REFUSED,
    FINDING_SHARE_DENIED,
    FINDING_NO_SHARE,
    FINDING_NO_PIPE,
    FINDING_PIPE_BUSY,
    FINDING_PIPE_DENIED,
    FINDING_NO_INTERFACE,
    FINDING_AUTHENTICATION_UNKNOWN,
    FINDING_BIND_REFUSED,
    FINDING_CONTEXT_REFUSED,
    FINDING_NOT_REGISTERED,
    FINDING_NO_ENDPOINT,
    FINDING_ACTIVATION_DENIED,
    FINDING_ACTIVATION_FAILED,
    FINDING_SET_DENIED,
    FINDING_CALL_DENIED,
    FINDING_COUNTERS_DENIED,
    FINDING_REGISTRY_DENIED,
    FINDING_DENIED_AT_TIMES,
    FINDING_MORE_DATA,
    FINDING_REST_NOT_READ,
    FINDING_SLOW,
    FINDING_NO_VALUE_CAME,
    FINDING_FRAMES_CUT,
    FINDING_SERVER_BUSY,
    FINDING_CALL_MALFORMED,
    FINDING_SEAL_REJECTED,
    FINDING_HANDLE_UNKNOWN,
    FINDING_OBJECT_LOST,
    FINDING_SEGMENTS_MISSING,
    FINDING_ONE_DIRECTION,
    FINDING_NO_ANSWER,
    FINDING_LEFT_BEFORE_ANSWER,
    FINDING_SERVER_CLOSED,
    FINDING_NOT_BOUND,
    FINDING_NOTHING_FOLLOWED,
    FINDING_KEY_MISSING,
    FINDING_FAULT,
    FINDING_ACCESS_DENIED,
    FINDING_ERROR,
    /* Codes that only missing data have: */
    FINDING_FIRST_SAMPLE,
    FINDING_INSTANCE_NEW,
    FINDING_OTHER_PROCESS,
    FINDING_ZERO_BASE,
    FINDING_NOT_CAPTURED,
    FINDING_NO_COUNTERSET,
    FINDING_NO_OBJECT,
    FINDING_NO_COUNTER,
    FINDING_NO_INSTANCE,
    FINDING_NO_DATA,
    FINDING_VALUE_DENIED,
    FINDING_NO_FORMULA,
    FINDING_TYPE_UNKNOWN,
    FINDING_COUNTER_UNKNOWN,
    FINDING_TIME_WENT_BACK,
    FINDING_NO_CLOCK,
    FINDING_DECREASED,
    FINDING_NO_BASE,
    FINDING_BASE_UNKNOWN,
    FINDING_INVALID_PARAMETER,
    FINDING_REFUSED_BY_PDH,
    FINDING_NO_INSTANCES,
    FINDING_NAMES_DAMAGED,
    FINDING_NO_VALUE,
    FINDING_SET_NOT_FOUND,
    FINDING_SET_IN_USE,
    FINDING_SET_EXISTS,
    FINDING_SET_NOT_RUNNING,
    FINDING_SET_CALL_DENIED,
    FINDING_SET_CALL_FAILED,
    FINDING_SEALED_LOGON_NOT_CAPTURED,
    FINDING_SEALED_BY_SMB3,
    FINDING_SEALED_FOR_GOOD,
    FINDING_SEALED_ANONYMOUS,
    FINDING_SEALED,
    FINDING_WORKS_NOW,
    FINDING_OTHERS_MISSING,
    FINDING_POLLS_LATE,
    FINDING_POLLS_OVERLAP,
    FINDING_BUFFER_TOO_SMALL,
    FINDING_POLLED_TWICE,
    FINDING_OTHER_HOST,
    FINDING_RULE_BROKEN,
    FINDING_EXPERT_ITEMS,
    FINDING_FRAGMENTED,
    FINDING_SESSION_DISABLED,
    NUM_FINDING_CODES
};

enum remedy_whom {
    WHOM_CLIENT,
    WHOM_SERVER,
    WHOM_NETWORK,
    WHOM_ACCOUNTS,
    WHOM_OWNER,
    WHOM_CAPTURE,
    WHOM_AUTHOR,
    NUM_WHOM
};

/* Texts of a finding code. Placeholders are those of findings_fill(). */
struct remedy {
    const char *name;      /* name of the code in CSV and JSON files. Programs rely on it: do not change it */
    const char *says;      /* meaning of the code; follows the server's name */
    const char *remedy;    /* remedy in one or two sentences */
    enum remedy_whom whom; /* person who can apply the remedy */
    uint32_t pdh;          /* PDH error code that the user of a PDH tool saw; 0 if none is certain */
};

extern const struct remedy remedies[NUM_FINDING_CODES];
/* Persons by enum remedy_whom: word for files ("client"), and text ("whoever runs {C}") */
extern const struct remedy_person {
    const char *code, *text;
} remedy_persons[NUM_WHOM];

/* Returns true for a code of missing rights. */
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
