/* unread.c
 * Answers that were not read to their end or are still awaited, for tables whose own tap does not contain this
 *
 * The table of sessions learns it from SMB. One hidden table serves all callers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include <epan/tap.h>

static struct stat_rows *unread; /* NULL: no table needs it so far */

static void
unread_reset(void *data _U_)
{
    stat_rows_use(unread);
}

static tap_packet_status
unread_frame(void *data _U_, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    unread->kind->count(unread, pinfo, tapped);
    return TAP_PACKET_DONT_REDRAW;
}

void
unread_follow(void)
{
    GString *error;

    if (unread != NULL) {
        return;
    }
    unread = stat_rows_new(&sessions_table, "perflibv2", NULL, "Unread");
    sessions_note_stops(unread);
    stat_rows_use(unread);
    /* Wireshark resets taps before each capture, also when no table is open any more. */
    error =
        register_tap_listener("frame", &unread, NULL, TL_IS_DISSECTOR_HELPER, unread_reset, unread_frame, NULL, NULL);
    if (error != NULL) {
        g_string_free(error, TRUE);
    }
}

enum outcome_code
unread_why(uint32_t frame)
{
    return unread == NULL ? OUTCOME_NONE : sessions_unread(unread, frame);
}

GHashTable *
unread_awaited(void)
{
    GHashTable *frames = g_hash_table_new(g_direct_hash, g_direct_equal);

    if (unread != NULL) {
        sessions_add_awaited(unread, frames);
    }
    return frames;
}
