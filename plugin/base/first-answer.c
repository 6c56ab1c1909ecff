/* first-answer.c
 * The one valid answer to a call
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

bool
first_answer_is_this(struct first_answer *first, const packet_info *pinfo, unsigned dissection)
{
    const bool is_first = first->asked_in != dissection;

    first->asked_in = dissection;
    if (first->frame == 0) {
        first->frame = pinfo->num;
    }
    return is_first && first->frame == pinfo->num;
}
