/* openmetrics.c
 * -z PROTOCOL,openmetrics,FILE[,filter]: the cooked values of a capture's polls with their times, as OpenMetrics 1.0
 * text, which "promtool tsdb create-blocks-from openmetrics" makes a Prometheus's history of
 *
 * A family is a counter of a counterset (or object), its name made of theirs and of the unit; a series of it is one
 * counter path. Labels hold the names as they are, so that series differ where their paths do, also where the names
 * of their families come out the same. All of a family stand together, all of a series in order of time
 * (PerfTime100NSec, UTC), as the format demands: they are sorted (sample-sorter.c) when the capture was read.
 * Prometheus counts time in milliseconds: of several values that a path has in one the first stands.
 *
 * Left out is what OpenMetrics does not hold: texts, values that could not be computed, and times before 1970 or after
 * 9999.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include <inttypes.h>
#include <string.h>

#include "compat.h"

#include "base/text.h"
#include "counters/record.h"
#include "stats/command.h"
#include "stats/csv.h"
#include "stats/needed.h"
#include "stats/path-index.h"
#include "stats/sample-sorter.h"

#define SORTED_IN_MEMORY 250000u /* samples, 40 bytes each */
#define TICKS_A_SECOND   INT64_C(10000000)
#define YEAR_10000       INT64_C(253402300800) /* seconds since 1970 */

/* How names end and what UNIT says. Wholes without a unit have none. */
static const char *const unit_names[] = {
    [COOK_UNIT_NONE] = "",
    [COOK_UNIT_PERCENT] = "percent",
    [COOK_UNIT_PER_SECOND] = "per_second",
    [COOK_UNIT_SECONDS] = "seconds",
};

struct family {
    char *name;
    char *help;
    enum cook_unit unit;
};

/* What a path's values are, under one unit */
struct openmetrics_series {
    unsigned family;
    unsigned older; /* another of the path, plus 1, or 0: its type was learned anew, and with it the unit */
    char *labels;   /* "{server=...}" */
};

/* One "-z" */
struct openmetrics {
    struct output_file *output;
    struct path_index *paths;
    GArray *of_paths;    /* unsigned: number of a path's newest series, plus 1 */
    GArray *series;      /* struct openmetrics_series */
    GHashTable *by_name; /* name -> family, plus 1 */
    GArray *families;    /* struct family */
    struct sample_sorter *samples;
    bool is_lost;         /* since the last reset: some could not be kept, as the user was told */
    const char *command;  /* "perflibv2,openmetrics"; constant */
    struct needed needed; /* why there are no series */
};

static void
free_series(void *series)
{
    g_free(((struct openmetrics_series *)series)->labels);
}

static void
free_family(void *family)
{
    g_free(((struct family *)family)->name);
    g_free(((struct family *)family)->help);
}

static void
openmetrics_reset(void *data)
{
    struct openmetrics *metrics = (struct openmetrics *)data;

    path_index_clear(metrics->paths);
    g_hash_table_remove_all(metrics->by_name);
    g_array_set_size(metrics->of_paths, 0);
    g_array_set_size(metrics->series, 0);
    g_array_set_size(metrics->families, 0);
    sample_sorter_clear(metrics->samples);
    needed_clear(&metrics->needed);
    metrics->is_lost = false;
}

static void
openmetrics_free(void *data)
{
    struct openmetrics *metrics = (struct openmetrics *)data;

    path_index_free(metrics->paths);
    g_hash_table_destroy(metrics->by_name);
    g_array_free(metrics->of_paths, TRUE);
    g_array_free(metrics->series, TRUE);
    g_array_free(metrics->families, TRUE);
    sample_sorter_free(metrics->samples);
    output_file_free(metrics->output);
    needed_clear(&metrics->needed);
    g_free(metrics);
}

/* Behind a word of a name, if any, another. */
static void
append_word(GString *name, const char *word)
{
    if (name->str[name->len - 1] != '_') {
        g_string_append_c(name, '_');
    }
    g_string_append(name, word);
}

/*
 * A name's words in lower case, between "_": what else ASCII has is left out, other characters become their number, so
 * that names in any language stay apart. A percent sign is a word of its own where the unit does not say it.
 */
static void
append_words(GString *name, const char *text, enum cook_unit unit)
{
    const char *shown = name_text(NULL, text);
    bool is_word = false;

    for (const char *at = shown; *at != '\0'; at = g_utf8_next_char(at)) {
        const gunichar character = g_utf8_get_char(at);

        if (character >= 0x80) {
            char number[16];

            snprintf(number, sizeof number, "u%04x", (unsigned)character);
            append_word(name, number);
            is_word = false;
        } else if (g_ascii_isalnum((char)character)) {
            const char letter[] = { g_ascii_tolower((char)character), '\0' };

            if (is_word) {
                g_string_append(name, letter);
            } else {
                append_word(name, letter);
            }
            is_word = true;
        } else {
            if (character == '%' && unit != COOK_UNIT_PERCENT) {
                append_word(name, "percent");
            }
            is_word = false;
        }
    }
    if (shown != text) {
        wmem_free(NULL, (char *)shown);
    }
}

/* "perflib_processor_information_processor_time_percent", of Processor Information and % Processor Time */
static char *
family_name(const struct perf_tap_origin *origin, enum cook_unit unit)
{
    GString *name = g_string_new("perflib");

    append_words(name, origin->set, unit);
    append_words(name, origin->counter, unit);
    if (unit == COOK_UNIT_PER_SECOND && g_str_has_suffix(name->str, "_sec")) {
        g_string_truncate(name, name->len - strlen("_sec"));
    }
    if (unit != COOK_UNIT_NONE) {
        append_word(name, unit_names[unit]);
    }
    return g_string_free(name, FALSE);
}

/* A text as HELP and, where it is quoted, labels have it. */
static void
append_escaped(GString *out, const char *text)
{
    const char *shown = name_text(NULL, text);

    for (const char *c = shown; *c != '\0'; c++) {
        if (*c == '\\' || *c == '"') {
            g_string_append_c(out, '\\');
        }
        g_string_append_c(out, *c);
    }
    if (shown != text) {
        wmem_free(NULL, (char *)shown);
    }
}

static void
append_label(GString *out, const char *name, const char *text)
{
    if (text != NULL && text[0] != '\0') {
        g_string_append_printf(out, "%c%s=\"", out->len > 0 ? ',' : '{', name);
        append_escaped(out, text);
        g_string_append_c(out, '"');
    }
}

static unsigned
find_family(struct openmetrics *metrics, const struct perf_tap_origin *origin, enum cook_unit unit)
{
    struct family family = { .name = family_name(origin, unit), .unit = unit };
    unsigned number = GPOINTER_TO_UINT(g_hash_table_lookup(metrics->by_name, family.name));

    if (number == 0) {
        GString *help = g_string_new(NULL);

        append_escaped(help, origin->set);
        g_string_append(help, ": ");
        append_escaped(help, origin->counter);
        family.help = g_string_free(help, FALSE);
        g_array_append_val(metrics->families, family);
        number = metrics->families->len;
        g_hash_table_insert(metrics->by_name, family.name, GUINT_TO_POINTER(number));
    } else {
        g_free(family.name);
    }
    return number - 1;
}

/* The series of a sample, made where it is its path's first of its unit. */
static unsigned
find_series(struct openmetrics *metrics, const struct perf_tap_poll *poll, const struct perf_tap_sample *sample)
{
    const enum cook_unit unit = sample->cooked.unit;
    const unsigned path = path_index_add(metrics->paths, sample->path);
    struct openmetrics_series series = { .older = 0 };
    struct perf_tap_origin origin;
    GString *labels;

    if (path >= metrics->of_paths->len) {
        g_array_set_size(metrics->of_paths, path + 1);
    }
    series.older = g_array_index(metrics->of_paths, unsigned, path);
    for (unsigned number = series.older; number != 0;) {
        const struct openmetrics_series *known = &g_array_index(metrics->series, struct openmetrics_series, number - 1);

        if (g_array_index(metrics->families, struct family, known->family).unit == unit) {
            return number - 1;
        }
        number = known->older;
    }
    poll->tell(poll, sample, &origin);
    series.family = find_family(metrics, &origin, unit);
    labels = g_string_new(NULL);
    append_label(labels, "server", poll->host);
    append_label(labels, "counterset", origin.set);
    append_label(labels, "instance", origin.instance);
    append_label(labels, "counter", origin.counter);
    if (labels->len > 0) {
        g_string_append_c(labels, '}');
    }
    series.labels = g_string_free(labels, FALSE);
    g_array_append_val(metrics->series, series);
    g_array_index(metrics->of_paths, unsigned, path) = metrics->series->len;
    return metrics->series->len - 1;
}

static tap_packet_status
openmetrics_packet(void *data, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *tapped,
    tap_flags_t flags _U_)
{
    struct openmetrics *metrics = (struct openmetrics *)data;
    const struct perf_tap_poll *poll = (const struct perf_tap_poll *)tapped;
    struct sorted_sample kept;

    if (poll->needed != NULL) {
        needed_add(&metrics->needed, poll->needed);
        return TAP_PACKET_DONT_REDRAW;
    }
    if (poll->time.secs < 0 || (int64_t)poll->time.secs >= YEAR_10000 || poll->time.nsecs < 0) {
        return TAP_PACKET_DONT_REDRAW;
    }
    kept.time = (int64_t)poll->time.secs * TICKS_A_SECOND + poll->time.nsecs / 100;
    for (unsigned i = 0; i < poll->num_samples; i++) {
        const struct perf_tap_sample *sample = &poll->samples[i];

        if (sample->path == NULL || sample->text != NULL || sample->cooked.reason != COOK_OK) {
            continue;
        }
        kept.series = find_series(metrics, poll, sample);
        kept.family = g_array_index(metrics->series, struct openmetrics_series, kept.series).family;
        kept.is_whole = sample->cooked.is_whole;
        if (kept.is_whole) {
            kept.value.whole = sample->cooked.whole;
        } else {
            kept.value.real = sample->cooked.value;
        }
        if (!sample_sorter_add(metrics->samples, &kept)) {
            metrics->is_lost = true;
            return TAP_PACKET_FAILED;
        }
    }
    return TAP_PACKET_REDRAW;
}

/* While the file is written */
struct writer {
    const struct openmetrics *metrics;
    FILE *file;
    GString *line;
    bool is_begun;
    uint32_t family, series; /* of the sample before */
    int64_t milliseconds;
};

static void
append_family(GString *line, const struct family *family)
{
    g_string_append_printf(line, "# TYPE %s gauge\n", family->name);
    if (family->unit != COOK_UNIT_NONE) {
        g_string_append_printf(line, "# UNIT %s %s\n", family->name, unit_names[family->unit]);
    }
    g_string_append_printf(line, "# HELP %s %s\n", family->name, family->help);
}

static void
write_sample(const struct sorted_sample *sample, void *data)
{
    struct writer *writer = (struct writer *)data;
    const struct openmetrics *metrics = writer->metrics;
    const struct family *family = &g_array_index(metrics->families, struct family, sample->family);
    GString *line = writer->line;
    char time[48];
    int64_t milliseconds;

    snprintf(time, sizeof time, "%" PRId64 ".%07" PRId64, sample->time / TICKS_A_SECOND, sample->time % TICKS_A_SECOND);
    /* As Prometheus reads it: by way of a double, and cut off. */
    milliseconds = (int64_t)(g_ascii_strtod(time, NULL) * 1000);
    if (writer->is_begun && writer->series == sample->series && writer->milliseconds == milliseconds) {
        return;
    }
    g_string_truncate(line, 0);
    if (!writer->is_begun || writer->family != sample->family) {
        append_family(line, family);
    }
    g_string_append(line, family->name);
    g_string_append(line, g_array_index(metrics->series, struct openmetrics_series, sample->series).labels);
    g_string_append_c(line, ' ');
    if (sample->is_whole) {
        csv_append_whole(line, sample->value.whole);
    } else {
        csv_append_real(line, sample->value.real);
    }
    g_string_append_printf(line, " %s\n", time);
    fwrite(line->str, 1, line->len, writer->file); /* the stream remembers an error */
    writer->is_begun = true;
    writer->family = sample->family;
    writer->series = sample->series;
    writer->milliseconds = milliseconds;
}

/* Writes the file anew: Wireshark draws several times while it reads, tshark once at the end. */
static void
openmetrics_draw(void *data)
{
    struct openmetrics *metrics = (struct openmetrics *)data;
    struct writer writer = { .metrics = metrics };

    if (metrics->is_lost) {
        return;
    }
    writer.file = output_file_begin(metrics->output);
    if (writer.file == NULL) {
        return;
    }
    writer.line = g_string_new(NULL);
    if (metrics->series->len == 0) {
        needed_report(&metrics->needed, metrics->command);
    }
    if (sample_sorter_visit(metrics->samples, write_sample, &writer)) {
        fputs("# EOF\n", writer.file);
        output_file_end(metrics->output);
    } else {
        output_file_discard(metrics->output);
    }
    g_string_free(writer.line, TRUE);
}

static bool
openmetrics_start(const char *argument, void *data)
{
    static const struct command_callbacks callbacks = { openmetrics_reset, openmetrics_packet, openmetrics_draw,
        openmetrics_free };
    const struct command *command = (const struct command *)data;
    const char *filter;
    struct output_file *output = command_file(argument, command->name, &filter);
    struct openmetrics *metrics;

    if (output == NULL) {
        return false;
    }
    metrics = g_new0(struct openmetrics, 1);
    metrics->output = output;
    metrics->command = command->name;
    metrics->paths = path_index_new();
    metrics->of_paths = g_array_new(FALSE, TRUE, sizeof(unsigned));
    metrics->series = g_array_new(FALSE, FALSE, sizeof(struct openmetrics_series));
    g_array_set_clear_func(metrics->series, free_series);
    /* Names are those of the families. Their texts are from the wire: the hash is seeded. */
    metrics->by_name = g_hash_table_new(wmem_str_hash, g_str_equal);
    metrics->families = g_array_new(FALSE, FALSE, sizeof(struct family));
    g_array_set_clear_func(metrics->families, free_family);
    metrics->samples = sample_sorter_new(SORTED_IN_MEMORY);
    return command_listen(argument, command->tap_name, filter, metrics, &callbacks);
}

PERFLIB_STAT_INIT_CB(openmetrics_init, openmetrics_start)

void
openmetrics_register(const char *protocol, const char *tap_name)
{
    command_register(protocol, "openmetrics", tap_name, openmetrics_init);
}
