/* perflibv2-rules.c
 * -z perflibv2,rules: verdict for each rule of [MS-PCQ], and the numbers of checked, violated and unchecked rules
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include <inttypes.h>
#include <string.h>

#include "perflibv2/record.h"

/* Number of checks and violations per rule. */
struct rule_counts {
    uint64_t checked[NUM_RULES];
    uint64_t broken[NUM_RULES];
    /* by[false]: true if a request violated the rule; by[true]: true if an answer did */
    bool by[2][NUM_RULES];
    uint32_t first_frame[NUM_RULES]; /* frame of the first violation; 0 if none */
    uint32_t checked_in[NUM_RULES];  /* frame of the first check; 0 if none */
    bool has_changed[NUM_RULES];     /* true if the rule's counts changed since fill_rule() showed them */
    bool has_new_verdict;            /* true if a rule was checked or violated for the first time since rules_fill() */
    uint32_t unread;                 /* number of PDUs that could not be checked */
    GHashTable *reasons;             /* maps a reason (constant text) to the number of PDUs not checked for it */
};

struct rules_table {
    struct stat_rows rows; /* must be the first member */
    struct rule_counts tally;
    unsigned rule_of_row[NUM_RULES];
};

static void
rules_table_count(struct rule_counts *tally, const struct perflibv2_tap_rules *rules, bool is_response, uint32_t frame)
{
    static const uint32_t none[NUM_RULES];
    const uint32_t *all_checked = rules->checked == NULL ? none : rules->checked;
    const uint32_t *all_broken = rules->broken == NULL ? none : rules->broken;

    for (unsigned i = 0; (all_checked != none || all_broken != none) && i < NUM_RULES; i++) {
        const uint32_t checked = all_checked[i], broken = all_broken[i];

        if ((checked | broken) == 0) {
            continue;
        }
        if (checked != 0 && tally->checked[i] == 0) {
            tally->has_new_verdict = true;
            tally->checked_in[i] = frame;
        }
        if (broken != 0 && tally->first_frame[i] == 0) {
            tally->has_new_verdict = true;
            tally->first_frame[i] = frame;
        }
        tally->checked[i] += checked;
        tally->broken[i] += broken;
        tally->by[is_response][i] |= broken != 0;
        tally->has_changed[i] = true;
    }
}

static void
count_unread(struct rule_counts *tally, const char *reason)
{
    const unsigned before = GPOINTER_TO_UINT(g_hash_table_lookup(tally->reasons, reason));

    tally->unread++;
    g_hash_table_insert(tally->reasons, (void *)reason, GUINT_TO_POINTER(before + 1));
}

/* Returns who must keep a rule: client, server or both. If both must and only one violated it, returns that one. */
static enum rule_who
who_of(const struct rule_counts *tally, unsigned i)
{
    const enum rule_who who = perflibv2_rules[i].who;
    const bool by_client = tally->by[false][i], by_server = tally->by[true][i];

    return who != RULE_WHO_BOTH || by_client == by_server ? who : by_client ? RULE_WHO_CLIENT : RULE_WHO_SERVER;
}

/* Verdicts in display order. */
enum verdict { VERDICT_BROKEN, VERDICT_DEPARTS, VERDICT_HELD, VERDICT_NOT_CHECKED };

static const char *const verdict_texts[] = { "broken", "departs", "held", "not checked" };

/*
 * Returns a rule's verdict. Rules with a severity below PI_WARN never count as broken: they are SHOULDs, or Windows
 * violates them, or test setups do (RULES.md).
 */
static enum verdict
verdict_of(const struct rule_counts *tally, unsigned i)
{
    return tally->checked[i] == 0                ? VERDICT_NOT_CHECKED
        : tally->broken[i] == 0                  ? VERDICT_HELD
        : perflibv2_rules[i].severity >= PI_WARN ? VERDICT_BROKEN
                                                 : VERDICT_DEPARTS;
}

/* Sorts the rules for display: violated rules first, unchecked ones last, and by section within each verdict. */
static void
order_rules(struct rules_table *table)
{
    unsigned row = 0;

    for (unsigned verdict = VERDICT_BROKEN; verdict <= VERDICT_NOT_CHECKED; verdict++) {
        for (unsigned i = 0; i < NUM_RULES; i++) {
            if ((unsigned)verdict_of(&table->tally, i) == verdict) {
                table->rule_of_row[row++] = i;
            }
        }
    }
}

/*
 * The verdict is first, since windows sort by the first column. The alphabet gives a useful order: broken, departs,
 * held, not checked.
 */
/* clang-format off */
#define RULES_COLUMNS(X) \
    X(COLUMN_VERDICT, STAT_TEXT("verdict", "Verdict")) \
    X(COLUMN_RULE, STAT_TEXT("rule", "Rule")) \
    X(COLUMN_SECTION, STAT_TEXT("section", "Section")) \
    X(COLUMN_WHO, STAT_TEXT("who", "Who")) \
    X(COLUMN_SEVERITY, STAT_TEXT("severity", "Severity")) \
    X(COLUMN_CHECKED, STAT_COUNT("checked", "Checked")) \
    X(COLUMN_BROKEN, STAT_COUNT("broken", "Broken")) \
    X(COLUMN_FIRST, STAT_COUNT("first_frame", "First frame")) \
    X(COLUMN_HOLDS, STAT_TEXT("holds", "Requirement")) \
    X(COLUMN_CHECKED_IN, STAT_COUNT("checked_in", "First checked in"))
/* clang-format on */

enum { RULES_COLUMNS(STAT_COLUMN_NUMBER) NUM_COLUMNS };
static const struct stat_column rules_columns[NUM_COLUMNS] = { RULES_COLUMNS(STAT_COLUMN) };

/* Numbers of the sentences below the table of rules. The last one exists only if PDUs were sealed. */
enum { SENTENCE_CHECKED, SENTENCE_BROKEN, SENTENCE_UNREAD };

/* Sets the cells of a rule's row. */
static void
fill_rule(const struct rules_table *table, unsigned row, unsigned i)
{
    static const char *const who_texts[] = { "client", "server", "both" }; /* by enum rule_who */
    const struct rule_counts *tally = &table->tally;
    stat_tap_table_item_type *cells = stat_rows_cells(&table->rows, row);
    const struct rule *rule = &perflibv2_rules[i];

    stat_cell_set_text(&cells[COLUMN_VERDICT], verdict_texts[verdict_of(tally, i)]);
    stat_cell_set_text(&cells[COLUMN_RULE], rule->filter + strlen("perflibv2.rule."));
    stat_cell_set_text(&cells[COLUMN_SECTION], rule->section);
    stat_cell_set_text(&cells[COLUMN_WHO], who_texts[who_of(tally, i)]);
    stat_cell_set_text(&cells[COLUMN_SEVERITY],
        rule->severity == PI_ERROR      ? "error"
            : rule->severity == PI_WARN ? "warning"
                                        : "note");
    cells[COLUMN_CHECKED].value.uint_value = (unsigned)MIN(tally->checked[i], UINT32_MAX);
    cells[COLUMN_BROKEN].value.uint_value = (unsigned)MIN(tally->broken[i], UINT32_MAX);
    cells[COLUMN_FIRST].value.uint_value = tally->first_frame[i];
    stat_cell_set_text(&cells[COLUMN_HOLDS], rule->sentence);
    cells[COLUMN_CHECKED_IN].value.uint_value = tally->checked_in[i];
}

static void
set_sentence(struct stat_rows *rows, unsigned sentence, char *text)
{
    stat_rows_set_sentence(rows, sentence, text);
    g_free(text);
}

/*
 * Appends "2 rules held: detail_level (63), padding (12)", with the numbers of checks; nothing if no rule has the
 * verdict.
 */
static void
append_verdict(const struct rules_table *table, GString *out, enum verdict verdict)
{
    GString *names = g_string_new(NULL);
    unsigned count = 0;

    for (unsigned row = 0; row < NUM_RULES; row++) {
        const unsigned i = table->rule_of_row[row];

        if (verdict_of(&table->tally, i) == verdict) {
            g_string_append_printf(names, "%s %s", count++ == 0 ? "" : ",",
                perflibv2_rules[i].filter + strlen("perflibv2.rule."));
            if (verdict != VERDICT_NOT_CHECKED) {
                g_string_append_printf(names, " (%" PRIu64 ")", table->tally.checked[i]);
            }
        }
    }
    if (count > 0) {
        g_string_append_printf(out, "%u rule%s %s:%s\n", count, count == 1 ? "" : "s", verdict_texts[verdict],
            names->str);
    }
    g_string_free(names, TRUE);
}

/* Returns the number of PDUs that were not checked, and the reasons. */
static char *
unread_sentence(const struct rule_counts *tally)
{
    GString *out = g_string_new(NULL);
    GList *reasons = g_list_sort(g_hash_table_get_keys(tally->reasons), (GCompareFunc)strcmp);

    g_string_append_printf(out, "%u sealed PDU%s left out:", tally->unread, tally->unread == 1 ? "" : "s");
    for (const GList *link = reasons; link != NULL; link = link->next) {
        g_string_append_printf(out, "%s %s (%u)", link == reasons ? "" : ",", (const char *)link->data,
            GPOINTER_TO_UINT(g_hash_table_lookup(tally->reasons, link->data)));
    }
    g_list_free(reasons);
    return g_string_free(out, FALSE);
}

static void
rules_fill(struct stat_rows *rows)
{
    struct rules_table *table = (struct rules_table *)rows;
    struct rule_counts *tally = &table->tally;
    const bool shows_all = tally->has_new_verdict;

    if (tally->has_new_verdict) {
        unsigned checked = 0, broken = 0;

        order_rules(table);
        for (unsigned i = 0; i < NUM_RULES; i++) {
            checked += tally->checked[i] > 0;
            broken += verdict_of(tally, i) == VERDICT_BROKEN;
        }
        set_sentence(rows, SENTENCE_CHECKED,
            g_strdup_printf("%u of %u rules could be checked", checked, (unsigned)NUM_RULES));
        set_sentence(rows, SENTENCE_BROKEN,
            checked == 0      ? g_strdup("no rule could be checked: no PerflibV2 call was decoded")
                : broken == 0 ? g_strdup("no rule broken")
                              : g_strdup_printf("%u rule%s broken", broken, broken == 1 ? "" : "s"));
        tally->has_new_verdict = false;
    }
    for (unsigned row = 0; row < NUM_RULES; row++) {
        const unsigned rule = table->rule_of_row[row];

        if (shows_all || tally->has_changed[rule]) {
            fill_rule(table, row, rule);
            tally->has_changed[rule] = false;
        }
    }
    if (tally->unread > 0) {
        set_sentence(rows, SENTENCE_UNREAD, unread_sentence(tally));
    }
}

/* Fills the emptied table: a row per rule, and the sentences SENTENCE_CHECKED and SENTENCE_BROKEN. */
static void
rules_begin(struct stat_rows *rows)
{
    struct rules_table *table = (struct rules_table *)rows;
    GHashTable *reasons =
        table->tally.reasons != NULL ? table->tally.reasons : g_hash_table_new(wmem_str_hash, g_str_equal);

    g_hash_table_remove_all(reasons);
    table->tally = (struct rule_counts){ .has_new_verdict = true, .reasons = reasons };
    for (unsigned row = 0; row < NUM_RULES; row++) {
        stat_rows_add(rows, NULL, NULL);
    }
    stat_rows_add_sentence(rows);
    stat_rows_add_sentence(rows);
    rules_fill(rows);
}

static bool
rules_count(struct stat_rows *rows, const packet_info *pinfo, const void *tapped)
{
    struct rules_table *table = (struct rules_table *)rows;
    const struct perflibv2_tap *call = (const struct perflibv2_tap *)tapped;

    if (call->unread != NULL) {
        if (table->tally.unread == 0) {
            stat_rows_add_sentence(rows);
        }
        count_unread(&table->tally, call->unread);
        stat_rows_end_with(rows, call->needed);
    }
    for (unsigned i = 0; i < array_length(call->rules); i++) {
        rules_table_count(&table->tally, &call->rules[i], call->is_response, pinfo->num);
    }
    return true;
}

const char *
rules_fault(const struct stat_rows *rows, unsigned row, enum rule_who *who)
{
    const struct rules_table *table = (const struct rules_table *)rows;
    const unsigned rule = table->rule_of_row[row];

    *who = who_of(&table->tally, rule);
    return verdict_of(&table->tally, rule) == VERDICT_BROKEN ? perflibv2_rules[rule].fault : NULL;
}

static void
append_other_rules(const struct stat_rows *rows, GString *out)
{
    append_verdict((const struct rules_table *)rows, out, VERDICT_HELD);
    append_verdict((const struct rules_table *)rows, out, VERDICT_NOT_CHECKED);
}

/* Terminal layout. Rules that held or were not checked are listed in sentences instead of rows. */
static const struct stat_view rules_view = {
    .columns = ~(STAT_BIT(COLUMN_HOLDS) | STAT_BIT(COLUMN_CHECKED_IN)),
    .below = STAT_BIT(COLUMN_HOLDS),
    .below_label = "Rule",
    .needs = STAT_BIT(COLUMN_BROKEN),
};

const struct stat_kind perflibv2_rules_table = {
    .name = "rules",
    .title = "Rules",
    .columns = rules_columns,
    .num_columns = NUM_COLUMNS,
    .count = rules_count,
    .begin = rules_begin,
    .fill = rules_fill,
    .views = &rules_view,
    .num_views = 1,
    .append_text = append_other_rules,
    .frames = STAT_BIT(COLUMN_FIRST) | STAT_BIT(COLUMN_CHECKED_IN),
    .size = sizeof(struct rules_table),
};
