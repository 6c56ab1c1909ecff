/* recognise.h
 * Calls on a presentation context that no bind explains, as the capture lacks it: which interface they can only be of
 *
 * packet-dcerpc hands on only what was bound. So, once a stub proves what it is, it is given the bind that is missing.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_RECOGNISE_H
#define PERFLIB_SESSION_RECOGNISE_H

#include "session/calls.h"

/* A bind of such a context (packet scope), in little-endian: the byte order of a bind is its own. */
tvbuff_t *recognise_make_bind(tvbuff_t *tvb, const struct rpc_pdu *pdu, packet_info *pinfo, uint16_t context,
    const struct binding *bound);

/*
 * On the first pass, of a request or response that was read from tvb: binds its context where the bind is missing and
 * the stub proves what it is. Returns the bind as it would have been sent (packet scope); NULL: nothing is to be bound.
 */
tvbuff_t *recognise_context(struct calls *calls, tvbuff_t *tvb, const struct rpc_pdu *pdu, packet_info *pinfo,
    bool is_registry_pipe);

#endif /* PERFLIB_SESSION_RECOGNISE_H */
