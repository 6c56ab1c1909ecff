/* calls.c
 * Calls and presentation contexts of a pipe
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

struct offer {
    uint16_t id;
    const struct binding *before; /* the context's binding before this offer; NULL if it had none */
};

const e_guid_t transfer_ndr = { 0x8a885d04, 0x1ceb, 0x11c9, { 0x9f, 0xe8, 0x08, 0x00, 0x2b, 0x10, 0x48, 0x60 } };
const e_guid_t transfer_ndr64 = { 0x71710533, 0xbeba, 0x4937, { 0x83, 0x19, 0xb5, 0xdb, 0xef, 0x9c, 0xcc, 0x36 } };

void
calls_init(struct pipe_calls *calls)
{
    calls->bindings = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    calls->by_id = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    calls->unexplained = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    for (unsigned i = 0; i < array_length(calls->begun); i++) {
        calls->begun[i] = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    }
}

/* Binding without an interface, for contexts whose recognised interface proved wrong */
static const struct binding nobodys = { .is_withdrawn = true };

const struct binding *
calls_binding_of(const struct pipe_calls *calls, uint16_t context)
{
    return calls->latest != NULL && calls->latest_context == context
        ? calls->latest
        : (const struct binding *)wmem_map_lookup(calls->bindings, GUINT_TO_POINTER((unsigned)context));
}

const struct binding *
calls_binding_at(const struct pipe_calls *calls, uint16_t context, const packet_info *pinfo)
{
    const struct binding *latest = calls_binding_of(calls, context), *binding = latest;

    if (pinfo->fd->visited && latest != NULL) {
        binding = (const struct binding *)wmem_tree_lookup32_le(latest->history, pinfo->num);
        if (binding == NULL && (latest->recognition != NULL || latest->is_withdrawn)) {
            binding = latest;
        }
    }
    if (binding != NULL && binding->recognition != NULL && !binding->recognition->is_confirmed) {
        return binding->recognition->is_withdrawn ? &nobodys : NULL;
    }
    return binding;
}

static void
bind_context(struct pipe_calls *calls, uint16_t context, const struct binding *bound, uint32_t frame)
{
    struct binding *binding = (struct binding *)wmem_memdup(wmem_file_scope(), bound, sizeof *bound);
    const struct binding *earlier = calls_binding_of(calls, context);

    binding->history = earlier == NULL ? wmem_tree_new(wmem_file_scope()) : earlier->history;
    wmem_tree_insert32(binding->history, frame, binding);
    binding->kind = stub_kind_find(&bound->uuid);
    wmem_map_insert(calls->bindings, GUINT_TO_POINTER((unsigned)context), binding);
    calls->latest = binding;
    calls->latest_context = context;
}

void
calls_learn_bindings(struct pipe_calls *calls, tvbuff_t *tvb, const struct rpc_pdu *pdu, uint32_t frame)
{
    struct rpc_contexts contexts = rpc_contexts_begin(tvb, pdu);
    struct rpc_context context;

    calls->offers =
        (struct offer *)wmem_realloc(wmem_file_scope(), calls->offers, (contexts.left + 1) * sizeof *calls->offers);
    calls->num_offers = 0;
    calls->offered_in = pdu->call_id;
    while (rpc_contexts_next(&contexts, &context)) {
        const struct binding binding = {
            .uuid = context.uuid,
            .version = context.version,
            .is_ndr64 = context.has_syntax && guid_cmp(&context.syntax, &transfer_ndr64) == 0,
        };

        calls->offers[calls->num_offers++] = (struct offer){ context.id, calls_binding_of(calls, context.id) };
        bind_context(calls, context.id, &binding, frame);
    }
}

/* Maximum number of calls that count as missing between two call_ids */
#define MAX_STEP 10000u

void
calls_note_number(struct pipe_calls *calls, const struct rpc_pdu *pdu)
{
    const uint32_t step = pdu->call_id - calls->latest_id;
    const bool is_lower = step > UINT32_MAX / 2;

    if (!(pdu->flags & PDU_FLAG_FIRST_FRAG) || (is_lower && pdu->type != PDU_BIND)) {
        return;
    }
    if (calls->position.calls != NULL && step > 1) {
        /*
         * A bind may restart the call numbers, for example after the pipe was opened again. It is then unknown how many
         * calls before the bind are missing, so only one is counted.
         */
        calls->position.lost += is_lower ? 1 : MIN(step - 1, MAX_STEP);
    }
    calls->position.calls = calls;
    calls->position.seen += pdu->type == PDU_REQ;
    calls->latest_id = pdu->call_id;
}

const struct binding *
calls_learn_result(struct pipe_calls *calls, const struct rpc_result *result, unsigned nth, uint32_t frame,
    uint16_t *id)
{
    const struct offer *offer = nth < calls->num_offers ? &calls->offers[nth] : NULL;
    const bool is_ndr64 = guid_cmp(&result->syntax, &transfer_ndr64) == 0;
    struct binding bound;

    if (offer == NULL || result->result == RPC_RESULT_NEGOTIATE_ACK) {
        return NULL;
    }
    bound = *calls_binding_of(calls, offer->id);
    if (result->result == RPC_RESULT_ACCEPTANCE) {
        if (bound.is_ndr64 == is_ndr64 || (!is_ndr64 && guid_cmp(&result->syntax, &transfer_ndr) != 0)) {
            return NULL;
        }
        bound.is_ndr64 = is_ndr64;
    } else if (offer->before == NULL) {
        return NULL;
    } else {
        bound = *offer->before;
    }
    bind_context(calls, offer->id, &bound, frame);
    *id = offer->id;
    return calls_binding_of(calls, offer->id);
}

void
calls_bind_recognised(struct pipe_calls *calls, const struct rpc_pdu *pdu, const struct stub_recognised *found,
    bool is_ndr64, uint32_t frame)
{
    e_guid_t uuid = found->uuid;
    const char *name = dcerpc_get_proto_name(&uuid, found->version);
    const struct binding binding = {
        .uuid = found->uuid,
        .version = found->version,
        .is_ndr64 = is_ndr64,
        .by = found->by,
        .by_response = pdu->type == PDU_RESP,
        .by_frame = frame,
        .name = name != NULL ? name : "what it holds",
        .recognition = wmem_new0(wmem_file_scope(), struct recognition),
    };

    /* An answer is recognised only by features that no other interface has, so its interface is certain. */
    binding.recognition->is_confirmed = binding.recognition->is_proven = binding.by_response;
    calls->is_recognised = true;
    bind_context(calls, pdu->context, &binding, frame);
}

/*
 * Also clears the UUID in packet-dcerpc's dcerpc_call_value of each call. Otherwise later passes would dissect the
 * calls as the wrong interface. The structure is the same in Wireshark 4.0, 4.4 and 4.6.
 */
void
calls_withdraw_recognised(struct pipe_calls *calls, uint16_t context, uint32_t frame)
{
    struct recognition *recognition = calls_binding_of(calls, context)->recognition;
    wmem_array_t *dissected = recognition->dissected;

    for (unsigned i = 0; dissected != NULL && i < wmem_array_get_count(dissected); i++) {
        dcerpc_call_value *call = *(dcerpc_call_value **)wmem_array_index(dissected, i);

        call->uuid = nobodys.uuid;
        call->ver = nobodys.version;
    }
    recognition->is_confirmed = false;
    recognition->is_withdrawn = true;
    bind_context(calls, context, &nobodys, frame);
}

void
calls_change_recognised_syntax(struct pipe_calls *calls, uint16_t context)
{
    struct binding *binding = (struct binding *)calls_binding_of(calls, context);
    wmem_array_t *dissected = binding->recognition->dissected;

    binding->is_ndr64 = !binding->is_ndr64;
    for (unsigned i = 0; dissected != NULL && i < wmem_array_get_count(dissected); i++) {
        (*(dcerpc_call_value **)wmem_array_index(dissected, i))->flags ^= DCERPC_IS_NDR64;
    }
}

static struct pipe_call *
new_call(const struct binding *binding)
{
    struct pipe_call *call = wmem_new0(wmem_file_scope(), struct pipe_call);

    call->binding = binding;
    call->rpc.auth_level = DCE_C_AUTHN_LEVEL_NONE;
    if (binding != NULL) {
        call->rpc.uuid = binding->uuid;
        call->rpc.listener = binding->kind == NULL ? NULL : binding->kind->listener;
    }
    return call;
}

static void
note_time(struct pipe_call *call, const packet_info *pinfo)
{
    call->rpc.request_frame = pinfo->num;
    call->rpc.request_time = pinfo->abs_ts;
}

struct pipe_call *
calls_request(struct pipe_calls *calls, const struct rpc_pdu *pdu, const packet_info *pinfo)
{
    const void *id = GUINT_TO_POINTER(pdu->call_id);
    struct pipe_call *call;

    if (pdu->flags & PDU_FLAG_FIRST_FRAG) {
        const struct binding *binding = calls_binding_of(calls, pdu->context);

        if (binding == NULL || binding->kind == NULL) {
            /* The call_id now belongs to this request, no longer to an older call. */
            wmem_map_remove(calls->by_id, id);
            return NULL;
        }
        call = new_call(binding);
        call->rpc.has_opnum = true;
        call->rpc.opnum = pdu->opnum;
        call->rpc.auth_type = pdu->auth_type;
        call->rpc.auth_level = pdu->auth_level;
        call->has_auth = pdu->auth_length == 0 || pdu->has_trailer;
        call->auth_context = pdu->auth_context;
        wmem_map_insert(calls->by_id, id, call);
    } else {
        call = (struct pipe_call *)wmem_map_lookup(calls->by_id, id);
    }
    if (call != NULL) {
        note_time(call, pinfo);
    }
    return call;
}

/* Arguments of tell_listener(). */
struct lacking {
    const struct pipe_call *noted;
    struct rpc_lack lack;
    const packet_info *pinfo;
};

static void
tell_listener(void *uuid _U_, void *kind, void *data)
{
    const struct lacking *lacking = (const struct lacking *)data;
    const struct rpc_listener *listener = ((const struct stub_kind *)kind)->listener;
    const struct pipe_call *noted = lacking->noted;

    if (listener != NULL && listener->lacks_request != NULL) {
        listener->lacks_request(noted != NULL && noted->rpc.listener == listener ? noted->rpc.state : NULL,
            &lacking->lack, lacking->pinfo);
    }
}

void
calls_tell_lack(struct pipe_calls *calls, const struct rpc_pdu *pdu, const packet_info *pinfo)
{
    struct pipe_call *call = pdu->flags & PDU_FLAG_LAST_FRAG ? calls_find(calls, pdu) : NULL;
    const struct binding *binding;
    struct lacking lacking = { .pinfo = pinfo };

    if (!(pdu->flags & PDU_FLAG_LAST_FRAG) || (call != NULL && (call->rpc.state != NULL || call->is_lack))) {
        return;
    }
    binding = calls_binding_of(calls, pdu->context);
    lacking.noted = calls->noted;
    lacking.lack = (struct rpc_lack){ .is_response = pdu->type != PDU_REQ };
    /* All listeners were informed when this call's request was seen. */
    if (binding == NULL && pdu->type != PDU_REQ &&
        wmem_map_contains(calls->unexplained, GUINT_TO_POINTER(pdu->call_id))) {
        return;
    }
    if (pdu->type == PDU_REQ || call != NULL) {
        lacking.lack.has_opnum = true;
        lacking.lack.opnum = call != NULL ? call->rpc.opnum : pdu->opnum;
    }
    if (call != NULL) {
        call->is_lack = true;
    }
    if (binding == NULL) {
        stub_kinds_foreach(tell_listener, &lacking);
    } else if (binding->kind != NULL) {
        tell_listener(NULL, (void *)binding->kind, &lacking);
    }
}

bool
calls_lacks_beginning(struct pipe_calls *calls, const struct rpc_pdu *pdu)
{
    const bool is_first = pdu->flags & PDU_FLAG_FIRST_FRAG, is_last = pdu->flags & PDU_FLAG_LAST_FRAG;
    wmem_map_t *begun = calls->begun[pdu->type == PDU_RESP];
    const void *id = GUINT_TO_POINTER(pdu->call_id);

    if ((pdu->type != PDU_REQ && pdu->type != PDU_RESP) || !pdu->is_whole || (is_first && is_last)) {
        return false;
    }
    if (is_first) {
        wmem_map_insert(begun, id, calls);
    }
    return is_last && wmem_map_remove(begun, id) == NULL;
}

struct pipe_call *
calls_find(const struct pipe_calls *calls, const struct rpc_pdu *pdu)
{
    return (struct pipe_call *)wmem_map_lookup(calls->by_id, GUINT_TO_POINTER(pdu->call_id));
}

struct pipe_call *
calls_find_or_guess(const struct pipe_calls *calls, const struct rpc_pdu *pdu)
{
    struct pipe_call *call = calls_find(calls, pdu);

    return call != NULL ? call : new_call(calls_binding_of(calls, pdu->context));
}

bool
calls_is_anothers(const struct pipe_call *call, const struct rpc_pdu *pdu)
{
    if (call == NULL || !call->has_auth || (pdu->type != PDU_REQ && pdu->type != PDU_RESP) ||
        (pdu->auth_length != 0 && !pdu->has_trailer)) {
        return false;
    }
    /* Below packet integrity the auth trailer is optional, so PDUs of one call may differ in these members. */
    return MAX(call->rpc.auth_level, pdu->auth_level) >= DCE_C_AUTHN_LEVEL_PKT_INTEGRITY &&
        (pdu->auth_level != call->rpc.auth_level || pdu->auth_type != call->rpc.auth_type ||
            pdu->auth_context != call->auth_context);
}

void
calls_note(struct pipe_calls *calls, const dcerpc_info *di, const struct rpc_listener *listener, void *state,
    const packet_info *pinfo)
{
    const void *id = GUINT_TO_POINTER(di->call_id);
    struct pipe_call *call = (struct pipe_call *)wmem_map_lookup(calls->by_id, id);

    if (call == NULL || !call->rpc.has_opnum || call->rpc.opnum != di->call_data->opnum ||
        guid_cmp(&call->rpc.uuid, &di->call_data->uuid) != 0) {
        call = new_call(NULL);
        call->rpc.has_opnum = true;
        call->rpc.opnum = di->call_data->opnum;
        call->rpc.uuid = di->call_data->uuid;
        wmem_map_insert(calls->by_id, id, call);
    }
    if (call->binding != NULL && call->binding->recognition != NULL && !call->binding->recognition->is_proven) {
        struct recognition *recognition = call->binding->recognition;

        if (recognition->dissected == NULL) {
            recognition->dissected = wmem_array_new(wmem_file_scope(), sizeof(dcerpc_call_value *));
        }
        wmem_array_append_one(recognition->dissected, di->call_data);
    }
    note_time(call, pinfo);
    call->rpc.listener = listener;
    call->rpc.state = state;
    calls->noted = call;
}

struct stub_sample
calls_stub_sample(const struct rpc_pdu *pdu, const struct pipe_call *call)
{
    return (struct stub_sample){
        .opnum = call == NULL ? 0 : call->rpc.opnum,
        .is_response = pdu->type == PDU_RESP,
        .is_first = pdu->flags & PDU_FLAG_FIRST_FRAG,
        .is_last = pdu->flags & PDU_FLAG_LAST_FRAG,
        .is_little_endian = pdu->is_little_endian,
        .is_ndr64 = call != NULL && call->binding != NULL && call->binding->is_ndr64,
        .length = rpc_pdu_stub_size(pdu),
    };
}

struct stub_sample
calls_clear_sample(tvbuff_t *tvb, const struct rpc_pdu *pdu, const struct pipe_call *call)
{
    struct stub_sample sample = calls_stub_sample(pdu, call);

    sample.head = rpc_pdu_clear_stub(tvb, pdu, &sample.head_length);
    if (sample.head != NULL) {
        sample.tail_length = sample.head_length < sample.length ? 0 : MIN(sample.length, STUB_CHECK_TAIL);
        sample.tail = sample.head + sample.head_length - sample.tail_length;
    }
    return sample;
}

stub_check
calls_stub_check(const struct rpc_pdu *pdu, const struct pipe_call *call)
{
    const struct binding *binding = call == NULL ? NULL : call->binding;

    return binding != NULL && binding->kind != NULL && (pdu->type == PDU_REQ || pdu->type == PDU_RESP)
        ? binding->kind->check
        : NULL;
}
