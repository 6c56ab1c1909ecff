/* machines.h
 * What servers are called in szMachine, and calls that name another server than the one they go to
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_MACHINES_H
#define PERFLIB_PERFLIBV2_MACHINES_H

#include "compat.h"

/* Makes the memory of each newly opened file; called once, at registration. */
void machines_init(void);

/*
 * A request with this szMachine goes to the packet's destination. Why it names another server, in file scope; NULL:
 * nothing shows that. First pass only.
 *
 * Nobody but the peers knows all names and addresses of a host: aliases, several network cards, clusters, translated
 * addresses and tunnels are no errors. So a name counts as another server's only where that one, at another address,
 * was called so and nothing else, and this one was called something else and nothing else; an address, where calls
 * went to it, too, under another name. Case and domain of names do not count; loopback says nothing.
 */
const char *machines_learn(const packet_info *pinfo, const char *machine);

#endif /* PERFLIB_PERFLIBV2_MACHINES_H */
