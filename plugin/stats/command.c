/* command.c
 * tshark's "-z PROTOCOL,TABLE[,FILE][,filter]" of what is no table of Wireshark's own
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/command.h"

#include <string.h>

#include <wsutil/report_message.h>

void
command_register(const char *protocol, const char *table, const char *tap_name, stat_tap_init_cb start)
{
    struct command *command = wmem_new(wmem_epan_scope(), struct command);
    stat_tap_ui ui = { .group = REGISTER_PACKET_STAT_GROUP_UNSORTED, .tap_init_cb = start };

    command->name = wmem_strdup_printf(wmem_epan_scope(), "%s,%s", protocol, table);
    command->tap_name = wmem_strdup(wmem_epan_scope(), tap_name);
    ui.cli_string = command->name;
    register_stat_tap_ui(&ui, command);
}

struct output_file *
command_file(const char *argument, const char *command, const char **filter)
{
    const size_t length = strlen(command);
    const char *name = argument[length] == ',' ? argument + length + 1 : "";
    const char *end = strchr(name, ',');
    struct output_file *output;
    char *copy;

    *filter = end != NULL ? end + 1 : NULL;
    copy = end != NULL ? g_strndup(name, (gsize)(end - name)) : g_strdup(name);
    if (copy[0] == '\0') {
        report_failure("-z %s needs the name of a file: -z %s,FILE[,filter]", command, command);
        output = NULL;
    } else {
        output = output_file_new(copy);
    }
    g_free(copy);
    return output;
}

bool
command_listen(const char *argument, const char *tap_name, const char *filter, void *data,
    const struct command_callbacks *callbacks)
{
    GString *error = register_tap_listener(tap_name, data, filter, TL_REQUIRES_NOTHING, callbacks->reset,
        callbacks->packet, callbacks->draw, callbacks->finish);

    if (error == NULL) {
        return true;
    }
    report_failure("-z %s: %s", argument, error->str);
    g_string_free(error, TRUE);
    callbacks->finish(data);
    return false;
}
