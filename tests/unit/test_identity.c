/* test_identity.c
 * Which counters of a capture are one, and that no two of them read alike
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/identity.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "check.h"
#include "cook/counter-types.h"
#include "machines.h"

/* Two machines of one address, and two connections to it on which no call has named one yet. */
static struct server *host, *other, *unnamed, *second_unnamed;
static struct server_link unnamed_link, second_link;
static const e_guid_t set = { 1, 0, 0, { 0 } }, second_set = { 2, 0, 0, { 0 } };

static void
anew(void)
{
    file_begin();
    unnamed_link = second_link = (struct server_link){ NULL, false };
    host = machine("HOST");
    other = machine("OTHER");
    unnamed = machine_answers(&unnamed_link, NULL);
    second_unnamed = machine_answers(&second_link, NULL);
    identity_begin();
}

static char *
row_text(wmem_allocator_t *into, const struct series_row *row)
{
    return wmem_strndup(into, (const char *)row->name, row->name_size);
}

static struct series_row
row(uint32_t id, const char *name)
{
    return (struct series_row){ .id = id, .name = (const uint8_t *)name, .name_size = (unsigned)strlen(name) };
}

static struct instance *
instance_of(const struct server *server, const e_guid_t *guid, uint32_t id, const char *name, unsigned stamp)
{
    const struct series_row one = row(id, name);

    return identity_instance(server, guid, &one, NULL, stamp, row_text);
}

/* The #index of an instance. */
static unsigned
number_of(const struct instance *instance)
{
    const char *number = instance->text + instance->row.name_size;

    return number[0] == '#' ? (unsigned)strtoul(number + 1, NULL, 10) : 0;
}

/* What all counters are called from now on. */
static struct counter_words said;

static struct counter_words
words(const struct perf_counter *counter _U_, uint32_t frame _U_, wmem_allocator_t *into _U_)
{
    return said;
}

static struct identity *
counter_of(const struct server *server, const e_guid_t *guid, uint32_t id, unsigned nth,
    const struct instance *instance)
{
    const struct perf_counter key = { .server = server, .set = *guid, .id = id, .nth = nth, .words = words };

    return identity_of(identity_counter(&key), instance);
}

/* What a counterset is called in paths. */
static const char *
set_text(const struct server *server, const e_guid_t *guid, const char *name)
{
    static uint64_t version = 1000;
    struct perf_counter *counter = counter_of(server, guid, 99, 0, NULL)->counter;

    said = (struct counter_words){ .set = name, .set_id = "i", .counter = "Counter" };
    identity_name(counter, 1, version++);
    return counter->set_text;
}

/* What a caller had a name in may hold another one later: each instance keeps its own. */
static void
check_each_instance_keeps_its_own_name(void)
{
    char name[] = "first";
    const struct series_row of = { .name = (const uint8_t *)name, .name_size = 5 };
    const struct instance *first, *second;

    anew();
    first = identity_instance(host, &set, &of, NULL, 0, row_text);
    memcpy(name, "other", 5);
    second = identity_instance(host, &set, &of, NULL, 0, row_text);
    CHECK(second != first && strcmp(first->text, "first") == 0 && strcmp(second->text, "other") == 0, "%s",
        first->text);
    memcpy(name, "first", 5);
    CHECK(identity_instance(host, &set, &of, NULL, 0, row_text) == first, "the same");
    memcpy(name, "xxxxx", 5);
    CHECK_EQUAL(memcmp(first->row.name, "first", 5), 0, "kept");
    CHECK_EQUAL(memcmp(second->row.name, "other", 5), 0, "kept");
}

static void
check_rows_are_equal_by_name_and_id(void)
{
    const struct series_row a = row(1, "ab"), b = row(1, "ab\0"), shorter = row(1, "a"), id = row(2, "ab"),
                            differs = row(1, "ac"), none = { .id = 1 };

    CHECK(series_row_equal(&a, &a), "alike");
    CHECK(series_row_equal(&a, &b), "alike");
    CHECK(!series_row_equal(&a, &shorter), "a longer name");
    CHECK(!series_row_equal(&shorter, &a), "a longer name");
    CHECK(!series_row_equal(&a, &id), "another id, another name");
    CHECK(!series_row_equal(&a, &differs), "another id, another name");
    {
        static const uint8_t letters[] = "ab";
        const struct series_row first = { 1, letters, 1 }, second = { 1, letters + 1, 1 }, copy = row(1, "a"),
                                begin = { 1, letters, 0 }, end = { 1, letters + 1, 0 }, nowhere = { 1, NULL, 0 };

        CHECK(!series_row_equal(&first, &second), "of one byte, another");
        CHECK(!series_row_equal(&second, &first), "of one byte, another");
        CHECK(series_row_equal(&first, &copy), "of one byte, elsewhere");
        CHECK(series_row_equal(&copy, &first), "of one byte, elsewhere");
        CHECK(series_row_equal(&begin, &end), "of none, wherever");
        CHECK(series_row_equal(&end, &begin), "of none, wherever");
        CHECK(series_row_equal(&nowhere, &end), "of none, nowhere");
        CHECK(series_row_equal(&end, &nowhere), "of none, nowhere");
        CHECK(!series_row_equal(&begin, &first), "of none, and of one");
        CHECK(!series_row_equal(&first, &begin), "of none, and of one");
    }
    CHECK(series_row_equal(&none, &none), "no name");
    CHECK(!series_row_equal(&none, &a), "no name");
}

static void
check_instances_of_one_name_are_numbered(void)
{
    struct instance *first, *same, *one;

    anew();
    first = instance_of(host, &set, 1, "chrome", 0);
    CHECK_EQUAL(number_of(first), 0, "the first");
    CHECK_EQUAL(first->occurrence, 0, "the first");
    CHECK(first->merged_into == NULL, "the first");
    CHECK(first->server == host, "the first");
    CHECK(instance_of(host, &set, 1, "chrome", 0) == first, "the same");
    one = instance_of(host, &set, 2, "chrome", 0);
    CHECK(one != first && number_of(one) == 1, "another id: number %u", number_of(one));
    CHECK_EQUAL(number_of(instance_of(host, &set, 3, "chrome", 0)), 2, "numbers stay");
    CHECK(instance_of(host, &set, 2, "chrome", 0) == one, "numbers stay");
    /* Of another machine, of another counterset, of another name: first again. */
    CHECK_EQUAL(number_of(instance_of(other, &set, 2, "chrome", 0)), 0, "another machine");
    CHECK_EQUAL(number_of(instance_of(host, &second_set, 2, "chrome", 0)), 0, "another counterset");
    CHECK_EQUAL(number_of(instance_of(host, &set, 1, "idle", 0)), 0, "another name");

    /* What a row was before is believed, unless it is of another machine or stood behind its like. */
    {
        const struct series_row likely = row(1, "chrome"), idle = row(1, "idle");

        CHECK(identity_instance(host, &set, &idle, first, 0, row_text) == first, "likely");
        CHECK(identity_instance(other, &set, &likely, first, 0, row_text) != first, "of another machine");
    }

    /* Equal rows of one block are several; so they are in the next. */
    anew();
    for (unsigned stamp = 1; stamp <= 2; stamp++) {
        struct instance *rows[3];

        for (unsigned i = 0; i < 3; i++) {
            rows[i] = instance_of(host, &set, 1, "chrome", stamp);
            CHECK(rows[i]->occurrence == i && number_of(rows[i]) == i, "%u: occurrence %u, number %u", i,
                rows[i]->occurrence, number_of(rows[i]));
        }
        CHECK(rows[0] != rows[1], "one");
        CHECK(rows[1] != rows[2], "one");
        if (stamp == 1) {
            const struct series_row likely = row(1, "chrome");

            /* Which of them it is the place tells alone. */
            CHECK(identity_instance(host, &set, &likely, rows[2], 0, row_text) == rows[0], "the first");
        }
    }

    /* What the caller numbers keeps the label that it was given first, whatever others are called. */
    anew();
    {
        const struct series_row second = row(1, "chrome");
        const struct instance *labelled = identity_labelled(host, &set, &second, "chrome#1");

        CHECK(strcmp(labelled->text, "chrome#1") == 0 && identity_labelled(host, &set, &second, "chrome#2") == labelled,
            "%s", labelled->text);
    }

    /* Names that differ in case only are one, in UTF-16 and beyond ASCII; what has no case differs. */
    anew();
    {
        static const uint8_t names[][4] = { { 'A', 0, 0xC4, 0 }, { 'a', 0, 0xE4, 0 }, { 'a', 1, 0xE4, 0 } };
        const struct instance *all[3];

        for (unsigned i = 0; i < 3; i++) {
            const struct series_row named = { 1, names[i], sizeof names[i] };

            all[i] = identity_instance(host, &set, &named, NULL, 0, row_text);
        }
        CHECK(all[0] == all[1], "A with a diaeresis is a, U+0161 is none");
        CHECK(all[0] != all[2], "A with a diaeresis is a, U+0161 is none");
    }

    /* Known by its name alone: the only one of that name, whichever comes first. */
    anew();
    first = instance_of(host, &set, 1, "chrome", 0);
    CHECK(instance_of(host, &set, PERF_ID_NONE, "chrome", 0) == first, "by name, later");
    CHECK_EQUAL(number_of(instance_of(host, &set, 2, "chrome", 0)), 1, "a second one");
    anew();
    one = instance_of(host, &set, PERF_ID_NONE, "chrome", 0);
    same = instance_of(host, &set, 1, "chrome", 0);
    CHECK(same == one, "by name, before");
    CHECK_EQUAL(number_of(one), 0, "by name, before");
    CHECK(instance_of(host, &set, PERF_ID_NONE, "chrome", 0) == one, "by name, again");
    CHECK_EQUAL(number_of(instance_of(host, &set, 2, "chrome", 0)), 1, "another id is another one");
    CHECK(instance_of(host, &set, 1, "chrome", 0) == one, "the first id");
    /* Nor is the second of two rows without an id the one that has it. */
    anew();
    first = instance_of(host, &set, 1, "chrome", 1);
    CHECK(instance_of(host, &set, PERF_ID_NONE, "chrome", 2) == first, "by name");
    one = instance_of(host, &set, PERF_ID_NONE, "chrome", 2);
    CHECK(one != first && one->occurrence == 1 && number_of(one) == 1, "by name, twice: number %u", number_of(one));
    /* Of two nobody can tell which is meant. */
    anew();
    first = instance_of(host, &set, 1, "chrome", 0);
    one = instance_of(host, &set, 2, "chrome", 0);
    same = instance_of(host, &set, PERF_ID_NONE, "chrome", 0);
    CHECK(same != first && same != one && number_of(same) == 2, "by name, of two: number %u", number_of(same));
}

static void
check_counter_of_an_instance_is_one_identity(void)
{
    struct identity *one;
    struct instance *chrome;

    anew();
    chrome = instance_of(host, &set, 1, "chrome", 0);
    one = counter_of(host, &set, 4, 0, chrome);
    CHECK(counter_of(host, &set, 4, 0, chrome) == one, "the same");
    CHECK_EQUAL(one->counter->id, 4, "the same");
    CHECK_EQUAL(one->counter->nth, 0, "the same");
    CHECK(one->instance == chrome, "the same");
    CHECK(one->counter->server == host, "the same");
    CHECK(counter_of(other, &set, 4, 0, chrome) != one, "another one");
    CHECK(counter_of(host, &second_set, 4, 0, chrome) != one, "another one");
    CHECK(counter_of(host, &set, 5, 0, chrome) != one, "another one");
    CHECK(counter_of(host, &set, 4, 1, chrome) != one, "another one");
    CHECK(counter_of(host, &set, 4, 0, NULL) != one, "another one");

    /* A machine proves to be another one: what was kept of it is that one's. */
    chrome = instance_of(unnamed, &set, 1, "chrome", 0);
    CHECK(identity_instance_now(chrome, row_text) == chrome, "itself");
    machine_answers(&unnamed_link, "HOST");
    CHECK(identity_instance_now(chrome, row_text) == instance_of(host, &set, 1, "chrome", 0), "the other's");
    CHECK(counter_of(unnamed, &set, 4, 0, instance_of(unnamed, &set, 1, "chrome", 0)) == one, "the other's");
    {
        struct instance *more = instance_of(second_unnamed, &set, 2, "chrome", 0);

        machine_answers(&second_link, "HOST");
        CHECK_EQUAL(number_of(identity_instance_now(more, row_text)), 1, "numbered among the other's");
    }
}

static const char *
path_of(struct identity *identity, const char *set_name, const char *counter, uint64_t version)
{
    said = (struct counter_words){ .set = set_name, .set_id = "id", .counter = counter };
    return identity_path(identity, 1, version);
}

#define CHECK_PATH(identity, set_name, counter, expected, of_version) \
    do { \
        const char *path_ = path_of(identity, set_name, counter, of_version); \
        CHECK(strcmp(path_, expected) == 0, "%s, not %s", path_, expected); \
    } while (0)

static void
check_no_two_counters_read_alike(void)
{
    struct identity *one, *two, *three, *nth;
    const char *label;
    char *long_name, *path;

    anew();
    one = counter_of(host, &set, 4, 0, NULL);
    CHECK_PATH(one, "First", "Reads", "\\\\HOST\\First\\Reads", 1);
    label = one->path;
    /* Nothing is asked anew while no name changed. */
    CHECK_PATH(one, "First", "Writes", "\\\\HOST\\First\\Reads", 1);
    CHECK_PATH(one, "First", "Writes", "\\\\HOST\\First\\Writes", 2);
    CHECK(one->path != label, "the label of before is gone");
    CHECK_STRING(label, "\\\\HOST\\First\\Reads", "the label of before is gone");
    CHECK_PATH(one, "First", "Reads", "\\\\HOST\\First\\Reads", 3);
    CHECK(one->path == label, "the label of before");

    /* Others of its name, in whatever case: by their ids; two of one id by their number. */
    two = counter_of(host, &set, 5, 0, NULL);
    CHECK_PATH(two, "First", "reads", "\\\\HOST\\First\\reads (id 5)", 1);
    nth = counter_of(host, &set, 4, 1, NULL);
    CHECK_PATH(nth, "First", "Reads", "\\\\HOST\\First\\Reads (no. 2 of id 4)", 1);
    /* Somebody's own name is that already: further numbers tell, of two of one id, too. */
    for (unsigned number = 0; number < 2; number++) {
        const char *own = number == 0 ? "Reads (id 5)" : "Reads (no. 2 of id 5)";

        anew();
        one = counter_of(host, &set, 4, 0, NULL);
        two = counter_of(host, &set, 6, 0, NULL);
        three = counter_of(host, &set, 5, number, NULL);
        CHECK_PATH(one, "First", "Reads", "\\\\HOST\\First\\Reads", 1);
        CHECK_PATH(two, "First", own, wmem_strdup_printf(scope, "\\\\HOST\\First\\%s", own), 1);
        CHECK_PATH(three, "First", "Reads", "\\\\HOST\\First\\Reads (id 5, no. 2)", 1);
        CHECK(three->counter->no == 2, "no. %u", three->counter->no);
        CHECK_PATH(three, "First", "Reads", "\\\\HOST\\First\\Reads (id 5, no. 2)", 2);
    }

    /* So where names hold what parts them: of one path, but of two countersets. */
    for (unsigned number = 0; number < 2; number++) {
        const char *own = number == 0 ? "C (id 5)" : "C (no. 2 of id 5)";

        for (unsigned is_taken = 0; is_taken < 2; is_taken++) {
            const char *left = is_taken ? "C (id 5, no. 2)" : own;

            anew();
            CHECK_PATH(counter_of(host, &set, 4, 0, NULL), "A\\B", "C", "\\\\HOST\\A\\B\\C", 1);
            if (is_taken) {
                path_of(counter_of(host, &set, 6, 0, NULL), "A\\B", own, 1);
            }
            CHECK_PATH(counter_of(host, &second_set, 5, number, NULL), "A", "B\\C",
                wmem_strdup_printf(scope, "\\\\HOST\\A\\B\\%s", left), 1);
        }
    }

    /* Instances, numbered or not; other machines. */
    anew();
    one = counter_of(host, &set, 4, 0, instance_of(host, &set, 1, "chrome", 0));
    two = counter_of(host, &set, 4, 0, instance_of(host, &set, 2, "chrome", 0));
    CHECK_PATH(one, "First", "Reads", "\\\\HOST\\First(chrome)\\Reads", 1);
    CHECK_PATH(two, "First", "Reads", "\\\\HOST\\First(chrome#1)\\Reads", 1);
    CHECK_PATH(counter_of(other, &set, 4, 0, NULL), "First", "Reads", "\\\\OTHER\\First\\Reads", 1);

    /* Countersets of one name: the first goes by it. */
    CHECK_STRING(set_text(host, &set, "First"), "First", "the first");
    CHECK_STRING(set_text(host, &second_set, "First"), "First {i}", "the second");
    CHECK_STRING(set_text(host, &set, "First"), "First", "the first again");
    CHECK_STRING(set_text(other, &second_set, "First"), "First {i}", "of OTHER");
    CHECK_STRING(set_text(unnamed, &second_set, "First"), "First", "of another machine");
    one = counter_of(host, &second_set, 4, 0, NULL);
    CHECK_PATH(one, "First", "Reads", "\\\\HOST\\First {id}\\Reads", 1);

    /* What tells it from others is not cut off with a long name. */
    anew();
    long_name = (char *)wmem_alloc(scope, 2 * NAME_TEXT_MAX + 1);
    memset(long_name, 'x', 2 * NAME_TEXT_MAX);
    long_name[2 * NAME_TEXT_MAX] = '\0';
    path = wmem_strdup(scope, path_of(counter_of(host, &set, 4, 0, NULL), "First", long_name, 1));
    CHECK(strlen(path) < NAME_TEXT_MAX + 20, "of %u bytes", (unsigned)strlen(path));
    path = wmem_strdup(scope, path_of(counter_of(host, &set, 5, 0, NULL), "First", long_name, 1));
    CHECK(strstr(path, " (id 5)") != NULL && strlen(path) < NAME_TEXT_MAX + 20, "%s", path);
    path = wmem_strdup(scope, set_text(host, &set, long_name));
    CHECK(strchr(path, '{') == NULL && strlen(path) == NAME_TEXT_MAX, "as it stands in paths: %s", path);
    path = wmem_strdup(scope, set_text(host, &second_set, long_name));
    CHECK(strstr(path, " {i}") != NULL && strlen(path) <= NAME_TEXT_MAX, "%s", path);
}

/* Where names were learned late, all counters get theirs in the order in which they came; of any version, also of 0. */
static void
check_late_names_are_given_in_order(void)
{
    struct perf_counter *counters[3];

    anew();
    said = (struct counter_words){ .set = "Set", .set_id = "i", .counter = "Counter" };
    for (uint32_t i = 0; i < 3; i++) {
        counters[i] = counter_of(host, &set, i + 1, 0, NULL)->counter;
    }
    identity_name(counters[2], 1, UINT64_C(1) << 32);
    CHECK(counters[0]->text != NULL && strcmp(counters[0]->text, "Counter") == 0, "%s", counters[0]->text);
    CHECK(counters[1]->text != NULL && strcmp(counters[1]->text, "Counter (id 2)") == 0, "%s", counters[1]->text);
    CHECK(counters[2]->text != NULL && strcmp(counters[2]->text, "Counter (id 3)") == 0, "%s", counters[2]->text);
    for (unsigned late = 0; late < 2; late++) {
        anew();
        counters[0] = counter_of(host, &set, 1, 0, NULL)->counter;
        (late ? identity_name : identity_claim)(counters[0], 1, 0);
        CHECK(counters[0]->text != NULL, "of version 0");
    }
}

int
main(void)
{
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    check_each_instance_keeps_its_own_name();
    check_rows_are_equal_by_name_and_id();
    check_instances_of_one_name_are_numbered();
    check_counter_of_an_instance_is_one_identity();
    check_no_two_counters_read_alike();
    check_late_names_are_given_in_order();
    wmem_destroy_allocator(scope);
    return check_result();
}
