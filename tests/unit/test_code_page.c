/* test_code_page.c
 * Texts in Windows code pages, against Unicode's tables of them; and what no page has a character for
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/polls.h"

#include <string.h>
#ifndef _WIN32
#include <iconv.h>
#endif

#include "check.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

#ifdef _WIN32
#define BALTIC "\xc4\x84"
#else
/* In place of glib's: a system that lacks one page. */
#define BALTIC REPLACEMENT
static unsigned times_lacked;

GIConv
g_iconv_open(const char *to, const char *from)
{
    const bool is_lacking = strcmp(from, "CP1257") == 0;

    times_lacked += is_lacking;
    return is_lacking ? (GIConv)-1 : (GIConv)iconv_open(to, from);
}
#endif

static const char *
text_of(const char *bytes, unsigned size, uint32_t code_page)
{
    /* It stands between others. */
    uint8_t *all = (uint8_t *)wmem_alloc(wmem_epan_scope(), size + 4);
    tvbuff_t *tvb;
    const char *text;

    memcpy(all, "\xe4(", 2);
    memcpy(all + 2, bytes, size);
    memcpy(all + 2 + size, ")\xe4", 2);
    tvb = tvb_new_real_data(all, size + 4, (int)size + 4);
    text = code_page_text(wmem_epan_scope(), tvb, 2, size, code_page);
    tvb_free(tvb);
    return text;
}

int
main(void)
{
    /* Each page's own letter beyond ASCII, from unicode.org's Public/MAPPINGS. */
    static const struct {
        uint32_t code_page;
        const char *bytes, *text;
    } cases[] = {
        { 437, "a\x84", "a\xc3\xa4" },
        { 850, "a\x9b", "a\xc3\xb8" },
        { 852, "a\xd1", "a\xc4\x90" },
        { 855, "a\x80", "a\xd1\x92" },
        { 866, "a\x80", "a\xd0\x90" },
        { 874, "a\xa1", "a\xe0\xb8\x81" },
        { 932, "a\x82\xa0", "a\xe3\x81\x82" },
        { 936, "a\xb0\xa1", "a\xe5\x95\x8a" },
        { 949, "a\xb0\xa1", "a\xea\xb0\x80" },
        { 950, "a\xa4\x40", "a\xe4\xb8\x80" },
        { 1250, "a\x8a", "a\xc5\xa0" },
        { 1251, "a\xc0", "a\xd0\x90" },
        { 1252, "a\x80", "a\xe2\x82\xac" },
        { 1253, "a\xc1", "a\xce\x91" },
        { 1254, "a\xd0", "a\xc4\x9e" },
        { 1255, "a\xe0", "a\xd7\x90" },
        { 1256, "a\xc7", "a\xd8\xa7" },
        { 1257, "a\xc0", "a" BALTIC },
        { 1258, "a\xd0", "a\xc4\x90" },
        { 28591, "a\xe4", "a\xc3\xa4" },
        { 54936, "a\x81\x30\x81\x30", "a\xc2\x80" },
        { 65001, "a\xc3\xa4", "a\xc3\xa4" },
        /* nobody knows these pages */
        { 0, "a\xe4z", "a" REPLACEMENT "z" },
        { 851, "a\xe4z", "a" REPLACEMENT "z" },
        { 65002, "a\xe4z", "a" REPLACEMENT "z" },
        /* bytes without a character, and one that needs another behind it, which is missing */
        { 1253, "a\xffz", "a" REPLACEMENT "z" },
        { 1253,
            "\xff\xff"
            "bc",
            REPLACEMENT REPLACEMENT "bc" },
        { 932, "abc\x82", "abc" REPLACEMENT },
        { 932, "\x82", REPLACEMENT },
        { 932, "\x82\xa0\x82\xa2", "\xe3\x81\x82\xe3\x81\x84" },
        /* an accent follows its letter; a letter that could have one is the last */
        { 1258, "e\xec", "e\xcc\x81" },
        { 1258, "xe", "xe" },
        { 850, "", "" },
    };
    char longest[1200], shown[2 * sizeof longest + 1];
    unsigned at = 0;

    wmem_init_scopes();
    for (unsigned round = 0; round < 2; round++) {
        for (size_t i = 0; i < array_length(cases); i++) {
            const char *text = text_of(cases[i].bytes, (unsigned)strlen(cases[i].bytes), cases[i].code_page);

            /* libc composes letter and accent where Unicode has one for both. */
            if (cases[i].code_page == 1258 && strcmp(text, "\xc3\xa9") == 0) {
                continue;
            }
#ifdef _WIN32
            /* Wine has no page for the long ones of GB18030. */
            if (cases[i].code_page == 54936 && strcmp(text, "a" REPLACEMENT REPLACEMENT) == 0) {
                continue;
            }
#endif
            CHECK(strcmp(text, cases[i].text) == 0, "code page %u: %s", cases[i].code_page, text);
        }
    }
#ifndef _WIN32
    CHECK(times_lacked == 1, "what is lacking is not looked for again: %u", times_lacked);
#endif
    /* More than is converted at a time. */
    for (unsigned i = 0; i < sizeof longest; i++) {
        longest[i] = i % 7 == 0 ? 'x' : '\x9b';
        memcpy(shown + at, i % 7 == 0 ? "x" : "\xc3\xb8", i % 7 == 0 ? 1 : 2);
        at += i % 7 == 0 ? 1 : 2;
    }
    shown[at] = '\0';
    for (unsigned size = 120; size <= sizeof longest; size += 9) {
        const char *text = text_of(longest, size, 850);

        at = size + size - (size + 6) / 7;
        CHECK(strlen(text) == at && strncmp(text, shown, at) == 0, "%u bytes: %zu", size, strlen(text));
    }
    return check_result();
}
