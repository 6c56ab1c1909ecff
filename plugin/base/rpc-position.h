/* rpc-position.h
 * Position of a request among the calls of its connection or pipe
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_RPC_POSITION_H
#define PERFLIB_BASE_RPC_POSITION_H

/* Shows whether calls are missing from the capture: clients number their calls consecutively ([C706] 12.6.3.1). */
struct rpc_position {
    const void *calls;   /* identifies the connection or pipe; NULL: unknown */
    unsigned seen, lost; /* number of requests so far, and of missing call numbers among them */
};

#endif /* PERFLIB_BASE_RPC_POSITION_H */
