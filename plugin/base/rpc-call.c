/* rpc-call.c
 * RPC calls, including those whose stubs cannot be read
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

#include "base/fields.h"

#include <wsutil/nstime.h>

bool
rpc_call_is_made_up(const dcerpc_info *di)
{
    static const e_guid_t made_of_buffers = { 0x6d0bbd9c, 0x5f1e, 0x4c0b,
        { 0x9c, 0x43, 0xb0, 0xff, 0xe2, 0x5c, 0x0d, 0xe5 } };

    return di->call_data != NULL && guid_cmp(&di->call_data->object_uuid, &made_of_buffers) == 0;
}

nstime_t
rpc_response_time(uint32_t request_frame, const nstime_t *request_time, const packet_info *pinfo)
{
    nstime_t time = NSTIME_INIT_ZERO;

    if (request_frame != 0 && nstime_cmp(request_time, &pinfo->abs_ts) < 0) {
        nstime_delta(&time, &pinfo->abs_ts, request_time);
    }
    return time;
}

void
rpc_response_digits(char *text, double milliseconds)
{
    /* Always a decimal point, whatever the locale */
    g_ascii_formatd(text, ITEM_LABEL_LENGTH, "%.3f", milliseconds);
}

void
rpc_response_show(nstime_t time, int hf, const packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb)
{
    const int64_t microseconds = (int64_t)time.secs * 1000000 + (time.nsecs + 500) / 1000;

    if (tree != NULL && !nstime_is_zero(&time) && double_field_fits(pinfo, tree, hf)) {
        proto_item_set_generated(proto_tree_add_double(tree, hf, tvb, 0, 0, (double)microseconds / 1000));
    }
}
