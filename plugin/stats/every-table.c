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

#include "stats/model.h"

#ifndef PERFLIB_VERSION
#define PERFLIB_VERSION PLUGIN_VERSION
#endif

/* Version of the files' format. Increase it if a key is removed or changes its meaning. */
#define SCHEMA 1

/* Files in addition to those of the model's tables. */
enum { FILE_META = NUM_MODEL_TABLES, FILE_NOTES, NUM_FILES };

struct every_table {
    struct model_command head;              /* must be the first member */
    enum csv_form form;                     /* CSV_JSON or CSV_VALUES */
    struct output_file *outputs[NUM_FILES]; /* one for each file of the folder; standard output has only the first */
    bool is_stream;
    const struct page_limits *limits; /* NULL: all rows are written */
    unsigned *written;                /* receives the number of rows written of each model table; may be NULL */
};

/* Returns the name of a file: "perflibv2-counters", or "sessions" if the table covers all protocols. */
static const char *
table_file_name(const struct every_table *every, unsigned file)
{
    switch (file) {
    case FILE_META: return "meta";
    case FILE_NOTES: return "notes";
    case MODEL_FINDINGS:
    case MODEL_SESSIONS: return every->head.model->tables[file]->kind->name;
    default: return every->head.model->tables[file]->file_name;
    }
}

static bool
open_outputs(struct every_table *every, const char *folder)
{
    every->is_stream = strcmp(folder, "-") == 0;
    if (every->is_stream && every->form != CSV_JSON) {
        report_failure("Nothing is written: -z perflib,csv needs a folder. For one stream use -z perflib,ndjson,-");
        return false;
    }
    if (every->is_stream) {
        every->outputs[0] = output_file_new(folder);
        return every->outputs[0] != NULL;
    }
    if (g_mkdir(folder, 0777) != 0 && errno != EEXIST) {
        output_file_report(folder, errno);
        return false;
    }
    for (unsigned file = 0; file < NUM_FILES; file++) {
        char *path = g_strdup_printf("%s" G_DIR_SEPARATOR_S "%s.%s", folder, table_file_name(every, file),
            every->form == CSV_JSON ? "ndjson" : "csv");

        every->outputs[file] = output_file_new(path);
        g_free(path);
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

    every->form = g_str_has_suffix(every->head.command.name, ",ndjson") ? CSV_JSON : CSV_VALUES;
    model_command_open(&every->head, filter, model_begin_data);
    return open_outputs(every, every->head.command.folder);
}

static void
begin_row(const struct every_table *every, const char *name, GString *out)
{
    if (every->form == CSV_JSON) {
        g_string_append_c(out, '{');
    }
    if (every->is_stream) {
        g_string_append_printf(out, "\"table\":\"%s\",", name);
    }
}

static void
end_row(const struct every_table *every, GString *out)
{
    g_string_append(out, every->form == CSV_JSON ? "}\n" : "\r\n");
}

static void
append_cells(const struct every_table *every, const char *name, const char *const *keys, const struct csv_cell *cells,
    size_t count, GString *out)
{
    begin_row(every, name, out);
    csv_append_row(out, keys, cells, count, every->form);
    end_row(every, out);
}

static void
append_meta(const struct every_table *every, wmem_allocator_t *scope, GString *out)
{
    const struct model *model = every->head.model;
    const bool has_packets = model->packets > 0;
    static const char *const keys[] = { "schema", "plugin", "wireshark", "capture", "filter", "packets", "first_time",
        "last_time", "headline" };
    const struct csv_cell cells[array_length(keys)] = {
        csv_whole(true, SCHEMA),
        csv_text(PERFLIB_VERSION),
        csv_text(epan_get_version()),
        csv_text(model->capture),
        csv_text(every->head.filter),
        csv_whole(true, model->packets),
        csv_text(has_packets ? csv_time(scope, &model->first) : NULL),
        csv_text(has_packets ? csv_time(scope, &model->last) : NULL),
        csv_text(stat_rows_sentence(model->tables[MODEL_FINDINGS], 0)),
    };

    if (every->form != CSV_JSON) {
        csv_append_row(out, keys, cells, array_length(keys), CSV_KEYS);
        end_row(every, out);
    }
    append_cells(every, "meta", keys, cells, array_length(keys), out);
}

static void
append_note(const struct every_table *every, const char *table, const char *text, GString *out)
{
    static const char *const keys[] = { "of", "text" };
    const struct csv_cell cells[] = { csv_text(table), csv_text(text) };

    if (text[0] != '\0') {
        append_cells(every, "notes", keys, cells, array_length(keys), out);
    }
}

/* Writes the notes of all tables: their sentences, and the missing keys. */
static void
append_notes(const struct every_table *every, GString *out)
{
    g_string_append(out, every->form == CSV_JSON ? "" : "of,text\r\n");
    for (unsigned file = 0; file < NUM_MODEL_TABLES; file++) {
        const struct stat_rows *rows = every->head.model->tables[file];
        const char *name = table_file_name(every, file);

        for (unsigned i = 0; i < rows->sentences->len; i++) {
            append_note(every, name, stat_rows_sentence(rows, i), out);
        }
        for (unsigned i = 0; i < rows->needed.count; i++) {
            append_note(every, name, rows->needed.items[i].text, out);
        }
    }
}

/* Appends the rows of a table, up to the bytes in every->limits. Returns the number of rows appended. */
static unsigned
append_table(const struct every_table *every, const char *name, const struct stat_rows *rows, bool has_counters,
    GString *out)
{
    static const char *const keys[] = { "of", "rows" };
    const size_t begin = out->len;
    const size_t most = every->limits == NULL ? SIZE_MAX
        : has_counters                        ? every->limits->counters
                                              : every->limits->others;
    unsigned row;

    if (every->form != CSV_JSON) {
        stat_rows_append(rows, 0, CSV_KEYS, out);
        end_row(every, out);
    }
    for (row = 0; row < stat_rows_count(rows) && out->len - begin < most; row++) {
        begin_row(every, name, out);
        stat_rows_append(rows, row, every->form, out);
        end_row(every, out);
    }
    if (row < stat_rows_count(rows)) {
        const struct csv_cell left_out[] = { csv_text(name), csv_whole(true, stat_rows_count(rows) - row) };

        append_cells(every, "left_out", keys, left_out, array_length(keys), out);
    }
    return row;
}

static void
append_file(const struct every_table *every, unsigned file, wmem_allocator_t *scope, GString *out)
{
    unsigned written;

    switch (file) {
    case FILE_META: append_meta(every, scope, out); break;
    case FILE_NOTES: append_notes(every, out); break;
    default:
        written = append_table(every, table_file_name(every, file), every->head.model->tables[file],
            file >= MODEL_COUNTERS && file != MODEL_FINDINGS, out);
        if (every->written != NULL) {
            every->written[file] = written;
        }
    }
}

/* Returns the file to write at step i, as its index in .outputs: meta, findings and notes are first. */
static unsigned
file_at(unsigned i)
{
    static const unsigned first[] = { FILE_META, MODEL_FINDINGS, FILE_NOTES };

    return i < array_length(first) ? first[i] : i - (unsigned)array_length(first);
}

void
every_table_append_json(struct model *model, const char *filter, const struct page_limits *limits, unsigned *written,
    GString *out)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    const struct every_table every = {
        .form = CSV_JSON,
        .is_stream = true,
        .head = { .filter = (char *)filter, .model = model },
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
    FILE *stream = NULL;

    findings_table_fill(every->head.model->tables[MODEL_FINDINGS], every->head.model, scope);
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
    model_command_finish(data);
}

const struct command_kind every_table_command = {
    .has_folder = true,
    .size = sizeof(struct every_table),
    .begin = every_begin,
    .reset = model_command_reset,
    .packet = model_command_packet,
    .draw = every_draw,
    .finish = every_finish,
};
