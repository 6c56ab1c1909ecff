/* sections.c
 * HTML page of a report, from the headline to the notes on how it was made
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/report/report.h"

#include <inttypes.h>
#include <string.h>

#include <wsutil/str_util.h>

#include "base/text.h"
#include "stats/report/html.h"
#include "stats/tables.h"

#ifndef PERFLIB_VERSION
#define PERFLIB_VERSION PLUGIN_VERSION
#endif

/* Maximum numbers of findings, pairs and table rows on a page. */
#define MOST_FINDINGS 12u
#define MOST_PAIRS    100u
#define MOST_TRIES    50u
#define MOST_ROWS     200u

static const char *
tone_class(enum tone tone)
{
    static const char *const classes[] = { "bad", "warn", "hint", "good" };

    return classes[tone];
}

static const char *
big_number(wmem_allocator_t *scope, uint64_t number)
{
    return model_grouped(scope, wmem_strdup_printf(scope, "%" PRIu64, number));
}

static void
fact(GString *page, const char *name, const char *value)
{
    html_printf(page, "<div><dt>%s</dt><dd>%s</dd></div>", name, value);
}

/* Returns a count, or "unknown" if calls were not decrypted. */
static const char *
number_read(const struct model *model, wmem_allocator_t *scope, uint64_t number)
{
    return number == 0 && model->tables[MODEL_SESSIONS]->needed.count != 0 ? "unknown" : big_number(scope, number);
}

/* Appends the summary: the verdict and the main numbers. */
static void
write_verdict(const struct model *model, const GArray *findings, wmem_allocator_t *scope, GString *page)
{
    enum tone tone;
    const char *text = findings_verdict(model, findings, scope, &tone);
    uint64_t counters = 0, samples = 0;
    nstime_t span;

    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        counters += stat_rows_count(model->tables[MODEL_COUNTERS + api]);
        samples += model_sum(model->tables[MODEL_COUNTERS + api], "samples");
    }
    nstime_delta(&span, &model->last, &model->first);
    html_printf(page,
        "<header>\n<p class=\"minor\">Windows performance counters in <span class=\"wire\">%s</span></p>\n",
        model->capture != NULL ? model->capture : "a capture");
    html_printf(page, "<div class=\"verdict %s\"><h1>%s</h1>\n<dl class=\"facts\">", tone_class(tone), text);
    fact(page, "Packets", big_number(scope, model->packets));
    fact(page, "Time", wmem_strdup_printf(scope, "%s s", number_text(scope, "%.1f", nstime_to_sec(&span))));
    fact(page, "Attempts", big_number(scope, model_sum(model->tables[MODEL_SESSIONS], "times")));
    fact(page, "Calls", big_number(scope, model_sum(model->tables[MODEL_SESSIONS], "calls")));
    fact(page, "Polls", number_read(model, scope, model_polls(model)));
    fact(page, "Counters", number_read(model, scope, counters));
    fact(page, "Values", number_read(model, scope, samples));
    g_string_append(page, "</dl></div>\n</header>\n<main>\n");
}

static void
write_findings(const struct model *model, const GArray *findings, GString *page)
{
    g_string_append(page, "<section id=\"findings\"><h2>What to do</h2>\n");
    if (findings->len == 0) {
        g_string_append(page,
            model->attempts->len == 0 ? "<p>See below how to take a capture that shows more.</p>\n"
                                      : "<p>Nothing: no call failed, nothing was late, no rule was broken.</p>\n");
    } else {
        g_string_append(page, "<ul class=\"todo\">\n");
    }
    for (unsigned i = 0; i < findings->len; i++) {
        const struct report_finding *finding = &g_array_index(findings, struct report_finding, i);

        if (i == MOST_FINDINGS) {
            html_printf(page, "</ul>\n<details><summary>%u more</summary><ul class=\"todo\">\n", findings->len - i);
        }
        html_printf(page, "<li class=\"%s\"><b>%s</b>", tone_class(finding->tone), finding->what);
        if (finding->frame != 0) {
            html_printf(page, " <span class=\"minor\">frame %u</span>", finding->frame);
        }
        html_printf(page, "<br>%s", finding->remedy);
        if (finding->whom != NULL) {
            html_printf(page, " <span class=\"whom\">Talk to %s.</span>", finding->whom);
        }
        if (finding->pdh != NULL) {
            html_printf(page, " <span class=\"minor\">Its user saw <code>%s</code></span>", finding->pdh);
        }
        g_string_append(page, "</li>\n");
    }
    g_string_append(page, findings->len == 0 ? "" : findings->len > MOST_FINDINGS ? "</ul></details>\n" : "</ul>\n");
    g_string_append(page, "</section>\n");
}

/* Appends the stages of an attempt up to the furthest it reached. */
static void
write_steps(const struct attempt *attempt, enum tone tone, GString *page)
{
    static const struct {
        enum stage stage;
        const char *name;
        bool is_smb_only;
    } steps[] = {
        { STAGE_TCP, "TCP", false },
        { STAGE_SESSION, "logon", true },
        { STAGE_TREE, "IPC$", true },
        { STAGE_PIPE, "pipe", true },
        { STAGE_BIND, "bind", false },
        { STAGE_CALL, "call", false },
    };
    const enum stage reached = attempt->stage == STAGE_MAPPER ? STAGE_CALL : attempt->stage;

    g_string_append(page, "<ol class=\"steps\" aria-label=\"How far it came\">");
    for (size_t i = 0; i < array_length(steps); i++) {
        const bool is_last = steps[i].stage == reached;
        const bool is_stop = is_last && (tone == TONE_BAD || attempt_state(attempt) == ATTEMPT_STOPPED);

        if (steps[i].is_smb_only && !attempt_is_smb(attempt)) {
            continue;
        }
        g_string_append(page, "<li");
        if (steps[i].stage <= reached) {
            html_printf(page, " class=\"%s\"", is_stop ? "stop" : is_last && tone == TONE_WARN ? "seen" : "done");
        }
        html_printf(page, ">%s%s</li>",
            is_stop                         ? "\xE2\x9C\x95 "
                : steps[i].stage <= reached ? "\xE2\x9C\x93 "
                                            : "",
            steps[i].name);
    }
    g_string_append(page, "</ol>");
}

static void
write_try(const struct model *model, const struct attempt *attempt, wmem_allocator_t *scope, GString *page)
{
    const struct stat_rows *rows = model->tables[MODEL_SESSIONS];
    const enum tone tone = findings_tone(attempt);
    const char *outcome = model_cell(scope, rows, attempt->row, "outcome");
    const char *authentication = model_cell(scope, rows, attempt->row, "authentication");
    const struct remedy *remedy = remedy_of(finding_of_attempt(attempt));
    const char *wants = model_cell(scope, rows, attempt->row, "wants"), *pdh = findings_pdh(scope, attempt, remedy);

    html_printf(page, "<div class=\"try %s\"><p><b>%s</b>", tone_class(tone),
        model_cell(scope, rows, attempt->row, "over"));
    /* "(not said)" would not help the reader. */
    if (wants[0] != '(') {
        html_printf(page, " for %s", wants);
    }
    html_printf(page, ", from frame %s on", model_cell(scope, rows, attempt->row, "first_frame"));
    if (attempt->times > 1) {
        html_printf(page, ", %u times", attempt->times);
    }
    if (tone == TONE_GOOD) {
        html_printf(page, ": <span class=\"badge good\">\xE2\x9C\x93 %s</span></p>\n", outcome);
    } else {
        g_string_append(page, "</p>\n");
        write_steps(attempt, tone, page);
        html_printf(page, "<p>%s</p>\n", outcome);
    }
    if (tone == TONE_BAD || (tone == TONE_WARN && attempt->needed == NULL)) {
        html_printf(page, "<p><span class=\"badge %s\">Remedy</span> %s</p>\n", tone_class(tone),
            findings_fill(scope, remedy->remedy, attempt->client, model_machine(scope, model, attempt->server)));
    }
    if (tone == TONE_BAD && pdh != NULL) {
        html_printf(page, "<p class=\"minor\">Tools built on PDH say <code>%s</code></p>\n", pdh);
    }
    if (attempt->calls + attempt->unbound > 0) {
        const unsigned calls = attempt->calls + attempt->unbound, faults = attempt->faults.count;

        html_printf(page, "<p class=\"minor\">%u call%s, %u fault%s, %s bytes", calls, plurality(calls, "", "s"),
            faults, plurality(faults, "", "s"), model_grouped(scope, model_cell(scope, rows, attempt->row, "bytes")));
        if (attempt->responses > 0) {
            html_printf(page, ", answered in %s ms, the slowest in %s ms",
                model_cell(scope, rows, attempt->row, "response_ms"),
                model_cell(scope, rows, attempt->row, "slowest_ms"));
        }
        html_printf(page, "; authentication: %s</p>\n", authentication);
    }
    g_string_append(page, "</div>\n");
}

/* Client and server, with their attempts in order of the capture. */
struct pair {
    enum tone tone;
    unsigned order;
    wmem_array_t *attempts; /* array of struct attempt * */
    bool is_sealed;         /* true if some attempts have calls that were not decrypted */
    bool works;             /* true if some attempts work */
};

static int
compare_pairs(const void *a, const void *b)
{
    const struct pair *one = *(const struct pair *const *)a, *other = *(const struct pair *const *)b;

    return one->tone != other->tone ? (one->tone < other->tone ? -1 : 1) : one->order < other->order ? -1 : 1;
}

static const struct attempt *
attempt_of(const struct pair *pair, unsigned index)
{
    return *(const struct attempt **)wmem_array_index(pair->attempts, index);
}

static struct gathered
pairs_of(const struct model *model, wmem_allocator_t *scope)
{
    const GPtrArray *attempts = model->attempts;
    struct gathered pairs = { .scope = scope };

    for (unsigned i = 0; i < attempts->len; i++) {
        struct attempt *attempt = (struct attempt *)g_ptr_array_index(attempts, i);
        struct pair *pair = (struct pair *)gathered_add(&pairs,
            wmem_strdup_printf(scope, "%s %s", attempt->client, attempt->server), sizeof *pair);

        if (pair->attempts == NULL) {
            *pair = (struct pair){ TONE_GOOD, i, wmem_array_new(scope, sizeof attempt), false, false };
        }
        pair->tone = MIN(pair->tone, findings_tone(attempt));
        pair->is_sealed = pair->is_sealed || attempt->needed != NULL;
        pair->works = pair->works || attempt_state(attempt) >= ATTEMPT_SEALED;
        wmem_array_append_one(pair->attempts, attempt);
    }
    if (attempts->len > 0) {
        wmem_array_sort(pairs.things, compare_pairs);
    }
    return pairs;
}

static void
write_more(GString *page, uint64_t more, const char *table)
{
    if (more != 0) {
        html_printf(page, "<p class=\"minor\">%u more: <code>-z %s</code></p>\n", (unsigned)MIN(more, UINT32_MAX),
            table);
    }
}

/* Appends the pairs of clients and servers, and how far their attempts got. */
static void
write_sessions(const struct model *model, wmem_allocator_t *scope, GString *page)
{
    static const char *const badges[] = { "stopped", "unclear", "works" };
    const struct gathered pairs = pairs_of(model, scope);
    const unsigned num_pairs = gathered_count(&pairs);

    g_string_append(page, "<section id=\"sessions\"><h2>Clients and servers</h2>\n");
    if (num_pairs == 0) {
        g_string_append(page,
            "<p>Nobody tried to reach performance data: no SMB pipe winreg, no endpoint, no bind of its interfaces. "
            "Capture whole packets on the client or the server, ports 445 and 135, from before the client connects. "
            "RPC on a port of its own is found with <code>-d tcp.port==N,dcerpc</code>.</p>\n");
    }
    for (unsigned i = 0; i < MIN(num_pairs, MOST_PAIRS); i++) {
        const struct pair *pair = (const struct pair *)gathered_at(&pairs, i);
        const unsigned num_tries = wmem_array_get_count(pair->attempts);

        html_printf(page,
            "<article class=\"pair\"><h3><span class=\"wire\">%s</span> \xE2\x86\x92 <span class=\"wire\">%s</span>",
            attempt_of(pair, 0)->client, model_machine(scope, model, attempt_of(pair, 0)->server));
        /* Attempts without a problem are described by their own row. */
        if (pair->tone != TONE_GOOD) {
            html_printf(page, " <span class=\"badge %s\">%s</span>", tone_class(pair->tone),
                pair->tone == TONE_WARN && pair->is_sealed    ? "sealed"
                    : pair->tone == TONE_HINT && !pair->works ? "answers"
                                                              : badges[pair->tone]);
        }
        g_string_append(page, "</h3>\n");
        for (unsigned a = 0; a < MIN(num_tries, MOST_TRIES); a++) {
            write_try(model, attempt_of(pair, a), scope, page);
        }
        write_more(page, num_tries - MIN(num_tries, MOST_TRIES), "perflibv2,sessions");
        g_string_append(page, "</article>\n");
    }
    write_more(page, num_pairs - MIN(num_pairs, MOST_PAIRS), "perflibv2,sessions");
    /* Sentences of the sessions table about attempts without a row. */
    for (unsigned i = 0; i < model->tables[MODEL_SESSIONS]->sentences->len; i++) {
        html_printf(page, "<p class=\"minor\">%s</p>\n", stat_rows_sentence(model->tables[MODEL_SESSIONS], i));
    }
    g_string_append(page, "</section>\n");
}

/* Layouts of a column in the page's tables. */
enum shown_kind {
    SHOWN_NAME,  /* kept on one line */
    SHOWN_WORDS, /* broken between words only */
    SHOWN_LONG,  /* broken anywhere */
    SHOWN_NUMBER,
    SHOWN_FLAW /* number that should be 0 */
};

struct shown {
    enum shown_kind kind;
    const char *column; /* key of the column; NULL ends the list */
    const char *head;   /* heading on the page */
};

#define SHOWN(kind, column, head) \
    { \
        SHOWN_##kind, column, head \
    }
#define SHOWN_END \
    { \
        SHOWN_NAME, NULL, NULL \
    }

/* Columns about polling, for both APIs. */
static const struct shown polling[] = {
    SHOWN(NAME, "server", "Server"),
    SHOWN(WORDS, "handle", "Handle"),
    SHOWN(LONG, "value", "Value"),
    SHOWN(NUMBER, "first_frame", "First frame"),
    SHOWN(FLAW, "added", "Counters added"),
    SHOWN(NUMBER, "polls", "Polls"),
    SHOWN(NUMBER, "answers", "Answers"),
    SHOWN(NUMBER, "median_s", "Median interval s"),
    SHOWN(NUMBER, "longest_s", "Longest interval s"),
    SHOWN(NUMBER, "response_ms", "Response ms"),
    SHOWN(NUMBER, "bytes", "Bytes"),
    SHOWN(FLAW, "wasted_percent", "Wasted %"),
    SHOWN(FLAW, "too_small", "Too small"),
    SHOWN(FLAW, "late", "Late"),
    SHOWN(FLAW, "overlap", "Overlap"),
    SHOWN(WORDS, "state", "State"),
    SHOWN_END,
};

static const struct shown usage[] = {
    SHOWN(NAME, "client", "Client"),
    SHOWN(NAME, "server", "Server"),
    SHOWN(LONG, "counterset", "Counterset or object"),
    SHOWN(NUMBER, "polls", "Polls"),
    SHOWN(NUMBER, "values", "Values"),
    SHOWN(NUMBER, "bytes", "Bytes"),
    SHOWN(NUMBER, "server_ms", "Server ms"),
    SHOWN(NUMBER, "share_percent", "Share of its time %"),
    SHOWN_END,
};

static const struct shown sets[] = {
    SHOWN(LONG, "set", "Data collector set"),
    SHOWN(NAME, "server", "Server"),
    SHOWN(NUMBER, "calls", "Calls"),
    SHOWN(FLAW, "failed", "Failed"),
    SHOWN(NAME, "last_status", "Last status"),
    SHOWN(WORDS, "last_error", "Last error"),
    SHOWN_END,
};

static const struct shown missing[] = {
    SHOWN(LONG, "asked_for", "Asked for"),
    SHOWN(WORDS, "reason", "Why it did not come"),
    SHOWN(WORDS, "pdh", "What PDH says"),
    SHOWN(NAME, "server", "Server"),
    SHOWN(NAME, "client", "Client"),
    SHOWN(NUMBER, "times", "Times"),
    SHOWN(NUMBER, "first_frame", "First frame"),
    SHOWN_END,
};

static const struct shown rules[] = {
    SHOWN(NAME, "section", "Section"),
    SHOWN(LONG, "holds", "What holds"),
    SHOWN(NAME, "who", "Who"),
    SHOWN(NAME, "severity", "Severity"),
    SHOWN(NUMBER, "broken", "Broken"),
    SHOWN(NUMBER, "checked", "Checked"),
    SHOWN(NUMBER, "first_frame", "First frame"),
    SHOWN(NAME, "rule", "perflibv2.rule."),
    SHOWN_END,
};

/* Table of the page. */
struct shown_table {
    enum model_table table;
    const char *caption;
    const struct shown *columns;
    const char *without; /* key of a column to leave out; NULL if none */
    const char *verdict; /* for rules: only rows with this verdict are shown; NULL: all rows */
};

/* Tables in page order. */
static const struct shown_table tables[] = {
    { MODEL_QUERIES + MODEL_PERFLIBV2, "Queries (PerflibV2)", polling, NULL, NULL },
    { MODEL_QUERIES + MODEL_PERFDATA, "Values read (performance data of the registry)", polling, "handle", NULL },
    { MODEL_USAGE + MODEL_PERFLIBV2, "Countersets", usage, NULL, NULL },
    { MODEL_USAGE + MODEL_PERFDATA, "Objects (performance data of the registry)", usage, NULL, NULL },
    { MODEL_SETS, "Data collector sets ([MS-PLA])", sets, NULL, NULL },
    { MODEL_MISSING + MODEL_PERFLIBV2, "PerflibV2", missing, NULL, NULL },
    { MODEL_MISSING + MODEL_PERFDATA, "Performance data of the registry", missing, NULL, NULL },
    { MODEL_RULES, "Rules of [MS-PCQ] that were broken", rules, NULL, "broken" },
    { MODEL_RULES, "Departures", rules, NULL, "departs" },
};
enum { TABLE_COSTS, TABLE_MISSING = 5, TABLE_BROKEN = 7, TABLE_DEPARTING };

static const char *
shown_class(const struct shown *shown)
{
    static const char *const classes[] = { " class=\"t\"", "", " class=\"w\"", " class=\"n\"", " class=\"n\"" };

    return classes[shown->kind];
}

/* Returns the text of a cell. Rows of sealed calls have no polls, so their cells about polls are empty. */
static const char *
shown_text(const struct stat_rows *rows, unsigned row, const struct shown *shown, unsigned column,
    wmem_allocator_t *scope)
{
    const char *text = model_text(scope, rows, row, column);

    if (strcmp(text, "0") == 0 && strcmp(shown->column, "polls") == 0 &&
        strcmp(model_cell(scope, rows, row, "state_code"), "sealed") == 0) {
        return "";
    }
    return shown->kind >= SHOWN_NUMBER ? model_grouped(scope, text) : text;
}

/* Returns true if a column has anything to show. A column of flaws has nothing to show if all are 0. */
static bool
is_told(const struct stat_rows *rows, const GArray *chosen, enum shown_kind kind, unsigned column,
    wmem_allocator_t *scope)
{
    for (unsigned i = 0; i < chosen->len; i++) {
        const char *text = model_text(scope, rows, g_array_index(chosen, unsigned, i), column);

        if (text[0] != '\0' && (kind != SHOWN_FLAW || strcmp(text, "0") != 0)) {
            return true;
        }
    }
    return false;
}

/* Appends a table with the columns that have anything to show. Returns the number of rows. */
static unsigned
write_table(const struct model *model, const struct shown_table *table, wmem_allocator_t *scope, GString *page)
{
    const struct stat_rows *rows = model->tables[table->table];
    GArray *chosen = g_array_new(FALSE, FALSE, sizeof(unsigned));
    const struct shown *told[array_length(polling)];
    unsigned columns[array_length(polling)], num_told = 0, count, more = 0;

    for (unsigned row = 0; row < stat_rows_count(rows); row++) {
        if (table->verdict != NULL && strcmp(model_cell(scope, rows, row, "verdict"), table->verdict) != 0) {
            continue;
        }
        if (chosen->len < MOST_ROWS) {
            g_array_append_val(chosen, row);
        } else {
            more++;
        }
    }
    count = chosen->len;
    for (const struct shown *shown = table->columns; shown->column != NULL; shown++) {
        told[num_told] = shown;
        columns[num_told] = stat_rows_column(rows, shown->column);
        num_told += g_strcmp0(shown->column, table->without) != 0 &&
            is_told(rows, chosen, shown->kind, columns[num_told], scope);
    }
    if (count > 0) {
        html_printf(page,
            "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\"><table "
            "class=\"wide\"><caption>%s</caption><thead><tr>",
            table->caption, table->caption);
    }
    for (unsigned i = 0; i < num_told; i++) {
        g_string_append_printf(page, "<th scope=\"col\"%s>", shown_class(told[i]));
        html_printf(page, "%s</th>", told[i]->head);
    }
    g_string_append(page, count > 0 ? "</tr></thead>\n<tbody>\n" : "");
    for (unsigned row = 0; row < count; row++) {
        g_string_append(page, "<tr>");
        for (unsigned i = 0; i < num_told; i++) {
            const char *text = shown_text(rows, g_array_index(chosen, unsigned, row), told[i], columns[i], scope);

            g_string_append_printf(page, "<td%s ", shown_class(told[i]));
            html_printf(page, "data-h=\"%s\">%s</td>", told[i]->head, text);
        }
        g_string_append(page, "</tr>\n");
    }
    g_string_append(page, count > 0 ? "</tbody></table></div>\n" : "");
    write_more(page, more, rows->ui.cli_string);
    g_array_free(chosen, TRUE);
    return count;
}

/* Appends the tables of a section and its end. nothing: text if no table has rows. */
static void
write_tables(const struct model *model, unsigned begin, unsigned end, const char *nothing, wmem_allocator_t *scope,
    GString *page)
{
    unsigned rows = 0;

    for (unsigned i = begin; i < end; i++) {
        rows += write_table(model, &tables[i], scope, page);
    }
    g_string_append_printf(page, "%s</section>\n", rows == 0 ? nothing : "");
}

static void
write_costs(const struct model *model, wmem_allocator_t *scope, GString *page)
{
    g_string_append(page, "<section id=\"costs\"><h2>What is polled, and what it costs</h2>\n");
    write_tables(model, TABLE_COSTS, TABLE_MISSING, "<p>Nothing was polled.</p>\n", scope, page);
}

static void
write_missing(const struct model *model, wmem_allocator_t *scope, GString *page)
{
    g_string_append(page, "<section id=\"missing\"><h2>What never came, and why</h2>\n");
    write_tables(model, TABLE_MISSING, TABLE_BROKEN,
        model->tables[MODEL_SESSIONS]->needed.count != 0
            ? "<p>Nobody can say: calls are sealed.</p>\n"
            : "<p>Nothing: all that was asked for came, as far as it could be read.</p>\n",
        scope, page);
}

static void
write_rules(const struct model *model, wmem_allocator_t *scope, GString *page)
{
    const struct stat_rows *rows = model->tables[MODEL_RULES];
    GString *departures;
    unsigned told = 0;

    g_string_append(page, "<section id=\"rules\"><h2>What a peer did wrong</h2>\n");
    write_table(model, &tables[TABLE_BROKEN], scope, page);
    for (unsigned i = 0; i < rows->sentences->len; i++) {
        html_printf(page, told++ == 0 ? "<p>%s" : "; %s", stat_rows_sentence(rows, i));
    }
    g_string_append(page, told > 0 ? ".</p>\n" : "");
    departures = g_string_new(NULL);
    if (write_table(model, &tables[TABLE_DEPARTING], scope, departures) != 0) {
        g_string_append_printf(page,
            "<details><summary>Departures that harm nobody, as Windows makes them itself</summary>\n%s</details>\n",
            departures->str);
    }
    g_string_free(departures, TRUE);
    g_string_append(page, "</section>\n");
}

/* Returns the seconds from the first packet to the last poll. */
static double
curves_end(const struct model *model)
{
    double end = 0;

    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        end = MAX(end, curves_last(model->curves[api]) - nstime_to_sec(&model->first));
    }
    return end;
}

static void
write_curves(const struct model *model, struct curves_drawn *sum, wmem_allocator_t *scope, GString *page)
{
    g_string_append(page, "<section id=\"curves\"><h2>Values over time</h2>\n");
    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        curves_draw(model->curves[api], &model->first, curves_end(model), scope, page, sum);
    }
    if (sum->drawn == 0) {
        g_string_append(page, "<p>No counter had a value.</p>\n");
    } else {
        g_string_append(page,
            "<p class=\"minor\">All from the first packet on the left to the last poll on the right. A pointer, or "
            "the arrow keys, show single values.</p>\n");
    }
    if (sum->left_out > 0) {
        html_printf(page,
            "<p class=\"minor\">%u more counter%s not drawn: <code>-z perflibv2,counters</code>, <code>-z "
            "perfdata,counters</code></p>\n",
            sum->left_out, plurality(sum->left_out, " is", "s are"));
    }
    g_string_append(page, "</section>\n");
}

/* Returns a time of the capture in UTC. Allocated in `scope`. */
static const char *
report_time_text(wmem_allocator_t *scope, const nstime_t *time)
{
    GDateTime *date = g_date_time_new_from_unix_utc((int64_t)time->secs);
    char *text;
    const char *copy;

    if (date == NULL) {
        return "";
    }
    text = g_date_time_format(date, "%Y-%m-%dT%H:%M:%S");
    copy = wmem_strdup_printf(scope, "%s.%03dZ", text, time->nsecs / 1000000);
    g_free(text);
    g_date_time_unref(date);
    return copy;
}

static void
write_making(const struct model *model, const char *filter, const struct curves_drawn *sum, wmem_allocator_t *scope,
    GString *page)
{
    const struct needed *needed = &model->tables[MODEL_SESSIONS]->needed;

    g_string_append(page, "</main>\n<footer><section id=\"making\"><h2>How this page was made</h2>\n<ul>\n");
    html_printf(page, "<li>By the Wireshark plugin perflib %s and Wireshark %s: <code>-z perflib,report</code>.</li>\n",
        PERFLIB_VERSION, epan_get_version());
    html_printf(page, "<li>From %s: %u packets", model->capture != NULL ? model->capture : "a capture", model->packets);
    if (model->packets > 0) {
        html_printf(page, ", %s to %s", report_time_text(scope, &model->first), report_time_text(scope, &model->last));
    }
    g_string_append(page, ".</li>\n");
    if (filter != NULL) {
        html_printf(page, "<li>Only what passed the filter <code>%s</code>.</li>\n", filter);
    }
    for (unsigned i = 0; i < needed->count; i++) {
        html_printf(page, "<li>Not decrypted: %s.</li>\n", needed->items[i].text);
    }
    if (needed->has_more) {
        g_string_append(page, "<li>Not decrypted: calls of further users.</li>\n");
    }
    if (sum->drawn > 0) {
        html_printf(page, "<li>%u curve%s of %u point%s.", sum->drawn, plurality(sum->drawn, "", "s"), sum->points,
            plurality(sum->points, "", "s"));
        if (sum->thinned > 0) {
            html_printf(page,
                " %u of them are thinned: of each four values in a row the smallest and the largest stay.",
                sum->thinned);
        }
        g_string_append(page, "</li>\n");
    }
    g_string_append(page,
        "<li>Each number is that of the plugin's tables of the same name, which hold more.</li>\n"
        "</ul></section></footer>\n");
}

void
sections_write(struct model *model, const char *filter, GString *page)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    struct curves_drawn sum = { 0 };
    GArray *findings;

    model_fill(model, scope);
    findings = findings_of(model, scope);

    look_begin(page,
        wmem_strdup_printf(scope, "Performance counters: %s", model->capture != NULL ? model->capture : "report"));
    html_printf(page, "<body data-begin=\"%s\" data-end=\"%s\">\n", report_time_text(scope, &model->first),
        number_text(scope, "%.3f", curves_end(model)));
    write_verdict(model, findings, scope, page);
    write_findings(model, findings, page);
    write_sessions(model, scope, page);
    write_costs(model, scope, page);
    write_missing(model, scope, page);
    write_rules(model, scope, page);
    write_curves(model, &sum, scope, page);
    write_making(model, filter, &sum, scope, page);
    look_end(page);
    g_array_free(findings, TRUE);
    wmem_destroy_allocator(scope);
}
