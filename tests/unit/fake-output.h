/* fake-output.h
 * In place of files: what a command writes, begins, ends, discards and complains of
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_FAKE_OUTPUT_H
#define PERFLIB_TESTS_UNIT_FAKE_OUTPUT_H

#include <glib.h>

#include "fake-told.h"
#include "stats/command.h"

#ifdef _WIN32
#define NOWHERE "NUL"
#else
#define NOWHERE "/dev/null"
#endif

void
report_write_failure(const char *filename, int error)
{
    snprintf(told, sizeof told, "%s not written: %d", filename, error);
    times_told++;
}

/* The one that is written, and what it held when it was ended last. */
static const char *file_name = "a.csv";
static FILE *file;
static GString *written;
static unsigned times_begun, times_resumed, times_discarded;
static bool has_no_file, is_full; /* opening it fails, writing to it does */
static bool is_standard_output;

const char *
output_file_name(const struct output_file *output)
{
    (void)output;
    return file_name;
}

static inline FILE *
fake_output_open(void)
{
    /* Nothing can be written to what is opened to be read. */
    file = has_no_file ? NULL : is_standard_output ? stdout : is_full ? fopen(NOWHERE, "rb") : tmpfile();
    return file;
}

FILE *
output_file_begin(struct output_file *output)
{
    (void)output;
    times_begun++;
    if (written == NULL) {
        written = g_string_new(NULL);
    }
    g_string_truncate(written, 0);
    return fake_output_open();
}

FILE *
output_file_resume(struct output_file *output)
{
    (void)output;
    times_resumed++;
    return fake_output_open();
}

void
output_file_end(struct output_file *output)
{
    char part[4096];
    size_t length;

    (void)output;
    rewind(file);
    while ((length = fread(part, 1, sizeof part, file)) > 0) {
        g_string_append_len(written, part, (gssize)length);
    }
    fclose(file);
    file = NULL;
}

void
output_file_discard(struct output_file *output)
{
    (void)output;
    if (file != NULL && file != stdout) {
        fclose(file);
    }
    file = NULL;
    times_discarded++;
}

#endif /* PERFLIB_TESTS_UNIT_FAKE_OUTPUT_H */
