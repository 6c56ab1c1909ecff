/* perflibv2-rules.c
 * -z perflibv2,rules: the verdict on a capture, rule by rule of [MS-PCQ]
 *
 * "-z perflibv2,rules" prints its own table, because it ends with a verdict in a line of its own, which Wireshark's
 * tables have no place for. The Statistics menu shows the same cells.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "compat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <epan/stat_tap_ui.h>
#include <epan/tap.h>

#include "perflibv2/record.h"
#include "stats/command.h"
#include "stats/rows.h"

#define RULES_COMMAND "perflibv2,rules"

/* How often each rule was checked and broken. */
struct tally {
    uint64_t checked[NUM_RULES];
    uint64_t broken[NUM_RULES];
    uint32_t first_frame[NUM_RULES]; /* 0: never broken */
    bool has_new_verdict;            /* some rule was checked, or broken, for the first time */
    uint32_t unread;                 /* PDUs that were left out */
    GHashTable *reasons;             /* of that: constant text to count */
    struct needed needed;            /* ... for want of a key */
    char *filter;
};

static void
rules_table_count(struct tally *tally, const struct perflibv2_tap_rules *rules, uint32_t frame)
{
    for (unsigned i = 0; rules->checked != NULL && i < NUM_RULES; i++) {
        tally->has_new_verdict |= tally->checked[i] == 0 && rules->checked[i] > 0;
        tally->checked[i] += rules->checked[i];
    }
    for (unsigned i = 0; rules->broken != NULL && i < NUM_RULES; i++) {
        tally->broken[i] += rules->broken[i];
        if (rules->broken[i] > 0 && tally->first_frame[i] == 0) {
            tally->first_frame[i] = frame;
            tally->has_new_verdict = true;
        }
    }
}

static void
count_pdu(struct tally *tally, const packet_info *pinfo, const void *tapped)
{
    const struct perflibv2_tap *call = (const struct perflibv2_tap *)tapped;

    if (call->unread != NULL && tally->reasons != NULL) {
        const unsigned before = GPOINTER_TO_UINT(g_hash_table_lookup(tally->reasons, call->unread));

        tally->unread++;
        g_hash_table_insert(tally->reasons, (void *)call->unread, GUINT_TO_POINTER(before + 1));
        if (call->needed != NULL) {
            needed_add(&tally->needed, call->needed);
        }
    }
    for (unsigned i = 0; i < array_length(call->rules); i++) {
        rules_table_count(tally, &call->rules[i], pinfo->num);
    }
}

static void
clear(struct tally *tally)
{
    memset(tally->checked, 0, sizeof tally->checked);
    memset(tally->broken, 0, sizeof tally->broken);
    memset(tally->first_frame, 0, sizeof tally->first_frame);
    tally->unread = 0;
    if (tally->reasons != NULL) {
        g_hash_table_remove_all(tally->reasons);
    }
    needed_clear(&tally->needed);
}

static const char *
who_text(enum rule_who who)
{
    return who == RULE_WHO_CLIENT ? "client" : who == RULE_WHO_SERVER ? "server" : "both";
}

static const char *
severity_text(int severity)
{
    return severity == PI_ERROR ? "error" : severity == PI_WARN ? "warning" : severity == PI_NOTE ? "note" : "chat";
}

/* Notes and chats are no verdict: Windows itself, or a session made for a test, does so (RULES.md). */
static bool
is_verdict(const struct rule *rule)
{
    return rule->severity == PI_ERROR || rule->severity == PI_WARN;
}

/* In the order in which they are shown. */
enum verdict { VERDICT_BROKEN, VERDICT_DEPARTS, VERDICT_HELD, VERDICT_NOT_CHECKED };

static enum verdict
verdict_of(const struct tally *tally, unsigned i)
{
    if (tally->checked[i] == 0) {
        return VERDICT_NOT_CHECKED;
    }
    return tally->broken[i] == 0 ? VERDICT_HELD : is_verdict(&perflibv2_rules[i]) ? VERDICT_BROKEN : VERDICT_DEPARTS;
}

static const char *
verdict_text(const struct tally *tally, unsigned i)
{
    static const char *const texts[] = { "broken", "departs", "held", "not checked" };

    return texts[verdict_of(tally, i)];
}

/* Sections by their numbers: 3.1.4.1.2 before 3.1.4.1.10. */
static int
compare_sections(const char *one, const char *other)
{
    while (*one != '\0' && *other != '\0') {
        char *end_of_one, *end_of_other;
        const uint64_t a = g_ascii_strtoull(one, &end_of_one, 10), b = g_ascii_strtoull(other, &end_of_other, 10);

        if (a != b) {
            return a < b ? -1 : 1;
        }
        one = end_of_one + (*end_of_one == '.');
        other = end_of_other + (*end_of_other == '.');
        if (one == end_of_one || other == end_of_other) {
            break;
        }
    }
    return (*one != '\0') - (*other != '\0');
}

/* A rule with what it is sorted by. */
struct ranked {
    enum verdict verdict;
    unsigned rule;
};

static int
compare_ranked(const void *a, const void *b)
{
    const struct ranked *one = (const struct ranked *)a, *other = (const struct ranked *)b;
    int order = (int)one->verdict - (int)other->verdict;

    if (order == 0) {
        order = compare_sections(perflibv2_rules[one->rule].section, perflibv2_rules[other->rule].section);
    }
    return order != 0 ? order : (int)one->rule - (int)other->rule;
}

/* The rules as they are shown: broken ones first, then by section; those not checked last. */
static void
order_rules(const struct tally *tally, unsigned *order)
{
    struct ranked ranked[NUM_RULES];

    for (unsigned i = 0; i < NUM_RULES; i++) {
        ranked[i] = (struct ranked){ verdict_of(tally, i), i };
    }
    qsort(ranked, NUM_RULES, sizeof ranked[0], compare_ranked);
    for (unsigned i = 0; i < NUM_RULES; i++) {
        order[i] = ranked[i].rule;
    }
}

static const char *
rule_id(const struct rule *rule)
{
    return rule->filter + strlen("perflibv2.rule.");
}

/* -z perflibv2,rules: printed */

static void
rules_reset(void *data)
{
    clear((struct tally *)data);
}

static tap_packet_status
rules_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    count_pdu((struct tally *)data, pinfo, tapped);
    return TAP_PACKET_REDRAW;
}

/* How many PDUs no rule was asked of, and why. */
static void
append_unread(GString *out, const struct tally *tally)
{
    GList *reasons, *link;

    if (tally->unread == 0) {
        return;
    }
    reasons = g_list_sort(g_hash_table_get_keys(tally->reasons), (GCompareFunc)strcmp);
    g_string_append_printf(out, "%u sealed PDU%s left out:", tally->unread, tally->unread == 1 ? "" : "s");
    for (link = reasons; link != NULL; link = link->next) {
        g_string_append_printf(out, "%s %s (%u)", link == reasons ? "" : ",", (const char *)link->data,
            GPOINTER_TO_UINT(g_hash_table_lookup(tally->reasons, link->data)));
    }
    g_string_append_c(out, '\n');
    g_list_free(reasons);
    for (unsigned i = 0; i < tally->needed.count; i++) {
        g_string_append_printf(out, "%s\n", tally->needed.texts[i]);
    }
}

static void
rules_draw(void *data)
{
    const struct tally *tally = (const struct tally *)data;
    unsigned checked = 0, broken = 0, order[NUM_RULES];
    GString *out = g_string_new("\n");

    g_string_append(out, "PerflibV2 Rules of [MS-PCQ]\n");
    g_string_append_printf(out, "Filter for statistics: %s\n", tally->filter == NULL ? "" : tally->filter);
    g_string_append_printf(out, "%-21s |%-10s |%-6s |%-8s |%10s |%10s |%11s |%-7s |\n", "Rule", "Section", "Who",
        "Severity", "Checked", "Broken", "First frame", "Verdict");
    order_rules(tally, order);
    for (unsigned place = 0; place < NUM_RULES; place++) {
        const unsigned i = order[place];
        const struct rule *rule = &perflibv2_rules[i];
        char frame[16] = "";

        if (tally->checked[i] == 0) {
            continue;
        }
        checked++;
        broken += tally->broken[i] > 0 && is_verdict(rule);
        if (tally->first_frame[i] != 0) {
            snprintf(frame, sizeof frame, "%u", tally->first_frame[i]);
        }
        g_string_append_printf(out, "%-21s |%-10s |%-6s |%-8s |%10" PRIu64 " |%10" PRIu64 " |%11s |%-7s |\n",
            rule_id(rule), rule->section, who_text(rule->who), severity_text(rule->severity), tally->checked[i],
            tally->broken[i], frame, verdict_text(tally, i));
    }
    g_string_append_printf(out, "%u of %u rules could be checked\n", checked, (unsigned)NUM_RULES);
    if (checked == 0) {
        g_string_append(out, "no rule could be checked: no PerflibV2 call was decoded\n");
    } else if (broken == 0) {
        g_string_append(out, "no rule broken\n");
    } else {
        g_string_append_printf(out, "%u rule%s broken\n", broken, broken == 1 ? "" : "s");
    }
    append_unread(out, tally);
    fputs(out->str, stdout);
    g_string_free(out, TRUE);
}

static void
rules_free(void *data)
{
    struct tally *tally = (struct tally *)data;

    g_hash_table_destroy(tally->reasons);
    needed_clear(&tally->needed);
    g_free(tally->filter);
    g_free(tally);
}

static bool
rules_start(const char *argument, void *user_data _U_)
{
    static const struct command_callbacks callbacks = { rules_reset, rules_packet, rules_draw, rules_free };
    struct tally *tally = g_new0(struct tally, 1);
    const char *filter = argument + MIN(strlen(argument), strlen(RULES_COMMAND));

    tally->reasons = g_hash_table_new(wmem_str_hash, g_str_equal);
    tally->filter = *filter == ',' && filter[1] != '\0' ? g_strdup(filter + 1) : NULL;
    return command_listen(argument, "perflibv2", tally->filter, tally, &callbacks);
}

PERFLIB_STAT_INIT_CB(rules_init_cb, rules_start)

/* Statistics menu: the same as a table */

enum verdicts_column {
    COLUMN_VERDICT,
    COLUMN_RULE,
    COLUMN_SECTION,
    COLUMN_WHO,
    COLUMN_SEVERITY,
    COLUMN_CHECKED,
    COLUMN_BROKEN,
    COLUMN_FIRST,
    COLUMN_HOLDS,
    NUM_COLUMNS
};

/* Sorted by the verdict's letters: broken, departs, held, and apart from them what was not checked. */
static stat_tap_table_item verdicts_columns[NUM_COLUMNS] = {
    [COLUMN_VERDICT] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Verdict", "%-11s" },
    [COLUMN_RULE] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Rule", "%-21s" },
    [COLUMN_SECTION] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Section", "%-10s" },
    [COLUMN_WHO] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Who", "%-6s" },
    [COLUMN_SEVERITY] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Severity", "%-8s" },
    [COLUMN_CHECKED] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Checked", "%10u" },
    [COLUMN_BROKEN] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Broken", "%10u" },
    [COLUMN_FIRST] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "First frame", "%11u" },
    [COLUMN_HOLDS] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "What holds", "%s" },
};

static struct tally verdicts;
static unsigned verdicts_order[NUM_RULES]; /* row to rule */

/* Shows a rule in a row. */
static void
rules_table_fill_row(const struct stat_rows *rows, unsigned row, unsigned i)
{
    stat_tap_table_item_type *cells = stat_rows_cells(rows, row);
    const struct rule *rule = &perflibv2_rules[i];

    cells[COLUMN_RULE].value.string_value = rule_id(rule);
    cells[COLUMN_SECTION].value.string_value = rule->section;
    cells[COLUMN_WHO].value.string_value = who_text(rule->who);
    cells[COLUMN_SEVERITY].value.string_value = severity_text(rule->severity);
    cells[COLUMN_CHECKED].value.uint_value = (unsigned)MIN(verdicts.checked[i], UINT32_MAX);
    cells[COLUMN_BROKEN].value.uint_value = (unsigned)MIN(verdicts.broken[i], UINT32_MAX);
    cells[COLUMN_FIRST].value.uint_value = verdicts.first_frame[i];
    cells[COLUMN_VERDICT].value.string_value = verdict_text(&verdicts, i);
    cells[COLUMN_HOLDS].value.string_value = rule->summary;
}

static void
fill_rows(const struct stat_rows *rows)
{
    if (verdicts.has_new_verdict) {
        order_rules(&verdicts, verdicts_order);
        verdicts.has_new_verdict = false;
    }
    for (unsigned row = 0; row < NUM_RULES; row++) {
        rules_table_fill_row(rows, row, verdicts_order[row]);
    }
}

/* A row for each rule, from the start. */
static void
verdicts_begin(struct stat_rows *rows)
{
    stat_tap_table_item_type cells[NUM_COLUMNS];

    clear(&verdicts);
    verdicts.has_new_verdict = true;
    stat_cells_init(rows, cells);
    for (unsigned i = 0; i < NUM_RULES; i++) {
        stat_rows_add(rows, NULL, cells);
    }
    fill_rows(rows);
}

static bool
verdicts_count(struct stat_rows *rows, const packet_info *pinfo, const void *tapped)
{
    count_pdu(&verdicts, pinfo, tapped);
    stat_rows_end_with(rows, ((const struct perflibv2_tap *)tapped)->needed);
    fill_rows(rows);
    return true;
}

void
perflibv2_rules_register(void)
{
    static stat_tap_ui rules_ui = {
        .group = REGISTER_PACKET_STAT_GROUP_UNSORTED,
        .cli_string = RULES_COMMAND,
        .tap_init_cb = rules_init_cb,
    };
    static struct stat_rows verdicts_rows = {
        .ui = {
            .title = "PerflibV2 Rules",
            .tap_name = "perflibv2",
            .cli_string = "perflibv2,verdicts",
            .nfields = NUM_COLUMNS,
            .fields = verdicts_columns,
        },
        .count = verdicts_count,
        .begin = verdicts_begin,
    };

    register_stat_tap_ui(&rules_ui, NULL);
    stat_rows_register(&verdicts_rows);
}
