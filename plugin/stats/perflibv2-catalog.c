/* perflibv2-catalog.c
 * -z perflibv2,catalog,FILE: what the capture taught, in the format of the user's table
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "compat.h"

#include <epan/stat_tap_ui.h>

#include "counters/record.h"
#include "stats/command.h"

#define CATALOG_COMMAND "perflibv2,catalog"

static void
catalog_draw(void *data)
{
    struct output_file *output = (struct output_file *)data;
    FILE *file = output_file_begin(output);

    if (file != NULL) {
        catalog_write(file);
        output_file_end(output);
    }
}

static void
catalog_finish(void *data)
{
    output_file_free((struct output_file *)data);
}

static bool
catalog_start(const char *argument, void *user_data _U_)
{
    /* Without a packet callback the listener is only asked to draw, at the end. */
    static const struct command_callbacks callbacks = { .draw = catalog_draw, .finish = catalog_finish };
    const char *filter;
    struct output_file *output = command_file(argument, CATALOG_COMMAND, &filter);

    return output != NULL && command_listen(argument, "perflibv2", filter, output, &callbacks);
}

PERFLIB_STAT_INIT_CB(catalog_init_cb, catalog_start)

void
perflibv2_catalog_register(void)
{
    static stat_tap_ui catalog_ui = {
        .group = REGISTER_PACKET_STAT_GROUP_UNSORTED,
        .cli_string = CATALOG_COMMAND,
        .tap_init_cb = catalog_init_cb,
    };

    register_stat_tap_ui(&catalog_ui, NULL);
}
