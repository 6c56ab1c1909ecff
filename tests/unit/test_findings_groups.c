/* test_findings_groups.c
 * Findings of one problem as a group: which belong together, and how all their servers and clients are named
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "findings-build.h"

static void
add(enum problem problem, enum finding_code code, const char *client, const char *server)
{
    struct report_finding finding = {
        .problem = problem,
        .code = code,
        .client = client,
        .server = server,
        .what = wmem_strdup_printf(scope, "finding %u", wmem_array_get_count(findings)),
        .remedy = wmem_strdup_printf(scope, "remedy %u", wmem_array_get_count(findings)),
        .whom = wmem_strdup_printf(scope, "whom %u", wmem_array_get_count(findings)),
    };

    wmem_array_append_one(findings, finding);
}

static struct key_index *groups;

static const struct finding_group *
group_at(unsigned index)
{
    static const struct finding_group none = { .what = "no such group" };

    return index < key_index_size(groups) ? (const struct finding_group *)key_index_data(groups, index) : &none;
}

/* The text of a group, its remedy and who acts; clause: the text as part of a sentence. */
static void
check_group(unsigned index, const char *what, const char *clause, const char *remedy, const char *whom)
{
    const struct finding_group *group = group_at(index);

    CHECK_STRING(group->what, what, "group %u", index);
    CHECK_STRING(group->clause, clause, "group %u", index);
    CHECK_STRING(group->remedy, remedy, "group %u", index);
    CHECK_STRING(group->whom, whom, "group %u", index);
}

/* Each finding is in the group of its problem and code, in order; single ones are alone. */
static void
test_problem_and_code_make_a_group(void)
{
    static const struct {
        enum problem problem;
        enum finding_code code;
        unsigned group;
    } cases[] = {
        { PROBLEM_SERVER, FINDING_SLOW, 0 },
        { PROBLEM_SINGLE, FINDING_SLOW, 1 },
        { PROBLEM_SERVER, FINDING_NO_ANSWER, 2 },
        { PROBLEM_SOMETIMES, FINDING_NO_ANSWER, 3 },
        { PROBLEM_SERVER, FINDING_SLOW, 0 },
        { PROBLEM_SINGLE, FINDING_SLOW, 4 },
        { PROBLEM_SOMETIMES, FINDING_NO_ANSWER, 3 },
        { PROBLEM_CLIENT, FINDING_POLLS_LATE, 5 },
        { PROBLEM_SERVER, FINDING_SLOW, 0 },
        { PROBLEM_SEALED, FINDING_SEALED, 6 },
        { PROBLEM_SEALED, FINDING_SEALED_FOR_GOOD, 7 },
        { PROBLEM_SERVER, FINDING_NO_ANSWER, 2 },
    };
    unsigned members[8] = { 0 };

    model_begin();
    groups = findings_groups(&model, findings, scope);
    CHECK_EQUAL(key_index_size(groups), 0, "no findings");
    for (size_t i = 0; i < array_length(cases); i++) {
        add(cases[i].problem, cases[i].code, "me", "PC");
    }
    groups = findings_groups(&model, findings, scope);
    CHECK_EQUAL(key_index_size(groups), array_length(members), "groups");
    for (unsigned i = 0; i < array_length(cases); i++) {
        const struct finding_group *group = group_at(cases[i].group);
        const unsigned at = members[cases[i].group]++;

        if (group->members != NULL && at < wmem_array_get_count(group->members)) {
            CHECK(finding_member(group, at) == finding_at(findings, i), "finding %u", i);
        } else {
            CHECK(false, "finding %u is not in group %u", i, cases[i].group);
        }
    }
    for (unsigned i = 0; i < array_length(members); i++) {
        CHECK(group_at(i)->members != NULL && wmem_array_get_count(group_at(i)->members) == members[i], "group %u", i);
    }
    /* A finding alone has its own words. */
    check_group(1, "finding 1", "finding 1", "remedy 1", "whom 1");
    check_group(7, "finding 10", "finding 10", "remedy 10", "whom 10");
}

/* Two findings each: of which servers and clients they are, and how these are named. */
static void
test_several_servers_and_clients_are_counted(void)
{
    static const struct {
        enum problem problem;
        enum finding_code code;
        const char *ends[3][2];    /* client and server of each */
        const char *what, *clause; /* clause: NULL: as what */
    } cases[] = {
        { PROBLEM_SERVER, FINDING_SLOW, { { "me", "10.0.0.1" }, { "me", "10.0.0.1" } }, "10.0.0.1 answers slowly",
            NULL },
        { PROBLEM_SERVER, FINDING_SLOW, { { "me", "10.0.0.1" }, { "you", "10.0.0.1" } }, "10.0.0.1 answers slowly",
            NULL },
        { PROBLEM_SERVER, FINDING_SLOW, { { "me", "10.0.0.1" }, { "me", "10.0.0.2" } },
            "Each of 2 servers answers slowly", "each of 2 servers answers slowly" },
        { PROBLEM_SERVER, FINDING_SLOW, { { "me", "10.0.0.1" }, { "me", "10.0.0.2" }, { "me", "10.0.0.3" } },
            "Each of 3 servers answers slowly", "each of 3 servers answers slowly" },
        { PROBLEM_SERVER, FINDING_SLOW, { { "me", "10.0.0.1" }, { "me", "10.0.0.2" }, { "me", "10.0.0.1" } },
            "Each of 2 servers answers slowly", "each of 2 servers answers slowly" },
        { PROBLEM_SERVER, FINDING_SLOW, { { "me", "10.0.0.8" }, { "me", "10.0.0.8" } }, "PC (10.0.0.8) answers slowly",
            NULL },
        { PROBLEM_SERVER, FINDING_SLOW, { { "me", "10.0.0.8" }, { "me", "10.0.0.9" } }, "PC (10.0.0.9) answers slowly",
            NULL }, /* two addresses of one machine */
        { PROBLEM_SERVER, FINDING_SLOW, { { "me", NULL }, { "me", NULL } }, "the server answers slowly", NULL },
        { PROBLEM_SERVER, FINDING_SLOW, { { "me", "10.0.0.1" }, { "me", NULL } }, "10.0.0.1 answers slowly", NULL },
        { PROBLEM_SOMETIMES, FINDING_SLOW, { { "me", "10.0.0.1" }, { "me", "10.0.0.2" } },
            "Each of 2 servers answers, but sometimes it answers slowly",
            "each of 2 servers answers, but sometimes it answers slowly" },
        { PROBLEM_NOT_ALL_ANSWERED_YET, FINDING_NO_ANSWER, { { "me", "10.0.0.1" }, { "me", "10.0.0.2" } },
            "Each of 2 servers answers, but has not answered all calls yet",
            "each of 2 servers answers, but has not answered all calls yet" },
        { PROBLEM_CLIENT, FINDING_POLLS_LATE, { { "me", "10.0.0.1" }, { "me", "10.0.0.2" } }, "me sends polls late",
            NULL },
        { PROBLEM_CLIENT, FINDING_POLLS_LATE, { { "me", "10.0.0.1" }, { "you", "10.0.0.1" } },
            "Each of 2 clients sends polls late", "each of 2 clients sends polls late" },
        { PROBLEM_CLIENT, FINDING_POLLS_LATE, { { "me", "10.0.0.1" }, { "you", "10.0.0.1" }, { "us", "10.0.0.2" } },
            "Each of 3 clients sends polls late", "each of 3 clients sends polls late" },
        { PROBLEM_CLIENT, FINDING_POLLS_LATE, { { NULL, "10.0.0.1" }, { NULL, "10.0.0.2" } },
            "the client sends polls late", NULL },
        { PROBLEM_CLIENT, FINDING_POLLS_LATE, { { "10.0.0.8", "10.0.0.1" }, { "10.0.0.9", "10.0.0.1" } },
            "Each of 2 clients sends polls late", "each of 2 clients sends polls late" },
        /* Texts that begin with neither: they begin as they are. */
        { PROBLEM_OBJECTS, FINDING_NO_DATA, { { "me", "10.0.0.1" }, { "you", "10.0.0.2" } },
            "Objects had no data: each of 2 servers sent no data", NULL },
        { PROBLEM_SEALED, FINDING_SEALED, { { "me", "10.0.0.1" }, { "you", "10.0.0.2" } },
            "The calls are encrypted and could not be read", NULL },
    };

    for (unsigned i = 0; i < array_length(cases); i++) {
        const char *what = cases[i].what, *clause = cases[i].clause != NULL ? cases[i].clause : what;

        model_begin();
        model_host_is("10.0.0.8", "PC");
        model_host_is("10.0.0.9", "PC");
        for (unsigned f = 0; f < 3 && (f < 2 || cases[i].ends[2][0] != NULL); f++) {
            add(cases[i].problem, cases[i].code, cases[i].ends[f][0], cases[i].ends[f][1]);
        }
        groups = findings_groups(&model, findings, scope);
        CHECK_EQUAL(key_index_size(groups), 1, "case %u", i);
        CHECK_STRING(group_at(0)->what, what, "case %u", i);
        CHECK_STRING(group_at(0)->clause, clause, "case %u", i);
    }
}

/* What to do, and who does it, name them as the text does; commands name a server if there is one. */
static void
test_remedies_name_all_servers_and_clients(void)
{
    model_begin();
    add(PROBLEM_CLIENT, FINDING_POLLS_LATE, "me", "10.0.0.1");
    add(PROBLEM_CLIENT, FINDING_POLLS_LATE, "you", "10.0.0.1");
    add(PROBLEM_NEVER_A_VALUE, FINDING_NO_COUNTERSET, "me", "10.0.0.1");
    add(PROBLEM_NEVER_A_VALUE, FINDING_NO_COUNTERSET, "me", "10.0.0.2");
    add(PROBLEM_NEVER_A_VALUE, FINDING_NO_COUNTER, "me", "10.0.0.1");
    add(PROBLEM_NEVER_A_VALUE, FINDING_NO_COUNTER, "you", "10.0.0.1");
    add(PROBLEM_SETS, FINDING_SET_NOT_FOUND, NULL, NULL);
    add(PROBLEM_SETS, FINDING_SET_NOT_FOUND, NULL, NULL);
    groups = findings_groups(&model, findings, scope);
    CHECK_EQUAL(key_index_size(groups), 4, "groups");
    check_group(0, "Each of 2 clients sends polls late", "each of 2 clients sends polls late",
        "Check the load and the power settings of each of 2 clients at these times. If one slow server delays the "
        "polls of others, poll each server on its own.",
        "whoever runs each of 2 clients");
    check_group(1, "Counters never had a value: each of 2 servers does not have the counterset",
        "Counters never had a value: each of 2 servers does not have the counterset",
        "The program that provides this counterset is not installed or not running on each of 2 servers. Compare with "
        "typeperf -q -s SERVER.",
        "the administrator of each of 2 servers");
    check_group(2, "Counters never had a value: 10.0.0.1 does not have the counter in that counterset",
        "Counters never had a value: 10.0.0.1 does not have the counter in that counterset",
        "10.0.0.1 may run another version of Windows than each of 2 clients expects. Compare with typeperf -q -s "
        "10.0.0.1.",
        "whoever runs each of 2 clients");
    check_group(3, "Calls on data collector sets of the server failed: the set does not exist",
        "Calls on data collector sets of the server failed: the set does not exist",
        "Compare the name with the sets on the server: logman query -s SERVER.", "whoever runs the client");

    /* Nobody in particular. */
    model_begin();
    for (unsigned i = 0; i < 2; i++) {
        struct report_finding finding = { .problem = PROBLEM_SERVER, .code = FINDING_WORKS_NOW, .server = "PC" };

        wmem_array_append_one(findings, finding);
    }
    groups = findings_groups(&model, findings, scope);
    CHECK(group_at(0)->whom == NULL, "%s", group_at(0)->whom);
}

/* Placeholders, by what stands around them; one host that is both is told apart. */
static void
test_placeholders_are_filled_by_client_and_server(void)
{
    static const struct {
        const char *text, *filled, *filled_of_one;
    } cases[] = {
        { "", "", "" },
        { "nobody", "nobody", "nobody" },
        { "{S}", "PC", "me (server)" },
        { "{C}", "me", "me (client)" },
        { "a {S} b {C} c", "a PC b me c", "a me (server) b me (client) c" },
        { "{C}{S}", "mePC", "me (client)me (server)" },
        { "{S}.", "PC.", "me (server)." },
        { "{H} {", "{H} {", "{H} {" },
        { "{S", "{S", "{S" },
        { "{C} of {S}", "me of PC", "me (client) of me (server)" },
    };

    model_begin();
    for (unsigned i = 0; i < array_length(cases); i++) {
        CHECK_STRING(findings_fill(scope, cases[i].text, "me", "PC"), cases[i].filled, "case %u", i);
        CHECK_STRING(findings_fill(scope, cases[i].text, "me", "me"), cases[i].filled_of_one, "case %u", i);
    }
}

int
main(void)
{
    test_problem_and_code_make_a_group();
    test_several_servers_and_clients_are_counted();
    test_remedies_name_all_servers_and_clients();
    test_placeholders_are_filled_by_client_and_server();
    return check_result();
}
