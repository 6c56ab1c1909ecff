/* command.h
 * tshark's "-z PROTOCOL,NAME,FILE[,filter]": statistics that write a file instead of showing a table
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_COMMAND_H
#define PERFLIB_STATS_COMMAND_H

#include "compat.h"

#include <epan/tap.h>

#include "stats/needed.h"

struct command_kind;

/*
 * Command (-z) as the user gave it. The structure of each command begins with this one; its other members start as
 * zero.
 */
struct command {
    const struct command_kind *kind;
    const char *name;           /* start of the -z argument, such as "perflibv2,pdh-csv"; constant */
    struct output_file *output; /* output file; NULL if the command writes to a folder */
    const char *folder;   /* name that -z gives: the folder, if .kind has one; valid until begin() returns; else NULL */
    GPtrArray *patterns;  /* GPatternSpec of each requested counter path; empty: all paths */
    struct needed needed; /* missing keys of calls that were not decrypted since the last reset */
};

/* Description of a command. The argument `data` of its functions is the struct command. */
struct command_kind {
    bool has_folder;   /* true if the command writes several files to a folder */
    bool has_patterns; /* true if any number of "path=PATTERN" may follow the file name */
    size_t size;       /* size of the command's structure */
    bool (*begin)(void *data,
        const char *filter); /* returns false on failure, after showing an error to the user; may be NULL */
    tap_reset_cb reset;
    tap_packet_cb packet;
    tap_draw_cb draw;
    void (*finish)(void *data); /* frees what the command's own members point to; may be NULL */
};

/* Returns true if a counter path matches the user's patterns, by the rules of the watch list. */
bool command_wants(const struct command *command, const char *path);

/* Option of tshark that starts a command: argument of -z, such as "perflibv2,pdh-csv", and tap. */
struct command_option {
    const struct command_kind *kind;
    const char *name, *tap_name;
};

/* Registers a -z option, which must be static (it is not copied). Call while protocols are registered. */
void command_register(const struct command_option *option);

/*
 * Starts a command without a filter and without a draw callback. Takes ownership of `output`. End the command with
 * remove_tap_listener(). Returns NULL on failure, after showing an error to the user.
 */
void *command_open(const struct command_option *option, struct output_file *output);

/*
 * Output file of a statistic: an existing file is replaced only when the new one is complete, and never while this
 * process reads it
 */

struct output_file;

/* ---- output-file.c ---- */

/*
 * Makes an output file, which can be written any number of times. Writes nothing yet. "-" and other names of standard
 * output mean standard output. If writing would fail (a missing folder, no permission, or a file that this process has
 * open, such as the capture), shows an error to the user and returns NULL.
 */
struct output_file *output_file_new(const char *name);
/* Shows the user that the file is not written. error: errno. Scripts can rely on the words "not written:". */
void output_file_report(const char *name, int error);
/* Returns the name of the file as the user gave it. */
const char *output_file_name(const struct output_file *output);
/* Frees an output file. Without a call of output_file_end() the old file stays. output may be NULL. */
void output_file_free(struct output_file *output);

/*
 * Begins to write a temporary file next to the output file. Returns its stream, which `output` owns. On failure, or if
 * another writer (such as tshark's -w) has changed the output file, shows an error to the user and returns NULL.
 */
FILE *output_file_begin(struct output_file *output);
/* Like output_file_begin(), but appends to the file that was written last. */
FILE *output_file_resume(struct output_file *output);
/*
 * Replaces the output file by the temporary file. If writing failed, shows an error to the user and keeps the old file.
 * (A pipe or a device has no temporary file: it is written directly.)
 */
void output_file_end(struct output_file *output);
/* Deletes the temporary file and keeps the old output file. */
void output_file_discard(struct output_file *output);

#endif /* PERFLIB_STATS_COMMAND_H */
