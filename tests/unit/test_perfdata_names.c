/* test_perfdata_names.c
 * What value names of the older API ask for, lists of titles, and which title an index has
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "check.h"
#include "counters/catalog.h"
#include "machines.h"
#include "perfdata/names.h"

static void
check_value_name_says_what_is_asked(const char *value_name, enum perfdata_asked asked, unsigned language,
    bool is_unmistakable)
{
    unsigned found = 0x407;

    CHECK(perfdata_asked(value_name, &found) == asked && perfdata_asked(value_name, NULL) == asked, "%s", value_name);
    CHECK(found == language, "%s: language 0x%x", value_name, found);
    CHECK(perfdata_asked_is_unmistakable(value_name) == is_unmistakable, "%s", value_name);
}

static void
test_value_name_says_what_is_asked(void)
{
    check_value_name_says_what_is_asked("Counter 009", PERFDATA_ASKED_NAMES, 9, true);
    check_value_name_says_what_is_asked("counter 00C", PERFDATA_ASKED_NAMES, 0xC, true);
    check_value_name_says_what_is_asked("Counter 009 ", PERFDATA_ASKED_NAMES, 9, true);
    check_value_name_says_what_is_asked("Counter", PERFDATA_ASKED_NAMES, 0x407, false);
    check_value_name_says_what_is_asked("Counter ", PERFDATA_ASKED_NAMES, 0x407, false);
    check_value_name_says_what_is_asked("Counters", PERFDATA_ASKED_NAMES, 0x407, false);
    check_value_name_says_what_is_asked("Help 009", PERFDATA_ASKED_HELP, 9, true);
    check_value_name_says_what_is_asked("HELP", PERFDATA_ASKED_HELP, 0x407, false);
    check_value_name_says_what_is_asked("Explain 009", PERFDATA_ASKED_HELP, 9, true);
    check_value_name_says_what_is_asked("Explain", PERFDATA_ASKED_BLOCK, 0x407, false);
    check_value_name_says_what_is_asked("Counters 009", PERFDATA_ASKED_BLOCK, 0x407, false);
    check_value_name_says_what_is_asked("Counter 09", PERFDATA_ASKED_BLOCK, 0x407, false);
    check_value_name_says_what_is_asked("Counter 0009", PERFDATA_ASKED_BLOCK, 0x407, false);
    check_value_name_says_what_is_asked("Counter 00G", PERFDATA_ASKED_BLOCK, 0x407, false);
    check_value_name_says_what_is_asked("Counter 009 2", PERFDATA_ASKED_BLOCK, 0x407, false);
    check_value_name_says_what_is_asked("Counter009", PERFDATA_ASKED_BLOCK, 0x407, false);
    check_value_name_says_what_is_asked("Counters009", PERFDATA_ASKED_BLOCK, 0x407, false);
    check_value_name_says_what_is_asked("Global", PERFDATA_ASKED_BLOCK, 0x407, false);
    check_value_name_says_what_is_asked("", PERFDATA_ASKED_BLOCK, 0x407, false);
    CHECK(perfdata_asked_is_foreign("FOREIGN pc 2"), "foreign");
    CHECK(!perfdata_asked_is_foreign("Foreigner 2"), "foreign");
}

/* The words of a value name, each with '#' before an index. */
static void
check_words_of_a_value_name_are_read(const char *value_name, const char *expected, const char *key)
{
    GString *words = g_string_new(NULL);
    const char *at = value_name;
    struct perfdata_word word;

    while (perfdata_asked_next(&at, &word, scope)) {
        if (word.is_index) {
            g_string_append_printf(words, "#%u,", word.index);
        } else {
            g_string_append_printf(words, "%s,", word.text);
        }
    }
    CHECK(strcmp(words->str, expected) == 0, "%s: %s", value_name, words->str);
    CHECK(strcmp(perfdata_asked_key(value_name, scope), key) == 0, "%s: %s", value_name,
        perfdata_asked_key(value_name, scope));
    g_string_free(words, TRUE);
}

static void
test_words_of_a_value_name_are_read(void)
{
    check_words_of_a_value_name_are_read("Global", "Global,", "global");
    check_words_of_a_value_name_are_read("global ", "global,", "global");
    check_words_of_a_value_name_are_read("  2   6 238", "#2,#6,#238,", "2 6 238");
    check_words_of_a_value_name_are_read("4294967295 4294967296 99999999999999999999",
        "#4294967295,4294967296,99999999999999999999,", "4294967295 4294967296 99999999999999999999");
    check_words_of_a_value_name_are_read("2a -2", "2a,-2,", "2a -2");
    check_words_of_a_value_name_are_read(" ", "", "");
}

static void
check_key(const char *path, bool is_key, unsigned language)
{
    unsigned found = 0;

    CHECK(perfdata_names_key(path, &found) == is_key && found == language, "%s: language 0x%x", path, found);
}

static void
test_keys_of_names_are_recognised(void)
{
    check_key("SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib\\009", true, 9);
    check_key("software\\microsoft\\windows nt\\currentversion\\perflib\\407", true, 0x407);
    check_key("SOFTWARE\\WOW6432Node\\Microsoft\\Windows NT\\CurrentVersion\\Perflib\\009", true, 9);
    check_key("SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib\\CurrentLanguage", true, PERFDATA_LANGUAGE_UI);
    check_key("SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib", false, 0);
    check_key("SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib\\", false, 0);
    check_key("SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib\\0009", false, 0);
    check_key("SYSTEM\\Microsoft\\Windows NT\\CurrentVersion\\Perflib\\009", false, 0);
}

/* A list as it is sent; a '|' ends each string, half is a byte that may follow. */
static tvbuff_t *
list_of(const char *strings, bool big_endian, unsigned half)
{
    const unsigned length = (unsigned)strlen(strings);
    uint8_t *bytes = (uint8_t *)wmem_alloc0(scope, 2 * length + 1);

    for (unsigned i = 0; i < length; i++) {
        bytes[2 * i + big_endian] = strings[i] == '|' ? 0 : (uint8_t)strings[i];
    }
    return tvb_new_real_data(bytes, 2 * length + half, (int)(2 * length + half));
}

static void
check_list(const char *strings, const char *expected, const char *complaint)
{
    for (unsigned order = 0; order < 2; order++) {
        tvbuff_t *tvb = list_of(strings, order == 1, 0);
        const struct perfdata_names_list list = perfdata_names_open(tvb);
        GString *read = g_string_new(NULL);
        unsigned offset = 0;
        struct perfdata_name name;
        const char *wrong;

        while (perfdata_names_next(&list, &offset, &name, &wrong)) {
            g_string_append_printf(read, "%u %s,", name.index, perfdata_names_text(&list, &name, scope));
        }
        CHECK(strcmp(read->str, expected) == 0, "%s: %s", strings, read->str);
        CHECK(offset <= list.size, "%s: %u bytes of %u", strings, offset, list.size);
        CHECK(complaint == NULL ? wrong == NULL : wrong != NULL && strcmp(wrong, complaint) == 0, "%s: %s", strings,
            wrong == NULL ? "well" : wrong);
        g_string_free(read, TRUE);
        tvb_free(tvb);
    }
}

/* U+0132 is no digit, though its low byte is that of '2'. */
static void
check_high_digit(void)
{
    static const uint8_t bytes[] = { 0x32, 0x01, 0, 0, 'S', 0, 0, 0 };
    tvbuff_t *tvb = tvb_new_real_data(bytes, sizeof bytes, (int)sizeof bytes);
    const struct perfdata_names_list list = perfdata_names_open(tvb);
    struct perfdata_name name;
    unsigned offset = 0;
    const char *wrong;

    CHECK(!perfdata_names_next(&list, &offset, &name, &wrong), "no digit");
    CHECK(wrong != NULL, "no digit");
    tvb_free(tvb);
}

/* A digit of two bytes tells the byte order, and is a whole list; one byte tells nothing. */
static void
check_shortest_list_is_one_digit(void)
{
    static const uint8_t bytes[] = { 0, '2' };

    for (int size = 1; size <= 2; size++) {
        tvbuff_t *tvb = tvb_new_real_data(bytes, (unsigned)size, size);
        const struct perfdata_names_list list = perfdata_names_open(tvb);
        struct perfdata_name name;
        unsigned offset = 0;
        const char *wrong;

        CHECK(list.big_endian == (size == 2), "%d bytes", size);
        CHECK(!perfdata_names_next(&list, &offset, &name, &wrong) && (wrong != NULL) == (size == 2), "%d bytes", size);
        tvb_free(tvb);
    }
}

static void
test_list_has_pairs_of_index_and_text(void)
{
    check_list("1|1847|2|System|4|Memory||", "1 1847,2 System,4 Memory,", NULL);
    check_list("2|System|4|Memory", "2 System,4 Memory,", NULL);
    check_list("2|System|4||6|% Processor||", "2 System,4 ,6 % Processor,", NULL);
    check_list("2|System|4|", "2 System,", "the index has no text");
    check_list("2|System|x|Memory|", "2 System,", "expected a decimal index");
    check_list("4294967295|Last|4294967296|Beyond|", "4294967295 Last,", "the index has more than 32 bits");
    check_list("2||", "2 ,", NULL);
    check_list("2|System||4|Memory||", "2 System,", "expected an index, found an empty string");
    check_high_digit();
    check_shortest_list_is_one_digit();
}

/* What a list taught of an index: its name or help text, or "-". */
static const char *
taught(const struct server *server, uint32_t index, enum catalog_text_kind kind)
{
    const char *text = catalog_title(server, index, kind, 7).text;

    return text == NULL ? "-" : text;
}

/* The first number is how many there are, no name. What was learned wins over what is built in. */
static void
test_learned_title_wins_over_the_built_in_one(void)
{
    struct server *one;
    packet_info pinfo = { .pool = scope, .num = 7 };
    tvbuff_t *tvb;
    bool is_damaged;

    file_begin();
    tvb = list_of("1|1847|2|Das System|5000|Eigenes||", false, 0);
    one = machine("HOST");
    CHECK_EQUAL(perfdata_names_read(tvb, NULL, 0x407, PERFDATA_ASKED_NAMES, &pinfo, &is_damaged), 3,
        "three entries, which teach nobody");
    CHECK(strcmp(taught(one, 5000, CATALOG_NAME), "-") == 0, "%s", taught(one, 5000, CATALOG_NAME));
    CHECK_EQUAL(perfdata_names_read(tvb, one, 0x407, PERFDATA_ASKED_NAMES, &pinfo, &is_damaged), 3, "three entries");
    CHECK(strcmp(taught(one, 1, CATALOG_NAME), "-") == 0 && strcmp(taught(one, 2, CATALOG_NAME), "Das System") == 0 &&
            strcmp(taught(one, 5000, CATALOG_NAME), "Eigenes") == 0,
        "1 is %s, 2 %s, 5000 %s", taught(one, 1, CATALOG_NAME), taught(one, 2, CATALOG_NAME),
        taught(one, 5000, CATALOG_NAME));
    CHECK_STRING(taught(one, 2, CATALOG_DESCRIPTION), "-", "names are no help texts");
    CHECK(!is_damaged, "it is whole");
    perfdata_names_read(tvb, one, 0x407, PERFDATA_ASKED_HELP, &pinfo, &is_damaged);
    CHECK(strcmp(taught(one, 5000, CATALOG_DESCRIPTION), "Eigenes") == 0, "%s", taught(one, 5000, CATALOG_DESCRIPTION));
    CHECK(perfdata_names_title(NULL, 5000, 7).text == NULL, "built in");
    CHECK_STRING(perfdata_names_title(NULL, 2, 7).text, "System", "built in");
    CHECK_EQUAL(perfdata_names_title(NULL, 2, 7).frame, 0, "built in");
    CHECK_STRING(perfdata_names_title(one, 5000, 7).text, "Eigenes", "learned");
    CHECK_STRING(perfdata_names_title(one, 2, 7).text, "Das System", "learned");
    CHECK_EQUAL(perfdata_names_title(one, 2, 7).frame, 7, "learned");
    CHECK(strcmp(perfdata_names_describe(one, "2 5000 x 6 9999 Costly", 7, scope),
              "Das System, Eigenes x % Processor Time, 9999 Costly") == 0,
        "%s", perfdata_names_describe(one, "2 5000 x 6 9999 Costly", 7, scope));
    CHECK_STRING(perfdata_names_describe(one, "Counter 009", 7, scope), "Counter 009",
        "a list, of which the number is a language's");
    CHECK_STRING(perfdata_names_describe(one, "Counter 238", 7, scope), "Counter 238",
        "a list, of which the number is a language's");
    tvb_free(tvb);
}

int
main(void)
{
    wmem_init_scopes();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    test_value_name_says_what_is_asked();
    test_words_of_a_value_name_are_read();
    test_keys_of_names_are_recognised();
    test_list_has_pairs_of_index_and_text();
    test_learned_title_wins_over_the_built_in_one();
    wmem_destroy_allocator(scope);
    return check_result();
}
