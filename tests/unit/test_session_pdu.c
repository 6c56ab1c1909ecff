/* test_session_pdu.c
 * What dissectors learn of the PDU that they are given: whether all of it is there, and where it stands
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session-pdu.h"

#include <string.h>

#include <epan/proto_data.h>

#include "check.h"
#include "file-scope.h"
#include "session/session.h"

#define PROTO 78

/* In place of Wireshark's: what two packets keep, and whether the user disabled the protocol. */
static struct {
    wmem_allocator_t *pool;
    packet_info pinfo;
    void *kept;
} packets[2];
static int the_protocol; /* only its address counts */
static bool is_disabled;

void *
p_get_proto_data(wmem_allocator_t *pool, packet_info *pinfo, int proto, uint32_t key)
{
    CHECK(pool == pinfo->pool && proto == PROTO && key == 0, "protocol %d, key %u", proto, key);
    return packets[pinfo->num].kept;
}

void
p_add_proto_data(wmem_allocator_t *pool, packet_info *pinfo, int proto, uint32_t key, void *data)
{
    CHECK(pool == pinfo->pool && proto == PROTO && key == 0, "protocol %d, key %u", proto, key);
    CHECK(packets[pinfo->num].kept == NULL, "kept twice");
    packets[pinfo->num].kept = data;
}

protocol_t *
find_protocol_by_id(const int proto)
{
    return proto == PROTO ? (protocol_t *)&the_protocol : NULL;
}

perflib_bool
proto_is_protocol_enabled(const protocol_t *protocol)
{
    CHECK(protocol == (const protocol_t *)&the_protocol, "another protocol");
    return !is_disabled;
}

static void
test_packet_keeps_the_pdu_being_dissected(void)
{
    const struct session_pdu pdu = { .lacks_beginning = true };
    struct session_packet *first, *second;

    for (unsigned i = 0; i < array_length(packets); i++) {
        packets[i].pinfo = (packet_info){ .num = i, .pool = wmem_epan_scope() };
        CHECK(session_pdu_of(&packets[i].pinfo) == NULL && packets[i].kept == NULL, "nothing was dissected");
    }
    first = session_packet_of(&packets[0].pinfo);
    second = session_packet_of(&packets[1].pinfo);
    CHECK(first != second && session_packet_of(&packets[0].pinfo) == first, "one state for each packet");
    CHECK(first->pdu == NULL && session_pdu_of(&packets[0].pinfo) == NULL, "no PDU so far");
    first->pdu = &pdu;
    CHECK(session_pdu_of(&packets[0].pinfo) == &pdu, "the PDU that was set");
    CHECK(session_pdu_of(&packets[1].pinfo) == NULL, "the other packet has none");
    CHECK(session_packet_of(&packets[0].pinfo)->pdu == &pdu, "the PDU that was set");
}

static void
test_each_dissection_has_its_number(void)
{
    unsigned numbers[5];

    for (unsigned i = 0; i < array_length(numbers); i++) {
        packets[0].kept = NULL;
        numbers[i] = session_packet_of(&packets[0].pinfo)->dissection;
        CHECK(numbers[i] != 0, "dissection %u", i);
        CHECK_EQUAL(session_packet_of(&packets[0].pinfo)->dissection, numbers[i], "the same dissection");
        for (unsigned j = 0; j < i; j++) {
            CHECK(numbers[i] != numbers[j], "dissections %u and %u", i, j);
        }
    }
}

static void
test_user_may_disable_the_protocol(void)
{
    is_disabled = true;
    CHECK(!session_is_enabled(), "disabled");
    is_disabled = false;
    CHECK(session_is_enabled(), "enabled");
}

/* pfc_flags, [C706] 12.6.3.1: the first fragment of a stub, the last one, and flags of other kinds */
static void
test_flags_say_what_a_pdu_lacks(void)
{
    static const uint8_t others[] = { 0, PDU_FLAG_OBJECT_UUID, PDU_FLAG_DID_NOT_EXECUTE, 0xfc };

    for (unsigned i = 0; i < 4 * array_length(others); i++) {
        const bool is_first = i & 1, is_last = i & 2;
        const uint8_t flags = (uint8_t)(others[i / 4] | (is_first ? 0x01 : 0) | (is_last ? 0x02 : 0));
        struct session_pdu pdu = { .header = { .flags = flags } };

        CHECK(session_pdu_is_alone(&pdu) == (is_first && is_last), "flags %x", flags);
        CHECK(session_pdu_lacks_end(&pdu) == (is_first && !is_last), "flags %x", flags);
        CHECK(!session_pdu_lacks_beginning(&pdu), "flags %x", flags);
        pdu.lacks_beginning = true;
        CHECK(session_pdu_lacks_beginning(&pdu), "flags %x", flags);
    }
    CHECK(!session_pdu_is_alone(NULL), "no PDU");
    CHECK(!session_pdu_lacks_end(NULL), "no PDU");
    CHECK(!session_pdu_lacks_beginning(NULL), "no PDU");
}

static void
test_interface_is_assumed_until_confirmed(void)
{
    struct recognition recognition = { .is_confirmed = false };
    struct binding binding = { .recognition = &recognition };
    struct session_pdu pdu = { .binding = &binding };

    CHECK(session_pdu_is_assumed(&pdu), "recognised, but nothing fitted");
    recognition.is_confirmed = true;
    CHECK(!session_pdu_is_assumed(&pdu), "confirmed");
    binding.recognition = NULL;
    CHECK(!session_pdu_is_assumed(&pdu), "bound");
    pdu.binding = NULL;
    CHECK(!session_pdu_is_assumed(&pdu), "of no interface");
    CHECK(!session_pdu_is_assumed(NULL), "no PDU");
}

static void
test_position_is_that_of_the_latest_request(void)
{
    struct pipe_calls calls = { .position = { &calls, 7, 2 } };
    struct session_pdu pdu = { .calls = &calls };
    struct rpc_position position = session_pdu_position(&pdu);

    CHECK(position.calls == &calls && position.seen == calls.position.seen && position.lost == calls.position.lost &&
            position.seen != position.lost,
        "%u, %u", position.seen, position.lost);
    pdu.calls = NULL;
    position = session_pdu_position(&pdu);
    CHECK(position.calls == NULL, "a later pass");
    CHECK(position.seen == 0, "a later pass");
    CHECK(position.lost == 0, "a later pass");
    position = session_pdu_position(NULL);
    CHECK(position.calls == NULL, "no PDU");
    CHECK(position.seen == 0, "no PDU");
    CHECK(position.lost == 0, "no PDU");
}

static void
test_only_the_first_pass_notes_a_call(void)
{
    static const struct rpc_listener listener = { .fault = NULL };
    dcerpc_call_value value = { .opnum = 5 };
    const dcerpc_info di = { .call_id = 4, .call_data = &value };
    frame_data frame = { .num = 1 };
    const packet_info pinfo = { .num = 1, .fd = &frame };
    struct pipe_calls calls;
    struct session_pdu pdu = { .calls = NULL };
    int state;

    memset(&calls, 0, sizeof calls);
    calls_init(&calls);
    session_pdu_note(NULL, &pinfo, &di, &listener, &state);
    session_pdu_note(&pdu, &pinfo, &di, &listener, &state);
    pdu.calls = &calls;
    frame.visited = 1;
    session_pdu_note(&pdu, &pinfo, &di, &listener, &state);
    CHECK(calls.noted == NULL, "noted");
    frame.visited = 0;
    session_pdu_note(&pdu, &pinfo, &di, &listener, &state);
    if (calls.noted == NULL) {
        CHECK(false, "not noted");
        return;
    }
    CHECK(calls.noted->rpc.listener == &listener && calls.noted->rpc.state == &state &&
            calls.noted->rpc.request_frame == 1 && calls.noted->rpc.opnum == 5,
        "frame %u", calls.noted->rpc.request_frame);
}

int
main(void)
{
    wmem_init_scopes();
    session_pdu_init(PROTO);
    test_packet_keeps_the_pdu_being_dissected();
    test_each_dissection_has_its_number();
    test_user_may_disable_the_protocol();
    test_flags_say_what_a_pdu_lacks();
    test_interface_is_assumed_until_confirmed();
    test_position_is_that_of_the_latest_request();
    test_only_the_first_pass_notes_a_call();
    return check_result();
}
