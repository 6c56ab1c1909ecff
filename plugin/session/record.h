/* record.h
 * What the sessions' dissector hands to statistics: one record a PDU of DCE/RPC, of any interface
 *
 * Binds, refusals and sealed PDUs, which packet-dcerpc hands to nobody, are among them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_RECORD_H
#define PERFLIB_SESSION_RECORD_H

#include "compat.h"

/* What carries the PDU. */
enum session_way { SESSION_TCP, SESSION_SMB2, SESSION_SMB };

/* A presentation context that a bind offers, or what a bind_ack says to it: [C706] 12.6.3.1. */
struct session_context {
    uint16_t id;             /* p_cont_id; of a bind_ack, which has none, its number in the list */
    e_guid_t uuid;           /* of the interface */
    uint16_t version;        /* its major version */
    uint16_t result, reason; /* of a bind_ack */
};

/* Queued to the tap "perflib_session" before the PDU is dissected, so that what its dissector queues comes after it. */
struct session_tap {
    enum session_way way;
    const void *file;      /* SMB2: the open file, file scope; NULL: not known, or another way */
    const char *pipe_name; /* SMB2: as the client called it; NULL: not known. File scope */
    uint16_t fid;          /* SMB1 */
    const e_guid_t
        *recognised;        /* the interface, where no bind says it; file scope. NULL: it was bound, or is unknown */
    uint8_t type;           /* PTYPE, [C706] 12.6.4: 0 request, 2 response, 3 fault, 11 bind ... */
    bool is_clients;        /* clients send such PDUs */
    bool is_first, is_last; /* fragment of its call */
    bool is_little_endian;
    uint32_t size; /* bytes of the stub, without its padding */
    uint32_t call_id;
    uint16_t context, opnum; /* of requests; context of responses, too */
    bool has_auth;           /* auth_type and auth_level are set */
    uint8_t auth_type, auth_level;
    bool has_ntlm, has_kerberos;            /* of binding PDUs: the token holds a message of NTLM, or a ticket */
    const struct session_context *contexts; /* packet scope */
    unsigned num_contexts;
    uint16_t reject_reason; /* of a bind_nak */
    uint32_t status;        /* of a fault */
    const uint8_t *stub;    /* of requests and responses in clear, as far as it was captured; packet scope */
    unsigned stub_length;
};

/*
 * To the tap "perflib_session_key" goes, at the first sealed PDU of a connection that nobody could open, a sentence
 * that says what would: a const char *, file scope. To "perflib_session_encrypted" the same of a connection that SMB 3
 * encrypts, packet scope.
 */

#endif /* PERFLIB_SESSION_RECORD_H */
