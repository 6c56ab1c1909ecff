/* answer-place.h
 * Which of several answers to one call is the call's own
 *
 * A call has one answer, the first that is seen. Damaged captures hold others, in the same frame even: they are shown,
 * and are otherwise nobody's. A packet may be dissected many times, in any order.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_ANSWER_PLACE_H
#define PERFLIB_BASE_ANSWER_PLACE_H

#include "compat.h"

/* Where a call was answered. It lives as long as the capture, and is all zero before the first answer. */
struct answer_place {
    uint32_t frame;               /* of the answer; 0: none was seen yet */
    unsigned place;               /* how many answers to the call stand before it in its frame: nearly always none */
    unsigned counted_in, counted; /* answers to the call, in one dissection of a packet */
};

/* Called once for each answer a packet holds, in their order: whether it is the call's own. proto: whose call it is. */
bool answer_place_is_own(struct answer_place *answer, packet_info *pinfo, int proto);

#endif /* PERFLIB_BASE_ANSWER_PLACE_H */
