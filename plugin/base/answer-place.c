/* answer-place.c
 * The one valid answer to a call
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

#include <epan/proto_data.h>

/* Key of the packet's proto data; the item budget uses 0. */
enum { DISSECTION_KEY = 1 };

/* Returns the number of this dissection of the packet. Never 0. */
static unsigned
packet_dissection(packet_info *pinfo, int proto)
{
    static unsigned dissections;
    unsigned number = GPOINTER_TO_UINT(p_get_proto_data(pinfo->pool, pinfo, proto, DISSECTION_KEY));

    if (number == 0) {
        number = ++dissections == 0 ? ++dissections : dissections;
        p_add_proto_data(pinfo->pool, pinfo, proto, DISSECTION_KEY, GUINT_TO_POINTER(number));
    }
    return number;
}

bool
answer_place_is_own(struct answer_place *answer, packet_info *pinfo, int proto)
{
    const unsigned dissection = packet_dissection(pinfo, proto);
    const bool is_first = answer->asked_in != dissection;

    answer->asked_in = dissection;
    if (answer->frame == 0) {
        answer->frame = pinfo->num;
    }
    return is_first && answer->frame == pinfo->num;
}
