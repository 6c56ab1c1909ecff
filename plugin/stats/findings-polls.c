/* findings-polls.c
 * Findings about how clients poll: what wastes time or bytes, and answers slower than the interval
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/findings.h"

#include <wsutil/str_util.h>

#include "stats/request-cells.h"

/* A client that pauses between polls: answers slower than its interval are a finding from this many seconds on. */
#define SLOW_POLL       0.1
/* If even the quickest answer takes all but this part of the interval, the client polls without a pause. */
#define SHORTEST_PAUSE  0.1
/* A client that polls without a pause: slow answers are a finding if even the quickest takes this many seconds. */
#define SLOW_EVERY_POLL 1.0

/* One kind of waste by a client's queries of a server */
struct waste_count {
    unsigned times, frame;
    const char *client, *server;
    unsigned queries[NUM_MODEL_APIS]; /* number of queries with this waste, by enum model_api */
};

/* Returns the subject of a finding: "a PerflibV2 query and 2 values of performance data". */
static const char *
queries_text(wmem_allocator_t *scope, const struct waste_count *polling)
{
    static const char *const texts[NUM_MODEL_APIS][2] = {
        { "a PerflibV2 query", "%u PerflibV2 queries" },
        { "a value of performance data", "%u values of performance data" },
    };
    wmem_strbuf_t *text = wmem_strbuf_new(scope, NULL);

    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        if (polling->queries[api] != 0) {
            wmem_strbuf_append(text, wmem_strbuf_get_len(text) > 0 ? " and " : "");
            wmem_strbuf_append_printf(text, texts[api][polling->queries[api] > 1], polling->queries[api]);
        }
    }
    return wmem_strbuf_get_str(text);
}

/* Kinds of waste, each with its column in the tables of queries and its finding. */
static const struct {
    const char *column;     /* key of the column that counts this waste, in both tables of queries */
    enum finding_code code; /* code of the finding and its remedy */
    const char *what;
    const char *one, *many; /* texts after the number in the verdict; NULL: not in the verdict */
    unsigned usual;         /* count per query that is not waste: one size probe is normal */
    unsigned count;         /* index of its first frame in stat_requests.first_in; NUM_REQUEST_COUNTS: none */
    const char *filter;     /* display filter for its frames; NULL: the finding gets one for its first frame */
} wastes[] = {
    { "late", FINDING_POLLS_LATE, "sent %u poll%s late", "poll was late", "polls were late", 0, REQUESTS_LATE,
        "perflibv2.poll.late || perfdata.poll.late" },
    { "overlap", FINDING_POLLS_OVERLAP, "polled again %u time%s before the answer arrived",
        "request was sent before the previous answer", "requests were sent before the previous answers", 0,
        REQUESTS_OVERLAP, "perflibv2.poll.overlap || perfdata.poll.overlap" },
    { "too_small", FINDING_BUFFER_TOO_SMALL, "offered %u buffer%s that were too small", "buffer was too small",
        "buffers were too small", 1, REQUESTS_TOO_SMALL, NULL },
    { "twice", FINDING_POLLED_TWICE, "polls %u item%s twice, with two handles", "item was polled twice",
        "items were polled twice", 0, REQUESTS_TWICE, "perflibv2.poll.twice || perfdata.poll.twice" },
    { "other_host", FINDING_OTHER_HOST, "calls the server by another machine's name, %u time%s", NULL, NULL, 0,
        NUM_REQUEST_COUNTS, "perflibv2.machine.other" },
};

/* Returns a query's count of one kind of waste; 0 if it is at most .usual, which is not waste. */
static unsigned
count_waste(const struct stat_rows *rows, unsigned row, unsigned waste)
{
    const unsigned count = model_number(rows, row, wastes[waste].column);

    return count > wastes[waste].usual ? count : 0;
}

void
findings_append_waste(const struct model *model, wmem_strbuf_t *text)
{
    for (unsigned i = 0; i < array_length(wastes); i++) {
        unsigned count = 0;

        for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
            const struct stat_rows *rows = model->tables[MODEL_QUERIES + api];

            for (unsigned row = 0; row < stat_rows_count(rows); row++) {
                count += count_waste(rows, row, i);
            }
        }
        if (count != 0 && wastes[i].one != NULL) {
            wmem_strbuf_append_printf(text, "; %u %s", count, plurality(count, wastes[i].one, wastes[i].many));
        }
    }
}

void
findings_add_waste(const struct model *model, wmem_array_t *findings, wmem_allocator_t *scope)
{
    for (unsigned i = 0; i < array_length(wastes); i++) {
        struct key_index *ends = key_index_new(scope);

        for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
            const struct stat_rows *rows = model->tables[MODEL_QUERIES + api];

            for (unsigned row = 0; row < stat_rows_count(rows); row++) {
                const unsigned count = count_waste(rows, row, i);
                const char *server, *client;
                struct waste_count *polling;

                if (count == 0) {
                    continue;
                }
                server = model_cell(scope, rows, row, "server");
                client = model_cell(scope, rows, row, "client");
                if (wastes[i].code == FINDING_POLLED_TWICE && model_lacks_frames(model, client, true)) {
                    /*
                     * No finding: in a missing frame, the client may have removed the counters from one of the two
                     * handles.
                     */
                    continue;
                }
                polling = (struct waste_count *)key_index_gather(ends,
                    wmem_strdup_printf(scope, "%s\n%s", client, server), sizeof *polling);
                if (polling->times == 0) {
                    /* In both tables of queries, the state of a row begins with a struct stat_requests. */
                    polling->frame = wastes[i].count < NUM_REQUEST_COUNTS
                        ? ((const struct stat_requests *)stat_rows_state(rows, row))->first_in[wastes[i].count]
                        : model_number(rows, row, "first_frame");
                    polling->client = client;
                    polling->server = server;
                }
                polling->times += count;
                polling->queries[api]++;
            }
        }
        for (unsigned s = 0; s < key_index_size(ends); s++) {
            const struct waste_count *polling = (const struct waste_count *)key_index_data(ends, s);

            findings_advise(findings, scope,
                (struct report_finding){ .tone = TONE_HINT,
                    .code = wastes[i].code,
                    .client = polling->client,
                    .server = polling->server,
                    .filter = wastes[i].filter,
                    .what = findings_fill(scope,
                        wmem_strdup_printf(scope, "{C} %s: %s of {S}",
                            wmem_strdup_printf(scope, wastes[i].what, polling->times,
                                plurality(polling->times, "", "s")),
                            queries_text(scope, polling)),
                        polling->client, polling->server),
                    .problem = PROBLEM_CLIENT,
                    .frame = polling->frame });
        }
    }
}

/* Returns true if the client polls without a pause, and even the quickest answer took SLOW_EVERY_POLL seconds. */
static bool
is_every_poll_slow(const struct stat_requests *requests)
{
    return requests->quickest >= SLOW_EVERY_POLL && requests->quickest >= requests->median * (1 - SHORTEST_PAUSE);
}

/* Returns true if the client pauses between polls, and an answer took longer than their median interval. */
static bool
is_any_poll_slow(const struct stat_requests *requests)
{
    return requests->slowest >= SLOW_POLL && requests->slowest > requests->median &&
        requests->quickest < requests->median * (1 - SHORTEST_PAUSE);
}

void
findings_add_slow_polls(const struct model *model, wmem_array_t *findings, wmem_allocator_t *scope)
{
    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        const struct stat_rows *rows = model->tables[MODEL_QUERIES + api];

        for (unsigned row = 0; row < stat_rows_count(rows); row++) {
            const struct stat_requests *requests = (const struct stat_requests *)stat_rows_state(rows, row);
            const char *client = model_cell(scope, rows, row, "client"),
                       *server = model_cell(scope, rows, row, "server");
            const bool is_every = is_every_poll_slow(requests);

            /* For answers of SLOW_CALL seconds or more, add_slow() adds a finding per attempt. */
            if (requests->slowest < SLOW_CALL && (is_every || is_any_poll_slow(requests))) {
                findings_advise(findings, scope,
                    (struct report_finding){ .tone = TONE_WARN,
                        .code = FINDING_SLOW,
                        .client = client,
                        .server = server,
                        .frame = requests->slowest_in,
                        .problem = PROBLEM_SERVER,
                        .what = findings_fill(scope,
                            is_every
                                ? wmem_strdup_printf(scope,
                                      "{S} takes %s to %s s to answer each poll; {C} polls again at once",
                                      number_text(scope, "%.1f", requests->quickest),
                                      number_text(scope, "%.1f", requests->slowest))
                                : wmem_strdup_printf(scope, "{S} took %s s to answer a poll that {C} makes every %s s",
                                      number_text(scope, requests->slowest < 1 ? "%.3f" : "%.1f", requests->slowest),
                                      number_text(scope, "%.3f", requests->median)),
                            client, server) });
            }
        }
    }
}
