/* test_remedies.c
 * The finding that each outcome, error, reason and missing key leads to: every code, with its neighbours
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/remedies.h"

#include <string.h>

#include <epan/wmem_scopes.h>

#include "check.h"

#define CHECK_FINDING(expected, wants, ...) \
    do { \
        const struct outcome check_outcome = { __VA_ARGS__ }; \
        const char *check_name = remedies[finding_of_outcome(&check_outcome, (wants))].name; \
        CHECK(strcmp(check_name, (expected)) == 0, "%s, expected %s: outcome %u, step %u, %u, %u, 0x%08x", check_name, \
            (expected), check_outcome.code, check_outcome.step, check_outcome.ending, check_outcome.doubt, \
            check_outcome.status); \
    } while (0)

/* A number and the finding that it leads to. */
struct number_case {
    uint32_t number;
    const char *name;
};

static const char *
expected_of(const struct number_case *cases, size_t count, uint32_t number, const char *otherwise)
{
    for (size_t i = 0; i < count; i++) {
        if (cases[i].number == number) {
            return cases[i].name;
        }
    }
    return otherwise;
}

/* NTSTATUS, [MS-ERREF] 2.3.1: what a logon may fail for says the same at any step. */
static const struct number_case logons[] = {
    { 0xC000005E, "no_logon_server" },
    { 0xC000006D, "logon_failed" },
    { 0xC000006E, "account_restricted" },
    { 0xC0000071, "password_expired" },
    { 0xC0000072, "account_disabled" },
    { 0xC000015B, "logon_type_denied" },
    { 0xC000018D, "domain_trust_lost" },
    { 0xC0000193, "account_expired" },
    { 0xC0000224, "password_must_change" },
    { 0xC0000234, "account_locked" },
};

static const char *
name_of_status(enum step step, uint32_t status)
{
    switch (status) {
    case 0xC0000022:
        return step == STEP_LOGON       ? "logon_refused"
            : step == STEP_TREE_CONNECT ? "share_denied"
            : step == STEP_CREATE       ? "pipe_denied"
                                        : "access_denied";
    case 0xC0000034: return step == STEP_CREATE ? "no_pipe" : "error";
    case 0xC00000AC: return step == STEP_CREATE ? "pipe_busy" : "error";
    case 0xC00000CC: return step == STEP_TREE_CONNECT ? "no_share" : "error";
    case 0xC0000120: return "left_before_answer";
    default: return expected_of(logons, array_length(logons), status, "error");
    }
}

static void
test_each_status_of_smb_leads_to_its_finding_at_its_step(void)
{
    static const uint32_t others[] = { 0xC0000022, 0xC0000034, 0xC00000AC, 0xC00000CC, 0xC0000120, 0, 1, 0x80000005,
        0xFFFFFFFF };

    for (int step = STEP_NONE; step <= STEP_ACTIVATE; step++) {
        for (size_t i = 0; i < array_length(logons) + array_length(others); i++) {
            for (uint32_t by = 0; by < 3; by++) {
                const uint32_t status =
                    (i < array_length(logons) ? logons[i].number : others[i - array_length(logons)]) + by - 1;
                const char *name = name_of_status((enum step)step, status);

                CHECK_FINDING(name, 0, .code = OUTCOME_SMB_STATUS, .step = (enum step)step, .status = status);
                CHECK_FINDING(name, WANTS_WINREG, .code = OUTCOME_PIPE_STATUS, .step = (enum step)step,
                    .status = status, .doubt = DOUBT_CUT, .ending = ENDING_SERVER_CLOSED);
            }
        }
    }
}

/* Statuses of faults, [C706] appendix E and [MS-RPCE], [MS-ERREF]. 0: it was not captured. */
static const struct number_case faults[] = {
    { 0x00000005, "call_denied" },
    { 0x00000721, "seal_rejected" },
    { 0x1C01000B, "call_malformed" },
    { 0x1C010014, "server_busy" },
    { 0x1C00001A, "handle_unknown" },
    { 0x80010108, "object_lost" },
    { 0x80070005, "set_denied" },
};

static const struct number_case errors[] = {
    { 0x0005, "value_denied" },
    { 0x0057, "invalid_parameter" },
    { 0x00E8, "no_data" },
    { 0x1068, "no_counterset" },
    { 0x1069, "no_instance" },
    { 0x106A, "no_counter" },
};

/* HRESULTs, [MS-PLA] 2.2.3 and [MS-ERREF] 2.1.1 */
static const struct number_case sets[] = {
    { 0x80070005, "set_call_denied" },
    { 0x80300002, "set_not_found" },
    { 0x803000AA, "set_in_use" },
    { 0x803000B7, "set_exists" },
    { 0x80300104, "set_not_running" },
};

static const char *
name_of_missing(enum perf_tap_why_code code, uint32_t status)
{
    const struct perf_tap_why why = { .code = code, .status = status };

    return remedies[finding_of_missing(&why)].name;
}

static void
test_each_fault_and_error_leads_to_its_finding_and_no_neighbour(void)
{
    for (size_t i = 0; i < array_length(faults); i++) {
        for (uint32_t by = 0; by < 3; by++) {
            const uint32_t status = faults[i].number + by - 1;
            const char *name = expected_of(faults, array_length(faults), status, "fault");

            CHECK_FINDING(name, 0, .code = OUTCOME_FAULT, .step = STEP_CALL, .status = status);
            CHECK_FINDING(name, WANTS_PLA, .code = OUTCOME_FAULT, .step = STEP_ACTIVATE, .status = status);
            CHECK_STRING(name_of_missing(WHY_FAULT, status), name, "missing by fault 0x%08x", status);
        }
    }
    for (size_t i = 0; i < array_length(errors); i++) {
        for (uint32_t by = 0; by < 3; by++) {
            const uint32_t error = errors[i].number + by - 1;
            const char *name = expected_of(errors, array_length(errors), error, "no_value");

            CHECK_STRING(name_of_missing(WHY_ERROR, error), name, "error 0x%04x", error);
            CHECK_STRING(name_of_missing(WHY_BLOCK_ERROR, error), name, "block with error 0x%04x", error);
        }
    }
    for (size_t i = 0; i < array_length(sets); i++) {
        for (uint32_t by = 0; by < 3; by++) {
            const uint32_t hresult = sets[i].number + by - 1;

            CHECK_STRING(remedies[finding_of_set(hresult)].name,
                expected_of(sets, array_length(sets), hresult, "set_call_failed"), "set 0x%08x", hresult);
        }
    }
    CHECK_STRING(remedies[finding_of_set(0)].name, "set_call_failed", "none");
}

static void
test_each_error_of_a_call_depends_on_what_was_called(void)
{
    static const struct number_case win32[] = { { 2, "key_missing" }, { 0xEA, "more_data" } };

    for (unsigned wants = 0; wants < 0x40; wants++) {
        /* Of both interfaces the newer one is told of. */
        const char *denied = (wants & WANTS_PERFLIBV2) != 0 ? "counters_denied" : "registry_denied";

        for (uint32_t error = 0; error < 0x100; error++) {
            CHECK_FINDING(error == 5 ? denied : expected_of(win32, array_length(win32), error, "error"), wants,
                .code = OUTCOME_WIN32, .step = STEP_CALL, .status = error);
        }
        CHECK_FINDING("error", wants, .code = OUTCOME_WIN32, .status = 0x80070005);
        for (int step = STEP_NONE; step <= STEP_ACTIVATE; step++) {
            for (uint32_t by = 0; by < 3; by++) {
                const uint32_t hresult = 0x80070004 + by;

                CHECK_FINDING(step == STEP_ACTIVATE ? (by == 1 ? "activation_denied" : "activation_failed")
                        : by == 1                   ? "set_denied"
                                                    : "error",
                    wants, .code = OUTCOME_HRESULT, .step = (enum step)step, .status = hresult);
            }
        }
    }
}

/* [C706] 12.6.3.1: result << 16 | reason; 12.6.4.5 and [MS-RPCE] 2.2.2.5; EPT_S_NOT_REGISTERED as a status of DCE */
static void
test_each_refused_bind_leads_to_its_finding(void)
{
    for (uint32_t result = 0; result < 4; result++) {
        for (uint32_t reason = 0; reason < 12; reason++) {
            CHECK_FINDING(reason == 1 ? "no_interface" : "context_refused", 0, .code = OUTCOME_CONTEXT_REJECTED,
                .step = STEP_BIND, .status = result << 16 | reason);
        }
    }
    CHECK_FINDING("context_refused", 0, .code = OUTCOME_CONTEXT_REJECTED, .status = 2u << 16 | 0x8001);
    CHECK_FINDING("context_refused", 0, .code = OUTCOME_CONTEXT_REJECTED, .status = 2u << 16 | 0x0101);
    for (uint32_t reason = 0; reason < 12; reason++) {
        CHECK_FINDING(reason == 8 ? "authentication_unknown" : "bind_refused", 0, .code = OUTCOME_BIND_NAK,
            .step = STEP_BIND, .status = reason);
    }
    for (uint32_t by = 0; by < 3; by++) {
        CHECK_FINDING(by == 1 ? "not_registered" : "no_endpoint", 0, .code = OUTCOME_NO_ENDPOINT, .step = STEP_MAP,
            .status = 0x16C9A0D5 + by);
    }
    CHECK_FINDING("no_endpoint", 0, .code = OUTCOME_NO_ENDPOINT, .step = STEP_MAP);
}

/* What a silence means: first what the capture lacks, then what did not even open, then who ended it. */
static void
test_each_silence_leads_to_its_finding(void)
{
    static const struct {
        enum outcome_code code;
        const char *by_server, *otherwise;
    } silences[] = {
        { OUTCOME_NO_ANSWER, "no_answer", "no_answer" },
        { OUTCOME_LEFT, "server_closed", "left_before_answer" },
        { OUTCOME_GIVEN_UP, "server_closed", "left_before_answer" },
        { OUTCOME_NOTHING_FOLLOWED, "server_closed", "nothing_followed" },
        { OUTCOME_NOT_BOUND, "not_bound", "not_bound" },
    };

    for (size_t i = 0; i < array_length(silences); i++) {
        for (int step = STEP_NONE; step <= STEP_ACTIVATE; step++) {
            for (int ending = ENDING_NONE; ending <= ENDING_PIPE_CLOSED; ending++) {
                for (int doubt = DOUBT_NONE; doubt <= DOUBT_CUT; doubt++) {
                    const bool by_server = ending == ENDING_SERVER_CLOSED || ending == ENDING_SERVER_RESET;

                    CHECK_FINDING(doubt == DOUBT_CUT  ? "frames_cut"
                            : doubt != DOUBT_NONE     ? "segments_missing"
                            : step == STEP_SYN        ? "unreachable"
                            : step == STEP_OBJECT_SYN ? "object_port_silent"
                            : by_server               ? silences[i].by_server
                                                      : silences[i].otherwise,
                        0, .code = silences[i].code, .step = (enum step)step, .ending = (enum ending)ending,
                        .doubt = (enum doubt)doubt);
                }
            }
        }
    }
}

static void
test_each_other_outcome_leads_to_its_finding(void)
{
    static const struct number_case simple[] = {
        { OUTCOME_REFUSED, "connection_refused" },
        { OUTCOME_CUT, "frames_cut" },
        { OUTCOME_FAULT_NOT_CAPTURED, "fault" },
        { OUTCOME_OPEN, "no_answer" },
        { OUTCOME_ENCRYPTED, "smb_encrypted" },
        { OUTCOME_REST_NOT_READ, "rest_not_read" },
        { OUTCOME_SLOW, "slow" },
        { OUTCOME_NO_VALUE, "no_value_came" },
        { OUTCOME_NONE, "error" },
        { OUTCOME_CAPTURE_ENDED, "error" },
        { OUTCOME_OTHERS_CALLED, "error" },
        { OUTCOME_FOUND_PORT, "error" },
        { OUTCOME_FOUND_ELSEWHERE, "error" },
        { OUTCOME_FOUND_UNREAD, "error" },
        { OUTCOME_FOUND_OBJECT, "error" },
        { OUTCOME_SEALED, "error" },
        { OUTCOME_FRAGMENTED, "error" },
        { OUTCOME_IN_PART, "error" },
        { OUTCOME_REACHED, "error" },
        { OUTCOME_WORKS, "error" },
    };

    /* The others: five silences, two of SMB, three of binds, one of faults, and two of errors. */
    CHECK_EQUAL(array_length(simple) + 5 + 2 + 3 + 3, NUM_OUTCOMES, "one is not tested");
    for (size_t i = 0; i < array_length(simple); i++) {
        for (unsigned doubt = DOUBT_NONE; doubt <= DOUBT_CUT; doubt++) {
            for (unsigned step = STEP_NONE; step <= STEP_ACTIVATE; step++) {
                CHECK_FINDING(simple[i].name, WANTS_PERFLIBV2, .code = (enum outcome_code)simple[i].number,
                    .step = (enum step)step, .doubt = (enum doubt)doubt, .status = 5, .ending = ENDING_SERVER_CLOSED);
            }
        }
    }
}

static void
test_each_reason_for_no_value_leads_to_its_finding(void)
{
    static const struct number_case reasons[] = {
        { COOK_OK, "no_value" },
        { COOK_TYPE_UNKNOWN, "type_unknown" },
        { COOK_NOT_DISPLAYED, "no_value" },
        { COOK_TEXT, "no_value" },
        { COOK_NO_FORMULA, "no_formula" },
        { COOK_WRONG_SIZE, "no_value" },
        { COOK_FIRST_SAMPLE, "first_sample" },
        { COOK_INSTANCE_NEW, "instance_new" },
        { COOK_OTHER_PROCESS, "other_process" },
        { COOK_NO_BASE, "no_base" },
        { COOK_NO_TIME, "no_base" },
        { COOK_NO_FREQ, "no_base" },
        { COOK_NO_MULTI, "no_base" },
        { COOK_BASE_UNKNOWN, "base_unknown" },
        { COOK_NO_PREVIOUS_BASE, "base_unknown" },
        { COOK_NO_PREVIOUS_TIME, "base_unknown" },
        { COOK_FREQ_CHANGED, "no_value" },
        { COOK_TIME_WENT_BACK, "time_went_back" },
        { COOK_COUNTER_DECREASED, "decreased" },
        { COOK_BASE_DECREASED, "decreased" },
        { COOK_NEGATIVE_BASE, "no_value" },
        { COOK_ZERO_INTERVAL, "zero_base" },
        { COOK_ZERO_BASE, "zero_base" },
        { COOK_ZERO_FREQ, "zero_base" },
        { COOK_NO_CLOCK, "no_clock" },
        { COOK_COUNTER_NOT_CAPTURED, "type_unknown" },
        { COOK_COUNTER_UNKNOWN, "counter_unknown" },
    };
    static const struct number_case whys[] = {
        { WHY_RECEIVED, "no_value" },
        { WHY_FAULT_NOT_CAPTURED, "fault" },
        { WHY_NO_ANSWER, "not_captured" },
        { WHY_OPEN, "no_value" },
        { WHY_REST_NOT_READ, "rest_not_read" },
        { WHY_FRAGMENTED, "no_value" },
        { WHY_RETURN_CODE_NOT_CAPTURED, "not_captured" },
        { WHY_NO_RETURN_CODE, "no_value" },
        { WHY_BLOCKS_NOT_CAPTURED, "not_captured" },
        { WHY_FEWER_BLOCKS, "no_value" },
        { WHY_NAMES_DAMAGED, "names_damaged" },
        { WHY_NO_OBJECT, "no_object" },
        { WHY_NO_INSTANCES, "no_instances" },
        { WHY_REFUSED_BY_PDH, "refused_by_pdh" },
    };

    CHECK_EQUAL(array_length(reasons), COOK_NUM_REASONS, "one is not tested");
    for (size_t i = 0; i < array_length(reasons); i++) {
        CHECK_STRING(name_of_missing(WHY_NO_VALUE, reasons[i].number), reasons[i].name, "reason %u", reasons[i].number);
    }
    /* Those with a number of their own are in other tests: no value, two errors, a fault. */
    CHECK_EQUAL(array_length(whys) + 4, NUM_WHY_CODES, "one is not tested");
    for (size_t i = 0; i < array_length(whys); i++) {
        for (uint32_t status = 0; status < 10; status++) {
            CHECK_STRING(name_of_missing((enum perf_tap_why_code)whys[i].number, status), whys[i].name, "%u: %u",
                whys[i].number, status);
        }
    }
}

static void
test_each_missing_key_leads_to_its_finding(void)
{
    static const struct number_case keys[] = {
        { KEY_PASSWORD, "sealed" },
        { KEY_OTHER_PASSWORD, "sealed" },
        { KEY_OTHER_NTLM_KEYTAB, "sealed" },
        { KEY_NO_NTLM_KEYTAB, "sealed" },
        { KEY_NO_KEYTAB, "sealed" },
        { KEY_KEYTAB, "sealed" },
        { KEY_OTHER_KEYTAB, "sealed" },
        { KEY_SMB3, "sealed_by_smb3" },
        { KEY_LOGON_IN_PART, "sealed_logon_not_captured" },
        { KEY_LOGON, "sealed_logon_not_captured" },
        { KEY_TICKET, "sealed_logon_not_captured" },
        { KEY_ANONYMOUS, "sealed_anonymous" },
        { KEY_SERVICE, "sealed_for_good" },
        { KEY_WEAK_NTLM, "sealed_for_good" },
        { KEY_USER_LETTERS, "sealed_for_good" },
        { KEY_PASSWORD_LETTERS, "sealed_for_good" },
    };

    CHECK_EQUAL(array_length(keys), NUM_KEY_CODES, "one is not tested");
    for (size_t i = 0; i < array_length(keys); i++) {
        CHECK_STRING(remedies[finding_of_key((enum key_needed_code)keys[i].number)].name, keys[i].name, "key %u",
            keys[i].number);
    }
}

static void
test_each_denial_and_each_code_of_tools_is_told(void)
{
    static const char denials[] = " access_denied call_denied counters_denied registry_denied set_denied ";
    static const char no_machine[] = " connection_refused logon_refused no_pipe no_share object_port_silent "
                                     "pipe_busy pipe_denied share_denied unreachable ";
    static const char denied_by_pdh[] = " call_denied counters_denied denied_at_times registry_denied ";
    char all[5000] = " ";

    for (unsigned code = 0; code < NUM_FINDING_CODES; code++) {
        const struct remedy *remedy = &remedies[code];
        char name[60];

        snprintf(name, sizeof name, " %s ", remedy->name);
        CHECK(strstr(all, name) == NULL, "%s twice", remedy->name);
        g_strlcat(all, name + 1, sizeof all);
        CHECK_EQUAL(remedy_is_denial((enum finding_code)code), strstr(denials, name) != NULL, "%s", remedy->name);
        CHECK(remedy->whom < NUM_WHOM && remedy->remedy[0] != '\0', "%s has no remedy", remedy->name);
        /* pdhmsg.h: PDH_CSTATUS_NO_MACHINE, PDH_ACCESS_DENIED */
        CHECK_EQUAL(remedy->pdh,
            strstr(no_machine, name) != NULL          ? 0x800007D0u
                : strstr(denied_by_pdh, name) != NULL ? 0xC0000BDBu
                                                      : 0,
            "%s", remedy->name);
    }
    CHECK(remedy_pdh_text(NULL, 0) == NULL, "no code");
    CHECK_STRING(remedy_pdh_text(wmem_epan_scope(), 0x800007D0u), "0x800007D0 PDH_CSTATUS_NO_MACHINE", "no machine");
    CHECK_STRING(remedy_pdh_text(wmem_epan_scope(), 0xC0000BDBu), "0xC0000BDB PDH_ACCESS_DENIED", "denied");
}

/* What stopped an attempt, by what it is for. */
static void
test_finding_of_an_attempt_is_that_of_what_stopped_it(void)
{
    static const struct capture_cuts cuts;
    const struct losses losses = { .cuts = &cuts };
    struct attempt attempt = { .latest = &attempt,
        .losses = &losses,
        .frame = 1,
        .wants = WANTS_PERFLIBV2,
        .pending = wmem_list_new(wmem_epan_scope()) };

    attempt.refusals.count = attempt.answers = 1;
    attempt.refusals.what = (struct outcome){ .code = OUTCOME_WIN32, .step = STEP_CALL, .status = 5 };
    CHECK_STRING(remedies[finding_of_attempt(&attempt)].name, "counters_denied", "by [MS-PCQ]");
    attempt.wants = WANTS_WINREG | WANTS_PERFDATA;
    CHECK_STRING(remedies[finding_of_attempt(&attempt)].name, "registry_denied", "by the remote registry");
    attempt.stopped.count = 1;
    attempt.stopped.what = (struct outcome){ .code = OUTCOME_NO_ANSWER, .step = STEP_SYN };
    CHECK_STRING(remedies[finding_of_attempt(&attempt)].name, "unreachable", "stopped");
}

int
main(void)
{
    wmem_init_scopes();
    test_each_status_of_smb_leads_to_its_finding_at_its_step();
    test_each_fault_and_error_leads_to_its_finding_and_no_neighbour();
    test_each_error_of_a_call_depends_on_what_was_called();
    test_each_refused_bind_leads_to_its_finding();
    test_each_silence_leads_to_its_finding();
    test_each_other_outcome_leads_to_its_finding();
    test_each_reason_for_no_value_leads_to_its_finding();
    test_each_missing_key_leads_to_its_finding();
    test_each_denial_and_each_code_of_tools_is_told();
    test_finding_of_an_attempt_is_that_of_what_stopped_it();
    return check_result();
}
