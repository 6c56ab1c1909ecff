/* tap.c
 * Hands PDUs to statistics as they stand on the wire
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/tap.h"

#include <epan/tap.h>

static int tap_session = -1;
static int tap_key = -1;
static int tap_encrypted = -1;

/* Offsets within PDUs: [C706] 12.6.4.4 (bind_ack), 12.6.4.5 (bind_nak) */
#define BIND_NAK_REASON_AT 16u

/* One PDU being read. */
struct reading {
    packet_info *pinfo;
    tvbuff_t *tvb; /* begins with it */
    unsigned end;  /* of what was captured of it */
    unsigned encoding;
    struct session_tap *record;
};

static struct session_context *
make_contexts(struct reading *r, unsigned count)
{
    struct session_context *contexts = wmem_alloc0_array(r->pinfo->pool, struct session_context, count + 1);

    r->record->contexts = contexts;
    return contexts;
}

static void
read_offered(struct reading *r, const struct rpc_pdu *pdu)
{
    struct rpc_contexts walk = rpc_contexts_begin(r->tvb, pdu);
    struct session_context *contexts = make_contexts(r, walk.left);
    struct rpc_context context;

    while (rpc_contexts_next(&walk, &context)) {
        contexts[r->record->num_contexts++] =
            (struct session_context){ .id = context.id, .uuid = context.uuid, .version = context.version };
    }
}

static void
session_tap_read_results(struct reading *r, const struct rpc_pdu *pdu)
{
    struct rpc_contexts walk = rpc_results_begin(r->tvb, pdu);
    struct session_context *contexts = make_contexts(r, walk.left);
    struct rpc_result result;

    while (rpc_results_next(&walk, &result)) {
        contexts[r->record->num_contexts] = (struct session_context){
            .id = (uint16_t)r->record->num_contexts,
            .result = result.result,
            .reason = result.reason,
        };
        r->record->num_contexts++;
    }
}

/* A token lists what the client could do; the message in it tells what it does. */
static void
read_token(struct reading *r, const struct rpc_pdu *pdu)
{
    static const uint8_t ntlm[] = { 'N', 'T', 'L', 'M', 'S', 'S', 'P', 0 };
    /* pvno and msg-type of KRB_AP_REQ and KRB_AP_REP in DER: [RFC4120] 5.5.1, 5.5.2 */
    static const uint8_t ap_req[] = { 0xa0, 0x03, 0x02, 0x01, 0x05, 0xa1, 0x03, 0x02, 0x01, 0x0e };
    static const uint8_t ap_rep[] = { 0xa0, 0x03, 0x02, 0x01, 0x05, 0xa1, 0x03, 0x02, 0x01, 0x0f };
    const uint8_t *token;

    if (!pdu->has_trailer || !rpc_pdu_is_binding(pdu)) {
        return;
    }
    token = tvb_get_ptr(r->tvb, (int)pdu->auth_at, (int)pdu->auth_length);
    r->record->has_ntlm = ws_memmem(token, pdu->auth_length, ntlm, sizeof ntlm) != NULL;
    r->record->has_kerberos = ws_memmem(token, pdu->auth_length, ap_req, sizeof ap_req) != NULL ||
        ws_memmem(token, pdu->auth_length, ap_rep, sizeof ap_rep) != NULL;
}

static void
session_tap_read_stub(struct reading *r, const struct rpc_pdu *pdu)
{
    unsigned length = rpc_pdu_stub_size(pdu);

    if (pdu->stub_at >= r->end || pdu->auth_level == DCE_C_AUTHN_LEVEL_PKT_PRIVACY ||
        (pdu->auth_length != 0 && !pdu->has_trailer)) {
        return;
    }
    length = MIN(length, r->end - pdu->stub_at);
    r->record->stub = tvb_get_ptr(r->tvb, (int)pdu->stub_at, (int)length);
    r->record->stub_length = length;
}

static void
read_body(struct reading *r, const struct rpc_pdu *pdu)
{
    switch (pdu->type) {
    case PDU_BIND:
    case PDU_ALTER: read_offered(r, pdu); break;
    case PDU_BIND_ACK:
    case PDU_ALTER_ACK: session_tap_read_results(r, pdu); break;
    case PDU_BIND_NAK:
        if (r->end >= BIND_NAK_REASON_AT + 2) {
            r->record->reject_reason = perflib_tvb_get_uint16(r->tvb, BIND_NAK_REASON_AT, r->encoding);
        }
        break;
    case PDU_FAULT:
        if (r->end >= PDU_FAULT_STATUS_AT + 4) {
            r->record->status = perflib_tvb_get_uint32(r->tvb, PDU_FAULT_STATUS_AT, r->encoding);
        }
        break;
    case PDU_REQ:
    case PDU_RESP: session_tap_read_stub(r, pdu); break;
    default: break;
    }
}

void
session_tap_pdu(packet_info *pinfo, tvbuff_t *tvb, const struct rpc_pdu *pdu, const struct session_tap *carrier)
{
    struct session_tap *record = (struct session_tap *)wmem_memdup(pinfo->pool, carrier, sizeof *carrier);
    struct reading r = {
        .pinfo = pinfo,
        .tvb = pdu->at == 0 ? tvb : tvb_new_subset_remaining(tvb, (int)pdu->at),
        .encoding = pdu->is_little_endian ? ENC_LITTLE_ENDIAN : ENC_BIG_ENDIAN,
        .record = record,
    };

    r.end = MIN(pdu->length, tvb_captured_length(r.tvb));
    record->type = pdu->type;
    record->is_clients = rpc_pdu_is_clients(pdu);
    record->is_first = pdu->flags & PDU_FLAG_FIRST_FRAG;
    record->is_last = pdu->flags & PDU_FLAG_LAST_FRAG;
    record->is_little_endian = pdu->is_little_endian;
    record->size = rpc_pdu_stub_size(pdu);
    record->call_id = pdu->call_id;
    record->context = pdu->context;
    record->opnum = pdu->opnum;
    record->has_auth = pdu->has_trailer;
    record->auth_type = pdu->auth_type;
    record->auth_level = pdu->auth_level;
    read_token(&r, pdu);
    read_body(&r, pdu);
    tap_queue_packet(tap_session, pinfo, record);
}

void
session_tap_needed(packet_info *pinfo, const char *needed)
{
    tap_queue_packet(tap_key, pinfo, needed);
}

void
session_tap_encrypted(packet_info *pinfo, const char *needed)
{
    tap_queue_packet(tap_encrypted, pinfo, needed);
}

bool
session_tap_is_wanted(void)
{
    return have_tap_listener(tap_session);
}

void
session_tap_register(void)
{
    tap_session = register_tap("perflib_session");
    tap_key = register_tap("perflib_session_key");
    tap_encrypted = register_tap("perflib_session_encrypted");
}
