/* test_path.c
 * Counter paths: made, numbered, bounded and split
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "check.h"
#include "counters/path.h"

#include "base/text.h"

static wmem_allocator_t *scope;

/* Numbers the names in turn; the names with their numbers have to be these. */
static void
check_equal_names_are_numbered(const char *const *names, const char *const *expected, const e_guid_t *sets)
{
    struct counter_path_names *used = counter_path_names_new(scope);

    for (size_t i = 0; names[i] != NULL; i++) {
        const unsigned number = counter_path_number(used, NULL, sets == NULL ? NULL : &sets[i], names[i]);
        const char *numbered = counter_path_numbered(NULL, names[i], number);

        CHECK(strcmp(numbered, expected[i]) == 0, "%zu: %s", i, numbered);
        if (numbered != names[i]) {
            wmem_free(NULL, (char *)numbered);
        }
    }
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
    char *parts = NULL;

    if (counter_path_split(scope, text, &path)) {
        parts = g_strjoin("|", or_none(path.computer), or_none(path.object), or_none(path.parent),
            or_none(path.instance), or_none(path.index), or_none(path.counter), NULL);
    }
    CHECK(strcmp(parts == NULL ? "no path" : parts, expected) == 0, "%s: %s", text, parts == NULL ? "no path" : parts);
    g_free(parts);
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

static void
test_odd_paths_are_split_or_refused(void)
{
    check_path_is_split_into_its_parts("\\", "no path");
    check_path_is_split_into_its_parts("\\\\", "no path");
    check_path_is_split_into_its_parts("\\\\PC\\", "no path");
    check_path_is_split_into_its_parts("\\\\PC\\O", "no path");
    check_path_is_split_into_its_parts("\\\\PC\\O\\", "no path");
    check_path_is_split_into_its_parts("\\\\PC\\\\c", "no path");
    check_path_is_split_into_its_parts("\\\\PC\\(a)\\c", "no path");
    check_path_is_split_into_its_parts("\\O", "no path");
    check_path_is_split_into_its_parts("XO\\c", "no path");
    check_path_is_split_into_its_parts("\\\\\\O\\c\\d", "no path");
    check_path_is_split_into_its_parts("X\\PC\\O\\c", "no path");
    check_path_is_split_into_its_parts("\\O(a)", "no path");
    check_path_is_split_into_its_parts("\\O(a)\\", "no path");
    check_path_is_split_into_its_parts("\\O\\c", "-|O|-|-|-|c");
    check_path_is_split_into_its_parts("\\\\P\\O\\c", "P|O|-|-|-|c");
    check_path_is_split_into_its_parts("\\O()\\c", "-|O|-||-|c");
    check_path_is_split_into_its_parts("\\O(/)\\c", "-|O|||-|c");
    check_path_is_split_into_its_parts("\\O(p/)\\c", "-|O|p||-|c");
    check_path_is_split_into_its_parts("\\O(/i)\\c", "-|O||i|-|c");
    check_path_is_split_into_its_parts("\\O(p/i/j#2)\\c", "-|O|p|i/j|2|c");
    check_path_is_split_into_its_parts("\\O(p/#2)\\c", "-|O|p||2|c");
    check_path_is_split_into_its_parts("\\O(12)\\c", "-|O|-|12|-|c");
    check_path_is_split_into_its_parts("\\O(i#1#23)\\c", "-|O|-|i#1|23|c");
    check_path_is_split_into_its_parts("\\O(i#1x)\\c", "-|O|-|i#1x|-|c");
    check_path_is_split_into_its_parts("\\O(#)\\c", "-|O|-|#|-|c");
    /* The last ")\" ends the instance, and its own '(' begins it; without one, the first does. */
    check_path_is_split_into_its_parts("\\O(a)\\b)\\c", "-|O|-|a)\\b|-|c");
    check_path_is_split_into_its_parts("\\O(a)b)\\c", "-|O|-|a)b|-|c");
    check_path_is_split_into_its_parts("\\O (x) (y) z(i)\\c", "-|O (x) (y) z|-|i|-|c");
    check_path_is_split_into_its_parts("\\O(((i)))\\c", "-|O|-|((i))|-|c");
    check_path_is_split_into_its_parts("\\O((i)\\c", "-|O(|-|i|-|c");
    check_path_is_split_into_its_parts("\\O(i))\\c", "-|O|-|i)|-|c");
    check_path_is_split_into_its_parts("\\O(i)\\c (d)", "-|O|-|i|-|c (d)");
    check_path_is_split_into_its_parts("\\O(i)c\\d", "-|O(i)c|-|-|-|d");
    check_path_is_split_into_its_parts("\\O)\\c", "-|O)|-|-|-|c");
}

/* Whatever its parts are, a path that is made of them is split into them. */
static void
test_path_is_split_into_what_it_was_made_of(void)
{
    static const char *const computers[] = { "P", "PC.example.org", "2001:db8::1" };
    static const char *const objects[] = { "O", "Process", "WF (System.Workflow) 4.0.0.0", "O/P#1" };
    static const char *const parents[] = { NULL, "p", "parent (1)" };
    static const char *const names[] = { NULL, "i", "i (1)", "a 1", "_Total", "C:" };
    static const char *const counters[] = { "c", "% Time", "Bytes (in)/sec", "a\\b" };
    static const unsigned numbers[] = { 0, 1, 9, 10, 4294967295u };

    for (unsigned i = 0; i < 3 * 4 * 3 * 6 * 4 * 5; i++) {
        const char *computer = computers[i % 3], *object = objects[i / 3 % 4], *parent = parents[i / 12 % 3];
        const char *name = names[i / 36 % 6], *counter = counters[i / 216 % 4];
        const unsigned number = name == NULL ? 0 : numbers[i / 864];
        const char *instance = name == NULL ? NULL : counter_path_instance(scope, parent, name);
        const char *made = counter_path_make(scope, computer, object, instance, number, counter);
        const char *index = number == 0 ? NULL : wmem_strdup_printf(scope, "%u", number);
        char *expected = g_strjoin("|", computer, object, or_none(name == NULL ? NULL : parent), or_none(name),
            or_none(index), counter, NULL);

        check_path_is_split_into_its_parts(made, expected);
        /* The number may be in the name already. */
        CHECK_STRING(name == NULL ? made
                                  : counter_path_make(scope, computer, object,
                                        counter_path_numbered(scope, instance, number), 0, counter),
            made, "%u", i);
        g_free(expected);
    }
}

/* 256 bytes of a name; with a parent, of which at most 128 are shown, of both and the slash. */
static void
test_names_of_instances_have_256_bytes_at_most(void)
{
    static const size_t lengths[] = { 0, 1, 3, 4, 100, 126, 127, 128, 129, 130, 200, 253, 254, 255, 256, 257, 1000 };
    static char parent[1001], name[1001];

    for (size_t n = 0; n < array_length(lengths); n++) {
        memset(name, 'n', sizeof name);
        name[lengths[n]] = '\0';
        CHECK_EQUAL(strlen(counter_path_instance(scope, NULL, name)), MIN(lengths[n], 256), "%zu", lengths[n]);
        for (size_t p = 0; p < array_length(lengths); p++) {
            const size_t of_parent = MIN(lengths[p], 128), left = 256 - of_parent - 1;
            const char *text;

            memset(parent, 'p', sizeof parent);
            parent[lengths[p]] = '\0';
            text = counter_path_instance(scope, parent, name);
            CHECK_EQUAL(strlen(text), of_parent + 1 + MIN(lengths[n], left), "%zu and %zu", lengths[p], lengths[n]);
            CHECK_EQUAL(text[of_parent], '/', "%zu and %zu", lengths[p], lengths[n]);
            CHECK_EQUAL(g_str_has_suffix(text, "n..."), lengths[n] > left, "%zu and %zu", lengths[p], lengths[n]);
            CHECK_EQUAL(strncmp(text + of_parent - MIN(of_parent, 3), "...", 3) == 0, lengths[p] > 128, "%zu",
                lengths[p]);
        }
    }
}

static void
test_paths_are_equal_regardless_of_case(void)
{
    static const struct {
        const char *a, *b;
        bool is_equal;
    } cases[] = {
        { "", "", true },
        { "a", "a", true },
        { "a", "A", true },
        { "\\\\PC\\O(I)\\C", "\\\\pc\\o(i)\\c", true },
        { "a", "b", false },
        { "a", "ab", false },
        { "", "a", false },
        { "\xc3\xa4", "\xc3\x84", true },
        { "\xc3\xa4", "a", false },
        { "[", "{", false },
        { "@", "`", false },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        CHECK_EQUAL(counter_path_equal(cases[i].a, cases[i].b) != 0, cases[i].is_equal, "case %zu", i);
        CHECK_EQUAL(counter_path_equal(cases[i].b, cases[i].a) != 0, cases[i].is_equal, "case %zu", i);
        CHECK(!cases[i].is_equal || counter_path_hash(cases[i].a) == counter_path_hash(cases[i].b), "case %zu", i);
    }
}

/* A name belongs to the first who claims it, of each machine and counterset apart. */
static void
test_claimed_name_belongs_to_the_first(void)
{
    static const e_guid_t sets[] = { { .data1 = 0 }, { .data1 = 1 } };
    static const int machines[2];
    int owners[3];
    struct counter_path_names *names = counter_path_names_new(scope);
    struct counter_path_used *first = counter_path_claim(names, &machines[0], &sets[1], "Name", &owners[0]), *second;

    CHECK(first->owner == &owners[0] && strcmp(first->name, "name") == 0, "the first, in lower case");
    CHECK(counter_path_claim(names, &machines[0], &sets[1], "NAME", &owners[1]) == first, "it is taken");
    CHECK(first->owner == &owners[0], "it is taken");
    second = counter_path_claim(names, &machines[1], &sets[1], "Name", &owners[1]);
    CHECK(second != first && second->owner == &owners[1], "another machine's");
    second = counter_path_claim(names, &machines[0], &sets[0], "Name", &owners[2]);
    CHECK(second != first && second->owner == &owners[2], "another counterset's");
    CHECK(counter_path_claim(names, &machines[0], NULL, "name", &owners[1]) == second, "none is that of zeros");
    CHECK(counter_path_claim(names, &machines[0], &sets[1], "Name2", &owners[2])->owner == &owners[2], "another name");
    /* Numbers begin behind a name that was claimed. */
    CHECK_EQUAL(counter_path_number(names, &machines[0], &sets[1], "name"), 1, "it is taken");
    CHECK_EQUAL(counter_path_number(names, &machines[1], &sets[0], "name"), 0, "it is free");
    CHECK_EQUAL(counter_path_number(names, &machines[1], &sets[0], "NAME"), 1, "it is taken now");
    CHECK(counter_path_claim(names, &machines[1], &sets[0], "name", &owners[0])->owner == NULL, "a number's");
}

int
main(void)
{
    wmem_init();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    test_odd_paths_are_split_or_refused();
    test_path_is_split_into_what_it_was_made_of();
    test_names_of_instances_have_256_bytes_at_most();
    test_paths_are_equal_regardless_of_case();
    test_claimed_name_belongs_to_the_first();
    test_equal_names_are_numbered();
    test_cost_of_numbering_is_linear();
    test_path_has_the_syntax_of_ms_pla();
    test_long_names_are_bounded_and_differ();
    test_path_is_split_into_its_parts();
    wmem_destroy_allocator(scope);
    return check_result();
}
