/* stopped.c
 * perflib_session.stopped: marks the frames in which attempts stopped
 *
 * Only later frames show that an attempt has stopped, and taps get a frame after it was dissected. So the field exists
 * only when Wireshark dissects the frame again, to show, color or filter it. tshark does not; it has the table of
 * sessions instead.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/tracker.h"

#include <epan/funnel.h>

#include "base/hash.h"

static int proto = -1;

static int hf_perflib_session_stopped = -1;

static void (*follow_sessions)(void);

/* frame to the outcome of stopped_note(); not emptied when statistics read the capture again */
static struct file_map stopped = { g_direct_hash, g_direct_equal, NULL };

void
stopped_note(uint32_t frame, const char *outcome)
{
    if (outcome != NULL) {
        wmem_map_insert(file_map(&stopped), GUINT_TO_POINTER(frame), (char *)outcome);
    } else {
        wmem_map_remove(file_map(&stopped), GUINT_TO_POINTER(frame));
    }
}

static int
show_stopped(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    const char *outcome = (const char *)wmem_map_lookup(file_map(&stopped), GUINT_TO_POINTER(pinfo->num));

    if (outcome != NULL) {
        proto_item_set_generated(proto_tree_add_string(tree, hf_perflib_session_stopped, tvb, 0, 0, outcome));
    }
    /* A dissector that returns 0 adds no protocol to frame.protocols. */
    return 0;
}

/* Calls follow_sessions() at the beginning of each capture, except in tshark, which has no dialogs. */
static void
stopped_begin(void)
{
    static dissector_handle_t handle;
    const funnel_ops_t *ops = funnel_get_funnel_ops();

    if (follow_sessions != NULL && (ops == NULL || ops->new_dialog != NULL)) {
        follow_sessions();
        if (handle == NULL) {
            /* Registered only now, since this dissector costs time for each frame of each capture. */
            handle = create_dissector_handle(show_stopped, proto);
            register_postdissector(handle);
        }
    }
}

void
stopped_follow(void (*follow)(void))
{
    follow_sessions = follow;
}

void
stopped_register(int session)
{
    static hf_register_info hf[] = {
        { &hf_perflib_session_stopped,
            { "Attempt stopped", "perflib_session.stopped", FT_STRING, BASE_NONE, NULL, 0,
                "Code of the reason why a client's attempt stopped in this frame, as in files of the sessions table. "
                "In Wireshark only",
                HFILL } },
    };

    proto_register_field_array(session, hf, array_length(hf));
    proto = session;
    register_init_routine(stopped_begin);
}
