/* test_catalog.c
 * What a capture taught of countersets and counters: which name wins, whose it is, and what is not known
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdlib.h>
#include <string.h>

#include <epan/to_str.h>
#include <epan/wmem_scopes.h>

#include "check.h"
#include "counters/catalog-table.h"
#include "counters/catalog.h"
#include "counters/record.h"

static wmem_allocator_t *scope;

/* In place of Wireshark's, which takes an open file. */
wmem_allocator_t *
wmem_file_scope(void)
{
    return scope;
}

/* In place of Wireshark's, which wants all of it to be started. */
char *
address_to_str(wmem_allocator_t *into, const address *addr)
{
    const uint8_t *bytes = (const uint8_t *)addr->data;

    return wmem_strdup_printf(into, "%u.%u.%u.%u", bytes[0], bytes[1], bytes[2], bytes[3]);
}

/* In place of the tables: counterset 9 is "Table", its counter 4 "Tabled", of type 5; a second counter of that id is of type 15. */
#define TABLE_SET 9

const char *
catalog_table_counterset_name(const e_guid_t *guid)
{
    return guid->data1 == TABLE_SET ? "Table" : NULL;
}

bool
catalog_table_counter(const e_guid_t *guid, uint32_t id, unsigned twin, struct catalog_counter *out)
{
    if (guid->data1 != TABLE_SET || id != 4 || twin > 1) {
        return false;
    }
    *out = (struct catalog_counter){ .name = { "Tabled", 0 },
        .type_known = true,
        .type = 5 + 10 * twin,
        .base_id = 6,
        .perf_time_id = PERF_ID_NONE,
        .perf_freq_id = PERF_ID_NONE,
        .multi_id = PERF_ID_NONE };
    return true;
}

unsigned
catalog_table_twins(const e_guid_t *guid, uint32_t id)
{
    return guid->data1 == TABLE_SET && id == 4 ? 2 : 0;
}

unsigned
catalog_table_version(void)
{
    return 0;
}

/* What catalog_write() writes, a line a record. */
static GString *written;

void
catalog_table_write_record(FILE *file, const e_guid_t *guid, const char *name, uint32_t id,
    const struct catalog_counter *counter)
{
    (void)file;
    g_string_append_printf(written, "%u %s %u %s\n", guid->data1, name == NULL ? "-" : name, id,
        counter == NULL || counter->name.text == NULL ? "-" : counter->name.text);
}

/* In place of Wireshark's: the file is opened at once. */
void
register_init_routine(void (*begin)(void))
{
    begin();
}

void
register_cleanup_routine(void (*end)(void))
{
    (void)end;
}

static const e_guid_t set = { .data1 = 1 }, other_set = { .data1 = 2 }, table_set = { .data1 = TABLE_SET };
static const uint8_t addresses[][4] = { { 192, 0, 2, 1 }, { 192, 0, 2, 2 } };

static struct server *
server(unsigned number, uint32_t port)
{
    const address addr = { .type = AT_IPv4, .len = 4, .data = addresses[number] };

    const struct server_place place = { &addr, port };

    return server_at(&place);
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
test_servers(void)
{
    struct server *one = server(0, 1000);

    CHECK(server(0, 1000) == one && server(0, 1001) != one && server(1, 1000) != one, "by address and port");
    CHECK(strcmp(server_host(one), "192.0.2.1") == 0, "%s", server_host(one));
    /* However many there are: some of them share a place in any table. */
    for (uint32_t port = 1; port < 300; port++) {
        CHECK(server(0, port) != server(1, port) && server(0, port) != server(0, port + 1), "port %u", port);
    }
}

/* The server's own language, else the first asked for, else English; the latest text of a language. */
static void
test_names(void)
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
    version = catalog_version();
    catalog_learn_counterset_text(s, &set, CATALOG_NAME, 0, "Default", 8);
    check_set(s, "Default", 7);
    CHECK(catalog_version() == version, "the same again");
    catalog_learn_counterset_text(s, &set, CATALOG_NAME, 0, "Other", 9);
    check_set(s, "Other", 9);
    CHECK(catalog_version() != version, "another");
    check_set(server(1, 2000), NULL, 0);
    check_text(catalog_counterset_name(s, &other_set, CATALOG_NOW), NULL, 0);
    check_text(catalog_counterset_name(s, &table_set, CATALOG_NOW), "Table", 0);
    check_text(catalog_counterset_name(NULL, &table_set, CATALOG_NOW), "Table", 0);
    catalog_learn_counterset_text(s, &table_set, CATALOG_NAME, 0x409, "Learned", 10);
    check_text(catalog_counterset_name(s, &table_set, CATALOG_NOW), "Learned", 10);
}

static struct catalog_counter
counter(const struct server *of, const e_guid_t *of_set, uint32_t id, unsigned twin, bool is_known)
{
    struct catalog_counter found;

    CHECK(catalog_counter_twin(of, of_set, id, twin, CATALOG_NOW, &found) == is_known, "counter %u, no. %u", id, twin);
    return found;
}

static void
learn_type(struct server *of, const e_guid_t *of_set, uint32_t id, unsigned twin, uint32_t type, uint32_t frame)
{
    const struct catalog_counter info = { .type = type,
        .base_id = 7,
        .perf_time_id = 8,
        .perf_freq_id = 9,
        .multi_id = 10,
        .attrib = 2 };

    catalog_learn_counter(of, of_set, id, twin, &info, frame);
}

static void
test_counters(void)
{
    struct server *s = server(0, 3000);
    struct catalog_counter found = counter(s, &set, 3, 0, false);

    CHECK(!found.type_known && found.base_id == PERF_ID_NONE && found.multi_id == PERF_ID_NONE &&
            found.name.text == NULL,
        "nothing");
    catalog_learn_counter_text(s, &set, 3, 0, CATALOG_NAME, 0, "Reads", 1);
    found = counter(s, &set, 3, 0, true);
    CHECK(!found.type_known && found.base_id == PERF_ID_NONE, "a name is no type");
    check_text(found.name, "Reads", 1);
    learn_type(s, &set, 3, 0, 100, 2);
    found = counter(s, &set, 3, 0, true);
    CHECK(found.type_known && found.type == 100 && found.type_frame == 2 && !found.type_changed && found.base_id == 7 &&
            found.attrib == 2,
        "its type");
    check_text(found.name, "Reads", 1);
    learn_type(s, &set, 3, 0, 100, 3);
    CHECK(!counter(s, &set, 3, 0, true).type_changed && counter(s, &set, 3, 0, true).type_frame == 3, "the same again");
    learn_type(s, &set, 3, 0, 101, 4);
    CHECK(counter(s, &set, 3, 0, true).type_changed && counter(s, &set, 3, 0, true).type == 101, "another");
    learn_type(s, &set, 3, 0, 101, 5);
    CHECK(counter(s, &set, 3, 0, true).type_changed, "once changed it may change again");
    counter(s, &other_set, 3, 0, false);
    counter(server(1, 3000), &set, 3, 0, false);
    counter(NULL, &set, 3, 0, false);
    CHECK(!catalog_counterset_is_complete(s, &set), "not all of them");
    catalog_learn_listed(s, &set, 5);
    CHECK(catalog_counterset_is_complete(s, &set) && !catalog_counterset_is_complete(s, &other_set) &&
            !catalog_counterset_is_complete(NULL, &set),
        "all");
}

/* Counters of one id: each has its own name and type; the first says that there is another. */
static void
test_twins(void)
{
    struct server *s = server(0, 4000);

    learn_type(s, &set, 1, 0, 100, 1);
    CHECK(!counter(s, &set, 1, 0, true).has_twin, "one");
    counter(s, &set, 1, 1, false);
    learn_type(s, &set, 1, 1, 200, 1);
    catalog_learn_counter_text(s, &set, 1, 1, CATALOG_NAME, 0, "Second", 2);
    CHECK(counter(s, &set, 1, 0, true).has_twin && counter(s, &set, 1, 0, true).type == 100, "two");
    CHECK(counter(s, &set, 1, 1, true).type == 200, "the second");
    check_text(counter(s, &set, 1, 0, true).name, NULL, 0);
    check_text(counter(s, &set, 1, 1, true).name, "Second", 2);
    counter(s, &set, 1, 2, false);
    /* As many as no counterset has are kept, and no more. */
    learn_type(s, &set, 1, 16, 300, 3);
    learn_type(s, &set, 1, 4000000, 400, 4);
    CHECK(counter(s, &set, 1, 16, true).type == 400 && counter(s, &set, 1, 4000000, true).type == 400,
        "beyond, they are one");
}

/* What the capture leaves open the tables fill. */
static void
test_tables(void)
{
    struct server *s = server(0, 5000);
    struct catalog_counter found = counter(s, &table_set, 4, 0, true);

    CHECK(found.type_known && found.type == 5 && found.base_id == 6 && found.has_twin, "all of it");
    CHECK(counter(s, &table_set, 4, 1, true).type == 15 && catalog_counter_twins(s, &table_set, 4) == 2, "the second");
    counter(s, &table_set, 4, 2, false);
    check_text(found.name, "Tabled", 0);
    catalog_learn_counter_text(s, &table_set, 4, 0, CATALOG_NAME, 0, "Learned", 3);
    found = counter(s, &table_set, 4, 0, true);
    CHECK(found.type_known && found.type == 5 && found.base_id == 6, "the type");
    check_text(found.name, "Learned", 3);
    s = server(0, 5001);
    learn_type(s, &table_set, 4, 0, 100, 1);
    found = counter(s, &table_set, 4, 0, true);
    CHECK(found.type == 100 && found.base_id == 7, "the capture's type");
    check_text(found.name, "Tabled", 0);
    /* The capture knows of one, so there is no other. */
    CHECK(!found.has_twin && catalog_counter_twins(s, &table_set, 4) == 1, "one");
    counter(s, &table_set, 4, 1, false);
}

static void
test_providers(void)
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
    check_text(catalog_provider_name(server(1, 6000), &provider, CATALOG_NOW), NULL, 0);
    check_text(catalog_provider_name(NULL, &provider, CATALOG_NOW), NULL, 0);
}

static void
test_instances(void)
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

/* In an order that no hash table decides. */
static void
test_written(void)
{
    struct server *s;

    wmem_free_all(scope);
    server_init();
    written = g_string_new(NULL);
    s = server(1, 1);
    learn_type(s, &set, 1, 0, 1, 1);
    s = server(0, 1);
    catalog_learn_counterset_text(s, &other_set, CATALOG_NAME, 0, "No counters", 1);
    learn_type(s, &set, 200, 0, 1, 1);
    learn_type(s, &set, 3, 0, 1, 1);
    catalog_learn_counter_text(s, &set, 3, 0, CATALOG_NAME, 0, "Reads", 2);
    catalog_write(NULL);
    CHECK(strcmp(written->str, "1 - 3 Reads\n1 - 200 -\n2 No counters 0 -\n1 - 1 -\n") == 0, "%s", written->str);
    g_string_free(written, TRUE);
}

/* All at once: whichever of them share a place in the table are apart all the same. */
static void
test_many_servers(void)
{
    static struct server *servers[400];

    for (unsigned i = 0; i < 400; i++) {
        const uint8_t bytes[4] = { 10, 7, (uint8_t)(i >> 8), (uint8_t)i };
        address addr;

        set_address(&addr, AT_IPv4, sizeof bytes, bytes);
        servers[i] = server_at(&(struct server_place){ &addr, 445 });
        for (unsigned other = 0; other < i; other++) {
            CHECK(servers[other] != servers[i], "%u is %u", i, other);
        }
        CHECK(server_at(&(struct server_place){ &addr, 445 }) == servers[i], "%u is another the second time", i);
    }
}

int
main(void)
{
    wmem_init_scopes();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    server_init();
    test_servers();
    test_many_servers();
    test_names();
    test_counters();
    test_twins();
    test_tables();
    test_providers();
    test_instances();
    test_written();
    return check_result();
}
