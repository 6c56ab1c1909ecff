/* smb3.c
 * Connections that SMB 3 encrypts
 *
 * Why: without a key Wireshark reports nothing. Only the caller of packet-smb2 can see that a message added no data
 * source.
 *
 * What would break this: a packet-smb2 under another name, or one that adds no data source for what it decrypts.
 * Without the name nothing is registered.
 *
 * Tried: Wireshark 4.0.17, 4.4.19, 4.6.9.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#include <epan/dissectors/packet-smb2.h>
#include <epan/tap.h>

#include "base/hash.h"

/* Sizes of the headers of plain and encrypted messages, [MS-SMB2] 2.2.1.2 and 2.2.41. */
#define MESSAGE_SIZE    64u
#define COMMAND_AT      12
#define FLAGS_AT        16
#define TRANSFORM_SIZE  52u
#define SESSION_ID_AT   44
#define SESSION_ID_SIZE 8

struct encrypted {
    const conversation_t *conversation; /* conversation of the connection: key in all_encrypted */
    struct login login;
    uint32_t frame; /* first frame that was not decrypted; 0 if none */
};

static heur_dtbl_entry_t *smb2_entry;
static expert_field *unread;
static int tap_encrypted = -1; /* tap "perflib_session_encrypted", see session/record.h */

HASH_BYTES(encrypted, sizeof(const conversation_t *))
/* Set of struct encrypted, unique by conversation */
static struct file_map all_encrypted = { encrypted_hash, encrypted_equal, NULL };

static struct encrypted *
smb3_connection(packet_info *pinfo)
{
    const conversation_t *key = find_or_create_conversation(pinfo);

    return (struct encrypted *)hash_entry(file_map(&all_encrypted), &key, sizeof key, sizeof(struct encrypted));
}

/* Learns the user and the mechanism from a Session Setup. */
static void
learn_setup(tvbuff_t *tvb, packet_info *pinfo)
{
    const unsigned size = tvb_captured_length(tvb);

    if (size > MESSAGE_SIZE && tvb_get_letohs(tvb, COMMAND_AT) == SMB2_COM_SESSION_SETUP) {
        const bool is_response = tvb_get_letohl(tvb, FLAGS_AT) & SMB2_FLAGS_RESPONSE;

        login_learn(&smb3_connection(pinfo)->login, is_response ? PDU_BIND_ACK : PDU_BIND,
            DCE_C_RPC_AUTHN_PROTOCOL_SPNEGO, tvb_get_ptr(tvb, MESSAGE_SIZE, (int)(size - MESSAGE_SIZE)),
            size - MESSAGE_SIZE);
    }
}

/* Adds an expert item with the missing key to the first message of a connection that was not decrypted. */
static void
tell_encrypted(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    struct encrypted *connection = smb3_connection(pinfo);

    if (!pinfo->fd->visited && connection->frame == 0) {
        connection->frame = pinfo->num;
    }
    if (connection->frame == pinfo->num) {
        const char *id = tvb_bytes_to_str(pinfo->pool, tvb, SESSION_ID_AT, SESSION_ID_SIZE);
        const struct key_needed *needed = login_needed_by_smb3(pinfo->pool, &connection->login, id, pinfo->fd->visited);

        proto_tree_add_expert_format(tree, pinfo, unread, tvb, 0, TRANSFORM_SIZE, "%s", needed->text);
        tap_queue_packet(tap_encrypted, pinfo, needed);
    }
}

static perflib_bool
dissect_smb3(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    static const uint8_t plain[] = { 0xfe, 'S', 'M', 'B' }, transform[] = { 0xfd, 'S', 'M', 'B' };
    const unsigned sources = perflib_num_sources(pinfo), size = tvb_captured_length(tvb);

    if (!smb2_entry->enabled) {
        return false;
    }
    if (!pinfo->fd->visited && tvb_memeql(tvb, 0, plain, sizeof plain) == 0) {
        learn_setup(tvb, pinfo);
    }
    if (!smb2_entry->dissector(tvb, pinfo, tree, data)) {
        return false;
    }
    /* Wireshark adds a data source for each message that it decrypts. Without a new one it has no key. */
    if (size >= TRANSFORM_SIZE && tvb_memeql(tvb, 0, transform, sizeof transform) == 0 &&
        perflib_num_sources(pinfo) == sources) {
        tell_encrypted(tvb, pinfo, tree);
    }
    return true;
}

void
smb3_handoff(expert_field *item)
{
    unread = item;
    tap_encrypted = register_tap("perflib_session_encrypted");
    smb2_entry = find_heur_dissector_by_unique_short_name("smb2_netbios");
    if (smb2_entry != NULL) {
        /* Registered for the protocol SMB2, so that frame.protocols is the same with and without the plugin. */
        heur_dissector_add("netbios", dissect_smb3, "SMB2 over NetBIOS (also checks decryption)",
            "perflib_smb2_netbios", proto_get_id_by_filter_name("smb2"), HEURISTIC_ENABLE);
    }
}
