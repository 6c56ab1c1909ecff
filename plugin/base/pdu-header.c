/* pdu-header.c
 * The header of the DCERPC PDU a stub came in
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/pdu-header.h"

#include <string.h>

#include "base/bytes.h"

enum { AUTHN_NONE = 0, LEVEL_NONE = 1 };

#define PDU_HEADER_SIZE  24u        /* of a request or response, without object UUID */
#define SEC_TRAILER_SIZE  8u

/* Whether left bytes begin with the PDU of this call. */
static bool
read_header(const uint8_t *pdu, unsigned left, const dcerpc_info *di, struct pdu_header *header)
{
    const bool big_endian = left > 4 && pdu[4] != 0x10;
    uint32_t length, auth_length;

    if (left < PDU_HEADER_SIZE || pdu[0] != 5 || pdu[1] > 1 || pdu[2] != di->ptype || (pdu[4] != 0x10 && pdu[4] != 0) ||
        bytes_uint32(pdu + 12, big_endian) != di->call_id) {
        return false;
    }
    length = bytes_uint16(pdu + 8, big_endian);
    auth_length = bytes_uint16(pdu + 10, big_endian);
    if (length > left || length < PDU_HEADER_SIZE + (auth_length == 0 ? 0 : SEC_TRAILER_SIZE + auth_length)) {
        return false;
    }
    *header = (struct pdu_header){
        .flags = pdu[3],
        .auth_type = AUTHN_NONE,
        .auth_level = LEVEL_NONE,
        .frag_length = length,
        .stub_length = length - PDU_HEADER_SIZE,
    };
    if (auth_length > 0) {
        const uint8_t *trailer = pdu + length - auth_length - SEC_TRAILER_SIZE;
        const unsigned behind = SEC_TRAILER_SIZE + auth_length + trailer[2];

        header->auth_type = trailer[0];
        header->auth_level = trailer[1];
        header->stub_length -= MIN(behind, header->stub_length);
    }
    return true;
}

bool
pdu_header_find(const packet_info *pinfo, const dcerpc_info *di, struct pdu_header *header)
{
    for (GSList *link = pinfo->data_src; link != NULL; link = link->next) {
        tvbuff_t *tvb = get_data_source_tvb((const struct data_source *)link->data);
        const unsigned size = tvb == NULL ? 0 : tvb_captured_length(tvb);
        const uint8_t *bytes = size == 0 ? NULL : tvb_get_ptr(tvb, 0, (int)size);

        for (unsigned at = 0; at + PDU_HEADER_SIZE <= size; at++) {
            const uint8_t *found = (const uint8_t *)memchr(bytes + at, 5, size - PDU_HEADER_SIZE + 1 - at);

            if (found == NULL) {
                break;
            }
            at = (unsigned)(found - bytes);
            if (read_header(found, size - at, di, header)) {
                return true;
            }
        }
    }
    return false;
}

bool
pdu_stub_lacks_beginning(tvbuff_t *stub, const packet_info *pinfo, const dcerpc_info *di)
{
    struct pdu_header header;

    /* A stub that lies in the packet as it came was not put together of fragments. */
    if (tvb_raw_offset(stub) != 0) {
        return false;
    }
    return pdu_header_find(pinfo, di, &header) && !(header.flags & PDU_FLAG_FIRST_FRAG) &&
        tvb_reported_length(stub) <= header.frag_length;
}
