/* test_findings.c
 * What a capture comes to: the finding of each kind, their order, and the verdict
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "report-tables.h"

#include "stats/report/report.h"

/* Of attempts: what stopped them, and what works. */
#define REFUSED(frame) \
    .stopped = { .text = "connection refused", .count = 1, .first_frame = frame, .last_frame = frame }
#define WORKS .wants = WANTS_PERFLIBV2, .answers = 2
#define FAULTS(number, frame) \
    .faults = { .text = "fault 0x5", .count = number, .first_frame = frame, .last_frame = frame }
#define OPEN_IT \
    "Nothing listens on that port. Start the service on s (over SMB: Server, LanmanServer) or open the port in its " \
    "firewall."
#define LOOK_UP "Look the code up, and into the event log of s."
#define ADMIN   "the administrator of s"

struct table_row {
    enum model_table table;
    const char *row;
};

/* A capture. Of rows and attempts as many as say something. */
struct capture {
    struct attempt attempts[5];
    unsigned num_attempts;
    struct table_row rows[4];
    const char *needed, *sentence;
};

static void
take(const struct capture *capture)
{
    report_begin();
    for (unsigned i = 0; i < capture->num_attempts; i++) {
        report_attempt(&capture->attempts[i]);
    }
    for (unsigned i = 0; i < array_length(capture->rows) && capture->rows[i].row != NULL; i++) {
        report_row(capture->rows[i].table, capture->rows[i].row);
    }
    if (capture->needed != NULL) {
        needed_add(&model.tables[MODEL_SESSIONS]->needed, capture->needed);
    }
    if (capture->sentence != NULL) {
        stat_rows_add_sentence(model.tables[MODEL_SESSIONS]);
        stat_rows_set_sentence(model.tables[MODEL_SESSIONS], 0, capture->sentence);
    }
}

/* A line for each: "BAD what | remedy | whom | frame | PDH's code" */
static const char *
findings_text(void)
{
    static const char *const tones[] = { "BAD", "WARN", "HINT", "GOOD" };
    GArray *findings = findings_of(&model, pool);
    wmem_strbuf_t *text = wmem_strbuf_new(pool, "");

    for (unsigned i = 0; i < findings->len; i++) {
        const struct report_finding *finding = &g_array_index(findings, struct report_finding, i);

        wmem_strbuf_append_printf(text, "%s%s %s | %s | %s | %u | %s", i == 0 ? "" : "\n", tones[finding->tone],
            finding->what, finding->remedy, finding->whom == NULL ? "" : finding->whom, finding->frame,
            finding->pdh == NULL ? "" : finding->pdh);
    }
    g_array_free(findings, TRUE);
    return wmem_strbuf_get_str(text);
}

static void
test_findings(void)
{
    static const struct {
        struct capture capture;
        const char *says;
    } cases[] = {
        { { .num_attempts = 0 }, "" },
        { { .attempts = { { WORKS } }, .num_attempts = 1 }, "" },
        { { .attempts = { { WORKS, .needed = "a key" } }, .num_attempts = 1 }, "" },
        { { .attempts = { { REFUSED(5), .wants = WANTS_PERFLIBV2 } }, .num_attempts = 1 },
            "BAD s refuses the TCP connection | " OPEN_IT " | " ADMIN " | 5 | 0x800007D0 PDH_CSTATUS_NO_MACHINE" },
        { { .attempts = { { REFUSED(5), .needed = "a key" } }, .num_attempts = 1 },
            "BAD s refuses the TCP connection | " OPEN_IT " | " ADMIN " | 5 | 0x800007D0 PDH_CSTATUS_NO_MACHINE" },
        /* Tools for data collector sets have no PDH. */
        { { .attempts = { { REFUSED(5), .wants = WANTS_PLA }, { REFUSED(6), .wants = WANTS_OBJECT } },
              .num_attempts = 2 },
            "BAD s refuses the TCP connection | " OPEN_IT " | " ADMIN " | 5 | \n"
            "BAD s refuses the TCP connection | " OPEN_IT " | " ADMIN " | 6 | " },
        { { .attempts = { { REFUSED(5), .server = "10.0.0.9", .worked_in = 9 } }, .num_attempts = 1 },
            "HINT PC (10.0.0.9) works now | In frame 5 it still refuses the TCP connection; from frame 9 on it "
            "answers. |  | 9 | " },
        /* What the capture hides is nobody's fault. */
        { { .attempts = { { .stopped = { .text = "encrypted by SMB 3", .count = 1, .first_frame = 4 } } },
              .num_attempts = 1 },
            "WARN s hides its pipes and calls in SMB 3 encryption | This is no fault. To see the calls, open the "
            "capture with the session's keys, or capture without SMB encryption. | whoever took the capture | 4 | " },
        { { .attempts = { { .frame = 3 } }, .num_attempts = 1 },
            "WARN s was connected to, and then nothing was asked | Look at the client's program: it stopped by "
            "itself. | whoever runs me | 3 | " },
        { { .attempts = { { WORKS, FAULTS(1, 6) } }, .num_attempts = 1 },
            "HINT s works, but once it answered with a fault | " LOOK_UP " | " ADMIN " | 6 | " },
        { { .attempts = { { WORKS, FAULTS(2, 6) } }, .num_attempts = 1 },
            "HINT s works, but at times it answered with a fault | " LOOK_UP " | " ADMIN " | 6 | " },
        { { .attempts = { { .wants = WANTS_PERFLIBV2, FAULTS(2, 6) } }, .num_attempts = 1 },
            "BAD s answered with a fault | " LOOK_UP " | " ADMIN " | 6 | " },
        { { .attempts = { { WORKS, .refusals = { .text = "X: ERROR_ACCESS_DENIED", .count = 1, .first_frame = 8 } } },
              .num_attempts = 1 },
            "HINT s works, but once it denies access to the counters | Add the account to the group Performance "
            "Monitor Users on s, and let me authenticate with privacy: with less, a server must refuse. | " ADMIN
            " | 8 | 0xC0000BDB PDH_ACCESS_DENIED" },
        { { .attempts = { { WORKS,
                .given_up = { .text = "left before an answer to X", .count = 1, .first_frame = 7 } } },
              .num_attempts = 1 },
            "HINT s works, but once it was left before it answered | Look at what me does with its time-outs, and at "
            "how long s takes. | whoever runs me | 7 | " },
        /* Each sentence of what is needed, with what opens it. */
        { { .needed = "needs the password of joe" },
            "WARN Calls are sealed: what was asked and answered cannot be read | needs the password of joe. Give it to "
            "Wireshark (Preferences, Protocols, NTLMSSP or KRB5) or to tshark (-o ntlmssp.nt_password:PASSWORD, or -K "
            "KEYTAB), and make this page again. | whoever owns the account | 0 | " },
        { { .rows = { { MODEL_SETS, "Server=s|Data collector set=A|Failed=0" },
                { MODEL_SETS, "Server=s|Data collector set=B|Failed=2|Last error=PLA_E_DCS_IN_USE (Start)" },
                { MODEL_SETS, "Server=s|Data collector set=C|Failed=1|Last error=E_FAIL" } } },
            "WARN 2 calls failed on the data collector set B of s | The last: PLA_E_DCS_IN_USE (Start). Stop the set "
            "first, or wait until it has ended. | whoever runs the client | 0 | \n"
            "WARN 1 call failed on the data collector set C of s | The last: E_FAIL. Look the code up in [MS-PLA], "
            "and into the event log of s. | " ADMIN " | 0 | " },
        /* Of what never came, counters by reason and server, of each API; the rest together. */
        { { .rows = { { MODEL_MISSING,
                          "Client=me|Server=s|Asked for=\\\\S\\A|Why not received=first sample|First frame=3|PDH's "
                          "code=CODE" },
                { MODEL_MISSING, "Client=me|Server=s|Asked for=\\\\S\\B|Why not received=first sample|First frame=4" },
                { MODEL_MISSING, "Client=me|Server=t|Asked for=\\\\S\\C|Why not received=first sample|First frame=5" },
                { MODEL_MISSING + MODEL_PERFDATA,
                    "Client=me|Server=s|Asked for=\\\\S\\D|Why not received=ERROR_NO_DATA|First frame=6" } } },
            "WARN \\\\S\\D never had a value: ERROR_NO_DATA | Its provider has no values for it: see on s whether the "
            "program, device or instance that it counts is there and runs. | " ADMIN " | 6 | \n"
            "HINT \\\\S\\A, and 1 more, never had a value: first sample | Capture for longer than the client's "
            "interval. | whoever took the capture | 3 | CODE\n"
            "HINT \\\\S\\C never had a value: first sample | Capture for longer than the client's interval. | whoever "
            "took the capture | 5 | " },
        { { .rows = { { MODEL_MISSING, "Asked for=one call|Why not received=lost|First frame=3" },
                { MODEL_MISSING + MODEL_PERFDATA, "Asked for=another|Why not received=late|First frame=4" },
                /* The next table is another. */
                { MODEL_COUNTERS, "Asked for=a third|Why not received=late|First frame=5" } } },
            "HINT 2 things beside counters never came | The first: one call: lost. They stand in \"What never came, "
            "and why\". |  | 3 | " },
        { { .rows = { { MODEL_RULES, "Verdict=departs|Who=client|Broken=1" },
                { MODEL_RULES,
                    "Verdict=broken|Who=server|Broken=1|Section=2.1|What holds=All is well|Rule=all|First frame=3" },
                { MODEL_RULES, "Verdict=broken|Who=client|Broken=2|Section=2.2|What holds=W|Rule=r|First frame=4" },
                { MODEL_RULES, "Verdict=broken|Who=both|Broken=2|Section=2.3|What holds=W|Rule=r|First frame=5" } } },
            "WARN A server breaks a rule of [MS-PCQ] 2.1, 1 time | What holds: All is well. Filter: "
            "perflibv2.rule.all | whoever wrote that program | 3 | \n"
            "WARN A client breaks a rule of [MS-PCQ] 2.2, 2 times | What holds: W. Filter: perflibv2.rule.r | whoever "
            "wrote that program | 4 | \n"
            "WARN Both ends break a rule of [MS-PCQ] 2.3, 2 times | What holds: W. Filter: perflibv2.rule.r | whoever "
            "wrote that program | 5 | " },
        /* What nobody knows of, where there is nothing else. */
        { { .sentence = "1 attempt without a row said nothing of performance data; the first: connection refused" },
            "WARN 1 attempt without a row said nothing of performance data; the first: connection refused | Nothing "
            "listens on that port. Start the service on the server (over SMB: Server, LanmanServer) or open the port "
            "in its firewall. | the administrator of the server | 0 | " },
        { { .sentence = "1 attempt said nothing" }, "" },
        { { .attempts = { { WORKS } }, .num_attempts = 1, .sentence = "the first: connection refused" }, "" },
        /* The worst first, else as they came. */
        { { .attempts = { { REFUSED(5), .worked_in = 9 }, { .frame = 3 }, { REFUSED(7), .wants = WANTS_PLA } },
              .num_attempts = 3 },
            "BAD s refuses the TCP connection | " OPEN_IT " | " ADMIN " | 7 | \n"
            "WARN s was connected to, and then nothing was asked | Look at the client's program: it stopped by "
            "itself. | whoever runs me | 3 | \n"
            "HINT s works now | In frame 5 it still refuses the TCP connection; from frame 9 on it answers. |  | 9 "
            "| " },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        take(&cases[i].capture);
        CHECK(strcmp(findings_text(), cases[i].says) == 0, "%zu:\n%s\n%s", i, findings_text(), cases[i].says);
    }
}

/* A call is not answered once its connection ended, or the capture went on for longer than the slowest, or a second. */
static void
test_patience(void)
{
    static const struct {
        nstime_t asked;
        double slowest;
        bool is_over;
        enum tone tone;
    } cases[] = {
        { { 99, 0 }, 0, false, TONE_GOOD },
        { { 98, 999999999 }, 0, false, TONE_HINT },
        { { 99, 0 }, 0, true, TONE_HINT },
        { { 97, 0 }, 3000, false, TONE_GOOD },
        { { 97, 0 }, 2999, false, TONE_HINT },
        { { 99, 500000000 }, 10, false, TONE_GOOD },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct pending_call call = { .operation = "X", .frame = 44, .time = cases[i].asked };
        struct attempt *attempt;

        report_begin();
        attempt = report_attempt(&(const struct attempt){ WORKS, .frame = 3 });
        attempt->response_max = cases[i].slowest;
        attempt->is_over = cases[i].is_over;
        attempt->pending = wmem_list_new(pool);
        wmem_list_append(attempt->pending, &call);
        CHECK(findings_tone(&model, attempt) == cases[i].tone, "%zu: %d", i, (int)findings_tone(&model, attempt));
        CHECK(cases[i].tone == TONE_GOOD || g_str_has_suffix(findings_text(), " | " ADMIN " | 44 | "), "%zu: %s", i,
            findings_text());
    }
}

/* What each habit is called, of so many; one buffer a query that is too small is none. */
static void
test_habits(void)
{
    static const struct {
        const char *rows[2], *what, *verdict;
        unsigned first;
    } cases[] = {
        { { "Late=1", "Late=0" }, "was late with 1 poll: a PerflibV2 query", "1 poll was late", ASKING_LATE },
        { { "Late=1", "Late=2" }, "was late with 3 polls: a PerflibV2 query and a value of performance data",
            "3 polls were late", ASKING_LATE },
        { { "Overlap=2", "Late=0" }, "asked again 2 times before the answer came: a PerflibV2 query",
            "2 requests came before the last were answered", ASKING_OVERLAP },
        { { "Too small=1", "Too small=1" }, NULL, NULL, 0 },
        { { "Too small=2", "Too small=1" }, "tried 2 times with a buffer that was too small: a PerflibV2 query",
            "2 buffers were too small", ASKING_TOO_SMALL },
        { { "Late=0", "Twice=1" }, "polls 1 thing twice, with two handles: a value of performance data",
            "1 thing was polled twice", ASKING_TWICE },
        { { "Other host=1", "Late=0" }, "calls the server by another machine's name, 1 time: a PerflibV2 query", NULL,
            NUM_ASKING_COUNTS },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        enum tone tone;
        GArray *findings;
        const struct report_finding *finding;
        const char *verdict;

        report_begin();
        report_attempt(&(const struct attempt){ WORKS });
        for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
            const unsigned row = report_row(MODEL_QUERIES + api,
                wmem_strdup_printf(pool, "Client=me|Server=s|First frame=%u|%s", 60 + api, cases[i].rows[api]));
            struct stat_asking *asking = (struct stat_asking *)stat_rows_state(model.tables[MODEL_QUERIES + api], row);

            for (unsigned c = 0; c < NUM_ASKING_COUNTS; c++) {
                asking->first_in[c] = 10 * (api + 1) + c;
            }
        }
        findings = findings_of(&model, pool);
        verdict = findings_verdict(&model, findings, pool, &tone);
        CHECK(findings->len == (cases[i].what != NULL), "%zu: %u", i, findings->len);
        finding = &g_array_index(findings, struct report_finding, 0);
        if (cases[i].what != NULL) {
            const unsigned api = strstr(cases[i].what, "PerflibV2") == NULL;

            CHECK(strcmp(finding->what, wmem_strdup_printf(pool, "me %s of s", cases[i].what)) == 0, "%s",
                finding->what);
            CHECK(finding->tone == TONE_HINT && finding->remedy[0] != '\0' &&
                    strcmp(finding->whom, "whoever runs me") == 0 &&
                    finding->frame == (cases[i].first < NUM_ASKING_COUNTS ? 10 * (api + 1) + cases[i].first : 60),
                "%zu: frame %u", i, finding->frame);
        }
        CHECK(strcmp(verdict,
                  wmem_strdup_printf(pool, "me calls s%s%s.",
                      cases[i].verdict != NULL    ? "; "
                          : cases[i].what != NULL ? ": it works, with something to note"
                                                  : ": nothing is wrong",
                      cases[i].verdict != NULL ? cases[i].verdict : "")) == 0,
            "%zu: %s", i, verdict);
        g_array_free(findings, TRUE);
    }
}

/* Six of a kind are told: of each API's missing counters, sets, rules, and habits of pairs. */
static void
test_most(void)
{
    static const struct {
        enum model_table table;
        const char *row;
    } kinds[] = {
        { MODEL_MISSING, "Asked for=\\\\S\\A|Why not received=%u|Server=s|Client=me" },
        { MODEL_SETS, "Failed=1|Server=%u" },
        { MODEL_RULES, "Verdict=broken|Rule=%u" },
        { MODEL_QUERIES, "Other host=1|Client=%u" },
    };

    for (size_t i = 0; i < array_length(kinds); i++) {
        report_begin();
        for (unsigned n = 1; n <= 8; n++) {
            GArray *findings;
            char **parts = g_strsplit(kinds[i].row, "%u", 2);

            report_row(kinds[i].table, wmem_strdup_printf(pool, "%s%u%s", parts[0], n, parts[1]));
            findings = findings_of(&model, pool);
            CHECK(findings->len == MIN(n, 6), "%zu: %u of %u", i, findings->len, n);
            g_array_free(findings, TRUE);
            g_strfreev(parts);
        }
    }
}

static void
test_verdicts(void)
{
    static const struct {
        struct capture capture;
        const char *says;
        enum tone tone;
    } cases[] = {
        { { .num_attempts = 0 }, "Nobody asks for performance counters in this capture.", TONE_WARN },
        { { .needed = "a key" }, "Nobody gets as far as asking for performance counters in this capture.", TONE_WARN },
        { { .attempts = { { WORKS } }, .num_attempts = 1 }, "me calls s: nothing is wrong.", TONE_GOOD },
        { { .attempts = { { .wants = WANTS_WINREG, .answers = 1 } }, .num_attempts = 1 },
            "me calls s, but not for performance counters.", TONE_GOOD },
        { { .attempts = { { WORKS }, { .wants = WANTS_WINREG, .answers = 1 } }, .num_attempts = 2 },
            "me calls s: nothing is wrong.", TONE_GOOD },
        { { .attempts = { { WORKS }, { WORKS, .client = "you", .server = "10.0.0.9" } },
              .num_attempts = 2,
              .rows = { { MODEL_QUERIES, "Polls=3|Median s=15" } } },
            "2 clients poll 2 servers every 15\xC2\xA0s: nothing is wrong.", TONE_GOOD },
        { { .attempts = { { WORKS, .server = "10.0.0.9" } },
              .num_attempts = 1,
              .rows = { { MODEL_QUERIES, "Polls=3|Median s=10.5" }, { MODEL_QUERIES, "Polls=3|Median s=100" },
                  { MODEL_QUERIES + MODEL_PERFDATA, "Answers=3|Median s=0.25" }, { MODEL_QUERIES, "Polls=1" } } },
            "me polls PC (10.0.0.9) every 0.25 to 100\xC2\xA0s: nothing is wrong.", TONE_GOOD },
        /* Servers that let nobody in, each once; some by name. */
        { { .attempts = { { REFUSED(5) }, { REFUSED(6) } }, .num_attempts = 2 },
            "me gets no counters: s refuses the TCP connection.", TONE_BAD },
        { { .attempts = { { REFUSED(5) }, { WORKS, .server = "t" } }, .num_attempts = 2 },
            "me gets through to 1 of 2 servers. s refuses the TCP connection.", TONE_BAD },
        { { .attempts = { { REFUSED(1), .client = "you" }, { REFUSED(2), .server = "t" }, { REFUSED(3), .server = "u" },
                { REFUSED(4), .server = "v" }, { REFUSED(5), .server = "w" } },
              .num_attempts = 5 },
            "2 clients get through to 0 of 5 servers. s refuses the TCP connection; t refuses the TCP connection; u "
            "refuses the TCP connection; and 2 more.",
            TONE_BAD },
        /* One of those that turn somebody away works for others: it counts, too. */
        { { .attempts = { { REFUSED(1) }, { WORKS }, { REFUSED(2), .server = "t" }, { REFUSED(3), .server = "u" },
                { REFUSED(4), .server = "v" } },
              .num_attempts = 5 },
            "me gets through to 1 of 4 servers. s refuses the TCP connection; t refuses the TCP connection; u refuses "
            "the TCP connection; and 1 more.",
            TONE_BAD },
        { { .attempts = { { .stopped = { .text = "Authentication type not recognized", .count = 1 } } },
              .num_attempts = 1 },
            "me gets no counters: s does not know the way in which me authenticates.", TONE_BAD },
        { { .attempts = { { REFUSED(5) }, { WORKS } }, .num_attempts = 2 },
            "me calls s, but some attempts fail: s refuses the TCP connection.", TONE_BAD },
        { { .attempts = { { WORKS }, { WORKS, .server = "t" }, { REFUSED(5), .server = "t" } }, .num_attempts = 3 },
            "me calls 2 servers, but some attempts fail: t refuses the TCP connection.", TONE_BAD },
        /* Sealed: which key helps, and whether all is. */
        { { .attempts = { { WORKS, .needed = "the password of joe" } },
              .num_attempts = 1,
              .needed = "the password of joe" },
            "me calls s; the answers are sealed, and a key is needed to read them.", TONE_WARN },
        { { .attempts = { { WORKS, .needed = "a key" }, { WORKS } }, .num_attempts = 2, .needed = "a key" },
            "me calls s; some answers are sealed, and a key is needed to read them.", TONE_WARN },
        { { .attempts = { { WORKS, .needed = "a key" } },
              .num_attempts = 1,
              .needed = "the logon is not in the capture",
              .rows = { { MODEL_COUNTERS + MODEL_PERFDATA, "Samples=1" } } },
            "me calls s; some answers are sealed, and no key helps, as the logon was not captured.", TONE_WARN },
        { { .attempts = { { WORKS, .needed = "a key" } },
              .num_attempts = 1,
              .needed = "a key",
              .rows = { { MODEL_COUNTERS, "Samples=1" } } },
            "me calls s; some answers are sealed, and a key is needed to read them.", TONE_WARN },
        { { .attempts = { { .frame = 3 } }, .num_attempts = 1 },
            "me calls s; s was connected to, and then nothing was asked.", TONE_WARN },
        /* What is wrong with what works, in numbers. */
        { { .attempts = { { WORKS, FAULTS(1, 6) } }, .num_attempts = 1 }, "me calls s; 1 call failed or had no answer.",
            TONE_HINT },
        { { .attempts = { { WORKS, FAULTS(2, 6), .refusals = { .text = "ERROR_X", .count = 3 }, .refused_aside = 2 } },
              .num_attempts = 1 },
            "me calls s; 3 calls failed or had no answer.", TONE_HINT },
        { { .attempts = { { WORKS } },
              .num_attempts = 1,
              .rows = { { MODEL_MISSING, "Asked for=\\\\S\\A|Why not received=X" },
                  { MODEL_MISSING + MODEL_PERFDATA, "Asked for=a call|Why not received=X" }, { MODEL_SETS, "Failed=1" },
                  { MODEL_RULES, "Verdict=broken" } } },
            "me calls s; 1 counter never had a value; 1 other thing never came; 1 call on data collector sets failed; "
            "1 "
            "rule of [MS-PCQ] is broken.",
            TONE_WARN },
        { { .attempts = { { WORKS } },
              .num_attempts = 1,
              .rows = { { MODEL_MISSING, "Asked for=\\\\S\\A|Why not received=X" },
                  { MODEL_MISSING + MODEL_PERFDATA, "Asked for=\\\\S\\A|Why not received=X" },
                  { MODEL_RULES, "Verdict=broken" }, { MODEL_RULES, "Verdict=broken" } } },
            "me calls s; 2 counters never had a value; 2 rules of [MS-PCQ] are broken.", TONE_WARN },
        { { .attempts = { { WORKS } },
              .num_attempts = 1,
              .rows = { { MODEL_RULES, "Verdict=departs" }, { MODEL_RULES, "Verdict=held" },
                  { MODEL_QUERIES, "Late=2" }, { MODEL_QUERIES, "Twice=2" } } },
            "me calls s; 2 polls were late; 2 things were polled twice.", TONE_HINT },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        enum tone tone;
        GArray *findings;
        const char *verdict;

        take(&cases[i].capture);
        findings = findings_of(&model, pool);
        verdict = findings_verdict(&model, findings, pool, &tone);
        CHECK(strcmp(verdict, cases[i].says) == 0 && tone == cases[i].tone, "%zu: %d: %s", i, (int)tone, verdict);
        g_array_free(findings, TRUE);
    }
    /* Of several sentences, one that says that a key helps. */
    take(&(const struct capture){ .attempts = { { WORKS, .needed = "a key" } },
        .num_attempts = 1,
        .needed = "the logon is not in the capture" });
    needed_add(&model.tables[MODEL_SESSIONS]->needed, "the password of joe");
    needed_add(&model.tables[MODEL_SESSIONS]->needed, "anonymous");
    {
        enum tone tone;
        GArray *findings = findings_of(&model, pool);
        const char *verdict = findings_verdict(&model, findings, pool, &tone);

        CHECK(strstr(verdict, "sealed, and a key is needed to read them") != NULL, "%s", verdict);
        g_array_free(findings, TRUE);
    }
}

static void
test_fill(void)
{
    CHECK(strcmp(findings_fill(pool, "{S}{C} of {S}, {D} {", "me", "you"), "youme of you, {D} {") == 0, "%s",
        findings_fill(pool, "{S}{C} of {S}, {D} {", "me", "you"));
}

int
main(void)
{
    wmem_init_scopes();
    pool = wmem_epan_scope();
    test_findings();
    test_patience();
    test_habits();
    test_most();
    test_verdicts();
    test_fill();
    return check_result();
}
