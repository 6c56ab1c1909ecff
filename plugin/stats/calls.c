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

/* How a call ended, as the table counts it, made from a tap record. Texts are constant, or packet scope. */
struct call_result {
    bool is_end;                /* true if the record ends a call; other records are not counted */
    const char *interface_name; /* NULL if the protocol has a single interface */
    const char *operation;
    const char *text;                /* result as text; NULL if its code has no name */
    uint32_t code;                   /* code of the result or of a fault */
    bool is_fault;                   /* true if the code is a fault's status */
    const struct key_needed *needed; /* key missing for a sealed call; else NULL */
};

static bool
calls_count(struct stat_rows *rows, const packet_info *pinfo, struct call_result *result)
{
    const bool is_sealed = stat_rows_end_with(rows, result->needed);
    stat_tap_table_item_type *cells;
    bool is_new;
    unsigned row;

    if (!result->is_end) {
        return is_sealed;
    }
    if (result->interface_name != NULL) {
        result->operation = wmem_strdup_printf(pinfo->pool, "%s: %s", result->interface_name, result->operation);
    }
    if (result->is_fault) {
        result->text = wmem_strdup_printf(pinfo->pool, "fault %s", rpc_fault_text(pinfo->pool, result->code));
    } else if (result->text == NULL) {
        result->text = wmem_strdup_printf(pinfo->pool, "0x%08x", result->code);
    }
    is_new =
        stat_rows_find_or_add(rows, wmem_strdup_printf(pinfo->pool, "%s\n%s", result->operation, result->text), &row);
    cells = stat_rows_cells(rows, row);
    if (is_new) {
        stat_cell_set_text(&cells[COLUMN_OPERATION], result->operation);
        stat_cell_set_text(&cells[COLUMN_RESULT], result->text);
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
    struct call_result result = {
        .is_end = call->is_response && (call->unread == NULL || call->is_last),
        .operation = call->operation,
        .needed = call->needed,
    };

    if (call->unread != NULL) {
        result.text = "sealed, not decrypted";
    } else if (call->is_fault) {
        result.is_fault = true;
        result.code = call->fault;
    } else if (call->has_return_code) {
        result.code = call->return_code;
        result.text = try_val_to_str_ext(call->return_code, &win32_error_vals_ext);
    } else {
        result.text = "return code not captured";
    }
    return calls_count(rows, pinfo, &result);
}

static bool
count_pla_call(struct stat_rows *rows, const packet_info *pinfo, const void *tapped)
{
    const struct pla_tap *call = (const struct pla_tap *)tapped;
    struct call_result result = {
        .is_end = call->is_response && (!call->is_unread || call->is_last),
        .interface_name = call->interface_name,
        .operation = call->method_name,
        .needed = call->needed,
    };

    if (call->is_unread) {
        result.text = "sealed, not decrypted";
    } else if (call->is_fault) {
        result.is_fault = true;
        result.code = call->fault;
    } else if (!call->has_hresult) {
        result.text = "HRESULT not captured";
    } else {
        result.code = call->hresult;
        result.text = hresult_name(pinfo->pool, call->hresult);
    }
    return calls_count(rows, pinfo, &result);
}

#define CALLS_TABLE(count_call) \
    { \
        .name = "calls", .title = "Calls", .columns = calls_columns, .num_columns = NUM_COLUMNS, \
        .count = (count_call), .frames = STAT_BIT(COLUMN_FIRST) | STAT_BIT(COLUMN_LAST), \
    }

const struct stat_kind perflibv2_calls_table = CALLS_TABLE(count_perflibv2_call);
const struct stat_kind pla_calls_table = CALLS_TABLE(count_pla_call);
