/* counters.c
 * The statistics that both performance APIs share: what each counter's values were
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/counters.h"

#include "compat.h"

#include <epan/stat_tap_ui.h>
#include <epan/tap.h>

#include "counters/record.h"
#include "stats/path-index.h"
#include "stats/pdh-csv.h"
#include "stats/rows.h"

enum counters_column {
    COLUMN_PATH, COLUMN_UNIT, COLUMN_SAMPLES, COLUMN_FIRST, COLUMN_LAST, COLUMN_MIN, COLUMN_MEAN, COLUMN_MAX,
    NUM_COLUMNS
};

/*
 * Names are as wide as the cells, because tshark prints both as they are. 15 digits is what a double holds of
 * any number; pdh-csv has the rest of a large whole one.
 */
static stat_tap_table_item counters_columns[NUM_COLUMNS] = {
    [COLUMN_PATH] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT,
        "Counter                                                               ", "%-70s" },
    [COLUMN_UNIT] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Unit", "%-4s" },
    [COLUMN_SAMPLES] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Samples", "%7u" },
    [COLUMN_FIRST] = { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "               First", "%20.15g" },
    [COLUMN_LAST] = { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "                Last", "%20.15g" },
    [COLUMN_MIN] = { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "                 Min", "%20.15g" },
    [COLUMN_MEAN] = { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "                Mean", "%20.15g" },
    [COLUMN_MAX] = { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "                 Max", "%20.15g" },
};

/* A sum of doubles that does not lose the small ones (Neumaier): sum + lost is the total. */
struct sum {
    double sum;
    double lost;
};

/* The table of one protocol. */
struct counters {
    stat_tap_table_ui ui;       /* first: callbacks get a pointer to it */
    struct stat_rows rows;      /* numbered like the paths; beside each: struct sum */
    struct path_index *paths;
};

static const struct stat_rows counters_rows = { .owned = 1u << COLUMN_PATH, .state_size = sizeof(struct sum) };

static GSList *all_counters;

static void
add_to_sum(struct sum *sum, double value)
{
    double total = sum->sum + value;

    if (ABS(sum->sum) >= ABS(value)) {
        sum->lost += (sum->sum - total) + value;
    } else {
        sum->lost += (value - total) + sum->sum;
    }
    sum->sum = total;
}

static void
counters_free_item(stat_tap_table *table _U_, unsigned row _U_, unsigned column, stat_tap_table_item_type *item)
{
    stat_rows_free_item(&counters_rows, column, item);
}

static void
counters_reset(stat_tap_table *table)
{
    for (GSList *link = all_counters; link; link = link->next) {
        struct counters *counters = (struct counters *)link->data;

        if (counters->rows.table == table) {
            path_index_clear(counters->paths);
            stat_rows_reset(&counters->rows);
        }
    }
}

static void
counters_init(stat_tap_table_ui *ui)
{
    struct counters *counters = (struct counters *)ui;

    path_index_clear(counters->paths);
    stat_rows_init(&counters->rows, ui);
}

/* A path's row, made where there is none. Cells stay empty until there is a value. */
static unsigned
find_row(struct counters *counters, const struct perf_tap_sample *sample)
{
    unsigned row = path_index_add(counters->paths, sample->path);

    if (row == counters->rows.table->num_elements) {
        stat_tap_table_item_type cells[NUM_COLUMNS] = {
            [COLUMN_PATH] = stat_cell_text(sample->path),
            [COLUMN_UNIT] = { .type = TABLE_ITEM_STRING, .value.string_value = "" },
            [COLUMN_SAMPLES] = { .type = TABLE_ITEM_UINT },
        };

        stat_rows_add(&counters->rows, NULL, cells);
    }
    return row;
}

static void
set_number(stat_tap_table_item_type *cell, double value)
{
    cell->type = TABLE_ITEM_FLOAT;
    cell->value.float_value = value;
}

static void
count_value(struct counters *counters, unsigned row, const struct cook_result *cooked)
{
    stat_tap_table_item_type *cells = stat_rows_cells(&counters->rows, row);
    struct sum *sum = (struct sum *)stat_rows_state(&counters->rows, row);
    double value = cooked->value;

    if (cells[COLUMN_SAMPLES].value.uint_value++ == 0) {
        set_number(&cells[COLUMN_FIRST], value);
        set_number(&cells[COLUMN_MIN], value);
        set_number(&cells[COLUMN_MAX], value);
    }
    add_to_sum(sum, value);
    cells[COLUMN_UNIT].value.string_value = cook_unit_text(cooked->unit);
    set_number(&cells[COLUMN_LAST], value);
    set_number(&cells[COLUMN_MIN], MIN(cells[COLUMN_MIN].value.float_value, value));
    set_number(&cells[COLUMN_MAX], MAX(cells[COLUMN_MAX].value.float_value, value));
    set_number(&cells[COLUMN_MEAN], (sum->sum + sum->lost) / cells[COLUMN_SAMPLES].value.uint_value);
}

static tap_packet_status
counters_packet(void *data, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    struct counters *counters = (struct counters *)((stat_data_t *)data)->stat_tap_data;
    const struct perf_tap_poll *poll = (const struct perf_tap_poll *)tapped;

    if (!stat_rows_count_for(&counters->rows, data)) {
        return TAP_PACKET_DONT_REDRAW;
    }
    for (unsigned i = 0; i < poll->num_samples; i++) {
        const struct perf_tap_sample *sample = &poll->samples[i];

        if (sample->path && !sample->text && sample->cooked.reason != COOK_NOT_DISPLAYED) {
            unsigned row = find_row(counters, sample);

            if (sample->cooked.reason == COOK_OK) {
                count_value(counters, row, &sample->cooked);
            }
        }
    }
    return TAP_PACKET_REDRAW;
}

static void
counters_register(const char *protocol, const char *tap_name, const char *title)
{
    struct counters *counters = wmem_new0(wmem_epan_scope(), struct counters);

    counters->ui.group = REGISTER_PACKET_STAT_GROUP_UNSORTED;
    counters->ui.title = wmem_strdup_printf(wmem_epan_scope(), "%s Counters", title);
    counters->ui.tap_name = wmem_strdup(wmem_epan_scope(), tap_name);
    counters->ui.cli_string = wmem_strdup_printf(wmem_epan_scope(), "%s,counters", protocol);
    counters->ui.stat_tap_init_cb = counters_init;
    counters->ui.packet_func = counters_packet;
    counters->ui.stat_tap_reset_table_cb = counters_reset;
    counters->ui.stat_tap_free_table_item_cb = counters_free_item;
    counters->ui.nfields = NUM_COLUMNS;
    counters->ui.fields = counters_columns;
    counters->ui.nparams = array_length(stat_rows_parameters);
    counters->ui.params = stat_rows_parameters;
    counters->paths = path_index_new();
    counters->rows = counters_rows;
    all_counters = g_slist_prepend(all_counters, counters);
    register_stat_tap_table_ui(&counters->ui);
}

void
stats_counters_register(const char *protocol, const char *tap_name, const char *title)
{
    counters_register(protocol, tap_name, title);
    pdh_csv_register(protocol, tap_name);
}
