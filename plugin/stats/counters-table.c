/* counters-table.c
 * -z perflibv2,counters and -z perfdata,counters: minimum, mean, maximum and other values of each counter
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include <limits.h>
#include <string.h>

#include "stats/key-index.h"

#include <wsutil/str_util.h>

/*
 * One row per counter, one group per counterset of a machine. Numbers are texts, since doubles are inexact above 2^53;
 * windows sort texts byte by byte, so they get numbers padded with spaces. The important columns are first, for windows
 * of 1280 pixels. COLUMN_PATH repeats the group's name, which files saved from a window do not have.
 */
/* clang-format off */
#define COUNTERS_COLUMNS(X) \
    X(COLUMN_NAME, STAT_TEXT(NULL, "Counter")) \
    X(COLUMN_LAST, STAT_NUMBER("last", "Last")) \
    X(COLUMN_MAX, STAT_NUMBER("max", "Max")) \
    X(COLUMN_MEAN, STAT_NUMBER("mean", "Mean")) \
    X(COLUMN_MIN, STAT_NUMBER("min", "Min")) \
    X(COLUMN_SAMPLES, STAT_COUNT("samples", "Samples")) \
    X(COLUMN_MAX_IN, STAT_COUNT("max_frame", "Max in frame")) \
    X(COLUMN_MIN_IN, STAT_COUNT("min_frame", "Min in frame")) \
    X(COLUMN_UNIT, STAT_TEXT("unit", "Unit")) \
    X(COLUMN_FIRST, STAT_NUMBER("first", "First")) \
    X(COLUMN_PATH, STAT_TEXT("path", "Path")) \
    X(COLUMN_WHY, STAT_TEXT("reason", "No value")) /* first of the columns that no window shows */ \
    X(COLUMN_CODE, STAT_DATA_TEXT("reason_code")) /* first of the columns that only files have */ \
    X(COLUMN_MACHINE, STAT_DATA_TEXT("server")) \
    X(COLUMN_SET, STAT_DATA_TEXT("counterset")) \
    X(COLUMN_SET_ID, STAT_DATA_TEXT("counterset_id")) \
    X(COLUMN_INSTANCE, STAT_DATA_TEXT("instance")) \
    X(COLUMN_COUNTER, STAT_DATA_TEXT("counter")) \
    X(COLUMN_COUNTER_ID, STAT_DATA_COUNT("counter_id")) \
    X(COLUMN_AGGREGATED, STAT_DATA_COUNT("aggregated_from")) \
    X(COLUMN_KNOWN_BY, STAT_DATA_TEXT("known_by"))
/* clang-format on */

enum { COUNTERS_COLUMNS(STAT_COLUMN_NUMBER) NUM_COLUMNS };
static const struct stat_column counters_columns[NUM_COLUMNS] = { COUNTERS_COLUMNS(STAT_COLUMN) };

/* In windows, numbers below 1e26 are shown without an exponent, and small ones with at most 25 decimals. */
#define MOST_DIGITS 25

/* Maximum number of extra spaces before a negative number; windows sort numbers as text, and spaces before digits */
#define NEGATIVE_RANKS 64

/* State of a row. The total of its values is sum + lost: Neumaier's summation, which does not lose small values. */
struct counters_table_row_state {
    double sum;
    double lost;
    struct cook_result first, last, min, max;
    const char *path; /* latest path of the counter */
    const char *unit; /* text shown in the unit column; constant */
    unsigned longest; /* digits of the longest number if the instance's name has only numbers ("0,12": 2); else 0 */
};

/* Widths to which a window pads the numbers of a group */
struct group_widths {
    size_t whole;         /* maximum digits before the point */
    unsigned instance;    /* maximum digits of a number in an instance's name */
    GSequence *negatives; /* different negative values in the cells of the group (struct cook_result), ascending */
};

/* Counters table of one protocol. */
struct counters_table_counters {
    struct stat_rows rows; /* must be the first member; .paths has the row number of each counter */
    struct key_index *paths;
    unsigned total;                    /* index of the sentence "7 counters" below the table; only windows show it */
    struct counters_observer observer; /* callbacks; NULL if the table has no observer */
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

    counters->paths = key_index_new(rows->scope);
    counters->total = stat_rows_add_sentence(rows);
    if (counters->observer.begin != NULL) {
        counters->observer.begin(counters->observer.data);
    }
}

/* Sets the name of a row: the value's path without the group's heading, and the number of aggregated instances. */
static void
name_cell(const struct stat_rows *rows, stat_tap_table_item_type *cells, const struct perf_tap_value *value)
{
    GString *text = g_string_new(NULL);

    /* In a window a long name would push all numbers out of sight. The column Path has the whole name. */
    stat_append_short(text, value->path + value->set_length, rows->has_windows ? WINDOW_NAME_MAX : LONG_MAX);
    if (value->num_aggregated > 0) {
        g_string_append_printf(text, " (aggregated from %u instance%s)", value->num_aggregated,
            plurality(value->num_aggregated, "", "s"));
    }
    stat_cell_set_text(&cells[COLUMN_NAME], text->str);
    if (rows->has_windows || rows->is_data) {
        stat_cell_set_text(&cells[COLUMN_PATH], value->path);
    }
    g_string_free(text, TRUE);
}

/* Sets the cells that only files have. */
static void
name_data(stat_tap_table_item_type *cells, const struct perf_tap_poll *poll, const struct perf_tap_value *value)
{
    struct perf_tap_origin origin;

    poll->tell(poll, value, &origin);
    stat_cell_set_text(&cells[COLUMN_MACHINE], poll->host);
    stat_cell_set_text(&cells[COLUMN_SET], origin.set);
    stat_cell_set_text(&cells[COLUMN_SET_ID], origin.set_id);
    stat_cell_set_text(&cells[COLUMN_INSTANCE], origin.instance);
    stat_cell_set_text(&cells[COLUMN_COUNTER], origin.counter);
    cells[COLUMN_COUNTER_ID].value.uint_value = origin.counter_id;
    cells[COLUMN_AGGREGATED].value.uint_value = value->num_aggregated;
    cells[COLUMN_AGGREGATED].type = value->num_aggregated == 0 ? TABLE_ITEM_NONE : TABLE_ITEM_UINT;
    stat_cell_set_text(&cells[COLUMN_KNOWN_BY], origin.known_by);
}

/*
 * Returns the number of digits of the longest number in a name such as "(0,12)\\Counter". Returns 0 if the instance's
 * name has more than numbers, or a number is too long to be padded.
 */
static unsigned
longest_number(const char *name)
{
    unsigned length = 0, longest = 0;

    if (name[0] != '(') {
        return 0;
    }
    for (const char *at = &name[1]; *at != ')'; at++) {
        if (!g_ascii_isdigit(*at) && *at != ',') {
            return 0;
        }
        length = *at == ',' ? 0 : length + 1;
        longest = MAX(longest, length);
    }
    return longest > WINDOW_NAME_MAX / 3 ? 0 : longest;
}

/* Pads the numbers in an instance's name with spaces to this width: "(0, 12)\\Counter". */
static void
pad_numbers(stat_tap_table_item_type *cell, unsigned width)
{
    const char *at = cell->value.string_value;
    GString *padded = g_string_new(NULL);
    int length;

    for (; *at != ')' && *at != '\0'; at += MAX(length, 1)) {
        length = (int)strspn(at, "0123456789");
        if (length > 0) {
            g_string_append_printf(padded, "%*.*s", (int)width, length, at);
        } else if (*at != ' ') {
            g_string_append_c(padded, *at);
        }
    }
    g_string_append(padded, at);
    stat_cell_set_text(cell, padded->str);
    g_string_free(padded, TRUE);
}

/* Returns the row of a value's counter, adding it if it is new, and updates its path. */
static unsigned
counters_table_find_row(struct stat_rows *rows, const struct perf_tap_poll *poll, const struct perf_tap_value *value)
{
    struct counters_table_counters *counters = (struct counters_table_counters *)rows;
    const char *path = value->path;
    const unsigned row = key_index_add(counters->paths, value->identity);
    const bool is_new = row == stat_rows_count(rows);
    char *group;

    if (!is_new && ((struct counters_table_row_state *)stat_rows_state(rows, row))->path == path &&
        value->num_aggregated == 0) {
        return row;
    }
    group = g_strndup(path, value->set_length);
    if (is_new) {
        stat_rows_add(rows, group, NULL);
        stat_rows_cells(rows, row)[COLUMN_MAX_IN].type = TABLE_ITEM_NONE;
        stat_rows_cells(rows, row)[COLUMN_MIN_IN].type = TABLE_ITEM_NONE;
    } else {
        stat_rows_regroup(rows, row, group);
    }
    name_cell(rows, stat_rows_cells(rows, row), value);
    ((struct counters_table_row_state *)stat_rows_state(rows, row))->longest = longest_number(&path[value->set_length]);
    if (rows->is_data) {
        name_data(stat_rows_cells(rows, row), poll, value);
    }
    g_free(group);
    ((struct counters_table_row_state *)stat_rows_state(rows, row))->path = path;
    return row;
}

/* Sets a cell to all digits of a number, as files have them. */
static void
set_exact(stat_tap_table_item_type *cell, const struct cook_result *cooked)
{
    GString *digits = g_string_new(NULL);

    if (cooked->is_whole) {
        csv_append_whole(digits, cooked->whole, cooked->value < 0);
    } else {
        csv_append_real(digits, cooked->value);
    }
    stat_cell_set_text(cell, digits->str);
    g_string_free(digits, TRUE);
}

/* Sets seen[] to the numbers of a row by column, NULL in columns without a number. *mean receives the mean. */
static void
list_numbers(const struct stat_rows *rows, unsigned row, const struct cook_result *seen[NUM_COLUMNS],
    struct cook_result *mean)
{
    const struct counters_table_row_state *state = (struct counters_table_row_state *)stat_rows_state(rows, row);
    const unsigned samples = stat_rows_cells(rows, row)[COLUMN_SAMPLES].value.uint_value;

    memset(seen, 0, NUM_COLUMNS * sizeof *seen);
    if (samples > 0) {
        *mean = (struct cook_result){ .value = (state->sum + state->lost) / samples };
        seen[COLUMN_LAST] = &state->last;
        seen[COLUMN_MAX] = &state->max;
        /* A mean of addresses or flags has no meaning. */
        seen[COLUMN_MEAN] = state->last.is_hex ? NULL : mean;
        seen[COLUMN_MIN] = &state->min;
        seen[COLUMN_FIRST] = &state->first;
    }
}

/*
 * Writes a number for a window, which sorts texts: if possible without an exponent. Returns the number of digits before
 * the point; 0 for a hexadecimal number.
 */
static size_t
sortable_digits(const struct cook_result *cooked, char digits[COOK_DIGITS_SIZE])
{
    const char *exponent;

    cook_digits(cooked, digits);
    exponent = strchr(digits, 'e');
    if (cooked->is_whole && cooked->is_hex) {
        return 0;
    }
    if (exponent != NULL) {
        char format[] = "%.00f";
        const int power = (int)g_ascii_strtoll(&exponent[1], NULL, 10),
                  decimals = power > 0 ? 0 : MIN(MOST_DIGITS, 5 - power);

        if (power <= MOST_DIGITS) {
            format[2] = (char)('0' + decimals / 10);
            format[3] = (char)('0' + decimals % 10);
            g_ascii_formatd(digits, COOK_DIGITS_SIZE, format, g_ascii_strtod(digits, NULL));
        }
    }
    return strspn(&digits[digits[0] == '-'], "0123456789");
}

static bool
is_less(const struct cook_result *one, const struct cook_result *other)
{
    /* Different whole numbers may be equal as doubles. */
    if (one->value != other->value || !one->is_whole || !other->is_whole) {
        return one->value < other->value;
    }
    return one->value < 0 ? other->whole < one->whole : one->whole < other->whole;
}

static int
compare_cooked(const void *one, const void *other, void *data _U_)
{
    return is_less((const struct cook_result *)one, (const struct cook_result *)other)
        ? -1
        : is_less((const struct cook_result *)other, (const struct cook_result *)one);
}

/*
 * Returns the number of extra spaces before a negative number: 1 for the greatest, more for smaller numbers. Windows
 * sort numbers as text, and spaces before digits. In a group with more than NEGATIVE_RANKS negative numbers, neighbours
 * get the same number of spaces.
 */
static int
negative_rank(GSequence *negatives, const struct cook_result *number)
{
    const int length = g_sequence_get_length(negatives);
    GSequenceIter *next_greater = g_sequence_search(negatives, (void *)number, compare_cooked, NULL);
    const int greater = length - g_sequence_iter_get_position(next_greater);

    return 1 + (int)((int64_t)greater * MIN(length, NEGATIVE_RANKS) / length);
}

/* Sets the cells of the row's numbers. widths: widths of the row's group in a window, or NULL. */
static void
counters_table_show(const struct stat_rows *rows, unsigned row, const struct group_widths *widths)
{
    stat_tap_table_item_type *cells = stat_rows_cells(rows, row);
    const struct cook_result *seen[NUM_COLUMNS];
    struct cook_result mean;
    char digits[COOK_DIGITS_SIZE];

    list_numbers(rows, row, seen, &mean);
    for (unsigned column = 0; column < NUM_COLUMNS; column++) {
        if (seen[column] == NULL) {
            continue;
        }
        if (rows->is_data) {
            set_exact(&cells[column], seen[column]);
        } else if (widths == NULL) {
            cook_digits(seen[column], digits);
            stat_cell_set_text(&cells[column], digits);
        } else {
            const size_t whole = sortable_digits(seen[column], digits);
            const size_t padding = whole == 0 ? 0
                : digits[0] == '-'            ? widths->whole + negative_rank(widths->negatives, seen[column])
                                              : widths->whole + 1 - whole;
            char *text = g_strdup_printf("%*s%s", (int)padding, "", digits);

            stat_cell_set_text(&cells[column], text);
            g_free(text);
        }
    }
}

/* Sets the unit cell to the unit, or to the reason why there is no value. */
static void
counters_table_set_unit(stat_tap_table_item_type *cell, struct counters_table_row_state *state, const char *unit)
{
    if (state->unit != unit) {
        state->unit = unit;
        stat_cell_set_text(cell, unit);
    }
}

static void
set_reason(const struct stat_rows *rows, stat_tap_table_item_type *cells, enum cook_reason reason)
{
    stat_cell_set_text(&cells[COLUMN_WHY], cook_reason_text(reason));
    if (rows->is_data) {
        stat_cell_set_text(&cells[COLUMN_CODE], cook_reason_name(reason));
    }
}

/* Adds a value to the row's state. */
static void
count_value(const struct stat_rows *rows, stat_tap_table_item_type *cells, struct counters_table_row_state *state,
    const struct cook_result *cooked, uint32_t frame)
{
    const bool is_first = cells[COLUMN_SAMPLES].value.uint_value++ == 0;

    state->last = *cooked;
    if (is_first) {
        set_reason(rows, cells, COOK_OK);
        state->first = *cooked;
    }
    if (is_first || is_less(&state->last, &state->min)) {
        state->min = state->last;
        cells[COLUMN_MIN_IN].type = TABLE_ITEM_UINT;
        cells[COLUMN_MIN_IN].value.uint_value = frame;
    }
    if (is_first || is_less(&state->max, &state->last)) {
        state->max = state->last;
        cells[COLUMN_MAX_IN].type = TABLE_ITEM_UINT;
        cells[COLUMN_MAX_IN].value.uint_value = frame;
    }
    add_to_sum(state, cooked->value);
    counters_table_set_unit(&cells[COLUMN_UNIT], state, cook_unit_text(cooked->unit));
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
    for (unsigned i = 0; i < poll->num_values; i++) {
        const struct perf_tap_value *value = &poll->values[i];

        if (value->path != NULL && value->text == NULL && value->cooked.reason != COOK_NOT_DISPLAYED) {
            const unsigned row = counters_table_find_row(rows, poll, value);
            stat_tap_table_item_type *cells = stat_rows_cells(rows, row);
            struct counters_table_row_state *state = (struct counters_table_row_state *)stat_rows_state(rows, row);

            if (value->cooked.reason == COOK_OK) {
                count_value(rows, cells, state, &value->cooked, pinfo->num);
            } else if (cells[COLUMN_SAMPLES].value.uint_value == 0 && (rows->is_text || rows->is_data)) {
                set_reason(rows, cells, value->cooked.reason);
            } else if (cells[COLUMN_SAMPLES].value.uint_value == 0) {
                counters_table_set_unit(&cells[COLUMN_UNIT], state, cook_reason_text(value->cooked.reason));
            }
            if (observer->value != NULL) {
                observer->value(observer->data, row, value);
            }
        }
    }
    return true;
}

/* Widens a group's number widths, if needed, to fit the numbers of a row. */
static void
widen(const struct stat_rows *rows, unsigned row, struct group_widths *widths)
{
    const struct counters_table_row_state *state = (struct counters_table_row_state *)stat_rows_state(rows, row);
    const struct cook_result *seen[NUM_COLUMNS];
    struct cook_result mean;
    char digits[COOK_DIGITS_SIZE];

    list_numbers(rows, row, seen, &mean);
    for (unsigned column = 0; column < NUM_COLUMNS; column++) {
        if (seen[column] != NULL) {
            widths->whole = MAX(widths->whole, sortable_digits(seen[column], digits));
            if (digits[0] == '-' &&
                g_sequence_lookup(widths->negatives, (void *)seen[column], compare_cooked, NULL) == NULL) {
                struct cook_result *number = g_new(struct cook_result, 1);

                *number = *seen[column];
                g_sequence_insert_sorted(widths->negatives, number, compare_cooked, NULL);
            }
        }
    }
    widths->instance = MAX(widths->instance, state->longest);
}

/*
 * Fills the rows for windows. Windows show headings only if there are several groups, so the sentence "7 counters" is
 * added as a further group.
 */
static void
fill_windows(struct stat_rows *rows)
{
    const struct counters_table_counters *counters = (struct counters_table_counters *)rows;
    const unsigned count = stat_rows_count(rows), num_groups = rows->groups->len;
    struct group_widths *widths = g_new0(struct group_widths, num_groups);
    char *text = count == 0 ? g_strdup("") : g_strdup_printf("%u counter%s", count, plurality(count, "", "s"));

    for (unsigned i = 0; i < num_groups; i++) {
        widths[i].negatives = g_sequence_new(g_free);
    }
    for (unsigned row = 0; row < count; row++) {
        widen(rows, row, &widths[stat_rows_group(rows, row)]);
    }
    for (unsigned row = 0; row < count; row++) {
        const struct counters_table_row_state *state = (struct counters_table_row_state *)stat_rows_state(rows, row);
        const struct group_widths *group = &widths[stat_rows_group(rows, row)];

        counters_table_show(rows, row, group);
        if (state->longest > 0) {
            pad_numbers(&stat_rows_cells(rows, row)[COLUMN_NAME], group->instance);
        }
    }
    stat_rows_set_sentence(rows, counters->total, text);
    g_free(text);
    for (unsigned i = 0; i < num_groups; i++) {
        g_sequence_free(widths[i].negatives);
    }
    g_free(widths);
}

/* Numbers are formatted only when the table is shown or written: formatting takes as long as counting. */
static void
counters_fill(struct stat_rows *rows)
{
    if (rows->has_windows) {
        fill_windows(rows);
        return;
    }
    for (unsigned row = 0; row < stat_rows_count(rows); row++) {
        counters_table_show(rows, row, NULL);
    }
}

/* A narrow terminal does not show the column of the first value, which is the least important. */
static const struct stat_view counters_view = {
    .columns = ~(STAT_BIT(COLUMN_MIN_IN) | STAT_BIT(COLUMN_PATH) | STAT_BIT(COLUMN_WHY)),
    .below = STAT_BIT(COLUMN_WHY),
    .optional = STAT_BIT(COLUMN_FIRST),
};

const struct stat_kind counters_table = {
    .name = "counters",
    .title = "Counters",
    .columns = counters_columns,
    .num_columns = NUM_COLUMNS,
    .num_windowless = COLUMN_CODE - COLUMN_WHY,
    .count = counters_count,
    .begin = counters_begin,
    .fill = counters_fill,
    .fills_late = true,
    .has_groups = true,
    .views = &counters_view,
    .num_views = 1,
    .frames = STAT_BIT(COLUMN_MAX_IN) | STAT_BIT(COLUMN_MIN_IN),
    .digits = STAT_BIT(COLUMN_LAST) | STAT_BIT(COLUMN_MAX) | STAT_BIT(COLUMN_MEAN) | STAT_BIT(COLUMN_MIN) |
        STAT_BIT(COLUMN_FIRST),
    .size = sizeof(struct counters_table_counters),
    .state_size = sizeof(struct counters_table_row_state),
};

void
counters_table_observe(struct stat_rows *counters, const struct counters_observer *observer)
{
    ((struct counters_table_counters *)counters)->observer = *observer;
}
