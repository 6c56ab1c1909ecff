/* test_path.c
 * Counter paths: made, numbered, bounded and split
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "check.h"
#include "counters/path.h"

#include "base/text.h"

/* Numbers the names in turn; the names with their numbers have to be these. */
static void
check_equal_names_are_numbered(const char *const *names, const char *const *expected, const e_guid_t *sets)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    struct counter_path_names *used = counter_path_names_new(scope);

    for (size_t i = 0; names[i] != NULL; i++) {
        const unsigned number = counter_path_number(used, NULL, sets == NULL ? NULL : &sets[i], names[i]);
        const char *numbered = counter_path_numbered(NULL, names[i], number);

        CHECK(strcmp(numbered, expected[i]) == 0, "%zu: %s", i, numbered);
        if (numbered != names[i]) {
            wmem_free(NULL, (char *)numbered);
        }
    }
    wmem_destroy_allocator(scope);
}

static void
test_equal_names_are_numbered(void)
{
    static const char *const real_number[] = { "x", "x", "x#1", "x", "x#1", NULL };
    static const char *const real_number_is[] = { "x", "x#1", "x#1#1", "x#2", "x#1#2", NULL };
    static const char *const real_first[] = { "x#1", "x", "x", "x#2", "x", NULL };
    static const char *const real_first_is[] = { "x#1", "x", "x#2", "x#2#1", "x#3", NULL };
    static const char *const nameless[] = { "", "", NULL };
    static const char *const nameless_is[] = { "", "#1", NULL };
    static const char *const cases[] = { "Größe", "GRÖSSE", "größe", "x", "X", "X#1", NULL };
    static const char *const cases_are[] = { "Größe", "GRÖSSE#1", "größe#2", "x", "X#1", "X#1#1", NULL };
    static const char *const same[] = { "x", "x", "x", NULL };
    static const char *const of_sets[] = { "x", "x", "x#1", NULL };
    static const e_guid_t sets[] = { { .data1 = 1 }, { .data1 = 2 }, { .data1 = 1 } };

    check_equal_names_are_numbered(real_number, real_number_is, NULL);
    check_equal_names_are_numbered(real_first, real_first_is, NULL);
    check_equal_names_are_numbered(nameless, nameless_is, NULL);
    check_equal_names_are_numbered(same, of_sets, sets);
    check_equal_names_are_numbered(cases, cases_are, NULL);
}

/* However many names are alike, and however many numbers are taken: each costs the same. A square of these would take hours. */
static void
test_cost_of_numbering_is_linear(void)
{
    enum { MANY = 200000 };
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    struct counter_path_names *used = counter_path_names_new(scope);
    unsigned last = 0;

    for (unsigned i = 1; i <= MANY; i++) {
        char name[16];

        snprintf(name, sizeof name, "x#%u", i);
        CHECK(counter_path_number(used, NULL, NULL, name) == 0, "%s", name);
    }
    for (unsigned i = 0; i < MANY; i++) {
        last = counter_path_number(used, NULL, NULL, "x");
    }
    CHECK(last == 2 * MANY - 1, "%u", last);
    wmem_destroy_allocator(scope);
}

static void
check_path(const char *instance, unsigned number, const char *expected)
{
    char *path = counter_path_make(NULL, "HOST", "Process", instance, number, "% Time");

    CHECK(strcmp(path, expected) == 0, "%s", path);
    wmem_free(NULL, path);
}

static void
test_path_has_the_syntax_of_ms_pla(void)
{
    char *path;

    check_path("a", 0, "\\\\HOST\\Process(a)\\% Time");
    check_path("p/a", 3, "\\\\HOST\\Process(p/a#3)\\% Time");
    check_path("", 0, "\\\\HOST\\Process\\% Time");
    check_path(NULL, 0, "\\\\HOST\\Process\\% Time");
    check_path("", 1, "\\\\HOST\\Process(#1)\\% Time");
    path = counter_path_make(NULL, "H\x1b[2J", "O\n", "i\x07", 0, "C\x7f");
    CHECK(strcmp(path, "\\\\H\\033[2J\\O\\n(i\\a)\\C\\177") == 0, "%s", path);
    wmem_free(NULL, path);
}

/* Names of any length: the path is bounded, and two instances that differ in their number still do. */
static void
test_long_names_are_bounded_and_differ(void)
{
    static char name[100001];
    const char *instance, *child;
    char *one, *two;

    memset(name, 'n', sizeof name - 1);
    instance = counter_path_instance(NULL, NULL, name);
    CHECK(strlen(instance) == NAME_TEXT_MAX && g_str_has_suffix(instance, "n..."), "%s", instance);
    one = counter_path_make(NULL, name, name, instance, 0, name);
    two = counter_path_make(NULL, name, name, instance, 4294967295u, name);
    CHECK(strlen(one) == 4 * NAME_TEXT_MAX + 6, "%zu", strlen(one));
    CHECK(strlen(two) == strlen(one) + 11 && strstr(two, "...#4294967295)") != NULL, "%s", two);
    wmem_free(NULL, one);
    wmem_free(NULL, two);
    /* A name that was numbered before keeps its number. */
    two = wmem_strdup_printf(NULL, "%s#7", instance);
    one = counter_path_make(NULL, "PC", "O", two, 0, "c");
    CHECK(strstr(one, "...#7)\\c") != NULL, "%s", one);
    wmem_free(NULL, one);
    wmem_free(NULL, two);
    child = counter_path_instance(NULL, name, "child");
    CHECK(strlen(child) <= NAME_TEXT_MAX && g_str_has_suffix(child, ".../child"), "%s", child);
    wmem_free(NULL, (char *)child);
    child = counter_path_instance(NULL, "p", "c");
    CHECK(strcmp(child, "p/c") == 0, "%s", child);
    wmem_free(NULL, (char *)child);
    wmem_free(NULL, (char *)instance);
}

static const char *
or_none(const char *part)
{
    return part == NULL ? "-" : part;
}

static void
check_path_is_split_into_its_parts(const char *text, const char *expected)
{
    struct counter_path path;
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    char *parts = NULL;

    if (counter_path_split(scope, text, &path)) {
        parts = g_strjoin("|", or_none(path.computer), or_none(path.object), or_none(path.parent),
            or_none(path.instance), or_none(path.index), or_none(path.counter), NULL);
    }
    CHECK(strcmp(parts == NULL ? "no path" : parts, expected) == 0, "%s: %s", text, parts == NULL ? "no path" : parts);
    g_free(parts);
    wmem_destroy_allocator(scope);
}

static void
test_path_is_split_into_its_parts(void)
{
    check_path_is_split_into_its_parts("\\\\PC\\Process(explorer/0#12)\\% Time", "PC|Process|explorer|0|12|% Time");
    check_path_is_split_into_its_parts("\\Process(a)\\% Time", "-|Process|-|a|-|% Time");
    check_path_is_split_into_its_parts("\\Memory\\Available", "-|Memory|-|-|-|Available");
    check_path_is_split_into_its_parts("\\\\PC\\Memory\\Available", "PC|Memory|-|-|-|Available");
    check_path_is_split_into_its_parts("\\WF (x)(a (1))\\c", "-|WF (x)|-|a (1)|-|c");
    check_path_is_split_into_its_parts("\\O(a\\b)\\c", "-|O|-|a\\b|-|c");
    check_path_is_split_into_its_parts("\\O(#1)\\c", "-|O|-||1|c");
    check_path_is_split_into_its_parts("\\O(a#)\\c", "-|O|-|a#|-|c");
    check_path_is_split_into_its_parts("\\O(a12)\\c", "-|O|-|a12|-|c");
    check_path_is_split_into_its_parts("\\O\\c(a)\\d", "-|O|-|-|-|c(a)\\d");
    check_path_is_split_into_its_parts("\\\\\\O\\c", "no path");
    check_path_is_split_into_its_parts("", "no path");
    check_path_is_split_into_its_parts("O\\c", "no path");
    check_path_is_split_into_its_parts("\\\\PC", "no path");
    check_path_is_split_into_its_parts("\\O\\", "no path");
    check_path_is_split_into_its_parts("\\(a)\\c", "no path");
}

int
main(void)
{
    wmem_init();
    test_equal_names_are_numbered();
    test_cost_of_numbering_is_linear();
    test_path_has_the_syntax_of_ms_pla();
    test_long_names_are_bounded_and_differ();
    test_path_is_split_into_its_parts();
    return check_result();
}
