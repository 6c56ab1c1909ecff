/* report-tables.h
 * What a report is made of, for tests of its findings and its page: tables whose rows are texts, and attempts
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_REPORT_TABLES_H
#define PERFLIB_TESTS_UNIT_REPORT_TABLES_H

#include <stdlib.h>
#include <string.h>

#include "compat.h"

#include "check.h"
#include "stats/asking-cells.h"
#include "stats/report/report.h"
#include "stats/sessions/attempts.h"

static wmem_allocator_t *pool;
static struct model model;

/* The columns that any of the tables has. */
static stat_tap_table_item report_columns[] = {
    STAT_TEXT("Client"),
    STAT_TEXT("Server"),
    STAT_TEXT("Handle"),
    STAT_TEXT("Value"),
    STAT_TEXT("State"),
    STAT_TEXT("Counterset"),
    STAT_TEXT("Data collector set"),
    STAT_TEXT("Last status"),
    STAT_TEXT("Last error"),
    STAT_TEXT("Asked for"),
    STAT_TEXT("Why not received"),
    STAT_TEXT("PDH's code"),
    STAT_TEXT("Section"),
    STAT_TEXT("What holds"),
    STAT_TEXT("Who"),
    STAT_TEXT("Severity"),
    STAT_TEXT("Rule"),
    STAT_TEXT("Verdict"),
    STAT_TEXT("Over"),
    STAT_TEXT("For"),
    STAT_TEXT("Outcome"),
    STAT_TEXT("Authentication"),
    STAT_COUNT("First frame"),
    STAT_COUNT("Added"),
    STAT_COUNT("Polls"),
    STAT_COUNT("Answers"),
    STAT_COUNT("Bytes"),
    STAT_COUNT("Wasted %"),
    STAT_COUNT("Too small"),
    STAT_COUNT("Late"),
    STAT_COUNT("Overlap"),
    STAT_COUNT("Twice"),
    STAT_COUNT("Other host"),
    STAT_COUNT("Values"),
    STAT_COUNT("Calls"),
    STAT_COUNT("Failed"),
    STAT_COUNT("Times"),
    STAT_COUNT("Broken"),
    STAT_COUNT("Checked"),
    STAT_COUNT("Samples"),
    STAT_REAL("Median s", 3),
    STAT_REAL("Longest s", 3),
    STAT_REAL("Response ms", 3),
    STAT_REAL("Slowest ms", 3),
};

static const struct stat_kind report_kind = {
    .name = "table",
    .title = "Table",
    .columns = report_columns,
    .num_columns = array_length(report_columns),
    .state_size = sizeof(struct stat_asking),
};

/* In place of curves: one server has a name. */
const char *
curves_host(const struct curves *curves, const char *address)
{
    (void)curves;
    return strcmp(address, "10.0.0.9") == 0 ? "PC" : NULL;
}

/* Tables without rows, and no attempts. */
static inline void
report_begin(void)
{
    for (unsigned i = 0; i < NUM_MODEL_TABLES; i++) {
        if (model.tables[i] == NULL) {
            model.tables[i] = stat_rows_new(&report_kind, "proto", "perflibv2", "Test");
        }
        model.tables[i]->ui.stat_tap_init_cb(&model.tables[i]->ui);
    }
    if (model.attempts != NULL) {
        g_ptr_array_free((GPtrArray *)model.attempts, TRUE);
    }
    model.attempts = g_ptr_array_new();
    model.last = (nstime_t){ 100, 0 };
}

/* A row as "Server=s|Polls=3"; what is not said is empty. */
static inline unsigned
report_row(enum model_table table, const char *text)
{
    struct stat_rows *rows = model.tables[table];
    const unsigned row = stat_rows_add(rows, NULL, NULL);
    stat_tap_table_item_type *cells = stat_rows_cells(rows, row);
    char **parts = g_strsplit(text, "|", -1);

    for (unsigned i = 0; i < report_kind.num_columns; i++) {
        cells[i].type = TABLE_ITEM_NONE;
    }
    for (char **part = parts; *part != NULL; part++) {
        char *value = strchr(*part, '=');
        unsigned column;

        *value++ = '\0';
        column = model_column(rows, *part);
        CHECK(column < report_kind.num_columns, "no column %s", *part);
        cells[column].type = report_columns[column].type;
        switch (cells[column].type) {
        case TABLE_ITEM_STRING: cells[column].value.string_value = g_strdup(value); break;
        case TABLE_ITEM_UINT: cells[column].value.uint_value = (unsigned)strtoul(value, NULL, 10); break;
        default: cells[column].value.float_value = g_ascii_strtod(value, NULL); break;
        }
    }
    g_strfreev(parts);
    return row;
}

/* An attempt of me at s, unless it says otherwise. */
static inline struct attempt *
report_attempt(const struct attempt *begin)
{
    struct attempt *attempt = (struct attempt *)wmem_memdup(pool, begin, sizeof *begin);
    static const bool lacks[NUM_ENDS];

    attempt->client = begin->client == NULL ? "me" : begin->client;
    attempt->server = begin->server == NULL ? "s" : begin->server;
    attempt->lacks = lacks;
    g_ptr_array_add((GPtrArray *)model.attempts, attempt);
    return attempt;
}

#endif /* PERFLIB_TESTS_UNIT_REPORT_TABLES_H */
