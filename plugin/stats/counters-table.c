/* counters-table.c
 * -z perflibv2,counters and -z perfdata,counters: what each counter's values were
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "compat.h"

#include "counters/record.h"
#include "stats/path-index.h"
#include "stats/rows.h"

#include <wsutil/str_util.h>

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

/* A sum of doubles that does not lose the small ones (Neumaier): sum + lost is the total. Kept beside a row. */
struct sum {
    double sum;
    double lost;
};

/* The table of one protocol. */
struct counters {
    struct stat_rows rows;      /* first; numbered like the paths */
    struct path_index *paths;
};

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
counters_begin(struct stat_rows *rows)
{
    path_index_clear(((struct counters *)rows)->paths);
}

/* A path's row, made where there is none. Numbers stay empty until there is a value. */
static unsigned
find_row(struct counters *counters, const char *path)
{
    const unsigned row = path_index_add(counters->paths, path);
    stat_tap_table_item_type cells[NUM_COLUMNS];

    if (row == stat_rows_count(&counters->rows)) {
        stat_cells_init(&counters->rows, cells);
        stat_cell_set_text(&cells[COLUMN_PATH], path);
        cells[COLUMN_UNIT].value.string_value = "";
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
count_value(struct stat_rows *rows, unsigned row, const struct cook_result *cooked)
{
    stat_tap_table_item_type *cells = stat_rows_cells(rows, row);
    struct sum *sum = (struct sum *)stat_rows_state(rows, row);
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

/* Of how many instances a value was made the last time. */
static void
name_aggregate(struct stat_rows *rows, unsigned row, const struct perf_tap_sample *sample)
{
    char *text = g_strdup_printf("%s (aggregated from %u instance%s)", sample->path, sample->num_aggregated,
                                 plurality(sample->num_aggregated, "", "s"));

    stat_cell_set_text(&stat_rows_cells(rows, row)[COLUMN_PATH], text);
    g_free(text);
}

static bool
counters_count(struct stat_rows *rows, const packet_info *pinfo _U_, const void *tapped)
{
    const struct perf_tap_poll *poll = (const struct perf_tap_poll *)tapped;

    if (stat_rows_end_with(rows, poll->needed)) {
        return true;
    }
    for (unsigned i = 0; i < poll->num_samples; i++) {
        const struct perf_tap_sample *sample = &poll->samples[i];

        if (sample->path != NULL && sample->text == NULL && sample->cooked.reason != COOK_NOT_DISPLAYED) {
            const unsigned row = find_row((struct counters *)rows, sample->path);

            if (sample->num_aggregated > 0) {
                name_aggregate(rows, row, sample);
            }
            if (sample->cooked.reason == COOK_OK) {
                count_value(rows, row, &sample->cooked);
            }
        }
    }
    return true;
}

void
counters_table_register(const char *protocol, const char *tap_name, const char *title)
{
    struct counters *counters = wmem_new(wmem_epan_scope(), struct counters);

    *counters = (struct counters){
        .rows = {
            .ui = {
                .title = wmem_strdup_printf(wmem_epan_scope(), "%s Counters", title),
                .tap_name = wmem_strdup(wmem_epan_scope(), tap_name),
                .cli_string = wmem_strdup_printf(wmem_epan_scope(), "%s,counters", protocol),
                .nfields = NUM_COLUMNS,
                .fields = counters_columns,
            },
            .count = counters_count,
            .begin = counters_begin,
            .owned = 1u << COLUMN_PATH,
            .state_size = sizeof(struct sum),
        },
        .paths = path_index_new(),
    };
    stat_rows_register(&counters->rows);
}
