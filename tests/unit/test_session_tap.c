/* test_session_tap.c
 * What statistics are told of a PDU: what was read of it, wherever it stands in the bytes that were captured, and what carries it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#include <string.h>

#include <epan/tap.h>

#include "check.h"

/* In place of Wireshark's taps: their names, who listens, and what was queued last. */
static const char *taps[3];
static int num_taps, listened_to = -1, queued_to = -1;
static const void *queued;

int
register_tap(const char *name)
{
    taps[num_taps] = name;
    return num_taps++;
}

perflib_bool
have_tap_listener(int tap)
{
    return tap == listened_to;
}

void
tap_queue_packet(int tap, packet_info *pinfo, const void *data)
{
    (void)pinfo;
    queued_to = tap;
    queued = data;
}

static bool
was_queued_to(const char *name)
{
    return queued_to >= 0 && strcmp(taps[queued_to], name) == 0;
}

/* A request of 4 bytes, [C706] 12.6.4.9, behind so many others. */
static void
check_pdu(unsigned at, unsigned captured)
{
    static const uint8_t request[28] = { 5, 0, PDU_REQ, 3, 0x10, [8] = 28, [12] = 9, [22] = 7, [24] = 1, 2, 3, 4 };
    static const e_guid_t interface = { .data1 = 1 };
    const struct session_tap carrier = { .way = SESSION_SMB2,
        .file = request,
        .pipe_name = "winreg",
        .fid = 5,
        .recognised = &interface };
    packet_info pinfo = { .pool = wmem_epan_scope() };
    uint8_t bytes[64] = { 0 };
    const struct session_tap *record;
    struct rpc_pdu pdu, told;
    tvbuff_t *tvb;

    memcpy(bytes + at, request, sizeof request);
    tvb = tvb_new_real_data(bytes, at + captured, sizeof bytes);
    CHECK(rpc_pdu_read(tvb, at, &pdu) && pdu.at == at, "no PDU");
    queued_to = -1;
    session_tap_pdu(&pinfo, tvb, &pdu, &carrier);
    record = (const struct session_tap *)queued;
    CHECK(was_queued_to("perflib_session") && record != &carrier, "tap %d", queued_to);
    CHECK(record->way == SESSION_SMB2 && record->file == request && record->pipe_name == carrier.pipe_name &&
            record->fid == 5 && record->recognised == &interface,
        "what carries it");
    /* Whoever reads on reads from its beginning. */
    CHECK(tvb_captured_length(record->tvb) == captured && tvb_memeql(record->tvb, 0, request, captured) == 0,
        "%u bytes", tvb_captured_length(record->tvb));
    CHECK(rpc_pdu_read(record->tvb, 0, &told) && record->pdu.at == 0 && record->pdu.type == told.type &&
            record->pdu.is_whole == told.is_whole && record->pdu.call_id == 9 && record->pdu.length == 28 &&
            record->pdu.opnum == told.opnum && record->pdu.stub_at == 24 && record->pdu.stub_length == 4 &&
            pdu.at == at,
        "what was read");
}

int
main(void)
{
    packet_info pinfo = { .num = 1 };

    wmem_init_scopes();
    session_tap_register();
    for (unsigned at = 0; at < 8; at++) {
        check_pdu(at, 28);
        check_pdu(at, 26);
        check_pdu(at, 16);
    }
    session_tap_needed(&pinfo, "a key");
    CHECK(was_queued_to("perflib_session_key") && strcmp((const char *)queued, "a key") == 0, "what is needed");
    session_tap_encrypted(&pinfo, "a password");
    CHECK(was_queued_to("perflib_session_encrypted") && strcmp((const char *)queued, "a password") == 0,
        "what is needed");
    for (listened_to = 0; listened_to < num_taps; listened_to++) {
        CHECK(session_tap_is_wanted() == (strcmp(taps[listened_to], "perflib_session") == 0), "%s", taps[listened_to]);
    }
    return check_result();
}
