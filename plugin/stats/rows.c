/* rows.c
 * Statistics tables whose rows come as the capture tells
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/rows.h"

#include <string.h>

#include <epan/plugin_if.h>
#include <epan/tap.h>

#include "base/text.h"

#define MENU_TITLE "Performance Counters"

static GSList *all_rows;

/* Where a row stands. */
struct placed {
    stat_tap_table *table;
    unsigned element;
};

/* Frees the text of a cell of a column that owns its texts. */
static void
free_text(const struct stat_rows *rows, unsigned column, const stat_tap_table_item_type *cell)
{
    if (rows->owned & (UINT64_C(1) << column) && cell->type != TABLE_ITEM_FLOAT) {
        g_free((char *)cell->value.string_value);
    }
}

/* Frees what was taken out of tables. */
static void
release(struct stat_rows *rows)
{
    for (unsigned i = 0; i < rows->retired->len; i++) {
        stat_tap_table_item_type *cells = (stat_tap_table_item_type *)g_ptr_array_index(rows->retired, i);

        for (unsigned column = 0; column < rows->ui.nfields; column++) {
            free_text(rows, column, &cells[column]);
        }
        g_free(cells);
    }
    g_ptr_array_set_size(rows->retired, 0);
}

/* Nobody knows whether calls were in what SMB 3 encrypts: so each table ends with what it takes to see. */
static tap_packet_status
rows_encrypted(void *data, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    struct stat_rows *rows = (struct stat_rows *)((stat_data_t *)data)->stat_tap_data;

    if (rows->ui.tables == NULL || rows->ui.tables->len == 0) {
        return TAP_PACKET_DONT_REDRAW;
    }
    stat_rows_end_with(rows, (const char *)tapped);
    return TAP_PACKET_REDRAW;
}

/* Makes ready to count from the beginning. */
static void
rows_begin(struct stat_rows *rows)
{
    rows->listener = NULL;
    if (rows->encrypted.stat_tap_data == NULL) {
        GString *error;

        rows->encrypted.stat_tap_data = &rows->ui;
        /* A helper, because it alone is no reason to dissect anything. */
        error = register_tap_listener("perflib_session_encrypted", &rows->encrypted, NULL, TL_IS_DISSECTOR_HELPER, NULL,
            rows_encrypted, NULL, NULL);
        if (error != NULL) {
            g_string_free(error, TRUE);
        }
    }
    if (rows->by_key != NULL) {
        g_hash_table_remove_all(rows->by_key);
    }
    if (rows->states != NULL) {
        g_array_set_size(rows->states, 0);
    }
    g_array_set_size(rows->placed, 0);
    if (rows->has_groups) {
        g_hash_table_remove_all(rows->groups);
    }
    needed_clear(&rows->needed);
    if (rows->begin != NULL) {
        rows->begin(rows);
    }
}

/*
 * Empties the table. A window that shows it still points to its rows until it is drawn anew, which it was before the
 * next reset: so they are kept until then. Where several windows show it, only the one that was reset is drawn anew:
 * then rows are kept until one window is left.
 */
static void
rows_empty(struct stat_rows *rows)
{
    GArray *tables = rows->ui.tables;
    bool is_released = rows->ui.refcount > 1;

    for (unsigned i = tables->len; i-- > 0;) {
        stat_tap_table *table = g_array_index(tables, stat_tap_table *, i);

        if (table->num_elements > 0 && !is_released) {
            release(rows);
            is_released = true;
        }
        for (unsigned element = 0; element < table->num_elements; element++) {
            g_ptr_array_add(rows->retired, table->elements[element]);
        }
        table->num_elements = 0;
        if (table != rows->table && table != rows->last) {
            g_free(table->elements);
            g_free(table);
            g_array_remove_index(tables, i);
        }
    }
    rows_begin(rows);
}

/* The stat_rows whose table it is. Wireshark hands out no more than the table. */
static struct stat_rows *
rows_of(const stat_tap_table *table)
{
    for (GSList *link = all_rows; link != NULL; link = link->next) {
        struct stat_rows *rows = (struct stat_rows *)link->data;

        for (unsigned i = 0; rows->ui.tables != NULL && i < rows->ui.tables->len; i++) {
            if (g_array_index(rows->ui.tables, const stat_tap_table *, i) == table) {
                return rows;
            }
        }
    }
    return NULL;
}

/* Whether there are windows: tshark answers nothing when it is asked. */
static bool
has_windows(void)
{
    ws_info_t *info = NULL;

    plugin_if_get_ws_info(&info);
    return info != NULL && info->ws_info_supported;
}

/* The digits of a format's width, as in "%-20s"; sets *length. */
static const char *
format_width(const char *format, size_t *length)
{
    const char *width = format + 1;

    width += *width == '-';
    *length = strspn(width, "0123456789");
    return width;
}

/* tshark prints names as they are: so they get the width of their column. */
static void
pad_name(stat_tap_table_item *column)
{
    size_t length;
    const char *width = format_width(column->field_format, &length);

    column->column_name = wmem_strdup_printf(wmem_epan_scope(), column->align == TAP_ALIGN_LEFT ? "%-*s" : "%*s",
        (int)g_ascii_strtoull(width, NULL, 10), column->column_name);
}

/* Windows that look at formats (Wireshark 4.4 and newer) must not pad what they show. */
static void
strip_format(stat_tap_table_item *column)
{
    size_t length;
    const char *width = format_width(column->field_format, &length);

    column->field_format = wmem_strdup_printf(wmem_epan_scope(), "%%%s", width + length);
}

/* A format of the same width for the number as a text. */
static const char *
text_format(const char *format)
{
    size_t length;
    const char *width = format_width(format, &length);

    return wmem_strdup_printf(wmem_epan_scope(), "%%%.*ss", (int)length, width);
}

/* Makes the columns what whoever shows them expects. Only now is known who that is. */
static void
fit_columns(struct stat_rows *rows)
{
    stat_tap_table_ui *ui = &rows->ui;

    if (rows->is_fitted) {
        return;
    }
    rows->is_fitted = true;
    rows->columns = ui->fields;
    ui->fields = (stat_tap_table_item *)wmem_memdup(wmem_epan_scope(), ui->fields, ui->nfields * sizeof *ui->fields);
    /* A table of one's own is read as tshark prints it, wherever that is. */
    rows->has_windows = !stat_rows_is_opened(rows) && has_windows();
    for (size_t i = 0; i < ui->nfields; i++) {
        if (rows->has_windows) {
            strip_format(&ui->fields[i]);
        } else {
            pad_name(&ui->fields[i]);
            if (ui->fields[i].type == TABLE_ITEM_FLOAT) {
                ui->fields[i].type = TABLE_ITEM_STRING;
                ui->fields[i].field_format = text_format(ui->fields[i].field_format);
                rows->owned |= UINT64_C(1) << i;
            }
        }
    }
    if (!rows->has_windows && rows->cli_columns > 0) {
        ui->nfields = rows->cli_columns;
    }
}

static void
rows_init(stat_tap_table_ui *ui)
{
    struct stat_rows *rows = (struct stat_rows *)ui;

    fit_columns(rows);
    if (ui->tables != NULL && ui->tables->len > 0) {
        rows_empty(rows);
        return;
    }
    /* Nobody shows an earlier table any more. */
    release(rows);
    rows->table = stat_tap_init_table(ui->title, (int)ui->nfields, 0, NULL);
    stat_tap_add_table(ui, rows->table);
    rows->last = rows->table;
    /* A window has groups in the order in which they come; its first has room for what tshark says at the end. */
    if (rows->has_groups && !rows->has_windows) {
        rows->last = stat_tap_init_table("", (int)ui->nfields, 0, NULL);
        stat_tap_add_table(ui, rows->last);
    }
    rows_begin(rows);
}

static void
rows_reset(stat_tap_table *table)
{
    struct stat_rows *rows = rows_of(table);

    if (rows != NULL && table == rows->table) {
        rows_empty(rows);
    }
}

static void
rows_free_item(stat_tap_table *table, unsigned row _U_, unsigned column, stat_tap_table_item_type *item)
{
    const struct stat_rows *rows = rows_of(table);

    if (rows != NULL) {
        free_text(rows, column, item);
    }
}

static tap_packet_status
rows_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    struct stat_rows *rows = (struct stat_rows *)((stat_data_t *)data)->stat_tap_data;

    if (rows->listener == NULL) {
        rows->listener = data;
    }
    return rows->listener == data && rows->count(rows, pinfo, tapped) ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW;
}

/* What a table needs before it has rows. */
static void
rows_prepare(struct stat_rows *rows)
{
    rows->retired = g_ptr_array_new();
    rows->placed = g_array_new(FALSE, FALSE, sizeof(struct placed));
    if (rows->has_groups) {
        rows->groups = g_hash_table_new_full(wmem_str_hash, g_str_equal, g_free, NULL);
    }
    if (rows->hash != NULL) {
        rows->by_key = g_hash_table_new_full(rows->hash, rows->equal, rows->free_key, NULL);
    }
    if (rows->state_size > 0) {
        rows->states = g_array_new(FALSE, TRUE, (guint)rows->state_size);
    }
}

void
stat_rows_register(struct stat_rows *rows)
{
    static tap_param parameters[] = {
        { PARAM_FILTER, "filter", "Filter", NULL, true },
    };

    /* A group without a menu of its own: see stat_rows_make_menu(). */
    rows->ui.group = REGISTER_STAT_GROUP_GENERIC;
    rows->ui.stat_tap_init_cb = rows_init;
    rows->ui.packet_func = rows_packet;
    rows->ui.stat_tap_reset_table_cb = rows_reset;
    rows->ui.stat_tap_free_table_item_cb = rows_free_item;
    rows->ui.nparams = array_length(parameters);
    rows->ui.params = parameters;
    rows_prepare(rows);
    all_rows = g_slist_append(all_rows, rows);
    register_stat_tap_table_ui(&rows->ui);
}

void
stat_rows_name(struct stat_rows *rows, const char *protocol, const char *tap_name, const char *title)
{
    rows->ui.title = wmem_strdup_printf(wmem_epan_scope(), "%s %s", title, rows->ui.title);
    rows->ui.tap_name = wmem_strdup(wmem_epan_scope(), tap_name);
    rows->ui.cli_string = wmem_strdup_printf(wmem_epan_scope(), "%s,%s", protocol, rows->ui.cli_string);
}

GString *
stat_rows_open(struct stat_rows *rows, const char *filter)
{
    if (rows->retired == NULL) {
        rows_prepare(rows);
    }
    rows->opened.stat_tap_data = &rows->ui;
    rows_init(&rows->ui);
    return register_tap_listener(rows->ui.tap_name, &rows->opened, filter, TL_REQUIRES_NOTHING, NULL, rows_packet, NULL,
        NULL);
}

bool
stat_rows_is_opened(const struct stat_rows *rows)
{
    return rows->opened.stat_tap_data != NULL;
}

void
stat_rows_clear(struct stat_rows *rows)
{
    rows_empty(rows);
}

void
stat_rows_close(struct stat_rows *rows)
{
    remove_tap_listener(&rows->opened);
    rows_empty(rows);
}

/* Opens the window of a table as "wireshark -z" does. */
static void
rows_open_window(ext_menubar_gui_type gui _U_, void *window _U_, void *data)
{
    const struct stat_rows *rows = (const struct stat_rows *)data;

    if (process_stat_cmd_arg(rows->ui.cli_string)) {
        start_requested_stats();
    }
}

/* Whether two tables are of one protocol. */
static bool
are_kindred(const struct stat_rows *one, const struct stat_rows *other)
{
    const char *comma = strchr(one->ui.cli_string, ',');

    return strncmp(one->ui.cli_string, other->ui.cli_string, (size_t)(comma - one->ui.cli_string) + 1) == 0;
}

/* The first table of the protocol that this one is of. */
static const struct stat_rows *
first_of_protocol(const struct stat_rows *rows)
{
    const GSList *link = all_rows;

    while (!are_kindred((const struct stat_rows *)link->data, rows)) {
        link = link->next;
    }
    return (const struct stat_rows *)link->data;
}

void
stat_rows_make_menu(void)
{
    const int proto = proto_get_id_by_filter_name("perflibv2");
    ext_menu_t *menu;

    if (proto == -1) {
        return;
    }
    menu = ext_menubar_set_parentmenu(ext_menubar_register_menu(proto, MENU_TITLE, true), "Statistics");
    for (GSList *link = all_rows; link != NULL; link = link->next) {
        struct stat_rows *first = (struct stat_rows *)link->data;

        if (first_of_protocol(first) != first) {
            continue;
        }
        if (link != all_rows) {
            ext_menubar_add_separator(menu);
        }
        for (GSList *other = link; other != NULL; other = other->next) {
            struct stat_rows *rows = (struct stat_rows *)other->data;

            if (first_of_protocol(rows) == first) {
                ext_menubar_add_entry(menu, rows->ui.title, NULL, rows_open_window, rows);
            }
        }
    }
}

void
stat_rows_remove(struct stat_rows *rows, unsigned row)
{
    stat_tap_table *table = rows->table;
    const unsigned last = stat_rows_count(rows) - 1;

    g_ptr_array_add(rows->retired, table->elements[row]);
    table->elements[row] = table->elements[last];
    memmove(&table->elements[last], &table->elements[last + 1],
        (table->num_elements - last - 1) * sizeof *table->elements);
    table->num_elements--;
    g_array_set_size(rows->placed, last);
    if (rows->states != NULL) {
        g_array_remove_index_fast(rows->states, row);
    }
}

bool
stat_rows_find(const struct stat_rows *rows, const void *key, unsigned *row)
{
    void *found;

    if (!g_hash_table_lookup_extended(rows->by_key, key, NULL, &found)) {
        return false;
    }
    *row = GPOINTER_TO_UINT(found);
    return true;
}

void
stat_rows_add_key(struct stat_rows *rows, void *key, unsigned row)
{
    g_hash_table_replace(rows->by_key, key, GUINT_TO_POINTER(row));
}

unsigned
stat_rows_count(const struct stat_rows *rows)
{
    return rows->placed->len;
}

/* The first column of texts; each table has one. */
static unsigned
first_text(const struct stat_rows *rows)
{
    unsigned column = 0;

    while (column + 1 < rows->ui.nfields && rows->ui.fields[column].type != TABLE_ITEM_STRING) {
        column++;
    }
    return column;
}

/* Adds cells to a table, with so many elements below them. Returns the element they are. */
static unsigned
place(stat_tap_table *table, const stat_tap_table_item_type *cells, unsigned below)
{
    const unsigned to = table->num_elements - below;
    stat_tap_table_item_type *added;

    stat_tap_init_table_row(table, table->num_elements, table->num_fields, cells);
    added = table->elements[table->num_elements - 1];
    memmove(&table->elements[to + 1], &table->elements[to], below * sizeof added);
    table->elements[to] = added;
    return to;
}

/* How many sentences stand below the rows of a table. */
static unsigned
num_below(const struct stat_rows *rows, const stat_tap_table *table)
{
    return table == rows->last ? rows->needed.count : 0;
}

/* Adds an element whose first text is a sentence, and which has nothing else. */
static unsigned
append_sentence(struct stat_rows *rows, stat_tap_table *table, const char *text, unsigned below)
{
    unsigned added;
    stat_tap_table_item_type *cells = g_new0(stat_tap_table_item_type, rows->ui.nfields);
    const unsigned column = first_text(rows);

    for (unsigned i = 0; i < column; i++) {
        /* Shown by the column's format, whatever stands there. */
        cells[i].type = TABLE_ITEM_UINT;
    }
    for (unsigned i = column; i < rows->ui.nfields; i++) {
        /* A window that is sorted by a column of texts may compare them all. */
        if (rows->ui.fields[i].type == TABLE_ITEM_STRING) {
            cells[i].value.string_value = rows->owned & (UINT64_C(1) << i) ? g_strdup("") : "";
        }
    }
    cells[column].type = TABLE_ITEM_STRING;
    if (rows->owned & (UINT64_C(1) << column)) {
        stat_cell_set_text(&cells[column], text);
    } else {
        /* A column of constant texts, which nobody frees. */
        cells[column].value.string_value = g_intern_string(text);
    }
    added = place(table, cells, below);
    g_free(cells);
    return added;
}

bool
stat_rows_end_with(struct stat_rows *rows, const char *needed)
{
    if (needed != NULL && needed_add(&rows->needed, needed)) {
        append_sentence(rows, rows->last, needed, 0);
    }
    return needed != NULL;
}

/* Numbers the row that was placed last. */
static unsigned
number_row(struct stat_rows *rows, stat_tap_table *table, unsigned element)
{
    const struct placed placed = { table, element };

    g_array_append_val(rows->placed, placed);
    return rows->placed->len - 1;
}

void
stat_rows_add_sentence(struct stat_rows *rows)
{
    number_row(rows, rows->table, append_sentence(rows, rows->table, "", num_below(rows, rows->table)));
}

static unsigned
add_row(struct stat_rows *rows, stat_tap_table *table, void *key, const stat_tap_table_item_type *cells)
{
    const unsigned row = number_row(rows, table, place(table, cells, num_below(rows, table)));

    if (rows->by_key != NULL) {
        stat_rows_add_key(rows, key, row);
    }
    if (rows->states != NULL) {
        g_array_set_size(rows->states, row + 1);
    }
    return row;
}

unsigned
stat_rows_add(struct stat_rows *rows, void *key, const stat_tap_table_item_type *cells)
{
    return add_row(rows, rows->table, key, cells);
}

/* How many tables stand behind those of groups. */
static unsigned
num_behind(const struct stat_rows *rows)
{
    return rows->last == rows->table ? 0 : 1;
}

/* The table of a group. */
static stat_tap_table *
find_group(struct stat_rows *rows, const char *title)
{
    GArray *tables = rows->ui.tables;
    void *at;

    if (!g_hash_table_lookup_extended(rows->groups, title, NULL, &at)) {
        const unsigned end = tables->len - num_behind(rows);
        char *kept = g_strdup(title);
        stat_tap_table *table = stat_tap_init_table(kept, (int)rows->ui.nfields, 0, NULL);

        g_array_insert_val(tables, end, table);
        g_hash_table_insert(rows->groups, kept, GUINT_TO_POINTER(end));
        return table;
    }
    return g_array_index(tables, stat_tap_table *, GPOINTER_TO_UINT(at));
}

unsigned
stat_rows_add_to(struct stat_rows *rows, const char *group, void *key, const stat_tap_table_item_type *cells)
{
    const unsigned row = add_row(rows, find_group(rows, group), key, cells);

    stat_rows_cells(rows, row)[0].user_data.uint_value = row;
    return row;
}

/*
 * Takes a group without rows out of what tshark prints: the last one takes its place. A window tells groups by their
 * places, which stay.
 */
static void
remove_group(struct stat_rows *rows, stat_tap_table *table)
{
    GArray *tables = rows->ui.tables;
    const unsigned last = tables->len - num_behind(rows) - 1;
    stat_tap_table *moved = g_array_index(tables, stat_tap_table *, last);
    void *at;

    if (table->num_elements > 0 || table == rows->table || rows->has_windows) {
        return;
    }
    at = g_hash_table_lookup(rows->groups, table->title);
    g_array_index(tables, stat_tap_table *, GPOINTER_TO_UINT(at)) = moved;
    g_hash_table_insert(rows->groups, g_strdup(moved->title), at);
    g_array_remove_index(tables, last);
    g_hash_table_remove(rows->groups, table->title);
    g_free(table->elements);
    g_free(table);
}

void
stat_rows_regroup(struct stat_rows *rows, unsigned row, const char *group)
{
    struct placed *placed = &g_array_index(rows->placed, struct placed, row);
    stat_tap_table *from = placed->table;
    stat_tap_table_item_type *former, *moved;

    if (strcmp(from->title, group) == 0) {
        return;
    }
    former = from->elements[placed->element];
    moved = from->elements[--from->num_elements];
    from->elements[placed->element] = moved;
    g_array_index(rows->placed, struct placed, moved[0].user_data.uint_value).element = placed->element;
    placed->table = find_group(rows, group);
    placed->element = place(placed->table, former, 0);
    /* A window may show the former cells until it is drawn anew. */
    for (unsigned column = 0; column < rows->ui.nfields; column++) {
        if (rows->owned & (UINT64_C(1) << column) && former[column].type != TABLE_ITEM_FLOAT) {
            former[column].value.string_value = g_strdup(former[column].value.string_value);
        }
    }
    g_ptr_array_add(rows->retired, former);
    remove_group(rows, from);
}

void
stat_rows_remove_key(struct stat_rows *rows, const void *key)
{
    g_hash_table_remove(rows->by_key, key);
}

stat_tap_table_item_type *
stat_rows_cells(const struct stat_rows *rows, unsigned row)
{
    const struct placed *placed = &g_array_index(rows->placed, struct placed, row);

    return placed->table->elements[placed->element];
}

void *
stat_rows_state(const struct stat_rows *rows, unsigned row)
{
    return rows->states->data + row * rows->state_size;
}

void
stat_cells_init(const struct stat_rows *rows, stat_tap_table_item_type *cells)
{
    memset(cells, 0, rows->ui.nfields * sizeof *cells);
    for (unsigned column = 0; column < rows->ui.nfields; column++) {
        const bool is_real = rows->columns[column].type == TABLE_ITEM_FLOAT;

        cells[column].type = is_real ? TABLE_ITEM_NONE : rows->ui.fields[column].type;
        if (!is_real && rows->owned & (UINT64_C(1) << column)) {
            cells[column].value.string_value = g_strdup("");
        }
    }
}

void
stat_cell_set_text(stat_tap_table_item_type *cell, const char *text)
{
    const char *shown = line_text(NULL, text);

    if (strcmp(cell->value.string_value, shown) != 0) {
        g_free((char *)cell->value.string_value);
        cell->value.string_value = g_strdup(shown);
    }
    if (shown != text) {
        wmem_free(NULL, (char *)shown);
    }
}

void
stat_cell_set_real(const struct stat_rows *rows, stat_tap_table_item_type *cells, unsigned column, double value)
{
    stat_tap_table_item_type *cell = &cells[column];
    char digits[G_ASCII_DTOSTR_BUF_SIZE];

    if (rows->has_windows) {
        cell->type = TABLE_ITEM_FLOAT;
        cell->value.float_value = value;
        return;
    }
    if (cell->type == TABLE_ITEM_STRING) {
        g_free((char *)cell->value.string_value);
    }
    cell->type = TABLE_ITEM_STRING;
    cell->value.string_value =
        g_strdup(g_strchug(g_ascii_formatd(digits, sizeof digits, rows->columns[column].field_format, value)));
}

void
stat_cell_add_to_mean(const struct stat_rows *rows, stat_tap_table_item_type *cells, unsigned column,
    struct stat_mean *mean, double value)
{
    mean->sum += value;
    mean->count++;
    stat_cell_set_real(rows, cells, column, mean->sum / mean->count);
}
