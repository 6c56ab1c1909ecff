/* rpc-call.c
 * RPC calls, including those whose stubs cannot be read
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

#include <wsutil/nstime.h>

nstime_t
rpc_response_time(uint32_t request_frame, const nstime_t *request_time, const packet_info *pinfo)
{
    nstime_t time = NSTIME_INIT_ZERO;

    if (request_frame != 0 && nstime_cmp(request_time, &pinfo->abs_ts) < 0) {
        nstime_delta(&time, &pinfo->abs_ts, request_time);
    }
    return time;
}
