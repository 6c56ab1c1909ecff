/* compat.h
 * Differences between Wireshark 4.0, 4.4 and 4.6, in one place
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COMPAT_H
#define PERFLIB_COMPAT_H

#include <stdbool.h>
#include <stdint.h>

#include <epan/packet.h>
#include <epan/wmem_scopes.h>
#include <wsutil/wmem/wmem.h>
#include <epan/dissectors/packet-dcerpc.h>

#if __has_include(<wsutil/plugins.h>)
#include <wsutil/plugins.h>
#endif
#ifndef WS_PLUGIN_DESC_DISSECTOR
#define WS_PLUGIN_DESC_DISSECTOR    (UINT32_C(1) << 0)
#endif
#ifndef WS_PLUGIN_DESC_TAP_LISTENER
#define WS_PLUGIN_DESC_TAP_LISTENER (UINT32_C(1) << 2)
#endif

/* The operation tables became const when DCERPC_TABLE_NAME appeared (4.4). */
#ifdef DCERPC_TABLE_NAME
#define PERFLIB_DCERPC_CONST const
#else
#define PERFLIB_DCERPC_CONST
#endif

#endif /* PERFLIB_COMPAT_H */
