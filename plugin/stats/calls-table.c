/* calls-table.c
 * -z perflibv2,calls and -z pla,calls: how often each operation was called, and what came of it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/calls-table.h"

#include "base/rpc-fault.h"
#include "stats/rows.h"

enum calls_column { COLUMN_OPERATION, COLUMN_RESULT, COLUMN_CALLS, COLUMN_FIRST, COLUMN_LAST, NUM_COLUMNS };

static stat_tap_table_item calls_columns[NUM_COLUMNS] = {
    [COLUMN_OPERATION] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Operation", "%-50s" },
    [COLUMN_RESULT] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Result", "%-40s" },
    [COLUMN_CALLS] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Calls", "%8u" },
    [COLUMN_FIRST] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "First in frame", "%14u" },
    [COLUMN_LAST] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Last in frame", "%13u" },
};

/* The table of one protocol. */
struct calls_table_calls {
    struct stat_rows rows; /* first; keys are "operation\nresult" */
    describe_call describe;
};

static unsigned
calls_table_find_row(struct stat_rows *rows, const char *operation, const char *result, const packet_info *pinfo)
{
    const char *key = wmem_strdup_printf(pinfo->pool, "%s\n%s", operation, result);
    stat_tap_table_item_type cells[NUM_COLUMNS];
    unsigned row;

    if (stat_rows_find(rows, key, &row)) {
        return row;
    }
    stat_cells_init(rows, cells);
    stat_cell_set_text(&cells[COLUMN_OPERATION], operation);
    stat_cell_set_text(&cells[COLUMN_RESULT], result);
    cells[COLUMN_FIRST].value.uint_value = pinfo->num;
    return stat_rows_add(rows, g_strdup(key), cells);
}

static bool
calls_count(struct stat_rows *rows, const packet_info *pinfo, const void *tapped)
{
    struct counted_call call = { NULL, NULL, NULL, 0, false, NULL };
    const bool is_end = ((const struct calls_table_calls *)rows)->describe(tapped, pinfo->pool, &call);
    const bool is_sealed = stat_rows_end_with(rows, call.needed);
    stat_tap_table_item_type *cells;

    if (!is_end) {
        return is_sealed;
    }
    if (call.interface_name != NULL) {
        call.operation = wmem_strdup_printf(pinfo->pool, "%s: %s", call.interface_name, call.operation);
    }
    if (call.is_fault) {
        call.result = wmem_strdup_printf(pinfo->pool, "fault %s", rpc_fault_text(pinfo->pool, call.code));
    } else if (call.result == NULL) {
        call.result = wmem_strdup_printf(pinfo->pool, "0x%08x", call.code);
    }
    cells = stat_rows_cells(rows, calls_table_find_row(rows, call.operation, call.result, pinfo));
    cells[COLUMN_CALLS].value.uint_value++;
    cells[COLUMN_LAST].value.uint_value = pinfo->num;
    return true;
}

void
calls_table_register(const char *protocol, const char *tap_name, const char *title, describe_call describe)
{
    struct calls_table_calls *calls = wmem_new(wmem_epan_scope(), struct calls_table_calls);

    *calls = (struct calls_table_calls){
        .rows = {
            .ui = {
                .title = "Calls",
                .cli_string = "calls",
                .nfields = NUM_COLUMNS,
                .fields = calls_columns,
            },
            .count = calls_count,
            .owned = 1u << COLUMN_OPERATION | 1u << COLUMN_RESULT,
            .hash = wmem_str_hash,
            .equal = g_str_equal,
            .free_key = g_free,
        },
        .describe = describe,
    };
    stat_rows_register_for(&calls->rows, protocol, tap_name, title);
}
