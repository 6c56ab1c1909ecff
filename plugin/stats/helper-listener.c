/* helper-listener.c
 * Tap listeners that by themselves do not cause packets to be dissected
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/rows.h"

void
helper_listen(const char *tap, void *data, tap_reset_cb reset, tap_packet_cb packet, tap_draw_cb draw)
{
    GString *error = register_tap_listener(tap, data, NULL, TL_IS_DISSECTOR_HELPER, reset, packet, draw, NULL);

    if (error != NULL) {
        g_string_free(error, TRUE);
    }
}
