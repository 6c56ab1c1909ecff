/* rpc-fault.h
 * The status of a fault PDU: its names, and what it says of the server
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_RPC_FAULT_H
#define PERFLIB_BASE_RPC_FAULT_H

#include "compat.h"

/*
 * [C706] Appendix E; what [MS-RPCE] 2.2.2.8 adds: Win32 errors ([MS-ERREF] 2.2) and HRESULTs (2.1). For
 * VALS_EXT_PTR().
 */
extern value_string_ext rpc_fault_vals_ext;
/* Called once, after win32_names_init() and before fields are registered. */
void rpc_fault_init(void);

/* The name, or the number where it has none; in scope. */
const char *rpc_fault_text(wmem_allocator_t *scope, uint32_t status);

/* Whether a server refuses the caller by it, or the way it calls: access, authentication service or level. */
bool rpc_fault_is_refusal(uint32_t status);

#endif /* PERFLIB_BASE_RPC_FAULT_H */
