/* args.h
 * Arguments of tshark's -z option that name a file: "-z PROTOCOL,TABLE,FILE[,filter]"
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_ARGS_H
#define PERFLIB_STATS_ARGS_H

#include <stdio.h>

/*
 * Takes FILE and filter from the whole argument of -z. command is what it begins with, e.g.
 * "perflibv2,pdh-csv". Returns the file's name (to be freed), and the filter, a part of argument, or NULL.
 * Where there is no name the user is told, and NULL is returned. A file name with a comma cannot be given.
 */
char *stat_args_file(const char *argument, const char *command, const char **filter);

/* Opens a file for writing and empties it. Tells the user and returns NULL where that fails. */
FILE *stat_args_create(const char *filename);

/* Closes it. Tells the user where anything written to it was lost. */
void stat_args_close(FILE *file, const char *filename);

#endif /* PERFLIB_STATS_ARGS_H */
