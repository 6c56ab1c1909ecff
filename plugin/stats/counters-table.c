/* counters-table.c
 * -z perflibv2,counters and -z perfdata,counters: what each counter's values were
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "compat.h"

#include <string.h>

#include "cook/cooked-digits.h"
#include "counters/record.h"
#include "stats/path-index.h"
#include "stats/rows.h"

#include <wsutil/str_util.h>

enum counters_column {
    COLUMN_PATH,
    COLUMN_UNIT,
    COLUMN_SAMPLES,
    COLUMN_FIRST,
    COLUMN_LAST,
    COLUMN_MIN,
    COLUMN_MEAN,
    COLUMN_MAX,
    COLUMN_MAX_IN,
    COLUMN_SORT,
    NUM_COLUMNS
};

/*
 * Values are texts, as Wireshark's numbers hold neither 64 bits nor hexadecimal ones. Windows sort texts by their
 * letters: the last column is a number for that, and only there.
 */
static stat_tap_table_item counters_columns[NUM_COLUMNS] = {
    [COLUMN_PATH] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Counter", "%-70s" },
    [COLUMN_UNIT] = { TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Unit", "%-4s" },
    [COLUMN_SAMPLES] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Samples", "%7u" },
    [COLUMN_FIRST] = { TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "First", "%20s" },
    [COLUMN_LAST] = { TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Last", "%20s" },
    [COLUMN_MIN] = { TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Min", "%20s" },
    [COLUMN_MEAN] = { TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Mean", "%20s" },
    [COLUMN_MAX] = { TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Max", "%20s" },
    [COLUMN_MAX_IN] = { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Max in frame", "%12u" },
    [COLUMN_SORT] = { TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Max to sort by", "%.6f" },
};

/* The texts of a row's values, which its cells point to. One block, owned by the first of them. */
struct digits {
    char first[COOK_DIGITS_SIZE], last[COOK_DIGITS_SIZE], min[COOK_DIGITS_SIZE], mean[COOK_DIGITS_SIZE],
        max[COOK_DIGITS_SIZE];
};

/* A value to compare others with. */
struct counters_table_seen {
    double value;
    uint64_t whole;
    bool is_whole;
};

/* Kept beside a row. sum is a sum of doubles that does not lose the small ones (Neumaier): sum + lost is the total. */
struct counters_table_row_state {
    double sum;
    double lost;
    double mean;
    struct counters_table_seen last, min, max;
    struct digits *digits;
    const char *path; /* what the row was called last */
};

/* The table of one protocol. */
struct counters_table_counters {
    struct stat_rows rows; /* first; numbered like the paths */
    struct path_index *paths;
    struct counters_observer observer; /* all NULL: none */
};

static void
add_to_sum(struct counters_table_row_state *state, double value)
{
    double total = state->sum + value;

    if (ABS(state->sum) >= ABS(value)) {
        state->lost += (state->sum - total) + value;
    } else {
        state->lost += (value - total) + state->sum;
    }
    state->sum = total;
}

static void
counters_begin(struct stat_rows *rows)
{
    struct counters_table_counters *counters = (struct counters_table_counters *)rows;

    path_index_clear(counters->paths);
    if (counters->observer.begin != NULL) {
        counters->observer.begin(counters->observer.data);
    }
}

/* A counter's row, made where there is none. Texts of values stay empty until there is one. */
static unsigned
counters_table_find_row(struct counters_table_counters *counters, const struct perf_tap_sample *sample)
{
    const char *path = sample->path;
    const unsigned row = path_index_add(counters->paths, sample->identity, path);
    stat_tap_table_item_type cells[NUM_COLUMNS];
    struct digits *digits;
    struct counters_table_row_state *state;

    if (row == stat_rows_count(&counters->rows)) {
        stat_cells_init(&counters->rows, cells);
        stat_cell_set_text(&cells[COLUMN_PATH], path);
        cells[COLUMN_UNIT].value.string_value = "";
        digits = g_new0(struct digits, 1);
        g_free((char *)cells[COLUMN_FIRST].value.string_value);
        cells[COLUMN_FIRST].value.string_value = digits->first;
        cells[COLUMN_LAST].value.string_value = digits->last;
        cells[COLUMN_MIN].value.string_value = digits->min;
        cells[COLUMN_MEAN].value.string_value = digits->mean;
        cells[COLUMN_MAX].value.string_value = digits->max;
        stat_rows_add(&counters->rows, NULL, cells);
        ((struct counters_table_row_state *)stat_rows_state(&counters->rows, row))->digits = digits;
    }
    state = (struct counters_table_row_state *)stat_rows_state(&counters->rows, row);
    if (state->path != path && sample->num_aggregated == 0) {
        stat_cell_set_text(&stat_rows_cells(&counters->rows, row)[COLUMN_PATH], path);
    }
    state->path = path;
    return row;
}

static bool
is_less(const struct counters_table_seen *one, const struct counters_table_seen *other)
{
    /* Whole numbers whose doubles are the same may differ yet. */
    if (one->value != other->value || !one->is_whole || !other->is_whole) {
        return one->value < other->value;
    }
    return one->value < 0 ? other->whole < one->whole : one->whole < other->whole;
}

static void
count_mean(struct counters_table_row_state *state, unsigned samples)
{
    const struct cook_result mean = { .value = (state->sum + state->lost) / samples };

    if (samples == 1 || mean.value != state->mean) {
        state->mean = mean.value;
        cook_digits(&mean, state->digits->mean);
    }
}

static void
count_value(struct stat_rows *rows, unsigned row, const struct cook_result *cooked, uint32_t frame)
{
    stat_tap_table_item_type *cells = stat_rows_cells(rows, row);
    struct counters_table_row_state *state = (struct counters_table_row_state *)stat_rows_state(rows, row);
    const struct counters_table_seen now = { cooked->value, cooked->whole, cooked->is_whole };
    const bool is_first = cells[COLUMN_SAMPLES].value.uint_value++ == 0;

    /* Most counters change little: what is said already is not written anew. */
    if (is_first || is_less(&now, &state->last) || is_less(&state->last, &now)) {
        cook_digits(cooked, state->digits->last);
        state->last = now;
    }
    if (is_first) {
        memcpy(state->digits->first, state->digits->last, COOK_DIGITS_SIZE);
    }
    if (is_first || is_less(&now, &state->min)) {
        memcpy(state->digits->min, state->digits->last, COOK_DIGITS_SIZE);
        state->min = now;
    }
    if (is_first || is_less(&state->max, &now)) {
        memcpy(state->digits->max, state->digits->last, COOK_DIGITS_SIZE);
        state->max = now;
        cells[COLUMN_MAX_IN].value.uint_value = frame;
        if (rows->has_windows) {
            stat_cell_set_real(rows, cells, COLUMN_SORT, cooked->value);
        }
    }
    add_to_sum(state, cooked->value);
    /* A mean of addresses or flags means nothing. */
    if (!cooked->is_hex) {
        count_mean(state, cells[COLUMN_SAMPLES].value.uint_value);
    }
    cells[COLUMN_UNIT].value.string_value = cook_unit_text(cooked->unit);
}

/* Tells of how many instances an aggregated value was made the last time. */
static void
name_aggregate(struct stat_rows *rows, unsigned row, const struct perf_tap_sample *sample)
{
    char *text = g_strdup_printf("%s (aggregated from %u instance%s)", sample->path, sample->num_aggregated,
        plurality(sample->num_aggregated, "", "s"));

    stat_cell_set_text(&stat_rows_cells(rows, row)[COLUMN_PATH], text);
    g_free(text);
}

static bool
counters_count(struct stat_rows *rows, const packet_info *pinfo, const void *tapped)
{
    const struct counters_observer *observer = &((struct counters_table_counters *)rows)->observer;
    const struct perf_tap_poll *poll = (const struct perf_tap_poll *)tapped;

    if (stat_rows_end_with(rows, poll->needed)) {
        return true;
    }
    if (observer->poll != NULL) {
        observer->poll(observer->data, pinfo, poll);
    }
    for (unsigned i = 0; i < poll->num_samples; i++) {
        const struct perf_tap_sample *sample = &poll->samples[i];

        if (sample->path != NULL && sample->text == NULL && sample->cooked.reason != COOK_NOT_DISPLAYED) {
            const unsigned row = counters_table_find_row((struct counters_table_counters *)rows, sample);

            if (sample->num_aggregated > 0) {
                name_aggregate(rows, row, sample);
            }
            if (sample->cooked.reason == COOK_OK) {
                count_value(rows, row, &sample->cooked, pinfo->num);
            }
            if (observer->sample != NULL) {
                observer->sample(observer->data, row, sample);
            }
        }
    }
    return true;
}

struct stat_rows *
counters_table_new(const char *protocol, const char *tap_name, const char *title)
{
    struct counters_table_counters *counters = wmem_new(wmem_epan_scope(), struct counters_table_counters);

    *counters = (struct counters_table_counters){
        .rows = {
            .ui = {
                .title = "Counters",
                .cli_string = "counters",
                .nfields = NUM_COLUMNS,
                .fields = counters_columns,
            },
            .count = counters_count,
            .begin = counters_begin,
            .cli_columns = COLUMN_SORT,
            .owned = 1u << COLUMN_PATH | 1u << COLUMN_FIRST,
            .state_size = sizeof(struct counters_table_row_state),
        },
        .paths = path_index_new(),
    };
    stat_rows_name(&counters->rows, protocol, tap_name, title);
    return &counters->rows;
}

void
counters_table_observe(struct stat_rows *counters, const struct counters_observer *observer)
{
    ((struct counters_table_counters *)counters)->observer = *observer;
}
