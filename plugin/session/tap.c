/* tap.c
 * Hands PDUs to statistics as they stand on the wire
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#include <epan/tap.h>

static int tap_session = -1;
static int tap_key = -1;
static int tap_encrypted = -1;

void
session_tap_pdu(packet_info *pinfo, tvbuff_t *tvb, const struct rpc_pdu *pdu, const struct session_tap *carrier)
{
    struct session_tap *record = (struct session_tap *)wmem_memdup(pinfo->pool, carrier, sizeof *carrier);

    record->tvb = pdu->at == 0 ? tvb : tvb_new_subset_remaining(tvb, (int)pdu->at);
    record->pdu = *pdu;
    record->pdu.at = 0;
    tap_queue_packet(tap_session, pinfo, record);
}

void
session_tap_needed(packet_info *pinfo, const char *needed)
{
    tap_queue_packet(tap_key, pinfo, needed);
}

void
session_tap_encrypted(packet_info *pinfo, const char *needed)
{
    tap_queue_packet(tap_encrypted, pinfo, needed);
}

bool
session_tap_is_wanted(void)
{
    return have_tap_listener(tap_session);
}

void
session_tap_register(void)
{
    tap_session = register_tap("perflib_session");
    tap_key = register_tap("perflib_session_key");
    tap_encrypted = register_tap("perflib_session_encrypted");
}
