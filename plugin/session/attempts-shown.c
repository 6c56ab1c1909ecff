/* attempts-shown.c
 * Texts shown for an attempt, and the outcome code of its reason
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/attempts.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "base/win32-names.h"

/* Number of answers without values after which a client is reported even if it is still trying. */
#define MOST_TRIES 10u

double
attempt_seconds(const nstime_t *from, const nstime_t *to)
{
    nstime_t delta;

    nstime_delta(&delta, to, from);
    return nstime_to_sec(&delta);
}

const char *
attempt_over(const struct attempt *attempt, wmem_allocator_t *scope)
{
    const char *smb = attempt->carrier == SESSION_SMB2 ? "SMB2" : "SMB1";

    if (attempt->carrier == SESSION_TCP) {
        return wmem_strdup_printf(scope, "TCP %u", attempt->port);
    }
    return attempt->pipe == NULL ? smb : wmem_strdup_printf(scope, "%s \\%s", smb, attempt->pipe);
}

const char *
attempt_wants(const struct attempt *attempt, wmem_allocator_t *scope)
{
    static const struct {
        unsigned bit;
        const char *name;
    } interfaces[] = {
        { WANTS_PERFLIBV2, "PerflibV2" },
        { WANTS_WINREG, "winreg" },
        { WANTS_PERFDATA, "performance data" },
        { WANTS_PLA, "PLA" },
    };
    unsigned wants = attempt->wants;
    wmem_strbuf_t *text = wmem_strbuf_new(scope, NULL);

    if (wants == 0) {
        return attempt->pipe != NULL ? "(nothing bound)" : "(not said)";
    }
    if (wants & WANTS_PERFDATA) {
        wants &= ~(unsigned)WANTS_WINREG;
    }
    if (wants & WANTS_ENDPOINT) {
        wmem_strbuf_append(text, wants & WANTS_INTERFACE ? "endpoint of " : "endpoint");
    } else if (wants & WANTS_OBJECT) {
        wmem_strbuf_append(text, wants & WANTS_INTERFACE ? "object of " : "object of an unknown class");
    }
    for (size_t i = 0, shown_so_far = 0; i < array_length(interfaces); i++) {
        if (wants & interfaces[i].bit) {
            wmem_strbuf_append_printf(text, "%s%s", shown_so_far++ == 0 ? "" : ", ", interfaces[i].name);
        }
    }
    if (attempt->class_name != NULL) {
        wmem_strbuf_append_printf(text, " (%s)", attempt->class_name);
    }
    return wmem_strbuf_get_str(text);
}

static void
append_frames(wmem_strbuf_t *text, const struct occurrence *occurrence)
{
    if (occurrence->first_frame == occurrence->last_frame) {
        wmem_strbuf_append_printf(text, " in frame %u", occurrence->first_frame);
    } else {
        wmem_strbuf_append_printf(text, " in frames %u to %u", occurrence->first_frame, occurrence->last_frame);
    }
}

static void
append_separator(wmem_strbuf_t *text)
{
    if (wmem_strbuf_get_len(text) != 0) {
        wmem_strbuf_append(text, "; ");
    }
}

static void
append_failures(wmem_strbuf_t *text, const struct occurrence *occurrence, const char *kind, wmem_allocator_t *scope)
{
    if (occurrence->count == 0) {
        return;
    }
    append_separator(text);
    if (occurrence->count > 1) {
        wmem_strbuf_append_printf(text, "%u %s, the first: ", occurrence->count, kind);
    }
    wmem_strbuf_append_printf(text, "%s in frame %u", outcome_text(&occurrence->what, scope), occurrence->first_frame);
    for (const struct further_outcome *further = occurrence->further; further != NULL; further = further->next) {
        wmem_strbuf_append_printf(text, ", also %s in frame %u", outcome_text(&further->what, scope), further->frame);
    }
}

enum doubt
attempt_doubt(const struct losses *losses, enum end end, uint32_t since)
{
    if (end == SERVER && capture_has_requests_only(losses->cuts)) {
        return DOUBT_SERVER;
    }
    return losses->last_cut[end] > since                      ? DOUBT_CUT
        : !losses->lacks[end] && losses->unread[end] <= since ? DOUBT_NONE
        : end == SERVER                                       ? DOUBT_SERVER
                                                              : DOUBT_CLIENT;
}

/*
 * Returns why a missing answer may be the capture's fault, or DOUBT_NONE. Over SMB an answer is readable only with the
 * client's read request, so lost or late client segments count, too.
 */
static enum doubt
call_doubt(const struct attempt *attempt, uint32_t since)
{
    const struct losses *losses = attempt->losses;

    if (attempt->carrier != SESSION_TCP && losses->last_cut[CLIENT] >= since && losses->last_cut[CLIENT] != 0) {
        return DOUBT_CUT;
    }
    return attempt->carrier != SESSION_TCP && (losses->lacks[CLIENT] || losses->unread[CLIENT] > since) &&
            !losses->lacks[SERVER] && losses->last_cut[SERVER] <= since
        ? DOUBT_UNREADABLE
        : attempt_doubt(losses, SERVER, since);
}

static const struct pending_request *
first_pending(const struct attempt *attempt)
{
    const wmem_list_frame_t *first = wmem_list_head(attempt->pending);

    return first == NULL ? NULL : (const struct pending_request *)wmem_list_frame_data(first);
}

/*
 * Returns the outcome of a request without a complete answer: OUTCOME_OPEN (the answer may still arrive), NO_ANSWER,
 * LEFT (the connection ended before), REST_NOT_READ (by the client), or CUT (it may be in a truncated frame).
 */
static struct outcome
unanswered(const struct attempt *attempt, enum step step, uint32_t frame, const nstime_t *time)
{
    const double patience = step == STEP_CALL ? SLOW_CALL : SLOW_STEP;
    struct outcome what = { .code = OUTCOME_NO_ANSWER, .step = step, .doubt = call_doubt(attempt, frame) };

    if (what.doubt == DOUBT_NONE && attempt->rest_in > frame) {
        what.code = OUTCOME_REST_NOT_READ;
    }
    if (what.doubt == DOUBT_CUT) {
        what.code = OUTCOME_CUT;
    } else if (attempt->is_over && what.code == OUTCOME_NO_ANSWER && attempt->ending != ENDING_NONE &&
        attempt->ending != ENDING_CLOSED && attempt_seconds(time, &attempt->ended_at) < patience) {
        what.code = OUTCOME_LEFT;
        what.ending = attempt->ending;
    } else if (!attempt->is_over && !attempt->is_overdue && attempt_seconds(time, &attempt->attempts->now) < patience) {
        what.code = OUTCOME_OPEN;
    }
    return what;
}

unsigned
attempt_unanswered(const struct attempt *attempt, struct outcome *first, uint32_t *frame)
{
    unsigned count = 0;

    for (wmem_list_frame_t *link = wmem_list_head(attempt->pending); link != NULL; link = wmem_list_frame_next(link)) {
        const struct pending_request *request = (const struct pending_request *)wmem_list_frame_data(link);

        const struct outcome what = unanswered(request->attempt, STEP_CALL, request->frame, &request->time);

        if (what.code != OUTCOME_NO_ANSWER && what.code != OUTCOME_LEFT && what.code != OUTCOME_REST_NOT_READ) {
            continue;
        }
        if (first != NULL && (count == 0 || (what.code == OUTCOME_NO_ANSWER && first->code != OUTCOME_NO_ANSWER))) {
            *first = what;
            *frame = request->frame;
        }
        count++;
    }
    return count;
}

/* Maximum number of waiting calls that attempt_waiting() looks at, because a row may have very many. */
#define MOST_LOOKED_AT 64

const struct pending_request *
attempt_waiting(const struct attempt *attempt)
{
    unsigned looked_at = 0;

    for (wmem_list_frame_t *link = wmem_list_head(attempt->pending); link != NULL && looked_at++ < MOST_LOOKED_AT;
         link = wmem_list_frame_next(link)) {
        const struct pending_request *request = (const struct pending_request *)wmem_list_frame_data(link);

        if (unanswered(request->attempt, STEP_CALL, request->frame, &request->time).code == OUTCOME_NO_ANSWER) {
            return request;
        }
    }
    return first_pending(attempt);
}

bool
attempt_lacks_answer(const struct attempt *attempt)
{
    const struct pending_request *request = first_pending(attempt);

    return request != NULL && call_doubt(request->attempt, request->frame) != DOUBT_NONE;
}

/* Returns the words before the name of the unanswered request in frame `frame`: "no answer to". */
static const char *
waiting_text(const struct attempt *attempt, const struct outcome *what, uint32_t frame)
{
    switch (what->code) {
    case OUTCOME_OPEN: return attempt->rest_in > frame ? "not read to its end yet: the answer to" : "no answer yet to";
    case OUTCOME_CUT: return "captured only in part: the answer to";
    case OUTCOME_REST_NOT_READ: return "the client did not read the rest of the answer to";
    default: return "no answer to";
    }
}

static void
append_waiting(wmem_strbuf_t *text, const struct attempt *attempt)
{
    const unsigned waiting = wmem_list_count(attempt->pending);
    const struct pending_request *request = first_pending(attempt);
    struct outcome what = { .code = OUTCOME_NONE };

    if (attempt->awaits != STEP_NONE) {
        what = unanswered(attempt, attempt->awaits, attempt->awaits_since, &attempt->awaits_time);
        append_separator(text);
        wmem_strbuf_append_printf(text, "%s %s of frame %u", waiting_text(attempt, &what, attempt->awaits_since),
            steps[attempt->awaits].text, attempt->awaits_since);
    }
    if (waiting != 0) {
        what = unanswered(request->attempt, STEP_CALL, request->frame, &request->time);
        append_separator(text);
        wmem_strbuf_append_printf(text, "%s ", waiting_text(request->attempt, &what, request->frame));
        if (waiting > 1) {
            wmem_strbuf_append_printf(text, "%u calls, the first: ", waiting);
        }
        wmem_strbuf_append_printf(text, "%s of frame %u", request->operation, request->frame);
        if (request->attempt->is_over && what.code != OUTCOME_CUT) {
            wmem_strbuf_append_printf(text, ", then %s", ending_texts[request->attempt->ending]);
        }
    }
    if (what.code != OUTCOME_NONE && what.code != OUTCOME_CUT) {
        wmem_strbuf_append(text, doubt_texts[what.doubt]);
    }
}

static void
append_unbound(wmem_strbuf_t *text, const struct attempt *attempt)
{
    const char *which = attempt->is_bound ? "alter_context" : "logon";

    if (attempt->unbound == 0) {
        return;
    }
    append_separator(text);
    wmem_strbuf_append_printf(text, "%u call%s without a bind: ", attempt->unbound,
        plurality(attempt->unbound, "", "s"));
    if (!session_is_enabled()) {
        wmem_strbuf_append(text, "the protocol perflib_session, which reads binds, is disabled");
        return;
    }
    if (attempt_is_in_part(attempt)) {
        wmem_strbuf_append(text, "it was captured only in part");
        return;
    }
    wmem_strbuf_append(text, attempt_lacks_bind(attempt) ? "it is not in the capture" : "the capture begins later");
    if (attempt->locked != 0) {
        wmem_strbuf_append_printf(text, "; encrypted, and no key helps, because the %s is not in the capture", which);
    }
}

void
attempt_add_awaited(const struct attempt *attempt, GHashTable *frames)
{
    for (wmem_list_frame_t *link = wmem_list_head(attempt->pending); link != NULL; link = wmem_list_frame_next(link)) {
        const struct pending_request *request = (const struct pending_request *)wmem_list_frame_data(link);
        const struct outcome what = unanswered(request->attempt, STEP_CALL, request->frame, &request->time);

        if ((what.code == OUTCOME_OPEN || what.code == OUTCOME_REST_NOT_READ) && what.doubt == DOUBT_NONE) {
            g_hash_table_insert(frames, GUINT_TO_POINTER(request->frame), GUINT_TO_POINTER(what.code));
        }
    }
    if (!attempt->latest->is_over && first_pending(attempt) == NULL &&
        attempt_seconds(&attempt->answered_at, &attempt->attempts->now) < SLOW_CALL) {
        g_hash_table_insert(frames, GUINT_TO_POINTER(attempt->answered_in), GUINT_TO_POINTER(OUTCOME_OPEN));
    }
}

/* Returns true if a client without values so far may ask again, or did, for example with a larger buffer. */
static bool
may_ask_again(const struct attempt *attempt)
{
    return (!attempt->latest->is_over || first_pending(attempt) != NULL) && attempt->asked_values < MOST_TRIES &&
        (attempt->no_value.count == 0 || win32_is_size_error(attempt->no_value.what.status));
}

/* Returns the outcome of an attempt whose answers were truncated or left in fragments, or contain no values. */
static enum outcome_code
reached_code(const struct attempt *attempt)
{
    return attempt_is_in_part(attempt) ? OUTCOME_IN_PART
        : attempt->fragmented != 0     ? OUTCOME_FRAGMENTED
                                       : OUTCOME_REACHED;
}

struct outcome
attempt_reason(const struct attempt *attempt)
{
    const enum attempt_state state = attempt_state(attempt);
    const struct occurrence *failed[] = { &attempt->stopped,
        state == ATTEMPT_NO_VALUE ? &attempt->failed_values : &attempt->stopped, &attempt->refusals, &attempt->faults,
        &attempt->given_up, state == ATTEMPT_NO_VALUE ? &attempt->no_value : &attempt->stopped };
    const struct pending_request *request = attempt_waiting(attempt);
    struct outcome what = { .code = OUTCOME_NOTHING_FOLLOWED,
        .step = attempt->is_bound ? STEP_BIND : STEP_CREATE,
        .ending = attempt->ending,
        .doubt = attempt_doubt(attempt->losses, CLIENT, attempt->frame) };

    for (size_t i = 0; i < array_length(failed); i++) {
        if (failed[i]->count != 0 && (failed[i] != &attempt->no_value || !may_ask_again(attempt))) {
            return failed[i]->what;
        }
    }
    if (attempt->awaits != STEP_NONE) {
        return unanswered(attempt, attempt->awaits, attempt->awaits_since, &attempt->awaits_time);
    }
    if (request != NULL) {
        what = unanswered(request->attempt, STEP_CALL, request->frame, &request->time);
        what.operation = request->operation;
        return what;
    }
    if (attempt->unbound != 0) {
        what.code = attempt_is_in_part(attempt) ? OUTCOME_CUT : OUTCOME_NOT_BOUND;
        what.step = STEP_BIND;
        what.doubt = attempt_lacks_bind(attempt) ? DOUBT_CLIENT : DOUBT_NONE;
        return what;
    }
    switch (state) {
    case ATTEMPT_FOUND: return attempt->found;
    case ATTEMPT_REACHED: what.code = reached_code(attempt); break;
    case ATTEMPT_NO_VALUE: what.code = may_ask_again(attempt) ? OUTCOME_CAPTURE_ENDED : OUTCOME_NO_VALUE; break;
    case ATTEMPT_SEALED: what.code = OUTCOME_SEALED; break;
    case ATTEMPT_WORKS: what.code = OUTCOME_WORKS; break;
    default:
        if (what.doubt == DOUBT_CUT) {
            what.code = OUTCOME_CUT;
        } else if (attempt->others != 0) {
            what.code = OUTCOME_OTHERS_CALLED;
        } else if (what.doubt == DOUBT_NONE && !attempt->latest->is_over) {
            what.code = OUTCOME_CAPTURE_ENDED;
        }
    }
    return what;
}

/* Returns the text for the state of an attempt that was answered and not stopped. */
static const char *
state_text(const struct attempt *attempt, wmem_allocator_t *scope)
{
    static const enum outcome_code codes[] = {
        [ATTEMPT_NO_VALUE] = OUTCOME_NO_VALUE,
        [ATTEMPT_SEALED] = OUTCOME_SEALED,
        [ATTEMPT_WORKS] = OUTCOME_WORKS,
    };
    const enum attempt_state state = attempt_state(attempt);
    const struct pending_request *request = first_pending(attempt);
    struct outcome what = { .code = state == ATTEMPT_REACHED ? reached_code(attempt) : codes[state] };

    /* The answer to a request for values is unknown, or the pending call may be one of them. */
    if (what.code == OUTCOME_REACHED &&
        (attempt->asks_values ||
            (request != NULL && request->wants == WANTS_WINREG && request->opnum == QUERY_VALUE))) {
        what.code = OUTCOME_FOUND_UNREAD;
    }
    return outcome_text(&what, scope);
}

const char *
attempt_outcome(const struct attempt *attempt, wmem_allocator_t *scope)
{
    const enum doubt doubt = attempt_doubt(attempt->losses, CLIENT, attempt->frame);
    wmem_strbuf_t *text = wmem_strbuf_new(scope, NULL);

    if (attempt->stopped.count != 0) {
        wmem_strbuf_append(text, outcome_text(&attempt->stopped.what, scope));
        append_frames(text, &attempt->stopped);
    } else if (attempt->found.code != OUTCOME_NONE) {
        wmem_strbuf_append(text, outcome_text(&attempt->found, scope));
    } else if (attempt_is_answered(attempt)) {
        wmem_strbuf_append(text, state_text(attempt, scope));
    }
    append_failures(text, &attempt->refusals, "refusals", scope);
    append_failures(text, &attempt->faults, "faults", scope);
    append_failures(text, &attempt->given_up, "calls", scope);
    if (attempt_state(attempt) == ATTEMPT_NO_VALUE) {
        append_failures(text, &attempt->no_value, "answers without a value", scope);
    }
    append_failures(text, &attempt->slow, "slow answers", scope);
    append_waiting(text, attempt);
    append_unbound(text, attempt);
    if (wmem_strbuf_get_len(text) == 0 && attempt->others != 0) {
        wmem_strbuf_append(text, outcome_text(&(struct outcome){ .code = OUTCOME_OTHERS_CALLED }, scope));
    } else if (wmem_strbuf_get_len(text) == 0) {
        wmem_strbuf_append(text, attempt->is_bound ? "bound, but no call followed" : "opened, but nothing followed");
        if (doubt == DOUBT_NONE && outcome_by_server(attempt->ending)) {
            wmem_strbuf_append_printf(text, ", then %s", ending_texts[attempt->ending]);
        }
        wmem_strbuf_append(text, doubt_texts[doubt]);
    }
    if (attempt->worked_in != 0) {
        wmem_strbuf_append_printf(text, "; %sworked %" PRId64 ".%03" PRId64 " s later in frame %u",
            attempt->may_start ? "service started: " : "", attempt->worked_after / 1000, attempt->worked_after % 1000,
            attempt->worked_in);
    } else if (attempt->again != NULL) {
        wmem_strbuf_append_printf(text, "; %s again in frame %u", attempt_is_answered(attempt) ? "begun" : "tried",
            attempt->again->frame);
    }
    return wmem_strbuf_get_str(text);
}
