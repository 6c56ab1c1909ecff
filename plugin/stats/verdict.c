/* verdict.c
 * All findings about a capture in one line
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/findings.h"

#include <math.h>
#include <string.h>

#include <wsutil/str_util.h>

#include "stats/request-cells.h"

/* Maximum number of reasons for failed attempts in the verdict. */
#define MOST_REASONS 3u

/* Client or server, with the outcomes of its attempts. */
struct report_end {
    const char *address; /* NULL in an unused entry */
    bool fails;          /* true if an attempt failed (TONE_BAD) */
    bool works;          /* true if an attempt got values or sealed answers */
    bool answers;        /* true if an attempt got other answers */
    bool is_unclear;     /* true if an attempt ended with TONE_WARN, those of .is_aside not counted */
    bool is_aside;       /* true if an attempt called only other interfaces, such as an activation */
    bool is_stated;      /* true once the verdict gives its reason */
};

/* All clients or servers, without duplicates. */
struct report_ends {
    struct key_index *clients, *servers;
    /* numbers of servers: with a failed attempt; of these, without one that works; reached; with unclear attempts */
    unsigned bad, closed, reached, unclear;
    unsigned unknown; /* number of servers whose attempts are all unclear */
    /* true if an attempt may concern performance data; if an attempt got a value */
    bool is_about, works;
    unsigned times;  /* number of attempts, including equal ones that share a row */
    unsigned unsaid; /* number of rows of attempts that ended before the client named an interface or a pipe */
};

static struct report_end *
find_end(struct key_index *ends, const char *address)
{
    struct report_end *end = (struct report_end *)key_index_gather(ends, address, sizeof *end);

    if (end->address == NULL) {
        end->address = address;
    }
    return end;
}

static struct report_ends
count_ends(const struct model *model, wmem_allocator_t *scope)
{
    const GPtrArray *attempts = model->attempts;
    struct report_ends ends = { .clients = key_index_new(scope), .servers = key_index_new(scope) };

    for (unsigned i = 0; i < attempts->len; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(attempts, i);
        struct report_end *server = find_end(ends.servers, model_host(model, attempt->server));
        const enum tone tone = findings_tone(attempt);
        const bool is_aside = attempt_reason(attempt).code == OUTCOME_OTHERS_CALLED;

        find_end(ends.clients, attempt->client);
        server->fails = server->fails || tone == TONE_BAD;
        server->works = server->works || attempt_state(attempt) >= ATTEMPT_SEALED;
        server->answers = server->answers || attempt_state(attempt) == ATTEMPT_REACHED;
        server->is_aside = server->is_aside || is_aside;
        server->is_unclear = server->is_unclear || (tone == TONE_WARN && !is_aside);
        ends.is_about = ends.is_about || findings_is_about(attempt);
        ends.works = ends.works || attempt_state(attempt) == ATTEMPT_WORKS;
        ends.times += attempt->times;
        ends.unsaid += attempt->wants == 0 && attempt->pipe == NULL && attempt->stopped.what.code != OUTCOME_ENCRYPTED;
    }
    for (unsigned i = 0; i < key_index_size(ends.servers); i++) {
        const struct report_end *server = (const struct report_end *)key_index_data(ends.servers, i);
        const bool is_unclear = server->is_unclear || (server->is_aside && !ends.works);

        ends.bad += server->fails;
        ends.closed += server->fails && !server->works;
        /* A server that only answered calls without values counts as reached, unless an attempt failed. */
        ends.reached += server->works || (server->answers && !server->fails);
        ends.unclear += is_unclear;
        ends.unknown += is_unclear && !server->fails && !server->works && !server->answers;
    }
    return ends;
}

/* Returns " every 15 s" or a range, or "" if no interval is known. */
static const char *
interval_text(const struct model *model, wmem_allocator_t *scope)
{
    double least = 0, most = 0;

    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        const struct stat_rows *rows = model->tables[MODEL_QUERIES + api];

        for (unsigned row = 0; row < stat_rows_count(rows); row++) {
            /* Rounded to milliseconds. 0: the query has no interval, or its polls have equal times. */
            const double seconds =
                round(((const struct stat_requests *)stat_rows_state(rows, row))->median * 1e3) / 1e3;

            least = seconds != 0 && (least == 0 || seconds < least) ? seconds : least;
            most = MAX(most, seconds);
        }
    }
    return most == 0    ? ""
        : least == most ? wmem_strdup_printf(scope, " every %s\xC2\xA0s", number_text(scope, "%.15g", least))
                        : wmem_strdup_printf(scope, " every %s to %s\xC2\xA0s", number_text(scope, "%.15g", least),
                              number_text(scope, "%.15g", most));
}

/* Appends why attempts failed: at most MOST_REASONS reasons, and the number of servers with other reasons. */
static void
append_stopped(const struct model *model, const struct key_index *groups, wmem_strbuf_t *text, struct report_ends *ends)
{
    unsigned reasons = 0, stated = 0;

    for (unsigned i = 0; i < key_index_size(groups) && reasons < MOST_REASONS; i++) {
        const struct finding_group *group = (const struct finding_group *)key_index_data(groups, i);
        const unsigned before = stated;

        for (unsigned m = 0; m < wmem_array_get_count(group->members) && finding_member(group, 0)->tone == TONE_BAD;
             m++) {
            struct report_end *end = find_end(ends->servers, model_host(model, finding_member(group, m)->server));

            stated += !end->is_stated;
            end->is_stated = true;
        }
        if (stated > before) {
            wmem_strbuf_append_printf(text, "%s%s", reasons++ == 0 ? "" : "; ", group->clause);
        }
    }
    if (ends->bad > stated) {
        wmem_strbuf_append_printf(text, "; and %u more", ends->bad - stated);
    }
}

static const char *
clients_text(const struct key_index *clients, wmem_allocator_t *scope)
{
    const unsigned count = key_index_size(clients);

    return count == 1 ? ((const struct report_end *)key_index_data(clients, 0))->address
                      : wmem_strdup_printf(scope, "%u clients", count);
}

/* Returns the only server, with its address if that is known, or the number of servers. */
static const char *
servers_text(const struct model *model, const struct key_index *servers, wmem_allocator_t *scope)
{
    const char *machine = ((const struct report_end *)key_index_data(servers, 0))->address;

    if (key_index_size(servers) > 1) {
        return wmem_strdup_printf(scope, "%u servers", key_index_size(servers));
    }
    for (unsigned i = 0; i < model->attempts->len; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(model->attempts, i);

        if (strcmp(model_host(model, attempt->server), machine) == 0) {
            return model_machine(scope, model, attempt->server);
        }
    }
    return machine;
}

/* Finds who polls whom: from the tables of usage (received values), and from attempts whose calls are sealed. */
static void
find_polled(const struct model *model, struct report_ends *polled, wmem_allocator_t *scope)
{
    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        const struct stat_rows *rows = model->tables[MODEL_USAGE + api];

        for (unsigned row = 0; row < stat_rows_count(rows); row++) {
            find_end(polled->clients, model_cell(scope, rows, row, "client"));
            find_end(polled->servers, model_cell(scope, rows, row, "server"));
        }
    }
    for (unsigned i = 0; i < model->attempts->len; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(model->attempts, i);

        if (attempt_state(attempt) == ATTEMPT_SEALED && findings_is_about(attempt)) {
            find_end(polled->clients, attempt->client);
            find_end(polled->servers, model_host(model, attempt->server));
        }
    }
}

/*
 * Returns "; no value was asked for" or a similar text if no attempt shows a request for values that was answered;
 * otherwise "".
 */
static const char *
unasked_text(const struct model *model)
{
    bool is_waiting = false, is_unread = false, has_reached = false, has_found = false;

    for (unsigned i = 0; i < model->attempts->len; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(model->attempts, i);
        const enum attempt_state state = attempt_state(attempt);
        const enum outcome_code code = attempt_reason(attempt).code;

        if (state > ATTEMPT_REACHED || code == OUTCOME_IN_PART || code == OUTCOME_FRAGMENTED) {
            return "";
        }
        is_waiting = is_waiting || attempt->asks_values || code == OUTCOME_OPEN || code == OUTCOME_NO_ANSWER ||
            code == OUTCOME_LEFT;
        /* Answered, without a failure: no answer to a request for values could be read. */
        is_unread = is_unread || (attempt->asks_values && code == OUTCOME_REACHED);
        has_reached = has_reached || state == ATTEMPT_REACHED;
        has_found = has_found || state == ATTEMPT_FOUND;
    }
    return is_unread                ? "; no value could be read"
        : has_reached && is_waiting ? "; no value was received"
        : has_reached               ? "; no value was asked for"
        : has_found                 ? "; only a port or an object was asked for"
                                    : "";
}

/* Appends "CLIENT polls SERVER every 15 s", or "calls" if no values were polled. */
static void
append_working(const struct model *model, const struct report_ends *ends, wmem_strbuf_t *text, wmem_allocator_t *scope)
{
    /*
     * model_polls() counts lists of names, too, as the older API reads them like values: so unasked_text() is checked,
     * too.
     */
    const bool is_polled = model_polls(model) != 0 && ends->is_about && unasked_text(model)[0] == '\0';
    struct report_ends polled = { .clients = key_index_new(scope), .servers = key_index_new(scope) };
    const struct key_index *clients, *servers;

    if (is_polled) {
        find_polled(model, &polled, scope);
    }
    servers = key_index_size(polled.servers) != 0 ? polled.servers : ends->servers;
    clients = key_index_size(polled.clients) != 0 && ends->bad == 0 ? polled.clients : ends->clients;
    wmem_strbuf_append(text,
        findings_fill(scope,
            wmem_strdup_printf(scope, "{C} %s%s {S}", is_polled ? "poll" : "call",
                plurality(key_index_size(clients), "s", "")),
            clients_text(clients, scope), servers_text(model, servers, scope)));
    wmem_strbuf_append(text, interval_text(model, scope));
}

/* Appends that answers cannot be decrypted, and whether a key would help. */
static void
append_sealed(const struct model *model, wmem_strbuf_t *text)
{
    const struct needed *needed = &model->tables[MODEL_SESSIONS]->needed;
    const struct remedy *remedy = &remedies[finding_of_key(needed->items[0].code)];
    bool is_partly = false;

    for (unsigned i = 1; i < needed->count && remedy->whom == WHOM_CAPTURE; i++) {
        remedy = &remedies[finding_of_key(needed->items[i].code)];
    }
    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        is_partly = is_partly || stat_rows_count(model->tables[MODEL_COUNTERS + api]) != 0;
    }
    for (unsigned i = 0; i < model->attempts->len && !is_partly; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(model->attempts, i);

        is_partly = attempt->needed == NULL && attempt_is_answered(attempt);
    }
    wmem_strbuf_append_printf(text, "; %s answers are encrypted, and %s", is_partly ? "some" : "the", remedy->says);
}

/* Appends the first finding. Without findings, appends the outcome of the first attempt with TONE_WARN. */
static void
append_unclear(const struct model *model, wmem_array_t *findings, wmem_strbuf_t *text, wmem_allocator_t *scope)
{
    const char *what = wmem_array_get_count(findings) > 0 ? finding_at(findings, 0)->what : NULL;

    for (unsigned i = 0; i < model->attempts->len && what == NULL; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(model->attempts, i);
        const struct outcome reason = attempt_reason(attempt);

        what = findings_tone(attempt) == TONE_WARN ? outcome_text(&reason, scope) : NULL;
    }
    wmem_strbuf_append_printf(text, "; %s", what == NULL ? "" : what);
}

/* Appends "; 3 MANY" or "; 1 ONE", or nothing if the number is 0. */
static void
append_count(wmem_strbuf_t *text, unsigned count, const char *one, const char *many)
{
    if (count != 0) {
        wmem_strbuf_append_printf(text, "; %u %s", count, plurality(count, one, many));
    }
}

/* Appends the counts of calls that failed although others were answered. */
static void
append_failed_calls(const struct model *model, wmem_strbuf_t *text)
{
    unsigned failures = 0, unread = 0;

    for (unsigned i = 0; i < model->attempts->len; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(model->attempts, i);

        if (attempt_is_answered(attempt) && remedies[finding_of_attempt(attempt)].whom != WHOM_CAPTURE) {
            struct outcome silence = { .doubt = DOUBT_NONE };
            uint32_t frame;
            const unsigned unanswered = attempt_unanswered(attempt, &silence, &frame);
            const unsigned rests =
                (attempt->given_up.what.code == OUTCOME_REST_NOT_READ ? attempt->given_up.count : 0) +
                (silence.code == OUTCOME_REST_NOT_READ ? unanswered : 0);

            failures += findings_failures(attempt) - attempt->refused_aside;
            failures -= silence.doubt != DOUBT_NONE ? unanswered : 0;
            failures -= rests;
            unread += rests;
        }
    }
    append_count(text, failures, "call failed or got no answer", "calls failed or got no answer");
    if (unread != 0) {
        wmem_strbuf_append_printf(text, "; the client did not read %u answer%s to the end", unread,
            plurality(unread, "", "s"));
    }
}

/* Appends the counts of problems in otherwise working queries. */
static void
append_flaws(const struct model *model, wmem_array_t *findings, const struct report_ends *ends, wmem_strbuf_t *text)
{
    struct finding_counts sum = { 0 };
    unsigned broken = 0;
    const struct stat_rows *rules = model->tables[MODEL_RULES];
    const size_t begin = wmem_strbuf_get_len(text);
    size_t before;

    for (unsigned i = 0; i < wmem_array_get_count(findings); i++) {
        const struct finding_counts *counts = &finding_at(findings, i)->counts;

        sum.counters += counts->counters;
        sum.objects += counts->objects;
        sum.refused += counts->refused;
        sum.damaged += counts->damaged;
        sum.calls += counts->calls;
        sum.set_calls += counts->set_calls;
    }
    for (unsigned row = 0; row < stat_rows_count(rules); row++) {
        enum rule_who who;

        broken += rules_fault(rules, row, &who) != NULL;
    }
    wmem_strbuf_append(text, ends->is_about ? unasked_text(model) : "");
    before = wmem_strbuf_get_len(text);
    append_failed_calls(model, text);
    append_count(text, sum.counters, "counter never had a value", "counters never had a value");
    append_count(text, sum.objects, "object had no data", "objects had no data");
    append_count(text, sum.refused, "counter had values that Windows tools refuse",
        "counters had values that Windows tools refuse");
    append_count(text, sum.damaged, "list of names is damaged", "lists of names are damaged");
    append_count(text, sum.calls, "other request got no result", "other requests got no result");
    append_count(text, sum.set_calls, "call on data collector sets failed", "calls on data collector sets failed");
    append_count(text, broken, "rule of [MS-PCQ] is broken", "rules of [MS-PCQ] are broken");
    if (wmem_strbuf_get_len(text) == before) {
        findings_append_waste(model, text);
    }
    if (wmem_strbuf_get_len(text) == begin) {
        wmem_strbuf_append(text,
            !ends->is_about                           ? ", but not for performance counters"
                : wmem_array_get_count(findings) == 0 ? ": nothing is wrong"
                : ends->works                         ? ": it works, but see the notes"
                                                      : "; see the notes");
    }
}

const char *
findings_verdict(const struct model *model, wmem_array_t *findings, const struct key_index *groups,
    wmem_allocator_t *scope)
{
    struct report_ends ends = count_ends(model, scope);
    const unsigned num_servers = key_index_size(ends.servers);
    const struct report_finding *first = wmem_array_get_count(findings) == 0 ? NULL : finding_at(findings, 0);
    wmem_strbuf_t *text = wmem_strbuf_new(scope, NULL);

    if (first != NULL && (!session_is_enabled() || first->code == FINDING_ONE_DIRECTION)) {
        wmem_strbuf_append(text, first->what);
    } else if (num_servers == 0) {
        wmem_strbuf_append(text,
            first == NULL ? "No client asks for performance counters in this capture" : first->what);
    } else if (ends.unsaid == model->attempts->len) {
        wmem_strbuf_append_printf(text,
            "No client was seen asking for performance counters; %u attempt%s ended too early to tell", ends.times,
            plurality(ends.times, "", "s"));
    } else if (ends.closed != 0) {
        wmem_strbuf_append_printf(text, "%s %s ",
            findings_fill(scope, "{C}", clients_text(ends.clients, scope), servers_text(model, ends.servers, scope)),
            plurality(key_index_size(ends.clients), "gets", "get"));
        if (num_servers > 1) {
            wmem_strbuf_append_printf(text, "through to %u of %u servers", ends.reached, num_servers);
            if (ends.unknown != 0) {
                wmem_strbuf_append_printf(text, " (unknown for %u)", ends.unknown);
            }
            wmem_strbuf_append(text, ": ");
        } else {
            wmem_strbuf_append(text, "no counters: ");
        }
        append_stopped(model, groups, text, &ends);
    } else {
        append_working(model, &ends, text, scope);
        if (ends.bad != 0) {
            wmem_strbuf_append(text, ", but some attempts fail: ");
            append_stopped(model, groups, text, &ends);
        } else if (findings_is_sealed(model)) {
            append_sealed(model, text);
            append_failed_calls(model, text);
        } else if (ends.unclear != 0 && ends.is_about) {
            append_unclear(model, findings, text, scope);
        } else {
            append_flaws(model, findings, &ends, text);
        }
    }
    wmem_strbuf_append_c(text, '.');
    return wmem_strbuf_get_str(text);
}
