/* call.c
 * Rules of [MS-PCQ] about parameters, return codes and the life of query handles (3.1.4.1)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/rules/checks.h"

#include "base/win32-names.h"

/* Opnums, 3.1.4.1 */
enum {
    ENUMERATE_COUNTER_SET, QUERY_REGISTRATION_INFO, ENUMERATE_INSTANCES, OPEN_QUERY_HANDLE,
    CLOSE_QUERY_HANDLE, QUERY_COUNTER_INFO, QUERY_COUNTER_DATA, VALIDATE_COUNTERS,
    NUM_METHODS
};

#define MAX_CODES 6

/* range() of dwInSize, and the return codes beside ERROR_SUCCESS and ERROR_ACCESS_DENIED, which every method lists. */
static const struct method {
    uint32_t max_in_size;
    uint32_t codes[MAX_CODES];      /* up to the first 0 */
} methods[NUM_METHODS] = {
    [ENUMERATE_COUNTER_SET]   = { 256, { WIN32_NOT_ENOUGH_MEMORY, WIN32_OUTOFMEMORY } },
    [QUERY_REGISTRATION_INFO] = { 134217728, { WIN32_INVALID_PARAMETER, WIN32_WMI_GUID_NOT_FOUND, WIN32_NOT_ENOUGH_MEMORY,
                                               WIN32_WMI_ITEMID_NOT_FOUND } },
    [ENUMERATE_INSTANCES]     = { 67108864, { WIN32_WMI_GUID_NOT_FOUND, WIN32_NOT_ENOUGH_MEMORY, WIN32_WMI_INSTANCE_NOT_FOUND,
                                              WIN32_WMI_INVALID_REGINFO, WIN32_OUTOFMEMORY } },
    [OPEN_QUERY_HANDLE]       = { 0, { WIN32_OUTOFMEMORY, WIN32_NO_SYSTEM_RESOURCES } },
    [CLOSE_QUERY_HANDLE]      = { 0, { 0 } },
    [QUERY_COUNTER_INFO]      = { 67108864, { WIN32_NOT_ENOUGH_MEMORY } },
    [QUERY_COUNTER_DATA]      = { 1073741824, { WIN32_NOT_ENOUGH_MEMORY } },
    [VALIDATE_COUNTERS]       = { 67108864, { WIN32_INVALID_PARAMETER, WIN32_OUTOFMEMORY } },
};

static bool
lists(const struct method *method, uint32_t code)
{
    if (code == WIN32_SUCCESS || code == WIN32_ACCESS_DENIED) {
        return true;
    }
    for (unsigned i = 0; i < MAX_CODES && method->codes[i] != 0; i++) {
        if (method->codes[i] == code) {
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

/* Whether RequestLCID means something: a locale, or for PERF_REG_COUNTER_STRUCT a counter id. */
static bool
uses_lcid(uint32_t request_code)
{
    return request_code >= PERF_REG_COUNTER_STRUCT && request_code <= PERF_REG_COUNTER_HELP_STRINGS;
}

static const char *
code_text(const struct rules_report *report, uint32_t code)
{
    const char *name = try_val_to_str_ext(code, &win32_error_vals_ext);

    return name != NULL ? name : wmem_strdup_printf(report->scope, "0x%08x", code);
}

static void
check_machine(struct rules_report *report, const struct rules_stub *stub)
{
    const bool counts_agree = stub->machine_offset == 0 && stub->machine_actual <= stub->machine_max;

    if (!counts_agree) {
        rules_broken(report, RULE_MACHINE_STRING, stub->machine_at, 4,
                     "szMachine has maximum count %" PRIu64 ", offset %" PRIu64 " and actual count %" PRIu64
                     ": an offset of 0 and at most the maximum count were expected",
                     stub->machine_max, stub->machine_offset, stub->machine_actual);
        return;
    }
    rules_check(report, RULE_MACHINE_STRING, stub->machine_terminated, stub->machine_at, 4,
                "The terminator of szMachine is not its last character of %" PRIu64, stub->machine_actual);
}

static void
check_request(struct rules_report *report, const struct call *call, const struct rules_stub *stub)
{
    const struct method *method = &methods[stub->opnum];
    const uint32_t code = stub->request_code.value;

    if (stub->have & STUB_MACHINE) {
        check_machine(report, stub);
    }
    if (stub->have & STUB_HANDLE) {
        rules_check(report, RULE_HANDLE_NULL, !stub->handle_is_null, stub->handle_at, 20, "The query handle is NULL");
        rules_check(report, RULE_HANDLE_AFTER_CLOSE, call->closed_in == 0, stub->handle_at, 20,
                    "The query handle was closed in frame %u", call->closed_in);
        rules_check(report, RULE_HANDLE_SERVER, call->opened_on == NULL, stub->handle_at, 20,
                    "The query handle was opened on %s", call->opened_on);
    }
    if (stub->have & STUB_REQUEST_CODE) {
        rules_check(report, RULE_REQUEST_CODE, is_request_code(code), stub->request_code.offset, 4,
                    "RequestCode is %u, expected 1 to 10", code);
        if (is_request_code(code) && !uses_lcid(code)) {
            rules_check(report, RULE_REQUEST_LCID, stub->request_lcid.value == 0, stub->request_lcid.offset, 4,
                        "RequestLCID is 0x%x, expected 0 for request code %u", stub->request_lcid.value, code);
        }
    }
    if (stub->have & STUB_IN_SIZE) {
        rules_check(report, RULE_IN_SIZE_RANGE, stub->in_size.value <= method->max_in_size, stub->in_size.offset, 4,
                    "dwInSize is %u, expected at most %u", stub->in_size.value, method->max_in_size);
        if (stub->opnum == VALIDATE_COUNTERS) {
            rules_check(report, RULE_VALIDATE_ROOM, stub->in_size.value >= LP_IDENTIFIER_SIZE, stub->in_size.offset, 4,
                        "dwInSize is %u, less than the %u bytes of one _PERF_COUNTER_IDENTIFIER", stub->in_size.value,
                        LP_IDENTIFIER_SIZE);
        }
    }
    if (stub->have & STUB_ADD) {
        rules_check(report, RULE_ADD_VALUE, stub->add.value <= 1, stub->add.offset, 4,
                    "dwAdd is %u, expected 1 (TRUE) or 0 (FALSE)", stub->add.value);
    }
}

/* What was returned against the room offered. */
static void
check_sizes(struct rules_report *report, const struct rules_stub *stub)
{
    const uint32_t in = stub->in_size.value, out = stub->out_size.value, needed = stub->return_size.value;
    const bool known = (stub->have & STUB_RETURN_CODE) != 0;
    const bool success = known && stub->return_code.value == WIN32_SUCCESS;

    if (success) {
        rules_check(report, RULE_OUT_SIZE_NEEDED, out <= needed, stub->out_size.offset, 8,
                    "pdwOutSize is %u, more than pdwRtnSize %u", out, needed);
    }
    if (success && stub->opnum == ENUMERATE_INSTANCES) {
        rules_check(report, RULE_INSTANCES_NONE, out > 0, stub->return_code.offset, 4,
                    "No instance is returned: ERROR_WMI_INSTANCE_NOT_FOUND was expected, not success");
    }
    if (!stub->has_request) {
        return;
    }
    rules_check(report, RULE_OUT_SIZE_ROOM, out <= in, stub->out_size.offset, 4, "pdwOutSize is %u, more than dwInSize %u", out, in);
    if (stub->opnum == ENUMERATE_COUNTER_SET && needed > in) {
        rules_check(report, RULE_OUT_SIZE_ZERO, out == 0, stub->out_size.offset, 4,
                    "pdwOutSize is %u, expected 0: dwInSize %u is less than the %u GUIDs there are", out, in, needed);
    }
    if (stub->opnum == ENUMERATE_COUNTER_SET && needed <= in && success && out <= needed) {
        rules_check(report, RULE_GUID_COUNT, out == needed, stub->out_size.offset, 8,
                    "pdwOutSize is %u, expected all %u GUIDs: dwInSize is %u", out, needed, in);
    }
    if (success) {
        rules_check(report, RULE_TOO_SMALL, needed <= in, stub->return_code.offset, 4,
                    "The return value is ERROR_SUCCESS, expected ERROR_NOT_ENOUGH_MEMORY: pdwRtnSize %u is more than dwInSize %u",
                    needed, in);
    } else if (known && stub->return_code.value == WIN32_NOT_ENOUGH_MEMORY) {
        rules_check(report, RULE_TOO_SMALL, needed > in, stub->return_code.offset, 4,
                    "The return value is ERROR_NOT_ENOUGH_MEMORY, but pdwRtnSize %u is not more than dwInSize %u", needed, in);
    }
}

static void
check_return_code(struct rules_report *report, const struct call *call, const struct rules_stub *stub)
{
    const uint32_t code = stub->return_code.value;
    const unsigned at = stub->return_code.offset;

    rules_check(report, RULE_RETURN_CODE, code <= 0xFFFF, at, 4,
                "The return value is 0x%08x, expected a Win32 error code of 16 bits", code);
    if (code <= 0xFFFF) {
        rules_check(report, RULE_RETURN_CODE_LISTED, lists(&methods[stub->opnum], code), at, 4,
                    "%s is none of the return values listed for the method", code_text(report, code));
    }
    if (!stub->has_request) {
        return;
    }
    if (stub->opnum == QUERY_REGISTRATION_INFO && !is_request_code(stub->request_code.value)) {
        /* A server may look at the caller's rights first. */
        rules_check(report, RULE_REQUEST_CODE_REFUSED, code == WIN32_INVALID_PARAMETER || code == WIN32_ACCESS_DENIED, at, 4,
                    "The return value is %s, expected ERROR_INVALID_PARAMETER for request code %u", code_text(report, code),
                    stub->request_code.value);
    }
    if (stub->opnum == VALIDATE_COUNTERS && stub->in_size.value < LP_IDENTIFIER_SIZE) {
        rules_check(report, RULE_VALIDATE_REFUSED, code != WIN32_SUCCESS, at, 4,
                    "The return value is ERROR_SUCCESS, expected ERROR_INVALID_PARAMETER for a buffer of %u bytes",
                    stub->in_size.value);
    }
    if (call->closed_in != 0) {
        rules_check(report, RULE_HANDLE_REFUSED, code != WIN32_SUCCESS, at, 4,
                    "The call succeeded on a query handle that was closed in frame %u", call->closed_in);
    }
}

static void
check_returned_handle(struct rules_report *report, const struct call *call, const struct rules_stub *stub)
{
    if (stub->return_code.value != WIN32_SUCCESS) {
        return;
    }
    if (stub->opnum == OPEN_QUERY_HANDLE) {
        rules_check(report, RULE_HANDLE_OPENED, !stub->handle_is_null, stub->handle_at, 20,
                    "phQuery is NULL, expected a handle: the call succeeded");
        rules_check(report, RULE_HANDLE_UNIQUE, call->opened_in == 0, stub->handle_at, 20,
                    "The handle was given out in frame %u and is still open", call->opened_in);
    } else {
        rules_check(report, RULE_HANDLE_CLOSED, stub->handle_is_null, stub->handle_at, 20,
                    "phQuery is not NULL, as expected after a successful close");
    }
}

void
rules_check_stub(struct rules_report *report, const struct call *call, const struct rules_stub *stub)
{
    if (!stub->is_response) {
        check_request(report, call, stub);
        return;
    }
    if (stub->have & STUB_ARRAY) {
        if (stub->has_request) {
            rules_check(report, RULE_MAX_COUNT, stub->array_max == stub->in_size.value, stub->array_at, 4,
                        "The maximum count of lpData is %" PRIu64 ", expected dwInSize %u", stub->array_max, stub->in_size.value);
        }
        rules_check(report, RULE_ARRAY_OFFSET, stub->array_offset == 0, stub->array_at, 4,
                    "The offset of lpData is %" PRIu64 ", expected 0", stub->array_offset);
    }
    if (stub->have & STUB_OUT_SIZES) {
        check_sizes(report, stub);
    }
    if (stub->have & STUB_RETURN_CODE) {
        check_return_code(report, call, stub);
        if (stub->have & STUB_HANDLE) {
            check_returned_handle(report, call, stub);
        }
    }
}
