/* test_sections.c
 * The page of a report: what each of its sections says of a capture, and of one that has nothing to say
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "report-tables.h"

#include "stats/report/report.h"
#include "stats/tables.h"

/* In place of what is around the page, and of curves. */
static struct curves_drawn drawn;
static double last_poll;
static unsigned times_drawn;

void
look_begin(GString *page, const char *title)
{
    g_string_append_printf(page, "<title>%s</title>", title);
}

void
look_end(GString *page)
{
    g_string_append(page, "the end");
}

double
curves_last(const struct curves *curves)
{
    return curves == model.curves[0] ? last_poll : 0;
}

void
curves_draw(const struct curves *curves, const nstime_t *begin, double end, wmem_allocator_t *scope, GString *page,
    struct curves_drawn *sum)
{
    (void)scope;
    g_string_append_printf(page, "[%d to %g]", (int)begin->secs, end);
    CHECK(curves == model.curves[times_drawn % NUM_MODEL_APIS], "in their order");
    *sum = drawn;
    times_drawn++;
}

const GPtrArray *
sessions_attempts(struct stat_rows *rows, wmem_allocator_t *scope)
{
    CHECK(rows == model.tables[MODEL_SESSIONS] && scope != NULL, "another table");
    return model.attempts;
}

static GString *page;

static const char *
write_page(void)
{
    g_string_truncate(page, 0);
    sections_write(&model, page);
    return page->str;
}

/* What stands on the page between two texts. */
static const char *
between(const char *before, const char *behind)
{
    const char *begin = strstr(page->str, before), *end = begin == NULL ? NULL : strstr(begin + strlen(before), behind);

    return end == NULL ? "nothing" : wmem_strndup(pool, begin + strlen(before), (gsize)(end - begin) - strlen(before));
}

#define IS(before, behind, expected) \
    CHECK(strcmp(between(before, behind), expected) == 0, "%s\n%s", between(before, behind), expected)
#define HAS(text)     CHECK(strstr(page->str, text) != NULL, "%s", text)
#define HAS_NOT(text) CHECK(strstr(page->str, text) == NULL, "%s", text)

#define WORKS   .wants = WANTS_PERFLIBV2, .answers = 2, .stage = STAGE_CALL
#define REFUSED .stopped = { .text = "connection refused", .count = 1, .first_frame = 5, .last_frame = 5 }

/* An attempt with the row that says the same. */
static struct attempt *
attempt_of_row(const struct attempt *begin, const char *row)
{
    struct attempt *attempt = report_attempt(begin);

    attempt->row = report_row(MODEL_SESSIONS, row);
    return attempt;
}

static void
begin(void)
{
    report_begin();
    model.packets = 0;
    model.first = model.last = (nstime_t){ 0, 0 };
    model.capture = model.filter = NULL;
    drawn = (struct curves_drawn){ 0 };
    last_poll = 0;
}

static void
test_nothing(void)
{
    begin();
    write_page();
    IS("<title>", "</title>", "Performance counters: report");
    IS("counters in <span class=\"wire\">", "</span>", "a capture");
    IS("<body ", ">", "data-begin=\"1970-01-01T00:00:00.000Z\" data-end=\"0.000\"");
    IS("<div class=\"verdict ", "</h1>", "warn\"><h1>Nobody asks for performance counters in this capture.");
    IS("<dl class=\"facts\">", "</dl>",
        "<div><dt>Packets</dt><dd>0</dd></div><div><dt>Time</dt><dd>0.0 s</dd></div>"
        "<div><dt>Attempts</dt><dd>0</dd></div><div><dt>Calls</dt><dd>0</dd></div><div><dt>Polls</dt><dd>0</dd></div>"
        "<div><dt>Counters</dt><dd>0</dd></div><div><dt>Values</dt><dd>0</dd></div>");
    IS("<h2>What to do</h2>\n", "</section>", "<p>See below how to take a capture that shows more.</p>\n");
    HAS("<p>Nobody tried to reach performance data: ");
    IS("costs</h2>\n", "</section>", "<p>Nothing was polled.</p>\n");
    IS("and why</h2>\n", "</section>", "<p>Nothing: all that was asked for came, as far as it could be read.</p>\n");
    IS("did wrong</h2>\n", "</section>", "");
    IS("over time</h2>\n", "</section>", "[0 to 0][0 to 0]<p>No counter had a value.</p>\n");
    IS("report</code>.</li>\n", "</ul>",
        "<li>From a capture: 0 packets.</li>\n"
        "<li>Each number is that of the plugin's tables of the same name, which hold more.</li>\n");
    CHECK(g_str_has_suffix(page->str, "</section></footer>\nthe end"), "its end");
    report_attempt(&(const struct attempt){ WORKS });
    report_row(MODEL_SESSIONS, "Over=TCP");
    write_page();
    IS("<h2>What to do</h2>\n", "</section>",
        "<p>Nothing: no call failed, nothing was late, no rule was broken.</p>\n");
    HAS_NOT("Nobody tried");
}

static void
test_facts(void)
{
    begin();
    model.capture = "a<b";
    model.filter = "tcp";
    model.packets = 1234567;
    model.first = (nstime_t){ 86400, 1999999 };
    model.last = (nstime_t){ 86402, 500000000 };
    last_poll = 86402.25;
    report_row(MODEL_SESSIONS, "Times=3|Calls=4");
    report_row(MODEL_SESSIONS, "Times=1|Calls=1000");
    report_row(MODEL_QUERIES, "Polls=5");
    report_row(MODEL_QUERIES + MODEL_PERFDATA, "Answers=6");
    report_row(MODEL_COUNTERS, "Samples=7");
    report_row(MODEL_COUNTERS + MODEL_PERFDATA, "Samples=8");
    drawn = (struct curves_drawn){ .drawn = 2, .left_out = 3, .thinned = 1, .points = 9 };
    times_drawn = 0;
    write_page();
    IS("<title>", "</title>", "Performance counters: a<b");
    IS("counters in <span class=\"wire\">", "</span>", "a&lt;b");
    IS("<body ", ">", "data-begin=\"1970-01-02T00:00:00.001Z\" data-end=\"2.248\"");
    IS("<dl class=\"facts\">", "</dl>",
        "<div><dt>Packets</dt><dd>1\xE2\x80\xAF"
        "234\xE2\x80\xAF"
        "567</dd></div><div><dt>Time</dt><dd>2.5 s</dd></div><div><dt>Attempts</dt><dd>4</dd></div>"
        "<div><dt>Calls</dt><dd>1\xE2\x80\xAF"
        "004</dd></div><div><dt>Polls</dt><dd>11</dd></div><div><dt>Counters</dt><dd>2</dd></div>"
        "<div><dt>Values</dt><dd>15</dd></div>");
    HAS("All from the first packet on the left to the last poll on the right.");
    HAS("<p class=\"minor\">3 more counters are not drawn: ");
    HAS_NOT("No counter had a value");
    CHECK(times_drawn == NUM_MODEL_APIS, "%u", times_drawn);
    IS("report</code>.</li>\n", "<li>Each",
        "<li>From a&lt;b: 1234567 packets, 1970-01-02T00:00:00.001Z to 1970-01-02T00:00:02.500Z.</li>\n"
        "<li>Only what passed the filter <code>tcp</code>.</li>\n"
        "<li>2 curves of 9 points. 1 of them are thinned: of each four values in a row the smallest and the largest "
        "stay.</li>\n");
    drawn = (struct curves_drawn){ .drawn = 1, .left_out = 1, .points = 1 };
    write_page();
    HAS("<li>1 curve of 1 point.</li>\n");
    HAS("<p class=\"minor\">1 more counter is not drawn: ");
    drawn.left_out = 0;
    write_page();
    HAS_NOT("not drawn");
    /* A time that no calendar has. */
    model.first.secs = INT64_C(253402300800);
    write_page();
    HAS("<body data-begin=\"\" ");
}

/* Of what is sealed nobody knows how many there are. */
static void
test_sealed(void)
{
    begin();
    needed_add(&model.tables[MODEL_SESSIONS]->needed, "the password of <joe>");
    report_row(MODEL_QUERIES, "State=sealed: Query, 1 answer not read|Polls=0|Bytes=0|Handle=h");
    report_row(MODEL_QUERIES, "State=closed|Polls=0|Handle=i");
    report_row(MODEL_QUERIES, "State=sealed: Query, 1 answer not read|Polls=2|Handle=j");
    write_page();
    HAS("<dt>Polls</dt><dd>2</dd></div><div><dt>Counters</dt><dd>unknown</dd></div><div><dt>Values</dt>"
        "<dd>unknown</dd>");
    HAS("<p>Nobody can say: calls are sealed.</p>\n");
    HAS("<li>Not decrypted: the password of &lt;joe&gt;.</li>\n");
    HAS_NOT("further users");
    HAS("h</td><td class=\"n\" data-h=\"Polls\"></td><td class=\"n\" data-h=\"Bytes\">0</td>");
    HAS("i</td><td class=\"n\" data-h=\"Polls\">0</td>");
    HAS("j</td><td class=\"n\" data-h=\"Polls\">2</td>");
    model.tables[MODEL_SESSIONS]->needed.has_more = true;
    write_page();
    HAS("<li>Not decrypted: calls of further users.</li>\n");
}

static void
test_findings(void)
{
    begin();
    for (unsigned i = 0; i < 12; i++) {
        attempt_of_row(
            &(const struct attempt){ REFUSED, .server = i == 0 ? "<s>" : NULL, .wants = i == 1 ? WANTS_PLA : 0 },
            "Over=TCP");
    }
    write_page();
    IS("<ul class=\"todo\">\n", "</li>\n",
        "<li class=\"bad\"><b>&lt;s&gt; refuses the TCP connection</b> <span class=\"minor\">frame 5</span><br>Nothing "
        "listens on that port. Start the service on &lt;s&gt; (over SMB: Server, LanmanServer) or open the port in its "
        "firewall. <span class=\"whom\">Talk to the administrator of &lt;s&gt;.</span> <span class=\"minor\">Its user "
        "saw <code>0x800007D0 PDH_CSTATUS_NO_MACHINE</code></span>");
    HAS("<li class=\"bad\"><b>s refuses the TCP connection</b> <span class=\"minor\">frame 5</span><br>Nothing listens "
        "on that port. Start the service on s (over SMB: Server, LanmanServer) or open the port in its firewall. <span "
        "class=\"whom\">Talk to the administrator of s.</span></li>\n");
    HAS("</li>\n</ul>\n</section>\n<section id=\"sessions\">");
    HAS_NOT("</summary><ul class=\"todo\">");
    attempt_of_row(&(const struct attempt){ REFUSED, .worked_in = 6 }, "Over=TCP");
    attempt_of_row(&(const struct attempt){ REFUSED, .worked_in = 7 }, "Over=TCP");
    write_page();
    HAS("</ul>\n<details><summary>2 more</summary><ul class=\"todo\">\n<li class=\"hint\"><b>s works now</b> <span "
        "class=\"minor\">frame 6</span><br>In frame 5 it still refuses the TCP connection; from frame 6 on it "
        "answers.</li>\n");
    HAS("</li>\n</ul></details>\n</section>\n<section id=\"sessions\">");
    /* One that begins nowhere in particular. */
    begin();
    report_row(MODEL_SETS, "Failed=1|Data collector set=A|Server=s|Last error=E_FAIL");
    write_page();
    HAS("data collector set A of s</b><br>The last: E_FAIL.");
}

/* How far an attempt came: "+" is done, "x" where it stopped, "~" the last that was seen. */
static void
test_steps(void)
{
    static const struct {
        enum carrier carrier;
        enum stage stage;
        struct occurrence stopped;
        const char *steps;
    } cases[] = {
#define STOP { .text = "X", .count = 1 }
#define AGAIN \
    { \
        .text = "encrypted by SMB 3", .count = 1 \
    }
        { CARRIED_BY_TCP, STAGE_TCP, STOP, "xTCP bind call" },
        { CARRIED_BY_TCP, STAGE_BIND, STOP, "+TCP xbind call" },
        { CARRIED_BY_TCP, STAGE_MAPPER, STOP, "+TCP +bind xcall" },
        { CARRIED_BY_SMB2, STAGE_TCP, STOP, "xTCP logon IPC$ pipe bind call" },
        { CARRIED_BY_SMB2, STAGE_SESSION, STOP, "+TCP xlogon IPC$ pipe bind call" },
        { CARRIED_BY_SMB, STAGE_TREE, STOP, "+TCP +logon xIPC$ pipe bind call" },
        { CARRIED_BY_SMB2, STAGE_PIPE, STOP, "+TCP +logon +IPC$ xpipe bind call" },
        { CARRIED_BY_SMB2, STAGE_CALL, STOP, "+TCP +logon +IPC$ +pipe +bind xcall" },
        { CARRIED_BY_SMB2, STAGE_TREE, AGAIN, "+TCP +logon xIPC$ pipe bind call" },
        { CARRIED_BY_TCP, STAGE_BIND, { .text = NULL }, "+TCP ~bind call" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        wmem_strbuf_t *steps = wmem_strbuf_new(pool, "");

        begin();
        attempt_of_row(&(const struct attempt){ .carrier = cases[i].carrier,
                           .stage = cases[i].stage,
                           .stopped = cases[i].stopped },
            "Over=TCP");
        write_page();
        for (const char *at = between("<ol class=\"steps\" aria-label=\"How far it came\">", "</ol>");
             g_str_has_prefix(at, "<li"); at = strstr(at, "</li>") + 5) {
            const char *name = strchr(at, '>') + 1;
            const char sign = g_str_has_prefix(at, "<li class=\"stop\">\xE2\x9C\x95 ") ? 'x'
                : g_str_has_prefix(at, "<li class=\"done\">\xE2\x9C\x93 ")             ? '+'
                : g_str_has_prefix(at, "<li class=\"seen\">\xE2\x9C\x93 ")             ? '~'
                                                                                       : ' ';

            wmem_strbuf_append(steps, wmem_strbuf_get_len(steps) == 0 ? "" : " ");
            if (sign != ' ') {
                wmem_strbuf_append_c(steps, sign);
                name += strlen("\xE2\x9C\x93 ");
            }
            wmem_strbuf_append(steps, wmem_strndup(pool, name, strcspn(name, "<")));
        }
        CHECK(strcmp(wmem_strbuf_get_str(steps), cases[i].steps) == 0, "%zu: %s", i, wmem_strbuf_get_str(steps));
    }
}

static void
test_tries(void)
{
    begin();
    attempt_of_row(&(const struct attempt){ WORKS, .calls = 3, .unbound = 1, .responses = 2, .times = 2 },
        "Over=SMB2|For=PerflibV2|First frame=4|Outcome=works|Authentication=NTLM|Bytes=12345|Response ms=1.5|Slowest "
        "ms=2");
    write_page();
    IS("</span></h3>\n", "</article>",
        "<div class=\"try good\"><p><b>SMB2</b> for PerflibV2, from frame 4 on, 2 times: <span class=\"badge "
        "good\">\xE2\x9C\x93 works</span></p>\n<p class=\"minor\">4 calls, 0 faults, 12\xE2\x80\xAF"
        "345 bytes, answered in 1.500 ms, the slowest in 2.000 ms; authentication: NTLM</p>\n</div>\n");
    begin();
    attempt_of_row(&(const struct attempt){ REFUSED, .times = 1, .unbound = 1, .faults = { .count = 1, .text = "X" } },
        "Over=TCP|For=(not said)|First frame=4|Outcome=refused|Bytes=1");
    write_page();
    IS("call</li></ol>", "</article>",
        "<p>refused</p>\n<p><span class=\"badge bad\">Remedy</span> Nothing listens on that port. Start the service on "
        "s (over SMB: Server, LanmanServer) or open the port in its firewall.</p>\n<p class=\"minor\">Tools built on "
        "PDH say <code>0x800007D0 PDH_CSTATUS_NO_MACHINE</code></p>\n<p class=\"minor\">1 call, 1 fault, 1 bytes; "
        "authentication: </p>\n</div>\n");
    IS("<div class=\"try ", "\n", "bad\"><p><b>TCP</b>, from frame 4 on</p>");
    /* No remedy where the calls are sealed, one where it is unclear; no calls. */
    begin();
    attempt_of_row(&(const struct attempt){ WORKS, .needed = "a key" }, "Over=TCP|Outcome=sealed");
    attempt_of_row(&(const struct attempt){ .stage = STAGE_BIND, .server = "10.0.0.9" }, "Over=TCP|Outcome=unclear");
    write_page();
    HAS("<p>sealed</p>\n</div>\n");
    HAS("<p>unclear</p>\n<p><span class=\"badge warn\">Remedy</span> Look at the client&#39;s program: it stopped by "
        "itself.</p>\n</div>\n");
}

/* How many times a text stands on the page. */
static unsigned
count(const char *text)
{
    unsigned times = 0;

    for (const char *at = page->str; (at = strstr(at, text)) != NULL; at++) {
        times++;
    }
    return times;
}

/* Pairs by how they ended, each with its badge. */
static void
test_pairs(void)
{
    static const char *const pairs[] = {
        "u</span> \xE2\x86\x92 <span class=\"wire\">s</span> <span class=\"badge bad\">stopped</span></h3>\n",
        "v</span> \xE2\x86\x92 <span class=\"wire\">s</span> <span class=\"badge warn\">sealed</span></h3>\n",
        "w</span> \xE2\x86\x92 <span class=\"wire\">PC (10.0.0.9)</span> <span class=\"badge "
        "warn\">unclear</span></h3>\n",
        "x</span> \xE2\x86\x92 <span class=\"wire\">s</span> <span class=\"badge hint\">works</span></h3>\n",
        "y</span> \xE2\x86\x92 <span class=\"wire\">s</span></h3>\n",
    };
    const char *at;

    begin();
    attempt_of_row(&(const struct attempt){ WORKS, .client = "y" }, "Over=1");
    attempt_of_row(&(const struct attempt){ WORKS, .client = "u" }, "Over=2");
    attempt_of_row(&(const struct attempt){ REFUSED, .client = "x", .worked_in = 6 }, "Over=3");
    attempt_of_row(&(const struct attempt){ WORKS, .client = "v", .needed = "a key" }, "Over=4");
    attempt_of_row(&(const struct attempt){ .client = "w", .server = "10.0.0.9" }, "Over=5");
    attempt_of_row(&(const struct attempt){ REFUSED, .client = "u" }, "Over=6");
    stat_rows_add_sentence(model.tables[MODEL_SESSIONS]);
    stat_rows_set_sentence(model.tables[MODEL_SESSIONS], 0, "3 others");
    at = write_page();
    for (size_t i = 0; i < array_length(pairs); i++) {
        at = at == NULL ? NULL : strstr(at, pairs[i]);
        CHECK(at != NULL, "%s", pairs[i]);
    }
    HAS("<p class=\"minor\">3 others</p>\n</section>");
    CHECK(count("Tools built on PDH") == 1, "of what failed alone");
    /* Both of the first pair are in it. */
    CHECK(strstr(between("u</span>", "</article>"), "<b>2</b>") != NULL &&
            strstr(between("u</span>", "</article>"), "<b>6</b>") != NULL,
        "%s", between("u</span>", "</article>"));
}

/* 100 pairs of 50 attempts, and 200 rows of a table. */
static void
test_most(void)
{
    begin();
    for (unsigned i = 0; i < 102; i++) {
        attempt_of_row(&(const struct attempt){ WORKS, .client = wmem_strdup_printf(pool, "c%u", i) }, "Over=TCP");
    }
    for (unsigned i = 0; i < 50; i++) {
        attempt_of_row(&(const struct attempt){ WORKS, .client = "c0" }, "Over=TCP");
    }
    for (unsigned i = 0; i < 203; i++) {
        report_row(MODEL_USAGE, "Client=x");
    }
    write_page();
    CHECK(count("<article ") == 100 && count("<div class=\"try ") == 149, "%u, %u", count("<article "),
        count("<div class=\"try "));
    HAS("<p class=\"minor\">1 more: <code>-z perflibv2,sessions</code></p>\n</article>");
    HAS("<p class=\"minor\">2 more: <code>-z perflibv2,sessions</code></p>\n</section>");
    CHECK(count("data-h=\"Client\">x</td>") == 200, "%u", count("data-h=\"Client\">x</td>"));
    HAS("<p class=\"minor\">3 more: <code>-z proto,table</code></p>\n");
    CHECK(count(" more: ") == 3, "%u", count(" more: "));
}

/* Of the columns those that say something; of flaws, none is nothing. */
static void
test_tables(void)
{
    begin();
    report_row(MODEL_QUERIES, "Server=s|Handle=h|Added=0|Polls=1234|Late=0|Overlap=0|Median s=0.5|State=");
    report_row(MODEL_QUERIES, "Server=<t>|Handle=h|Added=0|Polls=0|Late=2345|Overlap=0");
    report_row(MODEL_QUERIES + MODEL_PERFDATA, "Server=s|Handle=h|Value=v");
    write_page();
    IS("tabindex=\"0\" aria-label=\"Queries (PerflibV2)\"><table class=\"wide\">", "</table></div>\n",
        "<caption>Queries (PerflibV2)</caption><thead><tr><th scope=\"col\" class=\"t\">Server</th><th "
        "scope=\"col\">Handle</th><th scope=\"col\" class=\"n\">Polls</th><th scope=\"col\" class=\"n\">Median "
        "interval "
        "s</th><th scope=\"col\" class=\"n\">Late</th></tr></thead>\n<tbody>\n"
        "<tr><td class=\"t\" data-h=\"Server\">s</td><td data-h=\"Handle\">h</td><td class=\"n\" "
        "data-h=\"Polls\">1\xE2\x80\xAF"
        "234</td><td class=\"n\" data-h=\"Median interval s\">0.500</td><td class=\"n\" data-h=\"Late\">0</td></tr>\n"
        "<tr><td class=\"t\" data-h=\"Server\">&lt;t&gt;</td><td data-h=\"Handle\">h</td><td class=\"n\" "
        "data-h=\"Polls\">0</td><td class=\"n\" data-h=\"Median interval s\"></td><td class=\"n\" "
        "data-h=\"Late\">2\xE2\x80\xAF"
        "345</td></tr>\n</tbody>");
    /* Of the older API a handle tells nothing. */
    IS("<caption>Values read (performance data of the registry)</caption><thead>", "</thead>",
        "<tr><th scope=\"col\" class=\"t\">Server</th><th scope=\"col\" class=\"w\">Value</th></tr>");
    HAS_NOT("Nothing was polled");
    CHECK(count("<table") == 2, "%u", count("<table"));
}

/* Each table stands where it belongs. */
static void
test_places(void)
{
    static const struct {
        enum model_table table;
        const char *row, *section, *caption;
    } cases[] = {
        { MODEL_USAGE, "Client=x", "costs", "Countersets" },
        { MODEL_USAGE + MODEL_PERFDATA, "Client=x", "costs", "Objects (performance data of the registry)" },
        { MODEL_SETS, "Server=x", "costs", "Data collector sets ([MS-PLA])" },
        { MODEL_MISSING, "Server=x", "missing", "PerflibV2" },
        { MODEL_MISSING + MODEL_PERFDATA, "Server=x", "missing", "Performance data of the registry" },
        { MODEL_RULES, "Verdict=broken|Who=x", "rules", "Rules of [MS-PCQ] that were broken" },
        { MODEL_RULES, "Verdict=departs|Who=x", "rules", "Departures" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        const char *section;

        begin();
        report_row(cases[i].table, cases[i].row);
        report_row(MODEL_RULES, "Verdict=held|Who=x");
        write_page();
        section = between(wmem_strdup_printf(pool, "<section id=\"%s\">", cases[i].section), "</section>");
        CHECK(strstr(section, wmem_strdup_printf(pool, "<caption>%s</caption>", cases[i].caption)) != NULL &&
                count("<table") == 1,
            "%s", section);
        CHECK(strstr(section, "<p>Nothing") == NULL, "%s", section);
    }
}

static void
test_rules(void)
{
    struct stat_rows *rows = model.tables[MODEL_RULES];

    begin();
    for (unsigned i = 0; i < 3; i++) {
        stat_rows_add_sentence(rows);
        stat_rows_set_sentence(rows, i, i == 0 ? "one" : i == 1 ? "two" : "three");
    }
    report_row(MODEL_RULES, "Verdict=departs|Who=x");
    write_page();
    HAS("did wrong</h2>\n<p>one; two; three.</p>\n<details><summary>Departures that harm nobody, as Windows makes them "
        "itself</summary>\n<div class=\"scroll\"");
    HAS("</tbody></table></div>\n</details>\n</section>");
}

int
main(void)
{
    wmem_init_scopes();
    pool = wmem_epan_scope();
    for (uintptr_t api = 0; api < NUM_MODEL_APIS; api++) {
        model.curves[api] = (struct curves *)(api + 1);
    }
    page = g_string_new(NULL);
    test_nothing();
    test_facts();
    test_sealed();
    test_findings();
    test_steps();
    test_tries();
    test_pairs();
    test_most();
    test_tables();
    test_places();
    test_rules();
    return check_result();
}
