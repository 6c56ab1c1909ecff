/* table-window.h
 * A table as Wireshark's window has it: opened, brought records, read by its cells, filtered anew
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_TABLE_WINDOW_H
#define PERFLIB_TESTS_UNIT_TABLE_WINDOW_H

#include <math.h>
#include <string.h>

#include "compat.h"

#include <epan/stat_tap_ui.h>
#include <epan/tap.h>
#include <epan/wmem_scopes.h>

#include "check.h"
#include "stats/rows.h"

static stat_tap_table_ui *window;
static stat_data_t window_listener;
static packet_info window_packet;

/* In place of Wireshark's, which knows kinds of addresses once it dissects: of addresses that are texts. */
char *
address_to_str(wmem_allocator_t *scope, const address *addr)
{
    return wmem_strdup(scope, addr->data == NULL ? "" : (const char *)addr->data);
}

/* Opens the window of a protocol's table. A second time: the same, filtered anew. */
static inline void
window_open(const char *protocol, const struct stat_kind *kind)
{
    char name[100];

    window_packet.pool = wmem_epan_scope();
    snprintf(name, sizeof name, "%s,%s", protocol, kind->name);
    window = stat_tap_by_name(name);
    if (window != NULL) {
        reset_stat_table(window);
    } else {
        stat_rows_register(stat_rows_new(kind, protocol, protocol, "Test"));
        window = stat_tap_by_name(name);
        window->stat_tap_init_cb(window);
    }
    window_listener.stat_tap_data = window;
}

/* A record of the packet of that number, sent by one to the other. Returns whether it is drawn. */
static inline bool
window_bring(uint32_t number, const char *from, const char *to, const void *record)
{
    window_packet.num = number;
    set_address(&window_packet.src, AT_STRINGZ, (int)strlen(from) + 1, from);
    set_address(&window_packet.dst, AT_STRINGZ, (int)strlen(to) + 1, to);
    return window->packet_func(&window_listener, &window_packet, NULL, record, 0) == TAP_PACKET_REDRAW;
}

static inline unsigned
window_rows(void)
{
    return g_array_index(window->tables, stat_tap_table *, 0)->num_elements;
}

/* The sentence that the table ends with: the title of its last group. */
#define CHECK_SENTENCE(text) \
    CHECK(strcmp(g_array_index(window->tables, stat_tap_table *, window->tables->len - 1)->title, text) == 0, "%s", \
        g_array_index(window->tables, stat_tap_table *, window->tables->len - 1)->title)

static inline const stat_tap_table_item_type *
window_cell(unsigned row, unsigned column)
{
    static const stat_tap_table_item_type none = { .type = TABLE_ITEM_NONE };

    return row < window_rows()
        ? stat_tap_get_field_data(g_array_index(window->tables, stat_tap_table *, 0), row, column)
        : &none;
}

#define CHECK_ROWS(count) CHECK(window_rows() == (count), "%u rows", window_rows())
#define CHECK_TEXT(row, column, text) \
    CHECK(window_cell(row, column)->type == TABLE_ITEM_STRING && \
            strcmp(window_cell(row, column)->value.string_value, text) == 0, \
        "row %u: %s", (unsigned)(row), \
        window_cell(row, column)->type == TABLE_ITEM_STRING ? window_cell(row, column)->value.string_value \
                                                            : "no text")
#define CHECK_NUMBER(row, column, number) \
    CHECK(window_cell(row, column)->type == TABLE_ITEM_UINT && window_cell(row, column)->value.uint_value == (number), \
        "row %u: %u", (unsigned)(row), window_cell(row, column)->value.uint_value)
#define CHECK_REAL(row, column, number) \
    CHECK(window_cell(row, column)->type == TABLE_ITEM_FLOAT && \
            fabs(window_cell(row, column)->value.float_value - (number)) < 1e-6, \
        "row %u: %g", (unsigned)(row), window_cell(row, column)->value.float_value)
#define CHECK_NONE(row, column) \
    CHECK(window_cell(row, column)->type == TABLE_ITEM_NONE && row < window_rows(), "row %u has one", (unsigned)(row))

#endif /* PERFLIB_TESTS_UNIT_TABLE_WINDOW_H */
