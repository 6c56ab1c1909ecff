/* fragment-text.h
 * The columns of a frame whose last PDU is the end of what earlier ones began
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_FRAGMENT_TEXT_H
#define PERFLIB_BASE_FRAGMENT_TEXT_H

#include "compat.h"

#include <epan/dissectors/packet-dcerpc.h>

/*
 * To be called when Wireshark hands over a stub, before anything is said of it. Where it was put together, and the
 * frame holds fragments of it beside the last one, the columns tell of the first of those and are closed; what they
 * hold is then no news. Names the protocol, and leaves the operation in the Info column. Where the frame began with
 * something else nothing is changed.
 */
void fragment_text_drop(tvbuff_t *stub, packet_info *pinfo, const dcerpc_info *di, const char *protocol);

#endif /* PERFLIB_BASE_FRAGMENT_TEXT_H */
