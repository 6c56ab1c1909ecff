/* tap.h
 * Hands PDUs to statistics as they stand on the wire: session/record.h
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_TAP_H
#define PERFLIB_SESSION_TAP_H

#include "session/record.h"

/* Called once at registration. */
void session_tap_register(void);
/* Whether anybody listens. */
bool session_tap_is_wanted(void);

/*
 * Queues the record of a PDU that was read from tvb. carrier: what carries it, as the members before tvb say; the rest
 * is filled in.
 */
void session_tap_pdu(packet_info *pinfo, tvbuff_t *tvb, const struct rpc_pdu *pdu, const struct session_tap *carrier);

/* Queues what would open the sealed PDUs of a connection; file scope. */
void session_tap_needed(packet_info *pinfo, const char *needed);
/* The same of a connection that SMB 3 encrypts: whose calls it carries nobody knows. */
void session_tap_encrypted(packet_info *pinfo, const char *needed);

#endif /* PERFLIB_SESSION_TAP_H */
