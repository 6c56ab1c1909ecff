/* decode-as.c
 * "Decode As" of TCP ports, which calls packet-dcerpc without any heuristic dissector
 *
 * For each file, entries of the table "tcp.port" for packet-dcerpc are replaced by this plugin's dissector, which is
 * registered for the same protocol so that the entries look unchanged.
 *
 * Why: PDUs that do not pass session/ are decrypted with the wrong key stream, and their faults and binds are missed.
 *
 * What would break this: a Wireshark that keeps the entries of ports elsewhere, or that saves the replaced entries.
 *
 * Read and tried: Wireshark 4.0.17, 4.4.18, 4.6.9.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

static dissector_handle_t own;
static dissector_handle_t inner; /* packet-dcerpc's dissector */
static int proto_dcerpc;

void
decode_as_init(dissector_t dissector, int proto)
{
    proto_dcerpc = proto;
    own = create_dissector_handle(dissector, proto);
}

int
decode_as_call_inner(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    return call_dissector_only(inner, tvb, pinfo, tree, data);
}

static void
decode_as_find(const char *table _U_, ftenum_t type _U_, void *key, void *value, void *ports)
{
    dissector_handle_t handle = dtbl_entry_get_handle((dtbl_entry_t *)value);

    if (handle != NULL && handle != own && dissector_handle_get_protocol_index(handle) == proto_dcerpc) {
        inner = handle;
        wmem_list_append((wmem_list_t *)ports, key);
    }
}

void
decode_as_take(void)
{
    wmem_list_t *ports = wmem_list_new(NULL);

    dissector_table_foreach("tcp.port", decode_as_find, ports);
    for (wmem_list_frame_t *link = wmem_list_head(ports); link != NULL; link = wmem_list_frame_next(link)) {
        dissector_change_uint("tcp.port", GPOINTER_TO_UINT(wmem_list_frame_data(link)), own);
    }
    wmem_destroy_list(ports);
}
