/* copies.h
 * PDUs that a capture holds twice: of both directions of a mirrored port, of every component of the host, of TCP itself
 *
 * A PDU is the same if it stands at the same place: by TCP's sequence number, or in the SMB2 message of that number.
 * Learned on the first pass.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_COPIES_H
#define PERFLIB_SESSION_COPIES_H

#include "compat.h"

/* Where a PDU stands. Zeroed before it is filled, as it is compared byte by byte. */
struct pdu_place {
    const void *connection;
    uint64_t number; /* TCP's of its first byte, or SMB2's of the message, */
    uint32_t offset; /* and where it stands in what the message carries */
    uint32_t sender; /* TCP's port, or what tells SMB2's answers from requests */
    bool is_message; /* it is one of SMB2's */
};

/* Forgets everything. At the beginning of a capture. */
void copies_reset(void);

/* Whether there are any: else later passes need not look for them. */
bool copies_are_known(void);

/* Notes the PDU at an offset of the tvb. Returns the frame in which it was read, if that is another one; 0: in none. */
uint32_t copies_note(const struct pdu_place *place, tvbuff_t *tvb, unsigned offset, unsigned length,
    const packet_info *pinfo);

#endif /* PERFLIB_SESSION_COPIES_H */
