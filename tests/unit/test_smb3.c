/* test_smb3.c
 * Connections that SMB 3 encrypts: what is learned of who logs on, and of which message it is said that nobody opened it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#include <stdarg.h>
#include <string.h>

#include <epan/conversation.h>
#include <epan/dissectors/packet-dcerpc.h>
#include <epan/expert.h>
#include <epan/tap.h>

#include "check.h"
#include "file-scope.h"

#define MESSAGE_SIZE   64u
#define TRANSFORM_SIZE 52u

/* In place of Wireshark's SMB2 dissector: what it is given, and whether it takes and opens it. */
static unsigned num_sources, times_dissected;
static bool takes, opens;

static perflib_bool
dissect_smb2(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    (void)tvb;
    (void)pinfo;
    (void)tree;
    CHECK(data == &takes, "other data");
    times_dissected++;
    num_sources += opens;
    return takes;
}

static heur_dtbl_entry_t smb2 = { .dissector = dissect_smb2 };
static bool has_smb2;
static heur_dissector_t added;

heur_dtbl_entry_t *
find_heur_dissector_by_unique_short_name(const char *name)
{
    return has_smb2 && strcmp(name, "smb2_netbios") == 0 ? &smb2 : NULL;
}

void
heur_dissector_add(const char *name, heur_dissector_t dissector, const char *display_name, const char *internal_name,
    const int proto, heuristic_enable_e enable)
{
    CHECK(strcmp(name, "netbios") == 0 && display_name[0] != '\0' && strncmp(internal_name, "perflib_", 8) == 0 &&
            proto == 7 && enable == HEURISTIC_ENABLE,
        "%s, %s", name, internal_name);
    added = dissector;
}

int
proto_get_id_by_filter_name(const char *name)
{
    return strcmp(name, "smb2") == 0 ? 7 : -1;
}

unsigned
perflib_num_sources(const packet_info *pinfo)
{
    (void)pinfo;
    return num_sources;
}

static conversation_t conversations[2];
static unsigned at_conversation;

/* 4.6 takes a packet that is constant. */
#if PERFLIB_WIRESHARK_AT_LEAST(4, 5)
#define PACKET const packet_info
#else
#define PACKET packet_info
#endif
conversation_t *
find_or_create_conversation(PACKET *pinfo)
{
    (void)pinfo;
    return &conversations[at_conversation];
}

/* What was learned last, and what is asked for. */
static struct {
    struct login *login;
    uint8_t pdu_type, auth_type;
    uint8_t token[100];
    unsigned size, times;
} learned;

void
login_learn(struct login *login, uint8_t pdu_type, uint8_t auth_type, const uint8_t *token, unsigned size)
{
    learned.login = login;
    learned.pdu_type = pdu_type;
    learned.auth_type = auth_type;
    memcpy(learned.token, token, size);
    learned.size = size;
    learned.times++;
}

static const struct login *asked_of;
static bool asked_again;

const char *
login_needed_by_smb3(wmem_allocator_t *scope, const struct login *login, const char *id, bool is_again)
{
    asked_of = login;
    asked_again = is_again;
    return wmem_strdup_printf(scope, "the key of %s", id);
}

static char told[100], queued[100];
static expert_field item;

proto_item *
proto_tree_add_expert_format(proto_tree *tree, packet_info *pinfo, expert_field *ei, tvbuff_t *tvb, int start,
    int length, const char *format, ...)
{
    va_list arguments;

    (void)pinfo;
    (void)tvb;
    CHECK(tree == (proto_tree *)&item && ei == &item && start == 0 && length == (int)TRANSFORM_SIZE, "%d, %d", start,
        length);
    va_start(arguments, format);
    vsnprintf(told, sizeof told, format, arguments);
    va_end(arguments);
    return NULL;
}

int
register_tap(const char *name)
{
    return strcmp(name, "perflib_session_encrypted") == 0 ? 5 : -1;
}

void
tap_queue_packet(int tap, packet_info *pinfo, const void *data)
{
    (void)pinfo;
    CHECK(tap == 5, "another tap");
    snprintf(queued, sizeof queued, "%s", (const char *)data);
}

/* A message, [MS-SMB2] 2.2.1.2 and 2.2.41, of so many bytes. Returns whether it was taken. */
static bool
message(uint32_t number, bool visited, uint8_t protocol, uint8_t command, uint32_t flags, unsigned size)
{
    uint8_t bytes[200] = { protocol, 'S', 'M',
        'B', [12] = command, [16] = (uint8_t)flags, [19] = (uint8_t)(flags >> 24), [44] = 1, 2, 3, 4, 5, 6, 7,
        8, [64] = 9, 8, 7 };
    frame_data frame = { .num = number, .visited = visited };
    packet_info pinfo = { .num = number, .fd = &frame, .pool = wmem_epan_scope() };
    tvbuff_t *tvb = tvb_new_real_data(bytes, size, (int)size);
    bool is_taken;

    learned.times = times_dissected = 0;
    told[0] = queued[0] = '\0';
    is_taken = added(tvb, &pinfo, (proto_tree *)&item, &takes);
    tvb_free(tvb);
    return is_taken;
}

static bool
is_told(void)
{
    CHECK(strcmp(told, queued) == 0, "%s, %s", told, queued);
    CHECK(told[0] == '\0' || strcmp(told, "the key of 0102030405060708") == 0, "%s", told);
    return told[0] != '\0';
}

#define PLAIN     0xfe
#define TRANSFORM 0xfd

static void
test_setup(void)
{
    const struct login *login;

    CHECK(message(1, false, PLAIN, 1, 0, MESSAGE_SIZE + 3) && times_dissected == 1, "not taken");
    CHECK(learned.times == 1 && learned.pdu_type == PDU_BIND && learned.size == 3 &&
            memcmp(learned.token, "\x09\x08\x07", 3) == 0 && learned.auth_type == DCE_C_RPC_AUTHN_PROTOCOL_SPNEGO,
        "%u bytes", learned.size);
    login = learned.login;
    message(2, false, PLAIN, 1, 1, MESSAGE_SIZE + 1);
    CHECK(learned.times == 1 && learned.pdu_type == PDU_BIND_ACK && learned.size == 1 && learned.login == login,
        "the server's");
    message(3, false, PLAIN, 1, 0x80000008, MESSAGE_SIZE + 1);
    CHECK(learned.times == 1 && learned.pdu_type == PDU_BIND, "other flags");
    at_conversation = 1;
    message(3, false, PLAIN, 1, 0, MESSAGE_SIZE + 1);
    CHECK(learned.times == 1 && learned.login != login, "another connection");
    at_conversation = 0;
    for (unsigned i = 0; i < 5; i++) {
        CHECK(message(4, i == 0,
                  i == 1       ? TRANSFORM
                      : i == 2 ? 0xff
                               : PLAIN,
                  i == 3 ? 0 : 1, 0, i == 4 ? MESSAGE_SIZE : MESSAGE_SIZE + 1) &&
                learned.times == 0,
            "case %u", i);
        smb3_reset();
    }
    CHECK(message(5, false, PLAIN, 1, 0, 3) && learned.times == 0, "three bytes");
}

static void
test_encrypted(void)
{
    smb3_reset();
    message(1, false, PLAIN, 1, 0, MESSAGE_SIZE + 3);
    /* What is opened, too short, or none of SMB 3's needs nothing. */
    opens = true;
    CHECK(message(2, false, TRANSFORM, 0, 0, 100) && !is_told(), "it was opened");
    opens = false;
    CHECK(message(3, false, TRANSFORM, 0, 0, TRANSFORM_SIZE - 1) && !is_told(), "it is too short");
    CHECK(message(3, false, PLAIN, 0, 0, 100) && !is_told(), "it is in clear");
    takes = false;
    CHECK(!message(3, false, TRANSFORM, 0, 0, 100) && !is_told(), "it is none");
    takes = true;
    smb2.enabled = false;
    CHECK(!message(3, false, TRANSFORM, 0, 0, 100) && !is_told() && times_dissected == 0, "it is switched off");
    smb2.enabled = true;
    CHECK(message(3, true, TRANSFORM, 0, 0, 100) && !is_told(), "a later pass learns nothing");

    CHECK(message(4, false, TRANSFORM, 0, 0, TRANSFORM_SIZE) && is_told() && !asked_again && asked_of == learned.login,
        "the first");
    CHECK(message(5, false, TRANSFORM, 0, 0, 100) && !is_told(), "the second");
    CHECK(message(4, false, TRANSFORM, 0, 0, 100) && is_told(), "the first, again");
    CHECK(message(4, true, TRANSFORM, 0, 0, 100) && is_told() && asked_again, "in a later pass");
    CHECK(message(5, true, TRANSFORM, 0, 0, 100) && !is_told(), "in a later pass");
    at_conversation = 1;
    CHECK(message(6, false, TRANSFORM, 0, 0, 100) && is_told() && asked_of != learned.login, "of another connection");
    at_conversation = 0;
    smb3_reset();
    CHECK(message(7, false, TRANSFORM, 0, 0, 100) && is_told(), "of another capture");
}

int
main(void)
{
    wmem_init_scopes();
    smb3_handoff(&item);
    CHECK(added == NULL, "without SMB2");
    has_smb2 = true;
    smb3_handoff(&item);
    if (added == NULL) {
        CHECK(false, "not added");
        return check_result();
    }
    smb2.enabled = takes = true;
    smb3_reset();
    test_setup();
    test_encrypted();
    return check_result();
}
