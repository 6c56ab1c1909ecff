/* test_connections.c
 * Connections: which calls the capture lacks, what is under way, what one PDU of each direction shows
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/queries.h"

#include <string.h>

#include "base/rpc-call.h"
#include "base/rpc-pdu.h"
#include "check.h"

static wmem_allocator_t *scope;

wmem_allocator_t *
wmem_file_scope(void)
{
    return scope;
}

/* In place of base/rpc-latest.c: numbers of calls to other interfaces, the last included; 0: none. */
static uint32_t others_first, others_last;
static e_guid_t asked_for;

bool
rpc_latest_took_others(uint32_t first, uint32_t last, const e_guid_t *own)
{
    asked_for = *own;
    return others_first != 0 && first >= others_first && last <= others_last && first <= last;
}

/* In place of base/rpc-pdu.c and compat.c. */
static bool is_found;
static const char *has_protocol = "";

bool
rpc_pdu_find(const packet_info *pinfo _U_, const dcerpc_info *di, struct rpc_pdu *pdu)
{
    *pdu = (struct rpc_pdu){ .auth_type = 10, .auth_level = 6, .call_id = di->call_id };
    return is_found;
}

bool
perflib_packet_has(const packet_info *pinfo _U_, const char *protocol)
{
    return strcmp(protocol, has_protocol) == 0;
}

/* Conversations are told apart by their addresses alone. */
static int conversations[40], many[512];
static unsigned used;

static dcerpc_call_value call_value = { .uuid = { 1, 2, 3, { 4 } } };

/* A new connection. */
static dcerpc_info
connection(void)
{
    return (dcerpc_info){ .conv = (conversation_t *)&conversations[used++], .call_data = &call_value };
}

static struct connection_state
request(dcerpc_info *di, uint32_t call_id, const char *client, const char *server)
{
    packet_info pinfo = { .abs_ts = { 1000 + call_id, 5 } };

    set_address(&pinfo.src, AT_IPv4, 4, client);
    set_address(&pinfo.dst, AT_IPv4, 4, server);
    di->call_id = call_id;
    return connections_request(connections_of(di), di, &pinfo);
}

#define HERE  "\xc0\x00\x02\x01"
#define THERE "\xc0\x00\x02\x02"
#define ELSE  "\xc0\x00\x02\x03"
#define FAR   "\xc0\x00\x02\x04"

static void
check_numbers(void)
{
    dcerpc_info di = connection();
    struct connection_state state = request(&di, 1, HERE, THERE);

    CHECK(state.gaps == 0 && state.all_gaps == 0 && state.is_whole && state.is_only && !state.is_unnumbered,
        "the first");
    CHECK(state.sent_at == 1001 && state.connection == connections_of(&di), "it itself");
    CHECK(!state.several_under_way && !state.lacks_open && !state.any_lacks_open, "alone");
    state = request(&di, 2, HERE, THERE);
    CHECK(state.gaps == 0 && state.is_whole && state.several_under_way && state.sent_at == 1002, "the next");
    state = request(&di, 4, HERE, THERE);
    CHECK(state.gaps == 1 && state.all_gaps == 1 && !state.is_whole, "the third is missing");
    state = request(&di, 5, HERE, THERE);
    CHECK(state.gaps == 1 && state.all_gaps == 1, "missing once");
    CHECK(connections_now(state.connection).gaps == 1 && connections_now(state.connection).sent_at == 1005, "now");
    state = request(&di, 3, HERE, THERE);
    CHECK(state.gaps == 2, "back");
    state = request(&di, 3, HERE, THERE);
    CHECK(state.gaps == 2 && state.is_unnumbered && !state.is_whole, "the same number again");
    di = connection();
    request(&di, 1, HERE, THERE);
    state = request(&di, 1, HERE, THERE);
    CHECK(state.gaps == 0 && state.is_unnumbered && !state.is_whole, "all of the same number");

    /* All 32 bits are numbers. */
    di = connection();
    state = request(&di, UINT32_MAX, HERE, ELSE);
    CHECK(state.gaps == 0 && state.all_gaps == 1 && !state.is_whole, "what was before the first is not known");
    state = request(&di, 0, HERE, ELSE);
    CHECK(state.gaps == 0 && state.all_gaps == 1, "0 follows the last");
}

static void
check_other_interfaces(void)
{
    dcerpc_info di = connection();
    struct connection_state state = request(&di, 1, HERE, FAR);

    others_first = 2;
    others_last = 4;
    state = request(&di, 5, HERE, FAR);
    CHECK(state.gaps == 0 && state.is_whole, "2 to 4 were others'");
    CHECK(memcmp(&asked_for, &call_value.uuid, sizeof asked_for) == 0, "than this interface's");
    others_first = 6;
    others_last = 8;
    state = request(&di, 10, HERE, FAR);
    CHECK(state.gaps == 1, "9 was nobody's");
    others_first = 12;
    others_last = 12;
    state = request(&di, 13, HERE, FAR);
    CHECK(state.gaps == 2, "11 was nobody's");
    others_first = 0;
}

/* An answer to CLIENT whose request is missing, or a request that nobody reads. */
#define CLIENT "\x0a\x00\x00\x01"

static void
lack_request(struct connection *connection, uint32_t call_id, bool is_response)
{
    const struct rpc_lack lack = { .call_id = call_id, .is_response = is_response };
    packet_info pinfo = { 0 };

    set_address(is_response ? &pinfo.src : &pinfo.dst, AT_IPv4, 4, THERE);
    set_address(is_response ? &pinfo.dst : &pinfo.src, AT_IPv4, 4, CLIENT);
    connections_lack_request(connection, &lack, &pinfo);
}

static void
check_lacking_requests(void)
{
    dcerpc_info di = connection(), other = connection();
    struct connection *unseen = connections_of(&other);
    struct connection_state state;

    lack_request(unseen, 7, true);
    CHECK(connections_now(unseen).gaps == 0 && connections_now(unseen).all_gaps == 0, "of whom nothing was seen");
    state = request(&di, 5, CLIENT, THERE);
    CHECK(state.all_gaps == 2 && !state.is_only, "another's, and its first is not the first call");
    /* The request of 6 is missing, then that of 7: no other gap when 8 comes. */
    lack_request(state.connection, 6, true);
    lack_request(state.connection, 7, true);
    CHECK(connections_now(state.connection).gaps == 2 && connections_now(state.connection).all_gaps == 4, "each once");
    state = request(&di, 8, CLIENT, THERE);
    CHECK(state.gaps == 2, "8 follows 7");
    /* An answer to an earlier call does not move back. */
    lack_request(state.connection, 3, true);
    state = request(&di, 9, CLIENT, THERE);
    CHECK(state.gaps == 3 && state.all_gaps == 5, "9 follows 8: %u", state.gaps);
    /* What is nearer to 9 counting up is later, what is nearer counting down is earlier. */
    lack_request(state.connection, 9 + UINT32_C(0x7FFFFFFE), true);
    state = request(&di, 9 + UINT32_C(0x7FFFFFFF), CLIENT, THERE);
    CHECK(state.gaps == 4, "it follows: %u", state.gaps);
    lack_request(state.connection, 9 + UINT32_C(0xFFFFFFFE), true);
    state = request(&di, 9 + UINT32_C(0x80000000), CLIENT, THERE);
    CHECK(state.gaps == 5, "it follows the one before: %u", state.gaps);

    /* On a connection whose requests are all missing: one of this client, which may share its handles. */
    for (unsigned is_response = 0; is_response < 2; is_response++) {
        lack_request(NULL, 1, is_response);
        CHECK(connections_now(state.connection).gaps == 5 &&
                connections_now(state.connection).all_gaps == state.all_gaps + is_response + 1,
            "another's");
    }
    di = connection();
    state = request(&di, 1, "\x0a\x00\x00\x05", THERE);
    CHECK(state.is_only && state.all_gaps == 0, "no other was seen");
}

static void
check_under_way(void)
{
    dcerpc_info di = connection();
    struct connection_state state = request(&di, 1, "\x0a\x00\x00\x02", THERE);

    connections_answered(state.connection);
    state = request(&di, 2, "\x0a\x00\x00\x02", THERE);
    CHECK(!state.several_under_way, "one after the other");
    connections_answered(state.connection);
    connections_answered(state.connection);
    state = request(&di, 3, "\x0a\x00\x00\x02", THERE);
    CHECK(!state.several_under_way, "an answer too many");
    state = request(&di, 4, "\x0a\x00\x00\x02", THERE);
    CHECK(state.several_under_way, "two at once");
    connections_answered(state.connection);
    connections_answered(state.connection);
    state = request(&di, 5, "\x0a\x00\x00\x02", THERE);
    CHECK(state.several_under_way, "it once did");
}

static void
check_ends(void)
{
    dcerpc_info first = connection(), second = connection(), third = connection(), fourth = connection(),
                unseen = connection();
    struct connection_state a, b, c, d;

    a = request(&first, 1, "\x0a\x00\x00\x03", THERE);
    b = request(&second, 1, "\x0a\x00\x00\x03", THERE);
    CHECK(!b.is_only && !connections_now(a.connection).is_only, "two of one client to one server");
    c = request(&third, 1, "\x0a\x00\x00\x03", ELSE);
    CHECK(c.is_only, "to another server");
    d = request(&fourth, 1, "\x0a\x00\x00\x04", THERE);
    CHECK(d.is_only, "of another client");
    b = request(&second, 9, "\x0a\x00\x00\x03", THERE);
    a = connections_now(a.connection);
    CHECK(b.gaps == 1 && a.gaps == 0 && a.all_gaps == 1 && a.is_whole, "a gap of the other connection");
    CHECK(connections_now(c.connection).all_gaps == 0 && connections_now(d.connection).all_gaps == 0, "of no others");

    CHECK(connections_share_client(a.connection, b.connection) && connections_share_client(a.connection, c.connection),
        "one client");
    CHECK(!connections_share_client(a.connection, d.connection), "two clients");
    CHECK(!connections_share_client(a.connection, connections_of(&unseen)) &&
            !connections_share_client(connections_of(&unseen), a.connection),
        "it may be anybody's");
    CHECK(connections_share_client(connections_of(&unseen), connections_of(&unseen)), "it is its own");
    CHECK(!connections_now(connections_of(&unseen)).is_only && !connections_now(connections_of(&unseen)).is_whole,
        "unseen");

    connections_opens(a.connection, 1);
    a = connections_now(a.connection);
    b = connections_now(b.connection);
    CHECK(a.lacks_open && a.any_lacks_open && !a.is_whole, "it opens");
    CHECK(!b.lacks_open && b.any_lacks_open, "the other one");
    CHECK(!connections_now(c.connection).any_lacks_open, "another server's");
    connections_opens(a.connection, -1);
    a = connections_now(a.connection);
    CHECK(!a.lacks_open && !a.any_lacks_open && a.is_whole, "it has opened");
    connections_opens(a.connection, -1);
    a = connections_now(a.connection);
    CHECK(!a.lacks_open && !a.any_lacks_open && a.is_whole, "answered twice");
    connections_opens(connections_of(&unseen), 1);
    CHECK(connections_now(connections_of(&unseen)).lacks_open &&
            !connections_now(connections_of(&unseen)).any_lacks_open,
        "of whom nothing was seen");
    request(&second, 9, "\x0a\x00\x00\x03", THERE);
    CHECK(connections_now(a.connection).any_lacks_open && !connections_now(a.connection).is_unnumbered &&
            !connections_now(c.connection).any_lacks_open,
        "one that is unnumbered");
}

/* So many that some of their hashes fall into one place: each is itself. */
static void
check_many(void)
{
    for (unsigned i = 0; i < 256; i++) {
        const char client[] = { 10, 1, 0, (char)i }, server[] = { 10, 2, 0, (char)i };
        dcerpc_info of_client = { .conv = (conversation_t *)&many[2 * i], .call_data = &call_value },
                    to_server = { .conv = (conversation_t *)&many[2 * i + 1], .call_data = &call_value };

        CHECK(request(&of_client, 1, client, THERE).is_only, "client %u", i);
        CHECK(request(&to_server, 1, ELSE, server).is_only, "server %u", i);
    }
}

/* Pipes of one conversation are connections of their own; links are kept with each. */
static void
check_keys(void)
{
    dcerpc_info one = connection(), other = one;

    other.transport_salt = 5;
    CHECK(connections_of(&one) != connections_of(&other), "two pipes");
    CHECK(connections_of(&one) == connections_of(&one) &&
            connections_link(connections_of(&one)) == connections_link(connections_of(&one)),
        "the same");
    CHECK(connections_link(connections_of(&one)) != connections_link(connections_of(&other)), "each its own");
}

static void
check_views(void)
{
    static const struct rpc_call refused = { .auth_type = 9, .auth_level = 2 };
    const packet_info pinfo = { .num = 1 };
    dcerpc_info di = connection();
    struct connection_view view = { 0 };
    static const char *const pipes[] = { "smb", "smb2", "tcp" };

    call_value.flags = 0;
    is_found = false;
    connections_look(&view, connections_of(&di), &di, &pinfo, false);
    CHECK(!view.is_first, "the PDU was not found");
    is_found = true;
    connections_look(&view, connections_of(&di), &di, &pinfo, false);
    CHECK(view.is_first && !view.is_named_pipe && !view.is_ndr64 && view.auth_type == 10 && view.auth_level == 6,
        "first");
    view = (struct connection_view){ 0 };
    connections_look(&view, connections_of(&di), &di, &pinfo, false);
    CHECK(!view.is_first && view.auth_type == 0, "once a direction");
    call_value.flags = DCERPC_IS_NDR64;
    connections_look(&view, connections_of(&di), &di, &pinfo, true);
    CHECK(view.is_first && view.is_ndr64, "the other direction");
    view = (struct connection_view){ 0 };
    connections_look_at_refused(&view, connections_of(&di), &refused);
    CHECK(!view.is_first, "an answer was seen");
    for (size_t i = 0; i < array_length(pipes); i++) {
        has_protocol = pipes[i];
        di = connection();
        connections_look(&view, connections_of(&di), &di, &pinfo, false);
        CHECK(view.is_first && view.is_named_pipe == (i < 2), "%s", pipes[i]);
    }
    view = (struct connection_view){ 0 };
    connections_look_at_refused(&view, connections_of(&di), &refused);
    CHECK(view.is_first && view.auth_type == 9 && view.auth_level == 2, "refused");
    view = (struct connection_view){ 0 };
    connections_look(&view, connections_of(&di), &di, &pinfo, true);
    connections_look_at_refused(&view, connections_of(&di), &refused);
    CHECK(!view.is_first, "a refusal is an answer");
}

int
main(void)
{
    wmem_init_scopes();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    check_numbers();
    check_other_interfaces();
    check_lacking_requests();
    check_under_way();
    check_ends();
    check_many();
    check_keys();
    check_views();
    return check_result();
}
