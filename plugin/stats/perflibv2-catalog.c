/* perflibv2-catalog.c
 * -z perflibv2,catalog,FILE: what the capture taught, in the format of the user's table
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "counters/record.h"
#include "perflibv2/record.h"
#include "stats/command.h"
#include "stats/needed.h"

struct catalog_file {
    struct output_file *output;
    const char *command;  /* "perflibv2,catalog"; constant */
    struct needed needed; /* what would open the calls that were not read */
    bool was_read;        /* some call was */
};

static void
catalog_reset(void *data)
{
    struct catalog_file *catalog = (struct catalog_file *)data;

    needed_clear(&catalog->needed);
    catalog->was_read = false;
}

static tap_packet_status
catalog_packet(void *data, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    struct catalog_file *catalog = (struct catalog_file *)data;
    const struct perflibv2_tap *call = (const struct perflibv2_tap *)tapped;

    if (call->needed != NULL) {
        needed_add(&catalog->needed, call->needed);
    }
    catalog->was_read = catalog->was_read || call->unread == NULL;
    return TAP_PACKET_DONT_REDRAW;
}

static void
catalog_draw(void *data)
{
    struct catalog_file *catalog = (struct catalog_file *)data;
    FILE *file = output_file_begin(catalog->output);

    if (file != NULL) {
        catalog_write(file);
        for (unsigned i = 0; !catalog->was_read && i < catalog->needed.count; i++) {
            fprintf(file, "# %s\n", catalog->needed.texts[i]);
        }
        output_file_end(catalog->output);
    }
    if (!catalog->was_read) {
        needed_report(&catalog->needed, catalog->command);
    }
}

static void
catalog_finish(void *data)
{
    struct catalog_file *catalog = (struct catalog_file *)data;

    output_file_free(catalog->output);
    needed_clear(&catalog->needed);
    g_free(catalog);
}

static bool
catalog_start(const char *argument, void *data)
{
    static const struct command_callbacks callbacks = { catalog_reset, catalog_packet, catalog_draw, catalog_finish };
    const struct command *command = (const struct command *)data;
    const char *filter;
    struct output_file *output = command_file(argument, command->name, &filter);
    struct catalog_file *catalog;

    if (output == NULL) {
        return false;
    }
    catalog = g_new0(struct catalog_file, 1);
    catalog->output = output;
    catalog->command = command->name;
    return command_listen(argument, command->tap_name, filter, catalog, &callbacks);
}

PERFLIB_STAT_INIT_CB(catalog_init_cb, catalog_start)

const stat_tap_init_cb perflibv2_catalog_command = catalog_init_cb;
