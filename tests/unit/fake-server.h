/* fake-server.h
 * In place of counters/server.c: every machine is called HOST, and is none but itself; one that is not known has no name
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_FAKE_SERVER_H
#define PERFLIB_TESTS_UNIT_FAKE_SERVER_H

#include "counters/server.h"

const struct server *
server_known(const struct server *server)
{
    return server;
}

const char *
server_host(const struct server *server)
{
    return server == NULL ? "" : "HOST";
}

#endif /* PERFLIB_TESTS_UNIT_FAKE_SERVER_H */
