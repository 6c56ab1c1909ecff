/* test_html.c
 * Text on a page of HTML: it is read, and does nothing else
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/report/html.h"

#include <string.h>

#include "check.h"

static void
check_text(const char *text, const char *expected)
{
    GString *page = g_string_new("<p>");

    html_printf(page, "%s", text);
    CHECK(strcmp(page->str + 3, expected) == 0, "%s: %s", text, page->str);
    g_string_free(page, TRUE);
}

int
main(void)
{
    GString *page = g_string_new(NULL);

    check_text("", "");
    check_text("Größe \xE6\x97\xA5", "Größe \xE6\x97\xA5");
    check_text("</script>", "&lt;/script&gt;");
    check_text("\"'&amp;", "&quot;&#39;&amp;amp;");
    check_text("a\tb\r\nc\x1b\x7f", "a\\u0009b\\u000d\\u000ac\\u001b\\u007f");
    /* C1, a soft hyphen, marks and overrides of direction, isolates, other ends of lines, what nobody sees. */
    check_text("\xC2\x85\xC2\xAD", "\\u0085\\u00ad");
    check_text("\xE2\x80\x8F\xE2\x80\xAE\xE2\x81\xA6", "\\u200f\\u202e\\u2066");
    check_text("\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\x8B\xEF\xBB\xBF", "\\u2028\\u2029\\u200b\\ufeff");
    check_text("\xF3\xA0\x80\x81", "\\U000e0001");
    /* For private use, of no meaning yet, and the last and the first of each length. */
    check_text("\xEE\x80\x80\xCD\xB8\xF4\x8F\xBF\xBD", "\\ue000\\u0378\\U0010fffd");
    check_text("\xEF\xBF\xBF\xF0\x9F\xBF\xBF", "\\uffff\\U0001ffff");
    check_text("\xF0\x9F\x98\x80!", "\xF0\x9F\x98\x80!");
    /* No UTF-8: a byte alone, a long form, a surrogate, the beginning of a character. */
    check_text("\xFFz", "\\xffz");
    check_text("\xC0\xBCz", "\\xc0\\xbcz");
    check_text("\xED\xA0\x80", "\\xed\\xa0\\x80");
    check_text("z\xE2\x80", "z\\xe2\\x80");

    html_printf(page, "<b title=\"%s\">%u %%</b>%s</p>\n", "<\">", 7u, "");
    CHECK(strcmp(page->str, "<b title=\"&lt;&quot;&gt;\">7 %</b></p>\n") == 0, "%s", page->str);
    g_string_free(page, TRUE);
    return check_result();
}
