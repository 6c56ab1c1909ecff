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
#include "stats/findings.h"

#define MOST_PLACES   100u /* maximum number of findings of a group on the page */
#define SEEN_PLACES   6u   /* number of a group's findings that are visible at first; "... more" opens the others */
#define SEEN_FINDINGS 12u  /* number of groups of findings that are visible at first */
#define MOST_ATTEMPTS 100u /* maximum number of cards and of lines of servers, together */

/* Data of the functions that fill in the placeholders of page.html. */
struct page {
    struct model *model;
    const char *filter;
    wmem_allocator_t *scope;
    const struct key_index *groups; /* groups of findings (struct finding_group) */
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

static void
add_capture(const struct page *page)
{
    add_html(page, "%s", page->model->capture == NULL ? "a capture" : line_text(page->scope, page->model->capture));
}

/* Appends the headline's CSS class: the worst finding's severity. No finding: "good", or "warning" without sessions. */
static void
add_severity(const struct page *page)
{
    add_html(page, "%s",
        tone_texts[key_index_size(page->groups) > 0
                ? finding_member((const struct finding_group *)key_index_data(page->groups, 0), 0)->tone
                : stat_rows_count(page->model->tables[MODEL_SESSIONS]) == 0 ? TONE_WARN
                                                                            : TONE_GOOD]);
}

static void
add_headline(const struct page *page)
{
    add_html(page, "%s", stat_rows_sentence(page->model->tables[MODEL_FINDINGS], 0));
}

/* Appends a finding's details, frame and display filter; if its group has several findings, also client and server. */
static void
add_details(const struct page *page, const struct report_finding *finding, bool is_one_of_several)
{
    const char *detail = finding->detail != NULL ? finding->detail : is_one_of_several ? finding->what : NULL;

    g_string_append(page->out, "<li>");
    if (is_one_of_several && finding->server != NULL) {
        add_html(page, "<span class=\"where\">%s to %s</span>: ", finding->client == NULL ? "client" : finding->client,
            model_machine(page->scope, page->model, finding->server));
    }
    if (detail != NULL) {
        add_html(page, "<span class=\"detail\">%s</span>%s ", detail, g_str_has_suffix(detail, ".") ? "" : ".");
    }
    if (finding->frame != 0) {
        add_html(page, "Frame %u. ", finding->frame);
    }
    if (finding->pdh != NULL) {
        add_html(page, "Windows tools show <code>%s</code>. ", finding->pdh);
    }
    if (finding->filter != NULL) {
        add_html(page, "Display filter: <code class=\"filter\">%s</code>", finding->filter);
    }
    g_string_append(page->out, "</li>\n");
}

static void
add_finding(const struct page *page, const struct finding_group *group)
{
    const char *severity = tone_texts[finding_member(group, 0)->tone];
    const unsigned count = wmem_array_get_count(group->members);

    add_html(page, "<li class=\"%s\"><p><span class=\"badge\">%s</span> <b>%s</b></p>\n<p>%s</p>\n", severity, severity,
        group->what, group->remedy);
    if (group->whom != NULL) {
        add_html(page, "<p class=\"who\">Who acts: %s.</p>\n", group->whom);
    }
    g_string_append(page->out, "<ul class=\"minor\">\n");
    for (unsigned i = 0; i < MIN(count, MOST_PLACES); i++) {
        if (i == SEEN_PLACES) {
            add_html(page, "</ul><details><summary>%u more%s</summary><ul class=\"minor\">\n", count - i,
                count > MOST_PLACES ? ", not all of them here: -z perflib,findings" : "");
        }
        add_details(page, finding_member(group, i), count > 1);
    }
    g_string_append(page->out, count > SEEN_PLACES ? "</ul></details></li>\n" : "</ul></li>\n");
}

static void
add_findings(const struct page *page)
{
    const unsigned count = key_index_size(page->groups);

    if (count == 0) {
        add_html(page, "<p>%s</p>\n",
            stat_rows_count(page->model->tables[MODEL_SESSIONS]) > 0
                ? "Nothing: no call failed, nothing was late, no rule was broken."
                : "Capture whole packets on the client or the server, ports 445 and 135, from before the client "
                  "connects. RPC on another port is found with -d tcp.port==N,dcerpc.");
        return;
    }
    g_string_append(page->out, "<ol class=\"todo\">\n");
    for (unsigned i = 0; i < count; i++) {
        if (i == SEEN_FINDINGS) {
            add_html(page, "</ol>\n<details><summary>%u more</summary><ol class=\"todo\" start=\"%u\">\n", count - i,
                i + 1);
        }
        add_finding(page, (const struct finding_group *)key_index_data(page->groups, i));
    }
    g_string_append(page->out, count > SEEN_FINDINGS ? "</ol></details>\n" : "</ol>\n");
}

/* Appends the stages of an attempt ("TCP" to "value"), marked as done, stopped there, or not reached. */
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
    static const char *const kinds[] = { "", "done", "stop" },
                             *const marks[] = { "", "\xE2\x9C\x93 ", "\xE2\x9C\x95 " };
    const bool has_value = attempt->values > 0, asks_value = attempt_state(attempt) == ATTEMPT_NO_VALUE;
    const enum stage reached = has_value || asks_value ? STAGE_MAPPER : MIN(attempt->stage, STAGE_CALL);

    g_string_append(page->out, "<ol class=\"steps\">");
    for (size_t i = 0; i < array_length(stages); i++) {
        const unsigned kind = stages[i].stage > reached ? 0 : stages[i].stage < reached || has_value ? 1 : 2;

        if (!stages[i].is_smb_only || attempt_is_smb(attempt)) {
            add_html(page, "<li class=\"%s\">%s%s</li>", kinds[kind], marks[kind], stages[i].name);
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
    const enum tone tone = findings_tone(attempt);

    add_html(page,
        "<article class=\"%s\"><h3>%s <span class=\"badge\">%s</span></h3>\n"
        "<p class=\"minor\">client %s",
        tone_texts[tone], model_machine(page->scope, page->model, attempt->server),
        tone == TONE_BAD ? "\xE2\x9C\x95 stopped" : "? unclear", attempt->client);
    add_attempt(page, attempt);
    g_string_append(page->out, "</p>\n");
    add_stages(page, attempt);
    add_html(page, "<p>%s</p></article>\n", attempt_outcome(attempt, page->scope));
}

/* Connections to a server that are shown on one line, without a card. */
struct served_connections {
    const struct attempt *first;
    unsigned more;
};

static void
add_served(const struct page *page, const struct served_connections *served)
{
    const struct attempt *attempt = served->first;

    add_html(page, "<li class=\"%s\"><b>%s</b> <span class=\"badge\">%s</span> %s. <span class=\"minor\">client %s",
        tone_texts[attempt->needed != NULL ? TONE_WARN : TONE_GOOD],
        model_machine(page->scope, page->model, attempt->server),
        attempt->needed != NULL ? "? encrypted" : "\xE2\x9C\x93", attempt_outcome(attempt, page->scope),
        attempt->client);
    add_attempt(page, attempt);
    if (served->more > 0) {
        add_html(page, "; %u more connection%s", served->more, plurality(served->more, "", "s"));
    }
    g_string_append(page->out, "</span></li>\n");
}

/*
 * Appends a card with the stages for each attempt that was stopped, or whose end is unclear. Then appends a line for
 * each server with other attempts.
 */
static void
add_servers(const struct page *page)
{
    const GPtrArray *attempts = sessions_attempts(page->model->tables[MODEL_SESSIONS], page->scope);
    struct key_index *servers = key_index_new(page->scope);
    unsigned shown = 0;

    for (unsigned pass = TONE_BAD; pass <= TONE_GOOD; pass++) {
        for (unsigned i = 0; i < attempts->len; i++) {
            const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(attempts, i);

            /* A warning gets no card if a key for encrypted calls is missing: these do not show whether they failed. */
            const bool has_card = pass == TONE_BAD || (pass == TONE_WARN && attempt->needed == NULL);

            if (findings_tone(attempt) == (enum tone)pass && has_card && shown++ < MOST_ATTEMPTS) {
                add_card(page, attempt);
            } else if (findings_tone(attempt) == (enum tone)pass && !has_card) {
                struct served_connections *served = (struct served_connections *)key_index_gather(servers,
                    attempt->server, sizeof(struct served_connections));

                /* The attempt that got furthest represents the server. */
                served->more += served->first != NULL;
                if (served->first == NULL || attempt_state(served->first) < attempt_state(attempt)) {
                    served->first = attempt;
                }
            }
        }
    }
    g_string_append(page->out, key_index_size(servers) > 0 ? "<ul class=\"served\">\n" : "");
    for (unsigned i = 0; i < key_index_size(servers); i++) {
        if (shown++ < MOST_ATTEMPTS) {
            add_served(page, (const struct served_connections *)key_index_data(servers, i));
        }
    }
    g_string_append(page->out, key_index_size(servers) > 0 ? "</ul>\n" : "");
    if (shown > MOST_ATTEMPTS) {
        add_html(page, "<p class=\"minor\">%u more: <code>-z perflibv2,sessions</code></p>\n", shown - MOST_ATTEMPTS);
    }
}

static void
add_data(const struct page *page)
{
    static const struct page_limits limits = { 1200000, 64000 };
    struct curves *const *curves = (struct curves *const *)page->model->data;
    unsigned written[NUM_MODEL_TABLES];

    every_table_append_json(page->model, page->filter, &limits, written, page->out);
    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        const unsigned table = MODEL_COUNTERS + api;

        curves_append_json(curves[api], page->model->tables[table]->file_name, written[table], &page->model->first,
            page->out);
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

/* Placeholder "{{name}}" of page.html, replaced by a function's output, a file, or the file's hash ("name-hash"). */
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
        const bool is_it = strlen(placeholders[i].name) == length && strncmp(placeholders[i].name, name, length) == 0;

        if (is_it && is_hash) {
            add_hash(page, placeholders[i].file);
        } else if (is_it && placeholders[i].add != NULL) {
            placeholders[i].add(page);
        } else if (is_it) {
            g_string_append(page->out, (const char *)placeholders[i].file);
        }
    }
}

void
page_write(struct model *model, const char *filter, GString *out)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    const struct page page = { model, filter, scope, findings_table_fill(model->tables[MODEL_FINDINGS], model, scope),
        out };
    const char *at = (const char *)page_html, *begin, *end;

    while ((begin = strstr(at, "{{")) != NULL && (end = strstr(begin, "}}")) != NULL) {
        g_string_append_len(out, at, begin - at);
        fill_in(&page, begin + 2, (size_t)(end - begin - 2));
        at = end + 2;
    }
    g_string_append(out, at);
    wmem_destroy_allocator(scope);
}
