/* server.h
 * Machines: who answers under one name by one address and port
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_SERVER_H
#define PERFLIB_COUNTERS_SERVER_H

#include "compat.h"

#include <epan/address.h>

/* A machine: what it is called, and what the capture taught of it (counters/catalog.h). File scope. */
struct server;

/* Makes the empty memory of each newly opened file; called once, at registration. */
void server_init(void);

/* The server that answers at this address and port; made on first use. */
struct server *server_at(const address *addr, uint32_t port);

/*
 * The machine that a server is, by what is known by now: one that no call named is the one that was named at its
 * address and port, if there was only one. Whoever compares servers, or keeps something by them, asks for this first.
 */
const struct server *server_known(const struct server *server);

/*
 * HOST of its counter paths: its name without backslashes, or its address. No other machine has the same text, which
 * does not change once it was named. Never NULL.
 */
const char *server_host(const struct server *server);

#endif /* PERFLIB_COUNTERS_SERVER_H */
