/* pla-calls.c
 * -z pla,tree and pla,calls: calls by interface, method and HRESULT
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "compat.h"

#include <epan/stats_tree.h>
#include <epan/tap.h>

#include "base/win32-names.h"
#include "pla/record.h"
#include "stats/calls-table.h"
#include "stats/tree-codes.h"

static const char *const calls_node = "PLA calls";
static int calls_id;

static void
pla_calls_calls_init(stats_tree *st)
{
    calls_id = tree_codes_begin(st, calls_node);
}

/* The table counts answers, as it tells what came of a call. */
static bool
pla_calls_calls_describe(const void *tapped, wmem_allocator_t *scope, struct counted_call *told)
{
    const struct pla_tap *call = (const struct pla_tap *)tapped;

    told->needed = call->needed;
    if (!call->is_response || (call->is_unread && !call->is_last)) {
        return false;
    }
    told->interface_name = call->interface_name;
    told->operation = call->method_name;
    if (call->is_unread) {
        told->result = "sealed, not read";
    } else if (call->is_fault) {
        told->is_fault = true;
        told->code = call->fault;
    } else if (!call->has_hresult) {
        told->result = "HRESULT not captured";
    } else {
        told->code = call->hresult;
        told->result = hresult_name(scope, call->hresult);
    }
    return true;
}

static tap_packet_status
pla_calls_calls_packet(stats_tree *st, packet_info *pinfo, epan_dissect_t *edt _U_, const void *data,
    tap_flags_t flags _U_)
{
    const struct pla_tap *call = (const struct pla_tap *)data;
    struct counted_call told = { .operation = NULL };
    int parent;

    tree_codes_needed(st, call->needed);
    if (call->is_unread && !call->is_last) {
        return TAP_PACKET_DONT_REDRAW;
    }
    if (!call->is_response) {
        tick_stat_node(st, calls_node, 0, true);
        parent = tick_stat_node(st, call->interface_name, calls_id, true);
        parent = tick_stat_node(st, call->method_name, parent, true);
        if (call->is_unread) {
            tick_stat_node(st, "request sealed, not read", parent, false);
        }
    } else if (call->is_unread) {
        parent = increase_stat_node(st, call->interface_name, calls_id, true, 0);
        parent = increase_stat_node(st, call->method_name, parent, true, 0);
        tick_stat_node(st, "answer sealed, not read", parent, false);
    } else if (call->is_fault || call->has_hresult) {
        /* Below its method, without counting the call once more. */
        parent = increase_stat_node(st, call->interface_name, calls_id, true, 0);
        parent = increase_stat_node(st, call->method_name, parent, true, 0);
        pla_calls_calls_describe(call, pinfo->pool, &told);
        tree_codes_count_call(st, parent, &told);
    }
    return TAP_PACKET_REDRAW;
}

void
pla_calls_register(void)
{
    stats_tree_register("pla", "pla", "PLA Calls", 0, pla_calls_calls_packet, pla_calls_calls_init, tree_codes_end);
    calls_table_register("pla", "pla", "PLA", pla_calls_calls_describe);
}
