/* pieces.h
 * PDUs that came in several messages of a pipe, and whether their pieces belong together
 *
 * An answer that is longer than its client's first buffer comes in parts: [MS-SMB2] 3.3.5.15, 3.3.5.12. Wireshark puts
 * together whatever comes next on the pipe, until there are bytes enough; where the capture lacks a part it takes the
 * next answer for it. Learned on the first pass.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_PIECES_H
#define PERFLIB_SESSION_PIECES_H

#include "base/rpc-pdu.h"

/* Of one direction of a pipe. File scope, zeroed before its first PDU. */
struct pieces {
    unsigned begun;                /* PDUs that began */
    bool is_waiting;               /* the latest PDU was not whole: */
    uint8_t head[RPC_HEADER_SIZE]; /* its header, */
    unsigned length;               /* as many bytes of it came, */
    unsigned others;               /* and so many PDUs of the other direction had begun */
};

/* What became of a PDU. */
enum pieces_outcome {
    PIECES_ONE,      /* it came at once */
    PIECES_WAITING,  /* it has just begun */
    PIECES_TOGETHER, /* its pieces may belong together */
    PIECES_TORN,     /* they do not: it was not captured whole */
};

/* Takes the PDU at an offset of what a pipe carries. may_go_on: if it is not whole, more of it may come. */
enum pieces_outcome pieces_take(struct pieces *own, const struct pieces *others, tvbuff_t *tvb, unsigned offset,
    const struct rpc_pdu *pdu, bool may_go_on);

#endif /* PERFLIB_SESSION_PIECES_H */
