/* every-table.c
 * -z perflib,ndjson,FOLDER[,filter] and -z perflib,csv,FOLDER[,filter]: all tables of a capture, for programs
 *
 * Each table has a file, even if it is empty. "-" with ndjson writes a single stream in which each row names its
 * table. The first row, or the file "meta", describes the capture; "notes" has the sentences below the tables.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include <errno.h>
#include <string.h>

#include <epan/epan.h>
#include <glib/gstdio.h>
#include <wsutil/report_message.h>

#include "stats/csv.h"
#include "stats/model.h"

#ifndef PERFLIB_VERSION
#define PERFLIB_VERSION PLUGIN_VERSION
#endif

/* Version of the files' format. Increase it if a key is removed or changes its meaning. */
#define SCHEMA 1

/* Files in addition to those of the model's tables. */
enum extra_file { FILE_META, FILE_FINDINGS, FILE_NOTES, NUM_EXTRA_FILES };
#define NUM_FILES (NUM_MODEL_TABLES + NUM_EXTRA_FILES)

struct every_table {
    struct command command; /* must be the first member */
    bool is_json;
    char *filter;
    struct model *model;
    struct stat_rows *findings;
    struct output_file *outputs[NUM_FILES]; /* one per file of a folder; for standard output only the first */
    bool is_stream;
    const struct page_limits *limits; /* NULL: all rows are written */
    unsigned *written;                /* gets the number of rows written of each model table; may be NULL */
};

/* Returns the name of a table in files, "perflibv2-counters". Free it with g_free(). */
static char *
table_file_name(const struct every_table *every, unsigned file)
{
    static const char *const extras[NUM_EXTRA_FILES] = { "meta", "findings", "notes" };
    char *name;

    if (file >= NUM_MODEL_TABLES) {
        return g_strdup(extras[file - NUM_MODEL_TABLES]);
    }
    if (file == MODEL_SESSIONS) {
        return g_strdup("sessions");
    }
    name = g_strdup(every->model->tables[file]->ui.cli_string);
    *strchr(name, ',') = '-';
    return name;
}

/* Makes the folder if there is none. Returns false, and shows an error to the user, if that fails. */
static bool
make_folder(const char *folder)
{
    if (g_mkdir(folder, 0777) != 0 && errno != EEXIST) {
        output_file_report(folder, errno);
        return false;
    }
    return true;
}

static bool
open_outputs(struct every_table *every, const char *folder)
{
    every->is_stream = strcmp(folder, "-") == 0;
    if (every->is_stream && !every->is_json) {
        report_failure("Nothing is written: -z perflib,csv needs a folder. For one stream use -z perflib,ndjson,-");
        return false;
    }
    if (every->is_stream) {
        every->outputs[0] = output_file_new(folder);
        return every->outputs[0] != NULL;
    }
    if (!make_folder(folder)) {
        return false;
    }
    for (unsigned file = 0; file < NUM_FILES; file++) {
        char *name = table_file_name(every, file);
        char *path = g_strdup_printf("%s" G_DIR_SEPARATOR_S "%s.%s", folder, name, every->is_json ? "ndjson" : "csv");

        every->outputs[file] = output_file_new(path);
        g_free(path);
        g_free(name);
        if (every->outputs[file] == NULL) {
            return false;
        }
    }
    return true;
}

static bool
every_begin(void *data, const char *filter)
{
    struct every_table *every = (struct every_table *)data;

    every->is_json = every->command.kind == &ndjson_command;
    every->filter = g_strdup(filter);
    every->model = model_open(model_begin_data, filter != NULL);
    every->findings = findings_table_data();
    return open_outputs(every, every->command.folder);
}

static void
every_reset(void *data)
{
    model_reset(((struct every_table *)data)->model);
}

static tap_packet_status
every_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped _U_, tap_flags_t flags _U_)
{
    model_packet(((struct every_table *)data)->model, pinfo);
    return TAP_PACKET_REDRAW;
}

/* Cell of a row outside of tables: key and value. */
struct plain_cell {
    const char *key, *text; /* text is NULL for a number or an empty cell */
    bool has_number;
    unsigned number;
};

static void
append_plain(const struct every_table *every, const struct plain_cell *cells, size_t count, GString *out)
{
    for (size_t i = 0; i < count; i++) {
        g_string_append(out, i > 0 ? "," : "");
        if (every->is_json) {
            g_string_append_printf(out, "\"%s\":", cells[i].key);
        }
        if (cells[i].text != NULL) {
            (every->is_json ? csv_append_json_text : csv_append_text)(out, cells[i].text);
        } else if (cells[i].has_number) {
            csv_append_whole(out, cells[i].number, false);
        } else {
            g_string_append(out, every->is_json ? "null" : "");
        }
    }
}

static void
begin_row(const struct every_table *every, const char *name, GString *out)
{
    if (every->is_json) {
        g_string_append_c(out, '{');
    }
    if (every->is_stream) {
        g_string_append_printf(out, "\"table\":\"%s\",", name);
    }
}

static void
end_row(const struct every_table *every, GString *out)
{
    g_string_append(out, every->is_json ? "}\n" : "\r\n");
}

static void
append_meta(const struct every_table *every, wmem_allocator_t *scope, GString *out)
{
    const struct model *model = every->model;
    const bool has_packets = model->packets > 0;
    const struct plain_cell cells[] = {
        { "schema", NULL, true, SCHEMA },
        { "plugin", PERFLIB_VERSION, false, 0 },
        { "wireshark", epan_get_version(), false, 0 },
        { "capture", model->capture, false, 0 },
        { "filter", every->filter, false, 0 },
        { "packets", NULL, true, model->packets },
        { "first_time", has_packets ? csv_time(scope, &model->first) : NULL, false, 0 },
        { "last_time", has_packets ? csv_time(scope, &model->last) : NULL, false, 0 },
        { "headline", stat_rows_sentence(every->findings, 0), false, 0 },
    };

    for (size_t i = 0; !every->is_json && i < array_length(cells); i++) {
        g_string_append_printf(out, "%s%s", i > 0 ? "," : "", cells[i].key);
    }
    g_string_append(out, every->is_json ? "" : "\r\n");
    begin_row(every, "meta", out);
    append_plain(every, cells, array_length(cells), out);
    end_row(every, out);
}

static void
append_note(const struct every_table *every, const char *table, const char *text, GString *out)
{
    const struct plain_cell cells[] = { { "of", table, false, 0 }, { "text", text, false, 0 } };

    if (text[0] != '\0') {
        begin_row(every, "notes", out);
        append_plain(every, cells, array_length(cells), out);
        end_row(every, out);
    }
}

/* Writes the notes of a table: its sentences, and the missing keys. */
static void
append_notes_of(const struct every_table *every, const char *table, const struct stat_rows *rows, GString *out)
{
    for (unsigned i = 0; i < rows->sentences->len; i++) {
        append_note(every, table, stat_rows_sentence(rows, i), out);
    }
    for (unsigned i = 0; i < rows->needed.count; i++) {
        append_note(every, table, rows->needed.items[i].text, out);
    }
}

static void
append_notes(const struct every_table *every, GString *out)
{
    g_string_append(out, every->is_json ? "" : "of,text\r\n");
    for (unsigned file = 0; file < NUM_MODEL_TABLES; file++) {
        char *name = table_file_name(every, file);

        append_notes_of(every, name, every->model->tables[file], out);
        g_free(name);
    }
    append_notes_of(every, "findings", every->findings, out);
}

/* Appends the rows of a table, up to `most` bytes. Returns their number. */
static unsigned
append_rows(const struct every_table *every, const char *name, const struct stat_rows *rows, size_t most, GString *out)
{
    const size_t begin = out->len;
    unsigned row;

    if (!every->is_json) {
        stat_rows_append_keys(rows, out);
        end_row(every, out);
    }
    for (row = 0; row < stat_rows_count(rows) && out->len - begin < most; row++) {
        begin_row(every, name, out);
        (every->is_json ? stat_rows_append_json : stat_rows_append_csv)(rows, row, out);
        end_row(every, out);
    }
    return row;
}

/* Appends the rows of a table, as many as fit on a page. Returns their number. */
static unsigned
append_table(const struct every_table *every, const char *name, const struct stat_rows *rows, bool has_counters,
    GString *out)
{
    const size_t most = every->limits == NULL ? SIZE_MAX
        : has_counters                        ? every->limits->counters
                                              : every->limits->others;
    const unsigned written = append_rows(every, name, rows, most, out);
    const struct plain_cell left_out[] = { { "of", name, false, 0 },
        { "rows", NULL, true, stat_rows_count(rows) - written } };

    if (written < stat_rows_count(rows)) {
        begin_row(every, "left_out", out);
        append_plain(every, left_out, array_length(left_out), out);
        end_row(every, out);
    }
    return written;
}

static void
append_file(const struct every_table *every, unsigned file, wmem_allocator_t *scope, GString *out)
{
    char *name = table_file_name(every, file);
    unsigned written = 0;

    switch ((int)file - (int)NUM_MODEL_TABLES) {
    case FILE_META: append_meta(every, scope, out); break;
    case FILE_FINDINGS: append_table(every, name, every->findings, false, out); break;
    case FILE_NOTES: append_notes(every, out); break;
    default: written = append_table(every, name, every->model->tables[file], file >= MODEL_COUNTERS, out);
    }
    if (every->written != NULL && file < NUM_MODEL_TABLES) {
        every->written[file] = written;
    }
    g_free(name);
}

/* Returns the number of the i-th file to be written: the one about the capture is the first. */
static unsigned
file_at(unsigned i)
{
    return (i + NUM_MODEL_TABLES) % NUM_FILES;
}

void
every_table_append_json(struct model *model, struct stat_rows *findings, const char *filter,
    const struct page_limits *limits, unsigned *written, GString *out)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    const struct every_table every = {
        .is_json = true,
        .is_stream = true,
        .filter = (char *)filter,
        .model = model,
        .findings = findings,
        .limits = limits,
        .written = written,
    };

    for (unsigned i = 0; i < NUM_FILES; i++) {
        append_file(&every, file_at(i), scope, out);
    }
    wmem_destroy_allocator(scope);
}

static void
every_draw(void *data)
{
    struct every_table *every = (struct every_table *)data;
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    struct gathered groups;
    FILE *stream = NULL;

    g_array_free(findings_table_fill(every->findings, every->model, scope, &groups), TRUE);
    for (unsigned i = 0; i < NUM_FILES; i++) {
        const unsigned file = file_at(i);
        struct output_file *output = every->outputs[every->is_stream ? 0 : file];
        GString *out = g_string_new(NULL);

        append_file(every, file, scope, out);
        if (!every->is_stream || i == 0) {
            stream = output_file_begin(output);
        }
        if (stream != NULL) {
            fwrite(out->str, 1, out->len, stream);
        }
        if (stream != NULL && (!every->is_stream || i == NUM_FILES - 1)) {
            output_file_end(output);
        }
        g_string_free(out, TRUE);
    }
    wmem_destroy_allocator(scope);
}

static void
every_finish(void *data)
{
    struct every_table *every = (struct every_table *)data;

    for (unsigned i = 0; i < NUM_FILES; i++) {
        output_file_free(every->outputs[i]);
    }
    model_close(every->model);
    g_free(every->filter);
}

#define EVERY_TABLE_COMMAND(format) \
    { \
        .name = (format), .has_folder = true, .size = sizeof(struct every_table), .begin = every_begin, \
        .reset = every_reset, .packet = every_packet, .draw = every_draw, .finish = every_finish, \
    }

const struct command_kind ndjson_command = EVERY_TABLE_COMMAND("ndjson");
const struct command_kind csv_command = EVERY_TABLE_COMMAND("csv");
