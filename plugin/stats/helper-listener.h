/* helper-listener.h
 * Tap listeners that by themselves do not cause packets to be dissected
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_HELPER_LISTENER_H
#define PERFLIB_STATS_HELPER_LISTENER_H

#include "compat.h"

#include <epan/tap.h>

/*
 * Adds a tap listener that by itself does not cause packets to be dissected. data: identifies the listener; reset:
 * called before each capture, also when no table is open any more, or NULL; draw: called before tables are drawn, or
 * NULL.
 */
void helper_listen(const char *tap, void *data, tap_reset_cb reset, tap_packet_cb packet, tap_draw_cb draw);

#endif /* PERFLIB_STATS_HELPER_LISTENER_H */
