/* rpc-pdu.c
 * One connection-oriented DCE/RPC PDU on the wire
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-pdu.h"

#include "base/bytes.h"

#define STUB_AT           24u /* offset of the stub in responses, and in requests without an object */
#define OBJECT_SIZE       16u
#define FAULT_STUB_AT     32u
/* Offset of n_context_elem and of the contexts, [C706] 12.6.4.3 */
#define CONTEXTS_COUNT_AT 24u
#define CONTEXTS_AT       28u
#define CONTEXT_SIZE      24u /* p_cont_elem_t without transfer syntaxes */
#define SYNTAX_SIZE       20u /* p_syntax_id_t */
/* Offset of sec_addr in a bind_ack, and size of each p_result_t in the list after it, [C706] 12.6.4.4 */
#define ADDRESS_AT        24u
#define RESULT_SIZE       24u
#define REJECT_REASON_AT  16u /* bind_nak, [C706] 12.6.4.5 */

/* Returns the offset of the stub for a PDU of this type and flags; 0 if it has none. */
static unsigned
stub_offset(const struct rpc_pdu *pdu)
{
    switch (pdu->type) {
    case PDU_REQ: return STUB_AT + (pdu->flags & PDU_FLAG_OBJECT_UUID ? OBJECT_SIZE : 0);
    case PDU_RESP: return STUB_AT;
    case PDU_FAULT: return FAULT_STUB_AT;
    default: return 0;
    }
}

/* Reads the auth trailer, if the PDU was captured whole. bytes: the `captured` bytes of the PDU. */
static void
read_trailer(const uint8_t *bytes, unsigned captured, struct rpc_pdu *pdu)
{
    const unsigned at = pdu->length - pdu->auth_length - RPC_TRAILER_SIZE;

    if (captured < pdu->length) {
        return;
    }
    pdu->has_trailer = true;
    pdu->auth_type = bytes[at];
    pdu->auth_level = bytes[at + 1];
    pdu->auth_pad = bytes[at + 2];
    pdu->auth_context = bytes_uint32(bytes + at + 4, !pdu->is_little_endian);
    pdu->auth_at = at + RPC_TRAILER_SIZE;
}

bool
rpc_pdu_read(tvbuff_t *tvb, unsigned offset, struct rpc_pdu *pdu)
{
    const unsigned end = tvb_captured_length(tvb), captured = offset < end ? end - offset : 0;
    const uint8_t *bytes = captured < RPC_HEADER_SIZE ? NULL : tvb_get_ptr(tvb, (int)offset, (int)captured);
    bool is_big;
    unsigned stub_at;

    *pdu = (struct rpc_pdu){
        .at = offset,
        .auth_type = DCE_C_RPC_AUTHN_PROTOCOL_NONE,
        .auth_level = DCE_C_AUTHN_LEVEL_NONE,
    };
    if (bytes == NULL || bytes[0] != RPC_VERSION || bytes[1] > 1 || bytes[2] > PDU_RTS || (bytes[4] & 0xee) != 0) {
        return false;
    }
    pdu->type = bytes[2];
    pdu->flags = bytes[3];
    pdu->is_little_endian = bytes[4] & 0x10;
    is_big = !pdu->is_little_endian;
    pdu->length = bytes_uint16(bytes + 8, is_big);
    pdu->auth_length = bytes_uint16(bytes + 10, is_big);
    pdu->call_id = bytes_uint32(bytes + 12, is_big);
    stub_at = stub_offset(pdu);
    if (pdu->length < MAX(stub_at, RPC_HEADER_SIZE)) {
        return false;
    }
    pdu->is_whole = captured >= pdu->length;
    if (pdu->auth_length != 0) {
        if (pdu->length < MAX(stub_at, RPC_HEADER_SIZE) + RPC_TRAILER_SIZE + pdu->auth_length) {
            pdu->auth_length = 0;
        } else {
            read_trailer(bytes, captured, pdu);
        }
    }
    if (stub_at != 0) {
        pdu->stub_at = stub_at;
        pdu->stub_length = pdu->length - stub_at - (pdu->auth_length == 0 ? 0 : RPC_TRAILER_SIZE + pdu->auth_length);
        if (captured >= STUB_AT) {
            pdu->context = bytes_uint16(bytes + 20, is_big);
            pdu->opnum = pdu->type == PDU_REQ ? bytes_uint16(bytes + 22, is_big) : 0;
        }
    }
    if (pdu->type == PDU_FAULT && captured >= PDU_FAULT_STATUS_AT + 4) {
        pdu->has_status = true;
        pdu->status = bytes_uint32(bytes + PDU_FAULT_STATUS_AT, is_big);
    } else if (pdu->type == PDU_BIND_NAK && MIN(pdu->length, captured) >= REJECT_REASON_AT + 2) {
        pdu->reject_reason = bytes_uint16(bytes + REJECT_REASON_AT, is_big);
    }
    return true;
}

void
rpc_pdus_read(wmem_allocator_t *scope, tvbuff_t *tvb, struct rpc_pdus *all)
{
    const unsigned captured = tvb_captured_length(tvb);
    unsigned room = 1;

    all->count = 0;
    all->pdus = &all->first;
    for (unsigned at = 0; at < captured; at += all->pdus[all->count++].length) {
        if (all->count == room) {
            room *= 4;
            all->pdus = (struct rpc_pdu *)wmem_realloc(scope, room == 4 ? NULL : all->pdus, room * sizeof all->first);
            all->pdus[0] = all->first;
        }
        if (!rpc_pdu_read(tvb, at, &all->pdus[all->count])) {
            break;
        }
    }
}

unsigned
rpc_pdu_captured(tvbuff_t *tvb, const struct rpc_pdu *pdu)
{
    return MIN(pdu->length, tvb_captured_length(tvb) - pdu->at);
}

unsigned
rpc_pdu_stub_size(const struct rpc_pdu *pdu)
{
    return pdu->stub_length - MIN(pdu->stub_length, pdu->auth_pad);
}

const uint8_t *
rpc_pdu_clear_stub(tvbuff_t *tvb, const struct rpc_pdu *pdu, unsigned *length)
{
    const unsigned captured = rpc_pdu_captured(tvb, pdu);

    if (captured <= pdu->stub_at || pdu->auth_level == DCE_C_AUTHN_LEVEL_PKT_PRIVACY ||
        (pdu->auth_length != 0 && !pdu->has_trailer)) {
        *length = 0;
        return NULL;
    }
    *length = MIN(rpc_pdu_stub_size(pdu), captured - pdu->stub_at);
    return tvb_get_ptr(tvb, (int)(pdu->at + pdu->stub_at), (int)*length);
}

const uint8_t *
rpc_token_ntlm(const uint8_t *token, unsigned size, unsigned *left)
{
    const uint8_t *message = ws_memmem(token, size, NTLM_SIGNATURE, sizeof NTLM_SIGNATURE);

    *left = message == NULL ? 0 : size - (unsigned)(message - token);
    return *left < NTLM_TYPE_AT + 4 ? NULL : message;
}

bool
rpc_pdu_is_clients(const struct rpc_pdu *pdu)
{
    switch (pdu->type) {
    case PDU_REQ:
    case PDU_BIND:
    case PDU_ALTER:
    case PDU_AUTH3:
    case PDU_CO_CANCEL:
    case PDU_ORPHANED: return true;
    default: return false;
    }
}

bool
rpc_pdu_is_binding(const struct rpc_pdu *pdu)
{
    return pdu->type >= PDU_BIND && pdu->type <= PDU_AUTH3;
}

const char *
rpc_auth_name(uint8_t auth_type, bool has_ntlm, bool has_kerberos)
{
    switch (auth_type) {
    case DCE_C_RPC_AUTHN_PROTOCOL_SPNEGO:
        return has_ntlm ? "SPNEGO with NTLM" : has_kerberos ? "SPNEGO with Kerberos" : "SPNEGO";
    case DCE_C_RPC_AUTHN_PROTOCOL_NTLMSSP: return "NTLM";
    case DCE_C_RPC_AUTHN_PROTOCOL_GSS_SCHANNEL: return "SChannel";
    case DCE_C_RPC_AUTHN_PROTOCOL_GSS_KERBEROS: return "Kerberos";
    case DCE_C_RPC_AUTHN_PROTOCOL_SEC_CHAN: return "Netlogon";
    default: return NULL;
    }
}

struct rpc_contexts
rpc_contexts_begin(tvbuff_t *tvb, const struct rpc_pdu *pdu)
{
    struct rpc_contexts contexts = {
        .tvb = tvb,
        .at = CONTEXTS_AT,
        .end = MIN(pdu->length, tvb_captured_length(tvb)),
        .encoding = pdu->is_little_endian ? ENC_LITTLE_ENDIAN : ENC_BIG_ENDIAN,
    };

    if (contexts.at <= contexts.end) {
        contexts.left = perflib_tvb_get_uint8(tvb, CONTEXTS_COUNT_AT);
    }
    return contexts;
}

bool
rpc_contexts_next(struct rpc_contexts *contexts, struct rpc_context *context)
{
    const int at = (int)contexts->at;
    unsigned syntaxes;

    if (contexts->left == 0 || contexts->at + CONTEXT_SIZE > contexts->end) {
        return false;
    }
    contexts->left--;
    *context = (struct rpc_context){ .id = perflib_tvb_get_uint16(contexts->tvb, at, contexts->encoding) };
    tvb_get_guid(contexts->tvb, at + 4, &context->uuid, contexts->encoding);
    context->version = perflib_tvb_get_uint16(contexts->tvb, at + 20, contexts->encoding);
    syntaxes = perflib_tvb_get_uint8(contexts->tvb, at + 2);
    contexts->at += CONTEXT_SIZE + syntaxes * SYNTAX_SIZE;
    if (contexts->at > contexts->end) {
        return false;
    }
    context->has_syntax = syntaxes != 0;
    if (context->has_syntax) {
        tvb_get_guid(contexts->tvb, (int)(contexts->at - SYNTAX_SIZE), &context->syntax, contexts->encoding);
    }
    return true;
}

struct rpc_contexts
rpc_results_begin(tvbuff_t *tvb, const struct rpc_pdu *pdu)
{
    struct rpc_contexts results = rpc_contexts_begin(tvb, pdu);

    results.left = 0;
    if (results.end >= ADDRESS_AT + 2) {
        const unsigned length = perflib_tvb_get_uint16(tvb, ADDRESS_AT, results.encoding);

        results.at = ((ADDRESS_AT + 2 + length + 3) & ~3u) + 4;
        results.left = results.at <= results.end ? perflib_tvb_get_uint8(tvb, (int)results.at - 4) : 0;
    }
    return results;
}

bool
rpc_results_next(struct rpc_contexts *results, struct rpc_result *result)
{
    const int at = (int)results->at;

    if (results->left == 0 || results->at + RESULT_SIZE > results->end) {
        return false;
    }
    results->left--;
    results->at += RESULT_SIZE;
    result->result = perflib_tvb_get_uint16(results->tvb, at, results->encoding);
    result->reason = perflib_tvb_get_uint16(results->tvb, at + 2, results->encoding);
    tvb_get_guid(results->tvb, at + 4, &result->syntax, results->encoding);
    return true;
}

const char *
rpc_pipe_base_name(const char *name)
{
    static const char prefix[] = "PIPE\\";

    while (*name == '\\') {
        name++;
    }
    if (g_ascii_strncasecmp(name, prefix, sizeof prefix - 1) == 0) {
        name += sizeof prefix - 1;
    }
    return name;
}

bool
rpc_pipe_is_registry(const char *name)
{
    return name != NULL && g_ascii_strcasecmp(rpc_pipe_base_name(name), "winreg") == 0;
}
