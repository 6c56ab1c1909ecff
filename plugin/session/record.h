/* record.h
 * Tap records of DCE/RPC PDUs, one per PDU of any interface
 *
 * They include binds, rejections and sealed PDUs, which packet-dcerpc passes to no dissector.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_RECORD_H
#define PERFLIB_SESSION_RECORD_H

#include "session/session-pdu.h"

/*
 * Record of the tap "perflib_session", one per PDU. It is queued before the PDU is dissected, so listeners get this
 * record before those of the PDU's dissector.
 */
struct session_tap {
    enum session_transport transport;
    const void *file;              /* open file of SMB2, file scope; NULL if unknown or not SMB2 */
    const char *pipe_name;         /* pipe name of SMB2 as the client wrote it, file scope; NULL if unknown */
    uint16_t fid;                  /* FID of SMB1 */
    const struct binding *binding; /* binding of the PDU's context when it was sent; NULL if unknown */
    const struct login *login;     /* logon that the PDU's token is part of; NULL if it has no token */
    tvbuff_t *tvb;                 /* buffer that begins with the PDU */
    struct rpc_pdu pdu;            /* header of the PDU, read from tvb */
};

/*
 * Two other taps have records of struct key_needed. "perflib_session_key": at the first PDU of a pipe and interface
 * that needs a key; file scope. "perflib_session_encrypted": at the first message of an SMB 3 connection that was not
 * decrypted; packet scope.
 */

#endif /* PERFLIB_SESSION_RECORD_H */
