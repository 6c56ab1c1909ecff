/* call.c
 * Rules of [MS-PCQ] about parameters, return codes and the life of query handles (3.1.4.1)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/rules/checks.h"

static bool
lists(const struct operation *op, uint32_t code)
{
    if (code == WIN32_SUCCESS || code == WIN32_ACCESS_DENIED) {
        return true;
    }
    for (unsigned i = 0; i < OPERATION_MAX_CODES && op->codes[i] != 0; i++) {
        if (op->codes[i] == code) {
            return true;
        }
    }
    return false;
}

static bool
is_request_code(uint32_t code)
{
    return code >= PERF_REG_COUNTERSET_STRUCT && code <= PERF_REG_COUNTER_ENGLISH_NAMES;
}

static const char *
code_text(const struct rules_report *report, uint32_t code)
{
    const char *name = try_val_to_str_ext(code, &win32_error_vals_ext);

    return name != NULL ? name : wmem_strdup_printf(report->scope, "0x%08x", code);
}

static void
check_machine(struct rules_report *report, const struct pdu_stub *stub)
{
    if (stub->machine.offset != 0 || stub->machine.actual > stub->machine.max) {
        rules_broken(report, RULE_MACHINE_STRING, stub->machine_at, stub->machine_text_at - stub->machine_at,
            "szMachine has maximum count %" PRIu64 ", offset %" PRIu64 " and actual count %" PRIu64
            ": an offset of 0 and at most the maximum count were expected",
            stub->machine.max, stub->machine.offset, stub->machine.actual);
        return;
    }
    rules_check(report, RULE_MACHINE_STRING, stub->machine_terminated, stub->machine_text_at,
        2 * (unsigned)stub->machine.actual, "The terminator of szMachine is not its last character of %" PRIu64,
        stub->machine.actual);
}

static void
check_request(struct rules_report *report, const struct perflibv2_call *call, const struct pdu_stub *stub)
{
    const uint32_t code = stub->request_code.value;

    if (stub->have & P_MACHINE) {
        check_machine(report, stub);
    }
    if (stub->have & P_HANDLE) {
        rules_check(report, RULE_HANDLE_NULL, !stub->handle_is_null, stub->handle_at, 20, "The query handle is NULL");
        rules_check(report, RULE_HANDLE_AFTER_CLOSE, call->closed_in == 0, stub->handle_at, 20,
            "The query handle was closed in frame %u", call->closed_in);
        if (call->opened_on == NULL) {
            rules_held(report, RULE_HANDLE_SERVER, 1);
        }
    }
    if (stub->have & P_REQUEST_CODE) {
        rules_check(report, RULE_REQUEST_CODE, is_request_code(code), stub->request_code.offset, 4,
            "RequestCode is %u, expected 1 to 10", code);
        /* Only request codes 2 to 6 use RequestLCID (2 as a counter id, the others as a locale). */
        if (is_request_code(code) && (code < PERF_REG_COUNTER_STRUCT || code > PERF_REG_COUNTER_HELP_STRINGS)) {
            rules_check(report, RULE_REQUEST_LCID, stub->request_lcid.value == 0, stub->request_lcid.offset, 4,
                "RequestLCID is 0x%x, expected 0 for request code %u", stub->request_lcid.value, code);
        }
    }
    if (stub->have & P_IN_SIZE) {
        rules_check(report, RULE_IN_SIZE_RANGE, stub->in_size.value <= stub->op->max_in_size, stub->in_size.offset, 4,
            "dwInSize is %u, expected at most %u", stub->in_size.value, stub->op->max_in_size);
    }
    if (stub->have & P_ADD) {
        rules_check(report, RULE_ADD_VALUE, stub->add.value <= 1, stub->add.offset, 4,
            "dwAdd is %u, expected 1 (TRUE) or 0 (FALSE)", stub->add.value);
    }
}

static bool
is_success(const struct pdu_stub *stub)
{
    return (stub->have & P_RETURN_CODE) && stub->return_code.value == WIN32_SUCCESS;
}

/*
 * Returns whether the server must refuse the call because of an unknown RequestCode. False if the return code exceeds
 * 16 bits, since that violates another rule.
 */
static bool
must_refuse_request_code(const struct pdu_stub *stub)
{
    return (stub->have & P_RETURN_CODE) && stub->return_code.value <= UINT16_MAX && stub->has_request &&
        (stub->op->request & P_REQUEST_CODE) && !is_request_code(stub->request_code.value);
}

/* Returns whether the answer reports a small buffer by the wrong code, ERROR_MORE_DATA. */
static bool
says_too_small(const struct pdu_stub *stub)
{
    return (stub->have & P_RETURN_CODE) && (stub->have & P_OUT_SIZES) && stub->has_request &&
        stub->return_code.value == WIN32_MORE_DATA && stub->return_size.value > stub->in_size.value;
}

/* Checks pdwOutSize, pdwRtnSize and the return code against dwInSize. */
static void
check_sizes(struct rules_report *report, const struct pdu_stub *stub)
{
    const uint32_t in = stub->in_size.value, out = stub->out_size.value, needed = stub->return_size.value;

    if (is_success(stub)) {
        rules_check(report, RULE_OUT_SIZE_NEEDED, out <= needed, stub->out_size.offset, 8,
            "pdwOutSize is %u, more than pdwRtnSize %u", out, needed);
    }
    /* Not for opnum 0, whose elements are GUIDs: the rule guid_count covers it. */
    if (is_success(stub) && stub->op->element == 1 && (!stub->has_request || needed <= in)) {
        rules_check(report, RULE_OUT_SIZE_ALL, out >= needed, stub->out_size.offset, 8,
            "The call succeeded, but pdwOutSize is %u, less than pdwRtnSize %u", out, needed);
    }
    if (!stub->has_request) {
        return;
    }
    rules_check(report, RULE_OUT_SIZE_ROOM, out <= in, stub->out_size.offset, 4,
        "pdwOutSize is %u, more than dwInSize %u", out, in);
    if (is_success(stub) && out > in) {
        /* No further finding: the rule out_size_room already reports that pdwOutSize exceeds dwInSize. */
    } else if (is_success(stub)) {
        rules_check(report, RULE_TOO_SMALL, needed <= in, stub->return_code.offset, 4,
            "The return value is ERROR_SUCCESS, expected ERROR_NOT_ENOUGH_MEMORY: pdwRtnSize %u is more than "
            "dwInSize %u",
            needed, in);
    } else if (says_too_small(stub)) {
        rules_broken(report, RULE_TOO_SMALL, stub->return_code.offset, 4,
            "The return value is ERROR_MORE_DATA, expected ERROR_NOT_ENOUGH_MEMORY: pdwRtnSize %u is more than "
            "dwInSize %u",
            needed, in);
    } else if ((stub->have & P_RETURN_CODE) && stub->return_code.value == WIN32_NOT_ENOUGH_MEMORY) {
        /* A server that is itself out of memory may return this code with pdwRtnSize 0. */
        rules_check(report, RULE_TOO_SMALL, needed > in || needed == 0, stub->return_code.offset, 4,
            "The return value is ERROR_NOT_ENOUGH_MEMORY, but pdwRtnSize %u is not more than dwInSize %u", needed, in);
    }
}

void
rules_check_enumeration(struct rules_report *report, const struct perflibv2_call *call _U_, const struct pdu_stub *stub)
{
    const uint32_t in = stub->in_size.value, out = stub->out_size.value, needed = stub->return_size.value;

    if (!(stub->have & P_OUT_SIZES)) {
        return;
    }
    rules_check(report, RULE_GUID_LIMIT, needed <= stub->op->max_in_size, stub->return_size.offset, 4,
        "pdwRtnSize is %u, but no client may ask for more than %u", needed, stub->op->max_in_size);
    if (!stub->has_request) {
        return;
    }
    if (out > in) {
        /* No further finding: the rule out_size_room already reports that pdwOutSize exceeds dwInSize. */
    } else if (needed > in) {
        rules_check(report, RULE_OUT_SIZE_ZERO, out == 0, stub->out_size.offset, 4,
            "pdwOutSize is %u, expected 0: dwInSize %u is less than the %u GUIDs there are", out, in, needed);
    } else if (is_success(stub) && out <= needed) {
        rules_check(report, RULE_GUID_COUNT, out == needed, stub->out_size.offset, 8,
            "pdwOutSize is %u, expected all %u GUIDs: dwInSize is %u", out, needed, in);
    }
}

void
rules_check_filled(struct rules_report *report, const struct perflibv2_call *call _U_, const struct pdu_stub *stub)
{
    const bool is_poll = stub->op->parse == lpdata_parse_data;

    if ((stub->have & P_OUT_SIZES) && is_success(stub)) {
        rules_check(report, is_poll ? RULE_POLL_EMPTY : RULE_INSTANCES_NONE, stub->out_size.value > 0,
            stub->return_code.offset, 4, "%s",
            is_poll ? "The call succeeded, but lpData is empty: a _PERF_DATA_HEADER was expected"
                    : "No instance is returned: ERROR_WMI_INSTANCE_NOT_FOUND was expected, not success");
    }
}

void
rules_check_registration_call(struct rules_report *report, const struct perflibv2_call *call _U_,
    const struct pdu_stub *stub)
{
    const uint32_t code = stub->return_code.value, asked = stub->request_code.value;

    /* Help texts may be missing, so lpData may be empty for their request codes. */
    if ((stub->have & P_OUT_SIZES) && is_success(stub) && stub->has_request && is_request_code(asked) &&
        asked != PERF_REG_COUNTERSET_HELP_STRING && asked != PERF_REG_COUNTER_HELP_STRINGS) {
        rules_check(report, RULE_REGISTRATION_EMPTY, stub->out_size.value > 0, stub->return_code.offset, 4,
            "The call succeeded, but lpData is empty: expected the data for request code %u", asked);
    }

    if (must_refuse_request_code(stub)) {
        /* A server may check access rights first, and return ERROR_ACCESS_DENIED. */
        rules_check(report, RULE_REQUEST_CODE_REFUSED, code == WIN32_INVALID_PARAMETER || code == WIN32_ACCESS_DENIED,
            stub->return_code.offset, 4, "The return value is %s, expected ERROR_INVALID_PARAMETER for request code %u",
            code_text(report, code), asked);
    }
}

void
rules_check_validation(struct rules_report *report, const struct perflibv2_call *call, const struct pdu_stub *stub)
{
    const bool has_room = stub->in_size.value >= LP_IDENTIFIER_SIZE;

    if (stub->have & P_IN_SIZE) {
        rules_check(report, RULE_VALIDATE_ROOM, has_room, stub->in_size.offset, 4,
            "dwInSize is %u, less than the %u bytes of one _PERF_COUNTER_IDENTIFIER", stub->in_size.value,
            LP_IDENTIFIER_SIZE);
    }
    if ((stub->have & P_RETURN_CODE) && stub->has_request && !has_room) {
        rules_check(report, RULE_VALIDATE_REFUSED, !is_success(stub), stub->return_code.offset, 4,
            "The return value is ERROR_SUCCESS, expected ERROR_INVALID_PARAMETER for a buffer of %u bytes",
            stub->in_size.value);
    }
    /* The return code refuses the short identifier. If the call succeeds, rules/query.c checks its Status instead. */
    if ((stub->have & P_RETURN_CODE) && call->short_identifier != 0 && !is_success(stub)) {
        rules_held(report, RULE_SHORT_IDENTIFIER_REFUSED, 1);
    }
}

void
rules_check_handle(struct rules_report *report, const struct perflibv2_call *call, const struct pdu_stub *stub)
{
    if (!(stub->have & P_HANDLE) || !stub->is_response || !is_success(stub)) {
        return;
    }
    if (stub->op->effect == CLOSES_QUERY) {
        rules_check(report, RULE_HANDLE_CLOSED, stub->handle_is_null, stub->handle_at, 20,
            "phQuery is not NULL, although the close succeeded");
        return;
    }
    rules_check(report, RULE_HANDLE_OPENED, !stub->handle_is_null, stub->handle_at, 20,
        "phQuery is NULL, expected a handle: the call succeeded");
    rules_check(report, RULE_HANDLE_UNIQUE, call->opened_in == 0, stub->handle_at, 20,
        "The server gave out this handle in frame %u, and it is still open", call->opened_in);
}

static void
check_return_code(struct rules_report *report, const struct perflibv2_call *call, const struct pdu_stub *stub)
{
    const uint32_t code = stub->return_code.value;
    const unsigned at = stub->return_code.offset;

    rules_check(report, RULE_RETURN_CODE, code <= 0xFFFF, at, 4,
        "The return value is 0x%08x, expected a Win32 error code of 16 bits", code);
    /* Skip codes that a more specific rule covers: a second finding would be about the same fault. */
    if (code <= 0xFFFF && !says_too_small(stub) && !must_refuse_request_code(stub) &&
        !((call->is_wrong || call->opened_on != NULL) && code == WIN32_INVALID_HANDLE)) {
        rules_check(report, RULE_RETURN_CODE_LISTED, lists(stub->op, code), at, 4,
            "%s is not a listed return value of the method", code_text(report, code));
    }
    if (!stub->has_request) {
        return;
    }
    /* Only this code proves that the handle is not the server's own: it may have several names and addresses. */
    if (call->opened_on != NULL && code == WIN32_INVALID_HANDLE) {
        rules_broken(report, RULE_HANDLE_SERVER, at, 4, "The request uses a query handle on %s that was opened on %s",
            server_host(call->server), call->opened_on);
    }
    if (call->given_again_in != 0) {
        rules_broken(report, RULE_HANDLE_UNIQUE, at, 4,
            "The handle was given out to another client in frame %u, although it is open: this call succeeded "
            "on it",
            call->given_again_in);
    }
    if (call->closed_in != 0) {
        rules_check(report, RULE_HANDLE_REFUSED, code != WIN32_SUCCESS, at, 4,
            "The call succeeded on a query handle that was closed in frame %u", call->closed_in);
    }
}

static void
check_response(struct rules_report *report, const struct perflibv2_call *call, const struct pdu_stub *stub)
{
    if (stub->have & P_VARYING) {
        const unsigned count_size = stub->array_offset_at - stub->array_at;

        if (stub->has_request) {
            rules_check(report, RULE_MAX_COUNT, stub->array.max == stub->in_size.value, stub->array_at, count_size,
                "The maximum count of lpData is %" PRIu64 ", expected dwInSize %u", stub->array.max,
                stub->in_size.value);
        }
        rules_check(report, RULE_ARRAY_OFFSET, stub->array.offset == 0, stub->array_offset_at, count_size,
            "The offset of lpData is %" PRIu64 ", expected 0", stub->array.offset);
    }
    if (stub->have & P_OUT_SIZES) {
        check_sizes(report, stub);
    }
    if (stub->have & P_RETURN_CODE) {
        check_return_code(report, call, stub);
    }
}

void
rules_check_stub(struct rules_report *report, const struct perflibv2_call *call, const struct pdu_stub *stub)
{
    (stub->is_response ? check_response : check_request)(report, call, stub);
    if (stub->op->judge_stub != NULL) {
        stub->op->judge_stub(report, call, stub);
    }
}
