/* samples.c
 * -z PROTOCOL,samples,FILE[,filter]: one row per value and poll, for data frames and databases
 *
 * A FILE that ends in .ndjson has one JSON object per line; others are CSV (RFC 4180) with a header. Both have the
 * same members, in the order of the columns below; empty cells are left empty in CSV and omitted in JSON. Whole
 * numbers have all their digits, others as many as are needed to read the same double back. Rows are written while the
 * capture is read, with the names known by then.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include <errno.h>

#include <epan/to_str.h>

#include "cook/counter-types.h"
#include "stats/csv.h"

enum column {
    COLUMN_TIME,
    COLUMN_FRAME,
    COLUMN_CLIENT,
    COLUMN_SERVER,
    COLUMN_QUERY,
    COLUMN_SET,
    COLUMN_INSTANCE,
    COLUMN_INSTANCE_ID,
    COLUMN_COUNTER,
    COLUMN_TYPE,
    COLUMN_RAW,
    COLUMN_BASE,
    COLUMN_COOKED,
    COLUMN_UNIT,
    COLUMN_REASON,
    COLUMN_INTERVAL,
    COLUMN_PREVIOUS_FRAME,
    COLUMN_TEXT,
    COLUMN_AGGREGATED_FROM,
    COLUMN_SERVER_ADDRESS,
    COLUMN_SET_GUID,
    COLUMN_COUNTER_ID,
    COLUMN_KNOWN_BY,
    NUM_COLUMNS
};

static const char *const column_names[NUM_COLUMNS] = {
    [COLUMN_TIME] = "time", /* time of the sample: PerfTime100NSec, UTC, RFC 3339 */
    [COLUMN_FRAME] = "frame",
    [COLUMN_CLIENT] = "client",     /* address of the polling client */
    [COLUMN_SERVER] = "server",     /* machine name as in counter paths */
    [COLUMN_QUERY] = "query",       /* perflibv2.query, or the registry value's name */
    [COLUMN_SET] = "counterset",    /* counterset, or object of the older API */
    [COLUMN_INSTANCE] = "instance", /* name as in counter paths: with parent, and #n for equal names */
    [COLUMN_INSTANCE_ID] = "instance_id",
    [COLUMN_COUNTER] = "counter",
    [COLUMN_TYPE] = "type", /* name of the counter type, such as PERF_COUNTER_COUNTER, or its number */
    [COLUMN_RAW] = "raw",
    [COLUMN_BASE] = "base", /* raw value of the base counter */
    [COLUMN_COOKED] = "cooked",
    [COLUMN_UNIT] = "unit",
    [COLUMN_REASON] = "reason",     /* why there is no cooked value */
    [COLUMN_INTERVAL] = "interval", /* seconds since previous_frame */
    [COLUMN_PREVIOUS_FRAME] = "previous_frame",
    [COLUMN_TEXT] = "text",                       /* value of a text counter */
    [COLUMN_AGGREGATED_FROM] = "aggregated_from", /* number of instances that an aggregated value comes from */
    [COLUMN_SERVER_ADDRESS] = "server_address",
    [COLUMN_SET_GUID] = "counterset_guid", /* title index of the object; older API only */
    [COLUMN_COUNTER_ID] = "counter_id",    /* title index of the counter; older API only */
    [COLUMN_KNOWN_BY] = "known_by",        /* how the value was identified, a word of the protocol */
};

enum cell_kind { CELL_NOTHING, CELL_TEXT, CELL_WHOLE, CELL_REAL };

struct samples_cell {
    enum cell_kind kind;
    const char *text;
    uint64_t whole; /* absolute value; see is_negative */
    bool is_negative;
    double real;
};

/* State of one -z PROTOCOL,samples option. */
struct samples {
    struct command command; /* must be the first member */
    bool is_json;
    bool is_begun; /* true if the header was written since the last reset */
    bool is_lost;  /* true if writing failed since the last reset; the user was informed */
    FILE *file;    /* NULL if not open */
    GString *line;
    bool has_samples;
};

static struct samples_cell
text_cell(const char *text)
{
    return (struct samples_cell){ .kind = text != NULL && text[0] != '\0' ? CELL_TEXT : CELL_NOTHING, .text = text };
}

static struct samples_cell
whole_cell(bool is_there, uint64_t whole)
{
    return (struct samples_cell){ .kind = is_there ? CELL_WHOLE : CELL_NOTHING, .whole = whole };
}

static struct samples_cell
real_cell(bool is_there, double real)
{
    return (struct samples_cell){ .kind = is_there ? CELL_REAL : CELL_NOTHING, .real = real };
}

/* Makes the cells that all values of a poll share. */
static void
fill_poll(struct samples_cell *cells, const packet_info *pinfo, const struct perf_tap_poll *poll)
{
    cells[COLUMN_TIME] = text_cell(csv_time(pinfo->pool, &poll->time));
    cells[COLUMN_FRAME] = whole_cell(true, pinfo->num);
    cells[COLUMN_CLIENT] = text_cell(address_to_str(pinfo->pool, &pinfo->dst));
    cells[COLUMN_SERVER] = text_cell(poll->host);
    cells[COLUMN_QUERY] = text_cell(poll->query);
    cells[COLUMN_SERVER_ADDRESS] = text_cell(address_to_str(pinfo->pool, &pinfo->src));
}

static void
fill_sample(struct samples_cell *cells, const packet_info *pinfo, const struct perf_tap_poll *poll,
    const struct perf_tap_sample *sample)
{
    const struct cook_result *cooked = &sample->cooked;
    struct perf_tap_origin origin;
    const char *type;

    poll->tell(poll, sample, &origin);
    type = perf_counter_type_name(origin.type);
    if (type == NULL) {
        type = wmem_strdup_printf(pinfo->pool, "0x%08x", origin.type);
    }
    cells[COLUMN_SET] = text_cell(origin.set);
    cells[COLUMN_INSTANCE] = text_cell(origin.instance);
    cells[COLUMN_INSTANCE_ID] = whole_cell(origin.has_instance_id, origin.instance_id);
    cells[COLUMN_COUNTER] = text_cell(origin.counter);
    cells[COLUMN_SET_GUID] = text_cell(origin.set_id);
    cells[COLUMN_COUNTER_ID] = whole_cell(origin.has_counter_id, origin.counter_id);
    cells[COLUMN_KNOWN_BY] = text_cell(origin.known_by);
    cells[COLUMN_TYPE] = text_cell(origin.has_type ? type : NULL);
    cells[COLUMN_RAW] =
        whole_cell(sample->text == NULL && !sample->is_other && cooked->reason != COOK_WRONG_SIZE, sample->raw);
    cells[COLUMN_BASE] = whole_cell(origin.has_base, origin.base);
    cells[COLUMN_COOKED] = cooked->is_whole ? whole_cell(cooked->reason == COOK_OK, cooked->whole)
                                            : real_cell(cooked->reason == COOK_OK, cooked->value);
    cells[COLUMN_COOKED].is_negative = cooked->value < 0;
    cells[COLUMN_UNIT] = text_cell(cook_unit_text(cooked->unit));
    cells[COLUMN_REASON] = text_cell(cook_reason_text(cooked->reason));
    cells[COLUMN_INTERVAL] = real_cell(origin.previous_frame != 0, origin.interval);
    cells[COLUMN_PREVIOUS_FRAME] = whole_cell(origin.previous_frame != 0, origin.previous_frame);
    cells[COLUMN_TEXT] = text_cell(sample->text);
    cells[COLUMN_AGGREGATED_FROM] = whole_cell(sample->num_aggregated > 0, sample->num_aggregated);
}

static void
samples_append_cell(GString *line, const struct samples_cell *cell,
    void (*append_text)(GString *line, const char *text))
{
    switch (cell->kind) {
    case CELL_TEXT: append_text(line, cell->text); break;
    case CELL_WHOLE: csv_append_whole(line, cell->whole, cell->is_negative); break;
    case CELL_REAL: csv_append_real(line, cell->real); break;
    default: break;
    }
}

static void
append_csv(GString *line, const struct samples_cell *cells)
{
    for (unsigned column = 0; column < NUM_COLUMNS; column++) {
        if (column > 0) {
            g_string_append_c(line, ',');
        }
        samples_append_cell(line, &cells[column], csv_append_text);
    }
    g_string_append(line, "\r\n");
}

static void
append_json(GString *line, const struct samples_cell *cells)
{
    const char *before = "{\"";

    for (unsigned column = 0; column < NUM_COLUMNS; column++) {
        if (cells[column].kind != CELL_NOTHING) {
            g_string_append(line, before);
            g_string_append(line, column_names[column]);
            g_string_append(line, "\":");
            samples_append_cell(line, &cells[column], csv_append_json_text);
            before = ",\"";
        }
    }
    g_string_append(line, "}\n");
}

static void
append_header(GString *line)
{
    for (unsigned column = 0; column < NUM_COLUMNS; column++) {
        if (column > 0) {
            g_string_append_c(line, ',');
        }
        g_string_append(line, column_names[column]);
    }
    g_string_append(line, "\r\n");
}

/* Opens the file if it is not open. Returns false if that failed; then the user was informed. */
static bool
is_open(struct samples *samples)
{
    if (samples->file != NULL || samples->is_lost) {
        return samples->file != NULL;
    }
    samples->file =
        samples->is_begun ? output_file_resume(samples->command.output) : output_file_begin(samples->command.output);
    if (samples->file != NULL && !samples->is_begun && !samples->is_json) {
        g_string_truncate(samples->line, 0);
        append_header(samples->line);
        fwrite(samples->line->str, 1, samples->line->len, samples->file);
    }
    samples->is_begun = true;
    samples->is_lost = samples->file == NULL;
    return samples->file != NULL;
}

static void
samples_reset(void *data)
{
    struct samples *samples = (struct samples *)data;

    output_file_discard(samples->command.output);
    samples->file = NULL;
    samples->is_begun = samples->is_lost = samples->has_samples = false;
}

/* Informs the user once that the file could not be written. */
static tap_packet_status
samples_lose(struct samples *samples)
{
    output_file_report(output_file_name(samples->command.output), errno);
    samples_reset(samples);
    samples->is_lost = true;
    return TAP_PACKET_FAILED;
}

static tap_packet_status
samples_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    struct samples *samples = (struct samples *)data;
    const struct perf_tap_poll *poll = (const struct perf_tap_poll *)tapped;
    struct samples_cell cells[NUM_COLUMNS];

    if (poll->needed != NULL) {
        needed_add(&samples->command.needed, poll->needed);
        return TAP_PACKET_DONT_REDRAW;
    }
    if (!is_open(samples)) {
        return TAP_PACKET_FAILED;
    }
    samples->has_samples = samples->has_samples || poll->num_samples != 0;
    fill_poll(cells, pinfo, poll);
    for (unsigned i = 0; i < poll->num_samples; i++) {
        if (!command_wants(&samples->command, poll->samples[i].path)) {
            continue;
        }
        fill_sample(cells, pinfo, poll, &poll->samples[i]);
        g_string_truncate(samples->line, 0);
        (samples->is_json ? append_json : append_csv)(samples->line, cells);
        if (fwrite(samples->line->str, 1, samples->line->len, samples->file) != samples->line->len) {
            return samples_lose(samples);
        }
    }
    /* A pipe's reader, in a live capture, gets each poll at once. */
    return samples->file == stdout && fflush(samples->file) != 0 ? samples_lose(samples) : TAP_PACKET_REDRAW;
}

/* Completes the file, at the end and from time to time before. */
static void
samples_draw(void *data)
{
    struct samples *samples = (struct samples *)data;

    if (is_open(samples)) {
        output_file_end(samples->command.output);
        samples->file = NULL;
    }
    if (!samples->has_samples) {
        needed_report(&samples->command.needed, samples->command.name);
    }
}

static bool
samples_begin(void *data, const char *filter _U_)
{
    struct samples *samples = (struct samples *)data;

    samples->is_json = g_str_has_suffix(output_file_name(samples->command.output), ".ndjson");
    samples->line = g_string_new(NULL);
    return true;
}

static void
samples_finish(void *data)
{
    g_string_free(((struct samples *)data)->line, TRUE);
}

const struct command_kind samples_command = {
    .name = "samples",
    .has_patterns = true,
    .size = sizeof(struct samples),
    .begin = samples_begin,
    .reset = samples_reset,
    .packet = samples_packet,
    .draw = samples_draw,
    .finish = samples_finish,
};
