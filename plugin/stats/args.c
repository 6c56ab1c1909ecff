/* args.c
 * Arguments of tshark's -z option that name a file: "-z PROTOCOL,TABLE,FILE[,filter]"
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/args.h"

#include <errno.h>
#include <string.h>

#include <glib.h>
#include <glib/gstdio.h>
#include <wsutil/report_message.h>

char *
stat_args_file(const char *argument, const char *command, const char **filter)
{
    size_t length = strlen(command);
    const char *name = "";
    const char *end;

    *filter = NULL;
    if (argument[length] == ',') {
        name = argument + length + 1;
    }
    end = strchr(name, ',');
    if (end) {
        *filter = end + 1;
    } else {
        end = name + strlen(name);
    }
    if (end == name) {
        report_failure("-z %s needs the name of a file: -z %s,FILE[,filter]", command, command);
        return NULL;
    }
    return g_strndup(name, (gsize)(end - name));
}

FILE *
stat_args_create(const char *filename)
{
    FILE *file = g_fopen(filename, "wb");

    if (!file) {
        report_open_failure(filename, errno, TRUE);
    }
    return file;
}

void
stat_args_close(FILE *file, const char *filename)
{
    int lost = ferror(file);

    errno = 0;
    if (fclose(file) != 0 || lost) {
        report_write_failure(filename, errno ? errno : EIO);
    }
}
