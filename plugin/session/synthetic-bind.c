/* synthetic-bind.c
 * Synthetic binds for packet-dcerpc, for contexts whose bind was not captured, or differs from the accepted one
 *
 * Why: packet-dcerpc dissects a call only if its context was bound, which it stores in a private table that only a bind
 * PDU fills. It also assumes that the last transfer syntax of an offer was accepted.
 *
 * What would break this: a packet-dcerpc that depends on a bind's position in the stream, that shows or taps binds on
 * the first pass, or that stores its packet data under another key than 0.
 *
 * Read and tried: Wireshark 4.0.17, 4.4.18, 4.6.9.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#include <epan/exceptions.h>
#include <epan/proto_data.h>

#include "base/bytes.h"

/* Size of a bind with one presentation context and one transfer syntax, [C706] 12.6.4.3. */
#define BIND_SIZE     72u
#define MAX_FRAGMENT  4280u
#define BIND_CONTEXT  28u
#define BIND_UUID     32u
#define BIND_VERSION  48u
#define BIND_SYNTAX   52u
#define SYNTAX_NUMBER 68u

static void
put_guid(uint8_t *bytes, const e_guid_t *guid)
{
    bytes_put(bytes, guid->data1, 4);
    bytes_put(bytes + 4, guid->data2, 2);
    bytes_put(bytes + 6, guid->data3, 2);
    memcpy(bytes + 8, guid->data4, sizeof guid->data4);
}

tvbuff_t *
synthetic_bind_make(tvbuff_t *tvb, const struct rpc_pdu *pdu, packet_info *pinfo, uint16_t context,
    const struct binding *bound)
{
    static const uint8_t head[] = { RPC_VERSION, 0, PDU_BIND, PDU_FLAG_FIRST_FRAG | PDU_FLAG_LAST_FRAG, 0x10 };
    uint8_t *bytes = (uint8_t *)wmem_alloc0(pinfo->pool, BIND_SIZE);

    memcpy(bytes, head, sizeof head);
    bytes_put(bytes + 8, BIND_SIZE, 2);
    bytes_put(bytes + 12, pdu->call_id, 4);
    bytes_put(bytes + 16, MAX_FRAGMENT, 2);
    bytes_put(bytes + 18, MAX_FRAGMENT, 2);
    bytes[24] = 1;
    bytes_put(bytes + BIND_CONTEXT, context, 2);
    bytes[BIND_CONTEXT + 2] = 1;
    put_guid(bytes + BIND_UUID, &bound->uuid);
    bytes_put(bytes + BIND_VERSION, bound->version, 2);
    put_guid(bytes + BIND_SYNTAX, bound->is_ndr64 ? &transfer_ndr64 : &transfer_ndr);
    bytes[SYNTAX_NUMBER] = bound->is_ndr64 ? 1 : 2;
    return tvb_new_child_real_data(tvb, bytes, BIND_SIZE, BIND_SIZE);
}

void
synthetic_bind_hand_on(const heur_dtbl_entry_t *dcerpc, tvbuff_t *bind, packet_info *pinfo, void *data)
{
    const gboolean was_writable = col_get_writable(pinfo->cinfo, -1);
    uint64_t salt;

    col_set_writable(pinfo->cinfo, -1, FALSE);
    TRY
    {
        dcerpc->dissector(bind, pinfo, NULL, data);
    }
    CATCH_NONFATAL_ERRORS
    {
    }
    ENDTRY;
    col_set_writable(pinfo->cinfo, -1, was_writable);
    /* Removes packet-dcerpc's packet data, except the salt: else the next PDU would count as the frame's second. */
    salt = dcerpc_get_transport_salt(pinfo);
    p_remove_proto_data(pinfo->pool, pinfo, proto_get_id_by_filter_name("dcerpc"), 0);
    dcerpc_set_transport_salt(salt, pinfo);
}
