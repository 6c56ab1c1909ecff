/* helper-listener.h
 * Listening to taps without being a reason to dissect anything
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_HELPER_LISTENER_H
#define PERFLIB_STATS_HELPER_LISTENER_H

#include "compat.h"

#include <epan/tap.h>

/*
 * Listens to a tap, from now on, as a helper: it alone is no reason to dissect anything. data: whatever tells this
 * listener from others. draw: NULL, or what is done before tables are drawn.
 */
void helper_listen(const char *tap, void *data, tap_packet_cb packet, tap_draw_cb draw);

#endif /* PERFLIB_STATS_HELPER_LISTENER_H */
