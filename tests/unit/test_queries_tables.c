/* test_queries_tables.c
 * The tables of queries of both APIs: whose row a call is counted in, what is counted, and how a handle ends
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "table-window.h"

#include <epan/dissectors/packet-tcp.h>

#include "perfdata/record.h"
#include "perflibv2/record.h"
#include "stats/request-cells.h"
#include "stats/tables.h"

/* Columns of both tables; FRAME to SERVER stand in both at the same place. */
enum { FRAME, CLIENT, SERVER };
enum {
    HANDLE = 3,
    POLLS,
    BYTES,
    STATE,
    OPENED,
    CLOSED,
    ADDED,
    REFUSED,
    REMOVED,
    FAULTS,
    PROBES,
    COUNTS,
    OTHER = COUNTS + NUM_REQUEST_COUNTS,
    REALS
};
enum {
    OLD_VALUE = 3,
    OLD_ANSWERS,
    OLD_BYTES,
    OLD_LARGEST,
    OLD_HANDLE,
    OLD_OPENED,
    OLD_CLOSED,
    OLD_FAILED,
    OLD_COUNTS,
    OLD_REALS = OLD_COUNTS + NUM_REQUEST_COUNTS
};

static tap_packet_cb segment_callback;
static void *segment_data;
static unsigned tcp_listeners;

/* In place of Wireshark's: nobody but the table of queries watches TCP. */
GString *
register_tap_listener(const char *name, void *data, const char *filter, unsigned flags, tap_reset_cb reset _U_,
    tap_packet_cb packet, tap_draw_cb draw _U_, tap_finish_cb finish _U_)
{
    if (strcmp(name, "tcp") == 0) {
        CHECK(filter == NULL && (flags & TL_IS_DISSECTOR_HELPER) != 0, "flags %x", flags);
        segment_callback = packet;
        segment_data = data;
        tcp_listeners++;
    }
    return NULL;
}

/* A segment of that connection, which is in the packet of that number. */
static void
segment(uint32_t number, uint32_t connection, uint16_t flags)
{
    const tcp_info_t tcp = { .th_stream = connection, .th_flags = flags };

    window_packet.num = number;
    CHECK_EQUAL(segment_callback(segment_data, &window_packet, NULL, &tcp, 0), TAP_PACKET_DONT_REDRAW, "drawn");
}

static const char ids[10];
static const e_guid_t handle = { 0x01020304, 0x0506, 0x0708, { 9, 10, 11, 12, 13, 14, 15, 16 } };

#define QUERY(n, opened, closed) \
    { \
        .id = &ids[n], .handle = handle, .host = "PC", .opened_in = (opened), .closed_in = (closed) \
    }
/* An answer on the query of that number. */
#define ANSWER(number, query_, ...) \
    window_bring(number, "server", "me", \
        &(struct perflibv2_tap){ .operation = "Do", .is_response = true, .query = query_, __VA_ARGS__ })

static void
count_states(void)
{
    /* How it was opened and closed; faults alone say nothing of it. */
    ANSWER(10, QUERY(0, 3, 0));
    CHECK_NUMBER(0, FRAME, 3);
    CHECK_TEXT(0, CLIENT, "me");
    CHECK_TEXT(0, SERVER, "PC");
    CHECK_TEXT(0, HANDLE, "01020304-0506-0708-090a-0b0c0d0e0f10");
    CHECK_TEXT(0, STATE, "still open at the end");
    CHECK_NUMBER(0, OPENED, 3);
    CHECK_NUMBER(0, CLOSED, 0);
    ANSWER(11, QUERY(0, 3, 11));
    CHECK_TEXT(0, STATE, "closed");
    CHECK_NUMBER(0, CLOSED, 11);
    ANSWER(12, QUERY(1, 0, 0));
    CHECK_NUMBER(1, FRAME, 12);
    CHECK_TEXT(1, STATE, "not opened in the capture, still open at the end");
    ANSWER(13, QUERY(1, 0, 13));
    CHECK_TEXT(1, STATE, "closed, not opened in the capture");
    ANSWER(14, QUERY(2, 14, 0), .is_fault = true);
    CHECK_TEXT(2, STATE, "answered only with faults");
    ANSWER(15, QUERY(2, 14, 15), .is_fault = true);
    CHECK_TEXT(2, STATE, "answered only with faults");
    CHECK_NUMBER(2, FAULTS, 2);
    ANSWER(16, QUERY(2, 14, 0));
    CHECK_TEXT(2, STATE, "still open at the end");
    ANSWER(17, QUERY(2, 14, 0), .is_fault = true);
    CHECK_TEXT(2, STATE, "still open at the end");

    /* Connections: one that ends leaks what it carried last, in whatever way it ends. */
    segment(20, 7, 0);
    ANSWER(20, QUERY(3, 20, 0));
    segment(21, 8, 0);
    ANSWER(21, QUERY(4, 0, 0));
    segment(22, 8, 0);
    ANSWER(22, QUERY(5, 22, 0));
    segment(23, 7, 0);
    ANSWER(23, QUERY(5, 22, 0)); /* it is carried by the other one now */
    segment(24, 8, TH_RST);
    CHECK_TEXT(3, STATE, "still open at the end");
    CHECK_TEXT(4, STATE, "leaked, not opened in the capture");
    CHECK_TEXT(5, STATE, "still open at the end");
    segment(25, 9, TH_FIN);
    segment(26, 7, 0x10);
    CHECK_TEXT(3, STATE, "still open at the end");
    segment(27, 7, TH_FIN);
    CHECK_TEXT(3, STATE, "leaked: its connection ended");
    CHECK_TEXT(5, STATE, "leaked: its connection ended");
    segment(28, 8, 0);
    ANSWER(28, QUERY(6, 28, 0));
    CHECK_TEXT(6, STATE, "leaked: its connection ended");
    ANSWER(29, QUERY(7, 29, 0)); /* whose segment nobody saw */
    CHECK_TEXT(7, STATE, "still open at the end");
    segment(30, 7, TH_FIN);
    CHECK_TEXT(7, STATE, "still open at the end");
    /* Nor of this call is the segment known: the call before tells. */
    ANSWER(31, QUERY(3, 20, 0));
    CHECK_TEXT(3, STATE, "leaked: its connection ended");
    CHECK_ROWS(8);
}

/* A connection of the time before belongs to no call, whichever frame that is in: the first one, or its last one's. */
static void
count_anew(void)
{
    static const uint32_t frames[] = { 1, 30 };

    for (unsigned i = 0; i < array_length(frames); i++) {
        ANSWER(frames[i], QUERY(i, 1, 0));
        segment(31, 7, TH_FIN);
        CHECK_TEXT(i, STATE, "still open at the end");
    }
}

static void
count_calls(void)
{
    static const struct request_finding elsewhere = { .other_server = "another" }, late = { .usual = 1, .late_in = 5 };
    const nstime_t time = { 0, 4000000 };

    CHECK(!window_bring(1, "me", "server", &(struct perflibv2_tap){ .query = QUERY(0, 1, 0) }), "a request");
    CHECK(!window_bring(2, "server", "me", &(struct perflibv2_tap){ .is_response = true }), "on no query");
    CHECK_ROWS(0);
    CHECK(ANSWER(3, QUERY(0, 1, 0), .is_poll = true, .bytes = 100, .response_time = time), "a poll");
    CHECK_NUMBER(0, POLLS, 1);
    CHECK_REAL(0, BYTES, 100);
    CHECK_REAL(0, REALS + REQUESTS_RESPONSE, 4);
    CHECK_NONE(0, REALS + REQUESTS_MEDIAN);
    ANSWER(4, QUERY(0, 1, 0), .is_poll = true, .bytes = 50, .has_interval = true, .interval = 2, .finding = &late);
    CHECK_NUMBER(0, POLLS, 2);
    CHECK_REAL(0, REALS + REQUESTS_MEDIAN, 2);
    CHECK_REAL(0, REALS + REQUESTS_LONGEST, 2);
    CHECK_NUMBER(0, COUNTS + REQUESTS_LATE, 1);
    CHECK_NUMBER(0, OTHER, 0);
    ANSWER(5, QUERY(0, 1, 0), .bytes = 50, .too_small = true, .is_size_probe = true, .finding = &elsewhere);
    CHECK_NUMBER(0, PROBES, 1);
    CHECK_NUMBER(0, OTHER, 1);
    CHECK_NUMBER(0, COUNTS + REQUESTS_TOO_SMALL, 0);
    CHECK_NUMBER(0, COUNTS + REQUESTS_WASTED, 25);
    ANSWER(6, QUERY(0, 1, 0), .too_small = true);
    CHECK_NUMBER(0, COUNTS + REQUESTS_TOO_SMALL, 1);
    CHECK_NUMBER(0, PROBES, 1);
    ANSWER(7, QUERY(0, 1, 0), .is_fault = true, .response_time = { 9, 0 });
    CHECK_REAL(0, REALS + REQUESTS_RESPONSE, 4); /* a fault is no answer that took so long */
    CHECK_NUMBER(0, FAULTS, 1);
    ANSWER(8, QUERY(0, 1, 0), .is_change = true, .add = true, .identifiers = 5, .refused = 2);
    ANSWER(9, QUERY(0, 1, 0), .is_change = true, .identifiers = 2, .refused = 1);
    ANSWER(10, QUERY(0, 1, 0), .identifiers = 7, .refused = 3);
    CHECK_NUMBER(0, ADDED, 3);
    CHECK_NUMBER(0, REMOVED, 1);
    CHECK_NUMBER(0, REFUSED, 3);
    CHECK_NUMBER(0, POLLS, 2);
    CHECK_REAL(0, BYTES, 200);
    /* The server's name may become known later. */
    window_bring(11, "server", "me",
        &(struct perflibv2_tap){ .is_response = true, .query = { .id = ids, .host = "PC.example", .opened_in = 1 } });
    CHECK_TEXT(0, SERVER, "PC.example");
    CHECK_ROWS(1);
}

static void
count_unread(void)
{
#define UNREAD(number, from, to, ...) \
    window_bring(number, from, to, \
        &(struct perflibv2_tap){ .operation = "Query", .unread = "sealed", .query = { .host = "PC" }, __VA_ARGS__ })
    CHECK(UNREAD(1, "me", "server", .size = 10, .is_last = true), "a request");
    CHECK_NUMBER(0, FRAME, 1);
    CHECK_TEXT(0, CLIENT, "me");
    CHECK_TEXT(0, SERVER, "PC");
    CHECK_TEXT(0, HANDLE, "");
    CHECK_TEXT(0, STATE, "sealed: Query, 0 answers not read");
    UNREAD(2, "server", "me", .size = 20, .is_response = true, .is_poll = true, .response_time = { 1, 0 });
    CHECK_TEXT(0, STATE, "sealed: Query, 0 answers not read");
    CHECK_NUMBER(0, POLLS, 0);
    CHECK_NONE(0, REALS + REQUESTS_RESPONSE);
    UNREAD(3, "server", "me", .size = 30, .is_response = true, .is_last = true, .is_poll = true,
        .response_time = { 0, 5000000 });
    CHECK_TEXT(0, STATE, "sealed: Query, 1 answer not read");
    CHECK_NUMBER(0, POLLS, 1);
    CHECK_REAL(0, BYTES, 60);
    CHECK_REAL(0, REALS + REQUESTS_RESPONSE, 5);
    UNREAD(4, "server", "me", .is_response = true, .is_last = true);
    CHECK_TEXT(0, STATE, "sealed: Query, 2 answers not read");
    CHECK_NUMBER(0, POLLS, 1);
    CHECK_ROWS(1);
    UNREAD(5, "server", "you", .is_response = true);
    CHECK_TEXT(1, CLIENT, "you");
    CHECK_ROWS(2);
    UNREAD(6, "server", "me", .is_response = true, .needed = &(struct key_needed){ KEY_KEYTAB, "a key" });
    CHECK_ROWS(2);
    CHECK_SENTENCE("a key");
}

static const uint8_t old_handle[20] = { 0, 0, 0, 0, 1, 2, 3 };

#define OLD(number, from, to, ...) window_bring(number, from, to, &(struct perfdata_tap){ .host = "PC", __VA_ARGS__ })
#define OLD_ANSWER(number, n, value, ...) \
    OLD(number, "server", "me", .key = &ids[n], .handle = old_handle, .value_name = value, __VA_ARGS__)

static void
check_old(unsigned row, unsigned frame, const char *value, unsigned answers, unsigned bytes, unsigned largest,
    unsigned opened, unsigned closed, unsigned failed)
{
    CHECK_NUMBER(row, FRAME, frame);
    CHECK_TEXT(row, CLIENT, "me");
    CHECK_TEXT(row, OLD_VALUE, value);
    CHECK_NUMBER(row, OLD_ANSWERS, answers);
    CHECK_REAL(row, OLD_BYTES, bytes);
    CHECK_NUMBER(row, OLD_LARGEST, largest);
    CHECK_NUMBER(row, OLD_OPENED, opened);
    CHECK_NUMBER(row, OLD_CLOSED, closed);
    CHECK_NUMBER(row, OLD_FAILED, failed);
}

static void
count_old(void)
{
    static const struct request_finding twice = { .num_twice = 1 };

    /* A row for each value of each handle. */
    CHECK(OLD_ANSWER(10, 0, "238", .opened_in = 5, .size = 100, .bytes = 120, .response_time = { 0, 3000000 },
              .finding = &twice),
        "an answer");
    check_old(0, 10, "238", 1, 120, 100, 5, 0, 0);
    CHECK_TEXT(0, SERVER, "PC");
    CHECK_TEXT(0, OLD_HANDLE, "0000000001020300000000000000000000000000");
    CHECK_REAL(0, OLD_REALS + REQUESTS_RESPONSE, 3);
    CHECK_NUMBER(0, OLD_COUNTS + REQUESTS_TWICE, 1);
    OLD_ANSWER(11, 0, "238", .opened_in = 5, .size = 80, .has_interval = true, .interval = 2);
    check_old(0, 10, "238", 2, 200, 100, 5, 0, 0);
    CHECK_REAL(0, OLD_REALS + REQUESTS_MEDIAN, 2);
    OLD_ANSWER(12, 0, "238", .opened_in = 5, .size = 300, .failed = true, .too_small = true, .has_interval = true,
        .interval = 9);
    check_old(0, 10, "238", 2, 500, 100, 5, 0, 0);
    CHECK_REAL(0, OLD_REALS + REQUESTS_LONGEST, 2);
    CHECK_NUMBER(0, OLD_COUNTS + REQUESTS_TOO_SMALL, 1);
    CHECK_NUMBER(0, OLD_COUNTS + REQUESTS_WASTED, 60);
    OLD_ANSWER(13, 0, "238", .opened_in = 5, .failed = true);
    OLD_ANSWER(14, 0, "238", .opened_in = 5, .size = 101);
    check_old(0, 10, "238", 3, 601, 101, 5, 0, 1);
    OLD_ANSWER(15, 0, "Global", .opened_in = 5, .size = 7);
    OLD_ANSWER(16, 0, NULL, .opened_in = 5, .size = 8);
    OLD_ANSWER(17, 1, "238", .size = 9);
    check_old(1, 15, "Global", 1, 7, 7, 5, 0, 0);
    check_old(2, 16, "", 1, 8, 8, 5, 0, 0);
    check_old(3, 17, "238", 1, 9, 9, 0, 0, 0);
    CHECK_ROWS(4);
    /* A handle that is closed is in all of its rows. */
    CHECK(OLD(18, "server", "me", .key = ids, .is_close = true, .opened_in = 5, .closed_in = 18), "closed");
    check_old(0, 10, "238", 3, 601, 101, 5, 18, 1);
    check_old(1, 15, "Global", 1, 7, 7, 5, 18, 0);
    check_old(2, 16, "", 1, 8, 8, 5, 18, 0);
    check_old(3, 17, "238", 1, 9, 9, 0, 0, 0);
    CHECK(OLD(19, "server", "me", .key = &ids[9], .is_close = true, .closed_in = 19), "one that has no row");
    CHECK_ROWS(4);

    /* What was to open a handle and failed. */
    OLD(20, "server", "me", .operation = "OpenPerformanceData", .failed = true);
    OLD(21, "server", "me", .operation = "OpenPerformanceData", .failed = true);
    check_old(4, 20, "OpenPerformanceData", 0, 0, 0, 0, 0, 2);
    CHECK_TEXT(4, OLD_HANDLE, "not opened");
    OLD(22, "server", "you", .operation = "OpenPerformanceData", .failed = true);
    OLD(23, "server", "me", .operation = "OpenPerformanceNlsText", .failed = true);
    CHECK_ROWS(7);

    /* What was not read: the largest answer is that of all its fragments. */
    OLD(30, "me", "server", .operation = "QueryValue", .unread = "sealed", .size = 4, .is_last = true,
        .response_time = { 1, 0 });
    check_old(7, 30, "QueryValue", 0, 4, 0, 0, 0, 0);
    CHECK_TEXT(7, OLD_HANDLE, "registry calls, sealed");
    CHECK_TEXT(7, SERVER, "PC");
    OLD(31, "server", "me", .operation = "QueryValue", .unread = "sealed", .size = 40, .is_response = true,
        .response_time = { 1, 0 });
    OLD(32, "server", "me", .operation = "QueryValue", .unread = "sealed", .size = 30, .is_response = true,
        .is_last = true, .response_time = { 0, 6000000 });
    check_old(7, 30, "QueryValue", 1, 74, 70, 0, 0, 0);
    CHECK_REAL(7, OLD_REALS + REQUESTS_RESPONSE, 6);
    OLD(33, "server", "me", .operation = "QueryValue", .unread = "sealed", .size = 50, .is_response = true,
        .is_last = true);
    check_old(7, 30, "QueryValue", 2, 124, 70, 0, 0, 0);
    CHECK_ROWS(8);
    OLD(34, "server", "me", .operation = "QueryValue", .unread = "sealed", .size = 71, .is_response = true,
        .is_last = true);
    CHECK_NUMBER(7, OLD_LARGEST, 71);
    OLD(35, "server", "me", .operation = "QueryValue", .unread = "sealed",
        .needed = &(struct key_needed){ KEY_KEYTAB, "a key" }, .is_response = true);
    CHECK_ROWS(8);
    CHECK_SENTENCE("a key");
}

int
main(void)
{
    wmem_init_scopes();
    for (unsigned i = 0; i < 2; i++) {
        window_open("perflibv2", &perflibv2_queries_table);
        CHECK(tcp_listeners == 1, "%u listen", tcp_listeners);
        count_states();
        window_open("perflibv2", &perflibv2_queries_table);
        count_anew();
        window_open("perflibv2", &perflibv2_queries_table);
        count_calls();
        window_open("perflibv2", &perflibv2_queries_table);
        count_unread();
        window_open("perfdata", &perfdata_queries_table);
        count_old();
    }
    return check_result();
}
