/* connections.h
 * The TCP connections of packets, and their ends
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_CONNECTIONS_H
#define PERFLIB_STATS_CONNECTIONS_H

#include "compat.h"

struct connections;

/*
 * Watches TCP from now on, for as long as the process lives. Calls ended with a connection's number (tcp.stream)
 * when it is closed or reset by either side, once. NULL where TCP can't be watched: nothing will be known.
 */
struct connections *connections_new(void (*ended)(uint32_t connection, void *data), void *data);
/* Forgets all, before packets are read anew. */
void connections_clear(struct connections *connections);

/* The connection of the packet being counted. False: not known, or the packet came another way. */
bool connections_find(const struct connections *connections, const packet_info *pinfo, uint32_t *connection);
bool connections_has_ended(const struct connections *connections, uint32_t connection);

#endif /* PERFLIB_STATS_CONNECTIONS_H */
