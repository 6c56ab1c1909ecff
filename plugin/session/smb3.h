/* smb3.h
 * Connections that SMB 3 encrypts: whether they are read, and what it takes
 *
 * Nothing of what they carry comes to this plugin unless Wireshark opened it, so that nothing else tells why it is
 * missing.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_SMB3_H
#define PERFLIB_SESSION_SMB3_H

#include "compat.h"

#include <epan/expert.h>

/* Called once, when all protocols are registered: whose item says that a connection is not read. */
void smb3_handoff(expert_field *item);
/* Forgets everything. At the beginning of a capture. */
void smb3_reset(void);

#endif /* PERFLIB_SESSION_SMB3_H */
