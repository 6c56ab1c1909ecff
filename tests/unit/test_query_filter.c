/* test_query_filter.c
 * The filter for all calls of a packet's queries: what it names, each once, and between whom
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/menus.h"

#include <string.h>

#include <epan/to_str.h>

#include "check.h"

static wmem_allocator_t *pool;

/* In place of Wireshark's, which wants all of it to be started. */
char *
address_to_str(wmem_allocator_t *scope, const address *addr)
{
    return wmem_strdup(scope, (const char *)addr->data);
}

static bool
is_filter(packet_info *pinfo, int proto, bool of_texts, const char *expected)
{
    char *text = (of_texts ? query_filter_of_texts_and_peers : query_filter_of_numbers)(pinfo, proto, "x.query");
    const bool is_it = strcmp(text, expected) == 0;

    if (!is_it) {
        fprintf(stderr, "%s, not %s\n", text, expected);
    }
    g_free(text);
    return is_it;
}

static void
check_filter_names_each_query_once(void)
{
    packet_info pinfo = { .pool = pool };

    CHECK(!query_filter_is_valid(&pinfo, 1), "it is about no query");
    query_filter_add(&pinfo, 1, "0");
    CHECK(query_filter_is_valid(&pinfo, 1), "one");
    CHECK(is_filter(&pinfo, 1, false, "x.query in {0}"), "one");
    CHECK(!query_filter_is_valid(&pinfo, 2), "another protocol's");
    query_filter_add(&pinfo, 1, "12");
    query_filter_add(&pinfo, 1, "0");
    query_filter_add(&pinfo, 1, "12");
    query_filter_add(&pinfo, 1, "4294967295");
    CHECK(is_filter(&pinfo, 1, false, "x.query in {0, 12, 4294967295}"), "each once, in their order");

    query_filter_add(&pinfo, 2, "");
    CHECK(is_filter(&pinfo, 2, true, "x.query in {\"\"}"), "no character");
    query_filter_add(&pinfo, 2, "Global");
    query_filter_add(&pinfo, 2, "Glob");
    query_filter_add(&pinfo, 2, "Global");
    query_filter_add(&pinfo, 2, "a \"b\" \\c");
    CHECK(is_filter(&pinfo, 2, true, "x.query in {\"\", \"Global\", \"Glob\", \"a \\\"b\\\" \\\\c\"}"),
        "a filter's own characters");
}

static void
check_filter_names_both_peers(void)
{
    static const struct {
        address_type source, destination;
        const char *expected;
    } cases[] = {
        { AT_IPv4, AT_IPv4, "x.query in {\"5\"} && ip.addr == here && ip.addr == there" },
        { AT_IPv6, AT_IPv6, "x.query in {\"5\"} && ipv6.addr == here && ipv6.addr == there" },
        { AT_IPv4, AT_NONE, "x.query in {\"5\"} && ip.addr == here" },
        { AT_NONE, AT_IPv6, "x.query in {\"5\"} && ipv6.addr == there" },
        /* Of others a filter would be of another field. */
        { AT_ETHER, AT_ETHER, "x.query in {\"5\"}" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        packet_info pinfo = { .pool = pool };
        char *text;

        if (cases[i].source != AT_NONE) {
            set_address(&pinfo.net_src, cases[i].source, 5, "here");
        }
        if (cases[i].destination != AT_NONE) {
            set_address(&pinfo.net_dst, cases[i].destination, 6, "there");
        }
        query_filter_add(&pinfo, 1, "5");
        text = query_filter_of_texts_and_peers(&pinfo, 1, "x.query");
        CHECK(strcmp(text, cases[i].expected) == 0, "%s, not %s", text, cases[i].expected);
        g_free(text);
        CHECK(is_filter(&pinfo, 1, false, "x.query in {5}"), "of any peers");
    }
}

int
main(void)
{
    wmem_init();
    pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    check_filter_names_each_query_once();
    check_filter_names_both_peers();
    wmem_destroy_allocator(pool);
    wmem_cleanup();
    return check_result();
}
