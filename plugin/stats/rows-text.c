/* rows-text.c
 * Lines of a table for a terminal: columns fit their contents, up to a usual window's width
 *
 * tshark prints a title, column heads, and then each table's title and rows. It gets one table without rows, whose
 * title contains all lines.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/rows.h"

#include <string.h>

#include "stats/key-index.h"

/* Maximum line width in terminal cells, enough for the name and the numbers of each column. */
#define TERMINAL_COLUMNS 120u
/* Minimum width to which make_room() narrows a column of texts */
#define LEAST_TEXT       7u
#define REST_BELOW       "..."
#define BEHIND_CELL      " |"

#define INDENT      "    "
#define NEXT_INDENT "        "

/* State of writing a table as text. */
struct rows_text {
    const struct stat_rows *rows;
    const struct stat_view *view;
    GString *out;
    uint64_t columns;                      /* bits: columns shown side by side */
    unsigned widths[sizeof(uint64_t) * 8]; /* width of each column in .columns */
    char number[G_ASCII_DTOSTR_BUF_SIZE];
};

/* Returns the width of the character at `at` in terminal cells. */
static unsigned
character_width(const char *at)
{
    gunichar letter;

    /* Most text is ASCII, which needs no search in tables. */
    if ((unsigned char)*at < 0x80) {
        return 1;
    }
    letter = g_utf8_get_char(at);
    return g_unichar_iszerowidth(letter) ? 0 : g_unichar_iswide(letter) ? 2 : 1;
}

/* Returns the width of the part of a text before `end` in terminal cells. */
static unsigned
part_width(const char *text, const char *end)
{
    unsigned width = 0;

    for (const char *at = text; at < end; at = g_utf8_next_char(at)) {
        width += character_width(at);
    }
    return width;
}

static unsigned
text_width(const char *text)
{
    return part_width(text, text + strlen(text));
}

const char *
stat_cell_text(const struct stat_rows *rows, const stat_tap_table_item_type *cell, unsigned column,
    char number[G_ASCII_DTOSTR_BUF_SIZE])
{
    switch (cell->type) {
    case TABLE_ITEM_STRING: return cell->value.string_value;
    case TABLE_ITEM_UINT:
        if (cell->value.uint_value == 0 && (rows->kind->frames & STAT_BIT(column)) != 0) {
            return "";
        }
        snprintf(number, G_ASCII_DTOSTR_BUF_SIZE, "%u", cell->value.uint_value);
        return number;
    case TABLE_ITEM_FLOAT:
        return g_ascii_formatd(number, G_ASCII_DTOSTR_BUF_SIZE, rows->kind->columns[column].item.field_format,
            cell->value.float_value);
    default: return "";
    }
}

/* Returns the text shown for a cell; valid until the next call. */
static const char *
text_of(struct rows_text *text, const stat_tap_table_item_type *cells, unsigned column)
{
    return stat_cell_text(text->rows, &cells[column], column, text->number);
}

static bool
rows_text_has(uint64_t columns, unsigned column)
{
    return (columns & STAT_BIT(column)) != 0;
}

static bool
is_text_column(const struct rows_text *text, unsigned column)
{
    return text->rows->kind->columns[column].item.align == TAP_ALIGN_LEFT;
}

static bool
is_shown(const struct rows_text *text, unsigned row)
{
    bool has_values = text->view->needs == 0;

    for (unsigned column = 0; !has_values && column < text->rows->kind->num_columns; column++) {
        const stat_tap_table_item_type *cell = &stat_rows_cells(text->rows, row)[column];

        has_values = rows_text_has(text->view->needs, column) &&
            (cell->type == TABLE_ITEM_STRING ? cell->value.string_value[0] != '\0'
                                             : cell->type == TABLE_ITEM_UINT && cell->value.uint_value != 0);
    }
    return has_values;
}

static unsigned
total_width(const struct rows_text *text)
{
    unsigned total = 0;

    for (unsigned column = 0; column < text->rows->kind->num_columns; column++) {
        if (rows_text_has(text->columns, column)) {
            total += text->widths[column] + (unsigned)strlen(BEHIND_CELL);
        }
    }
    return total;
}

/*
 * Returns a width that is enough for the name and nine of ten numbers of a column. Wider numbers use room of their
 * row's first column.
 */
static unsigned
usual_width(struct rows_text *text, unsigned column)
{
    const struct stat_rows *rows = text->rows;
    unsigned counts[G_ASCII_DTOSTR_BUF_SIZE] = { 0 }, all = 0, seen = 0, width = 0;

    for (unsigned row = 0; row < stat_rows_count(rows); row++) {
        if (is_shown(text, row)) {
            counts[MIN(text_width(text_of(text, stat_rows_cells(rows, row), column)), array_length(counts) - 1)]++;
            all++;
        }
    }
    /* The loop ends inside counts[], since their sum is `all`. */
    while ((seen += counts[width]) < all - all / 10) {
        width++;
    }
    return MAX(width, text_width(rows->kind->columns[column].item.column_name));
}

/*
 * Returns the widest text column that is wider than LEAST_TEXT and its name, or num_columns if there is none. *next:
 * set to the width of the second widest of these columns, or 0.
 */
static unsigned
widest_text(const struct rows_text *text, unsigned *next)
{
    const struct stat_kind *kind = text->rows->kind;
    unsigned widest = 0, found = kind->num_columns;

    *next = 0;
    for (unsigned column = 0; column < kind->num_columns; column++) {
        const unsigned width = text->widths[column];

        if (rows_text_has(text->columns, column) && is_text_column(text, column) && width > LEAST_TEXT &&
            width > text_width(kind->columns[column].item.column_name)) {
            *next = MAX(*next, MIN(width, widest));
            found = width > widest ? column : found;
            widest = MAX(widest, width);
        }
    }
    return found;
}

/*
 * Makes the columns fit: drops optional columns, then narrows columns of numbers to usual_width(), then the widest
 * texts.
 */
static void
make_room(struct rows_text *text)
{
    const struct stat_kind *kind = text->rows->kind;

    for (unsigned column = kind->num_columns; column-- > 0 && total_width(text) > TERMINAL_COLUMNS;) {
        if (rows_text_has(text->view->optional, column)) {
            text->columns &= ~STAT_BIT(column);
        }
    }
    for (unsigned column = kind->num_columns; column-- > 0 && total_width(text) > TERMINAL_COLUMNS;) {
        if (rows_text_has(text->columns, column) && !is_text_column(text, column)) {
            text->widths[column] = usual_width(text, column);
        }
    }
    for (unsigned total = total_width(text); total > TERMINAL_COLUMNS; total = total_width(text)) {
        unsigned next, least;
        const unsigned column = widest_text(text, &next);

        if (column == kind->num_columns) {
            return;
        }
        /* Narrows the widest column to the width of the second widest, or by one cell if both are equally wide. */
        least = MAX(LEAST_TEXT, text_width(kind->columns[column].item.column_name));
        least = MAX(least, MIN(next, text->widths[column] - 1));
        text->widths[column] -= MIN(text->widths[column] - least, total - TERMINAL_COLUMNS);
    }
}

static void
measure(struct rows_text *text)
{
    const struct stat_rows *rows = text->rows;

    text->columns = text->view->columns;
    for (unsigned column = 0; column < rows->kind->num_columns; column++) {
        const char *name = rows->kind->columns[column].item.column_name;

        if (name == NULL) {
            text->columns &= ~STAT_BIT(column);
        } else {
            text->widths[column] = text_width(name);
        }
    }
    for (unsigned row = 0; row < stat_rows_count(rows); row++) {
        const bool is_row_shown = is_shown(text, row);

        for (unsigned column = 0; is_row_shown && column < rows->kind->num_columns; column++) {
            if (rows_text_has(text->columns, column)) {
                const unsigned width = text_width(text_of(text, stat_rows_cells(rows, row), column));

                text->widths[column] = MAX(text->widths[column], width);
            }
        }
    }
    make_room(text);
}

static void
append_spaces(GString *out, unsigned count)
{
    while (count-- > 0) {
        g_string_append_c(out, ' ');
    }
}

static void
append_padded(struct rows_text *text, unsigned column, const char *shown, unsigned room)
{
    const unsigned width = text_width(shown), spaces = room > width ? room - width : 0;

    append_spaces(text->out, is_text_column(text, column) ? 0 : spaces);
    g_string_append(text->out, shown);
    append_spaces(text->out, is_text_column(text, column) ? spaces : 0);
    g_string_append(text->out, BEHIND_CELL);
}

static void
append_heads(struct rows_text *text)
{
    for (unsigned column = 0; column < text->rows->kind->num_columns; column++) {
        if (rows_text_has(text->columns, column)) {
            append_padded(text, column, text->rows->kind->columns[column].item.column_name, text->widths[column]);
        }
    }
}

void
stat_append_words(GString *out, const char *words, unsigned columns, unsigned used, const char *indent)
{
    const char *at = words;

    while (*at != '\0') {
        const char *end = strchr(at, ' ') != NULL ? strchr(at, ' ') : at + strlen(at);
        const unsigned width = part_width(at, end);

        if (at != words && used + 1 + width > columns) {
            g_string_append_printf(out, "\n%s", indent);
            used = (unsigned)strlen(indent);
        } else if (at != words) {
            g_string_append_c(out, ' ');
            used++;
        }
        g_string_append_len(out, at, end - at);
        used += width;
        at = *end == ' ' ? end + 1 : end;
    }
    g_string_append_c(out, '\n');
}

/*
 * Appends a column of a row in lines of its own below the row: a text too wide for its column, or a column of
 * stat_view.below.
 */
static void
append_below(struct rows_text *text, unsigned column, const char *shown)
{
    const char *label = rows_text_has(text->view->below, column) ? text->view->below_label : NULL;
    const char *name = label != NULL ? label : text->rows->kind->columns[column].item.column_name;

    g_string_append_printf(text->out, INDENT "%s: ", name);
    stat_append_words(text->out, shown, TERMINAL_COLUMNS, (unsigned)strlen(INDENT) + text_width(name) + 2, NEXT_INDENT);
}

/* Appends the names of the optional columns that make_room() dropped. */
static void
append_dropped(struct rows_text *text)
{
    const struct stat_kind *kind = text->rows->kind;
    const uint64_t dropped = text->view->optional & ~text->columns;
    GString *names = g_string_new(NULL);

    for (unsigned column = 0; column < kind->num_columns; column++) {
        if (rows_text_has(dropped, column)) {
            g_string_append_printf(names, "%s%s",
                names->len > 0 ? ", " : "No room for: ", kind->columns[column].item.column_name);
        }
    }
    if (names->len > 0) {
        g_string_append(names, ". Windows and files have these columns.");
        stat_append_words(text->out, names->str, TERMINAL_COLUMNS, 0, INDENT);
    }
    g_string_free(names, TRUE);
}

/* Returns how many terminal cells a row's numbers need in addition to the widths of their columns. */
static unsigned
excess_of(struct rows_text *text, const stat_tap_table_item_type *cells)
{
    unsigned excess = 0;

    for (unsigned column = 0; column < text->rows->kind->num_columns; column++) {
        if (rows_text_has(text->columns, column) && !is_text_column(text, column)) {
            const unsigned width = text_width(text_of(text, cells, column));

            excess += width - MIN(width, text->widths[column]);
        }
    }
    return excess;
}

/*
 * Appends a text cut to `room` cells, with REST_BELOW at its end. For a number, appends only REST_BELOW: its first
 * digits would be another number.
 */
static void
append_beginning(struct rows_text *text, unsigned column, const char *shown, unsigned room)
{
    GString *beginning = g_string_new(NULL);
    const char *at = is_text_column(text, column) ? shown : "";
    const unsigned mark = (unsigned)strlen(REST_BELOW);

    for (unsigned width = mark; *at != '\0'; at = g_utf8_next_char(at)) {
        width += character_width(at);
        if (width > room) {
            break;
        }
        g_string_append_len(beginning, at, g_utf8_next_char(at) - at);
    }
    g_string_append_len(beginning, REST_BELOW, MIN(mark, room));
    append_padded(text, column, beginning->str, room);
    g_string_free(beginning, TRUE);
}

static void
append_row(struct rows_text *text, unsigned row)
{
    const unsigned num_columns = text->rows->kind->num_columns;
    const stat_tap_table_item_type *cells = stat_rows_cells(text->rows, row);
    unsigned excess = excess_of(text, cells);
    uint64_t below = text->view->below;
    bool is_first = true;

    for (unsigned column = 0; column < num_columns; column++) {
        const char *shown;
        unsigned room = text->widths[column];

        if (!rows_text_has(text->columns, column)) {
            continue;
        }
        shown = text_of(text, cells, column);
        if (is_first) {
            excess = is_text_column(text, column) && excess <= room ? excess : 0;
            room -= excess;
        }
        if (text_width(shown) > room && (is_text_column(text, column) || excess == 0)) {
            below |= STAT_BIT(column);
            append_beginning(text, column, shown, room);
        } else {
            append_padded(text, column, shown, room);
        }
        is_first = false;
    }
    g_string_append_c(text->out, '\n');
    for (unsigned column = 0; column < num_columns; column++) {
        const char *shown = rows_text_has(below, column) ? text_of(text, cells, column) : "";

        if (shown[0] != '\0') {
            append_below(text, column, shown);
        }
    }
}

static void
append_line(GString *out, const char *line)
{
    if (line[0] != '\0') {
        g_string_append_printf(out, "%s\n", line);
    }
}

/* Returns the length of the "\\\\MACHINE" at the start of a heading, or 0 if there is none. */
static size_t
machine_length(const char *title)
{
    const char *end = title != NULL && g_str_has_prefix(title, "\\\\") ? strchr(title + 2, '\\') : NULL;

    return end != NULL ? (size_t)(end - title) : 0;
}

/*
 * Appends the rows of a group below its heading. *machine: "\\\\MACHINE", the heading above the machine's first group;
 * set to "" once written.
 */
static void
append_group(struct rows_text *text, const struct stat_group *group, const char **machine)
{
    const size_t length = machine_length(group->title);
    const char *title = group->title == NULL ? "" : group->title + length + (length > 0);

    if (group->title != NULL && group->title[0] == '\0') {
        title = "(others)";
    }

    for (unsigned i = 0; i < group->rows->len; i++) {
        const unsigned row = g_array_index(group->rows, unsigned, i);

        if (is_shown(text, row)) {
            append_line(text->out, *machine);
            append_line(text->out, title);
            *machine = title = "";
            append_row(text, row);
        }
    }
}

/* Appends all groups, those of the same machine together. */
static void
append_groups(struct rows_text *text)
{
    const GPtrArray *groups = text->rows->groups;
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    struct key_index *machines = key_index_new(scope);

    for (unsigned i = 0; i < groups->len; i++) {
        const struct stat_group *group = (const struct stat_group *)g_ptr_array_index(groups, i);
        const size_t length = machine_length(group->title);
        const char *machine = length == 0 ? "" : wmem_strndup(scope, group->title, length);
        wmem_array_t **kin = (wmem_array_t **)key_index_gather(machines, machine, sizeof *kin);

        *kin = *kin == NULL ? wmem_array_new(scope, sizeof group) : *kin;
        wmem_array_append_one(*kin, group);
    }
    for (unsigned i = 0; i < key_index_size(machines); i++) {
        wmem_array_t *kin = *(wmem_array_t **)key_index_data(machines, i);
        const char *machine = key_index_text(machines, i);

        for (unsigned k = 0; k < wmem_array_get_count(kin); k++) {
            append_group(text, *(const struct stat_group **)wmem_array_index(kin, k), &machine);
        }
    }
    wmem_destroy_allocator(scope);
}

static void
append_view(struct rows_text *text, const struct stat_view *view, bool is_first)
{
    const size_t begin = text->out->len;
    size_t rows;

    text->view = view;
    measure(text);
    if (is_first) {
        /*
         * tshark prints two texts: the column heads (.heads), and the title of its only table, which contains all
         * lines.
         */
        append_heads(text);
        g_free((char *)text->rows->heads.column_name);
        ((struct stat_rows *)text->rows)->heads.column_name =
            g_strndup(text->out->str, text->out->len - strlen(BEHIND_CELL));
        g_string_truncate(text->out, 0);
        append_groups(text);
        append_dropped(text);
        return;
    }
    g_string_append_printf(text->out, "%s:\n", view->title);
    append_heads(text);
    g_string_append_c(text->out, '\n');
    rows = text->out->len;
    append_groups(text);
    if (text->out->len == rows) {
        g_string_truncate(text->out, begin);
    } else {
        append_dropped(text);
    }
}

/* Appends the lines of kind->append_text(), wrapped. */
static void
append_further_lines(const struct rows_text *text)
{
    GString *said = g_string_new(NULL);
    char **lines;

    text->rows->kind->append_text(text->rows, said);
    lines = g_strsplit(said->str, "\n", -1);
    for (char **line = lines; *line != NULL; line++) {
        if ((*line)[0] != '\0') {
            stat_append_words(text->out, *line, TERMINAL_COLUMNS, 0, INDENT);
        }
    }
    g_strfreev(lines);
    g_string_free(said, TRUE);
}

void
stat_rows_write_text(struct stat_rows *rows)
{
    const struct stat_view all = { .columns = UINT64_MAX };
    struct rows_text text = { .rows = rows, .out = rows->text };

    if (rows->text == NULL) {
        rows->text = text.out = g_string_new(NULL);
        rows->heads = (stat_tap_table_item){ TABLE_ITEM_STRING, TAP_ALIGN_LEFT, NULL, "%s" };
        rows->ui.fields = &rows->heads;
        rows->ui.nfields = 1;
        stat_tap_add_table(&rows->ui, stat_tap_init_table("", 1, 0, NULL));
    }
    g_string_truncate(text.out, 0);
    stat_rows_fill(rows);
    for (unsigned i = 0; i < MAX(rows->kind->num_views, 1); i++) {
        append_view(&text, rows->kind->num_views > 0 ? &rows->kind->views[i] : &all, i == 0);
    }
    if (rows->kind->append_text != NULL) {
        append_further_lines(&text);
    }
    for (unsigned i = 0; i < rows->sentences->len; i++) {
        const char *sentence = stat_rows_sentence(rows, i);

        if (sentence[0] != '\0') {
            stat_append_words(text.out, sentence, TERMINAL_COLUMNS, 0, INDENT);
        }
    }
    for (unsigned i = 0; i < rows->needed.count; i++) {
        stat_append_words(text.out, rows->needed.items[i].text, TERMINAL_COLUMNS, 0, INDENT);
    }
    if (text.out->len == 0) {
        append_line(text.out,
            rows->has_counted && rows->kind->good_news != NULL ? rows->kind->good_news
                                                               : "No performance data in this capture.");
    }
    if (text.out->len > 0) {
        g_string_truncate(text.out, text.out->len - 1);
    }
    g_array_index(rows->ui.tables, stat_tap_table *, 0)->title = text.out->str;
}
