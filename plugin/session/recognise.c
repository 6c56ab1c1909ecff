/* recognise.c
 * Recognises the interface of calls whose bind was not captured
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#define OBJECT_AT 24 /* offset of the object UUID in a request, [C706] 12.6.4.9 */

/* Gets the start of the PDU's stub. Returns false if the stub is sealed, not captured or too short to recognise. */
static bool
take_sample(tvbuff_t *tvb, const struct rpc_pdu *pdu, unsigned opnum, struct stub_sample *sample)
{
    *sample = calls_clear_sample(tvb, pdu, NULL);
    sample->opnum = opnum;
    return sample->length >= 4 && sample->head != NULL;
}

tvbuff_t *
recognise_judge(struct pipe_calls *calls, tvbuff_t *tvb, const struct rpc_pdu *pdu, packet_info *pinfo)
{
    const struct binding *binding = calls_binding_of(calls, pdu->context);
    struct recognition *recognition = binding == NULL ? NULL : binding->recognition;
    const struct pipe_call *call;
    struct stub_sample sample;
    enum stub_fit fit;

    if (pdu->type != PDU_RESP || !(pdu->flags & PDU_FLAG_FIRST_FRAG) || recognition == NULL || recognition->is_proven ||
        binding->kind == NULL) {
        return NULL;
    }
    call = calls_find(calls, pdu);
    if (call == NULL || call->binding != binding || !call->rpc.has_opnum ||
        !take_sample(tvb, pdu, call->rpc.opnum, &sample)) {
        return NULL;
    }
    sample.is_ndr64 = binding->is_ndr64;
    fit = stub_fit(binding->kind, &sample, pinfo);
    if (fit == STUB_MISFIT) {
        sample.is_ndr64 = !sample.is_ndr64;
        if (stub_fit(binding->kind, &sample, pinfo) == STUB_PROVES) {
            calls_change_recognised_syntax(calls, pdu->context);
            recognition->is_confirmed = recognition->is_proven = true;
        } else {
            calls_withdraw_recognised(calls, pdu->context, pinfo->num);
        }
        return synthetic_bind_make(tvb, pdu, pinfo, pdu->context, calls_binding_of(calls, pdu->context));
    }
    recognition->is_confirmed = true;
    recognition->is_proven = fit == STUB_PROVES;
    return NULL;
}

tvbuff_t *
recognise_context(struct pipe_calls *calls, tvbuff_t *tvb, const struct rpc_pdu *pdu, packet_info *pinfo,
    bool is_registry_pipe)
{
    struct stub_recognised found;
    struct stub_sample sample;
    const void *id = GUINT_TO_POINTER(pdu->call_id);
    unsigned opnum = pdu->opnum;
    e_guid_t object;

    if ((pdu->type != PDU_REQ && pdu->type != PDU_RESP) || calls_binding_of(calls, pdu->context) != NULL ||
        !(pdu->flags & PDU_FLAG_FIRST_FRAG)) {
        return NULL;
    }
    if (pdu->type == PDU_REQ) {
        wmem_map_insert(calls->unexplained, id, GUINT_TO_POINTER(opnum + 1));
    } else if (wmem_map_contains(calls->unexplained, id)) {
        opnum = GPOINTER_TO_UINT(wmem_map_lookup(calls->unexplained, id)) - 1;
    } else {
        return NULL;
    }
    if (!take_sample(tvb, pdu, opnum, &sample)) {
        return NULL;
    }
    sample.is_registry_pipe = is_registry_pipe;
    if (pdu->type == PDU_REQ && (pdu->flags & PDU_FLAG_OBJECT_UUID)) {
        tvb_get_guid(tvb, (int)pdu->at + OBJECT_AT, &object,
            pdu->is_little_endian ? ENC_LITTLE_ENDIAN : ENC_BIG_ENDIAN);
        sample.object = &object;
    }
    if (!stub_recognise(&sample, pinfo, &found)) {
        sample.is_ndr64 = true;
        if (!stub_recognise(&sample, pinfo, &found)) {
            return NULL;
        }
    }
    calls_bind_recognised(calls, pdu, &found, sample.is_ndr64, pinfo->num);
    return synthetic_bind_make(tvb, pdu, pinfo, pdu->context, calls_binding_of(calls, pdu->context));
}
