/* win32-names.c
 * Names of Win32 error codes and HRESULTs, [MS-ERREF]
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "compat.h"

#include <string.h>

#include "base/win32-names.h"

#include <epan/dissectors/packet-windows-common.h>

/* Wireshark does not export its tables of codes, so these are copies, made from the macros that Wireshark installs. */
/* clang-format off */
#define WIN32_ENTRY(name, value) { value, #name },
/* clang-format on */
static const value_string win32_errors[] = { WERR_errors_VALUE_STRING_LIST(WIN32_ENTRY){ 0, NULL } };

/* "HRES_PLA_E_..." without its first five characters is the SDK's name. */
/* clang-format off */
#define HRESULT_ENTRY(name, value) { value, &#name[5] },
/* clang-format on */
static const value_string hresults[] = { { 0x00000000, "S_OK" }, { 0x00000001, "S_FALSE" },
    HRES_errors_VALUE_STRING_LIST(HRESULT_ENTRY){ 0, NULL } };

value_string_ext win32_error_vals_ext = VALUE_STRING_EXT_INIT(win32_errors);
value_string_ext hresult_vals_ext = VALUE_STRING_EXT_INIT(hresults);

/* Codes whose Samba name WERR_X is plain X in the SDK, not ERROR_X */
static const char *const without_prefix[] = {
    "RPC_S_",
    "RPC_X_",
    "EPT_S_",
    "OR_",
    "NERR_",
    "DNS_ERROR_",
    "DNS_INFO_",
    "DNS_STATUS_",
    "DNS_WARNING_",
    "FRS_ERR_",
};

static const char *
sdk_name(const char *werr)
{
    const char *name = werr + strlen("WERR_");

    if (strcmp(name, "OK") == 0) {
        return "ERROR_SUCCESS";
    }
    for (size_t i = 0; i < array_length(without_prefix); i++) {
        if (strncmp(name, without_prefix[i], strlen(without_prefix[i])) == 0) {
            return name;
        }
    }
    return wmem_strdup_printf(wmem_epan_scope(), "ERROR_%s", name);
}

bool
win32_is_size_error(uint32_t error)
{
    return error == WIN32_MORE_DATA || error == WIN32_NOT_ENOUGH_MEMORY;
}

void
win32_names_init(void)
{
    value_string *named = (value_string *)wmem_memdup(wmem_epan_scope(), win32_errors, sizeof win32_errors);

    for (size_t i = 0; named[i].strptr != NULL; i++) {
        named[i].strptr = sdk_name(named[i].strptr);
    }
    win32_error_vals_ext._vs_p = named;
}

const char *
win32_error_name(wmem_allocator_t *scope, uint32_t error)
{
    const char *name = try_val_to_str_ext(error, &win32_error_vals_ext);

    return name != NULL ? name : wmem_strdup_printf(scope, "error 0x%08x", error);
}

const char *
hresult_name(wmem_allocator_t *scope, uint32_t hresult)
{
    /* In winerror.h, but not in [MS-ERREF] and therefore not in Wireshark's list */
    static const value_string more[] = {
        { 0x80300112, "PLA_E_RULES_MANAGER_FAILED" },
        { 0x80300113, "PLA_E_CABAPI_FAILURE" },
        { 0, NULL },
    };
    const char *name = try_val_to_str_ext(hresult, &hresult_vals_ext);

    if (name == NULL) {
        name = try_val_to_str(hresult, more);
    }
    if (name == NULL && (hresult & 0xffff0000) == 0x80070000) {
        name = try_val_to_str_ext(hresult & 0xffff, &win32_error_vals_ext);
        if (name != NULL) {
            name = wmem_strdup_printf(scope, "HRESULT_FROM_WIN32(%s)", name);
        }
    }
    return name;
}
