/* test_outcomes.c
 * How an attempt or a call ended: the code and the sentence of each outcome, and which outcomes are the same
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/outcomes.h"

#include <string.h>

#include <epan/proto.h>

#include "base/win32-names.h"
#include "check.h"

/* Values of some fields of Wireshark's, each with names of its own. */
static const value_string results[] = { { 0, "result 0" }, { 1, "result 1" }, { 2, "result 2" }, { 0, NULL } };
static const value_string reasons[] = { { 0, "reason 0" }, { 1, "reason 1" }, { 2, "reason 2" }, { 0, NULL } };
static const value_string rejects[] = { { 0, "reject 0" }, { 1, "reject 1" }, { 2, "reject 2" }, { 0, NULL } };
static const value_string statuses[] = { { 0xc0000022, "STATUS_ACCESS_DENIED" }, { 0, NULL } };

/* In place of Wireshark's. */
static header_field_info fields[] = {
    { .abbrev = "dcerpc.cn_ack_result", .type = FT_UINT16, .display = BASE_DEC, .strings = results },
    { .abbrev = "dcerpc.cn_ack_reason", .type = FT_UINT16, .display = BASE_DEC, .strings = reasons },
    { .abbrev = "dcerpc.cn_reject_reason", .type = FT_UINT16, .display = BASE_DEC, .strings = rejects },
    { .abbrev = "smb2.nt_status", .type = FT_UINT32, .display = BASE_HEX, .strings = statuses },
};

header_field_info *
proto_registrar_get_byname(const char *name)
{
    for (size_t i = 0; i < array_length(fields); i++) {
        if (strcmp(name, fields[i].abbrev) == 0) {
            return &fields[i];
        }
    }
    CHECK(false, "no such field: %s", name);
    return NULL;
}

#define SERVERS    ", or it was not captured: segments of the server are missing"
#define CLIENTS    ", or it was not captured: segments of the client are missing"
#define UNREADABLE ", or it cannot be read: segments of the client are missing"
#define IN_PART    ", or it was captured only in part"

/* Statuses: [MS-ERREF] 2.1.1, 2.2, 2.3.1; [C706] appendix E, 12.6.3.1 (result and reason), 12.6.4.5 (bind_nak). */
static void
test_outcome_has_its_code_and_sentence(void)
{
    static const struct {
        struct outcome outcome;
        const char *name, *text;
    } cases[] = {
        { { .code = OUTCOME_NONE }, "", "" },
        { { .code = OUTCOME_REFUSED, .step = STEP_SYN }, "refused", "connection refused" },
        { { .code = OUTCOME_NO_ANSWER, .step = STEP_SYN }, "no_answer", "no answer to SYN" },
        { { .code = OUTCOME_NO_ANSWER, .step = STEP_OBJECT_SYN }, "no_answer",
            "no answer to SYN to the object's port" },
        { { .code = OUTCOME_NO_ANSWER, .step = STEP_READ, .doubt = DOUBT_SERVER }, "no_answer",
            "no answer to Read" SERVERS },
        { { .code = OUTCOME_NO_ANSWER, .step = STEP_WRITE, .doubt = DOUBT_CLIENT }, "no_answer",
            "no answer to Write" CLIENTS },
        { { .code = OUTCOME_LEFT, .step = STEP_BIND, .ending = ENDING_CLIENT_CLOSED }, "left",
            "the client closed the connection before an answer to bind" },
        { { .code = OUTCOME_LEFT, .step = STEP_ALTER, .ending = ENDING_SERVER_CLOSED }, "left",
            "the server closed the connection before an answer to alter_context" },
        { { .code = OUTCOME_LEFT, .step = STEP_NEGOTIATE, .ending = ENDING_CLOSED }, "left",
            "the connection was closed before an answer to Negotiate" },
        { { .code = OUTCOME_LEFT, .step = STEP_ACTIVATE, .ending = ENDING_CLIENT_RESET }, "left",
            "the client reset the connection before an answer to activation" },
        { { .code = OUTCOME_LEFT, .step = STEP_MAP, .ending = ENDING_SERVER_RESET, .doubt = DOUBT_CUT }, "left",
            "the server reset the connection before an answer to Map" IN_PART },
        { { .code = OUTCOME_LEFT, .step = STEP_CALL, .ending = ENDING_PIPE_CLOSED, .doubt = DOUBT_UNREADABLE }, "left",
            "the client closed the pipe before an answer to a call" UNREADABLE },
        { { .code = OUTCOME_CUT, .step = STEP_CREATE, .doubt = DOUBT_CUT }, "cut",
            "the answer to Create was captured only in part" },
        { { .code = OUTCOME_SMB_STATUS, .step = STEP_LOGON, .status = 0xc0000022, .user = "X\\eve" }, "smb_status",
            "Session Setup: STATUS_ACCESS_DENIED (0xc0000022), user X\\eve" },
        { { .code = OUTCOME_SMB_STATUS, .step = STEP_TREE_CONNECT, .status = 0xc0000023, .operation = "Q" },
            "smb_status", "Tree Connect: error (0xc0000023)" },
        { { .code = OUTCOME_ENCRYPTED, .step = STEP_LOGON }, "encrypted",
            "everything after the logon is encrypted by SMB 3, or is not SMB: pipes and calls cannot be seen" },
        { { .code = OUTCOME_CONTEXT_REJECTED, .status = 0x00020001 }, "context_rejected",
            "context rejected: result 2, reason 1" },
        { { .code = OUTCOME_CONTEXT_REJECTED, .status = 0x00010002 }, "context_rejected",
            "context rejected: result 1, reason 2" },
        { { .code = OUTCOME_CONTEXT_REJECTED, .status = 0x00030000 }, "context_rejected",
            "context rejected: unknown result, reason 0" },
        { { .code = OUTCOME_CONTEXT_REJECTED, .status = 0x00000009 }, "context_rejected",
            "context rejected: result 0, unknown reason" },
        { { .code = OUTCOME_CONTEXT_REJECTED, .status = 0x00028000 }, "context_rejected",
            "context rejected: result 2, unknown reason" },
        { { .code = OUTCOME_BIND_NAK, .status = 2 }, "bind_nak", "bind_nak: reject 2 (2)" },
        { { .code = OUTCOME_BIND_NAK, .status = 0 }, "bind_nak", "bind_nak: reject 0 (0)" },
        { { .code = OUTCOME_BIND_NAK, .status = 47 }, "bind_nak", "bind_nak: unknown reason (47)" },
        { { .code = OUTCOME_NO_ENDPOINT, .status = 0x16c9a0d6 }, "no_endpoint",
            "no endpoint for the interface: EPT_S_NOT_REGISTERED (0x16c9a0d6)" },
        { { .code = OUTCOME_NO_ENDPOINT, .status = 0x16c9a0d7 }, "no_endpoint",
            "no endpoint for the interface: error (0x16c9a0d7)" },
        { { .code = OUTCOME_FAULT_NOT_CAPTURED, .step = STEP_CALL, .operation = "Open" }, "fault_not_captured",
            "Open: fault (status not captured)" },
        { { .code = OUTCOME_FAULT, .step = STEP_CALL, .status = 0x1c010003, .operation = "Open" }, "fault",
            "Open: fault nca_s_unk_if (0x1c010003)" },
        { { .code = OUTCOME_FAULT, .step = STEP_ACTIVATE, .status = 0x5a5a5a5a }, "fault",
            "activation: fault 0x5a5a5a5a (0x5a5a5a5a)" },
        { { .code = OUTCOME_WIN32, .status = 5, .operation = "Enumerate" }, "win32",
            "Enumerate: ERROR_ACCESS_DENIED (0x00000005)" },
        { { .code = OUTCOME_WIN32, .step = STEP_CALL, .status = 0x0badf00d }, "win32", "a call: error (0x0badf00d)" },
        { { .code = OUTCOME_HRESULT, .status = 0x80300112, .operation = "Start" }, "hresult",
            "Start: PLA_E_RULES_MANAGER_FAILED (0x80300112)" },
        { { .code = OUTCOME_HRESULT, .status = 0xdeadbeef, .operation = "Start" }, "hresult",
            "Start: error (0xdeadbeef)" },
        { { .code = OUTCOME_GIVEN_UP, .step = STEP_CALL }, "given_up", "a call: given up by the client" },
        { { .code = OUTCOME_GIVEN_UP, .step = STEP_CALL, .operation = "Query" }, "given_up",
            "Query: given up by the client" },
        { { .code = OUTCOME_PIPE_STATUS,
              .step = STEP_TRANSCEIVE,
              .status = 0xc0000022,
              .operation = "Open",
              .user = "X" },
            "pipe_status", "Open: Transceive: STATUS_ACCESS_DENIED (0xc0000022)" },
        { { .code = OUTCOME_PIPE_STATUS, .step = STEP_READ, .status = 1 }, "pipe_status",
            "Read: Read: error (0x00000001)" },
        { { .code = OUTCOME_REST_NOT_READ, .step = STEP_CALL, .operation = "Query" }, "rest_not_read",
            "Query: the client did not read the rest of the answer" },
        { { .code = OUTCOME_SLOW, .step = STEP_BIND, .seconds = 5.26, .status = 7 }, "slow",
            "bind answered after 5.3 s" },
        { { .code = OUTCOME_SLOW, .step = STEP_CALL, .seconds = 10, .operation = "Query" }, "slow",
            "Query answered after 10.0 s" },
        { { .code = OUTCOME_OPEN, .step = STEP_CREATE }, "open", "no answer yet to Create" },
        { { .code = OUTCOME_OPEN, .step = STEP_CREATE, .doubt = DOUBT_UNREADABLE }, "open",
            "no answer yet to Create" UNREADABLE },
        { { .code = OUTCOME_NOT_BOUND, .step = STEP_CALL }, "not_bound", "calls without a bind" },
        { { .code = OUTCOME_NOTHING_FOLLOWED, .step = STEP_BIND }, "nothing_followed", "nothing followed" },
        { { .code = OUTCOME_NOTHING_FOLLOWED, .doubt = DOUBT_CLIENT }, "nothing_followed", "nothing followed" CLIENTS },
        { { .code = OUTCOME_CAPTURE_ENDED, .step = STEP_BIND }, "capture_ended",
            "the capture ends before the client went on" },
        { { .code = OUTCOME_OTHERS_CALLED }, "others_called", "bound, but only other interfaces were called" },
        { { .code = OUTCOME_FOUND_PORT, .status = 49664 }, "found_port", "found at TCP port 49664" },
        { { .code = OUTCOME_FOUND_ELSEWHERE }, "found_elsewhere", "found, but not on TCP" },
        { { .code = OUTCOME_FOUND_UNREAD }, "found_unread", "answered" },
        { { .code = OUTCOME_FOUND_OBJECT }, "found_object", "object given" },
        { { .code = OUTCOME_SEALED }, "sealed", "answered, but encrypted" },
        { { .code = OUTCOME_FRAGMENTED }, "fragmented",
            "answered in fragments, which are not read: dcerpc.reassemble_dcerpc is off" },
        { { .code = OUTCOME_IN_PART }, "in_part", "answered, but captured only in part" },
        { { .code = OUTCOME_REACHED }, "reached", "answered, but no value was asked for" },
        { { .code = OUTCOME_NO_VALUE }, "no_value", "asked for values, but received none" },
        { { .code = OUTCOME_WORKS }, "works", "works" },
    };
    bool is_met[NUM_OUTCOMES] = { false };

    for (size_t i = 0; i < array_length(fields); i++) {
        fields[i].same_name_prev_id = -1;
    }
    for (unsigned i = 0; i < array_length(cases); i++) {
        const struct outcome *outcome = &cases[i].outcome;

        is_met[outcome->code] = true;
        CHECK_STRING(outcomes[outcome->code].name, cases[i].name, "case %u", i);
        CHECK_STRING(outcome_text(outcome, wmem_epan_scope()), cases[i].text, "case %u", i);
    }
    for (unsigned code = 0; code < NUM_OUTCOMES; code++) {
        CHECK(is_met[code], "%s: no case", outcomes[code].name);
    }
}

/* Programs look outcomes up by their codes. */
static void
test_codes_of_outcomes_differ(void)
{
    for (unsigned i = 0; i < NUM_OUTCOMES; i++) {
        for (unsigned j = 0; j < i; j++) {
            CHECK(strcmp(outcomes[i].name, outcomes[j].name) != 0, "%s twice", outcomes[i].name);
        }
    }
}

static void
test_step_belongs_to_its_stage(void)
{
    static const struct {
        enum step step;
        const char *text, *stage;
    } cases[] = {
        { STEP_NONE, "", "TCP" },
        { STEP_SYN, "SYN", "TCP" },
        { STEP_OBJECT_SYN, "SYN to the object's port", "TCP" },
        { STEP_NEGOTIATE, "Negotiate", "SMB session" },
        { STEP_LOGON, "Session Setup", "SMB session" },
        { STEP_TREE_CONNECT, "Tree Connect", "tree" },
        { STEP_CREATE, "Create", "pipe" },
        { STEP_READ, "Read", "pipe" },
        { STEP_WRITE, "Write", "pipe" },
        { STEP_TRANSCEIVE, "Transceive", "pipe" },
        { STEP_BIND, "bind", "bind" },
        { STEP_ALTER, "alter_context", "bind" },
        { STEP_CALL, "a call", "call" },
        { STEP_MAP, "Map", "endpoint mapper" },
        { STEP_ACTIVATE, "activation", "call" },
    };

    for (unsigned i = 0; i < array_length(cases); i++) {
        CHECK_EQUAL((int)cases[i].step, i, "not all steps are tried");
        CHECK_STRING(steps[cases[i].step].text, cases[i].text, "step %u", i);
        CHECK_STRING(stage_texts[steps[cases[i].step].stage], cases[i].stage, "%s", cases[i].text);
    }
    CHECK_EQUAL((int)array_length(cases), STEP_ACTIVATE + 1, "not all steps are tried");
}

static void
test_only_servers_end_for_the_server(void)
{
    static const bool is_servers[] = {
        [ENDING_NONE] = false,
        [ENDING_CLIENT_CLOSED] = false,
        [ENDING_SERVER_CLOSED] = true,
        [ENDING_CLOSED] = false,
        [ENDING_CLIENT_RESET] = false,
        [ENDING_SERVER_RESET] = true,
        [ENDING_PIPE_CLOSED] = false,
    };

    for (unsigned i = 0; i < array_length(is_servers); i++) {
        CHECK(outcome_by_server((enum ending)i) == is_servers[i], "%s", ending_texts[i]);
    }
}

static void
test_outcomes_are_equal_but_for_their_seconds(void)
{
    static const struct outcome usual = { OUTCOME_FAULT, STEP_CALL, ENDING_CLOSED, DOUBT_CUT, 5, 1.5, "Open", "eve" };
    const struct outcome none = { OUTCOME_FAULT, STEP_CALL, ENDING_CLOSED, DOUBT_CUT, 5, 1.5, NULL, NULL };
    char operation[] = "Open", user[] = "eve";
    struct outcome other;

#define CHECK_OTHER(member, value, is_same) \
    other = usual; \
    other.member = (value); \
    CHECK(outcome_equal(&usual, &other) == (is_same), "another " #member); \
    CHECK(outcome_equal(&other, &usual) == (is_same), "another " #member ", the other way round")
    CHECK_OTHER(code, OUTCOME_FAULT, true);
    CHECK_OTHER(code, OUTCOME_WIN32, false);
    CHECK_OTHER(step, STEP_MAP, false);
    CHECK_OTHER(ending, ENDING_NONE, false);
    CHECK_OTHER(doubt, DOUBT_NONE, false);
    CHECK_OTHER(status, 6, false);
    CHECK_OTHER(seconds, 2.5, true);
    CHECK_OTHER(operation, "Close", false);
    CHECK_OTHER(operation, NULL, false);
    CHECK_OTHER(operation, operation, true);
    CHECK_OTHER(user, "bob", false);
    CHECK_OTHER(user, NULL, false);
    CHECK_OTHER(user, user, true);
    CHECK(outcome_equal(&none, &none), "without names");
}

int
main(void)
{
    wmem_init_scopes();
    win32_names_init();
    test_outcome_has_its_code_and_sentence();
    test_codes_of_outcomes_differ();
    test_step_belongs_to_its_stage();
    test_only_servers_end_for_the_server();
    test_outcomes_are_equal_but_for_their_seconds();
    return check_result();
}
