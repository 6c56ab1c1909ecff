/* test_look.c
 * The frame of a report's page: its policy allows the style and the script that stand there, and nothing else
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "check.h"
#include "stats/report/report.h"

/* What stands between two texts, the first time. To be freed with g_free(). */
static char *
between(const char *page, const char *before, const char *behind)
{
    const char *begin = strstr(page, before), *end;

    if (begin == NULL) {
        return g_strdup("nothing");
    }
    begin += strlen(before);
    end = strstr(begin, behind);
    return g_strndup(begin, end == NULL ? 0 : (gsize)(end - begin));
}

/* [CSP] 2.3.1: base64 of the SHA-256 of what stands between the tags. */
static void
check_hash(const char *page, const char *tag)
{
    char *opening = g_strdup_printf("<%s>", tag), *closing = g_strdup_printf("</%s>", tag);
    char *source = g_strdup_printf("%s-src ", tag);
    char *text = between(page, opening, closing),
         *allowed = between(page, source, strcmp(tag, "style") == 0 ? ";" : "\"");
    char *hex = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1), *base64, *expected;
    guchar digest[32];

    for (unsigned i = 0; i < sizeof digest; i++) {
        digest[i] = (guchar)(g_ascii_xdigit_value(hex[2 * i]) << 4 | g_ascii_xdigit_value(hex[2 * i + 1]));
    }
    base64 = g_base64_encode(digest, sizeof digest);
    expected = g_strdup_printf("'sha256-%s'", base64);
    CHECK(strcmp(allowed, expected) == 0 && strlen(text) > 1000, "%s: %s", allowed, expected);
    g_free(opening);
    g_free(closing);
    g_free(source);
    g_free(text);
    g_free(allowed);
    g_free(hex);
    g_free(base64);
    g_free(expected);
}

int
main(void)
{
    GString *page = g_string_new("(before)");

    look_begin(page, "a <title>");
    g_string_append(page, "(body)");
    look_end(page);
    CHECK(
        g_str_has_prefix(page->str, "(before)<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"),
        "its beginning");
    CHECK(strstr(page->str, "content=\"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-") !=
            NULL,
        "its policy");
    CHECK(strstr(page->str, "<title>a &lt;title&gt;</title>\n") != NULL, "its title");
    /* Style and script are all there. */
    CHECK(strstr(page->str, "<style>:root{color-scheme:") != NULL, "its style");
    CHECK(strstr(page->str, "visible}}\n</style>\n</head>\n(body)<script>'use strict';(()=>{") != NULL, "its body");
    CHECK(g_str_has_suffix(page->str, "\n})();\n</script>\n</body>\n</html>\n"), "its end");
    check_hash(page->str, "style");
    check_hash(page->str, "script");
    g_string_free(page, TRUE);
    return check_result();
}
