/* test_pipe_calls.c
 * The calls of a pipe: what its contexts are bound to, which request an answer belongs to, and whose it is not
 *
 * Binds and requests without a bind that session/recognise.c makes of stubs are tried here as well.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#include <string.h>

#include "check.h"
#include "file-scope.h"

/* [C706] 14, [MS-RPCE] 2.2.4.12: the transfer syntaxes */
static const e_guid_t syntax_ndr = { 0x8a885d04, 0x1ceb, 0x11c9, { 0x9f, 0xe8, 0x08, 0x00, 0x2b, 0x10, 0x48, 0x60 } };
static const e_guid_t syntax_ndr64 = { 0x71710533, 0xbeba, 0x4937, { 0x83, 0x19, 0xb5, 0xdb, 0xef, 0x9c, 0xcc, 0x36 } };
static const e_guid_t syntax_none;
static const e_guid_t ours = { 0x01020304, 0x0506, 0x0708, { 9, 10, 11, 12, 13, 14, 15, 16 } };
static const e_guid_t other = { 0x01020304, 0x0506, 0x0708, { 9, 10, 11, 12, 13, 14, 15, 17 } };
static const e_guid_t foreign = { 0xf1020304, 0x0506, 0x0708, { 9, 10, 11, 12, 13, 14, 15, 16 } };

static struct rpc_lack lacking;
static unsigned times_lacking;
static void *lacking_state;

static void
note_lacking(void *state, const struct rpc_lack *lack, const packet_info *pinfo)
{
    CHECK_EQUAL(pinfo->num, 20, "another packet");
    times_lacking++;
    lacking_state = state;
    lacking = *lack;
}

static const struct rpc_listener our_listener = { .lacks_request = note_lacking };
static const struct rpc_listener deaf_listener = { .lacks_request = NULL };

static const char *proto_name;

/* In place of Wireshark's, which knows what was registered. */
const char *
dcerpc_get_proto_name(e_guid_t *uuid, uint16_t version)
{
    CHECK(guid_cmp(uuid, &ours) == 0 && version == 3, "version %u", version);
    return proto_name;
}

static struct pipe_calls calls;

/* What a dissector tells of a request. */
struct rpc_note {
    uint32_t call_id;
    uint16_t opnum;
    e_guid_t uuid;
    const struct rpc_listener *listener;
    void *state;
};

static void
take_note(const struct rpc_note *note, const packet_info *pinfo)
{
    dcerpc_call_value value = { .opnum = note->opnum, .uuid = note->uuid };
    const dcerpc_info di = { .call_id = note->call_id, .call_data = &value };

    calls_note(&calls, &di, note->listener, note->state, pinfo);
}

static void
anew(void)
{
    memset(&calls, 0, sizeof calls);
    calls_init(&calls);
    times_lacking = 0;
}

static void
put_guid(uint8_t *at, const e_guid_t *guid)
{
    for (unsigned i = 0; i < 4; i++) {
        at[i] = (uint8_t)(guid->data1 >> 8 * i);
    }
    at[4] = (uint8_t)guid->data2;
    at[5] = (uint8_t)(guid->data2 >> 8);
    at[6] = (uint8_t)guid->data3;
    at[7] = (uint8_t)(guid->data3 >> 8);
    memcpy(at + 8, guid->data4, 8);
}

/* What a bind offers, [C706] 12.6.4.3: an interface by context, and the transfer syntax. */
struct offered {
    uint16_t id;
    const e_guid_t *uuid;
    uint16_t version;
    const e_guid_t *syntax;
};

static void
bind_to(const struct offered *offered, unsigned count)
{
    uint8_t bytes[200] = { 5, 0, PDU_BIND, 3, 0x10, [12] = 8, [24] = (uint8_t)count };
    unsigned at = 28;
    struct rpc_pdu pdu;
    tvbuff_t *tvb;

    for (unsigned i = 0; i < count; i++) {
        bytes[at] = (uint8_t)offered[i].id;
        bytes[at + 1] = (uint8_t)(offered[i].id >> 8);
        bytes[at + 2] = 1;
        put_guid(bytes + at + 4, offered[i].uuid);
        bytes[at + 20] = (uint8_t)offered[i].version;
        put_guid(bytes + at + 24, offered[i].syntax);
        at += 44;
    }
    bytes[8] = (uint8_t)at;
    tvb = tvb_new_real_data(bytes, at, (int)at);
    CHECK(rpc_pdu_read(tvb, 0, &pdu), "no bind");
    calls_learn_bindings(&calls, tvb, &pdu, 1);
    tvb_free(tvb);
}
#define BIND(...) \
    bind_to((const struct offered[]){ __VA_ARGS__ }, \
        sizeof((const struct offered[]){ __VA_ARGS__ }) / sizeof(struct offered))

static bool
is_bound(uint16_t context, const e_guid_t *uuid, uint16_t version, bool is_ndr64)
{
    const struct binding *binding = calls_binding_of(&calls, context);

    return binding != NULL && guid_cmp(&binding->uuid, uuid) == 0 && binding->version == version &&
        binding->is_ndr64 == is_ndr64 && binding->kind == stub_kind_find(uuid) && binding->by == NULL;
}

static void
test_context_is_bound_as_the_bind_said(void)
{
    anew();
    CHECK(calls_binding_of(&calls, 0) == NULL, "bound without a bind");
    BIND({ 1, &ours, 3, &syntax_ndr }, { 0x101, &ours, 2, &syntax_ndr64 });
    CHECK(is_bound(1, &ours, 3, false), "bound");
    CHECK(is_bound(0x101, &ours, 2, true), "bound");
    CHECK(calls_binding_of(&calls, 0) == NULL, "bound");
    CHECK(calls.num_offers == 2 && calls.offered_in == 8, "%u offers", calls.num_offers);
    BIND({ 2, &foreign, 1, &syntax_ndr });
    CHECK(is_bound(2, &foreign, 1, false), "not two");
    CHECK_EQUAL(calls.num_offers, 1, "not two");
    BIND({ 2, &ours, 1, &syntax_ndr });
    CHECK(is_bound(2, &ours, 1, false), "what was of another kind");
}

/* What the answer says to an offer, after the context was bound to another version or to nothing. */
static void
test_refused_context_keeps_its_binding(void)
{
    static const struct {
        const char *what;
        bool was_bound;
        const e_guid_t *offered;
        uint16_t result;
        const e_guid_t *taken;
        uint16_t version; /* what the context is bound to otherwise than it was offered; 0: it is not */
        bool is_ndr64;
    } cases[] = {
        { "taken as offered", true, &syntax_ndr, 0, &syntax_ndr, 0, false },
        { "NDR64 as offered", true, &syntax_ndr64, 0, &syntax_ndr64, 0, false },
        { "NDR64 instead", true, &syntax_ndr, 0, &syntax_ndr64, 3, true },
        { "NDR instead", true, &syntax_ndr64, 0, &syntax_ndr, 3, false },
        { "nothing said for NDR64", true, &syntax_ndr64, 0, &syntax_none, 0, false },
        { "nothing said for NDR", true, &syntax_ndr, 0, &syntax_none, 0, false },
        { "refused by the user", true, &syntax_ndr64, 1, &syntax_none, 2, false },
        { "refused by the provider", true, &syntax_ndr, 2, &syntax_none, 2, false },
        { "refused, and new", false, &syntax_ndr, 2, &syntax_none, 0, false },
        { "bind time features", true, &syntax_ndr, 3, &syntax_ndr64, 0, false },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct rpc_result result = { .result = cases[i].result, .syntax = *cases[i].taken };
        const struct binding *changed;
        uint16_t id = 99;

        anew();
        if (cases[i].was_bound) {
            BIND({ 7, &ours, 2, &syntax_ndr });
        }
        BIND({ 5, &other, 1, &syntax_ndr }, { 7, &ours, 3, cases[i].offered });
        CHECK(calls_learn_result(&calls, &result, 2, 1, &id) == NULL, "%s: no third was offered", cases[i].what);
        changed = calls_learn_result(&calls, &result, 1, 1, &id);
        CHECK((changed != NULL) == (cases[i].version != 0) &&
                changed == (changed == NULL ? NULL : calls_binding_of(&calls, 7)),
            "%s", cases[i].what);
        CHECK(id == (changed == NULL ? 99 : 7), "%s: %u", cases[i].what, id);
        CHECK(cases[i].version == 0 ? is_bound(7, &ours, 3, cases[i].offered == &syntax_ndr64)
                                    : is_bound(7, &ours, cases[i].version, cases[i].is_ndr64),
            "%s: bound to something else", cases[i].what);
        CHECK(is_bound(5, &other, 1, false), "%s: the other one", cases[i].what);
    }
}

static packet_info
packet(uint32_t number)
{
    return (packet_info){ .num = number, .abs_ts = { number, 5 }, .pool = wmem_epan_scope() };
}

/* Clients number requests and binds consecutively, [C706] 12.6.3.1. */
static void
test_missing_numbers_are_counted(void)
{
    static const struct {
        const char *what;
        uint8_t type, flags;
        uint32_t call_id;
        unsigned lost, seen;
    } pdus[] = {
        { "the first of the capture", PDU_REQ, PDU_FLAG_FIRST_FRAG, 8, 0, 1 },
        { "its last fragment", PDU_REQ, PDU_FLAG_LAST_FRAG, 8, 0, 1 },
        { "the next one", PDU_REQ, 3, 9, 0, 2 },
        { "alter_context", PDU_ALTER, 3, 10, 0, 2 },
        { "one is missing", PDU_REQ, 3, 12, 1, 3 },
        { "it comes late", PDU_REQ, 3, 11, 1, 3 },
        { "two more", PDU_REQ, 3, 15, 3, 4 },
        { "a bind begins anew", PDU_BIND, 3, 1, 4, 4 },
        { "the call of that bind", PDU_REQ, 3, 1, 4, 5 },
        { "and the next one", PDU_REQ, 3, 2, 4, 6 },
        { "one of the new ones is missing", PDU_REQ, 3, 4, 5, 7 },
    };

    anew();
    for (size_t i = 0; i < array_length(pdus); i++) {
        const struct rpc_pdu pdu = { .type = pdus[i].type, .flags = pdus[i].flags, .call_id = pdus[i].call_id };

        calls_note_number(&calls, &pdu);
        CHECK(calls.position.lost == pdus[i].lost && calls.position.seen == pdus[i].seen, "%s: %u lost, %u seen",
            pdus[i].what, calls.position.lost, calls.position.seen);
    }
}

/* Numbers wrap around: half of all are higher. Of a leap 10000 calls count, and of a bind that goes back one does. */
static void
test_leap_of_numbers_is_limited(void)
{
    static const struct {
        uint32_t leap;
        unsigned lost;
        bool is_lower;
    } cases[] = { { 0, 0, false }, { 1, 0, false }, { 2, 1, false }, { 10000, 9999, false }, { 10001, 10000, false },
        { 10002, 10000, false }, { 0x7fffffff, 10000, false }, { 0x80000000, 0, true }, { 0xffffffff, 0, true } };

    for (unsigned i = 0; i < 2 * array_length(cases); i++) {
        const unsigned n = i / 2;
        const bool is_bind = i % 2;
        const struct rpc_pdu first = { .type = PDU_REQ, .flags = 3, .call_id = 5 };
        const struct rpc_pdu second = { .type = is_bind ? PDU_BIND : PDU_REQ,
            .flags = 3,
            .call_id = 5 + cases[n].leap };
        const struct rpc_pdu next = { .type = PDU_REQ,
            .flags = 3,
            .call_id = cases[n].is_lower && !is_bind ? 6 : second.call_id + 1 };

        anew();
        calls_note_number(&calls, &first);
        calls_note_number(&calls, &second);
        calls_note_number(&calls, &next);
        CHECK(calls.position.lost == cases[n].lost + (cases[n].is_lower && is_bind), "%x: %u lost", cases[n].leap,
            calls.position.lost);
        CHECK(calls.position.calls == &calls && calls.position.seen == (is_bind || cases[n].is_lower ? 2u : 3u),
            "%x: %u seen", cases[n].leap, calls.position.seen);
    }
}

static struct pipe_call *
request(uint32_t call_id, uint16_t context, uint8_t flags, uint16_t opnum, uint32_t number)
{
    const packet_info pinfo = packet(number);
    const struct rpc_pdu pdu = { .type = PDU_REQ,
        .flags = flags,
        .call_id = call_id,
        .context = context,
        .opnum = opnum,
        .auth_type = 10,
        .auth_level = 6,
        .auth_context = 77 };

    return calls_request(&calls, &pdu, &pinfo);
}

static bool
is_call(const struct pipe_call *call, uint16_t opnum, uint32_t number)
{
    return call != NULL && call->binding == calls_binding_of(&calls, 1) && guid_cmp(&call->rpc.uuid, &ours) == 0 &&
        call->rpc.listener == &our_listener && call->rpc.has_opnum && call->rpc.opnum == opnum &&
        call->rpc.auth_type == 10 && call->rpc.auth_level == 6 && call->auth_context == 77 && call->has_auth &&
        call->rpc.request_frame == number && call->rpc.request_time.secs == (time_t)number &&
        call->rpc.request_time.nsecs == 5 && !call->is_lack && call->rpc.state == NULL;
}

static void
test_answer_finds_its_request(void)
{
    struct pipe_call *call, *guessed;

    anew();
    CHECK(request(1, 1, 3, 5, 10) == NULL, "a context without a bind");
    BIND({ 1, &ours, 3, &syntax_ndr }, { 2, &foreign, 1, &syntax_ndr }, { 3, &other, 1, &syntax_ndr });
    CHECK(request(1, 1, 2, 5, 10) == NULL, "a call that has no beginning");
    call = request(1, 1, PDU_FLAG_FIRST_FRAG, 5, 10);
    CHECK(is_call(call, 5, 10), "a call");
    CHECK(request(2, 1, 3, 6, 11) != call, "it goes on");
    CHECK(request(1, 1, PDU_FLAG_LAST_FRAG, 9, 12) == call, "it goes on");
    CHECK(is_call(call, 5, 12), "it goes on");
    CHECK(calls_find(&calls, &(struct rpc_pdu){ .call_id = 1 }) == call, "the call of that number");
    CHECK(calls_find_or_guess(&calls, &(struct rpc_pdu){ .call_id = 1, .context = 3 }) == call,
        "the call of that number");
    CHECK(calls_find(&calls, &(struct rpc_pdu){ .call_id = 3 }) == NULL, "none has that number");
    CHECK(request(1, 2, 3, 7, 13) == NULL, "a call to others has taken its number");
    CHECK(calls_find(&calls, &(struct rpc_pdu){ .call_id = 1 }) == NULL, "a call to others has taken its number");
    CHECK(request(2, 9, 3, 7, 13) == NULL, "one on a context without a bind has");
    CHECK(calls_find(&calls, &(struct rpc_pdu){ .call_id = 2 }) == NULL, "one on a context without a bind has");
    guessed = calls_find_or_guess(&calls, &(struct rpc_pdu){ .call_id = 3, .context = 3 });
    CHECK(guessed->binding == calls_binding_of(&calls, 3), "a call of an interface");
    CHECK_EQUAL(guid_cmp(&guessed->rpc.uuid, &other), 0, "a call of an interface");
    CHECK(guessed->rpc.listener == &deaf_listener, "a call of an interface");
    CHECK(!guessed->rpc.has_opnum, "a call of an interface");
    CHECK_EQUAL(guessed->rpc.request_frame, 0, "a call of an interface");
    CHECK_EQUAL(guessed->rpc.auth_level, DCE_C_AUTHN_LEVEL_NONE, "a call of an interface");
    CHECK(!guessed->has_auth, "a call of an interface");
    CHECK(calls_find(&calls, &(struct rpc_pdu){ .call_id = 3 }) == NULL, "it was made up");
    guessed = calls_find_or_guess(&calls, &(struct rpc_pdu){ .call_id = 3, .context = 2 });
    CHECK(guessed->rpc.listener == NULL, "of nobody's");
    CHECK_EQUAL(guid_cmp(&guessed->rpc.uuid, &foreign), 0, "of nobody's");
    guessed = calls_find_or_guess(&calls, &(struct rpc_pdu){ .call_id = 3, .context = 4 });
    CHECK(guessed->rpc.listener == NULL, "of an interface that is not known");
    CHECK(guessed->binding == NULL, "of an interface that is not known");
}

static void
test_call_belongs_to_its_interface(void)
{
    static const struct {
        const char *what;
        struct rpc_pdu request, answer;
        bool is_anothers;
    } cases[] = {
#define AUTH(t, l, c) .auth_length = 16, .has_trailer = true, .auth_type = (t), .auth_level = (l), .auth_context = (c)
        { "sealed by the same", { AUTH(10, 6, 1) }, { .type = PDU_RESP, AUTH(10, 6, 1) }, false },
        { "of another context", { AUTH(10, 6, 1) }, { .type = PDU_RESP, AUTH(10, 6, 2) }, true },
        { "its request goes on by another", { AUTH(10, 6, 1) }, { .type = PDU_REQ, AUTH(10, 6, 2) }, true },
        { "a fault tells nothing", { AUTH(10, 6, 1) }, { .type = PDU_FAULT, AUTH(10, 6, 2) }, false },
        { "of another kind", { AUTH(10, 6, 1) }, { .type = PDU_RESP, AUTH(9, 6, 1) }, true },
        { "signed alone", { AUTH(10, 6, 1) }, { .type = PDU_RESP, AUTH(10, 5, 1) }, true },
        { "the request was", { AUTH(10, 5, 1) }, { .type = PDU_RESP, AUTH(10, 6, 1) }, true },
        { "signed by another", { AUTH(10, 5, 1) }, { .type = PDU_RESP, AUTH(10, 5, 2) }, true },
        { "below it a verifier may be missing", { AUTH(10, 4, 1) }, { .type = PDU_RESP, .auth_level = 1 }, false },
        { "in clear, the request was signed", { AUTH(10, 5, 1) }, { .type = PDU_RESP, .auth_level = 1 }, true },
        { "signed, the request was in clear", { .auth_level = 1 }, { .type = PDU_RESP, AUTH(10, 5, 1) }, true },
        { "both in clear", { .auth_level = 1 }, { .type = PDU_RESP, .auth_level = 1 }, false },
        { "the trailer of the request is not captured", { .auth_length = 16, .auth_level = 1 },
            { .type = PDU_RESP, AUTH(10, 6, 1) }, false },
        { "nor the answer's", { AUTH(10, 6, 1) }, { .type = PDU_RESP, .auth_length = 16, .auth_level = 1 }, false },
    };

    CHECK(!calls_is_anothers(NULL, &(struct rpc_pdu){ .type = PDU_RESP, AUTH(10, 6, 1) }), "no call");
    for (size_t i = 0; i < array_length(cases); i++) {
        const packet_info pinfo = packet(1);
        struct rpc_pdu first = cases[i].request;
        const struct pipe_call *call;

        anew();
        BIND({ 1, &ours, 3, &syntax_ndr });
        first.type = PDU_REQ;
        first.flags = 3;
        first.context = 1;
        call = calls_request(&calls, &first, &pinfo);
        CHECK(calls_is_anothers(call, &cases[i].answer) == cases[i].is_anothers, "%s", cases[i].what);
    }
}

static void
test_protocol_keeps_its_note_of_a_call(void)
{
    int state, later;
    packet_info pinfo = packet(20);
    struct rpc_note note = { 4, 5, ours, &our_listener, &state };
    struct pipe_call *call;

    anew();
    BIND({ 1, &ours, 3, &syntax_ndr }, { 2, &foreign, 1, &syntax_ndr }, { 3, &other, 1, &syntax_ndr });
    call = request(4, 1, 3, 5, 10);
    take_note(&note, &pinfo);
    CHECK(calls.noted == call, "the call that was known");
    CHECK(call->rpc.state == &state, "the call that was known");
    CHECK_EQUAL(call->rpc.request_frame, 20, "the call that was known");
    CHECK(calls_find(&calls, &(struct rpc_pdu){ .call_id = 4 }) == call, "the call that was known");
    CHECK_EQUAL(call->rpc.auth_level, 6, "the call that was known");
    /* What is noted of another operation, or of another interface, is another call. */
    note.opnum = 6;
    note.state = &later;
    take_note(&note, &pinfo);
    CHECK(calls.noted != call, "another operation");
    CHECK_EQUAL(calls.noted->rpc.opnum, 6, "another operation");
    CHECK(calls.noted->rpc.has_opnum, "another operation");
    CHECK(calls.noted->rpc.state == &later, "another operation");
    CHECK(calls.noted->rpc.listener == &our_listener, "another operation");
    CHECK_EQUAL(calls.noted->rpc.request_frame, 20, "another operation");
    CHECK_EQUAL(guid_cmp(&calls.noted->rpc.uuid, &ours), 0, "another operation");
    CHECK(call->rpc.state == &state, "another operation");
    CHECK(calls_find(&calls, &(struct rpc_pdu){ .call_id = 4 }) == calls.noted, "another operation");
    call = request(4, 1, 3, 6, 21);
    note.uuid = other;
    take_note(&note, &pinfo);
    CHECK(calls.noted != call, "another interface");
    CHECK_EQUAL(guid_cmp(&calls.noted->rpc.uuid, &other), 0, "another interface");
    note.call_id = 9;
    take_note(&note, &pinfo);
    CHECK(calls_find(&calls, &(struct rpc_pdu){ .call_id = 9 }) == calls.noted, "a call that was not seen");
    CHECK(calls.noted->binding == NULL, "a call that was not seen");
}

/* A call whose request nobody reads is told to whose the context is; where that is not known, to all. */
static void
test_unread_request_is_told_to_its_interface(void)
{
    /* Call 4 is known, and 6, which was read; 8 came on a context without a bind. */
    static const struct {
        const char *what;
        uint8_t type, flags;
        uint32_t call_id;
        uint16_t context;
        bool is_told, has_opnum;
        uint16_t opnum;
    } cases[] = {
        { "an answer without a request", PDU_RESP, 3, 5, 1, true, false, 0 },
        { "a fault", PDU_FAULT, 3, 5, 1, true, false, 0 },
        { "its last fragment", PDU_RESP, PDU_FLAG_LAST_FRAG, 5, 1, true, false, 0 },
        { "its first", PDU_RESP, PDU_FLAG_FIRST_FRAG, 5, 1, false, false, 0 },
        { "one whose request was not read", PDU_RESP, 3, 4, 1, true, true, 9 },
        { "one that has its request", PDU_RESP, 3, 6, 1, false, false, 0 },
        { "on a context without a bind", PDU_RESP, 3, 5, 9, true, false, 0 },
        { "whose request told it", PDU_RESP, 3, 8, 9, false, false, 0 },
        { "on one that was bound since", PDU_RESP, 3, 8, 1, true, false, 0 },
        { "on one that nobody knows", PDU_RESP, 3, 5, 2, false, false, 0 },
        { "on another listener's", PDU_RESP, 3, 5, 3, false, false, 0 },
        { "a request", PDU_REQ, 3, 4, 1, true, true, 9 },
        { "its first fragment", PDU_REQ, PDU_FLAG_FIRST_FRAG, 4, 1, false, false, 0 },
        { "its last, without the first", PDU_REQ, PDU_FLAG_LAST_FRAG, 5, 1, true, true, 7 },
        { "one that was read", PDU_REQ, 3, 6, 1, false, false, 0 },
        { "one without a bind", PDU_REQ, 3, 8, 9, true, true, 7 },
        { "one that nobody knows", PDU_REQ, 3, 5, 2, false, false, 0 },
    };
    int state;
    const packet_info pinfo = packet(20);
    struct rpc_note note = { 6, 5, ours, &our_listener, &state };

    for (size_t i = 0; i < 2 * array_length(cases); i++) {
        const bool is_read = i % 2;
        const unsigned n = (unsigned)i / 2;
        const bool is_told = cases[n].is_told || (!is_read && cases[n].call_id == 6);
        const struct rpc_pdu pdu = { .type = cases[n].type,
            .flags = cases[n].flags,
            .call_id = cases[n].call_id,
            .opnum = 7,
            .context = cases[n].context };

        anew();
        BIND({ 1, &ours, 3, &syntax_ndr }, { 2, &foreign, 1, &syntax_ndr }, { 3, &other, 1, &syntax_ndr });
        request(4, 1, 3, 9, 10);
        request(6, 1, 3, 5, 10);
        wmem_map_insert(calls.unexplained, GUINT_TO_POINTER(8), GUINT_TO_POINTER(1));
        if (is_read) {
            take_note(&note, &pinfo);
        }
        lacking_state = &note;
        calls_tell_lack(&calls, &pdu, &pinfo);
        CHECK(times_lacking == is_told, "%s: told %u times", cases[n].what, times_lacking);
        if (is_told) {
            CHECK(lacking.is_response == (pdu.type != PDU_REQ) && lacking_state == (is_read ? &state : NULL) &&
                    (cases[n].call_id == 6 ||
                        (lacking.has_opnum == cases[n].has_opnum && lacking.opnum == cases[n].opnum)),
                "%s: operation %u", cases[n].what, lacking.opnum);
        }
        if (cases[n].call_id == 4) {
            calls_tell_lack(&calls, &pdu, &pinfo);
            CHECK(times_lacking == is_told, "%s: told again", cases[n].what);
        }
    }
    /* What another listener keeps is no business of this one. */
    note.listener = &deaf_listener;
    note.uuid = other;
    anew();
    take_note(&note, &pinfo);
    calls_tell_lack(&calls, &(struct rpc_pdu){ .type = PDU_RESP, .flags = 3, .call_id = 5 }, &pinfo);
    CHECK(times_lacking == 1 && lacking_state == NULL, "told %u times", times_lacking);
}

/* What a recogniser was asked last, and how often. */
static struct stub_sample asked;
static uint8_t asked_head[256], asked_tail[STUB_CHECK_TAIL];
static e_guid_t asked_object;
static unsigned times_asked;
static enum { KNOWS_NONE, KNOWS_NDR, KNOWS_NDR64 } knows;

static bool
recognise_ours(const struct stub_sample *sample, packet_info *pinfo _U_, struct stub_recognised *found)
{
    times_asked++;
    asked = *sample;
    memcpy(asked_head, sample->head, sample->head_length);
    memcpy(asked_tail, sample->tail, sample->tail_length);
    asked_object = sample->object != NULL ? *sample->object : syntax_none;
    *found = (struct stub_recognised){ ours, 3, "its bytes" };
    return knows == (sample->is_ndr64 ? KNOWS_NDR64 : KNOWS_NDR);
}

/* A PDU with a stub of 1, 2, 3 ...: how it differs from a request in one fragment whose stub has 40 bytes. */
struct piece {
    const char *what;
    uint8_t type, flags;
    unsigned stub, captured, auth; /* sizes of the stub, of what was captured of it, of the verifier */
    uint8_t auth_level, auth_pad;
    bool is_big;
};

static tvbuff_t *
recognise(const struct piece *piece, uint32_t call_id, uint16_t opnum)
{
    const unsigned head = 24 + (piece->type == PDU_REQ && piece->flags & PDU_FLAG_OBJECT_UUID ? 16 : 0);
    const unsigned length = head + piece->stub + (piece->auth == 0 ? 0 : 8 + piece->auth);
    uint8_t *bytes = (uint8_t *)wmem_alloc0(wmem_epan_scope(), length);
    packet_info pinfo = packet(30);
    tvbuff_t *tvb;
    struct rpc_pdu pdu;

    bytes[0] = 5;
    bytes[2] = piece->type;
    bytes[3] = piece->flags;
    bytes[4] = piece->is_big ? 0 : 0x10;
    bytes[piece->is_big ? 9 : 8] = (uint8_t)length;
    bytes[piece->is_big ? 11 : 10] = (uint8_t)piece->auth;
    bytes[piece->is_big ? 15 : 12] = (uint8_t)call_id;
    bytes[piece->is_big ? 14 : 13] = (uint8_t)(call_id >> 8);
    bytes[piece->is_big ? 13 : 14] = (uint8_t)(call_id >> 16);
    bytes[piece->is_big ? 21 : 20] = 6;
    bytes[piece->is_big ? 23 : 22] = (uint8_t)opnum;
    if (head == 40) {
        put_guid(bytes + 24, &other);
        if (piece->is_big) {
            memcpy(bytes + 24, "\x01\x02\x03\x04\x05\x06\x07\x08", 8);
        }
    }
    for (unsigned i = 0; i < piece->stub; i++) {
        bytes[head + i] = (uint8_t)(i + 1);
    }
    if (piece->auth != 0) {
        bytes[head + piece->stub] = 10;
        bytes[head + piece->stub + 1] = piece->auth_level;
        bytes[head + piece->stub + 2] = piece->auth_pad;
    }
    tvb = tvb_new_real_data(bytes, piece->captured < piece->stub ? head + piece->captured : length, (int)length);
    CHECK(rpc_pdu_read(tvb, 0, &pdu), "%s: no PDU", piece->what);
    times_asked = 0;
    return recognise_context(&calls, tvb, &pdu, &pinfo, false);
}

static void
test_recognised_stub_binds_the_context(void)
{
    static const struct piece usual = { "usual", PDU_REQ, 3, 40, 40, 0, 0, 0, false };
    static const struct piece answer = { "answer", PDU_RESP, 3, 40, 40, 0, 0, 0, false };
    static const struct piece refused[] = {
        { "a fault", PDU_FAULT, 3, 40, 40, 0, 0, 0, false },
        { "not the first fragment", PDU_REQ, PDU_FLAG_LAST_FRAG, 40, 40, 0, 0, 0, false },
        { "sealed", PDU_REQ, 3, 40, 40, 16, 6, 0, false },
        { "perhaps sealed", PDU_REQ, 3, 40, 39, 16, 5, 0, false },
        { "3 bytes", PDU_REQ, 3, 3, 3, 0, 0, 0, false },
        { "3 bytes and padding", PDU_REQ, 3, 8, 8, 16, 5, 5, false },
        { "no byte captured", PDU_REQ, 3, 40, 0, 0, 0, 0, false },
        { "an answer without a request", PDU_RESP, 3, 40, 40, 0, 0, 0, false },
    };
    static const struct piece asked_for[] = {
        { "usual", PDU_REQ, 3, 40, 40, 0, 0, 0, false },
        { "first", PDU_REQ, PDU_FLAG_FIRST_FRAG, 40, 40, 0, 0, 0, false },
        { "4 bytes", PDU_REQ, 3, 4, 4, 0, 0, 0, false },
        { "one byte captured", PDU_REQ, 3, 40, 1, 0, 0, 0, false },
        { "signed", PDU_REQ, 3, 40, 40, 16, 5, 4, false },
        { "cut", PDU_REQ, 3, 40, 20, 0, 0, 0, false },
        { "long", PDU_REQ, 3, 200, 200, 0, 0, 0, false },
        { "to an object", PDU_REQ, 3 | PDU_FLAG_OBJECT_UUID, 40, 40, 0, 0, 0, false },
        { "to one, big-endian", PDU_REQ, 3 | PDU_FLAG_OBJECT_UUID, 40, 40, 0, 0, 0, true },
        { "an answer with that bit", PDU_RESP, 3 | PDU_FLAG_OBJECT_UUID, 40, 40, 0, 0, 0, true },
    };
    const struct binding *binding;
    struct rpc_contexts contexts;
    struct rpc_context context;
    struct rpc_pdu pdu;
    tvbuff_t *bind;

    stub_recogniser_register(recognise_ours);
    knows = KNOWS_NONE;
    for (size_t i = 0; i < array_length(refused); i++) {
        anew();
        CHECK(recognise(&refused[i], 0x010203, 9) == NULL && times_asked == 0, "%s", refused[i].what);
    }
    for (size_t i = 0; i < array_length(asked_for); i++) {
        const struct piece *p = &asked_for[i];
        const unsigned size = p->stub - p->auth_pad, head = MIN(p->captured, size);
        const unsigned tail = head < size ? 0 : MIN(size, 16u);

        anew();
        if (p->type == PDU_RESP) {
            recognise(&usual, 0x010203, 9);
        }
        CHECK(recognise(p, 0x010203, p->type == PDU_RESP ? 0 : 9) == NULL && times_asked == 2 && asked.is_ndr64, "%s",
            p->what);
        CHECK(asked.opnum == 9 && asked.is_response == (p->type == PDU_RESP) && asked.is_first &&
                asked.is_last == ((p->flags & 2) != 0) && asked.is_little_endian == !p->is_big &&
                asked.length == size && asked.head_length == head && asked.tail_length == tail &&
                !asked.is_registry_pipe,
            "%s: %u, %u, %u", p->what, asked.length, asked.head_length, asked.tail_length);
        CHECK(asked_head[0] == 1 && asked_head[head - 1] == head &&
                (tail == 0 || (asked_tail[0] == size - tail + 1 && asked_tail[tail - 1] == size)),
            "%s: other bytes", p->what);
        CHECK((asked.object != NULL) == (p->type == PDU_REQ && (p->flags & 0x80) != 0) &&
                (asked.object == NULL || guid_cmp(&asked_object, &other) == 0),
            "%s: object", p->what);
        CHECK(calls_binding_of(&calls, 6) == NULL && !calls.is_recognised, "%s: bound", p->what);
    }

    for (unsigned is_ndr64 = 0; is_ndr64 < 2; is_ndr64++) {
        anew();
        knows = KNOWS_NONE;
        recognise(&usual, 0x010203, 9);
        knows = is_ndr64 ? KNOWS_NDR64 : KNOWS_NDR;
        proto_name = is_ndr64 ? "OURS" : NULL;
        bind = recognise(is_ndr64 ? &answer : &usual, 0x010203, 0);
        binding = calls_binding_of(&calls, 6);
        if (bind == NULL || binding == NULL || !rpc_pdu_read(bind, 0, &pdu)) {
            CHECK(false, "not recognised");
            return;
        }
        CHECK(calls.is_recognised && guid_cmp(&binding->uuid, &ours) == 0 && binding->version == 3 &&
                binding->is_ndr64 == is_ndr64 && strcmp(binding->by, "its bytes") == 0 &&
                binding->by_response == is_ndr64 && binding->by_frame == 30 && binding->kind == stub_kind_find(&ours) &&
                strcmp(binding->name, is_ndr64 ? "OURS" : "what it holds") == 0,
            "how it was bound: %s", binding->name);
        /* The bind as a client sends it, but for fragments of any size that is not small. */
        CHECK(pdu.type == PDU_BIND && pdu.flags == 3 && pdu.is_little_endian && pdu.is_whole && pdu.length == 72 &&
                tvb_captured_length(bind) == 72 && pdu.auth_length == 0 && pdu.call_id == 0x010203 &&
                perflib_tvb_get_uint8(bind, 1) == 0 && tvb_get_letohs(bind, 16) >= 1432 &&
                tvb_get_letohs(bind, 18) >= 1432 && tvb_get_letohl(bind, 20) == 0,
            "type %u, call %x", pdu.type, pdu.call_id);
        contexts = rpc_contexts_begin(bind, &pdu);
        CHECK_EQUAL(contexts.left, 1, "what it offers");
        CHECK(rpc_contexts_next(&contexts, &context), "what it offers");
        CHECK_EQUAL(context.id, 6, "what it offers");
        CHECK_EQUAL(guid_cmp(&context.uuid, &ours), 0, "what it offers");
        CHECK_EQUAL(context.version, 3, "what it offers");
        CHECK(context.has_syntax, "what it offers");
        CHECK(guid_cmp(&context.syntax, is_ndr64 ? &syntax_ndr64 : &syntax_ndr) == 0, "what it offers");
        CHECK(tvb_get_letohl(bind, 68) == (is_ndr64 ? 1 : 2), "what it offers");
        CHECK_EQUAL(tvb_get_letohs(bind, 50), 0, "what it offers");
        CHECK(recognise(&usual, 0x010204, 9) == NULL, "it is bound now");
        CHECK_EQUAL(times_asked, 0, "it is bound now");
    }
}

/* Fragments in the order in which they come: which of them end a stub that has no beginning. */
static void
test_fragments_without_a_beginning_are_noticed(void)
{
    static const struct {
        uint8_t type, flags;
        uint32_t call_id;
        bool is_cut, lacks;
    } pdus[] = {
        { PDU_RESP, PDU_FLAG_LAST_FRAG, 0, false, true },
        { PDU_RESP, PDU_FLAG_FIRST_FRAG, 0, false, false },
        { PDU_REQ, PDU_FLAG_LAST_FRAG, 0, false, true },
        { PDU_RESP, PDU_FLAG_LAST_FRAG, 1, false, true },
        { PDU_RESP, 0, 0, false, false },
        { PDU_RESP, PDU_FLAG_LAST_FRAG, 0, true, false },
        { PDU_RESP, PDU_FLAG_LAST_FRAG, 0, false, false },
        { PDU_RESP, PDU_FLAG_LAST_FRAG, 0, false, true },
        { PDU_REQ, PDU_FLAG_FIRST_FRAG, 2, true, false },
        { PDU_REQ, 0, 2, false, false },
        { PDU_REQ, PDU_FLAG_LAST_FRAG, 2, false, true },
        { PDU_REQ, PDU_FLAG_FIRST_FRAG | PDU_FLAG_LAST_FRAG, 3, false, false },
        { PDU_FAULT, PDU_FLAG_LAST_FRAG, 3, false, false },
    };

    anew();
    for (unsigned i = 0; i < array_length(pdus); i++) {
        const struct rpc_pdu pdu = { .type = pdus[i].type,
            .flags = pdus[i].flags,
            .call_id = pdus[i].call_id,
            .is_whole = !pdus[i].is_cut };

        CHECK(calls_lacks_beginning(&calls, &pdu) == pdus[i].lacks, "PDU %u", i);
    }
}

int
main(void)
{
    wmem_init_scopes();
    stub_check_register(&ours, NULL, &our_listener, NULL);
    stub_check_register(&other, NULL, &deaf_listener, NULL);
    test_context_is_bound_as_the_bind_said();
    test_refused_context_keeps_its_binding();
    test_answer_finds_its_request();
    test_missing_numbers_are_counted();
    test_leap_of_numbers_is_limited();
    test_call_belongs_to_its_interface();
    test_protocol_keeps_its_note_of_a_call();
    test_unread_request_is_told_to_its_interface();
    test_fragments_without_a_beginning_are_noticed();
    test_recognised_stub_binds_the_context();
    return check_result();
}
