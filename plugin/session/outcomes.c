/* outcomes.c
 * Texts of outcomes, steps, stages and doubts
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/outcomes.h"

#include <string.h>

#include "base/fields.h"
#include "base/rpc-call.h"
#include "base/win32-names.h"

#define EPT_S_NOT_REGISTERED 0x16c9a0d6u /* status of ept_map, [C706] appendix E */

static const struct {
    const char *text;
    enum stage stage;
} steps[] = {
    [STEP_NONE] = { "", STAGE_TCP },
    [STEP_SYN] = { "SYN", STAGE_TCP },
    [STEP_OBJECT_SYN] = { "SYN to the object's port", STAGE_TCP },
    [STEP_NEGOTIATE] = { "Negotiate", STAGE_SESSION },
    [STEP_LOGON] = { "Session Setup", STAGE_SESSION },
    [STEP_TREE_CONNECT] = { "Tree Connect", STAGE_TREE },
    [STEP_CREATE] = { "Create", STAGE_PIPE },
    [STEP_READ] = { "Read", STAGE_PIPE },
    [STEP_WRITE] = { "Write", STAGE_PIPE },
    [STEP_TRANSCEIVE] = { "Transceive", STAGE_PIPE },
    [STEP_BIND] = { "bind", STAGE_BIND },
    [STEP_CALL] = { "a call", STAGE_CALL },
    [STEP_MAP] = { "Map", STAGE_MAPPER },
    [STEP_ACTIVATE] = { "activation", STAGE_CALL },
};

static const char *const stages[] = {
    [STAGE_TCP] = "TCP",
    [STAGE_SESSION] = "SMB session",
    [STAGE_TREE] = "tree",
    [STAGE_PIPE] = "pipe",
    [STAGE_BIND] = "bind",
    [STAGE_CALL] = "call",
    [STAGE_MAPPER] = "endpoint mapper",
};

static const char *const endings[] = {
    [ENDING_NONE] = "",
    [ENDING_CLIENT_CLOSED] = "the client closed the connection",
    [ENDING_SERVER_CLOSED] = "the server closed the connection",
    [ENDING_CLOSED] = "the connection was closed",
    [ENDING_CLIENT_RESET] = "the client reset the connection",
    [ENDING_SERVER_RESET] = "the server reset the connection",
    [ENDING_PIPE_CLOSED] = "the client closed the pipe",
};

static const char *const doubts[] = {
    [DOUBT_NONE] = "",
    [DOUBT_SERVER] = ", or it was not captured: segments of the server are missing",
    [DOUBT_CLIENT] = ", or it was not captured: segments of the client are missing",
    [DOUBT_UNREADABLE] = ", or it cannot be read: segments of the client are missing",
    [DOUBT_CUT] = ", or it was captured only in part",
};

/* Texts of outcomes. expand() replaces the words in braces. */
static const char *const outcomes[NUM_OUTCOMES] = {
    [OUTCOME_NONE] = "",
    [OUTCOME_REFUSED] = "connection refused",
    [OUTCOME_NO_ANSWER] = "no answer to {step}{doubt}",
    [OUTCOME_LEFT] = "{ending} before an answer to {step}{doubt}",
    [OUTCOME_CUT] = "the answer to {step} was captured only in part",
    [OUTCOME_SMB_STATUS] = "{step}: {ntstatus}{user}",
    [OUTCOME_ENCRYPTED] =
        "everything after the logon is encrypted by SMB 3, or is not SMB: pipes and calls cannot be seen",
    [OUTCOME_CONTEXT_REJECTED] = "context rejected: {result}, {reason}",
    [OUTCOME_BIND_NAK] = "bind_nak: {reject}",
    [OUTCOME_NO_ENDPOINT] = "no endpoint for the interface: {mapped}",
    [OUTCOME_FAULT] = "{operation}: fault {fault}",
    [OUTCOME_WIN32] = "{operation}: {win32}",
    [OUTCOME_HRESULT] = "{operation}: {hresult}",
    [OUTCOME_GIVEN_UP] = "{operation}: given up by the client",
    [OUTCOME_PIPE_STATUS] = "{operation}: {step}: {ntstatus}",
    [OUTCOME_REST_NOT_READ] = "{operation}: the client did not read the rest of the answer",
    [OUTCOME_SLOW] = "{operation} answered after {seconds}",
    [OUTCOME_OPEN] = "no answer yet to {step}{doubt}",
    [OUTCOME_NOT_BOUND] = "calls without a bind",
    [OUTCOME_NOTHING_FOLLOWED] = "nothing followed{doubt}",
    [OUTCOME_CAPTURE_ENDED] = "the capture ends before the client went on",
    [OUTCOME_OTHERS_CALLED] = "bound, but only other interfaces were called",
    [OUTCOME_FOUND_PORT] = "found at TCP port {number}",
    [OUTCOME_FOUND_ELSEWHERE] = "found, but not on TCP",
    [OUTCOME_FOUND_UNREAD] = "answered",
    [OUTCOME_FOUND_OBJECT] = "object given",
    [OUTCOME_SEALED] = "answered, but encrypted",
    [OUTCOME_IN_PART] = "answered, but captured only in part",
    [OUTCOME_FRAGMENTED] = "answered in fragments, which are not read: dcerpc.reassemble_dcerpc is off",
    [OUTCOME_REACHED] = "answered, but no value was asked for",
    [OUTCOME_NO_VALUE] = "asked for values, but received none",
    [OUTCOME_WORKS] = "works",
};

enum stage
step_stage(enum step step)
{
    return steps[step].stage;
}

const char *
step_text(enum step step)
{
    return steps[step].text;
}

const char *
stage_text(enum stage stage)
{
    return stages[stage];
}

const char *
ending_text(enum ending ending)
{
    return endings[ending];
}

bool
outcome_by_server(enum ending ending)
{
    return ending == ENDING_SERVER_CLOSED || ending == ENDING_SERVER_RESET;
}

const char *
doubt_text(enum doubt doubt)
{
    return doubts[doubt];
}

static const char *
named(wmem_allocator_t *scope, const char *name, uint32_t status)
{
    return wmem_strdup_printf(scope, "%s (0x%08x)", name != NULL ? name : "error", status);
}

static const char *
name_or(const char *field, uint32_t value, const char *otherwise)
{
    const char *name = foreign_field_value_name(field, value);

    return name != NULL ? name : otherwise;
}

/* Returns the replacement for a word in braces. */
static const char *
expand(const struct outcome *outcome, const char *word, wmem_allocator_t *scope)
{
    const uint32_t status = outcome->status;

    switch (word[0]) {
    case 's':
        return strncmp(word, "step", 4) == 0 ? step_text(outcome->step)
                                             : wmem_strdup_printf(scope, "%.1f s", outcome->seconds);
    case 'd': return doubt_text(outcome->doubt);
    case 'e': return ending_text(outcome->ending);
    case 'o': return outcome->operation != NULL ? outcome->operation : step_text(outcome->step);
    case 'u': return outcome->user == NULL ? "" : wmem_strdup_printf(scope, ", user %s", outcome->user);
    case 'n':
        return strncmp(word, "number", 6) == 0
            ? wmem_strdup_printf(scope, "%u", status)
            : named(scope, foreign_field_value_name("smb2.nt_status", status), status);
    case 'm': return named(scope, status == EPT_S_NOT_REGISTERED ? "EPT_S_NOT_REGISTERED" : NULL, status);
    case 'f': return named(scope, rpc_fault_text(scope, status), status);
    case 'w': return named(scope, try_val_to_str_ext(status, &win32_error_vals_ext), status);
    case 'h': return named(scope, hresult_name(scope, status), status);
    default:
        return strncmp(word, "result", 6) == 0 ? name_or("dcerpc.cn_ack_result", status >> 16, "unknown result")
            : strncmp(word, "reason", 6) == 0
            ? name_or("dcerpc.cn_ack_reason", status & 0xffff, "unknown reason")
            : wmem_strdup_printf(scope, "%s (%u)", name_or("dcerpc.cn_reject_reason", status, "unknown reason"),
                  status);
    }
}

const char *
outcome_text(const struct outcome *outcome, wmem_allocator_t *scope)
{
    wmem_strbuf_t *text = wmem_strbuf_new(scope, NULL);
    const char *at = outcomes[outcome->code], *brace;

    while ((brace = strchr(at, '{')) != NULL) {
        wmem_strbuf_append_len(text, at, (size_t)(brace - at));
        wmem_strbuf_append(text, expand(outcome, brace + 1, scope));
        at = strchr(brace, '}') + 1;
    }
    wmem_strbuf_append(text, at);
    return wmem_strbuf_get_str(text);
}

const char *
outcome_name(enum outcome_code code)
{
    static const char *const names[NUM_OUTCOMES] = {
        [OUTCOME_NONE] = "",
        [OUTCOME_REFUSED] = "refused",
        [OUTCOME_NO_ANSWER] = "no_answer",
        [OUTCOME_LEFT] = "left",
        [OUTCOME_CUT] = "cut",
        [OUTCOME_SMB_STATUS] = "smb_status",
        [OUTCOME_ENCRYPTED] = "encrypted",
        [OUTCOME_CONTEXT_REJECTED] = "context_rejected",
        [OUTCOME_BIND_NAK] = "bind_nak",
        [OUTCOME_NO_ENDPOINT] = "no_endpoint",
        [OUTCOME_FAULT] = "fault",
        [OUTCOME_WIN32] = "win32",
        [OUTCOME_HRESULT] = "hresult",
        [OUTCOME_GIVEN_UP] = "given_up",
        [OUTCOME_PIPE_STATUS] = "pipe_status",
        [OUTCOME_REST_NOT_READ] = "rest_not_read",
        [OUTCOME_SLOW] = "slow",
        [OUTCOME_OPEN] = "open",
        [OUTCOME_NOT_BOUND] = "not_bound",
        [OUTCOME_NOTHING_FOLLOWED] = "nothing_followed",
        [OUTCOME_CAPTURE_ENDED] = "capture_ended",
        [OUTCOME_OTHERS_CALLED] = "others_called",
        [OUTCOME_FOUND_PORT] = "found_port",
        [OUTCOME_FOUND_ELSEWHERE] = "found_elsewhere",
        [OUTCOME_FOUND_UNREAD] = "found_unread",
        [OUTCOME_FOUND_OBJECT] = "found_object",
        [OUTCOME_SEALED] = "sealed",
        [OUTCOME_IN_PART] = "in_part",
        [OUTCOME_FRAGMENTED] = "fragmented",
        [OUTCOME_REACHED] = "reached",
        [OUTCOME_NO_VALUE] = "no_value",
        [OUTCOME_WORKS] = "works",
    };

    return names[code];
}

bool
outcome_equal(const struct outcome *a, const struct outcome *b)
{
    return a->code == b->code && a->step == b->step && a->ending == b->ending && a->doubt == b->doubt &&
        a->status == b->status && g_strcmp0(a->operation, b->operation) == 0 && g_strcmp0(a->user, b->user) == 0;
}
