/* test_poll_tables.c
 * The tables of usage, of the watch list and of data collector sets: whose row a record is in, and each cell
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "table-window.h"

#include "counters/poll.h"
#include "fake-uat.h"
#include "heap.h"
#include "pla/record.h"
#include "stats/tables.h"

/* In place of Wireshark's fields, and of the listeners of the other API's polls. */
void
proto_register_field_array(const int parent _U_, hf_register_info *hf _U_, const int num_records _U_)
{
}

void
expert_register_field_array(expert_module_t *module _U_, ei_register_info *ei _U_, const int num_records _U_)
{
}

void
report_warning(const char *format _U_, ...)
{
}

static char other_tap[30];
static tap_packet_cb other_packet;
static void *other_data;

GString *
register_tap_listener(const char *tap, void *data, const char *filter, guint flags, tap_reset_cb reset,
    tap_packet_cb packet, tap_draw_cb draw _U_, tap_finish_cb finish _U_)
{
    if (filter == NULL && flags == TL_IS_DISSECTOR_HELPER && reset == NULL) {
        g_strlcpy(other_tap, tap, sizeof other_tap);
        other_packet = packet;
        other_data = data;
    }
    return NULL;
}

enum { CLIENT, SERVER, SET, POLLS, VALUES, BYTES, TIME, SHARE, COUNTERS, INSTANCES, WASTED, INTERVAL, SET_ID };

/* What a value is of: its number is the value's own. */
static const struct perf_tap_origin origins[] = {
    { .set = "A", .set_id = "id A", .instance = "one", .counter_id = 1 },
    { .set = "A", .set_id = "id A", .instance = "two", .counter_id = 1 },
    { .set = "A", .set_id = "id A", .instance = "one", .counter_id = 2 },
    { .set = "B", .set_id = "id B", .counter_id = 1 },
    { .set = "A later", .set_id = "id A", .instance = "three", .counter_id = 3 },
    { .set = "No id", .counter_id = 1 },
    { .set = "The name of this counterset is longer than sixty characters, of which a window shows the outer ones",
        .set_id = "id long",
        .counter_id = 7 },
    { .set = "No id either", .counter_id = 1 },
};

static void
tell_origin(const struct perf_tap_poll *poll _U_, const struct perf_tap_value *value, struct perf_tap_origin *origin)
{
    *origin = origins[value->raw];
}

/*
 * A poll of values: a digit for each, the number of its origin; after a "+" one that was made of others. A blank is
 * between two blocks. Returns whether the table is drawn.
 */
static bool
poll_values(const char *client, const char *host, const char *query, double now, uint32_t bytes, uint32_t wasted,
    double seconds, const char *digits)
{
    struct perf_tap_value values[20];
    struct perf_tap_poll poll = { .host = host,
        .query = query,
        .tell = tell_origin,
        .bytes = bytes,
        .wasted = wasted,
        .seconds = seconds,
        .values = values };
    uint32_t block = 0;
    bool is_made = false;

    memset(values, 0, sizeof values);
    for (; *digits != '\0'; digits++) {
        if (*digits == ' ') {
            block++;
        } else if (*digits == '+') {
            is_made = true;
        } else {
            struct perf_tap_value *value = &values[poll.num_values++];

            value->raw = (uint64_t)(*digits - '0');
            value->identity = &origins[value->raw];
            value->place[0] = block;
            value->num_aggregated = is_made;
            is_made = false;
        }
    }
    window_packet.abs_ts.secs = (time_t)now;
    window_packet.abs_ts.nsecs = (int)((now - floor(now)) * 1e9);
    return window_bring(5, "server", client, &poll);
}

static void
check_usage(unsigned row, const char *client, const char *server, const char *set, unsigned polls, unsigned values,
    double bytes, double time, double share, unsigned counters, unsigned instances, unsigned wasted)
{
    CHECK_TEXT(row, CLIENT, client);
    CHECK_TEXT(row, SERVER, server);
    CHECK_TEXT(row, SET, set);
    CHECK_NUMBER(row, POLLS, polls);
    CHECK_NUMBER(row, VALUES, values);
    CHECK_REAL(row, BYTES, bytes);
    CHECK_REAL(row, TIME, time);
    CHECK_REAL(row, SHARE, share);
    CHECK_NUMBER(row, COUNTERS, counters);
    CHECK_NUMBER(row, INSTANCES, instances);
    CHECK_NUMBER(row, WASTED, wasted);
}

static void
test_cost_of_a_poll_is_shared_by_number_of_values(void)
{
    window_open("perflibv2", &usage_table);
    CHECK(!poll_values("me", "PC", "1", 10, 1000, 100, 0.010, ""), "no value");
    CHECK(!poll_values("me", "PC", "1", 10, 1000, 100, 0.010, "+0+1"), "no value as it was sent");
    CHECK_ROWS(0);
    /* Bytes 3:1 of 1000 and of the 100 in vain: 75 of 825 and 25 of 275 are 9 %. */
    CHECK(poll_values("me", "PC", "1", 10, 1000, 100, 0.010, "01+12 3"), "four values");
    check_usage(0, "me", "PC", "A", 1, 3, 750, 7.5, 75, 2, 2, 9);
    check_usage(1, "me", "PC", "B", 1, 1, 250, 2.5, 25, 1, 0, 9);
    CHECK_NONE(0, INTERVAL);
    CHECK_NONE(1, INTERVAL);
    CHECK_ROWS(2);
    /* The next poll of the query has no value of B; 75 of 1326 are 6 %. */
    poll_values("me", "PC", "1", 12.5, 501, 0, 0.030, "0012");
    check_usage(0, "me", "PC", "A", 2, 7, 1251, 37.5, 93.75, 2, 2, 6);
    check_usage(1, "me", "PC", "B", 1, 1, 250, 2.5, 6.25, 1, 0, 9);
    CHECK_REAL(0, INTERVAL, 2.5);
    CHECK_NONE(1, INTERVAL);
    /* One poll may have several blocks of a counterset, with another between them. */
    poll_values("me", "PC", "2", 14, 400, 0, 0.040, "0 3 1 3");
    check_usage(0, "me", "PC", "A", 3, 9, 1451, 57.5, 71.875, 2, 2, 5);
    check_usage(1, "me", "PC", "B", 2, 3, 450, 22.5, 28.125, 1, 0, 5);
    CHECK_REAL(0, INTERVAL, 2.5);
    CHECK_NONE(1, INTERVAL);
    /* Another client costs the same server time; another server has time of its own. */
    poll_values("you", "PC", "1", 15, 10, 0, 0.020, "3");
    check_usage(0, "me", "PC", "A", 3, 9, 1451, 57.5, 57.5, 2, 2, 5);
    check_usage(1, "me", "PC", "B", 2, 3, 450, 22.5, 22.5, 1, 0, 5);
    check_usage(2, "you", "PC", "B", 1, 1, 10, 20, 20, 1, 0, 0);
    poll_values("me", "OTHER", "1", 16, 20, 20, 0.005, "3");
    check_usage(3, "me", "OTHER", "B", 1, 1, 20, 5, 100, 1, 0, 50);
    check_usage(2, "you", "PC", "B", 1, 1, 10, 20, 20, 1, 0, 0);
    /* A name that becomes known later, a new counter and a new instance. */
    poll_values("me", "PC", "1", 17, 9, 0, 0, "4");
    check_usage(0, "me", "PC", "A later", 4, 10, 1460, 57.5, 57.5, 3, 3, 5);
    poll_values("me", "PC", "1", 18, 11, 0, 0, "5");
    check_usage(4, "me", "PC", "No id", 1, 1, 11, 0, 0, 1, 0, 0);
    CHECK(poll_values("me", "PC", "1", 18, 11, 0, 0, "5"), "one value");
    CHECK_NUMBER(4, POLLS, 2);
    CHECK_REAL(4, INTERVAL, 0);
    poll_values("me", "PC", "1", 18, 11, 0, 0, "7");
    check_usage(5, "me", "PC", "No id either", 1, 1, 11, 0, 0, 1, 0, 0);
    CHECK_ROWS(6);
    /* Halves of bytes are rounded once, when they are shown. */
    poll_values("late", "PC", "1", 18, 1, 0, 0, "0 3");
    CHECK_REAL(6, BYTES, 1);
    poll_values("late", "PC", "1", 18, 1, 0, 0, "0 3");
    CHECK_REAL(6, BYTES, 1);
    CHECK_REAL(7, BYTES, 1);
}

static void
test_interval_is_the_median_between_polls_of_a_query(void)
{
    static const struct {
        const char *query;
        double now, median;
    } polls[] = {
        { "1", 12.5, 2.5 }, { "2", 20, 2.5 }, { "1", 21, 0 }, /* of two: not said */
        { "1", 24.5, 3.5 }, { "1", 23, 3.5 },                 /* the clock went back */
        { "1", 23, 0 }, { "1", 23, 2.5 },                     /* 0, 0, 2.5, 3.5, 8.5 */
        { "2", 24, 0 }, { "2", 27.25, 3.25 },                 /* 0, 0, 2.5, 3.25, 3.5, 4, 8.5 */
    };

    window_open("perflibv2", &usage_table);
    poll_values("me", "PC", "1", 10, 1, 0, 0, "0");
    for (unsigned i = 0; i < array_length(polls); i++) {
        poll_values("me", "PC", polls[i].query, polls[i].now, 1, 0, 0, "0");
        if (polls[i].median > 0) {
            CHECK_REAL(0, INTERVAL, polls[i].median);
        }
    }
    CHECK_REAL(0, SHARE, 0);
}

static void
test_small_polls_show_their_share_soon(void)
{
    window_open("perflibv2", &usage_table);
    poll_values("me", "PC", "1", 1, 1, 0, 1, "0");
    poll_values("you", "PC", "1", 1, 1, 0, 1, "0");
    CHECK_REAL(0, SHARE, 50);
    CHECK_REAL(1, SHARE, 50);
    /* 0.0004 of all is too little to tell others of; twice that is not. */
    poll_values("me", "PC", "1", 2, 1, 0, 0.0008, "0");
    CHECK_REAL(1, SHARE, 50);
    poll_values("me", "PC", "1", 3, 1, 0, 0.0008, "0");
    CHECK_REAL(0, SHARE, 100 * 1.0016 / 2.0016);
    CHECK_REAL(1, SHARE, 100 * 1 / 2.0016);
}

static void
test_usage_in_windows_has_short_names_and_the_missing_key(void)
{
    static const struct key_needed key = { KEY_KEYTAB, "a key" };
    static const char begin[] = "The name of this counterset is ", end[] = "a window shows the outer ones";
    struct stat_rows *rows = stat_rows_new(&usage_table, "perfdata", "perfdata_poll", "Test");
    const char *shown;
    unsigned row;

    window_open("perflibv2", &usage_table);
    ((struct stat_rows *)window)->has_windows = true;
    poll_values("me", "PC", "1", 1, 1, 0, 1, "6");
    shown = window_cell(0, SET)->value.string_value;
    CHECK(strncmp(shown, begin, 25) == 0 && g_str_has_suffix(shown, end + 3) && g_utf8_strlen(shown, -1) <= 61, "%s",
        shown);
    CHECK(window_bring(6, "server", "me", &(struct perf_tap_poll){ .needed = &key }), "not shown");
    CHECK_ROWS(1);
    CHECK_SENTENCE("a key");
    ((struct stat_rows *)window)->has_windows = false;
    /* In files a row names its counterset's number, too. */
    rows->is_data = true;
    stat_rows_use(rows);
    CHECK_EQUAL(stat_rows_column(rows, "counterset_id"), SET_ID, "column");
    rows->kind->count(rows, &window_packet,
        &(struct perf_tap_poll){ .host = "PC",
            .query = "1",
            .tell = tell_origin,
            .num_values = 2,
            .values = (struct perf_tap_value[]){ { .raw = 3, .identity = "x" },
                { .raw = 5, .identity = "y", .place = { 1 } } } });
    for (row = 0; row < 2; row++) {
        CHECK_STRING(stat_rows_cells(rows, row)[SET_ID].value.string_value, row == 0 ? "id B" : "", "%u", row);
    }
    CHECK_EQUAL(stat_rows_count(rows), 2, "rows");
}

enum { NAME, MATCHES, SAMPLES, SAYS, FIRST, PATTERN };

/* As of the user's table: name and pattern. */
struct entry {
    const char *name, *pattern;
};

#define NO_COUNTER "matches no counter of the capture"
#define ONE        "matches one counter"
#define SEVERAL    "matches several: make the pattern exact"
#define TWICE      "not used: another row has the same name"
#define OLDER      "matches only counters of the older API"
#define NEWER      "matches only counters of PerflibV2"

static void
check_watched(unsigned row, unsigned matches, unsigned samples, const char *says, const char *first)
{
    CHECK_NUMBER(row, MATCHES, matches);
    CHECK_NUMBER(row, SAMPLES, samples);
    CHECK_TEXT(row, SAYS, says);
    CHECK_TEXT(row, FIRST, first);
}

#define VALUE(path_, ...) \
    { \
        .identity = g_intern_string(path_), .path = (path_), __VA_ARGS__ \
    }
/* What stands behind the values is none. */
#define POLL(...) \
    &(struct perf_tap_poll) \
    { \
        .values = (struct perf_tap_value[]){ __VA_ARGS__, VALUE("\\\\PC\\Behind") }, \
        .num_values = sizeof((struct perf_tap_value[]){ __VA_ARGS__ }) / sizeof(struct perf_tap_value) \
    }
#define BRING(...) CHECK(window_bring(1, "server", "me", POLL(__VA_ARGS__)), "not drawn")
#define BRING_OTHER(...) \
    CHECK_EQUAL(other_packet(other_data, &window_packet, NULL, POLL(__VA_ARGS__), 0), TAP_PACKET_DONT_REDRAW, "drawn")

static void
test_watch_list_says_what_its_patterns_match(bool is_older)
{
    static const struct entry list[] = {
        { "cpu", "*idle*" },
        { "cpu", "\\\\PC\\*" },
        { "memory", "\\\\pc\\MEMORY\\*" },
        { "elsewhere", "*else*" },
        { "here too", "*both*" },
        { "none", "*behind*" },
        { "new", "*both*" },
    };
    static const struct key_needed key = { KEY_KEYTAB, "a key" };
    const char *elsewhere = is_older ? NEWER : OLDER;

    other_tap[0] = '\0';
    table_fill(list, 6);
    window_open(is_older ? "perfdata" : "perflibv2", &watch_table);
    CHECK_STRING(other_tap, is_older ? "perflibv2_poll" : "perfdata_poll", "the other API");
    CHECK_ROWS(6);
    for (unsigned row = 0; row < 6; row++) {
        CHECK_TEXT(row, NAME, list[row].name);
        CHECK_TEXT(row, PATTERN, list[row].pattern);
        check_watched(row, 0, 0, row == 1 ? TWICE : NO_COUNTER, "");
    }
    BRING(VALUE("\\\\PC\\CPU(0)\\Idle"), VALUE("\\\\PC\\Memory\\Free", .cooked.reason = COOK_FIRST_SAMPLE),
        { .path = NULL }, VALUE("\\\\PC\\Nothing\\Of it"));
    check_watched(0, 1, 1, ONE, "\\\\PC\\CPU(0)\\Idle");
    check_watched(1, 0, 0, TWICE, "");
    check_watched(2, 0, 0, NO_COUNTER, "");
    BRING(VALUE("\\\\PC\\CPU(0)\\Idle"), VALUE("\\\\PC\\CPU(1)\\Idle"), VALUE("\\\\PC\\Memory\\Free"));
    check_watched(0, 2, 3, SEVERAL, "\\\\PC\\CPU(0)\\Idle");
    check_watched(1, 0, 0, TWICE, "");
    check_watched(2, 1, 1, ONE, "\\\\PC\\Memory\\Free");
    BRING(VALUE("\\\\PC\\CPU(1)\\Idle"), VALUE("\\\\PC\\Memory\\Free"), VALUE("\\\\PC\\Memory\\Idle"));
    check_watched(0, 3, 5, SEVERAL, "\\\\PC\\CPU(0)\\Idle");
    check_watched(2, 2, 3, SEVERAL, "\\\\PC\\Memory\\Free");
    /* What only the other API has; it counts nothing. */
    BRING_OTHER({ .path = NULL }, VALUE("\\\\PC\\Else\\Where"), VALUE("\\\\PC\\Both\\Of"));
    check_watched(3, 0, 0, elsewhere, "");
    check_watched(4, 0, 0, elsewhere, "");
    check_watched(0, 3, 5, SEVERAL, "\\\\PC\\CPU(0)\\Idle");
    BRING(VALUE("\\\\PC\\Both\\Of"));
    check_watched(4, 1, 1, ONE, "\\\\PC\\Both\\Of");
    BRING_OTHER(VALUE("\\\\PC\\Both\\Of"), VALUE("\\\\PC\\Both\\Of these"), VALUE("\\\\PC\\CPU(0)\\Idle"));
    check_watched(4, 1, 1, ONE, "\\\\PC\\Both\\Of");
    check_watched(3, 0, 0, elsewhere, "");
    check_watched(1, 0, 0, TWICE, "");
    check_watched(5, 0, 0, NO_COUNTER, "");
    CHECK(window_bring(6, "server", "me", &(struct perf_tap_poll){ .needed = &key }), "not shown");
    CHECK_SENTENCE("a key");
    /* After a change of the list nothing is counted until the table is filled anew. */
    table_fill(list, 7);
    BRING_OTHER(VALUE("\\\\PC\\CPU(9)\\Behind"));
    check_watched(5, 0, 0, NO_COUNTER, "");
    table_fill(list, 4);
    CHECK(!window_bring(1, "server", "me", POLL(VALUE("\\\\PC\\CPU(0)\\Idle"))), "drawn");
    BRING_OTHER(VALUE("\\\\PC\\CPU(8)\\Idle"));
    check_watched(0, 3, 5, SEVERAL, "\\\\PC\\CPU(0)\\Idle");
    window_open(is_older ? "perfdata" : "perflibv2", &watch_table);
    CHECK_ROWS(4);
    check_watched(3, 0, 0, NO_COUNTER, "");
    check_watched(0, 0, 0, NO_COUNTER, "");
    BRING_OTHER(VALUE("\\\\PC\\CPU(0)\\Idle"));
    check_watched(0, 0, 0, elsewhere, "");
    table_fill(list, 1);
    window_open(is_older ? "perfdata" : "perflibv2", &watch_table);
    BRING_OTHER(VALUE("\\\\PC\\CPU(0)\\Idle"));
    check_watched(0, 0, 0, elsewhere, "");
    /* A window that was closed shows nothing of what comes. */
    free_stat_tables(window);
    BRING_OTHER(VALUE("\\\\PC\\CPU(1)\\Idle"));
    window->stat_tap_init_cb(window);
    check_watched(0, 0, 0, NO_COUNTER, "");
    table_fill(NULL, 0);
    window_open(is_older ? "perfdata" : "perflibv2", &watch_table);
    BRING(VALUE("\\\\PC\\CPU(0)\\Idle"));
    BRING_OTHER(VALUE("\\\\PC\\CPU(0)\\Idle"));
    CHECK_ROWS(0);
}

enum { SET_NAME, SET_SERVER, CALLS, FAILED, STATUS, ERROR };

static const char objects[9];

#define SET_ANSWER_OF(server_, n, ...) \
    window_bring(++set_frame, "server", "me", \
        &(struct pla_tap){ .is_response = true, \
            .method_name = "Do", \
            .server = (server_), \
            .set = &objects[n], \
            __VA_ARGS__ })
#define SET_ANSWER(n, ...) SET_ANSWER_OF("S", n, __VA_ARGS__)
static uint32_t set_frame;

static void
check_set(unsigned row, const char *name, const char *server, unsigned calls, unsigned failed, const char *status,
    const char *error)
{
    CHECK_TEXT(row, SET_NAME, name);
    CHECK_TEXT(row, SET_SERVER, server);
    CHECK_NUMBER(row, CALLS, calls);
    CHECK_NUMBER(row, FAILED, failed);
    CHECK_TEXT(row, STATUS, status);
    CHECK_TEXT(row, ERROR, error);
}

static void
check_error(unsigned row, unsigned entry, uint32_t hresult, unsigned count, const char *text)
{
    const struct pla_set_error *error = &pla_sets_errors((const struct stat_rows *)window, row)[entry];

    CHECK_EQUAL(error->hresult, hresult, "row %u, entry %u", row, entry);
    CHECK_EQUAL(error->count, count, "row %u, entry %u", row, entry);
    CHECK_STRING(count == 0 ? "" : pla_sets_error_text(wmem_epan_scope(), error), text, "row %u, entry %u", row, entry);
}

static void
test_data_collector_set_has_one_row_by_name_or_object(void)
{
#define UNKNOWN "(name not in the capture)"
    window_open("pla", &pla_sets_table);
    set_frame = 10;
    CHECK(!window_bring(++set_frame, "me", "server", &(struct pla_tap){ .server = "S", .set = objects }), "a request");
    CHECK(!window_bring(1, "server", "me", &(struct pla_tap){ .is_response = true, .server = "S" }), "of no set");
    CHECK_ROWS(0);
    CHECK(SET_ANSWER(0), "an answer");
    check_set(0, UNKNOWN, "S", 1, 0, "", "");
    /* [MS-PLA] 2.2.3: PLA_E_DCS_IN_USE */
    SET_ANSWER(0, .has_hresult = true, .hresult = 0x803000AA);
    check_set(0, UNKNOWN, "S", 2, 1, "", "PLA_E_DCS_IN_USE (Do, frame 13)");
    check_error(0, 0, 0x803000AA, 1, "PLA_E_DCS_IN_USE (Do, frame 13)");
    SET_ANSWER(0, .status = "running", .has_hresult = true, .hresult = 1);
    check_set(0, UNKNOWN, "S", 3, 1, "running", "PLA_E_DCS_IN_USE (Do, frame 13)");
    SET_ANSWER(0, .set_name = "Named", .hresult = 0x80004005);
    check_set(0, "Named", "S", 4, 1, "running", "PLA_E_DCS_IN_USE (Do, frame 13)");
    check_error(0, 0, 0x803000AA, 1, "PLA_E_DCS_IN_USE (Do, frame 13)");
    /* Its name is that of another object, too, in letters of any size; not of another server's. */
    SET_ANSWER(1, .set_name = "NAMED", .status = "stopped");
    check_set(0, "Named", "S", 5, 1, "stopped", "PLA_E_DCS_IN_USE (Do, frame 13)");
    SET_ANSWER_OF("T", 1, .set_name = "Named", .has_hresult = true, .hresult = 0x8ABCDEF0);
    check_set(1, "Named", "T", 1, 1, "", "0x8abcdef0 (Do, frame 17)");
    check_error(1, 0, 0x8ABCDEF0, 1, "0x8abcdef0 (Do, frame 17)");
    /* What was asked for in vain has a row of its own, once. Faults are no errors. */
    SET_ANSWER(0, .set_name = "Named", .asked_name = "Asked", .has_hresult = true, .hresult = 0x80300002);
    check_set(2, "Asked", "S", 1, 1, "", "PLA_E_DCS_NOT_FOUND (Do, frame 18)");
    SET_ANSWER(2, .asked_name = "asked", .is_fault = true, .fault_text = "nca_s_bad", .hresult = 0x80000001,
        .has_hresult = true);
    check_set(2, "Asked", "S", 2, 2, "", "nca_s_bad (Do, frame 19)");
    SET_ANSWER(2, .asked_name = "asked", .is_fault = true, .fault_text = "nca_s_other");
    check_set(2, "Asked", "S", 3, 3, "", "nca_s_other (Do, frame 20)");
    check_error(2, 0, 0x80300002, 1, "PLA_E_DCS_NOT_FOUND (Do, frame 18)");
    check_error(2, 1, 0, 0, "");
    check_error(0, 1, 0, 0, "");
    CHECK_ROWS(3);
    /* An object whose set got its name is known by that name only: without it, it is another set. */
    SET_ANSWER(0);
    check_set(3, UNKNOWN, "S", 1, 0, "", "");
    SET_ANSWER(3, .asked_name = "New", .is_fault = true, .fault_text = "nca_s_bad");
    check_set(4, "New", "S", 1, 1, "", "nca_s_bad (Do, frame 22)");
    check_error(4, 0, 0, 0, "");
    SET_ANSWER(3, .set_name = "New");
    check_set(4, "New", "S", 2, 1, "", "nca_s_bad (Do, frame 22)");
    SET_ANSWER(4, .set_name = "Fresh");
    check_set(5, "Fresh", "S", 1, 0, "", "");
    SET_ANSWER(0);
    check_set(3, UNKNOWN, "S", 2, 0, "", "");
    /* An object without a name keeps its row while it seeks another set. */
    SET_ANSWER(6);
    SET_ANSWER(6, .asked_name = "Else", .has_hresult = true, .hresult = 0x80300002);
    check_set(6, UNKNOWN, "S", 1, 0, "", "");
    check_set(7, "Else", "S", 1, 1, "", "PLA_E_DCS_NOT_FOUND (Do, frame 27)");
    SET_ANSWER(5, .needed = &(struct key_needed){ KEY_KEYTAB, "a key" });
    CHECK_ROWS(8);
    CHECK_SENTENCE("a key");
}

static void
test_errors_of_a_set_are_counted_by_hresult_and_client_up_to_a_limit(void)
{
    const struct pla_tap error = { .is_response = true,
        .method_name = "Do",
        .server = "S",
        .set = objects,
        .has_hresult = true,
        .hresult = 0x80000001 };

    window_open("pla", &pla_sets_table);
    window_bring(1, "server", "you", &error);
    set_frame = 1;
    for (uint32_t code = 0x80000001; code <= 0x8000000C; code++) {
        SET_ANSWER(0, .has_hresult = true, .hresult = code);
    }
    SET_ANSWER(0, .has_hresult = true, .hresult = 0x80000001);
    check_error(0, 0, 0x80000001, 1, "0x80000001 (Do, frame 1)");
    check_error(0, 1, 0x80000001, 2, "0x80000001 (Do, frame 14)");
    check_error(0, 2, 0x80000002, 1, "0x80000002 (Do, frame 3)");
    check_error(0, MOST_SET_ERRORS - 1, 0x80000007, 1, "0x80000007 (Do, frame 8)");
    check_error(0, MOST_SET_ERRORS, 0x8000000C, 5, "0x8000000c (Do, frame 13)");
    CHECK(pla_sets_errors((const struct stat_rows *)window, 0)[MOST_SET_ERRORS].client == NULL, "of several clients");
    check_set(0, UNKNOWN, "S", 14, 14, "", "0x80000001 (Do, frame 14)");
}

static void
fill_all(void)
{
    static const struct entry list[] = { { "cpu", "*idle*" } };

    window_open("perflibv2", &usage_table);
    poll_values("me", "PC", "1", 1, 1, 0, 1, "0 3");
    poll_values("me", "PC", "1", 2, 1, 0, 1, "0 3");
    table_fill(list, 1);
    window_open("perflibv2", &watch_table);
    BRING(VALUE("\\\\PC\\CPU(0)\\Idle"));
    table_fill(NULL, 0);
    window_open("pla", &pla_sets_table);
    SET_ANSWER(0, .has_hresult = true, .hresult = 0x8ABCDEF0);
    SET_ANSWER(0, .set_name = "Named");
}

int
main(void)
{
    wmem_init_scopes();
    watch_register(0, NULL, NULL);
    test_cost_of_a_poll_is_shared_by_number_of_values();
    test_interval_is_the_median_between_polls_of_a_query();
    test_small_polls_show_their_share_soon();
    test_usage_in_windows_has_short_names_and_the_missing_key();
    test_watch_list_says_what_its_patterns_match(false);
    test_watch_list_says_what_its_patterns_match(true);
    test_data_collector_set_has_one_row_by_name_or_object();
    test_errors_of_a_set_are_counted_by_hresult_and_client_up_to_a_limit();
    CHECK_HEAP(fill_all(), "tables");
    return check_result();
}
