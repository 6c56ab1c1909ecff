/* test_watch.c
 * The user's watch list: which fields its rows become, which counters they stand for, and what is said of several
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/poll.h"

#include <stdarg.h>
#include <string.h>

#include <epan/uat-int.h>

#include "base/fields.h"
#include "check.h"
#include "counters/record.h"
#include "fake-expert.h"
#include "fake-told.h"
#include "fake-uat.h"

enum { PROTO = 3, FIRST_FIELD = 100, OFFSET = 40, LENGTH = 8 };

static wmem_allocator_t *scope;
static int a_tree;
#define TREE ((proto_tree *)(void *)&a_tree)

/* Fields as they are registered, who asks for them, and what was added and said. */
static const hf_register_info *fields[20];
static int num_fields;
static bool is_asked[20], is_seen, has_room;
static wmem_strbuf_t *said;
static bool is_saved = true;

struct record {
    const char *name, *pattern;
};

static void
say(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    wmem_strbuf_append_vprintf(said, format, arguments);
    va_end(arguments);
}

static void
check_said(const char *expected, const char *what)
{
    CHECK(strcmp(wmem_strbuf_get_str(said), expected) == 0, "%s: %s, not %s", what, wmem_strbuf_get_str(said),
        expected);
    said = wmem_strbuf_new(scope, "");
}

static const char *
field_name(int hf)
{
    return fields[hf - FIRST_FIELD]->hfinfo.abbrev;
}

/* In place of Wireshark's, and of others of plugin/. */
void
proto_register_field_array(const int proto, hf_register_info *hf, const int count)
{
    CHECK(proto == PROTO && count == 1, "%d", count);
    /* Wireshark ends where it is another: the field would be registered already. */
    CHECK(*hf->p_id == -1, "field %d", *hf->p_id);
    CHECK(hf->hfinfo.bitmask == 0, "%s has a mask", hf->hfinfo.abbrev);
    *hf->p_id = FIRST_FIELD + num_fields;
    fields[num_fields++] = hf;
}

void
expert_register_field_array(expert_module_t *module _U_, ei_register_info *ei _U_, const int count)
{
    CHECK(count == 1, "%d", count);
}

perflib_bool
proto_field_is_referenced(proto_tree *tree, int hf)
{
    CHECK(tree == TREE, "another");
    return is_asked[hf - FIRST_FIELD];
}

bool
perflib_tree_is_seen(const proto_tree *tree _U_)
{
    return is_seen;
}

static void
check_place(int offset, int length)
{
    CHECK(offset == OFFSET && length == LENGTH, "%d, %d", offset, length);
}

proto_item *
double_field_add(const packet_info *pinfo _U_, proto_tree *tree _U_, int hf, tvbuff_t *tvb _U_, int offset, int length,
    double value)
{
    check_place(offset, length);
    say("%s %g|", field_name(hf), value);
    return NULL;
}

bool
double_field_fits(const packet_info *pinfo _U_, const proto_tree *tree _U_, int hf _U_)
{
    return has_room;
}

proto_item *
proto_tree_add_double_format_value(proto_tree *tree _U_, int hf, tvbuff_t *tvb _U_, int offset, int length,
    double value, const char *format, ...)
{
    va_list arguments;

    check_place(offset, length);
    say("%s %g as ", field_name(hf), value);
    va_start(arguments, format);
    wmem_strbuf_append_vprintf(said, format, arguments);
    va_end(arguments);
    return NULL;
}

proto_item *
proto_tree_add_string(proto_tree *tree _U_, int hf, tvbuff_t *tvb _U_, int offset, int length, const char *value)
{
    check_place(offset, length);
    say("%s = %s|", field_name(hf), value);
    return NULL;
}

void
item_label_append(wmem_allocator_t *into _U_, proto_item *item _U_, const char *text)
{
    say("%s|", text);
}

static void
take_expert(const char *format, va_list arguments)
{
    wmem_strbuf_append_vprintf(said, format, arguments);
}

void
poll_add_cooked_text(struct line *line, const struct cook_result *cooked)
{
    line_add(line, cooked->value == 12.5 ? "12.5 %" : "?");
}

void *
uat_add_record(uat_t *uat _U_, const void *record, perflib_bool is_valid)
{
    struct record *records = g_new0(struct record, *table.count + 1);
    struct record *more;

    CHECK(is_valid, "it is not");
    if (*table.count > 0) {
        memcpy(records, *table.records, *table.count * table.size);
    }
    more = &records[(*table.count)++];
    table.copy(more, record, table.size);
    *table.records = records;
    return more;
}

perflib_bool
uat_save(uat_t *uat _U_, char **error)
{
    if (!is_saved) {
        *error = g_strdup("disk full");
    }
    return is_saved;
}

static void
fill(const struct record *records, unsigned count)
{
    said = wmem_strbuf_new(scope, "");
    table_fill(records, count);
}

static void
check_refused(void)
{
    static const struct {
        struct record record;
        const char *why;
    } cases[] = {
        { { "cpu", "*" }, NULL },
        { { "cpu.total_2-x", "?" }, NULL },
        { { NULL, "*" }, "A name is needed: it becomes the field perflibv2.watch.NAME." },
        { { "", "*" }, "A name is needed: it becomes the field perflibv2.watch.NAME." },
        { { "a b", "*" }, "\"a b\" can't be the name of a field because of its ' '." },
        { { "a%", "*" }, "\"a%\" can't be the name of a field because of its '%'." },
        { { "cpu", NULL }, "A pattern is needed, for instance *\\% Processor Time." },
        { { "cpu", "" }, "A pattern is needed, for instance *\\% Processor Time." },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        char *why = table_refuses(&cases[i].record);

        CHECK(g_strcmp0(why, cases[i].why) == 0, "%zu: %s", i, why);
        g_free(why);
    }
}

/* Patterns as perfmon's users write paths: case is no matter, nor is the machine where none is named. */
static void
check_patterns(void)
{
    static const struct {
        const char *pattern, *path;
        bool matches;
    } cases[] = {
        { "*\\% Processor Time", "\\\\HOST\\Processor(0)\\% Processor Time", true },
        { "*\\% processor time", "\\\\HOST\\Processor(0)\\% PROCESSOR Time", true },
        { "*\\% Processor Time", "\\\\HOST\\Processor(0)\\% Processor Time 2", false },
        { "\\Processor(0)\\X", "\\\\HOST\\Processor(0)\\X", true },
        { "\\Processor(?)\\X", "\\\\OTHER\\Processor(1)\\X", true },
        { "\\Processor(?)\\X", "\\\\OTHER\\Processor(10)\\X", false },
        { "\\\\HOST\\Processor(0)\\X", "\\\\HOST\\Processor(0)\\X", true },
        { "\\\\HOST\\Processor(0)\\X", "\\\\OTHER\\Processor(0)\\X", false },
        { "Processor(0)\\X", "\\\\HOST\\Processor(0)\\X", false },
    };

    for (unsigned i = 0; i < array_length(cases); i++) {
        const struct record one = { "cpu", cases[i].pattern };
        char *folded = counter_path_fold(cases[i].path);

        fill(&one, 1);
        CHECK(perf_watch_matches(0, cases[i].path) == cases[i].matches, "%s", cases[i].pattern);
        CHECK(watch_matches(folded) == cases[i].matches, "%s", cases[i].pattern);
        g_free(folded);
    }
    fill(NULL, 0);
    CHECK(!watch_matches("anything"), "an empty list");
}

/* A name is one field for as long as the program runs. */
static void
check_fields(void)
{
    static const struct record records[] = { { "new1", "a" }, { "new2", "b" }, { "new1", "c" } };
    const int before = num_fields;
    const unsigned version = watch_version();

    fill(records, 3);
    CHECK(times_told == 1 &&
            strcmp(told, "PerflibV2 watch list: the name \"new1\" stands twice. Its first row counts, c does not.") ==
                0,
        "%s", told);
    CHECK(watch_version() != version, "the list has changed");
    CHECK(num_fields == before + 2, "%d", num_fields);
    CHECK(strcmp(fields[before]->hfinfo.abbrev, "perflibv2.watch.new1") == 0 &&
            strcmp(fields[before]->hfinfo.name, "Watched: new1") == 0 && fields[before]->hfinfo.type == FT_DOUBLE,
        "%s", fields[before]->hfinfo.abbrev);
    CHECK(perf_watch_count() == 3, "%u", perf_watch_count());
    for (unsigned i = 0; i < 3; i++) {
        const struct perf_watch entry = perf_watch_entry(i);

        CHECK(strcmp(entry.name, records[i].name) == 0 && strcmp(entry.pattern, records[i].pattern) == 0 &&
                entry.is_in_use == (i < 2),
            "%u", i);
    }
    CHECK(watch_matches("a") && watch_matches("b") && !watch_matches("c"), "the third counts for nothing");
    CHECK(!perf_watch_matches(2, "c"), "nor by itself");
    /* Another profile: the list is empty, until it is filled again. */
    for (unsigned i = 0; i < 2; i++) {
        const unsigned filled = watch_version();

        table.reset();
        CHECK(perf_watch_count() == 0 && !watch_matches("a") && watch_version() != filled, "an empty list");
    }
    fill(records + 1, 1);
    fill(records, 2);
    CHECK(num_fields == before + 2, "%d", num_fields);
    CHECK(times_told == 1, "%s", told);
}

/* Row i of cases: whether a field of the second row, or that of all, is asked for. */
static void
check_begin(void)
{
    static const struct record records[] = { { "new1", "a" }, { "new1", "b" }, { "new2", "c" } };
    int second = 0;

    fill(records, 3);
    for (int i = 0; i < num_fields; i++) {
        second = strcmp(fields[i]->hfinfo.abbrev, "perflibv2.watch.new2") == 0 ? i : second;
    }
    for (unsigned i = 0; i < 4; i++) {
        is_asked[second] = i & 1;
        is_asked[0] = i & 2;
        CHECK(watch_begin(TREE) == (i != 0), "%u", i);
    }
    is_asked[second] = false;
    fill(records, 1);
    CHECK(watch_begin(TREE), "a list of one");
    fill(NULL, 0);
    CHECK(!watch_begin(TREE), "an empty list");
    is_asked[0] = false;
}

#define PATH1 "\\\\H\\S(1)\\C"
#define PATH2 "\\\\H\\S(2)\\C"

static void
check_items(void)
{
    static const struct record records[] = { { "new1", "\\S(*)\\C" }, { "new2", "\\S(2)\\C" }, { "new1", "*" } };
    static const struct {
        bool is_seen, has_room, is_all_asked;
        const char *expected;
    } cases[] = {
        { false, true, false, "perflibv2.watch.new1 12.5|perflibv2.watch.new2 12.5|" },
        { true, true, false,
            "perflibv2.watch.new1 12.5 as 12.5 % (" PATH2 ")|perflibv2.watch.new2 12.5 as 12.5 % (" PATH2 ")|" },
        { true, false, false, "" },
        { true, false, true, "perflibv2.watched = new1 12.5 %|perflibv2.watched = new2 12.5 %|" },
        { false, true, true,
            "perflibv2.watch.new1 12.5|perflibv2.watched = new1 12.5 %|"
            "perflibv2.watch.new2 12.5|perflibv2.watched = new2 12.5 %|" },
    };
    const struct cook_result cooked = { .value = 12.5 };
    packet_info pinfo = { .pool = scope };

    fill(records, 3);
    said = wmem_strbuf_new(scope, "");
    for (size_t i = 0; i < array_length(cases); i++) {
        is_seen = cases[i].is_seen;
        has_room = cases[i].has_room;
        is_asked[0] = cases[i].is_all_asked;
        watch_begin(TREE);
        watch_add(&pinfo, TREE, NULL, OFFSET, LENGTH, PATH2, &cooked);
        check_said(cases[i].expected, "items");
        watch_add(&pinfo, TREE, NULL, OFFSET, LENGTH, "\\\\H\\Other\\C", &cooked);
        check_said("", "another counter");
    }
}

/* Several counters of a poll in one field: said with the second, once. */
static void
check_ambiguous(void)
{
    static const struct record one = { "new1", "\\S(*)\\C" };
    const struct cook_result cooked = { .value = 12.5 };
    packet_info pinfo = { .pool = scope };

    fill(&one, 1);
    is_seen = true;
    has_room = is_asked[0] = false;
    for (unsigned poll = 0; poll < 2; poll++) {
        watch_begin(TREE);
        watch_add(&pinfo, TREE, NULL, OFFSET, LENGTH, PATH1, &cooked);
        watch_add(&pinfo, TREE, NULL, OFFSET, LENGTH, PATH1, &cooked);
        check_said("", "one counter");
        watch_add(&pinfo, TREE, NULL, OFFSET, LENGTH, PATH2, &cooked);
        check_said("Make the pattern exact: perflibv2.watch.new1 stands for several counters "
                   "of this poll, such as " PATH1 " and " PATH2,
            "two");
        watch_add(&pinfo, TREE, NULL, OFFSET, LENGTH, PATH1, &cooked);
        check_said("", "said already");
    }
}

static void
check_added(void)
{
    static const struct record one = { "new1", "a" };
    static const struct {
        const char *name, *pattern, *why;
        unsigned count;
    } cases[] = {
        { "new1", "a", NULL, 1 },
        { "new1", "b", "The name \"new1\" is taken: it stands for a.", 1 },
        { "new 3", "b", "\"new 3\" can't be the name of a field because of its ' '.", 1 },
        { "new3", "", "A pattern is needed, for instance *\\% Processor Time.", 1 },
        { "new3", "c", NULL, 2 },
        { "new2", "d", "new2 is watched until Wireshark ends: the list could not be saved (disk full).", 3 },
    };

    fill(&one, 1);
    for (size_t i = 0; i < array_length(cases); i++) {
        char *why;

        is_saved = i < 5;
        why = perf_watch_add(cases[i].name, cases[i].pattern);
        CHECK(g_strcmp0(why, cases[i].why) == 0, "%zu: %s", i, why);
        CHECK(perf_watch_count() == cases[i].count, "%zu: %u", i, perf_watch_count());
        g_free(why);
    }
    CHECK(watch_matches("c") && watch_matches("d") && !watch_matches("b"), "what was added");
}

int
main(void)
{
    wmem_init_scopes();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    said = wmem_strbuf_new(scope, "");
    watch_register(PROTO, NULL, NULL);
    CHECK(strcmp(table.filename, "perflibv2_watch") == 0 && num_fields == 1, "%s", table.filename);
    check_refused();
    check_fields();
    check_patterns();
    check_begin();
    check_items();
    check_ambiguous();
    check_added();
    wmem_destroy_allocator(scope);
    return check_result();
}
