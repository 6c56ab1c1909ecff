/* perflibv2-calls.c
 * -z perflibv2,tree and perflibv2,calls: calls per operation and return code
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "compat.h"

#include <epan/stats_tree.h>
#include <epan/tap.h>

#include "base/win32-names.h"
#include "perflibv2/record.h"
#include "stats/calls-table.h"
#include "stats/tree-codes.h"

static const char *const calls_node = "PerflibV2 calls";
static int calls_id;

static void
calls_init(stats_tree *st)
{
    calls_id = tree_codes_begin(st, calls_node);
}

static tap_packet_status
calls_packet(stats_tree *st, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *data, tap_flags_t flags _U_)
{
    const struct perflibv2_tap *call = (const struct perflibv2_tap *)data;
    int operation;

    tree_codes_needed(st, call->needed);
    if (!call->is_response || (call->unread != NULL && !call->is_last)) {
        return TAP_PACKET_DONT_REDRAW;
    }
    tick_stat_node(st, calls_node, 0, true);
    operation = tick_stat_node(st, call->operation, calls_id, true);
    if (call->unread != NULL) {
        tick_stat_node(st, "sealed, not read", operation, false);
    } else if (call->is_fault) {
        tree_codes_count_fault(st, operation, call->fault);
    } else if (call->has_return_code) {
        tree_codes_count(st, operation, call->return_code,
                         try_val_to_str_ext(call->return_code, &win32_error_vals_ext));
    } else {
        tick_stat_node(st, "return code not captured", operation, false);
    }
    return TAP_PACKET_REDRAW;
}

/* The same for the table. */
static bool
calls_describe(const void *tapped, wmem_allocator_t *scope _U_, struct counted_call *told)
{
    const struct perflibv2_tap *call = (const struct perflibv2_tap *)tapped;

    told->needed = call->needed;
    if (!call->is_response || (call->unread != NULL && !call->is_last)) {
        return false;
    }
    told->operation = call->operation;
    if (call->unread != NULL) {
        told->result = "sealed, not read";
    } else if (call->is_fault) {
        told->is_fault = true;
        told->code = call->fault;
    } else if (call->has_return_code) {
        told->code = call->return_code;
        told->result = try_val_to_str_ext(call->return_code, &win32_error_vals_ext);
    } else {
        told->result = "return code not captured";
    }
    return true;
}

void
perflibv2_calls_register(void)
{
    stats_tree_register("perflibv2", "perflibv2", "PerflibV2 Calls", 0, calls_packet, calls_init, tree_codes_end);
    calls_table_register("perflibv2", "perflibv2", "PerflibV2", calls_describe);
}
