/* answer-place.c
 * The one valid answer to a call
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

bool
answer_place_is_own(struct answer_place *answer, const packet_info *pinfo, unsigned dissection)
{
    const bool is_first = answer->asked_in != dissection;

    answer->asked_in = dissection;
    if (answer->frame == 0) {
        answer->frame = pinfo->num;
    }
    return is_first && answer->frame == pinfo->num;
}
