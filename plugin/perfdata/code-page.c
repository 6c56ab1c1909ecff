/* code-page.c
 * Text in a Windows code page
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/polls.h"

#include <errno.h>

#define REPLACEMENT_CHARACTER 0xFFFD

/* Code pages: Wireshark's encoding, or iconv's name. The last entry is for unknown pages. */
static const struct {
    uint32_t code_page;
    unsigned encoding;
    const char *iconv_name; /* NULL: Wireshark's encoding is used */
} code_pages[] = {
    { 437, ENC_CP437, NULL },
    { 850, ENC_ASCII, "CP850" },
    { 852, ENC_ASCII, "CP852" },
    { 855, ENC_CP855, NULL },
    { 866, ENC_CP866, NULL },
    { 874, ENC_ASCII, "CP874" },
    { 932, ENC_ASCII, "CP932" },
    { 936, ENC_ASCII, "CP936" },
    { 949, ENC_ASCII, "CP949" },
    { 950, ENC_ASCII, "CP950" },
    { 1250, ENC_WINDOWS_1250, NULL },
    { 1251, ENC_WINDOWS_1251, NULL },
    { 1252, ENC_WINDOWS_1252, NULL },
    { 1253, ENC_ASCII, "CP1253" },
    { 1254, ENC_ASCII, "CP1254" },
    { 1255, ENC_ASCII, "CP1255" },
    { 1256, ENC_ASCII, "CP1256" },
    { 1257, ENC_ASCII, "CP1257" },
    { 1258, ENC_ASCII, "CP1258" },
    { 28591, ENC_ISO_8859_1, NULL },
    { 54936, ENC_GB18030, NULL },
    { 65001, ENC_UTF_8, NULL },
    { 0, ENC_ASCII, NULL },
};

/* iconv converters by code_pages[], opened on first use and never closed. (GIConv)-1: not available */
static GIConv converters[array_length(code_pages)];

/* Converts text; a byte that cannot be converted is replaced. */
static const char *
convert(GIConv converter, wmem_allocator_t *scope, const uint8_t *bytes, unsigned size)
{
    wmem_strbuf_t *text = wmem_strbuf_new(scope, NULL);
    /* Cast via void: iconv's parameter is not const, but the text is not changed. */
    char *from = (char *)(const void *)bytes;
    gsize left = size;
    bool is_flushed = false;

    while (!is_flushed) {
        char converted[256], *to = converted;
        gsize room = sizeof converted;
        /* iconv may hold back the last letter, since an accent could follow. */
        const bool flush = left == 0;
        const bool failed = g_iconv(converter, flush ? NULL : &from, &left, &to, &room) == (gsize)-1;
        const int reason = errno;

        wmem_strbuf_append_len(text, converted, (gsize)(to - converted));
        if (failed && reason != E2BIG) {
            wmem_strbuf_append_unichar(text, REPLACEMENT_CHARACTER);
            /* EINVAL: the text ends within a character. */
            from++;
            left = reason == EINVAL ? 0 : left - 1;
        }
        is_flushed = flush;
    }
    return wmem_strbuf_finalize(text);
}

const char *
code_page_text(wmem_allocator_t *scope, tvbuff_t *tvb, unsigned offset, unsigned size, uint32_t code_page)
{
    size_t i = 0;

    while (code_pages[i].code_page != code_page && code_pages[i].code_page != 0) {
        i++;
    }
    if (code_pages[i].iconv_name != NULL) {
        if (converters[i] == NULL) {
            converters[i] = g_iconv_open("UTF-8", code_pages[i].iconv_name);
        }
        if (converters[i] != (GIConv)-1) {
            return convert(converters[i], scope, tvb_get_ptr(tvb, (int)offset, (int)size), size);
        }
    }
    return (const char *)tvb_get_string_enc(scope, tvb, (int)offset, (int)size, code_pages[i].encoding);
}
