/* names.c
 * Names of title indexes: what "Counter 009" and "Help 009" answer
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Indexes with the same meaning on every Windows, as far as public documents and dumps confirm them. */
static const value_string built_in_titles[] = {
    {    2, "System" },
    {    4, "Memory" },
    {    6, "% Processor Time" },
    {   10, "File Read Operations/sec" },
    {   12, "File Write Operations/sec" },
    {   14, "File Control Operations/sec" },
    {   16, "File Read Bytes/sec" },
    {  144, "% Privileged Time" },
    {  200, "% Disk Time" },
    {  202, "% Disk Read Time" },
    {  204, "% Disk Write Time" },
    {  230, "Process" },
    {  232, "Thread" },
    {  234, "PhysicalDisk" },
    {  236, "LogicalDisk" },
    {  238, "Processor" },
    {  264, "Bytes Received/sec" },
    {  388, "Bytes Total/sec" },
    {  506, "Bytes Sent/sec" },
    {  510, "Network Interface" },
    {  520, "Current Bandwidth" },
    {  540, "Packets Outbound Discarded" },
    {  542, "Packets Outbound Errors" },
    {  544, "Output Queue Length" },
    {  680, "Thread Count" },
    {  682, "Priority Base" },
    {  784, "ID Process" },
    { 1400, "Avg. Disk Queue Length" },
    { 1402, "Avg. Disk Read Queue Length" },
    { 1404, "Avg. Disk Write Queue Length" },
    { 1410, "Creating Process ID" },
    { 0, NULL }
};
static value_string_ext built_in_titles_ext = VALUE_STRING_EXT_INIT(built_in_titles);

/* One list: of a server, in a language, of names or of help texts. */
struct perfdata_name_list {
    unsigned language;
    bool help;
    wmem_map_t *texts;          /* index -> struct catalog_text */
};

static wmem_map_t *servers;     /* struct catalog_server * -> wmem_list_t of struct perfdata_name_list; file scope */
static unsigned version;

/* Value names that ask for lists. With a language: a blank and three hexadecimal digits follow. */
static const struct {
    const char *word;
    enum perfdata_asked asked;
    bool with_language;
    bool alone;
} list_words[] = {
    { "Counter",  PERFDATA_ASKED_NAMES, true,  true },
    { "Counters", PERFDATA_ASKED_NAMES, false, true },
    { "Help",     PERFDATA_ASKED_HELP,  true,  true },
    { "Explain",  PERFDATA_ASKED_HELP,  true,  false },
};

/* A language as value names and keys write it: three hexadecimal digits and nothing else. */
static bool
parse_language(const char *text, unsigned *language)
{
    if (strlen(text) != 3 || strspn(text, "0123456789abcdefABCDEF") != 3) {
        return false;
    }
    *language = (unsigned)strtoul(text, NULL, 16);
    return true;
}

static enum perfdata_asked
parse_asked(const char *value_name, unsigned *language, bool *has_language)
{
    *has_language = false;
    for (size_t i = 0; i < array_length(list_words); i++) {
        const size_t length = strlen(list_words[i].word);
        const char *rest = value_name + length;

        if (g_ascii_strncasecmp(value_name, list_words[i].word, length) != 0) {
            continue;
        }
        if (*rest == '\0' && list_words[i].alone) {
            return list_words[i].asked;
        }
        if (list_words[i].with_language && *rest == ' ' && parse_language(rest + 1, language)) {
            *has_language = true;
            return list_words[i].asked;
        }
    }
    return PERFDATA_ASKED_BLOCK;
}

enum perfdata_asked
perfdata_asked(const char *value_name, unsigned unnamed_language, unsigned *language)
{
    bool has_language;

    *language = unnamed_language;
    return parse_asked(value_name, language, &has_language);
}

bool
perfdata_asked_is_unmistakable(const char *value_name)
{
    bool has_language;
    unsigned language;

    parse_asked(value_name, &language, &has_language);
    return has_language;
}

bool
perfdata_asked_is_foreign(const char *value_name)
{
    return g_ascii_strncasecmp(value_name, "Foreign ", 8) == 0;
}

bool
perfdata_names_key(const char *path, unsigned *language)
{
    static const char parent[] = "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib\\";

    return g_ascii_strncasecmp(path, parent, strlen(parent)) == 0 && parse_language(path + strlen(parent), language);
}

struct perfdata_names_list
perfdata_names_open(tvbuff_t *tvb)
{
    struct perfdata_names_list list = { NULL, tvb_captured_length(tvb), false, false };

    list.is_cut = list.size < tvb_reported_length(tvb);
    if (list.size > 0) {
        list.bytes = tvb_get_ptr(tvb, 0, (int)list.size);
    }
    /* Every list begins with a digit: its zero half tells the byte order. */
    list.big_endian = list.size >= 2 && list.bytes[0] == 0 && list.bytes[1] != 0;
    return list;
}

/* The characters of one string: *string_size bytes at offset; returns where the next begins. */
static unsigned
string_end(const struct perfdata_names_list *list, unsigned offset, unsigned *string_size)
{
    unsigned at = offset;

    while (at + 2 <= list->size && (list->bytes[at] != 0 || list->bytes[at + 1] != 0)) {
        at += 2;
    }
    *string_size = at - offset;
    return MIN(at + 2, list->size);
}

/* The number that the digits are; false where they are none. */
static bool
parse_index(const struct perfdata_names_list *list, unsigned offset, unsigned size, uint32_t *index, const char **wrong)
{
    uint64_t number = 0;

    for (unsigned i = 0; i < size; i += 2) {
        const uint8_t high = list->bytes[offset + i + (list->big_endian ? 0 : 1)];
        const uint8_t low = list->bytes[offset + i + (list->big_endian ? 1 : 0)];

        if (high != 0 || !g_ascii_isdigit(low)) {
            *wrong = "no decimal index where one belongs";
            return false;
        }
        number = number * 10 + (low - '0');
        if (number > UINT32_MAX) {
            *wrong = "an index of more than 32 bits";
            return false;
        }
    }
    *index = (uint32_t)number;
    return true;
}

bool
perfdata_names_next(const struct perfdata_names_list *list, unsigned *offset, struct perfdata_name *name,
    const char **wrong)
{
    unsigned digits;

    *wrong = NULL;
    if (*offset + 2 > list->size) {
        return false;
    }
    name->offset = *offset;
    name->text_offset = string_end(list, *offset, &digits);
    if (digits == 0) {
        /* The empty string that ends a MULTI_SZ. */
        *offset = name->text_offset;
        return false;
    }
    if (!parse_index(list, *offset, digits, &name->index, wrong)) {
        return false;
    }
    if (name->text_offset + 2 > list->size) {
        *wrong = "an index without its text";
        return false;
    }
    name->end = string_end(list, name->text_offset, &name->text_size);
    *offset = name->end;
    return true;
}

const char *
perfdata_names_text(const struct perfdata_names_list *list, const struct perfdata_name *name, wmem_allocator_t *scope)
{
    return utf16_from_bytes(scope, list->bytes + name->text_offset, name->text_size,
        list->big_endian ? ENC_BIG_ENDIAN : ENC_LITTLE_ENDIAN);
}

unsigned
perfdata_names_read(tvbuff_t *tvb, struct perfdata_name_list *learn, const packet_info *pinfo)
{
    const struct perfdata_names_list list = perfdata_names_open(tvb);
    unsigned offset = 0, entries = 0;
    struct perfdata_name name;
    const char *wrong;

    while (perfdata_names_next(&list, &offset, &name, &wrong)) {
        entries++;
        /* A list of names begins with index 1 and a number: the highest index of the system, no name. */
        if (learn != NULL && name.index != 1) {
            const char *text = perfdata_names_text(&list, &name, pinfo->pool);

            perfdata_names_learn(learn, name.index, line_text(pinfo->pool, text), pinfo->num);
        }
    }
    return entries;
}

void
perfdata_names_init(void)
{
    servers = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
}

struct perfdata_name_list *
perfdata_names_list(const struct catalog_server *server, unsigned language, bool help)
{
    wmem_list_t *lists = (wmem_list_t *)wmem_map_lookup(servers, server);
    struct perfdata_name_list *list;

    if (lists == NULL) {
        lists = wmem_list_new(wmem_file_scope());
        wmem_map_insert(servers, server, lists);
    }
    for (wmem_list_frame_t *at = wmem_list_head(lists); at != NULL; at = wmem_list_frame_next(at)) {
        list = (struct perfdata_name_list *)wmem_list_frame_data(at);
        if (list->language == language && list->help == help) {
            return list;
        }
    }
    list = wmem_new0(wmem_file_scope(), struct perfdata_name_list);
    list->language = language;
    list->help = help;
    list->texts = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    wmem_list_append(lists, list);
    return list;
}

void
perfdata_names_learn(struct perfdata_name_list *list, uint32_t index, const char *text, uint32_t frame)
{
    struct catalog_text *known = (struct catalog_text *)wmem_map_lookup(list->texts, GUINT_TO_POINTER(index));

    if (known != NULL && strcmp(known->text, text) == 0) {
        return;
    }
    if (known == NULL) {
        known = wmem_new(wmem_file_scope(), struct catalog_text);
        wmem_map_insert(list->texts, GUINT_TO_POINTER(index), known);
    }
    known->text = wmem_strdup(wmem_file_scope(), text);
    known->frame = frame;
    version++;
}

static struct catalog_text
look_up(const struct catalog_server *server, uint32_t index, bool help)
{
    wmem_list_t *lists = server != NULL ? (wmem_list_t *)wmem_map_lookup(servers, server) : NULL;
    struct catalog_text found = { NULL, 0 };

    if (lists != NULL) {
        for (wmem_list_frame_t *at = wmem_list_head(lists); at != NULL; at = wmem_list_frame_next(at)) {
            const struct perfdata_name_list *list = (const struct perfdata_name_list *)wmem_list_frame_data(at);
            const struct catalog_text *text;

            if (list->help != help || (found.text != NULL && list->language != PERFDATA_LANGUAGE_ENGLISH)) {
                continue;
            }
            text = (const struct catalog_text *)wmem_map_lookup(list->texts, GUINT_TO_POINTER(index));
            if (text != NULL) {
                found = *text;
            }
        }
    }
    return found;
}

struct catalog_text
perfdata_names_title(const struct catalog_server *server, uint32_t index)
{
    struct catalog_text found = look_up(server, index, false);

    if (found.text == NULL) {
        found.text = try_val_to_str_ext(index, &built_in_titles_ext);
    }
    return found;
}

struct catalog_text
perfdata_names_help(const struct catalog_server *server, uint32_t index)
{
    return look_up(server, index, true);
}

unsigned
perfdata_names_version(void)
{
    return version;
}
