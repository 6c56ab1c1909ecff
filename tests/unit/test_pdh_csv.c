/* test_pdh_csv.c
 * PDH-CSV: rows by time in whatever order polls come, cells of each kind, drawn again while polls come, and not too large
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef _WIN32
#define _XOPEN_SOURCE 700 /* ftruncate() */
#endif

#include "compat.h"

#include <string.h>
#ifndef _WIN32
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>
#endif
#include <glib/gstdio.h>
#include <wsutil/tempfile.h>

#include "check.h"
#include "counters/record.h"
#include "fake-output.h"
#include "stats/tables.h"

/* In place of Wireshark's: the temporary file made last, which may have no room, or a name that cannot be opened. */
static char temporary_name[1000];
static int temporary_descriptor, another_descriptor;
static bool has_no_room, is_nowhere, has_another;

int
create_tempfile(const char *folder, char **name, const char *prefix, const char *suffix, GError **error)
{
    CHECK(folder == NULL && strcmp(prefix, "perflib") == 0 && suffix == NULL, "%s", prefix);
    if (has_no_room) {
        g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, "no room");
        return -1;
    }
    temporary_descriptor = g_file_open_tmp(NULL, name, error);
    g_strlcpy(temporary_name, *name, sizeof temporary_name);
#ifndef _WIN32
    another_descriptor = has_another ? dup(temporary_descriptor) : -1;
#endif
    if (is_nowhere) {
        g_unlink(*name);
        g_free(*name);
        *name = g_strdup("no/where");
    }
    return temporary_descriptor;
}

static void *csv;
static const struct command_kind *const kind = &pdh_csv_command;
static uint64_t capture_size;

static void
begin(void)
{
    csv = g_malloc0(kind->size);
    *(struct command *)csv = (struct command){ .kind = kind, .name = "proto,pdh-csv" };
    CHECK(kind->begin(csv, NULL), "no temporary file");
    told[0] = '\0';
    times_told = 0;
    capture_size = 0;
    g_string_truncate(written, 0);
}

static void
end(void)
{
    needed_clear(&((struct command *)csv)->needed);
    kind->finish(csv);
    g_free(csv);
}

static tap_packet_status
poll(nstime_t time, const struct perf_tap_sample *samples, unsigned count)
{
    const struct perf_tap_poll record = { .host = "PC", .time = time, .num_samples = count, .samples = samples };
    frame_data frame = { .file_off = (int64_t)capture_size, .cap_len = 0 };
    packet_info pinfo = { .fd = &frame, .pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE) };
    const tap_packet_status status = kind->packet(csv, &pinfo, NULL, &record, 0);

    wmem_destroy_allocator(pinfo.pool);
    return status;
}

/* A poll at that second of one value of the counter with that letter. */
static void
one(time_t second, char letter, double value)
{
    static char identities[128];
    const char path[2] = { letter, 0 };
    const struct perf_tap_sample sample = { .identity = &identities[(unsigned char)letter],
        .path = path,
        .cooked = { .value = value, .reason = COOK_OK } };

    CHECK(poll((nstime_t){ second, 0 }, &sample, 1) == TAP_PACKET_REDRAW, "not drawn");
}

#define TITLE "\"(PDH-CSV 4.0) (UTC)(0)\""
#define CHECK_FILE(expected) \
    do { \
        kind->draw(csv); \
        CHECK(strcmp(written->str, expected) == 0, "%s", written->str); \
    } while (0)
#define AT(second) "\"01/01/1970 00:00:0" #second ".000\""

static void
test_order(void)
{
    begin();
    one(3, 'a', 1);
    one(1, 'b', 2);
    CHECK_FILE(TITLE ",\"a\",\"b\"\r\n" AT(1) ",\" \",\"2\"\r\n" AT(3) ",\"1\",\" \"\r\n");
    /* More comes, and it is drawn again: the last in time was the first in the file. */
    one(2, 'a', 3);
    CHECK_FILE(TITLE ",\"a\",\"b\"\r\n" AT(1) ",\" \",\"2\"\r\n" AT(2) ",\"3\",\" \"\r\n" AT(3) ",\"1\",\" \"\r\n");
    one(0, 'c', 4.5);
    one(4, 'b', 5);
    CHECK_FILE(TITLE ",\"a\",\"b\",\"c\"\r\n" AT(0) ",\" \",\" \",\"4.5\"\r\n" AT(1) ",\" \",\"2\",\" \"\r\n" AT(
        2) ",\"3\",\" \",\" \"\r\n" AT(3) ",\"1\",\" \",\" \"\r\n" AT(4) ",\" \",\"5\",\" \"\r\n");
    CHECK(times_told == 0, "%s", told);
    /* One that came between two others is later than both. */
    kind->reset(csv);
    one(1, 'a', 1);
    one(3, 'a', 3);
    one(2, 'a', 2);
    CHECK_FILE(TITLE ",\"a\"\r\n" AT(1) ",\"1\"\r\n" AT(2) ",\"2\"\r\n" AT(3) ",\"3\"\r\n");
    /* Read anew. */
    kind->reset(csv);
    one(1, 'd', 6);
    CHECK_FILE(TITLE ",\"d\"\r\n" AT(1) ",\"6\"\r\n");
    end();
}

/* All polls of one time are a row; where two give a counter another value, the first stands, and the user is told once. */
static void
test_same_time(void)
{
    struct perf_tap_sample whole = { .identity = "a",
        .path = "a",
        .cooked = { .value = 1, .whole = 1, .is_whole = true, .reason = COOK_OK } };

    begin();
    one(1, 'a', 1);
    one(1, 'b', 2);
    one(1, 'a', 1);
    CHECK_FILE(TITLE ",\"a\",\"b\"\r\n" AT(1) ",\"1\",\"2\"\r\n");
    CHECK(times_told == 0, "%s", told);
    one(1, 'a', 3);
    CHECK_FILE(TITLE ",\"a\",\"b\"\r\n" AT(1) ",\"1\",\"2\"\r\n");
    CHECK(times_told == 1 &&
            strcmp(told, "-z proto,pdh-csv: 1 value is left out, as the counter has another one at the same time") == 0,
        "%s", told);
    one(1, 'b', 4);
    CHECK_FILE(TITLE ",\"a\",\"b\"\r\n" AT(1) ",\"1\",\"2\"\r\n");
    CHECK(times_told == 1, "told again");
    kind->reset(csv);
    one(1, 'a', 1);
    one(1, 'a', 2);
    one(1, 'a', 3);
    CHECK_FILE(TITLE ",\"a\"\r\n" AT(1) ",\"1\"\r\n");
    CHECK(times_told == 2 &&
            strcmp(told, "-z proto,pdh-csv: 2 values are left out, as the counter has another one at the same time") ==
                0,
        "%s", told);
    /* The same number of another sign is another value. */
    kind->reset(csv);
    poll((nstime_t){ 1, 0 }, &whole, 1);
    whole.cooked.value = -1;
    poll((nstime_t){ 1, 0 }, &whole, 1);
    CHECK_FILE(TITLE ",\"a\"\r\n" AT(1) ",\"1\"\r\n");
    CHECK(times_told == 3, "%s", told);
    end();
}

static void
test_cells(void)
{
    static const char ids[9];
    const struct perf_tap_sample samples[] = {
        { .identity = &ids[0], .path = "real", .cooked = { .value = 0.1, .reason = COOK_OK } },
        { .identity = &ids[1],
            .path = "whole",
            .cooked = { .value = 1, .whole = UINT64_MAX, .is_whole = true, .reason = COOK_OK } },
        { .identity = &ids[2],
            .path = "negative",
            .cooked = { .value = -1, .whole = 7, .is_whole = true, .reason = COOK_OK } },
        { .identity = &ids[3], .path = "text", .text = "a \"word\"", .cooked = { .reason = COOK_TEXT } },
        { .identity = &ids[4], .path = "none", .cooked = { .value = 9, .reason = COOK_FIRST_SAMPLE } },
        { .identity = &ids[5], .path = NULL, .cooked = { .value = 9, .reason = COOK_OK } },
        { .identity = &ids[6], .path = "base", .cooked = { .value = 9, .reason = COOK_NOT_DISPLAYED } },
        { .identity = &ids[7], .path = "text too", .text = "other", .cooked = { .reason = COOK_TEXT } },
        { .identity = &ids[8], .path = "behind", .cooked = { .value = 9, .reason = COOK_OK } },
    };

    begin();
    poll((nstime_t){ 5, 999999999 }, samples, 8);
    poll((nstime_t){ 6, 0 }, samples, 0);
    CHECK_FILE(TITLE
        ",\"real\",\"whole\",\"negative\",\"text\",\"none\",\"text too\"\r\n"
        "\"01/01/1970 00:00:05.999\",\"0.1\",\"18446744073709551615\",\"-7\",\"a \"\"word\"\"\",\" \",\"other\"\r\n"
        "\"01/01/1970 00:00:06.000\",\" \",\" \",\" \",\" \",\" \",\" \"\r\n");
    end();
}

static void
test_times(void)
{
    static const struct {
        int64_t seconds;
        int nanoseconds;
        const char *shown;
    } cases[] = {
        { INT64_C(-62135596801), 0, "\" \"" }, /* before the year 1 */
        { INT64_C(-62135596800), 1000000, "\"01/01/0001 00:00:00.001\"" },
        { -1, 500000000, "\"12/31/1969 23:59:59.500\"" }, { 0, -1, "\" \"" },
        { 951782400 - 1, 0, "\"02/28/2000 23:59:59.000\"" }, { 951782400, 0, "\"02/29/2000 00:00:00.000\"" },
        { INT64_C(1767225600) + 3661, 0, "\"01/01/2026 01:01:01.000\"" },
        { INT64_C(1767225600) + 3600, 0, "\"01/01/2026 01:00:00.000\"" },
        { INT64_C(1833029933770), 0, "\"05/28/60056 05:36:10.000\"" },
        { INT64_C(9000000000000), 0, "\" \"" }, /* after the last FILETIME */
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        const struct perf_tap_sample sample = { .identity = "a",
            .path = "a",
            .cooked = { .value = 1, .reason = COOK_OK } };

        begin();
        poll((nstime_t){ (time_t)cases[i].seconds, cases[i].nanoseconds }, &sample, 1);
        kind->draw(csv);
        CHECK(strcmp(written->str,
                  wmem_strdup_printf(wmem_epan_scope(), TITLE ",\"a\"\r\n%s,\"1\"\r\n", cases[i].shown)) == 0,
            "%s", written->str);
        end();
    }
}

/* So many counters, each at a time of its own: all other cells are blank, of 4 bytes. */
static bool
is_written(unsigned count, uint64_t captured, const char *name)
{
    static char identities[3000];
    bool is;

    file_name = name;
    begin();
    /* A larger capture before. */
    capture_size = UINT64_C(1) << 30;
    one(1, 'a', 1);
    kind->reset(csv);
    capture_size = captured;
    for (unsigned i = 0; i < count; i++) {
        const struct perf_tap_sample sample = { .identity = &identities[i],
            .path = "a",
            .cooked = { .value = 1, .reason = COOK_OK } };

        poll((nstime_t){ (time_t)i, 0 }, &sample, 1);
    }
    kind->draw(csv);
    is = written->len > 0;
    end();
    file_name = "a.csv";
    return is;
}

static void
test_size(void)
{
    /* 2048 * 2047 * 4 bytes are less than 16 MiB, 2049 * 2048 * 4 are more: 16.8 million, 200 times 83928 or less. */
    CHECK(is_written(2048, 0, "a.csv") && times_told == 0, "%s", told);
    CHECK(!is_written(2049, 0, "a.csv") &&
            strcmp(told,
                "\"a.csv\" is not written: 2049 counters at 2049 times would make 16 MB of blanks, over 200 times "
                "the capture. Use -z proto,samples,FILE, or -z proto,pdh-csv,- for all of it") == 0,
        "%s", told);
    CHECK(!is_written(2049, 83927, "a.csv") && is_written(2049, 83928, "a.csv"), "by the capture's size");
    CHECK(is_written(2049, 0, "-"), "standard output takes all");
}

static void
test_needed(void)
{
    const struct perf_tap_poll sealed = { .needed = "a key" };

    begin();
    CHECK(kind->packet(csv, NULL, NULL, &sealed, 0) == TAP_PACKET_DONT_REDRAW, "drawn");
    CHECK_FILE(TITLE "\r\n");
    CHECK(times_told == 1 && strcmp(told, "-z proto,pdh-csv: no call could be read\na key") == 0, "%s", told);
    end();
    begin();
    kind->packet(csv, NULL, NULL, &sealed, 0);
    one(1, 'a', 1);
    CHECK_FILE(TITLE ",\"a\"\r\n" AT(1) ",\"1\"\r\n");
    CHECK(times_told == 0, "%s", told);
    end();
}

/* What cannot be opened is not written, as whoever tried it has told. */
static void
test_no_file(void)
{
    begin();
    one(1, 'a', 1);
    has_no_file = true;
    CHECK_FILE("");
    has_no_file = false;
    CHECK_FILE(TITLE ",\"a\"\r\n" AT(1) ",\"1\"\r\n");
    CHECK(times_told == 0, "%s", told);
    end();
}

/* Without a temporary file there is nothing to do, and the user is told once. */
static void
test_no_temporary_file(void)
{
    /* One that cannot be opened has g_strerror() say why, which ends a program without a console in Windows. */
#ifdef _WIN32
    const unsigned count = 1;
#else
    const unsigned count = 2;
#endif

    for (unsigned i = 0; i < count; i++) {
        has_no_room = i == 0;
        is_nowhere = i == 1;
        times_told = 0;
        csv = g_malloc0(kind->size);
        CHECK(!kind->begin(csv, NULL) && times_told == 1 &&
                (i == 0 ? strcmp(told, "temporary file: no room") == 0 : g_str_has_prefix(told, "temporary file: ")),
            "%s", told);
        end();
    }
    has_no_room = is_nowhere = false;
}

#ifndef _WIN32
/* It has no name, so that it is gone with the process: who else takes the name keeps it. */
static void
test_temporary_name(void)
{
    begin();
    CHECK(fcntl(temporary_descriptor, F_GETFD) == -1, "still open");
    CHECK(g_file_set_contents(temporary_name, "another's", -1, NULL), "has a name");
    one(1, 'a', 1);
    CHECK_FILE(TITLE ",\"a\"\r\n" AT(1) ",\"1\"\r\n");
    end();
    CHECK(g_unlink(temporary_name) == 0, "another's is gone");
}

/* What cannot be read again leaves no file, whatever comes behind it that can be. */
static void
test_unreadable(void)
{
    has_another = true;
    begin();
    one(1, 'a', 1);
    poll((nstime_t){ 2, 0 }, NULL, 0);
    poll((nstime_t){ 1, 0 }, NULL, 0);
    CHECK_FILE(TITLE ",\"a\"\r\n" AT(1) ",\"1\"\r\n" AT(2) ",\" \"\r\n");
    CHECK(ftruncate(another_descriptor, 0) == 0, "still there");
    kind->draw(csv);
    CHECK(times_told == 1 && g_str_has_prefix(told, "temporary file: ") && times_discarded == 1, "%s", told);
    end();
    close(another_descriptor);
    has_another = false;
    times_discarded = 0;
}

/* What could not be kept leaves no file; what is read anew may be kept. */
static void
test_unwritable(void)
{
    static char identities[1000]; /* more cells than a stream keeps to itself */
    struct perf_tap_sample samples[array_length(identities)];
    struct rlimit had, none;
    const unsigned begun = times_begun;

    for (size_t i = 0; i < array_length(identities); i++) {
        samples[i] = (struct perf_tap_sample){ .identity = &identities[i],
            .path = "a",
            .cooked = { .value = 1, .reason = COOK_OK } };
    }
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &had);
    none = had;
    none.rlim_cur = 0;
    begin();
    setrlimit(RLIMIT_FSIZE, &none);
    CHECK(poll((nstime_t){ 1, 0 }, samples, array_length(identities)) == TAP_PACKET_FAILED, "kept");
    kind->draw(csv);
    setrlimit(RLIMIT_FSIZE, &had);
    CHECK(times_told == 1 && g_str_has_prefix(told, "temporary file: ") && times_begun == begun, "%s", told);
    kind->reset(csv);
    one(1, 'a', 1);
    CHECK_FILE(TITLE ",\"a\"\r\n" AT(1) ",\"1\"\r\n");
    end();
}

/* Where standard input is closed the temporary file gets its number, which is as good as any other. */
static void
test_first_descriptor(void)
{
    const int kept = dup(STDIN_FILENO);

    close(STDIN_FILENO);
    begin();
    one(1, 'a', 1);
    CHECK_FILE(TITLE ",\"a\"\r\n" AT(1) ",\"1\"\r\n");
    end();
    dup2(kept, STDIN_FILENO);
    close(kept);
}
#endif

int
main(void)
{
    wmem_init_scopes();
    written = g_string_new(NULL);
    test_order();
    test_same_time();
    test_cells();
    test_times();
    test_size();
    test_needed();
    test_no_file();
    test_no_temporary_file();
#ifndef _WIN32
    test_temporary_name();
    test_unreadable();
    test_unwritable();
    test_first_descriptor();
#endif
    CHECK(times_discarded == 0, "%u discarded", times_discarded);
    g_string_free(written, TRUE);
    return check_result();
}
