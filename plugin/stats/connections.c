/* connections.c
 * The TCP connections of packets, and their ends
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/connections.h"

#include <epan/dissectors/packet-tcp.h>
#include <epan/tap.h>

struct connections {
    void (*ended_cb)(uint32_t connection, void *data);
    void *data;
    uint32_t frame;      /* of the latest segment; 0: none */
    uint32_t connection; /* it is a stream of this connection */
    GHashTable *ended;   /* their numbers */
};

static void
tcp_reset(void *data)
{
    connections_clear((struct connections *)data);
}

static tap_packet_status
tcp_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    struct connections *connections = (struct connections *)data;
    const tcp_info_t *segment = (const tcp_info_t *)tapped;

    connections->frame = pinfo->num;
    connections->connection = segment->th_stream;
    if ((segment->th_flags & (TH_FIN | TH_RST)) != 0 &&
        g_hash_table_add(connections->ended, GUINT_TO_POINTER(segment->th_stream))) {
        connections->ended_cb(segment->th_stream, connections->data);
    }
    return TAP_PACKET_DONT_REDRAW;
}

struct connections *
connections_new(void (*ended)(uint32_t connection, void *data), void *data)
{
    struct connections *connections = g_new0(struct connections, 1);
    GString *error;

    connections->ended_cb = ended;
    connections->data = data;
    connections->ended = g_hash_table_new(g_direct_hash, g_direct_equal);
    /* A helper, because it alone is no reason to dissect anything. */
    error = register_tap_listener("tcp", connections, NULL, TL_IS_DISSECTOR_HELPER, tcp_reset, tcp_packet, NULL, NULL);
    if (error != NULL) {
        g_string_free(error, TRUE);
        g_hash_table_destroy(connections->ended);
        g_free(connections);
        return NULL;
    }
    return connections;
}

void
connections_clear(struct connections *connections)
{
    connections->frame = 0;
    g_hash_table_remove_all(connections->ended);
}

bool
connections_find(const struct connections *connections, const packet_info *pinfo, uint32_t *connection)
{
    *connection = connections->connection;
    return connections->frame == pinfo->num;
}

bool
connections_has_ended(const struct connections *connections, uint32_t connection)
{
    return g_hash_table_contains(connections->ended, GUINT_TO_POINTER(connection));
}
