/* test_missing_table.c
 * The table of what a client asked for and never received: by client and server, until it comes, with the latest reason
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "table-window.h"

#include "counters/record.h"
#include "stats/tables.h"

enum { FRAME, CLIENT, SERVER, WHAT, WHY, PDH, TIMES };

/* What a PDU says of things; the first is the call. */
static bool
bring(uint32_t number, const char *from, const char *to, const struct perf_tap_missing_item *items, unsigned count)
{
    const struct perf_tap_missing record = { .host = strcmp(from, "PC") == 0 || strcmp(to, "PC") == 0 ? "PC" : "PC2",
        .num_items = count,
        .items = items };

    return window_bring(number, from, to, &record);
}
#define ITEMS(...) \
    (const struct perf_tap_missing_item[]){ __VA_ARGS__ }, \
        sizeof((const struct perf_tap_missing_item[]){ __VA_ARGS__ }) / sizeof(struct perf_tap_missing_item)
#define REQUEST(number, ...) bring(number, "me", "PC", ITEMS(__VA_ARGS__))
#define ANSWER(number, ...)  bring(number, "PC", "me", ITEMS(__VA_ARGS__))
#define ASKED(what) \
    { \
        MISSING_ASKED, what, "no answer", 0 \
    }
#define REFUSED(what, why) \
    { \
        MISSING_REFUSED, what, why, 0xC0000BB8 \
    }
#define RECEIVED(what) \
    { \
        MISSING_RECEIVED, what, NULL, 0 \
    }
#define ACCEPTED(what) \
    { \
        MISSING_ACCEPTED, what, NULL, 0 \
    }

static void
check_missing(unsigned row, unsigned frame, const char *client, const char *server, const char *what, const char *why,
    const char *pdh, unsigned times)
{
    CHECK_NUMBER(row, FRAME, frame);
    CHECK_TEXT(row, CLIENT, client);
    CHECK_TEXT(row, SERVER, server);
    CHECK_TEXT(row, WHAT, what);
    CHECK_TEXT(row, WHY, why);
    CHECK_TEXT(row, PDH, pdh);
    CHECK_NUMBER(row, TIMES, times);
}
#define NO_OBJECT "0xC0000BB8 PDH_CSTATUS_NO_OBJECT"

static void
count_things(void)
{
    CHECK(REQUEST(1, ASKED("call")), "a request");
    check_missing(0, 1, "me", "PC", "call", "no answer", "", 1);
    /* The answer to what was counted is not counted again. */
    ANSWER(2, REFUSED("call", "denied"));
    check_missing(0, 1, "me", "PC", "call", "denied", NO_OBJECT, 1);
    ANSWER(3, REFUSED("call", "denied again"));
    check_missing(0, 1, "me", "PC", "call", "denied again", NO_OBJECT, 2);
    REQUEST(4, ASKED("call"));
    check_missing(0, 1, "me", "PC", "call", "no answer", "", 3);
    REQUEST(5, ASKED("call"));
    check_missing(0, 1, "me", "PC", "call", "no answer", "", 4);
    CHECK_ROWS(1);

    /* Another client, another server, another thing. */
    bring(6, "you", "PC", ITEMS(ASKED("call")));
    bring(7, "me", "PC2", ITEMS(ASKED("call")));
    REQUEST(8, ASKED("other"));
    check_missing(1, 6, "you", "PC", "call", "no answer", "", 1);
    check_missing(2, 7, "me", "PC2", "call", "no answer", "", 1);
    check_missing(3, 8, "me", "PC", "other", "no answer", "", 1);
    CHECK_ROWS(4);

    /* What is received leaves the table, and the last takes its place: it is still the same. */
    ANSWER(9, RECEIVED("call"));
    CHECK_ROWS(3);
    check_missing(0, 8, "me", "PC", "other", "no answer", "", 1);
    ANSWER(10, REFUSED("other", "denied"));
    check_missing(0, 8, "me", "PC", "other", "denied", NO_OBJECT, 1);
    /* It was received for good; what was only accepted may be missing yet. */
    REQUEST(11, ASKED("call"));
    CHECK_ROWS(3);
    ANSWER(12, ACCEPTED("other"));
    CHECK_ROWS(2);
    check_missing(0, 7, "me", "PC2", "call", "no answer", "", 1);
    REQUEST(13, ASKED("other"));
    check_missing(2, 13, "me", "PC", "other", "no answer", "", 1);
    ANSWER(14, RECEIVED("other"));
    bring(15, "PC2", "me", ITEMS(RECEIVED("call")));
    check_missing(0, 6, "you", "PC", "call", "no answer", "", 1);
    bring(16, "PC", "you", ITEMS(RECEIVED("call")));
    CHECK_ROWS(0);
    ANSWER(17, RECEIVED("never asked for"));
    CHECK_ROWS(0);
    /* What was accepted is asked for no more: a refusal that comes later is a time of its own. */
    REQUEST(18, ASKED("late"));
    ANSWER(19, ACCEPTED("late"));
    ANSWER(20, REFUSED("late", "denied"));
    check_missing(0, 20, "me", "PC", "late", "denied", NO_OBJECT, 1);
}

static void
count_calls(void)
{
    /* A call that fails brings nothing of what its request asked for; one that succeeds says what became of each. */
    REQUEST(1, ASKED("add"), ASKED("a"), ASKED("b"));
    ANSWER(2, REFUSED("add", "denied"));
    check_missing(0, 1, "me", "PC", "add", "denied", NO_OBJECT, 1);
    check_missing(1, 1, "me", "PC", "a", "denied", NO_OBJECT, 1);
    check_missing(2, 1, "me", "PC", "b", "denied", NO_OBJECT, 1);
    REQUEST(3, ASKED("add"), ASKED("a"), ASKED("c"));
    ANSWER(4, RECEIVED("add"), ACCEPTED("a"), REFUSED("c", "unknown"));
    CHECK_ROWS(2);
    check_missing(0, 3, "me", "PC", "c", "unknown", NO_OBJECT, 1);
    check_missing(1, 1, "me", "PC", "b", "denied", NO_OBJECT, 1);
    /* What the call before asked for is none of this one's. */
    REQUEST(5, ASKED("remove"), ASKED("b"));
    ANSWER(6, ACCEPTED("remove"));
    REQUEST(7, ASKED("remove"));
    ANSWER(8, REFUSED("remove", "denied"));
    check_missing(1, 1, "me", "PC", "b", "no answer", "", 2);
    ANSWER(9, REFUSED("b", "unknown"));
    check_missing(1, 1, "me", "PC", "b", "unknown", NO_OBJECT, 2);
    REQUEST(10, ASKED("other"), ASKED("b"));
    ANSWER(11, ACCEPTED("b"));
    ANSWER(12, REFUSED("other", "denied"));
    CHECK_ROWS(3);
    check_missing(1, 10, "me", "PC", "other", "denied", NO_OBJECT, 1);
    REQUEST(13, ASKED("poll"), ASKED("d"));
    ANSWER(14, REFUSED("poll", "denied"));
    check_missing(4, 13, "me", "PC", "d", "denied", NO_OBJECT, 1);
}

static void
count_values(void)
{
    static const char path[] = "\\\\PC\\a(b)\\c", text[] = "\\\\PC\\a\\d", hidden[] = "\\\\PC\\a\\e", behind[] = "none";
    struct perf_tap_sample samples[] = {
        { .path = path, .cooked = { .reason = COOK_FIRST_SAMPLE } },
        { .path = NULL, .cooked = { .reason = COOK_FIRST_SAMPLE } },
        { .path = hidden, .cooked = { .reason = COOK_NOT_DISPLAYED } },
        { .path = text, .cooked = { .reason = COOK_TEXT } },
        { .path = behind, .cooked = { .reason = COOK_FIRST_SAMPLE } },
    };
    const struct perf_tap_poll poll = { .host = "PC", .num_samples = array_length(samples) - 1, .samples = samples };
    const struct perf_tap_missing record = { .host = "PC", .values = &poll };

    CHECK(window_bring(1, "PC", "me", &record), "not drawn");
    CHECK_ROWS(1);
    check_missing(0, 1, "me", "PC", path, cook_reason_text(COOK_FIRST_SAMPLE), "0xC0000BBA PDH_CSTATUS_INVALID_DATA",
        1);
    window_bring(2, "PC", "me", &record);
    CHECK_NUMBER(0, TIMES, 2);
    window_bring(3, "PC", "you", &record);
    CHECK_ROWS(2);
    samples[0].cooked.reason = COOK_OK;
    window_bring(4, "PC", "me", &record);
    CHECK_ROWS(1);
    CHECK_TEXT(0, CLIENT, "you");
    /* Once received it is no more looked at: of that client. */
    samples[0].cooked.reason = COOK_FIRST_SAMPLE;
    window_bring(5, "PC", "me", &record);
    CHECK_ROWS(1);
    window_bring(6, "PC", "you", &record);
    CHECK_NUMBER(0, TIMES, 2);
    samples[3].cooked.reason = COOK_FIRST_SAMPLE;
    window_bring(7, "PC", "me", &record);
    CHECK_ROWS(1);
}

int
main(void)
{
    static const struct perf_tap_missing sealed = { .needed = "a key" }, empty = { .host = "PC" };

    wmem_init_scopes();
    for (unsigned i = 0; i < 2; i++) {
        window_open("test", &missing_table);
        count_things();
        window_open("test", &missing_table);
        count_calls();
        window_open("test", &missing_table);
        count_values();
        window_open("test", &missing_table);
        CHECK(window_bring(1, "PC", "me", &empty), "nothing is said");
        CHECK_ROWS(0);
        CHECK(window_bring(1, "PC", "me", &sealed), "a key is needed");
        CHECK_ROWS(0);
        CHECK_SENTENCE("a key");
    }
    return check_result();
}
