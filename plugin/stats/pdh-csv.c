/* pdh-csv.c
 * Time series of a capture's polls in PDH-CSV 4.0, the text log of perfmon, relog and typeperf
 *
 * The columns are known only when the whole capture was read. Until then values lie in a temporary
 * file, so that memory holds the paths and a few bytes for each poll.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/pdh-csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat.h"

#include <epan/stat_tap_ui.h>
#include <epan/tap.h>
#include <wsutil/report_message.h>

#include "counters/record.h"
#include "stats/args.h"
#include "stats/path-index.h"

/* A table's first cell: format, time zone and its distance from UTC in minutes. */
#define PDH_CSV_TITLE "(PDH-CSV 4.0) (UTC)(0)"

/* What "-z" offers for one protocol */
struct pdh_csv_command {
    const char *command;        /* "perflibv2,pdh-csv" */
    const char *tap_name;
};

enum cell_kind { CELL_EMPTY, CELL_REAL, CELL_WHOLE, CELL_TEXT };

/* A cell with a value, in the temporary file and in a row being written */
struct cell {
    uint32_t column;
    uint32_t kind;              /* enum cell_kind */
    union {
        double real;
        uint64_t whole;
        const char *text;       /* one of pdh_csv.texts */
    } value;
};

struct poll {
    nstime_t time;
    unsigned number;            /* order of arrival */
    unsigned num_cells;
    fpos_t cells;               /* where they are in the temporary file */
};

/* One "-z": what was read so far */
struct pdh_csv {
    char *filename;
    FILE *cells;                /* temporary */
    GArray *polls;              /* struct poll */
    struct path_index *columns;
    GStringChunk *texts;
};

static void
pdh_csv_free(void *data)
{
    struct pdh_csv *csv = (struct pdh_csv *)data;

    if (csv->cells) {
        fclose(csv->cells);
    }
    g_array_free(csv->polls, TRUE);
    path_index_free(csv->columns);
    g_string_chunk_free(csv->texts);
    g_free(csv->filename);
    g_free(csv);
}

static void
pdh_csv_reset(void *data)
{
    struct pdh_csv *csv = (struct pdh_csv *)data;

    rewind(csv->cells);
    g_array_set_size(csv->polls, 0);
    path_index_clear(csv->columns);
    g_string_chunk_clear(csv->texts);
}

static struct cell
make_cell(struct pdh_csv *csv, const struct perf_tap_sample *sample)
{
    struct cell cell = { .column = path_index_add(csv->columns, sample->path), .kind = CELL_EMPTY };

    if (sample->text) {
        cell.kind = CELL_TEXT;
        cell.value.text = g_string_chunk_insert_const(csv->texts, sample->text);
    } else if (sample->cooked.reason == COOK_OK && sample->cooked.is_whole) {
        cell.kind = CELL_WHOLE;
        cell.value.whole = sample->cooked.whole;
    } else if (sample->cooked.reason == COOK_OK) {
        cell.kind = CELL_REAL;
        cell.value.real = sample->cooked.value;
    }
    return cell;
}

static tap_packet_status
pdh_csv_packet(void *data, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    struct pdh_csv *csv = (struct pdh_csv *)data;
    const struct perf_tap_poll *tapped_poll = (const struct perf_tap_poll *)tapped;
    struct poll poll = { .time = tapped_poll->time, .number = csv->polls->len };

    if (fgetpos(csv->cells, &poll.cells) != 0) {
        report_failure("%s: temporary file: %s", csv->filename, g_strerror(errno));
        return TAP_PACKET_FAILED;
    }
    for (unsigned i = 0; i < tapped_poll->num_samples; i++) {
        const struct perf_tap_sample *sample = &tapped_poll->samples[i];
        struct cell cell;

        if (!sample->path || sample->cooked.reason == COOK_NOT_DISPLAYED) {
            continue;
        }
        cell = make_cell(csv, sample);
        if (cell.kind == CELL_EMPTY) {
            continue;
        }
        if (fwrite(&cell, sizeof cell, 1, csv->cells) != 1) {
            report_failure("%s: temporary file: %s", csv->filename, g_strerror(errno));
            return TAP_PACKET_FAILED;
        }
        poll.num_cells++;
    }
    g_array_append_val(csv->polls, poll);
    return TAP_PACKET_REDRAW;
}

/* Not nstime_cmp(): it takes the difference for an int, and FILETIMEs reach over 58000 years. */
static int
compare_times(const nstime_t *one, const nstime_t *other)
{
    int order = (one->secs > other->secs) - (one->secs < other->secs);

    return order ? order : (one->nsecs > other->nsecs) - (one->nsecs < other->nsecs);
}

static int
compare_polls(const void *a, const void *b)
{
    const struct poll *one = (const struct poll *)a;
    const struct poll *other = (const struct poll *)b;
    int order = compare_times(&one->time, &other->time);

    return order ? order : (one->number > other->number) - (one->number < other->number);
}

static void
append_quoted(GString *line, const char *text)
{
    g_string_append_c(line, '"');
    for (const char *quote; (quote = strchr(text, '"')) != NULL; text = quote + 1) {
        g_string_append_len(line, text, quote - text + 1);
        g_string_append_c(line, '"');
    }
    g_string_append(line, text);
    g_string_append_c(line, '"');
}

/* The fewest digits from which the same double is read back. 15 always survive, 17 always suffice. */
static void
append_real(GString *line, double value)
{
    static const char *const formats[] = { "%.15g", "%.16g", "%.17g" };
    char digits[G_ASCII_DTOSTR_BUF_SIZE];

    size_t i = 0;

    do {
        /* Not printf: its decimal point is that of the user's language. */
        g_ascii_formatd(digits, sizeof digits, formats[i], value);
    } while (++i < array_length(formats) && g_ascii_strtod(digits, NULL) != value);
    g_string_append(line, digits);
}

static void
append_cell(GString *line, const struct cell *cell)
{
    switch (cell->kind) {
    case CELL_REAL:
        g_string_append(line, ",\"");
        append_real(line, cell->value.real);
        g_string_append_c(line, '"');
        break;
    case CELL_WHOLE:
        g_string_append_printf(line, ",\"%" PRIu64 "\"", cell->value.whole);
        break;
    case CELL_TEXT:
        g_string_append_c(line, ',');
        append_quoted(line, cell->value.text);
        break;
    default:
        g_string_append(line, ",\" \"");
        break;
    }
}

/* "MM/DD/YYYY HH:MM:SS.mmm" with the rest of a millisecond cut off, as FileTimeToSystemTime() does. */
static void
append_time(GString *line, const nstime_t *time)
{
    const int64_t seconds_a_day = 24 * 60 * 60;
    const int64_t epoch = 719163;               /* GDate's number of 1970-01-01 */
    int64_t day = (int64_t)time->secs / seconds_a_day;
    int64_t second = (int64_t)time->secs % seconds_a_day;
    GDate date;

    if (second < 0) {
        second += seconds_a_day;
        day--;
    }
    day += epoch;
    g_date_clear(&date, 1);
    if (day > 0 && day <= 60056 * INT64_C(366) && time->nsecs >= 0) {   /* 60056: the last year of a FILETIME */
        g_date_set_julian(&date, (guint32)day);
        g_string_append_printf(line, "\"%02d/%02d/%04d %02d:%02d:%02d.%03d\"", (int)g_date_get_month(&date),
                               (int)g_date_get_day(&date), (int)g_date_get_year(&date), (int)(second / 3600),
                               (int)(second / 60 % 60), (int)(second % 60), time->nsecs / 1000000);
    } else {
        g_string_append(line, "\" \"");
    }
}

static bool
write_line(FILE *file, GString *line)
{
    bool written;

    g_string_append(line, "\r\n");
    written = fwrite(line->str, 1, line->len, file) == line->len;
    g_string_truncate(line, 0);
    return written;
}

/* Puts a poll's values into the cells that are still empty. false: the temporary file can't be read. */
static bool
fill_row(struct pdh_csv *csv, const struct poll *poll, struct cell *row)
{
    for (unsigned i = 0; i < poll->num_cells; i++) {
        struct cell cell;

        if (fread(&cell, sizeof cell, 1, csv->cells) != 1) {
            return false;
        }
        if (row[cell.column].kind == CELL_EMPTY) {
            row[cell.column] = cell;
        }
    }
    return true;
}

static bool
write_rows(struct pdh_csv *csv, FILE *file, GString *line)
{
    unsigned num_columns = path_index_size(csv->columns);
    struct cell *row = g_new(struct cell, num_columns);
    unsigned in_place = csv->polls->len;        /* the poll whose cells the temporary file stands at */
    bool read = true;

    for (unsigned i = 0; i < csv->polls->len && read; ) {
        nstime_t time = g_array_index(csv->polls, struct poll, i).time;

        memset(row, 0, num_columns * sizeof row[0]);
        for (; i < csv->polls->len && read; i++) {
            struct poll *poll = &g_array_index(csv->polls, struct poll, i);

            if (compare_times(&poll->time, &time) != 0) {
                break;
            }
            if (poll->number != in_place) {
                read = fsetpos(csv->cells, &poll->cells) == 0;
            }
            read = read && fill_row(csv, poll, row);
            in_place = poll->number + 1;
        }
        append_time(line, &time);
        for (unsigned column = 0; column < num_columns; column++) {
            append_cell(line, &row[column]);
        }
        if (!write_line(file, line)) {
            break;
        }
    }
    g_free(row);
    return read;
}

/* Writes the file anew: Wireshark draws several times while it reads, tshark once at the end. */
static void
pdh_csv_draw(void *data)
{
    struct pdh_csv *csv = (struct pdh_csv *)data;
    GString *line;
    FILE *file;

    file = stat_args_create(csv->filename);
    if (!file) {
        return;
    }
    line = g_string_new(NULL);
    append_quoted(line, PDH_CSV_TITLE);
    for (unsigned column = 0; column < path_index_size(csv->columns); column++) {
        g_string_append_c(line, ',');
        append_quoted(line, path_index_text(csv->columns, column));
    }
    if (write_line(file, line)) {
        g_array_sort(csv->polls, compare_polls);
        if (fflush(csv->cells) != 0 || !write_rows(csv, file, line)) {
            report_failure("%s: temporary file: %s", csv->filename, g_strerror(errno));
        }
        fseek(csv->cells, 0, SEEK_END);
    }
    stat_args_close(file, csv->filename);
    g_string_free(line, TRUE);
}

static bool
pdh_csv_start(const char *argument, void *data)
{
    const struct pdh_csv_command *command = (const struct pdh_csv_command *)data;
    const char *filter;
    char *filename = stat_args_file(argument, command->command, &filter);
    FILE *file = filename ? stat_args_create(filename) : NULL;  /* tells now what would fail at the end */
    struct pdh_csv *csv;
    GString *error;

    if (!file) {
        g_free(filename);
        return false;
    }
    fclose(file);
    csv = g_new(struct pdh_csv, 1);
    csv->filename = filename;
    csv->cells = tmpfile();
    csv->polls = g_array_new(FALSE, FALSE, sizeof(struct poll));
    csv->columns = path_index_new();
    csv->texts = g_string_chunk_new(1024);
    if (!csv->cells) {
        report_failure("%s: temporary file: %s", filename, g_strerror(errno));
        pdh_csv_free(csv);
        return false;
    }
    error = register_tap_listener(command->tap_name, csv, filter, TL_REQUIRES_NOTHING, pdh_csv_reset, pdh_csv_packet,
                                  pdh_csv_draw, pdh_csv_free);
    if (error) {
        report_failure("-z %s: %s", argument, error->str);
        g_string_free(error, TRUE);
        pdh_csv_free(csv);
        return false;
    }
    return true;
}

PERFLIB_STAT_INIT_CB(pdh_csv_init, pdh_csv_start)

void
pdh_csv_register(const char *protocol, const char *tap_name)
{
    struct pdh_csv_command *command = wmem_new(wmem_epan_scope(), struct pdh_csv_command);
    stat_tap_ui ui = { .group = REGISTER_PACKET_STAT_GROUP_UNSORTED, .tap_init_cb = pdh_csv_init };

    command->command = wmem_strdup_printf(wmem_epan_scope(), "%s,pdh-csv", protocol);
    command->tap_name = wmem_strdup(wmem_epan_scope(), tap_name);
    ui.cli_string = command->command;
    register_stat_tap_ui(&ui, command);
}
