/* grid.c
 * The values of a block as a table
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/grid.h"

#include <string.h>

#include "base/line.h"
#include "base/text.h"
#include "counters/value-tree.h"

/* What a person looks at at once. */
#define MAX_INSTANCES 100u
#define MAX_COUNTERS  60u
/* Characters of a name; bytes of a line, of which Wireshark shows no more. */
#define MAX_NAME      24
#define MAX_LINE      220u

struct grid_cell {
    const char *text;
    unsigned width; /* characters */
};

/* A column: its head and a cell for each instance. */
struct column {
    struct grid_cell *cells;
    unsigned width; /* characters */
    unsigned bytes; /* at most, with what is filled up */
};

/* A name that is cut within characters, not bytes. */
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
instance_name(const struct values *values, const struct value_block *block, unsigned at, wmem_allocator_t *scope)
{
    const char *name = values_instance_text(values, block, at, scope);

    return values_row(block, at)->name_size > 0 ? name : wmem_strdup_printf(scope, "id %u", values_row(block, at)->id);
}

static const char *
cell_text(struct values *values, struct value_block *block, unsigned at, wmem_allocator_t *scope)
{
    const struct cook_result *cooked = &values_meaning(values, block, at)->cooked;

    switch (cooked->reason) {
    case COOK_OK: return value_tree_cooked_text(scope, cooked);
    case COOK_TEXT: return short_name(scope, line_text(scope, values_text(values, block, at)));
    default: return "-";
    }
}

static bool
is_displayed(const struct value_block *block, unsigned column)
{
    const struct catalog_counter *counter = values_counter(block, column);

    return (counter->attrib & COUNTER_ATTRIB_NO_DISPLAY) == 0 &&
        !(counter->type_known && perf_counter_type_is_base(counter->type));
}

static struct grid_cell
grid_make_cell(const char *text)
{
    return (struct grid_cell){ text, (unsigned)g_utf8_strlen(text, -1) };
}

static void
grid_measure(struct column *column, unsigned num_cells)
{
    for (unsigned i = 0; i < num_cells; i++) {
        column->width = MAX(column->width, column->cells[i].width);
    }
    for (unsigned i = 0; i < num_cells; i++) {
        const struct grid_cell *cell = &column->cells[i];

        column->bytes = MAX(column->bytes, (unsigned)strlen(cell->text) + column->width - cell->width);
    }
}

static void
grid_fill(struct line *line, unsigned count)
{
    static const char spaces[] = "                                ";
    const unsigned most = sizeof spaces - 1;

    for (; count > most; count -= most) {
        line_add(line, spaces);
    }
    line_add(line, &spaces[most - count]);
}

/* Names to the left, values to the right. */
static void
grid_append_cell(struct line *line, const struct column *column, unsigned i, bool is_name)
{
    const struct grid_cell *cell = &column->cells[i];

    if (is_name) {
        line_add(line, cell->text);
    }
    grid_fill(line, column->width - cell->width + (is_name ? 0 : 2));
    if (!is_name) {
        line_add(line, cell->text);
    }
}

/* The first column, of names, and those that are displayed. The number of the latter. */
static unsigned
make_columns(struct values *values, struct value_block *block, struct grid *grid, struct column *columns,
    wmem_allocator_t *scope)
{
    const unsigned num_counters = block->shape->num_counters;
    unsigned count = 1;

    for (unsigned c = 0; c < num_counters; c++) {
        if (!is_displayed(block, c)) {
            continue;
        }
        if (count > MAX_COUNTERS) {
            grid->more_counters++;
            continue;
        }
        columns[count].cells = wmem_alloc_array(scope, struct grid_cell, grid->num_instances + 1);
        columns[count].cells[0] = grid_make_cell(short_name(scope, values_counter_text(values, block, c, scope)));
        for (unsigned i = 0; i < grid->num_instances; i++) {
            columns[count].cells[i + 1] = grid_make_cell(cell_text(values, block, i * num_counters + c, scope));
        }
        grid_measure(&columns[count++], grid->num_instances + 1);
    }
    columns[0].cells = wmem_alloc_array(scope, struct grid_cell, grid->num_instances + 1);
    columns[0].cells[0] = grid_make_cell("");
    for (unsigned i = 0; i < grid->num_instances; i++) {
        columns[0].cells[i + 1] =
            grid_make_cell(short_name(scope, instance_name(values, block, i * num_counters, scope)));
    }
    grid_measure(&columns[0], grid->num_instances + 1);
    return count - 1;
}

/* Lines of as many columns as one has room for, and then of the next ones. */
static void
write_lines(struct grid *grid, const struct column *columns, wmem_allocator_t *scope)
{
    const char **lines = wmem_alloc_array(scope, const char *, (grid->num_instances + 1) * grid->num_counters);
    unsigned end;

    for (unsigned begin = 1; begin <= grid->num_counters; begin = end) {
        unsigned bytes = columns[0].bytes;

        for (end = begin; end <= grid->num_counters && (end == begin || bytes + 2 + columns[end].bytes <= MAX_LINE);
             end++) {
            bytes += 2 + columns[end].bytes;
        }
        for (unsigned i = 0; i <= grid->num_instances; i++) {
            struct line line;

            line_begin(&line);
            grid_append_cell(&line, &columns[0], i, true);
            for (unsigned c = begin; c < end; c++) {
                grid_append_cell(&line, &columns[c], i, false);
            }
            lines[grid->num_lines++] = wmem_strdup(scope, line.text);
        }
    }
    grid->lines = lines;
}

unsigned
grid_least_lines(const struct value_block *block)
{
    if (!block->is_named || !lpdata_type_has_ids(block->shape->kind) ||
        !lpdata_type_has_instances(block->shape->kind) || block->shape->num_rows < 2 ||
        block->shape->num_counters < 2) {
        return 0;
    }
    return MIN(block->shape->num_rows, MAX_INSTANCES) + 1;
}

const struct grid *
grid_make(struct values *values, struct value_block *block, wmem_allocator_t *scope)
{
    struct grid *grid;
    struct column *columns;

    if (grid_least_lines(block) == 0) {
        return NULL;
    }
    grid = wmem_new0(scope, struct grid);
    grid->num_instances = MIN(block->shape->num_rows, MAX_INSTANCES);
    grid->more_instances = block->shape->num_rows - grid->num_instances;
    columns = wmem_alloc0_array(scope, struct column, MIN(block->shape->num_counters, MAX_COUNTERS) + 1);
    grid->num_counters = make_columns(values, block, grid, columns, scope);
    if (grid->num_counters < 2) {
        return NULL;
    }
    write_lines(grid, columns, scope);
    return grid;
}
