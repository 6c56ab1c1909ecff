/* output-file.c
 * A file that a statistic writes: whole, or not at all, and never over what is being read
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#ifdef _WIN32
#include <io.h>
#include <windows.h>
#define W_OK 2
#else
#include <unistd.h>
#endif

#include <glib.h>
#include <glib/gstdio.h>
#include <wsutil/report_message.h>

#include "compat.h"

#define MAX_LINKS       40 /* symbolic links that lead to a file, one after the other */
#define STANDARD_OUTPUT 1
#define READER_TRIALS   50   /* a tenth of a second each */
#define MAX_OPEN_FILES  1024 /* descriptors looked at; a program that reads a capture has few */

#ifndef O_BINARY
#define O_BINARY 0 /* Windows alone has it */
#endif

struct output_file {
    char *name;       /* as the user gave it */
    char *path;       /* where its links lead; NULL: standard output */
    ws_statb64 state; /* when it was last looked at; zero: there is none */
    char *temporary;  /* beside it; NULL: it is written itself */
    FILE *stream;
    int mode; /* how Windows writes standard output, but for us */
};

static ws_statb64
look_at(const char *path)
{
    static const ws_statb64 none;
    ws_statb64 status;

    return ws_stat64(path, &status) == 0 ? status : none;
}

static bool
is_plain(const ws_statb64 *state)
{
    return S_ISREG(state->st_mode);
}

/* A pipe, a device or a folder. */
static bool
is_special(const ws_statb64 *state)
{
    return state->st_mode != 0 && !is_plain(state);
}

/* Windows numbers no files: there this is never known. */
static bool
is_same_file(const ws_statb64 *one, const ws_statb64 *other)
{
    return one->st_ino != 0 && one->st_ino == other->st_ino && one->st_dev == other->st_dev;
}

#ifdef _WIN32
/* No file has a number, but one that is open cannot be replaced, which is asked for here: others may do all with it. */
static bool
output_file_is_open(const struct output_file *output)
{
    wchar_t *path = (wchar_t *)g_utf8_to_utf16(output->path, -1, NULL, NULL, NULL);
    const DWORD shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    HANDLE file = INVALID_HANDLE_VALUE;
    bool is_held = false;

    if (path != NULL && is_plain(&output->state)) {
        file = CreateFileW(path, DELETE, shared, NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
        is_held = file == INVALID_HANDLE_VALUE && GetLastError() == ERROR_SHARING_VIOLATION;
    }
    if (file != INVALID_HANDLE_VALUE) {
        CloseHandle(file);
    }
    g_free(path);
    return is_held;
}

static bool
is_standard_output(const struct output_file *output)
{
    return strcmp(output->name, "-") == 0;
}

static bool
output_file_is_read(const struct output_file *output, int *keep)
{
    (void)output;
    (void)keep;
    return true;
}
#else
/* Whether this process has the file open as this descriptor. */
static bool
is_descriptor(const ws_statb64 *state, int descriptor)
{
    ws_statb64 status;

    return ws_fstat64(descriptor, &status) == 0 && is_same_file(state, &status);
}

/* Whether this process has the plain file open: the capture it reads, the one it writes. */
static bool
output_file_is_open(const struct output_file *output)
{
    for (int descriptor = 0; is_plain(&output->state) && descriptor < MAX_OPEN_FILES; descriptor++) {
        if (is_descriptor(&output->state, descriptor)) {
            return true;
        }
    }
    return false;
}

static bool
is_standard_output(const struct output_file *output)
{
    return strcmp(output->name, "-") == 0 || is_descriptor(&output->state, STANDARD_OUTPUT);
}

/*
 * Waits until somebody reads the pipe, if it is one, but not for long: opening it would wait for ever, beyond signals.
 * Tells the user where nobody does. keep: to be closed once the pipe is open again, or its reader would take that for
 * the end.
 */
static bool
output_file_is_read(const struct output_file *output, int *keep)
{
    for (unsigned i = 0; is_special(&output->state); i++) {
        *keep = g_open(output->path, O_WRONLY | O_NONBLOCK, 0);
        if (*keep >= 0 || errno != ENXIO) {
            break; /* What else is wrong is found when it is opened. */
        }
        if (i == READER_TRIALS) {
            report_failure("\"%s\" is not written: nobody reads it", output->name);
            return false;
        }
        g_usleep(G_USEC_PER_SEC / 10);
    }
    return true;
}
#endif

/*
 * Windows writes each end of a line as two characters unless told not to; what other statistics print there stays as it
 * was.
 */
static void
begin_standard_output(struct output_file *output)
{
    output->stream = stdout;
#ifdef _WIN32
    fflush(stdout);
    output->mode = _setmode(STANDARD_OUTPUT, _O_BINARY);
#endif
}

static void
end_standard_output(const struct output_file *output)
{
#ifdef _WIN32
    fflush(stdout);
    _setmode(STANDARD_OUTPUT, output->mode);
#else
    (void)output;
#endif
}

/* The name of the file that a name stands for. */
static char *
follow_links(const char *name)
{
    char *path = g_strdup(name);

    for (unsigned i = 0; i < MAX_LINKS; i++) {
        char *target = g_file_read_link(path, NULL);

        if (target == NULL) {
            break;
        }
        if (!g_path_is_absolute(target)) {
            char *folder = g_path_get_dirname(path);
            char *joined = g_build_filename(folder, target, NULL);

            g_free(folder);
            g_free(target);
            target = joined;
        }
        g_free(path);
        path = target;
    }
    return path;
}

/*
 * Opens what will be written: a new file beside the plain one, so that nothing but a whole file ever takes its
 * place; a pipe or a device itself.
 */
static FILE *
open_for_writing(struct output_file *output)
{
    FILE *stream;
    int descriptor;

    if (is_special(&output->state)) {
        return ws_fopen(output->path, "wb");
    }
    /* Too many links, or a circle of them: nobody could open what would stand in place of one. */
    if (g_file_test(output->path, G_FILE_TEST_IS_SYMLINK)) {
        errno = ELOOP;
        return NULL;
    }
    output->temporary = g_strconcat(output->path, ".XXXXXX", NULL);
    /* One that takes the place of another may be read by the same, and never by others in between. */
    descriptor = g_mkstemp_full(output->temporary, O_WRONLY | O_BINARY, is_plain(&output->state) ? 0600 : 0666);
    if (descriptor < 0) {
        g_free(output->temporary);
        output->temporary = NULL;
        return NULL;
    }
    /* By name, as C knows no way from a descriptor to a stream. */
    stream = ws_fopen(output->temporary, "wb");
    g_close(descriptor, NULL);
    return stream;
}

static void
remove_temporary(struct output_file *output)
{
    if (output->temporary != NULL) {
        ws_unlink(output->temporary);
        g_free(output->temporary);
        output->temporary = NULL;
    }
}

/* Whether nobody else wrote the file since it was looked at. Tells the user where somebody did. */
static bool
is_untouched(const struct output_file *output)
{
    const ws_statb64 was = output->state, is = look_at(output->path);

    if (is.st_dev == was.st_dev && is.st_ino == was.st_ino && is.st_size == was.st_size &&
        is.st_mtime == was.st_mtime) {
        return true;
    }
    report_failure("\"%s\" is not written: something else wrote it meanwhile", output->name);
    return false;
}

/* Whether nobody has it open: in this process, and on Windows in any. Tells the user where somebody has. */
static bool
is_free_to_write(const struct output_file *output)
{
    if (output_file_is_open(output)) {
        report_failure("\"%s\" is not written: it is the capture being read, or open for something else", output->name);
        return false;
    }
    return true;
}

/* Those that will be written, so that no two are the same. */
static GSList *all_outputs;

/* Whether no other statistic writes the file. Tells the user where one does. Standard output has room for several. */
static bool
is_ours_alone(struct output_file *output)
{
    for (const GSList *link = all_outputs; link != NULL; link = link->next) {
        const struct output_file *other = (const struct output_file *)link->data;

        if (strcmp(other->path, output->path) == 0 || is_same_file(&other->state, &output->state)) {
            report_failure("\"%s\" is not written: another -z writes it, too", output->name);
            return false;
        }
    }
    /* Devices have room for several, too. */
    if (!is_special(&output->state)) {
        all_outputs = g_slist_prepend(all_outputs, output);
    }
    return true;
}

void
output_file_discard(struct output_file *output)
{
    if (output->stream != NULL && output->path != NULL) {
        fclose(output->stream);
    } else if (output->stream != NULL) {
        end_standard_output(output);
    }
    output->stream = NULL;
    remove_temporary(output);
}

struct output_file *
output_file_new(const char *name)
{
    struct output_file *output = g_new0(struct output_file, 1);
    FILE *tried;

    output->name = g_strdup(name);
    output->state = look_at(name);
    if (is_standard_output(output)) {
        return output;
    }
    output->path = is_special(&output->state) ? g_strdup(name) : follow_links(name);
    if (!is_free_to_write(output) || !is_ours_alone(output)) {
        output_file_free(output);
        return NULL;
    }
    if (is_plain(&output->state) && g_access(output->path, W_OK) != 0) {
        report_open_failure(name, errno, true);
        output_file_free(output);
        return NULL;
    }
    if (is_special(&output->state) && !g_file_test(output->path, G_FILE_TEST_IS_DIR)) {
        /* No trial: whoever reads a pipe would take it for the end. */
        return output;
    }
    tried = open_for_writing(output);
    if (tried == NULL) {
        report_open_failure(name, errno, true);
        output_file_free(output);
        return NULL;
    }
    fclose(tried);
    remove_temporary(output);
    return output;
}

const char *
output_file_name(const struct output_file *output)
{
    return output->name;
}

void
output_file_free(struct output_file *output)
{
    if (output == NULL) {
        return;
    }
    output_file_discard(output);
    all_outputs = g_slist_remove(all_outputs, output);
    g_free(output->path);
    g_free(output->name);
    g_free(output);
}

/* Opens the file, anew or behind what it has. */
static FILE *
output_file_open(struct output_file *output, bool is_anew)
{
    int keep = -1;

    if (output->path == NULL) {
        begin_standard_output(output);
        return output->stream;
    }
    if (!is_untouched(output) || !is_free_to_write(output) || !output_file_is_read(output, &keep)) {
        return NULL;
    }
    output->stream = is_anew ? open_for_writing(output) : ws_fopen(output->path, "ab");
    if (output->stream == NULL) {
        report_open_failure(output->name, errno, true);
    }
    if (keep >= 0) {
        g_close(keep, NULL);
    }
    return output->stream;
}

FILE *
output_file_begin(struct output_file *output)
{
    return output_file_open(output, true);
}

FILE *
output_file_resume(struct output_file *output)
{
    return output_file_open(output, false);
}

/* Puts the new file in the place of the old. */
static void
output_file_replace(struct output_file *output)
{
    if (!is_untouched(output)) {
        return;
    }
    if ((is_plain(&output->state) && g_chmod(output->temporary, output->state.st_mode & 0777) != 0) ||
        ws_rename(output->temporary, output->path) != 0) {
        report_open_failure(output->name, errno, true);
    } else {
        g_free(output->temporary);
        output->temporary = NULL;
        output->state = look_at(output->path);
    }
}

void
output_file_end(struct output_file *output)
{
    bool is_lost = ferror(output->stream) != 0;

    /* Of what was lost before, closing knows no reason. */
    errno = is_lost ? errno : 0;
    is_lost |= (output->path != NULL ? fclose(output->stream) : fflush(output->stream)) != 0;
    if (output->path == NULL) {
        end_standard_output(output);
    }
    output->stream = NULL;
    if (is_lost) {
        report_write_failure(output->name, errno != 0 ? errno : EIO);
    } else if (output->temporary != NULL) {
        output_file_replace(output);
    } else if (output->path != NULL) {
        output->state = look_at(output->path);
    }
    remove_temporary(output);
}
