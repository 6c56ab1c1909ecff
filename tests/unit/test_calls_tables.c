/* test_calls_tables.c
 * The tables of calls: which records are counted, what their results are called, and in which frames they stand
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "table-window.h"

#include "base/rpc-call.h"
#include "base/win32-names.h"
#include "perflibv2/record.h"
#include "pla/record.h"
#include "stats/tables.h"

enum { OPERATION, RESULT, CALLS, FIRST, LAST };

static const struct key_needed key = { KEY_KEYTAB, "a key" };

#define SEALED "sealed, not decrypted"

/* What a record adds: the result of its row, or that there is none; and whether it tells of a missing key. */
#define COUNTED_AS(result_, ...) \
    { \
        { OF_CALL, __VA_ARGS__ }, result_, "" \
    }
#define NOT_COUNTED(sentence_, ...) \
    { \
        { OF_CALL, __VA_ARGS__ }, NULL, sentence_ \
    }

#define OF_CALL .operation = "Do"
static const struct {
    struct perflibv2_tap record;
    const char *result, *sentence;
} perflibv2_cases[] = {
    NOT_COUNTED("", .is_response = false),
    NOT_COUNTED("", .is_response = false, .has_return_code = true),
    NOT_COUNTED("", .is_response = false, .is_fault = true, .fault_text = "nca_s_fault_access_denied"),
    NOT_COUNTED("", .is_response = false, .unread = "sealed", .is_last = true),
    COUNTED_AS("return code not captured", .is_response = true),
    COUNTED_AS("return code not captured", .is_response = true, .return_code = 5),
    COUNTED_AS("ERROR_SUCCESS", .is_response = true, .has_return_code = true),
    COUNTED_AS("ERROR_ACCESS_DENIED", .is_response = true, .has_return_code = true, .return_code = 5),
    COUNTED_AS("ERROR_ACCESS_DENIED", .is_response = true, .is_last = true, .has_return_code = true, .return_code = 5),
    COUNTED_AS("ERROR_NOT_ENOUGH_MEMORY", .is_response = true, .has_return_code = true, .return_code = 8),
    COUNTED_AS("0x0000fffe", .is_response = true, .has_return_code = true, .return_code = 0xfffe),
    COUNTED_AS("0xfffffffe", .is_response = true, .has_return_code = true, .return_code = 0xfffffffe),
    COUNTED_AS("fault nca_s_fault_access_denied", .is_response = true, .is_fault = true,
        .fault_text = "nca_s_fault_access_denied"),
    COUNTED_AS("fault not captured", .is_response = true, .is_fault = true, .fault_text = "not captured",
        .return_code = 5),
    COUNTED_AS("fault 0x12345678", .is_response = true, .is_fault = true, .fault_text = "0x12345678"),
    COUNTED_AS(SEALED, .is_response = true, .unread = "sealed", .is_last = true),
    /* Of a sealed answer nothing else is known. */
    COUNTED_AS(SEALED, .is_response = true, .unread = "sealed", .is_last = true, .is_fault = true,
        .fault_text = "nca_s_fault_access_denied"),
    COUNTED_AS(SEALED, .is_response = true, .unread = "sealed", .is_last = true, .has_return_code = true),
    NOT_COUNTED("", .is_response = true, .unread = "sealed"),
    NOT_COUNTED("a key", .is_response = true, .unread = "sealed", .needed = &key),
    NOT_COUNTED("a key", .is_response = false, .unread = "sealed", .is_last = true, .needed = &key),
};

#undef OF_CALL
#define OF_CALL .interface_name = "ISet", .method_name = "Do"
static const struct {
    struct pla_tap record;
    const char *result, *sentence;
} pla_cases[] = {
    NOT_COUNTED("", .is_response = false),
    NOT_COUNTED("", .is_response = false, .has_hresult = true),
    NOT_COUNTED("", .is_response = false, .is_unread = true, .is_last = true),
    COUNTED_AS("HRESULT not captured", .is_response = true),
    COUNTED_AS("HRESULT not captured", .is_response = true, .hresult = 0x80070005),
    COUNTED_AS("S_OK", .is_response = true, .has_hresult = true),
    COUNTED_AS("E_ACCESSDENIED", .is_response = true, .has_hresult = true, .hresult = 0x80070005),
    COUNTED_AS("PLA_E_DCS_NOT_FOUND", .is_response = true, .has_hresult = true, .hresult = 0x80300002),
    COUNTED_AS("HRESULT_FROM_WIN32(ERROR_FILE_NOT_FOUND)", .is_response = true, .has_hresult = true,
        .hresult = 0x80070002),
    COUNTED_AS("0x8030fffe", .is_response = true, .is_last = true, .has_hresult = true, .hresult = 0x8030fffe),
    COUNTED_AS("fault nca_s_fault_access_denied", .is_response = true, .is_fault = true,
        .fault_text = "nca_s_fault_access_denied"),
    COUNTED_AS("fault not captured", .is_response = true, .is_fault = true, .fault_text = "not captured", .hresult = 5),
    COUNTED_AS(SEALED, .is_response = true, .is_unread = true, .is_last = true),
    COUNTED_AS(SEALED, .is_response = true, .is_unread = true, .is_last = true, .is_fault = true,
        .fault_text = "nca_s_fault_access_denied"),
    COUNTED_AS(SEALED, .is_response = true, .is_unread = true, .is_last = true, .has_hresult = true),
    NOT_COUNTED("", .is_response = true, .is_unread = true),
    NOT_COUNTED("a key", .is_response = true, .is_unread = true, .needed = &key),
    NOT_COUNTED("a key", .is_response = false, .is_unread = true, .is_last = true, .needed = &key),
};

static void
check_row(unsigned row, const char *operation, const char *result, unsigned calls, unsigned first, unsigned last)
{
    CHECK_TEXT(row, OPERATION, operation);
    CHECK_TEXT(row, RESULT, result);
    CHECK_NUMBER(row, CALLS, calls);
    CHECK_NUMBER(row, FIRST, first);
    CHECK_NUMBER(row, LAST, last);
}

/* Brings a record to an empty table, as frame 7 and as frame 9. */
static void
check_case(const char *protocol, const struct stat_kind *kind, const void *record, const char *operation,
    const char *result, const char *sentence, unsigned number)
{
    const bool is_drawn = result != NULL || sentence[0] != '\0';

    window_open(protocol, kind);
    for (unsigned frame = 7; frame <= 9; frame += 2) {
        CHECK_EQUAL(window_bring(frame, "server", "me", record), is_drawn, "%s %u in frame %u", protocol, number,
            frame);
    }
    CHECK_EQUAL(window_rows(), result != NULL, "%s %u", protocol, number);
    if (result != NULL) {
        check_row(0, operation, result, 2, 7, 9);
    }
    if (sentence[0] != '\0') {
        CHECK_SENTENCE(sentence);
    }
}

static void
test_result_of_each_record_has_its_text(void)
{
    for (unsigned i = 0; i < array_length(perflibv2_cases); i++) {
        check_case("perflibv2", &perflibv2_calls_table, &perflibv2_cases[i].record, "Do", perflibv2_cases[i].result,
            perflibv2_cases[i].sentence, i);
    }
    for (unsigned i = 0; i < array_length(pla_cases); i++) {
        check_case("pla", &pla_calls_table, &pla_cases[i].record, "ISet: Do", pla_cases[i].result,
            pla_cases[i].sentence, i);
    }
}

static void
test_each_operation_and_result_has_a_row(void)
{
    static const struct {
        const char *operation;
        uint32_t code, frame;
    } calls[] = { { "Open", 5, 3 }, { "Close", 5, 5 }, { "Open", 0, 6 }, { "Open", 5, 8 }, { "Open", 0, 8 },
        { "Open", 5, 9 }, { "Close", 0, 4 } };

    window_open("perflibv2", &perflibv2_calls_table);
    for (size_t i = 0; i < array_length(calls); i++) {
        const struct perflibv2_tap record = {
            .operation = calls[i].operation,
            .is_response = true,
            .has_return_code = true,
            .return_code = calls[i].code,
        };

        window_bring(calls[i].frame, "server", "me", &record);
    }
    CHECK_ROWS(4);
    check_row(0, "Open", "ERROR_ACCESS_DENIED", 3, 3, 9);
    check_row(1, "Close", "ERROR_ACCESS_DENIED", 1, 5, 5);
    check_row(2, "Open", "ERROR_SUCCESS", 2, 6, 8);
    check_row(3, "Close", "ERROR_SUCCESS", 1, 4, 4);

    window_open("pla", &pla_calls_table);
    for (unsigned i = 0; i < 4; i++) {
        static const char *const names[] = { "IOne", "ITwo" }, *const methods[] = { "Get", "Put" };
        const struct pla_tap record = {
            .interface_name = names[i / 2],
            .method_name = methods[i % 2],
            .is_response = true,
            .has_hresult = true,
        };

        window_bring(i + 1, "server", "me", &record);
    }
    CHECK_ROWS(4);
    check_row(0, "IOne: Get", "S_OK", 1, 1, 1);
    check_row(1, "IOne: Put", "S_OK", 1, 2, 2);
    check_row(2, "ITwo: Get", "S_OK", 1, 3, 3);
    check_row(3, "ITwo: Put", "S_OK", 1, 4, 4);
}

int
main(void)
{
    wmem_init_scopes();
    win32_names_init();
    rpc_fault_init();
    test_result_of_each_record_has_its_text();
    test_each_operation_and_result_has_a_row();
    return check_result();
}
