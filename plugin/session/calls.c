/* calls.c
 * The calls of a pipe
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/calls.h"

#include "base/pdu-header.h"

#define BIND_COUNT_AT    24u    /* n_context_elem: [C706] 12.6.4.3 */
#define BIND_ELEMENTS_AT 28u
#define ELEMENT_SIZE     24u    /* p_cont_elem_t without transfer syntaxes */
#define SYNTAX_SIZE      20u

static const e_guid_t transfer_ndr64 = {
    0x71710533, 0xbeba, 0x4937, { 0x83, 0x19, 0xb5, 0xdb, 0xef, 0x9c, 0xcc, 0x36 }
};

void
calls_init(struct calls *calls)
{
    calls->bindings = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    calls->by_id = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
}

/* Walks over what a PDU binds; taken is called for each, and ends the walk by returning false. */
static void
walk_elements(tvbuff_t *tvb, unsigned offset, const struct rpc_pdu *pdu,
              bool (*taken)(void *data, unsigned id, const struct binding *binding), void *data)
{
    const unsigned encoding = pdu->is_little_endian ? ENC_LITTLE_ENDIAN : ENC_BIG_ENDIAN;
    const unsigned end = offset + MIN(pdu->length, tvb_captured_length(tvb) - offset);
    unsigned count, at = offset + BIND_ELEMENTS_AT;

    if (end < at) {
        return;
    }
    count = perflib_tvb_get_uint8(tvb, (int)(offset + BIND_COUNT_AT));
    for (; count != 0 && at + ELEMENT_SIZE <= end; count--) {
        const unsigned id = perflib_tvb_get_uint16(tvb, (int)at, encoding);
        const unsigned syntaxes = perflib_tvb_get_uint8(tvb, (int)at + 2);
        struct binding binding = { .kind = NULL };

        tvb_get_guid(tvb, (int)at + 4, &binding.uuid, encoding);
        binding.kind = stub_kind_find(&binding.uuid);
        at += ELEMENT_SIZE;
        /* As in packet-dcerpc, the last transfer syntax counts. */
        if (syntaxes != 0 && at + syntaxes * SYNTAX_SIZE <= end) {
            e_guid_t syntax;

            tvb_get_guid(tvb, (int)(at + (syntaxes - 1) * SYNTAX_SIZE), &syntax, encoding);
            binding.is_ndr64 = guid_cmp(&syntax, &transfer_ndr64) == 0;
        }
        if (at + syntaxes * SYNTAX_SIZE > end || !taken(data, id, &binding)) {
            return;
        }
        at += syntaxes * SYNTAX_SIZE;
    }
}

static bool
learn_binding(void *data, unsigned id, const struct binding *binding)
{
    struct calls *calls = (struct calls *)data;

    calls->has_kinds = calls->has_kinds || (wmem_map_size(calls->bindings) != 0 && calls->kind != binding->kind);
    calls->kind = binding->kind;
    wmem_map_insert(calls->bindings, GUINT_TO_POINTER(id), wmem_memdup(wmem_file_scope(), binding, sizeof *binding));
    return true;
}

void
calls_learn_bindings(struct calls *calls, tvbuff_t *tvb, const struct rpc_pdu *pdu)
{
    walk_elements(tvb, 0, pdu, learn_binding, calls);
}

static bool
is_unknown(void *data, unsigned id _U_, const struct binding *binding)
{
    *(bool *)data = binding->kind != NULL;
    return binding->kind == NULL;
}

bool
calls_binds_known(tvbuff_t *tvb, unsigned offset, const struct rpc_pdu *pdu)
{
    bool is_known = false;

    walk_elements(tvb, offset, pdu, is_unknown, &is_known);
    return is_known;
}

static struct call *
new_call(const struct binding *binding)
{
    struct call *call = wmem_new0(wmem_file_scope(), struct call);

    call->binding = binding;
    call->told.auth_level = RPC_LEVEL_NONE;
    if (binding != NULL) {
        call->told.uuid = binding->uuid;
        call->told.listener = binding->kind == NULL ? NULL : binding->kind->listener;
    }
    return call;
}

static const struct binding *
binding_of(const struct calls *calls, const struct rpc_pdu *pdu)
{
    return (const struct binding *)wmem_map_lookup(calls->bindings, GUINT_TO_POINTER((unsigned)pdu->context));
}

static void
note_time(struct call *call, const packet_info *pinfo)
{
    call->told.request_frame = pinfo->num;
    call->told.request_time = pinfo->abs_ts;
}

struct call *
calls_request(struct calls *calls, const struct rpc_pdu *pdu, const packet_info *pinfo)
{
    const void *id = GUINT_TO_POINTER(pdu->call_id);
    struct call *call;

    if (pdu->flags & PDU_FLAG_FIRST_FRAG) {
        const struct binding *binding = binding_of(calls, pdu);

        if (binding == NULL || binding->kind == NULL) {
            /* Whatever had the number before, it is no longer meant. */
            wmem_map_remove(calls->by_id, id);
            return NULL;
        }
        call = new_call(binding);
        call->told.has_opnum = true;
        call->told.opnum = pdu->opnum;
        if (pdu->has_trailer) {
            call->told.auth_type = pdu->auth_type;
            call->told.auth_level = pdu->auth_level;
        }
        wmem_map_insert(calls->by_id, id, call);
    } else {
        call = (struct call *)wmem_map_lookup(calls->by_id, id);
    }
    if (call != NULL) {
        note_time(call, pinfo);
    }
    return call;
}

struct call *
calls_find(const struct calls *calls, const struct rpc_pdu *pdu)
{
    return (struct call *)wmem_map_lookup(calls->by_id, GUINT_TO_POINTER(pdu->call_id));
}

struct call *
calls_find_or_guess(const struct calls *calls, const struct rpc_pdu *pdu)
{
    struct call *call = calls_find(calls, pdu);

    if (call == NULL) {
        call = new_call(binding_of(calls, pdu));
        if (call->binding == NULL && calls->kind != NULL && !calls->has_kinds) {
            call->told.uuid = *calls->kind->uuid;
            call->told.listener = calls->kind->listener;
        }
    }
    return call;
}

void
calls_take_note(struct calls *calls, const struct rpc_note *note, const packet_info *pinfo)
{
    const void *id = GUINT_TO_POINTER(note->call_id);
    struct call *call = (struct call *)wmem_map_lookup(calls->by_id, id);

    if (call == NULL || !call->told.has_opnum || call->told.opnum != note->opnum ||
        guid_cmp(&call->told.uuid, &note->uuid) != 0) {
        call = new_call(NULL);
        call->told.has_opnum = true;
        call->told.opnum = note->opnum;
        call->told.uuid = note->uuid;
        wmem_map_insert(calls->by_id, id, call);
    }
    note_time(call, pinfo);
    call->told.listener = note->listener;
    call->told.state = note->state;
}
