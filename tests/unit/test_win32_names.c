/* test_win32_names.c
 * Names of Windows' codes, as the SDK has them, and which errors ask for a larger buffer
 *
 * [MS-ERREF] 2.1.1, 2.2
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/win32-names.h"

#include <string.h>

#include <epan/wmem_scopes.h>

#include "check.h"

static wmem_allocator_t *pool;

/* One of each family whose names have no ERROR_ before them, and others. */
static const struct {
    uint32_t error;
    const char *name;
} errors[] = {
    { 0x00000000, "ERROR_SUCCESS" },
    { 0x00000001, "ERROR_INVALID_FUNCTION" },
    { 0x00000005, "ERROR_ACCESS_DENIED" },
    { 0x00000008, "ERROR_NOT_ENOUGH_MEMORY" },
    { 0x0000000E, "ERROR_OUTOFMEMORY" },
    { 0x000000EA, "ERROR_MORE_DATA" },
    { 0x000005AA, "ERROR_NO_SYSTEM_RESOURCES" },
    { 0x000006A4, "RPC_S_INVALID_STRING_BINDING" },
    { 0x000006BA, "RPC_S_SERVER_UNAVAILABLE" },
    { 0x000006EC, "RPC_X_NO_MORE_ENTRIES" },
    { 0x000006F4, "RPC_X_NULL_REF_POINTER" },
    { 0x000006D8, "EPT_S_CANT_PERFORM_OP" },
    { 0x000006D9, "EPT_S_NOT_REGISTERED" },
    { 0x00000776, "OR_INVALID_OXID" },
    { 0x00000777, "OR_INVALID_OID" },
    { 0x00000846, "NERR_DUPLICATESHARE" }, /* NERR_DuplicateShare: Wireshark's list is in capitals */
    { 0x00001068, "ERROR_WMI_GUID_NOT_FOUND" },
    { 0x00001069, "ERROR_WMI_INSTANCE_NOT_FOUND" },
    { 0x0000106A, "ERROR_WMI_ITEMID_NOT_FOUND" },
    { 0x00001F41, "FRS_ERR_INVALID_API_SEQUENCE" },
    { 0x00002329, "DNS_ERROR_RCODE_FORMAT_ERROR" },
    { 0x0000251D, "DNS_INFO_NO_RECORDS" },
    { 0x0000251E, "DNS_ERROR_BAD_PACKET" },
    { 0x00002555, "DNS_STATUS_FQDN" },
    { 0x00002557, "DNS_STATUS_SINGLE_PART_NAME" },
    { 0x000025F3, "DNS_WARNING_PTR_CREATE_FAILED" },
    /* Of nobody's */
    { 0x00000F00, "error 0x00000f00" },
    { 0x12345678, "error 0x12345678" },
    { 0xFFFFFFFF, "error 0xffffffff" },
};

static const struct {
    uint32_t hresult;
    const char *name; /* NULL: none */
} hresults[] = {
    { 0x00000000, "S_OK" },
    { 0x00000001, "S_FALSE" },
    { 0x80004001, "E_NOTIMPL" },
    { 0x80004005, "E_FAIL" },
    { 0x80070005, "E_ACCESSDENIED" },
    { 0x80300002, "PLA_E_DCS_NOT_FOUND" },
    { 0x803000AA, "PLA_E_DCS_IN_USE" },
    { 0x80300111, "PLA_E_TASKSCHED_CHANNEL_NOT_ENABLED" },
    /* [MS-ERREF] has not these two of winerror.h. */
    { 0x80300112, "PLA_E_RULES_MANAGER_FAILED" },
    { 0x80300113, "PLA_E_CABAPI_FAILURE" },
    { 0x80300114, NULL },
    /* Win32 codes: of facility 7 alone, and failures */
    { 0x80070002, "HRESULT_FROM_WIN32(ERROR_FILE_NOT_FOUND)" },
    { 0x80070000, "HRESULT_FROM_WIN32(ERROR_SUCCESS)" },
    { 0x800706BA, "HRESULT_FROM_WIN32(RPC_S_SERVER_UNAVAILABLE)" },
    { 0x80071069, "HRESULT_FROM_WIN32(ERROR_WMI_INSTANCE_NOT_FOUND)" },
    { 0x80070F00, NULL },
    { 0x00070002, NULL },
    { 0x80060002, NULL },
    { 0x80080102, NULL },
    { 0x81070002, NULL },
    { 0xFFFFFFFF, NULL },
};

static void
check_names_are_those_of_the_sdk(void)
{
    for (size_t i = 0; i < array_length(errors); i++) {
        CHECK_STRING(win32_error_name(pool, errors[i].error), errors[i].name, "0x%08x", errors[i].error);
    }
    for (size_t i = 0; i < array_length(hresults); i++) {
        const char *name = hresult_name(pool, hresults[i].hresult);

        CHECK_STRING(name != NULL ? name : "(none)", hresults[i].name != NULL ? hresults[i].name : "(none)", "0x%08x",
            hresults[i].hresult);
    }
}

/* Not one has Samba's or Wireshark's prefix, and each value is found: the list ascends. */
static void
check_every_code_of_the_list_is_found_by_name(void)
{
    const value_string *codes = win32_error_vals_ext._vs_p;
    unsigned count = 0;

    for (; codes[count].strptr != NULL; count++) {
        CHECK(strncmp(codes[count].strptr, "WERR_", 5) != 0, "%s", codes[count].strptr);
        CHECK(codes[count].strptr == win32_error_name(pool, codes[count].value), "0x%08x: %s", codes[count].value,
            codes[count].strptr);
    }
    CHECK_EQUAL(win32_error_vals_ext._vs_num_entries, count, "all of them");
    codes = hresult_vals_ext._vs_p;
    for (count = 0; codes[count].strptr != NULL; count++) {
        CHECK(strncmp(codes[count].strptr, "HRES_", 5) != 0, "%s", codes[count].strptr);
    }
}

/* [MS-PCQ] 3.1.4.1.1 and others: ERROR_NOT_ENOUGH_MEMORY; [MS-RRP] 3.1.5.17: ERROR_MORE_DATA */
static void
check_two_errors_ask_for_a_larger_buffer(void)
{
    unsigned count = 0;

    for (uint32_t error = 0; error < 0x2000; error++) {
        count += win32_is_size_error(error);
    }
    CHECK_EQUAL(count, 2, "no others");
    CHECK(win32_is_size_error(0x08), "ERROR_NOT_ENOUGH_MEMORY");
    CHECK(win32_is_size_error(0xEA), "ERROR_MORE_DATA");
}

int
main(void)
{
    wmem_init_scopes();
    win32_names_init();
    pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    check_names_are_those_of_the_sdk();
    check_every_code_of_the_list_is_found_by_name();
    check_two_errors_ask_for_a_larger_buffer();
    wmem_destroy_allocator(pool);
    return check_result();
}
