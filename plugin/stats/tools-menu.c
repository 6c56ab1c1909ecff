/* tools-menu.c
 * Items of Wireshark's Tools menu
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include <epan/plugin_if.h>
#include <epan/stat_groups.h>

struct menu_entry {
    void (*chosen)(const funnel_ops_t *ops);
};

static void
choose(void *data)
{
    const funnel_ops_t *ops = funnel_get_funnel_ops();

    if (ops != NULL) {
        ((const struct menu_entry *)data)->chosen(ops);
    }
}

void
tools_menu_add(const char *name, void (*chosen)(const funnel_ops_t *ops))
{
    struct menu_entry *entry = wmem_new(wmem_epan_scope(), struct menu_entry);

    entry->chosen = chosen;
    funnel_register_menu(wmem_strdup_printf(wmem_epan_scope(), "Performance Counters/%s", name),
        REGISTER_TOOLS_GROUP_UNSORTED, choose, entry, NULL, false);
}

char *
tools_menu_capture(void)
{
    ws_info_t *info = NULL;
    char *folder, *path;

    plugin_if_get_ws_info(&info);
    if (info == NULL || !info->ws_info_supported || info->cf_filename == NULL) {
        return NULL;
    }
    folder = g_get_current_dir();
    path = g_path_is_absolute(info->cf_filename) ? g_strdup(info->cf_filename)
                                                 : g_build_filename(folder, info->cf_filename, NULL);
    g_free(folder);
    return path;
}

char *
tools_menu_path(const char *name)
{
    char *capture = tools_menu_capture(), *folder = capture == NULL ? NULL : g_path_get_dirname(capture);
    char *path = folder == NULL    ? NULL
        : g_path_is_absolute(name) ? g_strdup(name)
                                   : g_build_filename(folder, name, NULL);

    g_free(folder);
    g_free(capture);
    return path;
}

void
tools_menu_collect(const funnel_ops_t *ops, const char *const taps[2], tap_packet_cb packet, void *data)
{
    unsigned num_heard = 0;

    for (unsigned i = 0; i < 2; i++) {
        /* Both listeners have the same data pointer: each remove_tap_listener() below removes one of them. */
        GString *error = register_tap_listener(taps[i], data, NULL, TL_REQUIRES_NOTHING, NULL, packet, NULL, NULL);

        if (error == NULL) {
            num_heard++;
        } else {
            g_string_free(error, TRUE);
        }
    }
    ops->retap_packets(ops->ops_id);
    for (; num_heard > 0; num_heard--) {
        remove_tap_listener(data);
    }
}

/* Sizes in bytes that the object of a Wireshark dialog may have, and number of blocks to allocate of each size */
#define SMALLEST_DIALOG 48
#define LARGEST_DIALOG  256
#define BLOCK_STEP      16
#define BLOCKS_PER_SIZE 64

/*
 * Wireshark 4.4 and later with Qt 6 crash if a new dialog gets the address of a closed one: FunnelStringDialog
 * disconnects all signals, so Qt's accessibility cache keeps the closed dialog. So this first allocates blocks that may
 * have been the closed dialog's, and frees them when the new dialog is made.
 */
void
tools_menu_ask(const funnel_ops_t *ops, const char *title, const char **names, const char **values,
    funnel_dlg_cb_t answered, void *data, funnel_dlg_cb_data_free_t free_data)
{
    void *held[(LARGEST_DIALOG - SMALLEST_DIALOG) / BLOCK_STEP][BLOCKS_PER_SIZE];

    for (unsigned i = 0; i < array_length(held); i++) {
        for (unsigned j = 0; j < BLOCKS_PER_SIZE; j++) {
            held[i][j] = g_malloc(SMALLEST_DIALOG + i * BLOCK_STEP - sizeof(void *));
        }
    }
    ops->new_dialog(ops->ops_id, title, names, values, answered, data, free_data);
    for (unsigned i = 0; i < array_length(held); i++) {
        for (unsigned j = 0; j < BLOCKS_PER_SIZE; j++) {
            g_free(held[i][j]);
        }
    }
}
