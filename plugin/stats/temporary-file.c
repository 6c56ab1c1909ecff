/* temporary-file.c
 * A file for what would take too much memory, gone with the process
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/temporary-file.h"

#include <errno.h>

#include <glib.h>
#include <glib/gstdio.h>
#include <wsutil/report_message.h>
#include <wsutil/tempfile.h>

#include "compat.h"

void
temporary_file_complain(int error)
{
    report_failure("temporary file: %s", g_strerror(error));
}

bool
temporary_file_open(struct temporary_file *file)
{
    GError *error = NULL;
    const int descriptor = create_tempfile(NULL, &file->name, "perflib", NULL, &error);

    if (descriptor < 0) {
        report_failure("temporary file: %s", error->message);
        g_error_free(error);
        return false;
    }
    /* By name, as C knows no way from a descriptor to a stream. */
    file->stream = ws_fopen(file->name, "w+b");
    if (file->stream == NULL) {
        temporary_file_complain(errno);
    }
    g_close(descriptor, NULL);
#ifndef _WIN32
    /* It stays as long as it is open. Windows would not remove it before. */
    ws_unlink(file->name);
    g_free(file->name);
    file->name = NULL;
#endif
    return file->stream != NULL;
}

void
temporary_file_close(struct temporary_file *file)
{
    if (file->stream != NULL) {
        fclose(file->stream);
    }
    if (file->name != NULL) {
        ws_unlink(file->name);
    }
    g_free(file->name);
    file->stream = NULL;
    file->name = NULL;
}
