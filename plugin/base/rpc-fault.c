/* rpc-fault.c
 * The status of a fault PDU
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

#include <stdlib.h>

#include "base/rpc-pdu.h"
#include "base/win32-names.h"

/* Names of [C706] appendix E. The first two are Win32 codes, with the names that Wireshark gives them. */
static const value_string nca_faults[] = {
    { 0x00000005, "nca_s_fault_access_denied" },
    { 0x000006f7, "nca_s_fault_ndr" },
    { 0x1c000001, "nca_s_fault_int_div_by_zero" },
    { 0x1c000002, "nca_s_fault_addr_error" },
    { 0x1c000003, "nca_s_fault_fp_div_zero" },
    { 0x1c000004, "nca_s_fault_fp_underflow" },
    { 0x1c000005, "nca_s_fault_fp_overflow" },
    { 0x1c000006, "nca_s_fault_invalid_tag" },
    { 0x1c000007, "nca_s_fault_invalid_bound" },
    { 0x1c000008, "nca_s_rpc_version_mismatch" },
    { 0x1c000009, "nca_s_unspec_reject" },
    { 0x1c00000a, "nca_s_bad_actid" },
    { 0x1c00000b, "nca_s_who_are_you_failed" },
    { 0x1c00000c, "nca_s_manager_not_entered" },
    { 0x1c00000d, "nca_s_fault_cancel" },
    { 0x1c00000e, "nca_s_fault_ill_inst" },
    { 0x1c00000f, "nca_s_fault_fp_error" },
    { 0x1c000010, "nca_s_fault_int_overflow" },
    { 0x1c000012, "nca_s_fault_unspec" },
    { 0x1c000013, "nca_s_fault_remote_comm_failure" },
    { 0x1c000014, "nca_s_fault_pipe_empty" },
    { 0x1c000015, "nca_s_fault_pipe_closed" },
    { 0x1c000016, "nca_s_fault_pipe_order" },
    { 0x1c000017, "nca_s_fault_pipe_discipline" },
    { 0x1c000018, "nca_s_fault_pipe_comm_error" },
    { 0x1c000019, "nca_s_fault_pipe_memory" },
    { 0x1c00001a, "nca_s_fault_context_mismatch" },
    { 0x1c00001b, "nca_s_fault_remote_no_memory" },
    { 0x1c00001c, "nca_s_invalid_pres_context_id" },
    { 0x1c00001d, "nca_s_unsupported_authn_level" },
    { 0x1c00001f, "nca_s_invalid_checksum" },
    { 0x1c000020, "nca_s_invalid_crc" },
    { 0x1c000021, "nca_s_fault_user_defined" },
    { 0x1c000022, "nca_s_fault_tx_open_failed" },
    { 0x1c000023, "nca_s_fault_codeset_conv_error" },
    { 0x1c000024, "nca_s_fault_object_not_found" },
    { 0x1c000025, "nca_s_fault_no_client_stub" },
    { 0x1c010001, "nca_s_comm_failure" },
    { 0x1c010002, "nca_s_op_rng_error" },
    { 0x1c010003, "nca_s_unk_if" },
    { 0x1c010006, "nca_s_wrong_boot_time" },
    { 0x1c010009, "nca_s_you_crashed" },
    { 0x1c01000b, "nca_s_proto_error" },
    { 0x1c010013, "nca_s_out_args_too_big" },
    { 0x1c010014, "nca_s_server_too_busy" },
    { 0x1c010015, "nca_s_fault_string_too_long" },
    { 0x1c010017, "nca_s_unsupported_type" },
    { 0, NULL },
};

#define HRESULT_FAILED 0x80000000u

value_string_ext rpc_fault_vals_ext = VALUE_STRING_EXT_INIT(nca_faults);

static int
compare_values(const void *a, const void *b)
{
    const uint32_t x = ((const value_string *)a)->value;
    const uint32_t y = ((const value_string *)b)->value;

    return x < y ? -1 : x > y;
}

void
rpc_fault_init(void)
{
    const value_string_ext *const sources[] = { &win32_error_vals_ext, &hresult_vals_ext };
    const unsigned of_c706 = array_length(nca_faults) - 1;
    const unsigned most = of_c706 + win32_error_vals_ext._vs_num_entries + hresult_vals_ext._vs_num_entries;
    value_string *all = (value_string *)wmem_memdup(wmem_epan_scope(), nca_faults, sizeof nca_faults);
    unsigned count = of_c706;

    all = (value_string *)wmem_realloc(wmem_epan_scope(), all, (most + 1) * sizeof *all);
    for (size_t s = 0; s < array_length(sources); s++) {
        for (unsigned i = 0; i < sources[s]->_vs_num_entries; i++) {
            const value_string *entry = &sources[s]->_vs_p[i];
            const bool is_hresult = sources[s] == &hresult_vals_ext;

            if ((entry->value >= HRESULT_FAILED) == is_hresult && try_val_to_str(entry->value, nca_faults) == NULL) {
                all[count++] = *entry;
            }
        }
    }
    qsort(all, count, sizeof *all, compare_values);
    all[count] = (value_string){ 0, NULL };
    rpc_fault_vals_ext._vs_p = all;
    rpc_fault_vals_ext._vs_num_entries = count;
}

const char *
rpc_fault_text(wmem_allocator_t *scope, uint32_t status)
{
    const char *name = try_val_to_str_ext(status, &rpc_fault_vals_ext);

    if (name == NULL) {
        name = hresult_name(scope, status);
    }
    return name != NULL ? name : wmem_strdup_printf(scope, "0x%08x", status);
}

const char *
rpc_fault_text_of(wmem_allocator_t *scope, const struct rpc_fault *fault)
{
    return fault->has_status ? rpc_fault_text(scope, fault->status) : "not captured";
}

void
rpc_fault_show(const struct rpc_fault *fault, const struct rpc_fault_items *items, const char *operation,
    packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb)
{
    const char *text = rpc_fault_text_of(pinfo->pool, fault);
    proto_item *item;

    if (fault->has_status) {
        item = proto_tree_add_uint_format_value(tree, *items->hf_fault, tvb, PDU_FAULT_STATUS_AT, 4, fault->status,
            "%s (0x%08x)%s", text, fault->status, fault->not_executed ? ", the server did not execute the call" : "");
        proto_item_set_generated(item);
        expert_add_info_format(pinfo, item, items->ei_fault, "%s was answered with a fault: %s", operation, text);
    }
    if (fault->call->request_frame != 0) {
        proto_item_set_generated(
            proto_tree_add_uint(tree, *items->hf_request_in, tvb, 0, 0, fault->call->request_frame));
    }
    rpc_response_show(rpc_response_time(fault->call->request_frame, &fault->call->request_time, pinfo),
        *items->hf_response, pinfo, tree, tvb);
}

bool
rpc_fault_is_refusal(uint32_t status)
{
    switch (status) {
    case WIN32_ACCESS_DENIED:
    case 0x000006d3: /* RPC_S_UNKNOWN_AUTHN_SERVICE */
    case 0x000006d4: /* RPC_S_UNKNOWN_AUTHN_LEVEL */
    case 0x0000071d: /* RPC_S_UNSUPPORTED_AUTHN_LEVEL */
    case 0x1c00001d: /* nca_s_unsupported_authn_level */
    case 0x80070005: /* E_ACCESSDENIED */ return true;
    default: return false;
    }
}
