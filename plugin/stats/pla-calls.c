/* pla-calls.c
 * -z pla,calls: calls by interface, method and HRESULT
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "compat.h"

#include "base/win32-names.h"
#include "pla/record.h"
#include "stats/calls-table.h"

/* The table counts answers, as it tells what came of a call. */
static bool
describe_pla_call(const void *tapped, wmem_allocator_t *scope, struct counted_call *told)
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

void
pla_calls_register(void)
{
    calls_table_register("pla", "pla", "PLA", describe_pla_call);
}
