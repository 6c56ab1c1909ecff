/* session-pdu.c
 * Record of the DCE/RPC PDU being dissected
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session-pdu.h"

#include <epan/proto_data.h>

#include "session/session.h"

static int proto_session;
static protocol_t *protocol;

void
session_pdu_init(int proto)
{
    proto_session = proto;
    protocol = find_protocol_by_id(proto);
}

bool
session_is_enabled(void)
{
    return proto_is_protocol_enabled(protocol);
}

const struct session_pdu *
session_pdu_of(packet_info *pinfo)
{
    const struct session_packet *packet =
        (const struct session_packet *)p_get_proto_data(pinfo->pool, pinfo, proto_session, 0);

    return packet == NULL ? NULL : packet->pdu;
}

struct session_packet *
session_packet_of(packet_info *pinfo)
{
    static unsigned dissections;
    struct session_packet *packet = (struct session_packet *)p_get_proto_data(pinfo->pool, pinfo, proto_session, 0);

    if (packet == NULL) {
        packet = wmem_new0(pinfo->pool, struct session_packet);
        packet->dissection = ++dissections == 0 ? ++dissections : dissections;
        p_add_proto_data(pinfo->pool, pinfo, proto_session, 0, packet);
    }
    return packet;
}

bool
session_pdu_is_assumed(const struct session_pdu *pdu)
{
    return pdu != NULL && pdu->binding != NULL && pdu->binding->recognition != NULL &&
        !pdu->binding->recognition->is_confirmed;
}

bool
session_pdu_is_alone(const struct session_pdu *pdu)
{
    return pdu != NULL && (pdu->header.flags & PDU_FLAG_FIRST_FRAG) && (pdu->header.flags & PDU_FLAG_LAST_FRAG);
}

bool
session_pdu_lacks_beginning(const struct session_pdu *pdu)
{
    return pdu != NULL && pdu->lacks_beginning;
}

bool
session_pdu_lacks_end(const struct session_pdu *pdu)
{
    return pdu != NULL && (pdu->header.flags & PDU_FLAG_FIRST_FRAG) != 0 &&
        (pdu->header.flags & PDU_FLAG_LAST_FRAG) == 0;
}

struct rpc_position
session_pdu_position(const struct session_pdu *pdu)
{
    return pdu == NULL || pdu->calls == NULL ? (struct rpc_position){ .calls = NULL } : pdu->calls->position;
}

void
session_pdu_note(const struct session_pdu *pdu, const packet_info *pinfo, const dcerpc_info *di,
    const struct rpc_listener *listener, void *state)
{
    if (pdu != NULL && pdu->calls != NULL && !pinfo->fd->visited) {
        calls_note(pdu->calls, di, listener, state, pinfo);
    }
}
