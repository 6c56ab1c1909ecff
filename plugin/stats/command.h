/* command.h
 * tshark's "-z PROTOCOL,NAME,FILE[,filter]": what is no table of Wireshark's own, but writes a file
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_COMMAND_H
#define PERFLIB_STATS_COMMAND_H

#include "compat.h"

#include <epan/tap.h>

#include "stats/needed.h"
#include "stats/output-file.h"

struct command_kind;

/* A command as the user gave it; what one keeps begins with it, the rest of which is zero at first. */
struct command {
    const struct command_kind *kind;
    const char *name; /* what the argument begins with: "perflibv2,pdh-csv"; constant */
    struct output_file *output;
    struct needed needed; /* why calls could not be read, since the last reset */
};

/* What a command does; data is its struct command. */
struct command_kind {
    const char *name;
    size_t size;                                   /* of what it keeps */
    bool (*begin)(void *data, const char *filter); /* false: the user was told why not; NULL: there is nothing to do */
    tap_reset_cb reset;
    tap_packet_cb packet;
    tap_draw_cb draw;
    void (*finish)(void *data); /* frees what the rest points to; NULL: nothing */
};

/* Makes "-z PROTOCOL,NAME" known, over a tap. To be called while protocols are registered. Texts are constant. */
void command_register(const struct command_kind *kind, const char *protocol, const char *tap_name);

/*
 * Starts a command without a filter, that nobody draws, and that ends with remove_tap_listener(). Takes the output
 * over. NULL: the user was told why not.
 */
void *command_open(const struct command_kind *kind, const char *name, const char *tap_name, struct output_file *output);

#endif /* PERFLIB_STATS_COMMAND_H */
