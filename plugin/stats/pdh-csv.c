/* pdh-csv.c
 * -z PROTOCOL,pdh-csv,FILE[,filter]: time series of a capture's polls in PDH-CSV 4.0, the text log of perfmon, relog
 * and typeperf
 *
 * The file has one column per counter path, in order of first use, and one row per time of a poll (PerfTime100NSec,
 * UTC), sorted by time. A row has all values polled at that time, by any handle; if two polls of the same time have a
 * value of the same counter, the first is used. A cell without a value is a blank in quotes. Whole numbers have all
 * their digits, others as many as are needed to read the same double back; HEX counters are written in decimal.
 * Counters that are never displayed (bases) have no column.
 *
 * The columns are known only at the end of the capture. Until then the values are in a temporary file; only the paths,
 * the different texts, and a few bytes per poll are in memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <glib/gstdio.h>

#include "stats/key-index.h"

#include <wsutil/report_message.h>
#include <wsutil/str_util.h>
#include <wsutil/tempfile.h>

/* First cell of the file: format, time zone, and its offset from UTC in minutes. */
#define PDH_CSV_TITLE "(PDH-CSV 4.0) (UTC)(0)"

#define BLANK_CELL ",\" \""

/*
 * Maximum bytes of blank cells: this many times the capture's size, but at least 16 MB, since the capture may be one of
 * several files.
 */
#define MOST_TIMES_THE_CAPTURE 200
#define LEAST_THAT_IS_MUCH     (UINT64_C(16) * 1024 * 1024)

enum cell_kind { CELL_EMPTY, CELL_REAL, CELL_WHOLE, CELL_NEGATIVE, CELL_TEXT };

/* One value: in the temporary file, and in a row of the output while it is written. */
struct pdh_csv_cell {
    uint32_t column;
    uint32_t kind; /* a value of enum cell_kind */
    union {
        double real;
        uint64_t whole;
        uint64_t text; /* CELL_TEXT: index in pdh_csv.texts */
    } value;
};

struct csv_poll {
    nstime_t time;
    unsigned number; /* serial number of the poll, in order of arrival */
    unsigned num_cells;
    fpos_t cells; /* position of the poll's cells in the temporary file */
};

/* State of one -z PROTOCOL,pdh-csv option. */
struct pdh_csv {
    struct command command;  /* must be the first member */
    FILE *cells;             /* temporary file with the values of all polls; NULL if it could not be opened */
    char *cells_name;        /* path of .cells if pdh_csv_finish() must delete the file; else NULL */
    GArray *polls;           /* array of struct csv_poll */
    uint64_t capture_size;   /* bytes of the capture up to the latest poll */
    wmem_allocator_t *scope; /* allocator of .columns and .texts */
    struct key_index *columns;
    struct key_index *texts; /* each different text of text counters, once */
    /* number of values left out, because their cell already had another value of the same time */
    unsigned left_out;
    bool is_reported; /* true once the user was informed of .left_out */
    bool is_lost;     /* true if the temporary file failed since the last reset; the user was informed */
};

/* Reports to the user that the temporary file could not be written or read. */
static void
complain(void)
{
    report_failure("Nothing is written: temporary file: %s", g_strerror(errno));
}

static tap_packet_status
pdh_csv_lose(struct pdh_csv *csv)
{
    complain();
    csv->is_lost = true;
    return TAP_PACKET_FAILED;
}

static bool
open_cells(struct pdh_csv *csv)
{
    GError *error = NULL;
    const int descriptor = create_tempfile(NULL, &csv->cells_name, "perflib", NULL, &error);

    if (descriptor < 0) {
        report_failure("Nothing is written: temporary file: %s", error->message);
        g_error_free(error);
        return false;
    }
    /* Opened by name, since C has no function from a descriptor to a stream. */
    csv->cells = ws_fopen(csv->cells_name, "w+b");
    if (csv->cells == NULL) {
        complain();
    }
    g_close(descriptor, NULL);
#ifndef _WIN32
    /* The open file stays usable after unlinking. Windows cannot unlink it while it is open. */
    ws_unlink(csv->cells_name);
    g_clear_pointer(&csv->cells_name, g_free);
#endif
    return csv->cells != NULL;
}

static bool
pdh_csv_begin(void *data, const char *filter _U_)
{
    struct pdh_csv *csv = (struct pdh_csv *)data;

    csv->polls = g_array_new(FALSE, FALSE, sizeof(struct csv_poll));
    csv->scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    csv->columns = key_index_new(csv->scope);
    csv->texts = key_index_new(csv->scope);
    return open_cells(csv);
}

static void
pdh_csv_finish(void *data)
{
    struct pdh_csv *csv = (struct pdh_csv *)data;

    if (csv->cells != NULL) {
        fclose(csv->cells);
    }
    if (csv->cells_name != NULL) {
        ws_unlink(csv->cells_name);
        g_free(csv->cells_name);
    }
    g_array_free(csv->polls, TRUE);
    wmem_destroy_allocator(csv->scope);
}

static void
pdh_csv_reset(void *data)
{
    struct pdh_csv *csv = (struct pdh_csv *)data;

    rewind(csv->cells);
    g_array_set_size(csv->polls, 0);
    wmem_free_all(csv->scope);
    csv->columns = key_index_new(csv->scope);
    csv->texts = key_index_new(csv->scope);
    csv->is_lost = csv->is_reported = false;
    csv->capture_size = 0;
}

static struct pdh_csv_cell
pdh_csv_make_cell(struct pdh_csv *csv, const struct perf_tap_value *value)
{
    struct pdh_csv_cell cell = { .column = key_index_add(csv->columns, value->identity), .kind = CELL_EMPTY };

    key_index_set_text(csv->columns, cell.column, value->path);
    if (value->text) {
        cell.kind = CELL_TEXT;
        cell.value.text = key_index_add_text(csv->texts, value->text);
    } else if (value->cooked.reason == COOK_OK && value->cooked.is_whole) {
        cell.kind = value->cooked.value < 0 ? CELL_NEGATIVE : CELL_WHOLE;
        cell.value.whole = value->cooked.whole;
    } else if (value->cooked.reason == COOK_OK) {
        cell.kind = CELL_REAL;
        cell.value.real = value->cooked.value;
    }
    return cell;
}

static tap_packet_status
pdh_csv_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    struct pdh_csv *csv = (struct pdh_csv *)data;
    const struct perf_tap_poll *tapped_poll = (const struct perf_tap_poll *)tapped;
    struct csv_poll poll = { .time = tapped_poll->time, .number = csv->polls->len };
    struct pdh_csv_cell *cells;

    if (tapped_poll->needed != NULL) {
        needed_add(&csv->command.needed, tapped_poll->needed);
        return TAP_PACKET_DONT_REDRAW;
    }
    if (fgetpos(csv->cells, &poll.cells) != 0) {
        return pdh_csv_lose(csv);
    }
    cells = wmem_alloc_array(pinfo->pool, struct pdh_csv_cell, MAX(tapped_poll->num_values, 1));
    for (unsigned i = 0; i < tapped_poll->num_values; i++) {
        const struct perf_tap_value *value = &tapped_poll->values[i];

        if (value->path != NULL && command_wants(&csv->command, value->path) &&
            value->cooked.reason != COOK_NOT_DISPLAYED && value->cooked.reason != COOK_COUNTER_UNKNOWN &&
            value->cooked.reason != COOK_COUNTER_NOT_CAPTURED) {
            cells[poll.num_cells] = pdh_csv_make_cell(csv, value);
            poll.num_cells += cells[poll.num_cells].kind != CELL_EMPTY;
        }
    }
    if (fwrite(cells, sizeof *cells, poll.num_cells, csv->cells) != poll.num_cells) {
        return pdh_csv_lose(csv);
    }
    g_array_append_val(csv->polls, poll);
    csv->capture_size = MAX(csv->capture_size, (uint64_t)pinfo->fd->file_off + pinfo->fd->cap_len);
    return TAP_PACKET_REDRAW;
}

/* Compares two times. nstime_cmp() computes the difference as an int, but FILETIMEs span 58000 years. */
static int
compare_times(const nstime_t *one, const nstime_t *other)
{
    int order = (one->secs > other->secs) - (one->secs < other->secs);

    return order ? order : (one->nsecs > other->nsecs) - (one->nsecs < other->nsecs);
}

static int
compare_polls(const void *a, const void *b)
{
    const struct csv_poll *one = (const struct csv_poll *)a;
    const struct csv_poll *other = (const struct csv_poll *)b;
    int order = compare_times(&one->time, &other->time);

    return order ? order : (one->number > other->number) - (one->number < other->number);
}

static void
pdh_csv_append_cell(const struct pdh_csv *csv, GString *line, const struct pdh_csv_cell *cell)
{
    if (cell->kind == CELL_EMPTY) {
        /* not formatted as others are: most cells of a wide file are blank */
        g_string_append_len(line, BLANK_CELL, strlen(BLANK_CELL));
    } else if (cell->kind == CELL_TEXT) {
        g_string_append_c(line, ',');
        csv_append_text(line, key_index_text(csv->texts, (unsigned)cell->value.text));
    } else {
        g_string_append(line, ",\"");
        if (cell->kind == CELL_REAL) {
            csv_append_real(line, cell->value.real);
        } else {
            csv_append_whole(line, cell->value.whole, cell->kind == CELL_NEGATIVE);
        }
        g_string_append_c(line, '"');
    }
}

/* Appends "MM/DD/YYYY HH:MM:SS.mmm", rounded down to milliseconds as FileTimeToSystemTime() does. */
static void
append_time(GString *line, const nstime_t *time)
{
    const int64_t seconds_a_day = 24 * 60 * 60;
    const int64_t epoch = 719163; /* GDate's day number of 1970-01-01 */
    int64_t day = (int64_t)time->secs / seconds_a_day;
    int64_t second = (int64_t)time->secs % seconds_a_day;
    GDate date;

    if (second < 0) {
        second += seconds_a_day;
        day--;
    }
    day += epoch;
    g_date_clear(&date, 1);
    if (day > 0 && day <= 60056 * INT64_C(366) && time->nsecs >= 0) { /* 60056: year of the last FILETIME */
        g_date_set_julian(&date, (guint32)day);
        g_string_append_printf(line, "\"%02d/%02d/%04d %02d:%02d:%02d.%03d\"", (int)g_date_get_month(&date),
            (int)g_date_get_day(&date), (int)g_date_get_year(&date), (int)(second / 3600), (int)(second / 60 % 60),
            (int)(second % 60), time->nsecs / 1000000);
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

/*
 * Reads a poll's values from the temporary file into those cells of a row that are still empty, and counts in .left_out
 * those that differ from the value in their cell. Returns false if the file cannot be read.
 */
static bool
pdh_csv_fill_row(struct pdh_csv *csv, const struct csv_poll *poll, struct pdh_csv_cell *row)
{
    for (unsigned i = 0; i < poll->num_cells; i++) {
        struct pdh_csv_cell cell;

        if (fread(&cell, sizeof cell, 1, csv->cells) != 1) {
            return false;
        }
        if (row[cell.column].kind == CELL_EMPTY) {
            row[cell.column] = cell;
        } else if (cell.kind != row[cell.column].kind || cell.value.whole != row[cell.column].value.whole) {
            csv->left_out++;
        }
    }
    return true;
}

static bool
write_rows(struct pdh_csv *csv, FILE *file, GString *line)
{
    unsigned num_columns = key_index_size(csv->columns);
    /* one more, as g_new() returns NULL for 0 cells */
    struct pdh_csv_cell *row = g_new(struct pdh_csv_cell, num_columns + 1);
    /* .number of the poll that would be read next without fsetpos(); at first none */
    unsigned in_place = csv->polls->len;
    bool read = true;

    for (unsigned i = 0; i < csv->polls->len && read;) {
        nstime_t time = g_array_index(csv->polls, struct csv_poll, i).time;

        memset(row, 0, num_columns * sizeof row[0]);
        for (; i < csv->polls->len && read; i++) {
            struct csv_poll *poll = &g_array_index(csv->polls, struct csv_poll, i);

            if (compare_times(&poll->time, &time) != 0) {
                break;
            }
            read = (poll->number == in_place || fsetpos(csv->cells, &poll->cells) == 0) &&
                pdh_csv_fill_row(csv, poll, row);
            in_place = poll->number + 1;
        }
        append_time(line, &time);
        for (unsigned column = 0; column < num_columns; column++) {
            pdh_csv_append_cell(csv, line, &row[column]);
        }
        if (!write_line(file, line)) {
            break;
        }
    }
    g_free(row);
    return read;
}

/* Informs the user once how many values were left out: a row has only one cell per counter. */
static void
tell_left_out(struct pdh_csv *csv)
{
    if (csv->left_out > 0 && !csv->is_reported) {
        csv->is_reported = true;
        report_warning("-z %s: %u value%s left out, because the counter has another value at the same time",
            csv->command.name, csv->left_out, plurality(csv->left_out, " is", "s are"));
    }
}

/*
 * Returns true unless the blank cells would make the file too large: instances that change from poll to poll add ever
 * more of them. If so, shows an error to the user. Standard output is not limited. The polls must be sorted by time.
 */
static bool
is_worth_a_file(const struct pdh_csv *csv)
{
    const uint64_t most = MAX(csv->capture_size * MOST_TIMES_THE_CAPTURE, LEAST_THAT_IS_MUCH);
    const unsigned num_columns = key_index_size(csv->columns);
    uint64_t num_rows = 0, num_cells = 0, size;

    for (unsigned i = 0; i < csv->polls->len; i++) {
        const struct csv_poll *poll = &g_array_index(csv->polls, struct csv_poll, i);

        num_cells += poll->num_cells;
        num_rows += i == 0 || compare_times(&poll[-1].time, &poll->time) != 0;
    }
    size = num_rows * num_columns;
    size = (size > num_cells ? size - num_cells : 0) * strlen(BLANK_CELL);
    if (size <= most || strcmp(output_file_name(csv->command.output), "-") == 0) {
        return true;
    }
    report_failure(
        "\"%s\" is not written: %u counters at %" PRIu64 " times would need %" PRIu64
        " MB of blanks, more than %u times the size of the capture. Use -z %.*s,samples,FILE, or -z %s,- for all of it",
        output_file_name(csv->command.output), num_columns, num_rows, size / 1000000, MOST_TIMES_THE_CAPTURE,
        (int)strcspn(csv->command.name, ","), csv->command.name, csv->command.name);
    return false;
}

/* Writes the whole file anew: Wireshark draws several times while it reads, tshark once at the end. */
static void
pdh_csv_draw(void *data)
{
    struct pdh_csv *csv = (struct pdh_csv *)data;
    FILE *file;
    GString *line;

    g_array_sort(csv->polls, compare_polls);
    if (csv->is_lost || !is_worth_a_file(csv)) {
        return;
    }
    file = output_file_begin(csv->command.output);
    if (file == NULL) {
        return;
    }
    csv->left_out = 0;
    line = g_string_new(NULL);
    csv_append_text(line, PDH_CSV_TITLE);
    for (unsigned column = 0; column < key_index_size(csv->columns); column++) {
        g_string_append_c(line, ',');
        csv_append_text(line, key_index_text(csv->columns, column));
    }
    if (write_line(file, line)) {
        if (fflush(csv->cells) != 0 || !write_rows(csv, file, line)) {
            complain();
            output_file_discard(csv->command.output);
            file = NULL;
        }
        fseek(csv->cells, 0, SEEK_END);
    }
    if (file != NULL) {
        output_file_end(csv->command.output);
        tell_left_out(csv);
    }
    if (csv->polls->len == 0) {
        needed_report(&csv->command.needed, csv->command.name);
    }
    g_string_free(line, TRUE);
}

const struct command_kind pdh_csv_command = {
    .has_patterns = true,
    .size = sizeof(struct pdh_csv),
    .begin = pdh_csv_begin,
    .reset = pdh_csv_reset,
    .packet = pdh_csv_packet,
    .draw = pdh_csv_draw,
    .finish = pdh_csv_finish,
};
