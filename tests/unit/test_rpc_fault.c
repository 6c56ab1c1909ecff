/* test_rpc_fault.c
 * Statuses of faults: their names, and by which of them a server refuses the caller or the way it calls
 *
 * [C706] appendix E; [MS-ERREF] 2.1.1, 2.2
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

#include <string.h>

#include <epan/wmem_scopes.h>

#include "base/win32-names.h"
#include "check.h"
#include "fake-expert.h"

enum { FAULT = 5, REQUEST_IN, RESPONSE, STATUS_AT = 24 }; /* [C706] 12.6.4.7 */

/* In place of Wireshark's: what is shown. */
static wmem_strbuf_t *shown;
static proto_tree tree;
static field_info infos[3];
static proto_item items_shown[3] = { { .finfo = &infos[0] }, { .finfo = &infos[1] }, { .finfo = &infos[2] } };

proto_item *
proto_tree_add_uint_format_value(proto_tree *to, int hf, tvbuff_t *tvb _U_, int start, int length, uint32_t value,
    const char *format, ...)
{
    va_list arguments;

    CHECK(to == &tree, "another tree");
    CHECK(hf == FAULT && start == STATUS_AT && length == 4, "%d at %d, %d bytes", hf, start, length);
    wmem_strbuf_append_printf(shown, "%x ", value);
    va_start(arguments, format);
    wmem_strbuf_append_vprintf(shown, format, arguments);
    va_end(arguments);
    return &items_shown[0];
}

proto_item *
proto_tree_add_uint(proto_tree *to, int hf, tvbuff_t *tvb _U_, int start, int length, uint32_t value)
{
    CHECK(to == &tree, "another tree");
    CHECK(hf == REQUEST_IN && start == 0 && length == 0, "%d at %d, %d bytes", hf, start, length);
    wmem_strbuf_append_printf(shown, "|asked in %u", value);
    return &items_shown[1];
}

proto_item *
proto_tree_add_double(proto_tree *to, int hf, tvbuff_t *tvb _U_, int start, int length, double value)
{
    CHECK(to == &tree && hf == RESPONSE && start == 0 && length == 0, "%d at %d, %d bytes", hf, start, length);
    wmem_strbuf_append_printf(shown, "|after %g ms", value);
    return &items_shown[2];
}

static void
take_expert(const char *format, va_list arguments)
{
    wmem_strbuf_append(shown, "|");
    wmem_strbuf_append_vprintf(shown, format, arguments);
}

const char *
proto_get_protocol_filter_name(const int protocol)
{
    return protocol == 4 ? "x" : NULL;
}

expert_module_t *
expert_register_protocol(int protocol)
{
    CHECK(protocol == 4, "%d", protocol);
    return NULL;
}

void
expert_register_field_array(expert_module_t *module _U_, ei_register_info *ei, const int num_records)
{
    CHECK(num_records == 1 && strcmp(ei->eiinfo.name, "x.faulted") == 0, "%s", ei->eiinfo.name);
}

static const struct {
    uint32_t status;
    const char *name;
    bool is_refusal;
} statuses[] = {
    { 0x00000005, "nca_s_fault_access_denied", true },
    { 0x80070005, "E_ACCESSDENIED", true },
    { 0x000006d3, "RPC_S_UNKNOWN_AUTHN_SERVICE", true },
    { 0x000006d4, "RPC_S_UNKNOWN_AUTHN_LEVEL", true },
    { 0x0000071d, "RPC_S_UNSUPPORTED_AUTHN_LEVEL", true },
    { 0x1c00001d, "nca_s_unsupported_authn_level", true },
    /* What says something else of the call, the server or the stub. */
    { 0x00000000, "ERROR_SUCCESS", false },
    { 0x00000002, "ERROR_FILE_NOT_FOUND", false },
    { 0x00000006, "ERROR_INVALID_HANDLE", false },
    { 0x00000032, "ERROR_NOT_SUPPORTED", false },
    { 0x000006ba, "RPC_S_SERVER_UNAVAILABLE", false },
    { 0x000006bb, "RPC_S_SERVER_TOO_BUSY", false },
    { 0x000006be, "RPC_S_CALL_FAILED", false },
    { 0x000006d1, "RPC_S_PROCNUM_OUT_OF_RANGE", false },
    { 0x000006f7, "nca_s_fault_ndr", false },
    { 0x1c000001, "nca_s_fault_int_div_by_zero", false },
    { 0x1c000008, "nca_s_rpc_version_mismatch", false },
    { 0x1c000009, "nca_s_unspec_reject", false },
    { 0x1c00000d, "nca_s_fault_cancel", false },
    { 0x1c000012, "nca_s_fault_unspec", false },
    { 0x1c00001a, "nca_s_fault_context_mismatch", false },
    { 0x1c00001b, "nca_s_fault_remote_no_memory", false },
    { 0x1c00001c, "nca_s_invalid_pres_context_id", false },
    { 0x1c00001f, "nca_s_invalid_checksum", false },
    { 0x1c000025, "nca_s_fault_no_client_stub", false },
    { 0x1c010002, "nca_s_op_rng_error", false },
    { 0x1c010003, "nca_s_unk_if", false },
    { 0x1c01000b, "nca_s_proto_error", false },
    { 0x1c010014, "nca_s_server_too_busy", false },
    { 0x1c010017, "nca_s_unsupported_type", false },
    { 0x80004005, "E_FAIL", false },
    { 0x8007000e, "E_OUTOFMEMORY", false },
    { 0x80300112, "PLA_E_RULES_MANAGER_FAILED", false },
    { 0x80070002, "HRESULT_FROM_WIN32(ERROR_FILE_NOT_FOUND)", false },
    /* Of nobody's */
    { 0x1c00001e, "0x1c00001e", false },
    { 0x12345678, "0x12345678", false },
};

static void
check_fault_is_shown_with_name_and_request(wmem_allocator_t *scope)
{
    static const struct rpc_call asked = { .request_frame = 7, .request_time = { 10, 0 } };
    static const struct rpc_call unasked = { .request_time = { 10, 0 } };
    static const struct rpc_call later = { .request_frame = 1, .request_time = { 10, 250000000 } };
    static const struct {
        struct rpc_fault fault;
        const char *expected;
    } cases[] = {
        { { .call = &asked, .has_status = true, .status = 5 },
            "5 nca_s_fault_access_denied (0x00000005)|Open was answered with a fault: nca_s_fault_access_denied|asked "
            "in 7|after 250 ms" },
        { { .call = &unasked, .has_status = true, .status = 0x1c010014, .not_executed = true },
            "1c010014 nca_s_server_too_busy (0x1c010014), the server did not execute the call|"
            "Open was answered with a fault: nca_s_server_too_busy" },
        { { .call = &asked }, "|asked in 7|after 250 ms" },
        { { .call = &asked, .status = 5, .not_executed = true }, "|asked in 7|after 250 ms" },
        { { .call = &later }, "|asked in 1" },
        { { .call = &unasked }, "" },
    };
    static const int fault = FAULT, request_in = REQUEST_IN, response = RESPONSE;
    expert_field faulted = EI_INIT;
    const struct rpc_fault_items items = { &fault, &request_in, &response, &faulted };
    packet_info pinfo = { .pool = scope, .abs_ts = { 10, 250000000 } };

    for (size_t i = 0; i < array_length(cases); i++) {
        shown = wmem_strbuf_new(scope, "");
        memset(infos, 0, sizeof infos);
        rpc_fault_show(&cases[i].fault, &items, "Open", &pinfo, &tree, NULL);
        CHECK(strcmp(wmem_strbuf_get_str(shown), cases[i].expected) == 0, "%s", wmem_strbuf_get_str(shown));
        CHECK_EQUAL(proto_item_is_generated(&items_shown[0]) != 0, cases[i].fault.has_status, "a status as a name");
        CHECK_EQUAL(proto_item_is_generated(&items_shown[1]) != 0, cases[i].fault.call->request_frame != 0, "%zu", i);
        CHECK_EQUAL(proto_item_is_generated(&items_shown[2]) != 0, cases[i].fault.call == &asked, "%zu", i);
    }
}

/* Wireshark searches the names by halves: the values ascend, and none comes twice. */
static void
check_names_ascend_by_value(void)
{
    const value_string *values = rpc_fault_vals_ext._vs_p;
    unsigned count = 0;

    for (; values[count].strptr != NULL; count++) {
        CHECK(count == 0 || values[count - 1].value < values[count].value, "0x%08x, then 0x%08x",
            values[count - 1].value, values[count].value);
    }
    CHECK(rpc_fault_vals_ext._vs_num_entries == count && values[count].value == 0, "%u, not %u",
        rpc_fault_vals_ext._vs_num_entries, count);
}

int
main(void)
{
    wmem_allocator_t *scope;

    wmem_init_scopes();
    win32_names_init();
    rpc_fault_init();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    for (size_t i = 0; i < array_length(statuses); i++) {
        const struct rpc_fault fault = { .has_status = true, .status = statuses[i].status };
        const char *text = rpc_fault_text(scope, statuses[i].status);

        CHECK(strcmp(text, statuses[i].name) == 0, "0x%08x: %s, not %s", statuses[i].status, text, statuses[i].name);
        CHECK(rpc_fault_is_refusal(statuses[i].status) == statuses[i].is_refusal, "%s", statuses[i].name);
        CHECK(strcmp(rpc_fault_text_of(scope, &fault), statuses[i].name) == 0, "%s", statuses[i].name);
    }
    CHECK_STRING(rpc_fault_text_of(scope, &(const struct rpc_fault){ .has_status = false }), "not captured", "cut off");
    check_fault_is_shown_with_name_and_request(scope);
    check_names_ascend_by_value();
    wmem_destroy_allocator(scope);
    return check_result();
}
