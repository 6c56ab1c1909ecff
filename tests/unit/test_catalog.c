/* test_catalog.c
 * What a capture taught of countersets and counters: which name wins, whose it is, and what is not known
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "counters/catalog.h"
#include "counters/record.h"
#include "fake-uat.h"
#include "machines.h"

/*
 * The user's table: counterset 9 is "Table", its counter 4 "Tabled", of type 5; a second counter of that id is of type
 * 15. Counter 8 is like it, and the only one of its id.
 */
#define TABLE_SET  9
#define TABLE_GUID "00000009-0000-0000-0000-000000000000"

static const struct {
    const char *guid, *set_name, *counter_id, *counter_name, *type, *base_id, *others[3];
} records[] = {
    { TABLE_GUID, "Table", "4", "Tabled", "5", "6", { NULL } },
    { TABLE_GUID, "Table", "4", "Tabled", "15", "6", { NULL } },
    { TABLE_GUID, "Table", "8", "Tabled", "5", "6", { NULL } },
};

/* In place of Wireshark's: the preference, and the base it is written in. */
static guint *language, language_base;

void
prefs_register_uint_preference(module_t *module _U_, const char *name, const char *title _U_,
    const char *description _U_, guint base, guint *value)
{
    CHECK(strcmp(name, "language") == 0, "%s", name);
    language = value;
    language_base = base;
}

static const e_guid_t set = { .data1 = 1 }, other_set = { .data1 = 2 }, table_set = { .data1 = TABLE_SET };
static const uint8_t addresses[][4] = { { 192, 0, 2, 1 }, { 192, 0, 2, 2 } };

static struct server *
server(unsigned number, uint32_t port)
{
    const packet_info request = { .dst = { .type = AT_IPv4, .len = 4, .data = addresses[number] }, .destport = port };

    return server_of(&request, false);
}

static void
check_text(const struct catalog_text text, const char *expected, uint32_t frame)
{
    CHECK(expected == NULL ? text.text == NULL
                           : text.text != NULL && strcmp(text.text, expected) == 0 && text.frame == frame,
        "%s from %u, not %s", text.text == NULL ? "nothing" : text.text, text.frame,
        expected == NULL ? "nothing" : expected);
}

static void
check_set(const struct server *of, const char *expected, uint32_t frame)
{
    check_text(catalog_counterset_name(of, &set, CATALOG_NOW), expected, frame);
}

static void
test_servers_differ_by_address_and_port(void)
{
    struct server *one = server(0, 1000);

    CHECK(server(0, 1000) == one, "by address and port");
    CHECK(server(0, 1001) != one, "by address and port");
    CHECK(server(1, 1000) != one, "by address and port");
    CHECK(strcmp(server_host(one), "192.0.2.1") == 0, "%s", server_host(one));
    /* However many there are: some of them share a place in any table. */
    for (uint32_t port = 1; port < 300; port++) {
        CHECK(server(0, port) != server(1, port) && server(0, port) != server(0, port + 1), "port %u", port);
    }
}

/* The server's own language, else the first asked for, else English; the latest text of a language. */
static void
test_servers_own_language_wins(void)
{
    struct server *s = server(0, 2000);
    unsigned version;

    check_set(s, NULL, 0);
    catalog_learn_counterset_text(s, &set, CATALOG_DESCRIPTION, 0, "What it is", 1);
    catalog_learn_counterset_text(s, &set, CATALOG_NAME, 0x409, "", 2);
    check_set(s, NULL, 0);
    catalog_learn_counterset_text(s, &set, CATALOG_ENGLISH_NAME, 0, "English", 3);
    check_set(s, "English", 3);
    catalog_learn_counterset_text(s, &set, CATALOG_NAME, 0x407, "Deutsch", 4);
    check_set(s, "Deutsch", 4);
    catalog_learn_counterset_text(s, &set, CATALOG_NAME, 0x40C, "Francais", 5);
    check_set(s, "Deutsch", 4);
    catalog_learn_counterset_text(s, &set, CATALOG_NAME, 0x407, "Neu", 6);
    check_set(s, "Neu", 6);
    catalog_learn_counterset_text(s, &set, CATALOG_NAME, 0, "Default", 7);
    check_set(s, "Default", 7);
    version = catalog_version;
    catalog_learn_counterset_text(s, &set, CATALOG_NAME, 0, "Default", 8);
    check_set(s, "Default", 7);
    CHECK_EQUAL(catalog_version, version, "the same again");
    catalog_learn_counterset_text(s, &set, CATALOG_NAME, 0, "Other", 9);
    check_set(s, "Other", 9);
    CHECK(catalog_version != version, "another");
    check_set(server(1, 2000), NULL, 0);
    check_text(catalog_counterset_name(s, &other_set, CATALOG_NOW), NULL, 0);
    check_text(catalog_counterset_name(s, &table_set, CATALOG_NOW), "Table", 0);
    check_text(catalog_counterset_name(NULL, &table_set, CATALOG_NOW), "Table", 0);
    catalog_learn_counterset_text(s, &table_set, CATALOG_NAME, 0x409, "Learned", 10);
    check_text(catalog_counterset_name(s, &table_set, CATALOG_NOW), "Learned", 10);
}

static struct catalog_counter
counter(const struct server *of, const e_guid_t *of_set, uint32_t id, unsigned nth, bool is_known)
{
    struct catalog_counter found;

    CHECK(catalog_counter(of, of_set, id, nth, CATALOG_NOW, &found) == is_known, "counter %u, no. %u", id, nth);
    return found;
}

static void
learn_type(struct server *of, const e_guid_t *of_set, uint32_t id, unsigned nth, uint32_t type, uint32_t frame)
{
    const struct catalog_counter info = { .type = type,
        .base_id = 7,
        .perf_time_id = 8,
        .perf_freq_id = 9,
        .multi_id = 10,
        .attrib = 2 };

    catalog_learn_counter(of, of_set, id, nth, &info, frame);
}

static void
test_counter_has_the_type_that_was_taught_last(void)
{
    struct server *s = server(0, 3000);
    struct catalog_counter found = counter(s, &set, 3, 0, false);

    CHECK(!found.type_known, "nothing");
    CHECK_EQUAL(found.base_id, PERF_ID_NONE, "nothing");
    CHECK_EQUAL(found.multi_id, PERF_ID_NONE, "nothing");
    CHECK(found.name.text == NULL, "nothing");
    catalog_learn_counter_text(s, &set, 3, 0, CATALOG_NAME, 0, "Reads", 1);
    found = counter(s, &set, 3, 0, true);
    CHECK(!found.type_known, "a name is no type");
    CHECK_EQUAL(found.base_id, PERF_ID_NONE, "a name is no type");
    check_text(found.name, "Reads", 1);
    learn_type(s, &set, 3, 0, 100, 2);
    found = counter(s, &set, 3, 0, true);
    CHECK(found.type_known, "its type");
    CHECK_EQUAL(found.type, 100, "its type");
    CHECK(!found.type_changed, "its type");
    CHECK_EQUAL(found.base_id, 7, "its type");
    CHECK_EQUAL(found.attrib, 2, "its type");
    check_text(found.name, "Reads", 1);
    learn_type(s, &set, 3, 0, 100, 3);
    CHECK(!counter(s, &set, 3, 0, true).type_changed, "the same again");
    learn_type(s, &set, 3, 0, 101, 4);
    CHECK(counter(s, &set, 3, 0, true).type_changed, "another");
    CHECK_EQUAL(counter(s, &set, 3, 0, true).type, 101, "another");
    learn_type(s, &set, 3, 0, 101, 5);
    CHECK(counter(s, &set, 3, 0, true).type_changed, "once changed it may change again");
    counter(s, &other_set, 3, 0, false);
    counter(server(1, 3000), &set, 3, 0, false);
    counter(NULL, &set, 3, 0, false);
    CHECK(!catalog_counterset_is_listed_in(s, &set, 1, CATALOG_NOW), "not all of them");
    catalog_learn_listed(s, &set, 5);
    CHECK(catalog_counterset_is_listed_in(s, &set, 1, CATALOG_NOW), "all");
    CHECK(!catalog_counterset_is_listed_in(s, &other_set, 1, CATALOG_NOW), "all");
    CHECK(!catalog_counterset_is_listed_in(NULL, &set, 1, CATALOG_NOW), "all");
}

/* Counters of one id: each has its own name and type; the first says that there is another. */
static void
test_counters_of_one_id_keep_their_own_names(void)
{
    struct server *s = server(0, 4000);

    learn_type(s, &set, 1, 0, 100, 1);
    CHECK(!counter(s, &set, 1, 0, true).has_same_id, "one");
    counter(s, &set, 1, 1, false);
    learn_type(s, &set, 1, 1, 200, 1);
    catalog_learn_counter_text(s, &set, 1, 1, CATALOG_NAME, 0, "Second", 2);
    CHECK(counter(s, &set, 1, 0, true).has_same_id, "two");
    CHECK_EQUAL(counter(s, &set, 1, 0, true).type, 100, "two");
    CHECK_EQUAL(counter(s, &set, 1, 1, true).type, 200, "the second");
    check_text(counter(s, &set, 1, 0, true).name, NULL, 0);
    check_text(counter(s, &set, 1, 1, true).name, "Second", 2);
    counter(s, &set, 1, 2, false);
    /* As many as no counterset has are kept, and no more. */
    learn_type(s, &set, 1, 16, 300, 3);
    learn_type(s, &set, 1, 4000000, 400, 4);
    CHECK_EQUAL(counter(s, &set, 1, 16, true).type, 400, "beyond, they are one");
    CHECK_EQUAL(counter(s, &set, 1, 4000000, true).type, 400, "beyond, they are one");
    counter(s, &set, 99, 1, false);
}

/* If only one machine of a place is known, also calls that named none teach about it: also of counters of one id. */
static void
test_calls_without_a_name_teach_about_the_only_machine(void)
{
    const address addr = { .type = AT_IPv4, .len = 4, .data = addresses[0] };
    const struct server_address at = { &addr, 4100 };
    struct server_link link = { NULL, false }, second = { NULL, false };
    struct server *both[2];

    both[0] = server_asked(&link, at, NULL);
    both[1] = server_answered(&second, at, "HOST", 1);
    learn_type(both[0], &set, 1, 0, 100, 1);
    learn_type(both[0], &set, 1, 0, 110, 2);
    learn_type(both[0], &set, 1, 1, 200, 1);
    learn_type(both[1], &set, 1, 0, 100, 1);
    for (unsigned i = 0; i < 2; i++) {
        const struct catalog_counter found = counter(both[i], &set, 1, 0, true);

        CHECK(found.has_same_id && found.type_changed && catalog_same_id_count(both[i], &set, 1) == 2, "%u", i);
    }
}

/* What the capture leaves open the tables fill. */
static void
test_tables_fill_what_the_capture_leaves_open(void)
{
    struct server *s = server(0, 5000);
    struct catalog_counter found = counter(s, &table_set, 4, 0, true);

    CHECK(found.type_known, "all of it");
    CHECK_EQUAL(found.type, 5, "all of it");
    CHECK_EQUAL(found.base_id, 6, "all of it");
    CHECK(found.has_same_id, "all of it");
    CHECK_EQUAL(counter(s, &table_set, 4, 1, true).type, 15, "the second");
    CHECK_EQUAL(catalog_same_id_count(s, &table_set, 4), 2, "the second");
    counter(s, &table_set, 4, 2, false);
    check_text(found.name, "Tabled", 0);
    CHECK(counter(s, &table_set, 4, 1, true).has_same_id, "the second has one, too");
    /* One of its id: no other, whoever is asked for. */
    found = counter(s, &table_set, 8, 0, true);
    CHECK(found.type_known, "the only one");
    CHECK_EQUAL(found.type, 5, "the only one");
    CHECK(!found.has_same_id, "the only one");
    CHECK_EQUAL(catalog_same_id_count(s, &table_set, 8), 1, "one");
    CHECK(!counter(s, &table_set, 8, 1, false).has_same_id, "one");
    CHECK(!counter(s, &table_set, 5, 0, false).has_same_id, "of one that is not known");
    CHECK(counter(s, &table_set, 4, 2, false).has_same_id, "of one that is not known");
    catalog_learn_counter_text(s, &table_set, 4, 0, CATALOG_NAME, 0, "Learned", 3);
    found = counter(s, &table_set, 4, 0, true);
    CHECK(found.type_known, "the type");
    CHECK_EQUAL(found.type, 5, "the type");
    CHECK_EQUAL(found.base_id, 6, "the type");
    check_text(found.name, "Learned", 3);
    s = server(0, 5001);
    learn_type(s, &table_set, 4, 0, 100, 1);
    found = counter(s, &table_set, 4, 0, true);
    CHECK_EQUAL(found.type, 100, "the capture's type");
    CHECK_EQUAL(found.base_id, 7, "the capture's type");
    check_text(found.name, "Tabled", 0);
    /* The capture knows of one, so there is no other. */
    CHECK(!found.has_same_id, "one");
    CHECK_EQUAL(catalog_same_id_count(s, &table_set, 4), 1, "one");
    counter(s, &table_set, 4, 1, false);
}

static void
test_provider_has_the_name_taught_of_its_guid(void)
{
    static const e_guid_t provider = { .data1 = 70 }, nobody = { .data1 = 0 };
    struct server *s = server(0, 6000);

    catalog_learn_provider(s, &set, "Provider", NULL, 1);
    check_text(catalog_provider_name(s, &nobody, CATALOG_NOW), NULL, 0);
    catalog_learn_provider(s, &set, NULL, &provider, 2);
    check_text(catalog_provider_name(s, &provider, CATALOG_NOW), "Provider", 1);
    catalog_learn_provider(s, &other_set, NULL, &provider, 3);
    check_text(catalog_provider_name(s, &provider, CATALOG_NOW), "Provider", 1);
    catalog_learn_provider(s, &other_set, "Another", NULL, 4);
    check_text(catalog_provider_name(s, &provider, CATALOG_NOW), "Another", 4);
    /* One of all zeros is one, too. */
    catalog_learn_provider(s, &table_set, "Zero", &nobody, 5);
    check_text(catalog_provider_name(s, &nobody, CATALOG_NOW), "Zero", 5);
    check_text(catalog_provider_name(server(1, 6000), &provider, CATALOG_NOW), NULL, 0);
    check_text(catalog_provider_name(NULL, &provider, CATALOG_NOW), NULL, 0);
}

static void
test_instance_id_with_two_names_names_nothing(void)
{
    struct server *s = server(0, 7000);

    check_text(catalog_instance_name(s, &set, 7), NULL, 0);
    catalog_learn_instance(s, &set, 7, "worker", 1);
    catalog_learn_instance(s, &set, 7, "worker", 2);
    check_text(catalog_instance_name(s, &set, 7), "worker", 1);
    check_text(catalog_instance_name(s, &set, 8), NULL, 0);
    check_text(catalog_instance_name(s, &other_set, 7), NULL, 0);
    catalog_learn_instance(s, &set, 7, "another", 3);
    check_text(catalog_instance_name(s, &set, 7), NULL, 0);
    catalog_learn_instance(s, &set, 7, "worker", 4);
    check_text(catalog_instance_name(s, &set, 7), NULL, 0);
}

/* What held in a frame: what was taught until then, and before that the first. What is taught late stands where it belongs. */
static void
test_lookup_gives_what_held_in_that_frame(void)
{
    static const struct {
        uint32_t frame, type;
        const char *name;
        uint32_t name_frame;
    } until_late[] = { { 1, 100, "A", 10 }, { 10, 100, "A", 10 }, { 19, 100, "A", 10 }, { 20, 200, "B", 20 },
        { 29, 200, "B", 20 }, { 30, 200, "C", 30 }, { CATALOG_NOW, 200, "C", 30 } },
      late[] = { { 10, 100, "A", 10 }, { 14, 100, "A", 10 }, { 15, 150, "A", 10 }, { 19, 150, "A", 10 },
          { 20, 200, "B", 20 }, { 24, 200, "B", 20 }, { 25, 200, "D", 25 }, { 29, 200, "D", 25 },
          { 30, 200, "C", 30 } };
    struct server *s = server(0, 8000);
    struct catalog_counter found;

    learn_type(s, &set, 20, 0, 100, 10);
    learn_type(s, &set, 20, 0, 200, 20);
    catalog_learn_counter_text(s, &set, 20, 0, CATALOG_NAME, 0, "A", 10);
    catalog_learn_counter_text(s, &set, 20, 0, CATALOG_NAME, 0, "B", 20);
    catalog_learn_counter_text(s, &set, 20, 0, CATALOG_NAME, 0, "C", 30);
    for (size_t i = 0; i < G_N_ELEMENTS(until_late); i++) {
        CHECK(catalog_counter(s, &set, 20, 0, until_late[i].frame, &found) && found.type == until_late[i].type,
            "frame %u: %u", until_late[i].frame, found.type);
        check_text(catalog_counter_name(s, &set, 20, until_late[i].frame), until_late[i].name,
            until_late[i].name_frame);
    }
    CHECK_EQUAL(catalog_version_in(s, 10), catalog_version_in(s, 19), "as long as no name changes");
    CHECK_EQUAL(catalog_version_in(s, 20), catalog_version_in(s, 29), "as long as no name changes");
    CHECK(catalog_version_in(s, 19) != catalog_version_in(s, 20), "where one changes");
    CHECK(catalog_version_in(s, 29) != catalog_version_in(s, 30), "where one changes");
    learn_type(s, &set, 20, 0, 150, 15);
    catalog_learn_counter_text(s, &set, 20, 0, CATALOG_NAME, 0, "D", 25);
    for (size_t i = 0; i < G_N_ELEMENTS(late); i++) {
        CHECK(catalog_counter(s, &set, 20, 0, late[i].frame, &found) && found.type == late[i].type, "frame %u: %u",
            late[i].frame, found.type);
        check_text(catalog_counter_name(s, &set, 20, late[i].frame), late[i].name, late[i].name_frame);
    }
    CHECK_STRING(catalog_counter_text(scope, s, &set, 20, 12), "A", "for a person");
    CHECK_STRING(catalog_counter_text(scope, s, &set, 21, 12), "counter 21", "for a person");
}

static bool
is_as_taught(const struct catalog_counter *a, const struct catalog_counter *b)
{
    return a->type == b->type && a->base_id == b->base_id && a->perf_time_id == b->perf_time_id &&
        a->perf_freq_id == b->perf_freq_id && a->multi_id == b->multi_id && a->aggregate == b->aggregate &&
        a->attrib == b->attrib;
}

/* Whatever of a counter changes, it is another one from then on. */
static void
test_changed_counter_is_another_from_then_on(void)
{
    static const struct catalog_counter before = { .type = 1,
        .base_id = 2,
        .perf_time_id = 3,
        .perf_freq_id = 4,
        .multi_id = 5,
        .aggregate = 6,
        .attrib = 7 };
    struct catalog_counter changed[7], found;
    struct server *s = server(0, 8001);

    for (unsigned i = 0; i < 7; i++) {
        changed[i] = before;
    }
    changed[0].type = 9;
    changed[1].base_id = 9;
    changed[2].perf_time_id = 9;
    changed[3].perf_freq_id = 9;
    changed[4].multi_id = 9;
    changed[5].aggregate = 9;
    changed[6].attrib = 9;
    for (unsigned i = 0; i < 7; i++) {
        catalog_learn_counter(s, &set, i, 0, &before, 1);
        catalog_learn_counter(s, &set, i, 0, &changed[i], 2);
        CHECK(catalog_counter(s, &set, i, 0, 1, &found) && is_as_taught(&found, &before), "%u as it was", i);
        CHECK(catalog_counter(s, &set, i, 0, 2, &found) && is_as_taught(&found, &changed[i]), "%u as it is", i);
        CHECK(found.type_changed == (i == 0), "%u: its type", i);
    }
}

static void
test_contradicting_countersets_are_unknown(void)
{
    static const uint32_t types[] = { SINGLE_INSTANCE, MULTIPLE_INSTANCES, GLOBAL_AGGREGATE, MULTIPLE_AGGREGATE,
        GLOBAL_AGGREGATE_HISTORY, INSTANCE_AGGREGATE, 1 };
    struct counterset told = { MULTIPLE_INSTANCES, 5 }, more = { MULTIPLE_INSTANCES, 6 },
                      single = { SINGLE_INSTANCE, 5 };
    struct server *s = server(0, 8002);

    CHECK(catalog_counterset(s, &set) == NULL, "nothing was told");
    CHECK(catalog_counterset(NULL, &set) == NULL, "nothing was told");
    for (uint32_t i = 0; i < G_N_ELEMENTS(types); i++) {
        const e_guid_t guid = { .data1 = 100 + i };
        const struct counterset one = { types[i], i };
        const struct counterset *found;

        catalog_learn_counterset(s, &guid, &one);
        catalog_learn_counterset(s, &guid, &one);
        found = catalog_counterset(s, &guid);
        CHECK(found != NULL && found->instance_type == types[i] && found->num_counters == i, "%u", i);
        /* [MS-PCQ] 2.2.4.1: 2 and 6 */
        CHECK(catalog_counterset_has_instances(s, &guid) == (types[i] == 2 || types[i] == 6), "%u", types[i]);
    }
    CHECK(!catalog_counterset_has_instances(s, &set), "unknown");
    CHECK(!catalog_counterset_has_instances(NULL, &set), "unknown");
    catalog_learn_counterset(s, &set, &told);
    catalog_learn_counterset(s, &set, &more);
    CHECK(catalog_counterset(s, &set) == NULL, "another number");
    CHECK(!catalog_counterset_has_instances(s, &set), "another number");
    catalog_learn_counterset(s, &set, &told);
    CHECK(catalog_counterset(s, &set) == NULL, "what held when can't be told");
    catalog_learn_counterset(s, &other_set, &told);
    catalog_learn_counterset(s, &other_set, &single);
    CHECK(catalog_counterset(s, &other_set) == NULL, "another type");
}

static void
test_lacked_and_settled(void)
{
    struct server *s = server(0, 8003);

    CHECK_EQUAL(catalog_counterset_lacked(s, &set, 9), 0, "unknown");
    CHECK(!catalog_counterset_is_settled(s, &set, 9), "unknown");
    catalog_learn_asked(s, &set, false);
    catalog_learn_lacking(s, &set, 5);
    CHECK_EQUAL(catalog_counterset_lacked(s, &set, 6), 0, "an answer is missing");
    catalog_learn_asked(s, &set, true);
    CHECK_EQUAL(catalog_counterset_lacked(s, &set, 6), 5, "before another");
    CHECK_EQUAL(catalog_counterset_lacked(s, &set, 5), 0, "before another");
    catalog_learn_asked(s, &set, false);
    CHECK_EQUAL(catalog_counterset_lacked(s, &set, 6), 0, "asked again");
    catalog_learn_asked(s, &set, true);
    CHECK(!catalog_counterset_is_settled(s, &set, 9), "not listed");
    CHECK(!catalog_counterset_is_listed_in(s, &set, 1, CATALOG_NOW), "not listed");
    catalog_learn_listed(s, &set, 8);
    CHECK_EQUAL(catalog_counterset_lacked(s, &set, 9), 0, "it has it now");
    CHECK(!catalog_counterset_is_settled(s, &set, 8), "listed before");
    CHECK(catalog_counterset_is_settled(s, &set, 9), "listed before");
    catalog_learn_listed(s, &set, 12);
    CHECK(catalog_counterset_is_settled(s, &set, 9), "listed again");
    catalog_learn_asked(s, &set, false);
    CHECK(!catalog_counterset_is_settled(s, &set, 9), "others may be said");
    CHECK(catalog_counterset_is_listed_in(s, &set, 1, CATALOG_NOW), "others may be said");
    catalog_learn_asked(s, &set, true);
    CHECK(catalog_counterset_is_settled(s, &set, 9), "answered");
    CHECK(!catalog_counterset_is_settled(NULL, &set, 9), "answered");
}

static void
test_titles_and_help_texts_are_kept_apart(void)
{
    struct server *s = server(0, 8004);

    check_text(catalog_title(s, 6, CATALOG_NAME, CATALOG_NOW), NULL, 0);
    catalog_learn_title(s, 6, CATALOG_NAME, 7, "Prozessorzeit", 1);
    check_text(catalog_title(s, 6, CATALOG_NAME, CATALOG_NOW), "Prozessorzeit", 1);
    catalog_learn_title(s, 6, CATALOG_NAME, 9, "Processor Time", 2);
    check_text(catalog_title(s, 6, CATALOG_NAME, CATALOG_NOW), "Processor Time", 2);
    check_text(catalog_title(s, 6, CATALOG_DESCRIPTION, CATALOG_NOW), NULL, 0);
    catalog_learn_title(s, 6, CATALOG_DESCRIPTION, 9, "Its help", 3);
    check_text(catalog_title(s, 6, CATALOG_DESCRIPTION, CATALOG_NOW), "Its help", 3);
    check_text(catalog_title(s, 6, CATALOG_NAME, CATALOG_NOW), "Processor Time", 2);
    check_text(catalog_title(s, 7, CATALOG_NAME, CATALOG_NOW), NULL, 0);
    check_text(catalog_title(NULL, 6, CATALOG_NAME, CATALOG_NOW), NULL, 0);
    CHECK(catalog_learn_from_start(s), "the first of a server");
    CHECK(!catalog_learn_from_start(s), "the first of a server");
    CHECK(catalog_learn_from_start(server(1, 8004)), "the first of a server");
}

/* The language that the user prefers comes first: exactly it, else as it is spoken elsewhere. */
static void
test_preferred_language_comes_first(void)
{
    static const struct {
        unsigned language;
        const char *name;
    } cases[] = { { 0, "server's" }, { 0x407, "German" }, { 0x807, "Swiss" }, { 0xC07, "Swiss" }, { 7, "Swiss" },
        { 0x409, "English" }, { 9, "English" }, { 0x809, "English" }, { 0x40C, "server's" } };
    struct server *s;

    catalog_register(NULL);
    CHECK(language != NULL, "LCIDs are written in hexadecimal");
    if (language != NULL) {
        CHECK_EQUAL(language_base, 16, "LCIDs are written in hexadecimal");
    }
    for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        s = server(0, 8100 + i);
        *language = cases[i].language;
        catalog_learn_counterset_text(s, &set, CATALOG_NAME, 0x807, "Swiss", 1);
        catalog_learn_counterset_text(s, &set, CATALOG_ENGLISH_NAME, 0, "English", 2);
        catalog_learn_counterset_text(s, &set, CATALOG_NAME, 0x407, "German", 3);
        catalog_learn_counterset_text(s, &set, CATALOG_NAME, 0, "server's", 4);
        CHECK(strcmp(catalog_counterset_name(s, &set, CATALOG_NOW).text, cases[i].name) == 0, "%x: %s",
            cases[i].language, catalog_counterset_name(s, &set, CATALOG_NOW).text);
    }
    /* One that fits is kept, whatever was taught before it. */
    *language = 0x407;
    s = server(0, 8200);
    catalog_learn_counterset_text(s, &set, CATALOG_NAME, 0x40C, "French", 1);
    catalog_learn_counterset_text(s, &set, CATALOG_NAME, 0x807, "Swiss", 2);
    check_set(s, "Swiss", 2);
    *language = 0;
}

/* Two servers turn out to be one: it knows all that both were taught. */
static void
test_server_knows_all_that_both_were_taught(void)
{
    static const e_guid_t provider = { .data1 = 71 };
    struct counterset told = { MULTIPLE_INSTANCES, 5 };
    struct server *into = server(0, 9000), *other = server(0, 9001);
    struct catalog_counter found;

    catalog_learn_counterset_text(other, &set, CATALOG_NAME, 0, "Old", 10);
    catalog_learn_counterset_text(other, &set, CATALOG_NAME, 0, "New", 20);
    learn_type(other, &set, 1, 0, 100, 10);
    learn_type(other, &set, 1, 0, 200, 20);
    learn_type(other, &set, 1, 1, 300, 10);
    catalog_learn_counter_text(other, &set, 1, 0, CATALOG_NAME, 0, "Counter", 11);
    catalog_learn_counter_text(other, &set, 1, 1, CATALOG_NAME, 0, "Twin", 12);
    catalog_learn_instance(other, &set, 7, "worker", 13);
    catalog_learn_provider(other, &set, "Provider", &provider, 14);
    catalog_learn_title(other, 6, CATALOG_NAME, 9, "Title", 15);
    catalog_learn_title(other, 6, CATALOG_DESCRIPTION, 9, "Help", 16);
    catalog_learn_counterset(other, &set, &told);
    catalog_learn_listed(other, &set, 17);
    catalog_learn_lacking(other, &other_set, 18);
    catalog_learn_from_start(other);
    catalog_learn_counterset_text(into, &set, CATALOG_NAME, 0, "First", 5);
    catalog_absorb(server_teach(into), server_teach(other));

    check_text(catalog_counterset_name(into, &set, 5), "First", 5);
    check_text(catalog_counterset_name(into, &set, 10), "Old", 10);
    check_set(into, "New", 20);
    CHECK(catalog_counter(into, &set, 1, 0, 19, &found) && found.type == 100 && found.has_same_id && found.type_changed,
        "%u", found.type);
    CHECK(catalog_counter(into, &set, 1, 0, 20, &found) && found.type == 200, "%u", found.type);
    check_text(found.name, "Counter", 11);
    found = counter(into, &set, 1, 1, true);
    CHECK(found.type == 300 && catalog_same_id_count(into, &set, 1) == 2, "%u", found.type);
    check_text(found.name, "Twin", 12);
    check_text(catalog_instance_name(into, &set, 7), "worker", 13);
    check_text(catalog_provider_name(into, &provider, CATALOG_NOW), "Provider", 14);
    check_text(catalog_title(into, 6, CATALOG_NAME, CATALOG_NOW), "Title", 15);
    check_text(catalog_title(into, 6, CATALOG_DESCRIPTION, CATALOG_NOW), "Help", 16);
    CHECK(catalog_counterset(into, &set) != NULL, "what it is");
    CHECK_EQUAL(catalog_counterset(into, &set)->num_counters, 5, "what it is");
    CHECK(catalog_counterset_is_settled(into, &set, 18), "listed in 17");
    CHECK(!catalog_counterset_is_settled(into, &set, 17), "listed in 17");
    CHECK_EQUAL(catalog_counterset_lacked(into, &other_set, 19), 18, "lacked in 18");
    CHECK(!catalog_learn_from_start(into), "seen");

    /* The earlier listing, the later lack; all questions and answers of both; what contradicts is not known. */
    other = server(0, 9002);
    catalog_learn_listed(other, &set, 3);
    catalog_learn_asked(other, &set, false);
    catalog_learn_lacking(other, &other_set, 4);
    told.num_counters = 6;
    catalog_learn_counterset(other, &set, &told);
    catalog_absorb(server_teach(into), server_teach(other));
    CHECK(!catalog_counterset_is_settled(into, &set, 18), "a question is open");
    catalog_learn_asked(into, &set, true);
    CHECK(catalog_counterset_is_settled(into, &set, 4), "listed in 3");
    CHECK(!catalog_counterset_is_settled(into, &set, 3), "listed in 3");
    CHECK_EQUAL(catalog_counterset_lacked(into, &other_set, 19), 18, "lacked last in 18");
    CHECK(catalog_counterset(into, &set) == NULL, "5 counters or 6");
    other = server(0, 9003);
    catalog_learn_asked(other, &set, true);
    catalog_absorb(server_teach(into), server_teach(other));
    CHECK(!catalog_counterset_is_settled(into, &set, 4), "an answer too many");
    into = server(0, 9004);
    catalog_absorb(server_teach(into), server_teach(server(0, 9002)));
    CHECK(catalog_counterset(into, &set) != NULL, "as it was told");
    CHECK_EQUAL(catalog_counterset(into, &set)->num_counters, 6, "as it was told");
    other = server(0, 9005);
    catalog_learn_counterset(other, &other_set, &told);
    told.num_counters = 7;
    catalog_learn_counterset(other, &other_set, &told);
    catalog_absorb(server_teach(into), server_teach(other));
    CHECK(catalog_counterset(into, &other_set) == NULL, "it changed there");
}

/* Returns the written catalog of everything learned so far. Valid until the next call. */
static const char *
written(void)
{
    static char text[4000];
    FILE *file = tmpfile();

    catalog_write(file);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* The records that a server taught stand in an order that no hash table decides. */
static void
test_records_are_written_in_a_fixed_order(void)
{
#define OF_SET(n) "\"0000000" n "-0000-0000-0000-000000000000\",\"\","
#define OF_TYPE_1 "\"0x00000001\",\"7\",\"8\",\"9\",\"10\"\n"
    static const char expected[] = OF_SET("1") "\"3\",\"Reads\"," OF_TYPE_1 OF_SET(
        "1") "\"200\",\"\"," OF_TYPE_1
             "\"00000002-0000-0000-0000-000000000000\",\"No counters\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"\n" OF_SET(
                 "1") "\"1\",\"\"," OF_TYPE_1;
    static const e_guid_t nameless_set = { .data1 = 3 };
    const char *text;
    struct server *s;

    file_begin();
    s = server(1, 1);
    learn_type(s, &set, 1, 0, 1, 1);
    s = server(0, 1);
    catalog_learn_counterset_text(s, &other_set, CATALOG_NAME, 0, "No counters", 1);
    learn_type(s, &set, 200, 0, 1, 1);
    learn_type(s, &set, 3, 0, 1, 1);
    catalog_learn_counter_text(s, &set, 3, 0, CATALOG_NAME, 0, "Reads", 2);
    catalog_learn_listed(s, &nameless_set, 3); /* without counters, so that there is nothing to tell */
    text = written();
    CHECK(strcmp(text, expected) == 0, "%s, not %s", text, expected);
}

/* Two machines' counters of one counterset and id are no two counters: a record without a counter stands between. */
static void
test_same_counterset_of_two_servers_is_written_apart(void)
{
    static const char apart[] = OF_SET("1") "\"\",\"\",\"\",\"\",\"\",\"\",\"\"\n";
    static const e_guid_t third_set = { .data1 = 3 };
    const char *text, *first, *between, *last, *third;

    file_begin();
    for (unsigned i = 0; i < 2; i++) {
        struct server *s = server(i, 1);

        learn_type(s, &set, 1, 0, 1, 1);
        learn_type(s, &set, 2, 0, 1, 1);
    }
    learn_type(server(1, 1), &third_set, 1, 0, 1, 1);
    text = written();
    first = strstr(text, OF_SET("1") "\"2\",\"\"," OF_TYPE_1);
    between = strstr(text, apart);
    CHECK(first != NULL && between != NULL, "%s", text);
    if (first != NULL && between != NULL) {
        last = strstr(between, OF_SET("1") "\"1\",\"\"," OF_TYPE_1);
        third = strstr(between, OF_SET("3") "\"1\",\"\"," OF_TYPE_1);
        CHECK(first < between && last == between + strlen(apart) && third > last, "%s", text);
        CHECK(strstr(between + 1, apart) == NULL && strstr(text, OF_SET("3") "\"\"") == NULL, "only there: %s", text);
    }
}

/* By their GUIDs. A set with counters has its name in their records, and none of its own. */
static void
test_countersets_are_written_in_the_order_of_their_guids(void)
{
    const char *text, *before;
    char guid[40];
    unsigned lines = 0;

    file_begin();
    for (unsigned i = 12; i > 0; i--) {
        const e_guid_t one = { .data1 = i };

        catalog_learn_counterset_text(server(0, 1), &one, CATALOG_NAME, 0, "Named", 1);
        learn_type(server(0, 1), &one, 1, 0, 1, 1);
    }
    text = before = written();
    for (unsigned i = 1; i <= 12; i++) {
        const char *at;

        snprintf(guid, sizeof guid, "\"%08x-", i);
        at = strstr(text, guid);
        CHECK(at != NULL && at >= before, "counterset %u: %s", i, text);
        before = at != NULL ? at : before;
    }
    for (const char *c = text; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    CHECK_EQUAL(lines, 12, "one of each counter");
}

/* All at once: whichever of them share a place in the table are apart all the same. */
static void
test_many_servers_are_apart_in_the_table(void)
{
    static struct server *servers[400];

    for (unsigned i = 0; i < 400; i++) {
        const uint8_t bytes[4] = { 10, 7, (uint8_t)(i >> 8), (uint8_t)i };
        packet_info answer = { .srcport = 445 };

        set_address(&answer.src, AT_IPv4, sizeof bytes, bytes);
        servers[i] = server_of(&answer, true);
        for (unsigned other = 0; other < i; other++) {
            CHECK(servers[other] != servers[i], "%u is %u", i, other);
        }
        CHECK(server_of(&answer, true) == servers[i], "%u is another the second time", i);
    }
}

/* Type 0 is PERF_COUNTER_RAWCOUNT_HEX, not one that nobody knows. */
static void
test_type_0_differs_from_no_type(void)
{
    const struct catalog_counter raw = { .type_known = true, .type = 0 }, unknown = { .type_known = false, .type = 0 };

    CHECK(catalog_counter_alike(&raw, &raw), "it is like itself");
    CHECK(catalog_counter_alike(&unknown, &unknown), "it is like itself");
    CHECK(!catalog_counter_alike(&raw, &unknown), "a type that is known");
    CHECK(!catalog_counter_alike(&unknown, &raw), "a type that is known");
}

int
main(void)
{
    wmem_init_scopes();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    file_begin();
    catalog_table_register(NULL);
    table_fill(records, array_length(records));
    test_servers_differ_by_address_and_port();
    test_many_servers_are_apart_in_the_table();
    test_servers_own_language_wins();
    test_counter_has_the_type_that_was_taught_last();
    test_counters_of_one_id_keep_their_own_names();
    test_calls_without_a_name_teach_about_the_only_machine();
    test_tables_fill_what_the_capture_leaves_open();
    test_provider_has_the_name_taught_of_its_guid();
    test_instance_id_with_two_names_names_nothing();
    test_lookup_gives_what_held_in_that_frame();
    test_changed_counter_is_another_from_then_on();
    test_contradicting_countersets_are_unknown();
    test_lacked_and_settled();
    test_titles_and_help_texts_are_kept_apart();
    test_preferred_language_comes_first();
    test_server_knows_all_that_both_were_taught();
    test_type_0_differs_from_no_type();
    test_records_are_written_in_a_fixed_order();
    test_same_counterset_of_two_servers_is_written_apart();
    test_countersets_are_written_in_the_order_of_their_guids();
    return check_result();
}
