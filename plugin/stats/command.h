/* command.h
 * tshark's "-z PROTOCOL,NAME,FILE[,filter]": what is no table of Wireshark's own, but writes a file
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_COMMAND_H
#define PERFLIB_STATS_COMMAND_H

#include "compat.h"

#include <stdbool.h>
#include <stdio.h>

#include <epan/tap.h>

#include "stats/needed.h"

struct command_kind;

/* A command as the user gave it; what one keeps begins with it, the rest of which is zero at first. */
struct command {
    const struct command_kind *kind;
    const char *name;           /* what the argument begins with: "perflibv2,pdh-csv"; constant */
    struct output_file *output; /* NULL: a folder */
    const char *folder;         /* until begin() returns; NULL: a file */
    GPtrArray *patterns;        /* GPatternSpec: of counter paths that are asked for; empty: all are */
    struct needed needed;       /* why calls could not be read, since the last reset */
};

/* What a command does; data is its struct command. */
struct command_kind {
    const char *name;
    bool has_folder;                               /* it writes files into a folder, instead of one */
    bool has_patterns;                             /* "path=PATTERN" may stand behind the file, any number of times */
    size_t size;                                   /* of what it keeps */
    bool (*begin)(void *data, const char *filter); /* false: the user was told why not; NULL: there is nothing to do */
    tap_reset_cb reset;
    tap_packet_cb packet;
    tap_draw_cb draw;
    void (*finish)(void *data); /* frees what the rest points to; NULL: nothing */
};

/* Whether a counter path is asked for: patterns match as those of the watch list do. */
bool command_wants(const struct command *command, const char *path);

/* Makes "-z PROTOCOL,NAME" known, over a tap. To be called while protocols are registered. Texts are constant. */
void command_register(const struct command_kind *kind, const char *protocol, const char *tap_name);

/*
 * Starts a command without a filter, that nobody draws, and that ends with remove_tap_listener(). Takes the output
 * over. NULL: the user was told why not.
 */
void *command_open(const struct command_kind *kind, const char *name, const char *tap_name, struct output_file *output);

/* A file that a statistic writes: whole, or not at all, and never over what is being read */

struct output_file;

/* ---- output-file.c ---- */

/*
 * A file to be written later, any number of times; "-", or any other name of it, is standard output. What would
 * fail then, as far as it can be seen now, is told to the user, and NULL returned: a missing folder, no permission,
 * a file this process has open, such as the capture being read. Nothing is written yet.
 */
struct output_file *output_file_new(const char *name);
/* As the user gave it. */
const char *output_file_name(const struct output_file *output);
/* Leaves the file as it was where it was begun and not ended. NULL is allowed. */
void output_file_free(struct output_file *output);

/*
 * Begins to write it anew, into a file beside it. The stream is the output's own. NULL where that fails, or where the
 * file was written by somebody else since (such as tshark's -w): the user was told.
 */
FILE *output_file_begin(struct output_file *output);
/* Goes on behind what was written when it was ended last. NULL as above. */
FILE *output_file_resume(struct output_file *output);
/*
 * Puts what was written in the file's place. Where anything of it was lost the user is told, and the file is left as it
 * was. What is no plain file (a pipe, a device) is written as it comes.
 */
void output_file_end(struct output_file *output);
/* Leaves the file as it was, though it was begun. */
void output_file_discard(struct output_file *output);

#endif /* PERFLIB_STATS_COMMAND_H */
