/* output-file.h
 * A file that a statistic writes: whole, or not at all, and never over what is being read
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_OUTPUT_FILE_H
#define PERFLIB_STATS_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct output_file;

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

#endif /* PERFLIB_STATS_OUTPUT_FILE_H */
