/* test_missing.c
 * What a client asked for and did not get: each reason's name, text and code of PDH, and what is told to the tables
 *
 * manual/codes.md has the names. [MS-ERREF] 2.2; pdhmsg.h
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/missing.h"

#include <string.h>

#include <epan/tap.h>
#include <epan/wmem_scopes.h>

#include "base/key-needed.h"
#include "base/rpc-call.h"
#include "base/win32-names.h"
#include "check.h"
#include "cook/cooking.h"

enum { TAP_MISSING = 3, TAP_POLL = 4, NUM_TAPS };

/* In place of Wireshark's: who listens, and what is heard. */
static bool has_listener[NUM_TAPS];
static const void *heard[NUM_TAPS];
static unsigned times_heard;
static packet_info pinfo;

perflib_bool
have_tap_listener(int tap_id)
{
    return has_listener[tap_id];
}

void
tap_queue_packet(int tap_id, packet_info *of, const void *record)
{
    CHECK(of == &pinfo, "another packet");
    heard[tap_id] = record;
    times_heard++;
}

static void
listen(bool to_missing, bool to_poll)
{
    has_listener[TAP_MISSING] = to_missing;
    has_listener[TAP_POLL] = to_poll;
    heard[TAP_MISSING] = heard[TAP_POLL] = NULL;
    times_heard = 0;
}

static const struct {
    struct perf_tap_why why;
    const char *name, *text;
    uint32_t pdh;
} reasons[] = {
    { { WHY_RECEIVED, 0, 0, 0, false }, "", "", 0 },
    { { WHY_RECEIVED, 5, 0, 0, false }, "", "", 0 },
    { { WHY_NO_VALUE, COOK_FIRST_SAMPLE, 0, 0, false }, "first_sample", "first sample", 0 },
    { { WHY_NO_VALUE, COOK_ZERO_BASE, 0, 0, false }, "zero_base", "zero base", 0 },
    { { WHY_NO_VALUE, COOK_COUNTER_UNKNOWN, 0, 0, false }, "counter_unknown", "counter unknown", 0 },
    { { WHY_ERROR, 0x5, 0, 0, false }, "error", "ERROR_ACCESS_DENIED", 0xC0000BDB },
    { { WHY_ERROR, 0x3, 0, 0, false }, "error", "ERROR_PATH_NOT_FOUND", 0x800007D1 },
    { { WHY_ERROR, 0x1068, 0, 0, false }, "error", "ERROR_WMI_GUID_NOT_FOUND", 0xC0000BB8 },
    { { WHY_ERROR, 0x1069, 0, 0, false }, "error", "ERROR_WMI_INSTANCE_NOT_FOUND", 0x800007D1 },
    { { WHY_ERROR, 0x106A, 0, 0, false }, "error", "ERROR_WMI_ITEMID_NOT_FOUND", 0xC0000BB9 },
    { { WHY_ERROR, 0x57, 0, 0, false }, "error", "ERROR_INVALID_PARAMETER", 0 },
    { { WHY_ERROR, 0x12345678, 0, 0, false }, "error", "error 0x12345678", 0 },
    { { WHY_BLOCK_ERROR, 0x1069, 0, 0, false }, "block_error", "block without values: ERROR_WMI_INSTANCE_NOT_FOUND",
        0x800007D1 },
    { { WHY_BLOCK_ERROR, 0x106A, 0, 0, false }, "block_error", "block without values: ERROR_WMI_ITEMID_NOT_FOUND",
        0xC0000BB9 },
    { { WHY_BLOCK_ERROR, 0x57, 0, 0, false }, "block_error", "block without values: ERROR_INVALID_PARAMETER", 0 },
    { { WHY_FAULT, 0x5, 0, 0, false }, "fault", "fault nca_s_fault_access_denied", 0xC0000BDB },
    { { WHY_FAULT, 0x1c010014, 0, 0, false }, "fault", "fault nca_s_server_too_busy", 0 },
    { { WHY_FAULT_NOT_CAPTURED, 5, 0, 0, false }, "fault_not_captured", "fault not captured", 0 },
    { { WHY_NO_ANSWER, 5, 0, 0, false }, "no_answer", "no complete answer in the capture", 0 },
    { { WHY_OPEN, 5, 0, 0, false }, "open", "no complete answer yet", 0 },
    { { WHY_REST_NOT_READ, 5, 0, 0, false }, "rest_not_read", "the client did not read the rest of the answer", 0 },
    { { WHY_FRAGMENTED, 5, 0, 0, false }, "fragmented",
        "answered in fragments, which are not read: dcerpc.reassemble_dcerpc is off", 0 },
    { { WHY_RETURN_CODE_NOT_CAPTURED, 5, 0, 0, false }, "return_code_not_captured", "return code not captured", 0 },
    { { WHY_NO_RETURN_CODE, 5, 0, 0, false }, "no_return_code", "answer without a return code", 0 },
    { { WHY_BLOCKS_NOT_CAPTURED, 5, 2, 7, false }, "blocks_not_captured", "not captured: 2 of 7", 0 },
    { { WHY_BLOCKS_NOT_CAPTURED, 5, 1, 1, false }, "blocks_not_captured", "not captured: 1 of 1", 0 },
    { { WHY_FEWER_BLOCKS, 5, 0, 7, false }, "fewer_blocks", "0 blocks for 7 identifiers", 0 },
    { { WHY_FEWER_BLOCKS, 5, 1, 7, false }, "fewer_blocks", "1 block for 7 identifiers", 0 },
    { { WHY_FEWER_BLOCKS, 5, 2, 7, false }, "fewer_blocks", "2 blocks for 7 identifiers", 0 },
    { { WHY_NAMES_DAMAGED, 5, 0, 0, false }, "names_damaged", "the list of names has an empty or missing index", 0 },
    { { WHY_NO_OBJECT, 5, 0, 0, false }, "no_object", "no such object in the answer", 0xC0000BB8 },
    { { WHY_NO_INSTANCES, 5, 0, 0, false }, "no_instances", "no instance in the answer", 0 },
    { { WHY_REFUSED_BY_PDH, COOK_OK, 0, 0, false }, "refused_by_pdh", "negative percentage", 0 },
    { { WHY_REFUSED_BY_PDH, COOK_COUNTER_DECREASED, 0, 0, false }, "refused_by_pdh", "counter decreased", 0 },
};

static void
check_each_reason_has_name_and_text(void)
{
    bool is_seen[NUM_WHY_CODES] = { false };

    for (size_t i = 0; i < array_length(reasons); i++) {
        CHECK_STRING(perf_tap_why_name(&reasons[i].why), reasons[i].name, "reason %zu", i);
        CHECK_STRING(perf_tap_why_text(pinfo.pool, &reasons[i].why), reasons[i].text, "reason %zu", i);
        is_seen[reasons[i].why.code] = true;
    }
    for (unsigned code = 0; code < NUM_WHY_CODES; code++) {
        CHECK(is_seen[code], "no text of %u is expected here", code);
    }
}

static bool
same_asked(const struct perf_tap_asked *a, const struct perf_tap_asked *b)
{
    return a->kind == b->kind && a->text == b->text && a->set == b->set && a->set_id == b->set_id &&
        a->instance == b->instance && a->counter == b->counter && a->has_counter_id == b->has_counter_id &&
        a->counter_id == b->counter_id;
}

/* What was asked for, then each reason, in their order. */
static void
check_what_was_asked_and_answered_is_told_in_order(void)
{
    static const struct perf_tap_asked counter = { ASKED_COUNTER, "\\\\H\\A(I)\\C", "A", "{1}", "I", "C", true, 9 };
    static const struct perf_tap_asked call = { .kind = ASKED_CALL, .text = "Open" };
    static const struct perf_tap_poll values;
    struct missing *missing;
    const struct perf_tap_missing *record;

    listen(true, false);
    missing = missing_new(TAP_MISSING, &pinfo);
    CHECK(missing != NULL, "a table listens");
    missing_asked(missing, &counter, false);
    missing_asked(missing, &call, true);
    for (size_t i = 0; i < array_length(reasons); i++) {
        missing_answered(missing, i % 2 == 0 ? &counter : &call, reasons[i].why);
    }
    CHECK_EQUAL(times_heard, 0, "nothing is told before all is known");
    missing_tell(missing, "HOST", &values);
    CHECK_EQUAL(times_heard, 1, "one record");
    record = (const struct perf_tap_missing *)heard[TAP_MISSING];
    CHECK(record != NULL && record->num_items == 2 + array_length(reasons), "all of them");
    if (record == NULL || record->num_items != 2 + array_length(reasons)) {
        return;
    }
    CHECK_STRING(record->host, "HOST", "its machine");
    CHECK(record->values == &values && record->needed == NULL, "the poll's values, and no key");
    CHECK_EQUAL(record->items[0].kind, MISSING_ASKED, "it was asked for");
    CHECK_EQUAL(record->items[0].why.code, WHY_NO_ANSWER, "unless an answer follows");
    CHECK_EQUAL(record->items[0].pdh, 0, "no code");
    CHECK(same_asked(&record->items[0].what, &counter), "the counter");
    CHECK_EQUAL(record->items[1].kind, MISSING_ACCEPTED, "it was added");
    CHECK_EQUAL(record->items[1].why.code, WHY_RECEIVED, "it was added");
    CHECK(same_asked(&record->items[1].what, &call), "the call");
    for (size_t i = 0; i < array_length(reasons); i++) {
        const struct perf_tap_missing_item *item = &record->items[2 + i];

        CHECK_EQUAL(item->kind, reasons[i].why.code == WHY_RECEIVED ? MISSING_RECEIVED : MISSING_REFUSED, "%zu", i);
        CHECK_EQUAL(item->why.code, reasons[i].why.code, "reason %zu", i);
        CHECK_EQUAL(item->why.status, reasons[i].why.status, "reason %zu", i);
        CHECK_EQUAL(item->why.have, reasons[i].why.have, "reason %zu", i);
        CHECK_EQUAL(item->why.expected, reasons[i].why.expected, "reason %zu", i);
        CHECK_EQUAL(item->pdh, reasons[i].pdh, "reason %zu: %s", i, reasons[i].text);
        CHECK(same_asked(&item->what, i % 2 == 0 ? &counter : &call), "reason %zu", i);
    }
}

static void
check_record_is_told_only_if_it_says_something(void)
{
    static const struct perf_tap_asked call = { .kind = ASKED_CALL, .text = "Open" };
    static const struct perf_tap_poll values;

    for (unsigned with_item = 0; with_item < 2; with_item++) {
        for (unsigned with_values = 0; with_values < 2; with_values++) {
            const struct perf_tap_missing *record;
            struct missing *missing;

            listen(true, false);
            missing = missing_new(TAP_MISSING, &pinfo);
            if (with_item) {
                missing_asked(missing, &call, false);
            }
            missing_tell(missing, "HOST", with_values ? &values : NULL);
            record = (const struct perf_tap_missing *)heard[TAP_MISSING];
            CHECK((record != NULL) == (with_item || with_values), "%u items, %u polls", with_item, with_values);
            CHECK(record == NULL || (record->num_items == with_item && (record->values != NULL) == with_values),
                "%u items, %u polls", with_item, with_values);
        }
    }
    /* Nobody listens, so nothing is kept. */
    listen(false, true);
    CHECK(missing_new(TAP_MISSING, &pinfo) == NULL, "nobody listens");
    missing_asked(NULL, &call, true);
    missing_answered(NULL, &call, (struct perf_tap_why){ .code = WHY_OPEN });
    missing_tell(NULL, "HOST", &values);
    CHECK_EQUAL(times_heard, 0, "nobody listens");
}

/* Both kinds of tables get it if one of them listens. */
static void
check_key_that_is_needed_is_told_to_both_tables(void)
{
    static const struct key_needed needed = { KEY_PASSWORD, "the password of X" };

    for (unsigned i = 0; i < 4; i++) {
        listen((i & 1) != 0, (i & 2) != 0);
        perf_tap_needed(TAP_MISSING, TAP_POLL, &pinfo, NULL);
        CHECK_EQUAL(times_heard, 0, "no key is needed");
        perf_tap_needed(TAP_MISSING, TAP_POLL, &pinfo, &needed);
        CHECK_EQUAL(times_heard, i == 0 ? 0 : 2, "listeners %u", i);
        if (heard[TAP_MISSING] != NULL && heard[TAP_POLL] != NULL) {
            const struct perf_tap_missing *missing = (const struct perf_tap_missing *)heard[TAP_MISSING];
            const struct perf_tap_poll *poll = (const struct perf_tap_poll *)heard[TAP_POLL];

            CHECK(missing->needed == &needed, "the key");
            CHECK(missing->host == NULL && missing->values == NULL, "nothing else");
            CHECK_EQUAL(missing->num_items, 0, "nothing else");
            CHECK(poll->needed == &needed, "the key");
            CHECK(poll->host == NULL, "nothing else");
            CHECK_EQUAL(poll->num_values, 0, "nothing else");
        }
    }
}

int
main(void)
{
    wmem_init_scopes();
    win32_names_init();
    rpc_fault_init();
    pinfo.pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    check_each_reason_has_name_and_text();
    check_what_was_asked_and_answered_is_told_in_order();
    check_record_is_told_only_if_it_says_something();
    check_key_that_is_needed_is_told_to_both_tables();
    wmem_destroy_allocator(pinfo.pool);
    return check_result();
}
