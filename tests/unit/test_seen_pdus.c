/* test_seen_pdus.c
 * What the first pass keeps of a PDU for later ones: which PDU it is, and what dissectors are told of it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/pdu-ctx.h"

#include <string.h>

#include "check.h"
#include "file-scope.h"

#define AT     9u  /* where the buffer stands in its data source */
#define TOKEN  60u /* where the verifier stands in the PDU */
#define LENGTH 100u

static uint8_t bytes[AT + LENGTH];
static frame_data frame;
static tvbuff_t *source, *tvb;

static const struct rpc_pdu usual = { .type = PDU_REQ,
    .flags = 3,
    .at = 5,
    .has_trailer = true,
    .auth_at = TOKEN,
    .auth_length = 16,
    .stub_length = 20,
    .call_id = 7,
    .context = 1 };

static packet_info
packet(uint32_t number)
{
    return (packet_info){ .num = number, .fd = &frame, .pool = wmem_epan_scope() };
}

static struct session_seen *
find_in(tvbuff_t *of, const struct rpc_pdu *pdu, uint32_t number, bool makes)
{
    const packet_info pinfo = packet(number);

    return seen_find(of, pdu, &pinfo, makes);
}

static void
begin(void)
{
    frame.visited = 0;
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)i;
    }
    seen_reset();
}

static void
test_pdu_is_found_by_what_it_is(void)
{
    struct session_seen *seen;
    struct rpc_pdu other;

    begin();
    CHECK(find_in(tvb, &usual, 1, false) == NULL, "nothing was kept");
    frame.visited = 1;
    CHECK(find_in(tvb, &usual, 1, true) == NULL, "kept by a later pass");
    frame.visited = 0;
    seen = find_in(tvb, &usual, 1, true);
    CHECK(seen != NULL, "not kept");
    CHECK(seen->refused == NULL, "not kept");
    CHECK(!seen->lacks_beginning, "not kept");
    for (unsigned pass = 0; pass < 2; pass++) {
        frame.visited = pass;
        CHECK(find_in(tvb, &usual, 1, true) == seen && find_in(tvb, &usual, 1, false) == seen, "pass %u", pass);
        CHECK(find_in(tvb, &usual, 2, false) == NULL, "another frame");
        CHECK(find_in(source, &usual, 1, false) == NULL, "at another place");
        /* The same place, counted from the beginning of the data source. */
        other = usual;
        other.at = usual.at + AT;
        CHECK(find_in(source, &other, 1, false) == seen, "pass %u", pass);
#define CHECK_OTHER(member, value, is_same) \
    other = usual; \
    other.member = (value); \
    CHECK((find_in(tvb, &other, 1, false) == seen) == (is_same), "another " #member)
        CHECK_OTHER(at, 6, false);
        CHECK_OTHER(stub_length, 21, false);
        CHECK_OTHER(call_id, 8, false);
        CHECK_OTHER(auth_length, 17, false);
        CHECK_OTHER(has_trailer, false, false);
        CHECK_OTHER(type, PDU_RESP, true);
    }
    seen_reset();
    CHECK(find_in(tvb, &usual, 1, false) == NULL, "of another capture");
}

/* The last eight bytes of a verifier tell PDUs of different data sources from each other. */
static void
test_verifier_tells_pdus_from_each_other(void)
{
    static const struct {
        unsigned auth_length, at; /* the byte of the verifier that differs */
        bool has_trailer, is_same;
    } cases[] = {
        { 16, 15, true, false },
        { 16, 8, true, false },
        { 16, 7, true, true },
        { 16, 15, false, true },
        { 8, 7, true, false },
        { 8, 0, true, false },
        { 9, 0, true, true },
        { 9, 8, true, false },
        { 7, 6, true, true },
        { 0, 0, true, true },
    };

    for (unsigned i = 0; i < array_length(cases); i++) {
        struct rpc_pdu pdu = usual;
        struct session_seen *seen;

        begin();
        pdu.auth_length = cases[i].auth_length;
        pdu.has_trailer = cases[i].has_trailer;
        seen = find_in(tvb, &pdu, 1, true);
        bytes[AT + pdu.at + TOKEN + cases[i].at] ^= 1;
        CHECK((find_in(tvb, &pdu, 1, false) == seen) == cases[i].is_same, "case %u", i);
    }
}

static void
test_refusal_is_kept_for_later_passes(void)
{
    const packet_info pinfo = packet(1);
    struct rpc_pdu other = usual, others[3] = { usual, usual, usual };
    struct rpc_pdus all = { .count = 3, .pdus = others };

    others[0].call_id = 100;
    others[1].call_id = 101;
    other.call_id = 9;
    begin();
    CHECK(seen_refusal(tvb, &usual, &pinfo) == NULL, "nothing was refused");
    find_in(tvb, &usual, 1, true)->is_unread = true;
    CHECK(!seen_any_of(tvb, &all, &pinfo), "what was found only is not kept");
    CHECK_STRING(seen_refuse(tvb, &usual, &pinfo, "torn"), "torn", "refused");
    for (unsigned pass = 0; pass < 2; pass++) {
        frame.visited = pass;
        CHECK_STRING(seen_refusal(tvb, &usual, &pinfo), "torn", "pass %u", pass);
        CHECK(seen_refusal(tvb, &other, &pinfo) == NULL, "another PDU");
        /* The third of three PDUs has a result. */
        all.count = 3;
        CHECK(seen_any_of(tvb, &all, &pinfo), "pass %u", pass);
        all.count = 2;
        CHECK(!seen_any_of(tvb, &all, &pinfo), "pass %u", pass);
        all.count = 0;
        CHECK(!seen_any_of(tvb, &all, &pinfo), "pass %u", pass);
    }
    all.count = 3;
    frame.visited = 0;
    CHECK(seen_keep(tvb, &other, &pinfo)->refused == NULL, "kept for something else");
    CHECK(seen_refusal(tvb, &other, &pinfo) == NULL, "kept for something else");
    others[0] = other;
    all.count = 1;
    CHECK(seen_any_of(tvb, &all, &pinfo), "kept for something else");
    seen_reset();
    all.count = 3;
    CHECK(seen_refusal(tvb, &usual, &pinfo) == NULL && !seen_any_of(tvb, &all, &pinfo), "of another capture");
    find_in(tvb, &usual, 1, true)->is_unread = true;
    CHECK(!seen_any_of(tvb, &all, &pinfo), "in another capture nothing was kept so far");
}

static void
test_record_says_what_the_first_pass_knew(void)
{
    static const struct transport transport = { .kind = SESSION_SMB };
    static struct recognition recognition;
    static const struct {
        const char *what;
        uint8_t type;
        bool is_bound, is_recognised, has_call, lacks_beginning;
    } cases[] = {
        { "bound", PDU_REQ, true, false, true, false },
        { "bound, an answer", PDU_RESP, true, false, true, false },
        { "without its request", PDU_RESP, true, false, false, false },
        { "a fault has no stub", PDU_FAULT, true, false, true, false },
        { "not bound", PDU_REQ, false, false, false, false },
        { "recognised", PDU_REQ, true, true, true, false },
        { "recognised, an answer", PDU_RESP, true, true, true, false },
        { "recognised, without its request", PDU_RESP, true, true, false, false },
        { "that lacks its beginning", PDU_RESP, true, false, true, true },
        { "that lacks its beginning, recognised", PDU_RESP, true, true, true, true },
    };

    for (unsigned i = 0; i < array_length(cases); i++) {
        const bool has_stub = cases[i].type != PDU_FAULT;
        packet_info pinfo = packet(1);
        struct pipe pipe = { .has_salt = false };
        struct binding binding = { .recognition = cases[i].is_recognised ? &recognition : NULL };
        struct pipe_call call = { .binding = &binding };
        struct pdu_ctx p = { .transport = &transport,
            .pipe = &pipe,
            .pinfo = &pinfo,
            .tvb = tvb,
            .pdu = usual,
            .call = cases[i].has_call ? &call : NULL };
        struct session_pdu *record;

        begin();
        calls_init(&pipe.calls);
        p.pdu.type = cases[i].type;
        if (cases[i].is_bound) {
            wmem_map_insert(pipe.calls.bindings, GUINT_TO_POINTER(1), &binding);
        }
        if (cases[i].lacks_beginning) {
            seen_keep(tvb, &p.pdu, &pinfo)->lacks_beginning = true;
        }
        record = seen_new_record(&p);
        CHECK(record->transport == SESSION_SMB && record->header.call_id == 7 && record->header.type == p.pdu.type &&
                record->calls == &pipe.calls,
            "%s", cases[i].what);
        CHECK(record->binding == (cases[i].is_bound && has_stub ? &binding : NULL), "%s", cases[i].what);
        CHECK(record->call == (cases[i].has_call ? &call.rpc : NULL), "%s", cases[i].what);
        CHECK(record->lacks_beginning == cases[i].lacks_beginning, "%s", cases[i].what);

        /* Later passes know no pipes. They are told of calls only where nothing but their stubs names the interface. */
        frame.visited = 1;
        p.pipe = NULL;
        p.call = NULL;
        p.seen = find_in(tvb, &p.pdu, 1, false);
        CHECK((p.seen != NULL) == (cases[i].is_recognised || cases[i].lacks_beginning), "%s", cases[i].what);
        record = seen_new_record(&p);
        CHECK(record->transport == SESSION_SMB && record->header.call_id == 7 && record->calls == NULL, "%s, again",
            cases[i].what);
        CHECK(record->binding == (cases[i].is_recognised ? &binding : NULL), "%s, again", cases[i].what);
        CHECK(record->call == (cases[i].is_recognised && cases[i].has_call ? &call.rpc : NULL), "%s, again",
            cases[i].what);
        CHECK(record->lacks_beginning == cases[i].lacks_beginning, "%s, again", cases[i].what);
    }
}

/* A result that the PDU has for another reason may know the call. */
static void
test_record_takes_the_call_from_a_result(void)
{
    static const struct transport transport = { .kind = SESSION_TCP };
    packet_info pinfo = packet(1);
    struct pipe pipe = { .has_salt = false };
    struct binding bound = { .version = 1 }, kept = { .version = 2 };
    struct pipe_call call = { .binding = &bound }, guessed = { .binding = &kept };
    struct session_seen seen = { .of = &guessed, .binding = &kept };
    struct pdu_ctx p = { .transport = &transport,
        .pipe = &pipe,
        .pinfo = &pinfo,
        .tvb = tvb,
        .pdu = usual,
        .seen = &seen };

    begin();
    calls_init(&pipe.calls);
    CHECK(seen_new_record(&p)->call == &guessed.rpc && seen_new_record(&p)->binding == &kept, "from the result");
    wmem_map_insert(pipe.calls.bindings, GUINT_TO_POINTER(1), &bound);
    p.call = &call;
    CHECK(seen_new_record(&p)->call == &call.rpc && seen_new_record(&p)->binding == &bound, "what is known is better");
    CHECK(seen.of == &guessed && seen.binding == &kept, "changed");
}

static void
test_pdu_types_have_stubs_and_senders(void)
{
    static const struct {
        uint8_t type;
        bool has_stub, is_clients;
    } cases[] = { { PDU_REQ, true, true }, { PDU_RESP, true, false }, { PDU_FAULT, false, false },
        { PDU_BIND, false, true }, { PDU_BIND_ACK, false, false }, { PDU_BIND_NAK, false, false },
        { PDU_ALTER, false, true }, { PDU_ALTER_ACK, false, false }, { PDU_AUTH3, false, true },
        { PDU_CO_CANCEL, false, true }, { PDU_ORPHANED, false, true } };

    for (unsigned i = 0; i < array_length(cases); i++) {
        const struct rpc_pdu pdu = { .type = cases[i].type };

        CHECK(pdu_has_stub(&pdu) == cases[i].has_stub, "type %u", pdu.type);
        CHECK_EQUAL((int)pdu_side(&pdu), cases[i].is_clients ? FROM_CLIENT : FROM_SERVER, "type %u", pdu.type);
    }
}

int
main(void)
{
    wmem_init_scopes();
    source = tvb_new_real_data(bytes, sizeof bytes, sizeof bytes);
    tvb = tvb_new_subset_length(source, AT, LENGTH);
    test_pdu_is_found_by_what_it_is();
    test_verifier_tells_pdus_from_each_other();
    test_refusal_is_kept_for_later_passes();
    test_record_says_what_the_first_pass_knew();
    test_record_takes_the_call_from_a_result();
    test_pdu_types_have_stubs_and_senders();
    return check_result();
}
