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
perflibv2_calls_calls_init(stats_tree *st)
{
    calls_id = tree_codes_begin(st, calls_node);
}

/* What a record counts for, in tree and table. */
static bool
perflibv2_calls_calls_describe(const void *tapped, wmem_allocator_t *scope _U_, struct counted_call *told)
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

static tap_packet_status
perflibv2_calls_calls_packet(stats_tree *st, packet_info *pinfo, epan_dissect_t *edt _U_, const void *data,
    tap_flags_t flags _U_)
{
    struct counted_call call = { .operation = NULL };
    const bool is_end = perflibv2_calls_calls_describe(data, pinfo->pool, &call);

    tree_codes_needed(st, call.needed);
    if (!is_end) {
        return TAP_PACKET_DONT_REDRAW;
    }
    tick_stat_node(st, calls_node, 0, true);
    tree_codes_count_call(st, tick_stat_node(st, call.operation, calls_id, true), &call);
    return TAP_PACKET_REDRAW;
}

void
perflibv2_calls_register(void)
{
    stats_tree_register("perflibv2", "perflibv2", "PerflibV2 Calls", 0, perflibv2_calls_calls_packet,
        perflibv2_calls_calls_init, tree_codes_end);
    calls_table_register("perflibv2", "perflibv2", "PerflibV2", perflibv2_calls_calls_describe);
}
