/* calls.c
 * -z perflibv2,calls and -z pla,calls: number and results of the calls of each operation
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

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

/*
 * Counts the record of a call. is_end: false if the record does not end the call; then only its missing key is counted.
 */
static bool
calls_count(struct stat_rows *rows, const packet_info *pinfo, const struct key_needed *needed, bool is_end,
    const char *operation, const char *result)
{
    const bool is_sealed = stat_rows_end_with(rows, needed);
    stat_tap_table_item_type *cells;
    bool is_new;
    unsigned row;

    if (!is_end) {
        return is_sealed;
    }
    is_new = stat_rows_find_or_add(rows, wmem_strdup_printf(pinfo->pool, "%s\n%s", operation, result), &row);
    cells = stat_rows_cells(rows, row);
    if (is_new) {
        stat_cell_set_text(&cells[COLUMN_OPERATION], operation);
        stat_cell_set_text(&cells[COLUMN_RESULT], result);
        cells[COLUMN_FIRST].value.uint_value = pinfo->num;
    }
    cells[COLUMN_CALLS].value.uint_value++;
    cells[COLUMN_LAST].value.uint_value = pinfo->num;
    return true;
}

static const char *
fault_result(const packet_info *pinfo, const char *text)
{
    return wmem_strdup_printf(pinfo->pool, "fault %s", text);
}

/* Returns the name of a code, or the code if it has none. */
static const char *
code_result(const packet_info *pinfo, const char *name, uint32_t code)
{
    return name != NULL ? name : wmem_strdup_printf(pinfo->pool, "0x%08x", code);
}

static bool
count_perflibv2_call(struct stat_rows *rows, const packet_info *pinfo, const void *tapped)
{
    const struct perflibv2_tap *call = (const struct perflibv2_tap *)tapped;
    const char *name = try_val_to_str_ext(call->return_code, &win32_error_vals_ext);

    return calls_count(rows, pinfo, call->needed, call->is_response && (call->unread == NULL || call->is_last),
        call->operation,
        call->unread != NULL         ? "sealed, not decrypted"
            : call->is_fault         ? fault_result(pinfo, call->fault_text)
            : !call->has_return_code ? "return code not captured"
                                     : code_result(pinfo, name, call->return_code));
}

static bool
count_pla_call(struct stat_rows *rows, const packet_info *pinfo, const void *tapped)
{
    const struct pla_tap *call = (const struct pla_tap *)tapped;

    return calls_count(rows, pinfo, call->needed, call->is_response && (!call->is_unread || call->is_last),
        wmem_strdup_printf(pinfo->pool, "%s: %s", call->interface_name, call->method_name),
        call->is_unread          ? "sealed, not decrypted"
            : call->is_fault     ? fault_result(pinfo, call->fault_text)
            : !call->has_hresult ? "HRESULT not captured"
                                 : code_result(pinfo, hresult_name(pinfo->pool, call->hresult), call->hresult));
}

#define CALLS_TABLE(count_call) \
    { \
        .name = "calls", .title = "Calls", .columns = calls_columns, .num_columns = NUM_COLUMNS, \
        .count = (count_call), .frames = STAT_BIT(COLUMN_FIRST) | STAT_BIT(COLUMN_LAST), \
    }

const struct stat_kind perflibv2_calls_table = CALLS_TABLE(count_perflibv2_call);
const struct stat_kind pla_calls_table = CALLS_TABLE(count_pla_call);
