/* test_watch_table.c
 * The table of the watch list: what each entry found, through what Wireshark does with a window
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/record.h"

#include <string.h>

#include <epan/stat_tap_ui.h>
#include <epan/tap.h>
#include <epan/wmem_scopes.h>

#include "check.h"
#include "compat.h"
#include "stats/rows.h"
#include "stats/tables.h"

enum { NAME, COUNTERS, SAMPLES, SAYS, FIRST, PATTERN };

static stat_tap_table_ui *ui;
static stat_data_t listener;

/* The list of this test: an entry matches the paths that begin as it says. */
static unsigned entries;

unsigned
perf_watch_count(void)
{
    return entries;
}

struct perf_watch
perf_watch_entry(unsigned index)
{
    static const struct perf_watch list[] = {
        { "cpu", "\\\\PC\\CPU", true },
        { "all", "\\\\PC", true },
        { "cpu", "\\\\", false },
        { "two", "\\\\PC\\Disk", true },
    };

    return list[index];
}

bool
perf_watch_matches(unsigned index, const char *path)
{
    const struct perf_watch entry = perf_watch_entry(index);

    return entry.is_in_use && strncmp(path, entry.pattern, strlen(entry.pattern)) == 0;
}

static tap_packet_status
bring(const char *const *paths, unsigned count, enum cook_reason reason)
{
    struct perf_tap_sample samples[9] = { { .path = NULL } };
    const struct perf_tap_poll poll = { .host = "PC", .query = "1", .samples = samples, .num_samples = count };
    packet_info pinfo = { .num = 7 };

    for (unsigned i = 0; i < count; i++) {
        samples[i] = (struct perf_tap_sample){
            .identity = g_intern_string(paths[i]),
            .path = paths[i],
            .cooked = { .reason = reason },
        };
    }
    /* What stands behind them is none of the poll's. */
    samples[count] = samples[0];
    listener.stat_tap_data = ui;
    return ui->packet_func(&listener, &pinfo, NULL, &poll, 0);
}
#define BRING(reason, ...) \
    bring((const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *), \
        reason)

static const stat_tap_table *
table(void)
{
    return g_array_index(ui->tables, stat_tap_table *, 0);
}

static void
check_row(unsigned row, unsigned counters, unsigned samples, const char *says, const char *first)
{
    const struct perf_watch entry = perf_watch_entry(row);
    const stat_tap_table_item_type *cells = stat_tap_get_field_data(table(), row, 0);

    CHECK(row < table()->num_elements, "%u rows", table()->num_elements);
    CHECK(strcmp(cells[NAME].value.string_value, entry.name) == 0 &&
            strcmp(cells[PATTERN].value.string_value, entry.pattern) == 0,
        "row %u: %s, %s", row, cells[NAME].value.string_value, cells[PATTERN].value.string_value);
    CHECK(cells[COUNTERS].value.uint_value == counters && cells[SAMPLES].value.uint_value == samples,
        "row %u: %u counters, %u samples", row, cells[COUNTERS].value.uint_value, cells[SAMPLES].value.uint_value);
    CHECK(strcmp(cells[SAYS].value.string_value, says) == 0 && strcmp(cells[FIRST].value.string_value, first) == 0,
        "row %u: %s, %s", row, cells[SAYS].value.string_value, cells[FIRST].value.string_value);
}

static const char cpu[] = "\\\\PC\\CPU(0)\\Time", disk[] = "\\\\PC\\Disk(C:)\\Reads",
                  writes[] = "\\\\PC\\Disk(C:)\\Writes", other[] = "\\\\OTHER\\CPU(0)\\Time";
static const char none[] = "matches no counter of the capture", one[] = "is one counter",
                  mixture[] = "is a mixture: make the pattern exact", twice[] = "not in use: the name stands twice";

static void
count(void)
{
    char copy[sizeof disk];

    memcpy(copy, disk, sizeof disk);
    CHECK(table()->num_elements == 4, "%u rows", table()->num_elements);
    check_row(0, 0, 0, none, "");
    check_row(2, 0, 0, twice, "");
    /* No values. */
    BRING(COOK_FIRST_SAMPLE, cpu, disk);
    BRING(COOK_OK, NULL, other);
    check_row(0, 0, 0, none, "");
    check_row(1, 0, 0, none, "");
    CHECK(BRING(COOK_OK, disk, other, cpu) == TAP_PACKET_REDRAW, "not drawn");
    check_row(0, 1, 1, one, cpu);
    check_row(1, 2, 2, mixture, disk);
    check_row(2, 0, 0, twice, "");
    check_row(3, 1, 1, one, disk);
    /* The same path of another text is the same counter. */
    BRING(COOK_OK, writes, copy, disk);
    check_row(0, 1, 1, one, cpu);
    check_row(1, 3, 5, mixture, disk);
    check_row(3, 2, 4, mixture, disk);
    /* Why some are missing. */
    CHECK(ui->packet_func(&listener, &(packet_info){ .num = 8 }, NULL,
              &(struct perf_tap_poll){ .host = "PC", .needed = "a key" }, 0) == TAP_PACKET_REDRAW &&
            ui->tables->len == 2 && strcmp(g_array_index(ui->tables, stat_tap_table *, 1)->title, "a key") == 0,
        "the table ends with its rows");
    /* A list that changed meanwhile: the table is made anew soon. */
    entries--;
    CHECK(BRING(COOK_OK, cpu) == TAP_PACKET_DONT_REDRAW, "rows of another list");
    entries++;
}

int
main(void)
{
    wmem_init_scopes();
    stat_rows_register(stat_rows_new(&watch_table, "test", "test", "Test"));
    ui = stat_tap_by_name("test,watch");
    if (ui == NULL) {
        CHECK(false, "no table");
        return check_result();
    }
    for (unsigned opened = 0; opened < 2; opened++) {
        entries = 4;
        ui->stat_tap_init_cb(ui);
        for (unsigned filtered = 0; filtered < 2; filtered++) {
            count();
            reset_stat_table(ui);
            BRING(COOK_OK, cpu);
            check_row(0, 1, 1, one, cpu);
            check_row(1, 1, 1, one, cpu);
            reset_stat_table(ui);
        }
        entries = 1;
        reset_stat_table(ui);
        BRING(COOK_OK, disk, cpu);
        check_row(0, 1, 1, one, cpu);
        CHECK(table()->num_elements == 1, "%u rows", table()->num_elements);
        free_stat_tables(ui);
    }
    return check_result();
}
