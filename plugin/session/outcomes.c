/* outcomes.c
 * Texts of outcomes, steps, stages and doubts
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/outcomes.h"

#include "base/fields.h"
#include "base/rpc-call.h"
#include "base/text.h"
#include "base/win32-names.h"

#define EPT_S_NOT_REGISTERED 0x16c9a0d6u /* status of ept_map, [C706] appendix E */

const struct step_text steps[] = {
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
    [STEP_ALTER] = { "alter_context", STAGE_BIND },
    [STEP_CALL] = { "a call", STAGE_CALL },
    [STEP_MAP] = { "Map", STAGE_MAPPER },
    [STEP_ACTIVATE] = { "activation", STAGE_CALL },
};

const char *const stage_texts[] = {
    [STAGE_TCP] = "TCP",
    [STAGE_SESSION] = "SMB session",
    [STAGE_TREE] = "tree",
    [STAGE_PIPE] = "pipe",
    [STAGE_BIND] = "bind",
    [STAGE_CALL] = "call",
    [STAGE_MAPPER] = "endpoint mapper",
};

const char *const ending_texts[] = {
    [ENDING_NONE] = "",
    [ENDING_CLIENT_CLOSED] = "the client closed the connection",
    [ENDING_SERVER_CLOSED] = "the server closed the connection",
    [ENDING_CLOSED] = "the connection was closed",
    [ENDING_CLIENT_RESET] = "the client reset the connection",
    [ENDING_SERVER_RESET] = "the server reset the connection",
    [ENDING_PIPE_CLOSED] = "the client closed the pipe",
};

const char *const doubt_texts[] = {
    [DOUBT_NONE] = "",
    [DOUBT_SERVER] = ", or it was not captured: segments of the server are missing",
    [DOUBT_CLIENT] = ", or it was not captured: segments of the client are missing",
    [DOUBT_UNREADABLE] = ", or it cannot be read: segments of the client are missing",
    [DOUBT_CUT] = ", or it was captured only in part",
};

const struct outcome_text outcomes[NUM_OUTCOMES] = {
    [OUTCOME_NONE] = { "", "" },
    [OUTCOME_REFUSED] = { "refused", "connection refused" },
    [OUTCOME_NO_ANSWER] = { "no_answer", "no answer to {step}{doubt}" },
    [OUTCOME_LEFT] = { "left", "{ending} before an answer to {step}{doubt}" },
    [OUTCOME_CUT] = { "cut", "the answer to {step} was captured only in part" },
    [OUTCOME_SMB_STATUS] = { "smb_status", "{step}: {ntstatus}{user}" },
    [OUTCOME_ENCRYPTED] = { "encrypted",
        "everything after the logon is encrypted by SMB 3, or is not SMB: pipes and calls cannot be seen" },
    [OUTCOME_CONTEXT_REJECTED] = { "context_rejected", "context rejected: {result}, {reason}" },
    [OUTCOME_BIND_NAK] = { "bind_nak", "bind_nak: {reject}" },
    [OUTCOME_NO_ENDPOINT] = { "no_endpoint", "no endpoint for the interface: {mapped}" },
    [OUTCOME_FAULT] = { "fault", "{operation}: fault {fault}" },
    [OUTCOME_FAULT_NOT_CAPTURED] = { "fault_not_captured", "{operation}: fault (status not captured)" },
    [OUTCOME_WIN32] = { "win32", "{operation}: {win32}" },
    [OUTCOME_HRESULT] = { "hresult", "{operation}: {hresult}" },
    [OUTCOME_GIVEN_UP] = { "given_up", "{operation}: given up by the client" },
    [OUTCOME_PIPE_STATUS] = { "pipe_status", "{operation}: {step}: {ntstatus}" },
    [OUTCOME_REST_NOT_READ] = { "rest_not_read", "{operation}: the client did not read the rest of the answer" },
    [OUTCOME_SLOW] = { "slow", "{operation} answered after {seconds}" },
    [OUTCOME_OPEN] = { "open", "no answer yet to {step}{doubt}" },
    [OUTCOME_NOT_BOUND] = { "not_bound", "calls without a bind" },
    [OUTCOME_NOTHING_FOLLOWED] = { "nothing_followed", "nothing followed{doubt}" },
    [OUTCOME_CAPTURE_ENDED] = { "capture_ended", "the capture ends before the client went on" },
    [OUTCOME_OTHERS_CALLED] = { "others_called", "bound, but only other interfaces were called" },
    [OUTCOME_FOUND_PORT] = { "found_port", "found at TCP port {number}" },
    [OUTCOME_FOUND_ELSEWHERE] = { "found_elsewhere", "found, but not on TCP" },
    [OUTCOME_FOUND_UNREAD] = { "found_unread", "answered" },
    [OUTCOME_FOUND_OBJECT] = { "found_object", "object given" },
    [OUTCOME_SEALED] = { "sealed", "answered, but encrypted" },
    [OUTCOME_IN_PART] = { "in_part", "answered, but captured only in part" },
    [OUTCOME_FRAGMENTED] = { "fragmented",
        "answered in fragments, which are not read: dcerpc.reassemble_dcerpc is off" },
    [OUTCOME_REACHED] = { "reached", "answered, but no value was asked for" },
    [OUTCOME_NO_VALUE] = { "no_value", "asked for values, but received none" },
    [OUTCOME_WORKS] = { "works", "works" },
};

bool
outcome_by_server(enum ending ending)
{
    return ending == ENDING_SERVER_CLOSED || ending == ENDING_SERVER_RESET;
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

/* Returns the text that replaces a word in braces of outcomes[]. word: text after the brace, "step}...". */
static const char *
expand(const struct outcome *outcome, const char *word, wmem_allocator_t *scope)
{
    const uint32_t status = outcome->status;

    switch (word[0]) {
    case 's':
        return strncmp(word, "step", 4) == 0
            ? steps[outcome->step].text
            : wmem_strdup_printf(scope, "%s s", number_text(scope, "%.1f", outcome->seconds));
    case 'd': return doubt_texts[outcome->doubt];
    case 'e': return ending_texts[outcome->ending];
    case 'o': return outcome->operation != NULL ? outcome->operation : steps[outcome->step].text;
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
    const char *at = outcomes[outcome->code].text, *brace;

    while ((brace = strchr(at, '{')) != NULL) {
        wmem_strbuf_append_len(text, at, (size_t)(brace - at));
        wmem_strbuf_append(text, expand(outcome, brace + 1, scope));
        at = strchr(brace, '}') + 1;
    }
    wmem_strbuf_append(text, at);
    return wmem_strbuf_get_str(text);
}

bool
outcome_equal(const struct outcome *a, const struct outcome *b)
{
    return a->code == b->code && a->step == b->step && a->ending == b->ending && a->doubt == b->doubt &&
        a->status == b->status && g_strcmp0(a->operation, b->operation) == 0 && g_strcmp0(a->user, b->user) == 0;
}
