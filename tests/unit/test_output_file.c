/* test_output_file.c
 * Files written anew, gone on with, given up, and written by somebody else meanwhile: what Wireshark does as it draws
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef _WIN32
#define _XOPEN_SOURCE 700 /* symlink() */
#endif

#include "stats/command.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include <glib.h>
#include <glib/gstdio.h>
#include <wsutil/report_message.h>

#include "compat.h"

#include "check.h"

#ifdef _WIN32
/* There a file has no number that would tell it from another. */
#define FIRST_WAY      1
#define link(old, new) (-1)
#else
#define FIRST_WAY 0
#endif

static unsigned complaints;
static char complaint[1000];

static void
complain(const char *format, va_list arguments)
{
    vsnprintf(complaint, sizeof complaint, format, arguments);
    complaints++;
}

/* Whether the last complaint is of this file and error. */
static bool
is_complained_of(const char *name, int error)
{
    char *expected = g_strdup_printf("\"%s\" is not written: %s", name, g_strerror(error));
    const bool is_it = strcmp(complaint, expected) == 0;

    g_free(expected);
    return is_it;
}

static char *folder;

/* How many files there are. */
static unsigned
count_files(void)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    unsigned count = 0;

    while (g_dir_read_name(dir) != NULL) {
        count++;
    }
    g_dir_close(dir);
    return count;
}

static void
check_content(const char *path, const char *expected)
{
    char *content = NULL;

    CHECK(g_file_get_contents(path, &content, NULL, NULL), "no file");
    CHECK(content != NULL && strcmp(content, expected) == 0, "%s, not %s", content, expected);
    CHECK(count_files() == 1, "%u files", count_files());
    g_free(content);
}

/* Writes text, by one of output_file_begin() and output_file_resume(). False: not begun. */
static bool
write_text(struct output_file *output, FILE *(*begin)(struct output_file *output), const char *text)
{
    FILE *file = begin(output);

    if (file == NULL) {
        return false;
    }
    fputs(text, file);
    output_file_end(output);
    return true;
}

static void
check_drawing_again_replaces_and_resumes_the_file(const char *path)
{
    struct output_file *output = output_file_new(path);
    FILE *file;

    CHECK_EQUAL(count_files(), 0, "a file before anything was written");
    CHECK(write_text(output, output_file_begin, "one\n"), "not begun");
    check_content(path, "one\n");
    CHECK(write_text(output, output_file_resume, "two\n"), "not resumed");
    CHECK(write_text(output, output_file_resume, "three\n"), "not resumed");
    check_content(path, "one\ntwo\nthree\n");
    CHECK(write_text(output, output_file_begin, "four\n"), "not begun");
    check_content(path, "four\n");
    file = output_file_begin(output);
    fputs("five\n", file);
    CHECK_EQUAL(count_files(), 2, "not written beside");
    output_file_discard(output);
    check_content(path, "four\n");
    file = output_file_begin(output);
    fputs("six\n", file);
    CHECK(complaints == 0, "%u complaints", complaints);
    output_file_free(output);
    check_content(path, "four\n");
}

/* Nobody else's words are lost. */
static void
check_words_of_others_are_not_lost(const char *path)
{
    struct output_file *output = output_file_new(path);
    FILE *open;

    CHECK(write_text(output, output_file_begin, "mine\n"), "not begun");
    g_file_set_contents(path, "another's\n", -1, NULL);
    CHECK(!write_text(output, output_file_begin, "mine\n") && complaints == 1, "%u complaints", complaints);
    CHECK(!write_text(output, output_file_resume, "mine\n") && complaints == 2, "%u complaints", complaints);
    check_content(path, "another's\n");
    output_file_free(output);

    output = output_file_new(path);
    CHECK(output_file_begin(output) != NULL, "not begun");
    g_file_set_contents(path, "written as I wrote\n", -1, NULL);
    output_file_end(output);
    CHECK(complaints == 3, "%u complaints", complaints);
    check_content(path, "written as I wrote\n");
    output_file_free(output);

    output = output_file_new(path);
    open = g_fopen(path, "rb");
    CHECK(output_file_new(path) == NULL && complaints == 4, "%u complaints", complaints);
    CHECK(output_file_begin(output) == NULL && complaints == 5, "%u complaints", complaints);
    fclose(open);
    CHECK(write_text(output, output_file_begin, "mine\n") && complaints == 5, "%u complaints", complaints);
    check_content(path, "mine\n");
    output_file_free(output);
}

/* Another file's time of writing. */
static void
set_time(const char *path, time_t when)
{
    struct utimbuf times = { when, when };

    CHECK_EQUAL(g_utime(path, &times), 0, "no time set");
}

/* One thing that differs tells: another file, of another size, written at another time. */
static void
check_each_difference_tells_another_file(const char *path)
{
    const time_t when = 1000000000;
    char *other = g_strconcat(path, "-old", NULL);
    struct output_file *output;
    FILE *file;

    for (unsigned way = FIRST_WAY; way < 3; way++) {
        complaints = 0;
        g_file_set_contents(path, "text\n", -1, NULL);
        set_time(path, when);
        output = output_file_new(path);
        switch (way) {
        case 0:
            /* The old one is there for as long, so that its number is not given to the new one. */
            CHECK_EQUAL(link(path, other), 0, "no link");
            g_file_set_contents(path, "same\n", -1, NULL);
            set_time(path, when);
            CHECK(output_file_begin(output) == NULL, "another file");
            CHECK_EQUAL(complaints, 1, "another file");
            g_unlink(other);
            break;
        case 1:
            file = g_fopen(path, "ab");
            fputs("more\n", file);
            fclose(file);
            set_time(path, when);
            CHECK(output_file_begin(output) == NULL, "another size");
            CHECK_EQUAL(complaints, 1, "another size");
            break;
        default:
            set_time(path, when + 5);
            CHECK(output_file_begin(output) == NULL, "another time");
            CHECK_EQUAL(complaints, 1, "another time");
            break;
        }
        output_file_free(output);
    }
    g_free(other);
    g_unlink(path);
}

/* Two that are not there yet are two; what is read as standard input is read. */
static void
check_two_files_are_two_and_one_is_refused_twice(const char *path)
{
    char *other = g_strconcat(path, "-other", NULL);
    struct output_file *first = output_file_new(path), *second = output_file_new(other);

    complaints = 0;
    CHECK(first != NULL, "two files");
    if (first != NULL) {
        CHECK(second != NULL, "two files");
    }
    CHECK(output_file_new(other) == NULL, "the same twice");
    CHECK_EQUAL(complaints, 1, "the same twice");
    output_file_free(first);
    output_file_free(second);
    g_file_set_contents(path, "a capture\n", -1, NULL);
    if (freopen(path, "rb", stdin) == NULL) {
        CHECK(false, "not opened");
    }
    CHECK(output_file_new(path) == NULL, "standard input");
    CHECK_EQUAL(complaints, 2, "standard input");
    fclose(stdin);
    check_content(path, "a capture\n");
    g_unlink(path);
    g_free(other);
}

#if FIRST_WAY == 0
static int
mode_of(const char *path)
{
    GStatBuf status;

    return g_stat(path, &status) == 0 ? (int)(status.st_mode & 0777) : -1;
}

/* As many links, one after the other, as Linux follows: it is the file that is written. */
static void
check_many_links(const char *path)
{
    enum { NUM_LINKS = 40 };
    char *links[NUM_LINKS], *one_more = g_build_filename(folder, "one-more", NULL);
    struct output_file *output;

    for (unsigned i = 0; i < NUM_LINKS; i++) {
        char *name = g_strdup_printf("link%u", i),
             *target = i == 0 ? g_strdup("file") : g_strdup_printf("link%u", i - 1);

        links[i] = g_build_filename(folder, name, NULL);
        CHECK_EQUAL(symlink(target, links[i]), 0, "no link");
        g_free(name);
        g_free(target);
    }
    output = output_file_new(links[NUM_LINKS - 1]);
    CHECK(output != NULL && write_text(output, output_file_begin, "by many links\n") && complaints == 0,
        "%u complaints", complaints);
    output_file_free(output);
    /* One more than anybody follows, and a circle of two: neither leads to a file, and none is written in its place. */
    CHECK_EQUAL(symlink(links[NUM_LINKS - 1], one_more), 0, "no link");
    CHECK(output_file_new(one_more) == NULL && complaints == 1 && is_complained_of(one_more, ELOOP),
        "%u complaints: %s", complaints, complaint);
    g_unlink(links[0]);
    CHECK_EQUAL(symlink("link1", links[0]), 0, "no link");
    CHECK(output_file_new(links[0]) == NULL && complaints == 2, "%u complaints", complaints);
    CHECK(g_file_test(one_more, G_FILE_TEST_IS_SYMLINK), "the link was written");
    complaints = 0;
    g_unlink(one_more);
    g_free(one_more);
    for (unsigned i = 0; i < NUM_LINKS; i++) {
        CHECK(g_file_test(links[i], G_FILE_TEST_IS_SYMLINK), "link %u was written", i);
        g_unlink(links[i]);
        g_free(links[i]);
    }
    check_content(path, "by many links\n");
    g_file_set_contents(path, "by a link\n", -1, NULL);
}

/* Whether a file whose name begins so stands in the folder. */
static bool
has_file(const char *prefix)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    const char *name;

    do {
        name = g_dir_read_name(dir);
    } while (name != NULL && !g_str_has_prefix(name, prefix));
    g_dir_close(dir);
    return name != NULL;
}

/* Who may read a file may read it written anew, and nobody else meanwhile. Links stay. */
static void
check_modes_and_links(const char *path)
{
    char *link_path = g_build_filename(folder, "link", NULL), *temporary, *expected;
    const mode_t mask = umask(022);
    struct output_file *output, *another;
    GDir *dir;
    FILE *file;

    umask(mask);
    for (unsigned way = 0; way < 3; way++) {
        const bool is_new = way == 0, is_lost = way != 1;

        complaints = 0;
        if (!is_new) {
            g_file_set_contents(path, "old\n", -1, NULL);
            g_chmod(path, 0640);
        }
        output = output_file_new(path);
        file = output_file_begin(output);
        fputs("new\n", file);
        dir = g_dir_open(folder, 0, NULL);
        temporary = g_build_filename(folder, g_dir_read_name(dir), NULL);
        if (strcmp(temporary, path) == 0) { /* the other is it */
            g_free(temporary);
            temporary = g_build_filename(folder, g_dir_read_name(dir), NULL);
        }
        g_dir_close(dir);
        CHECK(mode_of(temporary) == (is_new ? 0666 & ~(int)mask : 0600), "%o", mode_of(temporary));
        if (is_lost) {
            g_unlink(temporary);
        }
        output_file_end(output);
        CHECK(complaints == is_lost && count_files() == !is_new, "way %u: %u complaints", way, complaints);
        CHECK(mode_of(path) == (is_new ? -1 : 0640), "%o", mode_of(path));
        if (!is_new) {
            check_content(path, is_lost ? "old\n" : "new\n");
        }
        output_file_free(output);
        g_free(temporary);
    }
    complaints = 0;

    CHECK_EQUAL(symlink("file", link_path), 0, "no link");
    output = output_file_new(link_path);
    /* The new one is begun beside the file: the link may be on another disk. */
    output_file_begin(output);
    CHECK(has_file("file."), "where it is begun");
    CHECK(!has_file("link."), "where it is begun");
    output_file_discard(output);
    CHECK(write_text(output, output_file_begin, "by a link\n") && complaints == 0, "%u complaints", complaints);
    CHECK(g_file_test(link_path, G_FILE_TEST_IS_SYMLINK), "the link was written");
    /* It is written where the link led, and called what the user called it. */
    g_unlink(link_path);
    CHECK_EQUAL(symlink("elsewhere", link_path), 0, "no link");
    CHECK(write_text(output, output_file_begin, "by a link\n") && complaints == 0, "%u complaints", complaints);
    g_file_set_contents(path, "another's\n", -1, NULL);
    expected = g_strdup_printf("\"%s\" is not written: another program changed it in the meantime", link_path);
    CHECK(output_file_begin(output) == NULL && complaints == 1 && strcmp(complaint, expected) == 0, "%s", complaint);
    g_free(expected);
    complaints = 0;
    output_file_free(output);
    g_unlink(link_path);
    check_many_links(path);
    /* Two files, and one with two names. */
    output = output_file_new(path);
    g_file_set_contents(link_path, "another\n", -1, NULL);
    another = output_file_new(link_path);
    CHECK(output != NULL && another != NULL && complaints == 0, "%u complaints", complaints);
    output_file_free(another);
    g_unlink(link_path);
    CHECK(link(path, link_path) == 0 && output_file_new(link_path) == NULL && complaints == 1, "%u complaints",
        complaints);
    complaints = 0;
    output_file_free(output);
    g_unlink(link_path);
    check_content(path, "by a link\n");
    g_unlink(path);
    g_free(link_path);

    /* A device that takes nothing. */
    output = output_file_new("/dev/full");
    CHECK(output != NULL, "not begun");
    if (output != NULL) {
        CHECK(write_text(output, output_file_begin, "lost\n"), "not begun");
    }
    CHECK(complaints == 1 && is_complained_of("/dev/full", ENOSPC), "%u complaints: %s", complaints, complaint);
    file = output_file_begin(output);
    fputs("lost, and known before the end\n", file);
    fflush(file);
    output_file_end(output);
    CHECK(complaints == 2, "%u complaints", complaints);
    output_file_free(output);
}
#endif

static void
check_standard_output_is_named_by_a_dash(void)
{
    struct output_file *output = output_file_new("-");

    CHECK(strcmp(output_file_name(output), "-") == 0, "%s", output_file_name(output));
    CHECK(output_file_begin(output) == stdout, "not standard output");
    output_file_end(output);
    CHECK(output_file_resume(output) == stdout, "not standard output");
    output_file_discard(output);
    output_file_free(output);
    output_file_free(NULL);
#if FIRST_WAY == 0
    /* By its other name it is the same. */
    output = output_file_new("/dev/stdout");
    CHECK(output != NULL, "another stream");
    if (output != NULL) {
        CHECK(output_file_begin(output) == stdout, "another stream");
    }
    output_file_end(output);
    output_file_free(output);
#endif
    CHECK(printf("standard output is still open\n") > 0, "closed");
    CHECK_EQUAL(fflush(stdout), 0, "closed");
}

static void
check_file_appears_only_when_complete(void)
{
    char *missing = g_build_filename(folder, "none", "x", NULL);

    complaints = 0;
    CHECK(output_file_new(missing) == NULL && complaints == 1, "%u complaints", complaints);
    CHECK(output_file_new(folder) == NULL && complaints == 2, "%u complaints", complaints);
    g_free(missing);
}

#ifdef _WIN32
static GLogWriterOutput
ignore_log(GLogLevelFlags level _U_, const GLogField *fields _U_, gsize num_fields _U_, void *data _U_)
{
    return G_LOG_WRITER_HANDLED;
}
#endif

int
main(void)
{
    static const struct report_message_routines routines = {
        .vreport_failure = complain,
    };
    char *path;

#ifdef _WIN32
    /* Without a console g_strerror() warns, and GLib's own writer asks for the console's charset again, without end. */
    g_log_set_writer_func(ignore_log, NULL, NULL);
#endif
    init_report_message("test", &routines);
    folder = g_dir_make_tmp("perflib-XXXXXX", NULL);
    path = g_build_filename(folder, "file", NULL);
    check_drawing_again_replaces_and_resumes_the_file(path);
    check_words_of_others_are_not_lost(path);
    check_each_difference_tells_another_file(path);
    check_two_files_are_two_and_one_is_refused_twice(path);
#if FIRST_WAY == 0
    check_modes_and_links(path);
#endif
    check_standard_output_is_named_by_a_dash();
    check_file_appears_only_when_complete();
    g_unlink(path);
    g_rmdir(folder);
    g_free(path);
    g_free(folder);
    return check_result();
}
