/* rpc-latest.h
 * The latest calls of a connection by their numbers, and whether others than one interface's took some
 *
 * Clients number the calls of a connection one by one, whatever interfaces they bound to it ([C706] 12.6.3.1). session/
 * sees all of them; the dissector of an interface, that sees its own only, asks whether the numbers between two of them
 * were calls of others, or are missing. First pass only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_RPC_LATEST_H
#define PERFLIB_BASE_RPC_LATEST_H

#include "compat.h"

struct rpc_latest_call {
    uint32_t call_id;
    uint16_t opnum;
    e_guid_t uuid; /* of the interface; zero: it is not known */
};

/* The latest calls of a connection. File scope. */
struct rpc_latest;

struct rpc_latest *rpc_latest_new(void);
void rpc_latest_note(struct rpc_latest *latest, struct rpc_latest_call call);
/* The latest call of that number; NULL: there is none. latest may be NULL. */
const struct rpc_latest_call *rpc_latest_find(const struct rpc_latest *latest, uint32_t call_id);

/* Whose PDUs are handed to Wireshark from now on; NULL: nobody's that is known. For session/ alone. */
void rpc_latest_begin(const struct rpc_latest *latest);
/* Whether all these numbers, the last included, were of calls to other interfaces than one's own. */
bool rpc_latest_took_others(uint32_t first, uint32_t last, const e_guid_t *own);

#endif /* PERFLIB_BASE_RPC_LATEST_H */
