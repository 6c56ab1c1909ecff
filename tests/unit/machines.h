/* machines.h
 * An open capture in which calls were answered, so that there are machines: in place of Wireshark, which opens it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_MACHINES_H
#define PERFLIB_TESTS_UNIT_MACHINES_H

#include "counters/server.h"

#include <epan/packet.h>
#include <epan/to_str.h>

#include "fake-file.h"

static void (*begin_routines[4])(void);
static void (*end_routine)(void);
static unsigned num_begin_routines;

void
register_init_routine(void (*routine)(void))
{
    begin_routines[num_begin_routines++] = routine;
}

void
register_cleanup_routine(void (*routine)(void))
{
    end_routine = routine;
}

/* 192.0.2.N, and 2001:db8::N. */
char *
address_to_str(wmem_allocator_t *into, const address *addr)
{
    const uint8_t *bytes = (const uint8_t *)addr->data;

    return addr->type == AT_IPv6 ? wmem_strdup_printf(into, "2001:db8::%x", bytes[15])
                                 : wmem_strdup_printf(into, "%u.%u.%u.%u", bytes[0], bytes[1], bytes[2], bytes[3]);
}

/* Closes the capture and opens another, in which no call was made yet. */
static inline void
file_begin(void)
{
    if (num_begin_routines == 0) {
        server_init();
    }
    wmem_free_all(scope);
    for (unsigned i = 0; i < num_begin_routines; i++) {
        begin_routines[i]();
    }
}

/* The machine of 192.0.2.1, port 135, that a call on a connection names; NULL: the call names none. */
static inline struct server *
machine_answers(struct server_link *link, const char *name)
{
    static const uint8_t bytes[] = { 192, 0, 2, 1 };
    const address addr = { .type = AT_IPv4, .len = sizeof bytes, .data = bytes };
    const struct server_address at = { &addr, 135 };

    return name == NULL ? server_asked(link, at, NULL) : server_answered(link, at, name, 1);
}

/* The same of a connection of its own. */
static inline struct server *
machine(const char *name)
{
    struct server_link link = { NULL, false };

    return machine_answers(&link, name);
}

#endif /* PERFLIB_TESTS_UNIT_MACHINES_H */
