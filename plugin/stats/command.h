/* command.h
 * tshark's "-z PROTOCOL,TABLE[,FILE][,filter]" of what is no table of Wireshark's own
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_COMMAND_H
#define PERFLIB_STATS_COMMAND_H

#include "compat.h"

#include <epan/stat_tap_ui.h>
#include <epan/tap.h>

#include "stats/output-file.h"

/* A command that several protocols have. */
struct command {
    const char *name; /* what the argument begins with: "perflibv2,pdh-csv" */
    const char *tap_name;
};

/*
 * Makes "-z PROTOCOL,TABLE" known, over a tap. Wireshark calls start, with a struct command as its data. Names are
 * copied. To be called while protocols are registered.
 */
void command_register(const char *protocol, const char *table, const char *tap_name, stat_tap_init_cb start);

/*
 * Takes FILE and filter from the whole argument of -z. command is what it begins with, e.g. "perflibv2,pdh-csv".
 * Sets *filter to a part of argument, or NULL. NULL where there is no name, or the file could not be written: the
 * user was told. A file name with a comma cannot be given.
 */
struct output_file *command_file(const char *argument, const char *command, const char **filter);

/* What a command does with the packets of a tap, and when. NULL: nothing. */
struct command_callbacks {
    tap_reset_cb reset;
    tap_packet_cb packet;
    tap_draw_cb draw;
    tap_finish_cb finish; /* frees data */
};

/*
 * Listens to a tap with data for the command the user gave as argument. Where that fails the user is told, data
 * freed with finish, and false returned.
 */
bool command_listen(const char *argument, const char *tap_name, const char *filter, void *data,
    const struct command_callbacks *callbacks);

#endif /* PERFLIB_STATS_COMMAND_H */
