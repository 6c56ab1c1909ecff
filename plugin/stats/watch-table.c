/* watch-table.c
 * -z perflibv2,watch and -z perfdata,watch: counters that match the user's watch list
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "stats/key-index.h"

/* clang-format off */
#define WATCH_COLUMNS(X) \
    X(COLUMN_NAME, STAT_TEXT("name", "Name")) \
    X(COLUMN_COUNTERS, STAT_COUNT("counters", "Counters")) \
    X(COLUMN_SAMPLES, STAT_COUNT("samples", "Samples")) \
    X(COLUMN_SAYS, STAT_TEXT("field", "Field")) \
    X(COLUMN_FIRST, STAT_TEXT("first_counter", "First counter")) \
    X(COLUMN_PATTERN, STAT_TEXT("pattern", "Pattern"))
/* clang-format on */

enum { WATCH_COLUMNS(STAT_COLUMN_NUMBER) NUM_COLUMNS };
static const struct stat_column watch_columns[NUM_COLUMNS] = { WATCH_COLUMNS(STAT_COLUMN) };

/* Watch table of one protocol, with a row per watch list entry. */
struct watch_table {
    struct stat_rows rows; /* must be the first member */
    /* maps a counter's identity to the numbers of matching rows (wmem_list_t *); NULL before the first use */
    struct key_index *paths;
    /* set of identities of the other API's counters, those of PerfData in the table of PerflibV2 */
    wmem_map_t *others;
    bool *elsewhere; /* by row: true if its pattern matches a counter in .others */
};

/* Returns true for the table of PerfData, the older API. */
static bool
is_older_api(const struct stat_rows *rows)
{
    return g_str_has_prefix(rows->ui.cli_string, "perfdata,");
}

static void
say(const struct stat_rows *rows, unsigned row, bool is_in_use)
{
    const struct watch_table *table = (const struct watch_table *)rows;
    stat_tap_table_item_type *cells = stat_rows_cells(rows, row);
    const bool is_elsewhere = table->elsewhere[row];
    const unsigned counters = cells[COLUMN_COUNTERS].value.uint_value;

    stat_cell_set_text(&cells[COLUMN_SAYS],
        !is_in_use ? "not used: another row has the same name"
            : counters == 0 && is_elsewhere
            ? is_older_api(rows) ? "matches only counters of PerflibV2" : "matches only counters of the older API"
            : counters == 0 ? "matches no counter of the capture"
            : counters == 1 ? "matches one counter"
                            : "matches several: make the pattern exact");
}

/* Records which watch list entries match counters of the other API: in PerflibV2's table, those of PerfData. */
static tap_packet_status
watch_others(void *data, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    const struct perf_tap_poll *poll = (const struct perf_tap_poll *)tapped;
    struct stat_rows *rows = (struct stat_rows *)data;
    struct watch_table *table = (struct watch_table *)rows;

    if (!stat_rows_has_table(rows) || stat_rows_count(rows) == 0 || stat_rows_count(rows) != perf_watch_count) {
        return TAP_PACKET_DONT_REDRAW;
    }
    for (unsigned i = 0; i < poll->num_values; i++) {
        const struct perf_tap_value *value = &poll->values[i];

        if (value->path == NULL || wmem_map_contains(table->others, value->identity)) {
            continue;
        }
        wmem_map_insert(table->others, value->identity, NULL);
        for (unsigned row = 0; row < stat_rows_count(rows); row++) {
            if (!table->elsewhere[row] && perf_watch_matches(row, value->path)) {
                table->elsewhere[row] = true;
                say(rows, row, true);
            }
        }
    }
    return TAP_PACKET_DONT_REDRAW;
}

static void
watch_begin_table(struct stat_rows *rows)
{
    struct watch_table *table = (struct watch_table *)rows;

    if (table->paths == NULL) {
        helper_listen(is_older_api(rows) ? "perflibv2_poll" : "perfdata_poll", rows, NULL, watch_others, NULL);
    }
    table->paths = key_index_new(rows->scope);
    table->others = wmem_map_new(rows->scope, g_direct_hash, g_direct_equal);
    table->elsewhere = wmem_alloc0_array(rows->scope, bool, perf_watch_count + 1);
    for (unsigned i = 0; i < perf_watch_count; i++) {
        const struct perf_watch entry = perf_watch_entry(i);
        const unsigned row = stat_rows_add(rows, NULL, NULL);
        stat_tap_table_item_type *cells = stat_rows_cells(rows, row);

        stat_cell_set_text(&cells[COLUMN_NAME], entry.name);
        stat_cell_set_text(&cells[COLUMN_PATTERN], entry.pattern);
        say(rows, row, entry.is_in_use);
    }
}

/* Returns the rows that match a new path. */
static wmem_list_t *
watch_table_find_matches(struct stat_rows *rows, const char *path)
{
    wmem_list_t *found = wmem_list_new(rows->scope);

    for (unsigned row = 0; row < stat_rows_count(rows); row++) {
        if (perf_watch_matches(row, path)) {
            stat_tap_table_item_type *cells = stat_rows_cells(rows, row);

            wmem_list_append(found, GUINT_TO_POINTER(row));
            if (cells[COLUMN_COUNTERS].value.uint_value++ == 0) {
                stat_cell_set_short(rows, &cells[COLUMN_FIRST], path, WINDOW_PATH_MAX);
            }
            say(rows, row, true);
        }
    }
    return found;
}

static bool
watch_count(struct stat_rows *rows, const packet_info *pinfo _U_, const void *tapped)
{
    const struct perf_tap_poll *poll = (const struct perf_tap_poll *)tapped;
    struct watch_table *table = (struct watch_table *)rows;

    /* After a change of the watch list its entries do not match the rows; Wireshark will soon fill the table anew. */
    if (stat_rows_count(rows) != perf_watch_count) {
        return false;
    }
    stat_rows_end_with(rows, poll->needed);
    for (unsigned i = 0; i < poll->num_values && perf_watch_count > 0; i++) {
        const struct perf_tap_value *value = &poll->values[i];
        struct key_entry *path;

        if (value->path == NULL || value->cooked.reason != COOK_OK) {
            continue;
        }
        path = key_index_entry(table->paths, key_index_add(table->paths, value->identity));
        if (path->data == NULL) {
            path->data = watch_table_find_matches(rows, value->path);
        }
        for (wmem_list_frame_t *link = wmem_list_head((wmem_list_t *)path->data); link != NULL;
             link = wmem_list_frame_next(link)) {
            stat_rows_cells(rows, GPOINTER_TO_UINT(wmem_list_frame_data(link)))[COLUMN_SAMPLES].value.uint_value++;
        }
    }
    return true;
}

const struct stat_kind watch_table = {
    .name = "watch",
    .title = "Watch List",
    .columns = watch_columns,
    .num_columns = NUM_COLUMNS,
    .count = watch_count,
    .begin = watch_begin_table,
    .size = sizeof(struct watch_table),
};
