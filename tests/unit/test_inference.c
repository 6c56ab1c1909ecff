/* test_inference.c
 * Which identifier a block of a poll answers, where there is no index map: what proves it, and what does not
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>
#include <string.h>

#define BUILD_SIZE 32768 /* a block of more than a thousand counters */
#include "build.h"
#include "check.h"
#include "counters/catalog.h"
#include "fake-uat.h"
#include "machines.h"
#include "perflibv2/queries.h"

#define ANY PERF_ID_NONE
#define ALL PERF_WILDCARD_COUNTER

static struct server *host;

static void
teach_type(uint32_t set, uint32_t counter)
{
    const e_guid_t guid = { .data1 = set };
    const struct catalog_counter type = { .type = 1 };

    catalog_learn_counter(host, &guid, counter, 0, &type, 1);
}

/*
 * Counterset 1 has the counters 1 and 2, all of them; 2 has 1, 2 and 9; of 3 not all are known; of counter 5 of the first
 * a name was taught and nothing else.
 */
static void
teach_all(void)
{
    static const uint32_t known[][2] = { { 1, 1 }, { 1, 2 }, { 2, 1 }, { 2, 2 }, { 2, 9 }, { 3, 1 }, { 3, 2 } };

    file_begin();
    host = machine("HOST");
    for (size_t i = 0; i < array_length(known); i++) {
        teach_type(known[i][0], known[i][1]);
    }
    catalog_learn_counter_text(host, &(e_guid_t){ .data1 = 1 }, 5, 0, CATALOG_NAME, 0, "C", 1);
    for (uint32_t set = 1; set <= 2; set++) {
        catalog_learn_listed(host, &(e_guid_t){ .data1 = set }, 1);
    }
}

/* A name's UTF-16; '~' is U+012A, whose low byte is that of an asterisk. */
static struct series_row
row(uint32_t id, const char *name)
{
    const unsigned length = (unsigned)strlen(name);
    uint8_t *units = (uint8_t *)wmem_alloc0(scope, 2 * length + 2);

    for (unsigned i = 0; i < length; i++) {
        units[2 * i] = (uint8_t)(name[i] == '~' ? 0x2A : name[i]);
        units[2 * i + 1] = name[i] == '~';
    }
    return (struct series_row){ id, units, 2 * length };
}

static struct query_identifier
identifier(uint32_t set, uint32_t counter, uint32_t instance, const char *name)
{
    return (struct query_identifier){ { set, 0, 0, { 0 } }, counter, row(instance, name), false, false };
}

/* What a query has, and the inference from it. */
static GHashTable *identifiers;
static struct inference *inference;

static void
add_identifier(uint32_t set, uint32_t counter, uint32_t instance, const char *name)
{
    struct query_identifier *id = wmem_new(scope, struct query_identifier);

    *id = identifier(set, counter, instance, name);
    g_hash_table_add(identifiers, id);
}

static void
end_query(void)
{
    inference_free(inference);
    inference = NULL;
    g_clear_pointer(&identifiers, g_hash_table_destroy);
}

/* Identifiers that a client asks for. */
struct asked {
    uint32_t set, counter, instance;
    const char *name;
};

/* Ends the query before, if there is one. */
static void
begin_query(const struct asked *asked, unsigned count)
{
    end_query();
    identifiers = g_hash_table_new(query_identifier_hash, query_identifier_equal);
    for (unsigned i = 0; i < count; i++) {
        add_identifier(asked[i].set, asked[i].counter, asked[i].instance, asked[i].name);
    }
}
#define BEGIN_QUERY(...) \
    begin_query((const struct asked[]){ __VA_ARGS__ }, array_length(((const struct asked[]){ __VA_ARGS__ })))

static void
begin_poll(unsigned num_blocks)
{
    begin_data(num_blocks, 1000, UINT64_C(0x1db2a3b4c5d6e7f));
}

/* A block of a poll: of several counters, of several instances, of one value, or a header alone. */
struct answer {
    bool is_header;
    uint32_t type, status; /* of a header */
    uint32_t ids[2];
    const char *names[2];
};
#define SINGLE \
    { \
        .type = PERF_SINGLE_COUNTER \
    }
#define ERROR \
    { \
        .is_header = true, .type = PERF_ERROR_RETURN, .status = 2 \
    }
#define NO_TYPE \
    { \
        .is_header = true, .type = 3 \
    }
#define COUNTERS(first, second) \
    { \
        .ids = { first, second } \
    }
#define INSTANCES(first, second) \
    { \
        .names = { first, second } \
    }

static void
add_answer(const struct answer *answer)
{
    if (answer->is_header) {
        end_block(begin_block(answer->type, answer->status));
    } else {
        add_block(2, answer->ids[0] == 0 ? NULL : answer->ids, 2, answer->names[0] == NULL ? NULL : answer->names,
            (const uint64_t[]){ 1, 2 }, 4);
    }
}

static char *
instance_text(const struct series_row *instance)
{
    GString *text = g_string_new(NULL);

    g_string_printf(text, "%u/", instance->id);
    for (unsigned i = 0; i < instance->name_size; i += 2) {
        g_string_append_c(text, (char)instance->name[i]);
    }
    return g_string_free(text, FALSE);
}

/* Whether a name is in an identifier's own memory, which goes when the client takes the identifier back. */
static bool
is_borrowed(const uint8_t *name)
{
    GHashTableIter iter;
    void *key;

    g_hash_table_iter_init(&iter, identifiers);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        if (((const struct query_identifier *)key)->instance.name == name) {
            return true;
        }
    }
    return false;
}

/*
 * What the blocks of the poll just made are said to be: "set:counter:id/name" each, "?" for what is not known, "-" where
 * nothing is.
 */
static void
check_poll(const char *expected)
{
    tvbuff_t *tvb;
    struct lpdata data;
    GString *text = g_string_new(NULL);
    const struct query_link *links;

    end_data();
    tvb = tvb_new_real_data(out.bytes, out.size, (int)out.size);
    lpdata_init(&data, tvb, scope, NULL);
    lpdata_parse_data(&data);
    if (inference == NULL) {
        inference = inference_new(host, identifiers);
    }
    links = inference_links(inference, &data, scope);
    for (unsigned b = 0; b < lpdata_count(data.blocks); b++) {
        const struct query_link *link = &links[b];
        char *instance = instance_text(&link->instance);

        CHECK(link->instance.name_size == 0 || !is_borrowed(link->instance.name), "block %u: %s", b, instance);
        if (link->kind == LINK_NONE) {
            g_string_append(text, " -");
        } else {
            CHECK(link->kind == LINK_INFERRED, "kind %d", (int)link->kind);
            g_string_append_printf(text, " %u:", link->set.data1);
            g_string_append_printf(text, link->counter_known ? "%u:" : "?:", link->counter_id);
            g_string_append(text, link->instance_known ? instance : "?");
        }
        g_free(instance);
    }
    CHECK(strcmp(text->str + (text->len > 0), expected) == 0, "%s, not %s", text->str, expected);
    g_string_free(text, TRUE);
    tvb_free(tvb);
}

/* The same of a poll of these blocks. */
static void
check_poll_of(const char *expected, const struct answer *answers, unsigned count)
{
    begin_poll(count);
    for (unsigned i = 0; i < count; i++) {
        add_answer(&answers[i]);
    }
    check_poll(expected);
}
#define CHECK_POLL(expected, ...) \
    check_poll_of(expected, (const struct answer[]){ __VA_ARGS__ }, \
        array_length(((const struct answer[]){ __VA_ARGS__ })))

/* One thing was asked for: it is the answer, whatever it holds; twice it can't be. */
static void
test_only_identifier_is_the_answer(void)
{
    BEGIN_QUERY({ 1, 2, 0, "x" });
    CHECK_POLL("1:2:0/x", SINGLE);
    check_poll("1:2:0/x");
    CHECK_POLL("- -", SINGLE, SINGLE);
    CHECK_POLL("1:2:0/x", ERROR);
    /* But for what is of no type, 2.2.4.8. */
    CHECK_POLL("-", NO_TYPE);
    CHECK_POLL("-", COUNTERS(1, 2));
    CHECK_POLL("-", INSTANCES("x", "x"));
    BEGIN_QUERY({ 1, ALL, 0, "x" });
    CHECK_POLL("1:?:0/x", COUNTERS(1, 2));
    CHECK_POLL("- -", COUNTERS(1, 2), COUNTERS(2, 1));
}

/* What all that can be meant agree in is known. */
static void
test_what_all_candidates_share_is_known(void)
{
    BEGIN_QUERY({ 1, 1, 0, "x" }, { 1, 1, 0, "y" });
    CHECK_POLL("1:1:? 1:1:?", SINGLE, ERROR);
    add_identifier(1, 2, 0, "x");

    BEGIN_QUERY({ 1, 1, 0, "x" }, { 1, 2, 0, "x" });
    CHECK_POLL("1:?:0/x 1:?:0/x", SINGLE, SINGLE);

    BEGIN_QUERY({ 1, 1, 0, "x" }, { 2, 1, 0, "x" });
    CHECK_POLL("- -", SINGLE, SINGLE);
}

/* A pattern, or a name with any id, takes several instances; one with an id takes one. */
static void
test_pattern_takes_several_instances(void)
{
    BEGIN_QUERY({ 1, 1, ANY, "chrome" }, { 2, 2, 0, "*" });
    CHECK_POLL("- 2:2:0/", INSTANCES("chrome", "chrome"), INSTANCES("alice", "bob"));

    BEGIN_QUERY({ 1, 1, 7, "chrome" }, { 2, 2, 0, "*" });
    /* Of a pattern with one value the instance has no name. */
    CHECK_POLL("2:2:0/ -", INSTANCES("chrome", "chrome"), SINGLE);

    BEGIN_QUERY({ 1, 1, 0, "a*" }, { 2, 2, 0, "b?b" });
    CHECK_POLL("2:2:0/ 1:1:0/", INSTANCES("bob", "bab"), INSTANCES("alice", "a"));
    CHECK_POLL("- -", INSTANCES("alice", "a"), INSTANCES("alice", "al"));
    CHECK_POLL("1:1:0/ 2:2:0/", INSTANCES("alice", "a"), INSTANCES("bob", "bob"));
    /* Only what stands before a wildcard is compared. */
    CHECK_POLL("- 2:2:0/", INSTANCES("carol", "a"), INSTANCES("bob", "b"));

    /* An asterisk's low byte makes no wildcard. */
    BEGIN_QUERY({ 1, 1, 0, "~" }, { 2, 2, 0, "*" });
    CHECK_POLL("2:2:0/ -", INSTANCES("alice", "bob"), SINGLE);

    /* The name is as long as what is asked for. */
    BEGIN_QUERY({ 1, 1, ANY, "ab" }, { 2, 2, 0, "*" });
    CHECK_POLL("2:2:0/ -", INSTANCES("abc", "abcd"), INSTANCES("ab", "ab"));
}

/* 2.2.4.1: without a name all instances are asked for, unless the counterset is known to have one. */
static void
test_without_a_name_all_instances_are_asked_for(void)
{
    static const struct counterset one = { .instance_type = SINGLE_INSTANCE }, several = { MULTIPLE_INSTANCES, 2 };
    static const struct {
        const struct counterset *facts;
        const char *name, *expected;
    } cases[] = { { NULL, "", "1:1:7/" }, { &several, "", "1:1:7/" }, { &one, "", "-" }, { NULL, "x", "-" },
        { &several, "x", "-" }, { &one, "x", "-" } };

    for (size_t i = 0; i < array_length(cases); i++) {
        teach_all();
        if (cases[i].facts != NULL) {
            catalog_learn_counterset(host, &(e_guid_t){ .data1 = 1 }, cases[i].facts);
        }
        BEGIN_QUERY({ 1, 1, 7, cases[i].name });
        CHECK_POLL(cases[i].expected, INSTANCES("x", "x"));
    }
    teach_all();
}

/* A counter that a counterset does not have, all of whose counters are known, tells that it is another. */
static void
test_foreign_counter_tells_another_set(void)
{
    BEGIN_QUERY({ 1, ALL, 0, "x" }, { 2, ALL, 0, "x" });
    CHECK_POLL("2:?:0/x -", COUNTERS(1, 9), COUNTERS(1, 2));

    /* Of the third not all are known: it may have any. */
    BEGIN_QUERY({ 2, ALL, 0, "x" }, { 3, ALL, 0, "x" });
    CHECK_POLL("3:?:0/x -", COUNTERS(1, 8), COUNTERS(1, 9));

    /* A name alone makes none that the counterset has. */
    BEGIN_QUERY({ 1, ALL, 0, "x" }, { 3, ALL, 0, "x" });
    CHECK_POLL("3:?:0/x -", COUNTERS(1, 5), COUNTERS(1, 2));

    /* One counter and all of them are asked for in different blocks. */
    BEGIN_QUERY({ 1, ALL, 0, "x" }, { 2, 1, 0, "y" });
    CHECK_POLL("2:1:0/y 1:?:0/x", SINGLE, COUNTERS(1, 2));

    /* An error may be the answer to either. */
    BEGIN_QUERY({ 1, ALL, 0, "x" });
    CHECK_POLL("1:?:0/x", ERROR);
}

/* What a poll's blocks are is not what those of the poll before were, whatever alone differs. */
static void
test_changed_poll_is_inferred_anew(void)
{
    /* That something is known at all. */
    BEGIN_QUERY({ 1, 2, 0, "x" });
    for (unsigned i = 0; i < 2; i++) {
        CHECK_POLL("1:2:0/x -", SINGLE, COUNTERS(1, 2));
        CHECK_POLL("- -", SINGLE, SINGLE);
    }
    /* The counterset; the counter; the instance. */
    BEGIN_QUERY({ 1, 1, 0, "a*" }, { 2, 1, 0, "b*" }, { 2, 2, 0, "c*" }, { 2, 2, ANY, "dd" }, { 2, 2, ANY, "ee" });
    CHECK_POLL("1:1:0/", INSTANCES("a", "ab"));
    CHECK_POLL("2:1:0/", INSTANCES("b", "bb"));
    CHECK_POLL("2:2:0/", INSTANCES("c", "cb"));
    CHECK_POLL("2:2:4294967295/dd", INSTANCES("dd", "dd"));
    CHECK_POLL("2:2:4294967295/ee", INSTANCES("ee", "ee"));
    /* Whether the counter is known, and whether the instance is: of several, the one that is looked at first may be any. */
    for (uint32_t i = 1; i <= 8; i++) {
        char expected[20];

        BEGIN_QUERY({ 1, i, 0, "a*" }, { 1, i % 4 + 9, 0, "*" });
        CHECK_POLL("1:?:0/", INSTANCES("a", "ab"));
        snprintf(expected, sizeof expected, "1:%u:0/", i % 4 + 9);
        CHECK_POLL(expected, INSTANCES("b", "bb"));

        BEGIN_QUERY({ 1, i, ANY, "ab" }, { 1, i, 0, "*" });
        snprintf(expected, sizeof expected, "1:%u:?", i);
        CHECK_POLL(expected, INSTANCES("ab", "ab"));
        snprintf(expected, sizeof expected, "1:%u:0/", i);
        CHECK_POLL(expected, INSTANCES("b", "bb"));
    }
}

/* Of 1024 counters is looked which countersets have them; the next may be of any. */
static void
test_block_of_1024_counters_is_linked(void)
{
    for (unsigned others = 1022; others <= 1023; others++) {
        uint32_t ids[1023];
        uint64_t values[1023] = { 0 };

        for (uint32_t i = 0; i < others; i++) {
            ids[i] = 100 + i;
        }
        BEGIN_QUERY({ 1, ALL, 0, "x" }, { 2, ALL, 0, "x" });
        begin_poll(2);
        add_block(others, ids, 0, NULL, values, 4);
        add_answer(&(const struct answer)COUNTERS(1, 9));
        check_poll(others == 1022 ? "- 2:?:0/x" : "- -");
    }
}

/* What is learned between two polls of the same blocks counts. */
static void
test_what_is_learned_between_polls_counts(void)
{
    BEGIN_QUERY({ 1, ALL, 0, "x" }, { 2, ALL, 0, "x" });
    CHECK_POLL("2:?:0/x -", COUNTERS(1, 9), COUNTERS(1, 2));
    CHECK(!inference_is_stale(inference), "nothing was learned");
    teach_type(1, 9);
    CHECK(inference_is_stale(inference), "something was");
    check_poll("- -");
    teach_all();
}

/* Where there are too many to look at one by one what all of them have in common is said; beyond, nothing. */
static void
test_beyond_a_limit_only_what_all_share_is_said(void)
{
    char name[16];

    /* 4096 pairs of identifier and block are looked at one by one: so many identifiers for two blocks, and one more */
    begin_query(NULL, 0);
    for (unsigned i = 0; i < 2048; i++) {
        snprintf(name, sizeof name, "a%u*", i);
        add_identifier(1, i, 0, name);
    }
    CHECK_POLL("1:5:0/ 1:7:0/", INSTANCES("a5x", "a5y"), INSTANCES("a7x", "a7y"));
    add_identifier(1, 1, 0, "b*");
    inference_free(inference);
    inference = NULL;
    CHECK_POLL("1:?:0/ 1:?:0/", INSTANCES("a5x", "a5y"), INSTANCES("a7x", "a7y"));

    begin_query(NULL, 0);
    CHECK(inference_new(host, identifiers) == NULL, "of no identifiers");
    for (unsigned i = 0; i < 1400; i++) {
        snprintf(name, sizeof name, "a%u*", i);
        add_identifier(1, 1, 0, name);
    }
    CHECK_POLL("1:1:0/ 1:1:0/ -", INSTANCES("b", "b"), SINGLE, COUNTERS(1, 2));
    for (unsigned i = 1400; i < 4096; i++) {
        snprintf(name, sizeof name, "a%u*", i);
        add_identifier(1, 1, 0, name);
    }
    inference_free(inference);
    inference = inference_new(host, identifiers);
    CHECK(inference != NULL, "%u identifiers", g_hash_table_size(identifiers));
    add_identifier(1, 1, 0, "b*");
    inference_free(inference);
    inference = inference_new(host, identifiers);
    CHECK(inference == NULL, "%u identifiers", g_hash_table_size(identifiers));
}

static bool
is_other(uint32_t asked_id, const char *asked, uint32_t id, const char *name)
{
    const struct query_identifier wanted = identifier(1, 1, asked_id, asked);
    const struct series_row instance = row(id, name);

    return inference_is_other_instance(&wanted, &instance);
}

/* 2.2.4.6: by the id unless it is any, and by the name, in which case does not matter, up to a wildcard. */
static void
test_other_instance_is_known_by_id_and_name(void)
{
    CHECK(!is_other(3, "one", 3, "one"), "the one");
    CHECK(is_other(3, "one", 4, "one"), "another id");
    CHECK(!is_other(ANY, "one", 4, "one"), "any id");
    CHECK(is_other(3, "one", 3, "two"), "another name");
    CHECK(!is_other(3, "ONE", 3, "one"), "case");
    CHECK(!is_other(3, "one", 3, "ONE"), "case");
    CHECK(!is_other(3, "AZaz", 3, "azAZ"), "case");
    CHECK(is_other(3, "[", 3, "{"), "no letters");
    CHECK(is_other(3, "@", 3, "`"), "no letters");
    CHECK(is_other(3, "one", 3, "on"), "length");
    CHECK(is_other(3, "on", 3, "one"), "length");
    CHECK(!is_other(3, "o*", 3, "one"), "patterns");
    CHECK(!is_other(3, "o?e", 3, "one"), "patterns");
    CHECK(!is_other(3, "*", 3, ""), "patterns");
    CHECK(is_other(3, "t*", 3, "one"), "another beginning");
    CHECK(!is_other(3, "\xc4", 3, "\xe4"), "beyond ASCII it is left open");
    CHECK(is_other(3, "\xc4", 3, "a"), "no letter of ASCII");
}

static bool
takes(uint32_t id, const char *name)
{
    const struct query_identifier wanted = identifier(1, 1, id, name);

    return inference_takes_instances(&wanted);
}

/* Names as they are compared: letters beyond ASCII are left open, DEL is not; a name may end within a pattern. */
static void
test_names_are_compared_as_windows_does(void)
{
    const struct query_identifier one = identifier(1, 1, ANY, "\x7f"), longer = identifier(1, 1, ANY, "ab*");
    const struct series_row rows[] = { row(1, "abc"), row(2, "x") };
    struct series_row open = row(1, "~"), shorter = row(1, "ab");

    shorter.name_size = 2;
    CHECK(inference_is_other_instance(&one, &open), "DEL is U+007F alone");
    CHECK(inference_is_other_instance(&longer, &shorter), "the name ends before the wildcard");
    CHECK(inference_contradicts(NULL, PERF_MULTIPLE_INSTANCES, &shorter, 1, &longer),
        "of blocks without instances names say nothing");
    CHECK(!inference_contradicts(NULL, PERF_SINGLE_COUNTER, &shorter, 1, &longer),
        "of blocks without instances names say nothing");
    CHECK(!inference_contradicts(NULL, PERF_MULTIPLE_INSTANCES, rows, 1, &longer),
        "the second of two, and of one nothing but that");
    CHECK(inference_contradicts(NULL, PERF_MULTIPLE_INSTANCES, rows, 2, &longer),
        "the second of two, and of one nothing but that");
    /* Nor do blocks that may be of anything: a type of no specification, and what says that an answer failed. */
    {
        const struct query_identifier all = identifier(1, ALL, ANY, "x");

        CHECK(inference_contradicts(NULL, PERF_SINGLE_COUNTER, NULL, 0, &all), "a counter where all were asked for");
        CHECK(!inference_contradicts(NULL, 99, NULL, 0, &all), "a counter where all were asked for");
        CHECK(!inference_contradicts(NULL, PERF_ERROR_RETURN, NULL, 0, &all), "a counter where all were asked for");
    }
}

static void
test_identifiers_differ_by_any_member(void)
{
    const struct query_identifier one = identifier(1, 1, 7, "a"), same = identifier(1, 1, 7, "a");
    const struct query_identifier others[] = { identifier(2, 1, 7, "a"), identifier(1, 2, 7, "a"),
        identifier(1, 1, 8, "a"), identifier(1, 1, 7, "b") };

    CHECK(query_identifier_equal(&one, &same), "alike");
    CHECK_EQUAL(query_identifier_hash(&one), query_identifier_hash(&same), "alike");
    for (size_t i = 0; i < array_length(others); i++) {
        CHECK(!query_identifier_equal(&one, &others[i]), "%zu", i);
    }
}

static void
test_link_says_what_it_names(void)
{
    const struct query_identifier all = identifier(1, ALL, 3, "x"), pattern = identifier(1, 2, 3, "x*");
    struct query_link link = inference_link_to(&all, LINK_MAPPED, 12);

    CHECK(takes(ANY, "x"), "several instances");
    CHECK(takes(3, "x*"), "several instances");
    CHECK(takes(3, "?x"), "several instances");
    CHECK(!takes(3, "x"), "several instances");
    CHECK(!takes(3, "~"), "several instances");
    CHECK_EQUAL(link.kind, LINK_MAPPED, "of all counters");
    CHECK_EQUAL(link.frame, 12, "of all counters");
    CHECK_EQUAL(link.set.data1, 1, "of all counters");
    CHECK(!link.counter_known, "of all counters");
    CHECK(link.instance_known, "of all counters");
    CHECK(!inference_names_values(&link, PERF_SINGLE_COUNTER), "by ids");
    CHECK(inference_names_values(&link, PERF_MULTIPLE_COUNTERS), "by ids");
    CHECK_EQUAL(link.instance.id, 3, "its instance");
    CHECK_EQUAL(link.instance.name_size, 2, "its instance");
    link = inference_link_to(&pattern, LINK_INFERRED, 0);
    CHECK(link.counter_known, "no name");
    CHECK_EQUAL(link.counter_id, 2, "no name");
    CHECK_EQUAL(link.instance.id, 0, "no name");
    CHECK_EQUAL(link.instance.name_size, 0, "no name");
    link.instance_known = false;
    CHECK(!inference_names_values(&link, PERF_SINGLE_COUNTER), "by rows");
    CHECK(inference_names_values(&link, PERF_MULTIPLE_INSTANCES), "by rows");
    link.kind = LINK_NONE;
    CHECK(!inference_names_values(&link, PERF_MULTIPLE_INSTANCES), "nothing");
}

int
main(void)
{
    wmem_init();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    catalog_table_register(NULL);
    table_fill("", 0);
    teach_all();
    test_only_identifier_is_the_answer();
    test_what_all_candidates_share_is_known();
    test_pattern_takes_several_instances();
    test_without_a_name_all_instances_are_asked_for();
    test_foreign_counter_tells_another_set();
    test_changed_poll_is_inferred_anew();
    test_block_of_1024_counters_is_linked();
    test_what_is_learned_between_polls_counts();
    test_beyond_a_limit_only_what_all_share_is_said();
    test_other_instance_is_known_by_id_and_name();
    test_names_are_compared_as_windows_does();
    test_identifiers_differ_by_any_member();
    test_link_says_what_it_names();
    end_query();
    wmem_destroy_allocator(scope);
    wmem_cleanup();
    return check_result();
}
