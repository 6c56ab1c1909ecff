/* calls.c
 * -z perflibv2,calls and -z pla,calls: number and results of the calls of each operation
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "base/rpc-call.h"
#include "base/win32-names.h"
#include "perflibv2/record.h"
#include "pla/record.h"

enum calls_column { COLUMN_OPERATION, COLUMN_RESULT, COLUMN_CALLS, COLUMN_FIRST, COLUMN_LAST, NUM_COLUMNS };

static const struct stat_column calls_columns[NUM_COLUMNS] = {
    [COLUMN_OPERATION] = STAT_TEXT("operation", "Operation"),
    [COLUMN_RESULT] = STAT_TEXT("result", "Result"),
    [COLUMN_CALLS] = STAT_COUNT("calls", "Calls"),
    [COLUMN_FIRST] = STAT_COUNT("first_frame", "First in frame"),
    [COLUMN_LAST] = STAT_COUNT("last_frame", "Last in frame"),
};

/* Call as counted by the table, made from a tap record. Texts are constant, or packet scope. */
struct counted_call {
    bool is_end;                /* true if the record ends a call; other records are not counted */
    const char *interface_name; /* NULL if the protocol has a single interface */
    const char *operation;
    const char *result;              /* result as text; NULL if its code has no name */
    uint32_t code;                   /* code of the result or of a fault */
    bool is_fault;                   /* true if the code is a fault's status */
    const struct key_needed *needed; /* key missing for a sealed call; else NULL */
};

static bool
calls_count(struct stat_rows *rows, const packet_info *pinfo, struct counted_call *call)
{
    const bool is_sealed = stat_rows_end_with(rows, call->needed);
    stat_tap_table_item_type *cells;
    bool is_new;
    unsigned row;

    if (!call->is_end) {
        return is_sealed;
    }
    if (call->interface_name != NULL) {
        call->operation = wmem_strdup_printf(pinfo->pool, "%s: %s", call->interface_name, call->operation);
    }
    if (call->is_fault) {
        call->result = wmem_strdup_printf(pinfo->pool, "fault %s", rpc_fault_text(pinfo->pool, call->code));
    } else if (call->result == NULL) {
        call->result = wmem_strdup_printf(pinfo->pool, "0x%08x", call->code);
    }
    is_new =
        stat_rows_find_or_add(rows, wmem_strdup_printf(pinfo->pool, "%s\n%s", call->operation, call->result), &row);
    cells = stat_rows_cells(rows, row);
    if (is_new) {
        stat_cell_set_text(&cells[COLUMN_OPERATION], call->operation);
        stat_cell_set_text(&cells[COLUMN_RESULT], call->result);
        cells[COLUMN_FIRST].value.uint_value = pinfo->num;
    }
    cells[COLUMN_CALLS].value.uint_value++;
    cells[COLUMN_LAST].value.uint_value = pinfo->num;
    return true;
}

static bool
count_perflibv2_call(struct stat_rows *rows, const packet_info *pinfo, const void *tapped)
{
    const struct perflibv2_tap *call = (const struct perflibv2_tap *)tapped;
    struct counted_call counted = {
        .is_end = call->is_response && (call->unread == NULL || call->is_last),
        .operation = call->operation,
        .needed = call->needed,
    };

    if (call->unread != NULL) {
        counted.result = "sealed, not decrypted";
    } else if (call->is_fault) {
        counted.is_fault = true;
        counted.code = call->fault;
    } else if (call->has_return_code) {
        counted.code = call->return_code;
        counted.result = try_val_to_str_ext(call->return_code, &win32_error_vals_ext);
    } else {
        counted.result = "return code not captured";
    }
    return calls_count(rows, pinfo, &counted);
}

static bool
count_pla_call(struct stat_rows *rows, const packet_info *pinfo, const void *tapped)
{
    const struct pla_tap *call = (const struct pla_tap *)tapped;
    struct counted_call counted = {
        .is_end = call->is_response && (!call->is_unread || call->is_last),
        .interface_name = call->interface_name,
        .operation = call->method_name,
        .needed = call->needed,
    };

    if (call->is_unread) {
        counted.result = "sealed, not decrypted";
    } else if (call->is_fault) {
        counted.is_fault = true;
        counted.code = call->fault;
    } else if (!call->has_hresult) {
        counted.result = "HRESULT not captured";
    } else {
        counted.code = call->hresult;
        counted.result = hresult_name(pinfo->pool, call->hresult);
    }
    return calls_count(rows, pinfo, &counted);
}

#define CALLS_TABLE(count_call) \
    { \
        .name = "calls", .title = "Calls", .columns = calls_columns, .num_columns = NUM_COLUMNS, \
        .count = (count_call), .frames = STAT_BIT(COLUMN_FIRST) | STAT_BIT(COLUMN_LAST), \
    }

const struct stat_kind perflibv2_calls_table = CALLS_TABLE(count_perflibv2_call);
const struct stat_kind pla_calls_table = CALLS_TABLE(count_pla_call);
