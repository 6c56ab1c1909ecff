/* record.h
 * What the sessions' dissector hands to statistics: one record a PDU of DCE/RPC, of any interface
 *
 * Binds, refusals and sealed PDUs, which packet-dcerpc hands to nobody, are among them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_RECORD_H
#define PERFLIB_SESSION_RECORD_H

#include "session/session-pdu.h"

/* Queued to the tap "perflib_session" before the PDU is dissected, so that what its dissector queues comes after it. */
struct session_tap {
    enum session_transport transport;
    const void *file;      /* SMB2: the open file, file scope; NULL: not known, or another way */
    const char *pipe_name; /* SMB2: as the client called it; NULL: not known. File scope */
    uint16_t fid;          /* SMB1 */
    /* The interface, where no bind says it; file scope. NULL: it was bound, or is unknown. */
    const e_guid_t *recognised;
    uint16_t recognised_version;
    tvbuff_t *tvb;      /* begins with the PDU, */
    struct rpc_pdu pdu; /* ... which was read from it */
};

/*
 * To the tap "perflib_session_key" goes, at the first sealed PDU of a connection that nobody could open, a sentence
 * that says what would: a const char *, file scope. To "perflib_session_encrypted" the same of a connection that SMB 3
 * encrypts, packet scope.
 */

#endif /* PERFLIB_SESSION_RECORD_H */
