/* test_samples.c
 * -z PROTOCOL,samples,FILE: each cell of each kind of value as CSV and as JSON, and files that go on, begin anew or fail
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef _WIN32
#define _XOPEN_SOURCE 700 /* fileno() */
#endif

#include "compat.h"

#include <string.h>
#ifndef _WIN32
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "check.h"
#include "cook/counter-types.h"
#include "counters/record.h"
#include "fake-address.h"
#include "fake-output.h"
#include "stats/tables.h"

#define HEADER \
    "time,frame,client,server,query,counterset,instance,instance_id,counter,type,raw,base,cooked,unit,reason," \
    "interval," \
    "previous_frame,text,aggregated_from,server_address,counterset_guid,counter_id,known_by\r\n"

static const struct command_kind *const kind = &samples_command;
static void *samples;

/* What is told of the values of the next poll. */
static struct perf_tap_origin origin;

static void
tell_of(const struct perf_tap_poll *poll, const struct perf_tap_sample *sample, struct perf_tap_origin *told_origin)
{
    (void)poll;
    (void)sample;
    *told_origin = origin;
}

static void
begin(const char *name)
{
    file_name = name;
    samples = g_malloc0(kind->size);
    *(struct command *)samples = (struct command){ .kind = kind, .name = "proto,samples" };
    CHECK(kind->begin(samples, NULL), "not begun");
    times_told = 0;
}

static void
end(void)
{
    kind->reset(samples);
    kind->finish(samples);
    needed_clear(&((struct command *)samples)->needed);
    g_free(samples);
}

/* A poll in frame 7, which 192.0.2.2 sent to 192.0.2.1, with one value so many times. */
static tap_packet_status
poll_at(nstime_t time, const struct perf_tap_sample *sample, unsigned times)
{
    static const uint8_t server[] = { 192, 0, 2, 2 }, client[] = { 192, 0, 2, 1 };
    struct perf_tap_sample all[] = { *sample, *sample };
    const struct perf_tap_poll record = { .host = "PC",
        .query = "1",
        .tell = tell_of,
        .time = time,
        .num_samples = times,
        .samples = all };
    packet_info pinfo = { .num = 7, .pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE) };
    tap_packet_status status;

    set_address(&pinfo.src, AT_IPv4, 4, server);
    set_address(&pinfo.dst, AT_IPv4, 4, client);
    status = kind->packet(samples, &pinfo, NULL, &record, 0);
    wmem_destroy_allocator(pinfo.pool);
    return status;
}

static const nstime_t second_of_january = { 86400 + 3661, 123456789 };
static const struct perf_tap_sample plain = { .raw = 5, .cooked = { .value = 2.5 } };

static tap_packet_status
poll(const struct perf_tap_sample *sample)
{
    return poll_at(second_of_january, sample, 1);
}

#define CSV_BEFORE "\"1970-01-02T01:01:01.1234567Z\",7,\"192.0.2.1\",\"PC\",\"1\","
#define JSON_BEFORE \
    "{\"time\":\"1970-01-02T01:01:01.1234567Z\",\"frame\":7,\"client\":\"192.0.2.1\",\"server\":\"PC\",\"query\":" \
    "\"1\","

static void
test_cells(void)
{
    static const struct {
        struct perf_tap_sample sample;
        struct perf_tap_origin origin;
        const char *csv, *json;
    } cases[] = {
        /* All there is. */
        { { .raw = UINT64_MAX, .cooked = { .value = 12.5, .unit = COOK_UNIT_PER_SECOND } },
            { "A \"set\"", "{1}", "=i", true, 3, "c\\d", 4, "order", true, PERF_COUNTER_COUNTER, true, 9, 6, 1.5 },
            CSV_BEFORE "\"A \"\"set\"\"\",\"'=i\",3,\"c\\d\",\"PERF_COUNTER_COUNTER\",18446744073709551615,9,12.5,"
                       "\"/s\",,1.5,6,,,\"192.0.2.2\",\"{1}\",4,\"order\"\r\n",
            JSON_BEFORE "\"counterset\":\"A \\\"set\\\"\",\"instance\":\"=i\",\"instance_id\":3,\"counter\":\"c\\\\d\","
                        "\"type\":\"PERF_COUNTER_COUNTER\",\"raw\":18446744073709551615,\"base\":9,\"cooked\":12.5,"
                        "\"unit\":\"/s\",\"interval\":1.5,\"previous_frame\":6,\"server_address\":\"192.0.2.2\","
                        "\"counterset_guid\":\"{1}\",\"counter_id\":4,\"known_by\":\"order\"}\n" },
        /* No value, for a reason, in the first poll; the type is a number. */
        { { .raw = 7, .cooked = { .value = 1, .whole = 1, .is_whole = true, .reason = COOK_FIRST_SAMPLE } },
            { .set = "S",
                .counter = "C",
                .has_type = true,
                .type = 0x00abcdef,
                .interval = 8,
                .instance_id = 5,
                .base = 5 },
            CSV_BEFORE "\"S\",,,\"C\",\"0x00abcdef\",7,,,,\"first sample\",,,,,\"192.0.2.2\",,0,\r\n",
            JSON_BEFORE "\"counterset\":\"S\",\"counter\":\"C\",\"type\":\"0x00abcdef\",\"raw\":7,"
                        "\"reason\":\"first sample\",\"server_address\":\"192.0.2.2\",\"counter_id\":0}\n" },
        /* A whole number, below zero; no type. */
        { { .raw = 7, .cooked = { .value = -3, .whole = 3, .is_whole = true } },
            { .set = "S", .counter = "C", .type = PERF_COUNTER_COUNTER },
            CSV_BEFORE "\"S\",,,\"C\",,7,,-3,,,,,,,\"192.0.2.2\",,0,\r\n",
            JSON_BEFORE "\"counterset\":\"S\",\"counter\":\"C\",\"raw\":7,\"cooked\":-3,"
                        "\"server_address\":\"192.0.2.2\",\"counter_id\":0}\n" },
        /* A whole number has all its digits; a base, but no number of an instance. */
        { { .raw = 7, .cooked = { .value = 18446744073709551615., .whole = UINT64_MAX, .is_whole = true } },
            { .set = "S", .counter = "C", .has_base = true, .base = 9 },
            CSV_BEFORE "\"S\",,,\"C\",,7,9,18446744073709551615,,,,,,,\"192.0.2.2\",,0,\r\n",
            JSON_BEFORE "\"counterset\":\"S\",\"counter\":\"C\",\"raw\":7,\"base\":9,"
                        "\"cooked\":18446744073709551615,\"server_address\":\"192.0.2.2\",\"counter_id\":0}\n" },
        /* Zero has no sign. */
        { { .raw = 7, .cooked = { .is_whole = true } }, { .set = "S", .counter = "C" },
            CSV_BEFORE "\"S\",,,\"C\",,7,,0,,,,,,,\"192.0.2.2\",,0,\r\n",
            JSON_BEFORE "\"counterset\":\"S\",\"counter\":\"C\",\"raw\":7,\"cooked\":0,"
                        "\"server_address\":\"192.0.2.2\",\"counter_id\":0}\n" },
        /* One that clients make of all instances, of which there is one. */
        { { .raw = 7, .num_aggregated = 1, .is_other = true, .cooked = { .value = 3, .whole = 3, .is_whole = true } },
            { .set = "S", .counter = "C" }, CSV_BEFORE "\"S\",,,\"C\",,,,3,,,,,,1,\"192.0.2.2\",,0,\r\n",
            JSON_BEFORE "\"counterset\":\"S\",\"counter\":\"C\",\"cooked\":3,\"aggregated_from\":1,"
                        "\"server_address\":\"192.0.2.2\",\"counter_id\":0}\n" },
        /* A text. */
        { { .raw = 7, .text = "on", .cooked = { .reason = COOK_TEXT } }, { .set = "S", .counter = "C" },
            CSV_BEFORE "\"S\",,,\"C\",,,,,,\"text\",,,\"on\",,\"192.0.2.2\",,0,\r\n",
            JSON_BEFORE "\"counterset\":\"S\",\"counter\":\"C\",\"reason\":\"text\",\"text\":\"on\","
                        "\"server_address\":\"192.0.2.2\",\"counter_id\":0}\n" },
        /* Three bytes. */
        { { .raw = 7, .cooked = { .reason = COOK_WRONG_SIZE } }, { .set = "S", .counter = "C" },
            CSV_BEFORE "\"S\",,,\"C\",,,,,,\"value neither 4 nor 8 bytes\",,,,,\"192.0.2.2\",,0,\r\n",
            JSON_BEFORE "\"counterset\":\"S\",\"counter\":\"C\",\"reason\":\"value neither 4 nor 8 bytes\","
                        "\"server_address\":\"192.0.2.2\",\"counter_id\":0}\n" },
    };

    for (size_t i = 0; i < 2 * array_length(cases); i++) {
        const bool is_json = i % 2 != 0;
        char *csv = g_strconcat(HEADER, cases[i / 2].csv, NULL);
        const char *expected = is_json ? cases[i / 2].json : csv;

        origin = cases[i / 2].origin;
        begin(is_json ? "a.ndjson" : "a.csv");
        CHECK(poll(&cases[i / 2].sample) == TAP_PACKET_REDRAW, "not drawn");
        kind->draw(samples);
        CHECK(strcmp(written->str, expected) == 0, "%s%s", written->str, expected);
        end();
        g_free(csv);
    }
}

static void
test_times(void)
{
    static const struct {
        nstime_t time;
        const char *text;
    } cases[] = {
        { { 0, 99 }, "\"1970-01-01T00:00:00.0000000Z\"," },
        { { 1, 0 }, "\"1970-01-01T00:00:01.0000000Z\"," },
        { { -1, 100 }, "\"1969-12-31T23:59:59.0000001Z\"," },
        { { INT64_C(253402300799), 999999999 }, "\"9999-12-31T23:59:59.9999999Z\"," },
        { { INT64_C(253402300800), 0 }, "," },
        { { 0, -1 }, "," },
    };

    origin = (struct perf_tap_origin){ .counter = "C" };
    for (size_t i = 0; i < array_length(cases); i++) {
        begin("a.csv");
        poll_at(cases[i].time, &plain, 1);
        kind->draw(samples);
        CHECK(g_str_has_prefix(written->str + strlen(HEADER), cases[i].text), "%s", written->str + strlen(HEADER));
        end();
    }
}

/* How many lines the file has, or will have. */
static unsigned
lines(void)
{
    unsigned count = 0;

    kind->draw(samples);
    for (const char *c = written->str; *c != '\0'; c++) {
        count += *c == '\n';
    }
    return count;
}

static void
test_files(void)
{
    const struct perf_tap_poll sealed = { .needed = "a key" };
    unsigned discarded;

    /* Each time it is drawn it is whole, and goes on after that. */
    begin("a.csv");
    poll_at(second_of_january, &plain, 2);
    CHECK(lines() == 3 && times_resumed == 0, "%s", written->str);
    poll(&plain);
    poll(&plain);
    CHECK(lines() == 5 && times_resumed == 1, "%s", written->str);
    CHECK(lines() == 5, "%s", written->str);
    discarded = times_discarded;
    kind->reset(samples);
    CHECK(times_discarded == discarded + 1, "%u", times_discarded);
    poll(&plain);
    CHECK(lines() == 2 && g_str_has_prefix(written->str, HEADER "\""), "begun anew: %s", written->str);
    end();

    /* Without a value CSV has a header, and the user is told what it takes; with one, nothing. */
    for (unsigned i = 0; i < 2; i++) {
        begin(i == 0 ? "a.csv" : "a.ndjson");
        CHECK(kind->packet(samples, NULL, NULL, &sealed, 0) == TAP_PACKET_DONT_REDRAW, "drawn");
        poll_at(second_of_january, &plain, 0);
        CHECK(lines() == (i == 0 ? 1 : 0) && times_told == 1 &&
                strcmp(told, "-z proto,samples: no call could be read\na key") == 0,
            "%s", told);
        end();
    }
    begin("a.ndjson");
    kind->packet(samples, NULL, NULL, &sealed, 0);
    poll(&plain);
    poll_at(second_of_january, &plain, 0);
    CHECK(lines() == 1 && times_told == 0, "%s", told);
    end();

    /* A file that cannot be had, or written, is told of once, until the capture is read anew. */
    begin("a.csv");
    has_no_file = true;
    times_begun = 0;
    for (unsigned i = 0; i < 2; i++) {
        CHECK(poll(&plain) == TAP_PACKET_FAILED && times_begun == 1, "begun %u times", times_begun);
    }
    kind->draw(samples);
    has_no_file = false;
    kind->reset(samples);
    CHECK(poll(&plain) == TAP_PACKET_REDRAW && lines() == 2, "%s", written->str);
    kind->reset(samples);
    is_full = true;
    CHECK(poll(&plain) == TAP_PACKET_FAILED && g_str_has_prefix(told, "a.csv not written: ") && times_told == 1, "%s",
        told);
    CHECK(file == NULL && poll(&plain) == TAP_PACKET_FAILED && times_told == 1, "told %u times", times_told);
    is_full = false;
    end();
}

#ifndef _WIN32
/* How much of what was written has reached an open file. */
static long
reached(int descriptor)
{
    struct stat state;

    return fstat(descriptor, &state) == 0 ? (long)state.st_size : -1;
}

/* Who reads standard output gets each poll at once; files are written in larger parts. */
static void
test_flushing(void)
{
    FILE *in_its_place = tmpfile();
    const int kept = dup(STDOUT_FILENO), full = open("/dev/full", O_WRONLY);

    begin("a.csv");
    poll(&plain);
    CHECK(reached(fileno(file)) == 0, "%ld bytes", reached(fileno(file)));
    end();
    fflush(stdout);
    dup2(fileno(in_its_place), STDOUT_FILENO);
    begin("-");
    is_standard_output = true;
    CHECK(poll(&plain) == TAP_PACKET_REDRAW && times_told == 0, "%s", told);
    CHECK(reached(fileno(in_its_place)) > (long)strlen(HEADER), "%ld bytes", reached(fileno(in_its_place)));
    /* Linux alone has such a device. */
    if (full >= 0) {
        dup2(full, STDOUT_FILENO);
        CHECK(poll(&plain) == TAP_PACKET_FAILED && times_told == 1 && g_str_has_prefix(told, "- not written: "), "%s",
            told);
        close(full);
    }
    end();
    is_standard_output = false;
    dup2(kept, STDOUT_FILENO);
    clearerr(stdout);
    close(kept);
    fclose(in_its_place);
}
#endif

int
main(void)
{
    test_cells();
    test_times();
    test_files();
#ifndef _WIN32
    test_flushing();
#endif
    g_string_free(written, TRUE);
    return check_result();
}
