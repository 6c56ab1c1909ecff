/* findings.c
 * Findings about a capture: what works, what does not, and remedies, the most severe first
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/findings.h"

#include <string.h>

#include <wsutil/str_util.h>

#include "session/tracker.h"

/* Maximum number of different findings of an attempt. */
#define MOST_CAUSES 8u

const char *const tone_texts[] = { "error", "warning", "note", "good" };

/*
 * Returns true if nothing is wrong with how an attempt ended: its answer was truncated or may still be received, or it
 * called only interfaces that the plugin does not decode.
 */
static bool
is_no_finding(const struct attempt *attempt)
{
    const enum outcome_code code = attempt_reason(attempt).code;

    return code == OUTCOME_OPEN || code == OUTCOME_CUT || code == OUTCOME_IN_PART || code == OUTCOME_FRAGMENTED ||
        code == OUTCOME_OTHERS_CALLED || code == OUTCOME_CAPTURE_ENDED;
}

/*
 * Returns true if the attempt works (calls were answered, and so were requests for values): failures of its other calls
 * are then minor.
 */
static bool
is_beside(const struct attempt *attempt)
{
    return attempt_is_answered(attempt) && attempt_state(attempt) != ATTEMPT_NO_VALUE;
}

/*
 * Returns how many refused calls add_sets() reports, so that add_attempts() does not: in a working attempt, those on
 * data collector sets; else none.
 */
static unsigned
refused_on_sets(const struct attempt *attempt)
{
    return is_beside(attempt) ? attempt->refused_on_sets : 0;
}

unsigned
findings_failures(const struct attempt *attempt)
{
    return attempt->refusals.count - refused_on_sets(attempt) + attempt->faults.count + attempt->given_up.count +
        attempt_unanswered(attempt, NULL, NULL);
}

enum tone
findings_tone(const struct attempt *attempt)
{
    switch (attempt_state(attempt)) {
    case ATTEMPT_STOPPED:
        return attempt->worked_in != 0                                                                       ? TONE_HINT
            : attempt->stopped.what.code == OUTCOME_ENCRYPTED || attempt_reason(attempt).doubt != DOUBT_NONE ? TONE_WARN
                                                                                                             : TONE_BAD;
    case ATTEMPT_NO_VALUE:
        return attempt->worked_in != 0                                ? TONE_HINT
            : is_no_finding(attempt) || attempt_lacks_answer(attempt) ? TONE_WARN
                                                                      : TONE_BAD;
    case ATTEMPT_FOUND:
    case ATTEMPT_REACHED:
    case ATTEMPT_SEALED:
    case ATTEMPT_WORKS:
        return attempt->needed != NULL ? TONE_WARN : findings_failures(attempt) != 0 ? TONE_HINT : TONE_GOOD;
    default: return TONE_WARN;
    }
}

const char *
findings_fill(wmem_allocator_t *scope, const char *text, const char *client, const char *server)
{
    wmem_strbuf_t *filled = wmem_strbuf_new(scope, NULL);
    const bool is_same = strcmp(client, server) == 0;

    for (const char *at = text; *at != '\0'; at++) {
        if (g_str_has_prefix(at, "{S}") || g_str_has_prefix(at, "{C}")) {
            wmem_strbuf_append(filled, at[1] == 'C' ? client : server);
            wmem_strbuf_append(filled, !is_same ? "" : at[1] == 'C' ? " (client)" : " (server)");
            at += 2;
        } else {
            wmem_strbuf_append_c(filled, *at);
        }
    }
    return wmem_strbuf_get_str(filled);
}

const char *
findings_problem(wmem_allocator_t *scope, enum problem problem, enum finding_code code, const char *client,
    const char *server)
{
    /* %s: remedies[code].says. findings_fill() replaces {S} by the server and {C} by the client. */
    static const char *const texts[NUM_PROBLEMS] = {
        [PROBLEM_SERVER] = "{S} %s",
        [PROBLEM_SOMETIMES] = "{S} answers, but sometimes it %s",
        [PROBLEM_ONCE] = "{S} answers, but once it %s",
        [PROBLEM_NO_ANSWER_YET] = "{S} has not answered yet",
        [PROBLEM_NOT_ALL_ANSWERED_YET] = "{S} answers, but has not answered all calls yet",
        [PROBLEM_CLIENT] = "{C} %s",
        [PROBLEM_NEVER_A_VALUE] = "Counters never had a value: {S} %s",
        [PROBLEM_SOMETIMES_NO_VALUE] = "Counters sometimes had no value: {S} %s",
        [PROBLEM_OBJECTS] = "Objects had no data: {S} %s",
        [PROBLEM_NAMES] = "Lists of names had damaged entries: {S} %s",
        [PROBLEM_SETS] = "Calls on data collector sets of {S} failed: %s",
        [PROBLEM_OTHERS] = "Other requests got no result",
        [PROBLEM_SEALED] = "The calls are encrypted and could not be read",
        [PROBLEM_RULES + RULE_WHO_CLIENT] = "A client breaks rules of [MS-PCQ]",
        [PROBLEM_RULES + RULE_WHO_SERVER] = "A server breaks rules of [MS-PCQ]",
        [PROBLEM_RULES + RULE_WHO_BOTH] = "Client and server break rules of [MS-PCQ]",
    };

    return findings_fill(scope, wmem_strdup_printf(scope, texts[problem], remedies[code].says), client, server);
}

const char *
findings_remedy(wmem_allocator_t *scope, enum finding_code code, const char *client, const char *server,
    const char *host)
{
    char **parts = g_strsplit(findings_fill(scope, remedies[code].remedy, client, server), "{H}", 2);
    const char *filled = wmem_strjoinv(scope, host != NULL ? host : "SERVER", parts);

    g_strfreev(parts);
    return filled;
}

/* Appends a finding. A finding without a display filter gets one for its frame. */
static void
append_finding(wmem_array_t *findings, wmem_allocator_t *scope, struct report_finding finding)
{
    finding.order = wmem_array_get_count(findings);
    if (finding.filter == NULL && finding.frame != 0) {
        finding.filter = wmem_strdup_printf(scope, "frame.number == %u", finding.frame);
    }
    wmem_array_append_one(findings, finding);
}

void
findings_advise(wmem_array_t *findings, wmem_allocator_t *scope, struct report_finding finding)
{
    const struct remedy *remedy = &remedies[finding.code];
    const char *client = finding.client != NULL ? finding.client : "the client";
    const char *server = finding.machine != NULL ? finding.machine
        : finding.server != NULL                 ? finding.server
                                                 : "the server";

    if (finding.remedy == NULL) {
        finding.remedy = findings_remedy(scope, finding.code, client, server, finding.server);
    }
    finding.whom = findings_fill(scope, remedy_persons[remedy->whom].text, client, server);
    append_finding(findings, scope, finding);
}

/* Returns a display filter for the traffic between two hosts. Allocated in `scope`. */
static const char *
pair_filter(wmem_allocator_t *scope, const char *client, const char *server)
{
    const char *field = strchr(client, ':') != NULL ? "ipv6.addr" : "ip.addr";

    return strcmp(client, server) == 0
        ? wmem_strdup_printf(scope, "%s == %s", field, client)
        : wmem_strdup_printf(scope, "%s == %s && %s == %s", field, client, field, server);
}

bool
findings_is_about(const struct attempt *attempt)
{
    const bool is_unread = attempt->needed != NULL || attempt_state(attempt) == ATTEMPT_UNDECIDED;

    return attempt->wants != WANTS_WINREG || (is_unread && !attempt->opens_other_key);
}

/* Cause of a finding: an outcome of an attempt, and the frame to look at. */
struct cause {
    enum finding_code code;
    struct outcome what;
    unsigned frame;
};

/* Causes of an attempt's findings, at most one for each finding code. */
struct causes {
    struct cause list[MOST_CAUSES];
    unsigned count;
};

/*
 * Returns the finding code of an outcome: FINDING_DENIED_AT_TIMES for a denial if other calls of the attempt were
 * answered.
 */
static enum finding_code
code_of(const struct attempt *attempt, const struct outcome *what)
{
    const enum finding_code code = finding_of_outcome(what, attempt->wants);
    const bool has_others = attempt_state(attempt) >= ATTEMPT_SEALED ||
        (attempt_state(attempt) == ATTEMPT_REACHED && attempt_is_in_part(attempt) && what->code == OUTCOME_FAULT);

    return has_others && remedy_is_denial(code) ? FINDING_DENIED_AT_TIMES : code;
}

static void
add_cause(struct causes *causes, const struct attempt *attempt, const struct outcome *what, unsigned frame)
{
    const enum finding_code code = code_of(attempt, what);

    for (unsigned i = 0; i < causes->count; i++) {
        if (causes->list[i].code == code) {
            return;
        }
    }
    if (causes->count < MOST_CAUSES) {
        causes->list[causes->count++] = (struct cause){ code, *what, frame };
    }
}

/*
 * Returns what to report about an attempt: the different failures of its calls if it works or a request for values
 * failed, else the outcome that stopped it.
 */
static struct causes
causes_of(const struct attempt *attempt)
{
    const unsigned on_sets = refused_on_sets(attempt);
    const bool is_only_on_sets = on_sets != 0 && on_sets == attempt->refusals.count;
    const struct occurrence *failed[] = { &attempt->refusals, &attempt->faults, &attempt->given_up };
    const struct occurrence *stopped = attempt_what_stopped(attempt);
    const struct outcome reason = attempt_reason(attempt);
    const struct pending_request *waiting = attempt_waiting(attempt);
    struct outcome silence;
    uint32_t frame;
    struct causes causes = { .count = 0 };

    if (attempt_state(attempt) == ATTEMPT_NO_VALUE && attempt->failed_values.count != 0) {
        /* The first cause: other calls that failed are not why there are no values. */
        add_cause(&causes, attempt, &attempt->failed_values.what, attempt->failed_values.first_frame);
    }
    for (unsigned i = is_only_on_sets; (is_beside(attempt) || causes.count != 0) && i < array_length(failed); i++) {
        if (failed[i]->count != 0) {
            add_cause(&causes, attempt, &failed[i]->what, failed[i]->first_frame);
        }
        for (const struct further_outcome *further = failed[i]->further; further != NULL; further = further->next) {
            add_cause(&causes, attempt, &further->what, further->frame);
        }
    }
    if (causes.count == 0 && on_sets == 0 && !is_no_finding(attempt)) {
        add_cause(&causes, attempt, &reason,
            stopped->count != 0 ? stopped->first_frame
                : attempt_state(attempt) == ATTEMPT_NO_VALUE && attempt->no_value.count != 0
                ? attempt->no_value.first_frame
                : waiting != NULL ? waiting->frame
                                  : attempt->frame);
    } else if (causes.count + on_sets != 0 && attempt_unanswered(attempt, &silence, &frame) != 0) {
        add_cause(&causes, attempt, &silence, frame);
    }
    return causes;
}

static enum problem
problem_of(const struct attempt *attempt, const struct cause *cause)
{
    const struct pending_request *waiting = attempt_waiting(attempt);

    if (cause->code == FINDING_NO_ANSWER && !(waiting != NULL ? waiting->attempt : attempt)->is_over) {
        return attempt_is_answered(attempt) ? PROBLEM_NOT_ALL_ANSWERED_YET : PROBLEM_NO_ANSWER_YET;
    }
    return is_beside(attempt) ? PROBLEM_SOMETIMES : PROBLEM_SERVER;
}

/* Adds findings for attempts that were stopped, that work since a later attempt, or that work although calls failed. */
static void
add_attempts(const struct model *model, wmem_array_t *findings, wmem_allocator_t *scope)
{
    const GPtrArray *attempts = model->attempts;

    for (unsigned i = 0; i < attempts->len; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(attempts, i);
        const struct causes causes = causes_of(attempt);
        const bool has_faults = attempt_state(attempt) >= ATTEMPT_SEALED && findings_failures(attempt) != 0;
        const enum tone tone = has_faults && attempt->needed != NULL ? TONE_HINT : findings_tone(attempt);
        const char *server = model_machine(scope, model, attempt->server);

        if (tone == TONE_GOOD || (tone == TONE_WARN && attempt->needed != NULL) || causes.count == 0) {
            continue;
        }
        if (attempt->worked_in != 0) {
            append_finding(findings, scope,
                (struct report_finding){ .tone = TONE_HINT,
                    .code = FINDING_WORKS_NOW,
                    .client = attempt->client,
                    .server = attempt->server,
                    .filter = pair_filter(scope, attempt->client, attempt->server),
                    .what = findings_problem(scope, PROBLEM_SERVER, FINDING_WORKS_NOW, attempt->client, server),
                    .problem = PROBLEM_SERVER,
                    .remedy = remedies[FINDING_WORKS_NOW].remedy,
                    .detail = findings_fill(scope,
                        wmem_strdup_printf(scope, "Failed in frame %u: {S} %s. It works since frame %u.",
                            causes.list[0].frame, remedies[causes.list[0].code].says, attempt->worked_in),
                        attempt->client, server),
                    .frame = attempt->worked_in });
            continue;
        }
        for (unsigned c = 0; c < causes.count; c++) {
            const struct cause *cause = &causes.list[c];
            const enum problem problem = problem_of(attempt, cause);
            const bool is_once = problem == PROBLEM_SOMETIMES && findings_failures(attempt) <= causes.count;

            findings_advise(findings, scope,
                (struct report_finding){ .tone = tone,
                    .code = cause->code,
                    .client = attempt->client,
                    .server = attempt->server,
                    .machine = server,
                    .filter = pair_filter(scope, attempt->client, attempt->server),
                    .what =
                        findings_problem(scope, is_once ? PROBLEM_ONCE : problem, cause->code, attempt->client, server),
                    .problem = problem,
                    .detail = outcome_text(&cause->what, scope),
                    .frame = cause->frame,
                    /* Tools for data collector sets do not use PDH, so their users see no PDH code. */
                    .pdh = (attempt->wants & (WANTS_PLA | WANTS_OBJECT)) != 0
                        ? NULL
                        : remedy_pdh_text(scope, remedies[cause->code].pdh) });
        }
    }
}

/*
 * Returns true if a sealed connection has a truncated frame. If no connection counts as sealed (SMB 3 hides the calls),
 * any truncated frame of the capture is enough.
 */
static bool
is_sealed_in_part(const struct model *model)
{
    const struct stat_rows *sessions = model->tables[MODEL_SESSIONS];
    bool is_any_sealed = false;

    for (unsigned i = 0; i < model->attempts->len; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(model->attempts, i);

        if (attempt->needed != NULL && attempt_is_in_part(attempt)) {
            return true;
        }
        is_any_sealed = is_any_sealed || attempt->needed != NULL;
    }
    return !is_any_sealed && sessions_cuts(sessions)->last != 0;
}

bool
findings_is_sealed(const struct model *model)
{
    bool has_others = false;

    for (unsigned i = 0; i < model->attempts->len; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(model->attempts, i);

        if (attempt->needed != NULL && findings_is_about(attempt)) {
            return true;
        }
        has_others = has_others || attempt->needed != NULL;
    }
    return model->tables[MODEL_SESSIONS]->needed.count != 0 && !has_others;
}

/* Adds findings for calls that were not decrypted. */
static void
add_sealed(const struct model *model, wmem_array_t *findings, wmem_allocator_t *scope)
{
    const struct needed *needed = &model->tables[MODEL_SESSIONS]->needed;

    if (!findings_is_sealed(model)) {
        return;
    }
    for (unsigned i = 0; i < needed->count; i++) {
        const enum finding_code code = finding_of_key(needed->items[i].code);

        if ((code == FINDING_SEALED_LOGON_NOT_CAPTURED || code == FINDING_SEALED_BY_SMB3) && is_sealed_in_part(model)) {
            /* No finding: the logon that the key depends on may be in a truncated frame. */
            continue;
        }
        findings_advise(findings, scope,
            (struct report_finding){ .tone = TONE_WARN,
                .code = code,
                .filter = "perflib_session.sealed",
                .what = findings_problem(scope, PROBLEM_SEALED, code, "", ""),
                .problem = PROBLEM_SEALED,
                .detail = needed->items[i].text });
    }
}

/* Reason for missing data, with the number of missing items. */
struct reason {
    unsigned things;
    enum perf_tap_asked_kind kind;
    const char *first, *why;
    struct report_finding finding; /* add_reason() adds its tone, its problem and its texts */
};

/* Adds the finding about one reason, for all counters, objects or lists of names that are missing for it. */
static void
add_reason(wmem_array_t *findings, const struct reason *reason, wmem_allocator_t *scope)
{
    static const struct {
        const char *one, *many, *what;
    } texts[] = {
        { "counter", "counters", "never had a value" },
        { "counter", "counters", "sometimes had no value" },
        { "object", "objects", "had no data" },
        { "list of names", "lists of names", "had damaged entries" },
    };
    struct report_finding finding = reason->finding;
    const unsigned at = finding.code == FINDING_NAMES_DAMAGED ? 3
        : reason->kind == ASKED_OBJECT                        ? 2
        : finding.code == FINDING_REFUSED_BY_PDH              ? 1
                                                              : 0;
    const struct remedy *remedy = &remedies[finding.code];

    finding.tone = remedy->whom == WHOM_CAPTURE ? TONE_HINT : TONE_WARN;
    finding.what = wmem_strdup_printf(scope, "%u %s %s: %s %s", reason->things,
        plurality(reason->things, texts[at].one, texts[at].many), texts[at].what, finding.server,
        findings_fill(scope, remedy->says, finding.client, finding.server));
    /*
     * Codes before FINDING_FIRST_SAMPLE are those of failed calls, too: PROBLEM_SOMETIMES puts all their findings in
     * one group.
     */
    finding.problem =
        finding.code < FINDING_FIRST_SAMPLE ? PROBLEM_SOMETIMES : (enum problem)(PROBLEM_NEVER_A_VALUE + at);
    finding.detail = reason->things > 1
        ? wmem_strdup_printf(scope, "%s, and %u more: %s", reason->first, reason->things - 1, reason->why)
        : wmem_strdup_printf(scope, "%s: %s", reason->first, reason->why);
    findings_advise(findings, scope, finding);
}

/* Returns the reason for missing data that an outcome of an attempt explains, or WHY_RECEIVED if it explains none. */
static enum perf_tap_why_code
explained_by(const struct outcome *what)
{
    switch (what->code) {
    case OUTCOME_WIN32: return WHY_ERROR;
    case OUTCOME_FAULT: return WHY_FAULT;
    case OUTCOME_FAULT_NOT_CAPTURED: return WHY_FAULT_NOT_CAPTURED;
    case OUTCOME_NO_ANSWER:
    case OUTCOME_LEFT:
    case OUTCOME_GIVEN_UP: return WHY_NO_ANSWER;
    case OUTCOME_REST_NOT_READ: return WHY_REST_NOT_READ;
    default: return WHY_RECEIVED;
    }
}

/*
 * Returns the entry for a reason for missing data: true if a finding about a client's attempt at a server explains it.
 * The caller may set it.
 */
static bool *
explained(struct key_index *reasons, const char *client, const char *server, enum perf_tap_why_code code,
    uint32_t status)
{
    char *key = g_strdup_printf("%s %s %u %u", client, server, (unsigned)code,
        code == WHY_ERROR || code == WHY_FAULT ? status : 0);
    bool *is_explained = (bool *)key_index_gather(reasons, key, sizeof *is_explained);

    g_free(key);
    return is_explained;
}

static void
explain(struct key_index *reasons, const struct attempt *attempt, const struct outcome *what)
{
    const enum perf_tap_why_code code = explained_by(what);

    if (code != WHY_RECEIVED) {
        *explained(reasons, attempt->client, attempt->server, code, what->status) = true;
    }
}

/* Returns an index of the reasons for missing data that findings about attempts explain. For explained(). */
static struct key_index *
explained_reasons(const struct model *model, wmem_allocator_t *scope)
{
    struct key_index *reasons = key_index_new(scope);

    for (unsigned i = 0; i < model->attempts->len; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(model->attempts, i);
        const struct causes causes = causes_of(attempt);

        if (attempt_state(attempt) == ATTEMPT_NO_VALUE) {
            explain(reasons, attempt, &attempt->no_value.what);
        }
        for (unsigned c = 0; c < causes.count; c++) {
            explain(reasons, attempt, &causes.list[c].what);
        }
    }
    return reasons;
}

/*
 * Returns true if missing or truncated frames may explain the missing data: such a frame may contain the counter, or
 * further counters of the query, or show that an instance ended and was created again.
 */
static bool
is_in_doubt(const struct model *model, const struct missing_thing *thing, enum finding_code code)
{
    const bool has_decreased =
        code == FINDING_DECREASED || (code == FINDING_REFUSED_BY_PDH && thing->why.status == COOK_COUNTER_DECREASED);

    if (code == FINDING_TYPE_UNKNOWN) {
        /* Any server: types are shared between servers, so this one may be in another server's truncated answer. */
        return model_was_cut_before(model, thing->client, "", thing->frame);
    }
    if (code == FINDING_NOT_CAPTURED || code == FINDING_COUNTER_UNKNOWN) {
        return model_was_cut_before(model, thing->client, thing->address, thing->frame);
    }
    return (code == FINDING_NO_BASE || thing->is_size_error || code == FINDING_BASE_UNKNOWN || has_decreased) &&
        model_lacks_frames(model, thing->client, true);
}

/* Returns true for a code of a missing value that can result from a block that violates a rule. */
static bool
may_follow(enum finding_code code)
{
    return code == FINDING_COUNTER_UNKNOWN || code == FINDING_TYPE_UNKNOWN || code == FINDING_NO_BASE ||
        code == FINDING_BASE_UNKNOWN || code == FINDING_NO_VALUE;
}

/* Counts a missing item in its finding, for the verdict. */
static void
count_in_finding(struct finding_counts *counts, const struct missing_thing *thing)
{
    counts->refused += thing->why.code == WHY_REFUSED_BY_PDH;
    counts->damaged += thing->why.code == WHY_NAMES_DAMAGED;
    counts->objects += thing->kind == ASKED_OBJECT;
    counts->counters += thing->kind == ASKED_COUNTER && thing->why.code != WHY_REFUSED_BY_PDH;
    counts->calls += (thing->kind == ASKED_CALL || thing->kind == ASKED_BLOCKS) && thing->why.code != WHY_NAMES_DAMAGED;
}

/* Adds findings for missing data. Counts in *covered the counters and objects missing because a rule was violated. */
static void
add_missing(const struct model *model, wmem_array_t *findings, struct finding_counts *covered, wmem_allocator_t *scope)
{
    struct key_index *calls = key_index_new(scope);
    struct key_index *by_attempts = explained_reasons(model, scope);

    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        const GPtrArray *things = missing_things(model->tables[MODEL_MISSING + api]);
        struct key_index *reasons = key_index_new(scope);

        for (unsigned i = 0; i < things->len; i++) {
            const struct missing_thing *thing = (const struct missing_thing *)g_ptr_array_index(things, i);
            const char *why = perf_tap_why_text(scope, &thing->why);
            enum finding_code code = finding_of_missing(&thing->why);
            const char *peers = wmem_strdup_printf(scope, "%s %s", thing->client, thing->server);
            struct reason *reason;

            if (thing->why.has_finding && (thing->why.code != WHY_NO_VALUE || may_follow(code))) {
                /* The data are missing because a rule was violated, which has its own finding. */
                if (thing->kind == ASKED_COUNTER || thing->kind == ASKED_OBJECT) {
                    count_in_finding(covered, thing);
                }
                continue;
            }
            if (thing->why.code == WHY_OPEN || (thing->is_size_error && thing->is_under_way) ||
                thing->why.code == WHY_FRAGMENTED) {
                /* Not faults; add_fragmented() adds one finding for all answers in fragments. */
                continue;
            }
            if (code == FINDING_VALUE_DENIED && api == MODEL_PERFDATA) {
                code = FINDING_REGISTRY_DENIED;
            }
            if (code == FINDING_COUNTER_UNKNOWN && model_lacks_frames(model, thing->client, false)) {
                /*
                 * FINDING_COUNTER_UNKNOWN blames the client, but its QueryCounterInfo may be in a frame that was not
                 * captured.
                 */
                code = FINDING_TYPE_UNKNOWN;
            }
            if (is_in_doubt(model, thing, code)) {
                continue;
            }
            if (thing->kind == ASKED_COUNTER || thing->kind == ASKED_OBJECT || thing->why.code == WHY_NAMES_DAMAGED) {
                reason = (struct reason *)key_index_gather(reasons,
                    wmem_strdup_printf(scope, "%u %u %u %u %08x %s", (unsigned)thing->why.code, thing->why.status,
                        thing->why.have, thing->why.expected, thing->pdh, peers),
                    sizeof *reason);
            } else if (model_lacks_frames(model, thing->client, true) ||
                *explained(by_attempts, thing->client, thing->address, thing->why.code, thing->why.status)) {
                /* A missing frame may contain the result, or the finding of an attempt already gives the reason. */
                continue;
            } else {
                reason = (struct reason *)key_index_gather(calls, peers, sizeof *reason);
            }
            if (reason->things == 0) {
                *reason = (struct reason){ .kind = thing->kind,
                    .first = thing->text,
                    .why = why,
                    .finding = { .code = code,
                        .frame = thing->frame,
                        .client = thing->client,
                        .server = thing->server,
                        .pdh = remedy_pdh_text(scope, thing->pdh) } };
            }
            reason->things++;
            count_in_finding(&reason->finding.counts, thing);
        }
        for (unsigned i = 0; i < key_index_size(reasons); i++) {
            add_reason(findings, (const struct reason *)key_index_data(reasons, i), scope);
        }
    }
    for (unsigned i = 0; i < key_index_size(calls); i++) {
        struct reason *reason = (struct reason *)key_index_data(calls, i);

        reason->finding.tone = TONE_HINT;
        reason->finding.code = FINDING_OTHERS_MISSING;
        reason->finding.problem = PROBLEM_OTHERS;
        reason->finding.pdh = NULL;
        reason->finding.what = wmem_strdup_printf(scope, "%u other request%s got no result", reason->things,
            plurality(reason->things, "", "s"));
        reason->finding.detail = wmem_strdup_printf(scope, "The first: %s: %s", reason->first, reason->why);
        reason->finding.remedy = remedies[FINDING_OTHERS_MISSING].remedy;
        append_finding(findings, scope, reason->finding);
    }
}

/*
 * Adds findings for violated rules. covered: numbers of counters and objects that are missing because of violations;
 * they become .counts of the first finding.
 */
static void
add_rules(const struct model *model, wmem_array_t *findings, struct finding_counts covered, wmem_allocator_t *scope)
{
    static const char *const breaks[] = { "A client breaks", "A server breaks", "Client and server break" };
    const struct stat_rows *rows = model->tables[MODEL_RULES];

    for (unsigned row = 0; row < stat_rows_count(rows); row++) {
        enum rule_who who;
        const char *fault = rules_fault(rows, row, &who);

        if (fault != NULL) {
            const char *section = model_cell(scope, rows, row, "section");
            const unsigned times = model_number(rows, row, "broken");

            findings_advise(findings, scope,
                (struct report_finding){ .tone = TONE_WARN,
                    .code = FINDING_RULE_BROKEN,
                    .filter = wmem_strdup_printf(scope, "perflibv2.rule.%s", model_cell(scope, rows, row, "rule")),
                    .what = wmem_strdup_printf(scope, "%s a rule of [MS-PCQ] %s, %u time%s", breaks[who], section,
                        times, plurality(times, "", "s")),
                    .problem = (enum problem)(PROBLEM_RULES + who),
                    .detail = wmem_strdup_printf(scope, "[MS-PCQ] %s, %u time%s: %s", section, times,
                        plurality(times, "", "s"), fault),
                    .frame = model_number(rows, row, "first_frame"),
                    .counts = covered });
            covered = (struct finding_counts){ 0 };
        }
    }
}

/* Bits: attempts in which a server refused calls on data collector sets, and that did not work, or worked otherwise */
enum { DENIED_STOPPED = 1, DENIED_BESIDE = 2 };

/* Returns an index by client and server of the bits (unsigned) of their attempts. */
static struct key_index *
denied_on_sets(const struct model *model, wmem_allocator_t *scope)
{
    struct key_index *peers = key_index_new(scope);

    for (unsigned i = 0; i < model->attempts->len; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(model->attempts, i);

        if (attempt->refused_on_sets != 0) {
            unsigned *denied = (unsigned *)key_index_gather(peers,
                wmem_strdup_printf(scope, "%s %s", attempt->client, attempt->server), sizeof *denied);

            *denied |= is_beside(attempt) ? DENIED_BESIDE : DENIED_STOPPED;
        }
    }
    return peers;
}

/* Adds findings for errors of calls on data collector sets. The findings of attempts report those with a fault. */
static void
add_sets(const struct model *model, wmem_array_t *findings, wmem_allocator_t *scope)
{
    const struct stat_rows *rows = model->tables[MODEL_SETS];
    struct key_index *peers = denied_on_sets(model, scope);

    for (unsigned row = 0; row < stat_rows_count(rows); row++) {
        const struct pla_set_error *errors = pla_sets_errors(rows, row);
        const char *server = model_cell(scope, rows, row, "server"), *set = model_cell(scope, rows, row, "set");

        for (unsigned i = 0; i <= MOST_SET_ERRORS && errors[i].count != 0; i++) {
            const bool is_mixed = i == MOST_SET_ERRORS;
            const enum finding_code code = is_mixed ? FINDING_SET_CALL_FAILED : finding_of_set(errors[i].hresult);
            const unsigned *denied = (const unsigned *)key_index_gather(peers,
                wmem_strdup_printf(scope, "%s %s", is_mixed ? "" : errors[i].client, server), sizeof *denied);

            if (code == FINDING_SET_CALL_DENIED && *denied == DENIED_STOPPED) {
                continue; /* the findings of these attempts report it */
            }
            findings_advise(findings, scope,
                (struct report_finding){ .tone = TONE_WARN,
                    .code = code,
                    .client = errors[i].client,
                    .server = server,
                    .counts.set_calls = errors[i].count,
                    .filter = is_mixed ? "pla.hresult >= 0x80000000"
                                       : wmem_strdup_printf(scope, "pla.hresult == 0x%08x", errors[i].hresult),
                    .what = wmem_strdup_printf(scope, "%u call%s failed on data collector set \"%s\" on %s: %s",
                        errors[i].count, plurality(errors[i].count, "", "s"), set, server, remedies[code].says),
                    .problem = PROBLEM_SETS,
                    .detail = wmem_strdup_printf(scope, "\"%s\": %u failed, the last one: %s", set, errors[i].count,
                        pla_sets_error_text(scope, &errors[i])) });
        }
    }
}

/*
 * If the sessions table has no rows and no frame was truncated, adds a finding about the first attempt without a row.
 */
static void
add_aside(const struct model *model, wmem_array_t *findings, wmem_allocator_t *scope)
{
    const struct stat_rows *rows = model->tables[MODEL_SESSIONS];
    const struct attempt *first = sessions_first_aside(rows);

    if (model->attempts->len == 0 && sessions_cuts(rows)->last == 0 && first != NULL &&
        finding_of_attempt(first) != FINDING_ERROR) {
        const struct remedy *remedy = &remedies[finding_of_attempt(first)];

        append_finding(findings, scope,
            (struct report_finding){ .tone = TONE_WARN,
                .code = finding_of_attempt(first),
                .client = first->client,
                .server = first->server,
                .frame = first->frame,
                .what = stat_rows_sentence(rows, 0),
                .remedy = findings_fill(scope, remedy->remedy, "the client", "the server"),
                .whom = findings_fill(scope, remedy_persons[remedy->whom].text, "the client", "the server") });
    }
}

/* Returns true if the capture shows what clients ask for, but none of the answers. */
static bool
lacks_answers(const struct model *model)
{
    return model->attempts->len != 0 && capture_has_requests_only(sessions_cuts(model->tables[MODEL_SESSIONS]));
}

/* Adds a finding if frames were truncated, and one if only requests or only answers were captured. */
static void
add_cuts(const struct model *model, wmem_array_t *findings, wmem_allocator_t *scope)
{
    const struct capture_cuts *cuts = sessions_cuts(model->tables[MODEL_SESSIONS]);
    const bool has_requests_only = lacks_answers(model);
    const unsigned connections = has_requests_only ? cuts->unanswered : cuts->answers_only;

    if (has_requests_only || (connections > 0 && cuts->frames == 0 && model->attempts->len == 0)) {
        findings_advise(findings, scope,
            (struct report_finding){ .tone = TONE_WARN,
                .code = FINDING_ONE_DIRECTION,
                .what = wmem_strdup_printf(scope, "Only the %s were captured, on %u connection%s%s",
                    has_requests_only ? "requests of clients" : "answers of servers", connections,
                    plurality(connections, "", "s"),
                    has_requests_only ? ": whether they were answered is unknown" : "") });
    }
    if (cuts->frames > 0) {
        findings_advise(findings, scope,
            (struct report_finding){ .tone = TONE_WARN,
                .code = FINDING_FRAMES_CUT,
                .frame = cuts->first,
                .filter = "frame.cap_len < frame.len",
                .what = wmem_strdup_printf(scope, "%u frame%s captured only in part", cuts->frames,
                    plurality(cuts->frames, " was", "s were")) });
    }
}

/* Adds a finding for answers in fragments that Wireshark was told not to reassemble. */
static void
add_fragmented(const struct model *model, wmem_array_t *findings, wmem_allocator_t *scope)
{
    unsigned answers = 0;

    for (unsigned i = 0; i < model->attempts->len; i++) {
        answers += ((const struct attempt *)g_ptr_array_index(model->attempts, i))->fragmented;
    }
    if (answers > 0) {
        findings_advise(findings, scope,
            (struct report_finding){ .tone = TONE_WARN,
                .code = FINDING_FRAGMENTED,
                .filter = "dcerpc.cn_flags.last_frag == 0",
                .what = wmem_strdup_printf(scope, "%u answer%s in several fragments %s not read", answers,
                    plurality(answers, "", "s"), plurality(answers, "was", "were")) });
    }
}

/* Adds a finding for answers that took five seconds or more. */
static void
add_slow(const struct model *model, wmem_array_t *findings, wmem_allocator_t *scope)
{
    for (unsigned i = 0; i < model->attempts->len; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(model->attempts, i);
        const char *server = model_machine(scope, model, attempt->server);

        if (attempt->slow.count > 0) {
            findings_advise(findings, scope,
                (struct report_finding){ .tone = TONE_WARN,
                    .code = FINDING_SLOW,
                    .client = attempt->client,
                    .server = attempt->server,
                    .machine = server,
                    .frame = attempt->slow.first_frame,
                    .what = wmem_strdup_printf(scope, "%s answers slowly, %u time%s", server, attempt->slow.count,
                        plurality(attempt->slow.count, "", "s")),
                    .problem = PROBLEM_SERVER,
                    .detail = wmem_strdup_printf(scope, "%u call%s, the first: %s", attempt->slow.count,
                        plurality(attempt->slow.count, "", "s"), outcome_text(&attempt->slow.what, scope)) });
        }
    }
}

static int
compare_report_findings(const void *a, const void *b)
{
    const struct report_finding *one = (const struct report_finding *)a, *other = (const struct report_finding *)b;

    return one->tone != other->tone ? (one->tone < other->tone ? -1 : 1) : one->order < other->order ? -1 : 1;
}

/* Adds a finding for expert items if no other finding is more severe than a note. */
static void
add_expert_items(const struct model *model, wmem_array_t *findings, wmem_allocator_t *scope)
{
    const struct model_expert *items = &model->expert;

    for (unsigned i = 0; i < wmem_array_get_count(findings); i++) {
        if (finding_at(findings, i)->tone < TONE_HINT) {
            return;
        }
    }
    if (items->count != 0) {
        /* Expert items of perflib_session are about packets that are missing from the capture. */
        const enum finding_code code =
            g_str_has_prefix(items->filter, "perflib_session.") ? FINDING_SEGMENTS_MISSING : FINDING_EXPERT_ITEMS;

        findings_advise(findings, scope,
            (struct report_finding){ .tone = items->has_error ? TONE_WARN : TONE_HINT,
                .code = code,
                .frame = items->frame,
                .filter = items->filter,
                .what = wmem_strdup_printf(scope, "%u expert item%s of perflib above a note", items->count,
                    plurality(items->count, "", "s")),
                .detail = wmem_strdup_printf(scope, "The first: %s", items->summary) });
    }
}

wmem_array_t *
findings_of(const struct model *model, wmem_allocator_t *scope)
{
    wmem_array_t *findings = wmem_array_new(scope, sizeof(struct report_finding));
    struct finding_counts covered = { 0 };

    if (!session_is_enabled()) {
        /* Without perflib_session, binds are unknown and calls are decrypted wrongly, so findings would be wrong. */
        const struct remedy *remedy = &remedies[FINDING_SESSION_DISABLED];

        append_finding(findings, scope,
            (struct report_finding){ .tone = TONE_WARN,
                .code = FINDING_SESSION_DISABLED,
                .what = remedy->says,
                .remedy = remedy->remedy });
        return findings;
    }
    if (lacks_answers(model)) {
        /* Without answers, only truncated frames and rules can be judged. */
        add_cuts(model, findings, scope);
        add_rules(model, findings, covered, scope);
        return findings;
    }
    add_attempts(model, findings, scope);
    add_aside(model, findings, scope);
    add_cuts(model, findings, scope);
    add_fragmented(model, findings, scope);
    add_slow(model, findings, scope);
    findings_add_slow_polls(model, findings, scope);
    add_sealed(model, findings, scope);
    add_sets(model, findings, scope);
    add_missing(model, findings, &covered, scope);
    add_rules(model, findings, covered, scope);
    findings_add_waste(model, findings, scope);
    add_expert_items(model, findings, scope);
    wmem_array_sort(findings, compare_report_findings);
    return findings;
}
