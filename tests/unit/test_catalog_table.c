/* test_catalog_table.c
 * Countersets and counters known without a capture: what the user's table takes, what it changes, how it is written
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/catalog.h"

#include <string.h>

#include "check.h"
#include "fake-uat.h"

static wmem_allocator_t *scope;

/* A record, in the order of its columns (README.md). */
struct record {
    const char *guid, *set_name, *counter_id, *counter_name, *type, *base_id, *time_id, *freq_id, *multi_id;
};

#define ONE        "00000001-0002-0003-0405-060708090a0b"
#define PROCESSORS "b4fc721a-0378-476f-89ba-a5a79f810b36"
#define LOOKS_LIKE "The counterset's GUID must look like " PROCESSORS "."
static const e_guid_t one = { 1, 2, 3, { 4, 5, 6, 7, 8, 9, 10, 11 } };
static const e_guid_t processors = { 0xb4fc721a, 0x0378, 0x476f, { 0x89, 0xba, 0xa5, 0xa7, 0x9f, 0x81, 0x0b, 0x36 } };

static void
check_unreadable_records_are_refused(void)
{
    static const struct {
        struct record record;
        const char *why; /* NULL: it is taken */
    } cases[] = {
        { { .guid = ONE }, NULL },
        { { .guid = "{" ONE "}" }, NULL },
        { { .guid = "ABCDEFab-cdef-ABCD-EFab-cdefABCDEFab" }, NULL },
        { { .guid = NULL }, LOOKS_LIKE },
        { { .guid = "" }, LOOKS_LIKE },
        { { .guid = "{" ONE }, LOOKS_LIKE },
        { { .guid = ONE "}" }, LOOKS_LIKE },
        { { .guid = "(" ONE ")" }, LOOKS_LIKE },
        { { .guid = "{" ONE ")" }, LOOKS_LIKE },
        { { .guid = "(" ONE "}" }, LOOKS_LIKE },
        { { .guid = ONE "0" }, LOOKS_LIKE },
        { { .guid = "00000001-0002-0003-0405-060708090a0" }, LOOKS_LIKE },
        { { .guid = "00000001-0002-0003-0405-060708090a0g" }, LOOKS_LIKE },
        { { .guid = "00000001-0002-0003-0405-060708090a0 " }, LOOKS_LIKE },
        { { .guid = "+0000001-0002-0003-0405-060708090a0b" }, LOOKS_LIKE },
        { { .guid = "0x000001-0002-0003-0405-060708090a0b" }, LOOKS_LIKE },
        { { .guid = "00000001-0002-0003-0405-06070809-a0b" }, LOOKS_LIKE },
        { { .guid = "00000001- 002-0003-0405-060708090a0b" }, LOOKS_LIKE },
        { { .guid = "000000010-002-0003-0405-060708090a0b" }, LOOKS_LIKE },
        { { .guid = "{00000001-0002-0003-0405-060708090a0}0" }, LOOKS_LIKE },
        { { .guid = ONE, .counter_id = "0" }, NULL },
        { { .guid = ONE, .counter_id = "4294967295" }, NULL },
        { { .guid = ONE, .counter_id = "0xffffffff" }, NULL },
        { { .guid = ONE, .counter_id = "4294967296" }, "\"4294967296\" is not a counter id." },
        { { .guid = ONE, .counter_id = "-1" }, "\"-1\" is not a counter id." },
        { { .guid = ONE, .counter_id = " 1" }, "\" 1\" is not a counter id." },
        { { .guid = ONE, .counter_id = "1 " }, "\"1 \" is not a counter id." },
        { { .guid = ONE, .counter_id = "0x" }, "\"0x\" is not a counter id." },
        { { .guid = ONE, .counter_id = "ff" }, "\"ff\" is not a counter id." },
        { { .guid = ONE, .base_id = "a" }, "\"a\" is not a counter id." },
        { { .guid = ONE, .time_id = "b" }, "\"b\" is not a counter id." },
        { { .guid = ONE, .freq_id = "c" }, "\"c\" is not a counter id." },
        { { .guid = ONE, .multi_id = "d" }, "\"d\" is not a counter id." },
        { { .guid = ONE, .type = "PERF_COUNTER_RAWCOUNT" }, NULL },
        { { .guid = ONE, .type = "0x12345678" }, NULL },
        { { .guid = ONE, .type = "65536" }, NULL },
        { { .guid = ONE, .type = "PERF_NOTHING" },
            "\"PERF_NOTHING\" is neither the name nor the number of a counter type." },
        { { .guid = ONE, .type = "perf_counter_rawcount" },
            "\"perf_counter_rawcount\" is neither the name nor the number of a counter type." },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        char *why = table_refuses(&cases[i].record);

        CHECK(g_strcmp0(why, cases[i].why) == 0, "%zu: %s", i, why == NULL ? "taken" : why);
        g_free(why);
    }
}

/* What is known of a counter, in a line; "": nothing. */
static const char *
known(const e_guid_t *set, uint32_t id, unsigned nth)
{
    struct catalog_counter found = { .type = 0 };

    if (!catalog_table_counter(set, id, nth, &found)) {
        return "";
    }
    CHECK(found.name.frame == 0, "taught by frame %u", found.name.frame);
    return wmem_strdup_printf(scope, "%s %s%x %d %d %d %d%s", found.name.text == NULL ? "-" : found.name.text,
        found.type_known ? "" : "?", found.type, (int)found.base_id, (int)found.perf_time_id, (int)found.perf_freq_id,
        (int)found.multi_id, found.source == CATALOG_BUILT_IN ? " built in" : "");
}

static void
check_known(const e_guid_t *set, uint32_t id, unsigned nth, const char *expected)
{
    CHECK(strcmp(known(set, id, nth), expected) == 0, "%u.%u: %s, not %s", id, nth, known(set, id, nth), expected);
}

static void
check_name(const e_guid_t *set, const char *expected)
{
    CHECK(g_strcmp0(catalog_table_counterset_name(set).text, expected) == 0, "%s",
        catalog_table_counterset_name(set).text);
}

/* Of Microsoft's example: types and bases by the numbers of winperf.h. */
static void
check_built_in_counters_have_types_and_bases(void)
{
    check_name(&processors, "Processor Information");
    check_name(&one, NULL);
    check_known(&processors, 0, 0, "% Processor Time 21510500 -1 -1 -1 -1 built in");
    check_known(&processors, 1, 0, "% User Time ?0 -1 -1 -1 -1 built in");
    check_known(&processors, 26, 0, "% Processor Utility 40020500 27 -1 -1 -1 built in");
    check_known(&processors, 26, 1, "");
    check_known(&processors, 1000, 0, "");
    check_known(&one, 0, 0, "");
    CHECK_EQUAL(catalog_table_same_id_count(&processors, 26), 1, "how many");
    CHECK_EQUAL(catalog_table_same_id_count(&processors, 1000), 0, "how many");
}

static void
check_users_records_replace_the_built_in_ones(void)
{
    static const struct record records[] = {
        { ONE, "One", "1", "First", "PERF_RAW_FRACTION", "2", "3", "4", "5" },
        { ONE, "", "2", "", "", "", "", "", "" },
        { "{" ONE "}", NULL, "0x10", NULL, "0x99", NULL, NULL, NULL, NULL },
        { PROCESSORS, NULL, "1", "Mine", "0x0", NULL, NULL, NULL, NULL },
        { "ffffffff-ffff-ffff-ffff-ffffffffffff", "Named alone", "", "No counter", "", "", "", "", "" },
        /* Saved by hand: nothing is made of it. */
        { "none", "None", "1", "Nothing", "", "", "", "", "" },
        { ONE, "", "x", "Nothing", "", "", "", "", "" },
    };
    static const struct record renamed = { ONE, "Renamed", NULL, NULL, NULL, NULL, NULL, NULL, NULL };
    static const struct record temperature = { .guid = "52bc5412-dac2-449c-8bc2-96443888fe6b",
        .counter_id = "3",
        .counter_name = "Mine" };
    static const e_guid_t zone = { 0x52bc5412, 0xdac2, 0x449c, { 0x8b, 0xc2, 0x96, 0x44, 0x38, 0x88, 0xfe, 0x6b } };
    static const e_guid_t all_ones = { 0xffffffff, 0xffff, 0xffff, { 255, 255, 255, 255, 255, 255, 255, 255 } };
    const unsigned version = catalog_version;

    table_fill(records, array_length(records));
    CHECK(catalog_version != version, "what is known has changed");
    check_name(&one, "One");
    check_name(&all_ones, "Named alone");
    check_name(&processors, "Processor Information");
    check_known(&one, 1, 0, "First 20020400 2 3 4 5");
    check_known(&one, 2, 0, "- ?0 -1 -1 -1 -1");
    check_known(&one, 16, 0, "- 99 -1 -1 -1 -1");
    check_known(&processors, 1, 0, "Mine 0 -1 -1 -1 -1");
    check_known(&processors, 0, 0, "% Processor Time 21510500 -1 -1 -1 -1 built in");
    check_known(&all_ones, 0, 0, "");
    check_known(&one, 0, 0, "");
    table_fill(&renamed, 1);
    check_name(&one, "Renamed");
    check_name(&all_ones, NULL);
    check_known(&one, 1, 0, "");
    check_known(&processors, 1, 0, "% User Time ?0 -1 -1 -1 -1 built in");
    /* The last that is built in is replaced as any other. */
    table_fill(&temperature, 1);
    check_known(&zone, 3, 0, "Mine ?0 -1 -1 -1 -1");
    CHECK(catalog_table_same_id_count(&zone, 3) == 1, "%u", catalog_table_same_id_count(&zone, 3));
}

/* Records of one id that follow each other are several counters; another that comes later takes their place. */
static void
check_records_that_follow_each_other_are_several_counters(void)
{
    static const struct record records[] = {
        { .guid = ONE, .counter_id = "7", .counter_name = "a" },
        { .guid = ONE, .counter_id = "7", .counter_name = "b" },
        { .guid = PROCESSORS, .counter_id = "7", .counter_name = "c" },
        { .guid = ONE, .counter_id = "8", .counter_name = "d" },
        { .guid = ONE },
        { .guid = ONE, .counter_id = "8", .counter_name = "e" },
        { .guid = ONE, .counter_id = "9", .counter_name = "f" },
        { .guid = ONE, .counter_id = "10", .counter_name = "g" },
        { .guid = ONE, .counter_id = "9", .counter_name = "h" },
    };
    struct record many[40];

    table_fill(records, array_length(records));
    CHECK(catalog_table_same_id_count(&one, 7) == 2 && catalog_table_same_id_count(&processors, 7) == 1, "%u",
        catalog_table_same_id_count(&one, 7));
    check_known(&one, 7, 0, "a ?0 -1 -1 -1 -1");
    check_known(&one, 7, 1, "b ?0 -1 -1 -1 -1");
    check_known(&one, 7, 2, "");
    check_known(&processors, 7, 0, "c ?0 -1 -1 -1 -1");
    check_known(&one, 8, 0, "e ?0 -1 -1 -1 -1");
    check_known(&one, 8, 1, "");
    check_known(&one, 9, 0, "h ?0 -1 -1 -1 -1");
    check_known(&one, 9, 1, "");
    for (unsigned i = 0; i < array_length(many); i++) {
        many[i] = (struct record){ .guid = ONE, .counter_id = "7" };
    }
    table_fill(many, array_length(many));
    CHECK(catalog_table_same_id_count(&one, 7) == array_length(many), "%u", catalog_table_same_id_count(&one, 7));
}

static void
check_written_records_can_be_read_again(void)
{
    static const struct {
        const char *set_name;
        uint32_t id;
        bool has_counter;
        struct catalog_counter counter;
        const char *expected;
    } cases[] = {
        { "One", 5, false, { .type = 0 }, "\"One\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"\n" },
        { NULL, 5, true, { .base_id = 0, .perf_time_id = 1, .perf_freq_id = 4294967294, .multi_id = PERF_ID_NONE },
            "\"\",\"5\",\"\",\"\",\"0\",\"1\",\"4294967294\",\"\"\n" },
        { "a\"b\\c\n\x7f\xc3\xa9 ~", 0, true,
            { .name = { "d,e", 0 },
                .type_known = true,
                .type = 0x00010000,
                .base_id = PERF_ID_NONE,
                .perf_time_id = PERF_ID_NONE,
                .perf_freq_id = PERF_ID_NONE,
                .multi_id = 9 },
            "\"a\\x22b\\x5cc\\x0a\\x7f\\xc3\\xa9 ~\",\"0\",\"d,e\",\"PERF_COUNTER_RAWCOUNT\",\"\",\"\",\"\",\"9\"\n" },
        { "", 1, true, { .type_known = true, .type = 0x0a0b0c0d },
            "\"\",\"1\",\"\",\"0x0a0b0c0d\",\"0\",\"0\",\"0\",\"0\"\n" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        FILE *file = tmpfile();
        char text[300] = "";

        catalog_table_write_record(file, &one, cases[i].set_name, cases[i].id,
            cases[i].has_counter ? &cases[i].counter : NULL);
        rewind(file);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        CHECK(strncmp(text, "\"" ONE "\",", 39) == 0 && strcmp(text + 39, cases[i].expected) == 0, "%zu: %s", i, text);
    }
}

int
main(void)
{
    wmem_init_scopes();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    catalog_table_register(NULL);
    CHECK(strcmp(table.filename, "perflibv2_counters") == 0 && table.size == sizeof(struct record), "%s",
        table.filename);
    check_built_in_counters_have_types_and_bases();
    check_unreadable_records_are_refused();
    check_users_records_replace_the_built_in_ones();
    check_records_that_follow_each_other_are_several_counters();
    check_written_records_can_be_read_again();
    wmem_destroy_allocator(scope);
    return check_result();
}
