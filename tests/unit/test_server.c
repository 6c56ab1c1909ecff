/* test_server.c
 * Which calls go to one machine, what it is called in paths, and who was taught what
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/server.h"

#include <string.h>

#include "check.h"
#include "counters/catalog.h"
#include "machines.h"

static const e_guid_t taught_set = { .data1 = 1 };

static address
address_of(int type, const uint8_t *bytes, int size)
{
    address addr;

    set_address(&addr, type, size, wmem_memdup(scope, bytes, (size_t)size));
    return addr;
}

/* 192.0.2.N, 2001:db8::N, and 127.0.0.1 or ::1. */
static address
at(uint8_t n)
{
    return address_of(AT_IPv4, (const uint8_t[]){ 192, 0, 2, n }, 4);
}

static address
at_six(uint8_t n)
{
    return address_of(AT_IPv6, (const uint8_t[16]){ 0x20, 0x01, 0x0d, 0xb8, [15] = n }, 16);
}

static address
loopback(bool is_six)
{
    return is_six ? address_of(AT_IPv6, (const uint8_t[16]){ [15] = 1 }, 16)
                  : address_of(AT_IPv4, (const uint8_t[]){ 127, 0, 0, 1 }, 4);
}

static struct server_link links[12];

/* Another file, whose connections named nobody yet. */
static void
anew(void)
{
    file_begin();
    memset(links, 0, sizeof links);
}

static struct server *
answers(struct server_link *link, address addr, uint32_t port, const char *name, uint32_t frame)
{
    const struct server_address at = { &addr, port };

    return server_answered(link, at, name, frame);
}

static struct server *
asked(struct server_link *link, address addr, uint32_t port, const char *name)
{
    const struct server_address at = { &addr, port };

    return server_asked(link, at, name);
}

#define CHECK_HOST(server, expected) \
    CHECK(strcmp(server_host(server), expected) == 0, "%s, not %s", server_host(server), expected)

static void
check_name_ignores_case_and_domain(void)
{
    struct server_link link = { NULL, false }, second = { NULL, false };
    struct server *host, *one;

    /* Nobody is called anything: the address. */
    anew();
    CHECK_HOST(asked(&link, at(1), 135, NULL), "192.0.2.1");
    CHECK(!server_is_named(link.server), "not named");
    CHECK_HOST(asked(&second, at(1), 136, NULL), "192.0.2.1:136");
    CHECK_HOST(asked(&(struct server_link){ NULL, false }, at_six(1), 135, NULL), "2001:db8::1");
    CHECK_HOST(asked(&(struct server_link){ NULL, false }, at_six(1), 136, NULL), "[2001:db8::1]:136");

    /* By whatever name it is called: backslashes before it, dots and blanks behind it, case and domain do not count. */
    anew();
    link = second = (struct server_link){ NULL, false };
    host = answers(&link, at(1), 135, "\\\\Host", 7);
    CHECK_HOST(host, "Host");
    CHECK(server_is_named(host), "named");
    CHECK(link.server == host, "named");
    CHECK(!link.is_shared, "named");
    CHECK(answers(&link, at(1), 135, "HOST", 8) == host, "in capitals");
    CHECK(answers(&link, at(1), 135, "host. ", 8) == host, "with a dot");
    CHECK(answers(&link, at(1), 135, "host.example.com", 8) == host, "with its domain");
    CHECK(answers(&link, at(1), 135, "Host.Example.COM", 8) == host, "with its domain");
    CHECK(answers(&link, at(1), 135, "host", 8) == host, "without its domain");
    CHECK(asked(&link, at(1), 135, "host") == host, "asked");
    CHECK(asked(&link, at(1), 135, "host.example.com") == host, "asked");
    CHECK(!link.is_shared, "shared");
    one = answers(&second, at(1), 135, "host.example.org", 8);
    CHECK(one != host, "in another domain");
    CHECK_HOST(one, "host.example.org");

    /* What is every machine's own name says nothing; nor does the address itself. */
    anew();
    link = (struct server_link){ NULL, false };
    for (unsigned i = 0; i < 7; i++) {
        static const char *const own[] = { "", "\\\\", ".", "\\\\.", "localhost", "LOCALHOST", "192.0.2.1" };

        CHECK(!server_is_named(answers(&link, at(1), 135, own[i], 9)), "%s", own[i]);
    }
    CHECK_HOST(link.server, "192.0.2.1");
    /* Another address is a name. */
    CHECK_HOST(answers(&link, at(1), 135, "10.0.0.1", 9), "10.0.0.1");

    /* A long name is bounded, and may stand in a line. */
    anew();
    {
        char name[200];

        memset(name, 'n', sizeof name);
        name[sizeof name - 1] = '\0';
        link = second = (struct server_link){ NULL, false };
        CHECK(strlen(server_host(answers(&link, at(1), 135, name, 9))) <= 128, "of %u bytes",
            (unsigned)strlen(server_host(link.server)));
        CHECK(strchr(server_host(answers(&second, at(2), 135, "a\nb", 9)), '\n') == NULL, "in a line");
    }
}

/* Calls that name nobody go to the only machine of their place, or to the one of their connection. */
static void
check_unnamed_call_goes_to_the_only_machine(void)
{
    struct server_link link = { NULL, false }, second = { NULL, false }, third = { NULL, false };
    struct server *host, *other, *stray;

    anew();
    stray = asked(&link, at(1), 135, NULL);
    CHECK(asked(&link, at(1), 135, "never answered") == stray, "asked by a name that nobody has");
    host = answers(&second, at(1), 135, "HOST", 9);
    CHECK(server_known(stray) == host, "the only one there");
    CHECK_HOST(stray, "HOST");
    CHECK(server_may_be(stray, host), "the same");
    /* A second one at the same place: whose the stray's were nobody can tell; its connection then says a name. */
    other = answers(&third, at(1), 135, "OTHER", 9);
    CHECK(server_known(stray) == stray, "of two");
    CHECK(server_known(host) == host, "of two");
    CHECK(server_known(other) == other, "of two");
    CHECK_HOST(stray, "192.0.2.1");
    catalog_learn_counterset_text(stray, &taught_set, CATALOG_NAME, 0, "Set", 8);
    CHECK(answers(&link, at(1), 135, "OTHER", 9) == other, "OTHER");
    CHECK(server_known(stray) == other, "OTHER");
    CHECK(!link.is_shared, "OTHER");
    CHECK_HOST(stray, "OTHER");
    CHECK(server_teach(stray) == server_teach(other), "it was taught that");
    CHECK(catalog_counterset_name(other, &taught_set, 9).text != NULL, "it was taught that");
    /* A connection with both: what says no name then is nobody's. */
    CHECK(answers(&link, at(1), 135, "HOST", 9) == host, "shared");
    CHECK(link.is_shared, "shared");
    CHECK(asked(&link, at(1), 135, NULL) == server_unnamed(host), "shared");
    CHECK(asked(&link, at(1), 135, "HOST") == host, "shared");
    /* A connection is of one place. */
    CHECK(asked(&second, at(2), 135, NULL) == server_unnamed(asked(&second, at(2), 135, NULL)), "another place");
    CHECK(second.server == host, "the connection's");
    CHECK(!second.is_shared, "the connection's");
    answers(&second, at(2), 135, "THIRD", 9);
    CHECK(second.server == host, "and of no other's");
    CHECK(second.is_shared, "and of no other's");
    CHECK(answers(&link, at(1), 135, "OTHER", 9) == other, "shared for ever");
    CHECK(link.is_shared, "shared for ever");

    CHECK(server_of(&(packet_info){ .dst = at(1), .destport = 135, .src = at(2) }, false) == server_unnamed(host),
        "whoever is there");
    CHECK(server_of(&(packet_info){ .src = at(1), .srcport = 135, .dst = at(2) }, true) == server_unnamed(host),
        "whoever is there");
}

/* Two machines of one name get labels that differ. */
static void
check_machines_of_one_name_have_labels_that_differ(void)
{
    struct server *one, *two, *three;

    anew();
    one = answers(&links[0], at(1), 135, "HOST", 9);
    two = answers(&links[1], at(2), 135, "host", 9);
    CHECK(one != two, "two addresses");
    CHECK_HOST(one, "HOST");
    CHECK_HOST(two, "192.0.2.2");
    CHECK(server_may_be(one, two), "it may have two addresses");
    CHECK(!server_may_be(one, answers(&links[2], at(3), 135, "THIRD", 9)), "another name");
    /* Its address was given away: whoever is not named there has its port, too. */
    CHECK_HOST(server_unnamed(two), "192.0.2.2");
    CHECK_HOST(answers(&links[3], at(2), 135, "THIRD", 9), "THIRD@192.0.2.2");
    CHECK_HOST(server_unnamed(two), "192.0.2.2:135");
    CHECK_HOST(answers(&links[4], at(4), 135, "THIRD@192.0.2.2", 9), "192.0.2.4");

    /* Domains that differ are two, even at two addresses; one without any may be either. */
    anew();
    one = answers(&links[0], at(1), 135, "host.a", 9);
    two = answers(&links[1], at(2), 135, "host.b", 9);
    CHECK(!server_may_be(one, two), "domains");
    CHECK(server_may_be(one, answers(&links[2], at(3), 135, "host", 9)), "domains");

    /* Beyond a server that passes data on. */
    anew();
    one = answers(&links[0], at(1), 135, "HOST", 9);
    two = server_beyond(one, "\\\\FAR");
    CHECK_HOST(two, "FAR");
    CHECK(server_known(server_unnamed(two)) == two, "the only one there");
    CHECK(server_beyond(one, "far") == two, "the same again");
    CHECK(two != one, "the same again");
    CHECK(!server_may_be(one, two), "the same again");
    CHECK_HOST(server_beyond(one, "HOST"), "HOST@192.0.2.1");
    three = server_beyond(one, "THIRD");
    CHECK(three != two, "two beyond one");
    CHECK(three != one, "two beyond one");
    CHECK(server_beyond(one, "third") == three, "two beyond one");
    CHECK(server_beyond(one, "FAR") == two, "two beyond one");
    CHECK_HOST(three, "THIRD");
    CHECK_HOST(two, "FAR");
    CHECK(server_beyond(answers(&links[1], at(2), 135, "NEAR", 9), "FAR") != two, "beyond another");
    /* The same name beyond others at that address. */
    for (unsigned number = 2; number < 4; number++) {
        struct server_link link = { NULL, false };
        const struct server *relay = answers(&link, at(1), 134 + number, wmem_strdup_printf(scope, "R%u", number), 9);

        CHECK_HOST(server_beyond(relay, "HOST"), wmem_strdup_printf(scope, "HOST@192.0.2.1#%u", number));
    }
}

static void
check_name_of_another_server_is_told(void)
{
    address first, second, third, six;
    const char *text;

    anew();
    first = at(1);
    second = at(2);
    six = at_six(1);
    CHECK(server_complaint(&first, "HOST", scope) == NULL, "nothing is known");
    answers(&links[0], at(1), 135, "HOST", 7);
    answers(&links[1], at(2), 135, "OTHER.example.com", 9);
    text = server_complaint(&first, "\\\\other", scope);
    CHECK(text != NULL &&
            strcmp(text,
                "szMachine contains the name of another server: 192.0.2.2 is called other (frame 9), but this server, "
                "192.0.2.1, is called host (frame 7)") == 0,
        "%s", text);
    text = server_complaint(&second, "HOST.example.org", scope);
    CHECK(text != NULL && strstr(text, "192.0.2.1 is called host (frame 7)") != NULL, "%s", text);
    CHECK(server_complaint(&first, "192.0.2.2", scope) != NULL, "by its address");
    CHECK(server_complaint(&first, "192.0.2.9", scope) == NULL, "an address that nobody called");
    CHECK(server_complaint(&first, "host", scope) == NULL, "its own");
    CHECK(server_complaint(&first, "", scope) == NULL, "its own");
    CHECK(server_complaint(&first, "other.example.org", scope) == NULL, "the same name in another domain");
    CHECK(server_complaint(&first, "third", scope) == NULL, "a name that nobody has");
    CHECK(server_complaint(&six, "other", scope) == NULL, "was not called anything");
    CHECK(server_complaint(&first, "2001:db8::1", scope) == NULL, "was not called anything");

    /* A cluster's name: several have it, and nothing else. */
    answers(&links[3], at(3), 135, "HOST", 10);
    third = at(3);
    CHECK(server_complaint(&third, "host", scope) == NULL, "several are called so");
    CHECK(server_complaint(&third, "192.0.2.1", scope) == NULL, "several are called so");
    CHECK(server_complaint(&third, "other", scope) != NULL, "it is called something else");
    CHECK(server_complaint(&third, "other.EXAMPLE.com", scope) != NULL, "the case of a domain");
    answers(&links[3], at_six(1), 135, "SIX", 10);
    CHECK(server_complaint(&six, "other", scope) != NULL, "IPv6");

    /* Who is called by several names has aliases. */
    answers(&links[2], at(1), 135, "ALIAS", 11);
    CHECK(server_complaint(&first, "other", scope) == NULL, "has aliases");
    CHECK(server_complaint(&second, "host", scope) == NULL, "has aliases");

    /* Loopback, and names that only answers say, tell nothing. */
    for (unsigned is_six = 0; is_six < 2; is_six++) {
        struct server_link link = { NULL, false }, other = { NULL, false };
        address local;

        anew();
        local = loopback(is_six != 0);
        first = at(1);
        answers(&link, local, 135, "HOST", 7);
        answers(&other, at(1), 135, "OTHER", 9);
        CHECK(server_complaint(&local, "other", scope) == NULL, "loopback");
        CHECK(server_complaint(&first, "host", scope) == NULL, "loopback");
    }
    anew();
    first = at(1);
    second = at(2);
    answers(&links[0], at(1), 135, "HOST", 0);
    answers(&links[1], at(2), 135, "OTHER", 9);
    CHECK(server_complaint(&first, "other", scope) == NULL, "of an answer");
    CHECK(server_complaint(&second, "host", scope) == NULL, "of an answer");
}

static unsigned
catalogs_of(const struct server *server)
{
    const struct catalog *catalogs[SERVER_MAX_CATALOGS];

    return server_catalogs(server, catalogs);
}

static void
check_each_machine_keeps_what_it_was_taught(void)
{
    struct server *host, *stray, *other;
    const struct catalog *catalogs[SERVER_MAX_CATALOGS];
    GPtrArray *all;
    unsigned version;

    anew();
    stray = asked(&links[0], at(1), 135, NULL);
    CHECK_EQUAL(catalogs_of(stray), 0, "none was taught");
    server_teach(stray);
    CHECK(server_teach(stray) == server_teach(stray), "one catalog");
    host = answers(&links[1], at(1), 135, "HOST", 9);
    CHECK_EQUAL(catalogs_of(host), 1, "of the only one there the stray's tells, too");
    CHECK_EQUAL(catalogs_of(stray), 1, "of the only one there the stray's tells, too");
    server_teach(host);
    CHECK_EQUAL(server_catalogs(host, catalogs), 2, "its own first");
    CHECK(catalogs[0] == server_teach(host), "its own first");
    CHECK(catalogs[1] == server_teach(stray), "its own first");
    CHECK_EQUAL(server_catalogs(stray, catalogs), 2, "its own first");
    CHECK(catalogs[0] == server_teach(stray), "its own first");
    CHECK(catalogs[1] == server_teach(host), "its own first");
    version = catalog_version;
    other = answers(&links[2], at(1), 135, "OTHER", 9);
    CHECK(catalog_version != version, "a server got a name");
    version = catalog_version;
    CHECK(answers(&links[2], at(1), 135, "OTHER", 10) == other, "no new name");
    CHECK_EQUAL(catalog_version, version, "no new name");
    CHECK_EQUAL(catalogs_of(host), 2, "calls without a name from before the second name stay the first machine's");
    CHECK_EQUAL(catalogs_of(other), 0, "calls without a name from before the second name stay the first machine's");
    CHECK_EQUAL(catalogs_of(stray), 2, "calls without a name from before the second name stay the first machine's");

    /* What was kept of another file's servers holds no longer. */
    version = catalog_version;
    anew();
    CHECK(catalog_version != version, "another file");

    /* One that proved to be a named one makes room for another to be kept apart. */
    anew();
    for (unsigned i = 0; i < SERVER_MAX_CATALOGS - 2; i++) {
        asked(&links[i], at(1), 135, NULL);
    }
    answers(&links[0], at(1), 135, "HOST", 9);
    CHECK(asked(&links[10], at(1), 135, NULL) != asked(&links[11], at(1), 135, NULL), "there is room for one");
    CHECK(links[10].server != server_unnamed(links[10].server), "and for no other");
    CHECK(links[11].server == server_unnamed(links[10].server), "and for no other");

    /* No more than can be asked are kept apart. */
    anew();
    for (unsigned i = 0; i < 12; i++) {
        server_teach(asked(&links[i], at(1), 135, NULL));
    }
    CHECK(links[5].server != links[6].server, "six of their own, then one for all");
    CHECK(links[6].server == links[7].server, "six of their own, then one for all");
    CHECK(links[6].server == server_unnamed(links[0].server), "six of their own, then one for all");
    CHECK(catalogs_of(links[0].server) == 7 && catalogs_of(links[11].server) == 7, "%u", catalogs_of(links[0].server));

    /* Whoever is not kept apart is no machine that could be named: of two names nobody can tell. */
    anew();
    for (unsigned i = 0; i < SERVER_MAX_CATALOGS - 1; i++) {
        stray = asked(&links[i], at(1), 135, NULL);
    }
    CHECK(stray == server_unnamed(stray), "one for all");
    for (unsigned i = 0; i < 2; i++) {
        host = answers(&links[SERVER_MAX_CATALOGS - 2 + i], at(1), 135, i == 0 ? "HOST" : "OTHER", 9);
        CHECK(host != stray, "its name is another's");
        CHECK(!server_is_named(stray), "its name is another's");
    }
    CHECK(server_known(stray) == stray, "nobody");

    /* Beside two that have names each is kept apart: what they were taught tells of no other. */
    anew();
    answers(&links[0], at(1), 135, "HOST", 9);
    answers(&links[1], at(1), 135, "OTHER", 9);
    for (unsigned i = 2; i < 12; i++) {
        stray = asked(&links[i], at(1), 135, NULL);
        CHECK(stray == links[i].server && stray != links[i - 1].server && stray != server_unnamed(stray), "%u", i);
        CHECK(asked(&links[i], at(1), 135, NULL) == stray, "%u again", i);
    }

    /* All that were taught something, by address, port and name. */
    anew();
    server_teach(answers(&links[0], at(2), 135, "B", 9));
    server_teach(answers(&links[1], at(1), 136, "D", 9));
    server_teach(answers(&links[2], at(1), 136, "C", 9));
    server_teach(answers(&links[3], at(1), 135, "E", 9));
    answers(&links[4], at(1), 1, "A", 9);
    all = server_all();
    CHECK(all->len == 4, "%u", all->len);
    for (unsigned i = 0; i < MIN(all->len, 4); i++) {
        static const char *const order[] = { "E", "C", "D", "B" };

        CHECK_HOST((const struct server *)all->pdata[i], order[i]);
    }
    g_ptr_array_free(all, TRUE);
    end_routine();
    all = server_all();
    CHECK_EQUAL(all->len, 0, "no file is open");
    g_ptr_array_free(all, TRUE);
}

int
main(void)
{
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    server_init();
    check_name_ignores_case_and_domain();
    check_unnamed_call_goes_to_the_only_machine();
    check_machines_of_one_name_have_labels_that_differ();
    check_name_of_another_server_is_told();
    check_each_machine_keeps_what_it_was_taught();
    wmem_destroy_allocator(scope);
    return check_result();
}
