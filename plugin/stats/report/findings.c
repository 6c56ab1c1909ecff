/* findings.c
 * What a capture comes to: what works, what does not, and what to do about it, the worst first
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/report/findings.h"

#include <inttypes.h>
#include <string.h>

#include <wsutil/str_util.h>

#include "base/text.h"
#include "cook/pdh.h"
#include "stats/tables.h"

/* So many findings of one kind are told; the sections hold the others. */
#define MOST_OF_KIND 6u

const char *
findings_pdh(wmem_allocator_t *scope, uint32_t pdh)
{
    return pdh == 0 ? NULL : wmem_strdup_printf(scope, "0x%08X %s", pdh, pdh_name(pdh));
}

enum tone
findings_tone(const struct attempt *attempt)
{
    switch (attempt_state(attempt)) {
    case ATTEMPT_STOPPED: return attempt->worked_in != 0 ? TONE_HINT : TONE_BAD;
    case ATTEMPT_WORKS:
        return attempt->needed != NULL ? TONE_WARN
            : attempt->faults.count != 0 || attempt->given_up.count != 0 ||
                (attempt->pending != NULL && wmem_list_count(attempt->pending) != 0)
            ? TONE_HINT
            : TONE_GOOD;
    default: return TONE_WARN;
    }
}

const char *
findings_fill(const struct model *model, wmem_allocator_t *scope, const char *text, const struct attempt *attempt)
{
    wmem_strbuf_t *filled = wmem_strbuf_new(scope, NULL);

    for (const char *at = text; *at != '\0'; at++) {
        if (strncmp(at, "{S}", 3) == 0 || strncmp(at, "{C}", 3) == 0) {
            wmem_strbuf_append(filled, at[1] == 'C' ? attempt->client : model_machine(scope, model, attempt->server));
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

/* What stopped clients, and what was in their way for a while. */
static void
add_attempts(const struct model *model, GArray *findings, wmem_allocator_t *scope)
{
    const GPtrArray *attempts = model->attempts;

    for (unsigned i = 0; i < attempts->len; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(attempts, i);
        const struct remedy *remedy = remedy_for(attempt_outcome(attempt, scope));
        const enum tone tone = findings_tone(attempt);
        const struct occurrence *stopped = attempt_what_stopped(attempt);
        const char *server = model_machine(scope, model, attempt->server);

        if (tone == TONE_GOOD || (tone == TONE_WARN && attempt->needed != NULL)) {
            continue;
        }
        if (attempt->worked_in != 0) {
            add(findings,
                (struct report_finding){ .tone = TONE_HINT,
                    .what = wmem_strdup_printf(scope, "%s works now", server),
                    .remedy = wmem_strdup_printf(scope, "At first it %s (frame %u); from frame %u on it answered.",
                        findings_fill(model, scope, remedy->says, attempt), stopped->first_frame, attempt->worked_in),
                    .frame = attempt->worked_in });
            continue;
        }
        add(findings,
            (struct report_finding){ .tone = tone,
                .what = wmem_strdup_printf(scope, "%s %s%s", server,
                    attempt_state(attempt) == ATTEMPT_WORKS ? "works, but once it " : "",
                    findings_fill(model, scope, remedy->says, attempt)),
                .remedy = findings_fill(model, scope, remedy->remedy, attempt),
                .whom = findings_fill(model, scope, remedy_whom_text(remedy->whom), attempt),
                .frame = stopped->count != 0 ? stopped->first_frame : attempt->frame,
                .pdh = findings_pdh(scope, remedy->pdh) });
    }
}

/* Calls that nobody could read. */
static void
add_sealed(const struct model *model, GArray *findings, wmem_allocator_t *scope)
{
    const struct needed *needed = &model->tables[MODEL_SESSIONS]->needed;

    for (unsigned i = 0; i < needed->count; i++) {
        add(findings,
            (struct report_finding){ .tone = TONE_WARN,
                .what = "What the calls say is sealed",
                .remedy = wmem_strdup_printf(scope,
                    "%s. With tshark: -o ntlmssp.nt_password:PASSWORD, or -K KEYTAB; in Wireshark: Preferences, "
                    "Protocols.",
                    needed->texts[i]),
                .whom = "whoever owns the account" });
    }
}

/* A reason, and how many things were not received for it. */
struct reason {
    unsigned things, frame;
    const char *first, *server, *pdh;
};

static void
add_missing(const struct model *model, GArray *findings, wmem_allocator_t *scope)
{
    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        const struct stat_rows *rows = model->tables[MODEL_MISSING + api];
        GHashTable *reasons = g_hash_table_new_full(wmem_str_hash, g_str_equal, NULL, g_free);
        GPtrArray *order = g_ptr_array_new();

        for (unsigned row = 0; row < stat_rows_count(rows); row++) {
            const char *why = model_cell(scope, rows, row, "Why not received");
            const char *server = model_cell(scope, rows, row, "Server");
            const char *key = wmem_strdup_printf(scope, "%s\n%s", why, server);
            struct reason *reason = (struct reason *)g_hash_table_lookup(reasons, key);

            if (reason == NULL) {
                reason = g_new0(struct reason, 1);
                *reason = (struct reason){ 0, model_number(rows, row, "First frame"),
                    model_cell(scope, rows, row, "Asked for"), server, model_cell(scope, rows, row, "PDH's code") };
                g_hash_table_insert(reasons, (void *)key, reason);
                g_ptr_array_add(order, (void *)key);
            }
            reason->things++;
        }
        for (unsigned i = 0; i < MIN(order->len, MOST_OF_KIND); i++) {
            const char *key = (const char *)g_ptr_array_index(order, i);
            const struct reason *reason = (const struct reason *)g_hash_table_lookup(reasons, key);
            const char *why = wmem_strndup(scope, key, (size_t)(strchr(key, '\n') - key));
            const bool is_first = strcmp(why, "first sample") == 0;

            add(findings,
                (struct report_finding){ .tone = is_first ? TONE_HINT : TONE_WARN,
                    .what = reason->things == 1
                        ? wmem_strdup_printf(scope, "%s never came from %s: %s", reason->first, reason->server, why)
                        : wmem_strdup_printf(scope, "%u things never came from %s: %s", reason->things, reason->server,
                              why),
                    .remedy = is_first ? "These need two polls: capture for longer than the client's interval."
                                       : "See \"What never came, and why\" below.",
                    .frame = reason->frame,
                    .pdh = reason->pdh[0] != '\0' ? reason->pdh : NULL });
        }
        g_ptr_array_free(order, TRUE);
        g_hash_table_destroy(reasons);
    }
}

/* What costs more than it has to, of one query. */
static void
add_habits(const struct model *model, GArray *findings, wmem_allocator_t *scope)
{
    static const struct {
        const char *column, *what, *remedy, *expert;
    } habits[] = {
        { "Too small", "asked %u time%s with a buffer that was too small",
            "Let the client keep the size that fitted last.", NULL },
        { "Late", "was late with %u poll%s",
            "The client was busy, or waited for another server: look at what it did in between.", "poll.late" },
        { "Overlap", "asked again before %u answer%s came",
            "The interval is shorter than the server takes, or the client does not wait.", "poll.overlap" },
        { "Twice", "polls %u thing%s with two handles", "One query is enough: half of the cost can be saved.",
            "poll.twice" },
        { "Other host", "calls the server by another machine's name, %u time%s",
            "Names in its paths are then of a machine that was never asked.", "machine.other" },
        { "Refused", "was refused %u counter%s", "See \"What never came, and why\" below.", NULL },
    };
    static const char *const prefix[] = { "perflibv2", "perfdata" };

    for (unsigned i = 0; i < array_length(habits); i++) {
        unsigned told = 0;

        for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
            const struct stat_rows *rows = model->tables[MODEL_QUERIES + api];

            for (unsigned row = 0; row < stat_rows_count(rows) && told < MOST_OF_KIND; row++) {
                const unsigned count = model_number(rows, row, habits[i].column);
                /* One trip that asks for the size is no waste. */
                const bool is_much = strcmp(habits[i].column, "Too small") != 0 || count > 1;

                if (count == 0 || !is_much) {
                    continue;
                }
                told++;
                add(findings,
                    (struct report_finding){ .tone = TONE_HINT,
                        .what = wmem_strdup_printf(scope, "A client of %s %s", model_cell(scope, rows, row, "Server"),
                            wmem_strdup_printf(scope, habits[i].what, count, plurality(count, "", "s"))),
                        .remedy = habits[i].expert == NULL ? habits[i].remedy
                                                           : wmem_strdup_printf(scope, "%s Filter: %s.%s",
                                                                 habits[i].remedy, prefix[api], habits[i].expert),
                        .frame = model_number(rows, row, "First frame") });
            }
        }
    }
}

static void
add_rules(const struct model *model, GArray *findings, wmem_allocator_t *scope)
{
    const struct stat_rows *rows = model->tables[MODEL_RULES];
    unsigned told = 0;

    for (unsigned row = 0; row < stat_rows_count(rows) && told < MOST_OF_KIND; row++) {
        if (strcmp(model_cell(scope, rows, row, "Verdict"), "broken") == 0) {
            const char *who = model_cell(scope, rows, row, "Who");

            told++;
            add(findings,
                (struct report_finding){ .tone = TONE_WARN,
                    .what = wmem_strdup_printf(scope, "%s breaks a rule of [MS-PCQ] %s, %u time%s",
                        strcmp(who, "server") == 0       ? "A server"
                            : strcmp(who, "client") == 0 ? "A client"
                                                         : "Both ends",
                        model_cell(scope, rows, row, "Section"), model_number(rows, row, "Broken"),
                        plurality(model_number(rows, row, "Broken"), "", "s")),
                    .remedy = wmem_strdup_printf(scope, "What holds: %s. Filter: perflibv2.rule.%s",
                        model_cell(scope, rows, row, "What holds"), model_cell(scope, rows, row, "Rule")),
                    .whom = "whoever wrote that program",
                    .frame = model_number(rows, row, "First frame") });
        }
    }
}

static void
add_sets(const struct model *model, GArray *findings, wmem_allocator_t *scope)
{
    const struct stat_rows *rows = model->tables[MODEL_SETS];
    unsigned told = 0;

    for (unsigned row = 0; row < stat_rows_count(rows) && told < MOST_OF_KIND; row++) {
        const unsigned failed = model_number(rows, row, "Failed");

        if (failed != 0) {
            told++;
            add(findings,
                (struct report_finding){ .tone = TONE_WARN,
                    .what = wmem_strdup_printf(scope, "%u call%s failed on the data collector set %s of %s", failed,
                        plurality(failed, "", "s"), model_cell(scope, rows, row, "Data collector set"),
                        model_cell(scope, rows, row, "Server")),
                    .remedy = wmem_strdup_printf(scope, "The last: %s.", model_cell(scope, rows, row, "Last error")) });
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
    add_sealed(model, findings, scope);
    add_sets(model, findings, scope);
    add_missing(model, findings, scope);
    add_rules(model, findings, scope);
    add_habits(model, findings, scope);
    g_array_sort(findings, compare_report_findings);
    return findings;
}

/* The ends of all attempts, each once, and how many servers nothing stops. */
struct report_ends {
    GHashTable *clients, *servers; /* the latter to enum tone + 1: the worst */
    const char *client, *server;   /* the first */
};

static struct report_ends
count_ends(const struct model *model)
{
    const GPtrArray *attempts = model->attempts;
    struct report_ends ends = { g_hash_table_new(wmem_str_hash, g_str_equal),
        g_hash_table_new(wmem_str_hash, g_str_equal), NULL, NULL };

    for (unsigned i = 0; i < attempts->len; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(attempts, i);
        const unsigned tone = findings_tone(attempt) + 1;
        const unsigned before = GPOINTER_TO_UINT(g_hash_table_lookup(ends.servers, attempt->server));

        ends.client = ends.client == NULL ? attempt->client : ends.client;
        ends.server = ends.server == NULL ? attempt->server : ends.server;
        g_hash_table_add(ends.clients, (void *)attempt->client);
        g_hash_table_insert(ends.servers, (void *)attempt->server,
            GUINT_TO_POINTER(before == 0 ? tone : MIN(before, tone)));
    }
    return ends;
}

/* "every 15.000 s", or from to; "": no interval is known. */
static const char *
interval_text(const struct model *model, wmem_allocator_t *scope)
{
    double least = 0, most = 0;
    const char *least_text = NULL, *most_text = NULL;

    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        const struct stat_rows *rows = model->tables[MODEL_QUERIES + api];

        for (unsigned row = 0; row < stat_rows_count(rows); row++) {
            const char *text = model_cell(scope, rows, row, "Interval s");
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
    return least_text == NULL                ? ""
        : strcmp(least_text, most_text) == 0 ? wmem_strdup_printf(scope, " every %s s", least_text)
                                             : wmem_strdup_printf(scope, " every %s to %s s", least_text, most_text);
}

const char *
findings_verdict(const struct model *model, const GArray *findings, wmem_allocator_t *scope, enum tone *tone)
{
    struct report_ends ends = count_ends(model);
    const unsigned num_clients = g_hash_table_size(ends.clients), num_servers = g_hash_table_size(ends.servers);
    const char *clients = num_clients == 1 ? ends.client : wmem_strdup_printf(scope, "%u clients", num_clients);
    const char *servers = num_servers == 1 ? model_machine(scope, model, ends.server)
                                           : wmem_strdup_printf(scope, "%u servers", num_servers);
    unsigned bad = 0;
    GHashTableIter iterator;
    void *value;
    const char *text;
    const struct report_finding *first = findings->len > 0 ? &g_array_index(findings, struct report_finding, 0) : NULL;

    g_hash_table_iter_init(&iterator, ends.servers);
    while (g_hash_table_iter_next(&iterator, NULL, &value)) {
        bad += GPOINTER_TO_UINT(value) == TONE_BAD + 1;
    }
    *tone = first == NULL ? TONE_GOOD : first->tone;
    if (num_servers == 0) {
        *tone = TONE_WARN;
        text = "Nobody asks for performance counters in this capture.";
    } else if (bad != 0 && num_servers == 1) {
        text = wmem_strdup_printf(scope, "%s does not get what it wants: %s.", clients, first->what);
    } else if (bad != 0) {
        text = wmem_strdup_printf(scope, "%s: %u of %u servers refuse or do not answer; %u do%s.", clients, bad,
            num_servers, num_servers - bad, num_servers - bad == 1 ? "es" : "");
    } else if (model->tables[MODEL_SESSIONS]->needed.count != 0) {
        text = wmem_strdup_printf(scope, "%s gets answers from %s, but they are sealed: a key is needed to read them.",
            clients, servers);
    } else {
        const uint64_t polls = model_sum(model->tables[MODEL_QUERIES], "Polls") +
            model_sum(model->tables[MODEL_QUERIES + MODEL_PERFDATA], "Answers");

        text = wmem_strdup_printf(scope, "%s %s %s%s: %s.", clients,
            polls == 0             ? num_clients == 1 ? "talks to" : "talk to"
                : num_clients == 1 ? "polls"
                                   : "poll",
            servers, interval_text(model, scope),
            findings->len == 0       ? "nothing is wrong"
                : *tone == TONE_HINT ? "it works, and could do better"
                                     : "it works, with gaps");
    }
    g_hash_table_destroy(ends.clients);
    g_hash_table_destroy(ends.servers);
    return text;
}
