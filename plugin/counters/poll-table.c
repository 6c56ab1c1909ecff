/* poll-table.c
 * A block's values as a table
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/poll.h"

#include <string.h>

/* Maximum numbers of rows and columns of a table that people can still survey */
#define MAX_INSTANCES 100u
#define MAX_COUNTERS  60u
/* Maximum characters of a name, and maximum bytes of a line: Wireshark shows no more */
#define MAX_NAME      24
#define MAX_LINE      220u

/* A table under construction; packet scope */
struct poll_table {
    unsigned num_instances, num_counters;   /* rows and columns in the table */
    unsigned more_instances, more_counters; /* rows and columns left out */
    unsigned num_lines;
    /* lines of text: headers and one line per instance, once for each group of columns that fits on a line */
    const char *const *lines;
};

struct table_cell {
    const char *text;
    unsigned width; /* width in characters */
};

/* A column: header and one cell per instance */
struct column {
    struct table_cell *cells;
    unsigned width; /* width in characters */
    unsigned bytes; /* maximum bytes of a cell, with padding */
};

/* Returns a name cut to a number of characters, not bytes. */
static const char *
short_name(wmem_allocator_t *scope, const char *name)
{
    char *cut;

    if (g_utf8_strlen(name, -1) <= MAX_NAME) {
        return name;
    }
    cut = wmem_strndup(scope, name, (size_t)(g_utf8_offset_to_pointer(name, MAX_NAME - 1) - name));
    return wmem_strdup_printf(scope, "%s\xE2\x80\xA6", cut);
}

static const char *
cell_text(struct poll *poll, unsigned block, unsigned at)
{
    const struct cook_result *cooked = poll_cooked(poll, block, at);
    struct line line;

    switch (cooked == NULL ? COOK_FIRST_SAMPLE : cooked->reason) {
    case COOK_OK:
        line_begin(&line);
        poll_add_cooked_text(&line, cooked);
        return wmem_strdup(poll->scope, line.text);
    case COOK_TEXT: return short_name(poll->scope, poll_text(poll, block, at));
    default: return "-";
    }
}

static struct table_cell
table_make_cell(const char *text)
{
    return (struct table_cell){ text, (unsigned)g_utf8_strlen(text, -1) };
}

static void
table_measure(struct column *column, unsigned num_cells)
{
    for (unsigned i = 0; i < num_cells; i++) {
        column->width = MAX(column->width, column->cells[i].width);
    }
    for (unsigned i = 0; i < num_cells; i++) {
        const struct table_cell *cell = &column->cells[i];

        column->bytes = MAX(column->bytes, (unsigned)strlen(cell->text) + column->width - cell->width);
    }
}

static void
table_fill(struct line *line, unsigned count)
{
    static const char spaces[] = "                                ";
    const unsigned most = sizeof spaces - 1;

    for (; count > most; count -= most) {
        line_add(line, spaces);
    }
    line_add(line, &spaces[most - count]);
}

/* Aligns names left and values right. */
static void
table_append_cell(struct line *line, const struct column *column, unsigned i, bool is_name)
{
    const struct table_cell *cell = &column->cells[i];

    if (is_name) {
        line_add(line, cell->text);
    }
    table_fill(line, column->width - cell->width + (is_name ? 0 : 2));
    if (!is_name) {
        line_add(line, cell->text);
    }
}

/* Fills in the columns: names first, then displayed counters. Returns the number of counters. */
static unsigned
make_columns(struct poll *poll, unsigned block, struct poll_table *table, struct column *columns)
{
    wmem_allocator_t *scope = poll->scope;
    const struct poll_block *of = &poll->blocks[block];
    const unsigned num_counters = of->num_columns;
    unsigned count = 1;

    for (unsigned c = 0; c < num_counters; c++) {
        const struct perf_counter *key = &of->columns[c].key;

        if (!of->columns[c].is_shown) {
            continue;
        }
        if (count > MAX_COUNTERS) {
            table->more_counters++;
            continue;
        }
        columns[count].cells = wmem_alloc_array(scope, struct table_cell, table->num_instances + 1);
        columns[count].cells[0] =
            table_make_cell(key->words == NULL ? "" : short_name(scope, key->words(key, poll->frame, scope).counter));
        for (unsigned i = 0; i < table->num_instances; i++) {
            columns[count].cells[i + 1] = table_make_cell(cell_text(poll, block, i * num_counters + c));
        }
        table_measure(&columns[count++], table->num_instances + 1);
    }
    columns[0].cells = wmem_alloc_array(scope, struct table_cell, table->num_instances + 1);
    columns[0].cells[0] = table_make_cell("");
    for (unsigned i = 0; i < table->num_instances; i++) {
        const struct poll_instance *instance = &of->instances[i];

        columns[0].cells[i + 1] = table_make_cell(short_name(scope,
            instance->text != NULL ? instance->text : wmem_strdup_printf(scope, "id %u", instance->id)));
    }
    table_measure(&columns[0], table->num_instances + 1);
    return count - 1;
}

/* Writes lines with as many columns as fit, then further lines with the next columns. */
static void
write_lines(struct poll_table *table, const struct column *columns, wmem_allocator_t *scope)
{
    const char **lines = wmem_alloc_array(scope, const char *, (table->num_instances + 1) * table->num_counters);
    unsigned end;

    for (unsigned begin = 1; begin <= table->num_counters; begin = end) {
        unsigned bytes = columns[0].bytes;

        for (end = begin; end <= table->num_counters && (end == begin || bytes + 2 + columns[end].bytes <= MAX_LINE);
             end++) {
            bytes += 2 + columns[end].bytes;
        }
        for (unsigned i = 0; i <= table->num_instances; i++) {
            struct line line;

            line_begin(&line);
            table_append_cell(&line, &columns[0], i, true);
            for (unsigned c = begin; c < end; c++) {
                table_append_cell(&line, &columns[c], i, false);
            }
            lines[table->num_lines++] = wmem_strdup(scope, line.text);
        }
    }
    table->lines = lines;
}

/*
 * Returns the minimum number of lines of a block's table; 0: no table, since the counterset is unknown, or fewer than
 * two instances or shown counters are in the block.
 */
static unsigned
table_least_lines(const struct poll_block *block)
{
    unsigned shown = 0;

    if (!block->is_named || !block->is_table || block->num_instances < 2) {
        return 0;
    }
    for (unsigned c = 0; c < block->num_columns && shown < 2; c++) {
        shown += block->columns[c].is_shown;
    }
    return shown < 2 ? 0 : MIN(block->num_instances, MAX_INSTANCES) + 1;
}

/* Cost of a table line in the item budget: high, as Wireshark 4.6 limits items in a row that cover the same bytes */
#define ITEMS_A_LINE 24

void
poll_add_table(struct poll *poll, struct poll_view *view, proto_tree *tree, unsigned block,
    const struct item_budget *budget)
{
    const struct poll_fields *f = view->fields;
    const struct poll_block *of = &poll->blocks[block];
    const int offset = (int)of->table_offset;
    const unsigned least = table_least_lines(of);
    struct poll_table *table;
    struct column *columns;
    const char *more = "";
    proto_item *item;
    proto_tree *sub;

    if (least == 0 || !view->wants.table) {
        return;
    }
    if (!item_budget_reserve(budget, view->pinfo, ITEMS_A_LINE * (least + 1))) {
        view->rest->left_out++;
        return;
    }
    table = wmem_new0(poll->scope, struct poll_table);
    table->num_instances = MIN(of->num_instances, MAX_INSTANCES);
    table->more_instances = of->num_instances - table->num_instances;
    columns = wmem_alloc0_array(poll->scope, struct column, MIN(of->num_columns, MAX_COUNTERS) + 1);
    table->num_counters = make_columns(poll, block, table, columns);
    write_lines(table, columns, poll->scope);
    if (!item_budget_reserve(budget, view->pinfo, ITEMS_A_LINE * (table->num_lines - least))) {
        view->rest->left_out++;
        return;
    }
    if (table->more_instances > 0 || table->more_counters > 0) {
        more = wmem_strdup_printf(poll->scope, " (without %u instances, %u counters)", table->more_instances,
            table->more_counters);
    }
    item = proto_tree_add_none_format(tree, f->table, poll->tvb, offset, 0, "Table of %u instances, %u counters%s",
        table->num_instances, table->num_counters, more);
    proto_item_set_generated(item);
    sub = proto_item_add_subtree(item, f->ett_table);
    for (unsigned i = 0; i < table->num_lines; i++) {
        item = proto_tree_add_none_format(sub, f->table_row, poll->tvb, offset, 0, "%s", table->lines[i]);
        proto_item_set_generated(item);
    }
}
