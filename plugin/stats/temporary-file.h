/* temporary-file.h
 * A file for what would take too much memory, gone with the process
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_TEMPORARY_FILE_H
#define PERFLIB_STATS_TEMPORARY_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct temporary_file {
    FILE *stream; /* NULL: not open */
    char *name;   /* where it has to be removed; else NULL */
};

/* Opens one to be written and read, all zero before. false where that fails: the user was told. */
bool temporary_file_open(struct temporary_file *file);
/* Closes and removes it, where it is open. */
void temporary_file_close(struct temporary_file *file);
/* Tells the user that it could not be written or read; error: errno. */
void temporary_file_complain(int error);

#endif /* PERFLIB_STATS_TEMPORARY_FILE_H */
