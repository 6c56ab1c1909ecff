/* tap-pla.c
 * Statistics of [MS-PLA]: calls by interface, method and HRESULT; data collector sets
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include <glib.h>

#include <epan/stat_tap_ui.h>
#include <epan/stats_tree.h>
#include <epan/tap.h>

#include "pla-objects.h"
#include "stat-rows.h"
#include "tap-pla.h"
#include "win32-names.h"

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

static struct stat_rows sets_retired = { .owned = 1u << SETS_NAME | 1u << SETS_SERVER | 1u << SETS_STATUS | 1u << SETS_ERROR };

static stat_tap_table_item sets_columns[] = {
    { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Data collector set", "%-30s" },
    { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Server", "%-20s" },
    { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Calls", "%d" },
    { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Failed", "%d" },
    { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Last status", "%-12s" },
    { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Last error", "%s" },
};

#define SETS_TITLE      "Data collector sets"
#define UNNAMED         "(name not in the capture)"

/* Rows by "server name", or by the object while it has no name. One table at a time, as Wireshark's own do. */
static GHashTable *sets_rows;

static void
sets_forget(void)
{
    if (sets_rows != NULL) {
        g_hash_table_destroy(sets_rows);
    }
    sets_rows = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

static void
sets_init(stat_tap_table_ui *ui)
{
    stat_tap_table *table = stat_tap_find_table(ui, SETS_TITLE);

    sets_forget();
    if (table != NULL) {
        if (ui->stat_tap_reset_table_cb != NULL) {
            ui->stat_tap_reset_table_cb(table);
        }
        return;
    }
    stat_rows_release(&sets_retired);
    table = stat_tap_init_table(SETS_TITLE, SETS_NUM_COLUMNS, 0, NULL);
    stat_tap_add_table(ui, table);
}

static void
set_text(stat_tap_table *table, unsigned row, unsigned column, const char *text)
{
    stat_tap_table_item_type *const field = stat_tap_get_field_data(table, row, column);

    if (strcmp(field->value.string_value, text) != 0) {
        g_free((char *)field->value.string_value);
        field->value.string_value = g_strdup(text);
        stat_tap_set_field_data(table, row, column, field);
    }
}

static void
add_one(stat_tap_table *table, unsigned row, unsigned column)
{
    stat_tap_table_item_type *const field = stat_tap_get_field_data(table, row, column);

    field->value.uint_value++;
    stat_tap_set_field_data(table, row, column, field);
}

/* The row of a named set, or of an object that has no name yet: that row becomes the set's once it has. */
static unsigned
sets_row(stat_tap_table *table, const struct pla_tap_call *call)
{
    char *const by_object = g_strdup_printf("%p", (const void *)call->set);
    char *const by_name = call->set_name != NULL ? g_strdup_printf("%s %s", call->server, call->set_name) : NULL;
    void *row = NULL;
    bool found = by_name != NULL && g_hash_table_lookup_extended(sets_rows, by_name, NULL, &row);

    if (!found && g_hash_table_lookup_extended(sets_rows, by_object, NULL, &row)) {
        found = true;
        if (by_name != NULL) {
            set_text(table, GPOINTER_TO_UINT(row), SETS_NAME, call->set_name);
            g_hash_table_insert(sets_rows, g_strdup(by_name), row);
            g_hash_table_remove(sets_rows, by_object);
        }
    }
    if (!found) {
        const unsigned next = table->num_elements;
        stat_tap_table_item_type items[SETS_NUM_COLUMNS];

        memset(items, 0, sizeof items);
        for (size_t i = 0; i < SETS_NUM_COLUMNS; i++) {
            items[i].type = sets_columns[i].type;
            if (items[i].type == TABLE_ITEM_STRING) {
                items[i].value.string_value = g_strdup(i == SETS_NAME ? (by_name != NULL ? call->set_name : UNNAMED) :
                                                       i == SETS_SERVER ? call->server : "");
            }
        }
        stat_tap_init_table_row(table, next, SETS_NUM_COLUMNS, items);
        row = GUINT_TO_POINTER(next);
        g_hash_table_insert(sets_rows, g_strdup(by_name != NULL ? by_name : by_object), row);
    }
    g_free(by_object);
    g_free(by_name);
    return GPOINTER_TO_UINT(row);
}

static tap_packet_status
sets_packet(void *tap_data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *data, tap_flags_t flags _U_)
{
    const struct pla_tap_call *const call = data;
    stat_data_t *const stat_data = tap_data;
    stat_tap_table *table;
    unsigned row;

    /* By the response the call's outcome is known, and the set's name if the call taught it. */
    if (!call->response || call->set == NULL || sets_rows == NULL) {
        return TAP_PACKET_DONT_REDRAW;
    }
    table = g_array_index(stat_data->stat_tap_data->tables, stat_tap_table *, 0);
    row = sets_row(table, call);
    add_one(table, row, SETS_CALLS);
    if (call->status != NULL) {
        set_text(table, row, SETS_STATUS, call->status);
    }
    if (call->has_hresult && (call->hresult & 0x80000000) != 0) {
        const char *const name = hresult_name(pinfo->pool, call->hresult);

        add_one(table, row, SETS_FAILED);
        set_text(table, row, SETS_ERROR,
                 wmem_strdup_printf(pinfo->pool, "%s (%s, frame %u)",
                                    name != NULL ? name : wmem_strdup_printf(pinfo->pool, "0x%08x", call->hresult),
                                    call->method->name, pinfo->num));
    }
    return TAP_PACKET_REDRAW;
}

static void
sets_reset(stat_tap_table *table)
{
    sets_forget();
    stat_rows_retire(&sets_retired, table);
}

static void
sets_free_item(stat_tap_table *table _U_, guint row _U_, guint column, stat_tap_table_item_type *field)
{
    stat_rows_free_item(&sets_retired, column, field);
}

void
tap_pla_register(void)
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
    };

    tap_pla = register_tap("pla");
    stats_tree_register_plugin("pla", "pla", "PLA", 0, tree_packet, tree_init, NULL);
    register_stat_tap_table_ui(&sets_ui);
}
