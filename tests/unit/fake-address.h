/* fake-address.h
 * In place of Wireshark's, which wants all of it to be started: addresses as text
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_FAKE_ADDRESS_H
#define PERFLIB_TESTS_UNIT_FAKE_ADDRESS_H

#include <epan/packet.h>
#include <epan/to_str.h>

/* 192.0.2.N, and 2001:db8::N. */
char *
address_to_str(wmem_allocator_t *into, const address *addr)
{
    const uint8_t *bytes = (const uint8_t *)addr->data;

    return addr->type == AT_IPv6 ? wmem_strdup_printf(into, "2001:db8::%x", bytes[15])
                                 : wmem_strdup_printf(into, "%u.%u.%u.%u", bytes[0], bytes[1], bytes[2], bytes[3]);
}

#endif /* PERFLIB_TESTS_UNIT_FAKE_ADDRESS_H */
