/* pla.c
 * Statistics of [MS-PLA]: calls by interface, method and HRESULT; data collector sets
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include <glib.h>

#include <epan/stat_tap_ui.h>
#include <epan/stats_tree.h>
#include <epan/tap.h>

#include "base/win32-names.h"
#include "pla/objects.h"
#include "stats/pla.h"
#include "stats/rows.h"

static int tap_pla = -1;

void
tap_pla_queue(packet_info *pinfo, const struct pla_tap_call *call)
{
    tap_queue_packet(tap_pla, pinfo, call);
}

/* -z pla,tree */

static int tree_calls = -1;

static void
tree_init(stats_tree *st)
{
    tree_calls = stats_tree_create_node(st, "PLA calls", 0, STAT_DT_INT, TRUE);
}

static tap_packet_status
tree_packet(stats_tree *st, packet_info *pinfo, epan_dissect_t *edt _U_, const void *data, tap_flags_t flags _U_)
{
    const struct pla_tap_call *const call = data;
    int interface, method;

    if (!call->response) {
        tick_stat_node(st, "PLA calls", 0, TRUE);
        interface = tick_stat_node(st, call->interface->name, tree_calls, TRUE);
        tick_stat_node(st, call->method->name, interface, TRUE);
    } else if (call->has_hresult) {
        const char *const name = hresult_name(pinfo->pool, call->hresult);

        /* Below its method, without counting the call once more. */
        interface = increase_stat_node(st, call->interface->name, tree_calls, TRUE, 0);
        method = increase_stat_node(st, call->method->name, interface, TRUE, 0);
        tick_stat_node(st, name != NULL ? name : wmem_strdup_printf(pinfo->pool, "0x%08x", call->hresult), method, FALSE);
    }
    return TAP_PACKET_REDRAW;
}

/* -z pla,sets */

enum {
    SETS_NAME,
    SETS_SERVER,
    SETS_CALLS,
    SETS_FAILED,
    SETS_STATUS,
    SETS_ERROR,
    SETS_NUM_COLUMNS
};

/* Keys are "server name", or the object while it has no name. */
static struct stat_rows sets_rows = {
    .owned = 1u << SETS_NAME | 1u << SETS_SERVER | 1u << SETS_STATUS | 1u << SETS_ERROR,
    .hash = g_str_hash,
    .equal = g_str_equal,
    .free_key = g_free,
};

static stat_tap_table_item sets_columns[] = {
    { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Data collector set", "%-30s" },
    { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Server", "%-20s" },
    { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Calls", "%d" },
    { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Failed", "%d" },
    { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Last status", "%-12s" },
    { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Last error", "%s" },
};

#define UNNAMED         "(name not in the capture)"

static void
sets_init(stat_tap_table_ui *ui)
{
    stat_rows_init(&sets_rows, ui);
}

static void
sets_reset(stat_tap_table *table _U_)
{
    stat_rows_reset(&sets_rows);
}

static void
sets_free_item(stat_tap_table *table _U_, unsigned row _U_, unsigned column, stat_tap_table_item_type *item)
{
    stat_rows_free_item(&sets_rows, column, item);
}

/* The row of a named set, or of an object that has no name yet: that row becomes the set's once it has. */
static unsigned
sets_row(const struct pla_tap_call *call, wmem_allocator_t *scope)
{
    const char *const by_object = wmem_strdup_printf(scope, "%p", (const void *)call->set);
    const char *const by_name = call->set_name != NULL ? wmem_strdup_printf(scope, "%s %s", call->server, call->set_name) : NULL;
    stat_tap_table_item_type cells[SETS_NUM_COLUMNS];
    unsigned row;

    if (by_name != NULL && stat_rows_find(&sets_rows, by_name, &row)) {
        return row;
    }
    if (stat_rows_find(&sets_rows, by_object, &row)) {
        if (by_name != NULL) {
            stat_cell_set_text(&stat_rows_cells(&sets_rows, row)[SETS_NAME], call->set_name);
            stat_rows_add_key(&sets_rows, g_strdup(by_name), row);
            stat_rows_remove_key(&sets_rows, by_object);
        }
        return row;
    }
    stat_cells_init(cells, sets_columns, SETS_NUM_COLUMNS);
    cells[SETS_NAME] = stat_cell_text(by_name != NULL ? call->set_name : UNNAMED);
    cells[SETS_SERVER] = stat_cell_text(call->server);
    cells[SETS_STATUS] = stat_cell_text("");
    cells[SETS_ERROR] = stat_cell_text("");
    return stat_rows_add(&sets_rows, g_strdup(by_name != NULL ? by_name : by_object), cells);
}

static tap_packet_status
sets_packet(void *tap_data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *data, tap_flags_t flags _U_)
{
    const struct pla_tap_call *const call = data;
    stat_tap_table_item_type *cells;

    /* By the response the call's outcome is known, and the set's name if the call taught it. */
    if (!stat_rows_count_for(&sets_rows, tap_data) || !call->response || call->set == NULL) {
        return TAP_PACKET_DONT_REDRAW;
    }
    cells = stat_rows_cells(&sets_rows, sets_row(call, pinfo->pool));
    cells[SETS_CALLS].value.uint_value++;
    if (call->status != NULL) {
        stat_cell_set_text(&cells[SETS_STATUS], call->status);
    }
    if (call->has_hresult && (call->hresult & 0x80000000) != 0) {
        const char *const name = hresult_name(pinfo->pool, call->hresult);

        cells[SETS_FAILED].value.uint_value++;
        stat_cell_set_text(&cells[SETS_ERROR],
                           wmem_strdup_printf(pinfo->pool, "%s (%s, frame %u)",
                                              name != NULL ? name : wmem_strdup_printf(pinfo->pool, "0x%08x", call->hresult),
                                              call->method->name, pinfo->num));
    }
    return TAP_PACKET_REDRAW;
}

void
stats_pla_register(void)
{
    static stat_tap_table_ui sets_ui = {
        .group = REGISTER_PACKET_STAT_GROUP_UNSORTED,
        .title = "PLA data collector sets",
        .tap_name = "pla",
        .cli_string = "pla,sets",
        .stat_tap_init_cb = sets_init,
        .packet_func = sets_packet,
        .stat_tap_reset_table_cb = sets_reset,
        .stat_tap_free_table_item_cb = sets_free_item,
        .nfields = SETS_NUM_COLUMNS,
        .fields = sets_columns,
        .nparams = array_length(stat_rows_parameters),
        .params = stat_rows_parameters,
    };

    tap_pla = register_tap("pla");
    stats_tree_register_plugin("pla", "pla", "PLA", 0, tree_packet, tree_init, NULL);
    register_stat_tap_table_ui(&sets_ui);
}
