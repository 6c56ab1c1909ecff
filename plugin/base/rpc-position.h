/* rpc-position.h
 * Position of a request among the calls of its connection or pipe
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_RPC_POSITION_H
#define PERFLIB_BASE_RPC_POSITION_H

/*
 * Position of a request among the calls of its connection or pipe. Clients number their calls consecutively ([C706]
 * 12.6.3.1), so a gap shows that calls are missing from the capture.
 */
struct rpc_position {
    const void *calls;   /* identifies the connection or pipe; NULL: unknown */
    unsigned seen, lost; /* number of captured requests, and of call numbers that were skipped, so far */
    unsigned frame;      /* frame of the request, if answers to requests of several connections may cross; else 0 */
};

#endif /* PERFLIB_BASE_RPC_POSITION_H */
