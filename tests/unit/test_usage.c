/* test_usage.c
 * The table of usage: whose polls, values, bytes and time, and the shares of them, through what Wireshark does with a window
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/record.h"

#include <math.h>
#include <string.h>

#include <epan/stat_tap_ui.h>
#include <epan/tap.h>
#include <epan/wmem_scopes.h>

#include "check.h"
#include "compat.h"
#include "stats/rows.h"
#include "stats/tables.h"

enum { CLIENT, SERVER, SET, POLLS, VALUES, BYTES, TIME, SHARE };

static stat_tap_table_ui *ui;
static stat_data_t listener;
static wmem_allocator_t *pool;
static const char *const sets[] = { "Processor", "Memory", "Disk" };

/* Instead of Wireshark's, which knows kinds of addresses once it dissects. */
char *
address_to_str(wmem_allocator_t *scope, const address *addr)
{
    return wmem_strdup(scope, (const char *)addr->data);
}

static unsigned times_asked;

static void
tell_value(const struct perf_tap_poll *poll _U_, const struct perf_tap_sample *sample, struct perf_tap_origin *origin)
{
    times_asked++;
    *origin = (struct perf_tap_origin){ .set = sets[sample->place[0] % array_length(sets)] };
}

/* A poll whose values are of these countersets, by number; "a": of one that is an aggregate. */
static tap_packet_status
bring(const char *client, const char *host, const char *content, unsigned bytes, double seconds)
{
    struct perf_tap_sample samples[16] = { { .path = NULL } };
    struct perf_tap_poll poll = { .host = host,
        .tell = tell_value,
        .bytes = bytes,
        .seconds = seconds,
        .samples = samples };
    packet_info pinfo = { .num = 7, .pool = pool };

    set_address(&pinfo.dst, AT_STRINGZ, (int)strlen(client) + 1, client);
    set_address(&pinfo.src, AT_STRINGZ, 7, "server");
    for (const char *c = content; *c != '\0'; c++) {
        samples[poll.num_samples++] = (struct perf_tap_sample){
            .num_aggregated = *c == 'a' ? 2 : 0,
            .place = { *c == 'a' ? 0 : (uint32_t)(*c - '0') },
        };
    }
    listener.stat_tap_data = ui;
    return ui->packet_func(&listener, &pinfo, NULL, &poll, 0);
}

static const stat_tap_table *
table(void)
{
    return g_array_index(ui->tables, stat_tap_table *, 0);
}

static void
check_row(unsigned row, const char *client, const char *host, const char *set, unsigned polls, unsigned values,
    unsigned bytes, double time, double share)
{
    const stat_tap_table_item_type *cells = stat_tap_get_field_data(table(), row, 0);

    CHECK(row < table()->num_elements, "%u rows", table()->num_elements);
    CHECK(strcmp(cells[CLIENT].value.string_value, client) == 0 &&
            strcmp(cells[SERVER].value.string_value, host) == 0 && strcmp(cells[SET].value.string_value, set) == 0,
        "row %u: %s, %s, %s", row, cells[CLIENT].value.string_value, cells[SERVER].value.string_value,
        cells[SET].value.string_value);
    CHECK(cells[POLLS].value.uint_value == polls && cells[VALUES].value.uint_value == values &&
            cells[BYTES].value.uint_value == bytes,
        "row %u: %u polls, %u values, %u bytes", row, cells[POLLS].value.uint_value, cells[VALUES].value.uint_value,
        cells[BYTES].value.uint_value);
    CHECK(cells[TIME].type == TABLE_ITEM_FLOAT && cells[SHARE].type == TABLE_ITEM_FLOAT, "row %u: no numbers", row);
    CHECK(fabs(cells[TIME].value.float_value - time) <= 0.0005, "row %u: %f ms", row, cells[TIME].value.float_value);
    CHECK(fabs(cells[SHARE].value.float_value - share) < 0.11, "row %u: %f %%", row, cells[SHARE].value.float_value);
}

static void
count(void)
{
    times_asked = 0;
    CHECK(bring("me", "PC", "0010", 1000, 0.060) == TAP_PACKET_REDRAW, "not drawn");
    CHECK(times_asked == 3, "values that stand together are of one counterset, which is asked for once, not %u times",
        times_asked);
    check_row(0, "me", "PC", "Processor", 1, 3, 750, 45, 75);
    check_row(1, "me", "PC", "Memory", 1, 1, 250, 15, 25);
    /* A counterset that is met again is the same; an aggregate is no value that was sent. */
    bring("me", "PC", "01a0", 300, 0.030);
    check_row(0, "me", "PC", "Processor", 2, 5, 950, 65, 72.222);
    check_row(1, "me", "PC", "Memory", 2, 2, 350, 25, 27.778);
    /* Another client of the server, the same client of another, and half a byte is one. */
    bring("you", "PC", "1", 1, 0.090);
    bring("me", "PC2", "12", 1, 0);
    check_row(0, "me", "PC", "Processor", 2, 5, 950, 65, 36.111);
    check_row(1, "me", "PC", "Memory", 2, 2, 350, 25, 13.889);
    check_row(2, "you", "PC", "Memory", 1, 1, 1, 90, 50);
    check_row(3, "me", "PC2", "Memory", 1, 1, 1, 0, 0);
    check_row(4, "me", "PC2", "Disk", 1, 1, 1, 0, 0);
    CHECK(table()->num_elements == 5, "%u rows", table()->num_elements);
    CHECK(bring("me", "PC", "", 8, 1) == TAP_PACKET_DONT_REDRAW &&
            bring("me", "PC", "a", 8, 1) == TAP_PACKET_DONT_REDRAW,
        "nothing was counted");
    check_row(0, "me", "PC", "Processor", 2, 5, 950, 65, 36.111);
    CHECK(ui->packet_func(&listener, &(packet_info){ .pool = pool, .dst = { .data = "me" } }, NULL,
              &(struct perf_tap_poll){ .host = "PC", .needed = &(struct key_needed){ KEY_KEYTAB, "a key" } },
              0) == TAP_PACKET_REDRAW,
        "what is sealed is told of");
    /* The server's time is all that it took: shares of others fall, however little comes at a time. */
    for (unsigned i = 0; i < 180; i++) {
        bring("you", "PC", "2", 8, 0.001);
    }
    check_row(0, "me", "PC", "Processor", 2, 5, 950, 65, 18.056);
    check_row(5, "you", "PC", "Disk", 180, 180, 1440, 180, 50);
    /* However little a new one takes, it has its share. */
    CHECK(bring("me", "PC", "2", 1, 0.0001) == TAP_PACKET_REDRAW, "one value is not drawn");
    check_row(6, "me", "PC", "Disk", 1, 1, 1, 0.1, 0.028);
}

int
main(void)
{
    wmem_init_scopes();
    pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    stat_rows_register(stat_rows_new(&usage_table, "test", "test", "Test"));
    ui = stat_tap_by_name("test,usage");
    if (ui == NULL) {
        CHECK(false, "no table");
        return check_result();
    }
    for (unsigned opened = 0; opened < 2; opened++) {
        ui->stat_tap_init_cb(ui);
        for (unsigned filtered = 0; filtered < 2; filtered++) {
            count();
            reset_stat_table(ui);
            CHECK(table()->num_elements == 0, "%u rows", table()->num_elements);
        }
        free_stat_tables(ui);
    }
    wmem_destroy_allocator(pool);
    return check_result();
}
