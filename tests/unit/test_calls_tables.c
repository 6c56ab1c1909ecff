/* test_calls_tables.c
 * The tables of calls and of data collector sets: which record is an end of a call, of which result and of which set
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "table-window.h"

#include "base/win32-names.h"
#include "perflibv2/record.h"
#include "pla/record.h"
#include "stats/tables.h"

enum { OPERATION, RESULT, CALLS, FIRST, LAST };
enum { NAME, SERVER, SET_CALLS, FAILED, STATUS, LAST_ERROR };

/* In place of the names of faults. */
const char *
rpc_fault_text(wmem_allocator_t *scope, uint32_t status)
{
    return wmem_strdup_printf(scope, "<%u>", status);
}

static void
check_call(unsigned row, const char *operation, const char *result, unsigned calls, unsigned first, unsigned last)
{
    CHECK_TEXT(row, OPERATION, operation);
    CHECK_TEXT(row, RESULT, result);
    CHECK_NUMBER(row, CALLS, calls);
    CHECK_NUMBER(row, FIRST, first);
    CHECK_NUMBER(row, LAST, last);
}

#define PERFLIBV2(number, ...) window_bring(number, "server", "client", &(struct perflibv2_tap){ __VA_ARGS__ })
#define PLA(number, ...)       window_bring(number, "server", "client", &(struct pla_tap){ __VA_ARGS__ })

static void
count_perflibv2(void)
{
    static const char *const unread = "sealed";

    CHECK(!PERFLIBV2(1, .operation = "Open", .has_return_code = true), "a request");
    CHECK(!PERFLIBV2(2, .operation = "Open", .is_response = true, .unread = unread), "a part of one");
    CHECK_ROWS(0);
    CHECK(PERFLIBV2(3, .operation = "Open", .is_response = true, .has_return_code = true), "an answer");
    CHECK(PERFLIBV2(4, .operation = "Open", .is_response = true, .has_return_code = true, .return_code = 5), "refused");
    PERFLIBV2(5, .operation = "Query", .is_response = true, .has_return_code = true, .return_code = 5);
    PERFLIBV2(6, .operation = "Query", .is_response = true, .has_return_code = true, .return_code = 0xABCDE);
    PERFLIBV2(7, .operation = "Query", .is_response = true);
    PERFLIBV2(8, .operation = "Query", .is_response = true, .is_fault = true, .fault = 7);
    PERFLIBV2(9, .operation = "Query", .is_response = true, .unread = unread, .is_last = true);
    PERFLIBV2(10, .operation = "Query", .is_response = true, .has_return_code = true, .return_code = 5);
    PERFLIBV2(11, .operation = "Query", .is_response = true, .is_fault = true, .fault = 8);
    PERFLIBV2(12, .operation = "Query", .is_response = true, .has_return_code = true, .return_code = 5);
    CHECK_ROWS(8);
    check_call(0, "Open", "ERROR_SUCCESS", 1, 3, 3);
    check_call(1, "Open", "ERROR_ACCESS_DENIED", 1, 4, 4);
    check_call(2, "Query", "ERROR_ACCESS_DENIED", 3, 5, 12);
    check_call(3, "Query", "0x000abcde", 1, 6, 6);
    check_call(4, "Query", "return code not captured", 1, 7, 7);
    check_call(5, "Query", "fault <7>", 1, 8, 8);
    check_call(6, "Query", "sealed, not read", 1, 9, 9);
    check_call(7, "Query", "fault <8>", 1, 11, 11);
    CHECK(PERFLIBV2(13, .operation = "Query", .unread = unread, .needed = "a key"), "a key is needed");
    CHECK(PERFLIBV2(14, .operation = "Query", .is_response = true, .unread = unread, .needed = "a key"), "is needed");
    CHECK_ROWS(8);
    CHECK_SENTENCE("a key");
}

static void
count_pla(void)
{
    CHECK(!PLA(1, .interface_name = "ISet", .method_name = "Start"), "a request");
    CHECK(!PLA(2, .interface_name = "ISet", .method_name = "Start", .is_response = true, .is_unread = true), "a part");
    CHECK_ROWS(0);
    CHECK(PLA(3, .interface_name = "ISet", .method_name = "Start", .is_response = true, .has_hresult = true),
        "an answer");
    PLA(4, .interface_name = "IJob", .method_name = "Start", .is_response = true, .has_hresult = true);
    PLA(5, .interface_name = "ISet", .method_name = "Start", .is_response = true, .has_hresult = true,
        .hresult = 0x80070005);
    PLA(6, .interface_name = "ISet", .method_name = "Start", .is_response = true, .has_hresult = true,
        .hresult = 0x8FABCDEF);
    PLA(7, .interface_name = "ISet", .method_name = "Start", .is_response = true);
    PLA(8, .interface_name = "ISet", .method_name = "Start", .is_response = true, .is_fault = true, .fault = 5);
    PLA(9, .interface_name = "ISet", .method_name = "Start", .is_response = true, .is_unread = true, .is_last = true);
    PLA(10, .interface_name = "ISet", .method_name = "Start", .is_response = true, .has_hresult = true);
    CHECK_ROWS(7);
    check_call(0, "ISet: Start", "S_OK", 2, 3, 10);
    check_call(1, "IJob: Start", "S_OK", 1, 4, 4);
    check_call(2, "ISet: Start", "E_ACCESSDENIED", 1, 5, 5);
    check_call(3, "ISet: Start", "0x8fabcdef", 1, 6, 6);
    check_call(4, "ISet: Start", "HRESULT not captured", 1, 7, 7);
    check_call(5, "ISet: Start", "fault <5>", 1, 8, 8);
    check_call(6, "ISet: Start", "sealed, not read", 1, 9, 9);
    CHECK(PLA(11, .is_unread = true, .needed = "a key"), "a key is needed");
}

static void
check_set(unsigned row, const char *name, const char *server, unsigned calls, unsigned failed, const char *status,
    const char *error)
{
    CHECK_TEXT(row, NAME, name);
    CHECK_TEXT(row, SERVER, server);
    CHECK_NUMBER(row, SET_CALLS, calls);
    CHECK_NUMBER(row, FAILED, failed);
    CHECK_TEXT(row, STATUS, status);
    CHECK_TEXT(row, LAST_ERROR, error);
}

#define SET(number, object, host, ...) \
    PLA(number, .set = &objects[object], .server = host, .method_name = "Do", .is_response = true, __VA_ARGS__)

static void
count_sets(void)
{
    static const char objects[8];

    CHECK(!PLA(1, .set = objects, .server = "PC", .set_name = "a"), "a request");
    CHECK(!PLA(2, .is_response = true), "a call on no set");
    CHECK_ROWS(0);
    /* An object without a name, which gets one; it is the set of that name from then on, whatever object it is. */
    CHECK(SET(3, 0, "PC", .status = "running"), "an answer");
    check_set(0, "(name not in the capture)", "PC", 1, 0, "running", "");
    SET(4, 0, "PC", .set_name = "a");
    SET(5, 1, "PC", .set_name = "a", .status = "stopped");
    check_set(0, "a", "PC", 3, 0, "stopped", "");
    CHECK_ROWS(1);
    /* Another object, the same name on another server. */
    SET(6, 0, "PC2", .set_name = "a", .has_hresult = true, .hresult = 1);
    SET(7, 2, "PC", .has_hresult = true, .hresult = 0x7fffffff);
    check_set(1, "a", "PC2", 1, 0, "", "");
    check_set(2, "(name not in the capture)", "PC", 1, 0, "", "");
    /* The object that had no name when "a" got its own is another now. */
    SET(8, 0, "PC");
    check_set(3, "(name not in the capture)", "PC", 1, 0, "", "");
    /* A call that failed tells what the set would have been called. */
    SET(9, 3, "PC", .asked_name = "b", .has_hresult = true, .hresult = 0x80070005);
    check_set(4, "b", "PC", 1, 1, "", "E_ACCESSDENIED (Do, frame 9)");
    SET(10, 2, "PC", .asked_name = "c", .has_hresult = true, .hresult = 0x8FABCDEF);
    check_set(2, "c", "PC", 2, 1, "", "0x8fabcdef (Do, frame 10)");
    SET(11, 2, "PC", .is_fault = true, .fault_text = "a fault");
    check_set(2, "c", "PC", 3, 2, "", "a fault (Do, frame 11)");
    SET(12, 2, "PC", .hresult = 0x80070005);
    check_set(2, "c", "PC", 4, 2, "", "a fault (Do, frame 11)");
    SET(13, 2, "PC", .set_name = "d");
    check_set(2, "d", "PC", 5, 2, "", "a fault (Do, frame 11)");
    /* A set that was sought in vain is none of those. */
    SET(14, 2, "PC", .set_name = "d", .sought_name = "e", .has_hresult = true, .hresult = 0x80070002);
    check_set(5, "e", "PC", 1, 1, "", "HRESULT_FROM_WIN32(ERROR_FILE_NOT_FOUND) (Do, frame 14)");
    SET(15, 3, "PC", .sought_name = "e", .has_hresult = true, .hresult = 0x80070002);
    check_set(5, "e", "PC", 2, 2, "", "HRESULT_FROM_WIN32(ERROR_FILE_NOT_FOUND) (Do, frame 15)");
    SET(16, 3, "PC", .sought_name = "f", .has_hresult = true);
    check_set(6, "f", "PC", 1, 0, "", "");
    check_set(4, "b", "PC", 1, 1, "", "E_ACCESSDENIED (Do, frame 9)");
    CHECK_ROWS(7);
    CHECK(PLA(17, .needed = "a key"), "a key is needed");
    CHECK_ROWS(7);
    CHECK_SENTENCE("a key");
}

int
main(void)
{
    wmem_init_scopes();
    win32_names_init();
    for (unsigned i = 0; i < 2; i++) {
        window_open("perflibv2", &perflibv2_calls_table);
        count_perflibv2();
        window_open("pla", &pla_calls_table);
        count_pla();
        window_open("pla", &pla_sets_table);
        count_sets();
    }
    return check_result();
}
