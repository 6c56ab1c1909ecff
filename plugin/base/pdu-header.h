/* pdu-header.h
 * The header of the DCERPC PDU a stub came in, which packet-dcerpc does not hand down
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_PDU_HEADER_H
#define PERFLIB_BASE_PDU_HEADER_H

#include "compat.h"

#include <epan/dissectors/packet-dcerpc.h>

/* pfc_flags, [C706] 12.6.3.1 */
#define PDU_FLAG_FIRST_FRAG 0x01
#define PDU_FLAG_LAST_FRAG  0x02

/* Of a connection-oriented request or response; [C706] 12.6.4. */
struct pdu_header {
    uint8_t flags;
    uint8_t auth_type, auth_level;      /* [MS-RPCE] 2.2.1.1.7, 2.2.1.1.8; 0 and 1 without a sec_trailer */
    unsigned frag_length;
    unsigned stub_length;               /* bytes of the stub in this PDU */
};

/*
 * Looks in the packet for the PDU of this call: in the frame, and in what was reassembled or decrypted of it. false
 * where no part of the packet holds it. Costs a search through the packet.
 */
bool pdu_header_find(const packet_info *pinfo, const dcerpc_info *di, struct pdu_header *header);

/*
 * Whether the stub is but the end of one: Wireshark reassembles fragments without those that a snap length cut, and
 * hands over what is left as if it were whole.
 */
bool pdu_stub_lacks_beginning(tvbuff_t *stub, const packet_info *pinfo, const dcerpc_info *di);

#endif /* PERFLIB_BASE_PDU_HEADER_H */
