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

/* Makes the cells that all values of a poll share. */
static void
fill_poll(struct csv_cell *cells, const packet_info *pinfo, const struct perf_tap_poll *poll)
{
    cells[COLUMN_TIME] = csv_text(csv_time(pinfo->pool, &poll->time));
    cells[COLUMN_FRAME] = csv_whole(true, pinfo->num);
    cells[COLUMN_CLIENT] = csv_text(address_to_str(pinfo->pool, &pinfo->dst));
    cells[COLUMN_SERVER] = csv_text(poll->host);
    cells[COLUMN_QUERY] = csv_text(poll->query);
    cells[COLUMN_SERVER_ADDRESS] = csv_text(address_to_str(pinfo->pool, &pinfo->src));
}

static void
fill_csv_cells(struct csv_cell *cells, const packet_info *pinfo, const struct perf_tap_poll *poll,
    const struct perf_tap_value *value)
{
    const struct cook_result *cooked = &value->cooked;
    struct perf_tap_origin origin;
    const char *type;

    poll->tell(poll, value, &origin);
    type = perf_counter_type_name(origin.type);
    if (type == NULL) {
        type = wmem_strdup_printf(pinfo->pool, "0x%08x", origin.type);
    }
    cells[COLUMN_SET] = csv_text(origin.set);
    cells[COLUMN_INSTANCE] = csv_text(origin.instance);
    cells[COLUMN_INSTANCE_ID] = csv_whole(origin.has_instance_id, origin.instance_id);
    cells[COLUMN_COUNTER] = csv_text(origin.counter);
    cells[COLUMN_SET_GUID] = csv_text(origin.set_id);
    cells[COLUMN_COUNTER_ID] = csv_whole(origin.has_counter_id, origin.counter_id);
    cells[COLUMN_KNOWN_BY] = csv_text(origin.known_by);
    cells[COLUMN_TYPE] = csv_text(origin.has_type ? type : NULL);
    cells[COLUMN_RAW] =
        csv_whole(value->text == NULL && !value->is_other && cooked->reason != COOK_WRONG_SIZE, value->raw);
    cells[COLUMN_BASE] = csv_whole(origin.has_base, origin.base);
    cells[COLUMN_COOKED] = cooked->is_whole ? csv_whole(cooked->reason == COOK_OK, cooked->whole)
                                            : csv_real(cooked->reason == COOK_OK, cooked->value);
    cells[COLUMN_COOKED].is_negative = cooked->value < 0;
    cells[COLUMN_UNIT] = csv_text(cook_unit_text(cooked->unit));
    cells[COLUMN_REASON] = csv_text(cook_reason_text(cooked->reason));
    cells[COLUMN_INTERVAL] = csv_real(origin.previous_frame != 0, origin.interval);
    cells[COLUMN_PREVIOUS_FRAME] = csv_whole(origin.previous_frame != 0, origin.previous_frame);
    cells[COLUMN_TEXT] = csv_text(value->text);
    cells[COLUMN_AGGREGATED_FROM] = csv_whole(value->num_aggregated > 0, value->num_aggregated);
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
        csv_append_row(samples->line, column_names, NULL, NUM_COLUMNS, CSV_KEYS);
        g_string_append(samples->line, "\r\n");
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
    struct csv_cell cells[NUM_COLUMNS];

    if (poll->needed != NULL) {
        needed_add(&samples->command.needed, poll->needed);
        return TAP_PACKET_DONT_REDRAW;
    }
    if (!is_open(samples)) {
        return TAP_PACKET_FAILED;
    }
    samples->has_samples = samples->has_samples || poll->num_values != 0;
    fill_poll(cells, pinfo, poll);
    for (unsigned i = 0; i < poll->num_values; i++) {
        if (!command_wants(&samples->command, poll->values[i].path)) {
            continue;
        }
        fill_csv_cells(cells, pinfo, poll, &poll->values[i]);
        g_string_assign(samples->line, samples->is_json ? "{" : "");
        csv_append_row(samples->line, column_names, cells, NUM_COLUMNS, samples->is_json ? CSV_JSON_SHORT : CSV_VALUES);
        g_string_append(samples->line, samples->is_json ? "}\n" : "\r\n");
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
