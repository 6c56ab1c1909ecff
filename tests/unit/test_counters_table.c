/* test_counters_table.c
 * The table of counters: what of their values counts, through what Wireshark does with a window
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/record.h"

#include <string.h>

#include <epan/stat_tap_ui.h>
#include <epan/tap.h>
#include <epan/wmem_scopes.h>

#include "check.h"
#include "stats/rows.h"
#include "stats/tables.h"

enum { COLUMN_PATH, COLUMN_UNIT, COLUMN_SAMPLES, COLUMN_FIRST, COLUMN_LAST, COLUMN_MIN, COLUMN_MEAN, COLUMN_MAX };

static stat_tap_table_ui *ui;
static stat_data_t listener;

static void
bring(const char *path, double value, enum cook_reason reason, const char *text)
{
    const struct perf_tap_sample sample = {
        .identity = g_intern_string(path),
        .path = path,
        .text = text,
        .cooked = { .value = value, .reason = reason, .unit = COOK_UNIT_PER_SECOND },
    };
    const struct perf_tap_poll poll = { .samples = &sample, .num_samples = 1 };
    static packet_info pinfo = { .num = 7 };

    listener.stat_tap_data = ui;
    CHECK(ui->packet_func(&listener, &pinfo, NULL, &poll, 0) == TAP_PACKET_REDRAW, "not drawn");
}

static const stat_tap_table *
table(void)
{
    return g_array_index(ui->tables, stat_tap_table *, 0);
}

/* A row: its path, unit, number of samples; and its numbers, of which there are none without a sample. */
static void
check_row(unsigned row, const char *path, const char *unit, unsigned samples, const char *const numbers[5])
{
    const stat_tap_table_item_type *cells = stat_tap_get_field_data(table(), row, 0);

    CHECK(row < table()->num_elements, "%u rows", table()->num_elements);
    CHECK(strcmp(cells[COLUMN_PATH].value.string_value, path) == 0 &&
            strcmp(cells[COLUMN_UNIT].value.string_value, unit) == 0,
        "%s, %s", cells[COLUMN_PATH].value.string_value, cells[COLUMN_UNIT].value.string_value);
    CHECK(cells[COLUMN_SAMPLES].value.uint_value == samples, "%s: %u samples", path,
        cells[COLUMN_SAMPLES].value.uint_value);
    for (unsigned i = 0; i < 5; i++) {
        const stat_tap_table_item_type *cell = &cells[COLUMN_FIRST + i];

        CHECK(cell->type == TABLE_ITEM_STRING && strcmp(cell->value.string_value, samples == 0 ? "" : numbers[i]) == 0,
            "%s, number %u: %s", path, i, cell->value.string_value);
    }
}

static const char reads[] = "\\\\PC\\Set(x)\\Reads", writes[] = "\\\\PC\\Set(x)\\Writes";

static void
count(void)
{
    /* First, last, min, mean, max. */
    static const char *const of_reads[] = { "5.000", "3.000", "2.000", "4.000", "6.000" };
    static const char *const of_writes[] = { "1e+100", "-1e+100", "-1e+100", "0.333", "1e+100" };
    static const char *const small[] = { "1.000", "-1e+16", "-1e+16", "0.333", "1e+16" };
    static const double value[] = { 5, 6, 2, 3, 4 };
    char copy[sizeof reads];

    memcpy(copy, reads, sizeof reads);
    for (unsigned i = 0; i < 4; i++) {
        bring(reads, value[i], COOK_OK, NULL);
    }
    bring(copy, 3 + 1, COOK_FIRST_SAMPLE, NULL);
    bring("base", 3, COOK_NOT_DISPLAYED, NULL);
    bring("text", 3, COOK_OK, "some");
    bring(NULL, 3, COOK_OK, NULL);
    bring("none yet", 3, COOK_FIRST_SAMPLE, NULL);
    bring(writes, 1e100, COOK_OK, NULL);
    bring(writes, 1, COOK_OK, NULL);
    bring(writes, -1e100, COOK_OK, NULL);
    bring("small", 1, COOK_OK, NULL);
    bring("small", 1e16, COOK_OK, NULL);
    bring("small", -1e16, COOK_OK, NULL);
    CHECK(table()->num_elements == 4, "%u rows", table()->num_elements);
    check_row(0, reads, "/s", 4, of_reads);
    check_row(1, "none yet", "", 0, of_reads);
    check_row(2, writes, "/s", 3, of_writes);
    check_row(3, "small", "/s", 3, small);
}

int
main(void)
{
    wmem_init_scopes();
    stat_rows_register(counters_table_new("test", "test", "Test"));
    ui = stat_tap_by_name("test,counters");
    if (ui == NULL) {
        CHECK(false, "no table");
        return check_result();
    }
    for (unsigned opened = 0; opened < 2; opened++) {
        ui->stat_tap_init_cb(ui);
        for (unsigned filtered = 0; filtered < 3; filtered++) {
            count();
            reset_stat_table(ui);
            /* What comes first now came last before. */
            bring(writes, 1, COOK_OK, NULL);
            bring(reads, 2, COOK_OK, NULL);
            check_row(0, writes, "/s", 1, (const char *const[]){ "1.000", "1.000", "1.000", "1.000", "1.000" });
            check_row(1, reads, "/s", 1, (const char *const[]){ "2.000", "2.000", "2.000", "2.000", "2.000" });
            /* The same one again, and not the one that came after it. */
            bring(writes, 1, COOK_OK, NULL);
            bring(writes, 1, COOK_OK, NULL);
            check_row(0, writes, "/s", 3, (const char *const[]){ "1.000", "1.000", "1.000", "1.000", "1.000" });
            check_row(1, reads, "/s", 1, (const char *const[]){ "2.000", "2.000", "2.000", "2.000", "2.000" });
            reset_stat_table(ui);
            CHECK(table()->num_elements == 0, "%u rows", table()->num_elements);
        }
        count();
        free_stat_tables(ui);
    }
    return check_result();
}
