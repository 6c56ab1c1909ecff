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
 * Codes that PDH tools show. NO_MACHINE: the tool got no connection, for any reason, including missing rights
 * (PdhConnectMachine, Microsoft Learn). ACCESS_DENIED: a call was refused for missing rights, as in pdh_of_error().
 */
#define NO_MACHINE    0x800007D0u /* PDH_CSTATUS_NO_MACHINE */
#define ACCESS_DENIED 0xC0000BDBu /* PDH_ACCESS_DENIED */

const struct remedy remedies[NUM_FINDING_CODES] = {
#define REMEDY(code, ...) [code] = { __VA_ARGS__ },
    FINDINGS(REMEDY)
#undef REMEDY
};

const char *
remedy_pdh_text(wmem_allocator_t *scope, uint32_t pdh)
{
    return pdh == 0 ? NULL : wmem_strdup_printf(scope, "0x%08X %s", pdh, pdh_name(pdh));
}

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
        { STEP_NONE, 0xc0000120, FINDING_LEFT_BEFORE_ANSWER },   /* STATUS_CANCELLED: the client sent a Cancel */
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

/*
 * Returns the finding for a missing answer. otherwise: the finding to return if no frame is missing and the TCP
 * connection was accepted.
 */
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
    /* .status is p_provider_reason, or the reason in a bind_nak: [C706] 12.6.3.1, [MS-RPCE] 2.2.2.5. */
    case OUTCOME_CONTEXT_REJECTED:
        return (outcome->status & 0xffff) == 1 ? FINDING_NO_INTERFACE : FINDING_CONTEXT_REFUSED;
    case OUTCOME_BIND_NAK: return outcome->status == 8 ? FINDING_AUTHENTICATION_UNKNOWN : FINDING_BIND_REFUSED;
    case OUTCOME_NO_ENDPOINT:
        return outcome->status == 0x16c9a0d6 /* EPT_S_NOT_REGISTERED */ ? FINDING_NOT_REGISTERED : FINDING_NO_ENDPOINT;
    case OUTCOME_FAULT: return finding_of_fault(outcome->status);
    case OUTCOME_FAULT_NOT_CAPTURED: return FINDING_FAULT;
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
#define REMEDY_PERSON(code, ...) [code] = { __VA_ARGS__ },
    REMEDY_PERSONS(REMEDY_PERSON)
#undef REMEDY_PERSON
};
