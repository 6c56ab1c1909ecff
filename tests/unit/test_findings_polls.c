/* test_findings_polls.c
 * Findings about how clients poll: each kind of waste with its limit, texts and frames; and which answers are too slow
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "findings-build.h"

#include "stats/request-cells.h"

/* A table of queries: the columns that both real ones have. */
enum { QUERY_CLIENT, QUERY_SERVER, QUERY_FRAME, LATE, OVERLAP, TOO_SMALL, TWICE, OTHER_HOST, NUM_COLUMNS };
static const struct stat_column columns[NUM_COLUMNS] = {
    STAT_TEXT("client", "Client"),
    STAT_TEXT("server", "Server"),
    STAT_COUNT("first_frame", "First frame"),
    STAT_COUNT("late", "Late"),
    STAT_COUNT("overlap", "Overlap"),
    STAT_COUNT("too_small", "Too small"),
    STAT_COUNT("twice", "Twice"),
    STAT_COUNT("other_host", "Other host"),
};
static const struct stat_kind queries = {
    .name = "queries",
    .title = "Queries",
    .columns = columns,
    .num_columns = NUM_COLUMNS,
    .state_size = sizeof(struct stat_requests),
};

static void
queries_begin(void)
{
    model_begin();
    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        if (model.tables[MODEL_QUERIES + api] == NULL) {
            model.tables[MODEL_QUERIES + api] = stat_rows_new(&queries, "test", "test", "Test");
            stat_rows_use(model.tables[MODEL_QUERIES + api]);
        }
        stat_rows_clear(model.tables[MODEL_QUERIES + api]);
    }
}

/* Adds a query's row. Returns its state. */
static struct stat_requests *
add_query(enum model_api api, const char *client, const char *server, unsigned frame, unsigned column, unsigned count)
{
    struct stat_rows *rows = model.tables[MODEL_QUERIES + api];
    const unsigned row = stat_rows_add(rows, NULL, NULL);
    stat_tap_table_item_type *cells = stat_rows_cells(rows, row);
    struct stat_requests *requests = (struct stat_requests *)stat_rows_state(rows, row);

    stat_cell_set_text(&cells[QUERY_CLIENT], client);
    stat_cell_set_text(&cells[QUERY_SERVER], server);
    cells[QUERY_FRAME].value.uint_value = frame;
    cells[column].value.uint_value = count;
    for (unsigned i = 0; i < NUM_REQUEST_COUNTS; i++) {
        requests->first_in[i] = 10 * frame + i;
    }
    return requests;
}

static void
check_finding(unsigned index, enum finding_code code, const char *client, const char *server, const char *what,
    unsigned frame, const char *filter)
{
    const struct report_finding *finding;
    const char *filter_of_frame = wmem_strdup_printf(scope, "frame.number == %u", frame);

    CHECK(index < wmem_array_get_count(findings), "%u findings", wmem_array_get_count(findings));
    if (index >= wmem_array_get_count(findings)) {
        return;
    }
    finding = finding_at(findings, index);
    CHECK_EQUAL(finding->code, code, "%u", index);
    CHECK_STRING(finding->client, client, "%u", index);
    CHECK_STRING(finding->server, server, "%u", index);
    CHECK_STRING(finding->what, what, "%u", index);
    CHECK_EQUAL(finding->frame, frame, "%u: %s", index, what);
    CHECK_STRING(finding->filter, filter != NULL ? filter : filter_of_frame, "%u: %s", index, what);
    CHECK_EQUAL(finding->order, index, "%u", index);
    CHECK(finding->detail == NULL && finding->pdh == NULL && finding->machine == NULL, "%u: %s", index, what);
}

/* Of each kind: the counts that are no waste yet, and what is said of one more. */
static const struct {
    unsigned column, usual;
    enum finding_code code;
    int first_in; /* its index in stat_requests.first_in; -1: none, it is the query's first frame */
    const char *filter;
    const char *one, *many;           /* of the client's finding */
    const char *one_said, *many_said; /* of the headline, after the number; NULL: nothing */
} wastes[] = {
    { LATE, 0, FINDING_POLLS_LATE, REQUESTS_LATE, "perflibv2.poll.late || perfdata.poll.late",
        "me sent 1 poll late: a PerflibV2 query of PC", "me sent 7 polls late: a PerflibV2 query of PC",
        "; 1 poll was late", "; 7 polls were late" },
    { OVERLAP, 0, FINDING_POLLS_OVERLAP, REQUESTS_OVERLAP, "perflibv2.poll.overlap || perfdata.poll.overlap",
        "me polled again 1 time before the answer arrived: a PerflibV2 query of PC",
        "me polled again 7 times before the answer arrived: a PerflibV2 query of PC",
        "; 1 request was sent before the previous answer", "; 7 requests were sent before the previous answers" },
    { TOO_SMALL, 1, FINDING_BUFFER_TOO_SMALL, REQUESTS_TOO_SMALL, NULL,
        "me offered 2 buffers that were too small: a PerflibV2 query of PC",
        "me offered 7 buffers that were too small: a PerflibV2 query of PC", "; 2 buffers were too small",
        "; 7 buffers were too small" },
    { TWICE, 0, FINDING_POLLED_TWICE, REQUESTS_TWICE, "perflibv2.poll.twice || perfdata.poll.twice",
        "me polls 1 item twice, with two handles: a PerflibV2 query of PC",
        "me polls 7 items twice, with two handles: a PerflibV2 query of PC", "; 1 item was polled twice",
        "; 7 items were polled twice" },
    { OTHER_HOST, 0, FINDING_OTHER_HOST, -1, "perflibv2.machine.other",
        "me calls the server by another machine's name, 1 time: a PerflibV2 query of PC",
        "me calls the server by another machine's name, 7 times: a PerflibV2 query of PC", NULL, NULL },
};

static void
check_said(const char *expected)
{
    wmem_strbuf_t *text = wmem_strbuf_new(scope, "");

    findings_append_waste(&model, text);
    CHECK_STRING(wmem_strbuf_get_str(text), expected, "headline");
}

static void
test_each_waste_is_said_from_its_limit_on(void)
{
    for (unsigned i = 0; i < array_length(wastes); i++) {
        for (unsigned count = 0; count <= wastes[i].usual + 1; count++) {
            const unsigned frame = wastes[i].first_in < 0 ? 3 : 30 + (unsigned)wastes[i].first_in;
            const bool is_waste = count > wastes[i].usual;

            queries_begin();
            add_query(MODEL_PERFLIBV2, "me", "PC", 3, wastes[i].column, count);
            findings_add_waste(&model, findings, scope);
            CHECK_EQUAL(wmem_array_get_count(findings), is_waste, "waste %u, %u times", i, count);
            check_said(is_waste && wastes[i].one_said != NULL ? wastes[i].one_said : "");
            if (is_waste) {
                check_finding(0, wastes[i].code, "me", "PC", wastes[i].one, frame, wastes[i].filter);
                CHECK_EQUAL(finding_at(findings, 0)->tone, TONE_HINT, "waste %u", i);
                CHECK_EQUAL(finding_at(findings, 0)->problem, PROBLEM_CLIENT, "waste %u", i);
                CHECK_STRING(finding_at(findings, 0)->whom, "whoever runs me", "waste %u", i);
            }
        }
        queries_begin();
        add_query(MODEL_PERFLIBV2, "me", "PC", 3, wastes[i].column, 7);
        findings_add_waste(&model, findings, scope);
        check_finding(0, wastes[i].code, "me", "PC", wastes[i].many,
            wastes[i].first_in < 0 ? 3 : 30 + (unsigned)wastes[i].first_in, wastes[i].filter);
        check_said(wastes[i].many_said != NULL ? wastes[i].many_said : "");
        CHECK_EQUAL(wmem_array_get_count(findings), 1, "waste %u", i);
    }
}

/* One finding for each pair of hosts, of all its queries by both ways; kinds one after the other. */
static void
test_waste_is_gathered_by_client_and_server(void)
{
    static const char late[] = "perflibv2.poll.late || perfdata.poll.late";

    queries_begin();
    add_query(MODEL_PERFLIBV2, "me", "PC", 1, LATE, 0);
    add_query(MODEL_PERFLIBV2, "me", "PC", 2, LATE, 3);
    add_query(MODEL_PERFLIBV2, "you", "PC", 3, LATE, 1);
    add_query(MODEL_PERFLIBV2, "me", "PC", 4, LATE, 2);
    add_query(MODEL_PERFLIBV2, "me", "PC2", 5, LATE, 4);
    add_query(MODEL_PERFLIBV2, "me", "PC", 6, TOO_SMALL, 1);
    add_query(MODEL_PERFLIBV2, "me", "PC", 7, TOO_SMALL, 2);
    add_query(MODEL_PERFDATA, "me", "PC", 8, LATE, 1);
    add_query(MODEL_PERFDATA, "you", "PC2", 9, LATE, 5);
    add_query(MODEL_PERFDATA, "you", "PC2", 10, LATE, 6);
    add_query(MODEL_PERFDATA, "PC", "PC", 11, OTHER_HOST, 1);
    findings_add_waste(&model, findings, scope);
    CHECK_EQUAL(wmem_array_get_count(findings), 6, "findings");
    check_finding(0, FINDING_POLLS_LATE, "me", "PC",
        "me sent 6 polls late: 2 PerflibV2 queries and a value of performance data of PC", 20 + REQUESTS_LATE, late);
    check_finding(1, FINDING_POLLS_LATE, "you", "PC", "you sent 1 poll late: a PerflibV2 query of PC",
        30 + REQUESTS_LATE, late);
    check_finding(2, FINDING_POLLS_LATE, "me", "PC2", "me sent 4 polls late: a PerflibV2 query of PC2",
        50 + REQUESTS_LATE, late);
    check_finding(3, FINDING_POLLS_LATE, "you", "PC2", "you sent 11 polls late: 2 values of performance data of PC2",
        90 + REQUESTS_LATE, late);
    check_finding(4, FINDING_BUFFER_TOO_SMALL, "me", "PC",
        "me offered 2 buffers that were too small: a PerflibV2 query of PC", 70 + REQUESTS_TOO_SMALL, NULL);
    check_finding(5, FINDING_OTHER_HOST, "PC", "PC",
        "PC (client) calls the server by another machine's name, 1 time: a value of performance data of PC (server)",
        11, "perflibv2.machine.other");
    check_said("; 22 polls were late; 2 buffers were too small");
}

/* What the capture lacks of the client may be why an item seems to be polled twice, and nothing else. */
static void
test_lacking_frames_of_the_client_hide_only_what_is_polled_twice(void)
{
    struct losses none = { .lacks = { false } };

    for (unsigned loss = 0; loss < 7; loss++) {
        for (unsigned is_other = 0; is_other < 2; is_other++) {
            struct losses losses = { .lacks = { loss == 0, loss == 1 },
                .unread = { loss == 2, loss == 3 },
                .first_cut = { loss == 4, loss == 5 },
                .last_cut = { loss == 4, loss == 5 },
                .has_begin = loss == 6 };
            struct attempt before = { .latest = &before, .client = "me", .server = "PC", .losses = &none };
            struct attempt attempt = { .latest = &attempt,
                .client = is_other ? "you" : "me",
                .server = "PC",
                .losses = &losses };
            const bool lacks = loss < 6 && !is_other;

            queries_begin();
            model_has_attempt(&before);
            model_has_attempt(&attempt);
            model_has_attempt(&before);
            model_set_attempts(&model, model.attempts, scope);
            add_query(MODEL_PERFLIBV2, "me", "PC", 1, TWICE, 1);
            add_query(MODEL_PERFLIBV2, "me", "PC", 2, LATE, 1);
            findings_add_waste(&model, findings, scope);
            CHECK_EQUAL(wmem_array_get_count(findings), lacks ? 1 : 2, "loss %u of %s", loss, attempt.client);
            check_finding(0, FINDING_POLLS_LATE, "me", "PC", "me sent 1 poll late: a PerflibV2 query of PC",
                20 + REQUESTS_LATE, "perflibv2.poll.late || perfdata.poll.late");
            CHECK_EQUAL(model_lacks_frames(&model, "me", true), lacks, "loss %u of %s", loss, attempt.client);
            CHECK_EQUAL(model_lacks_frames(&model, "me", false), lacks && loss < 4, "loss %u", loss);
            CHECK(!model_lacks_frames(&model, "PC", true), "the server is no client");
            CHECK_EQUAL(model_was_cut_before(&model, "me", "PC", 2), lacks && loss >= 4, "loss %u", loss);
            CHECK_EQUAL(model_was_cut_before(&model, "me", "", 2), lacks && loss >= 4, "loss %u at any server", loss);
            CHECK(!model_was_cut_before(&model, "me", "PC", 1), "the frame that was cut is not before itself");
            CHECK(!model_was_cut_before(&model, "me", "me", 2), "at another server");
        }
    }
}

#define AT_ONCE(quickest, slowest) "PC takes " quickest " to " slowest " s to answer each poll; me polls again at once"
#define PAUSES(slowest, median)    "PC took " slowest " s to answer a poll that me makes every " median " s"

/* Seconds of the quickest and of the slowest answer, and of the median interval; and what is said of them. */
static const struct {
    double quickest, slowest, median;
    const char *what;
} slow[] = {
    { 0, 0, 0, NULL },
    /* Without a pause: even the quickest answer takes nine tenths of the interval, and a second. */
    { 1.8, 1.8, 2, AT_ONCE("1.8", "1.8") },
    { 1.75, 1.75, 2, NULL },
    { 1.8, 2.5, 2, AT_ONCE("1.8", "2.5") },
    { 2.5, 2.5, 2, AT_ONCE("2.5", "2.5") },
    { 1, 1, 1, AT_ONCE("1.0", "1.0") },
    { 0.99, 0.99, 1, NULL },
    { 0.99, 1.5, 1, NULL },
    { 5, 9.9375, 5, AT_ONCE("5.0", "9.9") },
    { 5, 10, 5, NULL }, /* it has a finding of its own */
    { 5, 12, 5, NULL },
    /* With a pause: an answer takes longer than the interval, and a tenth of a second. */
    { 1.75, 2.5, 2, PAUSES("2.5", "2.000") },
    { 1.75, 2, 2, NULL },
    { 0.5, 1, 1, NULL },
    { 0.5, 1.1875, 1, PAUSES("1.2", "1.000") },
    { 0.5, 1, 0.75, PAUSES("1.0", "0.750") },
    { 0.5, 0.9375, 0.75, PAUSES("0.938", "0.750") },
    { 0.01, 0.1, 0.05, PAUSES("0.100", "0.050") },
    { 0.01, 0.099, 0.05, NULL },
    { 0.225, 0.5, 0.25, NULL },
    { 0.2, 0.5, 0.25, PAUSES("0.500", "0.250") },
    { 0.01, 9.9375, 5, PAUSES("9.9", "5.000") },
    { 0.01, 10, 5, NULL },
};

static void
test_polls_are_slow_by_their_interval(void)
{
    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        for (unsigned i = 0; i < array_length(slow); i++) {
            struct stat_requests *requests;

            queries_begin();
            requests = add_query((enum model_api)api, "me", "PC", 3, LATE, 1);
            requests->quickest = slow[i].quickest;
            requests->slowest = slow[i].slowest;
            requests->median = slow[i].median;
            requests->longest = 60;
            requests->slowest_in = 17;
            findings_add_slow_polls(&model, findings, scope);
            CHECK_EQUAL(wmem_array_get_count(findings), slow[i].what != NULL, "slow %u", i);
            if (slow[i].what != NULL) {
                check_finding(0, FINDING_SLOW, "me", "PC", slow[i].what, 17, NULL);
                CHECK_EQUAL(finding_at(findings, 0)->tone, TONE_WARN, "slow %u", i);
                CHECK_EQUAL(finding_at(findings, 0)->problem, PROBLEM_SERVER, "slow %u", i);
                CHECK_STRING(finding_at(findings, 0)->whom, "the administrator of PC", "slow %u", i);
            }
        }
    }
}

static void
test_each_slow_query_has_a_finding(void)
{
    queries_begin();
    for (unsigned i = 0; i < 6; i++) {
        struct stat_requests *requests =
            add_query((enum model_api)(i / 3), i % 3 == 0 ? "me" : "you", i % 3 == 2 ? "PC2" : "PC", i, LATE, 0);

        requests->quickest = requests->slowest = 2 + i;
        requests->median = 2;
        requests->slowest_in = 100 + i;
    }
    findings_add_slow_polls(&model, findings, scope);
    CHECK_EQUAL(wmem_array_get_count(findings), 6, "findings");
    for (unsigned i = 0; i < 6; i++) {
        const char *client = i % 3 == 0 ? "me" : "you", *server = i % 3 == 2 ? "PC2" : "PC";

        check_finding(i, FINDING_SLOW, client, server,
            wmem_strdup_printf(scope, "%s takes %u.0 to %u.0 s to answer each poll; %s polls again at once", server,
                2 + i, 2 + i, client),
            100 + i, NULL);
    }
}

int
main(void)
{
    test_each_waste_is_said_from_its_limit_on();
    test_waste_is_gathered_by_client_and_server();
    test_lacking_frames_of_the_client_hide_only_what_is_polled_twice();
    test_polls_are_slow_by_their_interval();
    test_each_slow_query_has_a_finding();
    return check_result();
}
