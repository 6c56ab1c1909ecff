/* test_rules_table.c
 * -z perflibv2,rules: the order of verdicts, who broke what where first, and the sentences below
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "table-window.h"

#include "perflibv2/record.h"
#include "stats/tables.h"

enum { VERDICT, RULE, SECTION, WHO, SEVERITY, CHECKED, BROKEN, FIRST, HOLDS, CHECKED_IN };

/* A PDU of that frame: one rule was checked so often, and broken so often, in that part of it. */
static void
bring(uint32_t frame, bool is_response, unsigned part, enum perflibv2_rule rule, uint32_t checked, uint32_t broken)
{
    /* What stands behind them is no rule's. */
    uint32_t all_checked[NUM_RULES + 1] = { [NUM_RULES] = UINT32_MAX },
                                     all_broken[NUM_RULES + 1] = { [NUM_RULES] = UINT32_MAX };
    static const struct request_finding finding = { .trips = 3 };
    /* What else is told of the call is none of the rules'. */
    struct perflibv2_tap record = { .is_response = is_response, .finding = &finding };

    all_checked[rule] = checked;
    all_broken[rule] = broken;
    record.rules[part].checked = all_checked;
    record.rules[part].broken = broken != 0 ? all_broken : NULL;
    CHECK(window_bring(frame, "one", "other", &record), "not drawn");
}

static void
check_row(unsigned row, const char *verdict, enum perflibv2_rule rule, const char *who, const char *severity,
    unsigned checked, unsigned broken, unsigned first)
{
    CHECK_TEXT(row, VERDICT, verdict);
    CHECK_TEXT(row, RULE, perflibv2_rules[rule].filter + strlen("perflibv2.rule."));
    CHECK_TEXT(row, SECTION, perflibv2_rules[rule].section);
    CHECK_TEXT(row, WHO, who);
    CHECK_TEXT(row, SEVERITY, severity);
    CHECK_NUMBER(row, CHECKED, checked);
    CHECK_NUMBER(row, BROKEN, broken);
    CHECK_NUMBER(row, FIRST, first);
    CHECK_TEXT(row, HOLDS, perflibv2_rules[rule].sentence);
}

#define SAYS(sentence, text) \
    CHECK(strcmp(stat_rows_sentence((struct stat_rows *)window, sentence), text) == 0, "%s", \
        stat_rows_sentence((struct stat_rows *)window, sentence))

/* "3 of 60 rules could be checked" */
static const char *
checked_text(unsigned checked)
{
    static char text[100];

    snprintf(text, sizeof text, "%u of %u rules could be checked", checked, (unsigned)NUM_RULES);
    return text;
}

/* From that row on by the numbers of their sections. */
static void
check_order(unsigned from)
{
    unsigned before[7] = { 0 };

    for (unsigned row = from; row < NUM_RULES; row++) {
        unsigned now[7] = { 0 }, i = 0;

        CHECK_TEXT(row, VERDICT, "not checked");
        sscanf(window_cell(row, SECTION)->value.string_value, "%u.%u.%u.%u.%u.%u", &now[0], &now[1], &now[2], &now[3],
            &now[4], &now[5]);
        while (i < 6 && now[i] == before[i]) {
            i++;
        }
        CHECK(now[i] >= before[i], "row %u: %s", row, window_cell(row, SECTION)->value.string_value);
        memcpy(before, now, sizeof before);
    }
}

static void
test_verdict_counts_broken_rules(void)
{
    CHECK_ROWS(NUM_RULES);
    check_order(0);
    SAYS(0, checked_text(0));
    SAYS(1, "no rule could be checked: no PerflibV2 call was decoded");

    bring(2, false, 0, RULE_MACHINE_STRING, 3, 0);
    check_row(0, "held", RULE_MACHINE_STRING, "client", "error", 3, 0, 0);
    SAYS(1, "no rule broken");
    bring(3, false, 0, RULE_AUTH_LEVEL, 1, 1);
    check_row(0, "departs", RULE_AUTH_LEVEL, "client", "note", 1, 1, 3);
    SAYS(1, "no rule broken");
    bring(4, true, 1, RULE_TRAILING_BYTES, 2, 1);
    check_row(0, "broken", RULE_TRAILING_BYTES, "server", "warning", 2, 1, 4);
    SAYS(1, "1 rule broken");
    bring(5, true, 0, RULE_MAX_COUNT, 1, 1);
    bring(6, false, 0, RULE_LPDATA_COUNT, 1, 1);
    SAYS(0, checked_text(5));
    SAYS(1, "3 rules broken");

    /* What is known already counts on. */
    bring(7, false, 0, RULE_TRAILING_BYTES, 1, 0);
    bring(8, false, 1, RULE_TRAILING_BYTES, 2, 2);
    bring(9, false, 0, RULE_MACHINE_STRING, 1, 0);
    check_row(0, "broken", RULE_TRAILING_BYTES, "both", "warning", 5, 3, 4);
    check_row(1, "broken", RULE_LPDATA_COUNT, "client", "error", 1, 1, 6);
    check_row(2, "broken", RULE_MAX_COUNT, "server", "error", 1, 1, 5);
    check_row(3, "departs", RULE_AUTH_LEVEL, "client", "note", 1, 1, 3);
    check_row(4, "held", RULE_MACHINE_STRING, "client", "error", 4, 0, 0);
    CHECK_NUMBER(4, CHECKED_IN, 2);
    check_order(5);
    SAYS(0, checked_text(5));

    /* Of one that held, more than there is room for; of one that binds both, nobody broke it. */
    bring(10, true, 0, RULE_STRUCTURE_FITS, UINT32_MAX, 0);
    bring(11, true, 1, RULE_STRUCTURE_FITS, 1, 0);
    check_row(4, "held", RULE_STRUCTURE_FITS, "both", "error", UINT32_MAX, 0, 0);
    bring(12, true, 0, RULE_MAX_COUNT, UINT32_MAX, UINT32_MAX);
    check_row(2, "broken", RULE_MAX_COUNT, "server", "error", UINT32_MAX, UINT32_MAX, 5);
}

/* Those that held, and those that were not checked, as a terminal has them. */
static void
test_kept_and_unchecked_rules_are_listed(void)
{
    GString *out = g_string_new(NULL);
    char *not_checked = g_strdup_printf("\n%u rules not checked: ", (unsigned)NUM_RULES - 6);

    perflibv2_rules_table.append_text((struct stat_rows *)window, out);
    CHECK(g_str_has_prefix(out->str, "2 rules held: structure_fits (4294967296), machine_string (4)\n") &&
            strstr(out->str, not_checked) != NULL && strstr(out->str, "auth_level") == NULL && strchr(out->str, ',') &&
            out->str[out->len - 1] == '\n',
        "%s", out->str);
    g_string_truncate(out, 0);
    window_open("perflibv2", &perflibv2_rules_table);
    bring(1, false, 0, RULE_ALIGNMENT, 7, 0);
    perflibv2_rules_table.append_text((struct stat_rows *)window, out);
    CHECK(g_str_has_prefix(out->str, "1 rule held: alignment (7)\n"), "%s", out->str);
    g_free(not_checked);
    g_string_free(out, TRUE);
}

static void
test_unread_calls_are_said(void)
{
    static const struct {
        const char *unread, *needed, *says;
    } cases[] = {
        { "no password", "a key", "1 sealed PDU left out: no password (1)" },
        { "no password", "a key", "2 sealed PDUs left out: no password (2)" },
        { "a gap", NULL, "3 sealed PDUs left out: a gap (1), no password (2)" },
    };

    window_open("perflibv2", &perflibv2_rules_table);
    for (size_t i = 0; i < array_length(cases); i++) {
        const struct key_needed needed = { KEY_KEYTAB, cases[i].needed };
        const struct perflibv2_tap record = { .unread = cases[i].unread,
            .needed = cases[i].needed == NULL ? NULL : &needed };

        window_bring(1, "one", "other", &record);
        SAYS(2, cases[i].says);
    }
    CHECK_EQUAL(((struct stat_rows *)window)->sentences->len, 3, "sentences");
    CHECK_EQUAL(((struct stat_rows *)window)->needed.count, 1, "sentences");
    SAYS(1, "no rule could be checked: no PerflibV2 call was decoded");
}

/* What held for long is broken, by one of those it binds; what was checked beside it held. */
static void
test_held_so_far(void)
{
    uint32_t checked[NUM_RULES + 1] = { [RULE_TRAILING_BYTES] = 1, [RULE_LPDATA_COUNT] = 1 };
    uint32_t broken[NUM_RULES + 1] = { [RULE_LPDATA_COUNT] = 1, [NUM_RULES] = UINT32_MAX };
    const struct perflibv2_tap record = { .rules = { { checked, broken } } };

    window_open("perflibv2", &perflibv2_rules_table);
    bring(2, true, 0, RULE_TRAILING_BYTES, 1, 0);
    bring(3, true, 0, RULE_LPDATA_COUNT, 2, 0);
    check_row(0, "held", RULE_TRAILING_BYTES, "both", "warning", 1, 0, 0);
    window_bring(4, "one", "other", &record);
    check_row(0, "broken", RULE_LPDATA_COUNT, "client", "error", 3, 1, 4);
    check_row(1, "held", RULE_TRAILING_BYTES, "both", "warning", 2, 0, 0);
    bring(5, true, 0, RULE_TRANSPORT, 1, 1);
    check_row(1, "departs", RULE_TRANSPORT, "server", "note", 1, 1, 5);
}

int
main(void)
{
    wmem_init_scopes();
    test_held_so_far();
    for (unsigned round = 0; round < 2; round++) {
        window_open("perflibv2", &perflibv2_rules_table);
        test_verdict_counts_broken_rules();
        test_kept_and_unchecked_rules_are_listed();
        test_unread_calls_are_said();
    }
    return check_result();
}
