/* rows.c
 * Statistics tables that grow while packets are read
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/rows.h"

#include <string.h>

#include <cfile.h>
#include <epan/plugin_if.h>

#include "base/text.h"
#include "counters/record.h"

#define MENU_TITLE "Performance Counters"

static GSList *all_rows;

/* Shared empty text. All other texts of cells are allocated per row; this one saves memory, as many cells are empty. */
static const char no_text[] = "";

static void
free_text(const stat_tap_table_item_type *cell)
{
    if (cell->type == TABLE_ITEM_STRING && cell->value.string_value != no_text) {
        g_free((char *)cell->value.string_value);
    }
}

/* Frees a row and its texts. */
static void
free_cells(const struct stat_rows *rows, stat_tap_table_item_type *cells)
{
    for (unsigned column = 0; column < rows->num_cells; column++) {
        free_text(&cells[column]);
    }
    g_free(cells);
}

/* Frees the cells in .retired: those of rows that were removed, or that were in the table before it was emptied. */
static void
release(struct stat_rows *rows)
{
    for (unsigned i = 0; i < rows->retired->len; i++) {
        free_cells(rows, (stat_tap_table_item_type *)g_ptr_array_index(rows->retired, i));
    }
    g_ptr_array_set_size(rows->retired, 0);
}

static struct stat_group *
group_at(const struct stat_rows *rows, unsigned number)
{
    return (struct stat_group *)g_ptr_array_index(rows->groups, number);
}

static struct stat_position *
row_position(const struct stat_rows *rows, unsigned row)
{
    return &g_array_index(rows->positions, struct stat_position, row);
}

/* Sets a group's heading; NULL for none. The old heading can be freed, since windows have copied it. */
static void
set_title(struct stat_rows *rows, struct stat_group *group, const char *title)
{
    g_free(group->title);
    group->title = g_strdup(title);
    group->table->title = title == NULL ? rows->ui.title : group->title;
}

/* Adds the first group's table to .ui, so that Wireshark shows it, unless it is there already. */
static void
show_first_group(struct stat_rows *rows)
{
    if (rows->is_hidden) {
        rows->is_hidden = false;
        stat_tap_add_table(&rows->ui, group_at(rows, 0)->table);
    }
}

/*
 * Returns true if the first group's table must be hidden from Wireshark until its first row: a window may be drawn
 * while packets are read, and never changes a heading that it has drawn.
 */
static bool
hides_first_group(const struct stat_rows *rows)
{
    return rows->has_windows && (!rows->kind->fills_late || rows->kind->has_groups);
}

static struct stat_group *
add_group(struct stat_rows *rows)
{
    struct stat_group *group = g_new0(struct stat_group, 1);

    show_first_group(rows);
    group->table = stat_tap_init_table(rows->ui.title, (int)rows->kind->num_columns, 0, NULL);
    group->rows = g_array_new(FALSE, FALSE, sizeof(unsigned));
    group->number = rows->groups->len;
    g_ptr_array_add(rows->groups, group);
    if (!rows->is_text) {
        stat_tap_add_table(&rows->ui, group->table);
    }
    if (group->number == 0 && hides_first_group(rows)) {
        rows->is_hidden = true;
        g_array_set_size(rows->ui.tables, 0);
    }
    return group;
}

/* Frees a group, but not its table: Wireshark or the caller has freed that. */
static void
free_group(struct stat_group *group)
{
    g_array_free(group->rows, TRUE);
    g_free(group->title);
    g_free(group);
}

/* Requests a redraw after each packet, so that write_texts() fills the tables again. */
static tap_packet_status
rows_frame(void *data _U_, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *tapped _U_,
    tap_flags_t flags _U_)
{
    return TAP_PACKET_REDRAW;
}

bool
stat_rows_has_table(const struct stat_rows *rows)
{
    return rows->is_hidden || (rows->ui.tables != NULL && rows->ui.tables->len > 0);
}

static void *
get_read_lock(capture_file *capture, void *data)
{
    *(bool *)data = capture->read_lock;
    return NULL;
}

/* Returns true if a window is drawn while Wireshark still reads packets. tshark draws once, at the end. */
static bool
is_drawn_early(const struct stat_rows *rows)
{
    bool is_locked = false;

    if (rows->has_windows) {
        plugin_if_get_capture_file(get_read_lock, &is_locked);
    }
    return is_locked;
}

/*
 * Prepares all that tshark will print or a window will draw. Wireshark draws windows every three seconds while it reads
 * packets. A window never removes a row that it has drawn, so tables with .fills_late get no rows until all packets are
 * read.
 */
static void
write_texts(void *data _U_)
{
    for (GSList *link = all_rows; link != NULL; link = link->next) {
        struct stat_rows *rows = (struct stat_rows *)link->data;

        if (rows->text != NULL) {
            stat_rows_write_text(rows);
        } else if (rows->kind->fills_late && rows->listener != NULL && stat_rows_has_table(rows) &&
            !is_drawn_early(rows)) {
            stat_rows_fill(rows);
        }
    }
}

/*
 * Adds a listener that calls write_texts() before all tables are drawn: Wireshark draws the latest listener first.
 * Called at a table's first record; for a window opened later, the listener is removed and added again.
 */
static void
write_texts_before_they_are_drawn(const struct stat_rows *rows)
{
    static bool is_done;

    if (is_done && rows->kind->fills_late && !rows->is_text) {
        remove_tap_listener(&is_done);
        is_done = false;
    }
    if (!is_done && (rows->is_text || rows->kind->fills_late)) {
        is_done = true;
        helper_listen("frame", &is_done, NULL, rows_frame, write_texts);
    }
}

/*
 * Adds a sentence about the missing key of a connection encrypted by SMB 3 to each table: its calls may belong to any.
 */
static tap_packet_status
rows_encrypted(void *data _U_, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *tapped,
    tap_flags_t flags _U_)
{
    for (GSList *link = all_rows; link != NULL; link = link->next) {
        struct stat_rows *rows = (struct stat_rows *)link->data;

        if (stat_rows_has_table(rows)) {
            write_texts_before_they_are_drawn(rows);
            stat_rows_end_with(rows, (const struct key_needed *)tapped);
        }
    }
    return TAP_PACKET_REDRAW;
}

/* Initialises an empty table for counting. */
static void
rows_begin(struct stat_rows *rows)
{
    static bool is_following; /* true once rows_encrypted(), which serves all tables, listens */

    if (!is_following) {
        is_following = true;
        helper_listen(NEEDED_TAP, &is_following, NULL, rows_encrypted, NULL);
    }
    rows->listener = NULL;
    rows->has_counted = false;
    g_ptr_array_set_size(rows->cells, 0);
    g_array_set_size(rows->positions, 0);
    g_ptr_array_set_size(rows->sentences, 0);
    if (rows->scope == NULL) {
        rows->scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK_FAST);
    }
    wmem_free_all(rows->scope);
    rows->by_title = wmem_map_new(rows->scope, wmem_str_hash, g_str_equal);
    rows->by_key = wmem_map_new(rows->scope, wmem_str_hash, g_str_equal);
    if (rows->states != NULL) {
        g_array_set_size(rows->states, 0);
    }
    needed_clear(&rows->needed);
    if (rows->kind->begin != NULL) {
        rows->kind->begin(rows);
    }
}

/*
 * Empties the table. The old rows are kept in .retired, since a window points to them until it is redrawn. A later call
 * frees them, unless several windows show the table, as Wireshark redraws only one of them.
 */
void
stat_rows_clear(struct stat_rows *rows)
{
    if (stat_rows_count(rows) > 0 && rows->ui.refcount <= 1) {
        release(rows);
    }
    for (unsigned i = 0; i < rows->groups->len; i++) {
        struct stat_group *group = group_at(rows, i);

        for (unsigned element = 0; element < group->table->num_elements; element++) {
            g_ptr_array_add(rows->retired, group->table->elements[element]);
        }
        group->table->num_elements = 0;
        g_array_set_size(group->rows, 0);
        if (i > 0) {
            g_free(group->table->elements);
            g_free(group->table);
            free_group(group);
        }
    }
    g_ptr_array_set_size(rows->groups, 1);
    set_title(rows, group_at(rows, 0), NULL);
    rows->is_hidden = hides_first_group(rows);
    g_array_set_size(rows->ui.tables, rows->is_hidden ? 0 : 1);
    rows_begin(rows);
}

/* Returns the struct stat_rows of a table: Wireshark passes only the table. */
static struct stat_rows *
rows_of(const stat_tap_table *table)
{
    for (GSList *link = all_rows; link != NULL; link = link->next) {
        struct stat_rows *rows = (struct stat_rows *)link->data;

        for (unsigned i = 0; rows->ui.tables != NULL && i < rows->ui.tables->len; i++) {
            if (g_array_index(rows->ui.tables, stat_tap_table *, i) == table) {
                return rows;
            }
        }
    }
    return NULL;
}

/* Returns true in Wireshark, false in tshark, which does not handle plugin_if_get_ws_info(). */
static bool
has_windows(void)
{
    ws_info_t *info = NULL;

    plugin_if_get_ws_info(&info);
    return info != NULL && info->ws_info_supported;
}

static void
rows_init(stat_tap_table_ui *ui)
{
    struct stat_rows *rows = (struct stat_rows *)ui;

    if (rows->groups->len == 0 && rows->text == NULL) {
        /* Unknown until now: windows are made after the table was registered. A table of stat_rows_use() has none. */
        rows->has_windows = !rows->is_own && has_windows();
    }
    if (stat_rows_has_table(rows)) {
        stat_rows_clear(rows);
    } else {
        /* Wireshark has freed all earlier tables, so the old rows are not shown any more. */
        release(rows);
        for (unsigned i = 0; i < rows->groups->len; i++) {
            free_group(group_at(rows, i));
        }
        g_ptr_array_set_size(rows->groups, 0);
        add_group(rows);
        rows_begin(rows);
    }
    if (rows->is_text) {
        stat_rows_write_text(rows);
    }
}

static void
rows_reset(stat_tap_table *table)
{
    struct stat_rows *rows = rows_of(table);

    if (rows != NULL) {
        stat_rows_clear(rows);
    }
}

static void
rows_free_item(stat_tap_table *table _U_, unsigned row _U_, unsigned column _U_, stat_tap_table_item_type *item)
{
    free_text(item);
}

static tap_packet_status
rows_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    struct stat_rows *rows = (struct stat_rows *)((stat_data_t *)data)->stat_tap_data;

    if (rows->listener == NULL) {
        rows->listener = data;
        write_texts_before_they_are_drawn(rows);
    }
    rows->has_counted = true;
    if (rows->listener != data || !rows->kind->count(rows, pinfo, tapped)) {
        return TAP_PACKET_DONT_REDRAW;
    }
    if (stat_rows_is_live(rows) && !rows->kind->fills_late) {
        stat_rows_fill(rows);
    }
    return TAP_PACKET_REDRAW;
}

/*
 * Called before Wireshark frees its packet data, to dissect the packets again or to close the file. An open window is
 * drawn again, but not counted again: without .listener, write_texts() leaves its rows as they are.
 */
static void
forget_listeners(void)
{
    for (GSList *link = all_rows; link != NULL; link = link->next) {
        ((struct stat_rows *)link->data)->listener = NULL;
    }
}

struct stat_rows *
stat_rows_new(const struct stat_kind *kind, const char *protocol, const char *tap_name, const char *title)
{
    static tap_param parameters[] = {
        { PARAM_FILTER, "filter", "Filter", NULL, true },
    };
    struct stat_rows *rows =
        (struct stat_rows *)wmem_alloc0(wmem_epan_scope(), MAX(kind->size, sizeof(struct stat_rows)));

    rows->kind = kind;
    rows->file_name = wmem_strdup_printf(wmem_epan_scope(), "%s-%s", protocol, kind->name);
    while (rows->num_titled < kind->num_columns && kind->columns[rows->num_titled].item.column_name != NULL) {
        rows->num_titled++;
    }
    rows->ui = (stat_tap_table_ui){
        /* Not in a submenu: stat_rows_make_menu() makes one for all tables. */
        .group = REGISTER_STAT_GROUP_GENERIC,
        .title = wmem_strdup_printf(wmem_epan_scope(), "%s %s", title, kind->title),
        .tap_name = tap_name,
        .cli_string = wmem_strdup_printf(wmem_epan_scope(), "%s,%s", protocol, kind->name),
        .stat_tap_init_cb = rows_init,
        .packet_func = rows_packet,
        .stat_tap_reset_table_cb = rows_reset,
        .stat_tap_free_table_item_cb = rows_free_item,
        .nfields = rows->num_titled - kind->num_windowless,
        .fields = wmem_alloc_array(wmem_epan_scope(), stat_tap_table_item, kind->num_columns),
        .nparams = array_length(parameters),
        .params = parameters,
    };
    for (unsigned column = 0; column < kind->num_columns; column++) {
        rows->ui.fields[column] = kind->columns[column].item;
        if ((kind->digits & STAT_BIT(column)) != 0) {
            rows->ui.fields[column].type = TABLE_ITEM_STRING;
            rows->ui.fields[column].field_format = "%s";
        }
    }
    rows->num_cells = kind->num_columns;
    rows->retired = g_ptr_array_new();
    rows->groups = g_ptr_array_new();
    rows->cells = g_ptr_array_new();
    rows->positions = g_array_new(FALSE, FALSE, sizeof(struct stat_position));
    rows->sentences = g_ptr_array_new();
    if (kind->state_size > 0) {
        rows->states = g_array_new(FALSE, TRUE, (guint)kind->state_size);
    }
    if (all_rows == NULL) {
        register_cleanup_routine(forget_listeners);
    }
    all_rows = g_slist_append(all_rows, rows);
    return rows;
}

void
stat_rows_register(struct stat_rows *rows)
{
    /* Wireshark's logging has set the program name. */
    rows->is_text = g_strcmp0(g_get_prgname(), "tshark") == 0;
    if (rows->is_text) {
        rows->num_cells = rows->num_titled;
    }
    rows->is_registered = true;
    register_stat_tap_table_ui(&rows->ui);
}

void
stat_rows_use(struct stat_rows *rows)
{
    rows->is_own = true;
    rows_init(&rows->ui);
}

bool
stat_rows_is_live(const struct stat_rows *rows)
{
    return !rows->is_text && !rows->is_own;
}

/* Updates the column "server": names may be learned after a row was added. */
static void
rename_servers(struct stat_rows *rows)
{
    const unsigned column = stat_rows_column(rows, "server");

    for (unsigned row = 0; row < stat_rows_count(rows); row++) {
        stat_tap_table_item_type *cell = &stat_rows_cells(rows, row)[column];

        stat_cell_set_text(cell, perf_tap_host_now(cell->value.string_value));
    }
}

void
stat_rows_fill(struct stat_rows *rows)
{
    if (rows->kind->fill != NULL) {
        rows->kind->fill(rows);
    }
    /* Windows keep the server's name that was known when the row was added. */
    if (rows->kind->renames_servers && !stat_rows_is_live(rows)) {
        rename_servers(rows);
    }
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

/* Returns true if the titles of two tables begin with the same protocol. */
static bool
are_kindred(const struct stat_rows *one, const struct stat_rows *other)
{
    const size_t length = strlen(one->ui.title) - strlen(one->kind->title);

    return strncmp(one->ui.title, other->ui.title, length) == 0;
}

void
stat_rows_make_menu(void)
{
    const int proto = proto_get_id_by_filter_name("perflibv2");
    const struct stat_rows *before = NULL;
    ext_menu_t *menu;

    if (proto == -1) {
        return;
    }
    menu = ext_menubar_set_parentmenu(ext_menubar_register_menu(proto, MENU_TITLE, true), "Statistics");
    for (GSList *link = all_rows; link != NULL; link = link->next) {
        struct stat_rows *rows = (struct stat_rows *)link->data;

        if (!rows->is_registered) {
            continue;
        }
        if (before != NULL && !are_kindred(before, rows)) {
            ext_menubar_add_separator(menu);
        }
        ext_menubar_add_entry(menu, rows->ui.title, NULL, rows_open_window, rows);
        before = rows;
    }
}

/* Removes a row from its group. The group's last row moves to the removed row's index. */
static void
take_out(struct stat_rows *rows, unsigned row)
{
    const struct stat_position position = *row_position(rows, row);
    struct stat_group *group = group_at(rows, position.group);
    stat_tap_table *table = group->table;
    const unsigned last = group->rows->len - 1;

    table->elements[position.element] = table->elements[last];
    table->num_elements--;
    row_position(rows, g_array_index(group->rows, unsigned, last))->element = position.element;
    g_array_remove_index_fast(group->rows, position.element);
}

/* Appends a row to a group. cells: copied, but not their texts. Returns the row's cells in the group's table. */
static stat_tap_table_item_type *
put_in(struct stat_rows *rows, unsigned row, unsigned number, const stat_tap_table_item_type *cells)
{
    struct stat_group *group = group_at(rows, number);
    stat_tap_table *table = group->table;

    show_first_group(rows);
    *row_position(rows, row) = (struct stat_position){ number, group->rows->len };
    stat_tap_init_table_row(table, table->num_elements, rows->num_cells, cells);
    g_array_append_val(group->rows, row);
    return table->elements[table->num_elements - 1];
}

void
stat_rows_remove(struct stat_rows *rows, unsigned row)
{
    const unsigned last = stat_rows_count(rows) - 1;

    g_ptr_array_add(rows->retired, stat_rows_cells(rows, row));
    take_out(rows, row);
    g_ptr_array_remove_index_fast(rows->cells, row);
    g_array_remove_index_fast(rows->positions, row);
    if (row < last) {
        const struct stat_position *moved = row_position(rows, row);

        g_array_index(group_at(rows, moved->group)->rows, unsigned, moved->element) = row;
    }
    if (rows->states != NULL) {
        g_array_remove_index_fast(rows->states, row);
    }
}

/*
 * Returns the number of the group with this heading, adding the group if it is new. In windows, the first heading goes
 * to the empty group that each table begins with, which would else be shown without one.
 */
static unsigned
find_group(struct stat_rows *rows, const char *title)
{
    struct stat_group *group = (struct stat_group *)wmem_map_lookup(rows->by_title, title);

    if (group == NULL) {
        group = group_at(rows, 0);
        if (!rows->has_windows || group->title != NULL || group->rows->len > 0) {
            group = add_group(rows);
        }
        set_title(rows, group, title);
        wmem_map_insert(rows->by_title, group->title, group);
    }
    return group->number;
}

/* Removes an empty group, which must not be the only one. The last group gets its number. */
static void
remove_group(struct stat_rows *rows, unsigned number)
{
    struct stat_group *group = group_at(rows, number), *last = group_at(rows, rows->groups->len - 1);

    if (wmem_map_lookup(rows->by_title, group->title) == group) {
        wmem_map_remove(rows->by_title, group->title);
    }
    g_ptr_array_remove_index_fast(rows->groups, number);
    if (!rows->is_text) {
        g_array_remove_index_fast(rows->ui.tables, number);
    }
    last->number = number;
    for (unsigned i = 0; i < last->rows->len; i++) {
        row_position(rows, g_array_index(last->rows, unsigned, i))->group = number;
    }
    g_free(group->table->elements);
    g_free(group->table);
    free_group(group);
}

void
stat_rows_regroup(struct stat_rows *rows, unsigned row, const char *group)
{
    stat_tap_table_item_type *cells = stat_rows_cells(rows, row);
    const unsigned number = find_group(rows, group);

    if (row_position(rows, row)->group != number) {
        const unsigned former = row_position(rows, row)->group;

        take_out(rows, row);
        g_free(put_in(rows, row, number, cells));
        group_at(rows, number)->table->elements[row_position(rows, row)->element] = cells;
        if (group_at(rows, former)->title != NULL && group_at(rows, former)->rows->len == 0) {
            remove_group(rows, former);
        }
    }
}

bool
stat_rows_find(const struct stat_rows *rows, const char *key, unsigned *row)
{
    void *found;

    if (!wmem_map_lookup_extended(rows->by_key, key, NULL, &found)) {
        return false;
    }
    *row = GPOINTER_TO_UINT(found);
    return true;
}

void
stat_rows_add_key(struct stat_rows *rows, const char *key, unsigned row)
{
    wmem_map_insert(rows->by_key, wmem_strdup(rows->scope, key), GUINT_TO_POINTER(row));
}

unsigned
stat_rows_group(const struct stat_rows *rows, unsigned row)
{
    return row_position(rows, row)->group;
}

unsigned
stat_rows_count(const struct stat_rows *rows)
{
    return rows->cells->len;
}

/* The sentence is the heading of a group without rows: windows show it in full width, over all columns. */
bool
stat_rows_end_with(struct stat_rows *rows, const struct key_needed *needed)
{
    if (needed != NULL && needed_add(&rows->needed, needed)) {
        set_title(rows, add_group(rows), needed->text);
    }
    return needed != NULL;
}

unsigned
stat_rows_add_sentence(struct stat_rows *rows)
{
    g_ptr_array_add(rows->sentences, NULL);
    return rows->sentences->len - 1;
}

void
stat_rows_set_sentence(struct stat_rows *rows, unsigned sentence, const char *text)
{
    void **shown = &g_ptr_array_index(rows->sentences, sentence);
    struct stat_group *group = (struct stat_group *)*shown;
    char *line;

    if (text[0] != '\0') {
        group = group == NULL ? add_group(rows) : group;
        line = line_text_copy(NULL, text, LINE_TEXT_MAX);
        set_title(rows, group, line);
        wmem_free(NULL, line);
    } else if (group != NULL) {
        remove_group(rows, group->number);
        group = NULL;
    }
    *shown = group;
}

const char *
stat_rows_sentence(const struct stat_rows *rows, unsigned sentence)
{
    const struct stat_group *group = (const struct stat_group *)g_ptr_array_index(rows->sentences, sentence);

    return group == NULL ? "" : group->title;
}

/* Returns the cells of a new row. Free them with g_free(). */
static stat_tap_table_item_type *
new_cells(const struct stat_rows *rows)
{
    stat_tap_table_item_type *cells = g_new0(stat_tap_table_item_type, rows->num_cells);

    for (unsigned column = 0; column < rows->num_cells; column++) {
        const stat_tap_table_item_enum type = rows->kind->columns[column].item.type;
        const bool has_digits = (rows->kind->digits & STAT_BIT(column)) != 0;

        cells[column].type = has_digits ? TABLE_ITEM_STRING : type == TABLE_ITEM_FLOAT ? TABLE_ITEM_NONE : type;
        if (cells[column].type == TABLE_ITEM_STRING) {
            cells[column].value.string_value = no_text;
        }
    }
    return cells;
}

unsigned
stat_rows_add(struct stat_rows *rows, const char *group, const char *key)
{
    const unsigned row = stat_rows_count(rows);
    stat_tap_table_item_type *cells = new_cells(rows);

    g_array_set_size(rows->positions, row + 1);
    g_ptr_array_add(rows->cells, put_in(rows, row, group == NULL ? 0 : find_group(rows, group), cells));
    g_free(cells);
    if (key != NULL) {
        stat_rows_add_key(rows, key, row);
    }
    if (rows->states != NULL) {
        g_array_set_size(rows->states, row + 1);
    }
    return row;
}

/* Returns true if the table does not keep the cells of rows: kind->show() makes them when they are read. */
static bool
makes_rows(const struct stat_rows *rows)
{
    return rows->kind->show != NULL && (rows->is_text || rows->is_data);
}

void
stat_rows_resize(struct stat_rows *rows, unsigned count)
{
    rows->made_row = UINT_MAX;
    if (makes_rows(rows)) {
        GArray *numbers = group_at(rows, 0)->rows;

        g_ptr_array_set_size(rows->cells, (int)count);
        g_array_set_size(numbers, count);
        for (unsigned row = 0; row < count; row++) {
            g_array_index(numbers, unsigned, row) = row;
        }
        return;
    }
    while (stat_rows_count(rows) > count) {
        stat_rows_remove(rows, stat_rows_count(rows) - 1);
    }
    while (stat_rows_count(rows) < count) {
        stat_rows_add(rows, NULL, NULL);
    }
    for (unsigned row = 0; rows->kind->show != NULL && row < count; row++) {
        rows->kind->show(rows, row, stat_rows_cells(rows, row));
    }
}

bool
stat_rows_find_or_add(struct stat_rows *rows, const char *key, unsigned *row)
{
    if (stat_rows_find(rows, key, row)) {
        return false;
    }
    *row = stat_rows_add(rows, NULL, key);
    return true;
}

void
stat_rows_remove_key(struct stat_rows *rows, const char *key)
{
    wmem_map_remove(rows->by_key, key);
}

unsigned
stat_rows_column(const struct stat_rows *rows, const char *key)
{
    unsigned column = 0;

    while (column < rows->kind->num_columns && g_strcmp0(rows->kind->columns[column].key, key) != 0) {
        column++;
    }
    return column;
}

stat_tap_table_item_type *
stat_rows_cells(const struct stat_rows *rows, unsigned row)
{
    stat_tap_table_item_type *cells = (stat_tap_table_item_type *)g_ptr_array_index(rows->cells, row);

    if (cells == NULL && rows->made_row != row) {
        struct stat_rows *makes = (struct stat_rows *)rows;

        makes->made = rows->made == NULL ? new_cells(rows) : rows->made;
        makes->made_row = row;
        rows->kind->show(rows, row, rows->made);
    }
    return cells == NULL ? rows->made : cells;
}

void *
stat_rows_state(const struct stat_rows *rows, unsigned row)
{
    return rows->states->data + row * rows->kind->state_size;
}

void
stat_cell_set_text(stat_tap_table_item_type *cell, const char *text)
{
    const char *shown = text == NULL ? no_text : line_text(NULL, text);

    if (strcmp(cell->value.string_value, shown) != 0) {
        free_text(cell);
        cell->value.string_value = shown[0] == '\0' ? no_text : g_strdup(shown);
    }
    if (text != NULL && shown != text) {
        wmem_free(NULL, (char *)shown);
    }
}

void
stat_append_short(GString *out, const char *text, long max)
{
    const long length = g_utf8_strlen(text, -1);

    if (length <= max) {
        g_string_append(out, text);
    } else {
        const char *end = g_utf8_offset_to_pointer(text, max / 2);

        g_string_append_len(out, text, end - text);
        g_string_append(out, "\xe2\x80\xa6");
        g_string_append(out, g_utf8_offset_to_pointer(end, length - max));
    }
}

void
stat_cell_set_short(const struct stat_rows *rows, stat_tap_table_item_type *cell, const char *text, long max)
{
    if (rows->has_windows) {
        GString *shown = g_string_new(NULL);

        stat_append_short(shown, text, max);
        stat_cell_set_text(cell, shown->str);
        g_string_free(shown, TRUE);
    } else {
        stat_cell_set_text(cell, text);
    }
}

void
stat_cell_set_real(stat_tap_table_item_type *cell, double value)
{
    cell->type = TABLE_ITEM_FLOAT;
    cell->value.float_value = value;
}

void
stat_cells_set_unknown(const struct stat_rows *rows, stat_tap_table_item_type *cells, unsigned count)
{
    for (unsigned i = 0; i < count && (rows->is_text || rows->is_data); i++) {
        cells[i].type = TABLE_ITEM_NONE;
    }
}

void
stat_cell_add_to_mean(stat_tap_table_item_type *cell, struct stat_mean *mean, double value)
{
    mean->sum += value;
    mean->count++;
    stat_cell_set_real(cell, mean->sum / mean->count);
}
