/* perflibv2-calls.c
 * -z perflibv2,calls: calls per operation and return code
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "compat.h"

#include "base/win32-names.h"
#include "perflibv2/record.h"
#include "stats/calls-table.h"

static bool
describe_perflibv2_call(const void *tapped, wmem_allocator_t *scope _U_, struct counted_call *told)
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
    calls_table_register("perflibv2", "perflibv2", "PerflibV2", describe_perflibv2_call);
}
