/* page.c
 * HTML page of a report
 *
 * The headline, what to do, and the states of servers are plain HTML, for readers without JavaScript. The tables and
 * curves are JSON, from which page.js makes the rest.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "report/page.h"

#include <stdarg.h>
#include <string.h>

#include <wsutil/str_util.h>

#include "base/text.h"
#include "stats/csv.h"
#include "stats/findings.h"
#include "stats/tables.h"

/* Maximum numbers of findings, of those that are visible at first, and of attempts. */
#define MOST_FINDINGS 200u
#define SEEN_FINDINGS 12u
#define MOST_ATTEMPTS 100u

/* Data of the functions that fill in the placeholders of page.html. */
struct page {
    struct model *model;
    struct stat_rows *findings;
    const char *filter;
    wmem_allocator_t *scope;
    GString *out;
};

/* Appends formatted text with all arguments of %s escaped. Every text that is not constant passes through this. */
static void add_html(const struct page *page, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void
add_html(const struct page *page, const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = g_markup_vprintf_escaped(format, arguments);
    va_end(arguments);
    g_string_append(page->out, text);
    g_free(text);
}

static const char *
finding_cell(const struct page *page, unsigned row, const char *column)
{
    return model_cell(page->scope, page->findings, row, column);
}

static const char *
capture_text(const struct page *page)
{
    return page->model->capture == NULL ? "a capture" : line_text(page->scope, page->model->capture);
}

static void
add_capture(const struct page *page)
{
    add_html(page, "%s", capture_text(page));
}

/* Appends the class of the headline: the severity of the worst finding. */
static void
add_severity(const struct page *page)
{
    add_html(page, "%s",
        stat_rows_count(page->findings) > 0                             ? finding_cell(page, 0, "severity")
            : stat_rows_count(page->model->tables[MODEL_SESSIONS]) == 0 ? tone_text(TONE_WARN)
                                                                        : tone_text(TONE_GOOD));
}

static void
add_headline(const struct page *page)
{
    add_html(page, "%s", stat_rows_sentence(page->findings, 0));
}

static void
add_finding(const struct page *page, unsigned row)
{
    const char *who = finding_cell(page, row, "who"), *pdh = finding_cell(page, row, "pdh");
    const char *filter = finding_cell(page, row, "filter"), *frame = finding_cell(page, row, "frame");
    const char *severity = finding_cell(page, row, "severity");

    add_html(page, "<li class=\"%s\"><p><span class=\"badge\">%s</span> <b>%s</b></p>\n<p>%s</p>\n<p class=\"minor\">",
        severity, severity, finding_cell(page, row, "what"), finding_cell(page, row, "remedy"));
    if (who[0] != '\0') {
        add_html(page, "<span class=\"who\">Who acts: %s.</span> ", who);
    }
    if (strcmp(frame, "0") != 0) {
        add_html(page, "Frame %s. ", frame);
    }
    if (filter[0] != '\0') {
        add_html(page, "Display filter: <code class=\"filter\">%s</code> ", filter);
    }
    if (pdh[0] != '\0') {
        add_html(page, "Windows tools show <code>%s</code>", pdh);
    }
    g_string_append(page->out, "</p></li>\n");
}

static void
add_findings(const struct page *page)
{
    const unsigned count = stat_rows_count(page->findings);

    if (count == 0) {
        add_html(page, "<p>%s</p>\n",
            stat_rows_count(page->model->tables[MODEL_SESSIONS]) > 0
                ? "Nothing: no call failed, nothing was late, no rule was broken."
                : "Capture whole packets on the client or the server, ports 445 and 135, from before the client "
                  "connects. RPC on another port is found with -d tcp.port==N,dcerpc.");
        return;
    }
    g_string_append(page->out, "<ol class=\"todo\">\n");
    for (unsigned row = 0; row < MIN(count, MOST_FINDINGS); row++) {
        if (row == SEEN_FINDINGS) {
            add_html(page, "</ol>\n<details><summary>%u more</summary><ol class=\"todo\">\n", count - row);
        }
        add_finding(page, row);
    }
    if (count > MOST_FINDINGS) {
        add_html(page, "<li>%u more: <code>-z perflib,findings</code></li>\n", count - MOST_FINDINGS);
    }
    g_string_append(page->out, count > SEEN_FINDINGS ? "</ol></details>\n" : "</ol>\n");
}

/* Appends the stages of an attempt up to the one it reached, and the last one, a value. */
static void
add_stages(const struct page *page, const struct attempt *attempt)
{
    static const struct {
        enum stage stage;
        const char *name;
        bool is_smb_only;
    } stages[] = {
        { STAGE_TCP, "TCP", false },
        { STAGE_SESSION, "logon", true },
        { STAGE_TREE, "share", true },
        { STAGE_PIPE, "pipe", true },
        { STAGE_BIND, "bind", false },
        { STAGE_CALL, "call", false },
        { STAGE_MAPPER, "value", false },
    };
    const bool has_value = attempt->values > 0, asks_value = attempt_state(attempt) == ATTEMPT_NO_VALUE;
    const enum stage reached = has_value || asks_value ? STAGE_MAPPER : MIN(attempt->stage, STAGE_CALL);

    g_string_append(page->out, "<ol class=\"steps\">");
    for (size_t i = 0; i < array_length(stages); i++) {
        const bool is_stop = stages[i].stage == reached && !has_value;
        const bool is_done = stages[i].stage < reached || (stages[i].stage == reached && has_value);

        if (!stages[i].is_smb_only || attempt_is_smb(attempt)) {
            add_html(page, "<li class=\"%s\">%s%s</li>",
                is_stop       ? "stop"
                    : is_done ? "done"
                              : "",
                is_stop       ? "\xE2\x9C\x95 "
                    : is_done ? "\xE2\x9C\x93 "
                              : "",
                stages[i].name);
        }
    }
    g_string_append(page->out, "</ol>\n");
}

/* Appends "for PerflibV2 over SMB2, 3 times, from frame 12 on". */
static void
add_attempt(const struct page *page, const struct attempt *attempt)
{
    if (attempt->wants != 0) {
        add_html(page, " for %s", attempt_wants(attempt, page->scope));
    }
    add_html(page, " over %s", attempt_over(attempt, page->scope));
    if (attempt->times > 1) {
        add_html(page, ", %u times", attempt->times);
    }
    add_html(page, ", from frame %u on", attempt->frame);
}

static void
add_card(const struct page *page, const struct attempt *attempt)
{
    const bool is_bad = findings_tone(attempt) == TONE_BAD;

    add_html(page,
        "<article class=\"%s\"><h3>%s <span class=\"badge\">%s</span></h3>\n"
        "<p class=\"minor\">%s",
        tone_text(findings_tone(attempt)), model_machine(page->scope, page->model, attempt->server),
        is_bad ? "\xE2\x9C\x95 stopped" : "? unclear", attempt->client);
    add_attempt(page, attempt);
    g_string_append(page->out, "</p>\n");
    add_stages(page, attempt);
    add_html(page, "<p>%s</p></article>\n", attempt_outcome(attempt, page->scope));
}

/* Connections to a server that need no card. */
struct served {
    const struct attempt *first;
    unsigned more;
};

static void
add_served(const struct page *page, const struct served *served)
{
    const struct attempt *attempt = served->first;

    add_html(page, "<li class=\"%s\"><b>%s</b> <span class=\"badge\">%s</span> %s. <span class=\"minor\">%s",
        tone_text(attempt->needed != NULL ? TONE_WARN : TONE_GOOD),
        model_machine(page->scope, page->model, attempt->server),
        attempt->needed != NULL ? "? encrypted" : "\xE2\x9C\x93", attempt_outcome(attempt, page->scope),
        attempt->client);
    add_attempt(page, attempt);
    if (served->more > 0) {
        add_html(page, "; %u more connection%s", served->more, plurality(served->more, "", "s"));
    }
    g_string_append(page->out, "</span></li>\n");
}

/* Appends the servers: those that stop a client, each with its stages, then the others, one line each. */
static void
add_servers(const struct page *page)
{
    const GPtrArray *attempts = sessions_attempts(page->model->tables[MODEL_SESSIONS], page->scope);
    struct gathered servers = { .scope = page->scope };
    unsigned shown = 0;

    for (unsigned pass = TONE_BAD; pass <= TONE_GOOD; pass++) {
        for (unsigned i = 0; i < attempts->len; i++) {
            const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(attempts, i);

            if (findings_tone(attempt) != (enum tone)pass) {
                continue;
            }
            /* Why encrypted calls ended is unknown. */
            if (pass == TONE_BAD || (pass == TONE_WARN && attempt->needed == NULL)) {
                if (shown++ < MOST_ATTEMPTS) {
                    add_card(page, attempt);
                }
            } else {
                struct served *served = (struct served *)gathered_add(&servers, attempt->server, sizeof(struct served));

                /* The connection that got furthest shows the current state. */
                served->more += served->first != NULL;
                if (served->first == NULL || attempt_state(served->first) < attempt_state(attempt)) {
                    served->first = attempt;
                }
            }
        }
    }
    if (gathered_count(&servers) > 0) {
        g_string_append(page->out, "<ul class=\"served\">\n");
        for (unsigned i = 0; i < gathered_count(&servers); i++) {
            if (shown++ < MOST_ATTEMPTS) {
                add_served(page, (const struct served *)gathered_at(&servers, i));
            }
        }
        g_string_append(page->out, "</ul>\n");
    }
    if (shown > MOST_ATTEMPTS) {
        add_html(page, "<p class=\"minor\">%u more: <code>-z perflibv2,sessions</code></p>\n", shown - MOST_ATTEMPTS);
    }
}

static void
add_data(const struct page *page)
{
    static const struct page_limits limits = { 1200000, 64000 };
    static const char *const names[NUM_MODEL_APIS] = { "perflibv2-counters", "perfdata-counters" };
    struct curves *const *curves = (struct curves *const *)page->model->data;
    unsigned written[NUM_MODEL_TABLES], left_out;

    every_table_append_json(page->model, page->findings, page->filter, &limits, written, page->out);
    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        left_out =
            curves_append_json(curves[api], names[api], written[MODEL_COUNTERS + api], &page->model->first, page->out);
        if (left_out > 0) {
            g_string_append_printf(page->out, "{\"table\":\"left_out\",\"of\":\"curves\",\"rows\":%u}\n", left_out);
        }
    }
}

/* Appends the hash by which the page's content security policy allows a style or script. */
static void
add_hash(const struct page *page, const unsigned char *text)
{
    GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
    guint8 digest[32];
    gsize length = sizeof digest;
    char *encoded;

    g_checksum_update(checksum, text, -1);
    g_checksum_get_digest(checksum, digest, &length);
    encoded = g_base64_encode(digest, length);
    g_string_append_printf(page->out, "'sha256-%s'", encoded);
    g_free(encoded);
    g_checksum_free(checksum);
}

/* Placeholder "{{name}}" of page.html: either a function fills it in, or a file, or (name-hash) the file's hash. */
static const struct {
    const char *name;
    void (*add)(const struct page *page);
    const unsigned char *file;
} placeholders[] = {
    { "capture", add_capture, NULL },
    { "severity", add_severity, NULL },
    { "headline", add_headline, NULL },
    { "findings", add_findings, NULL },
    { "servers", add_servers, NULL },
    { "data", add_data, NULL },
    { "css", NULL, page_css },
    { "dygraphs", NULL, page_dygraphs },
    { "js", NULL, page_js },
};

static void
fill_in(const struct page *page, const char *name, size_t length)
{
    const bool is_hash = length > 5 && strncmp(name + length - 5, "-hash", 5) == 0;

    length -= is_hash ? 5 : 0;
    for (size_t i = 0; i < array_length(placeholders); i++) {
        if (strlen(placeholders[i].name) != length || strncmp(placeholders[i].name, name, length) != 0) {
            continue;
        }
        if (is_hash) {
            add_hash(page, placeholders[i].file);
        } else if (placeholders[i].add != NULL) {
            placeholders[i].add(page);
        } else {
            g_string_append(page->out, (const char *)placeholders[i].file);
        }
    }
}

void
page_write(struct model *model, struct stat_rows *findings, const char *filter, GString *out)
{
    const struct page page = { model, findings, filter, wmem_allocator_new(WMEM_ALLOCATOR_BLOCK), out };
    const char *at = (const char *)page_html, *begin, *end;

    findings_table_fill(findings, model);
    while ((begin = strstr(at, "{{")) != NULL && (end = strstr(begin, "}}")) != NULL) {
        g_string_append_len(out, at, begin - at);
        fill_in(&page, begin + 2, (size_t)(end - begin - 2));
        at = end + 2;
    }
    g_string_append(out, at);
    wmem_destroy_allocator(page.scope);
}
