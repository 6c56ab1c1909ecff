/* session.h
 * What happens around our calls, for the protocols: may the stub be believed that they are handed?
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_SESSION_H
#define PERFLIB_SESSION_SESSION_H

#include "compat.h"

/*
 * Whether the stub being dissected is one that was sealed and could not be opened (its packet is cut short), although Wireshark hands it
 * over as if it were in clear. Nothing of it may be read.
 */
bool session_stub_is_sealed(void);

/* Name of the tap that gets a struct session_unread for each sealed PDU that was not read though there is a key. */
#define SESSION_UNREAD_TAP "perflib_unread"

struct session_unread {
    const e_guid_t *interface_uuid;     /* NULL: the bind is not in the capture */
    bool is_response;
    bool has_opnum;
    uint16_t opnum;
    const char *reason;                 /* a few words, for tables */
};

#endif /* PERFLIB_SESSION_SESSION_H */
