/* fake-taps.h
 * In place of Wireshark's: taps, which keep what each was told last, and whether the protocol is switched on
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_FAKE_TAPS_H
#define PERFLIB_TESTS_UNIT_FAKE_TAPS_H

#include <epan/tap.h>

#include "compat.h"
#include "fake-tree.h"

static packet_info pinfo; /* of which all are told */

static struct {
    const char *name;
    const void *told;
} taps[16];
static int num_taps;
static perflib_bool is_listening = true, is_on = true;

int
register_tap(const char *name)
{
    taps[num_taps].name = name;
    return num_taps++;
}

perflib_bool
have_tap_listener(int tap)
{
    CHECK(tap >= 0 && tap < num_taps, "tap %d", tap);
    return is_listening;
}

void
tap_queue_packet(int tap, packet_info *to, const void *data)
{
    CHECK(to == &pinfo && tap >= 0 && tap < num_taps, "tap %d", tap);
    taps[tap].told = data;
}

static inline const void *
told_of(const char *name)
{
    for (int i = 0; i < num_taps; i++) {
        if (strcmp(taps[i].name, name) == 0) {
            return taps[i].told;
        }
    }
    CHECK(false, "no tap %s", name);
    return NULL;
}

/* Before the next packet. */
static inline void
forget_told(void)
{
    for (int i = 0; i < num_taps; i++) {
        taps[i].told = NULL;
    }
}

/* The first protocol. */
protocol_t *
find_protocol_by_id(const int number)
{
    CHECK(number == 1, "%d", number);
    return NULL;
}

perflib_bool
proto_is_protocol_enabled(const protocol_t *protocol)
{
    (void)protocol;
    return is_on;
}

module_t *
prefs_register_protocol(int id, void (*apply)(void))
{
    (void)id;
    (void)apply;
    return NULL;
}

#endif /* PERFLIB_TESTS_UNIT_FAKE_TAPS_H */
