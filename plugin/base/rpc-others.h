/* rpc-others.h
 * Which numbers of a connection's calls other interfaces took
 *
 * Clients number the calls of a connection one by one, whatever interfaces they bound to it ([C706] 12.6.3.1). session/
 * sees all of them; the dissector of an interface, that sees its own only, asks whether the numbers between two of them
 * were calls of others, or are missing. First pass only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_RPC_OTHERS_H
#define PERFLIB_BASE_RPC_OTHERS_H

#include "compat.h"

/* The latest calls of a connection. File scope. */
struct rpc_others;

struct rpc_others *rpc_others_new(void);
/* A request of that number, to an interface. */
void rpc_others_note(struct rpc_others *others, uint32_t call_id, const e_guid_t *uuid);

/* Whose PDUs are handed to Wireshark from now on; NULL: nobody's that is known. For session/ alone. */
void rpc_others_begin(const struct rpc_others *others);
/* Whether all these numbers, the last included, were of calls to other interfaces than one's own. */
bool rpc_others_took(uint32_t first, uint32_t last, const e_guid_t *own);

#endif /* PERFLIB_BASE_RPC_OTHERS_H */
