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

#endif /* PERFLIB_SESSION_SESSION_H */
