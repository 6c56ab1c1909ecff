/* win32-names.h
 * Names of Win32 error codes and HRESULTs, [MS-ERREF]
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_WIN32_NAMES_H
#define PERFLIB_BASE_WIN32_NAMES_H

#include "compat.h"

/* Codes of [MS-ERREF] 2.2 that the plugin uses. The prefix avoids the SDK's macros of the same names. */
enum win32_error {
    WIN32_SUCCESS = 0x0000,
    WIN32_PATH_NOT_FOUND = 0x0003,
    WIN32_ACCESS_DENIED = 0x0005,
    WIN32_NOT_ENOUGH_MEMORY = 0x0008,
    WIN32_OUTOFMEMORY = 0x000E,
    WIN32_INVALID_HANDLE = 0x0006,
    WIN32_INVALID_PARAMETER = 0x0057,
    WIN32_ALREADY_EXISTS = 0x00B7,
    WIN32_MORE_DATA = 0x00EA,
    WIN32_NO_SYSTEM_RESOURCES = 0x05AA,
    WIN32_WMI_GUID_NOT_FOUND = 0x1068,
    WIN32_WMI_INSTANCE_NOT_FOUND = 0x1069,
    WIN32_WMI_ITEMID_NOT_FOUND = 0x106A,
    WIN32_WMI_INVALID_REGINFO = 0x1073,
};

/* Names of Win32 codes, [MS-ERREF] 2.2, as in the SDK ("ERROR_ACCESS_DENIED"). For VALS_EXT_PTR(). */
extern value_string_ext win32_error_vals_ext;
/* Names of HRESULTs, [MS-ERREF] 2.1 */
extern value_string_ext hresult_vals_ext;
/* Returns the name of an HRESULT ("HRESULT_FROM_WIN32(ERROR_X)" for a Win32 code), or NULL if it has none. */
const char *hresult_name(wmem_allocator_t *scope, uint32_t hresult);

/* Returns the name of a Win32 code, or "error 0x%08x" in scope. */
const char *win32_error_name(wmem_allocator_t *scope, uint32_t error);
/* Returns true for an error that tells a client to try again with a larger buffer. */
bool win32_is_size_error(uint32_t error);
/* Fills in the SDK's names of the Win32 codes. Call it once, before fields are registered. */
void win32_names_init(void);

/* Names of Windows' own languages by LCID, [MS-LCID] 2.2, for example "German (Germany)". For VALS_EXT_PTR(). */
extern value_string_ext language_vals_ext;

#endif /* PERFLIB_BASE_WIN32_NAMES_H */
