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

static const char *const column_names[] = {
    "time",            /* time of the sample: PerfTime100NSec, UTC, RFC 3339 */
    "frame",           /* frame of the answer */
    "client",          /* address of the polling client */
    "server",          /* machine name as in counter paths */
    "query",           /* perflibv2.query, or the registry value's name */
    "counterset",      /* counterset, or object of the older API */
    "instance",        /* instance name as in counter paths: with parent, and #n for equal names */
    "instance_id",     /* instance id; empty if the block has none */
    "counter",         /* name as in counter paths */
    "type",            /* name of the counter type, such as PERF_COUNTER_COUNTER, or its number */
    "raw",             /* value as sent */
    "base",            /* raw value of the base counter */
    "cooked",          /* value as Windows tools show it */
    "unit",            /* unit of the cooked value */
    "reason",          /* reason why there is no cooked value */
    "interval",        /* seconds since previous_frame */
    "previous_frame",  /* frame of the earlier sample from which the cooked value is computed */
    "text",            /* value of a text counter */
    "aggregated_from", /* number of instances that an aggregated value comes from */
    "server_address",  /* address that answered */
    "counterset_guid", /* GUID of the counterset; for the older API, title index of the object */
    "counter_id",      /* id of the counter; for the older API, its title index */
    "known_by",        /* source of the counter's name, for example "built-in" or "other-machine" */
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

/* Cells that are equal for all values of a poll. */
struct poll_cells {
    struct csv_cell time, client, address;
};

/* Returns a cell with the cooked value; an empty cell if there is none. */
static struct csv_cell
cooked_cell(const struct cook_result *cooked)
{
    struct csv_cell cell = cooked->is_whole ? csv_whole(cooked->reason == COOK_OK, cooked->whole)
                                            : csv_real(cooked->reason == COOK_OK, cooked->value);

    cell.is_negative = cooked->value < 0;
    return cell;
}

/* Appends the row of a value, its cells in the order of the columns. */
static void
append_sample(GString *line, enum csv_form form, const packet_info *pinfo, const struct perf_tap_poll *poll,
    const struct poll_cells *shared, const struct perf_tap_value *value)
{
    const struct cook_result *cooked = &value->cooked;
    struct perf_tap_origin origin;
    const char *type;

    poll->tell(poll, value, &origin);
    type = perf_counter_type_name(origin.type);
    if (type == NULL) {
        type = wmem_strdup_printf(pinfo->pool, "0x%08x", origin.type);
    }
    csv_append_row(line, column_names,
        (const struct csv_cell[array_length(column_names)]){
            shared->time,
            csv_whole(true, pinfo->num),
            shared->client,
            csv_text(poll->host),
            csv_text(poll->query),
            csv_text(origin.set),
            csv_text(origin.instance),
            csv_whole(origin.has_instance_id, origin.instance_id),
            csv_text(origin.counter),
            csv_text(origin.has_type ? type : NULL),
            csv_whole(value->text == NULL && !value->is_other && cooked->reason != COOK_WRONG_SIZE, value->raw),
            csv_whole(origin.has_base, origin.base),
            cooked_cell(cooked),
            csv_text(cook_unit_text(cooked->unit)),
            csv_text(cook_reason_text(cooked->reason)),
            csv_real(origin.previous_frame != 0, origin.interval),
            csv_whole(origin.previous_frame != 0, origin.previous_frame),
            csv_text(value->text),
            csv_whole(value->num_aggregated > 0, value->num_aggregated),
            shared->address,
            csv_text(origin.set_id),
            csv_whole(origin.has_counter_id, origin.counter_id),
            csv_text(origin.known_by),
        },
        array_length(column_names), form);
}

/* Opens the file if it is not open. On failure, informs the user and returns false. */
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
        csv_append_row(samples->line, column_names, NULL, array_length(column_names), CSV_KEYS);
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
    struct poll_cells shared;

    if (poll->needed != NULL) {
        needed_add(&samples->command.needed, poll->needed);
        return TAP_PACKET_DONT_REDRAW;
    }
    if (!is_open(samples)) {
        return TAP_PACKET_FAILED;
    }
    samples->has_samples = samples->has_samples || poll->num_values != 0;
    shared = (struct poll_cells){
        .time = csv_text(csv_time(pinfo->pool, &poll->time)),
        .client = csv_text(address_to_str(pinfo->pool, &pinfo->dst)),
        .address = csv_text(address_to_str(pinfo->pool, &pinfo->src)),
    };
    for (unsigned i = 0; i < poll->num_values; i++) {
        if (!command_wants(&samples->command, poll->values[i].path)) {
            continue;
        }
        g_string_assign(samples->line, samples->is_json ? "{" : "");
        append_sample(samples->line, samples->is_json ? CSV_JSON_SHORT : CSV_VALUES, pinfo, poll, &shared,
            &poll->values[i]);
        g_string_append(samples->line, samples->is_json ? "}\n" : "\r\n");
        if (fwrite(samples->line->str, 1, samples->line->len, samples->file) != samples->line->len) {
            return samples_lose(samples);
        }
    }
    /* Flushed, so that a reader of standard output gets each poll of a live capture at once. */
    return samples->file == stdout && fflush(samples->file) != 0 ? samples_lose(samples) : TAP_PACKET_REDRAW;
}

/* Completes the file. Later samples are appended: Wireshark draws several times while it reads, tshark at the end. */
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
    .has_patterns = true,
    .size = sizeof(struct samples),
    .begin = samples_begin,
    .reset = samples_reset,
    .packet = samples_packet,
    .draw = samples_draw,
    .finish = samples_finish,
};
