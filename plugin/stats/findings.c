/* findings.c
 * Findings about a capture: what works, what does not, and remedies, the most severe first
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/findings.h"

#include <inttypes.h>
#include <string.h>

#include <wsutil/str_util.h>

#include "base/text.h"
#include "cook/cooking.h"
#include "session/tracker.h"
#include "stats/request-cells.h"
#include "stats/tables.h"

/* Maximum number of servers named in the verdict. */
#define MOST_NAMED 3u

const char *
tone_text(enum tone tone)
{
    static const char *const texts[] = { "error", "warning", "note", "good" };

    return texts[tone];
}

const char *
findings_pdh(wmem_allocator_t *scope, const struct attempt *attempt, const struct remedy *remedy)
{
    /* Tools for data collector sets do not use PDH, so their users see no PDH code. */
    return remedy->pdh == 0 || (attempt->wants & (WANTS_PLA | WANTS_OBJECT)) != 0
        ? NULL
        : wmem_strdup_printf(scope, "0x%08X %s", remedy->pdh, pdh_name(remedy->pdh));
}

/*
 * Returns true for an attempt without a fault to report: its answer was not captured or was truncated, or it called
 * only other interfaces.
 */
static bool
is_no_finding(const struct attempt *attempt)
{
    const enum outcome_code code = attempt_reason(attempt).code;

    return code == OUTCOME_OPEN || code == OUTCOME_CUT || code == OUTCOME_IN_PART || code == OUTCOME_OTHERS_CALLED;
}

/* Returns the number of refused or unanswered calls of an attempt. */
static unsigned
failures_of(const struct attempt *attempt)
{
    return attempt->refusals.count + attempt->faults.count + attempt->given_up.count + attempt_unanswered(attempt);
}

enum tone
findings_tone(const struct attempt *attempt)
{
    switch (attempt_state(attempt)) {
    case ATTEMPT_STOPPED:
        return attempt->worked_in != 0                        ? TONE_HINT
            : attempt->stopped.what.code == OUTCOME_ENCRYPTED ? TONE_WARN
                                                              : TONE_BAD;
    case ATTEMPT_NO_VALUE: return attempt->worked_in != 0 ? TONE_HINT : is_no_finding(attempt) ? TONE_WARN : TONE_BAD;
    case ATTEMPT_FOUND:
    case ATTEMPT_REACHED:
    case ATTEMPT_SEALED:
    case ATTEMPT_WORKS: return attempt->needed != NULL ? TONE_WARN : failures_of(attempt) != 0 ? TONE_HINT : TONE_GOOD;
    default: return TONE_WARN;
    }
}

const char *
findings_fill(wmem_allocator_t *scope, const char *text, const char *client, const char *server)
{
    wmem_strbuf_t *filled = wmem_strbuf_new(scope, NULL);

    for (const char *at = text; *at != '\0'; at++) {
        if (strncmp(at, "{S}", 3) == 0 || strncmp(at, "{C}", 3) == 0) {
            wmem_strbuf_append(filled, at[1] == 'C' ? client : server);
            at += 2;
        } else {
            wmem_strbuf_append_c(filled, *at);
        }
    }
    return wmem_strbuf_get_str(filled);
}

static void
add(GArray *findings, struct report_finding finding)
{
    finding.order = findings->len;
    g_array_append_val(findings, finding);
}

/* Returns the frame of the attempt's first unanswered call, or its first frame if there is none. */
static unsigned
unanswered_frame(const struct attempt *attempt)
{
    const wmem_list_frame_t *first = attempt->pending == NULL ? NULL : wmem_list_head(attempt->pending);

    return first == NULL ? attempt->frame : ((const struct pending_call *)wmem_list_frame_data(first))->frame;
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

/* Adds findings for errors that stopped clients, for good or for a while. */
static void
add_attempts(const struct model *model, GArray *findings, wmem_allocator_t *scope)
{
    const GPtrArray *attempts = model->attempts;

    for (unsigned i = 0; i < attempts->len; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(attempts, i);
        const enum finding_code code = finding_of_attempt(attempt);
        const struct remedy *remedy = remedy_of(code);
        const enum tone tone = findings_tone(attempt);
        const struct occurrence *stopped = attempt_what_stopped(attempt);
        const char *server = model_machine(scope, model, attempt->server);

        if (tone == TONE_GOOD || (tone == TONE_WARN && attempt->needed != NULL) || is_no_finding(attempt)) {
            continue;
        }
        if (attempt->worked_in != 0) {
            add(findings,
                (struct report_finding){ .tone = TONE_HINT,
                    .code = FINDING_WORKS_NOW,
                    .client = attempt->client,
                    .server = attempt->server,
                    .filter = pair_filter(scope, attempt->client, attempt->server),
                    .what = wmem_strdup_printf(scope, "%s works now", server),
                    .remedy = wmem_strdup_printf(scope, "In frame %u it still %s; from frame %u on it answers.",
                        stopped->first_frame, findings_fill(scope, remedy->says, attempt->client, server),
                        attempt->worked_in),
                    .frame = attempt->worked_in });
            continue;
        }
        add(findings,
            (struct report_finding){ .tone = tone,
                .code = code,
                .client = attempt->client,
                .server = attempt->server,
                .filter = pair_filter(scope, attempt->client, attempt->server),
                .what = wmem_strdup_printf(scope, "%s %s%s", server,
                    attempt_state(attempt) < ATTEMPT_FOUND || attempt_state(attempt) == ATTEMPT_NO_VALUE ? ""
                        : failures_of(attempt) > 1 ? "answers, but at times it "
                                                   : "answers, but once it ",
                    findings_fill(scope, remedy->says, attempt->client, server)),
                .remedy = findings_fill(scope, remedy->remedy, attempt->client, server),
                .whom = findings_fill(scope, remedy_whom_text(remedy->whom), attempt->client, server),
                .frame = stopped->count != 0 ? stopped->first_frame
                    : attempt_state(attempt) == ATTEMPT_NO_VALUE && attempt->no_value.count != 0
                    ? attempt->no_value.first_frame
                    : unanswered_frame(attempt),
                .pdh = findings_pdh(scope, attempt, remedy) });
    }
}

/*
 * Returns the last truncated frame, or 0 if there is none. Data that seem missing before it may be in a truncated
 * frame.
 */
static uint32_t
last_cut(const struct model *model)
{
    return sessions_cuts(model->tables[MODEL_SESSIONS])->last;
}

/* Adds findings for calls that were not decrypted. */
static void
add_sealed(const struct model *model, GArray *findings, wmem_allocator_t *scope)
{
    const struct needed *needed = &model->tables[MODEL_SESSIONS]->needed;

    for (unsigned i = 0; i < needed->count; i++) {
        const enum finding_code code = finding_of_key(needed->items[i].code);
        const struct remedy *remedy = remedy_of(code);

        if ((code == FINDING_SEALED_LOGON_NOT_CAPTURED || code == FINDING_SEALED_BY_SMB3) && last_cut(model) != 0) {
            /* The logon that the key depends on may be in a truncated frame. */
            continue;
        }
        add(findings,
            (struct report_finding){ .tone = TONE_WARN,
                .code = code,
                .filter = "perflib_session.sealed",
                .what = "Calls are sealed: what was asked and answered cannot be read",
                .remedy = wmem_strdup_printf(scope, "%s. %s", needed->items[i].text, remedy->remedy),
                .whom = findings_fill(scope, remedy_whom_text(remedy->whom), "the client", "the server") });
    }
}

/* Reason for missing data, and how many items it concerns. */
struct reason {
    unsigned things, frame;
    const char *first, *why, *client, *server, *pdh;
    enum finding_code code;
    unsigned queries[NUM_MODEL_APIS]; /* number of queries concerned, by protocol */
};

/* Adds a finding for each reason why counters are missing. */
static void
add_reason(GArray *findings, const struct reason *reason, wmem_allocator_t *scope)
{
    const struct remedy *remedy = remedy_of(reason->code);
    const char *missed = reason->code == FINDING_REFUSED_BY_PDH ? "at times had no value"
        : reason->code == FINDING_NAMES_DAMAGED                 ? "came damaged"
                                                                : "never had a value";

    add(findings,
        (struct report_finding){ .tone = remedy->whom == WHOM_CAPTURE ? TONE_HINT : TONE_WARN,
            .code = reason->code,
            .client = reason->client,
            .server = reason->server,
            .what = reason->things > 1 ? wmem_strdup_printf(scope, "%s, and %u more, %s: %s", reason->first,
                                             reason->things - 1, missed, reason->why)
                                       : wmem_strdup_printf(scope, "%s %s: %s", reason->first, missed, reason->why),
            .remedy = findings_fill(scope, remedy->remedy, reason->client, reason->server),
            .whom = findings_fill(scope, remedy_whom_text(remedy->whom), reason->client, reason->server),
            .frame = reason->frame,
            .pdh = reason->pdh[0] != '\0' ? reason->pdh : NULL });
}

static void
add_missing(const struct model *model, GArray *findings, wmem_allocator_t *scope)
{
    struct reason calls = { 0 };

    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        const GPtrArray *things = missing_things(model->tables[MODEL_MISSING + api]);
        struct gathered reasons = { .scope = scope };

        for (unsigned i = 0; i < things->len; i++) {
            const struct missing_thing *thing = (const struct missing_thing *)g_ptr_array_index(things, i);
            const char *why = perf_tap_why_text(scope, &thing->why);
            struct reason *reason = &calls;

            if (thing->kind == ASKED_COUNTER || thing->kind == ASKED_OBJECT || thing->why.code == WHY_NAMES_DAMAGED) {
                reason = (struct reason *)gathered_add(&reasons,
                    wmem_strdup_printf(scope, "%s\n%s\n%08x", why, thing->server, thing->pdh), sizeof *reason);
            } else if (thing->frame < last_cut(model) || thing->why.code == WHY_REST_NOT_READ) {
                /* A frame that was captured only in part may hold it; the attempt has a finding of its own. */
                continue;
            }
            if (reason->things++ == 0) {
                *reason = (struct reason){ .things = 1,
                    .frame = thing->frame,
                    .first = thing->text,
                    .why = why,
                    .code = finding_of_missing(&thing->why),
                    .client = thing->client,
                    .server = thing->server,
                    .pdh = thing->pdh == 0 ? ""
                                           : wmem_strdup_printf(scope, "0x%08X %s", thing->pdh, pdh_name(thing->pdh)) };
            }
        }
        for (unsigned i = 0; i < gathered_count(&reasons); i++) {
            add_reason(findings, (const struct reason *)gathered_at(&reasons, i), scope);
        }
    }
    if (calls.things != 0) {
        add(findings,
            (struct report_finding){ .tone = TONE_HINT,
                .code = FINDING_OTHERS_MISSING,
                .client = calls.client,
                .server = calls.server,
                .what = wmem_strdup_printf(scope, "%u thing%s beside counters never came", calls.things,
                    plurality(calls.things, "", "s")),
                .remedy = wmem_strdup_printf(scope, "The first: %s: %s. They stand in \"What never came, and why\".",
                    calls.first, calls.why),
                .frame = calls.frame });
    }
}

/* Returns the subject of a finding: "a PerflibV2 query and 2 values of performance data". */
static const char *
queries_text(wmem_allocator_t *scope, const struct reason *reason)
{
    static const char *const texts[NUM_MODEL_APIS][2] = {
        { "a PerflibV2 query", "%u PerflibV2 queries" },
        { "a value of performance data", "%u values of performance data" },
    };
    wmem_strbuf_t *text = wmem_strbuf_new(scope, NULL);

    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        if (reason->queries[api] != 0) {
            wmem_strbuf_append(text, wmem_strbuf_get_len(text) > 0 ? " and " : "");
            wmem_strbuf_append_printf(text, texts[api][reason->queries[api] > 1], reason->queries[api]);
        }
    }
    return wmem_strbuf_get_str(text);
}

/* Habits of clients that waste time or bytes. */
static const struct {
    const char *column;     /* key of the habit's column in the tables of queries */
    enum finding_code code; /* code of the finding and its remedy */
    const char *what;
    const char *one, *many; /* texts after the number in the verdict; NULL: not in the verdict */
    unsigned usual;         /* usual count per query, which is no waste: one size probe is normal */
    unsigned count;         /* index in struct stat_requests, or NUM_REQUEST_COUNTS */
    const char *filter;     /* display filter; NULL: the first frame is shown instead */
} habits[] = {
    { "late", FINDING_POLLS_LATE, "was late with %u poll%s", "poll was late", "polls were late", 0, REQUESTS_LATE,
        "perflibv2.poll.late || perfdata.poll.late" },
    { "overlap", FINDING_POLLS_OVERLAP, "asked again %u time%s before the answer came",
        "request came before the last was answered", "requests came before the last were answered", 0, REQUESTS_OVERLAP,
        "perflibv2.poll.overlap || perfdata.poll.overlap" },
    { "too_small", FINDING_BUFFER_TOO_SMALL, "tried %u time%s with a buffer that was too small", "buffer was too small",
        "buffers were too small", 1, REQUESTS_TOO_SMALL, NULL },
    { "twice", FINDING_POLLED_TWICE, "polls %u thing%s twice, with two handles", "thing was polled twice",
        "things were polled twice", 0, REQUESTS_TWICE, "perflibv2.poll.twice || perfdata.poll.twice" },
    { "other_host", FINDING_OTHER_HOST, "calls the server by another machine's name, %u time%s", NULL, NULL, 0,
        NUM_REQUEST_COUNTS, "perflibv2.machine.other" },
};

/* Returns how often a query shows a habit, or 0 if not more often than usual. */
static unsigned
count_habit(const struct stat_rows *rows, unsigned row, unsigned habit)
{
    const unsigned count = model_number(rows, row, habits[habit].column);

    return count > habits[habit].usual ? count : 0;
}

/* Adds findings for the habits of all queries between two hosts. */
static void
add_habits(const struct model *model, GArray *findings, wmem_allocator_t *scope)
{
    for (unsigned i = 0; i < array_length(habits); i++) {
        struct gathered ends = { .scope = scope };

        if (habits[i].code == FINDING_POLLED_TWICE && last_cut(model) != 0) {
            /* The client may have removed counters from one query that it added to another. */
            continue;
        }
        for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
            const struct stat_rows *rows = model->tables[MODEL_QUERIES + api];

            for (unsigned row = 0; row < stat_rows_count(rows); row++) {
                const unsigned count = count_habit(rows, row, i);
                const char *server, *client;
                struct reason *reason;

                if (count == 0) {
                    continue;
                }
                server = model_cell(scope, rows, row, "server");
                client = model_cell(scope, rows, row, "client");
                reason = (struct reason *)gathered_add(&ends, wmem_strdup_printf(scope, "%s\n%s", client, server),
                    sizeof *reason);
                if (reason->things == 0) {
                    /* Rows of both tables have a struct stat_requests as the first member of their state. */
                    reason->frame = habits[i].count < NUM_REQUEST_COUNTS
                        ? ((const struct stat_requests *)stat_rows_state(rows, row))->first_in[habits[i].count]
                        : model_number(rows, row, "first_frame");
                    reason->client = client;
                    reason->server = server;
                }
                reason->things += count;
                reason->queries[api]++;
            }
        }
        for (unsigned s = 0; s < gathered_count(&ends); s++) {
            const struct reason *reason = (const struct reason *)gathered_at(&ends, s);

            add(findings,
                (struct report_finding){ .tone = TONE_HINT,
                    .code = habits[i].code,
                    .client = reason->client,
                    .server = reason->server,
                    .filter = habits[i].filter,
                    .what = wmem_strdup_printf(scope, "%s %s: %s of %s", reason->client,
                        wmem_strdup_printf(scope, habits[i].what, reason->things, plurality(reason->things, "", "s")),
                        queries_text(scope, reason), reason->server),
                    .remedy = remedy_of(habits[i].code)->remedy,
                    .whom = wmem_strdup_printf(scope, "whoever runs %s", reason->client),
                    .frame = reason->frame });
        }
    }
}

static void
add_rules(const struct model *model, GArray *findings, wmem_allocator_t *scope)
{
    const struct stat_rows *rows = model->tables[MODEL_RULES];

    for (unsigned row = 0; row < stat_rows_count(rows); row++) {
        if (rules_is_broken(rows, row)) {
            const char *who = model_cell(scope, rows, row, "who");

            add(findings,
                (struct report_finding){ .tone = TONE_WARN,
                    .code = FINDING_RULE_BROKEN,
                    .filter = wmem_strdup_printf(scope, "perflibv2.rule.%s", model_cell(scope, rows, row, "rule")),
                    .what = wmem_strdup_printf(scope, "%s a rule of [MS-PCQ] %s, %u time%s: %s",
                        strcmp(who, "server") == 0       ? "A server breaks"
                            : strcmp(who, "client") == 0 ? "A client breaks"
                                                         : "Both ends break",
                        model_cell(scope, rows, row, "section"), model_number(rows, row, "broken"),
                        plurality(model_number(rows, row, "broken"), "", "s"), model_cell(scope, rows, row, "holds")),
                    .remedy = "Compare what that program sends with that section.",
                    .whom = remedy_whom_text(WHOM_AUTHOR),
                    .frame = model_number(rows, row, "first_frame") });
        }
    }
}

static void
add_sets(const struct model *model, GArray *findings, wmem_allocator_t *scope)
{
    const struct stat_rows *rows = model->tables[MODEL_SETS];

    for (unsigned row = 0; row < stat_rows_count(rows); row++) {
        const unsigned failed = model_number(rows, row, "failed");
        const char *error = model_cell(scope, rows, row, "last_error"),
                   *server = model_cell(scope, rows, row, "server");
        const enum finding_code code = finding_of_set(pla_sets_error(rows, row));
        const struct remedy *remedy = remedy_of(code);

        if (failed != 0) {
            add(findings,
                (struct report_finding){ .tone = TONE_WARN,
                    .code = code,
                    .server = server,
                    .filter = wmem_strdup_printf(scope, "pla.hresult == 0x%08x", pla_sets_error(rows, row)),
                    .what = wmem_strdup_printf(scope, "%u call%s failed on the data collector set %s of %s", failed,
                        plurality(failed, "", "s"), model_cell(scope, rows, row, "set"),
                        model_cell(scope, rows, row, "server")),
                    .remedy = wmem_strdup_printf(scope, "The last: %s. %s", error,
                        findings_fill(scope, remedy->remedy, "", server)),
                    .whom = findings_fill(scope, remedy_whom_text(remedy->whom), "the client", server) });
        }
    }
}

/* Adds a finding for attempts of unknown purpose, if there are no others. */
static void
add_aside(const struct model *model, GArray *findings, wmem_allocator_t *scope)
{
    const struct stat_rows *rows = model->tables[MODEL_SESSIONS];
    const struct attempt *first = sessions_first_aside(rows);

    if (model->attempts->len == 0 && last_cut(model) == 0 && first != NULL &&
        finding_of_attempt(first) != FINDING_ERROR) {
        const enum finding_code code = finding_of_attempt(first);
        const struct remedy *remedy = remedy_of(code);

        add(findings,
            (struct report_finding){ .tone = TONE_WARN,
                .code = code,
                .client = first->client,
                .server = first->server,
                .frame = first->frame,
                .what = stat_rows_sentence(rows, 0),
                .remedy = findings_fill(scope, remedy->remedy, "the client", "the server"),
                .whom = findings_fill(scope, remedy_whom_text(remedy->whom), "the client", "the server") });
    }
}

/* Adds a finding for truncated frames. */
static void
add_cuts(const struct model *model, GArray *findings, wmem_allocator_t *scope)
{
    const struct capture_cuts *cuts = sessions_cuts(model->tables[MODEL_SESSIONS]);
    const struct remedy *remedy = remedy_of(FINDING_FRAMES_CUT);

    if (cuts->frames > 0) {
        add(findings,
            (struct report_finding){ .tone = TONE_WARN,
                .code = FINDING_FRAMES_CUT,
                .frame = cuts->first,
                .filter = "frame.cap_len < frame.len",
                .what = wmem_strdup_printf(scope, "%u frame%s captured only in part", cuts->frames,
                    plurality(cuts->frames, " was", "s were")),
                .remedy = remedy->remedy,
                .whom = remedy_whom_text(remedy->whom) });
    }
}

/* Adds a finding for answers that took five seconds or more. */
static void
add_slow(const struct model *model, GArray *findings, wmem_allocator_t *scope)
{
    const struct remedy *remedy = remedy_of(FINDING_SLOW);

    for (unsigned i = 0; i < model->attempts->len; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(model->attempts, i);
        const char *server = model_machine(scope, model, attempt->server);

        if (attempt->slow.count > 0) {
            add(findings,
                (struct report_finding){ .tone = TONE_WARN,
                    .code = FINDING_SLOW,
                    .client = attempt->client,
                    .server = attempt->server,
                    .frame = attempt->slow.first_frame,
                    .what = wmem_strdup_printf(scope, "%s answers slowly, %u time%s: %s", server, attempt->slow.count,
                        plurality(attempt->slow.count, "", "s"), outcome_text(&attempt->slow.what, scope)),
                    .remedy = findings_fill(scope, remedy->remedy, attempt->client, server),
                    .whom = findings_fill(scope, remedy_whom_text(remedy->whom), attempt->client, server) });
        }
    }
}

static int
compare_report_findings(const void *a, const void *b)
{
    const struct report_finding *one = (const struct report_finding *)a, *other = (const struct report_finding *)b;

    return one->tone != other->tone ? (one->tone < other->tone ? -1 : 1) : one->order < other->order ? -1 : 1;
}

GArray *
findings_of(const struct model *model, wmem_allocator_t *scope)
{
    GArray *findings = g_array_new(FALSE, FALSE, sizeof(struct report_finding));

    add_attempts(model, findings, scope);
    add_aside(model, findings, scope);
    add_cuts(model, findings, scope);
    add_slow(model, findings, scope);
    add_sealed(model, findings, scope);
    add_sets(model, findings, scope);
    add_missing(model, findings, scope);
    add_rules(model, findings, scope);
    add_habits(model, findings, scope);
    g_array_sort(findings, compare_report_findings);
    return findings;
}

/* Client or server of attempts. */
struct report_end {
    const char *address;           /* NULL in an unused entry */
    bool fails, works, is_unclear; /* outcomes of attempts to reach this host */
    bool is_told;
};

/* All clients or servers, without duplicates. */
struct report_ends {
    struct gathered clients, servers;
    unsigned bad, closed, reached, unclear; /* number of servers by outcome */
};

static struct report_end *
find_end(struct gathered *ends, const char *address)
{
    struct report_end *end = (struct report_end *)gathered_add(ends, address, sizeof *end);

    if (end->address == NULL) {
        end->address = address;
    }
    return end;
}

static struct report_ends
count_ends(const struct model *model, wmem_allocator_t *scope)
{
    const GPtrArray *attempts = model->attempts;
    struct report_ends ends = { { .scope = scope }, { .scope = scope }, 0, 0, 0, 0 };

    for (unsigned i = 0; i < attempts->len; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(attempts, i);
        struct report_end *server = find_end(&ends.servers, attempt->server);
        const enum tone tone = findings_tone(attempt);

        find_end(&ends.clients, attempt->client);
        server->fails = server->fails || tone == TONE_BAD;
        server->works = server->works || attempt_state(attempt) >= ATTEMPT_SEALED;
        server->is_unclear = server->is_unclear || tone == TONE_WARN;
    }
    for (unsigned i = 0; i < gathered_count(&ends.servers); i++) {
        const struct report_end *server = (const struct report_end *)gathered_at(&ends.servers, i);

        ends.bad += server->fails;
        ends.closed += server->fails && !server->works;
        ends.reached += server->works;
        ends.unclear += server->is_unclear;
    }
    return ends;
}

/* Returns the number without trailing zeros. */
static const char *
without_zeros(wmem_allocator_t *scope, const char *digits)
{
    size_t length = strlen(digits);

    if (strchr(digits, '.') != NULL) {
        while (digits[length - 1] == '0') {
            length--;
        }
        length -= digits[length - 1] == '.';
    }
    return wmem_strndup(scope, digits, length);
}

/* Returns " every 15 s" or a range, or "" if no interval is known. */
static const char *
interval_text(const struct model *model, wmem_allocator_t *scope)
{
    double least = 0, most = 0;
    const char *least_text = NULL, *most_text = NULL;

    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        const struct stat_rows *rows = model->tables[MODEL_QUERIES + api];

        for (unsigned row = 0; row < stat_rows_count(rows); row++) {
            const char *text = model_cell(scope, rows, row, "median_s");
            const double seconds = g_ascii_strtod(text, NULL);

            if (text[0] != '\0' && (least_text == NULL || seconds < least)) {
                least = seconds;
                least_text = text;
            }
            if (text[0] != '\0' && (most_text == NULL || seconds > most)) {
                most = seconds;
                most_text = text;
            }
        }
    }
    if (least_text == NULL) {
        return "";
    }
    return strcmp(least_text, most_text) == 0
        ? wmem_strdup_printf(scope, " every %s\xC2\xA0s", without_zeros(scope, least_text))
        : wmem_strdup_printf(scope, " every %s to %s\xC2\xA0s", without_zeros(scope, least_text),
              without_zeros(scope, most_text));
}

/* Appends the servers that refuse their clients, some by name, and the reason. */
static void
append_stopped(const struct model *model, wmem_strbuf_t *text, struct report_ends *ends, wmem_allocator_t *scope)
{
    unsigned told = 0;

    for (unsigned i = 0; i < model->attempts->len && told < MOST_NAMED; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(model->attempts, i);
        const char *server = model_machine(scope, model, attempt->server);
        struct report_end *end = find_end(&ends->servers, attempt->server);

        if (findings_tone(attempt) == TONE_BAD && !end->is_told) {
            end->is_told = true;
            wmem_strbuf_append_printf(text, "%s%s %s", told++ == 0 ? "" : "; ", server,
                findings_fill(scope, remedy_of(finding_of_attempt(attempt))->says, attempt->client, server));
        }
    }
    if (ends->bad > told) {
        wmem_strbuf_append_printf(text, "; and %u more", ends->bad - told);
    }
}

static const char *
clients_text(const struct report_ends *ends, wmem_allocator_t *scope)
{
    const unsigned count = gathered_count(&ends->clients);

    return count == 1 ? ((const struct report_end *)gathered_at(&ends->clients, 0))->address
                      : wmem_strdup_printf(scope, "%u clients", count);
}

/* Appends what works: the clients, their servers, and the poll interval. */
static void
append_working(const struct model *model, const struct report_ends *ends, wmem_strbuf_t *text, wmem_allocator_t *scope)
{
    const unsigned num_clients = gathered_count(&ends->clients), num_servers = gathered_count(&ends->servers);

    wmem_strbuf_append_printf(text, "%s %s%s ", clients_text(ends, scope), model_polls(model) == 0 ? "call" : "poll",
        plurality(num_clients, "s", ""));
    if (num_servers == 1) {
        wmem_strbuf_append(text,
            model_machine(scope, model, ((const struct report_end *)gathered_at(&ends->servers, 0))->address));
    } else {
        wmem_strbuf_append_printf(text, "%u servers", num_servers);
    }
    wmem_strbuf_append(text, interval_text(model, scope));
}

/* Appends that answers cannot be decrypted, and whether a key would help. */
static void
append_sealed(const struct model *model, wmem_strbuf_t *text)
{
    const struct needed *needed = &model->tables[MODEL_SESSIONS]->needed;
    const struct remedy *remedy = remedy_of(finding_of_key(needed->items[0].code));
    bool is_partly = false;

    for (unsigned i = 1; i < needed->count && remedy->whom == WHOM_CAPTURE; i++) {
        remedy = remedy_of(finding_of_key(needed->items[i].code));
    }
    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        is_partly = is_partly || stat_rows_count(model->tables[MODEL_COUNTERS + api]) != 0;
    }
    for (unsigned i = 0; i < model->attempts->len && !is_partly; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(model->attempts, i);

        is_partly = attempt->needed == NULL && attempt_is_answered(attempt);
    }
    wmem_strbuf_append_printf(text, "; %s answers are sealed, and %s", is_partly ? "some" : "the", remedy->says);
}

/* Appends the reason why it is unclear how attempts ended. An answer that is still to come is no finding. */
static void
append_unclear(const struct model *model, const GArray *findings, wmem_strbuf_t *text, wmem_allocator_t *scope)
{
    const char *what = findings->len > 0 ? g_array_index(findings, struct report_finding, 0).what : NULL;

    for (unsigned i = 0; i < model->attempts->len && what == NULL; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(model->attempts, i);
        const struct outcome reason = attempt_reason(attempt);

        what = findings_tone(attempt) == TONE_WARN ? outcome_text(&reason, scope) : NULL;
    }
    wmem_strbuf_append_printf(text, "; %s", what == NULL ? "" : what);
}

/* Appends the counts of wasteful habits. */
static void
append_habits(const struct model *model, wmem_strbuf_t *text)
{
    for (unsigned i = 0; i < array_length(habits); i++) {
        unsigned count = 0;

        for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
            const struct stat_rows *rows = model->tables[MODEL_QUERIES + api];

            for (unsigned row = 0; row < stat_rows_count(rows); row++) {
                count += count_habit(rows, row, i);
            }
        }
        if (count != 0 && habits[i].one != NULL) {
            wmem_strbuf_append_printf(text, "; %u %s", count, plurality(count, habits[i].one, habits[i].many));
        }
    }
}

/* Appends the counts of problems in otherwise working queries. */
static void
append_flaws(const struct model *model, const GArray *findings, wmem_strbuf_t *text)
{
    unsigned counters = 0, objects = 0, refused = 0, calls = 0, broken = 0, unread = 0, damaged = 0;
    const unsigned failed = (unsigned)model_sum(model->tables[MODEL_SETS], "failed");
    const struct stat_rows *rules = model->tables[MODEL_RULES];
    const size_t before = wmem_strbuf_get_len(text);
    bool is_about = false;
    unsigned failures = 0;

    for (unsigned i = 0; i < model->attempts->len; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(model->attempts, i);
        const bool is_lost = remedy_of(finding_of_attempt(attempt))->whom == WHOM_CAPTURE;

        is_about = is_about || attempt->wants != WANTS_WINREG;
        failures += attempt_is_answered(attempt) && !is_lost ? failures_of(attempt) - attempt->refused_aside : 0;
        if (attempt_is_answered(attempt) && !is_lost && attempt->given_up.what.code == OUTCOME_REST_NOT_READ) {
            unread += attempt->given_up.count;
            failures -= attempt->given_up.count;
        }
    }
    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        const GPtrArray *missing = missing_things(model->tables[MODEL_MISSING + api]);

        for (unsigned i = 0; i < missing->len; i++) {
            const struct missing_thing *thing = (const struct missing_thing *)g_ptr_array_index(missing, i);

            refused += thing->why.code == WHY_REFUSED_BY_PDH;
            damaged += thing->why.code == WHY_NAMES_DAMAGED;
            objects += thing->kind == ASKED_OBJECT;
            counters += thing->kind == ASKED_COUNTER && thing->why.code != WHY_REFUSED_BY_PDH;
            calls += (thing->kind == ASKED_CALL || thing->kind == ASKED_BLOCKS) &&
                thing->why.code != WHY_REST_NOT_READ && thing->why.code != WHY_NAMES_DAMAGED;
        }
    }
    for (unsigned row = 0; row < stat_rows_count(rules); row++) {
        broken += rules_is_broken(rules, row);
    }
    if (failures != 0) {
        wmem_strbuf_append_printf(text, "; %u call%s failed or had no answer", failures, plurality(failures, "", "s"));
    }
    if (unread != 0) {
        wmem_strbuf_append_printf(text, "; the client did not read %u answer%s to the end", unread,
            plurality(unread, "", "s"));
    }
    if (counters != 0) {
        wmem_strbuf_append_printf(text, "; %u counter%s never had a value", counters, plurality(counters, "", "s"));
    }
    if (objects != 0) {
        wmem_strbuf_append_printf(text, "; %u object%s had no data", objects, plurality(objects, "", "s"));
    }
    if (refused != 0) {
        wmem_strbuf_append_printf(text, "; %u counter%s had values that Windows tools refuse", refused,
            plurality(refused, "", "s"));
    }
    if (damaged != 0) {
        wmem_strbuf_append_printf(text, "; %u list%s of names %s damaged", damaged, plurality(damaged, "", "s"),
            plurality(damaged, "is", "are"));
    }
    if (calls != 0) {
        wmem_strbuf_append_printf(text, "; %u other thing%s never came", calls, plurality(calls, "", "s"));
    }
    if (failed != 0) {
        wmem_strbuf_append_printf(text, "; %u call%s on data collector sets failed", failed,
            plurality(failed, "", "s"));
    }
    if (broken != 0) {
        wmem_strbuf_append_printf(text, "; %u rule%s of [MS-PCQ] %s broken", broken, plurality(broken, "", "s"),
            plurality(broken, "is", "are"));
    }
    if (wmem_strbuf_get_len(text) == before) {
        append_habits(model, text);
    }
    if (wmem_strbuf_get_len(text) == before) {
        wmem_strbuf_append(text,
            !is_about                ? ", but not for performance counters"
                : findings->len == 0 ? ": nothing is wrong"
                                     : ": it works, with something to note");
    }
}

const char *
findings_verdict(const struct model *model, const GArray *findings, wmem_allocator_t *scope, enum tone *tone)
{
    struct report_ends ends = count_ends(model, scope);
    const unsigned num_servers = gathered_count(&ends.servers);
    wmem_strbuf_t *text = wmem_strbuf_new(scope, NULL);

    *tone = findings->len == 0 ? TONE_GOOD : g_array_index(findings, struct report_finding, 0).tone;
    if (num_servers == 0) {
        *tone = TONE_WARN;
        wmem_strbuf_append(text,
            findings->len == 0 ? "Nobody asks for performance counters in this capture"
                               : "Nobody gets as far as asking for performance counters in this capture");
    } else if (ends.closed != 0) {
        wmem_strbuf_append_printf(text, "%s %s ", clients_text(&ends, scope),
            plurality(gathered_count(&ends.clients), "gets", "get"));
        if (num_servers > 1) {
            wmem_strbuf_append_printf(text, "through to %u of %u servers. ", ends.reached, num_servers);
        } else {
            wmem_strbuf_append(text, "no counters: ");
        }
        append_stopped(model, text, &ends, scope);
    } else {
        append_working(model, &ends, text, scope);
        if (ends.bad != 0) {
            wmem_strbuf_append(text, ", but some attempts fail: ");
            append_stopped(model, text, &ends, scope);
        } else if (model->tables[MODEL_SESSIONS]->needed.count != 0) {
            append_sealed(model, text);
        } else if (ends.unclear != 0) {
            append_unclear(model, findings, text, scope);
        } else {
            append_flaws(model, findings, text);
        }
    }
    wmem_strbuf_append_c(text, '.');
    return wmem_strbuf_get_str(text);
}
