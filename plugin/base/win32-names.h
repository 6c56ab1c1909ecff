/* win32-names.h
 * Names of Win32 error codes and HRESULTs, [MS-ERREF]
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_WIN32_NAMES_H
#define PERFLIB_BASE_WIN32_NAMES_H

#include <epan/packet.h>

/* [MS-ERREF] 2.2, by the names of the SDK ("ERROR_ACCESS_DENIED"). For VALS_EXT_PTR(). */
extern value_string_ext win32_error_vals_ext;
/* [MS-ERREF] 2.1. */
extern value_string_ext hresult_vals_ext;
/* Name of an HRESULT, those made from Win32 codes as "HRESULT_FROM_WIN32(ERROR_X)"; NULL where it has none. */
const char *hresult_name(wmem_allocator_t *scope, uint32_t hresult);

/* Gives the Win32 codes the SDK's names; called once, before fields are registered. */
void win32_names_init(void);

#endif /* PERFLIB_BASE_WIN32_NAMES_H */
