/* names.c
 * Names of title indexes, from answers to "Counter 009" and "Help 009"
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/names.h"

#include <stdlib.h>

#include "base/text.h"

/*
 * Titles that public sources confirm: Microsoft's descriptions of counters for Windows NT (with Index: lines) and
 * knowledge base, and programs that use indexes or show Windows' answers. Indexes below the system's limit, 1847, have
 * the same meaning on every Windows.
 */
static const value_string built_in_titles[] = {
    { 2, "System" },
    { 4, "Memory" },
    { 6, "% Processor Time" },
    { 10, "File Read Operations/sec" },
    { 12, "File Write Operations/sec" },
    { 14, "File Control Operations/sec" },
    { 16, "File Read Bytes/sec" },
    { 18, "File Write Bytes/sec" },
    { 20, "File Control Bytes/sec" },
    { 24, "Available Bytes" },
    { 26, "Committed Bytes" },
    { 28, "Page Faults/sec" },
    { 30, "Commit Limit" },
    { 36, "Cache Faults/sec" },
    { 44, "Processor Queue Length" },
    { 46, "Thread State" },
    { 56, "Pool Paged Bytes" },
    { 58, "Pool Nonpaged Bytes" },
    { 86, "Cache" },
    { 92, "Async Data Maps/sec" },
    { 110, "Async Copy Reads/sec" },
    { 128, "Async Fast Reads/sec" },
    { 142, "% User Time" },
    { 144, "% Privileged Time" },
    { 146, "Context Switches/sec" },
    { 148, "Interrupts/sec" },
    { 150, "System Calls/sec" },
    { 172, "Virtual Bytes Peak" },
    { 174, "Virtual Bytes" },
    { 178, "Working Set Peak" },
    { 180, "Working Set" },
    { 182, "Page File Bytes Peak" },
    { 184, "Page File Bytes" },
    { 186, "Private Bytes" },
    { 198, "Current Disk Queue Length" },
    { 200, "% Disk Time" },
    { 202, "% Disk Read Time" },
    { 204, "% Disk Write Time" },
    { 206, "Avg. Disk sec/Transfer" },
    { 208, "Avg. Disk sec/Read" },
    { 210, "Avg. Disk sec/Write" },
    { 212, "Disk Transfers/sec" },
    { 214, "Disk Reads/sec" },
    { 216, "Disk Writes/sec" },
    { 218, "Disk Bytes/sec" },
    { 220, "Disk Read Bytes/sec" },
    { 222, "Disk Write Bytes/sec" },
    { 224, "Avg. Disk Bytes/Transfer" },
    { 226, "Avg. Disk Bytes/Read" },
    { 228, "Avg. Disk Bytes/Write" },
    { 230, "Process" },
    { 232, "Thread" },
    { 234, "PhysicalDisk" },
    { 236, "LogicalDisk" },
    { 238, "Processor" },
    { 248, "Processes" },
    { 250, "Threads" },
    { 252, "Events" },
    { 256, "Mutexes" },
    { 258, "Sections" },
    { 260, "Objects" },
    { 262, "Redirector" },
    { 264, "Bytes Received/sec" },
    { 266, "Packets Received/sec" },
    { 276, "Bytes Transmitted/sec" },
    { 318, "Connects Core" },
    { 320, "Connects Lan Manager 2.0" },
    { 322, "Connects Lan Manager 2.1" },
    { 324, "Connects Windows NT" },
    { 336, "Thread Wait Reason" },
    { 388, "Bytes Total/sec" },
    { 400, "Packets/sec" },
    { 406, "File Data Operations/sec" },
    { 408, "% Free Space" },
    { 410, "Free Megabytes" },
    { 438, "Datagrams/sec" },
    { 442, "Datagrams Sent/sec" },
    { 446, "Datagrams Received/sec" },
    { 452, "Packets Sent/sec" },
    { 506, "Bytes Sent/sec" },
    { 510, "Network Interface" },
    { 520, "Current Bandwidth" },
    { 524, "Packets Received Unicast/sec" },
    { 526, "Packets Received Non-Unicast/sec" },
    { 528, "Packets Received Discarded" },
    { 530, "Packets Received Errors" },
    { 532, "Packets Received Unknown" },
    { 536, "Packets Sent Unicast/sec" },
    { 538, "Packets Sent Non-Unicast/sec" },
    { 540, "Packets Outbound Discarded" },
    { 542, "Packets Outbound Errors" },
    { 544, "Output Queue Length" },
    { 546, "IP" },
    { 552, "Datagrams Received Header Errors" },
    { 554, "Datagrams Received Address Errors" },
    { 556, "Datagrams Forwarded/sec" },
    { 558, "Datagrams Received Unknown Protocol" },
    { 560, "Datagrams Received Discarded" },
    { 562, "Datagrams Received Delivered/sec" },
    { 566, "Datagrams Outbound Discarded" },
    { 568, "Datagrams Outbound No Route" },
    { 570, "Fragments Received/sec" },
    { 572, "Fragments Re-assembled/sec" },
    { 574, "Fragment Re-assembly Failures" },
    { 576, "Fragmented Datagrams/sec" },
    { 578, "Fragmentation Failures" },
    { 580, "Fragments Created/sec" },
    { 582, "ICMP" },
    { 638, "TCP" },
    { 658, "UDP" },
    { 674, "System Up Time" },
    { 678, "Free System Page Table Entries" },
    { 680, "Thread Count" },
    { 682, "Priority Base" },
    { 684, "Elapsed Time" },
    { 686, "Alignment Fixups/sec" },
    { 688, "Exception Dispatches/sec" },
    { 690, "Floating Emulations/sec" },
    { 694, "Priority Current" },
    { 696, "% DPC Time" },
    { 698, "% Interrupt Time" },
    { 700, "Paging File" },
    { 702, "% Usage" },
    { 704, "% Usage Peak" },
    { 706, "Start Address" },
    { 770, "Image Space Exec Read Only" },
    { 776, "Bytes Image Reserved" },
    { 778, "Bytes Image Free" },
    { 780, "Bytes Reserved" },
    { 782, "Bytes Free" },
    { 784, "ID Process" },
    { 786, "Process Address Space" },
    { 804, "ID Thread" },
    { 818, "Cache Bytes" },
    { 870, "RAS Port" },
    { 906, "RAS Total" },
    { 952, "Handle Count" },
    { 1334, "DPCs Queued/sec" },
    { 1336, "DPC Rate" },
    { 1338, "DPC Bypasses/sec" },
    { 1340, "APC Bypasses/sec" },
    { 1350, "% Registry Quota In Use" },
    { 1380, "Available KBytes" },
    { 1400, "Avg. Disk Queue Length" },
    { 1402, "Avg. Disk Read Queue Length" },
    { 1404, "Avg. Disk Write Queue Length" },
    { 1406, "% Committed Bytes In Use" },
    { 1410, "Creating Process ID" },
    { 1412, "IO Read Operations/sec" },
    { 1414, "IO Write Operations/sec" },
    { 1416, "IO Data Operations/sec" },
    { 1418, "IO Other Operations/sec" },
    { 1420, "IO Read Bytes/sec" },
    { 1422, "IO Write Bytes/sec" },
    { 1424, "IO Data Bytes/sec" },
    { 1426, "IO Other Bytes/sec" },
    { 1478, "Working Set - Private" },
    { 1482, "% Idle Time" },
    { 1484, "Split IO/Sec" },
    { 1746, "% Idle Time" },
    { 0, NULL },
};
static value_string_ext built_in_titles_ext = VALUE_STRING_EXT_INIT(built_in_titles);

/* Value names that request lists. With a language, a blank and three hexadecimal digits follow. */
static const struct {
    const char *word;
    enum perfdata_asked asked;
    bool with_language;
    bool alone;
} list_words[] = {
    { "Counter", PERFDATA_ASKED_NAMES, true, true },
    { "Counters", PERFDATA_ASKED_NAMES, false, true },
    { "Help", PERFDATA_ASKED_HELP, true, true },
    { "Explain", PERFDATA_ASKED_HELP, true, false },
};

/* Parses a language as in value names and keys: exactly three hexadecimal digits. */
static bool
parse_language(const char *text, unsigned *language)
{
    if (strspn(text, "0123456789abcdefABCDEF") != 3 || text[3 + strspn(text + 3, " ")] != '\0') {
        return false;
    }
    *language = (unsigned)strtoul(text, NULL, 16);
    return true;
}

enum perfdata_asked
perfdata_asked(const char *value_name, unsigned *language)
{
    unsigned carried;

    for (size_t i = 0; i < array_length(list_words); i++) {
        const size_t length = strlen(list_words[i].word);
        const char *rest = value_name + length;

        if (g_ascii_strncasecmp(value_name, list_words[i].word, length) != 0) {
            continue;
        }
        /* Some clients send a blank after a value name. */
        if (rest[strspn(rest, " ")] == '\0' && list_words[i].alone) {
            return list_words[i].asked;
        }
        if (list_words[i].with_language && *rest == ' ' && parse_language(rest + 1, &carried)) {
            if (language != NULL) {
                *language = carried;
            }
            return list_words[i].asked;
        }
    }
    return PERFDATA_ASKED_BLOCK;
}

bool
perfdata_asked_is_unmistakable(const char *value_name)
{
    unsigned language = UINT_MAX;

    perfdata_asked(value_name, &language);
    return language != UINT_MAX;
}

bool
perfdata_asked_is_foreign(const char *value_name)
{
    return g_ascii_strncasecmp(value_name, "Foreign ", 8) == 0;
}

bool
perfdata_asked_next(const char **at, struct perfdata_word *word, wmem_allocator_t *scope)
{
    const char *begin = *at + strspn(*at, " ");
    const size_t length = strcspn(begin, " "), digits = strspn(begin, "0123456789");
    const uint64_t index = length > 0 && digits == length ? g_ascii_strtoull(begin, NULL, 10) : UINT64_MAX;

    *at = begin + length;
    word->text = wmem_strndup(scope, begin, length);
    word->is_index = index <= UINT32_MAX;
    word->index = (uint32_t)index;
    return length > 0;
}

const char *
perfdata_asked_key(const char *value_name, wmem_allocator_t *scope)
{
    wmem_strbuf_t *key = wmem_strbuf_new(scope, NULL);
    struct perfdata_word word;

    while (perfdata_asked_next(&value_name, &word, scope)) {
        char *lower = g_ascii_strdown(word.text, -1);

        wmem_strbuf_append_printf(key, "%s%s", wmem_strbuf_get_len(key) > 0 ? " " : "", lower);
        g_free(lower);
    }
    return wmem_strbuf_finalize(key);
}

/* Returns the rest of a text after a beginning, or NULL if the text begins otherwise. Case is ignored. */
static const char *
behind(const char *text, const char *beginning)
{
    const size_t length = strlen(beginning);

    return g_ascii_strncasecmp(text, beginning, length) == 0 ? text + length : NULL;
}

bool
perfdata_names_key(const char *path, unsigned *language)
{
    const char *rest = behind(path, "SOFTWARE\\");
    const char *wow;

    if (rest == NULL) {
        return false;
    }
    /* This key has the part of the registry that 32-bit programs see. */
    wow = behind(rest, "WOW6432Node\\");
    rest = behind(wow != NULL ? wow : rest, "Microsoft\\Windows NT\\CurrentVersion\\Perflib\\");
    if (rest == NULL) {
        return false;
    }
    if (g_ascii_strcasecmp(rest, "CurrentLanguage") == 0) {
        *language = PERFDATA_LANGUAGE_UI;
        return true;
    }
    return parse_language(rest, language);
}

struct perfdata_names_list
perfdata_names_open(tvbuff_t *tvb)
{
    struct perfdata_names_list list = { NULL, tvb_captured_length(tvb), false, false };

    list.is_cut = list.size < tvb_reported_length(tvb);
    if (list.size >= 2) {
        list.bytes = tvb_get_ptr(tvb, 0, (int)list.size);
        /* Every list begins with a digit: the position of its zero byte shows the byte order. */
        list.big_endian = list.bytes[0] == 0 && list.bytes[1] != 0;
    }
    return list;
}

/* Reads one string; *string_size receives its size. Returns the offset of the next string. */
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

/* Parses decimal digits. Returns false if the text is no number. */
static bool
parse_index(const struct perfdata_names_list *list, unsigned offset, unsigned size, uint32_t *index, const char **wrong)
{
    uint64_t number = 0;

    for (unsigned i = 0; i < size; i += 2) {
        const uint8_t high = list->bytes[offset + i + (list->big_endian ? 0 : 1)];
        const uint8_t low = list->bytes[offset + i + (list->big_endian ? 1 : 0)];

        if (high != 0 || !g_ascii_isdigit(low)) {
            *wrong = "expected a decimal index";
            return false;
        }
        number = number * 10 + (low - '0');
        if (number > UINT32_MAX) {
            *wrong = "the index has more than 32 bits";
            return false;
        }
    }
    *index = (uint32_t)number;
    return true;
}

/*
 * Returns whether a further entry, two strings, follows at offset. Some servers, such as Samba, leave a few bytes after
 * the end of a list.
 */
static bool
has_more(const struct perfdata_names_list *list, unsigned offset)
{
    unsigned first, second;
    const unsigned next = string_end(list, offset, &first);

    string_end(list, next, &second);
    return first > 0 && second > 0 && list->bytes[offset + (list->big_endian ? 0 : 1)] == 0 &&
        g_ascii_isprint(list->bytes[offset + (list->big_endian ? 1 : 0)]);
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
        /* The empty string that ends a MULTI_SZ */
        if (has_more(list, name->text_offset)) {
            *wrong = "expected an index, found an empty string";
        } else {
            *offset = name->text_offset;
        }
        return false;
    }
    if (!parse_index(list, *offset, digits, &name->index, wrong)) {
        return false;
    }
    if (name->text_offset + 2 > list->size) {
        *wrong = "the index has no text";
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
perfdata_names_read(tvbuff_t *tvb, struct server *learn, unsigned language, enum perfdata_asked asked,
    const packet_info *pinfo, bool *is_damaged)
{
    const struct perfdata_names_list list = perfdata_names_open(tvb);
    const enum catalog_text_kind kind = asked == PERFDATA_ASKED_HELP ? CATALOG_DESCRIPTION : CATALOG_NAME;
    unsigned offset = 0, entries = 0;
    struct perfdata_name name;
    const char *wrong;

    while (perfdata_names_next(&list, &offset, &name, &wrong)) {
        entries++;
        /* The text of index 1 in a list of names is the system's highest index, not a name. */
        if (learn != NULL && name.index != 1) {
            catalog_learn_title(learn, name.index, kind, language, perfdata_names_text(&list, &name, pinfo->pool),
                pinfo->num);
        }
    }
    *is_damaged = wrong != NULL && !list.is_cut;
    return entries;
}

struct catalog_text
perfdata_names_title(const struct server *server, uint32_t index, uint32_t frame)
{
    struct catalog_text found = catalog_title(server, index, CATALOG_NAME, frame);

    if (found.text == NULL) {
        found.text = try_val_to_str_ext(index, &built_in_titles_ext);
        found.source = CATALOG_BUILT_IN;
    }
    return found;
}

const char *
perfdata_names_describe(const struct server *server, const char *value_name, uint32_t frame, wmem_allocator_t *scope)
{
    wmem_strbuf_t *text = wmem_strbuf_new(scope, NULL);
    struct perfdata_word word;
    bool after_index = false;

    if (perfdata_asked(value_name, NULL) != PERFDATA_ASKED_BLOCK) {
        return line_text(scope, value_name);
    }
    while (wmem_strbuf_get_len(text) < LINE_TEXT_MAX && perfdata_asked_next(&value_name, &word, scope)) {
        const char *name = word.is_index ? perfdata_names_title(server, word.index, frame).text : NULL;

        if (wmem_strbuf_get_len(text) > 0) {
            wmem_strbuf_append(text, after_index && word.is_index ? ", " : " ");
        }
        wmem_strbuf_append(text, name != NULL ? name : word.text);
        after_index = word.is_index;
    }
    return line_text(scope, wmem_strbuf_get_str(text));
}
