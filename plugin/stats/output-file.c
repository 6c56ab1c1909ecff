/* output-file.c
 * Output file of a statistic: an existing file is replaced only when the new one is complete, and never while it is
 * read
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/command.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#ifdef _WIN32
#include <io.h>
#include <windows.h>
#define W_OK 2
#else
#include <unistd.h>
#endif

#include <glib/gstdio.h>
#include <wsutil/report_message.h>

#define MAX_LINKS       40 /* maximum length of a chain of symbolic links */
#define STANDARD_OUTPUT 1
#define READER_TRIALS   50   /* maximum wait for a program that reads a pipe, in steps of 0.1 s */
#define MAX_OPEN_FILES  1024 /* number of file descriptors that output_file_is_open() checks; Wireshark uses few */

#ifndef O_BINARY
#define O_BINARY 0 /* only Windows defines O_BINARY */
#endif

struct output_file {
    char *name;       /* name as the user gave it */
    char *path;       /* file that .name refers to through symbolic links; NULL for standard output */
    ws_statb64 state; /* state of the file when last checked; zero if the file did not exist */
    char *temporary;  /* temporary file next to .path; NULL if .path is written directly */
    FILE *stream;
    int mode; /* mode of standard output on Windows before it was changed */
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

/* Returns true for a pipe, a device or a folder. */
static bool
is_special(const ws_statb64 *state)
{
    return state->st_mode != 0 && !is_plain(state);
}

/* Returns true for two states of the same file. Always false on Windows, which has no file numbers. */
static bool
is_same_file(const ws_statb64 *one, const ws_statb64 *other)
{
    return one->st_ino != 0 && one->st_ino == other->st_ino && one->st_dev == other->st_dev;
}

#ifdef _WIN32
/*
 * Returns true if the file is open. Windows has no file numbers, but does not let an open file be replaced: so this
 * tries to open the file for deletion, allowing others full access.
 */
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
/* Returns true if this file descriptor of the process refers to the file. */
static bool
is_descriptor(const ws_statb64 *state, int descriptor)
{
    ws_statb64 status;

    return ws_fstat64(descriptor, &status) == 0 && is_same_file(state, &status);
}

/* Returns true if this process has the file open, for example as the capture that Wireshark reads. */
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
 * If the file is a pipe, waits some seconds for a reader, since opening it without one would block. If there is none,
 * shows an error and returns false. *keep: set to an open descriptor of the pipe; close it only after opening the pipe
 * for writing, as the reader takes the last close for the end.
 */
static bool
output_file_is_read(const struct output_file *output, int *keep)
{
    for (unsigned i = 0; is_special(&output->state); i++) {
        *keep = g_open(output->path, O_WRONLY | O_NONBLOCK, 0);
        if (*keep >= 0 || errno != ENXIO) {
            break; /* Opened, or an error other than "no reader", which output_file_open() will report. */
        }
        if (i == READER_TRIALS) {
            report_failure("\"%s\" is not written: no program reads from it", output->name);
            return false;
        }
        g_usleep(G_USEC_PER_SEC / 10);
    }
    return true;
}
#endif

/*
 * On Windows, sets standard output to binary, so that a line end is one character; end_standard_output() sets it back.
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

/* Returns the file that a name refers to through symbolic links. */
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
 * Opens a pipe or a device for writing; for any other file, a temporary file next to it, so that only a complete file
 * replaces the old one.
 */
static FILE *
open_for_writing(struct output_file *output)
{
    FILE *stream;
    int descriptor;

    if (is_special(&output->state)) {
        return ws_fopen(output->path, "wb");
    }
    /* .path is still a link, so the chain of links is too long or circular. */
    if (g_file_test(output->path, G_FILE_TEST_IS_SYMLINK)) {
        errno = ELOOP;
        return NULL;
    }
    output->temporary = g_strconcat(output->path, ".XXXXXX", NULL);
    /* If there is an old file, only the user may read the new one until it gets the permissions of the old one. */
    descriptor = g_mkstemp_full(output->temporary, O_WRONLY | O_BINARY, is_plain(&output->state) ? 0600 : 0666);
    if (descriptor < 0) {
        g_clear_pointer(&output->temporary, g_free);
        return NULL;
    }
    /* Opened by name, since C has no function from a descriptor to a stream. */
    stream = ws_fopen(output->temporary, "wb");
    g_close(descriptor, NULL);
    return stream;
}

static void
remove_temporary(struct output_file *output)
{
    if (output->temporary != NULL) {
        ws_unlink(output->temporary);
        g_clear_pointer(&output->temporary, g_free);
    }
}

/* Returns true if no other program wrote the file since it was last checked. If one did, shows an error to the user. */
static bool
is_untouched(const struct output_file *output)
{
    const ws_statb64 was = output->state, now = look_at(output->path);

    if (now.st_dev == was.st_dev && now.st_ino == was.st_ino && now.st_size == was.st_size &&
        now.st_mtime == was.st_mtime) {
        return true;
    }
    report_failure("\"%s\" is not written: another program changed it in the meantime", output->name);
    return false;
}

/*
 * Returns true if the file is not open in this process, or on Windows in any process. If the file is open, shows an
 * error to the user.
 */
static bool
is_free_to_write(const struct output_file *output)
{
    if (output_file_is_open(output)) {
        report_failure("\"%s\" is not written: it is the capture that is being read, or another program has it open",
            output->name);
        return false;
    }
    return true;
}

void
output_file_report(const char *name, int error)
{
    report_failure("\"%s\" is not written: %s", name, g_strerror(error));
}

/*
 * Output files of all -z options, without pipes, devices and standard output: each may be written by only one option.
 */
static GSList *all_outputs;

/*
 * Returns true if no other -z option writes the file, which is then added to all_outputs. If one does, shows an error.
 */
static bool
is_ours_alone(struct output_file *output)
{
    for (const GSList *link = all_outputs; link != NULL; link = link->next) {
        const struct output_file *other = (const struct output_file *)link->data;

        if (strcmp(other->path, output->path) == 0 || is_same_file(&other->state, &output->state)) {
            report_failure("\"%s\" is not written: another -z option also writes it", output->name);
            return false;
        }
    }
    /* Several -z options may write to one pipe or device, so these are not added. */
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
        output_file_report(name, errno);
        output_file_free(output);
        return NULL;
    }
    if (is_special(&output->state) && !g_file_test(output->path, G_FILE_TEST_IS_DIR)) {
        /* A pipe is not opened for a test: its reader would treat the close as the end. */
        return output;
    }
    tried = open_for_writing(output);
    if (tried == NULL) {
        output_file_report(name, errno);
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

/* Opens the file, to write it anew or to append. On failure, shows an error and returns NULL. */
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
        output_file_report(output->name, errno);
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

/* Replaces the output file by the temporary file, unless another program has changed the output file. */
static void
output_file_replace(struct output_file *output)
{
    if (!is_untouched(output)) {
        return;
    }
    if ((is_plain(&output->state) && g_chmod(output->temporary, output->state.st_mode & 0777) != 0) ||
        ws_rename(output->temporary, output->path) != 0) {
        output_file_report(output->name, errno);
    } else {
        g_clear_pointer(&output->temporary, g_free);
        output->state = look_at(output->path);
    }
}

void
output_file_end(struct output_file *output)
{
    bool is_lost = ferror(output->stream) != 0;

    /* After a write error, errno may still contain its reason, which fclose() does not know. */
    errno = is_lost ? errno : 0;
    is_lost |= (output->path != NULL ? fclose(output->stream) : fflush(output->stream)) != 0;
    if (output->path == NULL) {
        end_standard_output(output);
    }
    output->stream = NULL;
    if (is_lost) {
        output_file_report(output->name, errno != 0 ? errno : EIO);
    } else if (output->temporary != NULL) {
        output_file_replace(output);
    } else if (output->path != NULL) {
        output->state = look_at(output->path);
    }
    remove_temporary(output);
}
