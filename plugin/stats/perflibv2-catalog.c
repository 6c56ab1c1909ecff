/* perflibv2-catalog.c
 * -z perflibv2,catalog,FILE: counters and names learned from the capture, in the format of the user's table
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "perflibv2/record.h"

struct catalog_file {
    struct command command; /* must be the first member */
    bool was_read;          /* true if some call was not sealed, or was decrypted */
};

static void
catalog_reset(void *data)
{
    ((struct catalog_file *)data)->was_read = false;
}

static tap_packet_status
catalog_packet(void *data, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    struct catalog_file *catalog = (struct catalog_file *)data;
    const struct perflibv2_tap *call = (const struct perflibv2_tap *)tapped;

    if (call->needed != NULL) {
        needed_add(&catalog->command.needed, call->needed);
    }
    catalog->was_read = catalog->was_read || call->unread == NULL;
    return TAP_PACKET_DONT_REDRAW;
}

static void
catalog_draw(void *data)
{
    struct command *command = (struct command *)data;
    const bool was_read = ((struct catalog_file *)data)->was_read;
    FILE *file = output_file_begin(command->output);

    if (file != NULL) {
        catalog_write(file);
        for (unsigned i = 0; !was_read && i < command->needed.count; i++) {
            fprintf(file, "# %s\n", command->needed.items[i].text);
        }
        output_file_end(command->output);
    }
    if (!was_read) {
        needed_report(&command->needed, command->name);
    }
}

const struct command_kind perflibv2_catalog_command = {
    .size = sizeof(struct catalog_file),
    .reset = catalog_reset,
    .packet = catalog_packet,
    .draw = catalog_draw,
};
